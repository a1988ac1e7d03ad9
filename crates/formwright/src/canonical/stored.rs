//! Merges as bytes, so that a server need not ask its tokenizer again.
//!
//! ```text
//! the pattern, and what its classes contain · prefix, space, words · tokens · what merges · how each token is merged
//! ```
//!
//! How a token is merged is stored, as finding it takes longest; what is read is checked against the tokens and the
//! merges, so that any bytes become sound merges or an error.
//!
//! Cost: 3 MB for 131k tokens, read in about a tenth of a second at most. Whether the merge that is stored for a
//! token is the last one that an encoder makes is believed.

use super::merges::{Cuts, Merges};
use super::pattern::Properties;
use super::splits::{Description, NONE, Order, Splits, Symbols, TokenId};
use crate::bytes::{Envelope, Reader, put, put_text};
use crate::error::{Kind, Result};

/// The envelope of merges.
pub const ENVELOPE: Envelope = Envelope { magic: *b"FWme", version: 1, name: "merges", kind: || Kind::Vocabulary };

impl Merges {
    /// These merges as bytes, for [`Merges::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        put_cuts(&mut body, self.cuts());
        put_description(&mut body, &self.splits().description());
        for token in 0..self.splits().len() as TokenId {
            let (left, right) = self.splits().split(token).unwrap_or((NONE, NONE));
            put(&mut body, left);
            put(&mut body, right);
        }
        ENVELOPE.seal(&body)
    }

    /// The merges that [`Merges::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Kind::Vocabulary`], saying what was seen; as [`Merges::new`].
    pub fn from_bytes(data: &[u8]) -> Result<Self> {
        let mut reader = ENVELOPE.open(data)?;
        let cuts = read_cuts(&mut reader)?;
        let description = read_description(&mut reader)?;
        let parts: Vec<(TokenId, TokenId)> = (0..description.tokens.len())
            .map(|_| Ok((reader.number("a left part")?, reader.number("a right part")?)))
            .collect::<Result<_>>()?;
        reader.done()?;
        Self::of_splits(Splits::with_parts(&description, &parts)?, &description, cuts)
    }
}

fn put_cuts(body: &mut Vec<u8>, cuts: &Cuts) {
    put(body, u32::from(cuts.pattern.is_some()));
    put_text(body, cuts.pattern.as_deref().unwrap_or_default());
    let classes = cuts.properties.sorted();
    put(body, classes.len() as u32);
    for (name, ranges) in classes {
        put_text(body, name);
        put(body, ranges.len() as u32);
        put_all(body, ranges.iter().flat_map(|&(first, last)| [u32::from(first), u32::from(last)]));
    }
    for c in [cuts.prefix, cuts.space] {
        put(body, c.map_or(NONE, u32::from));
    }
    put(body, cuts.words.len() as u32);
    for (word, token) in &cuts.words {
        put(body, *token);
        put_text(body, word);
    }
    put(body, u32::from(cuts.whole_pieces));
}

fn read_cuts(reader: &mut Reader<'_>) -> Result<Cuts> {
    let has_pattern = reader.number("whether there is a pattern")? != 0;
    let pattern = reader.text("the pattern")?.to_owned();
    let mut properties = Properties::default();
    for _ in 0..reader.count(8, "classes")? {
        let name = reader.text("the name of a class")?;
        let ranges: Vec<(char, char)> = (0..reader.count(8, "ranges")?)
            .map(|_| Ok((character(reader)?, character(reader)?)))
            .collect::<Result<_>>()?;
        properties.insert(name, ranges);
    }
    let (prefix, space) = (optional_character(reader)?, optional_character(reader)?);
    let word = |reader: &mut Reader<'_>| {
        let token = reader.number("a word")?;
        Ok((reader.text("the text of a word")?.to_owned(), token))
    };
    let words = (0..reader.count(8, "words")?).map(|_| word(reader)).collect::<Result<_>>()?;
    let whole_pieces = reader.number("whether pieces are looked up")? != 0;
    Ok(Cuts { pattern: has_pattern.then_some(pattern), properties, prefix, space, words, whole_pieces })
}

fn character(reader: &mut Reader<'_>) -> Result<char> {
    let number = reader.number("a character")?;
    char::from_u32(number).ok_or_else(|| reader.wrong(&format!("{number} is not a character")))
}

fn optional_character(reader: &mut Reader<'_>) -> Result<Option<char>> {
    match reader.number("a character")? {
        NONE => Ok(None),
        number => match char::from_u32(number) {
            Some(c) => Ok(Some(c)),
            None => Err(reader.wrong(&format!("{number} is not a character"))),
        },
    }
}

fn put_all(body: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    numbers.for_each(|number| put(body, number));
}

fn put_description(body: &mut Vec<u8>, description: &Description) {
    let Description { tokens, symbols, fallback, order } = description;
    put(body, u32::from(*symbols == Symbols::Characters));
    put(body, fallback.len() as u32);
    put_all(body, fallback.iter().map(|token| token.unwrap_or(NONE)));
    put(body, tokens.len() as u32);
    put_all(body, tokens.iter().map(|bytes| bytes.as_ref().map_or(NONE, |bytes| bytes.len() as u32)));
    tokens.iter().flatten().for_each(|bytes| body.extend_from_slice(bytes));
    match order {
        Order::Priorities(all) => {
            put(body, NONE);
            put_all(body, all.iter().copied());
        }
        Order::List(list) => {
            put(body, list.len() as u32);
            put_all(body, list.iter().flat_map(|&(left, right, made)| [left, right, made]));
        }
    }
}

fn read_description(reader: &mut Reader<'_>) -> Result<Description> {
    let is_of_characters = reader.number("what a piece consists of")? != 0;
    let symbols = if is_of_characters { Symbols::Characters } else { Symbols::Bytes };
    let token = |reader: &mut Reader<'_>| Ok(Some(reader.number("a token of a byte")?).filter(|&token| token != NONE));
    let fallback = (0..reader.count(4, "tokens of bytes")?).map(|_| token(reader)).collect::<Result<_>>()?;
    let count = reader.count(4, "tokens")?;
    let lengths: Vec<u32> = (0..count).map(|_| reader.number("the length of a token")).collect::<Result<_>>()?;
    let bytes = |length: u32| match length {
        NONE => Ok(None),
        length => Ok(Some(reader.take(length as usize, "a token")?.to_vec())),
    };
    let tokens = lengths.into_iter().map(bytes).collect::<Result<_>>()?;
    let order = if reader.clone().number("merges")? == NONE {
        reader.number("merges")?;
        Order::Priorities((0..count).map(|_| reader.number("a priority")).collect::<Result<_>>()?)
    } else {
        let part = |reader: &mut Reader<'_>| reader.number("a merge");
        let merges = reader.count(12, "merges")?;
        let merge = |_| Ok((part(reader)?, part(reader)?, part(reader)?));
        Order::List((0..merges).map(merge).collect::<Result<_>>()?)
    };
    Ok(Description { tokens, symbols, fallback, order })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Merges {
        let bytes = (0..=255_u8).map(|byte| vec![byte]);
        let tokens: Vec<_> = bytes.chain(["th".into(), "the".into()]).map(Some).chain([None]).collect();
        let order = Order::List(vec![(116, 104, 256), (256, 101, 257)]);
        let description = Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order };
        let mut properties = Properties::default();
        properties.insert(r"\w", [('a', 'z'), ('é', 'é')]);
        let words = vec![("<x>".to_owned(), 258)];
        let cuts = Cuts { pattern: Some(r" ?\w+|\W".into()), properties, words, ..Cuts::default() };
        Merges::new(&description, &cuts).unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let merges = sample();
        let again = Merges::from_bytes(&merges.to_bytes()).unwrap();
        assert_eq!(again.to_bytes(), merges.to_bytes());
        for text in ["the théâtre", " them<x>the", "", "\n"] {
            assert_eq!(again.encode(text), merges.encode(text), "{text:?}");
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_an_error() {
        let data = sample().to_bytes();
        for at in (0..data.len()).step_by(7) {
            assert!(Merges::from_bytes(&data[..at]).is_err());
            let mut body = data[40..].to_vec();
            body[at % (data.len() - 40)] ^= 0x20;
            let _ = Merges::from_bytes(&ENVELOPE.seal(&body)); // an error or sound merges, and no panic
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let mut body = sample().to_bytes()[40..].to_vec();
        let at = body.len() - 2 * 8 + 4; // the right part of "the"
        body[at] ^= 1;
        let error = Merges::from_bytes(&ENVELOPE.seal(&body)).unwrap_err();
        assert!(error.message.contains("token 257"), "{}", error.message);
    }
}
