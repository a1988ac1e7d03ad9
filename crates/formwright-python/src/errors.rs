//! Kernel errors as the exceptions declared in `formwright/errors.py`.
//!
//! A panic of the kernel is a fault of ours, and must neither end the process nor pass `except Exception`: every call that
//! computes something goes through [`locked`] or [`unlocked`], which make an `InternalError` of it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use formwright::{Error, Kind};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::parser::Raised;

mod python {
    use pyo3::import_exception;

    import_exception!(formwright.errors, ArgumentError);
    import_exception!(formwright.errors, DeadEnd);
    import_exception!(formwright.errors, GrammarError);
    import_exception!(formwright.errors, InternalError);
    import_exception!(formwright.errors, Interrupted);
    import_exception!(formwright.errors, LanguageError);
    import_exception!(formwright.errors, LimitExceeded);
    import_exception!(formwright.errors, MatchError);
    import_exception!(formwright.errors, ParserFailed);
    import_exception!(formwright.errors, RegexError);
    import_exception!(formwright.errors, SchemaError);
    import_exception!(formwright.errors, TokenRejected);
    import_exception!(formwright.errors, UnsatisfiableSchema);
    import_exception!(formwright.errors, UnsupportedConstruct);
    import_exception!(formwright.errors, UnsupportedKeyword);
    import_exception!(formwright.errors, UnsupportedPattern);
    import_exception!(formwright.errors, VocabularyError);
}

/// The Python exception of a kernel error.
pub fn raise(py: Python<'_>, error: Error) -> PyErr {
    build(py, error).unwrap_or_else(|error| error)
}

fn build(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let kwargs = PyDict::new(py);
    kwargs.set_item("hint", error.hint)?;
    let class = match *error.kind {
        Kind::Regex { source, span } => {
            kwargs.set_item("source", source)?;
            kwargs.set_item("span", span)?;
            py.get_type::<python::RegexError>()
        }
        Kind::UnsupportedRegex { source, span } => {
            kwargs.set_item("source", source)?;
            kwargs.set_item("span", span)?;
            py.get_type::<python::UnsupportedPattern>()
        }
        Kind::Language => py.get_type::<python::LanguageError>(),
        Kind::Grammar { source, span, line, column, expected } => {
            set_place(&kwargs, source, span, (line, column), expected)?;
            py.get_type::<python::GrammarError>()
        }
        Kind::UnsupportedConstruct { source, span, line, column, expected } => {
            set_place(&kwargs, source, span, (line, column), expected)?;
            py.get_type::<python::UnsupportedConstruct>()
        }
        Kind::Argument { argument } => {
            kwargs.set_item("argument", argument)?;
            py.get_type::<python::ArgumentError>()
        }
        Kind::Schema { pointer } => {
            kwargs.set_item("pointer", pointer)?;
            py.get_type::<python::SchemaError>()
        }
        Kind::Unsupported { pointer } => {
            kwargs.set_item("pointer", pointer)?;
            py.get_type::<python::UnsupportedKeyword>()
        }
        Kind::Unsatisfiable { pointer } => {
            kwargs.set_item("pointer", pointer)?;
            py.get_type::<python::UnsatisfiableSchema>()
        }
        Kind::Limit { limit, value, allowed } => {
            kwargs.set_item("limit", limit)?;
            kwargs.set_item("value", value)?;
            kwargs.set_item("allowed", allowed)?;
            py.get_type::<python::LimitExceeded>()
        }
        Kind::Interrupted => py.get_type::<python::Interrupted>(),
        Kind::Vocabulary => py.get_type::<python::VocabularyError>(),
        Kind::Rejected { token, text, position, expected } => {
            kwargs.set_item("token_id", token)?;
            kwargs.set_item("token", PyBytes::new(py, &text))?;
            kwargs.set_item("position", position)?;
            kwargs.set_item("expected", expected)?;
            py.get_type::<python::TokenRejected>()
        }
        Kind::DeadEnd => py.get_type::<python::DeadEnd>(),
        Kind::Match => py.get_type::<python::MatchError>(),
        Kind::Parser { cause } => {
            let raised = cause.as_ref().and_then(|cause| cause.0.downcast_ref::<Raised>());
            if let Some(error) = raised.and_then(|raised| raised.again(py)) {
                return Ok(error);
            }
            py.get_type::<python::ParserFailed>()
        }
    };
    Ok(PyErr::from_value(class.call((error.message,), Some(&kwargs))?))
}

/// Sets where the fault of a grammar is.
fn set_place(
    kwargs: &Bound<'_, PyDict>,
    source: String,
    span: (usize, usize),
    (line, column): (usize, usize),
    expected: String,
) -> PyResult<()> {
    kwargs.set_item("source", source)?;
    kwargs.set_item("span", span)?;
    kwargs.set_item("line", line)?;
    kwargs.set_item("column", column)?;
    kwargs.set_item("expected", expected)
}

/// Runs `work` with the interpreter lock.
///
/// What a panic leaves half-changed is never used again: the kernel drops the caches that it held.
///
/// # Errors
/// `InternalError` if it panics.
pub fn locked<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| internal(py, &*panic))
}

/// Runs `work` without the interpreter lock.
///
/// # Errors
/// As [`locked`].
pub fn unlocked<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| internal(py, &*panic))
}

/// The `InternalError` of a panic.
#[cold]
fn internal(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let message = format!("formwright {} failed inside: {text}", env!("CARGO_PKG_VERSION"));
    let raised = || {
        let hint = PyDict::new(py);
        hint.set_item("hint", "please report it, with this message and what led to it")?;
        py.get_type::<python::InternalError>().call((message,), Some(&hint))
    };
    raised().map_or_else(|error| error, PyErr::from_value)
}

/// Panics, to test what becomes of a panic.
#[pyfunction]
pub fn _panic(py: Python<'_>, message: &str, is_locked: bool) -> PyResult<()> {
    if is_locked { locked(py, || panic!("{message}")) } else { unlocked(py, || panic!("{message}")) }
}

/// `result` with kernel errors raised.
pub fn lift<T>(py: Python<'_>, result: formwright::Result<T>) -> PyResult<T> {
    result.map_err(|error| raise(py, error))
}

/// The `ArgumentError` of an argument that has a value it cannot have.
pub fn argument(py: Python<'_>, name: &'static str, message: String) -> PyErr {
    raise(py, Error::argument(name, message))
}

/// An integer of Python, however large. What 64 bits do not hold becomes the largest or the smallest they do: no id, row
/// or count comes near it.
#[derive(Clone, Copy)]
pub struct Int(pub i64);

impl Int {
    /// As a token id, which the kernel refuses if there is none: one that is not an id at all becomes the largest.
    pub fn id(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl<'py> FromPyObject<'_, 'py> for Int {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<i64>() {
            Ok(value) => Ok(Self(value)),
            Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
                Ok(Self(if value.lt(0)? { i64::MIN } else { i64::MAX }))
            }
            Err(error) => Err(error),
        }
    }
}

/// `value` as a count from 0 on.
pub fn count<T: TryFrom<i64>>(py: Python<'_>, name: &'static str, value: Int) -> PyResult<T> {
    T::try_from(value.0).map_err(|_| {
        let bound = if value.0 < 0 { "0 or more" } else { "smaller" };
        argument(py, name, format!("{name} must be {bound}, not {}", value.0))
    })
}
