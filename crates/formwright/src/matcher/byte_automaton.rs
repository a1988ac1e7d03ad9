//! All states of a language that has finitely many, byte by byte: to be looked at, not to be run.
//!
//! ```text
//! (ab|b)c      0 -a-> 1   0 -b-> 2   1 -b-> 2   2 -c-> 3, accepting
//! ```
//!
//! Cost: every byte is tried in every state. Of two states with the same continuations both are kept; a language
//! with recursion, or with names or items that must differ, has more states than any limit.

use std::ops::RangeInclusive;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::machine::{Configuration, Machine, Stacks, is_accepting, too_many_states};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{CompiledGraph, Language};

/// Units of work of a configuration of a state: every byte is tried.
const UNITS_OF_CONFIGURATION: usize = 256;

/// An automaton over bytes; state 0 is the start.
#[derive(Debug, Default)]
pub struct ByteAutomaton {
    /// By state: whether a text may end there.
    pub accepting: Vec<bool>,
    /// By state: the bytes that may come, ascending, and where they lead.
    pub edges: Vec<Vec<(u8, u32)>>,
}

impl Language {
    /// The automaton of a language of at most so many states; with `most_bytes`, of its texts up to this length.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are more; [`crate::Kind::Argument`] where a part has a bound on its tokens, which
    /// bytes do not tell; as [`Language::compiled`].
    pub fn byte_automaton(&self, most_states: usize, most_bytes: Option<usize>) -> Result<ByteAutomaton> {
        if self.has_bounds() {
            let message = "the form has a part with max_tokens, which says nothing of its bytes";
            return Err(Error::argument("form", message).hint("bound max_chars in place of max_tokens"));
        }
        ByteAutomaton::new(&*self.compiled()?, most_states, most_bytes)
    }
}

impl ByteAutomaton {
    /// The automaton of a compiled graph, of at most so many states, that its texts of at most so many bytes meet.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are more.
    pub fn new(graph: &CompiledGraph, most_states: usize, most_bytes: Option<usize>) -> Result<Self> {
        let mut search = Search { most_states, most_bytes: most_bytes.unwrap_or(usize::MAX), ..Search::default() };
        let (mut stacks, mut path) = (Stacks::default(), vec![0]); // 0 would be no place where a name or item begins
        let mut machine = Machine::new(graph, &mut stacks, &mut path);
        let start = machine.initial();
        search.state(&start, 0);
        while search.automaton.edges.len() < search.states.len() {
            search.expand(&mut machine)?;
        }
        graph.check_parsers()?;
        if graph.overflowed() { Err(too_many_states()) } else { Ok(search.automaton) }
    }
}

/// The states found so far.
#[derive(Default)]
struct Search {
    most_states: usize,
    most_bytes: usize,
    ids: FxHashMap<Rc<[Configuration]>, u32>,
    states: Vec<Rc<[Configuration]>>,
    /// By state: the bytes of the shortest way to it, since states are found breadth first.
    depths: Vec<usize>,
    automaton: ByteAutomaton,
}

impl Search {
    /// The number of a state, new or not, to which so many bytes have led.
    fn state(&mut self, configurations: &[Configuration], depth: usize) -> u32 {
        if let Some(&known) = self.ids.get(configurations) {
            return known;
        }
        let (new, state) = (self.states.len() as u32, Rc::from(configurations));
        self.states.push(Rc::clone(&state));
        self.depths.push(depth);
        self.ids.insert(state, new);
        new
    }

    /// Tries every byte in the next state, unless it is as deep as a text may be long.
    fn expand(&mut self, machine: &mut Machine<'_>) -> Result<()> {
        let index = self.automaton.edges.len();
        let (at, depth) = (Rc::clone(&self.states[index]), self.depths[index]);
        count(UNITS_OF_CONFIGURATION * at.len());
        let (mut edges, mut next) = (Vec::new(), Vec::new());
        let bytes = if depth < self.most_bytes { 0..=u8::MAX } else { RangeInclusive::new(1, 0) };
        for byte in bytes {
            next.clear();
            machine.step_all(&at, byte, &mut next, 0);
            if next.iter().any(|configuration| !machine.is_erased(configuration.stack)) {
                return Err(self.too_many()); // what comes depends on which names and items came
            }
            if !next.is_empty() {
                edges.push((byte, self.state(&next, depth + 1)));
            }
        }
        self.automaton.accepting.push(is_accepting(&at));
        self.automaton.edges.push(edges);
        if self.states.len() > self.most_states { Err(self.too_many()) } else { Ok(()) }
    }

    fn too_many(&self) -> Error {
        Error::limit("states of the automaton", self.states.len().max(self.most_states + 1), self.most_states)
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
        let automaton = language.byte_automaton(100, None).unwrap();
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
        assert!(matches!(*recursive.byte_automaton(50, None).unwrap_err().kind, crate::Kind::Limit { .. }));
        let nested = json_schema::json_schema(
            r##"{"type": "array", "items": {"$ref": "#"}}"##,
            &json_schema::Options { whitespace: "compact".to_owned(), ..json_schema::Options::default() },
        )
        .unwrap();
        assert!(nested.byte_automaton(100, None).is_err());
        assert!(nested.byte_automaton(100, Some(6)).is_ok());
    }

    /// Names that must differ: a state would have to know which came, so the states are too many, however few there are.
    #[test]
    fn it_takes_no_text_for_another_where_names_must_differ() {
        let schema =
            r#"{"type": "object", "patternProperties": {"^[ab]$": {"const": 1}}, "additionalProperties": false}"#;
        let names = json_schema::json_schema(schema, &json_schema::Options::default()).unwrap();
        assert!(matches!(*names.byte_automaton(100_000, None).unwrap_err().kind, crate::Kind::Limit { .. }));
    }
}
