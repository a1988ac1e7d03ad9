//! Every row of `testdata/dialects.toml`, in the dialects that the kernel reads itself. Those of `re` are Python's.

use std::path::PathBuf;

use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::regex::{Dialect, of_dialect};
use formwright::{Language, Limits, Result};

#[derive(serde::Deserialize)]
struct Table {
    construct: Vec<Construct>,
}

#[derive(serde::Deserialize)]
struct Construct {
    pattern: String,
    text: Meaning,
    unicode: Option<Meaning>,
    ecma: Meaning,
}

#[derive(serde::Deserialize)]
struct Meaning {
    refused: Option<String>,
    #[serde(default)]
    accepts: Vec<String>,
    #[serde(default)]
    rejects: Vec<String>,
}

fn constructs() -> Vec<Construct> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/dialects.toml");
    toml::from_str::<Table>(&std::fs::read_to_string(file).unwrap()).unwrap().construct
}

fn check(name: &str, language: Result<Language>, meaning: &Meaning, write: impl Fn(&str) -> String) {
    match (language, &meaning.refused) {
        (Ok(language), None) => {
            for (texts, is_in) in [(&meaning.accepts, true), (&meaning.rejects, false)] {
                for text in texts {
                    assert_eq!(language.check(write(text).as_bytes()).unwrap().1, is_in, "{name}: {text:?}");
                }
            }
        }
        (Err(error), Some(refused)) => assert!(error.message.contains(refused), "{name}: {}", error.message),
        (Ok(_), Some(refused)) => panic!("{name}: should be refused: {refused}"),
        (Err(error), None) => panic!("{name}: {}", error.message),
    }
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '\0'..='\u{1F}' | '"' | '\\' => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

#[test]
fn texts() {
    let limits = Limits::default();
    for row in constructs() {
        let pattern = &row.pattern;
        check(pattern, of_dialect(pattern, Dialect::Ascii, &limits), &row.text, str::to_owned);
        let unicode = row.unicode.as_ref().unwrap_or(&row.text);
        check(&format!("unicode {pattern}"), of_dialect(pattern, Dialect::Unicode, &limits), unicode, str::to_owned);
    }
}

#[test]
fn patterns_of_json_schema() {
    for row in constructs() {
        // Beside a null, a pattern that nothing matches is a schema like another.
        let pattern = quoted(&format!("^(?:{})$", row.pattern));
        let schema = format!(r#"{{"type": ["null", "string"], "pattern": {pattern}}}"#);
        let language = json_schema(&schema, &Options { any_escapes: true, ..Options::default() });
        check(&row.pattern, language, &row.ecma, quoted);
    }
}
