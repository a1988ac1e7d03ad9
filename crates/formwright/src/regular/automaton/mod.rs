//! The running form: a deterministic automaton over bytes, built as it is used.
//!
//! A state is made only if it is *live*: every state but [`DEAD`] can still reach acceptance, so "the transition does
//! not lead to DEAD" is the same as "this byte may come".
//!
//! ```text
//! (ab|ac)d   start ─ a → 1 ─ b, c → 2 ─ d → 3, accepting and final
//! ```
//!
//! Cost: a known transition is two loads (byte class, table). An unknown one takes the lock of the [`StateBuilder`] and
//! a derivative, about a microsecond, once per process. Tables only grow, so readers need no lock. Counters
//! make many states that no token can tell apart; each of them has a representative, under which masks are cached
//! ([`Automaton::representative`]).

mod builder;
mod class_loops;
mod decoder;
mod encoding;
mod farthest;
mod parser_states;
mod states;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::alphabet::{Alphabet, TooManyClasses};
use super::byte_set::ByteSet;
use super::expression::{Expressions, OutOfFuel};
use super::parser::Parser;
use super::tree::Regular;
use crate::error::{Error, Kind, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use builder::StateBuilder;
pub(crate) use class_loops::ClassLoop;
use class_loops::ClassesByMinterm;
use decoder::DecoderState;
use encoding::ByteClasses;
pub use encoding::{Encoding, Escapes};
use parser_states::ParserStates;
use states::States;
use table::{Table, UNKNOWN};

/// A state of an [`Automaton`].
pub type StateId = u32;

/// The state nothing leaves: the text is out of form.
pub const DEAD: StateId = 0;

/// Where one byte leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step(u32);

const ACCEPTING: u32 = 1 << 31;
const FINAL: u32 = 1 << 30;
const WIDE: u32 = 1 << 29;
const STATE: u32 = WIDE - 1;

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

    /// Whether the state is better followed as its alternatives: see [`Automaton::alternatives`].
    #[inline]
    pub fn is_wide(self) -> bool {
        self.0 & WIDE != 0
    }

    /// Whether more bytes may follow, the text read so far is not complete, and the state is not wide.
    #[inline]
    pub fn only_goes_on(self) -> bool {
        self.0 & (FINAL | ACCEPTING | WIDE) == 0 && self.state() != DEAD
    }
}

/// The transitions of one state.
#[derive(Clone, Copy)]
pub(crate) struct Transitions<'a> {
    state: StateId,
    cells: &'a [AtomicU32],
}

impl Transitions<'_> {
    /// Whose transitions they are.
    pub(crate) fn state(self) -> StateId {
        self.state
    }
}

/// A deterministic automaton over bytes. Shared by threads; grows, never changes. It begins at a cache line, apart from
/// its reference count.
#[repr(align(64))]
pub struct Automaton {
    encoding: Encoding,
    classes: ByteClasses,
    /// A row for each state: where each class leads, its representative, and the bytes of its shortest completion.
    table: Table,
    states: States,
    overflow: AtomicBool,
    /// Why the parser could not be asked any further.
    failure: OnceLock<Error>,
    near_its_limit: AtomicBool,
    /// Bytes, about, when a transition was built last.
    memory: AtomicUsize,
    /// Units of work, likewise.
    units: AtomicU64,
    start: Step,
    /// The reach that the table has representatives for.
    reach: OnceLock<u32>,
    /// The bytes that lead out of the start.
    first: OnceLock<ByteSet>,
    /// The classes asked about in [`Automaton::class_loops`].
    classes_by_minterm: OnceLock<ClassesByMinterm>,
    /// The answers of [`Automaton::farthest_of_all`] and [`Automaton::farthest_unused`].
    farthest: [OnceLock<Option<u32>>; 2],
    /// The answer of [`Automaton::plain_characters`].
    plain_characters: OnceLock<usize>,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automaton")
            .field("encoding", &self.encoding)
            .field("classes", &self.classes.len())
            .finish_non_exhaustive()
    }
}

/// Units of work of an automaton without states.
const WORK_OF_AUTOMATON: usize = 1 << 10;

impl Automaton {
    /// The automaton of `tree` written in `encoding`.
    ///
    /// # Errors
    /// [`Kind::Limit`] when deciding emptiness takes too long, or building it does.
    pub fn new(tree: &Regular, encoding: Encoding, limits: &Limits) -> Result<Self> {
        if let Regular::Parser(parser) = tree {
            return Self::of_parser(parser, limits);
        }
        count(WORK_OF_AUTOMATON);
        let alphabet = Alphabet::new(tree).map_err(|TooManyClasses| too_large(limits))?;
        let classes = ByteClasses::new(&alphabet, encoding);
        let shortest = encoding.shortest_of_minterms(&alphabet);
        let width = classes.len() + 2;
        let fixed_bytes = size_of::<Self>() + size_of::<StateBuilder>() + alphabet.memory();
        let mut expressions = Expressions::new(alphabet, shortest, limits.emptiness_search);
        let root = expressions.lower(tree);
        if expressions.units() > limits.pattern_work {
            return Err(too_large(limits));
        }
        let mut builder = StateBuilder::new(expressions, encoding, limits, fixed_bytes, width * size_of::<AtomicU32>());
        let start = builder.start(root).map_err(|OutOfFuel| too_hard(limits))?;
        let (memory, units) = (builder.memory(), builder.expressions.units());
        let mut made = Self::made_of(States::Derived(Box::new(Mutex::new(builder))), encoding, classes, start, memory);
        *made.units.get_mut() = units;
        Ok(made)
    }

    /// The automaton of a parser.
    ///
    /// # Errors
    /// [`Kind::Parser`] when it fails, or when it has no text; [`Kind::Limit`] when it has too many states.
    pub(super) fn of_parser(parser: &Parser, limits: &Limits) -> Result<Self> {
        let mut states = ParserStates::new(parser, limits.automaton_states)?;
        let (start, memory) = (states.start()?, states.memory());
        let knows_ends = states.knows_ends();
        let states = States::Parsed { states: Box::new(Mutex::new(states)), knows_ends };
        Ok(Self::made_of(states, Encoding::Text, ByteClasses::single(), start, memory))
    }

    fn made_of(states: States, encoding: Encoding, classes: ByteClasses, start: Step, memory: usize) -> Self {
        Self {
            encoding,
            table: Table::new(classes.len() + 2),
            classes,
            memory: AtomicUsize::new(memory),
            units: AtomicU64::new(0),
            states,
            overflow: AtomicBool::new(false),
            failure: OnceLock::new(),
            near_its_limit: AtomicBool::new(false),
            start,
            reach: OnceLock::new(),
            first: OnceLock::new(),
            classes_by_minterm: OnceLock::new(),
            plain_characters: OnceLock::new(),
            farthest: Default::default(),
        }
    }

    /// Builds the transitions by some first bytes, so that a limit is met here and not in the middle of a text.
    ///
    /// # Errors
    /// [`Kind::Limit`] when deciding what may follow takes too long.
    pub fn try_first_bytes(&self, bytes: impl IntoIterator<Item = u8>, limits: &Limits) -> Result<()> {
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

    /// The state before the first code point: the start, or where the opening quote leads.
    pub fn content_start(&self) -> StateId {
        let start = self.start.state();
        if self.is_self_delimiting() { self.step(start, b'"').state() } else { start }
    }

    /// Where `byte` leads from `state`.
    #[inline]
    pub fn step(&self, state: StateId, byte: u8) -> Step {
        let class = self.classes.of(byte);
        if let Some(row) = self.table.row(state) {
            let known = row[class].load(Ordering::Acquire);
            if known != UNKNOWN {
                return Step(known);
            }
        }
        self.build_one(state, byte, class)
    }

    /// The bytes that may come next.
    pub fn next_bytes(&self, state: StateId) -> ByteSet {
        if state == self.start.state() {
            *self.first.get_or_init(|| self.find_next_bytes(state))
        } else {
            self.find_next_bytes(state)
        }
    }

    /// The ranges of bytes that are alike in every state.
    pub fn classes(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.classes.bounds()
    }

    fn find_next_bytes(&self, state: StateId) -> ByteSet {
        self.build_all(state);
        let (transitions, mut set) = (self.transitions(state), ByteSet::default());
        for (first, last) in self.classes.bounds() {
            if self.step_in(transitions, first).state() != DEAD {
                set.insert_all(first..=last);
            }
        }
        set
    }

    /// The transitions of a state, for loops that take many of them.
    #[inline]
    pub(crate) fn transitions(&self, state: StateId) -> Transitions<'_> {
        Transitions { state, cells: self.table.row_or_make(state) }
    }

    /// Where `byte` leads from the state whose transitions are given.
    #[inline]
    pub(crate) fn step_in(&self, from: Transitions<'_>, byte: u8) -> Step {
        let class = self.classes.of(byte);
        let known = from.cells[class].load(Ordering::Acquire);
        if known == UNKNOWN { self.build_one(from.state, byte, class) } else { Step(known) }
    }

    /// Whether every accepting state is final, so that a text ends where it first can (JSON strings: the quote).
    pub fn is_self_delimiting(&self) -> bool {
        self.encoding.is_self_delimiting()
    }

    /// Bytes of the shortest completion from `state`.
    #[inline]
    pub fn shortest(&self, state: StateId) -> u32 {
        let cell = &self.table.row_or_make(state)[self.classes.len() + 1];
        match cell.load(Ordering::Relaxed) {
            UNKNOWN => self.find_shortest(state, cell),
            cached => cached,
        }
    }

    /// The state under which masks of `state` are cached: it allows the same tokens of at most `reach - 1` code points.
    /// Also the bytes by which the end may be farther from `state` than from there.
    pub fn representative_and_slack(&self, state: StateId, reach: u32) -> (StateId, u32) {
        self.derived().map_or((state, 0), |mut builder| builder.clamped(state, reach))
    }

    /// The representative of a state, cached for the reach asked about first; for others, the state itself.
    #[inline]
    pub fn representative(&self, state: StateId, reach: u32) -> StateId {
        if *self.reach.get_or_init(|| reach) != reach {
            return state;
        }
        let cell = &self.table.row_or_make(state)[self.classes.len()];
        match cell.load(Ordering::Acquire) {
            UNKNOWN => self.find_representative(state, reach, cell),
            cached => cached,
        }
    }

    #[cold]
    fn find_representative(&self, state: StateId, reach: u32, cell: &AtomicU32) -> StateId {
        let representative = self.derived().map_or(state, |mut builder| builder.clamped(state, reach).0);
        cell.store(representative, Ordering::Release);
        representative
    }

    /// Of a state with a counter that no token of `reach - 1` code points can exhaust: the state in which some token
    /// can, later on.
    pub fn when_exhaustible(&self, state: StateId, reach: u32) -> Option<StateId> {
        let mut builder = self.derived()?;
        let (expression, at) = builder.meaning(state);
        let last = builder.expressions.when_exhaustible(expression, reach)?;
        builder.state(last, at).ok().map(Step::state).filter(|&state| state != DEAD)
    }

    /// The states of the alternatives of a state: together they allow what it allows. An automaton has a state for each
    /// set of alternatives that a text leads to, as many as 2^18 for `.*a.{18}`; its alternatives are 20.
    #[cold]
    pub fn alternatives(&self, state: StateId) -> Arc<[StateId]> {
        let Some(mut builder) = self.derived() else { return Arc::from([state]) };
        let found = builder.alternatives(state);
        self.note(&builder, found.is_err());
        found.unwrap_or_else(|OutOfFuel| Arc::from([state]))
    }

    /// Whether any text may follow, and the state is between two code points.
    pub fn is_anything(&self, state: StateId) -> bool {
        let Some(builder) = self.derived() else { return false };
        let (expression, at) = builder.meaning(state);
        at == DecoderState::Between && builder.expressions.is_anything(expression)
    }

    /// How its texts are written.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether `text` is accepted.
    pub fn accepts(&self, text: &[u8]) -> bool {
        let mut step = self.start;
        for &byte in text {
            step = self.step(step.state(), byte);
        }
        step.accepting()
    }
}

fn too_large(limits: &Limits) -> Error {
    let allowed = limits.pattern_work as usize;
    Error::new(
        Kind::Limit { limit: "pattern", value: allowed + 1, allowed },
        format!("limit reached: building the automaton of a pattern takes more than {allowed} units of work"),
    )
    .hint("split the text into parts with a pattern each, or describe less of it")
}

/// The error of a search that would take too long.
pub fn too_hard(limits: &Limits) -> Error {
    let allowed = limits.emptiness_search;
    Error::new(
        Kind::Limit { limit: "emptiness_search", value: allowed + 1, allowed },
        format!("limit reached: deciding whether a combination of patterns is empty needs more than {allowed} states"),
    )
    .hint("simplify the patterns, lengths or divisors that are combined")
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Encoding = Encoding::Json(Escapes::Natural);
    const JSON_ANY: Encoding = Encoding::Json(Escapes::Any);

    fn automaton(tree: &Regular, encoding: Encoding) -> Automaton {
        Automaton::new(tree, encoding, &Limits::default()).unwrap()
    }

    #[test]
    fn counters_meet_lengths() {
        let tree = Regular::and([Regular::range('a', 'z').repeat(1, None), Regular::length(2, Some(3))]);
        let a = automaton(&tree, Encoding::Text);
        assert!(!a.accepts(b"a") && a.accepts(b"ab") && a.accepts(b"abc") && !a.accepts(b"abcd"));
        assert_eq!(a.shortest(a.start().state()), 2);
    }

    /// States of an automaton that few bytes lead to, asked for the shortest completion from the last one to the first, or
    /// the other way round: each time, it takes one byte more than after its best byte.
    #[test]
    fn the_shortest_completion_does_not_depend_on_what_was_asked_before() {
        let b = || Regular::range('b', 'b');
        let ends = || Regular::concat([Regular::anything(), b()]);
        let trees = [
            Regular::and([ends(), Regular::length(1, None)]),
            Regular::and([ends(), Regular::length(3, None), Regular::text("aab").not()]),
            Regular::and([ends(), Regular::concat([Regular::anything(), Regular::text("abab"), Regular::anything()])]),
            Regular::and([Regular::concat([b(), Regular::anything()]), Regular::length(4, Some(9)), ends().not()]),
            Regular::and([Regular::or([Regular::text("a"), b()]).repeat(2, None), Regular::text("ab").not(), ends()]),
        ];
        for (tree, encoding, backwards) in
            trees.iter().flat_map(|tree| [(tree, JSON, false), (tree, JSON, true), (tree, Encoding::Text, true)])
        {
            let a = automaton(tree, encoding);
            let mut states = vec![a.start().state()];
            for at in 0..200 {
                let Some(&state) = states.get(at) else { break };
                let next = a.next_bytes(state);
                let next = next.iter().map(|byte| a.step(state, byte).state());
                let new: Vec<StateId> = next.filter(|next| !states.contains(next)).collect();
                states.extend(new);
                states.dedup();
            }
            states.truncate(200);
            if backwards {
                states.reverse();
            }
            for &state in &states {
                let shortest = a.shortest(state);
                let after = |byte| {
                    let step = a.step(state, byte);
                    if step.accepting() { 1 } else { 1 + a.shortest(step.state()) }
                };
                let best = a.next_bytes(state).iter().map(after).min();
                assert!(shortest == 0 || best == Some(shortest), "{tree:?} {encoding:?}: {shortest}, but {best:?}");
            }
        }
    }

    #[test]
    fn unicode_is_read_byte_by_byte() {
        let a = automaton(&Regular::and([Regular::anything(), Regular::text("é").not()]), Encoding::Text);
        assert!(a.accepts("è".as_bytes()) && !a.accepts("é".as_bytes()) && a.accepts("日本😀".as_bytes()));
        assert!(!a.accepts(&[0xC3]) && !a.accepts(&[0xED, 0xA0, 0x80]) && !a.accepts(&[0xC0, 0x80]));
    }

    #[test]
    fn json_encoding_quotes_and_escapes() {
        let a = automaton(&Regular::text("a\n\"\u{1}é"), JSON);
        for text in [r#""a\n\"\u0001é""#, r#""a\u000a\"\u0001é""#, r#""a\u000A\"\u0001é""#] {
            assert!(a.accepts(text.as_bytes()), "{text}");
        }
        for text in [r#""\u0061\n\"\u0001é""#, "\"a\n\\\"\\u0001é\""] {
            assert!(!a.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_unique_encoding_has_one_form() {
        let a = automaton(&Regular::anything(), Encoding::Json(Escapes::Unique));
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
    fn a_low_surrogate_begins_as_one() {
        let a = automaton(&Regular::anything(), JSON_ANY);
        let after = |text: &str| text.bytes().fold(a.start(), |step, byte| a.step(step.state(), byte)).state();
        assert_ne!(after(r#""\ud83d\ud"#), DEAD);
        assert_eq!(after(r#""\ud83d\u0"#), DEAD);
        assert_eq!(after(r#""\ud83d\ud8"#), DEAD);
    }

    #[test]
    fn negation_knows_dead_ends() {
        let digits = Regular::digit().repeat(2, Some(2));
        let tree = Regular::and([digits, Regular::concat([Regular::range('1', '9'), Regular::any()]).not()]);
        let a = automaton(&tree, Encoding::Text);
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
        let a = automaton(&tree, Encoding::Text);
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
    fn counters_beyond_reach_have_one_representative() {
        let a = automaton(&Regular::range('a', 'z').repeat(1, Some(5000)), Encoding::Text);
        let first = a.step(a.start().state(), b'x').state();
        let second = a.step(first, b'x').state();
        assert_ne!(first, second);
        assert_eq!(a.representative(first, 100), a.representative(second, 100));
    }
}
