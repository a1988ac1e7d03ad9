//! Searches for an item that differs from all that are used: whether some way on leads to one.
//!
//! ```text
//! [[1,2],[1,    `2` alone would repeat the first item, so a search looks for another byte, or for more items
//! ```
//!
//! Cost: steps as of any text, along ways in a fixed order, until one leads to an item that differs; what was found is
//! kept.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::Machine;
use super::configuration::{Configuration, Frame, Position, StackId, Unpacked};
use super::stacks::{NEW, READ, UNREAD};
use super::unique::{FUEL, Searches, UNITS};
use super::values::PartialId;
use crate::interrupt::count;
use crate::language::{INFINITE, Node, end};
use crate::vocabulary::is_whitespace;

/// Bytes that spell a number and do not change it.
const MOST_PADDING: usize = 32;

impl Machine<'_> {
    /// Whether some way on from a configuration leads to items that differ.
    pub(super) fn can_differ(&mut self, start: Configuration) -> bool {
        if let Some(&known) = self.stacks.can_differ.get(&start) {
            return known;
        }
        let mut seen = FxHashSet::from_iter([start]);
        let answer = self.searching(Searches::Ways, |machine| machine.find_way(start, &mut seen));
        match answer {
            Some(true) => _ = self.stacks.can_differ.insert(start, true),
            Some(false) => self.stacks.can_differ.extend(seen.into_iter().map(|at| (at, false))),
            None => {}
        }
        answer.unwrap_or(true)
    }

    /// Does some work on the text as it may go on.
    pub(super) fn searching<T>(&mut self, what: Searches, work: impl FnOnce(&mut Self) -> T) -> T {
        let (learnt, asked) = (self.take_learnt(), self.asked);
        let (byte, length) = (self.byte, self.path.len());
        let searches = std::mem::replace(&mut self.comparison.searches, what);
        let done = work(self);
        self.path.truncate(length);
        (self.learnt, self.asked) = (learnt, asked);
        (self.comparison.searches, self.byte) = (searches, byte);
        done
    }

    /// Depth first. `None` where that is not known: it depends on unknown items, or takes too long.
    fn find_way(&mut self, start: Configuration, seen: &mut FxHashSet<Configuration>) -> Option<bool> {
        let (base, mut open, mut fuel) = (self.path.len(), vec![(start, 0, 0)], FUEL);
        let (mut next, mut is_known) = (Vec::new(), true);
        while let Some((at, depth, byte)) = open.pop() {
            if depth > 0 {
                self.path.truncate(base + depth - 1);
                self.path.push(byte);
            }
            fuel -= 1;
            count(UNITS);
            if fuel == 0 {
                self.comparison.gave_up = true;
                return None;
            }
            for byte in self.bytes_on(at) {
                is_known &= self.step_on(at, byte, &mut next);
                for &after in &next {
                    if self.detour(after) < INFINITE {
                        return Some(true);
                    }
                    if seen.insert(after) {
                        open.push((after, depth + 1, byte));
                    }
                }
            }
        }
        is_known.then_some(false)
    }

    /// The bytes by which a search goes on: without whitespace that need not come, and without digits that say nothing.
    pub(super) fn bytes_on(&self, at: Configuration) -> SmallVec<[u8; 16]> {
        let spaces = self.graph.spaces();
        let needs_none = match at.position {
            Position::Value { space, .. }
            | Position::Colon { space, .. }
            | Position::Object { space, .. }
            | Position::Array { space, .. } => spaces.ends(space) == end::ANY,
            _ => false,
        };
        let is_padded = matches!(at.position, Position::Terminal { .. }) && self.padding(at.stack) >= MOST_PADDING;
        let set = self.first_bytes(&at);
        let wanted = |byte: &u8| !(needs_none && is_whitespace(*byte) || is_padded && byte.is_ascii_digit());
        set.iter().filter(wanted).collect()
    }

    /// Bytes that spell the number being read and do not change it.
    fn padding(&self, stack: StackId) -> usize {
        let mut at = stack;
        while self.stacks.compared(at) & READ != 0 && self.stacks.alternatives(at).is_none() {
            let Frame { position, below } = self.stacks.frame(at);
            if let Position::Element { items, .. } = position {
                let item: PartialId = self.stacks.items(items).item;
                return if matches!(item, NEW | UNREAD) { 0 } else { self.stacks.values.padding(item) };
            }
            at = below;
        }
        0
    }

    /// Where a byte leads in a search; false, and nothing, where that is unknown.
    pub(super) fn step_on(&mut self, at: Configuration, byte: u8, next: &mut Vec<Configuration>) -> bool {
        next.clear();
        self.learnt.unresolved = false;
        self.step_all(&[at], byte, next, 0);
        if std::mem::take(&mut self.learnt.unresolved) {
            next.clear();
            return false;
        }
        // In which order names come does not change the value; so the next one that must come is begun first.
        let begins = matches!(at.position, Position::Object { .. } | Position::Key { at: 0, .. });
        next.retain(|after| !begins || self.is_in_order(*after));
        true
    }

    /// Whether a name is the next one that must come, if names may come in any order.
    fn is_in_order(&self, at: Configuration) -> bool {
        let (object, seen, name) = match (at.position, self.stacks.frame(at.stack).position) {
            (Position::Key { object, seen, at }, _) => (object, seen, Some(at)),
            (
                Position::Text { .. } | Position::Terminal { .. } | Position::Excluding { .. },
                Position::Named { object, seen, .. },
            ) => (object, seen, None),
            _ => return true,
        };
        let (Node::Object(object), Unpacked::Interned(_)) = (self.graph.node(object), seen.unpack()) else {
            return true;
        };
        if !object.any_order || object.tracks_values() {
            return true;
        }
        match (object.missing(self.stacks.seen(seen)).first(), name) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(&member), Some(at)) => {
                let tree = object.names.tree();
                tree.items()[tree.items_below(at)].contains(&member)
            }
        }
    }
}
