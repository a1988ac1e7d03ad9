//! How much memory a language takes, roughly. What parts share is counted for each of them; automata are not counted, since
//! the languages of a vocabulary share them.

use super::{Language, Member, Node};

/// Bytes of a leaf: a small tree.
const LEAF: usize = 256;

/// Bytes of an object or an array beside its members.
const CONTAINER: usize = 256;

impl Language {
    /// Bytes of memory held, roughly.
    pub fn memory(&self) -> usize {
        let graph = self.graph();
        graph.nodes.iter().map(Node::memory).sum::<usize>() + graph.leaves.len() * LEAF
    }
}

impl Node {
    fn memory(&self) -> usize {
        let held = match self {
            Self::Literals(texts) => texts.memory(),
            Self::Lexicon(texts) => 2 * texts.bytes().len(),
            Self::Pieces(pieces, _) => 16 * pieces.text().len(), // the automaton of its pieces
            Self::Object(object) => {
                let conditions = object.conditions.as_ref().map_or(0, |conditions| conditions.memory());
                CONTAINER + object.names.memory() + object.members.len() * size_of::<Member>() + conditions
            }
            Self::Array(array) => CONTAINER + size_of_val(&array.prefix[..]),
            Self::Tail(_) => CONTAINER,
            Self::Sequence(all) | Self::Choice(all) | Self::Distinct(all) => size_of_val(&all[..]),
            Self::Never | Self::Empty | Self::Regular(_) | Self::Text { .. } | Self::Repeat { .. } | Self::Rule(_) => 0,
        };
        size_of::<Self>() + held
    }
}
