//! A form whose texts nest, as a pushdown automaton over bytes, and where each token leads in it.
//!
//! ```text
//! s: "[" s "]" | "x"      s      -[->  s, and `]` is pushed
//!                         s      -x->  RESUME
//!                         RESUME -]->  RESUME, and `]` is popped
//! ```
//!
//! A control state, here *control*, is a position of the machine. The machine runs one byte from each position on an empty
//! stack: what it leaves on the stack is pushed, as a symbol of a few frames, and where it finishes the text, the part has
//! ended and whatever is on the stack is resumed ([`RESUME`]).
//!
//! If everything that a symbol resumes can be empty, the automaton guesses when it pushes the symbol: either it leaves it
//! out, or the symbol has to read a byte. So a token pops no more symbols than it has bytes.
//!
//! Controls that go on alike become one, as do symbols (see `merging`).
//!
//! Cost: every byte is tried at each position and after each symbol, some 50 us each.

mod merging;
mod moves;
mod popped;
mod stack_sets;
mod walk;
mod words;

use std::hash::Hash;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::CompiledGraph;
use crate::matcher::machine::{Configuration, END, Frame, Machine, Position, StackId, Stacks, too_many_states};

pub use moves::{End, Move, Moves};
pub use popped::{NOTHING, Popped, PoppedId};
pub use stack_sets::{NONE, ONLY_BOTTOM, Several, StackSet, StackSets};
pub use words::{EMPTY, WordId, Words};

/// Number of a control.
pub type Control = u32;

/// Number of a stack symbol.
pub type Symbol = u32;

/// The control after a part: what is on the stack goes on.
pub const RESUME: Control = 0;

/// The control after the end of a text, where only ends of text may come.
pub const ENDED: Control = 1;

/// The symbol below all others.
pub const BOTTOM: Symbol = 0;

/// Units of work of a position: every byte is tried.
const UNITS_OF_POSITION: usize = 256;

/// More words than this are not made of one stack.
const MOST_WORDS: usize = 1 << 12;

/// A symbol stands for so many frames at most.
const FRAMES: usize = 8;

/// Where a byte leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The control after it.
    pub to: Control,
    /// The symbols that it pushes.
    pub pushed: WordId,
}

/// Steps by a number and a byte.
#[derive(Debug)]
struct Table {
    /// By number and byte, 256 a number: where the steps begin in `steps`; and where the last ones end.
    first: Vec<u32>,
    steps: Vec<Step>,
}

impl Default for Table {
    fn default() -> Self {
        Self { first: vec![0], steps: Vec::new() }
    }
}

impl Table {
    /// Adds the steps of the next byte; those of a number begin after the last byte of the one before.
    fn push(&mut self, steps: Vec<Step>) {
        self.steps.extend(steps);
        self.first.push(self.steps.len() as u32);
    }

    /// How many numbers it has.
    fn len(&self) -> usize {
        self.first.len() / 256
    }

    fn of(&self, number: u32, byte: u8) -> &[Step] {
        let at = 256 * number as usize + usize::from(byte);
        let (Some(&first), Some(&end)) = (self.first.get(at), self.first.get(at + 1)) else { return &[] };
        &self.steps[first as usize..end as usize]
    }
}

/// The automaton.
#[derive(Debug)]
pub struct PushdownAutomaton {
    /// Where texts begin, with what is above the bottom of the stack.
    pub start: Vec<Step>,
    /// By control and byte.
    steps: Table,
    /// By symbol and byte: the steps that the symbol resumes.
    resumed: Table,
    /// By byte: the symbols that resume something which begins with it.
    begun_by: Vec<Vec<Symbol>>,
    words: Words,
    controls: usize,
}

impl PushdownAutomaton {
    /// The automaton of a compiled graph, of at most so many controls and symbols, where neither names nor items must
    /// differ.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are more.
    pub fn new(graph: &CompiledGraph, most_states: usize) -> Result<Self> {
        let (mut stacks, mut path) = (Stacks::default(), vec![0]);
        let mut machine = Machine::new(graph, &mut stacks, &mut path);
        let mut search = Search::new(most_states);
        let start = machine.initial();
        let start = search.name_all(&mut machine, &start)?;
        search.run(&mut machine)?;
        machine.check_limits()?;
        graph.check_parsers()?;
        if graph.overflowed() { Err(too_many_states()) } else { search.finish(&start) }
    }

    /// Where a byte leads from a control, on whatever stack. From [`RESUME`] nowhere: that is up to the stack.
    pub fn step(&self, from: Control, byte: u8) -> &[Step] {
        self.steps.of(from, byte)
    }

    /// Where a byte leads when a symbol is resumed.
    pub fn step_after(&self, symbol: Symbol, byte: u8) -> &[Step] {
        self.resumed.of(symbol, byte)
    }

    /// The symbols that resume something which begins with a byte.
    pub fn symbols_begun_by(&self, byte: u8) -> &[Symbol] {
        &self.begun_by[usize::from(byte)]
    }

    /// The words that steps push.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// How many controls there are.
    pub fn controls(&self) -> usize {
        self.controls
    }

    /// How many symbols there are.
    pub fn symbols(&self) -> usize {
        self.resumed.len()
    }
}

/// Where the machine leads, as it is found: a word for each way down its stack, the upper symbol first.
type Found = Vec<(Control, Vec<Symbol>)>;

/// Frames of a stack, the upper one first.
type Frames = SmallVec<[Position; FRAMES]>;

/// The positions found so far.
struct Search {
    most_states: usize,
    controls: Numbers<Position>,
    /// The frames of each, the upper one first.
    symbols: Numbers<Frames>,
    /// By control, and by symbol: where each byte leads.
    steps: Vec<Vec<(u8, Found)>>,
    resumed: Vec<Vec<(u8, Found)>>,
    /// By symbol: whether what it resumes may be empty.
    may_be_empty: Vec<bool>,
    /// The same by frame.
    empty_frames: FxHashMap<Position, bool>,
}

/// Things by number; the first numbers are none of them.
struct Numbers<T> {
    of: FxHashMap<T, u32>,
    all: Vec<Option<T>>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn after(reserved: u32) -> Self {
        Self { of: FxHashMap::default(), all: vec![None; reserved as usize] }
    }

    fn number(&mut self, thing: T) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.of.entry(thing.clone()).or_insert(next);
        if number == next {
            self.all.push(Some(thing));
        }
        number
    }
}

impl Search {
    fn new(most_states: usize) -> Self {
        Self {
            most_states,
            controls: Numbers::after(ENDED + 1),
            symbols: Numbers::after(BOTTOM + 1),
            steps: Vec::new(),
            resumed: Vec::new(),
            may_be_empty: Vec::new(),
            empty_frames: FxHashMap::default(),
        }
    }

    /// Finds the steps of all controls and symbols.
    fn run(&mut self, machine: &mut Machine<'_>) -> Result<()> {
        loop {
            if let Some(&control) = self.controls.all.get(self.steps.len()) {
                let from: Vec<Configuration> =
                    control.map(|position| Configuration { position, stack: END }).into_iter().collect();
                let found = self.try_bytes(machine, &from)?;
                self.steps.push(found);
            } else if let Some(symbol) = self.symbols.all.get(self.resumed.len()) {
                let frames = symbol.iter().flatten().rev();
                let stack = frames.fold(END, |below, &position| machine.stacks.push(Frame { position, below }));
                let mut from = Vec::new();
                if stack != END {
                    machine.resume_into(stack, &mut from);
                }
                self.may_be_empty.push(from.iter().any(|at| at.position == Position::Accept));
                let found = self.try_bytes(machine, &from)?;
                self.resumed.push(found);
            } else {
                return Ok(());
            }
            let states = self.controls.all.len() + self.symbols.all.len();
            if states > self.most_states {
                return Err(self.too_many(states));
            }
        }
    }

    /// The error of a form with too many states, of which so many are known.
    fn too_many(&self, known: usize) -> Error {
        Error::limit("form_states", known.max(self.most_states.saturating_add(1)), self.most_states)
    }

    /// Where each byte leads.
    fn try_bytes(&mut self, machine: &mut Machine<'_>, from: &[Configuration]) -> Result<Vec<(u8, Found)>> {
        count(UNITS_OF_POSITION * (1 + from.len()));
        let (mut found, mut next) = (Vec::new(), Vec::new());
        for byte in 0..=u8::MAX {
            next.clear();
            machine.step_all(from, byte, &mut next, 0);
            if !next.is_empty() {
                found.push((byte, self.name_all(machine, &next)?));
            }
        }
        Ok(found)
    }

    /// The controls and words of some configurations.
    fn name_all(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> Result<Found> {
        let mut found = Vec::with_capacity(configurations.len());
        for &Configuration { position, stack } in configurations {
            let to = if position == Position::Accept { RESUME } else { self.controls.number(position) };
            for frames in self.list_ways(machine.stacks, stack)? {
                let word = self.cut(machine, &frames).map(|frames| self.symbols.number(frames));
                found.push((to, word.collect()));
            }
        }
        Ok(found)
    }

    /// The ways down a stack: the frames of each, the upper one first.
    fn list_ways(&self, stacks: &Stacks, stack: StackId) -> Result<Vec<Vec<Position>>> {
        let (mut open, mut ways) = (vec![(stack, Vec::new())], Vec::new());
        while let Some((stack, mut frames)) = open.pop() {
            if let Some(several) = stacks.alternatives(stack) {
                open.extend(several.iter().map(|&stack| (stack, frames.clone())));
            } else if stack == END {
                ways.push(frames);
            } else {
                let Frame { position, below } = stacks.frame(stack);
                frames.push(position);
                open.push((below, frames));
            }
            if ways.len() + open.len() > MOST_WORDS {
                return Err(self.too_many(0));
            }
        }
        Ok(ways)
    }

    /// Cuts frames after each that cannot be empty: so symbols stand for the same frames whatever is below them.
    fn cut(&mut self, machine: &mut Machine<'_>, frames: &[Position]) -> std::vec::IntoIter<Frames> {
        let mut symbols = vec![Frames::new()];
        for &frame in frames {
            match symbols.last_mut() {
                Some(last) if last.len() < FRAMES => last.push(frame),
                _ => symbols.push(Frames::from_slice(&[frame])),
            }
            if !self.may_frame_be_empty(machine, frame) {
                symbols.push(Frames::new());
            }
        }
        symbols.retain(|frames| !frames.is_empty());
        symbols.into_iter()
    }

    fn may_frame_be_empty(&mut self, machine: &mut Machine<'_>, position: Position) -> bool {
        *self.empty_frames.entry(position).or_insert_with(|| {
            let (stack, mut from) = (machine.stacks.push(Frame { position, below: END }), Vec::new());
            machine.resume_into(stack, &mut from);
            from.iter().any(|at| at.position == Position::Accept)
        })
    }

    /// The automaton, in which symbols are left out where what they resume is empty, and what goes on alike is one.
    fn finish(self, start: &Found) -> Result<PushdownAutomaton> {
        let mut words = Words::default();
        let start = self.guess_empty(start, &mut words)?;
        let steps = self.list_steps(&self.steps, &mut words)?;
        let resumed = self.list_steps(&self.resumed, &mut words)?;
        Ok(merging::merge(&start, (&steps, &resumed), &words))
    }

    fn list_steps(&self, all: &[Vec<(u8, Found)>], words: &mut Words) -> Result<Table> {
        let mut table = Table::default();
        for by_byte in all {
            let mut by_byte = by_byte.iter().peekable();
            for byte in 0..=u8::MAX {
                let found = by_byte.next_if(|next| next.0 == byte);
                table.push(found.map_or(Ok(Vec::new()), |(_, found)| self.guess_empty(found, words))?);
            }
        }
        Ok(table)
    }

    /// Steps with and without each symbol that may resume nothing, each once.
    fn guess_empty(&self, found: &Found, words: &mut Words) -> Result<Vec<Step>> {
        let mut steps = Vec::with_capacity(found.len());
        for (to, symbols) in found {
            let mut ends = vec![EMPTY];
            for &symbol in symbols.iter().rev() {
                let with: Vec<WordId> = ends.iter().map(|&rest| words.push(symbol, rest)).collect();
                match (self.may_be_empty[symbol as usize], self.resumed[symbol as usize].is_empty()) {
                    (true, true) => {}
                    (true, false) => ends.extend(with),
                    (false, _) => ends = with,
                }
                if ends.len() > MOST_WORDS {
                    return Err(self.too_many(0));
                }
            }
            steps.extend(ends.into_iter().map(|pushed| Step { to: *to, pushed }));
        }
        count(steps.len());
        steps.sort_unstable();
        steps.dedup();
        Ok(steps)
    }
}

#[cfg(test)]
pub mod tests;
