//! Where matcher caches wait for the next text of their constraint.
//!
//! ```text
//! new matcher        checks out a cache: from its thread's shard, else from another shard, else a new cache
//! its forks          share the checkout
//! the last one ends  the cache goes back, unless it is large, the shards are full, or nobody else has the constraint
//! ```
//!
//! Cost: one mutex when a text begins, one when it ends. Wrinkle: a thread begins with the shard it gave its last
//! matcher cache to, since that matcher cache may still lie in the cache of its processor.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::constraint::Constraint;
use super::masks::MatcherCache;

/// Shards of a pool: threads that begin or end texts at the same time seldom meet in one.
const SHARDS: usize = 4;

/// Caches a shard keeps at most.
const SHARD_CACHES: usize = 8;

/// Caches that wait for the next matcher of a constraint.
#[derive(Debug, Default)]
pub struct Pool([Shard; SHARDS]);

/// The caches of some threads, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard(Mutex<Vec<MatcherCache>>);

impl Shard {
    fn lock(&self) -> MutexGuard<'_, Vec<MatcherCache>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// All shards, from that of this thread on.
    fn shards(&self) -> impl Iterator<Item = &Shard> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed));
        self.0.iter().cycle().skip(OWN.with(|own| own % SHARDS)).take(SHARDS)
    }

    fn take(&self) -> MatcherCache {
        self.shards().find_map(|shard| shard.lock().pop()).unwrap_or_default()
    }

    /// Keeps a cache, unless it is large or the shards are full.
    pub fn put(&self, cache: MatcherCache) {
        if !cache.is_worth_keeping() {
            return;
        }
        let mut shards = self.shards().map(Shard::lock);
        if let Some(mut shard) = shards.find(|shard| shard.len() < SHARD_CACHES) {
            shard.push(cache);
        }
    }
}

/// A matcher cache in use. When the text ends it goes back to the pool, if other handles share the constraint.
#[derive(Debug)]
struct Checkout {
    cache: Mutex<MatcherCache>,
    constraint: Constraint,
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if self.constraint.is_shared() {
            let cache = self.cache.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.constraint.pool().put(std::mem::take(cache));
        }
    }
}

/// A constraint and a cache checked out from its pool, shared by a matcher and its forks, so that a fork changes one
/// reference count.
#[derive(Clone, Debug)]
pub struct SharedCache(Arc<Checkout>);

impl SharedCache {
    pub fn new(constraint: Constraint) -> Self {
        let cache = Mutex::new(constraint.pool().take());
        Self(Arc::new(Checkout { cache, constraint }))
    }

    /// The constraint.
    #[inline]
    pub fn constraint(&self) -> &Constraint {
        &self.0.constraint
    }

    /// Whether the cache may serve a new text: no fork uses it, and it is not large.
    pub fn is_reusable(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && self.lock().is_worth_keeping()
    }

    pub fn lock(&self) -> MutexGuard<'_, MatcherCache> {
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, unless another thread has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, MatcherCache>> {
        match self.0.cache.try_lock() {
            Ok(cache) => Some(cache),
            Err(TryLockError::Poisoned(cache)) => Some(cache.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
