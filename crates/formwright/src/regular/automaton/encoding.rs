//! How code points are written as bytes: plain UTF-8, or a JSON string with its escapes.
//!
//! ```text
//! é      Text   C3 A9      Json(Natural)   C3 A9      Json(Any)   C3 A9, \u00e9, \u00E9
//! ```
//!
//! An automaton needs three things of its encoding beside the decoder: how long the shortest form of each minterm is,
//! which bytes no state can tell apart, and whether a text shows where it ends.

use crate::regular::alphabet::Alphabet;

/// How code points are written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Plain UTF-8.
    Text,
    /// A JSON string with both quotes.
    Json(Escapes),
}

/// Which escapes a JSON string may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Escapes {
    /// One form of each text: short escapes, or lower-case `\u00xx` where there is none.
    Unique,
    /// Those JSON needs; control characters also as `\u00XX`.
    Natural,
    /// Every valid escape.
    Any,
}

impl Encoding {
    /// Whether a quote ends the text, so that it ends where it first can.
    pub fn is_self_delimiting(self) -> bool {
        self != Self::Text
    }

    /// Whether every valid escape may be used.
    pub(super) fn allows_any_escape(self) -> bool {
        self == Self::Json(Escapes::Any)
    }

    /// Whether each text has one form only.
    pub(super) fn is_unique(self) -> bool {
        self == Self::Json(Escapes::Unique)
    }

    /// Bytes of the shortest form of a code point.
    fn shortest(self, code: u32) -> u32 {
        match code {
            0x22 | 0x5C | 8 | 9 | 10 | 12 | 13 if self.is_self_delimiting() => 2,
            0..0x20 if self.is_self_delimiting() => 6,
            _ => char::from_u32(code).map_or(4, char::len_utf8) as u32,
        }
    }

    /// Bytes of the shortest form of each minterm.
    pub(super) fn shortest_of_minterms(self, alphabet: &Alphabet) -> Vec<u32> {
        let mut shortest = vec![u32::MAX; alphabet.len()];
        for (low, high, minterm) in alphabet.segments(0, 0x10_FFFF) {
            // Above ASCII, a smaller code point is never the longer one.
            let last = if low < 128 { high.min(128) } else { low };
            for code in low..=last {
                let least = &mut shortest[minterm as usize];
                *least = (*least).min(self.shortest(code));
            }
        }
        shortest
    }
}

/// Whether a control character has a short escape, such as `\n`.
pub(super) fn has_short_escape(code: u32) -> bool {
    [8, 9, 10, 12, 13].contains(&code)
}

/// The bytes sorted into classes that no state can tell apart. Each class is a run of bytes.
pub(super) struct ByteClasses {
    of_byte: [u8; 256],
    firsts: Box<[u8]>,
}

impl ByteClasses {
    /// A class begins wherever the UTF-8 scheme, the escapes, or a segment of the alphabet may tell two bytes apart.
    pub fn new(alphabet: &Alphabet, encoding: Encoding) -> Self {
        let mut begins = [false; 256];
        for byte in [0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5] {
            begins[byte] = true; // lead and continuation bytes with bounds of their own
        }
        for &start in alphabet.starts() {
            isolate_bytes_of(start, &mut begins);
        }
        if encoding.is_self_delimiting() {
            begins[0x20] = true; // control characters are escaped
            for &byte in b"\"\\/bfnrtu0123456789abcdefABCDEF" {
                isolate(byte, &mut begins);
            }
        }
        Self::beginning_at(&begins)
    }

    /// Every byte is a class.
    pub fn single() -> Self {
        Self::beginning_at(&[true; 256])
    }

    fn beginning_at(begins: &[bool; 256]) -> Self {
        let (mut of_byte, mut firsts) = ([0; 256], vec![0]);
        for byte in 1..=255 {
            if begins[usize::from(byte)] {
                firsts.push(byte);
            }
            of_byte[usize::from(byte)] = (firsts.len() - 1) as u8;
        }
        Self { of_byte, firsts: firsts.into() }
    }

    /// The class of a byte.
    #[inline]
    pub fn of(&self, byte: u8) -> usize {
        usize::from(self.of_byte[usize::from(byte)])
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.firsts.len()
    }

    /// The first byte of each class.
    pub fn firsts(&self) -> &[u8] {
        &self.firsts
    }

    /// The first and the last byte of each class.
    pub fn bounds(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let lasts = self.firsts[1..].iter().map(|&next| next - 1).chain([u8::MAX]);
        self.firsts.iter().copied().zip(lasts)
    }
}

/// A byte becomes a class of its own.
fn isolate(byte: u8, begins: &mut [bool; 256]) {
    begins[usize::from(byte)] = true;
    if let Some(next) = begins.get_mut(usize::from(byte) + 1) {
        *next = true;
    }
}

/// Code points below `code` and from it on differ, and do so at some byte of its UTF-8: the one below may share all but
/// the last of these bytes, the one above may begin with any of them. So each byte is told from both its neighbours.
fn isolate_bytes_of(code: u32, begins: &mut [bool; 256]) {
    let Some(c) = char::from_u32(code) else { return };
    c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| isolate(byte, begins));
}
