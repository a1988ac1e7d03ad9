//! Every case of `testdata/languages`, against the kernel without and with a vocabulary.

use std::path::PathBuf;
use std::sync::Arc;

use formwright::leaf::Tables;
use formwright::matcher::{Matcher, Text};
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::syntax::{choice, regex};
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Language, Limits};

#[derive(serde::Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    kind: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    order: String,
    accepts: Vec<String>,
    rejects: Vec<String>,
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    dead: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/languages");
    let read = |file: &&str| {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        toml::from_str::<Suite>(&text).unwrap_or_else(|error| panic!("{file}: {error}")).case
    };
    ["regex.toml", "schema.toml"].iter().flat_map(read).collect()
}

fn language(case: &Case) -> Language {
    let limits = Limits::default();
    let built = match case.kind.as_str() {
        "regex" => regex::regex(&case.source, &limits),
        "choice" => choice::choice(&case.options, &limits),
        _ => {
            let order = if case.order == "model" { Order::Model } else { Order::Schema };
            json_schema(&case.source, &Options { order, ..Options::default() })
        }
    };
    built.unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Every byte, and some tokens that cut across structure.
fn tables() -> Arc<Tables> {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    tokens.extend((0..=255_u8).map(|byte| vec![byte]));
    let longer = [
        "\":",
        "\": ",
        "\", \"",
        "},",
        "{\"",
        " {\"",
        "\n  ",
        "ab",
        "cab",
        "\"a\"",
        "12",
        "true",
        "日本",
        "e\"",
        "]}",
        ": [",
        "\"}",
        "x\":true,\"",
        "\":true,\"x\"",
        "b\",\"",
        "b\",\"a\"",
        "b\",\"ab\"",
        "x\":true,\"x\"",
        "x\":true,\"xx\"",
    ];
    tokens.extend(longer.iter().map(|text| text.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))
}

fn allowed(matcher: &mut Matcher, budget: Option<u32>, count: u32) -> Vec<u32> {
    let mut mask = vec![0; (count as usize).div_ceil(32)];
    matcher.fill_bitmask(&mut mask, budget).unwrap();
    (0..count).filter(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1).collect()
}

fn is_prefix(language: &Language, text: &str) -> bool {
    Text::new(language.program().unwrap()).read(text.as_bytes()) == text.len()
}

#[test]
fn texts_are_accepted_and_rejected() {
    for case in cases() {
        let language = language(&case);
        for text in &case.accepts {
            assert!(language.check(text.as_bytes()).unwrap().1, "{}: should accept {text}", case.name);
        }
        for text in &case.rejects {
            assert!(!language.check(text.as_bytes()).unwrap().1, "{}: should reject {text}", case.name);
        }
        for text in case.prefixes.iter().chain(&case.accepts) {
            assert!(is_prefix(&language, text), "{}: should begin {text}", case.name);
        }
        for text in &case.dead {
            assert!(!is_prefix(&language, text), "{}: should not begin {text}", case.name);
        }
    }
}

#[test]
fn examples_are_in_form_and_short() {
    for case in cases() {
        let language = language(&case);
        let example = language.example().unwrap();
        let shown = String::from_utf8_lossy(&example);
        assert!(language.check(&example).unwrap().1, "{}: {shown}", case.name);
        assert!(case.accepts.iter().all(|text| example.len() <= text.len()), "{}: {shown}", case.name);
    }
}

/// Along every accepted text, the mask is what trying each token says.
#[test]
fn masks_equal_trying_every_token() {
    let tables = tables();
    let count = tables.vocabulary.len() as u32;
    for case in cases() {
        let constraint = Constraint::new(&language(&case), &tables).unwrap();
        for text in &case.accepts {
            let mut matcher = constraint.matcher();
            for cut in 0..=text.len() {
                let mask = allowed(&mut matcher, None, count);
                let tried: Vec<u32> =
                    (0..count).filter(|token| matcher.validate_tokens(&[*token]).unwrap() == 1).collect();
                assert_eq!(mask, tried, "{}: after {:?}", case.name, String::from_utf8_lossy(&text.as_bytes()[..cut]));
                if cut < text.len() {
                    matcher.accept_bytes(&text.as_bytes()[cut..=cut]).unwrap();
                }
            }
        }
    }
}

/// Whatever is chosen from a budgeted mask, the text is complete when the budget is used up.
#[test]
fn budgets_are_kept() {
    let tables = tables();
    let count = tables.vocabulary.len() as u32;
    for case in cases() {
        let constraint = Constraint::new(&language(&case), &tables).unwrap();
        let least = constraint.matcher().min_tokens_to_finish();
        for (seed, extra) in [(1_u64, 0), (2, 1), (3, 5), (4, 20), (5, 60)] {
            let mut matcher = constraint.matcher();
            let mut random = seed;
            for left in (1..=least + extra).rev() {
                let choices: Vec<u32> =
                    allowed(&mut matcher, Some(left), count).into_iter().filter(|token| *token != 0).collect();
                if choices.is_empty() {
                    break;
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                matcher.accept_token(choices[(random >> 33) as usize % choices.len()]).unwrap();
            }
            assert!(matcher.is_accepting(), "{}: {:?}", case.name, String::from_utf8_lossy(matcher.text()));
        }
    }
}
