//! How many tokens a text is from its end, at most: where the budget is larger, nothing is asked.
//!
//! ```text
//! {"a": [1         measured: 2 bytes, so 2 tokens
//! {"a": [1, "foo   read since: a comma, which began an item, so the bytes that an item can add
//! ```
//!
//! Cost: to measure, the cost of a configuration; to go on, a look at the bytes of a token. Wrinkle: it holds while the
//! text stands in one place only. Of several, one alone can be farther away than all of them together.

use super::machine::{Configuration, Machine, Phase, Position, TokenLengths};
use crate::language::Rise;
use crate::terminals::Begun;

/// A bound on the tokens to the end.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    tokens: u32,
    rise: Rise,
    /// Whether nothing was read since it was measured; then it holds of several places as well.
    pub is_fresh: bool,
    /// Whether it was measured in tokens, not in bytes.
    pub in_tokens: bool,
}

impl Distance {
    /// Of a text that stands in any of these places: in tokens, if their lengths are given, else in bytes.
    pub fn measure(
        machine: &mut Machine<'_>,
        configurations: &[Configuration],
        lengths: Option<&TokenLengths>,
        rise: Rise,
    ) -> Option<Self> {
        let farthest = configurations.iter().map(|&place| machine.dearest_bound(lengths, place)).max()?;
        let begun = configurations.iter().map(|configuration| begun_at(configuration.position, rise)).max()?;
        let tokens = farthest.saturating_add(begun).saturating_add(rise.whitespace);
        Some(Self { tokens, rise, is_fresh: true, in_tokens: lengths.is_some() })
    }

    /// The tokens.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// After more text.
    #[inline]
    pub fn advance(&mut self, text: &[u8]) {
        self.tokens = self.after(Begun::by(text));
        self.is_fresh = false;
    }

    /// Tokens to the end after a text that begins so much.
    #[inline]
    pub fn after(&self, begun: Begun) -> u32 {
        let Rise { part, value, .. } = self.rise;
        let rise = part.saturating_mul(begun.parts).saturating_add(value.saturating_mul(begun.values));
        self.tokens.saturating_add(rise)
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
