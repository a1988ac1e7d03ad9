//! How much farther from the end a token can lead, at most: where the budget is larger than that, nothing is asked.
//!
//! Three things lead away from the end, each begun by a byte of structure: a member or item that need not come, an
//! alternative dearer than the shortest one, and a text longer than the shortest one. What must come is no farther away
//! when it begins.
//!
//! ```text
//! {"a": 1     `, "b": [`     a member is begun, `"b":0,` at most, and a value, which may be an array: `[]`
//! ```
//!
//! Cost: a look at each node, once for a graph. Wrinkle: where members are counted or kinds of items matter, one choice
//! can make others dearer; then nothing is said.

use rustc_hash::FxHashSet;

use super::plain_shortest::plain_shortest;
use super::{Array, CompiledGraph, INFINITE, Leaf, Node, NodeId, Object, TextSet};
use crate::regular::{Encoding, Escapes, Regular};

/// Bytes of an escape. Where any character may be escaped, two of them can be one character.
const ESCAPE: u32 = 6;

/// Of so many characters to choose from, four lead away from all texts that a matcher keeps.
const MANY: usize = 64;

/// Bytes of a name that must differ from others, at most: of characters that lead away from them if there are only two
/// to choose from, or many; and the rest of a character.
const NAME: [u32; 2] = [36, 6 + 2 * ESCAPE];

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
            rise.value = rise.value.max(self.rise_of_value(node)?);
        }
        Some(rise)
    }

    /// Bytes of the dearest member that need not come, with a comma.
    fn rise_of_object(&self, object: &Object) -> Option<u32> {
        if object.is_counted() {
            return None;
        }
        self.with_lengths(&object.layout, |lengths| {
            let mut dearest = 0;
            for (member, index) in object.members.iter().zip(0..) {
                // Of the members with which a common prefix ends, any one may come.
                if !member.possible || member.required && !object.ends_with(index) {
                    continue;
                }
                dearest = dearest.max(member.name_bytes + lengths.colon + (lengths.value)(member.value).min(INFINITE));
            }
            for kind in &object.undeclared {
                // With two characters to choose from, no number of used names makes a free one long.
                let characters = self.plain_characters(kind.name)?;
                if characters < 2 {
                    return None;
                }
                let name = NAME[usize::from(characters >= MANY)];
                dearest = dearest.max(name + lengths.colon + (lengths.value)(kind.value).min(INFINITE));
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

    /// Bytes by which the end of a node can be farther from any place inside of it than from before it, before a part of
    /// it has begun that need not come.
    fn rise_of_value(&self, node: NodeId) -> Option<u32> {
        let shortest = self.facts.shortest(node);
        if shortest >= INFINITE {
            return Some(0);
        }
        let longest = |texts: &TextSet| texts.iter().map(|(text, _)| text.len() as u32).max().unwrap_or(0);
        let farthest = match self.node(node) {
            Node::Literals(texts) => longest(texts),
            Node::Tail(tail) => {
                let after = tail.continuations.iter().map(|after| after.shortest).max().unwrap_or(0);
                longest(&tail.texts).saturating_add(after)
            }
            Node::Text { .. } => shortest + 2 * ESCAPE,
            Node::Regular(leaf) => {
                let Leaf { tree, encoding } = self.leaf(*leaf);
                let far = farthest(tree, *encoding).map(|far| far + 2);
                // It may be so far after a place where it may end.
                return far.or_else(|| self.automaton(*leaf).farthest_of_all());
            }
            Node::Choice(_) => self.dearest_option(node),
            _ => shortest,
        };
        Some(farthest.saturating_sub(shortest))
    }

    /// Bytes of the dearest of all options of a choice, and of the choices among these.
    fn dearest_option(&self, node: NodeId) -> u32 {
        let (mut seen, mut open, mut dearest) = (FxHashSet::from_iter([node]), vec![node], 0);
        while let Some(node) = open.pop() {
            let shortest = self.facts.shortest(node);
            dearest = if shortest < INFINITE { dearest.max(shortest) } else { dearest };
            match self.node(node) {
                Node::Choice(options) => open.extend(options.iter().filter(|option| seen.insert(**option))),
                Node::Rule(target) => open.extend(Some(*target).filter(|target| seen.insert(*target))),
                _ => {}
            }
        }
        dearest
    }
}

/// Bytes to the end of a character of a class from any place in it, at most.
fn character(ranges: &[(char, char)], encoding: Encoding) -> u32 {
    let escaped = |(low, high): (char, char)| low < ' ' || ['"', '\\'].iter().any(|c| (low..=high).contains(c));
    match encoding {
        Encoding::Json(Escapes::Any) => 2 * ESCAPE,
        Encoding::Json(_) if ranges.iter().any(|&range| escaped(range)) => ESCAPE,
        _ => ranges.last().map_or(0, |&(_, high)| high.len_utf8() as u32),
    }
}

/// Bytes to the end of a text from any place in it, at most; `None` if the tree does not show it.
fn farthest(tree: &Regular, encoding: Encoding) -> Option<u32> {
    Some(match tree {
        Regular::Never | Regular::Empty => 0,
        Regular::Class(ranges) => character(ranges, encoding),
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
