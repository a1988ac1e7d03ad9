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
//! Cost: some microseconds for a token and a state, once. The state counts as well as the token, since not every
//! character may continue the piece.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::boundaries::{Boundaries, DEAD, Follows, StateId};
use super::pairs::Pairs;
use super::splits::{Splits, TokenId};

/// Places of which completions are kept.
const MOST_PLACES: usize = 1 << 17;

/// How a character is completed.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The tokens that complete it.
    pub tokens: SmallVec<[TokenId; 3]>,
    /// The state between pieces after them.
    pub state: StateId,
}

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
    /// Tokens that complete the character which a token has begun, if there are any; those after which a piece may end
    /// before others. A character of four bytes takes three more at most, so this goes three calls deep.
    pub fn of(&mut self, finder: &mut Finder<'_>, state: StateId, last: TokenId) -> Option<Completion> {
        if let Some(known) = self.found.get(&(state, last)) {
            return known.clone();
        }
        if self.found.len() >= MOST_PLACES {
            self.found.clear();
        }
        if !finder.boundaries.may_complete(state) {
            self.found.insert((state, last), None);
            return None;
        }
        let candidates = Arc::clone(self.candidates.entry(last).or_insert_with(|| finder.candidates(last)));
        let mut found = None;
        for &token in candidates.iter() {
            let Some((completion, is_free)) = self.after(finder, state, token) else { continue };
            if is_free || found.is_none() {
                found = Some(completion);
            }
            if is_free {
                break;
            }
        }
        self.found.insert((state, last), found.clone());
        found
    }

    /// A completion that begins with a token, and whether a piece may end after it whatever comes later.
    fn after(&mut self, finder: &mut Finder<'_>, state: StateId, token: TokenId) -> Option<(Completion, bool)> {
        let after = finder.boundaries.after(state, token, finder.splits.spelled(token), Follows::InPiece);
        let rest = match after {
            DEAD => return None,
            whole if finder.boundaries.is_between_characters(whole) => {
                Completion { tokens: SmallVec::new(), state: whole }
            }
            begun => self.of(finder, begun, token)?,
        };
        let tokens = std::iter::once(token).chain(rest.tokens).collect();
        Some((Completion { tokens, state: rest.state }, finder.boundaries.ends_before(rest.state) != 0))
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
