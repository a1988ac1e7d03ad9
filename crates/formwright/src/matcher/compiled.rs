//! What a language becomes for a vocabulary: a graph whose leaves are automata, and the tables that masks are read from.
//!
//! ```text
//! Compiled      frozen: all that masks, budgets and completions are found with
//! Constraint    the same for users: starts texts, pools their caches, renews itself near a limit
//! ```
//!
//! Cost: a lookup for each leaf. What only budgets need is found when one first asks.

use std::sync::{Arc, OnceLock};

use super::counting::Counting;
use super::distance::Distance;
use super::machine::{Configuration, Machine, TokenLengths, Unit};
use crate::error::Result;
use crate::language::{CompiledGraph, Language};
use crate::terminals::Tables;
use crate::vocabulary::TokenId;

/// A language with what a vocabulary makes of it.
#[derive(Debug)]
pub struct Compiled {
    language: Language,
    tables: Arc<Tables>,
    graph: CompiledGraph,
    ids: TableIds,
    /// Found when a budget first asks for them.
    tokens: OnceLock<Option<TokenLengths>>,
    /// How much farther from the end any token can lead; found when first asked for.
    most_rise: OnceLock<u32>,
}

/// The ids that the tables of a vocabulary give to the parts of a compiled graph.
#[derive(Debug)]
pub struct TableIds {
    /// By leaf: the id of its automaton.
    pub automata: Vec<u32>,
    /// The id of the whitespace automaton.
    pub spaces: u32,
}

impl Compiled {
    /// Of a language that was made ready for the vocabulary of `tables`.
    ///
    /// # Errors
    /// As [`Tables::automaton`].
    pub fn new(language: Language, tables: &Arc<Tables>) -> Result<Self> {
        let mut automata = Vec::with_capacity(language.graph().leaves.len());
        let graph = language.compile(|leaf, built| {
            let (id, automaton) = tables.automaton(leaf, built)?;
            automata.push(id);
            Ok(automaton)
        })?;
        let ids = TableIds { automata, spaces: tables.spaces_id(graph.spaces()) };
        let (tokens, most_rise) = (OnceLock::new(), OnceLock::new());
        Ok(Self { language, tables: Arc::clone(tables), graph, ids, tokens, most_rise })
    }

    /// The language.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The vocabulary's tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// The graph that it runs.
    pub fn graph(&self) -> &CompiledGraph {
        &self.graph
    }

    /// The ids of its parts in the tables.
    pub fn ids(&self) -> &TableIds {
        &self.ids
    }

    /// Bytes of masks that a matcher and its forks cache.
    pub fn cache_bytes(&self) -> usize {
        self.tables.limits().matcher_cache_bytes
    }

    /// Units of work of one call.
    pub fn work(&self) -> u64 {
        self.tables.limits().work
    }

    /// Bytes of the places that a text was at.
    pub fn history_bytes(&self) -> usize {
        self.tables.limits().history_bytes
    }

    /// What the tokens left are counted with.
    pub fn counting(&self) -> Counting<'_> {
        Counting { tables: &self.tables, automata: &self.ids.automata, tokens: &self.tokens }
    }

    /// What to measure distances in, one after the other until the budget is ample. Tokens are fewer than bytes, so once
    /// they can be counted, bytes say nothing new.
    pub fn units(&self) -> &'static [Unit] {
        match self.tokens.get() {
            None => &[Unit::Bytes, Unit::Tokens],
            Some(None) => &[Unit::Bytes],
            Some(Some(_)) => &[Unit::Tokens],
        }
    }

    /// How far a text that is in any of these places is from its end; `None` if that is not known.
    pub fn measure(&self, machine: &mut Machine<'_>, at: &[Configuration], unit: Unit) -> Option<Distance> {
        let rises = self.graph.rises().filter(|_| self.tables.vocabulary.has_every_byte())?;
        let lengths = match unit {
            Unit::Bytes => None,
            Unit::Tokens => Some(self.counting().tokens(&self.graph)?),
        };
        let by_any = self.most_rise.get_or_init(|| rises.most(&self.tables.begun.most));
        Some(Distance::measure(machine, at, lengths, rises, *by_any))
    }

    /// The control tokens that its language names, ascending.
    pub fn controls(&self) -> Arc<[TokenId]> {
        let special = self.tables.vocabulary.special();
        let mut ids: Vec<TokenId> =
            self.language.graph().controls.iter().filter_map(|name| special.get(&**name).copied()).collect();
        ids.sort_unstable();
        ids.into()
    }
}
