//! What a tokenizer writes, as one object: merges, pairs and pieces.
//!
//! ```text
//! [" Theodore"]  canonical         [" T", "heodore"]  not: the pair is not compatible
//! ["Hi", "!"]    canonical         ["H", "i!"]        not: a piece ends inside a token
//! ```
//!
//! A sequence is canonical if three things hold: each token is what merging makes of its own bytes; each end of a piece is
//! the end of a token; and neighbours in one piece are compatible. Nothing is asked of neighbours in two pieces.
//!
//! Cost: about 0.2 s for 131,072 tokens; a token is told in less than a microsecond, once its effect on a state is known.
//! A prefix of a canonical sequence need not be canonical (see [`super::boundaries`]): while tokens come, it is
//! told whether they can still be continued; only at the end, whether they are what is written.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard};

use rustc_hash::{FxHashMap, FxHashSet};

use super::boundaries::StateId;
use super::columns::Moves;
use super::completions::Completion;
use super::pairs::Pairs;
use super::pattern::{self, Properties};
use super::pieces::{Beginnings, SharedPieces, Shelf, lock};
use super::program::Program;
use super::reader::Reader;
use super::splits::{Description, Splits, Symbols, TokenId};
use super::wholes::Wholes;
use crate::error::{Error, Result};

/// What a tokenizer writes.
///
/// ```
/// use formwright::canonical::{Cuts, Description, Merges, Order, Symbols};
///
/// # fn main() -> formwright::Result<()> {
/// let bytes = (0..=255_u8).map(|byte| vec![byte]);
/// let tokens: Vec<_> = bytes.chain(["th".into(), "the".into()]).map(Some).collect();
/// let order = Order::Priorities((0..tokens.len() as u32).collect());
/// let description = Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order };
/// let merges = Merges::new(&description, &Cuts { pattern: Some(r" ?\w+|\W".into()), ..Cuts::default() })?;
/// assert_eq!(merges.encode("the them"), Some(vec![257, 32, 257, 109]));
/// assert!(merges.is_canonical([257]) && !merges.is_canonical([256, 101]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Merges {
    splits: Splits,
    /// The bytes that no token stands for.
    lacking: [u64; 4],
    pairs: Pairs,
    shelf: Option<Shelf>,
    cuts: Cuts,
    words: Vec<(Box<[u8]>, TokenId)>,
    word_ids: FxHashSet<TokenId>,
    /// Where a text is one piece: by state, where all tokens lead.
    moves: Mutex<FxHashMap<StateId, Arc<Moves>>>,
    /// The same: which tokens may come at places that were asked about.
    beginnings: Mutex<Beginnings>,
    /// The same: how the characters that texts begin are completed.
    completions: Mutex<FxHashMap<StateId, Option<Completion>>>,
    /// The same: by token, what [`Merges::free_after`] tells.
    free: Mutex<FxHashMap<TokenId, [u64; 4]>>,
    /// By token: those that must not continue its piece, a bit each, where these are many.
    incompatible: Mutex<FxHashMap<TokenId, Arc<[u32]>>>,
}

/// Most states inside a character whose completions are kept.
const MOST_COMPLETIONS: usize = 1 << 12;

/// Most tokens for which [`Merges::free_after`] is kept: 40 bytes each.
const MOST_FREE: usize = 1 << 16;

/// Most incompatible tokens that are taken out of a row one by one.
const MANY: u32 = 1 << 10;

/// Most tokens whose incompatible tokens are kept as a row: 16 KB each for 131,072 tokens.
const MOST_INCOMPATIBLE: usize = 256;

/// How a text is cut into pieces before anything is merged.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    /// By this pattern; without one, a text is one piece.
    pub pattern: Option<String>,
    /// What the classes of the pattern contain.
    pub properties: Properties,
    /// A character that is put before each text, as sentencepiece does with a space.
    pub prefix: Option<char>,
    /// The character that the tokenizer writes a space as: it takes one for the other.
    pub space: Option<char>,
    /// Texts that are tokens wherever they are: they are cut out first, of two that begin alike the longer one.
    pub words: Vec<(String, TokenId)>,
    /// Whether a piece that is a token is that token, even if merging would make others of it.
    pub whole_pieces: bool,
}

impl Merges {
    /// Of a vocabulary, its merges and its pieces.
    ///
    /// # Errors
    /// As [`Splits::new`]; [`crate::Kind::Regex`] for a pattern that is not read, [`crate::Kind::Vocabulary`] for one that
    /// cannot be followed.
    pub fn new(description: &Description, cuts: &Cuts) -> Result<Self> {
        Self::of_splits(Splits::new(description)?, description, cuts.clone())
    }

    /// The same, once it is known how each token is merged.
    pub(super) fn of_splits(splits: Splits, description: &Description, cuts: Cuts) -> Result<Self> {
        let wholes = if cuts.whole_pieces { Wholes::new(&splits) } else { Wholes::default() };
        if cuts.pattern.is_none() && !wholes.is_empty() {
            return Err(Error::vocabulary(
                "a text that is one piece and a token, which no merges make, is not followed",
            ));
        }
        if cuts.pattern.is_some() && description.symbols == Symbols::Characters {
            return Err(Error::vocabulary("pieces of characters are not followed, only pieces of bytes"));
        }
        check_words(&cuts.words, description)?;
        let program = |pattern: &String| Program::new(&pattern::parse(pattern, &cuts.properties)?);
        let program = cuts.pattern.as_ref().map(program).transpose()?;
        let pairs = Pairs::new(&splits)?;
        let shelf = program.map(|program| Shelf::new(program, wholes));
        let mut words: Vec<(Box<[u8]>, TokenId)> =
            cuts.words.iter().map(|(word, token)| (word.as_bytes().into(), *token)).collect();
        words.sort_by_key(|(word, _)| Reverse(word.len()));
        let word_ids = words.iter().map(|&(_, token)| token).collect();
        Ok(Self {
            lacking: splits.lacking(),
            splits,
            pairs,
            shelf,
            cuts,
            words,
            word_ids,
            moves: Mutex::default(),
            beginnings: Mutex::default(),
            completions: Mutex::default(),
            free: Mutex::default(),
            incompatible: Mutex::default(),
        })
    }

    /// How its tokens are merged.
    pub fn splits(&self) -> &Splits {
        &self.splits
    }

    /// The bytes, a bit each, that no token stands for: texts that have one of them are not spelled.
    pub fn lacking(&self) -> [u64; 4] {
        self.lacking
    }

    /// How it cuts texts.
    pub(super) fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// The tokens of a text; `None` if no token spells some character of it.
    pub fn encode(&self, text: &str) -> Option<Vec<TokenId>> {
        let prefix = self.cuts.prefix.filter(|_| !text.is_empty());
        let text: Cow<'_, str> = if prefix.is_none() && self.cuts.space.is_none() {
            Cow::Borrowed(text)
        } else {
            prefix.into_iter().chain(text.chars().map(|c| if self.cuts.space == Some(c) { ' ' } else { c })).collect()
        };
        let (mut tokens, mut start, mut at) = (Vec::new(), 0, 0);
        while let Some(c) = text[at..].chars().next() {
            if let Some((word, token)) = self.word_at(&text.as_bytes()[at..]) {
                self.encode_segment(&text[start..at], &mut tokens)?;
                tokens.push(token);
                at += word;
                start = at;
            } else {
                at += c.len_utf8();
            }
        }
        self.encode_segment(&text[start..], &mut tokens)?;
        Some(tokens)
    }

    /// The tokens of a text without words.
    fn encode_segment(&self, text: &str, tokens: &mut Vec<TokenId>) -> Option<()> {
        let shared = self.pieces();
        let Some(mut pieces) = shared.as_ref().map(|pieces| lock(pieces)) else {
            tokens.extend(self.splits.encode(text)?);
            return Some(());
        };
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(pieces.boundaries.piece(rest));
            // Most pieces are tokens.
            let is_written =
                |&token: &TokenId| self.splits.is_self_canonical(token) || pieces.boundaries.wholes().is_whole(token);
            match self.splits.token(piece.as_bytes()).filter(is_written) {
                Some(token) => tokens.push(token),
                None => tokens.extend(self.splits.encode(piece)?),
            }
            rest = after;
        }
        Some(())
    }

    /// The length of the word that a text begins with, and its token.
    fn word_at(&self, text: &[u8]) -> Option<(usize, TokenId)> {
        let found = self.words.iter().find(|(word, _)| text.starts_with(word));
        found.map(|(word, token)| (word.len(), *token))
    }

    /// The bytes of a token, which may be a word.
    pub(super) fn spelled(&self, token: TokenId) -> (&[u8], bool) {
        let word = self.words.iter().find(|&&(_, of)| of == token);
        word.map_or_else(|| (self.splits.spelled(token), false), |(word, _)| (word, true))
    }

    /// Whether the tokens are what this tokenizer makes of the text that they spell.
    pub fn is_canonical(&self, tokens: impl IntoIterator<Item = TokenId>) -> bool {
        let (mut text, mut words) = (Vec::new(), Vec::new());
        let tokens = tokens.into_iter().inspect(|&token| {
            let (spelled, is_word) = self.spelled(token);
            words.extend(is_word.then_some((text.len(), token)));
            text.extend_from_slice(spelled);
        });
        let ends = self.read(tokens).is_some_and(|reader| reader.may_end());
        let is_prefix_alone = self.cuts.prefix.is_some_and(|prefix| text == prefix.encode_utf8(&mut [0; 4]).as_bytes());
        let is_text = self.cuts.pattern.is_some() || std::str::from_utf8(&text).is_ok();
        ends && is_text && !is_prefix_alone && self.words_in(&text) == words
    }

    /// Whether some tokens are the beginning of what this tokenizer makes of some text, as far as these tokens tell: it is
    /// not looked whether a token exists that can follow. Words are not looked for.
    pub fn is_viable_prefix(&self, tokens: impl IntoIterator<Item = TokenId>) -> bool {
        self.read(tokens).is_some()
    }

    /// Reads tokens; `None` if this tokenizer never writes them in this order.
    fn read(&self, tokens: impl IntoIterator<Item = TokenId>) -> Option<Reader<'_>> {
        let mut reader = Reader::new(self);
        tokens.into_iter().try_for_each(|token| reader.accept(token))?;
        Some(reader)
    }

    /// All tokens after which some tokens are still a viable prefix; none if they are none themselves.
    pub fn next_tokens(&self, tokens: impl IntoIterator<Item = TokenId>) -> Vec<TokenId> {
        self.read(tokens).map_or(Vec::new(), |reader| reader.next_tokens())
    }

    /// Whether a text begins as all texts do.
    pub(super) fn has_prefix(&self, text: &[u8]) -> bool {
        self.cuts.prefix.is_none_or(|prefix| text.starts_with(prefix.encode_utf8(&mut [0; 4]).as_bytes()))
    }

    pub(super) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// How the character that a state is inside of is completed, found if it is not known.
    pub(super) fn completion(&self, state: StateId, find: impl FnOnce() -> Option<Completion>) -> Option<Completion> {
        let mut known = lock(&self.completions);
        if known.len() >= MOST_COMPLETIONS {
            known.clear();
        }
        known.entry(state).or_insert_with(find).clone()
    }

    /// The ids of all words.
    pub(super) fn words(&self) -> impl Iterator<Item = TokenId> + use<'_> {
        self.words.iter().map(|&(_, token)| token)
    }

    /// The bytes that a text may begin with whatever comes later: all but the first of the character that stands for a
    /// space, which is never written itself.
    pub(super) fn free_at_start(&self) -> [u64; 4] {
        let mut bytes = [u64::MAX; 4];
        if let Some(space) = self.cuts.space {
            let first = space.encode_utf8(&mut [0; 4]).as_bytes()[0];
            bytes[usize::from(first) / 64] &= !(1 << (first % 64));
        }
        bytes
    }

    /// The same after a token: all of these but the first bytes of tokens that are incompatible with it.
    pub(super) fn free_after(&self, last: TokenId) -> [u64; 4] {
        let mut known = lock(&self.free);
        if known.len() >= MOST_FREE {
            known.clear();
        }
        *known.entry(last).or_insert_with(|| {
            let mut bytes = self.free_at_start();
            for interval in self.pairs.intervals_after(&self.splits, last) {
                for &byte in self.first_of_symbols(self.pairs.tokens(interval)) {
                    bytes[usize::from(byte) / 64] &= !(1 << (byte % 64));
                }
            }
            bytes
        })
    }

    /// The first bytes of the tokens of an interval; one byte if all of them begin with the same symbol, which they do if the
    /// first and the last one do.
    fn first_of_symbols<'s>(&'s self, interval: &'s [TokenId]) -> impl Iterator<Item = &'s u8> {
        let symbol = |token: Option<&TokenId>| token.and_then(|&token| self.splits.left_spine(token).last());
        let are_alike = symbol(interval.first()) == symbol(interval.last());
        let tokens = if are_alike { &interval[..interval.len().min(1)] } else { interval };
        tokens.iter().filter_map(|&token| self.splits.spelled(token).first())
    }

    /// Whether a character is the one that stands for a space.
    pub(super) fn is_space(&self, character: &str) -> bool {
        self.cuts.space.is_some_and(|space| character.starts_with(space))
    }

    /// The pieces of a new text; `None` where a text is one piece.
    pub fn pieces(&self) -> Option<SharedPieces> {
        self.shelf.as_ref().map(Shelf::pieces)
    }

    /// Where all tokens lead from a state, where a text is one piece.
    pub(super) fn moves_in_text(&self, state: StateId, after: impl Fn(TokenId) -> Option<StateId>) -> Arc<Moves> {
        let mut known = lock(&self.moves);
        Arc::clone(known.entry(state).or_insert_with(|| Arc::new(Moves::in_text(&self.splits, after))))
    }

    /// Where a text is one piece: which tokens may come at places that were asked about, locked.
    pub(super) fn beginnings(&self) -> MutexGuard<'_, Beginnings> {
        lock(&self.beginnings)
    }

    /// Whether a token is a word.
    pub(super) fn is_word(&self, token: TokenId) -> bool {
        self.word_ids.contains(&token)
    }

    /// Whether a token may follow another one in the same piece.
    pub fn may_follow(&self, left: TokenId, right: TokenId) -> bool {
        let is_written = |token| self.splits.is_self_canonical(token);
        is_written(left) && is_written(right) && self.pairs.are_compatible(&self.splits, left, right)
    }

    /// Whether a token may continue the piece of the last one: after none, and after a word, nothing tells that it may
    /// not.
    #[inline]
    pub fn may_continue(&self, last: Option<TokenId>, token: TokenId) -> bool {
        let is_known = (token as usize) < self.splits.len(); // control tokens may lie after all tokens that spell
        last.filter(|_| is_known).is_none_or(|last| self.pairs.are_compatible(&self.splits, last, token))
    }

    /// Takes the tokens out of a row of bits that cannot continue the piece of the last one.
    pub fn clear_incompatible(&self, last: Option<TokenId>, row: &mut [u32]) {
        let Some(last) = last else { return };
        let intervals = || self.pairs.intervals_after(&self.splits, last);
        let tokens = || intervals().flat_map(|interval| self.pairs.tokens(interval));
        if intervals().map(|(first, end)| end - first).sum::<u32>() <= MANY {
            for &token in tokens() {
                if let Some(word) = row.get_mut(token as usize / 32) {
                    *word &= !(1 << (token % 32));
                }
            }
            return;
        }
        let mut kept = lock(&self.incompatible);
        if kept.len() >= MOST_INCOMPATIBLE && !kept.contains_key(&last) {
            kept.clear();
        }
        let incompatible = kept.entry(last).or_insert_with(|| {
            let mut all = vec![0; self.splits.len().div_ceil(32)];
            tokens().for_each(|&token| all[token as usize / 32] |= 1_u32 << (token % 32));
            all.into()
        });
        row.iter_mut().zip(incompatible.iter()).for_each(|(word, incompatible)| *word &= !incompatible);
    }

    /// The merges that make tokens, in order: left, right, and what they make.
    pub fn table(&self) -> Vec<(TokenId, TokenId, TokenId)> {
        let made = |token: TokenId| self.splits.split(token).map(|(left, right)| (left, right, token));
        let mut table: Vec<_> = (0..self.splits.len() as TokenId).filter_map(made).collect();
        table.sort_by_key(|&(_, _, token)| self.splits.priority(token));
        table
    }

    /// Where words are in a text, and which.
    fn words_in(&self, text: &[u8]) -> Vec<(usize, TokenId)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() && !self.words.is_empty() {
            let word = self.word_at(&text[at..]);
            found.extend(word.map(|(_, token)| (at, token)));
            at += word.map_or(1, |(length, _)| length);
        }
        found
    }
}

/// Words are texts and ids of their own.
fn check_words(words: &[(String, TokenId)], description: &Description) -> Result<()> {
    let count = description.tokens.len();
    let is_spelled =
        |token: TokenId| token as usize >= count || description.tokens.get(token as usize).is_some_and(Option::is_some);
    let mut ids: Vec<TokenId> = words.iter().map(|&(_, token)| token).collect();
    let mut texts: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
    ids.sort_unstable();
    texts.sort_unstable();
    let is_twice = ids.windows(2).any(|pair| pair[0] == pair[1]) || texts.windows(2).any(|pair| pair[0] == pair[1]);
    if is_twice || texts.first() == Some(&"") || ids.iter().any(|&token| is_spelled(token)) {
        return Err(Error::vocabulary("words: each is a text of its own, with an id that spells nothing else"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::splits::Order;
    use super::*;

    /// The patterns of tokenizers in use.
    const PATTERNS: [&str; 4] = [
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"[\p{L}&&[a-z]]+(?i:'s|'t)?|[A-Z]+[a-z]*(?i:'s|'t)?|\p{N}{1,3}|\s*[\r\n]+|\s+(?!\S)|\s+|[^A-Za-z\p{N}\s]",
    ];

    const LETTERS: [&str; 14] = ["a", "s", "T", "'", " ", "\n", "1", "é", "日", "-", "/", "'s", "  ", "\u{301}"];

    /// A small generator: the same tests every time.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    /// Merges of pairs that are frequent in random texts, as tokenizers are trained.
    fn trained(random: &mut Random, merges: usize) -> Description {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        while tokens.len() < 256 + merges {
            let text: String = (0..6).map(|_| LETTERS[random.below(LETTERS.len())]).collect();
            let pieces = Splits::new(&ranked(tokens.clone())).unwrap().encode(&text).unwrap();
            let at = random.below(pieces.len().max(2) - 1);
            if let [left, right] = pieces[at..(at + 2).min(pieces.len())] {
                tokens.push([tokens[left as usize].as_slice(), &tokens[right as usize]].concat());
            }
        }
        ranked(tokens)
    }

    /// Tokens that are merged in this order.
    fn ranked(tokens: Vec<Vec<u8>>) -> Description {
        let order = Order::Priorities((0..tokens.len() as u32).collect());
        let tokens = tokens.into_iter().map(Some).collect();
        Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order }
    }

    fn cut_by(pattern: &str) -> Cuts {
        Cuts { pattern: Some(pattern.into()), ..Cuts::default() }
    }

    /// A sequence is canonical just if the encoder makes it of its text; without pieces, and without pairs, that is not
    /// so.
    #[test]
    fn what_is_canonical_is_what_the_encoder_writes() {
        let mut random = Random(3);
        let (mut canonical, mut by_pairs_alone) = (0, 0);
        for round in 0..24 {
            let merges = Merges::new(&trained(&mut random, 40), &cut_by(PATTERNS[round % 4])).unwrap();
            for _ in 0..400 {
                let text: String = (0..random.below(7)).map(|_| LETTERS[random.below(LETTERS.len())]).collect();
                let tokens = match random.below(3) {
                    0 => merges.encode(&text).unwrap(),
                    1 => text.chars().flat_map(|c| merges.encode(&c.to_string()).unwrap()).collect(),
                    _ => (0..random.below(5)).map(|_| 256 + random.below(40) as u32).collect(),
                };
                let bytes: Vec<u8> = tokens.iter().flat_map(|&token| merges.splits.spelled(token)).copied().collect();
                let is_written =
                    std::str::from_utf8(&bytes).is_ok_and(|text| merges.encode(text).as_deref() == Some(&tokens));
                assert_eq!(merges.is_canonical(tokens.iter().copied()), is_written, "{round}: {tokens:?} {bytes:?}");
                canonical += usize::from(is_written);
                let pairs = tokens.windows(2).all(|pair| merges.pairs.are_compatible(&merges.splits, pair[0], pair[1]));
                by_pairs_alone += usize::from(pairs != is_written);
            }
        }
        assert!((3_000..7_000).contains(&canonical) && by_pairs_alone > 300, "{canonical} {by_pairs_alone}");
    }

    /// What can still be continued, and what is written so far, are two things.
    #[test]
    fn spaces_before_a_word_are_cut_when_it_comes() {
        let tokens = (0..=255_u8).map(|byte| vec![byte]).chain([b"  ".to_vec(), b" x".to_vec(), b"   ".to_vec()]);
        let merges = Merges::new(&ranked(tokens.collect()), &cut_by(PATTERNS[0])).unwrap();
        assert_eq!([merges.encode("   x"), merges.encode("   y")], [Some(vec![256, 257]), Some(vec![256, 32, 121])]);
        let is_canonical = |tokens: &[TokenId]| merges.is_canonical(tokens.iter().copied());
        assert!(is_canonical(&[256]) && is_canonical(&[256, 32, 121]) && is_canonical(&[258]));
        assert!(!is_canonical(&[256, 32]), "three spaces at the end are one token");
        let mut reader = merges.read([256, 32]).unwrap();
        assert!(!reader.may_end() && reader.accept(121).is_some());
    }

    /// A pattern with very many states: while one thread reads, others make room, and all answers stay right.
    #[test]
    fn readers_do_not_lose_their_state() {
        let bytes = (0..=255_u8).map(|byte| vec![byte]).collect();
        let merges = Merges::new(&ranked(bytes), &cut_by(r"[ab]*a[ab]{16}c|[\s\S]")).unwrap();
        std::thread::scope(|scope| {
            for seed in 1..4 {
                let merges = &merges;
                scope.spawn(move || {
                    let mut random = Random(seed);
                    let text: String = (0..4_000).map(|_| ["a", "b"][random.below(2)]).collect();
                    let tokens = merges.encode(&text).unwrap();
                    assert!(merges.is_canonical(tokens.iter().copied()));
                });
            }
        });
    }

    /// Patterns that cannot be followed are refused, and say why.
    #[test]
    fn what_cannot_be_followed_is_refused() {
        let refused = [
            (r"\w+", "alone is not a piece"),
            (r"\s*|\S", "matches the empty text"),
            (r"\s++(?!\S)|\s|\S", "possessive"),
            (r"(?=a)b|(?s:.)", "not read"),
            (r"(?:\s+(?!\S)|x)y|\s|\S", "not at the end"),
            (r"a*?|\s|\S", "as little as they can"),
            (r"(?<=a)b|\s|\S", "not read"),
            (r"\bx|\s|\S", "not read"),
            (r"[a--b]|\s|\S", "not read"),
            (r"x(?:|a)*|\s|\S", "may be empty"),
            (r"[!--]|\s|\S", "not read"),
            (r"\x+4|\s|\S", "code point"),
            (r"x{9999}|\s|\S", "count"),
            (r"(\s", "parenthesis"),
        ];
        let deep = "[".repeat(100_000);
        let refused = refused.into_iter().chain([(deep.as_str(), "too deep")]);
        for (pattern, what) in refused {
            let bytes = (0..=255_u8).map(|byte| vec![byte]).collect();
            let error = Merges::new(&ranked(bytes), &cut_by(pattern)).unwrap_err();
            assert!(error.message.contains(what), "{pattern}: {error}");
        }
    }
}
