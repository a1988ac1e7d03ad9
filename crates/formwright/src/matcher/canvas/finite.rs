//! What may be around each position of a canvas whose form has finitely many states.

use std::sync::Arc;

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
    /// Room for the states of a step.
    found: StateSet,
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
        Ok(Self { edges, vocabulary, forward, backward, found: none })
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

    /// The sets of these edges.
    pub fn sets_at(&self, at: usize) -> SetsAt {
        let mut sets = SetsAt::none_of(self.edges.sets().len());
        self.edges_at(at).for_each(|(_, edge)| sets.insert(edge.set));
        sets
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
        let is_new = self.forward[from] != self.forward[to];
        self.forward[to] = self.forward[from].clone();
        is_new
    }

    fn copy_backward(&mut self, from: usize, to: usize) -> bool {
        let is_new = self.backward[from] != self.backward[to];
        self.backward[to] = self.backward[from].clone();
        is_new
    }

    fn step_forward(&mut self, at: usize, token: Option<TokenId>, change: Change) -> bool {
        let mut to = std::mem::take(&mut self.found);
        let (from, known) = (&self.forward[at], &self.forward[at + 1]);
        to.clear();
        match (token, change) {
            (Some(token), _) => {
                let step = self.step_of(token);
                from.iter().filter_map(|state| step.from(state)).for_each(|after| to.insert(after));
            }
            (None, Change::Any) => {
                let edges = from.iter().flat_map(|state| self.edges.edges_of(state));
                edges.for_each(|edge| to.insert(edge.to));
            }
            (None, Change::Fewer) => {
                let is_reached = |&state: &State| self.edges.before(state).iter().any(|&before| from.has(before));
                known.iter().filter(is_reached).for_each(|state| to.insert(state));
            }
        }
        let is_new = to != self.forward[at + 1];
        std::mem::swap(&mut to, &mut self.forward[at + 1]);
        self.found = to;
        is_new
    }

    fn step_backward(&mut self, at: usize, token: Option<TokenId>, change: Change) -> bool {
        let mut from = std::mem::take(&mut self.found);
        let (to, known) = (&self.backward[at + 1], &self.backward[at]);
        from.clear();
        let step = token.map(|token| self.step_of(token));
        let leads = |state: &State| match step {
            None => self.edges.edges_of(*state).iter().any(|edge| to.has(edge.to)),
            Some(step) => step.from(*state).is_some_and(|after| to.has(after)),
        };
        match change {
            Change::Fewer => known.iter().filter(leads).for_each(|state| from.insert(state)),
            Change::Any => (0..=self.edges.ended()).filter(leads).for_each(|state| from.insert(state)),
        }
        let is_new = from != self.backward[at];
        std::mem::swap(&mut from, &mut self.backward[at]);
        self.found = from;
        is_new
    }

    fn fits(&mut self, at: usize, token: TokenId) -> bool {
        let (step, after) = (self.step_of(token), &self.backward[at + 1]);
        self.forward[at].iter().any(|state| step.from(state).is_some_and(|to| after.has(to)))
    }

    fn find_sets(&mut self, at: usize) -> SetsAt {
        self.sets_at(at)
    }

    fn bytes(&self) -> usize {
        self.forward.len() * 2 * (self.edges.len() / 8 + size_of::<StateSet>())
    }

    fn trim(&mut self, _limit: usize) -> Result<()> {
        Ok(()) // it never grows
    }
}
