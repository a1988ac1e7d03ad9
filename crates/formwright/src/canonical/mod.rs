//! Canonical tokens: what a tokenizer would write, and nothing else.
//!
//! A text can be spelled by many sequences of tokens; an encoder writes one of them, and a model was trained on that one
//! alone. A sequence is *canonical* if an encoder makes it of its own text.
//!
//! ```text
//! " Theodore"      canonical: " Theodore"      " T"+"heodore" spells the same, and was never seen in training
//! ```

pub mod boundaries;
mod columns;
mod completions;
mod cutter;
pub mod merges;
mod numbered;
pub mod pairs;
pub mod pattern;
mod pieces;
pub mod program;
mod reader;
mod spelling;
pub mod splits;
pub mod stored;
mod times;
mod wholes;

pub use boundaries::{DEAD, StateId};
pub use columns::{Ends, Moves};
pub use completions::Completion;
pub use merges::{Cuts, Merges};
pub use pattern::Properties;
pub use pieces::SharedPieces;
pub use spelling::{Place, Spelling};
pub use splits::{Description, Order, Splits, Symbols, TokenId};

/// Which tokens of a text must be canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Perhaps none.
    Nothing,
    /// Those that can only come next.
    Forced,
    /// All.
    All,
}

impl Scope {
    /// Every scope; its place here stands for it where it is stored.
    pub const EVERY: [Self; 3] = [Self::Nothing, Self::Forced, Self::All];
}
