//! The algebra of schemas: sets of JSON values in disjunctive normal form.
//!
//! A [`ValueSet`] is split by type. Each part is a union of conjunctions, and intersection, union and complement stay
//! inside this form:
//!
//! ```text
//! numbers   intervals with divisibility
//! strings   a finite set, or a regular language of the decoded text
//! arrays    items by position, counts, "2 to 4 items are in ..."
//! objects   rules "members named K have values in F", required names, counts, "some member is in ..."
//! ```
//!
//! Child values are not expanded here: they are [`Condition`]s on sub-schemas. Where a product of objects would be too
//! large, its factors are kept as a [formula](Formula) instead. Cost: that of the products ([`union`]).
//!
//! Some formats leave texts out, and not all readers assert formats. Such a set is an under-approximation of what is
//! meant; beside it is an over-approximation, because only that one has a complement that is surely forbidden.

mod arrays;
mod condition;
mod formula;
mod objects;
mod strings;
mod union;

use std::rc::Rc;

use super::number::NumberSet;
use crate::error::{Error, Result};
use crate::regular::Regular;
pub use arrays::{ArraySet, Contains};
pub use condition::{Atom, Condition, NEVER, OwnedCondition, SchemaId, conjoin, conjoin_in, is_never};
pub use formula::{FALSE, Formula, FormulaId, Formulas, TRUE};
pub use objects::{NameSet, ObjectSet, Rule};
pub use strings::StringSet;
pub use union::{ProductRules, Union, lone};
use union::{extend_new, product, shared};

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // null, true, false: three values, present or not
pub struct ValueSet<'d> {
    pub null: bool,
    pub yes: bool,
    pub no: bool,
    pub numbers: Union<NumberSet>,
    pub strings: StringSet<'d>,
    pub arrays: Union<ArraySet<'d>>,
    pub objects: Union<ObjectSet<'d>>,
    /// What each of these objects must meet besides: [`TRUE`], unless alternatives would be too many when multiplied.
    pub formula: FormulaId,
    /// Where this set is an under-approximation, a superset of what is meant, which is none itself.
    pub superset: Option<Rc<ValueSet<'d>>>,
}

impl<'d> ValueSet<'d> {
    /// No value.
    pub fn never() -> Self {
        Self {
            null: false,
            yes: false,
            no: false,
            numbers: Union::new(),
            strings: StringSet::none(),
            arrays: Union::new(),
            objects: Union::new(),
            formula: TRUE,
            superset: None,
        }
    }

    /// Every value.
    pub fn any() -> Self {
        Self {
            null: true,
            yes: true,
            no: true,
            numbers: lone(NumberSet::default()),
            strings: StringSet::all(),
            arrays: lone(ArraySet::any()),
            objects: lone(ObjectSet::any()),
            formula: TRUE,
            superset: None,
        }
    }

    /// What is left without the types that `base` has no value of.
    pub fn of_types(self: Rc<Self>, base: &Self) -> Rc<Self> {
        let strings = base.strings.is_none() && !self.strings.is_none();
        let numbers = base.numbers.is_empty() && !self.numbers.is_empty();
        let arrays = base.arrays.is_empty() && !self.arrays.is_empty();
        let objects = base.objects.is_empty() && !self.objects.is_empty();
        let words = self.null && !base.null || self.yes && !base.yes || self.no && !base.no;
        if !(strings || numbers || arrays || objects || words) {
            return self;
        }
        let mut left = Rc::unwrap_or_clone(self);
        left.null &= base.null;
        left.yes &= base.yes;
        left.no &= base.no;
        if strings {
            left.strings = StringSet::none();
        }
        if numbers {
            left.numbers.clear();
        }
        if arrays {
            left.arrays.clear();
        }
        if objects {
            left.objects.clear();
            left.formula = TRUE;
        }
        left.superset = left.superset.map(|superset| superset.of_types(base));
        Rc::new(left)
    }

    /// Whether values are missing that are meant.
    pub fn is_under_approximation(&self) -> bool {
        self.superset.is_some()
    }

    /// All values that are meant, and perhaps more.
    pub fn over_approximation(&self) -> &Self {
        self.superset.as_deref().unwrap_or(self)
    }

    /// What objects of this set must meet.
    pub fn object_formula(&self, formulas: &mut Formulas<'d>) -> FormulaId {
        formulas.of_union(&self.objects, self.formula)
    }

    pub fn or(mut self, other: &Self, formulas: &mut Formulas<'d>) -> Self {
        if self.is_under_approximation() || other.is_under_approximation() {
            let over = self.over_approximation().clone().or(other.over_approximation(), formulas);
            self.superset = Some(Rc::new(over));
        }
        self.null |= other.null;
        self.yes |= other.yes;
        self.no |= other.no;
        self.strings = std::mem::replace(&mut self.strings, StringSet::none()).or(&other.strings);
        extend_new(&mut self.numbers, &other.numbers);
        extend_new(&mut self.arrays, &other.arrays);
        if (self.formula, other.formula) == (TRUE, TRUE) {
            extend_new(&mut self.objects, &other.objects);
        } else {
            let either = [self.object_formula(formulas), other.object_formula(formulas)];
            let either = formulas.disjunction(either);
            self.set_objects(lone(ObjectSet::any()), either);
        }
        self
    }

    /// The same values, of which nothing says which members and items are evaluated.
    #[must_use]
    pub fn without_evaluations(mut self, formulas: &mut Formulas<'d>) -> Self {
        for object in &mut self.objects {
            Rc::make_mut(object).evaluated.clear();
        }
        for array in &mut self.arrays {
            let array = Rc::make_mut(array);
            (array.evaluated, array.evaluated_if) = (0, Vec::new());
        }
        self.formula = formulas.without_evaluations(self.formula);
        self
    }

    /// Makes the objects of this set those of `objects` that meet a formula.
    pub fn set_objects(&mut self, objects: Union<ObjectSet<'d>>, formula: FormulaId) {
        (self.objects, self.formula) =
            if formula == FALSE || objects.is_empty() { (Union::new(), TRUE) } else { (objects, formula) };
    }

    /// What is in both. `accepts` decides whether a language has a text.
    ///
    /// # Errors
    /// When numbers or arrays have too many alternatives.
    pub fn and(
        &self,
        other: &Self,
        rules: ProductRules<'d>,
        formulas: &mut Formulas<'d>,
        accepts: &mut impl FnMut(&Regular, &str) -> bool,
    ) -> Result<Self> {
        let mut both = self.met(other, rules, formulas, accepts)?;
        if self.is_under_approximation() || other.is_under_approximation() {
            let over = self.over_approximation().met(other.over_approximation(), rules, formulas, accepts)?;
            both.superset = (over != both).then(|| Rc::new(over));
        }
        Ok(both)
    }

    /// What is in both, without a superset.
    fn met(
        &self,
        other: &Self,
        rules: ProductRules<'d>,
        formulas: &mut Formulas<'d>,
        accepts: &mut impl FnMut(&Regular, &str) -> bool,
    ) -> Result<Self> {
        let mut both = Self {
            null: self.null && other.null,
            yes: self.yes && other.yes,
            no: self.no && other.no,
            strings: self.strings.and(&other.strings, accepts),
            numbers: bounded(product(&self.numbers, &other.numbers, MOST_INTERVALS, rules), MOST_INTERVALS)?,
            arrays: bounded(product(&self.arrays, &other.arrays, MOST_ARRAYS, rules), MOST_ARRAYS)?,
            ..Self::never()
        };
        let formula = formulas.conjunction([self.formula, other.formula]);
        if let Some(objects) = product(&self.objects, &other.objects, rules.limit, rules) {
            both.set_objects(objects, formula);
        } else {
            let parts = [self.object_formula(formulas), other.object_formula(formulas)];
            let formula = formulas.conjunction(parts);
            both.set_objects(lone(ObjectSet::any()), formula);
        }
        Ok(both)
    }

    /// Every value that is not meant; some of them, if this is an under-approximation. `negate` gives the complement of
    /// a condition.
    ///
    /// # Errors
    /// `None` when this set asks for unique items; otherwise as [`ValueSet::and`].
    pub fn complement(
        &self,
        rules: ProductRules<'d>,
        formulas: &mut Formulas<'d>,
        negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>,
    ) -> Result<Option<Self>> {
        let Some(mut outside) = self.over_approximation().outside(rules, formulas, negate)? else { return Ok(None) };
        if self.is_under_approximation() {
            let over = self.outside(rules, formulas, negate)?.unwrap_or_else(Self::any);
            outside.superset = (over != outside).then(|| Rc::new(over));
        }
        Ok(Some(outside))
    }

    /// Every other value, without a superset.
    fn outside(
        &self,
        rules: ProductRules<'d>,
        formulas: &mut Formulas<'d>,
        negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>,
    ) -> Result<Option<Self>> {
        let mut outside = Self::any();
        for set in &self.numbers {
            let factor = shared(set.complement());
            outside.numbers = bounded(product(&outside.numbers, &factor, MOST_INTERVALS, rules), MOST_INTERVALS)?;
        }
        for array in &self.arrays {
            let Some(factor) = array.complement(negate) else { return Ok(None) };
            outside.arrays = bounded(product(&outside.arrays, &shared(factor), MOST_ARRAYS, rules), MOST_ARRAYS)?;
        }
        let multiplied = (self.formula == TRUE).then(|| {
            self.objects.iter().try_fold(outside.objects.clone(), |outside, object| {
                product(&outside, &shared(object.complement(negate)), rules.limit, rules)
            })
        });
        if let Some(objects) = multiplied.flatten() {
            outside.objects = objects;
        } else {
            let formula = self.object_formula(formulas);
            let formula = formulas.complement(formula, negate);
            outside.set_objects(lone(ObjectSet::any()), formula);
        }
        let Self { null, yes, no, strings, .. } = self;
        Ok(Some(Self { null: !null, yes: !yes, no: !no, strings: strings.complement(), ..outside }))
    }
}

/// Most intervals of numbers in one place.
const MOST_INTERVALS: usize = 1 << 14;

/// Most alternatives of arrays in one place.
const MOST_ARRAYS: usize = 1 << 10;

/// A product, or the bound that it exceeds.
fn bounded<T>(product: Option<Union<T>>, most: usize) -> Result<Union<T>> {
    product.ok_or_else(|| Error::limit("alternatives", most + 1, most))
}
