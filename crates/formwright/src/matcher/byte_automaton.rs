//! All states of a language that has finitely many, byte by byte: to be looked at, not to be run.
//!
//! ```text
//! (ab|b)c      0 -a-> 1   0 -b-> 2   1 -b-> 2   2 -c-> 3, accepting
//! ```
//!
//! Cost: every byte is tried in every state. Of two states with the same continuations both are kept; a language
//! with recursion, or with names or items that must differ, has more states than any limit.

use rustc_hash::FxHashMap;

use super::machine::{Configuration, Machine, Stacks, is_accepting, too_many_states};
use crate::error::{Error, Result};
use crate::language::Language;

/// An automaton over bytes; state 0 is the start.
#[derive(Debug)]
pub struct ByteAutomaton {
    /// By state: whether a text may end there.
    pub accepting: Vec<bool>,
    /// By state: the bytes that may come, ascending, and where they lead.
    pub edges: Vec<Vec<(u8, u32)>>,
}

impl Language {
    /// The automaton of a language of at most so many states.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are more; as [`Language::compiled`].
    pub fn byte_automaton(&self, most_states: usize) -> Result<ByteAutomaton> {
        let graph = &*self.compiled()?;
        let (mut stacks, mut path) = (Stacks::default(), Vec::new());
        let mut machine = Machine::new(graph, &mut stacks, &mut path);
        let start = machine.initial();
        let mut ids: FxHashMap<Vec<Configuration>, u32> = FxHashMap::from_iter([(start.clone(), 0)]);
        let (mut states, mut automaton) = (vec![start], ByteAutomaton { accepting: Vec::new(), edges: Vec::new() });
        while let Some(at) = states.get(automaton.edges.len()).cloned() {
            let mut edges = Vec::new();
            for byte in 0..=u8::MAX {
                let next = machine.advance(&at, byte);
                if next.is_empty() {
                    continue;
                }
                let new = states.len() as u32;
                let to = *ids.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    new
                });
                edges.push((byte, to));
            }
            automaton.accepting.push(is_accepting(&at));
            automaton.edges.push(edges);
            if states.len() > most_states {
                return Err(Error::limit("states of the automaton", states.len(), most_states));
            }
        }
        graph.check_parsers()?;
        if graph.overflowed() { Err(too_many_states()) } else { Ok(automaton) }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::syntax::{choice::choice, json_schema};

    /// It has the texts of the language and no others.
    #[test]
    fn it_accepts_what_the_language_has() {
        let limits = Limits::default();
        let language = choice(&["ab", "abc", "b"], &limits).unwrap();
        let automaton = language.byte_automaton(100).unwrap();
        let mut texts = vec![(String::new(), 0_u32)];
        let mut found = Vec::new();
        while let Some((text, at)) = texts.pop() {
            found.extend(automaton.accepting[at as usize].then(|| text.clone()));
            texts.extend(
                automaton.edges[at as usize].iter().map(|&(byte, to)| (format!("{text}{}", char::from(byte)), to)),
            );
        }
        found.sort();
        assert_eq!(found, ["ab", "abc", "b"]);
        let recursive =
            json_schema::json_schema(r##"{"items": {"$ref": "#"}}"##, &json_schema::Options::default()).unwrap();
        assert!(matches!(*recursive.byte_automaton(50).unwrap_err().kind, crate::Kind::Limit { .. }));
    }
}
