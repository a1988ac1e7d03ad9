//! Class loops: subtrees that a state takes whole.
//!
//! A state that may read any number of `[a-z]` accepts a subtree whose characters are all `a..z` without visiting it.
//! The loops of a state become sets of kinds once a walk, and every node knows the kinds below it.

use rustc_hash::FxHashMap;

use crate::matcher::ByteSet;
use crate::regular::{Automaton, ClassRun, StateId};
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
    by_state: FxHashMap<StateId, usize>,
    /// Written loops, and the state's own once it was asked for.
    found: Vec<(Vec<Run>, Option<Vec<Run>>)>,
    /// The state asked for last, and where its runs are.
    last: Option<(StateId, usize)>,
}

impl<'w> Runs<'w> {
    pub fn new(automaton: &'w Automaton, follow: &'w ByteSet) -> Self {
        Self { automaton, barred: starting(follow), by_state: FxHashMap::default(), found: Vec::new(), last: None }
    }

    /// Whether every token through `node` keeps `state`, the one before it, in one of its class loops, and none may
    /// leave it there. Not asked for small subtrees.
    #[inline]
    pub fn cover(&mut self, state: StateId, trie: &Trie, node: NodeIndex) -> bool {
        let at = trie.node(node);
        if at.skip - node <= FEW {
            return false;
        }
        let index = match self.last {
            Some((last, index)) if last == state => index,
            _ => self.find(state),
        };
        let kinds = trie.kinds(at);
        let covers = |run: &Run| kinds & !run.kinds == 0 && u32::from(at.height) < run.most;
        if self.found[index].0.iter().any(covers) {
            return true;
        }
        if at.skip - node <= SEVERAL {
            return false;
        }
        if self.found[index].1.is_none() {
            self.found[index].1 = Some(self.runs(self.automaton.own_loop(state)));
        }
        self.found[index].1.iter().flatten().any(covers)
    }

    fn find(&mut self, state: StateId) -> usize {
        let next = self.found.len();
        let index = *self.by_state.entry(state).or_insert(next);
        if index == next {
            self.found.push((self.runs(self.automaton.runs(state)), None));
        }
        self.last = Some((state, index));
        index
    }

    /// Class loops with the kinds they cover that cannot start what follows.
    fn runs(&self, loops: impl IntoIterator<Item = ClassRun>) -> Vec<Run> {
        let runs = loops.into_iter().map(|run| {
            let covers = self.automaton.covers(&run);
            let covered = kinds::all().iter().filter(|(_, ranges)| covers(ranges));
            let kinds = covered.fold(0, |set, (kind, _)| set | kind) & !self.barred;
            Run { kinds, most: run.repetitions }
        });
        runs.filter(|run| run.kinds != 0).collect()
    }
}

/// The kinds with a character that starts with one of some bytes.
fn starting(bytes: &ByteSet) -> Kinds {
    let lead = |byte: u8| if byte < 0x80 { kinds::ascii(byte) } else { kinds::lead(byte).map_or(0, |(kind, ..)| kind) };
    bytes.iter().fold(0, |set, byte| set | lead(byte))
}
