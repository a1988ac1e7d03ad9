//! How many canonical tokens a text still needs: a number that some token always lowers by one.
//!
//! ```text
//! {"a": "x     `"}` is a token, and may follow: 1        {"a": "x  "     more spaces must come before the quote: 3
//! ```
//!
//! As in [`crate::matcher::potential`], the preferred ways to the end are followed, by tokens that the tokenizer would
//! write there: breadth first from where the text stands, so that what is found first is least. Everything on the way to
//! it is remembered, and with it that the number falls by one with each of its tokens. Where no preferred way can be
//! spelled, any token is taken that leads to where one can.
//!
//! Cost: a few microseconds for each token of the rest of the text, once. Wrinkle: a token may end where the next one
//! must not continue its piece, or may only if it is compatible. Of many tokens that end alike, two counts say what holds
//! for all of them: if the next token begins a piece ([`Place::boundary`]), and if it may be any (without a last one).

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::search::{Form, Graph, Search, Standing, walk};
use crate::canonical::Place;
use crate::language::INFINITE;
use crate::matcher::counting::Counting;
use crate::matcher::machine::{Configuration, Machine, Position};
use crate::matcher::potential::Potential;
use crate::regular::ByteSet;
use crate::vocabulary::TokenId;

/// Places that one question looks at.
const MOST_PLACES: usize = 1 << 13;

/// Branches of the trie looked at where no preferred way can be spelled.
const FUEL: u32 = 50_000;

/// Of the tokens that lead to where one can be spelled, so many are compared.
const MOST_DETOURS: usize = 16;

/// Places remembered. What is known stays: a text may rely on it.
const MOST_KNOWN: usize = 1 << 18;

/// Free bytes that are tried.
const MOST_BYTES: usize = 8;

/// So many bytes are as good as tokens.
const FEW_BYTES: u32 = 4;

/// Tokens looked at after one place where no preferred way can be spelled.
const MOST_STEPS: usize = 256;

/// Configurations after a byte.
type Configurations = SmallVec<[Configuration; 2]>;

/// Tokens, and where each leads.
type Steps = Arc<[(TokenId, Configuration)]>;

/// What was found.
#[derive(Debug, Default)]
pub struct Finish {
    steps: FxHashMap<Configuration, Steps>,
    known: FxHashMap<(Configuration, Place), u32>,
    /// Where all tokens were tried.
    tried: FxHashSet<(Configuration, Place)>,
}

impl Finish {
    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.known.len() * 56 + self.steps.len() * 160
    }
}

/// Counts tokens.
pub struct Counter<'c> {
    pub potential: &'c mut Potential,
    pub counting: Counting<'c>,
    pub finish: &'c mut Finish,
}

/// A place on the way, and the one before it.
struct Node {
    at: Configuration,
    place: Place,
    before: usize,
    tokens: u32,
}

impl Counter<'_> {
    /// Whether a text can be completed in so many tokens.
    pub fn fits(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place, left: u32) -> bool {
        self.bytes(search, at, place) <= left || self.tokens(search, &at.at, place) <= left
    }

    /// Tokens that complete a text, or its bytes if they are few.
    pub fn needed(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place) -> u32 {
        let bytes = self.bytes(search, at, place);
        if bytes <= FEW_BYTES { bytes } else { bytes.min(self.tokens(search, &at.at, place)) }
    }

    /// Bytes to the end, on a way that begins with a byte before which a piece ends: no fewer than its tokens.
    pub fn bytes(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place) -> u32 {
        if search.form.may_end(at) && search.spelling.may_end(place.state) {
            return 0;
        }
        if !self.counting.has_every_byte() {
            return INFINITE;
        }
        let mut least = INFINITE;
        let free: Vec<u8> = search.free_bytes(at, place).iter().take(MOST_BYTES).collect();
        for byte in free {
            if let Some(after) = search.form.step(at, byte) {
                least = least.min(search.form.machine.cost(&after.at).saturating_add(1));
            }
        }
        least
    }

    /// Tokens of the shortest completion known; [`INFINITE`] if none is known.
    pub fn tokens(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &[Configuration], place: Place) -> u32 {
        let mut least = INFINITE;
        for &at in at {
            let at = search.form.machine.erased(at);
            least = least.min(self.tokens_of(search, at, place));
        }
        least
    }

    fn tokens_of(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: Configuration, place: Place) -> u32 {
        let along = self.along_ways(search, at, place);
        let stands_for_many = place.last.is_none() || place == Place::boundary(place.state);
        if along < INFINITE || stands_for_many || !self.finish.tried.insert((at, place)) {
            return along;
        }
        let found = self.by_detour(search, at, place);
        let known = self.finish.known.entry((at, place)).or_insert(INFINITE);
        *known = found.min(*known);
        *known
    }

    /// Tokens along preferred ways.
    fn along_ways(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: Configuration, place: Place) -> u32 {
        if let Some(&known) = self.finish.known.get(&(at, place)) {
            return known;
        }
        let mut nodes = vec![Node { at, place, before: 0, tokens: 0 }];
        let mut seen = FxHashSet::from_iter([(at, place)]);
        let (mut next, mut best, mut last) = (0, INFINITE, 0);
        while next < nodes.len() && nodes.len() < MOST_PLACES {
            let Node { at, place, tokens, .. } = nodes[next];
            if tokens + 1 > best {
                break;
            }
            let rest = if at.position == Position::Accept && search.spelling.may_end(place.state) {
                Some(0)
            } else {
                self.finish.known.get(&(at, place)).copied().filter(|&known| known < INFINITE)
            };
            if let Some(rest) = rest {
                if tokens + rest < best {
                    (best, last) = (tokens + rest, next);
                }
            } else {
                for &(token, to) in self.steps(search, at).iter() {
                    let Some(place) = search.spelling.after(place, token) else { continue };
                    if seen.insert((to, place)) {
                        nodes.push(Node { at: to, place, before: next, tokens: tokens + 1 });
                    }
                }
            }
            next += 1;
        }
        self.remember(&nodes, last, best);
        best
    }

    /// Remembers what is known of the places on a way of so many tokens.
    fn remember(&mut self, nodes: &[Node], last: usize, best: u32) {
        if self.finish.known.len() > MOST_KNOWN {
            return;
        }
        let mut index = last;
        loop {
            let Node { at, place, before, tokens } = nodes[index];
            let rest = if best < INFINITE { best - tokens } else { INFINITE };
            let known = self.finish.known.entry((at, place)).or_insert(rest);
            *known = rest.min(*known);
            if index == 0 {
                return;
            }
            index = before;
        }
    }

    /// Where the tokens on the preferred ways from a configuration lead.
    fn steps(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: Configuration) -> Steps {
        match self.finish.steps.entry(at) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(unknown) => {
                let found = self.potential.tokens_on_ways(&mut search.form.machine, self.counting, at);
                Arc::clone(unknown.insert(found.into()))
            }
        }
    }

    /// Tokens by way of any tokens that lead to where a preferred way can be spelled, breadth first.
    fn by_detour(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: Configuration, place: Place) -> u32 {
        let mut nodes = vec![Node { at, place, before: 0, tokens: 0 }];
        let mut seen = FxHashSet::from_iter([(at, place)]);
        if let Some(completion) = search.spelling.completion(place) {
            let tokens = completion.map(|tokens| self.by_completion(search, at, place, &tokens));
            if tokens.is_none_or(|tokens| tokens < INFINITE) {
                return tokens.unwrap_or(INFINITE);
            }
        }
        let (mut next, mut best, mut last, mut found, mut fuel) = (0, INFINITE, 0, 0, FUEL);
        while next < nodes.len() && nodes[next].tokens + 1 < best && found < MOST_DETOURS && fuel > 0 {
            let Node { at, place, tokens, .. } = nodes[next];
            for (at, place) in all_steps(search, at, place, &mut fuel) {
                if !seen.insert((at, place)) {
                    continue;
                }
                nodes.push(Node { at, place, before: next, tokens: tokens + 1 });
                let rest = self.along_ways(search, at, place);
                found += usize::from(rest < INFINITE);
                if tokens + 1 + rest < best {
                    (best, last) = (tokens + 1 + rest, nodes.len() - 1);
                }
                if found >= MOST_DETOURS {
                    break;
                }
            }
            next += 1;
        }
        self.remember(&nodes, last, best);
        best
    }
}

impl Counter<'_> {
    /// Tokens by way of those that complete a character.
    fn by_completion(
        &mut self,
        search: &mut Search<'_, '_, Graph<'_>>,
        at: Configuration,
        place: Place,
        tokens: &[TokenId],
    ) -> u32 {
        let mut nodes = vec![Node { at, place, before: 0, tokens: 0 }];
        for &token in tokens {
            let Node { at, place, tokens, .. } = nodes[nodes.len() - 1];
            let bytes = search.vocabulary.token(token);
            let after = bytes
                .iter()
                .fold(smallvec![at], |at: Configurations, &byte| step_all(&mut search.form.machine, &at, byte));
            let (Some(&at), Some(place)) = (after.first(), search.spelling.after(place, token)) else {
                return INFINITE;
            };
            nodes.push(Node { at, place, before: nodes.len() - 1, tokens: tokens + 1 });
        }
        let last = nodes.len() - 1;
        let Node { at, place, tokens, .. } = nodes[last];
        let best = self.along_ways(search, at, place).saturating_add(tokens).min(INFINITE);
        if best < INFINITE {
            self.remember(&nodes, last, best);
        }
        best
    }
}

/// Where all tokens lead that the tokenizer would write at a place, until the fuel is spent.
fn all_steps(
    search: &mut Search<'_, '_, Graph<'_>>,
    at: Configuration,
    place: Place,
    fuel: &mut u32,
) -> Vec<(Configuration, Place)> {
    let (trie, mut found) = (search.vocabulary.plain(), Vec::new());
    let begins = ByteSet::from_words(search.spelling.first(place));
    walk(trie, smallvec![at], |at: &Configurations, child| {
        *fuel = fuel.saturating_sub(1);
        if *fuel == 0 || found.len() > MOST_STEPS {
            return ControlFlow::Break(());
        }
        let byte = trie.node(child).byte;
        if trie.node(child).depth == 1 && !begins.contains(byte) {
            return ControlFlow::Continue(None);
        }
        let after = step_all(&mut search.form.machine, at, byte);
        if after.is_empty() {
            return ControlFlow::Continue(None);
        }
        for &token in &trie.items()[trie.items_at(child)] {
            if let Some(place) = search.spelling.after(place, token) {
                found.extend(after.iter().map(|&at| (at, place)));
            }
        }
        ControlFlow::Continue(Some(after))
    });
    found
}

/// Where a byte leads from erased configurations.
fn step_all(machine: &mut Machine<'_>, at: &[Configuration], byte: u8) -> Configurations {
    machine.blindly(|machine| at.iter().flat_map(|&at| machine.step_erased(at, byte).0).collect())
}
