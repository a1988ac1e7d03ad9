//! A graph made ready to run: with an automaton for each leaf, and the bytes that each node may start with.
//!
//! ```text
//! Choice(Object, Regular([a-z]+))     first bytes: {, a to z
//! ```
//!
//! Choices of objects that begin alike are factored first ([`Graph::left_factor`]), so nodes of a compiled graph are
//! not those of the graph it was made of. It is frozen, and shared by every matcher of a constraint.
//!
//! Cost: one automaton for each leaf, without states; first bytes are found when they are asked for.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::leftmost::ranks;
use super::text_lengths::TextLengths;
use super::{
    Array, Facts, Follows, Graph, INFINITE, Layout, LayoutCosts, Leaf, LeafId, MinimumLengths, Node, NodeId, Object,
    PartBound, Rises, Spaces,
};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::regular::{Automaton, ByteSet, StateId};

/// A graph with the automata of its leaves.
#[derive(Debug)]
pub struct CompiledGraph {
    graph: Arc<Graph>,
    /// What was proved about its nodes.
    pub facts: Arc<Facts>,
    /// What its whitespace costs.
    pub costs: LayoutCosts,
    automata: Vec<Arc<Automaton>>,
    /// By leaf: the state between two characters, for the languages of all texts of some characters.
    inside: Vec<Option<StateId>>,
    /// The leaves that are read by a parser.
    parsers: Box<[LeafId]>,
    /// By leaf, as far as there are bounds: how many tokens may end inside.
    bounds: Vec<Option<PartBound>>,
    first: Vec<OnceLock<ByteSet>>,
    /// By node: more than those that it begins with.
    ranks: OnceLock<Box<[u32]>>,
    /// Whether a leaf begins with letters.
    has_text: OnceLock<bool>,
    /// Whether some array compares its items as values.
    has_rules: bool,
    follows: OnceLock<Follows>,
    compares_values: bool,
    /// Whether values decide in some object or array what else must come.
    tracks_values: bool,
    /// Nodes of the stacks of a text, at most.
    stack_nodes: usize,
    /// By node: how much longer its text gets if it must be new.
    detours: OnceLock<Box<[u32]>>,
    lengths: OnceLock<Box<Lengths>>,
}

/// What is found about lengths when a budget asks for it.
#[derive(Debug, Default)]
struct Lengths {
    /// Of the leaves whose texts must differ: the lengths of their texts.
    texts: FxHashMap<LeafId, TextLengths>,
    /// Of the objects whose state is a position: what must come from each position on.
    required: FxHashMap<NodeId, OnceLock<Required>>,
    /// How much farther from the end a text can be led; `None` if that is not known.
    rises: OnceLock<Option<Rises>>,
    /// By node: whether no part that must come holds the node again.
    bounded: OnceLock<Box<[bool]>>,
}

/// By position: bytes of the members that must still come, without commas, and their number.
type Required = Box<[(u32, u32)]>;

impl CompiledGraph {
    /// `automaton` returns the automaton of each leaf.
    pub fn new(
        mut graph: Arc<Graph>,
        mut facts: Arc<Facts>,
        limits: &Limits,
        mut automaton: impl FnMut(LeafId, &Leaf) -> Result<Arc<Automaton>>,
    ) -> Result<Self> {
        let choices = graph.choices_of_objects();
        if !choices.is_empty() {
            Arc::make_mut(&mut graph).left_factor(&choices, Arc::make_mut(&mut facts));
        }
        let automata: Vec<Arc<Automaton>> =
            graph.leaves.iter().zip(0..).map(|(leaf, index)| automaton(index, leaf)).collect::<Result<_>>()?;
        let inside = graph
            .leaves
            .iter()
            .zip(&automata)
            .map(|(leaf, automaton)| leaf.tree.is_class_loop().then(|| automaton.content_start()));
        let parsers = automata.iter().zip(0..).filter(|(automaton, _)| automaton.is_parsed()).map(|(_, leaf)| leaf);
        Ok(Self {
            inside: inside.collect(),
            parsers: parsers.collect(),
            bounds: bounds_by_leaf(&graph.bounds),
            costs: LayoutCosts::new(&graph),
            first: (0..graph.nodes.len()).map(|_| OnceLock::new()).collect(),
            ranks: OnceLock::new(),
            has_rules: graph.was_left_recursive || graph.nodes.iter().any(|node| matches!(node, Node::Rule(_))),
            follows: OnceLock::new(),
            has_text: OnceLock::new(),
            compares_values: graph.compares_values(),
            tracks_values: graph.tracks_values(),
            stack_nodes: limits.stack_nodes,
            detours: OnceLock::new(),
            lengths: OnceLock::new(),
            automata,
            graph,
            facts,
        })
    }

    /// The node that is the whole language.
    pub fn root(&self) -> NodeId {
        self.graph.root
    }

    /// The nodes that a text may come to, each after one that leads to it.
    pub(super) fn reached(&self) -> Vec<NodeId> {
        self.graph.reached()
    }

    /// Whether it holds a grammar, whose rules may nest: then stacks have no bound.
    #[inline]
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// What may follow the nodes.
    pub fn follows(&self) -> &Follows {
        self.follows.get_or_init(|| Follows::of(self))
    }

    /// Where whitespace may be.
    #[inline]
    pub fn spaces(&self) -> &Arc<Spaces> {
        &self.graph.spaces
    }

    /// A node.
    #[inline]
    pub fn node(&self, node: NodeId) -> &Node {
        &self.graph.nodes[node as usize]
    }

    /// The automaton of a leaf.
    #[inline]
    pub fn automaton(&self, leaf: LeafId) -> &Arc<Automaton> {
        &self.automata[leaf as usize]
    }

    /// Whether the texts of a leaf begin with letters, as those of JSON never do.
    pub fn begins_with_letters(&self, leaf: LeafId) -> bool {
        let automaton = self.automaton(leaf);
        automaton.next_bytes(automaton.start().state()).contains(b'a')
    }

    /// Whether those of any leaf do.
    pub fn has_text(&self) -> bool {
        *self.has_text.get_or_init(|| (0..self.automata.len() as LeafId).any(|leaf| self.begins_with_letters(leaf)))
    }

    /// The state between two characters, for a leaf of all texts of some characters.
    #[inline]
    pub fn inside(&self, leaf: LeafId) -> Option<StateId> {
        self.inside[leaf as usize]
    }

    /// Whether only so many tokens may end in some part.
    #[inline]
    pub fn has_bounds(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// How many tokens may end in a leaf, if there is a bound.
    #[inline]
    pub fn bound_of(&self, leaf: LeafId) -> Option<&PartBound> {
        self.bounds.get(leaf as usize)?.as_ref()
    }

    /// Asks a question about the shortest texts of the parts of a container, and about texts that must differ.
    pub fn with_lengths<T>(&self, layout: &Layout, ask: impl FnOnce(&MinimumLengths<'_>) -> T) -> T {
        let value = |node: NodeId| self.facts.shortest(node);
        let leaf = |leaf: LeafId| self.facts.shortest_of_leaf(leaf);
        let texts = |leaf: LeafId, length: u32| {
            let texts = self.lengths().texts.get(&leaf);
            texts.map_or((u64::MAX, false), |texts| texts.up_to(self.automaton(leaf), length))
        };
        let (colon, between) = (self.costs.colon(layout), self.costs.between_items(layout));
        ask(&MinimumLengths { value: &value, leaf: &leaf, texts: &texts, colon, between })
    }

    fn lengths(&self) -> &Lengths {
        self.lengths.get_or_init(|| {
            let mut lengths = Lengths::default();
            for (node, index) in self.graph.nodes.iter().zip(0..) {
                match node {
                    Node::Object(object) if object.is_plain() => {
                        lengths.required.insert(index, OnceLock::new());
                    }
                    Node::Object(object) => {
                        lengths.texts.extend(object.undeclared.iter().map(|kind| (kind.name, TextLengths::default())));
                    }
                    Node::Distinct(leaves) => {
                        lengths.texts.extend(leaves.iter().map(|&leaf| (leaf, TextLengths::default())));
                    }
                    _ => {}
                }
            }
            Box::new(lengths)
        })
    }

    /// Of an object whose state is a position: the bytes of the members that must come from `position` on, without
    /// commas, and their number.
    pub fn required_from(&self, node: NodeId, object: &Object, position: u32) -> (u32, u32) {
        let Some(required) = self.lengths().required.get(&node) else { return (INFINITE, 1) };
        let required = required.get_or_init(|| {
            self.with_lengths(&object.layout, |lengths| {
                let mut all = vec![(0_u32, 0); object.members.len() + 1];
                for (at, member) in object.members.iter().enumerate().rev() {
                    let (bytes, count) = all[at + 1];
                    let length = object.length_of(at as u32, lengths);
                    let more = (bytes.saturating_add(length).min(INFINITE), count + 1);
                    all[at] = if member.required { more } else { (bytes, count) };
                }
                all.into()
            })
        });
        required[position as usize]
    }

    /// Whether no part of a node that must come holds the node again.
    pub fn is_bounded(&self, node: NodeId) -> bool {
        self.lengths().bounded.get_or_init(|| self.find_bounded())[node as usize]
    }

    /// Whether some array compares its items as values.
    #[inline]
    pub fn compares_values(&self) -> bool {
        self.compares_values
    }

    /// Whether values decide in some object or array what else must come.
    #[inline]
    pub fn tracks_values(&self) -> bool {
        self.tracks_values
    }

    /// Nodes of the stacks of a text, at most.
    #[inline]
    pub fn stack_nodes(&self) -> usize {
        self.stack_nodes
    }

    /// Bytes by which a text of a node gets longer, at most, if it must be another value than those used before, whichever
    /// they are; [`INFINITE`] if that is not bounded.
    pub fn detour(&self, node: NodeId) -> u32 {
        self.detours.get_or_init(|| self.find_detours())[node as usize]
    }

    /// How much farther from the end its texts can be led; `None` if that is not known.
    pub fn rises(&self) -> Option<&Rises> {
        self.lengths().rises.get_or_init(|| self.find_rises()).as_ref()
    }

    /// The nodes with their numbers.
    pub fn numbered_nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).zip(&self.graph.nodes)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> NodeId {
        self.graph.nodes.len() as NodeId
    }

    /// A leaf.
    pub(super) fn leaf(&self, leaf: LeafId) -> &Leaf {
        &self.graph.leaves[leaf as usize]
    }

    /// The leaves of the items of an array that must all differ.
    pub fn distinct(&self, array: &Array) -> SmallVec<[(LeafId, u32); 2]> {
        array.distinct(&self.graph).unwrap_or_default()
    }

    /// How many characters of one byte a JSON string of a class of characters can go on with; `None` for other leaves.
    pub fn plain_characters(&self, leaf: LeafId) -> Option<usize> {
        self.inside(leaf).map(|_| self.automaton(leaf).plain_characters())
    }

    /// Whether some automaton has grown large.
    pub fn is_near_its_limit(&self) -> bool {
        self.automata.iter().any(|automaton| automaton.is_near_its_limit())
    }

    /// The units of work that were done to build its automata so far.
    pub fn units(&self) -> u64 {
        self.automata.iter().map(|automaton| automaton.units()).sum()
    }

    /// Whether some automaton gave up: answers since then may miss texts.
    pub fn overflowed(&self) -> bool {
        self.automata.iter().any(|automaton| automaton.overflowed())
    }

    /// Whether some leaf is read by a parser, which runs code of the host.
    pub fn has_parser(&self) -> bool {
        !self.parsers.is_empty()
    }

    /// Fails if a parser did: answers since then may miss texts.
    ///
    /// # Errors
    /// That of the parser.
    pub fn check_parsers(&self) -> Result<()> {
        let mut failures = self.parsers.iter().filter_map(|&leaf| self.automaton(leaf).failure());
        failures.next().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Fails if it is not known how far its texts are from their end.
    ///
    /// # Errors
    /// [`Kind::Argument`].
    pub fn check_ends(&self) -> Result<()> {
        if self.parsers.iter().all(|&leaf| self.automaton(leaf).knows_ends()) {
            return Ok(());
        }
        let message =
            "a parser does not say how far a text is from its end, so that no text can be finished within a budget";
        Err(Error::argument("budget", message).hint("define shortest() in the parser, or pass no budget: finish=False"))
    }

    /// The bytes a text of `node` may start with (perhaps more).
    #[inline]
    pub fn first(&self, node: NodeId) -> ByteSet {
        self.first[node as usize].get().copied().unwrap_or_else(|| self.find_first(node))
    }

    /// The same when it is not known yet: found after that of the nodes it begins with. Operators are nested deeply, so
    /// these are a list, and no calls.
    #[cold]
    fn find_first(&self, node: NodeId) -> ByteSet {
        let known = |node: NodeId| self.first[node as usize].get().copied();
        let mut open = vec![node];
        while let Some(&top) = open.last() {
            let parts = self.beginnings(top);
            let before = open.len();
            open.extend(parts.iter().copied().filter(|&part| known(part).is_none()));
            if open.len() == before {
                let sets = parts.into_iter().filter_map(known);
                let set = sets.fold(self.own_first(top), |all, set| all.union(&set));
                let _ = self.first[top as usize].set(set); // another thread may have found the same
                open.pop();
            }
        }
        known(node).unwrap_or_default()
    }

    /// A number that is higher than those of all nodes that a node begins with.
    pub fn rank(&self, node: NodeId) -> u32 {
        self.ranks.get_or_init(|| ranks(&self.facts, &self.graph))[node as usize]
    }

    /// The nodes that a node may begin with.
    fn beginnings(&self, node: NodeId) -> SmallVec<[NodeId; 8]> {
        match self.node(node) {
            Node::Sequence(parts) => {
                let empty = parts.iter().take_while(|&&part| self.facts.nullable(part)).count();
                parts.iter().take(empty + 1).copied().collect()
            }
            Node::Choice(options) => SmallVec::from_slice(options),
            Node::Repeat { body, .. } => SmallVec::from_slice(&[*body]),
            Node::Rule(target) => SmallVec::from_slice(&[*target]),
            Node::Tail(tail) => tail.ways.iter().map(|&(value, _)| value).collect(),
            _ => SmallVec::new(),
        }
    }

    /// The bytes a text of a node may start with by itself, not by another node.
    fn own_first(&self, node: NodeId) -> ByteSet {
        let mut set = ByteSet::default();
        match self.node(node) {
            Node::Literals(texts) => {
                texts.iter().filter_map(|(text, _)| text.first()).for_each(|byte| set.insert(*byte));
            }
            Node::Lexicon(_) | Node::Pieces(..) => set = self.node(node).text_bytes(0),
            Node::Text { leaf, .. } if self.automaton(*leaf).is_self_delimiting() => set.insert(b'"'),
            Node::Regular(leaf) | Node::Text { leaf, .. } => {
                let automaton = self.automaton(*leaf);
                set = automaton.next_bytes(automaton.start().state());
            }
            Node::Object(object) => set.insert(if object.is_unbraced() { b'"' } else { b'{' }),
            Node::Array(_) => set.insert(b'['),
            Node::Distinct(leaves) => {
                for &leaf in leaves {
                    let automaton = self.automaton(leaf);
                    set = set.union(&automaton.next_bytes(automaton.start().state()));
                }
            }
            Node::Tail(tail) => {
                tail.texts.iter().filter_map(|(text, _)| text.first()).for_each(|byte| set.insert(*byte));
            }
            _ => {}
        }
        set
    }
}

fn bounds_by_leaf(bounds: &[PartBound]) -> Vec<Option<PartBound>> {
    let leaves = bounds.iter().map(|bound| bound.leaf as usize + 1).max().unwrap_or(0);
    let mut by_leaf = vec![None; leaves];
    for &bound in bounds {
        by_leaf[bound.leaf as usize] = Some(bound);
    }
    by_leaf
}
