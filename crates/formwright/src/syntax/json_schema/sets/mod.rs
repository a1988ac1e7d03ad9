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
//! Child values are not expanded here: they are [`Condition`]s on sub-schemas. Cost: that of the products ([`union`]).
//! Wrinkle: a product may be cut, and some formats leave texts out. Such a set is an under-approximation of what is
//! meant; beside it stands an over-approximation, because only that one has a complement that is surely forbidden.

mod arrays;
mod condition;
mod objects;
mod strings;
mod union;

use std::rc::Rc;

use super::number::NumberSet;
use crate::regular::Regular;
pub use arrays::{ArraySet, Contains};
pub use condition::{Atom, Condition, NEVER, OwnedCondition, SchemaId, conjoin, conjoin_in, is_never};
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
    /// Where this set is an under-approximation, a superset of what is meant, which is none itself.
    pub superset: Option<Rc<ValueSet<'d>>>,
}

/// A set has a complement that cannot be written.
#[derive(Clone, Copy, Debug)]
pub struct NoComplement;

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

    pub fn or(mut self, other: &Self) -> Self {
        if self.is_under_approximation() || other.is_under_approximation() {
            self.superset = Some(Rc::new(self.over_approximation().clone().or(other.over_approximation())));
        }
        self.null |= other.null;
        self.yes |= other.yes;
        self.no |= other.no;
        self.strings = std::mem::replace(&mut self.strings, StringSet::none()).or(&other.strings);
        extend_new(&mut self.numbers, &other.numbers);
        extend_new(&mut self.arrays, &other.arrays);
        extend_new(&mut self.objects, &other.objects);
        self
    }

    /// What is in both. `accepts` decides whether a language has a text.
    pub fn and(&self, other: &Self, rules: ProductRules<'d>, accepts: &mut impl FnMut(&Regular, &str) -> bool) -> Self {
        let mut is_partial = self.is_under_approximation() || other.is_under_approximation();
        let mut both = Self {
            null: self.null && other.null,
            yes: self.yes && other.yes,
            no: self.no && other.no,
            strings: self.strings.and(&other.strings, accepts),
            numbers: product(&self.numbers, &other.numbers, rules, &mut is_partial),
            arrays: product(&self.arrays, &other.arrays, rules, &mut is_partial),
            objects: product(&self.objects, &other.objects, rules, &mut is_partial),
            superset: None,
        };
        if is_partial {
            let supersets = [self.over_approximation(), other.over_approximation()];
            both.superset = supersets.into_iter().min_by_key(|set| set.breadth()).cloned().map(Rc::new);
        }
        both
    }

    /// How much a set seems to allow, for a choice between two.
    fn breadth(&self) -> (bool, usize) {
        let strings = match &self.strings {
            StringSet::Finite(_) => 0,
            StringSet::Regular(_) => 1,
        };
        (*self == Self::any(), strings + self.numbers.len() + self.arrays.len() + self.objects.len())
    }

    /// Every value that is not meant; some of them, if this is an under-approximation. `negate` gives the complement of
    /// a condition.
    ///
    /// # Errors
    /// When this set asks for unique items, or its over-approximation leaves nothing outside.
    pub fn complement(
        &self,
        rules: ProductRules<'d>,
        negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>,
    ) -> Result<Self, NoComplement> {
        let Self { null, yes, no, numbers: all_numbers, strings, arrays: all_arrays, objects: all_objects, .. } =
            self.over_approximation();
        let mut is_partial = self.is_under_approximation();
        let mut numbers = lone(NumberSet::default());
        for set in all_numbers {
            numbers = product(&numbers, &shared(set.complement()), rules, &mut is_partial);
        }
        let mut arrays = lone(ArraySet::any());
        for array in all_arrays {
            let outside = array.complement(negate).ok_or(NoComplement)?;
            arrays = product(&arrays, &shared(outside), rules, &mut is_partial);
        }
        let mut objects = lone(ObjectSet::any());
        for object in all_objects {
            objects = product(&objects, &shared(object.complement(negate)), rules, &mut is_partial);
        }
        let strings = strings.complement();
        let mut complement =
            Self { null: !null, yes: !yes, no: !no, numbers, strings, arrays, objects, superset: None };
        if is_partial && complement == Self::never() {
            return Err(NoComplement);
        }
        complement.superset = is_partial.then(|| Rc::new(Self::any()));
        Ok(complement)
    }
}
