//! Emptiness, as far as it is cheap to see: which alternatives have no value, and which two have none in common.
//!
//! ```text
//! {kind: "a", ...} and {kind: "b", ...}     disjoint: their required members kind share no value
//! ```
//!
//! An alternative that is empty and not seen to be only costs time, so the search looks a few members deep and then
//! answers "not empty". Cost: bounded by the depth asked for, and by [`PROBE`] checks inside each other.

use std::rc::Rc;

use super::SchemaReader;
use crate::error::Result;
use crate::syntax::json_schema::doubles::meet_when_read;
use crate::syntax::json_schema::number::NumberSet;
use crate::syntax::json_schema::sets::{
    ArraySet, Atom, Condition, ObjectSet, OwnedCondition, StringSet, ValueSet, conjoin, is_never,
};

/// Checks inside each other at most, before a union is taken to have values.
pub const PROBE: u32 = 3;

impl<'d> SchemaReader<'d> {
    /// Whether a condition has no value, as far as a look `depth` levels deep shows it.
    pub fn condition_is_empty(&mut self, condition: Condition<'_>, depth: u32) -> bool {
        if is_never(condition) {
            return true;
        }
        if depth == 0 || condition.is_empty() || self.probing >= PROBE {
            return false;
        }
        if self.spend(1).is_err() {
            return false;
        }
        self.probing += 1;
        // An error is reported when the schema itself is read.
        let empty = self.is_shown_empty(condition, depth).unwrap_or(false);
        self.probing -= 1;
        empty
    }

    /// The intersection is not made: one pair of alternatives with a value in common shows that it is not empty.
    fn is_shown_empty(&mut self, condition: Condition<'_>, depth: u32) -> Result<bool> {
        if let [all @ .., last] = condition
            && !all.is_empty()
            && self.cached(condition).is_none()
        {
            let (all, last) = (self.values(all)?, self.values_of_atom(*last)?);
            return Ok(self.are_disjoint(all.over_approximation(), last.over_approximation(), depth));
        }
        let set = self.values(condition)?;
        Ok(self.set_is_empty(&set, depth))
    }

    pub(super) fn set_is_empty(&mut self, set: &ValueSet<'d>, depth: u32) -> bool {
        let set = set.over_approximation();
        if set.null || set.yes || set.no || !set.numbers.is_empty() {
            return false;
        }
        self.has_no_text(&set.strings)
            && set.arrays.iter().all(|array| self.array_is_empty(array, depth))
            && set.objects.iter().all(|object| self.object_is_empty(object, depth))
    }

    fn array_is_empty(&mut self, array: &ArraySet<'d>, depth: u32) -> bool {
        (0..array.low.min(array.prefix.len() as u32 + 1))
            .any(|index| self.condition_is_empty(array.item(index as usize), depth - 1))
    }

    pub(super) fn object_is_empty(&mut self, object: &ObjectSet<'d>, depth: u32) -> bool {
        object.required.iter().any(|name| {
            let condition = self.member_condition(object, name);
            self.condition_is_empty(&condition, depth_of_members(depth))
                || object.names.iter().any(|names| !self.name_allowed(names, name))
        })
    }

    /// The condition on the member called `name`.
    fn member_condition(&mut self, object: &ObjectSet<'d>, name: &str) -> OwnedCondition {
        let mut all = OwnedCondition::new();
        for rule in &object.rules {
            if self.in_names(&rule.names, name) {
                all = conjoin(&all, rule.condition);
            }
        }
        all
    }

    /// Whether no value of `a` is in `b`, as far as that is cheap to see: their intersection is not made.
    pub(super) fn are_disjoint(&mut self, a: &ValueSet<'d>, b: &ValueSet<'d>, depth: u32) -> bool {
        if a.null && b.null || a.yes && b.yes || a.no && b.no {
            return false;
        }
        let are_apart = |a: &NumberSet, b: &NumberSet| a.and(b).is_none() && !meet_when_read(a, b);
        a.numbers.iter().all(|a| b.numbers.iter().all(|b| are_apart(a, b)))
            && a.arrays.iter().all(|a| b.arrays.iter().all(|b| self.have_no_array(a, b, depth)))
            && a.objects.iter().all(|a| b.objects.iter().all(|b| self.have_no_object(a, b, depth)))
            && {
                let strings = a.strings.and(&b.strings, &mut |tree, text| self.accepts(tree, text));
                self.has_no_text(&strings)
            }
    }

    /// Whether no array is in both.
    fn have_no_array(&mut self, a: &ArraySet<'d>, b: &ArraySet<'d>, depth: u32) -> bool {
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        let distinct = low.min(a.prefix.len().max(b.prefix.len()) as u32 + 1) as usize;
        low > high
            || (0..distinct).any(|index| self.condition_is_empty(&conjoin(a.item(index), b.item(index)), depth - 1))
    }

    /// Whether no object is in both: their counts exclude each other, or some required member can have no value in
    /// both. Constants that tell alternatives apart, such as `"kind": "a"` and `"kind": "b"`, are compared first.
    fn have_no_object(&mut self, a: &ObjectSet<'d>, b: &ObjectSet<'d>, depth: u32) -> bool {
        if a.low.max(b.low) > a.high.min(b.high) {
            return true;
        }
        let required: Vec<&&'d str> =
            a.required.iter().chain(b.required.iter().filter(|name| !a.requires(name))).collect();
        let pairs: Vec<(OwnedCondition, OwnedCondition)> =
            required.iter().map(|name| (self.member_condition(a, name), self.member_condition(b, name))).collect();
        pairs.iter().any(|(a, b)| self.are_other_texts(a, b))
            || pairs.iter().any(|(a, b)| self.condition_is_empty(&conjoin(a, b), depth_of_members(depth)))
            || required.iter().any(|name| !self.allows_name(a, name) || !self.allows_name(b, name))
    }

    /// Whether both conditions allow a few texts only, and none in common.
    fn are_other_texts(&mut self, a: Condition<'_>, b: Condition<'_>) -> bool {
        let (Some(a), Some(b)) = (self.only_texts(a), self.only_texts(b)) else { return false };
        match (&a.strings, &b.strings) {
            (StringSet::Finite(a), StringSet::Finite(b)) => a.iter().all(|text| !b.contains(text)),
            _ => false,
        }
    }

    /// The values of a schema that allows a few texts and nothing else.
    pub fn only_texts(&mut self, condition: Condition<'_>) -> Option<Rc<ValueSet<'d>>> {
        let [Atom::Is(_)] = *condition else { return None };
        if self.probing >= PROBE {
            return None;
        }
        self.probing += 1;
        let set = self.values(condition);
        self.probing -= 1;
        let only = |set: &Rc<ValueSet<'d>>| {
            let ValueSet { null, yes, no, numbers, strings, arrays, objects, formula: _, superset } = &**set;
            !(*null || *yes || *no)
                && superset.is_none()
                && numbers.is_empty()
                && arrays.is_empty()
                && objects.is_empty()
                && matches!(strings, StringSet::Finite(_))
        };
        set.ok().filter(only)
    }
}

/// How deep to look at the values of members of what is looked at `depth` levels deep: one level less, but never none,
/// because a member without a value is the most common reason why there is no object. [`PROBE`] ends the search.
fn depth_of_members(depth: u32) -> u32 {
    depth.saturating_sub(1).max(1)
}
