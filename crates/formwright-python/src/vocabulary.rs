//! `Vocabulary`.

use std::sync::Arc;

use formwright::bytes::hex;
use formwright::leaf::Tables;
use formwright::vocabulary::Vocabulary as Kernel;
use indexmap::IndexMap;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::errors::{lift, raise};

/// What each token id spells.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Vocabulary {
    pub tables: Arc<Tables>,
}

impl Vocabulary {
    /// Runs `build` without the interpreter lock.
    fn built(py: Python<'_>, build: impl FnOnce() -> formwright::Result<Kernel> + Send) -> PyResult<Self> {
        let built = py.detach(build);
        let tables = Tables::new(Arc::new(lift(py, built)?), formwright::Limits::default());
        Ok(Self { tables: Arc::new(tables) })
    }
}

#[pymethods]
impl Vocabulary {
    #[new]
    #[allow(clippy::needless_pass_by_value)]
    #[pyo3(signature = (tokens, *, eos_token_ids, special_tokens=None, logits_size=None))]
    fn new(
        py: Python<'_>,
        tokens: Vec<Option<PyBackedBytes>>,
        eos_token_ids: Vec<u32>,
        special_tokens: Option<&Bound<'_, PyAny>>,
        logits_size: Option<usize>,
    ) -> PyResult<Self> {
        let special = match special_tokens {
            None => IndexMap::new(),
            Some(mapping) => {
                let items: Vec<(String, u32)> =
                    mapping.call_method0("items")?.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()?;
                items.into_iter().collect()
            }
        };
        let spelled: Vec<&[u8]> = tokens.iter().map(|token| token.as_deref().unwrap_or_default()).collect();
        Self::built(py, || Kernel::new(&spelled, &eos_token_ids, special, logits_size))
    }

    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        Self::built(cls.py(), || Kernel::from_bytes(data))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.tables.vocabulary.to_bytes()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }

    #[classmethod]
    #[pyo3(signature = (tokenizer, *, eos_token_ids=None, logits_size=None))]
    fn from_tokenizer<'py>(
        cls: &Bound<'py, PyType>,
        tokenizer: &Bound<'py, PyAny>,
        eos_token_ids: Option<&Bound<'py, PyAny>>,
        logits_size: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = cls.py();
        let kwargs = PyDict::new(py);
        kwargs.set_item("eos_token_ids", eos_token_ids)?;
        kwargs.set_item("logits_size", logits_size)?;
        py.import("formwright.tokenizers")?.call_method("vocabulary_from", (tokenizer,), Some(&kwargs))
    }

    fn __len__(&self) -> usize {
        self.tables.vocabulary.len()
    }

    fn token<'py>(&self, py: Python<'py>, token_id: u32) -> PyResult<Bound<'py, PyBytes>> {
        let vocabulary = &self.tables.vocabulary;
        if token_id as usize >= vocabulary.logits_size() {
            let message =
                format!("vocabulary: unknown token id {token_id}; ids go from 0 to {}", vocabulary.logits_size() - 1);
            return Err(raise(py, formwright::Error::vocabulary(message)));
        }
        Ok(PyBytes::new(py, vocabulary.token(token_id)))
    }

    #[getter]
    fn eos_token_ids(&self) -> Vec<u32> {
        self.tables.vocabulary.eos().to_vec()
    }

    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (name, id) in self.tables.vocabulary.special() {
            names.set_item(name, id)?;
        }
        Ok(names)
    }

    #[getter]
    fn logits_size(&self) -> usize {
        self.tables.vocabulary.logits_size()
    }

    #[getter]
    fn mask_words(&self) -> usize {
        self.tables.vocabulary.mask_words()
    }

    #[getter]
    fn fingerprint(&self) -> String {
        hex(self.tables.vocabulary.fingerprint())
    }

    fn __repr__(&self) -> String {
        let vocabulary = &self.tables.vocabulary;
        format!(
            "Vocabulary({} tokens, {} logits, ends {:?})",
            vocabulary.len(),
            vocabulary.logits_size(),
            vocabulary.eos()
        )
    }
}
