//! Control tokens in a language: letters that no character is written with.
//!
//! ```text
//! control("<|tool|>", false)     0: Literals(FF <|tool|> FF)                 only the control token
//! control("<|tool|>", true)      0: Literals(FF <|tool|> FF, <|tool|>)       or its name, spelled as text
//! ```
//!
//! Cost: for languages without such letters, a look at an empty list. A vocabulary may not have the token. Then
//! the spelled name is what is left, and where that may not be written either, the language is refused.

use std::sync::Arc;

use super::{Graph, Language, Node, NodeId};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::vocabulary::{CONTROL, Vocabulary, letter};

impl Graph {
    /// Adds the control token of a name, or also the name as text.
    pub fn control(&mut self, name: &str, or_text: bool) -> NodeId {
        self.add_control(name);
        let letter = letter(name);
        self.literals(or_text.then_some(name.as_bytes()).into_iter().chain([&letter[..]]))
    }

    /// Notes that there are letters of a control token.
    pub(super) fn add_control(&mut self, name: &str) {
        if !self.controls.iter().any(|known| **known == *name) {
            self.controls.push(name.into());
        }
    }
}

impl Language {
    /// The control token of a name, or also the name as text.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when the name is empty.
    pub fn control(name: &str, or_text: bool, limits: &Limits) -> Result<Self> {
        if name.is_empty() {
            return Err(Error::argument("name", "special: the name of a control token is empty"));
        }
        let mut graph = Graph::default();
        graph.root = graph.control(name, or_text);
        Self::new(graph, limits)
    }

    /// Any one of some control tokens.
    ///
    /// # Errors
    /// As [`Language::new`].
    pub fn one_control(names: &[&str], limits: &Limits) -> Result<Self> {
        let mut graph = Graph::default();
        for name in names {
            graph.add_control(name);
        }
        let letters: Vec<Vec<u8>> = names.iter().map(|name| letter(name)).collect();
        graph.root = graph.literals(letters.iter().map(|letter| &letter[..]));
        Self::new(graph, limits)
    }

    /// This language without the letters of control tokens that a vocabulary does not have.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`] where no text may stand for such a letter.
    pub fn for_vocabulary(&self, vocabulary: &Vocabulary) -> Result<Self> {
        let missing: Vec<Vec<u8>> =
            self.graph().controls.iter().filter(|name| !vocabulary.has_letter(name)).map(|name| letter(name)).collect();
        if missing.is_empty() {
            return Ok(self.clone());
        }
        let mut graph = self.graph().clone();
        for at in 0..graph.nodes.len() {
            let Node::Literals(texts) = &graph.nodes[at] else { continue };
            let texts = Arc::clone(texts);
            let Some((lost, _)) = texts.iter().find(|(text, _)| missing.iter().any(|letter| letter == text)) else {
                continue;
            };
            let kept: Vec<&[u8]> = texts.iter().map(|(text, _)| text).filter(|text| *text != lost).collect();
            if kept.is_empty() {
                return Err(no_such_token(lost, vocabulary));
            }
            graph.nodes[at] = graph.texts(kept);
        }
        Self::new(graph, self.limits())
    }
}

/// The error for a control token that a vocabulary does not have.
fn no_such_token(letter: &[u8], vocabulary: &Vocabulary) -> Error {
    let name = String::from_utf8_lossy(&letter[1..letter.len() - 1]).into_owned();
    let message = if vocabulary.special().get(&name).is_some_and(|id| vocabulary.eos().contains(id)) {
        format!("special: {name:?} ends a text, so no form may hold it")
    } else {
        format!("special: the vocabulary has no control token {name:?}")
    };
    let known: Vec<String> = vocabulary
        .special()
        .keys()
        .filter(|name| vocabulary.has_letter(name))
        .take(8)
        .map(|name| format!("{name:?}"))
        .collect();
    let hint = match &known[..] {
        [] => "it has none; write the marker as text".to_owned(),
        known => format!("it has {}; or write the marker as text", known.join(", ")),
    };
    Error::vocabulary(message).hint(hint)
}

/// Text in which the letters of control tokens are written by their names.
pub fn without_letters(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| byte != CONTROL).collect()
}
