//! The smallest automaton over bytes, as a table.
//!
//! ```text
//! (a|b)c      0 -a-> 1 -c-> 3   0 -b-> 2 -c-> 3      1 and 2 go on alike: 0 -a,b-> 1 -c-> 2
//! ```
//!
//! Blocks of states that go on alike are one state ([`split_blocks`]).
//!
//! Cost: the logarithm of the states for each edge; bytes that no state tells apart share edges.

use rustc_hash::FxHashMap;

use super::byte_automaton::ByteAutomaton;
use crate::interrupt::count;
use crate::regular::{Edge, split_blocks};
use crate::vocabulary::{TokenId, Vocabulary};

/// Nodes of the tree of tokens that are looked at for a unit of work.
const NODES_OF_UNIT: usize = 8;

/// In place of a state: the byte may not come.
pub const DEAD: u16 = u16::MAX;

/// An automaton in which no two states have the same continuations; state 0 is the start.
#[derive(Debug)]
pub struct MinimalAutomaton {
    /// By state and byte, 256 a state: the state after it, or [`DEAD`].
    pub next: Vec<u16>,
    /// By state: whether a text may end there.
    pub accepting: Vec<bool>,
}

impl MinimalAutomaton {
    /// Of an automaton with fewer than [`DEAD`] states, from each of which some text ends.
    pub fn new(of: &ByteAutomaton) -> Self {
        let bytes = ByteClasses::new(of);
        let edges = bytes.edges(of);
        let blocks = split_blocks(&of.accepting, &edges);
        let numbers = blocks.numbered_from(0);
        let mut minimal = Self { next: vec![DEAD; 256 * blocks.count()], accepting: vec![false; blocks.count()] };
        for block in 0..blocks.count() {
            let member = blocks.members[blocks.first[block]] as usize;
            let number = numbers[block] as usize;
            minimal.accepting[number] = of.accepting[member];
            for &(byte, to) in &of.edges[member] {
                minimal.next[256 * number + usize::from(byte)] = numbers[blocks.of[to as usize] as usize];
            }
        }
        minimal
    }

    /// Visits the tokens that are read from a state, each with the state after it; `way` is room for the states on the
    /// way to a token.
    pub fn each_token(
        &self,
        vocabulary: &Vocabulary,
        state: u16,
        way: &mut Vec<u16>,
        mut visit: impl FnMut(&[TokenId], u16),
    ) {
        let trie = vocabulary.plain();
        let (nodes, items) = (trie.nodes(), trie.items());
        way.resize(vocabulary.longest() + 1, DEAD);
        way[0] = state;
        let (mut at, mut looked_at) = (1, 0);
        while let Some(node) = nodes.get(at) {
            looked_at += 1;
            let depth = usize::from(node.depth);
            let to = self.next[256 * usize::from(way[depth - 1]) + usize::from(node.byte)];
            if to == DEAD {
                at = node.skip as usize;
                continue;
            }
            way[depth] = to;
            at += 1;
            let end = nodes.get(at).map_or(items.len(), |next| next.first_item as usize);
            if end > node.first_item as usize {
                visit(&items[node.first_item as usize..end], to);
            }
        }
        count(64 + looked_at / NODES_OF_UNIT);
    }
}

/// Bytes that lead to the same state wherever they come.
struct ByteClasses {
    of: [u16; 256],
}

impl ByteClasses {
    fn new(automaton: &ByteAutomaton) -> Self {
        let (mut of, mut count_of_classes) = ([0_u16; 256], 1);
        let mut renamed: FxHashMap<(u16, u32), u16> = FxHashMap::default();
        for edges in &automaton.edges {
            count(8 + edges.len() / 4);
            let mut to = [u32::MAX; 256];
            for &(byte, state) in edges {
                to[usize::from(byte)] = state;
            }
            renamed.clear();
            for (class, to) in of.iter_mut().zip(to) {
                let new = renamed.len() as u16;
                *class = *renamed.entry((*class, to)).or_insert(new);
            }
            debug_assert!(renamed.len() >= count_of_classes, "classes are only split");
            count_of_classes = renamed.len();
            if count_of_classes == 256 {
                break;
            }
        }
        Self { of }
    }

    /// One edge for all bytes of a class.
    fn edges(&self, automaton: &ByteAutomaton) -> Vec<Edge> {
        let mut seen = [u32::MAX; 256];
        let mut edges = Vec::new();
        for (from, of_state) in (0..).zip(&automaton.edges) {
            for &(byte, to) in of_state {
                let class = self.of[usize::from(byte)];
                if std::mem::replace(&mut seen[usize::from(class)], from) != from {
                    edges.push(Edge { from, class: class.into(), to });
                }
            }
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(a|b)c`, and `d` alone: the states after `a` and `b` are one, as are both ends.
    #[test]
    fn states_that_go_on_alike_are_one() {
        let automaton = ByteAutomaton {
            accepting: vec![false, false, false, true, true],
            edges: vec![vec![(b'a', 1), (b'b', 2), (b'd', 4)], vec![(b'c', 3)], vec![(b'c', 4)], vec![], vec![]],
        };
        let minimal = MinimalAutomaton::new(&automaton);
        let next = |state: u16, byte: u8| minimal.next[256 * usize::from(state) + usize::from(byte)];
        assert_eq!(minimal.accepting.len(), 3);
        assert_eq!(next(0, b'a'), next(0, b'b'));
        assert_eq!(next(next(0, b'a'), b'c'), next(0, b'd'));
        assert!(minimal.accepting[usize::from(next(0, b'd'))]);
        assert_eq!((next(0, b'c'), next(next(0, b'd'), b'c')), (DEAD, DEAD));
    }
}
