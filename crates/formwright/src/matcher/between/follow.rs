//! The bytes that may come where a part of a pushdown automaton ends, whatever the stack is.
//!
//! ```text
//! list: "[" item ("," item)* "]"      after what reads `("," item)*` comes "]", so it does not end before a comma
//! ```
//!
//! Cost: the steps of the automaton, once, and each of its controls and symbols again when it learns of a byte. These are
//! the FOLLOW sets of LL parsers.

use rustc_hash::FxHashSet;

use super::suffix::Head;
use crate::interrupt::count;
use crate::matcher::pushdown::{Control, PushdownAutomaton, RESUME, Step, Symbol};
use crate::regular::ByteSet;

/// Steps that are looked at for a unit of work.
const STEPS_OF_UNIT: usize = 16;

/// The bytes that may follow controls and symbols, once their part ends.
pub struct Follows {
    controls: usize,
    sets: Vec<ByteSet>,
}

impl Follows {
    /// Finds those of all controls and symbols.
    pub fn new(automaton: &PushdownAutomaton) -> Self {
        let (controls, symbols) = (automaton.controls(), automaton.symbols());
        let mut found = Self { controls, sets: vec![ByteSet::default(); controls + symbols] };
        let first = list_first_bytes(automaton);
        let mut inherits: FxHashSet<(usize, usize)> = FxHashSet::default();
        for step in &automaton.start {
            found.add_step(automaton, &first, *step);
        }
        for head in (0..controls as Control).map(Head::Control).chain((0..symbols as Symbol).map(Head::Symbol)) {
            count(256 / STEPS_OF_UNIT);
            for step in (0..=u8::MAX).flat_map(|byte| head.step(automaton, byte)) {
                let last = found.add_step(automaton, &first, *step);
                inherits.extend(last.map(|last| (found.number(head), found.number(last))));
            }
        }
        found.spread(&inherits);
        found
    }

    /// Adds what a step tells: what it pushes is read in turn. Returns the last head that it leads to, if there is one.
    fn add_step(&mut self, automaton: &PushdownAutomaton, first: &[ByteSet], step: Step) -> Option<Head> {
        let mut reading = (step.to != RESUME).then_some(Head::Control(step.to));
        for symbol in automaton.words().symbols(step.pushed) {
            if let Some(before) = reading {
                let number = self.number(before);
                self.sets[number] = self.sets[number].union(&first[symbol as usize]);
            }
            reading = Some(Head::Symbol(symbol));
        }
        reading
    }

    /// Whether a byte may come where the part of a head ends.
    pub fn may_follow(&self, head: Head, byte: u8) -> bool {
        self.sets[self.number(head)].contains(byte)
    }

    fn number(&self, head: Head) -> usize {
        match head {
            Head::Control(control) => control as usize,
            Head::Symbol(symbol) => self.controls + symbol as usize,
        }
    }

    /// What may follow a head may follow those that end with it.
    fn spread(&mut self, inherits: &FxHashSet<(usize, usize)>) {
        let mut heirs = vec![Vec::new(); self.sets.len()];
        for &(from, to) in inherits {
            heirs[from].push(to);
        }
        let mut open: Vec<usize> = (0..self.sets.len()).collect();
        while let Some(from) = open.pop() {
            count(heirs[from].len());
            for &to in &heirs[from] {
                let all = self.sets[to].union(&self.sets[from]);
                if all != self.sets[to] {
                    self.sets[to] = all;
                    open.push(to);
                }
            }
        }
    }
}

/// By symbol: the bytes that it may begin with.
fn list_first_bytes(automaton: &PushdownAutomaton) -> Vec<ByteSet> {
    let mut first = vec![ByteSet::default(); automaton.symbols()];
    for byte in 0..=u8::MAX {
        for &symbol in automaton.symbols_begun_by(byte) {
            first[symbol as usize].insert(byte);
        }
    }
    first
}
