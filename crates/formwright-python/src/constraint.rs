//! `Constraint`.

use formwright::Limits;
use formwright::source::Source;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::errors::lift;
use crate::language::Language;
use crate::matcher::Matcher;
use crate::vocabulary::Vocabulary;

/// A form compiled for a vocabulary: frozen, shared by threads and sequences.
///
/// Made by `formwright.compile`. It keeps the form, so what the form reads a text as is never lost::
///
///     constraint = fw.compile(Person, vocabulary)      # Constraint[Person]
///     constraint.parse('{"name": "Ada"}')              # Person(name='Ada')
///
/// Raises:
///     DeadEnd: The vocabulary cannot spell any text of the form.
#[pyclass(frozen, generic, module = "formwright._kernel")]
pub struct Constraint {
    pub kernel: formwright::Constraint,
    form: Py<PyAny>,
    vocabulary: Py<Vocabulary>,
    canonical: bool,
}

#[pymethods]
impl Constraint {
    #[new]
    #[pyo3(signature = (form, vocabulary, *, canonical=false))]
    fn new(py: Python<'_>, form: Bound<'_, PyAny>, vocabulary: Py<Vocabulary>, canonical: bool) -> PyResult<Self> {
        let language: Py<Language> = form.getattr("language")?.cast_into::<Language>()?.unbind();
        let (compiled, tables) = (&language.get().kernel, &vocabulary.get().tables);
        let speller = if canonical { Some(&vocabulary.get().speller(py)?.1) } else { None };
        let compile = || match speller {
            None => formwright::Constraint::new(compiled, tables),
            Some(speller) => formwright::Constraint::canonical(compiled, tables, speller),
        };
        let is_long = compiled.is_plain() || canonical;
        let kernel = lift(py, if is_long { py.detach(compile) } else { compile() })?;
        Ok(Self { kernel, form: form.unbind(), vocabulary, canonical })
    }

    /// Whether only canonical tokens may come: those that the tokenizer itself writes.
    #[getter]
    fn canonical(&self) -> bool {
        self.canonical
    }

    /// The form it was compiled from.
    #[getter]
    fn form(&self, py: Python<'_>) -> Py<PyAny> {
        self.form.clone_ref(py)
    }

    /// The vocabulary it was compiled for.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<Vocabulary> {
        self.vocabulary.clone_ref(py)
    }

    /// The constraint that `to_bytes` wrote, compiled again for ``vocabulary``, which must be the same as then.
    ///
    /// The bytes hold no Python type: texts are read with ``json.loads`` if the form was one JSON Schema or type, as
    /// ``str`` if not. Pickle keeps the type.
    ///
    /// Raises:
    ///     VocabularyError: It was another vocabulary: the fingerprints differ.
    ///     LanguageError, LimitExceeded: As `formwright.Form.from_bytes`.
    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8], vocabulary: Py<Vocabulary>) -> PyResult<Self> {
        let py = cls.py();
        let source = Source::from_constraint_bytes(data, &vocabulary.get().tables.vocabulary, &Limits::default());
        let language = Language::of(py, lift(py, source)?)?;
        let form = py.import("formwright.forms")?.call_method1("form_of_language", (language,))?;
        Self::new(py, form, vocabulary, false)
    }

    /// This constraint as bytes: its language, and the fingerprint of its vocabulary.
    ///
    /// A pickled constraint brings its form and its vocabulary along; one vocabulary for all constraints of a pickle.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let vocabulary = &self.vocabulary.get().tables.vocabulary;
        let language = self.form.bind(py).getattr("language")?.cast_into::<Language>()?;
        Ok(PyBytes::new(py, &language.get().source.to_constraint_bytes(vocabulary)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Py<PyAny>, Py<Vocabulary>)) {
        (slf.get_type(), (slf.get().form(slf.py()), slf.get().vocabulary(slf.py())))
    }

    /// A new matcher at the start of a text.
    fn matcher(slf: Py<Self>) -> Matcher {
        Matcher::new(slf)
    }

    /// The value that ``text`` spells. Raises OutputInvalid if it is not in form. See `formwright.Form.parse`.
    fn parse(&self, py: Python<'_>, text: Py<PyAny>) -> PyResult<Py<PyAny>> {
        self.form.call_method1(py, "parse", (text,))
    }

    /// The shortest complete text (one of them). See `formwright.Form.example`.
    fn example(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.call_method0(py, "example")
    }

    /// How each keyword was read. See `formwright.Form.explain`.
    fn explain(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.call_method0(py, "explain")
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let tokens = self.vocabulary.get().tables.vocabulary.len();
        Ok(format!("Constraint({}, {tokens} tokens)", self.form.bind(py).repr()?))
    }
}
