//! The nodes that a text may begin with before anything is read, and which of them begin with each other.
//!
//! ```text
//! Sequence(a?, b, c)     a, b            e = Choice(Sequence(e, "+", t), t)     the choice and the sequence
//! ```
//!
//! Cost: a pass over the graph; a second one only where a node may start with another that may, too. Ranks are found when
//! a machine first asks for them.

use std::slice;

use super::{Facts, Graph, Node, NodeId};

/// In place of the number of a node whose component is complete.
const COMPLETE: u32 = u32::MAX;

/// Tarjan's search for the nodes that lead to each other, with a list in place of calls.
struct Search<'g> {
    /// Where a node leads.
    follow: &'g dyn Fn(NodeId) -> &'g [NodeId],
    /// By node, in the order in which they are met: from 1.
    numbers: Vec<u32>,
    /// By node: the least number that it is known to reach.
    lowest: Vec<u32>,
    met: u32,
    /// Nodes that are under way, each with those that it may begin with, and how many of these were followed.
    path: Vec<(NodeId, &'g [NodeId], usize)>,
    /// Nodes that were met, and whose component is not complete.
    open: Vec<NodeId>,
    recursive: Vec<Vec<NodeId>>,
    /// By node: how many components were complete before its own.
    ranks: Vec<u32>,
    complete: u32,
}

/// The nodes that may come back to themselves without reading a byte: each with those that it begins with and that begin
/// with it.
pub(super) fn find_recursive(facts: &Facts, graph: &Graph) -> Vec<Vec<NodeId>> {
    let deeper = |node: &NodeId| !facts.leftmost(graph, *node).is_empty();
    if !(0..graph.nodes.len() as NodeId).any(|node| facts.leftmost(graph, node).iter().any(deeper)) {
        return Vec::new(); // most often: choices of things that are read at once
    }
    let nodes = graph.nodes.len();
    Search::of(&|node| facts.leftmost(graph, node), nodes, 0..nodes as NodeId).recursive
}

/// By node of a finished graph that a text may come to: a number that is higher than those of all nodes that it begins with.
pub(super) fn ranks(facts: &Facts, graph: &Graph) -> Box<[u32]> {
    Search::of(&|node| facts.leftmost(graph, node), graph.nodes.len(), graph.reached()).ranks.into()
}

/// By node, given where each leads: the number of its strongly connected component; `None` where `from` does not lead to it.
pub(super) fn components(follow: &[Vec<NodeId>], from: NodeId) -> Vec<Option<u32>> {
    let lead = |node: NodeId| &follow[node as usize][..];
    let search = Search::of(&lead, follow.len(), [from]);
    search.ranks.iter().zip(&search.numbers).map(|(&rank, &met)| (met > 0).then_some(rank)).collect()
}

impl<'g> Search<'g> {
    /// Of some of so many nodes, and all that they lead to.
    fn of(follow: &'g dyn Fn(NodeId) -> &'g [NodeId], size: usize, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let none = vec![0; size];
        let (numbers, lowest, ranks) = (none.clone(), none.clone(), none);
        let (path, open, recursive) = (Vec::new(), Vec::new(), Vec::new());
        let mut search = Self { follow, numbers, lowest, met: 0, path, open, recursive, ranks, complete: 0 };
        nodes.into_iter().for_each(|node| search.search_from(node));
        search
    }

    fn search_from(&mut self, start: NodeId) {
        if self.numbers[start as usize] == 0 {
            self.enter(start);
        }
        while let Some((node, firsts, next)) = self.path.last_mut() {
            let (node, first) = (*node, firsts.get(*next).copied());
            *next += 1;
            match first {
                Some(first) if self.numbers[first as usize] == 0 => self.enter(first),
                Some(first) => self.reach(node, first),
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: NodeId) {
        self.met += 1;
        self.numbers[node as usize] = self.met;
        self.lowest[node as usize] = self.met;
        self.open.push(node);
        self.path.push((node, (self.follow)(node), 0));
    }

    /// A node reaches what another one does.
    fn reach(&mut self, node: NodeId, other: NodeId) {
        self.lowest[node as usize] = self.lowest[node as usize].min(self.lowest[other as usize]);
    }

    /// All that a node begins with was followed.
    fn leave(&mut self, node: NodeId) {
        self.path.pop();
        if let Some(&(above, ..)) = self.path.last() {
            self.reach(above, node);
        }
        if self.lowest[node as usize] == self.numbers[node as usize] {
            let first = self.open.iter().rposition(|&open| open == node).unwrap_or(0);
            let component = self.open.split_off(first);
            for &node in &component {
                self.lowest[node as usize] = COMPLETE;
                self.ranks[node as usize] = self.complete;
            }
            self.complete += 1;
            if component.len() > 1 || (self.follow)(node).contains(&node) {
                self.recursive.push(component);
            }
        }
    }
}

impl Facts {
    /// Nodes a text of `node` may start with before anything is read.
    fn leftmost<'g>(&self, graph: &'g Graph, node: NodeId) -> &'g [NodeId] {
        match &graph.nodes[node as usize] {
            Node::Choice(options) => options,
            Node::Rule(node) | Node::Repeat { body: node, .. } => slice::from_ref(node),
            Node::Sequence(parts) => {
                let read = parts.iter().position(|part| !self.nullable(*part));
                &parts[..read.map_or(parts.len(), |read| read + 1)]
            }
            _ => &[],
        }
    }
}
