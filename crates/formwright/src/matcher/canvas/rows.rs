//! Masks of all holes, each distinct row once.
//!
//! ```text
//! holes    sets of the edges between the states    row
//! 0        {a}                                     0
//! 1, 2     {a} {b, c}                              1
//! ```
//!
//! Cost: the edges of the states before a hole, unless the hole before it has the same states; a union of sets for each
//! distinct row. Rows are kept for the next call, up to a number of bytes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Canvas;
use crate::error::Result;
use crate::interrupt::bounded;
use crate::matcher::edges::SetId;

/// The rows of a canvas.
#[derive(Debug)]
pub struct FilledRows {
    /// The distinct rows.
    pub rows: Vec<Arc<[u32]>>,
    /// By position: its row; -1 where the token is known.
    pub index: Vec<i32>,
}

/// A set of sets of tokens, a bit each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SetsAt(Box<[u64]>);

impl SetsAt {
    /// None of so many sets.
    pub fn none_of(sets: usize) -> Self {
        Self(vec![0; sets.div_ceil(64)].into())
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn has(&self, set: SetId) -> bool {
        self.0[set as usize / 64] >> (set % 64) & 1 == 1
    }

    pub fn insert(&mut self, set: SetId) {
        self.0[set as usize / 64] |= 1 << (set % 64);
    }

    pub fn remove(&mut self, set: SetId) {
        self.0[set as usize / 64] &= !(1 << (set % 64));
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The sets, ascending.
    pub fn iter(&self) -> impl Iterator<Item = SetId> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        self.0.iter().enumerate().flat_map(move |(index, &word)| bits(word).map(move |bit| index as SetId * 64 + bit))
    }
}

/// What was found of the holes of a canvas, and the rows of the last calls, by their sets.
#[derive(Clone, Debug)]
pub struct RowCache {
    /// By position: its sets, unless its states have changed since.
    sets: Box<[Option<SetsAt>]>,
    rows: FxHashMap<SetsAt, Arc<[u32]>>,
    bytes: usize,
    limit: usize,
}

impl RowCache {
    /// Without rows, for so many positions; `limit` is how many bytes of rows are kept.
    pub fn new(length: usize, limit: usize) -> Self {
        Self { sets: vec![None; length].into(), rows: FxHashMap::default(), bytes: 0, limit }
    }

    /// Forgets the sets of a position, if there is one.
    pub fn forget(&mut self, at: usize) {
        self.sets.get_mut(at).into_iter().for_each(|sets| *sets = None);
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The row of some sets.
    fn row(&mut self, sets: SetsAt, unite: impl FnOnce(&SetsAt) -> Arc<[u32]>) -> Arc<[u32]> {
        if let Some(row) = self.rows.get(&sets) {
            return Arc::clone(row);
        }
        let row = unite(&sets);
        self.bytes += size_of_val(&*row) + size_of_val(&*sets.0);
        if self.bytes > self.limit {
            self.rows.clear();
            self.bytes = size_of_val(&*row) + size_of_val(&*sets.0);
        }
        self.rows.insert(sets, Arc::clone(&row));
        row
    }
}

impl Canvas {
    /// The mask of every hole.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where what is around the positions takes too much memory or work.
    pub fn fill(&mut self) -> Result<FilledRows> {
        let limits = self.constraint.tables().limits();
        let (limit, work) = (limits.canvas_bytes, limits.work);
        bounded(work, || {
            self.settle(self.len(), 0)?;
            (0..self.len()).try_for_each(|at| {
                self.keep_sets(at);
                self.reach_mut().trim(limit)
            })
        })?;
        let sets = std::mem::take(&mut self.rows.sets);
        let mut numbers: FxHashMap<Arc<[u32]>, i32> = FxHashMap::default();
        let mut by_sets: FxHashMap<&SetsAt, i32> = FxHashMap::default();
        let mut filled = FilledRows { rows: Vec::new(), index: Vec::with_capacity(self.len()) };
        for (sets, token) in sets.iter().zip(&self.tokens.clone()) {
            let Some(sets) = sets.as_ref().filter(|_| token.is_none()) else {
                filled.index.push(-1);
                continue;
            };
            let number = *by_sets.entry(sets).or_insert_with(|| {
                *numbers.entry(self.row_of(sets)).or_insert_with_key(|row| {
                    filled.rows.push(Arc::clone(row));
                    filled.rows.len() as i32 - 1
                })
            });
            filled.index.push(number);
        }
        self.rows.sets = sets;
        Ok(filled)
    }

    /// The sets that may come in a hole, if they have been found.
    pub(super) fn known_sets(&self, at: usize) -> Option<&SetsAt> {
        self.rows.sets[at].as_ref()
    }

    /// Finds the sets of a hole, unless they are known.
    pub(super) fn keep_sets(&mut self, at: usize) {
        if self.tokens[at].is_some() || self.rows.sets[at].is_some() {
            return;
        }
        let is_as_before = at > 0 && self.has_states_of_before(at);
        let known = if is_as_before { self.rows.sets[at - 1].clone() } else { None };
        self.rows.sets[at] = known.or_else(|| Some(self.reach_mut().find_sets(at)));
    }

    /// Whether two holes side by side have the same states around them.
    fn has_states_of_before(&self, at: usize) -> bool {
        self.are_holes(at - 1, at)
            && self.reach().is_forward_equal(at - 1, at)
            && self.reach().is_backward_equal(at, at + 1)
    }

    fn row_of(&mut self, sets: &SetsAt) -> Arc<[u32]> {
        let words = self.vocabulary().mask_words();
        let Self { rows, around, .. } = self;
        rows.row(sets.clone(), |sets| {
            let mut row = vec![0; words];
            sets.iter().for_each(|set| around.sets().unite(set, &mut row));
            row.into()
        })
    }
}
