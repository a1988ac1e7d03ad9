//! `Canvas`: what `formwright.masks.canvas` is built on.

use std::sync::atomic::{AtomicU32, Ordering};

use formwright::matcher::{self as kernel, LogProbabilities};
use formwright::vocabulary::TokenId;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::{Found, shared};
use crate::errors::{Int, argument, count, lift, unlocked};
use crate::interrupt::interruptible;
use crate::vocabulary::{known, known_all};

/// A text whose tokens become known in any order: on which `formwright.masks.canvas.Canvas` is built.
///
/// Made by `formwright.Constraint.canvas`. Not for use by two threads at once: a second thread gets an error.
#[pyclass(module = "formwright._kernel")]
pub struct Canvas {
    kernel: kernel::Canvas,
}

/// Tokens for all positions, the log probability of those of the holes, and that of all fillings together.
type Filled = (Vec<TokenId>, f64, f64);

impl Canvas {
    pub fn new(kernel: kernel::Canvas) -> Self {
        Self { kernel }
    }

    fn vocabulary(&self) -> &formwright::vocabulary::Vocabulary {
        self.kernel.vocabulary()
    }

    /// Runs `work` on rows of floats, one for each position.
    fn ask<T: Send>(
        &mut self,
        py: Python<'_>,
        log_probabilities: &PyBuffer<i32>,
        work: impl FnOnce(&mut kernel::Canvas, &Rows<'_>) -> formwright::Result<T> + Send,
    ) -> PyResult<T> {
        let width = self.check_rows(py, "log_probabilities", log_probabilities)?;
        let rows = Rows { words: shared(log_probabilities), width };
        let kernel = &mut self.kernel;
        interruptible(py, || work(kernel, &rows))
    }

    /// The width of rows of floats, one for each position, that have a column for each token.
    fn check_rows(&self, py: Python<'_>, name: &'static str, buffer: &PyBuffer<i32>) -> PyResult<usize> {
        let (length, size) = (self.kernel.len(), self.vocabulary().logits_size());
        match *buffer.shape() {
            [rows, width] if rows == length && width >= size && buffer.is_c_contiguous() => Ok(width),
            _ => {
                let message =
                    format!("{name}: expected the shape ({length}, {size} or more), got {:?}", buffer.shape());
                Err(argument(py, name, message))
            }
        }
    }
}

/// Rows of floats, as the integers of their bits.
struct Rows<'a> {
    words: &'a [AtomicU32],
    width: usize,
}

impl LogProbabilities for Rows<'_> {
    #[inline]
    fn at(&self, position: usize, token: TokenId) -> f64 {
        f64::from(f32::from_bits(self.words[position * self.width + token as usize].load(Ordering::Relaxed)))
    }
}

#[pymethods]
impl Canvas {
    /// Put a token into a position. See `formwright.masks.canvas.Canvas.place`.
    fn place(&mut self, py: Python<'_>, position: Int, token_id: Int) -> PyResult<()> {
        let position = count(py, "position", position)?;
        let token_id = known(py, self.vocabulary(), token_id)?;
        let kernel = &mut self.kernel;
        interruptible(py, || kernel.place(position, token_id))
    }

    /// Put tokens into positions, one after the other, and say of each whether it fits there.
    #[allow(clippy::needless_pass_by_value)]
    fn place_all(&mut self, py: Python<'_>, positions: Vec<Int>, token_ids: Vec<Int>) -> PyResult<Vec<bool>> {
        if positions.len() != token_ids.len() {
            let message = format!("place_all: {} positions, but {} token ids", positions.len(), token_ids.len());
            return Err(argument(py, "token_ids", message));
        }
        let ids = known_all(py, self.vocabulary(), &token_ids)?;
        let positions: Vec<usize> =
            positions.into_iter().map(|at| count(py, "positions", at)).collect::<PyResult<_>>()?;
        let tokens: Vec<(usize, TokenId)> = positions.into_iter().zip(ids).collect();
        let kernel = &mut self.kernel;
        interruptible(py, || kernel.place_all(&tokens))
    }

    /// Make positions holes again.
    fn lift(&mut self, py: Python<'_>, positions: Vec<Int>) -> PyResult<()> {
        let positions: Vec<usize> =
            positions.into_iter().map(|at| count(py, "positions", at)).collect::<PyResult<_>>()?;
        let kernel = &mut self.kernel;
        let lifted = unlocked(py, || kernel.lift(&positions))?;
        lift(py, lifted)
    }

    /// Write the distinct masks of all holes, and say by position which row is its own; -1 if its token is known.
    fn fill_bitmasks(&mut self, py: Python<'_>, mask: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let rows = Found::of(mask, self.vocabulary().mask_words())?;
        let kernel = &mut self.kernel;
        let filled = interruptible(py, || kernel.fill())?;
        if let Some(last) = filled.rows.len().checked_sub(1) {
            rows.check(py, Int(last as i64))?;
        }
        for (row, words) in filled.rows.iter().enumerate() {
            rows.row(row).iter().zip(&**words).for_each(|(to, &word)| to.store(word, Ordering::Relaxed));
        }
        Ok(filled.index)
    }

    /// The most probable filling: its tokens, their log probability, and that again.
    #[allow(clippy::needless_pass_by_value)]
    fn best(&mut self, py: Python<'_>, log_probabilities: PyBuffer<i32>) -> PyResult<Filled> {
        let best = self.ask(py, &log_probabilities, |kernel, rows| kernel.best(rows))?;
        Ok((best.tokens, best.log_probability, best.log_total))
    }

    /// A draw, made of two numbers from 0 up to 1 for each position: its tokens, their log probability, and that of
    /// all conforming fillings together.
    #[allow(clippy::needless_pass_by_value)]
    fn draw(&mut self, py: Python<'_>, log_probabilities: PyBuffer<i32>, uniform: PyBuffer<f64>) -> PyResult<Filled> {
        let numbers = uniform.to_vec(py)?;
        let pairs = numbers.as_chunks().0;
        let drawn = self.ask(py, &log_probabilities, |kernel, rows| kernel.draw(rows, pairs))?;
        Ok((drawn.tokens, drawn.log_probability, drawn.log_total))
    }

    /// Write the probability of each token in each position, given the form and the known tokens.
    #[allow(clippy::needless_pass_by_value)]
    fn marginals(
        &mut self,
        py: Python<'_>,
        log_probabilities: PyBuffer<i32>,
        probabilities: PyBuffer<i32>,
    ) -> PyResult<()> {
        let width = self.check_rows(py, "probabilities", &probabilities)?;
        if probabilities.readonly() {
            return Err(argument(py, "probabilities", "probabilities: the buffer must be writable".to_owned()));
        }
        let words = shared(&probabilities);
        self.ask(py, &log_probabilities, |kernel, rows| {
            kernel.marginals(rows, |at, row| {
                let to = &words[at * width..];
                to.iter().zip(row).for_each(|(to, share)| to.store(share.to_bits(), Ordering::Relaxed));
            })
        })
    }

    /// How many positions there are.
    fn __len__(&self) -> usize {
        self.kernel.len()
    }

    /// By position: its token, or ``None``.
    #[getter]
    fn token_ids(&self) -> Vec<Option<TokenId>> {
        self.kernel.tokens().to_vec()
    }

    /// Whether the form is recursive: then ``best``, ``draw`` and ``marginals`` are refused.
    #[getter]
    fn is_recursive(&self) -> bool {
        self.kernel.is_recursive()
    }

    /// The positions whose token is not known, ascending.
    #[getter]
    fn holes(&self) -> Vec<usize> {
        self.kernel.holes().collect()
    }

    /// What the tokens spell, ends of text left out, control tokens by name; ``None`` as long as there are holes.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.kernel.text().map(|text| PyBytes::new(py, &text))
    }

    /// How many states the form has, and how many edges between them.
    #[getter]
    fn form_size(&self) -> (usize, usize) {
        self.kernel.form_size()
    }

    /// Bytes of memory held, roughly, beside what all canvases of the constraint share.
    #[getter]
    fn nbytes(&self) -> usize {
        self.kernel.bytes()
    }

    /// An independent copy with the same tokens.
    fn fork(&self) -> Self {
        Self { kernel: self.kernel.clone() }
    }
}
