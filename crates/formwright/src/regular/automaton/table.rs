//! The transitions found so far, by state: cells that many threads read while one adds to them.
//!
//! Rows lie in blocks that double in size, so that a row never moves and readers need no lock: block `b` holds the
//! `2^(b + 3)` states from `2^(b + 3) - 8` on. Cost: a block is allocated whole when one of its states is first asked
//! about.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use super::StateId;

/// What a cell holds before anything was found for it.
pub const UNKNOWN: u32 = u32::MAX;

const FIRST_BLOCK_BITS: u32 = 3;

/// Rows of cells by state.
pub struct Table {
    /// Cells in a row.
    width: usize,
    blocks: [OnceLock<Box<[AtomicU32]>>; 27],
}

impl Table {
    pub fn new(width: usize) -> Self {
        Self { width, blocks: std::array::from_fn(|_| OnceLock::new()) }
    }

    /// The block of a state, and its row in there.
    #[inline]
    fn locate(state: StateId) -> (usize, usize) {
        let shifted = state + (1 << FIRST_BLOCK_BITS);
        let bits = shifted.ilog2();
        ((bits - FIRST_BLOCK_BITS) as usize, (shifted - (1 << bits)) as usize)
    }

    /// The row of a state, if its block was made.
    #[inline]
    pub fn row(&self, state: StateId) -> Option<&[AtomicU32]> {
        let (block, row) = Self::locate(state);
        let block = self.blocks[block].get()?;
        Some(&block[row * self.width..(row + 1) * self.width])
    }

    /// The row of a state.
    pub fn row_or_make(&self, state: StateId) -> &[AtomicU32] {
        let (block, row) = Self::locate(state);
        let rows = 1_usize << (block as u32 + FIRST_BLOCK_BITS);
        let block =
            self.blocks[block].get_or_init(|| (0..rows * self.width).map(|_| AtomicU32::new(UNKNOWN)).collect());
        &block[row * self.width..(row + 1) * self.width]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn every_state_has_a_row_of_its_own() {
        let table = Table::new(3);
        for state in 0..1000 {
            for cell in table.row_or_make(state) {
                assert_eq!(cell.swap(state, Ordering::Relaxed), UNKNOWN);
            }
        }
        for state in 0..1000 {
            assert!(table.row(state).unwrap().iter().all(|cell| cell.load(Ordering::Relaxed) == state));
        }
    }
}
