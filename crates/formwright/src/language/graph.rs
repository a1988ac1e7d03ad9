//! The graph of a language: how front ends add its nodes and leaves, and finish it.
//!
//! ```text
//! literals(["a"])  ->  node 0        repeat(0, 1, 3)  ->  node 1        root = 1, finish
//! ```
//!
//! Cost: a few nanoseconds for a node. A leaf that is there already is found: among few one by one, else by its hash.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::{Facts, INFINITE, Leaf, LeafId, Lexicon, Node, NodeId, PartBound, Spaces, TextSet, no_finite_text};
use crate::error::{Error, Result};
use crate::interrupt::{count, sort};
use crate::limits::Limits;
use crate::regular::{Encoding, Regular};

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
    /// Whether left recursion was written another way: then rules are no longer nodes of their own.
    pub was_left_recursive: bool,
    /// How deep operators are inside operators.
    pub nesting: usize,
    /// Bytes of the longest literal text.
    pub(super) longest: usize,
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
        self.nodes.iter().any(|node| match node {
            Node::Object(object) => object.tracks_values(),
            Node::Array(array) => array.counts_freely(),
            _ => false,
        })
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
    pub fn repeat(&mut self, body: NodeId, low: u32, high: u32) -> Result<NodeId> {
        if low > high {
            return Err(Error::argument("high", format!("repeat: at least {low} times is more than at most {high}")));
        }
        let flat = self.nested(body, low, high);
        Ok(self.add(flat.unwrap_or(Node::Repeat { body, low, high })))
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

    /// Proves that a text exists, prunes what has no finite text, and lets every loop read something: a repetition
    /// whose body may be empty has no fewest rounds, and left recursion is written another way. Nodes keep their texts and
    /// numbers, but for those of a left recursion that are entered only at its beginnings: they have no text any more.
    ///
    /// # Errors
    /// [`crate::Kind::Unsatisfiable`] when no text exists; [`crate::Kind::Limit`] when a literal text is too long, or left
    /// recursion takes too many nodes; [`crate::Kind::Language`] when a parser may read nothing before a rule recurs.
    pub fn finish(&mut self, limits: &Limits) -> Result<Facts> {
        if self.longest > TextSet::LONGEST {
            return Err(Error::limit("bytes of a literal text", self.longest, TextSet::LONGEST));
        }
        let mut facts = Facts::new(self, limits)?;
        if facts.shortest(self.root) >= INFINITE {
            return Err(no_finite_text(self, &facts));
        }
        facts.prune(self);
        facts.count_rounds_that_read(self);
        facts.rewrite_left_recursion(self, limits)?;
        Ok(facts)
    }
}
