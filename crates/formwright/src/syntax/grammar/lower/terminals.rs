//! The terminals of a grammar as regular languages.

use regex_syntax::hir::ClassUnicode;

use super::super::ast::{Attributes, Grammar, Pattern, PatternKind, Span, Terminal, TerminalId};
use super::laziness::Laziness;
use super::order::{Expressions, Order};
use super::{Given, Lexing};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::Regular;
use crate::syntax::lexeme::{followed_by_anything, without_empty};
use crate::syntax::pattern::{class_of, nullable, ranges_of};

/// What a lexer knows of a terminal.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is asked by itself
pub struct TerminalInfo {
    /// Its texts; if it depends on what follows, each with a mark and what follows it.
    pub tree: Regular,
    /// Whether it depends on what follows.
    pub is_followed: bool,
    /// Whether the empty text is one of them.
    pub is_nullable: bool,
    /// Whether it is one text, with or without regard to case.
    pub is_text: bool,
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
    let mut laziness = (lexing != Lexing::Any).then(|| Laziness::new(grammar));
    let (mut shortest, mut expressions) = (vec![false; grammar.terminals.len()], Expressions::new(grammar));
    let mut trees: Vec<Option<(Regular, usize)>> = vec![None; grammar.terminals.len()];
    let mut followed: Vec<Option<Regular>> = vec![None; grammar.terminals.len()];
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
                shortest[next as usize] = laziness.as_mut().is_some_and(|known| known.takes_shortest(next));
                let builder = Builder { grammar, trees: &trees, followed: &followed, given, limits };
                let (tree, own) = (builder.attributed(own)?, builder.followed_terminal(own, lexing)?);
                (trees[next as usize], followed[next as usize]) = (Some(tree), own);
            }
        }
    }
    let tree = |(tree, is_shortest): (Option<(Regular, usize)>, bool)| {
        let tree = tree.map_or(Regular::Never, |(tree, _)| tree);
        if is_shortest { shortest_matches(tree) } else { tree } // what refers to it is one expression with it
    };
    let trees: Vec<Regular> = trees.into_iter().zip(shortest).map(tree).collect();
    let orders = expressions.orders(trees.iter());
    let info = |((id, tree), order): ((TerminalId, Regular), Order)| TerminalInfo {
        is_nullable: followed[id as usize].is_none() && nullable(&tree),
        is_followed: followed[id as usize].is_some(),
        is_text: expressions.of(id).is_text,
        is_ignored: grammar.ignored.contains(&id),
        rank: rank_of(&grammar.terminals[id as usize]),
        order,
        tree: followed[id as usize].clone().map_or(tree, without_empty),
    };
    Ok((0..).zip(trees).zip(orders).map(info).collect())
}

fn rank_of(terminal: &Terminal) -> Rank {
    let attributes = &terminal.attributes;
    Rank { priority: terminal.priority, is_lazy: attributes.is_lazy || attributes.suffix.is_some() }
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
    grammar: &'b Grammar,
    /// By terminal: if it depends on what follows, its texts with that.
    followed: &'b [Option<Regular>],
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

    /// The texts of a terminal with what follows them, if it depends on that.
    fn followed_terminal(&self, terminal: &Terminal, lexing: Lexing) -> Result<Option<Regular>> {
        let Attributes { is_lazy, suffix, max_tokens, .. } = &terminal.attributes;
        let found = self.followed(&terminal.pattern)?;
        if found.is_some() && lexing == Lexing::Any {
            let what = "only a lexer asks what follows a terminal";
            return Err(self.refuse(terminal.pattern.span, what, "leave it out, or use lexing=\"longest\""));
        }
        if found.is_some() && (*is_lazy || suffix.is_some() || max_tokens.is_some()) {
            let what = "a terminal with attributes cannot depend on what follows it";
            return Err(self.refuse(terminal.pattern.span, what, "leave one of them out"));
        }
        Ok(found)
    }

    /// The texts of a pattern with what follows them, if it depends on that: it does if its last part does, or an
    /// alternative.
    fn followed(&self, pattern: &Pattern) -> Result<Option<Regular>> {
        match &pattern.kind {
            PatternKind::Regex(id) => Ok(self.given.regexes[*id as usize].followed.clone()),
            PatternKind::Terminal(id) => Ok(self.followed[*id as usize].clone()),
            PatternKind::Choice(options) => {
                let all = options.iter().map(|option| self.followed(option)).collect::<Result<Vec<_>>>()?;
                if all.iter().all(Option::is_none) {
                    return Ok(None);
                }
                let with_any = |(option, own): (&Pattern, Option<Regular>)| {
                    own.map_or_else(|| Ok(followed_by_anything(self.sized(option)?.0)), Ok)
                };
                Ok(Some(Regular::or(options.iter().zip(all).map(with_any).collect::<Result<Vec<_>>>()?)))
            }
            PatternKind::Sequence(parts) => {
                let Some((last, before)) = parts.split_last() else { return Ok(None) };
                before.iter().try_for_each(|part| self.check_alone(part))?;
                let Some(last) = self.followed(last)? else { return Ok(None) };
                let before = before.iter().map(|part| Ok(self.sized(part)?.0)).collect::<Result<Vec<_>>>()?;
                Ok(Some(Regular::concat(before.into_iter().chain([last]))))
            }
            PatternKind::And(parts) => parts.iter().try_for_each(|part| self.check_alone(part)).map(|()| None),
            PatternKind::Not(body) | PatternKind::Repeat(body, ..) => self.check_alone(body).map(|()| None),
            _ => Ok(None),
        }
    }

    /// Refuses a part that depends on what follows where the terminal goes on.
    fn check_alone(&self, part: &Pattern) -> Result<()> {
        if self.followed(part)?.is_none() {
            return Ok(());
        }
        let what = "what follows can be asked at the end of a terminal only";
        Err(self.refuse(part.span, what, "write it as one regular expression, or with ~ and &"))
    }

    fn refuse(&self, span: Span, what: &str, instead: &str) -> Error {
        Error::unsupported_construct(&self.grammar.text, span, what, instead)
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
                let tree = &self.given.regexes[*id as usize].texts;
                *size += tree.nodes();
                tree.clone()
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
    Regular::concat(text.chars().map(|c| {
        let mut class: ClassUnicode = class_of(&[(c, c)]);
        class.case_fold_simple();
        Regular::Class(ranges_of(&class))
    }))
}
