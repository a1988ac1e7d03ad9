//! Under which keys it is kept what masks, and budgets for them, have found.
//!
//! ```text
//! Asked           a terminal mask
//! ExcludedKey     the tokens that spell an excluded text
//! ContinuedKey    the tokens that leave a terminal, by what comes after it
//! EntryKey        an entry: all that one configuration allows
//! ```

use super::machine::{Position, StackId, TextsId};
use crate::language::{LeafId, SpaceState};
use crate::regular::{ByteSet, StateId};
use crate::terminals::Tree;
use crate::vocabulary::NodeIndex;

/// What a terminal mask is asked for: a state of a terminal, a subtree of tokens, and what else it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub tree: Tree,
    pub node: NodeIndex,
    pub leaf: LeafId,
    pub state: StateId,
    /// The window of a counted text; `None` if any number of characters may come.
    pub window: Option<(u32, u32)>,
    /// Bytes that may follow a terminal that is not self-delimiting.
    pub follow: ByteSet,
    /// As in [`crate::terminals::TerminalKey`].
    pub splits: bool,
}

/// Where excluded texts are looked for: the trie of tokens and a node of it, the terminal and its state, and the node
/// of the tree of excluded texts.
pub type ExcludedKey = (Tree, NodeIndex, LeafId, StateId, TextsId);

/// What the context-dependent tokens that may come depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContinuedKey {
    /// The address of the context-dependent tokens.
    pub dependent: usize,
    /// The window of a counted text.
    pub window: (u32, u32),
    /// Where tokens are stripped: the whitespace state before the token, and the purpose of the byte after the
    /// whitespace.
    pub space: Option<(SpaceState, u8)>,
    /// The representative of the stack after the terminal.
    pub stack: StackId,
    /// The node below which tokens may not begin with the quote, if they may not.
    pub no_quote: Option<NodeIndex>,
}

/// The key of a cached entry: the same for all configurations that no token can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryKey {
    pub position: Position,
    pub stack: StackId,
}
