//! What a configuration allows in a state between pieces: the tokens that conform, canonical, and lead somewhere.
//!
//! ```text
//! mask  =  begins  |  continues & compatible with the last token
//! ```
//!
//! Both sets depend on the configuration and the state between pieces alone, not on the last token: what follows a token
//! does not depend on the one before it. So they are found once, and kept. Inside a terminal they are rows of bits: what
//! the terminal allows, what the state between pieces allows, and a short list of exceptions (see [`super::inside`]).
//!
//! Cost: about 0.3 us for each token that is not in a row; later, a test of each token that only continues a piece, or a
//! pass over the rows. Inside an undeclared name, or an item that must be new, it may matter which names or items
//! were used before; then the entry is made for each mask, and what does not depend on them is kept by token.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::alike::is_in;
use super::budget::Needs;
use super::graph::{Graph, Standing};
use super::inside::{Terminal, Undecided, clear};
use super::search::Search;
use crate::canonical::{DEAD, Ends, Merges, Spelling, StateId};
use crate::language::UNBOUNDED;
use crate::matcher::compiled::Compiled;
use crate::matcher::machine::{Configuration, Position, TextsId};
use crate::matcher::masks::{Entry, PlainMask, Row};
use crate::terminals::{TerminalMask, TokenSet};
use crate::vocabulary::TokenId;

/// Of tokens that lead to the same state, so many are looked at to find one that is not a prefix of an excluded text.
const SAMPLES: usize = 8;

/// The tokens that a configuration allows in a state between pieces.
#[derive(Debug, Default)]
pub struct CanonicalEntry {
    wide: SmallVec<[Wide; 1]>,
    /// Tokens that may begin a piece.
    pub begin: Vec<TokenId>,
    /// Further tokens that may continue one.
    pub go_on: Vec<TokenId>,
    /// Tokens that are needed after each of its tokens, as far as budgets have asked.
    pub needs: Mutex<Needs>,
}

/// A row of tokens that stay inside a terminal, with exceptions.
#[derive(Debug)]
struct Wide {
    terminal: Arc<TerminalMask>,
    inside: Arc<Undecided>,
    banned: Vec<TokenId>,
    /// Tokens that lead nowhere if they begin a piece, and those that lead nowhere at all.
    dead: [Vec<TokenId>; 2],
    /// Whether some token of it may begin a piece.
    may_begin: bool,
}

impl CanonicalEntry {
    /// Bytes of memory held, shared rows not counted, with what budgets ask for.
    pub fn bytes(&self) -> usize {
        let wide = |wide: &Wide| wide.banned.len() + wide.dead.iter().map(Vec::len).sum::<usize>();
        (self.begin.len() + self.go_on.len()) * 16 + self.wide.iter().map(wide).sum::<usize>() * 4 + 300
    }

    /// The tokens of its lists that may come after the last one.
    pub fn listed(&self, merges: &Merges, last: Option<TokenId>) -> impl Iterator<Item = TokenId> {
        let go_on = self.go_on.iter().filter(move |&&token| merges.may_continue(last, token));
        self.begin.iter().chain(go_on).copied()
    }

    /// Whether it allows a token after the last one.
    pub fn has(&self, merges: &Merges, last: Option<TokenId>, token: TokenId) -> bool {
        self.listed(merges, last).any(|listed| listed == token)
            || self.wide.iter().any(|wide| wide.has(merges, last, token))
    }

    /// Whether it allows rows of tokens beside its lists.
    pub fn is_wide(&self) -> bool {
        !self.wide.is_empty()
    }

    /// The tokens of its rows that may come after the last one, a bit each.
    pub fn words(&self, merges: &Merges, last: Option<TokenId>) -> Vec<u32> {
        let rows = self.wide.iter().map(|wide| wide.words(merges, last));
        let united = rows.reduce(|mut all, row| {
            all.iter_mut().zip(row).for_each(|(word, other)| *word |= other);
            all
        });
        united.unwrap_or_default()
    }

    /// The tokens that end the terminals of its rows, and may come after some token.
    pub fn closing(&self) -> impl Iterator<Item = TokenId> {
        let closing = |wide: &Wide, token| {
            let dead = [&wide.dead[1], &wide.banned];
            is_in(&wide.inside.rows[1], token) && !dead.into_iter().any(|dead| dead.contains(&token))
        };
        self.wide.iter().flat_map(move |wide| wide.terminal.closing().filter(move |&token| closing(wide, token)))
    }

    /// Whether it allows any token after the last one.
    pub fn allows(&self, merges: &Merges, last: Option<TokenId>) -> bool {
        let any = |wide: &Wide| wide.words(merges, last).iter().any(|&word| word != 0);
        self.plainly_allows(merges, last) || self.wide.iter().any(any)
    }

    /// Whether that is seen without looking at rows.
    pub fn plainly_allows(&self, merges: &Merges, last: Option<TokenId>) -> bool {
        self.wide.iter().any(|wide| wide.may_begin) || self.listed(merges, last).next().is_some()
    }
}

/// Overwrites a row with the tokens that several entries allow after the last one.
pub fn write<'e, R: Row + ?Sized>(
    entries: impl Iterator<Item = &'e CanonicalEntry> + Clone,
    merges: &Merges,
    last: Option<TokenId>,
    row: &R,
) {
    let mut wide = entries.clone().flat_map(|entry| &entry.wide);
    match wide.next() {
        Some(first) => row.copy(&first.words(merges, last)),
        None => row.fill(0),
    }
    wide.for_each(|further| row.unite(&further.words(merges, last)));
    for token in entries.flat_map(|entry| entry.listed(merges, last)) {
        let at = token as usize / 32;
        row.set(at, row.get(at) | 1 << (token % 32));
    }
}

impl Wide {
    /// Whether it allows a token after the last one.
    fn has(&self, merges: &Merges, last: Option<TokenId>, token: TokenId) -> bool {
        let [begin, either] = &self.inside.rows;
        if self.dead[1].contains(&token) || self.banned.contains(&token) {
            return false;
        }
        let may_continue = merges.may_continue(last, token);
        may_continue && is_in(either, token) || is_in(begin, token) && !self.dead[0].contains(&token)
    }

    /// The tokens that may come after the last one, a bit each: what may continue a piece, less what is not compatible with
    /// the last token, and what may begin one.
    fn words(&self, merges: &Merges, last: Option<TokenId>) -> Vec<u32> {
        let [begin, either] = &self.inside.rows;
        let mut words = either.to_vec();
        merges.clear_incompatible(last, &mut words);
        words.iter_mut().zip(begin).for_each(|(word, begin)| *word |= begin);
        for &token in &self.dead[0] {
            if !merges.may_continue(last, token) {
                clear(&mut words, &[token]);
            }
        }
        clear(&mut words, &self.dead[1]);
        clear(&mut words, &self.banned);
        words
    }
}

/// Makes entries.
pub struct Maker<'s, 'p, 'm> {
    pub compiled: &'s Compiled,
    pub search: Search<'s, 'p, Graph<'m>>,
    pub between: StateId,
    /// What is known of tokens, whatever names and items a text used.
    pub decided: Decided,
}

/// Whether a text is live after a token that begins a piece, and after one that may also continue one.
pub type Decided = FxHashMap<TokenId, [bool; 2]>;

impl Maker<'_, '_, '_> {
    /// The entry of a configuration that allows a mask; `undecided` tells about a state of a terminal.
    pub fn entry(
        &mut self,
        configuration: Configuration,
        mask: &PlainMask,
        undecided: impl Fn(&mut Spelling<'_>, Terminal<'_>, &Arc<TerminalMask>) -> Arc<Undecided>,
    ) -> CanonicalEntry {
        let mut entry = CanonicalEntry::default();
        let standing = Standing::at(configuration);
        for allowed in &mask.entries {
            self.add_wide(configuration, allowed, &undecided, &mut entry);
        }
        let mut single: Vec<TokenId> = mask.resolved.clone();
        for allowed in &mask.entries {
            single.extend(&allowed.tokens);
            for (set, bans) in &allowed.sets {
                single.extend(set.iter().filter(|&token| !bans.has(token)));
            }
            let is_wide = is_inside(configuration.position);
            for (map, bans) in &allowed.maps {
                let tokens: Vec<TokenId> = match &map.independent {
                    TokenSet::List(tokens) => tokens.clone(),
                    TokenSet::Map(_) if is_wide => continue,
                    TokenSet::Map(map) => bits(map),
                };
                single.extend(tokens.into_iter().filter(|&token| !bans.has(token)));
            }
        }
        for token in single {
            let ends = self.search.spelling.ends(self.between, token);
            let [begins, goes_on] = self.are_live(&standing, ends, token);
            if begins {
                entry.begin.push(token);
            } else if goes_on {
                entry.go_on.push(token);
            }
        }
        entry
    }

    /// Whether the text is live after a token that begins a piece, and after one that may also continue one.
    fn are_live(&mut self, from: &Standing, ends: Ends, token: TokenId) -> [bool; 2] {
        if ends == [DEAD; 2] {
            return [false; 2];
        }
        if let Some(&known) = self.decided.get(&token) {
            return known;
        }
        let bytes = self.compiled.tables().vocabulary.token(token);
        let (are_live, has_asked) = self.search.asking(|search| {
            let after = search.form.read(from, bytes);
            after.map_or([false; 2], |after| are_live_after(search, &after, ends, token))
        });
        if !has_asked && !self.search.is_starved() {
            self.decided.insert(token, are_live);
        }
        are_live
    }

    /// Adds the row of a terminal that the configuration is inside of.
    fn add_wide(
        &mut self,
        configuration: Configuration,
        allowed: &Entry,
        undecided: &impl Fn(&mut Spelling<'_>, Terminal<'_>, &Arc<TerminalMask>) -> Arc<Undecided>,
        entry: &mut CanonicalEntry,
    ) {
        let Some((state, at)) = inside(self.compiled, configuration.position) else { return };
        for (terminal, bans) in &allowed.maps {
            if !matches!(terminal.independent, TokenSet::Map(_)) {
                continue;
            }
            let undecided = undecided(self.search.spelling, state, terminal);
            let dead = [Vec::new(), Vec::new()];
            let terminal = Arc::clone(terminal);
            let mut wide =
                Wide { terminal, inside: Arc::clone(&undecided), banned: bans.to_vec(), dead, may_begin: false };
            let standing = Standing::at(configuration);
            for (ends, tokens) in &undecided.alike {
                self.add_dead_of(&standing, *ends, tokens, &mut wide);
            }
            for &(ends, token) in &undecided.single {
                self.add_dead(&standing, ends, token, &mut wide);
            }
            for (ends, tokens) in &undecided.closing {
                let tokens: Vec<TokenId> = tokens.iter().copied().filter(|&token| !bans.has(token)).collect();
                self.add_dead_of(&standing, *ends, &tokens, &mut wide);
            }
            let excluded = at.map(|at| self.search.excluded(at)).unwrap_or_default();
            for token in excluded.into_iter().filter(|&token| !bans.has(token)) {
                let ends = self.search.spelling.ends(self.between, token);
                self.add_dead(&standing, ends, token, &mut wide);
            }
            let begin: u32 = wide.inside.rows[0].iter().map(|word| word.count_ones()).sum();
            wide.may_begin = begin as usize > wide.dead[0].len() + wide.banned.len();
            entry.wide.push(wide);
        }
    }

    /// Adds to the exceptions those of some tokens that lead nowhere. They lead to the same state of the terminal, or end
    /// it, but for those that are prefixes of excluded texts; these are looked at by themselves.
    fn add_dead_of(&mut self, from: &Standing, ends: Ends, tokens: &[TokenId], wide: &mut Wide) {
        let (vocabulary, is_in_pieces) = (&self.compiled.tables().vocabulary, self.search.spelling.is_in_pieces());
        let is_excluding = |at: &Configuration| matches!(at.position, Position::Excluding { .. });
        let mut first = tokens.iter().take(SAMPLES).filter_map(|&token| {
            let after = self.search.form.read(from, vocabulary.token(token))?;
            let after = after.staying_in(self.compiled.graph(), from.at[0].position);
            (!after.at.iter().any(is_excluding)).then_some((after, token))
        });
        if is_in_pieces && let Some((after, token)) = first.next() {
            let mut reached = ends.into_iter().filter(|&to| to != DEAD);
            if reached.all(|to| self.search.is_free(&after, self.search.spelling.place(to, token))) {
                return;
            }
        }
        for &token in tokens {
            self.add_dead(from, ends, token, wide);
        }
    }

    fn add_dead(&mut self, from: &Standing, ends: Ends, token: TokenId, wide: &mut Wide) {
        let are_live = self.are_live(from, ends, token);
        for ((dead, is_live), end) in wide.dead.iter_mut().zip(are_live).zip(ends) {
            if !is_live && end != DEAD {
                dead.push(token);
            }
        }
    }
}

fn are_live_after(
    search: &mut Search<'_, '_, Graph<'_>>,
    after: &Standing,
    [begins, goes_on]: Ends,
    token: TokenId,
) -> [bool; 2] {
    let mut is_live = |to| to != DEAD && search.is_live(after, search.spelling.place(to, token));
    let first = is_live(begins);
    [first, first || goes_on != begins && is_live(goes_on)]
}

fn is_inside(position: Position) -> bool {
    matches!(position, Position::Text { .. } | Position::Terminal { .. } | Position::Excluding { .. })
}

/// The state of a terminal that a position is inside of, and where in the tree of excluded texts.
pub fn inside(compiled: &Compiled, position: Position) -> Option<(Terminal<'_>, Option<TextsId>)> {
    let (leaf, state, most, at) = match position {
        Position::Text { leaf, state, most, .. } => (leaf, state, most, None),
        Position::Terminal { leaf, state } => (leaf, state, UNBOUNDED, None),
        Position::Excluding { leaf, state, at } => (leaf, state, UNBOUNDED, Some(at)),
        _ => return None,
    };
    let most = if most >= compiled.tables().reach() { UNBOUNDED } else { most };
    let (id, automaton) = (compiled.ids().automata[leaf as usize], compiled.graph().automaton(leaf));
    Some((Terminal { id, automaton, state, counted: compiled.graph().inside(leaf), most }, at))
}

/// The tokens of a bit map.
fn bits(map: &[u32]) -> Vec<TokenId> {
    let words = map.iter().zip(0..);
    words
        .flat_map(|(&word, index)| (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 32 + bit))
        .collect()
}
