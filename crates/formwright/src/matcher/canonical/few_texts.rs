//! Places from which few texts lead to the end of a piece: each of them is spelled as a whole.
//!
//! ```text
//! {"allowCamera"|"allowNews"}    after "al"     the piece is "allow", which is one token: dead
//!                                after "allow"  a piece ends before "C": live
//! ```
//!
//! A piece has one spelling. So where a piece is known up to its end, it is merged, and the last token may stand where it
//! does just if merging makes it of what it is and what follows: two neighbours are compatible whatever else is in the
//! piece (see [`crate::canonical`]). A search would try every token along each text, from every place on it.
//!
//! Cost: a step of the form for each byte in reach, and about a microsecond for each text.

use super::form::Form;
use super::junctions::{Rest, UNCOUNTED};
use super::search::Search;
use crate::canonical::{self, DEAD, Place};
use crate::interrupt::count;
use crate::language::INFINITE;
use crate::regular::ByteSet;
use crate::vocabulary::TokenId;

/// Bytes that are looked at: where there are more, tokens are. Where a text is one piece, it is spelled after each of them.
const MOST_BYTES: usize = 256;
const MOST_SPELLED: usize = 20;

/// Bytes that may come next, at most, so that all texts are looked at.
const MOST_NEXT: usize = 24;

/// Where a text is inside a piece: after how many bytes, and the last of them.
struct Inside<S> {
    state: S,
    between: canonical::StateId,
    length: usize,
    byte: u8,
}

impl<F: Form> Search<'_, '_, F> {
    /// Tokens that complete a text at most, or [`INFINITE`] where none do. `None` where more than a few texts may come
    /// before the piece of the last token ends, or where it is not certain that it does.
    pub fn rest_after_few_texts(&mut self, state: &F::State, place: Place) -> Option<Rest> {
        let last = place.last.filter(|_| !place.is_boundary() && self.spelling.merges_alone())?;
        let most = if self.spelling.is_in_pieces() { MOST_BYTES } else { MOST_SPELLED };
        let (mut least, mut text, mut looked) = (INFINITE, Vec::new(), 0);
        let mut open = vec![Inside { state: state.clone(), between: place.state, length: 0, byte: 0 }];
        while let Some(at) = open.pop() {
            text.truncate(at.length.saturating_sub(1));
            text.extend((at.length > 0).then_some(at.byte));
            looked += 1;
            if looked > most || self.form.may_leave(&at.state) {
                return None;
            }
            // A budget counts from where a piece can end first, so nothing is looked for beyond that.
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
        count(looked);
        self.fuel = self.fuel.saturating_sub(looked as u32);
        Some(least)
    }

    /// Tokens that complete a text at most whose piece goes on after the last token with some text, and may end then.
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

    /// The bytes that may come inside the piece; `None` if they are many, or not ASCII, or may also come after the form.
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
