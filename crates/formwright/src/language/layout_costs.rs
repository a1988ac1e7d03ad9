//! What brackets, commas and colons cost a text, at least, with the whitespace that a style requires around them.
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

    /// A comma and the whitespace around it, or what is in its place.
    pub fn between_items(&self, layout: &Layout) -> u32 {
        if layout.between > 0 {
            return layout.between;
        }
        1 + self.spaces.shortest(layout.value, end::COMMA) + self.spaces.shortest(layout.comma, end::ITEM)
    }

    /// The brackets around so many items, if there are any, with the whitespace inside of them.
    pub fn brackets(&self, layout: &Layout, count: u32) -> u32 {
        if layout.between > 0 {
            return 0;
        }
        if count == 0 {
            return 2 + self.spaces.shortest(layout.open, end::CLOSE);
        }
        1 + self.spaces.shortest(layout.open, end::ITEM) + self.close(layout)
    }

    /// Whitespace between an opening brace and a name.
    pub fn after_open(&self, layout: &Layout) -> u32 {
        self.spaces.shortest(layout.open, end::ITEM)
    }

    /// The closing bracket after a value, if there is one, and the whitespace before it.
    pub fn close(&self, layout: &Layout) -> u32 {
        if layout.between > 0 { 0 } else { 1 + self.spaces.shortest(layout.value, end::CLOSE) }
    }

    /// A colon, if there is one, and the whitespace around it.
    pub fn colon(&self, layout: &Layout) -> u32 {
        if layout.between > 0 {
            return 0;
        }
        1 + self.spaces.shortest(layout.key, end::COLON) + self.spaces.shortest(layout.colon, end::ITEM)
    }
}
