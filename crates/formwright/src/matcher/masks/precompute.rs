//! Masks found before they are asked for.
//!
//! A text of a schema meets a few of its patterns, maybe; a text of `\d{4}-\d\d-\d\d` meets its states for sure. So the
//! masks of a language without JSON are found when it is compiled, from the start on, and its first text finds them
//! known:
//!
//! ```text
//! few bytes may come    (19|20)\d\d, a word of a list      found now: a few microseconds each
//! many                  [a-z]+, .*                         found when met: dense states take long, and are often shared
//! ```
//!
//! Cost: mostly 0.1-0.3 ms, bounded by [`EFFORT`]. Wrinkle: only one text finds the masks themselves known, a second one beside it
//! finds what the vocabulary shares of them.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::{Entry, MatcherCache, insert_entry, masker, without_names};
use crate::error::Result;
use crate::language::UNBOUNDED;
use crate::matcher::constraint::Constraint;
use crate::matcher::machine::{Configuration, Machine, Position, Stacks};
use crate::regular::ByteSet;
use crate::terminals::TokenSet;

/// So many masks of few tokens are found.
const EFFORT: u32 = 96;

/// A mask of many tokens takes as long as so many others.
const MANY: u32 = 16;

/// So many nodes of texts are walked while the mask of a leaf is found.
const NODES: u32 = 256;

/// So many bytes are few.
const FEW: usize = 16;

/// Texts with fewer nodes from a place on are walked in no time when they are met.
const SOME: u32 = 16;

/// A cache that knows the first masks of a constraint; none if its language has JSON in it, or only dense states.
pub fn precomputed(constraint: &Constraint) -> Option<MatcherCache> {
    if !constraint.language().is_plain() {
        return None;
    }
    let most = EFFORT.min(constraint.tables().limits().automaton_states as u32 / 32); // texts need room as well
    let mut cache = MatcherCache::default();
    let first = Machine::new(constraint.graph(), &mut cache.stacks, &mut Vec::new()).initial();
    let (mut seen, mut queue, mut effort) = (FxHashSet::default(), VecDeque::from(first), 0);
    while let Some(configuration) = queue.pop_front().filter(|_| effort < most) {
        let bytes = masker(constraint, &mut cache, &mut Vec::new(), None).first_bytes(&configuration);
        let texts = texts_from(constraint, configuration);
        let worth_it = if texts > 0 { texts >= SOME } else { bytes.iter().nth(FEW).is_none() };
        if worth_it {
            effort += taken(insert_entry(constraint, &mut cache, configuration).ok()?) + texts / NODES;
            let mut next = following(constraint, &mut cache.stacks, configuration, &bytes).ok()?;
            next.extend(near_its_end(constraint, configuration));
            queue.extend(
                next.into_iter()
                    .filter(|&configuration| seen.insert(without_names(constraint, &mut cache.stacks, configuration))),
            );
        }
    }
    (effort > 0).then_some(cache)
}

/// How many nodes of texts lie ahead, if it is a place in some.
fn texts_from(constraint: &Constraint, configuration: Configuration) -> u32 {
    let (node, at) = match configuration.position {
        Position::Literal { node, at } => (node, at),
        Position::Start(node) => (node, 0),
        _ => return 0,
    };
    constraint.graph().node(node).tree().map_or(0, |tree| tree.node(at).skip - at)
}

/// What it took to find a mask, texts aside.
fn taken(entry: &Entry) -> u32 {
    let many = entry.maps.iter().any(|(mask, _)| matches!(mask.independent, TokenSet::Map(_)));
    if many { MANY } else { 1 }
}

/// Where a long loop comes to at last: until then, its states have one mask.
fn near_its_end(constraint: &Constraint, configuration: Configuration) -> Option<Configuration> {
    let longest_plus_one = constraint.tables().longest_plus_one();
    let position = match configuration.position {
        Position::Terminal { leaf, state } => Position::Terminal {
            leaf,
            state: constraint.graph().automaton(leaf).when_exhaustible(state, longest_plus_one)?,
        },
        Position::Text { leaf, state, least, most } if longest_plus_one <= most && most < UNBOUNDED => {
            let read = most - (longest_plus_one - 1);
            Position::Text { leaf, state, least: least.saturating_sub(read), most: longest_plus_one - 1 }
        }
        _ => return None,
    };
    Some(Configuration { position, ..configuration })
}

/// Where some bytes lead.
fn following(
    constraint: &Constraint,
    stacks: &mut Stacks,
    configuration: Configuration,
    bytes: &ByteSet,
) -> Result<Vec<Configuration>> {
    let (mut path, mut next) = (Vec::new(), Vec::new());
    let mut machine = Machine::new(constraint.graph(), stacks, &mut path);
    for byte in bytes.iter() {
        let base = next.len();
        machine.step_all(&[configuration], byte, &mut next, base);
    }
    machine.check_limits()?;
    Ok(next)
}
