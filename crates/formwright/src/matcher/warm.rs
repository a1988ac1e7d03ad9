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

use super::arena::Arena;
use super::find::{masker, near_place, new_entry};
use super::mask::Entry;
use super::memory::Memory;
use super::step::Machine;
use super::thread::{Head, Thread};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::language::UNBOUNDED;
use crate::leaf::Body;
use crate::regular::ByteSet;

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

/// A memory that knows the first masks of a constraint; none if its language has JSON in it, or only dense states.
pub fn warmed(constraint: &Constraint) -> Option<Memory> {
    if !constraint.language().is_plain() {
        return None;
    }
    let most = EFFORT.min(constraint.tables().limits().automaton_states as u32 / 32); // texts need room as well
    let mut memory = Memory::default();
    let first = Machine::new(constraint.graph(), &mut memory.arena, &mut Vec::new()).initial();
    let (mut seen, mut queue, mut effort) = (FxHashSet::default(), VecDeque::from(first), 0);
    while let Some(thread) = queue.pop_front().filter(|_| effort < most) {
        let bytes = masker(constraint, &mut memory, &mut Vec::new(), None).first_bytes(&thread);
        let texts = texts_from(constraint, thread);
        let worth_it = if texts > 0 { texts >= SOME } else { bytes.iter().nth(FEW).is_none() };
        if worth_it {
            effort += taken(new_entry(constraint, &mut memory, thread).ok()?) + texts / NODES;
            let mut next = following(constraint, &mut memory.arena, thread, &bytes).ok()?;
            next.extend(near_its_end(constraint, thread));
            queue.extend(
                next.into_iter().filter(|&thread| seen.insert(near_place(constraint, &mut memory.arena, thread))),
            );
        }
    }
    (effort > 0).then_some(memory)
}

/// How many nodes of texts lie ahead, if it is a place in some.
fn texts_from(constraint: &Constraint, thread: Thread) -> u32 {
    let (node, at) = match thread.head {
        Head::Literal { node, at } => (node, at),
        Head::Start(node) => (node, 0),
        _ => return 0,
    };
    constraint.graph().node(node).tree().map_or(0, |tree| tree.node(at).skip - at)
}

/// What it took to find a mask, texts aside.
fn taken(entry: &Entry) -> u32 {
    let many = entry.maps.iter().any(|(mask, _)| matches!(mask.body, Body::Map(_)));
    if many { MANY } else { 1 }
}

/// Where a long loop comes to at last: until then, its states have one mask.
fn near_its_end(constraint: &Constraint, thread: Thread) -> Option<Thread> {
    let reach = constraint.tables().reach();
    let head = match thread.head {
        Head::Leaf { leaf, state } => {
            Head::Leaf { leaf, state: constraint.graph().automaton(leaf).when_exhaustible(state, reach)? }
        }
        Head::Text { leaf, state, least, most } if reach <= most && most < UNBOUNDED => {
            let read = most - (reach - 1);
            Head::Text { leaf, state, least: least.saturating_sub(read), most: reach - 1 }
        }
        _ => return None,
    };
    Some(Thread { head, ..thread })
}

/// Where some bytes lead.
fn following(constraint: &Constraint, arena: &mut Arena, thread: Thread, bytes: &ByteSet) -> Result<Vec<Thread>> {
    let (mut path, mut next) = (Vec::new(), Vec::new());
    let mut machine = Machine::new(constraint.graph(), arena, &mut path);
    for byte in bytes.iter() {
        let base = next.len();
        machine.step_all(&[thread], byte, &mut next, base);
    }
    machine.sound()?;
    Ok(next)
}
