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
//! [`Graph::finish`] proves that a text exists and writes left recursion another way, so that every loop through the graph
//! reads something; what has no finite text is pruned there, so the matcher never offers a way into it. [`Language`] is the result, frozen;
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
mod counted_items;
mod detours;
mod dispensable;
mod endless;
mod extents;
mod follow;
mod graph;
mod import;
mod layout_costs;
mod left_factoring;
mod leftmost;
mod lexicon;
mod memory;
mod parts;
mod plain_shortest;
mod product;
mod progress;
mod recursion;
mod regular_form;
mod rise;
mod set;
mod shortest;
mod shortest_cache;
mod shortest_first;
mod spaces;
mod text_lengths;
mod text_set;

use std::sync::Arc;

use crate::error::Result;
use crate::limits::Limits;
use crate::regular::{Automaton, ByteSet, Encoding, PieceAutomaton, Pieces, Regular, Writing};
use crate::vocabulary::{NodeIndex, Trie};
use smallvec::SmallVec;

pub use compiled::CompiledGraph;
pub use conditions::{
    Case, Conditions, EVERY_OBJECT, FormulaBuilder, FormulaId, Future, NO_OBJECT, Promise, Promises, TooHard, Values,
    future,
};
pub use controls::without_letters;
pub use endless::no_finite_text;
pub use follow::{FollowId, Follows};
pub use graph::Graph;
pub use layout_costs::LayoutCosts;
pub use left_factoring::{Continuation, ObjectPosition, Tail};
pub use lexicon::{Lexicon, LexiconBuilder, Prefix, TextStep};
pub use plain_shortest::is_too_long;
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

    /// Bytes to its end from any place inside it, at most; `None` if that is not known.
    ///
    /// # Errors
    /// As [`Leaf::automaton`].
    pub fn farthest(&self, limits: &Limits) -> Result<Option<u32>> {
        let known = || extents::extent(&self.tree, self.encoding).farthest;
        Ok(self.automaton(limits)?.farthest_of_all(|| None).or_else(known))
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
        /// What is repeated.
        body: NodeId,
        /// Fewest times; in a finished graph 0 if the body has the empty text, so that every round reads something.
        low: u32,
        /// Most times, or [`UNBOUNDED`]; in a finished graph at least 1.
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
    /// What is written between two members of an object without braces, commas and colons. Such an object has a member, and
    /// ends where what comes next does not go on with another one.
    pub separator: Option<NodeId>,
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
    /// Whether its texts are those of other nodes, in a row, repeated, or one of them.
    pub fn is_made_of_others(&self) -> bool {
        matches!(self, Self::Sequence(_) | Self::Choice(_) | Self::Repeat { .. } | Self::Rule(_))
    }

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

    /// Whether it has no braces, commas and colons.
    pub fn is_unbraced(&self) -> bool {
        self.separator.is_some()
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
