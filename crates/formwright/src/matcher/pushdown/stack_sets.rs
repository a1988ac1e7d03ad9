//! Sets of stacks, each kept once.
//!
//! ```text
//! {ab, ac, b}    (a, {b, c}) and (b, {bottom})
//! ```
//!
//! A set is a list of symbols that may be on top, each with a set of what may be below it. A symbol may come several times:
//! to unite what is below would be to make the automaton of the stacks deterministic, which may take exponentially many
//! sets. But an entry is left out if a simulation shows that another one includes it, so lists are short. Sets of the same
//! list have the same index, so stacks share what they have in common below.
//!
//! Cost: sets and what was found of them are kept until [`StackSets::compact`], so that what is asked again is a look-up.
//! A set may be as deep as a text is long: what is still to be done is a list, and no call.

use std::cmp::Reverse;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::{BOTTOM, NOTHING, Popped, PoppedId, Symbol, WordId, Words};
use crate::interrupt::count;

/// Index of a set.
pub type StackSet = u32;

/// The set without stacks.
pub const NONE: StackSet = 0;

/// The set of the empty stack. To pop the bottom leaves it in place.
pub const ONLY_BOTTOM: StackSet = 1;

/// A symbol on top, and the stacks below it.
type Top = (Symbol, StackSet);

/// What may be on top, ascending.
type Tops = SmallVec<[Top; 2]>;

/// Some sets.
pub type Several = SmallVec<[StackSet; 6]>;

/// Bytes of something that was found, roughly.
const BYTES_FOUND: usize = 20;

/// What is quickly told of the stacks of a set, so that most questions need no look-up.
#[derive(Clone, Copy, Debug)]
struct Outline {
    /// A bit for each symbol that may be on top, by its number modulo 64.
    symbols: u64,
    /// The fewest and the most symbols that a stack has above the bottom.
    least: u32,
    most: u32,
}

impl Outline {
    const OF_NONE: Self = Self { symbols: 0, least: u32::MAX, most: 0 };
    const OF_BOTTOM: Self = Self { symbols: 1 << (BOTTOM % 64), least: 0, most: 0 };

    /// That of a list, by the outlines of what may be below.
    fn of(tops: &[Top], outlines: &[Self]) -> Self {
        tops.iter().fold(Self::OF_NONE, |known, &(symbol, below)| {
            let (below, height) = (outlines[below as usize], u32::from(symbol != BOTTOM));
            Self {
                symbols: known.symbols | 1 << (symbol % 64),
                least: known.least.min(below.least + height),
                most: known.most.max(below.most + height),
            }
        })
    }

    /// Whether all stacks of a set with this outline may be in one with another outline.
    fn may_be_within(self, whole: Self) -> bool {
        self.symbols & !whole.symbols == 0 && whole.least <= self.least && self.most <= whole.most
    }

    /// Whether sets with these outlines may share a stack.
    fn may_meet(self, other: Self) -> bool {
        self.symbols & other.symbols != 0 && self.least <= other.most && other.least <= self.most
    }
}

/// The sets. What a set refers to has a smaller index, but for the bottom.
#[derive(Clone, Debug)]
pub struct StackSets {
    sets: IndexSet<Tops, FxBuildHasher>,
    outlines: Vec<Outline>,
    /// By sets, descending: their union.
    unions: FxHashMap<Several, StackSet>,
    /// By two sets: whether the second one is seen to have all stacks of the first.
    inclusions: FxHashMap<(StackSet, StackSet), bool>,
    /// By two sets, the smaller one first: whether they share a stack.
    meetings: FxHashMap<(StackSet, StackSet), bool>,
    /// What is left of the stacks of a set when symbols were popped.
    popped: FxHashMap<(StackSet, PoppedId), StackSet>,
    /// Bytes of the tops.
    bytes: usize,
}

impl Default for StackSets {
    fn default() -> Self {
        let sets = [SmallVec::new(), SmallVec::from_slice(&[(BOTTOM, ONLY_BOTTOM)])];
        Self {
            sets: IndexSet::from_iter(sets),
            outlines: vec![Outline::OF_NONE, Outline::OF_BOTTOM],
            unions: FxHashMap::default(),
            inclusions: FxHashMap::default(),
            meetings: FxHashMap::default(),
            popped: FxHashMap::default(),
            bytes: 0,
        }
    }
}

impl StackSets {
    /// The symbols that may be on top, each with what may be below it.
    pub fn tops(&self, set: StackSet) -> &[Top] {
        &self.sets[set as usize]
    }

    fn outline(&self, set: StackSet) -> Outline {
        self.outlines[set as usize]
    }

    fn intern(&mut self, tops: Tops) -> StackSet {
        if let Some(known) = self.sets.get_index_of(&tops) {
            return known as StackSet;
        }
        self.outlines.push(Outline::of(&tops, &self.outlines));
        self.bytes +=
            size_of::<Tops>() + size_of::<Outline>() + 16 + if tops.spilled() { size_of_val(&*tops) } else { 0 };
        self.sets.insert_full(tops).0 as StackSet
    }

    /// The stacks of a set with a symbol on top.
    pub fn push(&mut self, symbol: Symbol, below: StackSet) -> StackSet {
        if below == NONE { NONE } else { self.intern(SmallVec::from_slice(&[(symbol, below)])) }
    }

    /// What may be below a symbol.
    fn below(&mut self, set: StackSet, symbol: Symbol) -> StackSet {
        match with_symbol(self.tops(set), symbol) {
            [] => NONE,
            [(_, below)] => *below,
            several => {
                let mut several: Several = several.iter().map(|&(_, below)| below).collect();
                self.unite(&mut several)
            }
        }
    }

    /// The stacks of a set with a word on top.
    pub fn push_word(&mut self, words: &Words, word: WordId, below: StackSet) -> StackSet {
        if below == NONE {
            return NONE;
        }
        let symbols: SmallVec<[Symbol; 8]> = words.symbols(word).collect();
        symbols.into_iter().rev().fold(below, |below, symbol| self.push(symbol, below))
    }

    /// What is below a word.
    pub fn pop_word(&mut self, words: &Words, word: WordId, set: StackSet) -> StackSet {
        words.symbols(word).fold(set, |set, symbol| self.below(set, symbol))
    }

    /// What is left of the stacks of a set when one of some sequences of symbols was popped.
    pub fn pop(&mut self, popped: &Popped, sequences: PoppedId, set: StackSet) -> StackSet {
        if sequences == NOTHING || set == NONE {
            return set;
        }
        if let Some(&known) = self.popped.get(&(set, sequences)) {
            return known;
        }
        let mut open = vec![sequences];
        while let Some(&sequences) = open.last() {
            let before = open.len();
            for &(earlier, _) in popped.last(sequences) {
                if earlier != NOTHING && !self.popped.contains_key(&(set, earlier)) {
                    open.push(earlier);
                }
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            let mut left = Several::new();
            for &(earlier, symbol) in popped.last(sequences) {
                let rest = if earlier == NOTHING { set } else { self.popped[&(set, earlier)] };
                left.push(self.below(rest, symbol));
            }
            let left = self.unite(&mut left);
            self.popped.insert((set, sequences), left);
        }
        self.popped[&(set, sequences)]
    }

    /// The stacks of several sets; the list is used up.
    pub fn unite(&mut self, sets: &mut Several) -> StackSet {
        sets.sort_unstable_by_key(|&set| Reverse(set));
        sets.dedup();
        if let Some(known) = only(sets) {
            return known;
        }
        if let Some(&known) = self.unions.get(sets) {
            return known;
        }
        count(1 + sets.len());
        self.bytes += if sets.spilled() { size_of_val(&**sets) } else { 0 };
        let key = sets.clone();
        self.keep_largest(sets);
        let united = only(sets).unwrap_or_else(|| self.merge(sets));
        self.unions.insert(key, united);
        united
    }

    /// Leaves sets out that are seen to be a part of another one.
    fn keep_largest(&mut self, sets: &mut Several) {
        let mut at = 0;
        while at < sets.len() {
            let set = sets[at];
            if (0..sets.len()).any(|other| other != at && self.includes(set, sets[other])) {
                sets.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// The stacks of sets of which none has all of another one's.
    fn merge(&mut self, sets: &[StackSet]) -> StackSet {
        let mut all: Tops = sets.iter().flat_map(|&set| self.tops(set)).copied().collect();
        count(1 + all.len() / 4);
        all.sort_unstable();
        all.dedup();
        let mut tops = Tops::new();
        for alike in all.chunk_by(|one, other| one.0 == other.0) {
            let mut below: Several = alike.iter().map(|top| top.1).collect();
            self.keep_largest(&mut below);
            tops.extend(below.into_iter().map(|below| (alike[0].0, below)));
        }
        self.intern(tops)
    }

    /// Whether a set is seen to be a part of another one.
    fn includes(&mut self, part: StackSet, whole: StackSet) -> bool {
        if let Some(known) = self.known_inclusion(part, whole) {
            return known;
        }
        let mut open = vec![(part, whole)];
        while let Some(&(part, whole)) = open.last() {
            count(1);
            match self.look_for_inclusion(part, whole) {
                Ok(found) => {
                    self.inclusions.insert((part, whole), found);
                    open.pop();
                }
                Err(first) => open.push(first),
            }
        }
        self.inclusions[&(part, whole)]
    }

    fn known_inclusion(&self, part: StackSet, whole: StackSet) -> Option<bool> {
        if part == whole || part == NONE || whole == NONE {
            return Some(part == whole || part == NONE);
        }
        if !self.outline(part).may_be_within(self.outline(whole)) {
            return Some(false);
        }
        self.inclusions.get(&(part, whole)).copied()
    }

    /// Whether a set is a part of another one, or for which two that has to be known first.
    fn look_for_inclusion(&self, part: StackSet, whole: StackSet) -> Result<bool, (StackSet, StackSet)> {
        let wholes = self.tops(whole);
        let mut first = None;
        for &(symbol, below) in self.tops(part) {
            let (mut is_included, mut unknown) = (false, None);
            for &(_, other) in with_symbol(wholes, symbol) {
                match self.known_inclusion(below, other) {
                    Some(true) => is_included = true,
                    Some(false) => {}
                    None => unknown = Some((below, other)),
                }
            }
            match (is_included, unknown) {
                (true, _) => {}
                (false, None) => return Ok(false),
                (false, unknown) => first = unknown,
            }
        }
        first.map_or(Ok(true), Err)
    }

    /// Whether two sets share a stack.
    pub fn meet(&mut self, one: StackSet, other: StackSet) -> bool {
        if let Some(known) = self.known_meeting(one, other) {
            return known;
        }
        let mut open = vec![ordered(one, other)];
        while let Some(&(one, other)) = open.last() {
            count(1);
            let found = match self.look_for_meeting(one, other) {
                Ok(found) => found,
                Err(first) => {
                    open.push(first);
                    continue;
                }
            };
            self.meetings.insert((one, other), found);
            open.pop();
        }
        self.meetings[&ordered(one, other)]
    }

    fn known_meeting(&self, one: StackSet, other: StackSet) -> Option<bool> {
        if one == other || one == NONE || other == NONE {
            return Some(one != NONE && other != NONE);
        }
        if !self.outline(one).may_meet(self.outline(other)) {
            return Some(false);
        }
        self.meetings.get(&ordered(one, other)).copied()
    }

    /// Whether two sets share a stack, or of which two that has to be known first.
    fn look_for_meeting(&self, one: StackSet, other: StackSet) -> Result<bool, (StackSet, StackSet)> {
        let others = self.tops(other);
        let mut first = None;
        for &(symbol, below) in self.tops(one) {
            for &(_, below_other) in with_symbol(others, symbol) {
                match self.known_meeting(below, below_other) {
                    Some(true) => return Ok(true),
                    Some(false) => {}
                    None => first = Some(ordered(below, below_other)),
                }
            }
        }
        first.map_or(Ok(false), Err)
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        let found = 3 * self.unions.len() + self.inclusions.len() + self.meetings.len() + self.popped.len();
        self.bytes + found * BYTES_FOUND
    }

    /// Forgets all sets but some, which get other numbers, and all that was found of them.
    pub fn compact<'a>(&mut self, kept: impl Iterator<Item = &'a mut StackSet>) {
        let kept: Vec<&mut StackSet> = kept.collect();
        let mut is_needed = vec![false; self.sets.len()];
        for set in &kept {
            is_needed[**set as usize] = true;
        }
        for set in (ONLY_BOTTOM + 1..self.sets.len() as StackSet).rev() {
            if is_needed[set as usize] {
                self.tops(set).iter().for_each(|&(_, below)| is_needed[below as usize] = true);
            }
        }
        count(self.sets.len());
        let mut fresh = Self::default();
        let mut numbers: Vec<StackSet> = (0..self.sets.len() as StackSet).collect();
        for set in ONLY_BOTTOM + 1..self.sets.len() as StackSet {
            if is_needed[set as usize] {
                let tops = self.tops(set).iter().map(|&(symbol, below)| (symbol, numbers[below as usize])).collect();
                numbers[set as usize] = fresh.intern(tops);
            }
        }
        for set in kept {
            *set = numbers[*set as usize];
        }
        *self = fresh;
    }
}

/// The only one of some sets, descending, but for that without stacks; `None` if there are several.
fn only(sets: &[StackSet]) -> Option<StackSet> {
    match *sets {
        [] => Some(NONE),
        [only] | [only, NONE] => Some(only),
        _ => None,
    }
}

/// The entries of a list with a symbol.
fn with_symbol(tops: &[Top], symbol: Symbol) -> &[Top] {
    let first = tops.partition_point(|top| top.0 < symbol);
    let tops = &tops[first..];
    &tops[..tops.partition_point(|top| top.0 == symbol)]
}

fn ordered(one: StackSet, other: StackSet) -> (StackSet, StackSet) {
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Stacks, the upper symbol first, without the bottom.
    type Plain = BTreeSet<Vec<Symbol>>;

    /// All stacks of a set.
    fn list(sets: &StackSets, set: StackSet) -> Plain {
        let (mut found, mut open) = (Plain::new(), vec![(Vec::new(), set)]);
        while let Some((above, set)) = open.pop() {
            for &(symbol, below) in sets.tops(set) {
                if symbol == BOTTOM {
                    found.insert(above.clone());
                } else {
                    open.push(([&above[..], &[symbol]].concat(), below));
                }
            }
        }
        found
    }

    fn random(state: &mut u64, below: usize) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % below
    }

    /// Sets are pushed, united, popped and compared at random, beside the same sets stack by stack.
    #[test]
    fn sets_have_the_stacks_that_they_are_made_of() {
        let mut state = 5;
        for _ in 0..200 {
            let mut sets = StackSets::default();
            let mut all = vec![(NONE, Plain::new()), (ONLY_BOTTOM, Plain::from([vec![]]))];
            for _ in 0..30 {
                let [one, other] = [0; 2].map(|_| all[random(&mut state, all.len())].clone());
                let symbol = 1 + random(&mut state, 2) as Symbol;
                let made = match random(&mut state, 4) {
                    0 | 1 => {
                        let pushed = one.1.iter().map(|stack| [&[symbol], &stack[..]].concat()).collect();
                        (sets.push(symbol, one.0), pushed)
                    }
                    2 => (sets.unite(&mut Several::from_slice(&[one.0, other.0])), &one.1 | &other.1),
                    _ => {
                        let under = one.1.iter().filter_map(|stack| stack.strip_prefix(&[symbol]));
                        (sets.below(one.0, symbol), under.map(<[_]>::to_vec).collect())
                    }
                };
                assert_eq!(list(&sets, made.0), made.1);
                assert_eq!(sets.meet(one.0, other.0), !one.1.is_disjoint(&other.1));
                assert!(!sets.includes(one.0, other.0) || one.1.is_subset(&other.1));
                all.push(made);
            }
            let before = sets.bytes();
            sets.compact(all.iter_mut().map(|(set, _)| set));
            assert!(sets.bytes() <= before, "{} {before}", sets.bytes());
            for (set, plain) in all {
                assert_eq!(list(&sets, set), plain);
            }
        }
    }
}
