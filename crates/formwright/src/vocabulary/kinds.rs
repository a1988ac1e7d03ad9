//! A coarse partition of characters into 61 kinds, one bit each.
//!
//! ```text
//! a-f: bit 0   g-z: 1   A-F: 2   G-Z: 3   0-9: 4   space: 5   each punctuation its own   é: that of its lead byte
//! ```
//!
//! Every node of a token tree knows which kinds occur below it. A state that may read any run of `[a-z0-9]` accepts a
//! whole subtree with one test when the subtree's kinds are a subset of the class's. The kinds are fine where JSON and
//! patterns discriminate (ASCII) and coarse elsewhere (lead bytes, by script where these are all letters).
//!
//! Cost: 8 bytes for each distinct set of kinds. Tokens need not be valid UTF-8. Bytes that cannot start or
//! continue a character set [`BROKEN`], which no class covers.

use std::sync::OnceLock;

/// A set of kinds.
pub type Kinds = u64;

/// A kind, as a set of one, and the ranges of its code points.
pub type CharacterKind = (Kinds, Vec<(u32, u32)>);

/// Set below nodes whose bytes are not valid UTF-8.
pub const BROKEN: Kinds = 1 << 63;

const PUNCTUATION: &[u8; 32] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const FIRST_PUNCTUATION: u32 = 9;
const FIRST_LEAD: u32 = FIRST_PUNCTUATION + 32;

/// The kind of an ASCII byte.
pub fn ascii(byte: u8) -> Kinds {
    let bit = match byte {
        b'a'..=b'f' => 0,
        b'g'..=b'z' => 1,
        b'A'..=b'F' => 2,
        b'G'..=b'Z' => 3,
        b'0'..=b'9' => 4,
        b' ' => 5,
        b'\t' | b'\r' | b'\n' => 6,
        0x7F => 8,
        0..0x20 => 7,
        _ => FIRST_PUNCTUATION + PUNCTUATION.iter().position(|&p| p == byte).map_or(0, |at| at as u32),
    };
    1 << bit
}

/// The kind of each ASCII byte.
pub fn ascii_table() -> [Kinds; 128] {
    std::array::from_fn(|byte| ascii(byte as u8))
}

/// The kind, bytes to follow, and bounds of the first of them, for a UTF-8 lead byte.
pub fn lead(byte: u8) -> Option<(Kinds, u8, u8, u8)> {
    let (index, need, low, high) = match byte {
        0xC2 => (0, 1, 0x80, 0xBF),
        0xC3 => (1, 1, 0x80, 0xBF),
        0xC4..=0xC9 => (2, 1, 0x80, 0xBF), // Latin letters
        0xCA..=0xCF => (3, 1, 0x80, 0xBF),
        0xD0..=0xD1 => (4, 1, 0x80, 0xBF), // Cyrillic letters
        0xD2..=0xDF => (5, 1, 0x80, 0xBF),
        0xE0 => (6, 2, 0xA0, 0xBF),
        0xE1 => (7, 2, 0x80, 0xBF),
        0xE2 => (8, 2, 0x80, 0xBF),
        0xE3 => (9, 2, 0x80, 0xBF),
        0xE4 => (10, 2, 0x80, 0xBF),
        0xE5..=0xE9 => (11, 2, 0x80, 0xBF), // Han
        0xEA => (12, 2, 0x80, 0xBF),
        0xEB..=0xEC => (13, 2, 0x80, 0xBF), // Hangul
        0xED => (14, 2, 0x80, 0x9F),
        0xEE => (15, 2, 0x80, 0xBF),
        0xEF => (16, 2, 0x80, 0xBF), // with U+FEFF, which patterns count as whitespace
        0xF0 => (17, 3, 0x90, 0xBF),
        0xF1..=0xF3 => (18, 3, 0x80, 0xBF),
        0xF4 => (19, 3, 0x80, 0x8F),
        _ => return None,
    };
    Some((1 << (FIRST_LEAD + index), need, low, high))
}

/// Every kind.
pub fn all() -> &'static [CharacterKind] {
    static ALL: OnceLock<Vec<CharacterKind>> = OnceLock::new();
    ALL.get_or_init(list)
}

fn list() -> Vec<CharacterKind> {
    let mut kinds: Vec<CharacterKind> = Vec::new();
    let mut add = |kind: Kinds, low: u32, high: u32| match kinds.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, ranges)) => ranges.push((low, high)),
        None => kinds.push((kind, vec![(low, high)])),
    };
    for byte in 0..128_u8 {
        add(ascii(byte), u32::from(byte), u32::from(byte));
    }
    for byte in 0xC2..=0xF4_u8 {
        if let Some((kind, need, low, high)) = lead(byte) {
            let shift = 6 * u32::from(need);
            let prefix = u32::from(byte) & ((1 << (6 - need)) - 1);
            let step = 6 * u32::from(need - 1);
            let from = prefix << shift | u32::from(low & 0x3F) << step;
            let to = prefix << shift | u32::from(high & 0x3F) << step | ((1 << step) - 1);
            add(kind, from, to);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_cover_every_code_point_once() {
        let mut ranges: Vec<(u32, u32)> = all().iter().flat_map(|(_, ranges)| ranges).copied().collect();
        ranges.sort_unstable();
        let total: u32 = ranges.iter().map(|(low, high)| high - low + 1).sum();
        assert_eq!(total, 0x11_0000 - 0x800);
        assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(all().len() <= 61);
    }
}
