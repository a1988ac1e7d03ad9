//! Finding what a state allows: from what is remembered, or by a walk that is remembered then.
//!
//! ```text
//! thread ── key: its head as it was forgotten, the near form of what comes after ── entry
//!                                                    doubtful tokens: tried here, at every visit
//! ```
//!
//! Cost: two look-ups for a known entry. Wrinkle: an entry is made for the place as it was forgotten, after no text; where too
//! much depends on what was forgotten, it is made again with the text at hand.

use std::sync::Arc;

use super::arena::Arena;
use super::budget::Budget;
use super::leaves;
use super::mask::{Entry, Masker};
use super::memory::Memory;
use super::near::near_items;
use super::row::{Mask, write};
use super::step::Machine;
use super::thread::{Head, Phase, Thread};
use super::words::Row;
use crate::constraint::Constraint;
use crate::error::Result;
use crate::language::{Node, NodeId};

/// An entry that leaves more tokens than this in doubt is made anew, with the names used before, for every mask.
const DOUBTS: usize = 32;

/// Adds what threads allow. If it must be `quick`, fails where a leaf mask would be made.
pub fn find(
    constraint: &Constraint,
    memory: &mut Memory,
    threads: &[Thread],
    path: &mut Vec<u8>,
    quick: bool,
    mask: &mut Mask,
) -> Result<()> {
    memory.leaves.quick = quick;
    for &thread in threads {
        mask.ends |= thread.head == Head::Accept;
        let mut entry = match known_entry(constraint, memory, thread) {
            Some(known) => Arc::clone(known),
            None => Arc::clone(new_entry(constraint, memory, thread)?),
        };
        if !entry.doubtful.is_empty() {
            entry = decided(constraint, memory, path, thread, entry, mask)?;
        }
        mask.add_named(constraint.graph(), &mut memory.arena, thread, &entry);
        mask.entries.push(entry);
    }
    Ok(())
}

/// Writes what threads allow, if they are one place, where the text may end or not, and its entry says it all: mostly so,
/// and nothing is counted or collected then. Otherwise tells that it did not.
pub fn write_one<R: Row + ?Sized>(
    constraint: &Constraint,
    memory: &mut Memory,
    threads: &[Thread],
    quick: bool,
    row: &R,
) -> Result<bool> {
    let vocabulary = &constraint.tables().vocabulary;
    let (thread, ends) = match *threads {
        [Thread { head: Head::Accept, .. }] => {
            write(&[] as &[&Entry], &[], true, vocabulary, row); // the end of every text
            return Ok(true);
        }
        [thread] => (thread, false),
        [thread, Thread { head: Head::Accept, .. }] | [Thread { head: Head::Accept, .. }, thread] => (thread, true),
        _ => return Ok(false),
    };
    let written = |entry: &Entry| {
        let is_all = entry.allows && entry.is_sure();
        if is_all {
            write(&[entry], &[], ends, vocabulary, row);
        }
        is_all
    };
    if let Some(known) = known_entry(constraint, memory, thread) {
        return Ok(written(known));
    }
    memory.leaves.quick = quick;
    Ok(written(new_entry(constraint, memory, thread)?))
}

/// The entry of a thread, if it is remembered.
#[inline]
fn known_entry<'m>(constraint: &Constraint, memory: &'m mut Memory, thread: Thread) -> Option<&'m Arc<Entry>> {
    let cont = memory.arena.known_near(thread.cont)?;
    let head = key_head(constraint, &mut memory.arena, thread.head);
    memory.entries.get(&Thread { head, cont })
}

/// The entry of a thread that is made, or known from a place that is near it, and remembered.
#[inline(never)]
pub fn new_entry<'m>(constraint: &Constraint, memory: &'m mut Memory, thread: Thread) -> Result<&'m Arc<Entry>> {
    let mut nothing = std::mem::take(&mut memory.path);
    let plain = near_place(constraint, &mut memory.arena, thread);
    let mut machine = Machine::new(constraint.graph(), &mut memory.arena, &mut nothing);
    let key = Thread { cont: machine.near(thread.cont, &constraint.tables().sight), ..plain };
    if memory.entries.contains_key(&key) {
        memory.path = nothing;
        return Ok(&memory.entries[&key]);
    }
    let entry = masker(constraint, memory, &mut nothing, None).entry(plain);
    memory.path = nothing;
    Ok(memory.remember(key, entry?, constraint.tables().limits().matcher_cache_bytes))
}

/// What a thread's mask depends on: where it stands, less what no token can tell.
pub fn near_place(constraint: &Constraint, arena: &mut Arena, thread: Thread) -> Thread {
    Thread { head: key_head(constraint, arena, thread.head), cont: arena.forgotten(thread.cont) }
}

/// What a mask depends on of a place: neither the undeclared names that were used, nor how many characters, items or
/// rounds of a loop may come if no token has so many.
#[inline]
fn key_head(constraint: &Constraint, arena: &mut Arena, head: Head) -> Head {
    let mut head = arena.forget_head(head);
    let reach = constraint.tables().reach();
    match &mut head {
        Head::Text { least, most, .. } => (*least, *most) = leaves::clamped((*least, *most), reach),
        Head::Leaf { leaf, state } => *state = constraint.graph().automaton(*leaf).representative(*state, reach),
        Head::Array { phase: Phase::Value, array, count, .. } => {
            *count = near_count(constraint, *array, *count);
        }
        _ => {}
    }
    head
}

/// A number of items that stands for all that no token can tell from it. Apart from the way that every mask takes.
#[inline(never)]
fn near_count(constraint: &Constraint, array: NodeId, count: u32) -> u32 {
    match constraint.graph().node(array) {
        Node::Array(array) => near_items(array, count, constraint.tables().sight.commas),
        _ => count,
    }
}

/// Adds the doubtful tokens of an entry that `thread` can read. If they are many, the entry is made anew for this place,
/// unless nothing about it was forgotten.
#[cold]
fn decided(
    constraint: &Constraint,
    memory: &mut Memory,
    path: &mut Vec<u8>,
    thread: Thread,
    mut entry: Arc<Entry>,
    mask: &mut Mask,
) -> Result<Arc<Entry>> {
    let known = thread == near_place(constraint, &mut memory.arena, thread);
    let mut masker = masker(constraint, memory, path, None);
    if entry.doubtful.len() > DOUBTS && !known {
        entry = Arc::new(masker.entry(thread)?);
    }
    mask.decided.extend(masker.decide(thread, &entry.doubtful)?);
    Ok(entry)
}

/// A masker for one thread after `path`.
pub fn masker<'m>(
    constraint: &'m Constraint,
    memory: &'m mut Memory,
    path: &'m mut Vec<u8>,
    budget: Option<Budget<'m>>,
) -> Masker<'m> {
    let Memory { arena, buffer, tokens, leaves, .. } = memory;
    let machine = Machine::new(constraint.graph(), arena, path);
    Masker::new(machine, constraint.tables(), constraint.links(), budget, (buffer, tokens), leaves)
}
