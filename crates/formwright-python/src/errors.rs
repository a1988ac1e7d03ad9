//! Kernel errors as the exceptions declared in `formwright/errors.py`.

use formwright::{Error, Kind};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::parser::Raised;

mod python {
    use pyo3::import_exception;

    import_exception!(formwright.errors, ArgumentError);
    import_exception!(formwright.errors, DeadEnd);
    import_exception!(formwright.errors, LanguageError);
    import_exception!(formwright.errors, LimitExceeded);
    import_exception!(formwright.errors, MatchError);
    import_exception!(formwright.errors, ParserFailed);
    import_exception!(formwright.errors, RegexError);
    import_exception!(formwright.errors, SchemaError);
    import_exception!(formwright.errors, TokenRejected);
    import_exception!(formwright.errors, UnsatisfiableSchema);
    import_exception!(formwright.errors, UnsupportedKeyword);
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
        Kind::Language => py.get_type::<python::LanguageError>(),
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
    /// As a token id, which the kernel refuses if there is none: one that is no id at all becomes the largest.
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
