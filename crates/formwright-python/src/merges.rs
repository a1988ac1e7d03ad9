//! `Merges`.

use std::sync::Arc;

use formwright::canonical::{self, Cuts, Description, Order, Properties, Symbols, pattern};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyType};

use crate::errors::{Int, lift, locked, raise, unlocked};

/// Ranges of characters, from the first to the last.
type Ranges = Vec<(char, char)>;

/// How a tokenizer spells: what it merges, and where it cuts a text into pieces. Immutable.
///
/// Control tokens are not part of it: a text is encoded as if none were written in it.
///
/// Args:
///     tokens: ``tokens[i]`` is what id ``i`` spells; ``None`` for ids that are not part of the merges.
///     priorities: Any two tokens whose concatenation is token ``i`` merge, by ``priorities[i]``: less is sooner.
///     merges: In place of priorities, the pairs that merge, in order, each with what it makes.
///     fallback: ``fallback[byte]`` stands for a byte of a character that is not a token; ``None`` where pieces are
///         merged from bytes, not from characters.
///     pattern: The expression that cuts a text into pieces; ``None`` where it is one piece.
///     classes: What the tokenizer's engine takes each class of the pattern for (`class_names`): ranges of characters,
///         each from the first to the last.
///     prefix: A character put before each text.
///     space: The character that the tokenizer takes for a space.
///     words: Texts that are tokens wherever they are, each with its id: they are cut out first.
///     whole_pieces: Whether a piece that is a token is that token, whatever the merges make of it.
///
/// Raises:
///     VocabularyError: The merges contradict the tokens, or the pattern cannot be followed exactly.
///     RegexError: The pattern is not read.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Merges {
    pub merges: Arc<canonical::Merges>,
}

#[pymethods]
impl Merges {
    #[new]
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
    #[pyo3(signature = (
        tokens, *, priorities=None, merges=None, fallback=None, pattern=None, classes=None, prefix=None,
        space=None, words=None,
        whole_pieces=false
    ))]
    fn new(
        py: Python<'_>,
        tokens: Vec<Option<PyBackedBytes>>,
        priorities: Option<Vec<u32>>,
        merges: Option<Vec<(u32, u32, u32)>>,
        fallback: Option<Vec<Option<u32>>>,
        pattern: Option<String>,
        classes: Option<std::collections::HashMap<String, Ranges>>,
        prefix: Option<char>,
        space: Option<char>,
        words: Option<Vec<(String, u32)>>,
        whole_pieces: bool,
    ) -> PyResult<Self> {
        let order = match (priorities, merges) {
            (Some(priorities), None) => Order::Priorities(priorities),
            (None, Some(merges)) => Order::List(merges),
            _ => {
                let error = formwright::Error::vocabulary("merges: either `priorities` or `merges` says what merges");
                return Err(raise(py, error));
            }
        };
        let tokens = tokens.iter().map(|token| token.as_ref().map(|bytes| bytes.to_vec())).collect();
        let symbols = if fallback.is_some() { Symbols::Characters } else { Symbols::Bytes };
        let mut properties = Properties::default();
        for (name, ranges) in classes.into_iter().flatten() {
            properties.insert(&name, ranges);
        }
        let description = Description { tokens, symbols, fallback: fallback.unwrap_or_default(), order };
        let cuts = Cuts { pattern, properties, prefix, space, words: words.unwrap_or_default(), whole_pieces };
        let built = unlocked(py, || canonical::Merges::new(&description, &cuts))?;
        Ok(Self { merges: Arc::new(lift(py, built)?) })
    }

    /// The merges that `to_bytes` wrote, checked as if they were given again.
    ///
    /// Raises:
    ///     VocabularyError: The bytes are of something else or another version, or were cut short or changed.
    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        let read = unlocked(cls.py(), || canonical::Merges::from_bytes(data))?;
        Ok(Self { merges: Arc::new(lift(cls.py(), read)?) })
    }

    /// These merges as bytes, to be stored or sent: quicker to read than to ask the tokenizer again.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &unlocked(py, || self.merges.to_bytes())?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }

    /// The classes of characters that a pattern names: properties, spaces, digits.
    ///
    /// Raises:
    ///     RegexError: The pattern is not read.
    #[staticmethod]
    fn class_names(py: Python<'_>, pattern: &str) -> PyResult<Vec<String>> {
        lift(py, locked(py, || pattern::class_names(pattern))?)
    }

    /// The tokens that the tokenizer makes of a text; ``None`` if no token spells some character of it.
    fn encode(&self, py: Python<'_>, text: &str) -> PyResult<Option<Vec<u32>>> {
        unlocked(py, || self.merges.encode(text))
    }

    /// Whether the tokenizer makes these tokens of the text that they spell.
    #[allow(clippy::needless_pass_by_value)]
    fn is_canonical(&self, py: Python<'_>, token_ids: Vec<Int>) -> PyResult<bool> {
        locked(py, || self.merges.is_canonical(token_ids.into_iter().map(Int::id)))
    }

    /// Whether these tokens can be the beginning of what the tokenizer makes of some text.
    ///
    /// A viable prefix need not be canonical itself: a piece may end by what comes later. False is certain. True is
    /// what these tokens tell: whether a token exists that can follow is not looked for, nor are ``words``.
    #[allow(clippy::needless_pass_by_value)]
    fn is_viable_prefix(&self, py: Python<'_>, token_ids: Vec<Int>) -> PyResult<bool> {
        locked(py, || self.merges.is_viable_prefix(token_ids.into_iter().map(Int::id)))
    }

    /// All tokens that can follow in a viable prefix, ascending; none if it is not such a prefix.
    #[allow(clippy::needless_pass_by_value)]
    fn allowed_token_ids(&self, py: Python<'_>, token_ids: Vec<Int>) -> PyResult<Vec<u32>> {
        let mut found = unlocked(py, || self.merges.next_tokens(token_ids.into_iter().map(Int::id)))?;
        found.sort_unstable();
        Ok(found)
    }

    /// Whether a token may follow another one in the same piece.
    fn may_follow(&self, left: Int, right: Int) -> bool {
        self.merges.may_follow(left.id(), right.id())
    }

    /// The merges that make tokens, in order: left, right, and what they make.
    fn table(&self, py: Python<'_>) -> PyResult<Vec<(u32, u32, u32)>> {
        unlocked(py, || self.merges.table())
    }
}
