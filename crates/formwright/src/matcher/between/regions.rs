//! What a head of a pushdown automaton reads until a part begins or ends inside of it, as regular languages.
//!
//! ```text
//! value: '"' [a-z]* '"' | "[" value "]"      a region whose exits are: the end after a string, and "[", which pushes "]"
//! ```
//!
//! Regular languages are read by characters. Where a part begins or ends inside of a character, a region is a byte.
//!
//! Cost: the subsets of controls that bytes lead to, each with every byte.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::characters::read_characters;
use super::suffix::Head;
use super::{STATES_OF_UNIT, states_leading_to};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{Graph, NodeId};
use crate::matcher::minimal::DEAD;
use crate::matcher::pushdown::{Control, EMPTY, PushdownAutomaton, RESUME, Step};
use crate::regular::{Encoding, explicit};

/// What a head reads until a part begins or ends.
pub struct Region {
    /// The steps with which a part begins or ends, each with the node of the texts up to it.
    pub exits: Vec<(Step, NodeId)>,
    /// Its states, unless it is a byte.
    states: Option<States>,
}

/// The subsets of controls inside of a region.
struct States {
    /// By state and byte, 256 a state: the state after it, or [`DEAD`].
    next: Vec<u16>,
    /// By state: its controls.
    controls: Vec<Vec<Control>>,
}

/// The controls that a byte leads to without leaving the region, and the exits that it takes.
type Subset = (Vec<Control>, Vec<u32>);

impl Region {
    /// The region of a head, of at most so many states, whose nodes are added to a graph.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] if there are more states.
    pub fn new(automaton: &PushdownAutomaton, head: Head, most_states: usize, graph: &mut Graph) -> Result<Self> {
        if (0x80..0xC0).any(|byte| !head.step(automaton, byte).is_empty()) {
            return Ok(Self::of_a_byte(automaton, head, graph));
        }
        let (states, subsets, steps) = list_states(automaton, head, most_states)?;
        let leads_out = |exit: u32| subsets.iter().map(|(_, exits)| exits.contains(&exit)).collect::<Vec<bool>>();
        let mut exits = Vec::new();
        for (step, exit) in steps.into_iter().zip(0..) {
            let Some(node) = states.node(&leads_out(exit), graph) else {
                return Ok(Self::of_a_byte(automaton, head, graph));
            };
            exits.push((step, node));
        }
        Ok(Self { exits, states: Some(states) })
    }

    /// Every step leads out.
    fn of_a_byte(automaton: &PushdownAutomaton, head: Head, graph: &mut Graph) -> Self {
        let mut bytes: IndexMap<Step, Vec<u8>, FxBuildHasher> = IndexMap::default();
        for byte in 0..=u8::MAX {
            for &step in head.step(automaton, byte) {
                bytes.entry(step).or_default().push(byte);
            }
        }
        let exits = bytes.into_iter().map(|(step, bytes)| (step, graph.literals(bytes.chunks(1)))).collect();
        Self { exits, states: None }
    }

    /// The texts, not empty, that lead to certain controls inside of it; `None` if there are none.
    pub fn texts_to(&self, mut is_wanted: impl FnMut(Control) -> bool, graph: &mut Graph) -> Option<NodeId> {
        let states = self.states.as_ref()?;
        let ends: Vec<bool> =
            states.controls.iter().map(|controls| controls.iter().any(|&control| is_wanted(control))).collect();
        if ends.contains(&true) { states.node(&ends, graph) } else { None }
    }
}

impl States {
    /// Texts from the first state to some others; `None` if one ends inside of a character.
    fn node(&self, ends: &[bool], graph: &mut Graph) -> Option<NodeId> {
        let states = read_characters(&self.next, 0, ends, &states_leading_to(&self.next, ends))?;
        Some(graph.regular(explicit(states, 0), Encoding::Text))
    }
}

/// The states of a region, what each came from, and the steps that lead out of it.
fn list_states(
    automaton: &PushdownAutomaton,
    head: Head,
    most_states: usize,
) -> Result<(States, Vec<Subset>, Vec<Step>)> {
    let mut steps: IndexMap<Step, (), FxBuildHasher> = IndexMap::default();
    let mut subsets: Vec<Subset> = vec![Subset::default()]; // the first is the head itself, before it has read anything
    let (mut numbers, mut next) = (FxHashMap::default(), Vec::new());
    while let Some((controls, _)) = subsets.get(next.len() / 256) {
        let heads = if next.is_empty() { vec![head] } else { controls.iter().copied().map(Head::Control).collect() };
        count(256 * heads.len() / STATES_OF_UNIT + 1);
        for byte in 0..=u8::MAX {
            let mut subset = Subset::default();
            for step in heads.iter().flat_map(|head| head.step(automaton, byte)) {
                if step.pushed == EMPTY && step.to != RESUME {
                    subset.0.push(step.to);
                } else {
                    subset.1.push(steps.insert_full(*step, ()).0 as u32);
                }
            }
            next.push(if subset == Subset::default() { DEAD } else { number(subset, &mut numbers, &mut subsets) });
        }
        if subsets.len() > most_states {
            return Err(Error::limit("form_states", subsets.len(), most_states));
        }
    }
    let controls = subsets.iter().map(|(controls, _)| controls.clone()).collect();
    Ok((States { next, controls }, subsets, steps.into_keys().collect()))
}

/// The number of a subset; a new one is the last.
fn number(mut subset: Subset, numbers: &mut FxHashMap<Subset, u16>, subsets: &mut Vec<Subset>) -> u16 {
    for numbers in [&mut subset.0, &mut subset.1] {
        numbers.sort_unstable();
        numbers.dedup();
    }
    *numbers.entry(subset).or_insert_with_key(|subset| {
        subsets.push(subset.clone());
        (subsets.len() - 1) as u16
    })
}
