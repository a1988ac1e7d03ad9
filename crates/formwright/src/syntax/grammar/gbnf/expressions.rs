//! Alternatives and their parts.

use super::super::ast::Control;
use super::super::times::Times;
use super::super::with_stack;
use super::super::written::{Part, PartKind, Row};
use super::Reader;
use crate::error::{Error, Result};
use crate::regular::{Ranges, Regular};

/// What xgrammar writes like a function, beside `Token`.
const FUNCTIONS: [&str; 3] = ["TagDispatch", "TokenTagDispatch", "ExcludeToken"];

impl<'t> Reader<'t> {
    /// Up to the next rule or a closing bracket.
    pub(super) fn alternatives(&mut self) -> Result<Vec<Row<'t>>> {
        let mut rows = vec![self.row()?];
        while self.cursor.eat("|") {
            rows.push(self.row()?);
        }
        Ok(rows)
    }

    fn row(&mut self) -> Result<Row<'t>> {
        self.skip()?;
        let (from, mut parts) = (self.cursor.at, Vec::new());
        loop {
            self.skip()?;
            match self.cursor.peek() {
                None | Some('|' | ')') => break,
                _ if self.is_rule() => break,
                _ => parts.push(self.part()?),
            }
        }
        let end = parts.last().map_or(from, |part: &Part<'_>| part.span.1);
        Ok(Row { parts, others: Vec::new(), alias: None, span: (from, end) })
    }

    /// A repeated part, perhaps without the texts of another.
    fn part(&mut self) -> Result<Part<'t>> {
        let first = self.repeated()?;
        let here = self.cursor.at;
        self.skip()?;
        if !self.cursor.eat("-") {
            self.cursor.at = here;
            return Ok(first);
        }
        self.skip()?;
        let (from, second) = (first.span.0, self.repeated()?);
        let here = self.cursor.at;
        self.skip()?;
        if self.cursor.is_at("-") {
            let error = self.cursor.fail((self.cursor.at, self.cursor.at + 1), "an exception has an exception");
            return Err(error.hint("put one of them in brackets"));
        }
        self.cursor.at = here;
        Ok(Part { span: (from, second.span.1), kind: PartKind::Minus(Box::new([first, second])) })
    }

    fn repeated(&mut self) -> Result<Part<'t>> {
        let from = self.cursor.at;
        let body = self.atom()?;
        let here = self.cursor.at;
        self.skip()?;
        let Some(times) = Times::read(&mut self.cursor)? else {
            self.cursor.at = here;
            return Ok(body);
        };
        if matches!(self.cursor.peek(), Some('*' | '+' | '?' | '{')) {
            let error = self.cursor.fail((self.cursor.at, self.cursor.at + 1), "one repetition is repeated by another");
            return Err(error.hint("put the first one in brackets: (x+)?"));
        }
        Ok(Part { kind: PartKind::Repeat(Box::new(body), times.low, times.high), span: self.cursor.span(from) })
    }

    fn atom(&mut self) -> Result<Part<'t>> {
        let from = self.cursor.at;
        let kind = match self.cursor.peek() {
            Some('"') => PartKind::Text { text: self.text()?, ignores_case: false },
            Some('\'') => PartKind::Text { text: self.raw_text()?, ignores_case: false },
            Some('[') => PartKind::Class(self.class()?),
            Some('(') => self.group()?,
            Some('.') => self.any(),
            Some('#') => PartKind::Class(self.code_point_class()?),
            Some('<') => PartKind::Control(self.cursor.control_token()?),
            Some('!') if self.cursor.is_at("!<") => PartKind::Control(self.cursor.control_token()?),
            Some('*' | '+' | '?') => return Err(self.cursor.fail((from, from + 1), "there is nothing to repeat here")),
            _ => self.named()?,
        };
        Ok(Part { kind, span: self.cursor.span(from) })
    }

    fn any(&mut self) -> PartKind<'t> {
        self.cursor.next();
        match Regular::any() {
            Regular::Class(any) => PartKind::Class(any),
            _ => PartKind::Class(Ranges::from([('\0', char::MAX)].as_slice())),
        }
    }

    fn code_point_class(&mut self) -> Result<Ranges> {
        let c = self.code_point()?;
        Ok(Ranges::from([(c, c)].as_slice()))
    }

    fn group(&mut self) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        self.cursor.next();
        if self.cursor.is_at("=") {
            let instead = "leave it out: what may follow is known from the rules";
            return Err(self.cursor.refuse(
                (from, from + 2),
                "'(=' asks what follows, which is not supported",
                instead,
            ));
        }
        if self.cursor.is_at("*") {
            let instead = "comments are written after '#', or between '/*' and '*/'";
            return Err(self.cursor.refuse(
                (from, from + 2),
                "comments between '(*' and '*)' are of ISO 14977",
                instead,
            ));
        }
        self.cursor.enter()?;
        let rows = with_stack(|| self.alternatives())?;
        if !self.cursor.eat(")") {
            let what = "the bracket is never closed";
            return Err(self.cursor.fail((from, from + 1), what));
        }
        self.cursor.leave();
        Ok(PartKind::Group(rows))
    }

    fn named(&mut self) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            return Err(self.advise(self.cursor.expected("a rule, a text or a class")));
        }
        if !self.cursor.is_at("(") {
            return Ok(PartKind::Name(name));
        }
        if FUNCTIONS.contains(&name) {
            return Err(self.refuse_function(from, name));
        }
        let after = self.cursor.rest()[1..].trim_start();
        if name == "Token" && after.starts_with(|c: char| c.is_ascii_digit()) {
            return self.token().map(PartKind::Control);
        }
        Ok(PartKind::Name(name))
    }

    fn refuse_function(&self, from: usize, name: &str) -> Error {
        let instead =
            "write the rules of the texts between the tags, or pass it as a structural tag and not as a grammar";
        self.cursor.refuse((from, self.cursor.at), format_args!("'{name}' is not supported"), instead)
    }

    /// `Token(7, 9)`, after its name.
    fn token(&mut self) -> Result<Control> {
        self.cursor.next();
        let ranges = self.cursor.id_ranges()?;
        if !self.cursor.eat(")") {
            return Err(self.cursor.expected("',' or ')' after the id of a token"));
        }
        Ok(Control::Ids { ranges, negated: false })
    }
}
