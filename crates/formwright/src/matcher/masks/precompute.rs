//! Entries that are made when a constraint is compiled.
//!
//! A text of a schema may never meet some of its patterns; a text of `\d{4}-\d\d-\d\d` certainly meets its states. So
//! for a language without JSON the first entries are made at once, from the start of the text on, and lie in the
//! matcher cache of the first text:
//!
//! ```text
//! few bytes may come    (19|20)\d\d, a word of a list      made when compiled: a few microseconds each
//! many bytes            [a-z]+, .*                         made when met: dense states take long, and are often shared
//! ```
//!
//! Cost: mostly 0.1-0.3 ms, bounded by [`EFFORT`]. There is one such cache. A second text that runs beside
//! the first text has only what the vocabulary shares: the terminal masks.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::{Bound, Entry, MaskCache, insert_entry, masker, without_names};
use crate::error::Result;
use crate::language::{Node, UNBOUNDED};
use crate::matcher::compiled::Compiled;
use crate::matcher::machine::{Configuration, Machine, Position, Stacks};
use crate::regular::ByteSet;
use crate::terminals::TokenSet;

/// How much work is done, in entries of few tokens.
const EFFORT: u32 = 96;

/// Most units of work to build automata on the way, some 2 ms.
const WORK: u64 = 1 << 15;

/// The work of an entry of many tokens, in entries of few tokens.
const DENSE: u32 = 16;

/// Nodes of a trie of texts that are walked in the time of one entry of few tokens.
const NODES: u32 = 256;

/// Where more bytes than this may come, an entry is left to the text that meets it.
const FEW: usize = 16;

/// With fewer trie nodes below, an entry takes too little time to be worth making ahead.
const SOME: u32 = 16;

/// A cache with the first entries of a constraint; none if its language has JSON in it, or only dense states.
pub fn precomputed(compiled: &Compiled) -> Option<MaskCache> {
    if !compiled.language().is_plain() || compiled.language().has_parser() || compiled.graph().has_rules() {
        return None; // a parser is asked for what texts need, and for nothing else; rules lead to many places
    }
    let most = EFFORT.min(compiled.tables().limits().automaton_states as u32 / 32); // texts need room as well
    let mut cache = MaskCache::default();
    let first = Machine::new(compiled.graph(), &mut cache.stacks, &mut Vec::new()).initial();
    let (mut seen, mut queue, mut effort) = (FxHashSet::default(), VecDeque::from(first), 0);
    let begun = compiled.graph().units();
    let is_within = |effort| effort < most && compiled.graph().units() - begun < WORK;
    while let Some(configuration) = queue.pop_front().filter(|_| is_within(effort)) {
        let bytes = masker(compiled, &mut cache, &mut Vec::new(), Bound::None).machine.first_bytes(&configuration);
        let texts = texts_from(compiled, configuration);
        let worth_it = if texts > 0 { texts >= SOME } else { bytes.iter().nth(FEW).is_none() };
        if worth_it && is_within(effort) {
            effort += work(insert_entry(compiled, &mut cache, configuration).ok()?) + texts / NODES;
            let mut next = following(compiled, &mut cache.stacks, configuration, &bytes).ok()?;
            next.extend(end_of_loop(compiled, configuration));
            queue.extend(
                next.into_iter()
                    .filter(|&configuration| seen.insert(without_names(compiled, &mut cache.stacks, configuration))),
            );
        }
    }
    (effort > 0).then_some(cache)
}

/// How many trie nodes lie below a configuration inside one of a set of texts, at most; 0 for others.
fn texts_from(compiled: &Compiled, configuration: Configuration) -> u32 {
    let (node, at) = match configuration.position {
        Position::Literal { node, at } => (node, at),
        Position::Start(node) => (node, 0),
        _ => return 0,
    };
    match compiled.graph().node(node) {
        Node::Lexicon(lexicon) => lexicon.bytes_below(lexicon.prefix(at)),
        Node::Pieces(pieces, _) => pieces.text().len() as u32,
        node => node.tree().map_or(0, |tree| tree.node(at).skip - at),
    }
}

/// The work that an entry took, tries of texts not counted.
fn work(entry: &Entry) -> u32 {
    let dense = entry.maps.iter().any(|(mask, _)| matches!(mask.independent, TokenSet::Map(_)));
    if dense { DENSE } else { 1 }
}

/// The end of a long loop, where its bound comes within the length of a token: until then, its states share one entry.
fn end_of_loop(compiled: &Compiled, configuration: Configuration) -> Option<Configuration> {
    let reach = compiled.tables().reach();
    let position = match configuration.position {
        Position::Terminal { leaf, state } => {
            Position::Terminal { leaf, state: compiled.graph().automaton(leaf).when_exhaustible(state, reach)? }
        }
        Position::Text { leaf, state, least, most } if reach <= most && most < UNBOUNDED => {
            let read = most - (reach - 1);
            Position::Text { leaf, state, least: least.saturating_sub(read), most: reach - 1 }
        }
        _ => return None,
    };
    Some(Configuration { position, ..configuration })
}

/// The configurations after each of some bytes.
fn following(
    compiled: &Compiled,
    stacks: &mut Stacks,
    configuration: Configuration,
    bytes: &ByteSet,
) -> Result<Vec<Configuration>> {
    let (mut path, mut next) = (Vec::new(), Vec::new());
    let mut machine = Machine::new(compiled.graph(), stacks, &mut path);
    for byte in bytes.iter() {
        let base = next.len();
        machine.step_all(&[configuration], byte, &mut next, base);
    }
    machine.check_limits()?;
    Ok(next)
}
