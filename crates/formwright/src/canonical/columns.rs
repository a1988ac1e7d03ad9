//! Tokens that do the same to every state between pieces, taken together.
//!
//! ```text
//! "cat", "dog", "the": three lower-case letters each, one column        " a1": space, letter, digit, another one
//! ```
//!
//! A pattern sees the kinds of characters, not the characters. So which tokens may come next, as far as pieces go, is found
//! for each column, once for each state: half a millisecond, and later a copy.
//!
//! Cost: a number for each token, and two rows of bits for each state that is met between characters. Wrinkle: after a token
//! that ends inside a character few tokens can come, so these are tried one by one.

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::boundaries::{Boundaries, DEAD, Follows, StateId, characters};
use super::program::{Kind, Program};
use super::splits::{Splits, TokenId};

/// What the pattern sees of a token: the kinds of its characters, and the bytes of the last one if it is not complete.
type Seen = (SmallVec<[Kind; 16]>, SmallVec<[u8; 4]>);

/// The columns of a vocabulary.
#[derive(Debug)]
pub struct Columns {
    /// Tokens by column, one column after the other.
    tokens: Vec<TokenId>,
    ranges: Vec<Range<usize>>,
    /// Tokens that begin inside a character.
    continuing: Vec<TokenId>,
    /// By state: the tokens that may come in the same piece, and those that may begin one.
    rows: FxHashMap<StateId, [Box<[u32]>; 2]>,
}

impl Columns {
    /// For the self-canonical tokens of a vocabulary.
    pub fn new(splits: &Splits, program: &Program) -> Self {
        let mut by_seen: FxHashMap<Seen, Vec<TokenId>> = FxHashMap::default();
        let mut continuing = Vec::new();
        for token in (0..splits.len() as TokenId).filter(|&token| splits.is_self_canonical(token)) {
            match characters(splits.spelled(token)) {
                Some((text, rest)) => {
                    let kinds = text.chars().map(|c| program.alphabet.kind(c)).collect();
                    by_seen.entry((kinds, SmallVec::from_slice(rest))).or_default().push(token);
                }
                None => continuing.push(token),
            }
        }
        let (mut tokens, mut ranges) = (Vec::new(), Vec::new());
        for column in by_seen.into_values() {
            ranges.push(tokens.len()..tokens.len() + column.len());
            tokens.extend(column);
        }
        Self { tokens, ranges, continuing, rows: FxHashMap::default() }
    }

    /// The tokens that may come in the same piece, and those that may begin one: rows of a bit for each token.
    pub fn rows(&mut self, splits: &Splits, boundaries: &mut Boundaries, state: StateId) -> &[Box<[u32]>; 2] {
        if !self.rows.contains_key(&state) {
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
        if boundaries.is_between_characters(state) {
            for range in &self.ranges {
                let tokens = &self.tokens[range.clone()];
                if boundaries.after(state, splits.spelled(tokens[0]), follows) != DEAD {
                    add(tokens);
                }
            }
        } else {
            for &token in &self.continuing {
                if boundaries.after(state, splits.spelled(token), follows) != DEAD {
                    add(&[token]);
                }
            }
        }
        row.into()
    }
}
