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
//! a few, in both directions, and then the shortest texts first (`shortest_first`). What is added to a graph is solved by
//! itself.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::plain_shortest::plain_shortest;
use super::shortest_first::ShortestFirst;
use super::text_lengths::TextLengths;
use super::{Array, Graph, Layout, LayoutCosts, Leaf, LeafId, MinimumLengths, Node, NodeId, Object, shortest_cache};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::{Automaton, Encoding, Regular};

/// "No finite text". Sums of a few of these do not overflow.
pub const INFINITE: u32 = u32::MAX / 8;

/// Passes over the graph before the shortest texts are found first. More of them would be slow where every pass solves
/// but a few nodes.
const MOST_PASSES: usize = 4;

/// What was proved about every node of a graph.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    shortest: Vec<u32>,
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
        let mut facts = Self::default();
        facts.update(graph, limits)?;
        Ok(facts)
    }

    /// Solves the equations of the nodes that were added to a graph, which may have more leaves than before. Those that were
    /// there have the same texts as before, or have become [`Node::Never`].
    pub(super) fn update(&mut self, graph: &Graph, limits: &Limits) -> Result<()> {
        for leaf in &graph.leaves[self.leaves.len()..] {
            let (shortest, built) = measure(leaf, limits)?;
            self.leaves.push(shortest.min(INFINITE));
            self.built.push(built);
        }
        for leaf in graph.nodes.iter().flat_map(leaves_of_different_texts) {
            let new = || Arc::new(Texts::new(&graph.leaves[leaf as usize], limits));
            self.texts.entry(leaf).or_insert_with(new);
        }
        let known = self.shortest.len();
        self.shortest.resize(graph.nodes.len(), INFINITE);
        for (shortest, node) in self.shortest.iter_mut().zip(&graph.nodes) {
            if matches!(node, Node::Never) {
                *shortest = INFINITE;
            }
        }
        self.solve(graph, known);
        self.texts.values().find_map(|texts| texts.failure()).map_or(Ok(()), Err)
    }

    /// Whether it says of each node what others say.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.shortest == other.shortest
    }

    /// How many texts of a leaf have at most some length, and whether none is longer. Where no texts must differ, there
    /// is always another one.
    fn texts_up_to(&self, leaf: LeafId, length: u32) -> (u64, bool) {
        self.texts.get(&leaf).map_or((u64::MAX, false), |texts| texts.up_to(length))
    }

    /// Solves the equations of the nodes from one on. Nodes without children are solved first, then all others from the last
    /// one on: in schemas parents come first, so mostly children are solved before their parents, and one pass is enough.
    fn solve(&mut self, graph: &Graph, first: usize) {
        let costs = LayoutCosts::new(graph);
        let is_alone = |node: &Node| {
            matches!(
                node,
                Node::Literals(_) | Node::Lexicon(_) | Node::Pieces(..) | Node::Regular(_) | Node::Text { .. }
            )
        };
        let (alone, others): (Nodes, Nodes) = (first..graph.nodes.len()).partition(|&at| is_alone(&graph.nodes[at]));
        self.pass(alone.into_iter(), graph, &costs);
        if self.pass(others.iter().rev().copied(), graph, &costs).1 {
            debug_assert!(!self.pass(others.into_iter(), graph, &costs).0, "a solution does not change");
            return;
        }
        // Combinations put children first: passes go both ways.
        for pass in 0..MOST_PASSES {
            let next = |at: usize| if pass % 2 == 0 { others[at] } else { others[others.len() - 1 - at] };
            if !self.pass((0..others.len()).map(next), graph, &costs).0 {
                return;
            }
        }
        ShortestFirst::new(self, graph, &costs).solve();
        debug_assert!(!self.pass(others.into_iter(), graph, &costs).0, "a solution does not change");
    }

    /// Solves the equations of some nodes with the values found so far. Whether anything changed, and whether all
    /// values that they read were found.
    fn pass(&mut self, nodes: impl Iterator<Item = usize>, graph: &Graph, costs: &LayoutCosts) -> (bool, bool) {
        let (mut changed, all_found) = (false, Cell::new(true));
        for index in nodes {
            count(1);
            let shortest = self.equation_noting(&graph.nodes[index], graph, costs, &all_found);
            changed |= self.lower(index as NodeId, shortest);
        }
        (changed, all_found.get())
    }

    /// Notes that a node has a text of some length; whether it is shorter than those found before.
    pub(super) fn lower(&mut self, node: NodeId, length: u32) -> bool {
        let shortest = &mut self.shortest[node as usize];
        let is_shorter = length < *shortest;
        *shortest = length.min(*shortest);
        is_shorter
    }

    /// Bytes of the shortest text of a node, as far as those of its parts are known.
    pub(super) fn equation(&self, node: &Node, graph: &Graph, costs: &LayoutCosts) -> u32 {
        self.equation_noting(node, graph, costs, &Cell::new(true))
    }

    /// The same. Clears `all_found` if it reads a value that was not found yet, or is infinite.
    fn equation_noting(&self, node: &Node, graph: &Graph, costs: &LayoutCosts, all_found: &Cell<bool>) -> u32 {
        let value = |node: NodeId| {
            let shortest = self.shortest[node as usize];
            all_found.set(all_found.get() && shortest < INFINITE);
            shortest
        };
        let of = |node: &NodeId| value(*node);
        let of_leaf = |leaf: &LeafId| self.leaves[*leaf as usize];
        match node {
            Node::Never | Node::Tail(_) => INFINITE, // tails are made by left factoring, later
            Node::Empty | Node::Repeat { low: 0, .. } => 0,
            Node::Literals(texts) => texts.iter().map(|(text, _)| text.len() as u32).min().unwrap_or(INFINITE),
            Node::Lexicon(lexicon) => lexicon.extent(lexicon.root()).0,
            Node::Pieces(pieces, writing) => pieces.automaton(*writing).nearest(0),
            Node::Regular(leaf) => of_leaf(leaf),
            Node::Text { low, high, .. } | Node::Repeat { low, high, .. } if low > high => INFINITE,
            Node::Text { leaf, low, .. } => low.saturating_add(of_leaf(leaf)).min(INFINITE), // the quotes, if it has any
            Node::Object(object) => self.object(object, costs, &value),
            Node::Array(array) => self.array(array, graph, costs, &value),
            Node::Sequence(parts) => {
                parts.iter().fold(0, |total, part| u32::saturating_add(total, of(part)).min(INFINITE))
            }
            Node::Choice(options) => options.iter().map(of).min().unwrap_or(INFINITE),
            Node::Repeat { body, low, .. } => of(body).saturating_mul(*low).min(INFINITE),
            Node::Distinct(leaves) => leaves.iter().map(of_leaf).min().unwrap_or(INFINITE),
            Node::Rule(target) => of(target),
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
                    members.saturating_add(costs.brackets(&object.layout, count)).saturating_add(commas).min(INFINITE)
                }
            }
        })
    }

    fn array(&self, array: &Array, graph: &Graph, costs: &LayoutCosts, value: &dyn Fn(NodeId) -> u32) -> u32 {
        if !array.kinds.is_empty() {
            let items = self.lengths(&array.layout, costs, value, |lengths| array.completion(&array.none(), lengths));
            return items.map_or(INFINITE, |items| {
                let around = costs.brackets(&array.layout, u32::from(items > 0));
                let first = if items > 0 { costs.between_items(&array.layout) } else { 0 };
                items.saturating_add(around).saturating_sub(first).min(INFINITE)
            });
        }
        if let Some(leaves) = array.distinct(graph).filter(|_| array.low <= array.high) {
            let items = self.lengths(&array.layout, costs, value, |lengths| lengths.sum(&leaves, 1, array.low));
            let between = costs.between_items(&array.layout).saturating_mul(array.low.saturating_sub(1));
            let around = costs.brackets(&array.layout, array.low);
            return items.saturating_add(between).saturating_add(around).min(INFINITE);
        }
        let items = (0..array.low).map(|index| array.new_item(index, value));
        let between = costs.between_items(&array.layout);
        sum(items, costs.brackets(&array.layout, array.low), between, array.low)
    }

    /// Adds the facts of a node that was made after the others were solved and that has no empty text.
    pub(super) fn add(&mut self, shortest: u32) {
        debug_assert!(shortest > 0);
        self.shortest.push(shortest.min(INFINITE));
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
        self.shortest(node) == 0
    }

    /// The automaton of a leaf, if it had to be built.
    pub fn built(&self, leaf: u32) -> Option<&Arc<Automaton>> {
        self.built[leaf as usize].as_ref()
    }
}

/// Bytes of the shortest text of a leaf, and its automaton, if that had to be built.
fn measure(leaf: &Leaf, limits: &Limits) -> Result<(u32, Option<Arc<Automaton>>)> {
    let of_automaton = |automaton: &Automaton| {
        if automaton.is_never() { INFINITE } else { automaton.shortest(automaton.start().state()) }
    };
    if let Regular::Parser(parser) = &leaf.tree {
        let automaton = parser.automaton(limits)?;
        return Ok((of_automaton(&automaton), Some(automaton)));
    }
    if let Some(shortest) = plain_shortest(&leaf.tree, leaf.encoding) {
        return Ok((shortest.bytes + if leaf.encoding == Encoding::Text { 0 } else { 2 }, None));
    }
    let mut built = None;
    let shortest = shortest_cache::shortest(leaf, limits, || {
        let automaton = built.insert(Arc::new(leaf.automaton(limits)?));
        Ok(of_automaton(automaton))
    })?;
    Ok((shortest, built))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::counted;
    use crate::language::Language;
    use crate::syntax::json_schema::{Options, json_schema};

    /// All facts of a graph, found shortest first from nothing on.
    fn shortest_first(graph: &Graph) -> Vec<u32> {
        let mut facts = Facts::new(graph, &Limits::default()).unwrap();
        facts.shortest.fill(INFINITE);
        let costs = LayoutCosts::new(graph);
        for (node, at) in graph.nodes.iter().zip(0..) {
            let mut parts = 0;
            node.each_necessary_part(|_| parts += 1);
            if parts == 0 {
                let length = facts.equation(node, graph, &costs);
                facts.lower(at, length);
            }
        }
        ShortestFirst::new(&mut facts, graph, &costs).solve();
        facts.shortest
    }

    /// The same by passes, until nothing changes.
    fn by_passes(graph: &Graph) -> Vec<u32> {
        let mut facts = Facts::new(graph, &Limits::default()).unwrap();
        facts.shortest.fill(INFINITE);
        let costs = LayoutCosts::new(graph);
        while facts.pass(0..graph.nodes.len(), graph, &costs).0 {}
        facts.shortest
    }

    fn check(language: &Language) {
        let found: Vec<u32> =
            (0..language.graph().nodes.len() as NodeId).map(|at| language.facts().shortest(at)).collect();
        assert_eq!(by_passes(language.graph()), found);
        assert_eq!(shortest_first(language.graph()), found);
    }

    #[test]
    fn each_order_finds_the_same() {
        for schema in [
            "true",
            r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"l": {"$ref": "#/$defs/t"}, "v": {"type": "integer"}}, "required": ["v"]}}}"##,
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/b"}, "minItems": 2}, {"const": "long enough"}]}, "b": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/b"}}, "minProperties": 1}}}"##,
            r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}, "b": {"enum": [12, 345]}, "c": {"type": "string", "minLength": 9}, "d": {"type": "null"}}, "minProperties": 2, "additionalProperties": {"$ref": "#/$defs/t"}}}}"##,
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {}, "c": {"type": "null"}}, "required": ["c"], "dependentRequired": {"c": ["a", "d"]}}"#,
            r#"{"type": "object", "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": {"enum": ["a", 1]}}"#,
            r#"{"type": "array", "items": {"enum": [1, "a", [1]]}, "contains": {"const": 1}, "minContains": 2, "maxContains": 3, "minItems": 4}"#,
            r#"{"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "array", "minItems": 1}], "minItems": 5}"#,
            r#"{"type": "array", "items": {"type": "boolean"}, "uniqueItems": true, "minItems": 2}"#,
        ] {
            check(&json_schema(schema, &Options::default()).unwrap());
        }
    }

    /// A chain whose nodes are in random order: passes would solve a few nodes each.
    #[test]
    fn no_order_of_nodes_is_slow() {
        let (length, mut random, mut graph) = (100_000_u32, 1_u64, Graph::default());
        let mut order: Vec<NodeId> = (1..=length).collect();
        for at in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            order.swap(at, (random >> 33) as usize % (at + 1));
        }
        let letter = graph.literals([&b"a"[..]]);
        graph.nodes.resize(graph.nodes.len() + order.len(), Node::Never);
        graph.nodes[order[0] as usize] = Node::Rule(letter);
        for pair in order.windows(2) {
            graph.nodes[pair[1] as usize] = Node::Sequence([letter, pair[0]].into());
        }
        let (before, begun) = (counted(), std::time::Instant::now());
        let facts = Facts::new(&graph, &Limits::default()).unwrap();
        println!("{} units, {:?}", counted() - before, begun.elapsed());
        assert!(order.iter().zip(1..).all(|(&node, bytes)| facts.shortest(node) == bytes));
        assert!(counted() - before < 20 * u64::from(length), "{}", counted() - before);
    }
}
