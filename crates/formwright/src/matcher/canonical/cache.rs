//! The matcher cache: what was found for one text and may serve its forks, and the next text.
//!
//! ```text
//! masks       stacks, entries, terminal masks, budgets
//! canonical   what is allowed where only canonical tokens are
//! ```
//!
//! A matcher and its forks share one matcher cache; when the last fork ends, the constraint keeps the cache for the
//! next text (see `pool`), which then finds most of its entries here.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::MOST_BYTES;
use super::entry::{CanonicalEntry, Decided};
use super::finish::Finish;
use super::form::Form;
use super::graph::Graph;
use super::junctions::Rest;
use super::search::Fates;
use crate::canonical::{Place, SharedPieces, StateId};
use crate::matcher::machine::Configuration;
use crate::matcher::masks::MaskCache;

/// Entries that are kept; eight times as many searches.
const MOST_KNOWN: usize = 1 << 14;

/// Bytes of the largest cache that is kept.
const WORTH_KEEPING: usize = 16 << 20;
/// The same where searches for canonical tokens fill it, or the stacks of a grammar.
const WORTH_KEEPING_MORE: usize = 32 << 20;

/// What a matcher and its forks have found.
#[derive(Debug, Default)]
pub struct MatcherCache {
    pub masks: MaskCache,
    /// Where texts begin, once one has begun.
    pub beginning: Vec<Configuration>,
    pub canonical: CanonicalCache,
}

impl MatcherCache {
    /// Whether it is kept for the next text: it is not large.
    pub fn is_worth_keeping(&self) -> bool {
        let may_take_more = self.canonical.bytes() > 0 || self.masks.fragments.is_some();
        self.bytes() <= if may_take_more { WORTH_KEEPING_MORE } else { WORTH_KEEPING }
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.masks.bytes() + self.canonical.bytes()
    }

    /// Bytes of memory held, roughly, if there is nothing about canonical tokens.
    pub fn plain_bytes(&self) -> usize {
        if self.canonical.bytes() > 0 { 0 } else { self.masks.bytes() }
    }
}

/// What was found about canonical tokens for one text and its forks, and the next one.
#[derive(Debug, Default)]
pub struct CanonicalCache {
    /// The numbers of states are of these.
    pieces: Option<SharedPieces>,
    pub entries: FxHashMap<(Configuration, StateId), Arc<CanonicalEntry>>,
    /// What is known of tokens where the rest of an entry depends on the text.
    decided: FxHashMap<(Configuration, StateId), Decided>,
    bytes: usize,
    pub known: FxHashMap<(<Graph<'static> as Form>::Key, Place), Rest>,
    pub fates: Fates<<Graph<'static> as Form>::Key>,
    pub finish: Finish,
}

impl CanonicalCache {
    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes + (self.known.len() + self.fates.len()) * 100 + self.finish.bytes()
    }

    /// Makes ready for a text with these pieces.
    pub fn begin(&mut self, pieces: Option<&SharedPieces>) {
        let are_same = match (&self.pieces, pieces) {
            (Some(own), Some(pieces)) => Arc::ptr_eq(own, pieces),
            (own, pieces) => own.is_none() && pieces.is_none(),
        };
        if !are_same {
            *self = Self { pieces: pieces.map(Arc::clone), ..Self::default() };
        }
    }

    /// Keeps what a configuration allows in a state between pieces.
    pub fn insert(&mut self, key: (Configuration, StateId), entry: &Arc<CanonicalEntry>) {
        self.bytes += 40 + if Arc::strong_count(entry) == 1 { entry.bytes() } else { 0 };
        self.entries.insert(key, Arc::clone(entry));
    }

    /// Takes what is known of tokens, whatever names and items a text used.
    pub fn take_decided(&mut self, key: (Configuration, StateId)) -> Decided {
        let decided = self.decided.remove(&key).unwrap_or_default();
        self.bytes -= decided_bytes(&decided);
        decided
    }

    /// Keeps it.
    pub fn keep_decided(&mut self, key: (Configuration, StateId), decided: Decided) {
        if !decided.is_empty() {
            self.bytes += decided_bytes(&decided);
            self.decided.insert(key, decided);
        }
    }

    /// Forgets what takes more room than is allowed.
    pub fn make_room(&mut self) {
        if self.entries.len() > MOST_KNOWN || self.bytes > MOST_BYTES {
            self.entries.clear();
            self.decided.clear();
            self.bytes = 0;
        }
        if self.known.len() + self.fates.len() > MOST_KNOWN * 8 {
            self.known.clear();
            self.fates.clear();
        }
        self.finish.make_room();
    }
}

/// Bytes of memory held.
fn decided_bytes(decided: &Decided) -> usize {
    if decided.is_empty() { 0 } else { decided.capacity() * 10 + 100 }
}
