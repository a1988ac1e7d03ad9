//! Reading and completing texts without a vocabulary.
//!
//! ```text
//! (19|20)\d\d    read "19"       2 bytes conform, not complete
//!                then complete   adds "00"
//! ```
//!
//! Cost: as a matcher that accepts single bytes; for every byte of a completion, bytes are tried until one leads nearer to
//! the end. It has stacks of its own and no cache of entries, as no mask is asked for.

use super::machine::{Configuration, Machine, Stacks, is_accepting, too_many_states};
use crate::error::Result;
use crate::interrupt::{bounded, count};
use crate::language::{CompiledGraph, Language};

/// Units of work that each byte of a text adds to those that reading it may take.
const WORK_OF_BYTE: u64 = 16;

/// A graph reading bytes, without a vocabulary.
#[derive(Debug)]
pub struct Recognizer<'g> {
    graph: &'g CompiledGraph,
    stacks: Stacks,
    path: Vec<u8>,
    configurations: Vec<Configuration>,
}

impl<'g> Recognizer<'g> {
    /// Before the first byte.
    pub fn new(graph: &'g CompiledGraph) -> Self {
        let (mut stacks, mut path) = (Stacks::default(), Vec::new());
        let configurations = Machine::new(graph, &mut stacks, &mut path).initial();
        Self { graph, stacks, path, configurations }
    }

    /// Reads as much of `text` as conforms; returns how many bytes that is.
    pub fn read(&mut self, text: &[u8]) -> usize {
        for (index, &byte) in text.iter().enumerate() {
            let mut machine = Machine::new(self.graph, &mut self.stacks, &mut self.path);
            if machine.is_full() {
                return index;
            }
            count(self.configurations.len());
            let next = machine.advance(&self.configurations, byte);
            if next.is_empty() {
                return index;
            }
            self.configurations = next;
        }
        text.len()
    }

    /// Whether the text so far is complete.
    pub fn is_accepting(&self) -> bool {
        is_accepting(&self.configurations)
    }

    /// Fails if a bound was reached on the way, so that the answers cannot be trusted.
    pub fn check_limits(&self) -> Result<()> {
        self.graph.check_parsers()?;
        self.stacks.check_room(self.graph)?;
        if self.graph.overflowed() { Err(too_many_states()) } else { Ok(()) }
    }

    /// Completes the text on a shortest way; returns the bytes added.
    pub fn shortest_completion(&mut self) -> Vec<u8> {
        let mut added = Vec::new();
        while !self.is_accepting() {
            let Some(way) = self.cheapest_byte() else { break };
            let Way { byte, next, .. } = self.without_whitespace(way);
            self.path.push(byte);
            self.configurations = next;
            added.push(byte);
        }
        added
    }

    /// What comes after whitespace, if it may come without it and leads as near to the end: inside an item that must
    /// differ from others, costs are estimated too high.
    fn without_whitespace(&mut self, way: Way) -> Way {
        if !way.byte.is_ascii_whitespace() {
            return way;
        }
        let here = std::mem::replace(&mut self.configurations, way.next.clone());
        self.path.push(way.byte);
        let after = self.cheapest_byte();
        self.path.pop();
        self.configurations = here;
        let nearer = after.filter(|after| after.cost < way.cost);
        let direct = nearer.and_then(|after| self.way(after.byte).filter(|direct| direct.cost <= after.cost));
        direct.unwrap_or(way)
    }

    /// Where a byte leads, if it may come.
    fn way(&mut self, byte: u8) -> Option<Way> {
        let mut machine = Machine::new(self.graph, &mut self.stacks, &mut self.path);
        let mut next = Vec::new();
        machine.step_all(&self.configurations, byte, &mut next, 0);
        (!next.is_empty()).then(|| Way { cost: machine.cost(&next), byte, next })
    }

    /// The byte that leads to the shortest completion. Where costs are exact, none makes them fall by more than one.
    fn cheapest_byte(&mut self) -> Option<Way> {
        let mut machine = Machine::new(self.graph, &mut self.stacks, &mut self.path);
        let is_exact = self
            .configurations
            .iter()
            .all(|&Configuration { stack, .. }| !machine.reads_items(stack) && machine.is_erased(stack));
        let least = if is_exact { machine.cost(&self.configurations).saturating_sub(1) } else { 0 };
        let mut cheapest: Option<Way> = None;
        for byte in PREFERRED.iter().copied().chain((0..=255).filter(|byte| !PREFERRED.contains(byte))) {
            count(4);
            let Some(way) = self.way(byte) else { continue };
            if cheapest.as_ref().is_none_or(|cheapest| way.cost < cheapest.cost) {
                let is_least = way.cost <= least;
                cheapest = Some(way);
                if is_least {
                    break;
                }
            }
        }
        cheapest
    }
}

/// A byte that may come.
struct Way {
    byte: u8,
    next: Vec<Configuration>,
    /// Bytes from there to the end.
    cost: u32,
}

/// Of equally short completions, examples take these bytes first, and whitespace last: the estimated cost of a name or
/// item may not count that the shortest one is used, so that whitespace would seem as cheap as to go on.
const PREFERRED: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\"{}[]:,.-_/@ ";

impl Language {
    /// How many bytes of `text` conform, and whether a complete text ends exactly at its end.
    ///
    /// # Errors
    /// As [`Language::compiled`]; [`Kind::Limit`](crate::Kind::Limit) if reading it takes too much work for its length.
    pub fn check(&self, text: &[u8]) -> Result<(usize, bool)> {
        let graph = self.compiled()?;
        bounded(self.work_to_read(text), || {
            let mut run = Recognizer::new(&graph);
            let read = run.read(text);
            run.check_limits()?;
            Ok((read, read == text.len() && run.is_accepting()))
        })
    }

    /// The units of work that reading a text may take: those of any call, and a few for each byte.
    fn work_to_read(&self, text: &[u8]) -> u64 {
        self.limits().work.saturating_add(WORK_OF_BYTE * text.len() as u64)
    }

    /// Where a complete text at the beginning of `text` may end, ascending.
    ///
    /// # Errors
    /// As [`Language::check`].
    pub fn ends(&self, text: &[u8]) -> Result<Vec<usize>> {
        let graph = self.compiled()?;
        bounded(self.work_to_read(text), || {
            let mut run = Recognizer::new(&graph);
            let mut ends = Vec::new();
            for at in 0..=text.len() {
                if run.is_accepting() {
                    ends.push(at);
                }
                if text.get(at..=at).is_none_or(|byte| run.read(byte) == 0) {
                    break;
                }
            }
            run.check_limits()?;
            Ok(ends)
        })
    }

    /// One of the shortest texts.
    ///
    /// # Errors
    /// As [`Language::compiled`]; [`Kind::Limit`](crate::Kind::Limit) if it is so long that finding it takes too much work.
    pub fn example(&self) -> Result<Vec<u8>> {
        let graph = self.compiled()?;
        graph.check_ends()?;
        bounded(self.limits().work, || {
            let mut run = Recognizer::new(&graph);
            let example = run.shortest_completion();
            graph.check_parsers().map(|()| example)
        })
    }
}
