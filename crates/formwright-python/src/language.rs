//! `Language`.

use formwright::{Limits, language::UNBOUNDED};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::lift;

/// `(pointer, keyword, status, note)` of every keyword.
pub type Readings = Vec<(String, String, &'static str, String)>;

/// A set of byte strings: what may be written.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Language {
    pub kernel: formwright::Language,
}

#[pymethods]
impl Language {
    #[staticmethod]
    fn regex(py: Python<'_>, pattern: &str) -> PyResult<Self> {
        let built = py.detach(|| formwright::syntax::regex::regex(pattern, &Limits::default()));
        Ok(Self { kernel: lift(py, built)? })
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)]
    fn choice(py: Python<'_>, options: Vec<String>) -> PyResult<Self> {
        let built = py.detach(|| formwright::syntax::choice::choice(&options, &Limits::default()));
        Ok(Self { kernel: lift(py, built)? })
    }

    #[staticmethod]
    fn literal(py: Python<'_>, text: &str) -> PyResult<Self> {
        Ok(Self { kernel: lift(py, formwright::syntax::choice::literal(text, &Limits::default()))? })
    }

    fn __add__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        Ok(Self { kernel: lift(py, self.kernel.then(&other.kernel))? })
    }

    fn __or__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        Ok(Self { kernel: lift(py, self.kernel.or(&other.kernel))? })
    }

    #[pyo3(signature = (low=0, high=None))]
    fn repeat(&self, py: Python<'_>, low: u32, high: Option<u32>) -> PyResult<Self> {
        Ok(Self { kernel: lift(py, self.kernel.repeat(low, high.unwrap_or(UNBOUNDED)))? })
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

    pub fn explain(&self) -> Readings {
        let readings = self.kernel.readings().iter();
        readings.map(|reading| (reading.pointer.clone(), reading.keyword.clone(), reading.status, reading.note.clone())).collect()
    }

    fn __repr__(&self) -> String {
        let graph = self.kernel.graph();
        format!("Language({} nodes, {} patterns)", graph.nodes.len(), graph.leaves.len())
    }
}
