//! Alternatives and their parts.

use super::super::cursor::shorten;
use super::super::times::Times;
use super::super::with_stack;
use super::super::written::{Part, PartKind, Row};
use super::{NameKind, Reader, common, kind_of};
use crate::error::{Error, Result, line_and_column};

impl<'t> Reader<'t> {
    /// `a b | c -> d`, up to the end of the line or to a closing bracket.
    pub(super) fn alternatives(&mut self) -> Result<Vec<Row<'t>>> {
        let mut rows = vec![self.row()?];
        while self.next_alternative() {
            rows.push(self.row()?);
        }
        Ok(rows)
    }

    /// Goes on after a `|`, which may begin the next line.
    fn next_alternative(&mut self) -> bool {
        self.skip();
        let here = self.cursor.at;
        if self.cursor.peek() == Some('\n') {
            self.skip_all(true);
        }
        let found = self.cursor.eat("|");
        if !found {
            self.cursor.at = here;
        }
        found
    }

    fn row(&mut self) -> Result<Row<'t>> {
        self.skip();
        let (from, parts, mut others) = (self.cursor.at, self.sequence()?, Vec::new());
        while self.cursor.eat("&") {
            others.push(self.sequence()?);
        }
        let end = others.last().unwrap_or(&parts).last().map_or(from, |part| part.span.1);
        let mut row = Row { parts, others, alias: None, span: self.cursor.span_to(from, end) };
        if self.cursor.eat("->") {
            row.alias = Some(self.alias()?);
            row.span = self.cursor.span(from);
        }
        Ok(row)
    }

    fn alias(&mut self) -> Result<(&'t str, super::super::ast::Span)> {
        self.skip();
        let from = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            return Err(self.cursor.expected("the name of a node after '->'"));
        }
        if kind_of(name) != Some(NameKind::Rule) {
            let what = format!("the name of a node is in lower case, got '{}'", shorten(name));
            return Err(self.cursor.fail((from, self.cursor.at), what));
        }
        if !self.brackets.is_empty() {
            let error =
                self.cursor.fail((from, self.cursor.at), "only an alternative of a rule has a name, none in brackets");
            return Err(error.hint("make a rule of what is in the brackets"));
        }
        Ok((name, self.cursor.span(from)))
    }

    fn sequence(&mut self) -> Result<Vec<Part<'t>>> {
        let mut parts = Vec::new();
        loop {
            self.skip();
            match self.cursor.peek() {
                None | Some('\n' | '|' | ')' | ']' | '}' | '&') => return Ok(parts),
                Some('-') if self.cursor.is_at("->") => return Ok(parts),
                _ => parts.push(self.part()?),
            }
        }
    }

    /// A part with what is written after it.
    fn part(&mut self) -> Result<Part<'t>> {
        let from = self.cursor.at;
        let body = self.atom()?;
        let Some(times) = self.times()? else { return Ok(body) };
        let end = self.cursor.at;
        if let Some(second) = self.times()? {
            let _ = second;
            let error = self.cursor.fail((end, self.cursor.at), "one repetition is repeated by another");
            return Err(error.hint("put the first one in brackets: (x+)?"));
        }
        Ok(Part { kind: PartKind::Repeat(Box::new(body), times.low, times.high), span: self.cursor.span_to(from, end) })
    }

    /// `*`, `~2..3`, `{2,}`
    fn times(&mut self) -> Result<Option<Times>> {
        let here = self.cursor.at;
        self.skip();
        let times = match self.cursor.peek() {
            Some('~') => self.tilde()?,
            _ => Times::read(&mut self.cursor)?,
        };
        if times.is_none() {
            self.cursor.at = here;
        }
        Ok(times)
    }

    /// `~2` and `~2..3`; a `~` before anything else negates what follows.
    fn tilde(&mut self) -> Result<Option<Times>> {
        self.cursor.next();
        self.skip();
        let from = self.cursor.at;
        if self.cursor.is_at("-") {
            return Err(self.cursor.expected("a count that is not negative"));
        }
        if !self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(None);
        }
        let low = Times::count(&mut self.cursor)?;
        let here = self.cursor.at;
        self.skip();
        if !self.cursor.eat("..") {
            self.cursor.at = here;
            return Ok(Some(Times { low, high: Some(low) }));
        }
        self.skip();
        let high = Times::count(&mut self.cursor)?;
        Times::checked(&self.cursor, from, low, Some(high)).map(Some)
    }

    fn atom(&mut self) -> Result<Part<'t>> {
        let from = self.cursor.at;
        let kind = match self.cursor.peek() {
            Some('(') => PartKind::Group(self.group(")")?),
            Some('[') => PartKind::Optional(self.group("]")?),
            Some('"') => self.text_or_range()?,
            Some('/') => self.regex()?,
            Some('~') => self.negation()?,
            Some('%') => self.inlay()?,
            Some('@') => self.form()?,
            Some('<') => PartKind::Control(self.cursor.control_token()?),
            Some('!') if self.cursor.is_at("!<") => PartKind::Control(self.cursor.control_token()?),
            Some('*' | '+' | '?') => return Err(self.cursor.fail((from, from + 1), "there is nothing to repeat here")),
            _ => self.named()?,
        };
        Ok(Part { kind, span: self.cursor.span(from) })
    }

    fn group(&mut self, close: &str) -> Result<Vec<Row<'t>>> {
        self.cursor.next();
        self.bracketed(close, Self::alternatives)
    }

    fn negation(&mut self) -> Result<PartKind<'t>> {
        self.cursor.next();
        self.skip();
        self.cursor.enter()?;
        let body = with_stack(|| self.atom())?;
        self.cursor.leave();
        Ok(PartKind::Not(Box::new(body)))
    }

    fn named(&mut self) -> Result<PartKind<'t>> {
        let from = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            let error = self.cursor.expected("a rule, a terminal, a text or a regular expression");
            return Err(self.advise_inside(error));
        }
        self.checked_kind(name, from)?;
        if self.cursor.is_inside() {
            return Ok(PartKind::Group(self.built_in(common::find(name).unwrap_or_default(), self.cursor.span(from))?));
        }
        if self.cursor.is_at("::") {
            return self.colon_of_parameter();
        }
        Ok(match self.arguments()? {
            Some(arguments) => PartKind::Template { name, arguments },
            None => PartKind::Name(name),
        })
    }

    /// What may be wrong where no part begins: a bracket that was never closed makes one definition of several.
    fn advise_inside(&self, error: Error) -> Error {
        match self.brackets.last() {
            _ if self.cursor.is_at("'") => error.hint("Lark writes texts in double quotes"),
            Some(&at) => {
                let (line, column) = line_and_column(self.cursor.text, at);
                error.hint(format!("a bracket is open since {line}:{column}"))
            }
            None if self.cursor.is_at(":") => error.hint("a definition begins on a line of its own"),
            None => error,
        }
    }

    fn colon_of_parameter(&self) -> Result<PartKind<'t>> {
        let here = self.cursor.at;
        let instead = "write a rule for each value of the parameter";
        Err(self.cursor.refuse((here, here + 2), "parametric rules are not supported", instead))
    }

    /// `{a, "b"}` after the name of a template, but not a count.
    fn arguments(&mut self) -> Result<Option<Vec<Part<'t>>>> {
        let here = self.cursor.at;
        self.skip();
        let inside = self.cursor.rest().strip_prefix('{').map(str::trim_start);
        if inside.is_none_or(|inside| inside.starts_with(|c: char| c.is_ascii_digit() || c == ',')) {
            self.cursor.at = here;
            return Ok(None);
        }
        self.cursor.next();
        self.bracketed("}", |reader| {
            let mut arguments = Vec::new();
            loop {
                reader.skip();
                arguments.push(reader.atom()?);
                reader.skip();
                if !reader.cursor.eat(",") {
                    return Ok(arguments);
                }
            }
        })
        .map(Some)
    }
}
