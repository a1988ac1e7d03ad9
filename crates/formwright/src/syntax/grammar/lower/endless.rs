//! Why a grammar has no finite text: rules of which each needs another one.
//!
//! ```text
//! start: x            'x' never ends: x -> y -> x
//! x: "(" y | "[" x
//! y: x ")"
//! ```

use super::super::ast::{Grammar, RuleId};
use super::super::cursor::shorten;
use super::parts::{Part, PartId, Parts};
use super::places::nullable_parts;
use crate::error::{Error, Kind};

/// Rules that a message lists.
const MOST_LISTED: usize = 8;

/// The error of a grammar without texts: with the place of the rules that never end, if these are the cause.
pub fn no_text(grammar: &Grammar, parts: &Parts, kind: Kind) -> Error {
    let what = "no text conforms to it";
    let Some(rules) = endless_rules(parts, grammar.start) else { return Error::new(kind, format!("grammar: {what}")) };
    let name = |&rule: &RuleId| shorten(&grammar.rules[rule as usize].name);
    let mut way: Vec<String> = rules.iter().take(MOST_LISTED).map(name).collect();
    way.extend((rules.len() > MOST_LISTED).then(|| "...".to_owned()));
    way.push(name(&rules[0]));
    let why = format_args!("{what}, since '{}' never ends: {}", way[0], way.join(" -> "));
    let error = Error::grammar(&grammar.text, grammar.rules[rules[0] as usize].span, why);
    Error { kind: Box::new(kind), ..error }.hint("give one of these rules an alternative that ends")
}

/// Rules of which each needs the next one, and the last one the first, on the way from a rule; `None` if it can end.
fn endless_rules(parts: &Parts, start: RuleId) -> Option<Vec<RuleId>> {
    let ends = nullable_parts(parts, |_| true); // as if each terminal had the empty text
    let mut way = vec![start];
    loop {
        let next = endless_rule(parts, &ends, parts.rules[*way.last()? as usize])?;
        if let Some(first) = way.iter().position(|&known| known == next) {
            return Some(way.split_off(first));
        }
        way.push(next);
    }
}

/// The first rule that a part needs and that never ends.
fn endless_rule(parts: &Parts, ends: &[bool], mut part: PartId) -> Option<RuleId> {
    loop {
        part = match parts.get(part) {
            _ if ends[part as usize] => return None,
            Part::Rule(rule) => return Some(*rule),
            Part::Choice(all) => *all.first()?,
            Part::Sequence(all) => *all.iter().find(|&&part| !ends[part as usize])?,
            Part::Repeat(body, ..) => *body,
            Part::Occurrence(_) => return None,
        };
    }
}
