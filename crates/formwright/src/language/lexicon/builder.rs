//! Texts in any order, made a lexicon.
//!
//! ```text
//! green tea   green apple   fig      by the first 8 bytes: fig | green te | green ap -> each group by the next 8
//! ```
//!
//! Cost: a copy of the texts as they come, and one in order. Eight bytes are compared at a time, as one number that
//! is beside the index of its text, so a text is read once for eight bytes and not once for each comparison.
//! Texts that ascend already are not sorted, nor copied.

use super::Lexicon;
use crate::error::{Error, Result};
use crate::interrupt::{count, sort};

/// Texts that become a [`Lexicon`].
#[derive(Debug)]
pub struct LexiconBuilder {
    texts: Vec<u8>,
    starts: Vec<u32>,
}

/// The eight bytes of a text from some depth on, as a number; how many of them it has; and which text it is.
type Key = (u64, u8, u32);

impl Default for LexiconBuilder {
    fn default() -> Self {
        Self::with_capacity(0, 0)
    }
}

impl LexiconBuilder {
    /// No texts, but room for some.
    pub fn with_capacity(texts: usize, bytes: usize) -> Self {
        let mut starts = Vec::with_capacity(texts + 1);
        starts.push(0);
        Self { texts: Vec::with_capacity(bytes), starts }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a text. One that is there already makes no difference.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when it is too long, or all of them are.
    pub fn push(&mut self, text: &str) -> Result<()> {
        if text.len() > Lexicon::LONGEST {
            return Err(Error::limit("bytes of a literal text", text.len(), Lexicon::LONGEST));
        }
        count(1);
        let end = self.texts.len() + text.len();
        if end > Lexicon::MOST_BYTES || self.starts.len() > Lexicon::MOST_BYTES {
            return Err(Error::limit("bytes of all options", end.max(self.starts.len()), Lexicon::MOST_BYTES));
        }
        self.texts.extend_from_slice(text.as_bytes());
        self.starts.push(end as u32);
        Ok(())
    }

    /// The lexicon.
    pub fn build(self) -> Lexicon {
        Lexicon::new(self.texts, self.starts).unwrap_or_else(|(_, texts, starts)| {
            let unordered = Self { texts, starts };
            let (texts, starts) = unordered.in_order();
            Lexicon::new(texts, starts).unwrap_or_default() // they ascend now
        })
    }

    fn text(&self, index: u32) -> &[u8] {
        &self.texts[self.starts[index as usize] as usize..self.starts[index as usize + 1] as usize]
    }

    /// The texts in ascending order, each once.
    fn in_order(&self) -> (Vec<u8>, Vec<u32>) {
        let (mut texts, mut starts) = (Vec::with_capacity(self.texts.len()), Vec::with_capacity(self.starts.len()));
        starts.push(0);
        let mut before: Option<&[u8]> = None;
        for (.., index) in self.sorted() {
            count(2);
            let text = self.text(index);
            if before != Some(text) {
                texts.extend_from_slice(text);
                starts.push(texts.len() as u32);
                before = Some(text);
            }
        }
        (texts, starts)
    }

    fn sorted(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = (0..self.len() as u32).map(|index| self.key(index, 0)).collect();
        let mut open = vec![(0..keys.len(), 0)];
        while let Some((range, depth)) = open.pop() {
            let start = range.start;
            let keys = &mut keys[range];
            sort(keys);
            let mut at = start;
            for group in keys.chunk_by_mut(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let end = at + group.len();
                if group.len() > 1 && group[0].1 == 8 {
                    for key in group {
                        *key = self.key(key.2, depth + 8);
                    }
                    open.push((at..end, depth + 8));
                }
                at = end;
            }
        }
        keys
    }

    /// Where a text ends, zeros stand for bytes, and the count tells them from zeros that it has.
    fn key(&self, index: u32, depth: usize) -> Key {
        let rest = self.text(index).get(depth..).unwrap_or_default();
        let count = rest.len().min(8);
        let mut bytes = [0; 8];
        bytes[..count].copy_from_slice(&rest[..count]);
        (u64::from_be_bytes(bytes), count as u8, index)
    }
}
