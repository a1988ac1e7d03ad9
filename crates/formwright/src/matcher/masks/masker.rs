//! Makes entries: which tokens a configuration allows.
//!
//! ```text
//! inside a terminal      its mask                 +  walk of its context-dependent tokens with what comes after
//! before whitespace      whitespace tokens        +  walk of the tree of stripped tokens
//! anything else          walk of the tree of tokens
//! ```
//!
//! Cost on 131k tokens: 0.5-6 us for an entry. Wrinkle: some tokens depend on names used before, which an entry for
//! many texts does not know; it lists them apart, by the name they complete or as unresolved.

use smallvec::SmallVec;

use super::name_completing::ByName;
use super::{Entry, NameCompleting, TerminalCache, Tokens, Walk};
use crate::error::Result;
use crate::language::NodeId;
use crate::matcher::budget::Budget;
use crate::matcher::machine::{Configuration, Machine, Position, StackId};
use crate::terminals::{RunTable, Tables};
use crate::vocabulary::TokenId;

/// The ids that the tables of a vocabulary give to the parts of a compiled graph.
#[derive(Debug)]
pub struct TableIds {
    /// By leaf: the id of its automaton.
    pub automata: Vec<u32>,
    /// The id of the whitespace automaton.
    pub spaces: u32,
}

/// Makes entries for the configurations of one machine.
pub struct Masker<'m> {
    pub machine: Machine<'m>,
    pub tables: &'m Tables,
    pub ids: &'m TableIds,
    pub budget: Option<Budget<'m>>,
    /// The configurations on the way down a tree.
    pub buffer: &'m mut Vec<Configuration>,
    /// The tokens found so far: of an entry, and of what is made on the way to it and kept by itself.
    pub tokens: &'m mut Vec<TokenId>,
    pub terminals: &'m mut TerminalCache,
    /// The object the configuration stands in, and what comes after it.
    pub own: Option<(NodeId, StackId)>,
    /// Tokens that complete an undeclared name of it, by the name.
    pub name_completing: Vec<ByName>,
    /// Whether a walk is under way behind such a name: valid only while that is unused.
    pub completing: bool,
}

impl<'m> Masker<'m> {
    pub fn new(
        machine: Machine<'m>,
        tables: &'m Tables,
        ids: &'m TableIds,
        budget: Option<Budget<'m>>,
        (buffer, tokens): (&'m mut Vec<Configuration>, &'m mut Vec<TokenId>),
        terminals: &'m mut TerminalCache,
    ) -> Self {
        buffer.clear();
        tokens.clear();
        Self {
            machine,
            tables,
            ids,
            budget,
            buffer,
            tokens,
            terminals,
            own: None,
            name_completing: Vec::new(),
            completing: false,
        }
    }

    /// The entry of one configuration.
    pub fn entry(&mut self, configuration: Configuration) -> Result<Entry> {
        let mut entry = Entry::default();
        if configuration.position == Position::Accept {
            return Ok(entry);
        }
        self.own = match configuration.position {
            Position::Object { object, .. } => Some((object, configuration.stack)),
            _ => None,
        };
        let vocabulary = &self.tables.vocabulary;
        if let Some((free, space)) = self.machine.free_of_space(configuration) {
            let spaces = self.machine.graph.spaces();
            let runs = self.terminals.runs(space, || self.tables.run_table(self.ids.spaces, spaces, space));
            self.add_blank(configuration, &runs);
            let stripped = vocabulary.stripped();
            let kind = Tokens::Stripped { entries: &stripped.entries, runs: &runs, space };
            self.walk_from_root(&Walk { trie: &stripped.trie, kind }, free, &mut entry);
        } else {
            let walk = Walk { trie: vocabulary.plain(), kind: Tokens::Plain };
            self.walk_from_root(&walk, configuration, &mut entry);
        }
        entry.tokens = SmallVec::from_slice(self.tokens);
        self.tokens.clear();
        entry.allows = entry.allows_something();
        if !entry.unresolved.is_empty() || !self.name_completing.is_empty() {
            self.keep_dependent(&mut entry);
        }
        self.machine.check_limits()?;
        Ok(entry)
    }

    /// Keeps the tokens that depend on names or items used before.
    #[cold]
    fn keep_dependent(&mut self, entry: &mut Entry) {
        entry.unresolved.sort_unstable();
        entry.unresolved.dedup();
        if let (Some((object, _)), false) = (self.own, self.name_completing.is_empty()) {
            entry.name_completing =
                Some(Box::new(NameCompleting::new(object, std::mem::take(&mut self.name_completing))));
        }
    }

    /// Those unresolved tokens of an entry that `configuration` can read.
    pub fn resolve(&mut self, configuration: Configuration, unresolved: &[TokenId]) -> Result<Vec<TokenId>> {
        let tables = self.tables;
        let reached = |token: &TokenId| self.reaches(configuration, tables.vocabulary.token(*token));
        let allowed = unresolved.iter().copied().filter(reached).collect();
        self.machine.check_limits()?;
        Ok(allowed)
    }

    /// Takes the tokens found from `base` on.
    pub fn take_tokens(&mut self, base: usize) -> Box<[TokenId]> {
        let taken = self.tokens[base..].into();
        self.tokens.truncate(base);
        taken
    }

    /// Tokens that are whitespace only.
    fn add_blank(&mut self, configuration: Configuration, runs: &RunTable) {
        if self.budget.is_none() {
            self.tokens.extend_from_slice(&runs.blank);
        } else {
            self.add_blank_within(configuration, runs);
        }
    }

    /// As [`Masker::add_blank`], as far as the budget allows.
    #[cold]
    fn add_blank_within(&mut self, configuration: Configuration, runs: &RunTable) {
        let tables = self.tables;
        for &token in &runs.blank {
            if self.reaches(configuration, tables.vocabulary.token(token)) {
                self.tokens.push(token);
            }
        }
    }

    /// Whether the whole of `bytes` can be read from `configuration` and leaves enough budget.
    fn reaches(&mut self, configuration: Configuration, bytes: &[u8]) -> bool {
        let (start, base) = (self.machine.path.len(), self.buffer.len());
        self.buffer.push(configuration);
        let mut low = base;
        for &byte in bytes {
            let high = self.buffer.len();
            self.machine.step_within(self.buffer, low, byte);
            self.machine.path.push(byte);
            low = high;
        }
        self.machine.path.truncate(start);
        self.machine.settle();
        let reached = self.buffer.len() > low && self.fits(low);
        self.buffer.truncate(base);
        reached
    }

    /// Whether the configurations `buffer[low..]` leave enough budget.
    #[inline]
    pub fn fits(&mut self, low: usize) -> bool {
        match &mut self.budget {
            None => true,
            Some(budget) => budget.fits(&mut self.machine, &self.buffer[low..]),
        }
    }
}
