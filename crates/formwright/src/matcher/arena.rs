//! What matchers remember beside their threads: stack frames and object states.
//!
//! Everything is hash-consed and append-only, so ids are small and comparisons
//! are comparisons of ids. Going back in the text leaves entries behind; they
//! are found again when the text takes the same way. Cost: about a dozen frames
//! for a typical JSON text.
//!
//! Wrinkle: two places that differ only in which undeclared names were used
//! allow the same tokens, but for the few that spell a whole name. So every
//! frame knows its *forgotten* form, in which used names are [`UNKNOWN`], and
//! masks are remembered by that, or by what tokens can tell of it (`near`).

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::texts::{NONE, Texts, TextsId};
use super::thread::{ContId, END, Head, SeenId, Thread};
use crate::language::{Items, Object, Seen};

/// "Not on any excluded name".
pub const OFF: u32 = u32::MAX;

/// The place before the first byte of an item that must be none of `used`; [`OFF`] if there are none.
pub fn excluded_items(used: TextsId) -> u32 {
    if used == NONE { OFF } else { used }
}

/// Stands for used names, or for the start of a name, that were forgotten.
pub const UNKNOWN: u32 = u32::MAX;

/// Stands for used names behind one that a walk over tokens could not tell.
pub const UNSURE: u32 = u32::MAX - 1;

/// Whether it is known which names these are.
pub fn are_known(names: TextsId) -> bool {
    names < UNSURE
}

/// Ids of what was seen carry this bit; the positions in plain objects, which stand in the same place, do not.
const TRACKED: u32 = 1 << 31;

/// "Cost not known yet".
const NO_COST: u32 = u32::MAX;

/// "Near form not known yet".
const NO_NEAR: ContId = ContId::MAX;

/// Frames and united continuations kept at most, about 100 MB.
const MOST_FRAMES: usize = 1 << 21;

/// Frames, unions, object and array states.
#[derive(Debug)]
pub struct Arena {
    frames: Vec<Thread>,
    frame_ids: FxHashMap<Thread, ContId>,
    /// By continuation: its forgotten form.
    forgotten: Vec<ContId>,
    unions: Vec<Box<[ContId]>>,
    /// Continuations in all unions.
    united: usize,
    union_ids: FxHashMap<Box<[ContId]>, ContId>,
    seen: Vec<Seen>,
    seen_ids: FxHashMap<Seen, SeenId>,
    items: Vec<Items>,
    item_ids: FxHashMap<Items, u32>,
    texts: Texts,
    declared: FxHashMap<u32, TextsId>,
    /// By continuation: bytes to finish, once known.
    costs: Vec<u32>,
    /// By continuation: its near form, once known.
    near: Vec<ContId>,
}

/// Frames that the arena of a new text has room for.
const FRAMES: usize = 14;

impl Default for Arena {
    fn default() -> Self {
        let end = Thread { head: Head::Accept, cont: END };
        let mut frame_ids = FxHashMap::with_capacity_and_hasher(FRAMES, FxBuildHasher);
        frame_ids.insert(end, END);
        let (mut frames, mut forgotten) = (Vec::with_capacity(FRAMES), Vec::with_capacity(FRAMES));
        frames.push(end);
        forgotten.push(END);
        Self {
            frames,
            frame_ids,
            forgotten,
            unions: Vec::new(),
            united: 0,
            union_ids: FxHashMap::default(),
            seen: Vec::new(),
            seen_ids: FxHashMap::with_capacity_and_hasher(FRAMES, FxBuildHasher),
            items: Vec::new(),
            item_ids: FxHashMap::default(),
            texts: Texts::default(),
            declared: FxHashMap::default(),
            costs: Vec::new(),
            near: Vec::new(),
        }
    }
}

impl Arena {
    /// The continuation that resumes `frame`.
    pub fn frame(&mut self, frame: Thread) -> ContId {
        if let Some(&known) = self.frame_ids.get(&frame) {
            return known;
        }
        let id = self.frames.len() as ContId;
        self.frames.push(frame);
        self.frame_ids.insert(frame, id);
        self.forgotten.push(id);
        self.forgotten[id as usize] = self.forgotten_form(id, frame);
        id
    }

    fn forgotten_form(&mut self, id: ContId, frame: Thread) -> ContId {
        if let Head::Union(index) = frame.head {
            let several = self.unions[index as usize].iter();
            let forgotten: Vec<ContId> = several.map(|&cont| self.forgotten[cont as usize]).collect();
            return self.union(forgotten);
        }
        let forgotten = self.forget(frame);
        if forgotten == frame { id } else { self.frame(forgotten) }
    }

    /// The same place, whatever undeclared names were used.
    fn forget(&mut self, thread: Thread) -> Thread {
        Thread { head: self.forget_head(thread.head), cont: self.forgotten(thread.cont) }
    }

    /// The forgotten form of a continuation.
    pub fn forgotten(&self, cont: ContId) -> ContId {
        self.forgotten[cont as usize]
    }

    /// The forgotten form of a head.
    #[inline]
    pub fn forget_head(&mut self, mut head: Head) -> Head {
        match &mut head {
            Head::Named { seen, start, .. } => {
                *start = UNKNOWN;
                *seen = self.forget_seen(*seen);
            }
            Head::Key { seen, .. } | Head::Colon { seen, .. } | Head::Object { seen, .. } => {
                *seen = self.forget_seen(*seen);
            }
            Head::Item { start, .. } => *start = UNKNOWN,
            _ => {}
        }
        head
    }

    fn forget_seen(&mut self, id: SeenId) -> SeenId {
        if id & TRACKED == 0 || self.seen(id).names == NONE {
            return id;
        }
        let seen = Seen { names: UNKNOWN, ..self.seen(id).clone() };
        self.intern_seen(seen)
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

    /// Any of some continuations, at least one.
    pub fn union(&mut self, of: impl IntoIterator<Item = ContId>) -> ContId {
        let mut all: Vec<ContId> = Vec::new();
        for cont in of {
            match self.united(cont) {
                Some(several) => all.extend_from_slice(several),
                None => all.push(cont),
            }
        }
        all.sort_unstable();
        all.dedup();
        if let [only] = *all {
            return only;
        }
        let all: Box<[ContId]> = all.into();
        if let Some(&known) = self.union_ids.get(&all) {
            return known;
        }
        self.united += all.len();
        let head = Head::Union(self.unions.len() as u32);
        self.unions.push(all.clone());
        self.union_ids.insert(all, self.frames.len() as ContId); // before its forgotten form asks for it
        self.frame(Thread { head, cont: END })
    }

    /// Bytes to finish a continuation, if known.
    pub fn known_cost(&self, cont: ContId) -> Option<u32> {
        self.costs.get(cont as usize).copied().filter(|&cost| cost != NO_COST)
    }

    /// Remembers the cost of a continuation.
    pub fn learn_cost(&mut self, cont: ContId, cost: u32) {
        if self.costs.len() < self.frames.len() {
            self.costs.resize(self.frames.len(), NO_COST);
        }
        self.costs[cont as usize] = cost;
    }

    /// The near form of a continuation, if known.
    #[inline]
    pub fn known_near(&self, cont: ContId) -> Option<ContId> {
        self.near.get(cont as usize).copied().filter(|&near| near != NO_NEAR)
    }

    /// The near form of a continuation that is as it was forgotten, if known: else itself.
    pub fn near_or_self(&self, cont: ContId) -> ContId {
        self.known_near(cont).filter(|_| self.forgotten(cont) == cont).unwrap_or(cont)
    }

    /// Remembers the near form of a continuation.
    pub fn learn_near(&mut self, cont: ContId, near: ContId) {
        if self.near.len() < self.frames.len() {
            self.near.resize(self.frames.len(), NO_NEAR);
        }
        self.near[cont as usize] = near;
    }

    /// What an object has seen.
    #[inline]
    pub fn seen(&self, id: SeenId) -> &Seen {
        &self.seen[(id & !TRACKED) as usize]
    }

    /// The id of what an object has seen.
    pub fn intern_seen(&mut self, seen: Seen) -> SeenId {
        if let Some(&known) = self.seen_ids.get(&seen) {
            return known;
        }
        let id = self.seen.len() as SeenId | TRACKED;
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

    // Texts that must not be written. They end with their quote.

    /// The names that an undeclared name of `object` (node `node`) must not be, after `used` (if known).
    pub fn excluded_names(&mut self, node: u32, object: &Object, used: TextsId) -> TextsId {
        match used {
            NONE | UNKNOWN | UNSURE => {
                *self.declared.entry(node).or_insert_with(|| self.texts.of_trie(object.names.tree(), b'"'))
            }
            _ => used,
        }
    }

    /// `used` with the undeclared name `name` of `object`.
    pub fn use_name(&mut self, node: u32, object: &Object, used: TextsId, name: &[u8]) -> TextsId {
        let excluded = self.excluded_names(node, object, used);
        self.texts.with(excluded, name)
    }

    /// `used` with an item.
    pub fn use_item(&mut self, used: TextsId, item: &[u8]) -> TextsId {
        self.texts.with(used, item)
    }

    /// Whether no more frames should be made.
    pub fn is_crowded(&self) -> bool {
        self.frames.len() + self.united >= MOST_FRAMES
    }

    /// Whether no more texts can be remembered: no undeclared name or new item may come then.
    pub fn is_full(&self) -> bool {
        self.texts.is_full()
    }

    /// Whether an excluded text ends at `at`.
    pub fn is_excluded(&self, at: u32) -> bool {
        at != OFF && self.texts.ends(at)
    }

    /// Where `byte` leads among excluded texts; [`OFF`] when it leaves them all.
    pub fn excluded_child(&self, at: u32, byte: u8) -> u32 {
        if at == OFF { OFF } else { self.texts.child(at, byte).unwrap_or(OFF) }
    }

    /// The bytes that stay on excluded texts, and where they lead.
    pub fn excluded_children(&self, at: u32) -> &[(u8, TextsId)] {
        if at == OFF { &[] } else { self.texts.branches(at) }
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        let frames = self.frames.len() * (2 * size_of::<Thread>() + 20) + self.unions.len() * 64;
        frames + self.seen.len() * 2 * (size_of::<Seen>() + 16) + self.items.len() * 128 + self.texts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is united again takes no room: else a long text of many alternatives would meet the bound.
    #[test]
    fn a_known_union_takes_no_room() {
        let mut arena = Arena::default();
        let conts: Vec<ContId> =
            (0..8).map(|node| arena.frame(Thread { head: Head::Start(node), cont: END })).collect();
        let (first, held) = (arena.union(conts.clone()), arena.united);
        assert!((0..100).all(|_| arena.union(conts.clone()) == first));
        assert_eq!(arena.united, held);
    }
}
