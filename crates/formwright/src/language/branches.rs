//! Texts that each lead to a language of their own: the names of tools, and what follows each.
//!
//! ```text
//! "get_a" -> A | "get_b" -> B | "x" -> C        get_ ─┬─ a ── A       x ── C
//!                                                     └─ b ── B
//! ```
//!
//! What texts have in common is read once, so that a hundred of them are not a hundred alternatives up to where they
//! differ.
//!
//! Cost: the texts are sorted, and become two nodes each at most. A text may be the beginning of another one.

use super::{Graph, Language, Node, NodeId};
use crate::error::{Error, Result};
use crate::limits::Limits;

impl Language {
    /// Any of some texts, each with what follows it.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when there are none, or two are equal; as [`Graph::import`].
    pub fn branches<T: AsRef<str>>(branches: &[(T, Self)], limits: &Limits) -> Result<Self> {
        let mut graph = Graph::default();
        let mut targets: Vec<(&[u8], NodeId)> = Vec::with_capacity(branches.len());
        for (text, language) in branches {
            targets.push((text.as_ref().as_bytes(), graph.import(language.graph(), limits)?));
        }
        targets.sort_unstable();
        if let Some(twice) = targets.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let text = String::from_utf8_lossy(twice[0].0);
            return Err(Error::argument("branches", format!("branches: {text:?} is there twice")));
        }
        if targets.is_empty() {
            return Err(Error::argument("branches", "branches: there are none"));
        }
        graph.root = graph.radix_tree(&targets);
        graph.nesting += 1;
        Self::new(graph, limits)
    }
}

impl Graph {
    /// The tree of some texts, sorted and all different, each leading to a node.
    fn radix_tree(&mut self, targets: &[(&[u8], NodeId)]) -> NodeId {
        // From the longest texts back, so that no text is too long for the stack: a node is made when all below it are.
        let mut pending = vec![(targets.to_vec(), None)];
        let mut made: Vec<NodeId> = Vec::new();
        while let Some((group, children)) = pending.pop() {
            match children {
                None if group.len() == 1 => {
                    let (text, node) = group[0];
                    made.push(self.after_text(text, node));
                }
                None => {
                    let shared = shared_prefix(group[0].0, group[group.len() - 1].0);
                    let parts = by_first_byte(&group, shared);
                    pending.push((vec![group[0]], Some((shared, parts.len()))));
                    pending.extend(parts.into_iter().map(|part| (part, None)));
                }
                Some((shared, count)) => {
                    let options = made.split_off(made.len() - count);
                    let options = self.choice(options);
                    made.push(self.after_text(&group[0].0[..shared], options));
                }
            }
        }
        made[0]
    }

    fn after_text(&mut self, text: &[u8], node: NodeId) -> NodeId {
        if text.is_empty() {
            return node;
        }
        let text = self.literals([text]);
        self.add(Node::Sequence([text, node].into()))
    }
}

/// Bytes that two texts begin with.
fn shared_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// Texts without the bytes they share, those that go on alike together.
fn by_first_byte<'t>(group: &[(&'t [u8], NodeId)], shared: usize) -> Vec<Vec<(&'t [u8], NodeId)>> {
    let rests: Vec<(&[u8], NodeId)> = group.iter().map(|&(text, node)| (&text[shared..], node)).collect();
    rests.chunk_by(|(one, _), (other, _)| !one.is_empty() && one.first() == other.first()).map(<[_]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::choice::choice;

    #[test]
    fn each_text_leads_to_its_own_language() {
        let limits = Limits::default();
        let texts = ["get_a", "get_b", "get", "x", "é", "è", "", "getter"];
        let branches: Vec<(&str, Language)> =
            texts.iter().zip(0..).map(|(&text, at)| (text, choice(&[format!("={at}")], &limits).unwrap())).collect();
        let language = Language::branches(&branches, &limits).unwrap();
        for (at, text) in texts.iter().enumerate() {
            for other in 0..texts.len() {
                let whole = format!("{text}={other}");
                assert_eq!(language.check(whole.as_bytes()).unwrap().1, at == other, "{whole}");
            }
        }
    }

    #[test]
    fn none_and_twice_are_refused() {
        let limits = Limits::default();
        let one = choice(&["1"], &limits).unwrap();
        assert!(Language::branches::<&str>(&[], &limits).is_err());
        let twice = Language::branches(&[("a", one.clone()), ("a", one)], &limits).unwrap_err();
        assert!(twice.message.contains("twice"));
    }
}
