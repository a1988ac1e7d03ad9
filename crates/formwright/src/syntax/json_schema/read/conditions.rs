//! From conditions to the values they allow.
//!
//! ```text
//! Is(A) ∧ IsNot(B)     the values of A, intersected with the complement of those of B
//! ```
//!
//! Cost: each condition is evaluated once. While emptiness is checked, schemas are looked into less deeply, so
//! what such a check finds out is cached for checks of that depth only.

use std::rc::Rc;

use super::SchemaReader;
use super::place::SchemaPlace;
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::syntax::json_schema::sets::{Atom, Condition, NEVER, ProductRules, ValueSet, conjoin_in, is_never};

/// Keywords that a format can be at or below.
const FORMATS_BELOW: [&str; 10] =
    ["format", "propertyNames", "oneOf", "anyOf", "not", "allOf", "if", "dependentSchemas", "dependencies", "$ref"];

impl<'d> SchemaReader<'d> {
    /// The values a condition allows.
    pub fn values(&mut self, condition: Condition<'_>) -> Result<Rc<ValueSet<'d>>> {
        if let [Atom::Is(id)] = *condition {
            return self.values_of_schema(id);
        }
        if let Some(cached) = self.cached(condition) {
            return Ok(cached);
        }
        let set = self.combine_all(condition)?;
        self.cache(condition, &set);
        Ok(set)
    }

    /// The values of a condition, if they were found by a check as deep as those under way, or by none.
    pub(super) fn cached(&self, condition: Condition<'_>) -> Option<Rc<ValueSet<'d>>> {
        self.combined[..=self.probing as usize].iter().find_map(|cache| cache.get(condition)).cloned()
    }

    pub(super) fn cache(&mut self, condition: Condition<'_>, set: &Rc<ValueSet<'d>>) {
        let condition = &*self.arena.alloc_slice_copy(condition);
        self.combined[self.probing as usize].insert(condition, Rc::clone(set));
    }

    fn combine_all(&mut self, condition: Condition<'_>) -> Result<Rc<ValueSet<'d>>> {
        let mut set: Option<Rc<ValueSet<'d>>> = None;
        for &atom in condition {
            let part = self.values_of_atom(atom)?;
            set = Some(match set {
                None => part,
                Some(set) => Rc::new(self.and(&set, &part)?),
            });
        }
        Ok(set.unwrap_or_else(|| Rc::new(ValueSet::any())))
    }

    pub(super) fn values_of_atom(&mut self, atom: Atom) -> Result<Rc<ValueSet<'d>>> {
        match atom {
            Atom::Never => Ok(Rc::new(ValueSet::never())),
            Atom::Is(id) => self.values_of_schema(id),
            Atom::IsNot(id) => {
                if let Some(cached) = self.cached(&[atom]) {
                    return Ok(cached);
                }
                let set = self.values_of_schema(id)?;
                let complement = Rc::new(self.complement(&set, atom)?);
                self.cache(&[atom], &complement);
                Ok(complement)
            }
            Atom::Equals(id) => self.value_of_constant(id).map(Rc::new),
            Atom::Differs(id) => {
                let set = self.value_of_constant(id)?;
                Ok(Rc::new(self.complement(&set, atom)?))
            }
            Atom::Either(id) => {
                let mut union = ValueSet::never();
                for option in self.eithers[id as usize].clone() {
                    let option = self.values(option)?;
                    union = union.or(&option, &mut self.formulas);
                }
                Ok(Rc::new(union))
            }
        }
    }

    fn value_of_constant(&mut self, id: u32) -> Result<ValueSet<'d>> {
        let value = self.constants[id as usize];
        self.constant(value, &SchemaPlace::nowhere(value))
    }

    /// The condition to meet at least one of several.
    pub(super) fn either(&mut self, options: Vec<Condition<'d>>) -> Condition<'d> {
        if options.iter().any(|option| option.is_empty()) {
            return Condition::default();
        }
        let mut options: Vec<Condition<'d>> = options.into_iter().filter(|option| !is_never(option)).collect();
        options.dedup();
        match options.len() {
            0 => NEVER,
            1 => options[0],
            _ => {
                let known = self.eithers.iter().position(|other| *other == options);
                let id = known.unwrap_or_else(|| {
                    self.eithers.push(options);
                    self.eithers.len() - 1
                });
                self.alone(Atom::Either(id as u32))
            }
        }
    }

    /// The complement of a condition.
    pub fn negate(&mut self, of: Condition<'d>) -> Condition<'d> {
        let parts = of.iter().map(|atom| match *atom {
            Atom::Never => Condition::default(),
            Atom::Is(id) => self.alone(Atom::IsNot(id)),
            Atom::IsNot(id) => self.alone(Atom::Is(id)),
            Atom::Equals(id) => self.alone(Atom::Differs(id)),
            Atom::Differs(id) => self.alone(Atom::Equals(id)),
            Atom::Either(id) => {
                let options = self.eithers[id as usize].clone();
                options
                    .iter()
                    .fold(Condition::default(), |all, option| conjoin_in(self.arena, all, self.negate(option)))
            }
        });
        let parts: Vec<Condition<'d>> = parts.collect();
        if parts.is_empty() { NEVER } else { self.either(parts) }
    }

    fn no_complement(&self, atom: Atom) -> Error {
        Error::unsupported(
            &self.pointer_of_atom(atom),
            "the negation of this schema cannot be enforced: it demands unique items",
        )
        .hint("simplify oneOf, not or if")
    }

    /// What is in both sets.
    pub(super) fn and(&mut self, a: &ValueSet<'d>, b: &ValueSet<'d>) -> Result<ValueSet<'d>> {
        self.spend(size(a) + size(b))?;
        let (rules, mut formulas) = (self.product_rules(), std::mem::take(&mut self.formulas));
        let both = a.and(b, rules, &mut formulas, &mut |tree, text| self.accepts(tree, text));
        self.formulas = formulas;
        let mut both = both?;
        self.check_answers()?;
        if both.objects.len() > 1 {
            both.objects.retain(|object| !self.object_is_empty(object, 1));
        }
        Ok(both)
    }

    /// Counts work, which is bounded.
    pub(super) fn spend(&mut self, steps: usize) -> Result<()> {
        self.steps += steps;
        count(steps);
        let allowed = self.limits().schema_steps;
        if self.steps > allowed {
            return Err(Error::limit("schema_steps", self.steps, allowed)
                .hint("simplify oneOf, not, if and anyOf whose branches speak of the same members"));
        }
        Ok(())
    }

    /// Where it matters which branches evaluated a member, no alternative absorbs another.
    fn product_rules(&self) -> ProductRules<'d> {
        ProductRules { arena: self.arena, limit: self.limits().alternatives, absorb: !self.unevaluated }
    }

    pub(super) fn complement(&mut self, set: &ValueSet<'d>, atom: Atom) -> Result<ValueSet<'d>> {
        self.spend(size(set))?;
        let (rules, mut formulas) = (self.product_rules(), std::mem::take(&mut self.formulas));
        let complement = set.complement(rules, &mut formulas, &mut |condition| self.negate(condition));
        self.formulas = formulas;
        let complement = complement?.ok_or_else(|| self.no_complement(atom))?;
        if complement.is_under_approximation() {
            self.note_formats(atom);
        }
        Ok(complement)
    }

    /// Notes that a complement leaves out values on whose format readers differ.
    fn note_formats(&mut self, atom: Atom) {
        if let Atom::Is(id) | Atom::IsNot(id) = atom {
            let place = self.schemas[id as usize].clone();
            let note = "what is forbidden here holds whether formats are asserted or are annotations";
            for key in FORMATS_BELOW {
                self.note(&place, key, "narrowed", note);
            }
        }
    }
}

/// How much a set says, roughly: what an operation on it costs.
fn size(set: &ValueSet<'_>) -> usize {
    let objects = set.objects.iter().map(|object| 1 + object.rules.len() + object.required.len());
    1 + set.numbers.len() + set.arrays.len() + objects.sum::<usize>()
}
