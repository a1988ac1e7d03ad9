//! Which nodes hold no further text of themselves in what must come.
//!
//! ```text
//! {"a": <number or {"b": ...}>}    "b" must come, and holds no such number or object       bounded
//! tree = null | {"left": tree}     every text of the second alternative holds a tree       not bounded
//! ```
//!
//! All alternatives of a bounded node can be followed to their ends, one inside the other: these ways come to an end. Of
//! the others, only those that lead nearer to the end are followed.
//!
//! Cost: once for a graph, when a budget first asks for it: a few nanoseconds a node. Members and items that
//! need not come do not count, as no way to the end leads through them.

use super::{CompiledGraph, NodeId};

impl CompiledGraph {
    /// By node, whether it is bounded: none of the parts that must come leads back to a node that holds it.
    pub(super) fn find_bounded(&self) -> Box<[bool]> {
        let nodes = self.nodes() as usize;
        let (mut holders, mut open_parts) = (vec![Vec::new(); nodes], vec![0_u32; nodes]);
        for node in 0..self.nodes() {
            self.node(node).each_necessary_part(|part| {
                holders[part as usize].push(node);
                open_parts[node as usize] += 1;
            });
        }
        let mut bounded = vec![false; nodes];
        let mut open: Vec<NodeId> = (0..self.nodes()).filter(|&node| open_parts[node as usize] == 0).collect();
        while let Some(node) = open.pop() {
            bounded[node as usize] = true;
            for &holder in &holders[node as usize] {
                open_parts[holder as usize] -= 1;
                open.extend((open_parts[holder as usize] == 0).then_some(holder));
            }
        }
        bounded.into()
    }
}
