//! How much farther from the end a token can lead, at most: where the budget is larger than that, nothing is asked.
//!
//! Three things lead away from the end, each begun by a byte of structure: a member or item that need not come, an
//! alternative dearer than the shortest one, and a text longer than the shortest one. The alternatives of a tail are
//! values together with the rest of their object; those of a value that may be a witness are not bounded.
//!
//! ```text
//! {"a": 1     `, "b": [`     a member is begun, `"b":0,` at most, and a value, which may be an array: `[]`
//! ```
//!
//! Cost: a look at each node, once for a graph. It holds whether the way to the end is counted in bytes or in
//! tokens. In tokens, even a name that must come can lead away: the tokens that spell the rest of it may be smaller, and
//! an alternative may be dearer by as much as it has bytes.

use rustc_hash::FxHashSet;

use super::extents::{ESCAPE, extent};
use super::{Array, CompiledGraph, INFINITE, Leaf, LeafId, Node, NodeId, Object, ObjectPosition, Tail, TextSet};

/// Bytes by which the end of a counted text can be farther inside of it: where any character may be escaped, two escapes
/// can be one character.
pub const TEXT_RISE: u32 = 2 * ESCAPE;

/// Bytes of the quotes of a string.
const QUOTES: u32 = 2;

/// Rounds in which something is found of each node that depends on that of its parts.
const MOST_ROUNDS: usize = 16;

/// Not known.
const UNKNOWN: u32 = u32::MAX;

/// By how much what begins can lead away from the end, at most: in bytes, or in as many tokens. `u32::MAX` where that is
/// not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rise {
    /// A member, beside its value.
    pub member: u32,
    /// An item, beside its value.
    pub item: u32,
    /// A value.
    pub value: u32,
}

impl Rise {
    /// What can begin in either of two places.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            member: self.member.max(other.member),
            item: self.item.max(other.item),
            value: self.value.max(other.value),
        }
    }
}

/// How far the texts of a graph can be led from their end.
#[derive(Debug)]
pub struct Rises {
    /// By whitespace, and by what begins without a byte of structure: the next part of a sequence, or one more round.
    pub unseen: u32,
    /// By what can begin anywhere.
    pub anywhere: Rise,
    /// By object or array: by what can begin directly inside it.
    inside: Box<[Rise]>,
    /// By node: by what can begin in it, however deep.
    within: Box<[Rise]>,
    /// By node: by the node itself. What its shortest text takes, and so much more, is at least what is left anywhere
    /// inside of it.
    values: Box<[u32]>,
}

impl Rises {
    /// By what can begin directly inside an object or array.
    pub fn inside(&self, node: NodeId) -> Rise {
        self.inside[node as usize]
    }

    /// By what can begin in a node, however deep.
    pub fn within(&self, node: NodeId) -> Rise {
        self.within[node as usize]
    }

    /// By a node, once it has begun, before a part of it has begun that need not come.
    pub fn of_value(&self, node: NodeId) -> u32 {
        self.values[node as usize]
    }
}

impl CompiledGraph {
    /// How much farther from the end its texts can be led; `None` for grammars, where rounds may nest without end.
    pub(super) fn find_rises(&self) -> Option<Rises> {
        let has_no_brackets = |&node: &NodeId| match self.node(node) {
            Node::Object(object) => object.is_unbraced(),
            node => matches!(node, Node::Sequence(_) | Node::Repeat { .. }),
        };
        let is_composed = (0..self.nodes()).any(|node| has_no_brackets(&node));
        if is_composed && self.has_rules() {
            return None;
        }
        let rise = |node, known: &[u32]| self.rise_of_value(node, known).unwrap_or(UNKNOWN);
        let mut values: Box<[u32]> = vec![0; self.nodes() as usize].into();
        if !is_composed {
            values = (0..self.nodes()).map(|node| rise(node, &values)).collect();
        } else if !self.settle(&mut values, rise) {
            return None;
        }
        let without_brackets = (0..self.nodes()).filter(has_no_brackets).map(|node| values[node as usize]);
        let unseen = without_brackets.max().unwrap_or(0).saturating_add(self.spaces().farthest());
        let mut inside: Box<[Rise]> = (0..self.nodes()).map(|node| self.rise_inside(node, &values)).collect();
        let anywhere = inside.iter().fold(Rise::default(), |all, rise| all.or(*rise));
        let value = values.iter().fold(anywhere.value, |all, rise| all.max(*rise));
        let anywhere = Rise { value, ..anywhere };
        for node in 0..self.nodes() {
            // Where an object ends with a tail, the rest of it is another object.
            if matches!(self.node(node), Node::Object(object) if object.tails > 0) {
                inside[node as usize] = anywhere;
            }
        }
        let mut within = inside.clone();
        let is_settled = self.settle(&mut within, |node, within: &[Rise]| {
            let mut begun = within[node as usize];
            self.node(node).each_part(|part| begun = begun.or(within[part as usize]));
            begun
        });
        if !is_settled {
            within.fill(anywhere);
        }
        Some(Rises { unseen, anywhere, inside, within, values })
    }

    /// Finds something of each node that depends on that of its parts, from the least value on. Nodes are visited in both
    /// orders, so that long chains take few rounds; false if [`MOST_ROUNDS`] were too few.
    fn settle<T: PartialEq>(&self, of_nodes: &mut [T], find: impl Fn(NodeId, &[T]) -> T) -> bool {
        (0..MOST_ROUNDS).any(|round| {
            let mut changed = false;
            for at in 0..self.nodes() {
                let node = if round % 2 == 0 { self.nodes() - 1 - at } else { at };
                let found = find(node, of_nodes);
                changed |= of_nodes[node as usize] != found;
                of_nodes[node as usize] = found;
            }
            !changed
        })
    }

    /// What can begin directly inside an object or array.
    fn rise_inside(&self, node: NodeId, values: &[u32]) -> Rise {
        let (member, item) = match self.node(node) {
            Node::Object(object) => (self.rise_of_object(object).unwrap_or(UNKNOWN), 0),
            Node::Array(array) => (0, self.rise_of_array(array).unwrap_or(UNKNOWN)),
            _ => return Rise::default(),
        };
        // A value that is not a witness can make another member necessary.
        let is_open = matches!(self.node(node), Node::Object(object) if object.tracks_values());
        let mut value = if is_open { UNKNOWN } else { 0 };
        self.node(node).each_part(|part| value = value.max(values[part as usize]));
        Rise { member, item, value }
    }

    /// Bytes of the dearest member that need not come, or name that must, with a comma. Where members are counted, one can
    /// bring others with it.
    fn rise_of_object(&self, object: &Object) -> Option<u32> {
        if object.tracks_values() {
            return None;
        }
        self.with_lengths(&object.layout, |lengths| {
            let name = lengths.colon + lengths.between;
            let value = |node| (lengths.value)(node).saturating_add(name);
            let mut dearest = 0;
            for (member, index) in object.members.iter().zip(0..) {
                // Of the members with which a common prefix ends, any one may come.
                if member.possible && (!member.required || object.ends_with(index)) {
                    dearest = dearest.max(value(member.value).saturating_add(member.name_bytes));
                } else {
                    dearest = dearest.max(member.name_bytes + name);
                }
            }
            for kind in &object.undeclared {
                let name = self.automaton(kind.name).farthest_unused()?;
                dearest = dearest.max(value(kind.value).saturating_add(name));
            }
            let mut implied: Vec<u32> = object.implied.iter().map(|&(_, implied)| implied).collect();
            implied.sort_unstable();
            implied.dedup();
            let implied = implied.into_iter().map(|member| &object.members[member as usize]);
            let implied = implied
                .fold(0_u32, |all, member| all.saturating_add(value(member.value)).saturating_add(member.name_bytes));
            Some(dearest.saturating_mul(object.low.saturating_add(1)).saturating_add(implied))
        })
    }

    /// Bytes of the dearest member of an object without braces, with its value. Those that must come may get new names too.
    fn rise_without_brackets(&self, object: &Object, known: &[u32]) -> Option<u32> {
        let mut dearest = 0_u32;
        for kind in &object.undeclared {
            let name = self.automaton(kind.name).farthest_unused()?;
            let value = self.facts.shortest(kind.value).saturating_add(known[kind.value as usize]);
            dearest = dearest.max(value.saturating_add(name));
        }
        let dearest = dearest.saturating_add(self.costs.between_items(&object.layout));
        Some(dearest.saturating_mul(object.low.saturating_add(1)))
    }

    fn rise_of_array(&self, array: &Array) -> Option<u32> {
        if array.unique || !array.kinds.is_empty() {
            return None;
        }
        let detour = if array.differing.is_some() { array.rest.map_or(0, |rest| self.detour(rest)) } else { 0 };
        if detour >= INFINITE {
            return None;
        }
        let items = array.prefix.iter().chain(&array.rest).map(|&item| self.facts.shortest(item));
        let dearest = items.filter(|&item| item < INFINITE).max().unwrap_or(0);
        Some(dearest.saturating_add(detour).saturating_add(self.costs.between_items(&array.layout)))
    }

    /// Bytes by which the end of a node can be farther from any place inside of it than from before it, before a part of
    /// it has begun that need not come. Where no brackets show that a part begins, it counts with the node. `known` says
    /// the same of all nodes, as far as it is found.
    fn rise_of_value(&self, node: NodeId, known: &[u32]) -> Option<u32> {
        let shortest = self.facts.shortest(node);
        if shortest >= INFINITE {
            return Some(0);
        }
        let farthest = self.farthest_inside(node, known)?;
        Some(match self.node(node) {
            // A shorter alternative may have been counted, and in tokens even the shortest text may cost less than its
            // bytes: the full length is added.
            Node::Regular(_)
            | Node::Literals(_)
            | Node::Lexicon(_)
            | Node::Pieces(..)
            | Node::Choice(_)
            | Node::Rule(_) => farthest,
            _ => farthest.saturating_sub(shortest),
        })
    }

    /// Bytes to the end of a node from any place inside of it, at most, before a part of it has begun that need not come.
    fn farthest_inside(&self, node: NodeId, known: &[u32]) -> Option<u32> {
        let known_of = |node: NodeId| known[node as usize];
        Some(match self.node(node) {
            Node::Choice(_) | Node::Rule(_) => return self.farthest_of_options(node, known),
            Node::Sequence(parts) => {
                let rise = parts.iter().map(|&part| known_of(part)).max().unwrap_or(0);
                self.facts.shortest(node).saturating_add(rise)
            }
            Node::Repeat { body, .. } => {
                let round = self.facts.shortest(*body).saturating_add(known_of(*body));
                self.facts.shortest(node).saturating_add(round)
            }
            Node::Object(object) if object.is_unbraced() => {
                self.facts.shortest(node).saturating_add(self.rise_without_brackets(object, known)?)
            }
            Node::Distinct(_) => return None,
            Node::Regular(leaf) => return self.farthest_of_leaf(*leaf),
            Node::Literals(texts) => longest(texts),
            Node::Lexicon(lexicon) => lexicon.extent(lexicon.root()).1,
            Node::Pieces(pieces, writing) => pieces.automaton(*writing).farthest(),
            Node::Tail(tail) => return self.farthest_of_tail(tail, known),
            Node::Text { .. } => self.facts.shortest(node).saturating_add(TEXT_RISE),
            _ => self.facts.shortest(node),
        })
    }

    /// The same of all options of a choice, and of the choices among these.
    fn farthest_of_options(&self, node: NodeId, known: &[u32]) -> Option<u32> {
        let (mut seen, mut open, mut farthest) = (FxHashSet::default(), vec![node], Some(0));
        while let Some(node) = open.pop() {
            self.node(node).each_part(|option| match self.node(option) {
                Node::Choice(_) | Node::Rule(_) if !seen.insert(option) => {}
                Node::Choice(_) | Node::Rule(_) => open.push(option),
                _ if self.facts.shortest(option) >= INFINITE => {}
                _ => farthest = farthest.and_then(|so_far| Some(so_far.max(self.farthest_inside(option, known)?))),
            });
        }
        farthest
    }

    /// Bytes to the end of a leaf from any place inside of it, at most; `None` if that is not known.
    pub fn farthest_of_leaf(&self, leaf: LeafId) -> Option<u32> {
        let Leaf { tree, encoding } = self.leaf(leaf);
        self.automaton(leaf).farthest_of_all(|| Some(extent(tree, *encoding).farthest?.saturating_add(QUOTES)))
    }

    /// The same of a tail, to the end of its object.
    fn farthest_of_tail(&self, tail: &Tail, known: &[u32]) -> Option<u32> {
        let continuations = tail.continuations.iter().flat_map(|after| after.positions.iter());
        let after = continuations.map(|&after| self.rest_of_object(after)).max().unwrap_or(0);
        let mut farthest = longest(&tail.texts).saturating_add(after);
        for &(value, after) in tail.ways.iter().filter(|(value, _)| self.facts.shortest(*value) < INFINITE) {
            farthest = farthest.max(self.farthest_inside(value, known)?.saturating_add(self.rest_of_object(after)));
        }
        Some(farthest)
    }

    /// Bytes from after a member to the end of its object.
    fn rest_of_object(&self, ObjectPosition { object: node, position }: ObjectPosition) -> u32 {
        let Node::Object(object) = self.node(node) else { return INFINITE };
        let between = self.costs.between_items(&object.layout);
        if object.tails > 0 {
            return self.with_lengths(&object.layout, |lengths| object.shortest_tail(lengths)).saturating_add(between);
        }
        let members = object.members[position as usize..].iter().filter(|member| member.required);
        let bytes = self.with_lengths(&object.layout, |lengths| {
            members.fold(0_u32, |all, member| {
                all.saturating_add(member.name_bytes + lengths.colon + between)
                    .saturating_add((lengths.value)(member.value))
            })
        });
        bytes.saturating_add(self.costs.close(&object.layout)).min(INFINITE)
    }
}

/// Bytes of the longest of some texts.
fn longest(texts: &TextSet) -> u32 {
    texts.iter().map(|(text, _)| text.len() as u32).max().unwrap_or(0)
}
