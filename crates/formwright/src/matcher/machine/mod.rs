//! The machine: where a byte leads.
//!
//! [`Machine::step_all`] computes the configurations that one byte leads to. Everything else (accepting tokens, masks,
//! forced bytes) is built from it. The shape:
//!
//! ```text
//! terminals  step the automaton; where it accepts, resume what comes after
//! container  whitespace, then one structural byte: { } [ ] , : "
//! start      dispatch on the node: the first byte chooses
//! resume     a finished part is replaced by the frame below it, which may be finished too
//! ```
//!
//! Invariant: every configuration has a finite completion. Containers check before they offer a comma, a key or a
//! bracket; terminals have only live states; nodes without a finite text were pruned. So "some configuration is left"
//! means "these bytes are the beginning of a conforming text".
//!
//! Cost: mostly a table lookup a byte. A walk over tokens may serve many texts, whose used names and items
//! differ. To a machine in such a walk these are unknown, and it notes what it has [`Learnt`]: whether its answer depends
//! on them.

mod array_cost;
mod arrays;
mod avoiding;
mod configuration;
mod cost;
mod excluded;
mod first_bytes;
mod forgetting;
mod inclusion;
mod object_cost;
mod objects;
mod preferred;
mod resume;
mod stacks;
mod successors;
mod terminals;
mod token_cost;
mod unique;
mod unique_cost;
mod unique_search;
mod used_texts;
mod values;

use crate::error::{Error, Kind, Result};
use crate::language::{CompiledGraph, Node, NodeId, STRIPPED, SpaceState, end};
use crate::regular::DEAD;
use crate::vocabulary::NodeIndex;

use successors::Successors;

pub use configuration::{Configuration, END, Frame, Phase, Position, Progress, StackId, Unpacked, is_accepting};
pub use excluded::TextsId;
pub use forgetting::Forget;
use stacks::{MUST_DIFFER, READ};

pub use preferred::Names;
pub use stacks::{Stacks, UNKNOWN, UNSURE, Unit, are_known};
pub use token_cost::TokenLengths;
pub use unique::{Comparison, too_many_ways};

/// An undeclared name that has ended and was taken for a new one, as the names used before are not known.
#[derive(Debug)]
pub struct CompletedName {
    pub object: NodeId,
    /// What comes after the object.
    pub stack: StackId,
    /// Where the name begins in `path`, at its opening quote.
    pub start: u32,
    /// The name with its closing quote, without the opening one; `None` if some of its bytes are unknown.
    pub name: Option<Vec<u8>>,
}

/// What steps have learnt about names and items that are unknown, besides where they lead.
///
/// It lies on the machine until it is taken, since what shows it are questions below a step (may a name come, may an
/// item?) that others ask as well: if it were returned, each of these would return it.
#[derive(Debug, Default)]
pub struct Learnt {
    /// They depended on what is unknown: tokens with these steps must be tried one by one.
    pub unresolved: bool,
    /// An undeclared name has ended and was taken for a new one.
    pub completed: Option<CompletedName>,
}

impl Learnt {
    /// Whether the steps hold for all texts.
    #[inline]
    pub fn is_nothing(&self) -> bool {
        !self.unresolved && self.completed.is_none()
    }
}

/// A compiled graph running.
#[derive(Debug)]
pub struct Machine<'m> {
    pub graph: &'m CompiledGraph,
    pub stacks: &'m mut Stacks,
    /// Bytes read so far; undeclared names are looked up here when they end.
    pub path: &'m mut Vec<u8>,
    /// The gap: an index of `path` at which an unknown number of unknown bytes is left out. A walk over
    /// context-dependent tokens has one between the text so far and what remains of a token, as the bytes of the token
    /// that lie inside the terminal differ.
    pub gap: Option<usize>,
    /// What the steps since it was last taken have learnt.
    pub learnt: Learnt,
    /// Set when any step looked at the names or items used before, and there were some.
    pub asked: bool,
    /// Set when a configuration may have died only because its automaton reached a bound; it stays set.
    pub overflow: bool,
    /// How items are compared as values.
    pub comparison: Comparison,
    /// Whether what comes after a text is looked for only with its first byte.
    pub is_lazy: bool,
    /// The byte being read.
    byte: u8,
    /// Room for the configurations of one step.
    buffer: Vec<Configuration>,
}

/// What to do where texts lead to too many places.
pub const MULTIPLIED: &str =
    "simplify the pattern or repetition: nested counters and alternatives that overlap multiply states";

/// An automaton reached its bound: what it says cannot be trusted.
pub fn too_many_states() -> Error {
    Error::new(
        Kind::Limit { limit: "automaton_states", value: 0, allowed: 0 },
        "limit reached: this text needs more states than allowed",
    )
    .hint(MULTIPLIED)
}

impl<'m> Machine<'m> {
    pub fn new(graph: &'m CompiledGraph, stacks: &'m mut Stacks, path: &'m mut Vec<u8>) -> Self {
        Self {
            graph,
            stacks,
            path,
            gap: None,
            learnt: Learnt::default(),
            asked: false,
            overflow: false,
            comparison: Comparison::default(),
            is_lazy: false,
            byte: 0,
            buffer: Vec::new(),
        }
    }

    /// Whether no more stack nodes may be made.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.stacks.size() >= self.graph.stack_nodes()
    }

    /// Fails if a bound was reached on the way, so that the answers cannot be trusted.
    pub fn check_limits(&self) -> Result<()> {
        if self.comparison.gave_up {
            return Err(unique::too_many_ways());
        }
        if self.overflow {
            self.graph.check_parsers()?;
            self.stacks.check_room(self.graph)?;
            return Err(too_many_states());
        }
        Ok(())
    }

    /// Takes what the steps so far have learnt.
    #[must_use = "where it does not matter, `settle` says so"]
    pub fn take_learnt(&mut self) -> Learnt {
        std::mem::take(&mut self.learnt)
    }

    /// Forgets what the steps so far have learnt, where it does not matter.
    pub fn settle(&mut self) {
        self.learnt = Learnt::default();
    }

    /// The configurations before the first byte.
    pub fn initial(&mut self) -> Vec<Configuration> {
        let mut out = Vec::new();
        let root = self.graph.root();
        let mut fresh = Successors::new(&mut out, 0);
        self.enter(root, END, &mut fresh);
        self.unite(fresh);
        out
    }

    /// The configurations after one byte; if there are any, the byte is added to the path.
    pub fn advance(&mut self, configurations: &[Configuration], byte: u8) -> Vec<Configuration> {
        let mut next = Vec::with_capacity(configurations.len());
        self.step_all(configurations, byte, &mut next, 0);
        if !next.is_empty() {
            self.path.push(byte);
        }
        next
    }

    /// The bytes that may come next.
    pub fn next_bytes(&mut self, configurations: &[Configuration]) -> Vec<u8> {
        let mut out = Vec::new();
        let live = (0..=255).filter(|&byte| {
            out.clear();
            self.step_all(configurations, byte, &mut out, 0);
            !out.is_empty()
        });
        live.collect()
    }

    /// Steps every configuration of `from` by `byte`. The results are appended to `out`, where they are the list that
    /// begins at `base`.
    #[inline]
    pub fn step_all(&mut self, from: &[Configuration], byte: u8, out: &mut Vec<Configuration>, base: usize) {
        if let [alone] = *from {
            return self.step(alone, byte, out, base);
        }
        let mut successors = Successors::new(out, base);
        for &configuration in from {
            self.step_into(configuration, byte, &mut successors);
        }
        self.unite(successors);
        self.compare_items(out, base, byte);
    }

    /// Steps all `configurations` by `byte`, in place. A lone configuration that stays in its terminal needs no second
    /// list.
    #[inline]
    pub fn step_in_place(
        &mut self,
        configurations: &mut Vec<Configuration>,
        scratch: &mut Vec<Configuration>,
        byte: u8,
    ) {
        if let [alone] = &mut configurations[..]
            && !self.reads_items(alone.stack)
            && self.stays(&mut alone.position, byte)
        {
            return;
        }
        scratch.clear();
        let mut out = Successors::new(scratch, 0);
        match configurations[..] {
            [alone] if !self.reads_items(alone.stack) => self.leave(alone, byte, &mut out),
            _ => configurations.iter().for_each(|&configuration| self.step_into(configuration, byte, &mut out)),
        }
        self.unite(out);
        self.compare_items(scratch, 0, byte);
        std::mem::swap(configurations, scratch);
    }

    /// Steps a lone configuration by `byte`: mostly to one other configuration, without a merge.
    #[inline]
    fn step(&mut self, mut configuration: Configuration, byte: u8, out: &mut Vec<Configuration>, base: usize) {
        if self.stays(&mut configuration.position, byte) {
            out.push(configuration);
            return self.compare_items(out, base, byte);
        }
        let mut successors = Successors::new(out, base);
        self.leave(configuration, byte, &mut successors);
        self.unite(successors);
        self.compare_items(out, base, byte);
    }

    /// Whether a step changes what was read of an item.
    #[inline]
    pub fn reads_items(&self, stack: StackId) -> bool {
        self.graph.compares_values() && self.stacks.compared(stack) & (READ | MUST_DIFFER) != 0
    }

    /// Steps the list `configurations[low..]` by `byte`. The results are appended after it as a list of their own,
    /// which may be empty.
    #[inline]
    pub fn step_within(&mut self, configurations: &mut Vec<Configuration>, low: usize, byte: u8) {
        let high = configurations.len();
        if let [alone] = configurations[low..] {
            return self.step(alone, byte, configurations, high);
        }
        let mut out = Successors::new(configurations, high);
        for index in low..high {
            self.step_into(out.configurations[index], byte, &mut out);
        }
        self.unite(out);
        self.compare_items(configurations, high, byte);
    }

    /// Gives each configuration all its stacks.
    #[inline]
    fn unite(&mut self, mut out: Successors<'_>) {
        if !out.further.is_empty() {
            self.unite_all(&mut out);
        }
        if self.graph.tracks_values() && out.len() > 1 {
            self.drop_covered(&mut out);
        }
    }

    /// As [`Machine::unite`], if there are further stacks.
    #[cold]
    fn unite_all(&mut self, out: &mut Successors<'_>) {
        out.further.sort_unstable();
        for group in out.further.chunk_by(|a, b| a.0 == b.0) {
            let configuration = &mut out.configurations[group[0].0 as usize];
            configuration.stack =
                self.stacks.union(std::iter::once(configuration.stack).chain(group.iter().map(|&(_, stack)| stack)));
        }
        self.overflow |= self.is_full();
    }

    /// Where `byte` leads from `configuration`.
    #[inline]
    fn step_into(&mut self, mut configuration: Configuration, byte: u8, out: &mut Successors<'_>) {
        if self.stays(&mut configuration.position, byte) {
            out.push(configuration.position, configuration.stack);
        } else {
            self.leave(configuration, byte, out);
        }
    }

    /// Where `byte` leads from a configuration that does not just stay where it is.
    fn leave(&mut self, configuration: Configuration, byte: u8, out: &mut Successors<'_>) {
        let stack = configuration.stack;
        self.byte = byte;
        match configuration.position {
            Position::Text { leaf, state, least, most } => self.text(leaf, state, (least, most), byte, stack, out),
            Position::Terminal { leaf, state } => {
                let step = self.terminal_step(leaf, state, byte);
                self.push_terminal(leaf, step, stack, out);
            }
            Position::Literal { node, at } => self.literal(node, at, byte, stack, out),
            Position::Start(node) => self.start(node, stack, byte, out),
            Position::Ended => self.after_end(stack, byte, out),
            Position::Value { space, node } if self.may_follow(space, end::ITEM) => self.start(node, stack, byte, out),
            Position::Key { object, seen, at } if byte == b'"' => self.key(object, seen, at, stack, out),
            Position::Excluding { leaf, state, at } => self.excluding(leaf, state, Some(at), byte, stack, out),
            Position::Colon { space, object, seen, member } if byte == b':' && self.may_follow(space, end::COLON) => {
                self.open_value(object, seen, member, stack, out);
            }
            Position::Object { phase, space, object, seen } if self.may_follow(space, end::of(byte)) => {
                self.object(phase, object, seen, byte, stack, out);
            }
            Position::Array { phase, space, array, count } if self.may_follow(space, end::of(byte)) => {
                self.array(phase, array, count, byte, stack, out);
            }
            Position::Key { .. }
            | Position::Value { .. }
            | Position::Colon { .. }
            | Position::Object { .. }
            | Position::Array { .. }
            | Position::Accept
            | Position::Union(_)
            | Position::Between { .. }
            | Position::Unseen(_)
            | Position::Named { .. }
            | Position::Item { .. }
            | Position::Element { .. }
            | Position::Sequence { .. }
            | Position::Repeat { .. } => {}
        }
    }

    /// Moves on a position that stays inside its terminal, name or whitespace, and can do nothing else; false, and
    /// unchanged, if it leaves.
    #[inline]
    fn stays(&mut self, position: &mut Position, byte: u8) -> bool {
        let graph = self.graph;
        match position {
            Position::Text { leaf, state, least, most } => {
                let step = self.terminal_step(*leaf, *state, byte);
                if step.accepting() || step.state() == DEAD {
                    return false;
                }
                let Some(window) = self.counted(*leaf, *state, (*least, *most)) else { return false };
                *state = step.state();
                (*least, *most) = window;
            }
            Position::Terminal { leaf, state } => {
                let step = self.terminal_step(*leaf, *state, byte);
                if !step.only_goes_on() {
                    return false;
                }
                *state = step.state();
            }
            Position::Literal { node, at } => {
                let step = graph.node(*node).text_step(*at, byte).filter(|step| !step.ends);
                let Some(step) = step else { return false };
                *at = step.at;
            }
            Position::Key { object, seen, at } => {
                let Some(child) = self.next_in_name(*object, *seen, *at, byte) else { return false };
                *at = child;
            }
            Position::Value { space, .. }
            | Position::Colon { space, .. }
            | Position::Object { space, .. }
            | Position::Array { space, .. } => {
                let Some(next) = graph.spaces().step(*space, byte) else { return false };
                let reached = graph.spaces().reached(next);
                if reached != end::ANY && self.purposes(*position) & reached == 0 {
                    return false;
                }
                position.set_space(next);
            }
            _ => return false,
        }
        true
    }

    /// What a byte after whitespace may be for, as bits of [`end`], at a position where whitespace may come.
    #[cold]
    pub fn purposes(&mut self, position: Position) -> u8 {
        let bit = |may: bool, bit: u8| if may { bit } else { 0 };
        match (position, self.graph) {
            (Position::Value { .. }, _) => end::ITEM,
            (Position::Colon { .. }, _) => end::COLON,
            (Position::Object { phase, object: node, seen, .. }, graph) => {
                let Node::Object(object) = graph.node(node) else { return 0 };
                let next = if phase == Phase::Value { end::COMMA } else { end::ITEM };
                let close = phase != Phase::Comma && self.may_close(object, seen);
                bit(self.may_go_on(node, object, seen), next) | bit(close, end::CLOSE)
            }
            (Position::Array { phase, array: node, count, .. }, graph) => {
                let Node::Array(array) = graph.node(node) else { return 0 };
                let next = if phase == Phase::Value { end::COMMA } else { end::ITEM };
                bit(self.item_may_come(node, array, count), next) | bit(self.items_done(array, count), end::CLOSE)
            }
            _ => 0,
        }
    }

    /// Where `byte` leads inside a declared name, if the name goes on and some name below may come.
    #[inline]
    fn next_in_name(&self, object: NodeId, seen: Progress, at: NodeIndex, byte: u8) -> Option<NodeIndex> {
        let Node::Object(object) = self.graph.node(object) else { return None };
        let names = object.names.tree();
        let child = names.child(at, byte)?;
        let ends = byte == b'"' && !names.items_at(at).is_empty();
        // If only one branch goes on, the names below it are the same as one byte before, and at least one is live.
        let live = names.only_way(at) == Some(child) || self.name_is_live(object, seen, child);
        (live && !ends).then_some(child)
    }

    /// Whether bytes of some purposes (a set of bits, see [`end`]) may follow the whitespace read so far.
    fn may_follow(&self, space: SpaceState, purposes: u8) -> bool {
        self.graph.spaces().ends(space) & purposes != 0
    }

    /// The same configuration after any whitespace that it allows, with the whitespace state that it stood in; `None`
    /// if no whitespace may come.
    pub fn after_whitespace(&self, configuration: Configuration) -> Option<(Configuration, SpaceState)> {
        let mut after = configuration;
        let (Position::Value { space, .. }
        | Position::Colon { space, .. }
        | Position::Object { space, .. }
        | Position::Array { space, .. }) = after.position
        else {
            return None;
        };
        after.position.set_space(STRIPPED);
        self.graph.spaces().may_come(space).then_some((after, space))
    }
}
