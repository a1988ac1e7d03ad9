//! Definitions, and what begins with a percent sign.

use super::super::ast::{Shape, Span};
use super::super::cursor::shorten;
use super::super::nearest;
use super::super::written::{Attributes, Definition, Row};
use super::common;
use super::{NameKind, Reader, kind_of};
use crate::error::{Error, Result, line_and_column};

/// What a definition does with one that is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Define,
    Override,
    Extend,
}

/// All statements.
const STATEMENTS: [&str; 7] =
    ["%ignore", "%import", "%override", "%extend", "%declare", "%llguidance", "%grammar_options"];

impl<'t> Reader<'t> {
    /// Reads up to the end of the text, or of the grammar inside another.
    pub(super) fn statements(&mut self) -> Result<()> {
        loop {
            self.skip_all(true);
            match self.cursor.peek() {
                None if self.grammars == 0 => return Ok(()),
                Some('}') if self.grammars > 0 => return Ok(()),
                Some('%') => self.statement()?,
                _ => self.definition(Mode::Define)?,
            }
            self.end_line()?;
        }
    }

    /// Nothing more may be on the line.
    fn end_line(&mut self) -> Result<()> {
        self.skip();
        match self.cursor.peek() {
            None | Some('\n') => Ok(()),
            Some('}') if self.grammars > 0 => Ok(()),
            _ => Err(self.cursor.expected("a part of the definition, or the end of the line")),
        }
    }

    fn statement(&mut self) -> Result<()> {
        let from = self.cursor.at;
        self.cursor.next();
        let name = self.cursor.name();
        match name {
            "ignore" => self.ignore(),
            "import" => self.import(from),
            "override" => self.definition(Mode::Override),
            "extend" => self.definition(Mode::Extend),
            "llguidance" | "grammar_options" => self.grammar_options(),
            "declare" => Err(self.cursor.refuse(
                (from, self.cursor.at),
                "%declare names terminals without texts",
                "pass a form that knows its texts in forms=, a character parser say, and write '@name' for it",
            )),
            _ => {
                let found = format!("%{name}");
                let error = self.cursor.fail((from, self.cursor.at), format_args!("unknown statement '{found}'"));
                Err(error.hint(nearest::hint(&found, STATEMENTS.into_iter(), "statements")))
            }
        }
    }

    fn ignore(&mut self) -> Result<()> {
        self.skip();
        if matches!(self.cursor.peek(), None | Some('\n')) {
            return Err(self.cursor.expected("a terminal after '%ignore'"));
        }
        let rows = self.alternatives()?;
        self.document.ignored.push(rows);
        Ok(())
    }

    /// Reads a name and what kind it is.
    fn kind(&mut self, expected: &str) -> Result<(&'t str, Span, NameKind)> {
        self.skip();
        let from = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            return Err(self.cursor.expected(expected));
        }
        let kind = self.checked_kind(name, from)?;
        Ok((name, self.cursor.span(from), kind))
    }

    /// What kind a name is that ends here.
    pub(super) fn checked_kind(&self, name: &str, from: usize) -> Result<NameKind> {
        let what = match kind_of(name) {
            Some(kind) => return Ok(kind),
            None if name.starts_with("__") => "names that begin with two underscores are reserved",
            None if name.contains(|c: char| c.is_ascii_uppercase()) => {
                "a name is a rule's in lower case, or a terminal's in upper case"
            }
            None => "a name begins with a letter",
        };
        Err(self.cursor.fail((from, self.cursor.at), format_args!("{what}, got '{}'", shorten(name))))
    }

    fn definition(&mut self, mode: Mode) -> Result<()> {
        self.skip();
        let from = self.cursor.at;
        let mut shape = self.modifiers();
        let (name, span, kind) = self.kind("a rule, a terminal or a statement").map_err(|error| self.advise(error))?;
        shape.is_spliced = kind == NameKind::Rule && name.starts_with('_');
        self.check_shape(shape, kind, (from, span.1))?;
        let parameters = self.parameters(kind)?;
        let (mut priority, mut attributes) = (None, None);
        loop {
            self.skip();
            if priority.is_none() && self.cursor.peek() == Some('.') {
                priority = Some(self.priority()?);
            } else if attributes.is_none() && self.cursor.peek() == Some('[') {
                attributes = Some(self.attributes(name)?);
            } else {
                break;
            }
        }
        self.colon(priority.is_none())?;
        let rows = self.alternatives()?;
        let (priority, attributes) = (priority.unwrap_or(0), attributes.unwrap_or_default());
        let is_terminal = kind == NameKind::Terminal;
        self.add(mode, Definition { name, span, is_terminal, parameters, shape, priority, attributes, rows })
    }

    /// What may be wrong with a line that begins no definition.
    fn advise(&self, error: Error) -> Error {
        match self.cursor.peek() {
            Some('"' | '/' | '(' | '[' | '|') => {
                error.hint("alternatives go on at the next line if it begins with '|'")
            }
            _ => error,
        }
    }

    fn modifiers(&mut self) -> Shape {
        let mut shape = Shape::default();
        loop {
            if !shape.inlines_single && self.cursor.eat("?") {
                shape.inlines_single = true;
            } else if !shape.keeps_all && self.cursor.eat("!") {
                shape.keeps_all = true;
            } else {
                return shape;
            }
        }
    }

    fn check_shape(&self, shape: Shape, kind: NameKind, span: Span) -> Result<()> {
        if kind == NameKind::Terminal && (shape.inlines_single || shape.keeps_all) {
            return Err(self.cursor.fail(span, "'?' and '!' are of rules, and this is a terminal"));
        }
        if shape.is_spliced && shape.inlines_single {
            return Err(self.cursor.fail(span, "a rule with '_' never has a node of its own, so '?' says nothing"));
        }
        Ok(())
    }

    fn parameters(&mut self, kind: NameKind) -> Result<Vec<&'t str>> {
        self.skip();
        let from = self.cursor.at;
        if !self.cursor.eat("{") {
            return Ok(Vec::new());
        }
        if kind == NameKind::Terminal {
            let instead = "write a terminal for each, or a rule as the template";
            return Err(self.cursor.refuse((from, from + 1), "templates of terminals are not supported", instead));
        }
        self.bracketed("}", |reader| {
            let mut names = Vec::new();
            loop {
                names.push(reader.parameter()?);
                reader.skip();
                if !reader.cursor.eat(",") {
                    return Ok(names);
                }
            }
        })
    }

    fn parameter(&mut self) -> Result<&'t str> {
        let (name, span, kind) = self.kind("the name of a parameter")?;
        if kind == NameKind::Rule { Ok(name) } else { Err(self.cursor.fail(span, "parameters are in lower case")) }
    }

    /// `.2`, `.-1`
    fn priority(&mut self) -> Result<i32> {
        self.cursor.next();
        self.skip();
        let from = self.cursor.at;
        let is_negative = self.cursor.eat("-");
        let _ = is_negative || self.cursor.eat("+");
        if !self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err(self.cursor.expected("a number as the priority"));
        }
        let number = self.cursor.number().and_then(|number| i32::try_from(number).ok());
        let number =
            number.ok_or_else(|| self.cursor.fail((from, self.cursor.at), "a priority is below 2147483648"))?;
        Ok(if is_negative { -number } else { number })
    }

    fn colon(&mut self, may_be_priority: bool) -> Result<()> {
        let from = self.cursor.at;
        if self.cursor.eat("::=") {
            let error = self.cursor.fail((from, self.cursor.at), "Lark writes ':' after the name, not '::='");
            return Err(error.hint("pass syntax=\"gbnf\", or \"ebnf\", for this notation"));
        }
        if self.cursor.eat("::") {
            let instead = "write a rule for each value of the parameter";
            return Err(self.cursor.refuse((from, from + 2), "parametric rules are not supported", instead));
        }
        if self.cursor.eat(":") {
            return Ok(());
        }
        Err(self.cursor.expected(if may_be_priority { "':' or a priority after the name" } else { "':'" }))
    }

    fn add(&mut self, mode: Mode, definition: Definition<'t>) -> Result<()> {
        let there = match mode {
            Mode::Define => {
                return self.document.define(self.text, definition, self.options.limits.grammar_rules);
            }
            _ => self.document.definitions.get_mut(definition.name),
        };
        let Some(there) = there else {
            let verb = if mode == Mode::Override { "overridden" } else { "extended" };
            let what = format!("'{}' is not defined before it is {verb}", definition.name);
            return Err(self.cursor.fail(definition.span, what));
        };
        if mode == Mode::Override {
            *there = definition;
            return Ok(());
        }
        if there.parameters != definition.parameters {
            let (line, column) = line_and_column(self.text, there.span.0);
            let what = format!("'{}' has other parameters at {line}:{column}", definition.name);
            return Err(self.cursor.fail(definition.span, what));
        }
        let first = std::mem::replace(&mut there.rows, definition.rows);
        there.rows.extend(first); // Lark puts new alternatives before the others
        Ok(())
    }

    /// `%import common.INT -> NUMBER`, `%import common (INT, WS)`
    fn import(&mut self, from: usize) -> Result<()> {
        self.skip();
        let is_relative = self.cursor.eat(".");
        let mut path = vec![self.import_name()?];
        while self.cursor.eat(".") {
            path.push(self.import_name()?);
        }
        self.skip();
        let several = self.cursor.eat("(");
        let modules = path.len() - usize::from(!several);
        if modules == 0 && path[0].0 == "common" && !is_relative {
            return Err(self.cursor.expected("'.' and a name, or '(' and several, after the module"));
        }
        if is_relative || modules != 1 || path[0].0 != "common" {
            let instead = "nothing is read from disk: pass the text of the other grammar in imports=, by its name";
            let span = (from, path[path.len() - 1].1.1);
            return Err(self.cursor.refuse(span, "only the module 'common' comes with the library", instead));
        }
        if several {
            return self.bracketed(")", Self::import_several);
        }
        let name = path[1];
        self.skip();
        let alias = if self.cursor.eat("->") { self.import_name()? } else { name };
        self.import_one(name, alias)
    }

    fn import_several(&mut self) -> Result<()> {
        loop {
            let name = self.import_name()?;
            self.import_one(name, name)?;
            self.skip();
            if !self.cursor.eat(",") {
                return Ok(());
            }
        }
    }

    fn import_name(&mut self) -> Result<(&'t str, Span)> {
        let (name, span, _) = self.kind("a name to import")?;
        Ok((name, span))
    }

    fn import_one(&mut self, (name, span): (&'t str, Span), (alias, place): (&'t str, Span)) -> Result<()> {
        if self.document.imported.get(alias) == Some(&name) {
            return Ok(()); // for the second time
        }
        let Some(body) = common::find(name) else {
            let error = self.cursor.fail(span, format_args!("the module 'common' has no '{name}'"));
            return Err(error.hint(nearest::hint(name, common::names(), "terminals of it")));
        };
        if kind_of(alias) != Some(NameKind::Terminal) {
            return Err(self.cursor.fail(place, format_args!("'{name}' is a terminal, whose name is in upper case")));
        }
        let rows = self.built_in(body, span)?;
        self.document.imported.insert(alias, name);
        self.add(
            Mode::Define,
            Definition {
                name: alias,
                span: place,
                is_terminal: true,
                parameters: Vec::new(),
                shape: Shape::default(),
                priority: 0,
                attributes: Attributes::default(),
                rows,
            },
        )
    }

    /// What is written in a text that comes with the library.
    pub(super) fn built_in(&self, body: &'static str, origin: Span) -> Result<Vec<Row<'t>>> {
        let cursor = super::Cursor::inside(body, origin, &self.options.limits);
        Reader::new(cursor, self.text, self.options).alternatives()
    }
}
