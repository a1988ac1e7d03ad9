//! What is worth keeping from one mask to the next.
//!
//! A [`Memory`] holds the arena the threads point into and the masks met so far.
//! A matcher and its forks share one; when the last of them ends, the constraint
//! keeps it for the next text, which then finds most of its masks known.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use rustc_hash::FxHashMap;

use super::arena::Arena;
use super::leaves::Leaves;
use super::mask::Entry;
use super::thread::Thread;
use crate::constraint::Constraint;
use crate::vocabulary::TokenId;

/// Memories a constraint keeps for later matchers.
const SPARE: usize = 32;

/// They wait in so many places, lest threads wait for each other.
const SHELVES: usize = 4;

/// A memory that grew larger than this is not kept.
const WORTH_KEEPING: usize = 1 << 20;

/// Masks that the memory of a new text has room for.
const ENTRIES: usize = 28;

/// The arena of a family of matchers, and the masks it knows.
#[derive(Debug, Default)]
pub struct Memory {
    pub arena: Arena,
    /// By place in its forgotten form, and the near form of what comes after.
    pub entries: FxHashMap<Thread, Arc<Entry>>,
    entry_bytes: usize,
    pub leaves: Leaves,
    /// Scratch space of steps and walks.
    pub buffer: Vec<Thread>,
    pub next: Vec<Thread>,
    pub tokens: Vec<TokenId>,
    pub path: Vec<u8>,
}

impl Memory {
    /// Remembers the mask of a thread; forgets all others first if they take more than `limit` bytes.
    pub fn remember(&mut self, thread: Thread, entry: Entry, limit: usize) -> &Arc<Entry> {
        let bytes = entry.bytes();
        if self.entry_bytes + self.leaves.bytes() + bytes > limit {
            self.entries.clear();
            self.leaves.clear();
            self.entry_bytes = 0;
        }
        if self.entries.is_empty() {
            self.entries.reserve(ENTRIES);
        }
        self.entry_bytes += bytes;
        self.entries.entry(thread).or_insert_with(|| Arc::new(entry))
    }

    fn bytes(&self) -> usize {
        self.arena.bytes() + self.entry_bytes + self.leaves.bytes()
    }
}

/// Memories that wait for the next matcher of a constraint. A thread finds first what it gave: that is in its cache.
#[derive(Debug, Default)]
pub struct Spare([Shelf; SHELVES]);

/// The memories of some threads, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shelf(Mutex<Vec<Memory>>);

impl Shelf {
    fn lock(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spare {
    /// All shelves, from that of this thread on.
    fn shelves(&self) -> impl Iterator<Item = &Shelf> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed));
        self.0.iter().cycle().skip(OWN.with(|own| own % SHELVES)).take(SHELVES)
    }

    fn take(&self) -> Memory {
        self.shelves().find_map(|shelf| shelf.lock().pop()).unwrap_or_default()
    }

    /// Keeps a memory, unless it is large or there are many.
    pub fn keep(&self, memory: Memory) {
        if memory.bytes() > WORTH_KEEPING {
            return;
        }
        let mut shelves = self.shelves().map(Shelf::lock);
        if let Some(mut shelf) = shelves.find(|shelf| shelf.len() < SPARE / SHELVES) {
            shelf.push(memory);
        }
    }
}

/// A memory in use, which goes back to its constraint in the end, if somebody else has that.
#[derive(Debug)]
struct Lease {
    memory: Mutex<Memory>,
    home: Constraint,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.home.is_held() {
            let memory = self.memory.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.home.spare().keep(std::mem::take(memory));
        }
    }
}

/// A constraint and a memory of it, shared by a matcher and its forks: none of them counts the constraint.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Lease>);

impl Shared {
    pub fn new(home: Constraint) -> Self {
        let memory = Mutex::new(home.spare().take());
        Self(Arc::new(Lease { memory, home }))
    }

    /// The constraint.
    #[inline]
    pub fn constraint(&self) -> &Constraint {
        &self.0.home
    }

    /// Whether a new text may go on with it.
    pub fn is_worth_keeping(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && self.lock().bytes() <= WORTH_KEEPING
    }

    pub fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, unless another thread has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, Memory>> {
        match self.0.memory.try_lock() {
            Ok(memory) => Some(memory),
            Err(TryLockError::Poisoned(memory)) => Some(memory.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
