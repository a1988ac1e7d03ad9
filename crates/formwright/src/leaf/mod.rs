//! Masks of regular leaves, computed once a vocabulary and shared by every schema.
//!
//! A state inside a string or a pattern says the same about tokens in whatever
//! schema it occurs: most tokens stay inside the leaf (the *body*), some leave
//! it half-way (the *exits*: ends of the leaf, with what remains of the token).
//! Only the exits depend on what comes after, and they are few: 486 of 131k
//! tokens leave a JSON string. So a [`LeafMask`] keeps the body as a bit map and
//! the exits as a small tree, and a mask is "copy the bit map, walk the tree".
//! Tokens of which nothing remains may come wherever the leaf may end: they are
//! in the bit map too, and taken out where it may not.
//!
//! Cost: mostly 20-200 us the first time a dense state is seen, then a hash lookup.
//! Counted strings share one table per place ([`TextTable`]): the body sorted by
//! characters, so that every `maxLength` is a prefix of it.
//!
//! Many threads read what one has made. Each locks a shard of its own; and what is
//! shared begins at a cache line, so that counting who holds it does not take the
//! line from who reads it.
//!
//! Wrinkle: a leaf that can end without saying so (a number, `[a-z]+`) would
//! have every token as an exit. Its exits are kept only for the bytes that can
//! follow, which are part of the key.

mod automata;
mod by_state;
mod classes;
mod runs;
mod texts;
mod walk;

use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError};

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::error::Result;
use crate::language::{Leaf, SpaceState, Spaces, UNBOUNDED};
use crate::limits::Limits;
use crate::regular::{Automaton, ByteSet, Regular, StateId};
use crate::vocabulary::{NodeIndex, TokenId, Trie, Vocabulary};

use automata::{Automata, Numbered};
use texts::Counting;
pub use texts::TextTable;
use walk::Exit;

/// Bodies with more tokens than this are bit maps, others lists.
const LIST: usize = 384;

/// A set of tokens as words of a mask. They begin where a cache line does, as rows mostly do: between places alike in
/// that, a processor copies half as fast again.
#[derive(Debug)]
pub struct Bitmap {
    words: Box<[u32]>,
    start: usize,
    count: usize,
}

impl Bitmap {
    /// The words of a cache line.
    const LINE: usize = 16;

    /// Some tokens.
    fn of(tokens: impl IntoIterator<Item = TokenId>, count: usize) -> Self {
        let mut map = Self::new(count);
        map.extend(tokens);
        map
    }

    /// No tokens.
    fn new(count: usize) -> Self {
        let words = vec![0_u32; count + Self::LINE - 1].into_boxed_slice();
        let start = words.as_ptr().align_offset(4 * Self::LINE).min(Self::LINE - 1);
        Self { words, start, count }
    }

    fn insert(&mut self, token: TokenId) {
        self[token as usize / 32] |= 1 << (token % 32);
    }

    fn extend(&mut self, tokens: impl IntoIterator<Item = TokenId>) {
        tokens.into_iter().for_each(|token| self.insert(token));
    }
}

impl std::ops::Deref for Bitmap {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.words[self.start..self.start + self.count]
    }
}

impl std::ops::DerefMut for Bitmap {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.words[self.start..self.start + self.count]
    }
}

impl Clone for Bitmap {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.count);
        clone.copy_from_slice(self);
        clone
    }
}

/// Which of the two token trees a walk is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// Tokens as they are.
    Plain,
    /// Tokens without leading whitespace.
    Stripped,
}

/// A token met in a walk: its run of leading whitespace (0 is none) and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Met {
    /// The run of whitespace stripped from it.
    pub run: u16,
    /// Characters of the leaf before it left, for counted strings.
    pub count: u16,
    /// Its id.
    pub token: TokenId,
}

/// Tokens that leave a leaf, by what remains of them.
#[derive(Debug)]
#[repr(align(64))]
pub struct Exits {
    /// Tokens of which nothing remains, without leading whitespace, ascending. The body of a mask has them too: they may
    /// come wherever the leaf may end there.
    closing: Vec<Met>,
    /// What remains of the others; items are positions in `met`.
    pub trie: Trie,
    /// The others.
    pub met: Vec<Met>,
}

/// Exits in the order in which they were met: bytes left of each, and the token.
type ExitKey = Box<[(u16, Met)]>;

/// What a leaf state says about the tokens below a node of a tree.
#[derive(Debug)]
#[repr(align(64))]
pub struct LeafMask {
    /// Tokens that stay inside, or end just where it does, without leading whitespace.
    pub body: Body,
    /// Tokens that stay inside, with leading whitespace.
    pub spaced: Vec<Met>,
    /// Tokens that leave.
    pub exits: Arc<Exits>,
    /// An exit counts only if its characters are within these bounds.
    pub window: (u32, u32),
    farthest: Farthest,
}

/// Tokens as a list or a bit map.
#[derive(Debug)]
pub enum Body {
    /// Few tokens.
    List(Vec<TokenId>),
    /// Many tokens.
    Map(Bitmap),
}

impl Body {
    /// Whether any token is left without some (ascending).
    pub fn has_others(&self, than: &[TokenId]) -> bool {
        match self {
            Self::List(tokens) => tokens.iter().any(|token| than.binary_search(token).is_err()),
            Self::Map(words) => {
                let taken = than.iter().filter(|&&token| words[token as usize / 32] >> (token % 32) & 1 == 1).count();
                let mut met = 0;
                words.iter().any(|word| {
                    met += word.count_ones() as usize;
                    met > taken
                })
            }
        }
    }
}

/// Bytes to the end of a leaf, at worst; worked out when a budget asks for it.
#[derive(Debug, Default)]
struct Farthest {
    known: OnceLock<u32>,
    /// States that tokens end in.
    ends: States,
    /// States in whose class loops tokens end.
    looping: States,
}

impl Farthest {
    fn new(ends: States, looping: States) -> Self {
        Self { known: OnceLock::new(), ends, looping }
    }

    fn known(bytes: u32) -> Self {
        Self { known: bytes.into(), ..Self::default() }
    }

    fn bytes(&self) -> usize {
        (self.ends.0.len() + self.looping.0.len()) * 8
    }

    fn get(&self, automaton: &Automaton) -> u32 {
        let ends = || self.ends.iter().map(|state| automaton.shortest(state));
        let looping = || self.looping.iter().map(|state| automaton.farthest(state));
        *self.known.get_or_init(|| ends().chain(looping()).max().unwrap_or(0))
    }
}

/// A set of states, a bit each.
#[derive(Debug, Default)]
struct States(Vec<u64>);

impl States {
    #[inline]
    fn insert(&mut self, state: StateId) {
        let word = state as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (state % 64);
    }

    fn iter(&self) -> impl Iterator<Item = StateId> {
        let states =
            self.0.iter().zip(0_u32..).flat_map(|(&word, index)| (0..64).map(move |bit| (word, index * 64 + bit)));
        states.filter(|(word, state)| word >> (state % 64) & 1 == 1).map(|(_, state)| state)
    }
}

/// Tokens being collected: a list that becomes a bit map when it grows long.
#[derive(Debug)]
struct Collector {
    list: Vec<TokenId>,
    map: Option<Bitmap>,
    words: usize,
}

impl Collector {
    fn new(words: usize) -> Self {
        Self { list: Vec::new(), map: None, words }
    }

    #[inline]
    fn push(&mut self, token: TokenId) {
        match &mut self.map {
            Some(map) => map.insert(token),
            None if self.list.len() < LIST => self.list.push(token),
            None => self.map = Some(Bitmap::of(self.list.drain(..).chain([token]), self.words)),
        }
    }

    /// With the tokens at some places among those by shape. If these are most, it is quicker to leave the others out.
    fn finish(mut self, vocabulary: &Vocabulary, ranges: &[Range<usize>]) -> Body {
        let tokens = vocabulary.shapes().tokens();
        let taken: usize = ranges.iter().map(Range::len).sum();
        if self.map.is_none() && self.list.len() + taken <= LIST {
            self.list.extend(ranges.iter().flat_map(|range| &tokens[range.clone()]));
            return Body::List(self.list);
        }
        let mut map = self.map.unwrap_or_else(|| Bitmap::of(self.list, self.words));
        if taken <= tokens.len() / 2 {
            map.extend(ranges.iter().flat_map(|range| tokens[range.clone()].iter().copied()));
            return Body::Map(map);
        }
        let ends = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
        let starts = ranges.iter().map(|range| range.start).chain([tokens.len()]);
        let mut others = vec![u32::MAX; self.words];
        for &token in ends.zip(starts).flat_map(|(end, start)| &tokens[end..start]) {
            others[token as usize / 32] &= !(1 << (token % 32));
        }
        for ((word, spelled), others) in map.iter_mut().zip(vocabulary.spelled()).zip(others) {
            *word |= spelled & others;
        }
        Body::Map(map)
    }
}

/// What identifies a leaf mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeafKey {
    /// Which tree.
    pub tree: Tree,
    /// The node whose subtree is asked about.
    pub node: NodeIndex,
    /// The automaton (its place in the vocabulary's list).
    pub automaton: u32,
    /// Its state, clamped.
    pub state: StateId,
    /// For counted strings: fewest and most characters to come, clamped.
    pub window: (u32, u32),
    /// Bytes that may follow the leaf (interned); 0 where the leaf ends by itself.
    pub follow: u32,
}

/// The state whose masks stand for those of another one.
#[derive(Debug)]
#[repr(align(64))]
pub struct Canonical {
    /// Its automaton, if that is not the one asked about.
    other: Option<Numbered>,
    /// The state.
    pub state: StateId,
    /// Bytes by which the end may be farther than from there.
    pub slack: u32,
}

impl Canonical {
    /// A state that stands for itself.
    pub fn own(state: StateId) -> Self {
        Self { other: None, state, slack: 0 }
    }

    /// Its automaton; `asked` is the one asked about.
    pub fn automaton<'a>(&'a self, asked: (u32, &'a Arc<Automaton>)) -> (u32, &'a Arc<Automaton>) {
        self.other.as_ref().map_or(asked, |(id, automaton)| (*id, automaton))
    }
}

/// Which runs of whitespace may stand at a place, and what may follow each.
#[derive(Debug)]
#[repr(align(64))]
pub struct RunTable {
    /// By run: the `end` bits that may follow; 0 if the run may not stand here.
    pub ends: Box<[u8]>,
    /// Tokens that are such a run and nothing else.
    pub blank: Vec<TokenId>,
}

/// Small ids of what is compared often. When too much came it is forgotten, and gets other ids; none is given twice.
#[derive(Debug)]
struct Ids<K>(ShardedLock<(FxHashMap<K, u32>, u32)>);

/// More keys than this are not kept.
const KEYS: usize = 1 << 16;

impl<K> Default for Ids<K> {
    fn default() -> Self {
        Self(ShardedLock::default())
    }
}

impl<K: std::hash::Hash + Eq + Clone> Ids<K> {
    fn of(&self, key: &K) -> u32 {
        if let Some(&known) = read(&self.0).0.get(key) {
            return known;
        }
        let (known, next) = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() == KEYS {
            known.clear();
        }
        *known.entry(key.clone()).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }
}

/// A lock held together with all who only read. Nobody panics halfway through a change, so poison tells nothing.
fn read<T>(lock: &ShardedLock<T>) -> ShardedLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// A vocabulary with everything that is computed once for it.
#[derive(Debug)]
#[repr(align(64))]
pub struct Tables {
    /// The vocabulary.
    pub vocabulary: Arc<Vocabulary>,
    /// What tokens can tell of what comes after a value.
    pub sight: Sight,
    limits: Limits,
    automata: Automata,
    spaces: Ids<Arc<Spaces>>,
    follow: Ids<ByteSet>,
    masks: Cache<LeafKey, LeafMask>,
    /// By the key of their masks, without the window.
    texts: Cache<LeafKey, TextTable>,
    exits: Cache<ExitKey, Exits>,
    runs: Cache<(u32, SpaceState), RunTable>,
    canonical: Cache<(u32, StateId), Canonical>,
}

impl Tables {
    /// The tables of a vocabulary, empty.
    pub fn new(vocabulary: Arc<Vocabulary>, limits: Limits) -> Self {
        Self {
            sight: Sight::new(&vocabulary),
            vocabulary,
            automata: Automata::new(limits.automata_bytes),
            spaces: Ids::default(),
            follow: Ids::default(),
            masks: Cache::new(limits.leaf_cache_bytes),
            texts: Cache::new(limits.leaf_cache_bytes),
            exits: Cache::new(limits.leaf_cache_bytes),
            runs: Cache::new(limits.leaf_cache_bytes),
            canonical: Cache::new(limits.leaf_cache_bytes),
            limits,
        }
    }

    /// The bounds in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The shared automaton of a leaf; `built` is used if it is the first. One that has grown large is replaced.
    ///
    /// # Errors
    /// As [`Leaf::automaton`].
    pub fn automaton(&self, leaf: &Leaf, built: Option<&Arc<Automaton>>) -> Result<Numbered> {
        self.automata.of(leaf, || match built.filter(|automaton| !automaton.is_near_its_limit()) {
            Some(automaton) => Ok(Arc::clone(automaton)),
            None => Ok(Arc::new(leaf.automaton(&self.limits)?)),
        })
    }

    /// The id of a whitespace automaton.
    pub fn spaces_id(&self, spaces: &Arc<Spaces>) -> u32 {
        self.spaces.of(spaces)
    }

    /// The id of a set of bytes that may follow a leaf; 0 is the empty set.
    pub fn follow_id(&self, set: ByteSet) -> u32 {
        if set == ByteSet::default() { 0 } else { self.follow.of(&set) + 1 }
    }

    /// Which whitespace may stand in `state`.
    pub fn run_table(&self, id: u32, spaces: &Spaces, state: SpaceState) -> Arc<RunTable> {
        self.runs.get_or((id, state), || {
            let stripped = self.vocabulary.stripped();
            let walk = |run: &[u8]| run.iter().try_fold(state, |state, &byte| spaces.step(state, byte));
            let after: Vec<_> = stripped.runs.iter().map(|run| walk(run)).collect();
            let ends = after.iter().map(|state| state.map_or(0, |state| spaces.ends(state))).collect();
            let blank =
                stripped.blank.iter().filter(|(run, _)| after[*run as usize].is_some()).map(|&(_, token)| token);
            let table = RunTable { ends, blank: blank.collect() };
            let bytes = table.ends.len() + table.blank.len() * 4 + 64;
            (table, bytes)
        })
    }

    /// The state whose leaf masks `state` shares, perhaps of another automaton: counters no token can exhaust are
    /// dropped, and "anything may follow" is the same everywhere.
    pub fn canonical(&self, id: u32, automaton: &Arc<Automaton>, state: StateId) -> Arc<Canonical> {
        let key = (id, state);
        if let Some(known) = self.canonical.get(&key) {
            return known;
        }
        let (clamped, slack) = automaton.representative_and_slack(state, self.reach());
        let everywhere = automaton.is_anything(clamped).then(|| {
            let anything = Leaf { tree: Regular::anything(), encoding: automaton.encoding() };
            self.automaton(&anything, None).ok()
        });
        let other = everywhere.flatten();
        let state = other.as_ref().map_or(clamped, |(_, automaton)| automaton.content_start());
        self.canonical.get_or(key, || (Canonical { other, state, slack }, 2 * size_of::<Canonical>()))
    }

    /// More characters than any token has.
    pub fn reach(&self) -> u32 {
        self.vocabulary.longest() as u32 + 1
    }

    /// The mask of a leaf state, if it is at hand.
    pub fn known_mask(&self, key: &LeafKey) -> Option<Arc<LeafMask>> {
        self.masks.get(key)
    }

    /// The mask of a leaf state, computed if need be.
    pub fn mask(
        &self,
        key: LeafKey,
        automaton: &Automaton,
        inside: Option<StateId>,
        follow: &ByteSet,
    ) -> Arc<LeafMask> {
        self.masks.get_or(key, || {
            let mask = match inside {
                Some(inside) => self.text_table(&key, automaton, inside, follow).mask(key.window),
                None => walk::leaf_mask(self, key, automaton, follow),
            };
            let bytes = mask.bytes();
            (mask, bytes)
        })
    }

    /// The table of a place in texts of some characters; `inside` is the state between two of them.
    fn text_table(&self, key: &LeafKey, automaton: &Automaton, inside: StateId, follow: &ByteSet) -> Arc<TextTable> {
        let key = LeafKey { window: (0, UNBOUNDED), ..*key };
        self.texts.get_or(key, || {
            let walk = Counting { vocabulary: &self.vocabulary, automaton, inside, follow };
            let table = self.class_table(&key, automaton, inside).unwrap_or_else(|| walk.table(&key));
            let bytes = table.bytes();
            (table, bytes)
        })
    }

    /// The table of a place between two of many characters, from that of all characters and the mask of any number.
    fn class_table(&self, key: &LeafKey, automaton: &Automaton, inside: StateId) -> Option<TextTable> {
        if (key.tree, key.node, key.state, key.follow) != (Tree::Plain, 0, inside, 0) || automaton.is_anything(inside) {
            return None;
        }
        let mask = self.mask(*key, automaton, None, &ByteSet::default());
        let Body::Map(body) = &mask.body else { return None };
        let all = Leaf { tree: Regular::anything(), encoding: automaton.encoding() };
        let (id, all) = self.automaton(&all, None).ok()?;
        let state = all.content_start();
        let all = self.text_table(&LeafKey { automaton: id, state, ..*key }, &all, state, &ByteSet::default());
        Some(all.of_class(body, &mask.exits, mask.farthest(automaton)))
    }

    /// The tree of some exits. Many states have the same ones: all tokens with a quote, for example.
    fn exits(&self, exits: Vec<Exit<'_>>) -> Arc<Exits> {
        let key: ExitKey = exits.iter().map(|&(rest, met)| (rest.len() as u16, met)).collect();
        let size = size_of_val(&*key);
        self.exits.get_or(key, || {
            let exits = Exits::new(exits);
            let bytes = exits.bytes() + size;
            (exits, bytes)
        })
    }

    /// Bytes of memory held by automata.
    pub fn automata_bytes(&self) -> usize {
        self.automata.bytes()
    }

    /// Bytes of memory held by cached masks and tables.
    pub fn cached_bytes(&self) -> usize {
        self.masks.bytes() + self.exits.bytes() + self.texts.bytes() + self.runs.bytes() + self.canonical.bytes()
    }
}

/// What the tokens of a vocabulary can tell of what comes after a value.
#[derive(Debug, Default)]
pub struct Sight {
    /// How names begin that some token enters: the bytes behind a comma and a quote, maybe with whitespace between.
    pub entered: ByteSet,
    /// The most commas of one array in a token: no two of them stand side by side.
    pub commas: u32,
}

impl Sight {
    fn new(vocabulary: &Vocabulary) -> Self {
        let mut sight = Self::default();
        let tokens = (0..vocabulary.len() as TokenId).map(|id| vocabulary.token(id));
        tokens.filter(|token| token.contains(&b',')).for_each(|token| sight.add(token));
        sight
    }

    fn add(&mut self, token: &[u8]) {
        let behind_comma = |at: usize| token[..at].trim_ascii_end().ends_with(b",");
        let commas = token.iter().enumerate().filter(|&(at, byte)| *byte == b',' && !behind_comma(at));
        self.commas = self.commas.max(commas.count() as u32);
        for (at, pair) in token.windows(2).enumerate().filter(|(_, pair)| pair[0] == b'"') {
            if behind_comma(at) {
                self.entered.insert(pair[1]);
            }
        }
    }
}

impl LeafMask {
    /// Tokens of the body that end with the leaf, ascending.
    pub fn closing(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.exits.closing(self.window)
    }

    /// Whether any token leaves.
    pub fn leaves(&self) -> bool {
        !self.exits.met.is_empty() || !self.exits.closing.is_empty()
    }

    /// Bytes to finish the leaf, at worst, after any token of the body.
    pub fn farthest(&self, automaton: &Automaton) -> u32 {
        self.farthest.get(automaton)
    }

    /// Bytes of memory held, shared exits not counted.
    fn bytes(&self) -> usize {
        let body = match &self.body {
            Body::List(list) => list.len() * 4,
            Body::Map(map) => map.len() * 4,
        };
        body + self.spaced.len() * size_of::<Met>() + self.farthest.bytes() + 128
    }
}

/// A shared map from key to value, bounded in bytes: when full it starts anew. Values in use stay alive.
#[derive(Debug)]
struct Cache<K, V> {
    map: ShardedLock<(FxHashMap<K, Arc<V>>, usize)>,
    limit: usize,
}

impl<K: std::hash::Hash + Eq, V> Cache<K, V> {
    fn new(limit: usize) -> Self {
        Self { map: ShardedLock::new((FxHashMap::with_hasher(FxBuildHasher), 0)), limit }
    }

    fn get(&self, key: &K) -> Option<Arc<V>> {
        read(&self.map).0.get(key).map(Arc::clone)
    }

    /// The value of `key`. Computed outside the lock: two threads may do the same work, with equal results.
    fn get_or(&self, key: K, compute: impl FnOnce() -> (V, usize)) -> Arc<V> {
        if let Some(known) = self.get(&key) {
            return known;
        }
        let (value, bytes) = compute();
        let value = Arc::new(value);
        let mut guard = self.map.write().unwrap_or_else(PoisonError::into_inner);
        let (map, held) = &mut *guard;
        if *held + bytes > self.limit {
            map.clear();
            *held = 0;
        }
        *held += bytes + size_of::<K>() + 32;
        Arc::clone(map.entry(key).or_insert(value))
    }

    fn bytes(&self) -> usize {
        read(&self.map).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of a bit map lies elsewhere, and must begin where a line does as well.
    #[test]
    fn bit_maps_begin_where_a_cache_line_does() {
        for count in [2, 9, 4096, 4097] {
            let map = Bitmap::of([0, 31, 32 * count as TokenId - 1], count);
            for map in [map.clone(), map] {
                assert_eq!((map.len(), map.iter().map(|word| word.count_ones()).sum::<u32>()), (count, 3));
                assert!(cfg!(miri) || map.as_ptr().addr().is_multiple_of(64));
            }
        }
    }
}
