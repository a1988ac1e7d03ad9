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
//! Cost: costs of stack nodes are cached, so a deep stack is walked once. Costs of positions are not: most are sums of
//! a few table lookups, but inside a literal or a declared name the subtree of its trie is scanned
//! (`nearest_end`), and inside a text that must avoid excluded texts a breadth-first search runs.
//!
//! Wrinkles: two kinds of texts must differ from earlier ones. Undeclared names are estimated before they begin, from
//! the shortest name and, as far as members are counted, the number of other names; once a name has begun, its bytes
//! are exact. Items of unique arrays are estimated throughout: between two items the cost may be too low (it takes the
//! shortest text for each missing item), inside an item it is mostly too high (see `LONGER`). So the property above may
//! fail around such a text: there the cost may rise.

use super::Machine;
use super::configuration::{Configuration, END, Phase, Position, Progress, StackId, Unpacked};
use super::excluded::TextsId;
use crate::language::{Array, INFINITE, Items, LeafId, Node, NodeId, Object, Seen, SpaceState, end};
use crate::regular::{DEAD, StateId};
use crate::vocabulary::{NodeIndex, Trie};

/// Inside an item of a unique array, each item still missing is assumed to need this many bytes more than the shortest
/// item, as the shortest texts may be used by then. A guess: 4 more digits make 10,000 times as many texts.
const LONGER: u32 = 4;

impl Machine<'_> {
    /// Bytes of the shortest completion of any of `configurations`.
    pub fn cost(&mut self, configurations: &[Configuration]) -> u32 {
        configurations.iter().map(|configuration| self.configuration_cost(*configuration)).min().unwrap_or(INFINITE)
    }

    fn configuration_cost(&mut self, configuration: Configuration) -> u32 {
        self.position_cost(configuration.position).saturating_add(self.stack_cost(configuration.stack)).min(INFINITE)
    }

    /// Bytes to finish everything on a stack. The cost of a stack node includes the stack nodes below it, so their
    /// costs are computed first.
    pub fn stack_cost(&mut self, stack: StackId) -> u32 {
        let mut pending = vec![stack];
        while let Some(&top) = pending.last() {
            if self.stacks.cached_cost(top).is_some() {
                pending.pop();
                continue;
            }
            let below = self.below(top);
            let missing = below.iter().filter(|&&node| self.stacks.cached_cost(node).is_none());
            let before = pending.len();
            pending.extend(missing);
            if pending.len() == before {
                let cost = self.frame_cost(top, &below);
                self.stacks.insert_cost(top, cost);
                pending.pop();
            }
        }
        self.stacks.cached_cost(stack).unwrap_or(INFINITE)
    }

    /// The stack nodes whose costs the cost of a stack node is computed from: the alternatives of a union, or the one
    /// node below a frame.
    fn below(&self, stack: StackId) -> Vec<StackId> {
        match self.stacks.alternatives(stack) {
            Some(several) => several.to_vec(),
            None if stack == END => Vec::new(),
            None => vec![self.stacks.frame(stack).below],
        }
    }

    /// Bytes to finish a stack node, when the costs of the stack nodes it depends on are cached.
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

    /// Bytes to finish what a position is inside of, without the stack.
    fn position_cost(&mut self, position: Position) -> u32 {
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

    fn object_of(&self, node: NodeId) -> Option<&'_ Object> {
        match self.graph.node(node) {
            Node::Object(object) => Some(object),
            _ => None,
        }
    }

    /// What an object has seen. For a plain object, whose progress is only a position, it is built from that position.
    fn seen_of(&self, object: &Object, seen: Progress) -> Seen {
        match seen.unpack() {
            Unpacked::Number(next) => object.at(next),
            Unpacked::Interned(_) => self.stacks.seen(seen).clone(),
        }
    }

    /// Bytes of the members that must still come, and their number. With `at_least_one`, one member is counted even if
    /// none must come.
    fn members_cost(&self, object: &Object, seen: &Seen, at_least_one: bool) -> (u32, u32) {
        let (facts, costs) = (&self.graph.facts, &self.graph.costs);
        facts.with_minimum_lengths(&object.layout, costs, |lengths| {
            if object.tails > 0 {
                return (object.shortest_tail(lengths), 1);
            }
            object.completion(seen, at_least_one, lengths).unwrap_or((INFINITE, 0))
        })
    }

    /// Bytes from after a member's value to after the closing brace.
    fn rest_cost(&self, object: &Object, seen: &Seen) -> u32 {
        let (members, count) = self.members_cost(object, seen, false);
        let between = self.graph.costs.between_items(&object.layout);
        members.saturating_add(between.saturating_mul(count)).saturating_add(self.close_cost(object)).min(INFINITE)
    }

    /// Bytes of the closing brace and the whitespace before it; 0 if the object ends with a tail, whose length includes
    /// the brace.
    fn close_cost(&self, object: &Object) -> u32 {
        if object.tails > 0 { 0 } else { 1 + self.graph.costs.before_close(&object.layout) }
    }

    /// Bytes from between two members to after the closing brace.
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

    /// Bytes from the colon (whitespace before it not counted) to after the closing brace.
    fn colon_cost(&self, node: NodeId, seen: Progress, member: u32) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let before = self.seen_of(object, seen);
        let space = self.graph.spaces().shortest(object.layout.colon, end::ITEM);
        let after = |met| match object.members.get(member as usize) {
            Some(_) => object.with_member(&before, member, met),
            None => Seen { met: before.met | met, ..before.clone() }, // counted when its name ended
        };
        self.values_cost(object, member, after).saturating_add(1 + space).min(INFINITE)
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
        let costs = choices
            .map(|(value, met)| self.graph.facts.shortest(value).saturating_add(self.rest_cost(object, &after(met))));
        costs.min().unwrap_or(INFINITE)
    }

    /// Bytes from after the closing quote of an undeclared name to after the closing brace.
    fn named_cost(&self, node: NodeId, seen: Progress, kind: u32) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let before = self.stacks.seen(seen);
        let colon = self.graph.costs.colon(&object.layout);
        let member = object.members.len() as u32 + kind;
        self.values_cost(object, member, |met| object.with_undeclared(before, met)).saturating_add(colon).min(INFINITE)
    }

    /// Bytes from inside a declared name to after the closing brace: over all names below the trie node `at` that may
    /// come.
    fn key_cost(&self, node: NodeId, seen: Progress, at: NodeIndex) -> u32 {
        let Some(object) = self.object_of(node) else { return INFINITE };
        let space = self.graph.spaces().shortest(object.layout.key, end::COLON);
        nearest_end(object.names.tree(), at, |member| {
            let may_come = self.declared_may_come(object, seen, member);
            may_come.then(|| self.colon_cost(node, seen, member).saturating_add(1 + space))
        })
    }

    /// Bytes to finish a name or item that must avoid excluded texts, of which it is a prefix so far: breadth-first by
    /// length, along the excluded texts. A byte that leaves them all reaches a text that is allowed.
    fn excluding_cost(&self, leaf: LeafId, state: StateId, at: TextsId) -> u32 {
        let automaton = self.graph.automaton(leaf);
        let mut best = INFINITE;
        let mut level = vec![(state, at)];
        for length in 1..INFINITE {
            let mut next = Vec::new();
            for &(state, at) in &level {
                let excluded = self.stacks.excluded_children(at);
                for byte in 0..=255_u8 {
                    let step = automaton.step(state, byte);
                    if step.state() == DEAD {
                        continue;
                    }
                    let rest = match excluded.iter().find(|(other, _)| *other == byte) {
                        Some(&(_, child)) if !step.accepting() || self.stacks.is_excluded(Some(child)) => {
                            next.extend(step.goes_on().then_some((step.state(), child)));
                            continue;
                        }
                        _ if step.accepting() => 0,
                        _ => automaton.shortest(step.state()),
                    };
                    best = best.min(rest.saturating_add(length));
                }
            }
            // Every text found later has more than `length` bytes.
            if best <= length + 1 || next.is_empty() {
                break;
            }
            level = next;
        }
        best
    }

    // Arrays. Their phases are `Open` and `Value` only: after a comma stands `Position::Value`.

    /// Bytes from between two items to after the closing bracket.
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
        let later = between.saturating_mul(array.low - count - 1);
        items.saturating_add(first).saturating_add(later).saturating_add(close).min(INFINITE)
    }

    /// As [`Machine::array_cost`], where kinds of items are counted (`contains`). The cost of the items includes a
    /// comma before each of them.
    fn kinds_cost(&self, phase: Phase, space: SpaceState, array: &Array, items: &Items) -> u32 {
        let spaces = self.graph.spaces();
        match (self.items_cost(array, items), phase) {
            (None, _) => INFINITE,
            (Some(0), _) => 1 + spaces.shortest(space, end::CLOSE),
            // The first item of the array has no comma before it.
            (Some(items), Phase::Open) => {
                items - self.graph.costs.between_items(&array.layout) + 1 + spaces.shortest(space, end::ITEM)
            }
            (Some(items), _) => items + 1 + spaces.shortest(array.layout.value, end::CLOSE),
        }
    }

    /// Bytes from after an item of a unique array to after the closing bracket. An estimate: each missing item is taken
    /// to be `LONGER` bytes longer than the shortest.
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
fn nearest_end(trie: &Trie, at: NodeIndex, cost_after: impl Fn(u32) -> Option<u32>) -> u32 {
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
