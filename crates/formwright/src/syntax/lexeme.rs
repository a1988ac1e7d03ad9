//! Expressions in a lexer: which of several matches is taken, and what may be asked around it.
//!
//! ```text
//! ".*?"       ends at the first quote, as the end is tried before the repetition goes on
//! a+(?=b)     reads "aab" as "aa", and then what begins with "b"
//! ```
//!
//! See [`crate::regular::Ordered`] for the machine. What comes before a match is not known, so an expression that asks for it
//! is refused there.

use super::pattern::{Mode, Pattern, lower};
use crate::regular::{MARK, Ordered, Ranges, Regular};

/// Why a look-ahead is refused.
const ASKS_BOTH_WAYS: &str =
    "a look-ahead that asks what came before ('\\b', '\\B', '^' or a look-behind in it) cannot be compiled";

/// A pattern as the ways that are tried, in their order. On refusal, says why.
pub fn ordered(pattern: &Pattern) -> Result<Ordered, &'static str> {
    let all = |all: &[Pattern]| all.iter().map(ordered).collect::<Result<Vec<_>, _>>();
    Ok(match pattern {
        Pattern::Empty => Ordered::Empty,
        Pattern::Class(class) => Ordered::Class(class.clone()),
        Pattern::Concat(parts) => Ordered::Concat(all(parts)?),
        Pattern::Or(options) => Ordered::Or(all(options)?),
        Pattern::Repeat(body, low, high, is_lazy) => {
            Ordered::Repeat { body: Box::new(ordered(body)?), low: *low, high: *high, is_lazy: *is_lazy }
        }
        Pattern::Behind { class, .. } => Ordered::Before(class.clone()),
        Pattern::End => Ordered::Ahead(Regular::Empty),
        Pattern::Ahead { negated, body } => {
            if looks_behind(body) {
                return Err(ASKS_BOTH_WAYS);
            }
            let any = Pattern::Class(super::pattern::complement(&Ranges::from([])));
            let rest = Pattern::Repeat(Box::new(any), 0, None, false); // an assertion in the body asks for it too
            let begins = lower(&Pattern::Concat(vec![(**body).clone(), rest]), Mode::Whole)?;
            Ordered::Ahead(if *negated { begins.not() } else { begins })
        }
    })
}

fn looks_behind(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Behind { .. } => true,
        Pattern::Concat(parts) | Pattern::Or(parts) => parts.iter().any(looks_behind),
        Pattern::Repeat(body, ..) | Pattern::Ahead { body, .. } => looks_behind(body),
        _ => false,
    }
}

/// Texts with what follows them, without the empty text: a lexer finds no empty lexeme.
pub fn without_empty(followed: Regular) -> Regular {
    let mark: Ranges = [(MARK, MARK)].as_slice().into();
    let other = Regular::Class(super::pattern::complement(&mark));
    Regular::and([followed, Regular::concat([other, Regular::anything()])])
}
