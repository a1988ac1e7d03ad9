//! The tokens that stay inside a terminal, when the budget is too small for some: by where they end.
//!
//! ```text
//! inside a string, 2 tokens left     foo, x      the quote and the brace: fits
//!                                    \u00        two digits more: does not
//! ```
//!
//! Cost: a lookup of the potential for each group, mostly a few. A text that must avoid excluded texts is like
//! any other once it is not a prefix of one; tokens after which it still is one are tried one by one.

use super::Masker;
use super::dependent::Leaving;
use super::entry::{Bans, Entry};
use super::terminals::Inside;
use crate::language::UNBOUNDED;
use crate::matcher::machine::{Configuration, Position, StackId};
use crate::regular::DEAD;
use crate::terminals::{Group, GroupsKey, Tree};
use crate::vocabulary::TokenId;

impl Masker<'_> {
    /// Adds the tokens that stay inside a terminal, or end with it, and leave enough budget.
    pub fn add_groups(&mut self, leaving: &Leaving<'_>, inside: Inside, bans: &Bans, entry: &mut Entry) {
        let Leaving { walk, node, purpose, .. } = *leaving;
        let (id, automaton) = self.automaton(inside.leaf);
        let key = GroupsKey {
            tree: if walk.strips() { Tree::Stripped } else { Tree::Plain },
            node,
            automaton: id,
            state: inside.state,
            inside: inside
                .window
                .filter(|window| *window != (0, UNBOUNDED))
                .and(self.machine.graph.inside(inside.leaf)),
        };
        let groups = self.tables.groups(key, automaton);
        self.machine.overflow |= automaton.overflowed();
        let excluded = self.still_excluded(leaving, inside);
        let bans = bans.clone().and(&Bans::sorted(excluded.iter().map(|&(token, _)| token).collect()));
        let runs = walk.runs();
        for group in &groups.0 {
            if !self.group_fits(group, inside) {
                continue;
            }
            if runs.is_none_or(|runs| runs.ends[0] & purpose != 0) {
                entry.sets.push((group.tokens.clone(), bans.clone()));
            }
            let spaced = group.spaced.iter();
            let allowed = spaced.filter(|(run, token)| {
                runs.is_some_and(|runs| runs.ends[usize::from(*run)] & purpose != 0) && !bans.has(*token)
            });
            self.tokens.extend(allowed.map(|&(_, token)| token));
        }
        self.add_closing(leaving, &bans);
        self.tokens.extend(excluded.into_iter().filter(|(_, fits)| *fits).map(|(token, _)| token));
    }

    /// Whether a configuration that a group of tokens leads to exists, and leaves enough budget.
    fn group_fits(&mut self, group: &Group, inside: Inside) -> bool {
        let Inside { leaf, window, stack, .. } = inside;
        let state = group.state;
        let position = match window {
            None => Position::Terminal { leaf, state },
            Some((least, most)) => {
                let least = least.saturating_sub(group.characters);
                let most = if most == UNBOUNDED { Some(most) } else { most.checked_sub(group.characters) };
                let Some(most) = most else { return false };
                Position::Text { leaf, state, least, most }
            }
        };
        let ends = self.machine.configuration_cost(Configuration { position, stack }) == self.machine.stack_cost(stack);
        self.inside_fits(position, stack, ends)
    }

    /// Whether a position inside a terminal, or what comes after it if it may end here, leaves enough budget.
    fn inside_fits(&mut self, position: Position, stack: StackId, may_end: bool) -> bool {
        let base = self.buffer.len();
        self.buffer.push(Configuration { position, stack });
        if may_end {
            self.buffer.extend(self.machine.after_terminal(stack));
        }
        let fits = self.fits(base);
        self.buffer.truncate(base);
        fits
    }

    /// Adds the closing tokens, unless they are banned.
    fn add_closing(&mut self, leaving: &Leaving<'_>, bans: &Bans) {
        let runs = leaving.walk.runs();
        if runs.is_none_or(|runs| runs.ends[0] & leaving.purpose != 0) {
            self.tokens.extend(leaving.mask.closing().filter(|&token| !bans.has(token)));
        }
    }

    /// The tokens below the node after which a text is still a prefix of an excluded one, and whether it fits then.
    pub fn still_excluded(&mut self, leaving: &Leaving<'_>, inside: Inside) -> Vec<(TokenId, bool)> {
        let Some(at) = inside.at else { return Vec::new() };
        let (mut found, mut open) = (Vec::new(), vec![(leaving.node, inside.state, at)]);
        while let Some((parent, state, at)) = open.pop() {
            for (byte, deeper) in self.machine.stacks.excluded_children(at).to_vec() {
                let Some(child) = leaving.walk.trie.child(parent, byte) else { continue };
                let step = self.machine.graph.automaton(inside.leaf).step(state, byte);
                if step.state() == DEAD || !step.goes_on() {
                    continue;
                }
                let state = step.state();
                let position = Position::Excluding { leaf: inside.leaf, state, at: deeper };
                let may_end = step.accepting() && !self.machine.stacks.is_excluded(Some(deeper));
                let alive = may_end || self.machine.can_avoid_excluded(inside.leaf, state, deeper);
                let fits = alive && self.inside_fits(position, inside.stack, may_end);
                let tokens: Vec<TokenId> = leaving.walk.tokens_at(child, leaving.purpose).collect();
                found.extend(tokens.into_iter().map(|token| (token, fits)));
                open.push((child, state, deeper));
            }
        }
        found
    }
}
