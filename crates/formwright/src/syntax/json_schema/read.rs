//! From keywords to shapes.
//!
//! [`Reader::shape`] is the meaning of a formula: the intersection of what its
//! schemas allow. Keywords that look at one type fill that type's part of a
//! shape; applicators combine the shapes of other schemas. Shapes are remembered
//! by schema, so a definition used ten times is read once.
//!
//! Every key of a schema object passes [`Reader::account`]: known, an annotation,
//! or an error. Nothing else ever looks at keys, so nothing can be dropped.

use std::borrow::Cow;
use std::rc::Rc;
use std::str::FromStr;

use bigdecimal::{BigDecimal, Signed, ToPrimitive};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::Options;
use super::document::{Dialect, Documents, Target, escape};
use super::format;
use super::keywords::{self, Role};
use super::number::{Bound, NumberSet};
use super::shape::{
    ArrayShape, Combine, Formula, Literal, Names, NoComplement, ObjectShape, Rule, SchemaId, Shape, SomeItems, Strings,
    both, formula, is_never,
};
use crate::constraint::Reading;
use crate::error::{Error, Result};
use crate::language::UNBOUNDED;
use crate::limits::Limits;
use crate::regular::{Automaton, Regular, Spelling};
use crate::syntax::{Mode, ecma_pattern};

/// How deep emptiness is looked for before a union is believed.
const PROBE: u32 = 3;

/// Steps taken to count the texts of a language.
const COUNTING: u32 = 1_000_000;

/// Exponents of numbers in a schema beyond this are refused.
const FARTHEST: i64 = 400;

/// A JSON Pointer as a chain of keys; made text only when somebody reads it.
#[derive(Clone, Debug, Default)]
pub struct Pointer<'d>(Option<Rc<(Pointer<'d>, Cow<'d, str>)>>);

impl<'d> Pointer<'d> {
    fn at(&self, key: impl Into<Cow<'d, str>>) -> Self {
        Self(Some(Rc::new((self.clone(), key.into()))))
    }

    /// A pointer given as text.
    fn raw(text: String) -> Self {
        if text.is_empty() { Self(None) } else { Self(Some(Rc::new((Self(None), Cow::Owned(text))))) }
    }

    /// `/properties/age`
    pub fn text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            let raw = step.0.0.is_none() && step.1.starts_with('/');
            parts.push(if raw { step.1.clone().into_owned() } else { format!("/{}", escape(&step.1)) });
            at = &step.0;
        }
        parts.reverse();
        parts.concat()
    }
}

/// Where a schema stands.
#[derive(Clone, Debug)]
struct Place<'d> {
    value: &'d Value,
    resource: usize,
    scope: u32,
    pointer: Pointer<'d>,
}

impl<'d> Place<'d> {
    /// The place of a constant, which was checked where it stands.
    fn nowhere(value: &'d Value) -> Self {
        Self { value, resource: 0, scope: 0, pointer: Pointer::default() }
    }
}

/// Reads schemas of some documents.
pub struct Reader<'d> {
    documents: &'d Documents<'d>,
    options: &'d Options,
    schemas: Vec<Place<'d>>,
    schema_ids: FxHashMap<(usize, u32), SchemaId>,
    values: Vec<&'d Value>,
    value_ids: FxHashMap<usize, u32>,
    eithers: Vec<Vec<Formula>>,
    shapes: FxHashMap<SchemaId, Rc<Shape>>,
    open: FxHashSet<SchemaId>,
    /// Dynamic scopes: resources entered, outermost first.
    scopes: Vec<Vec<usize>>,
    automata: FxHashMap<Regular, Option<Rc<Automaton>>>,
    readings: Option<Vec<Reading>>,
    depth: usize,
    /// Emptiness checks under way: each may read further schemas.
    probing: u32,
    dynamic: bool,
    unevaluated: bool,
}

/// The keys of a schema object. Most keywords are absent from most schemas: a bloom filter says so without hashing.
#[derive(Clone, Copy)]
struct Keys<'d> {
    map: &'d Map<String, Value>,
    bloom: u128,
}

impl<'d> Keys<'d> {
    fn new(map: &'d Map<String, Value>) -> Self {
        Self { map, bloom: map.keys().fold(0, |bloom, key| bloom | Self::bit(key)) }
    }

    fn bit(key: &str) -> u128 {
        let bytes = key.as_bytes();
        let ends = bytes.first().map_or(0, |first| usize::from(*first) * 7 + usize::from(bytes[bytes.len() - 1]) * 3);
        1 << ((ends + bytes.len() * 31) % 128)
    }

    fn get(self, key: &str) -> Option<&'d Value> {
        if self.bloom & Self::bit(key) == 0 { None } else { self.map.get(key) }
    }

    fn contains_key(self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

impl<'d> Reader<'d> {
    pub fn new(documents: &'d Documents<'d>, options: &'d Options, explain: bool) -> Self {
        let dynamic = documents.resources.iter().any(|resource| resource.recursive || !resource.dynamic.is_empty());
        Self {
            documents,
            options,
            schemas: Vec::new(),
            schema_ids: FxHashMap::default(),
            values: Vec::new(),
            value_ids: FxHashMap::default(),
            eithers: Vec::new(),
            shapes: FxHashMap::default(),
            open: FxHashSet::default(),
            scopes: vec![vec![0]],
            automata: FxHashMap::default(),
            readings: explain.then(Vec::new),
            depth: 0,
            probing: 0,
            dynamic,
            unevaluated: documents
                .resources
                .iter()
                .any(|resource| resource.pointer.is_empty() && mentions_unevaluated(resource.root)),
        }
    }

    fn limits(&self) -> &'d Limits {
        &self.options.limits
    }

    /// What was recorded about each keyword.
    pub fn into_readings(self) -> Vec<Reading> {
        let mut readings = self.readings.unwrap_or_default();
        let mut seen = FxHashSet::default();
        readings.retain(|reading| seen.insert((reading.pointer.clone(), reading.keyword.clone())));
        readings
    }

    /// The root schema's formula.
    pub fn root(&mut self, root: &'d Value) -> Formula {
        let place = self.enter(Place { value: root, resource: 0, scope: 0, pointer: Pointer::default() });
        formula(Literal::Is(self.schema_id(place)))
    }

    /// A pointer for messages about a formula.
    pub fn pointer_of(&self, formula: &Formula) -> String {
        let id = formula.iter().find_map(|literal| match literal {
            Literal::Is(id) | Literal::IsNot(id) => Some(*id),
            _ => None,
        });
        id.map_or_else(String::new, |id| self.schemas[id as usize].pointer.text())
    }

    fn schema_id(&mut self, place: Place<'d>) -> SchemaId {
        let key = (std::ptr::from_ref(place.value) as usize, place.scope);
        let next = self.schemas.len() as SchemaId;
        let id = *self.schema_ids.entry(key).or_insert(next);
        if id == next {
            self.schemas.push(place);
        }
        id
    }

    fn value_id(&mut self, value: &'d Value) -> u32 {
        let next = self.values.len() as u32;
        let id = *self.value_ids.entry(std::ptr::from_ref(value) as usize).or_insert(next);
        if id == next {
            self.values.push(value);
        }
        id
    }

    /// The formula of a child schema; boolean schemas are decided at once.
    fn child(&mut self, place: &Place<'d>, value: &'d Value, pointer: Pointer<'d>) -> Formula {
        match value {
            Value::Bool(true) => Formula::default(),
            Value::Bool(false) => formula(Literal::Never),
            Value::Object(map) if map.is_empty() => Formula::default(),
            _ => {
                let place = self.enter(Place { value, resource: place.resource, scope: place.scope, pointer });
                formula(Literal::Is(self.schema_id(place)))
            }
        }
    }

    /// Notices when a schema is the root of another resource.
    fn enter(&mut self, mut place: Place<'d>) -> Place<'d> {
        if let Some(resource) = self.documents.resource_of_root(place.value)
            && resource != place.resource
        {
            place.resource = resource;
            place.scope = self.scope_with(place.scope, resource);
        }
        place
    }

    fn scope_with(&mut self, scope: u32, resource: usize) -> u32 {
        if !self.dynamic || self.scopes[scope as usize].contains(&resource) {
            return scope;
        }
        let mut longer = self.scopes[scope as usize].clone();
        longer.push(resource);
        let known = self.scopes.iter().position(|other| *other == longer);
        known.unwrap_or_else(|| {
            self.scopes.push(longer);
            self.scopes.len() - 1
        }) as u32
    }

    // Formulas.

    /// The values a formula allows.
    pub fn shape(&mut self, formula: &Formula) -> Result<Rc<Shape>> {
        let mut shape: Option<Rc<Shape>> = None;
        for &literal in formula.iter() {
            let part = self.literal(literal)?;
            shape = Some(match shape {
                None => part,
                Some(shape) => Rc::new(self.and(&shape, &part, literal)),
            });
        }
        Ok(shape.unwrap_or_else(|| Rc::new(Shape::any())))
    }

    fn literal(&mut self, literal: Literal) -> Result<Rc<Shape>> {
        match literal {
            Literal::Never => Ok(Rc::new(Shape::never())),
            Literal::Is(id) => self.schema(id),
            Literal::IsNot(id) => {
                let shape = self.schema(id)?;
                Ok(Rc::new(self.complement(&shape, literal)?))
            }
            Literal::Value(id) => {
                self.constant(self.values[id as usize], &Place::nowhere(self.values[id as usize])).map(Rc::new)
            }
            Literal::NotValue(id) => {
                let shape = self.constant(self.values[id as usize], &Place::nowhere(self.values[id as usize]))?;
                Ok(Rc::new(self.complement(&shape, literal)?))
            }
            Literal::Either(id) => {
                let mut union = Shape::never();
                for option in self.eithers[id as usize].clone() {
                    union = union.or(&*self.shape(&option)?);
                }
                Ok(Rc::new(union))
            }
        }
    }

    fn either(&mut self, options: Vec<Formula>) -> Formula {
        if options.iter().any(|option| option.is_empty()) {
            return Formula::default();
        }
        let mut options: Vec<Formula> = options.into_iter().filter(|option| !is_never(option)).collect();
        options.dedup();
        match options.len() {
            0 => formula(Literal::Never),
            1 => options.remove(0),
            _ => {
                let known = self.eithers.iter().position(|other| *other == options);
                let id = known.unwrap_or_else(|| {
                    self.eithers.push(options);
                    self.eithers.len() - 1
                });
                formula(Literal::Either(id as u32))
            }
        }
    }

    /// The complement of a formula.
    pub fn negate(&mut self, of: &Formula) -> Formula {
        let parts = of.iter().map(|literal| match *literal {
            Literal::Never => Formula::default(),
            Literal::Is(id) => formula(Literal::IsNot(id)),
            Literal::IsNot(id) => formula(Literal::Is(id)),
            Literal::Value(id) => formula(Literal::NotValue(id)),
            Literal::NotValue(id) => formula(Literal::Value(id)),
            Literal::Either(id) => {
                let options = self.eithers[id as usize].clone();
                options.iter().fold(Formula::default(), |all, option| both(&all, &self.negate(option)))
            }
        });
        let parts: Vec<Formula> = parts.collect();
        if parts.is_empty() { formula(Literal::Never) } else { self.either(parts) }
    }

    fn pointer_of_literal(&self, literal: Literal) -> String {
        self.pointer_of(&formula(literal))
    }

    fn no_complement(&self, literal: Literal) -> Error {
        Error::unsupported(
            &self.pointer_of_literal(literal),
            "the negation of this schema cannot be enforced: it demands unique items, or has too many alternatives",
        )
        .hint("simplify oneOf, not or anyOf")
    }

    fn and(&mut self, a: &Shape, b: &Shape, literal: Literal) -> Shape {
        let combine = self.combine();
        let mut both = a.and(b, combine, &mut |tree, text| self.accepts(tree, text));
        if both.narrowed && !a.narrowed && !b.narrowed {
            self.note_narrowed(literal);
        }
        if both.objects.len() > 1 {
            let mut kept = Vec::with_capacity(both.objects.len());
            for object in std::mem::take(&mut both.objects) {
                if !self.object_is_empty(&object, 1) {
                    kept.push(object);
                }
            }
            both.objects = kept;
        }
        both
    }

    fn combine(&self) -> Combine {
        Combine { limit: self.limits().alternatives, absorb: !self.unevaluated }
    }

    /// Records that a keyword of a formula's schema is narrowed.
    pub fn narrow(&mut self, of: &Formula, keyword: &str, note: &str) {
        for literal in of.iter() {
            if let Literal::Is(id) = literal {
                let place = self.schemas[*id as usize].clone();
                self.note(&place, keyword, "narrowed", note);
            }
        }
    }

    fn note_narrowed(&mut self, literal: Literal) {
        if let Literal::Is(id) | Literal::IsNot(id) = literal {
            let place = self.schemas[id as usize].clone();
            for key in ["oneOf", "anyOf", "not", "allOf", "if"] {
                self.note(&place, key, "narrowed", "too many alternatives: only the first ones are written");
            }
        }
    }

    fn complement(&mut self, shape: &Shape, literal: Literal) -> Result<Shape> {
        let combine = self.combine();
        let complement = shape.complement(combine, &mut |formula| self.negate(formula));
        complement.map_err(|NoComplement| self.no_complement(literal))
    }

    /// Whether `text` is in the language of `tree`.
    pub fn accepts(&mut self, tree: &Regular, text: &str) -> bool {
        if *tree == Regular::anything() {
            return true;
        }
        self.automaton(tree).is_some_and(|automaton| automaton.accepts(text.as_bytes()))
    }

    /// An automaton on the decoded text; `None` when it is too hard to build.
    pub fn automaton(&mut self, tree: &Regular) -> Option<Rc<Automaton>> {
        if let Some(known) = self.automata.get(tree) {
            return known.clone();
        }
        let automaton = Automaton::new(tree, Spelling::Text, self.limits()).ok().map(Rc::new);
        self.automata.insert(tree.clone(), automaton.clone());
        automaton
    }

    /// How many texts a language has, counted up to `enough` (which is also the answer when counting is too long).
    pub fn count(&mut self, tree: &Regular, enough: u32) -> u32 {
        let Some(automaton) = self.automaton(tree) else { return enough };
        let mut found = u32::from(automaton.start().accepting());
        let mut fuel = COUNTING;
        let mut stack = vec![(automaton.start().state(), 0_u16)];
        while let Some((state, next)) = stack.pop() {
            if found >= enough || fuel == 0 {
                return enough;
            }
            let Ok(byte) = u8::try_from(next) else { continue };
            fuel -= 1;
            stack.push((state, next + 1));
            let step = automaton.step(state, byte);
            found += u32::from(step.accepting());
            if step.goes_on() {
                stack.push((step.state(), 0));
            }
        }
        found
    }

    // Emptiness, as far as it is cheap to see.

    fn formula_is_empty(&mut self, formula: &Formula, depth: u32) -> bool {
        if is_never(formula) {
            return true;
        }
        if depth == 0 || formula.is_empty() || self.probing >= PROBE {
            return false;
        }
        self.probing += 1;
        let empty = match self.shape(formula) {
            Ok(shape) => self.shape_is_empty(&shape, depth),
            Err(_) => false, // said when the formula is read for good
        };
        self.probing -= 1;
        empty
    }

    fn shape_is_empty(&mut self, shape: &Shape, depth: u32) -> bool {
        if shape.null || shape.yes || shape.no || !shape.numbers.is_empty() {
            return false;
        }
        let strings = match &shape.strings {
            Strings::Finite(texts) => texts.is_empty(),
            Strings::Regular(tree) => self.automaton(tree).is_some_and(|automaton| automaton.is_never()),
        };
        strings
            && shape.arrays.iter().all(|array| self.array_is_empty(array, depth))
            && shape.objects.iter().all(|object| self.object_is_empty(object, depth))
    }

    fn array_is_empty(&mut self, array: &ArrayShape, depth: u32) -> bool {
        (0..array.low.min(array.prefix.len() as u32 + 1))
            .any(|index| self.formula_is_empty(&array.item(index as usize), depth - 1))
    }

    fn object_is_empty(&mut self, object: &ObjectShape, depth: u32) -> bool {
        object.required.iter().any(|name| {
            let formula = self.member_formula(object, name);
            self.formula_is_empty(&formula, depth.saturating_sub(1).max(u32::from(depth > 0)))
                || object.names.iter().any(|names| !self.name_allowed(names, name))
        })
    }

    fn name_allowed(&mut self, names: &Strings, name: &str) -> bool {
        match names {
            Strings::Finite(texts) => texts.iter().any(|text| **text == *name),
            Strings::Regular(tree) => self.accepts(tree, name),
        }
    }

    /// Whether a member's name is in a set.
    pub fn in_names(&mut self, names: &Names, name: &str) -> bool {
        match names {
            Names::One(one) => **one == *name,
            Names::In(tree) => self.accepts(tree, name),
            Names::Except { names, patterns } => {
                names.iter().all(|other| **other != *name) && patterns.iter().all(|tree| !self.accepts(tree, name))
            }
        }
    }

    /// The condition on the member called `name`.
    pub fn member_formula(&mut self, object: &ObjectShape, name: &str) -> Formula {
        let mut all = Formula::default();
        for rule in &object.rules {
            if self.in_names(&rule.names, name) {
                all = both(&all, &rule.formula);
            }
        }
        all
    }

    /// Whether a name may be used at all.
    pub fn allows_name(&mut self, object: &ObjectShape, name: &str) -> bool {
        object.names.iter().all(|names| self.name_allowed(names, name))
    }

    // Schemas.

    fn schema(&mut self, id: SchemaId) -> Result<Rc<Shape>> {
        if let Some(known) = self.shapes.get(&id) {
            return Ok(Rc::clone(known));
        }
        let place = self.schemas[id as usize].clone();
        if !self.open.insert(id) {
            return Err(Error::unsatisfiable(
                &place.pointer.text(),
                "this schema refers to itself without reading anything: no value satisfies it",
            )
            .hint("a recursive schema needs a way to end: an optional member, an array, or another branch"));
        }
        self.depth += 1;
        let allowed = self.limits().schema_depth;
        let shape = if self.depth > allowed {
            Err(Error::limit("schema_depth", self.depth, allowed))
        } else {
            self.read(&place)
        };
        self.depth -= 1;
        self.open.remove(&id);
        let shape = Rc::new(shape?);
        self.shapes.insert(id, Rc::clone(&shape));
        Ok(shape)
    }

    fn read(&mut self, place: &Place<'d>) -> Result<Shape> {
        match place.value {
            Value::Bool(true) => Ok(Shape::any()),
            Value::Bool(false) => Ok(Shape::never()),
            Value::Object(map) => self.read_keys(Keys::new(map), place),
            other => Err(Error::schema(
                &place.pointer.text(),
                format!("a schema is an object or a boolean, not {}", kind(other)),
            )),
        }
    }

    fn dialect(&self, place: &Place<'d>) -> Dialect {
        self.documents.resources[place.resource].dialect
    }

    fn read_keys(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<Shape> {
        self.account(map, place)?;
        if self.dialect(place) <= Dialect::Draft7 && map.contains_key("$ref") {
            return Ok((*self.reference(map, "$ref", place)?.ok_or_else(|| unreachable_key(place))?).clone());
        }
        let mut shape = self.typed(map, place)?;
        for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = self.reference(map, key, place)? {
                shape = self.join(&shape, &target, place);
            }
        }
        self.applicators(map, place, shape)
    }

    fn join(&mut self, a: &Shape, b: &Shape, place: &Place<'d>) -> Shape {
        let id = self.schema_id(place.clone());
        self.and(a, b, Literal::Is(id))
    }

    /// Looks at every key: known, an annotation, or an error.
    fn account(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<()> {
        let lone_ref = self.dialect(place) <= Dialect::Draft7 && map.contains_key("$ref");
        for (key, value) in map.map {
            let row = keywords::find(key);
            match row {
                Some(row) if row.role == Role::Refused => {
                    return Err(Error::unsupported(
                        &place.pointer.text(),
                        format!("keyword {key:?} cannot be enforced: {}", row.note),
                    ));
                }
                None if !self.options.ignore_unknown && !lone_ref => {
                    if let Some(meant) = keywords::near_miss(key) {
                        return Err(Error::schema(
                            &place.pointer.at(key.as_str()).text(),
                            format!("unknown keyword {key:?}: did you mean {meant:?}?"),
                        )
                        .hint("rename it, or pass unknown_keywords=\"ignore\" if it is an annotation of yours"));
                    }
                }
                _ => {}
            }
            if self.readings.is_some() {
                let (status, note) = reading(key, row, value, lone_ref, map);
                self.record(place, key, status, note);
            }
        }
        Ok(())
    }

    fn record(&mut self, place: &Place<'d>, keyword: &str, status: &'static str, note: String) {
        if let Some(readings) = &mut self.readings {
            readings.push(Reading { pointer: place.pointer.text(), keyword: keyword.to_owned(), status, note });
        }
    }

    fn note(&mut self, place: &Place<'d>, keyword: &str, status: &'static str, note: &str) {
        if let Some(readings) = &mut self.readings {
            let pointer = place.pointer.text();
            if let Some(known) =
                readings.iter_mut().find(|reading| reading.pointer == pointer && reading.keyword == keyword)
            {
                known.status = status;
                note.clone_into(&mut known.note);
            }
        }
    }

    // References.

    fn reference(&mut self, map: Keys<'d>, key: &str, place: &Place<'d>) -> Result<Option<Rc<Shape>>> {
        let Some(value) = map.get(key) else { return Ok(None) };
        let pointer = place.pointer.text();
        let text = value.as_str().ok_or_else(|| Error::schema(&pointer, format!("{key} must be a string")))?;
        let target = match key {
            "$ref" => self.documents.resolve(text, place.resource, &pointer)?,
            "$dynamicRef" => self.dynamic_target(text, place, &pointer)?,
            _ => self.recursive_target(place, &pointer)?,
        };
        let scope = self.scope_with(place.scope, target.resource);
        let place =
            Place { value: target.value, resource: target.resource, scope, pointer: Pointer::raw(target.pointer) };
        let id = self.schema_id(place);
        self.schema(id).map(Some)
    }

    /// The outermost resource of the dynamic scope that has the anchor decides.
    fn dynamic_target(&mut self, text: &str, place: &Place<'d>, pointer: &str) -> Result<Target<'d>> {
        let target = self.documents.resolve(text, place.resource, pointer)?;
        let Some(anchor) = target.dynamic.clone() else { return Ok(target) };
        let outer = self.scopes[place.scope as usize].iter().copied().find_map(|resource| {
            let (value, at) = self.documents.resources[resource].dynamic.get(&anchor)?;
            Some(Target { value, pointer: at.clone(), resource, dynamic: None })
        });
        Ok(outer.unwrap_or(target))
    }

    fn recursive_target(&mut self, place: &Place<'d>, pointer: &str) -> Result<Target<'d>> {
        let target = self.documents.resolve("#", place.resource, pointer)?;
        if !self.documents.resources[target.resource].recursive {
            return Ok(target);
        }
        let scope = &self.scopes[place.scope as usize];
        // The outermost resource from which every one inwards to here is recursive.
        let outer = scope.iter().copied().find(|&resource| self.documents.resources[resource].recursive);
        let resource = outer.unwrap_or(target.resource);
        let found = &self.documents.resources[resource];
        Ok(Target { value: found.root, pointer: found.pointer.clone(), resource, dynamic: None })
    }

    // Keywords about one type.

    fn typed(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<Shape> {
        let mut shape = Shape {
            numbers: vec![numbers(map, place)?],
            strings: self.strings(map, place)?,
            arrays: vec![self.arrays(map, place)?],
            objects: vec![self.objects(map, place)?],
            ..Shape::any()
        };
        shape.numbers.retain(|set| NumberSet::default().and(set).is_some());
        shape.arrays.retain(|array| array.low <= array.high);
        shape.objects.retain(|object| ObjectShape::any().and(object).is_some());
        if let Some(value) = map.get("type") {
            shape = restrict(shape, &types(value, place)?);
        }
        if let Some(value) = map.get("const") {
            let constant = self.constant(value, place)?;
            shape = self.join(&shape, &constant, place);
        }
        if let Some(value) = map.get("enum") {
            let Value::Array(options) = value else {
                return Err(Error::schema(&place.pointer.at("enum").text(), "enum must be an array"));
            };
            let mut union = Shape::never();
            for option in options {
                union = union.or(&self.constant(option, place)?);
            }
            shape = self.join(&shape, &union, place);
        }
        Ok(shape)
    }

    /// The shape of one value.
    fn constant(&mut self, value: &'d Value, place: &Place<'d>) -> Result<Shape> {
        let mut shape = Shape::never();
        match value {
            Value::Null => shape.null = true,
            Value::Bool(true) => shape.yes = true,
            Value::Bool(false) => shape.no = true,
            Value::Number(number) => shape.numbers.push(NumberSet::point(&decimal(&number.to_string(), place)?)),
            Value::String(text) => shape.strings = Strings::Finite(vec![text.as_str().into()]),
            Value::Array(items) => {
                let prefix = items.iter().map(|item| formula(Literal::Value(self.value_id(item)))).collect();
                let (low, high) = (items.len() as u32, items.len() as u32);
                shape.arrays.push(ArrayShape {
                    prefix,
                    rest: formula(Literal::Never),
                    low,
                    high,
                    ..ArrayShape::default()
                });
            }
            Value::Object(members) => {
                let names: Vec<Rc<str>> = members.keys().map(|name| name.as_str().into()).collect();
                let mut rules: Vec<Rule> = Vec::with_capacity(members.len() + 1);
                for (name, value) in members {
                    let formula = formula(Literal::Value(self.value_id(value)));
                    rules.push(Rule { names: Names::One(name.as_str().into()), formula });
                }
                let others = Names::Except { names: names.clone().into(), patterns: Rc::default() };
                rules.push(Rule { names: others, formula: formula(Literal::Never) });
                let count = names.len() as u32;
                shape.objects.push(ObjectShape {
                    rules,
                    required: names,
                    low: count,
                    high: count,
                    ..ObjectShape::default()
                });
            }
        }
        Ok(shape)
    }

    fn strings(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<Strings> {
        let low = count(map, "minLength", place)?.unwrap_or(0);
        let high = count(map, "maxLength", place)?;
        if high.is_some_and(|high| high < low) {
            return Ok(Strings::none());
        }
        let mut parts = Vec::new();
        if low > 0 || high.is_some() {
            parts.push(Regular::length(low, high));
        }
        if let Some(value) = map.get("pattern") {
            parts.push(self.pattern(value, place, "pattern")?);
        }
        if let Some(value) = map.get("format") {
            parts.extend(self.format(value, place)?);
        }
        Ok(Strings::Regular(Regular::and(parts)))
    }

    fn pattern(&mut self, value: &Value, place: &Place<'d>, key: &str) -> Result<Regular> {
        let text =
            value.as_str().ok_or_else(|| Error::schema(&place.pointer.text(), format!("{key} must be a string")))?;
        self.search(text, place)
    }

    fn search(&mut self, source: &str, place: &Place<'d>) -> Result<Regular> {
        ecma_pattern(source, Mode::Search, self.limits()).map_err(|error| {
            let pointer = place.pointer.text();
            let what = format!("pattern {source:?}: {}", error.message);
            if error.message.contains("cannot be compiled") {
                Error::unsupported(&pointer, what).hint("write the pattern without look-behind or back-references")
            } else {
                Error::schema(&pointer, what).hint("patterns are ECMA-262 regular expressions")
            }
        })
    }

    fn format(&mut self, value: &Value, place: &Place<'d>) -> Result<Option<Regular>> {
        let name = value.as_str().ok_or_else(|| Error::schema(&place.pointer.text(), "format must be a string"))?;
        if let Some(source) = self.options.formats.get(name) {
            return crate::syntax::regex::parse(source, self.limits()).map(Some);
        }
        if !self.options.assert_formats {
            self.note(place, "format", "annotation", "formats are not asserted");
            return Ok(None);
        }
        if let Some(format) = format::find(name) {
            if !format.narrowed.is_empty() {
                self.note(place, "format", "narrowed", format.narrowed);
            }
            Ok(Some(format::tree(format)))
        } else {
            self.note(place, "format", "annotation", "unknown format");
            Ok(None)
        }
    }

    fn arrays(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<ArrayShape> {
        let mut array = ArrayShape::any();
        array.low = count(map, "minItems", place)?.unwrap_or(0);
        array.high = count(map, "maxItems", place)?.unwrap_or(UNBOUNDED);
        let mut prefix_key = "prefixItems";
        let mut rest_key = "items";
        if map.get("items").is_some_and(Value::is_array) {
            (prefix_key, rest_key) = ("items", "additionalItems");
        }
        if let Some(prefix) = map.get(prefix_key) {
            let Value::Array(prefix) = prefix else {
                return Err(Error::schema(
                    &place.pointer.at(prefix_key).text(),
                    "prefixItems must be an array of schemas",
                ));
            };
            let at = place.pointer.at(prefix_key);
            array.prefix = prefix
                .iter()
                .enumerate()
                .map(|(index, value)| self.child(place, value, at.at(index.to_string())))
                .collect();
            array.evaluated = array.prefix.len() as u32;
        }
        if let Some(rest) = map.get(rest_key) {
            array.rest = self.child(place, rest, place.pointer.at(rest_key));
            array.evaluated = UNBOUNDED;
        }
        if let Some(first) = (0..=array.prefix.len()).find(|&index| is_never(&array.item(index))) {
            array.high = array.high.min(first as u32);
        }
        if let Some(value) = map.get("contains").filter(|_| self.dialect(place) > Dialect::Draft4) {
            let formula = self.child(place, value, place.pointer.at("contains"));
            let counts = self.dialect(place) >= Dialect::Draft2019;
            let low = if counts { count(map, "minContains", place)?.unwrap_or(1) } else { 1 };
            let high = if counts { count(map, "maxContains", place)?.unwrap_or(UNBOUNDED) } else { UNBOUNDED };
            if self.dialect(place) == Dialect::Draft2020 {
                array.evaluated_if.push(formula.clone());
            }
            array.low = array.low.max(low);
            array.some.push(SomeItems { formula, from: 0, low, high });
        }
        array.unique = map.get("uniqueItems") == Some(&Value::Bool(true));
        Ok(array)
    }

    fn objects(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<ObjectShape> {
        let mut object = ObjectShape::any();
        object.required = names(map, "required", place)?;
        object.low = count(map, "minProperties", place)?.unwrap_or(0).max(object.required.len() as u32);
        object.high = count(map, "maxProperties", place)?.unwrap_or(UNBOUNDED);
        let mut declared: Vec<Rc<str>> = Vec::new();
        for (name, value) in schemas(map, "properties", place)? {
            let formula = self.child(place, value, place.pointer.at("properties").at(name.as_str()));
            declared.push(name.as_str().into());
            object.rules.push(Rule { names: Names::One(name.as_str().into()), formula });
        }
        let mut patterns: Vec<Regular> = Vec::new();
        for (source, value) in schemas(map, "patternProperties", place)? {
            let tree = self.search(source, place)?;
            let formula = self.child(place, value, place.pointer.at("patternProperties").at(source.as_str()));
            patterns.push(tree.clone());
            object.rules.push(Rule { names: Names::In(tree), formula });
        }
        if self.unevaluated {
            object.evaluated = object.rules.iter().map(|rule| rule.names.clone()).collect();
        }
        if let Some(value) = map.get("additionalProperties") {
            let formula = self.child(place, value, place.pointer.at("additionalProperties"));
            let names = Names::Except { names: declared.into(), patterns: patterns.into() };
            if self.unevaluated {
                object.evaluated.push(names.clone());
            }
            object.rules.push(Rule { names, formula });
        }
        if let Some(value) = map.get("propertyNames").filter(|_| self.dialect(place) > Dialect::Draft4) {
            let formula = self.child(place, value, place.pointer.at("propertyNames"));
            let names = self.shape(&formula)?.strings.clone();
            if names != Strings::all() {
                object.names.push(names);
            }
        }
        dependent_names(map, place, &mut object)?;
        Ok(object)
    }

    // Applicators in place.

    fn applicators(&mut self, map: Keys<'d>, place: &Place<'d>, mut shape: Shape) -> Result<Shape> {
        for part in self.each(map, "allOf", place)? {
            let part = self.shape(&part)?;
            shape = self.join(&shape, &part, place);
        }
        let options = self.each(map, "anyOf", place)?;
        if map.contains_key("anyOf") {
            let union = self.any_of(&options, place)?;
            shape = self.join(&shape, &union, place);
        }
        let options = self.each(map, "oneOf", place)?;
        if map.contains_key("oneOf") {
            let union = self.one_of(&options, place)?;
            shape = self.join(&shape, &union, place);
        }
        if let Some(value) = map.get("not") {
            let inner = self.child(place, value, place.pointer.at("not"));
            let negated = self.negate(&inner);
            let negated = self.shape(&negated)?;
            shape = self.join(&shape, &negated, place);
        }
        shape = self.conditional(map, place, shape)?;
        shape = self.dependent_schemas(map, place, shape)?;
        Ok(self.unevaluated_parts(map, place, shape))
    }

    fn each(&mut self, map: Keys<'d>, key: &'static str, place: &Place<'d>) -> Result<Vec<Formula>> {
        let Some(value) = map.get(key) else { return Ok(Vec::new()) };
        let Value::Array(parts) = value else {
            return Err(Error::schema(&place.pointer.at(key).text(), format!("{key} must be an array of schemas")));
        };
        let at = place.pointer.at(key);
        Ok(parts.iter().enumerate().map(|(index, value)| self.child(place, value, at.at(index.to_string()))).collect())
    }

    fn any_of(&mut self, options: &[Formula], place: &Place<'d>) -> Result<Shape> {
        let mut union = Shape::never();
        let mut combined: Vec<Shape> = Vec::new();
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

    fn one_of(&mut self, options: &[Formula], place: &Place<'d>) -> Result<Shape> {
        let shapes: Vec<Rc<Shape>> = options.iter().map(|option| self.shape(option)).collect::<Result<_>>()?;
        let mut union = Shape::never();
        for (index, shape) in shapes.iter().enumerate() {
            let mut only = (**shape).clone();
            for (other, option) in options.iter().enumerate().filter(|(other, _)| *other != index) {
                let shared = self.join(&only, &shapes[other], place);
                if self.shape_is_empty(&shared, PROBE) {
                    continue;
                }
                let negated = self.negate(option);
                let outside = self.shape(&negated)?;
                only = self.join(&only, &outside, place);
            }
            union = union.or(&only);
        }
        Ok(union)
    }

    fn conditional(&mut self, map: Keys<'d>, place: &Place<'d>, shape: Shape) -> Result<Shape> {
        let Some(condition) = map.get("if").filter(|_| self.dialect(place) >= Dialect::Draft7) else {
            return Ok(shape);
        };
        if !map.contains_key("then") && !map.contains_key("else") && !self.unevaluated {
            return Ok(shape);
        }
        let condition = self.child(place, condition, place.pointer.at("if"));
        let branch = |reader: &mut Self, key: &'static str| match map.get(key) {
            Some(value) => {
                let formula = reader.child(place, value, place.pointer.at(key));
                reader.shape(&formula)
            }
            None => Ok(Rc::new(Shape::any())),
        };
        let yes = self.shape(&condition)?;
        let then = branch(self, "then")?;
        let yes = self.join(&yes, &then, place);
        let negated = self.negate(&condition);
        let no = self.shape(&negated)?;
        let otherwise = branch(self, "else")?;
        let no = self.join(&no, &otherwise, place);
        Ok(self.join(&shape, &yes.or(&no), place))
    }

    fn dependent_schemas(&mut self, map: Keys<'d>, place: &Place<'d>, mut shape: Shape) -> Result<Shape> {
        for key in ["dependentSchemas", "dependencies"] {
            for (name, value) in schemas(map, key, place)? {
                if value.is_array() {
                    continue;
                }
                let name: Rc<str> = name.as_str().into();
                let formula_of = self.child(place, value, place.pointer.at(key).at(name.to_string()));
                let there = Shape {
                    objects: vec![ObjectShape { required: vec![name.clone()], low: 1, ..ObjectShape::any() }],
                    ..Shape::never()
                };
                let inner = self.shape(&formula_of)?;
                let there = self.join(&there, &inner, place);
                let never = Rule { names: Names::One(name), formula: formula(Literal::Never) };
                let absent =
                    Shape { objects: vec![ObjectShape { rules: vec![never], ..ObjectShape::any() }], ..Shape::any() };
                shape = self.join(&shape, &absent.or(&there), place);
            }
        }
        Ok(shape)
    }

    // unevaluatedProperties and unevaluatedItems: what is evaluated is known once everything else is combined.

    fn unevaluated_parts(&mut self, map: Keys<'d>, place: &Place<'d>, mut shape: Shape) -> Shape {
        if let Some(value) = map.get("unevaluatedProperties") {
            let formula = self.child(place, value, place.pointer.at("unevaluatedProperties"));
            let objects = std::mem::take(&mut shape.objects);
            shape.objects = objects.into_iter().filter_map(|object| unevaluated_members(&object, &formula)).collect();
        }
        if let Some(value) = map.get("unevaluatedItems") {
            let formula = self.child(place, value, place.pointer.at("unevaluatedItems"));
            let arrays = std::mem::take(&mut shape.arrays);
            for array in arrays {
                let mut options = array.evaluated_if.clone();
                options.push(formula.clone());
                let rest = self.either(options);
                if array.evaluated == UNBOUNDED {
                    shape.arrays.push(array);
                    continue;
                }
                let prefix = vec![Formula::default(); array.evaluated as usize];
                let rule = ArrayShape { prefix, rest, evaluated: UNBOUNDED, ..ArrayShape::any() };
                shape.arrays.extend(array.and(&rule));
            }
        }
        shape
    }
}

fn dependent_names(map: Keys<'_>, place: &Place<'_>, object: &mut ObjectShape) -> Result<()> {
    for key in ["dependentRequired", "dependencies"] {
        for (name, value) in schemas(map, key, place)? {
            let Value::Array(others) = value else { continue };
            for other in others {
                let other = other
                    .as_str()
                    .ok_or_else(|| Error::schema(&place.pointer.at(key).text(), format!("{key} wants names")))?;
                object.implied.push((name.as_str().into(), other.into()));
            }
        }
    }
    Ok(())
}

/// The object with `formula` demanded of every member that nothing evaluates.
fn unevaluated_members(object: &ObjectShape, formula: &Formula) -> Option<ObjectShape> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut patterns: Vec<Regular> = Vec::new();
    let mut inside = None;
    for evaluated in &object.evaluated {
        match evaluated {
            Names::One(name) => names.push(name.clone()),
            Names::In(tree) => patterns.push(tree.clone()),
            Names::Except { names, patterns } => inside = Some((names.clone(), patterns.clone())),
        }
    }
    let mut rule = ObjectShape {
        evaluated: vec![Names::Except { names: Rc::default(), patterns: Rc::default() }],
        ..ObjectShape::any()
    };
    match inside {
        None => {
            let names = Names::Except { names: names.into(), patterns: patterns.into() };
            rule.rules.push(Rule { names, formula: formula.clone() });
        }
        Some((left, left_patterns)) => {
            for name in left.iter().filter(|name| !names.contains(name)) {
                let outside = Regular::and(
                    std::iter::once(Regular::text(name)).chain(patterns.iter().map(|tree| tree.clone().not())),
                );
                rule.rules.push(Rule { names: Names::In(outside), formula: formula.clone() });
            }
            for tree in left_patterns.iter().filter(|tree| !patterns.contains(tree)) {
                let others = names.iter().map(|name| Regular::text(name)).chain(patterns.iter().cloned());
                let outside = Regular::and(std::iter::once(tree.clone()).chain(others.map(Regular::not)));
                rule.rules.push(Rule { names: Names::In(outside), formula: formula.clone() });
            }
        }
    }
    object.and(&rule)
}

fn reading(
    key: &str,
    row: Option<&keywords::Keyword>,
    _value: &Value,
    lone_ref: bool,
    map: Keys<'_>,
) -> (&'static str, String) {
    if lone_ref && key != "$ref" {
        return ("annotation", "beside $ref, which this dialect reads alone".to_owned());
    }
    let Some(row) = row else { return ("annotation", "unknown key".to_owned()) };
    let idle = match key {
        "then" | "else" => !map.contains_key("if"),
        "minContains" | "maxContains" => !map.contains_key("contains"),
        "if" => !map.contains_key("then") && !map.contains_key("else"),
        "additionalItems" => !map.get("items").is_some_and(Value::is_array),
        _ => false,
    };
    match row.role {
        _ if idle => ("redundant", "its partner keyword is absent".to_owned()),
        Role::Annotation | Role::Core => ("annotation", row.note.to_owned()),
        Role::Assertion | Role::Applicator | Role::Refused => ("enforced", row.note.to_owned()),
    }
}

fn unreachable_key(place: &Place<'_>) -> Error {
    Error::schema(&place.pointer.text(), "$ref must be a string")
}

fn mentions_unevaluated(value: &Value) -> bool {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Object(map) => {
                if map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems") {
                    return true;
                }
                stack.extend(map.values());
            }
            Value::Array(items) => stack.extend(items),
            _ => {}
        }
    }
    false
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// An exact decimal; refuses exponents that would need enormous digits.
fn decimal(text: &str, place: &Place<'_>) -> Result<BigDecimal> {
    let value = BigDecimal::from_str(text).ok().filter(|value| {
        let (_, scale) = value.as_bigint_and_exponent();
        (-FARTHEST..=FARTHEST).contains(&scale)
    });
    value.ok_or_else(|| {
        Error::unsupported(&place.pointer.text(), format!("the number {text} is too large or too small to be exact"))
    })
}

fn number(map: Keys<'_>, key: &str, place: &Place<'_>) -> Result<Option<BigDecimal>> {
    match map.get(key) {
        None => Ok(None),
        Some(Value::Number(number)) => decimal(&number.to_string(), place).map(Some),
        Some(other) => {
            Err(Error::schema(&place.pointer.text(), format!("{key} must be a number, not {}", kind(other))))
        }
    }
}

fn count(map: Keys<'_>, key: &str, place: &Place<'_>) -> Result<Option<u32>> {
    let Some(value) = number(map, key, place)? else { return Ok(None) };
    if value.is_negative() || !value.is_integer() {
        return Err(Error::schema(&place.pointer.text(), format!("{key} must be a non-negative integer")));
    }
    Ok(Some(value.to_u32().unwrap_or(UNBOUNDED - 1).min(UNBOUNDED - 1)))
}

fn names(map: Keys<'_>, key: &str, place: &Place<'_>) -> Result<Vec<Rc<str>>> {
    let wrong = || Error::schema(&place.pointer.at(key.to_owned()).text(), format!("{key} must be an array of names"));
    match map.get(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            let mut all: Vec<Rc<str>> = Vec::with_capacity(items.len());
            for item in items {
                let name: Rc<str> = item.as_str().ok_or_else(wrong)?.into();
                if !all.contains(&name) {
                    all.push(name);
                }
            }
            Ok(all)
        }
        Some(_) => Err(wrong()),
    }
}

fn schemas<'d>(
    map: Keys<'d>,
    key: &str,
    place: &Place<'_>,
) -> Result<impl Iterator<Item = (&'d String, &'d Value)> + use<'d>> {
    match map.get(key) {
        None => Ok(None.into_iter().flatten()),
        Some(Value::Object(schemas)) => Ok(Some(schemas).into_iter().flatten()),
        Some(other) => Err(Error::schema(
            &place.pointer.at(key.to_owned()).text(),
            format!("{key} must be an object, not {}", kind(other)),
        )),
    }
}

fn numbers(map: Keys<'_>, place: &Place<'_>) -> Result<NumberSet> {
    let mut set = NumberSet::default();
    let sides = [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)];
    for (plain, exclusive, low) in sides {
        let strict = map.get(exclusive) == Some(&Value::Bool(true));
        let mut bounds = Vec::new();
        if let Some(value) = number(map, plain, place)? {
            bounds.push(Bound { value, exclusive: strict });
        }
        if !matches!(map.get(exclusive), Some(Value::Bool(_))) {
            bounds.extend(number(map, exclusive, place)?.map(|value| Bound { value, exclusive: true }));
        }
        for bound in bounds {
            let side = if low {
                NumberSet { low: Some(bound), ..NumberSet::default() }
            } else {
                NumberSet { high: Some(bound), ..NumberSet::default() }
            };
            // Intersect without dropping emptiness: the caller checks.
            set = set.and(&side).unwrap_or(NumberSet {
                low: Some(Bound { value: 1.into(), exclusive: false }),
                high: Some(Bound { value: 0.into(), exclusive: false }),
                ..NumberSet::default()
            });
        }
    }
    if let Some(divisor) = number(map, "multipleOf", place)? {
        if !divisor.is_positive() {
            return Err(Error::schema(&place.pointer.text(), "multipleOf must be greater than 0"));
        }
        set.multiples.push(divisor.normalized());
    }
    Ok(set)
}

fn types<'d>(value: &'d Value, place: &Place<'_>) -> Result<Vec<&'d str>> {
    let wrong = |what: String| Error::schema(&place.pointer.at("type").text(), what);
    let list: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    };
    let mut types = Vec::with_capacity(list.len());
    for item in list {
        let name = item.as_str().ok_or_else(|| wrong("type must be a name or an array of names".to_owned()))?;
        if !["null", "boolean", "integer", "number", "string", "array", "object"].contains(&name) {
            return Err(wrong(format!("unknown type {name:?}"))
                .hint("types are null, boolean, integer, number, string, array, object"));
        }
        types.push(name);
    }
    Ok(types)
}

fn restrict(mut shape: Shape, types: &[&str]) -> Shape {
    let has = |name| types.contains(&name);
    shape.null &= has("null");
    shape.yes &= has("boolean");
    shape.no &= has("boolean");
    if !has("number") {
        shape.numbers = if has("integer") {
            shape.numbers.iter().filter_map(|set| set.and(&NumberSet::integers())).collect()
        } else {
            Vec::new()
        };
    }
    if !has("string") {
        shape.strings = Strings::none();
    }
    if !has("array") {
        shape.arrays.clear();
    }
    if !has("object") {
        shape.objects.clear();
    }
    shape
}
