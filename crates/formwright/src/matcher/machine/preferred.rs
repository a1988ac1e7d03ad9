//! The ways on that lead to the end in the fewest bytes, whatever names and items a text has used.
//!
//! ```text
//! {"a": 1         `}`             one byte less to the end
//! {"b": "x        `"`, not `y`    which would leave as many
//! {"c": 1,        `"` and the name that is missing
//! ```
//!
//! The token budget follows these ways (see `potential`). They are steps as any other, of configurations that are
//! *erased*: where a name or an item begins in the text is forgotten, so what they say holds for every text that is
//! there.
//!
//! Cost: a step and its cost for each byte that is tried; the first one or two are mostly right. The choice
//! must not depend on what is on the stack, else two configurations that are united there would lose a way.

use smallvec::{SmallVec, smallvec};

use super::Machine;
use super::configuration::{Configuration, Frame, Phase, Position, Progress, StackId};
use super::stacks::are_known;
use crate::interrupt::count;
use crate::language::{INFINITE, Node, NodeId, end};
use crate::regular::ByteSet;
use crate::vocabulary::{NodeIndex, WHITESPACE};

/// The names that are followed of those that decide which of several objects this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// All with which the end is near enough: the nearest in bytes need not be the nearest in tokens.
    Near,
    /// The nearest.
    Nearest,
}

/// A byte, and where it leads; each with the bytes from there to the end.
type Way = (u8, SmallVec<[(Configuration, u32); 2]>);

/// All texts of a set are ways on if its tree has at most this many nodes.
const SMALL: usize = 256;

/// Kinds of values: objects, arrays, strings, numbers, `true`, `false` and `null`.
const MOST_KINDS: usize = 7;

/// Alternatives of a union are followed that take at most this many bytes, or this many times as many as the shortest
/// one: longer ones seldom take fewer tokens.
const NEAR: u32 = 16;
const NEAR_TIMES: u32 = 4;

/// The most bytes that an alternative may take to be followed, if the shortest one takes `least`.
pub(super) fn most_bytes(least: u32) -> u32 {
    NEAR.max(NEAR_TIMES * least)
}

/// Units of work of a step, and of each configuration that it leads to.
const UNITS_OF_STEP: usize = 2;

/// Alternatives of a union that are followed, each by itself.
pub(super) const MOST_ALTERNATIVES: usize = 64;

impl Machine<'_> {
    /// What comes after a terminal, whatever its text.
    pub fn after_terminal(&mut self, stack: StackId) -> Vec<Configuration> {
        self.blindly(|machine| {
            let mut after = Vec::new();
            machine.resume_into(stack, &mut after);
            after
        })
    }

    /// Does some work without looking at the text: what begins in it is unknown. Steps go on after terminals at once.
    pub fn blindly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (gap, is_strict) = (self.gap.replace(usize::MAX), std::mem::replace(&mut self.comparison.is_strict, true));
        let is_lazy = std::mem::take(&mut self.is_lazy);
        let done = work(self);
        (self.gap, self.comparison.is_strict, self.is_lazy) = (gap, is_strict, is_lazy);
        self.settle();
        done
    }

    /// The preferred ways on from an erased configuration that is `cost` bytes from the end; mostly one.
    /// Of the bytes that lead nearer to the end, those that are `spelled` come first: each of these is a token.
    pub fn preferred_ways(
        &mut self,
        configuration: Configuration,
        cost: u32,
        spelled: &ByteSet,
        names: Names,
    ) -> SmallVec<[Way; 1]> {
        let after = self.stack_cost(configuration.stack);
        if cost == after || cost >= INFINITE {
            return SmallVec::new(); // what comes after it is beside it
        }
        if let Position::Start(_) | Position::Value { .. } = configuration.position
            && let alternatives = self.alternatives(configuration)
            && alternatives[..] != [configuration]
        {
            return self.ways_of_alternatives(&alternatives, after, spelled, names);
        }
        self.preferred_ways_of_one(configuration, cost, spelled, names)
    }

    /// The same where there are no alternatives.
    fn preferred_ways_of_one(
        &mut self,
        configuration: Configuration,
        cost: u32,
        spelled: &ByteSet,
        names: Names,
    ) -> SmallVec<[Way; 1]> {
        if cost == self.stack_cost(configuration.stack) || cost >= INFINITE {
            return SmallVec::new();
        }
        if let Position::Literal { node, at } = configuration.position {
            return self.ways_of_texts(configuration, node, at, cost);
        }
        if let Position::Key { object, seen, at } = configuration.position {
            return self.ways_of_names(configuration, (object, seen, at), cost, names);
        }
        if let Some(node) = self.begun_at_once(configuration.position)
            && self.graph.node(node).tree().is_some_and(|tree| tree.nodes().len() <= SMALL)
        {
            return self.ways_of_texts(configuration, node, 0, cost);
        }
        let own = self.first_bytes(&configuration);
        let order = [own.intersection(spelled), own.difference(spelled)]
            .map(|own| [own.difference(&WHITESPACE), own.intersection(&WHITESPACE)]);
        if matches!(configuration.position, Position::Value { .. } | Position::Start(_)) {
            let others = order.iter().flat_map(|[others, _]| others.iter());
            let ways = self.ways_of_values(configuration, others, cost);
            if !ways.is_empty() {
                return ways;
            }
        }
        let way =
            |byte| self.may_be_nearer(configuration.position, byte).then(|| self.way(configuration, byte, cost))?;
        order.iter().flatten().flat_map(ByteSet::iter).find_map(way).into_iter().collect()
    }

    /// The node that begins at a position, if no whitespace has to come before it.
    fn begun_at_once(&self, position: Position) -> Option<NodeId> {
        match position {
            Position::Start(node) => Some(node),
            Position::Value { space, node } => (self.graph.spaces().shortest(space, end::ITEM) == 0).then_some(node),
            _ => None,
        }
    }

    /// Where a text may be in place of a configuration that begins a union: before one of its alternatives. The one of
    /// the fewest bytes need not be the one of the fewest tokens, so each is followed. A tail is a union, too: of its values,
    /// and of its texts, for which the configuration itself is kept. Just the configuration where that might have no end,
    /// or is not a union.
    fn alternatives(&mut self, configuration: Configuration) -> SmallVec<[Configuration; 4]> {
        let graph = self.graph;
        let (mut found, mut open) = (SmallVec::new(), vec![configuration]);
        while let Some(at) = open.pop() {
            let (Position::Start(node) | Position::Value { node, .. }) = at.position else { return smallvec![at] };
            let before = |node| match at.position {
                Position::Value { space, .. } => Position::Value { space, node },
                _ => Position::Start(node),
            };
            match graph.node(node) {
                Node::Choice(options) if graph.is_bounded(node) => {
                    open.extend(options.iter().rev().map(|&option| Configuration { position: before(option), ..at }));
                }
                Node::Rule(target) => open.push(Configuration { position: before(*target), ..at }),
                Node::Sequence(parts) if !graph.facts.nullable(parts[0]) && graph.is_bounded(parts[0]) => {
                    let (part, stack) = self.part(node, 0, at.stack);
                    open.push(Configuration { position: before(part), stack });
                }
                Node::Tail(tail) => {
                    found.extend((!tail.texts.is_empty()).then_some(at));
                    for &(value, after) in tail.ways.iter().rev() {
                        let after = Frame { position: self.position_after_value(after), below: at.stack };
                        open.push(Configuration { position: before(value), stack: self.stacks.push(after) });
                    }
                }
                _ => found.push(at),
            }
            if found.len() + open.len() > MOST_ALTERNATIVES {
                return smallvec![configuration];
            }
        }
        found
    }

    /// The ways of those that are near enough; of all where a byte has no token of its own, as the near ones may then not
    /// be spelled. Of the bytes to the end, `after` come after the union.
    fn ways_of_alternatives(
        &mut self,
        alternatives: &[Configuration],
        after: u32,
        spelled: &ByteSet,
        names: Names,
    ) -> SmallVec<[Way; 1]> {
        let costs: SmallVec<[u32; 4]> = alternatives.iter().map(|&at| self.configuration_cost(at)).collect();
        let own = |cost: u32| cost.saturating_sub(after);
        let least = costs.iter().copied().min().filter(|_| *spelled == ByteSet::ALL);
        let most = least.map_or(INFINITE, |least| most_bytes(own(least)));
        let mut ways = SmallVec::new();
        for (&at, &cost) in alternatives.iter().zip(&costs).filter(|(_, cost)| own(**cost) <= most) {
            ways.extend(self.preferred_ways_of_one(at, cost, spelled, names));
        }
        ways
    }

    /// Whether a byte can lead nearer to the end. Inside a terminal, its automaton knows.
    fn may_be_nearer(&self, position: Position, byte: u8) -> bool {
        let Position::Terminal { leaf, state } = position else { return true };
        let automaton = self.graph.automaton(leaf);
        let step = automaton.step(state, byte);
        step.accepting() || automaton.shortest(step.state()) < automaton.shortest(state)
    }

    /// A way for each kind of value: a string, a number, `true`, and so on.
    fn ways_of_values(
        &mut self,
        configuration: Configuration,
        bytes: impl Iterator<Item = u8>,
        cost: u32,
    ) -> SmallVec<[Way; 1]> {
        let (mut ways, mut has_number) = (SmallVec::new(), false);
        for byte in bytes {
            let is_number = byte.is_ascii_digit() || byte == b'-';
            if is_number && has_number {
                continue;
            }
            if let Some(way) = self.way(configuration, byte, cost) {
                has_number |= is_number;
                ways.push(way);
            }
            if ways.len() >= MOST_KINDS {
                break;
            }
        }
        ways
    }

    /// All ways down a small tree of texts; of a large one, the way to the nearest end.
    fn ways_of_texts(
        &mut self,
        configuration: Configuration,
        node: u32,
        at: NodeIndex,
        cost: u32,
    ) -> SmallVec<[Way; 1]> {
        let graph = self.graph;
        let set = graph.node(node).text_bytes(at);
        let bytes = set.iter();
        if graph.node(node).tree().is_none_or(|tree| tree.nodes().len() > SMALL) {
            return bytes.filter_map(|byte| self.way(configuration, byte, cost)).take(1).collect();
        }
        let way = |byte| {
            let (after, depends) = self.step_erased(configuration, byte);
            let after = after.into_iter().map(|after| (after, self.configuration_cost(after)));
            (!depends).then(|| (byte, after.collect()))
        };
        bytes.filter_map(way).collect()
    }

    /// The ways to the ends of the declared names with which the end is nearest. Names that decide which of several objects
    /// this is are alternatives of a union: of these, all that are near enough.
    fn ways_of_names(
        &mut self,
        configuration: Configuration,
        (node, seen, at): (NodeId, Progress, NodeIndex),
        cost: u32,
        names: Names,
    ) -> SmallVec<[Way; 1]> {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return SmallVec::new() };
        let decides = object.tails > 0 && names == Names::Near;
        let bytes = self.preferred_name_bytes(node, seen, at, decides);
        let reads = self.reads_items(configuration.stack);
        let cost = if decides { INFINITE } else { cost };
        let way = |byte: u8| {
            let Some(deeper) = object.names.tree().child(at, byte).filter(|_| byte != b'"' && !reads) else {
                return self.way(configuration, byte, cost);
            };
            let after = Configuration { position: Position::Key { object: node, seen, at: deeper }, ..configuration };
            let cost = if decides { self.configuration_cost(after) } else { cost - 1 };
            Some((byte, smallvec![(after, cost)]))
        };
        bytes.into_iter().filter_map(way).collect()
    }

    /// Where a byte leads, if that is nearer to the end.
    fn way(&mut self, configuration: Configuration, byte: u8, cost: u32) -> Option<Way> {
        let (after, depends) = self.step_erased(configuration, byte);
        let depends = depends && !matches!(configuration.position, Position::Object { .. });
        let mut after: SmallVec<[(Configuration, u32); 2]> =
            after.into_iter().map(|after| (after, self.configuration_cost(after))).collect();
        if depends || after.iter().all(|&(_, rest)| rest >= cost) {
            return None;
        }
        // Of several ways that what is on the stack goes on, each counts; of others, those that are nearer. In a grammar,
        // stacks that lead far from the end can be without number.
        let stack = self.stack_costs(configuration.stack);
        let limit = if self.graph.has_rules() { cost } else { cost - stack.least + stack.most };
        after.retain(|(_, rest)| *rest < limit);
        Some((byte, after))
    }

    /// Where a byte leads from an erased configuration, and whether that depends on unknown names or items. Names that
    /// must differ from unknown ones are left out.
    pub fn step_erased(&mut self, configuration: Configuration, byte: u8) -> (SmallVec<[Configuration; 2]>, bool) {
        self.settle();
        let mut out = std::mem::take(&mut self.buffer);
        out.clear();
        self.step_all(&[configuration], byte, &mut out, 0);
        count(UNITS_OF_STEP * (1 + out.len()));
        if let Position::Object { phase: Phase::Open | Phase::Comma, object, seen, .. } = configuration.position
            && byte == b'"'
            && self.names_are_unknown(object, seen)
        {
            let all = out.len();
            out.retain(|after| matches!(after.position, Position::Key { .. }));
            self.learnt.unresolved |= out.len() < all;
        }
        let depends = self.take_learnt().unresolved;
        let erased = out.iter().map(|&after| self.erased(after)).collect();
        self.buffer = out;
        (erased, depends)
    }

    fn names_are_unknown(&self, object: NodeId, seen: Progress) -> bool {
        matches!(self.graph.node(object), Node::Object(object) if !object.undeclared.is_empty())
            && !are_known(self.stacks.seen(seen).names)
    }
}
