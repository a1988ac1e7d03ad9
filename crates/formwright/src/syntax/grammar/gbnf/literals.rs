//! Texts and classes.

use std::sync::Arc;

use super::super::super::pattern::{class_of, complement, ranges_of};
use super::super::ast::Span;
use super::super::escapes::{OF_GBNF, escape, quoted};
use super::Reader;
use super::numbers::number_length;
use crate::error::Result;
use crate::regular::Ranges;

const DIGIT: &[(char, char)] = &[('0', '9')];
const SPACE: &[(char, char)] = &[('\t', '\r'), (' ', ' ')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// A member of a class.
enum Member {
    One(char),
    Several(Ranges),
}

impl Reader<'_> {
    /// A text in double quotes.
    pub(super) fn text(&mut self) -> Result<Arc<str>> {
        quoted(&mut self.cursor, OF_GBNF)
    }

    /// A text in single quotes, in which a backslash is itself.
    pub(super) fn raw_text(&mut self) -> Result<Arc<str>> {
        let from = self.cursor.at;
        self.cursor.next();
        let text = self.cursor.take_while(|c| !matches!(c, '\'' | '\n'));
        if !self.cursor.eat("'") {
            return Err(self.cursor.fail((from, self.cursor.at), "the text has no closing quote on its line"));
        }
        if text.contains('\\') {
            let what = "a backslash in single quotes is itself; escapes are read in double quotes";
            self.document.lints.add((from, self.cursor.at), what);
        }
        Ok(text.into())
    }

    /// `#x41`
    pub(super) fn code_point(&mut self) -> Result<char> {
        let from = self.cursor.at;
        self.cursor.at += "#x".len();
        let digits = self.cursor.take_while(|c| c.is_ascii_hexdigit());
        self.cursor.character(digits, from)
    }

    /// `[a-z_]`, `[^"\\]`
    pub(super) fn class(&mut self) -> Result<Ranges> {
        let from = self.cursor.at;
        self.cursor.next();
        let is_negated = self.cursor.eat("^");
        let mut ranges = Vec::new();
        while !self.cursor.eat("]") {
            self.member_or_range(from, &mut ranges)?;
        }
        if ranges.is_empty() {
            let error = self.cursor.fail((from, self.cursor.at), "the class has no characters");
            return Err(error.hint("'.' is any character; a bracket in a class is written '\\['"));
        }
        let class = ranges_of(&class_of(&ranges));
        let class = if is_negated { complement(&class) } else { class };
        if class.is_empty() {
            return Err(self.cursor.fail((from, self.cursor.at), "the class leaves no character"));
        }
        Ok(class)
    }

    fn member_or_range(&mut self, from: usize, ranges: &mut Vec<(char, char)>) -> Result<()> {
        let here = self.cursor.at;
        let low = match self.member(from)? {
            Member::Several(several) => {
                ranges.extend(several.iter());
                return Ok(());
            }
            Member::One(low) => low,
        };
        if !self.cursor.is_at("-") || self.cursor.is_at("-]") {
            ranges.push((low, low));
            return Ok(());
        }
        self.cursor.next();
        match self.member(from)? {
            Member::One(high) if low <= high => ranges.push((low, high)),
            _ => {
                let what = "a range is from one character to another that is not lower";
                return Err(self.cursor.fail((here, self.cursor.at), what));
            }
        }
        Ok(())
    }

    fn member(&mut self, from: usize) -> Result<Member> {
        let here = self.cursor.at;
        if let Some(length) = number_length(self.cursor.rest()) {
            self.remark_number((here, here + length));
            if self.has_numbers {
                return self.code_point().map(Member::One);
            }
        }
        match self.cursor.next() {
            None | Some('\n') => Err(self.cursor.fail((from, here), "the class has no closing bracket on its line")),
            Some('\\') => self.escaped(here),
            Some(c) => Ok(Member::One(c)),
        }
    }

    /// Remarks on the first number in a class, which other programs read otherwise.
    fn remark_number(&mut self, span: Span) {
        if std::mem::replace(&mut self.is_number_known, true) {
            return;
        }
        let digits = &self.cursor.text[span.0 + "#x".len()..span.1];
        let number = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
        let what = if self.has_numbers {
            format!("in a class, '#x' and a number is a character, here U+{number:04X}, as for the W3C")
        } else {
            let escape = if number <= 0xFF { format!("\\x{number:02X}") } else { format!("\\U{number:08X}") };
            let instead = format!("if U+{number:04X} is meant, as for the W3C, write '{escape}'");
            format!("in a class, '#x' and a number is its characters, as for llama.cpp; {instead}")
        };
        self.document.lints.add(span, what);
    }

    fn escaped(&mut self, from: usize) -> Result<Member> {
        let listed = |ranges: &[(char, char)]| Ranges::from(ranges);
        let class = match self.cursor.peek() {
            Some('d' | 'D') => listed(DIGIT),
            Some('w' | 'W') => listed(WORD),
            Some('s' | 'S') => listed(SPACE),
            _ => return escape(&mut self.cursor, from, OF_GBNF, true).map(Member::One),
        };
        let is_negated = self.cursor.next().is_some_and(char::is_uppercase);
        Ok(Member::Several(if is_negated { complement(&class) } else { class }))
    }
}
