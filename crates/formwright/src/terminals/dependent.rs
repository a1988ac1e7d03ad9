//! Context-dependent tokens: the tokens that leave a terminal, by what remains of each after the terminal.
//!
//! ```text
//! inside a string     o",   o"}       `,` and `}` remain
//!                     "   o"          nothing remains: closing tokens
//! ```
//!
//! Cost: many states have the same context-dependent tokens (all tokens with a quote, for example), and such a set is
//! kept once. Where a terminal may end at several places in a token, the token occurs several times in the
//! set.

use super::Tree;
use crate::vocabulary::{NodeIndex, TokenId, Trie, Vocabulary, in_order};

/// A token found by a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrence {
    /// The run of leading whitespace stripped from the token; 0 is none.
    pub run: u16,
    /// Characters of the terminal in the token, for counted texts.
    pub count: u16,
    /// The token's id.
    pub token: TokenId,
}

/// A context-dependent token, and what remains of it.
pub type Dependent<'v> = (&'v [u8], Occurrence);

/// Context-dependent tokens in the order in which they were found: bytes that remain of each, and the token.
pub type DependentKey = Box<[(u16, Occurrence)]>;

/// Tokens that leave a terminal.
#[derive(Debug)]
#[repr(align(64))]
pub struct DependentTokens {
    /// Closing tokens: nothing remains of them. Without leading whitespace, ascending. They may come wherever the
    /// terminal may end, so a terminal mask has them among its context-independent tokens too.
    pub(super) closing: Vec<Occurrence>,
    /// What remains of the other tokens; items are positions in `tokens`.
    pub trie: Trie,
    /// The other tokens.
    pub tokens: Vec<Occurrence>,
}

impl DependentTokens {
    /// From what remains of each token.
    pub fn new(found: Vec<Dependent<'_>>) -> Self {
        let (closing, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(rest, token)| rest.is_empty() && token.run == 0);
        let mut closing: Vec<Occurrence> = closing.into_iter().map(|(_, token)| token).collect();
        closing.sort_unstable_by_key(|closing| closing.token);
        closing.dedup();
        let mut others: Vec<_> = in_order(others.into_iter(), |(rest, _)| rest).collect();
        others.dedup();
        let keyed: Vec<(&[u8], u32)> = others.iter().zip(0..).map(|(&(rest, _), item)| (rest, item)).collect();
        let trie = Trie::new(&keyed);
        Self { closing, trie, tokens: others.iter().map(|&(_, token)| token).collect() }
    }

    /// Closing tokens, ascending, with at least `least` and at most `most` characters.
    pub fn closing(&self, (least, most): (u32, u32)) -> impl Iterator<Item = TokenId> + '_ {
        let counted = move |token: &&Occurrence| (least..=most).contains(&u32::from(token.count));
        self.closing.iter().filter(counted).map(|closing| closing.token)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.trie.bytes() + (self.tokens.len() + self.closing.len()) * size_of::<Occurrence>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.closing.is_empty()
    }
}

/// One of the two token tries, with what its items mean.
pub struct TreeTokens<'v> {
    vocabulary: &'v Vocabulary,
    pub trie: &'v Trie,
    /// `(run, token)` of each item in the stripped tree.
    pub entries: Option<&'v [(u16, TokenId)]>,
}

impl<'v> TreeTokens<'v> {
    pub fn new(vocabulary: &'v Vocabulary, tree: Tree) -> Self {
        match tree {
            Tree::Plain => Self { vocabulary, trie: vocabulary.plain(), entries: None },
            Tree::Stripped => {
                let stripped = vocabulary.stripped();
                Self { vocabulary, trie: &stripped.trie, entries: Some(&stripped.entries) }
            }
        }
    }

    /// The token of an item, which has `count` characters of the terminal.
    pub fn occurrence(&self, item: usize, count: u16) -> Occurrence {
        let item = self.trie.items()[item];
        match self.entries {
            None => Occurrence { run: 0, count, token: item },
            Some(entries) => Occurrence { run: entries[item as usize].0, count, token: entries[item as usize].1 },
        }
    }

    /// Tokens ending at or below `node`, with what remains of them after the first `read` bytes on their way in the
    /// trie.
    pub fn dependent_below(&self, node: NodeIndex, read: u16, count: u16, out: &mut Vec<Dependent<'v>>) {
        for index in node..self.trie.node(node).skip {
            let left = usize::from(self.trie.node(index).depth - read);
            for item in self.trie.items_at(index) {
                let found = self.occurrence(item, count);
                let bytes = self.vocabulary.token(found.token);
                out.push((&bytes[bytes.len() - left..], found));
            }
        }
    }
}
