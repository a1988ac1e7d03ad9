//! How many bytes a text is from its end, at most: where the budget is larger, nothing is asked.
//!
//! ```text
//! {"a": [1         measured: 2 bytes
//! {"a": [1, "foo   read since: a comma, which began an item, so the bytes that an item can add
//! ```
//!
//! Cost: to measure, the cost of a configuration; to go on, a look at the bytes of a token. Wrinkle: it holds while the
//! text stands in one place only. Of several, one alone can be farther away than all of them together.

use super::machine::{Configuration, Machine, Phase, Position};
use crate::language::Rise;
use crate::terminals::Begun;

/// A bound on the bytes to the end.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    bytes: u32,
    rise: Rise,
    /// Whether nothing was read since it was measured; then it holds of several places as well.
    pub is_fresh: bool,
}

impl Distance {
    /// Of a text that stands in any of these places.
    pub fn measure(machine: &mut Machine<'_>, configurations: &[Configuration], rise: Rise) -> Option<Self> {
        let farthest = configurations.iter().map(|&configuration| machine.configuration_cost(configuration)).max()?;
        let begun = configurations.iter().map(|configuration| begun_at(configuration.position, rise)).max()?;
        let bytes = farthest.saturating_add(begun).saturating_add(rise.whitespace);
        Some(Self { bytes, rise, is_fresh: true })
    }

    /// The bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// After more text.
    #[inline]
    pub fn advance(&mut self, text: &[u8]) {
        self.bytes = self.after(Begun::by(text));
        self.is_fresh = false;
    }

    /// Bytes to the end after a text that begins so much.
    #[inline]
    pub fn after(&self, begun: Begun) -> u32 {
        let Rise { part, value, .. } = self.rise;
        let rise = part.saturating_mul(begun.parts).saturating_add(value.saturating_mul(begun.values));
        self.bytes.saturating_add(rise)
    }
}

/// What a text can add where it stands: to a name or value that has begun, or that needs nothing more to begin.
fn begun_at(position: Position, rise: Rise) -> u32 {
    match position {
        Position::Object { phase: Phase::Value, .. }
        | Position::Array { phase: Phase::Value, .. }
        | Position::Colon { .. } => 0,
        Position::Object { .. } | Position::Key { .. } => rise.part,
        Position::Value { .. } | Position::Start(_) | Position::Literal { .. } => rise.value,
        Position::Text { .. } | Position::Terminal { .. } => rise.part.max(rise.value), // a name or a value
        _ => rise.part.saturating_add(rise.value),
    }
}
