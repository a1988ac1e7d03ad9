//! Walks in lockstep: down a trie of names or texts and the trie of tokens, side by side.
//!
//! Inside a declared name, a byte leads along the trie of names and changes nothing else. So instead of a step for
//! every token byte, a walk goes down both tries at once, along the branches they have in common:
//!
//! ```text
//! names     city  country  name          common branches    c  ci  cit  city
//! tokens    c  ci  city  co  cat  n                         co  n
//! ```
//!
//! Cost: the common branches. Where a name or text ends, what comes after it is stepped as everywhere else.

use super::entry::Entry;
use super::{Masker, Walk};
use crate::language::{Lexicon, Node, NodeId, Prefix};
use crate::matcher::machine::{Configuration, END, Position, Progress, StackId};
use crate::vocabulary::{NodeIndex, Trie};

/// A configuration inside a declared name.
#[derive(Clone, Copy)]
pub struct InName {
    pub object: NodeId,
    pub seen: Progress,
    pub at: NodeIndex,
    pub stack: StackId,
    /// Whether the budget is enough everywhere in the name.
    pub fits: bool,
}

/// A configuration inside one of a set of texts.
#[derive(Clone, Copy)]
pub struct InText {
    pub texts: NodeId,
    pub at: NodeIndex,
    pub stack: StackId,
}

impl Masker<'_> {
    /// Whether the budget is enough inside a name or a text, whichever it is: then nothing need be asked there.
    pub fn every_end_fits(&mut self, configuration: Configuration) -> bool {
        let Configuration { position, stack } = configuration;
        let Some(budget) = self.budget.as_mut().filter(|_| !self.machine.must_differ(stack)) else {
            return self.budget.is_none();
        };
        let inside = match position {
            Position::Key { object, seen, at } => self.machine.dearest_name(object, seen, at),
            Position::Literal { node, at } => self.machine.dearest_text(node, at),
            _ => return false,
        };
        budget.fits_in_bytes(inside.saturating_add(self.machine.stack_cost(stack)))
    }

    /// Declared names and tokens side by side, as [`Masker::walk`] would find them: between the quotes of a name
    /// nothing changes but how far it is read.
    pub fn walk_names(&mut self, walk: &Walk<'_>, node: NodeIndex, name: InName, purpose: u8, entry: &mut Entry) {
        let Node::Object(object) = self.machine.graph.node(name.object) else { return };
        if walk.is_deep(node) {
            let position = Position::Key { object: name.object, seen: name.seen, at: name.at };
            return self.walk_deep_from(walk, node, Configuration { position, stack: name.stack }, purpose, entry);
        }
        let before = self.machine.path.len();
        if let Some((node, at)) = self.only_name(walk, object.names.tree(), node, name, purpose) {
            for deeper in object.names.tree().children(at) {
                let byte = object.names.tree().node(deeper).byte;
                let Some(child) = walk.trie.child(node, byte) else { continue };
                if self.machine.name_is_live(object, name.seen, deeper) {
                    self.machine.path.push(byte);
                    let name = InName { at: deeper, ..name };
                    self.add_in_name(walk, child, name, purpose);
                    self.walk_names(walk, child, name, purpose, entry);
                    self.machine.path.pop();
                }
            }
            let quote = walk.trie.child(node, b'"').filter(|_| !object.names.tree().items_at(at).is_empty());
            if let Some(quote) = quote {
                let low = self.buffer.len();
                self.buffer.push(Configuration {
                    position: Position::Key { object: name.object, seen: name.seen, at },
                    stack: name.stack,
                });
                self.visit(walk, node, quote, low, purpose, entry);
                self.buffer.truncate(low);
            }
        }
        self.machine.path.truncate(before);
    }

    /// Texts and tokens side by side, as [`Masker::walk`] would find them: where no text ends, or nothing comes after
    /// it, nothing changes but how far they are read.
    pub fn walk_texts(&mut self, walk: &Walk<'_>, node: NodeIndex, text: InText, purpose: u8, entry: &mut Entry) {
        if walk.is_deep(node) {
            let position = Position::Literal { node: text.texts, at: text.at };
            return self.walk_deep_from(walk, node, Configuration { position, stack: text.stack }, purpose, entry);
        }
        let (texts, is_last) = match self.machine.graph.node(text.texts) {
            Node::Literals(texts) => (texts.tree(), text.stack == END),
            Node::Tail(tail) => (tail.texts.tree(), false),
            Node::Lexicon(lexicon) => {
                let prefix = lexicon.prefix(text.at);
                return self.walk_lexicon(walk, node, lexicon, (text, prefix), purpose, entry);
            }
            Node::Pieces(pieces, writing) => {
                return self.walk_pieces(walk, node, (pieces, *writing), text, purpose, entry);
            }
            _ => return,
        };
        for deeper in texts.children(text.at) {
            let byte = texts.node(deeper).byte;
            let Some(child) = walk.trie.child(node, byte) else { continue };
            if is_last || texts.items_at(deeper).is_empty() {
                self.machine.path.push(byte);
                self.add(walk, walk.trie.items_at(child), purpose);
                if walk.trie.node(child).height > 0 {
                    self.walk_texts(walk, child, InText { at: deeper, ..text }, purpose, entry);
                }
                self.machine.path.pop();
            } else {
                let low = self.buffer.len();
                let position = Position::Literal { node: text.texts, at: text.at };
                self.buffer.push(Configuration { position, stack: text.stack });
                self.visit(walk, node, child, low, purpose, entry);
                self.buffer.truncate(low);
            }
        }
    }

    /// As [`Masker::walk_texts`], for a lexicon: the prefixes of its texts and the trie of tokens.
    fn walk_lexicon(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        lexicon: &Lexicon,
        (text, prefix): (InText, Prefix),
        purpose: u8,
        entry: &mut Entry,
    ) {
        if walk.is_deep(node) {
            return self.walk_texts(walk, node, InText { at: lexicon.node(prefix), ..text }, purpose, entry);
        }
        for (byte, deeper) in lexicon.children(prefix) {
            let Some(child) = walk.trie.child(node, byte) else { continue };
            if text.stack == END || !lexicon.ends(deeper) {
                self.machine.path.push(byte);
                self.add(walk, walk.trie.items_at(child), purpose);
                if walk.trie.node(child).height > 0 {
                    self.walk_lexicon(walk, child, lexicon, (text, deeper), purpose, entry);
                }
                self.machine.path.pop();
            } else {
                let low = self.buffer.len();
                let position = Position::Literal { node: text.texts, at: lexicon.node(prefix) };
                self.buffer.push(Configuration { position, stack: text.stack });
                self.visit(walk, node, child, low, purpose, entry);
                self.buffer.truncate(low);
            }
        }
    }

    /// Goes down while all names below go on with the same byte; they stay as live as one byte before. `None` if no
    /// token goes on with that byte.
    fn only_name(
        &mut self,
        walk: &Walk<'_>,
        names: &Trie,
        mut node: NodeIndex,
        name: InName,
        purpose: u8,
    ) -> Option<(NodeIndex, NodeIndex)> {
        let mut at = name.at;
        while let Some(deeper) = names.only_way(at) {
            let byte = names.node(deeper).byte;
            node = walk.trie.child(node, byte)?;
            at = deeper;
            self.machine.path.push(byte);
            self.add_in_name(walk, node, InName { at, ..name }, purpose);
        }
        Some((node, at))
    }

    /// Adds the tokens that end inside a name, if that leaves enough budget.
    fn add_in_name(&mut self, walk: &Walk<'_>, node: NodeIndex, name: InName, purpose: u8) {
        let items = walk.trie.items_at(node);
        if items.is_empty() || name.fits {
            return self.add(walk, items, purpose);
        }
        let low = self.buffer.len();
        let InName { object, seen, at, stack, .. } = name;
        self.buffer.push(Configuration { position: Position::Key { object, seen, at }, stack });
        self.emit(walk, items, low, purpose);
        self.buffer.truncate(low);
    }
}
