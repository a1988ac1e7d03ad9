//! A schema as JSON: a value that borrows from its text.
//!
//! Like `serde_json::Value`, which parses it, with three differences: strings
//! without escapes are slices of the text, numbers keep every digit, and a key
//! that stands twice in one object is an error instead of a silent loss.
//!
//! Schemas that say the same are one object in memory, if the reader may share
//! ([`Sharing`]): what is found out about one is found out about all. Machines
//! write many of them, and each costs much more to compile than to compare.
//!
//! Cost: the parts of a value lie side by side in an arena ([`Bump`]) and are
//! freed at once. Wrinkle: so a value may be copied, but never changed.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hasher};

use bumpalo::Bump;
use rustc_hash::{FxBuildHasher, FxHasher};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use smallvec::SmallVec;

/// The members of an object, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub struct Map<'t> {
    entries: &'t [(&'t str, Value<'t>)],
    /// Of all it says, if it may be shared.
    hash: u32,
    /// If there are many: hashes of the keys with the indices of their entries, by ascending hash and key.
    hashes: &'t [(u32, u32)],
}

/// Up to so many keys are looked for one by one.
const FEW: usize = 12;

impl<'t> Map<'t> {
    /// No members.
    pub const EMPTY: Self = Self { entries: &[], hash: 0, hashes: &[] };

    /// The error is a key that stands twice.
    fn new(entries: &'t [(&'t str, Value<'t>)], hash: u32, arena: &'t Bump) -> Result<Self, &'t str> {
        let mut map = Self { entries, hash, ..Self::EMPTY };
        if entries.len() > FEW {
            let hashes = arena.alloc_slice_fill_with(entries.len(), |index| (hash_key(entries[index].0), index as u32));
            hashes.sort_unstable_by(|a, b| map.compare(*a, b.0, entries[b.1 as usize].0));
            map.hashes = hashes;
        }
        match (0..entries.len()).find(|&index| map.find(entries[index].0) != Some(index)) {
            Some(twice) => Err(entries[twice].0),
            None => Ok(map),
        }
    }

    /// Hashes first: keys with a long beginning in common are rarely read.
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

    /// The same for values that are one in memory, another for any other value.
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

/// What must be known of the whole schema before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Whether ids and anchors stand anywhere below the root.
    pub names: bool,
    /// Whether `unevaluatedItems` or `unevaluatedProperties` stand anywhere.
    pub unevaluated: bool,
    /// How many objects are in memory.
    pub objects: usize,
}

/// Which objects may be one in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// None: each has its place in the text.
    Nothing,
    /// Those that differ in remarks only, but for constants and what has a name.
    Schemas,
}

/// Reads a text, which must be one value, and notices what it mentions.
pub fn read<'t>(text: &'t str, sharing: Sharing, arena: &'t Bump) -> serde_json::Result<(Value<'t>, Mentions)> {
    let mentions = Cell::default();
    let slots = if sharing == Sharing::Nothing { 0 } else { (text.len() / BYTES_EACH).next_power_of_two() };
    let met = arena.alloc_slice_fill_with(slots.min(MOST_MET), |_| Cell::new(None));
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Reader { arena, mentions: &mentions, met, is_root: true }.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| (value, mentions.get()))
}

/// Bytes of text for each object that is remembered ...
const BYTES_EACH: usize = 32;

/// ... until there are so many.
const MOST_MET: usize = 1 << 13;

#[derive(Clone, Copy)]
struct Reader<'m, 't> {
    arena: &'t Bump,
    mentions: &'m Cell<Mentions>,
    /// Objects met, by hash; the last one of those that want the same slot. No slots: nothing is shared.
    met: &'m [Cell<Option<&'t Map<'t>>>],
    is_root: bool,
}

impl<'t> Reader<'_, 't> {
    /// Takes notice of a member. Gives whether it names the object it stands in.
    fn notice(self, key: &str, value: &Value<'_>) -> bool {
        let mut mentions = self.mentions.get();
        let names = match (key, value) {
            ("id" | "$id" | "$anchor" | "$dynamicAnchor", Value::String(_)) | ("$recursiveAnchor", Value::Bool(_)) => {
                true
            }
            ("unevaluatedItems" | "unevaluatedProperties", _) => false,
            _ => return false,
        };
        mentions.names |= names && !self.is_root;
        mentions.unevaluated |= !names;
        self.mentions.set(mentions);
        names
    }

    /// The reader of a member's value.
    fn inside(self, key: &str) -> Self {
        let met = if matches!(key, "enum" | "const") { &[] } else { self.met };
        Self { met, is_root: false, ..self }
    }

    /// An object of these members, perhaps one that was met.
    fn object(self, entries: &[(&'t str, Value<'t>)]) -> Result<&'t Map<'t>, &'t str> {
        let make = |hash| {
            self.mentions.update(|mentions| Mentions { objects: mentions.objects + 1, ..mentions });
            Map::new(self.arena.alloc_slice_copy(entries), hash, self.arena).map(|map| &*self.arena.alloc(map))
        };
        if self.met.is_empty() {
            return make(0);
        }
        let hash = hash_members(entries);
        let slot = &self.met[hash as usize % self.met.len()];
        match slot.get() {
            Some(map) if map.hash == hash && say_the_same(map.entries, entries) => Ok(map),
            _ => make(hash).inspect(|map| slot.set(Some(map))),
        }
    }
}

/// Whether a member says nothing about values. Whoever reads it as something else, as the name of a member that has
/// this text for a schema, finds the same mistake in all.
fn is_remark(key: &str, value: &Value<'_>) -> bool {
    matches!((key, value), ("description" | "title" | "$comment", Value::String(_)))
}

fn hash_members(entries: &[(&str, Value<'_>)]) -> u32 {
    let mut hasher = FxHasher::default();
    for (key, value) in entries {
        hasher.write(key.as_bytes());
        if !is_remark(key, value) {
            hash_value(value, &mut hasher);
        }
    }
    hasher.finish() as u32
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

/// Whether two objects are the same in everything but remarks: their objects are one in memory.
fn say_the_same(a: &[(&str, Value<'_>)], b: &[(&str, Value<'_>)]) -> bool {
    let same = |((key, a), (other, b)): (&(&str, Value<'_>), &(&str, Value<'_>))| {
        key == other && (are_one(a, b) || is_remark(key, a) && is_remark(key, b))
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

fn are_one(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => std::ptr::eq(*a, *b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(*b).all(|(a, b)| are_one(a, b)),
        (a, b) => a == b,
    }
}

impl<'de: 't, 't> DeserializeSeed<'de> for Reader<'_, 't> {
    type Value = Value<'t>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 't, 't> Visitor<'de> for Reader<'_, 't> {
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
        Ok(Value::Number(self.arena.alloc_str(&value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(self.arena.alloc_str(&value.to_string())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::String(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::String(self.arena.alloc_str(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all: SmallVec<[Value<'t>; 8]> = SmallVec::new();
        while let Some(item) = items.next_element_seed(Self { is_root: false, ..self })? {
            all.push(item);
        }
        Ok(Value::Array(self.arena.alloc_slice_copy(&all)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut entries: SmallVec<[(&'t str, Value<'t>); 8]> = SmallVec::new();
        let mut is_named = false;
        while let Some(key) = members.next_key_seed(Text(self.arena))? {
            if key == NUMBER {
                return members.next_value_seed(Text(self.arena)).map(Value::Number);
            }
            let value = members.next_value_seed(self.inside(key))?;
            is_named |= self.notice(key, &value);
            entries.push((key, value));
        }
        let reader = if is_named { Self { met: &[], ..self } } else { self };
        let twice = |key| de::Error::custom(format_args!("the key {key:?} stands twice in one object"));
        reader.object(&entries).map(Value::Object).map_err(twice)
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
        let value = read(text, Sharing::Schemas, &arena).unwrap().0;
        assert_eq!(value.get("a"), Some(&Value::Number("1.10")));
        let Some(Value::Array(items)) = value.get("b\n") else { panic!("{value:?}") };
        assert!(matches!(items[0], Value::String(slice) if text.as_bytes().as_ptr_range().contains(&slice.as_ptr())));
        assert_eq!(items[3], Value::Number("-3.50"));
    }

    #[test]
    fn a_key_that_stands_twice_is_an_error() {
        let arena = Bump::new();
        let error = read(r#"{"a": 1, "b": 2, "a": 3}"#, Sharing::Schemas, &arena).unwrap_err();
        assert!(error.to_string().contains(r#"the key "a" stands twice"#), "{error}");
    }

    #[test]
    fn many_keys_are_found_and_told_apart() {
        let text = |count: u32| (0..count).map(|n| format!(r#""key {n}": {n}"#)).collect::<Vec<_>>().join(",");
        let many = format!("{{{}}}", text(500));
        let arena = Bump::new();
        let value = read(&many, Sharing::Schemas, &arena).unwrap().0;
        for n in 0..500 {
            assert_eq!(value.get(&format!("key {n}")), Some(&Value::Number(&n.to_string())));
        }
        assert_eq!(value.get("key 500"), None);
        let twice = format!("{{{}, \"key 17\": 0}}", text(500));
        assert!(read(&twice, Sharing::Schemas, &arena).is_err());
    }

    #[test]
    fn mentions_are_noticed_however_they_are_written() {
        let arena = Bump::new();
        let seen = |text| read(text, Sharing::Schemas, &arena).unwrap().1;
        assert_eq!(seen(r#"{"type": "object", "x": "$id"}"#), Mentions { objects: 1, ..Mentions::default() });
        assert!(seen(r#"{"$defs": {"a": [{"\u0024id": "x"}]}}"#).names);
        assert!(!seen(r#"{"properties": {"id": {"type": "string"}, "$anchor": true}}"#).names);
        assert!(seen(r#"[{"unevaluatedItems": true}]"#).unevaluated);
    }

    #[test]
    fn numbers_in_disguise_are_not_read() {
        assert!(read(r#"{"$serde_json::private::Number": []}"#, Sharing::Nothing, &Bump::new()).is_err());
    }
}
