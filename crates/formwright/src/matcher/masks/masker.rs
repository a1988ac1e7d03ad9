//! The [`Masker`] makes entries: which tokens one configuration allows.
//!
//! An *entry* is what one configuration allows; it is cached, and serves many texts. A *mask* is what a matcher allows:
//! the entries of its configurations, completed for its text, written as a row of bits. A *terminal mask* is what one
//! state of a terminal allows; entries refer to them.
//!
//! ```text
//! inside a terminal          its terminal mask (`terminals`), and a walk over its context-dependent tokens with what
//!                            comes after it (`dependent`)
//! where whitespace may come  tokens of whitespace only, and a walk over the trie of stripped tokens (`walk`)
//! anywhere else              a walk over the trie of all tokens (`walk`)
//! ```
//!
//! Cost on 131k tokens: 0.5-6 us for an entry. Some tokens depend on the names or items used before, and these
//! differ between the texts that an entry serves. So an entry lists such tokens apart: by the undeclared name that they
//! complete, or as unresolved.

use std::sync::Arc;

use smallvec::SmallVec;

use super::entry::Bans;
use super::fragments::Exit;
use super::name_completing::ByName;
use super::{Entry, NameCompleting, TerminalCache, Tokens, Walk};
use crate::error::Result;
use crate::language::{NodeId, SpaceState, end};
use crate::matcher::budget::Budget;
use crate::matcher::compiled::TableIds;
use crate::matcher::machine::{Configuration, Machine, Position, StackId};
use crate::regular::ByteSet;
use crate::terminals::{Bitmap, RunTable, Tables, TokenSet};
use crate::vocabulary::TokenId;

/// Makes entries for the configurations of one machine.
pub struct Masker<'m> {
    pub machine: Machine<'m>,
    pub tables: &'m Tables,
    pub ids: &'m TableIds,
    pub budget: Option<Budget<'m>>,
    /// The configurations at each trie node from the root of a walk to where it is, one list after the other.
    pub buffer: &'m mut Vec<Configuration>,
    /// The tokens found so far of an entry. A part of it that is kept by itself is collected at the end of this list
    /// and taken off again ([`Masker::take_tokens`]).
    pub tokens: &'m mut Vec<TokenId>,
    pub terminals: &'m mut TerminalCache,
    /// If the configuration is between members: their object, and the stack to resume after that object.
    pub own: Option<(NodeId, StackId)>,
    /// Tokens that complete an undeclared name of the object `own`, by that name.
    pub name_completing: Vec<ByName>,
    /// Whether a walk is going on after the end of such a name: what it finds is allowed only while the name is unused.
    pub completing: bool,
    /// Where tokens go on with what the stack of a text says.
    pub exits: Vec<Exit>,
    /// Whether what is found cannot be kept apart from the stack of a text.
    pub is_indivisible: bool,
    /// Tokens of whitespace only about which used names or items decide.
    unresolved_whitespace: Vec<TokenId>,
}

impl<'m> Masker<'m> {
    pub fn new(
        mut machine: Machine<'m>,
        tables: &'m Tables,
        ids: &'m TableIds,
        budget: Option<Budget<'m>>,
        (buffer, tokens): (&'m mut Vec<Configuration>, &'m mut Vec<TokenId>),
        terminals: &'m mut TerminalCache,
    ) -> Self {
        buffer.clear();
        tokens.clear();
        machine.is_lazy = machine.graph.has_rules();
        let mut masker = Self {
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
            exits: Vec::new(),
            is_indivisible: false,
            unresolved_whitespace: Vec::new(),
        };
        masker.machine.comparison.is_strict = masker.is_bounded();
        masker
    }

    /// Whether some tokens may not come because they lead too far from the end.
    pub fn is_bounded(&self) -> bool {
        self.budget.as_ref().is_some_and(|budget| !budget.is_measuring)
    }

    /// The entry of one configuration.
    pub fn entry(&mut self, configuration: Configuration) -> Result<Entry> {
        let mut entry = Entry::default();
        if configuration.position == Position::Accept {
            return Ok(entry); // no token; that the text may end is noted in the mask, not in an entry
        }
        let configuration = self.machine.inside_part(configuration);
        self.own = match configuration.position {
            Position::Object { object, .. } => Some((object, configuration.stack)),
            _ => None,
        };
        let vocabulary = &self.tables.vocabulary;
        if let Some((after, space)) = self.machine.after_whitespace(configuration) {
            let spaces = self.machine.graph.spaces();
            let runs = self.terminals.runs(space, || self.tables.run_table(self.ids.spaces, spaces, space));
            self.add_whitespace_tokens(configuration, &runs);
            entry.unresolved.append(&mut self.unresolved_whitespace);
            let stripped = vocabulary.stripped();
            let kind = Tokens::Stripped { entries: &stripped.entries, runs: &runs, space };
            self.walk_from_root(&Walk { trie: &stripped.trie, kind }, after, &mut entry);
        } else {
            let walk = Walk { trie: vocabulary.plain(), kind: Tokens::Plain };
            self.walk_from_root(&walk, configuration, &mut entry);
        }
        self.keep_tokens(&mut entry);
        // Tokens that are listed apart do not count here: a mask lists those of them that its text allows.
        entry.allows = entry.allows_something();
        if !entry.unresolved.is_empty() || !self.name_completing.is_empty() {
            self.keep_dependent(&mut entry);
        }
        self.machine.check_limits()?;
        Ok(entry)
    }

    /// Moves the tokens found into the entry. Many of them become a bit map, which is smaller, and copied as a whole.
    pub(super) fn keep_tokens(&mut self, entry: &mut Entry) {
        let words = self.tables.vocabulary.mask_words();
        if self.tokens.len() <= words {
            entry.tokens = SmallVec::from_slice(self.tokens);
        } else {
            let map = Bitmap::of(self.tokens.iter().copied(), words);
            entry.sets.push((Arc::new(TokenSet::Map(map)), Bans::default()));
        }
        self.tokens.clear();
    }

    /// Lists in the entry, apart from the others, the tokens that depend on names or items used before.
    #[cold]
    fn keep_dependent(&mut self, entry: &mut Entry) {
        entry.unresolved.sort_unstable();
        entry.unresolved.dedup();
        if let (Some((object, _)), false) = (self.own, self.name_completing.is_empty()) {
            entry.name_completing =
                Some(Box::new(NameCompleting::new(object, std::mem::take(&mut self.name_completing))));
        }
    }

    /// The unresolved tokens of an entry that `configuration` can read: tried one by one, with the text at hand.
    pub fn resolve(&mut self, configuration: Configuration, unresolved: &[TokenId]) -> Result<Vec<TokenId>> {
        let tables = self.tables;
        let reached = |token: &TokenId| self.reaches(configuration, tables.vocabulary.token(*token));
        let allowed = unresolved.iter().copied().filter(reached).collect();
        self.machine.check_limits()?;
        Ok(allowed)
    }

    /// Takes the tokens off that were found since the list had `base` tokens.
    pub fn take_tokens(&mut self, base: usize) -> Box<[TokenId]> {
        let taken = self.tokens[base..].into();
        self.tokens.truncate(base);
        taken
    }

    /// Adds the tokens of whitespace only that may be here.
    fn add_whitespace_tokens(&mut self, configuration: Configuration, runs: &RunTable) {
        if self.budget.is_none() {
            if self.machine.graph.spaces().decides() {
                return self.add_whitespace_that_decides(configuration, runs);
            }
            self.tokens.extend_from_slice(&runs.whitespace_only);
        } else {
            self.add_whitespace_within_budget(configuration, runs);
        }
    }

    /// Adds the tokens of whitespace only after which something may follow.
    #[cold]
    fn add_whitespace_that_decides(&mut self, configuration: Configuration, runs: &RunTable) {
        let purposes = self.machine.purposes(configuration.position);
        let spaces = self.machine.graph.spaces();
        let tokens = runs.whitespace_only.iter().zip(&runs.after_whitespace);
        let allowed = tokens.filter(|(_, after)| spaces.reached(**after) & purposes != 0).map(|(&token, _)| token);
        if self.machine.take_learnt().unresolved {
            self.unresolved_whitespace.extend(allowed);
        } else {
            self.tokens.extend(allowed);
        }
    }

    /// As [`Masker::add_whitespace_tokens`], as far as the budget allows.
    #[cold]
    fn add_whitespace_within_budget(&mut self, configuration: Configuration, runs: &RunTable) {
        let (free, others) = runs.whitespace_only.split_at(runs.free);
        if runs.free > 0 && self.whitespace_fits(configuration, runs.after_whitespace[0]) {
            self.tokens.extend_from_slice(free);
        }
        for (&token, &space) in others.iter().zip(&runs.after_whitespace[runs.free..]) {
            if self.whitespace_fits(configuration, space) {
                self.tokens.push(token);
            }
        }
    }

    /// Whether a configuration may be in a state of whitespace, and leaves enough budget.
    fn whitespace_fits(&mut self, configuration: Configuration, space: SpaceState) -> bool {
        let reached = self.machine.graph.spaces().reached(space);
        if reached != end::ANY && self.machine.purposes(configuration.position) & reached == 0 {
            return false;
        }
        self.machine.settle();
        let base = self.buffer.len();
        self.buffer.push(configuration.with_space(space));
        let fits = self.fits(base);
        self.buffer.truncate(base);
        fits
    }

    /// Remembers how much the tokens of a configuration leave to do at most, if every text that is there is alike.
    pub fn remember(&mut self, configuration: Configuration) {
        let alike = self.machine.is_erased(configuration.stack);
        if let Some(budget) = self.budget.as_mut().filter(|budget| alike && budget.looks_at_all()) {
            budget.remember(configuration);
        }
    }

    /// Whether the whole of `bytes` can be read from `configuration` and leaves enough budget. Every step appends a
    /// list of configurations to the buffer; from an empty list, the next one is empty too. What the steps depended on
    /// does not matter: the bytes are read with the text at hand, whose names and items are known.
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
        self.machine.settle();
        let reached = self.buffer.len() > low && self.fits(low);
        self.machine.path.truncate(start);
        self.buffer.truncate(base);
        reached
    }

    /// Bytes some configuration of `buffer[low..]` may read (perhaps more).
    pub fn live_bytes(&self, low: usize) -> ByteSet {
        self.buffer[low..]
            .iter()
            .fold(ByteSet::default(), |set, configuration| set.union(&self.machine.first_bytes(configuration)))
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
