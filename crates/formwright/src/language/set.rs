//! A language: a set of byte strings, as a graph that was checked and frozen.
//!
//! ```
//! use formwright::{Limits, syntax::choice::choice};
//!
//! # fn main() -> formwright::Result<()> {
//! let limits = Limits::default();
//! let (answer, end) = (choice(&["yes", "no"], &limits)?, choice(&[".", "!"], &limits)?);
//! assert_eq!(answer.then(&end)?.check(b"yes!")?, (4, true));
//! # Ok(())
//! # }
//! ```
//!
//! Cost: operators copy the graphs of their operands; a clone counts a reference. The methods that read or
//! write texts ([`Language::check`], [`Language::example`]) are beside the machine that runs graphs, in `matcher`.

use std::sync::{Arc, OnceLock};

use super::{CompiledGraph, Facts, Graph, INFINITE, Leaf, Node};
use crate::error::{Error, Result};
use crate::interrupt::bounded;
use crate::limits::Limits;
use crate::regular::{Automaton, CharacterParser, Encoding, Parser, Regular};

/// A set of byte strings: what may be written. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Language(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    graph: Arc<Graph>,
    facts: Arc<Facts>,
    limits: Limits,
    compiled: OnceLock<Result<Arc<CompiledGraph>>>,
}

impl Language {
    /// Checks a graph ([`Graph::finish`]) and freezes it.
    ///
    /// # Errors
    /// As [`Graph::finish`]; [`crate::Kind::Limit`] when operators nest too deep.
    pub fn new(mut graph: Graph, limits: &Limits) -> Result<Self> {
        if graph.nesting > limits.nesting {
            return Err(Error::limit("operators inside operators", graph.nesting, limits.nesting)
                .hint("repeat a form, or put many options into one choice, instead of adding them one by one"));
        }
        let facts = bounded(limits.work, || graph.finish(limits))?;
        let (graph, facts, limits) = (Arc::new(graph), Arc::new(facts), limits.clone());
        Ok(Self(Arc::new(Inner { graph, facts, limits, compiled: OnceLock::new() })))
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.0.graph
    }

    /// The limits it was checked with.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// What was proved about its nodes.
    pub fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// What tells it from all other languages while it is held.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether it has no JSON in it. Then compiling finds its first masks, and a host should release a lock of its own.
    pub fn is_plain(&self) -> bool {
        self.0.graph.spaces.is_empty()
    }

    /// This language, then `other`.
    ///
    /// # Errors
    /// As [`Graph::import`].
    pub fn then(&self, other: &Self) -> Result<Self> {
        self.combine(other, |graph, a, b| graph.add(Node::Sequence([a, b].into())))
    }

    /// This language or `other`.
    ///
    /// # Errors
    /// As [`Graph::import`].
    pub fn or(&self, other: &Self) -> Result<Self> {
        self.combine(other, |graph, a, b| graph.add(Node::Choice([a, b].into())))
    }

    fn combine(&self, other: &Self, node: impl Fn(&mut Graph, u32, u32) -> u32) -> Result<Self> {
        let mut graph = Graph::clone(&self.0.graph);
        let (a, b) = (graph.root, graph.import(&other.0.graph, &self.0.limits)?);
        graph.root = node(&mut graph, a, b);
        graph.nesting += 1;
        Self::new(graph, &self.0.limits)
    }

    /// This language `low..=high` times in a row.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when `low > high`, and where a part has a bound on its tokens; [`crate::Kind::Limit`]
    /// when the shortest text is too long to count.
    pub fn repeat(&self, low: u32, high: u32) -> Result<Self> {
        if high > 1 && self.has_bounds() {
            return Err(Error::argument("max_tokens", "repeat: a part with max_tokens cannot be repeated")
                .hint("write the parts one after the other, each with its own bound"));
        }
        let mut graph = Graph::clone(&self.0.graph);
        let body = graph.root;
        let shortest = self.0.facts.shortest(body).saturating_mul(low);
        if shortest >= INFINITE {
            return Err(Error::limit("bytes of the shortest text", shortest as usize, INFINITE as usize - 1));
        }
        graph.root = graph.repeat(body, low, high)?;
        graph.nesting += 1;
        Self::new(graph, &self.0.limits)
    }

    /// The graph with automata of its own, to be run without a vocabulary.
    ///
    /// # Errors
    /// As [`crate::regular::Automaton::new`].
    pub fn compiled(&self) -> Result<Arc<CompiledGraph>> {
        let compile = || self.compile(|leaf, built| leaf.shared_automaton(built, &self.0.limits)).map(Arc::new);
        let compiled = self.0.compiled.get_or_init(compile);
        let is_stale = |graph: &Arc<CompiledGraph>| graph.has_parser() && graph.is_near_its_limit();
        if self.has_parser() && compiled.as_ref().map_or(true, is_stale) {
            return compile(); // the parser failed, perhaps for once, or has met many states
        }
        compiled.clone()
    }

    /// Whether a part has a bound on its tokens.
    pub fn has_bounds(&self) -> bool {
        !self.0.graph.bounds.is_empty()
    }

    /// Whether some leaf is read by a parser, which runs code of the host.
    pub fn has_parser(&self) -> bool {
        self.0.graph.leaves.iter().any(|leaf| matches!(leaf.tree, Regular::Parser(_)))
    }

    /// The texts that a parser reads.
    ///
    /// # Errors
    /// [`crate::Kind::Parser`] when it fails, [`crate::Kind::Unsatisfiable`] when it has no text.
    pub fn of_parser(parser: impl CharacterParser + 'static, limits: &Limits) -> Result<Self> {
        let mut graph = Graph::default();
        graph.root = graph.regular(Regular::Parser(Parser::new(parser)), Encoding::Text);
        Self::new(graph, limits)
    }

    /// The graph with an automaton for each leaf: `automaton` makes it, from the leaf and the automaton that was needed
    /// to check the leaf, if there was one.
    pub(crate) fn compile(
        &self,
        mut automaton: impl FnMut(&Leaf, Option<&Arc<Automaton>>) -> Result<Arc<Automaton>>,
    ) -> Result<CompiledGraph> {
        let Inner { graph, facts, limits, .. } = &*self.0;
        let automaton = |index, leaf: &Leaf| automaton(leaf, facts.built(index));
        CompiledGraph::new(Arc::clone(graph), Arc::clone(facts), limits, automaton)
    }
}
