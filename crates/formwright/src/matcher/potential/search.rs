//! Vocabularies without every byte: where a preferred way cannot be spelled, all tokens are tried.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Potential;
use crate::interrupt::counted;
use crate::language::INFINITE;
use crate::matcher::counting::Counting;
use crate::matcher::machine::{Configuration, Machine, Position};
use crate::vocabulary::NodeIndex;

/// Steps of a search over all tokens. Steps of many configurations cost more, so its work is bounded, too.
const FUEL: u32 = 200_000;

/// A unit of work takes up to this much longer where rules refer to each other: stacks that are united are compared whole.
const RULES_TAKE: u64 = 16;

impl Potential {
    /// Whether no text can be completed from any of `configurations`: proven, by trying all tokens everywhere.
    pub fn is_dead_end(
        &mut self,
        machine: &mut Machine<'_>,
        counting: Counting<'_>,
        configurations: &[Configuration],
    ) -> bool {
        let mut is_dead = |machine: &mut Machine<'_>, start| {
            let start = machine.erased(start);
            self.preferred(machine, counting, start) >= INFINITE
                && self.search(machine, counting, start) == Found::Nothing
        };
        !counting.has_every_byte()
            && machine.blindly(|machine| configurations.iter().all(|&start| is_dead(machine, start)))
    }

    /// Breadth-first over all tokens, until the ends are preferred ways that can be spelled. Remembers the potentials on
    /// the way that it finds.
    pub(super) fn search(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, start: Configuration) -> Found {
        let mut before: FxHashMap<Configuration, Configuration> = FxHashMap::from_iter([(start, start)]);
        let (mut level, mut best, mut last) = (vec![start], INFINITE, start);
        let work = if machine.graph.has_rules() { self.work / RULES_TAKE } else { self.work };
        let (mut fuel, mut all_known) = (Fuel { steps: FUEL, most_counted: counted() + work }, true);
        let mut tokens = 1;
        while !level.is_empty() && tokens < best && !fuel.is_empty() {
            let mut next = Vec::new();
            for &configuration in &level {
                for end in all_token_ends(machine, counting, configuration, &mut fuel, &mut all_known) {
                    let Entry::Vacant(unseen) = before.entry(end) else { continue };
                    if fuel.is_empty() {
                        break;
                    }
                    unseen.insert(configuration);
                    let rest = self.preferred(machine, counting, end);
                    if tokens + rest < best {
                        (best, last) = (tokens + rest, end);
                    }
                    next.extend((rest >= INFINITE).then_some(end));
                }
            }
            (level, tokens) = (next, tokens + 1);
        }
        if best >= INFINITE {
            return if fuel.is_empty() || !all_known { Found::Unknown } else { Found::Nothing };
        }
        let mut rest = self.preferred(machine, counting, last);
        while last != start {
            (last, rest) = (before[&last], rest + 1);
            let known = self.searched.entry(last).or_insert(rest);
            *known = rest.min(*known);
        }
        Found::After(best)
    }
}

/// What a search may still do.
struct Fuel {
    steps: u32,
    /// How many units of work may be counted until it ends.
    most_counted: u64,
}

impl Fuel {
    fn is_empty(&self) -> bool {
        self.steps == 0 || counted() > self.most_counted
    }
}

/// What a search has found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// The fewest tokens of a completion.
    After(u32),
    /// No completion at all.
    Nothing,
    /// No answer within the fuel, or without knowing which names and items are used.
    Unknown,
}

impl Found {
    pub(super) fn tokens(self) -> u32 {
        if let Self::After(tokens) = self { tokens } else { INFINITE }
    }
}

/// Where each token leads. Clears `all_known` if that depends on unknown names or items: such tokens are left out.
fn all_token_ends(
    machine: &mut Machine<'_>,
    counting: Counting<'_>,
    start: Configuration,
    fuel: &mut Fuel,
    all_known: &mut bool,
) -> Vec<Configuration> {
    let (trie, mut ends) = (counting.tables.vocabulary.plain(), Vec::new());
    let mut open: Vec<(NodeIndex, SmallVec<[Configuration; 2]>)> = vec![(0, SmallVec::from_slice(&[start]))];
    while let Some((node, at)) = open.pop() {
        for child in trie.children(node) {
            fuel.steps = fuel.steps.saturating_sub(1);
            if fuel.is_empty() {
                return ends;
            }
            let byte = trie.node(child).byte;
            let mut after: SmallVec<[Configuration; 2]> = SmallVec::new();
            for &configuration in &at {
                let (next, depends) = machine.step_erased(configuration, byte);
                *all_known &= !depends;
                let names = matches!(configuration.position, Position::Object { .. });
                after.extend(next.into_iter().filter(|_| !depends || names));
            }
            if after.is_empty() {
                continue;
            }
            if !trie.items_at(child).is_empty() {
                ends.extend_from_slice(&after);
            }
            open.push((child, after));
        }
    }
    ends
}
