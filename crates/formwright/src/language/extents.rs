//! How far the end of a text of a tree can be, from any place in it: no automaton is built.
//!
//! ```text
//! ab{3}(cd|e)    shortest 5    farthest 5: before `a`, or in `cd` after it    longest 6
//! ```
//!
//! Cost: one pass over the tree. Of an intersection only the longest text is bounded, and with it the rest of
//! any text.

use super::plain_shortest::plain_shortest;
use crate::regular::{Encoding, Escapes, Regular};

/// Bytes of an escape. Where any character may be escaped, two of them can be one character.
pub(super) const ESCAPE: u32 = 6;

/// Bytes of the texts of a tree; `None` where the tree does not show it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Of a shortest text.
    shortest: Option<u32>,
    /// To the end from any place, at most.
    pub farthest: Option<u32>,
    /// Of the longest text.
    longest: Option<u32>,
}

impl Extent {
    const EMPTY: Self = Self::all(0);

    const fn all(bytes: u32) -> Self {
        Self { shortest: Some(bytes), farthest: Some(bytes), longest: Some(bytes) }
    }

    /// Of texts of which no longest is known, and nothing else.
    fn up_to(longest: Option<u32>) -> Self {
        Self { shortest: None, farthest: longest, longest }
    }

    /// Of these texts with others after them.
    fn then(self, next: Self) -> Self {
        let inside = sum(self.farthest, next.shortest.or(next.longest));
        let longest = sum(self.longest, next.longest);
        let farthest = inside.zip(next.farthest).map(|(inside, after)| inside.max(after));
        Self { shortest: sum(self.shortest, next.shortest), farthest: farthest.or(longest), longest }
    }

    /// Of these texts or others.
    fn or(self, other: Self) -> Self {
        let of = |choose: fn(u32, u32) -> u32, a: Option<u32>, b: Option<u32>| a.zip(b).map(|(a, b)| choose(a, b));
        Self {
            shortest: of(u32::min, self.shortest, other.shortest),
            farthest: of(u32::max, self.farthest, other.farthest),
            longest: of(u32::max, self.longest, other.longest),
        }
    }

    /// Of these texts `low` to `high` times.
    fn times(self, low: u32, high: Option<u32>) -> Self {
        let most = |bytes: Option<u32>, times: u32| Some(bytes?.saturating_mul(times));
        let longest = match (high, self.longest) {
            (_, Some(0)) => Some(0),
            (high, longest) => high.and_then(|high| most(longest, high)),
        };
        let all = if low == 0 { Some(0) } else { most(self.shortest.or(self.longest), low) };
        let shortest = if low == 0 { Some(0) } else { most(self.shortest, low) };
        Self { shortest, farthest: sum(self.farthest, all).or(longest), longest }
    }
}

fn sum(some: Option<u32>, more: Option<u32>) -> Option<u32> {
    Some(some?.saturating_add(more?))
}

/// The extent of a tree.
pub(super) fn extent(tree: &Regular, encoding: Encoding) -> Extent {
    let of = |part: &Regular| extent(part, encoding);
    match tree {
        Regular::Never | Regular::Empty => Extent::EMPTY,
        Regular::Class(ranges) => Extent {
            shortest: plain_shortest(tree, encoding).map(|shortest| shortest.bytes),
            ..Extent::all(character(ranges, encoding))
        },
        Regular::Concat(parts) => parts.iter().rev().fold(Extent::EMPTY, |after, part| of(part).then(after)),
        Regular::Or(parts) => parts.iter().map(of).reduce(Extent::or).unwrap_or(Extent::EMPTY),
        Regular::Repeat(inner, low, high) => of(inner).times(*low, *high),
        Regular::Static(tree) => of(tree.0),
        Regular::And(parts) => Extent::up_to(parts.iter().filter_map(|part| of(part).longest).min()),
        Regular::Implicit(language) if encoding != Encoding::Json(Escapes::Any) => {
            Extent { shortest: language.shortest(), farthest: language.farthest(), longest: None }
        }
        Regular::Not(_) | Regular::Multiple(_) | Regular::Implicit(_) | Regular::After(..) | Regular::Parser(_) => {
            Extent::up_to(None)
        }
    }
}

/// Bytes to the end of a character of a class from any place in it, at most.
fn character(ranges: &[(char, char)], encoding: Encoding) -> u32 {
    let escaped = |(low, high): (char, char)| low < ' ' || ['"', '\\'].iter().any(|c| (low..=high).contains(c));
    match encoding {
        Encoding::Json(Escapes::Any) => 2 * ESCAPE,
        Encoding::Json(_) if ranges.iter().any(|&range| escaped(range)) => ESCAPE,
        _ => ranges.last().map_or(0, |&(_, high)| high.len_utf8() as u32),
    }
}
