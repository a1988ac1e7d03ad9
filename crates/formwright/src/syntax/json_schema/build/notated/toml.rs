//! TOML, version 1.0: lines of `key = value`, then tables under headers of their own.
//!
//! ```text
//! name = "Ada"
//!
//! [job]
//! city = "Oslo"
//!
//! [[tags]]
//! text = "a"
//! ```
//!
//! An object becomes a table, and an array of objects one table for each. Both come after the members that are written on
//! a line, whatever the order of declaration: a line after a header would belong to that table. Objects that may also be
//! something else, recursive ones and those deeper than [`MOST_LEVELS`] are inline tables, `{ city = "Oslo" }`. A member
//! that is not there is null where the schema allows null. Names that the schema does not declare are quoted; they come on
//! lines after those of declared members, `"not declared" = 1`, with inline tables as values.

use std::rc::Rc;
use std::sync::LazyLock;

use smallvec::SmallVec;

use super::{
    NotationBuilder, Others, PartQueue, Record, Writable, all_but, are_plain, automaton_of, has_scalars, is_plain,
    rounds_left,
};
use crate::error::{Error, Kind, Result};
use crate::language::UNBOUNDED;
use crate::regular::Regular;
use crate::syntax::json_schema::sets::{ArraySet, Condition, ObjectSet, ValueSet};
use crate::syntax::notation::{Container, Part, PartId, Parts, Spelling};

const OTHERS: &str = "use notation=\"yaml\" or \"json\"";

/// Names in a header at most.
const MOST_LEVELS: usize = 6;

/// Tables with headers at most; further objects are inline tables.
const MOST_TABLES: usize = 2_000;

/// Arrays of tables of one table that may be empty, at most: each doubles the parts of what follows. Others are inline.
const MOST_EMPTY: usize = 4;

/// What a part is built of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'d> {
    /// A value on a line.
    Inline(Condition<'d>),
    /// The lines and tables below the header with this index.
    Table(Condition<'d>, usize),
}

/// A header, and the conditions of the tables around it, its own last.
struct Header<'d> {
    names: String,
    conditions: Vec<Condition<'d>>,
}

/// One member of a table or inline table, in the order in which it is written.
struct Entry {
    /// What is written if nothing was written before it.
    first: PartId,
    /// What is written after another entry.
    next: PartId,
    /// What is written where it is absent, if it may be.
    absent: Option<PartId>,
}

/// How a member of a table is written.
enum Style<'d> {
    Line,
    Table,
    Tables(Rc<ArraySet<'d>>),
}

struct TomlBuilder<'b, 'r, 'd> {
    base: NotationBuilder<'b, 'r, 'd>,
    queue: PartQueue<Key<'d>>,
    headers: Vec<Header<'d>>,
    nothing: PartId,
}

pub(super) fn build<'d>(mut base: NotationBuilder<'_, '_, 'd>, root: Condition<'d>) -> Result<Parts> {
    let set = base.values(root)?;
    if set.objects.is_empty() {
        return Err(base.refuse(root, "toml writes an object as a whole text", "put the value into an object"));
    }
    if has_scalars(&set) || !set.arrays.is_empty() {
        base.json.reader.note_root(root);
    }
    let nothing = base.parts.nothing();
    let mut builder = TomlBuilder { base, queue: PartQueue::new(), headers: Vec::new(), nothing };
    builder.headers.push(Header { names: String::new(), conditions: vec![root] });
    builder.base.parts.root = builder.queue.part(&mut builder.base.parts, Key::Table(root, 0));
    while let Some((part, key)) = builder.queue.waiting.pop_front() {
        let options = match key {
            Key::Inline(condition) => builder.inline_options(condition)?,
            Key::Table(condition, header) => builder.table_options(condition, header)?,
        };
        builder.base.fill(part, options)?;
    }
    Ok(builder.base.parts)
}

impl<'d> TomlBuilder<'_, '_, 'd> {
    fn inline(&mut self, condition: Condition<'d>) -> PartId {
        self.queue.part(&mut self.base.parts, Key::Inline(condition))
    }

    // Values on a line.

    /// The ways to write a value on a line.
    fn inline_options(&mut self, condition: Condition<'d>) -> Result<Vec<PartId>> {
        let set = self.base.values(condition)?;
        let (mut options, mut refused) = (Vec::new(), None);
        if !are_plain(&set) {
            refused = Some(self.refuse_dependent(condition));
        }
        for (is_there, word) in [(set.yes, "true"), (set.no, "false")] {
            if is_there {
                options.push(self.base.constant(word, word));
            }
        }
        if let Some(tree) = self.base.numbers(&set.numbers, condition)? {
            options.push(self.base.scalar(&tree, Spelling::Number));
        }
        let strings = self.base.writable(&set.strings, condition, &WRITABLE)?;
        if !strings.is_none() {
            let tree = self.base.strings(&strings, condition);
            let escaped = Regular::and([tree.clone(), Regular::of_static(&ESCAPED)]);
            options.push(self.base.scalar(&escaped, Spelling::Json));
            let literal = Regular::and([tree, Regular::of_static(&LITERAL)]);
            options.push(self.base.scalar(&literal, Spelling::Doubled('\'')));
        }
        for array in &set.arrays {
            match self.inline_array(array, condition) {
                Ok(part) => options.push(part),
                Err(error) => refused = Some(refusal(error)?),
            }
        }
        for object in set.objects.iter().filter(|_| are_plain(&set)) {
            match self.inline_table(object, condition) {
                Ok(part) => options.push(part),
                Err(error) => refused = Some(refusal(error)?),
            }
        }
        if refused.is_none() && !set.null && set.arrays.is_empty() && set.objects.is_empty() {
            self.base.check_constants(&options, &set, condition)?;
        }
        self.base.without_refused(options, refused, condition)
    }

    /// An array on a line.
    fn inline_array(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<PartId> {
        if !is_plain(array) {
            let hint = "use notation=\"json\", or leave uniqueItems and contains out";
            return Err(self.base.refuse(whole, "toml writes no array whose items depend on each other", hint));
        }
        let most = self.base.json.most_items(array, whole);
        let comma = self.base.parts.text(", ");
        let fixed = (array.prefix.len() as u32).max(1).min(most);
        let (low, high) = rounds_left(array, most, fixed);
        let mut items = self.nothing;
        if high > 0 {
            let item = self.item(array.rest)?;
            let body = self.base.parts.sequence([comma, item]);
            items = self.base.parts.add(Part::Repeat { body, low, high });
        }
        for at in (0..fixed).rev() {
            let item = self.item(array.item(at as usize))?;
            let lead = if at == 0 { self.nothing } else { comma };
            let all = self.base.parts.sequence([lead, item, items]);
            items = if at >= array.low { self.base.parts.choice(vec![all, self.nothing]) } else { all };
        }
        let items = self.base.container(Container::Array, items);
        let (open, close) = (self.base.parts.text("["), self.base.parts.text("]"));
        Ok(self.base.parts.sequence([open, items, close]))
    }

    /// An item of an array, which is never null.
    fn item(&mut self, condition: Condition<'d>) -> Result<PartId> {
        let set = self.base.values(condition)?;
        if set.null {
            if is_null_alone(&set) {
                return Err(self.base.refuse(condition, "toml has no null in an array", OTHERS));
            }
            self.base.json.reader.note_nulls(condition);
        }
        Ok(self.inline(condition))
    }

    /// An object on a line.
    fn inline_table(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>) -> Result<PartId> {
        let (record, others) = self.record(object, whole)?;
        let comma = self.base.parts.text(", ");
        let mut entries = Vec::with_capacity(record.members.len());
        for member in &record.members {
            let line = self.line(member.name, member.condition);
            let next = self.base.parts.sequence([comma, line]);
            entries.push(self.entry((line, next), member.name, member.condition, member.is_required)?);
        }
        if let Some(others) = others {
            entries.extend(self.other_lines(others, whole, ", ")?);
        }
        let (inside, _) = self.chain(&entries, (self.nothing, self.nothing));
        let inside = self.base.container(Container::Object, inside);
        let [open, close] = [["{ ", "{"], [" }", "}"]].map(|texts| {
            let texts = texts.map(|text| self.base.parts.text(text)).to_vec();
            self.base.parts.choice(texts)
        });
        Ok(self.base.parts.sequence([open, inside, close]))
    }

    /// `key = value`.
    fn line(&mut self, name: &str, condition: Condition<'d>) -> PartId {
        let key = self.base.parts.add(Part::Key(name.into()));
        let text = self.base.parts.text(&format!("{} = ", key_text(name)));
        let value = self.inline(condition);
        self.base.parts.sequence([key, text, value])
    }

    /// Members that are not declared, whose values are never null; `None` if there are no other values.
    fn other_lines(&mut self, mut others: Others<'d>, whole: Condition<'d>, between: &str) -> Result<Option<Entry>> {
        let mut kinds = Vec::with_capacity(others.kinds.len());
        for kind in others.kinds {
            let set = self.base.values(kind.condition)?;
            if set.null {
                self.base.json.reader.note_nulls(kind.condition);
            }
            if !is_null_alone(&set) {
                kinds.push(kind);
            }
        }
        let may_be_absent = others.low == 0;
        if kinds.is_empty() {
            let refused = self.base.refuse(whole, "toml has no null for a name that is not declared", OTHERS);
            return if may_be_absent { Ok(None) } else { Err(refused) };
        }
        others.kinds = kinds;
        let queue = &mut self.queue;
        let entries = self.base.entries(&others, between, |base, condition| {
            let (equals, value) = (base.parts.text(" = "), queue.part(&mut base.parts, Key::Inline(condition)));
            base.parts.sequence([equals, value])
        });
        let between = self.base.parts.text(between);
        let next = self.base.parts.sequence([between, entries]);
        Ok(Some(Entry { first: entries, next, absent: may_be_absent.then_some(self.nothing) }))
    }

    // Members.

    /// The entry of a member: what is written of it if it comes first, or after others. Where it is absent, it is null if
    /// it may be.
    fn entry(
        &mut self,
        (first, next): (PartId, PartId),
        name: &str,
        condition: Condition<'d>,
        is_required: bool,
    ) -> Result<Entry> {
        let set = self.base.values(condition)?;
        let absent = if self.base.is_absent_null(&set, condition, is_required) {
            let key = self.base.parts.add(Part::Key(name.into()));
            let null = self.base.constant("", "null");
            Some(self.base.parts.sequence([key, null]))
        } else {
            (!is_required).then_some(self.nothing)
        };
        if is_null_alone(&set) {
            let never = self.base.parts.choice(Vec::new());
            return Ok(Entry { first: never, next: never, absent });
        }
        Ok(Entry { first, next, absent })
    }

    /// Entries in order, each present or absent, and then the rest: if nothing was written before, and if something was.
    fn chain<'e>(
        &mut self,
        entries: impl IntoIterator<Item = &'e Entry, IntoIter: DoubleEndedIterator>,
        rest: (PartId, PartId),
    ) -> (PartId, PartId) {
        entries.into_iter().rev().fold(rest, |rest, entry| self.one_more(entry, rest.1, rest))
    }

    /// An entry, and what comes after it if it is present, or if it is absent.
    fn one_more(&mut self, entry: &Entry, after: PartId, without: (PartId, PartId)) -> (PartId, PartId) {
        let mut either = |present: PartId, without: PartId| {
            let present = self.base.parts.sequence([present, after]);
            let Some(absent) = entry.absent else { return present };
            let absent = self.base.parts.sequence([absent, without]);
            self.base.parts.choice(vec![present, absent])
        };
        (either(entry.first, without.0), either(entry.next, without.1))
    }

    // Tables.

    /// The lines and tables below a header, of each kind of object that may be there.
    fn table_options(&mut self, condition: Condition<'d>, header: usize) -> Result<Vec<PartId>> {
        let set = self.base.values(condition)?;
        if !are_plain(&set) {
            return Err(self.refuse_dependent(condition));
        }
        let (mut options, mut refused) = (Vec::new(), None);
        for object in &set.objects {
            match self.table(object, condition, header) {
                Ok(part) => options.push(part),
                Err(error) => refused = Some(refusal(error)?),
            }
        }
        self.base.without_refused(options, refused, condition)
    }

    /// The lines and tables below a header.
    fn table(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>, header: usize) -> Result<PartId> {
        let (record, others) = self.record(object, whole)?;
        let (mut lines, mut tables, mut emptied) = (Vec::new(), Vec::new(), SmallVec::<[Entry; MOST_EMPTY]>::new());
        for member in &record.members {
            let style = self.style(member.condition, header, emptied.len())?;
            let (name, condition) = (member.name, member.condition);
            let (present, may_be_empty) = match style {
                Style::Line => {
                    let line = self.line(name, condition);
                    let next = self.after_break(line);
                    lines.push(self.entry((line, next), name, condition, member.is_required)?);
                    continue;
                }
                Style::Table => (self.sub_table(name, condition, header), false),
                Style::Tables(array) => (self.sub_tables(name, condition, header, &array), array.low == 0),
            };
            if may_be_empty {
                emptied.push(self.empty_array(name));
            }
            tables.push((self.entry(present, name, condition, member.is_required)?, may_be_empty));
        }
        if let Some(others) = others {
            lines.extend(self.other_lines(others, whole, "\n")?);
        }
        let rest = self.tables_after(&tables, &emptied);
        let (first, next) = self.chain(&lines, rest);
        Ok(self.base.container(Container::Object, if header == 0 { first } else { next }))
    }

    /// Lines that say which arrays of tables are empty, and the tables that then follow.
    fn tables_after(&mut self, tables: &[(Entry, bool)], emptied: &[Entry]) -> (PartId, PartId) {
        // By which arrays are empty, a bit each.
        let mut rests: Vec<(PartId, PartId)> = (0..1_usize << emptied.len())
            .map(|empty| {
                let (mut at, mut kept) = (0, Vec::new());
                for (entry, may_be_empty) in tables {
                    let is_empty = *may_be_empty && empty >> at & 1 == 1;
                    at += usize::from(*may_be_empty);
                    if !is_empty {
                        kept.push(entry);
                    }
                }
                let end = (self.nothing, self.nothing);
                self.chain(kept, end)
            })
            .collect();
        for (at, entry) in emptied.iter().enumerate().rev() {
            rests =
                (0..1_usize << at).map(|empty| self.one_more(entry, rests[empty | 1 << at].1, rests[empty])).collect();
        }
        rests[0]
    }

    /// The line of an array of tables that has none.
    fn empty_array(&mut self, name: &str) -> Entry {
        let key = self.base.parts.add(Part::Key(name.into()));
        let text = self.base.parts.text(&format!("{} = []", key_text(name)));
        let items = self.base.container(Container::Array, self.nothing);
        let line = self.base.parts.sequence([key, text, items]);
        Entry { first: line, next: self.after_break(line), absent: Some(self.nothing) }
    }

    /// How a member of the table below a header is written, where so many arrays of tables may be empty already.
    fn style(&mut self, condition: Condition<'d>, header: usize, emptied: usize) -> Result<Style<'d>> {
        let set = self.base.values(condition)?;
        let is_full = self.headers[header].conditions.len() > MOST_LEVELS || self.headers.len() > MOST_TABLES;
        if is_full || !are_plain(&set) || has_scalars_but_null(&set) {
            return Ok(Style::Line);
        }
        match (&set.arrays[..], &set.objects[..]) {
            ([], [object]) if self.may_have_header(object, condition, header)? => Ok(Style::Table),
            ([array], []) if is_plain(array) && array.prefix.is_empty() && array.high > 0 => {
                let items = self.base.values(array.rest)?;
                let is_kept = array.low > 0 || emptied < MOST_EMPTY;
                let are_objects = are_plain(&items) && !has_scalars(&items) && items.arrays.is_empty();
                match &items.objects[..] {
                    [object] if is_kept && are_objects && self.may_have_header(object, array.rest, header)? => {
                        Ok(Style::Tables(Rc::clone(array)))
                    }
                    _ => Ok(Style::Line),
                }
            }
            _ => Ok(Style::Line),
        }
    }

    /// Whether an object may be a table below a header: it is a record, and not one of the tables around it.
    fn may_have_header(&mut self, object: &ObjectSet<'d>, condition: Condition<'d>, header: usize) -> Result<bool> {
        if self.headers[header].conditions.contains(&condition) {
            return Ok(false);
        }
        let record = self.base.open_record(object, condition)?;
        Ok(record.is_some_and(|(record, others)| !record.members.is_empty() || others.is_some()))
    }

    /// The index of a header with one more name.
    fn header(&mut self, name: &str, condition: Condition<'d>, above: usize) -> usize {
        let Header { names, conditions } = &self.headers[above];
        let dot = if names.is_empty() { "" } else { "." };
        let names = format!("{names}{dot}{}", key_text(name));
        let conditions = conditions.iter().copied().chain([condition]).collect();
        self.headers.push(Header { names, conditions });
        self.headers.len() - 1
    }

    /// A table under a header, if nothing was written before it and if something was.
    fn sub_table(&mut self, name: &str, condition: Condition<'d>, above: usize) -> (PartId, PartId) {
        let header = self.header(name, condition, above);
        let key = self.base.parts.add(Part::Key(name.into()));
        let text = self.base.parts.text(&format!("[{}]", self.headers[header].names));
        let table = self.queue.part(&mut self.base.parts, Key::Table(condition, header));
        let first = self.base.parts.sequence([text, key, table]);
        (first, self.after_blank_line(first))
    }

    /// One table or more, each under a header, if nothing was written before them and if something was.
    fn sub_tables(&mut self, name: &str, whole: Condition<'d>, above: usize, array: &ArraySet<'d>) -> (PartId, PartId) {
        let header = self.header(name, array.rest, above);
        let most = self.base.json.most_items(array, whole);
        let key = self.base.parts.add(Part::Key(name.into()));
        let text = self.base.parts.text(&format!("[[{}]]", self.headers[header].names));
        let table = self.queue.part(&mut self.base.parts, Key::Table(array.rest, header));
        let first = self.base.parts.sequence([text, table]);
        let next = self.after_blank_line(first);
        let high = if most == UNBOUNDED { UNBOUNDED } else { most - 1 };
        let others = self.base.parts.add(Part::Repeat { body: next, low: array.low.saturating_sub(1), high });
        let mut begun_by = |item: PartId| {
            let items = self.base.parts.sequence([item, others]);
            let items = self.base.container(Container::Array, items);
            self.base.parts.sequence([key, items])
        };
        (begun_by(first), begun_by(next))
    }

    fn after_break(&mut self, part: PartId) -> PartId {
        let line_break = self.base.parts.text("\n");
        self.base.parts.sequence([line_break, part])
    }

    /// A part after a line break, before which there may be a blank line.
    fn after_blank_line(&mut self, part: PartId) -> PartId {
        let breaks = ["\n\n", "\n"].map(|text| self.base.parts.text(text)).to_vec();
        let breaks = self.base.parts.choice(breaks);
        self.base.parts.sequence([breaks, part])
    }

    fn record(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>) -> Result<(Record<'d>, Option<Others<'d>>)> {
        let Some((record, others)) = self.base.open_record(object, whole)? else {
            return Err(self.refuse_dependent(whole));
        };
        if let Some(member) = record.members.iter().find(|member| member.name.contains('\u{7F}')) {
            let what = format!("toml has no way to write the name {:?}", member.name);
            return Err(self.base.refuse(whole, what, OTHERS));
        }
        Ok((record, others))
    }

    fn refuse_dependent(&self, whole: Condition<'d>) -> Error {
        self.base.refuse(whole, "toml writes no object whose members depend on each other", OTHERS)
    }
}

/// The error that says what the notation does not write; others are raised.
fn refusal(error: Error) -> Result<Error> {
    if matches!(*error.kind, Kind::Unsupported { .. }) { Ok(error) } else { Err(error) }
}

fn has_scalars_but_null(set: &ValueSet<'_>) -> bool {
    set.yes || set.no || !set.numbers.is_empty() || !set.strings.is_none()
}

fn is_null_alone(set: &ValueSet<'_>) -> bool {
    set.null && !has_scalars_but_null(set) && set.arrays.is_empty() && set.objects.is_empty()
}

fn key_text(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_owned() } else { Spelling::Json.encode(name) }
}

/// Strings in double quotes. TOML wants an escape for DEL, which JSON does not write.
pub(super) static ESCAPED: LazyLock<Regular> = LazyLock::new(|| all_but(&[('\u{7F}', '\u{7F}')]).repeat(0, None));

static WRITABLE: LazyLock<Writable> = LazyLock::new(|| automaton_of(&ESCAPED));

/// Strings in single quotes, where nothing is escaped.
static LITERAL: LazyLock<Regular> =
    LazyLock::new(|| all_but(&[('\0', '\u{8}'), ('\n', '\u{1F}'), ('\'', '\''), ('\u{7F}', '\u{7F}')]).repeat(0, None));

/// Numbers that every reader takes: integers of 64 bits, which have up to 18 digits here.
pub(super) static NUMBER: LazyLock<Regular> = LazyLock::new(|| {
    let digits = |most| Regular::digit().repeat(1, most);
    let sign = || Regular::text("-").optional();
    let fraction = Regular::concat([Regular::text("."), digits(None)]);
    let exponent = Regular::concat([Regular::one_of("eE"), Regular::one_of("+-").optional(), digits(None)]);
    let rest = Regular::or([Regular::concat([fraction, exponent.clone().optional()]), exponent]);
    Regular::or([Regular::concat([sign(), digits(Some(MOST_DIGITS))]), Regular::concat([sign(), digits(None), rest])])
});

/// Digits of an integer at most.
pub(super) const MOST_DIGITS: u32 = 18;
