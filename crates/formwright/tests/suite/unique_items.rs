//! Items that must differ as values: what a mask allows is accepted, with and without a budget, and every text ends.

use std::cell::Cell;
use std::sync::Arc;

use formwright::matcher::Constraint;
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Kind, Limits};

/// The end of text.
const END: u32 = 256;

/// Tokens of several bytes, so that a token may end an item and begin the next one.
const FURTHER: [&str; 12] =
    ["\":", "\",", "\"}", "},{", "},{\"", "],[", "1,", "e1", "true,", "{\"a\":", "[[", "\"},{\"n\":\""];

const SCHEMAS: [&str; 9] = [
    r#"{"type": "object", "properties": {"a": {"type": "number"}}, "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"a": {"enum": [1, 2]}, "b": {"type": "boolean"}}, "required": ["a"], "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}"#,
    r#"{"type": "object", "properties": {"n": {"type": "string", "maxLength": 6}}, "required": ["n"], "additionalProperties": false}"#,
    r#"{"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true}, "uniqueItems": true}"#,
    r#"{"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "array", "items": {"type": "boolean"}, "maxItems": 1}]}"#,
    r#"{"enum": [1, "1", [1], {"a": 1}, null, {"a": [1]}]}"#,
    "true",
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }
}

fn constraints() -> Vec<(String, Constraint)> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.push(Vec::new());
    tokens.extend(FURTHER.iter().map(|token| token.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(&tokens, &[END], indexmap::IndexMap::new(), None).unwrap();
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
    let mut made = Vec::new();
    for items in SCHEMAS {
        for least in [0, 2, 4] {
            for order in [Order::Schema, Order::Model] {
                let schema =
                    format!(r#"{{"type": "array", "items": {items}, "uniqueItems": true, "minItems": {least}}}"#);
                let options = Options { order, whitespace: "compact".to_owned(), ..Options::default() };
                let language = json_schema(&schema, &options).unwrap();
                made.push((schema, Constraint::new(&language, &tables).unwrap()));
            }
        }
    }
    made
}

/// The tokens that a mask allows.
fn allowed(matcher: &mut formwright::matcher::Matcher, budget: Option<u32>) -> formwright::Result<Vec<u32>> {
    let mask = matcher.mask(budget)?;
    let words = matcher.constraint().tables().vocabulary.mask_words();
    let row: Vec<Cell<u32>> = vec![Cell::new(0); words];
    mask.write(&matcher.constraint().tables().vocabulary, &row[..]);
    Ok((0..words as u32 * 32).filter(|token| row[*token as usize / 32].get() >> (token % 32) & 1 == 1).collect())
}

/// One of some tokens: mostly one that ends what is open, so that items are short and meet again.
fn choose(tokens: &[u32], random: &mut Random) -> u32 {
    let closing = [b'"', b'}', b']', b',', b':', b'0', b'1', b'a', b'n'].map(u32::from);
    let some: Vec<u32> = closing.into_iter().filter(|token| tokens.contains(token)).collect();
    let from = if some.is_empty() || random.below(4) == 0 { tokens } else { &some };
    from[random.below(from.len())]
}

#[test]
fn what_a_mask_allows_is_accepted() {
    let mut random = Random(7);
    for (schema, constraint) in constraints() {
        for _ in 0..2 {
            let mut matcher = constraint.matcher();
            for _ in 0..40 {
                let tokens = allowed(&mut matcher, None).unwrap();
                for &token in &tokens {
                    let accepted = matcher.fork().accept_token(token);
                    let text = String::from_utf8_lossy(matcher.text()).into_owned();
                    assert!(accepted.is_ok(), "{schema} after {text}: {token} {accepted:?}");
                }
                for token in (0..END).filter(|token| !tokens.contains(token)) {
                    let text = String::from_utf8_lossy(matcher.text()).into_owned();
                    assert!(matcher.fork().accept_token(token).is_err(), "{schema} after {text}: {token} is missing");
                }
                matcher.accept_token(choose(&tokens, &mut random)).unwrap();
                if matcher.is_finished() {
                    break;
                }
            }
        }
    }
}

#[test]
fn every_text_ends_within_its_budget() {
    let mut random = Random(11);
    for (schema, constraint) in constraints() {
        for extra in [0, 1, 5] {
            let mut matcher = constraint.matcher();
            let mut left = matcher.min_tokens_to_finish() + extra;
            while left > 0 && !matcher.is_finished() {
                let text = String::from_utf8_lossy(matcher.text()).into_owned();
                let tokens = match allowed(&mut matcher, Some(left)) {
                    Ok(tokens) => tokens,
                    Err(error) => panic!("{schema} after {text} with {left} left of {extra}: {error}"),
                };
                matcher.accept_token(choose(&tokens, &mut random)).unwrap();
                left -= 1;
            }
            assert!(matcher.is_accepting() || matcher.is_finished(), "{schema}: {:?}", matcher.text());
        }
    }
}

#[test]
fn more_items_than_there_are_values_are_refused() {
    let schema = r#"{"type": "array", "items": {"type": "array", "items": {"type": "boolean"}, "maxItems": 1}, "uniqueItems": true, "minItems": 4}"#;
    let refused = json_schema(schema, &Options::default()).unwrap_err();
    assert!(matches!(*refused.kind, Kind::Unsatisfiable { .. }), "{refused}");
    assert!(json_schema(&schema.replace("\"minItems\": 4", "\"minItems\": 3"), &Options::default()).is_ok());
}
