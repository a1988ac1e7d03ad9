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

use super::{CompiledGraph, Node, NodeId};

impl CompiledGraph {
    /// By node, whether it is bounded: none of the parts that must come leads back to a node that holds it.
    pub(super) fn find_bounded(&self) -> Box<[bool]> {
        let nodes = self.nodes() as usize;
        let (mut holders, mut open_parts) = (vec![Vec::new(); nodes], vec![0_u32; nodes]);
        for node in 0..self.nodes() {
            self.each_necessary_part(node, |part| {
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

    /// The nodes that a shortest way through a node may lead through.
    fn each_necessary_part(&self, node: NodeId, mut visit: impl FnMut(NodeId)) {
        match self.node(node) {
            Node::Object(object) => {
                let is_counted = object.low > 0 || object.tracks_values() || object.tails > 0;
                let may_have_to_come = |index: u32| {
                    is_counted
                        || object.members[index as usize].required
                        || object.implied.iter().any(|&(_, implied)| implied == index)
                };
                for (member, _) in object.members.iter().zip(0..).filter(|&(_, index)| may_have_to_come(index)) {
                    visit(member.value);
                    member.witnesses.iter().for_each(|&(witness, _)| visit(witness));
                }
                for kind in object.undeclared.iter().filter(|_| is_counted) {
                    visit(kind.value);
                    kind.witnesses.iter().for_each(|&(witness, _)| visit(witness));
                }
            }
            Node::Array(array) => {
                let least = array.low as usize;
                array.prefix.iter().take(least).for_each(|&item| visit(item));
                array.rest.iter().filter(|_| least > array.prefix.len()).for_each(|&item| visit(item));
                array.ways.iter().flatten().for_each(|&(item, _)| visit(item));
            }
            Node::Sequence(parts) | Node::Choice(parts) => parts.iter().for_each(|&part| visit(part)),
            Node::Repeat { body, low, .. } if *low > 0 => visit(*body),
            Node::Rule(target) => visit(*target),
            Node::Tail(tail) => {
                tail.ways.iter().for_each(|&(value, _)| visit(value));
                tail.ways.iter().for_each(|(_, rest)| visit(rest.object));
                let positions = tail.continuations.iter().flat_map(|after| after.positions.iter());
                positions.for_each(|position| visit(position.object));
            }
            _ => {}
        }
    }
}
