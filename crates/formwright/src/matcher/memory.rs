//! What is worth keeping from one mask to the next.
//!
//! A [`Memory`] holds the arena the threads point into and the masks met so far.
//! A matcher and its forks share one; when the last of them ends, the constraint
//! keeps it for the next text, which then finds most of its masks known. Going
//! back is one step along a list: states are never changed.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arena::Arena;
use super::leaves::Leaves;
use super::mask::Entry;
use super::thread::Thread;
use crate::constraint::Constraint;
use crate::vocabulary::TokenId;

/// Memories a constraint keeps for later matchers.
const SPARE: usize = 32;

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
    pub fn remember(&mut self, thread: Thread, entry: Arc<Entry>, limit: usize) {
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
        self.entries.insert(thread, entry);
    }

    fn bytes(&self) -> usize {
        self.arena.bytes() + self.entry_bytes + self.leaves.bytes()
    }
}

/// Memories that wait for the next matcher of a constraint.
#[derive(Debug, Default)]
pub struct Spare(Mutex<Vec<Memory>>);

impl Spare {
    fn take(&self) -> Memory {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn keep(&self, memory: Memory) {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE && memory.bytes() <= WORTH_KEEPING {
            spare.push(memory);
        }
    }
}

/// A memory in use, which goes back to its constraint in the end.
#[derive(Debug)]
struct Lease {
    memory: Memory,
    home: Constraint,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.home.spare().keep(std::mem::take(&mut self.memory));
    }
}

/// A memory shared by a matcher and its forks.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Mutex<Lease>>);

impl Shared {
    pub fn new(constraint: &Constraint) -> Self {
        let memory = constraint.spare().take();
        Self(Arc::new(Mutex::new(Lease { memory, home: constraint.clone() })))
    }

    /// Whether a new text may go on with it.
    pub fn is_worth_keeping(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && self.lock().bytes() <= WORTH_KEEPING
    }

    pub fn lock(&self) -> Locked<'_> {
        Locked(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lock, unless another thread has it.
    pub fn try_lock(&self) -> Option<Locked<'_>> {
        match self.0.try_lock() {
            Ok(lease) => Some(Locked(lease)),
            Err(TryLockError::Poisoned(lease)) => Some(Locked(lease.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// A shared memory, for one operation.
pub struct Locked<'m>(MutexGuard<'m, Lease>);

impl std::ops::Deref for Locked<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.0.memory
    }
}

impl std::ops::DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Memory {
        &mut self.0.memory
    }
}

/// Where a matcher stands, and where it stood before.
#[derive(Debug)]
pub struct State {
    pub threads: SmallVec<[Thread; 2]>,
    /// Bytes of text.
    pub path: usize,
    pub finished: bool,
    /// Steps from the start.
    pub steps: usize,
    before: Option<Arc<State>>,
}

impl State {
    pub fn first(threads: &[Thread]) -> Arc<Self> {
        Arc::new(Self { threads: SmallVec::from_slice(threads), path: 0, finished: false, steps: 0, before: None })
    }

    fn next(before: Option<Arc<Self>>, threads: &[Thread], path: usize, finished: bool) -> Arc<Self> {
        let steps = before.as_ref().map_or(0, |before| before.steps + 1);
        Arc::new(Self { threads: SmallVec::from_slice(threads), path, finished, steps, before })
    }

    /// The state `steps` earlier; `None` if there are fewer.
    pub fn earlier(self: &Arc<Self>, steps: usize) -> Option<&Arc<Self>> {
        (0..steps).try_fold(self, |state, _| state.before.as_ref())
    }
}

/// The state a matcher is in. Empty only while it moves on: the state before is handed over, not counted twice.
#[derive(Clone, Debug)]
pub struct Current(Option<Arc<State>>);

impl Current {
    pub fn new(state: Arc<State>) -> Self {
        Self(Some(state))
    }

    /// One step forward.
    pub fn advance(&mut self, threads: &[Thread], path: usize, finished: bool) {
        let before = self.0.take();
        self.0 = Some(State::next(before, threads, path, finished));
    }
}

impl std::ops::Deref for Current {
    type Target = Arc<State>;

    fn deref(&self) -> &Arc<State> {
        static NOWHERE: LazyLock<Arc<State>> = LazyLock::new(|| State::first(&[]));
        self.0.as_ref().unwrap_or_else(|| &NOWHERE)
    }
}

impl Drop for State {
    /// One state after the other: a long text must not become a deep recursion.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut state) = before.and_then(Arc::into_inner) {
            before = state.before.take();
        }
    }
}
