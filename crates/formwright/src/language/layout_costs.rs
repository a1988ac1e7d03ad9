//! What whitespace costs a text, at least: nonzero only for styles that require some.
//!
//! ```text
//! pretty     a member starts on a new line: one byte, and a space after its colon: one more
//! ```

use std::sync::Arc;

use super::{Graph, Layout, Spaces, end};

/// Fewest whitespace bytes at each place.
#[derive(Clone, Debug)]
pub struct LayoutCosts {
    spaces: Arc<Spaces>,
}

impl LayoutCosts {
    /// The costs of the whitespace of `graph`.
    pub fn new(graph: &Graph) -> Self {
        Self { spaces: Arc::clone(&graph.spaces) }
    }

    /// A comma and the whitespace around it.
    pub fn between_items(&self, layout: &Layout) -> u32 {
        1 + self.spaces.shortest(layout.value, end::COMMA) + self.spaces.shortest(layout.comma, end::ITEM)
    }

    /// Whitespace after the opening and before the closing bracket.
    pub fn around_items(&self, layout: &Layout, count: u32) -> u32 {
        if count == 0 {
            return self.spaces.shortest(layout.open, end::CLOSE);
        }
        self.spaces.shortest(layout.open, end::ITEM) + self.spaces.shortest(layout.value, end::CLOSE)
    }

    /// Whitespace between an opening brace and a name.
    pub fn after_open(&self, layout: &Layout) -> u32 {
        self.spaces.shortest(layout.open, end::ITEM)
    }

    /// Whitespace between a value and the closing brace.
    pub fn before_close(&self, layout: &Layout) -> u32 {
        self.spaces.shortest(layout.value, end::CLOSE)
    }

    /// A colon and the whitespace around it.
    pub fn colon(&self, layout: &Layout) -> u32 {
        1 + self.spaces.shortest(layout.key, end::COLON) + self.spaces.shortest(layout.colon, end::ITEM)
    }
}
