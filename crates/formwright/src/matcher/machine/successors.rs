//! The configurations that a byte leads to, each position once.
//!
//! ```text
//! either of two arrays whose items are one definition
//!
//! by `[`     after the bracket of each array: two configurations
//! by `1`     inside the definition, twice: one configuration, whose stack is the union of two stacks
//! ```
//!
//! Where two ways lead to the same position, their stacks are united (see [`Machine::unite`](super::Machine)). A list
//! is searched from end to end while it is short, and indexed by hash when it grows.
//!
//! Cost: mostly one configuration, and no allocation. One vector may hold several lists, one after
//! the other, so a list begins at `base`.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::configuration::{Configuration, Position, StackId};

/// Longer lists are searched by hash.
const MANY: usize = 16;

/// The list that a byte's configurations are added to.
pub struct Successors<'o> {
    pub configurations: &'o mut Vec<Configuration>,
    base: usize,
    /// Further stacks of configurations, by their index; united when all are known.
    pub further: SmallVec<[(u32, StackId); 4]>,
    /// Made when it is first needed: most bytes lead to one configuration, and need no index.
    index: Option<Box<Index>>,
}

/// What makes long lists quick.
#[derive(Default)]
struct Index {
    /// Stacks of repetitions and unions that were resumed: many ways lead to the same one.
    resumed: FxHashSet<StackId>,
    /// By position: where it is in the list.
    positions: FxHashMap<Position, usize>,
}

impl<'o> Successors<'o> {
    pub fn new(configurations: &'o mut Vec<Configuration>, base: usize) -> Self {
        Self { configurations, base, further: SmallVec::new(), index: None }
    }

    /// How many configurations the list has.
    pub fn len(&self) -> usize {
        self.configurations.len() - self.base
    }

    /// Removes configurations that another one of the list covers, after stacks were united.
    pub fn remove_covered(&mut self, covers: impl Fn(Configuration, Configuration) -> bool) {
        let mut at = self.base;
        while at < self.configurations.len() {
            let own = self.configurations[at];
            let is_covered = |other: usize| other != at && covers(self.configurations[other], own);
            if (self.base..self.configurations.len()).any(is_covered) {
                self.configurations.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Whether a stack is resumed for the first time.
    pub fn resumes(&mut self, stack: StackId) -> bool {
        self.index.get_or_insert_default().resumed.insert(stack)
    }

    /// Adds a configuration, or notes a further stack for its position.
    #[inline]
    pub fn push(&mut self, position: Position, stack: StackId) {
        match self.find(position) {
            None => self.configurations.push(Configuration { position, stack }),
            Some(index) if self.configurations[index].stack == stack => {}
            Some(index) => self.further.push((index as u32, stack)),
        }
    }

    #[inline]
    fn find(&mut self, position: Position) -> Option<usize> {
        let list = &self.configurations[self.base..];
        match list.len() {
            0 => None,
            1..=MANY => list.iter().position(|other| other.position == position).map(|index| self.base + index),
            _ => self.find_by_hash(position),
        }
    }

    #[cold]
    fn find_by_hash(&mut self, position: Position) -> Option<usize> {
        let positions = &mut self.index.get_or_insert_default().positions;
        for index in self.base + positions.len()..self.configurations.len() {
            positions.insert(self.configurations[index].position, index);
        }
        positions.get(&position).copied()
    }
}
