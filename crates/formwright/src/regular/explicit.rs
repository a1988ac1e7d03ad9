//! A deterministic automaton given whole, as a language.
//!
//! Cost: a search among the ranges of a state for each derivative.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::implicit::{Implicit, ImplicitLanguage};
use super::tree::{Ranges, Regular};

/// A state of an [`ExplicitAutomaton`].
#[derive(Clone, Debug, Default)]
pub struct ExplicitState {
    /// Where classes of characters lead; the classes are disjoint, and all other characters lead nowhere.
    pub edges: Vec<(Ranges, u32)>,
    /// Whether a text may end here.
    pub is_accepting: bool,
}

/// The states; every one of them is on a way to an accepting one.
struct Table {
    states: Vec<ExplicitState>,
    /// Bytes to the nearest accepting state.
    shortest: Vec<u32>,
    digest: String,
}

/// An automaton and the state it is in.
struct ExplicitAutomaton {
    table: Arc<Table>,
    at: u32,
    key: String,
}

/// The language of an automaton from its state `start`. Every state must be on a way to an accepting one.
pub fn explicit(states: Vec<ExplicitState>, start: u32) -> Regular {
    let shortest = distances(&states);
    let digest = digest(&states);
    at_state(&Arc::new(Table { states, shortest, digest }), start)
}

fn at_state(table: &Arc<Table>, at: u32) -> Regular {
    let key = format!("explicit {} {at}", table.digest);
    Regular::Implicit(Implicit::new(ExplicitAutomaton { table: Arc::clone(table), at, key }))
}

/// What tells an automaton from all others.
fn digest(states: &[ExplicitState]) -> String {
    let mut hash = Sha256::new();
    for state in states {
        hash.update([u8::from(state.is_accepting)]);
        hash.update((state.edges.len() as u32).to_le_bytes());
        for (class, target) in &state.edges {
            hash.update((class.len() as u32).to_le_bytes());
            for &(low, high) in class.iter() {
                hash.update(u32::from(low).to_le_bytes());
                hash.update(u32::from(high).to_le_bytes());
            }
            hash.update(target.to_le_bytes());
        }
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Bytes from each state to the nearest accepting one.
fn distances(states: &[ExplicitState]) -> Vec<u32> {
    let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); states.len()];
    for (from, state) in (0..).zip(states) {
        for (class, target) in &state.edges {
            let bytes = class.first().map_or(1, |(low, _)| low.len_utf8() as u32);
            before[*target as usize].push((from, bytes));
        }
    }
    let mut shortest = vec![u32::MAX; states.len()];
    let mut queue: VecDeque<u32> =
        (0..).zip(states).filter(|(_, state)| state.is_accepting).map(|(at, _)| at).collect();
    for &at in &queue {
        shortest[at as usize] = 0;
    }
    while let Some(at) = queue.pop_front() {
        for &(from, bytes) in &before[at as usize] {
            let length = shortest[at as usize].saturating_add(bytes);
            if length < shortest[from as usize] {
                shortest[from as usize] = length;
                queue.push_back(from);
            }
        }
    }
    shortest
}

impl ExplicitAutomaton {
    fn state(&self) -> &ExplicitState {
        &self.table.states[self.at as usize]
    }
}

impl ImplicitLanguage for ExplicitAutomaton {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        let edges = self.table.states.iter().flat_map(|state| &state.edges);
        let mut classes: Vec<&Ranges> = edges.map(|(class, _)| class).collect();
        classes.sort_unstable();
        classes.dedup();
        classes.into_iter().map(|class| Regular::Class(class.clone())).collect()
    }

    fn derivative(&self, c: char) -> Regular {
        let has = |class: &Ranges| {
            let after = class.partition_point(|&(_, high)| high < c);
            class.get(after).is_some_and(|&(low, _)| low <= c)
        };
        let target = self.state().edges.iter().find(|(class, _)| has(class));
        target.map_or(Regular::Never, |&(_, target)| at_state(&self.table, target))
    }

    fn nullable(&self) -> bool {
        self.state().is_accepting
    }

    fn shortest(&self) -> Option<u32> {
        Some(self.table.shortest[self.at as usize])
    }
}
