//! Which bytes may come next, without a step for each byte.
//!
//! ```text
//! {"a": [     the first bytes of an item, `]`, whitespace
//! {"a":       the first bytes of the value, whitespace
//! ```
//!
//! A walk over a trie of tokens asks this before it steps along a branch.
//!
//! Cost: a table lookup or two for each configuration. The answer may have a byte too many, never one too few:
//! after `[` it has `]`, even if an item must come first.

use super::Machine;
use super::configuration::{Configuration, Phase, Position};
use crate::language::{Node, NodeId, SpaceState};
use crate::regular::ByteSet;

impl Machine<'_> {
    /// Whether a byte is among [`Machine::first_bytes`], if that is found sooner than by a step; else true.
    #[inline]
    pub fn may_read(&self, configuration: &Configuration, byte: u8) -> bool {
        let spaced = |space: SpaceState| self.graph.spaces().step(space, byte).is_some();
        match configuration.position {
            Position::Accept => false,
            Position::Value { space, node } => self.graph.first(node).contains(byte) || spaced(space),
            Position::Colon { space, .. } => byte == b':' || spaced(space),
            Position::Object { phase, space, .. } => phase.structure().contains(byte) || spaced(space),
            Position::Array { phase: Phase::Value, space, .. } => matches!(byte, b',' | b']') || spaced(space),
            _ => true,
        }
    }

    /// Bytes that a configuration may read (perhaps more).
    pub fn first_bytes(&self, configuration: &Configuration) -> ByteSet {
        let graph = self.graph;
        let mut set = ByteSet::default();
        match configuration.position {
            Position::Start(node) => return graph.first(node),
            Position::Value { space, node } => {
                set = graph.first(node);
                self.add_whitespace(space, &mut set);
            }
            Position::Ended => match self.stacks.continuations.get(&configuration.stack) {
                Some(continuation) => return continuation.first,
                None => return ByteSet::ALL,
            },
            Position::Literal { node, at } => return graph.node(node).text_bytes(at),
            Position::Key { object, at, .. } => {
                set.insert(b'"');
                if let Node::Object(object) = graph.node(object) {
                    object.names.tree().children(at).for_each(|child| set.insert(object.names.tree().node(child).byte));
                }
            }
            Position::Colon { space, .. } => {
                set.insert(b':');
                self.add_whitespace(space, &mut set);
            }
            Position::Object { phase, space, .. } => {
                set = phase.structure();
                self.add_whitespace(space, &mut set);
            }
            Position::Array { phase, array, space, .. } => {
                set = if phase == Phase::Open { self.first_items(array) } else { const { ByteSet::of(b",]") } };
                self.add_whitespace(space, &mut set);
            }
            Position::Terminal { leaf, state } => return graph.automaton(leaf).next_bytes(state),
            Position::Text { leaf, state, .. } if !graph.automaton(leaf).is_self_delimiting() => {
                return graph.automaton(leaf).next_bytes(state);
            }
            Position::Accept => {}
            Position::Unseen(follow) => return graph.follows().bytes(follow),
            _ => return ByteSet::ALL,
        }
        set
    }

    /// The bytes after an opening bracket.
    fn first_items(&self, array: NodeId) -> ByteSet {
        let graph = self.graph;
        let mut set = const { ByteSet::of(b"]") };
        if let Node::Array(array) = graph.node(array) {
            set = array.item(0).map_or(set, |item| set.union(&graph.first(item)));
            set = array.ways(0).iter().fold(set, |set, (item, _)| set.union(&graph.first(*item)));
        }
        set
    }

    fn add_whitespace(&self, space: SpaceState, set: &mut ByteSet) {
        if self.graph.spaces().may_come(space) {
            *set = set.union(const { &ByteSet::of(b" \t\r\n") });
        }
    }
}
