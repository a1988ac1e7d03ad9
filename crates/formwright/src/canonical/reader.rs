//! One sequence of tokens, read one by one as a tokenizer would have written it.
//!
//! ```text
//! "  "   may end: two spaces are a piece        "  ", " "   may not: three spaces would be one token, but a word may follow
//! ```
//!
//! Cost: a few lookups a token. A text may have to begin with a character that the tokenizer puts before it.

use super::merges::Merges;
use super::pieces::SharedPieces;
use super::spelling::{Place, Spelling};
use super::splits::TokenId;

/// Where a sequence is.
#[derive(Debug)]
pub(super) struct Reader<'m> {
    merges: &'m Merges,
    pieces: Option<SharedPieces>,
    place: Place,
    has_begun: bool,
}

impl<'m> Reader<'m> {
    /// Before the first token.
    pub fn new(merges: &'m Merges) -> Self {
        Self { merges, pieces: merges.pieces(), place: Place::START, has_begun: false }
    }

    fn spelling(&self) -> Spelling<'_> {
        Spelling::new(self.merges, self.pieces.as_ref())
    }

    /// Reads a token; `None` if the tokenizer never writes it here.
    pub fn accept(&mut self, token: TokenId) -> Option<()> {
        if !self.begins_well(token) {
            return None;
        }
        let mut spelling = self.spelling();
        let after = spelling.after(self.place, token).filter(|_| !spelling.is_full());
        drop(spelling);
        (self.place, self.has_begun) = (after?, true);
        Some(())
    }

    /// Whether the text may end here.
    pub fn may_end(&self) -> bool {
        self.spelling().may_end(self.place.state)
    }

    /// All tokens that may follow.
    pub fn next_tokens(&self) -> Vec<TokenId> {
        let mut spelling = self.spelling();
        let moves = spelling.moves(self.place.state);
        let [begin, mut row] = moves.rows.clone();
        self.merges.clear_incompatible(self.place.last, &mut row);
        let is_set =
            |token: &TokenId| (row[*token as usize / 32] | begin[*token as usize / 32]) >> (token % 32) & 1 == 1;
        let all = 0..row.len() as TokenId * 32;
        all.filter(is_set).filter(|&token| self.begins_well(token)).collect()
    }

    /// Whether a text may begin with a token, or has begun already.
    fn begins_well(&self, token: TokenId) -> bool {
        self.has_begun || self.merges.has_prefix(self.merges.spelled(token).0)
    }
}
