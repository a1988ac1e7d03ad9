//! One error type: where, what, and what next.
//!
//! `kind` decides which Python class is raised; `message` says what happened
//! and where; `hint` says what to do. Nothing is ever decided by reading text.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Result with the kernel's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular expression cannot be read; the span points into it.
    Regex {
        /// The expression.
        source: String,
        /// Byte offsets of the place.
        span: (usize, usize),
    },
    /// A regular expression is valid, but cannot be enforced; the span points into it.
    UnsupportedRegex {
        /// The expression.
        source: String,
        /// Byte offsets of the place.
        span: (usize, usize),
    },
    /// A language that cannot be written, or a stored one that cannot be read.
    Language,
    /// A grammar cannot be read; the span points into it.
    Grammar {
        /// The grammar.
        source: String,
        /// Byte offsets of the place.
        span: (usize, usize),
        /// Line of the place, from 1.
        line: usize,
        /// Column of the place in characters, from 1.
        column: usize,
        /// What could have stood there, or nothing.
        expected: String,
    },
    /// A construct of a grammar is valid, but cannot be enforced; the span points into the grammar.
    UnsupportedConstruct {
        /// The grammar.
        source: String,
        /// Byte offsets of the place.
        span: (usize, usize),
        /// Line of the place, from 1.
        line: usize,
        /// Column of the place in characters, from 1.
        column: usize,
        /// What could have stood there, or nothing.
        expected: String,
    },
    /// An argument has a value that it cannot have.
    Argument {
        /// Its name.
        argument: &'static str,
    },
    /// A JSON Schema is broken at `pointer`.
    Schema {
        /// JSON Pointer.
        pointer: String,
    },
    /// A schema is valid but cannot be enforced exactly at `pointer`.
    Unsupported {
        /// JSON Pointer.
        pointer: String,
    },
    /// No finite instance exists.
    Unsatisfiable {
        /// JSON Pointer.
        pointer: String,
    },
    /// A bound was reached.
    Limit {
        /// Its name.
        limit: &'static str,
        /// What was asked for.
        value: usize,
        /// What is allowed.
        allowed: usize,
    },
    /// The work was ended from outside: by an [`crate::Interrupt`], say.
    Interrupted,
    /// A vocabulary cannot be represented, or an id is unknown.
    Vocabulary,
    /// A token or byte run cannot come here.
    Rejected {
        /// The token, if one was offered.
        token: Option<u32>,
        /// Its bytes.
        text: Vec<u8>,
        /// Bytes accepted before it.
        position: usize,
        /// Some of what could have come.
        expected: String,
    },
    /// No token can come next.
    DeadEnd,
    /// A matcher was asked for something impossible.
    Match,
    /// A character parser failed, or contradicts itself.
    Parser {
        /// What its host says of a failure.
        cause: Option<Cause>,
    },
}

/// Bytes of a large regular expression that its error shows.
const SHOWN: usize = 64;

/// What a host says of a failure of its own code, for itself: an exception, say.
#[derive(Clone)]
pub struct Cause(pub Arc<dyn Any + Send + Sync>);

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cause {}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cause")
    }
}

/// An error of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// What went wrong, as data.
    pub kind: Box<Kind>,
    /// What happened and where, for people.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error {
    /// An error of `kind`.
    #[cold]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind: Box::new(kind), message: message.into(), hint: None }
    }

    /// The same error with a hint.
    #[must_use]
    #[cold]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A regular expression that cannot be read: draws a caret line under the span.
    #[cold]
    pub fn regex(source: &str, span: (usize, usize), what: &str) -> Self {
        let message = format!("regular expression: {what}\n{}", caret(source, span));
        Self::new(Kind::Regex { source: source.to_owned(), span }, message)
    }

    /// A regular expression that is valid, but cannot be enforced, with what to write instead.
    #[cold]
    pub fn unsupported_regex(source: &str, span: (usize, usize), what: &str, instead: &str) -> Self {
        let kind = Kind::UnsupportedRegex { source: source.to_owned(), span };
        Self { kind: Box::new(kind), ..Self::regex(source, span, what) }.hint(instead)
    }

    /// One that no text matches.
    #[cold]
    pub fn unmatched_regex(source: &str) -> Self {
        let instead = "change the pattern so that some text matches all of it";
        Self::unsupported_regex(source, (0, source.len()), "no text matches it", instead)
    }

    /// A grammar that cannot be read: draws a caret line under the span.
    #[cold]
    pub fn grammar(source: &str, span: (usize, usize), what: impl fmt::Display) -> Self {
        let span = whole_characters(source, span);
        let (line, column) = line_and_column(source, span.0);
        let message = format!("grammar at {line}:{column}: {what}\n{}", caret_in_window(source, span));
        Self::new(Kind::Grammar { source: source.to_owned(), span, line, column, expected: String::new() }, message)
    }

    /// A grammar that cannot be read, because something else was expected at a place.
    #[cold]
    pub fn expected_in_grammar(source: &str, span: (usize, usize), expected: &str, got: &str) -> Self {
        let mut error = Self::grammar(source, span, format_args!("expected {expected}, got {got}"));
        if let Kind::Grammar { expected: field, .. } = &mut *error.kind {
            expected.clone_into(field);
        }
        error
    }

    /// A construct of a grammar that is valid, but cannot be enforced, with what to write instead.
    #[cold]
    pub fn unsupported_construct(source: &str, span: (usize, usize), what: impl fmt::Display, instead: &str) -> Self {
        let (line, column) = line_and_column(source, span.0);
        let span = whole_characters(source, span);
        let kind =
            Kind::UnsupportedConstruct { source: source.to_owned(), span, line, column, expected: String::new() };
        Self { kind: Box::new(kind), ..Self::grammar(source, span, what) }.hint(instead)
    }

    /// A grammar that is too large at a place: `limit` is counted of it.
    #[cold]
    pub fn grammar_limit(source: &str, span: (usize, usize), limit: &'static str, allowed: usize) -> Self {
        let kind = Kind::Limit { limit, value: allowed.saturating_add(1), allowed };
        let what = format_args!("limit reached: more than {allowed} {limit}");
        Self { kind: Box::new(kind), ..Self::grammar(source, span, what) }
    }

    /// A broken schema.
    #[cold]
    pub fn schema(pointer: &str, what: impl fmt::Display) -> Self {
        let message = format!("schema at {}: {what}", shown(pointer));
        Self::new(Kind::Schema { pointer: pointer.to_owned() }, message)
    }

    /// A schema that cannot be enforced.
    #[cold]
    pub fn unsupported(pointer: &str, what: impl fmt::Display) -> Self {
        let message = format!("schema at {}: {what}", shown(pointer));
        Self::new(Kind::Unsupported { pointer: pointer.to_owned() }, message)
    }

    /// A schema without a finite instance.
    #[cold]
    pub fn unsatisfiable(pointer: &str, what: impl fmt::Display) -> Self {
        let message = format!("schema at {}: {what}", shown(pointer));
        Self::new(Kind::Unsatisfiable { pointer: pointer.to_owned() }, message)
    }

    /// A bound was reached.
    #[cold]
    pub fn limit(limit: &'static str, value: usize, allowed: usize) -> Self {
        let message = format!("limit reached: {limit} would be {value}, at most {allowed} is allowed");
        Self::new(Kind::Limit { limit, value, allowed }, message)
    }

    /// A regular expression that is too large: `what` is counted of it.
    #[cold]
    pub fn too_large(source: &str, what: &str, value: usize, allowed: usize) -> Self {
        let end = floor_boundary(source, SHOWN);
        let more = if end < source.len() { "..." } else { "" };
        let message = format!(
            "limit reached: pattern has more than {allowed} {what}\n    {}{more}",
            source[..end].replace('\n', "\\n")
        );
        Self::new(Kind::Limit { limit: "pattern", value, allowed }, message)
            .hint("split the text into parts with a pattern each, or describe less of it")
    }

    /// An argument with a value that it cannot have.
    #[cold]
    pub fn argument(argument: &'static str, what: impl Into<String>) -> Self {
        Self::new(Kind::Argument { argument }, what)
    }

    /// A vocabulary that cannot be represented.
    #[cold]
    pub fn vocabulary(what: impl Into<String>) -> Self {
        Self::new(Kind::Vocabulary, what)
    }
}

/// `the root` or the pointer itself.
fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the root" } else { pointer }
}

/// Two lines: the source line that holds the span, and carets below it.
fn caret(source: &str, (start, end): (usize, usize)) -> String {
    let start = floor_boundary(source, start);
    let end = floor_boundary(source, end).max(start);
    let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
    let column = source[line_start..start].chars().count();
    let width = source[start..end.min(line_end).max(start)].chars().count().max(1);
    format!("    {}\n    {}{}", &source[line_start..line_end], " ".repeat(column), "^".repeat(width))
}

/// Characters of a long line that are shown on each side of a place.
const WINDOW: usize = 60;

/// The same, of a part of the line where it is long.
fn caret_in_window(source: &str, (start, end): (usize, usize)) -> String {
    let start = floor_boundary(source, start);
    let before = source[..start].char_indices().rev().take(WINDOW).last().map_or(start, |(at, _)| at);
    let after = source[start..].char_indices().nth(WINDOW).map_or(source.len(), |(at, _)| start + at);
    caret(&source[before..after], (start - before, end.clamp(start, after) - before))
}

/// Line and column of a place, from 1; columns count characters.
pub(crate) fn line_and_column(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..floor_boundary(source, at)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.bytes().filter(|&byte| byte == b'\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The characters that a span touches.
fn whole_characters(source: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let start = floor_boundary(source, start);
    let mut end = end.clamp(start, source.len());
    while !source.is_char_boundary(end) {
        end += 1;
    }
    (start, end)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caret_points_into_the_right_line() {
        let error = Error::regex("ab\ncde(", (6, 7), "unclosed group");
        assert_eq!(error.message, "regular expression: unclosed group\n    cde(\n       ^");
    }

    #[test]
    fn grammars_are_cut_to_a_window() {
        let error = Error::grammar(&format!("a\n{}=b", "x".repeat(100)), (102, 103), "it");
        assert_eq!(error.message, format!("grammar at 2:101: it\n    {}=b\n    {}^", "x".repeat(60), " ".repeat(60)));
        assert!(matches!(*error.kind, Kind::Grammar { line: 2, column: 101, .. }));
        assert!(matches!(*Error::grammar("é", (1, 1), "it").kind, Kind::Grammar { span: (0, 2), .. }));
        assert_eq!(Error::grammar("é", (0, 2), "it").message, "grammar at 1:1: it\n    é\n    ^");
        assert_eq!(Error::grammar("", (0, 0), "it").message, "grammar at 1:1: it\n    \n    ^");
    }

    #[test]
    fn caret_survives_offsets_inside_characters() {
        assert_eq!(caret("é", (1, 9)), "    é\n    ^");
    }
}
