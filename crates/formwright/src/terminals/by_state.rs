//! Values by state, for the time of a walk.
//!
//! ```text
//! asked for 3, 3, 3, 7, 3     a hash lookup for the first 3, for 7, and for the last 3
//! ```
//!
//! Cost: none for the state that was asked for last, as most steps of a walk ask for it again; else a hash lookup.
//! Values live as long as the walk, and are never dropped before.

use rustc_hash::FxHashMap;

use crate::regular::StateId;

/// A value for each state met.
pub struct ByState<T> {
    indexes: FxHashMap<StateId, usize>,
    values: Vec<T>,
    /// The state asked for last, and the index of its value.
    last: Option<(StateId, usize)>,
}

impl<T> Default for ByState<T> {
    fn default() -> Self {
        Self { indexes: FxHashMap::default(), values: Vec::new(), last: None }
    }
}

impl<T> ByState<T> {
    /// The value of a state; made when it is met.
    #[inline]
    pub fn of(&mut self, state: StateId, make: impl FnOnce() -> T) -> &mut T {
        let index = match self.last {
            Some((last, index)) if last == state => index,
            _ => self.find(state, make),
        };
        &mut self.values[index]
    }

    fn find(&mut self, state: StateId, make: impl FnOnce() -> T) -> usize {
        let next = self.values.len();
        let index = *self.indexes.entry(state).or_insert(next);
        if index == next {
            self.values.push(make());
        }
        self.last = Some((state, index));
        index
    }
}
