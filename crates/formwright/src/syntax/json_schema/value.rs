//! A schema as JSON: a value that borrows from its text.
//!
//! Like `serde_json::Value`, which parses it, with three differences: strings
//! without escapes are slices of the text, numbers keep every digit, and a key
//! that stands twice in one object is an error instead of a silent loss.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// The members of an object, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map<'t> {
    entries: Vec<(Cow<'t, str>, Value<'t>)>,
    /// If there are many: hashes of the keys with the indices of their entries, by ascending hash and key.
    hashes: Box<[(u32, u32)]>,
}

/// Up to so many keys are looked for one by one.
const FEW: usize = 12;

impl<'t> Map<'t> {
    /// The error is a key that stands twice.
    fn new(entries: Vec<(Cow<'t, str>, Value<'t>)>) -> Result<Self, Cow<'t, str>> {
        let mut map = Self { entries, hashes: Box::default() };
        if map.entries.len() > FEW {
            let mut hashes: Box<[_]> =
                map.entries.iter().zip(0..).map(|((key, _), index)| (hash(key), index)).collect();
            hashes.sort_unstable_by(|a, b| map.compare(*a, b.0, &map.entries[b.1 as usize].0));
            map.hashes = hashes;
        }
        match (0..map.entries.len()).find(|&index| map.find(&map.entries[index].0) != Some(index)) {
            Some(twice) => Err(map.entries[twice].0.clone()),
            None => Ok(map),
        }
    }

    /// Hashes first: keys with a long beginning in common are rarely read.
    fn compare(&self, (hash, index): (u32, u32), other: u32, key: &str) -> Ordering {
        hash.cmp(&other).then_with(|| (*self.entries[index as usize].0).cmp(key))
    }

    fn find(&self, key: &str) -> Option<usize> {
        if self.hashes.is_empty() {
            return self.entries.iter().position(|(other, _)| other == key);
        }
        let hash = hash(key);
        let at = self.hashes.binary_search_by(|entry| self.compare(*entry, hash, key)).ok()?;
        Some(self.hashes[at].1 as usize)
    }

    pub fn get(&self, key: &str) -> Option<&Value<'t>> {
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

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &**key)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'t>)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }
}

/// The key under which `serde_json` hands over the digits of a number.
const NUMBER: &str = "$serde_json::private::Number";

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    String(Cow<'t, str>),
    Array(Vec<Value<'t>>),
    Object(Map<'t>),
}

impl<'t> Value<'t> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Map<'t>> {
        if let Self::Object(map) = self { Some(map) } else { None }
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

impl<'de: 't, 't> Deserialize<'de> for Value<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Reader(&Cell::default()).deserialize(deserializer)
    }
}

/// Keywords that the whole schema must be searched for: whether they stand anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Ids and anchors.
    pub names: bool,
    /// `unevaluatedItems` and `unevaluatedProperties`.
    pub unevaluated: bool,
}

/// Reads a text, which must be one value, and notices what it mentions.
pub fn read(text: &str) -> serde_json::Result<(Value<'_>, Mentions)> {
    let mentions = Cell::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Reader(&mentions).deserialize(&mut deserializer)?;
    deserializer.end().map(|()| (value, mentions.get()))
}

#[derive(Clone, Copy)]
struct Reader<'m>(&'m Cell<Mentions>);

impl Reader<'_> {
    fn notice(self, key: &str) {
        let mut mentions = self.0.get();
        match key {
            "id" | "$id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" => mentions.names = true,
            "unevaluatedItems" | "unevaluatedProperties" => mentions.unevaluated = true,
            _ => return,
        }
        self.0.set(mentions);
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value<'de>;

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
        Ok(Value::Number(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(value.to_string()))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(Key(key)) = members.next_key()? {
            if key == NUMBER {
                return members.next_value().map(Value::Number);
            }
            self.notice(&key);
            entries.push((key, members.next_value_seed(self)?));
        }
        let twice = |key| de::Error::custom(format_args!("the key {key:?} stands twice in one object"));
        Map::new(entries).map(Value::Object).map_err(twice)
    }
}

/// A key; borrowed if it can be.
struct Key<'t>(Cow<'t, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;

        impl<'de> Visitor<'de> for Borrow {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Borrow)
    }
}

fn hash(key: &str) -> u32 {
    FxBuildHasher.hash_one(key) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_kept_and_text_is_borrowed() {
        let text = r#"{"a": 1.10, "b\n": ["x", null, true, -3.50]}"#;
        let value: Value<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(value.get("a"), Some(&Value::Number("1.10".to_owned())));
        let Some(Value::Array(items)) = value.get("b\n") else { panic!("{value:?}") };
        assert!(matches!(items[0], Value::String(Cow::Borrowed("x"))));
        assert_eq!(items[3], Value::Number("-3.50".to_owned()));
    }

    #[test]
    fn a_key_that_stands_twice_is_an_error() {
        let error = serde_json::from_str::<Value<'_>>(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap_err();
        assert!(error.to_string().contains(r#"the key "a" stands twice"#), "{error}");
    }

    #[test]
    fn many_keys_are_found_and_told_apart() {
        let text = |count: u32| (0..count).map(|n| format!(r#""key {n}": {n}"#)).collect::<Vec<_>>().join(",");
        let many = format!("{{{}}}", text(500));
        let value: Value<'_> = serde_json::from_str(&many).unwrap();
        for n in 0..500 {
            assert_eq!(value.get(&format!("key {n}")), Some(&Value::Number(n.to_string())));
        }
        assert_eq!(value.get("key 500"), None);
        let twice = format!("{{{}, \"key 17\": 0}}", text(500));
        assert!(serde_json::from_str::<Value<'_>>(&twice).is_err());
    }

    #[test]
    fn mentions_are_noticed_however_they_are_written() {
        let seen = |text: &str| read(text).unwrap().1;
        assert_eq!(seen(r#"{"type": "object", "x": "$id"}"#), Mentions::default());
        assert!(seen(r#"{"$defs": {"a": [{"\u0024id": "x"}]}}"#).names);
        assert!(seen(r#"[{"unevaluatedItems": true}]"#).unevaluated);
    }

    #[test]
    fn numbers_in_disguise_are_not_read() {
        assert!(serde_json::from_str::<Value<'_>>(r#"{"$serde_json::private::Number": []}"#).is_err());
    }
}
