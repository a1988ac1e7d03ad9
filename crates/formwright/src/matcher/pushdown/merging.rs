//! Controls that go on alike become one, as do symbols that resume alike.
//!
//! ```text
//! "[" (value ("," value)*)? "]"      after the first value and after each other one: the same may come
//! ```
//!
//! Classes are split until the members of each lead to the same classes by every byte (Moore's algorithm), controls and
//! symbols together. Bytes that nothing tells apart are looked at once.
//!
//! Cost: a look at every step, in each round; mostly a dozen rounds. Where long chains of positions take more, as counted
//! texts do, nothing is merged.

use rustc_hash::FxHashMap;

use super::{BOTTOM, ENDED, PushdownAutomaton, RESUME, Step, Table, WordId, Words};
use crate::interrupt::count;

/// Steps that are looked at for a unit of work.
const STEPS_OF_UNIT: usize = 4;

/// Rounds at most.
const ROUNDS: usize = 160;

/// The steps of controls, and those after symbols.
pub type Steps<'a> = (&'a Table, &'a Table);

/// The classes of controls and symbols.
struct Classes {
    controls: Vec<u32>,
    symbols: Vec<u32>,
    /// How many there are of both.
    counts: (usize, usize),
}

/// What is the same for all members of a class: by byte, the class and the word of classes that each step leads to.
type Signature = Vec<(u8, Step)>;

/// The smallest automaton that goes on like one with these steps; the reserved controls and symbols keep their numbers.
pub fn merge(start: &[Step], steps: Steps<'_>, words: &Words) -> PushdownAutomaton {
    let bytes = representatives(steps);
    let (controls, symbols) = (0..steps.0.len() as u32, 0..steps.1.len() as u32);
    let mut classes = Classes {
        controls: controls.clone().map(|control| control.min(ENDED + 1)).collect(),
        symbols: symbols.clone().map(|symbol| symbol.min(BOTTOM + 1)).collect(),
        counts: (0, 0),
    };
    for _ in 0..ROUNDS {
        let mut merged = Merged::new(words, &classes.symbols);
        let controls = split(&classes.controls, steps.0, &bytes, &classes, &mut merged);
        let symbols = split(&classes.symbols, steps.1, &bytes, &classes, &mut merged);
        let counts = (controls.1, symbols.1);
        let is_stable = counts == classes.counts;
        classes = Classes { controls: controls.0, symbols: symbols.0, counts };
        if is_stable {
            return build(start, steps, words, &classes);
        }
    }
    let counts = (controls.len(), symbols.len());
    build(start, steps, words, &Classes { controls: controls.collect(), symbols: symbols.collect(), counts })
}

/// A byte of each class of bytes that lead to the same steps from everywhere.
fn representatives((controls, symbols): Steps<'_>) -> Vec<u8> {
    let mut class_of = [0_u32; 256];
    let mut renamed: FxHashMap<(u32, &[Step]), u32> = FxHashMap::default();
    for table in [controls, symbols] {
        for number in 0..table.len() as u32 {
            count(256 / STEPS_OF_UNIT);
            renamed.clear();
            for (class, byte) in class_of.iter_mut().zip(0..=u8::MAX) {
                let new = renamed.len() as u32;
                *class = *renamed.entry((*class, table.of(number, byte))).or_insert(new);
            }
        }
    }
    let mut is_met = [false; 256];
    (0..=u8::MAX).filter(|&byte| !std::mem::replace(&mut is_met[class_of[usize::from(byte)] as usize], true)).collect()
}

/// Words of classes in place of words of symbols.
struct Merged<'a> {
    words: &'a Words,
    classes: &'a [u32],
    made: Words,
    of: FxHashMap<WordId, WordId>,
}

impl<'a> Merged<'a> {
    fn new(words: &'a Words, classes: &'a [u32]) -> Self {
        Self { words, classes, made: Words::default(), of: FxHashMap::default() }
    }

    fn word(&mut self, word: WordId) -> WordId {
        if let Some(&known) = self.of.get(&word) {
            return known;
        }
        let symbols: Vec<u32> = self.words.symbols(word).collect();
        let push = |below, symbol: u32| self.made.push(self.classes[symbol as usize], below);
        let merged = symbols.into_iter().rev().fold(super::EMPTY, push);
        self.of.insert(word, merged);
        merged
    }

    /// The steps between classes, each once.
    fn steps(&mut self, steps: &[Step], controls: &[u32]) -> Vec<Step> {
        let merged = steps.iter().map(|step| Step { to: controls[step.to as usize], pushed: self.word(step.pushed) });
        let mut merged: Vec<Step> = merged.collect();
        merged.sort_unstable();
        merged.dedup();
        merged
    }
}

/// New classes of the members of some, and how many there are: in order of their first members.
fn split(old: &[u32], steps: &Table, bytes: &[u8], classes: &Classes, merged: &mut Merged<'_>) -> (Vec<u32>, usize) {
    let mut known: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
    let new = (0..).zip(old).map(|(number, &class)| {
        let mut signature = Signature::new();
        for &byte in bytes {
            let steps = merged.steps(steps.of(number, byte), &classes.controls);
            signature.extend(steps.into_iter().map(|step| (byte, step)));
        }
        count(1 + (bytes.len() + signature.len()) / STEPS_OF_UNIT);
        let next = known.len() as u32;
        *known.entry((class, signature)).or_insert(next)
    });
    (new.collect(), known.len())
}

/// The automaton of the classes.
fn build(start: &[Step], steps: Steps<'_>, words: &Words, classes: &Classes) -> PushdownAutomaton {
    debug_assert_eq!([RESUME, ENDED].map(|control| classes.controls[control as usize]), [RESUME, ENDED]);
    let mut merged = Merged::new(words, &classes.symbols);
    let mut rows = |of: &[u32], count: usize, table: &Table| {
        let (mut members, mut rows) = (vec![0; count], Table::default());
        of.iter().zip(0..).for_each(|(&class, member)| members[class as usize] = member);
        for member in members {
            (0..=u8::MAX).for_each(|byte| rows.push(merged.steps(table.of(member, byte), &classes.controls)));
        }
        rows
    };
    let steps_of_controls = rows(&classes.controls, classes.counts.0, steps.0);
    let resumed = rows(&classes.symbols, classes.counts.1, steps.1);
    let start = merged.steps(start, &classes.controls);
    let begun_by = (0..=u8::MAX).map(|byte| {
        let symbols = 0..resumed.len() as u32;
        symbols.filter(|&symbol| !resumed.of(symbol, byte).is_empty()).collect()
    });
    PushdownAutomaton {
        start,
        begun_by: begun_by.collect(),
        steps: steps_of_controls,
        resumed,
        words: merged.made,
        controls: classes.counts.0,
    }
}
