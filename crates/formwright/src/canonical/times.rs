//! When tokens are made, where a list of merges is not in that order.
//!
//! ```text
//! place 0: ab+c -> abc    place 1: a+b -> ab        abc is made as soon as ab is, however early its place: at time 1
//! ```
//!
//! An encoder takes the merge of the least place among those that are possible. A merge whose parts are made later than
//! its own place waits for them, and is then taken at once. So the time of a token is the latest place among its own
//! merge and those that make its parts.
//!
//! Cost: a number for each token. Of two merges at the same time, times do not tell the first. Pairs of tokens
//! in which a merge across the boundary competes with another one of its time are *doubtful*: they are to be merged, and
//! looked at.

use rustc_hash::{FxHashMap, FxHashSet};

use super::splits::{Splits, TokenId};

/// When tokens are made.
#[derive(Debug)]
pub struct Times<'s> {
    splits: &'s Splits,
    /// By token; less is sooner.
    pub by_token: Box<[u32]>,
    /// The times at which some token is made that waited.
    awaited: FxHashSet<u32>,
}

impl<'s> Times<'s> {
    /// Of the merges of a vocabulary.
    pub fn new(splits: &'s Splits) -> Self {
        let every = || 0..splits.len() as TokenId;
        let by_token = every().map(|token| splits.priority(token)).collect();
        let mut found = Self { splits, by_token, awaited: FxHashSet::default() };
        if every().all(|token| found.of_parts(token) <= splits.priority(token)) {
            return found;
        }
        let mut merged: Vec<TokenId> = every().filter(|&token| splits.split(token).is_some()).collect();
        merged.sort_by_key(|&token| splits.spelled(token).len()); // parts before what is made of them
        for token in merged {
            let parts = found.of_parts(token);
            if splits.priority(token) < parts {
                found.by_token[token as usize] = parts;
                found.awaited.insert(parts);
            }
        }
        found
    }

    /// When the later part of a token is made; 0 for symbols, and for what no merges make.
    fn of_parts(&self, token: TokenId) -> u32 {
        let of = |part: TokenId| if self.splits.is_symbol(part) { 0 } else { self.by_token[part as usize] };
        self.splits.split(token).map_or(0, |(left, right)| of(left).max(of(right)))
    }

    /// Pairs of which times do not tell whether a merge takes a part of each. `None` if there are more than `most`.
    pub fn doubtful(&self, most: usize) -> Option<Vec<(TokenId, TokenId)>> {
        if self.awaited.is_empty() {
            return Some(Vec::new());
        }
        let time = |token: TokenId| Some(self.by_token[token as usize]).filter(|time| self.awaited.contains(time));
        let every = 0..self.splits.len() as TokenId;
        let across: Vec<_> = every.filter_map(|token| Some((time(token)?, self.splits.split(token)?))).collect();
        let lefts = across.iter().map(|&(_, (left, _))| left).collect();
        let rights = across.iter().map(|&(_, (_, right))| right).collect();
        let ends = Taken::new(self.splits, &lefts, |token| self.splits.right_spine(token), time);
        let begins = Taken::new(self.splits, &rights, |token| self.splits.left_spine(token), time);
        let mut doubtful = FxHashSet::default();
        for (time, (left, right)) in across {
            let left_taken = (ends.taken_then(left, time), begins.all(right));
            let right_taken = (ends.all(left), begins.taken_then(right, time));
            for (lefts, rights) in [left_taken, right_taken] {
                if lefts.len().saturating_mul(rights.len()) > most {
                    return None;
                }
                doubtful.extend(lefts.iter().flat_map(|&left| rights.iter().map(move |&right| (left, right))));
            }
            if doubtful.len() > most {
                return None;
            }
        }
        let mut doubtful: Vec<_> = doubtful.into_iter().collect();
        doubtful.sort_unstable();
        Some(doubtful)
    }
}

/// Tokens by the parts that they end with, or begin with.
struct Taken {
    all: FxHashMap<TokenId, Vec<TokenId>>,
    /// By part and time: those in which a merge takes that part at that time.
    then: FxHashMap<(TokenId, u32), Vec<TokenId>>,
}

impl Taken {
    fn new<S: Iterator<Item = TokenId>>(
        splits: &Splits,
        parts: &FxHashSet<TokenId>,
        spine: impl Fn(TokenId) -> S,
        time: impl Fn(TokenId) -> Option<u32>,
    ) -> Self {
        let mut taken = Self { all: FxHashMap::default(), then: FxHashMap::default() };
        for token in 0..splits.len() as TokenId {
            let mut taker = None;
            for part in spine(token) {
                if parts.contains(&part) {
                    taken.all.entry(part).or_default().push(token);
                    if let Some(time) = taker.and_then(&time) {
                        taken.then.entry((part, time)).or_default().push(token);
                    }
                }
                taker = Some(part);
            }
        }
        taken
    }

    fn all(&self, part: TokenId) -> &[TokenId] {
        self.all.get(&part).map_or(&[], |tokens| tokens)
    }

    fn taken_then(&self, part: TokenId, time: u32) -> &[TokenId] {
        self.then.get(&(part, time)).map_or(&[], |tokens| tokens)
    }
}
