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

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use smallvec::SmallVec;

use super::configuration::{Configuration, Frame, Phase, Position, Progress, StackId};
use super::{Machine, Successors};
use crate::interrupt::count;
use crate::language::{Node, NodeId, UNBOUNDED};

/// What is still to be done, the next one last.
type ToDo = SmallVec<[Step; 8]>;

/// Nodes whose first byte is looked for, each with what comes after it.
type Open = SmallVec<[(NodeId, StackId); 8]>;

/// Nodes that wait until no node is left that begins with them, each with a stack after it; those of the highest rank are
/// looked at first.
#[derive(Default)]
struct Waiting(BinaryHeap<(u32, Reverse<NodeId>, StackId)>);

impl Waiting {
    fn push(&mut self, rank: u32, node: NodeId, stack: StackId) {
        self.0.push((rank, Reverse(node), stack));
    }

    /// The next node, with all its stacks.
    fn pop(&mut self) -> Option<(NodeId, SmallVec<[StackId; 4]>)> {
        let (_, node, stack) = self.0.pop()?;
        let mut stacks = SmallVec::from_slice(&[stack]);
        while let Some(next) = self.0.peek_mut().filter(|next| next.1 == node) {
            stacks.push(PeekMut::pop(next).2);
        }
        Some((node.0, stacks))
    }
}

/// One of these things.
#[derive(Clone, Copy)]
enum Step {
    Enter(NodeId, StackId),
    /// Unless that was done for this byte.
    Resume(StackId),
    /// Goes on with a repetition after so many rounds.
    Round(NodeId, u32, StackId),
}

/// Nodes looked at for how a node begins.
const MOST_BEGINNINGS: usize = 16;

/// Alternatives that are entered at once.
const MOST_ALTERNATIVES: usize = 4;

/// Nodes that are entered at once. Rules that share what they begin with lead to it in ways that multiply.
const MOST_ENTERED: usize = 64;

/// Nodes whose first byte is looked for one way after the other. Of more, those that several ways lead to come after all
/// that lead there, each once.
const MOST_STARTED: usize = 64;

/// Units of work of a node that may begin, for each way that leads to it, where these are many.
const UNITS_OF_NODE: usize = 4;

impl Machine<'_> {
    /// A configuration before `node`; also what follows it, if `node` may be empty.
    pub(super) fn enter(&mut self, node: NodeId, stack: StackId, out: &mut Successors<'_>) {
        let mut to_do = ToDo::new();
        self.enter_one(node, stack, out, &mut to_do);
        self.finish(to_do, out);
    }

    /// Does what is still to be done.
    fn finish(&mut self, mut to_do: ToDo, out: &mut Successors<'_>) {
        let mut entered = 0;
        while let Some(step) = to_do.pop() {
            match step {
                Step::Enter(node, stack) if entered < MOST_ENTERED => {
                    entered += 1;
                    self.enter_one(node, stack, out, &mut to_do);
                }
                Step::Enter(node, stack) => {
                    out.push(Position::Start(node), stack);
                    self.pass_if_empty(node, stack, &mut to_do);
                }
                Step::Resume(stack) if !out.resumes(stack) => {}
                Step::Resume(stack) => self.resume_all(stack, out, &mut to_do),
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
        self.pass_if_empty(node, stack, to_do);
    }

    /// Goes on with what follows a node that may be empty.
    fn pass_if_empty(&self, node: NodeId, stack: StackId, to_do: &mut ToDo) {
        to_do.extend(self.graph.facts.nullable(node).then_some(Step::Resume(stack)));
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
        if !self.graph.has_text() || self.graph.has_rules() {
            return false; // of a grammar, walks split what begins a node
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
            Some(several) => to_do.extend(several.iter().rev().map(|&stack| Step::Resume(stack))),
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
            Position::Named { kind, object, seen, start } => {
                let value = self.named(kind, object, seen, start, below, out);
                to_do.extend(value.map(|(value, after)| Step::Enter(value, after)));
            }
            Position::Object { phase: Phase::Value, object, seen, .. } if self.is_unbraced(object) => {
                self.unbraced_member_ended(object, seen, below, to_do);
            }
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

    /// An object without braces ends, or goes on with what is between two members.
    fn unbraced_member_ended(&mut self, node: NodeId, seen: Progress, below: StackId, to_do: &mut ToDo) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        if let Some(separator) = object.separator.filter(|_| self.may_go_on(node, object, seen)) {
            let position = Position::Object { phase: Phase::Comma, space: object.layout.comma, object: node, seen };
            let next = self.stacks.push(Frame { position, below });
            to_do.push(Step::Enter(separator, next));
        }
        if self.may_close(object, seen) {
            to_do.push(Step::Resume(below));
        }
    }

    fn is_unbraced(&self, node: NodeId) -> bool {
        matches!(self.graph.node(node), Node::Object(object) if object.is_unbraced())
    }

    /// A repetition ends, or goes on with round `count + 1`.
    fn next_round(&mut self, node: NodeId, count: u32, below: StackId, to_do: &mut ToDo) {
        let Node::Repeat { low, .. } = *self.graph.node(node) else { return };
        to_do.push(Step::Round(node, count, below));
        if count >= low {
            to_do.push(Step::Resume(below));
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
        if self.is_full() {
            self.overflow = true; // counters inside counters: every combination is a frame
            return below;
        }
        let count = if high == UNBOUNDED { (count + 1).min(low) } else { count + 1 };
        let frame = Frame { position: Position::Repeat { node, count }, below };
        let is_below = high == UNBOUNDED && count == low && self.stacks.frame(below).position == frame.position;
        if is_below { below } else { self.stacks.push(frame) } // x* x* is x*
    }

    /// The first byte of a node.
    pub(super) fn start(&mut self, node: NodeId, stack: StackId, byte: u8, out: &mut Successors<'_>) {
        let mut open = Open::new();
        self.start_one((node, stack), byte, out, &mut open);
        for _ in 0..MOST_STARTED {
            let Some(next) = open.pop() else { return };
            self.start_one(next, byte, out, &mut open);
        }
        self.start_in_order(open, byte, out);
    }

    /// The first byte of many nodes: each once, with the stacks of all ways that lead to it, after the nodes that it may
    /// begin.
    #[cold]
    fn start_in_order(&mut self, mut open: Open, byte: u8, out: &mut Successors<'_>) {
        let mut waiting = Waiting::default();
        loop {
            for (node, stack) in open.drain(..) {
                waiting.push(self.graph.rank(node), node, stack);
            }
            let Some((node, stacks)) = waiting.pop() else { break };
            count(UNITS_OF_NODE * stacks.len());
            let stack = self.stacks.union(stacks);
            self.overflow |= self.is_full();
            self.start_one((node, stack), byte, out, &mut open);
        }
    }

    /// The first byte of a node; the parts that may begin it are left to be done.
    fn start_one(&mut self, (node, stack): (NodeId, StackId), byte: u8, out: &mut Successors<'_>, open: &mut Open) {
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
            Node::Object(object) if object.is_unbraced() => {
                let seen = self.nothing_seen(object);
                self.object(Phase::Open, node, seen, byte, stack, out);
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
            Node::Sequence(_) | Node::Choice(_) | Node::Repeat { .. } | Node::Rule(_) => {
                if graph.first(node).contains(byte) {
                    self.open(node, stack, open);
                }
            }
            Node::Distinct(leaves) => self.distinct(leaves, stack, byte, out),
            Node::Tail(tail) => self.tail(node, tail, stack, byte, out),
        }
    }

    /// What may begin a node that is made of others.
    fn open(&mut self, node: NodeId, stack: StackId, open: &mut Open) {
        let graph = self.graph;
        match graph.node(node) {
            Node::Sequence(parts) => self.start_sequence(node, parts.len() as u32, stack, open),
            Node::Choice(options) => open.extend(options.iter().rev().map(|&option| (option, stack))),
            Node::Repeat { body, .. } => {
                let after = self.round(node, 0, stack);
                open.push((*body, after));
            }
            Node::Rule(target) => open.push((*target, stack)),
            _ => {}
        }
    }

    /// Before the first byte of a node that is made of others: before the parts that may begin it and are not made of
    /// others. Terminals among them have masks. Other configurations are kept as they are.
    pub fn split_start(&mut self, configuration: Configuration, out: &mut Vec<Configuration>) {
        match configuration.position {
            Position::Start(_) => self.split_starts(&[configuration], out),
            _ => out.push(configuration),
        }
    }

    /// The same of several configurations: what they begin with in common is one configuration.
    pub fn split_starts(&mut self, configurations: &[Configuration], out: &mut Vec<Configuration>) {
        let base = out.len();
        let mut successors = Successors::new(out, base);
        let mut waiting = Waiting::default();
        for &Configuration { position, stack } in configurations {
            match position {
                Position::Start(node) => waiting.push(self.graph.rank(node), node, stack),
                _ => successors.push(position, stack),
            }
        }
        let mut open = Open::new();
        while let Some((node, stacks)) = waiting.pop() {
            let stack = self.stacks.union(stacks);
            if let Some(position) = self.start_of_terminal(node) {
                successors.push(position, stack);
            } else if self.graph.node(node).is_made_of_others() {
                self.open(node, stack, &mut open);
            } else if !matches!(self.graph.node(node), Node::Never | Node::Empty) {
                successors.push(Position::Start(node), stack);
            }
            for (node, stack) in open.drain(..) {
                waiting.push(self.graph.rank(node), node, stack);
            }
        }
        self.unite(successors);
    }

    /// The position before the first byte of a terminal.
    fn start_of_terminal(&self, node: NodeId) -> Option<Position> {
        let graph = self.graph;
        match graph.node(node) {
            Node::Regular(leaf) if graph.bound_of(*leaf).is_none() => {
                Some(Position::Terminal { leaf: *leaf, state: graph.automaton(*leaf).start().state() })
            }
            Node::Text { leaf, .. }
                if graph.bound_of(*leaf).is_none() && !graph.automaton(*leaf).is_self_delimiting() =>
            {
                self.inside(node)
            }
            _ => None,
        }
    }

    /// The first byte of a sequence: of its first part; if that may be empty, of the next part too, and so on.
    fn start_sequence(&mut self, node: NodeId, parts: u32, stack: StackId, open: &mut Open) {
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::{END, Stacks};
    use super::*;
    use crate::language::{Graph, Language};
    use crate::limits::Limits;

    /// Bytes of a thread's stack.
    const SMALL: usize = 256 << 10;

    /// Bytes of a text.
    const LONG: usize = 100_000;

    /// How much is held after a tenth of a text and at its end, the most configurations, and the time of both tenths.
    struct Run {
        held: [usize; 2],
        most: usize,
        times: [Duration; 2],
    }

    fn run(rules: impl FnOnce(&mut Graph) -> NodeId + Send + 'static, byte: u8, length: usize) -> Run {
        let work = move || {
            let mut graph = Graph::default();
            graph.root = rules(&mut graph);
            let language = Language::new(graph, &Limits::default()).unwrap();
            let graph = language.compiled().unwrap();
            let (mut stacks, mut path) = (Stacks::default(), Vec::new());
            let mut machine = Machine::new(&graph, &mut stacks, &mut path);
            let (mut at, mut most) = (machine.initial(), 0);
            let mut tenths = (0..10).map(|_| {
                let begun = Instant::now();
                for _ in 0..length / 10 {
                    at = machine.advance(&at, byte);
                    most = most.max(at.len());
                }
                assert!(!at.is_empty() && machine.cost(&at) < 2 * LONG as u32);
                (machine.stacks.bytes(), begun.elapsed())
            });
            let first = tenths.next().unwrap();
            let last = tenths.last().unwrap();
            Run { held: [first.0, last.0], most, times: [first.1, last.1] }
        };
        std::thread::Builder::new().stack_size(SMALL).spawn(work).unwrap().join().unwrap()
    }

    fn check(name: &str, run: &Run, most_held: usize) {
        println!("{name}: {:?} held, {} configurations, {:?}", run.held, run.most, run.times);
        assert!(run.held[1] <= most_held && run.most <= 8, "{name}");
    }

    /// Rules: the first one may refer to itself, as node 0.
    fn rule(graph: &mut Graph, options: &[&[&str]]) -> NodeId {
        let start = graph.add(Node::Never);
        let options = options.iter().map(|parts| {
            let parts = parts.iter().map(|part| if *part == "s" { start } else { graph.literals([part.as_bytes()]) });
            let parts: Vec<NodeId> = parts.collect();
            graph.add(Node::Sequence(parts.into()))
        });
        let options: Vec<NodeId> = options.collect();
        graph.nodes[start as usize] = Node::Choice(options.into());
        start
    }

    #[test]
    fn what_is_ambiguous_or_recurs_at_an_end_keeps_one_stack() {
        let grammars: [(&str, &[&[&str]]); 4] = [
            ("s: s s | a", &[&["s", "s"], &["a"]]),
            ("s: s s | a |", &[&["s", "s"], &["a"], &[]]),
            ("s: s a | a", &[&["s", "a"], &["a"]]),
            ("s: a s | a", &[&["a", "s"], &["a"]]),
        ];
        for (name, options) in grammars {
            let run = run(move |graph| rule(graph, options), b'a', LONG);
            check(name, &run, run.held[0]);
        }
    }

    #[test]
    fn brackets_take_one_frame_each() {
        let run = run(|graph| rule(graph, &[&["(", "s", ")"], &["x"]]), b'(', LONG);
        check("s: ( s ) | x", &run, LONG * 200);
        assert!(run.held[1] > LONG);
    }

    /// Levels of operators that recur at the end: each level doubles the ways to the next one.
    #[test]
    fn ways_that_multiply_are_united() {
        let levels = |graph: &mut Graph| {
            let (mut below, bracket) = (graph.literals([&b"x"[..]]), graph.literals([&b"("[..]]));
            let wrapped = graph.add(Node::Never);
            below = graph.add(Node::Choice([below, wrapped].into()));
            for level in 0..20 {
                let operator = graph.literals([&[b'0' + level][..]]);
                let own = graph.add(Node::Never);
                let long = graph.add(Node::Sequence([below, operator, own].into()));
                graph.nodes[own as usize] = Node::Choice([long, below].into());
                below = own;
            }
            graph.nodes[wrapped as usize] = Node::Sequence([bracket, below].into());
            below
        };
        let run = run(levels, b'(', 50);
        check("20 levels", &run, 10 << 20); // of 50 brackets that are never closed, each goes on in 20 ways
    }

    #[test]
    fn a_repetition_on_its_own_frame_is_one_frame() {
        let mut graph = Graph::default();
        let body = graph.literals([&b"a"[..]]);
        let all =
            [(0, UNBOUNDED), (2, UNBOUNDED), (0, 9)].map(|(low, high)| graph.add(Node::Repeat { body, low, high }));
        graph.root = graph.add(Node::Choice(all.into()));
        let language = Language::new(graph, &Limits::default()).unwrap();
        let graph = language.compiled().unwrap();
        let (mut stacks, mut path) = (Stacks::default(), Vec::new());
        let mut machine = Machine::new(&graph, &mut stacks, &mut path);
        let [star, two, nine] = all;
        let once = machine.round(star, 0, END);
        assert_eq!(machine.round(star, 0, once), once);
        let [first, second] = [0, 1].map(|count| machine.round(two, count, END));
        assert!(first != second && machine.round(two, 0, second) != second);
        assert_eq!(machine.round(two, 2, second), second);
        assert_ne!(machine.round(nine, 0, once), once);
    }
}
