//! Hash-consed expressions: what may follow, as the states of an automaton know it.
//!
//! The derivative of a language by a minterm is what may follow it (Brzozowski 1964; Owens, Reppy, Turon 2009 for
//! And/Not and classes). Because expressions are hash-consed and kept in a normal form, the derivatives of one
//! expression are finitely many: they are the states of the automaton. And and Not cost nothing extra here; what they
//! cost is the question "is this state a dead end?", answered by [`Expressions::live`].
//!
//! ```text
//! x{1,5000}  ─ x → x{0,4999}     counters stay symbolic: one expression each
//! ```
//!
//! Cost: a hash for each expression made. Recursion here is as deep as the *description* nests (bounded by
//! `Limits::pattern_depth`), never as long as the text or the description: chains of parts are followed by loops.

mod counters;
mod derivative;
mod inclusion;
mod liveness;
mod multiple;
mod normal_form;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::alphabet::{Alphabet, Minterm, MintermSet, members};
use super::implicit::Implicit;
use super::tree::{Divisor, Regular};
use crate::interrupt::count;
pub use counters::Clamped;
pub use liveness::OutOfFuel;
use multiple::divides;

/// Index of an expression among the [`Expressions`] of its automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// The empty language.
pub const NEVER: Id = Id(0);
/// The language of the empty text.
pub const EMPTY: Id = Id(1);

/// "No upper bound" of a loop.
pub const UNBOUNDED: u32 = u32::MAX;

/// More alternatives than these are a tree of what they begin with, and their derivatives are kept.
const MANY_ALTERNATIVES: usize = 64;

/// The depth of such a tree.
const MOST_FACTORED: u32 = 32;

/// One expression in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    Never,
    Empty,
    Class(MintermSet),
    /// Right-nested: the first part is never a `Concat`.
    Concat(Id, Id),
    /// Sorted, at least two, no `Or` inside.
    Or(Box<[Id]>),
    And(Box<[Id]>),
    Not(Id),
    Loop(Id, u32, u32),
    /// Decimal text: remainder so far, and decimals read (`None` before the point).
    Multiple(Divisor, u64, Option<u32>),
    Implicit(Implicit),
}

#[derive(Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
struct Properties {
    nullable: bool,
    /// Contains And, Not or Multiple: emptiness needs a search.
    boolean: bool,
    /// Bytes of the shortest text, if the expression is not `boolean`.
    shortest: u32,
    /// The largest bound of a loop that [`Expressions::clamp`] reaches.
    bound: u32,
    /// Of a chain: how many parts it has, those that stay together counted each.
    parts: u32,
    /// Whether some part of it may be left out, or repeated more or less often.
    skips: bool,
    /// Contains an implicit language that makes intersections as it goes on.
    looks_ahead: bool,
}

/// "Too many bytes to matter"; sums of a few stay in range.
pub const MANY: u32 = u32::MAX / 2;

/// All expressions of one automaton.
pub struct Expressions {
    pub alphabet: Alphabet,
    /// Each once; its id is its index.
    interned: IndexSet<Expression, FxBuildHasher>,
    properties: Vec<Properties>,
    /// Bytes of the shortest form of each minterm.
    minterm_bytes: Vec<u32>,
    /// Derivatives by each minterm, for the expressions whose texts are searched.
    derivatives: FxHashMap<Id, Box<[Id]>>,
    /// Of the expressions searched: bytes of the shortest text, or `None` when empty.
    distances: FxHashMap<Id, Option<u32>>,
    /// Derivatives of chains of parts that may be empty, of many alternatives, and of implicit languages, by minterm.
    kept: FxHashMap<(Id, Minterm), Id>,
    /// Bytes to the end of a text from anywhere in it, at most; `None` where there are too many places.
    farthest: FxHashMap<Id, Option<u32>>,
    /// Clamped chains, and their slack, by reach.
    clamped: FxHashMap<(Id, u32), Clamped>,
    anything: Id,
    fuel: usize,
    /// The work done so far: parts made and compared.
    units: u64,
    /// Bytes of the parts of unions and intersections.
    part_bytes: usize,
    /// The work done before the search that is under way.
    searching: Option<u64>,
    /// Whether a search took so much work that no other is begun.
    gave_up: bool,
}

impl Expressions {
    /// No expressions yet, over an alphabet; a search may visit about `fuel` of them.
    pub fn new(alphabet: Alphabet, minterm_bytes: Vec<u32>, fuel: usize) -> Self {
        let mut made = Self {
            alphabet,
            interned: IndexSet::default(),
            properties: Vec::new(),
            minterm_bytes,
            derivatives: FxHashMap::default(),
            distances: FxHashMap::default(),
            kept: FxHashMap::default(),
            farthest: FxHashMap::default(),
            clamped: FxHashMap::default(),
            anything: NEVER,
            fuel,
            units: 0,
            part_bytes: 0,
            searching: None,
            gave_up: false,
        };
        made.intern(Expression::Never);
        made.intern(Expression::Empty);
        let any = made.alphabet.all();
        let any = made.intern(Expression::Class(any));
        made.anything = made.intern(Expression::Loop(any, 0, UNBOUNDED));
        made
    }

    pub fn len(&self) -> usize {
        self.interned.len()
    }

    /// About how many bytes of memory they take without their alphabet.
    pub fn memory(&self) -> usize {
        const EXPRESSION: usize = size_of::<Expression>() + size_of::<Properties>() + 4 * size_of::<usize>();
        let row = size_of::<(Id, Box<[Id]>)>() + self.alphabet.len() * size_of::<Id>();
        self.interned.capacity() * EXPRESSION
            + self.part_bytes
            + self.derivatives.capacity() * row
            + self.distances.capacity() * size_of::<(Id, Option<u32>)>()
            + self.kept.capacity() * size_of::<((Id, Minterm), Id)>()
            + self.clamped.capacity() * size_of::<((Id, u32), Clamped)>()
    }

    pub fn get(&self, id: Id) -> &Expression {
        &self.interned[id.0 as usize]
    }

    /// Counts work: of this automaton, and of whatever it is built for.
    fn work(&mut self, units: usize) {
        self.units += units as u64;
        count(units);
    }

    pub fn nullable(&self, id: Id) -> bool {
        self.properties[id.0 as usize].nullable
    }

    /// The expression of a tree.
    pub fn lower(&mut self, tree: &Regular) -> Id {
        match tree {
            Regular::Never | Regular::Parser(_) => NEVER, // a parser is not part of an expression
            Regular::Empty => EMPTY,
            Regular::Class(ranges) => {
                let minterms = self.alphabet.class(ranges);
                self.class(minterms)
            }
            Regular::Concat(parts) => {
                let ids: Vec<Id> = parts.iter().map(|part| self.lower(part)).collect();
                ids.into_iter().rev().fold(EMPTY, |rest, first| self.concat(first, rest))
            }
            Regular::Or(parts) => {
                let ids: Vec<Id> = parts.iter().map(|part| self.lower(part)).collect();
                if ids.len() > MANY_ALTERNATIVES { self.factored(ids, MOST_FACTORED) } else { self.or(ids) }
            }
            Regular::And(parts) => {
                let ids = parts.iter().map(|part| self.lower(part)).collect();
                self.and(ids)
            }
            Regular::Not(inner) => {
                let inner = self.lower(inner);
                self.not(inner)
            }
            Regular::Repeat(inner, low, high) => {
                let inner = self.lower(inner);
                self.repeat(inner, *low, high.unwrap_or(UNBOUNDED))
            }
            Regular::Multiple(divisor) => self.intern(Expression::Multiple(*divisor, 0, None)),
            Regular::Static(tree) => self.lower(tree.0),
            Regular::Implicit(language) => self.intern(Expression::Implicit(language.clone())),
            Regular::After(tree, c) => {
                let (whole, minterm) = (self.lower(tree), self.alphabet.minterm(u32::from(*c)));
                self.derive(whole, minterm)
            }
        }
    }

    fn intern(&mut self, expression: Expression) -> Id {
        self.work(1);
        let (place, is_new) = self.interned.insert_full(expression);
        if is_new {
            self.properties.push(self.properties_of(&self.interned[place]));
            self.part_bytes += match &self.interned[place] {
                Expression::Or(parts) | Expression::And(parts) => size_of_val(&**parts),
                Expression::Class(minterms) => size_of_val(&**minterms),
                _ => 0,
            };
        }
        Id(place as u32)
    }

    fn properties_of(&self, expression: &Expression) -> Properties {
        let fact = |id: &Id| self.properties[id.0 as usize];
        let searched = |nullable| Properties { nullable, boolean: true, ..Properties::default() };
        match expression {
            Expression::Never => Properties { shortest: u32::MAX, ..Properties::default() },
            Expression::Empty => Properties { nullable: true, ..Properties::default() },
            Expression::Class(set) => {
                let cheapest = members(set).map(|minterm| self.minterm_bytes[minterm as usize]).min();
                Properties { shortest: cheapest.unwrap_or(u32::MAX), ..Properties::default() }
            }
            Expression::Concat(first, rest) => {
                let (first, rest) = (fact(first), fact(rest));
                Properties {
                    nullable: first.nullable && rest.nullable,
                    boolean: first.boolean || rest.boolean,
                    shortest: first.shortest.saturating_add(rest.shortest),
                    bound: first.bound.max(rest.bound),
                    parts: first.parts.max(1).saturating_add(rest.parts.max(1)),
                    skips: first.skips || rest.skips,
                    looks_ahead: first.looks_ahead || rest.looks_ahead,
                }
            }
            Expression::Or(parts) => Properties {
                nullable: parts.iter().any(|part| fact(part).nullable),
                boolean: parts.iter().any(|part| fact(part).boolean),
                shortest: parts.iter().map(|part| fact(part).shortest).min().unwrap_or(u32::MAX),
                bound: parts.iter().map(|part| fact(part).bound).max().unwrap_or(0),
                skips: parts.iter().any(|part| fact(part).nullable),
                looks_ahead: parts.iter().any(|part| fact(part).looks_ahead),
                ..Properties::default()
            },
            Expression::And(parts) => {
                let counters = parts.iter().filter_map(|&part| self.class_times(part));
                let bound = counters.map(|(.., high)| high).filter(|&high| high != UNBOUNDED).max();
                let nullable = parts.iter().all(|part| fact(part).nullable);
                let looks_ahead = parts.iter().any(|part| fact(part).looks_ahead);
                Properties { bound: bound.unwrap_or(0), looks_ahead, ..searched(nullable) }
            }
            Expression::Not(inner) => {
                Properties { looks_ahead: fact(inner).looks_ahead, ..searched(!fact(inner).nullable) }
            }
            Expression::Loop(body, low, high) => {
                let body = fact(body);
                Properties {
                    nullable: *low == 0,
                    boolean: body.boolean,
                    shortest: body.shortest.saturating_mul(*low),
                    bound: if *high == UNBOUNDED { *low } else { *high },
                    skips: low != high,
                    looks_ahead: body.looks_ahead,
                    ..Properties::default()
                }
            }
            Expression::Multiple(divisor, remainder, decimals) => searched(divides(*divisor, *remainder, *decimals)),
            Expression::Implicit(language) => match language.shortest() {
                Some(shortest) => Properties { nullable: language.nullable(), shortest, ..Properties::default() },
                None => Properties { looks_ahead: true, ..searched(language.nullable()) },
            },
        }
    }
}
