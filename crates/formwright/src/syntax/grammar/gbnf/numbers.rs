//! `#x41` in a class: a character by its number in the EBNF of the W3C, four characters in the GBNF of llama.cpp.
//!
//! ```text
//! [#x20-#x7E]   [#x9#xA]   #x41 "a"                      of the W3C
//! [#x0-9a-f]    "\n" [#x20_]    [#x20_]{2}   # of ...    of llama.cpp
//! [#x20_]                                                of the W3C, in a grammar without any of these
//! ```
//!
//! All classes of a grammar are read alike, so its whole text is looked at before. Cost: linear in it.

use super::super::cursor::Cursor;
use crate::limits::Limits;

/// Digits of the largest number that may be one, outside of classes.
const MOST_DIGITS: usize = 8;

/// Bytes of the number that a text begins with.
pub fn number_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("#x")?.bytes().take_while(u8::is_ascii_hexdigit).count();
    (digits > 0).then_some("#x".len() + digits)
}

/// Whether a text begins with a number outside of a class, where it might be a comment.
pub fn is_number_alone(text: &str) -> bool {
    let Some(length) = number_length(text) else { return false };
    let is_over = !text[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    length <= "#x".len() + MOST_DIGITS && is_over
}

/// Whether the classes of a grammar have characters by their numbers.
pub fn has_numbers(text: &str, limits: &Limits) -> bool {
    if !text.contains("#x") {
        return true;
    }
    let (mut cursor, mut is_gbnf) = (Cursor::new(text, limits), false);
    while let Some(c) = cursor.peek() {
        match c {
            '#' if is_number_alone(cursor.rest()) => return true,
            '[' => match class(&mut cursor) {
                Seen::Numbers => return true,
                Seen::Gbnf => is_gbnf = true,
                Seen::Nothing => {}
            },
            '"' => is_gbnf |= has_escapes(&mut cursor),
            '\'' => skip_raw_text(&mut cursor),
            '/' if cursor.is_at("/*") => skip_comment(&mut cursor),
            '#' => {
                is_gbnf = true;
                cursor.take_line();
            }
            _ => {
                is_gbnf |= matches!(c, '{' | '<');
                cursor.next();
            }
        }
    }
    !is_gbnf
}

/// What a class shows of the notation.
enum Seen {
    Numbers,
    Gbnf,
    Nothing,
}

/// A member of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Number,
    Escape,
    Other,
}

/// Two numbers, or nothing but one, are of the W3C; an escape, or a range between a number and a character, is not.
fn class(cursor: &mut Cursor<'_>) -> Seen {
    cursor.next();
    cursor.eat("^");
    let (mut numbers, mut others, mut is_gbnf) = (0, 0, false);
    while let Some(low) = member(cursor) {
        let is_range = cursor.is_at("-") && !cursor.is_at("-]") && cursor.eat("-");
        let high = if is_range { member(cursor).unwrap_or(low) } else { low };
        is_gbnf |= low == Member::Escape || high != low;
        let found = usize::from(low == Member::Number) + usize::from(is_range && high == Member::Number);
        numbers += found;
        others += usize::from(found == 0);
    }
    match numbers {
        2.. => Seen::Numbers,
        1 if others == 0 && !is_gbnf => Seen::Numbers,
        _ if is_gbnf => Seen::Gbnf,
        _ => Seen::Nothing,
    }
}

/// The next member of a class; `None` at its end.
fn member(cursor: &mut Cursor<'_>) -> Option<Member> {
    if let Some(length) = number_length(cursor.rest()) {
        cursor.at += length;
        return Some(Member::Number);
    }
    match cursor.next()? {
        ']' | '\n' => None,
        '\\' => {
            cursor.next();
            Some(Member::Escape)
        }
        _ => Some(Member::Other),
    }
}

/// Skips a text in double quotes. Whether it has a backslash.
fn has_escapes(cursor: &mut Cursor<'_>) -> bool {
    let mut has_escape = false;
    cursor.next();
    while let Some(c) = cursor.next() {
        match c {
            '"' | '\n' => break,
            '\\' => {
                has_escape = true;
                cursor.next();
            }
            _ => {}
        }
    }
    has_escape
}

fn skip_raw_text(cursor: &mut Cursor<'_>) {
    cursor.next();
    cursor.take_while(|c| !matches!(c, '\'' | '\n'));
    cursor.next();
}

fn skip_comment(cursor: &mut Cursor<'_>) {
    cursor.at += cursor.rest().find("*/").map_or(cursor.rest().len(), |end| end + "*/".len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_that_of_the_whole_text() {
        let of_the_w3c = [
            "[#x20_]",
            "'<' [^#x00-#x20<>]* '>'",
            "[^#x22a]",
            "[#x61-#x7A_]",
            "[#x20] \"\\n\"",
            "[#x20_] \"\\n\" [#x9#xA]",
            "[#x20_] # comment\n #x41",
            "[#x20_] /* # \\n */ '\\n{'",
        ];
        let of_gbnf = [
            "[#x0-9a-f]",
            "[#x20_] \"\\n\"",
            "[#x20_\\]]",
            "[#x20_]{2}",
            "[#x20_] # comment",
            "[#x20_] <think>",
            "[a-#x7A]",
        ];
        let limits = Limits::default();
        for (texts, expected) in [(&of_the_w3c[..], true), (&of_gbnf[..], false)] {
            for text in texts {
                assert_eq!(has_numbers(&format!("root ::= {text}"), &limits), expected, "{text}");
            }
        }
    }
}
