//! Notations: values of JSON Schema written otherwise, as YAML or CSV.
//!
//! A writer of a notation makes [`Parts`]: what is written, and what it says. The same parts become the nodes of a graph
//! ([`Parts::lower`]), read a text as JSON ([`Notated::read`]) and write a value ([`Notated`]), so that the three
//! cannot disagree:
//!
//! ```text
//! - name: Ada     Text("- ") Open(Object) Key("name") Text("name:") Text(" ") Scalar(plain) Close(Object)
//!                 [{"name":"Ada"}]
//! ```
//!
//! What a writer does not lay out itself is JSON inside the text, as it is ([`Part::Json`]).

mod reading;
mod spelling;
mod writing;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::{Graph, Layout, Leaf, Member, Node, NodeId, Object, UndeclaredKind};
use crate::regular::Automaton;
pub use spelling::Spelling;
pub use writing::with_fraction;

/// Index of a part.
pub type PartId = u32;

/// What holds other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Container {
    /// `{}`
    Object,
    /// `[]`
    Array,
}

/// A part of the texts of a notation.
#[derive(Clone, Debug)]
pub enum Part {
    /// Nothing is written.
    Nothing,
    /// A text that says nothing of the value.
    Text(Arc<str>),
    /// Whitespace that says nothing of the value, and may be left out.
    Blank(Leaf),
    /// The text of one value.
    Constant {
        /// What is written.
        text: Arc<str>,
        /// Its value: a scalar.
        json: Arc<str>,
    },
    /// A string or number.
    Scalar {
        /// What is written.
        leaf: Leaf,
        /// What it says.
        spelling: Spelling,
    },
    /// JSON on one line, up to its end, which the text shows.
    Json {
        /// Its node.
        node: NodeId,
        /// Whether it is an object or an array.
        is_container: bool,
    },
    /// The beginning of a container; nothing is written.
    Open(Container),
    /// Its end; nothing is written.
    Close(Container),
    /// The value that comes next is an array of so many items; nothing is written. Writers look here before they try the
    /// items.
    Count(u32),
    /// The name of the value that comes next; nothing is written.
    Key(Arc<str>),
    /// The name of the value that comes next, which the schema does not declare, as a JSON string.
    Name {
        /// What is written.
        leaf: Leaf,
        /// Declared names in ascending order, which it must not be.
        declared: Arc<[Box<str>]>,
    },
    /// Members of an object whose names the schema does not declare, and which must differ.
    Entries(Box<Entries>),
    /// One after the other.
    Sequence(Box<[PartId]>),
    /// Any of them, the one to write first.
    Choice(Box<[PartId]>),
    /// So many times in a row.
    Repeat {
        /// What is repeated.
        body: PartId,
        /// Fewest times.
        low: u32,
        /// Most times, or [`crate::language::UNBOUNDED`].
        high: u32,
    },
}

/// Members whose names the schema does not declare: one or more.
#[derive(Clone, Debug)]
pub struct Entries {
    /// Declared names in ascending order, which no entry has.
    pub declared: Arc<[Box<str>]>,
    /// By kind: the names, as JSON strings in their one form, and how many there are.
    pub names: Vec<(Leaf, u32)>,
    /// What is written between two of them, and by kind what is written after a name.
    pub parts: Box<[PartId]>,
    /// Bytes between two of them.
    pub between: u32,
    /// Fewest of them, at least one.
    pub low: u32,
    /// Most of them, or [`crate::language::UNBOUNDED`].
    pub high: u32,
    /// The same but for the names that must differ: one after the other.
    pub in_a_row: PartId,
}

/// The parts of the texts of a form.
#[derive(Debug, Default)]
pub struct Parts {
    all: Vec<Part>,
    /// The part that a text is.
    pub root: PartId,
    /// The parts of texts that are there already; that of the empty text is [`Part::Nothing`].
    texts: FxHashMap<Arc<str>, PartId>,
    /// The beginnings and ends of containers that are there already.
    ends: FxHashMap<(Container, bool), PartId>,
    /// The parts that are the whole of a value each.
    whole: FxHashSet<PartId>,
}

impl Parts {
    /// Adds a part.
    pub fn add(&mut self, part: Part) -> PartId {
        self.all.push(part);
        self.all.len() as PartId - 1
    }

    /// Adds a text that says nothing of the value, or finds it.
    pub fn text(&mut self, text: &str) -> PartId {
        if let Some(&known) = self.texts.get(text) {
            return known;
        }
        let text: Arc<str> = text.into();
        let part = self.add(if text.is_empty() { Part::Nothing } else { Part::Text(Arc::clone(&text)) });
        self.texts.insert(text, part);
        part
    }

    /// Adds the beginning of a container, or finds it.
    pub fn open(&mut self, container: Container) -> PartId {
        self.end(container, true)
    }

    /// Adds the end of a container, or finds it.
    pub fn close(&mut self, container: Container) -> PartId {
        self.end(container, false)
    }

    fn end(&mut self, container: Container, opens: bool) -> PartId {
        let known = self.ends.get(&(container, opens)).copied();
        known.unwrap_or_else(|| {
            let part = self.add(if opens { Part::Open(container) } else { Part::Close(container) });
            self.ends.insert((container, opens), part);
            part
        })
    }

    /// Nothing.
    pub fn nothing(&mut self) -> PartId {
        self.text("")
    }

    /// Adds parts in a row.
    pub fn sequence(&mut self, parts: impl Into<Box<[PartId]>>) -> PartId {
        self.add(Part::Sequence(parts.into()))
    }

    /// Adds any of `options`.
    pub fn choice(&mut self, options: Vec<PartId>) -> PartId {
        match options[..] {
            [only] => only,
            _ => self.add(Part::Choice(options.into())),
        }
    }

    /// Puts the ways to write a value in the place of a part that was added.
    pub fn set_whole(&mut self, at: PartId, options: Vec<PartId>) {
        self.all[at as usize] = Part::Choice(options.into());
        self.whole.insert(at);
    }

    /// Whether a part is the whole of a value, and nothing else.
    fn is_whole(&self, at: PartId) -> bool {
        self.whole.contains(&at)
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn part(&self, at: PartId) -> &Part {
        &self.all[at as usize]
    }

    /// Adds the nodes of the parts that a text may have to a graph. Returns that of the root.
    pub fn lower(&self, graph: &mut Graph) -> NodeId {
        let empty = graph.add(Node::Empty);
        let mut nodes: Vec<Option<NodeId>> = vec![None; self.all.len()];
        let (mut met, mut waiting) = (Vec::new(), vec![self.root]);
        while let Some(part) = waiting.pop() {
            if nodes[part as usize].is_none() {
                let is_written = !self.part(part).is_unwritten();
                nodes[part as usize] = Some(if is_written { graph.add(Node::Never) } else { empty });
                met.push(part);
                waiting.extend_from_slice(self.part(part).children());
            }
        }
        for part in met {
            if let Some(node) = nodes[part as usize].filter(|node| *node != empty) {
                graph.nodes[node as usize] = self.node(part, graph, &nodes);
            }
        }
        nodes[self.root as usize].unwrap_or(empty)
    }

    /// The node of a part, where those of its parts are known.
    fn node(&self, part: PartId, graph: &mut Graph, nodes: &[Option<NodeId>]) -> Node {
        let all = |parts: &[PartId]| parts.iter().filter_map(|part| nodes[*part as usize]).collect();
        match self.part(part) {
            Part::Nothing | Part::Open(_) | Part::Close(_) | Part::Count(_) | Part::Key(_) => Node::Empty,
            Part::Text(text) | Part::Constant { text, .. } => graph.texts([text.as_bytes()]),
            Part::Scalar { leaf, .. } | Part::Name { leaf, .. } | Part::Blank(leaf) => {
                Node::Regular(graph.leaf(leaf.clone()))
            }
            Part::Json { node, .. } => Node::Rule(*node),
            // With the parts that are not written: a first mask looks less far ahead where one is between two others.
            Part::Sequence(parts) => Node::Sequence(all(parts)),
            Part::Entries(entries) => entries.node(graph, nodes),
            Part::Choice(options) if options.is_empty() => Node::Never,
            Part::Choice(options) => Node::Choice(all(options)),
            Part::Repeat { body, low, high } => match nodes[*body as usize] {
                Some(body) => Node::Repeat { body, low: *low, high: *high },
                None => Node::Empty,
            },
        }
    }
}

/// Whether a name is one of some in ascending order.
fn has_name(names: &[Box<str>], name: &str) -> bool {
    names.binary_search_by(|other| (**other).cmp(name)).is_ok()
}

impl Entries {
    /// An object without braces, where the nodes of its parts are known.
    fn node(&self, graph: &mut Graph, nodes: &[Option<NodeId>]) -> Node {
        let never = graph.add(Node::Never);
        let names: Vec<String> = self.declared.iter().map(|name| Spelling::Json.encode(name)).collect();
        let members = names.iter().map(|name| Member {
            name_bytes: name.len() as u32,
            value: never,
            next_required: names.len() as u32,
            required: false,
            possible: false,
            witnesses: Box::default(),
        });
        let node_of = |part: &PartId| nodes[*part as usize].unwrap_or(never);
        let kinds = self.names.iter().zip(&self.parts[1..]).map(|((leaf, most), value)| UndeclaredKind {
            name: graph.leaf(leaf.clone()),
            most: *most,
            value: node_of(value),
            witnesses: Box::default(),
        });
        let (members, undeclared) = (members.collect(), kinds.collect());
        let texts: Vec<(&[u8], u32)> = names.iter().map(|name| &name.as_bytes()[1..name.len() - 1]).zip(0..).collect();
        Node::Object(Arc::new(Object {
            names: graph.text_set(&texts),
            members,
            undeclared,
            low: self.low,
            high: self.high,
            any_order: false,
            implied: Vec::new(),
            existentials: 0,
            conditions: None,
            layout: Layout::unbraced(self.between),
            separator: Some(node_of(&self.parts[0])),
            tails: 0,
        }))
    }
}

impl Part {
    /// Whether it says something, or nothing, without a text.
    fn is_unwritten(&self) -> bool {
        matches!(self, Self::Nothing | Self::Open(_) | Self::Close(_) | Self::Count(_) | Self::Key(_))
    }

    /// The parts that it is made of.
    fn children(&self) -> &[PartId] {
        match self {
            Self::Sequence(parts) | Self::Choice(parts) => parts,
            Self::Repeat { body, .. } => std::slice::from_ref(body),
            Self::Entries(entries) => &entries.parts,
            _ => &[],
        }
    }
}

/// The parts of a form, ready to read and write texts.
pub struct Notated {
    parts: Parts,
    /// By part: the automaton of a scalar, of a name or of whitespace.
    automata: Vec<Option<Automaton>>,
}
