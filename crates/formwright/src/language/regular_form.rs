//! Languages as regular ones, for `&` and `~`: patterns, choices, formats, free text, and what is composed of them.
//!
//! ```text
//! [a-z]+ & ~(yes|no)     And([a-z]+, Not(Or(yes, no))), one automaton
//! ```
//!
//! Cost: a tree as large as the graph; the automaton is built as for any pattern. Large choices are refused, for
//! their trees of texts would become states.

use super::{Graph, Language, Node, NodeId, UNBOUNDED};
use crate::error::{Error, Result};
use crate::regular::{Encoding, Regular, Writing};

/// Nodes of the tree of one language.
const MOST_NODES: usize = 1 << 14;

/// Nesting of its operators: a tree is made by a function that calls itself.
const DEEPEST: usize = 256;

impl Language {
    /// The texts that are in this language and in `other`.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when one is not regular; [`crate::Kind::Unsatisfiable`] when no text is in both.
    pub fn and(&self, other: &Self) -> Result<Self> {
        self.of_tree(Regular::and([self.tree()?, other.tree()?]))
    }

    /// The texts that are not in this language.
    ///
    /// # Errors
    /// As [`Language::and`].
    pub fn complement(&self) -> Result<Self> {
        self.of_tree(self.tree()?.not())
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
        Node::Regular(leaf) => of_leaf(graph, *leaf)?,
        Node::Text { leaf, low, high } => {
            let tree = of_leaf(graph, *leaf)?;
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

fn of_leaf(graph: &Graph, leaf: u32) -> Result<Regular> {
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

fn bound(high: u32) -> Option<u32> {
    (high != UNBOUNDED).then_some(high)
}

fn spend(fuel: &mut usize, nodes: usize) -> Result<()> {
    *fuel = fuel.checked_sub(nodes).ok_or_else(too_large)?;
    Ok(())
}

fn not_regular(what: &str) -> Error {
    Error::argument("form", format!("& and ~ are for regular forms; this one holds {what}"))
        .hint("use patterns, choices, formats and free text in them")
}

fn too_large() -> Error {
    Error::argument(
        "form",
        "& and ~: a form of so many texts or parts, or of rules inside themselves, is not a pattern",
    )
    .hint("use choices with fewer options, and grammars whose rules do not lead to themselves")
}
