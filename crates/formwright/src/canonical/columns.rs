//! Tokens that do the same to every state between pieces, taken together.
//!
//! ```text
//! "cat", "dog", "the": three lower-case letters each, one column        " a1": space, letter, digit, another one
//! ```
//!
//! A pattern sees the minterms of characters, not the characters. So where tokens lead, as far as pieces go, is found for
//! each column, once for each state: some milliseconds, and later a lookup.
//!
//! Cost: a number for each token, and for each state that is met two rows of bits and the tokens once more. Wrinkle:
//! tokens that begin inside a character are tried one by one, and so are those of which it matters which they are
//! ([`super::wholes`]).

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::boundaries::{Boundaries, DEAD, Follows, START, StateId, characters};
use super::program::Minterm;
use super::splits::{Splits, TokenId};

/// What the pattern sees of a token: the minterms of its characters, and the bytes of the last one if it is not complete.
type Seen = (SmallVec<[Minterm; 16]>, SmallVec<[u8; 4]>);

/// States of which moves are kept: they take 0.6 MB for 131,072 tokens.
const MOST_MOVES: usize = 64;

/// The states that a token leads to: if it begins a piece, and if it may also continue one. [`DEAD`] where it cannot come.
pub type Ends = [StateId; 2];

/// Where all tokens lead from a state.
#[derive(Clone, Debug)]
pub struct Moves {
    /// A bit for each token that may begin a piece, and for each that may begin or continue one.
    pub rows: [Box<[u32]>; 2],
    /// Tokens of whole characters, by where they lead.
    pub whole: Vec<(Ends, Vec<TokenId>)>,
    /// Tokens that begin or end inside a character, and those of which it matters which they are.
    pub single: Vec<(Ends, TokenId)>,
    /// The bytes that tokens which may come begin with, a bit each.
    pub first: [u64; 4],
}

impl Moves {
    /// For so many tokens, none of which may come.
    pub fn new(tokens: usize) -> Self {
        let row = || vec![0; tokens.div_ceil(32)].into();
        Self { rows: [row(), row()], whole: Vec::new(), single: Vec::new(), first: [0; 4] }
    }

    /// Lets tokens come.
    fn add(&mut self, ends: Ends, tokens: &[TokenId]) {
        for (row, _) in self.rows.iter_mut().zip(ends).filter(|&(_, end)| end != DEAD) {
            for &token in tokens {
                row[token as usize / 32] |= 1 << (token % 32);
            }
        }
    }

    /// Lets a token come that stands for itself.
    pub fn add_single(&mut self, ends: Ends, token: TokenId) {
        if ends != [DEAD; 2] {
            self.add(ends, &[token]);
            self.single.push((ends, token));
        }
    }

    /// The same, with the bytes that tokens begin with.
    fn with_first(mut self, splits: &Splits) -> Self {
        let whole = self.whole.iter().flat_map(|(_, tokens)| tokens);
        for &token in whole.chain(self.single.iter().map(|(_, token)| token)) {
            if let Some(&first) = splits.spelled(token).first() {
                self.first[usize::from(first) / 64] |= 1 << (first % 64);
            }
        }
        self
    }

    /// Where tokens lead where a text is one piece: neighbours decide, and characters that are no tokens.
    pub fn in_text(splits: &Splits, after: impl Fn(TokenId) -> Option<StateId>) -> Self {
        let mut moves = Self::new(splits.len());
        let mut whole = Vec::new();
        for token in (0..splits.len() as TokenId).filter(|&token| splits.is_self_canonical(token)) {
            match after(token) {
                Some(START) if splits.fallback_byte(token).is_none() => whole.push(token),
                to => moves.add_single([DEAD, to.unwrap_or(DEAD)], token),
            }
        }
        moves.add([DEAD, START], &whole);
        moves.whole.push(([DEAD, START], whole));
        moves.with_first(splits)
    }
}

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
    moves: FxHashMap<StateId, Arc<Moves>>,
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
        Self { tokens, ranges, continuing, others, moves: FxHashMap::default() }
    }

    /// Tokens that begin inside a character.
    pub fn continuing(&self) -> &[TokenId] {
        &self.continuing
    }

    /// Where all tokens lead from a state.
    pub fn moves(&mut self, splits: &Splits, boundaries: &mut Boundaries, state: StateId) -> Arc<Moves> {
        if let Some(known) = self.moves.get(&state) {
            return Arc::clone(known);
        }
        if self.moves.len() >= MOST_MOVES {
            self.moves.clear();
        }
        let found = Arc::new(self.find(splits, boundaries, state));
        self.moves.insert(state, Arc::clone(&found));
        found
    }

    fn find(&self, splits: &Splits, boundaries: &mut Boundaries, state: StateId) -> Moves {
        let is_between = boundaries.is_between_characters(state);
        let mut moves = Moves::new(splits.len());
        let mut whole: FxHashMap<Ends, Vec<TokenId>> = FxHashMap::default();
        let mut ends = |token: TokenId| {
            let spelled = splits.spelled(token);
            let ends =
                [Follows::AtBoundary, Follows::InPiece].map(|follows| boundaries.after(state, token, spelled, follows));
            (ends, ends.iter().all(|&end| boundaries.is_between_characters(end)))
        };
        let ranges = if is_between { &self.ranges[..] } else { &[] };
        for range in ranges {
            let tokens = &self.tokens[range.clone()];
            let (ends, is_whole) = ends(tokens[0]);
            if ends == [DEAD; 2] {
                continue;
            }
            moves.add(ends, tokens);
            if is_whole {
                whole.entry(ends).or_default().extend(tokens);
            } else {
                moves.single.extend(tokens.iter().map(|&token| (ends, token)));
            }
        }
        for &token in self.continuing.iter().chain(&self.others) {
            moves.add_single(ends(token).0, token);
        }
        moves.whole = whole.into_iter().collect();
        moves.with_first(splits)
    }
}
