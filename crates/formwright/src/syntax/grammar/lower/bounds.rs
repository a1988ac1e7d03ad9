//! Bounds on the tokens of terminals: `THOUGHT[max_tokens=100]: /[^<]*/`.
//!
//! A terminal with a bound is a leaf of its own, whose tokens a matcher counts. Where a text could come to such a leaf
//! again, a token that leaves it and comes back would be counted to the first of the two, so that is refused.
//!
//! ```text
//! start: T "," T        two leaves, each with a bound of its own
//! start: (T ",")*       refused: one leaf, several times
//! ```

use super::super::ast::{Grammar, RuleId, Span};
use super::Foreign;
use super::parts::{OccurrenceId, Part, Parts, Symbol};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{Graph, Leaf, LeafId};
use crate::limits::Limits;
use crate::regular::{Encoding, Regular};

/// Most tokens, and where this is said.
pub type Most = (u32, Span);

/// Adds a leaf in which only so many tokens may end.
///
/// # Errors
/// [`crate::Kind::UnsupportedConstruct`] where its end can be too far for them.
pub fn bounded_leaf(
    graph: &mut Graph,
    tree: Regular,
    most: Most,
    grammar: &Grammar,
    limits: &Limits,
) -> Result<LeafId> {
    let (most, span) = most;
    let leaf = Leaf { tree, encoding: Encoding::Text };
    let refuse = |what: String, instead: &str| Err(Error::unsupported_construct(&grammar.text, span, what, instead));
    match leaf.farthest(limits)? {
        Some(farthest) if farthest < most => Ok(graph.bounded_leaf(leaf, most, farthest)),
        Some(farthest) => {
            let least = farthest.saturating_add(1);
            let what =
                format!("'max_tokens' is {most}, but {least} may be needed to end the text from some place in it");
            refuse(what, &format!("allow {least} tokens or more"))
        }
        None => {
            let what = "it is not known how many tokens are needed to end the text from any place in it";
            refuse(what.to_owned(), "bound a part of it that has no long texts in it")
        }
    }
}

/// Refuses a bound on what a text may have several times in one place of the rules.
///
/// # Errors
/// [`crate::Kind::UnsupportedConstruct`] with the place of the bound, or of the form that has it.
pub fn check_bounds(grammar: &Grammar, parts: &Parts, foreign: &[Foreign]) -> Result<()> {
    for (id, occurrence) in (0..).zip(&parts.occurrences) {
        let span = match occurrence.symbol {
            Symbol::Terminal(_) => parts.most_tokens(id).map(|(_, span)| span),
            Symbol::Foreign(at) => foreign[at as usize].language.has_bounds().then_some(occurrence.span),
        };
        if let Some(span) = span
            && is_repeated(parts, grammar.start, id)
        {
            let what = "'max_tokens' bounds a part that may come several times, whose tokens cannot be told apart";
            let instead = "write the parts one after the other, or bound one part around them";
            return Err(Error::unsupported_construct(&grammar.text, span, what, instead));
        }
    }
    Ok(())
}

/// Whether a text may have an occurrence several times.
fn is_repeated(parts: &Parts, start: RuleId, occurrence: OccurrenceId) -> bool {
    let (mut times, mut has_changed) = (vec![0_u8; parts.all.len()], true);
    while has_changed {
        has_changed = false;
        count(parts.all.len());
        for at in 0..parts.all.len() {
            let of = |part: &u32| times[*part as usize];
            let found = match &parts.all[at] {
                Part::Occurrence(own) => u8::from(*own == occurrence),
                Part::Rule(rule) => of(&parts.rules[*rule as usize]),
                Part::Sequence(all) => all.iter().map(of).fold(0, u8::saturating_add).min(2),
                Part::Choice(all) => all.iter().map(of).max().unwrap_or(0),
                Part::Repeat(_, _, Some(0)) => 0,
                Part::Repeat(body, _, Some(1)) => of(body),
                Part::Repeat(body, ..) => (2 * of(body)).min(2),
            };
            has_changed |= found != times[at];
            times[at] = found;
        }
    }
    times[parts.rules[start as usize] as usize] > 1
}
