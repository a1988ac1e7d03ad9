//! Arrays: which items may come next, and when the bracket may close.
//!
//! ```text
//! plain      how many items there are          {"items": ..., "minItems": 2}
//! by kinds   which kinds of items were met     {"contains": ...}
//! unique     which texts were used             {"uniqueItems": true}
//! ```
//!
//! Wrinkle: an item that must be new waits on the stack with the start of its text; when it ends, that text joins the
//! used ones. Where the start is not known, neither is what was used from then on.

use smallvec::{SmallVec, smallvec};

use super::configuration::{Frame, Phase, Position, Progress, StackId, Unpacked};
use super::excluded::NONE;
use super::{Machine, Successors, UNKNOWN};
use crate::language::{Array, INFINITE, Items, LeafId, Node, NodeId, UNBOUNDED};

/// Items that may come next, with what comes after each; mostly one.
type Ways = SmallVec<[(NodeId, StackId); 1]>;

impl Machine<'_> {
    /// A structural byte between items.
    pub(super) fn array(
        &mut self,
        phase: Phase,
        node: NodeId,
        count: Progress,
        byte: u8,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let graph = self.graph;
        let Node::Array(array) = graph.node(node) else { return };
        match (phase, byte) {
            (_, b']') if self.items_done(array, count) => self.resume(stack, out),
            (_, b']') => {}
            (Phase::Open, _) => {
                for (item, after) in self.next_items(node, array, count, stack) {
                    self.start(item, after, byte, out);
                }
            }
            (_, b',') => {
                for (item, after) in self.next_items(node, array, count, stack) {
                    out.push(Position::Value { space: array.layout.comma, node: item }, after);
                }
            }
            _ => {}
        }
    }

    /// Whether the bracket may come.
    fn items_done(&self, array: &Array, count: Progress) -> bool {
        match count.unpack() {
            Unpacked::Number(number) => number >= array.low,
            Unpacked::Interned(id) => array.is_done(self.stacks.items(id)),
        }
    }

    /// Behind the opening bracket.
    pub(super) fn opened_array(&mut self, node: NodeId, array: &Array) -> Position {
        let count = self.no_items(array);
        Position::Array { phase: Phase::Open, space: array.layout.open, array: node, count }
    }

    fn no_items(&mut self, array: &Array) -> Progress {
        if array.is_tracked() {
            Progress::interned(self.stacks.intern_items(array.none()))
        } else {
            Progress::number(0)
        }
    }

    /// The items that may come next, and what comes after each.
    fn next_items(&mut self, node: NodeId, array: &Array, count: Progress, stack: StackId) -> Ways {
        match count.unpack() {
            Unpacked::Number(number) => {
                let Some(item) = array.item(number) else { return Ways::new() };
                smallvec![(item, self.behind_item(node, array, next_number(array, number), stack))]
            }
            Unpacked::Interned(id) if array.unique => self.next_new_item(node, array, id, stack),
            Unpacked::Interned(id) => self.next_kinds(node, array, id, stack),
        }
    }

    fn behind_item(&mut self, node: NodeId, array: &Array, count: Progress, stack: StackId) -> StackId {
        let position = Position::Array { phase: Phase::Value, space: array.layout.value, array: node, count };
        self.stacks.push(Frame { position, below: stack })
    }

    /// The next item where items must differ, if one is left.
    fn next_new_item(&mut self, node: NodeId, array: &Array, items: u32, stack: StackId) -> Ways {
        let seen = self.stacks.items(items);
        let (number, used) = (seen.count, seen.used);
        let Some(item) = array.item(number).filter(|item| self.has_new(*item, used)) else { return Ways::new() };
        let position = Position::Item { array: node, items, start: UNKNOWN };
        smallvec![(item, self.stacks.push(Frame { position, below: stack }))]
    }

    /// The next items by the kinds they count for, as far as the array can still be completed after them.
    fn next_kinds(&mut self, node: NodeId, array: &Array, items: u32, stack: StackId) -> Ways {
        let items = self.stacks.items(items).clone();
        let mut all = Ways::new();
        for &(item, kinds) in array.ways(items.count) {
            let Some(next) = array.after(&items, kinds) else { continue };
            if self.graph.facts.shortest(item) < INFINITE && self.items_cost(array, &next).is_some() {
                let count = Progress::interned(self.stacks.intern_items(next));
                all.push((item, self.behind_item(node, array, count, stack)));
            }
        }
        all
    }

    /// Bytes of the items an array still needs, with a comma each.
    pub(super) fn items_cost(&self, array: &Array, items: &Items) -> Option<u32> {
        let (facts, costs) = (&self.graph.facts, &self.graph.costs);
        facts.with_minimum_lengths(&array.layout, costs, |lengths| array.completion(items, lengths))
    }

    // Items that must be new.

    /// Whether some item is not used yet.
    fn has_new(&mut self, item: NodeId, used: u32) -> bool {
        let Node::Distinct(leaves) = self.graph.node(item) else { return true };
        if used == UNKNOWN {
            self.unresolved = true;
            return true;
        }
        if self.stacks.is_full() {
            return false;
        }
        used == NONE || leaves.iter().any(|&leaf| self.has_free(leaf, self.graph.automaton(leaf).start().state(), used))
    }

    /// The first byte of an item that must be new. Which items were used is known to the frame that waits for it.
    pub(super) fn distinct(&mut self, leaves: &[LeafId], stack: StackId, byte: u8, out: &mut Successors<'_>) {
        let several: Box<[StackId]> = self.stacks.alternatives(stack).unwrap_or(&[stack]).into();
        for &stack in &several {
            let Frame { position: Position::Item { array, items, .. }, below } = self.stacks.frame(stack) else {
                continue;
            };
            let used = self.stacks.items(items).used;
            let at = Some(used).filter(|&used| used != NONE && used != UNKNOWN);
            let start = self.path.len() as u32;
            let after = self.stacks.push(Frame { position: Position::Item { array, items, start }, below });
            for &leaf in leaves {
                let state = self.graph.automaton(leaf).start().state();
                self.excluding(leaf, state, at, byte, after, out);
            }
        }
    }

    /// An item that had to be new has ended with the byte being read: it is used from now on.
    pub(super) fn item_ended(
        &mut self,
        node: NodeId,
        items: u32,
        start: u32,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let Node::Array(array) = self.graph.node(node) else { return };
        let Some(mut next) = array.after(self.stacks.items(items), 0) else { return };
        next.used = match self.text_since(start) {
            Some(text) if next.used != UNKNOWN => self.stacks.use_item(next.used, &text),
            _ => UNKNOWN,
        };
        let count = Progress::interned(self.stacks.intern_items(next));
        out.push(Position::Array { phase: Phase::Value, space: array.layout.value, array: node, count }, stack);
    }
}

/// One item more. Without an upper bound, numbers past the lower bound and the prefix are alike.
fn next_number(array: &Array, number: u32) -> Progress {
    let alike = array.low.max(array.prefix.len() as u32);
    Progress::number(if array.high == UNBOUNDED { (number + 1).min(alike) } else { number + 1 })
}
