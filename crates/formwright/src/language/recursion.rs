//! Left recursion, written another way: a rule that may begin with itself is what it begins with otherwise, and then what
//! may come after itself.
//!
//! ```text
//! e: e "+" t | t              e: t ("+" t)*
//! a: b "x" | "1"              a: "1" ("y" "x")* | "2" "x" ("y" "x")*
//! b: a "y" | "2"              (b is entered through a only)
//! s: n s "!" | "."            s: ("n" s "!" | ".") "!"*
//! n: "n" |
//! a: a | "x"                  a: "x"
//! ```
//!
//! The machine enters a node before it reads a byte, so that it would enter such a rule for ever. Nodes that begin with each
//! other are a *component*: a strongly connected one of the graph whose edges lead from a node to those that may begin it
//! (Tarjan, Depth-first search and linear graph algorithms, 1972). The left corner transform (Rosenkrantz and Lewis,
//! Deterministic left corner parsing, 1970) turns it round, on texts that are not empty:
//!
//! * A [`Production`] of a node is a text of another one that is not empty, and a rest. With parts that may be empty a
//!   sequence has one for each part that may be the first to read something, so that nothing is hidden before a recursion.
//! * A *target* is a node of a component that is entered otherwise than at the beginning of its own component. It becomes a
//!   *seed*, a production whose beginning is outside of the component, and the *climb* from its node to the target.
//! * The climb from a node to a target is a rest that is not empty, of a production that begins with that node, and the climb
//!   from its node; or nothing, if the target is reached by rests that may be empty. Climbs come last, and so take
//!   no frame of a stack. One that only goes on with itself is a repetition.
//!
//! Every node keeps its texts and its number, but for those that only their own component enters: they have none any more.
//!
//! Cost: a look at each node. Where there is left recursion, for each target the rests of its component, at most.

use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::leftmost::find_recursive;
use super::{Facts, Graph, Leaf, LeafId, Node, NodeId, UNBOUNDED};
use crate::error::{Error, Kind, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::Regular;

/// Insertion order keeps what is built independent of hashes.
type ByClimb = IndexMap<Option<NodeId>, Vec<NodeId>, FxBuildHasher>;

/// How a text begins that is not empty: with such a text of `first`. Then comes a text of `rest`, if there is one.
#[derive(Clone, Copy)]
struct Production {
    first: NodeId,
    rest: Option<NodeId>,
}

/// What may come after a node of a component.
struct Follow {
    /// The number of the rests that may come, by which equal ones share their climbs.
    rests: usize,
    /// The targets that may end there.
    ends: FxHashSet<NodeId>,
}

/// A rest that is not empty, and the node that has then been read.
type Rest = (NodeId, NodeId);

/// What determines a climb: its target, the rests with which it may go on, and whether it may be empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Climb {
    target: NodeId,
    rests: usize,
    ends: bool,
}

/// A node whose number is known, and which is still to be written.
enum ToWrite {
    /// The texts of a node that are not empty.
    NonEmpty(NodeId),
    Climb(Climb),
}

/// The rewriting of a graph.
struct Rewriting<'g> {
    graph: &'g mut Graph,
    limits: &'g Limits,
    /// By node: whether it has the empty text.
    nullable: Vec<bool>,
    components: Vec<Vec<NodeId>>,
    /// By node of a component: which one.
    component_of: FxHashMap<NodeId, usize>,
    /// By node of a component.
    productions: FxHashMap<NodeId, Vec<Production>>,
    /// By node of a component: the productions of its component that begin with it, each with its node.
    uses: FxHashMap<NodeId, Vec<(NodeId, Option<NodeId>)>>,
    targets: FxHashSet<NodeId>,
    /// By node that has the empty text: the node of its other texts.
    non_empty: FxHashMap<NodeId, NodeId>,
    /// By node of a component.
    seeds: FxHashMap<NodeId, Option<NodeId>>,
    follows: FxHashMap<NodeId, Rc<Follow>>,
    rests: Vec<Rc<[Rest]>>,
    rests_ids: FxHashMap<Rc<[Rest]>, usize>,
    climbs: FxHashMap<Climb, NodeId>,
    to_write: Vec<(ToWrite, NodeId)>,
    empty: Option<NodeId>,
}

impl Facts {
    /// Writes left recursion another way.
    ///
    /// # Errors
    /// [`Kind::Limit`] if that takes too many nodes; [`Kind::Language`] where a part is read by a parser that may read
    /// nothing before it recurs.
    pub(super) fn rewrite_left_recursion(&mut self, graph: &mut Graph, limits: &Limits) -> Result<()> {
        let components = find_recursive(self, graph);
        if components.is_empty() {
            return Ok(());
        }
        graph.was_left_recursive = true;
        Rewriting::new(graph, self, components, limits).rewrite()?;
        self.update(graph, limits)?;
        debug_assert!(Self::new(graph, limits).is_ok_and(|anew| anew.is_like(self)), "nodes have kept their texts");
        self.prune(graph); // what had but the empty text has none without it
        debug_assert!(find_recursive(self, graph).is_empty(), "left recursion is left");
        Ok(())
    }
}

impl<'g> Rewriting<'g> {
    fn new(graph: &'g mut Graph, facts: &Facts, components: Vec<Vec<NodeId>>, limits: &'g Limits) -> Self {
        let nullable = (0..graph.nodes.len() as NodeId).map(|node| facts.nullable(node)).collect();
        let members =
            components.iter().zip(0..).flat_map(|(nodes, index)| nodes.iter().map(move |&node| (node, index)));
        Self {
            graph,
            limits,
            nullable,
            component_of: members.collect(),
            components,
            productions: FxHashMap::default(),
            uses: FxHashMap::default(),
            targets: FxHashSet::default(),
            non_empty: FxHashMap::default(),
            seeds: FxHashMap::default(),
            follows: FxHashMap::default(),
            rests: Vec::new(),
            rests_ids: FxHashMap::default(),
            climbs: FxHashMap::default(),
            to_write: Vec::new(),
            empty: None,
        }
    }

    fn rewrite(mut self) -> Result<()> {
        let members: Vec<NodeId> = self.components.iter().flatten().copied().collect();
        for &node in &members {
            self.find_productions(node)?;
        }
        self.find_targets();
        for &node in &members {
            self.begin(node)?;
        }
        while let Some((what, at)) = self.to_write.pop() {
            let written = match what {
                ToWrite::NonEmpty(node) if self.component_of.contains_key(&node) => self.target(node)?,
                ToWrite::NonEmpty(node) => self.without_empty(node)?,
                ToWrite::Climb(climb) => self.climb_node(climb, at)?,
            };
            self.graph.nodes[at as usize] = written;
        }
        Ok(())
    }

    /// Adds a node.
    fn add(&mut self, node: Node, is_nullable: bool) -> Result<NodeId> {
        let (nodes, most) = (self.graph.nodes.len(), self.limits.nodes);
        if nodes >= most {
            let hint = "let fewer rules begin with each other: each of them is written out with what may follow it";
            return Err(Error::limit("nodes of rules that begin with each other", nodes + 1, most).hint(hint));
        }
        self.nullable.push(is_nullable);
        Ok(self.graph.add(node))
    }

    /// The component of a node, if it is in one.
    fn component(&self, node: NodeId) -> Option<usize> {
        self.component_of.get(&node).copied()
    }

    fn is_nullable(&self, node: NodeId) -> bool {
        self.nullable[node as usize]
    }

    /// Finds the productions of a node of a component, and notes which of them begin inside of it.
    fn find_productions(&mut self, node: NodeId) -> Result<()> {
        let (productions, component) = (self.productions_of(node)?, self.component(node));
        for &Production { first, rest } in &productions {
            if self.component(first) == component {
                self.uses.entry(first).or_default().push((node, rest));
            }
        }
        self.productions.insert(node, productions);
        Ok(())
    }

    /// The productions of a node that refers to others.
    fn productions_of(&mut self, node: NodeId) -> Result<Vec<Production>> {
        let alone = |first: &NodeId| Production { first: *first, rest: None };
        Ok(match self.graph.nodes[node as usize].clone() {
            Node::Rule(target) => vec![alone(&target)],
            Node::Choice(options) => options.iter().map(alone).collect(),
            Node::Sequence(parts) => self.productions_of_sequence(&parts)?,
            Node::Repeat { body, low, high } => {
                vec![Production { first: body, rest: self.further_rounds(body, low, high)? }]
            }
            _ => Vec::new(),
        })
    }

    /// The productions of a sequence: one for each part before which all parts may be empty.
    fn productions_of_sequence(&mut self, parts: &[NodeId]) -> Result<Vec<Production>> {
        let empty = parts.iter().take_while(|&&part| self.is_nullable(part)).count();
        let beginnings = parts.len().min(empty + 1);
        let mut rest = match &parts[beginnings..] {
            [] => None,
            after => Some(self.sequence(after)?),
        };
        let mut productions = Vec::with_capacity(beginnings);
        for (at, &first) in parts[..beginnings].iter().enumerate().rev() {
            count(1);
            productions.push(Production { first, rest });
            if at > 0 {
                rest = Some(rest.map_or(Ok(first), |rest| self.sequence(&[first, rest]))?);
            }
        }
        productions.reverse();
        Ok(productions)
    }

    /// The rounds of a repetition after the first one, if there may be any.
    fn further_rounds(&mut self, body: NodeId, low: u32, high: u32) -> Result<Option<NodeId>> {
        let (low, high) = (low.saturating_sub(1), if high == UNBOUNDED { high } else { high - 1 });
        if high == 0 {
            return Ok(None);
        }
        let is_nullable = low == 0 || self.is_nullable(body);
        self.add(Node::Repeat { body, low, high }, is_nullable).map(Some)
    }

    /// Some nodes in a row, at least one.
    fn sequence(&mut self, parts: &[NodeId]) -> Result<NodeId> {
        let is_nullable = parts.iter().all(|&part| self.is_nullable(part));
        if let [part] = parts { Ok(*part) } else { self.add(Node::Sequence(parts.into()), is_nullable) }
    }

    /// Any of some nodes, at least one, none of which has the empty text.
    fn choice(&mut self, options: &[NodeId]) -> Result<NodeId> {
        if let [option] = options { Ok(*option) } else { self.add(Node::Choice(options.into()), false) }
    }

    /// Finds which nodes are entered otherwise than at the beginning of their own component.
    fn find_targets(&mut self) {
        let mut entered = FxHashSet::from_iter([self.graph.root]);
        for (node, index) in self.graph.nodes.iter().zip(0..) {
            match self.productions.get(&index) {
                None => node.each_part(|part| _ = entered.insert(part)),
                Some(productions) => {
                    let component = self.component(index);
                    let others = productions
                        .iter()
                        .map(|production| production.first)
                        .filter(|&first| self.component(first) != component);
                    entered.extend(others.chain(productions.iter().filter_map(|production| production.rest)));
                }
            }
        }
        entered.retain(|node| self.component_of.contains_key(node));
        self.targets = entered;
    }

    /// Begins to write a node of a component anew: what is not [`Node::Never`] from here on is final.
    fn begin(&mut self, node: NodeId) -> Result<()> {
        self.graph.nodes[node as usize] = Node::Never;
        if self.targets.contains(&node) && self.is_nullable(node) {
            let options = [self.empty()?, self.non_empty(node)?];
            self.graph.nodes[node as usize] = Node::Choice(options.into());
        } else if self.targets.contains(&node) {
            self.to_write.push((ToWrite::NonEmpty(node), node));
        }
        Ok(())
    }

    /// The node of the empty text.
    fn empty(&mut self) -> Result<NodeId> {
        let empty = self.empty.map_or_else(|| self.add(Node::Empty, true), Ok)?;
        self.empty = Some(empty);
        Ok(empty)
    }

    /// The node of the texts of a node that are not empty.
    fn non_empty(&mut self, node: NodeId) -> Result<NodeId> {
        if !self.is_nullable(node) {
            return Ok(node);
        }
        if let Some(&known) = self.non_empty.get(&node) {
            return Ok(known);
        }
        let made = self.add(Node::Never, false)?;
        self.non_empty.insert(node, made);
        self.to_write.push((ToWrite::NonEmpty(node), made));
        Ok(made)
    }

    /// The texts that are not empty of a node outside of all components.
    fn without_empty(&mut self, node: NodeId) -> Result<Node> {
        match self.graph.nodes[node as usize] {
            Node::Regular(leaf) => return Ok(Node::Regular(self.non_empty_leaf(leaf)?)),
            Node::Text { leaf, high, .. } => return Ok(Node::Text { leaf, low: 1, high }),
            _ => {}
        }
        let mut options = Vec::new();
        for production in self.productions_of(node)? {
            options.push(self.production(production)?);
        }
        Ok(self.either(&options))
    }

    /// What any of some nodes is.
    fn either(&self, options: &[NodeId]) -> Node {
        match options {
            [only] => match &self.graph.nodes[*only as usize] {
                Node::Never => Node::Rule(*only), // perhaps it is still to be written
                known => known.clone(),
            },
            _ => Node::Choice(options.into()),
        }
    }

    /// The texts of a leaf that are not empty.
    fn non_empty_leaf(&mut self, leaf: LeafId) -> Result<LeafId> {
        let Leaf { tree, encoding } = self.graph.leaves[leaf as usize].clone();
        if matches!(tree, Regular::Parser(_)) {
            let what = "language: a part that a parser reads may be empty before a rule refers to itself";
            return Err(Error::new(Kind::Language, what).hint("let the parser read at least one character"));
        }
        let leaf_of_some = Leaf { tree: Regular::and([tree, Regular::length(1, None)]), encoding };
        Ok(match self.graph.bound_of(leaf).copied() {
            Some(bound) => self.graph.bounded_leaf(leaf_of_some, bound.most, bound.farthest),
            None => self.graph.leaf(leaf_of_some),
        })
    }

    /// The node of a production.
    fn production(&mut self, Production { first, rest }: Production) -> Result<NodeId> {
        let first = self.non_empty(first)?;
        rest.map_or(Ok(first), |rest| self.sequence(&[first, rest]))
    }

    /// The texts of a target that are not empty.
    fn target(&mut self, target: NodeId) -> Result<Node> {
        let (mut by_climb, component) = (ByClimb::default(), self.component_of[&target]);
        for at in 0..self.components[component].len() {
            count(1);
            let node = self.components[component][at];
            if let Some(seed) = self.seed(node)? {
                let climb = self.climb(target, node)?;
                by_climb.entry(climb).or_default().push(seed);
            }
        }
        let options = self.with_climbs(by_climb)?;
        Ok(self.either(&options))
    }

    /// The productions of a node that begin outside of its component, if there are any.
    fn seed(&mut self, node: NodeId) -> Result<Option<NodeId>> {
        if let Some(&known) = self.seeds.get(&node) {
            return Ok(known);
        }
        let (mut seeds, component) = (Vec::new(), self.component(node));
        for at in 0..self.productions[&node].len() {
            let production = self.productions[&node][at];
            if self.component(production.first) != component {
                seeds.push(self.production(production)?);
            }
        }
        let seed = if seeds.is_empty() { None } else { Some(self.choice(&seeds)?) };
        self.seeds.insert(node, seed);
        Ok(seed)
    }

    /// By what comes after them: one of some nodes, and then that.
    fn with_climbs(&mut self, by_climb: ByClimb) -> Result<Vec<NodeId>> {
        let mut options = Vec::with_capacity(by_climb.len());
        for (climb, before) in by_climb {
            let before = self.choice(&before)?;
            options.push(climb.map_or(Ok(before), |climb| self.sequence(&[before, climb]))?);
        }
        Ok(options)
    }

    /// The node of what comes between a node of a component and the end of a target; `None` if nothing does.
    fn climb(&mut self, target: NodeId, node: NodeId) -> Result<Option<NodeId>> {
        let follow = self.follow(node)?;
        let climb = Climb { target, rests: follow.rests, ends: follow.ends.contains(&target) };
        if self.rests[climb.rests].is_empty() {
            return Ok(None);
        }
        if let Some(&known) = self.climbs.get(&climb) {
            return Ok(Some(known));
        }
        let made = self.add(Node::Never, climb.ends)?;
        self.climbs.insert(climb, made);
        self.to_write.push((ToWrite::Climb(climb), made));
        Ok(Some(made))
    }

    /// What may come after a node of a component, and after those that it is then a text of without more.
    fn follow(&mut self, node: NodeId) -> Result<Rc<Follow>> {
        if let Some(known) = self.follows.get(&node) {
            return Ok(Rc::clone(known));
        }
        let (mut reached, mut seen, mut rests) = (vec![node], FxHashSet::from_iter([node]), Vec::new());
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            for at in 0..self.uses.get(&node).map_or(0, Vec::len) {
                count(1);
                let (above, rest) = self.uses[&node][at];
                if let Some(rest) = rest {
                    rests.push((self.non_empty(rest)?, above));
                }
                if rest.is_none_or(|rest| self.is_nullable(rest)) && seen.insert(above) {
                    reached.push(above);
                }
            }
        }
        rests.sort_unstable();
        rests.dedup();
        reached.retain(|node| self.targets.contains(node));
        let follow = Rc::new(Follow { rests: self.number(&rests), ends: reached.into_iter().collect() });
        self.follows.insert(node, Rc::clone(&follow));
        Ok(follow)
    }

    /// The number of some rests.
    fn number(&mut self, rests: &[Rest]) -> usize {
        if let Some(&known) = self.rests_ids.get(rests) {
            return known;
        }
        let rests: Rc<[Rest]> = rests.into();
        self.rests.push(Rc::clone(&rests));
        self.rests_ids.insert(rests, self.rests.len() - 1);
        self.rests.len() - 1
    }

    /// What a climb is, whose own number is known.
    fn climb_node(&mut self, climb: Climb, own: NodeId) -> Result<Node> {
        let mut by_climb = ByClimb::default();
        for &(rest, above) in &*Rc::clone(&self.rests[climb.rests]) {
            count(1);
            let after = self.climb(climb.target, above)?;
            by_climb.entry(after).or_default().push(rest);
        }
        if let (true, 1, Some(rests)) = (climb.ends, by_climb.len(), by_climb.get(&Some(own))) {
            return Ok(Node::Repeat { body: self.choice(rests)?, low: 0, high: UNBOUNDED });
        }
        let mut options = self.with_climbs(by_climb)?;
        if climb.ends {
            options.push(self.empty()?);
        }
        Ok(self.either(&options))
    }
}
