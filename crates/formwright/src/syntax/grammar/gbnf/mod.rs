//! GBNF of llama.cpp, with what EBNF of xgrammar and of the W3C adds to it.
//!
//! ```text
//! root ::= (item ", "){1,3} item      # a comment      item ::= [a-z]+ | "\"" [^"\n]* "\""
//! Name ::= NameChar+ - 'xml'          /* of the W3C: texts without others, */   Tab ::= #x9
//! call ::= <tool> !</tool>* </tool>   # control tokens, by name or as <[7]>
//! ```
//!
//! `[#x41]` is read as the W3C reads it, unless the grammar is one of llama.cpp: see `numbers`.
//!
//! Lines mean nothing: a rule ends where the next name with `::=` comes. There is no lexer: each text and each class is a
//! terminal of its own.

mod expressions;
mod literals;
mod numbers;

use std::sync::Arc;

use super::ReadOptions;
use super::ast::{Grammar, Shape, Syntax};
use super::cursor::Cursor;
use super::resolve::{Context, resolve};
use super::written::{Attributes, Definition, Document};
use crate::error::{Error, Result};
use numbers::{has_numbers, is_number_alone};

/// Reads a grammar.
///
/// # Errors
/// As [`super::read`].
pub fn read(text: &Arc<str>, options: &ReadOptions) -> Result<Grammar> {
    let mut reader = Reader {
        cursor: Cursor::new(text, &options.limits),
        document: Document::new(),
        has_numbers: has_numbers(text, &options.limits),
        is_number_known: false,
    };
    reader.rules(options.limits.grammar_rules)?;
    let start = options.start.as_deref();
    resolve(reader.document, &Context { text, syntax: Syntax::Gbnf, start, place: None, options })
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    document: Document<'t>,
    /// Whether classes have characters by their numbers, as those of the W3C.
    has_numbers: bool,
    /// Whether what such a number means was remarked on.
    is_number_known: bool,
}

impl<'t> Reader<'t> {
    fn rules(&mut self, allowed: usize) -> Result<()> {
        loop {
            self.skip_lines()?;
            if self.cursor.peek().is_none() {
                return Ok(());
            }
            let rule = self.rule()?;
            self.document.define(self.cursor.text, rule, allowed)?;
        }
    }

    fn rule(&mut self) -> Result<Definition<'t>> {
        let from = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            return Err(self.advise(self.cursor.expected("the name of a rule")));
        }
        let span = self.cursor.span(from);
        let attributes = if self.cursor.peek() == Some('[') { self.attributes(name)? } else { Attributes::default() };
        self.skip()?;
        if !self.cursor.eat("::=") {
            return Err(self.advise(self.cursor.expected("'::=' after the name")));
        }
        let rows = self.alternatives()?;
        let (shape, parameters) = (Shape::default(), Vec::new());
        Ok(Definition { name, span, is_terminal: false, parameters, shape, priority: 0, attributes, rows })
    }

    /// What may be wrong where no rule begins.
    fn advise(&self, error: Error) -> Error {
        match self.cursor.peek() {
            Some('=' | ',' | ';') => {
                let here = (self.cursor.at, self.cursor.at + 1);
                let instead = "write 'name ::= a b | c' in place of 'name = a, b | c;'";
                self.cursor.refuse(here, "the EBNF of ISO 14977 is not supported", instead)
            }
            Some('<') => error.hint("names are written without angle brackets; <name> is a control token"),
            Some(':') => error.hint("pass syntax=\"lark\" if this is Lark"),
            _ => error,
        }
    }

    /// Skips blanks, ends of lines and comments, where a part may come: `#x41` is one.
    fn skip(&mut self) -> Result<()> {
        self.skip_until(Self::is_code_point)
    }

    /// The same, where no part may come.
    fn skip_lines(&mut self) -> Result<()> {
        self.skip_until(|_| false)
    }

    fn skip_until(&mut self, is_part: fn(&Self) -> bool) -> Result<()> {
        loop {
            self.cursor.take_while(char::is_whitespace);
            if self.cursor.is_at("#") && !is_part(self) {
                self.cursor.take_line();
            } else if self.cursor.is_at("/*") {
                self.skip_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_comment(&mut self) -> Result<()> {
        let from = self.cursor.at;
        let Some(length) = self.cursor.rest()[2..].find("*/") else {
            return Err(self.cursor.fail((from, from + 2), "the comment has no end"));
        };
        self.cursor.at += length + 4;
        Ok(())
    }

    /// Whether a character by its number is here, as the W3C writes it, and no comment.
    fn is_code_point(&self) -> bool {
        is_number_alone(self.cursor.rest())
    }

    /// Whether a rule begins here: a name, perhaps with attributes, and `::=`.
    fn is_rule(&self) -> bool {
        let mut ahead = Cursor::new(self.cursor.text, self.cursor.limits);
        ahead.at = self.cursor.at;
        if ahead.name().is_empty() {
            return false;
        }
        if ahead.peek() == Some('[') {
            ahead.take_while(|c| c != ']' && c != '\n');
            ahead.next();
        }
        ahead.take_while(char::is_whitespace);
        ahead.is_at("::=")
    }

    /// `name[capture="x", max_tokens=9] ::= ...`
    fn attributes(&mut self, rule: &str) -> Result<Attributes<'t>> {
        self.cursor.next();
        let mut attributes = Attributes::default();
        loop {
            self.cursor.take_while(|c| c == ' ');
            let from = self.cursor.at;
            match self.cursor.name() {
                "capture" if self.cursor.eat("=") => attributes.capture = Some(self.quoted_name()?),
                "capture" => attributes.capture = Some(rule.into()),
                "max_tokens" if self.cursor.eat("=") => {
                    let most = self.cursor.number().filter(|&most| most > 0);
                    let what = "'max_tokens' takes a number of tokens";
                    let most = most.ok_or_else(|| self.cursor.fail((from, self.cursor.at), what))?;
                    attributes.max_tokens = Some((most, (from, from + "max_tokens".len())));
                }
                _ => {
                    self.cursor.at = from;
                    return Err(
                        self.advise(self.cursor.expected("'capture' or 'max_tokens=' in brackets after the name"))
                    );
                }
            }
            self.cursor.take_while(|c| c == ' ');
            if self.cursor.eat("]") {
                return Ok(attributes);
            }
            if !self.cursor.eat(",") {
                return Err(self.cursor.expected("',' or ']'"));
            }
        }
    }

    fn quoted_name(&mut self) -> Result<Arc<str>> {
        if self.cursor.peek() == Some('"') { self.text() } else { Err(self.cursor.expected("a name in quotes")) }
    }
}
