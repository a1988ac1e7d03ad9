//! Front ends: texts that describe languages, read into graphs. One file, or folder, for each.

pub mod choice;
pub mod grammar;
pub mod json_schema;
pub mod notation;
pub mod pieces;

mod ascii;
mod continuation;
mod ecma;
pub mod lexeme;
mod pattern;
pub mod python;
pub mod regex;
pub mod text;

pub(crate) use ecma::parse as ecma_pattern;
pub(crate) use pattern::Mode;
