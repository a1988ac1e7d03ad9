//! Where pieces can end, token by token, before it is known what comes next.
//!
//! ```text
//! "       " "x"       seven spaces were one piece if the text ended here, and are six and one before a letter
//! ```
//!
//! Whether a piece ends after a token may depend on text to come, without bound: so it is guessed, and the guess is checked
//! later. If a piece ends here, then all alternatives that the engine would have preferred must fail later: these threads are
//! the *obligations* of the guess, which is dropped when one of them matches. A state is the set of all *hypotheses* that
//! hold so far. Tokens can go on as an encoder would write them if a hypothesis is left, and they are what an encoder
//! writes if one is left for which the text may end.
//!
//! Cost: a few hypotheses a state and a few dozen states for the patterns in use. What a character does is found once, so
//! a token takes a lookup for each of its characters. A token may end inside a character, where no piece ends: the bytes read of it are part of the state.

use smallvec::SmallVec;

use super::cutter::Cutter;
use super::numbered::Numbered;
use super::program::{MOST_MINTERMS, Minterm, Program, Thread, Threads};
use super::splits::TokenId;
use super::wholes::{NodeId, OUTSIDE, WHOLE, Wholes};

/// Index of a state.
pub type StateId = u32;

/// The state in which nothing can follow.
pub const DEAD: StateId = 0;

/// The state before a text.
pub const START: StateId = 1;

/// Where a hypothesis is in its piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    /// A piece ends here.
    Boundary,
    /// Inside a piece.
    Inside,
    /// A piece has begun, and no character of it is complete.
    Begun,
}

/// One way that the text so far is cut.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Hypothesis {
    place: Place,
    /// Threads of the piece; of the one before, if a piece has begun. None: before the first piece.
    threads: Threads,
    /// Threads of earlier pieces that must not match.
    obligations: Threads,
    /// Where the tokens of the piece are among those that a whole piece takes the place of.
    whole: NodeId,
}

/// All ways that a text can be cut, and the bytes of a character that is not complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    hypotheses: SmallVec<[Hypothesis; 2]>,
    pending: SmallVec<[u8; 4]>,
}

/// Whether a token may follow the one before it in the same piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Follows {
    /// It may be in the same piece.
    InPiece,
    /// Only after the end of a piece.
    AtBoundary,
}

/// Index of what may be inside a token, between two of its characters.
pub(super) type InnerId = u32;

/// Nothing may.
pub(super) const NOTHING: InnerId = 0;

/// Not found yet.
const UNKNOWN: u32 = u32::MAX;

/// The states of one pattern, made when they are met, and what leads from one to another.
#[derive(Debug)]
pub struct Boundaries {
    program: Program,
    wholes: Wholes,
    cutter: Cutter,
    states: Numbered<State>,
    /// By state and [`Follows`]: where a token begins.
    starts: Vec<[InnerId; 2]>,
    inner: Numbered<SmallVec<[Hypothesis; 2]>>,
    /// By what is inside a token, and minterm of character.
    steps: Vec<[InnerId; MOST_MINTERMS]>,
    /// By what is inside a token: the state if it ends there.
    ends: Vec<StateId>,
    /// By state: see [`Boundaries::ends_before`].
    free: Vec<Option<u128>>,
}

impl Boundaries {
    /// For a pattern.
    pub fn new(program: Program, wholes: Wholes) -> Self {
        let start =
            Hypothesis { place: Place::Boundary, threads: Threads::new(), obligations: Threads::new(), whole: OUTSIDE };
        let cutter = Cutter::new(&program);
        let (states, inner) = (Numbered::new(State::default()), Numbered::new(SmallVec::new()));
        let (starts, steps, ends, free) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut boundaries = Self { program, wholes, cutter, states, starts, inner, steps, ends, free };
        boundaries.states.number(State { hypotheses: SmallVec::from_iter([start]), pending: SmallVec::new() });
        boundaries
    }

    /// The pattern.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The tokens that are whole pieces.
    pub fn wholes(&self) -> &Wholes {
        &self.wholes
    }

    /// Where the piece at the start of a text ends, in bytes.
    pub fn piece(&mut self, text: &str) -> usize {
        self.cutter.make_room(&self.program);
        self.cutter.piece(&self.program, text)
    }

    /// Whether no character is begun.
    pub fn is_between_characters(&self, state: StateId) -> bool {
        self.states.value(state).pending.is_empty()
    }

    /// Whether some character that is begun in a state may be written, as far as pieces go.
    pub fn may_complete(&mut self, state: StateId) -> bool {
        let minterms = self.program.alphabet.begun_by(&self.states.value(state).pending);
        let inner = self.find_start(state, None, Follows::InPiece);
        (0..64).any(|minterm| minterms >> minterm & 1 == 1 && self.step(inner, minterm) != NOTHING)
    }

    /// The state after a token, of these bytes.
    pub fn after(&mut self, state: StateId, token: TokenId, spelled: &[u8], follows: Follows) -> StateId {
        let pending = &self.states.value(state).pending;
        let joined: SmallVec<[u8; 32]>;
        let bytes = if pending.is_empty() {
            spelled
        } else {
            joined = pending.iter().chain(spelled).copied().collect();
            &joined
        };
        let Some((text, rest)) = characters(bytes) else { return DEAD };
        let mut inner = self.start(state, token, follows);
        for c in text.chars() {
            inner = self.step(inner, self.program.alphabet.minterm(c));
        }
        self.end_inside(inner, rest)
    }

    /// The state if a token ends, after some bytes of a character that is not complete.
    pub(super) fn end_inside(&mut self, inner: InnerId, rest: &[u8]) -> StateId {
        if rest.is_empty() { self.end(inner) } else { self.state(inner, rest) }
    }

    /// Where a token begins.
    fn start(&mut self, state: StateId, token: TokenId, follows: Follows) -> InnerId {
        if self.wholes.is_label(token) || self.wholes.is_whole(token) {
            return self.find_start(state, Some(token), follows);
        }
        self.start_of_any(state, follows)
    }

    /// Where a token begins of which it does not matter which it is.
    pub(super) fn start_of_any(&mut self, state: StateId, follows: Follows) -> InnerId {
        self.starts.resize(self.states.len(), [UNKNOWN; 2]);
        let known = self.starts[state as usize][follows as usize];
        if known != UNKNOWN {
            return known;
        }
        let found = self.find_start(state, None, follows);
        self.starts[state as usize][follows as usize] = found;
        found
    }

    /// Where a token begins; `None` stands for one that no whole piece takes the place of.
    fn find_start(&mut self, state: StateId, token: Option<TokenId>, follows: Follows) -> InnerId {
        let mut begun = SmallVec::new();
        for hypothesis in &self.states.value(state).hypotheses {
            let begins = hypothesis.place == Place::Boundary;
            let may_continue = follows == Follows::InPiece && !token.is_some_and(|token| self.wholes.is_whole(token));
            if begins || may_continue {
                let leads =
                    |token| if begins { self.wholes.first(token) } else { self.wholes.next(hypothesis.whole, token) };
                let place = if begins { Place::Begun } else { hypothesis.place };
                begun.push(Hypothesis { place, whole: token.map_or(OUTSIDE, leads), ..hypothesis.clone() });
            }
        }
        self.inner(begun)
    }

    /// What is inside a token after a character.
    pub(super) fn step(&mut self, inner: InnerId, minterm: Minterm) -> InnerId {
        self.steps.resize(self.inner.len(), [UNKNOWN; MOST_MINTERMS]);
        let known = self.steps[inner as usize][usize::from(minterm)];
        if known != UNKNOWN {
            return known;
        }
        let hypotheses = self.inner.value(inner).iter();
        let after = hypotheses.filter_map(|hypothesis| self.program.after(hypothesis, minterm)).collect();
        let found = self.inner(after);
        self.steps[inner as usize][usize::from(minterm)] = found;
        found
    }

    /// The state if a token ends with a character.
    fn end(&mut self, inner: InnerId) -> StateId {
        self.ends.resize(self.inner.len(), UNKNOWN);
        let known = self.ends[inner as usize];
        if known != UNKNOWN {
            return known;
        }
        let hypotheses = self.inner.value(inner).iter();
        let ends = hypotheses.flat_map(|hypothesis| self.program.with_boundary(hypothesis, &self.wholes)).collect();
        let found = self.states.number(State { hypotheses: in_order(ends), pending: SmallVec::new() });
        self.ends[inner as usize] = found;
        found
    }

    /// The state if a token ends inside a character.
    fn state(&mut self, inner: InnerId, pending: &[u8]) -> StateId {
        if inner == NOTHING {
            return DEAD;
        }
        let mut hypotheses = self.inner.value(inner).clone();
        hypotheses.retain(|hypothesis| hypothesis.whole != WHOLE); // a piece ends with a character
        let pending = if hypotheses.is_empty() { SmallVec::new() } else { SmallVec::from_slice(pending) };
        self.states.number(State { hypotheses, pending })
    }

    fn inner(&mut self, hypotheses: SmallVec<[Hypothesis; 2]>) -> InnerId {
        self.inner.number(in_order(hypotheses))
    }

    /// How many states there are, with those inside tokens.
    pub fn states(&self) -> usize {
        self.states.len() + self.inner.len()
    }

    /// The ASCII characters, a bit each, before which a piece ends in a state, whatever comes after them.
    pub fn ends_before(&mut self, state: StateId) -> u128 {
        self.free.resize(self.states.len(), None);
        if let Some(known) = self.free[state as usize] {
            return known;
        }
        let found = self.find_ends_before(state);
        self.free[state as usize] = Some(found);
        found
    }

    fn find_ends_before(&self, state: StateId) -> u128 {
        if !self.is_between_characters(state) {
            return 0;
        }
        let ends_here = |hypothesis: &&Hypothesis| hypothesis.place == Place::Boundary;
        let mut found = 0;
        for hypothesis in self.states.value(state).hypotheses.iter().filter(ends_here) {
            let begun = Hypothesis { place: Place::Begun, ..hypothesis.clone() };
            for byte in 0..128_u8 {
                let after = self.program.after(&begun, self.program.alphabet.minterm(char::from(byte)));
                let is_free = after.is_some_and(|after| after.obligations.is_empty());
                found |= u128::from(is_free) << byte;
            }
        }
        found
    }

    /// Whether a text may end here.
    pub fn may_end(&self, state: StateId) -> bool {
        let is_end = |hypothesis: &Hypothesis| {
            hypothesis.place == Place::Boundary
                && (hypothesis.threads.is_empty() || self.program.first_match(&hypothesis.threads, None).is_some())
                && self.program.first_match(&hypothesis.obligations, None).is_none()
        };
        self.states.value(state).hypotheses.iter().any(is_end)
    }
}

impl Program {
    /// A hypothesis inside a token after one more character; `None` if it is refuted.
    fn after(&self, now: &Hypothesis, minterm: Minterm) -> Option<Hypothesis> {
        if self.first_match(&now.obligations, Some(minterm)).is_some() {
            return None;
        }
        let mut obligations = self.step(&now.obligations, minterm);
        let first = self.first_match(&now.threads, Some(minterm));
        let threads = if now.place == Place::Inside {
            self.step(&now.threads[..first.unwrap_or(now.threads.len())], minterm)
        } else {
            if !now.threads.is_empty() {
                obligations.extend(self.step(&now.threads[..first?], minterm));
            }
            self.step(self.start(), minterm)
        };
        if threads.is_empty() || obligations.iter().any(|&thread| self.matches_always(thread)) {
            return None;
        }
        obligations.sort_unstable();
        obligations.dedup();
        Some(Hypothesis { place: Place::Inside, threads, obligations, whole: now.whole })
    }

    /// A hypothesis after a token that ends with a character: a piece may end there or go on.
    fn with_boundary(&self, inside: &Hypothesis, wholes: &Wholes) -> impl Iterator<Item = Hypothesis> + use<> {
        let is_match = |&thread: &Thread| self.match_of(thread).is_some();
        let ends = inside.threads.iter().any(is_match) && !wholes.is_end(inside.whole);
        let goes_on = inside.whole != WHOLE
            && !inside.threads.first().is_none_or(|&thread| self.matches_always(thread))
            && inside.threads.iter().any(|thread| !is_match(thread));
        let boundary = ends.then(|| Hypothesis { place: Place::Boundary, whole: OUTSIDE, ..inside.clone() });
        boundary.into_iter().chain(goes_on.then(|| inside.clone()))
    }
}

/// Hypotheses as a set.
fn in_order(mut hypotheses: SmallVec<[Hypothesis; 2]>) -> SmallVec<[Hypothesis; 2]> {
    hypotheses.sort_unstable();
    hypotheses.dedup();
    hypotheses
}

/// The whole characters of some bytes, and the bytes of the last one if it is not complete; `None` for what is not UTF-8.
pub fn characters(bytes: &[u8]) -> Option<(&str, &[u8])> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some((text, &[])),
        Err(error) => {
            let (text, rest) = bytes.split_at(error.valid_up_to());
            let is_begun = error.error_len().is_none();
            is_begun.then(|| (std::str::from_utf8(text).unwrap_or_default(), rest))
        }
    }
}
