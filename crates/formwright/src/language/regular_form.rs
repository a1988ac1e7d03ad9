//! Languages as regular ones, for `&` and `~`: patterns, choices, formats, free text, and what is composed of them.
//!
//! ```text
//! [a-z]+ & ~(yes|no)     And([a-z]+, Not(Or(yes, no))), one automaton
//! ```
//!
//! A language that is not regular, or too large for a tree, is intersected with a regular one by its rules: see [`product`].
//!
//! Cost: a tree as large as the graph; the automaton is built as for any pattern. Of large choices there is none, for
//! their trees of texts would become states.
//!
//! [`product`]: super::product

use super::{Graph, Language, Node, NodeId, UNBOUNDED};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::regular::{Encoding, Regular, Writing};

/// Nodes of the tree of one language.
const MOST_NODES: usize = 1 << 14;

/// Nesting of its operators: a tree is made by a function that calls itself.
const DEEPEST: usize = 256;

impl Language {
    /// The texts that are in this language and in `other`, of which one is regular.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when none is regular, or one holds JSON, control tokens, a parser, or a part with a bound on
    /// its tokens; [`crate::Kind::Unsatisfiable`] when no text is in both; [`crate::Kind::Limit`] when both together are too
    /// large.
    pub fn and(&self, other: &Self) -> Result<Self> {
        match (self.tree(), other.tree()) {
            (Ok(one), Ok(other)) => self.of_tree(Regular::and([one, other])),
            (Err(_), Ok(tree)) => self.restricted_to(&tree),
            (Ok(tree), Err(_)) => other.restricted_to(&tree),
            (Err(_), Err(_)) => {
                self.check_texts()?;
                other.check_texts()?;
                Err(none_is_regular())
            }
        }
    }

    /// The texts that are not in this language, which is regular.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when it is not; [`crate::Kind::Unsatisfiable`] when every text is in it.
    pub fn complement(&self) -> Result<Self> {
        self.of_tree(self.tree()?.not())
    }

    /// Checks that it is a set of texts, whose bytes say all of it.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] where it holds JSON, control tokens, a parser, or a part with a bound on its tokens.
    pub fn check_texts(&self) -> Result<()> {
        let graph = self.graph();
        if !graph.controls.is_empty() {
            return Err(not_regular("a control token"));
        }
        let mut seen = vec![false; graph.nodes.len()];
        let mut open = vec![graph.root];
        while let Some(node) = open.pop() {
            count(1);
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            match &graph.nodes[node as usize] {
                Node::Regular(leaf) | Node::Text { leaf, .. } => drop(tree_of_leaf(graph, *leaf)?),
                Node::Pieces(_, Writing::Json)
                | Node::Object(_)
                | Node::Array(_)
                | Node::Distinct(_)
                | Node::Tail(_) => return Err(not_regular("JSON")),
                node => node.each_part(|part| open.push(part)),
            }
        }
        Ok(())
    }

    fn of_tree(&self, tree: Regular) -> Result<Self> {
        let mut graph = Graph::default();
        graph.root = graph.regular(tree, Encoding::Text);
        Self::new(graph, self.limits())
    }

    /// Its texts as a tree.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when it is not regular, or too large.
    pub fn tree(&self) -> Result<Regular> {
        self.tree_of(self.graph().root)
    }

    /// The texts of one of its nodes as a tree.
    ///
    /// # Errors
    /// As [`Language::tree`].
    pub fn tree_of(&self, node: NodeId) -> Result<Regular> {
        let mut fuel = MOST_NODES;
        tree_of(self.graph(), node, DEEPEST, &mut fuel)
    }
}

/// The texts of a node, which nests at most so deep.
fn tree_of(graph: &Graph, node: NodeId, depth: usize, fuel: &mut usize) -> Result<Regular> {
    spend(fuel, 1)?;
    let depth = depth.checked_sub(1).ok_or_else(too_large)?;
    Ok(match &graph.nodes[node as usize] {
        Node::Never => Regular::Never,
        Node::Empty => Regular::Empty,
        Node::Regular(leaf) => tree_of_leaf(graph, *leaf)?,
        Node::Text { leaf, low, high } => {
            let tree = tree_of_leaf(graph, *leaf)?;
            let Some((class, ..)) = tree.class_times() else { return Err(not_regular("text")) };
            class.clone().repeat(*low, bound(*high))
        }
        Node::Literals(texts) => {
            let mut options = Vec::with_capacity(texts.len());
            for (text, _) in texts.iter() {
                spend(fuel, text.len())?;
                let text = std::str::from_utf8(text).map_err(|_| not_regular("a control token"))?;
                options.push(Regular::text(text));
            }
            Regular::or(options)
        }
        Node::Lexicon(_) => return Err(too_large()),
        Node::Pieces(pieces, Writing::Plain) => pieces.tree(),
        Node::Sequence(parts) => Regular::concat(all(graph, parts, depth, fuel)?),
        Node::Choice(options) => Regular::or(all(graph, options, depth, fuel)?),
        Node::Repeat { body, low, high } => tree_of(graph, *body, depth, fuel)?.repeat(*low, bound(*high)),
        Node::Rule(target) => tree_of(graph, *target, depth, fuel)?,
        Node::Pieces(_, Writing::Json) | Node::Object(_) | Node::Array(_) | Node::Distinct(_) | Node::Tail(_) => {
            return Err(not_regular("JSON"));
        }
    })
}

fn all(graph: &Graph, nodes: &[NodeId], depth: usize, fuel: &mut usize) -> Result<Vec<Regular>> {
    nodes.iter().map(|&node| tree_of(graph, node, depth, fuel)).collect()
}

/// The texts of a leaf as a tree.
///
/// # Errors
/// [`crate::Kind::Argument`] where its bytes do not say all of it, or it is JSON.
pub(super) fn tree_of_leaf(graph: &Graph, leaf: u32) -> Result<Regular> {
    if graph.bound_of(leaf).is_some() {
        return Err(not_regular("a part with max_tokens"));
    }
    let leaf = &graph.leaves[leaf as usize];
    match (&leaf.tree, leaf.encoding) {
        (Regular::Parser(_), _) => Err(not_regular("a character parser")),
        (tree, Encoding::Text) => Ok(tree.clone()),
        _ => Err(not_regular("JSON")),
    }
}

/// A bound as trees have it.
pub(super) fn bound(high: u32) -> Option<u32> {
    (high != UNBOUNDED).then_some(high)
}

fn spend(fuel: &mut usize, nodes: usize) -> Result<()> {
    *fuel = fuel.checked_sub(nodes).ok_or_else(too_large)?;
    Ok(())
}

fn not_regular(what: &str) -> Error {
    Error::argument("form", format!("&, - and ~ are for texts of patterns and grammars; this form holds {what}"))
        .hint("use patterns, choices, formats, free text and grammars of these")
}

fn too_large() -> Error {
    Error::argument(
        "form",
        "~: the form is not a pattern: it has rules inside themselves, or too many texts or parts. What a grammar does not \
         have is not a grammar in general",
    )
    .hint("subtract from it, or intersect it with a pattern: grammar - pattern, grammar & pattern")
}

fn none_is_regular() -> Error {
    Error::argument(
        "form",
        "&: one of the forms has to be a pattern, and both have rules inside themselves, or too many texts or parts. No \
         program can decide whether two grammars have a text in common",
    )
    .hint("write what one of them demands as a pattern, a choice, or a grammar whose rules do not lead to themselves")
}
