//! Values with numbers, given in the order in which they are met.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values, each with its number.
#[derive(Debug)]
pub struct Numbered<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// One value, which has the number 0.
    pub fn new(first: T) -> Self {
        let mut all = Self { values: Vec::new(), numbers: FxHashMap::default() };
        all.number(first);
        all
    }

    /// The number of a value.
    pub fn number(&mut self, value: T) -> u32 {
        let next = self.values.len() as u32;
        *self.numbers.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }

    /// The value of a number.
    pub fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}
