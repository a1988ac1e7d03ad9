//! The running form: a deterministic automaton over bytes, built as it is used.
//!
//! A state is an expression (what may still follow, in code points) together
//! with a [`Partial`]: how much of the next code point's spelling has been read.
//! Reading the last byte of a spelling takes one derivative. A state is made
//! only if it is *live*: every state but [`DEAD`] can still reach acceptance,
//! so "some transition survives" is the same as "this byte may come".
//!
//! ```text
//! Text          a  →  derivative by 'a'          C3 → {prefix 0xC0, 1 byte to go} ─ A9 → derivative by 'é'
//! Json          "  →  end, if the expression accepts      \ → Escape → n → derivative by '\n'
//! ```
//!
//! Cost: a known transition is two loads (byte class, table). An unknown one
//! takes the lock and a derivative, about a microsecond, once per process.
//! Tables only grow, so readers need no lock. Wrinkle: a partial character whose
//! every completion leads to the same derivative forgets its prefix
//! ([`Partial::Same`]); without that, CJK text would make thousands of states.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::alphabet::{Alphabet, Letter, Letters};
use super::byte_set::ByteSet;
use super::expression::{Arena, EMPTY, Id, MANY, NEVER, OutOfFuel, UNBOUNDED, contains};
use super::tree::Regular;
use crate::error::{Error, Kind, Result};
use crate::limits::Limits;

/// A state of an [`Automaton`].
pub type StateId = u32;

/// The state nothing leaves: the text is out of form.
pub const DEAD: StateId = 0;

/// How code points are written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// Plain UTF-8.
    Text,
    /// A JSON string with both quotes.
    Json(Escapes),
}

/// Which escapes a JSON string may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Escapes {
    /// One spelling for each text: short escapes, or lower-case `\u00xx` where there is none.
    Canonical,
    /// Those JSON needs; control characters also as `\u00XX`.
    Natural,
    /// Every valid escape.
    Any,
}

/// Where one byte leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(u32);

const ACCEPTING: u32 = 1 << 31;
const FINAL: u32 = 1 << 30;
const STATE: u32 = FINAL - 1;
const UNKNOWN: u32 = u32::MAX;

impl Step {
    /// The state after the byte; [`DEAD`] if it may not come.
    #[inline]
    pub fn state(self) -> StateId {
        self.0 & STATE
    }

    /// Whether the text read so far is complete.
    #[inline]
    pub fn accepting(self) -> bool {
        self.0 & ACCEPTING != 0
    }

    /// Whether more bytes may follow.
    #[inline]
    pub fn goes_on(self) -> bool {
        self.0 & FINAL == 0 && self.state() != DEAD
    }
}

/// How much of the next code point has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Partial {
    /// Nothing: between two code points.
    Between,
    /// Before the opening quote of a JSON string.
    Open,
    /// After the closing quote.
    Closed,
    /// Inside UTF-8: bits read, bytes to go, bounds of the next byte.
    Bytes { prefix: u32, need: u8, low: u8, high: u8 },
    /// Inside UTF-8, and every completion leads to this state's expression.
    Same { need: u8, low: u8, high: u8 },
    /// After a backslash.
    Escape,
    /// Inside `\uXXXX`: digits read and their value.
    Hex { digits: u8, value: u16 },
    /// After a high surrogate `\uD83D`: `stage` 0 wants `\`, 1 wants `u`, 2.. wants hex digits.
    Low { high: u16, stage: u8, value: u16 },
}

/// The transitions of one state.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    state: StateId,
    cells: &'a [AtomicU32],
}

impl Row<'_> {
    /// Whose transitions they are.
    pub(crate) fn state(self) -> StateId {
        self.state
    }
}

/// A deterministic automaton over bytes. Shared by threads, apart from the count of who holds it; grows, never changes.
#[repr(align(64))]
pub struct Automaton {
    spelling: Spelling,
    /// Byte -> byte class.
    classes: [u8; 256],
    /// The first byte of each class; classes are runs of bytes.
    firsts: Box<[u8]>,
    /// A row for each state: where each class leads, and the state it is clamped to.
    table: Table,
    builder: Mutex<Builder>,
    overflow: AtomicBool,
    crowded: AtomicBool,
    /// Bytes, about, when a transition was built last.
    memory: AtomicUsize,
    start: Step,
    /// The reach for which states are clamped.
    reach: OnceLock<u32>,
    /// The bytes that lead out of the start.
    first: OnceLock<ByteSet>,
    /// The classes asked about in [`Automaton::runs`].
    spelled: OnceLock<Spelled>,
}

/// A class of code points: its bit, and its ranges.
pub(crate) type Class = (u64, Vec<(u32, u32)>);

/// A loop over a class of letters.
pub(crate) struct ClassRun {
    /// The classes asked about that it covers: all their code points are in its class and written as themselves.
    pub covers: u64,
    /// Reading up to so many of the letters keeps the state live.
    pub repetitions: u32,
}

/// Classes of code points, a bit each.
struct Spelled {
    /// Those whose code points are all written as themselves.
    plainly: u64,
    /// Those that have a letter, by letter.
    with: Box<[u64]>,
}

impl Spelled {
    fn new(classes: &[Class], alphabet: &Alphabet, spelling: Spelling) -> Self {
        let (mut plainly, mut with) = (0, vec![0; alphabet.len()].into_boxed_slice());
        let escaped = |low, high| low < 0x20 || [0x22, 0x5C].iter().any(|code| (low..=high).contains(code));
        for (class, ranges) in classes {
            if spelling == Spelling::Text || !ranges.iter().any(|&(low, high)| escaped(low, high)) {
                plainly |= class;
            }
            let segments = ranges.iter().flat_map(|&(low, high)| alphabet.segments(low, high));
            segments.for_each(|(_, _, letter)| with[usize::from(letter)] |= class);
        }
        Self { plainly, with }
    }

    /// The classes with no other letters than some.
    fn within(&self, letters: &Letters) -> u64 {
        let others = self.with.iter().zip(0..).filter(|&(_, letter)| !contains(letters, letter));
        others.fold(self.plainly, |covers, (with, _)| covers & !with)
    }
}

struct Builder {
    arena: Arena,
    states: Vec<(Id, Partial)>,
    ids: FxHashMap<(Id, Partial), StateId>,
    /// The expression asked about last, and what follows its letters as far as that was asked.
    last: (Option<Id>, Vec<Option<Id>>),
    spelling: Spelling,
    max_states: usize,
    max_expressions: usize,
    /// Bytes of what does not grow, and of each state.
    base: usize,
    per_state: usize,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automaton")
            .field("spelling", &self.spelling)
            .field("classes", &self.firsts.len())
            .finish_non_exhaustive()
    }
}

impl Automaton {
    /// The automaton of `tree` written in `spelling`.
    ///
    /// # Errors
    /// [`Kind::Limit`] when deciding emptiness takes too long.
    pub fn new(tree: &Regular, spelling: Spelling, limits: &Limits) -> Result<Self> {
        let alphabet = Alphabet::new(tree);
        let (classes, firsts) = byte_classes(&alphabet, spelling);
        let weights = weights(&alphabet, spelling);
        let base = size_of::<Self>() + alphabet.memory();
        let mut arena = Arena::new(alphabet, weights, limits.emptiness_search);
        let root = arena.lower(tree);
        let mut builder = Builder {
            arena,
            states: vec![(NEVER, Partial::Between)],
            ids: FxHashMap::default(),
            last: (None, Vec::new()),
            spelling,
            max_states: limits.automaton_states,
            max_expressions: limits.automaton_expressions,
            base,
            per_state: (firsts.len() + 1) * size_of::<AtomicU32>() + 2 * size_of::<(Id, Partial, StateId)>(),
        };
        let live = builder.arena.live(root).map_err(|OutOfFuel| too_hard(limits))?;
        let at = if spelling == Spelling::Text { Partial::Between } else { Partial::Open };
        let start = if live { builder.state(root, at) } else { Ok(Step(DEAD)) };
        let start = start.map_err(|_| too_hard(limits))?;
        Ok(Self {
            spelling,
            classes,
            table: Table::new(firsts.len() + 1),
            firsts,
            memory: AtomicUsize::new(builder.memory()),
            builder: Mutex::new(builder),
            overflow: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
            start,
            reach: OnceLock::new(),
            first: OnceLock::new(),
            spelled: OnceLock::new(),
        })
    }

    /// Takes each of `bytes` as the first one, to meet a bound before a text does.
    ///
    /// # Errors
    /// [`Kind::Limit`] when deciding what may follow takes too long.
    pub fn try_first(&self, bytes: impl IntoIterator<Item = u8>, limits: &Limits) -> Result<()> {
        for byte in bytes {
            self.step(self.start.state(), byte);
            if self.overflowed() {
                return Err(too_hard(limits));
            }
        }
        Ok(())
    }

    /// Whether no text is accepted.
    pub fn is_never(&self) -> bool {
        self.start.state() == DEAD
    }

    /// The state before the first byte, with its flags.
    pub fn start(&self) -> Step {
        self.start
    }

    /// The state before the first character: at the start, or behind the quote.
    pub fn inside(&self) -> StateId {
        let start = self.start.state();
        if self.ends_hard() { self.step(start, b'"').state() } else { start }
    }

    /// Where `byte` leads from `state`.
    #[inline]
    pub fn step(&self, state: StateId, byte: u8) -> Step {
        let class = usize::from(self.classes[usize::from(byte)]);
        if let Some(row) = self.table.row(state) {
            let known = row[class].load(Ordering::Acquire);
            if known != UNKNOWN {
                return Step(known);
            }
        }
        self.discover(state, byte, class)
    }

    /// The bytes that lead out of a state.
    pub fn leaving(&self, state: StateId) -> ByteSet {
        if state == self.start.state() {
            *self.first.get_or_init(|| self.find_leaving(state))
        } else {
            self.find_leaving(state)
        }
    }

    fn find_leaving(&self, state: StateId) -> ByteSet {
        self.complete(state);
        let (row, mut set) = (self.row(state), ByteSet::default());
        let lasts = self.firsts[1..].iter().map(|&next| next - 1).chain([u8::MAX]);
        for (&first, last) in self.firsts.iter().zip(lasts) {
            if self.step_in(row, first).state() != DEAD {
                set.insert_all(first..=last);
            }
        }
        set
    }

    /// Finds every transition of a state that takes no search: together they cost little more than a few.
    fn complete(&self, state: StateId) {
        let cells = &self.table.row_or_make(state)[..self.firsts.len()];
        if state == DEAD || cells.iter().all(|cell| cell.load(Ordering::Relaxed) != UNKNOWN) {
            return;
        }
        let mut builder = self.lock();
        if builder.takes_search(state) {
            return;
        }
        let ascii_only = builder.reads_ascii_only(state);
        for (cell, &byte) in cells.iter().zip(&self.firsts) {
            if cell.load(Ordering::Relaxed) == UNKNOWN {
                let dead = (ascii_only && !byte.is_ascii()).then_some(Step(DEAD));
                let Some(step) = dead.or_else(|| self.build(&mut builder, state, byte)) else { return };
                cell.store(step.0, Ordering::Release);
            }
        }
    }

    /// The transitions of a state, for loops that take many of them.
    #[inline]
    pub(crate) fn row(&self, state: StateId) -> Row<'_> {
        Row { state, cells: self.table.row_or_make(state) }
    }

    /// Where `byte` leads from the state of a row.
    #[inline]
    pub(crate) fn step_in(&self, row: Row<'_>, byte: u8) -> Step {
        let class = usize::from(self.classes[usize::from(byte)]);
        let known = row.cells[class].load(Ordering::Acquire);
        if known == UNKNOWN { self.discover(row.state, byte, class) } else { Step(known) }
    }

    #[cold]
    fn discover(&self, state: StateId, byte: u8, class: usize) -> Step {
        if state == DEAD {
            return Step(DEAD);
        }
        let Some(step) = self.build(&mut self.lock(), state, byte) else { return Step(DEAD) };
        self.table.row_or_make(state)[class].store(step.0, Ordering::Release);
        step
    }

    /// A transition; none at the bound.
    fn build(&self, builder: &mut Builder, state: StateId, byte: u8) -> Option<Step> {
        let step = builder.step(state, byte);
        self.memory.store(builder.memory(), Ordering::Relaxed);
        if builder.is_crowded() {
            self.crowded.store(true, Ordering::Relaxed);
        }
        if step.is_err() {
            self.overflow.store(true, Ordering::Relaxed);
        }
        step.ok()
    }

    /// Whether a bound was reached while building: masks and answers since then may miss texts.
    pub fn overflowed(&self) -> bool {
        self.overflow.load(Ordering::Relaxed)
    }

    /// Whether so many states are known that new texts had better start with an automaton of their own.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// About how many bytes of memory it takes by now.
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// Whether every accepting state is final, so that a text ends where it first can (JSON strings: the quote).
    pub fn ends_hard(&self) -> bool {
        self.spelling != Spelling::Text
    }

    /// Bytes of the shortest completion from `state`.
    pub fn shortest(&self, state: StateId) -> u32 {
        self.lock().shortest(state)
    }

    /// The state that stands for `state` in caches of tokens of at most `reach - 1` code points, and the bytes by
    /// which the end may be farther than from there.
    pub fn clamped(&self, state: StateId, reach: u32) -> (StateId, u32) {
        let mut builder = self.lock();
        let near = builder.clamped(state, reach);
        (near, if near == state { 0 } else { builder.slack(state, reach) })
    }

    /// The first of [`Automaton::clamped`], remembered for the reach asked about first; for others, the state itself.
    #[inline]
    pub fn near(&self, state: StateId, reach: u32) -> StateId {
        if *self.reach.get_or_init(|| reach) != reach {
            return state;
        }
        let cell = &self.table.row_or_make(state)[self.firsts.len()];
        match cell.load(Ordering::Acquire) {
            UNKNOWN => self.find_near(state, reach, cell),
            near => near,
        }
    }

    #[cold]
    fn find_near(&self, state: StateId, reach: u32, cell: &AtomicU32) -> StateId {
        let near = self.lock().clamped(state, reach);
        cell.store(near, Ordering::Release);
        near
    }

    /// Where a state comes to that counts farther than tokens of `reach - 1` code points can tell, when they can.
    pub fn near_its_end(&self, state: StateId, reach: u32) -> Option<StateId> {
        let mut builder = self.lock();
        let (expression, at) = builder.states[state as usize];
        let last = builder.arena.near_its_end(expression, reach)?;
        builder.state(last, at).ok().map(Step::state).filter(|&state| state != DEAD)
    }

    /// Whether any text may follow, and the state is between two code points.
    pub fn is_anything(&self, state: StateId) -> bool {
        let builder = self.lock();
        let (expression, at) = builder.states[state as usize];
        at == Partial::Between && builder.arena.is_anything(expression)
    }

    /// How its texts are spelled.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// The class loops `state` may stay in, once the character it is inside of is complete. The classes asked about must
    /// be the same every time.
    pub(crate) fn runs(&self, state: StateId, classes: &[Class]) -> SmallVec<[ClassRun; 1]> {
        let mut builder = self.lock();
        let Some((expression, _)) = builder.behind(state) else { return SmallVec::new() };
        let (spelled, parts) = (self.spelled(&builder, classes), builder.arena.alternatives(expression));
        let run = |part| {
            let (letters, repetitions) = builder.arena.class_run(part)?;
            Some(ClassRun { covers: spelled.within(letters), repetitions })
        };
        parts.into_iter().filter_map(run).collect()
    }

    /// The loop of all letters that lead `state` to itself, once the character it is inside of is complete; perhaps none
    /// do.
    pub(crate) fn own_loop(&self, state: StateId, classes: &[Class]) -> ClassRun {
        let mut builder = self.lock();
        let letters = builder.behind(state).map(|(expression, _)| builder.own_loop(expression));
        let covers = letters.map_or(0, |letters| self.spelled(&builder, classes).within(&letters));
        ClassRun { covers, repetitions: UNBOUNDED }
    }

    fn spelled(&self, builder: &Builder, classes: &[Class]) -> &Spelled {
        self.spelled.get_or_init(|| Spelled::new(classes, &builder.arena.alphabet, self.spelling))
    }

    /// Bytes of the shortest completion at any time in a class loop of `state`, at most.
    pub fn farthest(&self, state: StateId) -> u32 {
        let mut builder = self.lock();
        let quote = u32::from(self.spelling != Spelling::Text);
        let Some((expression, left)) = builder.behind(state) else { return 0 };
        builder.arena.farthest(expression).saturating_add(quote + left)
    }

    /// Whether `text` is accepted.
    pub fn accepts(&self, text: &[u8]) -> bool {
        let mut step = self.start;
        for &byte in text {
            step = self.step(step.state(), byte);
        }
        step.accepting()
    }

    fn lock(&self) -> MutexGuard<'_, Builder> {
        self.builder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn too_hard(limits: &Limits) -> Error {
    let allowed = limits.emptiness_search;
    Error::new(
        Kind::Limit { limit: "emptiness_search", value: allowed + 1, allowed },
        format!("limit reached: deciding whether a combination of patterns is empty needs more than {allowed} states"),
    )
    .hint("simplify the patterns, lengths or divisors that are combined")
}

impl Builder {
    /// What follows the code point a state is inside of, if that is known, and the bytes left of it.
    fn behind(&self, state: StateId) -> Option<(Id, u32)> {
        match self.states[state as usize] {
            (expression, Partial::Between) => Some((expression, 0)),
            (expression, Partial::Same { need, .. }) => Some((expression, u32::from(need))),
            _ => None,
        }
    }

    /// The state whose counters are clamped, if there may be one.
    fn clamped(&mut self, state: StateId, reach: u32) -> StateId {
        let (expression, at) = self.states[state as usize];
        let clamped = self.arena.clamp(expression, reach);
        if clamped == expression { state } else { self.state(clamped, at).map_or(state, Step::state) }
    }

    fn slack(&mut self, state: StateId, reach: u32) -> u32 {
        self.arena.slack(self.states[state as usize].0, reach)
    }

    /// Whether it takes a search to tell if what follows a state is empty.
    fn takes_search(&self, state: StateId) -> bool {
        self.arena.takes_search(self.states[state as usize].0)
    }

    /// Whether a quarter of the room is used up.
    fn is_crowded(&self) -> bool {
        self.states.len() >= self.max_states / 4 || self.arena.len() >= self.max_expressions / 4
    }

    /// About how many bytes of memory the automaton takes.
    fn memory(&self) -> usize {
        self.base + self.arena.memory() + self.states.capacity() * self.per_state
    }

    /// The state for an expression and a partial; DEAD if it is a dead end.
    fn state(&mut self, expression: Id, at: Partial) -> Result<Step, OutOfFuel> {
        if expression == NEVER || !self.reachable(expression, at)? {
            return Ok(Step(DEAD));
        }
        let flags = self.flags(expression, at);
        if let Some(&id) = self.ids.get(&(expression, at)) {
            return Ok(Step(id | flags));
        }
        if self.states.len() >= self.max_states || self.arena.len() >= self.max_expressions {
            return Err(OutOfFuel);
        }
        let id = self.states.len() as StateId;
        self.states.push((expression, at));
        self.ids.insert((expression, at), id);
        Ok(Step(id | flags))
    }

    fn flags(&self, expression: Id, at: Partial) -> u32 {
        match at {
            Partial::Closed => ACCEPTING | FINAL,
            Partial::Between if self.spelling == Spelling::Text && self.arena.nullable(expression) => {
                if expression == EMPTY { ACCEPTING | FINAL } else { ACCEPTING }
            }
            _ => 0,
        }
    }

    /// Whether some completion of `at` keeps the expression live.
    fn reachable(&mut self, expression: Id, at: Partial) -> Result<bool, OutOfFuel> {
        match at {
            Partial::Closed => Ok(true),
            Partial::Between | Partial::Open | Partial::Same { .. } => self.arena.live(expression),
            _ => {
                for (low, high) in self.completions(at) {
                    for segment in self.arena.alphabet.places(low, high) {
                        let Some(letter) = self.arena.alphabet.letter_at(segment) else { continue };
                        let next = self.derive(expression, letter);
                        if self.arena.live(next)? {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
        }
    }

    /// The code points that may complete a partial spelling, as ranges.
    fn completions(&self, at: Partial) -> Vec<(u32, u32)> {
        match at {
            Partial::Bytes { prefix, need, low, high } => vec![bytes_range(prefix, need, low, high)],
            Partial::Escape if self.any_escapes() => vec![(0, 0x10_FFFF)],
            Partial::Escape => vec![(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)],
            Partial::Hex { digits, value } if self.spelling == Spelling::Json(Escapes::Canonical) => self
                .hex_ranges(digits, value)
                .into_iter()
                .flat_map(|(low, high)| low..=high)
                .filter(|&code| !has_short(code))
                .map(|code| (code, code))
                .collect(),
            Partial::Hex { digits, value } => self.hex_ranges(digits, value),
            Partial::Low { high, stage, value } => vec![low_range(high, stage, value)],
            _ => Vec::new(),
        }
    }

    fn hex_ranges(&self, digits: u8, value: u16) -> Vec<(u32, u32)> {
        let shift = 4 * u32::from(4 - digits);
        let low = u32::from(value) << shift;
        let high = low + (1 << shift) - 1;
        if !self.any_escapes() {
            return if low < 0x20 { vec![(low, high.min(0x1F))] } else { Vec::new() };
        }
        let mut ranges = vec![(low, high)];
        let (from, to) = (low.max(0xD800), high.min(0xDBFF));
        if from <= to {
            ranges.push((0x1_0000 + ((from - 0xD800) << 10), 0x1_0000 + ((to - 0xD800) << 10) + 0x3FF));
        }
        ranges
    }

    fn any_escapes(&self) -> bool {
        self.spelling == Spelling::Json(Escapes::Any)
    }

    /// What may follow a letter of an expression. Many bytes ask about the same letters.
    fn derive(&mut self, expression: Id, letter: Letter) -> Id {
        if self.last.0 != Some(expression) {
            self.last.0 = Some(expression);
            self.last.1.clear();
            self.last.1.resize(self.arena.alphabet.len(), None);
        }
        self.arena.derive_into(&mut self.last.1, expression, letter)
    }

    /// Whether a state is between two code points, and all that may come are ASCII.
    fn reads_ascii_only(&mut self, state: StateId) -> bool {
        let (expression, at) = self.states[state as usize];
        at == Partial::Between && self.derive_range(expression, 0x80, 0x10_FFFF) == Some(NEVER)
    }

    /// The letters that lead from an expression to itself, such as those no forbidden word starts with.
    fn own_loop(&mut self, expression: Id) -> Letters {
        let mut letters = self.arena.alphabet.none();
        for letter in 0..self.arena.alphabet.len() {
            if self.derive(expression, letter as Letter) == expression {
                letters[letter / 64] |= 1 << (letter % 64);
            }
        }
        letters
    }

    /// What may follow any of some code points, if it is the same for all.
    fn derive_range(&mut self, expression: Id, low: u32, high: u32) -> Option<Id> {
        let mut same = None;
        for segment in self.arena.alphabet.places(low, high) {
            let Some(letter) = self.arena.alphabet.letter_at(segment) else { continue };
            let next = self.derive(expression, letter);
            if *same.get_or_insert(next) != next {
                return None;
            }
        }
        Some(same.unwrap_or(NEVER))
    }

    fn step(&mut self, state: StateId, byte: u8) -> Result<Step, OutOfFuel> {
        let (expression, at) = self.states[state as usize];
        match at {
            Partial::Between if self.spelling == Spelling::Text => self.character(expression, byte),
            Partial::Between => self.json_character(expression, byte),
            Partial::Open if byte == b'"' => self.state(expression, Partial::Between),
            Partial::Bytes { prefix, need, low, high } => {
                if !(low..=high).contains(&byte) {
                    return Ok(Step(DEAD));
                }
                let prefix = prefix << 6 | u32::from(byte & 0x3F);
                if need == 1 {
                    self.code_point(expression, prefix)
                } else {
                    self.bytes(expression, prefix, need - 1, 0x80, 0xBF)
                }
            }
            Partial::Same { need, low, high } => {
                if !(low..=high).contains(&byte) {
                    return Ok(Step(DEAD));
                }
                let next =
                    if need == 1 { Partial::Between } else { Partial::Same { need: need - 1, low: 0x80, high: 0xBF } };
                self.state(expression, next)
            }
            Partial::Escape => self.escape(expression, byte),
            Partial::Hex { digits, value } => self.hex(expression, byte, digits, value),
            Partial::Low { high, stage, value } => self.low_surrogate(expression, byte, high, stage, value),
            Partial::Open | Partial::Closed => Ok(Step(DEAD)),
        }
    }

    fn code_point(&mut self, expression: Id, code: u32) -> Result<Step, OutOfFuel> {
        let letter = self.arena.alphabet.letter(code);
        if letter == super::alphabet::NO_LETTER {
            return Ok(Step(DEAD));
        }
        let next = self.derive(expression, letter);
        self.state(next, Partial::Between)
    }

    /// The first byte of a code point in UTF-8.
    fn character(&mut self, expression: Id, byte: u8) -> Result<Step, OutOfFuel> {
        match byte {
            0..=0x7F => self.code_point(expression, u32::from(byte)),
            0xC2..=0xDF => self.bytes(expression, u32::from(byte & 0x1F), 1, 0x80, 0xBF),
            0xE0 => self.bytes(expression, 0, 2, 0xA0, 0xBF),
            0xED => self.bytes(expression, 0xD, 2, 0x80, 0x9F),
            0xE1..=0xEF => self.bytes(expression, u32::from(byte & 0xF), 2, 0x80, 0xBF),
            0xF0 => self.bytes(expression, 0, 3, 0x90, 0xBF),
            0xF1..=0xF3 => self.bytes(expression, u32::from(byte & 7), 3, 0x80, 0xBF),
            0xF4 => self.bytes(expression, 4, 3, 0x80, 0x8F),
            _ => Ok(Step(DEAD)),
        }
    }

    fn json_character(&mut self, expression: Id, byte: u8) -> Result<Step, OutOfFuel> {
        match byte {
            b'"' if self.arena.nullable(expression) => self.state(EMPTY, Partial::Closed),
            b'"' | 0..=0x1F => Ok(Step(DEAD)),
            b'\\' => self.state(expression, Partial::Escape),
            _ => self.character(expression, byte),
        }
    }

    /// Some bytes of a code point are read: keep the prefix only while it matters.
    fn bytes(&mut self, expression: Id, prefix: u32, need: u8, low: u8, high: u8) -> Result<Step, OutOfFuel> {
        let (from, to) = bytes_range(prefix, need, low, high);
        match self.derive_range(expression, from, to) {
            Some(next) => self.state(next, Partial::Same { need, low, high }),
            None => self.state(expression, Partial::Bytes { prefix, need, low, high }),
        }
    }

    fn escape(&mut self, expression: Id, byte: u8) -> Result<Step, OutOfFuel> {
        let code = match byte {
            b'"' | b'\\' => u32::from(byte),
            b'/' if self.any_escapes() => u32::from(byte),
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => 0x0A,
            b'r' => 0x0D,
            b't' => 0x09,
            b'u' => return self.state(expression, Partial::Hex { digits: 0, value: 0 }),
            _ => return Ok(Step(DEAD)),
        };
        self.code_point(expression, code)
    }

    fn hex(&mut self, expression: Id, byte: u8, digits: u8, value: u16) -> Result<Step, OutOfFuel> {
        let canonical = self.spelling == Spelling::Json(Escapes::Canonical);
        let Some(digit) = (byte as char).to_digit(16).filter(|_| !(canonical && byte.is_ascii_uppercase())) else {
            return Ok(Step(DEAD));
        };
        let value = value << 4 | digit as u16;
        if digits < 3 {
            return self.state(expression, Partial::Hex { digits: digits + 1, value });
        }
        match value {
            0xD800..=0xDBFF if self.any_escapes() => {
                self.state(expression, Partial::Low { high: value, stage: 0, value: 0 })
            }
            0x20.. if !self.any_escapes() => Ok(Step(DEAD)),
            _ if canonical && has_short(u32::from(value)) => Ok(Step(DEAD)),
            _ => self.code_point(expression, u32::from(value)),
        }
    }

    fn low_surrogate(&mut self, expression: Id, byte: u8, high: u16, stage: u8, value: u16) -> Result<Step, OutOfFuel> {
        let value = match (stage, byte) {
            (0, b'\\') | (1, b'u') => 0,
            (2.., _) => match (byte as char).to_digit(16) {
                Some(digit) => value << 4 | digit as u16,
                None => return Ok(Step(DEAD)),
            },
            _ => return Ok(Step(DEAD)),
        };
        if stage < 5 {
            return self.state(expression, Partial::Low { high, stage: stage + 1, value });
        }
        if !(0xDC00..=0xDFFF).contains(&value) {
            return Ok(Step(DEAD));
        }
        let code = 0x1_0000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(value) - 0xDC00);
        self.code_point(expression, code)
    }

    fn shortest(&mut self, state: StateId) -> u32 {
        let (expression, at) = self.states[state as usize];
        let quote = u32::from(self.spelling != Spelling::Text);
        let text = |builder: &mut Self, id| builder.arena.shortest(id).ok().flatten().unwrap_or(MANY);
        match at {
            Partial::Closed => 0,
            Partial::Open => text(self, expression) + 2,
            Partial::Between => text(self, expression) + quote,
            Partial::Same { need, .. } => text(self, expression) + quote + u32::from(need),
            _ => {
                let mut best = MANY;
                for (low, high) in self.completions(at) {
                    let segments: Vec<_> = self.arena.alphabet.segments(low, high).collect();
                    for (first, _, letter) in segments {
                        let next = self.derive(expression, letter);
                        best = best.min(text(self, next).saturating_add(bytes_left(at, first)));
                    }
                }
                best.saturating_add(quote)
            }
        }
    }
}

/// Whether a control character has a short escape.
fn has_short(code: u32) -> bool {
    [8, 9, 10, 12, 13].contains(&code)
}

/// The code points that `need` more bytes can complete.
fn bytes_range(prefix: u32, need: u8, low: u8, high: u8) -> (u32, u32) {
    let shift = 6 * u32::from(need - 1);
    let from = (prefix << 6 | u32::from(low & 0x3F)) << shift;
    let to = (prefix << 6 | u32::from(high & 0x3F)) << shift | ((1 << shift) - 1);
    (from, to)
}

/// The code points a low surrogate can complete.
fn low_range(high: u16, stage: u8, value: u16) -> (u32, u32) {
    let digits = stage.saturating_sub(2);
    let shift = 4 * u32::from(4 - digits);
    let low = (u32::from(value) << shift).max(0xDC00);
    let top = ((u32::from(value) << shift) + (1 << shift) - 1).min(0xDFFF);
    if low > top {
        return (1, 0);
    }
    let base = 0x1_0000 + ((u32::from(high) - 0xD800) << 10);
    (base + low - 0xDC00, base + top - 0xDC00)
}

/// Bytes still needed to finish the spelling of a code point inside `at`.
fn bytes_left(at: Partial, code: u32) -> u32 {
    match at {
        Partial::Bytes { need, .. } => u32::from(need),
        Partial::Escape if [0x22, 0x5C, 8, 9, 10, 12, 13].contains(&code) => 1,
        Partial::Escape if code > 0xFFFF => 11,
        Partial::Escape => 5,
        Partial::Hex { digits, .. } => u32::from(4 - digits) + if code > 0xFFFF { 6 } else { 0 },
        Partial::Low { stage, .. } => u32::from(6 - stage),
        _ => 0,
    }
}

/// Bytes of the cheapest spelling of each letter.
fn weights(alphabet: &Alphabet, spelling: Spelling) -> Vec<u32> {
    let mut weights = vec![u32::MAX; alphabet.len()];
    for (low, high, letter) in alphabet.segments(0, 0x10_FFFF) {
        let last = if low < 128 { high.min(128) } else { low };
        for code in low..=last {
            let weight = &mut weights[letter as usize];
            *weight = (*weight).min(spelled_length(code, spelling));
        }
    }
    weights
}

fn spelled_length(code: u32, spelling: Spelling) -> u32 {
    match code {
        0x22 | 0x5C | 8 | 9 | 10 | 12 | 13 if spelling != Spelling::Text => 2,
        0..0x20 if spelling != Spelling::Text => 6,
        _ => char::from_u32(code).map_or(4, char::len_utf8) as u32,
    }
}

/// Bytes that no state can tell apart share a class: that of each byte, and the first byte of each.
fn byte_classes(alphabet: &Alphabet, spelling: Spelling) -> ([u8; 256], Box<[u8]>) {
    let mut starts = [false; 256];
    // Lead and continuation bytes whose bounds the UTF-8 scheme itself distinguishes.
    for byte in [0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5] {
        starts[byte] = true;
    }
    for &start in alphabet.starts() {
        cut(&mut starts, start);
    }
    if spelling != Spelling::Text {
        starts[0x20] = true;
        for &byte in b"\"\\/bfnrtu0123456789abcdefABCDEF" {
            starts[usize::from(byte)] = true;
            starts[usize::from(byte) + 1] = true;
        }
    }
    let mut classes = [0; 256];
    let mut firsts = vec![0];
    for byte in 1..=255 {
        if starts[usize::from(byte)] {
            firsts.push(byte);
        }
        classes[usize::from(byte)] = (firsts.len() - 1) as u8;
    }
    (classes, firsts.into())
}

/// Marks every byte of the UTF-8 spelling of `code` as the start of a class: code points below and above differ there.
fn cut(starts: &mut [bool; 256], code: u32) {
    let Some(c) = char::from_u32(code) else { return };
    let mut buffer = [0; 4];
    for byte in c.encode_utf8(&mut buffer).bytes() {
        starts[usize::from(byte)] = true;
        // The range below `code` may end inside the previous sibling, the range above starts at this one:
        // both sides of this byte must be tellable.
        if let Some(next) = starts.get_mut(usize::from(byte) + 1) {
            *next = true;
        }
    }
}

/// Rows of transitions in blocks that double in size, so that a row never moves.
struct Table {
    stride: usize,
    blocks: [OnceLock<Box<[AtomicU32]>>; 27],
}

const FIRST_BLOCK_BITS: u32 = 3;

impl Table {
    fn new(stride: usize) -> Self {
        Self { stride, blocks: std::array::from_fn(|_| OnceLock::new()) }
    }

    /// Block and row inside it: block `b` holds `2^(b+3)` rows.
    #[inline]
    fn place(state: StateId) -> (usize, usize) {
        let shifted = state + (1 << FIRST_BLOCK_BITS);
        let bits = shifted.ilog2();
        ((bits - FIRST_BLOCK_BITS) as usize, (shifted - (1 << bits)) as usize)
    }

    #[inline]
    fn row(&self, state: StateId) -> Option<&[AtomicU32]> {
        let (block, row) = Self::place(state);
        let block = self.blocks[block].get()?;
        Some(&block[row * self.stride..(row + 1) * self.stride])
    }

    fn row_or_make(&self, state: StateId) -> &[AtomicU32] {
        let (block, row) = Self::place(state);
        let rows = 1_usize << (block as u32 + FIRST_BLOCK_BITS);
        let block =
            self.blocks[block].get_or_init(|| (0..rows * self.stride).map(|_| AtomicU32::new(UNKNOWN)).collect());
        &block[row * self.stride..(row + 1) * self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Spelling = Spelling::Json(Escapes::Natural);
    const JSON_ANY: Spelling = Spelling::Json(Escapes::Any);

    fn automaton(tree: &Regular, spelling: Spelling) -> Automaton {
        Automaton::new(tree, spelling, &Limits::default()).unwrap()
    }

    #[test]
    fn counters_and_lengths_melt() {
        let tree = Regular::and([Regular::range('a', 'z').repeat(1, None), Regular::length(2, Some(3))]);
        let a = automaton(&tree, Spelling::Text);
        assert!(!a.accepts(b"a") && a.accepts(b"ab") && a.accepts(b"abc") && !a.accepts(b"abcd"));
        assert_eq!(a.shortest(a.start().state()), 2);
    }

    #[test]
    fn unicode_is_read_byte_by_byte() {
        let a = automaton(&Regular::and([Regular::anything(), Regular::text("é").not()]), Spelling::Text);
        assert!(a.accepts("è".as_bytes()) && !a.accepts("é".as_bytes()) && a.accepts("日本😀".as_bytes()));
        assert!(!a.accepts(&[0xC3]) && !a.accepts(&[0xED, 0xA0, 0x80]) && !a.accepts(&[0xC0, 0x80]));
    }

    #[test]
    fn json_spelling_quotes_and_escapes() {
        let a = automaton(&Regular::text("a\n\"\u{1}é"), JSON);
        for text in [r#""a\n\"\u0001é""#, r#""a\u000a\"\u0001é""#, r#""a\u000A\"\u0001é""#] {
            assert!(a.accepts(text.as_bytes()), "{text}");
        }
        for text in [r#""\u0061\n\"\u0001é""#, "\"a\n\\\"\\u0001é\""] {
            assert!(!a.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn canonical_spelling_is_unique() {
        let a = automaton(&Regular::anything(), Spelling::Json(Escapes::Canonical));
        for (text, accepted) in [
            (r#""\n""#, true),
            (r#""\u000a""#, false),
            (r#""\u001f""#, true),
            (r#""\u001F""#, false),
            (r#""\u0008""#, false),
        ] {
            assert_eq!(a.accepts(text.as_bytes()), accepted, "{text}");
        }
    }

    #[test]
    fn any_escapes_include_surrogate_pairs() {
        let a = automaton(&Regular::text("a/😀"), JSON_ANY);
        assert!(a.accepts(r#""\u0061\/\ud83d\uDE00""#.as_bytes()));
        assert!(a.accepts("\"a/😀\"".as_bytes()));
        assert!(!a.accepts(r#""a/\ud83d""#.as_bytes()));
    }

    #[test]
    fn negation_knows_dead_ends() {
        let digits = Regular::digit().repeat(2, Some(2));
        let tree = Regular::and([digits, Regular::concat([Regular::range('1', '9'), Regular::any()]).not()]);
        let a = automaton(&tree, Spelling::Text);
        assert_eq!(a.step(a.start().state(), b'1').state(), DEAD);
        assert!(a.accepts(b"07"));
    }

    #[test]
    fn multiples_of_decimals() {
        let number = Regular::concat([
            Regular::digit().repeat(1, Some(6)),
            Regular::concat([Regular::text("."), Regular::digit().repeat(1, Some(6))]).optional(),
        ]);
        let tree = Regular::and([number, Regular::Multiple(super::super::Divisor { digits: 25, scale: 2 })]);
        let a = automaton(&tree, Spelling::Text);
        for yes in ["0", "0.25", "1.5", "7.750", "100"] {
            assert!(a.accepts(yes.as_bytes()), "{yes}");
        }
        for no in ["0.2", "0.251", "1.1"] {
            assert!(!a.accepts(no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn empty_combinations_are_never() {
        let tree = Regular::and([Regular::text("a"), Regular::length(3, None)]);
        assert!(automaton(&tree, JSON).is_never());
    }

    #[test]
    fn clamping_keeps_near_counters() {
        let a = automaton(&Regular::range('a', 'z').repeat(1, Some(5000)), Spelling::Text);
        let first = a.step(a.start().state(), b'x').state();
        let second = a.step(first, b'x').state();
        assert_ne!(first, second);
        assert_eq!(a.clamped(first, 100), a.clamped(second, 100));
    }
}
