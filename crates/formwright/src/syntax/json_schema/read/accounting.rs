//! Every key of a schema is accounted for: known, an annotation, or an error. Nothing else looks at keys, so nothing can
//! be dropped. What was done about each one is recorded here too, where somebody asked for it.

use rustc_hash::FxHashSet;

use super::SchemaReader;
use super::place::{Keys, SchemaPlace};
use crate::error::{Error, Result};
use crate::syntax::json_schema::Reading;
use crate::syntax::json_schema::document::Dialect;
use crate::syntax::json_schema::keywords::{self, About, Role};
use crate::syntax::json_schema::value::Value;

impl<'d> SchemaReader<'d> {
    /// Looks at every key: known, an annotation, or an error. Gives what the keys speak of.
    pub(super) fn account(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<About> {
        let mut about = About::NOTHING;
        let lone_ref = self.dialect(place) <= Dialect::Draft7 && map.contains_key("$ref");
        for (key, value) in map.map.iter() {
            let row = keywords::find(key);
            about = row.map_or(about, |row| about.and(row.about));
            match row {
                Some(row) if row.role == Role::Refused => {
                    return Err(Error::unsupported(
                        &place.pointer.text(),
                        format!("keyword {key:?} cannot be enforced: {}", row.note),
                    ));
                }
                None if !self.options.ignore_unknown && !lone_ref && !self.innocent.contains(key) => {
                    if let Some(meant) = keywords::near_miss(key) {
                        return Err(Error::schema(
                            &place.pointer.at(key).text(),
                            format!("unknown keyword {key:?}: did you mean {meant:?}?"),
                        )
                        .hint("rename it, or pass unknown_keywords=\"ignore\" if it is an annotation of yours"));
                    }
                    self.innocent.insert(key);
                }
                _ => {}
            }
            if key == "$schema" {
                self.refuse_own_metaschema(value, place)?;
            }
            if self.readings.is_some() {
                let (status, note) = reading(key, row, lone_ref, map);
                self.record(place, key, status, note);
            }
        }
        Ok(about)
    }

    /// A metaschema of one's own may leave out validation, or demand vocabularies of its own. One that is not at hand
    /// is only a name.
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

    pub(super) fn record(&mut self, place: &SchemaPlace<'d>, keyword: &str, status: &'static str, note: String) {
        if let Some(readings) = &mut self.readings {
            readings.push(Reading { pointer: place.pointer.text(), keyword: keyword.to_owned(), status, note });
        }
    }

    pub(super) fn note(&mut self, place: &SchemaPlace<'d>, keyword: &str, status: &'static str, note: &str) {
        if let Some(readings) = &mut self.readings {
            let pointer = place.pointer.text();
            if let Some(known) =
                readings.iter_mut().find(|reading| reading.pointer == pointer && reading.keyword == keyword)
            {
                known.status = status;
                note.clone_into(&mut known.note);
            }
        }
    }

    /// What was recorded about each keyword.
    pub fn readings(&mut self) -> Vec<Reading> {
        let mut readings = self.readings.take().unwrap_or_default();
        let mut seen = FxHashSet::default();
        readings.retain(|reading| seen.insert((reading.pointer.clone(), reading.keyword.clone())));
        readings
    }
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
        Role::Annotation | Role::Core => ("annotation", row.note.to_owned()),
        Role::Assertion | Role::Applicator | Role::Refused => ("enforced", String::new()),
    }
}
