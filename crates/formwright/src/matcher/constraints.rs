//! The constraints that a vocabulary keeps for the next request with the same form.
//!
//! ```text
//! first request      compiles, and its texts meet states for the first time
//! second request     finds the constraint, and in its pool the masks that earlier texts have found
//! ```
//!
//! A constraint is found by its language, which is told from others by its address: one that is kept cannot become another.
//! Those used last are kept, up to a number of bytes, with the caches that wait in their pools. Pools grow without a new
//! constraint, so they are counted again after some requests.
//!
//! Cost: one mutex and a lookup; a walk over the nodes of a language that is added.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::Constraint;
use crate::canonical::Scope;
use crate::language::Language;

/// Constraints kept at most.
const MOST: usize = 1 << 8;

/// Requests after which the bytes of all constraints are counted again.
const REQUESTS: u64 = 1 << 6;

/// Constraints by language, and by which tokens are canonical.
#[derive(Debug)]
pub struct Constraints {
    kept: Mutex<Kept>,
    /// Most bytes.
    limit: usize,
}

#[derive(Debug, Default)]
struct Kept {
    all: FxHashMap<(usize, Scope), Used>,
    /// How many requests there have been.
    requests: u64,
    /// Bytes that all of them held when they were counted last.
    bytes: usize,
}

/// A constraint, and the last request that it served.
#[derive(Debug)]
struct Used {
    constraint: Constraint,
    /// Held because its address tells it from others.
    _language: Language,
    last: u64,
    /// Bytes without what waits for the next text, which never change; and with it, when it was counted last.
    own: usize,
    bytes: usize,
}

impl Constraints {
    /// None yet; `limit` is how many bytes are kept.
    pub fn new(limit: usize) -> Self {
        Self { kept: Mutex::default(), limit }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The constraint of a language, if it is kept.
    pub fn find(&self, language: &Language, scope: Scope) -> Option<Constraint> {
        let mut kept = self.lock();
        let last = kept.count_request();
        let used = kept.all.get_mut(&(language.address(), scope))?;
        used.last = last;
        let constraint = used.constraint.clone();
        kept.drop_oldest(self.limit);
        Some(constraint)
    }

    /// Keeps a constraint of a language. If another thread has kept one by now, that one is returned.
    pub fn keep(&self, language: &Language, scope: Scope, constraint: Constraint) -> Constraint {
        let own = constraint.memory();
        let mut kept = self.lock();
        let last = kept.requests;
        let added = Used { constraint, _language: language.clone(), last, own, bytes: 0 };
        let used = kept.all.entry((language.address(), scope)).or_insert(added);
        let constraint = used.constraint.clone();
        let bytes = used.own + constraint.found_memory();
        let before = std::mem::replace(&mut used.bytes, bytes);
        kept.bytes = kept.bytes - before + bytes;
        kept.drop_oldest(self.limit);
        constraint
    }

    /// Drops all of them.
    pub fn clear(&self) {
        *self.lock() = Kept::default();
    }

    /// How many are kept, and how many bytes they hold, roughly.
    pub fn size(&self) -> (usize, usize) {
        let mut kept = self.lock();
        kept.count_bytes();
        (kept.all.len(), kept.bytes)
    }
}

impl Kept {
    /// The number of a request. After some of them, bytes are counted again.
    fn count_request(&mut self) -> u64 {
        self.requests += 1;
        if self.requests.is_multiple_of(REQUESTS) {
            self.count_bytes();
        }
        self.requests
    }

    fn count_bytes(&mut self) {
        self.bytes = 0;
        for used in self.all.values_mut() {
            used.bytes = used.own + used.constraint.found_memory();
            self.bytes += used.bytes;
        }
    }

    /// Drops those that were used longest ago, while there are too many, or they hold too many bytes.
    fn drop_oldest(&mut self, limit: usize) {
        while self.all.len() > MOST || self.bytes > limit {
            let oldest = self.all.iter().min_by_key(|(_, used)| used.last).map(|(key, _)| *key);
            let Some(dropped) = oldest.and_then(|key| self.all.remove(&key)) else { return };
            self.bytes -= dropped.bytes;
        }
    }
}
