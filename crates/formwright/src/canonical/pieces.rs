//! What is known of the pieces of a pattern: grown as texts meet states, and shared by all of them.
//!
//! States have numbers, and whoever holds numbers holds the [`Pieces`] that they are of. Once there are many states, new
//! texts begin with new pieces; the old ones go when the last text that uses them has ended.
//!
//! Cost: a lock for each token. A text that goes on meeting new states keeps its pieces, up to
//! [`MOST_STATES`]: then it cannot go on, which no pattern in use comes near to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::boundaries::{Boundaries, StateId};
use super::columns::{Columns, Moves};
use super::completions::{Completion, Completions, Finder};
use super::pairs::Pairs;
use super::program::Program;
use super::splits::{Splits, TokenId};
use super::wholes::Wholes;

/// New texts begin with new pieces where there are more states than this. Patterns in use have a few dozen between
/// characters, and some thousands inside of them.
const MANY_STATES: usize = 1 << 16;

/// States at most.
const MOST_STATES: usize = 1 << 19;

/// A place, and a byte.
pub type BeginningKey = (StateId, Option<TokenId>, u8);

/// The tokens that may come at a place, of those that begin with a byte.
pub type Beginnings = FxHashMap<BeginningKey, Arc<[TokenId]>>;

/// The states of a pattern, and what leads from one to another.
#[derive(Debug)]
pub struct Pieces {
    pub boundaries: Boundaries,
    /// Of places that were asked about.
    pub beginnings: Beginnings,
    /// Made when they are asked for.
    columns: Option<Columns>,
    completions: Completions,
}

impl Pieces {
    fn new(program: Program, wholes: Wholes) -> Self {
        let boundaries = Boundaries::new(program, wholes);
        Self { boundaries, beginnings: Beginnings::default(), columns: None, completions: Completions::default() }
    }

    /// Tokens that complete the character which a token has begun, if there are any.
    pub fn completion(&mut self, splits: &Splits, pairs: &Pairs, state: StateId, last: TokenId) -> Option<Completion> {
        let Self { boundaries, columns, completions, .. } = self;
        let columns = columns.get_or_insert_with(|| Columns::new(splits, boundaries));
        let mut finder = Finder { splits, pairs, boundaries, continuing: columns.continuing() };
        completions.of(&mut finder, state, last)
    }

    /// Where all tokens lead from a state.
    pub fn moves(&mut self, splits: &Splits, state: StateId) -> Arc<Moves> {
        let Self { boundaries, columns, .. } = self;
        let columns = columns.get_or_insert_with(|| Columns::new(splits, boundaries));
        columns.moves(splits, boundaries, state)
    }

    /// Whether there are so many states that a text cannot go on.
    pub fn is_full(&self) -> bool {
        self.boundaries.states() > MOST_STATES
    }
}

/// Pieces that texts share.
pub type SharedPieces = Arc<Mutex<Pieces>>;

/// Locks pieces. Each change is complete or of no effect, so a text that met a panic may go on with them; new texts begin
/// with new ones ([`Shelf::pieces`]).
pub fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pieces that new texts begin with.
#[derive(Debug)]
pub struct Shelf {
    program: Program,
    wholes: Wholes,
    current: Mutex<SharedPieces>,
}

impl Shelf {
    /// For a pattern.
    pub fn new(program: Program, wholes: Wholes) -> Self {
        let pieces = Pieces::new(program.clone(), wholes.clone());
        Self { program, wholes, current: Mutex::new(Arc::new(Mutex::new(pieces))) }
    }

    /// The pieces of a new text.
    pub fn pieces(&self) -> SharedPieces {
        let mut current = lock(&self.current);
        if current.is_poisoned() || lock(&current).boundaries.states() > MANY_STATES {
            let pieces = Pieces::new(self.program.clone(), self.wholes.clone());
            *current = Arc::new(Mutex::new(pieces));
        }
        Arc::clone(&current)
    }
}
