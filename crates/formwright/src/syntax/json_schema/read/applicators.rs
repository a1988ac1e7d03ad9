//! Keywords that combine the sets of other schemas in place: `allOf`, `oneOf`, `if`, `dependentSchemas`,
//! `unevaluated*`.
//!
//! ```text
//! {"oneOf": [A, B]}                   (A ∧ ¬B) | (B ∧ ¬A)
//! {"if": A, "then": B, "else": C}     (A ∧ B) | (¬A ∧ C)
//! ```
//!
//! Cost: the products of unions, or formulas where these would be too large. `oneOf` would need all pairs; options that plainly share no value need no
//! complement, and in most schemas that is all of them.

use std::borrow::Cow;
use std::rc::Rc;

use crate::syntax::json_schema::value::Value;
use bumpalo::Bump;

use super::SchemaReader;
use super::emptiness::PROBE;
use super::place::{Keys, SchemaPlace};
use super::typed::schemas;
use crate::error::{Error, Result};
use crate::language::UNBOUNDED;
use crate::regular::Regular;
use crate::syntax::json_schema::sets::{
    ArraySet, Condition, Formula, FormulaId, NEVER, NameSet, ObjectSet, Rule, TRUE, Union, ValueSet, lone,
};

/// Branches of `anyOf` of which all intersections are made where it matters which of them evaluated something.
const FEW_BRANCHES: usize = 5;

/// Options of `oneOf` for which pairs without a common value are kept.
const PAIRED: usize = 64;

impl<'d> SchemaReader<'d> {
    /// What all of them leave of `set`; of everything, if there is none.
    pub(super) fn applicators(
        &mut self,
        map: Keys<'d>,
        place: &SchemaPlace<'d>,
        mut set: Option<Rc<ValueSet<'d>>>,
    ) -> Result<Rc<ValueSet<'d>>> {
        for part in self.each(map, "allOf", place)? {
            let part = self.values(part)?;
            set = Some(self.intersect(set, part)?);
        }
        if map.contains_key("anyOf") {
            let options = self.each(map, "anyOf", place)?;
            let union = self.any_of(&options)?;
            set = Some(self.intersect(set, Rc::new(union))?);
        }
        if map.contains_key("oneOf") {
            let options = self.each(map, "oneOf", place)?;
            let union = self.one_of(&options, set.as_deref().map(ValueSet::over_approximation))?;
            set = Some(self.intersect(set, Rc::new(union))?);
        }
        if let Some(value) = map.get("not") {
            let inner = self.child(place, value, || place.pointer.at("not"));
            let negated = self.negate(inner);
            let negated = self.values(negated)?;
            set = Some(self.intersect(set, negated)?);
        }
        let set = set.unwrap_or_else(|| Rc::new(ValueSet::any()));
        let set = self.conditional(map, place, set)?;
        let set = self.dependent_schemas(map, place, set)?;
        Ok(self.unevaluated_parts(map, place, set))
    }

    /// What is in both, where none stands for everything.
    pub(super) fn intersect(
        &mut self,
        set: Option<Rc<ValueSet<'d>>>,
        by: Rc<ValueSet<'d>>,
    ) -> Result<Rc<ValueSet<'d>>> {
        match set {
            None => Ok(by),
            Some(set) => self.and(&set, &by).map(Rc::new),
        }
    }

    fn each(&mut self, map: Keys<'d>, key: &'static str, place: &SchemaPlace<'d>) -> Result<Vec<Condition<'d>>> {
        let Some(value) = map.get(key) else { return Ok(Vec::new()) };
        let Value::Array(parts) = value else {
            return Err(Error::schema(&place.pointer.at(key).text(), format!("{key} must be an array of schemas")));
        };
        let at = place.pointer.at(key);
        Ok(parts
            .iter()
            .enumerate()
            .map(|(index, value)| self.child(place, value, || at.at(index.to_string())))
            .collect())
    }

    fn any_of(&mut self, options: &[Condition<'d>]) -> Result<ValueSet<'d>> {
        let sets = options.iter().map(|option| self.values(option)).collect::<Result<Vec<_>>>()?;
        let mut union = ValueSet::never();
        for set in &sets {
            union = union.or(set, &mut self.formulas);
        }
        if self.unevaluated { self.evaluated_by_several(&sets, union) } else { Ok(union) }
    }

    /// A value that is in several branches is evaluated by all of them: intersections of branches are added to their
    /// union. Of many branches, objects need none, because a formula tells of each branch what it evaluates.
    fn evaluated_by_several(&mut self, sets: &[Rc<ValueSet<'d>>], mut union: ValueSet<'d>) -> Result<ValueSet<'d>> {
        let mut sets: Vec<ValueSet<'d>> = sets.iter().map(|set| (**set).clone()).collect();
        if sets.len() > FEW_BRANCHES {
            let branches: Vec<_> = sets.iter().map(|set| set.object_formula(&mut self.formulas)).collect();
            let either = self.formulas.disjunction(branches);
            union.set_objects(lone(ObjectSet::any()), either);
            sets.retain(|set| set.arrays.iter().any(|array| array.evaluated > 0 || !array.evaluated_if.is_empty()));
            sets = sets.into_iter().map(|set| ValueSet { arrays: set.arrays, ..ValueSet::never() }).collect();
        }
        if sets.len() > FEW_BRANCHES {
            return Err(Error::limit("alternatives", 1 << sets.len().min(32), 1 << FEW_BRANCHES));
        }
        let mut combined: Vec<ValueSet<'d>> = Vec::new();
        for set in sets {
            for other in combined.clone() {
                let joined = self.and(&other, &set)?;
                union = union.or(&joined, &mut self.formulas);
                combined.push(joined);
            }
            combined.push(set);
        }
        Ok(union)
    }

    /// One of `options`, of the types in `base` (if it says anything): the others are forbidden beside it, and would
    /// only make options seem to have values in common.
    fn one_of(&mut self, options: &[Condition<'d>], base: Option<&ValueSet<'d>>) -> Result<ValueSet<'d>> {
        let sets = options.iter().map(|option| {
            let set = self.values(option)?;
            Ok(if let Some(base) = base { set.of_types(base) } else { set })
        });
        let sets: Vec<Rc<ValueSet<'d>>> = sets.collect::<Result<_>>()?;
        let mut union = ValueSet::never();
        let mut apart = vec![0_u64; sets.len()]; // by option: those of the first 64 that share no value with it
        for (index, set) in sets.iter().enumerate() {
            let mut only = Cow::Borrowed(&**set);
            for (other, option) in options.iter().enumerate().filter(|(other, _)| *other != index) {
                if other < PAIRED && apart[index] >> other & 1 == 1 {
                    continue;
                }
                if self.are_disjoint(&only, sets[other].over_approximation(), PROBE) {
                    let whole = matches!(only, Cow::Borrowed(set) if !set.is_under_approximation());
                    if whole && index < PAIRED {
                        apart[other] |= 1 << index;
                    }
                    continue;
                }
                let negated = self.negate(option);
                let outside = self.values(negated)?;
                only = Cow::Owned(self.and(&only, &outside)?);
            }
            union = union.or(&only, &mut self.formulas);
        }
        Ok(union)
    }

    fn conditional(
        &mut self,
        map: Keys<'d>,
        place: &SchemaPlace<'d>,
        set: Rc<ValueSet<'d>>,
    ) -> Result<Rc<ValueSet<'d>>> {
        let Some(condition) = map.get("if") else {
            return Ok(set);
        };
        let decides = map.contains_key("then") || map.contains_key("else");
        if !decides && !self.unevaluated {
            return Ok(set);
        }
        let condition = self.child(place, condition, || place.pointer.at("if"));
        let branch = |reader: &mut Self, key: &'static str| match map.get(key) {
            Some(value) => {
                let condition = reader.child(place, value, || place.pointer.at(key));
                reader.values(condition)
            }
            None => Ok(Rc::new(ValueSet::any())),
        };
        let yes = self.values(condition)?;
        let is_uncertain = yes.is_under_approximation();
        let then = branch(self, "then")?;
        let yes = self.and(&yes, &then)?;
        let negated = self.negate(condition);
        let no = self.values(negated)?;
        let otherwise = branch(self, "else")?;
        let no = self.and(&no, &otherwise)?;
        let mut either = yes.or(&no, &mut self.formulas);
        if is_uncertain || !decides {
            // Whichever branch a reader takes, these values are valid; which one evaluates something is not known.
            let both = self.and(&then, &otherwise)?.without_evaluations(&mut self.formulas);
            either = either.or(&both, &mut self.formulas);
        }
        Ok(Rc::new(self.and(&set, &either)?))
    }

    fn dependent_schemas(
        &mut self,
        map: Keys<'d>,
        place: &SchemaPlace<'d>,
        mut set: Rc<ValueSet<'d>>,
    ) -> Result<Rc<ValueSet<'d>>> {
        for key in ["dependentSchemas", "dependencies"] {
            for (name, value) in schemas(map, key, place)? {
                if value.is_array() {
                    continue;
                }
                let formula_of = self.child(place, value, || place.pointer.at(key).at(name.to_string()));
                if formula_of.is_empty() {
                    continue;
                }
                let there = ValueSet {
                    objects: lone(ObjectSet { required: vec![name], low: 1, ..ObjectSet::any() }),
                    ..ValueSet::never()
                };
                let inner = self.values(formula_of)?;
                let there = self.and(&there, &inner)?;
                let never = Rule { names: NameSet::One(name), condition: NEVER };
                let absent =
                    ValueSet { objects: lone(ObjectSet { rules: vec![never], ..ObjectSet::any() }), ..ValueSet::any() };
                let either = absent.or(&there, &mut self.formulas);
                set = Rc::new(self.and(&set, &either)?);
            }
        }
        Ok(set)
    }

    // unevaluatedProperties and unevaluatedItems: what is evaluated is known once everything else is combined.

    fn unevaluated_parts(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>, set: Rc<ValueSet<'d>>) -> Rc<ValueSet<'d>> {
        if !map.contains_key("unevaluatedProperties") && !map.contains_key("unevaluatedItems") {
            return set;
        }
        let mut set = Rc::unwrap_or_clone(set);
        if let Some(value) = map.get("unevaluatedProperties") {
            let condition = self.child(place, value, || place.pointer.at("unevaluatedProperties"));
            let objects = std::mem::take(&mut set.objects);
            if set.formula == TRUE {
                let left = |object: &Rc<_>| unevaluated_members(object, condition, self.arena).map(Rc::new);
                set.objects = objects.iter().filter_map(left).collect();
            } else {
                let formula = self.unevaluated_formula(&objects, set.formula, condition);
                set.set_objects(objects, formula);
            }
        }
        if let Some(value) = map.get("unevaluatedItems") {
            let condition = self.child(place, value, || place.pointer.at("unevaluatedItems"));
            let arrays = std::mem::take(&mut set.arrays);
            for array in arrays {
                let mut options = array.evaluated_if.clone();
                options.push(condition);
                let rest = self.either(options);
                if array.evaluated == UNBOUNDED {
                    set.arrays.push(array);
                    continue;
                }
                let prefix = vec![Condition::default(); array.evaluated as usize];
                let rule = ArraySet { prefix, rest, evaluated: UNBOUNDED, ..ArraySet::any() };
                set.arrays.extend(array.and(&rule, self.arena).map(Rc::new));
            }
        }
        Rc::new(set)
    }
}

impl<'d> SchemaReader<'d> {
    /// As [`unevaluated_members`], where a formula tells which members are evaluated.
    fn unevaluated_formula(
        &mut self,
        objects: &Union<ObjectSet<'d>>,
        formula: FormulaId,
        condition: Condition<'d>,
    ) -> FormulaId {
        let of = self.formulas.of_union(objects, formula);
        let left = self.formulas.unit(Formula::EachUnevaluated(of, condition));
        let every_name = NameSet::Except { names: &[], patterns: Vec::new() };
        let all = self.formulas.unit(Formula::Evaluates(every_name));
        self.formulas.conjunction([formula, left, all])
    }
}

/// The object with `condition` demanded of every member that nothing evaluates.
fn unevaluated_members<'d>(object: &ObjectSet<'d>, condition: Condition<'d>, arena: &'d Bump) -> Option<ObjectSet<'d>> {
    let mut names: Vec<&'d str> = Vec::new();
    let mut patterns: Vec<Regular> = Vec::new();
    let mut inside = None;
    for evaluated in &object.evaluated {
        match evaluated {
            NameSet::One(name) => names.push(*name),
            NameSet::In(tree) => patterns.push(tree.clone()),
            NameSet::Kind(_) => {}
            NameSet::Except { names, patterns } => inside = Some((*names, patterns.clone())),
        }
    }
    let mut rule =
        ObjectSet { evaluated: vec![NameSet::Except { names: &[], patterns: Vec::new() }], ..ObjectSet::any() };
    match inside {
        None => {
            let names = NameSet::Except { names: arena.alloc_slice_copy(&names), patterns };
            rule.rules.push(Rule { names, condition });
        }
        Some((left, left_patterns)) => {
            for name in left.iter().filter(|name| !names.contains(name)) {
                let outside = Regular::and(
                    std::iter::once(Regular::text(name)).chain(patterns.iter().map(|tree| tree.clone().not())),
                );
                rule.rules.push(Rule { names: NameSet::In(outside), condition });
            }
            for tree in left_patterns.iter().filter(|tree| !patterns.contains(tree)) {
                let others = names.iter().map(|name| Regular::text(name)).chain(patterns.iter().cloned());
                let outside = Regular::and(std::iter::once(tree.clone()).chain(others.map(Regular::not)));
                rule.rules.push(Rule { names: NameSet::In(outside), condition });
            }
        }
    }
    object.and(&rule)
}
