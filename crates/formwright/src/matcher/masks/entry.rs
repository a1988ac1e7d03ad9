//! An entry: what one configuration allows.
//!
//! ```text
//! inside a string     the tokens that stay inside, a shared bit map    + `",` and others that leave it, a list
//! before a name       a list                                           + tokens like `a":`, while `a` is not used
//! ```
//!
//! Cost: an entry holds a reference to each shared bit map, and a few listed tokens. Where the text so far is
//! a prefix of an excluded text, some tokens of a shared bit map may not come; they are listed beside it as [`Bans`].

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::NameCompleting;
use crate::terminals::{Bitmap, MostBegun, TerminalMask, TokenSet, TokensBegun};
use crate::vocabulary::TokenId;

/// Lists of at most this many bans are searched one by one.
const FEW: usize = 8;

/// The tokens a configuration allows.
#[derive(Debug, Default)]
pub struct Entry {
    /// Terminal masks whose context-independent tokens are allowed, except for the bans.
    pub maps: SmallVec<[(Arc<TerminalMask>, Bans); 1]>,
    /// Further sets of tokens that are allowed, except for the bans: many tokens, or those of a budget.
    pub sets: SmallVec<[(Arc<TokenSet>, Bans); 1]>,
    /// Further allowed tokens.
    pub tokens: SmallVec<[TokenId; 8]>,
    /// Whether `maps` and `tokens` allow any token; what is listed apart does not count.
    pub allows: bool,
    /// Tokens that depend on names or items used before: to be tried at every visit.
    pub unresolved: Vec<TokenId>,
    /// Tokens that complete an undeclared name: allowed while that name is not used.
    pub name_completing: Option<Box<NameCompleting>>,
    begun: OnceLock<MostBegun>,
}

impl Entry {
    /// Bytes of memory held, shared maps not counted.
    pub fn bytes(&self) -> usize {
        let by_name = self.name_completing.as_ref().map_or(0, |tokens| tokens.bytes());
        let sets: usize = self.sets.iter().map(|(set, _)| set.bytes()).sum();
        (self.tokens.len() + self.unresolved.len()) * 4 + self.maps.len() * 24 + sets + by_name + 160
    }

    /// Whether this is all that the configuration allows, whatever names and items were used before.
    pub fn is_resolved(&self) -> bool {
        self.unresolved.is_empty() && self.name_completing.is_none()
    }

    /// What its tokens begin at most. Those of terminal masks stay inside a terminal and begin nothing.
    pub fn begun(&self, begun: &TokensBegun) -> &MostBegun {
        self.begun.get_or_init(|| {
            let completing = self.name_completing.iter().flat_map(|tokens| tokens.tokens());
            let tokens = self.tokens.iter().chain(&self.unresolved).chain(completing);
            let sets = self.sets.iter().flat_map(|(set, _)| set.iter());
            begun.of_any(tokens.copied().chain(sets))
        })
    }

    /// Makes one bit map of all sets that have no bans.
    pub fn unite_maps(&mut self, words: usize) {
        let mut united = Bitmap::new(words);
        let mut add = |set: &TokenSet, bans: &Bans| {
            if !bans.is_empty() {
                return true;
            }
            match set {
                TokenSet::List(tokens) => united.extend(tokens.iter().copied()),
                TokenSet::Map(map) => united.iter_mut().zip(&**map).for_each(|(word, other)| *word |= other),
            }
            false
        };
        self.maps.retain(|(map, bans)| add(&map.independent, bans));
        self.sets.retain(|(set, bans)| add(set, bans));
        self.sets.push((Arc::new(TokenSet::Map(united)), Bans::default()));
    }

    /// Computes [`Entry::allows`].
    pub fn allows_something(&self) -> bool {
        let some = |(map, bans): &(Arc<TerminalMask>, Bans)| map.independent.has_others(bans);
        let others = |(set, bans): &(Arc<TokenSet>, Bans)| set.has_others(bans);
        !self.tokens.is_empty() || self.maps.iter().any(some) || self.sets.iter().any(others)
    }
}

/// Tokens taken out of a terminal mask, ascending; mostly none.
#[derive(Clone, Debug, Default)]
pub struct Bans(Option<Arc<[TokenId]>>);

impl From<Vec<TokenId>> for Bans {
    fn from(tokens: Vec<TokenId>) -> Self {
        Self((!tokens.is_empty()).then(|| tokens.into()))
    }
}

impl std::ops::Deref for Bans {
    type Target = [TokenId];

    fn deref(&self) -> &[TokenId] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Bans {
    /// The bans of these tokens, in any order.
    pub fn sorted(mut tokens: Vec<TokenId>) -> Self {
        tokens.sort_unstable();
        tokens.into()
    }

    /// The union of both lists.
    pub fn and(self, others: &Self) -> Self {
        if others.is_empty() {
            return self;
        }
        if self.is_empty() {
            return others.clone();
        }
        let mut all = [&*self, others].concat();
        #[allow(clippy::stable_sort_primitive)] // two sorted runs: it merges them
        all.sort();
        all.dedup();
        all.into()
    }

    /// Whether a token is among them.
    #[inline]
    pub fn has(&self, token: TokenId) -> bool {
        if self.len() <= FEW { self.contains(&token) } else { self.binary_search(&token).is_ok() }
    }
}
