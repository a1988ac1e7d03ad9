//! What tokens are counted with: a vocabulary, and what is known of how it spells the parts of a graph.
//!
//! ```text
//! ,"birthday":     fewest tokens  ,"  birthday  ":     3
//! ```
//!
//! Cost: the lengths of a graph's parts are found once for a constraint, when a budget first asks for them. Wrinkle: a
//! graph of very many nodes is counted in bytes.

use std::cell::Cell;
use std::sync::OnceLock;

use super::machine::{Configuration, END, Machine, Position, Stacks, TokenLengths};
use super::potential::{FAR, Potential};
use crate::language::{CompiledGraph, NodeId, Rise};
use crate::terminals::Tables;
use crate::vocabulary::Trie;

/// Graphs with more nodes are counted in bytes: so many alternatives may have very many ways to the end.
const MOST_NODES: NodeId = 1 << 12;

/// Where one token can lead more bytes away from the end, no rise in tokens is given: a text would soon be too far.
const MOST_RISE: u32 = FAR / 48;

/// Bytes of names and constants that are counted in tokens, those of short values first.
const MOST_BYTES: usize = 1 << 13;

/// Leaves whose shortest text has more bytes than this are counted in tokens.
const SHORT: u32 = 4;

/// What is found about the tokens of a graph, once a budget asks for it.
#[derive(Debug)]
pub struct GraphTokens {
    pub lengths: TokenLengths,
    /// How much farther from the end, in tokens, a text can be led; `None` if that is not known.
    pub rise: Option<Rise>,
}

/// The tables of a vocabulary, the id of each leaf's automaton in them, and the tokens of the graph's parts.
#[derive(Clone, Copy, Debug)]
pub struct Counting<'c> {
    pub tables: &'c Tables,
    pub automata: &'c [u32],
    pub tokens: &'c OnceLock<Option<GraphTokens>>,
}

impl<'c> Counting<'c> {
    pub fn has_every_byte(self) -> bool {
        self.tables.vocabulary.has_every_byte()
    }

    /// Whether everything is counted in bytes.
    pub fn is_in_bytes(self, graph: &CompiledGraph) -> bool {
        graph.nodes() > MOST_NODES && self.has_every_byte()
    }

    /// The tokens of the graph's parts; `None` if they are counted in bytes.
    pub fn tokens(self, graph: &CompiledGraph) -> Option<&'c GraphTokens> {
        let is_countable = graph.nodes() <= MOST_NODES && self.has_every_byte();
        self.tokens.get_or_init(|| is_countable.then(|| self.find_tokens(graph))).as_ref()
    }

    fn find_tokens(self, graph: &CompiledGraph) -> GraphTokens {
        let (mut stacks, mut path, mut potential) = (Stacks::default(), Vec::new(), Potential::default());
        let mut machine = Machine::new(graph, &mut stacks, &mut path);
        let leaf = |node| {
            let bytes = graph.facts.shortest(node);
            let start = Configuration { position: Position::Start(node), stack: END };
            if bytes <= SHORT { bytes } else { potential.tokens(&mut machine, self, &[start]) }
        };
        let left = Cell::new(MOST_BYTES);
        let spelled = |text: &[u8]| {
            left.set(left.get().saturating_sub(text.len()));
            if left.get() == 0 { text.len() as u32 } else { pieces(self.tables.vocabulary.plain(), text) }
        };
        let lengths = TokenLengths::new(graph, spelled, leaf);
        let is_low = |rise: &Rise| rise.member.max(rise.item).max(rise.value) <= MOST_RISE;
        let rise = graph.rise().filter(is_low).and_then(|_| graph.rise_in(&|node| lengths.of(node), true));
        GraphTokens { lengths, rise }
    }
}

/// Fewest tokens that spell a text, where every byte is a token.
fn pieces(tokens: &Trie, text: &[u8]) -> u32 {
    let mut fewest: Vec<u32> = (0..=text.len() as u32).collect();
    for start in 0..text.len() {
        let mut node = 0;
        for end in start + 1..=text.len() {
            let Some(child) = tokens.child(node, text[end - 1]) else { break };
            node = child;
            if !tokens.items_at(node).is_empty() {
                fewest[end] = fewest[end].min(fewest[start] + 1);
            }
        }
    }
    fewest[text.len()]
}
