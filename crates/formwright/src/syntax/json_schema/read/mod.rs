//! From keywords to sets.
//!
//! [`SchemaReader::set`] is the meaning of a condition: the intersection of what its
//! schemas allow. Keywords that look at one type fill that type's part of a
//! set; applicators combine the sets of other schemas. Shapes are remembered
//! by schema, so a definition used ten times is read once.
//!
//! Every key of a schema object passes [`SchemaReader::account`]: known, an annotation,
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
use super::sets::{
    ArraySet, Atom, Condition, NEVER, NameSet, NoComplement, ObjectSet, OwnedCondition, ProductRules, SchemaId,
    StringSet, ValueSet, conjoin, conjoin_in, is_never,
};
use super::{Options, Reading};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::regular::{Automaton, Encoding, Regular};
pub use place::Pointer;
use place::{Keys, SchemaKey, SchemaPlace};
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
    Read(Rc<ValueSet<'d>>),
}

/// Reads schemas of some documents.
pub struct SchemaReader<'d> {
    documents: &'d Documents<'d>,
    /// Where conditions lie.
    pub arena: &'d Bump,
    options: &'d Options,
    schemas: Vec<SchemaPlace<'d>>,
    /// By value, resource and scope. Some schemas are others by another name.
    schema_ids: FxHashMap<SchemaKey, SchemaId>,
    values: Vec<&'d Value<'d>>,
    value_ids: FxHashMap<usize, u32>,
    purpose: Purpose,
    /// Schemas that only name types, by these.
    plain: FxHashMap<Types, SchemaPlace<'d>>,
    eithers: Vec<Vec<Condition<'d>>>,
    /// By schema: its set, once read.
    sets: Vec<Progress<'d>>,
    /// Shapes of conditions other than one schema, by the emptiness checks under way.
    combined: [FxHashMap<Condition<'d>, Rc<ValueSet<'d>>>; PROBE as usize + 1],
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

impl<'d> SchemaReader<'d> {
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
            sets: Vec::with_capacity(documents.size()),
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

    /// The root schema's condition.
    pub fn root(&mut self, root: &'d Value<'d>) -> Condition<'d> {
        let place = self.enter(SchemaPlace { value: root, resource: 0, scope: 0, pointer: self.purpose.start() });
        self.is(place)
    }

    /// The condition of one condition.
    pub(super) fn alone(&self, atom: Atom) -> Condition<'d> {
        self.arena.alloc([atom])
    }

    /// The condition of one schema.
    fn is(&mut self, place: SchemaPlace<'d>) -> Condition<'d> {
        let id = self.schema_id(place);
        self.alone(Atom::Is(id))
    }

    /// A pointer for messages about a condition.
    pub fn pointer_of(&self, condition: Condition<'_>) -> String {
        let id = condition.iter().find_map(|atom| match atom {
            Atom::Is(id) | Atom::IsNot(id) => Some(*id),
            _ => None,
        });
        id.map_or_else(String::new, |id| self.schemas[id as usize].pointer.text())
    }

    /// The pointers of all schemas a condition is made of.
    pub fn pointers_of(&self, condition: Condition<'_>) -> Vec<String> {
        let ids = condition.iter().filter_map(|atom| match atom {
            Atom::Is(id) | Atom::IsNot(id) => Some(*id),
            _ => None,
        });
        ids.map(|id| self.schemas[id as usize].pointer.text()).collect()
    }

    fn schema_id(&mut self, place: SchemaPlace<'d>) -> SchemaId {
        let key = place.key();
        let next = self.schemas.len() as SchemaId;
        let id = *self.schema_ids.entry(key).or_insert(next);
        if id == next {
            self.schemas.push(place);
            self.sets.push(Progress::Unread);
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

    /// The condition of a child schema; boolean schemas are decided at once.
    ///
    /// One that only names types, or only refers to another schema, is the same wherever it stands: it is read, and
    /// built, once. A broken reference is left to the reading, which says where it stands.
    fn child(
        &mut self,
        place: &SchemaPlace<'d>,
        value: &'d Value<'d>,
        pointer: impl FnOnce() -> Pointer<'d>,
    ) -> Condition<'d> {
        match value {
            Value::Bool(true) => return Condition::default(),
            Value::Bool(false) => return NEVER,
            Value::Object(map) if map.is_empty() => return Condition::default(),
            _ => {}
        }
        let place = SchemaPlace { value, pointer: Pointer::Untold, ..*place };
        let key = place.key();
        if let Some(&known) = self.schema_ids.get(&key) {
            return self.alone(Atom::Is(known));
        }
        let meant = if self.purpose == Purpose::Build { self.synonym(&place) } else { None };
        let meant = meant.unwrap_or_else(|| self.enter(SchemaPlace { pointer: pointer(), ..place }));
        let differs = meant.key() != key;
        let id = self.schema_id(meant);
        if differs {
            self.schema_ids.insert(key, id);
        }
        self.alone(Atom::Is(id))
    }

    /// A schema that says the same, if this one only names types, or only refers to another.
    fn synonym(&mut self, place: &SchemaPlace<'d>) -> Option<SchemaPlace<'d>> {
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
    fn enter(&mut self, mut place: SchemaPlace<'d>) -> SchemaPlace<'d> {
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

    /// The values a condition allows.
    pub fn values(&mut self, condition: Condition<'_>) -> Result<Rc<ValueSet<'d>>> {
        if let [Atom::Is(id)] = *condition {
            return self.schema(id);
        }
        if let Some(known) = self.known(condition) {
            return Ok(known);
        }
        let set = self.combine_all(condition)?;
        self.remember(condition, &set);
        Ok(set)
    }

    /// Checks under way look less deep: what they find is good for such checks, not the other way round.
    fn known(&self, condition: Condition<'_>) -> Option<Rc<ValueSet<'d>>> {
        self.combined[..=self.probing as usize].iter().find_map(|known| known.get(condition)).cloned()
    }

    fn remember(&mut self, condition: Condition<'_>, set: &Rc<ValueSet<'d>>) {
        let condition = &*self.arena.alloc_slice_copy(condition);
        self.combined[self.probing as usize].insert(condition, Rc::clone(set));
    }

    fn combine_all(&mut self, condition: Condition<'_>) -> Result<Rc<ValueSet<'d>>> {
        let mut set: Option<Rc<ValueSet<'d>>> = None;
        for &atom in condition {
            let part = self.values_of_atom(atom)?;
            set = Some(match set {
                None => part,
                Some(set) => Rc::new(self.and(&set, &part, atom)),
            });
        }
        Ok(set.unwrap_or_else(|| Rc::new(ValueSet::any())))
    }

    fn values_of_atom(&mut self, atom: Atom) -> Result<Rc<ValueSet<'d>>> {
        match atom {
            Atom::Never => Ok(Rc::new(ValueSet::never())),
            Atom::Is(id) => self.schema(id),
            Atom::IsNot(id) => {
                if let Some(known) = self.known(&[atom]) {
                    return Ok(known);
                }
                let set = self.schema(id)?;
                let complement = Rc::new(self.complement(&set, atom)?);
                self.remember(&[atom], &complement);
                Ok(complement)
            }
            Atom::Equals(id) => {
                self.constant(self.values[id as usize], &SchemaPlace::nowhere(self.values[id as usize])).map(Rc::new)
            }
            Atom::Differs(id) => {
                let set = self.constant(self.values[id as usize], &SchemaPlace::nowhere(self.values[id as usize]))?;
                Ok(Rc::new(self.complement(&set, atom)?))
            }
            Atom::Either(id) => {
                let mut union = ValueSet::never();
                for option in self.eithers[id as usize].clone() {
                    union = union.or(&*self.values(option)?);
                }
                Ok(Rc::new(union))
            }
        }
    }

    fn either(&mut self, options: Vec<Condition<'d>>) -> Condition<'d> {
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

    fn pointer_of_atom(&self, atom: Atom) -> String {
        self.pointer_of(&[atom])
    }

    fn no_complement(&self, atom: Atom) -> Error {
        Error::unsupported(
            &self.pointer_of_atom(atom),
            "the negation of this schema cannot be enforced: it demands unique items, has too many alternatives, or a \
             format of which some texts are left out",
        )
        .hint("simplify oneOf, not or anyOf")
    }

    fn and(&mut self, a: &ValueSet<'d>, b: &ValueSet<'d>, atom: Atom) -> ValueSet<'d> {
        let combine = self.combine();
        let mut both = a.and(b, combine, &mut |tree, text| self.accepts(tree, text));
        self.made += both.objects.len() + both.arrays.len();
        if both.is_under_approximation() && !a.is_under_approximation() && !b.is_under_approximation() {
            self.note_under_approximation(atom);
        }
        if both.objects.len() > 1 {
            both.objects.retain(|object| !self.object_is_empty(object, 1));
        }
        both
    }

    /// Where it matters which branches evaluated a member, no alternative absorbs another, and there are many.
    fn combine(&self) -> ProductRules<'d> {
        let roomy = self.unevaluated && self.made < MOST_MADE;
        let limit = if roomy { self.limits().alternatives * ROOMY } else { self.limits().alternatives };
        ProductRules { arena: self.arena, limit, absorb: !self.unevaluated }
    }

    fn note_under_approximation(&mut self, atom: Atom) {
        if let Atom::Is(id) | Atom::IsNot(id) = atom {
            let place = self.schemas[id as usize].clone();
            for key in ["oneOf", "anyOf", "not", "allOf", "if", "enum", "dependentSchemas", "dependencies", "$ref"] {
                self.note(&place, key, "narrowed", "too many alternatives: only the first ones are written");
            }
        }
    }

    fn complement(&mut self, set: &ValueSet<'d>, atom: Atom) -> Result<ValueSet<'d>> {
        let combine = self.combine();
        let complement = set.complement(combine, &mut |condition| self.negate(condition));
        let complement = complement.map_err(|NoComplement| self.no_complement(atom))?;
        if complement.is_under_approximation() {
            self.note_under_approximation(atom);
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

    fn condition_is_empty(&mut self, condition: Condition<'_>, depth: u32) -> bool {
        if is_never(condition) {
            return true;
        }
        if depth == 0 || condition.is_empty() || self.probing >= PROBE {
            return false;
        }
        self.probing += 1;
        let empty = self.is_shown_empty(condition, depth).unwrap_or(false); // errors are told when it is read for good
        self.probing -= 1;
        empty
    }

    /// Emptiness needs no intersection: one pair of alternatives with a value in common shows that there is none.
    fn is_shown_empty(&mut self, condition: Condition<'_>, depth: u32) -> Result<bool> {
        if let [all @ .., last] = condition
            && !all.is_empty()
            && self.known(condition).is_none()
        {
            let (all, last) = (self.values(all)?, self.values_of_atom(*last)?);
            return Ok(self.are_disjoint(all.over_approximation(), last.over_approximation(), depth));
        }
        let set = self.values(condition)?;
        Ok(self.set_is_empty(&set, depth))
    }

    fn set_is_empty(&mut self, set: &ValueSet<'d>, depth: u32) -> bool {
        let set = set.over_approximation();
        if set.null || set.yes || set.no || !set.numbers.is_empty() {
            return false;
        }
        self.has_no_text(&set.strings)
            && set.arrays.iter().all(|array| self.array_is_empty(array, depth))
            && set.objects.iter().all(|object| self.object_is_empty(object, depth))
    }

    fn has_no_text(&mut self, strings: &StringSet<'d>) -> bool {
        match strings {
            StringSet::Finite(texts) => texts.is_empty(),
            StringSet::Regular(tree) => self.is_never(tree),
        }
    }

    /// Whether no text is in the language of `tree`. Most trees show it; else an automaton does, if it can be built.
    pub fn is_never(&mut self, tree: &Regular) -> bool {
        let shown = tree.is_plainly_never();
        shown.unwrap_or_else(|| self.automaton(tree).is_some_and(|automaton| automaton.is_never()))
    }

    fn array_is_empty(&mut self, array: &ArraySet<'d>, depth: u32) -> bool {
        (0..array.low.min(array.prefix.len() as u32 + 1))
            .any(|index| self.condition_is_empty(array.item(index as usize), depth - 1))
    }

    fn object_is_empty(&mut self, object: &ObjectSet<'d>, depth: u32) -> bool {
        object.required.iter().any(|name| {
            let condition = self.member_condition(object, name);
            self.condition_is_empty(&condition, below(depth))
                || object.names.iter().any(|names| !self.name_allowed(names, name))
        })
    }

    /// Whether no value of `a` is in `b`, as far as that is cheap to see: their intersection is not made.
    fn are_disjoint(&mut self, a: &ValueSet<'d>, b: &ValueSet<'d>, depth: u32) -> bool {
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

    fn have_no_array(&mut self, a: &ArraySet<'d>, b: &ArraySet<'d>, depth: u32) -> bool {
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        let told = low.min(a.prefix.len().max(b.prefix.len()) as u32 + 1) as usize;
        low > high || (0..told).any(|index| self.condition_is_empty(&conjoin(a.item(index), b.item(index)), depth - 1))
    }

    /// Whether some member that must be there can have no value, or counts exclude each other. NameSet that tell
    /// alternatives apart are tried first.
    fn have_no_object(&mut self, a: &ObjectSet<'d>, b: &ObjectSet<'d>, depth: u32) -> bool {
        if a.low.max(b.low) > a.high.min(b.high) {
            return true;
        }
        let required: Vec<&&'d str> =
            a.required.iter().chain(b.required.iter().filter(|name| !a.requires(name))).collect();
        let pairs: Vec<(OwnedCondition, OwnedCondition)> =
            required.iter().map(|name| (self.member_condition(a, name), self.member_condition(b, name))).collect();
        pairs.iter().any(|(a, b)| self.are_other_texts(a, b))
            || pairs.iter().any(|(a, b)| self.condition_is_empty(&conjoin(a, b), below(depth)))
            || required.iter().any(|name| !self.allows_name(a, name) || !self.allows_name(b, name))
    }

    /// Whether both conditions are sets of texts that share none: the mark of alternatives that are told apart by name.
    fn are_other_texts(&mut self, a: Condition<'_>, b: Condition<'_>) -> bool {
        let (Some(a), Some(b)) = (self.only_texts(a), self.only_texts(b)) else { return false };
        match (&a.strings, &b.strings) {
            (StringSet::Finite(a), StringSet::Finite(b)) => a.iter().all(|text| !b.contains(text)),
            _ => false,
        }
    }

    /// The set of a schema that allows a few texts and nothing else.
    fn only_texts(&mut self, condition: Condition<'_>) -> Option<Rc<ValueSet<'d>>> {
        let [Atom::Is(_)] = *condition else { return None };
        if self.probing >= PROBE {
            return None;
        }
        self.probing += 1;
        let set = self.values(condition);
        self.probing -= 1;
        let only = |set: &Rc<ValueSet<'d>>| {
            let ValueSet { null, yes, no, numbers, strings, arrays, objects, superset } = &**set;
            !(*null || *yes || *no)
                && superset.is_none()
                && numbers.is_empty()
                && arrays.is_empty()
                && objects.is_empty()
                && matches!(strings, StringSet::Finite(_))
        };
        set.ok().filter(only)
    }

    fn name_allowed(&mut self, names: &StringSet<'d>, name: &str) -> bool {
        match names {
            StringSet::Finite(texts) => texts.iter().any(|text| **text == *name),
            StringSet::Regular(tree) => self.accepts(tree, name),
        }
    }

    /// Whether a member's name is in a set.
    pub fn in_names(&mut self, names: &NameSet<'d>, name: &str) -> bool {
        match names {
            NameSet::One(one) => **one == *name,
            NameSet::In(tree) => self.accepts(tree, name),
            NameSet::Except { names, patterns } => {
                names.iter().all(|other| **other != *name) && patterns.iter().all(|tree| !self.accepts(tree, name))
            }
        }
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

    /// Whether a name may be used at all.
    pub fn allows_name(&mut self, object: &ObjectSet<'d>, name: &str) -> bool {
        object.names.iter().all(|names| self.name_allowed(names, name))
    }

    // Schemas.

    fn schema(&mut self, id: SchemaId) -> Result<Rc<ValueSet<'d>>> {
        match &self.sets[id as usize] {
            Progress::Read(known) => return Ok(Rc::clone(known)),
            Progress::Open => {
                return Err(Error::unsatisfiable(
                    &self.schemas[id as usize].pointer.text(),
                    "this schema refers to itself without reading anything: no value satisfies it",
                )
                .hint("a recursive schema needs a way to end: an optional member, an array, or another branch"));
            }
            Progress::Unread => self.sets[id as usize] = Progress::Open,
        }
        let place = self.schemas[id as usize].clone();
        self.depth += 1;
        let allowed = self.limits().schema_depth;
        let set = if self.depth > allowed {
            Err(Error::limit("schema_depth", self.depth, allowed))
        } else {
            // For good, not only for the checks under way: all that is known of it is looked for.
            let probing = std::mem::take(&mut self.probing);
            let set = self.read(&place);
            self.probing = probing;
            set
        };
        self.depth -= 1;
        self.sets[id as usize] = set.as_ref().map_or(Progress::Unread, |set| Progress::Read(Rc::clone(set)));
        set
    }

    fn read(&mut self, place: &SchemaPlace<'d>) -> Result<Rc<ValueSet<'d>>> {
        match place.value {
            Value::Bool(true) => Ok(Rc::new(ValueSet::any())),
            Value::Bool(false) => Ok(Rc::new(ValueSet::never())),
            Value::Object(map) => self.read_keys(Keys::new(map), place),
            other => Err(Error::schema(
                &place.pointer.text(),
                format!("a schema is an object or a boolean, not {}", kind(other)),
            )),
        }
    }

    fn dialect(&self, place: &SchemaPlace<'d>) -> Dialect {
        self.documents.resources[place.resource].dialect
    }

    fn read_keys(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<Rc<ValueSet<'d>>> {
        let about = self.account(map, place)?;
        self.meaning(map, about, place)
    }

    /// What keys mean that were accounted for.
    fn meaning(&mut self, map: Keys<'d>, about: About, place: &SchemaPlace<'d>) -> Result<Rc<ValueSet<'d>>> {
        let refers = about.has(About::REFERENCES);
        if refers
            && self.dialect(place) <= Dialect::Draft7
            && let Some(target) = self.reference(map, "$ref", place)?
        {
            return Ok(target);
        }
        // Where nothing is said of types, a lone reference is its target, and a lone union what it is a union of.
        let untyped = about.is_within(About::REFERENCES.and(About::COMBINATIONS));
        let mut set = if untyped { None } else { Some(Rc::new(self.typed(map, about, place)?)) };
        for key in ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().filter(|_| refers) {
            if let Some(target) = self.reference(map, key, place)? {
                set = Some(set.map_or(target.clone(), |set| Rc::new(self.join(&set, &target, place))));
            }
        }
        if about.has(About::COMBINATIONS) {
            return self.applicators(map, place, set);
        }
        Ok(set.unwrap_or_else(|| Rc::new(ValueSet::any())))
    }

    fn join(&mut self, a: &ValueSet<'d>, b: &ValueSet<'d>, place: &SchemaPlace<'d>) -> ValueSet<'d> {
        let id = self.schema_id(place.clone());
        self.and(a, b, Atom::Is(id))
    }

    /// Looks at every key: known, an annotation, or an error. Gives what the keys speak of.
    fn account(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<About> {
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
    fn refuse_own_metaschema(&self, value: &Value<'_>, place: &SchemaPlace<'d>) -> Result<()> {
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

    fn record(&mut self, place: &SchemaPlace<'d>, keyword: &str, status: &'static str, note: String) {
        if let Some(readings) = &mut self.readings {
            readings.push(Reading { pointer: place.pointer.text(), keyword: keyword.to_owned(), status, note });
        }
    }

    fn note(&mut self, place: &SchemaPlace<'d>, keyword: &str, status: &'static str, note: &str) {
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

    fn reference(
        &mut self,
        map: Keys<'d>,
        key: &'static str,
        place: &SchemaPlace<'d>,
    ) -> Result<Option<Rc<ValueSet<'d>>>> {
        let Some(value) = map.get(key) else { return Ok(None) };
        let target = self.target(key, value, place)?;
        let id = self.schema_id(target);
        self.schema(id).map(Some)
    }

    /// Where a reference leads.
    fn target(
        &mut self,
        key: &'static str,
        reference: &'d Value<'d>,
        place: &SchemaPlace<'d>,
    ) -> Result<SchemaPlace<'d>> {
        let at = place.pointer.at(key);
        let text = reference.as_str().ok_or_else(|| Error::schema(&at.text(), format!("{key} must be a string")))?;
        let target = match key {
            "$ref" => self.documents.resolve(text, place.resource, &at)?,
            "$dynamicRef" => self.dynamic_target(text, place, &at)?,
            _ => self.recursive_target(place, &at)?,
        };
        let scope = self.scope_with(place.scope, target.resource);
        Ok(SchemaPlace { value: target.value, resource: target.resource, scope, pointer: target.pointer })
    }

    /// The outermost resource of the dynamic scope that has the anchor decides.
    fn dynamic_target(&mut self, text: &'d str, place: &SchemaPlace<'d>, pointer: &Pointer<'d>) -> Result<Target<'d>> {
        let target = self.documents.resolve(text, place.resource, pointer)?;
        let Some(anchor) = target.dynamic.clone() else { return Ok(target) };
        let outer = self.scope(place.scope).iter().copied().find_map(|resource| {
            let (value, at) = self.documents.resources[resource].dynamic.get(&anchor)?;
            Some(Target { value, pointer: at.clone(), resource, dynamic: None })
        });
        Ok(outer.unwrap_or(target))
    }

    fn recursive_target(&mut self, place: &SchemaPlace<'d>, pointer: &Pointer<'d>) -> Result<Target<'d>> {
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
