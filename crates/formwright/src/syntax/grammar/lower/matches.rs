//! Which of its texts a terminal matches in a longer one.
//!
//! ```text
//! ".*?"             ends at the first quote
//! "(\\\\.|.)*?"       the same, but an escaped quote is passed over if there is another one
//! /a|ab/            is `a`: its alternatives are tried as they are written
//! A: "a" | "ab"     is `ab` where that comes: Lark puts the widest alternative first
//! ```
//!
//! A terminal is one expression, as Lark makes it: those of the terminals that it refers to are parts of it. Most have no
//! lazy repetition, no alternatives and no assertion, and are sets of texts of which the longest is taken.

use std::cmp::Reverse;

use super::super::ast::{Grammar, Item, ItemKind, Pattern, PatternKind, Span, Terminal, TerminalId};
use super::order::Expressions;
use super::terminals::case_folded;
use super::{Given, Lexing};
use crate::error::{Error, Result};
use crate::regular::{FirstMatches, MOST_STEPS, NoMatches, Ordered, first_matches};
use crate::syntax::lexeme::ordered;
use crate::syntax::pattern::is_plain;

/// A pattern whose ways are tried in order.
#[derive(Clone)]
struct Part {
    expression: Ordered,
    size: usize,
    is_lazy: bool,
    has_assertions: bool,
    /// Whether it has alternatives that are not plain texts.
    has_choice: bool,
}

impl Part {
    /// Whether its matches are other than its longest texts.
    fn asks(&self) -> bool {
        self.is_lazy || self.has_assertions
    }
}

/// What is known of a terminal.
#[derive(Clone, Default)]
struct Known {
    /// `None` for operations that no lexer has, and where it would be too large.
    part: Option<Part>,
    has_assertions: bool,
}

/// What the terminals of a grammar match.
pub struct Matches<'g> {
    grammar: &'g Grammar,
    given: &'g Given<'g>,
    lexing: Lexing,
    known: Vec<Known>,
    /// By terminal: whether a rule reads it, or it is ignored.
    is_used: Vec<bool>,
}

impl<'g> Matches<'g> {
    /// Those of a grammar, whose terminals are not looked at yet.
    pub fn new(grammar: &'g Grammar, given: &'g Given<'g>, lexing: Lexing) -> Self {
        let mut is_used = vec![false; grammar.terminals.len()];
        grammar.ignored.iter().for_each(|&id| is_used[id as usize] = true);
        let mut open: Vec<&Item> =
            grammar.rules.iter().flat_map(|rule| &rule.alternatives).flat_map(|way| &way.items).collect();
        while let Some(item) = open.pop() {
            match &item.kind {
                ItemKind::Terminal(id) | ItemKind::Text(id) => is_used[*id as usize] = true,
                ItemKind::Group(ways) | ItemKind::Optional(ways) => open.extend(ways.iter().flat_map(|way| &way.items)),
                ItemKind::Repeat(item, ..) => open.push(item),
                _ => {}
            }
        }
        Self { grammar, given, lexing, known: vec![Known::default(); grammar.terminals.len()], is_used }
    }

    /// The matches of a terminal, if they are other than the longest of its texts. Those that it refers to must have been
    /// asked about.
    ///
    /// # Errors
    /// [`crate::Kind::Unsupported`] where it asks what cannot be known; [`crate::Kind::Limit`] when it is too large.
    pub fn find(&mut self, id: TerminalId, expressions: &Expressions<'_>) -> Result<Option<FirstMatches>> {
        let terminal = &self.grammar.terminals[id as usize];
        let has_assertions = self.has_assertions(&terminal.pattern);
        let part = self.part(&terminal.pattern, expressions)?;
        self.known[id as usize] = Known { part: part.clone(), has_assertions };
        if !self.is_used[id as usize] {
            return Ok(None); // no lexer looks for it
        }
        if has_assertions {
            self.check_assertions(terminal, part.as_ref())?;
        }
        let attributes = &terminal.attributes;
        let Some(part) = part.filter(|part| part.asks() || part.has_choice) else { return Ok(None) };
        if self.lexing == Lexing::Any || attributes.is_lazy || attributes.suffix.is_some() {
            return Ok(None); // a set of texts, or the shortest of them
        }
        match first_matches(&part.expression) {
            Ok(found) if found.followed.is_some() && attributes.max_tokens.is_some() => Err(self.refuse(
                terminal.pattern.span,
                "a terminal with attributes cannot depend on what follows it",
                "leave one of them out",
            )),
            Ok(found) if !part.is_lazy => {
                Ok((part.asks() || found.is_ordered).then_some(FirstMatches { open: None, ..found }))
            }
            Ok(found) => Ok(Some(found)),
            Err(NoMatches::TooLarge) if !part.asks() => Ok(None),
            Err(NoMatches::TooLarge) => {
                let error =
                    Error::limit("steps of a terminal whose ways are tried in order", MOST_STEPS + 1, MOST_STEPS);
                Err(error.hint("make rules of its parts"))
            }
            Err(NoMatches::LooksBefore) => Err(self.refuse(
                terminal.pattern.span,
                "what is before a terminal cannot be asked: '^', '\\b' and look-behind before its first character",
                "leave it out, or write in a rule what may come before the terminal",
            )),
        }
    }

    /// Refuses assertions that are not asked as the terminal is read.
    fn check_assertions(&self, terminal: &Terminal, part: Option<&Part>) -> Result<()> {
        let span = terminal.pattern.span;
        if self.lexing == Lexing::Any {
            let what = "only a lexer asks what is around a text: ^, $, \\b, look-ahead and look-behind";
            return Err(self.refuse(span, what, "leave it out, or use lexing=\"longest\""));
        }
        if part.is_none() {
            let what = "'&' and '~' of expressions that ask what is around a text are not supported";
            return Err(self.refuse(span, what, "write it as one regular expression"));
        }
        if terminal.attributes.is_lazy || terminal.attributes.suffix.is_some() {
            let what = "a terminal with attributes cannot depend on what follows it";
            return Err(self.refuse(span, what, "leave one of them out"));
        }
        Ok(())
    }

    fn refuse(&self, span: Span, what: &str, instead: &str) -> Error {
        Error::unsupported_construct(&self.grammar.text, span, what, instead)
    }

    fn has_assertions(&self, pattern: &Pattern) -> bool {
        match &pattern.kind {
            PatternKind::Regex(id) => !is_plain(&self.given.regexes[*id as usize]),
            PatternKind::Terminal(id) => self.known[*id as usize].has_assertions,
            PatternKind::Sequence(all) | PatternKind::Choice(all) | PatternKind::And(all) => {
                all.iter().any(|part| self.has_assertions(part))
            }
            PatternKind::Not(body) | PatternKind::Repeat(body, ..) => self.has_assertions(body),
            _ => false,
        }
    }

    /// A pattern as the ways that are tried. Patterns nest as deep as the reader allows.
    fn part(&self, pattern: &Pattern, expressions: &Expressions<'_>) -> Result<Option<Part>> {
        let found = match &pattern.kind {
            PatternKind::Text { text, ignores_case } => Some(of_text(text, *ignores_case)),
            PatternKind::Class(ranges) => Some(plain(Ordered::Class(ranges.clone()), 1)),
            PatternKind::Regex(id) => {
                let expression = ordered(&self.given.regexes[*id as usize]);
                let instead = "write the expression with fewer assertions";
                let expression = expression.map_err(|what| self.refuse(pattern.span, what, instead))?;
                Some(of_expression(expression))
            }
            PatternKind::Terminal(id) => self.known[*id as usize].part.clone(),
            PatternKind::Sequence(parts) => self.all(parts, expressions)?.map(|parts| join(parts, Ordered::Concat)),
            PatternKind::Choice(options) => self.all(options, expressions)?.map(|parts| {
                let mut in_order: Vec<(&Pattern, Part)> = options.iter().zip(parts).collect();
                in_order.sort_by_key(|(pattern, part)| {
                    let (least, most) = widths(&part.expression);
                    (Reverse(most), Reverse(least), Reverse(expressions.length_of(pattern)))
                });
                let is_text = |pattern: &Pattern| matches!(pattern.kind, PatternKind::Text { .. });
                let has_choice = !options.iter().all(is_text);
                let parts: Vec<Part> = in_order.into_iter().map(|(_, part)| part).collect();
                Part { has_choice, ..join(parts, Ordered::Or) }
            }),
            PatternKind::Repeat(body, low, high) => self.part(body, expressions)?.map(|part| Part {
                expression: Ordered::Repeat { body: Box::new(part.expression), low: *low, high: *high, is_lazy: false },
                size: part.size + 1,
                ..part
            }),
            PatternKind::And(_) | PatternKind::Not(_) | PatternKind::Form(_) | PatternKind::Pieces(_) => None,
        };
        Ok(found.filter(|part| part.size <= MOST_STEPS))
    }

    fn all(&self, all: &[Pattern], expressions: &Expressions<'_>) -> Result<Option<Vec<Part>>> {
        all.iter().map(|pattern| self.part(pattern, expressions)).collect()
    }
}

fn plain(expression: Ordered, size: usize) -> Part {
    Part { expression, size, is_lazy: false, has_assertions: false, has_choice: false }
}

fn of_text(text: &str, ignores_case: bool) -> Part {
    let class = |c: char| Ordered::Class(if ignores_case { case_folded(c) } else { [(c, c)].as_slice().into() });
    plain(Ordered::Concat(text.chars().map(class).collect()), text.len())
}

fn join(parts: Vec<Part>, by: impl Fn(Vec<Ordered>) -> Ordered) -> Part {
    let size = parts.iter().map(|part| part.size).sum::<usize>() + 1;
    Part {
        is_lazy: parts.iter().any(|part| part.is_lazy),
        has_assertions: parts.iter().any(|part| part.has_assertions),
        has_choice: parts.iter().any(|part| part.has_choice),
        expression: by(parts.into_iter().map(|part| part.expression).collect()),
        size,
    }
}

fn of_expression(expression: Ordered) -> Part {
    let (mut size, mut is_lazy, mut has_assertions, mut has_choice) = (0, false, false, false);
    let mut open = vec![&expression];
    while let Some(part) = open.pop() {
        size += 1;
        match part {
            Ordered::Concat(parts) => open.extend(parts),
            Ordered::Or(options) => {
                has_choice = true;
                open.extend(options);
            }
            Ordered::Repeat { body, is_lazy: own, .. } => {
                is_lazy |= own;
                open.push(body);
            }
            Ordered::Before(_) | Ordered::Ahead(_) => has_assertions = true,
            Ordered::Empty | Ordered::Class(_) => {}
        }
    }
    Part { expression, size, is_lazy, has_assertions, has_choice }
}

/// Characters of the shortest text and of the longest, as Python counts them.
fn widths(expression: &Ordered) -> (u32, u32) {
    let sum = |(low, high): (u32, u32), (more, most): (u32, u32)| (low.saturating_add(more), high.saturating_add(most));
    match expression {
        Ordered::Empty | Ordered::Before(_) | Ordered::Ahead(_) => (0, 0),
        Ordered::Class(_) => (1, 1),
        Ordered::Concat(parts) => parts.iter().map(widths).fold((0, 0), sum),
        Ordered::Or(options) => {
            let all = options.iter().map(widths);
            all.reduce(|(low, high), (least, most)| (low.min(least), high.max(most))).unwrap_or((0, 0))
        }
        Ordered::Repeat { body, low, high, .. } => {
            let (least, most) = widths(body);
            (least.saturating_mul(*low), most.saturating_mul(high.unwrap_or(u32::MAX)))
        }
    }
}
