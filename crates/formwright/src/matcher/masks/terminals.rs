//! Terminals in an entry: a shared bit map for most of their tokens, instead of a walk.
//!
//! ```text
//! foo   foo bar   \n   o"        context-independent: stay inside a string, or end with it. A bit map
//! o",   ":1                      context-dependent: leave it. Walked with what comes after it, see `dependent`
//! ```
//!
//! Tokens that complete an excluded text (a declared name, an item used before) are taken out of both.
//!
//! Cost: a lookup for each terminal. Right after the last character of an excluded text the quote may not
//! come, and with it every token that begins with the quote; one flag stands for all these tokens
//! ([`Excluded::quote`]).

use std::sync::Arc;

use super::dependent::Leaving;
use super::entry::{Bans, Entry};
use super::terminal_cache::Excluded;
use super::{Masker, Walk, representative_window};
use crate::language::{INFINITE, LeafId, UNBOUNDED};
use crate::matcher::keys::{Asked, ExcludedKey};
use crate::matcher::machine::{Configuration, Position, StackId, TextsId};
use crate::regular::{Automaton, ByteSet, DEAD, StateId};
use crate::terminals::{Representative, TerminalKey, TerminalMask, Tree};
use crate::vocabulary::{NodeIndex, TokenId};

/// A configuration inside a terminal: its leaf and state, its window if it is a counted text, and its node in the tree
/// of excluded texts (`at`) if it must avoid some.
#[derive(Clone, Copy)]
pub struct Inside {
    pub leaf: LeafId,
    pub state: StateId,
    pub window: Option<(u32, u32)>,
    pub at: Option<TextsId>,
    pub stack: StackId,
}

impl Masker<'_> {
    /// Takes the configurations inside terminals out of `buffer[low..]` and adds their masks of the subtree.
    pub fn add_terminals(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize, purpose: u8, entry: &mut Entry) {
        let mut index = low;
        while index < self.buffer.len() {
            let inside = self.inside(self.buffer[index]);
            if let Some(inside) = inside.filter(|inside| self.may_use_mask(walk, node, *inside)) {
                self.add_terminal(walk, node, inside, purpose, entry);
                self.buffer.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Whether all tokens of a terminal's mask may come as far as items go that must differ. Else a walk asks about each.
    fn may_use_mask(&mut self, walk: &Walk<'_>, node: NodeIndex, inside: Inside) -> bool {
        if !self.machine.must_differ(inside.stack) {
            return true;
        }
        if self.detour(inside) >= INFINITE || self.budget.is_none() {
            return self.budget.is_none() && self.detour(inside) < INFINITE;
        }
        if inside.at.is_some() {
            return false;
        }
        let asked = self.asked(walk, node, inside);
        let mask = self.terminal_mask(&asked);
        mask.is_some_and(|mask| self.covers(&asked, &mask, inside))
    }

    /// Bytes by which the text gets longer, at most, as an open item must differ from others.
    fn detour(&self, Inside { leaf, state, window, stack, .. }: Inside) -> u32 {
        let position = match window {
            Some((least, most)) => Position::Text { leaf, state, least, most },
            None => Position::Terminal { leaf, state },
        };
        self.machine.detour_inside(Configuration { position, stack }, self.tables.reach())
    }

    fn inside(&self, Configuration { position, stack }: Configuration) -> Option<Inside> {
        match position {
            Position::Text { leaf, state, least, most } => {
                Some(Inside { leaf, state, window: Some((least, most)), at: None, stack })
            }
            Position::Terminal { leaf, state } => Some(Inside { leaf, state, window: None, at: None, stack }),
            Position::Excluding { leaf, state, at } => {
                let window = self.machine.graph.inside(leaf).map(|_| (0, UNBOUNDED));
                Some(Inside { leaf, state, window, at: Some(at), stack })
            }
            _ => None,
        }
    }

    /// Adds the mask of a terminal for the subtree at `node`.
    fn add_terminal(&mut self, walk: &Walk<'_>, node: NodeIndex, inside: Inside, purpose: u8, entry: &mut Entry) {
        let Inside { leaf, state, at, stack, .. } = inside;
        let asked = self.asked(walk, node, inside);
        let Some(mask) = self.terminal_mask(&asked) else {
            self.machine.overflow = true; // a part of the entry is missing: it must not be cached or used
            return;
        };
        let excluded = at.map_or_else(Excluded::default, |at| self.excluded((asked.tree, node, leaf, state, at), walk));
        let bans = self.add_dependent(&Leaving { walk, node, mask: &mask, stack, purpose }, excluded, entry);
        self.go_on_after(walk, &mask, stack, entry);
        if self.budget.is_some() && !self.covers(&asked, &mask, inside) {
            return self.add_groups(&Leaving { walk, node, mask: &mask, stack, purpose }, inside, &bans, entry);
        }
        let bans = match at {
            Some(_) if self.budget.is_some() && !self.covers_excluded(leaf, stack) => {
                let leaving = Leaving { walk, node, mask: &mask, stack, purpose };
                let excluded = self.still_excluded(&leaving, inside).into_iter();
                let dear: Vec<TokenId> = excluded.filter(|(_, fits)| !fits).map(|(token, _)| token).collect();
                bans.and(&Bans::sorted(dear))
            }
            _ => bans,
        };
        self.add_independent(walk, mask, bans, purpose, entry);
    }

    /// What the mask of a terminal depends on, without what no token can tell.
    fn asked(&mut self, walk: &Walk<'_>, node: NodeIndex, inside: Inside) -> Asked {
        let Inside { leaf, state, window, stack, .. } = inside;
        let quoted = self.machine.graph.automaton(leaf).is_self_delimiting();
        let follow = if quoted { ByteSet::default() } else { self.follow(stack) };
        // If no token can end the text and go on, it does not matter how many characters must still come.
        let counts = |(least, most)| (if quoted || !follow.is_empty() { least } else { 0 }, most);
        let window = window.map(|window| representative_window(counts(window), self.tables.reach()));
        let window = window.filter(|window| *window != (0, UNBOUNDED));
        Asked {
            tree: if walk.strips() { Tree::Stripped } else { Tree::Plain },
            node,
            leaf,
            state,
            window,
            follow,
            splits: self.machine.graph.has_rules() && window.is_none() && !follow.is_empty() && !walk.strips(),
        }
    }

    fn terminal_mask(&mut self, asked: &Asked) -> Option<Arc<TerminalMask>> {
        self.machine.overflow |= self.machine.graph.automaton(asked.leaf).overflowed();
        self.terminals.recent(asked).or_else(|| self.shared_mask(asked))
    }

    /// The mask of a terminal from the tables; `None` if it is not cached there and none may be made.
    fn shared_mask(&mut self, asked: &Asked) -> Option<Arc<TerminalMask>> {
        let representative = self.representative(asked);
        let (id, automaton) = representative.automaton(self.automaton(asked.leaf));
        let key = TerminalKey {
            tree: asked.tree,
            node: asked.node,
            automaton: id,
            state: representative.state,
            window: asked.window.unwrap_or((0, UNBOUNDED)),
            follow: self.tables.follow_id(asked.follow),
            splits: asked.splits,
        };
        let inside = asked.window.and(self.machine.graph.inside(asked.leaf));
        let mask = if self.terminals.quick {
            self.tables.cached_mask(&key)?
        } else {
            self.tables.mask(key, automaton, inside, &asked.follow)
        };
        self.machine.overflow |= automaton.overflowed();
        self.terminals.insert_recent(*asked, Arc::clone(&mask));
        Some(mask)
    }

    /// The automaton of a leaf, and its id.
    pub fn automaton(&self, leaf: LeafId) -> (u32, &Arc<Automaton>) {
        (self.ids.automata[leaf as usize], self.machine.graph.automaton(leaf))
    }

    /// The state whose terminal masks are used, perhaps of another automaton.
    fn representative(&self, asked: &Asked) -> Arc<Representative> {
        if asked.window.is_some() {
            return Arc::new(Representative::own(asked.state));
        }
        let (id, automaton) = self.automaton(asked.leaf);
        self.tables.representative(id, automaton, asked.state)
    }

    /// Whether the budget is enough after any context-independent token.
    #[cold]
    fn covers(&mut self, asked: &Asked, mask: &TerminalMask, inside: Inside) -> bool {
        let Inside { window, stack, .. } = inside;
        let representative = self.representative(asked);
        let counted = asked.window.map_or(0, |(least, _)| least);
        let beyond = window.map_or(0, |(least, _)| least - counted);
        let (_, automaton) = representative.automaton(self.automaton(asked.leaf));
        let farthest = mask.farthest(automaton).saturating_add(beyond.max(representative.slack));
        let farthest = (farthest, self.detour(inside));
        self.budget.as_mut().is_none_or(|budget| budget.covers(&mut self.machine, asked.leaf, farthest, stack))
    }

    /// Whether the budget is enough wherever a text is a prefix of excluded ones.
    fn covers_excluded(&mut self, leaf: LeafId, stack: StackId) -> bool {
        let Some(farthest) = self.machine.farthest_excluded(leaf) else { return false };
        self.budget.as_mut().is_none_or(|budget| budget.covers(&mut self.machine, leaf, (farthest, 0), stack))
    }

    /// Adds the context-independent tokens of a terminal mask, except for the bans.
    fn add_independent(
        &mut self,
        walk: &Walk<'_>,
        mask: Arc<TerminalMask>,
        bans: Bans,
        purpose: u8,
        entry: &mut Entry,
    ) {
        let runs = walk.runs();
        if let Some(runs) = runs {
            let spaced = mask.spaced.iter().filter(|found| runs.ends[usize::from(found.run)] & purpose != 0);
            self.tokens.extend(spaced.map(|found| found.token).filter(|&token| !bans.has(token)));
        }
        if runs.is_none_or(|runs| runs.ends[0] & purpose != 0) {
            entry.maps.push((mask, bans));
        }
    }

    // Excluded texts.

    /// The tokens below a trie node that complete an excluded text, or after which every text is excluded.
    fn excluded(&mut self, key: ExcludedKey, walk: &Walk<'_>) -> Excluded {
        if let Some(cached) = self.terminals.excluded(&key) {
            return cached.clone();
        }
        let (_, node, leaf, state, at) = key;
        let excluded = self.find_excluded(walk, node, leaf, state, at);
        self.terminals.insert_excluded(key, excluded.clone());
        excluded
    }

    fn find_excluded(&self, walk: &Walk<'_>, node: NodeIndex, leaf: LeafId, state: StateId, at: TextsId) -> Excluded {
        let (mut banned, mut quote) = (Vec::new(), false);
        let mut open = vec![(node, state, at)];
        while let Some((parent, state, at)) = open.pop() {
            for &(byte, deeper) in self.machine.stacks.excluded_children(at) {
                let Some(child) = walk.trie.child(parent, byte) else { continue };
                let step = self.machine.graph.automaton(leaf).step(state, byte);
                if step.state() == DEAD {
                    continue;
                }
                if !step.goes_on() && parent == node && byte == b'"' {
                    quote = true;
                    continue;
                }
                let excluded = self.machine.stacks.is_excluded(Some(deeper));
                let goes_on = step.goes_on() && self.machine.can_avoid_excluded(leaf, step.state(), deeper);
                let ends = step.accepting() && !excluded;
                if !goes_on && !ends {
                    banned.extend(walk.tokens_below(child));
                    continue;
                }
                if step.accepting() && excluded {
                    self.ban_ends(walk, child, leaf, step.state(), &mut banned);
                }
                open.push((child, step.state(), deeper));
            }
        }
        banned.sort_unstable();
        banned.dedup();
        Excluded { tokens: banned.into(), quote }
    }

    /// Bans the tokens below `node` that end the terminal there: their next byte does not go on in the terminal.
    fn ban_ends(&self, walk: &Walk<'_>, node: NodeIndex, leaf: LeafId, state: StateId, banned: &mut Vec<TokenId>) {
        for child in walk.trie.children(node) {
            let step = self.machine.graph.automaton(leaf).step(state, walk.trie.node(child).byte);
            if step.state() == DEAD {
                banned.extend(walk.tokens_below(child));
            }
        }
    }
}
