//! How much farther from the end a token can lead, at most: where the budget is larger than that, nothing is asked.
//!
//! Three things lead away from the end, each begun by a byte of structure: a member or item that need not come, a value
//! dearer than the shortest one, and a text inside such a value.
//!
//! ```text
//! {"a": 1     `, "b": [`     a member is begun, `"b":0,` at most, and a value, which may be an array: `[]`
//! ```
//!
//! Cost: a look at each node, once for a graph. Wrinkle: where members are counted or kinds of items matter, one choice
//! can make others dearer; then nothing is said.

use super::{Array, CompiledGraph, INFINITE, Node, NodeId, Object};
use crate::regular::{Encoding, Regular};

use super::plain_shortest::plain_shortest;

/// Bytes of a character at most, as it is written in JSON: two escapes of surrogates.
const CHARACTER: u32 = 12;

/// Bytes by which the end can be farther, at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rise {
    /// After a member or an item has begun, beside its value.
    pub part: u32,
    /// After a value has begun.
    pub value: u32,
    /// After whitespace.
    pub whitespace: u32,
}

impl CompiledGraph {
    /// How much farther from the end its texts can be led; `None` if that is not known.
    pub(super) fn find_rise(&self) -> Option<Rise> {
        let mut rise = Rise { part: 0, value: 0, whitespace: self.spaces().farthest() };
        for node in 0..self.len() {
            match self.node(node) {
                Node::Object(object) => rise.part = rise.part.max(self.rise_of_object(object)?),
                Node::Array(array) => rise.part = rise.part.max(self.rise_of_array(array)?),
                Node::Sequence(_) | Node::Repeat { .. } | Node::Distinct(_) => return None,
                Node::Tail(tail) if !tail.ways.is_empty() => return None,
                _ => {}
            }
            rise.value = rise.value.max(self.farthest_inside(node)?);
        }
        Some(rise)
    }

    /// Bytes of the dearest member, with a comma.
    fn rise_of_object(&self, object: &Object) -> Option<u32> {
        if object.is_counted() {
            return None;
        }
        self.with_lengths(&object.layout, |lengths| {
            let mut dearest = 0;
            for member in object.members.iter().filter(|member| member.possible && member.witnesses.is_empty()) {
                dearest = dearest.max(member.name_bytes + lengths.colon + (lengths.value)(member.value).min(INFINITE));
            }
            for kind in &object.undeclared {
                // With two characters to choose from, no number of used names makes a free one long.
                let bytes = self.automaton(kind.name).next_bytes(self.inside(kind.name)?);
                bytes.iter().filter(|byte| matches!(byte, 0x20..=0x7F) && !matches!(byte, b'"' | b'\\')).nth(1)?;
                dearest = dearest.max(3 * CHARACTER + lengths.colon + (lengths.value)(kind.value));
            }
            Some(dearest + lengths.between)
        })
    }

    fn rise_of_array(&self, array: &Array) -> Option<u32> {
        if array.is_tracked() {
            return None;
        }
        let items = array.prefix.iter().chain(&array.rest).map(|&item| self.facts.shortest(item));
        let dearest = items.filter(|&item| item < INFINITE).max().unwrap_or(0);
        Some(dearest + self.costs.between_items(&array.layout))
    }

    /// Bytes to the end of a node from any place inside of it at most, before a part of it has begun that need not come.
    fn farthest_inside(&self, node: NodeId) -> Option<u32> {
        let shortest = self.facts.shortest(node);
        Some(match self.node(node) {
            Node::Literals(texts) => texts.iter().map(|(text, _)| text.len() as u32).max().unwrap_or(0),
            Node::Tail(tail) => {
                let after = tail.continuations.iter().map(|after| after.shortest).max().unwrap_or(0);
                let longest = tail.texts.iter().map(|(text, _)| text.len() as u32).max().unwrap_or(0);
                after.saturating_add(longest)
            }
            Node::Text { low, .. } => low.saturating_add(CHARACTER + 2),
            Node::Regular(leaf) => {
                let leaf_of = self.leaf(*leaf);
                let far = farthest(&leaf_of.tree, leaf_of.encoding).map(|far| far + 2);
                far.or_else(|| self.automaton(*leaf).farthest_of_all())?
            }
            _ if shortest >= INFINITE => 0,
            _ => shortest, // of a choice, an option that is begun counts by itself
        })
    }
}

/// Bytes to the end of a text from any place in it, at most; `None` if the tree does not show it.
fn farthest(tree: &Regular, encoding: Encoding) -> Option<u32> {
    Some(match tree {
        Regular::Never | Regular::Empty => 0,
        Regular::Class(_) => CHARACTER,
        Regular::Concat(parts) => {
            let mut after = 0_u32;
            let mut far = 0;
            for part in parts.iter().rev() {
                far = far.max(farthest(part, encoding)?.saturating_add(after));
                after = after.saturating_add(plain_shortest(part, encoding)?.bytes);
            }
            far.max(after)
        }
        Regular::Or(parts) => parts.iter().try_fold(0, |far: u32, part| Some(far.max(farthest(part, encoding)?)))?,
        Regular::Repeat(inner, low, _) => {
            let all = plain_shortest(inner, encoding)?.bytes.saturating_mul(*low);
            farthest(inner, encoding)?.saturating_add(all)
        }
        Regular::Static(tree) => farthest(tree.0, encoding)?,
        Regular::And(_) | Regular::Not(_) | Regular::Multiple(_) | Regular::Implicit(_) => return None,
    })
}
