//! Copies one graph into another, so that languages can be combined.
//!
//! Cost: a copy of each node, with every index shifted by the number of those that are there.

use std::sync::Arc;

use super::{Array, Graph, Leaf, LeafId, Member, Node, NodeId, Object, SpaceState, UndeclaredKind};
use crate::error::{Error, Result};
use crate::limits::Limits;

impl Graph {
    /// Copies all of `other` in; returns its root here.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when the sum is too large.
    pub fn import(&mut self, other: &Self, limits: &Limits) -> Result<NodeId> {
        let total = self.nodes.len() + other.nodes.len();
        if total > limits.nodes {
            return Err(Error::limit("nodes", total, limits.nodes));
        }
        let shift = Shift {
            node: self.nodes.len() as NodeId,
            leaves: other.leaves.iter().zip(0..).map(|(leaf, id)| self.imported_leaf(other, leaf, id)).collect(),
            space: Arc::make_mut(&mut self.spaces).append(&other.spaces)?,
        };
        self.nodes.extend(other.nodes.iter().map(|node| shift.node(node)));
        self.longest = self.longest.max(other.longest);
        self.nesting = self.nesting.max(other.nesting);
        self.was_left_recursive |= other.was_left_recursive;
        other.controls.iter().for_each(|name| self.add_control(name));
        Ok(other.root + shift.node)
    }

    /// A leaf of another graph. One with a bound on its tokens is never shared: each part counts its own.
    fn imported_leaf(&mut self, other: &Self, leaf: &Leaf, id: LeafId) -> LeafId {
        match other.bound_of(id) {
            Some(bound) => self.bounded_leaf(leaf.clone(), bound.most, bound.farthest),
            None => self.leaf(leaf.clone()),
        }
    }
}

/// Renumbering of an imported graph.
struct Shift {
    node: NodeId,
    leaves: Vec<LeafId>,
    space: SpaceState,
}

impl Shift {
    fn leaf(&self, leaf: LeafId) -> LeafId {
        self.leaves[leaf as usize]
    }

    fn all(&self, nodes: &[NodeId]) -> Box<[NodeId]> {
        nodes.iter().map(|node| node + self.node).collect()
    }

    fn node(&self, node: &Node) -> Node {
        match node {
            Node::Never => Node::Never,
            Node::Empty => Node::Empty,
            Node::Literals(texts) => Node::Literals(Arc::clone(texts)),
            Node::Lexicon(lexicon) => Node::Lexicon(Arc::clone(lexicon)),
            Node::Pieces(pieces, writing) => Node::Pieces(pieces.clone(), *writing),
            Node::Regular(leaf) => Node::Regular(self.leaf(*leaf)),
            Node::Text { leaf, low, high } => Node::Text { leaf: self.leaf(*leaf), low: *low, high: *high },
            Node::Object(object) => Node::Object(Arc::new(self.object(object))),
            Node::Array(array) => Node::Array(Arc::new(self.array(array))),
            Node::Sequence(parts) => Node::Sequence(self.all(parts)),
            Node::Choice(options) => Node::Choice(self.all(options)),
            Node::Repeat { body, low, high } => Node::Repeat { body: body + self.node, low: *low, high: *high },
            Node::Distinct(leaves) => Node::Distinct(leaves.iter().map(|leaf| self.leaf(*leaf)).collect()),
            Node::Rule(target) => Node::Rule(target + self.node),
            Node::Tail(tail) => Node::Tail(Arc::clone(tail)), // made by compiling, and compiled graphs are not imported
        }
    }

    fn pairs(&self, pairs: &[(NodeId, u32)]) -> Box<[(NodeId, u32)]> {
        pairs.iter().map(|&(node, bits)| (node + self.node, bits)).collect()
    }

    fn object(&self, object: &Object) -> Object {
        let members = object.members.iter().map(|member| Member {
            value: member.value + self.node,
            witnesses: self.pairs(&member.witnesses),
            ..member.clone()
        });
        let undeclared = object.undeclared.iter().map(|kind| UndeclaredKind {
            name: self.leaf(kind.name),
            most: kind.most,
            value: kind.value + self.node,
            witnesses: self.pairs(&kind.witnesses),
        });
        Object {
            members: members.collect(),
            undeclared: undeclared.collect(),
            layout: object.layout.shifted(self.space),
            separator: object.separator.map(|separator| separator + self.node),
            names: object.names.clone(),
            implied: object.implied.clone(),
            conditions: object.conditions.clone(),
            ..*object
        }
    }

    fn array(&self, array: &Array) -> Array {
        Array {
            prefix: self.all(&array.prefix).into(),
            rest: array.rest.map(|rest| rest + self.node),
            kinds: array.kinds.clone(),
            differing: array.differing.clone(),
            ways: array.ways.iter().map(|ways| self.pairs(ways).into()).collect(),
            layout: array.layout.shifted(self.space),
            ..*array
        }
    }
}
