//! A cache of shortest texts that a tree does not show, for all threads of the process.
//!
//! Where patterns meet (`allOf`, `patternProperties`), an automaton has to be built to find the shortest text. A server
//! sees the same schemas again and again; their vocabulary has the automaton, but a language is made without one. So
//! the answer is cached here.
//!
//! ```text
//! format: uri, pattern: ^https?://      a schema with both compiles in 20 us instead of 140 when it is met again
//! ```
//!
//! Cost: a hash and a comparison of trees, and room for [`MOST_NODES`] nodes of them. An answer counts only
//! under the limits it was found with, so that what is refused does not depend on what came before.

use std::sync::{PoisonError, RwLock};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Leaf;
use crate::error::Result;
use crate::limits::Limits;

/// Nodes of all cached trees, about 2 MB; beyond that, the cache is cleared.
const MOST_NODES: usize = 1 << 16;

static CACHE: RwLock<ShortestCache> = RwLock::new(ShortestCache::new());

struct ShortestCache {
    answers: FxHashMap<Leaf, Answer>,
    nodes: usize,
}

struct Answer {
    shortest: u32,
    limits: Limits,
}

/// Bytes of the shortest text of a leaf: what `find` says, or said before.
pub fn shortest(leaf: &Leaf, limits: &Limits, find: impl FnOnce() -> Result<u32>) -> Result<u32> {
    look_up(&CACHE, leaf, limits, find)
}

fn look_up(
    cache: &RwLock<ShortestCache>,
    leaf: &Leaf,
    limits: &Limits,
    find: impl FnOnce() -> Result<u32>,
) -> Result<u32> {
    let cached = cache.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = cached.answers.get(leaf).filter(|answer| answer.limits == *limits) {
        return Ok(answer.shortest);
    }
    drop(cached);
    let shortest = find()?;
    cache.write().unwrap_or_else(PoisonError::into_inner).insert(leaf, Answer { shortest, limits: limits.clone() });
    Ok(shortest)
}

impl ShortestCache {
    const fn new() -> Self {
        Self { answers: FxHashMap::with_hasher(FxBuildHasher), nodes: 0 }
    }

    fn insert(&mut self, leaf: &Leaf, answer: Answer) {
        let nodes = leaf.tree.nodes();
        if nodes > MOST_NODES {
            return;
        }
        if self.nodes + nodes > MOST_NODES {
            self.answers.clear();
            self.nodes = 0;
        }
        self.nodes += nodes;
        // A copy that shares no `Arc`: threads that compare it would wait for each other's reference counts.
        self.answers.insert(Leaf { tree: leaf.tree.unshared(), encoding: leaf.encoding }, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::regular::{Encoding, Regular};

    fn leaf(text: &str) -> Leaf {
        Leaf { tree: Regular::text(text).not(), encoding: Encoding::Text }
    }

    /// An answer is found once, unless the limits are others; what could not be found is asked for again.
    #[test]
    fn an_answer_is_found_once() {
        let (limits, other) = (Limits::default(), Limits { emptiness_search: 7, ..Limits::default() });
        let (cache, leaf) = (RwLock::new(ShortestCache::new()), leaf("a"));
        assert!(look_up(&cache, &leaf, &limits, || Err(Error::limit("emptiness_search", 8, 7))).is_err());
        assert_eq!(look_up(&cache, &leaf, &limits, || Ok(3)).unwrap(), 3);
        assert_eq!(look_up(&cache, &leaf, &limits, || unreachable!("it is cached")).unwrap(), 3);
        assert_eq!(look_up(&cache, &leaf, &other, || Ok(4)).unwrap(), 4);
        assert!(look_up(&cache, &leaf, &limits, || Err(Error::limit("emptiness_search", 8, 7))).is_err());
    }

    /// Trees are kept as long as there is room for them.
    #[test]
    fn room_is_bounded() {
        let mut cache = ShortestCache::new();
        let answer = || Answer { shortest: 0, limits: Limits::default() };
        let long = "x".repeat(MOST_NODES / 8);
        for number in 0..20 {
            cache.insert(&leaf(&format!("{number}{long}")), answer());
            assert!(cache.nodes <= MOST_NODES && (1..=8).contains(&cache.answers.len()), "{}", cache.nodes);
        }
        cache.insert(&leaf(&"x".repeat(MOST_NODES)), answer());
        assert!(cache.answers.len() <= 8);
    }
}
