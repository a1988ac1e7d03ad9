//! Mask, accept and compile times on the cases of `build/bench` (see `bench/README.md`), without Python.
//!
//! The first round over all cases finds every leaf mask missing ("cold"), the others find them all ("warm"). A
//! constraint is new in every round, and what it learnt from one instance helps with the next.

#![allow(clippy::cast_precision_loss)] // times are shown with two decimals

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use formwright::leaf::Tables;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Warm rounds.
const ROUNDS: usize = 5;

struct Case {
    schema: String,
    instances: Vec<Vec<u32>>,
}

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../build/bench")
}

fn vocabulary(data: &[u8]) -> Vocabulary {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < data.len() {
        let size = u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]) as usize;
        tokens.push(data[at + 4..at + 4 + size].to_vec());
        at += 4 + size;
    }
    Vocabulary::new(&tokens, &[2], indexmap::IndexMap::new(), None).expect("a vocabulary")
}

fn cases(text: &str) -> Vec<Case> {
    let read = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let ids = |instance: &serde_json::Value| {
            instance
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_u64)
                .map(|id| id as u32)
                .collect()
        };
        let instances = value["instances"].as_array()?.iter().map(ids).collect();
        Some(Case { schema: value["schema"].as_str()?.to_owned(), instances })
    };
    text.lines().filter_map(read).collect()
}

#[derive(Default)]
struct Times {
    compile: Vec<f64>,
    mask: Vec<f64>,
    accept: Vec<f64>,
    refused: usize,
}

fn round(tables: &Arc<Tables>, cases: &[Case]) -> Times {
    let mut times = Times::default();
    let mut row = vec![0; tables.vocabulary.mask_words()];
    let micros = |start: Instant| start.elapsed().as_nanos() as f64 / 1e3;
    for case in cases {
        let start = Instant::now();
        let Ok(language) = json_schema(&case.schema, &Options::default()) else {
            times.refused += 1;
            continue;
        };
        let mut matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
        matcher.fill_bitmask(&mut row, None).expect("a mask");
        times.compile.push(micros(start));
        for instance in &case.instances {
            matcher.reset();
            for &token in instance {
                let start = Instant::now();
                matcher.fill_bitmask(&mut row, None).expect("a mask");
                times.mask.push(micros(start));
                let start = Instant::now();
                let accepted = matcher.accept_token(token).is_ok();
                times.accept.push(micros(start));
                if !accepted {
                    break;
                }
            }
        }
    }
    times
}

impl Times {
    /// Each time at its best: interruptions of the machine are not ours.
    fn minimum(self, other: Self) -> Self {
        let least = |a: Vec<f64>, b: Vec<f64>| a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect();
        Self {
            compile: least(self.compile, other.compile),
            mask: least(self.mask, other.mask),
            accept: least(self.accept, other.accept),
            refused: self.refused,
        }
    }
}

fn show(name: &str, cases: &[Case], mut times: Times) {
    println!("{name}: {} schemas, {} refused (us)", cases.len(), times.refused);
    report("  compile", &mut times.compile);
    report("  mask", &mut times.mask);
    report("  accept", &mut times.accept);
}

fn report(name: &str, values: &mut [f64]) {
    if values.is_empty() {
        return;
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share) as usize];
    let average = values.iter().sum::<f64>() / values.len() as f64;
    println!(
        "{name:<16} {:>8} avg {average:>8.2} p25 {:>7.2} p50 {:>7.2} p90 {:>8.2} p99 {:>9.2} p99.9 {:>9.2} max {:>10.2}",
        values.len(),
        at(0.25),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

fn main() {
    let (Ok(data), Ok(text)) =
        (std::fs::read(home().join("vocabulary.bin")), std::fs::read_to_string(home().join("cases.jsonl")))
    else {
        println!("no cases: run bench/prepare.py first");
        return;
    };
    let start = Instant::now();
    let tables = Arc::new(Tables::new(Arc::new(vocabulary(&data)), Limits::default()));
    println!("vocabulary: {} tokens in {:.0} ms", tables.vocabulary.len(), start.elapsed().as_secs_f64() * 1e3);
    let cases = cases(&text);
    show("cold", &cases, round(&tables, &cases));
    let rounds: Vec<Times> = (0..ROUNDS).map(|_| round(&tables, &cases)).collect();
    show(
        "warm, minimum of each over five rounds",
        &cases,
        rounds.into_iter().reduce(Times::minimum).unwrap_or_default(),
    );
    println!("leaf caches: {:.1} MB", tables.cached_bytes() as f64 / 1e6);
}
