//! A form with finitely many states as tables, for a loop that asks no host: on a device, say.
//!
//! ```text
//! token        argmax of the logits that masks[mask_of[state]] allows
//! state        next[state, classes[token]]
//! budget       a token may come if need[next state] is less than what is left
//! ```
//!
//! Cost: the byte automaton (some 10 us a state), made as small as it can be, then a walk down the tree of tokens for
//! each state that tokens lead to. Everything is counted, so that it can be interrupted, and ends in time.

mod states;
mod token_classes;

use crate::error::{Kind, Result};
use crate::interrupt::bounded;
use crate::matcher::minimal::MinimalAutomaton;
use crate::matcher::{ByteAutomaton, Constraint};

use states::Search;

/// States of the byte automaton, and classes of tokens: numbers that fit into 16 bits with a sign.
const MOST_STATES: usize = 32_000;

/// In place of a state: the token may not come.
const FORBIDDEN: i16 = -1;

/// A constraint as tables. State 0 is the start, the last one is after the end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceTables {
    /// Distinct masks, row after row.
    pub masks: Vec<i32>,
    /// By state: the row of its mask.
    pub mask_of: Vec<i16>,
    /// By token, as far as logits go: its class.
    pub classes: Vec<i16>,
    /// By state and class: the state after a token of the class; -1 where none may come.
    pub next: Vec<i16>,
    /// By state: tokens to the nearest end, end-of-text not counted; of the last one, [`DeviceTables::ENDED`].
    pub need: Vec<i32>,
}

impl DeviceTables {
    /// What is needed after the end: less than any budget leaves.
    pub const ENDED: i32 = -(1 << 29);
}

impl Constraint {
    /// Its tables, of at most so many bytes.
    ///
    /// `None` where there are none: the form is recursive; it compares names or items, has a parser, or bounds the tokens
    /// of a part; only canonical tokens may come; some text cannot be ended in tokens; or there are too many states or
    /// bytes, or they take more work than [`Limits::work`](crate::Limits::work).
    ///
    /// # Errors
    /// [`Kind::Interrupted`].
    pub fn device_tables(&self, most_bytes: usize) -> Result<Option<DeviceTables>> {
        let (graph, tables) = (self.graph(), self.tables());
        let is_canonical = self.spelled().is_some_and(|spelled| spelled.masks);
        if graph.has_parser() || graph.has_bounds() || is_canonical {
            return Ok(None);
        }
        let made = bounded(tables.limits().work, || {
            if self.language().graph().nests() {
                return Ok(None);
            }
            let constraint = self.fresh();
            let automaton = MinimalAutomaton::new(&ByteAutomaton::new(constraint.graph(), MOST_STATES, None)?);
            Ok(Search::new(&automaton, &tables.vocabulary).run(most_bytes))
        });
        made.or_else(|error| if matches!(*error.kind, Kind::Limit { .. }) { Ok(None) } else { Err(error) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indexmap::IndexMap;

    use super::*;
    use crate::language::Language;
    use crate::limits::Limits;
    use crate::syntax::choice::choice;
    use crate::syntax::json_schema::{Options, json_schema};
    use crate::terminals::Tables;
    use crate::vocabulary::Vocabulary;

    fn constraint(language: &Language, tokens: &[&str]) -> Constraint {
        let end = tokens.len() as u32 - 1;
        let vocabulary = Vocabulary::new(tokens, &[end], IndexMap::new(), Some(tokens.len() + 2)).unwrap();
        Constraint::new(language, &Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))).unwrap()
    }

    /// "ab" or "b": both `a` and `b` lead to an end or before one.
    #[test]
    fn tables_of_a_choice() {
        let language = choice(&["ab", "b"], &Limits::default()).unwrap();
        let tables = constraint(&language, &["a", "b", "ab", "x", ""]).device_tables(1 << 20).unwrap().unwrap();
        // States: before all, after `a`, after a text, after its end. Classes: never, the end, `a`, `b`, `ab`.
        assert_eq!(tables.classes, [2, 3, 4, 0, 1, 0, 0]);
        assert_eq!(
            tables.next,
            [[-1, -1, 1, 2, 2], [-1, -1, -1, 2, -1], [-1, 3, -1, -1, -1], [-1, 3, -1, -1, -1]].concat()
        );
        assert_eq!(tables.need, [1, 1, 0, DeviceTables::ENDED]);
        assert_eq!(tables.masks, [0b111, 0b10, 0b10000]);
        assert_eq!(tables.mask_of, [0, 1, 2, 2]);
    }

    #[test]
    fn there_are_none_where_texts_nest_or_cannot_end_or_there_are_too_many_bytes() {
        let language = choice(&["ab", "bc"], &Limits::default()).unwrap();
        assert_eq!(constraint(&language, &["a", "b", ""]).device_tables(1 << 20), Ok(None));
        let all = constraint(&language, &["a", "b", "c", ""]);
        assert!(all.device_tables(1 << 20).unwrap().is_some());
        assert_eq!(all.device_tables(60), Ok(None));
        let nested = json_schema(r##"{"type": "array", "items": {"$ref": "#"}}"##, &Options::default()).unwrap();
        assert_eq!(constraint(&nested, &["[", "]", ",", " ", ""]).device_tables(1 << 20), Ok(None));
    }
}
