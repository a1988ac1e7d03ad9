//! How many bytes are still needed, from any configuration.
//!
//! ```text
//! {"a": "x      position  1 byte to finish the string, the quote
//!               stack     1 byte to finish the object, the brace
//! ```
//!
//! The static side ([`crate::language::Facts`]) knows the shortest text of every node; this file adds what is left of
//! half-read ones.
//!
//! Property that the token budget relies on: whenever the cost is `n > 0`, some byte leads to a state of cost `n - 1`.
//!
//! Cost: costs of stacks are cached by node, so a deep stack is walked once.

use super::Machine;
use super::configuration::{Configuration, END, Phase, Position, Progress, StackId, Unpacked};
use super::excluded::TextsId;
use crate::language::{Array, INFINITE, Items, LeafId, Node, NodeId, Object, Seen, SpaceState, end};
use crate::regular::{DEAD, StateId};
use crate::vocabulary::{NodeIndex, Trie};

/// Bytes an item that must be new may need beyond the shortest.
const LONGER: u32 = 4;

impl Machine<'_> {
    /// Bytes of the shortest completion of any of `configurations`.
    pub fn cost(&mut self, configurations: &[Configuration]) -> u32 {
        configurations.iter().map(|configuration| self.configuration_cost(*configuration)).min().unwrap_or(INFINITE)
    }

    fn configuration_cost(&mut self, configuration: Configuration) -> u32 {
        self.position_cost(configuration.position).saturating_add(self.stack_cost(configuration.stack)).min(INFINITE)
    }

    /// Bytes to finish everything on a stack. A node's cost is made of those below it, which are worked out first.
    pub fn stack_cost(&mut self, stack: StackId) -> u32 {
        let mut open = vec![stack];
        while let Some(&top) = open.last() {
            if self.stacks.cached_cost(top).is_some() {
                open.pop();
                continue;
            }
            let below = self.below(top);
            let missing = below.iter().filter(|&&node| self.stacks.cached_cost(node).is_none());
            let before = open.len();
            open.extend(missing);
            if open.len() == before {
                let cost = self.frame_cost(top, &below);
                self.stacks.insert_cost(top, cost);
                open.pop();
            }
        }
        self.stacks.cached_cost(stack).unwrap_or(INFINITE)
    }

    /// The nodes that the cost of a node is made of.
    fn below(&self, stack: StackId) -> Vec<StackId> {
        match self.stacks.alternatives(stack) {
            Some(several) => several.to_vec(),
            None if stack == END => Vec::new(),
            None => vec![self.stacks.frame(stack).below],
        }
    }

    /// Bytes to finish a node, when the costs of those below it are cached.
    fn frame_cost(&mut self, stack: StackId, below: &[StackId]) -> u32 {
        if stack == END {
            return 0;
        }
        let cheapest = below.iter().map(|&node| self.stacks.cached_cost(node).unwrap_or(INFINITE)).min();
        if self.stacks.alternatives(stack).is_some() {
            return cheapest.unwrap_or(INFINITE);
        }
        let rest = cheapest.unwrap_or(0); // there is one node below a frame
        let position = self.stacks.frame(stack).position;
        self.position_cost(position).saturating_add(rest).min(INFINITE)
    }

    /// Bytes to finish the part a configuration is in.
    fn position_cost(&mut self, position: Position) -> u32 {
        let graph = self.graph;
        let spaces = graph.spaces();
        match position {
            Position::Accept | Position::Union(_) => 0,
            Position::Between { .. } => INFINITE,
            Position::Start(node) => graph.facts.shortest(node),
            Position::Value { space, node } => {
                spaces.shortest(space, end::ITEM).saturating_add(graph.facts.shortest(node))
            }
            Position::Text { leaf, state, least, .. } => graph.automaton(leaf).shortest(state).saturating_add(least),
            Position::Terminal { leaf, state } => graph.automaton(leaf).shortest(state),
            Position::Literal { node, at } => self.literal_cost(node, at),
            Position::Key { object, seen, at } => self.key_cost(object, seen, at),
            Position::Excluding { leaf, state, at } => self.excluding_cost(leaf, state, at),
            Position::Item { array, items, .. } => self.item_cost(array, items),
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

    /// Bytes from inside one of a set of texts to behind it, or behind the object that it decides about.
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

    // Objects.

    fn object_of(&self, node: NodeId) -> Option<&'_ Object> {
        match self.graph.node(node) {
            Node::Object(object) => Some(object),
            _ => None,
        }
    }

    /// What an object has seen, spelled out for plain ones too.
    fn seen_of(&self, object: &Object, seen: Progress) -> Seen {
        match seen.unpack() {
            Unpacked::Number(next) => object.at(next),
            Unpacked::Interned(_) => self.stacks.seen(seen).clone(),
        }
    }

    /// Bytes of the members that must still come (one at least, if `one`), and how many.
    fn members_cost(&self, object: &Object, seen: &Seen, one: bool) -> (u32, u32) {
        let (facts, costs) = (&self.graph.facts, &self.graph.costs);
        facts.with_minimum_lengths(&object.layout, costs, |lengths| {
            if object.tails > 0 {
                return (object.shortest_tail(lengths), 1);
            }
            object.completion(seen, one, lengths).unwrap_or((INFINITE, 0))
        })
    }

    /// Bytes from behind a value to behind the closing brace.
    fn rest_cost(&self, object: &Object, seen: &Seen) -> u32 {
        let (members, count) = self.members_cost(object, seen, false);
        let between = self.graph.costs.between_items(&object.layout);
        members.saturating_add(between.saturating_mul(count)).saturating_add(self.close_cost(object)).min(INFINITE)
    }

    /// The closing brace, unless a tail has it.
    fn close_cost(&self, object: &Object) -> u32 {
        if object.tails > 0 { 0 } else { 1 + self.graph.costs.before_close(&object.layout) }
    }

    /// Bytes from between two members to behind the closing brace.
    fn object_cost(&self, phase: Phase, space: SpaceState, node: NodeId, seen: Progress) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let seen = self.seen_of(object, seen);
        let spaces = self.graph.spaces();
        let (members, count) = self.members_cost(object, &seen, phase == Phase::Comma);
        let between = self.graph.costs.between_items(&object.layout);
        match (phase, count) {
            (Phase::Value | Phase::Open, 0) => 1 + spaces.shortest(space, end::CLOSE),
            (Phase::Value, _) => {
                let first = 1 + spaces.shortest(space, end::COMMA) + spaces.shortest(object.layout.comma, end::ITEM);
                let rest = between.saturating_mul(count - 1).saturating_add(self.close_cost(object));
                members.saturating_add(first).saturating_add(rest).min(INFINITE)
            }
            _ => {
                let first = spaces.shortest(space, end::ITEM);
                let rest = between.saturating_mul(count.saturating_sub(1)).saturating_add(self.close_cost(object));
                members.saturating_add(first).saturating_add(rest).min(INFINITE)
            }
        }
    }

    /// Bytes from the colon on (whitespace before it not counted) to behind the closing brace.
    fn colon_cost(&self, node: NodeId, seen: Progress, member: u32) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let before = self.seen_of(object, seen);
        let space = self.graph.spaces().shortest(object.layout.colon, end::ITEM);
        let after = |met| match object.members.get(member as usize) {
            Some(_) => object.with_member(&before, member, met),
            None => Seen { met: before.met | met, ..before.clone() },
        };
        self.values_cost(object, member, after).saturating_add(1 + space).min(INFINITE)
    }

    /// Bytes of the cheapest value of a member and of what the object then needs.
    fn values_cost(&self, object: &Object, member: u32, after: impl Fn(u32) -> Seen) -> u32 {
        let (value, witnesses) = object.values_of(member);
        if object.ends_with(member) {
            return self.graph.facts.shortest(value);
        }
        let ways = std::iter::once((value, 0)).chain(witnesses.iter().copied());
        let costs = ways
            .map(|(value, met)| self.graph.facts.shortest(value).saturating_add(self.rest_cost(object, &after(met))));
        costs.min().unwrap_or(INFINITE)
    }

    /// Bytes from behind the quote of an undeclared name to behind the closing brace.
    fn named_cost(&self, node: NodeId, seen: Progress, kind: u32) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let before = self.stacks.seen(seen);
        let colon = self.graph.costs.colon(&object.layout);
        let member = object.members.len() as u32 + kind;
        self.values_cost(object, member, |met| object.with_undeclared(before, met)).saturating_add(colon).min(INFINITE)
    }

    /// Bytes from inside a declared name to behind the closing brace.
    fn key_cost(&self, node: NodeId, seen: Progress, at: NodeIndex) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let space = self.graph.spaces().shortest(object.layout.key, end::COLON);
        nearest_end(object.names.tree(), at, |member| {
            let open = self.may_member(object, seen, member);
            open.then(|| self.colon_cost(node, seen, member).saturating_add(1 + space))
        })
    }

    /// Bytes to finish a name that must not be one of the excluded ones.
    fn excluding_cost(&self, leaf: LeafId, state: StateId, at: TextsId) -> u32 {
        let automaton = self.graph.automaton(leaf);
        let mut best = INFINITE;
        let mut level = vec![(state, at)];
        for read in 1..INFINITE {
            let mut next = Vec::new();
            for &(state, at) in &level {
                let on = self.stacks.excluded_children(at);
                for byte in 0..=255_u8 {
                    let step = automaton.step(state, byte);
                    if step.state() == DEAD {
                        continue;
                    }
                    let rest = match on.iter().find(|(other, _)| *other == byte) {
                        Some(&(_, child)) if !step.accepting() || self.stacks.is_excluded(Some(child)) => {
                            next.extend(step.goes_on().then_some((step.state(), child)));
                            continue;
                        }
                        _ if step.accepting() => 0,
                        _ => automaton.shortest(step.state()),
                    };
                    best = best.min(rest.saturating_add(read));
                }
            }
            // Any other way is longer than the texts read by now.
            if best <= read + 1 || next.is_empty() {
                break;
            }
            level = next;
        }
        best
    }

    // Arrays.

    /// Bytes from between two items to behind the closing bracket.
    fn array_cost(&self, phase: Phase, space: SpaceState, node: NodeId, count: Progress) -> u32 {
        let Node::Array(array) = self.graph.node(node) else { return INFINITE };
        let spaces = self.graph.spaces();
        if let (Unpacked::Interned(id), false) = (count.unpack(), array.unique) {
            return self.kinds_cost(phase, space, array, self.stacks.items(id));
        }
        let count = self.stacks.number(count);
        if count >= array.low {
            return 1 + spaces.shortest(space, end::CLOSE);
        }
        let items = self.plain_items_cost(array, count);
        let between = self.graph.costs.between_items(&array.layout);
        let close = 1 + spaces.shortest(array.layout.value, end::CLOSE);
        let first = match phase {
            Phase::Value => 1 + spaces.shortest(space, end::COMMA) + spaces.shortest(array.layout.comma, end::ITEM),
            _ => spaces.shortest(space, end::ITEM),
        };
        let more = between.saturating_mul(array.low - count - 1);
        items.saturating_add(first).saturating_add(more).saturating_add(close).min(INFINITE)
    }

    /// As [`Machine::array_cost`], where kinds of items are counted.
    fn kinds_cost(&self, phase: Phase, space: SpaceState, array: &Array, items: &Items) -> u32 {
        let spaces = self.graph.spaces();
        match (self.items_cost(array, items), phase) {
            (None, _) => INFINITE,
            (Some(0), _) => 1 + spaces.shortest(space, end::CLOSE),
            // The first item has no comma before it.
            (Some(items), Phase::Open) => {
                items - self.graph.costs.between_items(&array.layout) + 1 + spaces.shortest(space, end::ITEM)
            }
            (Some(items), _) => items + 1 + spaces.shortest(array.layout.value, end::CLOSE),
        }
    }

    /// Bytes after an item that had to be new. Later items may have to be longer than the shortest: a few bytes each.
    fn item_cost(&self, node: NodeId, items: u32) -> u32 {
        let Node::Array(array) = self.graph.node(node) else { return INFINITE };
        let count = self.stacks.items(items).count + 1;
        let close = 1 + self.graph.spaces().shortest(array.layout.value, end::CLOSE);
        let missing = array.low.saturating_sub(count);
        let each = self.graph.costs.between_items(&array.layout).saturating_add(LONGER);
        self.plain_items_cost(array, count)
            .saturating_add(each.saturating_mul(missing))
            .saturating_add(close)
            .min(INFINITE)
    }

    /// Bytes of the items from `count` up to the lower bound, without what stands between them.
    fn plain_items_cost(&self, array: &Array, count: u32) -> u32 {
        let of = |index: u32| array.item(index).map_or(INFINITE, |item| self.graph.facts.shortest(item));
        let prefix = (count..array.low.min(array.prefix.len() as u32))
            .fold(0_u32, |total, index| total.saturating_add(of(index)));
        let from = count.max(array.prefix.len() as u32);
        let rest = of(array.prefix.len() as u32).saturating_mul(array.low.saturating_sub(from));
        prefix.saturating_add(if array.low > from { rest } else { 0 }).min(INFINITE)
    }
}

/// Fewest bytes from `at` to an item, with what the item itself still costs.
fn nearest_end(trie: &Trie, at: NodeIndex, cost: impl Fn(u32) -> Option<u32>) -> u32 {
    let depth = trie.node(at).depth;
    let mut best = INFINITE;
    for index in at..trie.node(at).skip {
        for item in trie.items_at(index) {
            if let Some(cost) = cost(trie.items()[item]) {
                best = best.min(cost.saturating_add(u32::from(trie.node(index).depth - depth)));
            }
        }
    }
    best
}
