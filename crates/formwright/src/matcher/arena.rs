//! What a matcher remembers beside its threads: stack frames and object states.
//!
//! Everything is hash-consed and append-only, so ids are small and comparisons
//! are comparisons of ids. The arena belongs to one matcher: no locks. Going
//! back in the text leaves entries behind; they are found again when the text
//! takes the same way. Cost: about a dozen frames for a typical JSON text.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::thread::{ContId, END, Head, SeenId, Thread};
use crate::language::{Items, Object, Seen};
use crate::vocabulary::{NodeIndex, Trie};

/// "Not on any excluded name".
pub const OFF: u32 = u32::MAX;

/// Stands for "items of arrays" where the node of an object would.
const ITEMS: u32 = u32::MAX;

/// Id of a set of texts already used; 0 is none.
pub type NamesId = u32;

/// Texts that must not be written: declared names, and names or items already used. They end with their quote.
///
/// The tree is built when it is asked for, the same each time; [`Arena::exclusion`] drops old ones.
#[derive(Clone, Debug)]
struct Excluded {
    /// First of the global ids its nodes have.
    offset: u32,
    declared: Arc<[Vec<u8>]>,
    used: NamesId,
    trie: OnceLock<Trie>,
}

/// Bytes of exclusion trees kept; older ones are built again when a match goes back to them.
const TREES: usize = 4 << 20;

/// Global ids of exclusion nodes end here.
const LAST_ID: u32 = u32::MAX / 2;

/// Frames, unions and object states of one matcher.
#[derive(Clone, Debug)]
pub struct Arena {
    frames: Vec<Thread>,
    frame_ids: FxHashMap<Thread, ContId>,
    unions: Vec<Box<[ContId]>>,
    union_ids: FxHashMap<Box<[ContId]>, ContId>,
    seen: Vec<Seen>,
    seen_ids: FxHashMap<Seen, SeenId>,
    items: Vec<Items>,
    item_ids: FxHashMap<Items, u32>,
    /// Sets of texts, each one more than another set.
    names: Vec<(NamesId, Box<[u8]>)>,
    name_ids: FxHashMap<(NamesId, Box<[u8]>), NamesId>,
    declared: FxHashMap<u32, Arc<[Vec<u8>]>>,
    excluded: Vec<Excluded>,
    excluded_ids: FxHashMap<(u32, NamesId), usize>,
    /// Bytes of the exclusion trees built.
    trees: usize,
    /// The next free id of an exclusion node.
    next_id: u32,
    /// By continuation: bytes to finish, once known.
    costs: Vec<u32>,
}

/// "Cost not known yet".
const UNKNOWN: u32 = u32::MAX;

impl Default for Arena {
    fn default() -> Self {
        let end = Thread { head: Head::Accept, cont: END };
        Self {
            frames: vec![end],
            frame_ids: FxHashMap::from_iter([(end, END)]),
            unions: Vec::new(),
            union_ids: FxHashMap::default(),
            seen: Vec::new(),
            seen_ids: FxHashMap::default(),
            items: Vec::new(),
            item_ids: FxHashMap::default(),
            names: vec![(0, Box::default())],
            name_ids: FxHashMap::default(),
            declared: FxHashMap::default(),
            excluded: Vec::new(),
            excluded_ids: FxHashMap::default(),
            trees: 0,
            next_id: 0,
            costs: Vec::new(),
        }
    }
}

impl Arena {
    /// The continuation that resumes `frame`.
    pub fn frame(&mut self, frame: Thread) -> ContId {
        let next = self.frames.len() as ContId;
        let id = *self.frame_ids.entry(frame).or_insert(next);
        if id == next {
            self.frames.push(frame);
        }
        id
    }

    /// The frame of a continuation.
    #[inline]
    pub fn get(&self, cont: ContId) -> Thread {
        self.frames[cont as usize]
    }

    /// The continuations that a union unites; `None` for a single one.
    #[inline]
    pub fn united(&self, cont: ContId) -> Option<&[ContId]> {
        match self.frames[cont as usize].head {
            Head::Union(index) => Some(&self.unions[index as usize]),
            _ => None,
        }
    }

    /// Either continuation.
    pub fn union(&mut self, a: ContId, b: ContId) -> ContId {
        if a == b {
            return a;
        }
        let mut all: Vec<ContId> = Vec::new();
        for cont in [a, b] {
            match self.united(cont) {
                Some(several) => all.extend_from_slice(several),
                None => all.push(cont),
            }
        }
        all.sort_unstable();
        all.dedup();
        let all: Box<[ContId]> = all.into();
        if let Some(&known) = self.union_ids.get(&all) {
            return known;
        }
        let head = Head::Union(self.unions.len() as u32);
        self.unions.push(all.clone());
        let id = self.frame(Thread { head, cont: END });
        self.union_ids.insert(all, id);
        id
    }

    /// Bytes to finish a continuation, if known.
    pub fn known_cost(&self, cont: ContId) -> Option<u32> {
        self.costs.get(cont as usize).copied().filter(|&cost| cost != UNKNOWN)
    }

    /// Remembers the cost of a continuation.
    pub fn learn_cost(&mut self, cont: ContId, cost: u32) {
        if self.costs.len() < self.frames.len() {
            self.costs.resize(self.frames.len(), UNKNOWN);
        }
        self.costs[cont as usize] = cost;
    }

    /// What an object has seen.
    #[inline]
    pub fn seen(&self, id: SeenId) -> &Seen {
        &self.seen[id as usize]
    }

    /// The id of what an object has seen.
    pub fn intern_seen(&mut self, seen: Seen) -> SeenId {
        if let Some(&known) = self.seen_ids.get(&seen) {
            return known;
        }
        let id = self.seen.len() as SeenId;
        self.seen.push(seen.clone());
        self.seen_ids.insert(seen, id);
        id
    }

    /// What an array has seen.
    pub fn items(&self, id: u32) -> &Items {
        &self.items[id as usize]
    }

    /// The id of what an array has seen.
    pub fn intern_items(&mut self, items: Items) -> u32 {
        if let Some(&known) = self.item_ids.get(&items) {
            return known;
        }
        let id = self.items.len() as u32;
        self.items.push(items.clone());
        self.item_ids.insert(items, id);
        id
    }

    /// The set `names` with `name` added.
    pub fn add_name(&mut self, names: NamesId, name: &[u8]) -> NamesId {
        let key: (NamesId, Box<[u8]>) = (names, name.into());
        let next = self.names.len() as NamesId;
        let id = *self.name_ids.entry(key.clone()).or_insert(next);
        if id == next {
            self.names.push(key);
        }
        id
    }

    /// The texts of a set.
    fn texts(&self, mut names: NamesId) -> Vec<&[u8]> {
        let mut all = Vec::new();
        while names != 0 {
            let (rest, text) = &self.names[names as usize];
            all.push(&**text);
            names = *rest;
        }
        all
    }

    /// Whether no more sets of excluded texts can be numbered: no undeclared name or new item may come then.
    pub fn is_full(&self) -> bool {
        self.next_id >= LAST_ID
    }

    /// The place before the first byte of an undeclared name of `object` (node `node`) after `names`.
    pub fn excluded(&mut self, node: u32, object: &Object, names: NamesId) -> u32 {
        let declared = self.declared.entry(node).or_insert_with(|| spellings(&object.names).into());
        let declared = Arc::clone(declared);
        self.exclusion(node, names, declared)
    }

    /// The place before the first byte of an item that must be none of `used`; [`OFF`] if there are none.
    pub fn excluded_items(&mut self, used: NamesId) -> u32 {
        if used == 0 { OFF } else { self.exclusion(ITEMS, used, Arc::default()) }
    }

    fn exclusion(&mut self, node: u32, used: NamesId, declared: Arc<[Vec<u8>]>) -> u32 {
        if let Some(&known) = self.excluded_ids.get(&(node, used)) {
            return self.excluded[known].offset;
        }
        if self.trees > TREES {
            self.excluded.iter_mut().for_each(|excluded| excluded.trie = OnceLock::new());
            self.trees = 0;
        }
        let excluded = Excluded { offset: self.next_id, declared, used, trie: OnceLock::new() };
        let trie = self.tree(&excluded);
        self.trees += trie.bytes();
        self.next_id += trie.nodes().len() as u32;
        let offset = excluded.offset;
        self.excluded_ids.insert((node, used), self.excluded.len());
        self.excluded.push(excluded);
        offset
    }

    /// The tree of some excluded texts, built if need be; the same each time.
    fn tree<'e>(&self, excluded: &'e Excluded) -> &'e Trie {
        excluded.trie.get_or_init(|| {
            let declared = excluded.declared.iter().map(Vec::as_slice);
            let texts = declared.chain(self.texts(excluded.used));
            let mut sorted: Vec<(&[u8], u32)> = texts.map(|text| (text, 0)).collect();
            sorted.sort_unstable();
            Trie::new(&sorted)
        })
    }

    fn place(&self, at: u32) -> (&Trie, NodeIndex) {
        let index = self.excluded.partition_point(|excluded| excluded.offset <= at) - 1;
        let excluded = &self.excluded[index];
        (self.tree(excluded), at - excluded.offset)
    }

    /// Whether an excluded text ends at `at`.
    pub fn is_excluded(&self, at: u32) -> bool {
        if at == OFF {
            return false;
        }
        let (trie, node) = self.place(at);
        !trie.items_at(node).is_empty()
    }

    /// Where `byte` leads among excluded names; [`OFF`] when it leaves them all.
    pub fn excluded_child(&self, at: u32, byte: u8) -> u32 {
        if at == OFF {
            return OFF;
        }
        let (trie, node) = self.place(at);
        trie.child(node, byte).map_or(OFF, |child| at - node + child)
    }

    /// The bytes that stay on excluded names, and where they lead.
    pub fn excluded_children(&self, at: u32) -> Vec<(u8, u32)> {
        let (trie, node) = self.place(at);
        trie.children(node).map(|child| (trie.node(child).byte, at - node + child)).collect()
    }
}

/// The strings of a trie of names, with their closing quotes.
fn spellings(trie: &Trie) -> Vec<Vec<u8>> {
    let mut path = Vec::new();
    let mut all = Vec::new();
    for (index, node) in trie.nodes().iter().enumerate() {
        if node.depth > 0 {
            path.truncate(usize::from(node.depth) - 1);
            path.push(node.byte);
        }
        if !trie.items_at(index as NodeIndex).is_empty() {
            all.push([path.as_slice(), b"\""].concat());
        }
    }
    all
}
