//! A-labels: labels in Unicode, spelled in ASCII by Punycode (RFC 3492).
//!
//! ```text
//! xn--4dbc5h  ─ read "4db" → at 0 insert U+05D0  ─ "c" → at 1 U+05D1  ─ "5h" → at 1 U+05F3:  א׳ב
//! ```
//!
//! A label is read as the decoder of the specification reads it, and must be a U-label after every insertion. Code
//! points are inserted in ascending order, so this leaves out labels that only their largest code point makes valid. In
//! return, a text can always end after the number that is being read.
//!
//! Cost: a state looks for the next valid insertion, usually a few numbers away. There are many states, since most
//! digits insert *something*: up to five thousand for a mask. Ideographs would multiply them, hence [`LAST_CODE`].
//! The ASCII part, which comes first, is letters and digits only, and each of them is treated as the letter
//! `a`: no rule about U-labels treats an `a` better than other letters, or than digits where nothing reads from right
//! to left.

use super::label::{Direction, Label, LetterKind, kind, next_code};
use crate::regular::{Implicit, ImplicitLanguage, Regular};

// The parameters of RFC 3492, section 5.
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const INITIAL_BIAS: u32 = 72;
const INITIAL_CODE: u32 = 0x80;

/// The largest code point of a label.
const LAST_CODE: u32 = 0x30FF;

/// `xn--` and the Punycode of a U-label.
pub(super) fn a_label(direction: Direction) -> Regular {
    let unicode = Insertions::new(direction, 0).map_or(Regular::Never, Insertions::language);
    let mixed = Basic::new(direction, 0).map_or(Regular::Never, Basic::language);
    Regular::concat([Regular::text("xn--"), Regular::or([unicode, mixed])])
}

/// The ASCII part after some letters and digits: more of them, or a hyphen and insertions.
///
/// Labels from right to left have none here: an `a` reads from left to right.
struct Basic {
    direction: Direction,
    letters: u32,
    shortest: u32,
    key: String,
}

impl Basic {
    /// None when nothing can be inserted.
    fn new(direction: Direction, letters: u32) -> Option<Self> {
        let rest = if letters == 0 {
            Self::new(direction, 1)?.shortest
        } else {
            Insertions::new(direction, letters)?.shortest
        };
        Some(Self { direction, letters, shortest: 1 + rest, key: format!("punycode {direction:?} {letters}") })
    }

    fn language(self) -> Regular {
        Regular::Implicit(Implicit::new(self))
    }
}

impl ImplicitLanguage for Basic {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        alphabet()
    }

    fn derivative(&self, c: char) -> Regular {
        let next = match c {
            'a'..='z' | '0'..='9' => Self::new(self.direction, self.letters + 1).map(Self::language),
            '-' if self.letters > 0 => Insertions::new(self.direction, self.letters).map(Insertions::language),
            _ => None,
        };
        next.unwrap_or(Regular::Never)
    }

    fn nullable(&self) -> bool {
        false
    }

    fn shortest(&self) -> Option<u32> {
        Some(self.shortest)
    }
}

fn alphabet() -> Vec<Regular> {
    ('a'..='z').chain('0'..='9').chain(['-']).map(|c| Regular::range(c, c)).collect()
}

/// Between two characters of the numbers that say what is inserted where.
#[derive(Clone)]
struct Insertions {
    direction: Direction,
    /// What was decoded so far, as the rules of labels see it.
    label: Vec<LetterKind>,
    /// Last code point inserted, the place after it, and how numbers are cut into digits.
    code: u32,
    place: u32,
    bias: u32,
    /// The number being read: its value so far, what the next digit counts, and how many were read.
    number: u32,
    weight: u32,
    digits: u32,
    /// Characters of the shortest end.
    shortest: u32,
    key: String,
}

impl Insertions {
    fn new(direction: Direction, letters: u32) -> Option<Self> {
        let label = vec![kind('a')?; letters as usize];
        Self {
            direction,
            label,
            code: INITIAL_CODE,
            place: 0,
            bias: INITIAL_BIAS,
            number: 0,
            weight: 1,
            digits: 0,
            shortest: 0,
            key: String::new(),
        }
        .finished()
    }

    fn language(self) -> Regular {
        Regular::Implicit(Implicit::new(self))
    }

    /// With its key and its shortest end; None when nothing can follow.
    fn finished(mut self) -> Option<Self> {
        self.shortest = self.shortest_end()?;
        let Self { direction, ref label, code, place, bias, number, weight, digits, .. } = self;
        self.key = format!("punycode {direction:?} {label:?} {code} {place} {bias} {number} {weight} {digits}");
        Some(self)
    }

    fn complete(&self) -> bool {
        self.digits == 0 && self.code != INITIAL_CODE
    }

    /// The least that can complete the number: values and digits ascend together.
    fn shortest_end(&self) -> Option<u32> {
        if self.complete() {
            return Some(0);
        }
        let label = self.label.iter().try_fold(Label::new(self.direction), |label, &kind| label.read(kind))?;
        if !label.has_room() {
            return None;
        }
        let mut rest = 0;
        loop {
            let number = self.number + self.weight * rest;
            let (code, _) = self.target(number);
            let wanted = next_code(self.direction, code).filter(|&wanted| wanted <= LAST_CODE)?;
            rest = if wanted > code {
                let least = (wanted - self.code) * self.places() - self.place;
                (least - self.number).div_ceil(self.weight)
            } else if self.inserted(number).is_some() {
                return Some(self.digits_of(rest));
            } else {
                rest + 1
            };
        }
    }

    fn places(&self) -> u32 {
        self.label.len() as u32 + 1
    }

    /// The code point and the place a number stands for.
    fn target(&self, number: u32) -> (u32, u32) {
        (self.code + (self.place + number) / self.places(), (self.place + number) % self.places())
    }

    /// The code point that a number inserts, if that makes a U-label.
    fn inserted(&self, number: u32) -> Option<LetterKind> {
        let (code, place) = self.target(number);
        let inserted = kind(char::from_u32(code)?)?;
        let (before, after) = self.label.split_at(place as usize);
        let mut kinds = before.iter().chain([&inserted]).chain(after);
        let label = kinds.try_fold(Label::new(self.direction), |label, &kind| label.read(kind))?;
        label.complete().then_some(inserted)
    }

    /// The digits of the rest of a number.
    fn digits_of(&self, mut rest: u32) -> u32 {
        for digit in self.digits.. {
            let least = self.threshold(digit);
            if rest < least {
                return digit - self.digits + 1;
            }
            rest = (rest - least) / (BASE - least);
        }
        u32::MAX
    }

    /// A digit below it is the last one of its number.
    fn threshold(&self, digit: u32) -> u32 {
        (BASE * (digit + 1)).saturating_sub(self.bias).clamp(T_MIN, T_MAX)
    }

    fn read(&self, digit: u32) -> Option<Self> {
        let number = self.number + self.weight * digit;
        let least = self.threshold(self.digits);
        if self.target(number).0 > LAST_CODE {
            return None;
        }
        if digit >= least {
            let weight = self.weight * (BASE - least);
            return Self { number, weight, digits: self.digits + 1, ..self.clone() }.finished();
        }
        let inserted = self.inserted(number)?;
        let (code, place) = self.target(number);
        let mut label = self.label.clone();
        label.insert(place as usize, inserted);
        let bias = adapt(number, label.len() as u32, self.code == INITIAL_CODE);
        Self { label, code, place: place + 1, bias, number: 0, weight: 1, digits: 0, ..self.clone() }.finished()
    }
}

impl ImplicitLanguage for Insertions {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        alphabet()
    }

    fn derivative(&self, c: char) -> Regular {
        let digit = match c {
            'a'..='z' => u32::from(c) - u32::from('a'),
            '0'..='9' => u32::from(c) - u32::from('0') + 26,
            _ => return Regular::Never,
        };
        self.read(digit).map_or(Regular::Never, Self::language)
    }

    fn nullable(&self) -> bool {
        self.complete()
    }

    fn shortest(&self) -> Option<u32> {
        Some(self.shortest)
    }
}

/// The bias after a number (RFC 3492, section 6.1).
fn adapt(number: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { number / DAMP } else { number / 2 };
    delta += delta / points;
    let mut bias = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        bias += BASE;
    }
    bias + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    fn labels(direction: Direction) -> Automaton {
        Automaton::new(&a_label(direction), Encoding::Text, &Limits::default()).unwrap()
    }

    #[test]
    fn labels_of_many_scripts() {
        let [plain, right] = [Direction::Plain, Direction::Right].map(labels);
        for text in
            ["bcher-kva", "mnchen-3ya", "fa-hia", "hxajbheg2az3al", "e1afmkfd", "p1ai", "o3cw4h", "zckzah", "r8jz45g"]
        {
            let label = format!("xn--{text}");
            assert_eq!(plain.accepts(label.as_bytes()), text != "r8jz45g", "{label}");
            assert!(!right.accepts(label.as_bytes()), "{label}");
        }
        for text in ["xn--mgbaam7a8h", "xn--wgbh1c", "xn--4gbwdl"] {
            assert!(right.accepts(text.as_bytes()) && !plain.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_no_u_label_has_no_a_label() {
        let plain = labels(Direction::Plain);
        for text in [
            "xn--",
            "xn--abc",
            "xn--abc-",
            "xn---abc",
            "xn--bcher-KVA",
            "xn--Bcher-kva",
            "xn--99999999",
            "xn--a-ecp",
            "xn--b1ab-",
            "xn--al-0ea",
        ] {
            assert!(!plain.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn every_beginning_has_the_end_it_promises() {
        let plain = labels(Direction::Plain);
        let mut states = vec![plain.start().state()];
        for byte in *b"xn--hxajb" {
            states.push(plain.step(states[states.len() - 1], byte).state());
        }
        for state in states {
            let shortest = |state| plain.shortest(state);
            let ends = |byte| {
                let step = plain.step(state, byte);
                step.goes_on().then(|| if step.accepting() { 0 } else { shortest(step.state()) })
            };
            let least = (b'-'..=b'z').filter_map(ends).min().unwrap();
            assert!(shortest(state) == 0 || shortest(state) == least + 1, "{}", shortest(state));
        }
    }
}
