//! A place in the text of a grammar, and what can be read from there on.
//!
//! Cost: every character is read a bounded number of times.

use std::fmt::Display;

use super::ast::Span;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Characters of a name that an error shows.
const SHOWN: usize = 40;

/// A place in a text.
pub struct Cursor<'t> {
    /// The text.
    pub text: &'t str,
    /// Byte offset of the place.
    pub at: usize,
    /// The place that stands for all others, in a text that is not the user's.
    origin: Option<Span>,
    /// Groups that are open.
    depth: usize,
    /// Bounds.
    pub limits: &'t Limits,
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str, limits: &'t Limits) -> Self {
        Self { text, at: 0, origin: None, depth: 0, limits }
    }

    /// A cursor in a text that is not the user's: its parts are all said to be at `origin`.
    pub fn inside(text: &'t str, origin: Span, limits: &'t Limits) -> Self {
        Self { origin: Some(origin), ..Self::new(text, limits) }
    }

    /// Whether the text is not the user's.
    pub fn is_inside(&self) -> bool {
        self.origin.is_some()
    }

    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub fn is_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.is_at(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// The longest run of characters of a kind.
    pub fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The rest of the line.
    pub fn take_line(&mut self) -> &'t str {
        self.take_while(|c| c != '\n')
    }

    /// A name of letters, digits, underscores and inner hyphens, or nothing.
    pub fn name(&mut self) -> &'t str {
        let name = &self.rest()[..name_length(self.rest())];
        self.at += name.len();
        name
    }

    /// A number without a sign; `None` for one that is too large.
    pub fn number(&mut self) -> Option<u32> {
        self.take_while(|c| c.is_ascii_digit()).parse().ok()
    }

    /// The character of exactly `length` hexadecimal digits.
    pub fn hexadecimal(&mut self, length: usize, from: usize) -> Result<char> {
        let found = self.rest().bytes().take(length).take_while(u8::is_ascii_hexdigit).count();
        let digits = &self.rest()[..found];
        self.at += found;
        if found < length {
            return Err(
                self.fail((from, self.at), format_args!("the escape takes {length} hexadecimal digits, not {found}"))
            );
        }
        self.character(digits, from)
    }

    /// The character whose number is written in hexadecimal digits.
    pub fn character(&self, digits: &str, from: usize) -> Result<char> {
        let number = u32::from_str_radix(digits, 16).ok();
        let character = number.and_then(char::from_u32);
        character.ok_or_else(|| self.fail((from, self.at), format_args!("there is no character U+{}", shorten(digits))))
    }

    /// The place from `from` up to here.
    pub fn span(&self, from: usize) -> Span {
        self.origin.unwrap_or((from, self.at))
    }

    /// The place from `from` to `to`.
    pub fn span_to(&self, from: usize, to: usize) -> Span {
        self.origin.unwrap_or((from, to))
    }

    /// Enters a group.
    pub fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        let allowed = self.limits.grammar_depth;
        if self.depth <= allowed {
            return Ok(());
        }
        Err(Error::grammar_limit(self.text, (self.at, self.at), "levels of groups", allowed))
    }

    /// Leaves it.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// An error at a place.
    pub fn fail(&self, span: Span, what: impl Display) -> Error {
        Error::grammar(self.text, span, what)
    }

    /// The error of a construct that is known, but cannot be enforced.
    pub fn refuse(&self, span: Span, what: impl Display, instead: &str) -> Error {
        Error::unsupported_construct(self.text, span, what, instead)
    }

    /// The error of what is here.
    pub fn expected(&self, what: &str) -> Error {
        let (length, got) = found(self.rest());
        Error::expected_in_grammar(self.text, (self.at, self.at + length), what, &got)
    }
}

/// Bytes of the name at the beginning of a text. A hyphen is a part of it between other parts: `a-b`, but not `a->b`.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_part = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_hyphen = |at: usize| at > 0 && bytes.get(at) == Some(&b'-') && is_part(at + 1);
    (0..bytes.len()).find(|&at| !is_part(at) && !is_hyphen(at)).unwrap_or(bytes.len())
}

/// What a text begins with, for people, and how many bytes that is.
fn found(text: &str) -> (usize, String) {
    let name = name_length(text).min(SHOWN);
    match text.chars().next() {
        None => (0, "the end of the grammar".to_owned()),
        Some('\n' | '\r') => (0, "the end of the line".to_owned()),
        Some(_) if name > 0 => (name, format!("'{}'", &text[..name])),
        Some(c) => (c.len_utf8(), format!("'{c}'")),
    }
}

/// Cuts a text that an error shows.
pub fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_are_inside_names() {
        for (text, length) in [("a-b c", 3), ("a->b", 1), ("a-", 1), ("-a", 0), ("a--b", 1), ("_é", 1), ("", 0)] {
            assert_eq!(name_length(text), length, "{text}");
        }
    }
}
