//! Tokens inside a JSON string by their characters, for strings that count them.
//!
//! One walk serves every `minLength` and `maxLength`: the tokens that stay inside stand by their number of characters,
//! so that those of at most `n` are the first ones.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::walk::{Exit, Tokens};
use super::{Bitmap, Body, Exits, Farthest, LeafMask, Met, Tree, bitmap};
use crate::regular::{Automaton, StateId};
use crate::vocabulary::{NodeIndex, TokenId, Vocabulary};

/// All tokens below a place inside a JSON string, by characters.
#[derive(Debug)]
pub struct TextTable {
    /// Tokens that stay inside, by characters started: those of `n` characters are at `starts[n]..starts[n + 1]`.
    body: Vec<TokenId>,
    starts: Vec<usize>,
    /// The same as a map.
    all: Bitmap,
    /// Tokens that stay inside and have leading whitespace.
    spaced: Vec<Met>,
    exits: Arc<Exits>,
    /// Bytes to finish a character after any token of the body, at worst, closing quote included.
    tail: u32,
}

/// What the walk for a [`TextTable`] finds.
#[derive(Default)]
struct Found<'v> {
    by_count: Vec<Vec<TokenId>>,
    spaced: Vec<Met>,
    exits: Vec<Exit<'v>>,
    ends: FxHashSet<StateId>,
}

impl Found<'_> {
    fn keep(&mut self, met: Met) {
        if met.run != 0 {
            return self.spaced.push(met);
        }
        let places = self.by_count.len().max(usize::from(met.count) + 1);
        self.by_count.resize_with(places, Vec::new);
        self.by_count[usize::from(met.count)].push(met.token);
    }
}

/// Counts the characters of every token below `node`, from `state` on.
fn found<'v>(
    tokens: &Tokens<'v>,
    node: NodeIndex,
    automaton: &Automaton,
    state: StateId,
    inside: StateId,
) -> Found<'v> {
    let mut found = Found::default();
    let nodes = tokens.trie.nodes();
    let base = usize::from(nodes[node as usize].depth);
    let mut states = vec![(state, 0_u16); usize::from(nodes[node as usize].height) + 1];
    let mut index = node + 1;
    while index < nodes[node as usize].skip {
        let at = &nodes[index as usize];
        let depth = usize::from(at.depth) - base;
        let (before, count) = states[depth - 1];
        let step = automaton.step(before, at.byte);
        if step.accepting() {
            tokens.exits_below(index, at.depth, count, &mut found.exits);
        }
        if !step.goes_on() {
            index = at.skip;
            continue;
        }
        let count = count + u16::from(before == inside);
        states[depth] = (step.state(), count);
        let items = tokens.trie.items_at(index);
        if !items.is_empty() {
            found.ends.insert(step.state());
            items.for_each(|item| found.keep(tokens.met(item, count)));
        }
        index += 1;
    }
    found
}

impl TextTable {
    /// The tokens below `node`, read from `state`; `inside` is the state between two characters.
    pub fn new(
        vocabulary: &Vocabulary,
        tree: Tree,
        node: NodeIndex,
        automaton: &Automaton,
        state: StateId,
        inside: StateId,
    ) -> Self {
        let found = found(&Tokens::new(vocabulary, tree), node, automaton, state, inside);
        let starts = found.by_count.iter().scan(0, |end, tokens| {
            *end += tokens.len();
            Some(*end)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
        let body = found.by_count.concat();
        Self {
            all: bitmap(body.iter().copied(), vocabulary.mask_words()),
            body,
            starts,
            spaced: found.spaced,
            exits: Arc::new(Exits::new(found.exits)),
            tail: found.ends.iter().map(|&state| automaton.shortest(state)).max().unwrap_or(1),
        }
    }

    /// The mask when `least..=most` characters may still come.
    pub fn mask(&self, (least, most): (u32, u32)) -> LeafMask {
        let last = (most as usize + 1).min(self.starts.len() - 1);
        let (body, longer) = self.body.split_at(self.starts[last]);
        LeafMask {
            body: self.body_of_mask(body, longer),
            spaced: self.spaced.iter().filter(|met| u32::from(met.count) <= most).copied().collect(),
            exits: Arc::clone(&self.exits),
            window: (least, most),
            farthest: Farthest::known(least.saturating_add(self.tail)),
        }
    }

    /// Sets bits, or clears those of the tokens that are too long, whatever are fewer.
    fn body_of_mask(&self, body: &[TokenId], longer: &[TokenId]) -> Body {
        if body.len() <= super::LIST {
            return Body::List(body.to_vec());
        }
        if body.len() < longer.len() {
            return Body::Map(bitmap(body.iter().copied(), self.all.len()));
        }
        let mut map = self.all.clone();
        for &token in longer {
            map[token as usize / 32] &= !(1 << (token % 32));
        }
        Body::Map(map)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.body)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.all)
            + size_of_val(&*self.spaced)
            + self.exits.trie.bytes()
            + size_of_val(&*self.exits.met)
    }
}
