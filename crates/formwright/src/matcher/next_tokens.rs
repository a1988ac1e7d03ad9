//! What may come next: how a matcher finds its masks, and writes them.
//!
//! ```text
//! mask           found, to be written later            no budget, or an ample one:  entries, looked up or made
//! fill_bitmask   written now                           else:                        made for the tokens left
//! write_quick    written only if nothing is in the way
//! ```
//!
//! Cost: a mask that is one cached entry is copied from the cache under its lock. Whether a budget is ample is asked first
//! of what is known, then in bytes, then in tokens.

use std::cell::Cell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::budget::Left;
use super::compiled::Compiled;
use super::distance::Distance;
use super::machine::{Configuration, Machine, Unit};
use super::masks::{Bound, Entry, MaskCache, PlainMask, Row, Written, begun, highest, lookup, masker, write_one};
use super::part_tokens::PartLeft;
use super::{Mask, Matcher};
use crate::error::Result;
use crate::terminals::MostBegun;

impl Matcher {
    /// Finds the tokens that may come next.
    ///
    /// With a budget, only tokens after which a complete text still fits in `budget` tokens, this one included.
    ///
    /// # Errors
    /// [`crate::Kind::DeadEnd`] when no token may come; [`crate::Kind::Limit`] when the budget is too small for any complete
    /// text, or a bound was reached.
    pub fn mask(&mut self, budget: Option<u32>) -> Result<Mask> {
        if !self.compiled().graph().has_parser() {
            return self.any_mask(budget);
        }
        if budget.is_some() {
            self.compiled().graph().check_ends()?;
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
        let mut mask = PlainMask::default();
        match budget {
            _ if self.history.is_finished() => mask.ends = true,
            None if !self.must_leave_part() => {
                let Self { cache, history, path, .. } = self;
                lookup(cache.compiled(), &mut cache.lock().masks, history.configurations(), path, false, &mut mask)?;
            }
            budget => self.lookup_within(&mut mask, budget)?,
        }
        if mask.is_empty() { Err(self.nothing_allowed(budget)) } else { Ok(mask.into()) }
    }

    /// Whether no token can lead too far from the end for a budget: then the mask is the one without a budget.
    pub(super) fn is_ample(&mut self, budget: u32, quick: bool) -> bool {
        if self.compiled().graph().rises().is_none() {
            return self.is_ample_by_parts(budget, quick);
        }
        if self.distance().is_some_and(|distance| distance.after_any() < budget) {
            return true;
        }
        let Some(begun) = self.begun(quick) else { return false };
        let fits = |distance: Distance| distance.after(&begun) < budget;
        self.compiled().units().iter().any(|&unit| self.measured(unit).is_some_and(fits))
    }

    /// The same, found of the parts that masks are put together from. Waits for no lock. False where it would have to, or
    /// must be `quick` and has not found it before.
    fn is_ample_by_parts(&self, budget: u32, quick: bool) -> bool {
        let (compiled, at) = (self.compiled(), self.history.configurations());
        let Some(mut cache) = self.cache.try_lock() else { return false };
        most_to_finish(compiled, &mut cache.masks, at, quick).is_some_and(|most| most < budget)
    }

    /// What the tokens that may come begin at most. Waits for no lock; where it would have to, nothing is known.
    fn begun(&self, quick: bool) -> Option<MostBegun> {
        let mut cache = self.cache.try_lock()?;
        cache.masks.terminals.quick = quick;
        let mut most = MostBegun::default();
        for &configuration in self.history.configurations() {
            begun(self.compiled(), &mut cache.masks, configuration, |begun| most.add_all(begun)).ok()?;
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
        let mut machine = Machine::new(self.compiled().graph(), &mut cache.masks.stacks, &mut path);
        match unit {
            Unit::Bytes => machine.cost(at),
            Unit::Tokens => self.compiled().counting().parts(&mut machine, at),
        }
    }

    /// How far the text is from its end, measured now. Waits for no lock; where it would have to,
    /// nothing is known.
    fn measured(&mut self, unit: Unit) -> Option<Distance> {
        if self.distance.is_none_or(|distance| !distance.is_fresh || distance.unit != unit) {
            let (compiled, mut path) = (self.cache.compiled(), Vec::new());
            let mut cache = self.cache.try_lock()?;
            let mut machine = Machine::new(compiled.graph(), &mut cache.masks.stacks, &mut path);
            self.distance = compiled.measure(&mut machine, self.history.configurations(), unit);
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
                Written::Incomplete => true,
                Written::NotTried => budget.is_none_or(|budget| self.is_ample(budget, true)),
                Written::Yes | Written::Unfit => return Ok(written == Written::Yes),
            };
            let Self { cache, history, path, .. } = self;
            let (compiled, mut mask) = (cache.compiled(), PlainMask::default());
            let Some(mut cache) = cache.try_lock().filter(|_| is_ample && !history.is_finished()) else {
                return Ok(false);
            };
            lookup(compiled, &mut cache.masks, history.configurations(), path, true, &mut mask)?;
            if !mask.is_empty() {
                mask.write(&compiled.tables().vocabulary, row);
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
            mask.write(&self.compiled().tables().vocabulary, row);
            return Ok(());
        }
        if self.must_leave_part() {
            let mask = self.mask(budget)?;
            mask.write(&self.compiled().tables().vocabulary, row);
            return Ok(());
        }
        let mask = match self.write_cached(row, budget, false)? {
            Written::Yes => return Ok(()),
            Written::Incomplete => self.find(None)?,
            Written::Unfit => self.find(budget)?,
            Written::NotTried => self.mask(budget)?,
        };
        mask.write(&self.compiled().tables().vocabulary, row);
        Ok(())
    }

    /// Writes the allowed tokens if they are one cached entry, and the budget is ample for it. Waits for no lock: a
    /// matcher that has to wait clones the entries and writes after unlocking.
    fn write_cached<R: Row + ?Sized>(&mut self, row: &R, budget: Option<u32>, quick: bool) -> Result<Written> {
        if self.history.is_finished() {
            return Ok(Written::NotTried);
        }
        let Some(budget) = budget else { return self.write_if(row, quick, |_| true) };
        let written = self.write_within(row, quick, budget, self.distance())?;
        if written != Written::Unfit {
            return Ok(written);
        }
        if self.is_known_to_fit(budget, quick) {
            return self.write_if(row, quick, |_| true);
        }
        for &unit in self.compiled().units() {
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
        let begun = &self.compiled().tables().begun;
        self.write_if(row, quick, |entry| fits_any || distance.after(entry.begun(begun)) < budget)
    }

    /// Whether the text is in one place only, of which it is remembered that all its tokens fit.
    fn is_known_to_fit(&self, budget: u32, quick: bool) -> bool {
        let at @ [place] = self.history.configurations() else { return false };
        let (compiled, Some(mut cache)) = (self.compiled(), self.cache.try_lock()) else { return false };
        budget > 0 && cache.masks.budgets.is_ample(place, budget - 1)
            || most_to_finish(compiled, &mut cache.masks, at, quick).is_some_and(|most| most < budget)
    }

    /// Writes the allowed tokens if they are one cached entry, and what it begins fits.
    fn write_if<R: Row + ?Sized>(&self, row: &R, quick: bool, fits: impl Fn(&Entry) -> bool) -> Result<Written> {
        let compiled = self.compiled();
        let Some(mut cache) = self.cache.try_lock() else { return Ok(Written::NotTried) };
        write_one(compiled, &mut cache.masks, self.history.configurations(), quick, fits, row)
    }

    /// What is left to the part of the configuration at `index`, if that is too little for some of its tokens.
    fn part_left(&self, index: usize) -> Option<PartLeft> {
        let (configuration, count) = (self.history.configurations().get(index)?, *self.history.counts().get(index)?);
        PartLeft::of(self.compiled().graph(), configuration, count)
    }

    /// Whether the text is inside a part that must end soon.
    pub(super) fn must_leave_part(&self) -> bool {
        let bounded = self.compiled().graph().has_bounds() && !self.history.is_finished();
        bounded && (0..self.history.counts().len()).any(|index| self.part_left(index).is_some())
    }

    /// Finds what configurations allow within a budget: the same as without one where it is ample, else what depends on
    /// the tokens left, to the text or to a part of it, and is not cached.
    #[cold]
    fn lookup_within(&mut self, mask: &mut PlainMask, budget: Option<u32>) -> Result<()> {
        mask.ends = self.is_accepting();
        let left = budget.map(|budget| budget.checked_sub(1));
        if left == Some(None) {
            return Ok(());
        }
        let lefts: SmallVec<[Left; 4]> = (0..self.history.configurations().len())
            .map(|index| Left { tokens: left.flatten(), part: self.part_left(index) })
            .collect();
        let Self { cache, history, path, .. } = self;
        let compiled = cache.compiled();
        let cache = &mut cache.lock().masks;
        cache.terminals.quick = false;
        let MaskCache { stacks, budgets, .. } = cache;
        let mut machine = Machine::new(compiled.graph(), stacks, path);
        budgets.potential.begin_call(compiled.tables().limits());
        if let Some(budget) = budget {
            budgets.potential.renew(&mut machine, compiled.counting(), history.configurations(), budget);
        }
        let several = history.configurations().len() > 1;
        for (&configuration, left) in history.configurations().iter().zip(lefts) {
            let is_ample = left.part.is_none()
                && match left.tokens {
                    Some(tokens) if !cache.budgets.is_ample(&configuration, tokens) => {
                        several
                            && (fits_whatever_begins(compiled, cache, configuration, tokens)?
                                || most_to_finish(compiled, cache, &[configuration], false)
                                    .is_some_and(|most| most <= tokens))
                    }
                    _ => true,
                };
            if is_ample {
                lookup(compiled, cache, &[configuration], path, false, mask)?;
                continue;
            }
            let mut masker = masker(compiled, cache, path, Bound::Left(left));
            let entry = masker.entry(configuration)?;
            mask.resolved.extend(masker.resolve(configuration, &entry.unresolved)?);
            mask.entries.push(Arc::new(entry));
            masker.remember(configuration);
        }
        Ok(())
    }
}

/// Tokens to the end after any of the tokens that some configurations allow, at most; `None` if that is not known, or must
/// be `quick` and is not kept.
fn most_to_finish(
    compiled: &Compiled,
    cache: &mut MaskCache,
    configurations: &[Configuration],
    quick: bool,
) -> Option<u32> {
    cache.fragments.as_ref()?;
    if let Some(&known) = cache.budgets.most_to_finish.get(configurations) {
        return known;
    }
    if quick {
        return None;
    }
    cache.terminals.quick = false;
    let mut path = std::mem::take(&mut cache.path);
    let most = highest(compiled, cache, &mut path, configurations).ok().flatten();
    cache.path = path;
    cache.budgets.remember_most(configurations, most);
    most
}

/// Whether the tokens of a configuration, alone, lead nowhere too far from the end.
fn fits_whatever_begins(
    compiled: &Compiled,
    cache: &mut MaskCache,
    configuration: Configuration,
    left: u32,
) -> Result<bool> {
    let begun = begun(compiled, cache, configuration, MostBegun::clone)?;
    let mut path = Vec::new();
    let mut machine = Machine::new(compiled.graph(), &mut cache.stacks, &mut path);
    Ok(compiled.units().iter().any(|&unit| {
        let distance = compiled.measure(&mut machine, &[configuration], unit);
        distance.is_some_and(|distance| distance.after(&begun) <= left)
    }))
}
