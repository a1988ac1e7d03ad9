//! The notations in which values of a schema are written, and the reading of their texts.
//!
//! ```text
//! [{"a": 1}]     json   [{"a": 1}]     jsonl   {"a": 1}     csv   a⏎1     yaml   - a: 1     python   [{"a": 1}]
//! ```

use std::sync::Arc;

use bumpalo::Bump;

use super::build::write_in_order;
use super::read::Purpose;
use super::sets::ValueSet;
use super::value::{self, Objects, Value};
use super::{Options, build_graph, with_reader};
use crate::error::{Error, Result};
use crate::interrupt::bounded;
use crate::syntax::notation::{Notated, with_fraction};

/// How values are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// JSON.
    #[default]
    Json,
    /// A JSON value a line.
    JsonLines,
    /// Literals of Python: JSON with `None`, `True` and `False`.
    Python,
    /// Rows of cells by RFC 4180.
    Csv {
        /// What separates cells: comma, semicolon, tab or pipe.
        delimiter: char,
        /// Whether the first row has the names of the columns.
        header: bool,
    },
    /// A table of GitHub Flavored Markdown.
    Markdown,
    /// Elements of XML.
    Xml {
        /// The name of the outermost element.
        root: Arc<str>,
        /// The name of the items of arrays.
        item: Arc<str>,
    },
    /// TOML, version 1.0.
    Toml,
    /// TOON, by version 4 of its specification.
    Toon {
        /// What separates cells: comma, tab or pipe.
        delimiter: char,
        /// Most items of an array.
        max_items: u32,
    },
    /// YAML that means the same in versions 1.1 and 1.2.
    Yaml {
        /// Blanks of a level of mappings, 1 to 8.
        indent: u32,
        /// Levels of blocks; what is deeper is written in flow.
        max_depth: u32,
    },
}

/// What may separate the cells of a row.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

impl Notation {
    /// The notation of a name and its options, as [`Notation::spelled`] writes them.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] where there is none.
    pub fn of(text: &str) -> Result<Self> {
        if let Some(names) = text.strip_prefix("xml ") {
            return Self::xml(names);
        }
        let mut words = text.split(' ');
        let name = words.next().unwrap_or_default();
        let given: Vec<u32> = words.map_while(|word| word.parse().ok()).collect();
        match (name, &given[..]) {
            ("json", []) => Ok(Self::Json),
            ("jsonl", []) => Ok(Self::JsonLines),
            ("python", []) => Ok(Self::Python),
            ("markdown", []) => Ok(Self::Markdown),
            ("xml", []) => Self::xml("root item"),
            ("toml", []) => Ok(Self::Toml),
            ("toon", [delimiter, max_items @ 0..=1_024]) => {
                let delimiter = char::from_u32(*delimiter).filter(|one| [',', '\t', '|'].contains(one));
                let delimiter = delimiter
                    .ok_or_else(|| Error::argument("delimiter", "delimiter must be a comma, a tab or a pipe"))?;
                Ok(Self::Toon { delimiter, max_items: *max_items })
            }
            ("toon", [_, _]) => Err(Error::argument("max_items", "max_items must be between 0 and 1,024")),
            ("csv", [delimiter, header @ (0 | 1)]) => {
                let delimiter = char::from_u32(*delimiter).filter(|one| DELIMITERS.contains(one));
                let delimiter = delimiter.ok_or_else(|| {
                    Error::argument("delimiter", "delimiter must be a comma, a semicolon, a tab or a pipe")
                })?;
                Ok(Self::Csv { delimiter, header: *header == 1 })
            }
            ("yaml", [indent @ 1..=8, max_depth @ 0..=64]) => Ok(Self::Yaml { indent: *indent, max_depth: *max_depth }),
            ("yaml", [_, _]) => {
                Err(Error::argument("notation", "indent must be between 1 and 8, and max_depth between 0 and 64"))
            }
            _ => Err(Error::argument("notation", format!("there is no notation {name:?}"))
                .hint("pass json, jsonl, python, csv, tsv, markdown, xml, toml, toon or yaml")),
        }
    }

    /// XML with the names of the outermost element and of items, a blank between them.
    fn xml(names: &str) -> Result<Self> {
        let (root, item) = names.split_once(' ').unwrap_or((names, ""));
        for (argument, name) in [("root", root), ("item", item)] {
            if !is_element_name(name) {
                let what = format!("xml writes no element named {name:?}");
                return Err(Error::argument(argument, what)
                    .hint("use ASCII letters, digits, _, - and .; begin with a letter or _, but not with xml"));
            }
        }
        Ok(Self::Xml { root: root.into(), item: item.into() })
    }

    /// Its name and its options.
    pub fn spelled(&self) -> String {
        match self {
            Self::Csv { delimiter, header } => format!("csv {} {}", u32::from(*delimiter), u32::from(*header)),
            Self::Xml { root, item } if (&**root, &**item) != ("root", "item") => format!("xml {root} {item}"),
            Self::Toon { delimiter, max_items } => format!("toon {} {max_items}", u32::from(*delimiter)),
            Self::Yaml { indent, max_depth } => format!("yaml {indent} {max_depth}"),
            other => other.name().to_owned(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::Python => "python",
            Self::Csv { delimiter: '\t', .. } => "tsv",
            Self::Csv { .. } => "csv",
            Self::Markdown => "markdown",
            Self::Xml { .. } => "xml",
            Self::Toml => "toml",
            Self::Toon { .. } => "toon",
            Self::Yaml { .. } => "yaml",
        }
    }

    /// Null, true and false: whether they are in a set, and how they are written.
    pub(super) fn words(&self, set: &ValueSet<'_>) -> [(bool, &'static str); 3] {
        let [null, yes, no] = if *self == Self::Python { ["None", "True", "False"] } else { ["null", "true", "false"] };
        [(set.null, null), (set.yes, yes), (set.no, no)]
    }
}

/// Whether every reader takes a name for that of an element of XML.
pub(super) fn is_element_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    begins && goes_on && !name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xml"))
}

/// Reads texts of a schema as JSON, and writes values.
pub struct Reader {
    notated: Option<Notated>,
    schema: String,
    options: Options,
}

/// The reader of a schema in the notation of its options.
///
/// # Errors
/// As [`super::json_schema`].
pub fn reader_of(schema: &str, options: &Options) -> Result<Reader> {
    let notated = match options.notation {
        Notation::Json | Notation::Python => None,
        _ => bounded(options.limits.work, || {
            build_graph(schema, options, Purpose::Build, |built, _| {
                built.parts.map(|parts| Notated::new(parts, &options.limits)).transpose()
            })
        })?,
    };
    Ok(Reader { notated, schema: schema.to_owned(), options: options.clone() })
}

impl Reader {
    /// The JSON that a text says; `None` if no text of the form begins so. With `partial`, what a text that has begun
    /// says so far, which is JSON that has begun.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are too many ways to read it.
    pub fn read(&self, text: &str, partial: bool) -> Result<Option<String>> {
        match &self.notated {
            Some(notated) => notated.read(text, partial),
            None if self.options.notation == Notation::Python => {
                Ok(Some(replace_words(text, &[("None", "null"), ("True", "true"), ("False", "false")])))
            }
            None => Ok(Some(text.to_owned())),
        }
    }

    /// A text for a value, given as JSON: members in order of declaration, the usual spellings. Without a notation of
    /// its own it is compact JSON, of which nothing is checked; `None` if no text of the notation says the value.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] where it is not JSON; [`crate::Kind::Limit`] where too many choices have to be tried.
    pub fn write(&self, json: &str) -> Result<Option<String>> {
        let Options { limits, notation, .. } = &self.options;
        bounded(limits.work, || {
            with_reader(&self.schema, &self.options, Purpose::Build, |reader, root| {
                let arena = Bump::new();
                let (value, _) = value::read(json, Objects::Apart, &arena)
                    .map_err(|error| Error::argument("value", format!("the value is not JSON: {error}")))?;
                let root = reader.root(root);
                let spaced = *notation != Notation::Json;
                let ordered = write_in_order(reader, root, &value, spaced)?;
                match &self.notated {
                    Some(notated) => {
                        let (ordered, _) = value::read(&ordered, Objects::Apart, &arena)
                            .map_err(|error| Error::argument("value", format!("the value is not JSON: {error}")))?;
                        notated.write(&ordered, &spaced_json)
                    }
                    None if *notation == Notation::Python => {
                        Ok(Some(replace_words(&ordered, &[("null", "None"), ("true", "True"), ("false", "False")])))
                    }
                    None => Ok(Some(ordered)),
                }
            })
        })
    }
}

/// JSON with other words outside its strings.
fn replace_words(text: &str, words: &[(&str, &str)]) -> String {
    let (mut replaced, mut in_string, mut escaped) = (String::with_capacity(text.len()), false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = words.iter().find(|(word, _)| !in_string && rest.starts_with(word));
        if let Some((word, other)) = word {
            replaced += other;
            rest = &rest[word.len()..];
            continue;
        }
        if !in_string && words.iter().any(|(word, _)| word.starts_with(rest)) {
            break; // a word that has begun
        }
        in_string ^= c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
        replaced.push(c);
        rest = &rest[c.len_utf8()..];
    }
    replaced
}

/// JSON with a space after each colon and comma, and numbers as YAML has them.
fn spaced_json(value: &Value<'_>) -> String {
    let string = |text: &str| serde_json::to_string(text).unwrap_or_default();
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(digits) => with_fraction(digits),
        Value::String(text) => string(text),
        Value::Array(items) => format!("[{}]", items.iter().map(spaced_json).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let members = map.iter().map(|(name, value)| format!("{}: {}", string(name), spaced_json(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}
