//! Parts in which only so many tokens may end: masks are those of trying every token, within a budget or without one,
//! whatever other texts of the same constraint have left in its caches.

use std::sync::Arc;

use crate::common::{allowed, tables_of};
use formwright::language::UNBOUNDED;
use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::regex::regex;
use formwright::syntax::text::{Free, text};
use formwright::terminals::Tables;
use formwright::{Constraint, Kind, Language, Limits};

const LONGER: [&str; 17] = [
    "ab", "</", "</t>", "x</t>", "</t>{", "t>{\"", "{\"", "\":", "\",\"", "\"}", "true", "a\":tr", "}]", "é", "日本",
    "aaaaaa", ":a",
];

fn tables() -> Arc<Tables> {
    tables_of(LONGER, Limits::default())
}

fn free(markers: &[&str], included: bool, most_tokens: u32) -> Language {
    let markers = markers.iter().map(|&marker| marker.to_owned()).collect();
    text(&Free { markers, included, most: UNBOUNDED, most_tokens }, &Limits::default()).unwrap()
}

/// Languages with a part of at most so many tokens.
fn languages(most: u32) -> Vec<Language> {
    let pattern = |source: &str| regex(source, &Limits::default()).unwrap();
    let schema =
        r#"{"required": ["a"], "additionalProperties": {"type": "boolean"}, "properties": {"a": {}, "c": {}}}"#;
    let json = json_schema(schema, &Options::default()).unwrap();
    let row = |parts: &[Language]| parts.iter().skip(1).fold(parts[0].clone(), |all, part| all.then(part).unwrap());
    vec![
        row(&[free(&["</t>"], true, most), json.clone()]),
        row(&[pattern("<|x"), free(&["</t>"], false, most), pattern("</t>"), json]),
        row(&[pattern("a|ab|"), free(&[], true, most), pattern("ab|true")]),
        row(&[free(&[":"], true, most), free(&["b", "</"], true, most), free(&[], true, most)]),
        free(&[":"], true, most).or(&free(&[], true, most)).unwrap(),
        row(&[pattern("(a|b)*"), free(&[":"], true, most), pattern("a?")]),
    ]
}

/// The tokens that can be accepted, after which a text can be completed within the budget.
fn tried(matcher: &Matcher, budget: Option<u32>, count: u32) -> Vec<u32> {
    let fits = |&token: &u32| {
        let mut fork = matcher.fork();
        let accepted = fork.accept_token(token).is_ok();
        accepted && (fork.is_finished() || budget.is_none_or(|budget| fork.min_tokens_to_finish() < budget))
    };
    (0..count).filter(fits).collect()
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A token, mostly one that does not end the text.
fn chosen(allowed: &[u32], random: &mut Random) -> u32 {
    let liked: Vec<u32> = allowed
        .iter()
        .copied()
        .filter(|token| b"ax<{\"\xC3\xF0".map(|byte| u32::from(byte) + 1).contains(token))
        .collect();
    if liked.is_empty() || random.below(3) == 0 {
        allowed[random.below(allowed.len())]
    } else {
        liked[random.below(liked.len())]
    }
}

#[test]
fn masks_are_those_of_trying_every_token() {
    let tables = tables();
    let (count, mut random) = (tables.vocabulary.len() as u32, Random(1));
    for most in [8, 9, 12] {
        for (place, language) in languages(most).iter().enumerate() {
            let constraint = Constraint::new(language, &tables).unwrap();
            for walk in 0..12 {
                let mut matcher = constraint.matcher();
                let more = [0, 1, 4, 20][walk % 4];
                let mut budget = (walk % 3 > 0).then(|| matcher.min_tokens_to_finish() + more);
                for step in 0..24 {
                    let seen = allowed(&mut matcher, budget, count);
                    assert!(!seen.is_empty());
                    assert_eq!(seen, tried(&matcher, budget, count), "{place} at most {most}: {walk}, {step}");
                    matcher.accept_token(chosen(&seen, &mut random)).unwrap();
                    if matcher.is_finished() {
                        break;
                    }
                    budget = budget.map(|budget| budget - 1);
                }
            }
        }
    }
}

#[test]
fn a_text_goes_back_to_what_was_left() {
    let (tables, mut random) = (tables(), Random(2));
    let count = tables.vocabulary.len() as u32;
    for language in languages(8) {
        let mut matcher = Constraint::new(&language, &tables).unwrap().matcher();
        let mut seen = vec![allowed(&mut matcher, None, count)];
        while seen.len() < 40 && !matcher.is_finished() {
            matcher.accept_token(chosen(&seen[seen.len() - 1], &mut random)).unwrap();
            seen.push(if matcher.is_finished() { Vec::new() } else { allowed(&mut matcher, None, count) });
        }
        let forks: Vec<Matcher> = (0..seen.len())
            .map(|steps| {
                let mut fork = matcher.fork();
                fork.rollback(steps).unwrap();
                fork
            })
            .collect();
        for (mut fork, expected) in forks.into_iter().zip(seen.iter().rev()).filter(|(fork, _)| !fork.is_finished()) {
            assert_eq!(&allowed(&mut fork, None, count), expected);
        }
    }
}

#[test]
fn a_part_is_not_shared_with_its_twin() {
    let line = free(&["\n"], true, 5);
    let twice = line.then(&line).unwrap().or(&line).unwrap();
    let leaves: Vec<u32> = twice.graph().bounds.iter().map(|bound| bound.leaf).collect();
    assert_eq!((leaves, twice.graph().leaves.len()), (vec![0, 1, 2], 3));
}

#[test]
fn what_cannot_be_bounded_is_refused() {
    let line = free(&["\n"], true, 5);
    let other = regex("a", &Limits::default()).unwrap();
    for refused in [line.repeat(0, 2), line.and(&other), other.and(&line), line.complement()] {
        assert!(matches!(*refused.unwrap_err().kind, Kind::Argument { .. }));
    }
    assert!(line.repeat(0, 1).is_ok());
    let few = Free { markers: vec!["\n".to_owned()], included: true, most: UNBOUNDED, most_tokens: 4 };
    assert!(text(&few, &Limits::default()).unwrap_err().message.contains("5 may be needed"));
}
