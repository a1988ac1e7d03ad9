//! All tokens that stay inside a terminal, by where they lead: what a budget asks when it is too small for some.
//!
//! ```text
//! inside a string     " the", "cat"   end in the same state, after a letter: one question for all of them
//!                     ".", "!)"       the same, but for the tokens that may continue their piece
//! ```
//!
//! Tokens that lead to the same state of the terminal, and to the same state between pieces, differ only in what may
//! continue their piece. So a budget asks about all of them at once, and for each token that could come next, which of them
//! it may follow ([`AllAlike::before`]); both are found once for all schemas of a vocabulary.
//!
//! Cost: a pass over the tokens for a state of a terminal and one between pieces; 0.1 us a token for each next one.
//! Wrinkles: a word has no neighbours in its piece, so words are apart. What ends inside a character is completed in one
//! known way, and is alike if it leads to the same place after that.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::inside::Terminal;
use crate::canonical::{self, Completion, DEAD, Ends, Merges, Moves, SharedPieces, Spelling};
use crate::regular::{Automaton, StateId};
use crate::terminals::{Bitmap, LIST, Tables, TokenSet};
use crate::vocabulary::TokenId;

/// Sets kept of what may come before a token.
const MOST_BEFORE: usize = 1 << 10;

/// Tokens that end alike.
#[derive(Debug)]
pub struct Alike {
    /// Where they lead between pieces; if they end inside a character, after the tokens that complete it.
    pub ends: Ends,
    /// How many tokens complete the character that they end inside of, and for the first of them its bytes.
    pub begun: Option<(u32, Vec<u8>)>,
    /// Characters that they begin, where these are counted.
    pub characters: u32,
    /// One of them.
    pub first: TokenId,
    pub tokens: TokenSet,
}

/// All tokens that stay inside a terminal.
#[derive(Debug)]
pub struct AllAlike {
    pub groups: Vec<Alike>,
    /// By group and token: those of the group that the token may continue the piece of.
    before: Mutex<FxHashMap<(u32, TokenId), Arc<TokenSet>>>,
    words: usize,
    /// Keep the addresses in the key from being used again.
    _held: Option<SharedPieces>,
}

impl AllAlike {
    /// Of a state of a terminal and one between pieces.
    pub fn new(
        tables: &Tables,
        spelling: &mut Spelling<'_>,
        pieces: Option<&SharedPieces>,
        at: Terminal<'_>,
        between: canonical::StateId,
    ) -> Self {
        let (groups, moves) = (at.groups(tables), spelling.moves(between));
        let (mut found, words) = (Vec::new(), tables.vocabulary.mask_words());
        for group in &groups.0 {
            let mut sorter = Sorter { spelling, tables, at: (at.automaton, group.state), found: FxHashMap::default() };
            for (ends, token, is_whole) in led(&group.tokens, sorter.spelling, between, &moves) {
                sorter.add(ends, token, is_whole);
            }
            found.extend(sorter.found.into_iter().map(|(key, (tokens, bytes))| {
                let (first, begun) = (tokens[0], key.begun.map(|(count, _)| (count, bytes)));
                Alike { ends: key.ends, begun, characters: group.characters, first, tokens: set_of(tokens, words) }
            }));
        }
        Self { groups: found, before: Mutex::default(), words, _held: pieces.map(Arc::clone) }
    }

    /// Bytes of memory held, without what may come before which token.
    pub fn bytes(&self) -> usize {
        self.groups.iter().map(|alike| alike.tokens.bytes() + 64).sum()
    }

    /// Of a group, the tokens that another one may continue the piece of.
    pub fn before(&self, merges: &Merges, group: u32, next: TokenId) -> Arc<TokenSet> {
        let lock = || self.before.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&(group, next)) {
            return Arc::clone(known);
        }
        let found = Arc::new(before(merges, &self.groups[group as usize].tokens, next, self.words));
        let mut known = lock();
        if known.len() >= MOST_BEFORE {
            known.clear();
        }
        Arc::clone(known.entry((group, next)).or_insert(found))
    }
}

/// Some tokens, each with where it leads from a state between pieces, and whether it is known to begin and end between
/// characters; `moves` are all that may come there.
fn led(
    tokens: &TokenSet,
    spelling: &mut Spelling<'_>,
    between: canonical::StateId,
    moves: &Moves,
) -> Vec<(Ends, TokenId, bool)> {
    match tokens {
        TokenSet::List(tokens) => tokens.iter().map(|&token| (spelling.ends(between, token), token, false)).collect(),
        TokenSet::Map(map) => {
            let whole = moves.whole.iter().flat_map(|(ends, tokens)| tokens.iter().map(|&token| (*ends, token, true)));
            let single = moves.single.iter().map(|&(ends, token)| (ends, token, false));
            whole.chain(single).filter(|&(_, token, _)| is_in(map, token)).collect()
        }
    }
}

/// What tokens have in common that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AlikeKey {
    ends: Ends,
    is_word: bool,
    /// Tokens that complete the character which they have begun, and the state of the terminal after it.
    begun: Option<(u32, StateId)>,
}

/// Sorts tokens that end in one state of a terminal.
struct Sorter<'s, 'p> {
    spelling: &'s mut Spelling<'p>,
    tables: &'s Tables,
    /// The terminal, and that state.
    at: (&'s Automaton, StateId),
    /// With the bytes that complete the character which the first token of each has begun.
    found: FxHashMap<AlikeKey, (Vec<TokenId>, Vec<u8>)>,
}

impl Sorter<'_, '_> {
    fn add(&mut self, ends: Ends, token: TokenId, is_whole: bool) {
        if is_whole || !self.spelling.is_in_pieces() {
            return self.insert(ends, token, None, Vec::new());
        }
        let mut whole = ends;
        for (index, end) in ends.into_iter().enumerate().filter(|&(_, end)| end != DEAD) {
            let place = self.spelling.place(end, token);
            let Some(completion) = self.spelling.completion(place) else { continue };
            whole[index] = DEAD;
            let completed = completion.as_ref().and_then(|completion| self.completed(completion));
            if let Some((begun, bytes)) = completed {
                let mut ends = [DEAD; 2];
                ends[index] = completion.map_or(DEAD, |completion| completion.state);
                self.insert(ends, token, Some(begun), bytes);
            } else {
                let mut alone = [DEAD; 2];
                alone[index] = end;
                self.insert(alone, token, None, Vec::new());
            }
        }
        self.insert(whole, token, None, Vec::new());
    }

    /// Where the terminal is after a completion, if it goes on: with how many tokens that takes, and their bytes.
    fn completed(&self, completion: &Completion) -> Option<((u32, StateId), Vec<u8>)> {
        let (automaton, mut state) = self.at;
        let tokens = completion.tokens.iter();
        let bytes: Vec<u8> = tokens.flat_map(|&token| self.tables.vocabulary.token(token)).copied().collect();
        for &byte in &bytes {
            let step = automaton.step(state, byte);
            state = Some(step.state()).filter(|_| step.goes_on())?;
        }
        Some(((completion.tokens.len() as u32, state), bytes))
    }

    fn insert(&mut self, ends: Ends, token: TokenId, begun: Option<(u32, StateId)>, bytes: Vec<u8>) {
        if ends != [DEAD; 2] {
            let is_word = self.spelling.place(ends[1], token).last.is_none();
            let key = AlikeKey { ends, is_word, begun };
            self.found.entry(key).or_insert_with(|| (Vec::new(), bytes)).0.push(token);
        }
    }
}

/// Of some tokens, those that another one may continue the piece of.
pub fn before(merges: &Merges, tokens: &TokenSet, next: TokenId, words: usize) -> TokenSet {
    set_of(tokens.iter().filter(|&token| merges.may_continue(Some(token), next)).collect(), words)
}

/// Tokens as a set, in rows of so many words.
pub fn set_of(tokens: Vec<TokenId>, words: usize) -> TokenSet {
    if tokens.len() <= LIST { TokenSet::List(tokens) } else { TokenSet::Map(Bitmap::of(tokens, words)) }
}

/// Whether a token is in a row of bits.
pub fn is_in(row: &[u32], token: TokenId) -> bool {
    row.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
}
