//! Leaves in a mask: a shared bit map for the tokens that stay inside, a walk for those that leave.
//!
//! ```text
//! foo   foo bar   \n   o"        stay inside a string, or end with it: the body of its leaf mask
//! o",   ":1                      go on behind it: walked with what comes after, and remembered as [`Beyond`]
//! ```
//!
//! Every place in a string has the same exits, and one string after another the same to come: a walk of exits is
//! done once for both, and taken over after that. Texts that a string must not be (names that are declared, items used
//! before) are taken out of the result.
//!
//! Cost: about a microsecond for a walk of exits. Wrinkle: right behind an excluded text its end is
//! banned, and with it every token that begins with the quote; those are left out as one, not listed.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::mask::{Entry, Masker, Tokens, Walk};
use super::thread::{ContId, Head};
use crate::language::{LeafId, SpaceState, UNBOUNDED, end};
use crate::leaf::{Canonical, Exits, LeafKey, LeafMask, RunTable, Tree};
use crate::regular::{Automaton, ByteSet, DEAD, StateId};
use crate::vocabulary::{NodeIndex, TokenId, is_whitespace};

/// Lists of banned tokens kept; a list is a few tokens.
const BAN_TABLE: usize = 1024;

/// Walks of exits that the memory of a new text has room for.
const BEYOND: usize = 14;

/// Leaf masks that are looked up without asking the shared tables.
const RECENT: usize = 8;

/// Tokens taken out of the body of a leaf mask, ascending; mostly none.
#[derive(Clone, Debug, Default)]
pub struct Bans(Option<Arc<[TokenId]>>);

impl From<Vec<TokenId>> for Bans {
    fn from(tokens: Vec<TokenId>) -> Self {
        Self((!tokens.is_empty()).then(|| tokens.into()))
    }
}

impl std::ops::Deref for Bans {
    type Target = [TokenId];

    fn deref(&self) -> &[TokenId] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Bans {
    /// These and others.
    fn and(self, others: &Self) -> Self {
        if others.is_empty() {
            return self;
        }
        if self.is_empty() {
            return others.clone();
        }
        let mut all = [&*self, others].concat();
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    /// Whether a token is among them.
    #[inline]
    pub fn has(&self, token: TokenId) -> bool {
        if self.len() <= FEW { self.contains(&token) } else { self.binary_search(&token).is_ok() }
    }
}

/// So many tokens are looked through one by one.
const FEW: usize = 8;

/// A leaf state, the subtree it is asked about, and what counts besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    tree: Tree,
    node: NodeIndex,
    leaf: LeafId,
    state: StateId,
    /// Characters that may come, if it matters.
    window: Option<(u32, u32)>,
    /// Bytes that may follow, if it matters.
    follow: ByteSet,
}

/// What must not be spelled below a node.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    /// Tokens, ascending.
    tokens: Bans,
    /// Whether no token may begin with the quote.
    quote: bool,
}

/// The tokens that leave a leaf and go on with what comes after it.
#[derive(Debug)]
pub struct Beyond {
    tokens: Box<[TokenId]>,
    doubtful: Vec<TokenId>,
    /// Those that assume a name to be new, by the name.
    named: Vec<(Vec<u8>, Vec<TokenId>)>,
    /// Tokens that end with the leaf, and may not.
    banned: Bans,
    /// Where they come from, held because it is known by its address.
    _exits: Arc<Exits>,
}

/// What was found about leaves, for one text and the next.
#[derive(Debug, Default)]
pub struct Leaves {
    excluded: FxHashMap<(Tree, NodeIndex, LeafId, StateId, u32), Excluded>,
    beyond: FxHashMap<BeyondKey, Arc<Beyond>>,
    bytes: usize,
    /// The leaf masks asked for last, in no order.
    recent: SmallVec<[(Asked, Arc<LeafMask>); RECENT]>,
    /// How many were asked for.
    asked: usize,
    /// Whether no leaf mask may be made: who asks will ask again.
    pub quick: bool,
    /// Which whitespace may stand where, for the places met.
    runs: SmallVec<[(SpaceState, Arc<RunTable>); 4]>,
}

/// The address of the exits, the counts allowed, the whitespace before and its purpose, what comes after, and the node
/// below which tokens may not begin with the quote.
type BeyondKey = (usize, (u32, u32), Option<(SpaceState, u8)>, ContId, Option<NodeIndex>);

impl Leaves {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A leaf mask asked for lately.
    fn known(&self, asked: &Asked) -> Option<Arc<LeafMask>> {
        self.recent.iter().find(|(known, _)| known == asked).map(|(_, mask)| Arc::clone(mask))
    }

    /// Remembers a leaf mask in place of the oldest one.
    fn learn(&mut self, asked: Asked, mask: Arc<LeafMask>) {
        if self.recent.len() < RECENT {
            self.recent.push((asked, mask));
        } else {
            self.recent[self.asked % RECENT] = (asked, mask);
        }
        self.asked += 1;
    }

    /// Which whitespace may stand in `space`; `look_up` is asked once.
    pub fn runs(&mut self, space: SpaceState, look_up: impl FnOnce() -> Arc<RunTable>) -> Arc<RunTable> {
        if let Some((_, known)) = self.runs.iter().find(|(state, _)| *state == space) {
            return Arc::clone(known);
        }
        let runs = look_up();
        if self.runs.len() == self.runs.inline_size() {
            self.runs.clear();
        }
        self.runs.push((space, Arc::clone(&runs)));
        runs
    }

    /// Remembers what a walk of exits found; forgets all others first if they take more than `limit` bytes.
    fn remember(&mut self, key: BeyondKey, beyond: Arc<Beyond>, limit: usize) {
        let bytes = (beyond.tokens.len() + beyond.doubtful.len() + beyond.banned.len()) * 4 + 208;
        if self.bytes + bytes > limit {
            self.clear();
        }
        if self.beyond.is_empty() {
            self.beyond.reserve(BEYOND);
        }
        self.bytes += bytes;
        self.beyond.insert(key, beyond);
    }

    /// Forgets the walks of exits.
    pub fn clear(&mut self) {
        self.beyond.clear();
        self.bytes = 0;
    }
}

/// A leaf thread: its leaf and state, the characters that may come, and its place on excluded texts.
#[derive(Clone, Copy)]
struct Place {
    leaf: LeafId,
    state: StateId,
    window: Option<(u32, u32)>,
    at: Option<u32>,
    cont: ContId,
}

/// Exits of a leaf mask of the subtree at `node`, and what comes after them.
#[derive(Clone, Copy)]
struct Leaving<'w> {
    walk: &'w Walk<'w>,
    node: NodeIndex,
    mask: &'w LeafMask,
    cont: ContId,
    purpose: u8,
}

impl Leaving<'_> {
    fn key(&self, near: ContId, no_quote: bool) -> BeyondKey {
        let space = match self.walk.kind {
            Tokens::Stripped { space, .. } => Some((space, self.purpose)),
            _ => None,
        };
        let node = no_quote.then_some(self.node);
        (Arc::as_ptr(&self.mask.exits).addr(), self.mask.window, space, near, node)
    }
}

impl Masker<'_> {
    /// Takes the leaf threads out of `buffer[low..]` and adds their masks of the subtree.
    pub(super) fn shortcut(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize, purpose: u8, entry: &mut Entry) {
        let mut index = low;
        while index < self.buffer.len() {
            let thread = self.buffer[index];
            let cont = thread.cont;
            let place = match thread.head {
                Head::Text { leaf, state, least, most } => {
                    Some(Place { leaf, state, window: Some((least, most)), at: None, cont })
                }
                Head::Leaf { leaf, state } => Some(Place { leaf, state, window: None, at: None, cont }),
                Head::Extra { leaf, state, at } => {
                    let window = self.machine.graph.inside(leaf).map(|_| (0, UNBOUNDED));
                    Some(Place { leaf, state, window, at: Some(at), cont })
                }
                _ => None,
            };
            if place.is_some_and(|place| self.leaf(walk, node, place, purpose, entry)) {
                self.buffer.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Adds the mask of a leaf thread for the subtree at `node`. False: walk it after all.
    fn leaf(&mut self, walk: &Walk<'_>, node: NodeIndex, place: Place, purpose: u8, entry: &mut Entry) -> bool {
        let Place { leaf, state, window, at, cont } = place;
        let quoted = self.machine.graph.automaton(leaf).is_self_delimiting();
        let follow = if quoted { ByteSet::default() } else { self.follow(cont) };
        // If no token can end it and go on, it does not matter how many characters must come.
        let counts = |(least, most)| (if quoted || !follow.is_empty() { least } else { 0 }, most);
        let asked = Asked {
            tree: if walk.strips() { Tree::Stripped } else { Tree::Plain },
            node,
            leaf,
            state,
            window: window
                .map(|window| clamped(counts(window), self.tables.reach()))
                .filter(|window| *window != (0, UNBOUNDED)),
            follow,
        };
        let Some(mask) = self.leaf_mask(&asked) else {
            self.machine.overflow = true; // what is found is not all
            return true;
        };
        if self.budget.is_some() && !self.covers(&asked, &mask, window, cont) {
            return false;
        }
        let excluded = at.map_or_else(Excluded::default, |at| self.excluded((asked.tree, node, leaf, state, at), walk));
        let bans = self.add_exits(&Leaving { walk, node, mask: &mask, cont, purpose }, excluded, entry);
        self.add_body(walk, mask, bans, purpose, entry);
        true
    }

    /// The mask of a leaf state.
    fn leaf_mask(&mut self, asked: &Asked) -> Option<Arc<LeafMask>> {
        self.machine.overflow |= self.machine.graph.automaton(asked.leaf).overflowed();
        self.leaves.known(asked).or_else(|| self.ask(asked))
    }

    /// The mask of a leaf state, from the tables.
    fn ask(&mut self, asked: &Asked) -> Option<Arc<LeafMask>> {
        let shared = self.shared(asked);
        let (id, automaton) = shared.automaton(self.automaton(asked.leaf));
        let key = LeafKey {
            tree: asked.tree,
            node: asked.node,
            automaton: id,
            state: shared.state,
            window: asked.window.unwrap_or((0, UNBOUNDED)),
            follow: self.tables.follow_id(asked.follow),
        };
        let inside = asked.window.and(self.machine.graph.inside(asked.leaf));
        let mask = if self.leaves.quick {
            self.tables.known_mask(&key)?
        } else {
            self.tables.mask(key, automaton, inside, &asked.follow)
        };
        self.machine.overflow |= automaton.overflowed();
        self.leaves.learn(*asked, Arc::clone(&mask));
        Some(mask)
    }

    /// The automaton of a leaf, and its id.
    fn automaton(&self, leaf: LeafId) -> (u32, &Arc<Automaton>) {
        (self.links.automata[leaf as usize], self.machine.graph.automaton(leaf))
    }

    /// The state whose masks it has, perhaps of another automaton.
    fn shared(&self, asked: &Asked) -> Arc<Canonical> {
        if asked.window.is_some() {
            return Arc::new(Canonical::own(asked.state));
        }
        let (id, automaton) = self.automaton(asked.leaf);
        self.tables.canonical(id, automaton, asked.state)
    }

    /// Whether the budget is enough after any token of the body.
    #[cold]
    fn covers(&mut self, asked: &Asked, mask: &LeafMask, window: Option<(u32, u32)>, cont: ContId) -> bool {
        let shared = self.shared(asked);
        let known = asked.window.map_or(0, |(least, _)| least);
        let beyond = window.map_or(0, |(least, _)| least - known);
        let (_, automaton) = shared.automaton(self.automaton(asked.leaf));
        let farthest = mask.farthest(automaton).saturating_add(beyond.max(shared.slack));
        self.budget.as_mut().is_none_or(|budget| budget.covers(&mut self.machine, farthest, cont))
    }

    /// Adds the body of a leaf mask, less some tokens.
    fn add_body(&mut self, walk: &Walk<'_>, mask: Arc<LeafMask>, bans: Bans, purpose: u8, entry: &mut Entry) {
        let runs = walk.runs();
        if let Some(runs) = runs {
            let spaced = mask.spaced.iter().filter(|met| runs.ends[usize::from(met.run)] & purpose != 0);
            self.tokens.extend(spaced.map(|met| met.token).filter(|&token| !bans.has(token)));
        }
        if runs.is_none_or(|runs| runs.ends[0] & purpose != 0) {
            entry.maps.push((mask, bans));
        }
    }

    // Tokens that leave.

    /// Adds the exits of a leaf mask that go on with what comes after; returns what may not come of its body.
    fn add_exits(&mut self, exits: &Leaving<'_>, excluded: Excluded, entry: &mut Entry) -> Bans {
        if !exits.mask.leaves() {
            return excluded.tokens;
        }
        let beyond = self.beyond(exits, excluded.quote);
        let free = |token: &&TokenId| !excluded.tokens.has(**token);
        if excluded.tokens.is_empty() {
            self.tokens.extend_from_slice(&beyond.tokens);
        } else {
            self.tokens.extend(beyond.tokens.iter().filter(free));
        }
        if !beyond.doubtful.is_empty() || !beyond.named.is_empty() {
            self.add_uncertain(&beyond, &excluded, entry);
        }
        excluded.tokens.and(&beyond.banned)
    }

    #[cold]
    fn add_uncertain(&mut self, beyond: &Beyond, excluded: &Excluded, entry: &mut Entry) {
        let free = |token: &&TokenId| !excluded.tokens.has(**token);
        entry.doubtful.extend(beyond.doubtful.iter().filter(free));
        let named = beyond.named.iter();
        self.named.extend(named.map(|(name, tokens)| (name.clone(), tokens.iter().filter(free).copied().collect())));
    }

    /// What a walk of exits finds, remembered unless it depends on more than what comes after.
    fn beyond(&mut self, exits: &Leaving<'_>, no_quote: bool) -> Arc<Beyond> {
        let shared = self.own.is_none() && self.budget.is_none();
        let near = self.machine.arena.near_or_self(exits.cont);
        let key = exits.key(near, no_quote);
        if let Some(known) = self.leaves.beyond.get(&key).filter(|_| shared) {
            return Arc::clone(known);
        }
        let beyond = Arc::new(if no_quote { self.without_quotes(exits) } else { self.walk_exits(exits) });
        if shared && !self.machine.overflow {
            self.leaves.remember(key, Arc::clone(&beyond), self.tables.limits().matcher_cache_bytes);
        }
        beyond
    }

    /// Exits that do not begin with the quote.
    fn without_quotes(&mut self, exits: &Leaving<'_>) -> Beyond {
        let all = self.beyond(exits, false);
        let kept = |token: &&TokenId| self.rest(exits.walk, exits.node, **token).first() != Some(&b'"');
        let some = |tokens: &[TokenId]| tokens.iter().filter(kept).copied().collect::<Vec<_>>();
        let named = all.named.iter().map(|(name, tokens)| (name.clone(), some(tokens)));
        let banned: Vec<TokenId> = exits.mask.closing().filter(|token| !kept(&token)).collect();
        Beyond {
            named: named.collect(),
            banned: Bans::from(banned).and(&all.banned),
            tokens: some(&all.tokens).into(),
            doubtful: some(&all.doubtful),
            _exits: Arc::clone(&exits.mask.exits),
        }
    }

    fn walk_exits(&mut self, leaving: &Leaving<'_>) -> Beyond {
        let Leaving { walk, node, mask, cont, purpose } = *leaving;
        let (first, mut found) = (self.tokens.len(), Entry::default());
        let runs = walk.runs().map(|runs| (runs, purpose));
        let kind = Tokens::Exits { exits: &mask.exits, window: mask.window, runs };
        let exits = Walk { trie: &mask.exits.trie, kind };
        let named = std::mem::take(&mut self.named);
        let base = self.buffer.len();
        let hole = self.machine.hole;
        self.machine.hole = Some(hole.map_or(self.machine.path.len(), |hole| hole.max(self.machine.path.len())));
        self.machine.resume_into(cont, self.buffer);
        let assumed = self.machine.assumed.take();
        let known = assumed.as_ref().is_none_or(|assumed| self.may_assume(assumed, base));
        let mut closes = false;
        if std::mem::take(&mut self.machine.doubt) || !known {
            found.doubtful.extend((0..mask.exits.met.len()).filter_map(|item| exits.token(item, end::ANY)));
            found.doubtful.extend(mask.closing());
        } else if let Some(assumed) = assumed {
            let begun = self.machine.path[assumed.start as usize + 1..].to_vec();
            let may_end = self.buffer.len() > base && runs.is_none_or(|(runs, purpose)| runs.ends[0] & purpose != 0);
            let closing: Vec<TokenId> = mask.closing().filter(|_| may_end).collect();
            for token in self.assuming(&exits, 0, base, purpose, &mut found).into_iter().chain(closing) {
                let name = [&begun[..], end_of_name(self.rest(walk, node, token))].concat();
                self.named.push((name, vec![token]));
            }
        } else if self.buffer.len() > base {
            closes = self.fits(base);
            self.emit(&exits, exits.trie.items_at(0), base, purpose);
            self.walk(&exits, 0, base, purpose, &mut found);
        }
        let banned = if closes { Bans::default() } else { Bans::from(mask.closing().collect::<Vec<_>>()) };
        self.buffer.truncate(base);
        self.machine.hole = hole;
        let named = std::mem::replace(&mut self.named, named);
        Beyond {
            tokens: self.take_tokens(first),
            doubtful: found.doubtful,
            named,
            banned,
            _exits: Arc::clone(&mask.exits),
        }
    }

    /// The bytes of a token below `node`.
    fn rest(&self, walk: &Walk<'_>, node: NodeIndex, token: TokenId) -> &[u8] {
        let bytes = self.tables.vocabulary.token(token);
        let blank = if walk.strips() { bytes.iter().position(|&byte| !is_whitespace(byte)).unwrap_or(0) } else { 0 };
        &bytes[blank + usize::from(walk.trie.node(node).depth)..]
    }

    /// The bytes that may follow a leaf.
    fn follow(&mut self, cont: ContId) -> ByteSet {
        let base = self.buffer.len();
        let hole = self.machine.hole.replace(usize::MAX);
        self.machine.resume_into(cont, self.buffer);
        self.machine.hole = hole;
        self.machine.settle();
        let bytes = self.live_bytes(base);
        self.buffer.truncate(base);
        bytes
    }

    // Tokens that are excluded.

    /// What spells an excluded text below a node, or what no free text can complete.
    fn excluded(&mut self, key: (Tree, NodeIndex, LeafId, StateId, u32), walk: &Walk<'_>) -> Excluded {
        if let Some(known) = self.leaves.excluded.get(&key) {
            return known.clone();
        }
        if self.leaves.excluded.len() >= BAN_TABLE {
            self.leaves.excluded.clear();
        }
        let (_, node, leaf, state, at) = key;
        let excluded = self.find_excluded(walk, node, leaf, state, at);
        self.leaves.excluded.insert(key, excluded.clone());
        excluded
    }

    fn find_excluded(&self, walk: &Walk<'_>, node: NodeIndex, leaf: LeafId, state: StateId, at: u32) -> Excluded {
        let (mut banned, mut quote) = (Vec::new(), false);
        let mut stack = vec![(node, state, at)];
        while let Some((parent, state, at)) = stack.pop() {
            for &(byte, deeper) in self.machine.arena.excluded_children(at) {
                let Some(child) = walk.trie.child(parent, byte) else { continue };
                let step = self.machine.graph.automaton(leaf).step(state, byte);
                if step.state() == DEAD {
                    continue;
                }
                if !step.goes_on() && parent == node && byte == b'"' {
                    quote = true;
                    continue;
                }
                if !step.goes_on() || !self.machine.extra_is_live(leaf, step.state(), deeper) {
                    banned.extend(walk.tokens_below(child));
                    continue;
                }
                if step.accepting() && self.machine.arena.is_excluded(deeper) {
                    self.ban_ends(walk, child, leaf, step.state(), &mut banned);
                }
                stack.push((child, step.state(), deeper));
            }
        }
        banned.sort_unstable();
        banned.dedup();
        Excluded { tokens: banned.into(), quote }
    }

    /// Bans the tokens below `node` that end the leaf there: their next byte does not go on in it.
    fn ban_ends(&self, walk: &Walk<'_>, node: NodeIndex, leaf: LeafId, state: StateId, banned: &mut Vec<TokenId>) {
        for child in walk.trie.children(node) {
            let step = self.machine.graph.automaton(leaf).step(state, walk.trie.node(child).byte);
            if step.state() == DEAD {
                banned.extend(walk.tokens_below(child));
            }
        }
    }
}

/// Up to and with the quote that ends a name.
fn end_of_name(text: &[u8]) -> &[u8] {
    let mut escaped = false;
    let quote = text.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    quote.map_or(text, |quote| &text[..=quote])
}

/// How many characters may come, as far as one token can tell.
pub fn clamped((least, most): (u32, u32), reach: u32) -> (u32, u32) {
    (least.min(reach), if most >= reach { UNBOUNDED } else { most })
}
