//! What ends a call of the kernel that takes long: Ctrl-C, and an `Interrupt`.
//!
//! ```text
//! main thread     with interrupt: compile(...)    asks once a millisecond for `interrupt`, every 20 ms for signals
//! other thread    interrupt.set()                 Interrupted is raised in the main thread
//! ```
//!
//! Cost: nothing for calls of less than a millisecond. Wrinkle: signals are handled in the main thread only, so no other
//! thread takes the interpreter lock to ask for them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use formwright::interrupt::until;
use pyo3::prelude::*;

use crate::errors::{lift, locked, unlocked};

/// Time between two questions for signals.
const PATIENCE: Duration = Duration::from_millis(20);

thread_local! {
    /// What the `with` blocks of this thread are ended by, the outermost first.
    static AROUND: RefCell<Vec<formwright::Interrupt>> = const { RefCell::new(Vec::new()) };
}

/// Ends what formwright reads and compiles, from another thread.
///
/// A block of the thread that works says what it ends; any other thread may set it::
///
///     interrupt = fw.Interrupt()
///
///     def compiled(schema):                 # in a thread
///         with interrupt:
///             return fw.compile(schema, vocabulary)
///
///     interrupt.set()                       # in another thread: `compiled` raises Interrupted
///
/// It stays set, so that what begins later in such a block ends at once. Nothing half-made is kept. Calls of matchers
/// are not ended by it: they are short. The block belongs to its thread, so nothing should be awaited in it.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Interrupt(formwright::Interrupt);

#[pymethods]
impl Interrupt {
    #[new]
    fn new() -> Self {
        Self(formwright::Interrupt::new())
    }

    /// End what runs in its blocks, and what will.
    fn set(&self) {
        self.0.set();
    }

    /// Whether it is set.
    #[getter]
    fn is_set(&self) -> bool {
        self.0.is_set()
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        AROUND.with_borrow_mut(|around| around.push(slf.get().0.clone()));
        slf
    }

    #[pyo3(signature = (*_exception))]
    #[allow(clippy::unused_self)] // a method by Python's protocol
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        AROUND.with_borrow_mut(Vec::pop);
    }

    fn __repr__(&self) -> &'static str {
        if self.0.is_set() { "Interrupt(set)" } else { "Interrupt()" }
    }
}

/// Runs `work` without the interpreter lock, until it is interrupted.
///
/// # Errors
/// `KeyboardInterrupt`, or what another handler of a signal raises; `Interrupted`; those of the work.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce() -> formwright::Result<T> + Send) -> PyResult<T> {
    let (done, raised) = unlocked(py, || watched(false, work))?;
    raised.map_or_else(|| lift(py, done), Err)
}

/// Runs `work`, which is mostly short, with the interpreter lock. Every 20 ms other threads get their turn.
///
/// # Errors
/// As [`interruptible`].
pub fn interruptible_locked<T>(py: Python<'_>, work: impl FnOnce() -> formwright::Result<T>) -> PyResult<T> {
    let (done, raised) = locked(py, || watched(true, work))?;
    raised.map_or_else(|| lift(py, done), Err)
}

/// What some work came to, and what a signal raised.
fn watched<T>(is_locked: bool, work: impl FnOnce() -> formwright::Result<T>) -> (formwright::Result<T>, Option<PyErr>) {
    let watch = Rc::new(Watch::new(is_locked));
    let asked = Rc::clone(&watch);
    let done = until(move || asked.is_over(), work);
    (done, watch.raised.take())
}

/// What asks whether a call is over.
struct Watch {
    around: Vec<formwright::Interrupt>,
    /// When signals are asked for next.
    next: Cell<Instant>,
    /// Whether this is the thread that handles signals, once that is known.
    is_main: Cell<Option<bool>>,
    /// Whether the work holds the interpreter lock.
    is_locked: bool,
    raised: RefCell<Option<PyErr>>,
}

impl Watch {
    fn new(is_locked: bool) -> Self {
        Self {
            around: AROUND.with_borrow(Clone::clone),
            next: Cell::new(Instant::now() + PATIENCE),
            is_main: Cell::new(None),
            is_locked,
            raised: RefCell::new(None),
        }
    }

    fn is_over(&self) -> bool {
        self.around.iter().any(formwright::Interrupt::is_set) || self.is_time() && self.is_signalled()
    }

    /// Whether signals should be asked for.
    fn is_time(&self) -> bool {
        let now = Instant::now();
        let is_time = now >= self.next.get() && (self.is_locked || self.is_main.get() != Some(false));
        if is_time {
            self.next.set(now + PATIENCE);
        }
        is_time
    }

    /// Whether the handler of a signal has raised something. A program that ends has no handlers any more.
    fn is_signalled(&self) -> bool {
        let handled = Python::try_attach(|py| {
            if self.is_locked {
                py.detach(std::thread::yield_now);
            }
            if self.is_main.get().is_none() {
                self.is_main.set(Some(is_main_thread(py)?));
            }
            py.check_signals()
        });
        self.raised.replace(handled.and_then(Result::err));
        self.raised.borrow().is_some()
    }
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}
