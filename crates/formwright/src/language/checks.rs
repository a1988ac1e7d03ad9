//! What [`Graph::finish`] does once shortest texts are known: it removes dead ends, and refuses rules that read
//! nothing.
//!
//! ```text
//! Choice(a, Never)       a                      a way that cannot end is never offered
//! rule = rule "x"        refused                it would be entered for ever without reading a byte
//! ```
//!
//! Cost: a pass over the graph each; the second only where a node may start with another that may, too.

use std::slice;
use std::sync::Arc;

use super::{Facts, Graph, INFINITE, Node, NodeId, UndeclaredKind};
use crate::error::{Error, Kind, Result};

/// How far the search for left recursion has come with a node.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    UnderWay,
    Done,
}

impl Facts {
    /// Removes every way into a node without a finite text.
    pub(super) fn prune(&self, graph: &mut Graph) {
        let dead = |node: &NodeId| self.shortest(*node) >= INFINITE;
        if !(0..graph.nodes.len() as NodeId).any(|node| dead(&node)) {
            return;
        }
        for index in 0..graph.nodes.len() {
            let pruned = match &graph.nodes[index] {
                _ if dead(&(index as NodeId)) => Node::Never,
                Node::Choice(options) if options.iter().any(dead) => {
                    Node::Choice(options.iter().filter(|option| !dead(option)).copied().collect())
                }
                Node::Repeat { body, .. } if dead(body) => Node::Empty,
                Node::Array(array) if !array.kinds.is_empty() => continue, // impossible ways have no completion
                Node::Array(array) => {
                    let first_dead =
                        (0..=array.prefix.len() as u32).find(|&i| array.item(i).is_some_and(|item| dead(&item)));
                    let Some(first_dead) = first_dead else { continue };
                    let mut shorter = (**array).clone();
                    shorter.high = shorter.high.min(first_dead);
                    Node::Array(Arc::new(shorter))
                }
                Node::Object(object) => {
                    let never = |value: NodeId, others: &[(NodeId, u32)]| {
                        dead(&value) && others.iter().all(|(other, _)| dead(other))
                    };
                    let mut values = (0..object.values()).map(|member| object.values_of(member));
                    let nameless = |kind: &UndeclaredKind| self.shortest_of_leaf(kind.name) >= INFINITE;
                    if !values.any(|(value, others)| never(value, others)) && !object.undeclared.iter().any(nameless) {
                        continue;
                    }
                    let mut alive = (**object).clone();
                    if alive.conditions.is_none() {
                        alive.undeclared.retain(|kind| !dead(&kind.value) && !nameless(kind));
                    }
                    alive
                        .members
                        .iter_mut()
                        .for_each(|member| member.possible = !never(member.value, &member.witnesses));
                    Node::Object(Arc::new(alive))
                }
                _ => continue,
            };
            graph.nodes[index] = pruned;
        }
    }

    /// A rule that can reach itself without reading a byte would loop for ever.
    pub(super) fn refuse_left_recursion(&self, graph: &Graph) -> Result<()> {
        let deeper = |node: &NodeId| !self.leftmost(graph, *node).is_empty();
        if !(0..graph.nodes.len() as NodeId).any(|node| self.leftmost(graph, node).iter().any(deeper)) {
            return Ok(()); // most often: choices of things that are read at once
        }
        let mut marks = vec![Mark::New; graph.nodes.len()];
        for start in 0..graph.nodes.len() as NodeId {
            if marks[start as usize] == Mark::New && self.reaches_cycle(graph, start, &mut marks) {
                return Err(Error::new(Kind::Language, "language: a rule refers to itself before it reads anything")
                    .hint("rewrite the left recursion as a repetition"));
            }
        }
        Ok(())
    }

    /// Depth-first search along leftmost nodes: whether it comes back to a node that is under way.
    fn reaches_cycle(&self, graph: &Graph, start: NodeId, marks: &mut [Mark]) -> bool {
        let mut stack = vec![(start, self.leftmost(graph, start), 0_usize)];
        marks[start as usize] = Mark::UnderWay;
        while let Some((node, children, next)) = stack.last_mut() {
            let Some(&child) = children.get(*next) else {
                marks[*node as usize] = Mark::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            match marks[child as usize] {
                Mark::UnderWay => return true,
                Mark::New => {
                    marks[child as usize] = Mark::UnderWay;
                    stack.push((child, self.leftmost(graph, child), 0));
                }
                Mark::Done => {}
            }
        }
        false
    }

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
