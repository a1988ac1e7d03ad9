//! How many texts of a regular language have at most some length: how long the text is that is still free when others
//! are used.
//!
//! ```text
//! [ab]{1,2} as a JSON string     3 bytes: 2 texts     4 bytes: 6 texts     after 3 are used, a free one has 4 bytes
//! ```
//!
//! The paths of an automaton are counted, length by length, as far as somebody asks.
//!
//! Cost: a step for each byte that leads out of a state, for each length. Counting gives up after
//! [`MOST_STEPS`]; all longer texts are then taken to be very long.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::regular::{Automaton, StateId};

/// Steps of all lengths together.
const MOST_STEPS: usize = 1 << 18;

/// Bytes by which texts that were not counted are taken to be longer.
const FAR: usize = 1 << 14;

/// The lengths of the texts of one automaton.
#[derive(Debug, Default)]
pub struct TextLengths(Mutex<Counted>);

/// What was counted so far.
#[derive(Debug, Default)]
struct Counted {
    /// By length: texts of at most this many bytes.
    up_to: Vec<u64>,
    /// How many paths of the last length lead to each state that goes on.
    open: FxHashMap<StateId, u64>,
    steps: usize,
    gave_up: bool,
}

impl TextLengths {
    /// How many texts have at most `length` bytes, and whether none is longer.
    pub fn up_to(&self, automaton: &Automaton, length: u32) -> (u64, bool) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.up_to.is_empty() {
            let start = automaton.start();
            counted.up_to.push(u64::from(start.accepting()));
            if start.goes_on() {
                counted.open.insert(start.state(), 1);
            }
        }
        while counted.up_to.len() <= length as usize && !counted.open.is_empty() {
            counted.one_longer(automaton);
        }
        let (length, lengths) = (length as usize, counted.up_to.len());
        match counted.up_to.get(length) {
            Some(&texts) => (texts, false),
            None if counted.gave_up && length < lengths + FAR => (counted.up_to[lengths - 1], false),
            None if counted.gave_up => (u64::MAX, true),
            None => (counted.up_to[lengths - 1], true),
        }
    }
}

impl Counted {
    fn one_longer(&mut self, automaton: &Automaton) {
        let (mut texts, mut open) = (self.up_to.last().copied().unwrap_or(0), FxHashMap::default());
        let mut steps = 0;
        for (&state, &paths) in &self.open {
            for byte in automaton.next_bytes(state).iter() {
                let step = automaton.step(state, byte);
                if step.accepting() {
                    texts = u64::saturating_add(texts, paths);
                }
                if step.goes_on() {
                    let to: &mut u64 = open.entry(step.state()).or_insert(0);
                    *to = to.saturating_add(paths);
                }
                steps += 1;
            }
        }
        self.steps += steps;
        self.up_to.push(texts);
        self.gave_up = self.steps > MOST_STEPS && !open.is_empty();
        self.open = if self.gave_up { FxHashMap::default() } else { open };
    }
}
