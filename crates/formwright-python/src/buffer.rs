//! Rows of a mask: a writable int32 buffer of the caller.
//!
//! Rows are written while other threads run, which may write or read the same ones; so their words are atomics.

use std::sync::atomic::AtomicU32;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{Int, argument};

/// A checked mask buffer.
pub struct Rows {
    buffer: PyBuffer<i32>,
    width: usize,
    count: usize,
}

impl Rows {
    /// Checks type, shape and layout of `mask`.
    pub fn new(mask: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::<i32>::get(mask).map_err(|_| {
            let class = mask.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
            let dtype = mask.getattr("dtype").map_or_else(|_| String::new(), |dtype| format!(" of {dtype}"));
            PyTypeError::new_err(format!(
                "mask: expected a writable int32 buffer (numpy array, or .numpy() of a CPU tensor), got {class}{dtype}"
            ))
        })?;
        if buffer.readonly() || !buffer.is_c_contiguous() {
            return Err(argument(mask.py(), "mask", "mask: the buffer must be writable and C-contiguous".to_owned()));
        }
        let (count, width) = match *buffer.shape() {
            [width] => (1, width),
            [rows, width] => (rows, width),
            _ => {
                let message = "mask: the buffer must have one or two dimensions".to_owned();
                return Err(argument(mask.py(), "mask", message));
            }
        };
        Ok(Self { buffer, width, count })
    }

    /// Fails unless the rows have `words` words each.
    pub fn check_width(&self, py: Python<'_>, words: usize) -> PyResult<()> {
        if self.width != words {
            let message = format!(
                "mask: rows have {} words, but this vocabulary needs {words}: ceil(logits_size / 32)",
                self.width
            );
            return Err(argument(py, "mask", message));
        }
        Ok(())
    }

    /// The index of row `row`; fails unless there is one.
    pub fn check(&self, py: Python<'_>, row: Int) -> PyResult<usize> {
        let index = usize::try_from(row.0).ok().filter(|&row| row < self.count);
        index.ok_or_else(|| {
            let message = format!("mask: there is no row {}: it has {} rows, counted from 0", row.0, self.count);
            argument(py, "row", message)
        })
    }

    /// The words of a row, with or without the interpreter lock.
    pub fn row(&self, row: usize) -> &[AtomicU32] {
        &shared(&self.buffer)[row * self.width..(row + 1) * self.width]
    }
}

/// A mask whose memory is looked up once, not for every row that is written.
///
/// Takes what `Matcher.fill_bitmask` takes, and is taken there and by `fill_bitmasks`::
///
///     rows = RowBuffer(allocate_bitmask(batch, vocabulary))
///     matcher.fill_bitmask(rows, 3)                     # written to rows.mask[3]
///
/// The memory of ``mask`` is held as long as this lives: a numpy array can meanwhile not be resized in place.
///
/// Raises:
///     TypeError: ``mask`` is not a writable int32 buffer.
///     ArgumentError: It is not C-contiguous, or has not one or two dimensions.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct RowBuffer {
    rows: Rows,
    mask: Py<PyAny>,
}

#[pymethods]
impl RowBuffer {
    #[new]
    fn new(mask: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { rows: Rows::new(&mask)?, mask: mask.unbind() })
    }

    /// What it was made from.
    #[getter]
    fn mask(&self, py: Python<'_>) -> Py<PyAny> {
        self.mask.clone_ref(py)
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.rows.count
    }

    fn __repr__(&self) -> String {
        format!("RowBuffer({} rows of {} words)", self.rows.count, self.rows.width)
    }
}

/// The rows of a mask: those of a [`RowBuffer`], or of any buffer, looked up for this once.
pub enum Found<'a> {
    Kept(&'a Rows),
    New(Rows),
}

impl<'a> Found<'a> {
    /// The rows of `mask`, of `words` words each.
    pub fn of(mask: &'a Bound<'_, PyAny>, words: usize) -> PyResult<Self> {
        let rows = Self::any(mask)?;
        rows.check_width(mask.py(), words)?;
        Ok(rows)
    }

    /// The rows of `mask`, of any width.
    pub fn any(mask: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match mask.cast_exact::<RowBuffer>() {
            Ok(kept) => Self::Kept(&kept.get().rows),
            Err(_) => Self::New(Rows::new(mask)?),
        })
    }
}

impl std::ops::Deref for Found<'_> {
    type Target = Rows;

    fn deref(&self) -> &Rows {
        match self {
            Self::Kept(rows) => rows,
            Self::New(rows) => rows,
        }
    }
}

/// The words of a C-contiguous buffer, to be read, and written unless it is read-only.
#[allow(unsafe_code)]
pub fn shared(buffer: &PyBuffer<i32>) -> &[AtomicU32] {
    if buffer.item_count() == 0 {
        return &[]; // an empty buffer may have no address
    }
    assert!(buffer.is_c_contiguous(), "the caller has checked this");
    // SAFETY:
    // * The memory is there: a contiguous buffer has `item_count` items at `buf_ptr`, which `PyBuffer` has checked to
    //   be of four bytes and aligned. Its exporter may neither free nor move them before the buffer is released, which
    //   happens when the `PyBuffer` is dropped, and that is borrowed.
    // * An `AtomicU32` has the size and the alignment of an `i32`, and every value of one is one of the other.
    // * There are no races within Rust: this crate reads and writes masks through this function only. Other code, which
    //   may race as with any function of numpy that runs without the interpreter lock, finds words torn nowhere.
    unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<AtomicU32>(), buffer.item_count()) }
}
