//! Where pieces can end, token by token, before it is known what comes next.
//!
//! ```text
//! "       " "x"       seven spaces were one piece if the text ended here, and are six and one before a letter
//! ```
//!
//! Whether a piece ends after a token may depend on text to come, without bound: so it is guessed, and the guess is
//! checked. A *hypothesis* says whether a piece ends here, and which threads of earlier pieces must never match, because
//! they would have been tried before the match that was guessed: its *obligations*. A state is the set of all hypotheses
//! that hold so far. A sequence of tokens can go on as an encoder would write it if a hypothesis is left, and it is what
//! an encoder writes if one is left for which the text may end.
//!
//! Cost: a few hypotheses a state and a few dozen states for the patterns in use; what a token does to a state is found
//! once. Wrinkle: a token may end inside a character, where no piece ends: the bytes read of it are part of the state.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::program::{Kind, Program, Thread, Threads};

/// Index of a state.
pub type StateId = u32;

/// The state in which nothing can follow.
pub const DEAD: StateId = 0;

/// The state before a text.
pub const START: StateId = 1;

/// Where a hypothesis stands in its piece.
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

/// The states of one pattern, made when they are met.
#[derive(Debug)]
pub struct Boundaries {
    program: Program,
    states: Vec<State>,
    ids: FxHashMap<State, StateId>,
}

impl Boundaries {
    /// For a pattern.
    pub fn new(program: Program) -> Self {
        let start = Hypothesis { place: Place::Boundary, threads: Threads::new(), obligations: Threads::new() };
        let mut boundaries = Self { program, states: Vec::new(), ids: FxHashMap::default() };
        boundaries.id(State::default());
        boundaries.id(State { hypotheses: SmallVec::from_iter([start]), pending: SmallVec::new() });
        boundaries
    }

    /// The pattern.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are no states. There always are.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn id(&mut self, state: State) -> StateId {
        let next = self.states.len() as StateId;
        *self.ids.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            next
        })
    }

    /// The state after a token of these bytes.
    pub fn after(&mut self, state: StateId, token: &[u8], follows: Follows) -> StateId {
        let State { hypotheses, pending } = &self.states[state as usize];
        let mut bytes: SmallVec<[u8; 32]> = SmallVec::from_slice(pending);
        bytes.extend_from_slice(token);
        let Some((text, rest)) = characters(&bytes) else { return DEAD };
        let begins = |hypothesis: &&Hypothesis| hypothesis.place == Place::Boundary || follows == Follows::InPiece;
        let kinds: SmallVec<[Kind; 16]> = text.chars().map(|c| self.program.alphabet.kind(c)).collect();
        let mut after: SmallVec<[Hypothesis; 2]> = SmallVec::new();
        for hypothesis in hypotheses.iter().filter(begins) {
            let Some(end) = self.program.after(hypothesis, &kinds) else { continue };
            if rest.is_empty() {
                after.extend(self.program.with_boundary(end));
            } else {
                after.push(end);
            }
        }
        after.sort_unstable();
        after.dedup();
        let pending = if after.is_empty() { SmallVec::new() } else { SmallVec::from_slice(rest) };
        self.id(State { hypotheses: after, pending })
    }

    /// Whether a text may end here.
    pub fn may_end(&self, state: StateId) -> bool {
        let is_end = |hypothesis: &Hypothesis| {
            hypothesis.place == Place::Boundary
                && (hypothesis.threads.is_empty() || self.program.first_match(&hypothesis.threads, None).is_some())
                && self.program.first_match(&hypothesis.obligations, None).is_none()
        };
        self.states[state as usize].hypotheses.iter().any(is_end)
    }
}

impl Program {
    /// A hypothesis after the characters of a token; `None` if it is refuted.
    fn after(&self, hypothesis: &Hypothesis, kinds: &[Kind]) -> Option<Hypothesis> {
        let mut now = hypothesis.clone();
        if now.place == Place::Boundary {
            now.place = Place::Begun;
        }
        for &kind in kinds {
            if self.first_match(&now.obligations, Some(kind)).is_some() {
                return None;
            }
            let mut obligations = self.step(&now.obligations, kind);
            let first = self.first_match(&now.threads, Some(kind));
            if now.place == Place::Begun {
                if !now.threads.is_empty() {
                    obligations.extend(self.step(&now.threads[..first?], kind));
                }
                now.threads = self.step(self.start(), kind);
            } else {
                now.threads = self.step(&now.threads[..first.unwrap_or(now.threads.len())], kind);
            }
            if now.threads.is_empty() || obligations.iter().any(|&thread| self.matches_always(thread)) {
                return None;
            }
            obligations.sort_unstable();
            obligations.dedup();
            now = Hypothesis { place: Place::Inside, threads: now.threads, obligations };
        }
        Some(now)
    }

    /// A hypothesis after a token that ends with a character: a piece may end there or go on.
    fn with_boundary(&self, inside: Hypothesis) -> impl Iterator<Item = Hypothesis> {
        let is_match = |&thread: &Thread| self.match_of(thread).is_some();
        let ends = inside.threads.iter().any(is_match);
        let goes_on = !inside.threads.first().is_none_or(|&thread| self.matches_always(thread))
            && inside.threads.iter().any(|thread| !is_match(thread));
        let boundary = ends.then(|| Hypothesis { place: Place::Boundary, ..inside.clone() });
        boundary.into_iter().chain(goes_on.then_some(inside))
    }
}

/// The whole characters of some bytes, and the bytes of the last one if it is not complete; `None` for what is no UTF-8.
fn characters(bytes: &[u8]) -> Option<(&str, &[u8])> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some((text, &[])),
        Err(error) => {
            let (text, rest) = bytes.split_at(error.valid_up_to());
            let is_begun = error.error_len().is_none();
            is_begun.then(|| (std::str::from_utf8(text).unwrap_or_default(), rest))
        }
    }
}
