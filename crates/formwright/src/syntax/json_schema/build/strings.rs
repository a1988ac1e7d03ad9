//! Strings: as JSON text, and as counted characters of a class.
//!
//! ```text
//! quoted("a\"b")     "a\"b" with quotes and a backslash          counted_class(.{2,5})     any character, 2 to 5 times
//! ```

use bumpalo::Bump;

use crate::language::UNBOUNDED;
use crate::regular::Regular;

/// A string as JSON, in its one form.
pub(super) fn quoted<'d>(arena: &'d Bump, text: &str) -> &'d [u8] {
    if !is_plain(text) {
        return arena.alloc_slice_copy(json(text).as_bytes());
    }
    let quoted = arena.alloc_slice_fill_copy(text.len() + 2, b'"');
    quoted[1..=text.len()].copy_from_slice(text.as_bytes());
    quoted
}

/// What is between its quotes.
pub(super) fn escaped<'d>(arena: &'d Bump, text: &'d str) -> &'d [u8] {
    if is_plain(text) {
        return text.as_bytes();
    }
    let quoted = json(text);
    arena.alloc_slice_copy(&quoted.as_bytes()[1..quoted.len() - 1])
}

/// Whether a text needs no escapes.
pub(super) fn is_plain(text: &str) -> bool {
    let escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    !text.bytes().fold(false, |any, byte| any | escaped(byte)) // without a way out it is several bytes at once
}

pub(super) fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Of a language of strings with a bounded number of characters of one class: the class, and the bounds.
pub(super) fn counted_class(tree: &Regular) -> Option<(Regular, u32, u32)> {
    let Regular::And(parts) = tree else {
        return tree.class_times().map(|(class, low, high)| (class.clone(), low, high.unwrap_or(UNBOUNDED)));
    };
    parts.iter().map(counted_class).try_fold((Regular::any(), 0, UNBOUNDED), |all, part| {
        let (class, low, high) = part?;
        let class = match (all.0, class) {
            (any, class) | (class, any) if any.is_any() => class,
            (a, b) => common(&a, &b)?,
        };
        Some((class, all.1.max(low), all.2.min(high)))
    })
}

/// The characters that are in both of two classes, if there are any.
fn common(a: &Regular, b: &Regular) -> Option<Regular> {
    let (Regular::Class(a), Regular::Class(b)) = (a, b) else { return None };
    let meet = |&(low, high): &(char, char), &(start, end): &(char, char)| (low.max(start), high.min(end));
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| meet(a, b)));
    let ranges: Vec<(char, char)> = pairs.filter(|(low, high)| low <= high).collect();
    (!ranges.is_empty()).then(|| Regular::Class(ranges.into()))
}

/// Whether characters of a class are counted by the matcher instead of by states of an automaton: those of the class of
/// all characters are, and long runs of any class with a character that is written as one byte.
pub(super) fn is_worth_counting(class: &Regular, high: u32) -> bool {
    const MANY: u32 = 4;
    let Regular::Class(ranges) = class else { return false };
    let plain = |c: &char| !matches!(c, '"' | '\\') && ranges.iter().any(|(low, high)| (low..=high).contains(&c));
    class.is_any() || (MANY..UNBOUNDED).contains(&high) && (' '..='~').any(|c| plain(&c))
}
