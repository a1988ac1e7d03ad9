//! Which bytes may follow a node, wherever it is.
//!
//! ```text
//! list: "[" item ("," item)* "]"        after item: `,` and `]`        after list: what may follow the rules that end with it
//! ```
//!
//! Cost: a visit of each node, and one of those that learnt something after theirs, found once for a language, when a walk
//! asks.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{CompiledGraph, LeafId, Node, NodeId};
use crate::regular::ByteSet;

/// Index of a set of bytes that may follow something.
pub type FollowId = u32;

/// What may follow the nodes and leaves of a graph.
#[derive(Debug, Default)]
pub struct Follows {
    sets: Vec<ByteSet>,
    of_node: Box<[FollowId]>,
    of_leaf: FxHashMap<LeafId, FollowId>,
}

impl Follows {
    pub(super) fn of(graph: &CompiledGraph) -> Self {
        let follow = find(graph);
        let mut by_leaf: FxHashMap<LeafId, ByteSet> = FxHashMap::default();
        for (node, set) in (0..).zip(&follow) {
            match graph.node(node) {
                Node::Regular(leaf) | Node::Text { leaf, .. } => {
                    let all = by_leaf.entry(*leaf).or_default();
                    *all = all.union(set);
                }
                // After names and items, what comes is not told apart.
                Node::Object(object) => by_leaf.extend(object.undeclared.iter().map(|kind| (kind.name, ByteSet::ALL))),
                Node::Distinct(leaves) => by_leaf.extend(leaves.iter().map(|&leaf| (leaf, ByteSet::ALL))),
                _ => {}
            }
        }
        let (mut made, mut ids) = (Self::default(), FxHashMap::default());
        made.of_node = follow.into_iter().map(|set| made.id(&mut ids, set)).collect();
        made.of_leaf = by_leaf.into_iter().map(|(leaf, set)| (leaf, made.id(&mut ids, set))).collect();
        made
    }

    fn id(&mut self, ids: &mut FxHashMap<ByteSet, FollowId>, set: ByteSet) -> FollowId {
        *ids.entry(set).or_insert_with(|| {
            self.sets.push(set);
            self.sets.len() as FollowId - 1
        })
    }

    /// The bytes of a set.
    pub fn bytes(&self, id: FollowId) -> ByteSet {
        self.sets.get(id as usize).copied().unwrap_or(ByteSet::ALL)
    }

    /// What may follow a node.
    pub fn of_node(&self, node: NodeId) -> FollowId {
        self.of_node[node as usize]
    }

    /// What may follow the nodes of a leaf.
    pub fn of_leaf(&self, leaf: LeafId) -> FollowId {
        self.of_leaf.get(&leaf).copied().unwrap_or(FollowId::MAX)
    }
}

/// By node: the bytes that may follow it.
fn find(graph: &CompiledGraph) -> Vec<ByteSet> {
    const IN_JSON: ByteSet = ByteSet::of(b",:]} \t\r\n");
    let mut follow = vec![ByteSet::default(); graph.nodes() as usize];
    let mut open = VecDeque::from(graph.reached());
    let mut is_open = vec![false; follow.len()];
    for &node in &open {
        is_open[node as usize] = true;
    }
    while let Some(node) = open.pop_front() {
        is_open[node as usize] = false;
        let own = follow[node as usize];
        let mut tell = |child: NodeId, set: &ByteSet| {
            let known = &mut follow[child as usize];
            let all = known.union(set);
            if all != *known {
                *known = all;
                if !std::mem::replace(&mut is_open[child as usize], true) {
                    open.push_back(child);
                }
            }
        };
        match graph.node(node) {
            Node::Sequence(parts) => {
                let mut after = own;
                for &part in parts.iter().rev() {
                    tell(part, &after);
                    after =
                        if graph.facts.nullable(part) { after.union(&graph.first(part)) } else { graph.first(part) };
                }
            }
            Node::Choice(options) => options.iter().for_each(|&option| tell(option, &own)),
            Node::Rule(target) => tell(*target, &own),
            Node::Repeat { body, high: ..=1, .. } => tell(*body, &own),
            Node::Repeat { body, .. } => tell(*body, &own.union(&graph.first(*body))),
            Node::Array(array) => {
                let items = array.prefix.iter().chain(&array.rest).copied();
                let counted = array.ways.iter().flatten().map(|&(item, _)| item);
                items.chain(counted).for_each(|item| tell(item, &IN_JSON));
            }
            Node::Object(object) => {
                let after = object.separator.map_or(IN_JSON, |separator| own.union(&graph.first(separator)));
                object.separator.into_iter().for_each(|separator| tell(separator, &ByteSet::of(b"\"")));
                for (value, others) in (0..object.values()).map(|member| object.values_of(member)) {
                    tell(value, &after);
                    for &(other, _) in others {
                        tell(other, &after);
                    }
                }
            }
            Node::Tail(tail) => tail.ways.iter().for_each(|&(value, _)| tell(value, &IN_JSON)),
            _ => {}
        }
    }
    follow
}
