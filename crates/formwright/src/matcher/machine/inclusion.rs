//! Which configurations go on with every text that another one goes on with.
//!
//! ```text
//! [1, "a      inside a string of either of two arrays       one position, the union of two stacks
//!             inside a string of the first of them alone    included in it
//! ```
//!
//! A step unites the stacks of equal positions, and drops an object that another one covers; and of a text it is known
//! which names were used, of a way from an earlier configuration only how many. So a text may be in a configuration that
//! no such way leads to, though it includes one that a way does lead to.

use super::Machine;
use super::configuration::{Configuration, Position, Progress, StackId, Unpacked};
use super::stacks::{UNSURE, are_known};
use crate::language::{Node, NodeId, Seen};

/// Stack nodes that are compared at most. Beyond, nothing is said to be included.
const MOST_COMPARED: usize = 1 << 12;

impl Machine<'_> {
    /// Whether a configuration may include others than itself.
    pub fn may_include_others(&self, configuration: Configuration) -> bool {
        self.graph.tracks_values() || self.stacks.is_united(configuration.stack)
    }

    /// Whether whatever may follow one configuration may follow another: as far as a look at a few stack nodes tells.
    pub fn includes(&self, larger: Configuration, smaller: Configuration) -> bool {
        self.position_includes(larger.position, smaller.position)
            && self.stack_includes(larger.stack, smaller.stack, &mut MOST_COMPARED.clone())
    }

    fn stack_includes(&self, mut larger: StackId, mut smaller: StackId, left: &mut usize) -> bool {
        while larger != smaller {
            let Some(rest) = left.checked_sub(1) else { return false };
            *left = rest;
            if let Some(several) = self.stacks.alternatives(smaller) {
                return several.iter().all(|&smaller| self.stack_includes(larger, smaller, left));
            }
            if let Some(several) = self.stacks.alternatives(larger) {
                // Stacks are interned, so that most are found by their ids.
                return several.contains(&smaller)
                    || several.iter().any(|&larger| self.stack_includes(larger, smaller, left));
            }
            let frames = (self.stacks.frame(larger), self.stacks.frame(smaller));
            if !self.position_includes(frames.0.position, frames.1.position) {
                return false;
            }
            (larger, smaller) = (frames.0.below, frames.1.below);
        }
        true
    }

    /// The same of positions.
    fn position_includes(&self, larger: Position, smaller: Position) -> bool {
        larger == smaller
            || larger.place() == smaller.place()
                && match (members(larger), members(smaller)) {
                    (Some((node, more)), Some((_, less))) => self.object_includes(node, more, less),
                    _ => self.array_covers(larger, smaller),
                }
    }

    /// Whether one array is as another one of which fewer items count for kinds without an upper bound.
    fn array_covers(&self, stronger: Position, weaker: Position) -> bool {
        let (Position::Array { array: node, count: more, .. }, Position::Array { count: less, .. }) =
            (stronger, weaker)
        else {
            return false;
        };
        let Node::Array(array) = self.graph.node(node) else { return false };
        let (Unpacked::Interned(more), Unpacked::Interned(less)) = (more.unpack(), less.unpack()) else { return false };
        array.counts_freely() && array.covers(self.stacks.items(more), self.stacks.items(less))
    }

    /// The same of what an object has seen: it kept more promises, or which names are used is known only of it.
    fn object_includes(&self, node: NodeId, larger: Progress, smaller: Progress) -> bool {
        let Node::Object(object) = self.graph.node(node) else { return false };
        let (Unpacked::Interned(_), Unpacked::Interned(_)) = (larger.unpack(), smaller.unpack()) else { return false };
        let (larger, smaller) = (self.stacks.seen(larger), self.stacks.seen(smaller));
        if larger.names == smaller.names {
            return object.covers(larger, smaller);
        }
        // Of unknown names, each new one is taken to be longer than so many others.
        let are_counted = smaller.names < UNSURE && !are_known(smaller.names);
        are_counted
            && self.stacks.used(larger.names) <= self.stacks.used(smaller.names)
            && object.covers(larger, &Seen { names: larger.names, ..smaller.clone() })
    }

    /// Whether one object or array is as another one whose values promise less, and in the same place.
    pub(super) fn covers(&self, stronger: Position, weaker: Position) -> bool {
        if stronger.place() != weaker.place() {
            return false;
        }
        let (Position::Object { object: node, seen: more, .. }, Position::Object { seen: less, .. }) =
            (stronger, weaker)
        else {
            return self.array_covers(stronger, weaker);
        };
        let Node::Object(object) = self.graph.node(node) else { return false };
        object.tracks_values() && object.covers(self.stacks.seen(more), self.stacks.seen(less))
    }
}

/// The object that a position is in, outside of its values, and what it has seen.
fn members(position: Position) -> Option<(NodeId, Progress)> {
    match position {
        Position::Key { object, seen, .. }
        | Position::Colon { object, seen, .. }
        | Position::Named { object, seen, .. }
        | Position::Object { object, seen, .. } => Some((object, seen)),
        _ => None,
    }
}

impl Position {
    /// The same whatever its object or array has seen, where that is more than a number of members or items.
    pub fn place(mut self) -> Self {
        if let Self::Key { seen, .. } | Self::Colon { seen, .. } | Self::Named { seen, .. } | Self::Object { seen, .. } =
            &mut self
            && matches!(seen.unpack(), Unpacked::Interned(_))
        {
            *seen = Progress::interned(0);
        }
        if let Self::Array { count, .. } = &mut self
            && matches!(count.unpack(), Unpacked::Interned(_))
        {
            *count = Progress::interned(0);
        }
        self
    }
}
