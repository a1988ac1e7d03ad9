//! Which configurations allow the same tokens, as far as tokens can tell.
//!
//! After `"name": "Jane` and after `"city": "Jane` different members may follow, but no token reaches that far: `",`
//! may come, `","` may come, and no token goes on in the name. So both configurations allow the same tokens, and one
//! mask is found for both. It is cached by their [`EntryKey`], made of the *representative* of their class of
//! equivalence:
//!
//! ```text
//! any position        which undeclared names were used is erased (see `Stacks`)
//! inside a text       more characters than the longest token has are as good as any number
//! behind a member     whether a comma may come, and a brace; what is around the object only if a brace may come
//! behind an item      as behind another one, unless a token has commas enough to meet a bound on the number of items
//! in a free name      no declared member may come behind it, whichever came before
//! ```
//!
//! Cost: one lookup for a stack met before, else a few more for each node of it. Wrinkle: a vocabulary may have a token
//! like `,"%`, which shows how a name begins; objects with such names stand for themselves.

use smallvec::SmallVec;

use crate::language::{Array, Node, NodeId, Object, Seen, UNBOUNDED};
use crate::matcher::constraint::Constraint;
use crate::matcher::machine::{
    Configuration, END, Frame, Machine, Phase, Position, Progress, StackId, Stacks, UNKNOWN, UNSURE, Unpacked,
};
use crate::regular::ByteSet;
use crate::terminals::TokenLookahead;

/// The key of a cached mask: the same for all configurations that tokens cannot tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryKey {
    position: Position,
    stack: StackId,
}

impl EntryKey {
    /// The key of a configuration, if the representative of its stack is cached.
    #[inline]
    pub fn cached(constraint: &Constraint, stacks: &mut Stacks, configuration: Configuration) -> Option<Self> {
        let stack = stacks.cached_representative(configuration.stack)?;
        Some(Self { position: representative_position(constraint, stacks, configuration.position), stack })
    }

    /// The key of a configuration, with the configuration that its mask is made for.
    pub fn of(
        machine: &mut Machine<'_>,
        constraint: &Constraint,
        configuration: Configuration,
    ) -> (Self, Configuration) {
        let made_for = without_names(constraint, machine.stacks, configuration);
        let stack = machine.representative(configuration.stack, &constraint.tables().lookahead);
        (Self { position: made_for.position, stack }, made_for)
    }
}

/// A configuration with a representative position, and with the used names erased from its stack.
pub fn without_names(constraint: &Constraint, stacks: &mut Stacks, configuration: Configuration) -> Configuration {
    Configuration {
        position: representative_position(constraint, stacks, configuration.position),
        stack: stacks.name_erased(configuration.stack),
    }
}

/// A position without the undeclared names that were used, and without the number of characters, items or rounds of a
/// loop where no token has so many.
#[inline]
fn representative_position(constraint: &Constraint, stacks: &mut Stacks, position: Position) -> Position {
    let mut position = stacks.erase_names(position);
    let reach = constraint.tables().reach();
    match &mut position {
        Position::Text { least, most, .. } => {
            (*least, *most) = representative_window((*least, *most), reach);
        }
        Position::Terminal { leaf, state } => {
            *state = constraint.graph().automaton(*leaf).representative(*state, reach);
        }
        Position::Array { phase: Phase::Value, array, count, .. } => {
            *count = representative_array(constraint, *array, *count);
        }
        _ => {}
    }
    position
}

/// How many characters may come, fewest and most, as far as one token can tell.
pub fn representative_window((least, most): (u32, u32), reach: u32) -> (u32, u32) {
    (least.min(reach), if most >= reach { UNBOUNDED } else { most })
}

/// As [`representative_count`]. Not inlined: most masks need none of it.
#[inline(never)]
fn representative_array(constraint: &Constraint, array: NodeId, count: Progress) -> Progress {
    match constraint.graph().node(array) {
        Node::Array(array) => representative_count(array, count, constraint.tables().lookahead.commas),
        _ => count,
    }
}

/// A number of items that stands for all those which tokens with at most so many commas cannot tell from `count`.
fn representative_count(array: &Array, count: Progress, commas: u32) -> Progress {
    let Unpacked::Number(number) = count.unpack() else { return count };
    let alike = array.prefix.len() as u32; // from here on, items are all of one kind
    let enough = array.low.max(alike);
    let reached = number.saturating_add(commas);
    match number {
        _ if number >= alike && reached < array.low => Progress::number(alike),
        _ if number >= enough && reached <= array.high => Progress::number(enough),
        _ => count,
    }
}

impl Machine<'_> {
    /// The representative of a stack, whatever undeclared names were used, for tokens that look so far ahead.
    fn representative(&mut self, stack: StackId, lookahead: &TokenLookahead) -> StackId {
        if let Some(cached) = self.stacks.cached_representative(stack) {
            return cached;
        }
        let found = self.find_representative(self.stacks.name_erased(stack), lookahead);
        self.stacks.insert_representative(stack, found);
        found
    }

    /// Goes down as far as tokens can tell, then builds the representative from there up.
    fn find_representative(&mut self, stack: StackId, lookahead: &TokenLookahead) -> StackId {
        let (mut above, mut at) = (SmallVec::<[(StackId, Position); 8]>::new(), stack);
        let mut found = loop {
            if at == END || self.stacks.alternatives(at).is_some() {
                break at;
            }
            if let Some(cached) = self.stacks.cached_representative(at) {
                break cached;
            }
            let frame = self.stacks.frame(at);
            let position = self.representative_frame(frame.position, lookahead);
            above.push((at, position));
            if matches!(position, Position::Between { closes: false, .. }) {
                break END;
            }
            at = frame.below;
        };
        for (stack, position) in above.into_iter().rev() {
            found = self.stacks.push(Frame { position, below: found });
            self.stacks.insert_representative(stack, found);
        }
        found
    }

    /// The position of a frame, less what no token can tell.
    fn representative_frame(&mut self, position: Position, lookahead: &TokenLookahead) -> Position {
        let graph = self.graph;
        match position {
            Position::Object { phase: Phase::Value, space, object: node, seen } => match graph.node(node) {
                Node::Object(object) if self.takes_any_name(object) && names_are_hidden(object, &lookahead.entered) => {
                    let comma = self.may_go_on(node, object, seen).then_some(object.layout.comma);
                    Position::Between { space, comma, closes: self.may_close(object, seen) }
                }
                _ => position,
            },
            Position::Named { kind, object: node, start: UNKNOWN, .. } => match graph.node(node) {
                Node::Object(object) if object.is_ordered() && object.tails == 0 => {
                    let declared = object.members.len() as u32;
                    let seen = self.stacks.intern_seen(Seen { names: UNSURE, ..object.at(declared) });
                    let member = declared + u32::from(kind);
                    Position::Colon { space: object.layout.key, object: node, seen, member }
                }
                _ => position,
            },
            Position::Array { phase, space, array: node, count } => match graph.node(node) {
                Node::Array(array) => {
                    let count = representative_count(array, count, lookahead.commas);
                    Position::Array { phase, space, array: node, count }
                }
                _ => position,
            },
            _ => position,
        }
    }

    /// Whether names that were used never use up all others: a longer one is always free.
    fn takes_any_name(&self, object: &Object) -> bool {
        object.is_ordered() && object.undeclared.iter().all(|kind| self.graph.inside(kind.name).is_some())
    }
}

/// Whether no token shows how the next name of an object begins.
fn names_are_hidden(object: &Object, entered: &ByteSet) -> bool {
    let begins = |byte: u8| {
        let empty = byte == b'"' && !object.names.tree().items_at(0).is_empty();
        empty || object.names.tree().child(0, byte).is_some()
    };
    entered.is_empty() || object.undeclared.is_empty() && !entered.iter().any(begins)
}
