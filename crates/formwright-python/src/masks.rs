//! `apply_bitmask`: the logits of forbidden tokens become minus infinity.
//!
//! Floats come as unsigned integers of their size, with the bits of minus infinity beside them: one loop serves
//! float16, bfloat16, float32 and float64, and no float is ever read.
//!
//! Cost: a word that allows everything is skipped, one that allows nothing is a fill, any other is 32 selects without a
//! branch. That is a few microseconds for a row, so the interpreter lock is kept: giving it back costs as much, and
//! only while it is held may the caller's memory be written without `unsafe`. Atomics, as rows of masks are, would do
//! without the lock, but the compiler makes no vectors of them: a mixed row takes twice as long. An interpreter that has
//! no lock promises nothing here; there, whoever shares logits between threads must see to it that one alone uses them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::buffer::{Element, PyBuffer, ReadOnlyCell};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::buffer::{Found, shared};
use crate::errors::{Int, argument, count};

/// Write ``minus_infinity`` where the mask has no 1: on which `formwright.apply_bitmask` is built.
///
/// Args:
///     logits: A writable, C-contiguous buffer of uint16, uint32 or uint64, the bits of floats, of shape
///         ``(rows, width)`` or ``(width,)``. Columns beyond the mask count as forbidden.
///     mask: A C-contiguous int32 buffer of shape ``(rows, words)`` or ``(words,)``.
///     rows: The rows to treat, or ``None`` for all.
///     minus_infinity: The bits to write.
///
/// Raises:
///     TypeError, BufferError, ArgumentError: A buffer or a row does not fit; nothing was written.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub fn apply_bitmask(
    py: Python<'_>,
    logits: &Bound<'_, PyAny>,
    mask: PyBuffer<i32>,
    rows: Option<Vec<Int>>,
    minus_infinity: u64,
) -> PyResult<()> {
    if !mask.is_c_contiguous() {
        return Err(argument(py, "mask", "mask: the buffer must be C-contiguous".to_owned()));
    }
    let job = Job { words: shared(&mask), shape: grid(py, &mask)?, rows: rows.as_deref() };
    if let Ok(buffer) = PyBuffer::<u16>::get(logits) {
        return job.run(py, &buffer, minus_infinity as u16);
    }
    if let Ok(buffer) = PyBuffer::<u32>::get(logits) {
        return job.run(py, &buffer, minus_infinity as u32);
    }
    if let Ok(buffer) = PyBuffer::<u64>::get(logits) {
        return job.run(py, &buffer, minus_infinity);
    }
    Err(PyTypeError::new_err("logits: expected a buffer of uint16, uint32 or uint64"))
}

/// The first ``most`` token ids that a row of a mask allows, ascending: they tell whether there is a choice.
///
/// Args:
///     mask: As `Matcher.fill_bitmask`.
///     row: Which row to read, counted from 0.
///     most: How many ids at most; reading stops there.
///
/// Raises:
///     TypeError, ArgumentError: As `Matcher.fill_bitmask`.
#[pyfunction]
#[pyo3(signature = (mask, row=Int(0), *, most=Int(2)), text_signature = "(mask, row=0, *, most=2)")]
pub fn first_allowed(py: Python<'_>, mask: &Bound<'_, PyAny>, row: Int, most: Int) -> PyResult<Vec<u32>> {
    let most: u32 = count(py, "most", most)?;
    let rows = Found::any(mask)?;
    let words = rows.row(rows.check(py, row)?);
    Ok(allowed(words).take(most as usize).collect())
}

/// The token ids that the words of a row allow, ascending.
pub fn allowed(words: &[AtomicU32]) -> impl Iterator<Item = u32> {
    words.iter().enumerate().filter(|(_, of)| word(of) != 0).flat_map(|(index, of)| {
        let bits = word(of);
        (0..32).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| index as u32 * 32 + bit)
    })
}

/// The allowed token with the largest logit, and that logit: a greedy choice that writes no logits.
///
/// Among equals it is the one with the lowest id. A logit that is not a number is taken for the largest.
///
/// Args:
///     logits: A C-contiguous float32 buffer of shape ``(width,)``. Columns beyond the mask count as forbidden.
///     mask: As `Matcher.fill_bitmask`.
///     row: Which row to read, counted from 0.
///
/// Raises:
///     TypeError, BufferError, ArgumentError: A buffer or the row does not fit, or no token is allowed.
#[pyfunction]
#[pyo3(signature = (logits, mask, row=Int(0)), text_signature = "(logits, mask, row=0)")]
#[allow(clippy::needless_pass_by_value)]
pub fn best_allowed(py: Python<'_>, logits: PyBuffer<f32>, mask: &Bound<'_, PyAny>, row: Int) -> PyResult<(u32, f32)> {
    let rows = Found::any(mask)?;
    best(py, &logits, rows.row(rows.check(py, row)?))
}

/// What [`best_allowed`] finds in the words of a row.
pub fn best(py: Python<'_>, logits: &PyBuffer<f32>, words: &[AtomicU32]) -> PyResult<(u32, f32)> {
    let Some(logits) = logits.as_slice(py).filter(|_| logits.shape().len() == 1) else {
        return Err(argument(py, "logits", "logits: expected a C-contiguous row".to_owned()));
    };
    let mut best: Option<(usize, f32)> = None;
    for (index, (chunk, of)) in logits.chunks(32).zip(words).enumerate() {
        let mut bits = word(of).cast_unsigned();
        let whole = <&[ReadOnlyCell<f32>; 32]>::try_from(chunk).ok().filter(|_| bits.count_ones() > FEW);
        if let Some((chunk, (_, most))) = whole.zip(best)
            && most_key(chunk, word(of)) <= key(most)
        {
            continue;
        }
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let Some(logit) = chunk.get(bit).map(ReadOnlyCell::get) else { break };
            if logit.is_nan() {
                return Ok(((32 * index + bit) as u32, logit));
            }
            if best.is_none_or(|(_, most)| logit > most) {
                best = Some((32 * index + bit, logit));
            }
        }
    }
    let found = best.map(|(id, logit)| (id as u32, logit));
    found.ok_or_else(|| argument(py, "mask", "mask: no token is allowed".to_owned()))
}

/// Tokens of a word that are compared one by one.
const FEW: u32 = 4;

/// An integer that grows with a float; no number is the largest.
fn key(logit: f32) -> i32 {
    let bits = logit.to_bits().cast_signed();
    let ordered = bits ^ (bits >> 31).cast_unsigned().wrapping_shr(1).cast_signed();
    if bits & i32::MAX > f32::INFINITY.to_bits().cast_signed() { i32::MAX } else { ordered }
}

/// The largest key of the allowed logits of one word: a maximum of integers, of which the compiler makes vectors.
#[inline]
#[allow(clippy::needless_range_loop)]
fn most_key(chunk: &[ReadOnlyCell<f32>; 32], word: i32) -> i32 {
    let mut most = i32::MIN;
    for bit in 0..32 {
        let key = key(chunk[bit].get());
        most = most.max(if word & (1 << bit) == 0 { i32::MIN } else { key });
    }
    most
}

/// Copy logits, forbidden ones as minus infinity: `apply_bitmask` for a host that keeps its own.
///
/// Args:
///     logits: A C-contiguous float32 buffer of shape ``(rows, width)``.
///     mask: As `Matcher.fill_bitmask`, one row for each row of the logits. Columns beyond it count as forbidden.
///     out: A writable buffer as ``logits``.
///
/// Returns:
///     The rows in which every allowed logit is minus infinity.
///
/// Raises:
///     TypeError, BufferError, ArgumentError: A buffer does not fit; nothing was written.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub fn copy_allowed(
    py: Python<'_>,
    logits: PyBuffer<f32>,
    mask: &Bound<'_, PyAny>,
    out: PyBuffer<f32>,
) -> PyResult<Vec<usize>> {
    let rows = Found::any(mask)?;
    let (count, width) = grid(py, &logits)?;
    let (Some(from), Some(to)) = (logits.as_slice(py), out.as_mut_slice(py)) else {
        return Err(argument(py, "out", "logits and out must be C-contiguous, and out writable".to_owned()));
    };
    if grid(py, &out)? != (count, width) {
        return Err(argument(py, "out", "logits and out must have one shape".to_owned()));
    }
    rows.check(py, Int(count as i64 - 1))?;
    let copied = |&row: &usize| {
        let part = row * width..(row + 1) * width;
        !copy_row(&from[part.clone()], &to[part], rows.row(row))
    };
    Ok((0..count).filter(copied).collect())
}

/// Copy one row; whether an allowed logit is more than minus infinity.
fn copy_row(from: &[ReadOnlyCell<f32>], to: &[Cell<f32>], words: &[AtomicU32]) -> bool {
    let ((from, last), (to, rest)) = (from.as_chunks::<32>(), to.as_chunks::<32>());
    let mut words = words.iter().map(word).chain(std::iter::repeat(0));
    let mut some = false;
    for ((from, to), word) in from.iter().zip(to).zip(&mut words) {
        some |= copy_word(from, to, word);
    }
    let word = words.next().unwrap_or(0);
    for (bit, (from, to)) in last.iter().zip(rest).enumerate() {
        to.set(if word & (1 << bit) == 0 { f32::NEG_INFINITY } else { from.get() });
        some |= to.get() != f32::NEG_INFINITY;
    }
    some
}

/// The logits of one word, as [`select`]; whether one of them is more than minus infinity.
#[inline]
#[allow(clippy::needless_range_loop)]
fn copy_word(from: &[ReadOnlyCell<f32>; 32], to: &[Cell<f32>; 32], word: i32) -> bool {
    const NOTHING: u32 = f32::NEG_INFINITY.to_bits();
    let mut differs = 0;
    for bit in 0..32 {
        let kept = if word & (1 << bit) == 0 { NOTHING } else { from[bit].get().to_bits() };
        to[bit].set(f32::from_bits(kept));
        differs |= kept ^ NOTHING;
    }
    differs != 0
}

/// A checked mask, and the rows to treat (all if `None`).
struct Job<'a> {
    words: &'a [AtomicU32],
    shape: (usize, usize),
    rows: Option<&'a [Int]>,
}

impl Job<'_> {
    fn run<T: Element>(&self, py: Python<'_>, buffer: &PyBuffer<T>, minus_infinity: T) -> PyResult<()> {
        let (count, width) = grid(py, buffer)?;
        let Some(logits) = buffer.as_mut_slice(py) else {
            return Err(argument(py, "logits", "logits: the buffer must be writable and C-contiguous".to_owned()));
        };
        if count != self.shape.0 {
            return Err(argument(py, "mask", "logits and mask must have one number of rows".to_owned()));
        }
        let forbid_row = |row: usize| {
            let words = &self.words[row * self.shape.1..(row + 1) * self.shape.1];
            forbid(&logits[row * width..(row + 1) * width], words, minus_infinity);
        };
        match self.rows {
            None => (0..count).for_each(forbid_row),
            Some(rows) => known(py, rows, count)?.into_iter().for_each(forbid_row),
        }
        Ok(())
    }
}

/// `rows`, all of which are there.
fn known(py: Python<'_>, rows: &[Int], count: usize) -> PyResult<Vec<usize>> {
    let find = |&Int(row): &Int| match usize::try_from(row) {
        Ok(index) if index < count => Ok(index),
        _ => Err(argument(py, "rows", format!("there is no row {row}: the logits have {count} rows, counted from 0"))),
    };
    rows.iter().map(find).collect()
}

/// Rows and columns of a buffer of one or two dimensions.
fn grid<T: Element>(py: Python<'_>, buffer: &PyBuffer<T>) -> PyResult<(usize, usize)> {
    match *buffer.shape() {
        [width] => Ok((1, width)),
        [rows, width] => Ok((rows, width)),
        _ => Err(argument(py, "logits", "logits and mask must have one or two dimensions".to_owned())),
    }
}

/// One row.
fn forbid<T: Element>(logits: &[Cell<T>], words: &[AtomicU32], minus_infinity: T) {
    let (chunks, rest) = logits.as_chunks::<32>();
    let mut words = words.iter().map(word).chain(std::iter::repeat(0));
    for (chunk, word) in chunks.iter().zip(&mut words) {
        match word {
            -1 => {}
            0 => chunk.iter().for_each(|logit| logit.set(minus_infinity)),
            _ => select(chunk, word, minus_infinity),
        }
    }
    let last = words.next().unwrap_or(0);
    rest.iter().enumerate().filter(|(bit, _)| last & (1 << bit) == 0).for_each(|(_, logit)| logit.set(minus_infinity));
}

fn word(of: &AtomicU32) -> i32 {
    of.load(Ordering::Relaxed).cast_signed()
}

/// The logits of one word, without a branch: the compiler makes vectors of it. (Over an iterator it does not for 64-bit
/// logits, which takes ten times as long.)
#[inline]
#[allow(clippy::needless_range_loop)]
fn select<T: Element>(chunk: &[Cell<T>; 32], word: i32, minus_infinity: T) {
    for bit in 0..32 {
        let logit = chunk[bit].get();
        chunk[bit].set(if word & (1 << bit) == 0 { minus_infinity } else { logit });
    }
}
