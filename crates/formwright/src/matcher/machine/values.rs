//! JSON values, read byte by byte and compared: what items that must all differ are compared by.
//!
//! ```text
//! {"a": [1.0, "x"], "b": null}      \
//! { "b":null,"a":[10e-1,"\u0078"] }  > one value, one id
//! ```
//!
//! Values are hash-consed: strings are decoded, numbers are normalised, members are sorted. So is a value of which only a
//! part was read ([`Partial`]): its state holds what the text has said so far, however it was spelled.
//!
//! Cost: a lookup for each byte. Whether a part can still become a value ([`Values::may_become`]) may be answered
//! with yes too often, where a number can be spelled in many ways; never with no.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

type Set<T> = IndexSet<T, FxBuildHasher>;

/// Index of a value.
pub type ValueId = u32;

/// Index of a value of which a part was read.
pub type PartialId = u32;

/// Before the first byte of a value.
pub const BEFORE: PartialId = 0;

/// The end of a list that grows at its head, or no name.
const NIL: u32 = u32::MAX;

/// A text that is not longer is compared after every byte; a longer one now and then.
const SHORT: u32 = 64;

/// Bytes of values kept at most.
const MOST_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    /// `true`, `false` or `null`, by its first letter.
    Word(u8),
    Number(Number),
    /// A double, by its bits, where numbers are read so.
    Double(u64),
    Text(Box<[u8]>),
    Array(Box<[ValueId]>),
    /// Names and values, sorted.
    Object(Box<[(ValueId, ValueId)]>),
}

/// A decimal `0.digits * 10^exponent` without zeros at either end of its digits; zero has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Number {
    negative: bool,
    digits: Box<[u8]>,
    exponent: i64,
}

/// The state of reading one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// Before its first byte.
    Before,
    /// Inside a string, of which these bytes were read.
    Text { bytes: u32, escape: Escape },
    /// Inside a number or a word.
    Bare { bytes: u32 },
    /// Inside an array, after these items.
    Items { items: u32 },
    /// Inside an object, after these members; `name` is that of a member whose value is to come.
    Members { members: u32, name: ValueId },
    /// It is complete.
    Done(ValueId),
}

/// Where in an escape a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Escape {
    No,
    /// After the backslash.
    Begun,
    /// After `\u` and so many digits. `high` is the first half of a surrogate pair, if one was read.
    Hex {
        digits: u8,
        code: u16,
        high: u16,
    },
    /// After the first half of a surrogate pair.
    High(u16),
    /// After the backslash of the second half.
    HighBegun(u16),
}

/// A value of which a part was read, and the containers around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Partial {
    state: State,
    /// The array or object that the value is in; [`NIL`] if there is none.
    outer: PartialId,
}

/// All values and parts of values of one matcher.
#[derive(Debug)]
pub struct Values {
    known: Set<Value>,
    partials: Set<Partial>,
    /// Lists that grow at their head: the one before, what was added, and how many there are.
    lists: Set<(u32, u32, u32)>,
    /// Members read so far, sorted.
    members: Set<Box<[(ValueId, ValueId)]>>,
    bytes: usize,
}

impl Default for Values {
    fn default() -> Self {
        let mut made = Self {
            known: Set::default(),
            partials: Set::default(),
            lists: Set::default(),
            members: Set::default(),
            bytes: 0,
        };
        made.partial(State::Before, NIL);
        made
    }
}

impl Values {
    /// Where a byte leads. With `doubles`, numbers are equal if their doubles are.
    pub fn step(&mut self, at: PartialId, byte: u8, doubles: bool) -> PartialId {
        let Partial { state, outer } = self.partials[at as usize];
        match state {
            State::Before => self.begin(at, outer, byte),
            State::Text { bytes, escape } => self.step_text((bytes, escape), outer, byte),
            State::Bare { bytes } if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.') => {
                let bytes = self.append(bytes, u32::from(byte));
                self.partial(State::Bare { bytes }, outer)
            }
            State::Bare { .. } => match self.finished(at, doubles) {
                Some(value) => {
                    let at = self.complete(value, outer);
                    self.step(at, byte, doubles)
                }
                None => at,
            },
            State::Items { items } => match byte {
                b']' => {
                    let items = self.list(items).into();
                    let value = self.value(Value::Array(items));
                    self.complete(value, outer)
                }
                b',' => at,
                _ => self.begin_inside(at, byte),
            },
            State::Members { members, name } => match byte {
                b'}' => {
                    let members = self.members[members as usize].clone();
                    let value = self.value(Value::Object(members));
                    self.complete(value, outer)
                }
                b',' | b':' => at,
                b'"' if name == NIL => self.partial(State::Text { bytes: NIL, escape: Escape::No }, at),
                _ => self.begin_inside(at, byte),
            },
            State::Done(_) => at,
        }
    }

    /// The first byte of a value inside the container `at`; whitespace changes nothing.
    fn begin_inside(&mut self, at: PartialId, byte: u8) -> PartialId {
        let inside = self.partial(State::Before, at);
        let next = self.begin(inside, at, byte);
        if next == inside { at } else { next }
    }

    fn begin(&mut self, at: PartialId, outer: PartialId, byte: u8) -> PartialId {
        let state = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b',' => return at,
            b'"' => State::Text { bytes: NIL, escape: Escape::No },
            b'[' => State::Items { items: NIL },
            b'{' => State::Members { members: self.intern_members(Vec::new()), name: NIL },
            _ => State::Bare { bytes: self.append(NIL, u32::from(byte)) },
        };
        self.partial(state, outer)
    }

    fn step_text(&mut self, (bytes, escape): (u32, Escape), outer: PartialId, byte: u8) -> PartialId {
        let (bytes, escape) = match (escape, byte) {
            (Escape::No, b'"') => {
                let bytes = self.text(bytes);
                let value = self.value(Value::Text(bytes));
                return self.complete(value, outer);
            }
            (Escape::No, b'\\') => (bytes, Escape::Begun),
            (Escape::Begun, b'u') => (bytes, Escape::Hex { digits: 0, code: 0, high: 0 }),
            (Escape::HighBegun(high), b'u') => (bytes, Escape::Hex { digits: 0, code: 0, high }),
            (Escape::High(high), b'\\') => (bytes, Escape::HighBegun(high)),
            (Escape::Hex { digits, code, high }, _) => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0) as u16;
                let code = code << 4 | digit;
                if digits < 3 {
                    (bytes, Escape::Hex { digits: digits + 1, code, high })
                } else if high == 0 && (0xD800..0xDC00).contains(&code) {
                    (bytes, Escape::High(code))
                } else {
                    let units: &[u16] = if high == 0 { &[code] } else { &[high, code] };
                    (self.append_units(bytes, units), Escape::No)
                }
            }
            (Escape::Begun, _) => (self.append(bytes, u32::from(unescaped(byte))), Escape::No),
            // The first half of a pair alone: readers keep it, or replace it.
            (Escape::High(high) | Escape::HighBegun(high), _) => {
                let bytes = self.append_units(bytes, &[high]);
                let at = self.partial(State::Text { bytes, escape: Escape::No }, outer);
                let at = if matches!(escape, Escape::HighBegun(_)) { self.step(at, b'\\', false) } else { at };
                return self.step(at, byte, false);
            }
            (Escape::No, _) => (self.append(bytes, u32::from(byte)), Escape::No),
        };
        self.partial(State::Text { bytes, escape }, outer)
    }

    fn append_units(&mut self, bytes: u32, units: &[u16]) -> u32 {
        let text = char::decode_utf16(units.iter().copied()).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        let mut encoded = [0; 4];
        text.fold(bytes, |bytes, character| {
            let character = character.encode_utf8(&mut encoded).as_bytes();
            character.iter().fold(bytes, |bytes, &byte| self.append(bytes, u32::from(byte)))
        })
    }

    /// After a value inside `outer`.
    fn complete(&mut self, value: ValueId, outer: PartialId) -> PartialId {
        if outer == NIL {
            return self.partial(State::Done(value), NIL);
        }
        let Partial { state, outer } = self.partials[outer as usize];
        let state = match state {
            State::Items { items } => State::Items { items: self.append(items, value) },
            State::Members { members, name: NIL } => State::Members { members, name: value },
            State::Members { members, name } => {
                let mut members = self.members[members as usize].to_vec();
                match members.binary_search_by_key(&name, |member| member.0) {
                    Ok(index) => members[index].1 = value,
                    Err(index) => members.insert(index, (name, value)),
                }
                State::Members { members: self.intern_members(members), name: NIL }
            }
            other => other,
        };
        self.partial(state, outer)
    }

    /// The value, if the text may end here.
    pub fn finished(&mut self, at: PartialId, doubles: bool) -> Option<ValueId> {
        match self.partials[at as usize].state {
            State::Done(value) => Some(value),
            State::Bare { bytes } => {
                let text = self.text(bytes);
                let value = match text[0] {
                    letter @ (b't' | b'f' | b'n') => Value::Word(letter),
                    _ if doubles => {
                        let double: f64 = std::str::from_utf8(&text).ok()?.parse().ok()?;
                        Value::Double(if double == 0.0 { 0 } else { double.to_bits() })
                    }
                    _ => Value::Number(Number::read(&text)),
                };
                Some(self.value(value))
            }
            _ => None,
        }
    }

    /// The value of a whole text.
    pub fn read(&mut self, text: &[u8], doubles: bool) -> Option<ValueId> {
        let at = text.iter().fold(BEFORE, |at, &byte| self.step(at, byte, doubles));
        self.finished(at, doubles)
    }

    /// Whether a byte more may have changed which values it can become.
    pub fn is_telling(&self, at: PartialId) -> bool {
        match self.partials[at as usize].state {
            State::Before => false,
            State::Text { bytes, escape } => {
                let length = self.length(bytes);
                escape == Escape::No && (length <= SHORT || length.is_multiple_of(SHORT))
            }
            _ => true,
        }
    }

    /// Zeros at the end of the fraction of a number that is being read, or bytes of its exponent.
    pub fn padding(&self, at: PartialId) -> usize {
        let State::Bare { bytes } = self.partials[at as usize].state else { return 0 };
        let text = self.text(bytes);
        if let Some(exponent) = text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            return text.len() - exponent;
        }
        let zeros = text.iter().rev().take_while(|&&byte| byte == b'0').count();
        if text.contains(&b'.') { zeros } else { 0 }
    }

    /// The text of the string, number or word that ends with `byte`, if it is spelled as it is read.
    pub fn text_with(&self, at: PartialId, byte: u8) -> Option<Vec<u8>> {
        let is_spelled_so = |byte: &u8| *byte >= b' ' && !matches!(byte, b'"' | b'\\');
        let text = match self.partials[at as usize].state {
            State::Text { bytes, escape: Escape::No } => {
                let text = self.text(bytes);
                text.iter().all(is_spelled_so).then(|| [b"\"", &*text].concat())?
            }
            State::Bare { bytes } => self.text(bytes).into(),
            _ if byte.is_ascii_digit() => Vec::new(),
            _ => return None,
        };
        Some([&*text, &[byte]].concat())
    }

    /// Whether what was read so far may be the beginning of a value.
    pub fn may_become(&self, at: PartialId, value: ValueId) -> bool {
        let mut chain: SmallVec<[PartialId; 8]> = SmallVec::new();
        let mut next = at;
        while next != NIL {
            chain.push(next);
            next = self.partials[next as usize].outer;
        }
        let mut value = value;
        for (index, &at) in chain.iter().enumerate().rev() {
            if !self.agrees(at, value) {
                return false;
            }
            if index == 0 {
                break;
            }
            let inner = match (self.partials[at as usize].state, &self.known[value as usize]) {
                (State::Items { items }, Value::Array(all)) => all.get(self.length(items) as usize).copied(),
                (State::Members { members, name: NIL }, Value::Object(all)) => {
                    return self.has_name(chain[0], members, all);
                }
                (State::Members { name, .. }, Value::Object(all)) => find(all, name),
                _ => None,
            };
            let Some(inner) = inner else { return false };
            value = inner;
        }
        true
    }

    /// Whether the innermost state is the beginning of a name of `all` that is none of `members`.
    fn has_name(&self, at: PartialId, members: u32, all: &[(ValueId, ValueId)]) -> bool {
        let read = &self.members[members as usize];
        all.iter().any(|&(name, _)| find(read, name).is_none() && self.agrees(at, name))
    }

    /// Whether one state agrees with the value that is in its place, the values inside it aside.
    fn agrees(&self, at: PartialId, value: ValueId) -> bool {
        match (self.partials[at as usize].state, &self.known[value as usize]) {
            (State::Before, _) => true,
            (State::Done(done), _) => done == value,
            (State::Text { bytes, .. }, Value::Text(text)) => self.begins(bytes, text),
            (State::Bare { bytes }, Value::Word(letter)) => self.text(bytes)[0] == *letter,
            (State::Bare { bytes }, Value::Number(number)) => number.may_begin(&self.text(bytes)),
            (State::Bare { bytes }, Value::Double(_)) => !self.text(bytes)[0].is_ascii_alphabetic(),
            (State::Items { items }, Value::Array(all)) => {
                let length = self.length(items) as usize;
                length <= all.len() && self.list(items) == all[..length]
            }
            (State::Members { members, name }, Value::Object(all)) => {
                let read = &self.members[members as usize];
                read.iter().all(|&(name, value)| find(all, name) == Some(value))
                    && (name == NIL || find(all, name).is_some() && find(read, name).is_none())
            }
            _ => false,
        }
    }

    /// Whether `text` begins with the bytes of a list.
    fn begins(&self, bytes: u32, text: &[u8]) -> bool {
        let (mut at, length) = (bytes, self.length(bytes) as usize);
        let Some(text) = text.get(..length) else { return false };
        text.iter().rev().all(|&byte| {
            let (before, added, _) = self.lists[at as usize];
            at = before;
            added == u32::from(byte)
        })
    }

    /// Whether no more values should be kept.
    pub fn is_full(&self) -> bool {
        self.bytes() >= MOST_BYTES
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes + self.known.len() * 56 + self.partials.len() * 48 + self.lists.len() * 28 + self.members.len() * 32
    }

    fn value(&mut self, value: Value) -> ValueId {
        self.bytes += match &value {
            Value::Text(text) => text.len(),
            Value::Array(items) => items.len() * 4,
            Value::Object(members) => members.len() * 8,
            Value::Number(number) => number.digits.len(),
            Value::Word(_) | Value::Double(_) => 0,
        };
        self.known.insert_full(value).0 as ValueId
    }

    fn partial(&mut self, state: State, outer: PartialId) -> PartialId {
        self.partials.insert_full(Partial { state, outer }).0 as PartialId
    }

    fn intern_members(&mut self, members: Vec<(ValueId, ValueId)>) -> u32 {
        self.bytes += members.len() * 8;
        self.members.insert_full(members.into()).0 as u32
    }

    fn append(&mut self, list: u32, item: u32) -> u32 {
        let length = self.length(list) + 1;
        self.lists.insert_full((list, item, length)).0 as u32
    }

    fn length(&self, list: u32) -> u32 {
        if list == NIL { 0 } else { self.lists[list as usize].2 }
    }

    fn list(&self, mut list: u32) -> Vec<u32> {
        let mut items = Vec::with_capacity(self.length(list) as usize);
        while list != NIL {
            let (before, item, _) = self.lists[list as usize];
            items.push(item);
            list = before;
        }
        items.reverse();
        items
    }

    fn text(&self, list: u32) -> Box<[u8]> {
        self.list(list).into_iter().map(|byte| byte as u8).collect()
    }
}

fn find(members: &[(ValueId, ValueId)], name: ValueId) -> Option<ValueId> {
    members.binary_search_by_key(&name, |member| member.0).ok().map(|index| members[index].1)
}

fn unescaped(byte: u8) -> u8 {
    match byte {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    }
}

impl Number {
    fn read(text: &[u8]) -> Self {
        let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&text[..at], read_exponent(&text[at + 1..])),
            None => (text, 0),
        };
        let (digits, point) = significant(mantissa);
        let zeros = digits.iter().rev().take_while(|&&digit| digit == b'0').count();
        let digits: Box<[u8]> = digits[..digits.len() - zeros].into();
        let is_zero = digits.is_empty();
        Self {
            negative: text[0] == b'-' && !is_zero,
            exponent: if is_zero { 0 } else { exponent.saturating_add(point) },
            digits,
        }
    }

    /// Whether a text may go on to spell this number.
    fn may_begin(&self, text: &[u8]) -> bool {
        let is_number = text[0] == b'-' || text[0].is_ascii_digit();
        let has_exponent = text.iter().any(|byte| matches!(byte, b'e' | b'E'));
        if !is_number
            || (text[0] == b'-' && !self.negative && !self.digits.is_empty())
            || (self.negative && text[0] != b'-')
        {
            return false;
        }
        let mantissa = text.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or(text);
        let (digits, _) = significant(mantissa);
        let fits =
            digits.iter().enumerate().all(|(index, digit)| *digit == self.digits.get(index).copied().unwrap_or(b'0'));
        fits && (!has_exponent || digits.len() >= self.digits.len())
    }
}

/// The digits of a mantissa from the first that is not zero, and where the point is, counted from there.
fn significant(mantissa: &[u8]) -> (Vec<u8>, i64) {
    let whole = mantissa.split(|&byte| byte == b'.').next().unwrap_or_default();
    let whole = whole.iter().filter(|byte| byte.is_ascii_digit()).count();
    let all: Vec<u8> = mantissa.iter().copied().filter(u8::is_ascii_digit).collect();
    let zeros = all.iter().take_while(|&&digit| digit == b'0').count();
    (all[zeros..].to_vec(), whole as i64 - zeros as i64)
}

/// The exponent; one that no integer holds is as large as one that does.
fn read_exponent(text: &[u8]) -> i64 {
    let negative = text.first() == Some(&b'-');
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let value = digits
        .fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(1 << 60));
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        let mut values = Values::default();
        values.read(a.as_bytes(), false).unwrap() == values.read(b.as_bytes(), false).unwrap()
    }

    #[test]
    fn one_value_has_one_id_however_it_is_spelled() {
        let pairs = [
            (r#"{"a": [1.0, "x"], "b": null}"#, r#"{ "b":null,"a":[10e-1,"\u0078"] }"#),
            ("1", "1.000"),
            ("100", "1e2"),
            ("0.01", "10E-3"),
            ("0", "-0.0e5"),
            (r#""\ud83d\ude00\n""#, "\"😀\\u000a\""),
            (r#""a\/b""#, r#""a/b""#),
            ("[[],{}]", "[ [ ] , { } ]"),
            (r#""\u0000""#, r#""\u0000""#),
        ];
        for (a, b) in pairs {
            assert!(same(a, b), "{a} {b}");
        }
        let different = [
            ("1", "10"),
            ("1", "-1"),
            ("1", "\"1\""),
            ("[]", "{}"),
            ("[1]", "[1,1]"),
            ("true", "\"t\""),
            ("0.1", "0.01"),
        ];
        for (a, b) in different {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn every_prefix_of_a_spelling_may_become_the_value() {
        let spellings = [
            (r#"{"a":[1.0,"x"],"b":null}"#, r#"{ "b" : null , "a" : [ 10e-1 , "\u0078" ] }"#),
            ("-12.5", "-0.0125e3"),
            (r#"[[1,2],{"k":"v"}]"#, r#"[[1.0,2],{"k":"\u0076"}]"#),
            ("0", "0.000e7"),
            ("1000", "1e3"),
        ];
        for (plain, other) in spellings {
            let mut values = Values::default();
            let value = values.read(plain.as_bytes(), false).unwrap();
            for spelling in [plain, other] {
                let mut at = BEFORE;
                for &byte in spelling.as_bytes() {
                    at = values.step(at, byte, false);
                    assert!(values.may_become(at, value), "{spelling} at {}", char::from(byte));
                }
                assert_eq!(values.finished(at, false), Some(value));
            }
        }
    }

    #[test]
    fn what_differs_cannot_become_the_value() {
        let mut values = Values::default();
        let value = values.read(br#"{"a":[1,"x"],"b":null}"#, false).unwrap();
        for text in [
            r#"{"c"#,
            r#"{"a":[2"#,
            r#"{"a":[1,"y"#,
            r#"{"a":[1,"x",1"#,
            r#"{"b":t"#,
            "[",
            "1",
            r#"{"a":{"#,
            r#"{"a":[1]"#,
        ] {
            let at = text.bytes().fold(BEFORE, |at, byte| values.step(at, byte, false));
            assert!(!values.may_become(at, value), "{text}");
        }
    }
}
