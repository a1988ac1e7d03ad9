//! Patterns with assertions, lowered to plain regular languages.
//!
//! An assertion (`^`, `$`, `\b`, a look-ahead) says something about its
//! surroundings. Lowering goes from right to left and computes, for every place
//! of the pattern, the language of *everything from there to the end of the
//! text*; an assertion then is an intersection with that language:
//!
//! ```text
//! $        the rest is empty               rest ∧ ε
//! (?=x)    the rest starts with x          rest ∧ x·Σ*
//! (?!x)    it does not                     rest ∧ ¬(x·Σ*)
//! ^  \b    depend on what came before: so three languages are kept a place,
//!          one each for "at the start", "after a word character", "after another one"
//! ```
//!
//! Cost: patterns without assertions stay as they are. Wrinkle: an assertion
//! inside an unbounded repetition is refused; bounded ones are written out.

use super::super::regular::{Ranges, Regular};

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
    Repeat(Box<Pattern>, u32, Option<u32>),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`, or `\B` when negated.
    Boundary {
        negated: bool,
    },
    /// `(?=x)`, or `(?!x)` when negated.
    Ahead {
        negated: bool,
        body: Box<Pattern>,
    },
}

/// Copies of a bounded repetition that contains assertions.
const MOST_COPIES: u32 = 64;

/// The languages from a place to the end, by what came before.
#[derive(Clone, PartialEq)]
struct Rest {
    start: Regular,
    word: Regular,
    other: Regular,
}

/// The language of texts that `pattern` describes.
///
/// `word` is the class `\b` is about. On refusal, says why.
pub fn lower(pattern: &Pattern, mode: Mode, word: &Ranges) -> Result<Regular, &'static str> {
    if is_plain(pattern) {
        let plain = plain(pattern);
        return Ok(match mode {
            Mode::Whole => plain,
            Mode::Search => Regular::concat([Regular::anything(), plain, Regular::anything()]),
        });
    }
    let context = Context { word: Regular::Class(word.clone()), other: Regular::Class(complement(word)) };
    let end = match mode {
        Mode::Whole => Regular::Empty,
        Mode::Search => Regular::anything(),
    };
    let rest = context.rest(pattern, &Rest::same(end))?;
    Ok(match mode {
        Mode::Whole => rest.start,
        Mode::Search => context.anywhere(rest),
    })
}

struct Context {
    word: Regular,
    other: Regular,
}

impl Rest {
    fn same(language: Regular) -> Self {
        Self { start: language.clone(), word: language.clone(), other: language }
    }

    fn map(&self, f: impl Fn(&Regular) -> Regular) -> Self {
        Self { start: f(&self.start), word: f(&self.word), other: f(&self.other) }
    }

    fn both(&self, with: &Self, f: impl Fn(&Regular, &Regular) -> Regular) -> Self {
        Self { start: f(&self.start, &with.start), word: f(&self.word, &with.word), other: f(&self.other, &with.other) }
    }
}

impl Context {
    /// A searched pattern starts at the start, or after some text.
    fn anywhere(&self, rest: Rest) -> Regular {
        if rest.word == rest.other {
            if rest.start == rest.word {
                return Regular::concat([Regular::anything(), rest.start]);
            }
            let later = Regular::concat([Regular::any().repeat(1, None), rest.word]);
            return Regular::or([rest.start, later]);
        }
        let after = |class: &Regular, rest| Regular::concat([Regular::anything(), class.clone(), rest]);
        Regular::or([rest.start, after(&self.word, rest.word), after(&self.other, rest.other)])
    }

    /// The rest from before `pattern`, given the rest from behind it.
    fn rest(&self, pattern: &Pattern, after: &Rest) -> Result<Rest, &'static str> {
        Ok(match pattern {
            Pattern::Empty => after.clone(),
            Pattern::Class(_) => Rest::same(self.read(&plain(pattern), after)),
            Pattern::Concat(parts) => {
                let mut rest = after.clone();
                for part in parts.iter().rev() {
                    rest = self.rest(part, &rest)?;
                }
                rest
            }
            Pattern::Or(options) => {
                let mut all = Rest::same(Regular::Never);
                for option in options {
                    all = all.both(&self.rest(option, after)?, |a, b| Regular::or([a.clone(), b.clone()]));
                }
                all
            }
            Pattern::Repeat(body, low, high) => self.repeat(body, *low, *high, after)?,
            Pattern::Start => Rest { start: after.start.clone(), ..Rest::same(Regular::Never) },
            Pattern::End => after.map(|rest| if nullable(rest) { Regular::Empty } else { Regular::Never }),
            Pattern::Boundary { negated } => self.boundary(*negated, after),
            Pattern::Ahead { negated, body } => {
                let seen = self.rest(body, &Rest::same(Regular::anything()))?;
                let seen = if *negated { seen.map(|seen| seen.clone().not()) } else { seen };
                after.both(&seen, and)
            }
        })
    }

    /// Texts of `part` (without assertions, not empty), then the rest.
    fn read(&self, part: &Regular, after: &Rest) -> Regular {
        if after.word == after.other {
            return Regular::concat([part.clone(), after.word.clone()]);
        }
        let ending = |class: &Regular, rest: &Regular| {
            let ends = Regular::concat([Regular::anything(), class.clone()]);
            Regular::concat([Regular::and([part.clone(), ends]), rest.clone()])
        };
        Regular::or([ending(&self.word, &after.word), ending(&self.other, &after.other)])
    }

    fn repeat(&self, body: &Pattern, low: u32, high: Option<u32>, after: &Rest) -> Result<Rest, &'static str> {
        if is_plain(body) {
            let body = plain(body);
            let part = body.clone().repeat(low, high);
            if after.start == after.word && after.word == after.other {
                return Ok(Rest::same(Regular::concat([part, after.start.clone()])));
            }
            let read = self.read(&Regular::and([part.clone(), Regular::any().repeat(1, None)]), after);
            if nullable(&part) {
                return Ok(after.map(|rest| Regular::or([rest.clone(), read.clone()])));
            }
            return Ok(Rest::same(read));
        }
        let copies = high.unwrap_or(u32::MAX);
        if copies > MOST_COPIES {
            return Err("an assertion inside an unbounded repetition cannot be compiled");
        }
        let mut rest = after.clone();
        for copy in (0..copies).rev() {
            let deeper = self.rest(body, &rest)?;
            rest = if copy >= low { after.both(&deeper, |a, b| Regular::or([a.clone(), b.clone()])) } else { deeper };
        }
        Ok(rest)
    }

    fn boundary(&self, negated: bool, after: &Rest) -> Rest {
        let word_next = Regular::concat([self.word.clone(), Regular::anything()]);
        let other_next = Regular::or([Regular::Empty, Regular::concat([self.other.clone(), Regular::anything()])]);
        let (outside, inside) = if negated { (other_next, word_next) } else { (word_next, other_next) };
        Rest { start: and(&after.start, &outside), word: and(&after.word, &inside), other: and(&after.other, &outside) }
    }
}

fn and(a: &Regular, b: &Regular) -> Regular {
    if *a == Regular::Never { Regular::Never } else { Regular::and([a.clone(), b.clone()]) }
}

/// Whether there is no assertion in it.
fn is_plain(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Empty | Pattern::Class(_) => true,
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().all(is_plain),
        Pattern::Repeat(body, ..) => is_plain(body),
        Pattern::Start | Pattern::End | Pattern::Boundary { .. } | Pattern::Ahead { .. } => false,
    }
}

/// The language of a pattern without assertions.
fn plain(pattern: &Pattern) -> Regular {
    match pattern {
        Pattern::Class(ranges) if ranges.is_empty() => Regular::Never,
        Pattern::Class(ranges) => Regular::Class(ranges.clone()),
        Pattern::Concat(parts) => Regular::concat(parts.iter().map(plain)),
        Pattern::Or(options) => Regular::or(options.iter().map(plain)),
        Pattern::Repeat(body, low, high) => plain(body).repeat(*low, *high),
        _ => Regular::Empty,
    }
}

fn nullable(tree: &Regular) -> bool {
    match tree {
        Regular::Never | Regular::Class(_) | Regular::Multiple(_) => false,
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
