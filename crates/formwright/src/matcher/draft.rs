//! Masks along a draft tree: what may come after each of several guesses, for speculative decoding.
//!
//! ```text
//! matcher.mask_tree(&[(cat, None), (car, None), (s, Some(0))], None, |row, mask| ...)   // s after cat
//! ```
//!
//! Row 0 is the mask at the matcher's place, row `i + 1` the one after guess `i`. A guess that cannot come gets no mask,
//! nor does what is drawn below it.
//!
//! Cost: one token forward, one mask and one step back for each guess that can come.
//!
//! Guesses come in any order in which parents precede their children; they are visited depth first, so that
//! each step back is one step.

use super::{Mask, Matcher};
use crate::error::{Error, Kind, Result};
use crate::vocabulary::TokenId;

/// A guess: a token, and the guess it follows; `None` follows the text.
pub type Guess = (TokenId, Option<usize>);

impl Matcher {
    /// Finds the mask at this place and after each guess, and gives it to `write` with its row; the state does not
    /// change. With a budget, only guesses count that keep to it.
    ///
    /// Returns for each guess whether it can come.
    ///
    /// # Errors
    /// [`Kind::Argument`] if a guess does not follow an earlier one; [`Kind::Vocabulary`] for an unknown id; else as
    /// [`Matcher::mask`] at this place.
    pub fn mask_tree(
        &mut self,
        guesses: &[Guess],
        budget: Option<u32>,
        mut write: impl FnMut(usize, &Mask),
    ) -> Result<Vec<bool>> {
        let pending = Children::of(guesses)?;
        guesses.iter().try_for_each(|&(token, _)| self.check_id(token))?;
        write(0, &self.mask(budget)?);
        let before = self.history.steps();
        let valid = self.visit(guesses, pending, budget, write);
        self.rollback(self.history.steps() - before)?;
        valid
    }

    /// Goes to every guess and stays at the last one.
    fn visit(
        &mut self,
        guesses: &[Guess],
        mut pending: Children,
        budget: Option<u32>,
        mut write: impl FnMut(usize, &Mask),
    ) -> Result<Vec<bool>> {
        let (mut valid, mut depth) = (vec![false; guesses.len()], 0);
        while let Some((guess, at)) = pending.next() {
            self.rollback(depth - at)?;
            depth = at;
            if let Some(mask) = self.after_guess(guesses[guess].0, budget.map(|budget| (budget, at)))? {
                valid[guess] = true;
                depth += 1;
                if !self.is_finished() {
                    write(guess + 1, &mask);
                }
                pending.enter(guess, depth);
            }
        }
        Ok(valid)
    }

    /// Advances by a token, if it can come: the mask after it, which is empty where the text is finished. `budget` comes
    /// with the number of guesses before this one.
    fn after_guess(&mut self, token: TokenId, budget: Option<(u32, usize)>) -> Result<Option<Mask>> {
        if !self.try_token(token)? {
            return Ok(None);
        }
        if self.is_finished() {
            return Ok(Some(Mask::default()));
        }
        let left = budget.map(|(budget, depth)| budget.checked_sub(depth as u32 + 1));
        if left == Some(None) {
            return self.rollback(1).map(|()| None); // the token is beyond the budget
        }
        match self.mask(left.flatten()) {
            Ok(mask) => Ok(Some(mask)),
            Err(error) if matches!(*error.kind, Kind::DeadEnd | Kind::Limit { .. }) => self.rollback(1).map(|()| None),
            Err(error) => Err(error),
        }
    }
}

/// The guesses that are still to be visited, each with the depth of its parent.
struct Children {
    of: Vec<Vec<usize>>,
    pending: Vec<(usize, usize)>,
}

impl Children {
    fn of(guesses: &[Guess]) -> Result<Self> {
        let mut children = Self { of: vec![Vec::new(); guesses.len()], pending: Vec::new() };
        for (guess, &(_, parent)) in guesses.iter().enumerate().rev() {
            match parent {
                None => children.pending.push((guess, 0)),
                Some(parent) if parent < guess => children.of[parent].push(guess),
                Some(parent) => {
                    let message =
                        format!("mask_tree: guess {guess} has the parent {parent}, which does not precede it");
                    return Err(Error::argument("parents", message));
                }
            }
        }
        Ok(children)
    }

    fn next(&mut self) -> Option<(usize, usize)> {
        self.pending.pop()
    }

    fn enter(&mut self, guess: usize, depth: usize) {
        self.pending.extend(self.of[guess].drain(..).map(|child| (child, depth)));
    }
}
