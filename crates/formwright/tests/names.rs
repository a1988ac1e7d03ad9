//! Tokens that spell whole names, where names may not come twice: every mask against every token, tried.

use std::sync::Arc;

use formwright::leaf::Tables;
use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};

/// Steps of each random text.
const STEPS: usize = 12;

/// Every byte, and tokens that open, spell, end and go beyond names.
fn tables() -> Arc<Tables> {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    tokens.extend((0..=255_u8).map(|byte| vec![byte]));
    let names = ["", "a", "b", "ab", "\\n", "\\\"", "é"];
    for before in ["", "\"", " \"", ",\"", ", \"", "1,\"", "},\""] {
        for name in names {
            for behind in
                ["", "\"", "\":", "\": ", "\":1", "\": 1,", "\":1,\"", "\":1,\"a\":", "\":{\"a\":", "\":1},\"b\":1"]
            {
                tokens.push([before, name, behind].concat().into_bytes());
            }
        }
    }
    tokens.sort();
    tokens.dedup();
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))
}

fn allowed(matcher: &mut Matcher, count: u32) -> Vec<u32> {
    let mut mask = vec![0; (count as usize).div_ceil(32)];
    matcher.fill_bitmask(&mut mask, None).unwrap();
    (0..count).filter(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1).collect()
}

#[test]
fn masks_know_which_names_were_used() {
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
    let tables = tables();
    let count = tables.vocabulary.len() as u32;
    let mut random = 7_u64;
    for (schema, order) in schemas.iter().flat_map(|schema| [(schema, Order::Schema), (schema, Order::Model)]) {
        let language = json_schema(schema, &Options { order, ..Options::default() }).unwrap();
        let constraint = Constraint::new(&language, &tables).unwrap();
        for _ in 0..2 {
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
