//! Tokens that do the same to every state between pieces, taken together.
//!
//! ```text
//! "cat", "dog", "the": three lower-case letters each, one column        " a1": space, letter, digit, another one
//! ```
//!
//! A pattern sees the minterms of characters, not the characters. So which tokens may come next, as far as pieces go, is
//! found for each column, once for each state: some milliseconds, and later a copy.
//!
//! Cost: a number for each token, and two rows of bits for each state that is met. Wrinkle: tokens that begin inside a
//! character are tried one by one, and so are those of which it matters which they are ([`super::wholes`]).

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::boundaries::{Boundaries, DEAD, Follows, StateId, characters};
use super::program::Minterm;
use super::splits::{Splits, TokenId};

/// What the pattern sees of a token: the minterms of its characters, and the bytes of the last one if it is not complete.
type Seen = (SmallVec<[Minterm; 16]>, SmallVec<[u8; 4]>);

/// States of which rows are kept; a pair of rows takes 32 KB for 131,072 tokens.
const MOST_ROWS: usize = 256;

/// The columns of a vocabulary.
#[derive(Debug)]
pub struct Columns {
    /// Tokens by column, one column after the other.
    tokens: Vec<TokenId>,
    ranges: Vec<Range<usize>>,
    /// Tokens that begin inside a character.
    continuing: Vec<TokenId>,
    /// Tokens of which it matters which they are.
    others: Vec<TokenId>,
    /// By state: the tokens that may come in the same piece, and those that may begin one.
    rows: FxHashMap<StateId, [Box<[u32]>; 2]>,
}

impl Columns {
    /// For the tokens of a vocabulary that are ever written.
    pub fn new(splits: &Splits, boundaries: &Boundaries) -> Self {
        let (alphabet, wholes) = (&boundaries.program().alphabet, boundaries.wholes());
        let mut by_seen: FxHashMap<Seen, Vec<TokenId>> = FxHashMap::default();
        let (mut continuing, mut others) = (Vec::new(), Vec::new());
        let is_written = |token: &TokenId| splits.is_self_canonical(*token) || wholes.is_whole(*token);
        for token in (0..splits.len() as TokenId).filter(is_written) {
            if wholes.is_label(token) || wholes.is_whole(token) {
                others.push(token);
                continue;
            }
            match characters(splits.spelled(token)) {
                Some((text, rest)) => {
                    let minterms = text.chars().map(|c| alphabet.minterm(c)).collect();
                    by_seen.entry((minterms, SmallVec::from_slice(rest))).or_default().push(token);
                }
                None => continuing.push(token),
            }
        }
        let (mut tokens, mut ranges) = (Vec::new(), Vec::new());
        for column in by_seen.into_values() {
            ranges.push(tokens.len()..tokens.len() + column.len());
            tokens.extend(column);
        }
        Self { tokens, ranges, continuing, others, rows: FxHashMap::default() }
    }

    /// Forgets what was found of states, whose numbers are no longer theirs.
    pub fn forget(&mut self) {
        self.rows.clear();
    }

    /// The tokens that may come in the same piece, and those that may begin one: rows of a bit for each token.
    pub fn rows(&mut self, splits: &Splits, boundaries: &mut Boundaries, state: StateId) -> &[Box<[u32]>; 2] {
        if !self.rows.contains_key(&state) {
            if self.rows.len() >= MOST_ROWS {
                self.rows.clear();
            }
            let found =
                [Follows::InPiece, Follows::AtBoundary].map(|follows| self.row(splits, boundaries, state, follows));
            self.rows.insert(state, found);
        }
        &self.rows[&state]
    }

    fn row(&self, splits: &Splits, boundaries: &mut Boundaries, state: StateId, follows: Follows) -> Box<[u32]> {
        let mut row = vec![0_u32; splits.len().div_ceil(32)];
        let mut add =
            |tokens: &[TokenId]| tokens.iter().for_each(|&token| row[token as usize / 32] |= 1 << (token % 32));
        let ranges = if boundaries.is_between_characters(state) { &self.ranges[..] } else { &[] };
        let mut leads = |token: TokenId| boundaries.after(state, token, splits.spelled(token), follows) != DEAD;
        for range in ranges {
            let tokens = &self.tokens[range.clone()];
            if leads(tokens[0]) {
                add(tokens);
            }
        }
        for &token in self.continuing.iter().chain(&self.others) {
            if leads(token) {
                add(&[token]);
            }
        }
        row.into()
    }
}
