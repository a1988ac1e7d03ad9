//! What tokens begin: members, items, values. Each can lead a text away from its end.
//!
//! ```text
//! ","       begins a member or item                    (from outside of a string it is a text, and begins nothing)
//! }, {"     begins a member or item of an object or array that is open, and a member of a new object
//! ```
//!
//! Cost: a look at every token, when the tables of a vocabulary are made; then what a token begins is a lookup. Wrinkle:
//! bytes are looked at without knowing whether they are inside of a string, so each token has several readings.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::vocabulary::{TokenId, Vocabulary};

/// What each token of a vocabulary begins.
#[derive(Debug)]
pub struct TokensBegun {
    /// By token: the index of its kind.
    kind: Box<[u32]>,
    /// By kind; tokens of the first kind begin nothing.
    kinds: Vec<MostBegun>,
    /// What every token begins at most.
    pub most: MostBegun,
}

impl TokensBegun {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut kinds = vec![MostBegun::default()];
        kinds[0].add(Begun::default());
        let mut ids = FxHashMap::from_iter([(kinds[0].clone(), 0)]);
        let kind = (0..vocabulary.len() as TokenId).map(|token| {
            let text = vocabulary.token(token);
            if !text.iter().any(|byte| matches!(byte, b',' | b':' | b'{' | b'[' | b'}' | b']')) {
                return 0;
            }
            *ids.entry(MostBegun::by(text)).or_insert_with_key(|begun| {
                kinds.push(begun.clone());
                kinds.len() as u32 - 1
            })
        });
        let kind = kind.collect();
        let mut most = MostBegun::default();
        for begun in &kinds {
            most.add_all(begun);
        }
        Self { kind, kinds, most }
    }

    /// What a token begins.
    pub fn of(&self, token: TokenId) -> &MostBegun {
        &self.kinds[self.kind[token as usize] as usize]
    }

    /// What any of some tokens begins.
    pub fn of_any(&self, tokens: impl Iterator<Item = TokenId>) -> MostBegun {
        let (mut most, mut seen) = (MostBegun::default(), SmallVec::<[u64; 16]>::new());
        seen.resize(self.kinds.len().div_ceil(64), 0);
        for token in tokens {
            let kind = self.kind[token as usize] as usize;
            let (word, bit) = (kind / 64, 1 << (kind % 64));
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                most.add_all(&self.kinds[kind]);
            }
        }
        most
    }
}

/// What a part of a text begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Begun {
    /// In an object or array that is open.
    pub here: Parts,
    /// In one that the text opens.
    pub deeper: Parts,
    /// How many that are open the text closes: what follows may begin in any of this many outer ones.
    pub closes: u32,
}

/// How often a text begins a part of an object or array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MostBegun(SmallVec<[Begun; 4]>);

impl MostBegun {
    /// What a text begins, in any of its readings.
    pub fn by(text: &[u8]) -> Self {
        let mut most = Self::default();
        Begun::readings(text).for_each(|begun| most.add(begun));
        most
    }

    /// Further texts.
    pub fn add_all(&mut self, others: &Self) {
        others.iter().for_each(|begun| self.add(begun));
    }

    /// A further text.
    fn add(&mut self, begun: Begun) {
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
    /// Whether the text opens an object or array.
    pub fn opens(self) -> bool {
        self.deeper != Parts::default()
    }

    fn is_at_most(self, other: Self) -> bool {
        self.here.is_at_most(other.here) && self.deeper.is_at_most(other.deeper) && self.closes <= other.closes
    }

    /// What `text` begins, for each way to read it in JSON: from outside of a string, from inside, and from inside
    /// after a backslash.
    fn readings(text: &[u8]) -> impl Iterator<Item = Self> {
        // After a backslash, a quote reads as one that begins a string, and any other byte but a backslash as itself.
        let after_backslash = text.strip_prefix(b"\\").map(|rest| Self::read(rest, true));
        [Self::read(text, false), Self::read(text, true)].into_iter().chain(after_backslash)
    }

    /// What `text` begins if it begins inside a string or not. Nothing is begun from where it cannot be JSON.
    fn read(text: &[u8], mut is_in_string: bool) -> Self {
        let (mut begun, mut depth, mut before, mut bytes) = (Self::default(), 0, 0, text.iter());
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
            begun.add(byte, &mut depth);
            is_in_string = byte == b'"';
            if !byte.is_ascii_whitespace() {
                before = byte;
            }
        }
        begun
    }

    /// Goes on after a byte of structure, `depth` brackets inside of what was open before.
    fn add(&mut self, byte: u8, depth: &mut u32) {
        let parts = if *depth > 0 { &mut self.deeper } else { &mut self.here };
        match byte {
            b',' => parts.commas += 1,
            b':' => parts.colons += 1,
            b'{' | b'[' => {
                *depth += 1;
                self.deeper.braces += u32::from(byte == b'{');
                self.deeper.brackets += u32::from(byte == b'[');
            }
            b'}' | b']' if *depth > 0 => *depth -= 1,
            b'}' | b']' => self.closes += 1,
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

    /// Commas, braces, brackets and colons in what is open and in what the text opens, by way of reading.
    #[test]
    fn structure_begins_what_text_does_not() {
        assert_eq!(begun(r#"","a"#), ["0000 0000 0", "1000 0000 0"]);
        assert_eq!(begun(r#"{","#), ["0000 0100 0", "1000 0000 0"]);
        assert_eq!(begun(r#", "a": [{"#), ["1001 0110 0", "0000 0000 0"]);
        assert_eq!(begun(r"[{}],{"), ["1000 0210 0", "0000 0000 0"]);
        assert_eq!(begun(r"]}, {"), ["1000 0100 2", "0000 0000 0"]);
        assert_eq!(begun("{{"), ["0000 0100 0", "0000 0000 0"], "it cannot be JSON");
        assert_eq!(begun(r#"\\","#)[1..], ["1000 0000 0", "0000 0000 0"]);
        assert_eq!(begun(r#"\","#)[1..], ["0000 0000 0", "1000 0000 0"]);
    }
}
