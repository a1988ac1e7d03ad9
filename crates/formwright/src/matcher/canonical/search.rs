//! Whether a text can still be completed, in form and in canonical tokens.
//!
//! ```text
//! after "T"    "The" must follow: " The" is one token, so nothing completes it          dead
//!              any letter may follow: a piece could go on, or end before a space        live
//! ```
//!
//! Every text has canonical tokens. So once a piece certainly ends before some byte that the form allows, the text is
//! live: whatever it goes on with is spelled by itself. Only where no such byte exists, tokens are tried, depth first,
//! until one leads to a place where there is. That is rare, and mostly ends after a token or two: what is dead is dead
//! because of forced text.
//!
//! Cost: about 0.2 us where a piece ends; a search is bounded by [`FUEL`], and all searches for one mask by [`MOST_FUEL`].
//! Wrinkle: a search that runs out of fuel says *live*: then a text may come to a dead end, and is told so.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::canonical::{Place, Spelling};
use crate::language::{CompiledGraph, LeafId};
use crate::matcher::accepting;
use crate::matcher::machine::{Configuration, Machine, Position, TextsId};
use crate::regular::{Automaton, ByteSet, DEAD, StateId};
use crate::vocabulary::{NodeIndex, TokenId, Trie, Vocabulary};

/// Branches of the trie that one search looks at.
const FUEL: u32 = 50_000;

/// Branches that all searches for one mask look at.
pub const MOST_FUEL: u32 = 1 << 23;

/// What a text must be, byte by byte. Every state has a completion.
pub trait Form {
    /// Where a text stands.
    type State: Clone;
    /// What tells two states apart.
    type Key: Eq + std::hash::Hash + Clone;

    /// The state after a byte, if it may come.
    fn step(&mut self, state: &Self::State, byte: u8) -> Option<Self::State>;

    /// Whether the text may end.
    fn may_end(&self, state: &Self::State) -> bool;

    /// Bytes that may come, perhaps more.
    fn first(&self, state: &Self::State) -> ByteSet;

    /// What tells a state apart.
    fn key(&mut self, state: &Self::State) -> Self::Key;

    /// What tells it apart as far as nothing is asked about the text at hand.
    fn general(&mut self, key: Self::Key) -> Self::Key {
        key
    }

    /// Whether something was asked about the text at hand, to be noted.
    fn asked(&mut self) -> Option<&mut bool> {
        None
    }

    /// Whether a text may stand there behind the end of what the form tells about.
    fn may_leave(&self, _: &Self::State) -> bool {
        false
    }

    /// Whether a byte that may not come may do so behind that end.
    fn leaves(&self, _: &Self::State, _: u8) -> bool {
        false
    }
}

/// Searches for completions of one form.
pub struct Search<'s, 'p, F: Form> {
    pub form: F,
    pub spelling: &'s mut Spelling<'p>,
    pub vocabulary: &'s Vocabulary,
    /// What searches found without asking about the text at hand.
    pub known: &'s mut FxHashMap<(F::Key, Place), bool>,
    /// Whether a search met a token that leaves what the form tells about.
    pub has_left: bool,
    /// Branches that searches may still look at.
    pub fuel: u32,
}

impl<F: Form> Search<'_, '_, F> {
    /// Whether a text that stands somewhere can be completed.
    pub fn is_live(&mut self, state: &F::State, place: Place) -> bool {
        self.is_free(state, place) || self.is_live_by_search(state, place)
    }

    /// Whether it is plain that a text can be completed.
    pub fn is_free(&mut self, state: &F::State, place: Place) -> bool {
        if self.form.may_end(state) && self.spelling.may_end(place.state) {
            return true;
        }
        self.free_bytes(state, place).iter().any(|byte| self.form.step(state, byte).is_some())
    }

    /// Bytes before which a piece ends that the form may allow.
    pub fn free_bytes(&mut self, state: &F::State, place: Place) -> ByteSet {
        ByteSet::from_words(self.spelling.free(place)).intersection(&self.form.first(state))
    }

    #[cold]
    fn is_live_by_search(&mut self, state: &F::State, place: Place) -> bool {
        let start = (self.form.key(state), place);
        let general = (self.form.general(start.0.clone()), place);
        if let Some(&known) = self.known.get(&general) {
            return known;
        }
        match self.spelling.completion(place) {
            Some(None) => return false,
            Some(Some(tokens)) if self.is_free_after(state, place, &tokens) => return true,
            _ => {}
        }
        let asked_before = self.form.asked().is_some_and(std::mem::take);
        let (is_live, seen) = self.search(state, start);
        let asked = self.form.asked().is_some_and(|asked| *asked);
        if is_live && !asked {
            self.known.insert(general, true);
        } else if !self.has_left && !asked {
            let dead = seen.into_iter().map(|(key, place)| ((self.form.general(key), place), false));
            self.known.extend(dead);
        }
        if let Some(asked) = self.form.asked() {
            *asked |= asked_before;
        }
        is_live
    }

    /// Tries tokens until a text can be completed; what was tried.
    fn search(&mut self, state: &F::State, start: (F::Key, Place)) -> (bool, FxHashSet<(F::Key, Place)>) {
        let all = FUEL.min(self.fuel);
        let (mut open, mut fuel) = (vec![(state.clone(), start.1)], all);
        let mut seen = FxHashSet::from_iter([start]);
        let mut is_live = false;
        while let Some((state, place)) = open.pop().filter(|_| !is_live) {
            is_live = self.expand(&state, place, &mut open, &mut seen, &mut fuel) || fuel == 0;
        }
        self.fuel -= all - fuel;
        (is_live, seen)
    }

    /// Whether it is plain that a text can be completed after some tokens.
    fn is_free_after(&mut self, state: &F::State, place: Place, tokens: &[TokenId]) -> bool {
        let (mut state, mut place) = (state.clone(), place);
        for &token in tokens {
            let bytes = self.vocabulary.token(token);
            let Some(after) = bytes.iter().try_fold(state, |state, &byte| self.form.step(&state, byte)) else {
                return false;
            };
            let Some(next) = self.spelling.after(place, token) else { return false };
            (state, place) = (after, next);
        }
        self.is_free(&state, place)
    }

    /// Adds where all tokens lead; true if one of them leads to where the text can be completed.
    fn expand(
        &mut self,
        state: &F::State,
        place: Place,
        open: &mut Vec<(F::State, Place)>,
        seen: &mut FxHashSet<(F::Key, Place)>,
        fuel: &mut u32,
    ) -> bool {
        let (vocabulary, begins) = (self.vocabulary, ByteSet::from_words(self.spelling.first(place)));
        let (trie, first) = (vocabulary.plain(), self.form.first(state));
        let found = walk(trie, state.clone(), |state, child| {
            let byte = trie.node(child).byte;
            *fuel = fuel.saturating_sub(1);
            if *fuel == 0 {
                return ControlFlow::Break(false);
            }
            let is_first = trie.node(child).depth == 1;
            if is_first && !begins.contains(byte) {
                return ControlFlow::Continue(None);
            }
            let may_come = !is_first || first.contains(byte);
            let Some(after) = may_come.then(|| self.form.step(state, byte)).flatten() else {
                self.has_left = self.has_left || self.form.leaves(state, byte) && self.may_come_below(child, place);
                return ControlFlow::Continue(None);
            };
            for &token in &trie.items()[trie.items_at(child)] {
                let Some(place) = self.spelling.after(place, token) else { continue };
                if self.is_free(&after, place) {
                    return ControlFlow::Break(true);
                }
                self.has_left |= self.form.may_leave(&after);
                let key = (self.form.key(&after), place);
                let general = (self.form.general(key.0.clone()), place);
                match self.known.get(&general) {
                    Some(true) => return ControlFlow::Break(true),
                    None if seen.insert(key) => open.push((after.clone(), place)),
                    _ => {}
                }
            }
            ControlFlow::Continue(Some(after))
        });
        found.unwrap_or(false)
    }

    /// Whether some token below a node of the trie may come.
    fn may_come_below(&mut self, node: NodeIndex, place: Place) -> bool {
        let trie = self.vocabulary.plain();
        trie.items()[trie.items_below(node)].iter().any(|&token| self.spelling.after(place, token).is_some())
    }
}

/// Walks down a trie, in order of bytes: `visit` gets the value of a node and one of its children, and gives the value of
/// the child, none if nothing below it is to be visited.
pub fn walk<T, B>(
    trie: &Trie,
    start: T,
    mut visit: impl FnMut(&T, NodeIndex) -> ControlFlow<B, Option<T>>,
) -> Option<B> {
    let (mut values, mut index) = (vec![start], 1);
    while index < trie.node(0).skip {
        let at = trie.node(index);
        values.truncate(usize::from(at.depth));
        match visit(&values[usize::from(at.depth) - 1], index) {
            ControlFlow::Break(found) => return Some(found),
            ControlFlow::Continue(Some(value)) => {
                values.push(value);
                index += 1;
            }
            ControlFlow::Continue(None) => index = at.skip,
        }
    }
    None
}

/// A graph, at a text.
pub struct Graph<'m> {
    pub machine: Machine<'m>,
    /// Configurations, in buffers that serve many steps.
    at: Vec<Configuration>,
    scratch: Vec<Configuration>,
}

/// Where a graph stands, and what it has read since the text at hand where that matters: inside a name or an item.
#[derive(Clone, Debug)]
pub struct Standing {
    pub at: SmallVec<[Configuration; 2]>,
    read: SmallVec<[u8; 16]>,
}

impl Standing {
    /// At a configuration, after the text at hand.
    pub fn at(configuration: Configuration) -> Self {
        Self { at: SmallVec::from_slice(&[configuration]), read: SmallVec::new() }
    }
}

impl Standing {
    /// The part that is inside the terminal of a position. Where a terminal says by itself where it ends, that is all;
    /// where it does not, what follows may have begun too, after some tokens that stay inside and not after others.
    pub fn staying_in(self, graph: &CompiledGraph, position: Position) -> Self {
        if ends_by_itself(graph, position) {
            return self;
        }
        let leaf = leaf_of(position);
        let at = self.at.into_iter().filter(|at| leaf_of(at.position) == leaf).collect();
        Self { at, ..self }
    }
}

/// Whether the terminal of a position, if it is inside of one, says by itself where it ends.
pub fn ends_by_itself(graph: &CompiledGraph, position: Position) -> bool {
    leaf_of(position).is_none_or(|leaf| graph.automaton(leaf).is_self_delimiting())
}

fn leaf_of(position: Position) -> Option<LeafId> {
    match position {
        Position::Text { leaf, .. } | Position::Terminal { leaf, .. } | Position::Excluding { leaf, .. } => Some(leaf),
        _ => None,
    }
}

impl<'m> Graph<'m> {
    /// At the text of a machine.
    pub fn new(machine: Machine<'m>) -> Self {
        Self { machine, at: Vec::new(), scratch: Vec::new() }
    }

    /// Where all of some bytes lead.
    pub fn read(&mut self, from: &Standing, bytes: &[u8]) -> Option<Standing> {
        let Self { machine, at, scratch } = self;
        let length = machine.path.len();
        machine.path.extend_from_slice(&from.read);
        at.clear();
        at.extend_from_slice(&from.at);
        for &byte in bytes {
            machine.step_in_place(at, scratch, byte);
            machine.settle(); // the text is at hand, so its names and items are known
            machine.path.push(byte);
            if at.is_empty() {
                break;
            }
        }
        machine.path.truncate(length);
        if at.is_empty() {
            return None;
        }
        let mut after = Standing { at: SmallVec::from_slice(at), read: SmallVec::new() };
        if !self.is_alike(&after) {
            after.read = from.read.iter().chain(bytes).copied().collect();
        }
        Some(after)
    }

    /// Whether every text that stands there is alike: it is inside no name and no item that another text may have
    /// otherwise.
    pub fn is_alike(&mut self, standing: &Standing) -> bool {
        standing.at.iter().all(|configuration| self.machine.is_erased(configuration.stack))
    }
}

impl Search<'_, '_, Graph<'_>> {
    /// Tokens that are prefixes of excluded texts.
    pub fn excluded(&self, at: TextsId) -> Vec<TokenId> {
        let trie = self.vocabulary.plain();
        let (mut found, mut open): (Vec<TokenId>, Vec<(NodeIndex, TextsId)>) = (Vec::new(), vec![(0, at)]);
        while let Some((node, at)) = open.pop() {
            for &(byte, deeper) in self.form.machine.stacks.excluded_children(at) {
                if let Some(child) = trie.child(node, byte) {
                    found.extend(&trie.items()[trie.items_at(child)]);
                    open.push((child, deeper));
                }
            }
        }
        found
    }
}

impl Form for Graph<'_> {
    type State = Standing;
    /// Configurations, and what was read where that matters.
    type Key = (SmallVec<[Configuration; 2]>, SmallVec<[u8; 16]>);

    fn step(&mut self, state: &Standing, byte: u8) -> Option<Standing> {
        self.read(state, &[byte])
    }

    fn may_end(&self, state: &Standing) -> bool {
        accepting(&state.at)
    }

    fn first(&self, state: &Standing) -> ByteSet {
        let sets = state.at.iter().map(|configuration| self.machine.first_bytes(configuration));
        sets.fold(ByteSet::default(), |all, set| all.union(&set))
    }

    fn key(&mut self, state: &Standing) -> Self::Key {
        (state.at.clone(), state.read.clone())
    }

    fn general(&mut self, (mut at, _): Self::Key) -> Self::Key {
        at.iter_mut().for_each(|at| *at = self.machine.without_starts(*at));
        (at, SmallVec::new())
    }

    fn asked(&mut self) -> Option<&mut bool> {
        Some(&mut self.machine.asked)
    }
}

/// The inside of a terminal, which is never left.
pub struct Inside<'a> {
    pub automaton: &'a Automaton,
    /// The state between two characters, if they are counted.
    pub counted: Option<StateId>,
}

impl Form for Inside<'_> {
    /// The state, and how many characters may still begin.
    type State = (StateId, u32);
    type Key = (StateId, u32);

    fn step(&mut self, &(state, most): &Self::State, byte: u8) -> Option<Self::State> {
        let step = self.automaton.step(state, byte);
        let left = most.checked_sub(u32::from(self.counted == Some(state)))?;
        (step.state() != DEAD && step.goes_on()).then_some((step.state(), left))
    }

    fn may_end(&self, _: &Self::State) -> bool {
        false
    }

    fn first(&self, &(state, _): &Self::State) -> ByteSet {
        self.automaton.next_bytes(state)
    }

    fn key(&mut self, state: &Self::State) -> Self::Key {
        *state
    }

    fn may_leave(&self, &(state, _): &Self::State) -> bool {
        !self.automaton.is_self_delimiting() && self.automaton.shortest(state) == 0
    }

    fn leaves(&self, &(state, most): &Self::State, byte: u8) -> bool {
        self.automaton.step(state, byte).accepting() || self.may_leave(&(state, most))
    }
}
