//! A text of so many positions whose tokens become known in any order: exact masks of every hole.
//!
//! ```text
//! positions   0    1    2    3          a date, `-` known at position 1
//! tokens      .    -    .    .          forward[2]: where the first two tokens may have led
//!                                       backward[3]: where the last one may begin
//! ```
//!
//! A token fits in a hole exactly if some tokens in all other holes make the canvas a conforming text, then ends of text up
//! to the last position. What may be around a position is found from the left and from the right ([`Reach`]), so a hole
//! is asked by what leads from the one to the other alone. With `after`, the text may need so many tokens more than the
//! canvas has.
//!
//! | module | what it is | uses |
//! | --- | --- | --- |
//! | `state_set`, `stack_sets` | sets of states, and of stacks | |
//! | `rows` | masks of all holes | |
//! | `counted` | what edges lead to, from what was asked before | `state_set`, `rows` |
//! | `finite` | what may be around a position, where states are finitely many | `counted` |
//! | `nested` | the same where texts nest | `stack_sets`, `rows` |
//! | `joint` | all holes at once, by their probabilities | `finite` |
//!
//! Cost: a token that is placed makes what is around its neighbours out of date, outward until something is as it was. It
//! is found again when it is asked for, so tokens that are placed from one side to the other take a step each. A step over
//! a hole of a finite form looks at the edges of the states that the last hole did not have, a step over a known token at
//! each state; of a form that nests, a step looks at its moves. Where texts nest, both sides keep only what the other one may go on with, so
//! after a token was taken away all positions are found again.

mod counted;
mod finite;
mod joint;
mod nested;
mod rows;
mod state_set;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::{Error, Kind, Result};
use crate::interrupt::bounded;
use crate::language::without_letters;
use crate::matcher::constraint::{Constraint, Places};
use crate::matcher::edges::{NEVER, TokenSets};
use crate::vocabulary::{TokenId, Vocabulary};

use finite::FiniteReach;
use nested::NestedReach;

pub use joint::{Filling, LogProbabilities};
pub use rows::FilledRows;
use rows::{RowCache, SetsAt};

/// Of the tokens that fit at a position, so many are shown by an error.
const SHOWN: usize = 8;

/// A text whose tokens become known in any order.
#[derive(Clone, Debug)]
pub struct Canvas {
    constraint: Constraint,
    /// By position: its token, if it is known.
    tokens: Vec<Option<TokenId>>,
    around: Around,
    pending: Pending,
    rows: RowCache,
}

/// Positions at which what is around them has to be found again.
///
/// What is before position i + 1 is found by a step from what is before position i, over its token; i is pending if that is
/// out of date. So steps are made when they are asked for, from the first pending position on.
#[derive(Clone, Debug)]
struct Pending {
    forward: BTreeSet<usize>,
    backward: BTreeSet<usize>,
    /// What all changes together may have done.
    change: Change,
}

impl Pending {
    /// All of so many positions.
    fn all(length: usize) -> Self {
        Self { forward: (0..length).collect(), backward: (0..length).collect(), change: Change::Any }
    }

    fn add(&mut self, at: usize, change: Change) {
        self.forward.insert(at);
        self.backward.insert(at);
        if matches!(change, Change::Any) {
            self.change = Change::Any;
        }
    }

    /// Once all is found, there is no change.
    fn settle(&mut self) {
        if self.forward.is_empty() && self.backward.is_empty() {
            self.change = Change::Fewer;
        }
    }
}

/// What may be around each position.
#[derive(Clone, Debug)]
enum Around {
    Finite(Box<FiniteReach>),
    Nested(Box<NestedReach>),
}

impl Around {
    /// The sets of tokens that the form knows.
    fn sets(&self) -> &TokenSets {
        match self {
            Self::Finite(finite) => finite.edges.sets(),
            Self::Nested(nested) => &nested.moves.sets,
        }
    }

    /// Saves what is around all positions.
    fn save(&self) -> Saved {
        match self {
            Self::Finite(finite) => Saved::Finite(finite.save()),
            Self::Nested(nested) => Saved::Nested(nested.save()),
        }
    }

    /// Goes back to what was saved; false, and unchanged, where it is not known any more.
    fn restore(&mut self, saved: Saved) -> bool {
        match (self, saved) {
            (Self::Finite(finite), Saved::Finite(saved)) => {
                finite.restore(saved);
                true
            }
            (Self::Nested(nested), Saved::Nested(saved)) => nested.restore(saved),
            _ => false,
        }
    }
}

/// What was around all positions.
enum Saved {
    Finite(finite::Saved),
    Nested(nested::Saved),
}

/// What may be around each position: before it, by the tokens and holes to its left (forward), and after it, by those to
/// its right (backward). Positions are counted up to the one after the last.
trait Reach {
    fn is_forward_equal(&self, one: usize, other: usize) -> bool;
    fn is_backward_equal(&self, one: usize, other: usize) -> bool;

    /// Whether a step over a hole leads forward where that over the hole before it led.
    fn repeats_forward(&self, at: usize) -> bool {
        self.is_forward_equal(at - 1, at)
    }

    /// Whether a step over a hole leads backward where that over the hole after it led.
    fn repeats_backward(&self, at: usize) -> bool {
        self.is_backward_equal(at + 1, at + 2)
    }

    /// Makes what is before a position that of another one, and says whether it was something else.
    fn copy_forward(&mut self, from: usize, to: usize) -> bool;
    fn copy_backward(&mut self, from: usize, to: usize) -> bool;

    /// Finds what is before the next position, after a token or a hole, and says whether it was something else.
    fn step_forward(&mut self, at: usize, token: Option<TokenId>, change: Change) -> bool;

    /// Finds what is after the position before, that of a token or a hole, and says whether it was something else.
    fn step_backward(&mut self, at: usize, token: Option<TokenId>, change: Change) -> bool;

    /// Whether a token fits at a position.
    fn fits(&mut self, at: usize, token: TokenId) -> bool;

    /// The sets of the tokens that fit in a hole all around which is found.
    fn find_sets(&mut self, at: usize) -> SetsAt;

    /// Bytes of memory held, roughly, beside what all canvases of the form share.
    fn bytes(&self) -> usize;

    /// Forgets what is not needed any more, where there is much.
    ///
    /// # Errors
    /// [`Kind::Limit`] where what is needed is too much.
    fn trim(&mut self, limit: usize) -> Result<()>;
}

impl Constraint {
    /// A canvas of so many holes, after which at most `after` further tokens complete the text.
    ///
    /// # Errors
    /// [`Kind::Argument`] for a canvas without positions, where only canonical tokens may come, and where a form has a
    /// parser or a part with a bound on its tokens; [`Kind::Unsupported`], with the place of the value, where items or
    /// names must differ; [`Kind::Limit`] where the form has too many states, or the shortest text has no room;
    /// [`Kind::DeadEnd`] where tokens cannot spell any text; [`Kind::Interrupted`].
    pub fn canvas(&self, length: usize, after: u32) -> Result<Canvas> {
        if self.spelled().is_some_and(|spelled| spelled.masks) {
            let message = "canvas: tokens that come in any order cannot be held to canonical ones";
            return Err(Error::argument("canonical", message).hint("compile the form without canonical=True"));
        }
        Canvas::new(self.clone(), length, after)
    }
}

impl Canvas {
    fn new(constraint: Constraint, length: usize, after: u32) -> Result<Self> {
        if length == 0 {
            return Err(Error::argument("length", "canvas: it needs at least one position"));
        }
        let limits = constraint.tables().limits();
        let (limit, work) = (limits.canvas_bytes, limits.work);
        let around = match constraint.places()? {
            Places::Finite(edges) => {
                check_room(edges.need(0), length, after)?;
                let vocabulary = Arc::clone(&constraint.tables().vocabulary);
                Around::Finite(Box::new(FiniteReach::new(edges, vocabulary, (length, after), limit)?))
            }
            Places::Nested(moves) => {
                Around::Nested(Box::new(bounded(work, || NestedReach::new(moves, (length, after), limit))?))
            }
        };
        let rows = RowCache::new(length, limit / 4);
        let mut made = Self { constraint, tokens: vec![None; length], around, pending: Pending::all(length), rows };
        let fits = bounded(work, || {
            made.settle(length, 0)?;
            Ok(!made.reach_mut().find_sets(0).is_none())
        })?;
        let room = room(length, after);
        let need = || (made.constraint.matcher().min_tokens_to_finish() as usize).max(room.saturating_add(1));
        if fits { Ok(made) } else { Err(no_room(need(), room)) }
    }

    fn reach(&self) -> &dyn Reach {
        match &self.around {
            Around::Finite(finite) => &**finite,
            Around::Nested(nested) => &**nested,
        }
    }

    fn reach_mut(&mut self) -> &mut dyn Reach {
        match &mut self.around {
            Around::Finite(finite) => &mut **finite,
            Around::Nested(nested) => &mut **nested,
        }
    }

    /// The vocabulary of its constraint.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.constraint.tables().vocabulary
    }

    /// How many positions there are.
    #[allow(clippy::len_without_is_empty)] // it has at least one
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// By position: its token, if it is known.
    pub fn tokens(&self) -> &[Option<TokenId>] {
        &self.tokens
    }

    /// Whether the form is recursive: then the fillings of all holes together cannot be weighed.
    pub fn is_recursive(&self) -> bool {
        matches!(self.around, Around::Nested(_))
    }

    /// The positions whose token is not known.
    pub fn holes(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&position| self.tokens[position].is_none())
    }

    /// How many states its form has, and how many edges; of a form that nests, how many controls and moves.
    pub fn form_size(&self) -> (usize, usize) {
        match &self.around {
            Around::Finite(finite) => (finite.edges.len(), finite.edges.edge_count()),
            Around::Nested(nested) => (nested.moves.controls, nested.moves.all.len()),
        }
    }

    /// Bytes of memory held, roughly, beside what all canvases of the form share.
    pub fn bytes(&self) -> usize {
        self.len() * size_of::<Option<TokenId>>() + self.reach().bytes() + self.rows.bytes()
    }

    /// The bytes of the text, once no hole is left.
    pub fn text(&self) -> Option<Vec<u8>> {
        let tokens: Option<Vec<TokenId>> = self.tokens.iter().copied().collect();
        Some(tokens?.iter().flat_map(|&token| self.spelled(token)).copied().collect())
    }

    /// What a token spells: a control token its name, an end of text nothing.
    fn spelled(&self, token: TokenId) -> &[u8] {
        let vocabulary = self.vocabulary();
        if vocabulary.is_control(token) {
            return vocabulary.control_name(token).map_or(&[], str::as_bytes);
        }
        vocabulary.token(token)
    }

    /// Puts a token into a position, also in place of another one.
    ///
    /// # Errors
    /// [`Kind::Rejected`] if it does not fit there, with the canvas unchanged; [`Kind::Argument`] where there is no
    /// such position; [`Kind::Vocabulary`] for an unknown id; [`Kind::Limit`], with the canvas unchanged, where the form
    /// nests and what is around its tokens takes too much memory or work.
    pub fn place(&mut self, position: usize, token: TokenId) -> Result<()> {
        self.check(position, token)?;
        if self.try_place(position, token)? { Ok(()) } else { Err(self.rejected(position, token)) }
    }

    /// Puts tokens into positions, one after the other, and says of each whether it fits there.
    ///
    /// # Errors
    /// As [`Canvas::place`], but for [`Kind::Rejected`]: before anything is changed, or [`Kind::Limit`] with the tokens
    /// before that one placed.
    pub fn place_all(&mut self, tokens: &[(usize, TokenId)]) -> Result<Vec<bool>> {
        tokens.iter().try_for_each(|&(position, token)| self.check(position, token))?;
        let (mut fit, mut open) = (Vec::new(), tokens.chunks(tokens.len().max(1)).collect::<Vec<_>>());
        while let Some(next) = open.pop() {
            if let [(position, token)] = *next {
                fit.push(self.try_place(position, token)?);
                continue;
            }
            match self.try_place_together(next) {
                Ok(true) => fit.extend(next.iter().map(|_| true)),
                Ok(false) => open.extend(next.chunks(next.len().div_ceil(2)).rev()),
                Err(error) if matches!(*error.kind, Kind::Limit { .. }) => open.extend(next.chunks(1).rev()),
                Err(error) => return Err(error),
            }
        }
        Ok(fit)
    }

    /// Puts several tokens into different holes at once, where all of them fit together: then each of them also fits after
    /// those before it. False, and unchanged, if they do not; unchanged, too, after an error.
    fn try_place_together(&mut self, tokens: &[(usize, TokenId)]) -> Result<bool> {
        let mut positions: Vec<usize> = tokens.iter().map(|&(position, _)| position).collect();
        positions.sort_unstable();
        let are_holes = positions.iter().all(|&at| self.tokens[at].is_none());
        if !are_holes || positions.windows(2).any(|pair| pair[0] == pair[1]) {
            return Ok(false);
        }
        let before = (self.around.save(), self.pending.clone());
        for &(position, token) in tokens {
            self.put(position, Some(token));
        }
        let (position, token) = tokens[0];
        let fit = bounded(self.constraint.tables().limits().work, || {
            self.settle(position, position + 1)?;
            Ok(self.reach_mut().fits(position, token))
        });
        if !matches!(fit, Ok(true)) {
            self.take_back(&positions, None, before);
        }
        fit
    }

    /// Puts a token into a position in place of another one, where texts nest: what is around it keeps within what the other
    /// one may go on with. False, and unchanged, if it does not fit there; unchanged, too, after an error.
    fn try_replace(&mut self, position: usize, token: TokenId) -> Result<bool> {
        let (known, before) = (self.tokens[position], (self.around.save(), self.pending.clone()));
        self.put(position, None);
        let fits = self.try_put(position, token);
        if !matches!(fits, Ok(true)) {
            self.take_back(&[position], known, before);
        }
        fits
    }

    /// Gives positions the token that they had, if any, and what was around all positions before.
    fn take_back(&mut self, positions: &[usize], known: Option<TokenId>, (saved, pending): (Saved, Pending)) {
        for &at in positions {
            self.put(at, known);
        }
        if self.around.restore(saved) {
            self.pending = pending;
        }
    }

    /// Makes a position a token or a hole.
    fn put(&mut self, at: usize, token: Option<TokenId>) {
        let before = std::mem::replace(&mut self.tokens[at], token);
        match (before, &self.around) {
            _ if before == token => {}
            (None, _) => self.pending.add(at, Change::Fewer),
            (Some(_), Around::Finite(_)) => self.pending.add(at, Change::Any),
            (Some(_), Around::Nested(_)) => self.pending = Pending::all(self.tokens.len()),
        }
    }

    /// Makes positions holes again.
    ///
    /// # Errors
    /// [`Kind::Argument`] where there is no such position, with the canvas unchanged.
    pub fn lift(&mut self, positions: &[usize]) -> Result<()> {
        positions.iter().try_for_each(|&position| self.check_position(position))?;
        for &at in positions {
            self.put(at, None);
        }
        Ok(())
    }

    fn check_position(&self, position: usize) -> Result<()> {
        if position < self.len() {
            return Ok(());
        }
        let message = format!("canvas: there is no position {position}: it has {}, counted from 0", self.len());
        Err(Error::argument("position", message))
    }

    fn check(&self, position: usize, token: TokenId) -> Result<()> {
        self.check_position(position)?;
        let size = self.vocabulary().logits_size();
        if (token as usize) < size {
            return Ok(());
        }
        Err(Error::vocabulary(format!("vocabulary: unknown token id {token}; ids go from 0 to {}", size - 1)))
    }

    /// Puts a token into a position; false, and unchanged, if it does not fit there.
    fn try_place(&mut self, position: usize, token: TokenId) -> Result<bool> {
        match (self.tokens[position], &self.around) {
            (Some(known), _) if known == token => Ok(true),
            (Some(_), Around::Nested(_)) => self.try_replace(position, token),
            _ => self.try_put(position, token),
        }
    }

    /// The same where what is around the position allows all that may be in its place.
    fn try_put(&mut self, position: usize, token: TokenId) -> Result<bool> {
        let fits = bounded(self.constraint.tables().limits().work, || {
            self.settle(position, position + 1)?;
            Ok(self.reach_mut().fits(position, token))
        })?;
        if fits {
            self.put(position, Some(token));
        }
        Ok(fits)
    }

    /// Finds what is before the positions up to `before`, and after those from `after` on, as far as it may have changed.
    fn settle(&mut self, before: usize, after: usize) -> Result<()> {
        let is_all = matches!((&self.around, self.pending.change), (Around::Nested(_), Change::Any));
        let (before, after) = if is_all { (self.len(), 0) } else { (before, after) };
        self.settle_backward(after)?; // first: where texts nest, what is before keeps within it
        self.settle_forward(before)?;
        let limit = self.constraint.tables().limits().canvas_bytes;
        self.reach_mut().trim(limit)
    }

    fn settle_forward(&mut self, end: usize) -> Result<()> {
        let limit = self.constraint.tables().limits().canvas_bytes;
        while let Some(at) = self.pending.forward.first().copied().filter(|&at| at < end) {
            self.reach_mut().trim(limit)?; // before the step: if it fails, it fails again
            let is_repeated = at > 0 && self.are_holes(at - 1, at) && self.reach().repeats_forward(at);
            let (token, change) = (self.tokens[at], self.pending.change);
            let reach = self.reach_mut();
            let is_new =
                if is_repeated { reach.copy_forward(at, at + 1) } else { reach.step_forward(at, token, change) };
            self.pending.forward.remove(&at);
            if is_new {
                self.rows.forget(at + 1);
                self.pending.forward.extend(Some(at + 1).filter(|&next| next < self.tokens.len()));
            }
        }
        self.pending.settle();
        Ok(())
    }

    fn settle_backward(&mut self, begin: usize) -> Result<()> {
        let limit = self.constraint.tables().limits().canvas_bytes;
        while let Some(at) = self.pending.backward.last().copied().filter(|&at| at >= begin) {
            self.reach_mut().trim(limit)?;
            let is_repeated = at + 1 < self.len() && self.are_holes(at, at + 1) && self.reach().repeats_backward(at);
            let (token, change) = (self.tokens[at], self.pending.change);
            let reach = self.reach_mut();
            let is_new =
                if is_repeated { reach.copy_backward(at + 1, at) } else { reach.step_backward(at, token, change) };
            self.pending.backward.remove(&at);
            if is_new && let Some(before) = at.checked_sub(1) {
                self.rows.forget(before);
                self.pending.backward.insert(before);
            }
        }
        self.pending.settle();
        Ok(())
    }

    fn are_holes(&self, one: usize, other: usize) -> bool {
        self.tokens[one].is_none() && self.tokens[other].is_none()
    }

    /// The error for a token that does not fit at a position.
    fn rejected(&self, position: usize, token: TokenId) -> Error {
        let expected = self.expected(position);
        let text = self.spelled(token);
        let what = match text {
            [] if self.vocabulary().eos().contains(&token) => format!("token {token} (end of text)"),
            [] => format!("token {token} (it spells nothing)"),
            text => format!("token {token} ({})", readable(text)),
        };
        let message = format!("{what} does not fit at position {position} of the canvas: expected {expected}");
        Error::new(Kind::Rejected { token: Some(token), text: text.to_vec(), position, expected }, message)
    }

    /// Some of the tokens that fit at a position, if nothing is there, readable.
    fn expected(&self, position: usize) -> String {
        let mut open = self.clone();
        open.put(position, None);
        if bounded(self.constraint.tables().limits().work, || open.settle(self.len(), 0)).is_err() {
            return "another token".to_owned();
        }
        let sets = open.reach_mut().find_sets(position);
        let mut tokens = sets.iter().flat_map(|set| self.around.sets().tokens(set)).copied();
        let shown: Vec<String> = tokens.by_ref().take(SHOWN).map(|token| self.show_token(token)).collect();
        let more = if tokens.next().is_some() { ", ..." } else { "" };
        format!("{}{more}", shown.join(", "))
    }

    fn show_token(&self, token: TokenId) -> String {
        let text = self.spelled(token);
        if text.is_empty() { "an end of text".to_owned() } else { readable(text) }
    }
}

fn readable(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(&without_letters(text)))
}

/// How many tokens a text may have.
fn room(length: usize, after: u32) -> usize {
    length.saturating_add(after as usize)
}

/// Fails unless the shortest text, of so many tokens, has room.
fn check_room(need: u32, length: usize, after: u32) -> Result<()> {
    if need == NEVER {
        let message = "canvas: the vocabulary cannot spell any text of this form";
        return Err(
            Error::new(Kind::DeadEnd, message).hint("give the vocabulary a token for every byte, or change the form")
        );
    }
    let room = room(length, after);
    if need as usize <= room { Ok(()) } else { Err(no_room(need as usize, room)) }
}

/// The error where the shortest text has too many tokens.
fn no_room(need: usize, room: usize) -> Error {
    let message = format!("canvas: the shortest text has {need} tokens, but there is room for {room}");
    Error::new(Kind::Limit { limit: "canvas", value: need, allowed: room }, message)
        .hint("ask for more positions, or say with `after` how many tokens may follow them")
}

/// What a change does to what is around it.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Sets can only shrink.
    Fewer,
    Any,
}

impl Change {
    /// The set that held what is found again, if that can only be a part of it.
    fn keeps_within<T>(self, known: &T) -> Option<&T> {
        matches!(self, Self::Fewer).then_some(known)
    }
}

#[cfg(test)]
mod tests;
