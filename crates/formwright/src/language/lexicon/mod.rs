//! A large set of texts: the names of a million products.
//!
//! ```text
//! texts     banana  bandana  band-aid  cherry        kept in order, one after the other
//! common    0       3        4         0             bytes that each has in common with the one before it
//! "ban"     texts 0 to 3, 3 bytes deep               a prefix is a range of texts
//! ```
//!
//! A trie of so many texts would be many times as large as they are. But texts that begin alike are side by side, so
//! a node of that trie is a range of texts and a depth, and it ends where `common` first falls below the depth. A node
//! is named by the place after its last byte in its first text, which no other node has.
//!
//! Cost: the texts and six bytes for each; a child is found by binary search. Reading stored texts is one pass, which
//! checks that they ascend: nothing else could be wrong with them. The root is named 0, so no text is empty
//! where nodes are asked for ([`Lexicon::without_empty`]).

mod builder;

use std::fmt;
use std::iter::successors;
use std::ops::Range;

use crate::error::Result;
use crate::interrupt::count;
use crate::vocabulary::NodeIndex;

pub use builder::LexiconBuilder;

/// Texts of a block, and blocks of a group.
const BLOCK: usize = 64;

/// Texts in ascending order, each once, as prefixes to walk down.
pub struct Lexicon {
    /// The texts, one after the other.
    texts: Box<[u8]>,
    /// Where each text begins, and where the last one ends.
    starts: Box<[u32]>,
    /// By text: the bytes that it has in common with the one before it.
    common: Box<[u16]>,
    /// By block of texts: the least of `common`, and the fewest and the most bytes of a text.
    blocks: Box<[u16]>,
    extents: Box<[(u16, u16)]>,
    /// By group of blocks: the least of `common`.
    groups: Box<[u16]>,
}

/// A prefix of some texts: which ones, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    first: u32,
    end: u32,
    depth: u32,
}

/// Where a byte leads inside a set of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStep {
    /// The node.
    pub at: NodeIndex,
    /// Whether a text ends there.
    pub ends: bool,
    /// Whether a text goes on from there.
    pub goes_on: bool,
}

impl Lexicon {
    /// The longest text, in bytes.
    pub const LONGEST: usize = u16::MAX as usize - 1;

    /// The most bytes of all texts together.
    pub const MOST_BYTES: usize = 1 << 30;

    /// Texts that are one after the other, and where each begins and the last one ends: whole texts of at most
    /// [`Lexicon::LONGEST`] bytes.
    ///
    /// # Errors
    /// The index of the first text that is not after the one before it; and what was given.
    fn new(texts: Vec<u8>, starts: Vec<u32>) -> std::result::Result<Self, (usize, Vec<u8>, Vec<u32>)> {
        let mut common = Vec::with_capacity(starts.len() - 1);
        let mut before: &[u8] = &[];
        for (index, range) in starts.windows(2).enumerate() {
            count(1);
            let text = &texts[range[0] as usize..range[1] as usize];
            let shared = shared(before, text);
            let ascends = match (before.get(shared), text.get(shared)) {
                (Some(before), Some(byte)) => before < byte,
                (before, byte) => before.is_none() && (byte.is_some() || index == 0),
            };
            if !ascends {
                return Err((index, texts, starts));
            }
            common.push(shared as u16);
            before = text;
        }
        let least =
            |values: &[u16]| values.chunks(BLOCK).map(|block| block.iter().copied().min().unwrap_or(0)).collect();
        let (blocks, extents): (Box<[u16]>, _) = (least(&common), extents(&starts));
        let groups = least(&blocks);
        Ok(Self { texts: texts.into(), starts: starts.into(), common: common.into(), blocks, extents, groups })
    }

    /// Texts in any order.
    ///
    /// # Errors
    /// As [`LexiconBuilder::push`].
    pub fn of<T: AsRef<str>>(texts: &[T]) -> Result<Self> {
        let mut builder = LexiconBuilder::default();
        texts.iter().try_for_each(|text| builder.push(text.as_ref()))?;
        Ok(builder.build())
    }

    /// Texts that were stored: all of them, and the bytes of each.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_sorted(texts: &str, lengths: impl Iterator<Item = u16>) -> std::result::Result<Self, String> {
        let (mut starts, mut end) = (Vec::with_capacity(lengths.size_hint().0 + 1), 0_usize);
        starts.push(0);
        for (index, length) in lengths.enumerate() {
            end += usize::from(length);
            if usize::from(length) > Self::LONGEST || end > Self::MOST_BYTES || !texts.is_char_boundary(end) {
                return Err(format!("option {index} does not end where a character does"));
            }
            starts.push(end as u32);
        }
        if end != texts.len() {
            return Err(format!("the options have {end} bytes, but {} are there", texts.len()));
        }
        let not_ascending =
            |(index, ..): (usize, _, _)| format!("option {index} does not sort after the one before it");
        Self::new(texts.as_bytes().to_vec(), starts).map_err(not_ascending)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.common.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.common.is_empty()
    }

    /// All texts, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.texts
    }

    /// The text at `index`.
    ///
    /// # Panics
    /// When `index` is not below [`Lexicon::len`].
    pub fn text(&self, index: usize) -> &[u8] {
        &self.texts[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// The texts, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.text(index))
    }

    /// Whether the empty text is among them.
    pub fn has_empty(&self) -> bool {
        !self.is_empty() && self.length(0) == 0
    }

    /// The same without the empty text.
    #[must_use]
    pub fn without_empty(&self) -> Self {
        let starts = &self.starts[usize::from(self.has_empty())..];
        Self::new(self.texts.to_vec(), starts.to_vec()).unwrap_or_else(|_| Self::default())
    }

    fn length(&self, index: usize) -> u32 {
        self.starts[index + 1] - self.starts[index]
    }

    /// The prefix of all texts.
    pub fn root(&self) -> Prefix {
        Prefix { first: 0, end: self.len() as u32, depth: 0 }
    }

    /// The prefix that [`Lexicon::node`] named.
    pub fn prefix(&self, node: NodeIndex) -> Prefix {
        if node == 0 {
            return self.root();
        }
        let first = self.starts.partition_point(|&start| start < node) - 1;
        let depth = node - self.starts[first];
        Prefix { first: first as u32, end: self.end_of(first, depth) as u32, depth }
    }

    /// The name of a prefix.
    pub fn node(&self, prefix: Prefix) -> NodeIndex {
        self.starts.get(prefix.first as usize).map_or(0, |start| start + prefix.depth)
    }

    /// Where the texts end that begin as the one at `first` does, for `depth` bytes.
    fn end_of(&self, first: usize, depth: u32) -> usize {
        let levels = [&self.common, &self.blocks, &self.groups];
        let below = |level: usize, range: Range<usize>| {
            let found = levels[level][range.clone()].iter().position(|&common| u32::from(common) < depth);
            found.map(|found| range.start + found)
        };
        let (mut at, mut level) = (first + 1, 0);
        let mut found = loop {
            let len = levels[level].len();
            let stop = if level + 1 == levels.len() { len } else { at.next_multiple_of(BLOCK).min(len) };
            match below(level, at.min(stop)..stop) {
                Some(found) => break found,
                None if stop == len => return self.len(),
                None => (at, level) = (stop / BLOCK, level + 1),
            }
        };
        while level > 0 {
            let start = found * BLOCK;
            level -= 1;
            found = below(level, start..(start + BLOCK).min(levels[level].len())).unwrap_or(start);
        }
        found
    }

    /// Whether a text ends with this prefix.
    pub fn ends(&self, prefix: Prefix) -> bool {
        prefix.first < prefix.end && self.length(prefix.first as usize) == prefix.depth
    }

    /// Whether a text goes on after this prefix.
    pub fn goes_on(&self, prefix: Prefix) -> bool {
        prefix.end - prefix.first > u32::from(self.ends(prefix))
    }

    /// The fewest and the most bytes from a prefix to the end of one of its texts.
    pub fn extent(&self, prefix: Prefix) -> (u32, u32) {
        let (first, end) = (prefix.first as usize, prefix.end as usize);
        let blocks = first.div_ceil(BLOCK)..end / BLOCK;
        let (edges, blocks) = if blocks.is_empty() {
            ([first..end, 0..0], &[][..])
        } else {
            ([first..blocks.start * BLOCK, blocks.end * BLOCK..end], &self.extents[blocks])
        };
        let lengths = edges.into_iter().flatten().map(|index| self.length(index)).map(|length| (length, length));
        let all = lengths.chain(blocks.iter().map(|&(least, most)| (least.into(), most.into())));
        let (least, most) = all.fold((u32::MAX, 0), |(least, most), (low, high)| (least.min(low), most.max(high)));
        (least.saturating_sub(prefix.depth), most.saturating_sub(prefix.depth))
    }

    /// Bytes of the texts with this prefix.
    pub fn bytes_below(&self, prefix: Prefix) -> u32 {
        self.starts[prefix.end as usize] - self.starts[prefix.first as usize]
    }

    /// The prefixes that are one byte longer, by that byte, which ascends.
    pub fn children(&self, prefix: Prefix) -> impl Iterator<Item = (u8, Prefix)> {
        let first = prefix.first + u32::from(self.ends(prefix));
        let child = move |first: u32| (first < prefix.end).then(|| self.child_from(prefix, first as usize));
        successors(child(first), move |(_, before)| child(before.end))
    }

    /// The child that begins with the text at `first`.
    fn child_from(&self, prefix: Prefix, first: usize) -> (u8, Prefix) {
        let depth = prefix.depth + 1;
        let is_last = first + 1 == prefix.end as usize;
        let end = if is_last { prefix.end } else { (self.end_of(first, depth) as u32).min(prefix.end) };
        (self.byte(first, prefix.depth), Prefix { first: first as u32, end, depth })
    }

    /// The byte of a text at some depth, which it has.
    fn byte(&self, index: usize, depth: u32) -> u8 {
        self.texts[(self.starts[index] + depth) as usize]
    }

    /// The prefix that is longer by `byte`.
    pub fn child(&self, prefix: Prefix, byte: u8) -> Option<Prefix> {
        let (mut low, mut high) = ((prefix.first + u32::from(self.ends(prefix))) as usize, prefix.end as usize);
        while low < high {
            let middle = low.midpoint(high);
            if self.byte(middle, prefix.depth) < byte { low = middle + 1 } else { high = middle }
        }
        let is_there = low < prefix.end as usize && self.byte(low, prefix.depth) == byte;
        is_there.then(|| self.child_from(prefix, low).1)
    }

    /// Where a byte leads from a node.
    pub fn step(&self, at: NodeIndex, byte: u8) -> Option<TextStep> {
        let child = self.child(self.prefix(at), byte)?;
        Some(TextStep { at: self.node(child), ends: self.ends(child), goes_on: self.goes_on(child) })
    }
}

impl Default for Lexicon {
    fn default() -> Self {
        let none = Box::default;
        Self {
            texts: Box::default(),
            starts: [0].into(),
            common: none(),
            blocks: none(),
            extents: Box::default(),
            groups: none(),
        }
    }
}

impl fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lexicon({} texts, {} bytes)", self.len(), self.texts.len())
    }
}

/// By block: the fewest and the most bytes of a text.
fn extents(starts: &[u32]) -> Box<[(u16, u16)]> {
    let lengths: Vec<u16> = starts.windows(2).map(|range| (range[1] - range[0]) as u16).collect();
    let extent = |block: &[u16]| (block.iter().copied().min().unwrap_or(0), block.iter().copied().max().unwrap_or(0));
    lengths.chunks(BLOCK).map(extent).collect()
}

/// How many bytes two texts begin with in common.
fn shared(a: &[u8], b: &[u8]) -> usize {
    let eights = a.chunks_exact(8).zip(b.chunks_exact(8)).take_while(|(a, b)| a == b).count() * 8;
    eights + a[eights..].iter().zip(&b[eights..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// Every prefix with its node, by a walk over all children.
    fn prefixes(lexicon: &Lexicon) -> BTreeMap<Vec<u8>, Prefix> {
        let (mut found, mut open) = (BTreeMap::new(), vec![(Vec::new(), lexicon.root())]);
        while let Some((text, prefix)) = open.pop() {
            for (byte, child) in lexicon.children(prefix) {
                open.push(([&text[..], &[byte]].concat(), child));
            }
            found.insert(text, prefix);
        }
        found
    }

    /// What a set of texts says of every prefix, compared with the lexicon.
    fn compare(texts: &BTreeSet<&str>) {
        let given: Vec<&str> = texts.iter().rev().chain(texts).copied().collect();
        let lexicon = Lexicon::of(&given).unwrap().without_empty();
        let texts: BTreeSet<&[u8]> = texts.iter().map(|text| text.as_bytes()).filter(|text| !text.is_empty()).collect();
        assert!(lexicon.iter().eq(texts.iter().copied()));
        let wanted: BTreeSet<&[u8]> = texts.iter().flat_map(|text| (0..=text.len()).map(|end| &text[..end])).collect();
        let found = prefixes(&lexicon);
        assert!(texts.is_empty() || found.keys().map(Vec::as_slice).eq(wanted.iter().copied()));
        let nodes: BTreeSet<NodeIndex> = found.values().map(|&prefix| lexicon.node(prefix)).collect();
        assert_eq!(nodes.len(), found.len());
        for (text, &prefix) in &found {
            let below: Vec<usize> =
                texts.iter().filter(|other| other.starts_with(text)).map(|text| text.len()).collect();
            assert_eq!(lexicon.prefix(lexicon.node(prefix)), prefix);
            assert_eq!(lexicon.ends(prefix), texts.contains(&text[..]));
            assert_eq!(lexicon.goes_on(prefix), below.iter().any(|&len| len > text.len()));
            assert_eq!(lexicon.bytes_below(prefix) as usize, below.iter().sum::<usize>());
            if let (Some(least), Some(most)) = (below.iter().min(), below.iter().max()) {
                assert_eq!(lexicon.extent(prefix), ((least - text.len()) as u32, (most - text.len()) as u32));
            }
            for byte in 0..=255 {
                let child = found.get(&[&text[..], &[byte]].concat()).copied();
                assert_eq!(lexicon.child(prefix, byte), child);
                assert_eq!(
                    lexicon.step(lexicon.node(prefix), byte).map(|step| step.at),
                    child.map(|at| lexicon.node(at))
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn prefixes_are_those_of_the_texts(texts in prop::collection::btree_set("[ab\0é]{0,12}", 0..40)) {
            compare(&texts.iter().map(String::as_str).collect());
        }

        #[test]
        fn stored_texts_are_read_or_refused(texts in prop::collection::vec("[abé]{0,3}", 0..6)) {
            let all = texts.concat();
            let read = Lexicon::from_sorted(&all, texts.iter().map(|text| text.len() as u16));
            prop_assert_eq!(read.is_ok(), texts.is_sorted_by(|a, b| a < b));
        }
    }

    /// More texts than a block and a group have, so that every level is searched.
    #[test]
    fn many_texts_are_found() {
        let numbers: Vec<String> = (0..9_000).map(|number| format!("{}", number * 7919 % 9_973)).collect();
        let texts: BTreeSet<&[u8]> = numbers.iter().map(String::as_bytes).collect();
        let lexicon = Lexicon::of(&numbers).unwrap();
        for (prefix, at) in prefixes(&lexicon) {
            let below = texts.range(&prefix[..]..).take_while(|text| text.starts_with(&prefix)).count();
            assert_eq!((at.end - at.first) as usize, below, "{}", prefix.escape_ascii());
            assert_eq!(lexicon.prefix(lexicon.node(at)), at);
        }
    }

    #[test]
    fn what_cannot_be_stored_is_refused() {
        let refused = |texts: &str, lengths: &[u16]| Lexicon::from_sorted(texts, lengths.iter().copied()).unwrap_err();
        assert!(refused("ab", &[1]).contains("have 1 bytes, but 2 are there"));
        assert!(refused("ab", &[1, 2]).contains("option 1 does not end"));
        assert!(refused("é", &[1, 1]).contains("option 0 does not end"));
        assert!(refused("ba", &[1, 1]).contains("option 1 does not sort after"));
        assert!(refused("aa", &[1, 1]).contains("option 1 does not sort after"));
        assert!(refused("a", &[1, 0]).contains("option 1 does not sort after"));
        assert!(refused(&"a".repeat(65_535), &[65_535]).contains("option 0"));
        let mut builder = LexiconBuilder::default();
        assert!(builder.push(&"a".repeat(Lexicon::LONGEST + 1)).is_err());
        assert!(builder.push(&"a".repeat(Lexicon::LONGEST)).is_ok());
    }
}
