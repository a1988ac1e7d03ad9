//! A language compiled for a vocabulary.
//!
//! ```text
//! compile       the leaves of the graph look up their automata, which all schemas of the vocabulary share
//! first text    meets states for the first time: their masks are found, and cached
//! later texts   find most masks cached
//! ```
//!
//! A [`Constraint`] is frozen; any number of threads may start matchers on it.
//!
//! Cost: a lookup for each leaf. For a language without JSON, the first masks are found when it is compiled
//! (see `masks::precompute`).

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Matcher;
use super::canonical::{Spelled, Speller};
use super::counting::Counting;
use super::distance::Distance;
use super::machine::{Configuration, Machine, TokenLengths, Unit};
use super::masks::{TableIds, precomputed};
use super::pool::Pool;
use crate::error::{Error, Result};
use crate::interrupt::bounded;
use crate::language::{CompiledGraph, Language};
use crate::regular::ByteSet;
use crate::terminals::Tables;
use crate::vocabulary::TokenId;

/// A language compiled for a vocabulary. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Constraint(Arc<Compiled>);

#[derive(Debug)]
#[repr(align(64))] // apart from its reference count, which every text changes
struct Compiled {
    language: Language,
    tables: Arc<Tables>,
    graph: CompiledGraph,
    ids: TableIds,
    /// Found when a budget first asks for them.
    tokens: OnceLock<Option<TokenLengths>>,
    /// How much farther from the end any token can lead; found when first asked for.
    most_rise: OnceLock<u32>,
    pool: Pool,
    /// If canonical tokens are asked for: how the tokenizer spells.
    spelled: Option<Spelled>,
    /// The same constraint with new automata, for new texts, made once an automaton is near its limit.
    successor: Mutex<Option<Constraint>>,
}

impl Constraint {
    /// Compiles `language` for the vocabulary of `tables`.
    ///
    /// # Errors
    /// As [`Tables::automaton`]; [`crate::Kind::DeadEnd`] when the vocabulary cannot spell any text of the language;
    /// [`crate::Kind::Vocabulary`] when a part has a bound on its tokens, and some byte is not a token.
    pub fn new(language: &Language, tables: &Arc<Tables>) -> Result<Self> {
        Self::compiled(language, tables, None)
    }

    /// As [`Constraint::new`], with tokens only that the tokenizer itself would write.
    ///
    /// # Errors
    /// As [`Constraint::new`]; [`crate::Kind::DeadEnd`] also when no text of the language has canonical tokens;
    /// [`crate::Kind::Argument`] where a part has a bound on its tokens; [`crate::Kind::Vocabulary`] where texts may need a
    /// byte for which the tokenizer has no token.
    pub fn canonical(language: &Language, tables: &Arc<Tables>, speller: &Arc<Speller>) -> Result<Self> {
        if !language.graph().bounds.is_empty() {
            let message = "canonical: tokens of a part with max_tokens cannot be canonical";
            return Err(Error::argument("canonical", message).hint("pass canonical=\"forced\", or bound max_chars"));
        }
        check_bytes(language, &ByteSet::from_words(speller.merges().lacking()))?;
        let constraint = Self::compiled(language, tables, Some(Spelled { by: Arc::clone(speller), masks: true }))?;
        constraint.matcher().check_canonical_beginning()?;
        Ok(constraint)
    }

    /// As [`Constraint::new`], but forced tokens are those that the tokenizer itself would write.
    ///
    /// # Errors
    /// As [`Constraint::new`].
    pub fn with_canonical_forced(language: &Language, tables: &Arc<Tables>, speller: &Arc<Speller>) -> Result<Self> {
        Self::compiled(language, tables, Some(Spelled { by: Arc::clone(speller), masks: false }))
    }

    fn compiled(language: &Language, tables: &Arc<Tables>, spelled: Option<Spelled>) -> Result<Self> {
        bounded(tables.limits().work, || Self::compile(language, tables, spelled))
    }

    fn compile(language: &Language, tables: &Arc<Tables>, spelled: Option<Spelled>) -> Result<Self> {
        let language = &language.for_vocabulary(&tables.vocabulary)?;
        check_bounds(language, tables)?;
        let mut automata = Vec::with_capacity(language.graph().leaves.len());
        let graph = language.compile(|leaf, built| {
            let (id, automaton) = tables.automaton(leaf, built)?;
            automata.push(id);
            Ok(automaton)
        })?;
        let ids = TableIds { automata, spaces: tables.spaces_id(graph.spaces()) };
        let constraint = Self(Arc::new(Compiled {
            language: language.clone(),
            tables: Arc::clone(tables),
            graph,
            ids,
            tokens: OnceLock::new(),
            most_rise: OnceLock::new(),
            pool: Pool::default(),
            spelled,
            successor: Mutex::default(),
        }));
        if let Some(cache) = precomputed(&constraint) {
            constraint.pool().put(cache);
        }
        if !tables.vocabulary.has_every_byte() && constraint.graph().check_ends().is_ok() {
            Matcher::new(constraint.clone()).check_beginning()?;
        }
        Ok(constraint)
    }

    /// The language.
    pub fn language(&self) -> &Language {
        &self.0.language
    }

    /// The vocabulary's tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.0.tables
    }

    /// Whether other handles share this constraint.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// What the tokens left are counted with.
    pub(crate) fn counting(&self) -> Counting<'_> {
        Counting { tables: &self.0.tables, automata: &self.0.ids.automata, tokens: &self.0.tokens }
    }

    /// What to measure distances in, one after the other until the budget is ample. Tokens are fewer than bytes, so once
    /// they can be counted, bytes say nothing new.
    pub(crate) fn units(&self) -> &'static [Unit] {
        match self.0.tokens.get() {
            None => &[Unit::Bytes, Unit::Tokens],
            Some(None) => &[Unit::Bytes],
            Some(Some(_)) => &[Unit::Tokens],
        }
    }

    /// How far a text that is in any of these places is from its end; `None` if that is not known.
    pub(crate) fn measure(&self, machine: &mut Machine<'_>, at: &[Configuration], unit: Unit) -> Option<Distance> {
        let rises = self.0.graph.rises().filter(|_| self.0.tables.vocabulary.has_every_byte())?;
        let lengths = match unit {
            Unit::Bytes => None,
            Unit::Tokens => Some(self.counting().tokens(&self.0.graph)?),
        };
        let by_any = self.0.most_rise.get_or_init(|| rises.most(&self.0.tables.begun.most));
        Some(Distance::measure(machine, at, lengths, rises, *by_any))
    }

    /// The control tokens that its language names, ascending.
    pub(crate) fn controls(&self) -> Arc<[TokenId]> {
        let special = self.0.tables.vocabulary.special();
        let mut ids: Vec<TokenId> =
            self.0.language.graph().controls.iter().filter_map(|name| special.get(&**name).copied()).collect();
        ids.sort_unstable();
        ids.into()
    }

    /// How the tokenizer spells, if canonical tokens are asked for.
    pub(crate) fn spelled(&self) -> Option<&Spelled> {
        self.0.spelled.as_ref()
    }

    /// The graph that it runs.
    pub fn graph(&self) -> &CompiledGraph {
        &self.0.graph
    }

    pub(crate) fn ids(&self) -> &TableIds {
        &self.0.ids
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// A matcher at the start of a text.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.fresh())
    }

    /// A matcher of a text that goes on after some tokens: a token of it may continue the last piece of theirs.
    ///
    /// Without canonical tokens, what comes before the text makes no difference. Where these tokens are not canonical,
    /// or no text of the form can follow them in canonical tokens, the text begins as if a piece had ended.
    pub fn matcher_after(&self, tokens: &[TokenId]) -> Matcher {
        let mut matcher = self.matcher();
        matcher.begin_after(tokens);
        matcher
    }

    /// This constraint, or, once an automaton is near its limit, the same with new automata: else the states that many
    /// texts have visited would bring the next text to the limit.
    pub(crate) fn fresh(&self) -> Self {
        if !self.0.graph.is_near_its_limit() {
            return self.clone();
        }
        let mut successor = self.0.successor.lock().unwrap_or_else(PoisonError::into_inner);
        match &*successor {
            Some(next) if !next.0.graph.is_near_its_limit() => next.clone(),
            _ => match Self::compiled(&self.0.language, &self.0.tables, self.0.spelled.clone()) {
                Ok(next) => successor.insert(next).clone(),
                Err(_) => self.clone(), // what was compiled once compiles again; if not, the limit is met later
            },
        }
    }
}

/// What has to be written can be written where texts can do without the bytes that are not spelled.
fn check_bytes(language: &Language, lacking: &ByteSet) -> Result<()> {
    if lacking.is_empty() || language.graph().can_do_without(lacking) {
        return Ok(());
    }
    let bytes: Vec<String> = lacking.iter().map(|byte| format!("0x{byte:02X}")).collect();
    let message =
        format!("canonical: the form may need a byte for which the tokenizer has no token: {}", bytes.join(" "));
    Err(Error::vocabulary(message).hint("exclude these characters from the form, or leave out canonical=True"))
}

/// A part of so many tokens can be ended in time where every byte is a token.
fn check_bounds(language: &Language, tables: &Tables) -> Result<()> {
    if language.graph().bounds.is_empty() || tables.vocabulary.has_every_byte() {
        return Ok(());
    }
    let message = "max_tokens: the vocabulary has no token for some byte, so a part may not be ended in so many tokens";
    Err(Error::vocabulary(message).hint("bound max_chars, or give the vocabulary a token for every byte"))
}
