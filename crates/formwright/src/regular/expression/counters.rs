//! What masks ask about counters: which states no token can tell apart, and how long their loops may go on.
//!
//! A token of at most `reach - 1` code points cannot exhaust a counter of `reach` or more:
//!
//! ```text
//! reach 100:   a{4999}, a{5000} → a{100,}     one mask serves both
//! ```

use smallvec::{SmallVec, smallvec};

use super::{Expression, Expressions, Id, UNBOUNDED};
use crate::regular::alphabet::MintermSet;

impl Expressions {
    /// The same expression with every counter that no token can exhaust (`>= reach`) made unbounded.
    ///
    /// Two states with equal clamped expressions allow the same tokens of at most `reach - 1` code points.
    pub fn clamp(&mut self, id: Id, reach: u32) -> Id {
        if self.properties[id.0 as usize].bound < reach {
            return id;
        }
        match self.get(id).clone() {
            Expression::Concat(first, rest) => {
                let first = self.clamp(first, reach);
                let rest = self.clamp(rest, reach);
                self.concat(first, rest)
            }
            Expression::Or(parts) => {
                let parts = parts.iter().map(|&part| self.clamp(part, reach)).collect();
                self.or(parts)
            }
            Expression::Loop(body, low, high) => {
                let high = if high >= reach { UNBOUNDED } else { high };
                self.repeat(body, low.min(reach), high)
            }
            // An intersection of clamped parts can be emptier or fuller than the clamped intersection: leave it.
            _ => id,
        }
    }

    /// Of a loop that no token can exhaust: what is left of it once it was read so often that some token can.
    pub fn when_exhaustible(&mut self, id: Id, reach: u32) -> Option<Id> {
        let (body, low, high, rest) = self.as_loop(id)?;
        let most = reach.checked_sub(1)?;
        let read = high.checked_sub(most).filter(|&read| read > 0 && high != UNBOUNDED)?;
        let last = self.repeat(body, low.saturating_sub(read), most);
        Some(self.concat(last, rest))
    }

    /// Bytes by which `id` may need more to its end than its clamped form, after any text that both can read.
    pub fn slack(&mut self, id: Id, reach: u32) -> u32 {
        match self.get(id).clone() {
            Expression::Concat(first, rest) => self.slack(first, reach).saturating_add(self.slack(rest, reach)),
            Expression::Or(parts) => parts.iter().map(|&part| self.slack(part, reach)).max().unwrap_or(0),
            Expression::Loop(body, low, _) if low > reach => self.shortest_or_many(body).saturating_mul(low - reach),
            _ => 0,
        }
    }

    /// Bytes of the shortest text at any time in a class loop of `id`, at most.
    pub fn farthest(&mut self, id: Id) -> u32 {
        let parts = self.alternatives(id);
        parts.into_iter().map(|part| self.shortest_or_many(part)).max().unwrap_or(0).max(self.shortest_or_many(id))
    }

    /// The alternatives of `id`; mostly itself.
    pub fn alternatives(&self, id: Id) -> SmallVec<[Id; 2]> {
        if let Expression::Or(parts) = self.get(id) { SmallVec::from_slice(parts) } else { smallvec![id] }
    }

    /// The class loop that `id` starts with, and how many of the class can be read with `id` still live.
    pub fn class_loop(&mut self, id: Id) -> Option<(&MintermSet, u32)> {
        let (body, _, repetitions, rest) = self.as_loop(id)?;
        let is_live = self.live(rest).ok()?;
        let Expression::Class(minterms) = self.get(body) else { return None };
        is_live.then_some((minterms, repetitions))
    }

    /// Whether `id` is every text.
    pub fn is_anything(&self, id: Id) -> bool {
        id == self.anything
    }
}
