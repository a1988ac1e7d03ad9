//! What tokens are counted with: a vocabulary, and what is known of how it spells the parts of a graph.
//!
//! Cost: the lengths of a graph's parts are found once for a constraint, when a budget first asks for them. A
//! graph of very many nodes is counted in bytes: so many alternatives have too many ways to the end.

use std::sync::OnceLock;

use super::machine::{Configuration, Machine, TokenLengths};
use crate::language::{CompiledGraph, INFINITE, NodeId};
use crate::terminals::Tables;

/// Graphs with more nodes are counted in bytes: those without rules, and those with rules.
const MOST_NODES: [NodeId; 2] = [1 << 12, 1 << 16];

/// The tables of a vocabulary, the id of each leaf's automaton in them, and the tokens of the graph's parts.
#[derive(Clone, Copy, Debug)]
pub struct Counting<'c> {
    pub tables: &'c Tables,
    pub automata: &'c [u32],
    pub tokens: &'c OnceLock<Option<TokenLengths>>,
}

impl<'c> Counting<'c> {
    pub fn has_every_byte(self) -> bool {
        self.tables.vocabulary.has_every_byte()
    }

    /// Whether everything is counted in bytes.
    pub fn is_in_bytes(self, graph: &CompiledGraph) -> bool {
        graph.nodes() > MOST_NODES[usize::from(graph.has_rules())] && self.has_every_byte()
    }

    /// The tokens of the graph's parts; `None` if they are counted in bytes.
    pub fn tokens(self, graph: &CompiledGraph) -> Option<&'c TokenLengths> {
        let is_countable = self.has_every_byte() && !self.is_in_bytes(graph);
        self.tokens
            .get_or_init(|| is_countable.then(|| TokenLengths::new(graph, self.tables.vocabulary.plain())))
            .as_ref()
    }

    /// Tokens that complete any of some configurations, counted part by part; [`INFINITE`] if they cannot be.
    pub fn parts(self, machine: &mut Machine<'_>, of: &[Configuration]) -> u32 {
        let Some(lengths) = self.tokens(machine.graph) else { return INFINITE };
        of.iter().map(|&of| machine.token_cost(lengths, of)).min().unwrap_or(INFINITE)
    }
}
