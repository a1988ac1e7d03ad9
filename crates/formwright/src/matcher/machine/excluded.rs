//! Sets of texts that must not be written: declared names, names and items already used.
//!
//! ```text
//! declared  a, ab      root -> a -> "          after the name `b` was used, the new root shares the branch `a`
//!                               └-> b -> "
//! ```
//!
//! A set is the root of a tree of bytes. Adding a text copies the nodes on its path and shares the rest, so every
//! older set stays as it was: going back in the text, or forking it, costs nothing.
//!
//! Cost of adding: a node for each byte. Names are kept with the quote that ends them, so that a name is
//! excluded only when it is complete.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::vocabulary::{NodeIndex, Trie};

/// A node of a tree of texts; a set of texts is its root.
pub type TextsId = u32;

/// The set without texts.
pub const NONE: TextsId = 0;

/// Nodes kept at most: a text must not fill the memory with the names and items that it uses.
const MOST: usize = 1 << 22;

type Branches = SmallVec<[(u8, TextsId); 1]>;

/// A node of a tree of texts.
#[derive(Clone, Debug, Default)]
struct TextNode {
    /// Whether a text ends here.
    ends: bool,
    /// Where each byte leads, ascending.
    branches: Branches,
}

/// All sets of one matcher.
#[derive(Debug)]
pub struct ExcludedTexts {
    nodes: Vec<TextNode>,
    /// Sets with a text added.
    added: FxHashMap<(TextsId, Box<[u8]>), TextsId>,
    /// By set: how many texts were added to it, if any were.
    sizes: FxHashMap<TextsId, u32>,
    /// No set has more texts than this.
    most: usize,
}

impl Default for ExcludedTexts {
    fn default() -> Self {
        Self { nodes: vec![TextNode::default()], added: FxHashMap::default(), sizes: FxHashMap::default(), most: 0 }
    }
}

impl ExcludedTexts {
    /// The set of the texts of `trie`, each followed by the byte `end`.
    pub fn of_trie(&mut self, trie: &Trie, end: u8) -> TextsId {
        self.most += trie.items().len();
        let last = self.push(TextNode { ends: true, branches: Branches::new() });
        let mut ids: Vec<TextsId> = vec![NONE; trie.nodes().len()];
        for index in (0..trie.nodes().len() as NodeIndex).rev() {
            let children = trie.children(index).map(|child| (trie.node(child).byte, ids[child as usize]));
            let mut branches: Branches = children.collect();
            if !trie.items_at(index).is_empty() {
                set(&mut branches, end, last);
            }
            ids[index as usize] = self.push(TextNode { ends: false, branches });
        }
        ids[0]
    }

    /// The set with one text more.
    pub fn with(&mut self, texts: TextsId, text: &[u8]) -> TextsId {
        if let Some(&set) = self.added.get(&(texts, text.into())) {
            return set;
        }
        let mut path = vec![Some(texts)];
        for (index, &byte) in text.iter().enumerate() {
            path.push(path[index].and_then(|at| self.child(at, byte)));
        }
        let copy = |texts: &Self, at: Option<TextsId>| {
            at.map_or_else(TextNode::default, |at| texts.nodes[at as usize].clone())
        };
        let end = TextNode { ends: true, ..copy(self, path[text.len()]) };
        let mut below = self.push(end);
        for (&at, &byte) in path.iter().zip(text).rev() {
            let mut node = copy(self, at);
            set(&mut node.branches, byte, below);
            below = self.push(node);
        }
        self.added.insert((texts, text.into()), below);
        self.most += 1;
        self.sizes.insert(below, self.added_to(texts) + 1);
        below
    }

    /// No set has more texts than this.
    pub fn most(&self) -> usize {
        self.most
    }

    /// How many texts were added to a set one by one.
    pub fn added_to(&self, texts: TextsId) -> u32 {
        self.sizes.get(&texts).copied().unwrap_or(0)
    }

    fn push(&mut self, node: TextNode) -> TextsId {
        self.nodes.push(node);
        self.nodes.len() as TextsId - 1
    }

    /// Whether no more texts may be added.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= MOST
    }

    /// Whether a text ends at `at`.
    pub fn ends(&self, at: TextsId) -> bool {
        self.nodes[at as usize].ends
    }

    /// Where each byte leads that stays on some text.
    pub fn branches(&self, at: TextsId) -> &[(u8, TextsId)] {
        &self.nodes[at as usize].branches
    }

    /// Where `byte` leads, if it stays on some text.
    pub fn child(&self, at: TextsId, byte: u8) -> Option<TextsId> {
        let branches = self.branches(at);
        branches.binary_search_by_key(&byte, |branch| branch.0).ok().map(|index| branches[index].1)
    }

    /// The texts of a set of which each is four bytes, as numbers.
    pub fn numbers(&self, texts: TextsId) -> Vec<u32> {
        let (mut found, mut open) = (Vec::new(), vec![(texts, 0)]);
        while let Some((at, number)) = open.pop() {
            if self.ends(at) {
                found.push(number);
            }
            open.extend(self.branches(at).iter().map(|&(byte, next)| (next, number << 8 | u32::from(byte))));
        }
        found
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<TextNode>() + 8) + self.added.len() * 80
    }
}

/// Adds a branch, or replaces it.
fn set(branches: &mut Branches, byte: u8, to: TextsId) {
    match branches.binary_search_by_key(&byte, |branch| branch.0) {
        Ok(index) => branches[index].1 = to,
        Err(index) => branches.insert(index, (byte, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(texts: &ExcludedTexts, set: TextsId, text: &[u8]) -> bool {
        text.iter().try_fold(set, |at, &byte| texts.child(at, byte)).is_some_and(|at| texts.ends(at))
    }

    #[test]
    fn older_sets_stay_as_they_were() {
        let mut texts = ExcludedTexts::default();
        let one = texts.with(NONE, b"ab\"");
        let two = texts.with(one, b"a\"");
        let other = texts.with(one, b"b\"");
        assert!(has(&texts, one, b"ab\"") && !has(&texts, one, b"a\""));
        assert!(has(&texts, two, b"ab\"") && has(&texts, two, b"a\"") && !has(&texts, two, b"b\""));
        assert!(has(&texts, other, b"b\"") && !has(&texts, other, b"a\""));
        assert_eq!(texts.with(one, b"a\""), two);
    }

    #[test]
    fn declared_names_end_with_their_quote() {
        let mut texts = ExcludedTexts::default();
        let names = Trie::new(&[(b"a", 0), (b"ab", 1), (b"b", 2)]);
        let set = texts.of_trie(&names, b'"');
        assert!(has(&texts, set, b"a\"") && has(&texts, set, b"ab\"") && !has(&texts, set, b"a"));
        let more = texts.with(set, b"abc\"");
        assert!(has(&texts, more, b"abc\"") && has(&texts, more, b"b\"") && !has(&texts, set, b"abc\""));
    }
}
