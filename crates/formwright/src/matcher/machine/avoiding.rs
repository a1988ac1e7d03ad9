//! Texts that must avoid excluded ones: whether they still can, and the bytes it takes.
//!
//! ```text
//! excluded: "ab", "b"        after `"a`, the quote ends `"a"`                               1 byte
//!                            after `"b`, a character leads away, and the quote ends it      2 bytes
//! ```
//!
//! Cost: each node of the tree of excluded texts is looked at once for each state it is met in, and only where what
//! leads away from the texts is not the nearest way; later it is a lookup. Sets of excluded texts share nodes
//! and never change, so what is found for one text holds for the next, with more of them.

use super::Machine;
use super::excluded::TextsId;
use crate::language::{INFINITE, LeafId};
use crate::regular::{ByteSet, DEAD, StateId};

/// The rest of an escape (5) or of a character, a character that is not excluded, and the quote.
const FARTHEST_EXCLUDED: u32 = 10;

impl Machine<'_> {
    /// Whether some text that goes on from here is not excluded.
    pub fn can_avoid_excluded(&self, leaf: LeafId, state: StateId, at: TextsId) -> bool {
        // Of any number of characters, a longer text is always allowed.
        self.graph.inside(leaf).is_some() || self.excluding_cost(leaf, state, at) < INFINITE
    }

    /// Bytes of the end of a name or item wherever it is a prefix of excluded texts, at most; `None` if that is not known.
    /// With more characters of one byte than there are excluded texts, one of them leads away from all.
    pub fn farthest_excluded(&self, leaf: LeafId) -> Option<u32> {
        (self.graph.plain_characters(leaf)? > self.stacks.most_excluded()).then_some(FARTHEST_EXCLUDED)
    }

    /// Bytes to finish a name or item that must avoid excluded texts, of which it is a prefix so far; [`INFINITE`] if it
    /// cannot. The costs of the nodes that the cost of a node is computed from are found first.
    pub(super) fn excluding_cost(&self, leaf: LeafId, state: StateId, at: TextsId) -> u32 {
        if let Some(known) = self.stacks.cached_excluding((leaf, state, at)) {
            return known;
        }
        self.stacks.make_room_for_excluding();
        let (mut pending, mut cost) = (vec![(state, at)], INFINITE);
        while let Some(&(state, at)) = pending.last() {
            let before = pending.len();
            cost = self.excluding_cost_from(leaf, state, at, &mut pending);
            if pending.len() == before {
                self.stacks.insert_excluding((leaf, state, at), cost);
                pending.pop();
            }
        }
        cost
    }

    /// The same, if the costs of the nodes below are known; else those that are not are put on the list.
    fn excluding_cost_from(
        &self,
        leaf: LeafId,
        state: StateId,
        at: TextsId,
        pending: &mut Vec<(StateId, TextsId)>,
    ) -> u32 {
        let (automaton, excluded) = (self.graph.automaton(leaf), self.stacks.excluded_children(at));
        let mut best = self.cost_away(leaf, state, excluded);
        for &(byte, child) in excluded {
            let step = automaton.step(state, byte);
            if step.accepting() && !self.stacks.is_excluded(Some(child)) {
                return 1;
            }
            // Whatever is excluded there, it takes this much.
            if !step.goes_on() || automaton.shortest(step.state()).saturating_add(1) >= best {
                continue;
            }
            match self.stacks.cached_excluding((leaf, step.state(), child)) {
                Some(cost) => best = best.min(cost.saturating_add(1)),
                None => pending.push((step.state(), child)),
            }
        }
        best.min(INFINITE)
    }

    /// Bytes to finish a text that leaves all excluded ones with its next byte.
    fn cost_away(&self, leaf: LeafId, state: StateId, excluded: &[(u8, TextsId)]) -> u32 {
        let automaton = self.graph.automaton(leaf);
        let mut staying = ByteSet::default();
        for &(byte, _) in excluded {
            staying.insert(byte);
        }
        let (nearest, mut best) = (automaton.shortest(state), INFINITE);
        let leads_away = |&(first, last): &(u8, u8)| (first..=last).any(|byte| !staying.contains(byte));
        for (byte, _) in automaton.classes().filter(leads_away) {
            let step = automaton.step(state, byte);
            if step.state() != DEAD {
                let rest = if step.accepting() { 0 } else { automaton.shortest(step.state()) };
                best = best.min(rest.saturating_add(1));
            }
            if best <= nearest {
                break; // there is no nearer way
            }
        }
        best
    }
}
