//! U-labels: one part of the name of a host, in Unicode (RFC 5890 to 5893).
//!
//! ```text
//! münchen    παράδειγμα    col·lecció    דוגמה    नेपाली    テスト
//! ```
//!
//! A label is read letter by letter. Of what came before, a [`Label`] keeps what the rules ask for: the neighbour that
//! the next letter may need or must not have (RFC 5892, appendix A), the directions so far (RFC 5893), how long it is.
//!
//! Cost: a few instructions a letter, once the table of [`letters`] is there. Normal form C and the 63 bytes
//! of the A-label are not rules about letters, so stricter ones are in for them ([`Level`], [`Label::is_short`]).

mod letters;

use crate::regular::{Implicit, ImplicitLanguage, Regular};
use letters::{Digits, Letter, LetterRole, Letters, Level, Side};
pub(super) use letters::{LetterKind, kind, next_code};

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
    Label::new(direction).finished().map_or(Regular::Never, LabelRest::language)
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
    /// A joiner after a virama.
    Joiner,
    /// A non-joiner after a letter that joins: the next one must join with it too.
    Parted,
    Other,
}

/// Whether the dot of katakana has a letter of kana beside it, as it must.
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

    /// The label with one more letter; None if no label begins like this.
    pub(super) fn read(self, kind: LetterKind) -> Option<Self> {
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
        label.is_short().then_some(label)
    }

    /// The rules about what comes next to each other (RFC 5891, section 4.2.3; RFC 5892, appendix A.1 to A.6).
    fn neighbour(self, letter: Letter) -> Option<Before> {
        let wanted = match self.before {
            Before::MiddleDot => letter.role == LetterRole::SmallL,
            Before::Keraia => letter.role == LetterRole::Greek || letter.role == LetterRole::Keraia,
            Before::Parted => letter.joins_previous,
            _ => true,
        };
        let first_or_fourth = self.length == 0 || self.length == 3 && self.before == Before::Hyphen;
        let before = match (letter.role, self.before) {
            (LetterRole::Hyphen, _) if !first_or_fourth => Before::Hyphen,
            (LetterRole::MiddleDot, Before::SmallL) => Before::MiddleDot,
            (LetterRole::Geresh, Before::Hebrew) | (LetterRole::Hebrew, _) => Before::Hebrew,
            (LetterRole::Joiner | LetterRole::NonJoiner, Before::Virama) => Before::Joiner,
            (LetterRole::NonJoiner, Before::Joining) => Before::Parted,
            (
                LetterRole::Hyphen
                | LetterRole::MiddleDot
                | LetterRole::Geresh
                | LetterRole::Joiner
                | LetterRole::NonJoiner,
                _,
            ) => return None,
            (LetterRole::SmallL, _) => Before::SmallL,
            (LetterRole::Keraia, _) => Before::Keraia,
            (LetterRole::Virama, _) => Before::Virama,
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
            (_, LetterRole::Kana) => Kana::Found,
            (Kana::None, LetterRole::KatakanaDot) => Kana::Wanted,
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
    fn is_short(self) -> bool {
        let (length, beyond) = (self.length, self.beyond);
        length <= 11 || length + 5 * beyond <= 56 || length <= 14 && !self.wide
    }

    /// Whether it may become longer by something beyond ASCII.
    pub(super) fn has_room(self) -> bool {
        Self { length: self.length + 1, beyond: self.beyond + 1, ..self }.is_short()
    }

    /// Whether it is a U-label.
    pub(super) fn complete(self) -> bool {
        let wants = [Before::Hyphen, Before::MiddleDot, Before::Keraia, Before::Joiner, Before::Parted];
        self.beyond > 0 && self.ends && self.kana != Kana::Wanted && !wants.contains(&self.before)
    }

    /// Whether at most `bytes` more bytes complete it.
    fn ends_within(self, bytes: u32) -> bool {
        let goes_on = |letter: &Letter| {
            let rest = bytes.checked_sub(u32::from(letter.bytes));
            rest.is_some_and(|rest| self.with(*letter).is_some_and(|label| label.ends_within(rest)))
        };
        self.complete() || Letters::get().kinds.keys().any(goes_on)
    }

    /// What completes this label; None if nothing does.
    fn finished(self) -> Option<LabelRest> {
        // Two letters of three bytes: one for a neighbour, one for the dot of katakana.
        let shortest = (0..=6).find(|&bytes| self.ends_within(bytes))?;
        Some(LabelRest { label: self, shortest, key: format!("{self:?}") })
    }
}

/// What completes a [`Label`], as a language.
struct LabelRest {
    label: Label,
    shortest: u32,
    key: String,
}

impl LabelRest {
    fn language(self) -> Regular {
        Regular::Implicit(Implicit::new(self))
    }
}

impl ImplicitLanguage for LabelRest {
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

    fn shortest(&self) -> Option<u32> {
        Some(self.shortest)
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
}
