//! Where each token leads.
//!
//! A move is made by a set of tokens: from a control it pops symbols, pushes others, and leads to a control.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{Made, Walk};
use super::{
    BOTTOM, Control, EMPTY, ENDED, NOTHING, Popped, PoppedId, PushdownAutomaton, RESUME, Step, Symbol, WordId, Words,
};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::matcher::edges::{SetId, TokenSets};
use crate::vocabulary::Vocabulary;

/// What some tokens do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: Control,
    /// The sequences of symbols that they pop: one of them.
    pub popped: PoppedId,
    /// The symbols that they push then.
    pub pushed: WordId,
    pub to: Control,
    /// The same as a place in [`Moves::ends`].
    pub end: u32,
    /// The tokens.
    pub tokens: SetId,
}

/// Where moves end: at a control, or with a symbol on top of another end.
///
/// A move to control c that pushes `ab` leads to the end with the symbol `b`, above which is the one with `a`, and above
/// that is c itself. So what different moves push is found together where it begins alike.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub above: u32,
    pub symbol: Symbol,
}

/// Sets of sequences that are popped, taken apart: each in `all` pops `symbol` after those of `before`.
#[derive(Debug)]
pub struct Unpop {
    pub before: PoppedId,
    pub symbol: Symbol,
    pub all: Vec<PoppedId>,
}

/// All moves of a form, by where they begin.
#[derive(Debug)]
pub struct Moves {
    /// Where texts begin, with what is above the bottom of the stack.
    pub start: Vec<Step>,
    pub all: Vec<Move>,
    pub sets: TokenSets,
    pub words: Words,
    pub popped: Popped,
    /// How many controls there are, those included that no token leads to.
    pub controls: usize,
    /// The controls, whose own entries say nothing, then all others, each after the one above.
    pub ends: Vec<End>,
    ends_by: FxHashMap<(u32, Symbol), u32>,
    /// By control: the sets of sequences that are popped from it, in the order in which they are taken apart.
    pub unpops: Vec<Vec<Unpop>>,
}

impl Moves {
    /// The moves of an automaton.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where they have more bytes than the limits say.
    pub fn new(automaton: &PushdownAutomaton, vocabulary: &Vocabulary, limits: &Limits) -> Result<Self> {
        let mut moves = Self {
            start: automaton.start.clone(),
            all: Vec::new(),
            sets: TokenSets::default(),
            words: automaton.words.clone(),
            popped: Popped::default(),
            controls: automaton.controls(),
            ends: (0..automaton.controls() as u32).map(|above| End { above, symbol: BOTTOM }).collect(),
            ends_by: FxHashMap::default(),
            unpops: Vec::new(),
        };
        moves.add_ends(vocabulary);
        let mut walk = Walk::default();
        let mut is_found = vec![false; moves.controls];
        let mut open: Vec<Control> = moves.start.iter().map(|step| step.to).collect();
        while let Some(control) = open.pop() {
            if control == ENDED || std::mem::replace(&mut is_found[control as usize], true) {
                continue;
            }
            open.extend(moves.expand(automaton, vocabulary, control, &mut walk));
            if moves.bytes() > limits.canvas_form_bytes {
                return Err(Error::limit("canvas_form_bytes", moves.bytes(), limits.canvas_form_bytes));
            }
        }
        moves.all.sort_by_key(|found| found.from);
        moves.unpops = (0..moves.controls as Control).map(|control| moves.find_unpops(control)).collect();
        Ok(moves)
    }

    /// Ends of text come where the stack is at its bottom, and after other ends.
    fn add_ends(&mut self, vocabulary: &Vocabulary) {
        let tokens = self.sets.intern(vocabulary.eos(), vocabulary.mask_words());
        let bottom = self.popped.push(NOTHING, BOTTOM);
        for (from, popped) in [(RESUME, bottom), (ENDED, NOTHING)] {
            self.all.push(Move { from, popped, pushed: EMPTY, to: ENDED, end: ENDED, tokens });
        }
    }

    /// Finds the moves from a control, and says where they lead.
    fn expand(
        &mut self,
        automaton: &PushdownAutomaton,
        vocabulary: &Vocabulary,
        from: Control,
        walk: &mut Walk,
    ) -> Vec<Control> {
        let mut made = Made { words: &mut self.words, popped: &mut self.popped };
        let found = walk.run(automaton, vocabulary, from, &mut made);
        let to = found.iter().map(|(place, _)| place.at.to).collect();
        for (place, tokens) in found {
            let tokens = self.sets.intern(&tokens, vocabulary.mask_words());
            let Step { to, pushed } = place.at;
            let end = self.end(to, pushed);
            self.all.push(Move { from, popped: place.popped, pushed, to, end, tokens });
        }
        to
    }

    /// The number of an end, new or not.
    fn end(&mut self, to: Control, pushed: WordId) -> u32 {
        let Self { ends, ends_by, words, .. } = self;
        words.symbols(pushed).fold(to, |above, symbol| {
            *ends_by.entry((above, symbol)).or_insert_with(|| {
                ends.push(End { above, symbol });
                ends.len() as u32 - 1
            })
        })
    }

    /// What is popped from a control, taken apart, the last symbols first.
    fn find_unpops(&self, control: Control) -> Vec<Unpop> {
        let (mut found, mut is_met) = (BTreeMap::new(), FxHashSet::default());
        let mut open: Vec<PoppedId> = self.moves_from(control).iter().map(|step| step.popped).collect();
        while let Some(all) = open.pop() {
            if is_met.insert(all) {
                for &(before, symbol) in self.popped.last(all) {
                    found.entry((Reverse(before), symbol)).or_insert_with(Vec::new).push(all);
                    open.push(before);
                }
            }
        }
        found.into_iter().map(|((Reverse(before), symbol), all)| Unpop { before, symbol, all }).collect()
    }

    fn moves_from(&self, control: Control) -> &[Move] {
        let first = self.all.partition_point(|step| step.from < control);
        let moves = &self.all[first..];
        &moves[..moves.partition_point(|step| step.from == control)]
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        (size_of::<Move>() + 64) * self.all.len() + self.sets.bytes() + self.words.bytes() + self.popped.bytes()
    }
}
