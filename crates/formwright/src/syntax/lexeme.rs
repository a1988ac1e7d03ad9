//! Expressions in a lexer, whose match may depend on what follows it.
//!
//! ```text
//! a+(?=b)     texts a+     followed: a+ · mark · b Σ*        "aab" is read as "aa" and then what begins with "b"
//! if\b        texts if     followed: if · mark · (ε | W Σ*)  W: all but letters, digits, underscores
//! ```
//!
//! What follows is asked of one regular language: the text, a mark ([`MARK`]) and everything after it. An assertion reads
//! over the mark. What comes before a match is not known, so an expression that asks for it is refused.

use super::pattern::{Mode, Pattern, is_plain, lower, plain, refuse_assertions};
use crate::error::{Error, Result};
use crate::regular::{MARK, Ranges, Regular};

/// The texts of an expression in a lexer.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// Its texts, whatever follows them.
    pub texts: Regular,
    /// If it depends on what follows: a text, the mark, and everything after it.
    pub followed: Option<Regular>,
}

impl From<Regular> for Lexeme {
    fn from(texts: Regular) -> Self {
        Self { texts, followed: None }
    }
}

impl Lexeme {
    /// That of a pattern.
    ///
    /// # Errors
    /// [`crate::Kind::UnsupportedRegex`] where it asks what is before it, or is too large.
    pub fn of(pattern: &Pattern, source: &str) -> Result<Self> {
        if is_plain(pattern) {
            return Ok(plain(pattern).into());
        }
        if looks_before(pattern) || looks_back_ahead(pattern, false) {
            return Err(refuse_looking_behind(source));
        }
        let mark = Pattern::Class(class_of_mark());
        let rest = Pattern::Repeat(Box::new(Pattern::Class(other_characters())), 0, None);
        let whole = Pattern::Concat(vec![over_mark(pattern, false), mark, rest]);
        let tree = lower(&whole, Mode::Whole).map_err(|what| refuse_assertions(source, what))?;
        Ok(Self { texts: plain(pattern), followed: Some(tree) })
    }
}

/// A language as it is followed by anything.
pub fn followed_by_anything(texts: Regular) -> Regular {
    let other = || Regular::Class(other_characters()).repeat(0, None);
    Regular::concat([Regular::and([texts, other()]), Regular::Class(class_of_mark()), other()])
}

/// Texts with what follows them, without the empty text: a lexer finds no empty lexeme.
pub fn without_empty(followed: Regular) -> Regular {
    Regular::and([followed, Regular::concat([Regular::Class(other_characters()), Regular::anything()])])
}

fn class_of_mark() -> Ranges {
    [(MARK, MARK)].as_slice().into()
}

fn other_characters() -> Ranges {
    super::pattern::complement(&class_of_mark())
}

/// A pattern whose characters are not the mark; in an assertion, the mark may come before and after each of them.
fn over_mark(pattern: &Pattern, is_ahead: bool) -> Pattern {
    let all = |all: &[Pattern]| all.iter().map(|part| over_mark(part, is_ahead)).collect();
    let over = || Pattern::Repeat(Box::new(Pattern::Class(class_of_mark())), 0, Some(1));
    let ahead = |negated, body| {
        let body = if is_ahead { body } else { Pattern::Concat(vec![over(), body]) };
        Pattern::Ahead { negated, body: Box::new(body) }
    };
    match pattern {
        Pattern::Class(class) => {
            let own = Pattern::Class(super::pattern::common(class, &other_characters()));
            if is_ahead { Pattern::Concat(vec![own, over()]) } else { own }
        }
        Pattern::Concat(parts) => Pattern::Concat(all(parts)),
        Pattern::Or(options) => Pattern::Or(all(options)),
        Pattern::Repeat(body, low, high) => Pattern::Repeat(Box::new(over_mark(body, is_ahead)), *low, *high),
        Pattern::Ahead { negated, body } => ahead(*negated, over_mark(body, true)),
        Pattern::End => ahead(false, Pattern::End),
        Pattern::Empty | Pattern::Behind { .. } => pattern.clone(),
    }
}

/// Whether a pattern asks for a character before its first one.
fn looks_before(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Behind { .. } => true,
        Pattern::Concat(parts) => {
            let read = parts.iter().position(|part| !may_be_empty(part)).map_or(parts.len(), |at| at + 1);
            parts[..read].iter().any(looks_before)
        }
        Pattern::Or(options) => options.iter().any(looks_before),
        Pattern::Repeat(body, ..) => looks_before(body),
        _ => false,
    }
}

/// Whether a look-ahead asks for a character before it.
fn looks_back_ahead(pattern: &Pattern, is_ahead: bool) -> bool {
    match pattern {
        Pattern::Behind { .. } => is_ahead,
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().any(|part| looks_back_ahead(part, is_ahead)),
        Pattern::Repeat(body, ..) => looks_back_ahead(body, is_ahead),
        Pattern::Ahead { body, .. } => looks_back_ahead(body, true),
        _ => false,
    }
}

fn may_be_empty(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Class(_) => false,
        Pattern::Concat(parts) => parts.iter().all(may_be_empty),
        Pattern::Or(options) => options.iter().any(may_be_empty),
        Pattern::Repeat(body, low, _) => *low == 0 || may_be_empty(body),
        _ => true,
    }
}

fn refuse_looking_behind(source: &str) -> Error {
    let what = "what is before a terminal cannot be asked: '^', '\\b' and look-behind before its first character";
    let instead = "leave it out, or write in a rule what may come before the terminal";
    Error::unsupported_regex(source, (0, source.len()), what, instead)
}
