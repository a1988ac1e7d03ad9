mod common;
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};
use std::sync::Arc;
#[test]
fn probe() {
    let missing = b"0";
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    tokens.extend((0..128_u8).filter(|byte| !missing.contains(byte)).map(|byte| vec![byte]));
    let longer = [
        "{\"", "\":", "\"}", "\",\"", "\"a\"", "12", "10", "ab", "cab", "]]", "[1", "1]", ": ", "true", "null", "}}",
        "de", "abc",
    ];
    tokens.extend(longer.iter().map(|token| token.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
    let language = json_schema(
        r#"{"type": "array", "items": {"type": ["string", "boolean", "null"]}, "uniqueItems": true, "minItems": 12}"#,
        &Options { order: Order::Schema, ..Options::default() },
    )
    .unwrap();
    let c = Constraint::new(&language, &tables).unwrap();
    for text in ["", "[", "[\"", "[\"}", "[\"}\"", "[\"}\",", "[\"}\",\"", "[true", "[true,"] {
        let mut m = c.matcher();
        m.accept_bytes(text.as_bytes()).unwrap();
        println!("{text}: {}", m.min_tokens_to_finish());
    }
}
