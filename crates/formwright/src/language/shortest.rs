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
//! Cost: one pass over the graph if children stand behind their parents, as most do in a schema without recursion; else
//! a few, in both directions.

use std::cell::Cell;
use std::slice;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Array, Graph, Layout, LayoutCosts, MinimumLengths, Node, NodeId, Object, UndeclaredKind, shortest_cache};
use crate::error::{Error, Kind, Result};
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
    /// Automata that had to be built to know whether a leaf is empty.
    built: Vec<Option<Arc<Automaton>>>,
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
        };
        for (index, leaf) in graph.leaves.iter().enumerate() {
            let shortest = if let Some(shortest) = plain_shortest(&leaf.tree, leaf.encoding) {
                shortest.bytes + if leaf.encoding == Encoding::Text { 0 } else { 2 }
            } else {
                shortest_cache::shortest(leaf, limits, || {
                    let automaton = facts.built[index].insert(Arc::new(leaf.automaton(limits)?));
                    Ok(if automaton.is_never() { INFINITE } else { automaton.shortest(automaton.start().state()) })
                })?
            };
            facts.leaves.push(shortest.min(INFINITE));
        }
        facts.solve(graph);
        Ok(facts)
    }

    /// Nodes without children are solved first, then all others from the last one on: in schemas parents come first, so
    /// mostly children are solved before their parents, and one pass is enough.
    fn solve(&mut self, graph: &Graph) {
        let costs = LayoutCosts::new(graph);
        let is_alone = |node: &Node| matches!(node, Node::Literals(_) | Node::Regular(_) | Node::Text { .. });
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
            let (shortest, nullable) = self.equation(&graph.nodes[index], costs, &all_found);
            changed |= shortest < self.shortest[index] || nullable != self.nullable[index];
            self.shortest[index] = shortest.min(self.shortest[index]);
            self.nullable[index] |= nullable;
        }
        (changed, all_found.get())
    }

    /// Bytes of the shortest text of a node, and whether that is the empty one. Clears `all_found` if it reads a value
    /// that was not found yet, or is infinite.
    fn equation(&self, node: &Node, costs: &LayoutCosts, all_found: &Cell<bool>) -> (u32, bool) {
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
            Node::Array(array) => (self.array(array, costs, &value), false),
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
        let leaf = |leaf: u32| self.leaves[leaf as usize];
        let (colon, between) = (costs.colon(layout), costs.between_items(layout));
        ask(&MinimumLengths { value, leaf: &leaf, colon, between })
    }

    fn object(&self, object: &Object, costs: &LayoutCosts, value: &dyn Fn(NodeId) -> u32) -> u32 {
        self.lengths(&object.layout, costs, value, |lengths| {
            match object.completion(&object.nothing(), false, lengths) {
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

    fn array(&self, array: &Array, costs: &LayoutCosts, value: &dyn Fn(NodeId) -> u32) -> u32 {
        if !array.kinds.is_empty() {
            let items = self.lengths(&array.layout, costs, value, |lengths| array.completion(&array.none(), lengths));
            return items.map_or(INFINITE, |items| {
                let around = 2 + costs.around_items(&array.layout, u32::from(items > 0));
                let first = if items > 0 { costs.between_items(&array.layout) } else { 0 };
                items.saturating_add(around).saturating_sub(first).min(INFINITE)
            });
        }
        let items = (0..array.low).map(|index| array.item(index).map_or(INFINITE, value));
        let between = costs.between_items(&array.layout);
        sum(items, 2 + costs.around_items(&array.layout, array.low), between, array.low)
    }

    /// The facts of a node that was made when all others were solved; it reads something.
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

    /// Whether `node` has the empty text.
    pub fn nullable(&self, node: NodeId) -> bool {
        self.nullable[node as usize]
    }

    /// The automaton of a leaf, if it had to be built.
    pub fn built(&self, leaf: u32) -> Option<&Arc<Automaton>> {
        self.built[leaf as usize].as_ref()
    }

    /// Removes every way into a node without a finite text.
    pub(super) fn prune(&self, graph: &mut Graph) {
        if self.shortest.iter().all(|&shortest| shortest < INFINITE) {
            return;
        }
        let dead = |node: &NodeId| self.shortest[*node as usize] >= INFINITE;
        for index in 0..graph.nodes.len() {
            let pruned = match &graph.nodes[index] {
                _ if self.shortest[index] >= INFINITE => Node::Never,
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
                    let values = object.members.iter().map(|member| member.value);
                    let mut values = values.chain(object.undeclared.iter().map(|kind| kind.value));
                    let nameless = |kind: &UndeclaredKind| self.leaves[kind.name as usize] >= INFINITE;
                    if !values.any(|value| dead(&value)) && !object.undeclared.iter().any(nameless) {
                        continue;
                    }
                    let mut alive = (**object).clone();
                    alive.undeclared.retain(|kind| !dead(&kind.value) && !nameless(kind));
                    alive.members.iter_mut().for_each(|member| member.possible = !dead(&member.value));
                    Node::Object(Arc::new(alive))
                }
                _ => continue,
            };
            graph.nodes[index] = pruned;
        }
    }

    /// A rule that can reach itself without reading a byte would loop for ever.
    pub(super) fn refuse_left_recursion(&self, graph: &Graph) -> Result<()> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let deeper = |node: &NodeId| !self.leftmost(graph, *node).is_empty();
        if !(0..graph.nodes.len() as NodeId).any(|node| self.leftmost(graph, node).iter().any(deeper)) {
            return Ok(()); // most often: choices of things that are read at once
        }
        let mut marks = vec![NEW; graph.nodes.len()];
        let mut stack = Vec::new();
        for start in 0..graph.nodes.len() as NodeId {
            if marks[start as usize] != NEW {
                continue;
            }
            stack.push((start, self.leftmost(graph, start), 0_usize));
            marks[start as usize] = OPEN;
            while let Some((node, children, next)) = stack.last_mut() {
                let Some(&child) = children.get(*next) else {
                    marks[*node as usize] = DONE;
                    stack.pop();
                    continue;
                };
                *next += 1;
                match marks[child as usize] {
                    OPEN => {
                        return Err(Error::new(
                            Kind::Language,
                            "language: a rule refers to itself before it reads anything",
                        )
                        .hint("rewrite the left recursion as a repetition"));
                    }
                    NEW => {
                        marks[child as usize] = OPEN;
                        stack.push((child, self.leftmost(graph, child), 0));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
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

/// A text that no other of its language has fewer bytes than.
#[derive(Clone, Copy)]
struct Shortest {
    bytes: u32,
    /// `None`: the tree does not show it.
    characters: Option<u32>,
}

impl Shortest {
    const NONE: Self = Self { bytes: INFINITE, characters: None };
    const EMPTY: Self = Self { bytes: 0, characters: Some(0) };

    fn then(self, next: Self) -> Self {
        let characters = self.characters.zip(next.characters).map(|(some, more)| some.saturating_add(more));
        Self { bytes: self.bytes.saturating_add(next.bytes).min(INFINITE), characters }
    }

    fn times(self, count: u32) -> Self {
        let characters = self.characters.map(|one| one.saturating_mul(count));
        Self { bytes: self.bytes.saturating_mul(count).min(INFINITE), characters }
    }

    /// Whether its number of characters is one that `lengths`, a repetition of any character, allows.
    fn fits(self, lengths: &Regular) -> bool {
        let Regular::Repeat(_, low, high) = lengths else { return false };
        self.characters.is_some_and(|count| *low <= count && high.is_none_or(|high| count <= high))
    }
}

/// A shortest text of a tree, unless an And, Not or Multiple hides it. (Lengths do not, if the text has such a one.)
fn plain_shortest(tree: &Regular, encoding: Encoding) -> Option<Shortest> {
    let shortest = |part| plain_shortest(part, encoding);
    Some(match tree {
        Regular::Never => Shortest::NONE,
        Regular::Class(ranges) => {
            let bytes = ranges.iter().map(|&(low, high)| class_cost(low, high, encoding)).min();
            Shortest { bytes: bytes.unwrap_or(INFINITE), characters: Some(1) }
        }
        Regular::Concat(parts) => {
            parts.iter().try_fold(Shortest::EMPTY, |all, part| Some(all.then(shortest(part)?)))?
        }
        Regular::Or(parts) => parts.iter().try_fold(Shortest::NONE, |best, part| {
            let next = shortest(part)?;
            Some(if next.bytes < best.bytes { next } else { best })
        })?,
        Regular::Repeat(_, low, Some(high)) if low > high => Shortest::NONE,
        Regular::Empty | Regular::Repeat(_, 0, _) => Shortest::EMPTY,
        Regular::Repeat(inner, low, _) => shortest(inner)?.times(*low),
        Regular::Static(tree) => shortest(tree.0)?,
        Regular::Implicit(language) => Shortest { bytes: language.shortest(), characters: None },
        Regular::And(parts) => {
            let is_length = |part: &&Regular| matches!(part, Regular::Repeat(inner, ..) if inner.is_any());
            let (lengths, others): (Vec<_>, Vec<_>) = parts.iter().partition(is_length);
            let [one] = others.as_slice() else { return None };
            shortest(one).filter(|text| lengths.iter().all(|length| text.fits(length)))?
        }
        Regular::Not(_) | Regular::Multiple(_) => return None,
    })
}

fn class_cost(low: char, high: char, encoding: Encoding) -> u32 {
    let json = encoding != Encoding::Text;
    let (first, last) = (if json { low.max(' ') } else { low }, high.min('\x7F'));
    if first < last || first == last && !(json && (first == '"' || first == '\\')) {
        return 1; // of two neighbours, one needs no escape
    }
    match low {
        '"' | '\\' | '\u{8}' | '\t' | '\n' | '\u{C}' | '\r' => 2,
        c if json && c < ' ' => {
            if high >= '\u{8}' {
                2
            } else {
                6
            }
        }
        c => c.len_utf8() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::Escapes;
    use crate::syntax::regex;

    /// What is found without an automaton is what the automaton says.
    #[test]
    fn shortest_texts_are_found_without_an_automaton() {
        let limits = Limits::default();
        let (mut found, mut left) = (0, 0);
        for pattern in
            ["a{2,5}", "(ab|c)+d?", "é{3}|x{4}", r#""{2}x*"#, "x?", "(a|bc){0,3}d", "[\\x00-\\x1f]é", "c{3}|abcd"]
        {
            let tree = regex::parse(pattern, &limits).unwrap();
            for (low, high) in [(0, None), (0, Some(3)), (1, Some(1)), (2, None), (3, Some(4)), (4, Some(2))] {
                let tree = Regular::and([tree.clone(), Regular::length(low, high)]);
                for (encoding, quotes) in [(Encoding::Text, 0), (Encoding::Json(Escapes::Natural), 2)] {
                    let Some(shortest) = plain_shortest(&tree, encoding) else {
                        left += 1;
                        continue;
                    };
                    let automaton = Automaton::new(&tree, encoding, &limits).unwrap();
                    let expected =
                        if automaton.is_never() { None } else { Some(automaton.shortest(automaton.start().state())) };
                    assert_eq!((shortest.bytes < INFINITE).then_some(shortest.bytes + quotes), expected, "{tree:?}");
                    found += 1;
                }
            }
        }
        assert!(found > 40 && left > 40, "{found} {left}");
    }
}
