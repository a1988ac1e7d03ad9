//! `Matcher` and `fill_bitmasks`.

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use formwright::Kind;
use formwright::matcher::{self as kernel, Row};
use formwright::vocabulary::Vocabulary;

use crate::buffer::{Found, Rows};
use crate::constraint::Constraint;
use crate::errors::{Int, argument, count, lift, locked, raise, unlocked};
use crate::masks::{allowed, best};
use crate::parser::{check, detached};
use crate::vocabulary::{known, known_all};

/// Characters of the text that a repr shows.
const SHOWN: usize = 30;

/// One running sequence. Not for use by two threads at once (a second thread gets an error, not a race).
///
/// Made by `Constraint.matcher`.
#[pyclass(module = "formwright._kernel")]
pub struct Matcher {
    constraint: Py<Constraint>, // goes first: what the kernel remembers for further texts is of no use if nobody has it
    pub kernel: kernel::Matcher,
}

impl Matcher {
    pub fn new(constraint: Py<Constraint>, kernel: kernel::Matcher) -> Self {
        Self { constraint, kernel }
    }

    fn vocabulary(&self) -> &Vocabulary {
        &self.kernel.constraint().tables().vocabulary
    }

    pub fn words(&self) -> usize {
        self.vocabulary().mask_words()
    }

    /// Whether its form has a parser in it.
    pub fn asks(&self) -> bool {
        self.kernel.constraint().graph().has_parser()
    }

    /// Runs `work` as a form with a parser needs it, see [`detached`].
    fn run<T: Send>(&mut self, py: Python<'_>, work: impl FnOnce(&mut kernel::Matcher) -> T + Send) -> PyResult<T> {
        let (asks, kernel) = (self.asks(), &mut self.kernel);
        detached(py, asks, || work(kernel))
    }

    /// As [`Matcher::run`], for answers that a parser which failed may have spoilt.
    fn ask<T: Send>(&mut self, py: Python<'_>, work: impl FnOnce(&mut kernel::Matcher) -> T + Send) -> PyResult<T> {
        let answer = self.run(py, work)?;
        lift(py, self.kernel.constraint().graph().check_parsers())?;
        Ok(answer)
    }

    /// Writes the allowed tokens into the words of a row. A form with a parser was checked before.
    fn fill(&mut self, py: Python<'_>, words: &[AtomicU32], budget: Option<u32>) -> PyResult<()> {
        if !self.asks() && locked(py, || self.kernel.write_quick(words, budget))? {
            return Ok(()); // the lock was kept: another thread would not have been done sooner
        }
        let mask = lift(py, unlocked(py, || self.kernel.mask(budget))?)?;
        mask.write(self.vocabulary(), words);
        Ok(())
    }

    fn accept(&mut self, py: Python<'_>, id: u32) -> PyResult<()> {
        let accepted = self.run(py, |kernel| kernel.accept_token(id))?;
        lift(py, accepted)
    }

    fn is_end(&self, id: u32) -> bool {
        self.vocabulary().eos().binary_search(&id).is_ok()
    }

    /// Whether there is a choice among the tokens that the words of a row allow.
    fn choice(&self, words: &[AtomicU32]) -> Choice {
        let mut allowed = allowed(words);
        match (allowed.next(), allowed.next()) {
            (None, _) => Choice::Open,
            (Some(first), None) if !self.is_end(first) => Choice::Only(first),
            (Some(first), second) => {
                let mut all = [first].into_iter().chain(second).chain(allowed);
                if all.all(|id| self.is_end(id)) { Choice::End } else { Choice::Open }
            }
        }
    }

    /// A fork one token on, unless the token cannot come here or ends the text.
    pub fn after(&self, py: Python<'_>, id: Int) -> PyResult<Option<Self>> {
        let mut fork = self.fork(py);
        let accepted = fork.run(py, |kernel| kernel.accept_token(id.id()))?;
        match accepted {
            Ok(()) => Ok((!fork.kernel.is_finished()).then_some(fork)),
            Err(error) if matches!(*error.kind, Kind::Rejected { .. } | Kind::Vocabulary) => Ok(None),
            Err(error) => Err(raise(py, error)),
        }
    }

    /// [`Matcher::fill`]; false, and nothing written, if no text fits into the budget.
    pub fn fill_within(&mut self, py: Python<'_>, words: &[AtomicU32], budget: Option<u32>) -> PyResult<bool> {
        if !self.asks() && locked(py, || self.kernel.write_quick(words, budget))? {
            return Ok(true);
        }
        match unlocked(py, || self.kernel.mask(budget))? {
            Ok(mask) => mask.write(self.vocabulary(), words),
            Err(error) if matches!(*error.kind, Kind::Limit { limit: "budget", .. }) => return Ok(false),
            Err(error) => return Err(raise(py, error)),
        }
        Ok(true)
    }

    /// Accepts the only token that may come next, if there is one, and says what there was.
    fn step(&mut self, py: Python<'_>, words: &[AtomicU32], budget: Option<u32>) -> PyResult<Choice> {
        self.fill(py, words, budget)?;
        let choice = self.choice(words);
        if let Choice::Only(id) = choice {
            self.accept(py, id)?;
        }
        Ok(choice)
    }

    /// Accepts the tokens that can only come next, `most` at most; whether only an end may come after them, if that was
    /// found out.
    fn go_on(
        &mut self,
        py: Python<'_>,
        words: &[AtomicU32],
        most: u32,
        finish: bool,
        taken: &mut Vec<u32>,
    ) -> PyResult<Option<bool>> {
        check(py, self.asks())?;
        for left in (1..=most).rev() {
            match self.step(py, words, finish.then_some(left))? {
                Choice::Only(id) => taken.push(id),
                choice => return Ok(Some(matches!(choice, Choice::End))),
            }
        }
        Ok(None)
    }

    /// What a token adds to a text.
    fn spelled(&self, id: u32) -> &[u8] {
        let vocabulary = self.vocabulary();
        if vocabulary.is_control(id) {
            return vocabulary.control_name(id).map_or(&[], str::as_bytes);
        }
        vocabulary.token(id)
    }
}

/// What may come next.
enum Choice {
    /// This token, and no other one.
    Only(u32),
    /// Ends of text, and no token.
    End,
    Open,
}

#[pymethods]
impl Matcher {
    /// The constraint it runs on.
    #[getter]
    fn constraint(&self, py: Python<'_>) -> Py<Constraint> {
        self.constraint.clone_ref(py)
    }

    /// Write the allowed tokens into one row.
    ///
    /// Args:
    ///     mask: A `RowBuffer`, or a writable, C-contiguous int32 buffer (numpy array, CPU tensor's numpy view) of
    ///         shape ``(rows, mask_words)`` or ``(mask_words,)``. Bit ``t & 31`` of word ``t >> 5`` is token ``t``;
    ///         1 = allowed.
    ///     row: Which row to write, counted from 0.
    ///     budget: If given, allow only tokens after which a complete text still fits in ``budget`` tokens,
    ///         this token included (the end-of-text token is not counted).
    ///
    /// Raises:
    ///     TypeError: ``mask`` is not a writable int32 buffer.
    ///     ArgumentError: The shape of the buffer, the row or the budget does not fit.
    ///     DeadEnd: No token of the vocabulary can come next.
    ///     LimitExceeded: ``budget`` is too small for any complete text.
    #[pyo3(signature = (mask, row=Int(0), *, budget=None), text_signature = "($self, mask, row=0, *, budget=None)")]
    fn fill_bitmask(&mut self, py: Python<'_>, mask: &Bound<'_, PyAny>, row: Int, budget: Option<Int>) -> PyResult<()> {
        let rows = Found::of(mask, self.words())?;
        let row = rows.check(py, row)?;
        let budget = budget.map(|budget| count(py, "budget", budget)).transpose()?;
        check(py, self.asks())?;
        self.fill(py, rows.row(row), budget)
    }

    /// Write the allowed tokens along a draft tree, for speculative decoding: at this place, and after each guess.
    ///
    /// The state does not change. Row 0 is this place, row ``i + 1`` is what may come after guess ``i``: nothing, if
    /// the guess cannot come itself or ends the text::
    ///
    ///     mask = allocate_bitmask(4, vocabulary)
    ///     matcher.mask_tree([5, 6, 7], [-1, -1, 0], mask)      # 5 or 6 comes next; 7 is a guess after 5
    ///
    /// Args:
    ///     token_ids: The guesses, each after its parent.
    ///     parents: For each guess the index of the guess that it follows; -1 follows the text. A chain is
    ///         ``range(-1, len(token_ids) - 1)``.
    ///     mask: As `fill_bitmask`, with ``len(token_ids) + 1`` rows or more.
    ///     budget: As `fill_bitmask`, counted from this place; guesses that do not keep to it cannot come.
    ///
    /// Returns:
    ///     For each guess whether it can come.
    ///
    /// Raises:
    ///     ArgumentError: The lengths differ, a parent does not precede its guess, or the mask has too few rows.
    ///     VocabularyError: There is no such id.
    ///     TypeError, DeadEnd, LimitExceeded: As `fill_bitmask`; no row was written.
    #[pyo3(signature = (token_ids, parents, mask, *, budget=None))]
    #[allow(clippy::needless_pass_by_value)]
    fn mask_tree(
        &mut self,
        py: Python<'_>,
        token_ids: Vec<Int>,
        parents: Vec<Int>,
        mask: &Bound<'_, PyAny>,
        budget: Option<Int>,
    ) -> PyResult<Vec<bool>> {
        let ids = known_all(py, self.vocabulary(), &token_ids)?;
        let rows = Found::of(mask, self.words())?;
        rows.check(py, Int(ids.len() as i64))?;
        let budget = budget.map(|budget| count(py, "budget", budget)).transpose()?;
        if let Some(wrong) = parents.iter().find(|parent| parent.0 < -1) {
            let message = format!("mask_tree: there is no guess {}: parents go from -1 on", wrong.0);
            return Err(argument(py, "parents", message));
        }
        let parents: Vec<Option<usize>> = parents.iter().map(|parent| usize::try_from(parent.0).ok()).collect();
        if parents.len() != ids.len() {
            return Err(argument(py, "parents", "mask_tree: there must be one parent for each guess".to_owned()));
        }
        let guesses: Vec<kernel::Guess> = ids.into_iter().zip(parents).collect();
        check(py, self.asks())?;
        let rows: &Rows = &rows;
        let kernel = &mut self.kernel;
        let found = unlocked(py, || {
            let mut masks: Vec<Option<kernel::Mask>> = vec![None; guesses.len() + 1];
            kernel.mask_tree(&guesses, budget, |row, mask| masks[row] = Some(mask.clone())).map(|valid| (valid, masks))
        })?;
        let (valid, masks) = lift(py, found)?;
        for (row, mask) in masks.into_iter().enumerate() {
            match mask {
                Some(mask) => mask.write(self.vocabulary(), rows.row(row)),
                None => rows.row(row).fill(0),
            }
        }
        Ok(valid)
    }

    /// The ids of the tokens that may come next, ascending: the same as `fill_bitmask`, as a list.
    ///
    /// For a look and for small vocabularies; a decode loop wants the mask.
    ///
    /// Raises:
    ///     DeadEnd, LimitExceeded, ArgumentError: As `fill_bitmask`.
    #[pyo3(signature = (*, budget=None))]
    fn allowed_token_ids(&mut self, py: Python<'_>, budget: Option<Int>) -> PyResult<Vec<u32>> {
        let budget = budget.map(|budget| count(py, "budget", budget)).transpose()?;
        check(py, self.asks())?;
        let mask = lift(py, unlocked(py, || self.kernel.mask(budget))?)?;
        let words: Vec<AtomicU32> = (0..self.words()).map(|_| AtomicU32::new(0)).collect();
        mask.write(self.vocabulary(), &words[..]);
        let bit = |id: &u32| words[*id as usize / 32].load(Ordering::Relaxed) >> (id % 32) & 1 == 1;
        Ok((0..self.vocabulary().logits_size() as u32).filter(bit).collect())
    }

    /// Advance by one token.
    ///
    /// Raises:
    ///     TokenRejected: It cannot come here; the state is unchanged.
    ///     VocabularyError: There is no such id.
    ///     LimitExceeded: The text leads to too many places at once, as where counters are inside one another; the
    ///         state is unchanged.
    fn accept_token(&mut self, py: Python<'_>, token_id: Int) -> PyResult<()> {
        let id = known(py, self.vocabulary(), token_id)?;
        self.accept(py, id)
    }

    /// Advance by the allowed token with the largest logit, and by the tokens that can only come after it.
    ///
    /// A whole greedy step in one call, which writes the mask of the place after it::
    ///
    ///     matcher.take_forced(mask, most=64)                             # what can only come first
    ///     token_ids, data, is_over = matcher.take(logits, mask, left=64)
    ///
    /// Args:
    ///     logits: A C-contiguous float32 buffer of shape ``(width,)``, as `formwright._kernel.best_allowed`.
    ///     mask: The mask of this place, as `fill_bitmask`, `take_forced` or the last call has written it.
    ///     row: Which row to read and to write, counted from 0.
    ///     left: How many tokens at most, the chosen one included.
    ///     finish: Whether ``left`` is a budget too: a complete text must still fit in it.
    ///     forced: Whether to go on after the chosen token. If not, the mask stays as it is.
    ///
    /// Returns:
    ///     The tokens, the bytes that they spell (a control token its name), and whether the text is over: true and no
    ///     tokens if the best one is an end of text, true also if only an end may come next. ``None`` as `take_forced`.
    ///
    /// Raises:
    ///     DeadEnd: The best logit is not a finite number; the state is unchanged.
    ///     TypeError, BufferError, ArgumentError: A buffer, the row or ``left`` does not fit, or no token is allowed.
    ///     TokenRejected: The mask is of another place; the state is unchanged.
    #[pyo3(
        signature = (logits, mask, row=Int(0), *, left, finish=true, forced=true),
        text_signature = "($self, logits, mask, row=0, *, left, finish=True, forced=True)"
    )]
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
    fn take<'py>(
        &mut self,
        py: Python<'py>,
        logits: PyBuffer<f32>,
        mask: &Bound<'py, PyAny>,
        row: Int,
        left: Int,
        finish: bool,
        forced: bool,
    ) -> PyResult<(Vec<u32>, Bound<'py, PyBytes>, Option<bool>)> {
        let rows = Found::of(mask, self.words())?;
        let words = rows.row(rows.check(py, row)?);
        let left: u32 = count(py, "left", left)?;
        let (id, logit) = best(py, &logits, words)?;
        if !logit.is_finite() {
            let message = format!("the largest logit of an allowed token is not finite: {logit}");
            return Err(raise(py, formwright::Error::new(formwright::Kind::DeadEnd, message)));
        }
        if self.is_end(id) {
            return Ok((Vec::new(), PyBytes::new(py, b""), Some(true)));
        }
        if left == 0 {
            return Err(argument(py, "left", "left: expected 1 or more, got 0".to_owned()));
        }
        self.accept(py, id)?;
        let mut taken = vec![id];
        let is_over = if forced { self.go_on(py, words, left - 1, finish, &mut taken).unwrap_or(None) } else { None };
        let bytes: Vec<u8> = taken.iter().flat_map(|&id| self.spelled(id)).copied().collect();
        Ok((taken, PyBytes::new(py, &bytes), is_over))
    }

    /// Advance by the tokens that can only come next, one by one as the masks say; writes the last mask.
    ///
    /// Args:
    ///     mask: As `fill_bitmask`.
    ///     row: Which row to write, counted from 0.
    ///     most: How many tokens at most.
    ///     finish: Whether ``most`` is a budget too: a complete text must still fit in it.
    ///
    /// Returns:
    ///     The tokens, and whether only an end of text may come after them: ``None`` if that was not found out, because
    ///     there are ``most`` tokens, or because of an error, which the next call raises.
    ///
    /// Raises:
    ///     TypeError, ArgumentError, DeadEnd, LimitExceeded: As `fill_bitmask`; the state is unchanged.
    #[pyo3(signature = (mask, row=Int(0), *, most, finish=true), text_signature = "($self, mask, row=0, *, most, finish=True)")]
    fn take_forced(
        &mut self,
        py: Python<'_>,
        mask: &Bound<'_, PyAny>,
        row: Int,
        most: Int,
        finish: bool,
    ) -> PyResult<(Vec<u32>, Option<bool>)> {
        let rows = Found::of(mask, self.words())?;
        let words = rows.row(rows.check(py, row)?);
        let most: u32 = count(py, "most", most)?;
        let mut taken = Vec::new();
        match self.go_on(py, words, most, finish, &mut taken) {
            Err(error) if taken.is_empty() => Err(error),
            is_over => Ok((taken, is_over.unwrap_or(None))), // an error is raised by the next call
        }
    }

    /// Advance by all of these tokens, or by none.
    ///
    /// Raises:
    ///     TokenRejected: One of them cannot come in its turn; the state is unchanged.
    ///     VocabularyError: There is no such id; the state is unchanged.
    #[allow(clippy::needless_pass_by_value)]
    fn accept_tokens(&mut self, py: Python<'_>, token_ids: Vec<Int>) -> PyResult<()> {
        let ids = known_all(py, self.vocabulary(), &token_ids)?;
        let accepted = self.run(py, |kernel| kernel.accept_tokens(&ids))?;
        lift(py, accepted)
    }

    /// How many of these tokens could be accepted in turn; the state does not change.
    ///
    /// Raises:
    ///     VocabularyError: There is no such id.
    #[allow(clippy::needless_pass_by_value)]
    fn validate_tokens(&mut self, py: Python<'_>, token_ids: Vec<Int>) -> PyResult<usize> {
        let ids = known_all(py, self.vocabulary(), &token_ids)?;
        let valid = self.run(py, |kernel| kernel.validate_tokens(&ids))?;
        lift(py, valid)
    }

    /// Advance by bytes rather than by a token. Counts as one step for `rollback`.
    ///
    /// Raises:
    ///     TokenRejected: They cannot come here; the state is unchanged.
    fn accept_bytes(&mut self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        let accepted = self.run(py, |kernel| kernel.accept_bytes(data))?;
        lift(py, accepted)
    }

    /// Undo the last ``steps`` accepted tokens or byte runs.
    ///
    /// Raises:
    ///     MatchError: There are fewer.
    #[pyo3(signature = (steps=Int(1)), text_signature = "($self, steps=1)")]
    fn rollback(&mut self, py: Python<'_>, steps: Int) -> PyResult<()> {
        let steps = count(py, "steps", steps)?;
        lift(py, locked(py, || self.kernel.rollback(steps))?)
    }

    /// An independent copy at the same place.
    fn fork(&self, py: Python<'_>) -> Self {
        Self { constraint: self.constraint.clone_ref(py), kernel: self.kernel.fork() }
    }

    /// Back to the start of the text.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.run(py, kernel::Matcher::reset)
    }

    /// The bytes that can only come next, maybe empty; the state does not change.
    fn forced_bytes<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.ask(py, |kernel| kernel.forced_bytes())?))
    }

    /// The tokens that can only come next, one after the other; the state does not change.
    ///
    /// With canonical tokens, or where forced ones are canonical, these are what the tokenizer itself would write.
    ///
    /// Raises:
    ///     DeadEnd, LimitExceeded: As `fill_bitmask`.
    fn forced_token_ids(&mut self, py: Python<'_>) -> PyResult<Vec<u32>> {
        check(py, self.asks())?;
        let forced = unlocked(py, || self.kernel.forced_tokens())?;
        lift(py, self.kernel.constraint().graph().check_parsers())?;
        lift(py, forced)
    }

    /// Whether the first token may continue the last piece of the prompt that the matcher was made with.
    #[getter]
    fn continues_prompt(&self) -> bool {
        self.kernel.continues_prompt()
    }

    /// Whether the text so far is complete (it may still go on).
    #[getter]
    fn is_complete(&self) -> bool {
        self.kernel.is_accepting()
    }

    /// Whether an end-of-text token was accepted.
    #[getter]
    fn is_finished(&self) -> bool {
        self.kernel.is_finished()
    }

    /// Tokens that the shortest known completion needs, end-of-text not counted; 0 when complete.
    #[getter]
    fn min_tokens_to_finish(&mut self, py: Python<'_>) -> PyResult<u32> {
        lift(py, self.kernel.constraint().graph().check_ends())?;
        check(py, self.asks())?;
        let kernel = &mut self.kernel;
        let needed = unlocked(py, || kernel.min_tokens_to_finish())?; // the first time it may take long
        lift(py, self.kernel.constraint().graph().check_parsers())?;
        Ok(needed)
    }

    /// The named parts of the text so far, as `formwright.Form.parts` gives them.
    ///
    /// The last one is open if the text is not complete.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let form = self.constraint.bind(py).getattr("form")?;
        let kwargs = PyDict::new(py);
        kwargs.set_item("is_open", !self.kernel.is_accepting() && !self.kernel.is_finished())?;
        let found = py.import("formwright.forms.readers")?.call_method(
            "found_parts",
            (form, self.accepted_bytes(py)),
            Some(&kwargs),
        )?;
        found.try_iter()?.collect::<PyResult<Vec<_>>>().and_then(|parts| PyTuple::new(py, parts))
    }

    /// The bytes accepted so far. A control token is its name, between two bytes 0xFF.
    #[getter]
    fn accepted_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.kernel.text())
    }

    fn __repr__(&self) -> String {
        let text = String::from_utf8_lossy(self.kernel.text());
        let characters = text.chars().count();
        let last: String = text.chars().skip(characters.saturating_sub(SHOWN)).collect();
        let cut = if characters > SHOWN { "..." } else { "" };
        let state = match (self.kernel.is_finished(), self.kernel.is_accepting()) {
            (true, _) => "finished",
            (false, true) => "complete",
            (false, false) => "incomplete",
        };
        format!("Matcher(after {cut}{last:?}, {state})")
    }
}
