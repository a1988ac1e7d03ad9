//! Classes of values: what conditions about one member tell apart.
//!
//! ```text
//! asked: is "a", is not "a", is a string     "a": 1st, 3rd     another string: 2nd, 3rd     no string: 2nd
//! ```
//!
//! Cost: a look at each class for each condition; conditions that ask for a few texts are decided in one step.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

use super::super::GraphBuilder;
use super::subjects::{Class, Subject};
use crate::error::{Error, Result};
use crate::language::Values;
use crate::syntax::json_schema::read::PROBE;
use crate::syntax::json_schema::sets::{Condition, ValueSet, conjoin_in};

/// Classes that are all told apart beforehand.
const FEW_CLASSES: usize = 64;

/// Conditions on one value whose classes are always told apart beforehand: two and their complements.
const FEW_CONDITIONS: usize = 4;

/// Most classes of the values of one member. Tags have one for each of their values.
const MOST_CLASSES: usize = 1 << 10;

impl<'d> GraphBuilder<'_, 'd> {
    /// Splits the values of a subject into classes.
    pub(super) fn classify(&mut self, subject: &mut Subject<'d, '_>, whole: Condition<'d>) -> Result<()> {
        let asked = subject.asked.clone();
        if subject.name.is_some()
            && asked.len() > FEW_CONDITIONS
            && !asked.iter().all(|condition| self.is_scalar(condition))
        {
            // Complements of containers are large: only those sets of conditions are made that the formula asks for.
            subject.promises = true;
            return Ok(());
        }
        let complements: Vec<Option<usize>> = (0..asked.len()).map(|at| self.complement_of(&asked, at)).collect();
        let (mut classes, done) = self.classes_by_text(subject.base, &asked, &complements);
        for (at, complement) in complements.iter().enumerate() {
            if complement.is_some_and(|other| other < at) || done.contains(at as u32) {
                continue;
            }
            let mut split: Vec<Class<'d>> = Vec::with_capacity(classes.len() + 1);
            for class in classes {
                self.split_class(&asked, (at, *complement), class, &mut split);
            }
            classes = split;
            if classes.len() > FEW_CLASSES && subject.name.is_some() && classes.len() > 2 * asked.len() {
                subject.promises = true;
                return Ok(());
            }
            self.bound_classes(subject.name, classes.len(), whole)?;
        }
        subject.classes = classes;
        Ok(())
    }

    /// Whether no value that meets a condition is an object or an array.
    fn is_scalar(&mut self, condition: Condition<'d>) -> bool {
        let scalar = |set: &Rc<ValueSet<'_>>| set.objects.is_empty() && set.arrays.is_empty();
        let negated = self.reader.negate(condition);
        self.reader.values(condition).is_ok_and(|set| scalar(&set))
            || self.reader.values(negated).is_ok_and(|set| scalar(&set))
    }

    pub(super) fn bound_classes(&self, name: Option<&str>, classes: usize, whole: Condition<'d>) -> Result<()> {
        if classes <= MOST_CLASSES {
            return Ok(());
        }
        let (name, pointer) = (name.unwrap_or("undeclared members"), self.reader.pointer_of(whole));
        Err(Error::limit("conditions", classes, MOST_CLASSES)
            .hint(format!("make fewer conditions about the values of {name:?} at {pointer:?}")))
    }

    /// One class for each set of conditions that ask for a few texts and that share some, one for all other values, and
    /// the conditions that are decided by that. Tags of many values are told apart in one step.
    fn classes_by_text(
        &mut self,
        base: Condition<'d>,
        asked: &[Condition<'d>],
        complements: &[Option<usize>],
    ) -> (Vec<Class<'d>>, Values) {
        let (mut by_text, mut finite, mut done): (IndexMap<&'d str, Values>, Values, Values) = Default::default();
        for (at, condition) in asked.iter().enumerate() {
            let Some(set) = self.reader.only_texts(condition) else { continue };
            finite.insert(at as u32);
            done.extend(&complements[at].map(|other| other as u32).into_iter().chain([at as u32]).collect());
            for text in set.strings.listed() {
                by_text.entry(text).or_default().insert(at as u32);
            }
        }
        let mut signatures: IndexSet<Values> = by_text.into_values().collect();
        signatures.sort_by_key(Values::len);
        let several: Vec<Values> = signatures.iter().filter(|met| met.len() > 1).cloned().collect();
        let (arena, mut classes, mut others) = (self.reader.arena, Vec::new(), base);
        let mut missed = Values::default();
        for at in finite.iter() {
            if let Some(other) = complements[at as usize] {
                others = conjoin_in(arena, others, asked[other]);
                missed.insert(other as u32);
            }
        }
        for met in signatures {
            let mut values = met.iter().fold(base, |all, at| conjoin_in(arena, all, asked[at as usize]));
            let mut promised = met.clone();
            for at in finite.iter().filter(|&at| !met.contains(at)) {
                let Some(other) = complements[at as usize] else { continue };
                promised.insert(other as u32);
                // Texts of these conditions that meet more of them have a class of their own.
                if several.iter().any(|more| more.contains(at) && met.iter().all(|at| more.contains(at))) {
                    values = conjoin_in(arena, values, asked[other]);
                }
            }
            classes.push((values, promised));
        }
        classes.push((others, missed));
        (classes, done)
    }

    /// Of some conditions, the one that is exactly the complement of another, if there is one.
    fn complement_of(&mut self, all: &[Condition<'d>], at: usize) -> Option<usize> {
        let negated = self.reader.negate(all[at]);
        let other = all.iter().position(|other| *other == negated)?;
        let mut is_exact = |at: usize| self.reader.values(all[at]).is_ok_and(|set| !set.is_under_approximation());
        (is_exact(at) && is_exact(other)).then_some(other)
    }

    /// Splits a class by a condition, and by its complement if that is asked about too.
    fn split_class(
        &mut self,
        asked: &[Condition<'d>],
        (at, complement): (usize, Option<usize>),
        (values, met): Class<'d>,
        out: &mut Vec<Class<'d>>,
    ) {
        let arena = self.reader.arena;
        let with = |met: &Values, at: usize| {
            let mut met = met.clone();
            met.insert(at as u32);
            met
        };
        let inside = conjoin_in(arena, values, asked[at]);
        if self.reader.condition_is_empty(inside, PROBE) {
            out.push((values, complement.map_or_else(|| met.clone(), |other| with(&met, other))));
            return;
        }
        let negated = self.reader.negate(asked[at]);
        let outside = conjoin_in(arena, values, negated);
        if inside == values || self.reader.condition_is_empty(outside, PROBE) {
            out.push((values, with(&met, at)));
            return;
        }
        out.push((inside, with(&met, at)));
        out.push(match complement {
            Some(other) => (outside, with(&met, other)),
            None => (values, met),
        });
    }

    /// The classes of a value of which some sets of promises are asked.
    pub(super) fn classify_by_promises(&mut self, subject: &mut Subject<'d, '_>, ways: Vec<Values>) {
        let arena = self.reader.arena;
        let class = |met: Values| {
            let all = met.iter().fold(subject.base, |all, at| conjoin_in(arena, all, subject.asked[at as usize]));
            (all, met)
        };
        subject.classes = ways.into_iter().map(class).collect();
    }
}
