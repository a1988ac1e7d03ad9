//! One running sequence.
//!
//! A [`Matcher`] owns its threads, its arena and its history, and shares the
//! frozen [`Constraint`]. It accepts tokens or bytes, tells which tokens may
//! come next, goes back, forks.
//!
//! Cost: accepting a token steps its bytes (about 0.1 us); a fork copies a few
//! dozen words; going back restores a saved state.

mod arena;
mod budget;
mod cost;
mod mask;
mod program;
mod step;
mod thread;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use budget::Budget;
use mask::{Entry, Masker};
use step::{Machine, Memory};
use thread::{Head, Thread};

use crate::constraint::Constraint;
use crate::error::{Error, Kind, Result};
use crate::language::INFINITE;
use crate::vocabulary::TokenId;

pub use mask::Links;
pub use program::Program;
pub use thread::ByteSet;

/// A program reading bytes, without a vocabulary.
#[derive(Debug)]
pub struct Text<'p> {
    program: &'p Program,
    memory: Memory,
    threads: Vec<Thread>,
}

impl<'p> Text<'p> {
    /// Before the first byte.
    pub fn new(program: &'p Program) -> Self {
        let mut memory = Memory::default();
        let threads = Machine::new(program, &mut memory).initial();
        Self { program, memory, threads }
    }

    /// Reads as much of `text` as is in form; returns how many bytes that is.
    pub fn read(&mut self, text: &[u8]) -> usize {
        for (index, &byte) in text.iter().enumerate() {
            let next = advance(self.program, &mut self.memory, &self.threads, byte);
            if next.is_empty() {
                return index;
            }
            self.threads = next;
        }
        text.len()
    }

    /// Whether the text so far is complete.
    pub fn is_accepting(&self) -> bool {
        accepting(&self.threads)
    }

    /// Fails if a bound was reached on the way, so that the answers cannot be trusted.
    pub fn sound(&self) -> Result<()> {
        sound(self.program)
    }

    /// The bytes that may come next.
    pub fn next_bytes(&mut self) -> Vec<u8> {
        next_bytes(self.program, &mut self.memory, &self.threads)
    }

    /// Completes the text on a shortest way; returns the bytes added.
    pub fn shortest_completion(&mut self) -> Vec<u8> {
        let mut added = Vec::new();
        while !self.is_accepting() {
            let Some((byte, next)) = self.cheapest_byte() else { break };
            self.memory.path.push(byte);
            self.threads = next;
            added.push(byte);
        }
        added
    }

    fn cheapest_byte(&mut self) -> Option<(u8, Vec<Thread>)> {
        let mut machine = Machine::new(self.program, &mut self.memory);
        let ways = PREFERRED.iter().copied().chain((0..=255).filter(|byte| !PREFERRED.contains(byte)));
        let costed = ways.filter_map(|byte| {
            let mut next = Vec::new();
            machine.step_all(&self.threads, byte, &mut next, 0);
            (!next.is_empty()).then(|| (machine.cost(&next), byte, next))
        });
        costed.min_by_key(|(cost, ..)| *cost).map(|(_, byte, next)| (byte, next))
    }
}

/// Of equally short ways, examples take these bytes first.
const PREFERRED: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \"{}[]:,.-_/@";

/// The threads after one byte; the byte joins the path if there are any.
fn advance(program: &Program, memory: &mut Memory, threads: &[Thread], byte: u8) -> Vec<Thread> {
    let mut next = Vec::with_capacity(threads.len());
    Machine::new(program, memory).step_all(threads, byte, &mut next, 0);
    if !next.is_empty() {
        memory.path.push(byte);
    }
    next
}

fn accepting(threads: &[Thread]) -> bool {
    threads.iter().any(|thread| thread.head == Head::Accept)
}

fn next_bytes(program: &Program, memory: &mut Memory, threads: &[Thread]) -> Vec<u8> {
    let mut machine = Machine::new(program, memory);
    let mut out = Vec::new();
    let live = (0..=255).filter(|&byte| {
        out.clear();
        machine.step_all(threads, byte, &mut out, 0);
        !out.is_empty()
    });
    live.collect()
}

fn sound(program: &Program) -> Result<()> {
    if program.overflowed() {
        return Err(Error::new(
            Kind::Limit { limit: "automaton_states", value: 0, allowed: 0 },
            "limit reached: a pattern of this language needs more automaton states than allowed",
        )
        .hint("simplify the pattern: nested counters and alternatives that overlap multiply states"));
    }
    Ok(())
}

/// One accepted step, to go back to.
#[derive(Clone, Debug)]
struct Step {
    threads: Box<[Thread]>,
    path: u32,
    finished: bool,
}

/// One running sequence.
#[derive(Debug)]
pub struct Matcher {
    constraint: Constraint,
    memory: Arc<Memory>,
    threads: Vec<Thread>,
    history: Vec<Step>,
    finished: bool,
    entries: FxHashMap<Thread, Entry>,
    entry_bytes: usize,
    buffer: Vec<Thread>,
}

impl Clone for Matcher {
    /// An independent copy; remembered masks are not copied.
    fn clone(&self) -> Self {
        Self {
            constraint: self.constraint.clone(),
            memory: Arc::clone(&self.memory),
            threads: self.threads.clone(),
            history: self.history.clone(),
            finished: self.finished,
            entries: FxHashMap::default(),
            entry_bytes: 0,
            buffer: Vec::new(),
        }
    }
}

impl Matcher {
    pub(crate) fn new(constraint: Constraint) -> Self {
        let mut memory = Memory::default();
        let threads = Machine::new(constraint.program(), &mut memory).initial();
        Self {
            constraint,
            memory: Arc::new(memory),
            threads,
            history: Vec::new(),
            finished: false,
            entries: FxHashMap::default(),
            entry_bytes: 0,
            buffer: Vec::new(),
        }
    }

    /// The constraint it runs.
    pub fn constraint(&self) -> &Constraint {
        &self.constraint
    }

    /// The bytes accepted so far.
    pub fn text(&self) -> &[u8] {
        &self.memory.path
    }

    /// How many steps [`Matcher::rollback`] can undo.
    pub fn steps(&self) -> usize {
        self.history.len()
    }

    /// Whether the text so far is complete (it may still go on).
    pub fn is_accepting(&self) -> bool {
        accepting(&self.threads)
    }

    /// Whether an end-of-text token was accepted.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    // Going forward.

    /// Advances by one token.
    ///
    /// # Errors
    /// [`Kind::Rejected`] with the state unchanged; [`Kind::Vocabulary`] for an unknown id.
    pub fn accept_token(&mut self, token: TokenId) -> Result<()> {
        if self.try_token(token)? {
            return Ok(());
        }
        let constraint = self.constraint.clone();
        Err(self.rejected(Some(token), constraint.tables().vocabulary.token(token)))
    }

    /// Advances by one token; false, and unchanged, if it cannot come.
    fn try_token(&mut self, token: TokenId) -> Result<bool> {
        self.known_token(token)?;
        let constraint = self.constraint.clone();
        let vocabulary = &constraint.tables().vocabulary;
        if self.finished {
            return Ok(false);
        }
        if vocabulary.eos().binary_search(&token).is_ok() {
            if self.is_accepting() {
                self.save();
                self.finished = true;
            }
            return Ok(self.finished);
        }
        let bytes = vocabulary.token(token);
        Ok(!bytes.is_empty() && self.advance(bytes)?)
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
        if self.finished || !self.advance(text)? {
            return Err(self.rejected(None, text));
        }
        Ok(())
    }

    /// Steps all of `bytes`; false, and unchanged, if they are not in form.
    fn advance(&mut self, bytes: &[u8]) -> Result<bool> {
        let constraint = self.constraint.clone();
        let memory = Arc::make_mut(&mut self.memory);
        let start = memory.path.len();
        let mut threads = std::mem::take(&mut self.buffer);
        let mut next: Vec<Thread> = Vec::new();
        threads.clear();
        threads.extend_from_slice(&self.threads);
        for &byte in bytes {
            next.clear();
            Machine::new(constraint.program(), memory).step_all(&threads, byte, &mut next, 0);
            std::mem::swap(&mut threads, &mut next);
            if threads.is_empty() {
                memory.path.truncate(start);
                self.buffer = threads;
                sound(constraint.program())?;
                return Ok(false);
            }
            memory.path.push(byte);
        }
        let path = start as u32;
        let before = std::mem::replace(&mut self.threads, threads);
        self.history.push(Step { threads: before.as_slice().into(), path, finished: false });
        self.buffer = before;
        Ok(true)
    }

    fn save(&mut self) {
        let path = self.memory.path.len() as u32;
        self.history.push(Step { threads: self.threads.as_slice().into(), path, finished: self.finished });
    }

    fn known_token(&self, token: TokenId) -> Result<()> {
        let vocabulary = &self.constraint.tables().vocabulary;
        if token as usize >= vocabulary.logits_size() {
            return Err(Error::vocabulary(format!(
                "vocabulary: unknown token id {token}; ids go from 0 to {}",
                vocabulary.logits_size() - 1
            )));
        }
        Ok(())
    }

    fn rejected(&mut self, token: Option<TokenId>, text: &[u8]) -> Error {
        let position = self.memory.path.len();
        let expected = self.expected();
        let what = match token {
            Some(id) if text.is_empty() && self.constraint.tables().vocabulary.eos().contains(&id) => {
                format!("token {id} (end of text)")
            }
            Some(id) if text.is_empty() => format!("token {id} (it spells nothing)"),
            Some(id) => format!("token {id} ({})", readable(text)),
            None => format!("text {}", readable(text)),
        };
        let message = format!("{what} cannot come after {position} bytes: expected {expected}");
        Error::new(Kind::Rejected { token, text: text.to_vec(), position, expected }, message)
    }

    /// Some of the bytes that can come next, readable.
    fn expected(&mut self) -> String {
        if self.finished {
            return "nothing, the text has ended".to_owned();
        }
        let constraint = self.constraint.clone();
        let bytes = next_bytes(constraint.program(), Arc::make_mut(&mut self.memory), &self.threads);
        let mut parts: Vec<String> = ranges(&bytes);
        if self.is_accepting() {
            parts.push("the end of the text".to_owned());
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }

    // Going back.

    /// Undoes the last `steps` accepted tokens or byte runs.
    ///
    /// # Errors
    /// [`Kind::Match`] if there are fewer.
    pub fn rollback(&mut self, steps: usize) -> Result<()> {
        let Some(keep) = self.history.len().checked_sub(steps) else {
            return Err(Error::new(
                Kind::Match,
                format!("rollback: {steps} steps asked for, but only {} were accepted", self.history.len()),
            ));
        };
        if let Some(step) = self.history.drain(keep..).next() {
            self.threads = step.threads.into_vec();
            self.finished = step.finished;
            Arc::make_mut(&mut self.memory).path.truncate(step.path as usize);
        }
        Ok(())
    }

    /// An independent copy at the same place.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// Back to the start of the text.
    pub fn reset(&mut self) {
        *self = Self::new(self.constraint.clone());
    }

    // Looking ahead.

    /// The bytes that can only come next.
    pub fn forced_bytes(&mut self) -> Vec<u8> {
        let mut forced = Vec::new();
        if self.finished {
            return forced;
        }
        let constraint = self.constraint.clone();
        let memory = Arc::make_mut(&mut self.memory);
        let start = memory.path.len();
        let mut threads = self.threads.clone();
        while !accepting(&threads) {
            let [byte] = next_bytes(constraint.program(), memory, &threads)[..] else { break };
            threads = advance(constraint.program(), memory, &threads, byte);
            forced.push(byte);
        }
        memory.path.truncate(start);
        forced
    }

    /// Tokens the shortest known completion needs, end-of-text not counted.
    pub fn min_tokens_to_finish(&mut self) -> u32 {
        if self.finished {
            return 0;
        }
        let constraint = self.constraint.clone();
        let mut machine = Machine::new(constraint.program(), Arc::make_mut(&mut self.memory));
        Budget::new(u32::MAX, &constraint.tables().vocabulary).tokens(&mut machine, &self.threads)
    }

    /// Writes the allowed tokens into a row of `mask_words` words.
    ///
    /// With a budget, only tokens after which a complete text still fits in `budget` tokens, this one included.
    ///
    /// # Errors
    /// [`Kind::DeadEnd`] when no token may come; [`Kind::Limit`] when the budget is too small for any complete
    /// text, or a bound was reached.
    pub fn fill_bitmask(&mut self, row: &mut [u32], budget: Option<u32>) -> Result<()> {
        let constraint = self.constraint.clone();
        let eos = constraint.tables().vocabulary.eos();
        if self.finished {
            row.fill(0);
            for &token in eos {
                row[token as usize / 32] |= 1 << (token % 32);
            }
            return Ok(());
        }
        match budget {
            None => self.fill(row, eos),
            Some(budget) => self.fill_within(row, budget, eos)?,
        }
        sound(constraint.program())?;
        if row.iter().all(|&word| word == 0) {
            return Err(self.nothing_allowed(budget));
        }
        Ok(())
    }

    fn fill(&mut self, row: &mut [u32], eos: &[TokenId]) {
        let mut fresh = true;
        for index in 0..self.threads.len() {
            let thread = self.threads[index];
            if let Some(entry) = self.entries.get(&thread) {
                entry.write(row, &mut fresh, eos);
                continue;
            }
            let entry = self.entry(thread, None);
            entry.write(row, &mut fresh, eos);
            self.remember(thread, entry);
        }
    }

    fn fill_within(&mut self, row: &mut [u32], budget: u32, eos: &[TokenId]) -> Result<()> {
        let Some(left) = budget.checked_sub(1) else {
            return Err(self.nothing_allowed(Some(budget)));
        };
        let mut fresh = true;
        for index in 0..self.threads.len() {
            let entry = self.entry(self.threads[index], Some(left));
            entry.write(row, &mut fresh, eos);
        }
        Ok(())
    }

    fn entry(&mut self, thread: Thread, left: Option<u32>) -> Entry {
        let constraint = self.constraint.clone();
        let memory = Arc::make_mut(&mut self.memory);
        let tables = constraint.tables();
        let machine = Machine::new(constraint.program(), memory);
        let budget = left.map(|left| Budget::new(left, &tables.vocabulary));
        Masker::new(machine, tables, constraint.links(), budget, &mut self.buffer).entry(thread)
    }

    fn remember(&mut self, thread: Thread, entry: Entry) {
        let bytes = entry.bytes();
        let limit = self.constraint.tables().limits().matcher_cache_bytes;
        if self.entry_bytes + bytes > limit {
            self.entries.clear();
            self.entry_bytes = 0;
        }
        if bytes <= limit && !entry.textual {
            self.entry_bytes += bytes;
            self.entries.insert(thread, entry);
        }
    }

    fn nothing_allowed(&mut self, budget: Option<u32>) -> Error {
        if let Some(budget) = budget {
            let needed = self.min_tokens_to_finish();
            if needed > budget && needed < INFINITE {
                return Error::new(
                    Kind::Limit { limit: "budget", value: needed as usize, allowed: budget as usize },
                    format!("limit reached: a complete text needs {needed} more tokens, the budget is {budget}"),
                )
                .hint("raise max_tokens");
            }
        }
        let expected = self.expected();
        Error::new(
            Kind::DeadEnd,
            format!("no token of the vocabulary can come after {} bytes: expected {expected}", self.memory.path.len()),
        )
        .hint("the vocabulary has no token that spells these bytes; is it complete?")
    }
}

/// Bytes as readable text.
fn readable(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(text))
}

/// At most eight runs of bytes, readable.
fn ranges(bytes: &[u8]) -> Vec<String> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for &byte in bytes {
        match runs.last_mut() {
            Some((_, high)) if *high + 1 == byte => *high = byte,
            _ => runs.push((byte, byte)),
        }
    }
    let shown = |byte: u8| {
        if byte.is_ascii_graphic() || byte == b' ' {
            format!("{:?}", byte as char)
        } else {
            format!("byte {byte:#04x}")
        }
    };
    let mut parts: Vec<String> = runs
        .iter()
        .take(8)
        .map(|&(low, high)| if low == high { shown(low) } else { format!("{} to {}", shown(low), shown(high)) })
        .collect();
    if runs.len() > 8 {
        parts.push("...".to_owned());
    }
    parts
}
