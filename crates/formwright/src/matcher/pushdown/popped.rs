//! What tokens pop from a stack: sets of sequences of symbols, each set kept once.
//!
//! ```text
//! ]]    from a list in a list, from a list in an object: {a, b}, then {a, b}: four sequences, two sets
//! ```
//!
//! A set is given by the last symbol of each of its sequences, with the set of what is popped before it. So sequences of
//! one length that share their ends share them here too, however many there are.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::Symbol;

/// Index of a set.
pub type PoppedId = u32;

/// Nothing is popped.
pub const NOTHING: PoppedId = 0;

/// The set of what is popped before, and the last symbol that is popped.
pub type Last = (PoppedId, Symbol);

/// The sets. What a set refers to has a smaller index.
#[derive(Debug)]
pub struct Popped(IndexSet<Box<[Last]>, FxBuildHasher>);

impl Default for Popped {
    fn default() -> Self {
        Self(IndexSet::from_iter([Box::default()]))
    }
}

impl Popped {
    /// The last symbols of a set, none where nothing is popped.
    #[inline]
    pub fn last(&self, set: PoppedId) -> &[Last] {
        &self.0[set as usize]
    }

    /// The sequences of a set with one symbol more after them.
    pub fn push(&mut self, before: PoppedId, symbol: Symbol) -> PoppedId {
        self.intern(&[(before, symbol)])
    }

    /// Both sets in one. Neither may be [`NOTHING`].
    pub fn unite(&mut self, one: PoppedId, other: PoppedId) -> PoppedId {
        let mut all = [self.last(one), self.last(other)].concat();
        all.sort_unstable();
        all.dedup();
        self.intern(&all)
    }

    fn intern(&mut self, last: &[Last]) -> PoppedId {
        match self.0.get_index_of(last) {
            Some(known) => known as PoppedId,
            None => self.0.insert_full(last.into()).0 as PoppedId,
        }
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|last| size_of_val(&**last) + 40).sum()
    }
}
