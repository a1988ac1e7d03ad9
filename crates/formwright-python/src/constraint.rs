//! `Constraint`.

use formwright::Limits;
use formwright::recipe::Recipe;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::errors::lift;
use crate::language::{Language, Readings};
use crate::matcher::Matcher;
use crate::vocabulary::Vocabulary;

/// A language compiled for a vocabulary.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Constraint {
    pub kernel: formwright::Constraint,
    language: Py<Language>,
    vocabulary: Py<Vocabulary>,
}

#[pymethods]
impl Constraint {
    #[new]
    fn new(py: Python<'_>, language: Py<Language>, vocabulary: Py<Vocabulary>) -> PyResult<Self> {
        let (compiled, tables) = (&language.get().kernel, &vocabulary.get().tables);
        let compile = || formwright::Constraint::new(compiled, tables);
        let kernel = lift(py, if compiled.is_plain() { py.detach(compile) } else { compile() })?;
        Ok(Self { kernel, language, vocabulary })
    }

    #[getter]
    fn language(&self, py: Python<'_>) -> Py<Language> {
        self.language.clone_ref(py)
    }

    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<Vocabulary> {
        self.vocabulary.clone_ref(py)
    }

    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8], vocabulary: Py<Vocabulary>) -> PyResult<Self> {
        let py = cls.py();
        let recipe = Recipe::from_constraint_bytes(data, &vocabulary.get().tables.vocabulary, &Limits::default());
        let language = Language::of(py, lift(py, recipe)?)?;
        Self::new(py, Py::new(py, language)?, vocabulary)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let vocabulary = &self.vocabulary.get().tables.vocabulary;
        PyBytes::new(py, &self.language.get().recipe.to_constraint_bytes(vocabulary))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Py<Language>, Py<Vocabulary>)) {
        (slf.get_type(), (slf.get().language(slf.py()), slf.get().vocabulary(slf.py())))
    }

    fn matcher(slf: Py<Self>) -> Matcher {
        Matcher::new(slf)
    }

    fn example<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.language.get().example(py)
    }

    fn explain(&self, py: Python<'_>) -> PyResult<Readings> {
        self.language.get().explain(py)
    }
}
