//! Regular expressions in the syntax of the `regex` crate.
//!
//! The text must match from its first character to its last; `^` and `$` at the
//! ends change nothing. `\d`, `\w` and `\s` are Unicode-aware, `(?i)` folds case.
//! Parsing is the library's; look-around and back-references are refused by it,
//! with the place.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::pattern::{Mode, Pattern, class_of, lower, ranges_of};
use crate::constraint::Language;
use crate::error::{Error, Result};
use crate::language::Graph;
use crate::limits::Limits;
use crate::regular::{Ranges, Regular, Spelling};

/// The texts that `source` matches as a whole.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place; [`crate::Kind::Unsatisfiable`] when nothing matches.
pub fn regex(source: &str, limits: &Limits) -> Result<Language> {
    let tree = parse(source, limits)?;
    let mut graph = Graph::default();
    graph.root = graph.regular(tree, Spelling::Text);
    Language::new(graph, limits)
}

/// The regular language of `source`.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place.
pub fn parse(source: &str, limits: &Limits) -> Result<Regular> {
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(limits.pattern_depth).build();
    let hir = parser.parse(source).map_err(|error| located(source, &error))?;
    let pattern = pattern(&hir).map_err(|what| Error::regex(source, (0, source.len()), what))?;
    lower(&pattern, Mode::Whole, &word()).map_err(|what| Error::regex(source, (0, source.len()), what))
}

/// The library's error with its place.
fn located(source: &str, error: &regex_syntax::Error) -> Error {
    let (span, what) = match error {
        regex_syntax::Error::Parse(error) => (*error.span(), error.kind().to_string()),
        regex_syntax::Error::Translate(error) => (*error.span(), error.kind().to_string()),
        _ => return Error::regex(source, (0, source.len()), &error.to_string()),
    };
    let what = what.lines().next().unwrap_or_default();
    Error::regex(source, (span.start.offset, span.end.offset), what)
}

/// `\w` of this dialect.
fn word() -> Ranges {
    match regex_syntax::parse(r"\w").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => ranges_of(&class),
        _ => Ranges::from([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')].as_slice()),
    }
}

fn pattern(hir: &Hir) -> std::result::Result<Pattern, &'static str> {
    Ok(match hir.kind() {
        HirKind::Empty => Pattern::Empty,
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| "bytes that are not UTF-8 cannot be matched")?;
            Pattern::Concat(text.chars().map(|c| Pattern::Class(Ranges::from([(c, c)].as_slice()))).collect())
        }
        HirKind::Class(Class::Unicode(class)) => Pattern::Class(ranges_of(class)),
        HirKind::Class(Class::Bytes(class)) => {
            let ranges: Vec<(char, char)> =
                class.ranges().iter().map(|range| (range.start() as char, range.end() as char)).collect();
            Pattern::Class(ranges_of(&class_of(&ranges)))
        }
        HirKind::Look(Look::Start) => Pattern::Start,
        HirKind::Look(Look::End) => Pattern::End,
        HirKind::Look(Look::WordUnicode | Look::WordAscii) => Pattern::Boundary { negated: false },
        HirKind::Look(Look::WordUnicodeNegate | Look::WordAsciiNegate) => Pattern::Boundary { negated: true },
        HirKind::Look(_) => return Err("line-wise anchors and half word boundaries are not supported"),
        HirKind::Repetition(repetition) => {
            Pattern::Repeat(Box::new(pattern(&repetition.sub)?), repetition.min, repetition.max)
        }
        HirKind::Capture(capture) => pattern(&capture.sub)?,
        HirKind::Concat(parts) => Pattern::Concat(parts.iter().map(pattern).collect::<std::result::Result<_, _>>()?),
        HirKind::Alternation(options) => {
            Pattern::Or(options.iter().map(pattern).collect::<std::result::Result<_, _>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(source: &str, text: &str) -> bool {
        regex(source, &Limits::default()).unwrap().check(text.as_bytes()).unwrap().1
    }

    #[test]
    fn whole_texts_match() {
        assert!(full(r"\d{3}-\d{4}", "555-1234") && !full(r"\d{3}-\d{4}", "555-12345"));
        assert!(full("^a|b$", "a") && full("^a|b$", "b") && !full("^a|b$", "ab"));
        assert!(full("(?i)ÄB?", "äb") && full("", "") && full("a*", ""));
    }

    #[test]
    fn word_boundaries_depend_on_neighbours() {
        let pattern = r"\bcat\b.*|x\bcat|\w+\Bs";
        assert!(
            full(pattern, "cat dog") && !full(pattern, "cats dog") && !full(pattern, "xcat") && full(pattern, "cats")
        );
    }

    #[test]
    fn errors_have_a_caret() {
        let error = regex("ab(c", &Limits::default()).unwrap_err();
        assert!(error.message.contains("ab(c\n      ^"), "{}", error.message);
        assert!(regex(r"(a)\1", &Limits::default()).is_err());
        assert!(regex("a(?=b)", &Limits::default()).is_err());
    }
}
