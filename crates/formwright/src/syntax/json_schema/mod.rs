//! JSON Schema: exact, or refused.
//!
//! ```text
//! text ── document: dialects, ids, references
//!      ── read:     keywords become sets of values, combined by an algebra (sets)
//!      ── build:    sets become nodes; child schemas are read when their parent is built
//! ```
//!
//! The language is a subset of what the schema allows, and [`explain`] says which:
//! every key of the document is enforced, an annotation, or an error.

mod build;
mod decimals;
mod document;
mod doubles;
mod explain;
mod exponents;
pub mod format;
pub mod keywords;
mod metaschemas;
mod notations;
mod number;
mod numerals;
mod pointer;
mod read;
mod sets;
pub(crate) mod value;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use bumpalo::Bump;
use value::{Mentions, Objects, Value};

use crate::error::{Error, Kind, Result};
use crate::interrupt::bounded;
use crate::language::Language;
use crate::language::{Layout, Spaces};
use crate::limits::Limits;
use crate::matcher::measure_new_items;
use document::{Dialect, Documents};
pub use explain::{Reading, explain};
use metaschemas::METASCHEMAS;
pub use notations::{Notation, Reader, reader_of};
use numerals::NumberStyle;
use read::Purpose;

/// Longest run of digits, unless the options say otherwise: enough for int64 and double.
const DIGITS: u32 = 24;

/// Longest run of digits that the options may ask for.
const MOST_DIGITS: u32 = 400;

/// Whitespace characters in a row, where whitespace is free and the options do not say otherwise.
const WHITESPACE: u32 = 12;

/// Bytes of arena that most schemas need.
const USUAL: usize = 16_000;

/// An arena that grew larger than this is not kept for the next schema.
const WORTH_KEEPING: usize = 1 << 20;

/// In which order members are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Declaration order, optional members skippable, undeclared ones last.
    #[default]
    Schema,
    /// Any order the model likes.
    Model,
}

/// What readers make of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Doubles: a number is written only if its double is valid too.
    #[default]
    Double,
    /// The numbers that are written.
    Exact,
}

/// How JSON is written, and how schemas are read.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Options {
    /// In which order members are written.
    pub order: Order,
    /// `flexible`, `compact`, `pretty`, `free`, or a regular expression over whitespace.
    pub whitespace: String,
    /// Where whitespace is `free`: most characters of it in a row; 12 if it is not said.
    pub max_whitespace: Option<u32>,
    /// Most items of an array whose schema gives no maximum.
    pub max_items: Option<u32>,
    /// The characters of strings and undeclared names that the schema leaves open; every character if it is not said.
    pub alphabet: Option<String>,
    /// Every valid escape in strings, instead of only those JSON needs.
    pub any_escapes: bool,
    /// Integers may also be written with a fraction of zeros: `1.0`.
    pub decimal_integers: bool,
    /// What readers make of numbers.
    pub numbers: Numbers,
    /// Longest run of digits in a number: before the point, after it, or in an exponent.
    pub max_digits: u32,
    /// Accept unknown keys even where they look like misspelt keywords.
    pub ignore_unknown: bool,
    /// Enforce `format`.
    pub assert_formats: bool,
    /// A format means the texts that are written, no more and no less, also where it is negated: for comparisons. Without
    /// it, a text that is written is valid to readers who ignore formats, too.
    pub exact_formats: bool,
    /// Further formats: name to regular expression.
    pub formats: BTreeMap<String, String>,
    /// The dialect where `$schema` does not say.
    pub dialect: Option<String>,
    /// Documents that references may lead to, by URI.
    pub registry: BTreeMap<String, String>,
    /// How values are written.
    pub notation: Notation,
    /// Bounds.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Order::Schema,
            whitespace: "flexible".to_owned(),
            max_whitespace: None,
            max_items: None,
            alphabet: None,
            any_escapes: false,
            decimal_integers: false,
            numbers: Numbers::Double,
            max_digits: DIGITS,
            ignore_unknown: false,
            assert_formats: true,
            exact_formats: false,
            formats: BTreeMap::new(),
            dialect: None,
            registry: BTreeMap::new(),
            notation: Notation::Json,
            limits: Limits::default(),
        }
    }
}

impl Options {
    fn number_style(&self) -> NumberStyle {
        let max_digits = build::most_digits(&self.notation).map_or(self.max_digits, |most| most.min(self.max_digits));
        NumberStyle { max_digits, doubles: self.numbers == Numbers::Double }
    }

    /// Most whitespace characters in a row, where whitespace is free.
    fn free_whitespace(&self) -> Option<u32> {
        (self.whitespace == "free").then(|| self.max_whitespace.unwrap_or(WHITESPACE))
    }

    /// Refuses numbers out of bounds, and a bound on what has none.
    fn check(&self) -> Result<()> {
        let between = |name, low: u32, value: u32, high: u32| {
            let message = || format!("{name} must be between {low} and {high}, not {value}");
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::argument(name, message())) }
        };
        between("max_digits", 1, self.max_digits, MOST_DIGITS)?;
        if self.alphabet.as_ref().is_some_and(String::is_empty) {
            return Err(no_characters());
        }
        let Some(most) = self.max_whitespace else { return Ok(()) };
        between("max_whitespace", 0, most, 1_000)?;
        match self.free_whitespace() {
            Some(_) => Ok(()),
            None => Err(bounds_what_is_bounded(&self.whitespace)),
        }
    }

    fn spaces(&self) -> Result<(Arc<Spaces>, Layout)> {
        fn shared((spaces, layout): (Spaces, Layout)) -> (Arc<Spaces>, Layout) {
            (Arc::new(spaces), layout)
        }
        thread_local! {
            static FLEXIBLE: (Arc<Spaces>, Layout) = shared(Spaces::flexible());
        }
        if matches!(self.notation, Notation::Yaml { .. }) {
            return Ok(shared(Spaces::spaced()));
        }
        if self.notation == Notation::JsonLines {
            return Ok(shared(Spaces::on_one_line()));
        }
        match self.whitespace.as_str() {
            "flexible" => Ok(FLEXIBLE.with(Clone::clone)),
            "compact" => Ok(shared(Spaces::compact())),
            "pretty" => Ok(shared(Spaces::pretty())),
            "free" => Ok(shared(Spaces::free(self.max_whitespace.unwrap_or(WHITESPACE)))),
            pattern => Spaces::regular(&super::regex::parse(pattern, &self.limits)?, &self.limits).map(shared),
        }
    }
}

/// The JSON texts that are valid against `schema`.
///
/// # Errors
/// Schema errors with a pointer: broken, unsupported, unsatisfiable, or too large.
pub fn json_schema(schema: &str, options: &Options) -> Result<Language> {
    bounded(options.limits.work, || read_schema(schema, options))
}

fn read_schema(schema: &str, options: &Options) -> Result<Language> {
    let build = |purpose| {
        build_graph(schema, options, purpose, |built, reader| {
            let build::Built { mut graph, root, empty, narrowed, outside, .. } = built;
            let measured = measure_new_items(&mut graph, &options.limits);
            measured.and_then(|()| Language::new(graph, &options.limits)).map_err(|error| match *error.kind {
                Kind::Unsatisfiable { .. } if purpose != Purpose::Build => {
                    let left_out = narrowed.filter(|_| empty != Some(root)).map(|part| only_left_out(reader, part));
                    let unspelled = only_unspelled(schema, options, &reader.pointer_of(outside.unwrap_or(root)));
                    unspelled.or(left_out).or_else(|| why_empty(reader, root, empty)).unwrap_or(error)
                }
                _ => error,
            })
        })
    };
    build(Purpose::Build).or_else(|error| match *error.kind {
        Kind::Limit { limit, .. } if !matches!(limit, "conditions" | "pattern") => Err(error),
        Kind::Unsatisfiable { .. } if is_misread(schema, options) => Err(misread()),
        Kind::Unsatisfiable { .. } if needs_more_digits(schema, options) => Err(too_few_digits(options.max_digits)),
        _ => build(Purpose::Locate), // which names the places
    })
}

#[cold]
fn misread() -> Error {
    Error::unsupported("", "no number of this schema is sure to be valid when it is read as a double")
        .hint("pass numbers=\"exact\" if decimals are read")
}

/// Whether a schema without values has some for readers with decimals.
fn is_misread(schema: &str, options: &Options) -> bool {
    let exact = || Options { numbers: Numbers::Exact, ..options.clone() };
    options.numbers == Numbers::Double && json_schema(schema, &exact()).is_ok()
}

#[cold]
fn too_few_digits(most: u32) -> Error {
    let what = format!("what satisfies it needs a number of more than {most} digits, which is left out");
    Error::unsupported("", what).hint(format!("pass max_digits=, up to {MOST_DIGITS}"))
}

/// Whether a schema without values has some with longer numbers.
fn needs_more_digits(schema: &str, options: &Options) -> bool {
    let longer = || Options { max_digits: MOST_DIGITS, ..options.clone() };
    options.max_digits < MOST_DIGITS && json_schema(schema, &longer()).is_ok()
}

/// Nothing is written, but values may be left out that satisfy the schema.
fn only_left_out<'d>(reader: &read::SchemaReader<'d>, part: sets::Condition<'d>) -> Error {
    let what = "what satisfies it, if anything, is left out: it depends on a format of which some texts are not written, \
                or which some readers do not assert";
    Error::unsupported(&reader.pointer_of(part), what).hint("leave format out below not, oneOf and if")
}

/// Nothing is written, but a larger alphabet has texts that satisfy the schema. Some value at `pointer` needs them.
fn only_unspelled(schema: &str, options: &Options, pointer: &str) -> Option<Error> {
    options.alphabet.as_ref()?;
    let every = Options { alphabet: None, ..options.clone() };
    let error = || Error::unsatisfiable(pointer, "no value satisfies it with the characters of alphabet alone");
    let hint = "add characters to alphabet, or leave it out for every character";
    json_schema(schema, &every).is_ok().then(|| error().hint(hint))
}

/// Why no value satisfies the schema at `root`: what contradicts itself at `empty`, if that was met.
fn why_empty<'d>(
    reader: &mut read::SchemaReader<'d>,
    root: sets::Condition<'d>,
    empty: Option<sets::Condition<'d>>,
) -> Option<Error> {
    let parts = reader.conflict(empty.unwrap_or(root));
    if empty.is_none() && parts.is_empty() {
        return None;
    }
    Some(nothing_satisfies(&reader.pointer_of(empty.unwrap_or(root)), &parts))
}

/// No finite text exists, because the value at `pointer` has none.
fn nothing_satisfies(pointer: &str, parts: &[String]) -> Error {
    let what = match parts {
        [] => "its keywords contradict each other: no value satisfies all of them".to_owned(),
        [one] => format!("no value satisfies {one}"),
        [parts @ .., last] => format!("no value satisfies {} and {last} at once", parts.join(", ")),
    };
    Error::unsatisfiable(pointer, what).hint("change or remove one of these keywords")
}

/// Any JSON text.
///
/// # Errors
/// When the whitespace expression is broken.
pub fn json(options: &Options) -> Result<Language> {
    json_schema("true", options)
}

#[cold]
fn bounds_what_is_bounded(whitespace: &str) -> Error {
    let message = format!("max_whitespace is for whitespace=\"free\", not for whitespace={whitespace:?}");
    Error::argument("max_whitespace", message)
        .hint("leave one of the two out, or write the bound into the regular expression")
}

#[cold]
fn no_characters() -> Error {
    Error::argument("alphabet", "alphabet has no characters")
        .hint("leave it out for every character; for no character, give strings the schema's \"maxLength\": 0")
}

#[cold]
fn unknown_dialect(name: &str) -> Error {
    Error::argument("dialect", format!("unknown dialect {name:?}"))
        .hint("pass draft4, draft6, draft7, 2019-09 or 2020-12, or the URI of one of these")
}

/// Builds the graph of a schema, and calls `then` with it while the documents that it was read from are in memory.
fn build_graph<T>(
    schema: &str,
    options: &Options,
    purpose: Purpose,
    then: impl for<'d> FnOnce(build::Built<'d>, &mut read::SchemaReader<'d>) -> Result<T>,
) -> Result<T> {
    with_reader(schema, options, purpose, |reader, root| {
        let options = reader.options;
        let built = build::GraphBuilder::new(reader, options)?.finish(root)?;
        then(built, reader)
    })
}

/// Reads the documents of a schema, and calls `then` with a reader of them and the schema while they are in memory.
fn with_reader<T>(
    schema: &str,
    options: &Options,
    purpose: Purpose,
    then: impl for<'d> FnOnce(&mut read::SchemaReader<'d>, &'d Value<'d>) -> Result<T>,
) -> Result<T> {
    options.check()?;
    let default = match &options.dialect {
        None => Dialect::Draft2020,
        Some(name) => Dialect::of(name).ok_or_else(|| unknown_dialect(name))?,
    };
    let objects = if purpose == Purpose::Build { Objects::Shared } else { Objects::Apart };
    in_arena(|arena| {
        let (root, mentions) = parse(schema, "", objects, arena)?;
        let given = options.registry.iter().map(|(uri, text)| (uri.as_str(), text.as_str()));
        let mut others = Vec::with_capacity(options.registry.len());
        for (uri, text) in given {
            others.push((uri, parse(text, uri, objects, arena)?));
        }
        if mentions.metaschemas || others.iter().any(|(_, (_, others)): &(_, (_, Mentions))| others.metaschemas) {
            let is_given = |uri: &str| options.registry.keys().any(|given| given.trim_end_matches('#') == uri);
            for (uri, text) in METASCHEMAS.iter().filter(|(uri, _)| !is_given(uri)) {
                others.push((uri, parse(text, uri, objects, arena)?));
            }
        }
        let mut documents = Documents::new(purpose.start());
        documents.add("", &root, default, mentions);
        for (uri, (value, mentions)) in &others {
            documents.add(uri, value, default, *mentions);
        }
        let mut reader = read::SchemaReader::new(&documents, arena, options, purpose);
        then(&mut reader, &root)
    })
}

/// Does some work in an arena, which the thread keeps for the next schema: its memory is allocated already, and likely
/// in the cache of the processor.
fn in_arena<T>(work: impl FnOnce(&Bump) -> T) -> T {
    thread_local! {
        static ARENA: Cell<Option<Bump>> = const { Cell::new(None) };
    }
    let mut arena = ARENA.take().unwrap_or_else(|| Bump::with_capacity(USUAL));
    let result = work(&arena);
    arena.reset();
    if arena.allocated_bytes() <= WORTH_KEEPING {
        ARENA.set(Some(arena));
    }
    result
}

/// Objects and arrays inside one another, as `serde_json` reads them.
const MOST_NESTED: usize = 127;

/// JSON text as a value; the error shows the line.
fn parse<'t>(text: &'t str, uri: &str, objects: Objects, arena: &'t Bump) -> Result<(Value<'t>, Mentions)> {
    value::read(text, objects, arena).map_err(|error| {
        let place = if uri.is_empty() { String::new() } else { format!(" of {uri}") };
        if error.to_string().starts_with("recursion limit exceeded") {
            let message =
                format!("limit reached: the schema{place} has more than {MOST_NESTED} values inside one another");
            let limit = Kind::Limit { limit: "schema_nesting", value: MOST_NESTED + 1, allowed: MOST_NESTED };
            return Error::new(limit, message);
        }
        let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
        let excerpt: String = line.chars().skip(error.column().saturating_sub(40)).take(60).collect();
        Error::schema("", format!("the schema{place} is not JSON: {error}\n    {excerpt}"))
            .hint("a schema is JSON text: double quotes, no trailing commas, no comments")
    })
}
