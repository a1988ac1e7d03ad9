//! Character parsers: the kernel asks an object of `formwright.forms.parsers`, and takes the interpreter lock for it.
//!
//! ```text
//! kernel, holding its locks  ──►  lock of the interpreter  ──►  outlook, after, shortest of Python
//! ```
//!
//! Cost: about 0.1 us beside the work of Python. Wrinkle: while Python answers, the kernel holds locks of this form. So
//! whoever uses such a form releases the interpreter lock before ([`detached`]), and a parser that uses such a form while
//! it is asked, which would wait for itself, gets an error.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use formwright::error::Cause;
use formwright::regular::{CharacterParser, Exploration, Outlook, ParserState};
use formwright::syntax::python;
use formwright::{Error, Kind, Limits};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::errors::{lift, locked, raise, unlocked};

thread_local! {
    /// Whether this thread runs code of a parser.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a form that has a parser in it (`asks`) without the interpreter lock, on others with it.
///
/// # Errors
/// `MatchError` in the code of a parser.
pub fn detached<T: Send>(py: Python<'_>, asks: bool, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    check(py, asks)?;
    if asks { unlocked(py, work) } else { locked(py, work) }
}

/// Fails in the code of a parser, if the form has a parser in it.
pub fn check(py: Python<'_>, asks: bool) -> PyResult<()> {
    if !asks || !ASKING.get() {
        return Ok(());
    }
    let message = "a character parser cannot use a form that has a parser in it while it is asked";
    Err(raise(py, Error::new(Kind::Match, message).hint("call the methods of the other parser instead")))
}

/// A parser of Python: `start` makes a `formwright.forms.parsers.Exploration`.
pub struct PythonParser {
    pub start: Py<PyAny>,
    pub knows_shortest: bool,
}

/// An exception of a parser, and whether it was raised already.
pub struct Raised {
    error: PyErr,
    before: AtomicBool,
}

impl Raised {
    /// The exception to raise; none if it interrupts the program, and did so before.
    pub fn again(&self, py: Python<'_>) -> Option<PyErr> {
        let before = self.before.swap(true, Ordering::Relaxed);
        (!before || self.error.is_instance_of::<PyException>(py)).then(|| self.error.clone_ref(py))
    }
}

fn failed(error: PyErr) -> Error {
    let cause = Cause(Arc::new(Raised { error, before: AtomicBool::new(false) }));
    Error::new(Kind::Parser { cause: Some(cause) }, "a character parser was interrupted").hint("start a new text")
}

/// What `ask` is answered, with the interpreter lock.
fn ask<T>(ask: impl FnOnce(Python<'_>) -> PyResult<T>) -> formwright::Result<T> {
    Python::attach(|py| {
        let before = ASKING.replace(true);
        let answer = ask(py);
        ASKING.set(before);
        answer.map_err(failed)
    })
}

impl CharacterParser for PythonParser {
    fn explore(&self) -> formwright::Result<Box<dyn Exploration>> {
        let made = ask(|py| self.start.call0(py))?;
        Ok(Box::new(PythonExploration(made)))
    }

    fn knows_shortest(&self) -> bool {
        self.knows_shortest
    }
}

struct PythonExploration(Py<PyAny>);

/// Characters that lead to a state each, ranges of characters that lead to the same one, and whether a text may end.
type Answer = (PyBackedStr, Vec<Vec<(char, char)>>, bool);

impl Exploration for PythonExploration {
    fn outlook(&mut self, state: ParserState) -> formwright::Result<Outlook> {
        let answer = ask(|py| self.0.call_method1(py, "outlook", (state,))?.extract::<Answer>(py))?;
        let (listed, alike, can_end) = answer;
        Ok(Outlook::new(listed.chars().collect(), &alike, can_end))
    }

    fn after(&mut self, state: ParserState, character: char) -> formwright::Result<ParserState> {
        ask(|py| self.0.call_method1(py, "after", (state, character))?.extract(py))
    }

    fn shortest(&mut self, state: ParserState) -> formwright::Result<Option<String>> {
        ask(|py| self.0.call_method1(py, "shortest", (state,))?.extract(py))
    }
}

/// The ranges of the characters that a pattern matches, if it is one of exactly one character.
///
/// ``pattern`` is what `formwright.forms.patterns` makes of a compiled pattern.
///
/// Raises:
///     RegexError: The pattern cannot be read.
#[pyfunction]
pub fn character_ranges(py: Python<'_>, pattern: &str) -> PyResult<Option<Vec<(char, char)>>> {
    lift(py, python::characters(pattern, &Limits::default()))
}
