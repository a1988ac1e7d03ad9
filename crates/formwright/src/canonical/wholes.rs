//! Pieces that are tokens though no merges make them.
//!
//! ```text
//! "hello" is a token; merging makes "he"+"llo" of it        the piece "hello" is written "hello", and "hellos" is "he"+"llos"
//! ```
//!
//! Some tokenizers look up a piece before they merge it. A token that no merges make is then written just if it is the whole
//! piece, and what merging would make of that piece is never written. These sequences are kept in a tree: a hypothesis
//! knows where in the tree its piece is, and a piece does not end where one of them does.
//!
//! Cost: a node for each token of such a sequence. Only few tokens lead on in the tree; all others lead out of it,
//! and need not be looked at one by one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::splits::{Splits, TokenId};

/// A node of the tree.
pub type NodeId = u32;

/// Not in the tree.
pub const OUTSIDE: NodeId = 0;

/// Where a piece begins.
const ROOT: NodeId = 1;

/// The piece is a token of its own.
pub const WHOLE: NodeId = 2;

/// Tokens that are whole pieces, and the sequences that they take the place of.
#[derive(Clone, Debug, Default)]
pub struct Wholes {
    tokens: FxHashSet<TokenId>,
    children: FxHashMap<(NodeId, TokenId), NodeId>,
    /// Tokens that lead on somewhere in the tree.
    labels: FxHashSet<TokenId>,
    ends: FxHashSet<NodeId>,
}

impl Wholes {
    /// Of a vocabulary.
    pub fn new(splits: &Splits) -> Self {
        let mut wholes = Self::default();
        for token in (0..splits.len() as TokenId).filter(|&token| !splits.is_self_canonical(token)) {
            let text = std::str::from_utf8(splits.spelled(token)).ok().filter(|text| !text.is_empty());
            if let Some(sequence) = text.and_then(|text| splits.encode(text)) {
                wholes.add(token, &sequence);
            }
        }
        wholes
    }

    fn add(&mut self, token: TokenId, sequence: &[TokenId]) {
        self.tokens.insert(token);
        let mut at = ROOT;
        for &part in sequence {
            let next = WHOLE + 1 + self.children.len() as NodeId;
            at = *self.children.entry((at, part)).or_insert(next);
            self.labels.insert(part);
        }
        self.ends.insert(at);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether a token is written for whole pieces alone.
    pub fn is_whole(&self, token: TokenId) -> bool {
        self.tokens.contains(&token)
    }

    /// Whether it matters in a piece which token this is.
    pub fn is_label(&self, token: TokenId) -> bool {
        self.labels.contains(&token)
    }

    /// Where the first token of a piece leads.
    pub fn first(&self, token: TokenId) -> NodeId {
        if self.is_whole(token) { WHOLE } else { self.next(ROOT, token) }
    }

    /// Where another token of a piece leads.
    pub fn next(&self, at: NodeId, token: TokenId) -> NodeId {
        self.children.get(&(at, token)).copied().unwrap_or(OUTSIDE)
    }

    /// Whether a piece is written otherwise if it ends here.
    pub fn is_end(&self, at: NodeId) -> bool {
        self.ends.contains(&at)
    }
}
