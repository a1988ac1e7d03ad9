//! Tables: CSV, TSV and Markdown. A row is an object, a column a scalar member; objects inside it are columns too.
//!
//! ```text
//! [{"name": "Ada", "job": {"city": "Oslo"}}]     name,job.city
//!                                                Ada,Oslo
//! ```
//!
//! A cell is text: it is read as null, a boolean, a number or a string, in this order, as far as the schema has them. So
//! a string that an earlier one would be read as is not written. An empty cell is null where the schema allows null,
//! else a member that is not there, else the empty string.

use std::sync::LazyLock;

use super::{
    NotationBuilder, READABLE, Writable, accepts, are_plain, automaton_of, has_scalars, is_plain, rounds_left,
};
use crate::error::Result;
use crate::regular::Regular;
use crate::syntax::json_schema::Notation;
use crate::syntax::json_schema::sets::{ArraySet, Condition, ObjectSet};
use crate::syntax::notation::{Container, Part, PartId, Spelling};

const ROWS: &str = "pass a list of records, such as list[Person]";

/// Objects inside a row, one in another, at most.
const MOST_NESTED: usize = 8;

/// A column of a table.
struct Column<'d> {
    title: String,
    condition: Condition<'d>,
    is_required: bool,
}

/// The members of a row in order: columns, and what says which objects they are in.
enum Step {
    Column(usize, String),
    Open(String),
    Close,
}

impl<'d> NotationBuilder<'_, '_, 'd> {
    pub(super) fn table(&mut self, root: Condition<'d>, notation: &Notation) -> Result<PartId> {
        let array = self.rows_of(root, notation)?;
        let object = self.row_of(array.rest, notation)?;
        let (mut columns, mut steps) = (Vec::new(), Vec::new());
        self.columns(&object, array.rest, ("", 0), notation, &mut columns, &mut steps)?;
        self.check_titles(&columns, array.rest, notation)?;
        let mut cells = Vec::with_capacity(columns.len());
        for column in &columns {
            cells.push(self.cell(column, notation, columns.len() == 1)?);
        }
        let row = self.row(&steps, &cells, notation);
        let most = self.json.most_items(&array, root);
        let titles: Vec<String> = columns.iter().map(|column| title_text(&column.title, notation)).collect();
        let Some(header) = header_text(&titles, notation) else {
            let rows = self.rows_without_header(&array, most, row);
            return Ok(self.container(Container::Array, rows));
        };
        let (header, break_) = (self.parts.text(&header), self.parts.text("\n"));
        let rows = self.further_rows(&array, most, 0, row);
        let rows = self.container(Container::Array, rows);
        let nothing = self.parts.nothing();
        let end = self.parts.choice(vec![nothing, break_]);
        Ok(self.parts.sequence([header, rows, end]))
    }

    /// The one kind of array that a condition allows.
    fn rows_of(&mut self, root: Condition<'d>, notation: &Notation) -> Result<ArraySet<'d>> {
        let (set, word) = (self.values(root)?, notation.name());
        let [array] = &set.arrays[..] else {
            return Err(self.refuse(root, format!("{word} writes rows, and these are no rows"), ROWS));
        };
        if has_scalars(&set) || !set.objects.is_empty() || !is_plain(array) || !array.prefix.is_empty() {
            return Err(self.refuse(root, format!("{word} writes rows of one kind and nothing else"), ROWS));
        }
        Ok((**array).clone())
    }

    /// The one kind of object that a row may be.
    fn row_of(&mut self, condition: Condition<'d>, notation: &Notation) -> Result<ObjectSet<'d>> {
        let (set, word) = (self.values(condition)?, notation.name());
        let [object] = &set.objects[..] else {
            return Err(self.refuse(condition, format!("{word} writes one kind of object as a row"), ROWS));
        };
        if has_scalars(&set) || !set.arrays.is_empty() || !are_plain(&set) {
            return Err(self.refuse(condition, format!("{word} writes objects as rows and nothing else"), ROWS));
        }
        Ok((**object).clone())
    }

    /// Refuses a table without columns, with two of one name, or with a name that no cell says.
    fn check_titles(&self, columns: &[Column<'d>], whole: Condition<'d>, notation: &Notation) -> Result<()> {
        let word = notation.name();
        if columns.is_empty() {
            return Err(self.refuse(whole, format!("{word} writes columns, and the rows have none"), ROWS));
        }
        for column in columns {
            if !accepts(writable(notation), &column.title)? {
                let what = format!("{word} has no way to write the name {:?}", column.title);
                return Err(self.refuse(whole, what, "rename the member, or use notation=\"yaml\" or \"jsonl\""));
            }
        }
        let is_known = |(at, one): &(usize, &Column<'_>)| columns[..*at].iter().any(|other| other.title == one.title);
        let Some((_, twice)) = columns.iter().enumerate().find(is_known) else { return Ok(()) };
        let what = format!("{word} writes each column once: {:?} is the name of two", twice.title);
        Err(self.refuse(whole, what, "rename one of the members"))
    }

    /// Rows after so many, each on a new line.
    fn further_rows(&mut self, array: &ArraySet<'d>, most: u32, done: u32, row: PartId) -> PartId {
        let (low, high) = rounds_left(array, most, done);
        if high == 0 {
            return self.parts.nothing();
        }
        let break_ = self.parts.text("\n");
        let body = self.parts.sequence([break_, row]);
        self.parts.add(Part::Repeat { body, low, high })
    }

    /// Rows of which the first begins the text.
    fn rows_without_header(&mut self, array: &ArraySet<'d>, most: u32, row: PartId) -> PartId {
        let nothing = self.parts.nothing();
        if most == 0 {
            return nothing;
        }
        let others = self.further_rows(array, most, 1, row);
        let rows = self.parts.sequence([row, others]);
        if array.low == 0 { self.parts.choice(vec![rows, nothing]) } else { rows }
    }

    /// Finds the columns of an object.
    fn columns(
        &mut self,
        object: &ObjectSet<'d>,
        whole: Condition<'d>,
        (path, nested): (&str, usize),
        notation: &Notation,
        columns: &mut Vec<Column<'d>>,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let word = notation.name();
        let record = self.record(object).filter(|_| nested < MOST_NESTED);
        let Some(record) = record else {
            let what = format!("{word} writes no object whose members depend on each other, or that is inside itself");
            return Err(self.refuse(whole, what, "use notation=\"yaml\" or \"jsonl\""));
        };
        if record.is_open {
            if record.members.is_empty() {
                let what = format!("{word} has a column for each member, and any name may come here");
                return Err(self.refuse(whole, what, "declare the members, or use notation=\"yaml\" or \"jsonl\""));
            }
            self.json.reader.note_undeclared(whole);
        }
        for member in &record.members {
            let set = self.values(member.condition)?;
            let title = if path.is_empty() { member.name.to_owned() } else { format!("{path}.{}", member.name) };
            if !set.arrays.is_empty() {
                let what = format!("{word} has no arrays, and column {title:?} is one");
                return Err(self.refuse(member.condition, what, "use notation=\"yaml\" or \"jsonl\""));
            }
            match &set.objects[..] {
                [] => {
                    let is_required = member.is_required;
                    steps.push(Step::Column(columns.len(), member.name.to_owned()));
                    columns.push(Column { title, condition: member.condition, is_required });
                }
                [inner] if are_plain(&set) && !has_scalars(&set) && member.is_required => {
                    let inner = inner.clone();
                    steps.push(Step::Open(member.name.to_owned()));
                    self.columns(&inner, member.condition, (&title, nested + 1), notation, columns, steps)?;
                    steps.push(Step::Close);
                }
                _ => {
                    let what = format!(
                        "{word} writes an object as columns only where there is always one: {title:?} may be absent, or another value"
                    );
                    return Err(self.refuse(
                        member.condition,
                        what,
                        "use notation=\"yaml\" or \"jsonl\", or require it",
                    ));
                }
            }
        }
        Ok(())
    }

    /// A row of the table.
    fn row(&mut self, steps: &[Step], cells: &[(PartId, bool)], notation: &Notation) -> PartId {
        let (open, between, close) = match notation {
            Notation::Markdown => ("| ", " | ", " |"),
            Notation::Csv { delimiter: '\t', .. } => ("", "\t", ""),
            Notation::Csv { delimiter: ';', .. } => ("", ";", ""),
            Notation::Csv { delimiter: '|', .. } => ("", "|", ""),
            _ => ("", ",", ""),
        };
        let mut parts = vec![self.parts.text(open)];
        for step in steps {
            match step {
                Step::Open(name) => {
                    parts.push(self.parts.add(Part::Key(name.as_str().into())));
                    parts.push(self.parts.open(Container::Object));
                }
                Step::Close => parts.push(self.parts.close(Container::Object)),
                Step::Column(at, name) => {
                    if *at > 0 {
                        parts.push(self.parts.text(between));
                    }
                    let (cell, may_be_absent) = cells[*at];
                    let key = self.parts.add(Part::Key(name.as_str().into()));
                    let mut member = self.parts.sequence([key, cell]);
                    if may_be_absent {
                        let nothing = self.parts.nothing();
                        member = self.parts.choice(vec![member, nothing]);
                    }
                    parts.push(member);
                }
            }
        }
        parts.push(self.parts.text(close));
        let inside = self.parts.sequence(parts);
        self.container(Container::Object, inside)
    }

    /// The texts of a cell, and whether an empty one is a member that is not there.
    fn cell(&mut self, column: &Column<'d>, notation: &Notation, is_alone: bool) -> Result<(PartId, bool)> {
        let whole = column.condition;
        let set = self.values(whole)?;
        let mut options = Vec::new();
        // A row of one empty cell would be an empty line.
        let empty = if is_alone && *notation != Notation::Markdown { "\"\"" } else { "" };
        let is_null_empty = self.is_absent_null(&set, whole, column.is_required);
        if is_null_empty {
            options.push(self.constant(empty, "null"));
        }
        let is_absent_empty = !is_null_empty && !column.is_required;
        let taken = if is_null_empty || is_absent_empty { vec![Regular::Empty] } else { Vec::new() };
        let writable = writable(notation);
        options.extend(self.untagged_scalars(&set, whole, taken, writable, |builder, tree, options| {
            builder.string_cell(tree, notation, is_alone, options);
        })?);
        let cell = self.parts.choice(options);
        if is_absent_empty && is_alone && *notation != Notation::Markdown {
            return Err(self.refuse(
                whole,
                "a row whose only cell may be absent cannot be told from none",
                "require the member",
            ));
        }
        Ok((cell, is_absent_empty))
    }

    fn string_cell(&mut self, tree: &Regular, notation: &Notation, is_alone: bool, options: &mut Vec<PartId>) {
        if *notation == Notation::Markdown {
            let tree = Regular::and([tree.clone(), Regular::of_static(&MARKDOWN)]);
            options.push(self.scalar(&tree, Spelling::Cell));
            return;
        }
        let Notation::Csv { delimiter, .. } = notation else { return };
        let bare = match delimiter {
            '\t' => &*TAB,
            ';' => &*SEMICOLON,
            '|' => &*PIPE,
            _ => &*COMMA,
        };
        let mut unquoted = vec![tree.clone(), Regular::of_static(bare)];
        if is_alone {
            unquoted.push(Regular::Empty.not());
        }
        options.push(self.scalar(&Regular::and(unquoted), Spelling::Bare));
        let readable = Regular::and([tree.clone(), Regular::of_static(&QUOTED)]);
        options.push(self.scalar(&readable, Spelling::Doubled('"')));
    }
}

/// The name of a column, as it is written.
fn title_text(title: &str, notation: &Notation) -> String {
    match notation {
        Notation::Markdown => Spelling::Cell.encode(title),
        Notation::Csv { delimiter, .. } if title.is_empty() || title.contains([*delimiter, '"', '\n', '\r']) => {
            Spelling::Doubled('"').encode(title)
        }
        _ => title.to_owned(),
    }
}

fn header_text(titles: &[String], notation: &Notation) -> Option<String> {
    match notation {
        Notation::Markdown => {
            let rule = vec!["---"; titles.len()].join(" | ");
            Some(format!("| {} |\n| {rule} |", titles.join(" | ")))
        }
        Notation::Csv { delimiter, header: true } => Some(titles.join(&delimiter.to_string())),
        _ => None,
    }
}

/// The strings of cells, and the names of columns.
fn writable(notation: &Notation) -> &'static Writable {
    static OF_MARKDOWN: LazyLock<Writable> = LazyLock::new(|| {
        let broken = Regular::concat([Regular::anything(), Regular::text("\n"), Regular::anything()]);
        let marked = Regular::concat([Regular::anything(), Regular::text("<"), Regular::anything()]);
        automaton_of(&Regular::and([MARKDOWN.clone(), Regular::and([broken, marked]).not()]))
    });
    static OF_ROWS: LazyLock<Writable> = LazyLock::new(|| automaton_of(&QUOTED));
    if *notation == Notation::Markdown { &OF_MARKDOWN } else { &OF_ROWS }
}

fn without(characters: &str) -> Regular {
    let with = Regular::concat([Regular::anything(), Regular::one_of(characters), Regular::anything()]);
    Regular::and([READABLE.clone().repeat(0, None), with.not()])
}

static COMMA: LazyLock<Regular> = LazyLock::new(|| without(",\"\r\n"));
static SEMICOLON: LazyLock<Regular> = LazyLock::new(|| without(";\"\r\n"));
static PIPE: LazyLock<Regular> = LazyLock::new(|| without("|\"\r\n"));
static TAB: LazyLock<Regular> = LazyLock::new(|| without("\t\"\r\n"));
static QUOTED: LazyLock<Regular> = LazyLock::new(|| READABLE.clone().repeat(0, None));

/// What readers strip from a cell.
const BLANKS: &str = " \t\n\u{85}\u{A0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}";

/// What a cell of Markdown may say: no blank at its ends, no text `<br>`, no backslash before a pipe or at the end.
static MARKDOWN: LazyLock<Regular> = LazyLock::new(|| {
    let text = |text: &str| Regular::concat([Regular::anything(), Regular::text(text), Regular::anything()]);
    let ends = Regular::or([
        Regular::concat([Regular::one_of(BLANKS), Regular::anything()]),
        Regular::concat([Regular::anything(), Regular::one_of(BLANKS)]),
        Regular::concat([Regular::anything(), Regular::text("\\")]),
    ]);
    let bad = Regular::or([text("<br>"), text("\\|"), text("\r"), text("\t"), ends]);
    Regular::and([READABLE.clone().repeat(0, None), bad.not()])
});
