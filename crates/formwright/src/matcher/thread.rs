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
use crate::regular::{ByteSet, StateId};
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
    pub fn structure(self) -> ByteSet {
        match self {
            Self::Open => const { ByteSet::of(b"\"}") },
            Self::Value => const { ByteSet::of(b",}") },
            Self::Comma => const { ByteSet::of(b"\"") },
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
    /// Inside a text of any characters of a class, plain or a JSON string, with how many may and must still come.
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
    /// Behind a member of any object (only in near forms): whether whitespace and a comma may come, and the brace.
    Between { space: SpaceState, comma: Option<SpaceState>, closes: bool },
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
