//! Class loops: subtrees that a state accepts as a whole.
//!
//! ```text
//! [a-z]*     at `h`     all characters below are lowercase letters: he, hel, hello ... stay inside, unvisited
//! ```
//!
//! A state that may read any number of characters of a class accepts every subtree with no other characters. In each
//! walk, the loops of a state become sets of kinds of characters once, and every trie node knows the kinds below it,
//! so the test is one AND.
//!
//! Cost: the AND, and once for each state and walk the loops of the state. A kind with a character that may
//! follow the terminal is left out, as tokens may leave the terminal with such a character.

use smallvec::SmallVec;

use super::by_state::ByState;
use crate::regular::{Automaton, ByteSet, ClassLoop, StateId};
use crate::vocabulary::kinds::{self, Kinds};
use crate::vocabulary::{NodeIndex, Trie};

/// Subtrees of at most this many nodes are walked: that is cheaper than to ask for class loops.
const FEW: NodeIndex = 8;

/// Code points that lead a state to itself are looked for if a subtree has more nodes than this: each minterm costs a
/// derivative.
const SEVERAL: NodeIndex = 64;

/// The class loops of a state: the loops written in the pattern, and, once asked for, the loop of all code points that
/// lead the state to itself.
struct Loops {
    written: SmallVec<[ClassLoop; 1]>,
    own: Option<ClassLoop>,
}

/// Class loops of the states met, as sets of kinds.
pub struct ClassLoops<'w> {
    automaton: &'w Automaton,
    /// Kinds with a character that may follow the terminal.
    barred: Kinds,
    found: ByState<Loops>,
}

impl<'w> ClassLoops<'w> {
    pub fn new(automaton: &'w Automaton, follow: &'w ByteSet) -> Self {
        Self { automaton, barred: starting(follow), found: ByState::default() }
    }

    /// Whether every token through `node` keeps `state`, the state before `node`, in one of its class loops, and none
    /// of these tokens may leave the terminal there. False for small subtrees, without a look.
    #[inline]
    pub fn cover(&mut self, state: StateId, trie: &Trie, node: NodeIndex) -> bool {
        let at = trie.node(node);
        if at.skip - node <= FEW {
            return false;
        }
        let (automaton, barred) = (self.automaton, self.barred);
        let found = self.found.of(state, || Loops { written: automaton.class_loops(state, kinds::all()), own: None });
        let kinds = trie.kinds(at);
        let covers = |class_loop: &ClassLoop| {
            kinds & (!class_loop.covers | barred) == 0 && u32::from(at.height) < class_loop.repetitions
        };
        found.written.iter().any(covers)
            || at.skip - node > SEVERAL
                && covers(found.own.get_or_insert_with(|| automaton.own_loop(state, kinds::all())))
    }
}

/// The kinds with a character that starts with one of `bytes`.
fn starting(bytes: &ByteSet) -> Kinds {
    let lead = |byte: u8| if byte < 0x80 { kinds::ascii(byte) } else { kinds::lead(byte).map_or(0, |(kind, ..)| kind) };
    bytes.iter().fold(0, |set, byte| set | lead(byte))
}
