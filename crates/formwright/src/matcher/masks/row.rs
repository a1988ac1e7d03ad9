//! The words a mask is written to: private to a thread, or visible to others.
//!
//! A host writes masks while its interpreter goes on, into memory that any of its threads may read or write
//! meanwhile. So such a row is [`AtomicU32`]s, used with relaxed ordering: a race is never undefined behaviour.
//!
//! ```text
//! two threads write one row     no word is torn, but a row is loaded and stored in pieces: it may have words of both
//! at once                       masks, and words with bits of both, where one thread read before the other wrote
//! ```
//!
//! Cost: a compiler makes one instruction a word of a loop over atomics, which takes four times as long as a copy
//! (0.6 us against 0.17 us for 131k tokens). On `x86_64`, slices of words are moved by the string instructions instead,
//! which are as fast as any copy. These instructions are the kernel's only `unsafe` code.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

/// A row of a mask: token `t` is bit `t % 32` of word `t / 32`.
pub trait Row {
    /// The word at `index`.
    fn get(&self, index: usize) -> u32;
    /// Overwrites the word at `index`.
    fn set(&self, index: usize, word: u32);
    /// Overwrites every word with `word`.
    fn fill(&self, word: u32);
    /// Overwrites all words with `words`, which has the same length.
    fn copy(&self, words: &[u32]);
    /// Adds the bits of `words`, which has the same length.
    fn unite(&self, words: &[u32]);
}

impl Row for [Cell<u32>] {
    fn get(&self, index: usize) -> u32 {
        self[index].get()
    }

    fn set(&self, index: usize, word: u32) {
        self[index].set(word);
    }

    fn fill(&self, word: u32) {
        for cell in self {
            cell.set(word);
        }
    }

    fn copy(&self, words: &[u32]) {
        self.iter().zip(words).for_each(|(cell, &word)| cell.set(word));
    }

    fn unite(&self, words: &[u32]) {
        self.iter().zip(words).for_each(|(cell, &word)| cell.set(cell.get() | word));
    }
}

/// Words united at once, 4 KiB: a small part of the first-level cache.
const CHUNK: usize = 1 << 10;

impl Row for [AtomicU32] {
    fn get(&self, index: usize) -> u32 {
        self[index].load(Ordering::Relaxed)
    }

    fn set(&self, index: usize, word: u32) {
        self[index].store(word, Ordering::Relaxed);
    }

    fn fill(&self, word: u32) {
        bulk::fill(self, word);
    }

    fn copy(&self, words: &[u32]) {
        bulk::store(self, words);
    }

    fn unite(&self, words: &[u32]) {
        let mut held = [0; CHUNK];
        for (row, words) in self.chunks(CHUNK).zip(words.chunks(CHUNK)) {
            let held = &mut held[..row.len()];
            bulk::load(row, held);
            held.iter_mut().zip(words).for_each(|(held, &word)| *held |= word);
            bulk::store(row, held);
        }
    }
}

/// Slices of words, each word loaded or stored by one relaxed operation.
#[cfg_attr(all(target_arch = "x86_64", not(miri)), allow(dead_code))] // the tests compare
mod portable {
    use super::{AtomicU32, Ordering};

    pub fn load(row: &[AtomicU32], words: &mut [u32]) {
        row.iter().zip(words).for_each(|(from, word)| *word = from.load(Ordering::Relaxed));
    }

    pub fn store(row: &[AtomicU32], words: &[u32]) {
        row.iter().zip(words).for_each(|(to, &word)| to.store(word, Ordering::Relaxed));
    }

    pub fn fill(row: &[AtomicU32], word: u32) {
        for to in row {
            to.store(word, Ordering::Relaxed);
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
use portable as bulk;

/// The same by string instructions.
///
/// Why this is sound. To the compiler, an `asm!` block is a function it cannot look into, which may do whatever Rust
/// code could: here, the loops of `portable`, one relaxed operation a word. The processor keeps this promise: an
/// aligned access of four bytes is never torn, whatever larger access of the string instruction it is part of, and
/// relaxed operations promise no order. Every word that is touched lies within both slices, as the count is the smaller
/// of their lengths; a slice of atomics may be written through a shared reference. The direction flag is clear on entry
/// of a block, the registers that change are named, and neither flags nor stack are touched.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unsafe_code)]
mod bulk {
    use std::arch::asm;

    use super::AtomicU32;

    pub fn load(row: &[AtomicU32], words: &mut [u32]) {
        let count = row.len().min(words.len());
        // SAFETY: see the module.
        unsafe { moved(row.as_ptr().cast(), words.as_mut_ptr(), count) }
    }

    pub fn store(row: &[AtomicU32], words: &[u32]) {
        let count = row.len().min(words.len());
        // SAFETY: see the module.
        unsafe { moved(words.as_ptr(), row.as_ptr().cast_mut().cast(), count) }
    }

    pub fn fill(row: &[AtomicU32], word: u32) {
        // SAFETY: see the module.
        unsafe {
            asm!(
                "rep stosd",
                inout("rcx") row.len() => _,
                inout("rdi") row.as_ptr() => _,
                in("eax") word,
                options(nostack, preserves_flags)
            );
        }
    }

    /// `count` words from one place to another that does not overlap it.
    #[inline]
    unsafe fn moved(from: *const u32, to: *mut u32, count: usize) {
        // SAFETY: see the module.
        unsafe {
            asm!(
                "rep movsd",
                inout("rcx") count => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths about those of registers, cache lines and chunks.
    const LENGTHS: [usize; 12] = [0, 1, 2, 3, 15, 16, 17, 63, 1023, 1024, 1025, 4096];

    fn noise(count: usize, seed: u32) -> Vec<u32> {
        (0..count as u32).map(|index| (index + seed).wrapping_mul(0x9E37_79B9).rotate_left(index % 32)).collect()
    }

    fn shared(words: &[u32]) -> Vec<AtomicU32> {
        words.iter().map(|&word| AtomicU32::new(word)).collect()
    }

    fn seen(row: &[AtomicU32]) -> Vec<u32> {
        row.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Every slice is within a larger row, and the words around it must not change.
    #[test]
    fn bulk_moves_are_the_portable_ones() {
        for count in LENGTHS {
            for start in 0..4 {
                let (around, words) = (noise(count + 8, 1), noise(count, 2));
                let (one, other) = (shared(&around), shared(&around));
                let run = start..start + count;
                bulk::store(&one[run.clone()], &words);
                portable::store(&other[run.clone()], &words);
                assert_eq!(seen(&one), seen(&other));
                let (mut read, mut expected) = (vec![7; count + 2], vec![7; count + 2]);
                bulk::load(&one[run.clone()], &mut read);
                portable::load(&other[run.clone()], &mut expected);
                assert_eq!(read, expected);
                bulk::fill(&one[run.clone()], u32::MAX);
                portable::fill(&other[run], u32::MAX);
                assert_eq!(seen(&one), seen(&other));
            }
        }
    }

    fn united<R: Row + ?Sized>(row: &R, first: &[u32], second: &[u32]) -> Vec<u32> {
        row.copy(first);
        row.unite(second);
        (0..first.len()).map(|index| row.get(index)).collect()
    }

    #[test]
    fn shared_and_private_rows_are_alike() {
        for count in LENGTHS {
            let (first, second, mut own) = (noise(count, 3), noise(count, 4), vec![0; count]);
            let expected: Vec<u32> = first.iter().zip(&second).map(|(a, b)| a | b).collect();
            assert_eq!(united(Cell::from_mut(&mut own[..]).as_slice_of_cells(), &first, &second), expected);
            assert_eq!(united(&shared(&noise(count, 5))[..], &first, &second), expected);
        }
    }

    /// Rows may mix the words of two writers; a word is of one of them.
    #[test]
    fn racing_writers_tear_no_word() {
        let row = &shared(&[0; 4096])[..];
        let words = [noise(4096, 6), noise(4096, 7)];
        std::thread::scope(|scope| {
            for words in &words {
                scope.spawn(|| (0..2_000).for_each(|_| row.copy(words)));
            }
            for _ in 0..200 {
                let mut read = vec![0; row.len()];
                bulk::load(row, &mut read);
                for (index, word) in read.into_iter().enumerate() {
                    assert!(word == 0 || word == words[0][index] || word == words[1][index]);
                }
            }
        });
    }
}
