//! A plain mask: what a matcher allows, whoever writes the tokens, and how it is written as a row of bits.
//!
//! ```text
//! inside a string     bit map of its terminal  ->  copy     `",`  `"}`  ->  a bit each     end of text  ->  no bit
//! ```
//!
//! A [`PlainMask`] is what a matcher found: the entries of its configurations, which share bit maps, and short lists.
//! Finding is separate from writing, so that no lock need be held while words are moved, and nothing is written if one
//! of many masks cannot be found. A mask that is one cached entry is written from the cache, without a count of its
//! references (see `lookup`).
//!
//! Cost: a copy of the first bit map (16 KiB for 131k tokens, 0.2 us), an OR for any other, a bit for each listed
//! token.
//!
//! A token that is banned in one bit map may be allowed by another bit map, so bans are cleared map by map.

use std::borrow::Borrow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::entry::Bans;
use super::{Entry, Row};
use crate::language::CompiledGraph;
use crate::matcher::machine::{Configuration, Stacks};
use crate::terminals::TokenSet;
use crate::vocabulary::{TokenId, Vocabulary};

/// The tokens that may come next.
#[derive(Clone, Debug, Default)]
pub struct PlainMask {
    pub entries: SmallVec<[Arc<Entry>; 4]>,
    /// Unresolved and name-completing tokens of the entries that turned out to be allowed.
    pub resolved: Vec<TokenId>,
    /// Whether the text may end.
    pub ends: bool,
}

impl PlainMask {
    /// Adds the tokens of an entry that complete names which are not used yet.
    pub(super) fn add_name_completing(
        &mut self,
        graph: &CompiledGraph,
        stacks: &mut Stacks,
        configuration: Configuration,
        entry: &Entry,
    ) {
        if let Some(tokens) = &entry.name_completing {
            tokens.add_unused(graph, stacks, configuration, &mut self.resolved);
        }
    }

    /// Whether no token is allowed.
    pub fn is_empty(&self) -> bool {
        !self.ends && self.resolved.is_empty() && !self.entries.iter().any(|entry| entry.allows)
    }

    /// Overwrites a row of `mask_words` words.
    pub fn write<R: Row + ?Sized>(&self, vocabulary: &Vocabulary, row: &R) {
        write(&self.entries, &self.resolved, self.ends, vocabulary, row);
    }
}

/// Overwrites a row with what some entries allow, further tokens, and the end of the text. Bit maps are written first:
/// the first bit map is then a copy.
pub(super) fn write<R: Row + ?Sized>(
    entries: &[impl Borrow<Entry>],
    resolved: &[TokenId],
    ends: bool,
    vocabulary: &Vocabulary,
    row: &R,
) {
    let mut fresh = true; // whether the row still has its old words
    for (set, bans) in entries.iter().flat_map(|entry| sets(entry.borrow())) {
        if let TokenSet::Map(words) = set {
            add_map(row, words, bans, fresh);
            fresh = false;
        }
    }
    if fresh {
        row.fill(0);
    }
    for entry in entries.iter().map(Borrow::borrow) {
        for (tokens, bans) in sets(entry) {
            if let TokenSet::List(tokens) = tokens {
                set(row, tokens.iter().filter(|&&token| !bans.has(token)));
            }
        }
        set(row, &entry.tokens);
    }
    set(row, resolved);
    if ends {
        set(row, vocabulary.eos());
    }
}

/// The sets of tokens of an entry, with their bans.
fn sets(entry: &Entry) -> impl Iterator<Item = (&TokenSet, &Bans)> {
    let maps = entry.maps.iter().map(|(map, bans)| (&map.independent, bans));
    maps.chain(entry.sets.iter().map(|(set, bans)| (&**set, bans)))
}

/// Adds a bit map without its bans; what was set before stays.
fn add_map<R: Row + ?Sized>(row: &R, words: &[u32], bans: &[TokenId], fresh: bool) {
    if fresh {
        row.copy(words);
        clear(row, bans);
        return;
    }
    let kept: Vec<TokenId> = bans.iter().filter(|&&token| is_set(row, token)).copied().collect();
    row.unite(words);
    clear(row, bans);
    set(row, &kept);
}

/// Whether a token is in a row.
fn is_set<R: Row + ?Sized>(row: &R, token: TokenId) -> bool {
    row.get(token as usize / 32) >> (token % 32) & 1 == 1
}

/// Adds tokens to a row.
pub fn set<'t, R: Row + ?Sized>(row: &R, tokens: impl IntoIterator<Item = &'t TokenId>) {
    for &token in tokens {
        let at = token as usize / 32;
        row.set(at, row.get(at) | 1 << (token % 32));
    }
}

fn clear<R: Row + ?Sized>(row: &R, tokens: &[TokenId]) {
    for &token in tokens {
        let at = token as usize / 32;
        row.set(at, row.get(at) & !(1 << (token % 32)));
    }
}
