//! Where the terminals of a grammar lead in an automaton, and the texts that lead there.
//!
//! ```text
//! [a-z]+ beside .{2}    from 0: to 1 by [a-z], to 2 by [a-z]{2}
//! ```
//!
//! Cost: an automaton for each terminal, made once; a run of both for each state that it begins in, made again where its texts
//! are asked for. Sets of texts are walked one by one.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::super::{Graph, Node, NodeId};
use super::too_many_parts;
use crate::error::Result;
use crate::interrupt::count;
use crate::language::regular_form::{bound, tree_of_leaf};
use crate::limits::Limits;
use crate::regular::{Deterministic, LEFT, Meeting, Regular, State};

/// The states that a terminal may end in: mostly one.
pub type Exits = SmallVec<[State; 1]>;

/// The terminals that are known, each once.
#[derive(Default)]
pub struct Terminals {
    meetings: IndexMap<Regular, Meeting, FxBuildHasher>,
    by_node: FxHashMap<NodeId, usize>,
}

/// What becomes of a terminal between two states.
pub enum Restricted {
    /// It stays as it is.
    Whole,
    /// A part of its texts.
    Part(Regular),
}

impl Terminals {
    /// The states that a terminal may end in, from one that it begins in.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when it has too many states.
    pub fn exits(
        &mut self,
        graph: &Graph,
        node: NodeId,
        (regular, from): (&Deterministic, State),
        limits: &Limits,
    ) -> Result<Exits> {
        if let Some(texts) = texts_of(graph, node) {
            let mut exits: Exits = texts.map(|text| regular.walk(from, text)).filter(|&exit| exit != LEFT).collect();
            exits.sort_unstable();
            exits.dedup();
            return Ok(exits);
        }
        let most = limits.product_parts;
        let run = self.meeting(graph, node, regular, limits)?.run(regular, from, most);
        run.map(|run| Exits::from_slice(&run.exits)).ok_or_else(|| too_many_parts(most + 1, most))
    }

    /// The texts of a terminal between two states. It is none of a set of texts.
    ///
    /// # Errors
    /// As [`Terminals::exits`].
    pub fn restrict(
        &mut self,
        graph: &Graph,
        node: NodeId,
        (regular, from, exit): (&Deterministic, State, State),
        limits: &Limits,
    ) -> Result<Restricted> {
        let most = limits.product_parts;
        let run = self.meeting(graph, node, regular, limits)?.run(regular, from, most);
        let run = run.ok_or_else(|| too_many_parts(most + 1, most))?;
        count(run.len());
        Ok(if run.is_whole() { Restricted::Whole } else { Restricted::Part(run.part(exit)) })
    }

    /// The automaton of a terminal beside the other one.
    fn meeting(&mut self, graph: &Graph, node: NodeId, regular: &Deterministic, limits: &Limits) -> Result<&Meeting> {
        if let Some(&known) = self.by_node.get(&node) {
            return Ok(&self.meetings[known]);
        }
        let tree = tree_of_terminal(graph, node)?;
        let place = if let Some(known) = self.meetings.get_index_of(&tree) {
            known
        } else {
            let meeting = Meeting::new(Deterministic::new(&tree, limits)?, regular);
            self.meetings.insert_full(tree, meeting).0
        };
        self.by_node.insert(node, place);
        Ok(&self.meetings[place])
    }
}

/// The texts of a node that is a set of them.
pub fn texts_of(graph: &Graph, node: NodeId) -> Option<Box<dyn Iterator<Item = &str> + '_>> {
    // What is not text is a control token, which was refused.
    let texts = |text| std::str::from_utf8(text).ok();
    match &graph.nodes[node as usize] {
        Node::Literals(all) => Some(Box::new(all.iter().filter_map(move |(text, _)| texts(text)))),
        Node::Lexicon(all) => Some(Box::new(all.iter().filter_map(texts))),
        _ => None,
    }
}

/// The texts of a node that is none of a set of them, nor made of others.
fn tree_of_terminal(graph: &Graph, node: NodeId) -> Result<Regular> {
    match &graph.nodes[node as usize] {
        Node::Regular(leaf) => tree_of_leaf(graph, *leaf),
        Node::Text { leaf, low, high } => {
            let tree = tree_of_leaf(graph, *leaf)?;
            let class = tree.class_times().map(|(class, ..)| class.clone());
            Ok(class.map_or(Regular::Never, |class| class.repeat(*low, bound(*high))))
        }
        Node::Pieces(pieces, _) => Ok(pieces.tree()),
        _ => Ok(Regular::Never),
    }
}
