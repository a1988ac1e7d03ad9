//! Tokens that cross from one member of an object to the next, or spell whole names, where names may not come twice, and
//! tokens of several items where their number is bounded: every mask against every token, tried.

use std::sync::Arc;

use crate::common::{allowed, tables_of};
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::terminals::Tables;
use formwright::{Constraint, Limits};

/// Steps of each random text.
const STEPS: usize = 12;

/// All concatenations of one text of each.
fn joined(before: &[&str], middle: &[&str], after: &[&str]) -> Vec<String> {
    let pairs = before.iter().flat_map(|first| middle.iter().map(move |second| [*first, *second].concat()));
    pairs.flat_map(|pair| after.iter().map(move |third| [&pair, *third].concat())).collect()
}

/// Random texts, several of each schema with one cache: at every step, the mask is what trying each token says.
fn try_masks(tables: &Arc<Tables>, schemas: &[&str], texts: u32) {
    let count = tables.vocabulary.len() as u32;
    let mut random = 7_u64;
    for (schema, order) in schemas.iter().flat_map(|schema| [(schema, Order::Schema), (schema, Order::Model)]) {
        let language = json_schema(schema, &Options { order, ..Options::default() }).unwrap();
        let constraint = Constraint::new(&language, tables).unwrap();
        for _ in 0..texts {
            let mut matcher = constraint.matcher();
            for _ in 0..STEPS {
                let mask = allowed(&mut matcher, None, count);
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
fn masks_leave_out_used_names() {
    let longer = joined(
        &["", "\"", " \"", ",\"", ", \"", "1,\"", "},\""],
        &["", "a", "b", "ab", "\\n", "\\\"", "é"],
        &["", "\"", "\":", "\": ", "\":1", "\": 1,", "\":1,\"", "\":1,\"a\":", "\":{\"a\":", "\":1},\"b\":1"],
    );
    let tables = tables_of(longer, Limits::default());
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

/// Configurations that no token of the vocabulary can tell apart share a mask, and it is right for each of them.
#[test]
fn shared_masks_are_right_for_equivalent_configurations() {
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
    let after = ["", ",", "}", "]", "\n}", "}}", "},", "},{", "]}", ",\"", "},\"", "}, \"", "},{\"", "\"},\n\"", "}]"];
    // No token enters a name after a comma; some enter a name of these schemas; some enter other names only.
    for entering in [vec![], vec![",\"a", "\",\"b\":\"", ",\"\":1"], vec!["x\",\"%", ", \")"]] {
        let entering = entering.into_iter().map(str::to_owned);
        let longer = joined(&ends, &[""], &after).into_iter().chain(openings.clone()).chain(entering);
        try_masks(&tables_of(longer, Limits::default()), &schemas, 12);
    }
}

/// Numbers of items are told apart only as far as some token has commas.
#[test]
fn masks_keep_bounds_on_the_number_of_items() {
    let numbers = r#"{"type": "array", "items": {"enum": [1, 11, 2]}, "minItems": 5, "maxItems": 9}"#;
    let nested = r#"{"type": "array", "maxItems": 4, "items": {"type": "array", "minItems": 3, "maxItems": 6, "items": {"enum": [1, "a"]}}}"#;
    let prefix = r#"{"type": "array", "prefixItems": [{"enum": [1]}, {"enum": ["a", 1]}], "minItems": 6, "items": {"enum": [1]}}"#;
    let inside = r#"{"type": "object", "additionalProperties": false, "required": ["a", "b"], "properties": {
        "a": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
        "b": {"type": "array", "items": {"enum": ["a", 1]}, "minItems": 4}}}"#;
    let values = ["", "1", "1,1", "1,1,1", "\"a\"", "a\",\"", "\",1"];
    for after in [
        vec!["", "]"],
        vec!["", ",", "]", "],"],
        vec!["", ", ", ",,", "],[", "],\"b\":["],
        vec![",1,1", "]]", ",[1,1,1],["],
    ] {
        let longer = joined(&["", "[", ","], &values, &after);
        try_masks(&tables_of(longer, Limits::default()), &[numbers, nested, prefix, inside], 6);
    }
}
