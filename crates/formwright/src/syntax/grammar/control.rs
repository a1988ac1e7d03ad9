//! Control tokens: `<|end|>`, `<[7,9-12]>`, `<[^7]>`, `<[*]>`, `!<|end|>`.

use super::ast::{Control, EVERY_ID};
use super::cursor::Cursor;
use crate::error::Result;

impl Cursor<'_> {
    /// Reads a control token, after `!` perhaps.
    pub fn control_token(&mut self) -> Result<Control> {
        let from = self.at;
        let is_other = self.eat("!");
        if !self.is_at("<[") {
            let name = self.angled(from)?.into();
            return Ok(if is_other { Control::NotName(name) } else { Control::Name(name) });
        }
        self.at += "<[".len();
        let negated = self.eat("^") != is_other;
        let ranges = if self.eat("*") { vec![EVERY_ID] } else { self.id_ranges()? };
        if !self.eat("]>") {
            return Err(self.expected("',' or ']>' after the id of a token"));
        }
        Ok(Control::Ids { ranges, negated })
    }

    /// A name in angle brackets, with them.
    fn angled(&mut self, from: usize) -> Result<&str> {
        let start = self.at;
        self.eat("<");
        let name = self.take_while(|c| !matches!(c, '<' | '>') && !c.is_whitespace());
        if name.is_empty() || !self.eat(">") {
            let error = self.fail((from, self.at), "a control token is a name in angle brackets: <|end|>");
            return Err(error.hint("write a text in quotes: \"<\""));
        }
        Ok(&self.text[start..self.at])
    }

    /// `7,9-12`
    pub fn id_ranges(&mut self) -> Result<Vec<(u32, u32)>> {
        let mut ranges = Vec::new();
        loop {
            self.take_while(|c| c == ' ');
            let from = self.at;
            let low = self.id()?;
            let high = if self.eat("-") { self.id()? } else { low };
            if high < low {
                return Err(self.fail((from, self.at), "the first id of a range is the lower one"));
            }
            ranges.push((low, high));
            self.take_while(|c| c == ' ');
            if !self.eat(",") {
                return Ok(ranges);
            }
        }
    }

    fn id(&mut self) -> Result<u32> {
        let from = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err(self.expected("the id of a token"));
        }
        self.number().ok_or_else(|| self.fail((from, self.at), "the id of a token is below 4294967296"))
    }
}
