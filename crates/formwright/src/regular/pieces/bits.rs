//! A set of numbers that tells how many of them are smaller than a given one.
//!
//! ```text
//! 1 4 70     words 10010... | ...1...     before each word: 0, 2
//! ```
//!
//! Cost: a bit and a half for each number up to the largest.

/// The set.
#[derive(Debug, Default)]
pub struct Bits {
    words: Box<[u64]>,
    /// By word: how many numbers are in the words before it.
    before: Box<[u32]>,
}

impl Bits {
    /// These numbers, all below `end`.
    pub fn new(numbers: impl Iterator<Item = u32>, end: usize) -> Self {
        let mut words = vec![0_u64; end.div_ceil(64)].into_boxed_slice();
        numbers.for_each(|number| words[number as usize / 64] |= 1 << (number % 64));
        let before = words.iter().scan(0, |sum, word| Some(std::mem::replace(sum, *sum + word.count_ones())));
        Self { before: before.collect(), words }
    }

    /// Whether a number is in the set.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// How many numbers of the set are smaller.
    #[inline]
    pub fn rank(&self, number: u32) -> u32 {
        let word = self.words[number as usize / 64] & ((1 << (number % 64)) - 1);
        self.before[number as usize / 64] + word.count_ones()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.len() * 8 + self.before.len() * 4
    }
}
