//! Inside a text: a regular language, counted characters, one of a set of texts, or a text that must avoid excluded
//! texts.
//!
//! ```text
//! Terminal    a state of an automaton
//! Text        a state, and the window: how many characters must and may still come
//! Literal     a node of a trie of texts
//! Excluding   a state, and a node of the tree of excluded texts
//! ```
//!
//! Cost: a table lookup for each byte. An automaton that reached its bound has a dead end
//! where it gave up, so a dead end of such an automaton sets `overflow`.

use std::sync::Arc;

use super::configuration::{Configuration, END, Position, StackId};
use super::excluded::TextsId;
use super::{Machine, Successors, UNKNOWN};
use crate::language::{FollowId, LeafId, Node, NodeId, UNBOUNDED};
use crate::regular::{ByteSet, DEAD, StateId, Step};
use crate::vocabulary::NodeIndex;

/// What comes after the end of a text.
#[derive(Debug)]
pub struct Continuation {
    /// Where the text is then.
    pub configurations: Vec<Configuration>,
    /// The bytes that may come there.
    pub first: ByteSet,
    /// Whether what comes next may also be what the stack of a text says.
    unseen: Option<FollowId>,
}

/// Continuations that are kept at most.
const MOST_CONTINUATIONS: usize = 1 << 12;

impl Machine<'_> {
    /// Steps an automaton. Once the automaton has reached a bound, a dead end proves nothing.
    #[inline]
    pub(super) fn terminal_step(&mut self, leaf: LeafId, state: StateId, byte: u8) -> Step {
        let automaton = self.graph.automaton(leaf);
        let step = automaton.step(state, byte);
        self.overflow |= step.state() == DEAD && automaton.overflowed();
        step
    }

    /// After a step: inside the text, after its end, or both.
    #[inline]
    pub(super) fn push_terminal(&mut self, leaf: LeafId, step: Step, stack: StackId, out: &mut Successors<'_>) {
        if step.is_wide() {
            self.push_alternatives(leaf, step.state(), stack, out);
        } else if step.goes_on() {
            out.push(Position::Terminal { leaf, state: step.state() }, stack);
        }
        if step.accepting() {
            self.end_text(stack, out);
        }
    }

    /// After the end of a text. A walk over tokens looks for what comes next only if a byte of it comes: most tokens stay
    /// in the text.
    #[inline]
    fn end_text(&mut self, stack: StackId, out: &mut Successors<'_>) {
        if self.is_lazy && self.stacks.is_plain(stack) {
            out.push(Position::Ended, stack);
            if let Some(follow) = self.continuation(stack).unseen {
                out.push(Position::Unseen(follow), END);
            }
        } else {
            self.resume(stack, out);
        }
    }

    /// A byte after the end of a text.
    pub(super) fn after_end(&mut self, stack: StackId, byte: u8, out: &mut Successors<'_>) {
        let next = self.continuation(stack);
        if next.first.contains(byte) {
            next.configurations.iter().for_each(|&configuration| self.step_into(configuration, byte, out));
        }
    }

    /// What comes after the end of a text: found once for each stack.
    pub fn continuation(&mut self, stack: StackId) -> Arc<Continuation> {
        if let Some(known) = self.stacks.continuations.get(&stack) {
            return Arc::clone(known);
        }
        let mut configurations = Vec::new();
        let mut successors = Successors::new(&mut configurations, 0);
        self.resume(stack, &mut successors);
        self.unite(successors);
        let mut unseen = None;
        configurations.retain(|at| match at.position {
            Position::Unseen(follow) => {
                unseen = Some(follow);
                false
            }
            _ => true,
        });
        let bytes = |set: ByteSet, configuration| set.union(&self.first_bytes(configuration));
        let first = configurations.iter().fold(ByteSet::default(), bytes);
        let found = Arc::new(Continuation { configurations, first, unseen });
        if self.stacks.continuations.len() >= MOST_CONTINUATIONS {
            self.stacks.continuations.clear();
        }
        self.stacks.continuations.insert(stack, Arc::clone(&found));
        found
    }

    /// Inside a text whose state is better followed as its alternatives: a configuration for each.
    #[cold]
    fn push_alternatives(&mut self, leaf: LeafId, state: StateId, stack: StackId, out: &mut Successors<'_>) {
        let automaton = self.graph.automaton(leaf);
        for &state in &*automaton.alternatives(state) {
            out.push(Position::Terminal { leaf, state }, stack);
        }
        self.overflow |= automaton.overflowed();
    }

    /// The position before the first character of a counted text.
    pub(super) fn inside(&self, node: NodeId) -> Option<Position> {
        let Node::Text { leaf, low, high } = *self.graph.node(node) else { return None };
        Some(Position::Text { leaf, state: self.graph.inside(leaf)?, least: low, most: high })
    }

    /// The window after a byte: a character is counted at its first byte. `None` if that is one character too many.
    #[inline]
    pub(super) fn counted(&self, leaf: LeafId, state: StateId, (least, most): (u32, u32)) -> Option<(u32, u32)> {
        let counts = u32::from(Some(state) == self.graph.inside(leaf));
        let most = if most == UNBOUNDED { most } else { most.checked_sub(counts)? };
        Some((least.saturating_sub(counts), most))
    }

    /// A byte after which a counted text may end: its closing quote, or the last byte of a character where there are no
    /// quotes.
    pub(super) fn text(
        &mut self,
        leaf: LeafId,
        state: StateId,
        window: (u32, u32),
        byte: u8,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let step = self.terminal_step(leaf, state, byte);
        if !step.accepting() {
            return;
        }
        let after = if step.goes_on() { self.counted(leaf, state, window) } else { Some((window.0, 0)) };
        let Some((least, most)) = after else { return };
        if most > 0 {
            out.push(Position::Text { leaf, state: step.state(), least, most }, stack);
        }
        if least == 0 {
            self.resume(stack, out);
        }
    }

    pub(super) fn literal(&mut self, node: NodeId, at: NodeIndex, byte: u8, stack: StackId, out: &mut Successors<'_>) {
        let graph = self.graph;
        let Some(step) = graph.node(node).text_step(at, byte) else { return };
        if step.goes_on {
            out.push(Position::Literal { node, at: step.at }, stack);
        }
        if !step.ends {
            return;
        }
        match graph.node(node) {
            Node::Tail(tail) => {
                let (trie, ended) = (tail.texts.tree(), tail.texts.tree().items_at(step.at));
                for &after in &tail.continuations[trie.items()[ended.start] as usize].positions {
                    let position = self.position_after_value(after);
                    out.push(position, stack);
                }
            }
            _ => self.end_text(stack, out),
        }
    }

    /// A byte of a text that must avoid excluded texts; `at` is its node in their tree, as long as it is a prefix of
    /// one.
    pub(super) fn excluding(
        &mut self,
        leaf: LeafId,
        state: StateId,
        at: Option<TextsId>,
        byte: u8,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let step = self.terminal_step(leaf, state, byte);
        if step.state() == DEAD {
            return;
        }
        let at = self.stacks.excluded_child(at, byte);
        if step.accepting() && !self.stacks.is_excluded(at) {
            self.resume(stack, out);
        }
        if step.goes_on() {
            self.push_excluding(leaf, step.state(), at, stack, out);
        }
    }

    /// Adds the position inside a text that must avoid excluded texts. As soon as it is a prefix of none of them, it is
    /// a text like any other.
    pub(super) fn push_excluding(
        &mut self,
        leaf: LeafId,
        state: StateId,
        at: Option<TextsId>,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        if state == DEAD {
            return;
        }
        if let Some(at) = at {
            if self.can_avoid_excluded(leaf, state, at) {
                out.push(Position::Excluding { leaf, state, at }, stack);
            }
        } else if self.graph.inside(leaf).is_some() {
            out.push(Position::Text { leaf, state, least: 0, most: UNBOUNDED }, stack);
        } else {
            out.push(Position::Terminal { leaf, state }, stack);
        }
    }

    /// The text from `start` to the byte being read; `None` if its start is unknown or the gap lies in it.
    pub(super) fn text_since(&self, start: u32) -> Option<Vec<u8>> {
        let known = start != UNKNOWN && self.gap.is_none_or(|gap| start as usize >= gap);
        let text = self.path.get(start as usize..).filter(|_| known)?;
        Some([text, &[self.byte]].concat())
    }
}
