//! Errors that say what could have come instead.
//!
//! ```text
//! token 5 ("x") cannot come after 1 bytes: expected "a" to "f", ","
//! ```
//!
//! Cost: every byte is tried. Errors are rare, and nothing is collected for them before. What could have come
//! is told in bytes, not in tokens.

use std::sync::Arc;

use super::Matcher;
use super::machine::Machine;
use crate::error::{Error, Kind};
use crate::language::{INFINITE, without_letters};
use crate::vocabulary::{CONTROL, TokenId, letter};

impl Matcher {
    /// The error for a token that cannot come.
    pub(super) fn rejected_token(&self, token: TokenId) -> Error {
        self.rejected(Some(token), self.compiled().tables().vocabulary.token(token))
    }

    /// The error for a token or text that cannot come.
    pub(super) fn rejected(&self, token: Option<TokenId>, text: &[u8]) -> Error {
        let position = self.path.len();
        let expected = self.expected();
        let what = match token {
            Some(id) if text.is_empty() && self.compiled().tables().vocabulary.eos().contains(&id) => {
                format!("token {id} (end of text)")
            }
            Some(id) if text.is_empty() => format!("token {id} (it spells nothing)"),
            Some(id) => format!("token {id} ({})", readable(text)),
            None => format!("text {}", readable(text)),
        };
        let message = if self.is_in_form(text) {
            format!("{what} cannot come after {position} bytes: its part would have too few tokens left to end in time")
        } else {
            format!("{what} cannot come after {position} bytes: expected {expected}")
        };
        Error::new(Kind::Rejected { token, text: text.to_vec(), position, expected }, message)
    }

    /// Whether a text that cannot come could, but for the tokens of a part.
    fn is_in_form(&self, text: &[u8]) -> bool {
        let start = self.history.configurations().to_vec();
        let read = |machine: &mut Machine<'_>| text.iter().fold(start, |at, &byte| machine.advance(&at, byte));
        self.must_leave_part() && !text.is_empty() && !self.with_machine(read).is_empty()
    }

    /// Some of the bytes that can come next, readable.
    pub(super) fn expected(&self) -> String {
        if self.history.is_finished() {
            return "nothing, the text has ended".to_owned();
        }
        let mut bytes = self.with_machine(|machine| machine.next_bytes(self.history.configurations()));
        bytes.retain(|&byte| byte != CONTROL);
        let mut parts: Vec<String> = ranges(&bytes);
        parts.extend(self.expected_controls());
        if self.is_accepting() {
            parts.push("the end of the text".to_owned());
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }

    /// Some of the control tokens that can come next, readable.
    fn expected_controls(&self) -> Vec<String> {
        let names = self.compiled().language().graph().controls.iter();
        let may_come = |name: &&Arc<str>| {
            self.with_machine(|machine| {
                let start = self.history.configurations().to_vec();
                !letter(name).iter().fold(start, |at, &byte| machine.advance(&at, byte)).is_empty()
            })
        };
        names.filter(may_come).take(8).map(|name| format!("the control token {name:?}")).collect()
    }

    /// The error where no token may come.
    #[cold]
    pub(super) fn nothing_allowed(&self, budget: Option<u32>) -> Error {
        if let Some(budget) = budget {
            let needed = self.min_tokens_to_finish();
            if needed > budget && needed < INFINITE {
                return Error::new(
                    Kind::Limit { limit: "budget", value: needed as usize, allowed: budget as usize },
                    format!("limit reached: a complete text needs {needed} more token(s), the budget is {budget}"),
                )
                .hint(format!("pass a budget of {needed} or more"));
            }
        }
        let expected = self.expected();
        Error::new(
            Kind::DeadEnd,
            format!("no token of the vocabulary can come after {} bytes: expected {expected}", self.path.len()),
        )
        .hint("the vocabulary has no token that spells these bytes; is it complete?")
    }
}

/// Bytes as readable text.
fn readable(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(&without_letters(text)))
}

/// At most eight ranges of bytes, readable.
fn ranges(bytes: &[u8]) -> Vec<String> {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for &byte in bytes {
        match ranges.last_mut() {
            Some((_, high)) if *high + 1 == byte => *high = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    let shown = |byte: u8| {
        if byte.is_ascii_graphic() || b" \t\r\n".contains(&byte) {
            format!("{:?}", byte as char)
        } else {
            format!("byte {byte:#04x}")
        }
    };
    let mut parts: Vec<String> = ranges
        .iter()
        .take(8)
        .map(|&(low, high)| if low == high { shown(low) } else { format!("{} to {}", shown(low), shown(high)) })
        .collect();
    if ranges.len() > 8 {
        parts.push("...".to_owned());
    }
    parts
}
