//! Maps that all texts of a vocabulary share: bounded, and read together.
//!
//! ```text
//! two threads ask for a missing key     both make the value, one value is kept, and both get it
//! ```
//!
//! Cost: a lookup takes the read lock of the thread's shard; a missing value is made outside the lock, perhaps by two
//! threads at once, with equal results. A full map drops all of its entries, not
//! only the oldest; values in use stay alive.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A shared map from key to value, bounded in bytes.
#[derive(Debug)]
pub struct Cache<K, V> {
    map: ShardedLock<(FxHashMap<K, Arc<V>>, usize)>,
    limit: usize,
    times_cleared: AtomicUsize,
}

impl<K: std::hash::Hash + Eq, V> Cache<K, V> {
    /// An empty map, which holds at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let map = ShardedLock::new((FxHashMap::with_hasher(FxBuildHasher), 0));
        Self { map, limit, times_cleared: AtomicUsize::new(0) }
    }

    /// The value of `key`, if there is one.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        read(&self.map).0.get(key).map(Arc::clone)
    }

    /// The value of `key`. Computed outside the lock: two threads may do the same work, with equal results.
    pub fn get_or(&self, key: K, compute: impl FnOnce() -> (V, usize)) -> Arc<V> {
        if let Some(cached) = self.get(&key) {
            return cached;
        }
        let (value, bytes) = compute();
        let value = Arc::new(value);
        let mut guard = self.map.write().unwrap_or_else(PoisonError::into_inner);
        let (map, held) = &mut *guard;
        if *held + bytes > self.limit {
            map.clear();
            *held = 0;
            self.times_cleared.fetch_add(1, Ordering::Relaxed);
        }
        *held += bytes + size_of::<K>() + 32;
        Arc::clone(map.entry(key).or_insert(value))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        read(&self.map).1
    }

    /// How often all entries were dropped: since the last time, whoever holds a value may be the only one.
    pub fn times_cleared(&self) -> usize {
        self.times_cleared.load(Ordering::Relaxed)
    }
}

/// Small ids of what is compared often. A full map is cleared, and what was in it gets new ids; none is given twice.
#[derive(Debug)]
pub struct Ids<K>(ShardedLock<(FxHashMap<K, u32>, u32)>);

/// More keys than this are not kept.
const KEYS: usize = 1 << 16;

impl<K> Default for Ids<K> {
    fn default() -> Self {
        Self(ShardedLock::default())
    }
}

impl<K: std::hash::Hash + Eq + Clone> Ids<K> {
    pub fn of(&self, key: &K) -> u32 {
        if let Some(&id) = read(&self.0).0.get(key) {
            return id;
        }
        let (ids, next) = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner);
        if ids.len() == KEYS {
            ids.clear();
        }
        *ids.entry(key.clone()).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }
}

/// Locks for reading. Nothing panics halfway through a change, so a poisoned lock is as good as any.
pub fn read<T>(lock: &ShardedLock<T>) -> ShardedLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}
