//! The names of an object's members, in the order in which they were met.
//!
//! ```text
//! add("id", 0), add("kind", 1), add("id", 0)     id: 0, kind: 1
//! ```
//!
//! Most objects have few, and comparing with each is faster than hashing; so a hash table is made only of many. Cost:
//! one comparison for a name that is where it is looked for first, as nearly all do.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most names that are searched one by one.
pub const FEW: usize = 16;

/// Names in order, found by their text.
#[derive(Default)]
pub struct Declared<'d> {
    names: SmallVec<[&'d str; FEW]>,
    /// Their indices, if they are many.
    places: FxHashMap<&'d str, usize>,
}

impl<'d> Declared<'d> {
    /// Adds a name, unless it is there already; `likely` is the index to look at first.
    pub fn add(&mut self, name: &'d str, likely: usize) {
        if self.place(name, likely).is_some() {
            return;
        }
        self.names.push(name);
        if self.names.len() > FEW {
            self.places.extend((self.places.len()..self.names.len()).map(|at| (self.names[at], at)));
        }
    }

    /// The index of a name; `likely` is the one to look at first.
    pub fn place(&self, name: &str, likely: usize) -> Option<usize> {
        let is_it = |other: &&str| **other == *name;
        if self.names.get(likely).is_some_and(is_it) {
            return Some(likely);
        }
        if self.places.is_empty() { self.names.iter().position(is_it) } else { self.places.get(name).copied() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'d str> {
        self.names.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few or many, names are found where they were added first.
    #[test]
    fn names_are_found_where_they_stand() {
        let names: Vec<String> = (0..3 * FEW).map(|number| format!("name {}", number * 7 % 40)).collect();
        let mut declared = Declared::default();
        let mut expected: Vec<&str> = Vec::new();
        for name in &names {
            declared.add(name, 3);
            if !expected.contains(&name.as_str()) {
                expected.push(name);
            }
            assert!(declared.iter().eq(expected.iter().copied()));
            for (at, likely) in (0..expected.len()).flat_map(|at| [(at, at), (at, 0), (at, 99)]) {
                assert_eq!(declared.place(expected[at], likely), Some(at));
            }
            assert_eq!(declared.place("another", 0), None);
        }
    }
}
