//! The minimum number of bytes that complete the text from a configuration.
//!
//! ```text
//! {"a": "x      position  1 byte to finish the string, the quote
//!               stack     1 byte to finish the object, the brace
//! ```
//!
//! [`crate::language::Facts`] knows the shortest text of every graph node; this file adds the bytes that remain of
//! partly read graph nodes.
//!
//! Property that the token budget relies on: whenever the cost is `n > 0`, some byte leads to a state of cost `n - 1`.
//!
//! Cost: costs of stack nodes and of what containers still need are cached, so a deep stack is walked once. Costs of
//! positions are not: most are sums of a few table lookups, but inside a literal the subtree of its trie is scanned
//! (`nearest_end`), and inside a declared name the names that are left.
//!
//! Wrinkle: undeclared names, and items that must be new, must differ from earlier ones. The cost of one that has begun
//! is exact. One that has not is as long as the first text, in the order of lengths, that is free whichever were used:
//! its number follows from how many were used. So costs do not depend on *which* texts were used, and hold for all
//! texts that a walk over tokens serves.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Machine;
use super::configuration::{Configuration, END, Phase, Position, Progress, StackId, Unpacked};
use super::stacks::{StackCost, UNKNOWN, Unit, counted};
use super::token_cost::TokenLengths;
use crate::language::{Array, INFINITE, Node, NodeId, Object, Seen, SpaceState, end};
use crate::vocabulary::{NodeIndex, Trie};

/// Of names that are equally near to the end, so many are tried for the last member that must come. For the members
/// before it one is: else each order of members would have states of its own.
const MOST_NEAREST: usize = 4;

impl Machine<'_> {
    /// Bytes of the shortest completion of any of `configurations`.
    pub fn cost(&mut self, configurations: &[Configuration]) -> u32 {
        configurations.iter().map(|configuration| self.configuration_cost(*configuration)).min().unwrap_or(INFINITE)
    }

    pub fn configuration_cost(&mut self, configuration: Configuration) -> u32 {
        self.position_cost(configuration.position).saturating_add(self.stack_cost(configuration.stack)).min(INFINITE)
    }

    /// Bytes to finish everything on a stack.
    #[inline]
    pub fn stack_cost(&mut self, stack: StackId) -> u32 {
        self.stack_costs(stack).least
    }

    /// Bytes to finish everything on a stack. The cost of a stack node includes the stack nodes below it, so their
    /// costs are computed first.
    #[inline]
    pub fn stack_costs(&mut self, stack: StackId) -> StackCost {
        self.stack_costs_in(None, stack)
    }

    /// As [`Machine::stack_costs`], in tokens if their lengths are given.
    pub fn stack_costs_in(&mut self, lengths: Option<&TokenLengths>, stack: StackId) -> StackCost {
        let unit = Unit::of(lengths);
        if let Some(cached) = self.stacks.cached_cost(unit, stack) {
            return cached;
        }
        let mut pending = vec![stack];
        while let Some(&top) = pending.last() {
            if self.stacks.cached_cost(unit, top).is_some() {
                pending.pop();
                continue;
            }
            let below = self.below(top);
            let missing = below.iter().filter(|&&node| self.stacks.cached_cost(unit, node).is_none());
            let before = pending.len();
            pending.extend(missing);
            if pending.len() == before {
                let cost = self.frame_cost(lengths, top, &below);
                self.stacks.insert_cost(unit, top, cost);
                pending.pop();
            }
        }
        self.stacks.cached_cost(unit, stack).unwrap_or(StackCost { least: INFINITE, most: INFINITE })
    }

    /// The stack nodes whose costs the cost of a stack node is computed from: the alternatives of a union, or the one
    /// node below a frame.
    pub(super) fn below(&self, stack: StackId) -> SmallVec<[StackId; 4]> {
        match self.stacks.alternatives(stack) {
            Some(several) => SmallVec::from_slice(several),
            None if stack == END => SmallVec::new(),
            None => smallvec![self.stacks.frame(stack).below],
        }
    }

    /// The cost of a stack node, when the costs of the stack nodes it depends on are cached.
    fn frame_cost(&mut self, lengths: Option<&TokenLengths>, stack: StackId, below: &[StackId]) -> StackCost {
        let unit = Unit::of(lengths);
        let costs = || below.iter().filter_map(|&node| self.stacks.cached_cost(unit, node));
        let least = costs().map(|cost| cost.least).min().unwrap_or(0); // below the end is nothing
        let most = costs().map(|cost| cost.most).filter(|&most| most < INFINITE).max().unwrap_or(least);
        if stack == END || self.stacks.alternatives(stack).is_some() {
            return StackCost { least, most };
        }
        let position = self.stacks.frame(stack).position;
        let own = self.position_cost_in(lengths, position);
        StackCost { least: own.saturating_add(least).min(INFINITE), most: own.saturating_add(most).min(INFINITE) }
    }

    /// Bytes to finish what a position is inside of, without the stack.
    pub(super) fn position_cost(&mut self, position: Position) -> u32 {
        let graph = self.graph;
        let spaces = graph.spaces();
        match position {
            Position::Accept | Position::Union(_) => 0, // a union costs what its alternatives cost: `frame_cost`
            Position::Between { .. } => INFINITE,       // stands in cache keys only, so its cost is never asked for
            Position::Start(node) => graph.facts.shortest(node),
            Position::Value { space, node } => {
                spaces.shortest(space, end::ITEM).saturating_add(graph.facts.shortest(node))
            }
            Position::Text { leaf, state, least, .. } => graph.automaton(leaf).shortest(state).saturating_add(least),
            Position::Terminal { leaf, state } => graph.automaton(leaf).shortest(state),
            Position::Literal { node, at } => self.literal_cost(node, at),
            Position::Key { object, seen, at } => self.key_cost(object, seen, at),
            Position::Excluding { leaf, state, at } => self.excluding_cost(leaf, state, at),
            Position::Item { array, items, start } => self.item_cost(array, items, start),
            Position::Named { kind, object, seen, .. } => self.named_cost(object, seen, u32::from(kind)),
            Position::Colon { space, object, seen, member } => {
                spaces.shortest(space, end::COLON).saturating_add(self.colon_cost(object, seen, member))
            }
            Position::Object { phase, space, object, seen } => self.object_cost(phase, space, object, seen),
            Position::Array { phase, space, array, count } => self.array_cost(phase, space, array, count),
            Position::Sequence { node, index } => self.parts_cost(node, index),
            Position::Repeat { node, count } => self.rounds_cost(node, count),
        }
    }

    /// Bytes from inside one of a set of texts to its end. The texts of a tail decide which object they are in, so
    /// there it is the end of that object.
    fn literal_cost(&self, node: NodeId, at: NodeIndex) -> u32 {
        match self.graph.node(node) {
            Node::Literals(texts) => nearest_end(texts.tree(), at, |_| Some(0)),
            Node::Tail(tail) => {
                nearest_end(tail.texts.tree(), at, |item| Some(tail.continuations[item as usize].shortest))
            }
            _ => INFINITE,
        }
    }

    /// Bytes of the parts of a sequence from `index` on.
    fn parts_cost(&self, node: NodeId, index: u32) -> u32 {
        let Node::Sequence(parts) = self.graph.node(node) else { return INFINITE };
        let rest = parts[index as usize..].iter();
        rest.fold(0_u32, |total, part| total.saturating_add(self.graph.facts.shortest(*part))).min(INFINITE)
    }

    /// Bytes of the rounds of a repetition that must still come after `count`.
    fn rounds_cost(&self, node: NodeId, count: u32) -> u32 {
        let Node::Repeat { body, low, .. } = *self.graph.node(node) else { return INFINITE };
        self.graph.facts.shortest(body).saturating_mul(low.saturating_sub(count)).min(INFINITE)
    }

    // Objects. A member index below `members.len()` is a declared member, `members.len() + kind` is an undeclared
    // member of that kind. A tail is a value together with the rest of its object, closing brace included.

    /// What an object has seen. For a plain object, whose progress is only a position, it is built from that position.
    fn seen_of(&self, object: &Object, seen: Progress) -> Seen {
        match seen.unpack() {
            Unpacked::Number(next) => object.at(next),
            Unpacked::Interned(_) => self.stacks.seen(seen).clone(),
        }
    }

    /// Bytes of the members that must still come, and their number. With `at_least_one`, one member is counted even if
    /// none must come.
    fn members_cost(&mut self, node: NodeId, object: &Object, seen: Progress, at_least_one: bool) -> (u32, u32) {
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
    fn needed(&self, object: &Object, seen: &Seen, at_least_one: bool) -> (u32, u32) {
        if object.tails > 0 {
            return (self.graph.with_lengths(&object.layout, |lengths| object.shortest_tail(lengths)), 1);
        }
        self.completion(object, seen, at_least_one).unwrap_or((INFINITE, 0))
    }

    /// The shortest members that complete an object: their bytes without commas, and how many they are.
    pub(super) fn completion(&self, object: &Object, seen: &Seen, at_least_one: bool) -> Option<(u32, u32)> {
        let used = self.stacks.used(seen.names);
        self.graph.with_lengths(&object.layout, |lengths| {
            if object.existentials == 0 {
                return object.completion(seen, used, at_least_one, lengths);
            }
            let known = &mut self.stacks.completions(object);
            object.known_completion(seen, used, at_least_one, lengths, known)
        })
    }

    /// Bytes from after a member's value to after the closing brace, if these members must still come.
    fn rest_cost(&self, object: &Object, (members, count): (u32, u32)) -> u32 {
        let between = self.graph.costs.between_items(&object.layout);
        members.saturating_add(between.saturating_mul(count)).saturating_add(self.close_cost(object)).min(INFINITE)
    }

    /// Bytes of the closing brace and the whitespace before it; 0 if the object ends with a tail, whose length includes
    /// the brace.
    fn close_cost(&self, object: &Object) -> u32 {
        if object.tails > 0 { 0 } else { 1 + self.graph.costs.before_close(&object.layout) }
    }

    /// Bytes from between two members to after the closing brace.
    fn object_cost(&mut self, phase: Phase, space: SpaceState, node: NodeId, seen: Progress) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        let spaces = graph.spaces();
        // After a line break that only a member may follow, one must.
        let at_least_one = phase == Phase::Comma || phase == Phase::Open && spaces.reached(space) & end::CLOSE == 0;
        let (members, count) = self.members_cost(node, object, seen, at_least_one);
        let between = graph.costs.between_items(&object.layout);
        let first = match (phase, count) {
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
    fn colon_cost(&mut self, node: NodeId, seen: Progress, member: u32) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        let space = graph.spaces().shortest(object.layout.colon, end::ITEM);
        let value = if let Some(rest) = self.rest_of_uncounted(node, object, seen, member) {
            graph.facts.shortest(object.values_of(member).0).saturating_add(rest)
        } else {
            let before = self.seen_of(object, seen);
            let after = |met| match object.members.get(member as usize) {
                Some(_) => object.with_member(&before, member, met),
                None => Seen { met: before.met | met, ..before.clone() }, // counted when its name ended
            };
            self.values_cost(object, member, after)
        };
        value.saturating_add(1 + space).min(INFINITE)
    }

    /// Bytes after the value of a declared member, where the required members decide.
    fn rest_of_uncounted(&mut self, node: NodeId, object: &Object, seen: Progress, member: u32) -> Option<u32> {
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
    fn values_cost(&self, object: &Object, member: u32, after: impl Fn(u32) -> Seen) -> u32 {
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
    fn named_cost(&self, node: NodeId, seen: Progress, kind: u32) -> u32 {
        let Node::Object(object) = self.graph.node(node) else { return INFINITE };
        let before = self.stacks.seen(seen);
        let used = counted(self.stacks.used(before.names) + 1);
        let colon = self.graph.costs.colon(&object.layout);
        let member = object.members.len() as u32 + kind;
        let after = |met| Seen { names: used, ..object.with_undeclared(before, met) };
        self.values_cost(object, member, after).saturating_add(colon).min(INFINITE)
    }

    /// Bytes from inside a declared name to after the closing brace: over all names below the trie node `at` that may
    /// come.
    fn key_cost(&mut self, node: NodeId, seen: Progress, at: NodeIndex) -> u32 {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return INFINITE };
        self.nearest_names(node, object, seen, at).map_or(INFINITE, |(cost, _)| cost)
    }

    /// The next bytes of the declared names below the trie node `at` with which the end is nearest.
    pub(super) fn preferred_name_bytes(&mut self, node: NodeId, seen: Progress, at: NodeIndex) -> SmallVec<[u8; 4]> {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return SmallVec::new() };
        let names = object.names.tree();
        if let Some(only) = names.only_way(at) {
            return smallvec![names.node(only).byte];
        }
        let depth = usize::from(names.node(at).depth);
        let mut nearest = self.nearest_names(node, object, seen, at).map_or_else(SmallVec::new, |(_, nearest)| nearest);
        if self.members_cost(node, object, seen, true).1 > 1 {
            nearest.truncate(1);
        }
        let byte = |member: &u32| object.names.text(*member as usize).get(depth).copied().unwrap_or(b'"');
        let mut bytes: SmallVec<[u8; 4]> = nearest.iter().map(byte).collect();
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
    fn nearest_names(
        &mut self,
        node: NodeId,
        object: &Object,
        seen: Progress,
        at: NodeIndex,
    ) -> Option<(u32, SmallVec<[u32; 4]>)> {
        let space = self.graph.spaces().shortest(object.layout.key, end::COLON);
        let (names, costs) = (object.names.tree(), self.colon_costs(node, object, seen, at));
        let read = u32::from(names.node(at).depth) + 1; // and the opening quote
        let (mut least, mut nearest) = (INFINITE, SmallVec::new());
        for &member in &names.items()[names.items_below(at)] {
            let cost = match &costs {
                Some(costs) => costs[member as usize],
                None if self.declared_may_come(object, seen, member) => self.colon_cost(node, seen, member),
                None => continue,
            };
            let cost = cost.saturating_add(object.members[member as usize].name_bytes - read + space);
            if cost < least {
                (least, nearest) = (cost, SmallVec::new());
            }
            if cost == least && nearest.len() < MOST_NEAREST {
                nearest.push(member);
            }
        }
        (least < INFINITE).then_some((least, nearest))
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

    /// As [`Machine::literal_cost`], for the dearest of these texts.
    pub fn dearest_text(&self, node: NodeId, at: NodeIndex) -> u32 {
        let Some(tree) = self.graph.node(node).tree() else { return INFINITE };
        let after = match self.graph.node(node) {
            Node::Tail(tail) => tail.continuations.iter().map(|after| after.shortest).max().unwrap_or(0),
            _ => 0,
        };
        after.saturating_add(u32::from(tree.node(at).height))
    }

    /// The costs of all members if they come next, kept where some names are left to choose from.
    fn colon_costs(&mut self, node: NodeId, object: &Object, seen: Progress, at: NodeIndex) -> Option<Arc<[u32]>> {
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

    // Arrays. Their phases are `Open` and `Value` only: after a comma stands `Position::Value`.

    /// Bytes from between two items to after the closing bracket.
    fn array_cost(&mut self, phase: Phase, space: SpaceState, node: NodeId, count: Progress) -> u32 {
        let graph = self.graph;
        let Node::Array(array) = graph.node(node) else { return INFINITE };
        let spaces = graph.spaces();
        let (mut items, mut missing) = self.missing_items(node, array, count);
        if missing == 0 && spaces.reached(space) & end::CLOSE == 0 {
            (items, missing) = (self.one_item_cost(node, array, count), 1);
        }
        if missing == 0 {
            return 1 + spaces.shortest(space, end::CLOSE);
        }
        let first = match phase {
            Phase::Value => 1 + spaces.shortest(space, end::COMMA) + spaces.shortest(array.layout.comma, end::ITEM),
            _ => spaces.shortest(space, end::ITEM),
        };
        let later = graph.costs.between_items(&array.layout).saturating_mul(missing.saturating_sub(1));
        items.saturating_add(first).saturating_add(later).saturating_add(self.close_array_cost(array)).min(INFINITE)
    }

    /// Bytes of the closing bracket and the whitespace before it.
    fn close_array_cost(&self, array: &Array) -> u32 {
        1 + self.graph.spaces().shortest(array.layout.value, end::CLOSE)
    }

    /// Bytes of the items that must still come, and their number: all commas but the first are to be added for it.
    fn missing_items(&mut self, node: NodeId, array: &Array, count: Progress) -> (u32, u32) {
        match count.unpack() {
            Unpacked::Interned(id) if array.unique => {
                let (used, low) = (self.used_items(id), array.low);
                (self.new_items_cost(array, used, low), low.saturating_sub(used))
            }
            // Where kinds are counted, the bytes include a comma for each item.
            Unpacked::Interned(id) => match self.items_cost(node, array, id) {
                None => (INFINITE, 1),
                Some(0) => (0, 0),
                Some(items) => (items - self.graph.costs.between_items(&array.layout), 1),
            },
            Unpacked::Number(number) => (self.plain_items_cost(array, number), array.low.saturating_sub(number)),
        }
    }

    /// Bytes of one item, and of all that must come after it.
    fn one_item_cost(&mut self, node: NodeId, array: &Array, count: Progress) -> u32 {
        match count.unpack() {
            Unpacked::Number(number) => array.item(number).map_or(INFINITE, |item| self.graph.facts.shortest(item)),
            Unpacked::Interned(id) if array.unique => {
                let used = self.used_items(id);
                self.new_items_cost(array, used, used + 1)
            }
            Unpacked::Interned(id) => {
                let items = self.stacks.items(id).clone();
                let cost = |&(item, kinds): &(NodeId, u32)| {
                    let next = self.stacks.intern_items(array.after(&items, kinds)?);
                    Some(self.graph.facts.shortest(item).saturating_add(self.items_cost(node, array, next)?))
                };
                array.ways(items.count).iter().filter_map(cost).min().unwrap_or(INFINITE)
            }
        }
    }

    /// How many items of a unique array are used.
    fn used_items(&self, items: u32) -> u32 {
        let items = self.stacks.items(items);
        items.count.max(self.stacks.used(items.used))
    }

    /// Bytes of the items of a unique array after `used` ones, up to `to`.
    fn new_items_cost(&self, array: &Array, used: u32, to: u32) -> u32 {
        if used >= to {
            return 0;
        }
        let leaves = self.graph.distinct(array);
        self.graph.with_lengths(&array.layout, |lengths| lengths.sum(&leaves, used + 1, to))
    }

    /// Bytes from after an item of a unique array to after the closing bracket. Before the item has begun, what it is
    /// longer than the shortest item is counted here.
    fn item_cost(&mut self, node: NodeId, items: u32, start: u32) -> u32 {
        let graph = self.graph;
        let Node::Array(array) = graph.node(node) else { return INFINITE };
        let used = self.used_items(items) + 1;
        let longer = if start == UNKNOWN {
            let shortest = array.item(0).map_or(0, |item| graph.facts.shortest(item));
            self.new_items_cost(array, used - 1, used).saturating_sub(shortest)
        } else {
            0
        };
        let between = graph.costs.between_items(&array.layout).saturating_mul(array.low.saturating_sub(used));
        let later = self.new_items_cost(array, used, array.low).saturating_add(between);
        later.saturating_add(longer).saturating_add(self.close_array_cost(array)).min(INFINITE)
    }

    /// Bytes of the items from index `count` up to the lower bound, commas and whitespace not counted.
    fn plain_items_cost(&self, array: &Array, count: u32) -> u32 {
        let of = |index: u32| array.item(index).map_or(INFINITE, |item| self.graph.facts.shortest(item));
        let prefix = (count..array.low.min(array.prefix.len() as u32))
            .fold(0_u32, |total, index| total.saturating_add(of(index)));
        let from = count.max(array.prefix.len() as u32);
        let rest = of(array.prefix.len() as u32).saturating_mul(array.low.saturating_sub(from));
        prefix.saturating_add(rest).min(INFINITE)
    }
}

/// Fewest bytes from the trie node `at` to the end of a text below it, plus the cost after that end. `cost_after` takes
/// the value that the trie stores for the text; `None` rules the text out.
fn nearest_end(trie: &Trie, at: NodeIndex, mut cost_after: impl FnMut(u32) -> Option<u32>) -> u32 {
    let depth = trie.node(at).depth;
    let mut best = INFINITE;
    for index in at..trie.node(at).skip {
        for item in trie.items_at(index) {
            if let Some(cost) = cost_after(trie.items()[item]) {
                best = best.min(cost.saturating_add(u32::from(trie.node(index).depth - depth)));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::Limits;
    use crate::matcher::Constraint;
    use crate::syntax::json_schema::{Options, Order, json_schema};
    use crate::terminals::Tables;
    use crate::vocabulary::Vocabulary;

    /// After any text, the cost is 0 just if the text may end, and else some byte makes it fall.
    fn falls(schema: &str, options: &Options, texts: u32) {
        let bytes: Vec<Vec<u8>> = std::iter::once(Vec::new()).chain((0..=255).map(|byte| vec![byte])).collect();
        let vocabulary = Vocabulary::new(&bytes, &[0], indexmap::IndexMap::new(), None).unwrap();
        let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
        let language = json_schema(schema, options).unwrap();
        let constraint = Constraint::new(&language, &tables).unwrap();
        let mut random = 1_u64;
        for _ in 0..texts {
            let (mut stacks, mut path) = (super::super::Stacks::default(), Vec::new());
            let mut machine = Machine::new(constraint.graph(), &mut stacks, &mut path);
            let mut configurations = machine.initial();
            for _ in 0..40 {
                let cost = machine.cost(&configurations);
                let mut after = Vec::new();
                for byte in 0..=255 {
                    let mut out = Vec::new();
                    machine.step_all(&configurations, byte, &mut out, 0);
                    if !out.is_empty() {
                        after.push((byte, machine.cost(&out), out));
                    }
                }
                let least = after.iter().map(|(_, cost, _)| *cost).min().unwrap_or(INFINITE);
                let text = String::from_utf8_lossy(machine.path).into_owned();
                let ends = configurations.iter().any(|at| at.position == Position::Accept);
                assert!(cost > 0 || ends, "{schema} {options:?} after {text}: 0");
                assert!(ends || least < cost, "{schema} {options:?} after {text}: {cost}, then {least}");
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let dull = |byte: u8| byte.is_ascii_alphanumeric() || byte == b' ' || byte >= 0x80;
                let (plain, structural): (Vec<_>, Vec<_>) = after.into_iter().partition(|(byte, ..)| dull(*byte));
                let from =
                    if plain.is_empty() || random >> 62 > 0 && !structural.is_empty() { structural } else { plain };
                let Some((byte, _, next)) = from.into_iter().nth((random >> 33) as usize % 97 % 12) else {
                    continue;
                };
                machine.path.push(byte);
                configurations = next;
            }
        }
    }

    #[test]
    fn some_byte_always_makes_the_cost_fall() {
        let schemas = [
            r#"{"type": "array", "items": {"enum": [1, "a"]}, "contains": {"const": 1}}"#,
            r#"{"type": "array", "items": {"enum": [1, "a", [1]]}, "contains": {"const": 1}, "minContains": 2, "maxContains": 3, "minItems": 4}"#,
            r#"{"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9999}, "uniqueItems": true, "minItems": 3}"#,
            r#"{"type": "array", "items": {"type": ["string", "boolean", "null"]}, "uniqueItems": true, "minItems": 5}"#,
            r#"{"type": "object", "minProperties": 3, "additionalProperties": {"type": "null"}}"#,
            r#"{"type": "object", "minProperties": 3, "properties": {"a": {"type": "null"}, "": {"type": "integer"}}}"#,
            r#"{"type": "object", "minProperties": 2, "maxProperties": 3, "patternProperties": {"^x?$": {"type": "null"}, "^y{1,2}$": true}, "additionalProperties": false}"#,
            r#"{"type": "object", "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": {"enum": ["a", 1]}}"#,
            r#"{"type": "object", "additionalProperties": {"type": "null"}, "propertyNames": {"pattern": "^[ab]$"}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {}, "c": {"type": "null"}}, "required": ["c", "a"], "dependentRequired": {"b": ["a", "d"]}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "null"}, "c": {"type": "null"}}, "minProperties": 2, "additionalProperties": false}"#,
            r#"{"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k", "x"]}, {"type": "object", "properties": {"k": {"const": "b"}, "y": {"type": "string"}}, "required": ["k", "y"]}, {"type": "array", "items": {"type": "boolean"}, "minItems": 2}]}"#,
            r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"l": {"$ref": "#/$defs/t"}, "v": {"type": "integer"}}, "required": ["v"]}}}"##,
            r#"{"type": "array", "prefixItems": [{"type": "string", "pattern": "b$", "minLength": 2}, {"type": "number"}], "items": false, "minItems": 2}"#,
            r#"{"type": "array", "maxItems": 0}"#,
            r#"{"type": "string", "format": "date-time"}"#,
            "true",
        ];
        for schema in schemas {
            for order in [Order::Schema, Order::Model] {
                for whitespace in ["compact", "flexible", "pretty"] {
                    let whitespace = whitespace.to_owned();
                    falls(schema, &Options { order, whitespace, ..Options::default() }, 20);
                }
            }
        }
    }
}
