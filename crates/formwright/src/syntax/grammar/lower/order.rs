//! The order in which Lark's lexer tries the terminals of one priority: of two that match the same text, it takes the first.
//!
//! The widest comes first, then the one with the longest regular expression, then the least name. The expression is the one
//! that Lark makes of what is written:
//!
//! ```text
//! DIGIT: "0".."9"        [0-9]                  5 characters
//! INT: DIGIT+            (?:[0-9])+            10
//! HEX: INT | "a."i       (?:(?:[0-9])+|(?i:a\.))
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::ast::{Grammar, Pattern, PatternKind, TerminalId};
use super::super::lark::length_in_common;
use crate::regular::Regular;

/// Where a terminal comes: how much less wide than any text, and how much shorter than any expression it is, and its name.
pub type Order = (u32, u32, Arc<str>);

/// The characters around the expression of a flag.
const FLAG: &str = "(?i:)";

/// The characters around a group.
const GROUP: &str = "(?:)";

/// The characters before which Python writes a backslash in the expression of a text.
const ESCAPED: &str = "()[]{}?*+-|^$\\.&~# \t\n\r\u{b}\u{c}";

/// What there is to know of the regular expression that Lark makes of a pattern.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expression {
    /// Its characters, without its own flags.
    length: usize,
    /// Backslashes that it gets as a part of another one.
    backslashes: usize,
    /// Its flags.
    flags: usize,
    /// Whether one of them is that by which case does not matter.
    pub ignores_case: bool,
    /// Whether it is one text, with or without regard to case.
    pub is_text: bool,
}

impl Expression {
    /// Its characters as a part of another one.
    fn length_inside(self) -> usize {
        self.length.saturating_add(self.backslashes).saturating_add(FLAG.len() * self.flags)
    }
}

/// The expressions of the terminals of a grammar.
pub struct Expressions<'g> {
    grammar: &'g Grammar,
    all: Vec<Expression>,
}

impl<'g> Expressions<'g> {
    /// Of a grammar, whose terminals are not looked at yet.
    pub fn new(grammar: &'g Grammar) -> Self {
        Self { grammar, all: vec![Expression::default(); grammar.terminals.len()] }
    }

    /// The expression of a terminal, once it is made.
    pub fn of(&self, terminal: TerminalId) -> Expression {
        self.all[terminal as usize]
    }

    /// The characters of the expression of a pattern.
    pub fn length_of(&self, pattern: &Pattern) -> usize {
        self.of_pattern(pattern).length
    }

    /// Makes that of a terminal. Those that it refers to must have been made.
    pub fn make(&mut self, terminal: TerminalId) {
        self.all[terminal as usize] = self.of_pattern(&self.grammar.terminals[terminal as usize].pattern);
    }

    fn of_pattern(&self, pattern: &Pattern) -> Expression {
        match &pattern.kind {
            PatternKind::Text { text, ignores_case } => Expression {
                length: text.chars().count(),
                backslashes: text.matches(|c| ESCAPED.contains(c)).count(),
                flags: usize::from(*ignores_case),
                ignores_case: *ignores_case,
                is_text: true,
            },
            PatternKind::Class(_) => of_length(length_of_range(self.written(pattern))),
            PatternKind::Regex(id) => {
                self.grammar.regexes.get(*id as usize).map_or_else(Expression::default, |regex| {
                    let length = length_of_regex(&regex.source);
                    let is_written = self.written(pattern).starts_with('/');
                    let length = if is_written { length } else { length_in_common(&regex.source).unwrap_or(length) };
                    let flags: BTreeSet<char> = regex.flags.chars().collect();
                    Expression { flags: flags.len(), ignores_case: flags.contains(&'i'), ..of_length(length) }
                })
            }
            PatternKind::Terminal(other) => self.of(*other),
            PatternKind::Sequence(parts) => {
                Expression { is_text: parts.is_empty(), ..of_length(self.length_of_all(parts)) }
            }
            PatternKind::Choice(options) => of_length(GROUP.len() + options.len() - 1 + self.length_of_all(options)),
            PatternKind::Repeat(body, low, high) => {
                let body = self.of_pattern(body);
                let times = times(*low, *high, self.written(pattern));
                let length = GROUP.len() + body.length_inside() + times;
                Expression { flags: body.flags, ignores_case: body.ignores_case, ..of_length(length) }
            }
            PatternKind::And(_) | PatternKind::Not(_) | PatternKind::Form(_) | PatternKind::Pieces(_) => {
                of_length(self.written(pattern).chars().count()) // Lark has none of them
            }
        }
    }

    fn length_of_all(&self, patterns: &[Pattern]) -> usize {
        patterns.iter().fold(0, |sum, pattern| self.of_pattern(pattern).length_inside().saturating_add(sum))
    }

    fn written(&self, pattern: &Pattern) -> &'g str {
        self.grammar.text.get(pattern.span.0..pattern.span.1).unwrap_or_default()
    }

    /// The places of all terminals, by what they match.
    pub fn orders<'t>(&self, trees: impl Iterator<Item = &'t Regular>) -> Vec<Order> {
        let place = |((tree, expression), name): ((&Regular, &Expression), Arc<str>)| {
            let length = u32::try_from(expression.length).unwrap_or(u32::MAX);
            (u32::MAX - longest(tree).unwrap_or(u32::MAX), u32::MAX - length, name)
        };
        trees.zip(&self.all).zip(names(self.grammar)).map(place).collect()
    }
}

fn of_length(length: usize) -> Expression {
    Expression { length, ..Expression::default() }
}

/// `[a-z]` for `"a".."z"`, with escapes as they are written; imported ones have none.
fn length_of_range(written: &str) -> usize {
    let mut is_escaped = false;
    let close = written.char_indices().skip(1).find(|&(_, c)| {
        let is_close = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_close
    });
    match close.filter(|_| written.starts_with('"')) {
        Some((at, _)) => {
            let (low, rest) = written.split_at(at + 1);
            let high = rest.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
            "[-]".len() + (low.chars().count() - 2) + high.chars().count().saturating_sub(2)
        }
        None => "[a-z]".len(),
    }
}

/// An expression in which Lark has resolved the escapes of single characters, and left the backslashes before slashes.
fn length_of_regex(source: &str) -> usize {
    let (mut length, mut rest) = (0, source.chars());
    while let Some(c) = rest.next() {
        length += match c {
            '/' => 2,
            '\\' => match rest.next() {
                Some('n' | 'f' | 't' | 'r' | '"') => 1,
                Some(hex @ ('x' | 'u' | 'U')) => {
                    let digits = if hex == 'x' {
                        2
                    } else if hex == 'u' {
                        4
                    } else {
                        8
                    };
                    rest.nth(digits - 1);
                    1
                }
                _ => 2,
            },
            _ => 1,
        };
    }
    length
}

/// The characters that say how often: `*`, or `{2,3}` for `~2..3`.
fn times(low: u32, high: Option<u32>, written: &str) -> usize {
    let count = written.rsplit_once('~').map(|(_, count)| count);
    match (low, high, count) {
        (low, Some(high), Some(count)) if low != high || count.contains("..") => format!("{{{low},{high}}}").len(),
        (0 | 1, None, _) | (0, Some(1), _) => 1,
        _ => format!("{{{low}}}").len(),
    }
}

/// The names of all terminals, those that Lark gives included; others are numbered.
fn names(grammar: &Grammar) -> impl Iterator<Item = Arc<str>> {
    let numbered = |number: usize| Arc::from(format!("__ANON_{number}"));
    grammar.terminals.iter().enumerate().map(move |(number, terminal)| {
        terminal.name.clone().or_else(|| terminal.label.clone()).unwrap_or_else(|| numbered(number))
    })
}

/// Characters of the longest text; `None` if its length is not plain to see, or unbounded.
fn longest(tree: &Regular) -> Option<u32> {
    match tree {
        Regular::Never | Regular::Empty => Some(0),
        Regular::Class(_) => Some(1),
        Regular::Concat(parts) => parts.iter().try_fold(0_u32, |sum, part| sum.checked_add(longest(part)?)),
        Regular::Or(parts) => parts.iter().try_fold(0, |most, part| Some(longest(part)?.max(most))),
        Regular::And(parts) => parts.iter().filter_map(longest).min(),
        Regular::Repeat(body, _, high) => longest(body)?.checked_mul((*high)?),
        Regular::Static(tree) => longest(tree.0),
        _ => None,
    }
}
