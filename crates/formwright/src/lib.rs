//! The kernel of formwright.
pub mod error;
pub mod limits;
pub mod regular;
pub use error::{Error, Kind, Result};
pub use limits::Limits;
