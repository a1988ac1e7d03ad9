//! A text of so many positions whose tokens become known in any order: exact masks of every hole.
//!
//! ```text
//! positions   0    1    2    3          a date, `-` known at position 1
//! tokens      .    -    .    .          forward[2]: where the first two tokens may have led
//!                                       backward[3]: where the last one may begin
//! ```
//!
//! A token fits in a hole exactly if some tokens in all other holes make the canvas a conforming text, then ends of text up
//! to the last position. States are found from the left ([`Canvas::forward`]) and from the right
//! ([`Canvas::backward`]), so a hole is asked by the edges between them alone. With `after`, the text may need so many
//! tokens more than the canvas has.
//!
//! Cost: a known token changes states to its right and left until they are as they were. A step over a hole looks at
//! the edges of the states before it, a step over a known token at each state. Two bits for each state and position.

mod joint;
mod rows;
mod state_set;

use std::sync::Arc;

use crate::error::{Error, Kind, Result};
use crate::language::without_letters;
use crate::matcher::constraint::Constraint;
use crate::matcher::edges::{Edges, NEVER, State, Step};
use crate::vocabulary::{TokenId, Vocabulary};

pub use joint::{Filling, LogProbabilities};
pub use rows::FilledRows;
use rows::RowCache;
use state_set::StateSet;

/// Of the tokens that fit at a position, so many are shown by an error.
const SHOWN: usize = 8;

/// A text whose tokens become known in any order.
#[derive(Clone, Debug)]
pub struct Canvas {
    constraint: Constraint,
    edges: Arc<Edges>,
    /// By position: its token, if it is known.
    tokens: Vec<Option<TokenId>>,
    /// By position, and after the last one: the states before it that the tokens and holes to its left lead to.
    forward: Vec<StateSet>,
    /// By position, and after the last one: the states before it from which the tokens and holes to its right lead to
    /// an end.
    backward: Vec<StateSet>,
    rows: RowCache,
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
        Canvas::new(self.clone(), self.edges()?, length, after)
    }
}

impl Canvas {
    fn new(constraint: Constraint, edges: Arc<Edges>, length: usize, after: u32) -> Result<Self> {
        if length == 0 {
            return Err(Error::argument("length", "canvas: it needs at least one position"));
        }
        let limit = constraint.tables().limits().canvas_bytes;
        let bytes = length.saturating_add(1).saturating_mul(2 * edges.len().div_ceil(64) * size_of::<u64>());
        if bytes > limit {
            return Err(Error::limit("canvas_bytes", bytes, limit).hint("ask for fewer positions"));
        }
        check_room(&edges, length, after)?;
        let none = StateSet::none_of(edges.len());
        let (mut start, mut last) = (none.clone(), none.clone());
        start.insert(0);
        (0..=edges.ended()).filter(|&state| edges.need(state) <= after).for_each(|state| last.insert(state));
        let (mut forward, mut backward) = (vec![none.clone(); length + 1], vec![none; length + 1]);
        (forward[0], backward[length]) = (start, last);
        let rows = RowCache::new(length, limit / 4);
        let mut made = Self { constraint, edges, tokens: vec![None; length], forward, backward, rows };
        made.sweep(&[0, length - 1], Change::Any);
        Ok(made)
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

    /// The positions whose token is not known.
    pub fn holes(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&position| self.tokens[position].is_none())
    }

    /// How many states its form has, and how many edges.
    pub fn form_size(&self) -> (usize, usize) {
        (self.edges.len(), self.edges.edge_count())
    }

    /// Bytes of memory held, roughly, beside what all canvases of the form share.
    pub fn bytes(&self) -> usize {
        let of_position = size_of::<Option<TokenId>>() + 2 * (self.edges.len() / 8 + size_of::<StateSet>());
        (self.len() + 1) * of_position + self.rows.bytes()
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
    /// such position; [`Kind::Vocabulary`] for an unknown id.
    pub fn place(&mut self, position: usize, token: TokenId) -> Result<()> {
        self.check(position, token)?;
        if self.try_place(position, token) { Ok(()) } else { Err(self.rejected(position, token)) }
    }

    /// Puts tokens into positions, one after the other, and says of each whether it fits there.
    ///
    /// # Errors
    /// As [`Canvas::place`], before anything is changed, but for [`Kind::Rejected`].
    pub fn place_all(&mut self, tokens: &[(usize, TokenId)]) -> Result<Vec<bool>> {
        tokens.iter().try_for_each(|&(position, token)| self.check(position, token))?;
        Ok(tokens.iter().map(|&(position, token)| self.try_place(position, token)).collect())
    }

    /// Makes positions holes again.
    ///
    /// # Errors
    /// [`Kind::Argument`] where there is no such position, with the canvas unchanged.
    pub fn lift(&mut self, positions: &[usize]) -> Result<()> {
        positions.iter().try_for_each(|&position| self.check_position(position))?;
        let mut known: Vec<usize> = positions.iter().copied().filter(|&at| self.tokens[at].is_some()).collect();
        known.sort_unstable();
        for &position in &known {
            self.tokens[position] = None;
        }
        self.sweep(&known, Change::Any);
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
    fn try_place(&mut self, position: usize, token: TokenId) -> bool {
        let step = self.edges.step_of(self.vocabulary(), token);
        let after = &self.backward[position + 1];
        let fits = self.forward[position].iter().any(|state| step.from(state).is_some_and(|to| after.has(to)));
        if fits {
            let before = self.tokens[position].replace(token);
            match before {
                None => self.sweep(&[position], Change::Fewer),
                Some(before) if before != token => self.sweep(&[position], Change::Any),
                Some(_) => {}
            }
        }
        fits
    }

    /// Finds the states again, around some positions that have changed, ascending.
    fn sweep(&mut self, changed: &[usize], change: Change) {
        let (Some(&first), Some(&last)) = (changed.first(), changed.last()) else { return };
        let constraint = self.constraint.clone();
        let (vocabulary, edges) = (&constraint.tables().vocabulary, Arc::clone(&self.edges));
        let step_of = |token: Option<TokenId>| token.map(|token| edges.step_of(vocabulary, token));
        let mut found = StateSet::none_of(edges.len());
        for at in first..self.len() {
            if at > 0 && self.are_holes(at - 1, at) && self.forward[at - 1] == self.forward[at] {
                found.clone_from(&self.forward[at]);
            } else {
                let (from, known) = (&self.forward[at], &self.forward[at + 1]);
                step_forward(&edges, from, step_of(self.tokens[at]), change.among(known), &mut found);
            }
            if found != self.forward[at + 1] {
                std::mem::swap(&mut found, &mut self.forward[at + 1]);
                self.rows.forget(at + 1);
            } else if at >= last {
                break;
            }
        }
        for at in (0..=last).rev() {
            if at + 1 < self.len() && self.are_holes(at, at + 1) && self.backward[at + 2] == self.backward[at + 1] {
                found.clone_from(&self.backward[at + 1]);
            } else {
                let (to, known) = (&self.backward[at + 1], &self.backward[at]);
                step_backward(&edges, to, step_of(self.tokens[at]), change.among(known), &mut found);
            }
            if found != self.backward[at] {
                std::mem::swap(&mut found, &mut self.backward[at]);
                at.checked_sub(1).into_iter().for_each(|before| self.rows.forget(before));
            } else if at <= first {
                break;
            }
        }
    }

    fn are_holes(&self, one: usize, other: usize) -> bool {
        self.tokens[one].is_none() && self.tokens[other].is_none()
    }

    /// The error for a token that does not fit at a position.
    fn rejected(&self, position: usize, token: TokenId) -> Error {
        let text = self.spelled(token);
        let what = match text {
            [] if self.vocabulary().eos().contains(&token) => format!("token {token} (end of text)"),
            [] => format!("token {token} (it spells nothing)"),
            text => format!("token {token} ({})", readable(text)),
        };
        let expected = self.expected(position);
        let message = format!("{what} does not fit at position {position} of the canvas: expected {expected}");
        Error::new(Kind::Rejected { token: Some(token), text: text.to_vec(), position, expected }, message)
    }

    /// Some of the tokens that fit at a position, readable.
    fn expected(&self, position: usize) -> String {
        let sets = self.sets_at(position);
        let mut tokens = sets.iter().flat_map(|set| self.edges.sets().tokens(set)).copied();
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

/// Fails unless some text has room.
fn check_room(edges: &Edges, length: usize, after: u32) -> Result<()> {
    let need = edges.need(0);
    if need == NEVER {
        let message = "canvas: the vocabulary cannot spell any text of this form";
        return Err(
            Error::new(Kind::DeadEnd, message).hint("give the vocabulary a token for every byte, or change the form")
        );
    }
    let room = length.saturating_add(after as usize);
    if need as usize <= room {
        return Ok(());
    }
    let message = format!("canvas: the shortest text has {need} tokens, but there is room for {room}");
    Err(Error::new(Kind::Limit { limit: "canvas", value: need as usize, allowed: room }, message)
        .hint("ask for more positions, or say with `after` how many tokens may follow them"))
}

/// What a change does to the states around it.
#[derive(Clone, Copy)]
enum Change {
    /// There are no others than before.
    Fewer,
    Any,
}

impl Change {
    /// The states that a set may have after the change, if that is known.
    fn among(self, before: &StateSet) -> Option<&StateSet> {
        match self {
            Self::Fewer => Some(before),
            Self::Any => None,
        }
    }
}

/// The states after a hole, or after a known token; `among` has them all.
fn step_forward(edges: &Edges, from: &StateSet, token: Option<Step<'_>>, among: Option<&StateSet>, to: &mut StateSet) {
    to.clear();
    match (token, among) {
        (Some(step), _) => from.iter().filter_map(|state| step.from(state)).for_each(|after| to.insert(after)),
        (None, None) => from.iter().flat_map(|state| edges.edges_of(state)).for_each(|edge| to.insert(edge.to)),
        (None, Some(among)) => {
            let is_reached = |&state: &State| edges.before(state).iter().any(|&before| from.has(before));
            among.iter().filter(is_reached).for_each(|state| to.insert(state));
        }
    }
}

/// The states before a hole, or before a known token; `among` has them all.
fn step_backward(edges: &Edges, to: &StateSet, token: Option<Step<'_>>, among: Option<&StateSet>, from: &mut StateSet) {
    from.clear();
    let leads = |state: &State| match token {
        None => edges.edges_of(*state).iter().any(|edge| to.has(edge.to)),
        Some(step) => step.from(*state).is_some_and(|after| to.has(after)),
    };
    match among {
        Some(among) => among.iter().filter(leads).for_each(|state| from.insert(state)),
        None => (0..=edges.ended()).filter(leads).for_each(|state| from.insert(state)),
    }
}

#[cfg(test)]
mod tests;
