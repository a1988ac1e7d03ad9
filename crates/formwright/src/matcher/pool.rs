//! Where matcher caches wait for the next text of their constraint.
//!
//! ```text
//! new matcher        checks out a cache: from its thread's shard, else from another shard, else a new cache
//! its forks          share the checkout
//! the last one ends  the cache goes back, unless it is large, the shards are full, or nobody else has the constraint
//! ```
//!
//! Cost: one mutex when a text begins, one when it ends. A thread begins with the shard it gave its last
//! matcher cache to, since that matcher cache may still lie in the cache of its processor.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::canonical::MatcherCache;
use super::masks::Fragments;

/// Shards of a pool: threads that begin or end texts at the same time seldom meet in one.
const SHARDS: usize = 4;

/// Caches a shard keeps at most.
const SHARD_CACHES: usize = 8;

/// Bytes of the caches that wait without anything about canonical tokens, at most.
const MOST_BYTES: usize = 32 << 20;

/// Caches that wait for the next matcher of a constraint, and what all of them share.
#[derive(Debug)]
pub struct Pool {
    shards: [Shard; SHARDS],
    /// Bytes of the caches that wait, those about canonical tokens not counted.
    bytes: AtomicUsize,
    fragments: Option<Arc<Fragments>>,
}

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
    /// Without a cache. Those of a grammar share fragments, at most so many bytes of each kind.
    pub fn new(fragment_bytes: Option<usize>) -> Self {
        let fragments = fragment_bytes.map(|bytes| Arc::new(Fragments::new(bytes)));
        Self { shards: <[Shard; SHARDS]>::default(), bytes: AtomicUsize::new(0), fragments }
    }

    /// All shards, from that of this thread on.
    fn shards(&self) -> impl Iterator<Item = &Shard> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed));
        self.shards.iter().cycle().skip(OWN.with(|own| own % SHARDS)).take(SHARDS)
    }

    /// A cache that waits, else a new one.
    pub fn take(&self) -> MatcherCache {
        let waiting = self.shards().find_map(|shard| shard.lock().pop());
        if let Some(cache) = &waiting {
            self.bytes.fetch_sub(cache.plain_bytes(), Ordering::Relaxed);
        }
        let mut cache = waiting.unwrap_or_default();
        cache.masks.fragments.clone_from(&self.fragments);
        cache
    }

    /// Bytes of memory held, roughly.
    pub fn memory(&self) -> usize {
        let of_caches = |shard: &Shard| shard.lock().iter().map(MatcherCache::bytes).sum::<usize>();
        let fragments = self.fragments.as_ref().map_or(0, |fragments| fragments.bytes());
        self.shards.iter().map(of_caches).sum::<usize>() + fragments
    }

    /// Caches that wait.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }

    /// Keeps a cache, unless it is large, those that wait are, or the shards are full.
    pub fn put(&self, cache: MatcherCache) {
        if !cache.is_worth_keeping() {
            return;
        }
        let bytes = cache.plain_bytes();
        let has_room = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_BYTES;
        let mut shards = self.shards().map(Shard::lock);
        match shards.find(|shard| shard.len() < SHARD_CACHES).filter(|_| has_room) {
            Some(mut shard) => shard.push(cache),
            None => {
                self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            }
        }
    }
}
