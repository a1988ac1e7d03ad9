//! What [`Graph::finish`] does once shortest texts are known: it removes dead ends, and rounds that read nothing.
//!
//! ```text
//! Choice(a, Never)       a                      a way that cannot end is never offered
//! Repeat(a?, 2, 5)       Repeat(a?, 0, 5)       "a" is two texts of a?, one of them empty
//! ```
//!
//! Cost: a pass over the graph each.

use std::sync::Arc;

use super::{Facts, Graph, INFINITE, Node, NodeId, UndeclaredKind};

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

    /// Lets every round of a repetition read something: a body that may be empty fills up what is missing.
    pub(super) fn count_rounds_that_read(&self, graph: &mut Graph) {
        for node in &mut graph.nodes {
            match node {
                Node::Repeat { high: 0, .. } => *node = Node::Empty,
                Node::Repeat { body, low, .. } if self.nullable(*body) => *low = 0,
                _ => {}
            }
        }
    }
}
