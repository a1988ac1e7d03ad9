//! Finite sets of texts: `choice(["yes", "no"])`, `literal("Answer: ")`. Cost: a copy of the texts.

use crate::error::{Error, Result};
use crate::language::{Graph, Language};
use crate::limits::Limits;

/// Exactly one of `options`.
///
/// # Errors
/// [`crate::Kind::Argument`] when there are none.
pub fn choice<T: AsRef<str>>(options: &[T], limits: &Limits) -> Result<Language> {
    if options.is_empty() {
        return Err(Error::argument("options", "choice: there are no options").hint("pass at least one text"));
    }
    let mut graph = Graph::default();
    graph.root = graph.literals(options.iter().map(|option| option.as_ref().as_bytes()));
    Language::new(graph, limits)
}

/// Exactly `text`.
///
/// # Errors
/// None today; the signature leaves room for a bound.
pub fn literal(text: &str, limits: &Limits) -> Result<Language> {
    choice(&[text], limits)
}
