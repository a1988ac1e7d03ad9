//! Tokens that spell whole names.
//!
//! Masks are remembered without the undeclared names that were used: `"a": 1, "b": 2,` and `"c": 1, "d": 2,` allow the
//! same tokens next, but for the few that spell a whole name, such as `"a":`. These are kept by that name, as the walk
//! finds them if the name is new, and what was used is taken out for every mask.
//!
//! ```text
//! a":  a": {   b":1   é":        used: a         b":1   é":
//! ```
//!
//! Cost: the beginnings that used names and tokens share, walked side by side. Wrinkle: a second name in the same token
//! may be the first one again. Such tokens are not kept here, but tried.

use std::ops::Range;

use super::arena::Arena;
use super::thread::{Head, Thread};
use crate::language::CompiledGraph;
use crate::language::{Node, NodeId};
use crate::vocabulary::{TokenId, Trie};

/// Tokens by the undeclared name they spell.
#[derive(Debug)]
pub struct Named {
    /// The object.
    object: NodeId,
    /// The names, each with the quote that ends it; items are places in `groups`.
    names: Trie,
    /// Where the tokens of each name stand.
    groups: Vec<Range<usize>>,
    tokens: Vec<TokenId>,
}

impl Named {
    /// From names, each with the quote that ends it, and their tokens.
    pub fn new(object: NodeId, mut parts: Vec<(Vec<u8>, Vec<TokenId>)>) -> Self {
        parts.sort_unstable();
        let keyed: Vec<(&[u8], u32)> = parts.iter().zip(0..).map(|((name, _), group)| (&**name, group)).collect();
        let ends = parts.iter().scan(0, |end, (_, tokens)| {
            *end += tokens.len();
            Some(*end)
        });
        let groups = ends.zip(&parts).map(|(end, (_, tokens))| end - tokens.len()..end).collect();
        let names = Trie::new(&keyed);
        Self { object, names, groups, tokens: parts.into_iter().flat_map(|(_, tokens)| tokens).collect() }
    }

    /// Adds the tokens whose name `thread`, which stands in the object, has not used.
    pub fn free(&self, graph: &CompiledGraph, arena: &mut Arena, thread: Thread, out: &mut Vec<TokenId>) {
        let (Head::Object { seen, .. }, Node::Object(object)) = (thread.head, graph.node(self.object)) else {
            return;
        };
        let names = arena.seen(seen).names;
        let mut open = vec![(arena.excluded_names(self.object, object, names), 0)];
        let mut used: Vec<u32> = Vec::new();
        while let Some((at, node)) = open.pop() {
            for &(byte, deeper) in arena.excluded_children(at) {
                let Some(child) = self.names.child(node, byte) else { continue };
                if arena.is_excluded(deeper) {
                    used.extend_from_slice(&self.names.items()[self.names.items_at(child)]);
                }
                open.push((deeper, child));
            }
        }
        used.sort_unstable();
        let mut from = 0;
        for group in used {
            let taken = &self.groups[group as usize];
            out.extend_from_slice(&self.tokens[from..taken.start]);
            from = taken.end;
        }
        out.extend_from_slice(&self.tokens[from..]);
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.names.bytes() + self.groups.len() * 16 + self.tokens.len() * 4
    }
}
