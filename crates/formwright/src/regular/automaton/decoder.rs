//! Bytes into code points, one byte at a time, as far as a state of an automaton remembers it.
//!
//! ```text
//! Between ─ C3 → Utf8 {prefix 3, 1 byte missing} ─ A9 → the code point é
//! Between ─ \ → Escape ─ u → Hex ─ 0 0 e → Hex ─ 9 → the code point é
//! ```
//!
//! The decoder knows nothing about the language: the builder takes a derivative where a code point is complete. It asks
//! here which code points a state can still become ([`DecoderState::completions`]), because a state that can only
//! become forbidden ones is dead. JSON writes code points above U+FFFF as two `\u` escapes, so a high
//! surrogate is half a code point.

use smallvec::{SmallVec, smallvec};

use super::encoding::{Encoding, has_short_escape};

/// Code points as inclusive ranges.
type CodeRanges = SmallVec<[(u32, u32); 3]>;

/// How much of the next code point has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecoderState {
    /// Nothing: between two code points.
    Between,
    /// Before the opening quote of a JSON string.
    Unopened,
    /// After the closing quote.
    Closed,
    /// Inside UTF-8: bits read, bytes missing, bounds of the next byte.
    Utf8 { prefix: u32, missing: u8, low: u8, high: u8 },
    /// Inside UTF-8, where every completion has the same derivative, which is taken already.
    Decided { missing: u8, low: u8, high: u8 },
    /// After a backslash.
    Escape,
    /// Inside `\uXXXX`: digits read and their value.
    Hex { digits: u8, value: u16 },
    /// Inside `\uXXXX`, where every completion has the same derivative, which is taken already: digits read, and whether they
    /// are a high surrogate's.
    DecidedHex { digits: u8, is_high: bool },
    /// After a high surrogate, likewise: `stage` as below.
    DecidedLow { stage: u8 },
    /// After a high surrogate `\uD83D`: `stage` 0 wants `\`, 1 wants `u`, 2 to 5 want a digit.
    LowSurrogate { high: u16, stage: u8, value: u16 },
}

/// What a byte does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It cannot be here.
    Invalid,
    /// It completes no code point.
    Next(DecoderState),
    /// It completes this one.
    CodePoint(u32),
    /// It is the quote that ends a JSON string.
    ClosingQuote,
}

impl DecoderState {
    /// Before the first byte.
    pub fn start(encoding: Encoding) -> Self {
        if encoding.is_self_delimiting() { Self::Unopened } else { Self::Between }
    }

    /// Reads one byte.
    pub fn read(self, byte: u8, encoding: Encoding) -> Read {
        match self {
            Self::Between if encoding.is_self_delimiting() => first_of_json(byte),
            Self::Between => first_of_utf8(byte),
            Self::Unopened if byte == b'"' => Read::Next(Self::Between),
            Self::Unopened | Self::Closed => Read::Invalid,
            Self::Utf8 { low, high, .. } | Self::Decided { low, high, .. } if !(low..=high).contains(&byte) => {
                Read::Invalid
            }
            Self::Utf8 { prefix, missing: 1, .. } => Read::CodePoint(prefix << 6 | u32::from(byte & 0x3F)),
            Self::Utf8 { prefix, missing, .. } => {
                continuation(prefix << 6 | u32::from(byte & 0x3F), missing - 1, 0x80, 0xBF)
            }
            Self::Decided { missing: 1, .. } => Read::Next(Self::Between),
            Self::Decided { missing, .. } => Read::Next(Self::Decided { missing: missing - 1, low: 0x80, high: 0xBF }),
            Self::Escape => escape(byte, encoding),
            Self::Hex { digits, value } => hex(byte, digits, value, encoding),
            Self::DecidedHex { digits, is_high } => decided_hex(byte, digits, is_high),
            Self::DecidedLow { stage } => decided_low(byte, stage),
            Self::LowSurrogate { high, stage, value } => low_surrogate(byte, high, stage, value),
        }
    }

    /// The same, but without what was read of the code point, once that no longer matters; `None` where it still tells
    /// which bytes may come.
    pub fn decided(self, encoding: Encoding) -> Option<Self> {
        match self {
            Self::Utf8 { missing, low, high, .. } => Some(Self::Decided { missing, low, high }),
            Self::Hex { digits, value } if encoding.allows_any_escape() => match hex_bounds(digits, value) {
                (0xD800.., ..=0xDBFF) => Some(Self::DecidedHex { digits, is_high: true }),
                (_, ..0xD800) | (0xE000.., _) => Some(Self::DecidedHex { digits, is_high: false }),
                _ => None,
            },
            Self::LowSurrogate { stage, .. } => Some(Self::DecidedLow { stage }),
            _ => None,
        }
    }

    /// The code points that this can become, as ranges; none where no byte of one was read.
    pub fn completions(self, encoding: Encoding) -> CodeRanges {
        match self {
            Self::Utf8 { prefix, missing, low, high } => smallvec![utf8_range(prefix, missing, low, high)],
            Self::Escape if encoding.allows_any_escape() => smallvec![(0, 0x10_FFFF)],
            Self::Escape => smallvec![(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)],
            Self::Hex { digits, value } if encoding.is_unique() => hex_ranges(digits, value, encoding)
                .into_iter()
                .flat_map(|(low, high)| low..=high)
                .filter(|&code| !has_short_escape(code))
                .map(|code| (code, code))
                .collect(),
            Self::Hex { digits, value } => hex_ranges(digits, value, encoding),
            Self::LowSurrogate { high, stage, value } => low_surrogate_range(high, stage, value).into_iter().collect(),
            _ => CodeRanges::new(),
        }
    }

    /// Bytes missing, at least, until this is the code point `code`.
    pub fn missing(self, code: u32) -> u32 {
        let pair = code > 0xFFFF;
        match self {
            Self::Utf8 { missing, .. } | Self::Decided { missing, .. } => u32::from(missing),
            Self::Escape if [0x22, 0x5C].contains(&code) || has_short_escape(code) => 1,
            Self::Escape => {
                if pair {
                    11
                } else {
                    5
                }
            }
            Self::Hex { digits, .. } => u32::from(4 - digits) + if pair { 6 } else { 0 },
            Self::DecidedHex { digits, is_high } => u32::from(4 - digits) + if is_high { 6 } else { 0 },
            Self::LowSurrogate { stage, .. } | Self::DecidedLow { stage } => u32::from(6 - stage),
            Self::Between | Self::Unopened | Self::Closed => 0,
        }
    }
}

/// The first byte of a code point in UTF-8; the bounds of the second exclude overlong forms and surrogates.
fn first_of_utf8(byte: u8) -> Read {
    match byte {
        0..=0x7F => Read::CodePoint(u32::from(byte)),
        0xC2..=0xDF => continuation(u32::from(byte & 0x1F), 1, 0x80, 0xBF),
        0xE0 => continuation(0, 2, 0xA0, 0xBF),
        0xED => continuation(0xD, 2, 0x80, 0x9F),
        0xE1..=0xEF => continuation(u32::from(byte & 0xF), 2, 0x80, 0xBF),
        0xF0 => continuation(0, 3, 0x90, 0xBF),
        0xF1..=0xF3 => continuation(u32::from(byte & 7), 3, 0x80, 0xBF),
        0xF4 => continuation(4, 3, 0x80, 0x8F),
        _ => Read::Invalid,
    }
}

fn continuation(prefix: u32, missing: u8, low: u8, high: u8) -> Read {
    Read::Next(DecoderState::Utf8 { prefix, missing, low, high })
}

/// The first byte of a code point in a JSON string.
fn first_of_json(byte: u8) -> Read {
    match byte {
        b'"' => Read::ClosingQuote,
        0..=0x1F => Read::Invalid,
        b'\\' => Read::Next(DecoderState::Escape),
        _ => first_of_utf8(byte),
    }
}

fn escape(byte: u8, encoding: Encoding) -> Read {
    Read::CodePoint(match byte {
        b'"' | b'\\' => u32::from(byte),
        b'/' if encoding.allows_any_escape() => u32::from(byte),
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => 0x0A,
        b'r' => 0x0D,
        b't' => 0x09,
        b'u' => return Read::Next(DecoderState::Hex { digits: 0, value: 0 }),
        _ => return Read::Invalid,
    })
}

fn hex(byte: u8, digits: u8, value: u16, encoding: Encoding) -> Read {
    let lower_only = encoding.is_unique();
    let Some(digit) = (byte as char).to_digit(16).filter(|_| !(lower_only && byte.is_ascii_uppercase())) else {
        return Read::Invalid;
    };
    let value = value << 4 | digit as u16;
    if digits < 3 {
        return Read::Next(DecoderState::Hex { digits: digits + 1, value });
    }
    match value {
        0xD800..=0xDBFF if encoding.allows_any_escape() => {
            Read::Next(DecoderState::LowSurrogate { high: value, stage: 0, value: 0 })
        }
        0x20.. if !encoding.allows_any_escape() => Read::Invalid,
        _ if encoding.is_unique() && has_short_escape(u32::from(value)) => Read::Invalid,
        _ => Read::CodePoint(u32::from(value)),
    }
}

fn decided_hex(byte: u8, digits: u8, is_high: bool) -> Read {
    match (byte.is_ascii_hexdigit(), digits) {
        (false, _) => Read::Invalid,
        (true, ..3) => Read::Next(DecoderState::DecidedHex { digits: digits + 1, is_high }),
        (true, _) if is_high => Read::Next(DecoderState::DecidedLow { stage: 0 }),
        (true, _) => Read::Next(DecoderState::Between),
    }
}

fn decided_low(byte: u8, stage: u8) -> Read {
    let may_come = match stage {
        0 => byte == b'\\',
        1 => byte == b'u',
        2 => byte.eq_ignore_ascii_case(&b'd'),
        3 => matches!(byte, b'c'..=b'f' | b'C'..=b'F'),
        _ => byte.is_ascii_hexdigit(),
    };
    match (may_come, stage) {
        (false, _) => Read::Invalid,
        (true, ..5) => Read::Next(DecoderState::DecidedLow { stage: stage + 1 }),
        (true, _) => Read::Next(DecoderState::Between),
    }
}

fn low_surrogate(byte: u8, high: u16, stage: u8, value: u16) -> Read {
    let digit = (byte as char).to_digit(16).filter(|_| stage >= 2);
    let value = match (stage, byte, digit) {
        (0, b'\\', _) | (1, b'u', _) => 0,
        (_, _, Some(digit)) => value << 4 | digit as u16,
        _ => return Read::Invalid,
    };
    if stage < 5 {
        return Read::Next(DecoderState::LowSurrogate { high, stage: stage + 1, value });
    }
    match value {
        0xDC00..=0xDFFF => Read::CodePoint(surrogate_base(u32::from(high)) + u32::from(value - 0xDC00)),
        _ => Read::Invalid,
    }
}

/// The first code point of which `high` is the high surrogate.
fn surrogate_base(high: u32) -> u32 {
    0x1_0000 + ((high - 0xD800) << 10)
}

/// The code points that `missing` more bytes can complete.
fn utf8_range(prefix: u32, missing: u8, low: u8, high: u8) -> (u32, u32) {
    let shift = 6 * u32::from(missing - 1);
    let from = (prefix << 6 | u32::from(low & 0x3F)) << shift;
    let to = (prefix << 6 | u32::from(high & 0x3F)) << shift | ((1 << shift) - 1);
    (from, to)
}

/// The least and the greatest number that further digits can complete.
fn hex_bounds(digits: u8, value: u16) -> (u32, u32) {
    let shift = 4 * u32::from(4 - digits);
    let low = u32::from(value) << shift;
    (low, low + (1 << shift) - 1)
}

/// The code points that further digits can complete; with any escape, also by a low surrogate.
fn hex_ranges(digits: u8, value: u16, encoding: Encoding) -> CodeRanges {
    let (low, high) = hex_bounds(digits, value);
    if !encoding.allows_any_escape() {
        return if low < 0x20 { smallvec![(low, high.min(0x1F))] } else { CodeRanges::new() };
    }
    let mut ranges = smallvec![(low, high)];
    let (from, to) = (low.max(0xD800), high.min(0xDBFF));
    if from <= to {
        ranges.push((surrogate_base(from), surrogate_base(to) + 0x3FF));
    }
    ranges
}

/// The code points a low surrogate can complete; none if the digits read are not a low surrogate's.
fn low_surrogate_range(high: u16, stage: u8, value: u16) -> Option<(u32, u32)> {
    let digits = stage.saturating_sub(2);
    let shift = 4 * u32::from(4 - digits);
    let low = (u32::from(value) << shift).max(0xDC00);
    let top = ((u32::from(value) << shift) + (1 << shift) - 1).min(0xDFFF);
    let base = surrogate_base(u32::from(high));
    (low <= top).then(|| (base + low - 0xDC00, base + top - 0xDC00))
}
