//! What is pushed onto a stack: words of symbols, each kept once.

use rustc_hash::FxHashMap;

use super::Symbol;

/// Index of a word.
pub type WordId = u32;

/// The word without symbols.
pub const EMPTY: WordId = 0;

/// The words, as lists: the upper symbol, and the word below it.
#[derive(Clone, Debug)]
pub struct Words {
    all: Vec<(Symbol, WordId)>,
    ids: FxHashMap<(Symbol, WordId), WordId>,
}

impl Default for Words {
    fn default() -> Self {
        Self { all: vec![(Symbol::MAX, EMPTY)], ids: FxHashMap::default() }
    }
}

impl Words {
    /// A word with one symbol more, on top.
    pub fn push(&mut self, symbol: Symbol, below: WordId) -> WordId {
        *self.ids.entry((symbol, below)).or_insert_with(|| {
            self.all.push((symbol, below));
            self.all.len() as WordId - 1
        })
    }

    /// The upper symbol of a word, and the word below it; `None` of the empty one.
    #[inline]
    pub fn pop(&self, word: WordId) -> Option<(Symbol, WordId)> {
        (word != EMPTY).then(|| self.all[word as usize])
    }

    /// The symbols of a word, the upper one first.
    pub fn symbols(&self, mut word: WordId) -> impl Iterator<Item = Symbol> {
        std::iter::from_fn(move || {
            let (symbol, below) = self.pop(word)?;
            word = below;
            Some(symbol)
        })
    }

    /// One word on top of another.
    pub fn join(&mut self, upper: WordId, lower: WordId) -> WordId {
        if lower == EMPTY || upper == EMPTY {
            return upper.max(lower);
        }
        let symbols: Vec<Symbol> = self.symbols(upper).collect();
        symbols.into_iter().rev().fold(lower, |below, symbol| self.push(symbol, below))
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.all.len() * 24
    }
}
