//! Tokens inside a counted text, by how many characters they have.
//!
//! ```text
//! {"maxLength": 3}     tokens that stay inside a string      a  b  é | ab  foo | food ...
//!                      mask while 2 characters may come      ^^^^^^^^^^^^^^ of one and of two
//! ```
//!
//! One walk serves every `minLength` and `maxLength`: tokens are sorted by their number of characters, so that tokens
//! of at most `n` characters come first. For a counted class, `^[0-9a-f]{24}$`, no walk is needed: of the sorted
//! tokens, it keeps the tokens that the mask of `[0-9a-f]*` allows.
//!
//! Cost: one walk over the trie of shapes; a mask made from the table is a copy of a bit map, and a bit for each token
//! that is too long (or short enough, if these are fewer). A token that leaves counts too: the characters up
//! to the end of the text must be enough, and not too many.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::Classes;
use super::dependent::TreeTokens;
use super::token_set::LIST;
use super::{Bitmap, Dependent, DependentTokens, Farthest, Occurrence, TerminalKey, TerminalMask, TokenSet, Tree};
use crate::regular::{Automaton, ByteSet, StateId, Step};
use crate::vocabulary::{NodeIndex, TokenId, Vocabulary};

/// The tokens below a node, read from a state inside a text, by characters.
#[derive(Debug)]
pub struct TextTable {
    /// Tokens that stay inside, by characters started: tokens of `n` characters are at `starts[n]..starts[n + 1]`.
    independent: Vec<TokenId>,
    starts: Vec<usize>,
    /// The same as a map.
    all: Bitmap,
    /// Tokens that stay inside and have leading whitespace.
    spaced: Vec<Occurrence>,
    dependent: Arc<DependentTokens>,
    /// Bytes to finish a character after any context-independent token, at worst, closing quote included.
    tail: u32,
}

/// What the walk for a [`TextTable`] finds.
#[derive(Default)]
struct CountedTokens<'v> {
    by_count: Vec<Vec<TokenId>>,
    spaced: Vec<Occurrence>,
    dependent: Vec<Dependent<'v>>,
    ends: FxHashSet<StateId>,
}

impl<'v> CountedTokens<'v> {
    /// Keeps a token that stays inside.
    fn keep(&mut self, found: Occurrence) {
        if found.run == 0 { self.independent(found.count).push(found.token) } else { self.spaced.push(found) }
    }

    /// The tokens without leading whitespace that have `count` characters.
    fn independent(&mut self, count: u16) -> &mut Vec<TokenId> {
        let counts = self.by_count.len().max(usize::from(count) + 1);
        self.by_count.resize_with(counts, Vec::new);
        &mut self.by_count[usize::from(count)]
    }

    /// One token, of which `read` bytes with `count` characters led to `state`.
    fn token(&mut self, walk: &Counting<'v>, token: TokenId, read: usize, (mut state, mut count): (StateId, u16)) {
        let bytes = walk.vocabulary.token(token);
        for (index, &byte) in bytes.iter().enumerate().skip(read) {
            let step = walk.automaton.step(state, byte);
            count += walk.counts(state, step);
            let rest = &bytes[index + 1..];
            if step.accepting() && walk.leaves(rest) {
                self.dependent.push((rest, Occurrence { run: 0, count, token }));
            }
            if !step.goes_on() {
                return;
            }
            state = step.state();
        }
        self.ends.insert(state);
        self.independent(count).push(token);
    }
}

/// A walk that counts characters. `inside` is the state of the automaton between two characters, and `follow` may come
/// after a text without quotes.
pub struct Counting<'v> {
    pub vocabulary: &'v Vocabulary,
    pub automaton: &'v Automaton,
    pub inside: StateId,
    pub follow: &'v ByteSet,
}

impl<'v> Counting<'v> {
    /// The tokens below the node of a key, read from its state.
    pub fn table(&self, key: &TerminalKey) -> TextTable {
        let found = match (key.tree, key.node) {
            (Tree::Plain, 0) => self.by_shape(key.state),
            _ => self.by_byte(key.tree, key.node, key.state),
        };
        let starts = found.by_count.iter().scan(0, |end, tokens| {
            *end += tokens.len();
            Some(*end)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
        let independent = found.by_count.concat();
        TextTable {
            all: Bitmap::of(independent.iter().copied(), self.vocabulary.mask_words()),
            independent,
            starts,
            spaced: found.spaced,
            dependent: Arc::new(DependentTokens::new(found.dependent)),
            tail: found.ends.iter().map(|&state| self.automaton.shortest(state)).max().unwrap_or(1),
        }
    }

    /// How many characters a step counts: one if it begins a character, and is not the quote.
    fn counts(&self, state: StateId, step: Step) -> u16 {
        u16::from(state == self.inside && step.goes_on())
    }

    /// Whether a token of which `rest` remains leaves the text, where the text may end.
    fn leaves(&self, rest: &[u8]) -> bool {
        self.automaton.is_self_delimiting() || rest.first().is_some_and(|&next| self.follow.contains(next))
    }

    /// All tokens as they are, by their shapes.
    fn by_shape(&self, state: StateId) -> CountedTokens<'v> {
        let mut found = CountedTokens::default();
        let mut classes = Classes::new(self.automaton);
        let shapes = self.vocabulary.shapes();
        let nodes = shapes.trie.nodes();
        let tokens = |items| &shapes.tokens()[shapes.range(items)];
        let may_leave = self.automaton.is_self_delimiting() || !self.follow.is_empty();
        let mut states = vec![(state, 0_u16); usize::from(nodes[0].height) + 1];
        let mut index = 1;
        while let Some(at) = nodes.get(index as usize) {
            let depth = usize::from(at.depth);
            let (before, count) = states[depth - 1];
            let step = match depth {
                1 => Some(self.automaton.step(before, at.byte)),
                _ => classes.step(before, at.byte),
            };
            let below = || tokens(shapes.trie.items_below(index)).iter();
            let Some(step) = step else {
                below().for_each(|&token| found.token(self, token, depth - 1, (before, count)));
                index = at.skip;
                continue;
            };
            let count = count + self.counts(before, step);
            if step.accepting() && may_leave {
                let rests = below().map(|&token| (&self.vocabulary.token(token)[depth..], token));
                let leaving = rests.filter(|(rest, _)| self.leaves(rest));
                found.dependent.extend(leaving.map(|(rest, token)| (rest, Occurrence { run: 0, count, token })));
            }
            if !step.goes_on() {
                index = at.skip;
                continue;
            }
            states[depth] = (step.state(), count);
            let ending = tokens(shapes.trie.items_at(index));
            if !ending.is_empty() {
                found.ends.insert(step.state());
                found.independent(count).extend_from_slice(ending);
            }
            index += 1;
        }
        found
    }

    /// The tokens below a node of a trie, by their bytes.
    fn by_byte(&self, tree: Tree, node: NodeIndex, state: StateId) -> CountedTokens<'v> {
        let mut found = CountedTokens::default();
        let tokens = TreeTokens::new(self.vocabulary, tree);
        let nodes = tokens.trie.nodes();
        let base = usize::from(nodes[node as usize].depth);
        let mut states = vec![(state, 0_u16); usize::from(nodes[node as usize].height) + 1];
        let mut index = node + 1;
        while index < nodes[node as usize].skip {
            let at = &nodes[index as usize];
            let depth = usize::from(at.depth) - base;
            let (before, count) = states[depth - 1];
            let step = self.automaton.step(before, at.byte);
            let count = count + self.counts(before, step);
            if step.accepting() && self.automaton.is_self_delimiting() {
                tokens.dependent_below(index, at.depth, count, &mut found.dependent);
            } else if step.accepting() && !self.follow.is_empty() {
                let children = tokens.trie.children(index);
                let leaving = children.filter(|&child| self.follow.contains(tokens.trie.node(child).byte));
                leaving.for_each(|child| tokens.dependent_below(child, at.depth, count, &mut found.dependent));
            }
            if !step.goes_on() {
                index = at.skip;
                continue;
            }
            states[depth] = (step.state(), count);
            let items = tokens.trie.items_at(index);
            if !items.is_empty() {
                found.ends.insert(step.state());
                items.for_each(|item| found.keep(tokens.occurrence(item, count)));
            }
            index += 1;
        }
        found
    }
}

impl TextTable {
    /// The table of a class of characters, made from this table of all characters: with the context-independent and the
    /// context-dependent tokens of any number of characters of the class. `tail` is the bytes to finish a character.
    /// The number of characters of each token is taken from this table.
    #[must_use]
    pub fn of_class(&self, tokens: &[u32], dependent: &DependentTokens, tail: u32) -> Self {
        let all = self.dependent.closing.iter().chain(&self.dependent.tokens);
        let counts: FxHashMap<TokenId, u16> = all.map(|found| (found.token, found.count)).collect();
        let counted =
            |found: &Occurrence| Occurrence { count: counts.get(&found.token).copied().unwrap_or_default(), ..*found };
        let dependent = DependentTokens {
            closing: dependent.closing.iter().map(counted).collect(),
            trie: dependent.trie.clone(),
            tokens: dependent.tokens.iter().map(counted).collect(),
        };
        let (mut independent, mut starts) = (Vec::new(), vec![0]);
        for range in self.starts.windows(2) {
            let of_count = self.independent[range[0]..range[1]].iter();
            independent.extend(of_count.filter(|&&token| tokens[token as usize / 32] >> (token % 32) & 1 == 1));
            starts.push(independent.len());
        }
        Self {
            all: Bitmap::of(independent.iter().copied(), self.all.len()),
            independent,
            starts,
            spaced: Vec::new(),
            dependent: Arc::new(dependent),
            tail,
        }
    }

    /// The mask when `least..=most` characters may still come.
    pub fn mask(&self, (least, most): (u32, u32)) -> TerminalMask {
        let last = (most as usize + 1).min(self.starts.len() - 1);
        let (independent, longer) = self.independent.split_at(self.starts[last]);
        let mut independent = self.independent_of_mask(independent, longer);
        let closing = self.dependent.closing((least, most));
        match &mut independent {
            TokenSet::List(list) => list.extend(closing),
            TokenSet::Map(map) => map.extend(closing),
        }
        TerminalMask {
            independent,
            spaced: self.spaced.iter().filter(|found| u32::from(found.count) <= most).copied().collect(),
            dependent: Arc::clone(&self.dependent),
            leaving: Vec::new(), // counts are kept with each token
            window: (least, most),
            farthest: Farthest::known(least.saturating_add(self.tail)),
        }
    }

    /// Sets the bits of the tokens that are short enough, or clears the bits of the longer tokens, whichever are fewer.
    fn independent_of_mask(&self, independent: &[TokenId], longer: &[TokenId]) -> TokenSet {
        if independent.len() <= LIST {
            return TokenSet::List(independent.to_vec());
        }
        if independent.len() < longer.len() {
            return TokenSet::Map(Bitmap::of(independent.iter().copied(), self.all.len()));
        }
        let mut map = self.all.clone();
        for &token in longer {
            map[token as usize / 32] &= !(1 << (token % 32));
        }
        TokenSet::Map(map)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.independent)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.all)
            + size_of_val(&*self.spaced)
            + self.dependent.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::walk::terminal_mask;
    use super::super::walk::tests::vocabulary;
    use super::super::{Tables, TerminalKey};
    use super::*;
    use crate::language::UNBOUNDED;
    use crate::limits::Limits;
    use crate::regular::{ByteSet, Encoding, Escapes, Regular};

    type Sets = (Vec<BTreeSet<TokenId>>, BTreeSet<(Vec<u8>, Occurrence)>, BTreeSet<StateId>);

    /// Everything that was found, as sets.
    fn all(found: CountedTokens<'_>) -> Sets {
        assert!(found.spaced.is_empty());
        let independent = found.by_count.into_iter().map(|tokens| tokens.into_iter().collect()).collect();
        let dependent = found.dependent.into_iter().map(|(rest, found)| (rest.to_vec(), found)).collect();
        (independent, dependent, found.ends.into_iter().collect())
    }

    const ENCODINGS: [Encoding; 4] = [
        Encoding::Text,
        Encoding::Json(Escapes::Natural),
        Encoding::Json(Escapes::Any),
        Encoding::Json(Escapes::Unique),
    ];

    fn key(state: StateId) -> TerminalKey {
        TerminalKey {
            tree: Tree::Plain,
            node: 0,
            automaton: 0,
            state,
            window: (0, UNBOUNDED),
            follow: 0,
            splits: false,
        }
    }

    /// A class has the tokens that a walk with its own automaton finds.
    #[test]
    fn a_class_counts_as_a_walk_does() {
        let tables = Tables::new(vocabulary(), Limits::default());
        let classes = [
            Regular::range('a', 'z'),
            Regular::range('b', 'y'),
            Regular::one_of("ab\"\\\n -é"),
            Regular::one_of("x日本"),
            Regular::Class([('\0', 'w'), ('y', '\u{D7FF}'), ('\u{E000}', '\u{10FFFF}')].into()),
        ];
        for (class, encoding) in classes.iter().flat_map(|class| ENCODINGS.map(|encoding| (class, encoding))) {
            let table = |tree: &Regular| {
                let automaton = Automaton::new(tree, encoding, &Limits::default()).unwrap();
                let (inside, follow) = (automaton.content_start(), &ByteSet::default());
                let walk = Counting { vocabulary: &tables.vocabulary, automaton: &automaton, inside, follow };
                let table = walk.table(&key(inside));
                (automaton, table)
            };
            let (automaton, walked) = table(&class.clone().repeat(0, None));
            let (_, all) = table(&Regular::anything());
            let mask = terminal_mask(&tables, key(automaton.content_start()), &automaton, &ByteSet::default());
            let words = tables.vocabulary.mask_words();
            let independent = match &mask.independent {
                TokenSet::Map(map) => map.clone(),
                TokenSet::List(list) => Bitmap::of(list.iter().copied(), words),
            };
            let counted = all.of_class(&independent, &mask.dependent, mask.farthest(&automaton));
            let sets = |table: &TextTable| {
                let of_count = |range: &[usize]| table.independent[range[0]..range[1]].iter().copied().collect();
                let independent: Vec<BTreeSet<TokenId>> = table.starts.windows(2).map(of_count).collect();
                let dependent: BTreeSet<Occurrence> =
                    table.dependent.tokens.iter().chain(&table.dependent.closing).copied().collect();
                let last = independent.iter().rposition(|tokens| !tokens.is_empty()).map_or(0, |last| last + 1);
                (independent[..last].to_vec(), dependent, table.dependent.trie.nodes().len(), table.all.to_vec())
            };
            assert_eq!(sets(&counted), sets(&walked), "{class:?} {encoding:?}");
            assert!(counted.tail >= walked.tail && walked.starts.len() > 2);
        }
    }

    #[test]
    fn shapes_and_bytes_count_alike() {
        let (vocabulary, mut left) = (vocabulary(), [[0; 2]; 2]);
        for (encoding, follow) in ENCODINGS.iter().flat_map(|&encoding| ["", "e-"].map(|follow| (encoding, follow))) {
            let automaton = Automaton::new(&Regular::anything(), encoding, &Limits::default()).unwrap();
            let (inside, follow) = (automaton.content_start(), &ByteSet::of(follow.as_bytes()));
            let walk = Counting { vocabulary: &vocabulary, automaton: &automaton, inside, follow };
            for text in ["", "a", "\\", "\\u0", "\u{65e5}"] {
                let state = text.bytes().fold(inside, |state, byte| automaton.step(state, byte).state());
                let (shapes, bytes) = (all(walk.by_shape(state)), all(walk.by_byte(Tree::Plain, 0, state)));
                assert_eq!(shapes, bytes, "{encoding:?} {text:?}");
                left[usize::from(automaton.is_self_delimiting())][usize::from(!follow.is_empty())] += bytes.1.len();
            }
        }
        let [[none, some], [quotes, others]] = left;
        assert!(none == 0 && some > 0 && quotes == others, "{left:?}");
    }
}
