//! The patterns of `testdata/hostile_patterns.toml`: each is answered or refused in time, within its memory, on a small
//! stack. Each has processes of its own: see [`check_apart`].

use std::path::PathBuf;
use std::sync::Arc;

use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::regex::{Dialect, of_dialect};
use formwright::terminals::Tables;
use formwright::{Constraint, Error, Kind, Language, Limits, Result};

use crate::common::{check_apart, megabytes, thread_time};

/// The variable with the name of the pattern that a process is for.
const NAME: &str = "FORMWRIGHT_HOSTILE_PATTERN";

/// Most time of one call on a processor, and most memory of a process. With assertions, the kernel is slower than users have
/// it.
const SECONDS: f64 = if cfg!(debug_assertions) { 3.0 } else { 2.0 };
const MEGABYTES: u64 = 512;

/// Tokens of a text.
const TOKENS: usize = 60;

#[derive(serde::Deserialize)]
struct Suite {
    pattern: Vec<Pattern>,
}

#[derive(serde::Deserialize)]
struct Pattern {
    name: String,
    parts: Vec<(String, u32)>,
    #[serde(default)]
    dialect: String,
    /// Whether it must not be refused.
    #[serde(default)]
    answered: bool,
}

impl Pattern {
    fn all() -> Vec<Self> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hostile_patterns.toml");
        toml::from_str::<Suite>(&std::fs::read_to_string(path).unwrap()).unwrap().pattern
    }

    fn source(&self) -> String {
        let copy = |part: &str, number: u32| {
            let character = char::from_u32(0x4E00 + number % 0x5000).unwrap();
            part.replace('#', &format!("{number:05}")).replace('@', &character.to_string())
        };
        self.parts.iter().flat_map(|(part, times)| (0..*times).map(move |number| copy(part, number))).collect()
    }

    fn language(&self) -> Result<Language> {
        let source = self.source();
        match self.dialect.as_str() {
            "schema" => {
                let text = serde_json::to_string(&source).unwrap();
                json_schema(&format!("{{\"type\":\"string\",\"pattern\":{text}}}"), &Options::default())
            }
            "python" => of_dialect(&source, Dialect::Python, &Limits::default()),
            _ => of_dialect(&source, Dialect::Ascii, &Limits::default()),
        }
    }
}

/// One call, which must not take long.
fn call<T>(what: &str, worst: &mut (f64, String), call: impl FnOnce() -> T) -> T {
    let begun = thread_time();
    let made = call();
    let seconds = thread_time().saturating_sub(begun).as_secs_f64();
    if seconds > worst.0 {
        *worst = (seconds, what.to_owned());
    }
    made
}

/// Every byte, and words of few letters.
fn tables() -> Arc<Tables> {
    let (mut words, mut tokens) = (vec![String::new()], Vec::new());
    for length in 1..=7 {
        let letters = if length < 4 { "abcdwxyz01 ,-" } else { "ab" };
        words = words.iter().flat_map(|word| letters.chars().map(move |c| format!("{word}{c}"))).collect();
        if length == 3 {
            tokens.extend(words.iter().cloned());
            words.retain(|word| word.chars().all(|c| "ab".contains(c)));
        } else if length > 1 {
            tokens.extend(words.iter().cloned());
        }
    }
    crate::common::tables_of(tokens, Limits::default())
}

/// Compiles a pattern and writes a text; what goes wrong must be a bound, or a pattern that cannot be read.
fn answer(pattern: &Pattern, worst: &mut (f64, String)) -> Result<usize> {
    let tables = tables();
    let language = call("language", worst, || pattern.language())?;
    let constraint = call("constraint", worst, || Constraint::new(&language, &tables))?;
    let mut matcher = constraint.matcher();
    let mut mask = vec![0; tables.vocabulary.mask_words()];
    let mut number = 1_usize;
    for token in 0..TOKENS {
        call("mask", worst, || matcher.fill_bitmask(&mut mask, None))?;
        if token % 16 == 5 {
            call("least tokens", worst, || matcher.min_tokens_to_finish());
            call("mask with a budget", worst, || matcher.fork().fill_bitmask(&mut mask.clone(), Some(5000))).ok();
        }
        let count = tables.vocabulary.logits_size() as u32;
        let allowed: Vec<u32> =
            (0..count).filter(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1).collect();
        number = number.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        let chosen = allowed[(number >> 33) % allowed.len()];
        call("accept", worst, || matcher.accept_token(chosen))?;
        if matcher.is_finished() {
            return Ok(token);
        }
    }
    Ok(TOKENS)
}

fn check(name: &str) {
    let pattern = Pattern::all().into_iter().find(|pattern| pattern.name == name).unwrap();
    let run = move || {
        let mut worst = (0.0, String::new());
        let answered = answer(&pattern, &mut worst);
        let (megabytes, said) = (megabytes(), answered.as_ref().map_err(|error: &Error| error.message.clone()));
        let said: String = format!("{said:?}").chars().take(100).collect();
        println!("{}: at most {:.3} s ({}), {megabytes} MB: {said}", pattern.name, worst.0, worst.1);
        if let Err(error) = answered {
            let kind = &*error.kind;
            let is_typed = matches!(
                kind,
                Kind::Limit { .. }
                    | Kind::Regex { .. }
                    | Kind::UnsupportedRegex { .. }
                    | Kind::Schema { .. }
                    | Kind::Unsupported { .. }
                    | Kind::Unsatisfiable { .. }
            );
            assert!(is_typed && !pattern.answered, "{error}");
        }
        assert!(worst.0 <= SECONDS, "{} takes {:.1} s", worst.1, worst.0);
        assert!(megabytes <= MEGABYTES, "{megabytes} MB");
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().expect("in bounds");
}

#[test]
fn hostile_patterns_are_answered_or_refused() {
    if let Ok(name) = std::env::var(NAME) {
        return check(&name);
    }
    let names = Pattern::all().into_iter().map(|pattern| pattern.name);
    check_apart("hostile_patterns::hostile_patterns_are_answered_or_refused", NAME, names);
}

/// A text has a state for each count it leads to, and these are as few as its characters: followed one alternative at a
/// time, they would be the square of them.
#[test]
fn long_texts_of_counters_inside_of_counters_are_read_in_time() {
    for source in ["(a{0,600}b?){0,600}", "((a{0,90}b?){0,90}c?){0,90}", "(a{3,9}b?c?){5,600}"] {
        let language = of_dialect(source, Dialect::Ascii, &Limits::default()).unwrap();
        let mut worst = (0.0, String::new());
        let read = call(source, &mut worst, || language.check(&[b'a'; 3000]));
        assert_eq!(read.unwrap(), (3000, true), "{source}");
        assert!(worst.0 <= SECONDS, "{source} takes {:.1} s", worst.0);
    }
}

/// Each of three counters inside one another may be anywhere: a long text leads to 100,000 places at once.
#[test]
fn texts_that_lead_to_too_many_places_are_refused_in_time() {
    let source = "(?:(?:.{1,30}[aeiou]){2,40}|(?:.{2,31}[bcd]){3,41}){3,50}";
    let language = of_dialect(source, Dialect::Ascii, &Limits::default()).unwrap();
    let (text, mut worst) = (b"abcde".repeat(700), (0.0, String::new()));
    let refused = |result: Result<()>| {
        let error = result.unwrap_err();
        assert!(matches!(*error.kind, Kind::Limit { .. }), "{error}");
    };
    refused(call("check", &mut worst, || language.check(&text).map(drop)));
    let mut matcher = Constraint::new(&language, &tables()).unwrap().matcher();
    refused(call("accept_bytes", &mut worst, || matcher.accept_bytes(&text)));
    let mut matcher = Constraint::new(&language, &tables()).unwrap().matcher();
    let tokens: Vec<u32> = text.iter().map(|&byte| u32::from(byte) + 1).collect();
    refused(call("accept_tokens", &mut worst, || matcher.accept_tokens(&tokens)));
    refused(call("validate_tokens", &mut worst, || matcher.validate_tokens(&tokens).map(drop)));
    let small = Limits { history_bytes: 1 << 20, ..Limits::default() };
    let mut matcher =
        Constraint::new(&language, &crate::common::tables_of(Vec::<String>::new(), small)).unwrap().matcher();
    let mut steps = 0;
    let error = loop {
        match matcher.accept_bytes(b"abcde") {
            Ok(()) => steps += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(*error.kind, Kind::Limit { limit: "history_bytes", .. }), "{error} after {steps} steps");
    assert!(matcher.rollback(steps).is_ok() && matcher.accept_bytes(b"abcde").is_ok(), "the text is where it was");
    assert!(worst.0 <= SECONDS, "{} takes {:.1} s", worst.1, worst.0);
}

/// What is too large is refused by the name of the bound, with the pattern, before it is lowered.
#[test]
fn large_patterns_are_refused_by_name() {
    let limits = |bytes, parts, work| Limits {
        pattern_bytes: bytes,
        pattern_parts: parts,
        pattern_work: work,
        ..Limits::default()
    };
    let (many, source) = (usize::MAX, "a?[bc]*".repeat(20));
    for (limits, allowed) in [(limits(100, many, 1 << 20), 100), (limits(many, 30, 1 << 20), 30)] {
        for dialect in [Dialect::Ascii, Dialect::Unicode, Dialect::Python] {
            let error = of_dialect(&source, dialect, &limits).unwrap_err();
            assert!(
                matches!(*error.kind, Kind::Limit { limit: "pattern", allowed: at, .. } if at == allowed),
                "{error}"
            );
            assert!(error.message.contains("a?[bc]*a?[bc]*"), "{error}");
        }
        let options = Options { limits, ..Options::default() };
        let error =
            json_schema(&format!(r#"{{"properties":{{"x":{{"pattern":"{source}"}}}}}}"#), &options).unwrap_err();
        assert!(matches!(*error.kind, Kind::Limit { limit: "pattern", .. }), "{error}");
        assert!(error.message.contains("/properties/x/pattern"), "{error}");
    }
    assert!(of_dialect(&source, Dialect::Ascii, &limits(140, 200, 1 << 20)).is_ok());
    let little = limits(many, many, 10);
    let made = of_dialect(&source, Dialect::Ascii, &little)
        .and_then(|language| Constraint::new(&language, &crate::common::tables_of([""; 0], little)));
    assert!(matches!(*made.unwrap_err().kind, Kind::Limit { limit: "pattern", .. }));
}
