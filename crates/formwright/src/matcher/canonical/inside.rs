//! What is canonical inside a terminal, whatever comes after it: found once for all schemas of a vocabulary.
//!
//! ```text
//! inside a string     130k tokens, most of which may be followed by a space, a quote, a letter: nothing to be done
//!                     the first two bytes of a character, of which no token is the third one       undecided
//! ```
//!
//! Tokens that end in the same state of the terminal, and lead to the same state between pieces, are alike: one question
//! decides about all of them. What cannot be decided without what comes after the terminal is listed.
//!
//! Cost: about 0.5 ms for a state of a string the first time, mostly for tokens that end inside a character; a pass over all
//! tokens where some state of the terminal allows little; then a lookup. Where more characters may come than a token could
//! bring, they are taken for any number.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::form::{Form, Inside};
use super::junctions::{Rest, UNCOUNTED};
use super::search::Search;
use crate::canonical::{self, Completion, DEAD, Ends, Moves, Place, SharedPieces, Spelling};
use crate::language::{INFINITE, UNBOUNDED};
use crate::regular::{Automaton, ByteSet, StateId};
use crate::terminals::{Group, Groups, GroupsKey, Tables, TerminalMask, TokenSet, Tree};
use crate::vocabulary::TokenId;

/// A state of a terminal, and how many characters it may still begin.
#[derive(Clone, Copy, Debug)]
pub struct Terminal<'a> {
    pub id: u32,
    pub automaton: &'a Automaton,
    pub state: StateId,
    /// The state between two characters, if they are counted.
    pub counted: Option<StateId>,
    pub most: u32,
}

/// What identifies a state of a terminal, with one between pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    automaton: u32,
    state: StateId,
    most: u32,
    between: canonical::StateId,
    /// The address of the pieces: the numbers of their states are their own.
    pieces: usize,
    /// The address of the terminal mask: what the terminal allows.
    mask: usize,
}

impl Terminal<'_> {
    /// What identifies it.
    pub fn key(&self, between: canonical::StateId, pieces: Option<&SharedPieces>, mask: &Arc<TerminalMask>) -> Key {
        let (pieces, mask) = (pieces.map_or(0, |pieces| Arc::as_ptr(pieces).addr()), Arc::as_ptr(mask).addr());
        Key { automaton: self.id, state: self.state, most: self.most, between, pieces, mask }
    }

    /// What identifies the tokens that stay inside, however many characters may still begin.
    pub fn key_of_all(&self, between: canonical::StateId, pieces: Option<&SharedPieces>) -> Key {
        let pieces = pieces.map_or(0, |pieces| Arc::as_ptr(pieces).addr());
        let most = if self.most == UNBOUNDED { UNBOUNDED } else { 0 };
        Key { automaton: self.id, state: self.state, most, between, pieces, mask: 0 }
    }
}

/// Tokens that stay inside a terminal, and those whose fate depends on what follows it.
#[derive(Debug, Default)]
pub struct Undecided {
    /// Tokens that lead nowhere if they begin a piece, and those that lead nowhere at all, whatever comes after it.
    pub dead: [Vec<TokenId>; 2],
    /// Of whole characters: they end in the same state of the terminal, after as many characters.
    pub alike: Vec<(Ends, Vec<TokenId>)>,
    /// Those that stand for themselves.
    pub single: Vec<(Ends, TokenId)>,
    /// Those that end with the terminal, by where they lead.
    pub closing: Vec<(Ends, Vec<TokenId>)>,
    /// The tokens of the terminal that may come, but for those undecided: the tokens that may begin a piece, and all that
    /// may begin or continue one. A bit each.
    pub rows: [Box<[u32]>; 2],
    /// Keep the addresses in the key from being used again.
    _held: (Option<SharedPieces>, Option<Arc<TerminalMask>>),
}

impl Undecided {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let alike = self.alike.iter().chain(&self.closing);
        let alike: usize = alike.map(|(_, tokens)| tokens.len() * 4 + 40).sum();
        let rows: usize = self.rows.iter().map(|row| row.len() * 4).sum();
        alike + rows + self.single.len() * 12 + self.dead.iter().map(|dead| dead.len() * 4).sum::<usize>() + 64
    }

    /// Of a state of a terminal and one between pieces.
    pub fn new(
        tables: &Tables,
        spelling: &mut Spelling<'_>,
        pieces: Option<&SharedPieces>,
        at: Terminal<'_>,
        between: canonical::StateId,
        mask: &Arc<TerminalMask>,
    ) -> Self {
        let counted = at.counted.filter(|_| at.most != UNBOUNDED);
        let moves = spelling.moves(between);
        let (mut known, mut fates) = (FxHashMap::default(), FxHashMap::default());
        let form = Inside { automaton: at.automaton, counted };
        let search = Search::new(form, spelling, &tables.vocabulary, &mut known, &mut fates);
        let mut finder = Finder::new(search, &moves, between);
        if let Some(doubtful) = counted.is_none().then(|| finder.doubtful(at.state)).flatten() {
            finder.add_all(at.state, &doubtful);
        } else {
            for group in &at.groups(tables).0 {
                if let Some(most) = left(at.most, group.characters) {
                    finder.add(group, (group.state, most));
                }
            }
        }
        let mut found = finder.found;
        let rows = found.rows_of(&moves, mask);
        found.closing = closing(spelling, between, mask);
        Self { rows, _held: (pieces.map(Arc::clone), Some(Arc::clone(mask))), ..found }
    }
}

impl Terminal<'_> {
    /// The tokens that stay inside, by where they end.
    pub fn groups(&self, tables: &Tables) -> Arc<Groups> {
        let inside = self.counted.filter(|_| self.most != UNBOUNDED);
        let key = GroupsKey { tree: Tree::Plain, node: 0, automaton: self.id, state: self.state, inside };
        tables.groups(key, self.automaton)
    }
}

impl Undecided {
    /// What the terminal and the state between pieces both allow.
    fn rows_of(&self, moves: &Moves, mask: &TerminalMask) -> [Box<[u32]>; 2] {
        let TokenSet::Map(map) = &mask.independent else { return Default::default() };
        let [mut begin, mut either] = moves.rows.clone();
        clear(&mut begin, &self.dead[0]);
        clear(&mut either, &self.dead[1]);
        let both = |row: Box<[u32]>| {
            let allowed = row.iter().chain(std::iter::repeat(&0)).zip(map.iter());
            allowed.map(|(row, map)| row & map).collect()
        };
        [both(begin), both(either)]
    }
}

/// The tokens that end with a terminal, by where they lead.
fn closing(spelling: &mut Spelling<'_>, between: canonical::StateId, mask: &TerminalMask) -> Vec<(Ends, Vec<TokenId>)> {
    let mut by_ends: FxHashMap<Ends, Vec<TokenId>> = FxHashMap::default();
    for token in mask.closing() {
        by_ends.entry(spelling.ends(between, token)).or_default().push(token);
    }
    by_ends.remove(&[DEAD; 2]);
    by_ends.into_iter().collect()
}

/// How many bytes of a character are missing after a byte, given how many were missing before it; `None` if that is not UTF-8.
fn missing_after(missing: u8, byte: u8) -> Option<u8> {
    match (missing, byte) {
        (0, 0..0x80) => Some(0),
        (0, 0xC2..0xE0) => Some(1),
        (0, 0xE0..0xF0) => Some(2),
        (0, 0xF0..0xF5) => Some(3),
        (1.., 0x80..0xC0) => Some(missing - 1),
        _ => None,
    }
}

/// Takes tokens out of a row.
pub fn clear(row: &mut [u32], tokens: &[TokenId]) {
    for &token in tokens {
        if let Some(word) = row.get_mut(token as usize / 32) {
            *word &= !(1 << (token % 32));
        }
    }
}

/// Characters that may still begin after some.
pub fn left(most: u32, characters: u32) -> Option<u32> {
    if most == UNBOUNDED { Some(most) } else { most.checked_sub(characters) }
}

/// Most states of a terminal that are checked instead of the tokens that lead to them.
const FEW_STATES: usize = 64;

/// Most tokens of whole characters that are checked one by one after that.
const FEW_TOKENS: usize = 1 << 10;

/// Finds what is undecided.
struct Finder<'f, 'p> {
    search: Search<'f, 'p, Inside<'f>>,
    moves: &'f Moves,
    between: canonical::StateId,
    /// Whether a text that is in a state of the terminal, and in one between pieces, is live for certain.
    free: FxHashMap<(End, canonical::StateId), bool>,
    found: Undecided,
}

/// Where a token ends: the state of the terminal, and how many characters may still begin.
type End = (StateId, u32);

impl<'f, 'p> Finder<'f, 'p> {
    fn new(search: Search<'f, 'p, Inside<'f>>, moves: &'f Moves, between: canonical::StateId) -> Self {
        Self { search, moves, between, free: FxHashMap::default(), found: Undecided::default() }
    }

    /// The tokens to be checked one by one, without a pass over all tokens; `None` if there are many. After all other tokens
    /// that stay inside, the terminal can go on with a byte before which a piece ends. That is decided for each state of the
    /// terminal at once, and for all tokens whose last byte leads to that state: some of these may be checked for nothing.
    fn doubtful(&mut self, from: StateId) -> Option<Vec<(Ends, TokenId)>> {
        let (moves, mut doubtful) = (self.moves, vec![false; self.moves.whole.len()]);
        for (state, led) in self.ends_by_byte(from).filter(|_| self.search.spelling.is_in_pieces())? {
            let goes_on = self.goes_on((state, UNBOUNDED));
            for (((ends, tokens), &last), doubtful) in moves.whole.iter().zip(&moves.last).zip(&mut doubtful) {
                let may_end_so = !led.intersection(&ByteSet::from_words(last)).is_empty();
                *doubtful |= may_end_so && !self.are_free(*ends, tokens[0], &goes_on);
            }
        }
        let doubtful = || moves.whole.iter().zip(&doubtful).filter(|(_, doubtful)| **doubtful);
        let many: usize = doubtful().map(|((_, tokens), _)| tokens.len()).sum();
        let whole = doubtful().flat_map(|((ends, tokens), _)| tokens.iter().map(|&token| (*ends, token)));
        (many <= FEW_TOKENS).then(|| whole.chain(moves.single.iter().copied()).collect())
    }

    /// The states between characters that can be reached without leaving the terminal, with the bytes that lead to each;
    /// `None` if there are many.
    fn ends_by_byte(&self, from: StateId) -> Option<Vec<(StateId, ByteSet)>> {
        let automaton = self.search.form.automaton;
        let mut reached: FxHashMap<(StateId, u8), ByteSet> = FxHashMap::default();
        let mut open = vec![(from, 0)];
        while let Some((state, missing)) = open.pop() {
            for (first, last) in automaton.classes() {
                let step = automaton.step(state, first);
                let Some(missing) = missing_after(missing, first).filter(|_| step.goes_on()) else { continue };
                let led = reached.entry((step.state(), missing)).or_insert_with(|| {
                    open.push((step.state(), missing));
                    ByteSet::default()
                });
                led.insert_all(first..=last);
            }
            if reached.len() > FEW_STATES {
                return None;
            }
        }
        let whole = reached.into_iter().filter(|&((_, missing), _)| missing == 0);
        Some(whole.map(|((state, _), led)| (state, led)).collect())
    }

    /// Adds those of some tokens that are undecided.
    fn add_all(&mut self, from: StateId, tokens: &[(Ends, TokenId)]) {
        for &(ends, token) in tokens {
            if let Some(end) = self.read((from, UNBOUNDED), &[token]) {
                self.add_single(ends, token, end);
            }
        }
    }

    /// Where some tokens end that stay inside the terminal.
    fn read(&mut self, from: End, tokens: &[TokenId]) -> Option<End> {
        let Search { form, vocabulary, .. } = &mut self.search;
        let mut bytes = tokens.iter().flat_map(|&token| vocabulary.token(token));
        bytes.try_fold(from, |end, &byte| form.step(&end, byte))
    }

    /// Adds the undecided tokens of a group that ends in a state.
    fn add(&mut self, group: &Group, end: End) {
        let map = match &*group.tokens {
            TokenSet::List(tokens) => {
                for &token in tokens {
                    let ends = self.search.spelling.ends(self.between, token);
                    self.add_single(ends, token, end);
                }
                return;
            }
            TokenSet::Map(map) => map,
        };
        let is_in = |token: TokenId| map.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1);
        let first = self.goes_on(end);
        for (ends, tokens) in &self.moves.whole {
            let are_alike = self.search.spelling.is_in_pieces();
            if are_alike && self.are_free(*ends, tokens[0], &first) {
                continue;
            }
            let tokens = tokens.iter().copied().filter(|&token| is_in(token));
            if are_alike && first.is_empty() {
                let tokens: Vec<TokenId> = tokens.collect();
                self.found.alike.extend((!tokens.is_empty()).then_some((*ends, tokens)));
                continue;
            }
            for token in tokens {
                if are_alike || !self.are_free(*ends, token, &first) {
                    self.add_single(*ends, token, end);
                }
            }
        }
        for &(ends, token) in self.moves.single.iter().filter(|&&(_, token)| is_in(token)) {
            self.add_single(ends, token, end);
        }
    }

    /// Adds a token unless it is known that the text is live after it.
    fn add_single(&mut self, ends: Ends, token: TokenId, end: End) {
        let mut undecided = [DEAD; 2];
        for (index, &to) in ends.iter().enumerate().filter(|&(_, &to)| to != DEAD) {
            let place = self.search.spelling.place(to, token);
            if self.is_free(end, place) {
                continue;
            }
            match self.rest(end, place) {
                INFINITE if !self.search.form.may_leave(&end) => self.found.dead[index].push(token),
                INFINITE | UNCOUNTED => undecided[index] = to,
                _ => {}
            }
        }
        if undecided != [DEAD; 2] {
            self.found.single.push((undecided, token));
        }
    }

    /// As [`Search::is_free`]: in pieces, the last token does not matter.
    fn is_free(&mut self, end: End, place: Place) -> bool {
        if !self.search.spelling.is_in_pieces() {
            return self.search.is_free(&end, place);
        }
        *self.free.entry((end, place.state)).or_insert_with(|| self.search.is_free(&end, place))
    }

    /// As [`Search::rest`], but not counted where a character is begun.
    fn rest(&mut self, end: End, place: Place) -> Rest {
        match self.search.spelling.completion(place) {
            Some(None) => INFINITE,
            Some(Some(completion)) if self.is_live_after(end, &completion) => 0,
            _ => self.search.rest(&end, place),
        }
    }

    /// Whether it is plain that a text can go on where the character that is begun is completed.
    fn is_live_after(&mut self, end: End, completion: &Completion) -> bool {
        let end = self.read(end, &completion.tokens);
        let last = completion.tokens.last();
        let place = last.map(|&token| self.search.spelling.place(completion.state, token));
        end.zip(place).is_some_and(|(end, place)| self.is_free(end, place))
    }

    /// Bytes with which a terminal goes on.
    fn goes_on(&mut self, end: End) -> ByteSet {
        let (form, mut bytes) = (&mut self.search.form, ByteSet::default());
        let first = form.first(&end);
        first.iter().filter(|&byte| form.step(&end, byte).is_some()).for_each(|byte| bytes.insert(byte));
        bytes
    }

    /// Whether a text may go on with some of these bytes after a token, wherever it leads.
    fn are_free(&mut self, ends: Ends, token: TokenId, first: &ByteSet) -> bool {
        let spelling = &mut *self.search.spelling;
        let mut reached = ends.into_iter().filter(|&to| to != DEAD);
        reached.all(|to| {
            let free = ByteSet::from_words(spelling.free(spelling.place(to, token)));
            !free.intersection(first).is_empty()
        })
    }
}
