//! Alternatives that others include are left out: of `(a?b*){10000}`, one stays after any text, not thousands.
//!
//! ```text
//! x ⊆ y?·x     a·x ⊆ a·y if x ⊆ y     c{1,2}·x ⊆ d{0,5}·y if c ⊆ d and x ⊆ y     c·x ⊆ d*·y if c ⊆ d and x ⊆ d*·y
//! ```
//!
//! Cost: nothing where no part of an alternative may be left out; else a few comparisons for each alternative, of a
//! bounded number of steps. What is not found is kept, which makes more states and never wrong ones.

use super::{EMPTY, Expression, Expressions, Id, UNBOUNDED};

/// Steps of one comparison.
const STEPS: u32 = 64;

/// Alternatives that each one is compared with: those made last before it, which are the likeliest.
const NEIGHBOURS: usize = 8;

/// After so many alternatives in a row of which none was left out, the others are kept.
const IN_VAIN: usize = 64;

impl Expressions {
    /// Leaves out alternatives that others include, as far as a look at their neighbours shows. They are sorted.
    pub(super) fn absorb(&mut self, alternatives: &mut Vec<Id>) {
        let may_skip = |id: &&Id| self.properties[id.0 as usize].skips;
        if alternatives.len() < 2 || !alternatives.iter().any(|id| may_skip(&id)) {
            return;
        }
        let (mut kept, mut in_vain) = (Vec::with_capacity(alternatives.len()), 0);
        for (at, &alternative) in alternatives.iter().enumerate() {
            let before = kept.len();
            self.add_alternative(&mut kept, alternative);
            in_vain = if kept.len() > before { in_vain + 1 } else { 0 };
            if in_vain == IN_VAIN {
                kept.extend_from_slice(&alternatives[at + 1..]);
                break;
            }
        }
        kept.sort_unstable();
        *alternatives = kept;
    }

    /// Leaves out intersections that ask for more than another alternative does: x ∧ y ⊆ x. Without this, alternatives
    /// that look ahead would be one more with every character.
    pub(super) fn absorb_intersections(&mut self, alternatives: &mut Vec<Id>) {
        let looks = |id: &Id| self.properties[id.0 as usize].looks_ahead && matches!(self.get(*id), Expression::And(_));
        if alternatives.len() < 2 || alternatives.len() > IN_VAIN || !alternatives.iter().any(looks) {
            return;
        }
        let mut at = 0;
        while at < alternatives.len() {
            if (0..alternatives.len()).any(|other| other != at && self.asks_less(alternatives[other], alternatives[at]))
            {
                alternatives.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Whether every conjunct of `large` plainly includes one of `small`.
    fn asks_less(&mut self, large: Id, small: Id) -> bool {
        let conjuncts = |expressions: &Self, id| match expressions.get(id) {
            Expression::And(parts) => parts.to_vec(),
            _ => vec![id],
        };
        let (of_large, of_small) = (conjuncts(self, large), conjuncts(self, small));
        of_large.iter().all(|&large| of_small.iter().any(|&small| large == small || self.includes(large, small)))
    }

    /// Adds an alternative unless one of its neighbours includes it; leaves out those that it includes.
    pub(super) fn add_alternative(&mut self, alternatives: &mut Vec<Id>, new: Id) {
        for at in (alternatives.len().saturating_sub(NEIGHBOURS)..alternatives.len()).rev() {
            if self.includes(alternatives[at], new) {
                return;
            }
            if self.includes(new, alternatives[at]) {
                alternatives.remove(at);
            }
        }
        alternatives.push(new);
    }

    /// Whether every text of `small` plainly is one of `large`.
    fn includes(&mut self, mut large: Id, mut small: Id) -> bool {
        let (of_large, of_small) = (self.properties[large.0 as usize], self.properties[small.0 as usize]);
        let is_shorter = !of_large.boolean && !of_small.boolean && of_small.shortest < of_large.shortest;
        if is_shorter || !of_large.skips {
            return large == small;
        }
        let mut steps = 0;
        let found = self.loops_over(large, small, &mut steps)
            || loop {
                let skipped = self.skip_to(large, small, &mut steps);
                if skipped == small || skipped == self.anything {
                    break true;
                }
                match (self.split(large), self.split(small)) {
                    (Some((first, rest)), Some((other, other_rest)))
                        if steps < STEPS && self.part_includes(first, other) =>
                    {
                        (large, small, steps) = (rest, other_rest, steps + 1);
                    }
                    _ => break false,
                }
            };
        self.work(1 + steps as usize / 16);
        found
    }

    /// Whether `small` ends with `large`, and `large` begins with a class loop that covers what is before.
    fn loops_over(&self, large: Id, small: Id, steps: &mut u32) -> bool {
        let Some((star, _)) = self.split(large) else { return false };
        let is_star = matches!(*self.get(star), Expression::Loop(body, 0, UNBOUNDED)
            if matches!(self.get(body), Expression::Class(_)));
        let (body, ..) = self.times(star);
        let mut at = small;
        while is_star && at > large && *steps < STEPS {
            *steps += 1;
            match self.split(at) {
                Some((part, rest)) if self.times(part).0 == body || self.class_includes(body, self.times(part).0) => {
                    at = rest;
                }
                _ => return false,
            }
        }
        is_star && at == large
    }

    /// Leaves out first parts that may be empty, until `wanted` is left. A rest is made before what begins with it, so
    /// that ids fall along a chain.
    fn skip_to(&self, from: Id, wanted: Id, steps: &mut u32) -> Id {
        let mut at = from;
        while at > wanted && *steps < STEPS {
            *steps += 1;
            match self.split(at) {
                Some((first, rest)) if self.nullable(first) => at = rest,
                _ => break,
            }
        }
        at
    }

    /// The first part and the rest; none of the empty text and of no text.
    fn split(&self, id: Id) -> Option<(Id, Id)> {
        match *self.get(id) {
            Expression::Never | Expression::Empty => None,
            Expression::Concat(first, rest) => Some((first, rest)),
            _ => Some((id, EMPTY)),
        }
    }

    /// Whether a part plainly includes another one.
    fn part_includes(&self, large: Id, small: Id) -> bool {
        if large == small {
            return true;
        }
        let ((large, low, high), (small, least, most)) = (self.times(large), self.times(small));
        let longer = high == UNBOUNDED || most <= high && most != UNBOUNDED;
        low <= least && longer && (large == small || self.class_includes(large, small))
    }

    /// What is repeated, and how often.
    fn times(&self, part: Id) -> (Id, u32, u32) {
        if let Expression::Loop(body, low, high) = *self.get(part) { (body, low, high) } else { (part, 1, 1) }
    }

    fn class_includes(&self, large: Id, small: Id) -> bool {
        match (self.get(large), self.get(small)) {
            (Expression::Class(large), Expression::Class(small)) => {
                large.iter().zip(small).all(|(large, small)| small & !large == 0)
            }
            _ => false,
        }
    }
}
