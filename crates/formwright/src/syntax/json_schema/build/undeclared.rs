//! Undeclared members: one kind for each way in which the name patterns of an object can overlap.
//!
//! ```text
//! patternProperties ^x: A, y$: B     ^x ∧ y$: A∧B     ^x ∧ ¬y$: A     ¬^x ∧ y$: B     ¬^x ∧ ¬y$: any
//! ```
//!
//! Cost: exponential in the number of patterns that overlap, so these are few; patterns of which no two share a name
//! make one kind each. Wrinkle: names are written in their one form, so a declared or used name cannot come again in
//! another.

use smallvec::SmallVec;

use super::GraphBuilder;
use super::alphabet::Texts;
use super::declared::Declared;
use super::objects::MOST_NAMES;
use crate::error::{Error, Result};
use crate::language::{Leaf, UNBOUNDED, UndeclaredKind, UndeclaredKinds};
use crate::regular::{Encoding, Escapes, Regular};
use crate::syntax::json_schema::sets::{Condition, NameSet, ObjectSet, StringSet, conjoin_in, is_never};

/// Most patterns in one object that may all overlap.
const MOST_PATTERNS: usize = 8;

/// Most patterns in one object, if few of them overlap.
const MOST_EXCLUSIVE: usize = 16;

/// Sets of patterns, a bit for each.
type PatternSets = SmallVec<[u32; 4]>;

/// The name patterns of an object.
struct NamePatterns {
    trees: Vec<Regular>,
    /// By pattern: those that share no name with it.
    disjoint: PatternSets,
}

impl NamePatterns {
    /// The distinct patterns of an object's rules; `is_never` tells whether a language has no text.
    fn new(object: &ObjectSet<'_>, mut is_never: impl FnMut(&Regular) -> bool) -> Self {
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
    fn overlaps(&self) -> Option<PatternSets> {
        let many = self.trees.len();
        if many > MOST_EXCLUSIVE {
            return None;
        }
        let possible = |set: &u32| (0..many).all(|at| set >> at & 1 == 0 || set & self.disjoint[at] == 0);
        let sets: PatternSets = (0..1 << many).filter(possible).take((1 << MOST_PATTERNS) + 1).collect();
        (sets.len() <= 1 << MOST_PATTERNS).then_some(sets)
    }
}

/// The names that are inside some patterns and outside all others.
#[derive(Clone, Copy)]
struct Overlap<'p> {
    patterns: &'p NamePatterns,
    inside: u32,
}

impl Overlap<'_> {
    fn is_inside(self, tree: &Regular) -> bool {
        let at = self.patterns.trees.iter().position(|other| other == tree);
        at.is_some_and(|at| self.inside >> at & 1 == 1)
    }

    /// Whether these names are in a set made of the patterns.
    fn is_in(self, names: &NameSet<'_>) -> bool {
        match names {
            NameSet::One(_) => false,
            NameSet::In(tree) => self.is_inside(tree),
            NameSet::Except { patterns, .. } => !patterns.iter().any(|tree| self.is_inside(tree)),
        }
    }

    /// The languages whose intersection is these names. Being outside of a pattern need not be said where a disjoint
    /// one has them inside.
    fn languages(self) -> impl Iterator<Item = Regular> {
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
            NameSet::One(_) => {}
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
        let Some(overlaps) = patterns.overlaps() else {
            let what = format!(
                "{} name patterns meet in one object; at most {MOST_PATTERNS} that overlap can be told apart",
                patterns.trees.len()
            );
            return Err(Error::unsupported(&self.reader.pointer_of(whole), what));
        };
        let mut kinds = UndeclaredKinds::with_capacity(overlaps.len());
        for inside in overlaps {
            kinds.extend(self.undeclared_kind(object, whole, Overlap { patterns: &patterns, inside }, declared));
        }
        Ok(kinds)
    }

    /// The members whose names are in an overlap, if there are such names and they may have a value.
    fn undeclared_kind(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        overlap: Overlap<'_>,
        declared: &Declared<'d>,
    ) -> Option<UndeclaredKind> {
        let arena = self.reader.arena;
        let rules = object.rules.iter().filter(|rule| overlap.is_in(&rule.names));
        let condition = rules.fold(Condition::default(), |all, rule| conjoin_in(arena, all, rule.condition));
        if is_never(condition) {
            return None;
        }
        let tree = Regular::and(object.names.iter().map(StringSet::tree).chain(overlap.languages()));
        let tree = self.in_alphabet(tree, &object.names, Texts::Names, whole);
        if self.reader.is_never(&tree) {
            return None;
        }
        let most = self.names_left(&tree, declared);
        if most == 0 {
            return None;
        }
        let name = self.graph.leaf(Leaf { tree, encoding: Encoding::Json(Escapes::Unique) });
        let value = self.node(condition);
        let meets: Vec<bool> = object.existentials.iter().map(|some| overlap.is_in(&some.names)).collect();
        let witnesses = self.witnesses(object, condition, &meets);
        Some(UndeclaredKind { name, most, value, witnesses })
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
