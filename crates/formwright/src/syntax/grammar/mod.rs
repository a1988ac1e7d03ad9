//! Grammars: Lark, GBNF and EBNF, read to what they say.
//!
//! ```text
//! start: "-"? INT ("," INT)*      Lark             root ::= "-"? [0-9]+ ("," [0-9]+)*      GBNF
//!     text ─ lark | gbnf ─► written: names are texts ─ resolve ─► ast: names are ids
//! ```
//!
//! A reader finds everything that can be wrong with a grammar before its texts are known: names that mean nothing, or two
//! things; terminals inside themselves; templates, imports and attributes.
//!
//! Cost: linear in the text and in what templates make of it, which has bounds ([`Limits`]); groups nest to a bound, so
//! functions that call themselves need little stack.

pub mod assembly;
pub mod ast;
pub mod compile;
pub mod derivation;
pub mod lower;

mod control;
mod cursor;
mod escapes;
mod gbnf;
mod lark;
mod nearest;
mod resolve;
mod stored;
mod times;
mod written;

use std::collections::BTreeSet;
use std::sync::Arc;

use ast::{Grammar, Syntax};
use cursor::Cursor;

use crate::error::{Error, Result};
use crate::interrupt::bounded;
use crate::limits::Limits;

/// How a grammar is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Its notation; if it is not said, what the first definition looks like.
    pub syntax: Option<Syntax>,
    /// The rule a text begins with; if it is not said, `start` or `root`.
    pub start: Option<String>,
    /// The names of the forms that are given with the grammar. Those in terminals must be regular, which is not known here.
    pub forms: BTreeSet<String>,
    /// Bounds.
    pub limits: Limits,
}

/// Reads a grammar.
///
/// # Errors
/// [`crate::Kind::Grammar`] with the place; [`crate::Kind::UnsupportedConstruct`] for what is known and cannot be
/// enforced; [`crate::Kind::Limit`] for what is too large.
pub fn read(text: &str, options: &ReadOptions) -> Result<Grammar> {
    if text.len() > options.limits.grammar_bytes {
        return Err(Error::limit("bytes of a grammar", text.len(), options.limits.grammar_bytes)
            .hint("split the grammar, and pass its parts as forms in forms="));
    }
    let text: Arc<str> = text.into();
    bounded(options.limits.work, || match options.syntax.unwrap_or_else(|| syntax_of(&text, &options.limits)) {
        Syntax::Lark => lark::read(&text, options),
        Syntax::Gbnf => gbnf::read(&text, options),
    })
}

/// The notation of a grammar, from what comes after its first name.
pub fn syntax_of(text: &str, limits: &Limits) -> Syntax {
    let mut cursor = Cursor::new(text, limits);
    if skip_comments(&mut cursor) {
        return Syntax::Lark;
    }
    if cursor.name().is_empty() {
        return if cursor.is_at("<") { Syntax::Gbnf } else { Syntax::Lark };
    }
    if cursor.is_at("[") {
        cursor.take_while(|c| c != ']' && c != '\n');
        cursor.next();
    }
    skip_comments(&mut cursor);
    if cursor.is_at("::=") || cursor.is_at("=") { Syntax::Gbnf } else { Syntax::Lark }
}

/// Bytes of a stack that must be left to read a group, and how many it gets where they are not.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// Reads a group: groups inside groups are read by calls, and a thread with a small stack gets more where little is left.
fn with_stack<T>(read: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_LEFT, STACK_MORE, read)
}

/// Skips blanks and the comments of both notations. Whether one of them begins with `//`, as only those of Lark do.
fn skip_comments(cursor: &mut Cursor<'_>) -> bool {
    let mut is_lark = false;
    loop {
        cursor.take_while(char::is_whitespace);
        if cursor.is_at("#") || cursor.is_at("//") {
            is_lark |= cursor.is_at("//");
            cursor.take_line();
        } else if cursor.eat("/*") {
            cursor.at += cursor.rest().find("*/").map_or(cursor.rest().len(), |end| end + 2);
        } else {
            return is_lark;
        }
    }
}
