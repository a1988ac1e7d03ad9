//! Texts, ranges of characters and regular expressions.

use std::sync::Arc;

use super::super::escapes::{OF_LARK, quoted};
use super::super::written::PartKind;
use super::Reader;
use crate::error::Result;
use crate::regular::Ranges;

/// Flags of regular expressions; `l` is one too, and is refused.
const FLAGS: &str = "imsux";

impl<'t> Reader<'t> {
    /// `"if"`, `"if"i` and `"a".."z"`
    pub(super) fn text_or_range(&mut self) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        let text = self.text()?;
        let ignores_case = self.cursor.eat("i");
        let here = self.cursor.at;
        self.skip();
        if self.cursor.eat("..") {
            return self.range(from, &text, ignores_case);
        }
        self.cursor.at = here;
        Ok(PartKind::Text { text, ignores_case })
    }

    fn range(&mut self, from: usize, first: &str, ignores_case: bool) -> Result<PartKind<'t>> {
        self.skip();
        if self.cursor.peek() != Some('"') {
            return Err(self.cursor.expected("a text of one character after '..'"));
        }
        let last = self.text()?;
        let has_flags = ignores_case | self.cursor.eat("i");
        let what = match [first, &*last].map(only) {
            _ if has_flags => "a range has no flags",
            [Some(low), Some(high)] if low <= high => {
                return Ok(PartKind::Class(Ranges::from([(low, high)].as_slice())));
            }
            [Some(_), Some(_)] => "the first character of a range is the lower one",
            _ => "a range is from one character to another",
        };
        Err(self.cursor.fail((from, self.cursor.at), what))
    }

    /// A text in double quotes.
    pub(super) fn text(&mut self) -> Result<Arc<str>> {
        quoted(&mut self.cursor, OF_LARK)
    }

    /// `/a+/i`
    pub(super) fn regex(&mut self) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        self.cursor.next();
        let start = self.cursor.at;
        self.skip_source(from)?;
        let source = &self.cursor.text[start..self.cursor.at - 1];
        let flags = self.flags()?;
        if source.contains('\n') && !flags.contains('x') {
            let error = self.cursor.fail((from, self.cursor.at), "the regular expression does not end on its line");
            return Err(error.hint("close it with '/', or give it the flag x, with which it may have several lines"));
        }
        Ok(PartKind::Regex { source: source.into(), flags })
    }

    /// Goes on after the closing slash; an inner one has a backslash before it.
    fn skip_source(&mut self, from: usize) -> Result<()> {
        loop {
            self.cursor.take_while(|c| !matches!(c, '/' | '\\'));
            match self.cursor.next() {
                Some('/') => return Ok(()),
                Some(_) if self.cursor.next().is_some() => {}
                _ => {
                    let end = from + self.cursor.text[from..].find('\n').unwrap_or(self.cursor.text.len() - from);
                    return Err(self.cursor.fail((from, end), "the regular expression has no closing slash"));
                }
            }
        }
    }

    fn flags(&mut self) -> Result<&'t str> {
        let from = self.cursor.at;
        let letters = self.cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let Some(at) = letters.find(|c| !FLAGS.contains(c)) else { return Ok(letters) };
        let span = (from + at, from + at + 1);
        if letters[at..].starts_with('l') {
            let instead = "leave it out: classes are those of Unicode, or with (?a) those of ASCII";
            return Err(self.cursor.refuse(span, "the flag l depends on the locale of a process", instead));
        }
        let what = format!("unknown flag '{}' of a regular expression: there are i, m, s, u and x", &letters[at..=at]);
        Err(self.cursor.fail(span, what))
    }
}

/// The character of a text of one.
fn only(text: &str) -> Option<char> {
    text.chars().next().filter(|c| c.len_utf8() == text.len())
}
