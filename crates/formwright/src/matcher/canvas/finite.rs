//! What may be around each position of a canvas whose form has finitely many states.

use std::sync::Arc;

use super::counted::{ReachedStates, SetsBetween};
use super::rows::SetsAt;
use super::state_set::StateSet;
use super::{Change, Reach};
use crate::error::{Error, Result};
use crate::matcher::edges::{Edge, Edges, State, Step};
use crate::vocabulary::{TokenId, Vocabulary};

/// States before and after each position.
#[derive(Clone, Debug)]
pub struct FiniteReach {
    pub edges: Arc<Edges>,
    vocabulary: Arc<Vocabulary>,
    /// By position, and after the last one: the states before it that the tokens and holes to its left lead to.
    pub forward: Vec<StateSet>,
    /// By position, and after the last one: the states before it from which the tokens and holes to its right lead to
    /// an end.
    pub backward: Vec<StateSet>,
    /// What the last steps over holes have led to, forward and backward, and the sets of the last hole.
    after: ReachedStates,
    before: ReachedStates,
    between: SetsBetween,
    /// Room for the states of a step.
    found: StateSet,
}

/// What was around all positions, to go back to.
pub struct Saved {
    forward: Vec<StateSet>,
    backward: Vec<StateSet>,
}

impl FiniteReach {
    /// Of so many positions, of which nothing is found yet, and at most so many further tokens.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where that takes more bytes than `limit`.
    pub fn new(
        edges: Arc<Edges>,
        vocabulary: Arc<Vocabulary>,
        (length, after): (usize, u32),
        limit: usize,
    ) -> Result<Self> {
        let bytes = length.saturating_add(1).saturating_mul(2 * edges.len().div_ceil(64) * size_of::<u64>());
        if bytes > limit {
            return Err(Error::limit("canvas_bytes", bytes, limit).hint("ask for fewer positions"));
        }
        let none = StateSet::none_of(edges.len());
        let (mut start, mut last) = (none.clone(), none.clone());
        start.insert(0);
        (0..=edges.ended()).filter(|&state| edges.need(state) <= after).for_each(|state| last.insert(state));
        let (mut forward, mut backward) = (vec![none.clone(); length + 1], vec![none.clone(); length + 1]);
        (forward[0], backward[length]) = (start, last);
        let reached = ReachedStates::none_of(edges.len());
        let (after, before, between) = (reached.clone(), reached, SetsBetween::none_of(&edges));
        Ok(Self { edges, vocabulary, forward, backward, after, before, between, found: none })
    }

    /// The edges that may be taken at a position, each with the state that it leaves; those of a known position are meant
    /// for a hole in its place.
    pub fn edges_at(&self, at: usize) -> impl Iterator<Item = (State, Edge)> {
        let after = &self.backward[at + 1];
        let edges = self.forward[at].iter().flat_map(|state| {
            let edges = self.edges.edges_of(state);
            edges.iter().map(move |&edge| (state, edge))
        });
        edges.filter(|(_, edge)| after.has(edge.to))
    }

    /// Saves what is around all positions.
    pub fn save(&self) -> Saved {
        Saved { forward: self.forward.clone(), backward: self.backward.clone() }
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, saved: Saved) {
        (self.forward, self.backward) = (saved.forward, saved.backward);
    }

    fn step_of(&self, token: TokenId) -> Step<'_> {
        self.edges.step_of(&self.vocabulary, token)
    }
}

impl Reach for FiniteReach {
    fn is_forward_equal(&self, one: usize, other: usize) -> bool {
        self.forward[one] == self.forward[other]
    }

    fn is_backward_equal(&self, one: usize, other: usize) -> bool {
        self.backward[one] == self.backward[other]
    }

    fn copy_forward(&mut self, from: usize, to: usize) -> bool {
        let copy = self.forward[from].clone();
        replace(&mut self.forward[to], &copy)
    }

    fn copy_backward(&mut self, from: usize, to: usize) -> bool {
        let copy = self.backward[from].clone();
        replace(&mut self.backward[to], &copy)
    }

    fn step_forward(&mut self, at: usize, token: Option<TokenId>, _: Change) -> bool {
        let Some(token) = token else {
            let Self { edges, after, forward, .. } = self;
            let found = after.find(&forward[at], |state| edges.edges_of(state).iter().map(|edge| edge.to));
            return replace(&mut forward[at + 1], found);
        };
        let mut to = std::mem::take(&mut self.found);
        to.clear();
        let step = self.step_of(token);
        self.forward[at].iter().filter_map(|state| step.from(state)).for_each(|after| to.insert(after));
        let is_new = replace(&mut self.forward[at + 1], &to);
        self.found = to;
        is_new
    }

    fn step_backward(&mut self, at: usize, token: Option<TokenId>, change: Change) -> bool {
        let Some(token) = token else {
            let Self { edges, before, backward, .. } = self;
            let found = before.find(&backward[at + 1], |state| edges.edges_to(state).iter().map(|edge| edge.from));
            return replace(&mut backward[at], found);
        };
        let mut from = std::mem::take(&mut self.found);
        from.clear();
        let (step, after) = (self.step_of(token), &self.backward[at + 1]);
        let leads = |state: &State| step.from(*state).is_some_and(|to| after.has(to));
        match change.keeps_within(&self.backward[at]) {
            Some(known) => known.iter().filter(leads).for_each(|state| from.insert(state)),
            None => (0..=self.edges.ended()).filter(leads).for_each(|state| from.insert(state)),
        }
        let is_new = replace(&mut self.backward[at], &from);
        self.found = from;
        is_new
    }

    fn fits(&mut self, at: usize, token: TokenId) -> bool {
        let (step, after) = (self.step_of(token), &self.backward[at + 1]);
        self.forward[at].iter().any(|state| step.from(state).is_some_and(|to| after.has(to)))
    }

    fn find_sets(&mut self, at: usize) -> SetsAt {
        let Self { edges, between, forward, backward, .. } = self;
        let [before, after] = [at, at + 1].map(|at| forward[at].intersect(&backward[at]));
        between.find(edges, (&before, &after)).clone()
    }

    fn bytes(&self) -> usize {
        let (states, sets) = (self.edges.len(), self.edges.sets().len());
        (self.forward.len() * 2 + 7) * (states / 8 + size_of::<StateSet>()) + 4 * (2 * states + sets)
    }

    fn trim(&mut self, _limit: usize) -> Result<()> {
        Ok(()) // it never grows
    }
}

/// Makes a set another one, and says whether it was something else.
fn replace(known: &mut StateSet, found: &StateSet) -> bool {
    let is_new = known != found;
    if is_new {
        known.clone_from(found);
    }
    is_new
}
