//! Undeclared members: one kind for each way in which the name patterns of an object can overlap.
//!
//! ```text
//! patternProperties ^x: A, y$: B     ^x ∧ y$: A∧B     ^x ∧ ¬y$: A     ¬^x ∧ y$: B     ¬^x ∧ ¬y$: any
//! ```
//!
//! Cost: of few patterns, all sets are tried; of more, the sets that names reach are found by running the automata of the
//! patterns side by side. Names are written in their one form, so a declared or used name cannot come again in another.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::alphabet::Texts;
use super::declared::Declared;
use super::objects::MOST_NAMES;
use super::{GraphBuilder, notated};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{Leaf, UNBOUNDED, UndeclaredKind, UndeclaredKinds};
use crate::regular::{Automaton, Encoding, Escapes, Regular, Step};
use crate::syntax::json_schema::read::SchemaReader;
use crate::syntax::json_schema::sets::{Condition, NameSet, ObjectSet, StringSet, conjoin_in, is_never};

/// Most patterns in one object that may all overlap.
const MOST_PATTERNS: usize = 8;

/// Names of a pattern that have witnesses of their own; an object with more of them is one with conditions.
const MOST_DECLARED: usize = 4;

/// Most patterns in one object, if few of them overlap.
const MOST_EXCLUSIVE: usize = 16;

/// Sets of patterns, a bit for each.
pub(super) type PatternSets = SmallVec<[u64; 4]>;

/// Most patterns in one object.
const MOST_PATTERNS_IN_ALL: usize = 64;

/// Steps taken to find the sets of patterns that names reach.
const STEPS: usize = 1 << 19;

/// Names that are not declared, of one kind.
pub(super) struct OtherNames<'d> {
    pub tree: Regular,
    /// How many there are; [`UNBOUNDED`] if many.
    pub most: u32,
    /// What their values must meet.
    pub condition: Condition<'d>,
}

/// The name patterns of an object.
pub(super) struct NamePatterns {
    trees: Vec<Regular>,
    /// By pattern: those that share no name with it.
    disjoint: PatternSets,
}

impl NamePatterns {
    /// The distinct patterns of an object's rules; `is_never` tells whether a language has no text.
    pub(super) fn new(object: &ObjectSet<'_>, mut is_never: impl FnMut(&Regular) -> bool) -> Self {
        let trees = distinct_patterns(object);
        let mut disjoint = PatternSets::from_elem(0, trees.len());
        if trees.len() <= MOST_EXCLUSIVE {
            for (at, other) in (0..trees.len()).flat_map(|at| (0..at).map(move |other| (at, other))) {
                if is_never(&Regular::and([trees[other].clone(), trees[at].clone()])) {
                    disjoint[at] |= 1 << other;
                    disjoint[other] |= 1 << at;
                }
            }
        }
        Self { trees, disjoint }
    }

    /// The sets of patterns that a name can be inside of, as far as pairs of them tell; `None` if they are too many.
    fn few_overlaps(&self) -> Option<PatternSets> {
        let many = self.trees.len();
        if many > MOST_EXCLUSIVE {
            return None;
        }
        let possible = |set: &u64| (0..many).all(|at| set >> at & 1 == 0 || set & self.disjoint[at] == 0);
        let sets: PatternSets = (0..1_u64 << many).filter(possible).take((1 << MOST_PATTERNS) + 1).collect();
        (sets.len() <= 1 << MOST_PATTERNS).then_some(sets)
    }

    /// The sets of patterns that some name is inside of exactly: the automata of the patterns read all names at once.
    fn reached(&self, reader: &mut SchemaReader<'_>) -> Option<PatternSets> {
        if self.trees.len() > MOST_PATTERNS_IN_ALL {
            return None;
        }
        let automata = self.trees.iter().map(|tree| reader.automaton(tree)).collect::<Option<Vec<_>>>()?;
        let bounds: BTreeSet<u8> = automata.iter().flat_map(|one| one.classes().map(|(first, _)| first)).collect();
        let start: Vec<Step> = automata.iter().map(|automaton| automaton.start()).collect();
        let (mut met, mut open, mut steps) = (FxHashSet::from_iter([start.clone()]), vec![start], 0);
        let mut sets = BTreeSet::from([0]); // some name is outside of all of them, or no harm is done
        while let Some(at) = open.pop() {
            sets.insert((0..).zip(&at).map(|(index, step)| u64::from(step.accepting()) << index).sum());
            for &byte in &bounds {
                let next = |(automaton, step): (&Rc<Automaton>, &Step)| automaton.step(step.state(), byte);
                let next: Vec<Step> = automata.iter().zip(&at).map(next).collect();
                steps += 1;
                count(automata.len());
                if next.iter().any(|step| step.goes_on() || step.accepting()) && met.insert(next.clone()) {
                    open.push(next);
                }
            }
            if steps > STEPS || sets.len() > 1 << MOST_PATTERNS {
                return None;
            }
        }
        Some(sets.into_iter().collect())
    }
}

/// The names that are inside some patterns and outside all others.
#[derive(Clone, Copy)]
pub(super) struct Overlap<'p> {
    patterns: &'p NamePatterns,
    inside: u64,
}

impl Overlap<'_> {
    fn is_inside(self, tree: &Regular) -> bool {
        let at = self.patterns.trees.iter().position(|other| other == tree);
        at.is_some_and(|at| self.inside >> at & 1 == 1)
    }

    /// Whether these names are in a set made of the patterns.
    pub(super) fn is_in(self, names: &NameSet<'_>) -> bool {
        match names {
            NameSet::One(_) | NameSet::Kind(_) => false,
            NameSet::In(tree) => self.is_inside(tree),
            NameSet::Except { patterns, .. } => !patterns.iter().any(|tree| self.is_inside(tree)),
        }
    }

    /// The languages whose intersection is these names. Being outside of a pattern need not be said where a disjoint
    /// one has them inside.
    pub(super) fn languages(self) -> impl Iterator<Item = Regular> {
        self.patterns.trees.iter().zip(&self.patterns.disjoint).filter_map(move |(tree, disjoint)| {
            if self.is_inside(tree) {
                Some(tree.clone())
            } else {
                (disjoint & self.inside == 0).then(|| tree.clone().not())
            }
        })
    }
}

/// The patterns of an object's rules, each once.
fn distinct_patterns(object: &ObjectSet<'_>) -> Vec<Regular> {
    let mut patterns: Vec<Regular> = Vec::new();
    let mut add = |tree: &Regular| {
        if !patterns.contains(tree) {
            patterns.push(tree.clone());
        }
    };
    for rule in object.rules.iter().chain(&object.existentials) {
        match &rule.names {
            NameSet::In(tree) => add(tree),
            NameSet::Except { patterns, .. } => patterns.iter().for_each(&mut add),
            NameSet::One(_) | NameSet::Kind(_) => {}
        }
    }
    patterns
}

impl<'d> GraphBuilder<'_, 'd> {
    /// The kinds of undeclared members.
    pub(super) fn undeclared(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        declared: &Declared<'d>,
    ) -> Result<UndeclaredKinds> {
        let patterns = NamePatterns::new(object, |tree| self.reader.is_never(tree));
        let mut kinds = UndeclaredKinds::new();
        for overlap in self.overlaps(&patterns, whole)? {
            kinds.extend(self.undeclared_kind(object, whole, overlap, declared));
        }
        Ok(kinds)
    }

    /// The names of undeclared members and what their values must meet, by kind.
    pub(super) fn undeclared_names(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        declared: &Declared<'d>,
    ) -> Result<Vec<OtherNames<'d>>> {
        let patterns = NamePatterns::new(object, |tree| self.reader.is_never(tree));
        let overlaps = self.overlaps(&patterns, whole)?;
        Ok(overlaps.filter_map(|overlap| self.other_names(object, whole, overlap, declared)).collect())
    }

    /// The ways in which a name can be inside and outside of patterns.
    pub(super) fn overlaps<'p>(
        &mut self,
        patterns: &'p NamePatterns,
        whole: Condition<'d>,
    ) -> Result<impl Iterator<Item = Overlap<'p>> + use<'p, 'd>> {
        let sets = patterns.few_overlaps().or_else(|| patterns.reached(self.reader)).ok_or_else(|| {
            let what =
                format!("{} name patterns meet in one object and overlap in too many ways", patterns.trees.len());
            Error::unsupported(&self.reader.pointer_of(whole), what)
                .hint("make the patterns of patternProperties fewer, or such that they do not overlap")
        })?;
        Ok(sets.into_iter().map(|inside| Overlap { patterns, inside }))
    }

    /// The members whose names are in an overlap, if there are such names and they may have a value.
    fn undeclared_kind(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        overlap: Overlap<'_>,
        declared: &Declared<'d>,
    ) -> Option<UndeclaredKind> {
        let OtherNames { tree, most, condition } = self.other_names(object, whole, overlap, declared)?;
        let name = self.graph.leaf(Leaf { tree, encoding: Encoding::Json(Escapes::Unique) });
        let value = self.node(condition);
        let meets: Vec<bool> = object.existentials.iter().map(|some| overlap.is_in(&some.names)).collect();
        let witnesses = self.witnesses(object, condition, &meets);
        Some(UndeclaredKind { name, most, value, witnesses })
    }

    /// The names that are in an overlap, if there are some and they may have a value.
    fn other_names(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        overlap: Overlap<'_>,
        declared: &Declared<'d>,
    ) -> Option<OtherNames<'d>> {
        let arena = self.reader.arena;
        let rules = object.rules.iter().filter(|rule| overlap.is_in(&rule.names));
        let condition = rules.fold(Condition::default(), |all, rule| conjoin_in(arena, all, rule.condition));
        if is_never(condition) {
            return None;
        }
        let tree = self.names_of_kind(object, whole, overlap);
        if self.reader.is_never(&tree) {
            return None;
        }
        let most = self.names_left(&tree, declared);
        (most > 0).then_some(OtherNames { tree, most, condition })
    }

    /// The names of undeclared members in an overlap.
    pub(super) fn names_of_kind(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        overlap: Overlap<'_>,
    ) -> Regular {
        let tree = Regular::and(object.names.iter().map(StringSet::tree).chain(overlap.languages()));
        let tree = self.in_alphabet(tree, &object.names, Texts::Names, whole);
        let Some(writable) = notated::writable_names(&self.options.notation) else { return tree };
        if self.reader.tells_places() && !self.reader.is_never(&Regular::and([tree.clone(), writable.clone().not()])) {
            self.reader.note_characters_of_names(whole);
        }
        Regular::and([tree, writable])
    }

    /// Declares the names of patterns that have finitely many: whether a member can still meet an existential constraint
    /// is then known by whether it came. False if they are too many for witnesses of each.
    pub(super) fn declare_few(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        names: &mut Declared<'d>,
    ) -> Result<bool> {
        let patterns = NamePatterns::new(object, |tree| self.reader.is_never(tree));
        for overlap in self.overlaps(&patterns, whole)? {
            let tree = self.names_of_kind(object, whole, overlap);
            let few = self.few_names(&tree).unwrap_or_default();
            if few.len() > MOST_DECLARED {
                return Ok(false);
            }
            for name in few {
                names.add(name, 0);
            }
        }
        Ok(true)
    }

    /// The names of a kind, if they are at most [`MOST_NAMES`].
    pub(super) fn few_names(&mut self, tree: &Regular) -> Option<Vec<&'d str>> {
        if tree.is_plainly_infinite() { None } else { self.reader.texts(tree, MOST_NAMES) }
    }

    /// How many texts of `tree` are not declared names; [`UNBOUNDED`] if many.
    fn names_left(&mut self, tree: &Regular, declared: &Declared<'d>) -> u32 {
        if tree.is_plainly_infinite() {
            return UNBOUNDED;
        }
        match self.reader.count(tree, MOST_NAMES as u32) {
            many if many >= MOST_NAMES as u32 => UNBOUNDED,
            few => few - declared.iter().filter(|name| self.reader.accepts(tree, name)).count() as u32,
        }
    }
}
