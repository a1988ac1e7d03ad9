//! From what is allowed to a row of a mask.
//!
//! A [`Mask`] is what a matcher found: entries with shared bit maps, and short
//! lists. Finding is separate from writing, so that a host can find many masks
//! without its interpreter lock and write each one once, into its own memory.
//!
//! Cost: a copy of the first bit map (16 KiB for 131k tokens, 0.2 us), an OR for
//! any other, a bit for each listed token.

use std::cell::Cell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::mask::Entry;
use crate::leaf::Body;
use crate::vocabulary::{TokenId, Vocabulary};

/// A word of a row: 32 tokens. Hosts keep them signed or unsigned.
pub trait Word: Copy {
    /// The word with these bits.
    fn of(bits: u32) -> Self;
    /// Its bits.
    fn bits(self) -> u32;
}

impl Word for u32 {
    fn of(bits: u32) -> Self {
        bits
    }
    fn bits(self) -> u32 {
        self
    }
}

impl Word for i32 {
    fn of(bits: u32) -> Self {
        bits.cast_signed()
    }
    fn bits(self) -> u32 {
        self.cast_unsigned()
    }
}

/// The tokens that may come next.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    pub(super) entries: SmallVec<[Arc<Entry>; 4]>,
    /// Doubtful tokens of the entries that turned out to be allowed.
    pub(super) decided: Vec<TokenId>,
    /// Whether the text may end.
    pub(super) ends: bool,
}

impl Mask {
    /// Whether no token is allowed.
    pub(super) fn is_empty(&self) -> bool {
        !self.ends && self.decided.is_empty() && !self.entries.iter().any(|entry| entry.allows)
    }

    /// Overwrites a row of `mask_words` words. Bit maps come first, so that the first one is a copy.
    pub fn write<W: Word>(&self, vocabulary: &Vocabulary, row: &[Cell<W>]) {
        let mut fresh = true;
        for (map, bans) in self.entries.iter().flat_map(|entry| &entry.maps) {
            if let Body::Map(words) = &map.body {
                add_map(row, words, bans, fresh);
                fresh = false;
            }
        }
        if fresh {
            for cell in row {
                cell.set(W::of(0));
            }
        }
        for entry in &self.entries {
            for (map, bans) in &entry.maps {
                if let Body::List(tokens) = &map.body {
                    set(row, tokens.iter().filter(|token| bans.binary_search(token).is_err()));
                }
            }
            set(row, &entry.tokens);
        }
        set(row, &self.decided);
        if self.ends {
            set(row, vocabulary.eos());
        }
    }
}

/// Adds a bit map without its bans; what was set before stays.
fn add_map<W: Word>(row: &[Cell<W>], words: &[u32], bans: &[TokenId], fresh: bool) {
    if fresh {
        row.iter().zip(words).for_each(|(cell, &word)| cell.set(W::of(word)));
        clear(row, bans);
        return;
    }
    let kept: Vec<TokenId> = bans.iter().filter(|&&token| is_set(row, token)).copied().collect();
    row.iter().zip(words).for_each(|(cell, &word)| cell.set(W::of(cell.get().bits() | word)));
    clear(row, bans);
    set(row, &kept);
}

fn is_set<W: Word>(row: &[Cell<W>], token: TokenId) -> bool {
    row[token as usize / 32].get().bits() >> (token % 32) & 1 == 1
}

fn set<'t, W: Word>(row: &[Cell<W>], tokens: impl IntoIterator<Item = &'t TokenId>) {
    for &token in tokens {
        let cell = &row[token as usize / 32];
        cell.set(W::of(cell.get().bits() | 1 << (token % 32)));
    }
}

fn clear<W: Word>(row: &[Cell<W>], tokens: &[TokenId]) {
    for &token in tokens {
        let cell = &row[token as usize / 32];
        cell.set(W::of(cell.get().bits() & !(1 << (token % 32))));
    }
}
