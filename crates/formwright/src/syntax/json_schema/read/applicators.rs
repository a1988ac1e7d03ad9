//! Keywords that combine the shapes of other schemas in place: `allOf`, `oneOf`, `if`, `dependentSchemas`, `unevaluated*`.

use std::borrow::Cow;
use std::rc::Rc;

use crate::syntax::json_schema::value::Value;
use bumpalo::Bump;

use super::place::{Keys, Place};
use super::typed::schemas;
use super::{PROBE, Reader};
use crate::error::{Error, Result};
use crate::language::UNBOUNDED;
use crate::regular::Regular;
use crate::syntax::json_schema::document::Dialect;
use crate::syntax::json_schema::shape::{ArrayShape, Formula, NEVER, Names, ObjectShape, Rule, Shape, lone};

/// Of so many options it is remembered with which others they share no value.
const PAIRED: usize = 64;

impl<'d> Reader<'d> {
    /// What all of them leave of `shape`; of everything, if there is none.
    pub(super) fn applicators(
        &mut self,
        map: Keys<'d>,
        place: &Place<'d>,
        mut shape: Option<Rc<Shape<'d>>>,
    ) -> Result<Rc<Shape<'d>>> {
        for part in self.each(map, "allOf", place)? {
            let part = self.shape(part)?;
            shape = Some(self.narrowed(shape, part, place));
        }
        if map.contains_key("anyOf") {
            let options = self.each(map, "anyOf", place)?;
            let union = self.any_of(&options, place)?;
            shape = Some(self.narrowed(shape, Rc::new(union), place));
        }
        if map.contains_key("oneOf") {
            let options = self.each(map, "oneOf", place)?;
            let union = self.one_of(&options, shape.as_deref().map(Shape::bound), place)?;
            shape = Some(self.narrowed(shape, Rc::new(union), place));
        }
        if let Some(value) = map.get("not") {
            let inner = self.child(place, value, || place.pointer.at("not"));
            let negated = self.negate(inner);
            let negated = self.shape(negated)?;
            shape = Some(self.narrowed(shape, negated, place));
        }
        let shape = shape.unwrap_or_else(|| Rc::new(Shape::any()));
        let shape = self.conditional(map, place, shape)?;
        let shape = self.dependent_schemas(map, place, shape)?;
        Ok(self.unevaluated_parts(map, place, shape))
    }

    /// What is in both, where none stands for everything.
    fn narrowed(&mut self, shape: Option<Rc<Shape<'d>>>, by: Rc<Shape<'d>>, place: &Place<'d>) -> Rc<Shape<'d>> {
        match shape {
            None => by,
            Some(shape) => Rc::new(self.join(&shape, &by, place)),
        }
    }

    fn each(&mut self, map: Keys<'d>, key: &'static str, place: &Place<'d>) -> Result<Vec<Formula<'d>>> {
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

    fn any_of(&mut self, options: &[Formula<'d>], place: &Place<'d>) -> Result<Shape<'d>> {
        let mut union = Shape::never();
        let mut combined: Vec<Shape<'d>> = Vec::new();
        for option in options {
            let shape = self.shape(option)?;
            if self.unevaluated {
                // A value in several branches is evaluated by all of them.
                for other in combined.clone() {
                    let joined = self.join(&other, &shape, place);
                    union = union.or(&joined);
                    combined.push(joined);
                }
                if combined.len() > self.limits().alternatives {
                    return Err(Error::limit("alternatives", combined.len(), self.limits().alternatives));
                }
                combined.push((*shape).clone());
            }
            union = union.or(&shape);
        }
        Ok(union)
    }

    /// One of `options`, of the types in `base` (if it says anything): the others are forbidden beside it, and would
    /// only make options seem to have values in common.
    fn one_of(&mut self, options: &[Formula<'d>], base: Option<&Shape<'d>>, place: &Place<'d>) -> Result<Shape<'d>> {
        let shapes = options.iter().map(|option| {
            let shape = self.shape(option)?;
            Ok(if let Some(base) = base { shape.of_types(base) } else { shape })
        });
        let shapes: Vec<Rc<Shape<'d>>> = shapes.collect::<Result<_>>()?;
        let mut union = Shape::never();
        let mut apart = vec![0_u64; shapes.len()]; // by option: those of the first 64 that share no value with it
        for (index, shape) in shapes.iter().enumerate() {
            let mut only = Cow::Borrowed(&**shape);
            for (other, option) in options.iter().enumerate().filter(|(other, _)| *other != index) {
                if other < PAIRED && apart[index] >> other & 1 == 1 {
                    continue;
                }
                if self.are_disjoint(&only, shapes[other].bound(), PROBE) {
                    let whole = matches!(only, Cow::Borrowed(shape) if !shape.is_narrowed());
                    if whole && index < PAIRED {
                        apart[other] |= 1 << index;
                    }
                    continue;
                }
                let negated = self.negate(option);
                let outside = self.shape(negated)?;
                only = Cow::Owned(self.join(&only, &outside, place));
            }
            union = union.or(&only);
        }
        Ok(union)
    }

    fn conditional(&mut self, map: Keys<'d>, place: &Place<'d>, shape: Rc<Shape<'d>>) -> Result<Rc<Shape<'d>>> {
        let Some(condition) = map.get("if").filter(|_| self.dialect(place) >= Dialect::Draft7) else {
            return Ok(shape);
        };
        if !map.contains_key("then") && !map.contains_key("else") && !self.unevaluated {
            return Ok(shape);
        }
        let condition = self.child(place, condition, || place.pointer.at("if"));
        let branch = |reader: &mut Self, key: &'static str| match map.get(key) {
            Some(value) => {
                let formula = reader.child(place, value, || place.pointer.at(key));
                reader.shape(formula)
            }
            None => Ok(Rc::new(Shape::any())),
        };
        let yes = self.shape(condition)?;
        let then = branch(self, "then")?;
        let yes = self.join(&yes, &then, place);
        let negated = self.negate(condition);
        let no = self.shape(negated)?;
        let otherwise = branch(self, "else")?;
        let no = self.join(&no, &otherwise, place);
        Ok(Rc::new(self.join(&shape, &yes.or(&no), place)))
    }

    fn dependent_schemas(
        &mut self,
        map: Keys<'d>,
        place: &Place<'d>,
        mut shape: Rc<Shape<'d>>,
    ) -> Result<Rc<Shape<'d>>> {
        for key in ["dependentSchemas", "dependencies"] {
            for (name, value) in schemas(map, key, place)? {
                if value.is_array() {
                    continue;
                }
                let formula_of = self.child(place, value, || place.pointer.at(key).at(name.to_string()));
                if formula_of.is_empty() {
                    continue;
                }
                let there = Shape {
                    objects: lone(ObjectShape { required: vec![name], low: 1, ..ObjectShape::any() }),
                    ..Shape::never()
                };
                let inner = self.shape(formula_of)?;
                let there = self.join(&there, &inner, place);
                let never = Rule { names: Names::One(name), formula: NEVER };
                let absent =
                    Shape { objects: lone(ObjectShape { rules: vec![never], ..ObjectShape::any() }), ..Shape::any() };
                shape = Rc::new(self.join(&shape, &absent.or(&there), place));
            }
        }
        Ok(shape)
    }

    // unevaluatedProperties and unevaluatedItems: what is evaluated is known once everything else is combined.

    fn unevaluated_parts(&mut self, map: Keys<'d>, place: &Place<'d>, shape: Rc<Shape<'d>>) -> Rc<Shape<'d>> {
        if !map.contains_key("unevaluatedProperties") && !map.contains_key("unevaluatedItems") {
            return shape;
        }
        let mut shape = Rc::unwrap_or_clone(shape);
        if let Some(value) = map.get("unevaluatedProperties") {
            let formula = self.child(place, value, || place.pointer.at("unevaluatedProperties"));
            let objects = std::mem::take(&mut shape.objects);
            let left = |object: &Rc<_>| unevaluated_members(object, formula, self.arena).map(Rc::new);
            shape.objects = objects.iter().filter_map(left).collect();
        }
        if let Some(value) = map.get("unevaluatedItems") {
            let formula = self.child(place, value, || place.pointer.at("unevaluatedItems"));
            let arrays = std::mem::take(&mut shape.arrays);
            for array in arrays {
                let mut options = array.evaluated_if.clone();
                options.push(formula);
                let rest = self.either(options);
                if array.evaluated == UNBOUNDED {
                    shape.arrays.push(array);
                    continue;
                }
                let prefix = vec![Formula::default(); array.evaluated as usize];
                let rule = ArrayShape { prefix, rest, evaluated: UNBOUNDED, ..ArrayShape::any() };
                shape.arrays.extend(array.and(&rule, self.arena).map(Rc::new));
            }
        }
        Rc::new(shape)
    }
}

/// The object with `formula` demanded of every member that nothing evaluates.
fn unevaluated_members<'d>(object: &ObjectShape<'d>, formula: Formula<'d>, arena: &'d Bump) -> Option<ObjectShape<'d>> {
    let mut names: Vec<&'d str> = Vec::new();
    let mut patterns: Vec<Regular> = Vec::new();
    let mut inside = None;
    for evaluated in &object.evaluated {
        match evaluated {
            Names::One(name) => names.push(*name),
            Names::In(tree) => patterns.push(tree.clone()),
            Names::Except { names, patterns } => inside = Some((*names, patterns.clone())),
        }
    }
    let mut rule =
        ObjectShape { evaluated: vec![Names::Except { names: &[], patterns: Vec::new() }], ..ObjectShape::any() };
    match inside {
        None => {
            let names = Names::Except { names: arena.alloc_slice_copy(&names), patterns };
            rule.rules.push(Rule { names, formula });
        }
        Some((left, left_patterns)) => {
            for name in left.iter().filter(|name| !names.contains(name)) {
                let outside = Regular::and(
                    std::iter::once(Regular::text(name)).chain(patterns.iter().map(|tree| tree.clone().not())),
                );
                rule.rules.push(Rule { names: Names::In(outside), formula });
            }
            for tree in left_patterns.iter().filter(|tree| !patterns.contains(tree)) {
                let others = names.iter().map(|name| Regular::text(name)).chain(patterns.iter().cloned());
                let outside = Regular::and(std::iter::once(tree.clone()).chain(others.map(Regular::not)));
                rule.rules.push(Rule { names: Names::In(outside), formula });
            }
        }
    }
    object.and(&rule)
}
