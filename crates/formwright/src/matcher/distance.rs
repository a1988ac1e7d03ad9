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
use crate::language::{Rise, TEXT_RISE};
use crate::terminals::{Begun, MostBegun};

/// A bound on the tokens to the end.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    tokens: u32,
    rise: Rise,
    /// Tokens that any one token can add.
    by_any: u32,
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
        begun: &MostBegun,
    ) -> Option<Self> {
        let farthest = configurations.iter().map(|&place| machine.dearest_cost(lengths, place)).max()?;
        let here = |at: &Configuration| begun_at(machine, at.position, rise);
        let here = configurations.iter().map(here).try_fold(0, |most, here| Some(here?.max(most)))?;
        let tokens = farthest.saturating_add(here).saturating_add(rise.whitespace);
        let by_any = most_rise(begun, rise);
        Some(Self { tokens, rise, by_any, is_fresh: true, in_tokens: lengths.is_some() })
    }

    /// The tokens.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// After more text.
    #[inline]
    pub fn advance(&mut self, text: &[u8]) {
        self.tokens = self.tokens.saturating_add(rise_by(Begun::by(text), self.rise));
        self.is_fresh = false;
    }

    /// Tokens to the end after any text that begins so much.
    #[inline]
    pub fn after(&self, begun: &MostBegun) -> u32 {
        self.tokens.saturating_add(most_rise(begun, self.rise))
    }

    /// Tokens to the end after any one token.
    #[inline]
    pub fn after_any(&self) -> u32 {
        self.tokens.saturating_add(self.by_any)
    }
}

/// What any of some texts can add.
fn most_rise(begun: &MostBegun, rise: Rise) -> u32 {
    begun.iter().map(|begun| rise_by(begun, rise)).max().unwrap_or(0)
}

/// What a text that begins so much can add.
fn rise_by(begun: Begun, Rise { member, item, value, .. }: Rise) -> u32 {
    let an_item = item.saturating_add(value);
    [(begun.commas, member.max(an_item)), (begun.braces, member), (begun.brackets, an_item), (begun.colons, value)]
        .into_iter()
        .fold(0, |all, (times, rise)| all.saturating_add(rise.saturating_mul(times)))
}

/// What a text can add where it stands: to a name or value that has begun, or that needs nothing more to begin. `None`
/// if that is not known.
fn begun_at(machine: &Machine<'_>, position: Position, rise: Rise) -> Option<u32> {
    let Rise { member, item, value, .. } = rise;
    Some(match position {
        Position::Object { phase: Phase::Value, .. }
        | Position::Array { phase: Phase::Value, .. }
        | Position::Colon { .. } => 0,
        Position::Object { .. } | Position::Key { .. } => member,
        Position::Value { .. } | Position::Start(_) | Position::Literal { .. } => value,
        Position::Text { .. } => TEXT_RISE,
        Position::Terminal { leaf, .. } => machine.graph.farthest_of_leaf(leaf)?,
        Position::Array { .. } => item.saturating_add(value),
        Position::Excluding { leaf, .. } => {
            let unknown = member.max(item).saturating_add(value);
            machine.farthest_excluded(leaf).map_or(unknown, |farthest| farthest.max(TEXT_RISE))
        }
        _ => member.max(item).saturating_add(value),
    })
}
