//! Walks over tries of tokens: which tokens can be read from a configuration.
//!
//! ```text
//! root ─ "     step the configurations by the byte; if none is left, no token below may come
//!         └ ,  if some are left, the tokens that end here may come, and the walk goes on below
//! ```
//!
//! A walk that enters a terminal above a large subtree uses the terminal's mask for that subtree instead (`terminals`).
//!
//! Cost: a step for each branch that is alive. One buffer holds the configurations of every trie node from the
//! root to the walk's node, one list after the other; `low` is where the list of the node begins.

use std::sync::Arc;

use super::Masker;
use super::entry::Entry;
use super::lockstep::{InName, InText};
use crate::language::{SpaceState, UNBOUNDED, end};
use crate::matcher::machine::{CompletedName, Configuration, Learnt, Position};
use crate::regular::ByteSet;
use crate::terminals::{DependentTokens, Occurrence, RunTable};
use crate::vocabulary::{NodeIndex, TokenId, Trie, TrieNode};

/// Subtrees with more nodes than this use terminal masks.
const LARGE: u32 = 48;

/// Before subtrees with more nodes than this, what may begin is found once for all bytes, where that is found lazily. Elsewhere
/// only before [`LARGE`] ones, where the terminals among it have masks.
const SEVERAL: u32 = 4;

/// Bytes of a token that are walked by calls.
const DEEP: u16 = 64;

/// A trie, and how its items become tokens.
pub struct Walk<'w> {
    pub trie: &'w Trie,
    pub kind: Tokens<'w>,
}

/// How items of a trie become tokens.
pub enum Tokens<'w> {
    /// Items are tokens.
    Plain,
    /// Items are tokens without their leading whitespace; that run of whitespace must be allowed.
    Stripped { entries: &'w [(u16, TokenId)], runs: &'w RunTable, space: SpaceState },
    /// Items are context-dependent tokens of a terminal.
    Dependent { dependent: &'w Arc<DependentTokens>, window: (u32, u32), runs: Option<(&'w RunTable, u8)> },
}

impl Masker<'_> {
    /// Adds the tokens of a trie that can be read from a configuration.
    pub fn walk_from_root(&mut self, walk: &Walk<'_>, configuration: Configuration, entry: &mut Entry) {
        let base = self.buffer.len();
        self.buffer.push(configuration);
        self.walk(walk, 0, base, end::ANY, entry);
        self.buffer.truncate(base);
    }

    /// Steps the configurations `buffer[low..]` along every branch below `node`.
    ///
    /// `purpose` is what the first byte after stripped whitespace was for, an item, comma, colon or close (see
    /// [`end`]): it decides which whitespace may be before that byte.
    pub fn walk(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize, purpose: u8, entry: &mut Entry) {
        if walk.is_deep(node) {
            return self.walk_deep(walk, node, low, purpose, entry);
        }
        let below = walk.trie.node(node).skip - node;
        let many = if self.machine.is_lazy { SEVERAL } else { LARGE };
        if below > many && !self.is_bounded() {
            self.split_starts(low);
        }
        if below > LARGE && walk.is_tokens() && !self.completing {
            self.add_terminals(walk, node, low, purpose, entry);
            if self.buffer.len() == low {
                return;
            }
        }
        if let [Configuration { position, stack }] = self.buffer[low..]
            && !(node == 0 && walk.strips())
            && !self.machine.must_differ(stack)
        {
            if let Position::Key { object, seen, at } = position {
                let fits = self.every_end_fits(Configuration { position, stack });
                return self.walk_names(walk, node, InName { object, seen, at, stack, fits }, purpose, entry);
            }
            if let Position::Literal { node: texts, at } = position
                && self.every_end_fits(Configuration { position, stack })
            {
                return self.walk_texts(walk, node, InText { texts, at, stack }, purpose, entry);
            }
        }
        self.visit_children(walk, node, low, purpose, entry);
    }

    /// Puts what may begin the configurations `buffer[low..]` in their place.
    pub fn split_starts(&mut self, low: usize) {
        if !self.buffer[low..].iter().any(|at| matches!(at.position, Position::Start(_) | Position::Ended)) {
            return;
        }
        let before: Vec<Configuration> = self.buffer.drain(low..).collect();
        for configuration in before {
            if configuration.position == Position::Ended {
                let next = self.machine.continuation(configuration.stack);
                next.configurations.iter().for_each(|&next| self.machine.split_start(next, self.buffer));
            } else {
                self.machine.split_start(configuration, self.buffer);
            }
        }
    }

    /// The same for one configuration at such a node.
    pub fn walk_deep_from(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        at: Configuration,
        purpose: u8,
        entry: &mut Entry,
    ) {
        let low = self.buffer.len();
        self.buffer.push(at);
        self.walk_deep(walk, node, low, purpose, entry);
        self.buffer.truncate(low);
    }

    /// As [`Masker::walk`] from a node far from the root on, where few tokens end and nothing is taken together: without
    /// calls that a token of thousands of bytes would nest too deeply.
    #[cold]
    fn walk_deep(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize, purpose: u8, entry: &mut Entry) {
        let path = self.machine.path.len();
        let children = |node, low, high| walk.trie.children(node).map(move |child| (child, low, high));
        let mut open: Vec<(NodeIndex, usize, usize)> = children(node, low, self.buffer.len()).collect();
        open.reverse();
        while let Some((child, low, high)) = open.pop() {
            let TrieNode { byte, depth, .. } = *walk.trie.node(child);
            self.buffer.truncate(high);
            self.machine.path.truncate(path + usize::from(depth - walk.trie.node(node).depth) - 1);
            self.machine.step_within(self.buffer, low, byte);
            if !self.machine.learnt.is_nothing() {
                self.keep_dependent_on_names(walk, child, high, purpose, entry);
            }
            if self.buffer.len() > high {
                self.machine.path.push(byte);
                self.emit(walk, walk.trie.items_at(child), high, purpose);
                self.take_exits(walk, child, high);
                let first = open.len();
                open.extend(children(child, high, self.buffer.len()));
                open[first..].reverse();
            }
        }
        self.machine.path.truncate(path);
    }

    /// Visits the children of a node whose byte some configuration may read. Where there are many children, the set of
    /// readable bytes is found first; else each child's byte is tested.
    fn visit_children(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize, purpose: u8, entry: &mut Entry) {
        if let Some(table) = walk.trie.table(node) {
            for byte in self.live_bytes(low).iter() {
                let child = table[usize::from(byte)];
                if child != crate::vocabulary::NONE {
                    self.visit(walk, node, child, low, purpose, entry);
                }
            }
            return;
        }
        let live = (node == 0).then(|| self.live_bytes(low)); // a root has many children
        for child in walk.trie.children(node) {
            let byte = walk.trie.node(child).byte;
            let may_read = match &live {
                Some(live) => live.contains(byte),
                None => self.buffer[low..].iter().any(|configuration| self.machine.may_read(configuration, byte)),
            };
            if may_read {
                self.visit(walk, node, child, low, purpose, entry);
            }
        }
    }

    /// Steps the configurations `buffer[low..]` to a child of `node`, and goes on below it.
    #[allow(clippy::too_many_arguments)]
    pub fn visit(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        child: NodeIndex,
        low: usize,
        purpose: u8,
        entry: &mut Entry,
    ) {
        let high = self.buffer.len();
        let byte = walk.trie.node(child).byte;
        self.machine.step_within(self.buffer, low, byte);
        if !self.machine.learnt.is_nothing() {
            self.keep_dependent_on_names(walk, child, high, purpose, entry);
        }
        if self.buffer.len() > high {
            let purpose = if node == 0 && walk.strips() { end::of(byte) } else { purpose };
            self.machine.path.push(byte);
            self.emit(walk, walk.trie.items_at(child), high, purpose);
            if self.machine.is_lazy {
                self.take_exits(walk, child, high);
            }
            if walk.trie.node(child).height > 0 {
                self.walk(walk, child, high, purpose, entry);
            }
            self.machine.path.pop();
        }
        self.buffer.truncate(high);
    }

    /// The configurations `buffer[high..]` depend on unknown names or items: the tokens below are listed by the name
    /// that they complete, or as unresolved. Takes these configurations out.
    #[cold]
    fn keep_dependent_on_names(
        &mut self,
        walk: &Walk<'_>,
        child: NodeIndex,
        high: usize,
        purpose: u8,
        entry: &mut Entry,
    ) {
        let Learnt { unresolved, completed } = self.machine.take_learnt();
        let completed = completed.filter(|completed| !unresolved && self.is_of_own_object(completed, high));
        if let Some(name) = completed.and_then(|completed| completed.name) {
            self.machine.path.push(walk.trie.node(child).byte);
            let tokens = self.completing(walk, child, high, purpose, entry);
            self.machine.path.pop();
            self.name_completing.push((name, tokens));
        } else {
            entry.unresolved.extend(walk.trie.items_below(child).filter_map(|item| walk.token(item, end::ANY)));
            self.buffer.truncate(high);
        }
    }

    /// Whether tokens can be listed by the name they complete: it is a name of the object `own`, and the only
    /// configuration of `buffer[high..]` has read it.
    pub fn is_of_own_object(&self, completed: &CompletedName, high: usize) -> bool {
        let own = self.own == Some((completed.object, completed.stack));
        own && !self.completing && self.buffer.len() == high + 1 && self.budget.is_none()
    }

    /// The tokens at and below a node that may come if the name that has just ended is unused. Takes the configurations
    /// out.
    pub fn completing(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        low: usize,
        purpose: u8,
        entry: &mut Entry,
    ) -> Vec<TokenId> {
        let (base, mut part) = (self.tokens.len(), Entry::default());
        self.completing = true;
        self.emit(walk, walk.trie.items_at(node), low, purpose);
        self.walk(walk, node, low, purpose, &mut part);
        self.completing = false;
        self.buffer.truncate(low);
        entry.unresolved.append(&mut part.unresolved);
        self.take_tokens(base).into_vec()
    }

    /// Adds the tokens of some items, if the configurations `buffer[low..]` leave enough budget.
    pub fn emit(&mut self, walk: &Walk<'_>, items: std::ops::Range<usize>, low: usize, purpose: u8) {
        if !items.is_empty() && self.fits(low) {
            self.add(walk, items, purpose);
        }
    }

    /// Adds the tokens of some items whose whitespace and characters are allowed.
    #[inline]
    pub fn add(&mut self, walk: &Walk<'_>, items: std::ops::Range<usize>, purpose: u8) {
        let found = &walk.trie.items()[items.clone()];
        match walk.kind {
            Tokens::Plain => match *found {
                [] => {}
                [token] => self.tokens.push(token), // most nodes have one, and a copy of a slice is a call
                _ => self.tokens.extend_from_slice(found),
            },
            Tokens::Stripped { entries, runs, .. } => {
                self.tokens.reserve(found.len());
                for &item in found {
                    let (run, token) = entries[item as usize];
                    if runs.ends[usize::from(run)] & purpose != 0 {
                        self.tokens.push(token);
                    }
                }
            }
            Tokens::Dependent { dependent, window: (0, UNBOUNDED), runs } => {
                self.tokens.reserve(found.len());
                for &item in found {
                    let Occurrence { run, token, .. } = dependent.tokens[item as usize];
                    if runs.is_none_or(|(runs, purpose)| runs.ends[usize::from(run)] & purpose != 0) {
                        self.tokens.push(token);
                    }
                }
            }
            Tokens::Dependent { .. } => self.tokens.extend(items.filter_map(|item| walk.token(item, purpose))),
        }
    }
}

impl<'w> Walk<'w> {
    /// Whether some token below a node goes on with one of some bytes.
    pub fn goes_on_with(&self, bytes: ByteSet, node: NodeIndex) -> bool {
        self.trie.children(node).any(|child| bytes.contains(self.trie.node(child).byte))
    }

    /// Whether a node is so far from the root that it is not reached by calls.
    pub fn is_deep(&self, node: NodeIndex) -> bool {
        self.trie.node(node).depth >= DEEP
    }

    /// Whether the trie has tokens without their leading whitespace.
    pub fn strips(&self) -> bool {
        matches!(self.kind, Tokens::Stripped { .. })
    }

    /// Whether this is a trie of the vocabulary, for which terminal masks exist.
    fn is_tokens(&self) -> bool {
        !matches!(self.kind, Tokens::Dependent { .. })
    }

    /// Which runs of leading whitespace may be here, if they are stripped.
    pub fn runs(&self) -> Option<&'w RunTable> {
        match self.kind {
            Tokens::Stripped { runs, .. } => Some(runs),
            _ => None,
        }
    }

    /// Every token at or below a node, whatever its whitespace.
    pub fn tokens_below(&self, node: NodeIndex) -> impl Iterator<Item = TokenId> + '_ {
        let items = &self.trie.items()[self.trie.items_below(node)];
        items.iter().map(|&item| match self.kind {
            Tokens::Plain => item,
            Tokens::Stripped { entries, .. } => entries[item as usize].1,
            Tokens::Dependent { dependent, .. } => dependent.tokens[item as usize].token,
        })
    }

    /// The tokens that end at a node, if their whitespace and characters are allowed.
    pub fn tokens_at(&self, node: NodeIndex, purpose: u8) -> impl Iterator<Item = TokenId> + '_ {
        self.trie.items_at(node).filter_map(move |item| self.token(item, purpose))
    }

    /// The token of an item, if its whitespace and characters are allowed.
    pub fn token(&self, item: usize, purpose: u8) -> Option<TokenId> {
        let item_value = self.trie.items()[item];
        match &self.kind {
            Tokens::Plain => Some(item_value),
            Tokens::Stripped { entries, runs, .. } => {
                let (run, token) = entries[item_value as usize];
                (runs.ends[usize::from(run)] & purpose != 0).then_some(token)
            }
            Tokens::Dependent { dependent, window, runs } => {
                let Occurrence { run, count, token } = dependent.tokens[item_value as usize];
                let counted = window.0 <= u32::from(count) && u32::from(count) <= window.1;
                let spaced = runs.is_none_or(|(runs, purpose)| runs.ends[usize::from(run)] & purpose != 0);
                (counted && spaced).then_some(token)
            }
        }
    }
}
