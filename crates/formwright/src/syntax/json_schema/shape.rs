//! The algebra: a schema as a union of typed shapes.
//!
//! A [`Shape`] is a set of JSON values, split by type. Each part is a union of
//! conjunctions, and intersection, union and complement stay inside this form:
//!
//! ```text
//! numbers   intervals with divisibility
//! strings   a finite set, or a regular language of the decoded text
//! arrays    items by position, counts, "some items are in ..."
//! objects   rules "members named K have values in F", required names, counts, "some member is in ..."
//! ```
//!
//! Child values are not expanded here. They are [`Formula`]s: conjunctions of
//! sub-schemas and negated sub-schemas. A schema has finitely many of them, which
//! is why recursive schemas, and their complements, come to an end.

use std::ops::Deref;
use std::rc::Rc;

use bumpalo::Bump;
use smallvec::SmallVec;

use super::number::NumberSet;
use crate::language::UNBOUNDED;
use crate::regular::Regular;

/// Index of a schema met while reading.
pub type SchemaId = u32;

/// A condition on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// No value.
    Never,
    /// Valid against a schema.
    Is(SchemaId),
    /// Not valid against it.
    IsNot(SchemaId),
    /// Equal to a constant of the document.
    Value(u32),
    /// Not equal to it.
    NotValue(u32),
    /// In at least one of several formulas.
    Either(u32),
}

/// All of these conditions; sorted. Empty: any value. It lies in the arena of the schema.
pub type Formula<'d> = &'d [Literal];

/// A formula that is only asked about: it lies in no arena.
pub type Draft = SmallVec<[Literal; 4]>;

/// No value.
pub const NEVER: Formula<'static> = &[Literal::Never];

/// Strings of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Strings<'d> {
    /// These.
    Finite(Vec<&'d str>),
    /// Those whose decoded text is in the language.
    Regular(Regular),
}

/// A union of conjunctions. Mostly there is one, and other shapes have it too.
pub type Union<T> = SmallVec<[Rc<T>; 1]>;

/// A union of one part.
pub fn lone<T>(one: T) -> Union<T> {
    Union::from_buf([Rc::new(one)])
}

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // null, true, false: three values, present or not
pub struct Shape<'d> {
    pub null: bool,
    pub yes: bool,
    pub no: bool,
    pub numbers: Union<NumberSet>,
    pub strings: Strings<'d>,
    pub arrays: Union<ArrayShape<'d>>,
    pub objects: Union<ObjectShape<'d>>,
    /// Set where less is written than is meant: what is meant lies within this. It is not narrowed itself.
    pub outer: Option<Rc<Shape<'d>>>,
}

/// Arrays: a conjunction of conditions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrayShape<'d> {
    /// Conditions by position.
    pub prefix: Vec<Formula<'d>>,
    /// Condition on every further item.
    pub rest: Formula<'d>,
    pub low: u32,
    /// [`UNBOUNDED`] or the most items.
    pub high: u32,
    pub some: Vec<SomeItems<'d>>,
    pub unique: bool,
    /// Items before this position are evaluated (`unevaluatedItems`); [`UNBOUNDED`]: all.
    pub evaluated: u32,
    /// Items that meet one of these are evaluated too.
    pub evaluated_if: Vec<Formula<'d>>,
}

/// `low..=high` items from position `from` on meet a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct SomeItems<'d> {
    pub formula: Formula<'d>,
    pub from: u32,
    pub low: u32,
    pub high: u32,
}

/// Objects: a conjunction of conditions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectShape<'d> {
    pub rules: Vec<Rule<'d>>,
    pub required: Vec<&'d str>,
    pub low: u32,
    /// [`UNBOUNDED`] or the most members.
    pub high: u32,
    /// Every name is in each of these.
    pub names: Vec<Strings<'d>>,
    /// A member named by the first demands one named by the second.
    pub implied: Vec<(&'d str, &'d str)>,
    /// Some member's name and value meet each of these.
    pub demands: Vec<Rule<'d>>,
    /// Members with these names are evaluated (`unevaluatedProperties`).
    pub evaluated: Vec<Names<'d>>,
}

/// Members with such a name have such a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule<'d> {
    pub names: Names<'d>,
    pub formula: Formula<'d>,
}

/// A set of member names.
#[derive(Clone, Debug, PartialEq)]
pub enum Names<'d> {
    /// Exactly this.
    One(&'d str),
    /// Those in a language.
    In(Regular),
    /// Those that none of these describes.
    Except { names: &'d [&'d str], patterns: Vec<Regular> },
}

impl<'d> Names<'d> {
    /// The name, if it is one.
    pub fn only(&self) -> Option<&'d str> {
        if let Self::One(name) = self { Some(name) } else { None }
    }
}

/// How unions are multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Combine<'d> {
    /// Where formulas lie.
    pub arena: &'d Bump,
    /// Most parts of a product.
    pub limit: usize,
    /// Whether a part that lies inside another union needs no other intersections. Not while it matters which
    /// branches evaluated a member or item.
    pub absorb: bool,
}

/// A shape whose complement is not known.
#[derive(Clone, Copy, Debug)]
pub struct NoComplement;

/// Both formulas.
pub fn both<'d>(arena: &'d Bump, a: Formula<'d>, b: Formula<'d>) -> Formula<'d> {
    if a.is_empty() || a == b {
        b
    } else if b.is_empty() {
        a
    } else {
        arena.alloc_slice_copy(&meet(a, b))
    }
}

/// Both formulas, for a question.
pub fn meet(a: Formula<'_>, b: Formula<'_>) -> Draft {
    let mut all: Draft = a.iter().chain(b).copied().collect();
    if a.is_empty() || b.is_empty() {
        return all;
    }
    all.sort_unstable();
    all.dedup();
    let clash = all.iter().any(|literal| match literal {
        Literal::Never => true,
        Literal::Is(id) => all.contains(&Literal::IsNot(*id)),
        Literal::Value(id) => all.contains(&Literal::NotValue(*id)),
        _ => false,
    });
    if clash { NEVER.into() } else { all }
}

/// Whether the formula plainly has no value.
pub fn is_never(formula: Formula<'_>) -> bool {
    formula.contains(&Literal::Never)
}

impl Strings<'_> {
    pub fn none() -> Self {
        Self::Finite(Vec::new())
    }

    pub fn all() -> Self {
        Self::Regular(Regular::anything())
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Self::Finite(texts) if texts.is_empty()) || *self == Self::Regular(Regular::Never)
    }

    /// The strings as a language.
    pub fn tree(&self) -> Regular {
        match self {
            Self::Finite(texts) => Regular::or(texts.iter().map(|text| Regular::text(text))),
            Self::Regular(tree) => tree.clone(),
        }
    }

    pub fn complement(&self) -> Self {
        match self {
            Self::Finite(texts) if texts.is_empty() => Self::all(),
            Self::Regular(tree) if tree.is_anything() => Self::none(),
            _ => Self::Regular(self.tree().not()),
        }
    }

    pub fn or(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Finite(mut all), Self::Finite(more)) => {
                extend_new(&mut all, more);
                Self::Finite(all)
            }
            (some, none) if none.is_none() => some,
            (none, some) if none.is_none() => some.clone(),
            (a, b) => Self::Regular(Regular::or([a.tree(), b.tree()])),
        }
    }

    /// `accepts` decides whether a language has a text.
    pub fn and(&self, other: &Self, accepts: &mut impl FnMut(&Regular, &str) -> bool) -> Self {
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => {
                Self::Finite(a.iter().filter(|text| b.contains(text)).copied().collect())
            }
            (Self::Finite(texts), Self::Regular(tree)) | (Self::Regular(tree), Self::Finite(texts)) => {
                Self::Finite(texts.iter().filter(|text| accepts(tree, text)).copied().collect())
            }
            (Self::Regular(a), Self::Regular(b)) => Self::Regular(Regular::and([a.clone(), b.clone()])),
        }
    }
}

impl<'d> Shape<'d> {
    /// No value.
    pub fn never() -> Self {
        Self {
            null: false,
            yes: false,
            no: false,
            numbers: Union::new(),
            strings: Strings::none(),
            arrays: Union::new(),
            objects: Union::new(),
            outer: None,
        }
    }

    /// Every value.
    pub fn any() -> Self {
        Self {
            null: true,
            yes: true,
            no: true,
            numbers: lone(NumberSet::default()),
            strings: Strings::all(),
            arrays: lone(ArrayShape::any()),
            objects: lone(ObjectShape::any()),
            outer: None,
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
            left.strings = Strings::none();
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
        left.outer = left.outer.map(|outer| outer.of_types(base));
        Rc::new(left)
    }

    /// Whether less is written than is meant.
    pub fn is_narrowed(&self) -> bool {
        self.outer.is_some()
    }

    /// The shape itself, or what is meant and perhaps more.
    pub fn bound(&self) -> &Self {
        self.outer.as_deref().unwrap_or(self)
    }

    pub fn or(mut self, other: &Self) -> Self {
        if self.is_narrowed() || other.is_narrowed() {
            self.outer = Some(Rc::new(self.bound().clone().or(other.bound())));
        }
        self.null |= other.null;
        self.yes |= other.yes;
        self.no |= other.no;
        self.strings = std::mem::replace(&mut self.strings, Strings::none()).or(&other.strings);
        extend_new(&mut self.numbers, &other.numbers);
        extend_new(&mut self.arrays, &other.arrays);
        extend_new(&mut self.objects, &other.objects);
        self
    }

    /// What is in both. `accepts` decides whether a language has a text.
    pub fn and(&self, other: &Self, combine: Combine<'d>, accepts: &mut impl FnMut(&Regular, &str) -> bool) -> Self {
        let mut narrowed = self.is_narrowed() || other.is_narrowed();
        let mut both = Self {
            null: self.null && other.null,
            yes: self.yes && other.yes,
            no: self.no && other.no,
            strings: self.strings.and(&other.strings, accepts),
            numbers: product(&self.numbers, &other.numbers, combine, &mut narrowed),
            arrays: product(&self.arrays, &other.arrays, combine, &mut narrowed),
            objects: product(&self.objects, &other.objects, combine, &mut narrowed),
            outer: None,
        };
        if narrowed {
            let outer = [self.bound(), other.bound()].into_iter().min_by_key(|shape| shape.breadth());
            both.outer = outer.cloned().map(Rc::new);
        }
        both
    }

    /// How much a shape seems to allow, for a choice between two.
    fn breadth(&self) -> (bool, usize) {
        let strings = match &self.strings {
            Strings::Finite(_) => 0,
            Strings::Regular(_) => 1,
        };
        (*self == Self::any(), strings + self.numbers.len() + self.arrays.len() + self.objects.len())
    }

    /// Every other value, or if this shape is narrowed, some of them. `negate` gives the complement of a formula.
    ///
    /// # Errors
    /// When this shape demands uniqueness, or nothing is known outside of it: there is no complement to write.
    pub fn complement(
        &self,
        combine: Combine<'d>,
        negate: &mut impl FnMut(Formula<'d>) -> Formula<'d>,
    ) -> Result<Self, NoComplement> {
        let Self { null, yes, no, numbers: all_numbers, strings, arrays: all_arrays, objects: all_objects, .. } =
            self.bound();
        let mut narrowed = self.is_narrowed();
        let mut numbers = lone(NumberSet::default());
        for set in all_numbers {
            numbers = product(&numbers, &shared(set.complement()), combine, &mut narrowed);
        }
        let mut arrays = lone(ArrayShape::any());
        for array in all_arrays {
            let outside = array.complement(negate).ok_or(NoComplement)?;
            arrays = product(&arrays, &shared(outside), combine, &mut narrowed);
        }
        let mut objects = lone(ObjectShape::any());
        for object in all_objects {
            objects = product(&objects, &shared(object.complement(negate)), combine, &mut narrowed);
        }
        let strings = strings.complement();
        let mut complement = Self { null: !null, yes: !yes, no: !no, numbers, strings, arrays, objects, outer: None };
        if narrowed && complement == Self::never() {
            return Err(NoComplement);
        }
        complement.outer = narrowed.then(|| Rc::new(Self::any()));
        Ok(complement)
    }
}

/// Adds the parts that are not there.
fn extend_new<T: Clone + PartialEq>(into: &mut (impl Deref<Target = [T]> + Extend<T>), from: &[T]) {
    if into.is_empty() {
        return into.extend(from.iter().cloned()); // none is there twice
    }
    for part in from {
        if !into.contains(part) {
            into.extend([part.clone()]);
        }
    }
}

/// A union of parts that no other shape has yet.
fn shared<T>(parts: Vec<T>) -> Union<T> {
    parts.into_iter().map(Rc::new).collect()
}

/// The non-empty pairwise intersections. Of more than `limit`, the first ones: a subset, said in `narrowed`. The
/// product with a single part is no larger than the other union, and never cut.
///
/// A part that lies inside some part of the other union stays as it is: its other intersections add nothing.
fn product<'d, T: Part<'d>>(a: &[Rc<T>], b: &[Rc<T>], combine: Combine<'d>, narrowed: &mut bool) -> Union<T> {
    let mut all: Union<T> = Union::with_capacity(a.len().max(b.len()));
    let limit = if a.len().min(b.len()) == 1 { combine.limit.max(a.len()).max(b.len()) } else { combine.limit };
    for left in a {
        if combine.absorb && b.iter().any(|right| left.lies_in(right, combine.arena)) {
            extend_new(&mut all, std::slice::from_ref(left));
        } else {
            for (right, part) in b.iter().filter_map(|right| Some((right, intersect(left, right, combine.arena)?))) {
                let same = a.len() == 1 && part == *right; // the parts of a union differ
                if same || !all.contains(&part) {
                    all.push(part);
                }
                if all.len() > limit {
                    break;
                }
            }
        }
        if all.len() > limit {
            all.truncate(limit);
            *narrowed = true;
            break;
        }
    }
    all
}

/// What is in both.
fn intersect<'d, T: Part<'d>>(a: &Rc<T>, b: &Rc<T>, arena: &'d Bump) -> Option<Rc<T>> {
    if b.is_any() {
        Some(Rc::clone(a)) // most often: a schema that says nothing about the type
    } else if a.is_any() {
        Some(Rc::clone(b))
    } else {
        a.and(b, arena).map(Rc::new)
    }
}

/// A conjunction that a union is made of.
trait Part<'d>: PartialEq + Sized {
    /// Whether it says nothing.
    fn is_any(&self) -> bool;

    /// What is in both.
    fn and(&self, other: &Self, arena: &'d Bump) -> Option<Self>;

    /// Whether it plainly adds nothing that `other` forbids.
    fn lies_in(&self, other: &Self, arena: &'d Bump) -> bool {
        other.is_any() || self.and(other, arena).as_ref() == Some(self)
    }
}

impl<'d> Part<'d> for NumberSet {
    fn is_any(&self) -> bool {
        *self == Self::default()
    }

    fn and(&self, other: &Self, _: &'d Bump) -> Option<Self> {
        self.and(other)
    }
}

impl<'d> Part<'d> for ArrayShape<'d> {
    fn is_any(&self) -> bool {
        *self == Self::any()
    }

    fn and(&self, other: &Self, arena: &'d Bump) -> Option<Self> {
        self.and(other, arena)
    }
}

impl<'d> Part<'d> for ObjectShape<'d> {
    fn is_any(&self) -> bool {
        *self == Self::any()
    }

    fn and(&self, other: &Self, _: &'d Bump) -> Option<Self> {
        self.and(other)
    }

    fn lies_in(&self, other: &Self, _: &'d Bump) -> bool {
        fn holds<T: PartialEq>(all: &[T], some: &[T]) -> bool {
            some.iter().all(|one| all.contains(one))
        }
        self.low >= other.low
            && self.high <= other.high
            && holds(&self.required, &other.required)
            && holds(&self.rules, &other.rules)
            && holds(&self.demands, &other.demands)
            && holds(&self.names, &other.names)
            && holds(&self.implied, &other.implied)
            && holds(&self.evaluated, &other.evaluated)
    }
}

impl<'d> ArrayShape<'d> {
    pub fn any() -> Self {
        Self { high: UNBOUNDED, ..Self::default() }
    }

    /// The condition on the item at `index`.
    pub fn item(&self, index: usize) -> Formula<'d> {
        self.prefix.get(index).copied().unwrap_or(self.rest)
    }

    pub fn and(&self, other: &Self, arena: &'d Bump) -> Option<Self> {
        if self.low.max(other.low) > self.high.min(other.high) {
            return None;
        }
        let longest = self.prefix.len().max(other.prefix.len());
        let mut some = self.some.clone();
        extend_new(&mut some, &other.some);
        let mut evaluated_if = self.evaluated_if.clone();
        extend_new(&mut evaluated_if, &other.evaluated_if);
        let mut result = Self {
            prefix: (0..longest).map(|index| both(arena, self.item(index), other.item(index))).collect(),
            rest: both(arena, self.rest, other.rest),
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            some,
            unique: self.unique || other.unique,
            evaluated: self.evaluated.max(other.evaluated),
            evaluated_if,
        };
        if let Some(first) = (0..=longest).find(|&index| is_never(result.item(index))) {
            result.high = result.high.min(first as u32);
        }
        (result.low <= result.high).then_some(result)
    }

    /// `None`: uniqueness has no complement here.
    fn complement(&self, negate: &mut impl FnMut(Formula<'d>) -> Formula<'d>) -> Option<Vec<Self>> {
        if self.unique {
            return None;
        }
        let mut parts = Vec::new();
        if self.low > 0 {
            parts.push(Self { high: self.low - 1, ..Self::any() });
        }
        if self.high < UNBOUNDED {
            parts.push(Self { low: self.high + 1, ..Self::any() });
        }
        for (index, item) in self.prefix.iter().enumerate() {
            if !item.is_empty() {
                let mut prefix = vec![Formula::default(); index];
                prefix.push(negate(item));
                parts.push(Self { prefix, low: index as u32 + 1, ..Self::any() });
            }
        }
        if !self.rest.is_empty() {
            let from = self.prefix.len() as u32;
            if is_never(self.rest) {
                parts.push(Self { low: from + 1, ..Self::any() });
            } else {
                let some = SomeItems { formula: negate(self.rest), from, low: 1, high: UNBOUNDED };
                parts.push(Self { some: vec![some], low: from + 1, ..Self::any() });
            }
        }
        for some in &self.some {
            if some.low > 0 {
                parts
                    .push(Self { some: vec![SomeItems { low: 0, high: some.low - 1, ..some.clone() }], ..Self::any() });
            }
            if some.high < UNBOUNDED {
                let low = some.high + 1;
                parts.push(Self { some: vec![SomeItems { low, high: UNBOUNDED, ..some.clone() }], low, ..Self::any() });
            }
        }
        Some(parts)
    }
}

impl<'d> ObjectShape<'d> {
    pub fn any() -> Self {
        Self { high: UNBOUNDED, ..Self::default() }
    }

    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|other| **other == *name)
    }

    pub fn and(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        extend_new(&mut both.rules, &other.rules);
        extend_new(&mut both.required, &other.required);
        extend_new(&mut both.names, &other.names);
        extend_new(&mut both.implied, &other.implied);
        extend_new(&mut both.demands, &other.demands);
        extend_new(&mut both.evaluated, &other.evaluated);
        both.low = both.low.max(other.low).max(both.required.len() as u32);
        both.high = both.high.min(other.high);
        both.is_possible().then_some(both)
    }

    /// Whether counts and names leave room for a value, as far as that is plain to see.
    pub fn is_possible(&self) -> bool {
        self.low <= self.high && !self.is_plainly_empty()
    }

    /// A required member that a rule forbids.
    fn is_plainly_empty(&self) -> bool {
        !self.required.is_empty()
            && self.rules.iter().any(|rule| match &rule.names {
                Names::One(name) => is_never(rule.formula) && self.requires(name),
                Names::Except { names, patterns } if patterns.is_empty() && is_never(rule.formula) => {
                    self.required.iter().any(|required| !names.contains(required))
                }
                _ => false,
            })
    }

    fn complement(&self, negate: &mut impl FnMut(Formula<'d>) -> Formula<'d>) -> Vec<Self> {
        let mut parts = Vec::new();
        for rule in &self.rules {
            if rule.formula.is_empty() {
                continue;
            }
            let against = Rule { names: rule.names.clone(), formula: negate(rule.formula) };
            parts.push(match &rule.names {
                Names::One(name) => Self { rules: vec![against], required: vec![*name], low: 1, ..Self::any() },
                _ => Self { demands: vec![against], low: 1, ..Self::any() },
            });
        }
        for name in &self.required {
            parts.push(Self { rules: vec![Rule { names: Names::One(name), formula: NEVER }], ..Self::any() });
        }
        if self.low > self.required.len() as u32 {
            parts.push(Self { high: self.low - 1, ..Self::any() });
        }
        if self.high < UNBOUNDED {
            parts.push(Self { low: self.high + 1, ..Self::any() });
        }
        for names in &self.names {
            let outside = Rule { names: Names::In(names.complement().tree()), formula: Formula::default() };
            parts.push(Self { demands: vec![outside], low: 1, ..Self::any() });
        }
        for (a, b) in &self.implied {
            let rules = vec![Rule { names: Names::One(b), formula: NEVER }];
            parts.push(Self { rules, required: vec![a], low: 1, ..Self::any() });
        }
        for demand in &self.demands {
            let rule = Rule { names: demand.names.clone(), formula: negate(demand.formula) };
            parts.push(Self { rules: vec![rule], ..Self::any() });
        }
        parts
    }
}
