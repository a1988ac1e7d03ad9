//! A vocabulary as bytes, so that a server need not ask its tokenizer again.
//!
//! ```text
//! width · ends · how many tokens · their lengths (u16) · their bytes · control tokens and their names
//! ```
//!
//! Trees are not stored: they would be five times the size, and checking them costs as much as building them.
//! [`Vocabulary::new`] sees the tokens again, so any bytes become a valid vocabulary or an error.
//!
//! Cost: 1.1 MB for 131k tokens; reading is building, plus two digests.

use indexmap::IndexMap;

use super::{TokenId, Vocabulary};
use crate::bytes::{Digest, Envelope, Reader, digest, put, put_text};
use crate::error::{Kind, Result};

/// The envelope of a vocabulary.
pub const ENVELOPE: Envelope = Envelope { magic: *b"FWvo", version: 1, name: "vocabulary", kind: || Kind::Vocabulary };

impl Vocabulary {
    /// This vocabulary as bytes, for [`Vocabulary::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = self.meaning();
        put(&mut body, self.special.len() as u32);
        for (name, &id) in &self.special {
            put(&mut body, id);
            put_text(&mut body, name);
        }
        ENVELOPE.seal(&body)
    }

    /// The vocabulary that [`Vocabulary::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`], saying what was seen.
    pub fn from_bytes(data: &[u8]) -> Result<Self> {
        let mut reader = ENVELOPE.open(data)?;
        let width = reader.number("logits_size")? as usize;
        let ends = reader.count(4, "ends")?;
        let eos: Vec<TokenId> = (0..ends).map(|_| reader.number("an end")).collect::<Result<_>>()?;
        let tokens = tokens(&mut reader)?;
        let special = special(&mut reader)?;
        reader.done()?;
        Self::new(&tokens, &eos, special, Some(width))
    }

    /// Everything a mask depends on.
    fn meaning(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(64 + self.eos.len() * 4 + self.len() * 2 + self.bytes.len());
        put(&mut body, self.logits_size as u32);
        put(&mut body, self.eos.len() as u32);
        self.eos.iter().for_each(|&id| put(&mut body, id));
        put(&mut body, self.len() as u32);
        let sizes = self.offsets.windows(2).map(|pair| (pair[1] - pair[0]) as u16);
        body.extend(sizes.flat_map(u16::to_le_bytes));
        body.extend_from_slice(&self.bytes);
        body
    }

    /// The digest of everything a mask depends on.
    pub(super) fn digest(&self) -> Digest {
        digest(&self.meaning())
    }
}

fn tokens<'d>(reader: &mut Reader<'d>) -> Result<Vec<&'d [u8]>> {
    let count = reader.count(2, "tokens")?;
    let sizes = reader.take(count * 2, "the lengths of the tokens")?;
    let sizes = sizes.chunks_exact(2).map(|pair| usize::from(u16::from_le_bytes([pair[0], pair[1]])));
    sizes.map(|size| reader.take(size, "a token")).collect()
}

fn special(reader: &mut Reader<'_>) -> Result<IndexMap<String, TokenId>> {
    let count = reader.count(8, "control tokens")?;
    let mut special = IndexMap::with_capacity(count);
    for _ in 0..count {
        let id = reader.number("a control token")?;
        let name = reader.text("the name of a control token")?;
        if special.insert(name.to_owned(), id).is_some() {
            return Err(reader.wrong(&format!("{name:?} is the name of two control tokens")));
        }
    }
    Ok(special)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vocabulary {
        let tokens: Vec<&[u8]> = vec![b"</s>", b"a", b"", b" b", b"\xFF\0", b"a"];
        let special = IndexMap::from([("</s>".to_owned(), 0), ("<pad>".to_owned(), 8)]);
        Vocabulary::new(&tokens, &[0, 9], special, Some(10)).unwrap()
    }

    fn same(one: &Vocabulary, two: &Vocabulary) -> bool {
        let facts =
            |v: &Vocabulary| (v.fingerprint().to_owned(), v.eos().to_vec(), v.logits_size(), v.len(), v.longest());
        let spelled = |v: &Vocabulary| (0..v.len() as u32).map(|id| v.token(id).to_vec()).collect::<Vec<_>>();
        facts(one) == facts(two) && spelled(one) == spelled(two) && one.special().iter().eq(two.special())
    }

    #[test]
    fn what_was_written_is_read() {
        let v = sample();
        let again = Vocabulary::from_bytes(&v.to_bytes()).unwrap();
        assert!(same(&v, &again) && again.to_bytes() == v.to_bytes());
    }

    #[test]
    fn fingerprints_know_where_tokens_end_and_ends_begin() {
        let print = |tokens: &[&str], ends: &[u32]| {
            *Vocabulary::new(tokens, ends, IndexMap::new(), Some(4)).unwrap().fingerprint()
        };
        assert_ne!(print(&["a", ""], &[2]), print(&["a"], &[1, 2]));
        assert_ne!(print(&["ab", "c"], &[3]), print(&["a", "bc"], &[3]));
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_an_error() {
        let data = sample().to_bytes();
        for at in 0..data.len() {
            let mut changed = data.clone();
            changed[at] ^= 0x20;
            assert_eq!(*Vocabulary::from_bytes(&changed).unwrap_err().kind, Kind::Vocabulary);
            assert!(Vocabulary::from_bytes(&data[..at]).is_err());
        }
    }

    #[test]
    fn what_is_absurd_is_an_error_even_with_a_right_digest() {
        let refused = |numbers: &[u32]| {
            let body: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            Vocabulary::from_bytes(&ENVELOPE.seal(&body)).unwrap_err().message
        };
        assert!(refused(&[]).contains("logits_size needs 4 bytes, but 0 are left"));
        assert!(refused(&[1, u32::MAX]).contains("4294967295 ends do not fit"));
        assert!(refused(&[1, 1, 0, 1 << 31]).contains("2147483648 tokens do not fit"));
        assert!(refused(&[1, 1, 0, 1, 5]).contains("a token needs 5 bytes, but 2 are left"));
        assert!(refused(&[u32::MAX, 1, 0, 1, 1 | 0x6100 << 16, 0]).contains("bytes"));
        assert!(refused(&[1, 1, 0, 0, 0, 7]).contains("4 bytes are left at the end"));
        assert!(refused(&[1, 1, 7, 0, 0]).contains("end-of-text id 7"));
    }

    proptest! {
        #[test]
        fn any_vocabulary_survives(
            tokens in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 1..40),
            ends in prop::collection::vec(0..50_u32, 1..4),
            names in prop::collection::btree_map(".{0,4}", 0..50_u32, 0..4),
        ) {
            let special: IndexMap<String, u32> = names.into_iter().collect();
            if let Ok(v) = Vocabulary::new(&tokens, &ends, special, Some(50)) {
                prop_assert!(same(&v, &Vocabulary::from_bytes(&v.to_bytes()).unwrap()));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(body in prop::collection::vec(0..9_u8, 0..64)) {
            let _ = Vocabulary::from_bytes(&ENVELOPE.seal(&body));
        }
    }
}
