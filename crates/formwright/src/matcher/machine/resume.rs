//! Entering a node, and going on where a finished part leads.
//!
//! ```text
//! start     the first byte of a graph node chooses a way into it
//! enter     before the first byte: after a finished part, a sequence goes on with its next part
//! resume    a finished part is replaced by the frame below it, which may be finished too
//! ```
//!
//! Cost: mostly one frame for a finished part. A union resumes each of its stacks, and one stack may be
//! reached by many unions and repetitions: [`Successors::resumes`] makes each be resumed once for a byte. Parts that may be
//! empty lead from one to the next however deep operators are nested: what is still to be done is a list, and no call.

use smallvec::SmallVec;

use super::configuration::{Configuration, Frame, Position, StackId};
use super::{Machine, Successors};
use crate::language::{Node, NodeId, UNBOUNDED};

/// What is still to be done, the next one last.
type ToDo = SmallVec<[Step; 8]>;

/// One of these things.
#[derive(Clone, Copy)]
enum Step {
    Enter(NodeId, StackId),
    Resume(StackId),
    /// Unless that was done for this byte.
    ResumeOnce(StackId),
    /// Goes on with a repetition after so many rounds.
    Round(NodeId, u32, StackId),
}

/// Nodes looked at for how a node begins.
const MOST_BEGINNINGS: usize = 16;

/// Alternatives that are entered at once.
const MOST_ALTERNATIVES: usize = 4;

impl Machine<'_> {
    /// A configuration before `node`; also what follows it, if `node` may be empty.
    pub(super) fn enter(&mut self, node: NodeId, stack: StackId, out: &mut Successors<'_>) {
        let mut to_do = ToDo::new();
        self.enter_one(node, stack, out, &mut to_do);
        self.finish(to_do, out);
    }

    /// Does what is still to be done.
    fn finish(&mut self, mut to_do: ToDo, out: &mut Successors<'_>) {
        while let Some(step) = to_do.pop() {
            match step {
                Step::Enter(node, stack) => self.enter_one(node, stack, out, &mut to_do),
                Step::ResumeOnce(stack) if !out.resumes(stack) => {}
                Step::Resume(stack) | Step::ResumeOnce(stack) => self.resume_all(stack, out, &mut to_do),
                Step::Round(node, count, below) => self.begin_round(node, count, below, out, &mut to_do),
            }
        }
    }

    fn enter_one(&mut self, node: NodeId, stack: StackId, out: &mut Successors<'_>, to_do: &mut ToDo) {
        match self.graph.node(node) {
            Node::Empty | Node::Never => {}
            // A part whose tokens are counted begins with its first byte.
            Node::Regular(leaf) | Node::Text { leaf, .. } if self.graph.bound_of(*leaf).is_some() => {
                out.push(Position::Start(node), stack);
            }
            // Before its first byte a terminal is in its start state already, as masks are found by state.
            Node::Regular(leaf) => {
                let state = self.graph.automaton(*leaf).start().state();
                out.push(Position::Terminal { leaf: *leaf, state }, stack);
            }
            Node::Text { leaf, .. } if !self.graph.automaton(*leaf).is_self_delimiting() => {
                out.push(self.inside(node).unwrap_or(Position::Start(node)), stack);
            }
            Node::Sequence(_) if self.begins_with_text(node) => {
                let (part, after) = self.part(node, 0, stack);
                return to_do.push(Step::Enter(part, after)); // where that may be empty, the next part is entered too
            }
            Node::Repeat { body, .. } if self.begins_with_text(node) && !self.graph.facts.nullable(*body) => {
                return self.next_round(node, 0, stack, to_do);
            }
            Node::Choice(_) if self.begins_with_text(node) => {
                let graph = self.graph;
                let Node::Choice(options) = graph.node(node) else { return };
                return to_do.extend(options.iter().rev().map(|&option| Step::Enter(option, stack)));
            }
            _ => out.push(Position::Start(node), stack),
        }
        if self.graph.facts.nullable(node) {
            to_do.push(Step::Resume(stack));
        }
    }

    /// Before the first byte of a part whose tokens are counted: the place inside it that allows the same tokens.
    pub fn inside_part(&self, configuration: Configuration) -> Configuration {
        let Position::Start(node) = configuration.position else { return configuration };
        let position = match self.graph.node(node) {
            Node::Regular(leaf) if self.graph.bound_of(*leaf).is_some() => {
                Some(Position::Terminal { leaf: *leaf, state: self.graph.automaton(*leaf).start().state() })
            }
            Node::Text { leaf, .. } if self.graph.bound_of(*leaf).is_some() => self.inside(node),
            _ => None,
        };
        position.map_or(configuration, |position| Configuration { position, ..configuration })
    }

    /// Whether a node begins with text that a terminal reads, as one of few alternatives. Then it is entered at once, so
    /// that the mask is that of the terminal: most tokens may begin it.
    fn begins_with_text(&self, node: NodeId) -> bool {
        if !self.graph.has_text() {
            return false;
        }
        let (mut open, mut looked_at): (SmallVec<[NodeId; 8]>, _) = (SmallVec::from_slice(&[node]), 0);
        while let Some(node) = open.pop().filter(|_| looked_at < MOST_BEGINNINGS) {
            looked_at += 1;
            match self.graph.node(node) {
                Node::Regular(leaf) | Node::Text { leaf, .. } if self.graph.begins_with_letters(*leaf) => return true,
                Node::Sequence(parts) => open.extend(parts.first().copied()),
                Node::Choice(options) if options.len() <= MOST_ALTERNATIVES => open.extend(options.iter().copied()),
                Node::Repeat { body, .. } => open.push(*body),
                Node::Rule(target) => open.push(*target),
                _ => {}
            }
        }
        false
    }

    /// The configurations after a finished part.
    pub fn resume_into(&mut self, stack: StackId, out: &mut Vec<Configuration>) {
        let base = out.len();
        let stack = self.without_what_was_read(stack);
        let mut successors = Successors::new(out, base);
        self.resume(stack, &mut successors);
        self.unite(successors);
        self.refuse_repeated(out, base);
    }

    /// What comes after a finished part.
    pub(super) fn resume(&mut self, stack: StackId, out: &mut Successors<'_>) {
        let mut to_do = ToDo::new();
        self.resume_all(stack, out, &mut to_do);
        self.finish(to_do, out);
    }

    fn resume_all(&mut self, stack: StackId, out: &mut Successors<'_>, to_do: &mut ToDo) {
        match self.stacks.alternatives(stack) {
            None => self.resume_one(stack, out, to_do),
            Some(several) => to_do.extend(several.iter().rev().map(|&stack| Step::ResumeOnce(stack))),
        }
    }

    /// What comes after a finished part, for a stack node that is not an union.
    fn resume_one(&mut self, stack: StackId, out: &mut Successors<'_>, to_do: &mut ToDo) {
        let Frame { position, below } = self.stacks.frame(stack);
        match position {
            Position::Sequence { node, index } => self.next_part(node, index, below, to_do),
            Position::Repeat { node, count } => self.next_round(node, count, below, to_do),
            Position::Item { array, items, start } => self.item_ended(array, items, start, below, out),
            Position::Element { array, items, start } => self.element_ended((array, items, start), below, out),
            Position::Named { kind, object, seen, start } => self.named(kind, object, seen, start, below, out),
            _ => out.push(position, below),
        }
    }

    /// A sequence goes on with part `index`.
    fn next_part(&mut self, node: NodeId, index: u32, below: StackId, to_do: &mut ToDo) {
        let (part, stack) = self.part(node, index, below);
        to_do.push(Step::Enter(part, stack));
    }

    /// Part `index` of a sequence, and what comes after it.
    pub(super) fn part(&mut self, node: NodeId, index: u32, below: StackId) -> (NodeId, StackId) {
        let graph = self.graph;
        let Node::Sequence(parts) = graph.node(node) else { return (node, below) };
        let last = index as usize + 1 >= parts.len();
        let stack = if last {
            below
        } else {
            self.stacks.push(Frame { position: Position::Sequence { node, index: index + 1 }, below })
        };
        (parts[index as usize], stack)
    }

    /// A repetition ends, or goes on with round `count + 1`.
    fn next_round(&mut self, node: NodeId, count: u32, below: StackId, to_do: &mut ToDo) {
        let Node::Repeat { low, .. } = *self.graph.node(node) else { return };
        to_do.push(Step::Round(node, count, below));
        if count >= low {
            to_do.push(Step::ResumeOnce(below));
        }
    }

    /// Round `count + 1` of a repetition, if it may come.
    fn begin_round(&mut self, node: NodeId, count: u32, below: StackId, out: &mut Successors<'_>, to_do: &mut ToDo) {
        let Node::Repeat { body, high, .. } = *self.graph.node(node) else { return };
        if count < high {
            let stack = self.round(node, count, below);
            if self.graph.facts.nullable(body) {
                out.push(Position::Start(body), stack); // to enter it would be to leave it, and so to begin another round
            } else {
                to_do.push(Step::Enter(body, stack));
            }
        }
    }

    /// What comes after round `count + 1`. Without an upper bound, all counts past the lower bound allow the same.
    fn round(&mut self, node: NodeId, count: u32, below: StackId) -> StackId {
        let Node::Repeat { low, high, .. } = *self.graph.node(node) else { return below };
        if self.stacks.is_near_its_limit() {
            self.overflow = true; // counters inside counters: every combination is a frame
            return below;
        }
        let count = if high == UNBOUNDED { (count + 1).min(low) } else { count + 1 };
        self.stacks.push(Frame { position: Position::Repeat { node, count }, below })
    }

    /// The first byte of a node.
    pub(super) fn start(&mut self, node: NodeId, stack: StackId, byte: u8, out: &mut Successors<'_>) {
        let mut open: SmallVec<[(NodeId, StackId); 8]> = SmallVec::new();
        self.start_one((node, stack), byte, out, &mut open);
        while let Some(next) = open.pop() {
            self.start_one(next, byte, out, &mut open);
        }
    }

    /// The first byte of a node; the parts that may begin it are left to be done.
    fn start_one(
        &mut self,
        (node, stack): (NodeId, StackId),
        byte: u8,
        out: &mut Successors<'_>,
        open: &mut SmallVec<[(NodeId, StackId); 8]>,
    ) {
        let graph = self.graph;
        match graph.node(node) {
            Node::Literals(_) | Node::Lexicon(_) | Node::Pieces(..) => self.literal(node, 0, byte, stack, out),
            Node::Regular(leaf) => {
                let step = self.terminal_step(*leaf, graph.automaton(*leaf).start().state(), byte);
                self.push_terminal(*leaf, step, stack, out);
            }
            Node::Text { leaf, .. } => {
                let Some(position) = self.inside(node) else { return };
                if !graph.automaton(*leaf).is_self_delimiting() {
                    self.step_into(Configuration { position, stack }, byte, out);
                } else if byte == b'"' {
                    out.push(position, stack);
                }
            }
            Node::Object(object) if byte == b'{' => {
                let opened = self.opened_object(node, object);
                out.push(opened, stack);
            }
            Node::Array(array) if byte == b'[' => {
                let opened = self.opened_array(node, array);
                out.push(opened, stack);
            }
            Node::Never | Node::Empty | Node::Object(_) | Node::Array(_) => {}
            Node::Sequence(parts) => self.start_sequence(node, parts.len() as u32, stack, open),
            Node::Choice(options) => open.extend(options.iter().rev().map(|&option| (option, stack))),
            Node::Repeat { body, .. } => {
                let after = self.round(node, 0, stack);
                open.push((*body, after));
            }
            Node::Distinct(leaves) => self.distinct(leaves, stack, byte, out),
            Node::Rule(target) => open.push((*target, stack)),
            Node::Tail(tail) => self.tail(node, tail, stack, byte, out),
        }
    }

    /// The first byte of a sequence: of its first part; if that may be empty, of the next part too, and so on.
    fn start_sequence(
        &mut self,
        node: NodeId,
        parts: u32,
        stack: StackId,
        open: &mut SmallVec<[(NodeId, StackId); 8]>,
    ) {
        let first = open.len();
        for index in 0..parts {
            let (part, after) = self.part(node, index, stack);
            open.push((part, after));
            if !self.graph.facts.nullable(part) {
                break;
            }
        }
        open[first..].reverse(); // the first part is done first
    }
}
