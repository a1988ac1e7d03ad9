//! Where each token leads, in a form with finitely many states.
//!
//! ```text
//! a mask   from here `a`, `ab` and `b` may come
//! edges    from here `a` leads to state 1, `b` to 2, `ab` to 2: the edges 1 by {a}, 2 by {ab, b}
//! ```
//!
//! A state is one of the smallest automaton of the form: all texts with the same continuations are in the same state.
//! The last state is after the end of a text, where only ends of text may come.
//!
//! Cost: the byte automaton (some 10 us a state), then a walk down the tree of tokens for each state that tokens lead
//! to: a millisecond where most of 128,000 tokens may come, microseconds elsewhere. A set of tokens is kept once,
//! however many states have it. Everything is counted, so that it can be interrupted, and ends in time.

mod token_sets;
mod walk;

pub use token_sets::{SetId, TokenSets};

use super::minimal::{DEAD, MinimalAutomaton};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::vocabulary::{CONTROL, TokenId, Vocabulary};
use walk::Walk;

/// Number of a state that tokens lead to; 0 is the start.
pub type State = u32;

/// In place of a count of tokens: there is no way to an end.
pub const NEVER: u32 = u32::MAX;

/// All states of a form that tokens lead to, and the tokens between them.
#[derive(Debug)]
pub struct Edges {
    automaton: MinimalAutomaton,
    /// By number: the state of the automaton. That after the end has none.
    states: Vec<u16>,
    /// By state of the automaton: its number, or [`DEAD`].
    numbers: Vec<u16>,
    sets: TokenSets,
    /// By state: where its edges begin in `all`; and where the last ones end.
    first: Vec<u32>,
    all: Vec<Edge>,
    /// By state: where the edges that lead to it begin in `before`; and where the last ones end.
    first_before: Vec<u32>,
    before: Vec<EdgeBefore>,
    /// By state: tokens to the nearest end, end-of-text not counted.
    need: Vec<u32>,
}

/// The tokens that lead from one state to another.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where they lead.
    pub to: State,
    /// The tokens.
    pub set: SetId,
}

/// An edge, seen from the state that it leads to.
#[derive(Clone, Copy, Debug)]
pub struct EdgeBefore {
    /// The state that it leaves.
    pub from: State,
    /// The tokens.
    pub set: SetId,
}

impl Edges {
    /// The edges of an automaton.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where they have more bytes than the limits say.
    pub fn new(automaton: MinimalAutomaton, vocabulary: &Vocabulary, limits: &Limits) -> Result<Self> {
        let mut found = Self::with_start(automaton);
        let mut walk = Walk::default();
        while found.first.len() <= found.states.len() {
            found.expand(&mut walk, vocabulary);
            if found.bytes() > limits.canvas_form_bytes {
                return Err(Error::limit("canvas_form_bytes", found.bytes(), limits.canvas_form_bytes));
            }
        }
        found.add_state_after_end(vocabulary);
        found.find_edges_before();
        found.find_needs();
        Ok(found)
    }

    fn with_start(automaton: MinimalAutomaton) -> Self {
        let mut numbers = vec![DEAD; automaton.accepting.len()];
        numbers[0] = 0;
        Self {
            automaton,
            numbers,
            states: vec![0],
            sets: TokenSets::default(),
            first: vec![0],
            all: Vec::new(),
            first_before: Vec::new(),
            before: Vec::new(),
            need: Vec::new(),
        }
    }

    /// Finds the edges of the next state, but for its end.
    fn expand(&mut self, walk: &mut Walk, vocabulary: &Vocabulary) {
        let state = self.states[self.first.len() - 1];
        for (to, tokens) in walk.run(&self.automaton, vocabulary, state) {
            let to = number_of(&mut self.numbers, &mut self.states, to);
            let set = self.sets.intern(tokens, vocabulary.mask_words());
            self.all.push(Edge { to, set });
        }
        self.first.push(self.all.len() as u32);
    }

    /// Adds the state after the end, and the ends of text that lead to it.
    fn add_state_after_end(&mut self, vocabulary: &Vocabulary) {
        let (ended, ends) = (self.states.len() as State, self.sets.intern(vocabulary.eos(), vocabulary.mask_words()));
        let end = Edge { to: ended, set: ends };
        let (first, edges) = (std::mem::take(&mut self.first), std::mem::take(&mut self.all));
        for (state, range) in (0..).zip(first.windows(2)) {
            self.first.push(self.all.len() as u32);
            self.all.extend_from_slice(&edges[range[0] as usize..range[1] as usize]);
            self.all.extend(self.is_accepting(state).then_some(end));
        }
        self.first.push(self.all.len() as u32);
        self.all.push(end);
        self.first.push(self.all.len() as u32);
    }

    /// Finds by state which edges lead to it.
    fn find_edges_before(&mut self) {
        let size = self.len();
        let mut first = vec![0_u32; size + 1];
        self.all.iter().for_each(|edge| first[edge.to as usize + 1] += 1);
        for at in 1..=size {
            first[at] += first[at - 1];
        }
        let (mut next, mut before) = (first.clone(), vec![EdgeBefore { from: 0, set: 0 }; self.all.len()]);
        for state in 0..size as State {
            for edge in self.edges_of(state) {
                let place = &mut next[edge.to as usize];
                before[*place as usize] = EdgeBefore { from: state, set: edge.set };
                *place += 1;
            }
        }
        (self.first_before, self.before) = (first, before);
    }

    /// Finds by state how many tokens the nearest end takes, breadth first from the ends.
    fn find_needs(&mut self) {
        let ended = self.ended();
        let mut need = vec![NEVER; self.len()];
        let mut nearest: Vec<State> = (0..ended).filter(|&state| self.is_accepting(state)).collect();
        let mut tokens = 0;
        while !nearest.is_empty() {
            count(nearest.len());
            for &state in &nearest {
                need[state as usize] = tokens;
            }
            let before = nearest.iter().flat_map(|&state| self.edges_to(state)).map(|edge| edge.from);
            nearest = before.filter(|&state| need[state as usize] == NEVER).collect();
            nearest.sort_unstable();
            nearest.dedup();
            tokens += 1;
        }
        need[ended as usize] = 0;
        self.need = need;
    }

    /// How many states there are, that after the end included.
    pub fn len(&self) -> usize {
        self.states.len() + 1
    }

    /// The state after the end of a text.
    pub fn ended(&self) -> State {
        self.states.len() as State
    }

    /// Whether a text may end in a state that is not after its end.
    fn is_accepting(&self, state: State) -> bool {
        self.automaton.accepting[usize::from(self.states[state as usize])]
    }

    /// The edges of a state.
    #[inline]
    pub fn edges_of(&self, state: State) -> &[Edge] {
        &self.all[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    /// The edges that lead to a state.
    #[inline]
    pub fn edges_to(&self, state: State) -> &[EdgeBefore] {
        &self.before[self.first_before[state as usize] as usize..self.first_before[state as usize + 1] as usize]
    }

    /// Tokens from a state to the nearest end, end-of-text not counted; [`NEVER`] if they cannot spell any.
    pub fn need(&self, state: State) -> u32 {
        self.need[state as usize]
    }

    /// The sets of tokens.
    pub fn sets(&self) -> &TokenSets {
        &self.sets
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.all.len()
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        let of_states = 512 * self.automaton.accepting.len() + 16 * self.states.len();
        of_states + (size_of::<Edge>() + size_of::<EdgeBefore>()) * self.all.len() + self.sets.bytes()
    }

    /// What a token does to states.
    pub fn step_of<'a>(&'a self, vocabulary: &'a Vocabulary, token: TokenId) -> Step<'a> {
        let bytes = vocabulary.token(token);
        if vocabulary.eos().binary_search(&token).is_ok() {
            return Step::End(self);
        }
        let is_letter = bytes.contains(&CONTROL) && !vocabulary.is_control(token);
        if bytes.is_empty() || is_letter { Step::Nowhere } else { Step::Bytes(self, bytes) }
    }
}

/// The number of a state of the automaton, new or not.
fn number_of(numbers: &mut [u16], states: &mut Vec<u16>, state: u16) -> State {
    let number = &mut numbers[usize::from(state)];
    if *number == DEAD {
        *number = states.len() as u16;
        states.push(state);
    }
    State::from(*number)
}

/// A token, ready to be stepped from many states.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    /// It spells something.
    Bytes(&'a Edges, &'a [u8]),
    /// It ends a text.
    End(&'a Edges),
    /// It may never come.
    Nowhere,
}

impl Step<'_> {
    /// The state after the token.
    #[inline]
    pub fn from(self, state: State) -> Option<State> {
        match self {
            Self::Nowhere => None,
            Self::End(edges) => (state == edges.ended() || edges.is_accepting(state)).then(|| edges.ended()),
            Self::Bytes(edges, bytes) => {
                let mut at = *edges.states.get(state as usize)?;
                for &byte in bytes {
                    at = edges.automaton.next[256 * usize::from(at) + usize::from(byte)];
                    if at == DEAD {
                        return None;
                    }
                }
                Some(State::from(edges.numbers[usize::from(at)]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indexmap::IndexMap;

    use super::*;
    use crate::language::Language;
    use crate::syntax::choice::choice;
    use crate::syntax::regex::regex;

    fn edges_of(language: &Language, tokens: &[&str]) -> (Edges, Arc<Vocabulary>) {
        let end = tokens.len() as u32 - 1;
        let vocabulary = Arc::new(Vocabulary::new(tokens, &[end], IndexMap::new(), None).unwrap());
        let automaton = MinimalAutomaton::new(&language.byte_automaton(100, None).unwrap());
        (Edges::new(automaton, &vocabulary, &Limits::default()).unwrap(), vocabulary)
    }

    fn spelled(edges: &Edges, state: State) -> Vec<(State, Vec<TokenId>)> {
        let sets = edges.sets();
        edges.edges_of(state).iter().map(|edge| (edge.to, sets.tokens(edge.set).to_vec())).collect()
    }

    /// "ab" or "b": from the start, `b` and `ab` lead to the end of a text, `a` to before it.
    #[test]
    fn edges_of_a_choice() {
        let language = choice(&["ab", "b"], &Limits::default()).unwrap();
        let (edges, vocabulary) = edges_of(&language, &["a", "b", "ab", "x", ""]);
        assert_eq!(spelled(&edges, 0), [(1, vec![0]), (2, vec![2, 1])]);
        assert_eq!(spelled(&edges, 1), [(2, vec![1])]);
        assert_eq!((spelled(&edges, 2), spelled(&edges, 3)), (vec![(3, vec![4])], vec![(3, vec![4])]));
        assert_eq!((0..4).map(|state| edges.need(state)).collect::<Vec<_>>(), [1, 1, 0, 0]);
        let before = |state| edges.edges_to(state).iter().map(|edge| edge.from).collect::<Vec<_>>();
        assert_eq!((before(2), before(3)), (vec![0, 1], vec![2, 3]));
        let step = |token, state| edges.step_of(&vocabulary, token).from(state);
        assert_eq!((step(0, 0), step(2, 0), step(2, 1), step(3, 0)), (Some(1), Some(2), None, None));
        assert_eq!((step(4, 0), step(4, 2), step(4, 3), step(1, 3)), (None, Some(3), Some(3), None));
    }

    /// Each edge is what its tokens do one by one, and there is no other token.
    #[test]
    fn edges_are_the_steps_of_their_tokens() {
        let language = regex("(a|bc){2,5}c?", &Limits::default()).unwrap();
        let (edges, vocabulary) = edges_of(&language, &["a", "b", "c", "ab", "bc", "cb", "aa", "bcbc", ""]);
        for state in 0..edges.len() as State {
            let mut reached = vec![None; 9];
            for edge in edges.edges_of(state) {
                for &token in edges.sets().tokens(edge.set) {
                    assert_eq!(reached[token as usize].replace(edge.to), None);
                }
            }
            let stepped: Vec<_> = (0..9).map(|token| edges.step_of(&vocabulary, token).from(state)).collect();
            assert_eq!(reached, stepped);
        }
    }
}
