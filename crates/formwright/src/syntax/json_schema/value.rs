//! A schema as JSON: a value that borrows from its text.
//!
//! Like `serde_json::Value`, with three differences: strings without escapes are slices of the text, numbers keep every
//! digit, and a key that is twice in one object is an error instead of a silent loss.
//!
//! ```text
//! {"a": {"type": "null"}, "b": {"type": "null"}}     a and b are one object in memory, compiled once
//! ```
//!
//! Equal schemas are shared like this where the caller allows it ([`Objects`]): generated schemas repeat themselves,
//! and comparing two is much cheaper than compiling one. Titles and descriptions, most of the text of many schemas, are
//! then left out.
//!
//! Cost: the parts of a value lie side by side in an arena ([`Bump`]) and are freed at once. So a value may be
//! copied, but never changed.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hasher};

use crate::interrupt::count;
use bumpalo::Bump;
use rustc_hash::{FxBuildHasher, FxHasher};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use smallvec::SmallVec;

/// The members of an object, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub struct Map<'t> {
    entries: &'t [(&'t str, Value<'t>)],
    /// Hash of the entries, if it may be shared.
    hash: u32,
    /// If there are many entries: hashes of the keys with their indices, by ascending hash and key.
    hashes: &'t [(u32, u32)],
}

/// Most keys that are searched one by one.
const FEW: usize = 12;

impl<'t> Map<'t> {
    /// No members.
    pub const EMPTY: Self = Self { entries: &[], hash: 0, hashes: &[] };

    /// The error is a key that is twice.
    fn new(entries: &'t [(&'t str, Value<'t>)], hash: u32, arena: &'t Bump) -> Result<Self, &'t str> {
        let mut map = Self { entries, hash, ..Self::EMPTY };
        let twice = if entries.len() > FEW {
            let hashes = arena.alloc_slice_fill_with(entries.len(), |index| (hash_key(entries[index].0), index as u32));
            hashes.sort_unstable_by(|a, b| map.compare(*a, b.0, entries[b.1 as usize].0));
            map.hashes = hashes;
            let key = |(_, index): (u32, u32)| entries[index as usize].0;
            hashes
                .windows(2)
                .find(|pair| pair[0].0 == pair[1].0 && key(pair[0]) == key(pair[1]))
                .map(|pair| key(pair[0]))
        } else {
            let mut seen = 0_u64; // a bit for each key: most have one of their own
            let mut is_new = |key: &str| {
                let known = seen;
                seen |= 1 << (sample(key) % u64::BITS);
                known != seen
            };
            let known = entries.iter().enumerate().filter(|(_, (key, _))| !is_new(key));
            let mut twice = known.filter(|(at, (key, _))| entries[..*at].iter().any(|(other, _)| other == key));
            twice.next().map(|(_, (key, _))| *key)
        };
        match twice {
            Some(key) => Err(key),
            None => Ok(map),
        }
    }

    /// Compares hashes first, so that keys with a long common prefix are rarely read.
    fn compare(&self, (hash, index): (u32, u32), other: u32, key: &str) -> Ordering {
        hash.cmp(&other).then_with(|| self.entries[index as usize].0.cmp(key))
    }

    fn find(&self, key: &str) -> Option<usize> {
        if self.hashes.is_empty() {
            return self.entries.iter().position(|(other, _)| *other == key);
        }
        let hash = hash_key(key);
        let at = self.hashes.binary_search_by(|entry| self.compare(*entry, hash, key)).ok()?;
        Some(self.hashes[at].1 as usize)
    }

    pub fn get(&self, key: &str) -> Option<&'t Value<'t>> {
        self.find(key).map(|index| &self.entries[index].1)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn keys(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.entries.iter().map(|(key, _)| *key)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'t str, &'t Value<'t>)> + use<'t> {
        self.entries.iter().map(|(key, value)| (*key, value))
    }
}

impl PartialEq for Map<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

/// The key under which `serde_json` hands over the digits of a number.
const NUMBER: &str = "$serde_json::private::Number";

/// A JSON value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'t> {
    Null,
    Bool(bool),
    /// As it is written.
    Number(&'t str),
    String(&'t str),
    Array(&'t [Value<'t>]),
    Object(&'t Map<'t>),
}

impl<'t> Value<'t> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&'t str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&'t Map<'t>> {
        if let Self::Object(map) = self { Some(map) } else { None }
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&'t Self> {
        self.as_object()?.get(key)
    }

    /// A number that values share if they are one in memory, and no other values do.
    pub fn identity(&self) -> usize {
        match self {
            Self::Object(map) => std::ptr::from_ref(*map) as usize,
            other => std::ptr::from_ref(other) as usize,
        }
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// What a whole document mentions, found while it is parsed.
#[allow(clippy::struct_excessive_bools)] // each is a mention of its own
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Whether ids and anchors are anywhere below the root.
    pub names: bool,
    /// Whether `unevaluatedItems` or `unevaluatedProperties` are anywhere.
    pub unevaluated: bool,
    /// Whether a keyword is anywhere that takes a complement.
    pub complements: bool,
    /// Whether a reference leads to a metaschema.
    pub metaschemas: bool,
    /// How many different objects there are.
    pub objects: usize,
}

/// Which objects may be one in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// None: each has its own place in the text.
    Apart,
    /// Equal ones, except constants and what has a name.
    Shared,
}

/// Parses a text, which must be one value, and finds what it mentions. If objects are shared, remarks are left out.
pub fn read<'t>(text: &'t str, objects: Objects, arena: &'t Bump) -> serde_json::Result<(Value<'t>, Mentions)> {
    let shares = objects == Objects::Shared;
    let slots = if shares { (text.len() / BYTES_EACH).clamp(FEW_MET, MOST_MET).next_power_of_two() } else { 0 };
    let met = arena.alloc_slice_fill_with(slots, |_| Cell::new(None));
    let all = SharedContext { arena, mentions: Cell::default(), met };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = ValueReader { all: &all, shares, named: false, is_root: true }.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| (value, all.mentions.get()))
}

/// Bytes of text for each slot of the table of objects met.
const BYTES_EACH: usize = 32;

/// Fewest slots of that table.
const FEW_MET: usize = 32;

/// Most slots of that table.
const MOST_MET: usize = 1 << 13;

/// What all readers of one text share.
struct SharedContext<'t> {
    arena: &'t Bump,
    mentions: Cell<Mentions>,
    /// Objects met, by hash: the last one for each slot.
    met: &'t [Cell<Option<&'t Map<'t>>>],
}

impl<'t> SharedContext<'t> {
    fn make(&self, entries: &[(&'t str, Value<'t>)], hash: u32) -> Result<&'t Map<'t>, &'t str> {
        self.mentions.update(|mentions| Mentions { objects: mentions.objects + 1, ..mentions });
        let map = Map::new(self.arena.alloc_slice_copy(entries), hash, self.arena)?;
        Ok(self.arena.alloc(map))
    }

    /// The equal object that was met, or a new one.
    fn share(&self, entries: &[(&'t str, Value<'t>)], hash: u32) -> Result<&'t Map<'t>, &'t str> {
        let slot = &self.met[hash as usize % self.met.len()];
        match slot.get() {
            Some(map) if map.hash == hash && are_equal(map.entries, entries) => Ok(map),
            _ => self.make(entries, hash).inspect(|map| slot.set(Some(map))),
        }
    }
}

/// Reads one value.
#[derive(Clone, Copy)]
struct ValueReader<'m, 't> {
    all: &'m SharedContext<'t>,
    /// Whether objects may be shared: not among constants.
    shares: bool,
    /// Whether its members are schemas by name, so that their names are not keywords.
    named: bool,
    is_root: bool,
}

/// What a key means if it is in a schema, which is not known yet while parsing.
#[derive(Clone, Copy, PartialEq)]
enum Sense {
    /// It has a name, if the value is a string.
    Name,
    /// It has a name, if the value is a boolean.
    RecursiveAnchor,
    /// It applies to what other keywords leave unevaluated.
    Unevaluated,
    /// It asks for values that are not valid against a schema.
    Complement,
    /// A place that is meant instead.
    Reference,
    /// Its values.
    Constants,
    /// Schemas by name.
    Schemas,
    /// Nothing about values, if the value is a string.
    Remark,
    Other,
}

impl Sense {
    fn of(key: &str) -> Self {
        match key {
            "id" | "$id" | "$anchor" | "$dynamicAnchor" => Self::Name,
            "$recursiveAnchor" => Self::RecursiveAnchor,
            "unevaluatedItems" | "unevaluatedProperties" => Self::Unevaluated,
            "not" | "oneOf" | "if" | "maxContains" => Self::Complement,
            "$ref" | "$dynamicRef" | "$recursiveRef" => Self::Reference,
            "enum" | "const" => Self::Constants,
            "properties" | "patternProperties" | "definitions" | "$defs" | "dependencies" | "dependentSchemas" => {
                Self::Schemas
            }
            "description" | "title" | "$comment" => Self::Remark,
            _ => Self::Other,
        }
    }
}

impl ValueReader<'_, '_> {
    /// Records what a member mentions. Whether it names the object it is in.
    fn notice(self, sense: Sense, value: &Value<'_>) -> bool {
        let mut mentions = self.all.mentions.get();
        let names =
            matches!((sense, value), (Sense::Name, Value::String(_)) | (Sense::RecursiveAnchor, Value::Bool(_)));
        mentions.names |= names && !self.is_root;
        mentions.unevaluated |= sense == Sense::Unevaluated;
        mentions.complements |= sense == Sense::Complement;
        let leads_to = |part| sense == Sense::Reference && value.as_str().is_some_and(|uri| uri.contains(part));
        mentions.metaschemas |= leads_to("json-schema.org/draft");
        self.all.mentions.set(mentions);
        names
    }
}

fn hash_value(value: &Value<'_>, hasher: &mut FxHasher) {
    match value {
        Value::Null => hasher.write_u8(0),
        Value::Bool(yes) => hasher.write_u8(1 + u8::from(*yes)),
        Value::Number(text) | Value::String(text) => hasher.write(text.as_bytes()),
        Value::Array(items) => items.iter().for_each(|item| hash_value(item, hasher)),
        Value::Object(map) => hasher.write_u32(map.hash),
    }
}

/// Whether two objects are equal, where equal objects inside them are one in memory.
fn are_equal(a: &[(&str, Value<'_>)], b: &[(&str, Value<'_>)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((key, a), (other, b))| key == other && are_one(a, b))
}

fn are_one(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => std::ptr::eq(*a, *b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(*b).all(|(a, b)| are_one(a, b)),
        (a, b) => a == b,
    }
}

impl<'de: 't, 't> DeserializeSeed<'de> for ValueReader<'_, 't> {
    type Value = Value<'t>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        count(2);
        deserializer.deserialize_any(self)
    }
}

impl<'de: 't, 't> Visitor<'de> for ValueReader<'_, 't> {
    type Value = Value<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Value::Number(self.all.arena.alloc_str(&value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(self.all.arena.alloc_str(&value.to_string())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::String(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::String(self.all.arena.alloc_str(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all: SmallVec<[Value<'t>; 8]> = SmallVec::new();
        while let Some(item) = items.next_element_seed(Self { named: false, is_root: false, ..self })? {
            all.push(item);
        }
        Ok(Value::Array(self.all.arena.alloc_slice_copy(&all)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut entries: SmallVec<[(&'t str, Value<'t>); 8]> = SmallVec::new();
        let mut remarks: SmallVec<[&'t str; 3]> = SmallVec::new();
        let (mut shares, mut hasher) = (self.shares, FxHasher::default());
        let twice = |key| de::Error::custom(format_args!("the key {key:?} is in one object twice"));
        while let Some(key) = members.next_key_seed(Text(self.all.arena))? {
            if key == NUMBER {
                return members.next_value_seed(Text(self.all.arena)).map(Value::Number);
            }
            let sense = Sense::of(key);
            let inside = self.shares && sense != Sense::Constants;
            let named = sense == Sense::Schemas;
            let value = members.next_value_seed(Self { shares: inside, named, is_root: false, ..self })?;
            if sense == Sense::Remark && self.shares && !self.named {
                if remarks.contains(&key) {
                    return Err(twice(key));
                }
                remarks.push(key);
                if matches!(value, Value::String(_)) {
                    continue;
                }
            } else if sense != Sense::Other {
                shares &= !self.notice(sense, &value);
            }
            hasher.write(key.as_bytes());
            hash_value(&value, &mut hasher);
            entries.push((key, value));
        }
        let map = if shares { self.all.share(&entries, hasher.finish() as u32) } else { self.all.make(&entries, 0) };
        map.map(Value::Object).map_err(twice)
    }
}

/// Reads a string; borrows it if it can be.
struct Text<'t>(&'t Bump);

impl<'de: 't, 't> DeserializeSeed<'de> for Text<'t> {
    type Value = &'t str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'t str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de: 't, 't> Visitor<'de> for Text<'t> {
    type Value = &'t str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<&'t str, E> {
        Ok(text)
    }

    fn visit_str<E>(self, text: &str) -> Result<&'t str, E> {
        Ok(self.0.alloc_str(text))
    }
}

/// Something about a key that is at hand.
fn sample(key: &str) -> u32 {
    let bytes = key.as_bytes();
    let ends = bytes.first().zip(bytes.last());
    ends.map_or(0, |(first, last)| bytes.len() as u32 + u32::from(*first) * 7 + u32::from(*last) * 3)
}

fn hash_key(key: &str) -> u32 {
    FxBuildHasher.hash_one(key) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_kept_and_text_is_borrowed() {
        let text = r#"{"a": 1.10, "b\n": ["x", null, true, -3.50]}"#;
        let arena = Bump::new();
        let value = read(text, Objects::Shared, &arena).unwrap().0;
        assert_eq!(value.get("a"), Some(&Value::Number("1.10")));
        let Some(Value::Array(items)) = value.get("b\n") else { panic!("{value:?}") };
        assert!(matches!(items[0], Value::String(slice) if text.as_bytes().as_ptr_range().contains(&slice.as_ptr())));
        assert_eq!(items[3], Value::Number("-3.50"));
    }

    #[test]
    fn a_key_given_twice_is_an_error() {
        let arena = Bump::new();
        let error = read(r#"{"a": 1, "b": 2, "a": 3}"#, Objects::Shared, &arena).unwrap_err();
        assert!(error.to_string().contains(r#"the key "a" is in one object twice"#), "{error}");
        for twice in
            [r#"{"title": "1", "title": "2"}"#, r#"{"title": "1", "title": 2}"#, r#"{"title": 1, "title": "2"}"#]
        {
            for objects in [Objects::Shared, Objects::Apart] {
                assert!(read(twice, objects, &arena).is_err(), "{twice}");
            }
        }
    }

    #[test]
    fn many_keys_are_found_and_told_apart() {
        let text = |count: u32| (0..count).map(|n| format!(r#""key {n}": {n}"#)).collect::<Vec<_>>().join(",");
        let many = format!("{{{}}}", text(500));
        let arena = Bump::new();
        let value = read(&many, Objects::Shared, &arena).unwrap().0;
        for n in 0..500 {
            assert_eq!(value.get(&format!("key {n}")), Some(&Value::Number(&n.to_string())));
        }
        assert_eq!(value.get("key 500"), None);
        let twice = format!("{{{}, \"key 17\": 0}}", text(500));
        assert!(read(&twice, Objects::Shared, &arena).is_err());
    }

    /// Whether the members `a` and `b` of an object are one in memory.
    fn are_shared(text: &str, objects: Objects) -> bool {
        let arena = Bump::new();
        let value = read(text, objects, &arena).unwrap().0;
        value.get("a").unwrap().identity() == value.get("b").unwrap().identity()
    }

    #[test]
    fn objects_that_are_equal_are_one() {
        for (text, shared) in [
            (r#"{"a": {"x": [1, {"y": "z"}]}, "b": {"x": [1, {"y": "z"}]}}"#, true),
            (r#"{"a": {"x": {"title": "1"}}, "b": {"x": {"title": "2"}}}"#, true),
            (r#"{"a": {"description": "1", "x": 1}, "b": {"x": 1, "description": "2"}}"#, true),
            (r#"{"a": {"description": "1"}, "b": {}}"#, true),
            (r#"{"a": {"properties": {"title": "1"}}, "b": {"properties": {"title": "2"}}}"#, false),
            (r#"{"a": {"title": ["1"]}, "b": {"title": ["2"]}}"#, false),
            (r#"{"a": {"x": "1"}, "b": {"x": 1}}"#, false),
            (r#"{"a": {"enum": ["1"]}, "b": {"enum": ["1"]}}"#, true),
            (r#"{"a": {"enum": [{"title": "1"}]}, "b": {"enum": [{"title": "2"}]}}"#, false),
            (r#"{"a": {"$id": "x"}, "b": {"$id": "x"}}"#, false),
            (r#"{"a": {"x": {"$anchor": "x"}}, "b": {"x": {"$anchor": "x"}}}"#, false),
        ] {
            assert_eq!(are_shared(text, Objects::Shared), shared, "{text}");
            assert!(!are_shared(text, Objects::Apart), "{text}");
        }
    }

    #[test]
    fn mentions_are_noticed_however_they_are_written() {
        let arena = Bump::new();
        let seen = |text| read(text, Objects::Shared, &arena).unwrap().1;
        assert_eq!(seen(r#"{"type": "object", "x": "$id"}"#), Mentions { objects: 1, ..Mentions::default() });
        assert!(seen(r#"{"$defs": {"a": [{"\u0024id": "x"}]}}"#).names);
        assert!(!seen(r#"{"properties": {"id": {"type": "string"}, "$anchor": true}}"#).names);
        assert!(seen(r#"[{"unevaluatedItems": true}]"#).unevaluated);
    }

    #[test]
    fn numbers_in_disguise_are_not_read() {
        assert!(read(r#"{"$serde_json::private::Number": []}"#, Objects::Apart, &Bump::new()).is_err());
    }
}
