//! `Vocabulary`.

use std::sync::Arc;

use formwright::leaf::Tables;
use indexmap::IndexMap;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::errors::{lift, raise};

/// What each token id spells.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Vocabulary {
    pub tables: Arc<Tables>,
}

#[pymethods]
impl Vocabulary {
    #[new]
    #[allow(clippy::needless_pass_by_value)]
    #[pyo3(signature = (tokens, *, eos_token_ids, special_tokens=None, logits_size=None))]
    fn new(
        py: Python<'_>,
        tokens: Vec<Option<Vec<u8>>>,
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
        let built = py.detach(|| {
            let tokens: Vec<Vec<u8>> = tokens.into_iter().map(Option::unwrap_or_default).collect();
            let vocabulary = formwright::vocabulary::Vocabulary::new(&tokens, &eos_token_ids, special, logits_size)?;
            Ok(Arc::new(Tables::new(Arc::new(vocabulary), formwright::Limits::default())))
        });
        Ok(Self { tables: lift(py, built)? })
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
        format!("{:016x}", self.tables.vocabulary.fingerprint())
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
