//! Makes the states of an automaton, and finds where bytes lead between them.
//!
//! A state is an expression (what may still follow, in code points) together with a [`DecoderState`]. A byte that
//! completes a code point takes one derivative; every other byte changes the decoder state alone:
//!
//! ```text
//! (é|è, Between) ─ C3 → (é|è, Utf8 {prefix 3, 1 missing}) ─ A9 → (ε, Between)
//! (.é,  Between) ─ C3 → (é,   Decided {1 missing})        ─ A9 → (é, Between)
//! ```
//!
//! Cost: a derivative for each minterm that some byte may complete, and where And or Not occur, a search for a text.
//! The second line. Where every completion has the same derivative, it is taken at once and the bits read are
//! forgotten; without that, CJK text would make thousands of states.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decoder::{DecoderState, Read};
use super::encoding::Encoding;
use super::{ACCEPTING, DEAD, FINAL, StateId, Step, WIDE};
use crate::limits::Limits;
use crate::regular::alphabet::{Minterm, MintermSet, NO_MINTERM, insert};
use crate::regular::expression::{Clamped, EMPTY, Expressions, Id, MANY, NEVER, OutOfFuel};

/// With so many alternatives, a state is always followed as these.
const WIDE_AT_ONCE: usize = 256;

/// An automaton with so many states, or so much work done, may multiply its alternatives. It does if it has several times
/// as many states as alternatives.
const MANY_STATES: usize = 1 << 10;
const MUCH_WORK: u64 = 1 << 18;
const STATES_OF_ALTERNATIVE: usize = 4;

/// Units of work for each state, beside those to build the automaton.
const WORK_OF_STATE: u64 = 1 << 13;

/// What a state stands for.
type Meaning = (Id, DecoderState);

/// The states made so far.
pub(super) struct StateBuilder {
    pub expressions: Expressions,
    states: Vec<Meaning>,
    ids: FxHashMap<Meaning, StateId>,
    /// The alternatives of wide states.
    alternatives: FxHashMap<StateId, Arc<[StateId]>>,
    alternative_bytes: usize,
    /// Every alternative of a state: where there are nearly as many as states, the states are better.
    met: FxHashSet<Id>,
    last: LastDerivatives,
    encoding: Encoding,
    max_states: usize,
    max_expressions: usize,
    max_bytes: usize,
    /// Most units of work, and how many each state adds to them.
    max_work: u64,
    /// Bytes of what does not grow, and of each state.
    fixed_bytes: usize,
    state_bytes: usize,
}

/// The derivatives of the expression asked about last, as far as they were asked for: many bytes ask for the same ones.
#[derive(Default)]
struct LastDerivatives {
    of: Option<Id>,
    by_minterm: Vec<Option<Id>>,
}

impl StateBuilder {
    /// `fixed_bytes` is the memory of what does not grow, `row_bytes` that of the transitions of a state.
    pub fn new(
        expressions: Expressions,
        encoding: Encoding,
        limits: &Limits,
        fixed_bytes: usize,
        row_bytes: usize,
    ) -> Self {
        Self {
            expressions,
            states: vec![(NEVER, DecoderState::Between)], // DEAD
            ids: FxHashMap::default(),
            alternatives: FxHashMap::default(),
            alternative_bytes: 0,
            met: FxHashSet::default(),
            last: LastDerivatives::default(),
            encoding,
            max_states: limits.automaton_states,
            max_expressions: limits.automaton_expressions,
            max_bytes: limits.automaton_bytes,
            max_work: limits.pattern_work,
            fixed_bytes,
            state_bytes: row_bytes + 2 * size_of::<(Id, DecoderState, StateId)>(),
        }
    }

    /// Whether a quarter of the room, or half of the work, is used up.
    pub fn is_near_its_limit(&self) -> bool {
        self.states.len() >= self.max_states / 4
            || self.expressions.len() >= self.max_expressions / 4
            || self.memory() >= self.max_bytes / 4
            || self.expressions.units() >= self.most_work() / 2
    }

    /// The units of work that may be done for the states there are.
    fn most_work(&self) -> u64 {
        self.max_work + WORK_OF_STATE * self.states.len() as u64
    }

    /// Fails once the room is used up, or more work was done than that of building the automaton and its states.
    fn check_room(&self) -> Result<(), OutOfFuel> {
        let is_full = self.states.len() >= self.max_states
            || self.expressions.len() >= self.max_expressions
            || self.memory() >= self.max_bytes
            || self.expressions.units() > self.most_work();
        if is_full { Err(OutOfFuel) } else { Ok(()) }
    }

    /// About how many bytes of memory the automaton takes.
    pub fn memory(&self) -> usize {
        self.fixed_bytes
            + self.alternative_bytes
            + self.met.capacity() * size_of::<(Id, u8)>()
            + self.expressions.memory()
            + self.states.capacity() * self.state_bytes
    }

    /// The expression and the decoder state of a state.
    pub fn meaning(&self, state: StateId) -> Meaning {
        self.states[state as usize]
    }

    // States.

    /// The state before the first byte of an expression.
    pub fn start(&mut self, expression: Id) -> Result<Step, OutOfFuel> {
        self.state(expression, DecoderState::start(self.encoding))
    }

    /// The state of an expression and a decoder state; [`DEAD`] if no text completes it.
    pub fn state(&mut self, expression: Id, at: DecoderState) -> Result<Step, OutOfFuel> {
        if expression == NEVER || !self.is_live(expression, at)? {
            return Ok(Step(DEAD));
        }
        let flags = self.flags(expression, at);
        if let Some(&id) = self.ids.get(&(expression, at)) {
            return Ok(Step(id | flags));
        }
        self.check_room()?;
        let id = self.states.len() as StateId;
        self.met.extend(self.expressions.alternatives(expression));
        self.states.push((expression, at));
        self.ids.insert((expression, at), id);
        Ok(Step(id | flags))
    }

    fn flags(&self, expression: Id, at: DecoderState) -> u32 {
        let wide = if self.is_wide(expression) { WIDE } else { 0 };
        match at {
            DecoderState::Closed => ACCEPTING | FINAL,
            DecoderState::Between if self.encoding == Encoding::Text && self.expressions.nullable(expression) => {
                if expression == EMPTY {
                    ACCEPTING | FINAL
                } else {
                    ACCEPTING | wide
                }
            }
            _ => wide,
        }
    }

    /// Whether an expression is better followed as its alternatives. Where an automaton is small, its states are.
    fn is_wide(&self, expression: Id) -> bool {
        let is_large = self.states.len() >= MANY_STATES || self.expressions.units() >= MUCH_WORK;
        let multiplies = is_large && self.states.len() >= STATES_OF_ALTERNATIVE * self.met.len();
        self.expressions.width(expression) >= if multiplies { 2 } else { WIDE_AT_ONCE }
    }

    /// The states of the alternatives of a state that go on; see [`super::Automaton::alternatives`].
    pub fn alternatives(&mut self, state: StateId) -> Result<Arc<[StateId]>, OutOfFuel> {
        if let Some(known) = self.alternatives.get(&state) {
            return Ok(Arc::clone(known));
        }
        let (expression, at) = self.meaning(state);
        let mut states = Vec::new();
        for part in self.expressions.distributed(expression) {
            let step = self.state(part, at)?;
            if step.goes_on() {
                states.push(step.state());
            }
        }
        let states: Arc<[StateId]> = states.into();
        self.alternative_bytes += size_of_val(&*states) + size_of::<(StateId, Arc<[StateId]>)>();
        self.alternatives.insert(state, Arc::clone(&states));
        Ok(states)
    }

    /// Whether some completion of the decoder state keeps the expression live.
    fn is_live(&mut self, expression: Id, at: DecoderState) -> Result<bool, OutOfFuel> {
        match at {
            DecoderState::Closed => Ok(true),
            DecoderState::Between
            | DecoderState::Unopened
            | DecoderState::Decided { .. }
            | DecoderState::DecidedHex { .. }
            | DecoderState::DecidedLow { .. } => self.expressions.live(expression),
            _ => {
                for (low, high) in at.completions(self.encoding) {
                    for segment in self.expressions.alphabet.segments_between(low, high) {
                        let Some(minterm) = self.expressions.alphabet.minterm_of_segment(segment) else { continue };
                        let next = self.derive(expression, minterm);
                        if self.expressions.live(next)? {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
        }
    }

    // Transitions.

    /// Where a byte leads from a state.
    pub fn step(&mut self, state: StateId, byte: u8) -> Result<Step, OutOfFuel> {
        self.check_room()?;
        let (expression, at) = self.meaning(state);
        match at.read(byte, self.encoding) {
            Read::CodePoint(code) => self.code_point(expression, code),
            Read::ClosingQuote if self.expressions.nullable(expression) => self.state(EMPTY, DecoderState::Closed),
            Read::ClosingQuote | Read::Invalid => Ok(Step(DEAD)),
            Read::Next(inside) => self.inside(expression, inside),
        }
    }

    fn code_point(&mut self, expression: Id, code: u32) -> Result<Step, OutOfFuel> {
        let minterm = self.expressions.alphabet.minterm(code);
        if minterm == NO_MINTERM {
            return Ok(Step(DEAD));
        }
        let next = self.derive(expression, minterm);
        self.state(next, DecoderState::Between)
    }

    /// Inside a code point, what was read of it is remembered only where it matters which it is.
    fn inside(&mut self, expression: Id, inside: DecoderState) -> Result<Step, OutOfFuel> {
        let Some(decided) = inside.decided(self.encoding) else { return self.state(expression, inside) };
        match self.derive_all_alike(expression, &inside.completions(self.encoding)) {
            Some(next) => self.state(next, decided),
            None => self.state(expression, inside),
        }
    }

    // Derivatives.

    /// What may follow a minterm.
    fn derive(&mut self, expression: Id, minterm: Minterm) -> Id {
        if self.last.of != Some(expression) {
            self.last.of = Some(expression);
            self.last.by_minterm.clear();
            self.last.by_minterm.resize(self.expressions.alphabet.len(), None);
        }
        self.expressions.derive_into(&mut self.last.by_minterm, expression, minterm)
    }

    /// What may follow any of some code points, if it is the same for all.
    fn derive_all_alike(&mut self, expression: Id, ranges: &[(u32, u32)]) -> Option<Id> {
        let mut same = None;
        for &(low, high) in ranges {
            for segment in self.expressions.alphabet.segments_between(low, high) {
                let Some(minterm) = self.expressions.alphabet.minterm_of_segment(segment) else { continue };
                let next = self.derive(expression, minterm);
                if *same.get_or_insert(next) != next {
                    return None;
                }
            }
        }
        Some(same.unwrap_or(NEVER))
    }

    /// Whether a state is between two code points, and only ASCII may come.
    pub fn reads_ascii_only(&mut self, state: StateId) -> bool {
        let (expression, at) = self.meaning(state);
        at == DecoderState::Between && self.derive_all_alike(expression, &[(0x80, 0x10_FFFF)]) == Some(NEVER)
    }

    /// Whether a search is needed to decide if a state is dead.
    pub fn takes_search(&self, state: StateId) -> bool {
        self.expressions.takes_search(self.meaning(state).0)
    }

    // What masks ask about states.

    /// The expression after the code point a state is inside of, if it is known yet, and the bytes missing until there.
    pub fn after_code_point(&self, state: StateId) -> Option<(Id, u32)> {
        match self.meaning(state) {
            (expression, DecoderState::Between) => Some((expression, 0)),
            (expression, DecoderState::Decided { missing, .. }) => Some((expression, u32::from(missing))),
            _ => None,
        }
    }

    /// The state with its counters clamped, if there may be one, and the bytes by which the end may be farther than from
    /// there.
    pub fn clamped(&mut self, state: StateId, reach: u32) -> (StateId, u32) {
        let (expression, at) = self.meaning(state);
        let Clamped { id, slack } = self.expressions.clamp(expression, reach);
        if id == expression {
            return (state, 0);
        }
        self.state(id, at).map_or((state, 0), |step| (step.state(), slack))
    }

    /// The minterms that lead from an expression to itself, such as those no forbidden word starts with.
    pub fn own_loop(&mut self, expression: Id) -> MintermSet {
        let mut set = self.expressions.alphabet.none();
        for minterm in 0..self.expressions.alphabet.len() as Minterm {
            if self.derive(expression, minterm) == expression {
                insert(&mut set, minterm);
            }
        }
        set
    }

    /// Bytes of the shortest completion of a state.
    pub fn shortest(&mut self, state: StateId) -> u32 {
        let (expression, at) = self.meaning(state);
        let quote = u32::from(self.encoding.is_self_delimiting());
        let further = match at {
            DecoderState::Closed => return 0,
            DecoderState::Unopened => 2,
            DecoderState::Between => quote,
            DecoderState::Decided { missing, .. } => quote + u32::from(missing),
            DecoderState::DecidedHex { .. } | DecoderState::DecidedLow { .. } => quote + at.missing(0),
            _ => return self.shortest_completion(expression, at).saturating_add(quote),
        };
        self.expressions.shortest_or_many(expression).saturating_add(further)
    }

    /// Of an expression inside a code point: the least over all code points that can complete it.
    fn shortest_completion(&mut self, expression: Id, at: DecoderState) -> u32 {
        let mut best = MANY;
        for (low, high) in at.completions(self.encoding) {
            let segments: Vec<_> = self.expressions.alphabet.segments(low, high).collect();
            for (first, _, minterm) in segments {
                let next = self.derive(expression, minterm);
                best = best.min(self.expressions.shortest_or_many(next).saturating_add(at.missing(first)));
            }
        }
        best
    }
}
