//! Derivatives: what may follow a minterm.
//!
//! ```text
//! ∂a (ab|ac)    = b|c                        ∂a x{2,5}  = ∂a x · x{1,4}
//! ∂a (x ∧ ¬y)   = ∂a x ∧ ¬(∂a y)             ∂a (x·y)   = ∂a x · y | ∂a y   (the second if x may be empty)
//! ```
//!
//! Cost: a few expressions made for each. Minterms in the same classes of whatever an expression may start
//! with have one derivative; it is computed once and given to all of them ([`Expressions::derive_into`]).

use smallvec::{SmallVec, smallvec};

use super::multiple::advance;
use super::{EMPTY, Expression, Expressions, Id, MANY_ALTERNATIVES, NEVER, UNBOUNDED};
use crate::regular::alphabet::{Minterm, contains};

/// Of a chain, derivatives of at most this many alternatives are kept for what is left after each of its parts.
const FEW: usize = 4;

/// Units of work of a derivative that is computed by code.
const WORK_OF_CODE: usize = 1 << 7;

/// First parts that may be empty, at most, that are looked at together for minterms that are alike.
const LOOKED_AT: usize = 32;

/// Minterms that an expression does not tell apart, one bit each.
type Alike = SmallVec<[u64; 4]>;

impl Expressions {
    /// What may follow `minterm`.
    pub fn derive(&mut self, id: Id, minterm: Minterm) -> Id {
        if let Some(all) = self.derivatives.get(&id) {
            return all[minterm as usize];
        }
        self.derive_uncached(id, minterm)
    }

    /// The derivatives by every minterm. Those of the parts are kept too: other combinations have the same parts.
    pub(super) fn derivatives(&mut self, id: Id) -> &[Id] {
        if !self.derivatives.contains_key(&id) {
            for index in 0..self.boolean_parts(id).len() {
                let part = self.boolean_parts(id)[index];
                self.derivatives(part);
            }
            let all: Box<[Id]> =
                (0..self.alphabet.len()).map(|minterm| self.derive_uncached(id, minterm as Minterm)).collect();
            self.derivatives.insert(id, all);
        }
        &self.derivatives[&id]
    }

    /// What may follow `minterm`, looked up in `cache` (the derivatives of `id` by minterm), or computed and stored
    /// there for all minterms that plainly have the same one. With And and Not, each derivative combines cached parts:
    /// that is cheaper than the search for equal ones.
    pub fn derive_into(&mut self, cache: &mut [Option<Id>], id: Id, minterm: Minterm) -> Id {
        if let Some(cached) = cache[usize::from(minterm)] {
            return cached;
        }
        let next = self.derive(id, minterm);
        if self.takes_search(id) {
            cache[usize::from(minterm)] = Some(next);
            return next;
        }
        let mut alike = smallvec![u64::MAX; cache.len().div_ceil(64)];
        self.keep_alike(id, minterm, &mut alike);
        for (cells, word) in cache.chunks_mut(64).zip(alike) {
            let cells = cells.iter_mut().enumerate().filter(|(bit, _)| word >> bit & 1 == 1);
            cells.for_each(|(_, cell)| *cell = Some(next));
        }
        next
    }

    /// Keeps in `alike` the minterms that plainly have the same derivative as `minterm`: those in the same classes of
    /// whatever `id` may start with (Owens, Reppy, Turon 2009).
    fn keep_alike(&self, id: Id, minterm: Minterm, alike: &mut Alike) {
        match self.get(id) {
            Expression::Never | Expression::Empty => {}
            Expression::Class(set) => {
                let flip = if contains(set, minterm) { 0 } else { u64::MAX };
                alike.iter_mut().zip(set).for_each(|(word, set)| *word &= set ^ flip);
            }
            &Expression::Concat(first, rest) => self.keep_alike_in_chain(first, rest, minterm, alike),
            Expression::Or(parts) => parts.iter().for_each(|&part| self.keep_alike(part, minterm, alike)),
            &Expression::Loop(body, ..) => self.keep_alike(body, minterm, alike),
            Expression::And(_) | Expression::Not(_) | Expression::Multiple(..) | Expression::Implicit(_) => {
                keep_alone(minterm, alike);
            }
        }
    }

    /// Of a chain that begins with very many parts that may be empty, every minterm is alone.
    fn keep_alike_in_chain(&self, mut first: Id, mut rest: Id, minterm: Minterm, alike: &mut Alike) {
        for _ in 0..LOOKED_AT {
            self.keep_alike(first, minterm, alike);
            if !self.nullable(first) {
                return;
            }
            match *self.get(rest) {
                Expression::Concat(next, after) => (first, rest) = (next, after),
                _ => return self.keep_alike(rest, minterm, alike),
            }
        }
        keep_alone(minterm, alike);
    }

    /// What And and Not combine.
    pub(super) fn boolean_parts(&self, id: Id) -> &[Id] {
        match self.get(id) {
            Expression::And(parts) => parts,
            Expression::Not(inner) => std::slice::from_ref(inner),
            _ => &[],
        }
    }

    fn derive_all(&mut self, id: Id, minterm: Minterm) -> Vec<Id> {
        let count = if let Expression::And(parts) | Expression::Or(parts) = self.get(id) { parts.len() } else { 0 };
        let mut all = Vec::with_capacity(count);
        for index in 0..count {
            let (Expression::And(parts) | Expression::Or(parts)) = self.get(id) else { break };
            all.push(self.derive(parts[index], minterm));
        }
        all
    }

    fn derive_uncached(&mut self, id: Id, minterm: Minterm) -> Id {
        self.work(1);
        match *self.get(id) {
            Expression::Never | Expression::Empty => NEVER,
            Expression::Class(ref set) => {
                if contains(set, minterm) {
                    EMPTY
                } else {
                    NEVER
                }
            }
            Expression::Concat(first, rest) if !self.nullable(first) => {
                let step = self.derive(first, minterm);
                self.concat(step, rest) // ∂(x·y) = ∂x·y
            }
            Expression::Concat(..) => self.derive_chain(id, minterm),
            Expression::Or(ref parts) => {
                let is_kept = parts.len() > MANY_ALTERNATIVES;
                if let Some(&known) = self.kept.get(&(id, minterm)).filter(|_| is_kept) {
                    return known;
                }
                let parts = self.derive_all(id, minterm);
                let all = self.or(parts);
                if is_kept {
                    self.kept.insert((id, minterm), all);
                }
                all
            }
            Expression::And(_) => {
                let parts = self.derive_all(id, minterm);
                self.and(parts)
            }
            Expression::Not(inner) => {
                let inner = self.derive(inner, minterm);
                self.not(inner)
            }
            Expression::Loop(body, low, high) => self.derive_loop(body, low, high, minterm),
            Expression::Multiple(divisor, remainder, decimals) => {
                let c = char::from_u32(self.alphabet.sample(minterm));
                match c.and_then(|c| advance(divisor, remainder, decimals, c)) {
                    Some((remainder, decimals)) => self.intern(Expression::Multiple(divisor, remainder, decimals)),
                    None => NEVER,
                }
            }
            Expression::Implicit(_) => self.derive_by_code(id, minterm),
        }
    }

    /// The derivative of an implicit language. It is kept: a tree is made for it, and lowered, and every round of a
    /// repetition asks for the same one.
    fn derive_by_code(&mut self, id: Id, minterm: Minterm) -> Id {
        if let Some(&known) = self.kept.get(&(id, minterm)) {
            return known;
        }
        let (Expression::Implicit(language), Some(c)) = (self.get(id), char::from_u32(self.alphabet.sample(minterm)))
        else {
            return NEVER;
        };
        let rest = language.derivative(c);
        self.work(WORK_OF_CODE);
        let rest = self.lower(&rest);
        self.kept.insert((id, minterm), rest);
        rest
    }

    /// ∂(x·y) = ∂x·y | ∂y where x may be empty: along all first parts of a chain that may be empty, from the last one
    /// back, as one list of alternatives (Antimirov 1996). What is found for the chain from some part on is kept, for
    /// other states go on with it.
    fn derive_chain(&mut self, id: Id, minterm: Minterm) -> Id {
        let (mut chain, mut at) = (SmallVec::<[(Id, Id, Id); 8]>::new(), id);
        let last = loop {
            if let Some(&known) = self.kept.get(&(at, minterm)) {
                break known;
            }
            let Expression::Concat(first, rest) = *self.get(at) else { break self.derive(at, minterm) };
            chain.push((at, first, rest));
            if !self.nullable(first) {
                break NEVER;
            }
            at = rest;
        };
        let is_long = chain.len() > FEW;
        let (mut ways, mut all) = (Vec::new(), last);
        self.add_alternatives(&mut ways, last);
        for (at, first, rest) in chain.into_iter().rev() {
            let step = self.derive(first, minterm);
            let step = self.concat(step, rest);
            self.add_alternatives(&mut ways, step);
            let is_kept = is_long && ways.len() <= FEW;
            if is_kept || at == id {
                all = self.or(ways.clone());
            }
            if is_kept {
                self.kept.insert((at, minterm), all);
            }
        }
        all
    }

    /// Adds the alternatives of an expression to others.
    fn add_alternatives(&mut self, ways: &mut Vec<Id>, id: Id) {
        for part in self.alternatives(id) {
            if part != NEVER {
                self.add_alternative(ways, part);
            }
        }
    }

    /// ∂(x{a,b}) = ∂x·x{a-1,b-1}
    fn derive_loop(&mut self, body: Id, low: u32, high: u32, minterm: Minterm) -> Id {
        let step = self.derive(body, minterm);
        if step == NEVER {
            return NEVER;
        }
        let high = if high == UNBOUNDED { UNBOUNDED } else { high - 1 };
        let rest = self.repeat(body, low.saturating_sub(1), high);
        self.concat(step, rest)
    }
}

/// Leaves a minterm alone.
fn keep_alone(minterm: Minterm, alike: &mut Alike) {
    for (at, word) in alike.iter_mut().enumerate() {
        *word &= if at == usize::from(minterm) / 64 { 1 << (minterm % 64) } else { 0 };
    }
}
