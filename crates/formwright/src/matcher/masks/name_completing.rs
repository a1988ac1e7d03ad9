//! Tokens that complete an undeclared name: valid only while that name is unused.
//!
//! Entries are cached with the used names erased: `"a": 1, "b": 2,` and `"c": 1, "d": 2,` allow the same tokens next,
//! but for the few tokens that complete a name, such as `"a":`. A walk takes every name for an unused one and lists
//! these tokens by the name they complete; for every mask, the tokens of the used names are left out.
//!
//! ```text
//! a":  a": {   b":1   é":        used: a         b":1   é":
//! ```
//!
//! Cost: the used names and the listed names are walked side by side, along their common prefixes. A second
//! name in the same token may be the first name again. Such tokens are not listed here; they are unresolved, and tried
//! for every mask.

use std::ops::Range;

use crate::language::{CompiledGraph, Node, NodeId};
use crate::matcher::machine::{Configuration, Position, Stacks};
use crate::vocabulary::{TokenId, Trie};

/// A name, with the quote that ends it, and the tokens that complete it.
pub type ByName = (Vec<u8>, Vec<TokenId>);

/// Tokens by the undeclared name they complete.
#[derive(Debug)]
pub struct NameCompleting {
    /// The object.
    object: NodeId,
    /// The names, each with the quote that ends it; items are indexes of `groups`.
    names: Trie,
    /// Where the tokens of each name are.
    groups: Vec<Range<usize>>,
    tokens: Vec<TokenId>,
}

impl NameCompleting {
    /// The tokens of some names of an object.
    pub fn new(object: NodeId, mut parts: Vec<ByName>) -> Self {
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

    /// Adds the tokens whose name `configuration`, which is in the object, has not used.
    pub fn add_unused(
        &self,
        graph: &CompiledGraph,
        stacks: &mut Stacks,
        configuration: Configuration,
        out: &mut Vec<TokenId>,
    ) {
        let (Position::Object { seen, .. }, Node::Object(object)) = (configuration.position, graph.node(self.object))
        else {
            return;
        };
        let names = stacks.seen(seen).names;
        let mut open = vec![(stacks.excluded_names(self.object, object, names), 0)];
        let mut used: Vec<u32> = Vec::new();
        while let Some((at, node)) = open.pop() {
            for &(byte, deeper) in stacks.excluded_children(at) {
                let Some(child) = self.names.child(node, byte) else { continue };
                if stacks.is_excluded(Some(deeper)) {
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

    /// All of them.
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.names.bytes() + self.groups.len() * 16 + self.tokens.len() * 4
    }
}
