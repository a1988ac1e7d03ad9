//! Class loops: subtrees that a state takes whole.
//!
//! A state that may read any number of `[a-z]` accepts a subtree whose characters are all `a..z` without visiting it.
//! The loops of a state become sets of kinds once a walk, and every node knows the kinds below it.

use super::by_state::ByState;
use crate::regular::{Automaton, ByteSet, ClassRun, StateId};
use crate::vocabulary::kinds::{self, Kinds};
use crate::vocabulary::{NodeIndex, Trie};

/// A subtree of at most so many nodes is walked: it is cheaper than asking for class loops.
const FEW: NodeIndex = 8;

/// Letters that lead a state to itself are looked for where a subtree has more nodes than this: they cost a derivative
/// each.
const SEVERAL: NodeIndex = 64;

/// A class loop: the kinds it covers, and how often.
struct Run {
    kinds: Kinds,
    most: u32,
}

/// Class loops of the states met, as sets of kinds.
pub struct Runs<'w> {
    automaton: &'w Automaton,
    /// Kinds that may start what follows.
    barred: Kinds,
    /// Written loops, and the state's own once it was asked for.
    found: ByState<(Vec<Run>, Option<Vec<Run>>)>,
}

impl<'w> Runs<'w> {
    pub fn new(automaton: &'w Automaton, follow: &'w ByteSet) -> Self {
        Self { automaton, barred: starting(follow), found: ByState::default() }
    }

    /// Whether every token through `node` keeps `state`, the one before it, in one of its class loops, and none may
    /// leave it there. Not asked for small subtrees.
    #[inline]
    pub fn cover(&mut self, state: StateId, trie: &Trie, node: NodeIndex) -> bool {
        let at = trie.node(node);
        if at.skip - node <= FEW {
            return false;
        }
        let (automaton, barred) = (self.automaton, self.barred);
        let (written, own) = self.found.of(state, || (runs(automaton, automaton.runs(state), barred), None));
        let kinds = trie.kinds(at);
        let covers = |run: &Run| kinds & !run.kinds == 0 && u32::from(at.height) < run.most;
        written.iter().any(covers)
            || at.skip - node > SEVERAL
                && own.get_or_insert_with(|| runs(automaton, automaton.own_loop(state), barred)).iter().any(covers)
    }
}

/// Class loops with the kinds they cover, but for some.
fn runs(automaton: &Automaton, loops: impl IntoIterator<Item = ClassRun>, barred: Kinds) -> Vec<Run> {
    let runs = loops.into_iter().map(|run| {
        let covers = automaton.covers(&run);
        let covered = kinds::all().iter().filter(|(_, ranges)| covers(ranges));
        let kinds = covered.fold(0, |set, (kind, _)| set | kind) & !barred;
        Run { kinds, most: run.repetitions }
    });
    runs.filter(|run| run.kinds != 0).collect()
}

/// The kinds with a character that starts with one of some bytes.
fn starting(bytes: &ByteSet) -> Kinds {
    let lead = |byte: u8| if byte < 0x80 { kinds::ascii(byte) } else { kinds::lead(byte).map_or(0, |(kind, ..)| kind) };
    bytes.iter().fold(0, |set, byte| set | lead(byte))
}
