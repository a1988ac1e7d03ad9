//! A matcher that allows canonical tokens only: its steps and its masks.
//!
//! Cost: see [`super::canonical`]. A token that conforms and that the tokenizer would write is accepted only if a mask
//! would allow it too, that is, if the text can be completed after it.

use std::sync::Arc;

use super::canonical::Places;
use super::{Mask, Matcher, step_bytes};
use crate::error::{Error, Kind, Result};
use crate::vocabulary::TokenId;

/// Budgets that leave so many tokens beside the bytes to the end are taken for ample: to get to where a piece ends takes a
/// token or two, as far as texts were seen.
const MARGIN: u32 = 64;

impl Matcher {
    /// Advances by one token; false, and unchanged, if it cannot come.
    pub(super) fn try_canonical(&mut self, token: TokenId) -> Result<bool> {
        let Self { cache, history, path, distance, places } = self;
        let Some(places) = places else { return Ok(false) };
        let (now, compiled) = (places.now(), cache.compiled());
        let Some(place) = places.spelling().after(now, token) else { return Ok(false) };
        let known = places.is_known_to_allow(&cache.lock(), history.configurations(), token);
        let bytes = compiled.tables().vocabulary.token(token);
        if known == Some(false) || !step_bytes(cache, history, path, bytes)? {
            return Ok(false);
        }
        let is_live = known
            .map_or_else(|| places.is_live(compiled, &mut cache.lock(), path, history.configurations(), place), Ok);
        if !matches!(is_live, Ok(true)) {
            history.rollback(1);
            path.truncate(history.path());
            return is_live;
        }
        *distance = None;
        places.advance(place);
        Ok(true)
    }

    /// As [`Matcher::mask`].
    pub(super) fn canonical_mask(&mut self, budget: Option<u32>) -> Result<Mask> {
        let is_small = |budget: &u32| !self.is_ample(budget.saturating_sub(MARGIN), false);
        let mask = match budget.filter(is_small).filter(|_| !self.history.is_finished()) {
            Some(budget) => self.canonical_within(budget)?,
            None => self.canonical_tokens()?,
        };
        if mask.is_empty() { Err(self.nothing_allowed(budget)) } else { Ok(mask) }
    }

    /// What may come within a budget that may be too small for some of it.
    fn canonical_within(&mut self, budget: u32) -> Result<Mask> {
        let ends = self.is_accepting();
        let Self { cache, history, path, places, .. } = self;
        let Some((places, left)) = places.as_ref().zip(budget.checked_sub(1)) else {
            return Ok(Mask::end(ends));
        };
        let at = history.configurations();
        places.mask_within(cache.compiled(), &mut cache.lock(), path, at, left).map(Mask::Canonical)
    }

    /// As [`Matcher::min_tokens_to_finish`].
    pub(super) fn canonical_tokens_to_finish(&self, places: &Places) -> u32 {
        let (at, mut path) = (self.history.configurations(), self.path.clone());
        places.tokens_to_finish(self.compiled(), &mut self.cache.lock(), &mut path, at)
    }

    /// What may come, perhaps nothing.
    fn canonical_tokens(&mut self) -> Result<Mask> {
        let Self { cache, history, path, places, .. } = self;
        let Some(places) = places.as_ref().filter(|_| !history.is_finished()) else {
            return Ok(Mask::end(true));
        };
        places.mask(cache.compiled(), &mut cache.lock(), path, history.configurations()).map(Mask::Canonical)
    }

    /// The tokens that can only come next, one after the other.
    ///
    /// They are canonical if such tokens are asked for; else, tokens are forced just if the mask allows one alone.
    ///
    /// # Errors
    /// As [`Matcher::mask`].
    pub fn forced_tokens(&mut self) -> Result<Vec<TokenId>> {
        let mut forced = Vec::new();
        let outcome = loop {
            match self.accept_only_token() {
                Ok(Some(token)) => forced.push(token),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.rollback(forced.len())?;
        outcome.map(|()| forced)
    }

    /// Advances by the token that must come next, if there is one and it can come.
    fn accept_only_token(&mut self) -> Result<Option<TokenId>> {
        let Some(token) = self.only_token()? else { return Ok(None) };
        Ok(self.try_token(token)?.then_some(token))
    }

    /// The token that must come next, if there is one and the text may not end.
    fn only_token(&mut self) -> Result<Option<TokenId>> {
        if self.places.is_some() {
            return Ok(self.canonical_tokens()?.only_canonical());
        }
        if self.history.is_finished() {
            return Ok(None);
        }
        let vocabulary = Arc::clone(&self.compiled().tables().vocabulary);
        let mut row = vec![0; vocabulary.mask_words()];
        self.fill_bitmask(&mut row, None)?;
        let mut allowed = row.iter().zip(0_u32..).filter(|&(&word, _)| word != 0);
        let (Some((&word, at)), None) = (allowed.next(), allowed.next()) else { return Ok(None) };
        let token = at * 32 + word.trailing_zeros();
        Ok((word.is_power_of_two() && vocabulary.eos().binary_search(&token).is_err()).then_some(token))
    }

    /// Begins after some tokens, if canonical ones can follow them.
    pub(super) fn begin_after(&mut self, tokens: &[TokenId]) {
        self.places.iter_mut().for_each(|places| places.begin_after(tokens));
        if !self.is_live().unwrap_or(true) {
            self.places.iter_mut().for_each(Places::begin_anew);
        }
    }

    /// Whether the first token may continue the last piece of the tokens before the text.
    pub fn continues_prompt(&self) -> bool {
        self.places.as_ref().is_some_and(Places::continues_prompt)
    }

    /// Whether the text can be completed in canonical tokens.
    fn is_live(&mut self) -> Result<bool> {
        let Self { cache, history, path, places, .. } = self;
        let Some(places) = places else { return Ok(true) };
        let at = history.configurations();
        places.is_live(cache.compiled(), &mut cache.lock(), path, at, places.now())
    }

    /// Fails if no text of the language has canonical tokens.
    pub(crate) fn check_canonical_beginning(&mut self) -> Result<()> {
        if self.is_live()? {
            return Ok(());
        }
        let message = "no text of this form has canonical tokens: the tokenizer would write none of them";
        Err(Error::new(Kind::DeadEnd, message))
    }
}
