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
//! copy of a bit map; so does one that no token can tell from it.
//!
//! Cost on 131k tokens: 0.2 us for a known entry, 0.5-6 us for a new one.

use std::sync::Arc;

use smallvec::SmallVec;

use super::budget::Budget;
use super::leaves::{Bans, Leaves};
use super::named::Named;
use super::step::{Assumed, Machine};
use super::thread::{ContId, END, Head, Phase, SeenId, Thread};
use crate::error::Result;
use crate::language::{Node, NodeId, SpaceState, UNBOUNDED, end};
use crate::leaf::{Exits, LeafMask, Met, RunTable, Tables};
use crate::regular::ByteSet;
use crate::vocabulary::{NodeIndex, TokenId, Trie};

/// Subtrees with more nodes than this use leaf masks.
const LARGE: u32 = 48;

/// Which automata and whitespace of a graph the vocabulary knows under which ids.
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
    pub maps: SmallVec<[(Arc<LeafMask>, Bans); 1]>,
    /// Further tokens.
    pub tokens: SmallVec<[TokenId; 8]>,
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

    /// Whether it says the same wherever it is remembered for.
    pub fn is_sure(&self) -> bool {
        self.doubtful.is_empty() && self.named.is_none()
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
    /// The threads on the way down a tree.
    pub(super) buffer: &'m mut Vec<Thread>,
    /// The tokens found so far: of an entry, and of what is made on the way to it and kept by itself.
    pub(super) tokens: &'m mut Vec<TokenId>,
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

/// A thread inside one of some texts.
#[derive(Clone, Copy)]
struct Literal {
    texts: NodeId,
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
        (buffer, tokens): (&'m mut Vec<Thread>, &'m mut Vec<TokenId>),
        leaves: &'m mut Leaves,
    ) -> Self {
        buffer.clear();
        tokens.clear();
        Self { machine, tables, links, budget, buffer, tokens, leaves, own: None, named: Vec::new(), assuming: false }
    }

    /// The entry of one thread.
    pub fn entry(&mut self, thread: Thread) -> Result<Entry> {
        let mut entry = Entry::default();
        if thread.head == Head::Accept {
            return Ok(entry);
        }
        self.own = if let Head::Object { object, .. } = thread.head { Some((object, thread.cont)) } else { None };
        let vocabulary = &self.tables.vocabulary;
        if let Some((free, space)) = self.machine.free_of_space(thread) {
            let spaces = self.machine.graph.spaces();
            let runs = self.leaves.runs(space, || self.tables.run_table(self.links.spaces, spaces, space));
            self.blank(thread, &runs);
            let stripped = vocabulary.stripped();
            let kind = Tokens::Stripped { entries: &stripped.entries, runs: &runs, space };
            self.walk_from_root(&Walk { trie: &stripped.trie, kind }, free, &mut entry);
        } else {
            let walk = Walk { trie: vocabulary.plain(), kind: Tokens::Plain };
            self.walk_from_root(&walk, thread, &mut entry);
        }
        entry.tokens = SmallVec::from_slice(self.tokens);
        self.tokens.clear();
        entry.allows = entry.allows_something();
        if !entry.doubtful.is_empty() || !self.named.is_empty() {
            self.keep_uncertain(&mut entry);
        }
        self.machine.sound()?;
        Ok(entry)
    }

    #[cold]
    fn keep_uncertain(&mut self, entry: &mut Entry) {
        entry.doubtful.sort_unstable();
        entry.doubtful.dedup();
        if let (Some((object, _)), false) = (self.own, self.named.is_empty()) {
            entry.named = Some(Box::new(Named::new(object, std::mem::take(&mut self.named))));
        }
    }

    /// Those doubtful tokens of an entry that `thread` can read.
    pub fn decide(&mut self, thread: Thread, doubtful: &[TokenId]) -> Result<Vec<TokenId>> {
        let tables = self.tables;
        let reached = |token: &TokenId| self.reaches(thread, tables.vocabulary.token(*token));
        let allowed = doubtful.iter().copied().filter(reached).collect();
        self.machine.sound()?;
        Ok(allowed)
    }

    /// Takes the tokens found from `base` on.
    pub(super) fn take_tokens(&mut self, base: usize) -> Box<[TokenId]> {
        let taken = self.tokens[base..].into();
        self.tokens.truncate(base);
        taken
    }

    /// Tokens that are whitespace only.
    fn blank(&mut self, thread: Thread, runs: &RunTable) {
        if self.budget.is_none() {
            self.tokens.extend_from_slice(&runs.blank);
        } else {
            self.fitting_blank(thread, runs);
        }
    }

    #[cold]
    fn fitting_blank(&mut self, thread: Thread, runs: &RunTable) {
        let tables = self.tables;
        for &token in &runs.blank {
            if self.reaches(thread, tables.vocabulary.token(token)) {
                self.tokens.push(token);
            }
        }
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
    #[inline]
    pub(super) fn fits(&mut self, low: usize) -> bool {
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
        if let [Thread { head, cont }] = self.buffer[low..]
            && self.budget.is_none()
            && !(node == 0 && walk.strips())
        {
            if let Head::Key { object, seen, at } = head {
                return self.names(walk, node, Key { object, seen, at, cont }, purpose, entry);
            }
            if let Head::Literal { node: texts, at } = head {
                return self.texts(walk, node, Literal { texts, at, cont }, purpose, entry);
            }
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
        if node == 0 {
            let live = self.live_bytes(low); // exits begin in many ways
            for child in walk.trie.children(node) {
                if live.contains(walk.trie.node(child).byte) {
                    self.visit(walk, node, child, low, purpose, entry);
                }
            }
            return;
        }
        for child in walk.trie.children(node) {
            let byte = walk.trie.node(child).byte;
            if self.buffer[low..].iter().any(|thread| self.may_read(thread, byte)) {
                self.visit(walk, node, child, low, purpose, entry);
            }
        }
    }

    /// Declared names and tokens side by side, as [`Masker::walk`] would find them: between the quotes of a name
    /// nothing changes but the place in it.
    fn names(&mut self, walk: &Walk<'_>, node: NodeIndex, key: Key, purpose: u8, entry: &mut Entry) {
        let Node::Object(object) = self.machine.graph.node(key.object) else { return };
        let before = self.machine.path.len();
        if let Some((node, at)) = self.only_name(walk, object.names.tree(), node, key.at, purpose) {
            for deeper in object.names.tree().children(at) {
                let byte = object.names.tree().node(deeper).byte;
                let Some(child) = walk.trie.child(node, byte) else { continue };
                if self.machine.name_is_live(object, key.seen, deeper) {
                    self.machine.path.push(byte);
                    self.add(walk, walk.trie.items_at(child), purpose);
                    self.names(walk, child, Key { at: deeper, ..key }, purpose, entry);
                    self.machine.path.pop();
                }
            }
            let quote = walk.trie.child(node, b'"').filter(|_| !object.names.tree().items_at(at).is_empty());
            if let Some(quote) = quote {
                let low = self.buffer.len();
                self.buffer.push(Thread { head: Head::Key { object: key.object, seen: key.seen, at }, cont: key.cont });
                self.visit(walk, node, quote, low, purpose, entry);
                self.buffer.truncate(low);
            }
        }
        self.machine.path.truncate(before);
    }

    /// Texts and tokens side by side, as [`Masker::walk`] would find them: where no text ends, or nothing comes after it,
    /// nothing changes but the place in them.
    fn texts(&mut self, walk: &Walk<'_>, node: NodeIndex, literal: Literal, purpose: u8, entry: &mut Entry) {
        let (texts, is_last) = match self.machine.graph.node(literal.texts) {
            Node::Literals(texts) => (texts.tree(), literal.cont == END),
            Node::Tail(tail) => (tail.texts.tree(), false),
            _ => return,
        };
        for deeper in texts.children(literal.at) {
            let byte = texts.node(deeper).byte;
            let Some(child) = walk.trie.child(node, byte) else { continue };
            if is_last || texts.items_at(deeper).is_empty() {
                self.machine.path.push(byte);
                self.add(walk, walk.trie.items_at(child), purpose);
                if walk.trie.node(child).height > 0 {
                    self.texts(walk, child, Literal { at: deeper, ..literal }, purpose, entry);
                }
                self.machine.path.pop();
            } else {
                let low = self.buffer.len();
                let head = Head::Literal { node: literal.texts, at: literal.at };
                self.buffer.push(Thread { head, cont: literal.cont });
                self.visit(walk, node, child, low, purpose, entry);
                self.buffer.truncate(low);
            }
        }
    }

    /// Goes on as long as there is one way on, where every name is as live as one byte before. `None`: no token does.
    fn only_name(
        &mut self,
        walk: &Walk<'_>,
        names: &Trie,
        mut node: NodeIndex,
        mut at: NodeIndex,
        purpose: u8,
    ) -> Option<(NodeIndex, NodeIndex)> {
        while let Some(deeper) = names.only_way(at) {
            let byte = names.node(deeper).byte;
            node = walk.trie.child(node, byte)?;
            at = deeper;
            self.machine.path.push(byte);
            self.add(walk, walk.trie.items_at(node), purpose);
        }
        Some((node, at))
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
        if self.machine.doubt || self.machine.assumed.is_some() {
            self.not_known(walk, child, high, purpose, entry);
        }
        if self.buffer.len() > high {
            let purpose = if node == 0 && walk.strips() { end::of(byte) } else { purpose };
            self.emit(walk, walk.trie.items_at(child), high, purpose);
            if walk.trie.node(child).height > 0 {
                self.machine.path.push(byte);
                self.walk(walk, child, high, purpose, entry);
                self.machine.path.pop();
            }
        }
        self.buffer.truncate(high);
    }

    /// The threads behind `high` depend on texts that are not known: their tokens are kept by the name they assume to be
    /// new, or are doubtful. Takes the threads out.
    #[cold]
    fn not_known(&mut self, walk: &Walk<'_>, child: NodeIndex, high: usize, purpose: u8, entry: &mut Entry) {
        let doubt = std::mem::take(&mut self.machine.doubt);
        let assumed = self.machine.assumed.take().filter(|assumed| !doubt && self.may_assume(assumed, high));
        if let Some(name) = assumed.and_then(|assumed| assumed.name) {
            self.machine.path.push(walk.trie.node(child).byte);
            let tokens = self.assuming(walk, child, high, purpose, entry);
            self.machine.path.pop();
            self.named.push((name, tokens));
        } else {
            entry.doubtful.extend(walk.trie.items_below(child).filter_map(|item| walk.token(item, end::ANY)));
            self.buffer.truncate(high);
        }
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
        let (base, mut part) = (self.tokens.len(), Entry::default());
        self.assuming = true;
        self.emit(walk, walk.trie.items_at(node), low, purpose);
        self.walk(walk, node, low, purpose, &mut part);
        self.assuming = false;
        self.buffer.truncate(low);
        entry.doubtful.append(&mut part.doubtful);
        self.take_tokens(base).into_vec()
    }

    pub(super) fn emit(&mut self, walk: &Walk<'_>, items: std::ops::Range<usize>, low: usize, purpose: u8) {
        if !items.is_empty() && self.fits(low) {
            self.add(walk, items, purpose);
        }
    }

    /// Adds the tokens of some items whose whitespace and characters are allowed.
    #[inline]
    fn add(&mut self, walk: &Walk<'_>, items: std::ops::Range<usize>, purpose: u8) {
        let found = &walk.trie.items()[items.clone()];
        match walk.kind {
            Tokens::Plain => match *found {
                [] => {}
                [token] => self.tokens.push(token), // mostly so, and a copy would be a call
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
            Tokens::Exits { exits, window: (0, UNBOUNDED), runs } => {
                self.tokens.reserve(found.len());
                for &item in found {
                    let Met { run, token, .. } = exits.met[item as usize];
                    if runs.is_none_or(|(runs, purpose)| runs.ends[usize::from(run)] & purpose != 0) {
                        self.tokens.push(token);
                    }
                }
            }
            Tokens::Exits { .. } => self.tokens.extend(items.filter_map(|item| walk.token(item, purpose))),
        }
    }

    /// Bytes some thread of `buffer[low..]` may read (perhaps more).
    pub(super) fn live_bytes(&self, low: usize) -> ByteSet {
        self.buffer[low..].iter().fold(ByteSet::default(), |set, thread| set.union(&self.first_bytes(thread)))
    }

    /// Whether a byte is among [`Masker::first_bytes`], for places where that is told sooner than a step.
    #[inline]
    fn may_read(&self, thread: &Thread, byte: u8) -> bool {
        let spaced = |space: SpaceState| self.machine.graph.spaces().step(space, byte).is_some();
        match thread.head {
            Head::Accept => false,
            Head::Value { space, node } => self.machine.graph.first(node).contains(byte) || spaced(space),
            Head::Colon { space, .. } => byte == b':' || spaced(space),
            Head::Object { phase, space, .. } => phase.structure().contains(byte) || spaced(space),
            Head::Array { phase: Phase::Value, space, .. } => matches!(byte, b',' | b']') || spaced(space),
            _ => true,
        }
    }

    pub(super) fn first_bytes(&self, thread: &Thread) -> ByteSet {
        let graph = self.machine.graph;
        let mut set = ByteSet::default();
        match thread.head {
            Head::Start(node) => return graph.first(node),
            Head::Value { space, node } => {
                set = graph.first(node);
                self.add_whitespace(space, &mut set);
            }
            Head::Literal { node, at } => {
                if let Some(trie) = graph.node(node).tree() {
                    trie.children(at).for_each(|child| set.insert(trie.node(child).byte));
                }
            }
            Head::Key { object, at, .. } => {
                set.insert(b'"');
                if let Node::Object(object) = graph.node(object) {
                    object.names.tree().children(at).for_each(|child| set.insert(object.names.tree().node(child).byte));
                }
            }
            Head::Colon { space, .. } => {
                set.insert(b':');
                self.add_whitespace(space, &mut set);
            }
            Head::Object { phase, space, .. } => {
                set = phase.structure();
                self.add_whitespace(space, &mut set);
            }
            Head::Array { phase: Phase::Open, array, space, .. } => {
                if let Node::Array(array) = graph.node(array) {
                    set = array.item(0).map_or(set, |item| graph.first(item));
                    set = array.ways(0).iter().fold(set, |set, (item, _)| set.union(&graph.first(*item)));
                }
                set.insert(b']');
                self.add_whitespace(space, &mut set);
            }
            Head::Array { space, .. } => {
                set = const { ByteSet::of(b",]") };
                self.add_whitespace(space, &mut set);
            }
            Head::Leaf { leaf, state } => return graph.automaton(leaf).next_bytes(state),
            Head::Text { leaf, state, .. } if !graph.automaton(leaf).is_self_delimiting() => {
                return graph.automaton(leaf).next_bytes(state);
            }
            Head::Accept => {}
            _ => return ByteSet::ALL,
        }
        set
    }

    fn add_whitespace(&self, space: SpaceState, set: &mut ByteSet) {
        if self.machine.graph.spaces().may_come(space) {
            *set = set.union(const { &ByteSet::of(b" \t\r\n") });
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
