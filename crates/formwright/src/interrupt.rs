//! Work that can be ended from outside, and that ends by itself when it is too much.
//!
//! Whatever may take long counts its work in units of some 50 ns ([`count`]); every [`EVERY`] units it is asked whether
//! to go on:
//!
//! ```text
//! thread A    interrupt.during(|| json_schema(..))  ─ counts ─ counts ─ counts ─ Err(Interrupted)
//! thread B                                                      interrupt.set()
//! ```
//!
//! Cost: a subtraction for each unit, and a load of an atomic every [`EVERY`] units. The work is left by
//! unwinding, as by a panic, but without a message: so no place in it can take the end for an answer, and nothing
//! half-made is kept: shared automata and the tables of a vocabulary only ever gain whole entries, so they stay valid. The
//! cache of a matcher does not: a matcher whose call was ended has to be reset. In a program that aborts on panics nothing
//! is ended; the bounds of the single structures hold there too.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Kind, Result};

/// Units between two questions whether to go on: at most a millisecond or so.
const EVERY: u32 = 1 << 12;

/// Items that are sorted without a question.
const AT_ONCE: usize = 1 << 16;

/// A switch that ends work: clones are the same switch, for other threads.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A switch that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the work that is under way, and all that begins later. It cannot be taken back.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does some work of this thread, until the switch is set.
    ///
    /// # Errors
    /// [`Kind::Interrupted`] once it is set; those of the work.
    pub fn during<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let own = self.clone();
        until(move || own.is_set(), work)
    }
}

/// Does some work of this thread, until `is_over` says so, which is asked once a millisecond or so.
///
/// # Errors
/// [`Kind::Interrupted`] if it was ended; those of the work.
pub fn until<T>(is_over: impl Fn() -> bool + 'static, work: impl FnOnce() -> Result<T>) -> Result<T> {
    if is_over() {
        return Err(interrupted());
    }
    within(Scope { is_over: Some(Rc::new(is_over)), most: None, units: 0 }, work)
}

/// Does the work of one call, of at most so many units. Calls inside a call are a part of it.
///
/// # Errors
/// [`Kind::Limit`] if that is not enough; those of the work.
pub(crate) fn bounded<T>(most: u64, work: impl FnOnce() -> Result<T>) -> Result<T> {
    if SCOPES.with_borrow(|scopes| scopes.iter().any(|scope| scope.most.is_some())) {
        return work();
    }
    within(Scope { is_over: None, most: Some(most), units: 0 }, work)
}

/// Counts some units of work, and leaves it if it is to end.
#[inline]
pub(crate) fn count(units: usize) {
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    LEFT.with(|left| match left.get().checked_sub(units) {
        Some(rest) => left.set(rest),
        None => ask(units),
    });
}

/// Asks at once whether to go on: between stages that cannot be asked inside.
pub(crate) fn ask_now() {
    count(EVERY as usize);
}

/// Sorts, and asks now and then whether to go on.
pub(crate) fn sort<T: Ord>(items: &mut [T]) {
    items.chunks_mut(AT_ONCE).for_each(|items| {
        count(4 * items.len());
        items.sort_unstable();
    });
    if items.len() > AT_ONCE {
        items.sort(); // merges the runs
    }
}

/// The units that this thread has counted.
pub(crate) fn counted() -> u64 {
    DONE.get() + u64::from(EVERY.saturating_sub(LEFT.get()))
}

thread_local! {
    /// Units that were counted up to the last question.
    static DONE: Cell<u64> = const { Cell::new(0) };
    /// Units until the next question.
    static LEFT: Cell<u32> = const { Cell::new(EVERY) };
    /// What the work of this thread is in, the outermost first.
    static SCOPES: RefCell<Vec<Scope>> = const { RefCell::new(Vec::new()) };
}

/// What may end the work inside it.
#[derive(Clone)]
struct Scope {
    is_over: Option<Rc<dyn Fn() -> bool>>,
    most: Option<u64>,
    units: u64,
}

/// The end of all work inside a scope: what unwinding carries.
struct End {
    /// Its number.
    scope: usize,
    error: Error,
}

/// Ends a scope, however its work ends.
struct Inside;

impl Inside {
    fn begin(scope: Scope) -> Self {
        pause();
        SCOPES.with_borrow_mut(|scopes| scopes.push(scope));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        pause();
        SCOPES.with_borrow_mut(Vec::pop);
    }
}

fn within<T>(scope: Scope, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let number = SCOPES.with_borrow(Vec::len);
    let inside = Inside::begin(scope);
    let done = catch_unwind(AssertUnwindSafe(work));
    drop(inside);
    done.unwrap_or_else(|left| Err(reason(left, number)))
}

/// Why a scope was left. What is not its own end goes on: the end of an outer scope, or a panic.
fn reason(left: Box<dyn Any + Send>, scope: usize) -> Error {
    match left.downcast::<End>() {
        Ok(end) if end.scope == scope => end.error,
        Ok(end) => resume_unwind(end),
        Err(panic) => resume_unwind(panic),
    }
}

/// Adds what was counted since the last question to all scopes, and counts anew.
fn pause() {
    add(EVERY.saturating_sub(LEFT.replace(EVERY)));
}

/// Adds some units to all scopes.
fn add(units: u32) {
    DONE.set(DONE.get() + u64::from(units));
    SCOPES.with_borrow_mut(|scopes| scopes.iter_mut().for_each(|scope| scope.units += u64::from(units)));
}

/// Asks whether to go on.
#[cold]
fn ask(units: u32) {
    pause();
    add(units);
    let scopes = SCOPES.with_borrow(Clone::clone);
    let ended = scopes.iter().enumerate().find_map(|(number, scope)| Some((number, scope.ended()?)));
    if let Some((scope, error)) = ended.filter(|_| cfg!(panic = "unwind") && !std::thread::panicking()) {
        resume_unwind(Box::new(End { scope, error }));
    }
}

impl Scope {
    fn ended(&self) -> Option<Error> {
        if let Some(most) = self.most.filter(|&most| self.units > most) {
            return Some(too_much(most));
        }
        self.is_over.as_ref().filter(|is_over| is_over()).map(|_| interrupted())
    }
}

fn interrupted() -> Error {
    Error::new(Kind::Interrupted, "interrupted: the work was ended from outside")
}

fn too_much(most: u64) -> Error {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    Error::limit("work", most.saturating_add(1), most).hint("describe less of it, or split it into forms of their own")
}
