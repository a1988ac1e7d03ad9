//! Writers of notations: from sets of values to parts.
//!
//! A writer lays out what it knows, and hands the rest to the writer of JSON where its notation holds JSON, as YAML
//! does. Like there, a condition becomes a part once for each place that it is at, and children are queued.
//!
//! ```text
//! {"a": 1}     yaml   a: 1     csv (of a list)   a⏎1     jsonl (of a list)   {"a": 1}
//! ```

mod lines;
mod tables;
mod toml;
mod toon;
mod xml;
mod yaml;

use std::collections::VecDeque;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::objects::{declared_names, finite_names};
use super::undeclared::OtherNames;
use super::{Alternatives, GraphBuilder, Texts};
use crate::error::{Error, Result};
use crate::language::{Leaf, NodeId, UNBOUNDED};
use crate::limits::Limits;
use crate::regular::{Automaton, Encoding, Escapes, Regular};
use crate::syntax::json_schema::number::NumberSet;
use crate::syntax::json_schema::sets::{ArraySet, Condition, NameSet, ObjectSet, StringSet, TRUE, ValueSet, is_never};
use crate::syntax::json_schema::{Notation, Options};
use crate::syntax::notation::{Container, Entries, Part, PartId, Parts, Spelling, with_fraction};

/// A declared member of an object that is written in order of declaration.
struct RecordMember<'d> {
    name: &'d str,
    condition: Condition<'d>,
    is_required: bool,
}

/// The members of an object that the schema does not declare, where there may be some.
struct Others<'d> {
    kinds: Vec<OtherNames<'d>>,
    /// Declared names in ascending order.
    declared: Arc<[Box<str>]>,
    /// Fewest and most of them.
    low: u32,
    high: u32,
}

/// How members that the schema does not declare are written, if any are: first in their object, and after others.
struct Entered {
    first: PartId,
    next: PartId,
    must_come: bool,
}

/// The members of an object, and whether it may have others.
struct Record<'d> {
    members: Vec<RecordMember<'d>>,
    is_open: bool,
}

/// Parts that are built once for each key, in the order in which they are asked for.
struct PartQueue<K> {
    known: FxHashMap<K, PartId>,
    waiting: VecDeque<(PartId, K)>,
}

impl<K: Copy + Eq + Hash> PartQueue<K> {
    fn new() -> Self {
        Self { known: FxHashMap::default(), waiting: VecDeque::new() }
    }

    /// The part of a key, perhaps still to be built.
    fn part(&mut self, parts: &mut Parts, key: K) -> PartId {
        *self.known.entry(key).or_insert_with(|| {
            let part = parts.add(Part::Nothing);
            self.waiting.push_back((part, key));
            part
        })
    }
}

/// Writes the parts of one notation.
struct NotationBuilder<'b, 'r, 'd> {
    json: &'b mut GraphBuilder<'r, 'd>,
    parts: Parts,
}

impl<'d> GraphBuilder<'_, 'd> {
    /// The parts of texts whose value meets a condition, in the notation of the options.
    pub(super) fn notated(&mut self, root: Condition<'d>) -> Result<Option<Parts>> {
        let notation = self.options.notation.clone();
        if matches!(notation, Notation::Json | Notation::Python) {
            return Ok(None);
        }
        let mut builder = NotationBuilder { json: self, parts: Parts::default() };
        builder.parts.root = match &notation {
            Notation::JsonLines => builder.lines(root)?,
            Notation::Csv { .. } | Notation::Markdown => builder.table(root, &notation)?,
            Notation::Toml => return toml::build(builder, root).map(Some),
            Notation::Toon { .. } => return toon::build(builder, root).map(Some),
            Notation::Xml { .. } => return xml::build(builder, root).map(Some),
            Notation::Json | Notation::Python | Notation::Yaml { .. } => return yaml::build(builder, root).map(Some),
        };
        Ok(Some(builder.parts))
    }
}

/// The characters of strings and of undeclared names, repeated; `None` if they are all.
pub(super) fn alphabet_of(options: &Options) -> Option<Regular> {
    let own = options.alphabet.as_deref().map(|set| Regular::one_of(set).repeat(0, None));
    match options.notation {
        Notation::Yaml { .. } => {
            let readable = yaml::CHARACTERS.clone().repeat(0, None);
            Some(own.map_or(readable.clone(), |own| Regular::and([own, readable])))
        }
        _ => own,
    }
}

/// The numbers of a tree that every reader of a notation takes for numbers.
pub(super) fn spelled_numbers(notation: &Notation, tree: Regular) -> Regular {
    match notation {
        Notation::Yaml { .. } => Regular::and([tree, Regular::of_static(&yaml::NUMBER)]),
        Notation::Toml => Regular::and([tree, Regular::of_static(&toml::NUMBER)]),
        _ => tree,
    }
}

/// Digits of a number that every reader of a notation takes, if there is a bound.
pub fn most_digits(notation: &Notation) -> Option<u32> {
    (*notation == Notation::Toml).then_some(toml::MOST_DIGITS)
}

/// A number of JSON as readers of a notation take it for a number.
pub(super) fn number_text(notation: &Notation, text: String) -> String {
    if matches!(notation, Notation::Yaml { .. }) { with_fraction(&text) } else { text }
}

/// Whether every reader of a notation takes a text for a number, which it is in JSON.
fn is_number(notation: &Notation, text: &str) -> Result<bool> {
    static OF_TOML: LazyLock<Result<Automaton>> = LazyLock::new(|| automaton_of(&toml::NUMBER));
    if *notation == Notation::Toml { accepts(&OF_TOML, text) } else { Ok(true) }
}

/// The undeclared names that a notation can write, if these are not all.
pub(super) fn writable_names(notation: &Notation) -> Option<Regular> {
    match notation {
        Notation::Toon { .. } => Some(Regular::of_static(&toon::QUOTED)),
        Notation::Toml => Some(Regular::of_static(&toml::ESCAPED)),
        _ => None,
    }
}

/// Whether a string can be written in the JSON of a notation.
pub(super) fn is_writable(notation: &Notation, text: &str) -> bool {
    !matches!(notation, Notation::Yaml { .. }) || yaml::is_readable(text)
}

impl<'d> GraphBuilder<'_, 'd> {
    /// The node of the arrays and objects that meet a condition, as JSON.
    fn flow_node(&mut self, condition: Condition<'d>) -> Result<NodeId> {
        let (set, mut options) = (self.reader.values(condition)?, Alternatives::new());
        self.containers(&set, condition, &mut options)?;
        let node = self.any_of(options);
        Ok(self.graph.add(node))
    }
}

impl<'d> NotationBuilder<'_, '_, 'd> {
    /// The values that meet a condition.
    fn values(&mut self, condition: Condition<'d>) -> Result<Rc<ValueSet<'d>>> {
        let set = self.json.reader.values(condition)?;
        if self.json.empty.is_none() && *set == ValueSet::never() {
            self.json.empty = Some(condition);
        }
        if self.json.narrowed.is_none() && set.is_under_approximation() {
            self.json.narrowed = Some(condition);
        }
        self.json.reader.check_answers()?;
        Ok(set)
    }

    /// Puts what was built in the place of a part.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are too many parts.
    fn fill(&mut self, part: PartId, options: Vec<PartId>) -> Result<()> {
        self.parts.set_whole(part, options);
        let (made, allowed) = (self.parts.len(), self.json.options.limits.nodes);
        if made > allowed { Err(Error::limit("nodes", made, allowed)) } else { Ok(()) }
    }

    /// The node of a condition as JSON.
    fn json_node(&mut self, condition: Condition<'d>) -> NodeId {
        self.json.node(condition)
    }

    /// The ways to write a value, where others may have been refused: an error if there is no way left.
    fn without_refused(
        &mut self,
        options: Vec<PartId>,
        refused: Option<Error>,
        whole: Condition<'d>,
    ) -> Result<Vec<PartId>> {
        match refused {
            Some(error) if options.is_empty() => Err(error),
            Some(_) => {
                self.json.reader.note_containers(whole);
                Ok(options)
            }
            None => Ok(options),
        }
    }

    fn refuse(&self, whole: Condition<'d>, what: impl Into<String>, hint: &str) -> Error {
        Error::unsupported(&self.json.reader.pointer_of(whole), what.into()).hint(hint)
    }

    /// The members of an object, unless they depend on each other in ways that no order of members tells.
    fn record(&mut self, object: &ObjectSet<'d>) -> Option<Record<'d>> {
        let record = self.members(object)?;
        let all_may_come = object.high as usize >= record.members.len();
        (object.low <= object.required.len() as u32 && all_may_come).then_some(record)
    }

    /// The same with the members that are not declared. Where all members are counted, each declared one has to come.
    fn open_record(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
    ) -> Result<Option<(Record<'d>, Option<Others<'d>>)>> {
        let Some(record) = self.members(object).filter(|record| record.is_open) else {
            return Ok(self.record(object).map(|record| (record, None)));
        };
        let required = object.required.len() as u32;
        let is_counted = object.low > required || object.high < UNBOUNDED;
        if is_counted && required < record.members.len() as u32 {
            return Ok(None);
        }
        let names = declared_names(object);
        let kinds = self.json.undeclared_names(object, whole, &names)?;
        let mut declared: Vec<Box<str>> = names.iter().map(Into::into).collect();
        declared.sort_unstable();
        let low = object.low.saturating_sub(required);
        let high = if object.high == UNBOUNDED { UNBOUNDED } else { object.high.saturating_sub(required) };
        if kinds.is_empty() || high == 0 {
            return Ok((low == 0).then_some((record, None)));
        }
        Ok(Some((record, Some(Others { kinds, declared: declared.into(), low, high }))))
    }

    /// Members that are not declared, one or more, with a text between two of them. `value` is what is written after a name.
    fn entries(
        &mut self,
        others: &Others<'d>,
        between: &str,
        mut value: impl FnMut(&mut Self, Condition<'d>) -> PartId,
    ) -> PartId {
        let separator = self.parts.text(between);
        let (mut parts, mut names, mut members) = (vec![separator], Vec::new(), Vec::new());
        for OtherNames { tree, most, condition } in &others.kinds {
            let leaf = Leaf { tree: tree.clone(), encoding: Encoding::Json(Escapes::Unique) };
            let name = self.parts.add(Part::Name { leaf: leaf.clone(), declared: Arc::clone(&others.declared) });
            let value = value(self, condition);
            members.push(self.parts.sequence([name, value]));
            names.push((leaf, *most));
            parts.push(value);
        }
        let member = self.parts.choice(members);
        let body = self.parts.sequence([separator, member]);
        let (low, most) = (others.low.max(1), if others.high == UNBOUNDED { UNBOUNDED } else { others.high - 1 });
        let further = self.parts.add(Part::Repeat { body, low: low - 1, high: most });
        let in_a_row = self.parts.sequence([member, further]);
        self.parts.add(Part::Entries(Box::new(Entries {
            declared: Arc::clone(&others.declared),
            names,
            parts: parts.into(),
            between: between.len() as u32,
            low,
            high: others.high,
            in_a_row,
        })))
    }

    /// The declared members of an object that has no others, or may have some.
    fn members(&mut self, object: &ObjectSet<'d>) -> Option<Record<'d>> {
        let mut names = declared_names(object);
        let finite = finite_names(object);
        finite.iter().flatten().zip(0..).for_each(|(name, at)| names.add(name, at));
        if !object.existentials.is_empty() || !object.implied.is_empty() {
            return None;
        }
        let conditions = self.json.conditions(object, &names);
        let mut members = Vec::with_capacity(names.len());
        for (name, condition) in names.iter().zip(conditions) {
            let is_required = object.requires(name);
            if !is_never(condition) && self.json.reader.allows_name(object, name) {
                members.push(RecordMember { name, condition, is_required });
            } else if is_required {
                return None;
            }
        }
        let closes = |rule: &crate::syntax::json_schema::sets::Rule<'_>| {
            is_never(rule.condition)
                && matches!(&rule.names, NameSet::Except { names: known, patterns } if patterns.is_empty()
                    && known.iter().all(|name| names.place(name, 0).is_some()))
        };
        let is_open = finite.is_none() && !object.rules.iter().any(closes);
        Some(Record { members, is_open })
    }

    /// Members in order, where those that are not required may be left out: `first` and `next` make the part of one.
    /// Members that are not declared come last.
    fn members_in_order(
        &mut self,
        record: &Record<'d>,
        others: Option<&Entered>,
        mut first: impl FnMut(&mut Self, &RecordMember<'d>) -> PartId,
        mut next: impl FnMut(&mut Self, &RecordMember<'d>) -> PartId,
    ) -> PartId {
        let nothing = self.parts.nothing();
        let (mut rest, mut all) = (nothing, None);
        if let Some(&Entered { first, next, must_come }) = others {
            rest = if must_come { next } else { self.parts.choice(vec![next, nothing]) };
            all = Some(first);
        }
        for member in record.members.iter().rev() {
            let begins = first(self, member);
            let begins = self.parts.sequence([begins, rest]);
            let follows = next(self, member);
            let follows = self.parts.sequence([follows, rest]);
            if member.is_required {
                (rest, all) = (follows, Some(begins));
            } else {
                rest = self.parts.choice(vec![follows, rest]);
                all = Some(all.map_or(begins, |others| self.parts.choice(vec![begins, others])));
            }
        }
        all.unwrap_or(nothing)
    }

    /// Whether a member that is absent is null. Where the schema has another default for it, it is absent, and never null.
    fn is_absent_null(&mut self, set: &ValueSet<'d>, condition: Condition<'d>, is_required: bool) -> bool {
        if !set.null || is_required {
            return set.null;
        }
        let has_default = self.json.reader.has_default_but_null(condition);
        if has_default {
            self.json.reader.note_nulls(condition);
        } else {
            self.json.reader.note_absent(condition);
        }
        !has_default
    }

    /// A part between the ends of a container.
    fn container(&mut self, container: Container, inside: PartId) -> PartId {
        let (open, close) = (self.parts.open(container), self.parts.close(container));
        self.parts.sequence([open, inside, close])
    }

    fn constant(&mut self, text: &str, json: &str) -> PartId {
        self.parts.add(Part::Constant { text: text.into(), json: json.into() })
    }

    fn scalar(&mut self, tree: &Regular, spelling: Spelling) -> PartId {
        let leaf = spelling.leaf(tree);
        self.parts.add(Part::Scalar { leaf, spelling })
    }

    /// The scalars of a set but null, where all is text: booleans, numbers, and the strings that no text of these says,
    /// of which `write_strings` makes parts.
    fn untagged_scalars(
        &mut self,
        set: &ValueSet<'d>,
        whole: Condition<'d>,
        mut taken: Vec<Regular>,
        writable: &Writable,
        write_strings: impl FnOnce(&mut Self, &Regular, &mut Vec<PartId>),
    ) -> Result<Vec<PartId>> {
        let mut options = Vec::new();
        for (is_there, word) in [(set.yes, "true"), (set.no, "false")] {
            if is_there {
                options.push(self.constant(word, word));
                taken.push(Regular::text(word));
            }
        }
        if let Some(tree) = self.numbers(&set.numbers, whole)? {
            options.push(self.scalar(&tree, Spelling::Number));
            taken.push(tree);
        }
        let strings = self.writable(&set.strings, whole, writable)?;
        let strings = self.not_taken(&strings, &taken, whole)?;
        if !strings.is_none() {
            let strings = self.strings(&strings, whole);
            let tree = if taken.is_empty() { strings } else { Regular::and([strings, Regular::or(taken).not()]) };
            write_strings(self, &tree, &mut options);
        }
        if !set.null {
            self.check_constants(&options, set, whole)?;
        }
        Ok(options)
    }

    /// The strings of a set without listed ones that the notation has no way to write.
    fn writable(
        &mut self,
        strings: &StringSet<'d>,
        whole: Condition<'d>,
        writable: &Writable,
    ) -> Result<StringSet<'d>> {
        let StringSet::Finite(texts) = strings else { return Ok(strings.clone()) };
        let kept = filter(texts, |text| accepts(writable, text))?;
        if kept.len() < texts.len() {
            self.json.reader.note_constants(whole);
        }
        Ok(StringSet::Finite(kept))
    }

    /// The same without those that a cell with their text is not read as.
    fn not_taken(&mut self, strings: &StringSet<'d>, taken: &[Regular], whole: Condition<'d>) -> Result<StringSet<'d>> {
        let StringSet::Finite(texts) = strings else {
            if !taken.is_empty() {
                self.json.reader.note_cells(whole);
            }
            return Ok(strings.clone());
        };
        if texts.is_empty() || taken.is_empty() {
            return Ok(strings.clone());
        }
        let others = automaton_of(&Regular::or(taken.to_vec()));
        let kept = filter(texts, |text| accepts(&others, text).map(|is_taken| !is_taken))?;
        if kept.len() < texts.len() {
            self.json.reader.note_cells(whole);
        }
        Ok(StringSet::Finite(kept))
    }

    /// Refuses a place where the notation leaves none of the listed values.
    fn check_constants(&self, options: &[PartId], set: &ValueSet<'d>, whole: Condition<'d>) -> Result<()> {
        let lists = !set.numbers.is_empty() || matches!(&set.strings, StringSet::Finite(texts) if !texts.is_empty());
        if !options.is_empty() || !lists {
            return Ok(());
        }
        let word = self.json.options.notation.name();
        let hint = "change the constants, or use notation=\"json\"";
        Err(self.refuse(whole, format!("{word} has no way to write what is listed here"), hint))
    }

    /// The numbers of some sets; `None` if there are none.
    fn numbers(&mut self, sets: &[Rc<NumberSet>], whole: Condition<'d>) -> Result<Option<Regular>> {
        let (mut trees, style) = (Vec::new(), self.json.options.number_style());
        for set in sets {
            if self.json.reader.explains() && set.only().is_none() && set.exceeds(style) {
                self.json.reader.note_numbers(whole, style);
            }
            let constant = set.point_text(style);
            if constant.map_or(Ok(true), |text| is_number(&self.json.options.notation, &text))? {
                trees.push(self.json.number_tree(set, whole)?);
            } else {
                self.json.reader.note_constants(whole);
            }
        }
        let tree = Regular::or(trees);
        Ok((tree != Regular::Never).then_some(tree))
    }

    /// The strings of a set, of the characters that are written at all.
    fn strings(&mut self, strings: &StringSet<'d>, whole: Condition<'d>) -> Regular {
        if matches!(strings, StringSet::Regular { .. }) {
            self.json.reader.note_characters(whole);
        }
        self.json.in_alphabet(strings.tree(), std::slice::from_ref(strings), Texts::Strings, whole)
    }
}

/// What tells which strings a notation can write.
type Writable = Result<Automaton>;

fn automaton_of(tree: &Regular) -> Result<Automaton> {
    Automaton::new(tree, Encoding::Text, &Limits::default())
}

fn accepts(automaton: &Result<Automaton>, text: &str) -> Result<bool> {
    automaton.as_ref().map(|automaton| automaton.accepts(text.as_bytes())).map_err(Clone::clone)
}

/// The texts that a test holds of.
fn filter<'d>(texts: &[&'d str], holds: impl Fn(&str) -> Result<bool>) -> Result<Vec<&'d str>> {
    let mut kept = Vec::with_capacity(texts.len());
    for text in texts {
        if holds(text)? {
            kept.push(*text);
        }
    }
    Ok(kept)
}

/// Whether the items of an array are told apart by their position alone.
fn is_plain(array: &ArraySet<'_>) -> bool {
    array.contains.is_empty() && !(array.unique && array.high > 1)
}

fn has_scalars(set: &ValueSet<'_>) -> bool {
    set.null || set.yes || set.no || !set.numbers.is_empty() || !set.strings.is_none()
}

/// Whether objects meet no further formula.
fn are_plain(set: &ValueSet<'_>) -> bool {
    set.formula == TRUE
}

/// `low - done` to `high - done` rounds.
fn rounds_left(array: &ArraySet<'_>, most: u32, done: u32) -> (u32, u32) {
    let high = if most == UNBOUNDED { UNBOUNDED } else { most.saturating_sub(done) };
    (array.low.saturating_sub(done), high)
}

/// What some readers take for no character of a text, or for a line break: controls but tab, CR and LF, and others.
const UNREADABLE: &[(char, char)] = &[
    ('\0', '\u{8}'),
    ('\u{B}', '\u{C}'),
    ('\u{E}', '\u{1F}'),
    ('\u{7F}', '\u{9F}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFFE}', '\u{FFFF}'),
];

/// The characters outside some sorted ranges.
fn all_but(ranges: &[(char, char)]) -> Regular {
    let mut kept: Vec<(char, char)> = Vec::new();
    let mut push = |low: u32, high: u32| {
        for (first, last) in [(low, high.min(0xD7FF)), (low.max(0xE000), high)] {
            if let (true, Some(first), Some(last)) = (first <= last, char::from_u32(first), char::from_u32(last)) {
                kept.push((first, last));
            }
        }
    };
    let mut next = 0;
    for (low, high) in ranges {
        if u32::from(*low) > next {
            push(next, u32::from(*low) - 1);
        }
        next = u32::from(*high) + 1;
    }
    push(next, u32::from(char::MAX));
    Regular::Class(kept.into())
}

/// All of UTF-8 that every reader takes as it is.
static READABLE: LazyLock<Regular> = LazyLock::new(|| all_but(UNREADABLE));
