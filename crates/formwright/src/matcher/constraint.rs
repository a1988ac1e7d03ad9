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
use super::canonical::{MatcherCache, Spelled, Speller};
use super::compiled::Compiled;
use super::edges::Edges;
use super::finite_states;
use super::masks::precomputed;
use super::pool::Pool;
use super::pushdown::Moves;
use crate::error::{Error, Result};
use crate::interrupt::bounded;
use crate::language::{CompiledGraph, Language};
use crate::regular::ByteSet;
use crate::terminals::Tables;
use crate::vocabulary::TokenId;

/// A language compiled for a vocabulary. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Constraint(Arc<Shared>);

/// What all handles of a constraint share.
#[derive(Debug)]
#[repr(align(64))] // apart from its reference count, which every text changes
struct Shared {
    compiled: Compiled,
    pool: Pool,
    /// If canonical tokens are asked for: how the tokenizer spells.
    spelled: Option<Spelled>,
    /// The same constraint with new automata, for new texts, made once an automaton is near its limit.
    successor: Mutex<Option<Constraint>>,
    /// Where its tokens lead, once a canvas has asked.
    places: OnceLock<Places>,
}

/// Where the tokens of a form lead.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// Between finitely many states.
    Finite(Arc<Edges>),
    /// Between the controls of a pushdown automaton, as texts nest.
    Nested(Arc<Moves>),
}

impl Places {
    fn bytes(&self) -> usize {
        match self {
            Self::Finite(edges) => edges.bytes(),
            Self::Nested(moves) => moves.bytes(),
        }
    }
}

impl Constraint {
    /// Compiles `language` for the vocabulary of `tables`.
    ///
    /// # Errors
    /// As [`Tables::automaton`]; [`crate::Kind::DeadEnd`] when the vocabulary cannot spell any text of the language;
    /// [`crate::Kind::Vocabulary`] when a part has a bound on its tokens, and some byte is not a token.
    pub fn new(language: &Language, tables: &Arc<Tables>) -> Result<Self> {
        Self::compile(language, tables, None)
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
        let constraint = Self::compile(language, tables, Some(Spelled { by: Arc::clone(speller), masks: true }))?;
        constraint.matcher().check_canonical_beginning()?;
        Ok(constraint)
    }

    /// As [`Constraint::new`], but forced tokens are those that the tokenizer itself would write.
    ///
    /// # Errors
    /// As [`Constraint::new`].
    pub fn with_canonical_forced(language: &Language, tables: &Arc<Tables>, speller: &Arc<Speller>) -> Result<Self> {
        Self::compile(language, tables, Some(Spelled { by: Arc::clone(speller), masks: false }))
    }

    /// Compiles with bounded work.
    fn compile(language: &Language, tables: &Arc<Tables>, spelled: Option<Spelled>) -> Result<Self> {
        bounded(tables.limits().work, || Self::compile_unbounded(language, tables, spelled))
    }

    fn compile_unbounded(language: &Language, tables: &Arc<Tables>, spelled: Option<Spelled>) -> Result<Self> {
        let language = language.for_vocabulary(&tables.vocabulary)?;
        check_bounds(&language, tables)?;
        let compiled = Compiled::new(language, tables)?;
        let pool = Pool::new(compiled.graph().has_rules().then_some(tables.limits().fragment_bytes));
        let shared = Shared { compiled, pool, spelled, successor: Mutex::default(), places: OnceLock::new() };
        let constraint = Self(Arc::new(shared));
        if let Some(masks) = precomputed(constraint.compiled()) {
            constraint.pool().put(MatcherCache { masks, ..MatcherCache::default() });
        }
        if !tables.vocabulary.has_every_byte() && constraint.graph().check_ends().is_ok() {
            Matcher::new(constraint.clone()).check_beginning()?;
        }
        Ok(constraint)
    }

    /// The language.
    pub fn language(&self) -> &Language {
        self.0.compiled.language()
    }

    /// The vocabulary's tables.
    pub fn tables(&self) -> &Arc<Tables> {
        self.0.compiled.tables()
    }

    /// The graph that it runs.
    pub fn graph(&self) -> &CompiledGraph {
        self.0.compiled.graph()
    }

    /// What masks are found with.
    pub(crate) fn compiled(&self) -> &Compiled {
        &self.0.compiled
    }

    /// Bytes of memory held, roughly, beside what the vocabulary shares and what waits for the next text.
    pub(crate) fn memory(&self) -> usize {
        2 * self.language().memory() // as much again for what is found of its nodes
    }

    /// Bytes of what was found of it since: what waits for the next text, and where its tokens lead.
    pub(crate) fn found_memory(&self) -> usize {
        self.pool().memory() + self.0.places.get().map_or(0, Places::bytes)
    }

    /// Where its tokens lead: found once, and kept.
    ///
    /// # Errors
    /// As [`finite_states::find`] and [`Edges::new`], or [`finite_states::find_nested`] and [`Moves::new`];
    /// [`crate::Kind::Limit`] where that takes more work than [`crate::Limits::work`].
    pub(super) fn places(&self) -> Result<Places> {
        if let Some(places) = self.0.places.get() {
            return Ok(places.clone());
        }
        let (tables, fresh) = (self.tables(), self.fresh());
        let (language, graph) = (fresh.language(), fresh.graph());
        let found = bounded(tables.limits().work, || {
            Ok(if language.graph().nests() {
                let automaton = finite_states::find_nested(language, graph, "canvas")?;
                Places::Nested(Arc::new(Moves::new(&automaton, &tables.vocabulary, tables.limits())?))
            } else {
                let automaton = finite_states::find(language, graph, "canvas")?;
                Places::Finite(Arc::new(Edges::new(automaton, &tables.vocabulary, tables.limits())?))
            })
        })?;
        Ok(self.0.places.get_or_init(|| found).clone())
    }

    /// Whether other handles share this constraint.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// How the tokenizer spells, if canonical tokens are asked for.
    pub(crate) fn spelled(&self) -> Option<&Spelled> {
        self.0.spelled.as_ref()
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
        if !self.graph().is_near_its_limit() {
            return self.clone();
        }
        let mut successor = self.0.successor.lock().unwrap_or_else(PoisonError::into_inner);
        match &*successor {
            Some(next) if !next.graph().is_near_its_limit() => next.clone(),
            _ => match Self::compile(self.language(), self.tables(), self.0.spelled.clone()) {
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
