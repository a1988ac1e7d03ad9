//! Sets of small numbers: values of a variable, or variables.

use smallvec::SmallVec;

/// A set of small numbers. Equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Values(SmallVec<[u64; 2]>);

impl Values {
    /// The numbers below `end`.
    pub fn below(end: u32) -> Self {
        let mut all = Self::default();
        (0..end).for_each(|value| all.insert(value));
        all
    }

    /// Whether a number is in the set.
    pub fn contains(&self, value: u32) -> bool {
        self.0.get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    /// Adds a number.
    pub fn insert(&mut self, value: u32) {
        let word = value as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (value % 64);
    }

    /// Takes a number out.
    pub fn remove(&mut self, value: u32) {
        if let Some(word) = self.0.get_mut(value as usize / 64) {
            *word &= !(1 << (value % 64));
            self.trim();
        }
    }

    /// Drops words without a number, so that equal sets are equal.
    fn trim(&mut self) {
        let used = self.0.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        self.0.truncate(used);
    }

    /// Adds the numbers of another set.
    pub fn extend(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Leaves the numbers that are in another set too.
    pub fn retain(&mut self, other: &Self) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
        self.trim();
    }

    /// Whether all numbers are in another set too.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(own, other)| own & !other == 0)
    }

    /// Whether some number is in both sets.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.0).flat_map(|(at, &word)| numbers_of(at, word))
    }

    /// The numbers that are not in another set, in order.
    pub fn iter_without(&self, other: &Self) -> impl Iterator<Item = u32> {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        (0_u32..).zip(self.0.iter().zip(others)).flat_map(|(at, (&word, other))| numbers_of(at, word & !other))
    }
}

/// The numbers of the word that is the `at`-th of a set.
fn numbers_of(at: u32, word: u64) -> impl Iterator<Item = u32> {
    let bits =
        std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1))).take_while(|&rest| rest != 0);
    bits.map(move |rest| at * 64 + rest.trailing_zeros())
}

impl FromIterator<u32> for Values {
    fn from_iter<I: IntoIterator<Item = u32>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.insert(value));
        all
    }
}
