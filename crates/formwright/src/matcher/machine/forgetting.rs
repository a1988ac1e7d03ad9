//! What stacks forget of the text that led to them, so that more texts share what was found.
//!
//! ```text
//! {"a":1,"b      names used: a; one begins at byte 7
//! Names          names used: some                 entries of masks
//! Starts         names used: a; one has begun     ways to the end
//! Which          one name is used                 ways to the end, where it does not matter which
//! ```
//!
//! A *representative* forgets what no token can tell; which that is, masks know (see `masks::equivalence`).
//!
//! Cost: a stack node forgets once, after the nodes below it; later, that is a lookup. Names are forgotten when a node is
//! made, since every text asks for that.

use smallvec::{SmallVec, smallvec};

use super::Machine;
use super::configuration::{Configuration, END, Frame, Position, Progress, StackId, Unpacked};
use super::excluded::{NONE, TextsId};
use super::stacks::{NEW, READ, STARTED, Stacks, UNKNOWN, UNREAD, counted};
use super::values::BEFORE;
use crate::language::{Items, STRIPPED, Seen, end};

/// What is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forget {
    /// Which undeclared names and items are used, and where one begins in the text.
    Names,
    /// Where a name or an item begins in the text.
    Starts,
    /// Which undeclared names and items are used, but not how many.
    Which,
}

/// A map of stack nodes to others, once found.
#[derive(Debug, Default)]
pub struct NodeMap(Vec<StackId>);

/// "Not found yet".
const NOT_FOUND: StackId = StackId::MAX;

impl NodeMap {
    /// With room for some nodes; the end leads to itself.
    pub fn with_room(nodes: usize) -> Self {
        let mut of_nodes = Vec::with_capacity(nodes);
        of_nodes.push(END);
        Self(of_nodes)
    }

    #[inline]
    fn get(&self, stack: StackId) -> Option<StackId> {
        self.0.get(stack as usize).copied().filter(|&found| found != NOT_FOUND)
    }

    fn insert(&mut self, stack: StackId, found: StackId) {
        if self.0.len() <= stack as usize {
            self.0.resize(stack as usize + 1, NOT_FOUND);
        }
        self.0[stack as usize] = found;
    }
}

/// In place of the start of a name or item in a text: it has begun, but its text is not known.
const BEGUN: u32 = 0;

/// Whether this is where a name or an item begins in the text, and no [`UNKNOWN`] or [`BEGUN`].
pub fn is_in_text(start: u32) -> bool {
    !matches!(start, BEGUN | UNKNOWN)
}

impl Stacks {
    /// Makes the name-erased form of a new node.
    pub(super) fn erase_names(&mut self, stack: StackId) {
        self.forgetful[Forget::Names as usize].insert(stack, stack);
        let erased = self.forget_in_node(Forget::Names, stack);
        self.forgetful[Forget::Names as usize].insert(stack, erased);
    }

    /// The name-erased form of a node.
    #[inline]
    pub fn name_erased(&self, stack: StackId) -> StackId {
        self.forgetful[Forget::Names as usize].0[stack as usize]
    }

    /// A stack that has forgotten something: what is below a node first.
    pub fn forget_in_stack(&mut self, what: Forget, stack: StackId) -> StackId {
        if let Some(known) = self.known_forgetful(what, stack) {
            return known;
        }
        let mut pending: SmallVec<[StackId; 16]> = smallvec![stack];
        while let Some(&top) = pending.last() {
            let before = pending.len();
            let is_due = |below: &StackId| self.known_forgetful(what, *below).is_none();
            match self.alternatives(top) {
                Some(several) => pending.extend(several.iter().copied().filter(is_due)),
                None => pending.extend(Some(self.frame(top).below).filter(is_due)),
            }
            if pending.len() == before {
                let made = self.forget_in_node(what, top);
                self.forgetful[what as usize].insert(top, made);
                pending.pop();
            }
        }
        self.known_forgetful(what, stack).unwrap_or(stack)
    }

    /// A node that has forgotten something, if that is known.
    #[inline]
    fn known_forgetful(&self, what: Forget, stack: StackId) -> Option<StackId> {
        let has_nothing = stack == END || what == Forget::Starts && self.compared(stack) & STARTED == 0;
        if has_nothing { Some(stack) } else { self.forgetful[what as usize].get(stack) }
    }

    /// A node that has forgotten something, when that of what is below it is known.
    fn forget_in_node(&mut self, what: Forget, stack: StackId) -> StackId {
        let known = |stacks: &Self, below| stacks.known_forgetful(what, below).unwrap_or(below);
        if let Some(several) = self.alternatives(stack) {
            let several: SmallVec<[StackId; 4]> = several.iter().map(|&below| known(self, below)).collect();
            return self.union(several);
        }
        let before = self.frame(stack);
        let frame = Frame { position: self.forget(what, before.position), below: known(self, before.below) };
        if frame == before { stack } else { self.push(frame) }
    }

    /// A position that has forgotten something.
    #[inline]
    pub fn forget(&mut self, what: Forget, mut position: Position) -> Position {
        if let Position::Named { start, .. } | Position::Item { start, .. } | Position::Element { start, .. } =
            &mut position
        {
            *start = match what {
                Forget::Names => UNKNOWN,
                Forget::Starts if is_in_text(*start) => BEGUN,
                Forget::Starts | Forget::Which => *start,
            };
        }
        match &mut position {
            _ if what == Forget::Starts => {}
            Position::Named { seen, .. }
            | Position::Key { seen, .. }
            | Position::Colon { seen, .. }
            | Position::Object { seen, .. } => *seen = self.forget_names(what, *seen),
            Position::Item { items, .. } | Position::Element { items, .. } => *items = self.forget_items(what, *items),
            Position::Array { count, .. } => {
                if let Unpacked::Interned(id) = count.unpack() {
                    *count = Progress::interned(self.forget_items(what, id));
                }
            }
            _ => {}
        }
        position
    }

    /// What an object has seen when the names used are forgotten.
    #[inline]
    fn forget_names(&mut self, what: Forget, seen: Progress) -> Progress {
        if matches!(seen.unpack(), Unpacked::Number(_)) || self.seen(seen).names == NONE {
            return seen;
        }
        let before = self.seen(seen).clone();
        let names = self.forget_texts(what, before.names);
        self.intern_seen(Seen { names, ..before })
    }

    /// What an array has seen when the items used are forgotten, and what was read of one that is being written, unless
    /// it is new for sure. Items that are compared as texts stay known where names are forgotten.
    fn forget_items(&mut self, what: Forget, items: u32) -> u32 {
        if what == Forget::Names && self.items(items).item == Items::NOT_COMPARED {
            return items;
        }
        let before = self.items(items).clone();
        let used = self.forget_texts(what, before.used);
        let item = match before.item {
            BEFORE | Items::NOT_COMPARED => before.item,
            _ if before.differs => NEW,
            _ => UNREAD,
        };
        self.intern_items(Items { used, item, ..before })
    }

    /// The id of used names or items when it is forgotten which these are.
    fn forget_texts(&self, what: Forget, used: TextsId) -> TextsId {
        match what {
            _ if used == NONE => NONE,
            Forget::Names => UNKNOWN,
            Forget::Which => counted(self.used(used)),
            Forget::Starts => used,
        }
    }

    /// What an array has seen, whatever its values are.
    pub fn items_without_values(&mut self, items: u32) -> u32 {
        if self.items(items).item == Items::NOT_COMPARED {
            return items;
        }
        let before = self.items(items).clone();
        self.intern_items(Items { used: NONE, item: BEFORE, differs: false, ..before })
    }

    /// The representative of a stack, if cached: for itself, or for its name-erased form.
    #[inline]
    pub fn cached_representative(&self, stack: StackId) -> Option<StackId> {
        let cached = |stack| self.representatives.get(stack);
        cached(stack).or_else(|| cached(self.name_erased(stack)))
    }

    /// The representative of a stack in its name-erased form, if cached; else the stack itself.
    pub fn representative_or_self(&self, stack: StackId) -> StackId {
        self.cached_representative(stack).filter(|_| self.name_erased(stack) == stack).unwrap_or(stack)
    }

    /// Caches the representative of a stack.
    pub fn insert_representative(&mut self, stack: StackId, representative: StackId) {
        self.representatives.insert(stack, representative);
    }
}

/// Ways to know some names and items and to forget others that are looked at.
const MOST_VARIANTS: usize = 64;

impl Machine<'_> {
    /// The configuration without where a name or item begins in the text, and without whitespace after which anything
    /// may follow: the ways to the end are the same.
    pub fn erased(&mut self, mut configuration: Configuration) -> Configuration {
        if let Position::Value { space, .. }
        | Position::Colon { space, .. }
        | Position::Object { space, .. }
        | Position::Array { space, .. } = &mut configuration.position
            && self.graph.spaces().ends(*space) == end::ANY
        {
            *space = STRIPPED;
        }
        self.without_starts(configuration)
    }

    /// The configuration without where a name or item begins in the text.
    pub fn without_starts(&mut self, configuration: Configuration) -> Configuration {
        Configuration { stack: self.stacks.forget_in_stack(Forget::Starts, configuration.stack), ..configuration }
    }

    /// Whether a configuration is inside no name and no item whose text another text may have otherwise.
    pub fn is_erased(&self, stack: StackId) -> bool {
        self.stacks.compared(stack) & STARTED == 0
    }

    /// The configuration when it is known how many names and items are used, but not which.
    pub fn forgetful(&mut self, configuration: Configuration) -> Configuration {
        Configuration {
            position: self.stacks.forget(Forget::Which, configuration.position),
            stack: self.stacks.forget_in_stack(Forget::Which, configuration.stack),
        }
    }

    /// As [`Machine::forgetful`] down to each of the upper frames of the stack, and with all known below it; of several
    /// ways that the text goes on below, each by itself.
    pub fn forgetful_of_some(&mut self, configuration: Configuration) -> Vec<Configuration> {
        let position = self.stacks.forget(Forget::Which, configuration.position);
        let mut all = vec![configuration];
        let mut open = vec![(SmallVec::<[Position; 8]>::new(), configuration.stack)];
        while let Some((mut above, below)) = open.pop() {
            if let Some(several) = self.stacks.alternatives(below) {
                open.extend(several.iter().map(|&below| (above.clone(), below)));
                continue;
            }
            let stack = above.iter().rev().fold(below, |below, &position| self.stacks.push(Frame { position, below }));
            if above.is_empty() {
                all.push(Configuration { stack, ..configuration });
            }
            // Inside an item that was read, its names are known: a search would find a way on that repeats one.
            if self.stacks.compared(below) & READ == 0 {
                all.push(Configuration { position, stack });
            }
            if below != END && all.len() + open.len() < MOST_VARIANTS {
                let frame = self.stacks.frame(below);
                above.push(self.stacks.forget(Forget::Which, frame.position));
                open.push((above, frame.below));
            }
        }
        all.dedup();
        all
    }
}
