//! Items that must differ as values, however they are spelled.
//!
//! ```text
//! [{"a": 1, "b": 2}, {"b": 2.0, "a": 1      may not close: the first item again
//!                                   11      goes on, and differs for sure from here on
//! ```
//!
//! The frame that waits for the end of an item keeps what was read of it ([`Values`](super::values::Values)), and steps it
//! along, until no item before can come of it. Then the item is [`NEW`], and nothing is asked any more: that is mostly so
//! after its first member. While it is not, a configuration is alive if *some* way on leads to another value. Where one of
//! many values may still come that is plain; else the ways on are tried, and only those that stay on used values are
//! followed further.
//!
//! Cost: a lookup for each byte until the item is new, and a step for each byte that may come where few values are left.
//! In a walk that serves many texts the used items are unknown, so what would be asked is noted as unresolved.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arrays::NextItems;
use super::configuration::{Configuration, Frame, Phase, Position, Progress, StackId, Unpacked};
use super::excluded::{NONE, TextsId};
use super::stacks::{
    MOST_CANDIDATES, MOST_EXCLUDING, MUST_DIFFER, NEW, READ, Stacks, UNKNOWN, UNKNOWN_ITEMS, UNREAD, UNREAD_ITEM,
    are_known, counted,
};
use super::values::{BEFORE, PartialId, ValueId};
use super::{Machine, Successors};
use crate::error::{Error, Kind};
use crate::language::{Array, INFINITE, Items, LeafId, Member, Node, NodeId, Object, UNBOUNDED};
use crate::regular::StateId;
use crate::vocabulary::is_whitespace;

/// Configurations that a search goes on from. A search is long only where few values are left and all are used.
pub(super) const FUEL: usize = 1 << 13;

/// Units of work to step a configuration by all bytes that may come.
pub(super) const UNITS: usize = 1 << 8;

/// How a machine compares items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    /// Whether a budget relies on what is known of items: one of which nothing is known is asked about wherever it
    /// is.
    pub is_strict: bool,
    /// Set when a search was given up, so that an answer may be wrong.
    pub gave_up: bool,
    pub(super) searches: Searches,
}

/// What a machine is searching for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Searches {
    #[default]
    Nothing,
    /// Ways on: items that repeat used ones are found by the search.
    Ways,
    /// Values of an item: what was read of it is kept.
    Values,
}

/// A search gave up: what it says cannot be trusted.
pub fn too_many_ways() -> Error {
    Error::new(
        Kind::Limit { limit: "unique_items", value: FUEL, allowed: FUEL },
        "limit reached: whether an item can still differ from those before it takes too long to find",
    )
    .hint("uniqueItems is costly where items have few values of many members: leave it out, or bound maxItems")
}

impl Machine<'_> {
    // What is asked.

    /// Whether an item that is open may still become one that is used.
    #[inline]
    pub fn must_differ(&self, stack: StackId) -> bool {
        self.graph.compares_values() && self.stacks.must_differ(stack)
    }

    /// Bytes by which the text gets longer, at most, if its open items must differ from all others, whichever these are;
    /// wherever tokens of up to `reach` bytes lead inside a terminal. [`INFINITE`] if that is not bounded.
    pub fn detour_inside(&self, configuration: Configuration, reach: u32) -> u32 {
        if !self.must_differ(configuration.stack) {
            return 0;
        }
        let position = match configuration.position {
            Position::Text { leaf, most: UNBOUNDED, .. } => self.graph.detour_of_characters(leaf, 0, UNBOUNDED),
            Position::Text { leaf, most, .. } => self.graph.detour_of_characters(leaf, 0, most.saturating_sub(reach)),
            Position::Terminal { leaf, state } => {
                self.stacks.detour(leaf, state, true, || self.graph.detour_throughout(leaf, state))
            }
            _ => INFINITE,
        };
        position.min(self.detour_on(configuration.stack))
    }

    /// The same where a configuration is.
    pub(super) fn detour(&self, configuration: Configuration) -> u32 {
        if !self.must_differ(configuration.stack) {
            return 0;
        }
        self.detour_of(configuration.position).min(self.detour_on(configuration.stack))
    }

    /// After a step: what was read of the items that are open, and no configuration that can only repeat a used one.
    #[inline]
    pub(super) fn compare_items(&mut self, out: &mut Vec<Configuration>, base: usize, byte: u8) {
        if self.graph.compares_values() {
            self.byte = byte;
            self.read_items(out, base);
            self.path.push(byte); // a search goes on from after it
            self.refuse_repeated(out, base);
            self.path.pop();
        }
    }

    #[inline(never)]
    fn read_items(&mut self, out: &mut [Configuration], base: usize) {
        for configuration in &mut out[base..] {
            if self.stacks.compared(configuration.stack) & READ != 0 {
                configuration.stack =
                    self.rebuild(configuration.stack, &mut |machine, position, below| machine.read_on(position, below));
            }
        }
    }

    /// Takes the configurations out that can only repeat a used item.
    pub(super) fn refuse_repeated(&mut self, out: &mut Vec<Configuration>, base: usize) {
        if !self.graph.compares_values() || self.comparison.searches != Searches::Nothing {
            return;
        }
        let mut index = base;
        while let Some(&configuration) = out.get(index) {
            match self.with_new_items(configuration) {
                Some(stack) => {
                    out[index].stack = stack;
                    index += 1;
                }
                None => _ = out.remove(index),
            }
        }
    }

    /// The stacks of a configuration on which its items can still differ.
    fn with_new_items(&mut self, configuration: Configuration) -> Option<StackId> {
        let Configuration { position, stack } = configuration;
        if !self.must_differ(stack) {
            return Some(stack);
        }
        let Some(several) = self.stacks.alternatives(stack) else {
            return self.has_new_items(configuration).then_some(stack);
        };
        let several: SmallVec<[StackId; 4]> = SmallVec::from_slice(several);
        let alive = |stack: &StackId| self.has_new_items(Configuration { position, stack: *stack });
        let alive: SmallVec<[StackId; 4]> = several.into_iter().filter(alive).collect();
        if alive.is_empty() { None } else { Some(self.stacks.union(alive)) }
    }

    /// The same of one stack.
    fn has_new_items(&mut self, configuration: Configuration) -> bool {
        let compared = self.stacks.compared(configuration.stack);
        if compared & MUST_DIFFER == 0 {
            return true;
        }
        if self.comparison.is_strict && compared & UNREAD_ITEM != 0 {
            self.learnt.unresolved = true;
            return true;
        }
        if self.detour(configuration) < INFINITE {
            return true;
        }
        if compared & (UNREAD_ITEM | UNKNOWN_ITEMS) != 0 {
            self.learnt.unresolved = true;
            return true;
        }
        self.can_differ(configuration)
    }

    /// The same of what is on a stack above the items that must differ.
    fn detour_on(&self, stack: StackId) -> u32 {
        let mut at = stack;
        while self.must_differ(at) {
            if self.stacks.alternatives(at).is_some() {
                return INFINITE;
            }
            let Frame { position, below } = self.stacks.frame(at);
            if matches!(position, Position::Element { items, .. } if !self.stacks.items(items).differs) {
                return INFINITE;
            }
            let detour = self.detour_of(position);
            if detour < INFINITE {
                return detour;
            }
            at = below;
        }
        0
    }

    /// The same of what a position is inside of.
    fn detour_of(&self, position: Position) -> u32 {
        let graph = self.graph;
        match position {
            Position::Text { leaf, least, most, .. } => graph.detour_of_characters(leaf, least, most),
            Position::Terminal { leaf, state } => {
                self.stacks.detour(leaf, state, false, || graph.detour_of_leaf(leaf, state))
            }
            Position::Start(node) | Position::Value { node, .. } => graph.detour(node),
            Position::Colon { object, seen, member, .. } => match graph.node(object) {
                Node::Object(of) => graph.detour(of.values_of(member).0).min(self.detour_of_members(of, seen)),
                _ => INFINITE,
            },
            Position::Key { object, seen, .. }
            | Position::Named { object, seen, .. }
            | Position::Object { object, seen, .. } => match graph.node(object) {
                Node::Object(of) => self.detour_of_members(of, seen),
                _ => INFINITE,
            },
            Position::Array { array, .. } => match graph.node(array) {
                Node::Array(array) if array.high == UNBOUNDED && array.kinds.is_empty() && !array.unique => {
                    let between = graph.costs.between_items(&array.layout);
                    let detour = |rest| graph.facts.shortest(rest).saturating_add(graph.detour(rest));
                    let prefix = array.prefix.iter().fold(0_u32, |all, &item| {
                        all.saturating_add(graph.facts.shortest(item)).saturating_add(between)
                    });
                    array.rest.map_or(INFINITE, detour).saturating_add(between).saturating_add(prefix).min(INFINITE)
                }
                _ => INFINITE,
            },
            _ => INFINITE,
        }
    }

    /// The same of the members that an object must still have, or may always have.
    fn detour_of_members(&self, object: &Object, seen: Progress) -> u32 {
        let by_name = self.graph.detour_by_name(object);
        if by_name < INFINITE || object.tracks_values() {
            return by_name;
        }
        let bounded = |member: &Member| Some(self.graph.detour(member.value)).filter(|&detour| detour < INFINITE);
        let found = match seen.unpack() {
            Unpacked::Number(next) => {
                object.members[next as usize..].iter().filter(|member| member.required).find_map(bounded)
            }
            Unpacked::Interned(_) => {
                let missing = object.missing(self.stacks.seen(seen));
                missing.into_iter().find_map(|member| bounded(&object.members[member as usize]))
            }
        };
        found.unwrap_or(INFINITE)
    }

    // What was read.

    /// The position on a stack after the byte being read; `below` is the stack under it.
    fn read_on(&mut self, position: Position, below: StackId) -> Position {
        let Position::Element { array, items, start } = position else { return position };
        let before = self.stacks.items(items).clone();
        if matches!(before.item, NEW | UNREAD) {
            return position;
        }
        let begins = before.item == BEFORE;
        if !are_known(before.used) {
            let is_blank = is_whitespace(self.byte) || self.byte == b',';
            if begins && is_blank {
                return position;
            }
            let items = self.stacks.intern_items(Items { item: UNREAD, ..before });
            return Position::Element { array, items, start: self.path.len() as u32 };
        }
        let item = self.stacks.values.step(before.item, self.byte, self.has_doubles(array));
        if item == before.item {
            return position;
        }
        let start = if begins { self.path.len() as u32 } else { start };
        let differs = before.differs || self.stacks.differs_from_used(before.used, before.item, item);
        // The value of an item inside another one that is read is a part of that.
        let is_settled =
            differs && self.comparison.searches != Searches::Values && self.stacks.compared(below) & READ == 0;
        let items = Items { item: if is_settled { NEW } else { item }, differs, ..before };
        Position::Element { array, items: self.stacks.intern_items(items), start }
    }

    /// The text of a name or an item inside an item, which ends with the byte being read: since `start`, or, where that
    /// is forgotten, as what was read of the outer item says.
    pub(super) fn text_inside(&self, start: u32, stack: StackId) -> Option<Vec<u8>> {
        self.text_since(start).or_else(|| if self.graph.compares_values() { self.text_read(stack) } else { None })
    }

    /// What was read of the innermost value of an item, with the byte being read.
    fn text_read(&self, stack: StackId) -> Option<Vec<u8>> {
        let (mut at, is_read) = (stack, |at: &StackId| self.stacks.compared(*at) & READ != 0);
        while is_read(&at) {
            if let Some(several) = self.stacks.alternatives(at) {
                at = several.iter().copied().find(is_read)?; // all have read the same text
                continue;
            }
            let Frame { position, below } = self.stacks.frame(at);
            if let Position::Element { items, .. } = position
                && let item = self.stacks.items(items).item
                && !matches!(item, NEW | UNREAD)
            {
                return self.stacks.values.text_with(item, self.byte);
            }
            at = below;
        }
        None
    }

    fn has_doubles(&self, array: NodeId) -> bool {
        let Node::Array(array) = self.graph.node(array) else { return false };
        array.differing.as_ref().is_some_and(|differing| differing.doubles)
    }

    /// The stack when some bytes of what is above it are unknown.
    pub(super) fn without_what_was_read(&mut self, stack: StackId) -> StackId {
        if self.gap.is_none() || !self.graph.compares_values() || self.stacks.compared(stack) & READ == 0 {
            return stack;
        }
        self.rebuild(stack, &mut |machine, position, _| {
            let Position::Element { array, items, start } = position else { return position };
            let before = machine.stacks.items(items).clone();
            let item = match before.item {
                NEW | UNREAD => before.item,
                _ if before.differs => NEW,
                _ => UNREAD,
            };
            let items = machine.stacks.intern_items(Items { item, ..before });
            Position::Element { array, items, start }
        })
    }

    /// The stack with other positions where an item is being read: what is deepest is made first.
    fn rebuild(&mut self, stack: StackId, change: &mut dyn FnMut(&mut Self, Position, StackId) -> Position) -> StackId {
        let (mut above, mut at): (SmallVec<[Position; 8]>, _) = (SmallVec::new(), stack);
        while self.stacks.compared(at) & READ != 0 {
            if self.stacks.alternatives(at).is_some() {
                at = self.rebuild_union(at, change);
                break;
            }
            let Frame { position, below } = self.stacks.frame(at);
            above.push(position);
            at = below;
        }
        for position in above.into_iter().rev() {
            let position = change(self, position, at);
            at = self.stacks.push(Frame { position, below: at });
        }
        at
    }

    fn rebuild_union(
        &mut self,
        stack: StackId,
        change: &mut dyn FnMut(&mut Self, Position, StackId) -> Position,
    ) -> StackId {
        let (mut made, mut open): (FxHashMap<StackId, StackId>, _) = (FxHashMap::default(), vec![stack]);
        while let Some(&at) = open.last() {
            let below = self.below(at);
            let before = open.len();
            let is_due = |node: &StackId| self.stacks.compared(*node) & READ != 0 && !made.contains_key(node);
            open.extend(below.iter().copied().filter(is_due));
            if open.len() > before {
                continue;
            }
            open.pop();
            let below = below.into_iter().map(|node| made.get(&node).copied().unwrap_or(node));
            let below: SmallVec<[StackId; 4]> = below.collect();
            let new = if self.stacks.alternatives(at).is_some() {
                self.stacks.union(below)
            } else {
                let position = change(self, self.stacks.frame(at).position, below[0]);
                self.stacks.push(Frame { position, below: below[0] })
            };
            made.insert(at, new);
        }
        made[&stack]
    }

    // Items.

    /// The items that may come next, if one is left that differs from those before.
    pub(super) fn next_elements(&mut self, node: NodeId, array: &Array, items: u32, stack: StackId) -> NextItems {
        let seen = self.stacks.items(items).clone();
        let (used, mut all) = (seen.used, NextItems::new());
        if self.stacks.values.is_full() || self.stacks.is_full() {
            self.overflow = true;
            return all;
        }
        let only: SmallVec<[(NodeId, u32); 1]> = array.item(seen.count).map(|item| (item, 0)).into_iter().collect();
        let ways = if array.kinds.is_empty() { &only[..] } else { array.ways(seen.count) };
        for &(item, kinds) in ways {
            let Some(next) = array.after(&seen, kinds) else { continue };
            let next = Items { item: BEFORE, differs: used == NONE, ..next };
            let items = self.stacks.intern_items(next);
            let is_possible = self.graph.facts.shortest(item) < INFINITE
                && (array.kinds.is_empty() || self.items_cost(node, array, items).is_some());
            if !is_possible {
                continue;
            }
            let position = Position::Element { array: node, items, start: UNKNOWN };
            let after = self.stacks.push(Frame { position, below: stack });
            self.asked |= used != NONE;
            let searches = self.comparison.searches != Searches::Nothing;
            let is_free = used == NONE || searches || self.graph.detour(item) < INFINITE;
            self.learnt.unresolved |= !is_free && !are_known(used);
            let start = Configuration { position: Position::Start(item), stack: after };
            if is_free || !are_known(used) || self.can_differ(start) {
                all.push((item, after));
            }
        }
        all
    }

    /// An item has ended with the byte being read. It is used from now on; if it was used before, nothing comes after it.
    pub(super) fn element_ended(
        &mut self,
        (node, items, start): (NodeId, u32, u32),
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let Node::Array(array) = self.graph.node(node) else { return };
        let at = self.stacks.items(items).clone();
        self.asked |= at.used != NONE;
        let doubles = self.has_doubles(node);
        let value = match at.item {
            UNREAD => None,
            NEW => self.text_since(start).and_then(|text| self.stacks.values.read(&text, doubles)),
            read => {
                let read = self.stacks.values.step(read, self.byte, doubles);
                self.stacks.values.finished(read, doubles)
            }
        };
        let used = match value.filter(|_| are_known(at.used)) {
            Some(value) if self.stacks.is_used(at.used, value) => return,
            Some(value) => self.stacks.use_value(at.used, value),
            None => {
                self.learnt.unresolved |= !at.differs;
                if at.used == UNKNOWN { UNKNOWN } else { counted(self.stacks.used(at.used) + 1) }
            }
        };
        let next = Items { used, item: BEFORE, differs: false, ..at };
        let count = Progress::interned(self.stacks.intern_items(next));
        out.push(Position::Array { phase: Phase::Value, space: array.layout.value, array: node, count }, stack);
    }
}

impl Stacks {
    /// Whether no value that is used may still be what is being read, as far as is known. `before` is what was read one
    /// byte earlier.
    pub fn differs_from_used(&mut self, used: TextsId, before: PartialId, at: PartialId) -> bool {
        if !self.values.is_telling(at) {
            if let Some(known) = self.candidates.get(&(before, used)) {
                let known = Arc::clone(known);
                self.candidates.insert((at, used), known);
            }
            return false;
        }
        let left: Vec<ValueId> = match self.candidates.get(&(before, used)) {
            Some(known) => known.iter().copied().filter(|&value| self.values.may_become(at, value)).collect(),
            None => self.texts.numbers(used).into_iter().filter(|&value| self.values.may_become(at, value)).collect(),
        };
        let differs = left.is_empty();
        if self.kept_candidates > MOST_CANDIDATES {
            self.candidates.clear();
            self.kept_candidates = 0;
        }
        self.kept_candidates += left.len();
        self.candidates.insert((at, used), left.into());
        differs
    }

    /// How much longer a text gets inside a leaf, in a state or in `all` after it; found once.
    pub fn detour(&self, leaf: LeafId, state: StateId, all: bool, find: impl FnOnce() -> u32) -> u32 {
        let known = self.detours.borrow().get(&(leaf, state, all)).copied();
        known.unwrap_or_else(|| {
            let found = find();
            let mut detours = self.detours.borrow_mut();
            if detours.len() >= MOST_EXCLUDING {
                detours.clear();
            }
            detours.insert((leaf, state, all), found);
            found
        })
    }

    /// Whether a value is used.
    pub fn is_used(&self, used: TextsId, value: ValueId) -> bool {
        let end = value.to_be_bytes().iter().try_fold(used, |at, &byte| self.texts.child(at, byte));
        end.is_some_and(|end| self.texts.ends(end))
    }

    /// `used` with a value.
    pub fn use_value(&mut self, used: TextsId, value: ValueId) -> TextsId {
        self.texts.with(used, &value.to_be_bytes())
    }
}
