//! Where only a few texts lead to the end of a piece, each of them is encoded as a whole.
//!
//! ```text
//! {"allowCamera"|"allowNews"}    after "al"     the piece is "allow", which is one token: dead
//!                                after "allow"  a piece ends before "C": live
//! ```
//!
//! A piece has one encoding. So where the rest of a piece is known, the last token and that rest are encoded: the last token
//! can come where it does if and only if it is the first token of the result, since two neighbours are compatible whatever
//! else is in the piece (see [`crate::canonical`]). A search would try every token at every place along each text.
//!
//! Cost: a step of the form for each byte looked at, and about a microsecond for each text.

use super::form::Form;
use super::junctions::{Rest, UNCOUNTED};
use super::search::Search;
use crate::canonical::{self, DEAD, Place};
use crate::interrupt::count;
use crate::language::INFINITE;
use crate::regular::ByteSet;
use crate::vocabulary::TokenId;

/// Most bytes that are looked at; beyond that, tokens are searched. Where a text is one piece it is encoded after each byte, so
/// fewer are.
const MOST_BYTES: usize = 256;
const MOST_BYTES_IN_TEXT: usize = 20;

/// Most bytes that may come next; where more may, there are many texts.
const MOST_NEXT: usize = 24;

/// A text inside a piece: where it is, how many bytes it has, and the last of them.
struct Inside<S> {
    state: S,
    between: canonical::StateId,
    length: usize,
    byte: u8,
}

impl<F: Form> Search<'_, '_, F> {
    /// An upper bound on the tokens that complete a text; [`INFINITE`] if nothing does. `None` if more than a few texts may
    /// come before the piece of the last token ends, or if it is uncertain where it ends.
    pub fn rest_after_few_texts(&mut self, state: &F::State, place: Place) -> Option<Rest> {
        let last = place.last.filter(|_| !place.is_boundary() && self.spelling.merges_alone())?;
        let most = if self.spelling.is_in_pieces() { MOST_BYTES } else { MOST_BYTES_IN_TEXT };
        let (mut least, mut text, mut looked) = (INFINITE, Vec::new(), 0);
        let mut open = vec![Inside { state: state.clone(), between: place.state, length: 0, byte: 0 }];
        while let Some(at) = open.pop() {
            text.truncate(at.length.saturating_sub(1));
            text.extend((at.length > 0).then_some(at.byte));
            count(1);
            looked += 1;
            if looked > most || self.form.may_leave(&at.state) {
                return None;
            }
            // Budgets count from the first place at which the piece can end, so the search does not go beyond it.
            let rest = self.rest_after_text(&at, last, &text);
            if rest < INFINITE {
                least = least.min(rest);
                continue;
            }
            for byte in self.bytes_inside(&at)?.iter() {
                let Some(state) = self.form.step(&at.state, byte) else { continue };
                let between = self.spelling.within_piece(at.between, byte)?;
                if between != DEAD {
                    open.push(Inside { state, between, length: at.length + 1, byte });
                }
            }
        }
        self.fuel = self.fuel.saturating_sub(looked as u32);
        Some(least)
    }

    /// The same if the piece consists of the last token and some text: [`INFINITE`] if it cannot end after them.
    fn rest_after_text(&mut self, at: &Inside<F::State>, last: TokenId, text: &[u8]) -> Rest {
        // In pieces, whether one may end does not depend on the tokens.
        let may_end =
            |search: &mut Self, last| search.bytes(&at.state, Place { state: at.between, last: Some(last) }, 0);
        if self.spelling.is_in_pieces() && may_end(self, last) == INFINITE {
            return INFINITE;
        }
        let Some(tokens) = self.spelling.spell_after(last, text) else { return INFINITE };
        let bytes = may_end(self, tokens.last().copied().unwrap_or(last));
        if bytes < INFINITE { bytes.saturating_add(tokens.len() as Rest).min(UNCOUNTED) } else { INFINITE }
    }

    /// The bytes that may come next in the piece; `None` if there are many, or if one is not ASCII or can come after the form.
    fn bytes_inside(&mut self, at: &Inside<F::State>) -> Option<ByteSet> {
        let mut inside = self.form.first(&at.state);
        if inside.iter().nth(MOST_NEXT).is_some() {
            return None;
        }
        if self.spelling.is_in_pieces() {
            let free = ByteSet::from_words(self.spelling.free(Place { state: at.between, last: None }));
            free.iter().for_each(|byte| inside.remove(byte));
        }
        let is_known = |byte: u8| byte.is_ascii() && !self.form.leaves(&at.state, byte);
        inside.iter().all(is_known).then_some(inside)
    }
}
