//! Pieces of a text: `one_of_text("to be or not to be", Unit::Word)`.
//!
//! Cost: the automaton of the pieces is built, about 0.5 s for 1 MB. The empty piece is none.

use crate::error::Result;
use crate::language::{Graph, Language, Node};
use crate::limits::Limits;
use crate::regular::{Pieces, Unit, Writing};

/// One or more units of `source` in a row, as they are there.
///
/// # Errors
/// [`crate::Kind::Argument`] when `source` has no unit, [`crate::Kind::Limit`] when it is too long.
pub fn one_of_text(source: &str, unit: Unit, limits: &Limits) -> Result<Language> {
    of_pieces(&Pieces::new(source, unit)?, limits)
}

/// Any of some pieces.
///
/// # Errors
/// None but those of any language.
pub fn of_pieces(pieces: &Pieces, limits: &Limits) -> Result<Language> {
    let mut graph = Graph::default();
    graph.root = graph.add(Node::Pieces(pieces.clone(), Writing::Plain));
    Language::new(graph, limits)
}
