//! Sets of tokens, each kept once.
//!
//! Cost: four bytes for a token. A large set is also kept as a row of bits, so that rows of masks are united word by word.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::vocabulary::TokenId;

/// Index of a set.
pub type SetId = u32;

/// Of a row's words, so many for each token of a set that is also kept as bits.
const WORDS_OF_TOKEN: usize = 4;

/// The sets.
#[derive(Debug, Default)]
pub struct TokenSets {
    sets: IndexSet<Box<[TokenId]>, FxBuildHasher>,
    /// By set: its bits, if it is large.
    bits: Vec<Option<Box<[u32]>>>,
    bytes: usize,
}

impl TokenSets {
    /// The number of a set, new or not; `words` is how many words a row has. Equal sets are given in the same order.
    pub fn intern(&mut self, tokens: &[TokenId], words: usize) -> SetId {
        if let Some(known) = self.sets.get_index_of(tokens) {
            return known as SetId;
        }
        let bits = (tokens.len() * WORDS_OF_TOKEN >= words).then(|| {
            let mut row = vec![0; words].into_boxed_slice();
            for &token in tokens {
                row[token as usize / 32] |= 1 << (token % 32);
            }
            row
        });
        self.bytes += size_of_val(tokens) + bits.as_ref().map_or(0, |row| size_of_val(&**row)) + SET_BYTES;
        self.bits.push(bits);
        self.sets.insert_full(tokens.into()).0 as SetId
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// The tokens of a set.
    pub fn tokens(&self, set: SetId) -> &[TokenId] {
        &self.sets[set as usize]
    }

    /// Whether a set has a token.
    pub fn has(&self, set: SetId, token: TokenId) -> bool {
        match &self.bits[set as usize] {
            Some(bits) => bits[token as usize / 32] >> (token % 32) & 1 == 1,
            None => self.tokens(set).contains(&token),
        }
    }

    /// Adds the tokens of a set to a row.
    pub fn unite(&self, set: SetId, row: &mut [u32]) {
        match &self.bits[set as usize] {
            Some(bits) => row.iter_mut().zip(bits).for_each(|(word, bits)| *word |= bits),
            None => {
                for &token in self.tokens(set) {
                    row[token as usize / 32] |= 1 << (token % 32);
                }
            }
        }
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Bytes of a set beside its tokens.
const SET_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_one_and_large_ones_are_united_by_words() {
        let mut sets = TokenSets::default();
        let [small, large] = [sets.intern(&[40], 2), sets.intern(&[1, 0, 33], 2)];
        assert_eq!((sets.intern(&[1, 0, 33], 2), sets.len()), (large, 2));
        assert_eq!(
            [0, 1, 40].map(|token| (sets.has(small, token), sets.has(large, token))),
            [(false, true), (false, true), (true, false)]
        );
        let mut row = [0, 4];
        sets.unite(small, &mut row);
        sets.unite(large, &mut row);
        assert_eq!(row, [0b11, 0b1_0000_0110]);
    }
}
