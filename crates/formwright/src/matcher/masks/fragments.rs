//! What one frame of a stack allows by itself, so that a mask is put together from what its frames allow.
//!
//! A token may end a part, and the part around it, and so on: `))`. Walked with a whole stack, what is found holds for that
//! stack only. So a walk looks at one frame alone. Where a token gets past it, the walk notes an *exit*: a node of a trie,
//! with the rest of the tokens below it. From there the next frame goes on, by a walk of its own:
//!
//! ```text
//! inside NAME, in f(a + b      NAME alone: tokens inside it; exits at `)`, `))`, ` +`, ...
//! frames: + | ( | end          after `+`, from these exits: ` +` goes on; exit at `)`
//!                              after `(`, from this exit: `)` is read; exits at `))`, `) `
//! ```
//!
//! Such a *fragment* depends on the frame and the exit alone, of which a grammar has few, while its stacks are without
//! number.
//!
//! Cost: a lookup for each frame that some token gets to. A frame that says where a name or an item of the text begins
//! cannot be looked at alone; with it, walks look at the whole stack.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::entry::Bans;
use super::lookup::masker;
use super::{Entry, MaskCache, Masker, Tokens, Walk, without_names};
use crate::error::Result;
use crate::language::{FollowId, end};
use crate::matcher::compiled::Compiled;
use crate::matcher::machine::{Configuration, END, Frame, Position, StackId, Unpacked};
use crate::terminals::{Cache, DependentTokens, TerminalMask, TokenSet};
use crate::vocabulary::NodeIndex;

/// Tokens of a fragment that are listed in an entry, if they are no more.
const FEW: usize = 256;

/// Bit maps that an entry refers to, if they are no more.
const FEW_MAPS: usize = 3;

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

/// What one frame alone allows.
#[derive(Debug)]
pub struct Fragment {
    maps: Vec<(Arc<TerminalMask>, Bans)>,
    sets: Vec<(Arc<TokenSet>, Bans)>,
    exits: Vec<Exit>,
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

/// What some fragments allow together.
#[derive(Debug)]
struct United {
    entry: Arc<Entry>,
    /// The fragments, held because the key has their addresses.
    _held: Vec<Arc<Fragment>>,
}

impl Fragments {
    /// None yet; `limit` is how many bytes are kept of each kind.
    pub fn new(limit: usize) -> Self {
        Self { by_place: Cache::new(limit), united: Cache::new(limit) }
    }

    /// What some fragments allow together. Many stacks have the same ones.
    fn unite(&self, mut parts: Vec<Arc<Fragment>>, words: usize) -> Arc<Entry> {
        parts.sort_unstable_by_key(|part| Arc::as_ptr(part).addr());
        parts.dedup_by_key(|part| Arc::as_ptr(part).addr());
        let key = parts.iter().map(|part| Arc::as_ptr(part).addr()).collect();
        let make = || {
            let entry = Arc::new(unite(&parts, words));
            let bytes = entry.bytes() + parts.len() * 16;
            (United { entry, _held: parts }, bytes)
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
}

impl Fragment {
    /// Bytes of memory held, shared maps not counted.
    pub fn bytes(&self) -> usize {
        let sets: usize = self.sets.iter().map(|(set, _)| set.bytes()).sum();
        sets + self.maps.len() * 24 + self.exits.len() * size_of::<Exit>() + 128
    }

    /// Adds what it allows to an entry.
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

/// What some configurations allow together, put together from the fragments of their frames; `None` if a frame cannot be
/// looked at alone.
///
/// # Errors
/// As [`Masker::entry`].
pub fn assemble(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    configurations: &[Configuration],
) -> Result<Option<Arc<Entry>>> {
    if !compiled.graph().has_rules() {
        return Ok(None);
    }
    let root = Exit { dependent: None, node: 0 };
    let (mut parts, mut open, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
    for &configuration in configurations {
        if cache.stacks.is_compared(configuration.stack) {
            return Ok(None);
        }
        let Configuration { position, stack } = without_names(compiled, &mut cache.stacks, configuration);
        if !add_fragment(compiled, cache, path, (&root, Step::From(position), stack), &mut parts, &mut open)? {
            return Ok(None);
        }
    }
    while let Some((exit, stack)) = open.pop() {
        if stack == END || !seen.insert((exit.place(), stack)) {
            continue;
        }
        if let Some(several) = cache.stacks.alternatives(stack) {
            open.extend(several.iter().map(|&stack| (exit.clone(), stack)));
            continue;
        }
        let Frame { position, below } = cache.stacks.frame(stack);
        if !add_fragment(compiled, cache, path, (&exit, Step::Resume(position), below), &mut parts, &mut open)? {
            return Ok(None);
        }
    }
    Ok(Some(compiled.fragments().unite(parts, compiled.tables().vocabulary.mask_words())))
}

/// Adds the fragment of a frame, and its exits with the stack below it. False if the frame cannot be looked at alone.
fn add_fragment(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    (exit, step, below): (&Exit, Step, StackId),
    parts: &mut Vec<Arc<Fragment>>,
    open: &mut Vec<(Exit, StackId)>,
) -> Result<bool> {
    let (Step::From(position) | Step::Resume(position)) = step;
    if !is_divisible(position) {
        return Ok(false);
    }
    let found = fragment(compiled, cache, path, exit, step)?;
    open.extend(found.exits.iter().map(|exit| (exit.clone(), below)));
    let is_divisible = !found.is_indivisible;
    parts.push(found);
    Ok(is_divisible)
}

/// What some fragments allow together. Many bit maps become one.
fn unite(parts: &[Arc<Fragment>], words: usize) -> Entry {
    let mut entry = Entry::default();
    parts.iter().for_each(|part| part.add_to(&mut entry));
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

/// How a fragment begins.
#[derive(Clone, Copy)]
enum Step {
    /// Where the text is.
    From(Position),
    /// A frame goes on.
    Resume(Position),
}

/// What a position, or a frame, allows from a place on.
fn fragment(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    from: &Exit,
    step: Step,
) -> Result<Arc<Fragment>> {
    let (Step::From(position) | Step::Resume(position)) = step;
    let key = (from.place(), position);
    if let Some(known) = compiled.fragments().by_place.get(&key) {
        return Ok(known);
    }
    let follows = compiled.graph().follows();
    let follow = match position {
        Position::Terminal { leaf, .. } | Position::Text { leaf, .. } => follows.of_leaf(leaf),
        Position::Start(node)
        | Position::Literal { node, .. }
        | Position::Sequence { node, .. }
        | Position::Repeat { node, .. }
        | Position::Array { array: node, .. } => follows.of_node(node),
        _ => FollowId::MAX,
    };
    let unknown = cache.stacks.unknown(follow);
    let found = masker(compiled, cache, path, None).find_fragment(from, step, unknown)?;
    let bytes = found.bytes();
    Ok(compiled.fragments().by_place.get_or(key, || (found, bytes)))
}

impl Masker<'_> {
    fn find_fragment(&mut self, from: &Exit, step: Step, unknown: StackId) -> Result<Fragment> {
        let (mut entry, base) = (Entry::default(), self.buffer.len());
        match step {
            Step::From(Position::Accept) => {}
            Step::From(position) => {
                let at = self.machine.inside_part(Configuration { position, stack: unknown });
                self.buffer.push(at);
            }
            Step::Resume(position) => {
                let stack = self.machine.stacks.push(Frame { position, below: unknown });
                self.machine.resume_into(stack, self.buffer);
            }
        }
        let vocabulary = &self.tables.vocabulary;
        let walk = match &from.dependent {
            None => Walk { trie: vocabulary.plain(), kind: Tokens::Plain },
            Some((dependent, window)) => {
                let kind = Tokens::Dependent { dependent, window: *window, runs: None };
                Walk { trie: &dependent.trie, kind }
            }
        };
        self.take_exits(&walk, from.node, base);
        if self.buffer.len() > base {
            self.walk(&walk, from.node, base, end::ANY, &mut entry);
        }
        self.buffer.truncate(base);
        self.keep_tokens(&mut entry);
        self.machine.check_limits()?;
        let is_named = !entry.unresolved.is_empty() || !self.name_completing.is_empty();
        if !entry.tokens.is_empty() {
            let tokens = std::mem::take(&mut entry.tokens).into_vec();
            entry.sets.push((Arc::new(TokenSet::List(tokens)), Bans::default()));
        }
        Ok(Fragment {
            maps: entry.maps.into_vec(),
            sets: entry.sets.into_vec(),
            exits: std::mem::take(&mut self.exits),
            _held: from.dependent.as_ref().map(|(tokens, _)| Arc::clone(tokens)),
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
        let bytes = self.machine.graph.follows().bytes(follow);
        if !walk.trie.children(node).any(|child| bytes.contains(walk.trie.node(child).byte)) {
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
