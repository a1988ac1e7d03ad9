//! A language compiled for a vocabulary.
//!
//! Compiling is nearly nothing: the leaves of the language find (or found) their
//! shared automata in the vocabulary's tables. All real work is done when a
//! state is first visited, and shared from then on; for a language without JSON,
//! the first states are visited at once. A [`Constraint`] is frozen; any number
//! of threads may start matchers on it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::Result;
use crate::language::{Facts, Graph};
use crate::leaf::Tables;
use crate::limits::Limits;
use crate::matcher::{Links, Matcher, Program, Spare, Text, warmed};

/// How one keyword of a schema was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// JSON Pointer of the keyword's schema.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// `enforced`, `annotation`, `redundant` or `narrowed`.
    pub status: &'static str,
    /// What was done, or why not.
    pub note: String,
}

/// A set of byte strings: what may be written. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Language(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    graph: Arc<Graph>,
    facts: Arc<Facts>,
    limits: Limits,
    program: OnceLock<Result<Arc<Program>>>,
}

impl Language {
    /// Proves a graph sound and freezes it.
    ///
    /// # Errors
    /// As [`Graph::finish`].
    pub fn new(mut graph: Graph, limits: &Limits) -> Result<Self> {
        let facts = graph.finish(limits)?;
        let (graph, facts, limits) = (Arc::new(graph), Arc::new(facts), limits.clone());
        Ok(Self(Arc::new(Inner { graph, facts, limits, program: OnceLock::new() })))
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.0.graph
    }

    /// What is known about its nodes.
    pub fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// Whether it has no JSON in it. Then compiling finds its first masks: a host with a lock of its own had better let go.
    pub fn is_plain(&self) -> bool {
        self.0.graph.spaces.is_empty()
    }

    /// This language, then `other`.
    ///
    /// # Errors
    /// As [`Graph::import`].
    pub fn then(&self, other: &Self) -> Result<Self> {
        self.combine(other, |graph, a, b| graph.add(crate::language::Node::Sequence([a, b].into())))
    }

    /// This language or `other`.
    ///
    /// # Errors
    /// As [`Graph::import`].
    pub fn or(&self, other: &Self) -> Result<Self> {
        self.combine(other, |graph, a, b| graph.add(crate::language::Node::Choice([a, b].into())))
    }

    fn combine(&self, other: &Self, node: impl Fn(&mut Graph, u32, u32) -> u32) -> Result<Self> {
        let mut graph = Graph::clone(&self.0.graph);
        let (a, b) = (graph.root, graph.import(&other.0.graph, &self.0.limits)?);
        graph.root = node(&mut graph, a, b);
        Self::new(graph, &self.0.limits)
    }

    /// This language `low..=high` times in a row.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when `low > high`.
    pub fn repeat(&self, low: u32, high: u32) -> Result<Self> {
        let mut graph = Graph::clone(&self.0.graph);
        let body = graph.root;
        graph.root = graph.repeat(body, low, high, &self.0.facts)?;
        Self::new(graph, &self.0.limits)
    }

    /// The program that runs this language without a vocabulary.
    ///
    /// # Errors
    /// As [`crate::regular::Automaton::new`].
    pub fn program(&self) -> Result<&Arc<Program>> {
        let program = self.0.program.get_or_init(|| {
            let inner = &self.0;
            Program::new(Arc::clone(&inner.graph), Arc::clone(&inner.facts), |index, leaf| {
                match inner.facts.built(index) {
                    Some(automaton) => Ok(Arc::clone(automaton)),
                    None => Ok(Arc::new(leaf.automaton(&inner.limits)?)),
                }
            })
            .map(Arc::new)
        });
        program.as_ref().map_err(Clone::clone)
    }

    /// How many bytes of `text` are in form, and whether a complete text ends exactly at its end.
    ///
    /// # Errors
    /// As [`Language::program`].
    pub fn check(&self, text: &[u8]) -> Result<(usize, bool)> {
        let mut run = Text::new(self.program()?);
        let read = run.read(text);
        run.sound()?;
        Ok((read, read == text.len() && run.is_accepting()))
    }

    /// One of the shortest texts.
    ///
    /// # Errors
    /// As [`Language::program`].
    pub fn example(&self) -> Result<Vec<u8>> {
        let mut run = Text::new(self.program()?);
        Ok(run.shortest_completion())
    }
}

/// A language compiled for a vocabulary. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Constraint(Arc<Compiled>);

#[derive(Debug)]
#[repr(align(64))] // apart from the count of who holds it, which every text changes
struct Compiled {
    language: Language,
    tables: Arc<Tables>,
    program: Program,
    links: Links,
    spare: Spare,
    /// What new texts use once an automaton has grown large.
    successor: Mutex<Option<Constraint>>,
}

impl Constraint {
    /// Compiles `language` for the vocabulary of `tables`.
    ///
    /// # Errors
    /// As [`Tables::automaton`].
    pub fn new(language: &Language, tables: &Arc<Tables>) -> Result<Self> {
        let mut automata = Vec::with_capacity(language.graph().leaves.len());
        let Inner { graph, facts, .. } = &*language.0;
        let program = Program::new(Arc::clone(graph), Arc::clone(facts), |index, leaf| {
            let (id, automaton) = tables.automaton(leaf, facts.built(index))?;
            automata.push(id);
            Ok(automaton)
        })?;
        let links = Links { automata, spaces: tables.spaces_id(&program.graph.spaces) };
        let constraint = Self(Arc::new(Compiled {
            language: language.clone(),
            tables: Arc::clone(tables),
            program,
            links,
            spare: Spare::default(),
            successor: Mutex::default(),
        }));
        if let Some(memory) = warmed(&constraint) {
            constraint.spare().keep(memory);
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

    /// Whether there is another one of it.
    pub(crate) fn is_held(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    pub(crate) fn program(&self) -> &Program {
        &self.0.program
    }

    pub(crate) fn links(&self) -> &Links {
        &self.0.links
    }

    pub(crate) fn spare(&self) -> &Spare {
        &self.0.spare
    }

    /// A matcher at the start of a text.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.roomy())
    }

    /// This constraint; once its automata have grown large, the same with new ones, so that what many texts have
    /// visited does not bring the next one to a bound.
    pub(crate) fn roomy(&self) -> Self {
        if !self.0.program.is_crowded() {
            return self.clone();
        }
        let mut successor = self.0.successor.lock().unwrap_or_else(PoisonError::into_inner);
        match &*successor {
            Some(next) if !next.0.program.is_crowded() => next.clone(),
            _ => match Self::new(&self.0.language, &self.0.tables) {
                Ok(next) => successor.insert(next).clone(),
                Err(_) => self.clone(), // what was compiled once compiles again; if not, the bound is met later
            },
        }
    }
}
