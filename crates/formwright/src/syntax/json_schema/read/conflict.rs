//! Which keywords contradict each other: a smallest set of parts of a schema that together allow nothing.
//!
//! ```text
//! {"type": "integer", "minimum": 5, "maximum": 3, "title": "T"}     /type, /minimum, /maximum
//! ```
//!
//! Asked only when a schema has no value. Cost: an intersection for each pair of parts.

use std::rc::Rc;

use super::SchemaReader;
use super::place::{Keys, SchemaPlace};
use crate::syntax::json_schema::document::Dialect;
use crate::syntax::json_schema::keywords::{self, About};
use crate::syntax::json_schema::sets::{Atom, Condition, ValueSet};
use crate::syntax::json_schema::value::Value;

/// Keywords that mean something only together: they are one part, named by the last of them that the schema has. Every
/// other keyword is a part of its own.
const TOGETHER: &[&[&str]] = &[
    &["properties", "patternProperties", "additionalProperties"],
    &["prefixItems", "additionalItems", "items"],
    &["contains", "minContains", "maxContains"],
    &["minimum", "exclusiveMinimum"],
    &["maximum", "exclusiveMaximum"],
    &["if", "then", "else"],
];

/// Most parts that are compared.
const MOST_PARTS: usize = 64;

/// How many levels deep parts are compared.
const DEPTH: u32 = 2;

/// A part of a schema: where it is, and what it allows.
type Part<'d> = (String, Rc<ValueSet<'d>>);

impl<'d> SchemaReader<'d> {
    /// The pointers of a smallest set of parts that allow nothing together; of the schemas, if there are several and
    /// their parts do not show why.
    pub fn conflict(&mut self, condition: Condition<'d>) -> Vec<String> {
        let mut whole = self.pointers_of(condition);
        if whole.len() == 1 {
            whole.clear();
        }
        let mut parts: Vec<Part> = Vec::new();
        for atom in condition {
            let Atom::Is(id) = atom else { return whole };
            let place = self.schemas[*id as usize].clone();
            self.parts(&place, &mut parts);
        }
        if parts.len() > MOST_PARTS || !self.allow_nothing(&parts) {
            return whole;
        }
        let mut at = 0;
        while at < parts.len() {
            let part = parts.remove(at);
            if !self.allow_nothing(&parts) {
                parts.insert(at, part);
                at += 1;
            }
        }
        parts.into_iter().map(|(pointer, _)| pointer).collect()
    }

    fn parts(&mut self, place: &SchemaPlace<'d>, out: &mut Vec<Part<'d>>) {
        let Value::Object(map) = place.value else { return };
        let lone_ref = self.dialect(place) <= Dialect::Draft7 && map.contains_key("$ref");
        let mut done: Vec<&str> = Vec::new();
        for row in map.keys().filter_map(keywords::find) {
            let key = row.name;
            if done.contains(&key) || key.starts_with("unevaluated") || (lone_ref && key != "$ref") {
                continue; // what is unevaluated depends on all the others
            }
            if let ("allOf", Some(Value::Array(schemas))) = (key, map.get(key)) {
                for (index, value) in schemas.iter().enumerate() {
                    let pointer = place.pointer.at(key).at(index.to_string());
                    let condition = self.child(place, value, || pointer.clone());
                    out.extend(self.values(condition).ok().map(|set| (pointer.text(), set)));
                }
                continue;
            }
            let group = TOGETHER.iter().find(|group| group.contains(&key));
            let group = group.copied().unwrap_or(std::slice::from_ref(&row.name));
            done.extend(group);
            let about =
                group.iter().filter_map(|key| keywords::find(key)).fold(About::NOTHING, |all, row| all.and(row.about));
            if about != About::NOTHING
                && let Ok(set) = self.meaning(Keys::only(map, self.dialect(place), group), about, place)
            {
                let last = group.iter().rfind(|key| map.contains_key(key)).copied().unwrap_or(key);
                out.push((place.pointer.at(last).text(), set));
            }
        }
    }

    fn allow_nothing(&mut self, parts: &[Part<'d>]) -> bool {
        let mut all = ValueSet::any();
        for (_, part) in parts {
            let Ok(both) = self.and(&all, part) else { return false };
            all = both;
        }
        self.set_is_empty(&all, DEPTH)
    }
}
