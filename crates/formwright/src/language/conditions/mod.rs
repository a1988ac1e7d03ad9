//! Conditions on the members of an object taken together: at most one of two, one of several, if this then that.
//!
//! Each member that they mention is a variable: a declared one is absent, or came with one of its ways; of a kind of
//! undeclared ones, it is a set of facts that some such member made true. The conditions are a formula over variables in
//! decomposable form ([`compile`]), so that one pass over its parts answers what would be a search otherwise: whether an
//! object can still be completed, and with how few bytes.
//!
//! ```text
//! if kind is "a" then x is required      kind∈{absent, "a"} ∧ x came  ∨  kind∈{another}
//! seen: kind "a"                         alive, and x must come
//! ```
//!
//! Cost: a question is a few operations for each part. Where the number of members counts too, the cost is found for
//! each number of them.

mod compile;
mod costs;
mod covering;
mod values;

pub use compile::{FALSE as NO_OBJECT, FormulaBuilder, FormulaId, Promise, TRUE as EVERY_OBJECT, TooHard, Variable};
pub use costs::{Future, LiteralCosts, completion, future};
pub use covering::Promises;
pub use values::Values;

use super::{Object, Seen, UNBOUNDED};

/// A member that the conditions do not mention.
const UNMENTIONED: u32 = u32::MAX;

/// One part of a formula in decomposable form.
#[derive(Clone, Debug)]
pub enum Part {
    /// The variable has one of these values.
    Literal(Variable, Values),
    /// All of these parts, which share no variable.
    All(Box<[u32]>),
    /// At least one of these.
    Any(Box<[u32]>),
}

impl Part {
    /// The parts that it consists of.
    pub fn inner(&self) -> &[u32] {
        match self {
            Self::Literal(..) => &[],
            Self::All(inner) | Self::Any(inner) => inner,
        }
    }
}

/// What objects with some number of members must meet.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Fewest members.
    pub low: u32,
    /// Most members, or [`UNBOUNDED`].
    pub high: u32,
    /// The part that must hold.
    pub root: u32,
}

/// Conditions on the members of an object.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// By member (declared ones, then kinds of undeclared ones): its variable, or [`UNMENTIONED`].
    variables: Box<[u32]>,
    /// By variable: its member.
    members: Box<[u32]>,
    /// By variable of a kind and by way: the facts that a member makes true, a bit each.
    facts: Box<[Box<[u16]>]>,
    /// The parts of all formulas, each after those it refers to.
    parts: Box<[Part]>,
    /// By part: the variables that it mentions.
    mentions: Box<[Values]>,
    /// By variable: what its values promise.
    promises: Box<[Promises]>,
    /// One of these cases must hold.
    cases: Box<[Case]>,
    /// Numbers of members from here on are all alike.
    alike: u32,
}

impl Conditions {
    /// Bytes of memory held, roughly: each part mentions variables.
    pub fn memory(&self) -> usize {
        let of_parts = self.parts.len() * (size_of::<Part>() + size_of::<Values>() + 32);
        let of_variables = self.variables.len() * 4 + self.members.len() * (64 + size_of::<Promises>());
        of_parts + of_variables + self.cases.len() * size_of::<Case>()
    }

    /// The conditions of an object of so many declared and undeclared members. The literals of `parts` name members;
    /// `members` are those that are mentioned, in order, `facts` what the ways of a kind make true (none for declared
    /// members), and `promises` what their values promise.
    pub fn new(
        count: usize,
        members: Vec<u32>,
        facts: Vec<Box<[u16]>>,
        promises: Vec<Promises>,
        mut parts: Box<[Part]>,
        cases: Vec<Case>,
    ) -> Self {
        let mut variables = vec![UNMENTIONED; count];
        for (variable, &member) in members.iter().enumerate() {
            variables[member as usize] = variable as u32;
        }
        for part in &mut parts {
            if let Part::Literal(variable, _) = part {
                *variable = variables[*variable as usize];
            }
        }
        let mentions = mentions_of(&parts);
        let bounds = cases.iter().map(|case| case.low.max(if case.high == UNBOUNDED { 0 } else { case.high + 1 }));
        let alike = bounds.max().unwrap_or(0);
        let (variables, members, facts) = (variables.into(), members.into(), facts.into());
        let (promises, cases) = (promises.into(), cases.into());
        Self { variables, members, facts, parts, mentions, promises, cases, alike }
    }

    /// The variable of a member, if it is mentioned.
    fn variable(&self, member: u32) -> Option<usize> {
        self.variables.get(member as usize).filter(|&&variable| variable != UNMENTIONED).map(|&found| found as usize)
    }

    /// The facts that the members of a kind can make true, a bit each.
    fn facts_of(&self, variable: usize) -> u16 {
        self.facts[variable].iter().fold(0, |all, facts| all | facts)
    }

    /// The values of all variables before the first member.
    pub fn start(&self) -> Box<[u16]> {
        vec![0; self.members.len()].into()
    }

    /// The values of all variables after a member that came with one of its ways.
    pub fn after(&self, before: &[u16], member: u32, way: u32) -> Box<[u16]> {
        let mut after: Box<[u16]> = before.into();
        if let Some((variable, value)) = self.next_value(before, member, way) {
            after[variable] = value as u16;
        }
        after
    }

    /// A number of members, as far as it matters.
    pub fn counted(&self, members: u32) -> u32 {
        members.min(self.alike)
    }

    /// Whether an object may end with these values and so many members.
    pub fn hold(&self, seen: &Seen) -> bool {
        let values = seen.values();
        let mut holds: Vec<bool> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            holds.push(match part {
                Part::Literal(variable, allowed) => allowed.contains(u32::from(values[*variable as usize])),
                Part::All(inner) => inner.iter().all(|&part| holds[part as usize]),
                Part::Any(inner) => inner.iter().any(|&part| holds[part as usize]),
            });
        }
        let met = |case: &Case| case.low <= seen.count && seen.count <= case.high && holds[case.root as usize];
        self.cases.iter().any(met)
    }

    /// The variable of a member, and its value after the member came with one of its ways.
    pub fn next_value(&self, before: &[u16], member: u32, way: u32) -> Option<(usize, u32)> {
        let variable = self.variable(member)?;
        let value = match self.facts[variable].get(way as usize) {
            Some(facts) => before[variable] | facts,
            None => way as u16 + 1,
        };
        Some((variable, u32::from(value)))
    }

    /// Whether whatever may follow some values may follow others.
    pub fn cover(&self, stronger: &[u16], weaker: &[u16]) -> bool {
        let values = stronger.iter().zip(weaker);
        self.promises.iter().zip(values).all(|(promises, (&stronger, &weaker))| promises.cover(stronger, weaker))
    }

    /// Whether some value of a member can make a difference.
    pub fn mention(&self, member: u32) -> bool {
        self.variable(member).is_some()
    }
}

/// By part: the variables that it mentions.
fn mentions_of(parts: &[Part]) -> Box<[Values]> {
    let mut mentions: Vec<Values> = Vec::with_capacity(parts.len());
    for part in parts {
        let mut own = Values::default();
        if let Part::Literal(variable, _) = part {
            own.insert(*variable);
        }
        part.inner().iter().for_each(|&inner| own.extend(&mentions[inner as usize]));
        mentions.push(own);
    }
    mentions.into()
}

impl Object {
    /// The ways in which a member can come: its values, by number.
    pub fn ways(&self, member: u32) -> impl Iterator<Item = (super::NodeId, u32)> {
        let (value, others) = self.values_of(member);
        std::iter::once((value, 0)).chain(others.iter().copied())
    }
}
