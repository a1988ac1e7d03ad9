//! Lazy repetitions: which terminals end as soon as they can.
//!
//! ```text
//! ".*?"             ends at the first quote
//! /\*(.|\n)*?\*/    ends at the first `*/`
//! "(\\.|.)*?"       passes over an escaped quote, which is not the first place where it could end
//! ```
//!
//! A lexer that tries alternatives in order, as Python's `re` does, takes the shortest match of an expression whose lazy
//! repetitions are of single characters, each followed by fixed ones. Of other expressions nothing is known here; their
//! lazy repetitions are taken for greedy ones.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Repetition};

use super::super::ast::{Grammar, Pattern, PatternKind, Regex, TerminalId};
use crate::syntax::pattern::class_of;

/// Pieces of a terminal beyond which it is not looked at.
const MOST_PIECES: usize = 1 << 10;

/// A part of a row.
#[derive(Clone)]
enum Piece {
    /// One of some characters.
    One(ClassUnicode),
    /// One of some characters, as often as possible.
    Greedy(ClassUnicode),
    /// Single characters, as rarely as possible.
    Lazy,
}

/// Alternatives, each a row of pieces; `None` if a terminal is made of anything else.
type Rows = Option<Vec<Vec<Piece>>>;

/// What is known of the terminals of a grammar.
pub struct Laziness<'g> {
    grammar: &'g Grammar,
    /// Whether any repetition is lazy.
    has_lazy: bool,
    /// By terminal.
    rows: Vec<Rows>,
}

impl<'g> Laziness<'g> {
    /// Of a grammar, whose terminals are not looked at yet.
    pub fn new(grammar: &'g Grammar) -> Self {
        let is_lazy = |source: &str| ["*?", "+?", "??", "}?"].iter().any(|lazy| source.contains(lazy));
        let has_lazy = grammar.regexes.iter().any(|regex| is_lazy(&regex.source));
        Self { grammar, has_lazy, rows: vec![None; grammar.terminals.len()] }
    }

    /// Whether a lexer takes the shortest match of a terminal. Those that it refers to must have been asked about.
    pub fn takes_shortest(&mut self, terminal: TerminalId) -> bool {
        if !self.has_lazy {
            return false;
        }
        let rows = self.rows_of(&self.grammar.terminals[terminal as usize].pattern);
        let is_shortest = rows.as_ref().is_some_and(|rows| end_at_once(rows));
        self.rows[terminal as usize] = rows;
        is_shortest
    }

    fn rows_of(&self, pattern: &Pattern) -> Rows {
        match &pattern.kind {
            PatternKind::Text { text, ignores_case } => row_of_text(text, *ignores_case),
            PatternKind::Class(ranges) => Some(vec![vec![Piece::One(class_of(ranges))]]),
            PatternKind::Regex(id) => rows_of_regex(self.grammar.regexes.get(*id as usize)?),
            PatternKind::Terminal(other) => self.rows[*other as usize].clone(),
            PatternKind::Choice(options) => any_of(options.iter().map(|option| self.rows_of(option))),
            PatternKind::Sequence(parts) => in_a_row(parts.iter().map(|part| self.rows_of(part))),
            _ => None,
        }
    }
}

/// Whether all alternatives have lazy repetitions, and at most one of them matches, in one way up to each end.
fn end_at_once(rows: &[Vec<Piece>]) -> bool {
    if let [only] = rows {
        return ends_at_once(only);
    }
    let mut before = ClassUnicode::empty();
    !rows.is_empty()
        && rows.iter().all(|row| match row.first() {
            Some(Piece::One(first)) if is_apart(first, &before) => {
                before.union(first);
                ends_at_once(row)
            }
            _ => false, // of alternatives that begin alike, the first one that matches is taken
        })
}

/// Whether a row has lazy repetitions, and in no other way several matches.
fn ends_at_once(row: &[Piece]) -> bool {
    let has_one_end = |at: usize| match (&row[at], row.get(at + 1)) {
        (Piece::Greedy(body), Some(Piece::One(next))) => is_apart(body, next),
        (Piece::Greedy(_), _) => false,
        _ => true,
    };
    row.iter().any(|piece| matches!(piece, Piece::Lazy)) && (0..row.len()).all(has_one_end)
}

fn is_apart(one: &ClassUnicode, other: &ClassUnicode) -> bool {
    let mut both = one.clone();
    both.intersect(other);
    both.ranges().is_empty()
}

fn rows_of_regex(regex: &Regex) -> Rows {
    let mut parser = ParserBuilder::new();
    for flag in regex.flags.chars() {
        match flag {
            'i' => parser.case_insensitive(true),
            's' => parser.dot_matches_new_line(true),
            'm' => parser.multi_line(true),
            'x' => parser.ignore_whitespace(true),
            _ => &mut parser,
        };
    }
    rows_of_hir(&parser.build().parse(&regex.source).ok()?)
}

fn rows_of_hir(hir: &Hir) -> Rows {
    match hir.kind() {
        HirKind::Empty => Some(vec![Vec::new()]),
        HirKind::Literal(literal) => row_of_text(std::str::from_utf8(&literal.0).ok()?, false),
        HirKind::Class(Class::Unicode(class)) => Some(vec![vec![Piece::One(class.clone())]]),
        HirKind::Repetition(repetition) => Some(vec![pieces_of(repetition)?]),
        HirKind::Capture(capture) => rows_of_hir(&capture.sub),
        HirKind::Concat(parts) => in_a_row(parts.iter().map(rows_of_hir)),
        HirKind::Alternation(options) => any_of(options.iter().map(rows_of_hir)),
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => None,
    }
}

/// The pieces of a repetition of single characters.
fn pieces_of(repetition: &Repetition) -> Option<Vec<Piece>> {
    let mut class = ClassUnicode::empty();
    for row in rows_of_hir(&repetition.sub)? {
        let [Piece::One(other)] = &row[..] else { return None };
        class.union(other);
    }
    match (repetition.min, repetition.max) {
        (low, Some(high)) if low == high && (low as usize) < MOST_PIECES => Some(vec![Piece::One(class); low as usize]),
        _ if repetition.greedy => Some(vec![Piece::Greedy(class)]),
        _ => Some(vec![Piece::Lazy]),
    }
}

/// Any of some patterns.
fn any_of(all: impl Iterator<Item = Rows>) -> Rows {
    let mut rows = Vec::new();
    for other in all {
        rows.append(&mut other?);
    }
    (rows.iter().map(Vec::len).sum::<usize>() <= MOST_PIECES).then_some(rows)
}

/// Some patterns one after the other. Of several with alternatives, nothing is known.
fn in_a_row(all: impl Iterator<Item = Rows>) -> Rows {
    let mut rows = vec![Vec::new()];
    for other in all {
        match (&mut rows[..], &mut other?[..]) {
            ([row], [next]) if row.len() + next.len() <= MOST_PIECES => row.append(next),
            ([row], others) if row.is_empty() => rows = others.to_vec(),
            _ => return None,
        }
    }
    Some(rows)
}

fn row_of_text(text: &str, ignores_case: bool) -> Rows {
    let one = |c: char| {
        let mut class = class_of(&[(c, c)]);
        if ignores_case {
            class.case_fold_simple();
        }
        Piece::One(class)
    };
    (text.len() <= MOST_PIECES).then(|| vec![text.chars().map(one).collect()])
}
