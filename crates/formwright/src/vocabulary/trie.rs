//! A prefix tree laid out in preorder.
//!
//! Nodes are in the order a depth-first walk meets them, so a subtree is a range of nodes and the items below a node
//! are a range of items. A walk that enters a subtree adds one; a walk that skips it jumps to `skip`.
//!
//! ```text
//! "a" "ab" "b"      node 0 (root) skip 4 · node 1 'a' skip 3 · node 2 'b' skip 3 · node 3 'b' skip 4
//! ```
//!
//! Cost: 16 bytes a node; a child lookup scans siblings by `skip`, or is one table load at nodes with many children.
//! To keep a node at 16 bytes, it has one index: that of its set of kinds, or of its [`ChildTable`], which
//! then holds the other.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::kinds::{self, BROKEN, Kinds};

/// Index of a node; the root is 0.
pub type NodeIndex = u32;

/// "No such node".
pub const NONE: NodeIndex = u32::MAX;

/// The nodes on the way to the string being laid out, and how many children each has so far.
type Open = SmallVec<[(NodeIndex, u16); 32]>;

/// Nodes with more children than this get a 256-entry table.
const WIDE: usize = 12;

/// One node.
#[derive(Clone, Copy, Debug)]
pub struct TrieNode {
    /// The node after this subtree.
    pub skip: NodeIndex,
    /// The first item at or below this node.
    pub first_item: u32,
    /// Distance from the root.
    pub depth: u16,
    /// Longest way down.
    pub height: u16,
    /// Index of the kinds of characters from the byte that leads here on; of a wide node, of its [`ChildTable`].
    index: u16,
    /// The byte that leads here.
    pub byte: u8,
    /// Whether it has a table of its children.
    wide: bool,
}

/// The children of a node with many, by byte.
#[derive(Clone, Debug)]
struct ChildTable {
    children: [NodeIndex; 256],
    /// The index of its kinds.
    kinds: u16,
}

/// A prefix tree over byte strings; each string carries an item.
#[derive(Clone, Debug)]
pub struct Trie {
    nodes: Vec<TrieNode>,
    items: Vec<u32>,
    tables: Vec<ChildTable>,
    kinds: Vec<Kinds>,
}

impl Trie {
    /// The longest string a tree can hold, in bytes.
    pub const LONGEST: usize = u16::MAX as usize - 1;

    /// Builds from `(bytes, item)` sorted by bytes, none longer than [`Trie::LONGEST`]. Equal strings keep their
    /// order.
    pub fn new(sorted: &[(&[u8], u32)]) -> Self {
        let mut trie = Self { nodes: Vec::new(), items: Vec::new(), tables: Vec::new(), kinds: Vec::new() };
        trie.layout(sorted);
        trie
    }

    /// Adds the kinds of characters at and below every node; needed only where [`Trie::kinds`] is asked. `ascii` gives
    /// those of the ASCII bytes.
    #[must_use]
    pub fn with_kinds(mut self, ascii: &[Kinds; 128]) -> Self {
        let all = self.kinds_of_nodes(ascii);
        let mut sets = vec![BROKEN]; // index 0 stands for "too many distinct sets": never covered
        let mut ids: FxHashMap<Kinds, u16> = FxHashMap::default();
        let mut id_of = |kinds| {
            let next = sets.len() as u16;
            let id = *ids.entry(kinds).or_insert_with(|| if next == u16::MAX { 0 } else { next });
            if id == next {
                sets.push(kinds);
            }
            id
        };
        let mut recent = [(0, 0); 256]; // mostly a set was met a few nodes before
        for (node, kinds) in self.nodes.iter_mut().zip(all) {
            let (known, id) = &mut recent[(kinds.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize];
            if *known != kinds || *id == 0 {
                (*known, *id) = (kinds, id_of(kinds));
            }
            *(if node.wide { &mut self.tables[usize::from(node.index)].kinds } else { &mut node.index }) = *id;
        }
        self.kinds = sets;
        self
    }

    fn layout(&mut self, sorted: &[(&[u8], u32)]) {
        // Room that is not used costs nothing, growing does; most strings add two or three nodes.
        let most = 1 + sorted.iter().map(|(bytes, _)| bytes.len()).sum::<usize>();
        self.nodes.reserve(most.min((1 << 16) + 4 * sorted.len()));
        let root = TrieNode { skip: 0, first_item: 0, depth: 0, height: 0, index: 0, byte: 0, wide: false };
        self.nodes.push(root);
        self.items.reserve(sorted.len());
        let mut open: Open = smallvec![(0, 0)];
        let mut shared = 0; // bytes in common with the string before
        for (index, &(bytes, item)) in sorted.iter().enumerate() {
            let next = sorted.get(index + 1).map_or(0, |(next, _)| common(bytes, next));
            self.count_string(&mut open, bytes.len() - shared);
            // What the next string does not share is a chain, complete at once.
            let end = (self.nodes.len() + bytes.len() - shared) as NodeIndex;
            for depth in shared + 1..=bytes.len() {
                if depth <= next {
                    open.push((self.nodes.len() as NodeIndex, u16::from(depth < bytes.len())));
                }
                self.nodes.push(TrieNode {
                    skip: end,
                    first_item: self.items.len() as u32,
                    depth: depth as u16,
                    height: (bytes.len() - depth) as u16,
                    index: 0,
                    byte: bytes[depth - 1],
                    wide: false,
                });
            }
            self.items.push(item);
            self.close(&mut open, next + 1);
            shared = next;
        }
        self.close(&mut open, 0);
    }

    /// Counts a string of which `height` bytes are left below the last open node.
    fn count_string(&mut self, open: &mut Open, height: usize) {
        if let Some((top, children)) = open.last_mut() {
            *children += u16::from(height > 0);
            let top = &mut self.nodes[*top as usize];
            top.height = top.height.max(height as u16);
        }
    }

    /// Closes open nodes until `keep` are left: their subtrees are complete.
    fn close(&mut self, open: &mut Open, keep: usize) {
        while open.len() > keep {
            let Some((node, children)) = open.pop() else { return };
            self.nodes[node as usize].skip = self.nodes.len() as NodeIndex;
            let height = self.nodes[node as usize].height + 1;
            if let Some(&(parent, _)) = open.last() {
                let parent = &mut self.nodes[parent as usize];
                parent.height = parent.height.max(height);
            }
            if usize::from(children) > WIDE {
                self.widen(node);
            }
        }
    }

    fn widen(&mut self, node: NodeIndex) {
        let Ok(index) = u16::try_from(self.tables.len()) else { return };
        let mut children = [NONE; 256];
        for child in self.children(node) {
            children[usize::from(self.nodes[child as usize].byte)] = child;
        }
        self.tables.push(ChildTable { children, kinds: 0 });
        let node = &mut self.nodes[node as usize];
        (node.index, node.wide) = (index, true);
    }

    /// Kinds of characters at and below each node. A node inside a character has those of the characters after it.
    fn kinds_of_nodes(&self, ascii: &[Kinds; 128]) -> Vec<Kinds> {
        let mut kinds: Vec<Kinds> = Vec::with_capacity(self.nodes.len());
        let mut path: Vec<(NodeIndex, Utf8State)> = Vec::new();
        let mut parents = Vec::with_capacity(self.nodes.len());
        for (node, index) in self.nodes.iter().zip(0..) {
            path.truncate(usize::from(node.depth));
            let (parent, before) = path.last().copied().unwrap_or((0, Utf8State::Between));
            let (kind, state) = if index == 0 { (0, Utf8State::Between) } else { read(before, node.byte, ascii) };
            kinds.push(kind);
            parents.push(parent);
            path.push((index, state));
        }
        for (index, &parent) in parents.iter().enumerate().skip(1).rev() {
            kinds[parent as usize] |= kinds[index];
        }
        kinds
    }

    /// All nodes, in preorder.
    #[inline]
    pub fn nodes(&self) -> &[TrieNode] {
        &self.nodes
    }

    /// The node at `index`.
    #[inline]
    pub fn node(&self, index: NodeIndex) -> &TrieNode {
        &self.nodes[index as usize]
    }

    /// The children of a node, by ascending byte.
    #[inline]
    pub fn children(&self, index: NodeIndex) -> Children<'_> {
        Children { trie: self, next: index + 1, end: self.nodes[index as usize].skip }
    }

    /// The child by `byte`.
    #[inline]
    pub fn child(&self, index: NodeIndex, byte: u8) -> Option<NodeIndex> {
        if let Some(table) = self.table(index) {
            let child = table[usize::from(byte)];
            return (child != NONE).then_some(child);
        }
        let child = self.children(index).find(|&child| self.nodes[child as usize].byte >= byte)?; // ascending
        (self.nodes[child as usize].byte == byte).then_some(child)
    }

    /// The child table of a node with many children.
    #[inline]
    pub fn table(&self, index: NodeIndex) -> Option<&[NodeIndex; 256]> {
        let node = &self.nodes[index as usize];
        if node.wide { Some(&self.tables[usize::from(node.index)].children) } else { None }
    }

    /// Positions in [`Trie::items`] of the strings that end at `index`.
    #[inline]
    pub fn items_at(&self, index: NodeIndex) -> std::ops::Range<usize> {
        let start = self.nodes[index as usize].first_item as usize;
        let next = self.nodes.get(index as usize + 1);
        start..next.map_or(self.items.len(), |node| node.first_item as usize)
    }

    /// Positions in [`Trie::items`] of the strings that end at or below `index`.
    #[inline]
    pub fn items_below(&self, index: NodeIndex) -> std::ops::Range<usize> {
        let node = &self.nodes[index as usize];
        let end = self.nodes.get(node.skip as usize).map_or(self.items.len(), |next| next.first_item as usize);
        node.first_item as usize..end
    }

    /// The child that every string at or below `index` is at or below, if there is one.
    #[inline]
    pub fn only_way(&self, index: NodeIndex) -> Option<NodeIndex> {
        let (node, below) = (&self.nodes[index as usize], self.nodes.get(index as usize + 1)?);
        (node.skip == below.skip && node.first_item == below.first_item).then_some(index + 1)
    }

    /// The items, in the order of their strings.
    #[inline]
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// Kinds of characters from the byte that leads to `node` on. Unless that byte begins a character, they are not
    /// all.
    #[inline]
    pub fn kinds(&self, node: &TrieNode) -> Kinds {
        let index = if node.wide { self.tables[usize::from(node.index)].kinds } else { node.index };
        self.kinds[usize::from(index)]
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<TrieNode>() + self.items.len() * 4 + self.tables.len() * size_of::<ChildTable>()
    }
}

/// Iterator over children.
pub struct Children<'t> {
    trie: &'t Trie,
    next: NodeIndex,
    end: NodeIndex,
}

impl Iterator for Children<'_> {
    type Item = NodeIndex;

    #[inline]
    fn next(&mut self) -> Option<NodeIndex> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next = self.trie.nodes[child as usize].skip;
        Some(child)
    }
}

/// How much of a character was read.
#[derive(Clone, Copy)]
enum Utf8State {
    Between,
    /// Inside one: bytes missing, and the bounds of the next one.
    Inside(u8, u8, u8),
    /// The bytes are not characters.
    Broken,
}

/// The kind that a byte adds, and the state after it.
fn read(before: Utf8State, byte: u8, ascii: &[Kinds; 128]) -> (Kinds, Utf8State) {
    match before {
        Utf8State::Between if byte < 0x80 => (ascii[usize::from(byte)], before),
        Utf8State::Between => match kinds::lead(byte) {
            Some((kind, missing, low, high)) => (kind, Utf8State::Inside(missing, low, high)),
            None => (BROKEN, Utf8State::Broken),
        },
        Utf8State::Inside(1, low, high) if (low..=high).contains(&byte) => (0, Utf8State::Between),
        Utf8State::Inside(missing, low, high) if (low..=high).contains(&byte) => {
            (0, Utf8State::Inside(missing - 1, 0x80, 0xBF))
        }
        _ => (BROKEN, Utf8State::Broken),
    }
}

/// How many bytes two strings begin with in common.
fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trie(words: &[&'static [u8]]) -> Trie {
        let mut sorted: Vec<(&[u8], u32)> = words.iter().zip(0..).map(|(word, item)| (*word, item)).collect();
        sorted.sort();
        Trie::new(&sorted).with_kinds(&kinds::ascii_table())
    }

    #[test]
    fn preorder_and_items() {
        let t = trie(&[b"a", b"ab", b"b", b"ab"]);
        assert_eq!(t.nodes().len(), 4);
        let a = t.child(0, b'a').unwrap();
        let ab = t.child(a, b'b').unwrap();
        assert_eq!(t.items()[t.items_at(ab)], [1, 3]);
        assert_eq!(t.items()[t.items_below(a)], [0, 1, 3]);
        assert!(t.child(0, b'c').is_none());
        assert_eq!(t.node(0).height, 2);
    }

    #[test]
    fn children_are_found_by_their_bytes() {
        let all: Vec<[u8; 2]> = (0..=255).step_by(3).map(|byte| [byte, byte]).collect();
        let mut few: Vec<(&[u8], u32)> = vec![(b"\x00b", 0), (b"\x00d", 0), (b"\x00dx", 0)];
        few.extend(all.iter().map(|text| (&text[..], 1)));
        few.sort_unstable();
        let t = Trie::new(&few);
        assert!(t.table(0).is_some() && t.table(1).is_none());
        for node in 0..t.nodes().len() as NodeIndex {
            for byte in 0..=255 {
                assert_eq!(t.child(node, byte), t.children(node).find(|&child| t.node(child).byte == byte));
            }
        }
    }

    #[test]
    fn broken_bytes_are_never_covered() {
        let t = trie(&[&[0xC3, 0xA9], &[0xC0], b"ok", &[0xE2, b'x']]);
        assert_ne!(t.kinds(t.node(0)) & BROKEN, 0);
        let o = t.child(0, b'o').unwrap();
        assert_eq!(t.kinds(t.node(o)), kinds::ascii(b'o') | kinds::ascii(b'k'));
        let e2 = t.child(0, 0xE2).unwrap();
        assert_eq!(t.node(e2).height, 1);
    }
}
