//! Lark's notation, with what llguidance, `OpenAI` and xgrammar add to it.
//!
//! ```text
//! ?expr: term | expr "+" term -> add      a rule; its node is replaced by an only child; a node with a name of its own
//! NUMBER.2: /\d+/ ["." "0".."9"~1..3]     a terminal with a priority: a regular expression, and perhaps more
//! %import common (WS, INT)                terminals that come with Lark
//! list{x}: x ("," x)*                     a template
//! ```
//!
//! A line is a definition or a statement; it goes on at a line that begins with `|`, after a backslash, and inside
//! brackets.

mod attributes;
mod common;
mod expressions;
mod inlays;
mod literals;
mod statements;

use std::sync::Arc;

pub use common::length as length_in_common;

use super::ast::{Grammar, Span, Syntax};
use super::cursor::Cursor;
use super::resolve::{Context, resolve};
use super::written::Document;
use super::{ReadOptions, with_stack};
use crate::error::Result;

/// Grammars inside grammars. A reader follows them by a function that calls itself.
const MOST_GRAMMARS: usize = 8;

/// Reads a grammar.
///
/// # Errors
/// As [`super::read`].
pub fn read(text: &Arc<str>, options: &ReadOptions) -> Result<Grammar> {
    let mut reader = Reader::new(Cursor::new(text, &options.limits), text, options);
    reader.statements()?;
    reader.finish(None)
}

/// Reads one grammar after the other: the outer one waits while one inside it is read.
struct Reader<'t> {
    cursor: Cursor<'t>,
    text: &'t Arc<str>,
    options: &'t ReadOptions,
    document: Document<'t>,
    /// Where brackets were opened, in which lines do not end.
    brackets: Vec<usize>,
    /// Grammars that are open.
    grammars: usize,
}

impl<'t> Reader<'t> {
    fn new(cursor: Cursor<'t>, text: &'t Arc<str>, options: &'t ReadOptions) -> Self {
        Self { cursor, text, options, document: Document::new(), brackets: Vec::new(), grammars: 0 }
    }

    /// Resolves what was read: the whole grammar, or one inside it at `place`.
    fn finish(&mut self, place: Option<Span>) -> Result<Grammar> {
        let document = std::mem::replace(&mut self.document, Document::new());
        let start = self.options.start.as_deref().filter(|_| place.is_none());
        resolve(document, &Context { text: self.text, syntax: Syntax::Lark, start, place, options: self.options })
    }

    /// Skips blanks and comments, and ends of lines inside brackets.
    fn skip(&mut self) {
        self.skip_all(!self.brackets.is_empty());
    }

    fn skip_all(&mut self, lines: bool) {
        loop {
            self.cursor.take_while(|c| matches!(c, ' ' | '\t' | '\r') || lines && c == '\n');
            if self.cursor.is_at("//") || self.cursor.is_at("#") {
                self.cursor.take_line();
            } else if !self.skip_continuation() {
                return;
            }
        }
    }

    /// A backslash at the end of a line joins it with the next one.
    fn skip_continuation(&mut self) -> bool {
        let rest = self.cursor.rest();
        let Some(after) = rest.strip_prefix('\\') else { return false };
        let after = after.trim_start_matches([' ', '\r']);
        if !after.starts_with('\n') {
            return false;
        }
        self.cursor.at += rest.len() - after.len() + 1;
        true
    }

    /// Reads `what` here, or tells what is here.
    fn expect(&mut self, text: &str) -> Result<()> {
        self.skip();
        if self.cursor.eat(text) { Ok(()) } else { Err(self.cursor.expected(&format!("'{text}'"))) }
    }

    /// Reads something in brackets, after the opening one.
    fn bracketed<T>(&mut self, close: &str, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.cursor.enter()?;
        self.brackets.push(self.cursor.at - 1);
        let inside = with_stack(|| read(self))?;
        self.expect(close)?;
        self.brackets.pop();
        self.cursor.leave();
        Ok(inside)
    }
}

/// What the letters of a name make it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Rule,
    Terminal,
}

/// A name is a rule's in lower case and a terminal's in upper case, after an underscore perhaps; others are none.
fn kind_of(name: &str) -> Option<NameKind> {
    let bare = name.strip_prefix('_').unwrap_or(name);
    let first = bare.chars().next()?;
    if first.is_ascii_lowercase() && !bare.contains(|c: char| c.is_ascii_uppercase()) {
        Some(NameKind::Rule)
    } else if first.is_ascii_uppercase() && !bare.contains(|c: char| c.is_ascii_lowercase()) {
        Some(NameKind::Terminal)
    } else {
        None
    }
}
