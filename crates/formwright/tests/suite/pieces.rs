//! The pieces of a text allow what a choice of all of them does: alone, inside other languages, and in JSON.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{allowed, tables_of};
use formwright::regular::Unit;
use formwright::syntax::choice::choice;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::pieces::one_of_text;
use formwright::syntax::regex::regex;
use formwright::terminals::Tables;
use formwright::{Constraint, Language, Limits};
use proptest::prelude::*;

const TOKENS: [&str; 14] =
    ["ab", "ba", "aab", "é", "abé", "b ", " a", "bb a", "a-", "b\"", "\"a", "\\\"", "a\",\"", "\"}"];

/// Every piece of a text.
fn every_piece(text: &str, unit: Unit) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let ranges = unit.ranges(&characters);
    let pieces = ranges.iter().enumerate().flat_map(|(at, first)| {
        ranges[at..].iter().map(|last| characters[first.0 as usize..last.1 as usize].iter().collect())
    });
    pieces.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Some texts in some surroundings.
fn among(texts: &Language, surroundings: u8) -> Language {
    let dashes = regex("-a*", &Limits::default()).unwrap();
    match surroundings {
        0 => texts.clone(),
        1 => texts.then(&dashes).unwrap(),
        2 => texts.or(&dashes).unwrap(),
        3 => texts.repeat(1, 3).unwrap(),
        4 => texts.then(&choice(&[" ", "b", "ab a"], &Limits::default()).unwrap()).unwrap(),
        _ => dashes.then(texts).unwrap().then(texts).unwrap(),
    }
}

/// Both as values of a schema.
fn in_schema(text: &str, unit: Unit, surroundings: u8) -> [Language; 2] {
    let pieces = serde_json::json!({"x-one-of-text": {"source": text, "unit": unit.name()}, "type": "string"});
    let texts = serde_json::json!({"enum": every_piece(text, unit)});
    [pieces, texts].map(|value| {
        let schema = match surroundings % 3 {
            0 => value,
            1 => serde_json::json!({"type": "object", "properties": {"a": value, "b": value}, "required": ["a"],
                "additionalProperties": false}),
            _ => serde_json::json!({"type": "array", "items": {"anyOf": [value, {"type": "null"}]}}),
        };
        json_schema(&schema.to_string(), &Options::default()).unwrap()
    })
}

/// Walks at random, and compares the masks at every step: and those with a budget of the fewest tokens.
fn compare(pair: &[Language; 2], choices: &[prop::sample::Index], tables: &Arc<Tables>) {
    let [pieces, texts] = pair;
    assert_eq!(pieces.example().unwrap().len(), texts.example().unwrap().len());
    let [mut pieces, mut texts] = pair.each_ref().map(|language| Constraint::new(language, tables).unwrap().matcher());
    let count = tables.vocabulary.len() as u32;
    for choice in choices {
        let mask = allowed(&mut pieces, None, count);
        assert_eq!(mask, allowed(&mut texts, None, count));
        for more in [0, 1, 3] {
            let least = pieces.min_tokens_to_finish();
            let within = allowed(&mut pieces, Some(least + more), count);
            assert!(!within.is_empty() && within.iter().all(|token| mask.contains(token)));
        }
        let token = mask[choice.index(mask.len())];
        if token == 0 {
            break;
        }
        pieces.accept_token(token).unwrap();
        texts.accept_token(token).unwrap();
    }
}

fn unit() -> impl Strategy<Value = Unit> {
    (0..3_usize).prop_map(|at| Unit::EVERY[at])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pieces_allow_what_a_choice_of_them_does(
        text in "[abé\" .-]{0,9}a",
        unit in unit(),
        surroundings in 0..6_u8,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 12),
    ) {
        let limits = Limits::default();
        let pieces = one_of_text(&text, unit, &limits).unwrap();
        let texts = choice(&every_piece(&text, unit), &limits).unwrap();
        let pair = [pieces, texts].map(|language| among(&language, surroundings));
        compare(&pair, &choices, &tables_of(TOKENS, limits));
    }

    #[test]
    fn strings_of_a_schema_too(
        text in "[abé\" .\n-]{0,9}a",
        unit in unit(),
        surroundings in 0..3_u8,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 12),
    ) {
        compare(&in_schema(&text, unit, surroundings), &choices, &tables_of(TOKENS, Limits::default()));
    }

    #[test]
    fn other_keywords_hold_beside_it(text in "[abé\" ]{1,8}", low in 0..4_usize, more in 0..3_usize) {
        let schema = serde_json::json!({"x-one-of-text": text, "minLength": low, "maxLength": low + more,
            "not": {"const": "a"}, "type": "string"});
        let meant: Vec<String> = every_piece(&text, Unit::Char)
            .into_iter()
            .filter(|piece| (low..=low + more).contains(&piece.chars().count()) && piece != "a")
            .collect();
        match json_schema(&schema.to_string(), &Options::default()) {
            Err(error) => prop_assert!(meant.is_empty(), "{error}"),
            Ok(language) => for piece in every_piece(&text, Unit::Char) {
                let json = serde_json::to_vec(&piece).unwrap();
                prop_assert_eq!(language.check(&json).unwrap().1, meant.contains(&piece), "{}", piece);
            },
        }
    }
}

#[test]
fn what_is_no_text_to_take_pieces_from_is_refused() {
    let refused = |value: &str| {
        let schema = format!(r#"{{"items": {{"x-one-of-text": {value}}}}}"#);
        json_schema(&schema, &Options::default()).unwrap_err().message
    };
    assert!(refused("\"\"").contains("/items/x-one-of-text"));
    assert!(refused("\"\"").contains("is empty"));
    assert!(refused(r#"{"source": "--", "unit": "word"}"#).contains("has no word"));
    assert!(refused(r#"{"source": "a", "unit": "line"}"#).contains("\"unit\" must be"));
    assert!(refused(r#"{"source": "a", "units": "word"}"#).contains("\"units\" is not a member"));
    assert!(refused(r#"{"unit": "word"}"#).contains("\"source\" must be a text"));
    assert!(refused("3").contains("a text or an object"));
}
