//! Questions about the texts of a language: which of them it has, how many, whether any. An automaton answers them,
//! unless the tree shows the answer.
//!
//! ```text
//! is "a1" in ^[a-z]+$?  no        how many texts has [ab]{1,2}?  6        is a.* ∧ b.* empty?  yes
//! ```
//!
//! Cost: automata are cached while a schema is read.

use std::collections::VecDeque;
use std::rc::Rc;

use super::SchemaReader;
use crate::error::Result;
use crate::regular::{Automaton, Encoding, Regular, too_hard};
use crate::syntax::json_schema::sets::{NameSet, ObjectSet, StringSet};

/// Automata kept while a schema is read; each takes about 10 KB.
pub(super) const MOST_AUTOMATA: usize = 1 << 10;

/// Steps taken to count the texts of a language.
const COUNTING: u32 = 1_000_000;

impl<'d> SchemaReader<'d> {
    /// Whether `text` is in the language of `tree`.
    pub fn accepts(&mut self, tree: &Regular, text: &str) -> bool {
        if tree.is_anything() {
            return true;
        }
        self.inside(tree, std::iter::once(text)) == [true]
    }

    /// Which of `texts` are in the language of `tree`.
    pub fn inside<'n>(&mut self, tree: &Regular, texts: impl Iterator<Item = &'n str>) -> Vec<bool> {
        if tree.is_anything() {
            return texts.map(|_| true).collect();
        }
        match self.built(tree) {
            Ok(automaton) => {
                let inside = texts.map(|text| automaton.accepts(text.as_bytes())).collect();
                if automaton.overflowed() {
                    self.unanswered.get_or_insert_with(|| too_hard(&self.options.limits));
                }
                inside
            }
            Err(error) => {
                self.unanswered.get_or_insert(error);
                texts.map(|_| false).collect()
            }
        }
    }

    /// Fails if it could not be decided since the last time whether a language has a text: an answer would be a guess.
    pub fn check_answers(&mut self) -> Result<()> {
        self.unanswered.take().map_or(Ok(()), Err)
    }

    /// An automaton on the decoded text; `None` when it is too hard to build.
    pub fn automaton(&mut self, tree: &Regular) -> Option<Rc<Automaton>> {
        self.built(tree).ok()
    }

    fn built(&mut self, tree: &Regular) -> Result<Rc<Automaton>> {
        if let Some(known) = self.automata.get(tree) {
            return known.clone();
        }
        let automaton = Automaton::new(tree, Encoding::Text, self.limits()).map(Rc::new);
        if self.automata.len() >= MOST_AUTOMATA {
            self.automata.clear(); // a thousand alternatives make a million pairs
        }
        self.automata.insert(tree.clone(), automaton.clone());
        automaton
    }

    /// How many texts a language has, counted up to `enough` (which is also the answer when counting is too long).
    pub fn count(&mut self, tree: &Regular, enough: u32) -> u32 {
        if tree.is_anything() {
            return enough;
        }
        let Some(automaton) = self.automaton(tree) else { return enough };
        let start = automaton.start();
        let mut found = u32::from(start.accepting());
        let mut fuel = COUNTING;
        // Beginnings of which none begins another: each has a text of its own, which is longer.
        let mut begun = VecDeque::from_iter(start.goes_on().then_some(start.state()));
        while let Some(state) = begun.pop_front() {
            for (first, last) in automaton.classes() {
                let (step, many) = (automaton.step(state, first), usize::from(last - first) + 1);
                found += if step.accepting() { many as u32 } else { 0 };
                begun.extend(std::iter::repeat_n(step.state(), if step.goes_on() { many } else { 0 }));
            }
            fuel = fuel.saturating_sub(1 << 8);
            if found as usize + begun.len() >= enough as usize || fuel == 0 {
                return enough;
            }
        }
        found
    }

    /// The texts of a language, if they are at most `most`.
    pub fn texts(&mut self, tree: &Regular, most: usize) -> Option<Vec<&'d str>> {
        let automaton = self.automaton(tree)?;
        let start = automaton.start();
        let mut texts: Vec<Vec<u8>> = Vec::from_iter(start.accepting().then(Vec::new));
        let mut begun = VecDeque::from_iter(start.goes_on().then(|| (start.state(), Vec::new())));
        while let Some((state, text)) = begun.pop_front() {
            for (first, last) in automaton.classes() {
                let step = automaton.step(state, first);
                for byte in (first..=last).filter(|_| step.accepting() || step.goes_on()) {
                    let longer: Vec<u8> = text.iter().copied().chain([byte]).collect();
                    if step.accepting() {
                        texts.push(longer.clone());
                    }
                    if step.goes_on() {
                        begun.push_back((step.state(), longer));
                    }
                    if texts.len() + begun.len() > most {
                        return None;
                    }
                }
            }
        }
        let text = |text: Vec<u8>| Some(&*self.arena.alloc_str(std::str::from_utf8(&text).ok()?));
        texts.into_iter().map(text).collect()
    }

    /// Whether no text is in the language of `tree`. Most trees show it; else an automaton does, if it can be built.
    pub fn is_never(&mut self, tree: &Regular) -> bool {
        let shown = tree.is_plainly_never();
        shown.unwrap_or_else(|| self.automaton(tree).is_some_and(|automaton| automaton.is_never()))
    }

    pub(super) fn has_no_text(&mut self, strings: &StringSet<'d>) -> bool {
        match strings {
            StringSet::Finite(texts) => texts.is_empty(),
            StringSet::Regular { tree, .. } => self.is_never(tree),
        }
    }

    pub(super) fn name_allowed(&mut self, names: &StringSet<'d>, name: &str) -> bool {
        match names {
            StringSet::Finite(texts) => texts.iter().any(|text| **text == *name),
            StringSet::Regular { tree, .. } => self.accepts(tree, name),
        }
    }

    /// Whether a name may be used at all.
    pub fn allows_name(&mut self, object: &ObjectSet<'d>, name: &str) -> bool {
        object.names.iter().all(|names| self.name_allowed(names, name))
    }

    /// Whether a member's name is in a set.
    pub fn in_names(&mut self, names: &NameSet<'d>, name: &str) -> bool {
        match names {
            NameSet::One(one) => **one == *name,
            NameSet::In(tree) => self.accepts(tree, name),
            NameSet::Kind(_) => false,
            NameSet::Except { names, patterns } => {
                names.iter().all(|other| **other != *name) && patterns.iter().all(|tree| !self.accepts(tree, name))
            }
        }
    }
}
