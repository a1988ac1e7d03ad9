//! How far tokens look ahead, past the end of the value they begin in.
//!
//! ```text
//! ",          a comma           entries after a value need not know which members are left
//! ","a        enters a name     objects with a name that begins with `a` are told apart
//! 1,2,3,      three commas      arrays are told apart near a bound on the number of items
//! ```
//!
//! Cost: a look at every token, when the tables of a vocabulary are made. Bytes are looked at
//! without knowing where a value ends, so the answer may be too far, never too near.

use crate::regular::ByteSet;
use crate::vocabulary::{TokenId, Vocabulary};

/// How far the tokens of a vocabulary look ahead after a value.
#[derive(Debug, Default)]
pub struct TokenLookahead {
    /// How the names begin that some token enters: the bytes after a comma and a quote, perhaps with whitespace
    /// between.
    pub entered: ByteSet,
    /// The most commas of one array in a token. Of commas with nothing but whitespace between, only the first counts.
    pub commas: u32,
}

impl TokenLookahead {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut lookahead = Self::default();
        let tokens = (0..vocabulary.len() as TokenId).map(|id| vocabulary.token(id));
        for token in tokens {
            if token.contains(&b',') {
                lookahead.add(token);
            }
        }
        lookahead
    }

    fn add(&mut self, token: &[u8]) {
        let is_after_comma = |at: usize| token[..at].trim_ascii_end().ends_with(b",");
        let commas = token.iter().enumerate().filter(|&(at, byte)| *byte == b',' && !is_after_comma(at));
        self.commas = self.commas.max(commas.count() as u32);
        for (at, pair) in token.windows(2).enumerate().filter(|(_, pair)| pair[0] == b'"') {
            if is_after_comma(at) {
                self.entered.insert(pair[1]);
            }
        }
    }
}
