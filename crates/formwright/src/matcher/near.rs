//! What tokens can tell of what comes after.
//!
//! After `"name": "Jane` and after `"city": "Jane` different members may follow, but no token gets as far: `",` may,
//! `","` may, and none goes on in the name. So both places allow the same tokens, and their masks are found once. The
//! *near* form of a continuation is the same for all such places:
//!
//! ```text
//! behind a member     whether a comma may come, and a brace; what is around the object only if a brace may come
//! behind an item      as behind another one, unless a token has commas enough to meet a bound on the number of items
//! in a free name      no declared member may come behind it, whichever came before
//! anything else       itself
//! ```
//!
//! Cost: one look-up once known, a few more for each continuation that a mask is asked for. Wrinkle: a vocabulary may
//! have a token like `,"%`, which sees how a name begins; objects with such names are told apart.

use smallvec::SmallVec;

use super::arena::{UNKNOWN, UNSURE};
use super::step::Machine;
use super::thread::{ContId, END, Head, Phase, Thread};
use crate::language::{Array, Node, Object, Seen};
use crate::leaf::Sight;
use crate::regular::ByteSet;

impl Machine<'_> {
    /// The near form of a continuation, whatever undeclared names were used, for tokens that see so far.
    pub fn near(&mut self, cont: ContId, sight: &Sight) -> ContId {
        if let Some(known) = self.arena.known_near(cont) {
            return known;
        }
        let near = self.find_near(self.arena.forgotten(cont), sight);
        self.arena.learn_near(cont, near);
        near
    }

    /// From the outside in: what comes last is known first.
    fn find_near(&mut self, cont: ContId, sight: &Sight) -> ContId {
        let (mut open, mut at) = (SmallVec::<[(ContId, Head); 8]>::new(), cont);
        let mut near = loop {
            if at == END || self.arena.united(at).is_some() {
                break at;
            }
            if let Some(known) = self.arena.known_near(at) {
                break known;
            }
            let frame = self.arena.get(at);
            let head = self.near_head(frame.head, sight);
            open.push((at, head));
            if matches!(head, Head::Between { closes: false, .. }) {
                break END;
            }
            at = frame.cont;
        };
        for (cont, head) in open.into_iter().rev() {
            near = self.arena.frame(Thread { head, cont: near });
            self.arena.learn_near(cont, near);
        }
        near
    }

    fn near_head(&mut self, head: Head, sight: &Sight) -> Head {
        let graph = self.graph;
        match head {
            Head::Object { phase: Phase::Value, space, object: node, seen } => match graph.node(node) {
                Node::Object(object) if self.takes_any_name(object) && is_out_of_sight(object, &sight.entered) => {
                    let comma = self.may_go_on(node, object, seen).then_some(object.layout.comma);
                    Head::Between { space, comma, closes: self.may_close(object, seen) }
                }
                _ => head,
            },
            Head::Named { extra, object: node, start: UNKNOWN, .. } => match graph.node(node) {
                Node::Object(object) if object.is_ordered() && object.tails == 0 => {
                    let declared = object.members.len() as u32;
                    let seen = self.arena.intern_seen(Seen { names: UNSURE, ..object.at(declared) });
                    Head::Colon { space: object.layout.key, object: node, seen, member: declared + u32::from(extra) }
                }
                _ => head,
            },
            Head::Array { phase, space, array: node, count } => match graph.node(node) {
                Node::Array(array) => {
                    Head::Array { phase, space, array: node, count: near_items(array, count, sight.commas) }
                }
                _ => head,
            },
            _ => head,
        }
    }

    /// Whether names that were used never use up all others: a longer one is always free.
    fn takes_any_name(&self, object: &Object) -> bool {
        object.is_ordered() && object.undeclared.iter().all(|extra| self.graph.inside(extra.name).is_some())
    }
}

/// A number of items that tokens which end `commas` items at most cannot tell from `count`.
pub fn near_items(array: &Array, count: u32, commas: u32) -> u32 {
    let alike = array.prefix.len() as u32; // items in such places are all of one kind
    let enough = array.low.max(alike);
    let reached = count.saturating_add(commas);
    match count {
        _ if array.is_tracked() => count,
        _ if count >= alike && reached < array.low => alike,
        _ if count >= enough && reached <= array.high => enough,
        _ => count,
    }
}

/// Whether no token sees how the next name of an object begins.
fn is_out_of_sight(object: &Object, entered: &ByteSet) -> bool {
    let begins = |byte: u8| {
        let empty = byte == b'"' && !object.names.tree().items_at(0).is_empty();
        empty || object.names.tree().child(0, byte).is_some()
    };
    entered.is_empty() || object.undeclared.is_empty() && !entered.iter().any(begins)
}
