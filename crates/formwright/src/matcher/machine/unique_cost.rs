//! Bytes to the end where an item must differ from others as a value.
//!
//! ```text
//! [{"n":""},{"n":"      `"` would repeat the first item: a letter, `"`, `}` and `]` are 4 bytes
//! ```
//!
//! The cost without comparison is an upper bound: it assumes, of the undeclared names that are surely free, the shortest.
//! So the cost of a path is the largest sum, over its places, of the bytes written so far and the bytes that this bound
//! says are missing, and the cost of a place is that of its cheapest path. It is found by Dijkstra's algorithm with the
//! maximum in place of the sum (a path of least bottleneck). After a comma, an item then costs no more than was reckoned
//! before it ([`Machine::cheapest_values`]), for a count that may be a few bytes above the shortest text.
//!
//! Cost: a step for each byte that may come, at every place on the way. Where it is unknown which items are used,
//! only their number counts: see [`Array::new_item`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Machine;
use super::configuration::{Configuration, END, Frame, Position, Progress, StackId, Unpacked};
use super::stacks::{UNKNOWN, UNKNOWN_ITEMS, UNREAD_ITEM, are_known};
use super::unique::{FUEL, Searches, UNITS};
use super::values::BEFORE;
use crate::interrupt::count;
use crate::language::{Array, INFINITE, Items, Node, NodeId};

impl Machine<'_> {
    /// Bytes of the item, and of all that must come after it. What is read of the item itself is counted by what is
    /// above.
    pub(super) fn element_cost(&mut self, node: NodeId, items: u32) -> u32 {
        let graph = self.graph;
        let Node::Array(array) = graph.node(node) else { return INFINITE };
        let at = self.stacks.items(items).clone();
        let (bytes, missing) = self.missing_items(node, array, Progress::interned(items));
        // Whichever are used, one of so many is free.
        let index = self.stacks.used(at.used);
        let longer = if are_known(at.used) || at.item != BEFORE || at.differs {
            0
        } else {
            let shortest = |item| graph.facts.shortest(item);
            let least = array.item(index).map_or(INFINITE, shortest);
            array.new_item(index, shortest).saturating_sub(least)
        };
        let between = graph.costs.between_items(&array.layout).saturating_mul(missing);
        bytes.saturating_add(between).saturating_add(longer).saturating_add(self.close_array_cost(array)).min(INFINITE)
    }

    /// Bytes of one item more, where no more must come.
    pub(super) fn one_element_cost(&mut self, node: NodeId, array: &Array, items: u32) -> u32 {
        let next = self.next_elements(node, array, items, END);
        let cost = |(item, stack)| {
            let cost = self.configuration_cost(Configuration { position: Position::Start(item), stack });
            cost.saturating_sub(self.stack_cost(stack))
        };
        next.into_iter().map(cost).min().unwrap_or(INFINITE)
    }

    /// Bytes to the end where some item must differ from others.
    pub(super) fn cost_of_new(&mut self, configuration: Configuration) -> u32 {
        let Configuration { position, stack } = configuration;
        if let Some(several) = self.stacks.alternatives(stack) {
            let several: SmallVec<[StackId; 4]> = SmallVec::from_slice(several);
            let costs = several.into_iter().map(|stack| self.configuration_cost(Configuration { position, stack }));
            return costs.min().unwrap_or(INFINITE);
        }
        let compared = self.stacks.compared(stack);
        if compared & UNREAD_ITEM != 0 {
            return INFINITE;
        }
        if compared & UNKNOWN_ITEMS != 0 {
            return self.plain_cost(configuration);
        }
        if let Some(&known) = self.stacks.costs_of_new.get(&configuration) {
            return known;
        }
        self.searching(Searches::Ways, |machine| machine.find_cost(configuration))
    }

    /// The cost of the cheapest way to an end on which all items differ.
    fn find_cost(&mut self, start: Configuration) -> u32 {
        let mut search = Nearest::new(self, start);
        while let Some((index, cost)) = search.nearest() {
            let at = search.places[index].at;
            if !self.must_differ(at.stack) {
                for (place, bytes) in search.way_to(index) {
                    // Another search may have found a cheaper way from here.
                    let known = self.stacks.costs_of_new.entry(place).or_insert(INFINITE);
                    *known = (cost - bytes).min(*known);
                }
                return cost;
            }
            if search.places.len() > FUEL * 8 || !search.go_on(self, index, cost) {
                self.comparison.gave_up = true;
                return INFINITE;
            }
        }
        if search.is_known {
            self.stacks.costs_of_new.insert(start, INFINITE);
        }
        INFINITE
    }

    /// What each of the `count` cheapest values of `item` costs; fewer, if it has fewer. `None` if that takes too long.
    pub fn cheapest_values(&mut self, array: NodeId, item: NodeId, count: usize) -> Option<Vec<u32>> {
        let Node::Array(of) = self.graph.node(array) else { return None };
        let items = self.stacks.intern_items(Items { differs: true, ..of.none() });
        let after = Position::Element { array, items, start: UNKNOWN };
        let stack = self.stacks.push(Frame { position: after, below: END });
        self.searching(Searches::Values, |machine| {
            let start = Configuration { position: Position::Start(item), stack };
            let mut search = Nearest::new(machine, start);
            let (mut values, mut costs) = (FxHashSet::default(), Vec::new());
            while let Some((index, cost)) = search.nearest().filter(|_| costs.len() < count) {
                let at = search.places[index].at;
                if let (Position::Array { count, .. }, END) = (at.position, at.stack)
                    && let Unpacked::Interned(items) = count.unpack()
                {
                    if values.insert(machine.stacks.items(items).used) {
                        costs.push(cost - machine.plain_cost(at).min(cost));
                    }
                    continue;
                }
                if search.places.len() > FUEL * 32 || !search.go_on(machine, index, cost) {
                    return None;
                }
            }
            Some(costs)
        })
    }
}

/// A best-first search for the nearest end.
struct Nearest {
    places: Vec<Place>,
    queue: BinaryHeap<(Reverse<u32>, u32, usize)>,
    best: FxHashMap<Configuration, u32>,
    /// Whether nothing was left out because items are unknown.
    is_known: bool,
    /// Bytes of the text before it.
    base: usize,
}

/// Where a search has come.
struct Place {
    at: Configuration,
    bytes: u32,
    /// The place before, and the byte that led here.
    before: (usize, u8),
}

impl Nearest {
    fn new(machine: &mut Machine<'_>, start: Configuration) -> Self {
        let place = Place { at: start, bytes: 0, before: (0, 0) };
        let cost = machine.plain_cost(start);
        Self {
            places: vec![place],
            queue: BinaryHeap::from([(Reverse(cost), 0, 0)]),
            best: FxHashMap::from_iter([(start, 0)]),
            is_known: true,
            base: machine.path.len(),
        }
    }

    /// The place whose path costs least, and that cost.
    fn nearest(&mut self) -> Option<(usize, u32)> {
        while let Some((Reverse(cost), _, index)) = self.queue.pop() {
            let place = &self.places[index];
            if self.best[&place.at] == place.bytes {
                return Some((index, cost));
            }
        }
        None
    }

    /// Adds the places after `index`, whose path costs `cost`; false if the text would be too long.
    fn go_on(&mut self, machine: &mut Machine<'_>, index: usize, cost: u32) -> bool {
        count(UNITS);
        let Place { at, bytes, .. } = self.places[index];
        machine.path.truncate(self.base);
        let text: Vec<u8> = self.bytes_to(index);
        machine.path.extend(text);
        let mut next = Vec::new();
        for byte in machine.bytes_on(at) {
            self.is_known &= machine.step_on(at, byte, &mut next);
            for &after in &next {
                let rest = machine.plain_cost(after);
                let known = self.best.get(&after).copied().unwrap_or(u32::MAX);
                if rest < INFINITE && bytes + 1 < known {
                    self.best.insert(after, bytes + 1);
                    self.queue.push((Reverse((bytes + 1 + rest).max(cost)), bytes + 1, self.places.len()));
                    self.places.push(Place { at: after, bytes: bytes + 1, before: (index, byte) });
                }
            }
        }
        bytes < INFINITE
    }

    /// The bytes from the start to a place.
    fn bytes_to(&self, mut index: usize) -> Vec<u8> {
        let mut text = Vec::new();
        while index != 0 {
            let (before, byte) = self.places[index].before;
            text.push(byte);
            index = before;
        }
        text.reverse();
        text
    }

    /// The places on the way to one, and their bytes from the start.
    fn way_to(&self, mut index: usize) -> Vec<(Configuration, u32)> {
        let mut way = Vec::new();
        loop {
            let place = &self.places[index];
            way.push((place.at, place.bytes));
            if index == 0 {
                return way;
            }
            index = place.before.0;
        }
    }
}
