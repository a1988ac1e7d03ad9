//! The least solution of the equations of shortest texts, the shortest text first.
//!
//! ```text
//! a: "x" b | c      b: "y"      c: a "z"        "x" and "y" are known, so b = 1, then a = 2, then c = 3
//! ```
//!
//! Knuth's generalisation of Dijkstra's algorithm (A generalization of Dijkstra's algorithm, 1977): no text is shorter than
//! its parts, so the shortest of the texts found so far is final, and tells those that hold it what they may be. A node that
//! needs all its parts is looked at once, when the last of them is known. An object or array that some of its parts
//! complete is looked at when their number has doubled, and once more when nothing else is left: smaller ones first.
//!
//! Cost: a visit for each part of each node, and a heap of the nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Facts, Graph, INFINITE, LayoutCosts, Node, NodeId};
use crate::interrupt::count;

/// Units of work of an object or array that is looked at, for each of so many parts.
const PARTS_OF_UNIT: u32 = 8;

/// The search for the shortest texts of a graph.
pub(super) struct ShortestFirst<'f> {
    facts: &'f mut Facts,
    graph: &'f Graph,
    costs: &'f LayoutCosts,
    holders: Holders,
    /// By node: its necessary parts.
    parts: Vec<u32>,
    /// By node: how many of these are known.
    known_parts: Vec<u32>,
    /// By node: whether its holders know of it.
    is_known: Vec<bool>,
    /// By node: whether it is in `postponed`.
    is_postponed: Vec<bool>,
    /// Texts to tell holders about, the shortest first.
    found: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// Objects and arrays to look at when no text is left, by their parts.
    postponed: BinaryHeap<Reverse<(u32, NodeId)>>,
}

/// By node: those that it is a necessary part of.
struct Holders {
    /// By node: where its holders begin; one more at the end.
    starts: Vec<u32>,
    all: Vec<NodeId>,
}

impl Holders {
    fn new(graph: &Graph) -> Self {
        let mut starts = vec![0_u32; graph.nodes.len() + 1];
        graph.nodes.iter().for_each(|node| node.each_necessary_part(|part| starts[part as usize] += 1));
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum; // where they end: filling them in from the end makes it the start
        }
        let mut all = vec![0; sum as usize];
        for (node, holder) in graph.nodes.iter().zip(0..) {
            node.each_necessary_part(|part| {
                starts[part as usize] -= 1;
                all[starts[part as usize] as usize] = holder;
            });
        }
        Self { starts, all }
    }

    fn range(&self, node: NodeId) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }
}

impl<'f> ShortestFirst<'f> {
    /// Begins with the texts that were found before, which may be longer than the shortest ones.
    pub fn new(facts: &'f mut Facts, graph: &'f Graph, costs: &'f LayoutCosts) -> Self {
        let mut parts = vec![0; graph.nodes.len()];
        for (node, parts) in graph.nodes.iter().zip(&mut parts) {
            node.each_necessary_part(|_| *parts += 1);
        }
        let found = (0..graph.nodes.len() as NodeId).map(|node| (facts.shortest(node), node));
        let found = found.filter(|&(shortest, _)| shortest < INFINITE).map(Reverse).collect();
        let (known_parts, flags) = (vec![0; graph.nodes.len()], vec![false; graph.nodes.len()]);
        let (holders, postponed) = (Holders::new(graph), BinaryHeap::new());
        let (is_known, is_postponed) = (flags.clone(), flags);
        Self { facts, graph, costs, holders, parts, known_parts, is_known, is_postponed, found, postponed }
    }

    /// Finds the shortest texts of all nodes.
    pub fn solve(mut self) {
        loop {
            while let Some(Reverse((length, node))) = self.found.pop() {
                if length == self.facts.shortest(node) {
                    self.tell_holders(node);
                }
            }
            let Some(Reverse((_, node))) = self.postponed.pop() else { break };
            self.is_postponed[node as usize] = false;
            self.look_at(node);
        }
    }

    /// Tells the nodes that a node is a part of how short it can be.
    fn tell_holders(&mut self, node: NodeId) {
        let is_news = !std::mem::replace(&mut self.is_known[node as usize], true);
        for at in self.holders.range(node) {
            count(1);
            let holder = self.holders.all[at];
            self.known_parts[holder as usize] += u32::from(is_news);
            self.consider(holder, node);
        }
    }

    /// Looks at a node of which a part was found to be shorter, if that can matter.
    fn consider(&mut self, node: NodeId, part: NodeId) {
        let (known, all) = (self.known_parts[node as usize], self.parts[node as usize]);
        match &self.graph.nodes[node as usize] {
            Node::Choice(_) | Node::Rule(_) => self.lower(node, self.facts.shortest(part)),
            _ if known == all => self.look_at(node),
            node if node.needs_all_parts() => {}
            _ if known.is_power_of_two() => self.look_at(node),
            _ if self.is_postponed[node as usize] => {}
            _ => {
                self.is_postponed[node as usize] = true;
                self.postponed.push(Reverse((all, node)));
            }
        }
    }

    /// Solves the equation of a node.
    fn look_at(&mut self, node: NodeId) {
        count(1 + (self.parts[node as usize] / PARTS_OF_UNIT) as usize);
        let length = self.facts.equation(&self.graph.nodes[node as usize], self.graph, self.costs);
        self.lower(node, length);
    }

    /// Notes that a node has a text of some length.
    fn lower(&mut self, node: NodeId, length: u32) {
        if self.facts.lower(node, length) {
            self.found.push(Reverse((length, node)));
        }
    }
}
