//! What is not Lark's own inside a grammar: JSON Schema, grammars, forms, pieces of a text.
//!
//! ```text
//! call: <|tool|> %json {"type": "object"}          a JSON Schema, up to its closing brace
//! date: @date | %form date                         a form that was given with the grammar
//! quote: %regex {"substring_words": "to be or"}    some words in a row, or nothing
//! sum: %lark { start: INT "+" INT }                a grammar with rules of its own
//! ```

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::super::nearest;
use super::super::written::{Document, PartKind};
use super::{MOST_GRAMMARS, Reader};
use crate::error::{Error, Result};
use crate::regular::{Pieces, Unit};

/// What begins with a percent sign inside a definition.
const INLAYS: [&str; 4] = ["%json", "%form", "%regex", "%lark"];

/// Options of llguidance; the last two say nothing about texts.
const OPTIONS: [&str; 4] = ["allow_initial_skip", "ignore_once", "no_forcing", "allow_invalid_utf8"];

impl<'t> Reader<'t> {
    pub(super) fn inlay(&mut self) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        self.cursor.next();
        let name = self.cursor.name();
        match name {
            "json" => Ok(PartKind::Json(self.json()?.into())),
            "form" => self.form_by_name(),
            "regex" => self.pieces(),
            "lark" => self.inner_grammar(from),
            "if" => {
                let instead = "write a rule for each value of the parameter";
                Err(self.cursor.refuse((from, self.cursor.at), "parametric rules are not supported", instead))
            }
            _ => {
                let found = format!("%{name}");
                let error = self.cursor.fail((from, self.cursor.at), format_args!("unknown construct '{found}'"));
                Err(error.hint(nearest::hint(&found, INLAYS.into_iter(), "constructs inside a definition")))
            }
        }
    }

    /// `@name`
    pub(super) fn form(&mut self) -> Result<PartKind<'t>> {
        self.cursor.next();
        self.known_form("the name of a form after '@'")
    }

    /// `%form name`
    fn form_by_name(&mut self) -> Result<PartKind<'t>> {
        self.skip();
        self.known_form("the name of a form after '%form'")
    }

    fn known_form(&mut self, expected: &str) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            return Err(self.cursor.expected(expected));
        }
        if self.options.forms.contains(name) {
            return Ok(PartKind::Form(name.into()));
        }
        let error = self.cursor.fail((from, self.cursor.at), format_args!("there is no form '{name}' in forms="));
        let known = self.options.forms.iter().map(String::as_str);
        let hint = if self.options.forms.is_empty() {
            format!("pass it with the grammar: forms={{\"{name}\": ...}}")
        } else {
            nearest::hint(name, known, "forms")
        };
        Err(error.hint(hint))
    }

    /// The text of a JSON value.
    fn json(&mut self) -> Result<&'t str> {
        self.skip_all(true);
        let (from, rest) = (self.cursor.at, self.cursor.rest());
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                self.cursor.at = from + values.byte_offset();
                Ok(&rest[..values.byte_offset()])
            }
            Some(Err(error)) => Err(self.broken_json(from, &error)),
            None => Err(self.cursor.expected("a JSON value")),
        }
    }

    fn broken_json(&self, from: usize, error: &serde_json::Error) -> Error {
        let rest = &self.cursor.text[from..];
        let line_start: usize = rest.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = (from + line_start + error.column().saturating_sub(1)).min(self.cursor.text.len());
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        self.cursor.fail((at, at + 1), format_args!("broken JSON: {what}"))
    }

    /// A JSON object as a value.
    fn object(&mut self) -> Result<(serde_json::Map<String, Value>, usize)> {
        self.skip_all(true);
        let from = self.cursor.at;
        if self.cursor.peek() != Some('{') {
            return Err(self.cursor.expected("a JSON object"));
        }
        match serde_json::from_str(self.json()?) {
            Ok(object) => Ok((object, from)),
            Err(error) => Err(self.broken_json(from, &error)),
        }
    }

    /// `%regex {"substring_chars": "abc"}`
    fn pieces(&mut self) -> Result<PartKind<'t>> {
        let (object, from) = self.object()?;
        let span = (from, self.cursor.at);
        let (text, unit) = match object.iter().next().filter(|_| object.len() == 1) {
            Some((key, Value::String(text))) if key == "substring_chars" => (text, Unit::Char),
            Some((key, Value::String(text))) if key == "substring_words" => (text, Unit::Word),
            Some((key, Value::Array(_))) if key == "substring_chunks" => {
                let instead = "write a rule for each chunk, which may go on with the next: a: \"x\" b?";
                return Err(self.cursor.refuse(span, "runs of chunks are not supported", instead));
            }
            _ => {
                let what = "expected \"substring_chars\" or \"substring_words\" with a text";
                return Err(self.cursor.fail(span, what));
            }
        };
        let is_cut_alike = |c: char| c.is_alphanumeric() || c == '_' || c == ' ';
        if unit == Unit::Word && !text.chars().all(is_cut_alike) {
            let what = "words are cut as those of one_of_text, \"isn't\" and \"3.14\" being one";
            self.document.lints.add(span, what);
        }
        let pieces = Pieces::new(text, unit);
        let what = format!("there is no {} in the text", unit.name());
        Ok(PartKind::Pieces(pieces.map_err(|_| self.cursor.fail(span, what))?))
    }

    /// `%lark { start: "a" }`
    fn inner_grammar(&mut self, from: usize) -> Result<PartKind<'t>> {
        self.skip_all(true);
        if !self.cursor.eat("{") {
            return Err(self.cursor.expected("'{' and a grammar"));
        }
        if self.grammars >= MOST_GRAMMARS {
            return Err(Error::grammar_limit(
                self.text,
                (from, self.cursor.at),
                "grammars inside grammars",
                MOST_GRAMMARS,
            ));
        }
        self.grammars += 1;
        let outer = std::mem::replace(&mut self.document, Document::new());
        let brackets = std::mem::take(&mut self.brackets);
        self.statements()?;
        if !self.cursor.eat("}") {
            return Err(self.cursor.expected("'}' after the grammar"));
        }
        let inner = self.finish(Some((from, self.cursor.at)))?;
        self.grammars -= 1;
        (self.document, self.brackets) = (outer, brackets);
        Ok(PartKind::Grammar(Arc::new(inner)))
    }

    /// `%llguidance {"allow_initial_skip": false}`
    pub(super) fn grammar_options(&mut self) -> Result<()> {
        let (object, from) = self.object()?;
        let span = (from, self.cursor.at);
        for (key, value) in &object {
            if !OPTIONS.contains(&key.as_str()) {
                let error = self.cursor.fail(span, format_args!("unknown option '{key}'"));
                return Err(error.hint(nearest::hint(key, OPTIONS.into_iter(), "options")));
            }
            let Value::Bool(value) = value else {
                return Err(self.cursor.fail(span, format_args!("the option '{key}' takes true or false")));
            };
            match key.as_str() {
                "allow_initial_skip" => self.document.ignores_at_start = *value,
                "ignore_once" if *value => {
                    let instead = "leave it out, and write where the text may be in the rules";
                    return Err(self.cursor.refuse(span, "ignored texts may always come several times", instead));
                }
                "ignore_once" => {}
                key => self.document.lints.add(span, format!("the option '{key}' has no effect here")),
            }
        }
        Ok(())
    }
}
