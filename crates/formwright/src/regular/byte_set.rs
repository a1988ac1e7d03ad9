//! Sets of bytes, as four words: what may come first, or next.

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Some bytes.
    pub const fn of(bytes: &[u8]) -> Self {
        let (mut words, mut index) = ([0; 4], 0);
        while index < bytes.len() {
            words[bytes[index] as usize / 64] |= 1 << (bytes[index] % 64);
            index += 1;
        }
        Self(words)
    }

    /// Adds a byte.
    #[inline]
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte) / 64] |= 1 << (byte % 64);
    }

    /// Adds a run of bytes.
    pub fn insert_all(&mut self, bytes: std::ops::RangeInclusive<u8>) {
        let (low, high) = (usize::from(*bytes.start()), usize::from(*bytes.end()));
        for (word, at) in self.0.iter_mut().zip((0..).step_by(64)) {
            let (from, to) = (low.max(at), high.min(at + 63));
            if from <= to {
                *word |= (u64::MAX >> (63 - (to - from))) << (from - at);
            }
        }
    }

    /// Whether a byte is in it.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte) / 64] >> (byte % 64) & 1 == 1
    }

    /// Whether no byte is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Takes a byte out.
    #[inline]
    pub fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte) / 64] &= !(1 << (byte % 64));
    }

    /// Both sets.
    #[inline]
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, with)| *word |= with);
        self
    }

    /// The bytes whose bits are set.
    pub const fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }

    /// What is in both sets.
    #[inline]
    #[must_use]
    pub fn intersection(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, with)| *word &= with);
        self
    }

    /// What is not in the other set.
    #[inline]
    #[must_use]
    pub fn difference(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, without)| *word &= !without);
        self
    }

    /// The bytes, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < 64).then(|| (index as u32 * 64 + bit) as u8)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_bytes() {
        let mut set = ByteSet::of(&[0, 63, 64, 255]);
        set.insert(b'a');
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, b'a', 255]);
        assert!(set.contains(255) && !set.contains(254));
        assert_eq!(set.union(&ByteSet::of(b"ab")).iter().count(), 6);
        assert_eq!(set.difference(&ByteSet::of(b"ab\x00")), ByteSet::of(&[63, 64, 255]));
        assert_eq!(ByteSet::ALL.iter().count(), 256);
    }

    #[test]
    fn runs_of_bytes() {
        for (low, high) in [(0, 255), (0, 0), (255, 255), (63, 64), (1, 62), (64, 127), (60, 200), (9, 3)] {
            let mut set = ByteSet::of(b"z");
            set.insert_all(low..=high);
            let expected = (0..=255).filter(|&byte| byte == b'z' || (low..=high).contains(&byte));
            assert_eq!(set.iter().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }
}
