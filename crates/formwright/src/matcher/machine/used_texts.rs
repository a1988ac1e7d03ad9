//! The names and items that a text has used, or must not use: what stacks know of them by their ids.
//!
//! ```text
//! {"a": 1, "b": 2,     a name must be neither `a"` nor `b"`; each ends with its quote
//! ```
//!
//! Cost: a lookup for each byte; a set with one more text is made once.

use super::excluded::{NONE, TextsId};
use super::stacks::{FEWEST, Stacks, UNKNOWN, UNSURE, are_known};
use crate::language::Object;

impl Stacks {
    /// The names that an undeclared name of `object` (node `node`) must not be, after `used` (if known).
    pub fn excluded_names(&mut self, node: u32, object: &Object, used: TextsId) -> TextsId {
        match used {
            used if used != NONE && are_known(used) => used,
            _ => *self.declared.entry(node).or_insert_with(|| self.texts.of_trie(object.names.tree(), b'"')),
        }
    }

    /// How many names or items are used; as far as that is known.
    pub fn used(&self, texts: TextsId) -> u32 {
        match texts {
            UNKNOWN | UNSURE => 0,
            known if are_known(known) => self.texts.added_to(known),
            counted => FEWEST - counted,
        }
    }

    /// `used` with the undeclared name `name` of `object`.
    pub fn use_name(&mut self, node: u32, object: &Object, used: TextsId, name: &[u8]) -> TextsId {
        let excluded = self.excluded_names(node, object, used);
        self.texts.with(excluded, name)
    }

    /// `used` with an item.
    pub fn use_item(&mut self, used: TextsId, item: &[u8]) -> TextsId {
        self.texts.with(used, item)
    }

    /// Whether no more texts can be kept: no undeclared name or new item may come then.
    pub fn is_full(&self) -> bool {
        self.texts.is_full()
    }

    /// The most texts that any text has to differ from.
    pub fn most_excluded(&self) -> usize {
        self.texts.most()
    }

    /// Whether an excluded text ends at `at`.
    pub fn is_excluded(&self, at: Option<TextsId>) -> bool {
        at.is_some_and(|at| self.texts.ends(at))
    }

    /// Where `byte` leads among excluded texts; `None` when it leaves them all.
    pub fn excluded_child(&self, at: Option<TextsId>, byte: u8) -> Option<TextsId> {
        self.texts.child(at?, byte)
    }

    /// The bytes that stay on excluded texts, and where they lead.
    pub fn excluded_children(&self, at: TextsId) -> &[(u8, TextsId)] {
        self.texts.branches(at)
    }
}
