//! A choice of objects whose beginnings are factored out allows what its options allow together.

use std::sync::{Arc, OnceLock};

use crate::common::{allowed, tables};
use formwright::matcher::{Matcher, Recognizer};
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::terminals::Tables;
use formwright::{Constraint, Language, Limits};
use proptest::prelude::*;
use serde_json::{Value, json};

fn value(kind: u8) -> Value {
    match kind {
        0 => json!({"const": "a"}),
        1 => json!({"const": "ab"}),
        2 => json!({"enum": ["b", "a", true]}),
        3 => json!({"type": "string"}),
        4 => json!({"type": ["boolean", "null"]}),
        5 => json!({"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": false}),
        6 => json!({"type": "array", "items": {"type": "string"}, "maxItems": 2}),
        _ => json!({"enum": [1, "12", null]}),
    }
}

/// An object: by member its name, its value and whether it is required; whether it is open, and a lower bound.
fn object((members, open, low): &(Vec<(u8, u8, bool)>, bool, u8)) -> Value {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    for &(name, kind, needed) in members {
        let name = ["a", "b", "ab", "x"][usize::from(name)];
        if properties.insert(name.to_owned(), value(kind)).is_none() && needed {
            required.push(name);
        }
    }
    let low = u8::from(*low == 0);
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": open,
        "minProperties": low})
}

fn objects() -> impl Strategy<Value = Vec<Value>> {
    let member = (0..4_u8, 0..8_u8, prop::bool::weighted(0.7));
    let one = (prop::collection::vec(member, 0..4), prop::bool::weighted(0.3), 0..8_u8);
    prop::collection::vec(one.prop_map(|one| object(&one)), 2..6)
}

/// Objects with the same first members up to a discriminator.
fn alike() -> impl Strategy<Value = Vec<Value>> {
    let tail = (prop::collection::vec((0..4_u8, 0..8_u8, prop::bool::weighted(0.7)), 0..3), any::<bool>(), 1..8_u8);
    let first = prop::collection::vec((0..4_u8, 3..7_u8, prop::bool::weighted(0.7)), 1..3);
    (first, prop::collection::vec((0..3_u8, tail), 2..6)).prop_map(|(first, tails)| {
        let option = |(kind, (tail, open, low)): (u8, (Vec<_>, bool, u8))| {
            let members = [first.clone(), vec![(0, kind, true)], tail].concat();
            object(&(members, open, low))
        };
        tails.into_iter().map(option).collect()
    })
}

/// `None` if nothing is in form.
fn language(schema: &Value) -> Option<Language> {
    json_schema(&schema.to_string(), &Options::default()).ok()
}

fn shared_tables() -> &'static Arc<Tables> {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| tables(Limits::default()))
}

/// Bytes of the shortest completion of `text`.
fn missing(language: &Language, text: &[u8]) -> usize {
    let graph = language.compiled().unwrap();
    let mut run = Recognizer::new(&graph);
    assert_eq!(run.read(text), text.len());
    run.shortest_completion().len()
}

fn agree(options: &[Value], choices: &[u16], budget: u32) {
    let Some(all) = language(&json!({ "anyOf": options })) else { return };
    let each: Vec<Language> = options.iter().filter_map(language).collect();
    let tables = shared_tables();
    let count = tables.vocabulary.len() as u32;
    let matcher = |language: &Language| Constraint::new(language, tables).unwrap().matcher();
    let mut run = matcher(&all);
    let mut alive: Vec<(usize, Matcher)> = each.iter().map(matcher).enumerate().collect();
    for &choice in choices {
        let shortest = alive.iter().map(|(index, run)| missing(&each[*index], run.text())).min();
        assert_eq!(Some(missing(&all, run.text())), shortest, "{options:?}");
        assert_eq!(run.is_accepting(), alive.iter().any(|(_, run)| run.is_accepting()));
        let mask = allowed(&mut run, None, count);
        let mut union: Vec<u32> = alive.iter_mut().flat_map(|(_, run)| allowed(run, None, count)).collect();
        union.sort_unstable();
        union.dedup();
        assert_eq!(mask, union, "{} after {:?}", json!(options), String::from_utf8_lossy(run.text()));
        let needed = run.min_tokens_to_finish();
        let alone = alive.iter().map(|(_, run)| run.min_tokens_to_finish()).min();
        assert!(
            Some(needed) <= alone,
            "{needed} > {alone:?}: {} after {:?}",
            json!(options),
            String::from_utf8_lossy(run.text())
        );
        let within = allowed(&mut run, Some(needed + budget), count);
        assert!(within.iter().all(|token| mask.contains(token)));
        let token = within[usize::from(choice) % within.len()];
        if token == 0 {
            return;
        }
        run.accept_token(token).unwrap();
        alive.retain_mut(|(_, run)| run.accept_token(token).is_ok());
    }
}

/// The alternative that may write a constant leads to no shorter end of the other one.
#[test]
fn the_last_token_is_kept_for_each_alternative() {
    let list = json!({
        "type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "maxItems": 2}},
        "required": ["a"], "additionalProperties": false
    });
    let constants = json!({
        "type": "object", "properties": {"a": {"const": "a"}, "b": {"const": "a"}},
        "required": ["b"], "additionalProperties": false
    });
    agree(&[list, constants], &[0; 20], 0);
}

/// Objects that differ in the first name or in its value: what comes after either is counted in tokens as it is alone.
#[test]
fn a_union_needs_no_more_tokens_than_its_options() {
    let record = |name: &str, value: Value| {
        let properties = json!({ name: value });
        json!({"type": "object", "properties": properties, "required": [name], "additionalProperties": false})
    };
    let (short, long) = (record("a", json!({"const": 1})), record("account", json!({"const": 1})));
    for (one, other) in [("k", "l"), ("k", "k"), ("account", "amount")] {
        agree(&[record(one, long.clone()), record(other, short.clone())], &[0; 20], 0);
        agree(&[record(one, json!({"type": "string"})), record(other, long.clone())], &[0; 20], 0);
        agree(&[record(one, record(other, long.clone())), record(one, record("x", long.clone()))], &[0; 20], 0);
    }
}

/// The empty name is the shortest, but used.
#[test]
fn a_shortest_completion_has_no_whitespace() {
    let any = json!({"type": "object"});
    let some = json!({"type": "object", "properties": {"a": {"const": "a"}}, "minProperties": 1});
    for schema in [json!({"anyOf": [any, some]}), any, some] {
        assert_eq!(missing(&language(&schema).unwrap(), br#"{"":10,"#), r#""0":0}"#.len(), "{schema}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_objects(options in objects(), choices in prop::collection::vec(any::<u16>(), 40), budget in 0..20_u32) {
        agree(&options, &choices, budget);
    }

    #[test]
    fn objects_that_begin_alike(options in alike(), choices in prop::collection::vec(any::<u16>(), 60), budget in 0..20_u32) {
        agree(&options, &choices, budget);
    }
}
