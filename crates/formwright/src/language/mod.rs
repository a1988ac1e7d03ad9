//! The waist: everything that can be said, as one graph of nodes.
//!
//! Front ends (`syntax`) build graphs; the matcher runs them. A [`Graph`] is plain data: texts ([`Node::Literals`],
//! [`Node::Lexicon`], [`Node::Pieces`], [`Node::Regular`], [`Node::Text`]), JSON containers ([`Object`], [`Array`]) that are single
//! automata rather than alternatives of their members, and the generic operations `Sequence`, `Choice`, `Repeat` and
//! `Rule` (a reference, so that graphs may be cyclic).
//!
//! ```text
//! {"type": "array", "items": {"enum": [1, "a"]}}     0: Array(rest: 1)   1: Literals(1, "a")
//! ```
//!
//! [`Graph::finish`] proves that a text exists and that every loop through the graph reads something; what has no
//! finite text is pruned there, so the matcher never offers a way into it. [`Language`] is the result, frozen;
//! [`CompiledGraph`] is what runs.
//!
//! Cost: a few passes over the nodes. Nodes of a compiled graph are not those of the language, because choices
//! of objects that begin alike are factored on the way ([`Graph::left_factor`]).

mod alternatives;
mod branches;
mod checks;
mod compiled;
mod conditions;
mod controls;
mod detours;
mod dispensable;
mod endless;
mod extents;
mod import;
mod layout_costs;
mod left_factoring;
mod lexicon;
mod plain_shortest;
mod progress;
mod regular_form;
mod rise;
mod set;
mod shortest;
mod shortest_cache;
mod spaces;
mod text_lengths;
mod text_set;

use std::hash::BuildHasher;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::interrupt::{count, sort};
use crate::limits::Limits;
use crate::regular::{Automaton, ByteSet, Encoding, PieceAutomaton, Pieces, Regular, Writing};
use crate::vocabulary::{NodeIndex, Trie};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

pub use compiled::CompiledGraph;
pub use conditions::{
    Case, Conditions, EVERY_OBJECT, FormulaBuilder, FormulaId, Future, NO_OBJECT, Promise, Promises, TooHard, Values,
    future,
};
pub use controls::without_letters;
pub use endless::no_finite_text;
pub use layout_costs::LayoutCosts;
pub use left_factoring::{Continuation, ObjectPosition, Tail};
pub use lexicon::{Lexicon, LexiconBuilder, Prefix, TextStep};
pub use progress::{Completions, Items, MinimumLengths, Seen};
pub use rise::{Rise, Rises, TEXT_RISE};
pub use set::Language;
pub use shortest::{Facts, INFINITE};
pub use spaces::{Layout, STRIPPED, SpaceState, Spaces, end};
pub use text_set::TextSet;

/// Index of a node in its graph.
pub type NodeId = u32;

/// Index of a leaf (a regular language with its encoding) in its graph.
pub type LeafId = u32;

/// "No upper bound".
pub const UNBOUNDED: u32 = u32::MAX;

/// A regular language and how it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// The language, over code points.
    pub tree: Regular,
    /// How code points are written.
    pub encoding: Encoding,
}

impl Leaf {
    /// Its automaton.
    ///
    /// # Errors
    /// As [`Automaton::new`], and where divisibility is asked about, if deciding it takes too long.
    pub fn automaton(&self, limits: &Limits) -> Result<Automaton> {
        let automaton = Automaton::new(&self.tree, self.encoding, limits)?;
        if self.tree.divides() {
            automaton.try_first_bytes(b'0'..=b'9', limits)?;
        }
        Ok(automaton)
    }

    /// An automaton that may be shared: `built`, if there is one, else a new one. That of a parser is shared by all its
    /// languages, until the parser fails.
    ///
    /// # Errors
    /// As [`Leaf::automaton`].
    pub fn shared_automaton(&self, built: Option<&Arc<Automaton>>, limits: &Limits) -> Result<Arc<Automaton>> {
        match (&self.tree, built) {
            (Regular::Parser(parser), _) => parser.automaton(limits),
            (_, Some(automaton)) => Ok(Arc::clone(automaton)),
            (_, None) => Ok(Arc::new(self.automaton(limits)?)),
        }
    }
}

/// How many tokens may end inside a part of a text, where that part is one leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartBound {
    /// The part.
    pub leaf: LeafId,
    /// Most tokens whose last byte lies in it.
    pub most: u32,
    /// Bytes to its end from any place inside it, at most.
    pub farthest: u32,
}

/// One node of a graph.
#[derive(Clone, Debug)]
pub enum Node {
    /// Nothing conforms.
    Never,
    /// Only the empty text.
    Empty,
    /// One of a finite set of texts (items are unused).
    Literals(Arc<TextSet>),
    /// One of a large set of texts, none of which is empty.
    Lexicon(Arc<Lexicon>),
    /// A piece of a text, plain or as a JSON string.
    Pieces(Pieces, Writing),
    /// A regular language.
    Regular(LeafId),
    /// `low..=high` code points of a class, plain or as a JSON string.
    Text {
        /// All texts of the class in the wanted encoding; one character of it is written as one byte.
        leaf: LeafId,
        /// Fewest code points.
        low: u32,
        /// Most code points, or [`UNBOUNDED`].
        high: u32,
    },
    /// A JSON object.
    Object(Arc<Object>),
    /// A JSON array.
    Array(Arc<Array>),
    /// One after the other.
    Sequence(Box<[NodeId]>),
    /// Any of them.
    Choice(Box<[NodeId]>),
    /// `low..=high` times in a row.
    Repeat {
        /// What is repeated; never matches the empty text.
        body: NodeId,
        /// Fewest times.
        low: u32,
        /// Most times, or [`UNBOUNDED`].
        high: u32,
    },
    /// A scalar that no earlier item of its array equals, out of any of these leaves (one form of each value).
    Distinct(Box<[LeafId]>),
    /// Another node.
    Rule(NodeId),
    /// The value of a member and the rest of its object.
    Tail(Arc<Tail>),
}

/// A JSON object: one automaton over its members.
#[derive(Clone, Debug)]
pub struct Object {
    /// Declared names (JSON-escaped, without quotes), by member; items are indices into `members`.
    pub names: TextSet,
    /// Declared members, in declaration order.
    pub members: Vec<Member>,
    /// Kinds of members whose name is not declared; their name languages are disjoint.
    pub undeclared: UndeclaredKinds,
    /// Fewest members.
    pub low: u32,
    /// Most members, or [`UNBOUNDED`].
    pub high: u32,
    /// Members may come in any order, instead of declaration order with undeclared ones last.
    pub any_order: bool,
    /// `(a, b)`: where there is a member `a`, there is a member `b`.
    pub implied: Vec<(u32, u32)>,
    /// Existential constraints, such as "some member is a number": a bit each.
    pub existentials: u32,
    /// Conditions on its members taken together, in place of existential constraints, bounds and implications. The
    /// witnesses of a member are its further ways then, numbered from 1.
    pub conditions: Option<Arc<Conditions>>,
    /// Whitespace.
    pub layout: Layout,
    /// If not 0, this is a common prefix of some objects: this many of its last members have a [`Tail`], which ends it.
    pub tails: u32,
}

/// Computes for every member which required one comes next.
pub fn link_required(members: &mut [Member]) {
    let mut next = members.len() as u32;
    for (position, member) in members.iter_mut().enumerate().rev() {
        next = if member.required { position as u32 } else { next };
        member.next_required = next;
    }
}

/// A declared member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Bytes of the escaped name with its quotes.
    pub name_bytes: u32,
    /// Its value.
    pub value: NodeId,
    /// Itself or the first required member after it; the number of members if there is none.
    pub next_required: u32,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it may be there: its value has a finite text.
    pub possible: bool,
    /// Values that meet existential constraints, and which ones: `(value, constraints)`.
    pub witnesses: Box<[(NodeId, u32)]>,
}

/// Kinds of undeclared members: mostly one.
pub type UndeclaredKinds = SmallVec<[UndeclaredKind; 1]>;

/// Members whose name is not declared, of one kind.
#[derive(Clone, Debug)]
pub struct UndeclaredKind {
    /// The language of their names (JSON strings, quotes included).
    pub name: LeafId,
    /// How many such names there are; [`UNBOUNDED`] if many.
    pub most: u32,
    /// Their value.
    pub value: NodeId,
    /// Values that meet existential constraints, and which ones: `(value, constraints)`.
    pub witnesses: Box<[(NodeId, u32)]>,
}

/// A JSON array.
#[derive(Clone, Debug)]
pub struct Array {
    /// The first items.
    pub prefix: Vec<NodeId>,
    /// Every further item, if any may come.
    pub rest: Option<NodeId>,
    /// Fewest items.
    pub low: u32,
    /// Most items, or [`UNBOUNDED`].
    pub high: u32,
    /// Kinds of items that are counted. If there are any, `ways` replaces `prefix` and `rest`.
    pub kinds: Vec<Counted>,
    /// By position (the last for all further ones): the item, and the kinds it counts for, one bit each.
    pub ways: Vec<Vec<(NodeId, u32)>>,
    /// No two items are equal; `rest` is a [`Node::Distinct`].
    pub unique: bool,
    /// No two items are equal, whatever they are: they are compared as values.
    pub differing: Option<Differing>,
    /// Whitespace.
    pub layout: Layout,
}

/// What is known of items that must all differ as values.
#[derive(Clone, Debug)]
pub struct Differing {
    /// Numbers are equal if their doubles are.
    pub doubles: bool,
    /// Where the schema says so, for errors.
    pub pointer: Arc<str>,
    /// By index, if more than one item must come: bytes of the shortest item that differs from all before it, whichever
    /// they are, at most; [`INFINITE`] where there may be none.
    pub lengths: Arc<[u32]>,
}

/// `low..=high` items are of this kind.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Fewest.
    pub low: u32,
    /// Most, or [`UNBOUNDED`].
    pub high: u32,
}

impl Node {
    /// The tree of the finite set of texts that a node is, or that a tail begins with.
    pub fn tree(&self) -> Option<&Trie> {
        match self {
            Self::Literals(texts) => Some(texts.tree()),
            Self::Tail(tail) => Some(tail.texts.tree()),
            _ => None,
        }
    }

    /// The automaton of the pieces of a text.
    #[inline]
    pub fn pieces(&self) -> Option<&PieceAutomaton> {
        if let Self::Pieces(pieces, writing) = self { Some(pieces.automaton(*writing)) } else { None }
    }

    /// Where a byte leads inside a set of texts; `None` if no text goes on with it.
    #[inline]
    pub fn text_step(&self, at: NodeIndex, byte: u8) -> Option<TextStep> {
        if let Self::Lexicon(lexicon) = self {
            return lexicon.step(at, byte);
        }
        if let Some(pieces) = self.pieces() {
            let at = pieces.child(at, byte)?;
            return Some(TextStep { at, ends: pieces.ends(at), goes_on: pieces.goes_on(at) });
        }
        let tree = self.tree()?;
        let at = tree.child(at, byte)?;
        Some(TextStep { at, ends: !tree.items_at(at).is_empty(), goes_on: tree.node(at).height > 0 })
    }

    /// The bytes with which texts of a set go on.
    pub fn text_bytes(&self, at: NodeIndex) -> ByteSet {
        let mut set = ByteSet::default();
        if let Self::Lexicon(lexicon) = self {
            lexicon.children(lexicon.prefix(at)).for_each(|(byte, _)| set.insert(byte));
        } else if let Some(pieces) = self.pieces() {
            pieces.children(at).for_each(|(byte, _)| set.insert(byte));
        } else if let Some(tree) = self.tree() {
            tree.children(at).for_each(|child| set.insert(tree.node(child).byte));
        }
        set
    }
}

impl Object {
    /// Whether declaration order alone decides what may come: the state is then a position.
    pub fn is_plain(&self) -> bool {
        self.is_ordered() && self.undeclared.is_empty()
    }

    /// Whether declaration order alone decides which declared members may come.
    pub fn is_ordered(&self) -> bool {
        !self.any_order && !self.is_counted()
    }

    /// The first required member at or after a position; the number of members if there is none.
    #[inline]
    pub fn next_required(&self, position: u32) -> u32 {
        self.members.get(position as usize).map_or(self.members.len() as u32, |member| member.next_required)
    }

    /// Whether the value of this member is a tail.
    pub fn ends_with(&self, member: u32) -> bool {
        self.tails > 0 && member + self.tails >= self.members.len() as u32
    }

    /// The value of a member (declared ones first, then kinds of undeclared ones), and its witnesses.
    pub fn values_of(&self, member: u32) -> (NodeId, &[(NodeId, u32)]) {
        if let Some(declared) = self.members.get(member as usize) {
            return (declared.value, &declared.witnesses);
        }
        let kind = &self.undeclared[member as usize - self.members.len()];
        (kind.value, &kind.witnesses)
    }

    /// How many members have values: declared ones, and kinds of undeclared ones.
    pub fn values(&self) -> u32 {
        (self.members.len() + self.undeclared.len()) as u32
    }

    /// Whether it is known one by one which members must come.
    pub fn missing_is_known(&self) -> bool {
        self.tails == 0 && !self.tracks_values() && self.low == 0
    }

    /// Whether the values of members decide what else must come.
    pub fn tracks_values(&self) -> bool {
        self.existentials != 0 || self.conditions.is_some()
    }

    /// Whether the number of members, or one member, decides which others may come.
    pub fn is_counted(&self) -> bool {
        self.low > 0 || self.high < UNBOUNDED || !self.implied.is_empty() || self.tracks_values()
    }
}

impl Array {
    /// Bytes of the item at `index`, if it must differ from all before it, whichever they are; `shortest` are those of the
    /// shortest text of a node.
    pub fn new_item(&self, index: u32, shortest: impl Fn(NodeId) -> u32) -> u32 {
        let known = self.differing.as_ref().and_then(|differing| differing.lengths.get(index as usize).copied());
        known.unwrap_or_else(|| self.item(index).map_or(INFINITE, shortest))
    }

    /// The item at `index`, if one may be there.
    pub fn item(&self, index: u32) -> Option<NodeId> {
        if index >= self.high {
            return None;
        }
        self.prefix.get(index as usize).copied().or(self.rest)
    }

    /// The leaves of its items, if they must all differ.
    pub fn distinct(&self, graph: &Graph) -> Option<SmallVec<[(LeafId, u32); 2]>> {
        let rest = self.rest.filter(|_| self.unique)?;
        let Node::Distinct(leaves) = &graph.nodes[rest as usize] else { return None };
        Some(leaves.iter().map(|&leaf| (leaf, 0)).collect())
    }
}

/// Units of work of a node.
const WORK_OF_NODE: usize = 4;

/// So many leaves are compared one by one.
const FEW_LEAVES: usize = 32;

/// Nodes, leaves and whitespace of one language.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The regular languages they use.
    pub leaves: Vec<Leaf>,
    /// The whitespace automaton they use.
    pub spaces: Arc<Spaces>,
    /// The node a text starts with.
    pub root: NodeId,
    /// Names of the control tokens whose letters its literals hold.
    pub controls: Vec<Arc<str>>,
    /// The leaves in which only so many tokens may end; a text comes into each of them once at most.
    pub bounds: Vec<PartBound>,
    /// How deep operators are inside operators.
    pub nesting: usize,
    /// Bytes of the longest literal text.
    longest: usize,
    /// The first leaves, so many, by hash, once there are many.
    leaves_by_hash: FxHashMap<u64, SmallVec<[LeafId; 1]>>,
    indexed: usize,
}

impl Graph {
    /// No nodes, but room for some, and this whitespace.
    pub fn with_capacity(nodes: usize, spaces: Arc<Spaces>) -> Self {
        Self { nodes: Vec::with_capacity(nodes), spaces, ..Self::default() }
    }

    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        count(WORK_OF_NODE);
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// Adds a leaf, or finds it.
    pub fn leaf(&mut self, leaf: Leaf) -> LeafId {
        let is_known = |at: &LeafId| self.leaves[*at as usize] == leaf && self.bound_of(*at).is_none();
        let known = if self.leaves.len() < FEW_LEAVES {
            (0..self.leaves.len() as LeafId).find(is_known)
        } else {
            let hash = FxBuildHasher.hash_one(&leaf);
            self.index_leaves();
            let alike = self.leaves_by_hash.get(&hash).map_or(&[][..], SmallVec::as_slice);
            alike.iter().copied().find(|at| self.leaves[*at as usize] == leaf && self.bound_of(*at).is_none())
        };
        known.unwrap_or_else(|| self.add_leaf(leaf))
    }

    /// Brings the index of leaves up to date.
    fn index_leaves(&mut self) {
        for at in self.indexed..self.leaves.len() {
            let hash = FxBuildHasher.hash_one(&self.leaves[at]);
            self.leaves_by_hash.entry(hash).or_default().push(at as LeafId);
        }
        self.indexed = self.leaves.len();
    }

    fn add_leaf(&mut self, leaf: Leaf) -> LeafId {
        self.leaves.push(leaf);
        self.leaves.len() as LeafId - 1
    }

    /// Adds a leaf of its own, in which at most so many tokens may end.
    pub fn bounded_leaf(&mut self, leaf: Leaf, most: u32, farthest: u32) -> LeafId {
        let leaf = self.add_leaf(leaf);
        self.bounds.push(PartBound { leaf, most, farthest });
        leaf
    }

    /// How many tokens may end in a leaf, if there is a bound.
    pub fn bound_of(&self, leaf: LeafId) -> Option<&PartBound> {
        self.bounds.iter().find(|bound| bound.leaf == leaf)
    }

    /// Whether some array compares its items as values.
    pub fn compares_values(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Array(array) if array.differing.is_some()))
    }

    /// Whether the values of members decide in some object what else must come.
    pub fn tracks_values(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Object(object) if object.tracks_values()))
    }

    /// Adds a node for a regular language.
    pub fn regular(&mut self, tree: Regular, encoding: Encoding) -> NodeId {
        let leaf = self.leaf(Leaf { tree, encoding });
        self.add(Node::Regular(leaf))
    }

    /// Adds a node for a finite set of texts.
    pub fn literals<'a>(&mut self, texts: impl IntoIterator<Item = &'a [u8]>) -> NodeId {
        let node = self.texts(texts);
        self.add(node)
    }

    /// A finite set of texts.
    pub fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a [u8]>) -> Node {
        let mut sorted: SmallVec<[(&[u8], u32); 8]> = texts.into_iter().map(|text| (text, 0)).collect();
        sort(&mut sorted);
        sorted.dedup();
        match &sorted[..] {
            [] => Node::Never,
            [([], _)] => Node::Empty,
            [([], _), rest @ ..] => {
                let rest = Node::Literals(Arc::new(self.text_set(rest)));
                Node::Choice([self.add(Node::Empty), self.add(rest)].into())
            }
            sorted => Node::Literals(Arc::new(self.text_set(sorted))),
        }
    }

    /// Adds a node for a finite set of texts: a tree if they have at most `tree_bytes`, else a lexicon.
    pub fn texts_of(&mut self, texts: &Arc<Lexicon>, tree_bytes: usize) -> NodeId {
        if texts.bytes().len() <= tree_bytes {
            return self.literals(texts.iter());
        }
        if !texts.has_empty() {
            return self.add(Node::Lexicon(Arc::clone(texts)));
        }
        let rest = Node::Lexicon(Arc::new(texts.without_empty()));
        let options = [self.add(Node::Empty), self.add(rest)];
        self.add(Node::Choice(options.into()))
    }

    /// Some texts and their items. One that is too long for a tree, or all of them together, is an error of
    /// [`Graph::finish`].
    pub fn text_set(&mut self, texts: &[(&[u8], u32)]) -> TextSet {
        let longest = texts.iter().map(|(text, _)| text.len()).max().unwrap_or(0);
        let total = texts.iter().map(|(text, _)| text.len()).sum::<usize>();
        let longest = if total > TextSet::MOST_BYTES { total } else { longest };
        self.longest = self.longest.max(longest);
        if longest > TextSet::LONGEST { TextSet::default() } else { TextSet::new(texts) }
    }

    /// Adds any of `options`.
    pub fn choice(&mut self, options: Vec<NodeId>) -> NodeId {
        match options.len() {
            0 => self.add(Node::Never),
            1 => options[0],
            _ => self.add(Node::Choice(options.into())),
        }
    }

    /// Adds `body` repeated. A body that may be empty is allowed: it can fill up with empty texts.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when `low > high`.
    pub fn repeat(&mut self, body: NodeId, low: u32, high: u32, facts: &Facts) -> Result<NodeId> {
        if low > high {
            return Err(Error::argument("high", format!("repeat: at least {low} times is more than at most {high}")));
        }
        if high == 0 {
            return Ok(self.add(Node::Empty));
        }
        let low = if facts.nullable(body) { 0 } else { low };
        Ok(match self.nested(body, low, high) {
            Some(flat) => self.add(flat),
            None => self.add(Node::Repeat { body, low, high }),
        })
    }

    /// `(x{a,b}){c,d} = x{a·c,b·d}` for a of 0 or 1, where the counts have no gaps: one counter instead of two.
    fn nested(&self, body: NodeId, low: u32, high: u32) -> Option<Node> {
        let Node::Repeat { body, low: least, high: most } = self.nodes[body as usize] else { return None };
        if least > 1 {
            return None;
        }
        let high = most.saturating_mul(high); // more than a text can hold is as good as no bound
        Some(Node::Repeat { body, low: least * low, high })
    }

    /// Proves that a text exists and that every loop reads something, and prunes what has no finite text.
    ///
    /// # Errors
    /// [`crate::Kind::Unsatisfiable`] when no text exists; [`crate::Kind::Language`] when a rule can reach itself
    /// without reading; [`crate::Kind::Limit`] when a literal text is too long.
    pub fn finish(&mut self, limits: &Limits) -> Result<Facts> {
        if self.longest > TextSet::LONGEST {
            return Err(Error::limit("bytes of a literal text", self.longest, TextSet::LONGEST));
        }
        let facts = Facts::new(self, limits)?;
        if facts.shortest(self.root) >= INFINITE {
            return Err(no_finite_text(self, &facts));
        }
        facts.prune(self);
        facts.refuse_left_recursion(self)?;
        Ok(facts)
    }
}
