//! Choices of objects that begin alike, as one object until they differ.
//!
//! `anyOf` of two hundred objects with a common `id` and a discriminator behind it would be two hundred threads up to
//! the discriminator. Here such a choice gets a *beginning*: an object of the members that may come first, whose last
//! ones have a [`Tail`] for a value. A tail is the value *and the rest of the object*: each of its ways is a value and
//! the [`Place`] in some object where the text goes on, often again in a beginning. Texts (the constants of a
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
    Extras, Facts, Graph, INFINITE, Layout, LayoutCosts, Member, Node, NodeId, Object, Texts, UNBOUNDED, link_required,
};

/// How something is built, in numbers.
type Key = SmallVec<[u32; 12]>;

/// Insertion order keeps what is built independent of hashes.
type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;

/// Optional members before a required one that are compared.
const MOST_OPTIONAL: u32 = 16;

/// Nesting of values that are compared.
const DEEPEST: u32 = 32;

/// Texts of one tail.
const MOST_TEXTS: usize = 4096;

/// Behind a value in an object: members before `position` are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The object.
    pub object: NodeId,
    /// The first member that is still open.
    pub position: u32,
}

/// Where a text goes on, and the fewest bytes from there to behind the closing brace.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Any of these.
    pub places: Box<[Place]>,
    /// Bytes.
    pub shortest: u32,
}

/// The value of a member and the rest of its object.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Values that are constants; items are indices into `rests`.
    pub texts: Texts,
    /// What may follow constants.
    pub rests: Vec<Rest>,
    /// Other values, and what follows them.
    pub ways: Vec<(NodeId, Place)>,
}

impl Graph {
    /// The choices of several objects.
    pub fn choices_of_objects(&self) -> Vec<NodeId> {
        (0..self.nodes.len() as NodeId).filter(|&node| self.has_alternatives(node)).collect()
    }

    /// Gives these choices, whose objects may begin alike, their beginnings.
    pub fn share_beginnings(&mut self, choices: &[NodeId], facts: &mut Facts) {
        let costs = LayoutCosts::new(self);
        let mut sharing = Sharing {
            graph: self,
            facts,
            costs,
            names: FxHashMap::default(),
            equal: FxHashMap::default(),
            built: FxHashMap::default(),
            fuel: 0,
        };
        for &choice in choices {
            sharing.choice(choice);
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

struct Sharing<'g> {
    graph: &'g mut Graph,
    facts: &'g mut Facts,
    costs: LayoutCosts,
    /// Numbers of names.
    names: FxHashMap<Vec<u8>, u32>,
    /// By node: the first one built alike.
    equal: FxHashMap<NodeId, NodeId>,
    /// By how it is built: the first such node.
    built: FxHashMap<Key, NodeId>,
    /// Members that may still be looked at: discriminators that overlap in many ways are not told apart to the end.
    fuel: usize,
}

/// A place, and the required member that must come next.
type Next = (Place, u32);

impl Sharing<'_> {
    fn choice(&mut self, choice: NodeId) {
        let Node::Choice(options) = self.graph.nodes[choice as usize].clone() else { return };
        let (objects, mut others): (Vec<NodeId>, Vec<NodeId>) =
            options.iter().partition(|&&option| self.graph.ordered(option).is_some());
        let members = |object: &NodeId| self.graph.ordered(*object).map_or(0, |object| object.members.len());
        self.fuel = 2 * (objects.len() + objects.iter().map(members).sum::<usize>());
        let places = objects.into_iter().map(|object| Place { object, position: 0 }).collect();
        others.extend(self.shared(places).iter().map(|place| place.object));
        self.graph.nodes[choice as usize] = Node::Choice(others.into());
    }

    fn object(&self, node: NodeId) -> Arc<Object> {
        match &self.graph.nodes[node as usize] {
            Node::Object(object) => Arc::clone(object),
            _ => unreachable!("places are in objects"),
        }
    }

    /// The same places, with those that go on alike made one.
    fn shared(&mut self, mut places: Vec<Place>) -> Vec<Place> {
        if places.len() < 2 || self.fuel < places.len() {
            return places;
        }
        self.fuel -= places.len();
        let mut groups: IndexMap<Key, Vec<Next>> = IndexMap::default();
        places.retain(|&place| match self.required(place) {
            None => true,
            Some((before, required)) => {
                groups.entry(before).or_default().push((place, required));
                false
            }
        });
        for group in groups.into_values() {
            places.push(if let [(only, _)] = group[..] { only } else { self.beginning(&group) });
        }
        places
    }

    /// What may come before the next required member, and which that is.
    fn required(&mut self, place: Place) -> Option<(Key, u32)> {
        let object = self.object(place.object);
        let required = object.next_required(place.position);
        if required as usize == object.members.len() || required - place.position > MOST_OPTIONAL {
            return None;
        }
        let mut before = Key::from_slice(&layout(&object.layout));
        for index in place.position..required {
            let member = &object.members[index as usize];
            before.extend([self.name(&object, index), self.first_equal(member.value, 0), u32::from(member.possible)]);
        }
        Some((before, required))
    }

    /// An object of what the places of `group` have in common, and then one member with a tail.
    fn beginning(&mut self, group: &[Next]) -> Place {
        let mut ways: IndexMap<u32, (Next, Vec<(NodeId, Place)>)> = IndexMap::default();
        for &(place, required) in group {
            let object = self.object(place.object);
            let value = self.first_equal(object.members[required as usize].value, 0);
            let rest = Place { object: place.object, position: required + 1 };
            let name = self.name(&object, required);
            ways.entry(name).or_insert(((place, required), Vec::new())).1.push((value, rest));
        }
        let (place, required) = group[0];
        let like = self.object(place.object);
        let tails = ways.len() as u32;
        let mut members = like.members[place.position as usize..required as usize].to_vec();
        let mut names: Vec<(Arc<Object>, u32)> =
            (place.position..required).map(|index| (Arc::clone(&like), index)).collect();
        for (_, ((place, required), ways)) in ways {
            let object = self.object(place.object);
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
        // Any of the last ones may come: only the very last cannot be passed.
        members.last_mut().expect("some member is required").required = true;
        link_required(&mut members);
        let names: Vec<(&[u8], u32)> =
            names.iter().map(|(object, member)| object.names.text(*member as usize)).zip(0..).collect();
        let object = Object {
            names: Texts::new(&names),
            members,
            extras: Extras::new(),
            low: 0,
            high: UNBOUNDED,
            any_order: false,
            implied: Vec::new(),
            demands: 0,
            layout: like.layout,
            tails,
        };
        let shortest = 1 + self.costs.after_open(&object.layout) + self.tail_cost(&object);
        Place { object: self.add(Node::Object(Arc::new(object)), shortest), position: 0 }
    }

    fn tail(&mut self, ways: Vec<(NodeId, Place)>) -> NodeId {
        let mut by_value: IndexMap<NodeId, Vec<Place>> = IndexMap::default();
        for (value, place) in ways {
            by_value.entry(value).or_default().push(place);
        }
        let mut constants: Vec<(Arc<Texts>, Vec<Place>)> = Vec::new();
        let count = |value: &NodeId| self.constants(*value).map_or(0, |texts| texts.len());
        if by_value.keys().map(count).sum::<usize>() <= MOST_TEXTS {
            by_value.retain(|value, places| {
                let Some(texts) = self.constants(*value) else { return true };
                constants.push((Arc::clone(texts), std::mem::take(places)));
                false
            });
        }
        let mut by_text: IndexMap<&[u8], SmallVec<[Place; 1]>> = IndexMap::default();
        for (texts, places) in &constants {
            texts.iter().for_each(|(text, _)| by_text.entry(text).or_default().extend_from_slice(places));
        }
        let mut tail = Tail { texts: Texts::default(), rests: Vec::new(), ways: Vec::new() };
        let mut shortest = INFINITE;
        for (value, places) in by_value {
            let rest = self.rest(places);
            shortest = shortest.min(self.facts.shortest(value).saturating_add(rest.shortest));
            tail.ways.extend(rest.places.iter().map(|&place| (value, place)));
        }
        let mut known: FxHashMap<&[Place], u32> = FxHashMap::default();
        let mut items = Vec::with_capacity(by_text.len());
        for (&text, places) in &by_text {
            let item = *known.entry(places).or_insert_with(|| {
                tail.rests.push(self.rest(places.to_vec()));
                tail.rests.len() as u32 - 1
            });
            shortest = shortest.min((text.len() as u32).saturating_add(tail.rests[item as usize].shortest));
            items.push((text, item));
        }
        tail.texts = Texts::new(&items);
        self.add(Node::Tail(Arc::new(tail)), shortest)
    }

    fn constants(&self, value: NodeId) -> Option<&Arc<Texts>> {
        if let Node::Literals(texts) = &self.graph.nodes[value as usize] { Some(texts) } else { None }
    }

    fn rest(&mut self, places: Vec<Place>) -> Rest {
        let places = self.shared(places);
        let shortest = places.iter().map(|place| self.rest_cost(*place)).min().unwrap_or(INFINITE);
        Rest { places: places.into(), shortest }
    }

    /// Bytes from a place to behind the closing brace.
    fn rest_cost(&self, place: Place) -> u32 {
        let object = self.object(place.object);
        let between = self.costs.between_items(&object.layout);
        if object.tails > 0 {
            return between.saturating_add(self.tail_cost(&object));
        }
        let seen = object.at(place.position);
        let ask = |prices: &super::Prices<'_>| object.completion(&seen, false, prices);
        let Some((members, count)) = self.facts.with_prices(&object.layout, &self.costs, ask) else { return INFINITE };
        members
            .saturating_add(between.saturating_mul(count))
            .saturating_add(1 + self.costs.before_close(&object.layout))
    }

    /// Bytes of the cheapest last member of a beginning, and all behind it.
    fn tail_cost(&self, beginning: &Object) -> u32 {
        self.facts.with_prices(&beginning.layout, &self.costs, |prices| beginning.cheapest_tail(prices))
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

    /// How a node is built, out of equal parts; `None` for what is not compared.
    fn key(&mut self, node: NodeId, depth: u32) -> Option<Key> {
        let all = |sharing: &mut Self, kind: u32, nodes: &[NodeId]| {
            let parts = nodes.iter().map(|&part| sharing.first_equal(part, depth));
            std::iter::once(kind).chain(parts).collect::<Key>()
        };
        Some(match self.graph.nodes[node as usize].clone() {
            Node::Literals(texts) => {
                let mut key = Key::from_slice(&[0]);
                for (text, _) in texts.iter() {
                    key.extend(text.iter().map(|&byte| u32::from(byte)).chain([u32::MAX]));
                }
                key
            }
            Node::Regular(leaf) => Key::from_slice(&[1, leaf]),
            Node::Text { leaf, low, high } => Key::from_slice(&[2, leaf, low, high]),
            Node::Choice(options) => all(self, 3, &options),
            Node::Sequence(parts) => all(self, 4, &parts),
            Node::Rule(target) => all(self, 5, &[target]),
            Node::Array(array) if array.kinds.is_empty() => {
                let mut key = all(self, 6, &array.prefix);
                key.extend(array.rest.map(|rest| self.first_equal(rest, depth)));
                key.extend([u32::from(array.unique), array.low, array.high]);
                key.extend(layout(&array.layout));
                key
            }
            Node::Object(object) if !object.is_counted() => self.object_key(&object, depth),
            _ => return None,
        })
    }

    fn object_key(&mut self, object: &Object, depth: u32) -> Key {
        let mut key = Key::from_slice(&[7, u32::from(object.any_order), object.members.len() as u32]);
        key.extend(layout(&object.layout));
        for (member, (name, _)) in object.members.iter().zip(object.names.iter()) {
            let name = self.number(name);
            let flags = u32::from(member.required) | u32::from(member.possible) << 1;
            key.extend([name, flags, self.first_equal(member.value, depth)]);
        }
        for extra in &object.extras {
            key.extend([extra.name, extra.most, self.first_equal(extra.value, depth)]);
        }
        key
    }
}

fn layout(layout: &Layout) -> [u32; 5] {
    [layout.open, layout.value, layout.comma, layout.key, layout.colon].map(u32::from)
}
