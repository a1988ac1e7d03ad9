//! The cache of masks: what was computed for one mask and may serve the next mask.
//!
//! ```text
//! stacks      the stack nodes that configurations refer to
//! entries     by key (see `equivalence`): the tokens that a configuration with that key allows
//! terminals   terminal masks asked for lately, and results of walks over context-dependent tokens
//! budgets     tokens that texts still need
//! ```
//!
//! Cost: bounded by `matcher_cache_bytes`. When that bound is reached, all entries are dropped at once, not
//! only the oldest; the stacks stay, as configurations of running matchers refer to them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::fragments::{Fragment, FragmentKey};
use super::{Entry, TerminalCache};
use crate::matcher::budget::BudgetCache;
use crate::matcher::keys::EntryKey;
use crate::matcher::machine::{Configuration, Stacks};
use crate::vocabulary::TokenId;

/// A new cache has room for this many entries.
const ENTRIES: usize = 28;

/// Stacks, entries and scratch space of a matcher and its forks.
#[derive(Debug, Default)]
pub struct MaskCache {
    pub stacks: Stacks,
    entries: FxHashMap<EntryKey, Arc<Entry>>,
    /// By place and position: what one frame alone allows there.
    fragments: FxHashMap<FragmentKey, Arc<Fragment>>,
    entry_bytes: usize,
    pub terminals: TerminalCache,
    pub budgets: BudgetCache,
    /// Scratch space of steps and walks.
    pub buffer: Vec<Configuration>,
    pub next: Vec<Configuration>,
    pub tokens: Vec<TokenId>,
    pub path: Vec<u8>,
}

impl MaskCache {
    /// The entry of a key, if there is one.
    #[inline]
    pub fn entry(&self, key: &EntryKey) -> Option<&Arc<Entry>> {
        self.entries.get(key)
    }

    /// Whether there is an entry of a key.
    pub fn has_entry(&self, key: &EntryKey) -> bool {
        self.entries.contains_key(key)
    }

    /// The entry of a key that has one.
    pub fn existing_entry(&self, key: &EntryKey) -> &Arc<Entry> {
        &self.entries[key]
    }

    /// What one frame alone allows in a place, if that is known.
    pub fn fragment(&self, key: &FragmentKey) -> Option<&Arc<Fragment>> {
        self.fragments.get(key)
    }

    /// Keeps what one frame alone allows in a place.
    pub fn insert_fragment(&mut self, key: FragmentKey, fragment: Arc<Fragment>) {
        self.entry_bytes += fragment.bytes();
        self.fragments.insert(key, fragment);
    }

    /// Adds an entry; drops all others first if they take more than `limit` bytes with it.
    pub fn insert(&mut self, key: EntryKey, entry: Entry, limit: usize) -> &Arc<Entry> {
        let bytes = entry.bytes();
        if self.entry_bytes + self.terminals.bytes() + bytes > limit {
            self.entries.clear();
            self.fragments.clear();
            self.terminals.clear();
            self.entry_bytes = 0;
        }
        if self.entries.is_empty() {
            self.entries.reserve(ENTRIES);
        }
        self.entry_bytes += bytes;
        self.entries.entry(key).or_insert_with(|| Arc::new(entry))
    }

    /// Bytes of memory held, scratch space not counted.
    pub fn bytes(&self) -> usize {
        self.stacks.bytes() + self.entry_bytes + self.terminals.bytes() + self.budgets.bytes()
    }
}
