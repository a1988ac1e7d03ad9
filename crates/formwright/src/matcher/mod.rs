//! One running sequence, and the constraint it runs.
//!
//! A [`Matcher`] owns its text and its history, shares the frozen [`Constraint`] with all others, and a cache with its
//! forks. It accepts tokens or bytes, tells which tokens may come next, goes back, forks.
//!
//! ```text
//! machine/    where a byte leads: configurations, stacks, transitions, costs
//! masks/      what may come next: entries, their cache, rows
//! ```
//!
//! Cost: accepting a token steps its bytes (about 0.1 us); a fork copies the text and its last few steps and shares
//! everything else; going back drops steps.
//!
//! What two forks find is cached for both under one lock. The lock is held while a mask is found, and while a
//! mask that is one cached entry is written.

mod budget;
mod byte_automaton;
mod canonical;
mod constraint;
mod counting;
mod distance;
mod draft;
mod history;
mod machine;
mod masks;
mod new_items;
mod part_tokens;
mod pool;
mod potential;
mod recognizer;
mod rejection;

use std::cell::Cell;
use std::sync::Arc;

use budget::Left;
use canonical::Places;
use distance::Distance;
use history::History;
use machine::{Configuration, Machine, Position, Unit};
use masks::{Entry, MatcherCache, Written, begun, lookup, masker, write_one};
use part_tokens::{counted, no_counts};
use pool::SharedCache;
use potential::Potential;

use crate::error::{Error, Kind, Result};
use crate::terminals::MostBegun;
use crate::vocabulary::{CONTROL, TokenId};
use smallvec::SmallVec;

pub use byte_automaton::ByteAutomaton;
pub use canonical::Speller;
pub use constraint::Constraint;
pub use draft::Guess;
pub use masks::{Mask, Row};
pub use new_items::measure_new_items;
pub use recognizer::Recognizer;

/// The configurations after one byte; if there are any, the byte is added to the path.
fn advance(machine: &mut Machine<'_>, configurations: &[Configuration], byte: u8) -> Vec<Configuration> {
    let mut next = Vec::with_capacity(configurations.len());
    machine.step_all(configurations, byte, &mut next, 0);
    if !next.is_empty() {
        machine.path.push(byte);
    }
    next
}

/// Whether a complete text may end here.
fn accepting(configurations: &[Configuration]) -> bool {
    configurations.iter().any(|configuration| configuration.position == Position::Accept)
}

/// The bytes that may come next.
fn next_bytes(machine: &mut Machine<'_>, configurations: &[Configuration]) -> Vec<u8> {
    let mut out = Vec::new();
    let live = (0..=255).filter(|&byte| {
        out.clear();
        machine.step_all(configurations, byte, &mut out, 0);
        !out.is_empty()
    });
    live.collect()
}

/// One running sequence.
#[derive(Clone, Debug)]
pub struct Matcher {
    cache: SharedCache,
    history: History,
    path: Vec<u8>,
    distance: Option<Distance>,
    /// If canonical tokens are asked for.
    places: Option<Places>,
}

impl Matcher {
    pub(crate) fn new(constraint: Constraint) -> Self {
        let cache = SharedCache::new(constraint);
        let history = beginning(&cache);
        let places = first_place(&cache);
        Self { cache, history, path: Vec::new(), distance: None, places }
    }

    #[cfg(test)]
    fn shared_cache(&self) -> &SharedCache {
        &self.cache
    }

    /// The constraint it runs.
    pub fn constraint(&self) -> &Constraint {
        self.cache.constraint()
    }

    /// The bytes accepted so far.
    pub fn text(&self) -> &[u8] {
        &self.path
    }

    /// Where the text is as its tokenizer sees it, if only canonical tokens may come.
    fn canonical(&self) -> Option<&Places> {
        self.places.as_ref().filter(|places| places.limits_masks())
    }

    /// Whether the text so far is complete (it may still go on).
    pub fn is_accepting(&self) -> bool {
        accepting(self.history.configurations()) && self.canonical().is_none_or(Places::may_end)
    }

    /// Whether an end-of-text token was accepted.
    pub fn is_finished(&self) -> bool {
        self.history.is_finished()
    }

    // Going forward.

    /// Advances by one token.
    ///
    /// # Errors
    /// [`Kind::Rejected`] with the state unchanged; [`Kind::Vocabulary`] for an unknown id.
    pub fn accept_token(&mut self, token: TokenId) -> Result<()> {
        if self.try_token(token)? { Ok(()) } else { Err(self.rejected_token(token)) }
    }

    /// Advances by one token; false, and unchanged, if it cannot come.
    fn try_token(&mut self, token: TokenId) -> Result<bool> {
        let accepted = self.try_any_token(token)?;
        if self.constraint().graph().has_parser() {
            self.check_parsers(accepted)?;
        }
        Ok(accepted)
    }

    /// Fails, after a step back if a step was `accepted`, if a parser did.
    #[cold]
    fn check_parsers(&mut self, accepted: bool) -> Result<()> {
        let checked = self.constraint().graph().check_parsers();
        if checked.is_err() && accepted {
            self.rollback(1)?;
        }
        checked
    }

    fn try_any_token(&mut self, token: TokenId) -> Result<bool> {
        let Self { cache, history, path, distance, places } = self;
        let constraint = cache.constraint();
        let bytes = constraint.tables().vocabulary.token(token);
        if bytes.is_empty() {
            return self.try_control(token);
        }
        if bytes.contains(&CONTROL) && !constraint.tables().vocabulary.is_control(token) {
            return Ok(false); // its bytes could be taken for the letter of a control token
        }
        if places.as_ref().is_some_and(Places::limits_masks) {
            return self.try_canonical(token);
        }
        let accepted = step_bytes(cache, history, path, bytes)?;
        if let Some(places) = places.as_mut().filter(|_| accepted) {
            places.advance_by(token);
        }
        if let Some(distance) = distance.as_mut().filter(|_| accepted) {
            distance.advance(constraint.tables().begun.of(token));
        }
        self.forget_distance();
        Ok(accepted)
    }

    /// Where parts have a bound on their tokens, a way that was near the end may have been given up.
    fn forget_distance(&mut self) {
        if self.constraint().graph().has_bounds() {
            self.distance = None;
        }
    }

    /// Ends the text by a token that spells nothing; false, and unchanged, if it may not.
    fn try_control(&mut self, token: TokenId) -> Result<bool> {
        self.check_id(token)?;
        let eos = self.constraint().tables().vocabulary.eos();
        let ends = !self.history.is_finished() && eos.binary_search(&token).is_ok() && self.is_accepting();
        if ends {
            self.history.finish();
            self.places.iter_mut().for_each(Places::stay);
        }
        Ok(ends)
    }

    /// Advances by all of `tokens`, or not at all.
    ///
    /// # Errors
    /// As [`Matcher::accept_token`].
    pub fn accept_tokens(&mut self, tokens: &[TokenId]) -> Result<()> {
        for (done, &token) in tokens.iter().enumerate() {
            if let Err(error) = self.accept_token(token) {
                self.rollback(done)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// How many of `tokens` could be accepted in turn.
    ///
    /// # Errors
    /// [`Kind::Vocabulary`] for an unknown id; [`Kind::Limit`] as for masks.
    pub fn validate_tokens(&mut self, tokens: &[TokenId]) -> Result<usize> {
        let mut accepted = 0;
        let mut outcome = Ok(true);
        for &token in tokens {
            outcome = self.try_token(token);
            if outcome != Ok(true) {
                break;
            }
            accepted += 1;
        }
        self.rollback(accepted)?;
        outcome.map(|_| accepted)
    }

    /// Advances by text; one step for [`Matcher::rollback`].
    ///
    /// # Errors
    /// [`Kind::Rejected`] with the state unchanged.
    pub fn accept_bytes(&mut self, text: &[u8]) -> Result<()> {
        let Self { cache, history, path, distance, places } = self;
        let accepted = step_bytes(cache, history, path, text)?;
        if let Some(places) = places.as_mut().filter(|_| accepted) {
            places.advance(places.after_text(text));
        }
        if let Some(distance) = distance.as_mut().filter(|_| accepted) {
            distance.advance(&MostBegun::by(text));
        }
        self.forget_distance();
        if self.constraint().graph().has_parser() {
            self.check_parsers(accepted)?;
        }
        if accepted { Ok(()) } else { Err(self.rejected(None, text)) }
    }

    /// Fails for an id that the vocabulary does not have.
    fn check_id(&self, token: TokenId) -> Result<()> {
        let vocabulary = &self.constraint().tables().vocabulary;
        if token as usize >= vocabulary.logits_size() {
            return Err(Error::vocabulary(format!(
                "vocabulary: unknown token id {token}; ids go from 0 to {}",
                vocabulary.logits_size() - 1
            )));
        }
        Ok(())
    }

    // Going back.

    /// Undoes the last `steps` accepted tokens or byte strings.
    ///
    /// # Errors
    /// [`Kind::Match`] if there are fewer.
    pub fn rollback(&mut self, steps: usize) -> Result<()> {
        if !self.history.rollback(steps) {
            return Err(Error::new(
                Kind::Match,
                format!("rollback: {steps} steps asked for, but only {} were accepted", self.history.steps()),
            ));
        }
        self.path.truncate(self.history.path());
        self.distance = None;
        self.places.iter_mut().for_each(|places| places.rollback(steps));
        Ok(())
    }

    /// An independent copy at the same place in the text. It shares the cache of masks, and its lock.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// Back to the start of the text.
    pub fn reset(&mut self) {
        let near_limit = self.constraint().graph().is_near_its_limit();
        if near_limit || !self.cache.is_reusable() {
            self.cache = SharedCache::new(self.constraint().fresh());
        }
        self.history = beginning(&self.cache);
        self.places.iter_mut().for_each(|places| places.reset(&mut self.cache.lock()));
        self.path.clear();
        self.distance = None;
    }

    // Looking ahead.

    /// Runs `work` on a machine after the text so far.
    fn with_machine<T>(&self, work: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        let mut path = self.path.clone();
        work(&mut Machine::new(self.constraint().graph(), &mut self.cache.lock().stacks, &mut path))
    }

    /// The bytes that can only come next.
    pub fn forced_bytes(&self) -> Vec<u8> {
        let mut forced = Vec::new();
        if self.history.is_finished() {
            return forced;
        }
        let mut configurations = self.history.configurations().to_vec();
        self.with_machine(|machine| {
            while !accepting(&configurations) {
                let [byte] = next_bytes(machine, &configurations)[..] else { break };
                configurations = advance(machine, &configurations, byte);
                forced.push(byte);
            }
        });
        forced
    }

    /// Tokens the shortest known completion needs, end-of-text not counted.
    pub fn min_tokens_to_finish(&self) -> u32 {
        if self.history.is_finished() {
            return 0;
        }
        if let Some(places) = self.canonical() {
            return self.canonical_tokens_to_finish(places);
        }
        let counting = self.constraint().counting();
        let at = self.history.configurations();
        self.with_potential(|potential, machine| {
            potential.renew(machine, counting, at, 0);
            if self.path.is_empty() {
                potential.tokens_at_start(machine, counting, at)
            } else {
                potential.tokens(machine, counting, at)
            }
        })
    }

    /// As [`Matcher::with_machine`], with the potentials found so far.
    fn with_potential<T>(&self, work: impl FnOnce(&mut Potential, &mut Machine<'_>) -> T) -> T {
        let mut path = self.path.clone();
        let MatcherCache { stacks, budgets, .. } = &mut *self.cache.lock();
        budgets.potential.begin_call(self.constraint().tables().limits());
        work(&mut budgets.potential, &mut Machine::new(self.constraint().graph(), stacks, &mut path))
    }

    /// Fails if the vocabulary provably cannot spell any text from here on.
    pub(crate) fn check_beginning(&self) -> Result<()> {
        let (counting, first) = (self.constraint().counting(), self.history.configurations());
        let is_dead_end = self.with_potential(|potential, machine| potential.is_dead_end(machine, counting, first));
        self.constraint().graph().check_parsers()?;
        if !is_dead_end {
            return Ok(());
        }
        let expected = self.expected();
        let message = format!("the vocabulary cannot spell any text of this form, which begins with {expected}");
        Err(Error::new(Kind::DeadEnd, message).hint("give the vocabulary a token for every byte, or change the form"))
    }

    /// Finds the tokens that may come next.
    ///
    /// With a budget, only tokens after which a complete text still fits in `budget` tokens, this one included.
    ///
    /// # Errors
    /// [`Kind::DeadEnd`] when no token may come; [`Kind::Limit`] when the budget is too small for any complete
    /// text, or a bound was reached.
    pub fn mask(&mut self, budget: Option<u32>) -> Result<Mask> {
        if !self.constraint().graph().has_parser() {
            return self.any_mask(budget);
        }
        if budget.is_some() {
            self.constraint().graph().check_ends()?;
        }
        let found = self.any_mask(budget);
        self.check_parsers(false)?;
        found
    }

    fn any_mask(&mut self, budget: Option<u32>) -> Result<Mask> {
        if self.canonical().is_some() {
            return self.canonical_mask(budget);
        }
        let budget = budget.filter(|&budget| !self.is_ample(budget, false));
        self.find(budget)
    }

    /// As [`Matcher::mask`], for a budget that is not ample, or none.
    fn find(&mut self, budget: Option<u32>) -> Result<Mask> {
        let mut mask = Mask::default();
        match budget {
            _ if self.history.is_finished() => mask.ends = true,
            None if !self.must_leave_part() => {
                let Self { cache, history, path, .. } = self;
                lookup(cache.constraint(), &mut cache.lock(), history.configurations(), path, false, &mut mask)?;
            }
            budget => self.lookup_within(&mut mask, budget)?,
        }
        if mask.is_empty() { Err(self.nothing_allowed(budget)) } else { Ok(mask) }
    }

    /// Whether no token can lead too far from the end for a budget: then the mask is the one without a budget.
    fn is_ample(&mut self, budget: u32, quick: bool) -> bool {
        if self.distance().is_some_and(|distance| distance.after_any() < budget) {
            return true;
        }
        let Some(begun) = self.begun(quick) else { return false };
        let fits = |distance: Distance| distance.after(&begun) < budget;
        self.constraint().units().iter().any(|&unit| self.measured(unit).is_some_and(fits))
    }

    /// What the tokens that may come begin at most. Waits for no lock; where it would have to, nothing is known.
    fn begun(&self, quick: bool) -> Option<MostBegun> {
        let mut cache = self.cache.try_lock()?;
        cache.terminals.quick = quick;
        let mut most = MostBegun::default();
        for &configuration in self.history.configurations() {
            begun(self.constraint(), &mut cache, configuration, |begun| most.add_all(begun)).ok()?;
        }
        Some(most)
    }

    /// How far the text is from its end, as is known.
    fn distance(&self) -> Option<Distance> {
        let is_one = self.history.configurations().len() == 1;
        let known = self.distance.filter(|distance| distance.is_fresh || is_one);
        debug_assert!(
            known.is_none_or(|known| known.tokens() >= self.lower_bound(known.unit)),
            "farther from the end than a token leads"
        );
        known
    }

    /// Tokens to the end, or bytes, unless that would wait for a lock.
    fn lower_bound(&self, unit: Unit) -> u32 {
        let Some(mut cache) = self.cache.try_lock() else { return 0 };
        let (at, mut path) = (self.history.configurations(), Vec::new());
        let mut machine = Machine::new(self.constraint().graph(), &mut cache.stacks, &mut path);
        match unit {
            Unit::Bytes => machine.cost(at),
            Unit::Tokens => self.constraint().counting().parts(&mut machine, at),
        }
    }

    /// How far the text is from its end, measured now. Waits for no lock; where it would have to,
    /// nothing is known.
    fn measured(&mut self, unit: Unit) -> Option<Distance> {
        if self.distance.is_none_or(|distance| !distance.is_fresh || distance.unit != unit) {
            let (constraint, mut path) = (self.cache.constraint(), Vec::new());
            let mut cache = self.cache.try_lock()?;
            let mut machine = Machine::new(constraint.graph(), &mut cache.stacks, &mut path);
            self.distance = constraint.measure(&mut machine, self.history.configurations(), unit);
        }
        self.distance
    }

    /// Writes the mask that [`Matcher::mask`] finds, if that takes microseconds and waits for no
    /// lock, so that a host may keep a lock of its own meanwhile. False, and nothing written, where a terminal mask
    /// is not cached, the mask is an error, or a budget is not ample.
    pub fn write_quick<R: Row + ?Sized>(&mut self, row: &R, budget: Option<u32>) -> bool {
        if let Some(places) = self.canonical() {
            let is_running = budget.is_none() && !self.history.is_finished();
            let cache = self.cache.try_lock().filter(|_| is_running);
            return cache.is_some_and(|cache| places.write_known(&cache, self.history.configurations(), row));
        }
        if self.must_leave_part() {
            return false;
        }
        let written = self.write_cached(row, budget, true).and_then(|written| {
            let is_ample = match written {
                Written::No => true,
                Written::Several => budget.is_none_or(|budget| self.is_ample(budget, true)),
                Written::Yes | Written::Unfit => return Ok(written == Written::Yes),
            };
            let Self { cache, history, path, .. } = self;
            let (constraint, mut mask) = (cache.constraint(), Mask::default());
            let Some(mut cache) = cache.try_lock().filter(|_| is_ample && !history.is_finished()) else {
                return Ok(false);
            };
            lookup(constraint, &mut cache, history.configurations(), path, true, &mut mask)?;
            if !mask.is_empty() {
                mask.write(&constraint.tables().vocabulary, row);
            }
            Ok(!mask.is_empty())
        });
        written.unwrap_or(false)
    }

    /// Writes the allowed tokens into a row of `mask_words` words.
    ///
    /// # Errors
    /// As [`Matcher::mask`].
    pub fn fill_bitmask(&mut self, row: &mut [u32], budget: Option<u32>) -> Result<()> {
        let row = Cell::from_mut(row).as_slice_of_cells();
        if self.canonical().is_some() {
            let mask = self.canonical_mask(budget)?;
            mask.write(&self.constraint().tables().vocabulary, row);
            return Ok(());
        }
        if self.must_leave_part() {
            let mask = self.mask(budget)?;
            mask.write(&self.constraint().tables().vocabulary, row);
            return Ok(());
        }
        let mask = match self.write_cached(row, budget, false)? {
            Written::Yes => return Ok(()),
            Written::No => self.find(None)?,
            Written::Unfit => self.find(budget)?,
            Written::Several => self.mask(budget)?,
        };
        mask.write(&self.constraint().tables().vocabulary, row);
        Ok(())
    }

    /// Writes the allowed tokens if they are one cached entry, and the budget is ample for it. Waits for no lock: a
    /// matcher that has to wait clones the entries and writes after unlocking.
    fn write_cached<R: Row + ?Sized>(&mut self, row: &R, budget: Option<u32>, quick: bool) -> Result<Written> {
        if self.history.is_finished() {
            return Ok(Written::Several);
        }
        let Some(budget) = budget else { return self.write_if(row, quick, |_| true) };
        let written = self.write_within(row, quick, budget, self.distance())?;
        if written != Written::Unfit {
            return Ok(written);
        }
        if self.is_known_to_fit(budget) {
            return self.write_if(row, quick, |_| true);
        }
        for &unit in self.constraint().units() {
            let distance = self.measured(unit);
            let written = self.write_within(row, quick, budget, distance)?;
            if written != Written::Unfit {
                return Ok(written);
            }
        }
        Ok(Written::Unfit)
    }

    /// Writes the allowed tokens if they are one cached entry, and none of them leads too far from the end.
    fn write_within<R: Row + ?Sized>(
        &self,
        row: &R,
        quick: bool,
        budget: u32,
        distance: Option<Distance>,
    ) -> Result<Written> {
        let Some(distance) = distance.filter(|distance| distance.tokens() < budget) else { return Ok(Written::Unfit) };
        let fits_any = distance.after_any() < budget;
        let begun = &self.constraint().tables().begun;
        self.write_if(row, quick, |entry| fits_any || distance.after(entry.begun(begun)) < budget)
    }

    /// Whether the text is in one place only, of which it is remembered that all its tokens fit.
    fn is_known_to_fit(&self, budget: u32) -> bool {
        let [place] = self.history.configurations() else { return false };
        self.cache.try_lock().is_some_and(|cache| budget > 0 && cache.budgets.is_ample(place, budget - 1))
    }

    /// Writes the allowed tokens if they are one cached entry, and what it begins fits.
    fn write_if<R: Row + ?Sized>(&self, row: &R, quick: bool, fits: impl Fn(&Entry) -> bool) -> Result<Written> {
        let constraint = self.constraint();
        let Some(mut cache) = self.cache.try_lock() else { return Ok(Written::Several) };
        write_one(constraint, &mut cache, self.history.configurations(), quick, fits, row)
    }

    /// Finds what configurations allow within a budget: the same as without one where it is ample, else what depends on
    /// the tokens left, to the text or to a part of it, and is not cached.
    #[cold]
    fn lookup_within(&mut self, mask: &mut Mask, budget: Option<u32>) -> Result<()> {
        mask.ends = self.is_accepting();
        let left = budget.map(|budget| budget.checked_sub(1));
        if left == Some(None) {
            return Ok(());
        }
        let lefts: SmallVec<[Left; 4]> = (0..self.history.configurations().len())
            .map(|index| Left { tokens: left.flatten(), part: self.part_left(index) })
            .collect();
        let Self { cache, history, path, .. } = self;
        let constraint = cache.constraint();
        let cache = &mut *cache.lock();
        cache.terminals.quick = false;
        let MatcherCache { stacks, budgets, .. } = cache;
        let mut machine = Machine::new(constraint.graph(), stacks, path);
        budgets.potential.begin_call(constraint.tables().limits());
        if let Some(budget) = budget {
            budgets.potential.renew(&mut machine, constraint.counting(), history.configurations(), budget);
        }
        let several = history.configurations().len() > 1;
        for (&configuration, left) in history.configurations().iter().zip(lefts) {
            let is_ample = left.part.is_none()
                && match left.tokens {
                    Some(tokens) if !cache.budgets.is_ample(&configuration, tokens) => {
                        several && fits_whatever_begins(constraint, cache, configuration, tokens)?
                    }
                    _ => true,
                };
            if is_ample {
                lookup(constraint, cache, &[configuration], path, false, mask)?;
                continue;
            }
            let mut masker = masker(constraint, cache, path, Some(left));
            let entry = masker.entry(configuration)?;
            mask.resolved.extend(masker.resolve(configuration, &entry.unresolved)?);
            mask.entries.push(Arc::new(entry));
            masker.remember(configuration);
        }
        Ok(())
    }
}

/// Where a text begins, if canonical tokens are asked for.
fn first_place(shared: &SharedCache) -> Option<Places> {
    let constraint = shared.constraint();
    constraint.spelled().map(|spelled| Places::new(spelled, constraint.controls(), &mut shared.lock()))
}

/// Before the first byte.
fn beginning(shared: &SharedCache) -> History {
    let (graph, mut cache) = (shared.constraint().graph(), shared.lock());
    let first = Machine::new(graph, &mut cache.stacks, &mut Vec::new()).initial();
    History::new(&first, &no_counts(graph, &first))
}

/// Whether the tokens of a configuration, alone, lead nowhere too far from the end.
fn fits_whatever_begins(
    constraint: &Constraint,
    cache: &mut MatcherCache,
    configuration: Configuration,
    left: u32,
) -> Result<bool> {
    let begun = begun(constraint, cache, configuration, MostBegun::clone)?;
    let mut path = Vec::new();
    let mut machine = Machine::new(constraint.graph(), &mut cache.stacks, &mut path);
    Ok(constraint.units().iter().any(|&unit| {
        let distance = constraint.measure(&mut machine, &[configuration], unit);
        distance.is_some_and(|distance| distance.after(&begun) <= left)
    }))
}

/// Steps all of `bytes`; false, and everything unchanged, if they are not in form, the text has ended, or a part of it has
/// no tokens left for them.
fn step_bytes(shared: &SharedCache, history: &mut History, path: &mut Vec<u8>, bytes: &[u8]) -> Result<bool> {
    if history.is_finished() {
        return Ok(false);
    }
    let constraint = shared.constraint();
    let MatcherCache { stacks, buffer: configurations, next, .. } = &mut *shared.lock();
    configurations.clear();
    configurations.extend_from_slice(history.configurations());
    let mut machine = Machine::new(constraint.graph(), stacks, path);
    for &byte in bytes {
        machine.step_in_place(configurations, next, byte);
        if configurations.is_empty() || machine.overflow {
            let within_limits = machine.check_limits();
            path.truncate(history.path());
            return within_limits.map(|()| false);
        }
        machine.path.push(byte);
    }
    let counts = counted(&mut machine, history, bytes, configurations);
    if configurations.is_empty() {
        path.truncate(history.path());
        return Ok(false);
    }
    history.advance(configurations, &counts, path.len());
    Ok(true)
}
