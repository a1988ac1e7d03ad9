//! What a budget leaves of a mask of canonical tokens.
//!
//! ```text
//! 2 tokens left, inside a string     any letters, then `"}`        no `\`, after which two tokens must come
//! ```
//!
//! Once it is known how much the dearest token of an entry leaves to do, larger budgets cost nothing. With smaller ones,
//! tokens are looked at one by one, or where many end alike, together.
//!
//! Cost: some microseconds for a list, some milliseconds inside a string, for the last few tokens of a text only. Wrinkle:
//! what is known of many tokens is a bound from above and one from below; between them each is counted.

use super::entry::{CanonicalEntry, inside};
use super::finish::Counter;
use super::inside::{Alike, all_alike};
use super::graph::{Graph, Standing, ends_by_itself};
use super::search::Search;
use crate::canonical::{DEAD, Place, StateId};
use crate::matcher::Constraint;
use crate::matcher::machine::{Configuration, Position};
use crate::matcher::masks::Row;
use crate::vocabulary::TokenId;

/// Tokens that fit.
#[derive(Clone, Debug, Default)]
pub struct Within {
    pub tokens: Vec<TokenId>,
    /// More of them, a bit each.
    pub row: Option<Vec<u32>>,
}

impl Within {
    /// Adds the tokens of another one.
    pub fn unite(&mut self, other: Self) {
        self.tokens.extend(other.tokens);
        match (&mut self.row, other.row) {
            (Some(row), Some(other)) => row.iter_mut().zip(other).for_each(|(word, other)| *word |= other),
            (row, other) => *row = row.take().or(other),
        }
    }

    /// Adds its tokens to a row.
    pub fn add_to<R: Row + ?Sized>(&self, row: &R) {
        self.row.iter().for_each(|words| row.unite(words));
        for &token in &self.tokens {
            let at = token as usize / 32;
            row.set(at, row.get(at) | 1 << (token % 32));
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.row.as_ref().is_none_or(|row| row.iter().all(|&word| word == 0))
    }
}

/// Asks what the tokens of one configuration leave to do.
pub struct Budgeting<'b, 's, 'p, 'm> {
    pub constraint: &'b Constraint,
    pub search: &'b mut Search<'s, 'p, Graph<'m>>,
    pub counter: Counter<'b>,
    pub place: Place,
    pub configuration: Configuration,
}

impl Budgeting<'_, '_, '_, '_> {
    /// Tokens that are needed at most after any token of an entry.
    pub fn highest(&mut self, entry: &CanonicalEntry) -> u32 {
        let mut highest = 0;
        for (tokens, index) in [(&entry.begin, 0), (&entry.go_on, 1)] {
            for &token in tokens {
                let ends = self.search.spelling.ends(self.place.state, token);
                highest = highest.max(self.needed(ends[index], token));
            }
        }
        if entry.is_wide() {
            for alike in self.alike() {
                let index = usize::from(alike.ends[0] == DEAD);
                let (high, _) = self.bounds(&alike, alike.ends[index]);
                highest = highest.max(high);
            }
            for token in self.others(entry) {
                let ends = self.search.spelling.ends(self.place.state, token);
                highest = highest.max(
                    ends.into_iter().filter(|&end| end != DEAD).map(|end| self.needed(end, token)).max().unwrap_or(0),
                );
            }
        }
        highest
    }

    /// The tokens of an entry after which so many are enough.
    pub fn within(&mut self, entry: &CanonicalEntry, left: u32) -> Within {
        let (merges, last) = (self.search.spelling.merges(), self.place.last);
        let listed: Vec<TokenId> = entry.listed(merges, last).collect();
        let tokens = listed.into_iter().filter(|&token| self.fits(token, left)).collect();
        let row = entry.is_wide().then(|| self.row(entry, left));
        Within { tokens, row }
    }

    fn row(&mut self, entry: &CanonicalEntry, left: u32) -> Vec<u32> {
        let (merges, last) = (self.search.spelling.merges(), self.place.last);
        let allowed = entry.words(merges, last);
        let mut compatible = vec![u32::MAX; allowed.len()];
        merges.clear_incompatible(last, &mut compatible);
        let is_in = |row: &[u32], token: TokenId| {
            row.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
        };
        let mut row = vec![0_u32; allowed.len()];
        let mut add = |token: TokenId| row[token as usize / 32] |= 1 << (token % 32);
        for alike in self.alike() {
            for goes_on in [false, true] {
                let end = alike.ends[usize::from(goes_on)];
                let is_meant = |token: &TokenId| is_in(&compatible, *token) == goes_on && is_in(&allowed, *token);
                let tokens: Vec<TokenId> = alike.tokens.iter().copied().filter(is_meant).collect();
                if end == DEAD || tokens.is_empty() {
                    continue;
                }
                let (high, low) = self.bounds(&alike, end);
                if high <= left {
                    tokens.into_iter().for_each(&mut add);
                } else if low <= left {
                    tokens.into_iter().filter(|&token| self.fits(token, left)).for_each(&mut add);
                }
            }
        }
        for token in self.others(entry) {
            if is_in(&allowed, token) {
                row[token as usize / 32] &= !(1 << (token % 32));
                if self.fits(token, left) {
                    row[token as usize / 32] |= 1 << (token % 32);
                }
            }
        }
        row
    }

    /// Whether so many tokens are enough after a token that may come.
    fn fits(&mut self, token: TokenId, left: u32) -> bool {
        let Some(place) = self.search.spelling.after(self.place, token) else { return false };
        let Some(after) = self.after(token) else { return false };
        self.counter.fits(self.search, &after, place, left)
    }

    /// Tokens that are needed after a token that leads to a state between pieces.
    fn needed(&mut self, end: StateId, token: TokenId) -> u32 {
        let place = self.search.spelling.place(end, token);
        self.after(token).map_or(0, |after| self.counter.needed(self.search, &after, place))
    }

    fn after(&mut self, token: TokenId) -> Option<Standing> {
        let bytes = self.constraint.tables().vocabulary.token(token);
        self.search.form.read(&Standing::at(self.configuration), bytes)
    }

    /// Tokens that are needed at most, and at least, after tokens that end alike.
    fn bounds(&mut self, alike: &Alike, end: StateId) -> (u32, u32) {
        let (first, position) = (alike.tokens[0], self.configuration.position);
        let Some(after) = self.after(first) else { return (0, 0) };
        if alike.is_single || self.counter.exact(self.search, &after, self.search.spelling.place(end, first)).is_some()
        {
            let needed = alike.tokens.iter().map(|&token| self.needed(end, token)).max().unwrap_or(0);
            return (needed, 0);
        }
        let graph = self.constraint.graph();
        let after = after.staying_in(graph, position);
        let bytes = self.search.bytes(&after, self.search.spelling.place(end, first));
        if bytes <= 1 {
            return (bytes, 0);
        }
        let high = self.counter.tokens_on_ways(self.search, &after, Place::boundary(end));
        if !ends_by_itself(graph, position) {
            return (bytes.min(high), 0); // after some of them, what follows has begun, and may be nearer to its end
        }
        let low = self.counter.tokens_on_ways(self.search, &after, Place { state: end, last: None });
        (bytes.min(high), low)
    }

    /// The tokens that stay inside the terminal.
    fn alike(&mut self) -> Vec<Alike> {
        let Some((state, _)) = inside(self.constraint, self.configuration.position) else { return Vec::new() };
        all_alike(self.constraint.tables(), self.search.spelling, state, self.place.state)
    }

    /// The tokens of a row that do not just stay inside the terminal.
    fn others(&mut self, entry: &CanonicalEntry) -> Vec<TokenId> {
        let mut others: Vec<TokenId> = entry.closing().collect();
        if let Position::Excluding { at, .. } = self.configuration.position {
            others.extend(self.search.excluded(at));
        }
        others
    }
}
