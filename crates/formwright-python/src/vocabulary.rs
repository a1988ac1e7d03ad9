//! `Vocabulary`.

use std::sync::Arc;

use formwright::bytes::hex;
use formwright::matcher::{Constraints, Speller};
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary as Kernel;
use indexmap::IndexMap;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::errors::{Int, lift, raise, unlocked};
use crate::merges::Merges;

/// The id of a token of `vocabulary`.
pub fn known(py: Python<'_>, vocabulary: &Kernel, Int(token_id): Int) -> PyResult<u32> {
    let size = vocabulary.logits_size();
    match u32::try_from(token_id) {
        Ok(id) if (id as usize) < size => Ok(id),
        _ => {
            let message = format!("vocabulary: unknown token id {token_id}; ids go from 0 to {}", size - 1);
            Err(raise(py, formwright::Error::vocabulary(message)))
        }
    }
}

/// The ids of tokens of `vocabulary`.
pub fn known_all(py: Python<'_>, vocabulary: &Kernel, token_ids: &[Int]) -> PyResult<Vec<u32>> {
    token_ids.iter().map(|&id| known(py, vocabulary, id)).collect()
}

/// What each token id spells, with the prefix trees and caches every constraint shares. Immutable.
///
/// Args:
///     tokens: ``tokens[i]`` is what id ``i`` spells; ``None`` or ``b""`` for ids that spell nothing.
///     eos_token_ids: Every id that ends a text; at least one.
///     special_tokens: Name to id of control tokens; they are allowed only where a form names them.
///     logits_size: Width of a row of logits, at least ``len(tokens)``; the ids beyond are always masked.
///     merges: How the tokenizer spells, for canonical tokens: `Merges`, or what gives them when they are needed.
///
/// Raises:
///     VocabularyError: With what was seen.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Vocabulary {
    pub tables: Arc<Tables>,
    /// Constraints for the next request with their forms.
    pub constraints: Constraints,
    /// Merges, or a function that makes them.
    merges: Option<Py<PyAny>>,
    speller: PyOnceLock<(Py<Merges>, Arc<Speller>)>,
}

impl Vocabulary {
    /// Runs `build` without the interpreter lock.
    fn built(
        py: Python<'_>,
        build: impl FnOnce() -> formwright::Result<Kernel> + Send,
        merges: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let is_known = |merges: &Py<PyAny>| merges.bind(py).is_callable() || merges.bind(py).is_instance_of::<Merges>();
        if let Some(other) = merges.as_ref().filter(|merges| !is_known(merges)) {
            let kind = other.bind(py).get_type().qualname()?;
            return Err(PyTypeError::new_err(format!("merges is a Merges, or a function that makes one, not {kind}")));
        }
        let built = unlocked(py, build)?;
        let limits = formwright::Limits::default();
        let constraints = Constraints::new(limits.constraint_bytes);
        let tables = Arc::new(Tables::new(Arc::new(lift(py, built)?), limits));
        Ok(Self { tables, constraints, merges, speller: PyOnceLock::new() })
    }

    /// Fails if merges are those of another tokenizer: some token spells something else.
    fn check_merges(&self, merges: &formwright::canonical::Merges) -> formwright::Result<()> {
        let vocabulary = &self.tables.vocabulary;
        for token in 0..merges.splits().len().min(vocabulary.len()) as u32 {
            let (own, other) = (vocabulary.token(token), merges.splits().spelled(token));
            if !own.is_empty() && !vocabulary.is_control(token) && !other.is_empty() && own != other {
                let [own, other] = [own, other].map(|bytes| bytes.escape_ascii().to_string());
                let message =
                    format!("merges of another tokenizer: token {token} spells '{other}' there, here '{own}'");
                return Err(formwright::Error::vocabulary(message));
            }
        }
        Ok(())
    }

    /// How its tokenizer spells.
    pub fn speller(&self, py: Python<'_>) -> PyResult<&(Py<Merges>, Arc<Speller>)> {
        self.speller.get_or_try_init(py, || {
            let Some(merges) = &self.merges else {
                let error = formwright::Error::vocabulary("this vocabulary does not know what its tokenizer merges");
                let hint =
                    "make it by Vocabulary.from_tokenizer, or pass merges=formwright.tokenizers.merges_from(tokenizer)";
                return Err(raise(py, error.hint(hint)));
            };
            let merges = merges.bind(py);
            let merges = if merges.is_callable() { merges.call0()? } else { merges.clone() };
            let merges = merges.cast_into::<Merges>()?.unbind();
            self.check_merges(&merges.get().merges).map_err(|error| raise(py, error))?;
            let speller = Arc::new(Speller::new(Arc::clone(&merges.get().merges)));
            Ok((merges, speller))
        })
    }
}

/// What a vocabulary is made of again.
type Reduced<'py> = (Bound<'py, PyBytes>, Option<Py<Merges>>);

#[pymethods]
impl Vocabulary {
    #[new]
    #[allow(clippy::needless_pass_by_value)]
    #[pyo3(signature = (tokens, *, eos_token_ids, special_tokens=None, logits_size=None, merges=None))]
    fn new(
        py: Python<'_>,
        tokens: Vec<Option<PyBackedBytes>>,
        eos_token_ids: Vec<Int>,
        special_tokens: Option<&Bound<'_, PyAny>>,
        logits_size: Option<usize>,
        merges: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let special = match special_tokens {
            None => IndexMap::new(),
            Some(mapping) => {
                let items: Vec<(String, Int)> =
                    mapping.call_method0("items")?.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()?;
                items.into_iter().map(|(name, id)| (name, id.id())).collect()
            }
        };
        let spelled: Vec<&[u8]> = tokens.iter().map(|token| token.as_deref().unwrap_or_default()).collect();
        let eos: Vec<u32> = eos_token_ids.into_iter().map(Int::id).collect();
        Self::built(py, || Kernel::new(&spelled, &eos, special, logits_size), merges)
    }

    /// The vocabulary that `to_bytes` wrote, built and checked as if its tokens were given again.
    ///
    /// Raises:
    ///     VocabularyError: The bytes are of something else or another version, were cut short or changed, or hold no
    ///         sound vocabulary; the message says what was seen and where.
    ///     TypeError: ``merges`` is something else.
    #[classmethod]
    #[pyo3(signature = (data, merges=None))]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8], merges: Option<Py<PyAny>>) -> PyResult<Self> {
        Self::built(cls.py(), || Kernel::from_bytes(data), merges)
    }

    /// This vocabulary as bytes, to be stored or sent: about 9 for each token. It can also be pickled.
    ///
    /// The bytes do not hold the merges: store ``merges.to_bytes()`` beside them. A pickle holds them once they were
    /// asked for.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &unlocked(py, || self.tables.vocabulary.to_bytes())?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Reduced<'py>)> {
        let (py, own) = (slf.py(), slf.get());
        let merges = own.speller.get(py).map(|(merges, _)| merges.clone_ref(py));
        Ok((slf.get_type().getattr("from_bytes")?, (own.to_bytes(py)?, merges)))
    }

    /// Read a foreign tokenizer: transformers, tokenizers, tiktoken, sentencepiece or mistral-common.
    ///
    /// Args:
    ///     tokenizer: The tokenizer, as its library gives it.
    ///     eos_token_ids: Ids that end a text beside those that the tokenizer declares.
    ///     logits_size: Width of a row of the model's logits, where it is wider than the tokenizer.
    ///
    /// Raises:
    ///     VocabularyError: The tokenizer is of no known kind or cannot be represented.
    ///     MissingDependency: The library of the tokenizer is not installed.
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

    /// How the tokenizer spells: made when it is first asked for, and kept.
    ///
    /// Raises:
    ///     VocabularyError: It is not known, or the tokenizer cannot be followed exactly.
    #[getter]
    fn merges(&self, py: Python<'_>) -> PyResult<Py<Merges>> {
        Ok(self.speller(py)?.0.clone_ref(py))
    }

    /// The compiled forms that are kept for the next request: how many, and how many bytes they take with what their
    /// texts found, roughly. The bounds are on the page on limits.
    #[getter]
    fn kept_constraints(&self) -> (usize, usize) {
        self.constraints.size()
    }

    /// Drop the compiled forms that are kept for the next request.
    fn forget_constraints(&self) {
        self.constraints.clear();
    }

    /// How many ids the tokenizer has.
    fn __len__(&self) -> usize {
        self.tables.vocabulary.len()
    }

    /// The bytes of ``token_id``; empty for special tokens.
    ///
    /// Raises:
    ///     VocabularyError: There is no such id.
    fn token<'py>(&self, py: Python<'py>, token_id: Int) -> PyResult<Bound<'py, PyBytes>> {
        let vocabulary = &self.tables.vocabulary;
        let id = known(py, vocabulary, token_id)?;
        Ok(PyBytes::new(py, if vocabulary.is_control(id) { &[] } else { vocabulary.token(id) }))
    }

    /// Every id that ends a text.
    #[getter]
    fn eos_token_ids(&self) -> Vec<u32> {
        self.tables.vocabulary.eos().to_vec()
    }

    /// Name to id of the control tokens.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (name, id) in self.tables.vocabulary.special() {
            names.set_item(name, id)?;
        }
        Ok(names)
    }

    /// Width of a row of the model's logits.
    #[getter]
    fn logits_size(&self) -> usize {
        self.tables.vocabulary.logits_size()
    }

    /// ``ceil(logits_size / 32)``: int32 words in a row of a mask.
    #[getter]
    fn mask_words(&self) -> usize {
        self.tables.vocabulary.mask_words()
    }

    /// SHA-256 of tokens, ends and width as 64 hex digits: equal only when masks mean the same.
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
