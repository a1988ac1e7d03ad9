//! What may come next: from configurations to the tokens they allow.
//!
//! ```text
//! PlainMask     what a matcher allows, to be written to a Row: the entries of its configurations, and the end
//!   Entry       what one configuration allows: terminal masks and further tokens
//!     Masker    makes an entry by a walk over the vocabulary's tries, once for each EntryKey
//! ```
//!
//! Cost: mostly a lookup and a copy of a bit map. One entry serves many texts; the few tokens about which the
//! used names decide are listed apart in it and checked for every mask.

mod cache;
mod dependent;
mod entry;
mod equivalence;
mod fragments;
mod groups;
mod lockstep;
mod lookup;
mod mask;
mod masker;
mod name_completing;
mod pieces;
mod precompute;
mod row;
mod terminal_cache;
mod terminals;
mod walk;

pub use entry::Entry;
use equivalence::{representative_window, without_names};
use lookup::insert_entry;
use masker::Masker;
use name_completing::NameCompleting;
use terminal_cache::TerminalCache;
use walk::{Tokens, Walk};

pub use cache::MaskCache;
pub use fragments::{Fragments, highest};
pub use lookup::{Bound, Written, begun, lookup, masker, write_one};
pub use mask::{PlainMask, set};
pub use precompute::precomputed;
pub use row::Row;
