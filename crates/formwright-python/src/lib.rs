//! The border between Python and the kernel: a small file for each class, for schemas and for grammars; no algorithm.
//!
//! Only `str`, `bytes`, ints, lists of these and writable buffers cross it.
//! Errors become the classes of `formwright.errors`. The comments on what Python sees are its docstrings, in the style of
//! Python; `docs/stubs.py` copies them into `_kernel.pyi`.

#![allow(clippy::doc_markdown)]

mod buffer;
mod canvas;
mod constraint;
mod derivation;
mod errors;
mod grammar;
mod interrupt;
mod language;
mod masks;
mod matcher;
mod merges;
mod parser;
mod rows;
mod schema;
mod vocabulary;

use pyo3::prelude::*;

/// Compiling a schema is a few hundred small allocations: a fast allocator is a third of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The kernel as the Python module `formwright._kernel`.
#[pymodule(gil_used = false)]
mod _kernel {
    #[pymodule_export]
    use super::buffer::RowBuffer;
    #[pymodule_export]
    use super::canvas::Canvas;
    #[pymodule_export]
    use super::constraint::Constraint;
    #[pymodule_export]
    use super::derivation::Derivations;
    #[pymodule_export]
    use super::errors::_panic;
    #[pymodule_export]
    use super::interrupt::Interrupt;
    #[pymodule_export]
    use super::language::{Language, Values, places};
    #[pymodule_export]
    use super::masks::{apply_bitmask, best_allowed, copy_allowed, first_allowed};
    #[pymodule_export]
    use super::matcher::Matcher;
    #[pymodule_export]
    use super::merges::Merges;
    #[pymodule_export]
    use super::parser::character_ranges;
    #[pymodule_export]
    use super::rows::{KeptRows, fill_bitmasks};
    #[pymodule_export]
    use super::schema::{environment, json_schema_formats, json_schema_keywords};
    #[pymodule_export]
    use super::vocabulary::Vocabulary;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
