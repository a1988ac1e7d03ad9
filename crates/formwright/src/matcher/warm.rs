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
//! Cost: at most [`PLACES`] masks and [`NODES`] nodes of texts, some 0.2 ms. Wrinkle: only one text finds the masks
//! themselves known, a second one beside it finds what the vocabulary shares of them.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::find::{masker, near_place, new_entry};
use super::memory::Memory;
use super::step::Machine;
use super::thread::{Head, Thread};
use crate::constraint::Constraint;
use crate::regular::ByteSet;

/// Places whose masks are found.
const PLACES: usize = 64;

/// So many bytes are few.
const FEW: usize = 16;

/// Nodes of texts that are walked for all of them.
const NODES: u32 = 1 << 13;

/// Texts with fewer nodes from a place on are walked in no time when they are met.
const SOME: u32 = 16;

/// A memory that knows the first masks of a constraint; none if its language has JSON in it, or only dense states.
pub fn warmed(constraint: &Constraint) -> Option<Memory> {
    if !constraint.program().graph.spaces.is_empty() {
        return None;
    }
    let (mut memory, mut path, mut nodes) = (Memory::default(), Vec::new(), 0);
    let first = Machine::new(constraint.program(), &mut memory.arena, &mut path).initial();
    let (mut seen, mut queue, mut places) = (FxHashSet::default(), VecDeque::from(first), 0);
    while let Some(thread) = queue.pop_front().filter(|_| places < PLACES) {
        nodes += texts_from(constraint, thread);
        let bytes = masker(constraint, &mut memory, &mut path, None).first_bytes(&thread);
        if !is_worth_it(constraint, thread, &bytes) || nodes > NODES {
            continue;
        }
        new_entry(constraint, &mut memory, thread).ok()?;
        places += 1;
        for byte in bytes.iter() {
            let mut next = Vec::new();
            let mut machine = Machine::new(constraint.program(), &mut memory.arena, &mut path);
            machine.step_all(&[thread], byte, &mut next, 0);
            machine.sound().ok()?;
            let new = |thread: &Thread| seen.insert(near_place(constraint, &mut memory.arena, *thread));
            queue.extend(next.into_iter().filter(new));
        }
    }
    (places > 0).then_some(memory)
}

/// Whether the mask of a place is sure to be asked for, dear enough to be found now, and cheap enough.
fn is_worth_it(constraint: &Constraint, thread: Thread, bytes: &ByteSet) -> bool {
    let texts = texts_from(constraint, thread);
    if texts > 0 { texts >= SOME } else { bytes.iter().nth(FEW).is_none() }
}

/// How many nodes of texts lie ahead, if it is a place in some.
fn texts_from(constraint: &Constraint, thread: Thread) -> u32 {
    let (node, at) = match thread.head {
        Head::Literal { node, at } => (node, at),
        Head::Start(node) => (node, 0),
        _ => return 0,
    };
    constraint.program().node(node).tree().map_or(0, |tree| tree.node(at).skip - at)
}
