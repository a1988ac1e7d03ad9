//! Configurations that no token of the vocabulary distinguishes share one cached entry (what a configuration allows,
//! see `entry`).
//!
//! After `"name": "Jane` and after `"city": "Jane` different members may follow, but tokens are too short to show it:
//! `",` may come after both, `","` may come after both, and no token contains the first letter of the member name that
//! would follow. So one entry serves both configurations. It is cached by their [`EntryKey`]: the *representative* of
//! their equivalence class.
//!
//! ```text
//! any position               the set of used undeclared names is erased (see `Stacks`)
//! inside a counted text      a bound that no token can exhaust is as good as none
//! after a member             what counts is whether a comma may come, and whether the brace may come; what is around
//!                            the object counts only if the brace may come
//! after an item              the number of items counts only near a bound: where the commas of one token can meet it
//! inside an item             that must differ from others, nothing is left out, while it may still repeat one
//! inside an undeclared name  no declared member may come after the name, so those that came before do not count
//! ```
//!
//! Erasing used names is correct because an entry lists apart all tokens about which used names decide, mostly tokens
//! that complete an undeclared name: these are checked against the used names of the text at hand, for every mask.
//!
//! Cost: one lookup for a stack node met before, else a few for each stack node. A vocabulary may have a token
//! like `,"%`, which *enters* the next name, that is, contains its first byte. An object with a name that begins with
//! an entered byte keeps its exact position in the key.

use smallvec::SmallVec;

use crate::language::{Array, Node, NodeId, Object, Seen, UNBOUNDED};
use crate::matcher::compiled::Compiled;
use crate::matcher::keys::EntryKey;
use crate::matcher::machine::{
    Configuration, END, Forget, Frame, Machine, Phase, Position, Progress, StackId, Stacks, UNKNOWN, UNSURE, Unpacked,
};
use crate::regular::ByteSet;
use crate::terminals::TokenLookahead;

impl EntryKey {
    /// The key of a configuration, if the representative of its stack is cached.
    #[inline]
    pub fn cached(compiled: &Compiled, stacks: &mut Stacks, configuration: Configuration) -> Option<Self> {
        let stack = stacks.cached_representative(configuration.stack)?;
        Some(Self { position: representative_position(compiled, stacks, configuration), stack })
    }

    /// The key of a configuration, with the configuration that its entry is made for. The key has the representative of
    /// the stack, the configuration only the name-erased stack: a representative may hold positions that the machine
    /// cannot step ([`Position::Between`]), or be cut off where no token sees further.
    pub fn of(machine: &mut Machine<'_>, compiled: &Compiled, configuration: Configuration) -> (Self, Configuration) {
        let made_for = without_names(compiled, machine.stacks, configuration);
        let stack = machine.representative(configuration.stack, &compiled.tables().lookahead);
        (Self { position: made_for.position, stack }, made_for)
    }
}

/// A configuration with a representative position, and with the used undeclared names erased from its stack.
pub fn without_names(compiled: &Compiled, stacks: &mut Stacks, configuration: Configuration) -> Configuration {
    Configuration {
        position: representative_position(compiled, stacks, configuration),
        stack: stacks.name_erased(configuration.stack),
    }
}

/// A position without the used undeclared names, and without the numbers of characters, items and rounds of a loop
/// where no token has enough of them to meet a bound. How an item that must differ can go on is asked further than a token
/// reaches.
#[inline]
fn representative_position(compiled: &Compiled, stacks: &mut Stacks, configuration: Configuration) -> Position {
    let mut position = stacks.forget(Forget::Names, configuration.position);
    if stacks.must_differ(configuration.stack) {
        return position;
    }
    let reach = compiled.tables().reach(); // one more than the longest token has bytes
    match &mut position {
        Position::Text { least, most, .. } => {
            (*least, *most) = representative_window((*least, *most), reach);
        }
        Position::Terminal { leaf, state } => {
            *state = compiled.graph().automaton(*leaf).representative(*state, reach);
        }
        Position::Array { phase: Phase::Value, array, count, .. } => {
            *count = representative_array(compiled, *array, *count);
        }
        _ => {}
    }
    position
}

/// The window of a counted text: the fewest and the most characters that may still come, as far as one token can tell.
pub fn representative_window((least, most): (u32, u32), reach: u32) -> (u32, u32) {
    (least.min(reach), if most >= reach { UNBOUNDED } else { most })
}

/// As [`representative_count`], by graph node. Not inlined: few configurations are after an item.
#[inline(never)]
fn representative_array(compiled: &Compiled, array: NodeId, count: Progress) -> Progress {
    match compiled.graph().node(array) {
        Node::Array(array) => representative_count(array, count, compiled.tables().lookahead.commas),
        _ => count,
    }
}

/// A number of items that is as good as `count` for every token with at most `commas` commas. A number so near a bound
/// that one token can meet it stands for itself, as does the state of an array that tracks more than a number.
fn representative_count(array: &Array, count: Progress, commas: u32) -> Progress {
    let Unpacked::Number(number) = count.unpack() else { return count };
    let after_prefix = array.prefix.len() as u32; // from here on, all items are of one graph node
    let may_close = array.low.max(after_prefix);
    let after_token = number.saturating_add(commas);
    if number >= after_prefix && after_token < array.low {
        Progress::number(after_prefix) // no token brings enough items to close the array
    } else if number >= may_close && after_token <= array.high {
        Progress::number(may_close) // the array may close, and no token brings too many items
    } else {
        count
    }
}

impl Machine<'_> {
    /// The representative of a stack, the same whatever undeclared names were used. `lookahead` is how far the tokens
    /// of the vocabulary look ahead.
    fn representative(&mut self, stack: StackId, lookahead: &TokenLookahead) -> StackId {
        if let Some(cached) = self.stacks.cached_representative(stack) {
            return cached;
        }
        let found = self.find_representative(self.stacks.name_erased(stack), lookahead);
        self.stacks.insert_representative(stack, found);
        found
    }

    /// Goes down the stack as far as tokens can tell, then builds the representative from there up. A union of stacks
    /// stands for itself.
    fn find_representative(&mut self, stack: StackId, lookahead: &TokenLookahead) -> StackId {
        let (mut passed, mut node) = (SmallVec::<[(StackId, Position); 8]>::new(), stack);
        let mut found = loop {
            if node == END || self.stacks.alternatives(node).is_some() {
                break node;
            }
            if let Some(cached) = self.stacks.cached_representative(node) {
                break cached;
            }
            let frame = self.stacks.frame(node);
            let position = match frame.position {
                position if self.stacks.must_differ(node) => position,
                position => self.representative_frame(position, lookahead),
            };
            passed.push((node, position));
            // The object must go on and no token gets past the next quote, so what is below it does not count.
            if matches!(position, Position::Between { closes: false, .. }) {
                break END;
            }
            node = frame.below;
        };
        for (stack, position) in passed.into_iter().rev() {
            found = self.stacks.push(Frame { position, below: found });
            self.stacks.insert_representative(stack, found);
        }
        found
    }

    /// The position of a frame without what no token can tell; where little remains, another kind of position.
    fn representative_frame(&mut self, position: Position, lookahead: &TokenLookahead) -> Position {
        let graph = self.graph;
        match position {
            Position::Object { phase: Phase::Value, space, object: node, seen } => match graph.node(node) {
                Node::Object(object)
                    if !object.is_unbraced()
                        && self.used_names_never_decide(object)
                        && names_are_hidden(object, &lookahead.entered) =>
                {
                    let comma = self.may_go_on(node, object, seen).then_some(object.layout.comma);
                    Position::Between { space, comma, closes: self.may_close(object, seen) }
                }
                _ => position,
            },
            // `start` is erased, so it is not known which name ends here, and after it the used names are `UNSURE`.
            // Such a frame resumes before the colon, so its representative is there.
            Position::Named { kind, object: node, start: UNKNOWN, .. } => match graph.node(node) {
                Node::Object(object) if object.is_ordered() && object.tails == 0 && !object.is_unbraced() => {
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

    /// Whether the used undeclared names never decide if a further member may come: declaration order decides about the
    /// declared members, and every kind of undeclared names has names of any length, so that an unused one is left.
    /// (`inside` is some state exactly for texts of any number of characters.)
    fn used_names_never_decide(&self, object: &Object) -> bool {
        object.is_ordered() && object.undeclared.iter().all(|kind| self.graph.inside(kind.name).is_some())
    }
}

/// Whether no token shows how the next name of an object begins. `entered` are the bytes that tokens have after a comma
/// and a quote: the first byte of a name, or the closing quote of an empty one.
fn names_are_hidden(object: &Object, entered: &ByteSet) -> bool {
    let names = object.names.tree();
    let begins = |byte: u8| {
        let ends_empty_name = byte == b'"' && !names.items_at(0).is_empty(); // a name that ends at the root is empty
        ends_empty_name || names.child(0, byte).is_some()
    };
    entered.is_empty() || (object.undeclared.is_empty() && !entered.iter().any(begins))
}
