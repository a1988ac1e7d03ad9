//! The tokens that stay inside a terminal, by where they end: what a budget asks when it is too small for some.
//!
//! ```text
//! inside a string     foo, x     between two characters      the quote is 1 byte away
//!                     \u00       inside an escape            2 digits more
//! ```
//!
//! Cost: a pass over the tokens that stay, once for each state that a budget asks about; mostly one large group and
//! some small ones. Where characters are counted, tokens of more characters are another group.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::dependent::TreeTokens;
use super::{Collector, TokenSet, Tree};
use crate::regular::{Automaton, StateId};
use crate::vocabulary::{NodeIndex, TokenId, Vocabulary};
/// What identifies the groups of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupsKey {
    /// Which trie of tokens.
    pub tree: Tree,
    /// The node whose subtree is asked about.
    pub node: NodeIndex,
    /// The id of the automaton.
    pub automaton: u32,
    /// Its state.
    pub state: StateId,
    /// The state between two characters, if they are counted.
    pub inside: Option<StateId>,
}

/// Tokens without leading whitespace, and those with some, each with its run.
type Collected = (Collector, Vec<(u16, TokenId)>);

/// Tokens that end in the same state.
#[derive(Debug)]
pub struct Group {
    /// The state.
    pub state: StateId,
    /// Characters begun, where they are counted.
    pub characters: u32,
    /// Tokens without leading whitespace.
    pub tokens: Arc<TokenSet>,
    /// Tokens with leading whitespace, each with its run.
    pub spaced: Vec<(u16, TokenId)>,
}

/// The groups of a state.
#[derive(Debug)]
#[repr(align(64))]
pub struct Groups(pub Vec<Group>);

impl Groups {
    /// One pass over the subtree of the key.
    pub fn new(vocabulary: &Vocabulary, key: &GroupsKey, automaton: &Automaton) -> Self {
        let tokens = TreeTokens::new(vocabulary, key.tree);
        let (nodes, base) = (tokens.trie.nodes(), tokens.trie.node(key.node).depth);
        let mut states = vec![(key.state, 0_u32); usize::from(tokens.trie.node(key.node).height) + 1];
        let mut found: FxHashMap<(StateId, u32), Collected> = FxHashMap::default();
        let mut index = key.node + 1;
        while index < tokens.trie.node(key.node).skip {
            let at = &nodes[index as usize];
            let depth = usize::from(at.depth - base);
            let (before, characters) = states[depth - 1];
            let step = automaton.step(before, at.byte);
            if !step.goes_on() {
                index = at.skip;
                continue;
            }
            let after = (step.state(), characters + u32::from(key.inside == Some(before)));
            for item in tokens.trie.items_at(index) {
                let collector = || (Collector::new(vocabulary.mask_words()), Vec::new());
                let (plain, spaced) = found.entry(after).or_insert_with(collector);
                match tokens.occurrence(item, 0) {
                    token if token.run == 0 => plain.push(token.token),
                    token => spaced.push((token.run, token.token)),
                }
            }
            states[depth] = after;
            index += 1;
        }
        let group = |((state, characters), (plain, spaced)): (_, Collected)| Group {
            state,
            characters,
            tokens: Arc::new(plain.finish(vocabulary, &[])),
            spaced,
        };
        let mut groups: Vec<Group> = found.into_iter().map(group).collect();
        groups.sort_unstable_by_key(|group| (group.state, group.characters));
        Self(groups)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let tokens = |set: &TokenSet| match set {
            TokenSet::List(list) => list.len() * 4,
            TokenSet::Map(map) => map.len() * 4,
        };
        self.0.iter().map(|group| tokens(&group.tokens) + group.spaced.len() * 8 + 96).sum()
    }
}
