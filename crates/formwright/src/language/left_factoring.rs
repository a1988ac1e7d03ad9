//! Left factoring: a choice of objects that begin alike becomes one object until they differ.
//!
//! `anyOf` of two hundred objects with a common `id` and a discriminator after it would be two hundred configurations
//! up to the discriminator. Here such a choice gets a *common prefix*: an object of the members that may come first,
//! whose last ones have a [`Tail`] for a value. A tail is the value *and the rest of the object*: each of its ways is a
//! value and the [`ObjectPosition`] where the text goes on, often again in a common prefix. Constants (of a
//! discriminator) are one tree, so they are read once, whatever their number.
//!
//! ```text
//! {id, kind: "a", x} | {id, kind: "b", y}    {id, kind} . ("a" -> x | "b" -> y)
//! ```
//!
//! Only required members can be told apart this way: what is before them is optional and must be equal. Values are
//! equal if they are built alike.
//!
//! Cost: nothing without such a choice; else each object is looked at once for every member it shares.

use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::{
    Facts, Graph, INFINITE, Layout, LayoutCosts, Member, Node, NodeId, Object, TextSet, UNBOUNDED, UndeclaredKinds,
    link_required,
};

/// The structure of a node, in numbers.
type StructureKey = SmallVec<[u32; 12]>;

/// Insertion order keeps what is built independent of hashes.
type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;

/// Optional members before a required one that are compared.
const MOST_OPTIONAL: u32 = 16;

/// Nesting of values that are compared.
const DEEPEST: u32 = 32;

/// Texts of one tail.
const MOST_TEXTS: usize = 4096;

/// A position between two members of an object: those before `position` are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectPosition {
    /// The object.
    pub object: NodeId,
    /// The first member that is still open.
    pub position: u32,
}

/// Where a text goes on, and the fewest bytes from there to the end of the object.
#[derive(Clone, Debug)]
pub struct Continuation {
    /// Any of these.
    pub positions: Box<[ObjectPosition]>,
    /// Bytes.
    pub shortest: u32,
}

/// The value of a member and the rest of its object.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Values that are constants; items are indices into `continuations`.
    pub texts: TextSet,
    /// What may follow constants.
    pub continuations: Vec<Continuation>,
    /// Other values, and what follows them.
    pub ways: Vec<(NodeId, ObjectPosition)>,
}

impl Graph {
    /// The choices of several objects.
    pub fn choices_of_objects(&self) -> Vec<NodeId> {
        (0..self.nodes.len() as NodeId).filter(|&node| self.has_alternatives(node)).collect()
    }

    /// Factors these choices, whose objects may begin alike.
    pub fn left_factor(&mut self, choices: &[NodeId], facts: &mut Facts) {
        let costs = LayoutCosts::new(self);
        let mut factoring = Factoring {
            graph: self,
            facts,
            costs,
            names: FxHashMap::default(),
            equal: FxHashMap::default(),
            built: FxHashMap::default(),
            fuel: 0,
        };
        for &choice in choices {
            factoring.choice(choice);
        }
    }

    fn has_alternatives(&self, node: NodeId) -> bool {
        let Node::Choice(options) = &self.nodes[node as usize] else { return false };
        options.iter().filter(|&&option| self.ordered(option).is_some()).nth(1).is_some()
    }

    fn ordered(&self, node: NodeId) -> Option<&Arc<Object>> {
        match &self.nodes[node as usize] {
            Node::Object(object) if object.is_ordered() => Some(object),
            _ => None,
        }
    }
}

struct Factoring<'g> {
    graph: &'g mut Graph,
    facts: &'g mut Facts,
    costs: LayoutCosts,
    /// Numbers of names.
    names: FxHashMap<Vec<u8>, u32>,
    /// By node: the first one built alike.
    equal: FxHashMap<NodeId, NodeId>,
    /// By structure: the first node built like this.
    built: FxHashMap<StructureKey, NodeId>,
    /// Members that may still be looked at: where discriminators overlap in many ways, factoring stops early.
    fuel: usize,
}

/// A position, and the required member that must come next.
type Next = (ObjectPosition, u32);

type ValuesByName = IndexMap<u32, (Next, Vec<(NodeId, ObjectPosition)>)>;

impl Factoring<'_> {
    fn choice(&mut self, choice: NodeId) {
        let Node::Choice(options) = self.graph.nodes[choice as usize].clone() else { return };
        let (objects, mut others): (Vec<NodeId>, Vec<NodeId>) =
            options.iter().partition(|&&option| self.graph.ordered(option).is_some());
        let members = |object: &NodeId| self.graph.ordered(*object).map_or(0, |object| object.members.len());
        self.fuel = 2 * (objects.len() + objects.iter().map(members).sum::<usize>());
        let positions = objects.into_iter().map(|object| ObjectPosition { object, position: 0 }).collect();
        others.extend(self.factored(positions).iter().map(|at| at.object));
        self.graph.nodes[choice as usize] = Node::Choice(others.into());
    }

    fn object(&self, node: NodeId) -> Arc<Object> {
        match &self.graph.nodes[node as usize] {
            Node::Object(object) => Arc::clone(object),
            _ => unreachable!("positions are in objects"),
        }
    }

    /// The same positions, those that go on alike factored into one.
    fn factored(&mut self, mut positions: Vec<ObjectPosition>) -> Vec<ObjectPosition> {
        if positions.len() < 2 || self.fuel < positions.len() {
            return positions;
        }
        self.fuel -= positions.len();
        let mut groups: IndexMap<StructureKey, Vec<Next>> = IndexMap::default();
        positions.retain(|&at| match self.required(at) {
            None => true,
            Some((before, required)) => {
                groups.entry(before).or_default().push((at, required));
                false
            }
        });
        for group in groups.into_values() {
            positions.push(if let [(only, _)] = group[..] { only } else { self.common_prefix(&group) });
        }
        positions
    }

    /// What may come before the next required member, and which that is.
    fn required(&mut self, at: ObjectPosition) -> Option<(StructureKey, u32)> {
        let object = self.object(at.object);
        let required = object.next_required(at.position);
        if required as usize == object.members.len() || required - at.position > MOST_OPTIONAL {
            return None;
        }
        let mut before = StructureKey::from_slice(&layout(&object.layout));
        for index in at.position..required {
            let member = &object.members[index as usize];
            before.extend([self.name(&object, index), self.first_equal(member.value, 0), u32::from(member.possible)]);
        }
        Some((before, required))
    }

    /// By the name of the required member: the first position that has it, its values, and where each of them leads.
    fn values_by_name(&mut self, group: &[Next]) -> ValuesByName {
        let mut by_name = ValuesByName::default();
        for &(at, required) in group {
            let object = self.object(at.object);
            let value = self.first_equal(object.members[required as usize].value, 0);
            let rest = ObjectPosition { object: at.object, position: required + 1 };
            let name = self.name(&object, required);
            by_name.entry(name).or_insert(((at, required), Vec::new())).1.push((value, rest));
        }
        by_name
    }

    /// The object of what the positions of `group` have in common, and then of one member with a tail.
    fn common_prefix(&mut self, group: &[Next]) -> ObjectPosition {
        let by_name = self.values_by_name(group);
        let (at, required) = group[0];
        let like = self.object(at.object);
        let tails = by_name.len() as u32;
        let mut members = like.members[at.position as usize..required as usize].to_vec();
        let mut names: Vec<(Arc<Object>, u32)> =
            (at.position..required).map(|index| (Arc::clone(&like), index)).collect();
        for (_, ((at, required), ways)) in by_name {
            let object = self.object(at.object);
            let value = self.tail(ways);
            let name_bytes = object.members[required as usize].name_bytes;
            names.push((object, required));
            members.push(Member {
                name_bytes,
                value,
                next_required: 0,
                required: false,
                possible: true,
                witnesses: Box::default(),
            });
        }
        // Any of the last ones may come: only the very last cannot be skipped.
        members.last_mut().expect("some member is required").required = true;
        link_required(&mut members);
        let names: Vec<(&[u8], u32)> =
            names.iter().map(|(object, member)| object.names.text(*member as usize)).zip(0..).collect();
        let object = Object {
            names: TextSet::new(&names),
            members,
            undeclared: UndeclaredKinds::new(),
            low: 0,
            high: UNBOUNDED,
            any_order: false,
            implied: Vec::new(),
            existentials: 0,
            conditions: None,
            layout: like.layout,
            separator: None,
            tails,
        };
        let shortest = 1 + self.costs.after_open(&object.layout) + self.shortest_tail(&object);
        ObjectPosition { object: self.add(Node::Object(Arc::new(object)), shortest), position: 0 }
    }

    fn tail(&mut self, ways: Vec<(NodeId, ObjectPosition)>) -> NodeId {
        let mut by_value: IndexMap<NodeId, Vec<ObjectPosition>> = IndexMap::default();
        for (value, at) in ways {
            by_value.entry(value).or_default().push(at);
        }
        let mut constants: Vec<(Arc<TextSet>, Vec<ObjectPosition>)> = Vec::new();
        let count = |value: &NodeId| self.constants(*value).map_or(0, |texts| texts.len());
        if by_value.keys().map(count).sum::<usize>() <= MOST_TEXTS {
            by_value.retain(|value, positions| {
                let Some(texts) = self.constants(*value) else { return true };
                constants.push((Arc::clone(texts), std::mem::take(positions)));
                false
            });
        }
        let mut by_text: IndexMap<&[u8], SmallVec<[ObjectPosition; 1]>> = IndexMap::default();
        for (texts, positions) in &constants {
            texts.iter().for_each(|(text, _)| by_text.entry(text).or_default().extend_from_slice(positions));
        }
        let mut tail = Tail { texts: TextSet::default(), continuations: Vec::new(), ways: Vec::new() };
        let mut shortest = INFINITE;
        for (value, positions) in by_value {
            let rest = self.continuation(positions);
            shortest = shortest.min(self.facts.shortest(value).saturating_add(rest.shortest));
            tail.ways.extend(rest.positions.iter().map(|&at| (value, at)));
        }
        let mut items_of: FxHashMap<&[ObjectPosition], u32> = FxHashMap::default();
        let mut items = Vec::with_capacity(by_text.len());
        for (&text, positions) in &by_text {
            let item = *items_of.entry(positions).or_insert_with(|| {
                tail.continuations.push(self.continuation(positions.to_vec()));
                tail.continuations.len() as u32 - 1
            });
            shortest = shortest.min((text.len() as u32).saturating_add(tail.continuations[item as usize].shortest));
            items.push((text, item));
        }
        tail.texts = TextSet::new(&items);
        self.add(Node::Tail(Arc::new(tail)), shortest)
    }

    fn constants(&self, value: NodeId) -> Option<&Arc<TextSet>> {
        if let Node::Literals(texts) = &self.graph.nodes[value as usize] { Some(texts) } else { None }
    }

    fn continuation(&mut self, positions: Vec<ObjectPosition>) -> Continuation {
        let positions = self.factored(positions);
        let shortest = positions.iter().map(|at| self.shortest_from(*at)).min().unwrap_or(INFINITE);
        Continuation { positions: positions.into(), shortest }
    }

    /// Bytes from a position to the end of the object.
    fn shortest_from(&self, at: ObjectPosition) -> u32 {
        let object = self.object(at.object);
        let between = self.costs.between_items(&object.layout);
        if object.tails > 0 {
            return between.saturating_add(self.shortest_tail(&object));
        }
        let seen = object.at(at.position);
        let ask = |lengths: &super::MinimumLengths<'_>| object.completion(&seen, 0, false, lengths);
        let Some((members, count)) = self.facts.with_minimum_lengths(&object.layout, &self.costs, ask) else {
            return INFINITE;
        };
        members.saturating_add(between.saturating_mul(count)).saturating_add(self.costs.close(&object.layout))
    }

    /// Bytes of the shortest last member of a common prefix, and all that follows it.
    fn shortest_tail(&self, prefix: &Object) -> u32 {
        self.facts.with_minimum_lengths(&prefix.layout, &self.costs, |lengths| prefix.shortest_tail(lengths))
    }

    fn add(&mut self, node: Node, shortest: u32) -> NodeId {
        self.facts.add(shortest);
        self.graph.add(node)
    }

    fn name(&mut self, object: &Object, member: u32) -> u32 {
        self.number(object.names.text(member as usize))
    }

    fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let next = self.names.len() as u32;
        self.names.insert(name.into(), next);
        next
    }

    // Equal values.

    /// The first node met that is built like `node`.
    fn first_equal(&mut self, node: NodeId, depth: u32) -> NodeId {
        if let Some(&known) = self.equal.get(&node) {
            return known;
        }
        if depth > DEEPEST {
            return node;
        }
        self.equal.insert(node, node); // a node that contains itself is equal to itself only
        let Some(key) = self.key(node, depth + 1) else { return node };
        let first = *self.built.entry(key).or_insert(node);
        self.equal.insert(node, first);
        first
    }

    /// The structure of a node, out of equal parts; `None` for what is not compared.
    fn key(&mut self, node: NodeId, depth: u32) -> Option<StructureKey> {
        let all = |factoring: &mut Self, kind: u32, nodes: &[NodeId]| {
            let parts = nodes.iter().map(|&part| factoring.first_equal(part, depth));
            std::iter::once(kind).chain(parts).collect::<StructureKey>()
        };
        Some(match self.graph.nodes[node as usize].clone() {
            Node::Literals(texts) => {
                let mut key = StructureKey::from_slice(&[0]);
                for (text, _) in texts.iter() {
                    key.extend(text.iter().map(|&byte| u32::from(byte)).chain([u32::MAX]));
                }
                key
            }
            Node::Regular(leaf) => StructureKey::from_slice(&[1, leaf]),
            Node::Text { leaf, low, high } => StructureKey::from_slice(&[2, leaf, low, high]),
            Node::Choice(options) => all(self, 3, &options),
            Node::Sequence(parts) => all(self, 4, &parts),
            Node::Rule(target) => all(self, 5, &[target]),
            Node::Array(array) if array.kinds.is_empty() => {
                let mut key = all(self, 6, &array.prefix);
                key.extend(array.rest.map(|rest| self.first_equal(rest, depth)));
                key.extend([u32::from(array.unique), u32::from(array.differing.is_some()), array.low, array.high]);
                key.extend(layout(&array.layout));
                key
            }
            Node::Object(object) if !object.is_counted() => self.object_key(&object, depth),
            _ => return None,
        })
    }

    fn object_key(&mut self, object: &Object, depth: u32) -> StructureKey {
        let mut key = StructureKey::from_slice(&[7, u32::from(object.any_order), object.members.len() as u32]);
        key.extend(layout(&object.layout));
        for (member, (name, _)) in object.members.iter().zip(object.names.iter()) {
            let name = self.number(name);
            let flags = u32::from(member.required) | u32::from(member.possible) << 1;
            key.extend([name, flags, self.first_equal(member.value, depth)]);
        }
        for kind in &object.undeclared {
            key.extend([kind.name, kind.most, self.first_equal(kind.value, depth)]);
        }
        key
    }
}

fn layout(layout: &Layout) -> [u32; 5] {
    [layout.open, layout.value, layout.comma, layout.key, layout.colon].map(u32::from)
}
