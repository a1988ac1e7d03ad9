//! Documents, dialects and references.
//!
//! ```text
//! {"$id": "https://a.b/root", "$ref": "item#/properties/x"}     the document https://a.b/item, then its pointer
//! ```
//!
//! A reference is resolved against the base of the schema it is in; bases, ids and anchors of all documents are
//! indexed once, before anything is read. Cost: one pass over documents that have ids, none over others. Wrinkle:
//! nothing is ever fetched: remote documents come from the caller's registry.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::pointer::{Pointer, unescape};
use super::value::{Map, Mentions, Value};
use crate::error::{Error, Result};

/// A dialect of JSON Schema, in order of age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    Draft2020,
}

impl Dialect {
    /// The dialect of a `$schema` URI, if it is one.
    pub fn of(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#').trim_end_matches('/');
        let name = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://")).unwrap_or(uri);
        Some(match name {
            "json-schema.org/draft-04/schema" | "draft4" | "draft-04" => Self::Draft4,
            "json-schema.org/draft-06/schema" | "draft6" | "draft-06" => Self::Draft6,
            "json-schema.org/draft-07/schema" | "draft7" | "draft-07" => Self::Draft7,
            "json-schema.org/draft/2019-09/schema" | "2019-09" | "draft2019-09" => Self::Draft2019,
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" | "2020-12" | "draft2020-12" => {
                Self::Draft2020
            }
            _ => return None,
        })
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft4 => "draft 4",
            Self::Draft6 => "draft 6",
            Self::Draft7 => "draft 7",
            Self::Draft2019 => "draft 2019-09",
            Self::Draft2020 => "draft 2020-12",
        }
    }
}

/// A schema resource: what one `$id` (or one document) holds.
#[derive(Clone, Debug)]
pub struct Resource<'d> {
    pub uri: Cow<'d, str>,
    pub root: &'d Value<'d>,
    pub dialect: Dialect,
    /// The pointer of `root` inside its document.
    pub pointer: Pointer<'d>,
    pub anchors: Anchors<'d>,
    pub dynamic: Anchors<'d>,
    /// `$recursiveAnchor: true` at its root.
    pub recursive: bool,
}

/// Schemas by name, each with its place.
pub type Anchors<'d> = FxHashMap<Cow<'d, str>, (&'d Value<'d>, Pointer<'d>)>;

/// All resources, and which one each schema object belongs to.
#[derive(Debug, Default)]
pub struct Documents<'d> {
    pub resources: Vec<Resource<'d>>,
    /// The first resource of each URI, but for the first of all.
    by_uri: FxHashMap<Cow<'d, str>, usize>,
    /// The last resource of each root, but for the first of all.
    by_root: FxHashMap<usize, usize>,
    /// The pointer of a whole document.
    start: Pointer<'d>,
    /// Whether some schema speaks of what others leave unevaluated.
    pub unevaluated: bool,
    /// Whether some schema takes a complement.
    pub complements: bool,
    objects: usize,
}

/// A schema that a reference leads to.
#[derive(Clone, Debug)]
pub struct Target<'d> {
    pub value: &'d Value<'d>,
    pub pointer: Pointer<'d>,
    pub resource: usize,
    /// Set when the reference named a dynamic anchor.
    pub dynamic: Option<Cow<'d, str>>,
}

impl<'d> Documents<'d> {
    /// None yet; `start` is the pointer of a whole document.
    pub fn new(start: Pointer<'d>) -> Self {
        Self { start, ..Self::default() }
    }

    /// About how many schemas there are: other objects hold them by name.
    pub fn size(&self) -> usize {
        self.objects * 3 / 5 + 1
    }

    /// Adds a document; it is walked if some schema in it has a name, besides the whole.
    pub fn add(&mut self, uri: &'d str, root: &'d Value<'d>, default: Dialect, mentions: Mentions) {
        self.unevaluated |= mentions.unevaluated;
        self.complements |= mentions.complements;
        self.objects += mentions.objects;
        let dialect = root.get("$schema").and_then(Value::as_str).and_then(Dialect::of).unwrap_or(default);
        let start = self.start.clone();
        let index = self.resource(uri.trim_end_matches('#').into(), root, dialect, start.clone());
        if mentions.names {
            self.index(root, index, start);
        } else if let Value::Object(map) = root {
            self.enter(map, root, index, &start);
        }
    }

    fn resource(&mut self, uri: Cow<'d, str>, root: &'d Value<'d>, dialect: Dialect, pointer: Pointer<'d>) -> usize {
        let index = self.resources.len();
        if index > 0 {
            self.by_root.insert(root.identity(), index);
            if self.index_of(&uri).is_none() {
                self.by_uri.insert(uri.clone(), index);
            }
        }
        let recursive = root.get("$recursiveAnchor") == Some(&Value::Bool(true));
        self.resources.push(Resource {
            uri,
            root,
            dialect,
            pointer,
            anchors: FxHashMap::default(),
            dynamic: FxHashMap::default(),
            recursive,
        });
        index
    }

    /// Walks a document with an explicit stack: ids open resources, anchors name schemas.
    fn index(&mut self, root: &'d Value<'d>, resource: usize, start: Pointer<'d>) {
        let mut stack = vec![(root, resource, start)];
        while let Some((value, mut resource, pointer)) = stack.pop() {
            match value {
                Value::Object(map) => {
                    resource = self.enter(map, value, resource, &pointer);
                    for (key, child) in map.iter() {
                        if (child.is_object() || child.is_array()) && key != "enum" && key != "const" {
                            stack.push((child, resource, pointer.at(key)));
                        }
                    }
                }
                Value::Array(items) => {
                    for (index, child) in
                        items.iter().enumerate().filter(|(_, child)| child.is_object() || child.is_array())
                    {
                        stack.push((child, resource, pointer.at(index.to_string())));
                    }
                }
                _ => {}
            }
        }
    }

    fn enter(&mut self, map: &'d Map<'d>, value: &'d Value<'d>, mut resource: usize, pointer: &Pointer<'d>) -> usize {
        let dialect = self.resources[resource].dialect;
        let key = if dialect == Dialect::Draft4 { "id" } else { "$id" };
        let is_root = self.resources[resource].root.identity() == value.identity();
        let ref_hides = dialect <= Dialect::Draft7 && map.contains_key("$ref") && !is_root;
        let here = (value, pointer.clone());
        if let Some(id) = map.get(key).and_then(Value::as_str).filter(|_| !ref_hides) {
            if let Some(anchor) = id.strip_prefix('#').filter(|anchor| !anchor.is_empty()) {
                self.resources[resource].anchors.insert(anchor.into(), here.clone());
            } else if !id.starts_with('#') {
                let (base, fragment) = parted(resolve(&self.resources[resource].uri, id));
                let dialect = map.get("$schema").and_then(Value::as_str).and_then(Dialect::of).unwrap_or(dialect);
                if base != self.resources[resource].uri {
                    resource = self.resource(base, value, dialect, pointer.clone());
                }
                if !fragment.is_empty() {
                    self.resources[resource].anchors.insert(fragment, here.clone());
                }
            }
        }
        if let Some(anchor) = map.get("$anchor").and_then(Value::as_str) {
            self.resources[resource].anchors.insert(anchor.into(), here.clone());
        }
        if let Some(anchor) = map.get("$dynamicAnchor").and_then(Value::as_str) {
            self.resources[resource].anchors.insert(anchor.into(), here.clone());
            self.resources[resource].dynamic.insert(anchor.into(), here);
        }
        resource
    }

    fn index_of(&self, uri: &str) -> Option<usize> {
        if self.resources.first().is_some_and(|first| first.uri == uri) {
            Some(0)
        } else {
            self.by_uri.get(uri).copied()
        }
    }

    /// The schema of this name, if it is among the documents.
    pub fn named(&self, uri: &str) -> Option<&'d Value<'d>> {
        self.index_of(uri).map(|index| self.resources[index].root)
    }

    /// Where `reference`, standing in `resource`, leads.
    ///
    /// # Errors
    /// A schema error at `pointer` when it leads nowhere.
    pub fn resolve(&self, reference: &'d str, resource: usize, pointer: &Pointer<'d>) -> Result<Target<'d>> {
        let (index, fragment) = if let Some(fragment) = reference.strip_prefix('#') {
            (Some(resource), Cow::Borrowed(fragment))
        } else {
            let (base, fragment) = parted(resolve(&self.resources[resource].uri, reference));
            (self.index_of(&base), fragment)
        };
        let Some(index) = index else {
            return Err(Error::unsupported(&pointer.text(), format!("$ref {reference:?} leads outside this schema"))
                .hint("pass the referenced document in `registry`; nothing is ever fetched"));
        };
        let found = &self.resources[index];
        let fragment = percent_decoded(fragment);
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let Some((value, at)) = found.anchors.get(&*fragment) else {
                let what = format!("$ref {reference:?}: there is no anchor {:?}", &*fragment);
                return Err(Error::schema(&pointer.text(), what));
            };
            let dynamic = found.dynamic.contains_key(&*fragment).then_some(fragment);
            return Ok(Target { value, pointer: at.clone(), resource: index, dynamic });
        }
        let (value, resource) = self.walk(index, &fragment).ok_or_else(|| {
            Error::schema(&pointer.text(), format!("$ref {reference:?} points to nothing"))
                .hint("check the JSON Pointer after #, for example #/$defs/Name")
        })?;
        Ok(Target { value, pointer: found.pointer.along(fragment), resource, dynamic: None })
    }

    /// Follows a JSON Pointer and keeps track of the resources it enters.
    fn walk(&self, index: usize, fragment: &str) -> Option<(&'d Value<'d>, usize)> {
        let mut value = self.resources[index].root;
        let mut resource = index;
        for part in fragment.split('/').skip(1) {
            let key = unescape(part);
            value = match value {
                Value::Object(map) => map.get(&key)?,
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
            if let Some(inner) = self.resource_of_root(value) {
                resource = inner;
            }
        }
        Some((value, resource))
    }

    /// The resource whose root this is.
    pub fn resource_of_root(&self, value: &Value<'_>) -> Option<usize> {
        if self.resources.len() == 1 {
            return None;
        }
        let first = self.resources.first().filter(|first| first.root.identity() == value.identity());
        self.by_root.get(&value.identity()).copied().or(first.map(|_| 0))
    }
}

fn percent_decoded(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('%') {
        return text;
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let code = hex.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned().into()
}

/// What is before `#`, and what after it.
fn parted(uri: Cow<'_, str>) -> (Cow<'_, str>, Cow<'_, str>) {
    match uri {
        Cow::Borrowed(uri) => uri.split_once('#').map_or((uri.into(), "".into()), |(a, b)| (a.into(), b.into())),
        Cow::Owned(mut uri) => {
            let fragment = uri.find('#').map(|at| uri.split_off(at)).unwrap_or_default();
            (uri.into(), fragment.strip_prefix('#').unwrap_or_default().to_owned().into())
        }
    }
}

/// RFC 3986 reference resolution, for the references schemas use.
fn resolve<'r>(base: &str, reference: &'r str) -> Cow<'r, str> {
    let (base, _) = base.split_once('#').unwrap_or((base, ""));
    if reference.is_empty() || reference.starts_with('#') {
        return format!("{base}{reference}").into();
    }
    if has_scheme(reference) {
        return reference.into();
    }
    let (path, fragment) =
        reference.split_once('#').map_or((reference, None), |(path, fragment)| (path, Some(fragment)));
    let merged = match base.split_once("://") {
        Some((scheme, rest)) => {
            let (host, base_path) = rest.split_once('/').unwrap_or((rest, ""));
            let full = if let Some(absolute) = path.strip_prefix('/') {
                absolute.to_owned()
            } else {
                let directory = base_path.rsplit_once('/').map_or("", |(directory, _)| directory);
                if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
            };
            format!("{scheme}://{host}/{}", without_dots(&full))
        }
        None if has_scheme(base) => base.to_owned(), // urn: has no hierarchy
        None => {
            let directory = base.rsplit_once('/').map_or("", |(directory, _)| directory);
            if directory.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{directory}/{path}") }
        }
    };
    match fragment {
        Some(fragment) => format!("{merged}#{fragment}").into(),
        None => merged.into(),
    }
}

fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_like_uris() {
        assert_eq!(resolve("http://a.b/c/d.json", "e.json#/x"), "http://a.b/c/e.json#/x");
        assert_eq!(resolve("http://a.b/c/d.json", "/e"), "http://a.b/e");
        assert_eq!(resolve("http://a.b/c/d/", "../e"), "http://a.b/c/e");
        assert_eq!(resolve("urn:x:y", "#a"), "urn:x:y#a");
        assert_eq!(resolve("", "item.json"), "item.json");
        assert_eq!(percent_decoded("/a%25b%7Ex".into()), "/a%b~x");
    }
}
