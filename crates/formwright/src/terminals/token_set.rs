//! Few tokens as a list, many as a bit map.
//!
//! ```text
//! inside a date      10 digits: a list, each token is a bit to set
//! inside a string    130k tokens: a bit map, copied as a whole
//! ```
//!
//! Cost: 4 bytes for each token of a list; 16 KiB for a bit map of 131k tokens. If most tokens are in a set,
//! it is made from the set of all tokens by clearing the others.

use std::ops::Range;

use super::Bitmap;
use crate::vocabulary::{TokenId, Vocabulary};

/// Sets with more tokens than this are bit maps, others lists.
pub const LIST: usize = 384;

/// Tokens as a list or a bit map.
#[derive(Debug)]
pub enum TokenSet {
    /// Few tokens.
    List(Vec<TokenId>),
    /// Many tokens.
    Map(Bitmap),
}

impl TokenSet {
    /// The tokens.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        let (list, map) = match self {
            Self::List(tokens) => (&tokens[..], &[][..]),
            Self::Map(words) => (&[][..], &words[..]),
        };
        let bits = |(&word, index): (&u32, u32)| {
            (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 32 + bit)
        };
        list.iter().copied().chain(map.iter().zip(0..).flat_map(bits))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        match self {
            Self::List(tokens) => tokens.len() * 4,
            Self::Map(words) => words.len() * 4,
        }
    }

    /// Whether any token is left if some are taken out; `than` are these, ascending.
    pub fn has_others(&self, than: &[TokenId]) -> bool {
        match self {
            Self::List(tokens) => tokens.iter().any(|token| than.binary_search(token).is_err()),
            Self::Map(words) => {
                let taken = than.iter().filter(|&&token| words[token as usize / 32] >> (token % 32) & 1 == 1).count();
                let mut met = 0;
                words.iter().any(|word| {
                    met += word.count_ones() as usize;
                    met > taken
                })
            }
        }
    }
}

/// Tokens being collected: a list that becomes a bit map when it grows long.
#[derive(Debug)]
pub struct Collector {
    list: Vec<TokenId>,
    map: Option<Bitmap>,
    words: usize,
}

impl Collector {
    pub fn new(words: usize) -> Self {
        Self { list: Vec::new(), map: None, words }
    }

    #[inline]
    pub fn push(&mut self, token: TokenId) {
        match &mut self.map {
            Some(map) => map.insert(token),
            None if self.list.len() < LIST => self.list.push(token),
            None => self.map = Some(Bitmap::of(self.list.drain(..).chain([token]), self.words)),
        }
    }

    /// The set, together with some ranges of the list of tokens by shape. If the ranges are most of that list, it is
    /// quicker to clear the tokens outside of them.
    pub fn finish(mut self, vocabulary: &Vocabulary, ranges: &[Range<usize>]) -> TokenSet {
        let tokens = vocabulary.shapes().tokens();
        let taken: usize = ranges.iter().map(Range::len).sum();
        if self.map.is_none() && self.list.len() + taken <= LIST {
            self.list.extend(ranges.iter().flat_map(|range| &tokens[range.clone()]));
            return TokenSet::List(self.list);
        }
        let mut map = self.map.unwrap_or_else(|| Bitmap::of(self.list, self.words));
        if taken <= tokens.len() / 2 {
            map.extend(ranges.iter().flat_map(|range| tokens[range.clone()].iter().copied()));
            return TokenSet::Map(map);
        }
        let ends = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
        let starts = ranges.iter().map(|range| range.start).chain([tokens.len()]);
        let mut others = vec![u32::MAX; self.words];
        for &token in ends.zip(starts).flat_map(|(end, start)| &tokens[end..start]) {
            others[token as usize / 32] &= !(1 << (token % 32));
        }
        for ((word, spelled), others) in map.iter_mut().zip(vocabulary.spelled()).zip(others) {
            *word |= spelled & others;
        }
        TokenSet::Map(map)
    }
}
