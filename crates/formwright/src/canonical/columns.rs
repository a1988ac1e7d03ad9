//! Tokens that do the same to every state between pieces, taken together.
//!
//! ```text
//! "cat", "dog", "the": three lower-case letters each, one column        " a1": space, letter, digit, another one
//! ```
//!
//! A pattern sees the minterms of characters, not the characters. So where tokens lead, as far as pieces go, is found for
//! each column, once for each state: a walk over the tree of their minterms, and later a lookup.
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
    /// The bytes that the tokens of each of these end with, a bit each.
    pub last: Vec<[u64; 4]>,
    /// Tokens that begin or end inside a character, and those of which it matters which they are.
    pub single: Vec<(Ends, TokenId)>,
    /// The bytes that tokens which may come begin with, a bit each.
    pub first: [u64; 4],
}

impl Moves {
    /// For so many tokens, none of which may come.
    pub fn new(tokens: usize) -> Self {
        let row = || vec![0; tokens.div_ceil(32)].into();
        Self { rows: [row(), row()], whole: Vec::new(), last: Vec::new(), single: Vec::new(), first: [0; 4] }
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

    /// Where tokens lead where a text is one piece: neighbours decide, and characters that are not tokens.
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
        moves.first = first_bytes(splits, &whole);
        for &(_, token) in &moves.single {
            unite(&mut moves.first, first_bytes(splits, &[token]));
        }
        moves.last.push(last_bytes(splits, &whole));
        moves.whole.push(([DEAD, START], whole));
        moves
    }
}

/// Tokens of which the pattern sees the same.
#[derive(Debug)]
struct Column {
    /// How many of its minterms are those of the column before it.
    shared: usize,
    /// The other minterms, in [`Columns::minterms`].
    minterms: Range<usize>,
    /// The bytes of a character that is not complete.
    rest: SmallVec<[u8; 4]>,
    /// The bytes that its tokens begin with, a bit each.
    first: [u64; 4],
    /// In [`Columns::tokens`].
    tokens: Range<usize>,
}

/// The columns of a vocabulary.
#[derive(Debug)]
pub struct Columns {
    /// Sorted by their minterms: a walk over a tree.
    all: Vec<Column>,
    minterms: Vec<Minterm>,
    tokens: Vec<TokenId>,
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
        let mut columns = Self {
            all: Vec::new(),
            minterms: Vec::new(),
            tokens: Vec::new(),
            continuing,
            others,
            moves: FxHashMap::default(),
        };
        let mut by_seen: Vec<(Seen, Vec<TokenId>)> = by_seen.into_iter().collect();
        by_seen.sort_unstable();
        let mut before: &[Minterm] = &[];
        for ((minterms, rest), tokens) in &by_seen {
            columns.add(splits, before, (minterms, rest), tokens);
            before = minterms;
        }
        columns
    }

    fn add(&mut self, splits: &Splits, before: &[Minterm], (minterms, rest): (&[Minterm], &[u8]), tokens: &[TokenId]) {
        let shared = before.iter().zip(minterms).take_while(|(before, minterm)| before == minterm).count();
        let starts = (self.minterms.len(), self.tokens.len());
        self.minterms.extend(&minterms[shared..]);
        self.tokens.extend(tokens);
        self.all.push(Column {
            shared,
            minterms: starts.0..self.minterms.len(),
            rest: SmallVec::from_slice(rest),
            first: first_bytes(splits, tokens),
            tokens: starts.1..self.tokens.len(),
        });
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
        let mut moves = Moves::new(splits.len());
        if boundaries.is_between_characters(state) {
            self.find_of_columns(boundaries, state, &mut moves);
        }
        moves.last = moves.whole.iter().map(|(_, tokens)| last_bytes(splits, tokens)).collect();
        for &token in self.continuing.iter().chain(&self.others) {
            let spelled = splits.spelled(token);
            let ends = FOLLOWS.map(|follows| boundaries.after(state, token, spelled, follows));
            moves.add_single(ends, token);
            if ends != [DEAD; 2] {
                unite(&mut moves.first, first_bytes(splits, &[token]));
            }
        }
        moves
    }

    /// Where the tokens of all columns lead from a state between characters.
    fn find_of_columns(&self, boundaries: &mut Boundaries, state: StateId, moves: &mut Moves) {
        let mut whole: FxHashMap<Ends, Vec<TokenId>> = FxHashMap::default();
        let mut path = vec![FOLLOWS.map(|follows| boundaries.start_of_any(state, follows))];
        for column in &self.all {
            path.truncate(column.shared + 1);
            for &minterm in &self.minterms[column.minterms.clone()] {
                path.push(path[path.len() - 1].map(|inner| boundaries.step(inner, minterm)));
            }
            let ends = path[path.len() - 1].map(|inner| boundaries.end_inside(inner, &column.rest));
            if ends == [DEAD; 2] {
                continue;
            }
            let tokens = &self.tokens[column.tokens.clone()];
            moves.add(ends, tokens);
            unite(&mut moves.first, column.first);
            if ends.iter().all(|&end| boundaries.is_between_characters(end)) {
                whole.entry(ends).or_default().extend(tokens);
            } else {
                moves.single.extend(tokens.iter().map(|&token| (ends, token)));
            }
        }
        moves.whole = whole.into_iter().collect();
    }
}

/// If a token begins a piece, and if it may also continue one: as in [`Ends`].
const FOLLOWS: [Follows; 2] = [Follows::AtBoundary, Follows::InPiece];

/// The bytes that tokens begin with, a bit each.
fn first_bytes(splits: &Splits, tokens: &[TokenId]) -> [u64; 4] {
    bytes_of(tokens.iter().filter_map(|&token| splits.spelled(token).first()))
}

/// The bytes that tokens end with, a bit each.
fn last_bytes(splits: &Splits, tokens: &[TokenId]) -> [u64; 4] {
    bytes_of(tokens.iter().filter_map(|&token| splits.spelled(token).last()))
}

fn bytes_of<'b>(all: impl Iterator<Item = &'b u8>) -> [u64; 4] {
    let mut bytes = [0; 4];
    for &byte in all {
        bytes[usize::from(byte) / 64] |= 1 << (byte % 64);
    }
    bytes
}

fn unite(bytes: &mut [u64; 4], others: [u64; 4]) {
    bytes.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
}
