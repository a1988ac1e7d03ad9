//! What code points are to the rules about labels: a [`Letter`] each, from the properties that Unicode gives them.
//!
//! ```text
//! l  SmallL, from left to right       ·  MiddleDot       א  Hebrew, from right to left
//! ```
//!
//! Letters that are the same to every rule are one kind, and the kinds are the alphabet of the language of labels.
//!
//! Cost: one pass over the code points of Unicode, once a process, when the first name is asked for.

use std::sync::OnceLock;

use indexmap::IndexMap;
use unicode_bidi::{BidiClass, bidi_class};
use unicode_joining_type::{JoiningType, get_joining_type};
use unicode_normalization::{IsNormalized, char::canonical_combining_class, is_nfkc_quick};

use super::Direction;
use crate::regular::{Ranges, Regular};
use crate::syntax::json_schema::format::parse;

/// Code points that a label may have beyond ASCII, before any rule about neighbours (RFC 5892, section 2): letters,
/// marks and digits that folding leaves alone, the exceptions of section 2.6, and those of the appendix.
const VALID: &str = r"[[\p{L}\p{Mn}\p{Mc}\p{Nd}--[\p{Lt}\x00-\x7F\p{Changes_When_Casefolded}\p{Default_Ignorable_Code_Point}\p{White_Space}\u{1100}-\u{11FF}\u{A960}-\u{A97F}\u{D7B0}-\u{D7FF}\u{20D0}-\u{20FF}\u{1D100}-\u{1D24F}\u{640}\u{7FA}\u{302E}\u{302F}\u{3031}-\u{3035}\u{303B}]]\u{DF}\u{3C2}\u{6FD}\u{6FE}\u{F0B}\u{3007}\u{B7}\u{375}\u{5F3}\u{5F4}\u{30FB}\u{200C}\u{200D}]";

/// What the rules ask about a code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Letter {
    pub role: LetterRole,
    pub level: Level,
    /// It cannot come first.
    pub mark: bool,
    pub side: Side,
    pub joins_next: bool,
    pub joins_previous: bool,
    pub digits: Digits,
    pub bytes: u8,
}

/// Letters with rules of their own, and those that such rules name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LetterRole {
    Hyphen,
    SmallL,
    MiddleDot,
    Keraia,
    Greek,
    Geresh,
    Hebrew,
    KatakanaDot,
    Kana,
    NonJoiner,
    Joiner,
    Virama,
    Other,
}

/// Normal form C orders the marks of a letter by combining class. Here each letter has at most one mark of a low class
/// and one of a high class after it; marks that normalisation may compose with the letter are not valid at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Level {
    Starter,
    Low,
    High,
}

/// The largest low combining class: Thai vowels are 103, Thai tones 107.
const LOW: u8 = 106;

const VIRAMA: u8 = 9;

/// Directions, as far as the Bidi rule tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Left,
    Right,
    EuropeanNumber,
    ArabicNumber,
    /// Marks that have the direction of their letter.
    Inert,
    Neutral,
}

/// Arabic digits, of which a label has one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Digits {
    None,
    ArabicIndic,
    Extended,
}

impl Letter {
    /// None for what normalisation changes, or may change beside other letters.
    fn new(c: char, scripts: &Scripts) -> Option<Self> {
        let combining = canonical_combining_class(c);
        let joining = get_joining_type(c);
        (is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes).then_some(Self {
            role: role(c, combining, scripts),
            level: match combining {
                0 => Level::Starter,
                1..=LOW => Level::Low,
                _ => Level::High,
            },
            mark: within(&scripts.marks, c),
            side: side(c)?,
            joins_next: matches!(joining, JoiningType::LeftJoining | JoiningType::DualJoining),
            joins_previous: matches!(joining, JoiningType::RightJoining | JoiningType::DualJoining),
            digits: match c {
                '\u{660}'..='\u{669}' => Digits::ArabicIndic,
                '\u{6F0}'..='\u{6F9}' => Digits::Extended,
                _ => Digits::None,
            },
            bytes: c.len_utf8() as u8,
        })
    }
}

fn role(c: char, combining: u8, scripts: &Scripts) -> LetterRole {
    match c {
        '-' => LetterRole::Hyphen,
        'l' => LetterRole::SmallL,
        '\u{B7}' => LetterRole::MiddleDot,
        '\u{375}' => LetterRole::Keraia,
        '\u{5F3}' | '\u{5F4}' => LetterRole::Geresh,
        '\u{30FB}' => LetterRole::KatakanaDot,
        '\u{200C}' => LetterRole::NonJoiner,
        '\u{200D}' => LetterRole::Joiner,
        _ if combining == VIRAMA => LetterRole::Virama,
        _ if within(&scripts.greek, c) => LetterRole::Greek,
        _ if within(&scripts.hebrew, c) => LetterRole::Hebrew,
        _ if within(&scripts.kana, c) => LetterRole::Kana,
        _ => LetterRole::Other,
    }
}

fn side(c: char) -> Option<Side> {
    Some(match bidi_class(c) {
        BidiClass::L => Side::Left,
        BidiClass::R | BidiClass::AL => Side::Right,
        BidiClass::EN => Side::EuropeanNumber,
        BidiClass::AN => Side::ArabicNumber,
        BidiClass::NSM => Side::Inert,
        BidiClass::ES | BidiClass::CS | BidiClass::ET | BidiClass::ON | BidiClass::BN => Side::Neutral,
        _ => return None,
    })
}

/// Classes of code points that rules name.
struct Scripts {
    marks: Ranges,
    greek: Ranges,
    hebrew: Ranges,
    kana: Ranges,
}

impl Scripts {
    fn new() -> Self {
        Self {
            marks: ranges(r"\p{M}"),
            greek: ranges(r"\p{Greek}"),
            hebrew: ranges(r"\p{Hebrew}"),
            kana: ranges(r"[\p{Hiragana}\p{Katakana}\p{Han}]"),
        }
    }
}

fn ranges(class: &str) -> Ranges {
    match parse(class) {
        Regular::Class(ranges) => ranges,
        _ => Ranges::default(),
    }
}

fn within(ranges: &Ranges, c: char) -> bool {
    ranges.get(ranges.partition_point(|&(_, last)| last < c)).is_some_and(|&(first, _)| first <= c)
}

/// Letters that are the same to the rules: an index in [`Letters::kinds`].
pub(in super::super) type LetterKind = u8;

/// All letters of labels.
pub(super) struct Letters {
    /// In ascending order, neighbours of one kind together.
    pub table: Vec<(char, char, LetterKind)>,
    pub kinds: IndexMap<Letter, Regular>,
}

impl Letters {
    pub fn get() -> &'static Self {
        static LETTERS: OnceLock<Letters> = OnceLock::new();
        LETTERS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let scripts = Scripts::new();
        let mut table: Vec<(char, char, LetterKind)> = Vec::new();
        let mut kinds: IndexMap<Letter, Vec<(char, char)>> = IndexMap::new();
        for (first, last) in ranges("[0-9a-z-]").iter().chain(ranges(VALID).iter()).flat_map(|&range| pieces(range)) {
            let Some(letter) = Letter::new(first, &scripts) else { continue };
            let entry = kinds.entry(letter);
            let kind = entry.index() as LetterKind;
            let same = entry.or_default();
            match table.last_mut() {
                Some((_, end, last_kind)) if *last_kind == kind && u32::from(*end) + 1 == u32::from(first) => {
                    *end = last;
                    if let Some(range) = same.last_mut() {
                        range.1 = last;
                    }
                }
                _ => {
                    table.push((first, last, kind));
                    same.push((first, last));
                }
            }
        }
        let kinds = kinds.into_iter().map(|(letter, ranges)| (letter, Regular::Class(ranges.into()))).collect();
        Self { table, kinds }
    }
}

/// Blocks of code points that are alike, the largest of Unicode: ideographs and the syllables of Hangul and Tangut.
const ALIKE: [(char, char); 5] = [
    ('\u{3400}', '\u{4DBF}'),
    ('\u{4E00}', '\u{9FFF}'),
    ('\u{AC00}', '\u{D7A3}'),
    ('\u{17000}', '\u{187F7}'),
    ('\u{20000}', '\u{2A6DF}'),
];

/// A range as single code points, but blocks of [`ALIKE`] in one piece.
fn pieces((first, last): (char, char)) -> impl Iterator<Item = (char, char)> {
    let mut next = Some(first);
    std::iter::from_fn(move || {
        let start = next.filter(|&start| start <= last)?;
        let block = ALIKE.iter().find(|&&(from, to)| from == start && to <= last);
        let end = block.map_or(start, |&(_, to)| to);
        next = (end..=char::MAX).nth(1);
        Some((start, end))
    })
}

/// The kind of a code point, if labels may have it.
pub(in super::super) fn kind(c: char) -> Option<LetterKind> {
    let table = &Letters::get().table;
    let (first, _, kind) = *table.get(table.partition_point(|&(_, last, _)| last < c))?;
    (first <= c).then_some(kind)
}

/// The first code point from `code` on that labels of that direction may have.
pub(in super::super) fn next_code(direction: Direction, code: u32) -> Option<u32> {
    let Letters { table, kinds } = Letters::get();
    let from = table.partition_point(|&(_, last, _)| u32::from(last) < code);
    let welcome =
        |kind: LetterKind| kinds.get_index(usize::from(kind)).is_some_and(|(letter, _)| direction.takes(letter.side));
    let &(first, ..) = table[from..].iter().find(|&&(.., kind)| welcome(kind))?;
    Some(code.max(u32::from(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_alike() {
        let scripts = Scripts::new();
        for (first, last) in ALIKE {
            let letter = Letter::new(first, &scripts);
            assert!((first..=last).all(|c| Letter::new(c, &scripts) == letter), "{first}");
        }
        assert!(Letters::get().kinds.len() < usize::from(LetterKind::MAX));
    }
}
