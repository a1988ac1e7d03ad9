//! Escapes of texts and classes: `\n`, `\x41`, `\u00e9`.

use std::sync::Arc;

use super::cursor::Cursor;
use crate::error::Result;

/// A letter after a backslash, and the character it stands for.
pub type Letters = &'static [(char, char)];

/// Those of Lark's texts, which Python reads.
pub const OF_LARK: Letters = &[('n', '\n'), ('t', '\t'), ('r', '\r'), ('f', '\u{C}'), ('\\', '\\'), ('"', '"')];

/// Those of texts of GBNF, with those that C has beside them.
pub const OF_GBNF: Letters = &[
    ('n', '\n'),
    ('t', '\t'),
    ('r', '\r'),
    ('\\', '\\'),
    ('"', '"'),
    ('[', '['),
    (']', ']'),
    ('\'', '\''),
    ('a', '\u{7}'),
    ('b', '\u{8}'),
    ('f', '\u{C}'),
    ('v', '\u{B}'),
    ('0', '\0'),
    ('e', '\u{1B}'),
    ('?', '?'),
];

/// What stands for itself in a class of GBNF, after a backslash.
const OF_CLASSES: &str = "^-.$*+(){}|/";

/// Reads a text in double quotes.
pub fn quoted(cursor: &mut Cursor<'_>, letters: Letters) -> Result<Arc<str>> {
    let from = cursor.at;
    cursor.next();
    let start = cursor.take_while(|c| !matches!(c, '"' | '\\' | '\n'));
    if cursor.eat("\"") {
        return Ok(start.into());
    }
    let mut text = start.to_owned();
    loop {
        text.push_str(cursor.take_while(|c| !matches!(c, '"' | '\\' | '\n')));
        let here = cursor.at;
        match cursor.next() {
            Some('"') => return Ok(text.into()),
            Some('\\') => text.push(escape(cursor, here, letters, false)?),
            _ => return Err(cursor.fail((from, here), "the text has no closing quote on its line")),
        }
    }
}

/// Reads the character of an escape, after its backslash at `from`.
pub fn escape(cursor: &mut Cursor<'_>, from: usize, letters: Letters, is_class: bool) -> Result<char> {
    let Some(letter) = cursor.next() else { return Err(cursor.expected("a letter after the backslash")) };
    if let Some(length) = match letter {
        'x' => Some(2),
        'u' => Some(4),
        'U' => Some(8),
        _ => None,
    } {
        return cursor.hexadecimal(length, from);
    }
    if is_class && OF_CLASSES.contains(letter) {
        return Ok(letter);
    }
    let found = letters.iter().find(|(name, _)| *name == letter);
    found.map(|(_, character)| *character).ok_or_else(|| {
        let error = cursor.fail((from, cursor.at), format_args!("unknown escape '\\{}'", letter.escape_debug()));
        error.hint(format!("a backslash itself is written '\\\\'; the escapes of letters are {}", listed(letters)))
    })
}

/// The names of escapes, and those of character numbers.
fn listed(letters: Letters) -> String {
    let names = letters.iter().filter(|(name, _)| name.is_ascii_alphanumeric()).map(|(name, _)| format!("\\{name}"));
    names.chain(["\\xHH", "\\uHHHH", "\\UHHHHHHHH"].map(str::to_owned)).collect::<Vec<_>>().join(", ")
}
