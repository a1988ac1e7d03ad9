//! Character parsers: code of a host that reads a text character by character.
//!
//! A [`CharacterParser`] says of each of its states which characters may come, whether a text may end, and where a character
//! leads. An automaton asks it about the states that texts and masks meet, and remembers the answers:
//!
//! ```text
//! palindromes   "" ─ a → "a" ─ b → "ab" ─ b → ...      a state for each stack, made when it is met
//! ```
//!
//! Cost: a virtual call for each answer, once for an automaton. A parser is not part of a larger expression; it is a
//! leaf by itself, and equal to no other one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::automaton::Automaton;
use crate::error::Result;
use crate::limits::Limits;

/// A state of a parser, numbered in the order in which states are met; 0 is the start.
pub type ParserState = u32;

/// A language that a host reads character by character.
pub trait CharacterParser: Send + Sync {
    /// Starts with no state known but the first one.
    ///
    /// # Errors
    /// Those of the host.
    fn explore(&self) -> Result<Box<dyn Exploration>>;

    /// Whether [`Exploration::shortest`] has answers.
    fn knows_shortest(&self) -> bool;
}

/// A parser under exploration: it numbers the states that it meets.
///
/// The errors of its methods are those of the host, [`crate::Kind::Parser`].
pub trait Exploration: Send {
    /// What may come in a state.
    ///
    /// # Errors
    /// Those of the host.
    fn outlook(&mut self, state: ParserState) -> Result<Outlook>;

    /// The state after a character that may come.
    ///
    /// # Errors
    /// Those of the host.
    fn after(&mut self, state: ParserState, character: char) -> Result<ParserState>;

    /// A shortest completion of a text in this state; `None` if there is none.
    ///
    /// # Errors
    /// Those of the host.
    fn shortest(&mut self, state: ParserState) -> Result<Option<String>>;
}

/// What may come in a state of a parser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outlook {
    /// Code points that may come, ascending and disjoint, each range with the class it belongs to.
    ranges: Box<[(u32, u32, u32)]>,
    /// By class: the first character, another, and the last; none of an empty class.
    samples: Box<[Option<[char; 3]>]>,
    /// Whether a text may end.
    pub can_end: bool,
}

impl Outlook {
    /// `listed` are characters that lead to a state each; after each character of one of `alike`, the state is the same.
    /// A character that is both listed and alike counts as listed; one of several classes, as one of the first.
    pub fn new(mut listed: Vec<char>, alike: &[Vec<(char, char)>], can_end: bool) -> Self {
        listed.sort_unstable();
        listed.dedup();
        let mut samples: Vec<_> = listed.iter().map(|&c| Some([c; 3])).collect();
        let mut ranges: Vec<_> =
            listed.iter().zip(0..).map(|(&c, class)| (u32::from(c), u32::from(c), class)).collect();
        for of_class in alike {
            let class = samples.len() as u32;
            let parts = of_class.iter().flat_map(|&(low, high)| uncovered(&ranges, u32::from(low), u32::from(high)));
            let new: Vec<(u32, u32)> = parts.collect();
            samples.push(samples_of(&new));
            ranges.extend(new.into_iter().map(|(low, high)| (low, high, class)));
            ranges.sort_unstable();
        }
        Self { ranges: ranges.into(), samples: samples.into(), can_end }
    }

    /// How many classes of characters lead to a state each.
    pub(super) fn classes(&self) -> usize {
        self.samples.len()
    }

    /// How many ranges and classes there are.
    pub(super) fn size(&self) -> usize {
        self.ranges.len() + self.samples.len()
    }

    /// Whether no character may come.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The first character of a class, another one, and the last; none if it is empty.
    pub(super) fn samples(&self, class: usize) -> Option<[char; 3]> {
        self.samples[class]
    }

    /// Bytes of the shortest character of a class.
    pub(super) fn bytes_of(&self, class: usize) -> u32 {
        self.samples[class].map_or(4, |[first, ..]| first.len_utf8()) as u32
    }

    /// The class of a code point that may come.
    pub(super) fn class_of(&self, code: u32) -> Option<usize> {
        self.between(code, code).next().map(|(_, _, class)| class)
    }

    /// The ranges between two code points.
    pub(super) fn between(&self, low: u32, high: u32) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let first = self.ranges.partition_point(|&(_, end, _)| end < low);
        let within = self.ranges[first..].iter().take_while(move |&&(start, ..)| start <= high);
        within.map(move |&(start, end, class)| (start.max(low), end.min(high), class as usize))
    }
}

/// The first code point of some ranges, one in the middle, and the last.
fn samples_of(ranges: &[(u32, u32)]) -> Option<[char; 3]> {
    let (first, last) = (ranges.first()?.0, ranges.last()?.1);
    let (low, high) = ranges[ranges.len() / 2];
    let character = |code| char::from_u32(code).or_else(|| char::from_u32(low));
    Some([character(first)?, character(low.midpoint(high))?, character(last)?])
}

/// The parts of `low..=high` that no range covers.
fn uncovered(ranges: &[(u32, u32, u32)], low: u32, high: u32) -> Vec<(u32, u32)> {
    let (mut parts, mut from) = (Vec::new(), low);
    let first = ranges.partition_point(|&(_, end, _)| end < low);
    for &(start, end, _) in ranges[first..].iter().take_while(|&&(start, ..)| start <= high) {
        if start > from {
            parts.push((from, start - 1));
        }
        from = from.max(end + 1);
    }
    if from <= high {
        parts.push((from, high));
    }
    parts
}

/// A shared [`CharacterParser`] and its automaton, which all languages with the parser share. Equal to itself only.
#[derive(Clone)]
pub struct Parser(Arc<Inner>);

struct Inner {
    parser: Box<dyn CharacterParser>,
    automaton: Mutex<Option<Arc<Automaton>>>,
}

impl Parser {
    /// `parser` as a leaf.
    pub fn new(parser: impl CharacterParser + 'static) -> Self {
        Self(Arc::new(Inner { parser: Box::new(parser), automaton: Mutex::default() }))
    }

    pub(super) fn get(&self) -> &dyn CharacterParser {
        &*self.0.parser
    }

    /// The automaton of all states met so far; a new one if it is near its limit or the parser failed.
    ///
    /// # Errors
    /// Those of the host, about the first state.
    pub fn automaton(&self, limits: &Limits) -> Result<Arc<Automaton>> {
        let known = self.0.automaton.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(automaton) = known.filter(|automaton| !automaton.is_near_its_limit()) {
            return Ok(automaton);
        }
        let made = Arc::new(Automaton::of_parser(self, limits)?);
        *self.0.automaton.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl PartialEq for Parser {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Parser {}

impl Hash for Parser {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parser")
    }
}
