//! Assertions inside repetitions: a pattern followed character by character.
//!
//! Inside a repetition without a bound, "everything from here to the end of the text" is not a tree. But it is known as
//! soon as the text comes to an assertion, as a stack of what is left of the pattern; so the language is an implicit
//! one, whose state is such a stack and the kind of character before it:
//!
//! ```text
//! ((?!no).)*        ─ "n" → ((?!no).)* ∧ ¬(o.*)
//! ([^,]+(,|$)){3,}  ─ "a," → ([^,]+(,|$)){2,}      counted; `$` holds at the end alone
//! ```
//!
//! A character is read by some part of the stack, and the parts above match the empty text before it. So a derivative
//! is a union over the parts, each with what the parts above ask of the rest of the text: `(?=x)` asks for `x·Σ*`,
//! `(?!x)` for its complement. A repetition reads in rounds that read something. Rounds that read nothing count only
//! where some are missing: where one may, all may.
//!
//! Cost: a tree for each derivative, and searches for dead ends. Parts without assertions stay trees, and the
//! kind of the last character of such a part is asked of the tree.

use std::fmt::{self, Write};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::pattern::{Mode, Pattern, class_tree, is_plain, nullable, plain, sets_of};
use crate::regular::{Implicit, ImplicitLanguage, Ranges, Regular};

/// Most look-aheads of a pattern, those of one character not counted: they are decided at once.
const MOST_AHEAD: usize = 1 << 10;

/// Most sets of characters that look-behind tells apart.
const MOST_SETS: usize = 64;

/// Index of a node of a program.
type NodeId = u32;

/// A pattern as nodes, so that a state can refer to them.
enum Node {
    /// Without assertions.
    Plain(Regular),
    Concat(Vec<NodeId>),
    Or(Vec<NodeId>),
    Repeat(NodeId, u32, Option<u32>),
    /// Before is a character of one of these sets, or nothing, and the flag is set.
    Behind(Vec<bool>, bool),
    End,
    Ahead {
        negated: bool,
        body: NodeId,
    },
}

/// What all states of a pattern share.
struct Program {
    /// Tells the pattern from every other one.
    name: String,
    nodes: Vec<Node>,
    /// The sets of characters that no look-behind tells apart.
    sets: Vec<Ranges>,
    looks_behind: bool,
    look_aheads: usize,
}

/// What is still to be read; the last one comes first.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    Node(NodeId),
    /// The parts of a `Concat` from an index on.
    Parts(NodeId, u32),
    /// Rounds of a body: how many at least, and at most.
    Rounds(NodeId, u32, Option<u32>),
    Anything,
}

/// A place in a text of a pattern.
struct Place {
    program: Arc<Program>,
    frames: Vec<Frame>,
    /// The set of the character before; `None` at the start, and where no look-behind asks for it.
    before: Option<usize>,
    key: String,
}

/// The language of a pattern with assertions anywhere.
///
/// On refusal, says why.
pub fn language(pattern: &Pattern, mode: Mode) -> Result<Regular, &'static str> {
    let mut program = Program {
        name: name(pattern),
        nodes: Vec::new(),
        sets: sets_of(pattern, MOST_SETS)?,
        looks_behind: false,
        look_aheads: 0,
    };
    let (before, after) = (!begins_at_start(pattern), !ends_at_end(pattern));
    let root = program.add(pattern);
    if program.look_aheads > MOST_AHEAD {
        return Err("too many assertions: the pattern cannot be compiled");
    }
    let mut frames = vec![Frame::Node(root)];
    if mode == Mode::Search {
        let anything = program.push(Node::Plain(Regular::anything()));
        if after {
            frames.insert(0, Frame::Anything);
        }
        if before {
            frames.push(Frame::Node(anything));
        }
    }
    Ok(Place::language(&Arc::new(program), frames, None))
}

/// A digest of what a pattern is.
fn name(pattern: &Pattern) -> String {
    struct Writer(Sha256);

    impl Write for Writer {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text);
            Ok(())
        }
    }

    let mut digest = Writer(Sha256::new());
    let _ = write!(digest, "{pattern:?}"); // writing to it never fails
    format!("{:x?}", digest.0.finalize().as_slice())
}

/// Whether a pattern plainly matches nowhere but at the start of a text.
fn begins_at_start(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Behind { class, start } => *start && class.is_empty(),
        Pattern::Concat(parts) => parts.first().is_some_and(begins_at_start),
        Pattern::Or(options) => options.iter().all(begins_at_start),
        _ => false,
    }
}

/// Whether a match of a pattern plainly ends nowhere but at the end of a text.
fn ends_at_end(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::End => true,
        Pattern::Concat(parts) => parts.last().is_some_and(ends_at_end),
        Pattern::Or(options) => options.iter().all(ends_at_end),
        _ => false,
    }
}

impl Program {
    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    fn add(&mut self, pattern: &Pattern) -> NodeId {
        if is_plain(pattern) {
            return self.push(Node::Plain(plain(pattern)));
        }
        let node = match pattern {
            Pattern::Concat(parts) => {
                Node::Concat(parts.chunk_by(|a, b| is_plain(a) && is_plain(b)).map(|run| self.add_run(run)).collect())
            }
            Pattern::Or(options) => Node::Or(options.iter().map(|option| self.add(option)).collect()),
            Pattern::Repeat(body, low, high, _) => Node::Repeat(self.add(body), *low, *high),
            Pattern::Behind { class, start } => {
                self.looks_behind = true;
                let holds = |set: &Ranges| set.first().is_some_and(|&(first, _)| has(class, first));
                Node::Behind(self.sets.iter().map(holds).collect(), *start)
            }
            Pattern::Ahead { negated, body } => {
                self.look_aheads += usize::from(!matches!(**body, Pattern::Class(_)));
                Node::Ahead { negated: *negated, body: self.add(body) }
            }
            Pattern::End | Pattern::Empty | Pattern::Class(_) => Node::End, // the others are plain
        };
        self.push(node)
    }

    /// Parts that are all plain, or one part.
    fn add_run(&mut self, run: &[Pattern]) -> NodeId {
        match run {
            [one] => self.add(one),
            _ => self.push(Node::Plain(Regular::concat(run.iter().map(plain)))),
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The set of a character.
    fn set_of(&self, c: char) -> Option<usize> {
        self.sets.iter().position(|set| has(set, c)).filter(|_| self.looks_behind)
    }
}

fn has(class: &[(char, char)], c: char) -> bool {
    let after = class.partition_point(|&(_, high)| high < c);
    class.get(after).is_some_and(|&(low, _)| low <= c)
}

impl Place {
    /// The language from a place on.
    fn language(program: &Arc<Program>, mut frames: Vec<Frame>, before: Option<usize>) -> Regular {
        let mut plain = Vec::new();
        while let (false, Some(&Frame::Node(id))) = (program.looks_behind, frames.last())
            && let Node::Plain(tree) = program.node(id)
        {
            plain.push(tree.clone());
            frames.pop();
        }
        let rest = match frames[..] {
            [] => Regular::Empty,
            [Frame::Anything] => Regular::anything(),
            _ => Self::implicit(program, frames, before),
        };
        Regular::concat(plain.into_iter().chain([rest]))
    }

    fn implicit(program: &Arc<Program>, frames: Vec<Frame>, before: Option<usize>) -> Regular {
        let mut key = format!("{} {before:?}", program.name);
        for frame in &frames {
            // Writing to a string never fails.
            let _ = match frame {
                Frame::Node(id) => write!(key, " {id}"),
                Frame::Parts(id, from) => write!(key, " {id}/{from}"),
                Frame::Rounds(id, low, high) => write!(key, " {id}*{low},{high:?}"),
                Frame::Anything => write!(key, " ."),
            };
        }
        Regular::Implicit(Implicit::new(Self { program: Arc::clone(program), frames, before, key }))
    }

    /// What may follow `c` in the texts of a stack of frames.
    fn after(&self, frames: &[Frame], c: char) -> Regular {
        let (mut ways, mut held) = (Vec::new(), Vec::new());
        for at in (0..frames.len()).rev() {
            let (frame, below) = (frames[at], &frames[..at]);
            ways.push(all(&held, self.reads(frame, below, c)));
            match self.holds(frame, c) {
                Regular::Never => break,
                holds if holds.is_anything() => {}
                holds => held.push(holds),
            }
        }
        Regular::or(ways)
    }

    /// What may follow `c` if a frame reads it, and then the frames below it go on.
    fn reads(&self, frame: Frame, below: &[Frame], c: char) -> Regular {
        match frame {
            Frame::Node(id) => self.node_reads(id, below, c),
            Frame::Parts(id, from) => self.parts_read(id, from, below, c),
            Frame::Rounds(body, low, high) => self.rounds_read(body, low, high, below, c),
            Frame::Anything => Regular::anything(),
        }
    }

    fn node_reads(&self, id: NodeId, below: &[Frame], c: char) -> Regular {
        match self.program.node(id) {
            Node::Plain(tree) => self.plain_reads(tree, below, c),
            Node::Concat(_) => self.parts_read(id, 0, below, c),
            Node::Or(options) => Regular::or(options.iter().map(|&option| self.node_reads(option, below, c))),
            &Node::Repeat(body, low, high) => self.rounds_read(body, low, high, below, c),
            Node::Behind(..) | Node::End | Node::Ahead { .. } => Regular::Never,
        }
    }

    /// A part without assertions, of which something must be read: by the kind of its last character, if that matters.
    fn plain_reads(&self, tree: &Regular, below: &[Frame], c: char) -> Regular {
        let program = &self.program;
        let then = |before| Self::language(program, below.to_vec(), before);
        if let Regular::Class(class) = tree {
            return if has(class, c) { then(program.set_of(c)) } else { Regular::Never };
        }
        if program.sets.len() == 1 {
            let some =
                if nullable(tree) { Regular::and([tree.clone(), Regular::length(1, None)]) } else { tree.clone() };
            return Regular::concat([some, then(program.set_of(c))]).after(c);
        }
        let by_last = program.sets.iter().enumerate().map(|(set, class)| {
            let ends = Regular::concat([Regular::anything(), class_tree(class)]);
            Regular::concat([Regular::and([tree.clone(), ends]), then(Some(set))])
        });
        Regular::or(by_last).after(c)
    }

    /// Some part of a `Concat` reads, and those before it match the empty text.
    fn parts_read(&self, id: NodeId, from: u32, below: &[Frame], c: char) -> Regular {
        let Node::Concat(parts) = self.program.node(id) else { return Regular::Never };
        let (mut ways, mut held) = (Vec::new(), Vec::new());
        for (&part, next) in parts[from as usize..].iter().zip(from + 1..) {
            let mut below = below.to_vec();
            below.extend(((next as usize) < parts.len()).then_some(Frame::Parts(id, next)));
            ways.push(all(&held, self.node_reads(part, &below, c)));
            match self.node_holds(part, c) {
                Regular::Never => break,
                holds if holds.is_anything() => {}
                holds => held.push(holds),
            }
        }
        Regular::or(ways)
    }

    /// A round reads. If rounds may read nothing before it, they are all that are missing.
    fn rounds_read(&self, body: NodeId, low: u32, high: Option<u32>, below: &[Frame], c: char) -> Regular {
        if high.is_some_and(|high| high == 0 || low > high) {
            return Regular::Never;
        }
        let round = |low: u32| {
            let mut below = below.to_vec();
            let left = high.map(|high| high - 1);
            below.extend((left != Some(0)).then_some(Frame::Rounds(body, low, left)));
            self.node_reads(body, &below, c)
        };
        if low <= 1 {
            return round(0);
        }
        let nothing = self.node_holds(body, c);
        let enough = if nothing == Regular::Never { nothing } else { all(&[nothing], round(0)) };
        Regular::or([round(low - 1), enough])
    }

    /// What may follow `c` where a frame matches the empty text before it.
    fn holds(&self, frame: Frame, c: char) -> Regular {
        match frame {
            Frame::Node(id) => self.node_holds(id, c),
            Frame::Parts(id, from) => match self.program.node(id) {
                Node::Concat(parts) => self.all_hold(&parts[from as usize..], c),
                _ => Regular::Never,
            },
            Frame::Rounds(_, low, Some(high)) if low > high => Regular::Never,
            Frame::Rounds(_, 0, _) | Frame::Anything => Regular::anything(),
            Frame::Rounds(body, ..) => self.node_holds(body, c),
        }
    }

    fn node_holds(&self, id: NodeId, c: char) -> Regular {
        let decided = |holds| if holds { Regular::anything() } else { Regular::Never };
        match self.program.node(id) {
            Node::Plain(tree) => decided(nullable(tree)),
            Node::Concat(parts) => self.all_hold(parts, c),
            Node::Or(options) => {
                let holds: Vec<Regular> = options.iter().map(|&option| self.node_holds(option, c)).collect();
                if holds.iter().any(Regular::is_anything) { Regular::anything() } else { Regular::or(holds) }
            }
            &Node::Repeat(body, low, high) => self.holds(Frame::Rounds(body, low, high), c),
            Node::Behind(sets, start) => decided(self.before.map_or(*start, |set| sets[set])),
            Node::End => Regular::Never,
            Node::Ahead { negated, body } => {
                let seen = self.after(&[Frame::Anything, Frame::Node(*body)], c);
                match seen {
                    seen if !*negated => seen,
                    seen if seen.is_anything() => Regular::Never,
                    seen => seen.not(),
                }
            }
        }
    }

    fn all_hold(&self, parts: &[NodeId], c: char) -> Regular {
        let mut held = Vec::new();
        for &part in parts {
            match self.node_holds(part, c) {
                Regular::Never => return Regular::Never,
                holds => held.push(holds),
            }
        }
        Regular::and(held)
    }

    /// Whether a frame matches the empty text at the end of the text.
    fn ends(&self, frame: Frame) -> bool {
        match frame {
            Frame::Node(id) => self.node_ends(id),
            Frame::Parts(id, from) => match self.program.node(id) {
                Node::Concat(parts) => parts[from as usize..].iter().all(|&part| self.node_ends(part)),
                _ => false,
            },
            Frame::Rounds(_, low, Some(high)) if low > high => false,
            Frame::Rounds(body, low, _) => low == 0 || self.node_ends(body),
            Frame::Anything => true,
        }
    }

    fn node_ends(&self, id: NodeId) -> bool {
        match self.program.node(id) {
            Node::Plain(tree) => nullable(tree),
            Node::End => true,
            Node::Concat(parts) => parts.iter().all(|&part| self.node_ends(part)),
            Node::Or(options) => options.iter().any(|&option| self.node_ends(option)),
            &Node::Repeat(body, low, high) => self.ends(Frame::Rounds(body, low, high)),
            Node::Behind(sets, start) => self.before.map_or(*start, |set| sets[set]),
            Node::Ahead { negated, body } => *negated != self.node_ends(*body),
        }
    }
}

/// A way, with what was asked before it.
fn all(held: &[Regular], way: Regular) -> Regular {
    if way == Regular::Never { way } else { Regular::and(held.iter().cloned().chain([way])) }
}

impl ImplicitLanguage for Place {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        let trees = self.program.nodes.iter().filter_map(|node| match node {
            Node::Plain(tree) => Some(tree.clone()),
            _ => None,
        });
        trees.chain(self.program.sets.iter().map(class_tree)).collect()
    }

    fn derivative(&self, c: char) -> Regular {
        self.after(&self.frames, c)
    }

    fn nullable(&self) -> bool {
        self.frames.iter().all(|&frame| self.ends(frame))
    }

    fn shortest(&self) -> Option<u32> {
        None
    }
}
