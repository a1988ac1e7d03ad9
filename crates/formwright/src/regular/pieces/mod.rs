//! The pieces of a text: any of its characters, whole words or whole sentences in a row, as they are there.
//!
//! ```text
//! pieces of "to be or not"     by words: to   to be   be or not   not ...     no piece: or to, b
//! ```
//!
//! [`Pieces`] are a language in two ways. Alone, as a form or as the strings of a schema, they run as an automaton made for
//! them ([`PieceAutomaton`]), which is the smallest there is but for a few states. Together with other languages, as in
//! `{"x-one-of-text": ..., "maxLength": 9}`, they are an implicit language: a state of that automaton, and its derivatives.
//!
//! Cost: an automaton takes about 0.5 s for 1 MB, once, when it is first needed. In an expression, each character of the
//! text is a class of its own. A text with thousands of different ones makes large tables there.

mod automaton;
mod bits;
mod suffixes;
mod units;

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use super::implicit::{Implicit, ImplicitLanguage};
use super::tree::Regular;
use crate::bytes::hex;
use crate::error::{Error, Result};
use crate::interrupt::ask_now;
pub use automaton::{PieceAutomaton, Writing};
use suffixes::Suffixes;
pub use units::Unit;

/// The pieces of a text. Cheap to clone.
#[derive(Clone)]
pub struct Pieces(Arc<Inner>);

struct Inner {
    text: Box<str>,
    unit: Unit,
    /// Tells these pieces from those of every other text.
    key: String,
    /// Bytes of the shortest piece.
    shortest: u32,
    plain: OnceLock<PieceAutomaton>,
    json: OnceLock<PieceAutomaton>,
}

impl Pieces {
    /// The longest text, in bytes.
    pub const LONGEST: usize = 1 << 26;

    /// The pieces of a text that are one or more units in a row.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when it has no unit, [`crate::Kind::Limit`] when it is too long.
    pub fn new(text: &str, unit: Unit) -> Result<Self> {
        if text.len() > Self::LONGEST {
            return Err(Error::limit("bytes of the text of pieces", text.len(), Self::LONGEST));
        }
        let characters: Vec<char> = text.chars().collect();
        ask_now();
        let ranges = unit.ranges(&characters);
        ask_now();
        let bytes = |&(start, end): &(u32, u32)| {
            characters[start as usize..end as usize].iter().map(|c| c.len_utf8() as u32).sum()
        };
        let Some(shortest) = ranges.iter().map(bytes).min() else {
            let what = if text.is_empty() { "is empty".to_owned() } else { format!("has no {}", unit.name()) };
            return Err(Error::argument("source", format!("source {what}, so there is no piece of it"))
                .hint("pass a text with a word at least, or unit=\"char\" for any text that is not empty"));
        };
        let key = format!("{} pieces {}", unit.name(), hex(&Sha256::digest(text.as_bytes())));
        let (text, plain, json) = (text.into(), OnceLock::new(), OnceLock::new());
        Ok(Self(Arc::new(Inner { text, unit, key, shortest, plain, json })))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What its pieces are runs of.
    pub fn unit(&self) -> Unit {
        self.0.unit
    }

    /// Their automaton.
    pub fn automaton(&self, writing: Writing) -> &PieceAutomaton {
        match writing {
            Writing::Plain => self.0.plain.get_or_init(|| self.build(writing)),
            Writing::Json => self.0.json.get_or_init(|| self.build(writing)),
        }
    }

    fn build(&self, writing: Writing) -> PieceAutomaton {
        let text: Vec<char> = self.0.text.chars().collect();
        let ranges = self.0.unit.ranges(&text);
        let (start, end) = (ranges[0].0, ranges[ranges.len() - 1].1);
        let text = &text[start as usize..end as usize];
        let starts = ranges.iter().map(|range| range.0 - start);
        ask_now();
        let suffixes = Suffixes::new(text, starts, ranges.iter().map(|range| range.1 - start));
        ask_now();
        PieceAutomaton::new(text, &suffixes, writing)
    }

    /// The same as an expression.
    pub fn tree(&self) -> Regular {
        Regular::Implicit(Implicit::new(After { pieces: self.clone(), at: 0, key: self.0.key.clone() }))
    }

    /// Where a piece is in the text, in characters: from one of its units to the end of one.
    pub fn places(&self, piece: &str) -> Vec<(u32, u32)> {
        let characters: Vec<char> = self.0.text.chars().collect();
        let ranges = self.0.unit.ranges(&characters);
        let (mut found, mut from) = (Vec::new(), (0, 0_u32)); // bytes and characters
        let length = piece.chars().count() as u32;
        while let Some(at) = self.0.text[from.0..].find(piece).filter(|_| length > 0) {
            let start = from.1 + self.0.text[from.0..from.0 + at].chars().count() as u32;
            let begins = ranges.binary_search_by_key(&start, |range| range.0).is_ok();
            let ends = ranges.binary_search_by_key(&(start + length), |range| range.1).is_ok();
            found.extend((begins && ends).then_some((start, start + length)));
            let first = characters[start as usize].len_utf8();
            from = (from.0 + at + first, start + 1);
        }
        found
    }
}

impl PartialEq for Pieces {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pieces({}, {} bytes)", self.0.key, self.0.text.len())
    }
}

/// What follows in the pieces that lead to a state of their automaton.
struct After {
    pieces: Pieces,
    at: u32,
    key: String,
}

impl ImplicitLanguage for After {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        let mut characters: Vec<char> = self.pieces.text().chars().collect();
        characters.sort_unstable();
        characters.dedup();
        characters.into_iter().map(Regular::character).collect()
    }

    fn derivative(&self, c: char) -> Regular {
        let automaton = self.pieces.automaton(Writing::Plain);
        let bytes = c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
        let at = bytes.into_iter().try_fold(self.at, |at, byte| automaton.child(at, byte));
        at.map_or(Regular::Never, |at| {
            let key = format!("{} {at}", self.pieces.0.key);
            Regular::Implicit(Implicit::new(Self { pieces: self.pieces.clone(), at, key }))
        })
    }

    fn nullable(&self) -> bool {
        self.at > 0 && self.pieces.automaton(Writing::Plain).ends(self.at)
    }

    fn shortest(&self) -> Option<u32> {
        Some(if self.at == 0 { self.pieces.0.shortest } else { self.pieces.automaton(Writing::Plain).nearest(self.at) })
    }

    fn pieces(&self) -> Option<&Pieces> {
        (self.at == 0).then_some(&self.pieces)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding, Escapes};

    /// Every piece of a text, by its units.
    fn every_piece(text: &str, unit: Unit) -> BTreeSet<String> {
        let characters: Vec<char> = text.chars().collect();
        let ranges = unit.ranges(&characters);
        let pieces = ranges.iter().enumerate().flat_map(|(at, first)| {
            ranges[at..].iter().map(|last| characters[first.0 as usize..last.1 as usize].iter().collect())
        });
        pieces.collect()
    }

    fn written(piece: &str, writing: Writing) -> Vec<u8> {
        if writing == Writing::Plain { piece.into() } else { serde_json::to_vec(piece).unwrap() }
    }

    /// Walks every state, and compares what leads to it with the pieces.
    fn compare(text: &str, unit: Unit, writing: Writing) {
        let pieces: BTreeSet<Vec<u8>> = every_piece(text, unit).iter().map(|piece| written(piece, writing)).collect();
        let beginnings: BTreeSet<&[u8]> =
            pieces.iter().flat_map(|piece| (0..=piece.len()).map(|end| &piece[..end])).collect();
        let made = Pieces::new(text, unit).unwrap();
        let automaton = made.automaton(writing);
        let (mut seen, mut open) = (0, vec![(Vec::new(), 0)]);
        while let Some((read, at)) = open.pop() {
            seen += 1;
            assert!(beginnings.contains(&read[..]), "{text:?} {unit:?} {}", read.escape_ascii());
            assert_eq!(automaton.ends(at), pieces.contains(&read), "{text:?} {unit:?} {}", read.escape_ascii());
            let rests = pieces.range(read.clone()..).take_while(|piece| piece.starts_with(&read));
            let nearest = rests.map(|piece| piece.len() - read.len()).min().unwrap() as u32;
            assert_eq!(automaton.nearest(at), nearest, "{text:?} {unit:?} {}", read.escape_ascii());
            assert!(automaton.farthest() >= nearest);
            let children: Vec<(u8, u32)> = automaton.children(at).collect();
            assert_eq!(automaton.goes_on(at), !children.is_empty());
            for byte in 0..=255 {
                let child = children.iter().find(|child| child.0 == byte).map(|child| child.1);
                assert_eq!(automaton.child(at, byte), child);
            }
            open.extend(children.into_iter().map(|(byte, child)| ([&read[..], &[byte]].concat(), child)));
        }
        assert_eq!(seen, beginnings.len(), "{text:?} {unit:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn they_are_the_pieces(text in "[ab.é模樣 '\n\"😀\u{301}1-]{1,24}", which in 0..3_usize) {
            let unit = Unit::EVERY[which];
            if Pieces::new(&text, unit).is_ok() {
                compare(&text, unit, Writing::Plain);
                compare(&text, unit, Writing::Json);
            }
        }

        #[test]
        fn words_and_sentences(text in "(ab|a|\\. |\\.|! |' |b'a|漢|。|1,0|\n| ){1,16}", which in 1..3_usize) {
            if Pieces::new(&text, Unit::EVERY[which]).is_ok() {
                compare(&text, Unit::EVERY[which], Writing::Plain);
            }
        }

        #[test]
        fn expressions_have_the_same_texts(text in "[ab é\"]{1,8}", which in 0..3_usize) {
            let Ok(pieces) = Pieces::new(&text, Unit::EVERY[which]) else { return Ok(()) };
            let limits = Limits::default();
            let encodings = [(Encoding::Text, Writing::Plain), (Encoding::Json(Escapes::Natural), Writing::Json)];
            for (encoding, writing) in encodings {
                let automaton = Automaton::new(&pieces.tree(), encoding, &limits).unwrap();
                for piece in every_piece(&text, pieces.unit()) {
                    prop_assert!(automaton.accepts(&written(&piece, writing)));
                    prop_assert!(!automaton.accepts(&written(&(piece + "x"), writing)));
                }
            }
        }
    }

    #[test]
    fn pieces_have_places() {
        let words = Pieces::new("to be or not to be, tobe", Unit::Word).unwrap();
        assert_eq!(words.places("to be"), [(0, 5), (13, 18)]);
        assert_eq!(words.places("be"), [(3, 5), (16, 18)]);
        assert_eq!(words.places("x"), []);
        assert_eq!(words.places(""), []);
        assert_eq!(Pieces::new("éaéaé", Unit::Char).unwrap().places("éaé"), [(0, 3), (2, 5)]);
    }

    #[test]
    fn what_has_no_piece_is_refused() {
        let refused = |text: &str, unit| Pieces::new(text, unit).unwrap_err().message;
        assert!(refused("", Unit::Char).contains("is empty"));
        assert!(refused(" -- ", Unit::Word).contains("has no word"));
        assert!(refused(" \n", Unit::Sentence).contains("has no sentence"));
    }

    #[test]
    fn a_text_that_repeats_itself_is_no_larger() {
        let text = "ab".repeat(100_000);
        let pieces = Pieces::new(&text, Unit::Char).unwrap();
        assert!(pieces.automaton(Writing::Plain).states() < 3 * text.len());
        assert!(pieces.automaton(Writing::Json).memory() < 20 * text.len());
    }
}
