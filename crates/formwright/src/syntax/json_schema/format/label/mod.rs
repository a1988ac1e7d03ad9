//! U-labels: one part of the name of a host, in Unicode (RFC 5890 to 5893).
//!
//! ```text
//! münchen    παράδειγμα    col·lecció    דוגמה    नेपाली    テスト
//! ```
//!
//! A label is read letter by letter. Of what came before, a [`Label`] keeps what the
//! rules ask for: the neighbour that the next letter may want or fear (RFC 5892,
//! appendix A), the directions so far (RFC 5893), how long it is. Unicode's
//! properties say what a [`Letter`] is to the rules; the same letters in
//! the eyes of the rules are one class of an alphabet.
//!
//! Cost: one pass over the letters of Unicode, once a process, when the first name
//! is asked for; a few instructions a letter. Wrinkle: normal form C and the 63
//! bytes of the A-label are no rules about letters, so stricter ones stand in for
//! them ([`Level`], [`Label::short`]).

use std::sync::OnceLock;

use indexmap::IndexMap;
use unicode_bidi::{BidiClass, bidi_class};
use unicode_joining_type::{JoiningType, get_joining_type};
use unicode_normalization::{IsNormalized, char::canonical_combining_class, is_nfkc_quick};

use super::parse;
use crate::regular::{Implicit, ImplicitLanguage, Ranges, Regular};

/// How a label is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// Nothing in it reads from right to left, and nothing in the other labels of its name does.
    Plain,
    /// From left to right, beside labels that read from right to left.
    Left,
    /// From right to left.
    Right,
}

impl Direction {
    fn takes(self, side: Side) -> bool {
        match self {
            Self::Right => side != Side::Left,
            Self::Plain | Self::Left => ![Side::Right, Side::ArabicNumber].contains(&side),
        }
    }
}

/// The labels of a direction with something beyond ASCII in them.
pub(super) fn u_label(direction: Direction) -> Regular {
    Label::new(direction).finished().map_or(Regular::Never, Reading::language)
}

/// Code points that a label may have beyond ASCII, before any rule about neighbours (RFC 5892, section 2): letters,
/// marks and digits that folding leaves alone, the exceptions of section 2.6, and those of the appendix.
const VALID: &str = r"[[\p{L}\p{Mn}\p{Mc}\p{Nd}--[\p{Lt}\x00-\x7F\p{Changes_When_Casefolded}\p{Default_Ignorable_Code_Point}\p{White_Space}\u{1100}-\u{11FF}\u{A960}-\u{A97F}\u{D7B0}-\u{D7FF}\u{20D0}-\u{20FF}\u{1D100}-\u{1D24F}\u{640}\u{7FA}\u{302E}\u{302F}\u{3031}-\u{3035}\u{303B}]]\u{DF}\u{3C2}\u{6FD}\u{6FE}\u{F0B}\u{3007}\u{B7}\u{375}\u{5F3}\u{5F4}\u{30FB}\u{200C}\u{200D}]";

/// What the rules want to know of a code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Letter {
    role: Role,
    level: Level,
    /// It cannot come first.
    mark: bool,
    side: Side,
    joins_next: bool,
    joins_previous: bool,
    digits: Digits,
    bytes: u8,
}

/// Letters with rules of their own, and those that such rules name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
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

/// Normal form C orders the marks of a letter by combining class. Here each letter has at most one mark of
/// a low class and one of a high class behind it; marks that may melt into the letter are not valid at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Level {
    Starter,
    Low,
    High,
}

/// The largest low combining class: Thai vowels are 103, Thai tones 107.
const LOW: u8 = 106;
const VIRAMA: u8 = 9;

/// Directions, as far as the Bidi rule tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
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
enum Digits {
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

fn role(c: char, combining: u8, scripts: &Scripts) -> Role {
    match c {
        '-' => Role::Hyphen,
        'l' => Role::SmallL,
        '\u{B7}' => Role::MiddleDot,
        '\u{375}' => Role::Keraia,
        '\u{5F3}' | '\u{5F4}' => Role::Geresh,
        '\u{30FB}' => Role::KatakanaDot,
        '\u{200C}' => Role::NonJoiner,
        '\u{200D}' => Role::Joiner,
        _ if combining == VIRAMA => Role::Virama,
        _ if within(&scripts.greek, c) => Role::Greek,
        _ if within(&scripts.hebrew, c) => Role::Hebrew,
        _ if within(&scripts.kana, c) => Role::Kana,
        _ => Role::Other,
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

/// Letters that are the same to the rules: a place in [`Letters::kinds`].
pub(super) type Kind = u8;

/// All letters of labels.
struct Letters {
    /// In ascending order, neighbours of one kind together.
    table: Vec<(char, char, Kind)>,
    kinds: IndexMap<Letter, Regular>,
}

impl Letters {
    fn get() -> &'static Self {
        static LETTERS: OnceLock<Letters> = OnceLock::new();
        LETTERS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let scripts = Scripts::new();
        let mut table: Vec<(char, char, Kind)> = Vec::new();
        let mut kinds: IndexMap<Letter, Vec<(char, char)>> = IndexMap::new();
        for (first, last) in ranges("[0-9a-z-]").iter().chain(ranges(VALID).iter()).flat_map(|&range| pieces(range)) {
            let Some(letter) = Letter::new(first, &scripts) else { continue };
            let entry = kinds.entry(letter);
            let kind = entry.index() as Kind;
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
pub(super) fn kind(c: char) -> Option<Kind> {
    let table = &Letters::get().table;
    let (first, _, kind) = *table.get(table.partition_point(|&(_, last, _)| last < c))?;
    (first <= c).then_some(kind)
}

/// The first code point from `code` on that labels of that direction may have.
pub(super) fn next_code(direction: Direction, code: u32) -> Option<u32> {
    let Letters { table, kinds } = Letters::get();
    let from = table.partition_point(|&(_, last, _)| u32::from(last) < code);
    let welcome =
        |kind: Kind| kinds.get_index(usize::from(kind)).is_some_and(|(letter, _)| direction.takes(letter.side));
    let &(first, ..) = table[from..].iter().find(|&&(.., kind)| welcome(kind))?;
    Some(code.max(u32::from(first)))
}

/// What the next letter may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    Nothing,
    Hyphen,
    SmallL,
    MiddleDot,
    Keraia,
    Hebrew,
    Virama,
    /// A letter that joins with the next one.
    Joining,
    /// A joiner behind a virama.
    Joiner,
    /// A non-joiner behind a letter that joins: the next one must join with it too.
    Parted,
    Other,
}

/// Whether the dot of katakana has the company it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kana {
    None,
    Wanted,
    Found,
}

/// A label as far as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Label {
    direction: Direction,
    before: Before,
    level: Level,
    kana: Kana,
    digits: Digits,
    /// From right to left: the numbers it has, if any; European ones and Arabic ones do not meet.
    numbers: Option<Side>,
    /// Whether the Bidi rule lets it end here.
    ends: bool,
    length: u8,
    /// Code points beyond ASCII, and whether one is beyond U+07FF.
    beyond: u8,
    wide: bool,
}

impl Label {
    pub(super) fn new(direction: Direction) -> Self {
        Self {
            direction,
            before: Before::Nothing,
            level: Level::High,
            kana: Kana::None,
            digits: Digits::None,
            numbers: None,
            ends: direction == Direction::Plain,
            length: 0,
            beyond: 0,
            wide: false,
        }
    }

    /// The label with one more letter; None if no label goes on so.
    pub(super) fn read(self, kind: Kind) -> Option<Self> {
        let (&letter, _) = Letters::get().kinds.get_index(usize::from(kind))?;
        self.with(letter)
    }

    fn with(self, letter: Letter) -> Option<Self> {
        let label = Self {
            before: self.neighbour(letter)?,
            level: self.order(letter)?,
            kana: self.company(letter),
            digits: self.digits(letter)?,
            length: self.length + 1,
            beyond: self.beyond + u8::from(letter.bytes > 1),
            wide: self.wide || letter.bytes > 2,
            ..self.directed(letter)?
        };
        label.short().then_some(label)
    }

    /// The rules about what comes next to each other (RFC 5891, section 4.2.3; RFC 5892, appendix A.1 to A.6).
    fn neighbour(self, letter: Letter) -> Option<Before> {
        let wanted = match self.before {
            Before::MiddleDot => letter.role == Role::SmallL,
            Before::Keraia => letter.role == Role::Greek || letter.role == Role::Keraia,
            Before::Parted => letter.joins_previous,
            _ => true,
        };
        let first_or_fourth = self.length == 0 || self.length == 3 && self.before == Before::Hyphen;
        let before = match (letter.role, self.before) {
            (Role::Hyphen, _) if !first_or_fourth => Before::Hyphen,
            (Role::MiddleDot, Before::SmallL) => Before::MiddleDot,
            (Role::Geresh, Before::Hebrew) | (Role::Hebrew, _) => Before::Hebrew,
            (Role::Joiner | Role::NonJoiner, Before::Virama) => Before::Joiner,
            (Role::NonJoiner, Before::Joining) => Before::Parted,
            (Role::Hyphen | Role::MiddleDot | Role::Geresh | Role::Joiner | Role::NonJoiner, _) => return None,
            (Role::SmallL, _) => Before::SmallL,
            (Role::Keraia, _) => Before::Keraia,
            (Role::Virama, _) => Before::Virama,
            _ if letter.joins_next => Before::Joining,
            _ => Before::Other,
        };
        wanted.then_some(before)
    }

    fn order(self, letter: Letter) -> Option<Level> {
        let first = self.length == 0;
        let ascends = letter.level == Level::Starter || letter.level > self.level;
        (ascends && !(first && letter.mark)).then_some(letter.level)
    }

    /// RFC 5892, appendix A.7.
    fn company(self, letter: Letter) -> Kana {
        match (self.kana, letter.role) {
            (_, Role::Kana) => Kana::Found,
            (Kana::None, Role::KatakanaDot) => Kana::Wanted,
            (kana, _) => kana,
        }
    }

    /// RFC 5892, appendix A.8 and A.9.
    fn digits(self, letter: Letter) -> Option<Digits> {
        match (self.digits, letter.digits) {
            (digits, Digits::None) | (Digits::None, digits) => Some(digits),
            (one, other) => (one == other).then_some(one),
        }
    }

    /// The Bidi rule (RFC 5893, section 2).
    fn directed(self, letter: Letter) -> Option<Self> {
        let strong = match self.direction {
            Direction::Plain => letter.side,
            Direction::Left => Side::Left,
            Direction::Right => Side::Right,
        };
        if !self.direction.takes(letter.side) || self.length == 0 && letter.side != strong {
            return None;
        }
        if self.direction == Direction::Plain {
            return Some(self);
        }
        let ends = match letter.side {
            Side::Inert => self.ends,
            side => side != Side::Neutral,
        };
        let number =
            [Side::EuropeanNumber, Side::ArabicNumber].contains(&letter.side) && self.direction == Direction::Right;
        let numbers = if number { Some(letter.side) } else { self.numbers };
        (self.numbers.is_none() || self.numbers == numbers).then_some(Self { numbers, ends, ..self })
    }

    /// Whether it has at most 61 bytes as an A-label.
    ///
    /// That is `xn--`, the ASCII part, a hyphen, and a number for each other code point. There are 56 bytes for
    /// ASCII part and numbers. A number has at most six digits in a label of 50 code points, five in one of
    /// eleven (but perhaps one of them), and four in one of fourteen below U+0800.
    fn short(self) -> bool {
        let (length, beyond) = (self.length, self.beyond);
        length <= 11 || length + 5 * beyond <= 56 || length <= 14 && !self.wide
    }

    /// Whether it may become longer by something beyond ASCII.
    pub(super) fn has_room(self) -> bool {
        Self { length: self.length + 1, beyond: self.beyond + 1, ..self }.short()
    }

    /// Whether it is a U-label.
    pub(super) fn complete(self) -> bool {
        let wants = [Before::Hyphen, Before::MiddleDot, Before::Keraia, Before::Joiner, Before::Parted];
        self.beyond > 0 && self.ends && self.kana != Kana::Wanted && !wants.contains(&self.before)
    }

    /// Whether a label of at most `bytes` more bytes begins so.
    fn ends_within(self, bytes: u32) -> bool {
        let goes_on = |letter: &Letter| {
            let rest = bytes.checked_sub(u32::from(letter.bytes));
            rest.is_some_and(|rest| self.with(*letter).is_some_and(|label| label.ends_within(rest)))
        };
        self.complete() || Letters::get().kinds.keys().any(goes_on)
    }

    /// With what an automaton asks for; None if nothing ends so.
    fn finished(self) -> Option<Reading> {
        // Two letters of three bytes: one for a neighbour, one for the dot of katakana.
        let shortest = (0..=6).find(|&bytes| self.ends_within(bytes))?;
        Some(Reading { label: self, shortest, key: format!("{self:?}") })
    }
}

/// A [`Label`] as a language: of what completes it.
struct Reading {
    label: Label,
    shortest: u32,
    key: String,
}

impl Reading {
    fn language(self) -> Regular {
        Regular::Implicit(Implicit::new(self))
    }
}

impl ImplicitLanguage for Reading {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        Letters::get().kinds.values().cloned().collect()
    }

    fn derivative(&self, c: char) -> Regular {
        let next = kind(c).and_then(|kind| self.label.read(kind)?.finished());
        next.map_or(Regular::Never, Self::language)
    }

    fn nullable(&self) -> bool {
        self.label.complete()
    }

    fn shortest(&self) -> u32 {
        self.shortest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(direction: Direction, text: &str) -> bool {
        let read = |label: Label, c: char| label.read(kind(c)?);
        text.chars().try_fold(Label::new(direction), read).is_some_and(Label::complete)
    }

    #[test]
    fn letters_of_every_script() {
        for text in [
            "münchen",
            "straße",
            "παράδειγμα",
            "пример",
            "テスト",
            "例え",
            "중국",
            "ผู้",
            "देवनागरी",
            "ü-1",
            "1ü",
            "q\u{332}ß",
        ] {
            assert!(is(Direction::Plain, text), "{text}");
        }
        // Capitals, symbols, what normalisation changes, marks first, emoji, hyphens out of place, plain ASCII.
        for text in [
            "München",
            "a€",
            "ﬁx",
            "cafe\u{301}",
            "\u{307}a",
            "a☃",
            "😀",
            "-ü",
            "ü-",
            "ab--ü",
            "abc",
            "",
            "ａ",
            "a\u{ad}ü",
        ] {
            assert!(!is(Direction::Plain, text), "{text}");
        }
    }

    #[test]
    fn neighbours() {
        for text in ["l·l", "col·lecció", "α͵β", "क्\u{200D}ष", "क्\u{200C}ष", "・ア", "漢・字"]
        {
            assert!(is(Direction::Plain, text), "{text}");
        }
        for text in ["·l", "l·", "l·a", "a·l", "α͵", "α͵b", "क\u{200D}ष", "\u{200C}ष", "・", "é・a", "é\u{200C}b"]
        {
            assert!(!is(Direction::Plain, text), "{text}");
        }
        for text in ["א׳", "א״ב", "بي\u{200C}بي"] {
            assert!(is(Direction::Right, text), "{text}");
        }
        for text in ["׳א", "د\u{200C}ب", "ب\u{200C}", "ب\u{200C}1"] {
            assert!(!is(Direction::Right, text), "{text}");
        }
    }

    #[test]
    fn directions() {
        for text in ["אב", "א1", "ب٠", "א-ב", "בְּ", "ب1"] {
            assert_eq!((is(Direction::Right, text), is(Direction::Plain, text)), (text != "בְּ", false), "{text}");
        }
        for text in ["1א", "אa", "ب٠1", "٠ب", "ب٠۰", "א-"] {
            assert!(!is(Direction::Right, text), "{text}");
        }
        assert!(is(Direction::Left, "ü1") && !is(Direction::Left, "1ü") && is(Direction::Plain, "1ü"));
        assert!(is(Direction::Plain, "۰0") && !is(Direction::Left, "۰0"));
    }

    #[test]
    fn long_labels() {
        let ascii = |length| format!("{}ü", "a".repeat(length));
        assert!(is(Direction::Plain, &ascii(50)) && !is(Direction::Plain, &ascii(51)));
        assert!(is(Direction::Plain, &"я".repeat(14)) && !is(Direction::Plain, &"я".repeat(15)));
        assert!(is(Direction::Plain, &"字".repeat(11)) && !is(Direction::Plain, &"字".repeat(12)));
    }

    #[test]
    fn blocks_are_alike() {
        let scripts = Scripts::new();
        for (first, last) in ALIKE {
            let letter = Letter::new(first, &scripts);
            assert!((first..=last).all(|c| Letter::new(c, &scripts) == letter), "{first}");
        }
        assert!(Letters::get().kinds.len() < usize::from(Kind::MAX));
    }
}
