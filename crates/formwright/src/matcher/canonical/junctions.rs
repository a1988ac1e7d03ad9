//! Which tokens lead on to the end of a text, from where it is between two tokens.
//!
//! ```text
//! [a-z]{4}x{9}     after "jump"  a junction: nine x must follow     ways: "x", "xx", "xxx", ...   "xxxx" and 5 more: live
//!                  after "ange"  the same junction                  none of its live ways may follow "ange": dead
//! ```
//!
//! What follows a token depends on the token before it only in so far as the two are compatible. So a *junction* is a
//! state of the form and one between pieces, without the last token, and each of its *ways*, a token and where it leads,
//! is looked at once, whatever token it follows. A way is live if the text may end after it or goes on where a piece ends
//! for certain, or if some live way of the next junction may follow its token. What is found live is handed back to the
//! ways that wait for it; what is not live once everything in reach was looked at is dead: that is a proof.
//!
//! Cost: a step of the form for each branch of the trie, once for a junction. A walk over the tokens of a
//! junction stops as soon as the question is answered, and goes on where it stopped when the next one needs more.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::canonical::{Merges, Place, StateId};
use crate::language::INFINITE;
use crate::regular::ByteSet;
use crate::vocabulary::{NodeIndex, TokenId, Trie};

/// Tokens that complete a text at most: as many as a completion has that was found. [`INFINITE`]: none was found.
pub type Rest = u32;

/// A completion depends on what the form does not tell about, or it was not counted.
pub const UNCOUNTED: Rest = INFINITE - 1;

/// Index of a junction.
pub type JunctionId = u32;

/// No junction.
pub const NONE: JunctionId = JunctionId::MAX;

/// The token before a junction, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Before {
    /// Any token: every way may follow.
    Any,
    /// Only a token that begins a piece may follow.
    Boundary,
    /// So may one that is compatible with this one; after none, any.
    Token(Option<TokenId>),
}

impl Before {
    /// The token before a place.
    pub fn of(place: Place) -> Self {
        if place.is_boundary() { Self::Boundary } else { Self::Token(place.last) }
    }
}

/// A token that may come at a junction.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub token: TokenId,
    /// Whether it begins a piece; if not, it must be compatible with the token before it.
    pub begins: bool,
    /// The token that those after it must be compatible with; none after a word.
    pub last: Option<TokenId>,
    pub rest: Rest,
    /// Where it leads, if that is not told by `rest` alone.
    pub to: JunctionId,
}

/// A walk over the tokens that a form allows: the states on the branch of the trie, and the node to be visited next.
#[derive(Debug)]
pub struct TokenWalk<S> {
    pub states: Vec<S>,
    pub next: NodeIndex,
    /// What a token may begin with.
    pub first: ByteSet,
}

impl<S> TokenWalk<S> {
    /// The next node of a token that may begin so, if there is one.
    pub fn advance(&mut self, trie: &Trie) -> Option<NodeIndex> {
        while self.next < trie.node(0).skip {
            let node = trie.node(self.next);
            if node.depth > 1 || self.first.contains(node.byte) {
                self.states.truncate(usize::from(node.depth));
                return Some(self.next);
            }
            self.next = node.skip;
        }
        None
    }
}

/// Where a text is between two tokens.
#[derive(Debug)]
struct Junction<S> {
    state: S,
    between: StateId,
    /// None once all tokens were looked at.
    walk: Option<TokenWalk<S>>,
    ways: Vec<Way>,
    /// Which of these are live.
    live: Vec<u32>,
    /// Ways that lead here and are not live yet.
    waiting: Vec<(JunctionId, u32)>,
}

/// All junctions of a search: by what tells two states of the form apart, and by the state between pieces.
#[derive(Debug)]
pub struct Junctions<S, K> {
    all: Vec<Junction<S>>,
    ids: FxHashMap<(K, StateId), JunctionId>,
    /// Junctions, each with a token before it, of which everything in reach was looked at.
    settled: FxHashSet<(JunctionId, Before)>,
}

impl<S, K> Default for Junctions<S, K> {
    fn default() -> Self {
        Self { all: Vec::new(), ids: FxHashMap::default(), settled: FxHashSet::default() }
    }
}

impl<S: Clone, K: Eq + Hash> Junctions<S, K> {
    /// The junction of a state of the form and one between pieces; made, with a walk over these first bytes, if there is
    /// none.
    pub fn id(&mut self, key: K, between: StateId, state: &S, first: impl FnOnce() -> ByteSet) -> JunctionId {
        let next = self.all.len() as JunctionId;
        let id = *self.ids.entry((key, between)).or_insert(next);
        if id == next {
            let walk = TokenWalk { states: vec![state.clone()], next: 1, first: first() };
            let (ways, live, waiting) = (Vec::new(), Vec::new(), Vec::new());
            let walk = Some(walk);
            self.all.push(Junction { state: state.clone(), between, walk, ways, live, waiting });
        }
        id
    }

    /// The state between pieces at a junction.
    pub fn between(&self, id: JunctionId) -> StateId {
        self.all[id as usize].between
    }

    /// Takes the walk over the tokens of a junction, if it is not done.
    pub fn take_walk(&mut self, id: JunctionId) -> Option<TokenWalk<S>> {
        self.all[id as usize].walk.take()
    }

    /// Puts a walk that is not done back.
    pub fn put_walk(&mut self, id: JunctionId, walk: TokenWalk<S>) {
        self.all[id as usize].walk = Some(walk);
    }

    /// How many ways of a junction are known.
    pub fn ways(&self, id: JunctionId) -> u32 {
        self.all[id as usize].ways.len() as u32
    }

    /// Whether everything in reach of a junction, after a token, was looked at.
    pub fn is_settled(&self, (id, before): (JunctionId, Before)) -> bool {
        self.settled.contains(&(id, before)) || self.settled.contains(&(id, Before::Any))
    }

    /// Everything in reach of some junctions was looked at, each after a token.
    pub fn settle(&mut self, all: FxHashSet<(JunctionId, Before)>) {
        self.settled.extend(all);
    }

    /// The junctions that the ways of one lead to which may follow a token and are not known to be live, each with the
    /// token before it; after any token, all of them.
    pub fn after(&self, merges: &Merges, id: JunctionId, before: Before) -> impl Iterator<Item = (JunctionId, Before)> {
        let is_any = before == Before::Any;
        let ways = self.all[id as usize]
            .ways
            .iter()
            .filter(move |way| way.to != NONE && (is_any || way.rest >= INFINITE && may_follow(merges, before, way)));
        let after = ways.map(move |way| (way.to, if is_any { before } else { Before::Token(way.last) }));
        after.filter(|&after| !self.is_settled(after))
    }

    /// Tokens that complete a text at most, which is at a junction; those of the first way found with `enough`.
    pub fn rest(&self, merges: &Merges, id: JunctionId, before: Before, enough: Rest) -> Rest {
        let junction = &self.all[id as usize];
        let mut least = INFINITE;
        for &way in &junction.live {
            let way = &junction.ways[way as usize];
            if one_more(way.rest) < least && may_follow(merges, before, way) {
                least = one_more(way.rest);
                if least <= enough {
                    break;
                }
            }
        }
        least
    }

    /// Whether a live way that was found since the last call may follow, with at most `enough` tokens after it.
    pub fn finds(&self, merges: &Merges, id: JunctionId, before: Before, enough: Rest, checked: &mut usize) -> bool {
        let junction = &self.all[id as usize];
        let new = junction.live[*checked..].iter().map(|&way| &junction.ways[way as usize]);
        *checked = junction.live.len();
        new.into_iter().any(|way| one_more(way.rest) <= enough && may_follow(merges, before, way))
    }

    /// The ways to a completion of so many tokens that was found, from a junction on: where each leads, and its rest.
    pub fn found(&self, merges: &Merges, id: JunctionId, before: Before, rest: Rest) -> Vec<(JunctionId, Way)> {
        let (mut path, mut at, mut before, mut rest) = (Vec::new(), id, before, rest);
        while at != NONE {
            let junction = &self.all[at as usize];
            let mut ways = junction.live.iter().map(|&way| &junction.ways[way as usize]);
            let Some(way) = ways.find(|way| one_more(way.rest) <= rest && may_follow(merges, before, way)) else {
                break;
            };
            path.push((way.to, *way));
            (at, before, rest) = (way.to, Before::Token(way.last), way.rest);
        }
        path
    }

    /// The state of the form at a junction.
    pub fn state(&self, id: JunctionId) -> &S {
        &self.all[id as usize].state
    }

    /// Adds a way whose rest is known.
    pub fn add_known(&mut self, merges: &Merges, id: JunctionId, way: Way) {
        self.add(merges, id, Way { to: NONE, ..way });
    }

    /// Adds a way to another junction; its rest is bounded already by what is known there.
    pub fn add_to(&mut self, merges: &Merges, id: JunctionId, way: Way, to: JunctionId) {
        let known = self.rest(merges, to, Before::Token(way.last), UNCOUNTED);
        let way = Way { to, rest: known.min(way.rest), ..way };
        let is_settled = self.is_settled((to, Before::Token(way.last)));
        if way.rest >= INFINITE && !is_settled {
            let index = self.all[id as usize].ways.len() as u32;
            self.all[to as usize].waiting.push((id, index));
        }
        if way.rest < INFINITE || !is_settled {
            self.add(merges, id, way);
        }
    }

    fn add(&mut self, merges: &Merges, id: JunctionId, way: Way) {
        let junction = &mut self.all[id as usize];
        let index = junction.ways.len() as u32;
        junction.ways.push(way);
        if way.rest < INFINITE {
            junction.live.push(index);
            self.hand_back(merges, (id, index));
        }
    }

    /// Tells the ways that wait for a junction that one of its ways is live now, and those that wait for them.
    fn hand_back(&mut self, merges: &Merges, found: (JunctionId, u32)) {
        let mut open = vec![found];
        while let Some((id, index)) = open.pop() {
            let way = self.all[id as usize].ways[index as usize];
            let mut waiting = std::mem::take(&mut self.all[id as usize].waiting);
            waiting.retain(|&(before, index)| {
                let junction = &mut self.all[before as usize];
                let waits = &mut junction.ways[index as usize];
                let rest = one_more(way.rest);
                if rest >= waits.rest || !may_follow(merges, Before::Token(waits.last), &way) {
                    return true;
                }
                if waits.rest >= INFINITE {
                    junction.live.push(index);
                }
                waits.rest = rest;
                open.push((before, index));
                false
            });
            self.all[id as usize].waiting.append(&mut waiting);
        }
    }

    /// The junction of a state of the form and one between pieces, if there is one.
    pub fn known(&self, key: K, between: StateId) -> Option<JunctionId> {
        self.ids.get(&(key, between)).copied()
    }

    /// The states of the form at all junctions.
    pub fn states(&self) -> impl Iterator<Item = &S> {
        self.all.iter().map(|junction| &junction.state)
    }

    /// Finds the fewest tokens after each way, once everything in reach of all junctions was looked at: in rounds, until
    /// nothing changes.
    pub fn relax(&mut self, merges: &Merges) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for id in (0..self.all.len() as JunctionId).rev() {
                for index in 0..self.all[id as usize].ways.len() {
                    let way = self.all[id as usize].ways[index];
                    if way.to == NONE || way.rest == 0 {
                        continue;
                    }
                    let rest = self.rest(merges, way.to, Before::Token(way.last), 1);
                    if rest < way.rest {
                        let junction = &mut self.all[id as usize];
                        if way.rest >= INFINITE {
                            junction.live.push(index as u32);
                        }
                        junction.ways[index].rest = rest;
                        changed = true;
                    }
                }
            }
        }
    }
}

impl Way {
    /// A way of which nothing is known.
    pub fn new(token: TokenId, begins: bool, last: Option<TokenId>) -> Self {
        Self { token, begins, last, rest: INFINITE, to: NONE }
    }
}

/// One token more.
pub fn one_more(rest: Rest) -> Rest {
    if rest < UNCOUNTED { rest + 1 } else { rest }
}

fn may_follow(merges: &Merges, before: Before, way: &Way) -> bool {
    way.begins
        || match before {
            Before::Any => true,
            Before::Boundary => false,
            Before::Token(last) => merges.may_continue(last, way.token),
        }
}
