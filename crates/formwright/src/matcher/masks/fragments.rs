//! What single terminals and frames allow, so that a mask is put together from what is known of its parts.
//!
//! A token may end a terminal, and the part around it, and so on: `))`. Walked with a whole stack, what is found holds for
//! that stack only. So a walk looks at one terminal alone. Where a token gets past its end, the walk notes an *exit*: a node
//! of a trie, with the rest of the tokens below it. From there the frame around the terminal goes on, with the terminals
//! that it begins with, each looked at alone:
//!
//! ```text
//! inside NAME, in f(a + b      NAME: tokens inside it; exits at `)`, `))`, ` +`, ...
//! frames: + | ( | end          after `+`, from these exits: `+` at ` +`; exit at `)`
//!                              after `(`, from this exit: `)`; exits at `))`, `) `
//! ```
//!
//! Such a *fragment* depends on the terminal or the frame, and the exit, of which a grammar has few, while its stacks are
//! without number.
//!
//! Cost: a lookup for each frame that some token gets to. A frame that says where a name or an item of the text begins
//! cannot be looked at alone; with it, walks look at the whole stack.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use super::entry::Bans;
use super::{Bound, masker};
use super::{Entry, MaskCache, Masker, Tokens, Walk, without_names};
use crate::error::Result;
use crate::language::{FollowId, INFINITE, end};
use crate::matcher::compiled::Compiled;
use crate::matcher::machine::{Configuration, END, Frame, Machine, Position, StackId, Unpacked};
use crate::terminals::{Cache, DependentTokens, TerminalMask, TokenSet};
use crate::vocabulary::NodeIndex;

/// Tokens of a fragment that are listed in an entry, if they are no more.
const FEW: usize = 256;

/// Bit maps that an entry refers to, if they are no more.
const FEW_MAPS: usize = 3;

/// Fragments made for one mask. Where stacks differ at nearly every byte there would be more, and whole stacks are walked.
const MOST_MADE: usize = 40_000;

/// Bytes read of a token beyond which the parts of a frame are walked together, which bounds the recursion.
const DEEP: u16 = 32;

/// A place in a trie of tokens.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The tokens of a terminal whose trie it is, and its window; `None` for the trie of all tokens.
    pub dependent: Option<(Arc<DependentTokens>, (u32, u32))>,
    /// The node.
    pub node: NodeIndex,
}

/// What tells places apart: the address of the tokens, the window, and the node.
type Place = (usize, (u32, u32), NodeIndex);

/// What a fragment depends on: where the tokens begin, and where the text is.
pub type FragmentKey = (Place, Position);

/// Tokens that a walk found.
#[derive(Debug, Default)]
struct Found {
    maps: Vec<(Arc<TerminalMask>, Bans)>,
    sets: Vec<(Arc<TokenSet>, Bans)>,
}

/// What a terminal or a frame allows by itself.
#[derive(Debug, Default)]
pub struct Fragment {
    /// The tokens, by the walks that found them; sorted by address.
    found: Vec<Arc<Found>>,
    exits: Vec<Exit>,
    /// Bytes to the end of what was walked, after any of the tokens, at most; found once a budget asks for it.
    rise: OnceLock<u32>,
    /// The tokens where it begins, held because the key has their address.
    _held: Option<Arc<DependentTokens>>,
    /// Whether it holds only with all that is below the frame.
    is_indivisible: bool,
}

/// The fragments of a form, and what several of them allow together: of places in its graph, so that all texts share them.
#[derive(Debug)]
pub struct Fragments {
    by_place: Cache<FragmentKey, Fragment>,
    united: Cache<Box<[usize]>, United>,
}

/// What some walks found together.
#[derive(Debug)]
struct United {
    entry: Arc<Entry>,
    /// What they found, held because the key has its addresses.
    _held: Vec<Arc<Found>>,
}

impl Fragments {
    /// None yet; `limit` is how many bytes are kept of each kind.
    pub fn new(limit: usize) -> Self {
        Self { by_place: Cache::new(limit), united: Cache::new(limit) }
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.by_place.bytes() + self.united.bytes()
    }

    /// How often what several fragments allow together was dropped.
    pub fn times_cleared(&self) -> usize {
        self.united.times_cleared()
    }

    /// What some walks found together. Many stacks have the same parts.
    fn unite(&self, found: Vec<Arc<Found>>, words: usize) -> Arc<Entry> {
        let key = found.iter().map(|found| Arc::as_ptr(found).addr()).collect();
        let make = || {
            let entry = Arc::new(unite(&found, words));
            let bytes = entry.bytes() + found.len() * 16;
            (United { entry, _held: found }, bytes)
        };
        Arc::clone(&self.united.get_or(key, make).entry)
    }
}

impl Exit {
    fn place(&self) -> Place {
        match &self.dependent {
            Some((tokens, window)) => (Arc::as_ptr(tokens).addr(), *window, self.node),
            None => (0, (0, 0), self.node),
        }
    }

    /// Whether some token goes on with what a terminal or a node begins with, judged by first bytes.
    fn may_begin(&self, compiled: &Compiled, position: Position) -> bool {
        let first = match position {
            _ if self.node == 0 && self.dependent.is_none() => return true, // some token does
            Position::Start(node) => compiled.graph().first(node),
            Position::Terminal { leaf, state } => compiled.graph().automaton(leaf).next_bytes(state),
            _ => return true,
        };
        self.walk(compiled).goes_on_with(first, self.node)
    }

    /// Whether some token goes on with what may follow.
    fn goes_on_with(&self, compiled: &Compiled, follow: FollowId) -> bool {
        self.walk(compiled).goes_on_with(compiled.graph().follows().bytes(follow), self.node)
    }

    /// The walk over its trie.
    fn walk<'w>(&'w self, compiled: &'w Compiled) -> Walk<'w> {
        match &self.dependent {
            None => Walk { trie: compiled.tables().vocabulary.plain(), kind: Tokens::Plain },
            Some((dependent, window)) => {
                let kind = Tokens::Dependent { dependent, window: *window, runs: None };
                Walk { trie: &dependent.trie, kind }
            }
        }
    }
}

impl Found {
    /// Bytes of memory held, shared maps not counted.
    fn bytes(&self) -> usize {
        let sets: usize = self.sets.iter().map(|(set, _)| set.bytes()).sum();
        sets + self.maps.len() * 24 + 64
    }

    /// Adds the tokens to an entry.
    fn add_to(&self, entry: &mut Entry) {
        entry.maps.extend(self.maps.iter().cloned());
        for (set, bans) in &self.sets {
            match &**set {
                TokenSet::List(tokens) if tokens.len() <= FEW && bans.is_empty() => {
                    entry.tokens.extend(tokens.iter().copied());
                }
                _ => entry.sets.push((Arc::clone(set), bans.clone())),
            }
        }
    }
}

impl Fragment {
    /// Bytes of memory held, what other fragments share not counted.
    fn bytes(&self) -> usize {
        let own = if let [only] = &self.found[..] { only.bytes() } else { 0 };
        own + self.found.len() * 8 + self.exits.len() * size_of::<Exit>() + 128
    }
}

/// What some configurations allow together, put together from fragments; `None` if a frame cannot be looked at alone.
///
/// # Errors
/// As [`Masker::entry`].
pub fn assemble(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    configurations: &[Configuration],
) -> Result<Option<Arc<Entry>>> {
    let Some(fragments) = cache.fragments.clone() else { return Ok(None) };
    let whole = whole((compiled, &fragments), cache, path, configurations, false)?;
    let words = compiled.tables().vocabulary.mask_words();
    Ok(whole.map(|whole| fragments.unite(whole.found, words)))
}

/// Bytes to the end after any of the tokens that some configurations allow, at most; `None` if that is not known.
///
/// # Errors
/// As [`Masker::entry`].
pub fn highest(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    configurations: &[Configuration],
) -> Result<Option<u32>> {
    let Some(fragments) = cache.fragments.clone().filter(|_| compiled.tables().vocabulary.has_every_byte()) else {
        return Ok(None);
    };
    let whole = whole((compiled, &fragments), cache, path, configurations, true)?;
    Ok(whole.and_then(|whole| whole.rise.get().copied()))
}

/// What some configurations allow, with all that is below them, and how far from the end it leads, if that is asked;
/// `None` if a frame cannot be looked at alone.
fn whole(
    (compiled, fragments): (&Compiled, &Fragments),
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    configurations: &[Configuration],
    measures: bool,
) -> Result<Option<Fragment>> {
    cache.made_fragments = 0;
    if configurations.iter().any(|at| cache.stacks.is_compared(at.stack)) {
        return Ok(None);
    }
    let root = Exit { dependent: None, node: 0 };
    let mut assembly = Assembly::new((compiled, fragments), cache, path, measures);
    let mut forgotten = 0;
    for &configuration in configurations {
        let walked = without_names(compiled, &mut assembly.cache.stacks, configuration);
        if measures {
            let Some(bytes) = assembly.forgotten_bytes(configuration, walked) else { return Ok(None) };
            forgotten = forgotten.max(bytes);
        }
        assembly.add(&root, walked.position, walked.stack)?;
    }
    let mut whole = assembly.finish()?;
    if let Some(rise) = whole.rise.get_mut() {
        *rise = rise.saturating_add(forgotten).min(INFINITE);
    }
    Ok((!whole.is_indivisible).then_some(whole))
}

/// What some walks found together. Many bit maps become one.
fn unite(found: &[Arc<Found>], words: usize) -> Entry {
    let mut entry = Entry::default();
    for found in found {
        found.add_to(&mut entry);
    }
    let mut seen = FxHashSet::default();
    entry.maps.retain(|(map, bans)| !bans.is_empty() || seen.insert(Arc::as_ptr(map)));
    entry.tokens.sort_unstable();
    entry.tokens.dedup();
    if entry.maps.len() + entry.sets.len() > FEW_MAPS {
        entry.unite_maps(words);
    }
    entry.allows = entry.allows_something();
    entry
}

/// Fragments being put together.
struct Assembly<'a> {
    compiled: &'a Compiled,
    fragments: &'a Fragments,
    cache: &'a mut MaskCache,
    path: &'a mut Vec<u8>,
    whole: Fragment,
    /// Bytes to the end after any of the tokens so far, at most, if that is asked.
    rise: Option<u32>,
    /// Exits, with the stacks that go on there.
    open: Vec<(Exit, StackId)>,
}

impl<'a> Assembly<'a> {
    fn new(
        (compiled, fragments): (&'a Compiled, &'a Fragments),
        cache: &'a mut MaskCache,
        path: &'a mut Vec<u8>,
        measures: bool,
    ) -> Self {
        let rise = measures.then_some(0);
        Self { compiled, fragments, cache, path, whole: Fragment::default(), rise, open: Vec::new() }
    }

    /// Adds what a position allows from a place on; its exits go on with a stack.
    fn add(&mut self, from: &Exit, position: Position, stack: StackId) -> Result<()> {
        if !is_divisible(position) || self.cache.made_fragments > MOST_MADE {
            self.whole.is_indivisible = true;
        }
        if self.whole.is_indivisible || !from.may_begin(self.compiled, position) {
            return Ok(());
        }
        let known = (self.compiled, self.fragments);
        let part = fragment(known, self.cache, self.path, (from, position), self.rise.is_some())?;
        self.whole.is_indivisible |= part.is_indivisible;
        if let (Some(rise), false) = (self.rise, part.found.is_empty()) {
            let own = part.rise.get().map_or(INFINITE, |own| own.saturating_add(self.cost_below(stack)));
            self.rise = Some(rise.max(own.min(INFINITE)));
        }
        self.whole.found.extend(part.found.iter().cloned());
        self.open.extend(part.exits.iter().map(|exit| (exit.clone(), stack)));
        Ok(())
    }

    /// Bytes to the end that are not counted where a walk has forgotten which names are used: the next one may have to be
    /// longer. `None` if that is not the same for all that is walked. Frames with names are never looked at alone, so they
    /// are below all that is.
    fn forgotten_bytes(&mut self, configuration: Configuration, walked: Configuration) -> Option<u32> {
        let has_same_costs = match (configuration.position, walked.position) {
            (Position::Terminal { state, .. }, Position::Terminal { state: walked, .. }) => state == walked,
            (Position::Text { least, .. }, Position::Text { least: walked, .. }) => least == walked,
            _ => true,
        };
        if !has_same_costs || configuration.stack != walked.stack && self.cache.stacks.is_united(configuration.stack) {
            return None;
        }
        let bytes = self.cost_below(configuration.stack);
        Some(if bytes >= INFINITE { INFINITE } else { bytes.saturating_sub(self.cost_below(walked.stack)) })
    }

    /// Bytes to the end of what is on a stack.
    fn cost_below(&mut self, stack: StackId) -> u32 {
        Machine::new(self.compiled.graph(), &mut self.cache.stacks, self.path).stack_cost(stack)
    }

    /// Follows the exits down the stacks. Where nothing is known of a stack, they are exits of the whole.
    fn finish(mut self) -> Result<Fragment> {
        let mut seen = FxHashSet::default();
        while let Some((exit, stack)) = self.open.pop() {
            if stack == END || self.whole.is_indivisible || !seen.insert((exit.place(), stack)) {
                continue;
            }
            if let Some(several) = self.cache.stacks.alternatives(stack) {
                self.open.extend(several.iter().map(|&stack| (exit.clone(), stack)));
                continue;
            }
            let Frame { position, below } = self.cache.stacks.frame(stack);
            match position {
                Position::Unseen(follow) if exit.goes_on_with(self.compiled, follow) => {
                    self.whole.exits.push(exit);
                }
                Position::Unseen(_) => {}
                _ => self.add(&exit, position, below)?,
            }
        }
        let Fragment { found, exits, .. } = &mut self.whole;
        found.sort_unstable_by_key(|found| Arc::as_ptr(found).addr());
        found.dedup_by_key(|found| Arc::as_ptr(found).addr());
        exits.sort_unstable_by_key(Exit::place);
        exits.dedup_by_key(|exit| exit.place());
        self.whole.rise = self.rise.map_or_else(OnceLock::new, OnceLock::from);
        Ok(self.whole)
    }
}

/// Whether a position, or a frame with it, can be looked at without what is below it.
fn is_divisible(position: Position) -> bool {
    matches!(
        position,
        Position::Start(_)
            | Position::Text { .. }
            | Position::Terminal { .. }
            | Position::Literal { .. }
            | Position::Sequence { .. }
            | Position::Repeat { .. }
            | Position::Accept
    ) || matches!(position, Position::Array { count, .. } if matches!(count.unpack(), Unpacked::Number(_)))
}

/// What a position, or a frame, allows from a place on, and how far from the end it leads, if that is asked.
fn fragment(
    known: (&Compiled, &Fragments),
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    (from, position): (&Exit, Position),
    measures: bool,
) -> Result<Arc<Fragment>> {
    let (_, fragments) = known;
    let key = (from.place(), position);
    if let Some(found) = fragments.by_place.get(&key) {
        if measures && !found.is_indivisible && found.rise.get().is_none() {
            cache.made_fragments += 1;
            let measured = find(known, cache, path, (from, position), true)?;
            if let Some(rise) = measured.rise.into_inner().filter(|_| !measured.is_indivisible) {
                let _ = found.rise.set(rise); // another thread may have set it, to the same
            }
        }
        return Ok(found);
    }
    cache.made_fragments += 1;
    let found = find(known, cache, path, (from, position), measures)?;
    if cache.made_fragments > MOST_MADE {
        return Ok(Arc::new(found)); // perhaps cut short
    }
    let held = from.dependent.as_ref().map(|(tokens, _)| Arc::clone(tokens));
    let found = Fragment { _held: held, ..found };
    let bytes = found.bytes();
    Ok(fragments.by_place.get_or(key, || (found, bytes)))
}

/// The same, found anew.
fn find(
    (compiled, fragments): (&Compiled, &Fragments),
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    (from, position): (&Exit, Position),
    measures: bool,
) -> Result<Fragment> {
    let follow = follow_of(compiled, position);
    let unknown = cache.stacks.unknown(follow);
    let is_deep = from.walk(compiled).trie.node(from.node).depth >= DEEP;
    if !is_made_of_others(compiled, position) || is_deep {
        let bound = if measures { Bound::Measured } else { Bound::None };
        let walk = from.walk(compiled);
        return masker(compiled, cache, path, bound).find_fragment(&walk, from.node, position, unknown);
    }
    let begins = begins(compiled, cache, path, position, unknown)?;
    let mut assembly = Assembly::new((compiled, fragments), cache, path, measures);
    for &Configuration { position, stack } in &*begins {
        match position {
            Position::Unseen(_) => assembly.open.push((from.clone(), unknown)),
            _ => assembly.add(from, position, stack)?,
        }
    }
    assembly.finish()
}

/// What may follow a position or a frame, wherever it is.
fn follow_of(compiled: &Compiled, position: Position) -> FollowId {
    let follows = compiled.graph().follows();
    match position {
        Position::Terminal { leaf, .. } | Position::Text { leaf, .. } => follows.of_leaf(leaf),
        Position::Start(node)
        | Position::Literal { node, .. }
        | Position::Sequence { node, .. }
        | Position::Repeat { node, .. }
        | Position::Array { array: node, .. } => follows.of_node(node),
        _ => FollowId::MAX,
    }
}

/// Whether a position is made of others: a frame, or before the first byte of a node that is made of others.
fn is_made_of_others(compiled: &Compiled, position: Position) -> bool {
    match position {
        Position::Sequence { .. } | Position::Repeat { .. } => true,
        Position::Start(node) => compiled.graph().node(node).is_made_of_others(),
        _ => false,
    }
}

/// What a frame goes on with: terminals and texts, each with its stack, above one of which nothing is known.
fn begins(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    position: Position,
    unknown: StackId,
) -> Result<Arc<[Configuration]>> {
    if let Some(known) = cache.begins(&position) {
        return Ok(Arc::clone(known));
    }
    let found: Arc<[Configuration]> = masker(compiled, cache, path, Bound::None).find_begins(position, unknown)?.into();
    cache.insert_begins(position, Arc::clone(&found), compiled.cache_bytes());
    Ok(found)
}

impl Masker<'_> {
    /// What a frame goes on with.
    fn find_begins(&mut self, position: Position, unknown: StackId) -> Result<Vec<Configuration>> {
        let base = self.buffer.len();
        self.enter_alone(position, unknown);
        self.split_starts(base);
        self.machine.check_limits()?;
        Ok(self.buffer.split_off(base))
    }

    /// Goes on with a position or a frame above a stack of which nothing is known.
    fn enter_alone(&mut self, position: Position, unknown: StackId) {
        match position {
            Position::Accept => {}
            Position::Sequence { .. } | Position::Repeat { .. } | Position::Array { .. } => {
                let stack = self.machine.stacks.push(Frame { position, below: unknown });
                self.machine.resume_into(stack, self.buffer);
            }
            _ => {
                let at = self.machine.inside_part(Configuration { position, stack: unknown });
                self.buffer.push(at);
            }
        }
    }

    /// What a position allows from a node on.
    fn find_fragment(
        &mut self,
        walk: &Walk<'_>,
        node: NodeIndex,
        position: Position,
        unknown: StackId,
    ) -> Result<Fragment> {
        let (mut entry, base) = (Entry::default(), self.buffer.len());
        self.enter_alone(position, unknown);
        self.take_exits(walk, node, base);
        if self.buffer.len() > base {
            self.walk(walk, node, base, end::ANY, &mut entry);
        }
        self.buffer.truncate(base);
        self.keep_tokens(&mut entry);
        self.machine.check_limits()?;
        let is_named = !entry.unresolved.is_empty() || !self.name_completing.is_empty();
        if !entry.tokens.is_empty() {
            let tokens = std::mem::take(&mut entry.tokens).into_vec();
            entry.sets.push((Arc::new(TokenSet::List(tokens)), Bans::default()));
        }
        let found = Found { maps: entry.maps.into_vec(), sets: entry.sets.into_vec() };
        let is_empty = found.maps.is_empty() && found.sets.is_empty();
        Ok(Fragment {
            found: if is_empty { Vec::new() } else { vec![Arc::new(found)] },
            exits: std::mem::take(&mut self.exits),
            rise: self.budget.as_ref().map_or_else(OnceLock::new, |budget| budget.highest.into()),
            _held: None,
            is_indivisible: self.is_indivisible || is_named,
        })
    }

    /// Takes the configurations out of `buffer[low..]` at which the stack of a text goes on, and notes the exit.
    pub fn take_exits(&mut self, walk: &Walk<'_>, node: NodeIndex, low: usize) {
        self.take_unseen(low).into_iter().for_each(|follow| self.note_exit(walk, node, follow));
    }

    /// The same, without a note: what may follow there.
    pub fn take_unseen(&mut self, low: usize) -> Option<FollowId> {
        let (mut at, mut follow) = (low, None);
        while at < self.buffer.len() {
            if let Position::Unseen(bytes) = self.buffer[at].position {
                follow = Some(bytes);
                self.buffer.swap_remove(at);
            } else {
                at += 1;
            }
        }
        follow
    }

    /// Notes an exit, if some token below goes on with what may follow.
    pub fn note_exit(&mut self, walk: &Walk<'_>, node: NodeIndex, follow: FollowId) {
        if !walk.goes_on_with(self.machine.graph.follows().bytes(follow), node) {
            return;
        }
        match &walk.kind {
            Tokens::Plain => self.exits.push(Exit { dependent: None, node }),
            Tokens::Dependent { dependent, window, runs: None } => {
                self.exits.push(Exit { dependent: Some((Arc::clone(dependent), *window)), node });
            }
            Tokens::Dependent { .. } | Tokens::Stripped { .. } => self.is_indivisible = true,
        }
        self.is_indivisible |= self.completing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::masks::MaskCache;

    #[test]
    fn caches_drop_entries_that_fragments_have_dropped() {
        let (fragments, mut cache) = (Arc::new(Fragments::new(600)), MaskCache::default());
        cache.fragments = Some(Arc::clone(&fragments));
        let at = |stack| [Configuration { position: Position::Ended, stack }];
        let entries: Vec<_> = (0..8)
            .map(|stack| {
                let entry = fragments.unite(vec![Arc::default()], 1);
                cache.insert_list(&at(stack), Arc::clone(&entry), 1 << 20);
                Arc::downgrade(&entry)
            })
            .collect();
        assert!(fragments.times_cleared() > 1);
        assert!(entries.iter().filter(|entry| entry.strong_count() > 0).count() < 4);
        assert!(cache.entry_of_list(&at(7)).is_some());
    }
}
