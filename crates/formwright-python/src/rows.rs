//! Masks of many matchers at once: `fill_bitmasks`, and `KeptRows` for loops that are a host's own.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use formwright::matcher::{self as kernel, Row};

use crate::buffer::{Found, Rows};
use crate::errors::{Int, argument, count, raise, unlocked};
use crate::matcher::Matcher;
use crate::parser::check;
use crate::vocabulary::Vocabulary;

/// Write one row for each matcher (``None`` leaves the row unconstrained: all ones), without holding the GIL.
///
/// If a mask cannot be found, no row is written. Other threads may fill other rows of the same ``mask`` meanwhile.
///
/// Args:
///     matchers: One for each row, each once.
///     mask: As `Matcher.fill_bitmask`.
///     rows: The row of each matcher, counted from 0; if ``None``, the first matcher has row 0, and so on.
///     budgets: The budget of each matcher, see `Matcher.fill_bitmask`; none if ``None``.
///
/// Raises:
///     ArgumentError: A matcher or a row is given twice, a row is not there, or the lengths differ.
///     TypeError, DeadEnd, LimitExceeded: As `Matcher.fill_bitmask`.
#[pyfunction]
#[pyo3(signature = (matchers, mask, *, rows=None, budgets=None))]
#[allow(clippy::needless_pass_by_value)]
pub fn fill_bitmasks(
    py: Python<'_>,
    matchers: &Bound<'_, PyAny>,
    mask: &Bound<'_, PyAny>,
    rows: Option<Vec<Int>>,
    budgets: Option<Vec<Option<Int>>>,
) -> PyResult<()> {
    let mut matchers: Vec<Option<PyRefMut<'_, Matcher>>> =
        matchers.extract().map_err(|error| twice(matchers).unwrap_or(error))?;
    if let Some(rows) = &rows {
        let mut taken = HashSet::new();
        if let Some(twice) = rows.iter().find(|row| !taken.insert(row.0)) {
            return Err(argument(py, "rows", format!("fill_bitmasks: two matchers have row {}", twice.0)));
        }
    }
    let rows = rows.unwrap_or_else(|| (0..matchers.len() as i64).map(Int).collect());
    let budgets = budgets.unwrap_or_else(|| vec![None; matchers.len()]);
    if rows.len() != matchers.len() || budgets.len() != matchers.len() {
        return Err(argument(py, "rows", "fill_bitmasks: matchers, rows and budgets must have one length".to_owned()));
    }
    let Some(words) = matchers.iter().flatten().map(|matcher| matcher.words()).next() else { return Ok(()) };
    let buffer = Found::of(mask, words)?;
    let rows: Vec<usize> = rows.iter().map(|&row| buffer.check(py, row)).collect::<PyResult<_>>()?;
    let budgets: Vec<Option<u32>> = budgets
        .iter()
        .map(|budget| budget.map(|budget| count(py, "budgets", budget)).transpose())
        .collect::<PyResult<_>>()?;
    if matchers.iter().flatten().any(|matcher| matcher.words() != words) {
        let message = "fill_bitmasks: the matchers have vocabularies of different width".to_owned();
        return Err(argument(py, "matchers", message));
    }
    check(py, matchers.iter().flatten().any(|matcher| matcher.asks()))?;
    let mut running: Vec<Option<&mut kernel::Matcher>> =
        matchers.iter_mut().map(|matcher| matcher.as_mut().map(|matcher| &mut matcher.kernel)).collect();
    unlocked(py, || fill_all(&mut running, &budgets, &rows, &buffer))?.map_err(|error| raise(py, error))
}

/// The rows of a host's own loop at one call: their token ids, and where each of them is.
///
/// A host says nothing about its rows. That all of them have grown by one token, which is so nearly always, is found
/// out here, and each has its next mask in the same call::
///
///     kept = KeptRows(vocabulary, np.array([[5, 6]]), [(matcher, 0)])
///     kept.extend(np.array([[5, 6, 7]]), mask)                       # the same rows, and which of them go on
///     kept.extend(np.array([[5, 7, 6]]), mask)                       # None: these are other rows
///
/// Args:
///     vocabulary: That of all matchers.
///     ids: A C-contiguous int64 buffer of shape ``(rows, length)``; it is copied.
///     states: For each row its matcher, ``None`` if the row is over, and how many tokens it has written.
///
/// Raises:
///     ArgumentError: There is not one state for each row.
///     TypeError, BufferError: ``ids`` is not such a buffer.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct KeptRows {
    vocabulary: Py<Vocabulary>,
    ids: Vec<i64>,
    states: Vec<State>,
}

/// Where a row is: a matcher, or none if it is over, and how many tokens it has written.
type State = (Option<Py<Matcher>>, u32);

#[pymethods]
impl KeptRows {
    #[new]
    #[allow(clippy::needless_pass_by_value)]
    fn new(py: Python<'_>, vocabulary: Py<Vocabulary>, ids: PyBuffer<i64>, states: Vec<State>) -> PyResult<Self> {
        if length_of(py, &ids)?.0 != states.len() {
            return Err(argument(py, "states", format!("states: expected one for each row, got {}", states.len())));
        }
        Ok(Self { vocabulary, ids: ids.to_vec(py)?, states })
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.states.len()
    }

    /// The bytes of the ids of each row.
    fn keys<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let length = self.length();
        let key = |row| {
            let ids = &self.ids[row * length..(row + 1) * length];
            PyBytes::new(py, &ids.iter().flat_map(|id| id.to_ne_bytes()).collect::<Vec<_>>())
        };
        (0..self.states.len()).map(key).collect()
    }

    /// What it was made from.
    fn states(&self, py: Python<'_>) -> Vec<State> {
        self.states.iter().map(|(matcher, written)| (matcher.as_ref().map(|of| of.clone_ref(py)), *written)).collect()
    }

    /// The rows with one token more each, and their masks.
    ///
    /// A row whose token ended the text, could not come, or leaves no room for an end is over: it may only end again.
    ///
    /// Args:
    ///     ids: As for ``KeptRows``.
    ///     mask: As `Matcher.fill_bitmask`, with a row for each row.
    ///     max_tokens: How many tokens each text may have; ``None`` is not a budget.
    ///
    /// Returns:
    ///     The rows, and whether each of them goes on; ``None`` if ``ids`` are not these rows and one token more each.
    ///
    /// Raises:
    ///     TypeError, ArgumentError, DeadEnd, LimitExceeded: As `Matcher.fill_bitmask`, but for a budget too small.
    #[pyo3(signature = (ids, mask, max_tokens=None))]
    #[allow(clippy::needless_pass_by_value)]
    fn extend(
        &self,
        py: Python<'_>,
        ids: PyBuffer<i64>,
        mask: &Bound<'_, PyAny>,
        max_tokens: Option<Int>,
    ) -> PyResult<Option<(Self, Vec<bool>)>> {
        let (size, length) = length_of(py, &ids)?;
        if size != self.states.len() || length != self.length() + 1 || length == 1 {
            return Ok(None);
        }
        let ids = ids.to_vec(py)?;
        if !ids.chunks_exact(length).zip(self.ids.chunks_exact(length - 1)).all(|(now, before)| now.starts_with(before))
        {
            return Ok(None);
        }
        let vocabulary = &self.vocabulary.get().tables.vocabulary;
        let rows = Found::of(mask, vocabulary.mask_words())?;
        let most: Option<u32> = max_tokens.map(|most| count(py, "max_tokens", most)).transpose()?;
        let mut states = Vec::with_capacity(size);
        let mut running = Vec::with_capacity(size);
        for (row, ((matcher, written), now)) in self.states.iter().zip(ids.chunks_exact(length)).enumerate() {
            let words = rows.row(rows.check(py, Int(row as i64))?);
            let written = written + 1;
            let left = most.map(|most| most.checked_sub(written));
            let id = now[length - 1];
            let mut fork = matcher.as_ref().map_or(Ok(None), |matcher| matcher.borrow(py).after(py, Int(id)))?;
            let goes_on = match (&mut fork, left) {
                (None, _) | (_, Some(None)) => false,
                (Some(fork), left) => {
                    check(py, fork.asks())?;
                    fork.fill_within(py, words, left.flatten())?
                }
            };
            if !goes_on {
                allow_ends(vocabulary, words);
            }
            running.push(goes_on);
            states.push((fork.map(|fork| Py::new(py, fork)).transpose()?, written));
        }
        Ok(Some((Self { vocabulary: self.vocabulary.clone_ref(py), ids, states }, running)))
    }
}

impl KeptRows {
    /// Tokens of each row.
    fn length(&self) -> usize {
        self.ids.len().checked_div(self.states.len()).unwrap_or(0)
    }
}

/// How many rows of ids a buffer has, and their length.
fn length_of(py: Python<'_>, ids: &PyBuffer<i64>) -> PyResult<(usize, usize)> {
    match *ids.shape() {
        [rows, length] if ids.is_c_contiguous() => Ok((rows, length)),
        _ => Err(argument(py, "ids", "ids: expected a C-contiguous buffer of shape (rows, length)".to_owned())),
    }
}

/// Lets a row allow the ends of text and nothing else.
fn allow_ends(vocabulary: &formwright::vocabulary::Vocabulary, words: &[AtomicU32]) {
    words.fill(0);
    for &id in vocabulary.eos() {
        words[id as usize / 32].fetch_or(1 << (id % 32), Ordering::Relaxed);
    }
}

/// Why some matchers cannot be borrowed, if the reason is that one is in the list twice.
#[cold]
fn twice(matchers: &Bound<'_, PyAny>) -> Option<PyErr> {
    let matchers: Vec<Bound<'_, PyAny>> = matchers.extract().ok()?;
    let mut seen = HashSet::new();
    let index = matchers.iter().position(|matcher| !matcher.is_none() && !seen.insert(matcher.as_ptr()))?;
    let message = format!("fill_bitmasks: the matcher at index {index} is in the list twice");
    let hint = "a matcher is one sequence: give each row its own, by constraint.matcher() or fork()";
    let error = formwright::Error::argument("matchers", message).hint(hint);
    Some(raise(matchers[index].py(), error))
}

/// Finds all masks, then writes them.
fn fill_all(
    matchers: &mut [Option<&mut kernel::Matcher>],
    budgets: &[Option<u32>],
    rows: &[usize],
    buffer: &Rows,
) -> formwright::Result<()> {
    let find = |(matcher, &budget): (&mut Option<&mut kernel::Matcher>, _)| {
        matcher.as_mut().map(|matcher| matcher.mask(budget)).transpose()
    };
    let found: Vec<Option<kernel::Mask>> = matchers.iter_mut().zip(budgets).map(find).collect::<Result<_, _>>()?;
    for ((matcher, found), &row) in matchers.iter().zip(found).zip(rows) {
        let row = buffer.row(row);
        match matcher.as_ref().zip(found) {
            Some((matcher, found)) => found.write(&matcher.constraint().tables().vocabulary, row),
            None => row.fill(u32::MAX),
        }
    }
    Ok(())
}
