//! The copies of a grammar's parts, each between two states, as a graph.
//!
//! ```text
//! s(0>2)      Choice(Sequence("(" 0>1, s 1>2, ...), ...)      where only one state comes between parts: one sequence
//! ```
//!
//! Copies are written from whole texts down, so nothing is in the graph that no text needs. What does not change
//! the state, however often it comes, stays a repetition with its counts.
//!
//! Cost: a node for each copy, and one for each way through a sequence.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::{Graph, Leaf, Lexicon, Node, NodeId};
use super::terminals::{Restricted, texts_of};
use super::{EntryId, Product, Symbol, after_round, too_many_parts};
use crate::error::Result;
use crate::interrupt::count;
use crate::regular::{Encoding, State};

/// Copies under construction.
pub struct Copies<'p, 'g> {
    product: &'p mut Product<'g>,
    graph: Graph,
    made: FxHashMap<(EntryId, State), NodeId>,
    /// Copies whose numbers are known, and which are still to be written.
    to_write: Vec<(EntryId, State)>,
    empty: Option<NodeId>,
}

/// A way through a part: what it begins with, and what remains.
type Way = ((EntryId, State), (EntryId, State));

impl<'p, 'g> Copies<'p, 'g> {
    /// The graph of whole texts, which begin with an entry, if there are any.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when it is too large.
    pub fn of(product: &'p mut Product<'g>, root: Option<EntryId>) -> Result<Graph> {
        let mut graph = Graph::default();
        (graph.nesting, graph.longest) = (product.graph.nesting + 1, product.graph.longest);
        let (made, to_write) = (FxHashMap::default(), Vec::new());
        let mut copies = Self { product, graph, made, to_write, empty: None };
        let ends = root.map_or(&[][..], |root| &copies.product.entries[root as usize].exits).to_vec();
        let is_accepting = |end: &&State| copies.product.regular.accepting[**end as usize];
        let ends: Vec<State> = ends.iter().filter(is_accepting).copied().collect();
        let options = ends.iter().filter_map(|&end| root.map(|root| copies.copy(root, end))).collect();
        copies.graph.root = copies.graph.choice(options);
        while let Some((entry, exit)) = copies.to_write.pop() {
            let node = copies.write(entry, exit)?;
            let place = copies.made[&(entry, exit)];
            copies.graph.nodes[place as usize] = node;
            copies.check_size()?;
        }
        Ok(copies.graph)
    }

    fn check_size(&self) -> Result<()> {
        let (parts, most) = (self.graph.nodes.len(), self.product.limits.product_parts);
        if parts > most { Err(too_many_parts(parts, most)) } else { Ok(()) }
    }

    /// The node of a copy, perhaps still to be written.
    fn copy(&mut self, entry: EntryId, exit: State) -> NodeId {
        if let Some(&known) = self.made.get(&(entry, exit)) {
            return known;
        }
        let new = self.graph.add(Node::Never);
        self.made.insert((entry, exit), new);
        self.to_write.push((entry, exit));
        new
    }

    fn empty(&mut self) -> NodeId {
        let graph = &mut self.graph;
        *self.empty.get_or_insert_with(|| graph.add(Node::Empty))
    }

    /// Whether an entry ends in a state.
    fn ends(&self, entry: EntryId, exit: State) -> bool {
        self.product.facts.contains(&(entry, exit))
    }

    /// What a copy is.
    fn write(&mut self, entry: EntryId, exit: State) -> Result<Node> {
        let (symbol, from) = (self.product.entries[entry as usize].symbol, self.product.entries[entry as usize].from);
        match symbol {
            Symbol::Node(node) => self.write_node(node, from, exit),
            Symbol::Suffix(..) => Ok(self.write_suffix(entry, exit)),
            Symbol::Rounds(body, low, high) => Ok(self.write_rounds((body, low, high), from, exit)),
        }
    }

    fn write_node(&mut self, node: NodeId, from: State, exit: State) -> Result<Node> {
        let graph = self.product.graph;
        match &graph.nodes[node as usize] {
            Node::Never => Ok(Node::Never),
            Node::Empty => Ok(Node::Empty),
            Node::Choice(options) => Ok(self.write_choice(options, from, exit)),
            Node::Rule(target) => Ok(self.write_choice(&[*target], from, exit)),
            Node::Literals(_) | Node::Lexicon(_) => self.write_texts(node, from, exit),
            _ => self.write_terminal(node, from, exit),
        }
    }

    fn write_choice(&mut self, options: &[NodeId], from: State, exit: State) -> Node {
        let mut kept = Vec::with_capacity(options.len());
        for &option in options {
            count(1);
            let entry = self.product.find(Symbol::Node(option), from);
            if let Some(entry) = entry.filter(|&entry| self.ends(entry, exit)) {
                kept.push(self.copy(entry, exit));
            }
        }
        choice(kept)
    }

    /// The texts of a set that lead from one state to another.
    fn write_texts(&mut self, node: NodeId, from: State, exit: State) -> Result<Node> {
        let source = self.product.graph;
        let regular = &self.product.regular;
        let all: Vec<&str> = texts_of(source, node).into_iter().flatten().collect();
        let kept: Vec<&str> = all.iter().copied().filter(|text| regular.walk(from, text) == exit).collect();
        if kept.len() == all.len() {
            return Ok(source.nodes[node as usize].clone());
        }
        if let Node::Lexicon(_) = source.nodes[node as usize] {
            let kept = Arc::new(Lexicon::of(&kept)?);
            let node = self.graph.texts_of(&kept, self.product.limits.tree_bytes);
            return Ok(Node::Rule(node));
        }
        Ok(self.graph.texts(kept.into_iter().map(str::as_bytes)))
    }

    /// The texts of a terminal that lead from one state to another.
    fn write_terminal(&mut self, node: NodeId, from: State, exit: State) -> Result<Node> {
        let Product { graph, regular, terminals, limits, .. } = &mut *self.product;
        match terminals.restrict(graph, node, (regular, from, exit), limits)? {
            Restricted::Part(tree) => {
                let leaf = Leaf { tree, encoding: Encoding::Text };
                Ok(Node::Regular(self.graph.leaf(leaf)))
            }
            Restricted::Whole => Ok(match &graph.nodes[node as usize] {
                Node::Regular(leaf) => Node::Regular(self.graph.leaf(graph.leaves[*leaf as usize].clone())),
                Node::Text { leaf, low, high } => {
                    let leaf = self.graph.leaf(graph.leaves[*leaf as usize].clone());
                    Node::Text { leaf, low: *low, high: *high }
                }
                other => other.clone(),
            }),
        }
    }

    /// The ways from the first part of a suffix to its end.
    fn ways(&self, entry: EntryId, exit: State) -> Vec<Way> {
        let Product { entries, .. } = &*self.product;
        let (symbol, from) = (entries[entry as usize].symbol, entries[entry as usize].from);
        let (first, rest) = match symbol {
            Symbol::Suffix(node, at) => match self.product.parts(node).get(at as usize) {
                Some(&first) => (first, Symbol::Suffix(node, at + 1)),
                None => return Vec::new(),
            },
            Symbol::Rounds(body, ..) => (body, after_round(symbol)),
            Symbol::Node(_) => return Vec::new(),
        };
        let Some(first) = self.product.find(Symbol::Node(first), from) else { return Vec::new() };
        let mut ways = Vec::new();
        for &between in &entries[first as usize].exits {
            count(2);
            let rest = self.product.find(rest, between).filter(|&rest| self.ends(rest, exit));
            ways.extend(rest.map(|rest| ((first, between), (rest, exit))));
        }
        ways
    }

    fn write_suffix(&mut self, entry: EntryId, exit: State) -> Node {
        let (mut parts, mut at) = (Vec::new(), entry);
        loop {
            let ways = self.ways(at, exit);
            match &ways[..] {
                [((first, between), (rest, _))] => {
                    parts.push(self.copy(*first, *between));
                    at = *rest;
                    if !matches!(self.product.entries[at as usize].symbol, Symbol::Suffix(..)) {
                        parts.push(self.copy(at, exit));
                        return Node::Sequence(parts.into());
                    }
                }
                [] if parts.is_empty() => return Node::Empty, // a sequence of no parts
                [] => return Node::Sequence(parts.into()),
                _ if parts.is_empty() => return choice(self.sequences(&ways)),
                _ => {
                    parts.push(self.copy(at, exit));
                    return Node::Sequence(parts.into());
                }
            }
        }
    }

    fn sequences(&mut self, ways: &[Way]) -> Vec<NodeId> {
        let mut all = Vec::with_capacity(ways.len());
        for &((first, between), (rest, exit)) in ways {
            let parts = [self.copy(first, between), self.copy(rest, exit)];
            all.push(self.graph.add(Node::Sequence(parts.into())));
        }
        all
    }

    fn write_rounds(&mut self, (body, low, high): (NodeId, u32, u32), from: State, exit: State) -> Node {
        let symbol = Symbol::Rounds(body, low, high);
        let body = self.product.find(Symbol::Node(body), from).filter(|_| high > 0);
        let exits = body.map_or(&[][..], |body| &self.product.entries[body as usize].exits);
        if exits.iter().all(|&end| end == from) {
            return match body.filter(|_| exit == from && !exits.is_empty()) {
                Some(body) => Node::Repeat { body: self.copy(body, from), low, high },
                None => Node::Empty,
            };
        }
        let Some(entry) = self.product.find(symbol, from) else { return Node::Never };
        let ways = self.ways(entry, exit);
        let mut options = self.sequences(&ways);
        if low == 0 && from == exit {
            options.push(self.empty());
        }
        choice(options)
    }
}

/// Any of some nodes.
fn choice(options: Vec<NodeId>) -> Node {
    match options[..] {
        [] => Node::Never,
        [only] => Node::Rule(only),
        _ => Node::Choice(options.into()),
    }
}
