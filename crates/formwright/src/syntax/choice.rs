//! Finite sets of texts: `choice(["yes", "no"])`, `literal("Answer: ")`, the lines of a file.
//!
//! Cost: the texts are copied and sorted. A small set becomes a tree, which a matcher walks faster; a large
//! one stays a [`Lexicon`] ([`Limits::tree_bytes`]).

use std::sync::Arc;

use crate::bytes::Reader;
use crate::error::{Error, Result};
use crate::language::{Graph, Language, Lexicon, LexiconBuilder};
use crate::limits::Limits;

/// What some systems write at the beginning of a text file.
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Exactly one of `options`.
///
/// # Errors
/// [`crate::Kind::Argument`] when there are none; [`crate::Kind::Limit`] when one is too long, or all are.
pub fn choice<T: AsRef<str>>(options: &[T], limits: &Limits) -> Result<Language> {
    of_lexicon(&Arc::new(Lexicon::of(options)?), limits)
}

/// Exactly one of the texts of a lexicon.
///
/// # Errors
/// [`crate::Kind::Argument`] when there are none.
pub fn of_lexicon(options: &Arc<Lexicon>, limits: &Limits) -> Result<Language> {
    if options.is_empty() {
        return Err(Error::argument("options", "choice: there are no options").hint("pass at least one text"));
    }
    let mut graph = Graph::default();
    graph.root = graph.texts_of(options, limits.tree_bytes);
    Language::new(graph, limits)
}

/// Exactly `text`.
///
/// # Errors
/// [`crate::Kind::Limit`] when it is too long.
pub fn literal(text: &str, limits: &Limits) -> Result<Language> {
    choice(&[text], limits)
}

/// The lines of a file as options. A line ends with `\n` or `\r\n`; the last one may end with the file. A byte order
/// mark at the beginning is not part of the first line. A line that is there twice is one option.
///
/// # Errors
/// [`crate::Kind::Argument`], naming the line, when it is empty or not UTF-8, and when there are no lines;
/// [`crate::Kind::Limit`] when a line is too long, or all are.
pub fn lines(data: &[u8]) -> Result<Lexicon> {
    let data = data.strip_prefix(BYTE_ORDER_MARK).unwrap_or(data);
    let fail = |what: String| Error::argument("options", format!("choice: {what}"));
    let text = std::str::from_utf8(data).map_err(|error| {
        let before = &data[..error.valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        fail(format!("line {line} is not UTF-8")).hint("write the file as UTF-8")
    })?;
    if text.is_empty() {
        return Err(fail("the file is empty".to_owned()).hint("write one option on each line"));
    }
    let mut builder = LexiconBuilder::with_capacity(data.len() / 16, data.len());
    for (line, number) in text.strip_suffix('\n').unwrap_or(text).split('\n').zip(1_usize..) {
        let option = line.strip_suffix('\r').unwrap_or(line);
        if option.is_empty() {
            return Err(fail(format!("line {number} is empty")).hint("leave it out: each line is one option"));
        }
        builder.push(option)?;
    }
    Ok(builder.build())
}

/// The options of a choice: how many, the bytes of each, and then all of them in ascending order.
///
/// # Errors
/// [`crate::Kind::Language`], saying what was seen.
pub fn read_stored(reader: &mut Reader<'_>) -> Result<Lexicon> {
    let count = reader.count(2, "options")?;
    let (lengths, _) = reader.take(2 * count, "the lengths of options")?.as_chunks::<2>();
    let lengths = lengths.iter().map(|length| u16::from_le_bytes(*length));
    let texts = reader.utf8(lengths.clone().map(usize::from).sum(), "options")?;
    Lexicon::from_sorted(texts, lengths).map_err(|what| reader.wrong(&what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_options() {
        let read = |data: &str| lines(data.as_bytes()).unwrap().iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
        for data in ["b\na", "b\na\n", "b\r\na\r\n", "\u{FEFF}b\na\r\n", "a\nb\na\n"] {
            assert_eq!(read(data), [b"a", b"b"], "{data:?}");
        }
        assert_eq!(read("a\rb\n \n"), [&b" "[..], b"a\rb"]);
    }

    #[test]
    fn lines_that_are_no_options_are_named() {
        let refused = |data: &[u8]| lines(data).unwrap_err().message;
        assert_eq!(refused(b""), "choice: the file is empty");
        assert_eq!(refused(b"\xEF\xBB\xBF"), "choice: the file is empty");
        for (data, number) in [(&b"\n"[..], 1), (b"a\n\nb\n", 2), (b"a\nb\r\n\r\n", 3), (b"a\n\n", 2)] {
            assert_eq!(refused(data), format!("choice: line {number} is empty"));
        }
        assert_eq!(refused(b"a\nb\xFF\nc"), "choice: line 2 is not UTF-8");
        assert_eq!(refused(b"\xFF"), "choice: line 1 is not UTF-8");
        let long = lines("a".repeat(Lexicon::LONGEST + 1).as_bytes()).unwrap_err();
        assert!(matches!(*long.kind, crate::Kind::Limit { .. }));
    }
}
