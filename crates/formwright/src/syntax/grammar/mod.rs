//! Grammars.

pub mod ast;
pub mod lower;
