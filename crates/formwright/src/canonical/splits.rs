//! Byte-pair merges: what an encoder makes of the bytes of one piece.
//!
//! ```text
//! a 0   b 1   c 2   ab 3   bc 4   abc 5        abc -> ab+c -> abc        bcab -> bc|ab
//! ```
//!
//! A piece consists of symbols, its bytes or its characters. Again and again the adjacent pair of the least priority is
//! merged, of equal ones the leftmost (Sennrich, Haddow and Birch 2016). Some tokenizers merge any pair whose concatenation
//! is a token, by the priority of that token; others have a list of pairs.
//!
//! The last merge that makes a token is its *split*: a left and a right part. A token that an encoder makes of its own
//! bytes is *self-canonical*; no other token comes out of an encoder.
//!
//! Cost: a heap of pairs; each merge looks up two new ones. A split is found by merging, not by looking for two
//! tokens that concatenate: most tokens have several such pairs, and one of them is made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// A token id.
pub type TokenId = u32;

/// No token.
pub const NONE: TokenId = u32::MAX;

/// In place of the split of a symbol.
const SYMBOL: (TokenId, TokenId) = (NONE, 0);

/// What a piece consists of before anything is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// Its bytes.
    Bytes,
    /// Its characters; of those that are not tokens, the bytes, which are never merged.
    Characters,
}

/// Which pairs may merge, and when.
#[derive(Debug)]
enum Rule {
    /// Those that concatenate to a token, by the priority of that token.
    Ranks,
    /// Those listed, in that order: by pair, its place and what it makes.
    List(FxHashMap<(TokenId, TokenId), (u32, TokenId)>),
}

/// How the tokens of a vocabulary are merged.
#[derive(Debug)]
pub struct Splits {
    symbols: Symbols,
    rule: Rule,
    by_bytes: FxHashMap<Box<[u8]>, TokenId>,
    /// By token: its bytes; one byte for those that stand for the byte of a character.
    spelled: Box<[Box<[u8]>]>,
    /// By token: when its last merge comes; less is sooner. [`u32::MAX`] where nothing is merged to it.
    priorities: Box<[u32]>,
    /// By byte: the token of it, or of the byte of a character that is not a token; [`NONE`] where there is none.
    bytes: Box<[TokenId; 256]>,
    /// By token: its split; [`SYMBOL`] for symbols, [`NONE`] twice for what no merges make.
    parts: Box<[(TokenId, TokenId)]>,
}

/// A vocabulary, and how its tokens are merged.
#[derive(Clone, Debug)]
pub struct Description {
    /// The bytes of each token; `None` for ids that are not part of the merges.
    pub tokens: Vec<Option<Vec<u8>>>,
    /// What a piece consists of.
    pub symbols: Symbols,
    /// By byte: the token that stands for it where a character is not a token. Not looked at if `symbols` are bytes.
    pub fallback: Vec<Option<TokenId>>,
    /// Which pairs merge.
    pub order: Order,
}

impl Description {
    fn check(&self) -> Result<()> {
        if let Order::Priorities(all) = &self.order
            && (all.len() != self.tokens.len() || all.contains(&u32::MAX))
        {
            let what = format!("{} priorities below {} are needed, one for each token", self.tokens.len(), u32::MAX);
            return Err(Error::vocabulary(what));
        }
        let mut stands_for: Vec<TokenId> = self.fallback.iter().copied().flatten().collect();
        stands_for.sort_unstable();
        let is_free = |token: TokenId| self.tokens.get(token as usize).is_some_and(Option::is_none);
        if stands_for.windows(2).any(|pair| pair[0] == pair[1]) || !stands_for.iter().all(|&token| is_free(token)) {
            return Err(Error::vocabulary(
                "each byte has a token of its own to stand for it, which spells nothing else",
            ));
        }
        Ok(())
    }
}

/// Which pairs merge, and when.
#[derive(Clone, Debug)]
pub enum Order {
    /// Those that concatenate to a token, by its priority; less is sooner.
    Priorities(Vec<u32>),
    /// Left, right and what they make, in this order.
    List(Vec<(TokenId, TokenId, TokenId)>),
}

impl Splits {
    /// Finds how each token is merged.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`] when a symbol is not a token, two tokens have the same bytes, or the merges contradict the
    /// tokens.
    pub fn new(description: &Description) -> Result<Self> {
        let mut splits = Self::of_symbols(description)?;
        splits.find(&description.tokens)?;
        Ok(splits)
    }

    /// The same, if it is known already of which two each token is merged; [`NONE`] twice for the others.
    ///
    /// # Errors
    /// As [`Splits::new`]; [`crate::Kind::Vocabulary`] where the parts of a token are not merged to it.
    pub fn with_parts(description: &Description, parts: &[(TokenId, TokenId)]) -> Result<Self> {
        let mut splits = Self::of_symbols(description)?;
        for (token, &(left, right)) in (0..).zip(parts).filter(|(_, part)| **part != (NONE, NONE)) {
            let priority = splits.merge_of(left, right, token).filter(|_| !splits.is_symbol(token));
            let priority = priority
                .ok_or_else(|| Error::vocabulary(format!("token {token} is not merged from {left} and {right}")))?;
            splits.priorities[token as usize] = priority;
            splits.parts[token as usize] = (left, right);
        }
        Ok(splits)
    }

    /// When two tokens are merged to a third one, if they are.
    fn merge_of(&self, left: TokenId, right: TokenId, made: TokenId) -> Option<u32> {
        let is_token =
            |token: TokenId| !self.spelled(token).is_empty() && self.token(self.spelled(token)) == Some(token);
        let fits = self.spelled(made).strip_prefix(self.spelled(left)) == Some(self.spelled(right));
        if !fits || ![left, right, made].into_iter().all(is_token) {
            return None;
        }
        match &self.rule {
            Rule::Ranks => Some(self.priorities[made as usize]),
            Rule::List(merges) => {
                merges.get(&(left, right)).filter(|&&(_, token)| token == made).map(|&(place, _)| place)
            }
        }
    }

    /// What it was made of.
    pub(super) fn description(&self) -> Description {
        let bytes = |token: TokenId| Some(self.spelled(token)).filter(|bytes| self.token(bytes) == Some(token));
        let tokens = (0..self.len() as TokenId).map(|token| bytes(token).map(<[u8]>::to_vec)).collect();
        let fallback = match self.symbols {
            Symbols::Bytes => Vec::new(),
            Symbols::Characters => self.bytes.iter().map(|&token| Some(token).filter(|&token| token != NONE)).collect(),
        };
        let order = match &self.rule {
            Rule::Ranks => Order::Priorities(self.priorities.to_vec()),
            Rule::List(merges) => {
                let mut list: Vec<_> =
                    merges.iter().map(|(&pair, &merge)| (merge.0, (pair.0, pair.1, merge.1))).collect();
                list.sort_unstable();
                Order::List(list.into_iter().map(|(_, merge)| merge).collect())
            }
        };
        Description { tokens, symbols: self.symbols, fallback, order }
    }

    /// The tokens, before it is known how they are merged.
    fn of_symbols(description: &Description) -> Result<Self> {
        let Description { tokens, symbols, fallback, order } = description;
        description.check()?;
        let mut by_bytes: FxHashMap<Box<[u8]>, TokenId> = FxHashMap::default();
        by_bytes.reserve(tokens.len());
        for (token, bytes) in (0..).zip(tokens).filter_map(|(id, bytes)| Some((id, bytes.as_ref()?))) {
            if let Some(other) = by_bytes.insert(bytes.as_slice().into(), token) {
                return Err(Error::vocabulary(format!("tokens {other} and {token} have the same bytes")));
            }
        }
        let bytes = byte_tokens(&by_bytes, *symbols, fallback)?;
        let mut parts: Box<[(TokenId, TokenId)]> = vec![(NONE, NONE); tokens.len()].into();
        let is_symbol = |bytes: &[u8]| match symbols {
            Symbols::Bytes => bytes.len() == 1,
            Symbols::Characters => std::str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1),
        };
        let single = by_bytes.iter().filter(|(bytes, _)| is_symbol(bytes)).map(|(_, &token)| token);
        single
            .chain(bytes.iter().copied().filter(|&token| token != NONE))
            .for_each(|token| parts[token as usize] = SYMBOL);
        let (rule, priorities) = rule(tokens, order)?;
        let mut spelled: Box<[Box<[u8]>]> =
            tokens.iter().map(|bytes| bytes.as_deref().unwrap_or_default().into()).collect();
        for (byte, token) in (0..=u8::MAX).zip(*bytes).filter(|&(_, token)| token != NONE) {
            spelled[token as usize] = [byte].into();
        }
        Ok(Self { symbols: *symbols, rule, by_bytes, spelled, priorities, bytes, parts })
    }

    /// Finds the split of each token, by merging its own bytes.
    fn find(&mut self, tokens: &[Option<Vec<u8>>]) -> Result<()> {
        let mut piece = Piece::default();
        for (token, bytes) in (0..).zip(tokens).filter_map(|(id, bytes)| Some((id, bytes.as_ref()?))) {
            if self.symbols == Symbols::Characters && !self.has_all_characters(bytes) {
                return Err(Error::vocabulary(format!("token {token} has a character that is not a token")));
            }
            if self.is_symbol(token) || piece.merge(self, bytes).as_deref() != Some(&[token]) {
                continue;
            }
            let ((left, right), priority) = (piece.last, piece.priority);
            self.priorities[token as usize] = priority;
            self.parts[token as usize] = (left, right);
        }
        Ok(())
    }

    fn has_all_characters(&self, bytes: &[u8]) -> bool {
        let is_token = |c: char| self.by_bytes.contains_key(c.encode_utf8(&mut [0; 4]).as_bytes());
        std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_token))
    }

    /// The bytes of a token; none of what is not part of the merges.
    pub fn spelled(&self, token: TokenId) -> &[u8] {
        self.spelled.get(token as usize).map_or(&[], |bytes| bytes)
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// The token of a byte string.
    pub fn token(&self, bytes: &[u8]) -> Option<TokenId> {
        self.by_bytes.get(bytes).copied()
    }

    /// The token of a byte, if there is one.
    pub fn byte_token(&self, byte: u8) -> Option<TokenId> {
        Some(self.bytes[usize::from(byte)]).filter(|&token| token != NONE)
    }

    /// The bytes, a bit each, that no token stands for; of characters, none.
    pub fn lacking(&self) -> [u64; 4] {
        let mut lacking = [0; 4];
        for byte in (0..256).filter(|&byte| self.symbols == Symbols::Bytes && self.bytes[byte] == NONE) {
            lacking[byte / 64] |= 1 << (byte % 64);
        }
        lacking
    }

    /// Whether a token is a symbol: nothing is merged to it.
    pub fn is_symbol(&self, token: TokenId) -> bool {
        self.parts.get(token as usize) == Some(&SYMBOL)
    }

    /// The byte that a token stands for where a character is not a token.
    pub fn fallback_byte(&self, token: TokenId) -> Option<u8> {
        let byte = || self.bytes.iter().position(|&of| of == token).map(|byte| byte as u8);
        (self.symbols == Symbols::Characters && self.is_symbol(token)).then(byte)?
    }

    /// The last merge that makes a token; `None` for symbols, and for what no merges make.
    pub fn split(&self, token: TokenId) -> Option<(TokenId, TokenId)> {
        let split = *self.parts.get(token as usize)?;
        (split.0 != NONE).then_some(split)
    }

    /// The priority of the last merge of a token; less is sooner.
    pub fn priority(&self, token: TokenId) -> u32 {
        self.priorities[token as usize]
    }

    /// A token, the right part of it, the right part of that, and so on.
    pub fn right_spine(&self, token: TokenId) -> impl Iterator<Item = TokenId> + use<'_> {
        std::iter::successors(Some(token), |&part| Some(self.split(part)?.1))
    }

    /// A token, the left part of it, the left part of that, and so on.
    pub fn left_spine(&self, token: TokenId) -> impl Iterator<Item = TokenId> + use<'_> {
        std::iter::successors(Some(token), |&part| Some(self.split(part)?.0))
    }

    /// Whether an encoder makes this one token of its bytes.
    pub fn is_self_canonical(&self, token: TokenId) -> bool {
        self.split(token).is_some() || self.is_symbol(token)
    }

    /// What merging makes of a piece; `None` if no token spells some character of it.
    pub fn encode(&self, piece: &str) -> Option<Vec<TokenId>> {
        self.encode_bytes(piece.as_bytes())
    }

    /// The same of bytes, which need not be whole characters if the symbols are bytes.
    pub(super) fn encode_bytes(&self, piece: &[u8]) -> Option<Vec<TokenId>> {
        Piece::default().merge(self, piece)
    }
}

/// The tokens that stand for single bytes. Of rare ones, control characters and such that begin a character, there may be
/// none: then texts with these are not spelled.
fn byte_tokens(
    by_bytes: &FxHashMap<Box<[u8]>, TokenId>,
    symbols: Symbols,
    fallback: &[Option<TokenId>],
) -> Result<Box<[TokenId; 256]>> {
    let is_rare = |byte: u8| byte.is_ascii_control() && !b"\t\n\r".contains(&byte) || byte >= 0xC0;
    let mut bytes = Box::new([NONE; 256]);
    for byte in 0..=u8::MAX {
        let token = match symbols {
            Symbols::Bytes => by_bytes.get([byte].as_slice()).copied(),
            Symbols::Characters => fallback.get(usize::from(byte)).copied().flatten(),
        };
        if token.is_none() && symbols == Symbols::Bytes && !is_rare(byte) {
            return Err(Error::vocabulary(format!("no token is the byte 0x{byte:02X}")));
        }
        bytes[usize::from(byte)] = token.unwrap_or(NONE);
    }
    Ok(bytes)
}

/// Which pairs merge, and the priorities of tokens, as far as these are given.
fn rule(tokens: &[Option<Vec<u8>>], order: &Order) -> Result<(Rule, Box<[u32]>)> {
    let list = match order {
        Order::Priorities(all) => {
            let priority = |token: usize| all.get(token).copied().unwrap_or(u32::MAX);
            return Ok((Rule::Ranks, (0..tokens.len()).map(priority).collect()));
        }
        Order::List(list) => list,
    };
    let mut merges = FxHashMap::default();
    merges.reserve(list.len());
    for (&(left, right, made), place) in list.iter().zip(0..) {
        let bytes = |token: TokenId| tokens.get(token as usize).and_then(Option::as_ref);
        let (Some(first), Some(second), Some(all)) = (bytes(left), bytes(right), bytes(made)) else {
            return Err(Error::vocabulary(format!("merge {place} is of tokens that spell nothing")));
        };
        if all.strip_prefix(first.as_slice()) != Some(second) {
            return Err(Error::vocabulary(format!("merge {place}: token {made} is not {left} and {right} together")));
        }
        merges.entry((left, right)).or_insert((place, made));
    }
    Ok((Rule::List(merges), vec![u32::MAX; tokens.len()].into()))
}

/// A piece that is being merged; its buffers serve many.
#[derive(Debug, Default)]
struct Piece {
    symbols: Vec<Symbol>,
    /// Pairs that may merge: priority, index of the left symbol, index after the right one, and what they make.
    pairs: BinaryHeap<Reverse<(u32, u32, u32, TokenId)>>,
    /// The tokens that were merged last, and when.
    last: (TokenId, TokenId),
    priority: u32,
}

/// A symbol, kept at the index of its first byte.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    /// [`NONE`] for a character that is not a token.
    token: TokenId,
    /// Where the one before it begins.
    before: u32,
    /// Where it ends; 0 if it was merged into the one before it.
    end: u32,
}

impl Piece {
    fn merge(&mut self, splits: &Splits, bytes: &[u8]) -> Option<Vec<TokenId>> {
        (self.last, self.priority) = ((NONE, NONE), 0);
        self.pairs.clear();
        self.begin(splits, bytes)?;
        let mut start = 0;
        while start < bytes.len() {
            self.consider(splits, bytes, start as u32);
            start = self.symbols[start].end as usize;
        }
        while let Some(Reverse(pair)) = self.pairs.pop() {
            self.merge_pair(splits, bytes, pair);
        }
        let (mut tokens, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let Symbol { token, end, .. } = self.symbols[at];
            if token == NONE {
                let all = bytes[at..end as usize].iter().map(|&byte| splits.bytes[usize::from(byte)]);
                tokens.extend(all);
            } else {
                tokens.push(token);
            }
            at = end as usize;
        }
        (!tokens.contains(&NONE)).then_some(tokens)
    }

    /// The symbols of some bytes; `None` if they are not characters and should be.
    fn begin(&mut self, splits: &Splits, bytes: &[u8]) -> Option<()> {
        self.symbols.clear();
        if splits.symbols == Symbols::Bytes {
            self.symbols.extend((0..).zip(bytes).map(|(at, &byte)| Symbol {
                token: splits.bytes[usize::from(byte)],
                before: u32::saturating_sub(at, 1),
                end: at + 1,
            }));
            return Some(());
        }
        self.symbols.resize(bytes.len(), Symbol { token: NONE, before: 0, end: 0 });
        let mut before = 0;
        for (at, c) in std::str::from_utf8(bytes).ok()?.char_indices() {
            let end = at + c.len_utf8();
            let token = splits.token(&bytes[at..end]).unwrap_or(NONE);
            self.symbols[at] = Symbol { token, before, end: end as u32 };
            before = at as u32;
        }
        Some(())
    }

    /// Adds the pair that begins at an index, if it may merge.
    fn consider(&mut self, splits: &Splits, bytes: &[u8], start: u32) {
        let left = self.symbols[start as usize];
        let Some(right) = self.symbols.get(left.end as usize) else { return };
        if left.token == NONE || right.token == NONE {
            return;
        }
        let found = match &splits.rule {
            Rule::Ranks => {
                let token = splits.token(&bytes[start as usize..right.end as usize]);
                token.map(|token| (splits.priorities[token as usize], token))
            }
            Rule::List(merges) => merges.get(&(left.token, right.token)).copied(),
        };
        self.pairs.extend(found.map(|(priority, token)| Reverse((priority, start, right.end, token))));
    }

    /// Merges a pair, unless one of its symbols was merged otherwise.
    fn merge_pair(&mut self, splits: &Splits, bytes: &[u8], (priority, start, end, token): (u32, u32, u32, TokenId)) {
        let left = self.symbols[start as usize];
        let Some(right) = self.symbols.get(left.end as usize).copied() else { return };
        if left.end == 0 || right.end != end {
            return;
        }
        (self.last, self.priority) = ((left.token, right.token), priority);
        self.symbols[left.end as usize].end = 0;
        self.symbols[start as usize] = Symbol { token, end, ..left };
        if let Some(after) = self.symbols.get_mut(end as usize) {
            after.before = start;
            self.consider(splits, bytes, start);
        }
        if start > 0 {
            self.consider(splits, bytes, left.before);
        }
    }
}
