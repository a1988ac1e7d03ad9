//! What canonical masks cost:
//! `cargo bench --bench canonical -- tekken [--every 8] [--worst] [--first] [--spare none|1000|50|0]`.
//!
//! Reads what `bench/canonical.py prepare` left in `build/bench`: a vocabulary, its merges, and a suite whose instances are
//! tokens as the tokenizer writes them. Each instance is followed token by token, three times: without canonical tokens,
//! with them, and with them and a budget of as many tokens as it has and 1,000, 50 or none more. *First* are the masks of
//! the first instances that a constraint meets, with nothing remembered; the others count with the least of five
//! repetitions; `--first` leaves these out. The digest tells whether two kernels allow the same tokens.

#![allow(clippy::cast_precision_loss)] // times are shown with two decimals

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use formwright::canonical::Merges;
use formwright::language::Language;
use formwright::matcher::Speller;
use formwright::syntax::json_schema::Order;
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};
use rustc_hash::FxHasher;

mod support;

use support::{Case, cases, report};

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each mask is found.
const REPETITIONS: usize = 5;

/// Tokens beyond those of an instance; `None` is no budget at all.
const SPARE: [Option<usize>; 4] = [None, Some(1000), Some(50), Some(0)];

/// What is measured.
struct Setting {
    tables: Arc<Tables>,
    speller: Arc<Speller>,
    cases: Vec<(Case, Language)>,
    is_canonical: bool,
}

/// Masks that are shown of the slowest.
const WORST: usize = 60;

impl Setting {
    fn constraint(&self, language: &Language) -> Option<Constraint> {
        if self.is_canonical {
            Constraint::canonical(language, &self.tables, &self.speller).ok()
        } else {
            Constraint::new(language, &self.tables).ok()
        }
    }

    /// The time of each mask of each instance, and where it was: in order, each so many times; and a digest of all masks.
    fn masks(&self, spare: Option<usize>, repetitions: usize) -> (Vec<f64>, Vec<(String, String)>, u64) {
        let mut row = vec![0; self.tables.vocabulary.mask_words()];
        let mut digest = FxHasher::default();
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for (case, language) in &self.cases {
            let Some(constraint) = self.constraint(language) else { continue };
            let mut matcher = constraint.matcher();
            for instance in &case.instances {
                let mut times: Vec<f64> = Vec::new();
                for round in 0..repetitions {
                    matcher.reset();
                    for (at, &token) in instance.iter().enumerate() {
                        let budget = spare.map(|spare| (instance.len() + spare - at) as u32);
                        let start = Instant::now();
                        let found = matcher.fill_bitmask(&mut row, budget);
                        let time = start.elapsed().as_nanos() as f64 / 1e3;
                        if round == 0 {
                            row.hash(&mut digest);
                        }
                        if found.is_err() || row[token as usize / 32] >> (token % 32) & 1 == 0 {
                            if round == 0 && spare.is_some() && at < 3 {
                                println!("refused: {} at {at}: {:?}", case.name, found.err());
                            }
                            break;
                        }
                        if round == 0 {
                            times.push(time);
                            places.push((case.name.clone(), tail(matcher.text())));
                        } else {
                            times[at] = times[at].min(time);
                        }
                        if let Err(error) = matcher.accept_token(token) {
                            println!("rejected: {}: {error}", case.name);
                            break;
                        }
                    }
                }
                all.extend(times);
            }
        }
        (all, places, digest.finish())
    }

    /// The times of the first call of `min_tokens_to_finish`.
    fn counts(&self) -> Vec<f64> {
        let mut times = Vec::new();
        for (_, language) in &self.cases {
            let mut least = f64::MAX;
            for _ in 0..REPETITIONS {
                let Some(constraint) = self.constraint(language) else { continue };
                let matcher = constraint.matcher();
                let start = Instant::now();
                matcher.min_tokens_to_finish();
                least = least.min(start.elapsed().as_nanos() as f64 / 1e3);
            }
            times.push(least);
        }
        times
    }
}

fn tail(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().skip(text.chars().count().saturating_sub(40)).collect()
}

fn print_worst(times: &[f64], places: &[(String, String)]) {
    let mut worst: Vec<usize> = (0..times.len()).collect();
    worst.sort_by(|a, b| times[*b].total_cmp(&times[*a]));
    for at in worst.into_iter().take(WORST) {
        println!("{:>10.2} {} after {:?}", times[at], places[at].0, places[at].1);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    let name = arguments.first().filter(|argument| !argument.starts_with('-')).map_or("tekken", String::as_str);
    let every = after("--every").and_then(|every| every.parse().ok()).unwrap_or(1);
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../build/bench").join(name);
    let read = |file: &str| std::fs::read(home.join(file)).ok();
    let (Some(vocabulary), Some(merges), Some(text)) =
        (read("canonical.vocabulary"), read("canonical.merges"), read("canonical.jsonl"))
    else {
        println!("no cases: run bench/canonical.py prepare first");
        return;
    };
    let vocabulary = Arc::new(Vocabulary::from_bytes(&vocabulary).expect("a vocabulary"));
    let merges = Arc::new(Merges::from_bytes(&merges).expect("merges"));
    let cases = cases(&String::from_utf8(text).expect("text")).into_iter().step_by(every);
    let cases = cases.filter_map(|case| Some((case.language(Order::Schema).ok()?, case)));
    let mut setting = Setting {
        tables: Arc::new(Tables::new(vocabulary, Limits::default())),
        speller: Arc::new(Speller::new(merges)),
        cases: cases.map(|(language, case)| (case, language)).collect(),
        is_canonical: false,
    };
    println!("{name}: {} cases (us)", setting.cases.len());
    report("every spelling", &mut setting.masks(None, REPETITIONS).0);
    setting.is_canonical = true;
    let first_only = arguments.iter().any(|argument| argument == "--first");
    let wanted = after("--spare");
    let is_wanted = |spare: Option<usize>| {
        wanted.is_none_or(|wanted| *wanted == spare.map_or("none".to_owned(), |spare| spare.to_string()))
    };
    for spare in SPARE.into_iter().filter(|&spare| is_wanted(spare)) {
        let name = spare.map_or("no budget".to_owned(), |spare| format!("{spare} to spare"));
        let kinds = [(format!("{name}, first"), 1), (name, REPETITIONS)];
        for (name, repetitions) in kinds.into_iter().take(if first_only { 1 } else { 2 }) {
            let (mut times, places, digest) = setting.masks(spare, repetitions);
            if arguments.iter().any(|argument| argument == "--worst") {
                print_worst(&times, &places);
            }
            report(&name, &mut times);
            println!("digest of the masks: {digest:016x}");
        }
    }
    if !first_only {
        report("first count", &mut setting.counts());
    }
}
