//! The graph-structured stack of a matcher, and the object and array states that its configurations name.
//!
//! Everything is hash-consed and append-only, so ids are small and comparisons are comparisons of ids. Going back in
//! the text removes no nodes; they are found again when the text takes the same way.
//!
//! ```text
//! frame    resume `position`, then go on with the stack node below
//! union    resume any of several stack nodes
//! ```
//!
//! Cost: about a dozen nodes for a typical JSON text. Two configurations that differ only in which undeclared
//! names were used allow the same tokens, but for the few tokens that complete a name. So every stack node has a
//! *name-erased* form (see `forgetting`), and entries are cached by its representative (see `masks::equivalence`).

use std::cell::{RefCell, RefMut};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::configuration::{Configuration, END, Frame, Position, Progress, StackId, Unpacked};
use super::excluded::{ExcludedTexts, TextsId};
use super::forgetting::{NodeMap, is_in_text};
use super::terminals::Continuation;
use super::values::{BEFORE, PartialId, ValueId, Values};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{CompiledGraph, Completions, FollowId, Future, Items, LeafId, Object, Seen};
use crate::regular::StateId;

/// In place of an id or an index: the used names, the used items, or the start of a name or item are erased.
pub const UNKNOWN: u32 = u32::MAX;

/// In place of the id of used names: a name has ended whose text is not kept, so it is unknown which names are used.
pub const UNSURE: u32 = u32::MAX - 1;

/// As [`UNSURE`], where it is known how many names or items are used: `FEWEST - n` for n of them, up to [`MOST_COUNTED`].
pub(super) const FEWEST: u32 = UNSURE - 1;

/// More used texts than this are counted as this many.
const MOST_COUNTED: u32 = 1 << 24;

/// Whether this is the id of a set of names or items, not one of the stand-ins above.
#[inline]
pub fn are_known(names: TextsId) -> bool {
    names < FEWEST - MOST_COUNTED
}

/// In place of the id of a set whose texts are unknown, but not their number.
pub fn counted(number: u32) -> TextsId {
    FEWEST - number.min(MOST_COUNTED)
}

/// What it takes to finish everything on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackCost {
    /// The fewest.
    pub least: u32,
    /// The fewest when every union takes its dearest way.
    pub most: u32,
}

/// What costs are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Tokens,
}

impl Unit {
    /// Tokens, if their lengths are known.
    pub fn of<T>(lengths: Option<&T>) -> Self {
        if lengths.is_some() { Self::Tokens } else { Self::Bytes }
    }
}

impl StackCost {
    /// "Cost not cached".
    const NONE: Self = Self { least: u32::MAX, most: u32::MAX };
}

/// If more costs of texts that must avoid excluded ones are cached when another is found, all are dropped.
pub(super) const MOST_EXCLUDING: usize = 1 << 18;

/// Lists of costs of members kept at most.
const MOST_COLONS: usize = 64;

/// What may become of objects, by their address, what they have seen, and where they are; `None` where each value must
/// be tried.
type Futures = FxHashMap<(usize, Progress, u32), Arc<Option<Future>>>;

/// Futures of objects kept at most.
const MOST_FUTURES: usize = 1 << 10;

/// Nodes, object states and array states.
#[derive(Debug)]
pub struct Stacks {
    nodes: Vec<Frame>,
    node_ids: FxHashMap<Frame, StackId>,
    unions: Vec<Box<[StackId]>>,
    /// Members of all unions.
    united: usize,
    union_ids: FxHashMap<Box<[StackId]>, StackId>,
    seen: Vec<Seen>,
    seen_ids: FxHashMap<Seen, Progress>,
    items: Vec<Items>,
    item_ids: FxHashMap<Items, u32>,
    pub(super) texts: ExcludedTexts,
    /// By object: its declared names.
    pub(super) declared: FxHashMap<u32, TextsId>,
    /// By node: bytes, and tokens, to finish, once cached.
    costs: [Vec<StackCost>; 2],
    /// Of an object: what it still needs, for what it has seen; see `cost`.
    members: FxHashMap<(u32, Progress, bool), (u32, u32)>,
    /// Of an object: tokens of the members that it still needs, for what it has seen; see `token_cost`.
    missing_tokens: FxHashMap<(u32, Progress), (u32, u32)>,
    /// Of an object with existential constraints, by its address in the graph: what completes it.
    completions: RefCell<FxHashMap<usize, Completions>>,
    /// Of an object with conditions, by its address in the graph, what it has seen, and where it is: what may become
    /// of it.
    futures: RefCell<Futures>,
    /// Of an object: the cost of each declared member if it comes next.
    colons: FxHashMap<(u32, Progress), Arc<[u32]>>,
    /// Of a leaf, in a state and at a node of the excluded texts: see `avoiding`.
    excluding: RefCell<FxHashMap<(LeafId, StateId, TextsId), u32>>,
    /// Of an array whose kinds of items are counted: what it still needs, for what it has seen.
    missing_items: FxHashMap<(u32, u32), u32>,
    /// By what is forgotten.
    pub(super) forgetful: [NodeMap; 3],
    pub(super) representatives: NodeMap,
    /// By stack: what comes after the end of a text.
    pub(super) continuations: FxHashMap<StackId, Arc<Continuation>>,
    /// By node: see [`Stacks::compared`].
    compared: Vec<u8>,
    pub values: Values,
    /// By what was read of a value, and by the values used: those that it may still become.
    pub(super) candidates: FxHashMap<(PartialId, TextsId), Arc<[ValueId]>>,
    pub(super) kept_candidates: usize,
    /// Of a leaf, in a state, or in all states after it: how much longer a text gets that must be new.
    pub(super) detours: RefCell<FxHashMap<(LeafId, StateId, bool), u32>>,
    /// Whether an item can still become one that differs from all others, by where it is.
    pub can_differ: FxHashMap<Configuration, bool>,
    /// Bytes to the end after such an item.
    pub costs_of_new: FxHashMap<Configuration, u32>,
}

/// In place of what was read of an item: it differs from all that are used, however it goes on.
pub const NEW: PartialId = u32::MAX - 1;

/// In place of what was read of an item: something, but not known what.
pub const UNREAD: PartialId = u32::MAX - 2;

/// Some item is being read byte by byte.
pub const READ: u8 = 1;

/// Some item may still become one that is used.
pub const MUST_DIFFER: u8 = 2;

/// Some item has begun, and it is not known how.
pub const UNREAD_ITEM: u8 = 4;

/// Some item is to begin, and it is not known which are used.
pub const UNKNOWN_ITEMS: u8 = 8;

/// It is known where some name or item begins in the text.
pub const STARTED: u8 = 16;

/// Some stack node is a union.
pub const UNITED: u8 = 32;

/// Values that may still come of what was read, kept at most.
pub(super) const MOST_CANDIDATES: usize = 1 << 20;

/// Members of a union that take a unit of work.
const MEMBERS_OF_UNIT: usize = 4;

/// Nodes that the stacks of a new text have room for.
const NODES: usize = 14;

impl Default for Stacks {
    fn default() -> Self {
        let end = Frame { position: Position::Accept, below: END };
        let mut node_ids = FxHashMap::with_capacity_and_hasher(NODES, FxBuildHasher);
        node_ids.insert(end, END);
        let mut nodes = Vec::with_capacity(NODES);
        nodes.push(end);
        Self {
            nodes,
            node_ids,
            unions: Vec::new(),
            united: 0,
            union_ids: FxHashMap::default(),
            seen: Vec::new(),
            seen_ids: FxHashMap::with_capacity_and_hasher(NODES, FxBuildHasher),
            items: Vec::new(),
            item_ids: FxHashMap::default(),
            texts: ExcludedTexts::default(),
            declared: FxHashMap::default(),
            costs: [Vec::new(), Vec::new()],
            members: FxHashMap::default(),
            missing_tokens: FxHashMap::default(),
            completions: RefCell::default(),
            futures: RefCell::default(),
            colons: FxHashMap::default(),
            excluding: RefCell::default(),
            missing_items: FxHashMap::default(),
            forgetful: [NodeMap::with_room(NODES), NodeMap::default(), NodeMap::default()],
            representatives: NodeMap::default(),
            continuations: FxHashMap::default(),
            compared: vec![0],
            values: Values::default(),
            candidates: FxHashMap::default(),
            kept_candidates: 0,
            detours: RefCell::default(),
            can_differ: FxHashMap::default(),
            costs_of_new: FxHashMap::default(),
        }
    }
}

impl Stacks {
    /// The node that resumes `frame`.
    pub fn push(&mut self, frame: Frame) -> StackId {
        if let Some(&id) = self.node_ids.get(&frame) {
            return id;
        }
        let id = self.nodes.len() as StackId;
        self.nodes.push(frame);
        self.node_ids.insert(frame, id);
        self.compared.push(self.find_compared(frame));
        self.erase_names(id);
        id
    }

    /// What a stack node says about unions and items that are compared as values, as the bits above: [`READ`] and so on.
    #[inline]
    pub fn compared(&self, stack: StackId) -> u8 {
        self.compared[stack as usize]
    }

    /// Whether a stack goes on in several ways.
    pub fn is_united(&self, stack: StackId) -> bool {
        self.compared(stack) & UNITED != 0
    }

    /// Whether some item on a stack is compared as a value, so that more than its frames decides.
    pub fn is_compared(&self, stack: StackId) -> bool {
        self.compared(stack) & (READ | MUST_DIFFER | UNREAD_ITEM | UNKNOWN_ITEMS) != 0
    }

    /// Whether the frames of a stack alone say what comes after a text, and what has been read before does not.
    pub fn is_plain(&self, stack: StackId) -> bool {
        let is_operator =
            |stack: StackId| matches!(self.frame(stack).position, Position::Sequence { .. } | Position::Repeat { .. });
        let is_plain = match self.alternatives(stack) {
            Some(several) => several.iter().all(|&stack| is_operator(stack)),
            None => is_operator(stack),
        };
        is_plain && !self.is_compared(stack) && self.compared(stack) & STARTED == 0
    }

    /// The stack of which nothing is known but the bytes that may come.
    pub fn unknown(&mut self, follow: FollowId) -> StackId {
        self.push(Frame { position: Position::Unseen(follow), below: END })
    }

    /// Whether an item that is open on a stack may still become one that is used.
    #[inline]
    pub fn must_differ(&self, stack: StackId) -> bool {
        self.compared(stack) & MUST_DIFFER != 0
    }

    /// The same of a new node.
    fn find_compared(&self, frame: Frame) -> u8 {
        match frame.position {
            Position::Union(index) => {
                self.unions[index as usize].iter().fold(UNITED, |all, &stack| all | self.compared(stack))
            }
            Position::Element { items, start, .. } => {
                let items = self.items(items);
                let mut bits = self.compared(frame.below);
                bits |= if matches!(items.item, NEW | UNREAD) { 0 } else { READ };
                bits |= if items.differs { 0 } else { MUST_DIFFER };
                bits |= if items.item == UNREAD { UNREAD_ITEM } else { 0 };
                bits |= if is_in_text(start) { STARTED } else { 0 };
                bits | if !are_known(items.used) && items.item == BEFORE { UNKNOWN_ITEMS } else { 0 }
            }
            Position::Named { start, .. } | Position::Item { start, .. } if is_in_text(start) => {
                self.compared(frame.below) | STARTED
            }
            _ => self.compared(frame.below),
        }
    }

    /// The frame of a node.
    #[inline]
    pub fn frame(&self, stack: StackId) -> Frame {
        self.nodes[stack as usize]
    }

    /// The stack nodes that a union unites; `None` for a frame.
    #[inline]
    pub fn alternatives(&self, stack: StackId) -> Option<&[StackId]> {
        match self.nodes[stack as usize].position {
            Position::Union(index) => Some(&self.unions[index as usize]),
            _ => None,
        }
    }

    /// The union of some stack nodes, at least one; a single one is itself.
    pub fn union(&mut self, of: impl IntoIterator<Item = StackId>) -> StackId {
        let mut all: SmallVec<[StackId; 8]> = SmallVec::new();
        for stack in of {
            match self.alternatives(stack) {
                Some(several) => all.extend_from_slice(several),
                None => all.push(stack),
            }
        }
        count(all.len() / MEMBERS_OF_UNIT);
        all.sort_unstable();
        all.dedup();
        if let [only] = *all {
            return only;
        }
        if let Some(&id) = self.union_ids.get(&all[..]) {
            return id;
        }
        let all: Box<[StackId]> = all.into_boxed_slice();
        self.united += all.len();
        let position = Position::Union(self.unions.len() as u32);
        self.unions.push(all.clone());
        self.union_ids.insert(all, self.nodes.len() as StackId); // before its name-erased form asks for it
        self.push(Frame { position, below: END })
    }

    /// What it takes to finish everything on a stack, if cached.
    #[inline]
    pub fn cached_cost(&self, unit: Unit, stack: StackId) -> Option<StackCost> {
        self.costs[unit as usize].get(stack as usize).copied().filter(|&cost| cost != StackCost::NONE)
    }

    /// Caches the cost of a stack.
    pub fn insert_cost(&mut self, unit: Unit, stack: StackId, cost: StackCost) {
        let costs = &mut self.costs[unit as usize];
        if costs.len() < self.nodes.len() {
            costs.resize(self.nodes.len(), StackCost::NONE);
        }
        costs[stack as usize] = cost;
    }

    /// Tokens of the members that an object still needs, if cached.
    pub fn cached_missing_tokens(&self, key: (u32, Progress)) -> Option<(u32, u32)> {
        self.missing_tokens.get(&key).copied()
    }

    /// Caches the tokens of the members that an object still needs.
    pub fn insert_missing_tokens(&mut self, key: (u32, Progress), needed: (u32, u32)) {
        self.missing_tokens.insert(key, needed);
    }

    /// What an object still needs, if cached.
    pub fn cached_members(&self, key: (u32, Progress, bool)) -> Option<(u32, u32)> {
        self.members.get(&key).copied()
    }

    /// Caches what an object still needs.
    pub fn insert_members(&mut self, key: (u32, Progress, bool), needed: (u32, u32)) {
        self.members.insert(key, needed);
    }

    /// What completes an object of the graph, as far as is known.
    pub fn completions(&self, object: &Object) -> RefMut<'_, Completions> {
        RefMut::map(self.completions.borrow_mut(), |all| all.entry(std::ptr::from_ref(object).addr()).or_default())
    }

    /// What may become of an object with conditions that has seen so much and is at a position.
    pub fn future(
        &self,
        object: &Object,
        (seen, position): (Progress, u32),
        find: impl FnOnce(&Seen) -> Option<Future>,
    ) -> Arc<Option<Future>> {
        let key = (std::ptr::from_ref(object).addr(), seen, position);
        if let Some(known) = self.futures.borrow().get(&key) {
            return Arc::clone(known);
        }
        let found = Arc::new(find(self.seen(seen)));
        let mut futures = self.futures.borrow_mut();
        if futures.len() >= MOST_FUTURES {
            futures.clear();
        }
        futures.insert(key, Arc::clone(&found));
        found
    }

    /// The cost of each declared member of an object if it comes next, if cached.
    pub fn cached_colons(&self, key: (u32, Progress)) -> Option<Arc<[u32]>> {
        self.colons.get(&key).cloned()
    }

    /// Caches the cost of each declared member; only a few such lists.
    pub fn insert_colons(&mut self, key: (u32, Progress), costs: Arc<[u32]>) {
        if self.colons.len() >= MOST_COLONS {
            self.colons.clear();
        }
        self.colons.insert(key, costs);
    }

    /// The cost of a text that must avoid excluded ones, if cached.
    pub fn cached_excluding(&self, key: (LeafId, StateId, TextsId)) -> Option<u32> {
        self.excluding.borrow().get(&key).copied()
    }

    /// Forgets these costs if there are very many.
    pub fn make_room_for_excluding(&self) {
        if self.excluding.borrow().len() >= MOST_EXCLUDING {
            self.excluding.borrow_mut().clear();
        }
    }

    /// Caches the cost of a text that must avoid excluded ones.
    pub fn insert_excluding(&self, key: (LeafId, StateId, TextsId), cost: u32) {
        self.excluding.borrow_mut().insert(key, cost);
    }

    /// What an array still needs, if cached.
    pub fn cached_items(&self, key: (u32, u32)) -> Option<u32> {
        self.missing_items.get(&key).copied()
    }

    /// Caches what an array still needs.
    pub fn insert_missing_items(&mut self, key: (u32, u32), needed: u32) {
        self.missing_items.insert(key, needed);
    }

    /// What an object that is not plain has seen.
    #[inline]
    pub fn seen(&self, id: Progress) -> &Seen {
        match id.unpack() {
            Unpacked::Interned(index) => &self.seen[index as usize],
            Unpacked::Number(_) => unreachable!("a plain object has no interned state"),
        }
    }

    /// The id of what an object has seen.
    pub fn intern_seen(&mut self, seen: Seen) -> Progress {
        if let Some(&id) = self.seen_ids.get(&seen) {
            return id;
        }
        let id = Progress::interned(self.seen.len() as u32);
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
        if let Some(&id) = self.item_ids.get(&items) {
            return id;
        }
        let id = self.items.len() as u32;
        self.items.push(items.clone());
        self.item_ids.insert(items, id);
        id
    }

    /// Nodes and members of unions.
    #[inline]
    pub fn size(&self) -> usize {
        self.nodes.len() + self.united
    }

    /// Fails if no more nodes may be made for texts of a graph: answers since then may miss texts.
    pub fn check_room(&self, graph: &CompiledGraph) -> Result<()> {
        if self.size() < graph.stack_nodes() {
            return Ok(());
        }
        let hint =
            "write less deeply nested text, or simplify the form: counts and rules that begin alike multiply places";
        Err(Error::limit("stack_nodes", self.size(), graph.stack_nodes()).hint(hint))
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        let nodes = self.nodes.len() * (2 * size_of::<Frame>() + 20) + self.unions.len() * 64 + self.united * 8;
        let found = self.members.len() * 24 + self.excluding.borrow().len() * 24 + self.missing_items.len() * 16;
        let seen = self.seen.len() * 2 * (size_of::<Seen>() + 16) + self.items.len() * 128;
        let compared = self.kept_candidates * 4 + self.candidates.len() * 40 + self.values.bytes();
        let of_new = (self.can_differ.len() + self.costs_of_new.len()) * 40;
        let compared = compared + self.continuations.len() * 128;
        nodes + found + seen + compared + of_new + self.texts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is united again takes no room: else a long text of many alternatives would meet the bound.
    #[test]
    fn a_union_made_again_takes_no_room() {
        let mut stacks = Stacks::default();
        let nodes: Vec<StackId> =
            (0..8).map(|node| stacks.push(Frame { position: Position::Start(node), below: END })).collect();
        let (first, held) = (stacks.union(nodes.clone()), stacks.united);
        assert!((0..100).all(|_| stacks.union(nodes.clone()) == first));
        assert_eq!(stacks.united, held);
    }
}
