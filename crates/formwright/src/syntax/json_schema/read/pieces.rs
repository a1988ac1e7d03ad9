//! `x-one-of-text`: strings that are a piece of a text.
//!
//! ```text
//! {"x-one-of-text": {"source": "to be or not to be", "unit": "word"}}     "or not", not "r n"
//! {"x-one-of-text": "to be"}                                              of characters: "o b" too
//! ```
//!
//! Cost: a pass over the text; its automaton is built where the strings are. A text that several fields take their
//! pieces from is read once.

use super::SchemaReader;
use super::place::SchemaPlace;
use crate::error::{Error, Result};
use crate::regular::{Pieces, Regular, Unit};
use crate::syntax::json_schema::value::Value;

/// The keyword.
pub(super) const KEYWORD: &str = "x-one-of-text";

impl<'d> SchemaReader<'d> {
    /// The strings that are a piece of the text of the keyword.
    pub(super) fn one_of_text(&mut self, value: &'d Value<'d>, place: &SchemaPlace<'d>) -> Result<Regular> {
        let fault = |what: &str| {
            Error::schema(&place.pointer.at(KEYWORD).text(), format!("{KEYWORD}: {what}"))
                .hint("write {\"source\": text, \"unit\": \"char\", \"word\" or \"sentence\"}, or the text alone")
        };
        let (source, unit) = parts(value).map_err(|what| fault(&what))?;
        let known = self.pieces.iter().find(|known| known.unit() == unit && known.text() == source);
        if let Some(pieces) = known {
            return Ok(pieces.tree());
        }
        let pieces = Pieces::new(source, unit).map_err(|error| match *error.kind {
            crate::Kind::Limit { .. } => error,
            _ => fault(&error.message),
        })?;
        let tree = pieces.tree();
        self.pieces.push(pieces);
        Ok(tree)
    }
}

/// The text, and its unit.
fn parts<'d>(value: &'d Value<'d>) -> Result<(&'d str, Unit), String> {
    if let Some(source) = value.as_str() {
        return Ok((source, Unit::Char));
    }
    let members = value.as_object().ok_or("expected a text or an object")?;
    if let Some(other) = members.keys().find(|key| !matches!(*key, "source" | "unit")) {
        return Err(format!("{other:?} is not a member of it"));
    }
    let source = members.get("source").and_then(Value::as_str).ok_or("its member \"source\" must be a text")?;
    let unit = members.get("unit").map_or(Some(Unit::Char), |unit| Unit::named(unit.as_str().unwrap_or_default()));
    Ok((source, unit.ok_or("its member \"unit\" must be \"char\", \"word\" or \"sentence\"")?))
}
