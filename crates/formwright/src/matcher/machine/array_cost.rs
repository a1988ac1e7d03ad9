//! The minimum number of bytes that complete an array: see `cost`.
//!
//! ```text
//! [1      `,0]`, if two items must come; else `]`
//! ```
//!
//! Cost: what an array that counts kinds of items still needs is cached. Its phases are `Open` and `Value` only;
//! after a comma is `Position::Value`.

use super::Machine;
use super::configuration::{Phase, Progress, Unpacked};
use super::stacks::UNKNOWN;
use crate::language::{Array, INFINITE, Node, NodeId, SpaceState, end};

impl Machine<'_> {
    /// Bytes from between two items to after the closing bracket.
    pub(super) fn array_cost(&mut self, phase: Phase, space: SpaceState, node: NodeId, count: Progress) -> u32 {
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
    pub(super) fn close_array_cost(&self, array: &Array) -> u32 {
        1 + self.graph.spaces().shortest(array.layout.value, end::CLOSE)
    }

    /// Bytes of the items that must still come, and their number: all commas but the first are to be added for it.
    pub(super) fn missing_items(&mut self, node: NodeId, array: &Array, count: Progress) -> (u32, u32) {
        match count.unpack() {
            Unpacked::Interned(id) if array.unique => {
                let (used, low) = (self.used_items(id), array.low);
                (self.new_items_cost(array, used, low), low.saturating_sub(used))
            }
            Unpacked::Interned(id) if array.differing.is_some() && array.kinds.is_empty() => {
                let count = self.stacks.items(id).count;
                (self.plain_items_cost(array, count), array.low.saturating_sub(count))
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
    pub(super) fn one_item_cost(&mut self, node: NodeId, array: &Array, count: Progress) -> u32 {
        match count.unpack() {
            Unpacked::Number(number) => array.item(number).map_or(INFINITE, |item| self.graph.facts.shortest(item)),
            Unpacked::Interned(id) if array.unique => {
                let used = self.used_items(id);
                self.new_items_cost(array, used, used + 1)
            }
            Unpacked::Interned(id) if array.differing.is_some() => self.one_element_cost(node, array, id),
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
    pub(super) fn used_items(&self, items: u32) -> u32 {
        let items = self.stacks.items(items);
        items.count.max(self.stacks.used(items.used))
    }

    /// Bytes of the items of a unique array after `used` ones, up to `to`.
    pub(super) fn new_items_cost(&self, array: &Array, used: u32, to: u32) -> u32 {
        if used >= to {
            return 0;
        }
        let leaves = self.graph.distinct(array);
        self.graph.with_lengths(&array.layout, |lengths| lengths.sum(&leaves, used + 1, to))
    }

    /// Bytes from after an item of a unique array to after the closing bracket. Before the item has begun, what it is
    /// longer than the shortest item is counted here.
    pub(super) fn item_cost(&mut self, node: NodeId, items: u32, start: u32) -> u32 {
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
    pub(super) fn plain_items_cost(&self, array: &Array, count: u32) -> u32 {
        if array.differing.is_some() {
            let items = (count..array.low).map(|index| array.new_item(index, |item| self.graph.facts.shortest(item)));
            return items.fold(0_u32, u32::saturating_add).min(INFINITE);
        }
        let of = |index: u32| array.item(index).map_or(INFINITE, |item| self.graph.facts.shortest(item));
        let prefix = (count..array.low.min(array.prefix.len() as u32))
            .fold(0_u32, |total, index| total.saturating_add(of(index)));
        let from = count.max(array.prefix.len() as u32);
        let rest = of(array.prefix.len() as u32).saturating_mul(array.low.saturating_sub(from));
        prefix.saturating_add(rest).min(INFINITE)
    }
}
