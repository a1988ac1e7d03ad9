//! Parts of a grammar that are made of single characters, each of which becomes one leaf.
//!
//! ```text
//! word: LETTER+      LETTER: /[a-z]/      one leaf, [a-z]+; else a token of five letters would be five terminals
//! ```
//!
//! Cost: one visit of each node; trees up to a size.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::fusing::{MOST_NODES, Texts, join};
use crate::interrupt::count;
use crate::language::{Graph, Node, NodeId, UNBOUNDED};
use crate::regular::{Encoding, Regular};

/// Makes one leaf of each part that is made of single characters.
pub fn join_characters(graph: &mut Graph) {
    let texts = Finder { graph, known: FxHashMap::default() }.find_all();
    let mut leaves: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    let mut join = |graph: &mut Graph, node: NodeId| match texts.get(&node) {
        Some(Some((tree, _))) if graph.nodes[node as usize].is_made_of_others() => {
            *leaves.entry(node).or_insert_with(|| graph.regular(tree.clone(), Encoding::Text))
        }
        _ => node,
    };
    for node in 0..graph.nodes.len() {
        if texts.get(&(node as NodeId)).is_none_or(Option::is_some) {
            continue; // part of another one, or not reached
        }
        let mut own = graph.nodes[node].clone();
        match &mut own {
            Node::Sequence(all) | Node::Choice(all) => all.iter_mut().for_each(|part| *part = join(graph, *part)),
            Node::Repeat { body: part, .. } | Node::Rule(part) => *part = join(graph, *part),
            _ => continue,
        }
        graph.nodes[node] = own;
    }
    graph.root = join(graph, graph.root);
}

/// Finds the texts of nodes.
struct Finder<'f> {
    graph: &'f Graph,
    /// By node: its texts; `None` while it is looked at, so that what leads to itself has none.
    known: FxHashMap<NodeId, Texts>,
}

impl Finder<'_> {
    /// By node that the root leads to: its texts, if it is made of single characters.
    fn find_all(mut self) -> FxHashMap<NodeId, Texts> {
        let mut open = vec![(self.graph.root, false)];
        while let Some((node, is_seen)) = open.pop() {
            count(1);
            if is_seen {
                let texts = self.texts(node).filter(|(_, size)| *size <= MOST_NODES);
                self.known.insert(node, texts);
            } else if let Entry::Vacant(new) = self.known.entry(node) {
                new.insert(None);
                open.push((node, true));
                open.extend(children(&self.graph.nodes[node as usize]).iter().map(|&child| (child, false)));
            }
        }
        self.known
    }

    fn texts(&self, node: NodeId) -> Texts {
        let of = |node: &NodeId| self.known.get(node).unwrap_or(&None);
        match &self.graph.nodes[node as usize] {
            Node::Empty => Some((Regular::Empty, 1)),
            Node::Literals(texts) => {
                let is_character = |text: &str| text.chars().count() == 1;
                let texts =
                    texts.iter().map(|(text, _)| std::str::from_utf8(text).ok().filter(|text| is_character(text)));
                let texts: Vec<Regular> = texts.map(|text| text.map(Regular::text)).collect::<Option<_>>()?;
                let size = texts.len() + 1;
                Some((Regular::or(texts), size))
            }
            Node::Regular(leaf) if self.graph.bound_of(*leaf).is_none() => {
                let leaf = &self.graph.leaves[*leaf as usize];
                let is_character = matches!(leaf.tree, Regular::Class(_)) && leaf.encoding == Encoding::Text;
                is_character.then(|| (leaf.tree.clone(), 1))
            }
            Node::Sequence(parts) => join(parts.iter().map(of), Regular::concat),
            Node::Choice(parts) => join(parts.iter().map(of), Regular::or),
            Node::Repeat { body, low, high } => {
                let (tree, size) = of(body).clone()?;
                Some((tree.repeat(*low, (*high != UNBOUNDED).then_some(*high)), size + 1))
            }
            Node::Rule(target) => of(target).clone(),
            _ => None,
        }
    }
}

/// What a node is made of.
fn children(node: &Node) -> &[NodeId] {
    match node {
        Node::Sequence(all) | Node::Choice(all) => all,
        Node::Repeat { body, .. } => std::slice::from_ref(body),
        Node::Rule(target) => std::slice::from_ref(target),
        _ => &[],
    }
}
