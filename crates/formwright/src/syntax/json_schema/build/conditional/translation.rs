//! A formula about members as one about variables: a value of a variable is the class that its member came with.
//!
//! ```text
//! kind is "a" and x came     variable 0 in {1}, variable 1 in {1}, where 0 is "absent"
//! ```
//!
//! Bounds on the number of members are not variables: the formula is translated for each range of numbers within which they
//! say the same.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::GraphBuilder;
use super::subjects::Subject;
use crate::error::{Error, Result};
use crate::language::{
    Case, Conditions, EVERY_OBJECT, FormulaBuilder, FormulaId as Compiled, NO_OBJECT, Promise, TooHard, Values,
};
use crate::syntax::json_schema::sets::{Condition, Formula, FormulaId, NEVER, NameSet, ObjectSet};

/// Most facts about the undeclared members of one kind.
const MOST_FACTS: usize = 8;

/// A formula about members on its way to one about variables.
struct Translator<'d> {
    builder: FormulaBuilder,
    /// By set of names: the subjects whose names are in it.
    membership: FxHashMap<NameSet<'d>, Rc<[u32]>>,
    /// By formula: what was made of it, for the numbers of members at hand.
    made: FxHashMap<FormulaId, Compiled>,
}

impl<'d> GraphBuilder<'_, 'd> {
    /// A formula about members as conditions on variables; `None` if no object meets it.
    pub(super) fn compile_conditions(
        &mut self,
        base: &ObjectSet<'d>,
        formula: FormulaId,
        subjects: &mut [Subject<'d, '_>],
        whole: Condition<'d>,
    ) -> Result<Option<Conditions>> {
        let limits = &self.options.limits;
        if let Some(many) = subjects.iter().map(|subject| subject.facts.len()).find(|&many| many > MOST_FACTS) {
            return Err(self.too_hard(whole, "facts about undeclared members", many, MOST_FACTS));
        }
        let domains = subjects.iter().map(Subject::domain).collect();
        let mut translator = Translator {
            membership: FxHashMap::default(),
            builder: FormulaBuilder::new(domains, limits.condition_steps),
            made: FxHashMap::default(),
        };
        let mut cases = Vec::new();
        for (low, high) in self.counts(base, formula) {
            translator.made.clear();
            let made = self.translate(&mut translator, subjects, formula, (low, high));
            let made = made.map_err(|TooHard| self.steps_exceeded(whole))?;
            if made != NO_OBJECT {
                cases.push((low, high, made));
            }
        }
        if cases.is_empty() {
            return Ok(None);
        }
        let mut roots: Vec<Compiled> = cases.iter().map(|case| case.2).collect();
        let mentioned = translator.builder.mentioned(&roots);
        let is_required = |subject| subjects[subject as usize].name.is_some_and(|name| base.requires(name));
        let required: Vec<u32> = mentioned.iter().filter(|&subject| is_required(subject)).collect();
        for root in &mut roots {
            let with_required = translator.builder.with_all_of(*root, &required);
            *root = with_required.map_err(|TooHard| self.steps_exceeded(whole))?;
        }
        let compiled = translator.builder.compile(&roots, limits.condition_parts);
        let (parts, roots, mut ways) = compiled.map_err(|TooHard| self.steps_exceeded(whole))?;
        for at in mentioned.iter() {
            if !subjects[at as usize].promises {
                continue;
            }
            // Where compiling found that no promise matters, any value does.
            let ways = ways.remove(&at).unwrap_or_else(|| vec![Values::default()]);
            self.bound_classes(subjects[at as usize].name, ways.len(), whole)?;
            self.classify_by_promises(&mut subjects[at as usize], ways);
        }
        let cases = cases.iter().zip(roots).map(|(&(low, high, _), root)| Case { low, high, root }).collect();
        let facts = mentioned.iter().map(|at| {
            let subject = &subjects[at as usize];
            let ways = subject.classes.iter().filter(|_| subject.kind.is_some());
            ways.map(|class| subject.facts_of(class)).collect()
        });
        let (members, facts) = (mentioned.iter().collect(), facts.collect());
        let promises = mentioned.iter().map(|at| subjects[at as usize].promised()).collect();
        Ok(Some(Conditions::new(subjects.len(), members, facts, promises, parts, cases)))
    }

    /// The ranges of numbers of members within which the formula says the same of them.
    fn counts(&self, base: &ObjectSet<'d>, formula: FormulaId) -> Vec<(u32, u32)> {
        let low = if base.low as usize <= base.required.len() { 0 } else { base.low };
        let mut bounds = BTreeSet::new();
        self.each_formula(formula, |formula| match formula {
            Formula::AtLeast(low) => drop(bounds.insert(*low)),
            Formula::AtMost(high) => drop(bounds.insert(high + 1)),
            _ => {}
        });
        let inner = bounds.into_iter().filter(|&bound| bound > low && bound <= base.high);
        let firsts: Vec<u32> = std::iter::once(low).chain(inner).collect();
        let lasts = firsts.iter().skip(1).map(|next| next - 1).chain([base.high]);
        firsts.iter().copied().zip(lasts).collect()
    }

    /// What a formula says of objects with so many members.
    fn translate(
        &mut self,
        to: &mut Translator<'d>,
        subjects: &[Subject<'d, '_>],
        formula: FormulaId,
        (low, high): (u32, u32),
    ) -> std::result::Result<Compiled, TooHard> {
        if let Some(&made) = to.made.get(&formula) {
            return Ok(made);
        }
        let truth = |holds: bool| if holds { EVERY_OBJECT } else { NO_OBJECT };
        let made = match self.reader.formulas.get(formula).clone() {
            Formula::All(parts) => {
                let parts: std::result::Result<Vec<_>, _> =
                    parts.iter().map(|&part| self.translate(to, subjects, part, (low, high))).collect();
                to.builder.all(parts?)?
            }
            Formula::Any(parts) => {
                let parts: std::result::Result<Vec<_>, _> =
                    parts.iter().map(|&part| self.translate(to, subjects, part, (low, high))).collect();
                to.builder.any(parts?)?
            }
            Formula::Has(name) => self.state(to, subjects, &NameSet::One(name), Condition::default(), false)?,
            Formula::Lacks(name) => self.state(to, subjects, &NameSet::One(name), NEVER, true)?,
            Formula::Each(names, condition) => self.state(to, subjects, &names, condition, true)?,
            Formula::Some(names, condition) => self.state(to, subjects, &names, condition, false)?,
            Formula::AtLeast(least) => truth(low >= least),
            Formula::AtMost(most) => truth(high <= most),
            Formula::Evaluates(_) | Formula::EachUnevaluated(..) | Formula::SomeUnevaluated(..) => EVERY_OBJECT,
        };
        to.made.insert(formula, made);
        Ok(made)
    }

    /// "Each (or some) member with such a name meets a condition."
    fn state(
        &mut self,
        to: &mut Translator<'d>,
        subjects: &[Subject<'d, '_>],
        names: &NameSet<'d>,
        condition: Condition<'d>,
        of_each: bool,
    ) -> std::result::Result<Compiled, TooHard> {
        let inside = self.subjects_in(to, subjects, names);
        let mut literals = Vec::with_capacity(inside.len());
        for &at in inside.iter() {
            let subject = &subjects[at as usize];
            literals.push(if subject.promises {
                to.promise(at, subject, condition, of_each)?
            } else {
                to.builder.literal(at, subject.values(condition, of_each))
            });
        }
        if of_each { to.builder.all(literals) } else { to.builder.any(literals) }
    }

    /// The subjects whose names are in a set.
    fn subjects_in(&mut self, to: &mut Translator<'d>, subjects: &[Subject<'d, '_>], names: &NameSet<'d>) -> Rc<[u32]> {
        if let Some(known) = to.membership.get(names) {
            return Rc::clone(known);
        }
        let is_in = |(at, subject): &(usize, &Subject<'d, '_>)| self.is_in((*at, subject), names);
        let inside: Rc<[u32]> = subjects.iter().enumerate().filter(is_in).map(|(at, _)| at as u32).collect();
        to.membership.insert(names.clone(), Rc::clone(&inside));
        inside
    }

    fn steps_exceeded(&self, whole: Condition<'d>) -> Error {
        let allowed = self.options.limits.condition_steps;
        self.too_hard(whole, "steps to combine conditions", allowed + 1, allowed)
    }

    fn too_hard(&self, whole: Condition<'d>, what: &str, value: usize, allowed: usize) -> Error {
        let pointer = self.reader.pointer_of(whole);
        Error::limit("conditions", value, allowed).hint(format!(
            "at {pointer:?}, too many {what}: simplify oneOf, not, if and anyOf whose branches speak of the same members"
        ))
    }
}

impl<'d> Translator<'d> {
    /// What a formula says of a member whose classes are found by compiling it.
    fn promise(
        &mut self,
        at: u32,
        subject: &Subject<'d, '_>,
        condition: Condition<'d>,
        of_each: bool,
    ) -> std::result::Result<Compiled, TooHard> {
        let place = subject.asked.iter().position(|other| *other == condition);
        let met = match place {
            Some(place) => self.builder.promise(at, Promise::Meets(place as u32)),
            None if condition.is_empty() => self.builder.promise(at, Promise::Came),
            None => NO_OBJECT,
        };
        let absent = if of_each { self.builder.promise(at, Promise::Absent) } else { NO_OBJECT };
        self.builder.any([absent, met])
    }
}
