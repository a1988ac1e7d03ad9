//! Where whole classes of bytes (lowercase letters, digits, ...; see `vocabulary::shapes`) lead.
//!
//! ```text
//! [a-z_]+     lowercase letters lead to one state, digits to none
//! ab|ac       lowercase letters lead to several states: `step` says so, and tokens are stepped one by one
//! ```
//!
//! Cost: a step for every byte of the class, once for each state of a walk. The bytes of a class must lead to
//! equal steps, not only to the same state: one of them may also end the terminal.

use super::by_state::ByState;
use crate::regular::{Automaton, StateId, Step};
use crate::vocabulary::shapes::{CLASSES, members, place};

/// Where whole classes of bytes lead from the states met.
pub struct Classes<'w> {
    automaton: &'w Automaton,
    found: ByState<[Lead; CLASSES]>,
}

#[derive(Clone, Copy)]
enum Lead {
    Unasked,
    Same(Step),
    Several,
}

impl<'w> Classes<'w> {
    pub fn new(automaton: &'w Automaton) -> Self {
        Self { automaton, found: ByState::default() }
    }

    /// Where every byte of a class leads from `state`; `None` if not all of them lead to the same state.
    #[inline]
    pub fn step(&mut self, state: StateId, class: u8) -> Option<Step> {
        let lead = &mut self.found.of(state, || [Lead::Unasked; CLASSES])[place(class)];
        if matches!(lead, Lead::Unasked) {
            *lead = ask(self.automaton, state, class);
        }
        if let Lead::Same(step) = *lead { Some(step) } else { None }
    }
}

#[cold]
fn ask(automaton: &Automaton, state: StateId, class: u8) -> Lead {
    let row = automaton.transitions(state);
    let step = automaton.step_in(row, class);
    let alike = members(class).all(|byte| automaton.step_in(row, byte) == step);
    if alike { Lead::Same(step) } else { Lead::Several }
}
