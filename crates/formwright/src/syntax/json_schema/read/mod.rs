//! From keywords to sets of values.
//!
//! A schema is read keyword by keyword: those that look at one type make that type's part of a set ([`typed`]), those
//! that combine schemas combine the sets of these ([`applicators`]).
//!
//! ```text
//! {"type": "string", "minLength": 2, "not": {"const": "no"}}     strings .{2,} ∧ ¬no, and nothing else
//! ```
//!
//! Cost: each schema is read once, wherever it is and however often it is used. What is below an array
//! or an object is not read here, but becomes a [`Condition`], whose values the builder asks for later
//! ([`SchemaReader::values`] in `conditions`). So recursion in a schema is recursion of nothing here.

mod accounting;
mod applicators;
mod conditions;
mod conflict;
mod emptiness;
mod languages;
mod pieces;
mod place;
mod record;
mod references;
mod typed;

use std::rc::Rc;

use bumpalo::Bump;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::document::{Dialect, Documents};
use super::keywords::{self, About, Role};
use super::pointer::Pointer;
use super::sets::{Atom, Condition, Formulas, NEVER, SchemaId, ValueSet};
use super::value::Value;
use super::{Options, Reading};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::{Automaton, Pieces, Regular};
pub use emptiness::PROBE;
use place::{Keys, SchemaKey, SchemaPlace};
use typed::{Types, kind};

/// Bytes of the stack below which it grows, and by how many: a schema takes a few thousand.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// Units of work of a schema.
const WORK_OF_SCHEMA: usize = 16;

/// The dynamic scope that a text starts in: the document.
const OUTERMOST: &[usize] = &[0];

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
enum ReadState<'d> {
    Unread,
    UnderWay,
    Read(Rc<ValueSet<'d>>),
}

/// Reads schemas of some documents.
pub struct SchemaReader<'d> {
    documents: &'d Documents<'d>,
    /// Where conditions lie.
    pub arena: &'d Bump,
    /// How schemas are read, and values written.
    pub options: &'d Options,
    /// The schemas met, by their id.
    schemas: Vec<SchemaPlace<'d>>,
    /// Their ids. A schema that only refers to another one has the id of that.
    schema_ids: FxHashMap<SchemaKey, SchemaId>,
    /// The constants that conditions name, and their indices by identity.
    constants: Vec<&'d Value<'d>>,
    constant_ids: FxHashMap<usize, u32>,
    purpose: Purpose,
    /// The first schema that only names these types.
    by_types: FxHashMap<Types, SchemaPlace<'d>>,
    /// The options of each [`Atom::Either`].
    eithers: Vec<Vec<Condition<'d>>>,
    /// By schema: its values, once read.
    sets: Vec<ReadState<'d>>,
    /// The values of other conditions, cached by the number of emptiness checks under way.
    combined: [FxHashMap<Condition<'d>, Rc<ValueSet<'d>>>; PROBE as usize + 1],
    /// Dynamic scopes but the first, which is [`OUTERMOST`]: resources entered, outermost first.
    scopes: Vec<Vec<usize>>,
    automata: FxHashMap<Regular, Result<Rc<Automaton>>>,
    /// Why it could not be decided whether a language has a text.
    unanswered: Option<Error>,
    /// The texts that strings are pieces of.
    pieces: Vec<Pieces>,
    /// Unknown keywords that resemble no known one.
    innocent: FxHashSet<&'d str>,
    readings: Option<Vec<Reading>>,
    /// Errors that were recorded instead of raised.
    faults: usize,
    /// Schemas under way.
    depth: usize,
    /// Emptiness checks under way: each may read further schemas.
    probing: u32,
    /// Steps of combining sets taken so far.
    steps: usize,
    /// What objects must meet where alternatives are not multiplied out.
    pub(super) formulas: Formulas<'d>,
    /// Whether there are dynamic references.
    dynamic: bool,
    /// Whether there are `unevaluated*` keywords.
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
            constants: Vec::new(),
            constant_ids: FxHashMap::default(),
            purpose,
            by_types: FxHashMap::default(),
            eithers: Vec::new(),
            sets: Vec::with_capacity(documents.size()),
            combined: Default::default(),
            scopes: Vec::new(),
            automata: FxHashMap::default(),
            unanswered: None,
            pieces: Vec::new(),
            innocent: FxHashSet::default(),
            readings: (purpose == Purpose::Explain).then(Vec::new),
            faults: 0,
            depth: 0,
            probing: 0,
            steps: 0,
            formulas: Formulas::default(),
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
            self.sets.push(ReadState::Unread);
        }
        id
    }

    fn constant_id(&mut self, value: &'d Value<'d>) -> u32 {
        let next = self.constants.len() as u32;
        let id = *self.constant_ids.entry(value.identity()).or_insert(next);
        if id == next {
            self.constants.push(value);
        }
        id
    }

    /// The condition of a child schema; boolean schemas are decided at once.
    ///
    /// One that only names types, or only refers to another schema, is the same wherever it is: it is read, and
    /// built, once. A broken reference is left to the reading, which says where it is.
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

    /// The equivalent schema to read instead, if this one only names types, or only refers to another.
    fn synonym(&mut self, place: &SchemaPlace<'d>) -> Option<SchemaPlace<'d>> {
        match self.lone_keyword(place.value)? {
            ("$ref", target) => self.target("$ref", target, place).ok(),
            ("type", names) => {
                let types = Types::of(names).ok()?;
                Some(self.by_types.entry(types).or_insert_with(|| place.clone()).clone())
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

    fn pointer_of_atom(&self, atom: Atom) -> String {
        self.pointer_of(&[atom])
    }

    // Schemas.

    /// The values that a schema allows, which is read when they are first asked for.
    fn values_of_schema(&mut self, id: SchemaId) -> Result<Rc<ValueSet<'d>>> {
        match &self.sets[id as usize] {
            ReadState::Read(known) => return Ok(Rc::clone(known)),
            ReadState::UnderWay => {
                return Err(Error::unsatisfiable(
                    &self.schemas[id as usize].pointer.text(),
                    "this schema refers to itself without reading anything: no value satisfies it",
                )
                .hint("a recursive schema needs a way to end: an optional member, an array, or another branch"));
            }
            ReadState::Unread => self.sets[id as usize] = ReadState::UnderWay,
        }
        let place = self.schemas[id as usize].clone();
        self.depth += 1;
        let allowed = self.limits().schema_depth;
        let set = if self.depth > allowed {
            Err(Error::limit("schema_depth", self.depth, allowed))
        } else {
            // The result is cached for all uses, so emptiness is checked as deeply as if no other check were under way.
            let probing = std::mem::take(&mut self.probing);
            // Schemas inside schemas are read by calls: a thread with a small stack gets more where little is left.
            let set = stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.read(&place));
            self.probing = probing;
            // A check that meets a schema under way learns nothing: that is not a fault of the schema, which is read again.
            if probing > 0 { set } else { set.or_else(|error| self.fault(error).map(|()| Rc::new(ValueSet::any()))) }
        };
        self.depth -= 1;
        self.sets[id as usize] = set.as_ref().map_or(ReadState::Unread, |set| ReadState::Read(Rc::clone(set)));
        set
    }

    fn read(&mut self, place: &SchemaPlace<'d>) -> Result<Rc<ValueSet<'d>>> {
        match place.value {
            Value::Bool(true) => Ok(Rc::new(ValueSet::any())),
            Value::Bool(false) => Ok(Rc::new(ValueSet::never())),
            Value::Object(map) => self.read_keys(Keys::new(map, self.dialect(place)), place),
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

    /// The values that some keys allow, after they were accounted for.
    fn meaning(&mut self, map: Keys<'d>, about: About, place: &SchemaPlace<'d>) -> Result<Rc<ValueSet<'d>>> {
        count(WORK_OF_SCHEMA);
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
                set = Some(self.intersect(set, target)?);
            }
        }
        if about.has(About::COMBINATIONS) {
            return self.applicators(map, place, set);
        }
        Ok(set.unwrap_or_else(|| Rc::new(ValueSet::any())))
    }
}

#[cfg(test)]
mod tests {
    use super::languages::MOST_AUTOMATA;
    use super::*;
    use crate::language::Node;
    use crate::syntax::json_schema::build_graph;

    #[test]
    fn a_definition_is_built_once_wherever_it_is_used() {
        let schema = r##"{"$defs": {"x": {"type": "object", "properties": {"y": {"$ref": "#/$defs/x"}}}},
            "type": "object", "additionalProperties": false, "required": ["a"], "properties": {
                "a": {"$ref": "#/$defs/x"}, "b": {"description": "another", "$ref": "#/$defs/x"},
                "c": {"type": "array", "items": {"$ref": "#/$defs/x"}}}}"##;
        let objects = build_graph(schema, &Options::default(), Purpose::Build, |built, _| {
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
            build_graph(schema, &Options::default(), Purpose::Build, |built, _| {
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
        let kept =
            build_graph(&schema, &Options::default(), Purpose::Build, |_, reader| Ok(reader.automata.len())).unwrap();
        assert!(kept < options.len() * (options.len() - 1) / 2, "{kept}");
        assert!(kept <= MOST_AUTOMATA, "{kept}");
    }

    /// A constant is not dropped because its pattern is too hard: the schema is refused.
    #[test]
    fn what_cannot_be_decided_is_refused() {
        let hard = Limits { automaton_states: 8, ..Limits::default() };
        for schema in [
            r#"{"enum": ["babababababa", 3], "pattern": "^[ab]*a[ab]{10}$"}"#,
            r#"{"properties": {"babababababa": {"const": 1}}, "patternProperties": {"^[ab]*a[ab]{10}$": false}}"#,
        ] {
            let options = Options { limits: hard.clone(), ..Options::default() };
            let error = crate::syntax::json_schema::json_schema(schema, &options).unwrap_err();
            assert!(matches!(*error.kind, crate::Kind::Limit { .. }), "{error}");
            assert!(crate::syntax::json_schema::json_schema(schema, &Options::default()).is_ok());
        }
    }
}
