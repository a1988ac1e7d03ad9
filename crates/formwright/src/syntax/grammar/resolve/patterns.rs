//! Parts of terminals.

use super::super::ast::{Pattern, PatternKind, RuleId, Span, Syntax, TerminalId};
use super::super::cursor::shorten;
use super::super::with_stack;
use super::super::written::{Part, PartKind, Row};
use super::{Meaning, Resolver, only, optional};
use crate::error::{Error, Result};

impl<'d, 't> Resolver<'d, 't> {
    /// Makes the patterns of all terminals with names.
    pub(super) fn named_terminals(&mut self) -> Result<()> {
        let definitions = self.definitions;
        for definition in definitions {
            let Some(Meaning::Terminal(id)) = self.meanings.get(definition.name).copied() else { continue };
            let pattern = self.choice(&definition.rows, definition.span)?;
            let attributes = self.attributes(definition)?;
            let terminal = &mut self.terminals[id as usize];
            (terminal.pattern, terminal.attributes) = (pattern, attributes);
        }
        let named = self.terminals.len();
        self.check_terminals(named)?;
        self.remember_leaves(named);
        Ok(())
    }

    /// The terminal of an ignored expression.
    pub(super) fn terminal_of(&mut self, rows: &'d [Row<'t>]) -> Result<TerminalId> {
        let span = rows.first().map_or((0, 0), |row| row.span);
        let pattern = self.choice(rows, span)?;
        Ok(self.leaf(pattern))
    }

    /// Any of some alternatives.
    pub(super) fn choice(&mut self, rows: &'d [Row<'t>], place: Span) -> Result<Pattern> {
        let mut options = Vec::with_capacity(rows.len());
        for row in rows {
            options.push(self.row_pattern(row)?);
        }
        let span = match (rows.first(), rows.last()) {
            (Some(first), Some(last)) if first.span.0 <= last.span.1 => (first.span.0, last.span.1),
            _ => place, // of extended terminals, the first alternative is written last
        };
        Ok(one_or(options, span, PatternKind::Choice))
    }

    fn row_pattern(&mut self, row: &'d Row<'t>) -> Result<Pattern> {
        self.count(1, row.span)?;
        if let Some((_, span)) = row.alias {
            return Err(self.fail(span, "a terminal has no nodes, and so no names for them"));
        }
        let mut all = Vec::with_capacity(1 + row.others.len());
        for parts in std::iter::once(&row.parts).chain(&row.others) {
            let mut sequence = Vec::with_capacity(parts.len());
            for part in parts {
                sequence.push(self.pattern(part)?);
            }
            all.push(one_or(sequence, row.span, PatternKind::Sequence));
        }
        Ok(one_or(all, row.span, PatternKind::And))
    }

    pub(super) fn pattern(&mut self, part: &'d Part<'t>) -> Result<Pattern> {
        self.count(1, part.span)?;
        let kind = match &part.kind {
            PartKind::Name(name) => PatternKind::Terminal(self.terminal_named(name, part.span)?),
            PartKind::Text { text, ignores_case } => {
                PatternKind::Text { text: text.clone(), ignores_case: *ignores_case }
            }
            PartKind::Class(ranges) => PatternKind::Class(ranges.clone()),
            PartKind::Regex { source, flags } => PatternKind::Regex(self.regex(source, flags, part.span.0 + 1)),
            PartKind::Group(rows) => return self.group_pattern(rows, part.span),
            PartKind::Optional(rows) => PatternKind::Repeat(Box::new(self.group_pattern(rows, part.span)?), 0, Some(1)),
            PartKind::Repeat(body, low, high) => PatternKind::Repeat(Box::new(self.pattern(body)?), *low, *high),
            PartKind::Not(body) => PatternKind::Not(Box::new(with_stack(|| self.pattern(body))?)),
            PartKind::Minus(both) => {
                let [first, second] = &**both;
                let (first, second) = (self.pattern(first)?, self.pattern(second)?);
                let span = second.span;
                PatternKind::And(vec![first, Pattern { kind: PatternKind::Not(Box::new(second)), span }])
            }
            PartKind::Form(name) => PatternKind::Form(name.clone()),
            PartKind::Pieces(pieces) => optional(pieces, part.span),
            PartKind::Template { .. } => return Err(self.fail_in_terminal(part.span, "a template")),
            PartKind::Json(_) => return Err(self.fail_in_terminal(part.span, "a JSON Schema")),
            PartKind::Grammar(_) => return Err(self.fail_in_terminal(part.span, "a grammar")),
            PartKind::Control(_) => return Err(self.fail_in_terminal(part.span, "a control token")),
        };
        Ok(Pattern { kind, span: part.span })
    }

    fn group_pattern(&mut self, rows: &'d [Row<'t>], span: Span) -> Result<Pattern> {
        self.enter(span)?;
        let pattern = with_stack(|| match only(rows) {
            Some(part) => self.pattern(part),
            None => self.choice(rows, span),
        })?;
        self.depth -= 1;
        Ok(pattern)
    }

    fn enter(&mut self, span: Span) -> Result<()> {
        self.depth += 1;
        let allowed = self.context.options.limits.grammar_depth;
        if self.depth <= allowed {
            return Ok(());
        }
        Err(Error::grammar_limit(self.context.text, span, "levels of groups", allowed))
    }

    fn fail_in_terminal(&self, span: Span, what: &str) -> Error {
        let error = self.fail(span, format_args!("{what} cannot be a part of a terminal"));
        error.hint("write it in a rule, whose name is in lower case and which has no attributes of terminals")
    }

    fn terminal_named(&mut self, name: &str, span: Span) -> Result<TerminalId> {
        match self.meanings.get(name).copied() {
            Some(Meaning::Terminal(terminal)) => {
                self.check_plain(terminal, span)?;
                Ok(terminal)
            }
            Some(Meaning::Rule(rule)) if self.context.syntax == Syntax::Gbnf => self.terminal_of_rule(rule, span),
            Some(Meaning::Rule(rule)) => {
                let place = self.place(self.rules[rule as usize].span);
                let what = format!("the rule '{}', defined at {place}, cannot be a part of a terminal", shorten(name));
                Err(self.fail(span, what).hint("write its name in upper case if it is a terminal"))
            }
            _ => Err(self.fail_in_terminal(span, "a parameter or a template")),
        }
    }

    /// A terminal with attributes is none of others: its end would be another.
    fn check_plain(&self, terminal: TerminalId, span: Span) -> Result<()> {
        let terminal = &self.terminals[terminal as usize];
        let definition = terminal.name.as_deref().and_then(|name| self.definition_of(name));
        if !definition.is_some_and(|definition| definition.attributes.is_of_terminal()) {
            return Ok(());
        }
        let what = format!(
            "a terminal with attributes, defined at {}, cannot be a part of another",
            self.place(terminal.span)
        );
        Err(self.fail(span, what))
    }

    fn definition_of(&self, name: &str) -> Option<&'d super::Definition<'t>> {
        let at = self.places.get(name)?;
        self.definitions.get(*at)
    }

    /// A rule of GBNF as a terminal, which it can be if it is not recursive and has no control tokens.
    fn terminal_of_rule(&mut self, rule: RuleId, span: Span) -> Result<TerminalId> {
        let (name, place) = (self.rules[rule as usize].name.clone(), self.rules[rule as usize].span);
        match self.rule_terminals.get(&rule) {
            Some(Some(terminal)) => return Ok(*terminal),
            Some(None) => {
                let what = format!("'{}', defined at {}, is inside itself", shorten(&name), self.place(place));
                let error = self.fail(span, what);
                return Err(error.hint("a rule that '-' takes from, or takes away, may not be recursive"));
            }
            None => {}
        }
        let Some(definition) = self.definition_of(&name) else { return Err(self.fail(span, "it is not defined")) };
        self.enter(span)?;
        self.rule_terminals.insert(rule, None);
        let pattern = with_stack(|| self.choice(&definition.rows, definition.span))?;
        let terminal = self.unnamed(pattern);
        self.rule_terminals.insert(rule, Some(terminal));
        self.depth -= 1;
        Ok(terminal)
    }
}

/// One pattern by itself, or several as one.
fn one_or(mut patterns: Vec<Pattern>, span: Span, several: fn(Vec<Pattern>) -> PatternKind) -> Pattern {
    match patterns.pop() {
        Some(only) if patterns.is_empty() => only,
        last => {
            patterns.extend(last);
            Pattern { kind: several(patterns), span }
        }
    }
}
