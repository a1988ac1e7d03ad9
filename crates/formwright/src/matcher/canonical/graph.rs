//! A whole form as searches read it: the configurations of a text, without its tokens.
//!
//! ```text
//! {"a": "x    at: inside the string, and what follows it        read: nothing, since no name has begun here
//! ```
//!
//! Cost: a step of the machine a byte. Inside a name or an item that another text may have otherwise, it matters
//! what was read; then two places are alike only if that is the same.

use smallvec::SmallVec;

use super::form::Form;
use super::junctions::{Rest, UNCOUNTED};
use super::search::Search;
use crate::language::{CompiledGraph, LeafId};
use crate::matcher::machine::{Configuration, Machine, Position, TextsId, is_accepting};
use crate::regular::ByteSet;
use crate::vocabulary::{NodeIndex, TokenId};

/// A graph, at a text.
pub struct Graph<'m> {
    pub machine: Machine<'m>,
    /// Configurations, in buffers that serve many steps.
    at: Vec<Configuration>,
    scratch: Vec<Configuration>,
    /// Whether a step that depends on the names and items used leads nowhere.
    refuses_unresolved: bool,
}

/// Where a graph is, and what it has read since the text at hand where that matters: inside a name or an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Standing {
    pub at: SmallVec<[Configuration; 2]>,
    read: SmallVec<[u8; 16]>,
}

impl Standing {
    /// At a configuration, after the text at hand.
    pub fn at(configuration: Configuration) -> Self {
        Self { at: SmallVec::from_slice(&[configuration]), read: SmallVec::new() }
    }

    /// Whether every text that is there is alike.
    pub fn is_alike(&self) -> bool {
        self.read.is_empty()
    }
}

impl Standing {
    /// The part that is inside the terminal of a position. Where a terminal says by itself where it ends, that is all;
    /// where it does not, what follows may have begun too, after some tokens that stay inside and not after others.
    pub fn staying_in(self, graph: &CompiledGraph, position: Position) -> Self {
        if ends_by_itself(graph, position) {
            return self;
        }
        let leaf = leaf_of(position);
        let at = self.at.into_iter().filter(|at| leaf_of(at.position) == leaf).collect();
        Self { at, ..self }
    }
}

/// Whether the terminal of a position, if it is inside of one, says by itself where it ends.
pub fn ends_by_itself(graph: &CompiledGraph, position: Position) -> bool {
    leaf_of(position).is_none_or(|leaf| graph.automaton(leaf).is_self_delimiting())
}

fn leaf_of(position: Position) -> Option<LeafId> {
    match position {
        Position::Text { leaf, .. } | Position::Terminal { leaf, .. } | Position::Excluding { leaf, .. } => Some(leaf),
        _ => None,
    }
}

impl<'m> Graph<'m> {
    /// At the text of a machine.
    pub fn new(machine: Machine<'m>) -> Self {
        Self { machine, at: Vec::new(), scratch: Vec::new(), refuses_unresolved: false }
    }

    /// Where all of some bytes lead.
    pub fn read(&mut self, from: &Standing, bytes: &[u8]) -> Option<Standing> {
        let Self { machine, at, scratch, refuses_unresolved } = self;
        let length = machine.path.len();
        machine.path.extend_from_slice(&from.read);
        at.clear();
        at.extend_from_slice(&from.at);
        for &byte in bytes {
            machine.step_in_place(at, scratch, byte);
            if !machine.take_learnt().is_nothing() && *refuses_unresolved {
                at.clear();
            }
            machine.path.push(byte);
            if at.is_empty() {
                break;
            }
        }
        machine.path.truncate(length);
        if at.is_empty() {
            return None;
        }
        let mut after = Standing { at: SmallVec::from_slice(at), read: SmallVec::new() };
        if !self.is_alike(&after) {
            after.read = from.read.iter().chain(bytes).copied().collect();
        }
        Some(after)
    }

    /// Whether every text that is there is alike: it is inside no name and no item that another text may have
    /// otherwise.
    pub fn is_alike(&mut self, standing: &Standing) -> bool {
        standing.at.iter().all(|configuration| self.machine.is_erased(configuration.stack))
    }
}

impl Search<'_, '_, Graph<'_>> {
    /// Tokens that are prefixes of excluded texts.
    pub fn excluded(&self, at: TextsId) -> Vec<TokenId> {
        let trie = self.vocabulary.plain();
        let (mut found, mut open): (Vec<TokenId>, Vec<(NodeIndex, TextsId)>) = (Vec::new(), vec![(0, at)]);
        while let Some((node, at)) = open.pop() {
            for &(byte, deeper) in self.form.machine.stacks.excluded_children(at) {
                if let Some(child) = trie.child(node, byte) {
                    found.extend(&trie.items()[trie.items_at(child)]);
                    open.push((child, deeper));
                }
            }
        }
        found
    }
}

impl Form for Graph<'_> {
    type State = Standing;
    /// Configurations, and what was read where that matters.
    type Key = (SmallVec<[Configuration; 2]>, SmallVec<[u8; 16]>);

    const ENOUGH: Rest = UNCOUNTED;
    const FUEL: u32 = 1 << 18;
    const MOST_FUEL: u32 = 1 << 20;

    fn step(&mut self, state: &Standing, byte: u8) -> Option<Standing> {
        self.read(state, &[byte])
    }

    fn may_end(&self, state: &Standing) -> bool {
        is_accepting(&state.at)
    }

    fn bytes(&mut self, state: &Standing) -> u32 {
        self.machine.cost(&state.at)
    }

    fn first(&self, state: &Standing) -> ByteSet {
        let sets = state.at.iter().map(|configuration| self.machine.first_bytes(configuration));
        sets.fold(ByteSet::default(), |all, set| all.union(&set))
    }

    fn key(&mut self, state: &Standing) -> Self::Key {
        (state.at.clone(), state.read.clone())
    }

    fn general(&mut self, (mut at, _): Self::Key) -> Self::Key {
        at.iter_mut().for_each(|at| *at = self.machine.without_starts(*at));
        (at, SmallVec::new())
    }

    fn asked(&mut self) -> Option<&mut bool> {
        Some(&mut self.machine.asked)
    }

    fn refuse_unresolved(&mut self, refuse: bool) {
        self.refuses_unresolved = refuse;
    }

    fn forgetful(&mut self, state: &Standing) -> Option<Standing> {
        let forget = |&at: &Configuration| {
            let at = self.machine.forgetful(at);
            self.machine.without_starts(at)
        };
        let at: SmallVec<_> = state.at.iter().map(forget).collect();
        (at != state.at).then(|| Standing { at, read: SmallVec::new() })
    }
}
