//! What may be written between a known beginning and a known end of a text.
//!
//! ```text
//! (19|20)\d\d    between "1" and "5"       9\d
//! ```
//!
//! A text may be where the beginning leads, and may end where the end completes: the automaton of the form with
//! another start and other ends. Its states are read by characters, so that it is a regular language like any other,
//! with masks, budgets and canonical tokens. Where texts nest, it is a grammar (see `nested`).
//!
//! Cost: the byte automaton; a look at every state for each byte of the end; the characters of each state.

mod characters;
mod follow;
mod nested;
mod regions;
mod suffix;

use characters::read_characters;

use crate::error::{Error, Kind, Result};
use crate::interrupt::{bounded, count};
use crate::language::{Graph, Language};
use crate::matcher::finite_states;
use crate::matcher::minimal::{DEAD, MinimalAutomaton};
use crate::regular::{Encoding, explicit};

const OF_ONE_TEXT: &str = "give the beginning and the end of one text of the form";

/// States that are looked at for a unit of work.
const STATES_OF_UNIT: usize = 16;

impl Language {
    /// The texts that may be written between two others, so that all three in a row are a text of this language.
    ///
    /// # Errors
    /// [`Kind::Unsatisfiable`] where there is none, with the first byte that cannot come; [`Kind::Argument`] where the
    /// form has control tokens, a parser, or a part with a bound on its tokens; [`Kind::Unsupported`] where items or
    /// names must differ; [`Kind::Limit`] where there are too many states.
    pub fn between(&self, prefix: &str, suffix: &str) -> Result<Self> {
        bounded(self.limits().work, || self.find_between(prefix.as_bytes(), suffix.as_bytes()))
    }

    fn find_between(&self, prefix: &[u8], suffix: &[u8]) -> Result<Self> {
        if !self.graph().controls.is_empty() {
            let message = "between: the form has control tokens, which have no characters";
            return Err(Error::argument("form", message).hint("leave the control tokens to the prompt"));
        }
        if self.graph().nests() {
            let automaton = finite_states::find_nested(self, &*self.compiled()?, "between")?;
            return nested::find(&automaton, prefix, suffix, self.limits());
        }
        let automaton = finite_states::find(self, &*self.compiled()?, "between")?;
        let start = read_prefix(&automaton, prefix)?;
        let ends = find_states_before(&automaton, suffix);
        let live = find_states_leading_to(&automaton.next, &ends);
        if !live[usize::from(start)] {
            return Err(explain_missing_middle(&automaton, start, suffix));
        }
        let states = read_characters(&automaton.next, start, &ends, &live).expect("texts consist of whole characters");
        let mut graph = Graph::default();
        graph.root = graph.regular(explicit(states, 0), Encoding::Text);
        Self::new(graph, self.limits())
    }
}

fn step(automaton: &MinimalAutomaton, state: u16, byte: u8) -> u16 {
    automaton.next[256 * usize::from(state) + usize::from(byte)]
}

/// The state after a beginning.
fn read_prefix(automaton: &MinimalAutomaton, prefix: &[u8]) -> Result<u16> {
    let mut state = 0;
    for (at, &byte) in prefix.iter().enumerate() {
        state = step(automaton, state, byte);
        if state == DEAD {
            return Err(say_misplaced("prefix", prefix, at));
        }
    }
    Ok(state)
}

/// By state: whether an end, written from there, completes a text.
fn find_states_before(automaton: &MinimalAutomaton, suffix: &[u8]) -> Vec<bool> {
    let mut after = automaton.accepting.clone();
    for &byte in suffix.iter().rev() {
        count(after.len() / STATES_OF_UNIT);
        let leads = |state: usize| match step(automaton, state as u16, byte) {
            DEAD => false,
            to => after[usize::from(to)],
        };
        after = (0..after.len()).map(leads).collect();
    }
    after
}

/// By state: whether it leads to one of `ends`.
fn find_states_leading_to(next: &[u16], ends: &[bool]) -> Vec<bool> {
    let mut before: Vec<Vec<u16>> = vec![Vec::new(); ends.len()];
    for (state, row) in (0..).zip(next.chunks_exact(256)) {
        count(256 / STATES_OF_UNIT);
        for &to in row.iter().filter(|&&to| to != DEAD) {
            let known = &mut before[usize::from(to)];
            if known.last() != Some(&state) {
                known.push(state);
            }
        }
    }
    let mut found = ends.to_vec();
    let mut open: Vec<u16> = (0..).zip(ends).filter(|(_, is_end)| **is_end).map(|(state, _)| state).collect();
    while let Some(state) = open.pop() {
        for &earlier in &before[usize::from(state)] {
            if !std::mem::replace(&mut found[usize::from(earlier)], true) {
                open.push(earlier);
            }
        }
    }
    found
}

/// The error where nothing can come before an end: its first byte that no text has there.
fn explain_missing_middle(automaton: &MinimalAutomaton, start: u16, suffix: &[u8]) -> Error {
    let mut reached = vec![false; automaton.accepting.len()];
    let mut open = vec![start];
    reached[usize::from(start)] = true;
    while let Some(state) = open.pop() {
        count(256 / STATES_OF_UNIT);
        for byte in 0..=u8::MAX {
            let to = step(automaton, state, byte);
            if to != DEAD && !std::mem::replace(&mut reached[usize::from(to)], true) {
                open.push(to);
            }
        }
    }
    let mut states: Vec<u16> = (0..).zip(&reached).filter(|(_, is_in)| **is_in).map(|(state, _)| state).collect();
    for (at, &byte) in suffix.iter().enumerate() {
        count(states.len() / STATES_OF_UNIT);
        states = states.iter().map(|&state| step(automaton, state, byte)).filter(|&to| to != DEAD).collect();
        states.sort_unstable();
        states.dedup();
        if states.is_empty() {
            return say_misplaced("suffix", suffix, at);
        }
    }
    say_unfinished()
}

/// The error where it is not known which byte cannot come.
fn say_nothing_fits() -> Error {
    Error::new(Kind::Unsatisfiable { pointer: String::new() }, "between: no text fits between them").hint(OF_ONE_TEXT)
}

/// The error for an end after which a text goes on.
fn say_unfinished() -> Error {
    let message = "between: no text fits between them: what goes on after the suffix is missing";
    Error::new(Kind::Unsatisfiable { pointer: String::new() }, message)
        .hint("give the rest of the text, up to its end, as suffix")
}

/// The error for a byte that cannot come where it does.
fn say_misplaced(name: &str, text: &[u8], at: usize) -> Error {
    let is_lead = |&at: &usize| !(0x80..0xC0).contains(&text[at]);
    let first = (0..=at).rfind(is_lead).unwrap_or(0);
    let end = (at + 1..text.len()).find(is_lead).unwrap_or(text.len());
    let is_in = if text[at].is_ascii() { "" } else { "in " };
    let shown = String::from_utf8_lossy(&text[first..end]);
    let message =
        format!("between: no text fits between them: byte {at} of the {name}, {is_in}{shown:?}, cannot come there");
    Error::new(Kind::Unsatisfiable { pointer: String::new() }, message).hint(OF_ONE_TEXT)
}

#[cfg(test)]
mod tests {
    use crate::error::Kind;
    use crate::limits::Limits;
    use crate::syntax::regex::regex;

    #[test]
    fn what_stands_between_completes_both() {
        let language = regex("(19|20)[0-9]{2}(é|[ü-ÿ]|漢|😀)?", &Limits::default()).unwrap();
        let middle = language.between("1", "5").unwrap();
        for (text, is_in) in [("9", false), ("90", true), ("905", false), ("", false), ("0", false)] {
            assert_eq!(middle.check(text.as_bytes()).unwrap().1, is_in, "{text}");
        }
        let last = language.between("1990", "").unwrap();
        for (text, is_in) in
            [("", true), ("é", true), ("þ", true), ("漢", true), ("😀", true), ("ê", false), ("字", false)]
        {
            assert_eq!(last.check(text.as_bytes()).unwrap().1, is_in, "{text}");
        }
    }

    #[test]
    fn no_middle_names_the_first_byte_that_cannot_stand() {
        let language = regex("a[bc]{1,2}d", &Limits::default()).unwrap();
        for (prefix, suffix, said) in [
            ("ax", "d", "byte 1 of the prefix, \"x\","),
            ("a", "cad", "byte 1 of the suffix, \"a\","),
            ("abc", "cd", "byte 0 of the suffix, \"c\","),
            ("a", "c", "what goes on after the suffix is missing"),
        ] {
            let error = language.between(prefix, suffix).unwrap_err();
            assert!(matches!(*error.kind, Kind::Unsatisfiable { .. }) && error.message.contains(said), "{error}");
        }
    }
}
