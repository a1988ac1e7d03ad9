//! How long items are that must differ from all before them.
//!
//! ```text
//! items {"k": <one of "a", "b">}, at least 2        {"k":"a"}, {"k":"b"}: 9 bytes each
//!                                 at least 3        there are only two: no such array
//! ```
//!
//! Of n values that can be written in few bytes, one is free whichever n - 1 are used: so the n-th item takes no more than
//! the n-th shortest of them. A graph is told these lengths before its own are found.
//!
//! Cost: nothing where at most one item must come; else a search for as many values as items. The items of one
//! such array may hold another, which is measured first. The front end calls this after it has built a graph.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::machine::{Machine, Stacks, too_many_ways};
use crate::error::{Error, Result};
use crate::language::{Array, CompiledGraph, Facts, Graph, INFINITE, Node, NodeId};
use crate::limits::Limits;

/// Items that must come, and differ.
const MOST_ITEMS: u32 = 1 << 12;

/// Measures the items of each array that compares them, until nothing changes.
///
/// # Errors
/// [`crate::Kind::Limit`] where very many items must differ; [`crate::Kind::Unsupported`] where items of few values
/// compete; as [`Graph::finish`].
pub fn measure_new_items(graph: &mut Graph, limits: &Limits) -> Result<()> {
    let must_be_compared = |array: &Array| array.differing.is_some() && (array.low > 1 || !array.kinds.is_empty());
    if !graph.nodes.iter().any(|node| matches!(node, Node::Array(array) if must_be_compared(array))) {
        return Ok(());
    }
    loop {
        let facts = graph.finish(limits)?;
        let compiled = compile(graph, &facts, limits)?;
        for (_, array) in arrays(&compiled) {
            refuse_competing(&compiled, array)?;
        }
        let open: FxHashSet<NodeId> = unmeasured(&compiled).map(|(node, _)| node).collect();
        if open.is_empty() {
            return Ok(());
        }
        let ready = unmeasured(&compiled).filter(|(node, _)| !holds_any(&compiled, *node, &open));
        let measured: Vec<(NodeId, Arc<[u32]>)> =
            ready.map(|(node, array)| Ok((node, measure(&compiled, node, array)?))).collect::<Result<_>>()?;
        if measured.is_empty() {
            let pointer = unmeasured(&compiled).find_map(|(_, array)| Some(array.differing.as_ref()?.pointer.clone()));
            let what = "uniqueItems with minItems cannot be enforced where an item may hold the same array again";
            return Err(
                Error::unsupported(&pointer.unwrap_or_default(), what).hint("leave out uniqueItems, or minItems")
            );
        }
        for (node, found) in measured {
            if let Node::Array(array) = &mut graph.nodes[node as usize]
                && let Some(differing) = &mut Arc::make_mut(array).differing
            {
                differing.lengths = found;
            }
        }
    }
}

fn compile(graph: &Graph, facts: &Facts, limits: &Limits) -> Result<CompiledGraph> {
    CompiledGraph::new(Arc::new(graph.clone()), Arc::new(facts.clone()), limits, |leaf, of| {
        of.shared_automaton(facts.built(leaf), limits)
    })
}

/// The arrays that compare their items, as far as they have a text.
fn arrays(graph: &CompiledGraph) -> impl Iterator<Item = (NodeId, &Array)> {
    graph.numbered_nodes().filter_map(|(node, of)| match of {
        Node::Array(array) if array.differing.is_some() && graph.facts.shortest(node) < INFINITE => {
            Some((node, &**array))
        }
        _ => None,
    })
}

/// Those of which more than one item must come, and are not measured yet.
fn unmeasured(graph: &CompiledGraph) -> impl Iterator<Item = (NodeId, &Array)> {
    arrays(graph).filter(|(_, array)| {
        array.low > 1 && array.differing.as_ref().is_some_and(|differing| differing.lengths.is_empty())
    })
}

/// Where items are of several kinds, each that must come has to have many values: else one could take the last value of
/// another.
fn refuse_competing(graph: &CompiledGraph, array: &Array) -> Result<()> {
    let kinds = array.ways.iter().flatten().map(|&(item, _)| item);
    let places = array.prefix.iter().copied().chain(array.rest).take(array.low as usize);
    let mut compete: Vec<NodeId> = match (array.kinds.is_empty(), array.prefix.is_empty()) {
        (false, _) => kinds.collect(),
        (true, false) if array.low > 1 => places.collect(),
        _ => Vec::new(),
    };
    compete.retain(|&item| graph.facts.shortest(item) < INFINITE && graph.detour(item) >= INFINITE);
    if compete.is_empty() {
        return Ok(());
    }
    let pointer = array.differing.as_ref().map(|differing| differing.pointer.clone()).unwrap_or_default();
    let with = if array.kinds.is_empty() { "prefixItems and minItems" } else { "contains" };
    Err(Error::unsupported(
        &pointer,
        format!("uniqueItems together with {with} cannot be enforced on items of few values"),
    )
    .hint("leave out uniqueItems, or the other one"))
}

/// Whether a part of a node is one of `others`.
fn holds_any(graph: &CompiledGraph, node: NodeId, others: &FxHashSet<NodeId>) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), Vec::new());
    graph.node(node).each_part(|part| open.push(part));
    while let Some(part) = open.pop() {
        if others.contains(&part) {
            return true;
        }
        if seen.insert(part) {
            graph.node(part).each_part(|part| open.push(part));
        }
    }
    false
}

/// The lengths of the items of an array, by index.
fn measure(graph: &CompiledGraph, node: NodeId, array: &Array) -> Result<Arc<[u32]>> {
    if array.low > MOST_ITEMS {
        return Err(Error::limit("unique_items", array.low as usize, MOST_ITEMS as usize));
    }
    let (mut stacks, mut path) = (Stacks::default(), Vec::new());
    let mut machine = Machine::new(graph, &mut stacks, &mut path);
    let mut lengths: Vec<u32> = Vec::with_capacity(array.low as usize);
    let mut of_last: Option<(NodeId, Vec<u32>)> = None;
    for index in 0..array.low {
        let Some(item) = array.item(index) else { break };
        if of_last.as_ref().is_none_or(|(last, _)| *last != item) {
            let values = machine.cheapest_values(node, item, array.low as usize).ok_or_else(too_many_ways)?;
            of_last = Some((item, values));
        }
        let known = of_last.as_ref().and_then(|(_, values)| values.get(index as usize).copied());
        lengths.push(known.unwrap_or(INFINITE));
    }
    machine.check_limits()?;
    Ok(lengths.into())
}
