//! From keywords to shapes.
//!
//! [`Reader::shape`] is the meaning of a formula: the intersection of what its
//! schemas allow. Keywords that look at one type fill that type's part of a
//! shape; applicators combine the shapes of other schemas. Shapes are remembered
//! by schema, so a definition used ten times is read once.
//!
//! Every key of a schema object passes [`Reader::account`]: known, an annotation,
//! or an error. Nothing else ever looks at keys, so nothing can be dropped.

mod applicators;
mod conflict;
mod place;
mod typed;

use std::collections::VecDeque;
use std::rc::Rc;

use crate::syntax::json_schema::value::Value;
use bumpalo::Bump;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::document::{Dialect, Documents, Target};
use super::keywords::{self, About, Role};
use super::shape::{
    ArrayShape, Combine, Draft, Formula, Literal, NEVER, Names, NoComplement, ObjectShape, SchemaId, Shape, Strings,
    both, is_never, meet,
};
use super::{Options, Reading};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::regular::{Automaton, Encoding, Regular};
pub use place::Pointer;
use place::{Key, Keys, Place};
use typed::{Types, kind};

/// The dynamic scope that a text starts in: the document.
const OUTERMOST: &[usize] = &[0];

/// How deep emptiness is looked for before a union is believed.
const PROBE: u32 = 3;

/// With `unevaluated*`, so many times the usual alternatives are kept ...
const ROOMY: usize = 64;

/// ... until so many were made in all.
const MOST_MADE: usize = 100_000;

/// Automata kept while a schema is read; each takes about 10 KB.
const MOST_AUTOMATA: usize = 1 << 10;

/// Steps taken to count the texts of a language.
const COUNTING: u32 = 1_000_000;

/// What a reader is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The language alone: schemas that only name the same types are one schema.
    Build,
    /// Errors that name places.
    Locate,
    /// A record of every keyword.
    Explain,
}

impl Purpose {
    /// The pointer of a whole document.
    pub fn start<'d>(self) -> Pointer<'d> {
        if self == Self::Build { Pointer::Untold } else { Pointer::Root }
    }
}

/// How far a schema has been read.
#[derive(Clone)]
enum Progress<'d> {
    Unread,
    Open,
    Read(Rc<Shape<'d>>),
}

/// Reads schemas of some documents.
pub struct Reader<'d> {
    documents: &'d Documents<'d>,
    /// Where formulas lie.
    pub arena: &'d Bump,
    options: &'d Options,
    schemas: Vec<Place<'d>>,
    /// By value, resource and scope. Some schemas are others by another name.
    schema_ids: FxHashMap<Key, SchemaId>,
    values: Vec<&'d Value<'d>>,
    value_ids: FxHashMap<usize, u32>,
    purpose: Purpose,
    /// Schemas that only name types, by these.
    plain: FxHashMap<Types, Place<'d>>,
    eithers: Vec<Vec<Formula<'d>>>,
    /// By schema: its shape, once read.
    shapes: Vec<Progress<'d>>,
    /// Shapes of formulas other than one schema, by the emptiness checks under way.
    combined: [FxHashMap<Formula<'d>, Rc<Shape<'d>>>; PROBE as usize + 1],
    /// Dynamic scopes but the first, which is [`OUTERMOST`]: resources entered, outermost first.
    scopes: Vec<Vec<usize>>,
    automata: FxHashMap<Regular, Option<Rc<Automaton>>>,
    /// Unknown keywords that resemble no known one.
    innocent: FxHashSet<&'d str>,
    readings: Option<Vec<Reading>>,
    depth: usize,
    /// Emptiness checks under way: each may read further schemas.
    probing: u32,
    /// Alternatives of objects and arrays made so far.
    made: usize,
    dynamic: bool,
    unevaluated: bool,
}

impl<'d> Reader<'d> {
    pub fn new(documents: &'d Documents<'d>, arena: &'d Bump, options: &'d Options, purpose: Purpose) -> Self {
        let dynamic = documents.resources.iter().any(|resource| resource.recursive || !resource.dynamic.is_empty());
        Self {
            documents,
            arena,
            options,
            schemas: Vec::with_capacity(documents.size()),
            schema_ids: FxHashMap::with_capacity_and_hasher(documents.size(), FxBuildHasher),
            values: Vec::new(),
            value_ids: FxHashMap::default(),
            purpose,
            plain: FxHashMap::default(),
            eithers: Vec::new(),
            shapes: Vec::with_capacity(documents.size()),
            combined: Default::default(),
            scopes: Vec::new(),
            automata: FxHashMap::default(),
            innocent: FxHashSet::default(),
            readings: (purpose == Purpose::Explain).then(Vec::new),
            depth: 0,
            probing: 0,
            made: 0,
            dynamic,
            unevaluated: documents.unevaluated,
        }
    }

    /// About how many schemas there are.
    pub fn size(&self) -> usize {
        self.documents.size()
    }

    fn limits(&self) -> &'d Limits {
        &self.options.limits
    }

    /// What was recorded about each keyword.
    pub fn readings(&mut self) -> Vec<Reading> {
        let mut readings = self.readings.take().unwrap_or_default();
        let mut seen = FxHashSet::default();
        readings.retain(|reading| seen.insert((reading.pointer.clone(), reading.keyword.clone())));
        readings
    }

    /// The root schema's formula.
    pub fn root(&mut self, root: &'d Value<'d>) -> Formula<'d> {
        let place = self.enter(Place { value: root, resource: 0, scope: 0, pointer: self.purpose.start() });
        self.is(place)
    }

    /// The formula of one condition.
    pub(super) fn alone(&self, literal: Literal) -> Formula<'d> {
        self.arena.alloc([literal])
    }

    /// The formula of one schema.
    fn is(&mut self, place: Place<'d>) -> Formula<'d> {
        let id = self.schema_id(place);
        self.alone(Literal::Is(id))
    }

    /// A pointer for messages about a formula.
    pub fn pointer_of(&self, formula: Formula<'_>) -> String {
        let id = formula.iter().find_map(|literal| match literal {
            Literal::Is(id) | Literal::IsNot(id) => Some(*id),
            _ => None,
        });
        id.map_or_else(String::new, |id| self.schemas[id as usize].pointer.text())
    }

    /// The pointers of all schemas a formula is made of.
    pub fn pointers_of(&self, formula: Formula<'_>) -> Vec<String> {
        let ids = formula.iter().filter_map(|literal| match literal {
            Literal::Is(id) | Literal::IsNot(id) => Some(*id),
            _ => None,
        });
        ids.map(|id| self.schemas[id as usize].pointer.text()).collect()
    }

    fn schema_id(&mut self, place: Place<'d>) -> SchemaId {
        let key = place.key();
        let next = self.schemas.len() as SchemaId;
        let id = *self.schema_ids.entry(key).or_insert(next);
        if id == next {
            self.schemas.push(place);
            self.shapes.push(Progress::Unread);
        }
        id
    }

    fn value_id(&mut self, value: &'d Value<'d>) -> u32 {
        let next = self.values.len() as u32;
        let id = *self.value_ids.entry(value.identity()).or_insert(next);
        if id == next {
            self.values.push(value);
        }
        id
    }

    /// The formula of a child schema; boolean schemas are decided at once.
    ///
    /// One that only names types, or only refers to another schema, is the same wherever it stands: it is read, and
    /// built, once. A broken reference is left to the reading, which says where it stands.
    fn child(&mut self, place: &Place<'d>, value: &'d Value<'d>, pointer: impl FnOnce() -> Pointer<'d>) -> Formula<'d> {
        match value {
            Value::Bool(true) => return Formula::default(),
            Value::Bool(false) => return NEVER,
            Value::Object(map) if map.is_empty() => return Formula::default(),
            _ => {}
        }
        let place = Place { value, pointer: Pointer::Untold, ..*place };
        let key = place.key();
        if let Some(&known) = self.schema_ids.get(&key) {
            return self.alone(Literal::Is(known));
        }
        let meant = if self.purpose == Purpose::Build { self.synonym(&place) } else { None };
        let meant = meant.unwrap_or_else(|| self.enter(Place { pointer: pointer(), ..place }));
        let differs = meant.key() != key;
        let id = self.schema_id(meant);
        if differs {
            self.schema_ids.insert(key, id);
        }
        self.alone(Literal::Is(id))
    }

    /// A schema that says the same, if this one only names types, or only refers to another.
    fn synonym(&mut self, place: &Place<'d>) -> Option<Place<'d>> {
        match self.lone_keyword(place.value)? {
            ("$ref", target) => self.target("$ref", target, place).ok(),
            ("type", names) => {
                let types = Types::of(names).ok()?;
                Some(self.plain.entry(types).or_insert_with(|| place.clone()).clone())
            }
            _ => None,
        }
    }

    /// The one keyword of a schema that is more than an annotation, if there is just one.
    fn lone_keyword(&self, schema: &'d Value<'d>) -> Option<(&'d str, &'d Value<'d>)> {
        let annotates = |key: &str| match keywords::find(key) {
            Some(row) => row.role == Role::Annotation,
            None => self.innocent.contains(key),
        };
        let mut telling = schema.as_object()?.iter().filter(|(key, _)| !annotates(key));
        telling.next().filter(|_| telling.next().is_none())
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
        if !self.dynamic || self.scope(scope).contains(&resource) {
            return scope;
        }
        let longer = [self.scope(scope), &[resource]].concat();
        let known = self.scopes.iter().position(|other| *other == longer);
        let index = known.unwrap_or_else(|| {
            self.scopes.push(longer);
            self.scopes.len() - 1
        });
        index as u32 + 1
    }

    fn scope(&self, scope: u32) -> &[usize] {
        if scope == 0 { OUTERMOST } else { &self.scopes[scope as usize - 1] }
    }

    // Formulas.

    /// The values a formula allows.
    pub fn shape(&mut self, formula: Formula<'_>) -> Result<Rc<Shape<'d>>> {
        if let [Literal::Is(id)] = *formula {
            return self.schema(id);
        }
        if let Some(known) = self.known(formula) {
            return Ok(known);
        }
        let shape = self.combine_all(formula)?;
        self.remember(formula, &shape);
        Ok(shape)
    }

    /// Checks under way look less deep: what they find is good for such checks, not the other way round.
    fn known(&self, formula: Formula<'_>) -> Option<Rc<Shape<'d>>> {
        self.combined[..=self.probing as usize].iter().find_map(|known| known.get(formula)).cloned()
    }

    fn remember(&mut self, formula: Formula<'_>, shape: &Rc<Shape<'d>>) {
        let formula = &*self.arena.alloc_slice_copy(formula);
        self.combined[self.probing as usize].insert(formula, Rc::clone(shape));
    }

    fn combine_all(&mut self, formula: Formula<'_>) -> Result<Rc<Shape<'d>>> {
        let mut shape: Option<Rc<Shape<'d>>> = None;
        for &literal in formula {
            let part = self.literal(literal)?;
            shape = Some(match shape {
                None => part,
                Some(shape) => Rc::new(self.and(&shape, &part, literal)),
            });
        }
        Ok(shape.unwrap_or_else(|| Rc::new(Shape::any())))
    }

    fn literal(&mut self, literal: Literal) -> Result<Rc<Shape<'d>>> {
        match literal {
            Literal::Never => Ok(Rc::new(Shape::never())),
            Literal::Is(id) => self.schema(id),
            Literal::IsNot(id) => {
                if let Some(known) = self.known(&[literal]) {
                    return Ok(known);
                }
                let shape = self.schema(id)?;
                let complement = Rc::new(self.complement(&shape, literal)?);
                self.remember(&[literal], &complement);
                Ok(complement)
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
                    union = union.or(&*self.shape(option)?);
                }
                Ok(Rc::new(union))
            }
        }
    }

    fn either(&mut self, options: Vec<Formula<'d>>) -> Formula<'d> {
        if options.iter().any(|option| option.is_empty()) {
            return Formula::default();
        }
        let mut options: Vec<Formula<'d>> = options.into_iter().filter(|option| !is_never(option)).collect();
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
                self.alone(Literal::Either(id as u32))
            }
        }
    }

    /// The complement of a formula.
    pub fn negate(&mut self, of: Formula<'d>) -> Formula<'d> {
        let parts = of.iter().map(|literal| match *literal {
            Literal::Never => Formula::default(),
            Literal::Is(id) => self.alone(Literal::IsNot(id)),
            Literal::IsNot(id) => self.alone(Literal::Is(id)),
            Literal::Value(id) => self.alone(Literal::NotValue(id)),
            Literal::NotValue(id) => self.alone(Literal::Value(id)),
            Literal::Either(id) => {
                let options = self.eithers[id as usize].clone();
                options.iter().fold(Formula::default(), |all, option| both(self.arena, all, self.negate(option)))
            }
        });
        let parts: Vec<Formula<'d>> = parts.collect();
        if parts.is_empty() { NEVER } else { self.either(parts) }
    }

    fn pointer_of_literal(&self, literal: Literal) -> String {
        self.pointer_of(&[literal])
    }

    fn no_complement(&self, literal: Literal) -> Error {
        Error::unsupported(
            &self.pointer_of_literal(literal),
            "the negation of this schema cannot be enforced: it demands unique items, has too many alternatives, or a \
             format of which some texts are left out",
        )
        .hint("simplify oneOf, not or anyOf")
    }

    fn and(&mut self, a: &Shape<'d>, b: &Shape<'d>, literal: Literal) -> Shape<'d> {
        let combine = self.combine();
        let mut both = a.and(b, combine, &mut |tree, text| self.accepts(tree, text));
        self.made += both.objects.len() + both.arrays.len();
        if both.is_narrowed() && !a.is_narrowed() && !b.is_narrowed() {
            self.note_narrowed(literal);
        }
        if both.objects.len() > 1 {
            both.objects.retain(|object| !self.object_is_empty(object, 1));
        }
        both
    }

    /// Where it matters which branches evaluated a member, no alternative absorbs another, and there are many.
    fn combine(&self) -> Combine<'d> {
        let roomy = self.unevaluated && self.made < MOST_MADE;
        let limit = if roomy { self.limits().alternatives * ROOMY } else { self.limits().alternatives };
        Combine { arena: self.arena, limit, absorb: !self.unevaluated }
    }

    fn note_narrowed(&mut self, literal: Literal) {
        if let Literal::Is(id) | Literal::IsNot(id) = literal {
            let place = self.schemas[id as usize].clone();
            for key in ["oneOf", "anyOf", "not", "allOf", "if", "enum", "dependentSchemas", "dependencies", "$ref"] {
                self.note(&place, key, "narrowed", "too many alternatives: only the first ones are written");
            }
        }
    }

    fn complement(&mut self, shape: &Shape<'d>, literal: Literal) -> Result<Shape<'d>> {
        let combine = self.combine();
        let complement = shape.complement(combine, &mut |formula| self.negate(formula));
        let complement = complement.map_err(|NoComplement| self.no_complement(literal))?;
        if complement.is_narrowed() {
            self.note_narrowed(literal);
        }
        Ok(complement)
    }

    /// Whether `text` is in the language of `tree`.
    pub fn accepts(&mut self, tree: &Regular, text: &str) -> bool {
        if tree.is_anything() {
            return true;
        }
        self.automaton(tree).is_some_and(|automaton| automaton.accepts(text.as_bytes()))
    }

    /// Which of `texts` are in the language of `tree`.
    pub fn inside<'n>(&mut self, tree: &Regular, texts: impl Iterator<Item = &'n str>) -> Vec<bool> {
        if tree.is_anything() {
            return texts.map(|_| true).collect();
        }
        let automaton = self.automaton(tree);
        texts.map(|text| automaton.as_ref().is_some_and(|automaton| automaton.accepts(text.as_bytes()))).collect()
    }

    /// An automaton on the decoded text; `None` when it is too hard to build.
    pub fn automaton(&mut self, tree: &Regular) -> Option<Rc<Automaton>> {
        if let Some(known) = self.automata.get(tree) {
            return known.clone();
        }
        let automaton = Automaton::new(tree, Encoding::Text, self.limits()).ok().map(Rc::new);
        if self.automata.len() >= MOST_AUTOMATA {
            self.automata.clear(); // a thousand alternatives make a million pairs
        }
        self.automata.insert(tree.clone(), automaton.clone());
        automaton
    }

    /// How many texts a language has, counted up to `enough` (which is also the answer when counting is too long).
    pub fn count(&mut self, tree: &Regular, enough: u32) -> u32 {
        if tree.is_anything() {
            return enough;
        }
        let Some(automaton) = self.automaton(tree) else { return enough };
        let start = automaton.start();
        let mut found = u32::from(start.accepting());
        let mut fuel = COUNTING;
        // Beginnings of which none begins another: each has a text of its own, which is longer.
        let mut begun = VecDeque::from_iter(start.goes_on().then_some(start.state()));
        while let Some(state) = begun.pop_front() {
            for step in (0..=u8::MAX).map(|byte| automaton.step(state, byte)) {
                found += u32::from(step.accepting());
                begun.extend(step.goes_on().then_some(step.state()));
            }
            fuel = fuel.saturating_sub(1 << 8);
            if found as usize + begun.len() >= enough as usize || fuel == 0 {
                return enough;
            }
        }
        found
    }

    // Emptiness, as far as it is cheap to see.

    fn formula_is_empty(&mut self, formula: Formula<'_>, depth: u32) -> bool {
        if is_never(formula) {
            return true;
        }
        if depth == 0 || formula.is_empty() || self.probing >= PROBE {
            return false;
        }
        self.probing += 1;
        let empty = self.is_shown_empty(formula, depth).unwrap_or(false); // errors are told when it is read for good
        self.probing -= 1;
        empty
    }

    /// Emptiness needs no intersection: one pair of alternatives with a value in common shows that there is none.
    fn is_shown_empty(&mut self, formula: Formula<'_>, depth: u32) -> Result<bool> {
        if let [all @ .., last] = formula
            && !all.is_empty()
            && self.known(formula).is_none()
        {
            let (all, last) = (self.shape(all)?, self.literal(*last)?);
            return Ok(self.are_disjoint(all.bound(), last.bound(), depth));
        }
        let shape = self.shape(formula)?;
        Ok(self.shape_is_empty(&shape, depth))
    }

    fn shape_is_empty(&mut self, shape: &Shape<'d>, depth: u32) -> bool {
        let shape = shape.bound();
        if shape.null || shape.yes || shape.no || !shape.numbers.is_empty() {
            return false;
        }
        self.has_no_text(&shape.strings)
            && shape.arrays.iter().all(|array| self.array_is_empty(array, depth))
            && shape.objects.iter().all(|object| self.object_is_empty(object, depth))
    }

    fn has_no_text(&mut self, strings: &Strings<'d>) -> bool {
        match strings {
            Strings::Finite(texts) => texts.is_empty(),
            Strings::Regular(tree) => self.is_never(tree),
        }
    }

    /// Whether no text is in the language of `tree`. Most trees show it; else an automaton does, if it can be built.
    pub fn is_never(&mut self, tree: &Regular) -> bool {
        let shown = tree.is_plainly_never();
        shown.unwrap_or_else(|| self.automaton(tree).is_some_and(|automaton| automaton.is_never()))
    }

    fn array_is_empty(&mut self, array: &ArrayShape<'d>, depth: u32) -> bool {
        (0..array.low.min(array.prefix.len() as u32 + 1))
            .any(|index| self.formula_is_empty(array.item(index as usize), depth - 1))
    }

    fn object_is_empty(&mut self, object: &ObjectShape<'d>, depth: u32) -> bool {
        object.required.iter().any(|name| {
            let formula = self.member_formula(object, name);
            self.formula_is_empty(&formula, below(depth))
                || object.names.iter().any(|names| !self.name_allowed(names, name))
        })
    }

    /// Whether no value of `a` is in `b`, as far as that is cheap to see: their intersection is not made.
    fn are_disjoint(&mut self, a: &Shape<'d>, b: &Shape<'d>, depth: u32) -> bool {
        if a.null && b.null || a.yes && b.yes || a.no && b.no {
            return false;
        }
        a.numbers.iter().all(|a| b.numbers.iter().all(|b| a.and(b).is_none()))
            && a.arrays.iter().all(|a| b.arrays.iter().all(|b| self.have_no_array(a, b, depth)))
            && a.objects.iter().all(|a| b.objects.iter().all(|b| self.have_no_object(a, b, depth)))
            && {
                let strings = a.strings.and(&b.strings, &mut |tree, text| self.accepts(tree, text));
                self.has_no_text(&strings)
            }
    }

    fn have_no_array(&mut self, a: &ArrayShape<'d>, b: &ArrayShape<'d>, depth: u32) -> bool {
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        let told = low.min(a.prefix.len().max(b.prefix.len()) as u32 + 1) as usize;
        low > high || (0..told).any(|index| self.formula_is_empty(&meet(a.item(index), b.item(index)), depth - 1))
    }

    /// Whether some member that must be there can have no value, or counts exclude each other. Names that tell
    /// alternatives apart are tried first.
    fn have_no_object(&mut self, a: &ObjectShape<'d>, b: &ObjectShape<'d>, depth: u32) -> bool {
        if a.low.max(b.low) > a.high.min(b.high) {
            return true;
        }
        let required: Vec<&&'d str> =
            a.required.iter().chain(b.required.iter().filter(|name| !a.requires(name))).collect();
        let pairs: Vec<(Draft, Draft)> =
            required.iter().map(|name| (self.member_formula(a, name), self.member_formula(b, name))).collect();
        pairs.iter().any(|(a, b)| self.are_other_texts(a, b))
            || pairs.iter().any(|(a, b)| self.formula_is_empty(&meet(a, b), below(depth)))
            || required.iter().any(|name| !self.allows_name(a, name) || !self.allows_name(b, name))
    }

    /// Whether both formulas are sets of texts that share none: the mark of alternatives that are told apart by name.
    fn are_other_texts(&mut self, a: Formula<'_>, b: Formula<'_>) -> bool {
        let (Some(a), Some(b)) = (self.only_texts(a), self.only_texts(b)) else { return false };
        match (&a.strings, &b.strings) {
            (Strings::Finite(a), Strings::Finite(b)) => a.iter().all(|text| !b.contains(text)),
            _ => false,
        }
    }

    /// The shape of a schema that allows a few texts and nothing else.
    fn only_texts(&mut self, formula: Formula<'_>) -> Option<Rc<Shape<'d>>> {
        let [Literal::Is(_)] = *formula else { return None };
        if self.probing >= PROBE {
            return None;
        }
        self.probing += 1;
        let shape = self.shape(formula);
        self.probing -= 1;
        let only = |shape: &Rc<Shape<'d>>| {
            let Shape { null, yes, no, numbers, strings, arrays, objects, outer } = &**shape;
            !(*null || *yes || *no)
                && outer.is_none()
                && numbers.is_empty()
                && arrays.is_empty()
                && objects.is_empty()
                && matches!(strings, Strings::Finite(_))
        };
        shape.ok().filter(only)
    }

    fn name_allowed(&mut self, names: &Strings<'d>, name: &str) -> bool {
        match names {
            Strings::Finite(texts) => texts.iter().any(|text| **text == *name),
            Strings::Regular(tree) => self.accepts(tree, name),
        }
    }

    /// Whether a member's name is in a set.
    pub fn in_names(&mut self, names: &Names<'d>, name: &str) -> bool {
        match names {
            Names::One(one) => **one == *name,
            Names::In(tree) => self.accepts(tree, name),
            Names::Except { names, patterns } => {
                names.iter().all(|other| **other != *name) && patterns.iter().all(|tree| !self.accepts(tree, name))
            }
        }
    }

    /// The condition on the member called `name`.
    fn member_formula(&mut self, object: &ObjectShape<'d>, name: &str) -> Draft {
        let mut all = Draft::new();
        for rule in &object.rules {
            if self.in_names(&rule.names, name) {
                all = meet(&all, rule.formula);
            }
        }
        all
    }

    /// Whether a name may be used at all.
    pub fn allows_name(&mut self, object: &ObjectShape<'d>, name: &str) -> bool {
        object.names.iter().all(|names| self.name_allowed(names, name))
    }

    // Schemas.

    fn schema(&mut self, id: SchemaId) -> Result<Rc<Shape<'d>>> {
        match &self.shapes[id as usize] {
            Progress::Read(known) => return Ok(Rc::clone(known)),
            Progress::Open => {
                return Err(Error::unsatisfiable(
                    &self.schemas[id as usize].pointer.text(),
                    "this schema refers to itself without reading anything: no value satisfies it",
                )
                .hint("a recursive schema needs a way to end: an optional member, an array, or another branch"));
            }
            Progress::Unread => self.shapes[id as usize] = Progress::Open,
        }
        let place = self.schemas[id as usize].clone();
        self.depth += 1;
        let allowed = self.limits().schema_depth;
        let shape = if self.depth > allowed {
            Err(Error::limit("schema_depth", self.depth, allowed))
        } else {
            // For good, not only for the checks under way: all that is known of it is looked for.
            let probing = std::mem::take(&mut self.probing);
            let shape = self.read(&place);
            self.probing = probing;
            shape
        };
        self.depth -= 1;
        self.shapes[id as usize] = shape.as_ref().map_or(Progress::Unread, |shape| Progress::Read(Rc::clone(shape)));
        shape
    }

    fn read(&mut self, place: &Place<'d>) -> Result<Rc<Shape<'d>>> {
        match place.value {
            Value::Bool(true) => Ok(Rc::new(Shape::any())),
            Value::Bool(false) => Ok(Rc::new(Shape::never())),
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

    fn read_keys(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<Rc<Shape<'d>>> {
        let about = self.account(map, place)?;
        self.meaning(map, about, place)
    }

    /// What keys mean that were accounted for.
    fn meaning(&mut self, map: Keys<'d>, about: About, place: &Place<'d>) -> Result<Rc<Shape<'d>>> {
        let refers = about.has(About::REFERENCES);
        if refers
            && self.dialect(place) <= Dialect::Draft7
            && let Some(target) = self.reference(map, "$ref", place)?
        {
            return Ok(target);
        }
        // Where nothing is said of types, a lone reference is its target, and a lone union what it is a union of.
        let untyped = about.is_within(About::REFERENCES.and(About::COMBINATIONS));
        let mut shape = if untyped { None } else { Some(Rc::new(self.typed(map, about, place)?)) };
        for key in ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().filter(|_| refers) {
            if let Some(target) = self.reference(map, key, place)? {
                shape = Some(shape.map_or(target.clone(), |shape| Rc::new(self.join(&shape, &target, place))));
            }
        }
        if about.has(About::COMBINATIONS) {
            return self.applicators(map, place, shape);
        }
        Ok(shape.unwrap_or_else(|| Rc::new(Shape::any())))
    }

    fn join(&mut self, a: &Shape<'d>, b: &Shape<'d>, place: &Place<'d>) -> Shape<'d> {
        let id = self.schema_id(place.clone());
        self.and(a, b, Literal::Is(id))
    }

    /// Looks at every key: known, an annotation, or an error. Gives what the keys speak of.
    fn account(&mut self, map: Keys<'d>, place: &Place<'d>) -> Result<About> {
        let mut about = About::NOTHING;
        let lone_ref = self.dialect(place) <= Dialect::Draft7 && map.contains_key("$ref");
        for (key, value) in map.map.iter() {
            let row = keywords::find(key);
            about = row.map_or(about, |row| about.and(row.about));
            match row {
                Some(row) if row.role == Role::Refused => {
                    return Err(Error::unsupported(
                        &place.pointer.text(),
                        format!("keyword {key:?} cannot be enforced: {}", row.note),
                    ));
                }
                None if !self.options.ignore_unknown && !lone_ref && !self.innocent.contains(key) => {
                    if let Some(meant) = keywords::near_miss(key) {
                        return Err(Error::schema(
                            &place.pointer.at(key).text(),
                            format!("unknown keyword {key:?}: did you mean {meant:?}?"),
                        )
                        .hint("rename it, or pass unknown_keywords=\"ignore\" if it is an annotation of yours"));
                    }
                    self.innocent.insert(key);
                }
                _ => {}
            }
            if key == "$schema" {
                self.refuse_own_metaschema(value, place)?;
            }
            if self.readings.is_some() {
                let (status, note) = reading(key, row, value, lone_ref, map);
                self.record(place, key, status, note);
            }
        }
        Ok(about)
    }

    /// A metaschema of one's own may leave out validation, or demand vocabularies of its own. One that is not at hand
    /// is only a name.
    fn refuse_own_metaschema(&self, value: &Value<'_>, place: &Place<'d>) -> Result<()> {
        let uri = value.as_str().unwrap_or_default();
        let metaschema = self.documents.named(uri.trim_end_matches('#')).filter(|_| !uri.is_empty());
        let vocabularies = metaschema.and_then(|metaschema| metaschema.get("$vocabulary"));
        let Some(vocabularies) = vocabularies.and_then(Value::as_object) else { return Ok(()) };
        let validates = vocabularies.keys().any(|uri| uri.ends_with("/vocab/validation"));
        let unknown =
            |(uri, needed): (&str, &Value<'_>)| !uri.contains("json-schema.org") && needed == &Value::Bool(true);
        if validates && !vocabularies.iter().any(unknown) {
            return Ok(());
        }
        Err(Error::unsupported(
            &place.pointer.at("$schema").text(),
            format!("the metaschema {uri:?} leaves out vocabularies, or demands others"),
        )
        .hint("name a published dialect in $schema, or leave the metaschema out of the registry"))
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

    fn reference(&mut self, map: Keys<'d>, key: &'static str, place: &Place<'d>) -> Result<Option<Rc<Shape<'d>>>> {
        let Some(value) = map.get(key) else { return Ok(None) };
        let target = self.target(key, value, place)?;
        let id = self.schema_id(target);
        self.schema(id).map(Some)
    }

    /// Where a reference leads.
    fn target(&mut self, key: &'static str, reference: &'d Value<'d>, place: &Place<'d>) -> Result<Place<'d>> {
        let at = place.pointer.at(key);
        let text = reference.as_str().ok_or_else(|| Error::schema(&at.text(), format!("{key} must be a string")))?;
        let target = match key {
            "$ref" => self.documents.resolve(text, place.resource, &at)?,
            "$dynamicRef" => self.dynamic_target(text, place, &at)?,
            _ => self.recursive_target(place, &at)?,
        };
        let scope = self.scope_with(place.scope, target.resource);
        Ok(Place { value: target.value, resource: target.resource, scope, pointer: target.pointer })
    }

    /// The outermost resource of the dynamic scope that has the anchor decides.
    fn dynamic_target(&mut self, text: &'d str, place: &Place<'d>, pointer: &Pointer<'d>) -> Result<Target<'d>> {
        let target = self.documents.resolve(text, place.resource, pointer)?;
        let Some(anchor) = target.dynamic.clone() else { return Ok(target) };
        let outer = self.scope(place.scope).iter().copied().find_map(|resource| {
            let (value, at) = self.documents.resources[resource].dynamic.get(&anchor)?;
            Some(Target { value, pointer: at.clone(), resource, dynamic: None })
        });
        Ok(outer.unwrap_or(target))
    }

    fn recursive_target(&mut self, place: &Place<'d>, pointer: &Pointer<'d>) -> Result<Target<'d>> {
        let target = self.documents.resolve("#", place.resource, pointer)?;
        if !self.documents.resources[target.resource].recursive {
            return Ok(target);
        }
        let scope = self.scope(place.scope);
        // The outermost resource from which every one inwards to here is recursive.
        let outer = scope.iter().copied().find(|&resource| self.documents.resources[resource].recursive);
        let resource = outer.unwrap_or(target.resource);
        let found = &self.documents.resources[resource];
        Ok(Target { value: found.root, pointer: found.pointer.clone(), resource, dynamic: None })
    }
}

/// How deep to look at the members of what was looked at so deep. The last level is looked at again and again: what
/// bounds it is how many checks are under way.
fn below(depth: u32) -> u32 {
    depth.saturating_sub(1).max(u32::from(depth > 0))
}

fn reading(
    key: &str,
    row: Option<&keywords::Keyword>,
    _value: &Value<'_>,
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
        Role::Assertion | Role::Applicator | Role::Refused => ("enforced", String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Node;
    use crate::syntax::json_schema::lower;

    #[test]
    fn a_definition_is_built_once_wherever_it_is_used() {
        let schema = r##"{"$defs": {"x": {"type": "object", "properties": {"y": {"$ref": "#/$defs/x"}}}},
            "type": "object", "additionalProperties": false, "required": ["a"], "properties": {
                "a": {"$ref": "#/$defs/x"}, "b": {"description": "another", "$ref": "#/$defs/x"},
                "c": {"type": "array", "items": {"$ref": "#/$defs/x"}}}}"##;
        let objects = lower(schema, &Options::default(), Purpose::Build, |built, _| {
            let x = |node: &&Node| matches!(node, Node::Object(object) if object.members.len() == 1);
            Ok(built.graph.nodes.iter().filter(x).count())
        });
        assert_eq!(objects.unwrap(), 1);
    }

    #[test]
    fn schemas_that_say_the_same_are_built_once_whatever_they_remark() {
        let part = |remark: &str| {
            format!(
                r#"{{"title": "{remark}", "type": "object", "required": ["y"], "properties": {{
                    "y": {{"description": "{remark}", "enum": ["z"]}}}}}}"#
            )
        };
        let schema =
            format!(r#"{{"type": "array", "items": {}, "prefixItems": [{}, {}]}}"#, part("a"), part("b"), part("a"));
        let objects = |schema: &str| {
            lower(schema, &Options::default(), Purpose::Build, |built, _| {
                let y = |node: &&Node| matches!(node, Node::Object(object) if object.members.len() == 1);
                Ok(built.graph.nodes.iter().filter(y).count())
            })
            .unwrap()
        };
        assert_eq!(objects(&schema), 1);
        assert_eq!(objects(&schema.replacen("\"z\"", "\"w\"", 1)), 2);
    }

    #[test]
    fn pairs_of_alternatives_leave_few_automata() {
        let options: Vec<String> =
            (0..60).map(|n| format!(r#"{{"type": "string", "pattern": "^a{{{n}}}b"}}"#)).collect();
        let schema = format!(r#"{{"oneOf": [{}]}}"#, options.join(","));
        let kept = lower(&schema, &Options::default(), Purpose::Build, |_, reader| Ok(reader.automata.len())).unwrap();
        assert!(kept < options.len() * (options.len() - 1) / 2, "{kept}");
        assert!(kept <= MOST_AUTOMATA, "{kept}");
    }
}
