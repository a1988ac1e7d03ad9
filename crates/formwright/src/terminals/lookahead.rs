//! How far tokens look ahead, past the end of the value they begin in.
//!
//! ```text
//! ",          a comma           entries after a value need not know which members are left
//! ","a        enters a name     objects with a name that begins with `a` are told apart
//! 1,2,3,      three commas      arrays are told apart near a bound on the number of items
//! ```
//!
//! Cost: a look at every token, when the tables of a vocabulary are made. Wrinkle: bytes are looked at
//! without knowing where a value ends, so the answer may be too far, never too near.

use smallvec::SmallVec;

use crate::regular::ByteSet;
use crate::vocabulary::{TokenId, Vocabulary};

/// How far the tokens of a vocabulary look ahead after a value.
#[derive(Debug, Default)]
pub struct TokenLookahead {
    /// How the names begin that some token enters: the bytes after a comma and a quote, perhaps with whitespace
    /// between.
    pub entered: ByteSet,
    /// The most commas of one array in a token. Of commas with nothing but whitespace between, only the first counts.
    pub commas: u32,
    /// What tokens begin at most.
    pub begun: MostBegun,
}

impl TokenLookahead {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut lookahead = Self::default();
        let tokens = (0..vocabulary.len() as TokenId).map(|id| vocabulary.token(id));
        for token in tokens {
            if token.contains(&b',') {
                lookahead.add(token);
            }
            lookahead.begun.add_text(token);
        }
        lookahead
    }

    fn add(&mut self, token: &[u8]) {
        let is_after_comma = |at: usize| token[..at].trim_ascii_end().ends_with(b",");
        let commas = token.iter().enumerate().filter(|&(at, byte)| *byte == b',' && !is_after_comma(at));
        self.commas = self.commas.max(commas.count() as u32);
        for (at, pair) in token.windows(2).enumerate().filter(|(_, pair)| pair[0] == b'"') {
            if is_after_comma(at) {
                self.entered.insert(pair[1]);
            }
        }
    }
}

/// What a part of a text begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    /// Before the first opening bracket: in an object or array that is open.
    pub here: Parts,
    /// From that bracket on.
    pub deeper: Parts,
    /// Whether there is a closing bracket: then what begins may begin in any object or array that is open, else only in
    /// the innermost.
    pub closes: bool,
}

/// How often a text begins a part of an object or array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Commas: a member, or an item with its value.
    pub commas: u32,
    /// Opening braces: a member.
    pub braces: u32,
    /// Opening brackets: an item with its value.
    pub brackets: u32,
    /// Colons: the value of a member.
    pub colons: u32,
}

/// What any of some texts begins: those of which none begins more than another.
#[derive(Clone, Debug, Default)]
pub struct MostBegun(SmallVec<[Begun; 4]>);

impl MostBegun {
    /// What a text begins, wherever it is read.
    #[cfg(test)]
    pub fn by(text: &[u8]) -> Self {
        let mut most = Self::default();
        most.add_text(text);
        most
    }

    /// Another one of the texts.
    pub fn add_text(&mut self, text: &[u8]) {
        Begun::readings(text).for_each(|begun| self.add(begun));
    }

    /// What another one of the texts begins.
    pub fn add(&mut self, begun: Begun) {
        if !self.0.iter().any(|other| begun.is_at_most(*other)) {
            self.0.retain(|other| !other.is_at_most(begun));
            self.0.push(begun);
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Begun> {
        self.0.iter().copied()
    }
}

impl Parts {
    fn is_at_most(self, other: Self) -> bool {
        self.commas <= other.commas
            && self.braces <= other.braces
            && self.brackets <= other.brackets
            && self.colons <= other.colons
    }
}

impl Begun {
    /// Whether there is an opening bracket.
    pub fn opens(self) -> bool {
        self.deeper != Parts::default()
    }

    fn is_at_most(self, other: Self) -> bool {
        self.here.is_at_most(other.here) && self.deeper.is_at_most(other.deeper) && self.closes <= other.closes
    }

    /// What `text` begins, for each way to read it in JSON: from outside of a string, from inside, and from inside
    /// after a backslash.
    pub fn readings(text: &[u8]) -> impl Iterator<Item = Self> {
        // After a backslash, a quote reads as one that begins a string, and any other byte but a backslash as itself.
        let after_backslash = text.strip_prefix(b"\\").map(|rest| Self::read(rest, true));
        [Self::read(text, false), Self::read(text, true)].into_iter().chain(after_backslash)
    }

    /// What `text` begins if it begins inside a string or not. Nothing is begun from where it cannot be JSON.
    fn read(text: &[u8], mut is_in_string: bool) -> Self {
        let (mut begun, mut before, mut bytes) = (Self::default(), 0, text.iter());
        while let Some(&byte) = bytes.next() {
            if is_in_string {
                is_in_string = byte != b'"';
                if byte == b'\\' {
                    bytes.next();
                }
                continue;
            }
            let is_possible = match byte {
                b',' => !matches!(before, b',' | b':' | b'{' | b'['),
                b':' => !matches!(before, b',' | b':' | b'{' | b'[' | b'}' | b']'),
                b'{' | b'[' => !matches!(before, b'{' | b'}' | b']'),
                _ => true,
            };
            if !is_possible {
                break;
            }
            begun.add(byte);
            is_in_string = byte == b'"';
            if !byte.is_ascii_whitespace() {
                before = byte;
            }
        }
        begun
    }

    /// Goes on after a byte of structure.
    fn add(&mut self, byte: u8) {
        let is_here = !self.opens() && !matches!(byte, b'{' | b'[');
        let parts = if is_here { &mut self.here } else { &mut self.deeper };
        match byte {
            b',' => parts.commas += 1,
            b':' => parts.colons += 1,
            b'{' => parts.braces += 1,
            b'[' => parts.brackets += 1,
            b'}' | b']' => self.closes = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(text: &str) -> Vec<String> {
        let show = |Parts { commas, braces, brackets, colons }: Parts| format!("{commas}{braces}{brackets}{colons}");
        let readings = Begun::readings(text.as_bytes());
        readings.map(|begun| format!("{} {} {}", show(begun.here), show(begun.deeper), begun.closes)).collect()
    }

    /// Commas, braces, brackets and colons before the first opening bracket and after it, by way of reading.
    #[test]
    fn structure_begins_what_text_does_not() {
        assert_eq!(begun(r#"","a"#), ["0000 0000 false", "1000 0000 false"]);
        assert_eq!(begun(r#"{","#), ["0000 0100 false", "1000 0000 false"]);
        assert_eq!(begun(r#", "a": [{"#), ["1001 0110 false", "0000 0000 false"]);
        assert_eq!(begun(r#"]}, {"#), ["1000 0100 true", "0000 0000 false"]);
        assert_eq!(begun("{{"), ["0000 0100 false", "0000 0000 false"], "it cannot be JSON");
        assert_eq!(begun(r#"\\","#)[1..], ["1000 0000 false", "0000 0000 false"]);
        assert_eq!(begun(r#"\","#)[1..], ["0000 0000 false", "1000 0000 false"]);
    }
}
