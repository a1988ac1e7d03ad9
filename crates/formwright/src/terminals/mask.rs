//! A terminal mask: what a state of a terminal says about the tokens below a node of a trie.
//!
//! ```text
//! independent    foo   foo bar   o"      bit map or list
//! spaced         ` foo`                  tokens with leading whitespace, which a walk of stripped tokens meets
//! dependent      o",   "}                shared by all states with the same context-dependent tokens
//! ```
//!
//! Cost: a bit map is 16 KiB for 131k tokens. How many bytes the end of a terminal can be away after any of
//! its tokens matters to budgets only, so it is computed when a budget asks for it (`Farthest`).

use std::sync::{Arc, OnceLock};

use super::{DependentTokens, Occurrence, TokenSet};
use crate::regular::{Automaton, StateId};
use crate::vocabulary::{NodeIndex, TokenId};

/// What identifies a terminal mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TerminalKey {
    /// Which trie of tokens.
    pub tree: Tree,
    /// The node whose subtree is asked about.
    pub node: NodeIndex,
    /// The id of the automaton.
    pub automaton: u32,
    /// The representative of the automaton's states that no token can tell apart.
    pub state: StateId,
    /// The window of a counted text: the fewest and most characters that may still come, as far as tokens can tell.
    pub window: (u32, u32),
    /// Bytes that may follow the terminal (interned); 0 where it is self-delimiting.
    pub follow: u32,
    /// Whether many tokens that leave at one node are left to the trie they are in ([`TerminalMask::leaving`]).
    pub splits: bool,
}

/// Which of the two tries of tokens a walk is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// Tokens as they are.
    Plain,
    /// Tokens without leading whitespace.
    Stripped,
}

/// What a state of a terminal says about the tokens below a node of a trie.
#[derive(Debug)]
#[repr(align(64))]
pub struct TerminalMask {
    /// Context-independent tokens, without leading whitespace: they stay inside, or end just where the terminal does.
    pub independent: TokenSet,
    /// Tokens that stay inside, with leading whitespace.
    pub spaced: Vec<Occurrence>,
    /// Context-dependent tokens: they leave.
    pub dependent: Arc<DependentTokens>,
    /// Nodes at which the terminal may end, if very many tokens leave it there, as ` word` leaves after a space: what
    /// comes after the terminal goes on from there, in the same trie. Only if the key asks for them.
    pub leaving: Vec<NodeIndex>,
    /// A context-dependent token counts only if its characters are within these bounds.
    pub window: (u32, u32),
    pub(super) farthest: Farthest,
}

impl TerminalMask {
    /// Closing tokens: context-independent tokens that end with the terminal, ascending.
    pub fn closing(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.dependent.closing(self.window)
    }

    /// Whether any token leaves.
    pub fn has_dependent(&self) -> bool {
        !self.dependent.is_empty()
    }

    /// Bytes to finish the terminal, at worst, after any context-independent token.
    pub fn farthest(&self, automaton: &Automaton) -> u32 {
        self.farthest.get(automaton)
    }

    /// Bytes of memory held, shared tokens not counted.
    pub(super) fn bytes(&self) -> usize {
        self.independent.bytes()
            + self.spaced.len() * size_of::<Occurrence>()
            + self.leaving.len() * 4
            + self.farthest.bytes()
            + 152
    }
}

/// Bytes to the end of a terminal, at worst; computed when a budget asks for it.
#[derive(Debug, Default)]
pub struct Farthest {
    cached: OnceLock<u32>,
    /// States that context-independent tokens end in.
    ends: States,
    /// States in whose class loops tokens end.
    looping: States,
}

impl Farthest {
    pub fn new(ends: States, looping: States) -> Self {
        Self { cached: OnceLock::new(), ends, looping }
    }

    pub fn known(bytes: u32) -> Self {
        Self { cached: bytes.into(), ..Self::default() }
    }

    pub fn bytes(&self) -> usize {
        (self.ends.0.len() + self.looping.0.len()) * 8
    }

    pub fn get(&self, automaton: &Automaton) -> u32 {
        let ends = || self.ends.iter().map(|state| automaton.shortest(state));
        let looping = || self.looping.iter().map(|state| automaton.farthest(state));
        *self.cached.get_or_init(|| ends().chain(looping()).max().unwrap_or(0))
    }
}

/// A set of states, a bit each.
#[derive(Debug, Default)]
pub struct States(Vec<u64>);

impl States {
    #[inline]
    pub fn insert(&mut self, state: StateId) {
        let word = state as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (state % 64);
    }

    pub fn iter(&self) -> impl Iterator<Item = StateId> {
        let states =
            self.0.iter().zip(0_u32..).flat_map(|(&word, index)| (0..64).map(move |bit| (word, index * 64 + bit)));
        states.filter(|(word, state)| word >> (state % 64) & 1 == 1).map(|(_, state)| state)
    }
}
