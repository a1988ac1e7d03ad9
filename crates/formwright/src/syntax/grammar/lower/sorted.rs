//! Small sets as sorted lists.
//!
//! The analysis of a grammar asks for thousands of sets of a few numbers. In a list they are read in a row, mostly without
//! an allocation.

use smallvec::SmallVec;

/// Members that need no allocation.
const INLINE: usize = 4;

/// A set, kept in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sorted<T>(SmallVec<[T; INLINE]>);

impl<T> Default for Sorted<T> {
    fn default() -> Self {
        Self(SmallVec::new())
    }
}

impl<T: Copy + Ord> Sorted<T> {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member; whether it is new.
    pub fn insert(&mut self, member: T) -> bool {
        match self.0.last() {
            Some(last) if *last >= member => match self.0.binary_search(&member) {
                Ok(_) => return false,
                Err(at) => self.0.insert(at, member),
            },
            _ => self.0.push(member),
        }
        true
    }

    /// Whether something is a member.
    pub fn contains(&self, member: &T) -> bool {
        self.0.binary_search(member).is_ok()
    }

    /// Whether all members are in another set, too.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|member| other.contains(member))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members, ascending.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T: Copy + Ord, const N: usize> From<[T; N]> for Sorted<T> {
    fn from(members: [T; N]) -> Self {
        members.into_iter().collect()
    }
}

impl<T: Copy + Ord> FromIterator<T> for Sorted<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        let mut all = Self::new();
        all.extend(members);
        all
    }
}

/// Large additions are sorted once: one by one, each would move those after it.
impl<T: Copy + Ord> Extend<T> for Sorted<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, members: I) {
        let mut is_sorted = true;
        for member in members {
            match self.0.last() {
                Some(last) if *last == member => {}
                Some(last) => {
                    is_sorted &= *last < member;
                    self.0.push(member);
                }
                None => self.0.push(member),
            }
        }
        if !is_sorted {
            self.0.sort_unstable();
            self.0.dedup();
        }
    }
}

impl<'s, T: Copy + Ord + 's> Extend<&'s T> for Sorted<T> {
    fn extend<I: IntoIterator<Item = &'s T>>(&mut self, members: I) {
        self.extend(members.into_iter().copied());
    }
}

impl<T> IntoIterator for Sorted<T> {
    type Item = T;
    type IntoIter = smallvec::IntoIter<[T; INLINE]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'s, T> IntoIterator for &'s Sorted<T> {
    type Item = &'s T;
    type IntoIter = std::slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sets_are_those_of_the_standard_library() {
        let mut state = 7_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..300 {
            let (mut own, mut other) = (Sorted::new(), BTreeSet::new());
            for _ in 0..next(6) {
                let member = next(12);
                assert_eq!(own.insert(member), other.insert(member));
                let more: Vec<u32> = (0..next(5)).map(|_| next(12)).collect();
                own.extend(&more);
                other.extend(&more);
                assert!(own.iter().eq(&other) && own.len() == other.len() && own.is_empty() == other.is_empty());
            }
            let fewer: Sorted<u32> = own.iter().copied().filter(|_| next(2) == 0).collect();
            assert!(fewer.is_subset(&own) && (0..12).all(|one| own.contains(&one) == other.contains(&one)));
            assert_eq!(own.is_subset(&fewer), own == fewer);
        }
    }
}
