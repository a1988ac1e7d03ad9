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
use union::{Conjunct, extend_new, product, shared};
pub use union::{ProductRules, Union, lone};

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
        let mut is_cut = false;
        let mut both = self.met(other, accepts, &mut Products { rules, is_cut: &mut is_cut, keeps: Keeps::First });
        if is_cut || self.is_under_approximation() || other.is_under_approximation() {
            let (a, b) = (self.over_approximation(), other.over_approximation());
            let over = a.met(b, accepts, &mut Products { rules, is_cut: &mut is_cut, keeps: Keeps::One }).coarse();
            both.superset = (over != both).then(|| Rc::new(over));
        }
        both
    }

    /// What is in both, as far as products go; without a superset.
    fn met(
        &self,
        other: &Self,
        accepts: &mut impl FnMut(&Regular, &str) -> bool,
        products: &mut Products<'d, '_>,
    ) -> Self {
        Self {
            null: self.null && other.null,
            yes: self.yes && other.yes,
            no: self.no && other.no,
            strings: self.strings.and(&other.strings, accepts),
            numbers: products.of(&self.numbers, &other.numbers),
            arrays: products.of(&self.arrays, &other.arrays),
            objects: products.of(&self.objects, &other.objects),
            superset: None,
        }
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
        let mut is_cut = false;
        let mut first = Products { rules, is_cut: &mut is_cut, keeps: Keeps::First };
        let mut outside = self.over_approximation().outside(negate, &mut first)?;
        if is_cut || self.is_under_approximation() {
            let mut all = Products { rules, is_cut: &mut is_cut, keeps: Keeps::One };
            let over = self.outside(negate, &mut all).map_or_else(|NoComplement| Self::any(), Self::coarse);
            if outside == Self::never() && over != outside {
                return Err(NoComplement);
            }
            outside.superset = (over != outside).then(|| Rc::new(over));
        }
        Ok(outside)
    }

    /// A superset that is small enough to compute with.
    fn coarse(mut self) -> Self {
        if self.numbers.len() > MOST_OF_SUPERSET {
            self.numbers = lone(NumberSet::default());
        }
        if self.arrays.len() > MOST_OF_SUPERSET {
            self.arrays = lone(ArraySet::any());
        }
        if self.objects.len() > MOST_OF_SUPERSET {
            self.objects = lone(ObjectSet::any());
        }
        self
    }

    /// Every other value, as far as products go; without a superset.
    fn outside(
        &self,
        negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>,
        products: &mut Products<'d, '_>,
    ) -> Result<Self, NoComplement> {
        let mut outside = Self::any();
        for set in products.factors(&self.numbers) {
            outside.numbers = products.of(&outside.numbers, &shared(set.complement()));
        }
        for array in products.factors(&self.arrays) {
            let complement = array.complement(negate).ok_or(NoComplement)?;
            outside.arrays = products.of(&outside.arrays, &shared(complement));
        }
        for object in products.factors(&self.objects) {
            outside.objects = products.of(&outside.objects, &shared(object.complement(negate)));
        }
        let Self { null, yes, no, strings, .. } = self;
        Ok(Self { null: !null, yes: !yes, no: !no, strings: strings.complement(), ..outside })
    }
}

/// Most parts of a union in a superset: it tells what is surely forbidden, and need not tell all.
const MOST_OF_SUPERSET: usize = 32;

/// Most alternatives of what is too large once: a complement is a product of as many factors as the union has parts.
const MOST_WHEN_CUT: usize = 256;

/// Most parts of a union whose complements are multiplied for a superset.
const MOST_FACTORS: usize = 8;

/// What is left of a product that is too large.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    /// Its first parts: fewer values.
    First,
    /// The factor with fewer parts: more values.
    One,
}

/// Products of unions, and whether one was too large.
struct Products<'d, 'c> {
    rules: ProductRules<'d>,
    is_cut: &'c mut bool,
    keeps: Keeps,
}

impl<'d> Products<'d, '_> {
    /// The parts of which all complements are multiplied.
    fn factors<'u, T>(&self, all: &'u [Rc<T>]) -> &'u [Rc<T>] {
        if self.keeps == Keeps::First { all } else { &all[..all.len().min(MOST_FACTORS)] }
    }

    fn of<T: Conjunct<'d>>(&mut self, a: &Union<T>, b: &Union<T>) -> Union<T> {
        let mut is_cut = self.keeps == Keeps::One && a.len() * b.len() > MOST_OF_SUPERSET && a.len().min(b.len()) > 1;
        let all = if is_cut { Union::new() } else { product(a, b, self.rules, &mut is_cut) };
        if is_cut {
            *self.is_cut = true;
            self.rules.limit = self.rules.limit.min(MOST_WHEN_CUT);
        }
        match self.keeps {
            Keeps::One if is_cut => {
                if a.len() <= b.len() {
                    a.clone()
                } else {
                    b.clone()
                }
            }
            _ => all,
        }
    }
}
