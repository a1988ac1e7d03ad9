//! Sets of arrays: items by position, how many there are, and how many of them meet further conditions.
//!
//! ```text
//! {"prefixItems": [A], "items": B, "contains": C, "minItems": 2}     A, B, B, ...; at least 2; at least 1 in C
//! ```
//!
//! There is no complement of "all items differ" in this form.

use bumpalo::Bump;

use super::condition::{Condition, conjoin_in, is_never};
use super::union::{Conjunct, extend_new};
use crate::language::UNBOUNDED;

/// The arrays that meet all of these conditions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArraySet<'d> {
    /// Conditions by position.
    pub prefix: Vec<Condition<'d>>,
    /// Condition on every further item.
    pub rest: Condition<'d>,
    pub low: u32,
    /// [`UNBOUNDED`] or the most items.
    pub high: u32,
    pub contains: Vec<Contains<'d>>,
    pub unique: bool,
    /// Items before this position are evaluated (`unevaluatedItems`); [`UNBOUNDED`]: all.
    pub evaluated: u32,
    /// Items that meet one of these are evaluated too.
    pub evaluated_if: Vec<Condition<'d>>,
}

/// `low..=high` items from position `from` on meet a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Contains<'d> {
    pub condition: Condition<'d>,
    pub from: u32,
    pub low: u32,
    pub high: u32,
}

impl<'d> ArraySet<'d> {
    pub fn any() -> Self {
        Self { high: UNBOUNDED, ..Self::default() }
    }

    /// The condition on the item at `index`.
    pub fn item(&self, index: usize) -> Condition<'d> {
        self.prefix.get(index).copied().unwrap_or(self.rest)
    }

    pub fn and(&self, other: &Self, arena: &'d Bump) -> Option<Self> {
        if self.low.max(other.low) > self.high.min(other.high) {
            return None;
        }
        let longest = self.prefix.len().max(other.prefix.len());
        let mut contains = self.contains.clone();
        extend_new(&mut contains, &other.contains);
        let mut evaluated_if = self.evaluated_if.clone();
        extend_new(&mut evaluated_if, &other.evaluated_if);
        let mut result = Self {
            prefix: (0..longest).map(|index| conjoin_in(arena, self.item(index), other.item(index))).collect(),
            rest: conjoin_in(arena, self.rest, other.rest),
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            contains,
            unique: self.unique || other.unique,
            evaluated: self.evaluated.max(other.evaluated),
            evaluated_if,
        };
        if let Some(first) = (0..=longest).find(|&index| is_never(result.item(index))) {
            result.high = result.high.min(first as u32);
        }
        (result.low <= result.high).then_some(result)
    }

    /// The arrays that break one of the conditions; `None` if it is uniqueness that may be broken.
    pub(super) fn complement(&self, negate: &mut impl FnMut(Condition<'d>) -> Condition<'d>) -> Option<Vec<Self>> {
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
                let mut prefix = vec![Condition::default(); index];
                prefix.push(negate(item));
                parts.push(Self { prefix, low: index as u32 + 1, ..Self::any() });
            }
        }
        if !self.rest.is_empty() {
            let from = self.prefix.len() as u32;
            if is_never(self.rest) {
                parts.push(Self { low: from + 1, ..Self::any() });
            } else {
                let some = Contains { condition: negate(self.rest), from, low: 1, high: UNBOUNDED };
                parts.push(Self { contains: vec![some], low: from + 1, ..Self::any() });
            }
        }
        for some in &self.contains {
            if some.low > 0 {
                parts.push(Self {
                    contains: vec![Contains { low: 0, high: some.low - 1, ..some.clone() }],
                    ..Self::any()
                });
            }
            if some.high < UNBOUNDED {
                let low = some.high + 1;
                parts.push(Self {
                    contains: vec![Contains { low, high: UNBOUNDED, ..some.clone() }],
                    low,
                    ..Self::any()
                });
            }
        }
        Some(parts)
    }
}

impl<'d> Conjunct<'d> for ArraySet<'d> {
    fn is_any(&self) -> bool {
        *self == Self::any()
    }

    fn and(&self, other: &Self, arena: &'d Bump) -> Option<Self> {
        self.and(other, arena)
    }
}
