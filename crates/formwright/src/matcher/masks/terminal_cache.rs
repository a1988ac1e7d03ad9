//! What was found about terminals, kept for the next masks of a matcher.
//!
//! ```text
//! recent      terminal masks asked for last: most are asked for again at the next byte
//! dependent   context-dependent tokens that may come, by what comes after the terminal: often the same for the next
//! excluded    tokens that spell an excluded text
//! runs        by whitespace state: which runs of leading whitespace may come
//! ```
//!
//! Cost: a lookup. A set of context-dependent tokens is identified by its address, so a cached result about a
//! set holds a reference to the set.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::entry::Bans;
use super::fragments::Exit;
use super::name_completing::ByName;
use crate::language::SpaceState;
use crate::matcher::keys::{Asked, ContinuedKey, ExcludedKey};
use crate::terminals::{DependentTokens, RunTable, TerminalMask};
use crate::vocabulary::TokenId;

/// Lists of banned tokens kept; a list is a few tokens.
const BAN_LISTS: usize = 1024;

/// A new cache has room for results about this many sets of context-dependent tokens.
const DEPENDENT: usize = 14;

/// Terminal masks that are looked up without asking the shared tables.
const RECENT: usize = 8;

/// What was found about the context-dependent tokens of a terminal, for one stack after the terminal.
#[derive(Debug)]
pub struct Continued {
    /// Tokens that may come.
    pub tokens: Box<[TokenId]>,
    pub unresolved: Vec<TokenId>,
    pub name_completing: Vec<ByName>,
    /// Where tokens go on with what the stack of a text says.
    pub exits: Vec<Exit>,
    /// Closing tokens that may not come, as the terminal may not end here.
    pub banned: Bans,
    /// The set these tokens are from, held because the key has its address.
    pub _held: Arc<DependentTokens>,
}

/// What must not be spelled below a trie node.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    /// Tokens, ascending.
    pub tokens: Bans,
    /// Whether no token may begin with the quote.
    pub quote: bool,
}

/// What was found about terminals, for one text and the next.
#[derive(Debug, Default)]
pub struct TerminalCache {
    excluded: FxHashMap<ExcludedKey, Excluded>,
    dependent: FxHashMap<ContinuedKey, Arc<Continued>>,
    /// Bytes of `dependent`.
    bytes: usize,
    /// The terminal masks asked for last, in no order.
    recent: SmallVec<[(Asked, Arc<TerminalMask>); RECENT]>,
    /// How many were asked for.
    asked: usize,
    /// Whether no terminal mask may be made: the mask is then asked for again without this flag.
    pub quick: bool,
    /// By whitespace state met: which runs of leading whitespace may come.
    runs: SmallVec<[(SpaceState, Arc<RunTable>); 4]>,
}

impl TerminalCache {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A terminal mask asked for lately.
    pub fn recent(&self, asked: &Asked) -> Option<Arc<TerminalMask>> {
        self.recent.iter().find(|(other, _)| other == asked).map(|(_, mask)| Arc::clone(mask))
    }

    /// Keeps a terminal mask in place of the oldest one.
    pub fn insert_recent(&mut self, asked: Asked, mask: Arc<TerminalMask>) {
        if self.recent.len() < RECENT {
            self.recent.push((asked, mask));
        } else {
            self.recent[self.asked % RECENT] = (asked, mask);
        }
        self.asked += 1;
    }

    /// Which runs of leading whitespace may come in the state `space`; `make` is called if it is not cached.
    pub fn runs(&mut self, space: SpaceState, make: impl FnOnce() -> Arc<RunTable>) -> Arc<RunTable> {
        if let Some((_, cached)) = self.runs.iter().find(|(state, _)| *state == space) {
            return Arc::clone(cached);
        }
        let runs = make();
        if self.runs.len() == self.runs.inline_size() {
            self.runs.clear();
        }
        self.runs.push((space, Arc::clone(&runs)));
        runs
    }

    /// What was found about some context-dependent tokens.
    pub fn continued(&self, key: &ContinuedKey) -> Option<&Arc<Continued>> {
        self.dependent.get(key)
    }

    /// Keeps what was found about some context-dependent tokens; drops all others first if they take more than `limit`
    /// bytes with it.
    pub fn insert_continued(&mut self, key: ContinuedKey, found: Arc<Continued>, limit: usize) {
        let exits = found.exits.len() * size_of::<Exit>();
        let bytes = (found.tokens.len() + found.unresolved.len() + found.banned.len()) * 4 + exits + 208;
        if self.bytes + bytes > limit {
            self.clear();
        }
        if self.dependent.is_empty() {
            self.dependent.reserve(DEPENDENT);
        }
        self.bytes += bytes;
        self.dependent.insert(key, found);
    }

    /// Drops what was found about context-dependent tokens.
    pub fn clear(&mut self) {
        self.dependent.clear();
        self.bytes = 0;
    }

    /// What must not be spelled, if cached.
    pub fn excluded(&self, key: &ExcludedKey) -> Option<&Excluded> {
        self.excluded.get(key)
    }

    /// Keeps what must not be spelled.
    pub fn insert_excluded(&mut self, key: ExcludedKey, excluded: Excluded) {
        if self.excluded.len() >= BAN_LISTS {
            self.excluded.clear();
        }
        self.excluded.insert(key, excluded);
    }
}
