//! The kernel of formwright.
pub mod constraint;
pub mod error;
pub mod language;
pub mod leaf;
pub mod limits;
pub mod matcher;
pub mod regular;
pub mod syntax;
pub mod vocabulary;
pub use constraint::{Constraint, Language, Reading};
pub use error::{Error, Kind, Result};
pub use limits::Limits;
