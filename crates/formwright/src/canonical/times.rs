//! When each token is made, where a list of merges is not in that order.
//!
//! ```text
//! place 0: ab+c -> abc    place 1: a+b -> ab        abc is made as soon as ab is, however early its place: at time (1, 0)
//! ```
//!
//! An encoder takes the merge of the least place among those that are possible. A merge whose parts are made later than
//! its own place waits for them, and is then taken at once. So the time of a token is a list of places: that of its
//! merge, behind the time of the later one of its parts if it waited for it; times are compared place by place.
//!
//! Cost: a list for each token that waits; other tokens keep their places. Wrinkle: of two equal tokens in a text, the
//! left one is made first, together with all that waits for it. Times do not tell that, so pairs on both sides of which
//! stands what tokens wait for are *doubtful*: they are to be merged and looked at.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::splits::{Splits, TokenId};

/// Places of merges, each waiting for the one before it.
type Time = SmallVec<[u32; 2]>;

/// When each token is made.
#[derive(Debug)]
pub struct Times<'s> {
    splits: &'s Splits,
    /// Of the tokens that wait for a part.
    waiting: FxHashMap<TokenId, Time>,
    /// By token, if one waits: less is sooner.
    numbers: Box<[u32]>,
}

impl<'s> Times<'s> {
    /// Of the merges of a vocabulary.
    pub fn new(splits: &'s Splits) -> Self {
        let mut times = Self { splits, waiting: FxHashMap::default(), numbers: Box::default() };
        let mut merged: Vec<TokenId> =
            (0..splits.len() as TokenId).filter(|&token| splits.split(token).is_some()).collect();
        if !merged.iter().any(|&token| times.waits(token)) {
            return times;
        }
        merged.sort_by_key(|&token| splits.spelled(token).len()); // parts before what is made of them
        for &token in &merged {
            if times.waits(token) {
                let later = splits.split(token).map(|(left, right)| times.of(left).max(times.of(right)));
                let time = later.into_iter().flatten().chain([splits.priority(token)]).collect();
                times.waiting.insert(token, time);
            }
        }
        times.number(merged);
        times
    }

    /// Whether a token waits for a part, as far as it is known when its parts are made.
    fn waits(&self, token: TokenId) -> bool {
        let place = self.splits.priority(token);
        let is_later = |part: TokenId| self.first(part).is_some_and(|first| place < first);
        self.splits.split(token).is_some_and(|(left, right)| is_later(left) || is_later(right))
    }

    fn number(&mut self, mut merged: Vec<TokenId>) {
        merged.sort_by_cached_key(|&token| self.of(token));
        let mut numbers = vec![u32::MAX; self.splits.len()];
        for (at, &token) in merged.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| merged[before]);
            let equal = before.filter(|&before| self.of(before) == self.of(token));
            numbers[token as usize] = equal.map_or(at as u32, |before| numbers[before as usize]);
        }
        self.numbers = numbers.into();
    }

    /// Whether a token is made before another one: the less, the sooner.
    pub fn number_of(&self, token: TokenId) -> u32 {
        self.numbers.get(token as usize).copied().unwrap_or_else(|| self.splits.priority(token))
    }

    /// The place that begins the time of a token.
    fn first(&self, token: TokenId) -> Option<u32> {
        let waited = self.waiting.get(&token).map(|time| time[0]);
        waited.or_else(|| self.splits.split(token).map(|_| self.splits.priority(token)))
    }

    fn of(&self, token: TokenId) -> Time {
        let waited = self.waiting.get(&token).cloned();
        waited.unwrap_or_else(|| self.first(token).into_iter().collect())
    }

    /// Pairs of which times do not tell whether a merge takes a part of each: it would be made of what is waited for, and
    /// so would be what takes one of the parts otherwise. `None` if there are more than so many.
    pub fn doubtful(&self, most: usize) -> Option<Vec<(TokenId, TokenId)>> {
        if self.waiting.is_empty() {
            return Some(Vec::new());
        }
        let awaited: FxHashSet<u32> = self.waiting.values().map(|time| time[0]).collect();
        let place = |token: TokenId| self.first(token).filter(|first| awaited.contains(first));
        let every = 0..self.splits.len() as TokenId;
        let across: Vec<_> =
            every.filter_map(|token| Some((token, place(token)?, self.splits.split(token)?))).collect();
        let lefts = across.iter().map(|&(_, _, (left, _))| left).collect();
        let rights = across.iter().map(|&(_, _, (_, right))| right).collect();
        let ends = Taken::new(self.splits, &lefts, |token| self.splits.right_spine(token), place);
        let begins = Taken::new(self.splits, &rights, |token| self.splits.left_spine(token), place);
        let mut doubtful = Vec::new();
        for (token, place, (left, right)) in across {
            doubtful.extend(product(ends.taken_then(left, place), begins.all(right)).take(most + 1));
            if self.waiting.contains_key(&token) {
                doubtful.extend(product(ends.all(left), begins.taken_then(right, place)).take(most + 1));
            }
            if doubtful.len() > most {
                return None;
            }
        }
        doubtful.sort_unstable();
        doubtful.dedup();
        Some(doubtful)
    }
}

/// Tokens by the parts that they end with, or begin with.
struct Taken {
    all: FxHashMap<TokenId, Vec<TokenId>>,
    /// By part and place: those in which that part is taken by what is made of what is waited for.
    then: FxHashMap<(TokenId, u32), Vec<TokenId>>,
}

impl Taken {
    fn new<S: Iterator<Item = TokenId>>(
        splits: &Splits,
        parts: &FxHashSet<TokenId>,
        spine: impl Fn(TokenId) -> S,
        place: impl Fn(TokenId) -> Option<u32>,
    ) -> Self {
        let mut taken = Self { all: FxHashMap::default(), then: FxHashMap::default() };
        for token in 0..splits.len() as TokenId {
            let mut taker = None;
            for part in spine(token) {
                if parts.contains(&part) {
                    taken.all.entry(part).or_default().push(token);
                    if let Some(place) = taker.and_then(&place) {
                        taken.then.entry((part, place)).or_default().push(token);
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

    fn taken_then(&self, part: TokenId, place: u32) -> &[TokenId] {
        self.then.get(&(part, place)).map_or(&[], |tokens| tokens)
    }
}

/// Each of some tokens before each of others.
fn product<'p>(lefts: &'p [TokenId], rights: &'p [TokenId]) -> impl Iterator<Item = (TokenId, TokenId)> + use<'p> {
    lefts.iter().flat_map(move |&left| rights.iter().map(move |&right| (left, right)))
}
