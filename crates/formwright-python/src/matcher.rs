//! `Matcher` and `fill_bitmasks`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use formwright::matcher::{self as kernel, Row};
use formwright::vocabulary::Vocabulary;

use crate::buffer::{Found, Rows};
use crate::constraint::Constraint;
use crate::errors::{lift, raise};

/// One running sequence.
#[pyclass(module = "formwright._kernel")]
pub struct Matcher {
    constraint: Py<Constraint>, // goes first: what the kernel remembers for further texts is of no use if nobody has it
    kernel: kernel::Matcher,
}

impl Matcher {
    pub fn new(constraint: Py<Constraint>) -> Self {
        let kernel = constraint.get().kernel.matcher();
        Self { constraint, kernel }
    }

    fn vocabulary(&self) -> &Vocabulary {
        &self.kernel.constraint().tables().vocabulary
    }

    fn words(&self) -> usize {
        self.vocabulary().mask_words()
    }
}

#[pymethods]
impl Matcher {
    #[getter]
    fn constraint(&self, py: Python<'_>) -> Py<Constraint> {
        self.constraint.clone_ref(py)
    }

    #[pyo3(signature = (mask, row=0, *, budget=None))]
    fn fill_bitmask(
        &mut self,
        py: Python<'_>,
        mask: &Bound<'_, PyAny>,
        row: usize,
        budget: Option<u32>,
    ) -> PyResult<()> {
        let rows = Found::of(mask, self.words())?;
        rows.check(row)?;
        if budget.is_none() && self.kernel.write_quick(rows.row(row)) {
            return Ok(()); // the lock was kept: another thread would not have been done sooner
        }
        let found = lift(py, py.detach(|| self.kernel.mask(budget)))?;
        found.write(self.vocabulary(), rows.row(row));
        Ok(())
    }

    fn accept_token(&mut self, py: Python<'_>, token_id: u32) -> PyResult<()> {
        lift(py, self.kernel.accept_token(token_id))
    }

    #[allow(clippy::needless_pass_by_value)]
    fn accept_tokens(&mut self, py: Python<'_>, token_ids: Vec<u32>) -> PyResult<()> {
        lift(py, self.kernel.accept_tokens(&token_ids))
    }

    #[allow(clippy::needless_pass_by_value)]
    fn validate_tokens(&mut self, py: Python<'_>, token_ids: Vec<u32>) -> PyResult<usize> {
        lift(py, self.kernel.validate_tokens(&token_ids))
    }

    fn accept_bytes(&mut self, py: Python<'_>, text: &[u8]) -> PyResult<()> {
        lift(py, self.kernel.accept_bytes(text))
    }

    #[pyo3(signature = (steps=1))]
    fn rollback(&mut self, py: Python<'_>, steps: usize) -> PyResult<()> {
        lift(py, self.kernel.rollback(steps))
    }

    fn fork(&self, py: Python<'_>) -> Self {
        Self { constraint: self.constraint.clone_ref(py), kernel: self.kernel.fork() }
    }

    fn reset(&mut self) {
        self.kernel.reset();
    }

    fn forced_bytes<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.kernel.forced_bytes())
    }

    #[getter]
    fn is_accepting(&self) -> bool {
        self.kernel.is_accepting()
    }

    #[getter]
    fn is_finished(&self) -> bool {
        self.kernel.is_finished()
    }

    #[getter]
    fn min_tokens_to_finish(&mut self) -> u32 {
        self.kernel.min_tokens_to_finish()
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.kernel.text())
    }

    fn __repr__(&self) -> String {
        format!("Matcher(after {:?})", String::from_utf8_lossy(self.kernel.text()))
    }
}

/// Writes one row for each matcher, without holding the GIL; none, if one of the masks cannot be found.
#[pyfunction]
#[pyo3(signature = (matchers, mask, *, rows=None, budgets=None))]
#[allow(clippy::needless_pass_by_value)]
pub fn fill_bitmasks(
    py: Python<'_>,
    mut matchers: Vec<Option<PyRefMut<'_, Matcher>>>,
    mask: &Bound<'_, PyAny>,
    rows: Option<Vec<usize>>,
    budgets: Option<Vec<Option<u32>>>,
) -> PyResult<()> {
    let rows = rows.unwrap_or_else(|| (0..matchers.len()).collect());
    let budgets = budgets.unwrap_or_else(|| vec![None; matchers.len()]);
    if rows.len() != matchers.len() || budgets.len() != matchers.len() {
        return Err(PyValueError::new_err("fill_bitmasks: matchers, rows and budgets must have one length"));
    }
    let Some(words) = matchers.iter().flatten().map(|matcher| matcher.words()).next() else { return Ok(()) };
    let buffer = Found::of(mask, words)?;
    rows.iter().try_for_each(|&row| buffer.check(row))?;
    if matchers.iter().flatten().any(|matcher| matcher.words() != words) {
        return Err(PyValueError::new_err("fill_bitmasks: the matchers have vocabularies of different width"));
    }
    let mut running: Vec<Option<&mut kernel::Matcher>> =
        matchers.iter_mut().map(|matcher| matcher.as_mut().map(|matcher| &mut matcher.kernel)).collect();
    py.detach(|| fill_all(&mut running, &budgets, &rows, &buffer)).map_err(|error| raise(py, error))
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
