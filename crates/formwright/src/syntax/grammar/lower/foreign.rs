//! Other languages inside a grammar.
//!
//! What a lexer asks of them is asked of their texts as a whole, if they are regular. Of others it can be asked of what
//! they begin with:
//!
//! ```text
//! start: ";" @list, ignored " "       " *" and then "(" ...: after ignored spaces, only what does not begin with a space
//! ```

use crate::error::Result;
use crate::language::{Language, Node, NodeId};
use crate::regular::{ByteSet, Regular};

/// Nodes at which it is looked for what a language begins with.
const MOST_STEPS: usize = 64;

/// Another language inside a grammar.
pub struct Foreign {
    pub(in super::super) language: Language,
    /// The bytes that its texts begin with.
    pub(in super::super) first: ByteSet,
    /// Its texts, if it is regular.
    pub tree: Option<Regular>,
    /// Whether the empty text is one of them.
    pub is_nullable: bool,
    /// If it is not regular: what its texts begin with, if that is.
    pub beginning: Option<Beginning>,
}

/// What all texts of a language begin with.
pub struct Beginning {
    pub tree: Regular,
    /// What comes after it, one after the other.
    pub rest: Vec<NodeId>,
    /// The bytes that come first where nothing of it does.
    pub next: ByteSet,
}

impl Foreign {
    /// What there is to know of a language.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when it is too large.
    pub fn new(language: Language) -> Result<Self> {
        let first = language.compiled()?.first(language.graph().root);
        let tree = language.tree().ok();
        let is_nullable = language.facts().nullable(language.graph().root);
        let beginning = if tree.is_none() { Beginning::of(&language)? } else { None };
        Ok(Self { language, first, tree, is_nullable, beginning })
    }
}

impl Beginning {
    /// That of a language that is not regular: all parts that may be empty, or else the first one.
    fn of(language: &Language) -> Result<Option<Self>> {
        let (graph, compiled, mut trees) = (language.graph(), language.compiled()?, Vec::new());
        let mut open = vec![graph.root];
        for _ in 0..MOST_STEPS {
            let Some(node) = open.pop() else { break };
            match &graph.nodes[node as usize] {
                Node::Rule(target) => open.push(*target),
                Node::Sequence(parts) => open.extend(parts.iter().rev()),
                _ => match (language.facts().nullable(node), language.tree_of(node)) {
                    (true, Ok(tree)) => trees.push(tree),
                    (true, Err(_)) => break,
                    (false, Ok(tree)) if trees.is_empty() => {
                        open.reverse();
                        return Ok(Some(Self { tree, rest: open, next: ByteSet::default() }));
                    }
                    (false, _) => {
                        open.push(node);
                        open.reverse();
                        let next = compiled.first(node);
                        return Ok((!trees.is_empty()).then(|| Self {
                            tree: Regular::concat(trees),
                            rest: open,
                            next,
                        }));
                    }
                },
            }
        }
        Ok(None)
    }
}
