//! Terminals: what a vocabulary does to the regular leaves of a graph, found once and shared by every schema.
//!
//! A state inside a string or a pattern says the same about tokens in whatever schema it occurs. Most tokens stay
//! inside the terminal: they are *context-independent*. Some tokens leave the terminal, and what comes after it decides
//! about their remaining bytes: they are *context-dependent*, and few, 486 of 131k tokens in a JSON string.
//!
//! ```text
//! inside a JSON string     foo   foo bar   o"        independent: a bit map, copied into the mask
//!                          o",   "}                  dependent: a small trie of what remains of each, `,` and `}`
//! ```
//!
//! *Closing tokens*, of which nothing remains, may come wherever the terminal may end: they are in the bit map too, and
//! are taken out where the terminal may not end.
//!
//! Cost: mostly 20-200 us the first time a dense state is seen, then a hash lookup. In a terminal that is not
//! self-delimiting (a number, `[a-z]+`), almost every token would be context-dependent. So only the tokens are kept
//! that leave it with a byte that can follow, and the set of these bytes is part of the key.

mod automata;
mod begun;
mod bitmap;
mod by_state;
mod cache;
mod class_loops;
mod classes;
mod dependent;
mod groups;
mod lookahead;
mod mask;
mod shortcuts;
mod tables;
mod texts;
mod token_set;
mod walk;

use automata::{Automata, Numbered};
use cache::{Ids, read};
use dependent::{Dependent, DependentKey};
use mask::{Farthest, States};
use texts::Counting;
use token_set::Collector;

pub use begun::{Begun, MostBegun, Parts, TokensBegun};
pub use bitmap::Bitmap;
pub use cache::Cache;
pub use dependent::{DependentTokens, Occurrence};
pub use groups::{Group, Groups, GroupsKey};
pub use lookahead::TokenLookahead;
pub use mask::{TerminalKey, TerminalMask, Tree};
pub use shortcuts::Shortcuts;
pub use tables::{Representative, RunTable, Tables};
pub use texts::TextTable;
pub use token_set::{LIST, TokenSet};
