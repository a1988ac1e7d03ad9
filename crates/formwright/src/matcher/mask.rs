//! The mask: which tokens may come next.
//!
//! A mask is the union of the masks of the threads, and the mask of a thread is
//! an [`Entry`]: a few shared bit maps and a short list of further tokens.
//!
//! ```text
//! inside a leaf          bit map of the leaf  +  walk of its exits with what comes after
//! before whitespace      whitespace tokens    +  walk of the tree of stripped tokens
//! anything else          walk of the tree of tokens
//! ```
//!
//! A walk steps the threads along the branches of a tree. Where it enters a
//! leaf above a large subtree it stops and uses the leaf's mask for that subtree
//! instead. Entries are remembered by thread, so a state seen before costs one
//! copy of a bit map.
//!
//! Cost on 131k tokens: 0.2 us for a known entry, 0.5-6 us for a new one.

use std::sync::Arc;

use super::budget::Budget;
use super::leaves::{Bans, Leaves};
use super::named::Named;
use super::program::leaving;
use super::step::{Assumed, Machine};
use super::thread::{ByteSet, ContId, Head, SeenId, Thread};
use crate::error::Result;
use crate::language::{Node, NodeId, SpaceState, UNBOUNDED, end};
use crate::leaf::{Exits, LeafMask, Met, RunTable, Tables};
use crate::vocabulary::{NodeIndex, TokenId, Trie};

/// Subtrees with more nodes than this use leaf masks.
const LARGE: u32 = 48;

/// Which automata and whitespace of a program the vocabulary knows under which ids.
#[derive(Debug)]
pub struct Links {
    /// By leaf: the id of its automaton.
    pub automata: Vec<u32>,
    /// The id of the whitespace automaton.
    pub spaces: u32,
}

/// The tokens a thread allows.
#[derive(Debug, Default)]
pub struct Entry {
    /// Leaf masks whose bodies are allowed, but for some tokens.
    pub maps: Vec<(Arc<LeafMask>, Bans)>,
    /// Further tokens.
    pub tokens: Vec<TokenId>,
    /// Whether any token is allowed, doubtful ones aside.
    pub allows: bool,
    /// Tokens that depend on names or items used before: to be tried at every visit.
    pub doubtful: Vec<TokenId>,
    /// Tokens that spell a whole undeclared name: allowed while that name is not used.
    pub named: Option<Box<Named>>,
}

impl Entry {
    /// Bytes of memory held, shared maps not counted.
    pub fn bytes(&self) -> usize {
        let named = self.named.as_ref().map_or(0, |named| named.bytes());
        (self.tokens.len() + self.doubtful.len()) * 4 + self.maps.len() * 24 + named + 160
    }

    fn allows_something(&self) -> bool {
        let some = |(map, bans): &(Arc<LeafMask>, Bans)| map.body.has_others(bans);
        !self.tokens.is_empty() || self.maps.iter().any(some)
    }
}

/// Makes entries for the threads of one machine.
pub struct Masker<'m> {
    pub machine: Machine<'m>,
    pub tables: &'m Tables,
    pub links: &'m Links,
    pub budget: Option<Budget<'m>>,
    pub(super) buffer: &'m mut Vec<Thread>,
    pub(super) leaves: &'m mut Leaves,
    /// The object the thread stands in, and what comes after it.
    pub(super) own: Option<(NodeId, ContId)>,
    /// Tokens that assume a name of it to be new, by the name.
    pub(super) named: Vec<(Vec<u8>, Vec<TokenId>)>,
    /// Whether a walk is under way that assumes so.
    assuming: bool,
}

/// What a walk over one tree needs to know about its tokens.
pub(super) struct Walk<'w> {
    pub trie: &'w Trie,
    pub kind: Tokens<'w>,
}

/// A thread inside a declared name.
#[derive(Clone, Copy)]
struct Key {
    object: NodeId,
    seen: SeenId,
    at: NodeIndex,
    cont: ContId,
}

/// How items of a tree become tokens.
pub(super) enum Tokens<'w> {
    /// Items are tokens.
    Plain,
    /// Items are stripped tokens; their run of whitespace must be allowed.
    Stripped { entries: &'w [(u16, TokenId)], runs: &'w RunTable, space: SpaceState },
    /// Items are exits of a leaf.
    Exits { exits: &'w Exits, window: (u32, u32), runs: Option<(&'w RunTable, u8)> },
}

impl<'m> Masker<'m> {
    pub fn new(
        machine: Machine<'m>,
        tables: &'m Tables,
        links: &'m Links,
        budget: Option<Budget<'m>>,
        buffer: &'m mut Vec<Thread>,
        leaves: &'m mut Leaves,
    ) -> Self {
        buffer.clear();
        Self { machine, tables, links, budget, buffer, leaves, own: None, named: Vec::new(), assuming: false }
    }

    /// The entry of one thread.
    pub fn entry(&mut self, thread: Thread) -> Result<Entry> {
        let mut entry = Entry::default();
        if thread.head == Head::Accept {
            return Ok(entry);
        }
        self.own = if let Head::Object { object, .. } = thread.head { Some((object, thread.cont)) } else { None };
        let vocabulary = Arc::clone(&self.tables.vocabulary);
        if let Some((free, space)) = self.machine.free_of_space(thread) {
            let spaces = &self.machine.program.graph.spaces;
            let runs = self.tables.run_table(self.links.spaces, spaces, space);
            self.blank(thread, &runs, &mut entry);
            let stripped = vocabulary.stripped();
            let kind = Tokens::Stripped { entries: &stripped.entries, runs: &runs, space };
            self.walk_from_root(&Walk { trie: &stripped.trie, kind }, free, &mut entry);
        } else {
            let walk = Walk { trie: vocabulary.plain(), kind: Tokens::Plain };
            self.walk_from_root(&walk, thread, &mut entry);
        }
        entry.doubtful.sort_unstable();
        entry.doubtful.dedup();
        entry.allows = entry.allows_something();
        if let (Some((object, _)), false) = (self.own, self.named.is_empty()) {
            entry.named = Some(Box::new(Named::new(object, std::mem::take(&mut self.named))));
        }
        self.machine.sound()?;
        Ok(entry)
    }

    /// Those doubtful tokens of an entry that `thread` can read.
    pub fn decide(&mut self, thread: Thread, doubtful: &[TokenId]) -> Result<Vec<TokenId>> {
        let tables = self.tables;
        let reached = |token: &TokenId| self.reaches(thread, tables.vocabulary.token(*token));
        let allowed = doubtful.iter().copied().filter(reached).collect();
        self.machine.sound()?;
        Ok(allowed)
    }

    /// Tokens that are whitespace only.
    fn blank(&mut self, thread: Thread, runs: &RunTable, entry: &mut Entry) {
        if self.budget.is_none() {
            entry.tokens.extend_from_slice(&runs.blank);
            return;
        }
        let tables = self.tables;
        let fitting = runs.blank.iter().filter(|&&token| self.reaches(thread, tables.vocabulary.token(token)));
        entry.tokens.extend(fitting);
    }

    /// Whether the whole of `bytes` can be read from `thread` and leaves enough budget.
    fn reaches(&mut self, thread: Thread, bytes: &[u8]) -> bool {
        let (start, base) = (self.machine.path.len(), self.buffer.len());
        self.buffer.push(thread);
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

    /// Whether the threads `buffer[low..]` leave enough budget.
    fn fits(&mut self, low: usize) -> bool {
        match &mut self.budget {
            None => true,
            Some(budget) => budget.fits(&mut self.machine, &self.buffer[low..]),
        }
    }

    fn walk_from_root(&mut self, walk: &Walk<'_>, thread: Thread, entry: &mut Entry) {
        let base = self.buffer.len();
        self.buffer.push(thread);
        self.walk(walk, 0, base, end::ANY, entry);
        self.buffer.truncate(base);
    }

    /// Steps the threads `buffer[low..]` along every branch below `node`.
    ///
    /// `purpose` is what the first byte after stripped whitespace was.
    pub(super) fn walk(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize, purpose: u8, entry: &mut Entry) {
        if walk.trie.node(node).skip - node > LARGE && walk.is_tokens() && !self.assuming {
            self.shortcut(walk, node, low, purpose, entry);
            if self.buffer.len() == low {
                return;
            }
        }
        if let [Thread { head: Head::Key { object, seen, at }, cont }] = self.buffer[low..]
            && self.budget.is_none()
            && !(node == 0 && walk.strips())
        {
            return self.names(walk, node, Key { object, seen, at, cont }, purpose, entry);
        }
        if let Some(bytes) = self.few_bytes(low) {
            for byte in bytes.iter() {
                if let Some(child) = walk.trie.child(node, byte) {
                    self.visit(walk, node, child, low, purpose, entry);
                }
            }
            return;
        }
        if let Some(table) = walk.trie.table(node) {
            for byte in self.live_bytes(low).iter() {
                let child = table[usize::from(byte)];
                if child != crate::vocabulary::NONE {
                    self.visit(walk, node, child, low, purpose, entry);
                }
            }
            return;
        }
        // Exits begin in many ways, of which few may come.
        let live = if node == 0 { self.live_bytes(low) } else { ByteSet::ALL };
        for child in walk.trie.children(node) {
            if live.contains(walk.trie.node(child).byte) {
                self.visit(walk, node, child, low, purpose, entry);
            }
        }
    }

    /// Declared names and tokens side by side, as [`Masker::walk`] would find them: between the quotes of a name
    /// nothing changes but the place in it.
    fn names(&mut self, walk: &Walk<'_>, node: NodeIndex, key: Key, purpose: u8, entry: &mut Entry) {
        let Node::Object(object) = self.machine.program.node(key.object) else { return };
        for at in object.names.children(key.at) {
            let byte = object.names.node(at).byte;
            let Some(child) = walk.trie.child(node, byte) else { continue };
            if self.machine.name_is_live(object, key.seen, at) {
                self.machine.path.push(byte);
                entry.tokens.extend(walk.trie.items_at(child).filter_map(|item| walk.token(item, purpose)));
                self.names(walk, child, Key { at, ..key }, purpose, entry);
                self.machine.path.pop();
            }
        }
        if object.names.items_at(key.at).is_empty() {
            return;
        }
        if let Some(quote) = walk.trie.child(node, b'"') {
            let low = self.buffer.len();
            let head = Head::Key { object: key.object, seen: key.seen, at: key.at };
            self.buffer.push(Thread { head, cont: key.cont });
            self.visit(walk, node, quote, low, purpose, entry);
            self.buffer.truncate(low);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn visit(
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
        let assumed = self.machine.assumed.take();
        let known = |assumed: &Assumed| assumed.name.is_some() && self.may_assume(assumed, high);
        let known = assumed.as_ref().is_none_or(known);
        if std::mem::take(&mut self.machine.doubt) || !known {
            entry.doubtful.extend(walk.trie.items_below(child).filter_map(|item| walk.token(item, end::ANY)));
            self.buffer.truncate(high);
        } else if let Some(name) = assumed.and_then(|assumed| assumed.name) {
            self.machine.path.push(byte);
            let tokens = self.assuming(walk, child, high, purpose, entry);
            self.machine.path.pop();
            self.named.push((name, tokens));
        }
        if self.buffer.len() > high {
            let purpose = if node == 0 && walk.strips() { end::of(byte) } else { purpose };
            self.emit(walk, walk.trie.items_at(child), high, purpose, entry);
            if walk.trie.node(child).height > 0 {
                self.machine.path.push(byte);
                self.walk(walk, child, high, purpose, entry);
                self.machine.path.pop();
            }
        }
        self.buffer.truncate(high);
    }

    /// Whether tokens can be kept by the name that they assume to be new: a name of the object the thread stands in,
    /// read by the one thread behind `high`.
    pub(super) fn may_assume(&self, assumed: &Assumed, high: usize) -> bool {
        let own = self.own == Some((assumed.object, assumed.cont));
        own && !self.assuming && self.buffer.len() == high + 1 && self.budget.is_none()
    }

    /// The tokens at and below a node, if the name that has just ended is new. Takes the threads out.
    pub(super) fn assuming(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        low: usize,
        purpose: u8,
        entry: &mut Entry,
    ) -> Vec<TokenId> {
        let mut part = Entry::default();
        self.assuming = true;
        self.emit(walk, walk.trie.items_at(node), low, purpose, &mut part);
        self.walk(walk, node, low, purpose, &mut part);
        self.assuming = false;
        self.buffer.truncate(low);
        entry.doubtful.append(&mut part.doubtful);
        part.tokens
    }

    pub(super) fn emit(
        &mut self,
        walk: &Walk<'_>,
        items: std::ops::Range<usize>,
        low: usize,
        purpose: u8,
        entry: &mut Entry,
    ) {
        if items.is_empty() {
            return;
        }
        if !self.fits(low) {
            return;
        }
        match walk.kind {
            Tokens::Plain => entry.tokens.extend_from_slice(&walk.trie.items()[items]),
            Tokens::Exits { exits, window: (0, UNBOUNDED), runs: None } => {
                entry.tokens.extend(walk.trie.items()[items].iter().map(|&item| exits.met[item as usize].token));
            }
            _ => entry.tokens.extend(items.filter_map(|item| walk.token(item, purpose))),
        }
    }

    /// The bytes a lone thread inside a text may read: asking for these beats trying all that tokens have.
    fn few_bytes(&self, low: usize) -> Option<ByteSet> {
        let [thread] = &self.buffer[low..] else { return None };
        matches!(thread.head, Head::Key { .. } | Head::Literal { .. }).then(|| self.first_bytes(thread))
    }

    /// Bytes some thread of `buffer[low..]` may read (perhaps more).
    fn live_bytes(&self, low: usize) -> ByteSet {
        self.buffer[low..].iter().fold(ByteSet::default(), |set, thread| set.union(&self.first_bytes(thread)))
    }

    pub(super) fn first_bytes(&self, thread: &Thread) -> ByteSet {
        let program = self.machine.program;
        let mut set = ByteSet::default();
        match thread.head {
            Head::Start(node) => return program.first(node),
            Head::Value { space, node } => {
                set = program.first(node);
                self.add_whitespace(space, &mut set);
            }
            Head::Literal { node, at } => {
                if let Some(trie) = program.node(node).texts() {
                    trie.children(at).for_each(|child| set.insert(trie.node(child).byte));
                }
            }
            Head::Key { object, at, .. } => {
                set.insert(b'"');
                if let Node::Object(object) = program.node(object) {
                    object.names.children(at).for_each(|child| set.insert(object.names.node(child).byte));
                }
            }
            Head::Colon { space, .. } => {
                set.insert(b':');
                self.add_whitespace(space, &mut set);
            }
            Head::Object { space, .. } => {
                b"\"},".iter().for_each(|&byte| set.insert(byte));
                self.add_whitespace(space, &mut set);
            }
            Head::Array { phase: super::thread::Phase::Open, array, space, .. } => {
                if let Node::Array(array) = program.node(array) {
                    set = array.item(0).map_or(set, |item| program.first(item));
                    set = array.ways(0).iter().fold(set, |set, (item, _)| set.union(&program.first(*item)));
                }
                set.insert(b']');
                self.add_whitespace(space, &mut set);
            }
            Head::Array { space, .. } => {
                b"],".iter().for_each(|&byte| set.insert(byte));
                self.add_whitespace(space, &mut set);
            }
            Head::Leaf { leaf, state } => return leaving(program.automaton(leaf), state),
            _ => return ByteSet::ALL,
        }
        set
    }

    fn add_whitespace(&self, space: SpaceState, set: &mut ByteSet) {
        if self.machine.program.graph.spaces.may_come(space) {
            b" \t\r\n".iter().for_each(|&byte| set.insert(byte));
        }
    }
}

impl<'w> Walk<'w> {
    pub(super) fn strips(&self) -> bool {
        matches!(self.kind, Tokens::Stripped { .. })
    }

    /// Whether this is a tree of the vocabulary, for which leaf masks exist.
    fn is_tokens(&self) -> bool {
        !matches!(self.kind, Tokens::Exits { .. })
    }

    pub(super) fn runs(&self) -> Option<&'w RunTable> {
        match self.kind {
            Tokens::Stripped { runs, .. } => Some(runs),
            _ => None,
        }
    }

    /// Every token at or below a node, whatever its whitespace.
    pub(super) fn tokens_below(&self, node: NodeIndex) -> impl Iterator<Item = TokenId> + '_ {
        let items = &self.trie.items()[self.trie.items_below(node)];
        items.iter().map(|&item| match self.kind {
            Tokens::Plain => item,
            Tokens::Stripped { entries, .. } => entries[item as usize].1,
            Tokens::Exits { exits, .. } => exits.met[item as usize].token,
        })
    }

    /// The token of an item, if its whitespace and characters are allowed.
    pub(super) fn token(&self, item: usize, purpose: u8) -> Option<TokenId> {
        let item_value = self.trie.items()[item];
        match &self.kind {
            Tokens::Plain => Some(item_value),
            Tokens::Stripped { entries, runs, .. } => {
                let (run, token) = entries[item_value as usize];
                (runs.ends[usize::from(run)] & purpose != 0).then_some(token)
            }
            Tokens::Exits { exits, window, runs } => {
                let Met { run, count, token } = exits.met[item_value as usize];
                let counted = window.0 <= u32::from(count) && u32::from(count) <= window.1;
                let spaced = runs.is_none_or(|(runs, purpose)| runs.ends[usize::from(run)] & purpose != 0);
                (counted && spaced).then_some(token)
            }
        }
    }
}
