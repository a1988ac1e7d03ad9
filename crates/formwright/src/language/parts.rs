//! The nodes that a node consists of.
//!
//! ```text
//! {"a": A, "b"?: B}     parts A, B     necessary: A
//! C | D                 parts C, D     necessary: both, as either may be the shortest
//! ```
//!
//! Cost: a visit for each part.

use super::leftmost::components;
use super::{Array, Graph, Node, NodeId, Object};
use crate::interrupt::count;

impl Graph {
    /// Whether some node contains itself with something after it: then stacks have no bound. Not asked of compiled graphs:
    /// those have tails.
    pub fn nests(&self) -> bool {
        let parts = |node: &Node| {
            let mut parts = Vec::new();
            node.each_part(|part| parts.push(part));
            parts
        };
        count(self.nodes.len());
        let follow: Vec<Vec<NodeId>> = self.nodes.iter().map(parts).collect();
        let components = components(&follow, self.root);
        self.nodes.iter().zip(&components).filter(|(_, component)| component.is_some()).any(|(node, component)| {
            let mut is_inside = false;
            node.each_part_before_another(|part| is_inside |= components[part as usize] == *component);
            is_inside
        })
    }

    /// The nodes that the root leads to, each after one that leads to it. All nodes, where there are objects or arrays: these
    /// lead to more than their parts.
    pub(super) fn reached(&self) -> Vec<NodeId> {
        let (mut reached, mut is_met, mut at) = (vec![self.root], vec![false; self.nodes.len()], 0);
        is_met[self.root as usize] = true;
        while let Some(&node) = reached.get(at) {
            let node = &self.nodes[node as usize];
            if matches!(node, Node::Object(_) | Node::Array(_) | Node::Tail(_)) {
                return (0..self.nodes.len() as NodeId).collect();
            }
            node.each_part(|part| {
                if !std::mem::replace(&mut is_met[part as usize], true) {
                    reached.push(part);
                }
            });
            at += 1;
        }
        reached
    }
}

impl Node {
    /// The nodes that it consists of. Those of tails do not matter: in an object with a tail, anything may begin.
    pub fn each_part(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Self::Object(object) => {
                let witnesses = object.members.iter().flat_map(|member| member.witnesses.iter());
                let witnesses = witnesses.chain(object.undeclared.iter().flat_map(|kind| kind.witnesses.iter()));
                witnesses.for_each(|&(witness, _)| visit(witness));
                object.members.iter().for_each(|member| visit(member.value));
                object.undeclared.iter().for_each(|kind| visit(kind.value));
                object.separator.into_iter().for_each(visit);
            }
            Self::Array(array) => {
                array.prefix.iter().chain(&array.rest).for_each(|&item| visit(item));
                array.ways.iter().flatten().for_each(|&(item, _)| visit(item));
            }
            Self::Sequence(parts) | Self::Choice(parts) => parts.iter().for_each(|&part| visit(part)),
            Self::Repeat { body: part, .. } | Self::Rule(part) => visit(*part),
            _ => {}
        }
    }

    /// The nodes that it consists of after which something of it may come.
    fn each_part_before_another(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Self::Sequence(parts) => parts.iter().rev().skip(1).for_each(|&part| visit(part)),
            Self::Choice(_) | Self::Rule(_) => {}
            _ => self.each_part(visit),
        }
    }

    /// The nodes that a shortest way through it may lead through.
    pub(super) fn each_necessary_part(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Self::Object(object) => object.each_necessary_value(visit),
            Self::Array(array) => array.each_necessary_item(visit),
            Self::Sequence(parts) | Self::Choice(parts) => parts.iter().for_each(|&part| visit(part)),
            Self::Repeat { body, low, .. } if *low > 0 => visit(*body),
            Self::Rule(target) => visit(*target),
            Self::Tail(tail) => {
                tail.ways.iter().for_each(|&(value, _)| visit(value));
                tail.ways.iter().for_each(|(_, rest)| visit(rest.object));
                let positions = tail.continuations.iter().flat_map(|after| after.positions.iter());
                positions.for_each(|position| visit(position.object));
            }
            _ => {}
        }
    }

    /// Whether its shortest text has all its necessary parts in it, and not just some of them.
    pub(super) fn needs_all_parts(&self) -> bool {
        match self {
            Self::Object(object) => object.implied.is_empty() && !object.needs_any_members(),
            Self::Array(array) => array.kinds.is_empty() && array.differing.is_none(),
            Self::Choice(_) | Self::Rule(_) | Self::Tail(_) => false,
            _ => true,
        }
    }
}

impl Object {
    /// Whether members may have to come of which none is required.
    fn needs_any_members(&self) -> bool {
        self.low > 0 || self.tracks_values() || self.tails > 0
    }

    fn each_necessary_value(&self, mut visit: impl FnMut(NodeId)) {
        let is_counted = self.needs_any_members();
        let may_have_to_come = |index: u32| {
            is_counted
                || self.members[index as usize].required
                || self.implied.iter().any(|&(_, implied)| implied == index)
        };
        for (member, _) in self.members.iter().zip(0..).filter(|&(_, index)| may_have_to_come(index)) {
            visit(member.value);
            member.witnesses.iter().for_each(|&(witness, _)| visit(witness));
        }
        for kind in self.undeclared.iter().filter(|_| is_counted) {
            visit(kind.value);
            kind.witnesses.iter().for_each(|&(witness, _)| visit(witness));
        }
    }
}

impl Array {
    fn each_necessary_item(&self, mut visit: impl FnMut(NodeId)) {
        let least = self.low as usize;
        self.prefix.iter().take(least).for_each(|&item| visit(item));
        self.rest.iter().filter(|_| least > self.prefix.len()).for_each(|&item| visit(item));
        self.ways.iter().flatten().for_each(|&(item, _)| visit(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::{Encoding, Regular};
    use crate::syntax::json_schema::{Options, json_schema};

    #[test]
    fn objects_and_arrays_inside_themselves_nest() {
        let nests = |schema: &str| json_schema(schema, &Options::default()).unwrap().graph().nests();
        assert!(nests(r##"{"type": "array", "items": {"$ref": "#"}}"##));
        let [tree, pair] = [r##"{"properties": {"a": {"$ref": "#/$defs/t"}}}"##, r#"{"const": 1}"#].map(|part| {
            format!(
                r##"{{"$defs": {{"t": {part}}}, "type": "array", "items": {{"$ref": "#/$defs/t"}}, "maxItems": 2}}"##
            )
        });
        assert!(nests(&tree) && !nests(&pair));
    }

    #[test]
    fn what_no_text_comes_to_is_not_reached() {
        let mut graph = Graph::default();
        let leaf = graph.regular(Regular::text("a"), Encoding::Text);
        let lonely = graph.add(Node::Rule(leaf));
        let rule = graph.add(Node::Never);
        graph.root = graph.add(Node::Sequence([rule, leaf].into()));
        graph.nodes[rule as usize] = Node::Choice([leaf, graph.root].into());
        assert_eq!(graph.reached(), [graph.root, rule, leaf]);
        let array = json_schema(r#"{"items": {"const": 1}, "type": "array"}"#, &Options::default()).unwrap();
        let array = graph.import(array.graph(), &crate::limits::Limits::default()).unwrap();
        graph.nodes[rule as usize] = Node::Choice([leaf, array].into());
        assert!(graph.reached().contains(&lonely) && graph.reached().len() == graph.nodes.len());
    }
}
