//! What a head of a pushdown automaton reads until a part begins or ends inside of it, as regular languages.
//!
//! ```text
//! value: '"' [a-z]* '"' | "[" value "]"      a region whose exits are: the end after a string, and "[", which pushes "]"
//! ```
//!
//! Regular languages are read by characters. Where a part begins inside of one, since others begin with the same bytes, the
//! exit is after the character: the part has read its bytes by then.
//!
//! Cost: the subsets of controls that bytes lead to, each with every byte.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::characters::read_characters;
use super::suffix::Head;
use super::{STATES_OF_UNIT, find_states_leading_to};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{Graph, NodeId};
use crate::matcher::minimal::DEAD;
use crate::matcher::pushdown::{Control, PushdownAutomaton, RESUME, Step, Symbol};
use crate::regular::{Encoding, explicit};

/// Where a text leads: the control after it, and the symbols that it has pushed, the upper one first.
pub type Way = (Control, SmallVec<[Symbol; 4]>);

/// What a head reads until a part begins or ends.
pub struct Region {
    /// The ways on which a part begins or ends, each with the node of the texts up to there.
    pub exits: Vec<(Way, NodeId)>,
    states: States,
}

/// The states of a region; the first is the head itself, before it has read anything.
struct States {
    /// By state and byte, 256 a state: the state after it, or [`DEAD`].
    next: Vec<u16>,
    subsets: Vec<Subset>,
}

/// Where the same bytes lead.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Subset {
    /// Controls inside of the region.
    controls: Vec<Control>,
    /// Ways that leave it inside of a character.
    leaving: Vec<Way>,
    /// Ways that have left it with the last byte, by number.
    exits: Vec<u32>,
    /// Bytes that the character still has.
    missing: u8,
}

impl Region {
    /// The region of a head, of at most so many states, whose nodes are added to a graph.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] if there are more states.
    pub fn new(automaton: &PushdownAutomaton, head: Head, most_states: usize, graph: &mut Graph) -> Result<Self> {
        let (states, ways) = list_states(automaton, head, most_states)?;
        let leads_out =
            |exit: u32| states.subsets.iter().map(|subset| subset.exits.contains(&exit)).collect::<Vec<bool>>();
        let exits =
            ways.into_iter().zip(0..).map(|(way, exit)| (way, states.write_texts(&leads_out(exit), graph))).collect();
        Ok(Self { exits, states })
    }

    /// Writes the texts, not empty, that lead to certain controls inside of it; `None` if there are none.
    pub fn write_texts_to(&self, mut is_wanted: impl FnMut(Control) -> bool, graph: &mut Graph) -> Option<NodeId> {
        count(self.states.subsets.len());
        let is_end = |subset: &Subset| subset.missing == 0 && subset.controls.iter().any(|&control| is_wanted(control));
        let ends: Vec<bool> = self.states.subsets.iter().map(is_end).collect();
        ends.contains(&true).then(|| self.states.write_texts(&ends, graph))
    }
}

impl States {
    /// Writes the texts from the first state to some others, which are between two characters.
    fn write_texts(&self, ends: &[bool], graph: &mut Graph) -> NodeId {
        let states = read_characters(&self.next, 0, ends, &find_states_leading_to(&self.next, ends));
        graph.regular(explicit(states.expect("texts end between two characters"), 0), Encoding::Text)
    }

    /// The number of a subset; a new one is the last.
    fn number(&mut self, subset: Subset, numbers: &mut FxHashMap<Subset, u16>) -> u16 {
        *numbers.entry(subset).or_insert_with_key(|subset| {
            self.subsets.push(subset.clone());
            (self.subsets.len() - 1) as u16
        })
    }
}

/// The states of a region, and the ways that lead out of it.
fn list_states(automaton: &PushdownAutomaton, head: Head, most_states: usize) -> Result<(States, Vec<Way>)> {
    let (mut exits, mut numbers) = (IndexSet::default(), FxHashMap::default());
    let mut states = States { next: Vec::new(), subsets: vec![Subset::default()] };
    while let Some(from) = states.subsets.get(states.next.len() / 256).cloned() {
        let heads: Vec<Head> = if states.next.is_empty() {
            vec![head]
        } else {
            from.controls.iter().copied().map(Head::Control).collect()
        };
        count(256 * (heads.len() + from.leaving.len()) / STATES_OF_UNIT + 1);
        for byte in 0..=u8::MAX {
            let ways = follow(automaton, &heads, &from.leaving, byte);
            let to = if ways.is_empty() {
                DEAD
            } else {
                states.number(sort_ways(ways, bytes_missing(from.missing, byte), &mut exits), &mut numbers)
            };
            states.next.push(to);
        }
        if states.subsets.len() > most_states {
            return Err(Error::limit("form_states", states.subsets.len(), most_states));
        }
    }
    Ok((states, exits.into_iter().collect()))
}

/// Where a byte leads from some heads, and from ways that leave the region inside of a character.
fn follow(automaton: &PushdownAutomaton, heads: &[Head], leaving: &[Way], byte: u8) -> Vec<Way> {
    let after = |step: &Step, below: &[Symbol]| -> Way {
        (step.to, automaton.words().symbols(step.pushed).chain(below.iter().copied()).collect())
    };
    let mut ways: Vec<Way> =
        heads.iter().flat_map(|head| head.step(automaton, byte)).map(|step| after(step, &[])).collect();
    for (control, pushed) in leaving {
        let (head, below) = match pushed.split_first() {
            Some((&symbol, below)) if *control == RESUME => (Head::Symbol(symbol), below),
            _ => (Head::Control(*control), &**pushed),
        };
        ways.extend(head.step(automaton, byte).iter().map(|step| after(step, below)));
    }
    ways
}

/// Ways to which the same bytes lead: those inside of the region, and those that leave it.
fn sort_ways(ways: Vec<Way>, missing: u8, exits: &mut IndexSet<Way, FxBuildHasher>) -> Subset {
    let mut subset = Subset { missing, ..Subset::default() };
    for way in ways {
        if way.0 != RESUME && way.1.is_empty() {
            subset.controls.push(way.0);
        } else if missing == 0 {
            subset.exits.push(exits.insert_full(way).0 as u32);
        } else {
            assert!(way.0 != RESUME || !way.1.is_empty(), "parts consist of whole characters");
            subset.leaving.push(way);
        }
    }
    subset.leaving.sort_unstable();
    subset.leaving.dedup();
    for numbers in [&mut subset.controls, &mut subset.exits] {
        numbers.sort_unstable();
        numbers.dedup();
    }
    subset
}

/// The bytes that a character still has after one of them.
fn bytes_missing(before: u8, byte: u8) -> u8 {
    match byte {
        ..0xC0 => before.saturating_sub(1),
        0xC0..0xE0 => 1,
        0xE0..0xF0 => 2,
        0xF0.. => 3,
    }
}
