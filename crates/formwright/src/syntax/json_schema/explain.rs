//! What became of every keyword, for people: also where the schema is refused.
//!
//! ```text
//! {"type": "integer", "minimum": 5, "maximum": 4, "maxLenght": 3}
//!     #/type enforced   #/minimum enforced   #/maximum enforced   #/maxLenght broken: did you mean "maxLength"?
//! ```
//!
//! Reading goes on after a fault as if nothing had been said there, so all faults are found at once. What can never be
//! written is only told where there is no fault: it could be a consequence of one.
//!
//! Cost: as building the schema, and a record of each keyword.

use std::collections::BTreeMap;

use super::build::Built;
use super::read::{Purpose, SchemaReader};
use super::{Options, build_graph, only_unspelled, why_empty};
use crate::error::{Error, Kind, Result};
use crate::interrupt::bounded;
use crate::language::{Facts, INFINITE, no_finite_text};

/// How one keyword of a schema was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// JSON Pointer of the keyword's schema.
    pub pointer: String,
    /// The keyword; empty where the schema as a whole is meant.
    pub keyword: String,
    /// `enforced`, `core`, `annotation`, `redundant`, `narrowed`, `never`, `refused` or `broken`.
    pub status: &'static str,
    /// What was done, or why not.
    pub note: String,
}

/// How each keyword of `schema` is read.
///
/// # Errors
/// When it is not JSON, or a bound was reached. Faults of the schema are rows.
pub fn explain(schema: &str, options: &Options) -> Result<Vec<Reading>> {
    bounded(options.limits.work, || readings(schema, options))
}

fn readings(schema: &str, options: &Options) -> Result<Vec<Reading>> {
    build_graph(schema, options, Purpose::Explain, |built, reader| {
        reader.read_all()?;
        if !reader.has_faults() {
            never(&built, reader, schema, options)?;
        }
        Ok(reader.readings())
    })
}

/// Records what has no finite text: the schema itself, or declared members.
fn never<'d>(built: &Built<'d>, reader: &mut SchemaReader<'d>, schema: &str, options: &Options) -> Result<()> {
    let facts = Facts::new(&built.graph, &options.limits)?;
    let mut dead: BTreeMap<(String, &str), bool> = BTreeMap::new();
    for (whole, members) in &built.members {
        for (name, value) in members {
            let Some(pointer) = reader.declaring(whole, name) else { continue };
            *dead.entry((pointer, name)).or_insert(true) &= facts.shortest(*value) >= INFINITE;
        }
    }
    for ((pointer, name), _) in dead.into_iter().filter(|(_, dead)| *dead) {
        reader.row(format!("{pointer}/properties"), name.to_owned(), "never", "no value satisfies it".to_owned());
    }
    if facts.shortest(built.graph.root) >= INFINITE {
        let unspelled = only_unspelled(schema, options, &reader.pointer_of(built.outside.unwrap_or(built.root)));
        let error = unspelled.or_else(|| why_empty(reader, built.root, built.empty));
        reader.fault(error.unwrap_or_else(|| no_finite_text(&built.graph, &facts)))?;
    }
    Ok(())
}

/// The status of a fault, its place, and what is said of it without the place.
pub fn fault_row(error: &Error) -> Option<(&'static str, &str, &str)> {
    let (status, pointer) = match &*error.kind {
        Kind::Schema { pointer } => ("broken", pointer),
        Kind::Unsupported { pointer } => ("refused", pointer),
        Kind::Unsatisfiable { pointer } => ("never", pointer),
        _ => return None,
    };
    let what = error.message.strip_prefix("schema at ").and_then(|rest| rest.split_once(": "));
    Some((status, pointer, what.map_or(&error.message[..], |(_, what)| what)))
}
