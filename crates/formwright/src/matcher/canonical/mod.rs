//! Canonical tokens only: a matcher that allows just what the tokenizer itself would write.
//!
//! ```text
//! "The" may come: the mask has " The", not " T", since "heodore" would have to continue a piece that it cannot
//! ```
//!
//! Beside its configurations, such a matcher has a [`Place`] in the text as the tokenizer sees it. A token may come if
//! it conforms, if the tokenizer would write it there, and if the text can be completed after it ([`search`]).
//!
//! Cost: as a mask without it, and a test of each token in a list, or three passes over a row. A place has the
//! numbers of the pieces that its matcher began with; forks share these.

mod alike;
mod budget;
mod cache;
mod entry;
mod few_texts;
mod finish;
mod form;
mod graph;
mod inside;
mod junctions;
mod search;

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::compiled::Compiled;
use super::machine::{Configuration, Machine, Position, is_accepting};
use super::masks::{MaskCache, PlainMask, Row, lookup, set};
use crate::canonical::{Merges, Place, SharedPieces, Spelling, StateId};
use crate::error::{Error, Kind, Result};
use crate::language::INFINITE;
use crate::vocabulary::{TokenId, Vocabulary};
use alike::AllAlike;
use budget::{Needs, NeedsMaker, Within};
pub use cache::MatcherCache;
use entry::{CanonicalEntry, Maker, write};
use finish::Counter;
use graph::{Graph, Standing};
use inside::{Key, Terminal, Undecided};
use search::Search;

/// Bytes of what is kept about terminals.
const MOST_BYTES: usize = 64 << 20;

/// How a tokenizer spells, with what was found about the terminals of all schemas of its vocabulary.
#[derive(Debug)]
pub struct Speller {
    merges: Arc<Merges>,
    undecided: Mutex<Kept<Undecided>>,
    alike: Mutex<Kept<AllAlike>>,
}

/// What was found about terminals, and its bytes.
type Kept<T> = (FxHashMap<Key, Arc<T>>, usize);

/// What is kept under a key, found if it is not known.
fn kept<T>(all: &Mutex<Kept<T>>, key: Key, find: impl FnOnce() -> T, bytes: impl Fn(&T) -> usize) -> Arc<T> {
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().0.get(&key) {
        return Arc::clone(known);
    }
    let found = Arc::new(find());
    let (known, held) = &mut *lock();
    *held += bytes(&found);
    if *held > MOST_BYTES {
        known.clear();
        *held = bytes(&found);
    }
    Arc::clone(known.entry(key).or_insert(found))
}

impl Speller {
    /// Of the merges of a tokenizer.
    pub fn new(merges: Arc<Merges>) -> Self {
        Self { merges, undecided: Mutex::default(), alike: Mutex::default() }
    }

    /// The merges.
    pub fn merges(&self) -> &Arc<Merges> {
        &self.merges
    }

    /// What is undecided, found if it is not known.
    fn undecided(&self, key: Key, find: impl FnOnce() -> Undecided) -> Arc<Undecided> {
        kept(&self.undecided, key, find, Undecided::bytes)
    }

    /// All tokens that stay inside a terminal, found if they are not known.
    fn alike(&self, key: Key, find: impl FnOnce() -> AllAlike) -> Arc<AllAlike> {
        kept(&self.alike, key, find, AllAlike::bytes)
    }
}

/// How the tokenizer of a constraint spells.
#[derive(Clone, Debug)]
pub struct Spelled {
    pub by: Arc<Speller>,
    /// Whether only canonical tokens may come; if not, only forced ones are canonical.
    pub masks: bool,
}

/// Where a text is as its tokenizer sees it, now and after each earlier step.
#[derive(Clone, Debug)]
pub struct Places {
    speller: Arc<Speller>,
    limits_masks: bool,
    pieces: Option<SharedPieces>,
    /// Control tokens that the form names, ascending.
    controls: Arc<[TokenId]>,
    /// The tokens before the text.
    before: Arc<[TokenId]>,
    steps: Vec<Place>,
}

impl Places {
    /// Before the first token of a text that has a cache.
    pub fn new(spelled: &Spelled, controls: Arc<[TokenId]>, cache: &mut MatcherCache) -> Self {
        let Spelled { by, masks } = spelled;
        let mut places = Self {
            speller: Arc::clone(by),
            limits_masks: *masks,
            pieces: None,
            controls,
            before: Arc::default(),
            steps: Vec::new(),
        };
        places.reset(cache);
        places
    }

    /// Back to the start of the text.
    pub fn reset(&mut self, cache: &mut MatcherCache) {
        self.pieces = self.speller.merges.pieces();
        cache.canonical.begin(self.pieces.as_ref());
        let first = self.after_tokens();
        self.steps = vec![first];
    }

    /// Begins after some tokens.
    pub fn begin_after(&mut self, tokens: &[TokenId]) {
        self.before = tokens.into();
        self.steps = vec![self.after_tokens()];
    }

    /// Whether the text goes on after tokens.
    pub fn continues_prompt(&self) -> bool {
        !self.before.is_empty()
    }

    /// Begins as if a piece had ended.
    pub fn begin_anew(&mut self) {
        self.begin_after(&[]);
    }

    /// The place after the tokens before the text; it is found anew after what the tokenizer would not write.
    fn after_tokens(&self) -> Place {
        let mut spelling = self.spelling();
        self.before.iter().fold(Place::START, |place, &token| {
            let anew = |spelling: &mut Spelling<'_>| spelling.after(Place::START, token).unwrap_or(Place::START);
            spelling.after(place, token).unwrap_or_else(|| anew(&mut spelling))
        })
    }

    /// Whether only canonical tokens may come.
    pub fn limits_masks(&self) -> bool {
        self.limits_masks
    }

    /// One step forward, by a token that perhaps the tokenizer would not write.
    pub fn advance_by(&mut self, token: TokenId) {
        let after = self.spelling().after(self.now(), token);
        self.advance(after.unwrap_or(Place::START));
    }

    /// Where the text is.
    pub fn now(&self) -> Place {
        self.steps.last().copied().unwrap_or(Place::START)
    }

    /// One step forward.
    pub fn advance(&mut self, to: Place) {
        self.steps.push(to);
    }

    /// One step that spells nothing.
    pub fn stay(&mut self) {
        self.advance(self.now());
    }

    /// Whether the text may end here.
    pub fn may_end(&self) -> bool {
        self.spelling().may_end(self.now().state)
    }

    /// Drops the last steps.
    pub fn rollback(&mut self, steps: usize) {
        self.steps.truncate(self.steps.len().saturating_sub(steps).max(1));
    }

    /// The merges and the pieces, locked.
    pub fn spelling(&self) -> Spelling<'_> {
        Spelling::new(&self.speller.merges, self.pieces.as_ref()).with_controls(&self.controls)
    }

    /// The place after some text, as the tokenizer spells it.
    pub fn after_text(&self, text: &[u8]) -> Place {
        let tokens = std::str::from_utf8(text).ok().and_then(|text| self.speller.merges.encode(text));
        let mut spelling = self.spelling();
        let mut tokens = tokens.into_iter().flatten();
        tokens.try_fold(self.now(), |place, token| spelling.after(place, token)).unwrap_or(Place::START)
    }

    /// Whether a text that is at some configurations, at a place, can be completed.
    pub fn is_live(
        &self,
        compiled: &Compiled,
        cache: &mut MatcherCache,
        path: &mut Vec<u8>,
        at: &[Configuration],
        place: Place,
    ) -> Result<bool> {
        let mut spelling = self.spelling();
        let (mut search, _) = parts(compiled, cache, path, &mut spelling);
        let is_live = at.iter().any(|&at| search.is_live(&Standing::at(at), place));
        search.form.machine.check_limits()?;
        check_room(&spelling)?;
        Ok(is_live)
    }

    /// What a text that is at some configurations allows.
    pub fn mask(
        &self,
        compiled: &Compiled,
        cache: &mut MatcherCache,
        path: &mut Vec<u8>,
        at: &[Configuration],
    ) -> Result<CanonicalMask> {
        let place = self.now();
        let entry = |&at: &Configuration| self.entry(compiled, cache, path, at, place.state);
        let entries = at.iter().map(entry).collect::<Result<_>>()?;
        Ok(self.allowing(at, entries, Within::default()))
    }

    /// What a text that is at some configurations allows, so that it can be completed with the tokens left.
    pub fn mask_within(
        &self,
        compiled: &Compiled,
        cache: &mut MatcherCache,
        path: &mut Vec<u8>,
        at: &[Configuration],
        left: u32,
    ) -> Result<CanonicalMask> {
        let (place, mut entries, mut within) = (self.now(), SmallVec::new(), Within::default());
        for &configuration in at {
            let entry = self.entry(compiled, cache, path, configuration, place.state)?;
            let mut spelling = self.spelling();
            let (mut search, mut counter) = parts(compiled, cache, path, &mut spelling);
            let alike = |spelling: &mut Spelling<'_>, terminal: Terminal<'_>| {
                let pieces = self.pieces.as_ref();
                let find = || AllAlike::new(compiled.tables(), spelling, pieces, terminal, place.state);
                self.speller.alike(terminal.key_of_all(place.state, pieces), find)
            };
            let mut needs = entry.needs.lock().unwrap_or_else(PoisonError::into_inner);
            let (between, counter) = (place.state, &mut counter);
            let mut maker = NeedsMaker { compiled, search: &mut search, counter, between, configuration };
            maker.settle(&mut needs, &entry, left, alike);
            let is_of_text = counter.is_of_text;
            let checked = search.form.machine.check_limits().and_then(|()| check_room(&spelling));
            let fits = needs.highest() <= left;
            if !fits {
                within.unite(needs.within(&entry, &self.speller.merges, place.last, left));
            }
            if is_of_text || checked.is_err() {
                *needs = Needs::default();
            }
            drop(needs);
            checked?;
            entries.extend(fits.then_some(entry));
        }
        Ok(self.allowing(at, entries, within))
    }

    /// The mask of some entries and further tokens, with the end where the text may end.
    fn allowing(
        &self,
        at: &[Configuration],
        entries: SmallVec<[Arc<CanonicalEntry>; 1]>,
        within: Within,
    ) -> CanonicalMask {
        let (merges, last) = (Arc::clone(&self.speller.merges), self.now().last);
        CanonicalMask { entries, merges, last, within, ends: is_accepting(at) && self.may_end() }
    }

    /// Tokens of the shortest completion known.
    pub fn tokens_to_finish(
        &self,
        compiled: &Compiled,
        cache: &mut MatcherCache,
        path: &mut Vec<u8>,
        at: &[Configuration],
    ) -> u32 {
        let (mut spelling, place) = (self.spelling(), self.now());
        let (mut search, mut counter) = parts(compiled, cache, path, &mut spelling);
        let mut least = INFINITE;
        for &at in at {
            let at = Standing::at(at);
            least = least.min(counter.needed(&mut search, &at, place));
        }
        least
    }

    /// Writes what a configuration allows if that is known already; false, and nothing written, if not.
    pub fn write_known<R: Row + ?Sized>(&self, cache: &MatcherCache, at: &[Configuration], row: &R) -> bool {
        let place = self.now();
        let [configuration] = *at else { return false };
        let Some(known) = cache.canonical.entries.get(&(configuration, place.state)) else { return false };
        let allows = known.plainly_allows(&self.speller.merges, place.last);
        let is_known = configuration.position != Position::Accept && allows;
        if is_known {
            write(std::iter::once(&**known), &self.speller.merges, place.last, row);
        }
        is_known
    }

    /// Whether a token may come where a text is, if that was found for a mask.
    pub fn is_known_to_allow(&self, cache: &MatcherCache, at: &[Configuration], token: TokenId) -> Option<bool> {
        let (place, merges) = (self.now(), &self.speller.merges);
        let mut allows = false;
        for &at in at {
            allows |= cache.canonical.entries.get(&(at, place.state))?.has(merges, place.last, token);
        }
        Some(allows)
    }

    /// What a configuration allows. Texts whose configurations differ only in where a name or an item begins share it:
    /// that text matters only to a step which looks at the names or items used before, and such a step says so.
    fn entry(
        &self,
        compiled: &Compiled,
        cache: &mut MatcherCache,
        path: &mut Vec<u8>,
        configuration: Configuration,
        between: StateId,
    ) -> Result<Arc<CanonicalEntry>> {
        let known = |cache: &MatcherCache, at| cache.canonical.entries.get(&(at, between)).map(Arc::clone);
        if let Some(known) = known(cache, configuration) {
            return Ok(known);
        }
        let general = Machine::new(compiled.graph(), &mut cache.masks.stacks, path).without_starts(configuration);
        if let Some(known) = known(cache, general) {
            cache.canonical.insert((configuration, between), &known);
            return Ok(known);
        }
        let mut mask = PlainMask::default();
        lookup(compiled, &mut cache.masks, &[configuration], path, false, &mut mask)?;
        let is_alike = general == configuration;
        let decided = cache.canonical.take_decided((general, between));
        let mut spelling = self.spelling();
        let (search, _) = parts(compiled, cache, path, &mut spelling);
        let mut maker = Maker { compiled, search, between, decided };
        let pieces = self.pieces.as_ref();
        let entry = maker.entry(configuration, &mask, |spelling, state, terminal| {
            let find = || Undecided::new(compiled.tables(), spelling, pieces, state, between, terminal);
            self.speller.undecided(state.key(between, pieces, terminal), find)
        });
        let asked = maker.search.form.machine.asked || !mask.entries.iter().all(|entry| entry.is_resolved());
        let decided = maker.decided;
        maker.search.form.machine.check_limits()?;
        check_room(&spelling)?;
        let entry = Arc::new(entry);
        if is_alike || !asked {
            cache.canonical.insert((general, between), &entry);
            if !is_alike {
                cache.canonical.insert((configuration, between), &entry);
            }
        } else {
            cache.canonical.keep_decided((general, between), decided);
        }
        Ok(entry)
    }
}

/// What searches for completions, and what counts their tokens.
fn parts<'s, 'p>(
    compiled: &'s Compiled,
    cache: &'s mut MatcherCache,
    path: &'s mut Vec<u8>,
    spelling: &'s mut Spelling<'p>,
) -> (Search<'s, 'p, Graph<'s>>, Counter<'s>) {
    let MatcherCache { masks: MaskCache { stacks, budgets, .. }, canonical, .. } = cache;
    canonical.make_room();
    budgets.potential.begin_call(compiled.tables().limits());
    let form = Graph::new(Machine::new(compiled.graph(), stacks, path));
    let vocabulary = &compiled.tables().vocabulary;
    let search = Search::new(form, spelling, vocabulary, &mut canonical.known, &mut canonical.fates);
    let counting = compiled.counting();
    (search, Counter { potential: &mut budgets.potential, counting, finish: &mut canonical.finish, is_of_text: false })
}

/// Fails if there are so many states between pieces that what is said of them cannot be trusted.
fn check_room(spelling: &Spelling<'_>) -> Result<()> {
    let message = "limit reached: this text needs more states between pieces than are kept";
    let limit = Kind::Limit { limit: "states_between_pieces", value: 0, allowed: 0 };
    if spelling.is_full() { Err(Error::new(limit, message)) } else { Ok(()) }
}

/// What a matcher allows, to be written.
#[derive(Clone, Debug)]
pub struct CanonicalMask {
    entries: SmallVec<[Arc<CanonicalEntry>; 1]>,
    merges: Arc<Merges>,
    last: Option<TokenId>,
    /// What a budget leaves of further entries.
    within: Within,
    /// Whether the text may end.
    ends: bool,
}

impl CanonicalMask {
    /// Whether no token may come, nor the end.
    pub fn is_empty(&self) -> bool {
        !self.ends && self.within.is_empty() && !self.entries.iter().any(|entry| entry.allows(&self.merges, self.last))
    }

    /// Overwrites a row.
    pub fn write<R: Row + ?Sized>(&self, vocabulary: &Vocabulary, row: &R) {
        write(self.entries.iter().map(Arc::as_ref), &self.merges, self.last, row);
        self.within.add_to(row);
        if self.ends {
            set(row, vocabulary.eos());
        }
    }

    /// The token that must come next, if there is one and the text may not end.
    pub fn only(&self) -> Option<TokenId> {
        let is_wide = self.ends || self.entries.iter().any(|entry| entry.is_wide()) || self.within.row.is_some();
        let listed = self.entries.iter().flat_map(|entry| entry.listed(&self.merges, self.last));
        let mut listed = listed.chain(self.within.tokens.iter().copied());
        let first = listed.next().filter(|_| !is_wide)?;
        listed.all(|other| other == first).then_some(first)
    }
}
