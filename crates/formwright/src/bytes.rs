//! Values as bytes: one envelope for everything that is stored or sent.
//!
//! ```text
//! magic (4 bytes) · version (u32) · SHA-256 of the body (32 bytes) · body
//! ```
//!
//! Numbers are little-endian u32; a text is its length and its UTF-8. [`Envelope::open`] checks the envelope and gives
//! a [`Reader`], which returns fields of the body and never reads or allocates beyond it: a length in the data is
//! compared with what is there first.
//!
//! The digest finds accidents, not forgers, who can compute it as well. So nothing is trusted: what is read
//! goes through the same constructors as what a user writes.

use sha2::{Digest as _, Sha256};

use crate::error::{Error, Kind, Result};

/// The byte around the letters of control tokens: it is in no UTF-8 text.
pub const CONTROL: u8 = 0xFF;

/// SHA-256 of something.
pub type Digest = [u8; 32];

const HEADER: usize = 4 + 4 + 32;

/// The envelope of one kind of stored value.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The first four bytes.
    pub magic: [u8; 4],
    /// Raised whenever the body changes; other versions are refused.
    pub version: u32,
    /// What it is, in messages.
    pub name: &'static str,
    /// Which error it is when they cannot be read.
    pub kind: fn() -> Kind,
}

impl Envelope {
    /// `body` in its envelope.
    pub fn seal(&self, body: &[u8]) -> Vec<u8> {
        let mut data = Vec::with_capacity(HEADER + body.len());
        data.extend_from_slice(&self.magic);
        data.extend_from_slice(&self.version.to_le_bytes());
        data.extend_from_slice(&digest(body));
        data.extend_from_slice(body);
        data
    }

    /// The body of `data`, to be read field by field.
    ///
    /// # Errors
    /// Of the kind of the envelope, saying what was seen: something else, another version, or bytes that were changed.
    pub fn open<'d>(&self, data: &'d [u8]) -> Result<Reader<'d>> {
        let Some((header, body)) = data.split_at_checked(HEADER) else {
            return Err(self.fail(&format!("{} bytes are too few to hold one", data.len())));
        };
        if header[..4] != self.magic {
            return Err(self.fail(&format!("they begin with {}, not with {}", shown(header), shown(&self.magic))));
        }
        let version = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        if version != self.version {
            let hint = "write them again with the version of formwright that reads them";
            return Err(self.fail(&format!("version {version}, but this reads version {}", self.version)).hint(hint));
        }
        if header[8..] != digest(body) {
            return Err(self.fail("their digest does not fit: they were cut short or changed"));
        }
        Ok(Reader { envelope: *self, body, at: 0 })
    }

    fn fail(&self, what: &str) -> Error {
        Error::new((self.kind)(), format!("{} bytes: {what}", self.name))
    }
}

/// The first four bytes, readable.
fn shown(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes[..4].escape_ascii())
}

/// SHA-256.
pub fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// Two hexadecimal digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Adds a number.
pub(crate) fn put(body: &mut Vec<u8>, number: u32) {
    body.extend_from_slice(&number.to_le_bytes());
}

/// Adds a text with its length.
pub(crate) fn put_text(body: &mut Vec<u8>, text: &str) {
    put(body, text.len() as u32);
    body.extend_from_slice(text.as_bytes());
}

/// A body that is being read. Every method names the field it reads, for the error.
#[derive(Clone, Debug)]
pub struct Reader<'d> {
    envelope: Envelope,
    body: &'d [u8],
    at: usize,
}

impl<'d> Reader<'d> {
    /// The next `size` bytes.
    pub(crate) fn take(&mut self, size: usize, field: &str) -> Result<&'d [u8]> {
        let rest = &self.body[self.at..];
        let Some(bytes) = rest.get(..size) else {
            return Err(self.wrong(&format!("{field} needs {size} bytes, but {} are left", rest.len())));
        };
        self.at += size;
        Ok(bytes)
    }

    /// A number.
    pub(crate) fn number(&mut self, field: &str) -> Result<u32> {
        let bytes = self.take(4, field)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// How many of something follow, each of at least `size` bytes: no more than there is room for.
    pub(crate) fn count(&mut self, size: usize, field: &str) -> Result<usize> {
        let count = self.number(field)? as usize;
        let left = self.body.len() - self.at;
        if count > left / size {
            return Err(self.wrong(&format!("{count} {field} do not fit into the {left} bytes that are left")));
        }
        Ok(count)
    }

    /// A byte.
    pub(crate) fn byte(&mut self, field: &str) -> Result<u8> {
        Ok(self.take(1, field)?[0])
    }

    /// A byte below `end`.
    pub(crate) fn below(&mut self, end: u8, field: &str) -> Result<u8> {
        match self.take(1, field)?[0] {
            byte if byte < end => Ok(byte),
            byte => Err(self.wrong(&format!("{field} is {byte}, but must be less than {end}"))),
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, field: &str) -> Result<&'d str> {
        let size = self.count(1, field)?;
        self.utf8(size, field)
    }

    /// A text of `size` bytes.
    pub(crate) fn utf8(&mut self, size: usize, field: &str) -> Result<&'d str> {
        let bytes = self.take(size, field)?;
        std::str::from_utf8(bytes).map_err(|_| self.wrong(&format!("{field} is not UTF-8")))
    }

    /// Whether everything has been read.
    pub(crate) fn is_done(&self) -> bool {
        self.at == self.body.len()
    }

    /// Fails unless everything has been read.
    pub(crate) fn done(&self) -> Result<()> {
        let left = self.body.len() - self.at;
        if left == 0 { Ok(()) } else { Err(self.wrong(&format!("{left} bytes are left at the end"))) }
    }

    /// The error that something here is wrong.
    pub(crate) fn wrong(&self, what: &str) -> Error {
        self.envelope.fail(&format!("at byte {}: {what}", HEADER + self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENVELOPE: Envelope = Envelope { magic: *b"test", version: 3, name: "test", kind: || Kind::Vocabulary };

    fn refused(data: &[u8]) -> String {
        ENVELOPE.open(data).unwrap_err().message
    }

    #[test]
    fn an_envelope_says_what_it_saw() {
        let data = ENVELOPE.seal(b"body");
        assert_eq!(ENVELOPE.open(&data).unwrap().take(4, "it").unwrap(), b"body");
        assert_eq!(refused(b""), "test bytes: 0 bytes are too few to hold one");
        assert_eq!(hex(&[0x0A, 0xF3]), "0af3");
        assert!(refused(&[b"\x89PNG", &data[4..]].concat()).contains(r#"begin with "\x89PNG", not with "test""#));
        assert!(refused(&Envelope { version: 4, ..ENVELOPE }.seal(b"")).contains("version 4"));
        assert!(refused(&data[..data.len() - 1]).contains("cut short or changed"));
    }

    #[test]
    fn fields_never_go_beyond_the_body() {
        let data = ENVELOPE.seal(&[0xFF; 5]);
        let mut reader = ENVELOPE.open(&data).unwrap();
        assert!(
            reader.clone().text("name").unwrap_err().message.contains("4294967295 name do not fit into the 1 bytes")
        );
        assert!(reader.take(6, "id").unwrap_err().message.contains("at byte 40: id needs 6 bytes, but 5 are left"));
        assert!(reader.clone().below(2, "flag").unwrap_err().message.contains("flag is 255"));
        assert!(reader.done().unwrap_err().message.contains("5 bytes are left"));
    }
}
