//! The record of what was done about each keyword, where one is kept: for [`explain`](super::super::explain).
//!
//! Without it every function here costs one comparison, and an error is an error. With it, an error of the schema is a
//! row like any other, and reading goes on as if nothing had been said there.

use rustc_hash::FxHashSet;

use super::place::SchemaPlace;
use super::{Purpose, SchemaReader};
use crate::error::{Error, Result};
use crate::syntax::json_schema::Reading;
use crate::syntax::json_schema::explain::fault_row;
use crate::syntax::json_schema::keywords::{self, Role};
use crate::syntax::json_schema::numerals::NumberStyle;
use crate::syntax::json_schema::pointer::Pointer;
use crate::syntax::json_schema::sets::{Atom, Condition, SchemaId};
use crate::syntax::json_schema::value::{Map, Value};

/// Keywords whose value is a map from names to schemas.
const HOLD_MAPS: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];

/// Keywords that combine schemas.
const OF_OTHERS: [&str; 5] = ["anyOf", "oneOf", "allOf", "if", "$ref"];

impl<'d> SchemaReader<'d> {
    pub(super) fn record(&mut self, place: &SchemaPlace<'d>, keyword: &str, status: &'static str, note: String) {
        if self.readings.is_some() {
            self.row(place.pointer.text(), keyword.to_owned(), status, note);
        }
    }

    /// Adds a row to the record, if one is kept.
    pub fn row(&mut self, pointer: String, keyword: String, status: &'static str, note: String) {
        if let Some(readings) = &mut self.readings {
            readings.push(Reading { pointer, keyword, status, note });
        }
    }

    /// An error of the schema. Where a record is kept it becomes a row, and reading goes on as if nothing had been
    /// said.
    pub fn fault(&mut self, error: Error) -> Result<()> {
        let (Some(readings), Some((status, pointer, what))) = (&mut self.readings, fault_row(&error)) else {
            return Err(error);
        };
        if let Some(row) = row_of_fault(readings, pointer, what) {
            (row.status, row.note) = (status, what.to_owned());
        } else {
            let split = pointer.rsplit_once('/').filter(|_| status == "broken");
            let (pointer, keyword) = split.unwrap_or((pointer, ""));
            let (pointer, keyword) = (pointer.to_owned(), keyword.to_owned());
            readings.push(Reading { pointer, keyword, status, note: what.to_owned() });
        }
        self.faults += 1;
        Ok(())
    }

    /// Whether the record holds faults.
    pub fn has_faults(&self) -> bool {
        self.faults > 0
    }

    /// The pointer of the schema, among those of a condition, that declares a member.
    pub fn declaring(&self, condition: Condition<'_>, name: &str) -> Option<String> {
        let schemas = condition.iter().filter_map(|atom| match atom {
            Atom::Is(id) => Some(&self.schemas[*id as usize]),
            _ => None,
        });
        let declares = |place: &&SchemaPlace<'d>| {
            let properties = place.value.as_object().and_then(|map| map.get("properties"));
            properties.and_then(Value::as_object).is_some_and(|properties| properties.get(name).is_some())
        };
        schemas.filter(declares).map(|place| place.pointer.text()).next()
    }

    /// Whether places are told: in errors, or in a record.
    pub fn tells_places(&self) -> bool {
        self.purpose != Purpose::Build
    }

    /// Whether a record is kept.
    pub fn explains(&self) -> bool {
        self.readings.is_some()
    }

    /// Notes that fewer numbers are written than the schemas of a condition allow.
    pub fn note_numbers(&mut self, condition: Condition<'_>, style: NumberStyle) {
        const BOUNDS: [&str; 6] = ["type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
        let digits = style.max_digits;
        let read = if style.doubles { ", whose doubles are valid too (numbers)" } else { "" };
        let note = format!("numbers of at most {digits} digits before the point and after it (max_digits){read}");
        self.note_places(condition, &[&BOUNDS[..], &OF_OTHERS].concat(), &note);
    }

    /// Notes that the schemas of a condition give arrays no maximum, and that fewer are written.
    pub fn note_items(&mut self, condition: Condition<'_>, most: u32) {
        const OF_ARRAYS: [&str; 6] = ["items", "prefixItems", "minItems", "contains", "uniqueItems", "type"];
        if self.explains() {
            self.note_narrowed(condition, &OF_ARRAYS, &format!("arrays of at most {most} items (max_items)"));
        }
    }

    /// Notes that the schemas of a condition allow strings that the alphabet has not all characters of.
    pub fn note_strings(&mut self, condition: Condition<'_>) {
        const OF_STRINGS: [&str; 6] = ["pattern", "format", "minLength", "maxLength", "not", "type"];
        self.note_narrowed(condition, &OF_STRINGS, "strings with characters of the alphabet only (alphabet)");
    }

    /// The same of the names of undeclared members.
    pub fn note_names(&mut self, condition: Condition<'_>) {
        const OF_NAMES: [&str; 6] = [
            "patternProperties",
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
            "properties",
            "type",
        ];
        let note = "undeclared names with characters of the alphabet only (alphabet)";
        self.note_narrowed(condition, &OF_NAMES, note);
    }

    /// Notes that undeclared names are written without characters for which the notation has no way.
    pub fn note_characters_of_names(&mut self, condition: Condition<'_>) {
        const OF_NAMES: [&str; 5] =
            ["patternProperties", "additionalProperties", "propertyNames", "properties", "type"];
        let note = "undeclared names without characters that the notation cannot write (notation)";
        self.note_narrowed(condition, &OF_NAMES, note);
    }

    /// Notes that members which the schemas of a condition do not declare are not written.
    pub fn note_undeclared(&mut self, condition: Condition<'_>) {
        const OF_OBJECTS: [&str; 4] = ["additionalProperties", "patternProperties", "properties", "type"];
        self.note_narrowed(condition, &OF_OBJECTS, "objects without members that are not declared (notation)");
    }

    /// Notes that strings are written without characters that not every reader of the notation takes.
    pub fn note_characters(&mut self, condition: Condition<'_>) {
        const OF_STRINGS: [&str; 8] = ["pattern", "format", "minLength", "maxLength", "not", "enum", "const", "type"];
        let note = "strings without characters that readers of the notation take in different ways (notation)";
        self.note_narrowed(condition, &OF_STRINGS, note);
    }

    /// Notes that some objects or arrays are not written, because the notation has no way to.
    pub fn note_containers(&mut self, condition: Condition<'_>) {
        const OF_CONTAINERS: [&str; 6] =
            ["additionalProperties", "patternProperties", "properties", "items", "uniqueItems", "type"];
        self.note_narrowed(condition, &OF_CONTAINERS, "values without open or dependent objects and arrays (notation)");
    }

    /// Notes that a text is an object, whatever else the schemas of a condition allow.
    pub fn note_root(&mut self, condition: Condition<'_>) {
        self.note_narrowed(condition, &["type", "properties", "items"], "objects only (notation)");
    }

    /// Notes that null is not written, because nothing says that it is there.
    pub fn note_nulls(&mut self, condition: Condition<'_>) {
        self.note_narrowed(condition, &["type", "enum", "const"], "values other than null (notation)");
    }

    /// Notes that a member which is not there is read as null.
    pub fn note_absent(&mut self, condition: Condition<'_>) {
        self.note_narrowed(
            condition,
            &["type", "enum", "const"],
            "objects that have it: one without it has null (notation)",
        );
    }

    /// Notes that listed values are not written, because the notation has no way to.
    pub fn note_constants(&mut self, condition: Condition<'_>) {
        self.note_narrowed(
            condition,
            &["enum", "const"],
            "the listed values that readers of the notation take alike (notation)",
        );
    }

    /// Whether a schema of a condition has a default, which is another value than null.
    pub fn has_default_but_null(&self, condition: Condition<'_>) -> bool {
        condition.iter().any(|atom| {
            let Atom::Is(id) = atom else { return false };
            let default = self.schemas[*id as usize].value.as_object().and_then(|map| map.get("default"));
            default.is_some_and(|default| !matches!(default, Value::Null))
        })
    }

    /// Notes that some strings are not written, because a cell with their text says another value.
    pub fn note_cells(&mut self, condition: Condition<'_>) {
        const OF_STRINGS: [&str; 7] = ["enum", "const", "pattern", "format", "minLength", "maxLength", "type"];
        let note = "strings that an empty cell, a number or a boolean is not read as (notation)";
        self.note_narrowed(condition, &OF_STRINGS, note);
    }

    /// Notes of every schema of a condition, at the first of some keywords or of those that combine schemas, that less is
    /// written; if none has one, that any value may be there.
    fn note_narrowed(&mut self, condition: Condition<'_>, keywords: &[&str], note: &str) {
        if !self.explains() || self.note_places(condition, &[keywords, &OF_OTHERS].concat(), note) {
            return;
        }
        let (pointer, any) = (self.pointer_of(condition), "where any value may be, ");
        let rows = self.readings.iter_mut().flatten();
        match rows.into_iter().find(|row| row.pointer == pointer && row.note.starts_with(any)) {
            Some(row) => add_note(row, note),
            None => self.row(pointer, String::new(), "narrowed", format!("{any}{note}")),
        }
    }

    /// Notes of every schema of a condition, at the first of some keywords that it has, that less is written. Whether
    /// one has any of them.
    fn note_places(&mut self, condition: Condition<'_>, keywords: &[&str], note: &str) -> bool {
        let ids = condition.iter().filter_map(|atom| match atom {
            Atom::Is(id) => Some(*id as usize),
            _ => None,
        });
        let places: Vec<SchemaPlace<'d>> = ids.map(|id| self.schemas[id].clone()).collect();
        let mut noted = false;
        for place in places {
            let Some(map) = place.value.as_object() else { continue };
            if let Some(keyword) = keywords.iter().find(|keyword| map.get(keyword).is_some()) {
                self.note(&place, keyword, "narrowed", note);
                noted = true;
            }
        }
        noted
    }

    /// Says more of a keyword that is enforced.
    pub(super) fn note(&mut self, place: &SchemaPlace<'d>, keyword: &str, status: &'static str, note: &str) {
        if let Some(readings) = &mut self.readings {
            let pointer = place.pointer.text();
            let row = readings.iter_mut().find(|row| row.pointer == pointer && row.keyword == keyword);
            match row {
                Some(known) if known.status == "enforced" => {
                    known.status = status;
                    note.clone_into(&mut known.note);
                }
                Some(known) if known.status == "narrowed" && status == "narrowed" => add_note(known, note),
                _ => {}
            }
        }
    }

    /// Reads the schemas below those that were read: what has no value is never built, but may hold faults.
    pub fn read_all(&mut self) -> Result<()> {
        let mut at = 0;
        while at < self.schemas.len() {
            let place = self.schemas[at].clone();
            self.values_of_schema(at as SchemaId)?;
            for (pointer, value) in below(&place) {
                self.child(&place, value, || pointer);
            }
            at += 1;
        }
        Ok(())
    }

    /// What was recorded about each keyword.
    pub fn readings(&mut self) -> Vec<Reading> {
        let mut readings = self.readings.take().unwrap_or_default();
        let mut seen = FxHashSet::default();
        readings.retain(|reading| seen.insert((reading.pointer.clone(), reading.keyword.clone())));
        readings
    }
}

/// Says more of what is narrowed, unless it is said.
fn add_note(row: &mut Reading, note: &str) {
    if !row.note.contains(note) {
        row.note = format!("{}; {note}", row.note);
    }
}

/// The schemas that are in the keywords of a schema; `true` and `false` have nothing to be read.
fn below<'d>(place: &SchemaPlace<'d>) -> Vec<(Pointer<'d>, &'d Value<'d>)> {
    let mut found = Vec::new();
    let applicators = |key: &str| keywords::find(key).is_some_and(|row| row.role == Role::Applicator);
    for (key, value) in place.value.as_object().into_iter().flat_map(Map::iter).filter(|(key, _)| applicators(key)) {
        let at = place.pointer.at(key);
        match value {
            Value::Object(map) if HOLD_MAPS.contains(&key) => {
                found.extend(map.iter().map(|(name, value)| (at.at(name), value)));
            }
            Value::Array(values) => {
                found.extend(values.iter().zip(0..).map(|(value, n)| (at.at(n.to_string()), value)));
            }
            value => found.push((at, value)),
        }
    }
    found.retain(|(_, value)| value.as_object().is_some());
    found
}

/// The row that a fault is about: one that the message names, or else the one that the pointer leads to.
fn row_of_fault<'r>(readings: &'r mut [Reading], pointer: &str, what: &str) -> Option<&'r mut Reading> {
    let mentions = |row: &Reading| {
        let (keyword, quoted) = (&row.keyword, format!("{:?}", row.keyword));
        row.pointer == pointer && !keyword.is_empty() && (what.starts_with(&**keyword) || what.contains(&quoted))
    };
    let leads_to = |row: &Reading| {
        let rest = pointer.strip_prefix(&row.pointer).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| rest == row.keyword)
    };
    let at = readings.iter().position(mentions).or_else(|| readings.iter().position(leads_to))?;
    Some(&mut readings[at])
}
