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
//! Cost: one mutex and a lookup; a sum over all constraints where one is added.

use std::sync::{Mutex, PoisonError};

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
}

/// A constraint, and the last request that it served.
#[derive(Debug)]
struct Used {
    constraint: Constraint,
    /// Held because its address tells it from others.
    _language: Language,
    last: u64,
}

impl Constraints {
    /// None yet; `limit` is how many bytes are kept.
    pub fn new(limit: usize) -> Self {
        Self { kept: Mutex::default(), limit }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The constraint of a language, if it is kept.
    pub fn find(&self, language: &Language, scope: Scope) -> Option<Constraint> {
        let mut kept = self.lock();
        kept.requests += 1;
        let last = kept.requests;
        let used = kept.all.get_mut(&(language.address(), scope))?;
        used.last = last;
        let constraint = used.constraint.clone();
        if last % REQUESTS == 0 {
            kept.drop_oldest(self.limit);
        }
        Some(constraint)
    }

    /// Keeps a constraint of a language. If another thread has kept one by now, that one is returned.
    pub fn keep(&self, language: &Language, scope: Scope, constraint: Constraint) -> Constraint {
        let mut kept = self.lock();
        let last = kept.requests;
        let used = Used { constraint, _language: language.clone(), last };
        let constraint = kept.all.entry((language.address(), scope)).or_insert(used).constraint.clone();
        kept.drop_oldest(self.limit);
        constraint
    }

    /// Drops all of them.
    pub fn clear(&self) {
        self.lock().all.clear();
    }

    /// How many are kept, and how many bytes they hold, roughly.
    pub fn size(&self) -> (usize, usize) {
        let kept = self.lock();
        (kept.all.len(), kept.bytes())
    }
}

impl Kept {
    fn bytes(&self) -> usize {
        self.all.values().map(|used| used.constraint.memory()).sum()
    }

    /// Drops those that were used longest ago, while there are too many, or they hold too many bytes.
    fn drop_oldest(&mut self, limit: usize) {
        let mut bytes = self.bytes();
        while self.all.len() > MOST || bytes > limit {
            let oldest = self.all.iter().min_by_key(|(_, used)| used.last).map(|(key, _)| *key);
            let Some(dropped) = oldest.and_then(|key| self.all.remove(&key)) else { return };
            bytes -= dropped.constraint.memory().min(bytes);
        }
    }
}
