//! The terminals of a grammar as regular languages.

use regex_syntax::hir::ClassUnicode;

use super::super::ast::{Grammar, Pattern, PatternKind, Terminal, TerminalId};
use super::matches::Matches;
use super::order::{Expressions, Order};
use super::{Given, Lexing};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::{FirstMatches, Ranges, Regular};
use crate::syntax::lexeme::without_empty;
use crate::syntax::pattern::{class_of, nullable, plain, ranges_of};

/// What a lexer knows of a terminal.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is asked by itself
pub struct TerminalInfo {
    /// Its texts; if it depends on what follows, each with a mark and what follows it.
    pub tree: Regular,
    /// Whether it depends on what follows.
    pub is_followed: bool,
    /// Texts of it that are left out, though a lexer takes them: those that end only if no end comes after any number of
    /// other characters, as `"\\"` of `/"(\\\\.|.)*?"/`.
    pub left_out: Option<Regular>,
    /// Whether the empty text is one of them.
    pub is_nullable: bool,
    /// Whether it is one text, with or without regard to case.
    pub is_text: bool,
    /// Of one text without regard to case: as it is written.
    pub written: Option<Box<str>>,
    /// Whether it has the flag by which case does not matter.
    pub ignores_case: bool,
    /// Whether it may come between others.
    pub is_ignored: bool,
    /// What decides before the length of a match.
    pub rank: Rank,
    /// Where a text is in several terminals of one priority, the least is taken.
    pub order: Order,
}

/// Of terminals of different ranks that may come in one place, the highest is taken once it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// The priority that is said.
    pub priority: i32,
    /// Whether it ends as soon as it can, whatever else could go on: it is lazy, or has a suffix.
    pub is_lazy: bool,
}

impl TerminalInfo {
    /// Leaves the empty text out, if it is one of the texts: a lexer finds no empty lexeme, so the
    /// terminal may be left out instead. Whether it was one.
    pub fn leave_empty_out(&mut self) -> bool {
        let was_nullable = std::mem::take(&mut self.is_nullable);
        if was_nullable {
            let tree = std::mem::replace(&mut self.tree, Regular::Never);
            self.tree = Regular::and([tree, Regular::any().repeat(1, None)]);
        }
        was_nullable
    }
}

/// What there is to know of all terminals.
///
/// # Errors
/// [`crate::Kind::Limit`] when one of them is too large.
pub fn terminals(grammar: &Grammar, lexing: Lexing, given: &Given, limits: &Limits) -> Result<Vec<TerminalInfo>> {
    let (mut matches, mut expressions) = (Matches::new(grammar, given, lexing), Expressions::new(grammar));
    let mut trees: Vec<Option<(Regular, usize)>> = vec![None; grammar.terminals.len()];
    let mut found: Vec<Option<FirstMatches>> = vec![None; grammar.terminals.len()];
    for terminal in 0..grammar.terminals.len() as TerminalId {
        let mut open = vec![terminal];
        while let Some(&next) = open.last() {
            let own = &grammar.terminals[next as usize];
            let missing = references(&own.pattern).into_iter().find(|&other| trees[other as usize].is_none());
            if let Some(other) = missing.filter(|_| trees[next as usize].is_none()) {
                open.push(other);
                continue;
            }
            open.pop();
            if trees[next as usize].is_none() {
                expressions.make(next);
                trees[next as usize] = Some(Builder { trees: &trees, given, limits }.attributed(own)?);
                found[next as usize] = matches.find(next, &expressions)?;
            }
        }
    }
    let trees: Vec<Regular> = trees.into_iter().map(|tree| tree.map_or(Regular::Never, |(tree, _)| tree)).collect();
    let orders = expressions.orders(trees.iter());
    let info = |(((id, tree), order), found): (((TerminalId, Regular), Order), Option<FirstMatches>)| {
        let (tree, followed, left_out) =
            found.map_or((tree, None, None), |found| (found.texts, found.followed, found.open));
        TerminalInfo {
            left_out,
            is_nullable: followed.is_none() && nullable(&tree),
            is_followed: followed.is_some(),
            is_text: expressions.of(id).is_text,
            written: written_in_any_case(grammar, id).map(Into::into),
            ignores_case: expressions.of(id).ignores_case,
            is_ignored: grammar.ignored.contains(&id),
            rank: rank_of(&grammar.terminals[id as usize]),
            order,
            tree: followed.map_or(tree, without_empty),
        }
    };
    Ok((0..).zip(trees).zip(orders).zip(found).map(info).collect())
}

fn rank_of(terminal: &Terminal) -> Rank {
    let attributes = &terminal.attributes;
    Rank { priority: terminal.priority, is_lazy: attributes.is_lazy || attributes.suffix.is_some() }
}

/// The text of a terminal that is one text without regard to case.
fn written_in_any_case(grammar: &Grammar, mut terminal: TerminalId) -> Option<&str> {
    loop {
        match &grammar.terminals[terminal as usize].pattern.kind {
            PatternKind::Terminal(other) => terminal = *other,
            PatternKind::Text { text, ignores_case: true } => return Some(text),
            _ => return None,
        }
    }
}

/// The terminals that a pattern refers to.
fn references(pattern: &Pattern) -> Vec<TerminalId> {
    let (mut found, mut open) = (Vec::new(), vec![pattern]);
    while let Some(pattern) = open.pop() {
        match &pattern.kind {
            PatternKind::Terminal(other) => found.push(*other),
            PatternKind::Sequence(all) | PatternKind::Choice(all) | PatternKind::And(all) => open.extend(all),
            PatternKind::Not(body) | PatternKind::Repeat(body, ..) => open.push(body),
            _ => {}
        }
    }
    found
}

/// Makes trees of patterns, out of the trees of the terminals that they refer to.
struct Builder<'b> {
    trees: &'b [Option<(Regular, usize)>],
    given: &'b Given<'b>,
    limits: &'b Limits,
}

impl Builder<'_> {
    /// The texts of a terminal, with its attributes, and how large their tree is.
    fn attributed(&self, terminal: &Terminal) -> Result<(Regular, usize)> {
        let (mut tree, mut size) = self.sized(&terminal.pattern)?;
        if let Some(suffix) = &terminal.attributes.suffix {
            let (suffix, more) = self.sized(suffix)?;
            tree = shortest_matches(Regular::concat([tree, suffix]));
            size = 2 * (size + more);
        } else if terminal.attributes.is_lazy {
            tree = shortest_matches(tree);
            size *= 2;
        }
        Ok((tree, size))
    }

    fn sized(&self, pattern: &Pattern) -> Result<(Regular, usize)> {
        let mut size = 0;
        let tree = self.tree(pattern, &mut size)?;
        Ok((tree, size))
    }

    /// Patterns nest as deep as the reader allows.
    fn tree(&self, pattern: &Pattern, size: &mut usize) -> Result<Regular> {
        count(1);
        *size += 1;
        if *size > self.limits.pattern_parts {
            return Err(
                Error::limit("parts of a terminal", *size, self.limits.pattern_parts).hint("make rules of its parts")
            );
        }
        let all = |all: &[Pattern], size: &mut usize| -> Result<Vec<Regular>> {
            all.iter().map(|pattern| self.tree(pattern, size)).collect()
        };
        Ok(match &pattern.kind {
            PatternKind::Text { text, ignores_case } => {
                *size += text.len();
                if *ignores_case { ignoring_case(text) } else { Regular::text(text) }
            }
            PatternKind::Class(ranges) if ranges.is_empty() => Regular::Never,
            PatternKind::Class(ranges) => Regular::Class(ranges.clone()),
            PatternKind::Regex(id) => {
                let tree = plain(&self.given.regexes[*id as usize]);
                *size += tree.nodes();
                tree
            }
            PatternKind::Terminal(id) => {
                let (tree, more) = self.trees[*id as usize].clone().unwrap_or((Regular::Never, 0));
                *size += more;
                tree
            }
            PatternKind::Form(name) => self.given.regular_form(name, pattern.span)?,
            PatternKind::Pieces(pieces) => pieces.tree(),
            PatternKind::Sequence(parts) => Regular::concat(all(parts, size)?),
            PatternKind::Choice(parts) => Regular::or(all(parts, size)?),
            PatternKind::And(parts) => Regular::and(all(parts, size)?),
            PatternKind::Not(body) => self.tree(body, size)?.not(),
            PatternKind::Repeat(body, low, high) => self.tree(body, size)?.repeat(*low, *high),
        })
    }
}

/// The texts of a tree that do not begin with a shorter one: a match is as short as possible.
fn shortest_matches(tree: Regular) -> Regular {
    let longer = Regular::concat([tree.clone(), Regular::any().repeat(1, None)]);
    Regular::and([tree, longer.not()])
}

/// A text in any case.
fn ignoring_case(text: &str) -> Regular {
    Regular::concat(text.chars().map(|c| Regular::Class(case_folded(c))))
}

/// A character in any case.
pub fn case_folded(c: char) -> Ranges {
    let mut class: ClassUnicode = class_of(&[(c, c)]);
    class.case_fold_simple();
    ranges_of(&class)
}
