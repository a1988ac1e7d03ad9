//! The characters that an automaton reads byte by byte.
//!
//! ```text
//! 0 -C3-> 1 -A9-> 2      0 -é-> 2
//! ```
//!
//! Cost: the characters of each state; states that read the rest of a character share it.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::STATES_OF_UNIT;
use crate::interrupt::count;
use crate::matcher::minimal::DEAD;
use crate::regular::ExplicitState;

/// The same automaton over characters, from a state on: of the table of an automaton over bytes, 256 a state, where its
/// texts may end, and which states lead to an end. `None` if a text ends inside of a character.
pub fn read_characters(next: &[u16], start: u16, ends: &[bool], live: &[bool]) -> Option<Vec<ExplicitState>> {
    let mut characters = Characters { next, ends, live, are_whole: true, spans: FxHashMap::default() };
    let states = characters.list_states_from(start);
    characters.are_whole.then_some(states)
}

/// Code points from the first to the last one, and the state after them.
type Span = (u32, u32, u16);

/// The characters of states that are read by bytes.
struct Characters<'a> {
    /// By state and byte, 256 a state: the state after it, or [`DEAD`].
    next: &'a [u16],
    /// By state: whether texts may end there.
    ends: &'a [bool],
    /// By state: whether it leads to an end.
    live: &'a [bool],
    /// Whether no text ends inside of a character.
    are_whole: bool,
    /// By state and the number of bytes that a character still has: the tails it may have, counted from 0.
    spans: FxHashMap<(u16, u32), Rc<[Span]>>,
}

impl Characters<'_> {
    /// The states that characters lead to, from `start` on.
    fn list_states_from(&mut self, start: u16) -> Vec<ExplicitState> {
        let (mut numbers, mut open) = (FxHashMap::from_iter([(start, 0)]), VecDeque::from([start]));
        let mut states = Vec::new();
        while let Some(state) = open.pop_front() {
            let mut classes: BTreeMap<u32, Vec<(char, char)>> = BTreeMap::new();
            for (low, high, to) in self.list_spans(state) {
                let number = numbers.len() as u32;
                let number = *numbers.entry(to).or_insert_with(|| {
                    open.push_back(to);
                    number
                });
                if let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) {
                    classes.entry(number).or_default().push((low, high));
                }
            }
            let edges = classes.into_iter().map(|(to, class)| (class.into(), to)).collect();
            states.push(ExplicitState { edges, is_accepting: self.ends[usize::from(state)] });
        }
        states
    }

    /// The characters from a state.
    fn list_spans(&mut self, state: u16) -> Vec<Span> {
        count(256 / STATES_OF_UNIT);
        let mut found = Vec::new();
        for lead in 0..=u8::MAX {
            let Some(to) = self.after(state, lead) else { continue };
            let (rest, bits) = match lead {
                ..0x80 => (0, u32::from(lead)),
                0x80..0xE0 => (1, u32::from(lead & 0x1F)),
                0xE0..0xF0 => (2, u32::from(lead & 0x0F)),
                0xF0.. => (3, u32::from(lead & 0x07)),
            };
            for &(low, high, to) in &*self.list_tails(to, rest) {
                add(&mut found, ((bits << (6 * rest)) + low, (bits << (6 * rest)) + high, to));
            }
        }
        found
    }

    /// The tails of so many bytes that a character may have from a state.
    fn list_tails(&mut self, state: u16, bytes: u32) -> Rc<[Span]> {
        if bytes == 0 {
            return Rc::new([(0, 0, state)]);
        }
        self.are_whole &= !self.ends[usize::from(state)];
        if let Some(known) = self.spans.get(&(state, bytes)) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        for bits in 0..64_u8 {
            let Some(to) = self.after(state, 0x80 | bits) else { continue };
            let first = u32::from(bits) << (6 * (bytes - 1));
            for &(low, high, to) in &*self.list_tails(to, bytes - 1) {
                add(&mut found, (first + low, first + high, to));
            }
        }
        count(64 / STATES_OF_UNIT + found.len());
        let found: Rc<[Span]> = found.into();
        self.spans.insert((state, bytes), Rc::clone(&found));
        found
    }

    /// The state after a byte, if it leads to an end.
    fn after(&self, state: u16, byte: u8) -> Option<u16> {
        let to = self.next[256 * usize::from(state) + usize::from(byte)];
        (to != DEAD && self.live[usize::from(to)]).then_some(to)
    }
}

/// Adds a span, ascending, to the one before it where that leads to the same state.
fn add(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some((_, high, to)) if *high + 1 == span.0 && *to == span.2 => *high = span.1,
        _ => spans.push(span),
    }
}
