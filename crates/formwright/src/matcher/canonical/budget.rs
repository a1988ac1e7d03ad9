//! What a budget leaves of a mask of canonical tokens.
//!
//! ```text
//! 2 tokens left, inside a string     any letters, then `"}`        no `\`, after which two tokens must come
//! ```
//!
//! What a token leaves to do depends on the entry that allows it, not on the text: so an entry keeps what was found for
//! its tokens, and a mask compares numbers. A canonical text has no more tokens than bytes: where the bytes to the end
//! are few enough after a token, its tokens are not counted. Inside a terminal, tokens that end alike have one number, but
//! for those that a nearer token may follow ([`super::alike`]): these are rows of bits, and so is the mask.
//!
//! Invariant: a token may come within a budget exactly if its number fits, and from a text whose number is known, some
//! token leads to a number that is one less. So a text that keeps to a budget of at least its number ends in time. If a
//! search ran out of fuel, nothing is proven: such a token has no number, may come without a budget, and fits into none.
//!
//! Cost: about a microsecond for each token of a list and each group of a terminal where bytes are enough, some where
//! tokens are counted, once for an entry; then a comparison for each token of a list, and some passes over rows. Wrinkle:
//! where a text asks about names or items that only it has used, the numbers hold for that text alone, and are found for
//! each mask.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::alike::{Alike, AllAlike, before, is_in, set_of};
use super::entry::{CanonicalEntry, inside};
use super::finish::Counter;
use super::graph::{Graph, Standing, ends_by_itself};
use super::inside::{Terminal, left};
use super::search::Search;
use crate::canonical::{DEAD, Ends, Merges, Place, Spelling, StateId};
use crate::language::INFINITE;
use crate::matcher::compiled::Compiled;
use crate::matcher::machine::{Configuration, Position};
use crate::matcher::masks::Row;
use crate::terminals::TokenSet;
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

/// Tokens that are needed after a token: if it begins a piece, and if it continues one.
type Two = [u32; 2];

/// How many tokens are needed after a token, as far as budgets have asked.
#[derive(Clone, Copy, Debug)]
struct Need {
    /// At most so many.
    most: Two,
    /// Whether these are the numbers themselves.
    is_exact: bool,
}

impl Need {
    const UNKNOWN: Self = Self { most: [INFINITE; 2], is_exact: false };

    fn exact(most: Two) -> Self {
        Self { most, is_exact: true }
    }

    /// Whether as many tokens as are left are enough, or it is known that they are not.
    fn is_settled(&self, left: u32) -> bool {
        self.is_exact || self.most.iter().all(|&most| most <= left)
    }

    /// The larger one; a token that leads nowhere has none.
    fn highest(&self) -> u32 {
        self.most.into_iter().filter(|&most| most < INFINITE).max().unwrap_or(0)
    }
}

/// Tokens that are needed after each token of an entry, as far as budgets have asked.
#[derive(Debug, Default)]
pub struct Needs {
    /// For the tokens of its lists.
    begin: Vec<Need>,
    go_on: Vec<Need>,
    /// For the tokens of its rows.
    inside: InsideNeeds,
    /// For those of them that do not just stay inside the terminal.
    others: Vec<(TokenId, Need)>,
}

/// Tokens that are needed after those that just stay inside a terminal.
#[derive(Debug)]
enum InsideNeeds {
    /// At most so many after any of them.
    Most(u32),
    /// By those that begin a piece, and those that continue one; with the most of it.
    Exact([Vec<Needed>; 2], u32),
}

impl Default for InsideNeeds {
    fn default() -> Self {
        Self::Most(INFINITE)
    }
}

/// Tokens of which it is known how many are needed after them; of those that are met twice, the least counts.
#[derive(Debug)]
enum Needed {
    /// Those of a group.
    Group(Arc<AllAlike>, u32, u32),
    /// Those of a set.
    Set(Arc<TokenSet>, u32),
    /// Each by itself.
    Each(Vec<(TokenId, u32)>),
}

impl Needed {
    /// Adds the tokens after which so many are enough to a row.
    fn add_to(&self, row: &mut [u32], left: u32) {
        match self {
            Self::Group(all, group, needed) if *needed <= left => add_set(row, &all.groups[*group as usize].tokens),
            Self::Set(tokens, needed) if *needed <= left => add_set(row, tokens),
            Self::Each(tokens) => {
                let fitting = tokens.iter().filter(|(_, needed)| *needed <= left);
                fitting.for_each(|&(token, _)| set(row, token, true));
            }
            _ => {}
        }
    }
}

impl Needs {
    /// The tokens of its entry that may come after the last one, and after which so many are enough.
    pub fn within(&self, entry: &CanonicalEntry, merges: &Merges, last: Option<TokenId>, left: u32) -> Within {
        let fits = |token: TokenId, [begins, goes_on]: Two| {
            let needed = if begins == goes_on || !merges.may_continue(last, token) { begins } else { goes_on };
            needed <= left
        };
        let begin = entry.begin.iter().zip(&self.begin);
        let begin = begin.filter(|&(&token, need)| fits(token, need.most)).map(|(&token, _)| token);
        let go_on = entry.go_on.iter().zip(&self.go_on);
        let go_on = go_on.filter(|&(&token, need)| need.most[1] <= left && merges.may_continue(last, token));
        let tokens = begin.chain(go_on.map(|(&token, _)| token)).collect();
        Within { tokens, row: entry.is_wide().then(|| self.row(entry, merges, last, left)) }
    }

    fn row(&self, entry: &CanonicalEntry, merges: &Merges, last: Option<TokenId>, left: u32) -> Vec<u32> {
        let mut allowed = entry.words(merges, last);
        let mut compatible = vec![u32::MAX; allowed.len()];
        merges.clear_incompatible(last, &mut compatible);
        for &(token, Need { most: [begins, goes_on], .. }) in &self.others {
            let needed = if is_in(&compatible, token) { goes_on } else { begins };
            let fits = needed <= left && is_in(&allowed, token);
            set(&mut allowed, token, fits);
        }
        let InsideNeeds::Exact(rows, _) = &self.inside else { return allowed };
        let [begin, go_on] = rows.each_ref().map(|needed| {
            let mut row = vec![0_u32; allowed.len()];
            for needed in needed {
                needed.add_to(&mut row, left);
            }
            row
        });
        let mut others = vec![0_u32; allowed.len()];
        self.others.iter().for_each(|&(token, _)| set(&mut others, token, true));
        let fitting = begin.iter().zip(&go_on).zip(&compatible).zip(&others);
        let fitting =
            fitting.map(|(((begin, go_on), compatible), others)| (go_on & compatible) | (begin & !compatible) | others);
        allowed.iter_mut().zip(fitting).for_each(|(allowed, fitting)| *allowed &= fitting);
        allowed
    }

    /// After any of its tokens, as far as is known.
    pub fn highest(&self) -> u32 {
        let listed = self.begin.iter().chain(&self.go_on).chain(self.others.iter().map(|(_, need)| need));
        let (InsideNeeds::Most(most) | InsideNeeds::Exact(_, most)) = self.inside;
        listed.map(Need::highest).fold(most, u32::max)
    }
}

fn add_set(row: &mut [u32], tokens: &TokenSet) {
    match tokens {
        TokenSet::List(tokens) => tokens.iter().for_each(|&token| set(row, token, true)),
        TokenSet::Map(map) => row.iter_mut().zip(map.iter()).for_each(|(word, map)| *word |= map),
    }
}

fn set(row: &mut [u32], token: TokenId, to: bool) {
    if let Some(word) = row.get_mut(token as usize / 32) {
        *word = *word & !(1 << (token % 32)) | u32::from(to) << (token % 32);
    }
}

/// Finds what the tokens of the entry of one configuration leave to do.
pub struct NeedsMaker<'b, 's, 'p, 'm, 'c> {
    pub compiled: &'b Compiled,
    pub search: &'b mut Search<'s, 'p, Graph<'m>>,
    pub counter: &'b mut Counter<'c>,
    /// The state between pieces.
    pub between: StateId,
    pub configuration: Configuration,
}

/// What is needed after the tokens that stay inside a terminal, while it is found.
#[derive(Default)]
struct Found {
    rows: [Vec<Needed>; 2],
    highest: u32,
}

impl NeedsMaker<'_, '_, '_, '_, '_> {
    /// Finds of each token of an entry whether so many tokens are enough after it; `alike` tells all tokens that stay
    /// inside a terminal. Where the bytes to the end are few enough, tokens are not counted.
    pub fn settle(
        &mut self,
        needs: &mut Needs,
        entry: &CanonicalEntry,
        left: u32,
        alike: impl FnOnce(&mut Spelling<'_>, Terminal<'_>) -> Arc<AllAlike>,
    ) {
        let terminal = inside(self.compiled, self.configuration.position).filter(|_| entry.is_wide());
        if needs.begin.len() + needs.go_on.len() + needs.others.len() == 0 {
            needs.begin = vec![Need::UNKNOWN; entry.begin.len()];
            needs.go_on = vec![Need::UNKNOWN; entry.go_on.len()];
            let others = terminal.map(|_| self.others(entry)).unwrap_or_default();
            needs.others = others.into_iter().map(|token| (token, Need::UNKNOWN)).collect();
        }
        let begin = entry.begin.iter().zip(&mut needs.begin).map(|(&token, need)| (token, true, need));
        let go_on = entry.go_on.iter().zip(&mut needs.go_on).map(|(&token, need)| (token, false, need));
        let others = needs.others.iter_mut().map(|(token, need)| (*token, true, need));
        for (token, may_begin, need) in begin.chain(go_on).chain(others).filter(|(.., need)| !need.is_settled(left)) {
            *need = self.need(token, may_begin, left);
        }
        match (terminal, &needs.inside) {
            (None, _) => needs.inside = InsideNeeds::Most(0),
            (Some((terminal, _)), &InsideNeeds::Most(most)) if most > left => {
                let all = alike(self.search.spelling, terminal);
                needs.inside = match self.bytes_inside(&all, terminal, left) {
                    Some(most) => InsideNeeds::Most(most),
                    None => self.exact_inside(&all, terminal),
                };
            }
            _ => {}
        }
    }

    /// What is needed after a token that may begin a piece or not.
    fn need(&mut self, token: TokenId, may_begin: bool, left: u32) -> Need {
        let [begins, goes_on] = self.search.spelling.ends(self.between, token);
        let Some(after) = self.after(token) else { return Need::exact([0; 2]) };
        let ends = if may_begin { [begins, goes_on] } else { [goes_on; 2] };
        let most = self.after_both(ends, |maker, end| {
            let place = maker.search.spelling.place(end, token);
            maker.counter.bytes(maker.search, &after, place, left)
        });
        if most.iter().all(|&most| most <= left) {
            return Need { most, is_exact: false };
        }
        Need::exact(self.after_both(ends, |maker, end| maker.needed(&after, end, token)))
    }

    /// What is needed where a token leads that begins a piece, and one that continues it.
    fn after_both(&mut self, [begins, goes_on]: Ends, mut find: impl FnMut(&mut Self, StateId) -> u32) -> Two {
        let mut needed = |end| if end == DEAD { 0 } else { find(self, end) };
        let goes_on_needed = needed(goes_on);
        [if begins == goes_on { goes_on_needed } else { needed(begins) }, goes_on_needed]
    }

    /// Bytes that are enough after any token that stays inside a terminal; `None` if that is more than are left, or not
    /// known.
    fn bytes_inside(&mut self, all: &AllAlike, terminal: Terminal<'_>, most: u32) -> Option<u32> {
        if !ends_by_itself(self.compiled.graph(), self.configuration.position) {
            return None;
        }
        let mut highest = 0;
        for alike in all.groups.iter().filter(|alike| left(terminal.most, alike.characters).is_some()) {
            let mut after = self.after_one_of(alike)?;
            let mut count = 0;
            if let Some((tokens, rest)) = &alike.begun {
                (after, count) = (self.search.form.read(&after, rest)?, *tokens);
            }
            for &end in alike.ends.iter().filter(|&&end| end != DEAD) {
                let bytes = self.counter.bytes(self.search, &after, Place { state: end, last: None }, most);
                highest = highest.max(bytes.saturating_add(count));
            }
            if highest > most {
                return None;
            }
        }
        Some(highest)
    }

    /// Exactly what is needed after the tokens that stay inside a terminal.
    fn exact_inside(&mut self, all: &Arc<AllAlike>, terminal: Terminal<'_>) -> InsideNeeds {
        let mut found = Found::default();
        for (group, of_group) in (0..).zip(&all.groups) {
            if left(terminal.most, of_group.characters).is_some() {
                self.add_group(all, (group, of_group), &mut found);
            }
        }
        InsideNeeds::Exact(found.rows, found.highest)
    }

    fn needed(&mut self, after: &Standing, end: StateId, token: TokenId) -> u32 {
        let place = self.search.spelling.place(end, token);
        self.counter.needed(self.search, after, place)
    }

    /// Where the tokens of a group lead: one that is not a prefix of an excluded text, if there is one. Those that are count
    /// by themselves.
    fn after_one_of(&mut self, alike: &Alike) -> Option<Standing> {
        let is_excluding =
            |standing: &Standing| standing.at.iter().any(|at| matches!(at.position, Position::Excluding { .. }));
        let first = self.after(alike.first)?;
        if alike.begun.is_some() || !is_excluding(&first) {
            return Some(first);
        }
        let mut others = alike.tokens.iter().filter_map(|token| self.after(token));
        Some(others.find(|other| !is_excluding(other)).unwrap_or(first))
    }

    fn after(&mut self, token: TokenId) -> Option<Standing> {
        let bytes = self.compiled.tables().vocabulary.token(token);
        self.search.form.read(&Standing::at(self.configuration), bytes)
    }

    /// Adds what is needed after the tokens of a group. After a terminal that does not say where it ends, what follows it
    /// has begun after some of them and not after others.
    fn add_group(&mut self, all: &Arc<AllAlike>, (group, alike): (u32, &Alike), found: &mut Found) {
        if ends_by_itself(self.compiled.graph(), self.configuration.position) {
            if let Some(begun) = &alike.begun {
                return self.add_begun(all, (group, alike), begun, found);
            }
            let Some(after) = self.after_one_of(alike) else { return };
            let merges = self.search.spelling.merges();
            let before = |next| all.before(merges, group, next);
            let whole = |needed| Needed::Group(Arc::clone(all), group, needed);
            return self.add_ends(alike.ends, &after, &alike.tokens, (&before, &whole), found);
        }
        if alike.begun.is_some() {
            let meant = (0..2).filter(|&index| alike.ends[index] != DEAD);
            return meant.for_each(|index| self.add_each(alike.tokens.iter(), index, found));
        }
        let mut by_standing: FxHashMap<_, Vec<TokenId>> = FxHashMap::default();
        for token in alike.tokens.iter() {
            if let Some(after) = self.after(token) {
                by_standing.entry(after).or_default().push(token);
            }
        }
        let (words, merges) = (self.compiled.tables().vocabulary.mask_words(), self.search.spelling.merges());
        for (after, tokens) in by_standing {
            let tokens = Arc::new(set_of(tokens, words));
            let before = |next| Arc::new(before(merges, &tokens, next, words));
            let whole = |needed| Needed::Set(Arc::clone(&tokens), needed);
            self.add_ends(alike.ends, &after, &tokens, (&before, &whole), found);
        }
    }

    /// Adds what is needed after tokens that end inside a character: what completes it, and what any token leaves to do
    /// where that leads.
    fn add_begun(
        &mut self,
        all: &Arc<AllAlike>,
        (group, alike): (u32, &Alike),
        (count, rest): &(u32, Vec<u8>),
        found: &mut Found,
    ) {
        let Some(after) = self.after(alike.first) else { return };
        let completed = self.search.form.read(&after, rest);
        for (index, &end) in alike.ends.iter().enumerate().filter(|&(_, &end)| end != DEAD) {
            let completed = completed.as_ref().filter(|_| !self.counter.is_small());
            let completed = completed.map(|at| self.counter.after_any(self.search, at, end));
            match completed.filter(|&needed| needed < INFINITE) {
                Some(needed) => {
                    found.rows[index].push(Needed::Group(Arc::clone(all), group, needed + count));
                    found.highest = found.highest.max(needed + count);
                }
                None => self.add_each(alike.tokens.iter(), index, found),
            }
        }
    }

    /// Adds what is needed after some tokens, each by itself, that begin a piece or continue one.
    fn add_each(&mut self, tokens: impl Iterator<Item = TokenId>, index: usize, found: &mut Found) {
        let mut each = Vec::new();
        for token in tokens {
            let end = self.search.spelling.ends(self.between, token)[index];
            if let Some(after) = self.after(token).filter(|_| end != DEAD) {
                each.push((token, self.needed(&after, end, token)));
            }
        }
        each.retain(|&(_, needed)| needed < INFINITE);
        found.highest = each.iter().fold(found.highest, |highest, &(_, needed)| highest.max(needed));
        found.rows[index].push(Needed::Each(each));
    }

    /// Adds what is needed after tokens that lead to the same places.
    fn add_ends(&mut self, ends: Ends, after: &Standing, tokens: &TokenSet, sets: Sets<'_>, found: &mut Found) {
        for (index, &end) in ends.iter().enumerate().filter(|&(_, &end)| end != DEAD) {
            let (needed, highest) = self.after_alike(after, end, tokens, sets);
            found.highest = found.highest.max(highest);
            found.rows[index].extend(needed);
        }
    }

    /// What is needed after tokens that lead to the same place, but for what may continue their piece; and the most of it.
    fn after_alike(
        &mut self,
        after: &Standing,
        end: StateId,
        tokens: &TokenSet,
        (before, whole): Sets<'_>,
    ) -> (SmallVec<[Needed; 2]>, u32) {
        let Some(first) = tokens.iter().next() else { return (SmallVec::new(), 0) };
        let place = self.search.spelling.place(end, first);
        if place.last.is_none() {
            let needed = self.counter.needed(self.search, after, place);
            return (SmallVec::from_iter([whole(needed)]), needed);
        }
        if self.counter.exact(self.search, after, place).is_some() {
            return self.each(after, end, tokens.iter());
        }
        let (most, mut fewer) = self.counter.after_alike(self.search, after, end);
        fewer.retain(|&(needed, _)| needed < most);
        let mut found: SmallVec<[Needed; 2]> = SmallVec::new();
        let sets: Vec<(Arc<TokenSet>, u32)> = fewer.into_iter().map(|(needed, next)| (before(next), needed)).collect();
        let highest = if most < INFINITE {
            found.push(whole(most));
            most
        } else {
            let known = sets.iter().map(|(_, needed)| *needed).max().unwrap_or(0);
            let met: Vec<&TokenSet> = sets.iter().map(|(tokens, _)| &**tokens).collect();
            let (each, highest) = self.each(after, end, difference(tokens, &met).into_iter());
            found.extend(each);
            highest.max(known)
        };
        found.extend(sets.into_iter().map(|(tokens, needed)| Needed::Set(tokens, needed)));
        (found, highest)
    }

    /// What is needed after each of some tokens by itself, and the most of it; nothing after those that lead nowhere.
    fn each(
        &mut self,
        after: &Standing,
        end: StateId,
        tokens: impl Iterator<Item = TokenId>,
    ) -> (SmallVec<[Needed; 2]>, u32) {
        let each = tokens.map(|token| (token, self.needed(after, end, token)));
        let each: Vec<(TokenId, u32)> = each.filter(|&(_, needed)| needed < INFINITE).collect();
        let highest = each.iter().map(|&(_, needed)| needed).max().unwrap_or(0);
        let found = if each.is_empty() { SmallVec::new() } else { SmallVec::from_iter([Needed::Each(each)]) };
        (found, highest)
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

/// Of some tokens, those that a token may continue the piece of; and all of them, after which so many are needed.
type Sets<'f> = (&'f dyn Fn(TokenId) -> Arc<TokenSet>, &'f dyn Fn(u32) -> Needed);

/// The tokens of a set that are in none of some others.
fn difference(tokens: &TokenSet, others: &[&TokenSet]) -> Vec<TokenId> {
    let most = tokens.iter().max().map_or(0, |most| most as usize / 32 + 1);
    let mut met = vec![0; most];
    for others in others {
        add_set(&mut met, others);
    }
    tokens.iter().filter(|&token| !is_in(&met, token)).collect()
}
