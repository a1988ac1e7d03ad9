//! Which parts of a graph have more values than any text can use up.
//!
//! ```text
//! {"type": "string"}                          many
//! {"enum": ["a", "b"]}                        few
//! {"id": <integer>, "kind": <enum>}           many, as soon as one member has
//! ```
//!
//! Where items must all differ and one of many values may still come, nothing need be asked. "Few" may be said of too much,
//! never "many".
//!
//! Cost: a fixpoint over the nodes, once for a graph, if some array asks for it.

use super::{CompiledGraph, INFINITE, LeafId, Member, Node, NodeId, Object, UNBOUNDED, UndeclaredKind};
use crate::regular::{DEAD, Encoding, StateId};

/// Texts of so many characters of [`LETTERS`] different ones are more than a text can use up.
pub const MANY_CHARACTERS: u32 = 5;

/// Different characters.
const LETTERS: usize = 30;

/// States of an automaton looked at.
const MOST_STATES: usize = 64;

impl CompiledGraph {
    /// By node: whether it has more values than any text can use up.
    pub(super) fn find_many(&self) -> Box<[bool]> {
        let mut many = vec![false; self.nodes() as usize];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for node in 0..self.nodes() {
                let at = node as usize;
                if !many[at] && self.facts.shortest(node) < INFINITE && self.has_many(node, &many) {
                    (many[at], changed) = (true, true);
                }
            }
        }
        many.into()
    }

    /// The same of one node, as far as it is known of its parts.
    fn has_many(&self, node: NodeId, many: &[bool]) -> bool {
        let of = |node: NodeId| many[node as usize];
        match self.node(node) {
            Node::Regular(leaf) => self.may_go_on_in_many_ways(*leaf, self.automaton(*leaf).start().state()),
            Node::Text { leaf, high, .. } => self.are_many_characters(*leaf, *high),
            Node::Object(object) => {
                let is_free = object.implied.is_empty() && !object.tracks_values() && object.high == UNBOUNDED;
                let has_many = |member: &Member| (member.required || is_free) && member.possible && of(member.value);
                self.has_many_names(object) || object.members.iter().any(has_many)
            }
            Node::Array(array) => {
                let items = array.prefix.iter().zip(0..).filter(|&(_, index)| index < array.high).map(|(item, _)| *item);
                let rest = array.rest.filter(|_| array.high as usize > array.prefix.len());
                let rest = rest.filter(|&rest| self.facts.shortest(rest) < INFINITE);
                let grows = rest.is_some() && array.high == UNBOUNDED && !array.unique && array.differing.is_none();
                array.kinds.is_empty() && (grows || items.chain(rest).any(of))
            }
            Node::Sequence(parts) => parts.iter().any(|&part| of(part)),
            Node::Choice(options) => options.iter().any(|&option| of(option)),
            Node::Rule(target) => of(*target),
            _ => false,
        }
    }

    /// Whether an object may always have one more member of many names.
    pub fn has_many_names(&self, object: &Object) -> bool {
        let is_free = |kind: &UndeclaredKind| kind.most == UNBOUNDED && self.facts.shortest(kind.value) < INFINITE;
        !object.tracks_values() && object.high == UNBOUNDED && object.undeclared.iter().any(is_free)
    }

    /// Whether so many more characters of a leaf make many texts.
    pub fn are_many_characters(&self, leaf: LeafId, most: u32) -> bool {
        most == UNBOUNDED || most >= MANY_CHARACTERS && self.plain_characters(leaf).is_some_and(|all| all >= LETTERS)
    }

    /// Whether a leaf can go on with many values from a state: around a loop, which in a number changes its value.
    pub fn may_go_on_in_many_ways(&self, leaf: LeafId, state: StateId) -> bool {
        if self.inside(leaf).is_some() {
            return true;
        }
        let automaton = self.automaton(leaf);
        let is_number = !matches!(self.leaf(leaf).encoding, Encoding::Json(_));
        let (mut states, mut edges) = (vec![state], Vec::new());
        let mut next = 0;
        while let Some(&from) = states.get(next) {
            next += 1;
            for (first, last) in automaton.classes() {
                if is_number && matches!(first, b'e' | b'E') {
                    continue; // zero stays zero
                }
                let step = automaton.step(from, first);
                if !step.goes_on() || step.state() == DEAD {
                    continue;
                }
                let to = states.iter().position(|&known| known == step.state()).unwrap_or(states.len());
                if to == states.len() {
                    if states.len() == MOST_STATES {
                        continue;
                    }
                    states.push(step.state());
                }
                let changes = !is_number || first <= b'9' && last >= b'1' && last <= b'9';
                edges.push((next - 1, to, changes));
            }
        }
        edges.iter().any(|&(from, to, changes)| changes && reaches(&edges, to, from))
    }
}

fn reaches(edges: &[(usize, usize, bool)], from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (vec![from], vec![from]);
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        for &(_, next, _) in edges.iter().filter(|edge| edge.0 == at) {
            if !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    false
}
