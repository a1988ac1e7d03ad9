//! The minimum number of bytes that complete an object: see `cost`.
//!
//! ```text
//! {"a": 1      `,"birthday":0}`, if `birthday` must come and is an integer; else `}`
//! ```
//!
//! A member index below `members.len()` is a declared member, `members.len() + kind` an undeclared member of that kind. A
//! tail is a value together with the rest of its object, closing brace included.
//!
//! Cost: what an object still needs is cached for what it has seen. Inside a name, each name that can be read on
//! leads to another cost (`colon_costs`).

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Machine;
use super::configuration::{Phase, Progress, Unpacked};
use super::preferred::{MOST_ALTERNATIVES, most_bytes};
use super::stacks::counted;
use crate::language::{INFINITE, Node, NodeId, Object, Seen, SpaceState, end};
use crate::vocabulary::NodeIndex;

/// Of names that are equally near to the end, so many are tried for the last member that must come. For the members
/// before it one is: else each order of members would have states of its own.
const MOST_NEAREST: usize = 4;

impl Machine<'_> {
    /// What an object has seen. For a plain object, whose progress is only a position, it is built from that position.
    pub(super) fn seen_of(&self, object: &Object, seen: Progress) -> Seen {
        match seen.unpack() {
            Unpacked::Number(next) => object.at(next),
            Unpacked::Interned(_) => self.stacks.seen(seen).clone(),
        }
    }

    /// Bytes of the members that must still come, and their number. With `at_least_one`, one member is counted even if
    /// none must come.
    pub(super) fn members_cost(
        &mut self,
        node: NodeId,
        object: &Object,
        seen: Progress,
        at_least_one: bool,
    ) -> (u32, u32) {
        if let Unpacked::Number(position) = seen.unpack()
            && object.tails == 0
        {
            let required = self.graph.required_from(node, object, position);
            if required.1 > 0 || !at_least_one {
                return required;
            }
        }
        if let Some(cached) = self.stacks.cached_members((node, seen, at_least_one)) {
            return cached;
        }
        let needed = self.needed(object, &self.seen_of(object, seen), at_least_one);
        self.stacks.insert_members((node, seen, at_least_one), needed);
        needed
    }

    /// As [`Machine::members_cost`], for a state that need not be interned.
    pub(super) fn needed(&self, object: &Object, seen: &Seen, at_least_one: bool) -> (u32, u32) {
        if object.tails > 0 {
            return (self.graph.with_lengths(&object.layout, |lengths| object.shortest_tail(lengths)), 1);
        }
        self.completion(object, seen, at_least_one).unwrap_or((INFINITE, 0))
    }

    /// The shortest members that complete an object: their bytes without commas, and how many they are.
    pub(super) fn completion(&self, object: &Object, seen: &Seen, at_least_one: bool) -> Option<(u32, u32)> {
        let used = self.stacks.used(seen.names);
        self.graph.with_lengths(&object.layout, |lengths| {
            if !object.tracks_values() {
                return object.completion(seen, used, at_least_one, lengths);
            }
            let known = &mut self.stacks.completions(object);
            object.known_completion(seen, used, at_least_one, lengths, known)
        })
    }

    /// Bytes from after a member's value to after the closing brace, if these members must still come.
    pub(super) fn rest_cost(&self, object: &Object, (members, count): (u32, u32)) -> u32 {
        let between = self.graph.costs.between_items(&object.layout);
        members.saturating_add(between.saturating_mul(count)).saturating_add(self.close_cost(object)).min(INFINITE)
    }

    /// Bytes of the closing brace, if there is one, and the whitespace before it; 0 if the object ends with a tail, whose
    /// length includes the brace.
    pub(super) fn close_cost(&self, object: &Object) -> u32 {
        if object.tails > 0 { 0 } else { self.graph.costs.close(&object.layout) }
    }

    /// Bytes from between two members to after the closing brace.
    pub(super) fn object_cost(&mut self, phase: Phase, space: SpaceState, node: NodeId, seen: Progress) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        let spaces = graph.spaces();
        // After a line break that only a member may follow, one must.
        let at_least_one = phase == Phase::Comma || phase == Phase::Open && spaces.reached(space) & end::CLOSE == 0;
        let (members, count) = self.members_cost(node, object, seen, at_least_one);
        let between = graph.costs.between_items(&object.layout);
        let first = match (phase, count) {
            (Phase::Value, _) if object.is_unbraced() => between.saturating_mul(count.min(1)),
            (Phase::Value | Phase::Open, 0) if members == 0 => return 1 + spaces.shortest(space, end::CLOSE),
            (Phase::Value, _) => {
                1 + spaces.shortest(space, end::COMMA) + spaces.shortest(object.layout.comma, end::ITEM)
            }
            _ => spaces.shortest(space, end::ITEM),
        };
        let rest = between.saturating_mul(count.saturating_sub(1)).saturating_add(self.close_cost(object));
        members.saturating_add(first).saturating_add(rest).min(INFINITE)
    }

    /// Bytes from the colon (whitespace before it not counted) to after the closing brace.
    pub(super) fn colon_cost(&mut self, node: NodeId, seen: Progress, member: u32) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        let space = graph.spaces().shortest(object.layout.colon, end::ITEM);
        let value = if let Some(rest) = self.rest_of_uncounted(node, object, seen, member) {
            graph.facts.shortest(object.values_of(member).0).saturating_add(rest)
        } else {
            let before = self.seen_of(object, seen);
            let after = |met| match object.members.get(member as usize) {
                Some(_) => object.with_member(&before, member, met),
                None => object.with_met(&before, member, met), // counted when its name ended
            };
            self.values_cost(object, member, after)
        };
        value.saturating_add(1 + space).min(INFINITE)
    }

    /// Bytes after the value of a declared member, where the required members decide.
    pub(super) fn rest_of_uncounted(
        &mut self,
        node: NodeId,
        object: &Object,
        seen: Progress,
        member: u32,
    ) -> Option<u32> {
        let declared = object.members.get(member as usize).filter(|_| object.tails == 0 && !object.is_counted())?;
        let (bytes, count) = match seen.unpack() {
            Unpacked::Number(_) => self.graph.required_from(node, object, member + 1),
            Unpacked::Interned(_) => {
                let (bytes, count) = self.members_cost(node, object, seen, false);
                let before = self.stacks.seen(seen);
                if bytes >= INFINITE || !object.any_order && object.next_required(before.position) < member {
                    return Some(INFINITE);
                }
                let is_missing = declared.required && !before.has(member);
                let own = self.graph.with_lengths(&object.layout, |lengths| object.length_of(member, lengths));
                if is_missing { (bytes - own, count - 1) } else { (bytes, count) }
            }
        };
        Some(self.rest_cost(object, (bytes, count)))
    }

    /// Bytes from a member's value to after the closing brace, by the cheapest choice: the member's own value, or a
    /// witness of existential constraints. `after` is what the object has seen after a value that meets the constraints
    /// given as bits.
    pub(super) fn values_cost(&self, object: &Object, member: u32, after: impl Fn(u32) -> Seen) -> u32 {
        let (value, witnesses) = object.values_of(member);
        if object.ends_with(member) {
            return self.graph.facts.shortest(value);
        }
        let choices = std::iter::once((value, 0)).chain(witnesses.iter().copied());
        let costs = choices.map(|(value, met)| {
            let rest = self.rest_cost(object, self.needed(object, &after(met), false));
            self.graph.facts.shortest(value).saturating_add(rest)
        });
        costs.min().unwrap_or(INFINITE)
    }

    /// Bytes from after the closing quote of an undeclared name to after the closing brace.
    pub(super) fn named_cost(&self, node: NodeId, seen: Progress, kind: u32) -> u32 {
        let Node::Object(object) = self.graph.node(node) else { return INFINITE };
        let before = self.stacks.seen(seen);
        let used = counted(self.stacks.used(before.names) + 1);
        let colon = self.graph.costs.colon(&object.layout);
        let member = object.members.len() as u32 + kind;
        let after = |met| Seen { names: used, ..object.with_undeclared(before, kind, met) };
        self.values_cost(object, member, after).saturating_add(colon).min(INFINITE)
    }

    /// Bytes from inside a declared name to after the closing brace: over all names below the trie node `at` that may
    /// come.
    pub(super) fn key_cost(&mut self, node: NodeId, seen: Progress, at: NodeIndex) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        self.nearest_names(node, object, seen, at).map_or(INFINITE, |(cost, _)| cost)
    }

    /// The next bytes of the declared names below the trie node `at` with which the end is nearest; of names that decide
    /// which of several objects this is, of all with which it is near, unless they are too many.
    pub(super) fn preferred_name_bytes(
        &mut self,
        node: NodeId,
        seen: Progress,
        at: NodeIndex,
        decides: bool,
    ) -> SmallVec<[u8; 4]> {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return SmallVec::new() };
        let names = object.names.tree();
        if let Some(only) = names.only_way(at) {
            return smallvec![names.node(only).byte];
        }
        let depth = usize::from(names.node(at).depth);
        let Some((least, mut names)) = self.nearest_names(node, object, seen, at) else { return SmallVec::new() };
        if decides {
            let near = self.names_within(most_bytes(least), node, object, seen, at);
            names = if (1..=MOST_ALTERNATIVES).contains(&near.len()) { near } else { names };
        }
        if self.members_cost(node, object, seen, true).1 > 1 {
            names.truncate(1);
        }
        let byte = |member: &u32| object.names.text(*member as usize).get(depth).copied().unwrap_or(b'"');
        let mut bytes: SmallVec<[u8; 4]> = names.iter().map(byte).collect();
        bytes.sort_unstable();
        bytes.dedup();
        bytes
    }

    /// The first of the declared names below the trie node `at` with which the end is nearest, and the bytes to its
    /// colon.
    pub(super) fn nearest_name(&mut self, node: NodeId, seen: Progress, at: NodeIndex) -> Option<(u32, u32)> {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return None };
        let member = *self.nearest_names(node, object, seen, at)?.1.first()?;
        let read = u32::from(object.names.tree().node(at).depth) + 1; // and the opening quote
        let space = graph.spaces().shortest(object.layout.key, end::COLON);
        Some((object.members[member as usize].name_bytes - read + space, member))
    }

    /// The declared names below the trie node `at` with which the end is nearest, some of them, and the bytes until
    /// there.
    pub(super) fn nearest_names(
        &mut self,
        node: NodeId,
        object: &Object,
        seen: Progress,
        at: NodeIndex,
    ) -> Option<(u32, SmallVec<[u32; 4]>)> {
        let (mut least, mut nearest) = (INFINITE, SmallVec::new());
        self.each_name(node, object, seen, at, |member, cost| {
            if cost < least {
                (least, nearest) = (cost, SmallVec::new());
            }
            if cost == least && nearest.len() < MOST_NEAREST {
                nearest.push(member);
            }
        });
        (least < INFINITE).then_some((least, nearest))
    }

    /// The names below the trie node `at` that decide which object this is, with the end at most so many bytes away.
    fn names_within(
        &mut self,
        most: u32,
        node: NodeId,
        object: &Object,
        seen: Progress,
        at: NodeIndex,
    ) -> SmallVec<[u32; 4]> {
        let mut found = SmallVec::new();
        self.each_name(node, object, seen, at, |member, cost| {
            found.extend((object.ends_with(member) && cost <= most).then_some(member));
        });
        found
    }

    /// Tells the declared names below the trie node `at` that may come, and how many bytes the end is away with each.
    fn each_name(
        &mut self,
        node: NodeId,
        object: &Object,
        seen: Progress,
        at: NodeIndex,
        mut tell: impl FnMut(u32, u32),
    ) {
        let space = self.graph.spaces().shortest(object.layout.key, end::COLON);
        let (names, costs) = (object.names.tree(), self.colon_costs(node, object, seen, at));
        let read = u32::from(names.node(at).depth) + 1; // and the opening quote
        for &member in &names.items()[names.items_below(at)] {
            let cost = match &costs {
                Some(costs) => costs[member as usize],
                None if self.declared_may_come(object, seen, member) => self.colon_cost(node, seen, member),
                None => continue,
            };
            tell(member, cost.saturating_add(object.members[member as usize].name_bytes - read + space));
        }
    }

    /// As [`Machine::key_cost`], for the dearest of these names.
    pub fn dearest_name(&mut self, node: NodeId, seen: Progress, at: NodeIndex) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        let space = graph.spaces().shortest(object.layout.key, end::COLON);
        let names = object.names.tree();
        let below = &names.items()[names.items_below(at)];
        let costs = self.colon_costs(node, object, seen, at);
        let mut dearest = 0;
        for &member in below {
            let cost = match &costs {
                Some(costs) => costs[member as usize],
                None if self.declared_may_come(object, seen, member) => self.colon_cost(node, seen, member),
                None => INFINITE,
            };
            if cost < INFINITE {
                dearest = dearest.max(cost.saturating_add(object.members[member as usize].name_bytes + space));
            }
        }
        dearest
    }

    /// The costs of all members if they come next, kept where some names are left to choose from.
    pub(super) fn colon_costs(
        &mut self,
        node: NodeId,
        object: &Object,
        seen: Progress,
        at: NodeIndex,
    ) -> Option<Arc<[u32]>> {
        if object.names.tree().items_below(at).len() < 4 {
            return None;
        }
        if let Some(cached) = self.stacks.cached_colons((node, seen)) {
            return Some(cached);
        }
        let mut costs = vec![INFINITE; object.members.len()];
        let open = if object.is_ordered() { self.open_members(object, seen) } else { 0..costs.len() as u32 };
        for member in open {
            if self.declared_may_come(object, seen, member) {
                costs[member as usize] = self.colon_cost(node, seen, member);
            }
        }
        let costs: Arc<[u32]> = costs.into();
        self.stacks.insert_colons((node, seen), Arc::clone(&costs));
        Some(costs)
    }
}
