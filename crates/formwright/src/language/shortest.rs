//! How short can a text be? The least fixpoint that also proves that texts exist.
//!
//! `shortest[n]` is the number of bytes of the shortest text of node `n` ([`INFINITE`] if it has no finite text): the
//! least solution of one equation for each node (Knuth 1977).
//!
//! ```text
//! 0: Array(items 1, at least 2)   shortest[0] = 2 + 2·shortest[1] + 1      1: Literals(10, 7)   shortest[1] = 1
//! ```
//!
//! It drives three things: nodes without a finite text are pruned, a language without one is refused, and the token
//! budget knows how far the end is.
//!
//! Cost: one pass over the graph if children come after their parents, as most do in a schema without recursion; else
//! a few, in both directions.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::plain_shortest::plain_shortest;
use super::text_lengths::TextLengths;
use super::{Array, Graph, Layout, LayoutCosts, Leaf, LeafId, MinimumLengths, Node, NodeId, Object, shortest_cache};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::{Automaton, Encoding, Regular};

/// "No finite text". Sums of a few of these do not overflow.
pub const INFINITE: u32 = u32::MAX / 8;

/// What was proved about every node of a graph.
#[derive(Clone, Debug)]
pub struct Facts {
    shortest: Vec<u32>,
    nullable: Vec<bool>,
    leaves: Vec<u32>,
    /// Automata that had to be built to know whether a leaf is empty, or how long its shortest text is.
    built: Vec<Option<Arc<Automaton>>>,
    /// Of the leaves of which several texts may have to come that all differ.
    texts: FxHashMap<LeafId, Arc<Texts>>,
}

/// The texts of a leaf, counted if somebody asks: where few of them must come, nobody does.
#[derive(Debug)]
struct Texts {
    leaf: Leaf,
    limits: Limits,
    automaton: OnceLock<Result<Automaton>>,
    lengths: TextLengths,
}

impl Texts {
    fn new(leaf: &Leaf, limits: &Limits) -> Self {
        let (automaton, lengths) = (OnceLock::new(), TextLengths::default());
        Self { leaf: leaf.clone(), limits: limits.clone(), automaton, lengths }
    }

    /// How many have at most `length` bytes, and whether none is longer.
    fn up_to(&self, length: u32) -> (u64, bool) {
        let automaton = self.automaton.get_or_init(|| self.leaf.automaton(&self.limits));
        automaton.as_ref().map_or((u64::MAX, false), |automaton| self.lengths.up_to(automaton, length))
    }

    /// Why they could not be counted.
    fn failure(&self) -> Option<Error> {
        self.automaton.get()?.as_ref().err().cloned()
    }
}

/// Indices of nodes.
type Nodes = SmallVec<[usize; 32]>;

impl Facts {
    /// Solves the equations of `graph`.
    pub fn new(graph: &Graph, limits: &Limits) -> Result<Self> {
        let mut facts = Self {
            shortest: vec![INFINITE; graph.nodes.len()],
            nullable: vec![false; graph.nodes.len()],
            leaves: Vec::with_capacity(graph.leaves.len()),
            built: vec![None; graph.leaves.len()],
            texts: FxHashMap::default(),
        };
        for (index, leaf) in graph.leaves.iter().enumerate() {
            let shortest = if let Regular::Parser(parser) = &leaf.tree {
                let automaton = facts.built[index].insert(parser.automaton(limits)?);
                if automaton.is_never() { INFINITE } else { automaton.shortest(automaton.start().state()) }
            } else if let Some(shortest) = plain_shortest(&leaf.tree, leaf.encoding) {
                shortest.bytes + if leaf.encoding == Encoding::Text { 0 } else { 2 }
            } else {
                shortest_cache::shortest(leaf, limits, || {
                    let automaton = facts.built[index].insert(Arc::new(leaf.automaton(limits)?));
                    Ok(if automaton.is_never() { INFINITE } else { automaton.shortest(automaton.start().state()) })
                })?
            };
            facts.leaves.push(shortest.min(INFINITE));
        }
        for leaf in graph.nodes.iter().flat_map(leaves_of_different_texts) {
            let new = || Arc::new(Texts::new(&graph.leaves[leaf as usize], limits));
            facts.texts.entry(leaf).or_insert_with(new);
        }
        facts.solve(graph);
        facts.texts.values().find_map(|texts| texts.failure()).map_or(Ok(facts), Err)
    }

    /// How many texts of a leaf have at most some length, and whether none is longer. Where no texts must differ, there
    /// is always another one.
    fn texts_up_to(&self, leaf: LeafId, length: u32) -> (u64, bool) {
        self.texts.get(&leaf).map_or((u64::MAX, false), |texts| texts.up_to(length))
    }

    /// Nodes without children are solved first, then all others from the last one on: in schemas parents come first, so
    /// mostly children are solved before their parents, and one pass is enough.
    fn solve(&mut self, graph: &Graph) {
        let costs = LayoutCosts::new(graph);
        let is_alone = |node: &Node| {
            matches!(
                node,
                Node::Literals(_) | Node::Lexicon(_) | Node::Pieces(..) | Node::Regular(_) | Node::Text { .. }
            )
        };
        let (alone, others): (Nodes, Nodes) = (0..graph.nodes.len()).partition(|&at| is_alone(&graph.nodes[at]));
        self.pass(alone.into_iter(), graph, &costs);
        if self.pass(others.iter().rev().copied(), graph, &costs).1 {
            debug_assert!(!self.pass(others.into_iter(), graph, &costs).0, "a solution does not change");
            return;
        }
        // Combinations put children first: passes go both ways.
        while self.pass(others.iter().copied(), graph, &costs).0
            && self.pass(others.iter().rev().copied(), graph, &costs).0
        {}
    }

    /// Solves the equations of some nodes with the values found so far. Whether anything changed, and whether all
    /// values that they read were found.
    fn pass(&mut self, nodes: impl Iterator<Item = usize>, graph: &Graph, costs: &LayoutCosts) -> (bool, bool) {
        let (mut changed, all_found) = (false, Cell::new(true));
        for index in nodes {
            count(1);
            let (shortest, nullable) = self.equation(&graph.nodes[index], graph, costs, &all_found);
            changed |= shortest < self.shortest[index] || nullable != self.nullable[index];
            self.shortest[index] = shortest.min(self.shortest[index]);
            self.nullable[index] |= nullable;
        }
        (changed, all_found.get())
    }

    /// Bytes of the shortest text of a node, and whether that is the empty one. Clears `all_found` if it reads a value
    /// that was not found yet, or is infinite.
    fn equation(&self, node: &Node, graph: &Graph, costs: &LayoutCosts, all_found: &Cell<bool>) -> (u32, bool) {
        let value = |node: NodeId| {
            let shortest = self.shortest[node as usize];
            all_found.set(all_found.get() && shortest < INFINITE);
            shortest
        };
        let of = |node: &NodeId| value(*node);
        let empty = |node: &NodeId| self.nullable[*node as usize];
        match node {
            Node::Never | Node::Tail(_) => (INFINITE, false), // tails are made by left factoring, later
            Node::Empty => (0, true),
            Node::Literals(texts) => (texts.iter().map(|(text, _)| text.len() as u32).min().unwrap_or(INFINITE), false),
            Node::Lexicon(lexicon) => (lexicon.extent(lexicon.root()).0, false),
            Node::Pieces(pieces, writing) => (pieces.automaton(*writing).nearest(0), false),
            Node::Regular(leaf) => {
                let shortest = self.leaves[*leaf as usize];
                (shortest, shortest == 0)
            }
            Node::Text { leaf, low, high } => {
                let empty = self.leaves[*leaf as usize]; // the quotes, if it has any
                let shortest = if low > high { INFINITE } else { low.saturating_add(empty).min(INFINITE) };
                (shortest, shortest == 0)
            }
            Node::Object(object) => (self.object(object, costs, &value), false),
            Node::Array(array) => (self.array(array, graph, costs, &value), false),
            Node::Sequence(parts) => (
                parts.iter().fold(0_u32, |total, part| total.saturating_add(of(part)).min(INFINITE)),
                parts.iter().all(empty),
            ),
            Node::Choice(options) => (options.iter().map(of).min().unwrap_or(INFINITE), options.iter().any(empty)),
            Node::Repeat { body, low, high } => {
                if low > high {
                    return (INFINITE, false);
                }
                (if *low == 0 { 0 } else { of(body).saturating_mul(*low).min(INFINITE) }, *low == 0)
            }
            Node::Distinct(leaves) => {
                (leaves.iter().map(|leaf| self.leaves[*leaf as usize]).min().unwrap_or(INFINITE), false)
            }
            Node::Rule(target) => (of(target), empty(target)),
        }
    }

    fn lengths<T>(
        &self,
        layout: &Layout,
        costs: &LayoutCosts,
        value: &dyn Fn(NodeId) -> u32,
        ask: impl FnOnce(&MinimumLengths<'_>) -> T,
    ) -> T {
        let leaf = |leaf: LeafId| self.shortest_of_leaf(leaf);
        let texts = |leaf: LeafId, length: u32| self.texts_up_to(leaf, length);
        let (colon, between) = (costs.colon(layout), costs.between_items(layout));
        ask(&MinimumLengths { value, leaf: &leaf, texts: &texts, colon, between })
    }

    fn object(&self, object: &Object, costs: &LayoutCosts, value: &dyn Fn(NodeId) -> u32) -> u32 {
        self.lengths(&object.layout, costs, value, |lengths| {
            match object.completion(&object.nothing(), 0, false, lengths) {
                None => INFINITE,
                Some((members, count)) => {
                    let commas = lengths.between.saturating_mul(count.saturating_sub(1));
                    members
                        .saturating_add(2 + costs.around_items(&object.layout, count))
                        .saturating_add(commas)
                        .min(INFINITE)
                }
            }
        })
    }

    fn array(&self, array: &Array, graph: &Graph, costs: &LayoutCosts, value: &dyn Fn(NodeId) -> u32) -> u32 {
        if !array.kinds.is_empty() {
            let items = self.lengths(&array.layout, costs, value, |lengths| array.completion(&array.none(), lengths));
            return items.map_or(INFINITE, |items| {
                let around = 2 + costs.around_items(&array.layout, u32::from(items > 0));
                let first = if items > 0 { costs.between_items(&array.layout) } else { 0 };
                items.saturating_add(around).saturating_sub(first).min(INFINITE)
            });
        }
        if let Some(leaves) = array.distinct(graph).filter(|_| array.low <= array.high) {
            let items = self.lengths(&array.layout, costs, value, |lengths| lengths.sum(&leaves, 1, array.low));
            let between = costs.between_items(&array.layout).saturating_mul(array.low.saturating_sub(1));
            let around = 2 + costs.around_items(&array.layout, array.low);
            return items.saturating_add(between).saturating_add(around).min(INFINITE);
        }
        let items = (0..array.low).map(|index| array.new_item(index, value));
        let between = costs.between_items(&array.layout);
        sum(items, 2 + costs.around_items(&array.layout, array.low), between, array.low)
    }

    /// Adds the facts of a node that was made after the others were solved and that has no empty text.
    pub(super) fn add(&mut self, shortest: u32) {
        self.shortest.push(shortest.min(INFINITE));
        self.nullable.push(false);
    }

    /// Asks a question about minimum lengths.
    pub fn with_minimum_lengths<T>(
        &self,
        layout: &Layout,
        costs: &LayoutCosts,
        ask: impl FnOnce(&MinimumLengths<'_>) -> T,
    ) -> T {
        self.lengths(layout, costs, &|node| self.shortest(node), ask)
    }

    /// Bytes of the shortest text of `node`; [`INFINITE`] if it has none.
    pub fn shortest(&self, node: NodeId) -> u32 {
        self.shortest[node as usize]
    }

    /// The same of a leaf.
    pub(super) fn shortest_of_leaf(&self, leaf: LeafId) -> u32 {
        self.leaves[leaf as usize]
    }

    /// Whether `node` has the empty text.
    pub fn nullable(&self, node: NodeId) -> bool {
        self.nullable[node as usize]
    }

    /// The automaton of a leaf, if it had to be built.
    pub fn built(&self, leaf: u32) -> Option<&Arc<Automaton>> {
        self.built[leaf as usize].as_ref()
    }
}

/// The leaves of which several texts may have to come that all differ.
fn leaves_of_different_texts(node: &Node) -> SmallVec<[LeafId; 2]> {
    match node {
        Node::Object(object) if object.low > 0 || object.tracks_values() => {
            object.undeclared.iter().map(|kind| kind.name).collect()
        }
        Node::Distinct(leaves) => SmallVec::from_slice(leaves),
        _ => SmallVec::new(),
    }
}

fn sum(parts: impl Iterator<Item = u32>, fixed: u32, between: u32, count: u32) -> u32 {
    let mut total = fixed.saturating_add(between.saturating_mul(count.saturating_sub(1)));
    for part in parts {
        total = total.saturating_add(part);
        if total >= INFINITE {
            return INFINITE;
        }
    }
    total.min(INFINITE)
}
