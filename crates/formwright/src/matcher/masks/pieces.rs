//! Walks in lockstep inside the pieces of a text: down the automaton of the pieces and the trie of tokens.
//!
//! ```text
//! text      to be or not to be
//! tokens    t  to  to·  to·be  ,·    "to·be" + ","·      all by the automaton; `,` by what follows the piece
//! ```
//!
//! A piece may end nearly everywhere, and a step of the machine would then carry both on: that the piece goes on, and what
//! follows it. Here they go apart. What follows is resumed once, and a node of the trie asks only whether one of
//! its first bytes may come.
//!
//! Cost: the branches that a text and the tokens have in common; for 1 MB and 131k tokens 1-4 ms at the start, 0.01 ms after
//! a few words. A token that both ways lead to is found twice.

use super::entry::Entry;
use super::lockstep::InText;
use super::{Masker, Walk};
use crate::language::{FollowId, NodeId};
use crate::matcher::machine::{Configuration, END, Position, StackId};
use crate::regular::{ByteSet, PieceAutomaton, Pieces, Writing};
use crate::vocabulary::NodeIndex;

/// Where more bytes than this may come, they are asked for by the bytes of tokens, and not the other way round.
const FEW: usize = 4;

/// What does not change in a walk.
struct PieceWalk<'w, 'a> {
    walk: &'w Walk<'w>,
    automaton: &'a PieceAutomaton,
    texts: NodeId,
    stack: StackId,
    purpose: u8,
    /// What may follow a piece, if it may end inside of a token: where its configurations begin in the buffer, and their
    /// first bytes.
    exits: Option<(usize, ByteSet)>,
    /// What may follow a piece where the stack of a text says so.
    unseen: Option<FollowId>,
}

impl Masker<'_> {
    /// Pieces and tokens side by side, as [`Masker::walk_texts`].
    pub fn walk_pieces(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        (pieces, writing): (&Pieces, Writing),
        InText { texts, at, stack }: InText,
        purpose: u8,
        entry: &mut Entry,
    ) {
        let (low, automaton) = (self.buffer.len(), pieces.automaton(writing));
        let mut unseen = None;
        let exits = (writing == Writing::Plain && stack != END).then(|| {
            self.machine.resume_into(stack, self.buffer);
            unseen = self.take_unseen(low);
            (low, self.live_bytes(low))
        });
        let within = PieceWalk { walk, automaton, texts, stack, purpose, exits, unseen };
        self.walk_piece(&within, node, at, entry);
        self.buffer.truncate(low);
    }

    fn walk_piece(&mut self, within: &PieceWalk<'_, '_>, node: NodeIndex, at: u32, entry: &mut Entry) {
        let (trie, automaton) = (within.walk.trie, within.automaton);
        if within.walk.is_deep(node) {
            let position = Position::Literal { node: within.texts, at };
            let at = Configuration { position, stack: within.stack };
            return self.walk_deep_from(within.walk, node, at, within.purpose, entry);
        }
        if automaton.degree(at) <= FEW {
            for (byte, deeper) in automaton.children(at) {
                if let Some(child) = trie.child(node, byte) {
                    self.enter_piece(within, (node, at), (child, deeper), entry);
                }
            }
            return;
        }
        for child in trie.children(node) {
            if let Some(deeper) = automaton.child(at, trie.node(child).byte) {
                self.enter_piece(within, (node, at), (child, deeper), entry);
            }
        }
    }

    /// From a node and a state to the next ones.
    fn enter_piece(
        &mut self,
        within: &PieceWalk<'_, '_>,
        (node, at): (NodeIndex, u32),
        (child, deeper): (NodeIndex, u32),
        entry: &mut Entry,
    ) {
        let PieceWalk { walk, automaton, texts, stack, purpose, ref exits, .. } = *within;
        let ends = automaton.ends(deeper);
        if ends && exits.is_none() && stack != END {
            let low = self.buffer.len();
            self.buffer.push(Configuration { position: Position::Literal { node: texts, at }, stack });
            self.visit(walk, node, child, low, purpose, entry);
            return self.buffer.truncate(low);
        }
        self.add(walk, walk.trie.items_at(child), purpose);
        if walk.trie.node(child).height == 0 {
            return;
        }
        self.machine.path.push(walk.trie.node(child).byte);
        if ends {
            self.leave_piece(within, child, entry);
        }
        self.walk_piece(within, child, deeper, entry);
        self.machine.path.pop();
    }

    /// Behind the end of a piece, at a node: what follows the piece.
    fn leave_piece(&mut self, within: &PieceWalk<'_, '_>, node: NodeIndex, entry: &mut Entry) {
        let PieceWalk { walk, purpose, ref exits, .. } = *within;
        let Some((low, bytes)) = exits else { return };
        within.unseen.into_iter().for_each(|follow| self.note_exit(walk, node, follow));
        if bytes.iter().nth(FEW).is_none() {
            for after in bytes.iter().filter_map(|byte| walk.trie.child(node, byte)) {
                self.visit(walk, node, after, *low, purpose, entry);
            }
            return;
        }
        for after in walk.trie.children(node).filter(|&after| bytes.contains(walk.trie.node(after).byte)) {
            self.visit(walk, node, after, *low, purpose, entry);
        }
    }
}
