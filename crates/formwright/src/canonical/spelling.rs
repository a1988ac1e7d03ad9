//! Where a text is between the tokens of a tokenizer, and which of them it would write next.
//!
//! ```text
//! after "  "      " x"  may come: two spaces end a piece      " "  may not: three spaces would be one token
//! ```
//!
//! A [`Place`] is the state between pieces and the last token; with it, a token is told by two lookups: where it leads if
//! it begins a piece, and where if it continues one, which it may if it is compatible with the last token.
//!
//! Cost: about 0.1 us a token. The numbers of states are those of one [`SharedPieces`]: a text keeps the pieces
//! that it began with.

use std::sync::{Arc, MutexGuard};

use smallvec::SmallVec;

use super::boundaries::{DEAD, Follows, NOTHING, START, StateId};
use super::columns::{Ends, Moves};
use super::completions::Completion;
use super::merges::Merges;
use super::pieces::{BeginningKey, Beginnings, Pieces, SharedPieces, lock};
use super::splits::{NONE, TokenId};
use crate::bytes::CONTROL;

/// Places and bytes of which it is kept which tokens may come.
const MOST_BEGINNINGS: usize = 1 << 16;

/// Where a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The state between pieces.
    pub state: StateId,
    /// The last token; none before the first, and after a word.
    pub last: Option<TokenId>,
}

impl Place {
    /// Before the first token.
    pub const START: Self = Self { state: START, last: None };

    /// In a state, after a token that no other one may continue the piece of.
    pub fn boundary(state: StateId) -> Self {
        Self { state, last: Some(NONE) }
    }

    /// Whether the next token must begin a piece.
    pub fn is_boundary(self) -> bool {
        self.last == Some(NONE)
    }
}

/// Bytes, a bit each.
pub type Bytes = [u64; 4];

/// The merges of a tokenizer, and its pieces, locked.
#[derive(Debug)]
pub struct Spelling<'s> {
    merges: &'s Merges,
    pieces: Option<MutexGuard<'s, Pieces>>,
    /// Control tokens that may be written, ascending: a piece ends before and after them, as around words.
    controls: &'s [TokenId],
}

impl<'s> Spelling<'s> {
    /// Locks the pieces of a text; `None` where a text is one piece.
    pub fn new(merges: &'s Merges, pieces: Option<&'s SharedPieces>) -> Self {
        Self { merges, pieces: pieces.map(|pieces| lock(pieces)), controls: &[] }
    }

    /// Where some control tokens, ascending, may be written.
    #[must_use]
    pub fn with_controls(self, controls: &'s [TokenId]) -> Self {
        Self { controls, ..self }
    }

    /// Whether a token is by itself, whatever is around it.
    fn is_word(&self, token: TokenId) -> bool {
        self.merges.is_word(token) || self.controls.binary_search(&token).is_ok()
    }

    /// The merges.
    pub fn merges(&self) -> &'s Merges {
        self.merges
    }

    /// Whether texts are cut into pieces.
    pub fn is_in_pieces(&self) -> bool {
        self.pieces.is_some()
    }

    /// Whether there are so many states that nothing it says can be trusted.
    pub fn is_full(&self) -> bool {
        self.pieces.as_ref().is_some_and(|pieces| pieces.is_full())
    }

    /// Whether the text may end in a state.
    pub fn may_end(&self, state: StateId) -> bool {
        self.pieces.as_ref().map_or(state == START, |pieces| pieces.boundaries.may_end(state))
    }

    /// The place after a token; `None` if the tokenizer never writes it here.
    pub fn after(&mut self, place: Place, token: TokenId) -> Option<Place> {
        let ends = self.ends(place.state, token);
        if ends == [DEAD; 2] {
            return None;
        }
        if self.is_word(token) {
            return Some(self.place(ends[0], token));
        }
        let may_continue = place.last != Some(NONE) && self.merges.may_continue(place.last, token);
        let state = ends[usize::from(may_continue)];
        (state != DEAD).then(|| self.place(state, token))
    }

    /// The place in a state after a token.
    pub fn place(&self, state: StateId, token: TokenId) -> Place {
        Place { state, last: (!self.is_word(token)).then_some(token) }
    }

    /// Where a token leads from a state, if it begins a piece and if it may also continue one.
    pub fn ends(&mut self, state: StateId, token: TokenId) -> Ends {
        if self.is_word(token) {
            return [if self.may_end(state) { START } else { DEAD }; 2];
        }
        let splits = self.merges.splits();
        let Some(pieces) = &mut self.pieces else {
            let is_written = splits.is_self_canonical(token);
            let end = if is_written { self.after_in_text(state, token) } else { None };
            return [DEAD, end.unwrap_or(DEAD)];
        };
        let boundaries = &mut pieces.boundaries;
        if !splits.is_self_canonical(token) && !boundaries.wholes().is_whole(token) {
            return [DEAD; 2];
        }
        let spelled = splits.spelled(token);
        [Follows::AtBoundary, Follows::InPiece].map(|follows| boundaries.after(state, token, spelled, follows))
    }

    /// Whether all tokens are made by merging: there are no words, and no pieces that are tokens without merges.
    pub fn merges_alone(&self) -> bool {
        let has_words = !self.controls.is_empty() || self.merges.words().next().is_some();
        !has_words && self.pieces.as_ref().is_none_or(|pieces| pieces.boundaries.wholes().is_empty())
    }

    /// The state after an ASCII byte that continues the piece; `None` if a piece may end before it, or, where a text is one
    /// piece, inside a character.
    pub fn within_piece(&mut self, state: StateId, byte: u8) -> Option<StateId> {
        let Some(pieces) = &mut self.pieces else { return (state == START).then_some(state) };
        let boundaries = &mut pieces.boundaries;
        let minterm = boundaries.program().alphabet.minterm(char::from(byte));
        let [begun, inside] = [Follows::AtBoundary, Follows::InPiece].map(|follows| {
            let start = boundaries.start_of_any(state, follows);
            boundaries.step(start, minterm)
        });
        (begun == NOTHING).then(|| boundaries.end_inside(inside, &[]))
    }

    /// The tokens after a given one, if the rest of its piece is some text; `None` if the tokenizer would not write that token
    /// there.
    pub fn spell_after(&self, last: TokenId, text: &[u8]) -> Option<Vec<TokenId>> {
        let splits = self.merges.splits();
        let bytes: SmallVec<[u8; 32]> = splits.spelled(last).iter().chain(text).copied().collect();
        let mut tokens = splits.encode_bytes(&bytes)?;
        (tokens.first() == Some(&last)).then(|| tokens.split_off(1))
    }

    /// Where all tokens lead from a state.
    pub fn moves(&mut self, state: StateId) -> Arc<Moves> {
        let splits = self.merges.splits();
        let mut moves = match &mut self.pieces {
            Some(pieces) => pieces.moves(splits, state),
            None => self.merges.moves_in_text(state, |token| self.after_in_text(state, token)),
        };
        let words: SmallVec<[TokenId; 8]> = self.merges.words().chain(self.controls.iter().copied()).collect();
        if !words.is_empty() && self.may_end(state) {
            let with_words = Arc::make_mut(&mut moves);
            words.iter().for_each(|&word| with_words.add_single([START; 2], word));
            with_words.first = [u64::MAX; 4];
        }
        moves
    }

    /// Bytes of which it is known that a text may go on with them after this place, whatever comes later: a piece ends
    /// before them, or no token that begins with them is incompatible with the last one.
    pub fn free(&mut self, place: Place) -> Bytes {
        let mut bytes = self.free_in_text(place);
        bytes.iter_mut().zip(self.merges.lacking()).for_each(|(bytes, lacking)| *bytes &= !lacking);
        if !self.controls.is_empty() && self.may_end(place.state) {
            bytes[usize::from(CONTROL) / 64] |= 1 << (CONTROL % 64);
        }
        bytes
    }

    fn free_in_text(&mut self, place: Place) -> Bytes {
        if let Some(pieces) = &mut self.pieces {
            let ascii = pieces.boundaries.ends_before(place.state);
            return [ascii as u64, (ascii >> 64) as u64, 0, 0];
        }
        if place.state != START {
            return [0; 4];
        }
        if place.last == Some(NONE) {
            return [0; 4];
        }
        place.last.map_or(self.merges.free_at_start(), |last| self.merges.free_after(last))
    }

    /// The bytes that the next token can begin with, perhaps more.
    pub fn first(&mut self, place: Place) -> Bytes {
        let is_between = |pieces: &MutexGuard<'_, Pieces>| pieces.boundaries.is_between_characters(place.state);
        if self.pieces.as_ref().is_some_and(is_between) { self.moves(place.state).first } else { [u64::MAX; 4] }
    }

    /// The tokens that may come at a place, of all those that begin with a byte. They are found once.
    pub fn beginning(&mut self, place: Place, byte: u8, all: &[TokenId]) -> Arc<[TokenId]> {
        let key = (place.state, place.last, byte);
        let known = match &self.pieces {
            Some(pieces) => pieces.beginnings.get(&key).map(Arc::clone),
            None => self.merges.beginnings().get(&key).map(Arc::clone),
        };
        known.unwrap_or_else(|| {
            let found: Arc<[TokenId]> =
                all.iter().copied().filter(|&token| self.after(place, token).is_some()).collect();
            match &mut self.pieces {
                Some(pieces) => remember(&mut pieces.beginnings, key, &found),
                None => remember(&mut self.merges.beginnings(), key, &found),
            }
            found
        })
    }

    /// How the character that the last token has begun can be completed; `None` where it is not known to be begun.
    pub fn completion(&mut self, place: Place) -> Option<Option<Completion>> {
        let (splits, pairs) = (self.merges.splits(), self.merges.pairs());
        let last = place.last?;
        let Some(pieces) = &mut self.pieces else {
            let find = || self.completion_in_text(place.state);
            return (place.state != START).then(|| self.merges.completion(place.state, find));
        };
        let is_begun = !pieces.boundaries.is_between_characters(place.state);
        is_begun.then(|| pieces.completion(splits, pairs, place.state, last))
    }

    /// The same if a text is one piece: byte by byte, to a character that is not a token.
    fn completion_in_text(&self, state: StateId) -> Option<Completion> {
        (0x80..0xC0).find_map(|byte| {
            let token = self.merges.splits().byte_token(byte)?;
            let mut completion = match self.after_in_text(state, token)? {
                START => Completion { tokens: SmallVec::new(), state: START },
                begun => self.completion_in_text(begun)?,
            };
            completion.tokens.insert(0, token);
            Some(completion)
        })
    }

    /// Where a token leads if a text is one piece. A state is then the bytes of a character that is not a token, as far as
    /// they were read: three at most, after a one.
    fn after_in_text(&self, state: StateId, token: TokenId) -> Option<StateId> {
        let splits = self.merges.splits();
        let Some(byte) = splits.fallback_byte(token) else { return (state == START).then_some(START) };
        let read = state.to_be_bytes().into_iter().skip_while(|&byte| byte == 0).skip(1);
        let bytes: SmallVec<[u8; 4]> = read.chain([byte]).collect();
        match std::str::from_utf8(&bytes) {
            Ok(c) if self.merges.is_space(c) => None,
            Ok(_) => splits.token(&bytes).is_none().then_some(START),
            Err(error) => error.error_len().is_none().then_some(state << 8 | u32::from(byte)),
        }
    }
}

fn remember(known: &mut Beginnings, key: BeginningKey, found: &Arc<[TokenId]>) {
    if known.len() >= MOST_BEGINNINGS {
        known.clear();
    }
    known.insert(key, Arc::clone(found));
}
