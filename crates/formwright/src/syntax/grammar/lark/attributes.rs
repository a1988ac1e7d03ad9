//! Attributes in brackets after a name: `call[capture="c", lazy]: TEXT "<end>"`.

use std::sync::Arc;

use super::super::ast::Span;
use super::super::cursor::shorten;
use super::super::nearest;
use super::super::written::{Attributes, Part, PartKind};
use super::Reader;
use crate::error::Result;

const NAMES: [&str; 7] = ["lazy", "suffix", "capture", "max_tokens", "stop", "temperature", "stop_capture"];

impl<'t> Reader<'t> {
    /// Reads the attributes of a rule of this name.
    pub(super) fn attributes(&mut self, rule: &str) -> Result<Attributes<'t>> {
        self.cursor.next();
        self.bracketed("]", |reader| {
            let (mut attributes, mut seen) = (Attributes::default(), Vec::new());
            loop {
                reader.skip();
                let from = reader.cursor.at;
                let name = reader.cursor.name();
                let span = (from, reader.cursor.at);
                if seen.contains(&name) {
                    return Err(reader.cursor.fail(span, format_args!("'{name}' is said twice")));
                }
                seen.push(name);
                reader.attribute((name, span), rule, &mut attributes)?;
                reader.skip();
                if !reader.cursor.eat(",") {
                    return Ok(attributes);
                }
            }
        })
    }

    /// Reads what follows the name of an attribute.
    fn attribute(&mut self, (name, span): (&str, Span), rule: &str, attributes: &mut Attributes<'t>) -> Result<()> {
        match name {
            "lazy" => attributes.is_lazy = true,
            "capture" => attributes.capture = Some(self.capture(rule)?),
            "suffix" => attributes.suffix = Some(self.end_of_text()?),
            "max_tokens" => attributes.max_tokens = Some((self.most()?, span)),
            "stop" | "temperature" | "stop_capture" => return self.other_attribute(name, span),
            "" => return Err(self.cursor.expected("an attribute")),
            _ => {
                let error = self.cursor.fail(span, format_args!("unknown attribute '{}'", shorten(name)));
                return Err(error.hint(nearest::hint(name, NAMES.into_iter(), "attributes")));
            }
        }
        Ok(())
    }

    /// Those that are refused, or have no effect.
    fn other_attribute(&mut self, name: &str, span: Span) -> Result<()> {
        match name {
            "stop" if matches!(self.end_of_text()?.kind, PartKind::Text { text, .. } if text.is_empty()) => {
                self.document.lints.add(span, "an empty 'stop' has no effect");
                Ok(())
            }
            "stop" => {
                let instead = "write 'suffix', which reads the text too, or 'lazy' and the end in the rule itself";
                Err(self.cursor.refuse(span, "'stop' hides a text that was read", instead))
            }
            "temperature" => {
                self.equals()?;
                self.cursor.take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'));
                self.document.lints.add(span, "'temperature' has no effect here: it is an option of sampling");
                Ok(())
            }
            _ => {
                let instead = "capture the rule, or a rule around it";
                Err(self.cursor.refuse(span, "'stop_capture' is not supported", instead))
            }
        }
    }

    /// The name of a captured text: that of the rule, if none is given.
    fn capture(&mut self, rule: &str) -> Result<Arc<str>> {
        self.skip();
        if self.cursor.peek() == Some('=') { self.name_in_quotes() } else { Ok(rule.into()) }
    }

    fn equals(&mut self) -> Result<()> {
        self.expect("=")?;
        self.skip();
        Ok(())
    }

    fn name_in_quotes(&mut self) -> Result<Arc<str>> {
        self.equals()?;
        if self.cursor.peek() == Some('"') { self.text() } else { Err(self.cursor.expected("a name in quotes")) }
    }

    /// A text, a regular expression or a terminal.
    fn end_of_text(&mut self) -> Result<Part<'t>> {
        self.equals()?;
        let from = self.cursor.at;
        let kind = match self.cursor.peek() {
            Some('"') => self.text_or_range()?,
            Some('/') => self.regex()?,
            Some('A'..='Z' | '_') => PartKind::Name(self.cursor.name()),
            _ => return Err(self.cursor.expected("a text, a regular expression or a terminal")),
        };
        Ok(Part { kind, span: self.cursor.span(from) })
    }

    fn most(&mut self) -> Result<u32> {
        self.equals()?;
        let from = self.cursor.at;
        if !self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err(self.cursor.expected("a number of tokens"));
        }
        let most = self.cursor.number().filter(|&most| most > 0);
        most.ok_or_else(|| {
            self.cursor.fail((from, self.cursor.at), "at least one token is needed, and fewer than 4294967296")
        })
    }
}
