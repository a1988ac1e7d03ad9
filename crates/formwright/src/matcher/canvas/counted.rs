//! What edges of some states lead to, found from what was asked before.
//!
//! ```text
//! asked    states 1, 2, 3, then 2, 3, 4
//! looked   the edges of 1, 2, 3, then those of 1, which is gone, and of 4, which is new
//! ```
//!
//! Positions side by side have nearly the same states around them, so most edges are looked at once for a whole canvas.
//! By state, or by set of tokens, it is counted how many edges lead to it.

use super::rows::SetsAt;
use super::state_set::StateSet;
use crate::matcher::edges::{Edges, SetId, State};

/// The states at the other ends of the edges of some states.
#[derive(Clone, Debug)]
pub struct ReachedStates {
    asked: StateSet,
    edges: Box<[u32]>,
    reached: StateSet,
}

impl ReachedStates {
    /// Of no states yet, among so many.
    pub fn none_of(states: usize) -> Self {
        let none = StateSet::none_of(states);
        Self { asked: none.clone(), edges: vec![0; states].into(), reached: none }
    }

    /// What is reached from some states; `next` gives the other ends of the edges of one.
    pub fn find<I: Iterator<Item = State>>(&mut self, asked: &StateSet, next: impl Fn(State) -> I) -> &StateSet {
        if self.asked.count_differences(asked) > asked.len() {
            self.asked.clear();
            self.edges.fill(0);
            self.reached.clear();
        }
        for state in self.asked.differences(asked) {
            let is_new = asked.has(state);
            for end in next(state) {
                match count_edge(&mut self.edges[end as usize], is_new) {
                    Some(true) => self.reached.insert(end),
                    Some(false) => self.reached.remove(end),
                    None => {}
                }
            }
        }
        self.asked.clone_from(asked);
        &self.reached
    }
}

/// The sets of the edges from some states to some others.
#[derive(Clone, Debug)]
pub struct SetsBetween {
    before: StateSet,
    after: StateSet,
    edges: Box<[u32]>,
    found: SetsAt,
}

impl SetsBetween {
    /// Between no states yet, of those edges.
    pub fn none_of(edges: &Edges) -> Self {
        let (states, sets) = (StateSet::none_of(edges.len()), edges.sets().len());
        Self { before: states.clone(), after: states, edges: vec![0; sets].into(), found: SetsAt::none_of(sets) }
    }

    /// The sets of the edges that lead from states before to states after.
    pub fn find(&mut self, edges: &Edges, (before, after): (&StateSet, &StateSet)) -> &SetsAt {
        let differences = self.before.count_differences(before) + self.after.count_differences(after);
        if differences > before.len().min(after.len()) {
            self.start_again(before, after);
        }
        let Self { before: known, after: ends, edges: counts, found } = self;
        for state in known.differences(before) {
            let of_state = edges.edges_of(state).iter().filter(|edge| ends.has(edge.to));
            of_state.for_each(|edge| count_set(counts, found, edge.set, before.has(state)));
        }
        known.clone_from(before);
        for state in ends.differences(after) {
            let to_state = edges.edges_to(state).iter().filter(|edge| known.has(edge.from));
            to_state.for_each(|edge| count_set(counts, found, edge.set, after.has(state)));
        }
        ends.clone_from(after);
        found
    }

    /// Forgets all edges: then only one side is looked at, that with fewer states.
    fn start_again(&mut self, before: &StateSet, after: &StateSet) {
        self.edges.fill(0);
        self.found.clear();
        self.before.clear();
        self.after.clear();
        if before.len() < after.len() {
            self.after.clone_from(after);
        } else {
            self.before.clone_from(before);
        }
    }
}

/// Counts an edge of a set that is new or gone.
fn count_set(counts: &mut [u32], found: &mut SetsAt, set: SetId, is_new: bool) {
    match count_edge(&mut counts[set as usize], is_new) {
        Some(true) => found.insert(set),
        Some(false) => found.remove(set),
        None => {}
    }
}

/// Counts an edge that is new or gone: `true` if it is the first one, `false` if it was the last.
fn count_edge(edges: &mut u32, is_new: bool) -> Option<bool> {
    *edges = if is_new { *edges + 1 } else { *edges - 1 };
    (*edges == u32::from(is_new)).then_some(is_new)
}
