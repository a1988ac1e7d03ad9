//! How many tokens a text is from its end, at most: where the budget is larger, nothing is asked.
//!
//! ```text
//! {"a": [1         measured: 2 bytes, so 2 tokens
//! {"a": [1, "foo   read since: a comma, which began an item, so the bytes that an item can add
//! ```
//!
//! What begins adds no more than can begin where it does: in the innermost object or array that is open; after an opening
//! bracket also deeper; after a closing one in any that is open.
//!
//! Cost: to measure, the cost of a configuration and a walk over its stack; to go on, a lookup of what a token begins.
//! After a token it holds only where the text is in one place. Of several, the nearest counts, and may not go
//! on.

use smallvec::{SmallVec, smallvec};

use super::machine::{Configuration, END, Frame, Machine, Phase, Position, StackId, TokenLengths, Unit};
use crate::language::{CompiledGraph, Node, NodeId, Rise, Rises, TEXT_RISE};
use crate::terminals::{Begun, MostBegun, Parts};
use crate::vocabulary::NodeIndex;

/// Stack nodes looked at for one place; if there are more, anything may be open.
const MOST_FRAMES: usize = 64;

/// A bound on the tokens to the end.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    tokens: u32,
    reach: Reach,
    /// Tokens that any one token can add.
    by_any: u32,
    /// Whether nothing was read since it was measured; then it holds of several places as well.
    pub is_fresh: bool,
    /// What it was measured in.
    pub unit: Unit,
}

impl Distance {
    /// Of a text that is in any of these places: in tokens, if their lengths are given, else in bytes. Any token can
    /// add `by_any`.
    pub fn measure(
        machine: &mut Machine<'_>,
        configurations: &[Configuration],
        lengths: Option<&TokenLengths>,
        rises: &Rises,
        by_any: u32,
    ) -> Self {
        let (mut tokens, mut reach) = (0, Reach::default());
        for &place in configurations {
            let of_place = Reach::of(machine, rises, place);
            tokens = tokens.max(farthest(machine, place, lengths, rises, of_place.innermost));
            reach = reach.or(of_place);
        }
        let tokens = tokens.saturating_add(rises.unseen);
        Self { tokens, reach, by_any, is_fresh: true, unit: Unit::of(lengths) }
    }

    /// The tokens.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// After more text that begins so much.
    #[inline]
    pub fn advance(&mut self, begun: &MostBegun) {
        self.tokens = self.tokens.saturating_add(self.reach.most_rise(begun));
        self.reach = begun.iter().map(|begun| self.reach.after(begun)).reduce(Reach::or).unwrap_or(self.reach);
        self.is_fresh = false;
    }

    /// Tokens to the end after any text that begins so much.
    #[inline]
    pub fn after(&self, begun: &MostBegun) -> u32 {
        self.tokens.saturating_add(self.reach.most_rise(begun))
    }

    /// Tokens to the end after any one token.
    #[inline]
    pub fn after_any(&self) -> u32 {
        self.tokens.saturating_add(self.by_any)
    }
}

/// What a text can begin, by where it does. `innermost` and `outer` are at most `open`, `innermost` is at most `below`, and
/// all are at most `anywhere`: so what begins and closes less can add no more.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// In the innermost object or array that is open.
    innermost: Rise,
    /// In it, at any depth.
    below: Rise,
    /// In the next one, after the innermost is closed.
    outer: Rise,
    /// In any that is open.
    open: Rise,
    anywhere: Rise,
}

impl Reach {
    /// Where it is not known what is open.
    fn anywhere(Rises { anywhere, .. }: &Rises) -> Self {
        Self { innermost: *anywhere, below: *anywhere, outer: *anywhere, open: *anywhere, anywhere: *anywhere }
    }

    /// From a place.
    fn of(machine: &Machine<'_>, rises: &Rises, place: Configuration) -> Self {
        let mut reach = Self { anywhere: rises.anywhere, ..Self::default() };
        if let Position::Start(node) | Position::Value { node, .. } = place.position {
            reach.below = rises.within(node);
        }
        let level = reach.add(0, inside(machine.graph, rises, place.position));
        let mut pending: SmallVec<[(StackId, u32); 8]> = smallvec![(place.stack, level)];
        for _ in 0..MOST_FRAMES {
            let Some((stack, level)) = pending.pop() else { return reach };
            if let Some(several) = machine.stacks.alternatives(stack) {
                pending.extend(several.iter().map(|&stack| (stack, level)));
                continue;
            }
            let Frame { position, below } = machine.stacks.frame(stack);
            let level = reach.add(level, inside(machine.graph, rises, position));
            if stack != END {
                pending.push((below, level));
            }
        }
        Self::anywhere(rises)
    }

    /// Adds an object or array that is open, if there is one: `level` others are open inside of it. Returns the level of
    /// the next one.
    fn add(&mut self, level: u32, open: Option<(Rise, Rise)>) -> u32 {
        let Some((inside, within)) = open else { return level };
        self.open = self.open.or(inside);
        match level {
            0 => (self.innermost, self.below) = (self.innermost.or(inside), self.below.or(within)),
            1 => self.outer = self.outer.or(inside),
            _ => {}
        }
        level + 1
    }

    fn or(self, other: Self) -> Self {
        Self {
            innermost: self.innermost.or(other.innermost),
            below: self.below.or(other.below),
            outer: self.outer.or(other.outer),
            open: self.open.or(other.open),
            anywhere: self.anywhere.or(other.anywhere),
        }
    }

    /// After a text that begins so much.
    fn after(self, begun: Begun) -> Self {
        let Self { below, outer, open, anywhere, .. } = self;
        self.or(match (begun.opens(), begun.closes) {
            (false, 0) => self,
            (false, 1) => Self { innermost: outer, below: anywhere, outer: open, ..self },
            (false, _) => Self { innermost: open, below: anywhere, outer: open, ..self },
            (true, 0) => Self { innermost: below, outer: below, open: below, ..self },
            (true, _) => Self { innermost: anywhere, below: anywhere, outer: anywhere, open: anywhere, anywhere },
        })
    }

    /// What any of some texts can add.
    fn most_rise(&self, begun: &MostBegun) -> u32 {
        begun.iter().map(|begun| self.rise_by(begun)).max().unwrap_or(0)
    }

    /// What a text that begins so much can add.
    fn rise_by(&self, begun: Begun) -> u32 {
        let (here, deeper) = match begun.closes {
            0 => (self.innermost, self.below),
            1 => (self.innermost.or(self.outer), self.anywhere),
            _ => (self.open, self.anywhere),
        };
        here.by(begun.here).saturating_add(deeper.by(begun.deeper))
    }
}

impl Rises {
    /// What any of some texts can add, wherever it is.
    pub fn most(&self, begun: &MostBegun) -> u32 {
        Reach::anywhere(self).most_rise(begun)
    }
}

impl Rise {
    /// What these parts can add.
    fn by(self, Parts { commas, braces, brackets, colons }: Parts) -> u32 {
        let Self { member, item, value } = self;
        let an_item = item.saturating_add(value);
        [(commas, member.max(an_item)), (braces, member), (brackets, an_item), (colons, value)]
            .into_iter()
            .fold(0, |all, (times, rise)| all.saturating_add(rise.saturating_mul(times)))
    }
}

/// What can begin in the object or array that a position is in, directly and however deep; `None` if the stack says which
/// that is.
fn inside(graph: &CompiledGraph, rises: &Rises, position: Position) -> Option<(Rise, Rise)> {
    let anything = (rises.anywhere, rises.anywhere);
    match position {
        Position::Accept => Some((Rise::default(), Rise::default())),
        Position::Key { object: node, .. }
        | Position::Named { object: node, .. }
        | Position::Colon { object: node, .. }
        | Position::Object { object: node, .. }
        | Position::Array { array: node, .. }
        | Position::Item { array: node, .. }
        | Position::Element { array: node, .. } => Some((rises.inside(node), rises.within(node))),
        // The rest of its object follows: which one that is, its texts decide.
        Position::Start(node) | Position::Value { node, .. } | Position::Literal { node, .. } => {
            matches!(graph.node(node), Node::Tail(_)).then_some(anything)
        }
        Position::Text { .. } | Position::Terminal { .. } | Position::Excluding { .. } => None,
        Position::Union(_)
        | Position::Between { .. }
        | Position::Unseen(_)
        | Position::Ended
        | Position::Sequence { .. }
        | Position::Repeat { .. } => Some(anything),
    }
}

/// Bytes of the rest of a name of an object, if only one can be read on: they can be as many tokens.
fn rest_of_name(graph: &CompiledGraph, object: NodeId, at: NodeIndex) -> Option<u32> {
    let Node::Object(object) = graph.node(object) else { return None };
    let names = object.names.tree();
    let is_one = object.undeclared.is_empty() && names.items_below(at).len() == 1;
    is_one.then(|| u32::from(names.node(at).height))
}

/// Tokens to the end of a place, with what a text can add where it is: to a name or value that has begun, or that
/// needs nothing more to begin.
fn farthest(
    machine: &mut Machine<'_>,
    place: Configuration,
    lengths: Option<&TokenLengths>,
    rises: &Rises,
    Rise { member, item, value }: Rise,
) -> u32 {
    let unknown = member.max(item).saturating_add(value);
    // Inside a terminal, or a text that must avoid others, that is known of all places; elsewhere, of what begins.
    let inside = match place.position {
        Position::Terminal { leaf, .. } => Some(machine.graph.farthest_of_leaf(leaf).unwrap_or(u32::MAX)),
        Position::Excluding { leaf, .. } => machine.farthest_excluded(leaf).map(|inside| inside.max(TEXT_RISE)),
        _ => None,
    };
    if let Some(inside) = inside {
        let detour = machine.detour_inside(place, 0);
        return inside.saturating_add(machine.stack_costs_in(lengths, place.stack).most).saturating_add(detour);
    }
    let begun = match place.position {
        Position::Accept
        | Position::Object { phase: Phase::Value, .. }
        | Position::Array { phase: Phase::Value, .. }
        | Position::Colon { .. } => 0,
        Position::Object { .. } => member,
        Position::Key { object, at, .. } => rest_of_name(machine.graph, object, at).unwrap_or(u32::MAX).min(member),
        Position::Value { node, .. } | Position::Start(node) | Position::Literal { node, .. } => rises.of_value(node),
        Position::Text { .. } => TEXT_RISE,
        Position::Array { .. } => item.saturating_add(value),
        _ => unknown,
    };
    machine.dearest_cost(lengths, place).saturating_add(begun)
}
