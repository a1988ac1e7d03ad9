//! How much longer a text gets if it must be another value than those used before, whichever they are.
//!
//! ```text
//! {"type": "string"}                    five letters more: there are more such texts than one text can use up
//! {"id": <integer>, "kind": <enum>}     eight digits more
//! {"enum": ["a", "b"]}                  not bounded: there are only two
//! ```
//!
//! Where a detour is bounded, nothing need be asked about the values that were used, but near the end of a budget.
//!
//! Cost: a few passes over the nodes, once for a graph, if some array asks for it. A bound may be missed, or be too
//! large; what it says is enough for any text.

use super::extents::ESCAPE;
use super::{Array, CompiledGraph, INFINITE, LeafId, Node, NodeId, Object, UNBOUNDED};
use crate::regular::{DEAD, Encoding, StateId};

/// A text uses fewer than two to this power values.
const POWER: u32 = 22;

/// States of an automaton looked at.
const MOST_STATES: usize = 64;

/// Passes over the nodes.
const MOST_ROUNDS: usize = 16;

impl CompiledGraph {
    /// By node: the bytes, beside those of its shortest text; [`INFINITE`] where they are not bounded.
    pub(super) fn find_detours(&self) -> Box<[u32]> {
        let mut detours = vec![INFINITE; self.nodes() as usize];
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for node in 0..self.nodes() {
                if self.facts.shortest(node) < INFINITE {
                    let found = self.detour_in(node, &detours).min(INFINITE);
                    changed |= found < detours[node as usize];
                    detours[node as usize] = found.min(detours[node as usize]);
                }
            }
            if !changed {
                break;
            }
        }
        detours.into()
    }

    /// The same of one node, as far as it is known of its parts.
    fn detour_in(&self, node: NodeId, detours: &[u32]) -> u32 {
        let of = |node: NodeId| detours[node as usize];
        let longer = |node: NodeId| self.facts.shortest(node).saturating_add(of(node));
        match self.node(node) {
            Node::Regular(leaf) => self.detour_of_leaf(*leaf, self.automaton(*leaf).start().state()),
            Node::Text { leaf, low, high } => self.detour_of_characters(*leaf, *low, *high),
            Node::Object(object) => self.detour_of_members(object, &of).min(self.detour_by_name(object)),
            Node::Array(array) => self.detour_of_items(array, &of),
            Node::Sequence(parts) => parts.iter().map(|&part| of(part)).min().unwrap_or(INFINITE),
            Node::Choice(options) => {
                let nearest = options.iter().map(|&option| longer(option)).min().unwrap_or(INFINITE);
                nearest.saturating_sub(self.facts.shortest(node))
            }
            Node::Rule(target) => of(*target),
            _ => INFINITE,
        }
    }

    /// By one of the declared members.
    fn detour_of_members(&self, object: &Object, of: &dyn Fn(NodeId) -> u32) -> u32 {
        let around = self.costs.colon(&object.layout) + self.costs.between_items(&object.layout);
        let is_free = object.implied.is_empty() && !object.tracks_values() && object.high == UNBOUNDED;
        let members = object.members.iter().filter(|member| member.possible && (member.required || is_free));
        let detour = members.map(|member| {
            if member.required {
                return of(member.value);
            }
            let value = self.facts.shortest(member.value).saturating_add(of(member.value));
            value.saturating_add(member.name_bytes + around)
        });
        detour.min().unwrap_or(INFINITE)
    }

    /// By one more member of any name; that may always come.
    pub fn detour_by_name(&self, object: &Object) -> u32 {
        if object.tracks_values() || object.high != UNBOUNDED {
            return INFINITE;
        }
        let around = self.costs.colon(&object.layout) + self.costs.between_items(&object.layout);
        let kinds = object.undeclared.iter().filter(|kind| kind.most == UNBOUNDED).map(|kind| {
            let start = self.automaton(kind.name).start().state();
            let name = self.facts.shortest_of_leaf(kind.name).saturating_add(self.detour_of_leaf(kind.name, start));
            name.saturating_add(self.facts.shortest(kind.value)).saturating_add(around)
        });
        kinds.min().unwrap_or(INFINITE)
    }

    fn detour_of_items(&self, array: &Array, of: &dyn Fn(NodeId) -> u32) -> u32 {
        if !array.kinds.is_empty() {
            return INFINITE;
        }
        let must_come = (0..array.low.min(array.prefix.len() as u32 + 1)).filter_map(|index| array.item(index));
        let required = must_come.map(of).min().unwrap_or(INFINITE);
        let next = array.item(array.low.max(array.prefix.len() as u32));
        let further = next.map_or(INFINITE, |item| {
            let prefix = (array.low..array.prefix.len() as u32).filter_map(|index| array.item(index));
            let before = prefix.fold(0_u32, |all, item| all.saturating_add(self.facts.shortest(item)));
            let commas = self.costs.between_items(&array.layout).saturating_mul(array.prefix.len() as u32 + 1);
            before.saturating_add(commas).saturating_add(self.facts.shortest(item)).saturating_add(of(item))
        });
        required.min(further)
    }

    /// By so many characters of a leaf more.
    pub fn detour_of_characters(&self, leaf: LeafId, least: u32, most: u32) -> u32 {
        let letters = self.plain_characters(leaf).unwrap_or(0);
        match powers(letters) {
            Some(count) if count <= most => count.saturating_sub(least).saturating_add(2 * ESCAPE),
            _ => INFINITE,
        }
    }

    /// Inside a leaf, in any state that its texts can reach from one; not bounded where these are many.
    pub fn detour_throughout(&self, leaf: LeafId, state: StateId) -> u32 {
        if self.inside(leaf).is_some() {
            return self.detour_of_leaf(leaf, state);
        }
        let automaton = self.automaton(leaf);
        let (mut states, mut next, mut farthest) = (vec![state], 0, 0);
        while let Some(&from) = states.get(next) {
            next += 1;
            farthest = farthest.max(self.detour_of_leaf(leaf, from));
            if farthest >= INFINITE || states.len() > MOST_STATES {
                return INFINITE;
            }
            for (first, _) in automaton.classes() {
                let step = automaton.step(from, first);
                if step.goes_on() && step.state() != DEAD && !states.contains(&step.state()) {
                    states.push(step.state());
                }
            }
        }
        farthest
    }

    /// Inside a leaf: around a loop of several bytes, which in a number change its value.
    pub fn detour_of_leaf(&self, leaf: LeafId, state: StateId) -> u32 {
        if self.inside(leaf).is_some() {
            return self.detour_of_characters(leaf, 0, UNBOUNDED);
        }
        let automaton = self.automaton(leaf);
        let is_number = !matches!(self.leaf(leaf).encoding, Encoding::Json(_));
        let (mut states, mut next, mut nearest) = (vec![(state, 0_u32)], 0, INFINITE);
        while let Some(&(from, bytes)) = states.get(next) {
            next += 1;
            let mut width = 0;
            for (first, last) in automaton.classes() {
                if is_number && matches!(first, b'e' | b'E') {
                    continue; // zero stays zero
                }
                let step = automaton.step(from, first);
                if !step.goes_on() || step.state() == DEAD {
                    continue;
                }
                if step.state() == from {
                    let digits = usize::from(last.min(b'9').saturating_sub(first.max(b'1').saturating_sub(1)));
                    width += if is_number { digits } else { usize::from(last - first) + 1 };
                } else if states.len() < MOST_STATES && states.iter().all(|known| known.0 != step.state()) {
                    states.push((step.state(), bytes + 1));
                }
            }
            if let Some(count) = powers(width) {
                let all = bytes.saturating_add(count).saturating_add(automaton.shortest(from));
                nearest = nearest.min(all.saturating_sub(automaton.shortest(state)));
            }
        }
        nearest
    }
}

/// How many letters, each one of so many, make more texts than one text can use up.
fn powers(letters: usize) -> Option<u32> {
    (letters > 1).then(|| POWER.div_ceil(letters.ilog2()))
}
