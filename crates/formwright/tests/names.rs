//! Tokens that cross from one member of an object to the next, or spell whole names, where names may not come twice:
//! every mask against every token, tried.

use std::sync::Arc;

use formwright::leaf::Tables;
use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};

/// Steps of each random text.
const STEPS: usize = 12;

/// Every byte, and some longer tokens.
fn tables(longer: impl IntoIterator<Item = String>) -> Arc<Tables> {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    tokens.extend((0..=255_u8).map(|byte| vec![byte]));
    tokens.extend(longer.into_iter().map(String::into_bytes));
    tokens.sort();
    tokens.dedup();
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))
}

/// Tokens made of one of each.
fn joined(before: &[&str], middle: &[&str], behind: &[&str]) -> Vec<String> {
    let pairs = before.iter().flat_map(|first| middle.iter().map(move |second| [*first, *second].concat()));
    pairs.flat_map(|pair| behind.iter().map(move |third| [&pair, *third].concat())).collect()
}

fn allowed(matcher: &mut Matcher, count: u32) -> Vec<u32> {
    let mut mask = vec![0; (count as usize).div_ceil(32)];
    matcher.fill_bitmask(&mut mask, None).unwrap();
    (0..count).filter(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1).collect()
}

/// Random texts, several of each schema in one memory.
fn try_masks(tables: &Arc<Tables>, schemas: &[&str], texts: u32) {
    let count = tables.vocabulary.len() as u32;
    let mut random = 7_u64;
    for (schema, order) in schemas.iter().flat_map(|schema| [(schema, Order::Schema), (schema, Order::Model)]) {
        let language = json_schema(schema, &Options { order, ..Options::default() }).unwrap();
        let constraint = Constraint::new(&language, tables).unwrap();
        for _ in 0..texts {
            let mut matcher = constraint.matcher();
            for _ in 0..STEPS {
                let mask = allowed(&mut matcher, count);
                let tried = |token: &u32| matcher.fork().accept_token(*token).is_ok();
                let expected: Vec<u32> = (0..count).filter(tried).collect();
                let text = String::from_utf8_lossy(matcher.text());
                assert_eq!(mask, expected, "{schema} {order:?} after {text}");
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Long tokens are rare among those allowed, and what this is about.
                let long: Vec<u32> =
                    mask.iter().copied().filter(|&token| tables.vocabulary.token(token).len() > 2).collect();
                let from = if long.is_empty() || random >> 62 == 0 { &mask } else { &long };
                matcher.accept_token(from[(random >> 33) as usize % from.len()]).unwrap();
                if matcher.is_finished() {
                    break;
                }
            }
        }
    }
}

#[test]
fn masks_know_which_names_were_used() {
    let tables = tables(joined(
        &["", "\"", " \"", ",\"", ", \"", "1,\"", "},\""],
        &["", "a", "b", "ab", "\\n", "\\\"", "é"],
        &["", "\"", "\":", "\": ", "\":1", "\": 1,", "\":1,\"", "\":1,\"a\":", "\":{\"a\":", "\":1},\"b\":1"],
    ));
    let schemas = [
        r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
        r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}"#,
        r#"{"type": "object", "properties": {"ab": true}, "required": ["ab"], "maxProperties": 4}"#,
        r#"{"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}"#,
        r##"{"type": ["object", "integer"], "additionalProperties": {"$ref": "#"}}"##,
        r#"{"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": {"type": "object"}}"#,
        r#"{"type": "object", "propertyNames": {"enum": ["a", "ab", "x", "xa"]}, "additionalProperties": {"type": "integer"}}"#,
        r#"{"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}"#,
    ];
    try_masks(&tables, &schemas, 2);
}

/// Masks are taken over from places that no token of the vocabulary can tell apart.
#[test]
fn masks_of_near_places_are_the_same() {
    let open = r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"enum": ["x", 1]}},
        "required": ["b"]}"#;
    let closed = r##"{"type": "object", "additionalProperties": false,
        "properties": {"a": {"type": "string"}, "b": {"$ref": "#"}, "": {"type": "integer"}}}"##;
    let around = r#"{"type": "array", "maxItems": 3, "items": {"type": "object", "required": ["o"], "properties": {
        "s": {"type": "string", "maxLength": 2}, "o": {"type": "object", "properties": {"a": {"type": "string"}}}}}}"#;
    let counted =
        r#"{"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 2, "maxProperties": 3}"#;
    let patterns = r#"{"type": "object", "properties": {"p": {"type": "string"}},
        "patternProperties": {"^[ab]$": {"type": "string"}}, "additionalProperties": false}"#;
    let mixed = r#"{"type": "object", "additionalProperties": false, "properties": {
        "o": {"type": "object", "properties": {"s": {"type": "string"}}},
        "c": {"type": "object", "properties": {"s": {"type": "string"}, "t": {"type": "string"}}, "additionalProperties": false},
        "z": {"type": "string"}}}"#;
    let schemas = [open, closed, around, counted, patterns, mixed];
    let ends = ["", "\"", "x\"", "xy\"", "1", "{\"", "\"a\":\"", "\":\"", "\":\"x\""];
    let openings = joined(&["{\"o\":{\"", "{\"c\":{\""], &["s", "t"], &["\":\""]);
    let behind = ["", ",", "}", "]", "\n}", "}}", "},", "},{", "]}", ",\"", "},\"", "}, \"", "},{\"", "\"},\n\"", "}]"];
    // No token goes on in a name behind a comma; one of some use does; one of no use does.
    for entering in [vec![], vec![",\"a", "\",\"b\":\"", ",\"\":1"], vec!["x\",\"%", ", \")"]] {
        let entering = entering.into_iter().map(str::to_owned);
        let longer = joined(&ends, &[""], &behind).into_iter().chain(openings.clone()).chain(entering);
        try_masks(&tables(longer), &schemas, 12);
    }
}
