//! The kernel of formwright: which tokens keep a conforming text?
//!
//! Four nouns carry everything. A [`Language`] is a set of byte strings; a
//! [`vocabulary::Vocabulary`] is what each token id spells; a [`Constraint`] is a
//! language compiled for a vocabulary, frozen and shared; a [`matcher::Matcher`]
//! is one running sequence, which fills masks and accepts tokens.
//!
//! ```
//! use std::sync::Arc;
//! use formwright::{Constraint, Limits, terminals::Tables, syntax, vocabulary::Vocabulary};
//!
//! # fn main() -> formwright::Result<()> {
//! let tokens: Vec<Vec<u8>> = ["</s>", "y", "ye", "yes", "s", "no", "x"].iter().map(|t| t.as_bytes().to_vec()).collect();
//! let vocabulary = Arc::new(Vocabulary::new(&tokens, &[0], Default::default(), None)?);
//! let tables = Arc::new(Tables::new(vocabulary, Limits::default()));
//!
//! let language = syntax::choice::choice(&["yes", "no"], &Limits::default())?;
//! let mut matcher = Constraint::new(&language, &tables)?.matcher();
//! let mut mask = vec![0_u32; 1];
//! matcher.fill_bitmask(&mut mask, None)?;
//! assert_eq!(mask[0], 0b10_1110); // y, ye, yes, no
//! matcher.accept_token(2)?;
//! matcher.fill_bitmask(&mut mask, None)?;
//! assert_eq!(mask[0], 0b1_0000); // s
//! # Ok(())
//! # }
//! ```
//!
//! From the lowest layer up; `tests/suite/layers.rs` holds the table to the sources:
//!
//! | module | holds | uses |
//! |---|---|---|
//! | [`error`] | one error type with its place | |
//! | [`interrupt`] | work that is counted, bounded and ended from outside | `error` |
//! | [`limits`] | every bound in one struct | |
//! | [`bytes`] | the envelope of everything that is stored | `error` |
//! | [`regular`] | regular languages with And, Not and counters; lazy byte automata; the pieces of a text | `error`, `interrupt`, `limits`, `bytes` |
//! | [`canonical`] | what a tokenizer itself writes: its merges and its pieces | `error`, `bytes` |
//! | [`vocabulary`] | tokens and their prefix trees | `error`, `bytes`, `regular` |
//! | [`language`] | the graph that every front end builds and the matcher runs | `error`, `interrupt`, `limits`, `regular`, `vocabulary` |
//! | [`terminals`] | masks of regular leaves, shared by the schemas of a vocabulary | `error`, `limits`, `regular`, `vocabulary`, `language` |
//! | [`matcher`] | constraints, configurations, masks, budget, canonical tokens | `error`, `interrupt`, `limits`, `regular`, `canonical`, `vocabulary`, `language`, `terminals` |
//! | [`syntax`] | text to graph: choice, pieces of a text, regular expressions, JSON Schema and its notations; grammars | `error`, `interrupt`, `limits`, `bytes`, `regular`, `language`, `matcher` |
//! | [`source`] | what a user wrote to get a language, to be stored | `error`, `limits`, `bytes`, `regular`, `canonical`, `vocabulary`, `language`, `syntax` |
//!
//! The kernel does no I/O. What the process keeps beside the values a caller holds: tables made once (character kinds,
//! formats, keywords), a bounded cache of shortest texts, and for each thread an arena for reading schemas, a few common
//! trees and the shortest texts of those made once. `unsafe` is in one file, `matcher/masks/row.rs`, which writes rows that other threads can see.

pub mod bytes;
pub mod canonical;
pub mod error;
pub mod interrupt;
pub mod language;
pub mod limits;
pub mod matcher;
pub mod regular;
pub mod source;
pub mod syntax;
pub mod terminals;
pub mod vocabulary;

pub use error::{Error, Kind, Result};
pub use interrupt::Interrupt;
pub use language::Language;
pub use limits::Limits;
pub use matcher::Constraint;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeRuns;
