//! Places in a document: schemas and their keys.

use crate::syntax::json_schema::document::Dialect;
use crate::syntax::json_schema::keywords;
use crate::syntax::json_schema::pointer::Pointer;
use crate::syntax::json_schema::value::{Map, Value};

/// Where a schema is.
#[derive(Clone, Debug)]
pub struct SchemaPlace<'d> {
    pub value: &'d Value<'d>,
    pub resource: usize,
    pub scope: u32,
    pub pointer: Pointer<'d>,
}

/// What identifies a schema: its value, and where references in it lead.
pub type SchemaKey = (usize, u32, u32);

impl<'d> SchemaPlace<'d> {
    pub fn key(&self) -> SchemaKey {
        (self.value.identity(), self.resource as u32, self.scope)
    }

    /// The place of a constant, which was checked where it is.
    pub fn nowhere(value: &'d Value<'d>) -> Self {
        Self { value, resource: 0, scope: 0, pointer: Pointer::default() }
    }
}

/// The keys of a schema object. Most keywords are absent from most schemas, which a Bloom filter shows without a
/// search.
#[derive(Clone, Copy)]
pub struct Keys<'d> {
    pub map: &'d Map<'d>,
    bloom: u128,
    /// If not empty, the only keys that are visible.
    only: &'static [&'static str],
    /// Keywords of later dialects are not visible.
    dialect: Dialect,
}

impl<'d> Keys<'d> {
    pub fn new(map: &'d Map<'d>, dialect: Dialect) -> Self {
        let known = map.keys().filter(|key| keywords::first_dialect(key) <= dialect);
        Self { map, bloom: known.fold(0, |bloom, key| bloom | Self::bit(key)), only: &[], dialect }
    }

    /// These keys alone.
    pub fn only(map: &'d Map<'d>, dialect: Dialect, keys: &'static [&'static str]) -> Self {
        Self { only: keys, ..Self::new(map, dialect) }
    }

    fn bit(key: &str) -> u128 {
        let bytes = key.as_bytes();
        let ends = bytes.first().map_or(0, |first| usize::from(*first) * 7 + usize::from(bytes[bytes.len() - 1]) * 3);
        1 << ((ends + bytes.len() * 31) % 128)
    }

    pub fn get(self, key: &str) -> Option<&'d Value<'d>> {
        let seen = self.bloom & Self::bit(key) != 0
            && (self.only.is_empty() || self.only.contains(&key))
            && keywords::first_dialect(key) <= self.dialect;
        if seen { self.map.get(key) } else { None }
    }

    pub fn contains_key(self, key: &str) -> bool {
        self.get(key).is_some()
    }
}
