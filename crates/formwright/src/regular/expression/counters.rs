//! What masks ask about counters: which states no token can tell apart, and how long their loops may go on.
//!
//! A token of at most `reach - 1` code points cannot exhaust a counter of `reach` or more:
//!
//! ```text
//! reach 100:   a{4999}, a{5000} → a{100,}     one mask serves both
//! ```

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::{Expression, Expressions, Id, NEVER, UNBOUNDED};
use crate::regular::alphabet::MintermSet;

/// First parts that may be empty, at most, after which a class loop is looked for.
const MOST_SKIPPED: usize = 8;

/// Most expressions that an intersection may lead to where it is asked how far their ends are.
const MOST_PLACES: usize = 256;

/// An expression with its counters clamped.
#[derive(Clone, Copy)]
pub struct Clamped {
    /// It allows the same tokens of less than `reach` code points.
    pub id: Id,
    /// Bytes by which the expression may need more to its end than the clamped one, after any text that both can read.
    pub slack: u32,
}

impl Expressions {
    /// The same expression with every counter that no token can exhaust (`>= reach`) made unbounded.
    ///
    /// Two states with equal clamped expressions allow the same tokens of at most `reach - 1` code points.
    pub fn clamp(&mut self, id: Id, reach: u32) -> Clamped {
        if self.properties[id.0 as usize].bound < reach {
            return Clamped { id, slack: 0 };
        }
        match *self.get(id) {
            Expression::Concat(..) => self.clamp_chain(id, reach),
            Expression::Or(ref parts) => {
                let parts: Vec<Clamped> = parts.clone().iter().map(|&part| self.clamp(part, reach)).collect();
                let slack = parts.iter().map(|part| part.slack).max().unwrap_or(0);
                Clamped { id: self.or(parts.into_iter().map(|part| part.id).collect()), slack }
            }
            Expression::Loop(body, low, high) => {
                let high = if high >= reach { UNBOUNDED } else { high };
                let more = low.saturating_sub(reach);
                let slack = if more > 0 { self.shortest_or_many(body).saturating_mul(more) } else { 0 };
                Clamped { id: self.repeat(body, low.min(reach), high), slack }
            }
            Expression::And(ref parts) => {
                let parts = parts.clone();
                Clamped { id: self.clamp_intersection(&parts, reach).unwrap_or(id), slack: 0 }
            }
            _ => Clamped { id, slack: 0 },
        }
    }

    /// An intersection with class loops of which no token can exhaust so many that the end is out of reach: without
    /// their bounds, its texts have an end near enough from anywhere. Otherwise the intersection of clamped parts can be
    /// fuller than the clamped intersection, and is left as it is.
    fn clamp_intersection(&mut self, parts: &[Id], reach: u32) -> Option<Id> {
        let (mut unbounded, mut least) = (Vec::with_capacity(parts.len()), UNBOUNDED);
        for &part in parts {
            unbounded.push(match self.class_times(part) {
                Some((class, low, high)) if high >= reach && high != UNBOUNDED => {
                    least = least.min(high);
                    self.repeat(class, low, UNBOUNDED)
                }
                _ => part,
            });
        }
        let unbounded = self.and(unbounded);
        let farthest = self.farthest_from(unbounded)?;
        (least >= reach.saturating_add(farthest)).then_some(unbounded)
    }

    /// Bytes of the shortest text of an expression, and of whatever it leads to, at most.
    fn farthest_from(&mut self, id: Id) -> Option<u32> {
        if let Some(&known) = self.farthest.get(&id) {
            return known;
        }
        let (mut seen, mut open, mut most) = (FxHashSet::from_iter([id]), vec![id], Some(0));
        while let (Some(at), Some(bytes)) = (open.pop(), most) {
            most = match self.shortest(at) {
                Ok(Some(shortest)) => Some(bytes.max(shortest)),
                Ok(None) => continue,
                Err(_) => None,
            };
            for minterm in 0..self.alphabet.len() {
                let next = self.derivatives(at)[minterm];
                if next != NEVER && seen.insert(next) {
                    open.push(next);
                }
            }
            most = most.filter(|_| seen.len() <= MOST_PLACES);
        }
        self.farthest.extend(seen.into_iter().map(|id| (id, most)));
        most
    }

    /// Of a repeated class: the class, and how often it is repeated.
    pub(super) fn class_times(&self, id: Id) -> Option<(Id, u32, u32)> {
        match *self.get(id) {
            Expression::Loop(body, low, high) if matches!(self.get(body), Expression::Class(_)) => {
                Some((body, low, high))
            }
            _ => None,
        }
    }

    /// A chain is clamped from its end; what it ends with is looked up, for other texts are in the midst of it.
    fn clamp_chain(&mut self, id: Id, reach: u32) -> Clamped {
        let (mut chain, mut at) = (Vec::new(), id);
        let mut made = loop {
            if let Some(&known) = self.clamped.get(&(at, reach)) {
                break known;
            }
            match *self.get(at) {
                Expression::Concat(first, rest) if self.properties[at.0 as usize].bound >= reach => {
                    chain.push((at, first));
                    at = rest;
                }
                Expression::Concat(..) => break Clamped { id: at, slack: 0 },
                _ => break self.clamp(at, reach),
            }
        };
        for (at, first) in chain.into_iter().rev() {
            let first = self.clamp(first, reach);
            let is_together = matches!(self.get(first.id), Expression::Concat(..));
            let id = if is_together {
                self.intern(Expression::Concat(first.id, made.id))
            } else {
                self.concat(first.id, made.id)
            };
            made = Clamped { id, slack: first.slack.saturating_add(made.slack) };
            self.clamped.insert((at, reach), made);
        }
        made
    }

    /// Of a loop that no token can exhaust: what is left of it once it was read so often that some token can.
    pub fn when_exhaustible(&mut self, id: Id, reach: u32) -> Option<Id> {
        let (body, low, high, rest) = self.as_loop(id)?;
        let most = reach.checked_sub(1)?;
        let read = high.checked_sub(most).filter(|&read| read > 0 && high != UNBOUNDED)?;
        let last = self.repeat(body, low.saturating_sub(read), most);
        Some(self.concat(last, rest))
    }

    /// Bytes of the shortest text at any time in a class loop of `id`, at most.
    pub fn farthest(&mut self, id: Id) -> u32 {
        let parts = self.openings(id);
        parts.into_iter().map(|part| self.shortest_or_many(part)).max().unwrap_or(0).max(self.shortest_or_many(id))
    }

    /// The alternatives of `id`; mostly itself.
    pub fn alternatives(&self, id: Id) -> SmallVec<[Id; 2]> {
        if let Expression::Or(parts) = self.get(id) { SmallVec::from_slice(parts) } else { smallvec![id] }
    }

    /// How many alternatives [`Expressions::distributed`] finds.
    pub fn width(&self, id: Id) -> usize {
        match self.get(id) {
            Expression::Or(parts) => parts.len(),
            &Expression::Concat(first, _) => self.alternatives(first).len(),
            Expression::And(parts) => self.only_union(parts).map_or(1, |union| self.alternatives(union).len()),
            _ => 1,
        }
    }

    /// The alternatives of `id`, out of a chain or an intersection too: (x|y)·z = x·z | y·z, (x|y) ∧ z = x∧z | y∧z.
    pub fn distributed(&mut self, id: Id) -> Vec<Id> {
        match self.get(id) {
            &Expression::Concat(first, rest) => {
                let parts = self.alternatives(first);
                parts.into_iter().map(|part| self.concat(part, rest)).collect()
            }
            Expression::And(parts) => {
                let (parts, Some(union)) = (parts.clone(), self.only_union(parts)) else { return vec![id] };
                let others = parts.iter().copied().filter(|&part| part != union);
                let others: Vec<Id> = others.collect();
                let with_others = |part| others.iter().copied().chain([part]).collect();
                self.alternatives(union).into_iter().map(|part| self.and(with_others(part))).collect()
            }
            _ => self.alternatives(id).into_vec(),
        }
    }

    /// Of the parts of an intersection: the one that is a union, if just one is.
    fn only_union(&self, parts: &[Id]) -> Option<Id> {
        let mut unions = parts.iter().copied().filter(|&part| matches!(self.get(part), Expression::Or(_)));
        unions.next().filter(|_| unions.next().is_none())
    }

    /// The alternatives of `id`, each with what is left of it without first parts that may be empty.
    pub fn openings(&self, id: Id) -> SmallVec<[Id; 2]> {
        let mut openings = SmallVec::new();
        for mut at in self.alternatives(id) {
            openings.push(at);
            for _ in 0..MOST_SKIPPED {
                match *self.get(at) {
                    Expression::Concat(first, rest) if self.nullable(first) => at = rest,
                    _ => break,
                }
                openings.push(at);
            }
        }
        openings
    }

    /// The class loop that `id` starts with, and how many of the class can be read with `id` still live.
    pub fn class_loop(&mut self, id: Id) -> Option<(&MintermSet, u32)> {
        let (body, _, repetitions, rest) = self.as_loop(id)?;
        let is_live = self.live(rest).ok()?;
        let Expression::Class(minterms) = self.get(body) else { return None };
        is_live.then_some((minterms, repetitions))
    }

    /// The units of work done so far: parts made and compared.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Whether `id` is every text.
    pub fn is_anything(&self, id: Id) -> bool {
        id == self.anything
    }
}
