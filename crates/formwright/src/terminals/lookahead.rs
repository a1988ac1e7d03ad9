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
            lookahead.begun.add(Begun::by(token));
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

/// What a part of a text may begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    /// Commas: a member, or an item with its value.
    pub commas: u32,
    /// Opening braces: a member.
    pub braces: u32,
    /// Opening brackets: an item with its value.
    pub brackets: u32,
    /// Colons: the value of a member.
    pub colons: u32,
    /// Whether there is a closing brace or bracket: then what begins after it may begin in any object or array that is
    /// open, else only in the innermost.
    pub closes: bool,
}

/// What any of some texts begins: those of which none begins more than another.
#[derive(Clone, Debug, Default)]
pub struct MostBegun(SmallVec<[Begun; 4]>);

impl MostBegun {
    /// What one text begins.
    #[cfg(test)]
    pub fn one(begun: Begun) -> Self {
        Self(SmallVec::from_slice(&[begun]))
    }

    /// Another one of the texts.
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

impl Begun {
    /// Whether there is an opening brace or bracket.
    pub fn opens(self) -> bool {
        self.braces + self.brackets > 0
    }

    fn is_at_most(self, other: Self) -> bool {
        self.commas <= other.commas
            && self.braces <= other.braces
            && self.brackets <= other.brackets
            && self.colons <= other.colons
            && self.closes <= other.closes
    }

    /// What `text` begins if it is read anywhere in JSON. Of two bytes that cannot follow each other as structure, the
    /// second one is inside a string.
    pub fn by(text: &[u8]) -> Self {
        let (mut begun, mut before) = (Self::default(), 0);
        for &byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            let (count, is_possible) = match byte {
                b',' => (&mut begun.commas, !matches!(before, b',' | b':' | b'{' | b'[')),
                b':' => (&mut begun.colons, !matches!(before, b',' | b':' | b'{' | b'[' | b'}' | b']')),
                b'{' => (&mut begun.braces, !matches!(before, b'{' | b'}' | b']')),
                b'[' => (&mut begun.brackets, !matches!(before, b'{' | b'}' | b']')),
                _ => (&mut begun.commas, false),
            };
            if is_possible {
                *count += 1;
            }
            begun.closes |= matches!(byte, b'}' | b']');
            before = byte;
        }
        begun
    }
}
