//! A matcher cache in use: taken out of the pool of its constraint, shared by forks, put back when the last one ends.
//!
//! A cache that a panic left half-changed is never used again: its matcher and the forks panic too, until they are
//! reset.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use super::canonical::MatcherCache;
use super::compiled::Compiled;
use super::constraint::Constraint;

/// A matcher cache in use. When the text ends it goes back to the pool, if other handles share the constraint.
#[derive(Debug)]
struct Checkout {
    cache: Mutex<MatcherCache>,
    constraint: Constraint,
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Ok(cache) = self.cache.get_mut()
            && self.constraint.is_shared()
            && has_room(cache, &self.constraint)
        {
            self.constraint.pool().put(std::mem::take(cache));
        }
    }
}

/// Whether the stacks of another text find room beside those that are known.
fn has_room(cache: &MatcherCache, constraint: &Constraint) -> bool {
    cache.masks.stacks.check_room(constraint.graph()).is_ok()
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

    /// What the constraint compiled.
    #[inline]
    pub fn compiled(&self) -> &Compiled {
        self.0.constraint.compiled()
    }

    /// Whether the cache may serve a new text: no fork uses it, it is neither large nor full, and no panic left it
    /// half-changed.
    pub fn is_reusable(&self) -> bool {
        let is_kept = |cache: &MatcherCache| cache.is_worth_keeping() && has_room(cache, self.constraint());
        Arc::strong_count(&self.0) == 1 && self.0.cache.lock().is_ok_and(|cache| is_kept(&cache))
    }

    /// The cache.
    ///
    /// # Panics
    /// If an earlier panic left it half-changed: what it would say cannot be trusted.
    pub fn lock(&self) -> MutexGuard<'_, MatcherCache> {
        self.0.cache.lock().unwrap_or_else(|_| half_changed())
    }

    /// The cache, unless another thread uses it.
    ///
    /// # Panics
    /// As [`SharedCache::lock`].
    pub fn try_lock(&self) -> Option<MutexGuard<'_, MatcherCache>> {
        match self.0.cache.try_lock() {
            Ok(cache) => Some(cache),
            Err(TryLockError::Poisoned(_)) => half_changed(),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cold]
fn half_changed() -> ! {
    panic!("an earlier failure left what is remembered about this text half-changed")
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::limits::Limits;
    use crate::syntax::regex::regex;
    use crate::terminals::Tables;
    use crate::vocabulary::Vocabulary;

    fn constraint() -> Constraint {
        let tokens = [b"a".to_vec(), b"b".to_vec(), Vec::new()];
        let vocabulary = Vocabulary::new(&tokens, &[2], indexmap::IndexMap::new(), None).unwrap();
        let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
        Constraint::new(&regex("[ab]{2,9}", &Limits::default()).unwrap(), &tables).unwrap()
    }

    /// Panics while the cache of a text is locked, as a fault in a walk would.
    fn panic_inside(cache: &SharedCache) {
        let panics = catch_unwind(AssertUnwindSafe(|| {
            let mut cache = cache.lock();
            cache.masks.tokens.push(7);
            panic!("on purpose");
        }));
        assert!(panics.is_err());
    }

    #[test]
    fn a_cache_that_a_panic_left_half_changed_is_not_pooled() {
        let constraint = constraint();
        drop(SharedCache::new(constraint.clone()));
        let pooled = constraint.pool().len();
        assert!(pooled > 0, "a cache that is in order is kept");
        let cache = SharedCache::new(constraint.clone());
        panic_inside(&cache);
        drop(cache);
        assert_eq!(constraint.pool().len(), pooled - 1);
    }

    #[test]
    fn a_matcher_whose_cache_is_half_changed_answers_nothing_until_it_is_reset() {
        let mut matcher = constraint().matcher();
        let mut row = [0];
        panic_inside(matcher.shared_cache());
        assert!(catch_unwind(AssertUnwindSafe(|| matcher.fill_bitmask(&mut row, None))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| matcher.fork().accept_token(0))).is_err());
        matcher.reset();
        assert!(matcher.fill_bitmask(&mut row, None).is_ok() && row == [3]);
    }
}
