//! The automata of a vocabulary: one for each leaf, shared by every schema that has it.
//!
//! ```text
//! schema 1    ^[a-z]+$   makes automaton 7
//! schema 2    ^[a-z]+$   looks it up, and finds all states that texts of schema 1 have visited
//! ```
//!
//! Cost: a hash and a comparison of expressions, or of an address for expressions that are made once in a process. The
//! expressions kept here are copies that share nothing: what threads compare must not lie beside reference counts
//! that other threads change.
//!
//! An automaton grows while it is used, so its bytes are counted again from time to time, when an eighth of
//! all automata is new. Above the limit, automata that no constraint refers to are evicted, least recently requested
//! first, until an eighth of the limit is free: so no insertion pays for many evictions. Ids are never reused, so what
//! is cached of an evicted automaton is not found any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crossbeam_utils::sync::ShardedLock;
use rustc_hash::FxHashMap;

use super::read;
use crate::error::Result;
use crate::language::Leaf;
use crate::regular::Automaton;

/// The id of an automaton among those of a vocabulary, and the automaton.
pub type Numbered = (u32, Arc<Automaton>);

/// At least this many automata are added before bytes are counted again.
const UNCOUNTED: usize = 8;

/// The part of all automata that is added before bytes are counted, and the part of the limit that is then made free.
const PART: usize = 8;

/// Automata by leaf; those that no constraint refers to are bounded in bytes.
#[derive(Debug)]
pub struct Automata {
    registry: ShardedLock<Registry>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Registry {
    by_leaf: FxHashMap<Leaf, Registered>,
    next: u32,
    /// How many were added since bytes were counted.
    uncounted: usize,
}

#[derive(Debug)]
struct Registered {
    numbered: Numbered,
    /// Whether it was requested again since bytes were counted.
    asked: AtomicBool,
}

impl Automata {
    /// None, and room for `limit` bytes of automata that no constraint refers to.
    pub fn new(limit: usize) -> Self {
        Self { registry: ShardedLock::default(), limit }
    }

    /// The automaton of a leaf, made if there is none, or if the present automaton is near its limit.
    pub fn of(&self, leaf: &Leaf, make: impl FnOnce() -> Result<Arc<Automaton>>) -> Result<Numbered> {
        if let Some(numbered) = read(&self.registry).get(leaf) {
            return Ok(numbered);
        }
        let made = make()?;
        let (numbered, _gone) = {
            let mut registry = self.registry.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(numbered) = registry.get(leaf) {
                return Ok(numbered); // another thread was first
            }
            let gone = registry.make_room(self.limit); // freed after unlocking
            (registry.add(leaf, made), gone)
        };
        Ok(numbered)
    }

    /// Bytes of all automata.
    pub fn bytes(&self) -> usize {
        read(&self.registry).bytes()
    }
}

impl Registry {
    fn get(&self, leaf: &Leaf) -> Option<Numbered> {
        let entry = self.by_leaf.get(leaf).filter(|entry| !entry.numbered.1.is_near_its_limit())?;
        if !entry.asked.load(Ordering::Relaxed) {
            entry.asked.store(true, Ordering::Relaxed);
        }
        Some(entry.numbered.clone())
    }

    fn add(&mut self, leaf: &Leaf, automaton: Arc<Automaton>) -> Numbered {
        let numbered = (self.next, automaton);
        self.next += 1;
        self.uncounted += 1;
        let leaf = Leaf { tree: leaf.tree.unshared(), encoding: leaf.encoding };
        self.by_leaf.insert(leaf, Registered { numbered: numbered.clone(), asked: AtomicBool::new(false) });
        numbered
    }

    fn bytes(&self) -> usize {
        self.by_leaf.values().map(Registered::bytes).sum()
    }

    /// If it is time to count, evicts what is above the limit: first automata not requested again since the last time.
    fn make_room(&mut self, limit: usize) -> Vec<Registered> {
        if self.uncounted < UNCOUNTED.max(self.by_leaf.len() / PART) {
            return Vec::new();
        }
        self.uncounted = 0;
        let bytes = self.bytes();
        let mut excess = if bytes > limit { bytes - (limit - limit / PART) } else { 0 };
        let mut gone = Vec::new();
        for all in [false, true] {
            if excess == 0 {
                break;
            }
            let taken = self.by_leaf.extract_if(|_, entry| {
                let goes = excess > 0 && !entry.is_held() && (all || !*entry.asked.get_mut());
                excess = excess.saturating_sub(if goes { entry.bytes() } else { 0 });
                goes
            });
            gone.extend(taken.map(|(_, entry)| entry));
        }
        self.by_leaf.values_mut().for_each(|entry| *entry.asked.get_mut() = false);
        gone
    }
}

impl Registered {
    fn bytes(&self) -> usize {
        self.numbered.1.memory()
    }

    /// Whether a constraint, or a language, refers to the automaton.
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.numbered.1) > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Encoding, Regular};

    fn leaf(text: &str) -> Leaf {
        Leaf { tree: Regular::text(text), encoding: Encoding::Text }
    }

    fn of(automata: &Automata, text: &str) -> Numbered {
        let leaf = leaf(text);
        automata.of(&leaf, || Ok(Arc::new(Automaton::new(&leaf.tree, leaf.encoding, &Limits::default())?))).unwrap()
    }

    /// What is held or asked for stays what it was; the bytes of the others are bounded, and no id is given twice.
    #[test]
    fn automata_that_nobody_holds_are_bounded() {
        let limit = 300 << 10;
        let automata = Automata::new(limit);
        let held = of(&automata, "held");
        let asked = of(&automata, "asked").0;
        let first = of(&automata, "first").0;
        let mut ids = vec![held.0, asked, first];
        for number in 0..2_000 {
            ids.push(of(&automata, &format!("text {number}")).0);
            assert_eq!(of(&automata, "asked").0, asked);
            assert!(automata.bytes() < 2 * limit, "{} bytes after {number}", automata.bytes());
        }
        assert!(Arc::ptr_eq(&of(&automata, "held").1, &held.1));
        ids.push(of(&automata, "first").0);
        assert_eq!(ids, (0..ids.len() as u32).collect::<Vec<_>>());
    }

    /// Where even the automata asked for are too many, all are evicted that nobody holds.
    #[test]
    fn automata_may_have_no_room() {
        let automata = Automata::new(0);
        let held: Vec<_> = (0..3).map(|number| of(&automata, &format!("held {number}"))).collect();
        (0..500).for_each(|number| _ = of(&automata, &format!("text {number}")));
        assert!(automata.registry.read().unwrap().by_leaf.len() <= held.len() + 1 + UNCOUNTED);
        for (number, held) in held.iter().enumerate() {
            assert_eq!(of(&automata, &format!("held {number}")).0, held.0);
        }
    }
}
