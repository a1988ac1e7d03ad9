//! A mask, of either kind: what a matcher allows, ready to be written.

use super::canonical::CanonicalMask;
use super::masks::{PlainMask, Row};
use crate::vocabulary::{TokenId, Vocabulary};

/// The tokens that may come next.
#[derive(Clone, Debug)]
pub enum Mask {
    /// All that conform.
    Plain(PlainMask),
    /// Those of them that the tokenizer itself would write.
    Canonical(CanonicalMask),
}

impl Default for Mask {
    /// No token.
    fn default() -> Self {
        Self::Plain(PlainMask::default())
    }
}

impl From<PlainMask> for Mask {
    fn from(mask: PlainMask) -> Self {
        Self::Plain(mask)
    }
}

impl Mask {
    /// No token but the end of the text, if it may end.
    pub(super) fn end(ends: bool) -> Self {
        Self::Plain(PlainMask { ends, ..PlainMask::default() })
    }

    /// Whether no token is allowed.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Plain(mask) => mask.is_empty(),
            Self::Canonical(mask) => mask.is_empty(),
        }
    }

    /// The only canonical token that may come, if there is just one and the text may not end.
    pub(super) fn only_canonical(&self) -> Option<TokenId> {
        match self {
            Self::Plain(_) => None,
            Self::Canonical(mask) => mask.only(),
        }
    }

    /// Overwrites a row of `mask_words` words.
    pub fn write<R: Row + ?Sized>(&self, vocabulary: &Vocabulary, row: &R) {
        match self {
            Self::Plain(mask) => mask.write(vocabulary, row),
            Self::Canonical(mask) => mask.write(vocabulary, row),
        }
    }
}
