//! Unions of conjunctions, multiplied out: the disjunctive normal form of numbers, arrays and objects.
//!
//! ```text
//! (a | b) ∧ (c | d) = ac | ad | bc | bd
//! ```
//!
//! Cost: a product has as many parts as both unions multiplied, so there is a limit, beyond which there is none. A part
//! that lies inside a part of the other union is its own product with that union; this keeps most products small.

use std::ops::Deref;
use std::rc::Rc;

use bumpalo::Bump;
use smallvec::SmallVec;

use crate::interrupt::count;
use crate::syntax::json_schema::number::NumberSet;

/// A union of conjunctions. Mostly it has one, which other unions share.
pub type Union<T> = SmallVec<[Rc<T>; 1]>;

/// A union of one part.
pub fn lone<T>(one: T) -> Union<T> {
    Union::from_buf([Rc::new(one)])
}

/// How unions are multiplied.
#[derive(Clone, Copy, Debug)]
pub struct ProductRules<'d> {
    /// Where conditions lie.
    pub arena: &'d Bump,
    /// Most parts of a product of objects.
    pub limit: usize,
    /// Whether a part that lies inside the other union is multiplied no further. Not where it matters which branches
    /// evaluated a member or item.
    pub absorb: bool,
}

/// Adds the parts that are not there.
pub(super) fn extend_new<T: Clone + PartialEq>(into: &mut (impl Deref<Target = [T]> + Extend<T>), from: &[T]) {
    if into.is_empty() {
        return into.extend(from.iter().cloned()); // none is there twice
    }
    for part in from {
        count(into.len());
        if !into.contains(part) {
            into.extend([part.clone()]);
        }
    }
}

/// A union of new parts.
pub(super) fn shared<T>(parts: Vec<T>) -> Union<T> {
    parts.into_iter().map(Rc::new).collect()
}

/// The non-empty pairwise intersections; `None` if they are more than `limit`. The product with a single part is at
/// most as large as the other union, and always made.
///
/// A part that lies inside some part of the other union stays as it is: its other intersections add nothing.
pub(super) fn product<'d, T: Conjunct<'d>>(
    a: &[Rc<T>],
    b: &[Rc<T>],
    limit: usize,
    rules: ProductRules<'d>,
) -> Option<Union<T>> {
    let mut all: Union<T> = Union::with_capacity(a.len().max(b.len()));
    let limit = if a.len().min(b.len()) == 1 { limit.max(a.len()).max(b.len()) } else { limit };
    for left in a {
        if rules.absorb && b.iter().any(|right| left.lies_in(right, rules.arena)) {
            extend_new(&mut all, std::slice::from_ref(left));
        } else {
            for (right, part) in b.iter().filter_map(|right| Some((right, intersect(left, right, rules.arena)?))) {
                let same = a.len() == 1 && part == *right; // the parts of a union differ
                if same || !all.contains(&part) {
                    all.push(part);
                }
                if all.len() > limit {
                    return None;
                }
            }
        }
    }
    Some(all)
}

/// What is in both.
fn intersect<'d, T: Conjunct<'d>>(a: &Rc<T>, b: &Rc<T>, arena: &'d Bump) -> Option<Rc<T>> {
    if b.is_any() {
        Some(Rc::clone(a)) // most often: a schema that says nothing about the type
    } else if a.is_any() {
        Some(Rc::clone(b))
    } else {
        a.and(b, arena).map(Rc::new)
    }
}

/// A conjunction that a union is made of.
pub(super) trait Conjunct<'d>: PartialEq + Sized {
    /// Whether it says nothing.
    fn is_any(&self) -> bool;

    /// What is in both.
    fn and(&self, other: &Self, arena: &'d Bump) -> Option<Self>;

    /// Whether it plainly adds nothing that `other` forbids.
    fn lies_in(&self, other: &Self, arena: &'d Bump) -> bool {
        other.is_any() || self.and(other, arena).as_ref() == Some(self)
    }
}

impl<'d> Conjunct<'d> for NumberSet {
    fn is_any(&self) -> bool {
        *self == Self::default()
    }

    fn and(&self, other: &Self, _: &'d Bump) -> Option<Self> {
        self.and(other)
    }
}
