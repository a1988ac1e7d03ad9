//! Every key of a schema is accounted for: known, an annotation, or an error.
//!
//! ```text
//! {"type": "string", "maxLenght": 3, "x-note": "..."}     known; an error: did you mean "maxLength"?; an annotation
//! ```
//!
//! Nothing else looks at keys, so nothing can be dropped. Cost: a look-up in the keyword table for each key.

use super::SchemaReader;
use super::place::{Keys, SchemaPlace};
use crate::error::{Error, Result};
use crate::syntax::json_schema::document::Dialect;
use crate::syntax::json_schema::keywords::{self, About, Role};
use crate::syntax::json_schema::value::Value;

impl<'d> SchemaReader<'d> {
    /// Checks every key: known, an annotation, or an error. Returns what the keys are about.
    pub(super) fn account(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<About> {
        let mut about = About::NOTHING;
        let dialect = self.dialect(place);
        let lone_ref = dialect <= Dialect::Draft7 && map.contains_key("$ref");
        let is_late = |key: &str| keywords::first_dialect(key) > dialect;
        for (key, value) in map.map.iter() {
            let row = keywords::find(key).filter(|_| !is_late(key));
            about = row.map_or(about, |row| about.and(row.about));
            match row {
                Some(row) if row.role == Role::Refused => {
                    let what = format!("keyword {key:?} cannot be enforced: {}", row.note);
                    self.record(place, key, "refused", row.note.to_owned());
                    self.fault(Error::unsupported(&place.pointer.text(), what))?;
                }
                None if is_late(key) && !self.options.ignore_unknown && !lone_ref => {
                    self.fault(too_new(key, dialect, place))?;
                }
                None if !self.options.ignore_unknown && !lone_ref && !self.innocent.contains(key) => {
                    if let Some(meant) = keywords::near_miss(key) {
                        let what = format!("unknown keyword {key:?}: did you mean {meant:?}?");
                        self.fault(
                            Error::schema(&place.pointer.at(key).text(), what)
                                .hint("rename it, or pass unknown_keywords=\"ignore\" if it is an annotation of yours"),
                        )?;
                    }
                    self.innocent.insert(key);
                }
                _ => {}
            }
            if key == "$schema" {
                self.refuse_own_metaschema(value, place).or_else(|error| self.fault(error))?;
            }
            if self.readings.is_some() {
                let (status, note) = if is_late(key) && !lone_ref {
                    ("annotation", format!("not a keyword of {}, the dialect of this schema", dialect.name()))
                } else {
                    reading(key, row, lone_ref, map)
                };
                self.record(place, key, status, note);
            }
        }
        Ok(about)
    }

    /// A metaschema of the user's own may leave out validation, or require vocabularies of its own. One that is not
    /// among the documents is only a name.
    fn refuse_own_metaschema(&self, value: &Value<'_>, place: &SchemaPlace<'d>) -> Result<()> {
        let uri = value.as_str().unwrap_or_default();
        let metaschema = self.documents.named(uri.trim_end_matches('#')).filter(|_| !uri.is_empty());
        let vocabularies = metaschema.and_then(|metaschema| metaschema.get("$vocabulary"));
        let Some(vocabularies) = vocabularies.and_then(Value::as_object) else { return Ok(()) };
        let validates = vocabularies.keys().any(|uri| uri.ends_with("/vocab/validation"));
        let unknown =
            |(uri, needed): (&str, &Value<'_>)| !uri.contains("json-schema.org") && needed == &Value::Bool(true);
        if validates && !vocabularies.iter().any(unknown) {
            return Ok(());
        }
        Err(Error::unsupported(
            &place.pointer.at("$schema").text(),
            format!("the metaschema {uri:?} leaves out vocabularies, or demands others"),
        )
        .hint("name a published dialect in $schema, or leave the metaschema out of the registry"))
    }
}

/// The error of a keyword that validators of the dialect ignore.
fn too_new(key: &str, dialect: Dialect, place: &SchemaPlace<'_>) -> Error {
    let (first, named) = (keywords::first_dialect(key).name(), dialect.name());
    let what =
        format!("keyword {key:?} came with {first}: validators of {named}, the dialect of this schema, ignore it");
    Error::unsupported(&place.pointer.text(), what)
        .hint("name a later draft in $schema, or pass unknown_keywords=\"ignore\" to ignore it as they do")
}

fn reading(key: &str, row: Option<&keywords::Keyword>, lone_ref: bool, map: Keys<'_>) -> (&'static str, String) {
    if lone_ref && key != "$ref" {
        return ("annotation", "beside $ref, which this dialect reads alone".to_owned());
    }
    let Some(row) = row else { return ("annotation", "unknown key".to_owned()) };
    let idle = match key {
        "then" | "else" => !map.contains_key("if"),
        "minContains" | "maxContains" => !map.contains_key("contains"),
        "if" => !map.contains_key("then") && !map.contains_key("else"),
        "additionalItems" => !map.get("items").is_some_and(Value::is_array),
        _ => false,
    };
    match row.role {
        _ if idle => ("redundant", "its partner keyword is absent".to_owned()),
        Role::Annotation => ("annotation", row.note.to_owned()),
        Role::Core => ("core", row.note.to_owned()),
        Role::Assertion | Role::Applicator | Role::Refused => ("enforced", String::new()),
    }
}
