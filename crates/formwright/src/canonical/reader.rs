//! One sequence of tokens, read one by one as a tokenizer would have written it.
//!
//! ```text
//! "  "   may end: two spaces are a piece        "  ", " "   may not: three spaces would be one token, but a word may follow
//! ```
//!
//! Cost: a few lookups a token. Wrinkle: states have numbers only as long as nobody makes room for others, so a reader
//! holds the lock of the pieces while it reads.

use std::sync::MutexGuard;

use smallvec::SmallVec;

use super::boundaries::{DEAD, Follows, START, StateId};
use super::columns::Columns;
use super::merges::{Merges, Pieces};
use super::splits::TokenId;

/// Where a sequence stands.
#[derive(Debug)]
pub(super) struct Reader<'m> {
    merges: &'m Merges,
    pieces: Option<MutexGuard<'m, Pieces>>,
    state: StateId,
    last: Option<TokenId>,
}

impl<'m> Reader<'m> {
    /// Before the first token.
    pub fn new(merges: &'m Merges) -> Self {
        Self { merges, pieces: merges.pieces(), state: START, last: None }
    }

    /// Reads a token; `None` if the tokenizer never writes it here.
    pub fn accept(&mut self, token: TokenId) -> Option<()> {
        let is_word = self.merges.spelled(token).1;
        self.state = if is_word { self.may_begin_word(token).then_some(START)? } else { self.after(token)? };
        self.last = Some(token);
        if let Some(pieces) = &mut self.pieces
            && let Some(kept) = pieces.boundaries.make_room(self.state)
        {
            pieces.columns.iter_mut().for_each(Columns::forget);
            self.state = kept;
        }
        Some(())
    }

    /// Whether the text may end here.
    pub fn may_end(&self) -> bool {
        self.pieces.as_ref().map_or(self.state == START, |pieces| pieces.boundaries.may_end(self.state))
    }

    /// All tokens that may follow.
    pub fn next_tokens(&mut self) -> Vec<TokenId> {
        let all = 0..self.merges.splits().len() as TokenId;
        let row = self.row();
        let is_set = |token: TokenId| row.as_ref().is_none_or(|row| row[token as usize / 32] >> (token % 32) & 1 == 1);
        // Without a pattern, and before the first token, each is asked for itself.
        let is_sure = row.is_some() && self.last.is_some();
        let mut found: Vec<TokenId> =
            all.filter(|&token| is_set(token) && (is_sure || self.after(token).is_some())).collect();
        found.extend(self.merges.words().filter(|&word| self.may_begin_word(word)));
        found
    }

    /// The tokens that may follow as far as pieces and pairs go, a bit each; `None` without a pattern.
    fn row(&mut self) -> Option<Box<[u32]>> {
        let before = self.before();
        let Pieces { boundaries, columns } = &mut **self.pieces.as_mut()?;
        let (splits, pairs) = (self.merges.splits(), self.merges.pairs());
        let columns = columns.get_or_insert_with(|| Columns::new(splits, boundaries));
        let [in_piece, at_boundary] = columns.rows(splits, boundaries, self.state);
        let mut row = in_piece.clone();
        for interval in before.iter().flat_map(|&last| pairs.intervals_after(splits, last)) {
            for &token in pairs.tokens(interval) {
                row[token as usize / 32] &= !(1 << (token % 32));
            }
        }
        row.iter_mut().zip(at_boundary).for_each(|(word, begins)| *word |= begins);
        Some(row)
    }

    /// The token before, unless it is a word.
    fn before(&self) -> Option<TokenId> {
        self.last.filter(|&last| !self.merges.spelled(last).1)
    }

    /// Whether a word may come, as far as the text before it is concerned.
    fn may_begin_word(&self, word: TokenId) -> bool {
        self.may_end() && (self.last.is_some() || self.merges.has_prefix(self.merges.spelled(word).0))
    }

    /// Where a token leads; `None` if the tokenizer never writes it here.
    fn after(&mut self, token: TokenId) -> Option<StateId> {
        let (splits, before) = (self.merges.splits(), self.before());
        let is_whole = self.pieces.as_ref().is_some_and(|pieces| pieces.boundaries.wholes().is_whole(token));
        let spelled = splits.spelled(token);
        let begins_well = self.last.is_some() || self.merges.has_prefix(spelled);
        if !begins_well || !is_whole && !splits.is_self_canonical(token) {
            return None;
        }
        let compatible = before.is_some_and(|last| self.merges.pairs().are_compatible(splits, last, token));
        let Some(pieces) = &mut self.pieces else {
            return if compatible || before.is_none() { self.after_in_text(token) } else { None };
        };
        let follows = if compatible { Follows::InPiece } else { Follows::AtBoundary };
        let next = pieces.boundaries.after(self.state, token, spelled, follows);
        (next != DEAD).then_some(next)
    }

    /// Where a token leads if a text is one piece. A state is then the bytes of a character that is no token, as far as
    /// they were read: three at most, behind a one.
    fn after_in_text(&self, token: TokenId) -> Option<StateId> {
        let (splits, state) = (self.merges.splits(), self.state);
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
