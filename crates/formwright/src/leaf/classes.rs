//! Where whole classes of bytes lead.
//!
//! A walk over shapes asks where all lowercase letters lead from a state, not where `q` leads. Each answer is found
//! once a walk, by asking for every byte of the class.

use rustc_hash::FxHashMap;

use crate::regular::{Automaton, StateId, Step};
use crate::vocabulary::shapes::members;

/// Where whole classes of bytes lead from the states met.
pub struct Classes<'w> {
    automaton: &'w Automaton,
    by_state: FxHashMap<StateId, usize>,
    found: Vec<[Lead; 256]>,
    last: Option<(StateId, usize)>,
}

#[derive(Clone, Copy)]
enum Lead {
    Unasked,
    Same(Step),
    Several,
}

impl<'w> Classes<'w> {
    pub fn new(automaton: &'w Automaton) -> Self {
        Self { automaton, by_state: FxHashMap::default(), found: Vec::new(), last: None }
    }

    /// Where every byte of a class leads from `state`; `None` if they lead to several places.
    #[inline]
    pub fn step(&mut self, state: StateId, class: u8) -> Option<Step> {
        let index = match self.last {
            Some((last, index)) if last == state => index,
            _ => self.find(state),
        };
        match self.found[index][usize::from(class)] {
            Lead::Same(step) => Some(step),
            Lead::Several => None,
            Lead::Unasked => self.ask(index, state, class),
        }
    }

    fn find(&mut self, state: StateId) -> usize {
        let next = self.found.len();
        let index = *self.by_state.entry(state).or_insert(next);
        if index == next {
            self.found.push([Lead::Unasked; 256]);
        }
        self.last = Some((state, index));
        index
    }

    #[cold]
    fn ask(&mut self, index: usize, state: StateId, class: u8) -> Option<Step> {
        let row = self.automaton.row(state);
        let step = self.automaton.step_in(row, class);
        let alike = members(class).all(|byte| self.automaton.step_in(row, byte) == step);
        self.found[index][usize::from(class)] = if alike { Lead::Same(step) } else { Lead::Several };
        alike.then_some(step)
    }
}
