//! `Language`.

use std::collections::BTreeMap;

use formwright::syntax::json_schema::format::FORMATS;
use formwright::syntax::json_schema::keywords::{KEYWORDS, Role};
use formwright::syntax::json_schema::{self, Options, Order};
use formwright::{Limits, language::UNBOUNDED, recipe::Recipe};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyType};

use crate::errors::lift;

/// `(pointer, keyword, status, note)` of every keyword.
pub type Readings = Vec<(String, String, &'static str, String)>;

/// A set of byte strings: what may be written.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Language {
    pub kernel: formwright::Language,
    /// What the user wrote: `explain` reads it again, `to_bytes` stores it.
    pub recipe: Recipe,
}

impl Language {
    /// The language of a recipe, built without the interpreter lock.
    pub fn of(py: Python<'_>, recipe: Recipe) -> PyResult<Self> {
        let kernel = lift(py, py.detach(|| recipe.build(&Limits::default())))?;
        Ok(Self { kernel, recipe })
    }
}

/// One of two words.
fn choose<T>(argument: &str, value: &str, first: (&str, T), second: (&str, T)) -> PyResult<T> {
    if value == first.0 {
        return Ok(first.1);
    }
    if value == second.0 {
        return Ok(second.1);
    }
    Err(PyValueError::new_err(format!("{argument} must be {:?} or {:?}, not {value:?}", first.0, second.0)))
}

#[pymethods]
impl Language {
    #[staticmethod]
    #[pyo3(signature = (
        schema, *, order="schema", whitespace="flexible", escapes="natural", integers="plain", max_digits=24,
        unknown_keywords="error", format="assert", formats=None, dialect=None, registry=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn json_schema(
        py: Python<'_>,
        schema: PyBackedStr,
        order: &str,
        whitespace: &str,
        escapes: &str,
        integers: &str,
        max_digits: u32,
        unknown_keywords: &str,
        format: &str,
        formats: Option<BTreeMap<String, String>>,
        dialect: Option<String>,
        registry: Option<BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        let options = Options {
            order: choose("order", order, ("schema", Order::Schema), ("model", Order::Model))?,
            whitespace: whitespace.to_owned(),
            any_escapes: choose("escapes", escapes, ("natural", false), ("any", true))?,
            decimal_integers: choose("integers", integers, ("plain", false), ("decimal", true))?,
            max_digits,
            ignore_unknown: choose("unknown_keywords", unknown_keywords, ("error", false), ("ignore", true))?,
            assert_formats: choose("format", format, ("annotation", false), ("assert", true))?,
            formats: formats.unwrap_or_default(),
            dialect,
            registry: registry.unwrap_or_default(),
            limits: Limits::default(),
        };
        Self::of(py, Recipe::json_schema(schema, options))
    }

    #[staticmethod]
    #[pyo3(signature = (*, whitespace="flexible", escapes="natural", max_digits=24))]
    fn json(py: Python<'_>, whitespace: &str, escapes: &str, max_digits: u32) -> PyResult<Self> {
        let any_escapes = choose("escapes", escapes, ("natural", false), ("any", true))?;
        let options = Options { whitespace: whitespace.to_owned(), any_escapes, max_digits, ..Options::default() };
        Self::of(py, Recipe::json_schema("true".to_owned(), options))
    }

    #[staticmethod]
    fn regex(py: Python<'_>, pattern: &str) -> PyResult<Self> {
        Self::of(py, Recipe::regex(pattern))
    }

    #[staticmethod]
    fn choice(py: Python<'_>, options: Vec<String>) -> PyResult<Self> {
        Self::of(py, Recipe::choice(options))
    }

    #[staticmethod]
    fn literal(py: Python<'_>, text: String) -> PyResult<Self> {
        Self::of(py, Recipe::choice(vec![text]))
    }

    fn __add__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let kernel = lift(py, py.detach(|| self.kernel.then(&other.kernel)))?;
        Ok(Self { kernel, recipe: self.recipe.then(&other.recipe) })
    }

    fn __or__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let kernel = lift(py, py.detach(|| self.kernel.or(&other.kernel)))?;
        Ok(Self { kernel, recipe: self.recipe.or(&other.recipe) })
    }

    #[pyo3(signature = (low=0, high=None))]
    fn repeat(&self, py: Python<'_>, low: u32, high: Option<u32>) -> PyResult<Self> {
        let high = high.unwrap_or(UNBOUNDED);
        let kernel = lift(py, py.detach(|| self.kernel.repeat(low, high)))?;
        Ok(Self { kernel, recipe: self.recipe.repeat(low, high) })
    }

    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        let py = cls.py();
        Self::of(py, lift(py, Recipe::from_bytes(data, &Limits::default()))?)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.recipe.to_bytes())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }

    fn matches(&self, py: Python<'_>, text: &[u8]) -> PyResult<bool> {
        Ok(self.check(py, text)?.1)
    }

    fn check(&self, py: Python<'_>, text: &[u8]) -> PyResult<(usize, bool)> {
        let checked = py.detach(|| self.kernel.check(text));
        lift(py, checked)
    }

    pub fn example<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let example = py.detach(|| self.kernel.example());
        Ok(PyBytes::new(py, &lift(py, example)?))
    }

    pub fn explain(&self, py: Python<'_>) -> PyResult<Readings> {
        let Some((schema, options)) = self.recipe.schema() else { return Ok(Vec::new()) };
        let readings = lift(py, py.detach(|| json_schema::explain(schema, options)))?;
        Ok(readings
            .into_iter()
            .map(|reading| (reading.pointer, reading.keyword, reading.status, reading.note))
            .collect())
    }

    fn __repr__(&self) -> String {
        let graph = self.kernel.graph();
        format!("Language({} nodes, {} patterns)", graph.nodes.len(), graph.leaves.len())
    }
}

/// `(keyword, role, note)` of every JSON Schema keyword.
#[pyfunction]
pub fn json_schema_keywords() -> Vec<(&'static str, &'static str, &'static str)> {
    let role = |role: Role| match role {
        Role::Assertion | Role::Applicator => "enforced",
        Role::Core => "core",
        Role::Annotation => "annotation",
        Role::Refused => "refused",
    };
    KEYWORDS.iter().map(|keyword| (keyword.name, role(keyword.role), keyword.note)).collect()
}

/// `(format, what is left out)` of every format that is asserted.
#[pyfunction]
pub fn json_schema_formats() -> Vec<(&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.narrowed)).collect()
}
