//! Shortest texts that only an automaton shows, kept for the next schema that has the same leaf.
//!
//! Where patterns meet (`allOf`, `patternProperties`), a tree does not show its shortest text, and an automaton has to be
//! built to find it. A server sees the same schemas again and again; their vocabulary has the automaton, but a language is
//! made without one. So the answer is kept, for all threads of the process.
//!
//! ```text
//! format: uri, pattern: ^https?://      a schema with both compiles in 20 us instead of 140 when it is met again
//! ```
//!
//! Cost: a hash and a comparison of trees, and at most some [`NODES`] nodes of them. Wrinkle: an answer counts only under the
//! limits it was found with, so that what is refused does not depend on what came before.

use std::sync::{PoisonError, RwLock};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Leaf;
use crate::error::Result;
use crate::limits::Limits;

/// So many nodes of trees are kept, about 2 MB; when more come, all others are forgotten.
const NODES: usize = 1 << 16;

static KNOWN: RwLock<Known> = RwLock::new(Known::new());

struct Known {
    answers: FxHashMap<Leaf, Answer>,
    nodes: usize,
}

struct Answer {
    shortest: u32,
    limits: Limits,
}

/// What `find` says about a leaf, or said before.
pub fn shortest(leaf: &Leaf, limits: &Limits, find: impl FnOnce() -> Result<u32>) -> Result<u32> {
    ask(&KNOWN, leaf, limits, find)
}

fn ask(known: &RwLock<Known>, leaf: &Leaf, limits: &Limits, find: impl FnOnce() -> Result<u32>) -> Result<u32> {
    let all = known.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = all.answers.get(leaf).filter(|answer| answer.limits == *limits) {
        return Ok(answer.shortest);
    }
    drop(all);
    let shortest = find()?;
    known.write().unwrap_or_else(PoisonError::into_inner).add(leaf, Answer { shortest, limits: limits.clone() });
    Ok(shortest)
}

impl Known {
    const fn new() -> Self {
        Self { answers: FxHashMap::with_hasher(FxBuildHasher), nodes: 0 }
    }

    fn add(&mut self, leaf: &Leaf, answer: Answer) {
        let nodes = leaf.tree.nodes();
        if nodes > NODES {
            return;
        }
        if self.nodes + nodes > NODES {
            self.answers.clear();
            self.nodes = 0;
        }
        self.nodes += nodes;
        // A copy that shares nothing: what threads compare must not lie beside counts that one of them changes.
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
        let (known, leaf) = (RwLock::new(Known::new()), leaf("a"));
        assert!(ask(&known, &leaf, &limits, || Err(Error::limit("emptiness_search", 8, 7))).is_err());
        assert_eq!(ask(&known, &leaf, &limits, || Ok(3)).unwrap(), 3);
        assert_eq!(ask(&known, &leaf, &limits, || unreachable!("it is known")).unwrap(), 3);
        assert_eq!(ask(&known, &leaf, &other, || Ok(4)).unwrap(), 4);
        assert!(ask(&known, &leaf, &limits, || Err(Error::limit("emptiness_search", 8, 7))).is_err());
    }

    /// Trees are kept as long as there is room for them.
    #[test]
    fn room_is_bounded() {
        let mut known = Known::new();
        let answer = || Answer { shortest: 0, limits: Limits::default() };
        let long = "x".repeat(NODES / 8);
        for number in 0..20 {
            known.add(&leaf(&format!("{number}{long}")), answer());
            assert!(known.nodes <= NODES && (1..=8).contains(&known.answers.len()), "{}", known.nodes);
        }
        known.add(&leaf(&"x".repeat(NODES)), answer());
        assert!(known.answers.len() <= 8);
    }
}
