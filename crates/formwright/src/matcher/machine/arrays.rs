//! Arrays: which items may come next, and when the bracket may close.
//!
//! ```text
//! plain      how many items there are          {"items": ..., "minItems": 2}
//! by kinds   which kinds of items were met     {"contains": ...}
//! unique     which texts were used             {"uniqueItems": true}
//! ```
//!
//! Cost: a lookup for each item of a plain array. Where kinds are counted, a search for a completion before each comma.
//!
//! While an item that must be new is read, the frame that waits for its end keeps the index where its text
//! starts; when the item ends, its text is added to the used texts. If the start is unknown (see `Machine::gap`), the
//! used texts are unknown from then on.

use smallvec::{SmallVec, smallvec};

use super::configuration::{END, Frame, Phase, Position, Progress, StackId, Unpacked};
use super::excluded::NONE;
use super::stacks::{are_known, counted};
use super::{Machine, Successors, UNKNOWN};
use crate::language::{Array, INFINITE, LeafId, Node, NodeId, UNBOUNDED};

/// Items that may come next, each with the stack to resume after it; mostly one.
pub(super) type NextItems = SmallVec<[(NodeId, StackId); 1]>;

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
    pub(super) fn items_done(&self, array: &Array, count: Progress) -> bool {
        match count.unpack() {
            Unpacked::Number(number) => number >= array.low,
            Unpacked::Interned(id) => array.is_done(self.stacks.items(id)),
        }
    }

    /// The position after the opening bracket.
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

    /// Whether some item may come next.
    pub(super) fn item_may_come(&mut self, node: NodeId, array: &Array, count: Progress) -> bool {
        !self.next_items(node, array, count, END).is_empty()
    }

    /// The items that may come next, each with the stack to resume after it.
    fn next_items(&mut self, node: NodeId, array: &Array, count: Progress, stack: StackId) -> NextItems {
        match count.unpack() {
            Unpacked::Number(number) => {
                let Some(item) = array.item(number) else { return NextItems::new() };
                smallvec![(item, self.push_after_item(node, array, next_number(array, number), stack))]
            }
            Unpacked::Interned(id) if array.unique => self.next_new_item(node, array, id, stack),
            Unpacked::Interned(id) if array.differing.is_some() => self.next_elements(node, array, id, stack),
            Unpacked::Interned(id) => self.next_kinds(node, array, id, stack),
        }
    }

    /// The stack that resumes after an item.
    fn push_after_item(&mut self, node: NodeId, array: &Array, count: Progress, stack: StackId) -> StackId {
        let position = Position::Array { phase: Phase::Value, space: array.layout.value, array: node, count };
        self.stacks.push(Frame { position, below: stack })
    }

    /// The next item of a unique array, if an unused one is left.
    fn next_new_item(&mut self, node: NodeId, array: &Array, items: u32, stack: StackId) -> NextItems {
        let seen = self.stacks.items(items);
        let (number, used) = (seen.count, seen.used);
        let Some(item) = array.item(number).filter(|item| self.has_new(*item, used)) else { return NextItems::new() };
        let position = Position::Item { array: node, items, start: UNKNOWN };
        smallvec![(item, self.stacks.push(Frame { position, below: stack }))]
    }

    /// The next items by the kinds they count for, if the array can still be completed after them.
    fn next_kinds(&mut self, node: NodeId, array: &Array, items: u32, stack: StackId) -> NextItems {
        let items = self.stacks.items(items).clone();
        let mut all = NextItems::new();
        for &(item, kinds) in array.ways(items.count) {
            let Some(next) = array.after(&items, kinds) else { continue };
            let next = self.stacks.intern_items(next);
            if self.graph.facts.shortest(item) < INFINITE && self.items_cost(node, array, next).is_some() {
                let count = Progress::interned(next);
                all.push((item, self.push_after_item(node, array, count, stack)));
            }
        }
        all
    }

    /// Bytes of the items an array still needs, with a comma each; `None` if it cannot be completed.
    pub(super) fn items_cost(&mut self, node: NodeId, array: &Array, items: u32) -> Option<u32> {
        let items = self.stacks.items_without_values(items);
        if let Some(cached) = self.stacks.cached_items((node, items)) {
            return Some(cached).filter(|&cached| cached < INFINITE);
        }
        let needed =
            self.graph.with_lengths(&array.layout, |lengths| array.completion(self.stacks.items(items), lengths));
        self.stacks.insert_missing_items((node, items), needed.unwrap_or(INFINITE));
        needed
    }

    // Items that must be new.

    /// Whether some item is not used yet.
    fn has_new(&mut self, item: NodeId, used: u32) -> bool {
        let Node::Distinct(leaves) = self.graph.node(item) else { return true };
        self.asked |= used != NONE;
        if !are_known(used) {
            self.learnt.unresolved = true;
            return true;
        }
        if self.stacks.is_full() {
            return false;
        }
        used == NONE
            || leaves
                .iter()
                .any(|&leaf| self.can_avoid_excluded(leaf, self.graph.automaton(leaf).start().state(), used))
    }

    /// The first byte of an item that must be new. The frame that waits for the end of the item knows the used ones.
    pub(super) fn distinct(&mut self, leaves: &[LeafId], stack: StackId, byte: u8, out: &mut Successors<'_>) {
        let several: Box<[StackId]> = self.stacks.alternatives(stack).unwrap_or(&[stack]).into();
        for &stack in &several {
            let Frame { position: Position::Item { array, items, .. }, below } = self.stacks.frame(stack) else {
                continue;
            };
            let used = self.stacks.items(items).used;
            self.asked |= used != NONE;
            let at = Some(used).filter(|&used| used != NONE && are_known(used));
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
        next.used = match self.text_inside(start, stack) {
            Some(text) if are_known(next.used) => self.stacks.use_item(next.used, &text),
            _ if next.used == UNKNOWN => UNKNOWN,
            _ => counted(self.stacks.used(next.used) + 1),
        };
        let count = Progress::interned(self.stacks.intern_items(next));
        out.push(Position::Array { phase: Phase::Value, space: array.layout.value, array: node, count }, stack);
    }
}

/// One item more. Without an upper bound, all numbers past the lower bound and the prefix allow the same.
fn next_number(array: &Array, number: u32) -> Progress {
    let settled = array.low.max(array.prefix.len() as u32);
    Progress::number(if array.high == UNBOUNDED { (number + 1).min(settled) } else { number + 1 })
}
