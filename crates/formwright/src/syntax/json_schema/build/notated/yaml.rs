//! YAML: mappings and sequences in blocks, and in flow where a block cannot say which members there are.
//!
//! ```text
//! name: Ada
//! tags:
//! - a
//! job: {"city": "Oslo"}
//! ```
//!
//! Strings of several lines may be written as literal blocks:
//!
//! ```text
//! notes: |-
//!   a
//!   b
//! ```
//!
//! What is written means the same in YAML 1.1 and 1.2. A plain string is one that no resolver takes for another value: it
//! begins with a letter, or with a character that is neither an indicator nor part of a number. What is written in flow is
//! JSON, with a blank after colons and commas.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{
    NotationBuilder, PartQueue, READABLE, UNREADABLE, accepts, all_but, are_plain, automaton_of, is_plain, rounds_left,
};
use crate::error::Result;
use crate::regular::{Automaton, Regular};
use crate::syntax::json_schema::Notation;
use crate::syntax::json_schema::sets::{ArraySet, Condition, ObjectSet, StringSet};
use crate::syntax::notation::{Container, Part, PartId, Parts, Spelling};

/// Where a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Position {
    /// The whole text.
    Root,
    /// After the colon of a key in this column.
    AfterKey(u32),
    /// After a dash, so that it begins in this column.
    AfterDash(u32),
}

impl Position {
    /// The columns in which a block of mappings may begin, or one of sequences.
    fn columns(self, container: Container, indent: u32) -> Vec<u32> {
        match (self, container) {
            (Self::Root, _) => vec![0],
            (Self::AfterDash(column), _) => vec![column],
            (Self::AfterKey(column), Container::Object) => vec![column + indent],
            (Self::AfterKey(column), Container::Array) => vec![column, column + indent],
        }
    }

    /// The column in which the lines of a literal block begin.
    fn block_column(self, indent: u32) -> u32 {
        match self {
            Self::Root => indent,
            Self::AfterKey(column) => column + indent,
            Self::AfterDash(column) => column,
        }
    }

    fn deepest(self) -> u32 {
        match self {
            Self::Root => 0,
            Self::AfterKey(column) | Self::AfterDash(column) => column,
        }
    }
}

/// The parts of conditions by where they stand.
struct YamlBuilder<'b, 'r, 'd> {
    base: NotationBuilder<'b, 'r, 'd>,
    /// The parts of what is written in flow, wherever it is.
    in_flow: FxHashMap<Condition<'d>, PartId>,
    queue: PartQueue<(Condition<'d>, Position)>,
    indent: u32,
    max_depth: u32,
}

pub(super) fn build<'d>(base: NotationBuilder<'_, '_, 'd>, root: Condition<'d>) -> Result<Parts> {
    let Notation::Yaml { indent, max_depth } = base.json.options.notation else { return Ok(Parts::default()) };
    let mut builder = YamlBuilder { base, in_flow: FxHashMap::default(), queue: PartQueue::new(), indent, max_depth };
    builder.base.parts.root = builder.part(root, Position::Root);
    while let Some((part, (condition, position))) = builder.queue.waiting.pop_front() {
        let options = builder.options(condition, position)?;
        builder.base.fill(part, options)?;
    }
    Ok(builder.base.parts)
}

impl<'d> YamlBuilder<'_, '_, 'd> {
    /// The part of a condition, perhaps still to be built.
    fn part(&mut self, condition: Condition<'d>, position: Position) -> PartId {
        self.queue.part(&mut self.base.parts, (condition, position))
    }

    /// The ways to write a value, the usual one first.
    fn options(&mut self, condition: Condition<'d>, position: Position) -> Result<Vec<PartId>> {
        let set = self.base.values(condition)?;
        let (mut inline, mut blocks) = (Vec::new(), Vec::new());
        for (is_there, word) in [(set.null, "null"), (set.yes, "true"), (set.no, "false")] {
            if is_there {
                inline.push(self.base.constant(word, word));
            }
        }
        if let Some(tree) = self.base.numbers(&set.numbers, condition)? {
            inline.push(self.base.scalar(&tree, Spelling::Number));
        }
        if !set.strings.is_none() {
            self.strings(&set.strings, condition, position.block_column(self.indent), &mut inline)?;
        }
        let mut in_flow = !are_plain(&set);
        let is_deep = position.deepest() / self.indent.max(1) >= self.max_depth;
        for array in &set.arrays {
            if array.low == 0 {
                inline.push(self.empty("[]", Container::Array));
            }
            if !is_plain(array) || is_deep {
                in_flow |= array.high > 0;
            } else if array.high > 0 {
                self.sequence(array, condition, position, &mut blocks);
            }
        }
        for object in &set.objects {
            let may_be_empty = object.required.is_empty() && object.low == 0;
            if may_be_empty && are_plain(&set) {
                inline.push(self.empty("{}", Container::Object));
            }
            in_flow |= is_deep || !are_plain(&set) || self.mapping(object, position, &mut blocks);
        }
        if in_flow {
            inline.push(self.flow(condition)?);
        }
        let mut options = blocks;
        if options.is_empty() {
            self.base.check_constants(&inline, &set, condition)?;
        }
        if !inline.is_empty() {
            let inline = self.base.parts.choice(inline);
            options.push(match position {
                Position::AfterKey(_) => {
                    let blank = self.base.parts.text(" ");
                    self.base.parts.sequence([blank, inline])
                }
                _ => inline,
            });
        }
        Ok(options)
    }

    /// The arrays and objects of a condition in flow.
    fn flow(&mut self, condition: Condition<'d>) -> Result<PartId> {
        if let Some(&known) = self.in_flow.get(condition) {
            return Ok(known);
        }
        let node = self.base.json.flow_node(condition)?;
        let part = self.base.parts.add(Part::Json { node, is_container: true });
        self.in_flow.insert(condition, part);
        Ok(part)
    }

    fn empty(&mut self, text: &str, container: Container) -> PartId {
        let text = self.base.parts.text(text);
        let nothing = self.base.parts.nothing();
        let value = self.base.container(container, nothing);
        self.base.parts.sequence([text, value])
    }

    /// What comes before a block that begins in a column.
    fn lead(&mut self, position: Position, column: u32) -> PartId {
        match position {
            Position::AfterKey(_) => self.new_line(column),
            _ => self.base.parts.nothing(),
        }
    }

    fn new_line(&mut self, column: u32) -> PartId {
        self.base.parts.text(&format!("\n{}", " ".repeat(column as usize)))
    }

    /// A sequence in a block.
    fn sequence(&mut self, array: &ArraySet<'d>, whole: Condition<'d>, position: Position, blocks: &mut Vec<PartId>) {
        let most = self.base.json.most_items(array, whole);
        for column in position.columns(Container::Array, self.indent) {
            let lead = self.lead(position, column);
            let line = self.new_line(column);
            let dash = self.base.parts.text("- ");
            let nothing = self.base.parts.nothing();
            let fixed = (array.prefix.len() as u32).max(1).min(most);
            let (low, high) = rounds_left(array, most, fixed);
            let mut after = nothing;
            if high > 0 {
                let item = self.part(array.rest, Position::AfterDash(column + 2));
                let body = self.base.parts.sequence([line, dash, item]);
                after = self.base.parts.add(Part::Repeat { body, low, high });
            }
            for at in (0..fixed).rev() {
                let item = self.part(array.item(at as usize), Position::AfterDash(column + 2));
                let begin = if at == 0 { lead } else { line };
                let all = self.base.parts.sequence([begin, dash, item, after]);
                after = if at >= array.low && at > 0 { self.base.parts.choice(vec![all, nothing]) } else { all };
            }
            blocks.push(self.base.container(Container::Array, after));
        }
    }

    /// A mapping in a block; whether some of its objects have to be written in flow.
    fn mapping(&mut self, object: &ObjectSet<'d>, position: Position, blocks: &mut Vec<PartId>) -> bool {
        let Some(record) = self.base.record(object) else { return true };
        if record.members.is_empty() || record.members.iter().any(|member| !is_readable(member.name)) {
            return record.is_open || !record.members.is_empty();
        }
        for column in position.columns(Container::Object, self.indent) {
            let (lead, line) = (self.lead(position, column), self.new_line(column));
            let mut members = Vec::new();
            for member in &record.members {
                let value = self.part(member.condition, Position::AfterKey(column));
                let key = self.base.parts.add(Part::Key(member.name.into()));
                let name = self.base.parts.text(&format!("{}:", key_text(member.name)));
                members.push((member.name, self.base.parts.sequence([key, name, value])));
            }
            let of = |name: &str| members.iter().find(|(other, _)| *other == name).map_or(0, |(_, part)| *part);
            let inside = self.base.members_in_order(
                &record,
                None,
                |base, member| base.parts.sequence([lead, of(member.name)]),
                |base, member| base.parts.sequence([line, of(member.name)]),
            );
            blocks.push(self.base.container(Container::Object, inside));
        }
        record.is_open
    }

    /// Adds the ways to write strings: plain, in quotes, and in a block at this column. Each column has an automaton of its
    /// own for blocks, so they are left out where a pattern or a length makes it large.
    fn strings(
        &mut self,
        strings: &StringSet<'d>,
        whole: Condition<'d>,
        column: u32,
        inline: &mut Vec<PartId>,
    ) -> Result<()> {
        let block = Spelling::Block(column);
        if let StringSet::Finite(texts) = strings {
            if !texts.iter().all(|text| is_readable(text)) {
                self.base.json.reader.note_constants(whole);
            }
            for text in texts.iter().filter(|text| is_readable(text)) {
                let json = Spelling::Json.encode(text);
                if is_plain_string(text)? {
                    inline.push(self.base.constant(text, &json));
                }
                if is_on_one_line(text)? {
                    inline.push(self.base.constant(&Spelling::Doubled('\'').encode(text), &json));
                }
                if is_block(text)? {
                    inline.push(self.base.constant(&block.encode(text), &json));
                }
                inline.push(self.base.constant(&json, &json));
            }
            return Ok(());
        }
        let tree = self.base.strings(strings, whole);
        let plain = Regular::and([tree.clone(), Regular::of_static(&PLAIN)]);
        inline.push(self.base.scalar(&plain, Spelling::Bare));
        let quoted = Regular::and([tree.clone(), Regular::of_static(&ON_ONE_LINE)]);
        inline.push(self.base.scalar(&quoted, Spelling::Doubled('\'')));
        if *strings == StringSet::all() && self.base.json.options.alphabet.is_none() {
            inline.push(self.base.scalar(&BLOCK, block));
        }
        let escaped = Regular::and([tree, Regular::of_static(&ESCAPED)]);
        inline.push(self.base.scalar(&escaped, Spelling::Json));
        Ok(())
    }
}

fn key_text(name: &str) -> String {
    if is_plain_string(name).unwrap_or(false) { name.to_owned() } else { Spelling::Json.encode(name) }
}

/// Whether a text can be written at all, as it is or with escapes of JSON.
pub(super) fn is_readable(text: &str) -> bool {
    let is_unreadable = |c: char| c >= '\u{7F}' && UNREADABLE.iter().any(|(low, high)| (*low..=*high).contains(&c));
    !text.contains(is_unreadable)
}

fn is_plain_string(text: &str) -> Result<bool> {
    static AUTOMATON: LazyLock<Result<Automaton>> = LazyLock::new(|| automaton_of(&PLAIN));
    accepts(&AUTOMATON, text)
}

/// Whether single quotes can hold a text.
fn is_on_one_line(text: &str) -> Result<bool> {
    static AUTOMATON: LazyLock<Result<Automaton>> = LazyLock::new(|| automaton_of(&ON_ONE_LINE));
    accepts(&AUTOMATON, text)
}

/// The characters of JSON strings in flow and in double quotes: others would need escapes that JSON does not write.
pub(super) static CHARACTERS: LazyLock<Regular> = LazyLock::new(|| {
    let unreadable: Vec<_> = UNREADABLE.iter().copied().filter(|(low, _)| *low >= '\u{7F}').collect();
    all_but(&unreadable)
});

static ESCAPED: LazyLock<Regular> = LazyLock::new(|| CHARACTERS.clone().repeat(0, None));

fn texts_with(part: Regular) -> Regular {
    Regular::concat([Regular::anything(), part, Regular::anything()])
}

static ON_ONE_LINE: LazyLock<Regular> =
    LazyLock::new(|| Regular::and([READABLE.clone().repeat(0, None), texts_with(Regular::one_of("\t\r\n")).not()]));

/// Strings of several lines that a literal block can hold. The first line sets the indentation, so it is not empty and does
/// not begin with a blank; the last one has no break.
static BLOCK: LazyLock<Regular> = LazyLock::new(|| {
    let outside = |others: &[(char, char)]| {
        let mut ranges = [UNREADABLE, &[('\t', '\n'), ('\r', '\r')], others].concat();
        ranges.sort_unstable();
        all_but(&ranges)
    };
    let (first, character) = (outside(&[(' ', ' ')]), outside(&[]));
    let line = Regular::concat([Regular::text("\n"), character.clone().repeat(0, None)]);
    Regular::concat([first, character.clone().repeat(0, None), line.clone().repeat(0, None), line, character])
});

/// Whether a literal block can hold a text.
fn is_block(text: &str) -> Result<bool> {
    static AUTOMATON: LazyLock<Result<Automaton>> = LazyLock::new(|| automaton_of(&BLOCK));
    accepts(&AUTOMATON, text)
}

/// Strings that no version takes for another value, and no reader for the beginning of something else.
static PLAIN: LazyLock<Regular> = LazyLock::new(|| {
    let words = "null ~ true false yes no on off y n << =".split(' ').map(in_any_case);
    let starts = Regular::one_of("-?:,[]{}#&*!|>'\"%@` +.<=~0123456789");
    let bad = Regular::or([
        Regular::Empty,
        Regular::concat([starts, Regular::anything()]),
        texts_with(Regular::text(": ")),
        texts_with(Regular::text(" #")),
        Regular::concat([Regular::anything(), Regular::one_of(": ")]),
        Regular::or(words),
    ]);
    Regular::and([ON_ONE_LINE.clone(), bad.not()])
});

fn in_any_case(word: &str) -> Regular {
    Regular::concat(word.chars().map(|c| {
        let cases = [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
        Regular::one_of(&cases.iter().collect::<String>())
    }))
}

/// Numbers that are numbers in both versions: an exponent has a sign, and a fraction before it.
pub(super) static NUMBER: LazyLock<Regular> = LazyLock::new(|| {
    let digits = || Regular::digit().repeat(1, None);
    let fraction = Regular::concat([Regular::text("."), digits()]);
    let exponent = Regular::concat([Regular::one_of("eE"), Regular::one_of("+-"), digits()]);
    let rest = Regular::concat([fraction, exponent.optional()]);
    Regular::concat([Regular::text("-").optional(), digits(), rest.optional()])
});
