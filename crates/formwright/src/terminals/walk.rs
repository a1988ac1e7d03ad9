//! The walk that makes a terminal mask: a state of an automaton against all tokens of a tree.
//!
//! The simple version: for each token, step the automaton over its bytes. Three things make it faster. The trie
//! shares prefixes, and preorder makes the loop one pass over an array. Class loops accept whole subtrees
//! (`ClassLoops`). And few states tell one lowercase letter from another: for the other states, a walk over [`Shapes`]
//! sees 131k tokens as 12k shapes.
//!
//! ```text
//! [a-z0-9_]+  on 131k tokens     every token 595 us     class loops 95 us     shapes 28 us
//! ```
//!
//! Cost: mostly 20-200 us for a dense state. Where a state does tell letters apart, the tokens of a shape are
//! stepped one by one; if they are many, all tokens with the same first byte are walked by bytes instead.

use std::ops::Range;

use smallvec::SmallVec;

use super::class_loops::ClassLoops;
use super::classes::Classes;
use super::dependent::TreeTokens;
use super::{Collector, Dependent, Farthest, Occurrence, States, Tables, TerminalKey, TerminalMask, Tree};
use crate::language::UNBOUNDED;
use crate::regular::{Automaton, ByteSet, DEAD, StateId};
use crate::vocabulary::shapes::members;
use crate::vocabulary::{NodeIndex, Shapes, TokenId, Vocabulary};

/// Of the tokens that begin with the same byte, at most this many are stepped one by one.
const ALONE: usize = 256;

/// States with at most this many first bytes are walked by bytes.
const SPARSE: usize = 16;

/// Where tokens leave through subtrees of more nodes than this, they are left to the trie they are in.
const MANY: NodeIndex = 256;

/// Subtrees with at most this many nodes are walked by bytes.
const SMALL: NodeIndex = 64;

/// The mask of a state of a terminal that does not count characters.
pub fn terminal_mask(tables: &Tables, key: TerminalKey, automaton: &Automaton, follow: &ByteSet) -> TerminalMask {
    let mut walk = TerminalWalk::new(&tables.vocabulary, key.tree, automaton, follow);
    walk.splits = key.splits;
    match key {
        TerminalKey { tree: Tree::Plain, node: 0, state, .. } => walk.everything(state),
        TerminalKey { node, state, .. } => {
            let at = walk.tokens.trie.node(node);
            walk.subtrees(node + 1..at.skip, at.height, state);
        }
    }
    walk.finish(tables)
}

/// A walk under way: what it walks, and what it has found.
struct TerminalWalk<'w> {
    vocabulary: &'w Vocabulary,
    tokens: TreeTokens<'w>,
    automaton: &'w Automaton,
    follow: &'w ByteSet,
    loops: ClassLoops<'w>,
    classes: Classes<'w>,
    independent: Collector,
    /// More context-independent tokens: ranges of the tokens by shape, ascending, and tokens stepped one by one.
    ranges: Vec<Range<usize>>,
    alone: Vec<TokenId>,
    spaced: Vec<Occurrence>,
    dependent: Vec<Dependent<'w>>,
    /// Whether nodes at which many tokens leave are noted instead of the tokens, and those nodes.
    splits: bool,
    leaving: Vec<NodeIndex>,
    /// States in which some context-independent token ends, and states whose class loops accepted whole subtrees.
    ends: States,
    looping: States,
}

impl<'w> TerminalWalk<'w> {
    fn new(vocabulary: &'w Vocabulary, tree: Tree, automaton: &'w Automaton, follow: &'w ByteSet) -> Self {
        Self {
            vocabulary,
            tokens: TreeTokens::new(vocabulary, tree),
            automaton,
            follow,
            loops: ClassLoops::new(automaton, follow),
            classes: Classes::new(automaton),
            independent: Collector::new(vocabulary.mask_words()),
            ranges: Vec::new(),
            alone: Vec::new(),
            spaced: Vec::new(),
            dependent: Vec::new(),
            splits: false,
            leaving: Vec::new(),
            ends: States::default(),
            looping: States::default(),
        }
    }

    fn finish(mut self, tables: &Tables) -> TerminalMask {
        let (dependent, window) = (tables.dependent(self.dependent), (0, UNBOUNDED));
        self.alone.into_iter().chain(dependent.closing(window)).for_each(|token| self.independent.push(token));
        TerminalMask {
            independent: self.independent.finish(self.vocabulary, &self.ranges),
            spaced: self.spaced,
            dependent,
            leaving: self.leaving,
            window,
            farthest: Farthest::new(self.ends, self.looping),
        }
    }

    // By bytes.

    /// One pass in preorder over subtrees of one parent, `height` bytes high (the byte that leads to a subtree counts);
    /// `rows[d]` are the transitions after the byte at depth `d` of a subtree.
    fn subtrees(&mut self, range: Range<NodeIndex>, height: u16, state: StateId) {
        let (automaton, trie) = (self.automaton, self.tokens.trie);
        let nodes = trie.nodes();
        let Some(first) = nodes[range.start as usize..range.end as usize].first() else { return };
        let base = usize::from(first.depth) - 1;
        let mut rows = vec![automaton.transitions(state); usize::from(height) + 1];
        let mut index = range.start;
        while index < range.end {
            let at = &nodes[index as usize];
            let depth = usize::from(at.depth) - base;
            let before = rows[depth - 1];
            let step = automaton.step_in(before, at.byte);
            if step.state() != DEAD && self.loops.cover(before.state(), trie, index) {
                self.looping.insert(before.state());
                self.accept(trie.items_below(index));
                index = at.skip;
                continue;
            }
            if step.accepting() {
                self.leave(index, step.goes_on());
            }
            if !step.goes_on() {
                index = at.skip;
                continue;
            }
            let ending = trie.items_at(index);
            if !ending.is_empty() {
                self.ends.insert(step.state());
                self.accept(ending);
            }
            index += 1;
            if index < at.skip {
                rows[depth] = automaton.transitions(step.state());
            }
        }
    }

    /// Adds context-independent tokens: items of the trie.
    fn accept(&mut self, items: Range<usize>) {
        let Some(entries) = self.tokens.entries else {
            self.tokens.trie.items()[items].iter().for_each(|&token| self.independent.push(token));
            return;
        };
        for &item in &self.tokens.trie.items()[items] {
            match entries[item as usize] {
                (0, token) => self.independent.push(token),
                (run, token) => self.spaced.push(Occurrence { run, count: 0, token }),
            }
        }
    }

    /// The terminal may end at `node`: tokens that go on with a byte that may follow leave the terminal here. A token
    /// that ends at `node` leaves only if it cannot stay inside.
    fn leave(&mut self, node: NodeIndex, stays: bool) {
        let read = self.tokens.trie.node(node).depth;
        if self.automaton.is_self_delimiting() {
            return self.tokens.dependent_below(node, read, 0, &mut self.dependent);
        }
        if !stays {
            self.dependent
                .extend(self.tokens.trie.items_at(node).map(|item| (&[][..], self.tokens.occurrence(item, 0))));
        }
        if *self.follow == ByteSet::default() || self.try_split(node) {
            return;
        }
        for child in self.tokens.trie.children(node) {
            if self.follow.contains(self.tokens.trie.node(child).byte) {
                self.tokens.dependent_below(child, read, 0, &mut self.dependent);
            }
        }
    }

    /// Notes a node at which the terminal may end, if many tokens leave it there.
    fn try_split(&mut self, node: NodeIndex) -> bool {
        let trie = self.tokens.trie;
        let follows = |&child: &NodeIndex| self.follow.contains(trie.node(child).byte);
        let size = |child: NodeIndex| trie.node(child).skip - child;
        let splits = self.splits && trie.children(node).filter(follows).map(size).sum::<NodeIndex>() > MANY;
        self.leaving.extend(splits.then_some(node));
        splits
    }

    // By shapes.

    /// The whole tree of plain tokens: by shapes, or by bytes where there is little to walk.
    fn everything(&mut self, state: StateId) {
        let (shapes, plain) = (self.vocabulary.shapes(), self.tokens.trie);
        let leaving = self.automaton.next_bytes(state);
        let alive = leaving.iter().filter_map(|byte| Some((shapes.trie.child(0, byte)?, plain.child(0, byte)?)));
        let alive: SmallVec<[_; 256]> = alive.collect();
        let mut states = vec![state; usize::from(shapes.trie.node(0).height) + 1];
        for &(first, child) in &alive {
            let at = plain.node(child);
            let large = alive.len() > SPARSE && at.skip - child > SMALL;
            if !large || !self.try_shapes(shapes, first, &mut states) {
                self.subtrees(child..at.skip, at.height + 1, state);
            }
        }
    }

    /// As [`TerminalWalk::shapes`]; undone if it gives up.
    fn try_shapes(&mut self, shapes: &Shapes, first: NodeIndex, states: &mut [StateId]) -> bool {
        let (dependent, alone, ranges) = (self.dependent.len(), self.alone.len(), self.ranges.len());
        let leaving = self.leaving.len();
        let last = self.ranges.last().cloned();
        if self.shapes(shapes, first, states) {
            return true;
        }
        self.dependent.truncate(dependent);
        self.alone.truncate(alone);
        self.leaving.truncate(leaving);
        self.ranges.truncate(ranges);
        self.ranges.pop();
        self.ranges.extend(last);
        false
    }

    /// One pass in preorder over the shapes that begin with `first`; `states[d]` is the state after the class at depth
    /// `d`. False if too many tokens would have to be stepped one by one.
    fn shapes(&mut self, shapes: &Shapes, first: NodeIndex, states: &mut [StateId]) -> bool {
        let nodes = shapes.trie.nodes();
        let limit = self.alone.len() + ALONE;
        let mut index = first;
        while index < nodes[first as usize].skip {
            let at = &nodes[index as usize];
            let depth = usize::from(at.depth);
            let before = states[depth - 1];
            let below = || shapes.range(shapes.trie.items_below(index));
            if self.loops.cover(before, &shapes.trie, index) {
                self.looping.insert(before);
                self.take(below());
                index = at.skip;
                continue;
            }
            let step = match depth {
                1 => Some(self.automaton.step(before, at.byte)),
                _ => self.classes.step(before, at.byte),
            };
            let Some(step) = step else {
                if self.alone.len() + below().len() > limit {
                    return false;
                }
                shapes.tokens()[below()].iter().for_each(|&token| self.token(token, depth - 1, before));
                index = at.skip;
                continue;
            };
            if step.accepting() {
                self.leave_shapes(shapes, index, step.goes_on());
            }
            if !step.goes_on() {
                index = at.skip;
                continue;
            }
            let ending = shapes.range(shapes.trie.items_at(index));
            if !ending.is_empty() {
                self.ends.insert(step.state());
                self.take(ending);
            }
            states[depth] = step.state();
            index += 1;
        }
        true
    }

    /// Adds context-independent tokens: a range of the list of tokens by shape.
    fn take(&mut self, range: Range<usize>) {
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.ranges.push(range),
        }
    }

    /// One token, of which `read` bytes led to `state`.
    fn token(&mut self, token: TokenId, read: usize, mut state: StateId) {
        let bytes = self.vocabulary.token(token);
        for (index, &byte) in bytes.iter().enumerate().skip(read) {
            let step = self.automaton.step(state, byte);
            if step.accepting() {
                self.leave_token(token, &bytes[index + 1..], step.goes_on());
            }
            if !step.goes_on() {
                return;
            }
            state = step.state();
        }
        self.ends.insert(state);
        self.alone.push(token);
    }

    /// As [`TerminalWalk::leave`], for the shapes through a node.
    fn leave_shapes(&mut self, shapes: &Shapes, node: NodeIndex, stays: bool) {
        let trie = &shapes.trie;
        let read = usize::from(trie.node(node).depth);
        let leave = |walk: &mut Self, items: Range<usize>| {
            for &token in &shapes.tokens()[shapes.range(items)] {
                walk.leave_token(token, &walk.vocabulary.token(token)[read..], stays);
            }
        };
        if self.automaton.is_self_delimiting() {
            return leave(self, trie.items_below(node));
        }
        if !stays {
            leave(self, trie.items_at(node));
        }
        // A shape of one byte is one node of the trie of tokens.
        let alike = (read == 1).then(|| self.tokens.trie.child(0, trie.node(node).byte)).flatten();
        if *self.follow == ByteSet::default() || alike.is_some_and(|node| self.try_split(node)) {
            return;
        }
        for child in trie.children(node) {
            if members(trie.node(child).byte).any(|byte| self.follow.contains(byte)) {
                leave(self, trie.items_below(child));
            }
        }
    }

    /// As [`TerminalWalk::leave`], for one token.
    fn leave_token(&mut self, token: TokenId, rest: &'w [u8], stays: bool) {
        let leaves = match rest {
            _ if self.automaton.is_self_delimiting() => true,
            [] => !stays,
            [next, ..] => self.follow.contains(*next),
        };
        if leaves {
            self.dependent.push((rest, Occurrence { run: 0, count: 0, token }));
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use indexmap::IndexMap;

    use super::super::TokenSet;
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Encoding, Escapes, Regular, Step};

    /// Every byte, words that differ in letters, digits and case only, and pieces of other scripts.
    pub fn vocabulary() -> Arc<Vocabulary> {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        let letters: Vec<u8> = (b'a'..=b'z').chain(*b"ATZ07-\\\"").collect();
        for &first in &letters {
            for &second in &letters {
                tokens.push(vec![first, second]);
                tokens.extend(
                    [&b"e"[..], b"\"", b"-x", b"9", b"0Z", "é".as_bytes(), b"g", b"eg", b"ge", b"g-", b"e9"]
                        .map(|end| [&[first, second], end].concat()),
                );
            }
        }
        tokens.extend("日本語 ж é 😀 \u{7ff}".split(' ').map(|text| text.as_bytes().to_vec()));
        tokens.extend(
            [&[0xE6, 0x97][..], &[0x97, 0xA5], b"a\xC3", b"\xA9b", b"\\u00", b"\\n", b"a\\", b"", b"aa"]
                .map(<[u8]>::to_vec),
        );
        let end = tokens.len() as TokenId - 2;
        Arc::new(Vocabulary::new(&tokens, &[end], IndexMap::new(), None).unwrap())
    }

    fn languages() -> Vec<Regular> {
        let (lower, digit) = (Regular::range('a', 'z'), Regular::digit());
        let hex = Regular::or([Regular::range('a', 'f'), digit.clone()]);
        let dashed = Regular::concat([lower.clone().repeat(1, Some(2)), Regular::text("-")]).repeat(0, None);
        vec![
            Regular::anything(),
            lower.clone().repeat(1, None),
            lower.clone().repeat(2, Some(3)),
            hex.repeat(1, Some(200)),
            Regular::concat([dashed, lower.repeat(1, None)]),
            Regular::and([Regular::anything(), Regular::concat([Regular::text("ae"), Regular::anything()]).not()]),
            Regular::or([Regular::text("ab"), Regular::text("日本"), Regular::text("x-"), digit.repeat(1, None)]),
            Regular::and([Regular::length(1, Some(2)), Regular::anything()]),
            Regular::concat([Regular::anything(), Regular::text("-x"), Regular::anything()]).not(),
        ]
    }

    /// What each token does, byte by byte: whether it stays, and what remains of it where it leaves.
    fn expected(walk: &TerminalWalk<'_>, state: StateId) -> (BTreeSet<TokenId>, BTreeSet<(Vec<u8>, TokenId)>) {
        let (mut independent, mut dependent) = (BTreeSet::new(), BTreeSet::new());
        for token in 0..walk.vocabulary.len() as TokenId {
            let bytes = walk.vocabulary.token(token);
            let mut step = None;
            for (index, &byte) in bytes.iter().enumerate() {
                let next = walk.automaton.step(step.map_or(state, Step::state), byte);
                let rest = &bytes[index + 1..];
                let leaves = match rest {
                    _ if walk.automaton.is_self_delimiting() => true,
                    [] => !next.goes_on(),
                    [next, ..] => walk.follow.contains(*next),
                };
                if next.accepting() && leaves {
                    dependent.insert((rest.to_vec(), token));
                }
                step = Some(next);
                if !next.goes_on() {
                    break;
                }
            }
            if step.is_some_and(Step::goes_on) {
                independent.insert(token);
            }
        }
        (independent, dependent)
    }

    #[test]
    fn shapes_and_bytes_say_what_tokens_say() {
        let tables = Tables::new(vocabulary(), Limits::default());
        let mut follow = ByteSet::default();
        b"\",-e".iter().for_each(|&byte| follow.insert(byte));
        let mut one_by_one = 0;
        for (language, encoding) in languages().iter().flat_map(|language| {
            [Encoding::Text, Encoding::Json(Escapes::Natural), Encoding::Json(Escapes::Any)]
                .map(|encoding| (language, encoding))
        }) {
            let automaton = Automaton::new(language, encoding, &Limits::default()).unwrap();
            for text in ["", "\"", "\"a", "a", "ab-", "\"ab-", "\"\\", "0", "\"0", "日"] {
                let state =
                    text.bytes().fold(automaton.start().state(), |state, byte| automaton.step(state, byte).state());
                let Some(_) = Some(state).filter(|&state| state != crate::regular::DEAD) else { continue };
                let follow = if automaton.is_self_delimiting() { ByteSet::default() } else { follow };
                let mut walk = TerminalWalk::new(&tables.vocabulary, Tree::Plain, &automaton, &follow);
                let expected = expected(&walk, state);
                walk.everything(state);
                one_by_one += walk.alone.len();
                let mask = walk.finish(&tables);
                let independent = match &mask.independent {
                    TokenSet::List(tokens) => tokens.iter().copied().collect(),
                    TokenSet::Map(words) => (0..tables.vocabulary.len() as TokenId)
                        .filter(|&token| words[token as usize / 32] >> (token % 32) & 1 == 1)
                        .collect(),
                };
                let dependent = &mask.dependent;
                let mut left: BTreeSet<_> = mask.closing().map(|token| (Vec::new(), token)).collect();
                let mut expected = expected;
                expected.0.extend(mask.closing());
                let mut rest = Vec::new();
                for (node, index) in dependent.trie.nodes().iter().zip(0..) {
                    rest.truncate(usize::from(node.depth).saturating_sub(1));
                    rest.extend((index > 0).then_some(node.byte));
                    left.extend(
                        dependent.trie.items()[dependent.trie.items_at(index)]
                            .iter()
                            .map(|&item| (rest.clone(), dependent.tokens[item as usize].token)),
                    );
                }
                assert_eq!((independent, left), expected, "{language:?} {encoding:?} after {text:?}");
            }
        }
        assert!(one_by_one > 0);
    }
}
