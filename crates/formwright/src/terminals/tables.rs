//! What all schemas and texts of a vocabulary share.
//!
//! ```text
//! automata     by leaf: one automaton for all schemas that have it
//! masks        by automaton and state, among others: the terminal mask
//! texts        by state of a counted text: one table, from which the mask of every `minLength` and `maxLength` is made
//! ```
//!
//! Cost: a lookup in a map that threads share (`cache`); a value that is missing is made by the thread that needs it.
//! Shared values begin at a cache line, apart from their reference counts: a count that one thread changes
//! would slow down threads that read the value.

use std::sync::Arc;

use super::walk;
use super::{
    Automata, Cache, Counting, Dependent, DependentKey, DependentTokens, Groups, GroupsKey, Ids, Numbered, Shortcuts,
    TerminalKey, TerminalMask, TextTable, TokenLookahead, TokenSet, TokensBegun, Tree,
};
use crate::error::Result;
use crate::language::{Leaf, SpaceState, Spaces, UNBOUNDED, end};
use crate::limits::Limits;
use crate::regular::{Automaton, ByteSet, Regular, StateId};
use crate::vocabulary::{TokenId, Vocabulary};

/// A vocabulary with everything that is computed once for it.
#[derive(Debug)]
#[repr(align(64))]
pub struct Tables {
    /// The vocabulary.
    pub vocabulary: Arc<Vocabulary>,
    /// How far tokens look ahead after a value.
    pub lookahead: TokenLookahead,
    /// What tokens begin.
    pub begun: TokensBegun,
    limits: Limits,
    automata: Automata,
    spaces: Ids<Arc<Spaces>>,
    follow: Ids<ByteSet>,
    masks: Cache<TerminalKey, TerminalMask>,
    /// By the key of their masks, without the window.
    texts: Cache<TerminalKey, TextTable>,
    dependent: Cache<DependentKey, DependentTokens>,
    runs: Cache<(u32, SpaceState), RunTable>,
    representatives: Cache<(u32, StateId), Representative>,
    groups: Cache<GroupsKey, Groups>,
    shortcuts: Cache<(u32, StateId, bool), Shortcuts>,
}

impl Tables {
    /// The tables of a vocabulary, empty.
    pub fn new(vocabulary: Arc<Vocabulary>, limits: Limits) -> Self {
        Self {
            lookahead: TokenLookahead::new(&vocabulary),
            begun: TokensBegun::new(&vocabulary),
            vocabulary,
            automata: Automata::new(limits.automata_bytes),
            spaces: Ids::default(),
            follow: Ids::default(),
            masks: Cache::new(limits.terminal_cache_bytes),
            texts: Cache::new(limits.terminal_cache_bytes),
            dependent: Cache::new(limits.terminal_cache_bytes),
            runs: Cache::new(limits.terminal_cache_bytes),
            representatives: Cache::new(limits.terminal_cache_bytes),
            groups: Cache::new(limits.terminal_cache_bytes),
            shortcuts: Cache::new(limits.terminal_cache_bytes),
            limits,
        }
    }

    /// The bounds in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The shared automaton of a leaf; `built` is used if there is none yet. An automaton near its limit is replaced.
    ///
    /// # Errors
    /// As [`Leaf::automaton`].
    pub fn automaton(&self, leaf: &Leaf, built: Option<&Arc<Automaton>>) -> Result<Numbered> {
        let built = built.filter(|automaton| !automaton.is_near_its_limit());
        self.automata.of(leaf, || leaf.shared_automaton(built, &self.limits))
    }

    /// The id of a whitespace automaton.
    pub fn spaces_id(&self, spaces: &Arc<Spaces>) -> u32 {
        self.spaces.of(spaces)
    }

    /// The id of a set of bytes that may follow a terminal; 0 is the empty set.
    pub fn follow_id(&self, set: ByteSet) -> u32 {
        if set == ByteSet::default() { 0 } else { self.follow.of(&set) + 1 }
    }

    /// Which runs of leading whitespace may come in `state`.
    pub fn run_table(&self, id: u32, spaces: &Spaces, state: SpaceState) -> Arc<RunTable> {
        self.runs.get_or((id, state), || {
            let stripped = self.vocabulary.stripped();
            let walk = |run: &[u8]| run.iter().try_fold(state, |state, &byte| spaces.step(state, byte));
            let after: Vec<_> = stripped.runs.iter().map(|run| walk(run)).collect();
            let ends = after.iter().map(|state| state.map_or(0, |state| spaces.ends(state))).collect();
            let whitespace_only =
                stripped.whitespace_only.iter().filter_map(|&(run, token)| Some((after[run as usize]?, token)));
            let mut whitespace_only: Vec<(SpaceState, TokenId)> = whitespace_only.collect();
            whitespace_only.sort_by_key(|&(after, _)| spaces.ends(after) != end::ANY);
            let (after_whitespace, whitespace_only): (Vec<_>, _) = whitespace_only.into_iter().unzip();
            let free = after_whitespace.partition_point(|&after| spaces.ends(after) == end::ANY);
            let table = RunTable { ends, whitespace_only, after_whitespace, free };
            let bytes = table.ends.len() + table.whitespace_only.len() * 8 + 64;
            (table, bytes)
        })
    }

    /// The state whose terminal masks `state` shares, perhaps of another automaton: counters no token can exhaust are
    /// dropped, and "anything may follow" is the same everywhere.
    pub fn representative(&self, id: u32, automaton: &Arc<Automaton>, state: StateId) -> Arc<Representative> {
        let key = (id, state);
        if let Some(cached) = self.representatives.get(&key) {
            return cached;
        }
        let (representative, slack) = automaton.representative_and_slack(state, self.reach());
        let everywhere = automaton.is_anything(representative).then(|| {
            let anything = Leaf { tree: Regular::anything(), encoding: automaton.encoding() };
            self.automaton(&anything, None).ok()
        });
        let other = everywhere.flatten();
        let state = other.as_ref().map_or(representative, |(_, automaton)| automaton.content_start());
        self.representatives.get_or(key, || (Representative { other, state, slack }, 2 * size_of::<Representative>()))
    }

    /// One more than the longest token has bytes: no token exhausts a counter of that size.
    pub fn reach(&self) -> u32 {
        self.vocabulary.longest() as u32 + 1
    }

    /// The mask of a state of a terminal, if cached.
    pub fn cached_mask(&self, key: &TerminalKey) -> Option<Arc<TerminalMask>> {
        self.masks.get(key)
    }

    /// The mask of a state of a terminal, made if it is not cached. `inside` is the state between two characters, if
    /// they are counted.
    pub fn mask(
        &self,
        key: TerminalKey,
        automaton: &Automaton,
        inside: Option<StateId>,
        follow: &ByteSet,
    ) -> Arc<TerminalMask> {
        self.masks.get_or(key, || {
            let mask = match inside {
                Some(inside) => self.text_table(&key, automaton, inside, follow).mask(key.window),
                None => walk::terminal_mask(self, key, automaton, follow),
            };
            let bytes = mask.bytes();
            (mask, bytes)
        })
    }

    /// The tokens that stay inside a terminal, by where they end.
    pub fn groups(&self, key: GroupsKey, automaton: &Automaton) -> Arc<Groups> {
        self.groups.get_or(key, || {
            let groups = Groups::new(&self.vocabulary, &key, automaton);
            let bytes = groups.bytes();
            (groups, bytes)
        })
    }

    /// Where the tokens lead from a state of a terminal that bring its end nearer with every byte. In a counted text,
    /// `state` is the one between two characters.
    pub fn shortcuts(&self, id: u32, automaton: &Automaton, state: StateId, counted: bool) -> Arc<Shortcuts> {
        self.shortcuts.get_or((id, state, counted), || {
            let found = super::shortcuts::shortcuts(&self.vocabulary, automaton, state, counted);
            let bytes = found.len() * 8 + 48;
            (found, bytes)
        })
    }

    /// The table of a state inside a counted text; `inside` is the state between two characters.
    fn text_table(
        &self,
        key: &TerminalKey,
        automaton: &Automaton,
        inside: StateId,
        follow: &ByteSet,
    ) -> Arc<TextTable> {
        let key = TerminalKey { window: (0, UNBOUNDED), ..*key };
        self.texts.get_or(key, || {
            let walk = Counting { vocabulary: &self.vocabulary, automaton, inside, follow };
            let table = self.class_table(&key, automaton, inside).unwrap_or_else(|| walk.table(&key));
            let bytes = table.bytes();
            (table, bytes)
        })
    }

    /// The table of the state between two characters of a class, made of the table of all characters and of the mask
    /// of any number of the class.
    fn class_table(&self, key: &TerminalKey, automaton: &Automaton, inside: StateId) -> Option<TextTable> {
        if (key.tree, key.node, key.state, key.follow) != (Tree::Plain, 0, inside, 0) || automaton.is_anything(inside) {
            return None;
        }
        let mask = self.mask(*key, automaton, None, &ByteSet::default());
        let TokenSet::Map(independent) = &mask.independent else { return None };
        let all = Leaf { tree: Regular::anything(), encoding: automaton.encoding() };
        let (id, all) = self.automaton(&all, None).ok()?;
        let state = all.content_start();
        let all = self.text_table(&TerminalKey { automaton: id, state, ..*key }, &all, state, &ByteSet::default());
        Some(all.of_class(independent, &mask.dependent, mask.farthest(automaton)))
    }

    /// A set of context-dependent tokens, shared by all states that have the same set.
    pub(super) fn dependent(&self, found: Vec<Dependent<'_>>) -> Arc<DependentTokens> {
        let key: DependentKey = found.iter().map(|&(rest, token)| (rest.len() as u16, token)).collect();
        let size = size_of_val(&*key);
        self.dependent.get_or(key, || {
            let dependent = DependentTokens::new(found);
            let bytes = dependent.bytes() + size;
            (dependent, bytes)
        })
    }

    /// Bytes of memory held by automata.
    pub fn automata_bytes(&self) -> usize {
        self.automata.bytes()
    }

    /// Bytes of memory held by cached masks and tables.
    pub fn cached_bytes(&self) -> usize {
        self.masks.bytes()
            + self.dependent.bytes()
            + self.texts.bytes()
            + self.runs.bytes()
            + self.representatives.bytes()
            + self.groups.bytes()
            + self.shortcuts.bytes()
    }
}

/// The state whose terminal masks serve another state too.
#[derive(Debug)]
#[repr(align(64))]
pub struct Representative {
    /// The automaton of the representative, if that is not the automaton of the state asked about.
    other: Option<Numbered>,
    /// The state.
    pub state: StateId,
    /// Bytes by which the end may be farther from the state asked about than from the representative.
    pub slack: u32,
}

impl Representative {
    /// A state that stands for itself.
    pub fn own(state: StateId) -> Self {
        Self { other: None, state, slack: 0 }
    }

    /// The automaton of the representative; `asked` is the automaton of the state asked about.
    pub fn automaton<'a>(&'a self, asked: (u32, &'a Arc<Automaton>)) -> (u32, &'a Arc<Automaton>) {
        self.other.as_ref().map_or(asked, |(id, automaton)| (*id, automaton))
    }
}

/// Which runs of whitespace may be in a state of the whitespace automaton, and what may follow each.
#[derive(Debug)]
#[repr(align(64))]
pub struct RunTable {
    /// By run: the purposes of the byte that may follow, as `end` bits; 0 if the run may not be here.
    pub ends: Box<[u8]>,
    /// Tokens that are a run that may be here, and nothing else.
    pub whitespace_only: Vec<TokenId>,
    /// The state after each of them.
    pub after_whitespace: Vec<SpaceState>,
    /// After this many of them anything may follow; they come first.
    pub free: usize,
}
