//! Patterns with assertions, lowered to plain regular languages.
//!
//! An assertion (`^`, `$`, `\b`, a look-ahead) says something about its
//! surroundings. Lowering goes from right to left and computes, for every place
//! of the pattern, the language of *everything from there to the end of the
//! text*; an assertion then is an intersection with that language:
//!
//! ```text
//! $         the rest is empty               rest ∧ ε
//! (?=x)     the rest starts with x          rest ∧ x·Σ*
//! (?!x)     it does not                     rest ∧ ¬(x·Σ*)
//! ^  (?<=c) depend on what came before: so several languages are kept a place, one for "at the start" and one for
//!           each set of characters that no assertion of the pattern tells apart
//! \b        one kind of character before, the other one after: (?<=w)(?!w)|(?<!w)(?=w)
//! ```
//!
//! Cost: patterns without assertions stay as they are, and bounded repetitions with assertions are written out. Wrinkle:
//! what would be too large that way, or has no bound, is followed character by character ([`super::continuation`]).

use super::continuation;
use crate::error::Error;
use crate::regular::{Ranges, Regular};

/// What to write where a pattern refers to what was read before.
pub const WITHOUT_MEMORY: &str = "remove back-references; lookbehind may only cover one character";

/// The error of a pattern whose assertions cannot be compiled.
pub fn refuse_assertions(source: &str, what: &str) -> Error {
    let instead = "write the pattern with fewer assertions, and with none in a repetition";
    Error::unsupported_regex(source, (0, source.len()), what, instead)
}

/// Whether a pattern describes the whole text or is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From the first character to the last.
    Whole,
    /// Anywhere in the text.
    Search,
}

/// A pattern as its dialect's parser read it.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Empty,
    Class(Ranges),
    Concat(Vec<Pattern>),
    Or(Vec<Pattern>),
    /// How often at least and at most, and whether fewer times are tried first.
    Repeat(Box<Pattern>, u32, Option<u32>, bool),
    /// Before is a character of the class, or nothing and `start` is true.
    Behind {
        class: Ranges,
        start: bool,
    },
    /// `$`
    End,
    /// `(?=x)`, or `(?!x)` when negated.
    Ahead {
        negated: bool,
        body: Box<Pattern>,
    },
}

impl Pattern {
    /// `^`
    pub fn start() -> Self {
        Self::Behind { class: Ranges::from([]), start: true }
    }

    /// `(?<=c)`, or `(?<!c)` when negated.
    pub fn behind(class: &Ranges, negated: bool) -> Self {
        Self::Behind { class: if negated { complement(class) } else { class.clone() }, start: negated }
    }

    /// `(?=c)`, or `(?!c)` when negated.
    pub fn ahead(class: &Ranges, negated: bool) -> Self {
        Self::Ahead { negated, body: Box::new(Self::Class(class.clone())) }
    }

    /// `\b` of the word characters `word`, or `\B` when negated.
    pub fn boundary(word: &Ranges, negated: bool) -> Self {
        Self::Or(vec![
            Self::Concat(vec![Self::behind(word, false), Self::ahead(word, !negated)]),
            Self::Concat(vec![Self::behind(word, true), Self::ahead(word, negated)]),
        ])
    }
}

/// Copies of a bounded repetition that contains assertions.
const MOST_COPIES: u32 = 64;

/// Assertions of a pattern that is lowered to one tree, which is the deeper the more there are.
const MOST_ASSERTIONS: usize = 512;

/// Sets of characters that look-behind tells apart.
const MOST_SETS: usize = 8;

/// Nodes that a lowered tree may have beside those of its pattern: an assertion about what came before can double it.
const MORE_NODES: usize = 1 << 16;

/// The language of texts that `pattern` describes.
///
/// On refusal, says why.
pub fn lower(pattern: &Pattern, mode: Mode) -> Result<Regular, &'static str> {
    if is_plain(pattern) {
        let plain = plain(pattern);
        return Ok(match mode {
            Mode::Whole => plain,
            Mode::Search => Regular::concat([Regular::anything(), plain, Regular::anything()]),
        });
    }
    if assertions(pattern) > MOST_ASSERTIONS {
        return continuation::language(pattern, mode);
    }
    unfolded(pattern, mode).or_else(|_| continuation::language(pattern, mode))
}

/// The language as a tree, where repetitions with assertions have few copies.
fn unfolded(pattern: &Pattern, mode: Mode) -> Result<Regular, &'static str> {
    let context = Context::of(pattern)?;
    let end = match mode {
        Mode::Whole => Regular::Empty,
        Mode::Search => Regular::anything(),
    };
    let rest = context.rest(pattern, &context.same(&end))?;
    let tree = match mode {
        Mode::Whole => rest.start,
        Mode::Search => context.anywhere(rest),
    };
    context.bounded(&tree)?;
    Ok(tree)
}

struct Context {
    /// The sets of characters that no look-behind of the pattern tells apart; together they are all characters.
    sets: Vec<Ranges>,
    /// Most nodes of a tree.
    most: usize,
}

/// The languages from a place to the end, by what came before: nothing, or a character of a set of the context.
#[derive(Clone, PartialEq)]
struct Rest {
    start: Regular,
    after: Vec<Regular>,
}

impl Rest {
    fn map(&self, f: impl Fn(&Regular) -> Regular) -> Self {
        Self { start: f(&self.start), after: self.after.iter().map(f).collect() }
    }

    fn both(&self, with: &Self, f: impl Fn(&Regular, &Regular) -> Regular) -> Self {
        let after = self.after.iter().zip(&with.after).map(|(a, b)| f(a, b)).collect();
        Self { start: f(&self.start, &with.start), after }
    }

    /// The language after any character, if it is the same after all.
    fn after_any(&self) -> Option<&Regular> {
        let first = self.after.first()?;
        self.after.iter().all(|rest| rest == first).then_some(first)
    }

    /// Whether it is the same wherever the place is.
    fn is_uniform(&self) -> bool {
        self.after.iter().all(|rest| *rest == self.start)
    }

    fn any_of(rests: &[Self]) -> Self {
        let any_of = |language: &dyn Fn(&Self) -> Regular| {
            let mut languages: Vec<Regular> = rests.iter().map(language).collect();
            languages.dedup();
            Regular::or(languages)
        };
        let sets = rests.first().map_or(0, |rest| rest.after.len());
        let after = (0..sets).map(|set| any_of(&|rest: &Self| rest.after[set].clone())).collect();
        Self { start: any_of(&|rest| rest.start.clone()), after }
    }
}

impl Context {
    fn of(pattern: &Pattern) -> Result<Self, &'static str> {
        Ok(Self { sets: sets_of(pattern, MOST_SETS)?, most: MORE_NODES + 4 * size(pattern) })
    }

    fn bounded(&self, tree: &Regular) -> Result<(), &'static str> {
        if is_larger(tree, self.most) { Err("too many assertions: the pattern cannot be compiled") } else { Ok(()) }
    }

    fn all_bounded(&self, rest: Rest) -> Result<Rest, &'static str> {
        rest.after.iter().chain([&rest.start]).try_for_each(|tree| self.bounded(tree))?;
        Ok(rest)
    }

    fn same(&self, language: &Regular) -> Rest {
        Rest { start: language.clone(), after: vec![language.clone(); self.sets.len()] }
    }

    /// A searched pattern starts at the start, or after some text.
    fn anywhere(&self, rest: Rest) -> Regular {
        if let Some(after) = rest.after_any() {
            if rest.start == *after {
                return Regular::concat([Regular::anything(), rest.start]);
            }
            let later = Regular::concat([Regular::any().repeat(1, None), after.clone()]);
            return Regular::or([rest.start, later]);
        }
        let later = self
            .sets
            .iter()
            .zip(rest.after)
            .map(|(set, rest)| Regular::concat([Regular::anything(), Regular::Class(set.clone()), rest]));
        Regular::or([rest.start].into_iter().chain(later))
    }

    /// The rest from before `pattern`, given the rest from after it.
    fn rest(&self, pattern: &Pattern, after: &Rest) -> Result<Rest, &'static str> {
        Ok(match pattern {
            Pattern::Empty => after.clone(),
            Pattern::Class(class) => self.same(&self.read_class(class, after)),
            Pattern::Concat(parts) => {
                let (mut rest, mut left) = (after.clone(), &parts[..]);
                while let Some((last, before)) = left.split_last() {
                    let run =
                        if rest.is_uniform() { left.iter().rev().take_while(|part| is_plain(part)).count() } else { 0 };
                    if run > 1 {
                        let (before, run) = left.split_at(left.len() - run);
                        rest = self.same(&Regular::concat(run.iter().map(plain).chain([rest.start])));
                        left = before;
                    } else {
                        rest = self.rest(last, &rest)?;
                        left = before;
                    }
                }
                rest
            }
            Pattern::Or(options) => {
                let rests = options.iter().map(|option| self.rest(option, after)).collect::<Result<Vec<_>, _>>()?;
                self.all_bounded(Rest::any_of(&rests))?
            }
            Pattern::Repeat(body, low, high, _) => self.repeat(body, *low, *high, after)?,
            Pattern::Behind { class, start } => self.behind(class, *start, after),
            Pattern::End => after.map(|rest| if nullable(rest) { Regular::Empty } else { Regular::Never }),
            Pattern::Ahead { negated, body } => after.both(&self.seen(body, *negated)?, and),
        })
    }

    /// A character of `class`, then the rest.
    fn read_class(&self, class: &Ranges, after: &Rest) -> Regular {
        let then = |class: Ranges, rest: &Regular| Regular::concat([class_tree(&class), rest.clone()]);
        if let Some(rest) = after.after_any() {
            return then(class.clone(), rest);
        }
        Regular::or(self.sets.iter().zip(&after.after).map(|(set, rest)| then(common(class, set), rest)))
    }

    /// Texts of `part` (without assertions, not empty), then the rest.
    fn read(&self, part: &Regular, after: &Rest) -> Regular {
        if let Some(rest) = after.after_any() {
            return Regular::concat([part.clone(), rest.clone()]);
        }
        Regular::or(self.sets.iter().zip(&after.after).map(|(set, rest)| {
            let ends = Regular::concat([Regular::anything(), Regular::Class(set.clone())]);
            Regular::concat([Regular::and([part.clone(), ends]), rest.clone()])
        }))
    }

    fn repeat(&self, body: &Pattern, low: u32, high: Option<u32>, after: &Rest) -> Result<Rest, &'static str> {
        if is_plain(body) {
            let part = plain(body).repeat(low, high);
            if after.after_any() == Some(&after.start) {
                return Ok(self.same(&Regular::concat([part, after.start.clone()])));
            }
            let read = self.read(&Regular::and([part.clone(), Regular::any().repeat(1, None)]), after);
            if nullable(&part) {
                return Ok(after.map(|rest| Regular::or([rest.clone(), read.clone()])));
            }
            return Ok(self.same(&read));
        }
        let copies = high.unwrap_or(u32::MAX);
        if copies > MOST_COPIES {
            return Err("an assertion inside an unbounded repetition cannot be compiled");
        }
        let mut rest = after.clone();
        for copy in (0..copies).rev() {
            let deeper = self.rest(body, &rest)?;
            rest = self.all_bounded(if copy >= low { Rest::any_of(&[after.clone(), deeper]) } else { deeper })?;
        }
        Ok(rest)
    }

    fn behind(&self, class: &Ranges, start: bool, after: &Rest) -> Rest {
        let kept = |keep: bool, rest: &Regular| if keep { rest.clone() } else { Regular::Never };
        let holds = |c: char| class.iter().any(|&(low, high)| low <= c && c <= high);
        let keeps = self.sets.iter().map(|set| set.first().is_some_and(|&(first, _)| holds(first)));
        Rest {
            start: kept(start, &after.start),
            after: keeps.zip(&after.after).map(|(keep, rest)| kept(keep, rest)).collect(),
        }
    }

    /// The texts that begin with `body`, or those that do not.
    fn seen(&self, body: &Pattern, negated: bool) -> Result<Rest, &'static str> {
        if let (Pattern::Class(class), true) = (body, negated) {
            let other = Regular::concat([class_tree(&complement(class)), Regular::anything()]);
            return Ok(self.same(&Regular::or([Regular::Empty, other])));
        }
        let seen = self.rest(body, &self.same(&Regular::anything()))?;
        Ok(if negated { seen.map(|seen| seen.clone().not()) } else { seen })
    }
}

/// The sets of characters that no look-behind of a pattern tells apart: together all characters.
pub(super) fn sets_of(pattern: &Pattern, most: usize) -> Result<Vec<Ranges>, &'static str> {
    let mut classes = Vec::new();
    looks_behind(pattern, &mut classes);
    classes.sort_unstable();
    classes.dedup();
    let mut sets = vec![complement(&Ranges::from([]))];
    for class in classes {
        let cut = |set: &Ranges| [common(set, class), common(set, &complement(class))];
        sets = sets.iter().flat_map(cut).filter(|set| !set.is_empty()).collect();
        if sets.len() > most {
            return Err("too many kinds of look-behind: the pattern cannot be compiled");
        }
    }
    Ok(sets)
}

/// The classes of all look-behinds.
fn looks_behind<'p>(pattern: &'p Pattern, classes: &mut Vec<&'p Ranges>) {
    match pattern {
        Pattern::Behind { class, .. } if !class.is_empty() => classes.push(class),
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().for_each(|part| looks_behind(part, classes)),
        Pattern::Repeat(body, ..) | Pattern::Ahead { body, .. } => looks_behind(body, classes),
        _ => {}
    }
}

/// Nodes of a pattern.
fn size(pattern: &Pattern) -> usize {
    1 + match pattern {
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().map(size).sum(),
        Pattern::Repeat(body, ..) | Pattern::Ahead { body, .. } => size(body),
        _ => 0,
    }
}

/// Assertions of a pattern, those of a repetition once for each copy; a look-ahead for one of few characters, as those
/// of boundaries, makes no tree deeper.
fn assertions(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().map(assertions).fold(0, usize::saturating_add),
        Pattern::Repeat(body, _, high, _) => {
            assertions(body).saturating_mul(high.map_or(usize::MAX, |high| high as usize))
        }
        Pattern::Ahead { body, .. } => assertions(body).saturating_add(1),
        Pattern::Behind { .. } | Pattern::End => 1,
        Pattern::Empty | Pattern::Class(_) => 0,
    }
}

/// Whether a tree has more nodes than `most`, those of shared parts counted every time.
fn is_larger(tree: &Regular, most: usize) -> bool {
    let (mut stack, mut left) = (vec![tree], most);
    while let Some(tree) = stack.pop() {
        if left == 0 {
            return true;
        }
        left -= 1;
        match tree {
            Regular::Concat(parts) | Regular::And(parts) | Regular::Or(parts) => stack.extend(parts.iter()),
            Regular::Not(inner) | Regular::Repeat(inner, ..) => stack.push(inner),
            _ => {}
        }
    }
    false
}

fn and(a: &Regular, b: &Regular) -> Regular {
    match a {
        Regular::Empty if nullable(b) => Regular::Empty,
        Regular::Empty | Regular::Never => Regular::Never,
        _ => Regular::and([a.clone(), b.clone()]),
    }
}

/// Whether there is no assertion in it.
pub fn is_plain(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Empty | Pattern::Class(_) => true,
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().all(is_plain),
        Pattern::Repeat(body, ..) => is_plain(body),
        Pattern::Behind { .. } | Pattern::End | Pattern::Ahead { .. } => false,
    }
}

/// The language of a pattern without assertions.
pub fn plain(pattern: &Pattern) -> Regular {
    match pattern {
        Pattern::Class(ranges) => class_tree(ranges),
        Pattern::Concat(parts) => Regular::concat(parts.iter().map(plain)),
        Pattern::Or(options) => Regular::or(options.iter().map(plain)),
        Pattern::Repeat(body, low, high, _) => plain(body).repeat(*low, *high),
        _ => Regular::Empty,
    }
}

pub(super) fn class_tree(ranges: &Ranges) -> Regular {
    if ranges.is_empty() { Regular::Never } else { Regular::Class(ranges.clone()) }
}

pub fn nullable(tree: &Regular) -> bool {
    match tree {
        // No pattern has the last three of these.
        Regular::Never | Regular::Class(_) | Regular::Multiple(_) | Regular::Parser(_) | Regular::After(..) => false,
        Regular::Empty => true,
        Regular::Concat(parts) | Regular::And(parts) => parts.iter().all(nullable),
        Regular::Or(parts) => parts.iter().any(nullable),
        Regular::Not(inner) => !nullable(inner),
        Regular::Implicit(language) => language.nullable(),
        Regular::Static(tree) => nullable(tree.0),
        Regular::Repeat(inner, low, _) => *low == 0 || nullable(inner),
    }
}

/// The code points outside a class.
pub fn complement(ranges: &Ranges) -> Ranges {
    let mut class = class_of(ranges);
    class.negate();
    ranges_of(&class)
}

/// The code points of both classes.
pub(super) fn common(a: &Ranges, b: &Ranges) -> Ranges {
    let mut class = class_of(a);
    class.intersect(&class_of(b));
    ranges_of(&class)
}

/// A class of the regular-expression library.
pub fn class_of(ranges: &[(char, char)]) -> regex_syntax::hir::ClassUnicode {
    regex_syntax::hir::ClassUnicode::new(
        ranges.iter().map(|&(low, high)| regex_syntax::hir::ClassUnicodeRange::new(low, high)),
    )
}

/// Its ranges.
pub fn ranges_of(class: &regex_syntax::hir::ClassUnicode) -> Ranges {
    class.ranges().iter().map(|range| (range.start(), range.end())).collect()
}
