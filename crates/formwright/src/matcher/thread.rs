//! A state of a match is a set of threads; a thread is a place and what comes after it.
//!
//! [`Head`] is the place: inside a string, before a value, after a comma. The
//! continuation [`ContId`] names a stack frame, itself a thread, in the
//! matcher's arena. Threads are small, `Copy` and comparable, so "the same
//! place twice" is one comparison, and two threads that differ only in what
//! comes after become one with a union continuation. That merge rule keeps
//! ambiguous recursion polynomial: it is the graph-structured stack of
//! generalised parsing, obtained by hash-consing.

use crate::language::{LeafId, NodeId, SpaceState};
use crate::regular::StateId;
use crate::vocabulary::NodeIndex;

/// Index of a continuation in the arena. 0 is "the text is complete".
pub type ContId = u32;

/// What follows the whole text: nothing.
pub const END: ContId = 0;

/// Index of what an object has seen so far; for plain objects the next position.
pub type SeenId = u32;

/// Where in an object or array a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// After `{` or `[`.
    Open,
    /// After a value.
    Value,
    /// After `,` (objects only).
    Comma,
}

impl Phase {
    /// The bytes that may come next in an object, whitespace aside.
    pub fn structure(self) -> &'static [u8] {
        match self {
            Self::Open => b"\"}",
            Self::Value => b",}",
            Self::Comma => b"\"",
        }
    }
}

/// A place in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Head {
    /// The text is complete.
    Accept,
    /// Any of several continuations (only in frames).
    Union(u32),
    /// Before the first byte of a node.
    Start(NodeId),
    /// Before a JSON value, with optional whitespace.
    Value { space: SpaceState, node: NodeId },
    /// Inside a JSON string of any characters, with how many may and must still come.
    Text { leaf: LeafId, state: StateId, least: u32, most: u32 },
    /// Inside a regular leaf.
    Leaf { leaf: LeafId, state: StateId },
    /// Inside a set of texts.
    Literal { node: NodeId, at: NodeIndex },
    /// Inside the name of a declared member.
    Key { object: NodeId, seen: SeenId, at: NodeIndex },
    /// Inside an undeclared name, or an item that must be new, that is still a prefix of one it must not be.
    Extra { leaf: LeafId, state: StateId, at: u32 },
    /// An undeclared name is complete (only in frames); `start` is where its quote opened.
    Named { extra: u16, object: NodeId, seen: SeenId, start: u32 },
    /// An item that must be new is complete (only in frames); `start` is where it began.
    Item { array: NodeId, items: u32, start: u32 },
    /// Before the colon; `member` counts declared members first, then extras.
    Colon { space: SpaceState, object: NodeId, seen: SeenId, member: u32 },
    /// Between the members of an object.
    Object { phase: Phase, space: SpaceState, object: NodeId, seen: SeenId },
    /// Between the items of an array.
    Array { phase: Phase, space: SpaceState, array: NodeId, count: u32 },
    /// Before part `index` of a sequence (only in frames).
    Sequence { node: NodeId, index: u32 },
    /// After `count` rounds of a repetition (only in frames).
    Repeat { node: NodeId, count: u32 },
}

/// A place and what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thread {
    pub head: Head,
    pub cont: ContId,
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte) / 64] |= 1 << (byte % 64);
    }

    /// Adds some bytes.
    pub fn extend(&mut self, bytes: impl IntoIterator<Item = u8>) {
        bytes.into_iter().for_each(|byte| self.insert(byte));
    }

    /// Whether a byte is in it.
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte) / 64] >> (byte % 64) & 1 == 1
    }

    /// Both sets.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, with)| *word |= with);
        self
    }

    /// The bytes, ascending.
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
