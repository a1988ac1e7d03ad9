//! Parts of a text in which only so many tokens may end.
//!
//! ```text
//! a text until "</t>", at most 8 tokens     after 4 of them, 4 are left: any token may come after which 3 bytes, or
//!                                           fewer, are missing to the end of the part: `</t>` and `<`, but not `a`
//! ```
//!
//! A token whose last byte lies in the part counts, also if the part ends with it; a token that goes on after the part
//! does not. Bytes that are accepted at once, not as a token, count as one.
//!
//! Why such a text never comes to a dead end: a part may only be left to run as long as the bytes to its end are no more
//! than its tokens left, every byte is a token, and the shortest ways that a budget relies on lead nearer to the end of the
//! part with every byte. So the tokens of such a way never are too many for the part. A part is entered with enough tokens
//! for any place inside it, so nothing before it is ever restricted.
//!
//! Cost: nothing for forms without such parts; else a look at each configuration for each token, and, where a text has
//! several, another step of each. Masks are cached as any others, but for the last few tokens of a part.
//!
//! Once the last token of a part was written, the text goes on after the part: a token that would begin inside
//! and end after it may not come any more.

use smallvec::SmallVec;

use super::history::History;
use super::machine::{Configuration, Machine, Position};
use crate::language::{CompiledGraph, LeafId, PartBound};

/// How many tokens ended in the part of each configuration.
pub type Counts = SmallVec<[u32; 4]>;

/// Tokens that may still end in a part after the one to be chosen.
#[derive(Clone, Copy, Debug)]
pub struct PartLeft {
    leaf: LeafId,
    tokens: u32,
}

impl PartLeft {
    /// Of the part that a configuration is inside of, if that is too few for some tokens it may read.
    pub fn of(graph: &CompiledGraph, configuration: &Configuration, count: u32) -> Option<Self> {
        let (bound, _) = bound_at(graph, configuration)?;
        let tokens = bound.most.saturating_sub(count + 1);
        (tokens < bound.farthest).then_some(Self { leaf: bound.leaf, tokens })
    }

    /// Whether a configuration after the next token can still leave the part in time.
    pub fn allows(self, graph: &CompiledGraph, configuration: &Configuration) -> bool {
        bound_at(graph, configuration).is_none_or(|(bound, missing)| self.covers(bound.leaf, missing))
    }

    /// Whether so many bytes may be missing to the end of a leaf after the next token.
    pub fn covers(self, leaf: LeafId, farthest: u32) -> bool {
        self.leaf != leaf || farthest <= self.tokens
    }
}

/// The bound of the part that a configuration is inside of, and the bytes to the end of that part.
fn bound_at<'g>(graph: &'g CompiledGraph, configuration: &Configuration) -> Option<(&'g PartBound, u32)> {
    let (leaf, state, least) = match configuration.position {
        Position::Terminal { leaf, state } => (leaf, state, 0),
        Position::Text { leaf, state, least, .. } => (leaf, state, least),
        _ => return None,
    };
    let bound = graph.bound_of(leaf)?;
    Some((bound, graph.automaton(leaf).shortest(state).saturating_add(least)))
}

/// No token has ended yet; empty for a graph without bounds.
pub fn no_counts(graph: &CompiledGraph, configurations: &[Configuration]) -> Counts {
    if graph.has_bounds() { SmallVec::from_elem(0, configurations.len()) } else { SmallVec::new() }
}

/// Counts a token that has led to some configurations, and takes those out that can no longer leave their part in time.
pub fn counted(machine: &mut Machine<'_>, history: &History, bytes: &[u8], reached: &mut Vec<Configuration>) -> Counts {
    let graph = machine.graph;
    if !graph.has_bounds() {
        return Counts::new();
    }
    let mut counts = Counts::new();
    let is_inside = |configuration: &Configuration| bound_at(graph, configuration).is_some();
    let origins = if reached.iter().any(is_inside) { origins(machine, history, bytes) } else { Vec::new() };
    reached.retain(|configuration| {
        let Some((bound, missing)) = bound_at(graph, configuration) else {
            counts.push(0);
            return true;
        };
        let ways = origins.iter().filter(|(_, to)| to.iter().any(|to| to.position == configuration.position));
        let before = ways.map(|(from, _)| if from.0 == Some(bound.leaf) { from.1 } else { 0 }).min();
        let count = before.unwrap_or(0) + u32::from(!bytes.is_empty());
        let is_in_time = count < bound.most && missing <= bound.most - count;
        counts.extend(is_in_time.then_some(count));
        is_in_time
    });
    counts
}

/// The part that a configuration is inside of, its count, and where a token leads from there.
type Origin = ((Option<LeafId>, u32), Vec<Configuration>);

/// Where a token leads from each configuration that it can come after.
fn origins(machine: &mut Machine<'_>, history: &History, bytes: &[u8]) -> Vec<Origin> {
    let (graph, start) = (machine.graph, history.path());
    let mut next = Vec::new();
    let mut origin = |(from, &count): (&Configuration, &u32)| {
        machine.path.truncate(start);
        let mut at = vec![*from];
        for &byte in bytes {
            machine.step_in_place(&mut at, &mut next, byte);
            machine.path.push(byte);
        }
        ((bound_at(graph, from).map(|(bound, _)| bound.leaf), count), at)
    };
    history.configurations().iter().zip(history.counts()).map(&mut origin).collect()
}
