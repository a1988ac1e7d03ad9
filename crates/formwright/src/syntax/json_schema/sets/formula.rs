//! Formulas over the members of an object: what a union of conjunctions is when multiplying it out would be too much.
//!
//! ```text
//! {"allOf": [{"not": {"required": ["a", "b"]}}, {"not": {"required": ["c", "d"]}}]}
//!     (lacks a ∨ lacks b) ∧ (lacks c ∨ lacks d): two clauses here, four conjunctions in normal form
//! ```
//!
//! Formulas are hash-consed and positive: a complement turns them over down to the units, of which each has a unit as
//! its complement. So conditions of any number cost what their text costs, and nothing has to be left out.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::condition::{Condition, is_never};
use super::objects::{NameSet, ObjectSet};
use super::union::Union;
use crate::language::UNBOUNDED;

/// Index of a formula in [`Formulas`].
pub type FormulaId = u32;

/// What one formula says about an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<'d> {
    /// All of these.
    All(Box<[FormulaId]>),
    /// At least one of these.
    Any(Box<[FormulaId]>),
    /// There is a member of this name.
    Has(&'d str),
    /// There is none.
    Lacks(&'d str),
    /// Every member with such a name has such a value.
    Each(NameSet<'d>, Condition<'d>),
    /// Some member with such a name has such a value.
    Some(NameSet<'d>, Condition<'d>),
    /// There are at least so many members.
    AtLeast(u32),
    /// There are at most so many.
    AtMost(u32),
    /// Always true; members with such a name are evaluated where it is.
    Evaluates(NameSet<'d>),
    /// Every member that `of` does not evaluate meets the condition.
    EachUnevaluated(FormulaId, Condition<'d>),
    /// Some member that `of` does not evaluate meets the condition.
    SomeUnevaluated(FormulaId, Condition<'d>),
}

/// The formula that every object meets.
pub const TRUE: FormulaId = 0;

/// The formula that no object meets.
pub const FALSE: FormulaId = 1;

/// All formulas of a schema, each once.
#[derive(Debug)]
pub struct Formulas<'d> {
    /// [`TRUE`] and [`FALSE`].
    truths: [Formula<'d>; 2],
    /// All others.
    all: Vec<Formula<'d>>,
    ids: FxHashMap<Formula<'d>, FormulaId>,
    complements: FxHashMap<FormulaId, FormulaId>,
    /// Whether some formula evaluates members.
    evaluates: bool,
}

impl Default for Formulas<'_> {
    fn default() -> Self {
        Self {
            truths: [Formula::All(Box::default()), Formula::Any(Box::default())],
            all: Vec::new(),
            ids: FxHashMap::default(),
            complements: FxHashMap::default(),
            evaluates: false,
        }
    }
}

impl<'d> Formulas<'d> {
    fn intern(&mut self, formula: Formula<'d>) -> FormulaId {
        if let Some(truth) = self.truths.iter().position(|truth| *truth == formula) {
            return truth as FormulaId;
        }
        let next = (self.truths.len() + self.all.len()) as FormulaId;
        let id = *self.ids.entry(formula.clone()).or_insert(next);
        if id == next {
            self.all.push(formula);
        }
        id
    }

    /// What a formula says.
    pub fn get(&self, id: FormulaId) -> &Formula<'d> {
        let id = id as usize;
        self.truths.get(id).unwrap_or_else(|| &self.all[id - self.truths.len()])
    }

    /// A formula that is not a conjunction or disjunction.
    pub fn unit(&mut self, unit: Formula<'d>) -> FormulaId {
        match unit {
            Formula::Each(_, [])
            | Formula::EachUnevaluated(_, [])
            | Formula::AtLeast(0)
            | Formula::AtMost(UNBOUNDED) => TRUE,
            Formula::Each(NameSet::One(name), condition) if is_never(condition) => self.intern(Formula::Lacks(name)),
            Formula::Some(_, condition) | Formula::SomeUnevaluated(_, condition) if is_never(condition) => FALSE,
            Formula::Some(NameSet::One(name), []) => self.intern(Formula::Has(name)),
            unit => {
                self.evaluates |= matches!(unit, Formula::Evaluates(_));
                self.intern(unit)
            }
        }
    }

    /// The conjunction of some formulas. Their order is kept: members are declared in the order in which they are met.
    pub fn conjunction(&mut self, of: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let mut parts: IndexSet<FormulaId, FxBuildHasher> = IndexSet::default();
        for id in of {
            match self.get(id) {
                Formula::All(inner) => parts.extend(inner),
                _ => drop(parts.insert(id)),
            }
        }
        match parts.into_iter().collect::<Vec<_>>()[..] {
            [only] => only,
            ref parts if parts.contains(&FALSE) => FALSE,
            ref parts => self.intern(Formula::All(parts.into())),
        }
    }

    /// The disjunction of some formulas. Which of them evaluated a member can matter, so that a disjunction with a
    /// formula that is always true is kept if another part evaluates something.
    pub fn disjunction(&mut self, of: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let mut parts: IndexSet<FormulaId, FxBuildHasher> = IndexSet::default();
        for id in of {
            match self.get(id) {
                Formula::Any(inner) => parts.extend(inner),
                _ => drop(parts.insert(id)),
            }
        }
        match parts.into_iter().collect::<Vec<_>>()[..] {
            [only] => only,
            ref parts if parts.contains(&TRUE) && !self.evaluates => TRUE,
            ref parts => self.intern(Formula::Any(parts.into())),
        }
    }

    /// What an object set says.
    pub fn of_object(&mut self, object: &ObjectSet<'d>) -> FormulaId {
        let mut parts = Vec::new();
        for rule in &object.rules {
            parts.push(self.unit(Formula::Each(rule.names.clone(), rule.condition)));
        }
        for name in &object.required {
            parts.push(self.unit(Formula::Has(name)));
        }
        let required = object.required.len() as u32;
        if object.low > required {
            parts.push(self.unit(Formula::AtLeast(object.low)));
        }
        parts.push(self.unit(Formula::AtMost(object.high)));
        for names in &object.names {
            let outside = NameSet::In(names.complement().tree());
            parts.push(self.unit(Formula::Each(outside, super::NEVER)));
        }
        for (a, b) in &object.implied {
            let either = [self.unit(Formula::Lacks(a)), self.unit(Formula::Has(b))];
            parts.push(self.disjunction(either));
        }
        for some in &object.existentials {
            parts.push(self.unit(Formula::Some(some.names.clone(), some.condition)));
        }
        for names in &object.evaluated {
            parts.push(self.unit(Formula::Evaluates(names.clone())));
        }
        self.conjunction(parts)
    }

    /// What a union of object sets and a further formula say together.
    pub fn of_union(&mut self, union: &Union<ObjectSet<'d>>, further: FormulaId) -> FormulaId {
        let parts: Vec<FormulaId> = union.iter().map(|object| self.of_object(object)).collect();
        let either = self.disjunction(parts);
        self.conjunction([further, either]) // what was read first comes first: so do its names
    }

    /// A formula without what it says of evaluated members.
    pub fn without_evaluations(&mut self, id: FormulaId) -> FormulaId {
        if self.evaluates { self.stripped(id, &mut FxHashMap::default()) } else { id }
    }

    /// The same, with those that are known: formulas share their parts.
    fn stripped(&mut self, id: FormulaId, known: &mut FxHashMap<FormulaId, FormulaId>) -> FormulaId {
        if let Some(&stripped) = known.get(&id) {
            return stripped;
        }
        let stripped = match self.get(id).clone() {
            Formula::All(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|&part| self.stripped(part, known)).collect();
                self.conjunction(parts.into_iter().filter(|&part| part != TRUE))
            }
            Formula::Any(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|&part| self.stripped(part, known)).collect();
                self.disjunction(parts)
            }
            Formula::Evaluates(_) => TRUE,
            _ => id,
        };
        known.insert(id, stripped);
        stripped
    }

    /// The complement of a formula; `negate` gives that of a condition. Nothing is evaluated below a negation.
    pub fn complement(&mut self, id: FormulaId, negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>) -> FormulaId {
        if let Some(&known) = self.complements.get(&id) {
            return known;
        }
        let complement = match self.get(id).clone() {
            Formula::All(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|&part| self.complement(part, negate)).collect();
                self.disjunction(parts)
            }
            Formula::Any(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|&part| self.complement(part, negate)).collect();
                self.conjunction(parts)
            }
            Formula::Has(name) => self.unit(Formula::Lacks(name)),
            Formula::Lacks(name) => self.unit(Formula::Has(name)),
            Formula::Each(names, condition) => self.unit(Formula::Some(names, negate(condition))),
            Formula::Some(names, condition) => self.unit(Formula::Each(names, negate(condition))),
            Formula::AtLeast(low) => self.unit(Formula::AtMost(low - 1)),
            Formula::AtMost(high) => self.unit(Formula::AtLeast(high + 1)),
            Formula::Evaluates(_) => FALSE,
            Formula::EachUnevaluated(of, condition) => self.unit(Formula::SomeUnevaluated(of, negate(condition))),
            Formula::SomeUnevaluated(of, condition) => self.unit(Formula::EachUnevaluated(of, negate(condition))),
        };
        self.complements.insert(id, complement);
        complement
    }
}
