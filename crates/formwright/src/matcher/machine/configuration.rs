//! Where a text is: configurations, each a position and a stack.
//!
//! ```text
//! {"a": [1, 2      position  inside the number, a terminal
//!                  stack     after an item of the array, after a member of the object, end of the text
//! ```
//!
//! A [`Position`] is a place in the graph: inside a string, before a value, after a comma. A [`StackId`] names a stack
//! node (see [`Stacks`](super::Stacks)), which says what is resumed when the part that the position is in is finished.
//! An ambiguous text has several configurations at once.
//!
//! Configurations are small, `Copy` and comparable, so "the same position twice" is one comparison, and two
//! configurations that differ only in their stacks become one with the union of both stacks. That merge keeps ambiguous
//! recursion polynomial: it is the graph-structured stack of generalised parsing, obtained by hash-consing.
//!
//! Cost: 24 bytes, copied and compared for every byte. A position is also what a stack node resumes, and a
//! part of the key by which an entry is cached; a few positions occur only on stacks or only in keys.

use super::excluded::TextsId;
use crate::language::{FollowId, LeafId, NodeId, SpaceState};
use crate::regular::{ByteSet, StateId};
use crate::vocabulary::NodeIndex;

/// Index of a stack node.
pub type StackId = u32;

/// The stack node below all others: the text is complete.
pub const END: StackId = 0;

/// Where in an object or array a configuration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// How far an object or array is; see [`Unpacked`]. Packed into 32 bits, as it is hashed and compared for every mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Progress(u32);

/// What a [`Progress`] stands for.
pub enum Unpacked {
    /// In plain objects, the position of the member that comes next; in plain arrays, the number of items.
    Number(u32),
    /// In objects and arrays that count or compare what they have, the index of an interned state.
    Interned(u32),
}

impl Progress {
    /// Set in the index of an interned state.
    const INTERNED: u32 = 1 << 31;

    pub fn number(number: u32) -> Self {
        debug_assert!(number < Self::INTERNED, "more members or items than a text has bytes");
        Self(number)
    }

    pub fn interned(index: u32) -> Self {
        Self(index | Self::INTERNED)
    }

    #[inline]
    pub fn unpack(self) -> Unpacked {
        if self.0 & Self::INTERNED == 0 {
            Unpacked::Number(self.0)
        } else {
            Unpacked::Interned(self.0 & !Self::INTERNED)
        }
    }
}

/// A place in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// The text is complete.
    Accept,
    /// Any of several stacks (only on the stack).
    Union(u32),
    /// Before the first byte of a node.
    Start(NodeId),
    /// After the end of a text, before it is known what comes (only in walks).
    Ended,
    /// Before a JSON value, with optional whitespace.
    Value { space: SpaceState, node: NodeId },
    /// Inside a counted text: characters of a class, plain or as a JSON string. `least` characters must still come, and
    /// `most` may.
    Text { leaf: LeafId, state: StateId, least: u32, most: u32 },
    /// Inside any other terminal.
    Terminal { leaf: LeafId, state: StateId },
    /// Inside one of a set of texts; `at` is a node of their trie or lexicon, or a state of their automaton.
    Literal { node: NodeId, at: NodeIndex },
    /// Inside the name of a declared member; `at` is a node of the trie of names.
    Key { object: NodeId, seen: Progress, at: NodeIndex },
    /// Inside an undeclared name, or an item that must be new, as long as it is a prefix of an excluded text; `at` is a
    /// node of the tree of excluded texts.
    Excluding { leaf: LeafId, state: StateId, at: TextsId },
    /// An undeclared name is complete (only on the stack); `start` is where its quote opened.
    Named { kind: u16, object: NodeId, seen: Progress, start: u32 },
    /// An item that must be new is complete (only on the stack); `start` is where it began.
    Item { array: NodeId, items: u32, start: u32 },
    /// An item that must differ from others as a value is complete (only on the stack); `items` is the state after it but
    /// for its value, `start` where it began.
    Element { array: NodeId, items: u32, start: u32 },
    /// Before the colon; `member` counts declared members first, then kinds of undeclared ones.
    Colon { space: SpaceState, object: NodeId, seen: Progress, member: u32 },
    /// Between the members of an object.
    Object { phase: Phase, space: SpaceState, object: NodeId, seen: Progress },
    /// After a member of any object (only in keys of entries): which whitespace may come, the state after a comma if
    /// one may come, and whether the brace may.
    Between { space: SpaceState, comma: Option<SpaceState>, closes: bool },
    /// What comes next, the stack of a text says, which is not looked at (only in walks).
    Unseen(FollowId),
    /// Between the items of an array.
    Array { phase: Phase, space: SpaceState, array: NodeId, count: Progress },
    /// Before part `index` of a sequence (only on the stack).
    Sequence { node: NodeId, index: u32 },
    /// After `count` rounds of a repetition (only on the stack).
    Repeat { node: NodeId, count: u32 },
}

/// A position, and what is resumed when the part it is in is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub position: Position,
    pub stack: StackId,
}

impl Configuration {
    /// The same in another state of whitespace, where whitespace may come.
    pub fn with_space(mut self, next: SpaceState) -> Self {
        self.position.set_space(next);
        self
    }
}

/// Whether a text that is in these places may end there.
pub fn is_accepting(configurations: &[Configuration]) -> bool {
    configurations.iter().any(|configuration| configuration.position == Position::Accept)
}

impl Position {
    /// Moves to another state of whitespace, where whitespace may come.
    #[inline]
    pub fn set_space(&mut self, next: SpaceState) {
        if let Self::Value { space, .. }
        | Self::Colon { space, .. }
        | Self::Object { space, .. }
        | Self::Array { space, .. } = self
        {
            *space = next;
        }
    }
}

/// A stack node: a position to resume at, and the node below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub position: Position,
    pub below: StackId,
}

// Configurations are copied and compared for every byte.
const _: () = assert!(size_of::<Configuration>() <= 24);
