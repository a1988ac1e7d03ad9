//! A set of states, a bit each.

use crate::matcher::edges::State;

/// The set.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StateSet(Box<[u64]>);

impl Clone for StateSet {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Without new memory, for sets of equally many states.
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl StateSet {
    /// None of so many states.
    pub fn none_of(states: usize) -> Self {
        Self(vec![0; states.div_ceil(64)].into())
    }

    #[inline]
    pub fn insert(&mut self, state: State) {
        self.0[state as usize / 64] |= 1 << (state % 64);
    }

    #[inline]
    pub fn remove(&mut self, state: State) {
        self.0[state as usize / 64] &= !(1 << (state % 64));
    }

    #[inline]
    pub fn has(&self, state: State) -> bool {
        self.0[state as usize / 64] >> (state % 64) & 1 == 1
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The states, ascending.
    pub fn iter(&self) -> impl Iterator<Item = State> {
        states_of(self.0.iter().copied())
    }

    /// The states that another set has too, ascending.
    pub fn shared_with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = State> + 'a {
        states_of(self.0.iter().zip(&other.0).map(|(one, other)| one & other))
    }

    /// The set of these.
    pub fn intersect(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    /// The states that only one of two sets has, ascending.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = State> + 'a {
        states_of(self.0.iter().zip(&other.0).map(|(one, other)| one ^ other))
    }

    /// How many these are.
    pub fn count_differences(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(one, other)| (one ^ other).count_ones() as usize).sum()
    }
}

/// The states whose bits are set.
fn states_of(words: impl Iterator<Item = u64>) -> impl Iterator<Item = State> {
    words.enumerate().flat_map(|(index, word)| Bits(word).map(move |bit| index as State * 64 + bit))
}

/// The bits of a word, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_states_in_order() {
        let [mut one, mut other] = [StateSet::none_of(130), StateSet::none_of(130)];
        for state in [129, 0, 63, 64] {
            one.insert(state);
        }
        for state in [64, 1, 129] {
            other.insert(state);
        }
        assert!(one.iter().eq([0, 63, 64, 129]) && one.shared_with(&other).eq([64, 129]));
        assert!(one.differences(&other).eq([0, 1, 63]) && one.count_differences(&other) == 3);
        one.remove(64);
        assert!(one.has(63) && !one.has(62) && !one.has(64) && one.len() == 3);
        one.clear();
        assert_eq!(one, StateSet::none_of(130));
    }
}
