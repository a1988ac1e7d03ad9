//! Rows of a mask: a writable int32 buffer of the caller.

use std::cell::Cell;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A checked mask buffer.
pub struct Rows {
    buffer: PyBuffer<i32>,
    words: usize,
    count: usize,
}

impl Rows {
    /// Checks type, shape and layout of `mask` against rows of `words` words.
    pub fn new(mask: &Bound<'_, PyAny>, words: usize) -> PyResult<Self> {
        let buffer = PyBuffer::<i32>::get(mask).map_err(|_| {
            PyTypeError::new_err(format!(
                "mask: a writable int32 buffer is wanted (numpy array, or .numpy() of a CPU tensor), not {}",
                mask.get_type()
            ))
        })?;
        if buffer.readonly() || !buffer.is_c_contiguous() {
            return Err(PyValueError::new_err("mask: the buffer must be writable and C-contiguous"));
        }
        let (rows, width) = match *buffer.shape() {
            [width] => (1, width),
            [rows, width] => (rows, width),
            _ => return Err(PyValueError::new_err("mask: the buffer must have one or two dimensions")),
        };
        if width != words {
            return Err(PyValueError::new_err(format!(
                "mask: rows have {width} words, but this vocabulary needs {words}: ceil(logits_size / 32)"
            )));
        }
        Ok(Self { buffer, words, count: rows })
    }

    /// Fails unless there is a row `row`.
    pub fn check(&self, row: usize) -> PyResult<()> {
        if row >= self.count {
            return Err(PyValueError::new_err(format!("mask: there is no row {row}, only {} rows", self.count)));
        }
        Ok(())
    }

    /// The words of a row.
    pub fn row<'p>(&'p self, py: Python<'p>, row: usize) -> PyResult<&'p [Cell<i32>]> {
        self.check(row)?;
        let cells =
            self.buffer.as_mut_slice(py).ok_or_else(|| PyValueError::new_err("mask: the buffer must be writable"))?;
        Ok(&cells[row * self.words..(row + 1) * self.words])
    }
}
