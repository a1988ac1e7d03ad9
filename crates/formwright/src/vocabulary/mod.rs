//! What each token id spells.
//!
//! ```text
//! 12 "a"   13 " \"name"   14 "</s>", special     plain tree: a, ␣"name        stripped tree: a, "name after the run ␣
//! ```
//!
//! A [`Vocabulary`] keeps the tokens twice as prefix trees: as they are, and with leading JSON whitespace stripped,
//! because "optional whitespace, then X" would otherwise walk every run of whitespace before every X.
//!
//! Cost: a sort, a merge and a few passes, about 50 ms for 131k tokens, 11 MB. A control token spells a letter of
//! its own ([`letter`]), which no character is written with: a mask allows it only where a form names it. Tokens that
//! hold the byte of such letters, and ids without bytes, are in neither tree, so that no mask ever allows them; nor ids
//! from `len` to `logits_size`, the padding of the model.

pub mod kinds;
pub mod shapes;
pub mod stored;
mod trie;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

pub use shapes::Shapes;
pub use trie::{Children, NONE, NodeIndex, Trie, TrieNode};

pub use crate::bytes::CONTROL;
use crate::bytes::Digest;
use crate::error::{Error, Result};
use crate::regular::ByteSet;

/// Id of a token.
pub type TokenId = u32;

/// Longest token, in bytes, that is representable.
const LONGEST: usize = 4_096;

/// Largest width of a row of logits.
const WIDEST: usize = 1 << 24;

/// The letter of the control token of a name: the name, between two bytes that no character is written with.
pub fn letter(name: &str) -> Vec<u8> {
    [&[CONTROL], name.as_bytes(), &[CONTROL]].concat()
}

/// What each token id spells. Immutable.
#[derive(Debug)]
pub struct Vocabulary {
    bytes: Vec<u8>,
    /// Token `i` is `bytes[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<u32>,
    eos: Vec<TokenId>,
    special: IndexMap<String, TokenId>,
    /// Control tokens that do not end a text, ascending.
    controls: Vec<TokenId>,
    logits_size: usize,
    plain: Trie,
    shapes: Shapes,
    spelled: Box<[u32]>,
    stripped: Stripped,
    longest: usize,
    /// The bytes, a bit each, that are not tokens by themselves.
    lacking: [u64; 4],
    fingerprint: Digest,
}

/// The tokens with their leading whitespace split off.
#[derive(Debug)]
pub struct Stripped {
    /// What follows the whitespace; items are positions in `entries`.
    pub trie: Trie,
    /// `(run, token)` of each item.
    pub entries: Vec<(u16, TokenId)>,
    /// Distinct runs of leading whitespace; run 0 is empty.
    pub runs: Vec<Box<[u8]>>,
    /// Tokens that are whitespace only: `(run, token)`.
    pub whitespace_only: Vec<(u16, TokenId)>,
}

/// JSON whitespace.
pub const WHITESPACE: ByteSet = ByteSet::of(b" \t\n\r");

/// Whether `byte` is JSON whitespace.
pub fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl Vocabulary {
    /// Builds from the bytes of every token id; empty bytes for ids that spell nothing.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`], saying what was seen.
    pub fn new(
        tokens: &[impl AsRef<[u8]>],
        eos: &[TokenId],
        special: IndexMap<String, TokenId>,
        logits_size: Option<usize>,
    ) -> Result<Self> {
        let logits_size = logits_size.unwrap_or(tokens.len());
        let mut eos = eos.to_vec();
        eos.sort_unstable();
        eos.dedup();
        check(tokens, &eos, &special, logits_size)?;
        let (bytes, offsets) = flatten(tokens, &eos, &special);
        let mut controls: Vec<TokenId> = special.values().copied().filter(|id| !eos.contains(id)).collect();
        controls.sort_unstable();
        let mut vocabulary = Self {
            bytes,
            offsets,
            eos,
            special,
            controls,
            logits_size,
            plain: Trie::new(&[]),
            shapes: Shapes::new(&Trie::new(&[])),
            spelled: Box::default(),
            stripped: Stripped {
                trie: Trie::new(&[]),
                entries: Vec::new(),
                runs: Vec::new(),
                whitespace_only: Vec::new(),
            },
            longest: 0,
            lacking: [0; 4],
            fingerprint: Digest::default(),
        };
        vocabulary.index()?;
        Ok(vocabulary)
    }

    fn index(&mut self) -> Result<()> {
        let sorted = self.sorted();
        if sorted.iter().all(|&(_, token)| self.is_control(token)) {
            return Err(Error::vocabulary("vocabulary: no token spells anything"));
        }
        let longest = sorted.iter().map(|(bytes, _)| bytes.len()).max().unwrap_or(0);
        let plain = Trie::new(&sorted).with_kinds(&kinds::ascii_table());
        let stripped = Stripped::new(&sorted)?;
        let shapes = Shapes::new(&plain);
        let mut spelled = vec![0; self.mask_words()].into_boxed_slice();
        for &(_, token) in &sorted {
            spelled[token as usize / 32] |= 1 << (token % 32);
        }
        self_test(&plain, &sorted)?;
        (self.longest, self.plain, self.shapes, self.stripped) = (longest, plain, shapes, stripped);
        self.spelled = spelled;
        let is_token = |byte| self.plain.child(0, byte).is_some_and(|child| !self.plain.items_at(child).is_empty());
        for byte in (0..CONTROL).filter(|&byte| !is_token(byte)) {
            self.lacking[usize::from(byte) / 64] |= 1 << (byte % 64);
        }
        self.fingerprint = self.digest();
        Ok(())
    }

    /// Every token that may be written, by its bytes, then by its id.
    fn sorted(&self) -> Vec<(&[u8], TokenId)> {
        let is_writable =
            |&id: &TokenId| !self.token(id).is_empty() && (self.is_control(id) || !self.token(id).contains(&CONTROL));
        let spelled = (0..self.len() as TokenId).filter(is_writable);
        let sorted = in_order(spelled, |&id| self.token(id));
        sorted.map(|id| (self.token(id), id)).collect()
    }

    /// Number of token ids the tokenizer has.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The bytes of a token, the letter of a control token; empty for those that end a text and for unknown ids.
    pub fn token(&self, id: TokenId) -> &[u8] {
        let id = id as usize;
        if id >= self.len() {
            return &[];
        }
        &self.bytes[self.offsets[id] as usize..self.offsets[id + 1] as usize]
    }

    /// Every id that ends a text, ascending.
    pub fn eos(&self) -> &[TokenId] {
        &self.eos
    }

    /// Control tokens by name.
    pub fn special(&self) -> &IndexMap<String, TokenId> {
        &self.special
    }

    /// Whether a token is a control token that does not end a text.
    pub fn is_control(&self, id: TokenId) -> bool {
        self.controls.binary_search(&id).is_ok()
    }

    /// The name of a control token that a form may ask for.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`] for the id of another token, and for that of none.
    pub fn control_name(&self, id: TokenId) -> Result<&str> {
        if let Some((name, _)) = self.special.iter().find(|&(name, &own)| own == id && self.has_letter(name)) {
            return Ok(name);
        }
        let (what, instead) = match self.token(id) {
            _ if id as usize >= self.len() => {
                (format!("the vocabulary has no token {id}"), format!("the ids go from 0 to {}", self.len() - 1))
            }
            _ if self.eos.contains(&id) => {
                (format!("the token {id} ends a text"), "leave it out: it may come wherever a text may end".to_owned())
            }
            text => {
                let what = format!("the token {id} is '{}', not a control token", text.escape_ascii());
                let instead = "a grammar says what is written, not how it is cut into tokens: write the text in quotes";
                (what, instead.to_owned())
            }
        };
        Err(Error::vocabulary(what).hint(instead))
    }

    /// Whether there is a control token of this name that a form may ask for.
    pub fn has_letter(&self, name: &str) -> bool {
        self.special.get(name).is_some_and(|&id| self.is_control(id) && self.token(id) == letter(name))
    }

    /// Width of a row of logits.
    pub fn logits_size(&self) -> usize {
        self.logits_size
    }

    /// 32-bit words in a row of a mask.
    pub fn mask_words(&self) -> usize {
        self.logits_size.div_ceil(32)
    }

    /// The tokens as they are; items are token ids.
    pub fn plain(&self) -> &Trie {
        &self.plain
    }

    /// Every token that spells something, as a row of a mask.
    pub fn spelled(&self) -> &[u32] {
        &self.spelled
    }

    /// The tokens by their shape.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// The tokens without their leading whitespace.
    pub fn stripped(&self) -> &Stripped {
        &self.stripped
    }

    /// Bytes of the longest token.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether each of the 256 bytes is a token by itself.
    pub fn has_every_byte(&self) -> bool {
        self.has_every_byte_but([0; 4])
    }

    /// The same of all bytes but some, a bit each.
    pub fn has_every_byte_but(&self, bytes: [u64; 4]) -> bool {
        self.lacking.iter().zip(bytes).all(|(lacking, but)| lacking & !but == 0)
    }

    /// The bytes that are tokens by themselves.
    pub fn spelled_bytes(&self) -> ByteSet {
        ByteSet::from_words(self.lacking.map(|lacking| !lacking))
    }

    /// SHA-256 of tokens, ends and width: equal exactly when masks mean the same.
    pub fn fingerprint(&self) -> &Digest {
        &self.fingerprint
    }
}

impl Stripped {
    fn new(sorted: &[(&[u8], TokenId)]) -> Result<Self> {
        let mut runs: Vec<Box<[u8]>> = vec![Box::default()];
        let mut ids: FxHashMap<&[u8], u16> = FxHashMap::default();
        let mut rests: Vec<(&[u8], (u16, TokenId))> = Vec::with_capacity(sorted.len());
        let split = |bytes: &[u8]| bytes.iter().position(|&byte| !is_whitespace(byte)).unwrap_or(bytes.len());
        rests.extend(sorted.iter().filter(|(bytes, _)| split(bytes) == 0).map(|&(bytes, token)| (bytes, (0, token))));
        for &(bytes, token) in sorted {
            let (run, rest) = bytes.split_at(split(bytes));
            if run.is_empty() {
                continue;
            }
            let id = if let Some(&id) = ids.get(run) {
                id
            } else {
                let id = u16::try_from(runs.len()).map_err(|_| {
                    Error::vocabulary("vocabulary: more than 65,535 different runs of leading whitespace")
                })?;
                runs.push(run.into());
                ids.insert(run, id);
                id
            };
            rests.push((rest, (id, token)));
        }
        // Tokens without leading whitespace are in order, and so are the tokens after each run: a merge is left to do.
        rests.sort();
        let (whitespace_only, rests) = rests.split_at(rests.partition_point(|(rest, _)| rest.is_empty()));
        let keyed: Vec<(&[u8], u32)> = rests.iter().zip(0..).map(|(&(rest, _), item)| (rest, item)).collect();
        let trie = Trie::new(&keyed).with_kinds(&kinds::ascii_table());
        let [whitespace_only, entries] =
            [whitespace_only, rests].map(|part| part.iter().map(|&(_, entry)| entry).collect());
        Ok(Self { trie, entries, runs, whitespace_only })
    }
}

fn check<T: AsRef<[u8]>>(
    tokens: &[T],
    eos: &[TokenId],
    special: &IndexMap<String, TokenId>,
    logits_size: usize,
) -> Result<()> {
    let sizes = || tokens.iter().map(|token| token.as_ref().len());
    if eos.is_empty() {
        return Err(Error::vocabulary("vocabulary: no end-of-text token")
            .hint("pass eos_token_ids: every id after which the model stops"));
    }
    if let Some(id) = eos.iter().find(|&&id| id as usize >= logits_size) {
        return Err(Error::vocabulary(format!("vocabulary: end-of-text id {id} is outside the {logits_size} logits")));
    }
    if let Some((name, id)) = special.iter().find(|&(_, &id)| id as usize >= logits_size) {
        return Err(Error::vocabulary(format!(
            "vocabulary: special token {name:?} has id {id}, outside the {logits_size} logits"
        )));
    }
    if logits_size < tokens.len() {
        return Err(Error::vocabulary(format!(
            "vocabulary: logits_size is {logits_size}, but there are {} tokens",
            tokens.len()
        ))
        .hint("logits_size is the width of the model's output, at least the number of tokens"));
    }
    if logits_size > WIDEST {
        return Err(Error::vocabulary(format!("vocabulary: {logits_size} logits; at most {WIDEST} are representable")));
    }
    if let Some((id, size)) = sizes().enumerate().find(|&(_, size)| size > LONGEST) {
        let message = format!("vocabulary: token {id} has {size} bytes; at most {LONGEST} are representable");
        return Err(Error::vocabulary(message));
    }
    let total: usize = sizes().sum();
    if total > u32::MAX as usize {
        return Err(Error::vocabulary(format!(
            "vocabulary: {total} bytes in all tokens; at most 4 GiB are representable"
        )));
    }
    Ok(())
}

/// Items by their bytes, then by themselves.
///
/// Most tokens differ in their first 16 bytes. Compared as one number these need no look at the bytes themselves, which
/// are scattered over memory; so only the others pay for it.
pub(crate) fn in_order<'b, T: Copy + Ord>(
    items: impl Iterator<Item = T>,
    bytes: impl Fn(&T) -> &'b [u8],
) -> impl Iterator<Item = T> {
    let mut keyed: Vec<(u128, T)> = items.map(|item| (head(bytes(&item)), item)).collect();
    let by_bytes = |one: &T, other: &T| bytes(one).cmp(bytes(other)).then_with(|| one.cmp(other));
    keyed.sort_unstable_by(|(a, one), (b, other)| a.cmp(b).then_with(|| by_bytes(one, other)));
    keyed.into_iter().map(|(_, item)| item)
}

/// The first 16 bytes as a number that compares as they do; missing ones count as 0.
fn head(bytes: &[u8]) -> u128 {
    let mut head = [0; 16];
    let size = bytes.len().min(16);
    head[..size].copy_from_slice(&bytes[..size]);
    u128::from_be_bytes(head)
}

/// All bytes in one buffer. Ends spell nothing, other control tokens their letters; of several names, the first.
fn flatten(tokens: &[impl AsRef<[u8]>], eos: &[TokenId], special: &IndexMap<String, TokenId>) -> (Vec<u8>, Vec<u32>) {
    let mut letters: FxHashMap<TokenId, Vec<u8>> = FxHashMap::default();
    for (name, &id) in special {
        let letter = letter(name);
        letters.entry(id).or_insert(if letter.len() > LONGEST { Vec::new() } else { letter });
    }
    letters.extend(eos.iter().map(|&id| (id, Vec::new())));
    let mut bytes = Vec::new();
    let mut offsets = vec![0];
    for (token, id) in tokens.iter().zip(0..) {
        bytes.extend_from_slice(letters.get(&id).map_or(token.as_ref(), Vec::as_slice));
        offsets.push(bytes.len() as u32);
    }
    (bytes, offsets)
}

/// Spells every token again from the tree and compares.
fn self_test(trie: &Trie, sorted: &[(&[u8], TokenId)]) -> Result<()> {
    let mut path: Vec<u8> = Vec::new();
    let mut seen = 0;
    for (index, node) in trie.nodes().iter().enumerate() {
        if node.depth > 0 {
            path.truncate(usize::from(node.depth) - 1);
            path.push(node.byte);
        }
        for position in trie.items_at(index as NodeIndex) {
            if sorted[position] != (path.as_slice(), trie.items()[position]) {
                return Err(Error::vocabulary(format!(
                    "vocabulary: token {} does not round-trip",
                    trie.items()[position]
                )));
            }
            seen += 1;
        }
    }
    if seen == sorted.len() { Ok(()) } else { Err(Error::vocabulary("vocabulary: some tokens are lost in the tree")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(words: &[&str]) -> Vec<Vec<u8>> {
        words.iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn whitespace_is_stripped_into_runs() {
        let v = Vocabulary::new(&tokens(&["", " \"a", "\"a", "  ", "\n"]), &[0], IndexMap::new(), Some(40)).unwrap();
        let stripped = v.stripped();
        assert_eq!(stripped.whitespace_only.len(), 2);
        let quote = stripped.trie.child(0, b'"').unwrap();
        let a = stripped.trie.child(quote, b'a').unwrap();
        let mut below: Vec<TokenId> = stripped.trie.items_at(a).map(|item| stripped.entries[item].1).collect();
        below.sort_unstable();
        assert_eq!(below, [1, 2]);
        assert_eq!((v.mask_words(), v.longest()), (2, 3));
    }

    #[test]
    fn controls_spell_letters_of_their_own_and_ends_nothing() {
        let special = IndexMap::from_iter([("</s>".to_owned(), 0), ("<s>".to_owned(), 1), ("also".to_owned(), 1)]);
        let mut all = tokens(&["</s>", "<s>", "x"]);
        all.push(vec![b'y', CONTROL]);
        let v = Vocabulary::new(&all, &[0], special, None).unwrap();
        assert!(v.token(0).is_empty() && v.token(9).is_empty());
        assert_eq!((v.token(1), v.token(2), v.token(3)), (&letter("<s>")[..], &b"x"[..], &[b'y', CONTROL][..]));
        assert!(v.has_letter("<s>") && !v.has_letter("</s>") && !v.has_letter("also") && !v.has_letter("x"));
        assert_eq!(v.plain().items(), [2, 1]);
    }

    #[test]
    fn bad_vocabularies_say_why() {
        let bad = |tokens: &[Vec<u8>], eos: &[u32], width| {
            Vocabulary::new(tokens, eos, IndexMap::new(), width).unwrap_err().message
        };
        assert!(bad(&tokens(&["a"]), &[], None).contains("no end-of-text"));
        assert!(bad(&tokens(&["a"]), &[7], None).contains("id 7"));
        assert!(bad(&tokens(&["a", "b"]), &[0], Some(1)).contains("logits_size is 1"));
        assert!(bad(&tokens(&["", ""]), &[0], None).contains("no token spells"));
        assert!(bad(&tokens(&["", "</s>"]), &[1], None).contains("no token spells"), "an end spells nothing");
    }
}
