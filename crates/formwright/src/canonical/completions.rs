//! How a character that a token has begun can be completed.
//!
//! ```text
//! the first two bytes of a character       completed by its third byte, if no token is both together
//! ```
//!
//! A token may end inside a character. What comes next must complete it, and must not be what the encoder would have
//! merged with it; perhaps there is no such token. One completion is found for each place, whatever the form: a form
//! that allows it need not search.
//!
//! Cost: some microseconds for a token and a state, once. Wrinkle: the state counts as well as the token, since not every
//! character may continue the piece.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::boundaries::{Boundaries, DEAD, Follows, StateId};
use super::pairs::Pairs;
use super::splits::{Splits, TokenId};

/// Places of which completions are kept.
const MOST_PLACES: usize = 1 << 17;

/// A character is begun by one byte at least, so three more complete it.
const MOST_TOKENS: usize = 3;

/// Tokens that complete a character.
pub type Completion = SmallVec<[TokenId; 3]>;

/// What is known of completions.
#[derive(Debug, Default)]
pub struct Completions {
    /// By token: those that begin inside a character and may continue its piece.
    candidates: FxHashMap<TokenId, Arc<[TokenId]>>,
    found: FxHashMap<(StateId, TokenId), Option<Completion>>,
}

/// What completions are found with.
pub struct Finder<'f> {
    pub splits: &'f Splits,
    pub pairs: &'f Pairs,
    pub boundaries: &'f mut Boundaries,
    /// Tokens that begin inside a character.
    pub continuing: &'f [TokenId],
}

impl Completions {
    /// Tokens that complete the character which a token has begun, if there are any.
    pub fn of(&mut self, finder: &mut Finder<'_>, state: StateId, last: TokenId) -> Option<Completion> {
        if let Some(known) = self.found.get(&(state, last)) {
            return known.clone();
        }
        if self.found.len() >= MOST_PLACES {
            self.found.clear();
        }
        let mut tokens = Completion::new();
        let found = self.find(finder, state, last, &mut tokens).then_some(tokens);
        self.found.insert((state, last), found.clone());
        found
    }

    fn find(&mut self, finder: &mut Finder<'_>, state: StateId, last: TokenId, tokens: &mut Completion) -> bool {
        let candidates = Arc::clone(self.candidates.entry(last).or_insert_with(|| finder.candidates(last)));
        for &token in candidates.iter() {
            let after = finder.boundaries.after(state, token, finder.splits.spelled(token), Follows::InPiece);
            if after == DEAD {
                continue;
            }
            tokens.push(token);
            let is_complete = finder.boundaries.is_between_characters(after);
            let is_found = if is_complete {
                finder.boundaries.ends_before(after) != 0
            } else {
                tokens.len() < MOST_TOKENS && self.find(finder, after, token, tokens)
            };
            if is_found {
                return true;
            }
            tokens.pop();
        }
        false
    }
}

impl Finder<'_> {
    /// Tokens that begin inside a character and may follow another one in its piece.
    fn candidates(&self, last: TokenId) -> Arc<[TokenId]> {
        let mut incompatible = vec![0_u32; self.splits.len().div_ceil(32)];
        for &token in self.pairs.intervals_after(self.splits, last).flat_map(|interval| self.pairs.tokens(interval)) {
            incompatible[token as usize / 32] |= 1 << (token % 32);
        }
        let may_follow = |token: &&TokenId| incompatible[**token as usize / 32] >> (**token % 32) & 1 == 0;
        self.continuing.iter().filter(may_follow).copied().collect()
    }
}
