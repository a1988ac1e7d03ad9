//! Where the states of an automaton come from: each transition is made when it is first asked for.
//!
//! ```text
//! Derived    an expression, by derivatives       a bound on its work: what was answered since then may miss texts
//! Parsed     a character parser, asked           an error of it, which is kept
//! ```
//!
//! Cost: a lock, and about a microsecond for a derivative; asking a parser takes as long as its code does.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::builder::StateBuilder;
use super::parser_states::ParserStates;
use super::table::UNKNOWN;
use super::{Automaton, DEAD, StateId, Step};
use crate::error::Error;

/// Where states come from: each has its lock, taken while a state is made.
pub enum States {
    /// From expressions.
    Derived(Box<Mutex<StateBuilder>>),
    /// From a character parser, which runs code of the host while the lock is held.
    Parsed { states: Box<Mutex<ParserStates>>, knows_ends: bool },
}

impl Automaton {
    /// Builds every transition of a state, unless that takes searches: together they cost little more than a few.
    pub(super) fn build_all(&self, state: StateId) {
        let cells = &self.table.row_or_make(state)[..self.classes.len()];
        if state == DEAD || cells.iter().all(|cell| cell.load(Ordering::Relaxed) != UNKNOWN) {
            return;
        }
        let Some(mut builder) = self.derived() else { return };
        if builder.takes_search(state) {
            return;
        }
        let ascii_only = builder.reads_ascii_only(state);
        for (cell, &byte) in cells.iter().zip(self.classes.firsts()) {
            if cell.load(Ordering::Relaxed) == UNKNOWN {
                let dead = (ascii_only && !byte.is_ascii()).then_some(Step(DEAD));
                let Some(step) = dead.or_else(|| self.build(&mut builder, state, byte)) else { return };
                cell.store(step.0, Ordering::Release);
            }
        }
    }

    #[cold]
    pub(super) fn build_one(&self, state: StateId, byte: u8, class: usize) -> Step {
        if state == DEAD {
            return Step(DEAD);
        }
        let built = match &self.states {
            States::Derived(builder) => self.build(&mut lock_builder(builder), state, byte),
            States::Parsed { states, .. } => self.parse(&mut lock(states), state, byte),
        };
        let Some(step) = built else { return Step(DEAD) };
        self.table.row_or_make(state)[class].store(step.0, Ordering::Release);
        step
    }

    /// A transition; none at a limit.
    fn build(&self, builder: &mut StateBuilder, state: StateId, byte: u8) -> Option<Step> {
        let step = builder.step(state, byte);
        self.note(builder, step.is_err());
        step.ok()
    }

    /// Notes how far the builder has come. After a bound was reached, new texts begin with a new automaton.
    pub(super) fn note(&self, builder: &StateBuilder, has_failed: bool) {
        self.memory.store(builder.memory(), Ordering::Relaxed);
        self.units.store(builder.expressions.units(), Ordering::Relaxed);
        if has_failed || builder.is_near_its_limit() {
            self.near_its_limit.store(true, Ordering::Relaxed);
        }
        if has_failed {
            self.overflow.store(true, Ordering::Relaxed);
        }
    }

    /// A transition of a parser; none if it fails.
    fn parse(&self, states: &mut ParserStates, state: StateId, byte: u8) -> Option<Step> {
        let step = states.step(state, byte);
        self.memory.store(states.memory(), Ordering::Relaxed);
        if states.is_near_its_limit() {
            self.near_its_limit.store(true, Ordering::Relaxed);
        }
        step.map_err(|error| self.fail(error)).ok()
    }

    /// The parser failed: what was answered since then may miss texts. New texts begin with a new automaton.
    fn fail(&self, error: Error) {
        self.failure.get_or_init(|| error);
        self.near_its_limit.store(true, Ordering::Relaxed);
        self.overflow.store(true, Ordering::Relaxed);
    }

    /// Why its parser could not be asked any further.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.get()
    }

    /// Whether its states come from a parser, which runs code of the host.
    pub fn is_parsed(&self) -> bool {
        matches!(self.states, States::Parsed { .. })
    }

    /// Whether the bytes to the end are known of every state.
    pub fn knows_ends(&self) -> bool {
        match &self.states {
            States::Derived(_) => true,
            &States::Parsed { knows_ends, .. } => knows_ends,
        }
    }

    /// Whether a limit was reached while building: masks and answers since then may miss texts.
    pub fn overflowed(&self) -> bool {
        self.overflow.load(Ordering::Relaxed)
    }

    /// Whether so many states were made that new texts should start with a new automaton.
    pub fn is_near_its_limit(&self) -> bool {
        self.near_its_limit.load(Ordering::Relaxed)
    }

    /// The units of work that were done to build it so far.
    pub fn units(&self) -> u64 {
        self.units.load(Ordering::Relaxed)
    }

    /// About how many bytes of memory it takes by now.
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    #[cold]
    pub(super) fn find_shortest(&self, state: StateId, cell: &AtomicU32) -> u32 {
        let shortest = match &self.states {
            States::Derived(builder) => lock_builder(builder).shortest(state),
            States::Parsed { states, .. } => lock(states).shortest(state).unwrap_or_else(|error| {
                self.fail(error);
                UNKNOWN
            }),
        };
        let shortest = shortest.min(UNKNOWN - 1);
        cell.store(shortest, Ordering::Relaxed);
        shortest
    }

    /// The builder of states, if they come from expressions.
    pub(super) fn derived(&self) -> Option<MutexGuard<'_, StateBuilder>> {
        match &self.states {
            States::Derived(builder) => Some(lock_builder(builder)),
            States::Parsed { .. } => None,
        }
    }
}

fn lock<T>(states: &Mutex<T>) -> MutexGuard<'_, T> {
    states.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The builder of states. Where work on it was left in its midst, what it had made by then is whole, and is kept.
fn lock_builder(builder: &Mutex<StateBuilder>) -> MutexGuard<'_, StateBuilder> {
    builder.lock().unwrap_or_else(|left| {
        let mut locked = left.into_inner();
        locked.expressions.forget_search();
        builder.clear_poison();
        locked
    })
}
