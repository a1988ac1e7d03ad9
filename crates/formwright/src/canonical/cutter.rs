//! Where pieces end in a text that is known.
//!
//! ```text
//! [a-z]+|\s+(?!\S)|\s+      "ab   c" -> "ab", "  ", " ", "c"
//! ```
//!
//! Cost: a lookup for each character; what a character does to the threads of a piece is found once. A match may
//! depend on the character after it, so it is seen when that is read.

use super::numbered::Numbered;
use super::program::{MOST_MINTERMS, Minterm, Program, Threads};

/// The number of the threads of which none is left.
const NONE: u32 = 0;

/// The number of those that begin a piece.
const START: u32 = 1;

/// Lists of threads kept at most.
const MOST_STATES: usize = 1 << 14;

/// What a character does: to the threads, and whether a match is before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    to: u32,
    is_match: bool,
}

/// Cuts texts by a pattern.
#[derive(Debug)]
pub struct Cutter {
    threads: Numbered<Threads>,
    steps: Vec<[Option<Step>; MOST_MINTERMS]>,
}

impl Cutter {
    /// For a pattern.
    pub fn new(program: &Program) -> Self {
        let mut threads = Numbered::new(Threads::new());
        threads.number(program.start().clone());
        Self { threads, steps: Vec::new() }
    }

    /// Where the piece at the start of a text ends, in bytes.
    pub fn piece(&mut self, program: &Program, text: &str) -> usize {
        let (mut at, mut end) = (START, 0);
        for (index, c) in text.char_indices() {
            let step = self.step(program, at, program.alphabet.minterm(c));
            if step.is_match {
                end = index;
            }
            if step.to == NONE {
                return end;
            }
            at = step.to;
        }
        if program.first_match(self.threads.value(at), None).is_some() { text.len() } else { end }
    }

    #[inline]
    fn step(&mut self, program: &Program, at: u32, minterm: Minterm) -> Step {
        match self.steps.get(at as usize).and_then(|steps| steps[usize::from(minterm)]) {
            Some(step) => step,
            None => self.find_step(program, at, minterm),
        }
    }

    /// Forgets what it found, if that is much.
    pub fn make_room(&mut self, program: &Program) {
        if self.threads.len() > MOST_STATES {
            *self = Self::new(program);
        }
    }

    #[cold]
    fn find_step(&mut self, program: &Program, at: u32, minterm: Minterm) -> Step {
        let threads = self.threads.value(at);
        // Once a match counts, what would be tried after it does not.
        let first = program.first_match(threads, Some(minterm));
        let after = program.step(&threads[..first.unwrap_or(threads.len())], minterm);
        let step = Step { to: self.threads.number(after), is_match: first.is_some() };
        self.steps.resize(self.threads.len(), [None; MOST_MINTERMS]);
        self.steps[at as usize][usize::from(minterm)] = Some(step);
        step
    }
}
