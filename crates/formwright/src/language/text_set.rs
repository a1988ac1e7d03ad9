//! A finite set of texts: names of members, constants.
//!
//! ```text
//! {"id": 0, "if": 1}     laid out once a matcher walks it:  i ─┬─ d  0
//!                                                              └─ f  1
//! ```
//!
//! Cost: the texts side by side; the tree, sixteen times as large, is made when it is first asked for. Most of the
//! names of a large schema never are. Threads that ask at once wait for the one that makes it.

use std::sync::OnceLock;

use crate::vocabulary::Trie;

/// Some texts, each with an item.
#[derive(Clone, Debug, Default)]
pub struct TextSet {
    /// For each text its item and where it ends, as two words; then the texts.
    all: Box<[u8]>,
    len: usize,
    tree: OnceLock<Box<Trie>>,
}

impl TextSet {
    /// The longest text, in bytes.
    pub const LONGEST: usize = Trie::LONGEST;

    /// The most bytes of all texts together.
    pub const MOST_BYTES: usize = 1 << 30;

    /// Texts and their items, in any order. None may be longer than [`TextSet::LONGEST`], nor all of them than
    /// [`TextSet::MOST_BYTES`].
    pub fn new(texts: &[(&[u8], u32)]) -> Self {
        let mut end = texts.len() * size_of::<[u32; 2]>();
        let mut all = Vec::with_capacity(end + texts.iter().map(|(text, _)| text.len()).sum::<usize>());
        for (text, item) in texts {
            end += text.len();
            all.extend([*item, end as u32].map(u32::to_ne_bytes).as_flattened());
        }
        for (text, _) in texts {
            all.extend_from_slice(text);
        }
        Self { all: all.into(), len: texts.len(), tree: OnceLock::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.all.len() + self.tree.get().map_or(0, |tree| tree.bytes())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text that was given at `index`.
    ///
    /// # Panics
    /// When `index` is not below [`TextSet::len`].
    pub fn text(&self, index: usize) -> &[u8] {
        let start = if index == 0 { self.len * size_of::<[u32; 2]>() } else { self.word(2 * index - 1) as usize };
        &self.all[start..self.word(2 * index + 1) as usize]
    }

    fn word(&self, at: usize) -> u32 {
        self.all[4 * at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes))
    }

    /// The texts and their items, as they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        (0..self.len).map(|index| (self.text(index), self.word(2 * index)))
    }

    /// The texts as a tree.
    #[inline]
    pub fn tree(&self) -> &Trie {
        self.tree.get_or_init(|| Box::new(self.layout()))
    }

    #[cold]
    fn layout(&self) -> Trie {
        let mut sorted: Vec<(&[u8], u32)> = self.iter().collect();
        sorted.sort_unstable();
        Trie::new(&sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were_given_and_sorted_in_the_tree() {
        let given: [(&[u8], u32); 4] = [(b"id", 3), (b"", 7), (b"a longer one", 0), (b"if", 1)];
        let texts = TextSet::new(&given);
        assert!(texts.iter().eq(given));
        assert_eq!(texts.text(2), b"a longer one");
        assert_eq!(texts.tree().items(), [7, 0, 3, 1]);
        let i = texts.tree().child(0, b'i').unwrap();
        assert_eq!(texts.tree().items()[texts.tree().items_below(i)], [3, 1]);
    }

    #[test]
    fn no_texts_are_a_tree_too() {
        assert_eq!(TextSet::default().len(), 0);
        assert!(TextSet::default().tree().items().is_empty());
    }
}
