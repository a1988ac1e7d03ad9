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

use super::{Entry, Fragments, TerminalCache};
use crate::matcher::budget::BudgetCache;
use crate::matcher::keys::EntryKey;
use crate::matcher::machine::{Configuration, Position, Stacks};
use crate::vocabulary::TokenId;

/// A new cache has room for this many entries.
const ENTRIES: usize = 28;

/// Stacks, entries and scratch space of a matcher and its forks.
#[derive(Debug, Default)]
pub struct MaskCache {
    pub stacks: Stacks,
    entries: FxHashMap<EntryKey, Arc<Entry>>,
    /// By several configurations: what they allow together.
    lists: FxHashMap<Box<[Configuration]>, Arc<Entry>>,
    entry_bytes: usize,
    /// Of a grammar: what its parts allow by themselves, shared by all texts.
    pub fragments: Option<Arc<Fragments>>,
    /// How often they had been dropped when the last of their entries was added here.
    times_cleared: usize,
    /// How many of these were made for the mask at hand.
    pub made_fragments: usize,
    /// By frame of a grammar: what it goes on with.
    begins: FxHashMap<Position, Arc<[Configuration]>>,
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

    /// What several configurations allow together, if that is known.
    pub fn entry_of_list(&self, configurations: &[Configuration]) -> Option<&Arc<Entry>> {
        self.lists.get(configurations)
    }

    /// Keeps what several configurations allow together, an entry whose bytes its fragments count.
    pub fn insert_list(&mut self, configurations: &[Configuration], entry: Arc<Entry>, limit: usize) {
        self.make_room_for_reference(size_of_val(configurations) + 32, limit);
        self.lists.insert(configurations.into(), entry);
    }

    /// Adds an entry; drops all others first if they take more than `limit` bytes with it.
    pub fn insert(&mut self, key: EntryKey, entry: Entry, limit: usize) -> &Arc<Entry> {
        self.make_room(entry.bytes(), limit);
        self.insert_shared(key, Arc::new(entry))
    }

    /// The same for an entry whose bytes its fragments count.
    pub fn insert_assembled(&mut self, key: EntryKey, entry: Arc<Entry>, limit: usize) -> &Arc<Entry> {
        self.make_room_for_reference(size_of::<EntryKey>() + 16, limit);
        self.insert_shared(key, entry)
    }

    fn insert_shared(&mut self, key: EntryKey, entry: Arc<Entry>) -> &Arc<Entry> {
        if self.entries.is_empty() {
            self.entries.reserve(ENTRIES);
        }
        self.entries.entry(key).or_insert(entry)
    }

    /// What a frame goes on with, if that is known.
    pub fn begins(&self, frame: &Position) -> Option<&Arc<[Configuration]>> {
        self.begins.get(frame)
    }

    /// Keeps what a frame goes on with.
    pub fn insert_begins(&mut self, frame: Position, begins: Arc<[Configuration]>, limit: usize) {
        self.make_room(size_of_val(&*begins) + 64, limit);
        self.begins.insert(frame, begins);
    }

    /// Counts the bytes of what is added; drops all else first if that takes more than `limit` bytes with it.
    fn make_room(&mut self, bytes: usize, limit: usize) {
        if self.entry_bytes + self.terminals.bytes() + bytes > limit {
            self.clear();
        }
        self.entry_bytes += bytes;
    }

    /// The same for a reference to an entry of the fragments. If these have dropped theirs, nobody counts the bytes of
    /// those that are referred to here: all are dropped here, too.
    fn make_room_for_reference(&mut self, bytes: usize, limit: usize) {
        let times_cleared = self.fragments.as_ref().map_or(0, |fragments| fragments.times_cleared());
        if std::mem::replace(&mut self.times_cleared, times_cleared) != times_cleared {
            self.clear();
        }
        self.make_room(bytes, limit);
    }

    /// Drops all but the stacks.
    fn clear(&mut self) {
        self.entries.clear();
        self.lists.clear();
        self.begins.clear();
        self.terminals.clear();
        self.entry_bytes = 0;
    }

    /// Bytes of memory held, scratch space not counted.
    pub fn bytes(&self) -> usize {
        self.stacks.bytes() + self.entry_bytes + self.terminals.bytes() + self.budgets.bytes()
    }
}
