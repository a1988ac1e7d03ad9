//! The cases of `testdata/languages`, and a small vocabulary that cuts across structure.

#![allow(dead_code)] // not every test uses everything

pub mod grammar;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::syntax::{choice, regex};
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Language, Limits};

#[derive(serde::Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(Default, serde::Deserialize)]
pub struct Case {
    pub name: String,
    pub kind: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub order: String,
    #[serde(default)]
    pub whitespace: String,
    pub max_whitespace: Option<u32>,
    pub max_items: Option<u32>,
    pub alphabet: Option<String>,
    pub accepts: Vec<String>,
    pub rejects: Vec<String>,
    #[serde(default)]
    pub prefixes: Vec<String>,
    #[serde(default)]
    pub dead: Vec<String>,
}

pub fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/languages");
    let read = |file: &&str| {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        toml::from_str::<Suite>(&text).unwrap_or_else(|error| panic!("{file}: {error}")).case
    };
    ["regex.toml", "schema.toml"].iter().flat_map(read).collect()
}

pub fn language(case: &Case) -> Language {
    let limits = Limits::default();
    let built = match case.kind.as_str() {
        "regex" => regex::regex(&case.source, &limits),
        "choice" => choice::choice(&case.options, &limits),
        _ => {
            let order = if case.order == "model" { Order::Model } else { Order::Schema };
            let mut options = Options { order, ..Options::default() };
            (options.max_whitespace, options.max_items) = (case.max_whitespace, case.max_items);
            options.alphabet.clone_from(&case.alphabet);
            if !case.whitespace.is_empty() {
                options.whitespace.clone_from(&case.whitespace);
            }
            json_schema(&case.source, &options)
        }
    };
    built.unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Every byte, and some tokens that cut across structure.
pub fn tables(limits: Limits) -> Arc<Tables> {
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
        "account",
        "amount\":",
    ];
    tables_of(longer, limits)
}

/// An end, every byte, and some longer tokens.
pub fn tables_of(longer: impl IntoIterator<Item = impl AsRef<[u8]>>, limits: Limits) -> Arc<Tables> {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    tokens.extend((0..=255_u8).map(|byte| vec![byte]));
    tokens.extend(longer.into_iter().map(|token| token.as_ref().to_vec()));
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), limits))
}

pub fn allowed(matcher: &mut Matcher, budget: Option<u32>, count: u32) -> Vec<u32> {
    let mut mask = vec![0; (count as usize).div_ceil(32)];
    matcher.fill_bitmask(&mut mask, budget).unwrap();
    (0..count).filter(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1).collect()
}

/// The time that this thread has run; where the system does not say, the time that has passed.
pub fn thread_time() -> Duration {
    thread_local! {
        static BEGUN: Instant = Instant::now();
    }
    let run = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = run.and_then(|text| text.split(' ').next()?.parse().ok());
    run.map_or_else(|| BEGUN.with(Instant::elapsed), Duration::from_nanos)
}

/// Checks each of some named inputs in a process of its own: `test`, called again with the name in `variable`. One that
/// fails is tried up to three times, because a busy machine makes a call slower, but never faster.
///
/// # Panics
/// If an input fails each time.
pub fn check_apart(test: &str, variable: &str, names: impl IntoIterator<Item = impl AsRef<str>>) {
    let failed = names.into_iter().filter_map(|name| {
        let name = name.as_ref();
        let tries = (0..3).map(|_| run_apart(test, variable, name));
        let printed: Vec<String> = tries.map_while(std::result::Result::err).collect();
        (printed.len() == 3).then(|| format!("{name}:\n{}", printed.join("\n")))
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Runs `test` in a process of its own, which prints a line that begins with `name`.
///
/// # Errors
/// What it printed, if it failed.
fn run_apart(test: &str, variable: &str, name: &str) -> std::result::Result<(), String> {
    let mut process = Command::new(std::env::current_exe().unwrap());
    let done = process.args(["--exact", test, "--nocapture"]).env(variable, name).output().unwrap();
    let printed = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let line = printed.lines().find(|line| line.starts_with(name));
    println!("{}", line.unwrap_or(name));
    // No line: no test of this name was run.
    if line.is_some() && done.status.success() { Ok(()) } else { Err(printed) }
}

/// Most memory that this process had so far, where the system says so.
pub fn megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}
