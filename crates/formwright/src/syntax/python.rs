//! Patterns of Python's `re`, as the Python package writes them down after `re` itself has parsed them.
//!
//! ```text
//! [\u{30}-\u{39}\u{41}-\u{5A} ... ]          \p{0} of the last line
//! [\u{0}-\u{9}\u{B}-\u{10FFFF}]              \p{1}
//! \p{0}+(?:@\p{1}*)?
//! ```
//!
//! The last line is the pattern, in the syntax of [`super::ecma`]; the lines before are the classes that it names by
//! their numbers. Nothing in it depends on the dialect any more: the characters of `\w`, and those that a letter matches
//! without regard to case, are those of the interpreter that compiled the pattern.
//!
//! Cost: that of its length. Such a text is stored with a form, so a stored form means the same under every
//! version of Python.

use super::ecma;
use super::pattern::{Mode, Pattern, lower, refuse_assertions};
use crate::error::Result;
use crate::limits::Limits;
use crate::regular::{Ranges, Regular};

/// The texts that a pattern matches as a whole.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place.
pub fn parse(source: &str, limits: &Limits) -> Result<Regular> {
    lower(&read(source, limits)?, Mode::Whole).map_err(|what| refuse_assertions(source, what))
}

/// A pattern, not lowered yet.
///
/// # Errors
/// As [`parse`].
pub fn read(source: &str, limits: &Limits) -> Result<Pattern> {
    let (classes, pattern) = source.rsplit_once('\n').unwrap_or(("", source));
    let classes: Vec<Ranges> = classes.lines().map(ecma::parse_class).collect::<Result<_>>()?;
    ecma::read(pattern, &classes, limits)
}

/// The characters that a pattern of exactly one character matches, as disjoint ranges in ascending order; `None` for other
/// patterns.
///
/// # Errors
/// As [`parse`].
pub fn characters(source: &str, limits: &Limits) -> Result<Option<Vec<(char, char)>>> {
    let (tree, mut ranges) = (parse(source, limits)?, Vec::new());
    Ok(collect(&tree, &mut ranges).then(|| merged(ranges)))
}

/// Adds the characters of a tree of single characters; false if it is none.
fn collect(tree: &Regular, ranges: &mut Vec<(char, char)>) -> bool {
    match tree {
        Regular::Class(class) => ranges.extend(class.iter()),
        Regular::Or(parts) => return parts.iter().all(|part| collect(part, ranges)),
        Regular::Static(tree) => return collect(tree.0, ranges),
        Regular::Never => {}
        _ => return false,
    }
    true
}

/// The same characters as disjoint ranges in ascending order.
fn merged(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.sort_unstable();
    let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, end)) if *end >= low => *end = high.max(*end),
            _ => merged.push((low, high)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::{Automaton, Encoding};

    #[test]
    fn classes_are_named_by_their_numbers() {
        let tree = parse("[a-c]\n[]\n\\p{0}+(?:\\p{1}|-)\\P{0}(?<!\\p{0})$", &Limits::default()).unwrap();
        let automaton = Automaton::new(&tree, Encoding::Text, &Limits::default()).unwrap();
        assert!(automaton.accepts(b"cab-d") && !automaton.accepts(b"cab-a") && !automaton.accepts(b"cabd"));
        for source in ["a\nb", "[a]\n\\p{1}", "[a\nb", "[a]]\nb"] {
            assert!(parse(source, &Limits::default()).is_err(), "{source}");
        }
    }
}
