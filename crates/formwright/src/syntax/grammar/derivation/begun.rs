//! The derivation of a text that is still being written.
//!
//! ```text
//! (1+        goes on as (1+0), whose tree it has: the parenthesis and the sum are open, and what comes after them is not there
//! ```
//!
//! Cost: that of the whole text each time.

use super::{Capture, Derivation, Derivations, Node, NodeKind};
use crate::error::Result;
use crate::interrupt::bounded;
use crate::language::Language;
use crate::matcher::Recognizer;

impl Derivations {
    /// The nodes that have begun in a text, of the first derivation of one of its shortest continuations; `None` if it
    /// has none in `language`, which is that of the grammar.
    ///
    /// # Errors
    /// As [`Derivations::read`].
    pub fn read_begun(&self, language: &Language, text: &[u8]) -> Result<Option<Derivation>> {
        bounded(self.work(text), || {
            let graph = language.compiled()?;
            let mut run = Recognizer::new(&graph);
            if run.read(text) < text.len() {
                return Ok(None);
            }
            let whole = [text, &run.shortest_completion()].concat();
            run.check_limits()?;
            let length = text.iter().filter(|&&byte| byte & 0xC0 != 0x80 && byte != 0xFF).count() as u32;
            let found = self.read(&whole, false)?;
            Ok(found.map(|found| Derivation {
                nodes: begun_nodes(found.nodes, length),
                ambiguous: None,
                captures: begun_captures(found.captures, text.len() as u32),
            }))
        })
    }
}

/// The nodes that begin before a place, cut there; the last one is that of the start rule.
fn begun_nodes(nodes: Vec<Node>, length: u32) -> Vec<Node> {
    let (mut begun, mut has_begun): (Vec<Node>, Vec<bool>) = (Vec::new(), Vec::new());
    let root = nodes.len() - 1;
    for (at, mut node) in nodes.into_iter().enumerate() {
        if let NodeKind::Tree(children) = node.kind {
            let children = has_begun.split_off(has_begun.len() - children as usize);
            node.kind = NodeKind::Tree(children.into_iter().filter(|&is| is).count() as u32);
        }
        let is_begun = node.start < length || at == root;
        has_begun.push(is_begun);
        if is_begun {
            (node.start, node.end) = (node.start.min(length), node.end.min(length));
            begun.push(node);
        }
    }
    begun
}

/// The captured texts that begin before a place, cut there.
fn begun_captures(captures: Vec<Capture>, length: u32) -> Vec<Capture> {
    let cut = |found: Capture| Capture { end: found.end.min(length), ..found };
    captures.into_iter().filter(|found| found.start < length).map(cut).collect()
}
