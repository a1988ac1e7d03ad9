//! TOON, by version 4 of its specification: lines of `key: value`, arrays with their length in front of them.
//!
//! ```text
//! name: Ada
//! tags[2]: a,b
//! jobs[1]{city,since}:
//!   Oslo,2020
//! "not declared": true
//! ```
//!
//! The length of an array is written before its items, so each length is a part of its own: masks and budgets see how many
//! items must follow. Arrays of records whose members are all there, and scalars, are rows; others are items after a dash.
//! Names that the schema does not declare are quoted, and come after those that it does.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{
    Entered, NotationBuilder, Others, PartQueue, READABLE, Record, Writable, are_plain, automaton_of, has_scalars,
    is_plain,
};
use crate::error::{Error, Kind, Result};
use crate::language::UNBOUNDED;
use crate::regular::Regular;
use crate::syntax::json_schema::Notation;
use crate::syntax::json_schema::sets::{ArraySet, Condition, ObjectSet, ValueSet};
use crate::syntax::notation::{Container, Part, PartId, Parts, Spelling};

const OTHERS: &str = "use notation=\"yaml\" or \"json\"";

/// Blanks of a level.
const INDENT: usize = 2;

/// Most levels of lines.
const MOST_LEVELS: usize = 32;

/// Where a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Position {
    /// The whole text.
    Root,
    /// After a key of this level, before its colon.
    AfterKey(usize),
    /// An item of this level, before its dash.
    Item(usize),
    /// In a row or in an inline array.
    Cell,
}

struct ToonBuilder<'b, 'r, 'd> {
    base: NotationBuilder<'b, 'r, 'd>,
    queue: PartQueue<(Condition<'d>, Position)>,
    /// The scalars of a condition, wherever they are.
    scalars: FxHashMap<Condition<'d>, Option<PartId>>,
    /// The arrays of a condition after their bracket: by their index, the level of their items, and whether they may have
    /// rows.
    arrays: FxHashMap<(Condition<'d>, usize, usize, bool), PartId>,
    /// By number of items: the part that says it.
    counts: FxHashMap<u32, PartId>,
    delimiter: char,
    max_items: u32,
}

pub(super) fn build<'d>(base: NotationBuilder<'_, '_, 'd>, root: Condition<'d>) -> Result<Parts> {
    let Notation::Toon { delimiter, max_items } = base.json.options.notation else { return Ok(Parts::default()) };
    let (scalars, arrays, counts) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    let mut builder = ToonBuilder { base, queue: PartQueue::new(), scalars, arrays, counts, delimiter, max_items };
    builder.base.parts.root = builder.part(root, Position::Root);
    while let Some((part, (condition, position))) = builder.queue.waiting.pop_front() {
        let options = builder.options(condition, position)?;
        builder.base.fill(part, options)?;
    }
    Ok(builder.base.parts)
}

impl<'d> ToonBuilder<'_, '_, 'd> {
    /// The part of a condition, perhaps still to be built.
    fn part(&mut self, condition: Condition<'d>, position: Position) -> PartId {
        self.queue.part(&mut self.base.parts, (condition, position))
    }

    /// The ways to write a value.
    fn options(&mut self, condition: Condition<'d>, position: Position) -> Result<Vec<PartId>> {
        let set = self.base.values(condition)?;
        if !are_plain(&set) {
            return Err(self.base.refuse(
                condition,
                "toon writes no object whose members depend on each other",
                OTHERS,
            ));
        }
        let (mut options, mut refused) = (Vec::new(), None);
        for (array, index) in set.arrays.iter().zip(0..) {
            let added = self.array((array, index), condition, position, &mut options);
            refused = refusal(added)?.or(refused);
        }
        for object in &set.objects {
            let added = self.object(object, condition, position, &mut options);
            refused = refusal(added)?.or(refused);
        }
        if let Some(scalar) = self.scalar(&set, condition)? {
            let lead = match position {
                Position::AfterKey(_) => ": ",
                Position::Item(_) => "- ",
                Position::Root | Position::Cell => "",
            };
            let lead = self.base.parts.text(lead);
            options.push(self.base.parts.sequence([lead, scalar]));
        }
        self.base.without_refused(options, refused, condition)
    }

    /// The scalars of a condition, if there are any.
    fn scalar(&mut self, set: &ValueSet<'d>, condition: Condition<'d>) -> Result<Option<PartId>> {
        if let Some(&known) = self.scalars.get(condition) {
            return Ok(known);
        }
        let mut scalars = Vec::new();
        for (is_there, word) in [(set.null, "null"), (set.yes, "true"), (set.no, "false")] {
            if is_there {
                scalars.push(self.base.constant(word, word));
            }
        }
        if let Some(tree) = self.base.numbers(&set.numbers, condition)? {
            scalars.push(self.base.scalar(&tree, Spelling::Number));
        }
        let strings = self.base.writable(&set.strings, condition, &WRITABLE)?;
        if !strings.is_none() {
            let tree = self.base.strings(&strings, condition);
            let bare = match self.delimiter {
                '\t' => &*BARE_TAB,
                '|' => &*BARE_PIPE,
                _ => &*BARE_COMMA,
            };
            let unquoted = Regular::and([tree.clone(), Regular::of_static(bare)]);
            scalars.push(self.base.scalar(&unquoted, Spelling::Bare));
            let quoted = Regular::and([tree, Regular::of_static(&QUOTED)]);
            scalars.push(self.base.scalar(&quoted, Spelling::Json));
        }
        if set.arrays.is_empty() && set.objects.is_empty() {
            self.base.check_constants(&scalars, set, condition)?;
        }
        let scalar = (!scalars.is_empty()).then(|| self.base.parts.choice(scalars));
        self.scalars.insert(condition, scalar);
        Ok(scalar)
    }

    fn new_line(&mut self, level: usize) -> PartId {
        self.base.parts.text(&format!("\n{}", " ".repeat(INDENT * level)))
    }

    /// An object, a member a line.
    fn object(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        position: Position,
        options: &mut Vec<PartId>,
    ) -> Result<()> {
        let (record, others) = self.record(object, whole)?;
        let (lead, level) = match position {
            Position::Root => ("", 0),
            Position::AfterKey(level) => (":", level + 1),
            Position::Item(level) => ("- ", level + 1),
            Position::Cell => return Err(self.base.refuse(whole, "toon writes no object in a row", OTHERS)),
        };
        if level > MOST_LEVELS {
            self.base.json.reader.note_containers(whole);
            return Ok(());
        }
        let must_come = others.as_ref().is_some_and(|others| others.low > 0);
        if !must_come && record.members.iter().all(|member| !member.is_required) {
            let text = self.base.parts.text(lead.trim_end());
            let nothing = self.base.parts.nothing();
            let empty = self.base.container(Container::Object, nothing);
            options.push(self.base.parts.sequence([text, empty]));
        }
        if record.members.is_empty() && others.is_none() {
            return Ok(());
        }
        let line = self.new_line(level);
        let first = match position {
            Position::AfterKey(_) => line,
            _ => self.base.parts.nothing(),
        };
        let mut members = Vec::new();
        for member in &record.members {
            let value = self.part(member.condition, Position::AfterKey(level));
            let key = self.base.parts.add(Part::Key(member.name.into()));
            let name = self.base.parts.text(&key_text(member.name));
            members.push((member.name, self.base.parts.sequence([key, name, value])));
        }
        let entered = others.map(|others| {
            let entries = self.entries(&others, level);
            let [first, next] = [first, line].map(|lead| self.base.parts.sequence([lead, entries]));
            Entered { first, next, must_come }
        });
        let of = |name: &str| members.iter().find(|(other, _)| *other == name).map_or(0, |(_, part)| *part);
        let inside = self.base.members_in_order(
            &record,
            entered.as_ref(),
            |base, member| base.parts.sequence([first, of(member.name)]),
            |base, member| base.parts.sequence([line, of(member.name)]),
        );
        let inside = self.base.container(Container::Object, inside);
        let lead = self.base.parts.text(lead);
        options.push(self.base.parts.sequence([lead, inside]));
        Ok(())
    }

    /// Members that are not declared, from the first one on, each on a line of this level.
    fn entries(&mut self, others: &Others<'d>, level: usize) -> PartId {
        let between = format!("\n{}", " ".repeat(INDENT * level));
        let queue = &mut self.queue;
        self.base.entries(others, &between, |base, condition| {
            queue.part(&mut base.parts, (condition, Position::AfterKey(level)))
        })
    }

    fn record(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>) -> Result<(Record<'d>, Option<Others<'d>>)> {
        let Some((record, others)) = self.base.open_record(object, whole)? else {
            return Err(self.base.refuse(whole, "toon writes no object whose members depend on each other", OTHERS));
        };
        if let Some(member) = record.members.iter().find(|member| member.name.contains(['\u{8}', '\u{C}', '\u{FEFF}']))
        {
            return Err(self.base.refuse(
                whole,
                format!("toon has no way to write the name {:?}", member.name),
                OTHERS,
            ));
        }
        Ok((record, others))
    }

    /// An array: a length, and so many items.
    fn array(
        &mut self,
        (array, index): (&ArraySet<'d>, usize),
        whole: Condition<'d>,
        position: Position,
        options: &mut Vec<PartId>,
    ) -> Result<()> {
        if !is_plain(array) {
            let hint = "use notation=\"json\", or leave uniqueItems and contains out";
            return Err(self.base.refuse(whole, "toon writes no array whose items depend on each other", hint));
        }
        let (lead, level) = match position {
            Position::Root => ("", 1),
            Position::AfterKey(level) => ("", level + 1),
            Position::Item(level) => ("- ", level + 1),
            Position::Cell => return Err(self.base.refuse(whole, "toon writes no array in a row", OTHERS)),
        };
        if level > MOST_LEVELS {
            self.base.json.reader.note_containers(whole);
            return Ok(());
        }
        let layouts = self.layouts(array, position)?;
        let key = (whole, index, level, matches!(layouts[0], Layout::Rows(_)));
        let after = match self.arrays.get(&key) {
            Some(&known) => known,
            None => self.after_bracket(array, whole, level, layouts),
        };
        self.arrays.insert(key, after);
        let open = self.base.parts.text(&format!("{lead}["));
        options.push(self.base.parts.sequence([open, after]));
        Ok(())
    }

    /// The length and the items of an array that may be laid out in some ways.
    fn after_bracket(
        &mut self,
        array: &ArraySet<'d>,
        whole: Condition<'d>,
        level: usize,
        layouts: Vec<Layout<'d>>,
    ) -> PartId {
        let allowed = self.base.json.most_items(array, whole);
        let most = allowed.min(self.max_items.max(array.low));
        if most < allowed {
            self.base.json.reader.note_items(whole, most);
        }
        let with_items = |layout| {
            let items = self.items(array, most, level, &layout);
            (layout, items)
        };
        let layouts: Vec<(Layout<'d>, Items)> = layouts.into_iter().map(with_items).collect();
        let lengths: Vec<(String, Vec<PartId>)> =
            (array.low..=most.min(UNBOUNDED - 1)).map(|length| self.counted_items(length, &layouts)).collect();
        let lengths: Vec<(&str, &[PartId])> = lengths.iter().map(|(digits, items)| (&digits[..], &items[..])).collect();
        self.by_digits(&lengths)
    }

    /// The digits of a length, and what comes after them. Without items, all layouts are one.
    fn counted_items(&mut self, length: u32, layouts: &[(Layout<'d>, Items)]) -> (String, Vec<PartId>) {
        let layouts = if length == 0 { &layouts[..1] } else { layouts };
        let mut options: Vec<Vec<PartId>> =
            layouts.iter().map(|(layout, items)| self.laid_out(length, layout, items)).collect();
        if options.len() > 1 {
            let options = options.drain(..).map(|parts| self.base.parts.sequence(parts)).collect();
            return (length.to_string(), vec![self.base.parts.choice(options)]);
        }
        (length.to_string(), options.pop().unwrap_or_default())
    }

    /// What comes after the digits of a length.
    fn laid_out(&mut self, length: u32, layout: &Layout<'d>, (fixed, further): &Items) -> Vec<PartId> {
        let delimiter = if self.delimiter == ',' { String::new() } else { self.delimiter.to_string() };
        let end = match layout {
            Layout::Rows(record) if length > 0 => {
                let names: Vec<String> = record.members.iter().map(|member| key_text(member.name)).collect();
                format!("{delimiter}]{{{}}}:", names.join(&self.delimiter.to_string()))
            }
            Layout::Inline if length > 0 => format!("{delimiter}]: "),
            _ => format!("{delimiter}]:"),
        };
        let own = fixed.len().min(length as usize);
        let count = *self.counts.entry(length).or_insert_with(|| self.base.parts.add(Part::Count(length)));
        let mut parts = vec![self.base.parts.text(&end), count, self.base.parts.open(Container::Array)];
        parts.extend_from_slice(&fixed[..own]);
        let rounds = length - own as u32;
        if rounds > 0 {
            parts.push(self.base.parts.add(Part::Repeat { body: *further, low: rounds, high: rounds }));
        }
        parts.push(self.base.parts.close(Container::Array));
        parts
    }

    /// A choice of numbers, each with what comes after it. What numbers begin with is written once, so that they are not
    /// as many alternatives before their first digit.
    fn by_digits(&mut self, numbers: &[(&str, &[PartId])]) -> PartId {
        let mut options = Vec::new();
        for digit in '0'..='9' {
            let begun: Vec<(&str, &[PartId])> =
                numbers.iter().filter_map(|(digits, after)| Some((digits.strip_prefix(digit)?, *after))).collect();
            let parts = match begun[..] {
                [] => continue,
                [(rest, after)] => [&[self.base.parts.text(&format!("{digit}{rest}"))], after].concat(),
                _ => vec![self.base.parts.text(&digit.to_string()), self.by_digits(&begun)],
            };
            options.push(self.base.parts.sequence(parts));
        }
        for (_, after) in numbers.iter().filter(|(digits, _)| digits.is_empty()) {
            options.push(self.base.parts.sequence(*after));
        }
        self.base.parts.choice(options)
    }

    /// How the items of an array may be laid out, the usual way first: as rows where they can be, and as a list where some
    /// may have further members.
    fn layouts(&mut self, array: &ArraySet<'d>, position: Position) -> Result<Vec<Layout<'d>>> {
        let mut conditions = array.prefix.clone();
        if array.high as usize > conditions.len() {
            conditions.push(array.rest);
        }
        let mut is_inline = true;
        for condition in &conditions {
            let set = self.base.values(condition)?;
            is_inline &= set.arrays.is_empty() && set.objects.is_empty() && set.formula == super::TRUE;
        }
        if is_inline {
            return Ok(vec![Layout::Inline]);
        }
        let [condition] = conditions[..] else { return Ok(vec![Layout::List]) };
        let set = self.base.values(condition)?;
        let [object] = &set.objects[..] else { return Ok(vec![Layout::List]) };
        if has_scalars(&set) || !set.arrays.is_empty() || !are_plain(&set) || matches!(position, Position::Item(_)) {
            return Ok(vec![Layout::List]);
        }
        let object = object.clone();
        let (record, others) = self.record(&object, condition)?;
        if record.members.is_empty() || others.as_ref().is_some_and(|others| others.low > 0) {
            return Ok(vec![Layout::List]);
        }
        for member in &record.members {
            let set = self.base.values(member.condition)?;
            if !member.is_required || !set.arrays.is_empty() || !set.objects.is_empty() || !are_plain(&set) {
                return Ok(vec![Layout::List]);
            }
        }
        let rows = Layout::Rows(record);
        Ok(if others.is_some() { vec![rows, Layout::List] } else { vec![rows] })
    }

    /// The items of an array of at most so many: those with a schema of their own, the first one in any case, and the
    /// one that all after them are.
    fn items(&mut self, array: &ArraySet<'d>, most: u32, level: usize, layout: &Layout<'d>) -> Items {
        let count = (array.prefix.len() as u32).max(1).min(most);
        let fixed = (0..count).map(|at| self.item(array, at, level, layout)).collect();
        let has_further = most > count;
        (fixed, if has_further { self.item(array, count, level, layout) } else { self.base.parts.nothing() })
    }

    /// An item, and what is between it and what comes before it.
    fn item(&mut self, array: &ArraySet<'d>, at: u32, level: usize, layout: &Layout<'d>) -> PartId {
        let nothing = self.base.parts.nothing();
        let delimiter = self.base.parts.text(&self.delimiter.to_string());
        let line = self.new_line(level);
        match layout {
            Layout::Inline => {
                let cell = self.part(array.item(at as usize), Position::Cell);
                self.base.parts.sequence([if at == 0 { nothing } else { delimiter }, cell])
            }
            Layout::List => {
                let item = self.part(array.item(at as usize), Position::Item(level));
                self.base.parts.sequence([line, item])
            }
            Layout::Rows(record) => {
                let mut cells = vec![line, self.base.parts.open(Container::Object)];
                for (at, member) in record.members.iter().enumerate() {
                    cells.push(if at == 0 { nothing } else { delimiter });
                    cells.push(self.base.parts.add(Part::Key(member.name.into())));
                    cells.push(self.part(member.condition, Position::Cell));
                }
                cells.push(self.base.parts.close(Container::Object));
                self.base.parts.sequence(cells)
            }
        }
    }
}

/// The error that says what the notation does not write; others are raised.
fn refusal(added: Result<()>) -> Result<Option<Error>> {
    match added {
        Err(error) if !matches!(*error.kind, Kind::Unsupported { .. }) => Err(error),
        other => Ok(other.err()),
    }
}

/// The items of an array that have a schema of their own, the first one in any case, and what all after them are.
type Items = (Vec<PartId>, PartId);

/// How the items of an array are laid out.
enum Layout<'d> {
    /// Scalars after the colon.
    Inline,
    /// Rows of cells.
    Rows(Record<'d>),
    /// Lines that begin with a dash.
    List,
}

fn key_text(name: &str) -> String {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_bare = begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    if is_bare { name.to_owned() } else { Spelling::Json.encode(name) }
}

/// Strings that are neither quoted by section 7.2 of the specification nor hold the delimiter.
fn bare(delimiter: char) -> Regular {
    let texts_with = |part| Regular::concat([Regular::anything(), part, Regular::anything()]);
    let digits = || Regular::digit().repeat(1, None);
    let exponent = Regular::concat([Regular::one_of("eE"), Regular::one_of("+-").optional(), digits()]);
    let fraction = Regular::concat([Regular::text("."), digits()]);
    let number =
        Regular::concat([Regular::one_of("+-").optional(), digits(), fraction.optional(), exponent.optional()]);
    let bad = Regular::or([
        Regular::Empty,
        Regular::concat([Regular::one_of(" -#"), Regular::anything()]),
        Regular::concat([Regular::anything(), Regular::text(" ")]),
        texts_with(Regular::one_of(&format!(":\"\\[]{{}}\t\r\n{delimiter}"))),
        number,
        Regular::text("true"),
        Regular::text("false"),
        Regular::text("null"),
    ]);
    Regular::and([READABLE.clone().repeat(0, None), bad.not()])
}

static BARE_COMMA: LazyLock<Regular> = LazyLock::new(|| bare(','));
static BARE_PIPE: LazyLock<Regular> = LazyLock::new(|| bare('|'));
static BARE_TAB: LazyLock<Regular> = LazyLock::new(|| bare('\t'));

static WRITABLE: LazyLock<Writable> = LazyLock::new(|| automaton_of(&QUOTED));

/// Strings in quotes: without backspace and form feed, for which JSON has escapes that TOON has not.
pub(super) static QUOTED: LazyLock<Regular> = LazyLock::new(|| {
    super::all_but(&[('\u{8}', '\u{8}'), ('\u{C}', '\u{C}'), ('\u{FEFF}', '\u{FEFF}')]).repeat(0, None)
});
