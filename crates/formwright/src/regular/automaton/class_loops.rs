//! Which classes of code points a state may read any number of: strings of the words of a language, and the like.
//!
//! The tokens of a vocabulary are sorted by the class of code points they are made of. Where a state loops over a
//! class, `[a-z]*`, all tokens of that class are allowed at once, and none of them is looked at. Such a class is named
//! by its bit, a set of classes by several.
//!
//! ```text
//! state of [a-z0-9]{2,9}, classes a-f (bit 0), g-z (1), 0-9 (4)     a loop that covers 0b10011, 9 repetitions
//! ```
//!
//! Cost: a search for liveness of what follows the loop, cached. In JSON, a class with a character that needs
//! an escape is not covered, since its characters are not written as themselves.

use smallvec::SmallVec;

use super::{Automaton, StateBuilder, StateId};
use crate::regular::alphabet::{Alphabet, MintermSet, contains};
use crate::regular::expression::UNBOUNDED;

/// A class of code points: its bit, and its ranges.
pub(crate) type ClassOfBit = (u64, Vec<(u32, u32)>);

/// A loop over a class.
pub(crate) struct ClassLoop {
    /// The classes asked about that it covers: all their code points are in its class and written as themselves.
    pub covers: u64,
    /// How many code points of it may be read with the state still live.
    pub repetitions: u32,
}

/// The classes asked about, as an alphabet and an encoding see them.
pub(super) struct ClassesByMinterm {
    /// Those whose code points are all written as themselves.
    verbatim: u64,
    /// Those with a code point in the minterm, by minterm.
    with: Box<[u64]>,
}

impl ClassesByMinterm {
    fn new(classes: &[ClassOfBit], alphabet: &Alphabet, is_json: bool) -> Self {
        let (mut verbatim, mut with) = (0, vec![0; alphabet.len()].into_boxed_slice());
        let escaped = |low, high| low < 0x20 || [0x22, 0x5C].iter().any(|code| (low..=high).contains(code));
        for (class, ranges) in classes {
            if !is_json || !ranges.iter().any(|&(low, high)| escaped(low, high)) {
                verbatim |= class;
            }
            let segments = ranges.iter().flat_map(|&(low, high)| alphabet.segments(low, high));
            segments.for_each(|(_, _, minterm)| with[usize::from(minterm)] |= class);
        }
        Self { verbatim, with }
    }

    /// The classes all of whose minterms are in the set.
    fn within(&self, set: &MintermSet) -> u64 {
        let others = self.with.iter().zip(0..).filter(|&(_, minterm)| !contains(set, minterm));
        others.fold(self.verbatim, |covers, (with, _)| covers & !with)
    }
}

impl Automaton {
    /// The class loops that `state` may stay in, once the code point it is inside of is complete. The classes asked
    /// about must be the same every time.
    pub(crate) fn class_loops(&self, state: StateId, classes: &[ClassOfBit]) -> SmallVec<[ClassLoop; 1]> {
        let Some(mut builder) = self.derived() else { return SmallVec::new() };
        let Some((expression, _)) = builder.after_code_point(state) else { return SmallVec::new() };
        let by_minterm = self.classes_by_minterm(&builder, classes);
        let parts = builder.expressions.openings(expression);
        let class_loop = |part| {
            let (set, repetitions) = builder.expressions.class_loop(part)?;
            Some(ClassLoop { covers: by_minterm.within(set), repetitions })
        };
        parts.into_iter().filter_map(class_loop).collect()
    }

    /// The loop of all code points that lead `state` to itself, once the one it is inside of is complete; perhaps none
    /// do.
    pub(crate) fn own_loop(&self, state: StateId, classes: &[ClassOfBit]) -> ClassLoop {
        let Some(mut builder) = self.derived() else { return ClassLoop { covers: 0, repetitions: 0 } };
        let set = builder.after_code_point(state).map(|(expression, _)| builder.own_loop(expression));
        let covers = set.map_or(0, |set| self.classes_by_minterm(&builder, classes).within(&set));
        ClassLoop { covers, repetitions: UNBOUNDED }
    }

    fn classes_by_minterm(&self, builder: &StateBuilder, classes: &[ClassOfBit]) -> &ClassesByMinterm {
        let is_json = self.encoding.is_self_delimiting();
        let alphabet = &builder.expressions.alphabet;
        self.classes_by_minterm.get_or_init(|| ClassesByMinterm::new(classes, alphabet, is_json))
    }

    /// Bytes of the shortest completion at any time in a class loop of `state`, at most.
    pub fn farthest(&self, state: StateId) -> u32 {
        let Some(mut builder) = self.derived() else { return 0 };
        let quote = u32::from(self.encoding.is_self_delimiting());
        let Some((expression, missing)) = builder.after_code_point(state) else { return 0 };
        builder.expressions.farthest(expression).saturating_add(quote + missing)
    }
}
