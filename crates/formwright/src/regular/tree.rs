//! The description of a regular language: a tree of plain data.
//!
//! ```text
//! [a-z]{1,3} ∧ ¬no     And(Repeat(Class(a-z), 1, 3), Not(Concat(n, o)))
//! ```
//!
//! Constructors simplify a little (flatten, drop units) so that printed trees stay readable; the real normal form is
//! made by [`super::expression`]. Cost: an allocation for each node, shared by clones. Equality is that of
//! trees, not of languages: `a|b` and `b|a` have two automata.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::implicit::Implicit;
use super::parser::Parser;

/// Sorted, disjoint, inclusive ranges of code points (surrogates excluded).
pub type Ranges = Arc<[(char, char)]>;

/// All code points of text.
const ALL: [(char, char); 2] = [('\0', '\u{D7FF}'), ('\u{E000}', '\u{10FFFF}')];

/// The decimal number `digits / 10^scale` that texts must be a multiple of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Divisor {
    /// The integer `digits`, at least 1.
    pub digits: u64,
    /// How many decimals it has.
    pub scale: u32,
}

/// A regular language over code points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Regular {
    /// No text at all.
    Never,
    /// Exactly the empty text.
    Empty,
    /// One code point out of a set.
    Class(Ranges),
    /// One after the other.
    Concat(Arc<[Regular]>),
    /// Any of them.
    Or(Arc<[Regular]>),
    /// All of them at once.
    And(Arc<[Regular]>),
    /// Every text that is not in it.
    Not(Arc<Regular>),
    /// `low` to `high` times in a row; `None` is not a bound.
    Repeat(Arc<Regular>, u32, Option<u32>),
    /// Decimal texts (digits, one point, minus signs ignored) that are a multiple of the divisor.
    Multiple(Divisor),
    /// A language whose derivatives are computed by code.
    Implicit(Implicit),
    /// A tree that is made once for the process.
    Static(Static),
    /// What may follow a character in the texts of a tree: only implicit languages say so, of trees whose classes are in
    /// their alphabet.
    After(Arc<Regular>, char),
    /// A language that a host reads character by character: never a part of another tree.
    Parser(Parser),
}

/// A tree that lives as long as the process: compared by its address, not by its parts.
#[derive(Clone, Copy, Debug)]
pub struct Static(pub &'static Regular);

impl PartialEq for Static {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Static {}

impl Hash for Static {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl Regular {
    /// One code point between `low` and `high`.
    pub fn range(low: char, high: char) -> Self {
        if low == high { Self::character(low) } else { Self::Class(Arc::from([(low, high)].as_slice())) }
    }

    /// This code point. Those of ASCII are made once for each thread.
    pub fn character(c: char) -> Self {
        thread_local! {
            // Boxed, because space for thread-local values is scarce in a library that is loaded late.
            static ASCII: Box<[OnceCell<Ranges>; 128]> = Box::new([const { OnceCell::new() }; 128]);
        }
        let made = || Arc::from([(c, c)].as_slice());
        Self::Class(match u8::try_from(c).ok().filter(u8::is_ascii) {
            Some(c) => ASCII.with(|all| Arc::clone(all[usize::from(c)].get_or_init(made))),
            None => made(),
        })
    }

    /// Any one code point. There is one for each thread: a reference count shared by all would slow them down.
    pub fn any() -> Self {
        thread_local! {
            static ANY: Ranges = Arc::from(ALL.as_slice());
        }
        Self::Class(ANY.with(Arc::clone))
    }

    /// Whether this is any one code point.
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Class(ranges) if **ranges == ALL)
    }

    /// Any text.
    pub fn anything() -> Self {
        thread_local! {
            static ONE: Arc<Regular> = Arc::new(Regular::any());
        }
        Self::Repeat(ONE.with(Arc::clone), 0, None)
    }

    /// Whether this is [`Regular::anything`], as it is written there.
    pub fn is_anything(&self) -> bool {
        matches!(self, Self::Repeat(inner, 0, None) if inner.is_any())
    }

    /// Of a repeated class such as `[a-z]{2,5}`: the class and its bounds.
    pub fn class_times(&self) -> Option<(&Self, u32, Option<u32>)> {
        match self {
            Self::Repeat(inner, low, high) if matches!(**inner, Self::Class(_)) => Some((inner, *low, *high)),
            _ => None,
        }
    }

    /// Whether this is a class repeated any number of times.
    pub fn is_class_loop(&self) -> bool {
        matches!(self.class_times(), Some((_, 0, None)))
    }

    /// Exactly `text`.
    pub fn text(text: &str) -> Self {
        Self::concat(text.chars().map(Self::character))
    }

    /// One of the code points of `set`.
    pub fn one_of(set: &str) -> Self {
        let mut chars: Vec<char> = set.chars().collect();
        chars.sort_unstable();
        chars.dedup();
        let ranges = chars.chunk_by(|&a, &b| u32::from(a) + 1 == u32::from(b));
        Self::Class(ranges.map(|run| (run[0], run[run.len() - 1])).collect())
    }

    /// An ASCII digit.
    pub fn digit() -> Self {
        thread_local! {
            static DIGIT: Ranges = Arc::from([('0', '9')].as_slice());
        }
        Self::Class(DIGIT.with(Arc::clone))
    }

    /// One after the other.
    pub fn concat(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Empty => {}
                Self::Never => return Self::Never,
                Self::Concat(inner) => flat.extend(inner.iter().cloned()),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::Empty,
            1 => flat.remove(0),
            _ => Self::Concat(flat.into()),
        }
    }

    /// Any of them.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = parts.into_iter().filter(|part| !matches!(part, Self::Never));
        let Some(first) = parts.next() else { return Self::Never };
        let Some(second) = parts.next() else { return first };
        let mut flat: Vec<Self> = Vec::new();
        for part in [first, second].into_iter().chain(parts) {
            match part {
                Self::Or(inner) => flat.extend(inner.iter().cloned()),
                other => flat.push(other),
            }
        }
        Self::Or(flat.into())
    }

    /// All of them at once.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = parts.into_iter().filter(|part| !part.is_anything());
        let Some(first) = parts.next() else { return Self::anything() };
        let Some(second) = parts.next() else { return first };
        let mut flat: Vec<Self> = Vec::new();
        for part in [first, second].into_iter().chain(parts) {
            match part {
                Self::And(inner) => flat.extend(inner.iter().cloned()),
                other => flat.push(other),
            }
        }
        Self::And(flat.into())
    }

    /// Every other text.
    #[must_use]
    #[allow(clippy::should_implement_trait)] // beside `and` and `or`, a method reads better than `!`
    pub fn not(self) -> Self {
        match self {
            Self::Not(inner) => (*inner).clone(),
            Self::Never => Self::anything(),
            other => Self::Not(Arc::new(other)),
        }
    }

    /// What may follow `c` in its texts.
    #[must_use]
    pub fn after(self, c: char) -> Self {
        if self == Self::Never { self } else { Self::After(Arc::new(self), c) }
    }

    /// `low` to `high` times in a row.
    #[must_use]
    pub fn repeat(self, low: u32, high: Option<u32>) -> Self {
        if (low, high) == (1, Some(1)) {
            return self;
        }
        if let Self::Repeat(inner, least, most) = &self
            && let Some((low, high)) = multiply_counts((*least, *most), (low, high))
        {
            return Self::Repeat(Arc::clone(inner), low, high);
        }
        Self::Repeat(Arc::new(self), low, high)
    }

    /// Zero or one time.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeat(0, Some(1))
    }

    /// The same language as a tree that is made once in a process. A repeated class stays as it is, because callers
    /// look for that.
    pub fn of_static(tree: &'static Self) -> Self {
        if tree.class_times().is_some() { tree.clone() } else { Self::Static(Static(tree)) }
    }

    /// A copy that shares no node with this tree.
    #[must_use]
    pub fn unshared(&self) -> Self {
        let all = |parts: &[Self]| parts.iter().map(Self::unshared).collect();
        match self {
            Self::Class(ranges) => Self::Class(Arc::from(&**ranges)),
            Self::Concat(parts) => Self::Concat(all(parts)),
            Self::Or(parts) => Self::Or(all(parts)),
            Self::And(parts) => Self::And(all(parts)),
            Self::Not(inner) => Self::Not(Arc::new(inner.unshared())),
            Self::Repeat(inner, low, high) => Self::Repeat(Arc::new(inner.unshared()), *low, *high),
            Self::After(inner, c) => Self::After(Arc::new(inner.unshared()), *c),
            Self::Never | Self::Empty | Self::Multiple(_) | Self::Implicit(_) | Self::Static(_) | Self::Parser(_) => {
                self.clone()
            }
        }
    }

    /// Nodes of the tree and ranges of its classes, without those inside static trees.
    pub fn nodes(&self) -> usize {
        match self {
            Self::Class(ranges) => 1 + ranges.len(),
            Self::Concat(parts) | Self::Or(parts) | Self::And(parts) => {
                1 + parts.iter().map(Self::nodes).sum::<usize>()
            }
            Self::Not(inner) | Self::Repeat(inner, ..) | Self::After(inner, _) => 1 + inner.nodes(),
            Self::Never | Self::Empty | Self::Multiple(_) | Self::Implicit(_) | Self::Static(_) | Self::Parser(_) => 1,
        }
    }

    /// Whether it contains a divisor, whose remainders make many states.
    pub fn divides(&self) -> bool {
        match self {
            Self::Multiple(_) => true,
            Self::Concat(parts) | Self::Or(parts) | Self::And(parts) => parts.iter().any(Self::divides),
            Self::Not(inner) | Self::Repeat(inner, ..) => inner.divides(),
            Self::Static(tree) => tree.0.divides(),
            _ => false,
        }
    }

    /// Whether it has no text; `None` where that depends on intersections, complements or divisors.
    pub fn is_plainly_never(&self) -> Option<bool> {
        match self {
            Self::Never => Some(true),
            Self::Repeat(_, low, Some(high)) if low > high => Some(true),
            Self::Implicit(language) => language.shortest().map(|_| false),
            Self::Empty | Self::Repeat(_, 0, _) => Some(false),
            Self::Class(ranges) => Some(ranges.is_empty()),
            Self::Concat(parts) => parts.iter().try_fold(false, |never, part| Some(never | part.is_plainly_never()?)),
            Self::Or(parts) => parts.iter().try_fold(true, |never, part| Some(never & part.is_plainly_never()?)),
            Self::Repeat(inner, ..) => inner.is_plainly_never(),
            Self::Static(tree) => tree.0.is_plainly_never(),
            Self::And(parts) => parts
                .iter()
                .enumerate()
                .any(|(at, a)| parts[at + 1..].iter().any(|b| a.begins_apart(b)))
                .then_some(true),
            Self::Not(_) | Self::Multiple(_) | Self::After(..) | Self::Parser(_) => None,
        }
    }

    /// Whether texts of both differ in one of their first characters, as those of `k1-[a-z]+` and `k2-[a-z]+` do.
    fn begins_apart(&self, other: &Self) -> bool {
        self.first_classes().iter().zip(other.first_classes()).any(|pair| match pair {
            (Self::Class(a), Self::Class(b)) => a.iter().all(|&(low, high)| {
                let after = b.partition_point(|&(_, end)| end < low);
                b.get(after).is_none_or(|&(start, _)| high < start)
            }),
            _ => false,
        })
    }

    /// The classes that all texts begin with, one for each character.
    fn first_classes(&self) -> &[Self] {
        let all = match self {
            Self::Concat(parts) => parts,
            Self::Static(tree) => return tree.0.first_classes(),
            _ => std::slice::from_ref(self),
        };
        let others = all.iter().position(|part| !matches!(part, Self::Class(_)));
        &all[..others.unwrap_or(all.len())]
    }

    /// Whether it plainly has infinitely many texts.
    pub fn is_plainly_infinite(&self) -> bool {
        match self {
            Self::Repeat(inner, _, None) => matches!(**inner, Self::Class(_)),
            Self::Or(parts) => parts.iter().any(Self::is_plainly_infinite),
            Self::Concat(parts) => {
                parts.iter().any(Self::is_plainly_infinite)
                    && parts.iter().all(|part| part.is_plainly_never() == Some(false))
            }
            // All but finitely many texts of the one part that is not a complement.
            Self::And(parts) => {
                let mut others = parts.iter().filter(|part| !matches!(part, Self::Not(inner) if inner.is_finite()));
                others.next().is_none_or(Self::is_plainly_infinite) && others.next().is_none()
            }
            Self::Not(inner) => inner.is_finite(),
            Self::Static(tree) => tree.0.is_plainly_infinite(),
            _ => false,
        }
    }

    /// Whether it plainly has finitely many texts.
    fn is_finite(&self) -> bool {
        match self {
            Self::Never | Self::Empty | Self::Class(_) => true,
            Self::Concat(parts) | Self::Or(parts) => parts.iter().all(Self::is_finite),
            Self::And(parts) => parts.iter().any(Self::is_finite),
            Self::Repeat(inner, _, high) => high.is_some() && inner.is_finite(),
            Self::Static(tree) => tree.0.is_finite(),
            _ => false,
        }
    }

    /// Texts of `low` to `high` code points.
    pub fn length(low: u32, high: Option<u32>) -> Self {
        Self::any().repeat(low, high)
    }
}

/// The counts of `(x{a,b}){c,d}` as those of `x` alone, where they have no gaps: one counter instead of two.
fn multiply_counts((a, b): (u32, Option<u32>), (c, d): (u32, Option<u32>)) -> Option<(u32, Option<u32>)> {
    let is_empty = |low: u32, high: Option<u32>| high.is_some_and(|high| high < low);
    if is_empty(a, b) || is_empty(c, d) {
        return None;
    }
    // n rounds read n·a to n·b; the next round leaves no gap if n·b + 1 >= (n + 1)·a.
    let has_no_gap = match b {
        _ if a <= 1 || d == Some(c) => true,
        Some(b) => u64::from(c) * u64::from(b - a) >= u64::from(a - 1),
        None => c > 0,
    };
    let high = match (b, d) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (Some(b), Some(d)) => Some(b.checked_mul(d)?),
        _ => None,
    };
    has_no_gap.then_some((a.checked_mul(c)?, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    /// Against all sums of counts up to a bound.
    #[test]
    fn counts_are_multiplied_only_without_gaps() {
        const MOST: u32 = 40;
        let bounds = || (0..6_u32).flat_map(|low| (low..6).map(Some).chain([None]).map(move |high| (low, high)));
        for ((a, b), (c, d)) in bounds().flat_map(|inner| bounds().map(move |outer| (inner, outer))) {
            let sums = |rounds: u32| (a * rounds)..=b.map_or(MOST, |b| b * rounds);
            let counts: std::collections::BTreeSet<u32> = (c..=d.unwrap_or(MOST))
                .flat_map(|rounds| if rounds == 0 { 0..=0 } else { sums(rounds) })
                .filter(|&count| count <= MOST)
                .collect();
            let within = |low: u32, high: Option<u32>| (low..=high.unwrap_or(MOST)).filter(|&count| count <= MOST);
            if let Some((low, high)) = multiply_counts((a, b), (c, d)) {
                assert!(within(low, high).eq(counts.iter().copied()), "(x{{{a},{b:?}}}){{{c},{d:?}}}");
            } else {
                let all = counts.first().copied().unwrap_or(0)..=counts.last().copied().unwrap_or(0);
                assert!(all.count() > counts.len(), "(x{{{a},{b:?}}}){{{c},{d:?}}}");
            }
        }
    }

    /// What the tree shows agrees with what the automaton finds.
    #[test]
    fn what_begins_apart_has_no_text() {
        let (word, digit) = (Regular::range('a', 'z').repeat(1, None), Regular::digit());
        let all = [
            Regular::concat([Regular::text("k1-"), word.clone()]),
            Regular::concat([Regular::text("k2-"), word.clone()]),
            Regular::concat([Regular::text("k"), digit.clone(), word.clone()]),
            Regular::one_of("aeiou"),
            Regular::one_of("éàk"),
            Regular::concat([digit.clone().repeat(1, Some(2)), Regular::text("k")]),
            Regular::text(""),
            Regular::text("k1"),
            word,
        ];
        let mut apart = 0;
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let both = Regular::and([a.clone(), b.clone()]);
            let never = Automaton::new(&both, Encoding::Text, &Limits::default()).unwrap().is_never();
            let plain = both.is_plainly_never();
            assert!(plain.is_none_or(|plain| plain == never), "{both:?}");
            apart += usize::from(plain == Some(true));
        }
        assert_eq!(apart, 14);
    }

    /// What plainly has infinitely many texts has long ones.
    #[test]
    fn plainly_infinite_has_long_texts() {
        let (words, digits) = (Regular::range('a', 'z').repeat(0, None), Regular::digit().repeat(0, Some(3)));
        let few = Regular::or([Regular::text("a"), Regular::text("b")]);
        let not_few = few.clone().not();
        let all = [
            (Regular::concat([Regular::text("x-"), words.clone()]), true),
            (Regular::concat([Regular::text("x-"), digits.clone()]), false),
            (Regular::Concat([Regular::Never, words.clone()].into()), false),
            (Regular::and([words.clone(), not_few.clone()]), true),
            (Regular::and([digits.clone(), not_few.clone()]), false),
            (Regular::and([not_few.clone(), Regular::text("c").not()]), true),
            (Regular::and([words.clone(), Regular::concat([Regular::text("x-"), words])]), false), // it has, not plainly
            (not_few, true),
        ];
        for (tree, plainly) in all {
            assert_eq!(tree.is_plainly_infinite(), plainly, "{tree:?}");
            let long = Regular::and([tree.clone(), Regular::length(100, None)]);
            let has_long = !Automaton::new(&long, Encoding::Text, &Limits::default()).unwrap().is_never();
            assert!(!plainly || has_long, "{tree:?}");
        }
    }
}
