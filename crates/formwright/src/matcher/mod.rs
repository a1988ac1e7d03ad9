//! One running sequence, and the constraint it runs.
//!
//! A [`Matcher`] owns its text and its history, shares the frozen [`Constraint`] with all others, and a cache with its
//! forks. It accepts tokens or bytes, tells which tokens may come next, goes back, forks.
//!
//! From the lowest layer up; a row names the modules its modules use, which `tests/suite/layers.rs` checks. The files on
//! top implement what a [`Matcher`] does.
//!
//! | module | what it is | uses |
//! | --- | --- | --- |
//! | `machine` | where a byte leads: configurations, stacks, transitions, costs | |
//! | `keys` | under which keys masks are kept | `machine` |
//! | `recognizer`, `byte_automaton`, `new_items` | the machine alone, without a vocabulary | `machine` |
//! | `outside` | a text that one language has and another one does not | `machine` |
//! | `minimal` | the smallest automaton over bytes | `byte_automaton` |
//! | `edges` | where each token leads, if the states are few | `minimal` |
//! | `pushdown` | a form that nests as a pushdown automaton, and where each token leads in it | `machine`, `edges` |
//! | `finite_states` | all states of a form, or why there are too many | `byte_automaton`, `minimal`, `pushdown` |
//! | `between` | what is written between two texts | `minimal`, `finite_states`, `pushdown` |
//! | `history` | the steps of a text | `machine` |
//! | `counting`, `distance` | how far the end is | `machine` |
//! | `compiled` | what a vocabulary makes of a language | `machine`, `counting`, `distance` |
//! | `part_tokens` | parts in which only so many tokens may end | `machine`, `history` |
//! | `potential` | the tokens of the shortest completion | `machine`, `counting` |
//! | `budget` | whether the tokens left suffice | `machine`, `keys`, `counting`, `part_tokens`, `potential` |
//! | `masks` | what may come next: entries, their cache, rows | `machine`, `keys`, `compiled`, `budget` |
//! | `canonical` | the same, if only what the tokenizer itself writes may come | `machine`, `counting`, `compiled`, `potential`, `masks` |
//! | `mask` | a mask of either kind | `masks`, `canonical` |
//! | `pool` | caches that wait for the next text | `masks`, `canonical` |
//! | `constraint` | what users compile, and begin texts with | `finite_states`, `edges`, `pushdown`, `compiled`, `masks`, `canonical`, `pool` |
//! | `constraints` | those that a vocabulary keeps for the next request | `constraint` |
//! | `device_tables` | a constraint as tables, if its states are few | `byte_automaton`, `minimal`, `constraint` |
//! | `canvas` | masks of every hole of a text whose length is known | `edges`, `pushdown`, `constraint` |
//! | `checkout` | a cache in use | `compiled`, `canonical`, `constraint` |
//! | `next_tokens` | how a matcher finds its masks, and writes them | `machine`, `compiled`, `distance`, `part_tokens`, `budget`, `masks`, `mask` |
//! | `canonical_steps` | its steps where only canonical tokens may come | `canonical`, `mask` |
//! | `draft` | its masks along a tree of guesses | `mask` |
//! | `rejection` | why it refuses a token | `machine` |
//!
//! Cost: accepting a token steps its bytes (about 0.1 us); a fork copies the text and its last few steps and shares
//! everything else; going back drops steps.
//!
//! What two forks find is cached for both under one lock. The lock is held while a mask is found, and while a
//! mask that is one cached entry is written.

mod between;
mod budget;
mod byte_automaton;
mod canonical;
mod canonical_steps;
mod canvas;
mod checkout;
mod compiled;
mod constraint;
mod constraints;
mod counting;
mod device_tables;
mod distance;
mod draft;
mod edges;
mod finite_states;
mod history;
mod keys;
mod machine;
mod mask;
mod masks;
mod minimal;
mod new_items;
mod next_tokens;
mod outside;
mod part_tokens;
mod pool;
mod potential;
mod pushdown;
mod recognizer;
mod rejection;

use canonical::Places;
use checkout::SharedCache;
use compiled::Compiled;
use distance::Distance;
use history::History;
use machine::{MULTIPLIED, Machine, is_accepting};
use masks::MaskCache;
use part_tokens::{counted, no_counts};
use potential::Potential;

use crate::error::{Error, Kind, Result};
use crate::interrupt::{self, count};
use crate::terminals::MostBegun;
use crate::vocabulary::{CONTROL, TokenId};

pub use byte_automaton::ByteAutomaton;
pub use canonical::Speller;
pub use canvas::{Canvas, FilledRows, Filling, LogProbabilities};
pub use constraint::Constraint;
pub use constraints::Constraints;
pub use device_tables::DeviceTables;
pub use draft::Guess;
pub use mask::Mask;
pub use masks::Row;
pub use new_items::measure_new_items;
pub use recognizer::Recognizer;

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

    /// What masks are found with.
    fn compiled(&self) -> &Compiled {
        self.cache.compiled()
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
        is_accepting(self.history.configurations()) && self.canonical().is_none_or(Places::may_end)
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
        if self.compiled().graph().has_parser() {
            self.check_parsers(accepted)?;
        }
        Ok(accepted)
    }

    /// Fails, after a step back if a step was `accepted`, if a parser did.
    #[cold]
    fn check_parsers(&mut self, accepted: bool) -> Result<()> {
        let checked = self.compiled().graph().check_parsers();
        if checked.is_err() && accepted {
            self.rollback(1)?;
        }
        checked
    }

    fn try_any_token(&mut self, token: TokenId) -> Result<bool> {
        let Self { cache, history, path, distance, places } = self;
        let compiled = cache.compiled();
        let bytes = compiled.tables().vocabulary.token(token);
        if bytes.is_empty() {
            return self.try_control(token);
        }
        if bytes.contains(&CONTROL) && !compiled.tables().vocabulary.is_control(token) {
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
            distance.advance(compiled.tables().begun.of(token));
        }
        self.forget_distance();
        Ok(accepted)
    }

    /// Where parts have a bound on their tokens, a way that was near the end may have been given up.
    fn forget_distance(&mut self) {
        if self.compiled().graph().has_bounds() {
            self.distance = None;
        }
    }

    /// Ends the text by a token that spells nothing; false, and unchanged, if it may not.
    fn try_control(&mut self, token: TokenId) -> Result<bool> {
        self.check_id(token)?;
        let eos = self.compiled().tables().vocabulary.eos();
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
        let (begun, allowed) = (interrupt::counted(), self.work_of(tokens));
        for (done, &token) in tokens.iter().enumerate() {
            if let Err(error) = check_work(begun, allowed).and_then(|()| self.accept_token(token)) {
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
        let (begun, allowed, mut accepted) = (interrupt::counted(), self.work_of(tokens), 0);
        let mut outcome = Ok(true);
        for &token in tokens {
            outcome = check_work(begun, allowed).and_then(|()| self.try_token(token));
            if outcome != Ok(true) {
                break;
            }
            accepted += 1;
        }
        self.rollback(accepted)?;
        outcome.map(|_| accepted)
    }

    /// The units of work that a call with some tokens may take: those of any call, and a few for each token.
    fn work_of(&self, tokens: &[TokenId]) -> u64 {
        self.compiled().work() + WORK_OF_TOKEN * tokens.len() as u64
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
        if self.compiled().graph().has_parser() {
            self.check_parsers(accepted)?;
        }
        if accepted { Ok(()) } else { Err(self.rejected(None, text)) }
    }

    /// Fails for an id that the vocabulary does not have.
    fn check_id(&self, token: TokenId) -> Result<()> {
        let vocabulary = &self.compiled().tables().vocabulary;
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
        let near_limit = self.compiled().graph().is_near_its_limit();
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
        work(&mut Machine::new(self.compiled().graph(), &mut self.cache.lock().masks.stacks, &mut path))
    }

    /// The bytes that can only come next.
    pub fn forced_bytes(&self) -> Vec<u8> {
        let mut forced = Vec::new();
        if self.history.is_finished() {
            return forced;
        }
        let mut configurations = self.history.configurations().to_vec();
        self.with_machine(|machine| {
            while !is_accepting(&configurations) {
                let [byte] = machine.next_bytes(&configurations)[..] else { break };
                configurations = machine.advance(&configurations, byte);
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
        let counting = self.compiled().counting();
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
        let MaskCache { stacks, budgets, .. } = &mut self.cache.lock().masks;
        budgets.potential.begin_call(self.compiled().tables().limits());
        work(&mut budgets.potential, &mut Machine::new(self.compiled().graph(), stacks, &mut path))
    }

    /// Fails if the vocabulary provably cannot spell any text from here on.
    pub(crate) fn check_beginning(&self) -> Result<()> {
        let (counting, first) = (self.compiled().counting(), self.history.configurations());
        let is_dead_end = self.with_potential(|potential, machine| potential.is_dead_end(machine, counting, first));
        self.compiled().graph().check_parsers()?;
        if !is_dead_end {
            return Ok(());
        }
        let expected = self.expected();
        let message = format!("the vocabulary cannot spell any text of this form, which begins with {expected}");
        Err(Error::new(Kind::DeadEnd, message).hint("give the vocabulary a token for every byte, or change the form"))
    }
}

/// Where a text begins, if canonical tokens are asked for.
fn first_place(shared: &SharedCache) -> Option<Places> {
    let constraint = shared.constraint();
    constraint.spelled().map(|spelled| Places::new(spelled, shared.compiled().controls(), &mut shared.lock()))
}

/// Before the first byte.
fn beginning(shared: &SharedCache) -> History {
    let (graph, mut cache) = (shared.compiled().graph(), shared.lock());
    if cache.beginning.is_empty() {
        cache.beginning = Machine::new(graph, &mut cache.masks.stacks, &mut Vec::new()).initial();
    }
    History::new(&cache.beginning, &no_counts(graph, &cache.beginning))
}

/// Units of work that each token of a call adds to those that the call may take.
const WORK_OF_TOKEN: u64 = 64;

/// With so many configurations, the work to step them is counted: a long text may lead to ever more of them.
const MANY: usize = 64;

/// Fails once a call has taken more work than it may. It is not left by unwinding, as other calls are: the matcher stays
/// as it was.
fn check_work(begun: u64, allowed: u64) -> Result<()> {
    let units = interrupt::counted() - begun;
    if units <= allowed {
        return Ok(());
    }
    Err(Error::limit("work", units as usize, allowed as usize).hint(MULTIPLIED))
}

/// Steps all of `bytes`; false, and everything unchanged, if they do not conform, the text has ended, or a part of it has
/// no tokens left for them.
fn step_bytes(shared: &SharedCache, history: &mut History, path: &mut Vec<u8>, bytes: &[u8]) -> Result<bool> {
    if history.is_finished() {
        return Ok(false);
    }
    let MaskCache { stacks, buffer: configurations, next, .. } = &mut shared.lock().masks;
    configurations.clear();
    configurations.extend_from_slice(history.configurations());
    let mut machine = Machine::new(shared.compiled().graph(), stacks, path);
    let mut begun = None;
    for &byte in bytes {
        machine.step_in_place(configurations, next, byte);
        machine.overflow |= machine.is_full();
        if configurations.len() > MANY {
            count(configurations.len());
            let begun = *begun.get_or_insert_with(interrupt::counted);
            if let Err(error) = check_work(begun, shared.compiled().work()) {
                path.truncate(history.path());
                return Err(error);
            }
        }
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
    let (bytes, allowed) = (history.bytes_with(configurations.len()), shared.compiled().history_bytes());
    if bytes > allowed {
        path.truncate(history.path());
        return Err(Error::limit("history_bytes", bytes, allowed).hint(MULTIPLIED));
    }
    history.advance(configurations, &counts, path.len());
    Ok(true)
}
