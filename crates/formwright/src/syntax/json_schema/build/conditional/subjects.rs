//! The members that conditions are about, and what is known of their values.
//!
//! ```text
//! kind, asked for "a" and for "b"     classes: "a", meets the first; "b", meets the second; another, meets none
//! ```

use super::super::undeclared::Overlap;
use crate::language::{Promises, Values};
use crate::regular::Regular;
use crate::syntax::json_schema::sets::{Condition, is_never};

/// What the values of a class are sure to meet, by condition.
pub(super) type Class<'d> = (Condition<'d>, Values);

/// The undeclared members of one kind: where their names are among the patterns, and the language of these.
pub(super) type Kind<'p> = (Overlap<'p>, Regular);

/// A member that the formula speaks of: a declared one, or the undeclared ones of a kind.
pub(super) struct Subject<'d, 'p> {
    /// What it is called, if it is declared.
    pub(super) name: Option<&'d str>,
    /// Of which kind it is, if it is not declared.
    pub(super) kind: Option<Kind<'p>>,
    /// What its values must meet in any case.
    pub(super) base: Condition<'d>,
    /// The conditions that the formula makes about its values.
    pub(super) asked: Vec<Condition<'d>>,
    /// Of undeclared members: what some of them can make true, as far as the formula asks.
    pub(super) facts: Vec<Fact<'d>>,
    /// Classes of its values.
    pub(super) classes: Vec<Class<'d>>,
    /// Whether classes are found by compiling the formula, because the conditions tell too many apart.
    pub(super) promises: bool,
}

/// Something that an undeclared member can make true.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fact<'d> {
    /// It meets a condition.
    Meets(Condition<'d>),
    /// It does not promise to.
    MayFail(Condition<'d>),
}

impl<'d, 'p> Subject<'d, 'p> {
    pub(super) fn new(name: Option<&'d str>, kind: Option<Kind<'p>>, base: Condition<'d>) -> Self {
        Self { name, kind, base, asked: Vec::new(), facts: Vec::new(), classes: Vec::new(), promises: false }
    }

    /// Notes that the formula asks whether every member, or some member, meets a condition.
    pub(super) fn ask(&mut self, condition: Condition<'d>, of_each: bool) {
        let decides = !condition.is_empty() && !is_never(condition);
        if decides && !self.asked.contains(&condition) {
            self.asked.push(condition);
        }
        let fact = fact(condition, of_each);
        if self.kind.is_some() && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    /// The facts that a member of some class makes true, a bit each.
    pub(super) fn facts_of(&self, class: &Class<'d>) -> u16 {
        let meets = |condition: &Condition<'d>| {
            let at = self.asked.iter().position(|other| other == condition);
            condition.is_empty() || at.is_some_and(|at| class.1.contains(at as u32))
        };
        let is_true = |fact: &Fact<'d>| match fact {
            Fact::Meets(condition) => meets(condition),
            Fact::MayFail(condition) => !meets(condition),
        };
        (0..).zip(&self.facts).map(|(bit, fact)| u16::from(is_true(fact)) << bit).sum()
    }

    /// What the values of its variable promise.
    pub(super) fn promised(&self) -> Promises {
        if self.kind.is_none() {
            return Promises::OfWays(self.classes.iter().map(|(_, met)| met.clone()).collect());
        }
        let facts_that =
            |is: fn(&Fact<'d>) -> bool| (0..).zip(&self.facts).map(|(bit, fact)| u16::from(is(fact)) << bit).sum();
        Promises::OfFacts {
            // That a member came may be asked for, and that none did.
            wanted: facts_that(|fact| matches!(fact, Fact::Meets(condition) if !condition.is_empty())),
            unwanted: facts_that(|fact| matches!(fact, Fact::MayFail(_))),
        }
    }

    /// How many values its variable has.
    pub(super) fn domain(&self) -> u32 {
        match self.kind {
            Some(_) => 1 << self.facts.len(),
            None if self.promises => 0,
            None => self.classes.len() as u32 + 1,
        }
    }

    /// The values of its variable with which every member, or some member, meets a condition.
    pub(super) fn values(&self, condition: Condition<'d>, of_each: bool) -> Values {
        if self.kind.is_some() {
            let wanted = fact(condition, of_each);
            let bit = self.facts.iter().position(|fact| *fact == wanted).unwrap_or(0);
            return (0..self.domain()).filter(|value| (value >> bit & 1 == 1) != of_each).collect();
        }
        let absent = of_each.then_some(0);
        let promising = self.promising(condition).map(|class| class + 1);
        absent.into_iter().chain(promising.filter(|_| !is_never(condition))).collect()
    }

    /// The classes that are sure to meet a condition.
    pub(super) fn promising(&self, condition: Condition<'d>) -> impl Iterator<Item = u32> {
        let at = self.asked.iter().position(|other| *other == condition).map(|at| at as u32);
        let promises = move |(_, met): &Class<'d>| condition.is_empty() || at.is_some_and(|at| met.contains(at));
        (0..).zip(&self.classes).filter(move |(_, class)| promises(class)).map(|(index, _)| index)
    }
}

/// "Each member meets a condition", or "some member does", as a fact about undeclared members.
pub(super) fn fact(condition: Condition<'_>, of_each: bool) -> Fact<'_> {
    match of_each {
        true if is_never(condition) => Fact::Meets(Condition::default()),
        true => Fact::MayFail(condition),
        false => Fact::Meets(condition),
    }
}
