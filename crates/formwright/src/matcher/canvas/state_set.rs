//! A set of states, a bit each.

use crate::matcher::edges::State;

/// The set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateSet(Box<[u64]>);

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
    pub fn has(&self, state: State) -> bool {
        self.0[state as usize / 64] >> (state % 64) & 1 == 1
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The states, ascending.
    pub fn iter(&self) -> impl Iterator<Item = State> {
        self.0.iter().enumerate().flat_map(|(index, &word)| Bits(word).map(move |bit| index as State * 64 + bit))
    }

    /// The states that another set has too, ascending.
    pub fn shared_with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = State> + 'a {
        let words = self.0.iter().zip(&other.0).map(|(one, other)| one & other);
        words.enumerate().flat_map(|(index, word)| Bits(word).map(move |bit| index as State * 64 + bit))
    }
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
        assert!(one.has(63) && !one.has(62));
        one.clear();
        assert_eq!(one, StateSet::none_of(130));
    }
}
