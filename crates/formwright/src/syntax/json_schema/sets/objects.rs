//! Sets of objects: what members must look like by name, which names there must be, and what some member must meet.
//!
//! ```text
//! not {"additionalProperties": A}     some member is in ¬A: an existential constraint
//! ```
//!
//! Cost: an intersection is all conditions of both; nothing is simplified but equal ones.

use bumpalo::Bump;

use super::condition::{Condition, NEVER, is_never};
use super::strings::StringSet;
use super::union::{Conjunct, extend_new};
use crate::language::UNBOUNDED;
use crate::regular::Regular;

/// The objects that meet all of these conditions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectSet<'d> {
    pub rules: Vec<Rule<'d>>,
    pub required: Vec<&'d str>,
    pub low: u32,
    /// [`UNBOUNDED`] or the most members.
    pub high: u32,
    /// Every name is in each of these.
    pub names: Vec<StringSet<'d>>,
    /// Where there is a member named by the first, there is one named by the second.
    pub implied: Vec<(&'d str, &'d str)>,
    /// For each of these, some member has such a name and such a value.
    pub existentials: Vec<Rule<'d>>,
    /// Members with these names are evaluated (`unevaluatedProperties`).
    pub evaluated: Vec<NameSet<'d>>,
}

/// Members with such a name have such a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule<'d> {
    pub names: NameSet<'d>,
    pub condition: Condition<'d>,
}

/// A set of member names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NameSet<'d> {
    /// Exactly this.
    One(&'d str),
    /// Those in a language.
    In(Regular),
    /// Those that none of these describes.
    Except { names: &'d [&'d str], patterns: Vec<Regular> },
    /// Those of undeclared members of one kind, by the place of the kind among all members of the object at hand.
    Kind(usize),
}

impl<'d> NameSet<'d> {
    /// The name, if it is one.
    pub fn only(&self) -> Option<&'d str> {
        if let Self::One(name) = self { Some(name) } else { None }
    }
}

impl<'d> ObjectSet<'d> {
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
        extend_new(&mut both.existentials, &other.existentials);
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
                NameSet::One(name) => is_never(rule.condition) && self.requires(name),
                NameSet::Except { names, patterns } if patterns.is_empty() && is_never(rule.condition) => {
                    self.required.iter().any(|required| !names.contains(required))
                }
                _ => false,
            })
    }

    pub(super) fn complement(&self, negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>) -> Vec<Self> {
        let mut parts = Vec::new();
        for rule in &self.rules {
            if rule.condition.is_empty() {
                continue;
            }
            let against = Rule { names: rule.names.clone(), condition: negate(rule.condition) };
            parts.push(match &rule.names {
                NameSet::One(name) => Self { rules: vec![against], required: vec![*name], low: 1, ..Self::any() },
                _ => Self { existentials: vec![against], low: 1, ..Self::any() },
            });
        }
        for name in &self.required {
            parts.push(Self { rules: vec![Rule { names: NameSet::One(name), condition: NEVER }], ..Self::any() });
        }
        if self.low > self.required.len() as u32 {
            parts.push(Self { high: self.low - 1, ..Self::any() });
        }
        if self.high < UNBOUNDED {
            parts.push(Self { low: self.high + 1, ..Self::any() });
        }
        for names in &self.names {
            let outside = Rule { names: NameSet::In(names.complement().tree()), condition: Condition::default() };
            parts.push(Self { existentials: vec![outside], low: 1, ..Self::any() });
        }
        for (a, b) in &self.implied {
            let rules = vec![Rule { names: NameSet::One(b), condition: NEVER }];
            parts.push(Self { rules, required: vec![a], low: 1, ..Self::any() });
        }
        for some in &self.existentials {
            let rule = Rule { names: some.names.clone(), condition: negate(some.condition) };
            parts.push(Self { rules: vec![rule], ..Self::any() });
        }
        parts
    }
}
impl<'d> Conjunct<'d> for ObjectSet<'d> {
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
            && holds(&self.existentials, &other.existentials)
            && holds(&self.names, &other.names)
            && holds(&self.implied, &other.implied)
            && holds(&self.evaluated, &other.evaluated)
    }
}
