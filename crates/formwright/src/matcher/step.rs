//! One byte, one thread: the step function of the machine.
//!
//! [`Machine::step_all`] says where one byte leads from one thread. Everything else
//! (accepting tokens, masks, forced bytes) is built from it. The shape:
//!
//! ```text
//! leaf       step the automaton; where it accepts, resume what comes after
//! container  whitespace, then one structural byte: { } [ ] , : "
//! start      dispatch on the node: the first byte chooses
//! resume     a finished value is replaced by its frame, which may finish too
//! ```
//!
//! Invariant: every thread pushed has a finite completion. Containers check
//! before they offer a comma, a key or a bracket; leaves have only live states;
//! nodes without a finite text were pruned. So "some thread is left" means
//! "these bytes are the beginning of a text in form".

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::arena::{Arena, OFF, UNKNOWN, UNSURE, are_known, excluded_items};
use super::thread::{ContId, END, Head, Phase, SeenId, Thread};
use crate::error::Result;
use crate::language::CompiledGraph;
use crate::language::{
    Array, FREE, INFINITE, Items, LeafId, Node, NodeId, Object, ObjectPosition, Seen, SpaceState, Tail, UNBOUNDED,
    UndeclaredKind, end,
};
use crate::regular::{DEAD, StateId, Step};
use crate::vocabulary::NodeIndex;

/// Where new threads go: behind `base`, and merged with what is there.
struct Out<'o> {
    threads: &'o mut Vec<Thread>,
    base: usize,
    /// Further continuations of threads, by their index; united when all are known.
    further: SmallVec<[(u32, ContId); 4]>,
    /// Most steps lead to one thread, and need none of it.
    many: Option<Box<Many>>,
}

/// Items that may come next, with what comes after each; mostly one.
type Ways = SmallVec<[(NodeId, ContId); 1]>;

/// What is known of many threads.
#[derive(Default)]
struct Many {
    /// Continuations of repetitions and unions that were resumed: many ways lead to the same one.
    resumed: FxHashSet<ContId>,
    /// The first places among the threads.
    places: FxHashMap<Head, usize>,
}

/// More threads than this are found by their hash.
const MANY: usize = 16;

impl<'o> Out<'o> {
    fn new(threads: &'o mut Vec<Thread>, base: usize) -> Self {
        Self { threads, base, further: SmallVec::new(), many: None }
    }

    /// Whether a continuation is resumed for the first time.
    fn resumes(&mut self, cont: ContId) -> bool {
        self.many.get_or_insert_default().resumed.insert(cont)
    }

    /// The thread at a place.
    #[inline]
    fn find(&mut self, head: Head) -> Option<usize> {
        if self.threads.len() == self.base {
            return None;
        }
        if self.threads.len() - self.base > MANY {
            return self.find_among_many(head);
        }
        self.threads[self.base..].iter().position(|thread| thread.head == head).map(|index| self.base + index)
    }

    #[cold]
    fn find_among_many(&mut self, head: Head) -> Option<usize> {
        let places = &mut self.many.get_or_insert_default().places;
        for index in self.base + places.len()..self.threads.len() {
            places.insert(self.threads[index].head, index);
        }
        places.get(&head).copied()
    }
}

/// An undeclared name that was taken for a new one.
#[derive(Debug)]
pub struct Assumed {
    pub object: NodeId,
    /// What comes after the object.
    pub cont: ContId,
    /// Where it begins, with its quote.
    pub start: u32,
    /// Its text without the quote before it; `None` where it is not known.
    pub name: Option<Vec<u8>>,
}

/// A graph running.
#[derive(Debug)]
pub struct Machine<'m> {
    pub graph: &'m CompiledGraph,
    pub arena: &'m mut Arena,
    /// Bytes read so far; undeclared names are looked up here when they end.
    pub path: &'m mut Vec<u8>,
    /// Inside a walk: bytes before this place of `path` are followed by bytes that are not known.
    pub hole: Option<usize>,
    /// Set when a step depended on texts that are not known: its tokens must be tried one by one.
    pub doubt: bool,
    /// Set when an undeclared name ended and was taken for a new one: the names used before are not known.
    pub assumed: Option<Assumed>,
    /// Set when a thread may have died only because its automaton reached a bound.
    pub overflow: bool,
    /// The byte being read.
    byte: u8,
}

impl<'m> Machine<'m> {
    pub fn new(graph: &'m CompiledGraph, arena: &'m mut Arena, path: &'m mut Vec<u8>) -> Self {
        Self { graph, arena, path, hole: None, doubt: false, assumed: None, overflow: false, byte: 0 }
    }

    /// Fails if a bound was reached on the way, so that the answers cannot be trusted.
    pub fn sound(&self) -> Result<()> {
        if self.overflow { Err(super::too_many_states()) } else { Ok(()) }
    }

    /// Forgets what the steps so far depended on, where it does not matter.
    pub fn settle(&mut self) {
        self.doubt = false;
        self.assumed = None;
    }

    /// The threads before the first byte.
    pub fn initial(&mut self) -> Vec<Thread> {
        let mut out = Vec::new();
        let root = self.graph.root();
        let mut fresh = Out::new(&mut out, 0);
        self.enter(root, END, &mut fresh);
        self.unite(fresh);
        out
    }

    /// Every thread of `from` by `byte`, appended to `out` from `base` on.
    #[inline]
    pub fn step_all(&mut self, from: &[Thread], byte: u8, out: &mut Vec<Thread>, base: usize) {
        if let [alone] = *from {
            return self.step(alone, byte, out, base);
        }
        let mut out = Out::new(out, base);
        for &thread in from {
            self.step_into(thread, byte, &mut out);
        }
        self.unite(out);
    }

    /// All of `threads` by `byte`, in their place. A lone thread that stays in its leaf needs no second list.
    #[inline]
    pub fn step_in_place(&mut self, threads: &mut Vec<Thread>, spare: &mut Vec<Thread>, byte: u8) {
        if let [alone] = &mut threads[..]
            && self.stays(&mut alone.head, byte)
        {
            return;
        }
        spare.clear();
        let mut out = Out::new(spare, 0);
        match threads[..] {
            [alone] => self.leave(alone, byte, &mut out),
            _ => threads.iter().for_each(|&thread| self.step_into(thread, byte, &mut out)),
        }
        self.unite(out);
        std::mem::swap(threads, spare);
    }

    /// Where `byte` leads from a lone thread: mostly to one place, without a merge.
    #[inline]
    fn step(&mut self, mut thread: Thread, byte: u8, out: &mut Vec<Thread>, base: usize) {
        if self.stays(&mut thread.head, byte) {
            return out.push(thread);
        }
        let mut out = Out::new(out, base);
        self.leave(thread, byte, &mut out);
        self.unite(out);
    }

    /// Every thread of `threads[low..]` by `byte`, appended to them.
    #[inline]
    pub fn step_within(&mut self, threads: &mut Vec<Thread>, low: usize, byte: u8) {
        let high = threads.len();
        if let [alone] = threads[low..] {
            return self.step(alone, byte, threads, high);
        }
        let mut out = Out::new(threads, high);
        for index in low..high {
            self.step_into(out.threads[index], byte, &mut out);
        }
        self.unite(out);
    }

    /// Appends a thread, or unites its continuation with that of a thread at the same place.
    #[inline]
    fn push(head: Head, cont: ContId, out: &mut Out<'_>) {
        match out.find(head) {
            None => out.threads.push(Thread { head, cont }),
            Some(index) if out.threads[index].cont == cont => {}
            Some(index) => out.further.push((index as u32, cont)),
        }
    }

    /// Gives each thread all its continuations.
    #[inline]
    fn unite(&mut self, out: Out<'_>) {
        if !out.further.is_empty() {
            self.unite_all(out);
        }
    }

    #[cold]
    fn unite_all(&mut self, mut out: Out<'_>) {
        out.further.sort_unstable();
        for group in out.further.chunk_by(|a, b| a.0 == b.0) {
            let thread = &mut out.threads[group[0].0 as usize];
            thread.cont = self.arena.union(std::iter::once(thread.cont).chain(group.iter().map(|&(_, cont)| cont)));
        }
        self.overflow |= self.arena.is_crowded();
    }

    /// Where `byte` leads from `thread`.
    #[inline]
    fn step_into(&mut self, mut thread: Thread, byte: u8, out: &mut Out<'_>) {
        if self.stays(&mut thread.head, byte) {
            Self::push(thread.head, thread.cont, out);
        } else {
            self.leave(thread, byte, out);
        }
    }

    /// Where `byte` leads from a thread that does not just stay where it is.
    fn leave(&mut self, thread: Thread, byte: u8, out: &mut Out<'_>) {
        let cont = thread.cont;
        self.byte = byte;
        match thread.head {
            Head::Text { leaf, state, least, most } => self.text(leaf, state, (least, most), byte, cont, out),
            Head::Leaf { leaf, state } => {
                let step = self.leaf_step(leaf, state, byte);
                self.push_leaf(leaf, step, cont, out);
            }
            Head::Literal { node, at } => self.literal(node, at, byte, cont, out),
            Head::Start(node) => self.start(node, cont, byte, out),
            Head::Value { space, node } if self.may_follow(space, end::ITEM) => self.start(node, cont, byte, out),
            Head::Key { object, seen, at } if byte == b'"' => self.key(object, seen, at, cont, out),
            Head::Extra { leaf, state, at } => self.extra(leaf, state, at, byte, cont, out),
            Head::Colon { space, object, seen, member } if byte == b':' && self.may_follow(space, end::COLON) => {
                self.open_value(object, seen, member, cont, out);
            }
            Head::Object { phase, space, object, seen } if self.may_follow(space, end::of(byte)) => {
                self.object(phase, object, seen, byte, cont, out);
            }
            Head::Array { phase, space, array, count } if self.may_follow(space, end::of(byte)) => {
                self.array(phase, array, count, byte, cont, out);
            }
            Head::Key { .. }
            | Head::Value { .. }
            | Head::Colon { .. }
            | Head::Object { .. }
            | Head::Array { .. }
            | Head::Accept
            | Head::Union(_)
            | Head::Between { .. }
            | Head::Named { .. }
            | Head::Item { .. }
            | Head::Sequence { .. }
            | Head::Repeat { .. } => {}
        }
    }

    /// Moves on a thread that stays inside its leaf, name or whitespace, and can do nothing else; false, and unchanged, if
    /// it leaves.
    #[inline]
    fn stays(&mut self, head: &mut Head, byte: u8) -> bool {
        let graph = self.graph;
        match head {
            Head::Text { leaf, state, least, most } => {
                let step = self.leaf_step(*leaf, *state, byte);
                if step.accepting() || step.state() == DEAD {
                    return false;
                }
                let Some(window) = self.counted(*leaf, *state, (*least, *most)) else { return false };
                *state = step.state();
                (*least, *most) = window;
            }
            Head::Leaf { leaf, state } => {
                let step = self.leaf_step(*leaf, *state, byte);
                if step.accepting() || !step.goes_on() {
                    return false;
                }
                *state = step.state();
            }
            Head::Literal { node, at } => {
                let Some(trie) = graph.node(*node).tree() else { return false };
                let child = trie.child(*at, byte).filter(|&child| trie.items_at(child).is_empty());
                let Some(child) = child else { return false };
                *at = child;
            }
            Head::Key { object, seen, at } => {
                let Node::Object(object) = graph.node(*object) else { return false };
                let names = object.names.tree();
                let Some(child) = names.child(*at, byte) else { return false };
                let ends = byte == b'"' && !names.items_at(*at).is_empty();
                // With one way on, the names below are those that were live one byte before.
                let live = names.only_way(*at) == Some(child) || self.name_is_live(object, *seen, child);
                if ends || !live {
                    return false;
                }
                *at = child;
            }
            Head::Value { space, .. }
            | Head::Colon { space, .. }
            | Head::Object { space, .. }
            | Head::Array { space, .. } => {
                let Some(next) = graph.spaces().step(*space, byte) else { return false };
                *space = next;
            }
            _ => return false,
        }
        true
    }

    fn may_follow(&self, space: SpaceState, what: u8) -> bool {
        self.graph.spaces().ends(space) & what != 0
    }

    // Entering and resuming.

    /// A thread before `node`; also what follows it, if `node` may be empty.
    fn enter(&mut self, node: NodeId, cont: ContId, out: &mut Out<'_>) {
        match self.graph.node(node) {
            Node::Empty | Node::Never => {}
            // Nothing is read yet, but what may follow is known as for any state of the leaf.
            Node::Regular(leaf) => {
                let state = self.graph.automaton(*leaf).start().state();
                Self::push(Head::Leaf { leaf: *leaf, state }, cont, out);
            }
            Node::Text { leaf, .. } if !self.graph.automaton(*leaf).is_self_delimiting() => {
                Self::push(self.inside(node).unwrap_or(Head::Start(node)), cont, out);
            }
            _ => Self::push(Head::Start(node), cont, out),
        }
        if self.graph.facts.nullable(node) {
            self.resume(cont, out);
        }
    }

    /// The threads after a finished part.
    pub fn resume_into(&mut self, cont: ContId, out: &mut Vec<Thread>) {
        let base = out.len();
        let mut out = Out::new(out, base);
        self.resume(cont, &mut out);
        self.unite(out);
    }

    /// What comes after a finished part.
    fn resume(&mut self, cont: ContId, out: &mut Out<'_>) {
        match self.arena.united(cont) {
            None => self.resume_one(cont, out),
            Some(several) => {
                let several: Box<[ContId]> = several.into(); // resuming may grow the arena
                for &cont in &several {
                    if out.resumes(cont) {
                        self.resume_one(cont, out);
                    }
                }
            }
        }
    }

    fn resume_one(&mut self, cont: ContId, out: &mut Out<'_>) {
        let Thread { head, cont: parent } = self.arena.get(cont);
        match head {
            Head::Sequence { node, index } => self.next_part(node, index, parent, out),
            Head::Repeat { node, count } => self.next_round(node, count, parent, out),
            Head::Item { array, items, start } => self.item_ended(array, items, start, parent, out),
            Head::Named { extra, object, seen, start } => self.named(extra, object, seen, start, parent, out),
            _ => Self::push(head, parent, out),
        }
    }

    fn next_part(&mut self, node: NodeId, index: u32, parent: ContId, out: &mut Out<'_>) {
        let (part, cont) = self.part(node, index, parent);
        self.enter(part, cont, out);
    }

    /// Part `index` of a sequence, and what comes after it.
    fn part(&mut self, node: NodeId, index: u32, parent: ContId) -> (NodeId, ContId) {
        let graph = self.graph;
        let Node::Sequence(parts) = graph.node(node) else { return (node, parent) };
        let last = index as usize + 1 >= parts.len();
        let cont = if last {
            parent
        } else {
            self.arena.frame(Thread { head: Head::Sequence { node, index: index + 1 }, cont: parent })
        };
        (parts[index as usize], cont)
    }

    fn next_round(&mut self, node: NodeId, count: u32, parent: ContId, out: &mut Out<'_>) {
        let Node::Repeat { body, low, high } = *self.graph.node(node) else { return };
        if count >= low && out.resumes(parent) {
            self.resume(parent, out);
        }
        if count < high {
            let cont = self.round(node, count, parent);
            Self::push(Head::Start(body), cont, out);
        }
    }

    /// What comes after round `count + 1`. Without an upper bound, counts past the lower one are alike.
    fn round(&mut self, node: NodeId, count: u32, parent: ContId) -> ContId {
        let Node::Repeat { low, high, .. } = *self.graph.node(node) else { return parent };
        if self.arena.is_crowded() {
            self.overflow = true; // counters inside counters: every combination is a frame
            return parent;
        }
        let count = if high == UNBOUNDED { (count + 1).min(low) } else { count + 1 };
        self.arena.frame(Thread { head: Head::Repeat { node, count }, cont: parent })
    }

    /// The first byte of a node.
    fn start(&mut self, node: NodeId, cont: ContId, byte: u8, out: &mut Out<'_>) {
        let graph = self.graph;
        match graph.node(node) {
            Node::Literals(_) => self.literal(node, 0, byte, cont, out),
            Node::Regular(leaf) => {
                let step = self.leaf_step(*leaf, graph.automaton(*leaf).start().state(), byte);
                self.push_leaf(*leaf, step, cont, out);
            }
            Node::Text { leaf, .. } => {
                let Some(head) = self.inside(node) else { return };
                if !graph.automaton(*leaf).is_self_delimiting() {
                    self.step_into(Thread { head, cont }, byte, out);
                } else if byte == b'"' {
                    Self::push(head, cont, out);
                }
            }
            Node::Object(object) if byte == b'{' => {
                let seen = self.nothing_seen(object);
                Self::push(
                    Head::Object { phase: Phase::Open, space: object.layout.open, object: node, seen },
                    cont,
                    out,
                );
            }
            Node::Array(array) if byte == b'[' => {
                let count = self.no_items(array);
                Self::push(Head::Array { phase: Phase::Open, space: array.layout.open, array: node, count }, cont, out);
            }
            Node::Never | Node::Empty | Node::Object(_) | Node::Array(_) => {}
            Node::Sequence(parts) => {
                for index in 0..parts.len() as u32 {
                    let (part, after) = self.part(node, index, cont);
                    self.start(part, after, byte, out);
                    if !graph.facts.nullable(part) {
                        break;
                    }
                }
            }
            Node::Choice(options) => {
                for &option in options {
                    self.start(option, cont, byte, out);
                }
            }
            Node::Repeat { body, .. } => {
                let after = self.round(node, 0, cont);
                self.start(*body, after, byte, out);
            }
            Node::Distinct(leaves) => self.distinct(leaves, cont, byte, out),
            Node::Rule(target) => self.start(*target, cont, byte, out),
            Node::Tail(tail) => self.tail(node, tail, cont, byte, out),
        }
    }

    // Leaves.

    /// Steps an automaton. A dead end proves nothing once it reached a bound.
    #[inline]
    fn leaf_step(&mut self, leaf: LeafId, state: StateId, byte: u8) -> Step {
        let automaton = self.graph.automaton(leaf);
        let step = automaton.step(state, byte);
        self.overflow |= step.state() == DEAD && automaton.overflowed();
        step
    }

    #[inline]
    fn push_leaf(&mut self, leaf: LeafId, step: Step, cont: ContId, out: &mut Out<'_>) {
        if step.goes_on() {
            Self::push(Head::Leaf { leaf, state: step.state() }, cont, out);
        }
        if step.accepting() {
            self.resume(cont, out);
        }
    }

    /// Before the first character of a counted text.
    fn inside(&self, node: NodeId) -> Option<Head> {
        let Node::Text { leaf, low, high } = *self.graph.node(node) else { return None };
        Some(Head::Text { leaf, state: self.graph.inside(leaf)?, least: low, most: high })
    }

    /// How many characters may come after a byte: the first one of a character counts it. `None` if that is one too many.
    #[inline]
    fn counted(&self, leaf: LeafId, state: StateId, (least, most): (u32, u32)) -> Option<(u32, u32)> {
        let counts = u32::from(Some(state) == self.graph.inside(leaf));
        let most = if most == UNBOUNDED { most } else { most.checked_sub(counts)? };
        Some((least.saturating_sub(counts), most))
    }

    /// A counted text that may end: with the quote, or with a character where there are no quotes.
    fn text(&mut self, leaf: LeafId, state: StateId, window: (u32, u32), byte: u8, cont: ContId, out: &mut Out<'_>) {
        let step = self.leaf_step(leaf, state, byte);
        if !step.accepting() {
            return;
        }
        let after = if step.goes_on() { self.counted(leaf, state, window) } else { Some((window.0, 0)) };
        let Some((least, most)) = after else { return };
        if most > 0 {
            Self::push(Head::Text { leaf, state: step.state(), least, most }, cont, out);
        }
        if least == 0 {
            self.resume(cont, out);
        }
    }

    fn literal(&mut self, node: NodeId, at: NodeIndex, byte: u8, cont: ContId, out: &mut Out<'_>) {
        let graph = self.graph;
        let Some(trie) = graph.node(node).tree() else { return };
        let Some(child) = trie.child(at, byte) else { return };
        if trie.node(child).height > 0 {
            Self::push(Head::Literal { node, at: child }, cont, out);
        }
        let ended = trie.items_at(child);
        if ended.is_empty() {
            return;
        }
        match graph.node(node) {
            Node::Tail(tail) => {
                for &place in &tail.continuations[trie.items()[ended.start] as usize].positions {
                    let frame = self.behind_value(place, cont);
                    Self::push(frame.head, frame.cont, out);
                }
            }
            _ => self.resume(cont, out),
        }
    }

    /// The first byte of a value that decides which object it is in.
    fn tail(&mut self, node: NodeId, tail: &Tail, cont: ContId, byte: u8, out: &mut Out<'_>) {
        self.literal(node, 0, byte, cont, out);
        for &(value, place) in &tail.ways {
            if self.graph.first(value).contains(byte) {
                let frame = self.behind_value(place, cont);
                let after = self.arena.frame(frame);
                self.start(value, after, byte, out);
            }
        }
    }

    fn behind_value(&mut self, place: ObjectPosition, cont: ContId) -> Thread {
        let graph = self.graph;
        let Node::Object(object) = graph.node(place.object) else { return Thread { head: Head::Accept, cont } };
        let plain = object.is_plain();
        let seen = if plain { place.position } else { self.arena.intern_seen(object.at(place.position)) };
        let head = Head::Object { phase: Phase::Value, space: object.layout.value, object: place.object, seen };
        Thread { head, cont }
    }

    // Objects.

    fn object(&mut self, phase: Phase, node: NodeId, seen: SeenId, byte: u8, cont: ContId, out: &mut Out<'_>) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        match (phase, byte) {
            (Phase::Open | Phase::Comma, b'"') => self.open_name(node, object, seen, cont, out),
            (Phase::Open | Phase::Value, b'}') if self.may_close(object, seen) => self.resume(cont, out),
            (Phase::Value, b',') if self.may_go_on(node, object, seen) => {
                let head = Head::Object { phase: Phase::Comma, space: object.layout.comma, object: node, seen };
                Self::push(head, cont, out);
            }
            _ => {}
        }
    }

    fn open_name(&mut self, node: NodeId, object: &Object, seen: SeenId, cont: ContId, out: &mut Out<'_>) {
        if self.name_is_live(object, seen, 0) {
            Self::push(Head::Key { object: node, seen, at: 0 }, cont, out);
        }
        if !self.may_extra(node, object, seen) {
            return;
        }
        let names = self.arena.seen(seen).names;
        let at = self.arena.excluded_names(node, object, names);
        let start = self.path.len() as u32;
        for (index, extra) in object.undeclared.iter().enumerate() {
            if !self.leaves_room(object, seen, extra) || !self.is_free(node, object, seen, extra) {
                continue;
            }
            let frame = Head::Named { extra: index as u16, object: node, seen, start };
            let after = self.arena.frame(Thread { head: frame, cont });
            let state = self.graph.automaton(extra.name).content_start();
            self.push_extra(extra.name, state, at, after, out);
        }
    }

    /// The quote that ends a declared name.
    fn key(&mut self, node: NodeId, seen: SeenId, at: NodeIndex, cont: ContId, out: &mut Out<'_>) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        let Some(&member) = object.names.tree().items()[object.names.tree().items_at(at)].first() else { return };
        if self.may_member(object, seen, member) {
            Self::push(Head::Colon { space: object.layout.key, object: node, seen, member }, cont, out);
        }
    }

    /// Inside an undeclared name: as long as it is on an excluded name, remember where.
    fn extra(&mut self, leaf: LeafId, state: StateId, at: u32, byte: u8, cont: ContId, out: &mut Out<'_>) {
        let step = self.leaf_step(leaf, state, byte);
        if step.state() == DEAD {
            return;
        }
        let at = self.arena.excluded_child(at, byte);
        if step.accepting() && !self.arena.is_excluded(at) {
            self.resume(cont, out);
        }
        if step.goes_on() {
            self.push_extra(leaf, step.state(), at, cont, out);
        }
    }

    fn push_extra(&mut self, leaf: LeafId, state: StateId, at: u32, cont: ContId, out: &mut Out<'_>) {
        if state == DEAD {
            return;
        }
        if at != OFF {
            if self.extra_is_live(leaf, state, at) {
                Self::push(Head::Extra { leaf, state, at }, cont, out);
            }
        } else if self.graph.inside(leaf).is_some() {
            Self::push(Head::Text { leaf, state, least: 0, most: UNBOUNDED }, cont, out);
        } else {
            Self::push(Head::Leaf { leaf, state }, cont, out);
        }
    }

    /// Whether some name that is not excluded can still be spelled.
    pub fn extra_is_live(&self, leaf: LeafId, state: StateId, at: u32) -> bool {
        if self.graph.inside(leaf).is_some() {
            return true; // any number of characters: a longer name is always free
        }
        let automaton = self.graph.automaton(leaf);
        let mut open = vec![(state, at)];
        while let Some((state, at)) = open.pop() {
            let on = self.arena.excluded_children(at);
            for byte in 0..=255 {
                let step = automaton.step(state, byte);
                match on.iter().find(|(other, _)| *other == byte) {
                    _ if step.state() == DEAD => {}
                    None => return true,
                    Some(&(_, child)) if step.accepting() && !self.arena.is_excluded(child) => return true,
                    Some(&(_, child)) if step.goes_on() => open.push((step.state(), child)),
                    Some(_) => {}
                }
            }
        }
        false
    }

    /// Whether some item is not used yet.
    fn has_new(&mut self, item: NodeId, used: u32) -> bool {
        let Node::Distinct(leaves) = self.graph.node(item) else { return true };
        if used == UNKNOWN {
            self.doubt = true;
            return true;
        }
        if self.arena.is_full() {
            return false;
        }
        let at = excluded_items(used);
        at == OFF || leaves.iter().any(|&leaf| self.extra_is_live(leaf, self.graph.automaton(leaf).start().state(), at))
    }

    /// The first byte of an item that must be new. What is used is known to the frame that waits for it.
    fn distinct(&mut self, leaves: &[LeafId], cont: ContId, byte: u8, out: &mut Out<'_>) {
        let several: Box<[ContId]> = self.arena.united(cont).unwrap_or(&[cont]).into();
        for &cont in &several {
            let Thread { head: Head::Item { array, items, .. }, cont: parent } = self.arena.get(cont) else {
                continue;
            };
            let used = self.arena.items(items).used;
            let at = excluded_items(used);
            let start = self.path.len() as u32;
            let after = self.arena.frame(Thread { head: Head::Item { array, items, start }, cont: parent });
            for &leaf in leaves {
                let state = self.graph.automaton(leaf).start().state();
                self.extra(leaf, state, at, byte, after, out);
            }
        }
    }

    /// An item that had to be new has ended with the byte being read: remember it as used.
    fn item_ended(&mut self, node: NodeId, items: u32, start: u32, cont: ContId, out: &mut Out<'_>) {
        let Node::Array(array) = self.graph.node(node) else { return };
        let Some(mut next) = array.after(self.arena.items(items), 0) else { return };
        next.used = match self.text_since(start) {
            Some(text) if next.used != UNKNOWN => self.arena.use_item(next.used, &text),
            _ => UNKNOWN,
        };
        let count = self.arena.intern_items(next);
        let head = Head::Array { phase: Phase::Value, space: array.layout.value, array: node, count };
        Self::push(head, cont, out);
    }

    /// An undeclared name has ended: before its colon, remember it as used.
    fn named(&mut self, extra: u16, node: NodeId, seen: SeenId, start: u32, cont: ContId, out: &mut Out<'_>) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        let mut next = object.with_undeclared(self.arena.seen(seen), 0);
        let name = self.text_since(start).map(|text| text[1..].to_vec());
        next.names = match name {
            Some(name) if are_known(next.names) => self.arena.use_name(node, object, next.names, &name),
            // Begun where the names used before it were forgotten: it may be one of them.
            name if start != UNKNOWN && next.names == UNKNOWN => {
                self.doubt |= self.assumed.is_some();
                self.assumed = Some(Assumed { object: node, cont, start, name });
                UNSURE
            }
            // Or the one before it, in the same token.
            _ => {
                self.doubt |= start != UNKNOWN && next.names == UNSURE;
                UNSURE
            }
        };
        let seen = self.arena.intern_seen(next);
        let member = object.members.len() as u32 + u32::from(extra);
        Self::push(Head::Colon { space: object.layout.key, object: node, seen, member }, cont, out);
    }

    /// The text from `start` to the byte being read, if it is known.
    fn text_since(&self, start: u32) -> Option<Vec<u8>> {
        let known = start != UNKNOWN && self.hole.is_none_or(|hole| start as usize >= hole);
        let text = self.path.get(start as usize..).filter(|_| known)?;
        Some([text, &[self.byte]].concat())
    }

    /// The values a member may have: its own, and those that meet demands still open.
    fn open_value(&mut self, node: NodeId, seen: SeenId, member: u32, cont: ContId, out: &mut Out<'_>) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        let (value, witnesses) = object.values_of(member);
        if object.ends_with(member) {
            return Self::push(Head::Value { space: object.layout.colon, node: value }, cont, out);
        }
        for &(value, met) in std::iter::once(&(value, 0)).chain(witnesses) {
            if self.graph.facts.shortest(value) >= INFINITE {
                continue;
            }
            let Some(after) = self.after_member(object, seen, member, met) else { continue };
            let frame = Head::Object { phase: Phase::Value, space: object.layout.value, object: node, seen: after };
            let after = self.arena.frame(Thread { head: frame, cont });
            Self::push(Head::Value { space: object.layout.colon, node: value }, after, out);
        }
    }

    // What an object has seen.

    fn nothing_seen(&mut self, object: &Object) -> SeenId {
        if object.is_plain() { 0 } else { self.arena.intern_seen(object.nothing()) }
    }

    /// What an object has seen after a member whose value met some demands; `None` if that is a dead end.
    fn after_member(&mut self, object: &Object, seen: SeenId, member: u32, met: u32) -> Option<SeenId> {
        if object.is_plain() {
            return Some(member + 1);
        }
        let before = self.arena.seen(seen);
        let next = if (member as usize) < object.members.len() {
            object.with_member(before, member, met)
        } else {
            Seen { met: before.met | met, ..before.clone() } // counted when its name ended
        };
        let alive = object.existentials == 0 || self.feasible(object, &next);
        alive.then(|| self.arena.intern_seen(next))
    }

    /// Whether the object can still be completed.
    fn feasible(&self, object: &Object, seen: &Seen) -> bool {
        let (facts, costs) = (&self.graph.facts, &self.graph.costs);
        facts.with_minimum_lengths(&object.layout, costs, |lengths| object.completion(seen, false, lengths)).is_some()
    }

    /// Whether some declared name at or below `at` may come.
    pub fn name_is_live(&self, object: &Object, seen: SeenId, at: NodeIndex) -> bool {
        let below = &object.names.tree().items()[object.names.tree().items_below(at)];
        if !object.is_ordered() {
            return below.iter().any(|&member| self.may_member(object, seen, member));
        }
        let open = self.open_members(object, seen);
        let possible = |member: u32| object.members[member as usize].possible;
        if at == 0 { open.into_iter().any(possible) } else { below.iter().any(|at| open.contains(at) && possible(*at)) }
    }

    /// Where declaration order decides: the members up to the first one that must come.
    fn open_members(&self, object: &Object, seen: SeenId) -> std::ops::Range<u32> {
        let position = if object.is_plain() { seen } else { self.arena.seen(seen).position };
        position..(object.next_required(position) + 1).min(object.members.len() as u32)
    }

    pub fn may_member(&self, object: &Object, seen: SeenId, member: u32) -> bool {
        if !object.members[member as usize].possible {
            return false;
        }
        if object.is_ordered() {
            return self.open_members(object, seen).contains(&member);
        }
        let seen = self.arena.seen(seen);
        if seen.has(member) || (!object.any_order && member < seen.position) {
            return false;
        }
        if !object.is_counted() {
            return true;
        }
        let met = object.members[member as usize].witnesses.iter().map(|(_, met)| *met);
        let mut ways = std::iter::once(0).chain(met);
        ways.any(|met| self.feasible(object, &object.with_member(seen, member, met)))
    }

    /// Whether an undeclared name may come.
    fn may_extra(&mut self, node: NodeId, object: &Object, seen: SeenId) -> bool {
        if object.undeclared.is_empty() || self.arena.is_full() {
            return false;
        }
        let before = self.arena.seen(seen);
        if !object.any_order && object.next_required(before.position) < object.members.len() as u32 {
            return false;
        }
        object
            .undeclared
            .iter()
            .any(|extra| self.leaves_room(object, seen, extra) && self.is_free(node, object, seen, extra))
    }

    /// Whether some name of this kind is not used yet. Where any number of characters is allowed, a longer one always is.
    fn is_free(&mut self, node: NodeId, object: &Object, seen: SeenId, extra: &UndeclaredKind) -> bool {
        if self.graph.inside(extra.name).is_some() {
            return true;
        }
        let names = self.arena.seen(seen).names;
        if !are_known(names) {
            self.doubt = true;
            return true;
        }
        let state = self.graph.automaton(extra.name).content_start();
        let at = self.arena.excluded_names(node, object, names);
        state != DEAD && self.extra_is_live(extra.name, state, at)
    }

    /// Whether the object can be completed after a member of this kind.
    fn leaves_room(&self, object: &Object, seen: SeenId, extra: &UndeclaredKind) -> bool {
        if !object.is_counted() {
            return true;
        }
        let before = self.arena.seen(seen);
        let mut met = std::iter::once(0).chain(extra.witnesses.iter().map(|(_, met)| *met));
        met.any(|met| self.feasible(object, &object.with_undeclared(before, met)))
    }

    /// Whether a comma may come: some member can follow.
    pub fn may_go_on(&mut self, node: NodeId, object: &Object, seen: SeenId) -> bool {
        self.name_is_live(object, seen, 0) || self.may_extra(node, object, seen)
    }

    pub fn may_close(&self, object: &Object, seen: SeenId) -> bool {
        if object.is_plain() {
            return object.next_required(seen) == object.members.len() as u32;
        }
        let seen = self.arena.seen(seen);
        seen.count >= object.low && object.existentials & !seen.met == 0 && object.missing(seen).is_empty()
    }

    // Arrays.

    fn array(&mut self, phase: Phase, node: NodeId, count: u32, byte: u8, cont: ContId, out: &mut Out<'_>) {
        let graph = self.graph;
        let Node::Array(array) = graph.node(node) else { return };
        match (phase, byte) {
            (_, b']') if self.items_done(array, count) => self.resume(cont, out),
            (_, b']') => {}
            (Phase::Open, _) => {
                for (item, after) in self.next_items(node, array, count, cont) {
                    self.start(item, after, byte, out);
                }
            }
            (_, b',') => {
                for (item, after) in self.next_items(node, array, count, cont) {
                    Self::push(Head::Value { space: array.layout.comma, node: item }, after, out);
                }
            }
            _ => {}
        }
    }

    /// `count` is the number of items, or for arrays that count kinds the id of what was seen.
    fn items_done(&self, array: &Array, count: u32) -> bool {
        if array.is_tracked() { array.is_done(self.arena.items(count)) } else { count >= array.low }
    }

    fn no_items(&mut self, array: &Array) -> u32 {
        if array.is_tracked() { self.arena.intern_items(array.none()) } else { 0 }
    }

    /// The items that may come next, and what comes after each.
    fn next_items(&mut self, node: NodeId, array: &Array, count: u32, cont: ContId) -> Ways {
        let frame = |machine: &mut Self, count: u32| {
            let head = Head::Array { phase: Phase::Value, space: array.layout.value, array: node, count };
            machine.arena.frame(Thread { head, cont })
        };
        if array.unique {
            let seen = self.arena.items(count);
            let (number, used) = (seen.count, seen.used);
            let Some(item) = array.item(number).filter(|item| self.has_new(*item, used)) else { return Ways::new() };
            let head = Head::Item { array: node, items: count, start: u32::MAX };
            return smallvec![(item, self.arena.frame(Thread { head, cont }))];
        }
        if array.kinds.is_empty() {
            let Some(item) = array.item(count) else { return Ways::new() };
            let alike = array.low.max(array.prefix.len() as u32); // without an upper bound, counts from here on are alike
            let next = if array.high == UNBOUNDED { (count + 1).min(alike) } else { count + 1 };
            return smallvec![(item, frame(self, next))];
        }
        let items = self.arena.items(count).clone();
        let mut all = Ways::new();
        for &(item, kinds) in array.ways(items.count) {
            let Some(next) = array.after(&items, kinds) else { continue };
            if self.graph.facts.shortest(item) < INFINITE && self.items_cost(array, &next).is_some() {
                let next = self.arena.intern_items(next);
                all.push((item, frame(self, next)));
            }
        }
        all
    }

    /// Bytes of the items an array still needs, with a comma each.
    pub fn items_cost(&self, array: &Array, items: &Items) -> Option<u32> {
        let (facts, costs) = (&self.graph.facts, &self.graph.costs);
        facts.with_minimum_lengths(&array.layout, costs, |lengths| array.completion(items, lengths))
    }

    // For walks over tokens whose leading whitespace is stripped.

    /// The same thread, after whatever whitespace it allows; `None` if it stands at no whitespace.
    pub fn free_of_space(&self, thread: Thread) -> Option<(Thread, SpaceState)> {
        let mut free = thread;
        let space = match &mut free.head {
            Head::Value { space, .. }
            | Head::Colon { space, .. }
            | Head::Object { space, .. }
            | Head::Array { space, .. } => std::mem::replace(space, FREE),
            _ => return None,
        };
        self.graph.spaces().may_come(space).then_some((free, space))
    }
}
