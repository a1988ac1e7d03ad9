//! The tokens that an automaton reads from a state, by the state after them.

use crate::matcher::minimal::{DEAD, MinimalAutomaton};
use crate::vocabulary::{TokenId, Vocabulary};

/// Room for walks, kept from one to the next.
#[derive(Default)]
pub struct Walk {
    /// The states on the way to a token.
    way: Vec<u16>,
    groups: Groups,
}

/// Tokens by the state that they lead to.
#[derive(Default)]
struct Groups {
    /// By state of the automaton: its group, or [`DEAD`].
    of: Vec<u16>,
    /// A state, and the tokens that lead to it, in the order of the tree; room for more groups than are in use.
    all: Vec<(u16, Vec<TokenId>)>,
    used: usize,
}

impl Walk {
    /// Finds the tokens from a state, by the state after them; equal sets of tokens come in the same order.
    pub fn run(
        &mut self,
        automaton: &MinimalAutomaton,
        vocabulary: &Vocabulary,
        state: u16,
    ) -> impl Iterator<Item = (u16, &[TokenId])> {
        let Self { way, groups } = self;
        groups.clear(automaton.accepting.len());
        automaton.each_token(vocabulary, state, way, |tokens, to| groups.add(tokens, to));
        groups.all[..groups.used].iter().map(|(state, tokens)| (*state, &tokens[..]))
    }
}

impl Groups {
    fn clear(&mut self, states: usize) {
        for (state, tokens) in &mut self.all[..self.used] {
            self.of[usize::from(*state)] = DEAD;
            tokens.clear();
        }
        self.of.resize(states, DEAD);
        self.used = 0;
    }

    fn add(&mut self, tokens: &[TokenId], to: u16) {
        let group = &mut self.of[usize::from(to)];
        if *group == DEAD {
            *group = self.used as u16;
            match self.all.get_mut(self.used) {
                Some((state, _)) => *state = to,
                None => self.all.push((to, Vec::new())),
            }
            self.used += 1;
        }
        self.all[usize::from(*group)].1.extend_from_slice(tokens);
    }
}
