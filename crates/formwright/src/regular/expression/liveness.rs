//! Whether an expression has a text at all, and how long its shortest one is.
//!
//! ```text
//! a{2,5}          plain to see: 2 bytes
//! a{2,5} ∧ ¬aa    searched: aa is refused, aaa is a text: 3 bytes
//! ```
//!
//! Cost: nothing without And, Not and divisors, where each expression knows it from its parts. With them a search is
//! needed: Dijkstra's over derivatives, cached for every expression on the path, and bounded by
//! `Limits::emptiness_search`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::{Expression, Expressions, Id, MANY, NEVER};

/// Most units of work of one search, about a second.
const WORK_OF_SEARCH: u64 = 1 << 24;

/// A counter that goes as far has many states.
const LARGE_COUNTER: u32 = 64;

/// A search gave up, or a state would take more work, or more room, than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfFuel;

impl Expressions {
    /// Whether a search is needed to decide if `id`, or a derivative of it, is empty.
    pub fn takes_search(&self, id: Id) -> bool {
        self.properties[id.0 as usize].boolean
    }

    /// Whether `id` has a text at all.
    pub fn live(&mut self, id: Id) -> Result<bool, OutOfFuel> {
        Ok(self.shortest(id)?.is_some())
    }

    /// Bytes of the shortest text of `id`; `None` when it has no text.
    pub fn shortest(&mut self, id: Id) -> Result<Option<u32>, OutOfFuel> {
        let properties = self.properties[id.0 as usize];
        if !properties.boolean {
            return Ok((id != NEVER).then_some(properties.shortest));
        }
        if let Some(&cached) = self.distances.get(&id) {
            return Ok(cached);
        }
        let shortest = match self.get(id) {
            Expression::Or(parts) => self.shortest_of(&parts.clone())?,
            Expression::Concat(..) => self.shortest_concat(id)?,
            _ => {
                if self.conflicts_without_counters(id) {
                    self.distances.insert(id, None);
                    return Ok(None);
                }
                let (begun, around) = (self.units, self.searching);
                self.searching = around.or(Some(begun));
                let found = self.search(id);
                self.searching = around;
                self.units = begun + 1; // searches have bounds of their own
                return found;
            }
        };
        self.distances.insert(id, shortest);
        Ok(shortest)
    }

    /// Whether the parts of an intersection that count little have no text in common: a search over all parts would go
    /// through the states of a counter to find the same.
    fn conflicts_without_counters(&mut self, id: Id) -> bool {
        let parts = self.boolean_parts(id);
        let counts_little = |part: &&Id| self.properties[part.0 as usize].bound < LARGE_COUNTER;
        let little: Vec<Id> = parts.iter().filter(counts_little).copied().collect();
        if little.len() < 2 || little.len() == parts.len() {
            return false;
        }
        let common = self.and(little);
        self.shortest(common) == Ok(None)
    }

    /// Forgets the work of a search that was left in its midst.
    pub fn forget_search(&mut self) {
        self.units = self.searching.take().unwrap_or(self.units);
    }

    /// Alternatives are as short as the shortest of them: each is searched by itself, not their product.
    fn shortest_of(&mut self, parts: &[Id]) -> Result<Option<u32>, OutOfFuel> {
        let mut best = None;
        for &part in parts {
            best = self.shortest(part)?.into_iter().chain(best).min();
        }
        Ok(best)
    }

    /// Bytes of the shortest text; [`MANY`] when there is none, or finding it takes too long.
    pub fn shortest_or_many(&mut self, id: Id) -> u32 {
        self.shortest(id).ok().flatten().unwrap_or(MANY)
    }

    /// One after the other: the sum, along the chain of parts.
    fn shortest_concat(&mut self, mut id: Id) -> Result<Option<u32>, OutOfFuel> {
        let mut total = 0_u32;
        while let Expression::Concat(first, rest) = *self.get(id) {
            let Some(shortest) = self.shortest(first)? else { return Ok(None) };
            total = total.saturating_add(shortest);
            id = rest;
        }
        Ok(self.shortest(id)?.map(|rest| total.saturating_add(rest)))
    }

    /// Dijkstra's search over derivatives, fewest bytes first. The distance of every expression on the path found is
    /// cached; when there is none, that of every expression visited.
    fn search(&mut self, start: Id) -> Result<Option<u32>, OutOfFuel> {
        let mut best: FxHashMap<Id, (u32, Id)> = FxHashMap::default();
        // Where the rest is known, the whole way is queued: a way with more bytes so far may have fewer to come.
        let mut queue = BinaryHeap::from([Reverse((0_u32, start, false))]);
        best.insert(start, (0, start));
        if self.gave_up {
            return Err(OutOfFuel);
        }
        let (mut fuel, begun) = (self.fuel, self.units);
        while let Some(Reverse((cost, id, is_whole))) = queue.pop() {
            if is_whole {
                self.cache_path(&best, start, id, cost);
                return Ok(Some(cost));
            }
            if best[&id].0 < cost {
                continue;
            }
            if let Some(rest) = self.cached_distance(id) {
                queue.push(Reverse((cost.saturating_add(rest), id, true)));
                continue;
            }
            // Expressions of many parts take longer, and lead to more of them; but 500 may always be visited.
            let parts = self.boolean_parts(id).len();
            fuel = fuel.checked_sub((1 + parts * parts / 32).min(self.fuel / 500 + 1)).ok_or(OutOfFuel)?;
            self.gave_up = self.units - begun > WORK_OF_SEARCH;
            if self.gave_up {
                return Err(OutOfFuel);
            }
            for minterm in 0..self.alphabet.len() {
                let next = self.derivatives(id)[minterm];
                if next == NEVER || self.distances.get(&next) == Some(&None) {
                    continue;
                }
                let cost = cost.saturating_add(self.minterm_bytes[minterm]);
                // Each alternative by itself: their combinations are many more.
                for next in self.alternatives(next) {
                    if best.get(&next).is_none_or(|&(least, _)| cost < least) {
                        best.insert(next, (cost, id));
                        queue.push(Reverse((cost, next, false)));
                    }
                }
            }
        }
        self.distances.extend(best.keys().map(|&id| (id, None)));
        Ok(None)
    }

    fn cached_distance(&self, id: Id) -> Option<u32> {
        let properties = self.properties[id.0 as usize];
        if properties.nullable {
            return Some(0);
        }
        if !properties.boolean {
            return (id != NEVER).then_some(properties.shortest);
        }
        self.distances.get(&id).copied().flatten()
    }

    fn cache_path(&mut self, best: &FxHashMap<Id, (u32, Id)>, start: Id, end: Id, total: u32) {
        let mut id = end;
        loop {
            let (cost, parent) = best[&id];
            self.distances.insert(id, Some(total - cost));
            if id == start {
                return;
            }
            id = parent;
        }
    }
}
