//! Mask, accept and compile times on a suite that `bench/run.py` has prepared, without Python:
//! `cargo bench --bench masks -- stress`.
//!
//! The first round over all cases finds every terminal mask missing ("cold"), the others find them all ("warm"). A
//! constraint is new in every round, and what is cached of one instance helps with the next. With `--each`, the
//! averages of every case, warm, come last. With `--digest`, nothing is timed: one SHA-256 over every mask (with `--each`, one a case), to be
//! compared with that of another build.

#![allow(clippy::cast_precision_loss)] // times are shown with two decimals

use std::sync::Arc;
use std::time::Instant;

use formwright::bytes::hex;
use formwright::syntax::json_schema::Order;
use formwright::terminals::Tables;
use formwright::{Constraint, Limits};
use sha2::{Digest, Sha256};

mod support;

use support::{Case, cases, report};

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Warm rounds.
const ROUNDS: usize = 5;

/// The number of masks and the digest of all of them, in the order in which the instances meet them.
fn digest(tables: &Arc<Tables>, cases: &[Case]) -> (usize, String) {
    let mut row = vec![0; tables.vocabulary.mask_words()];
    let (mut count, mut hash) = (0, Sha256::new());
    for case in cases {
        let Ok(language) = case.language(Order::Schema) else { continue };
        let mut matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
        for instance in &case.instances {
            matcher.reset();
            for &token in instance {
                matcher.fill_bitmask(&mut row, None).expect("a mask");
                for word in &row {
                    hash.update(word.to_le_bytes());
                }
                count += 1;
                if matcher.accept_token(token).is_err() {
                    break;
                }
            }
        }
    }
    (count, hex(&hash.finalize()))
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
        let Ok(language) = case.language(Order::Schema) else {
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
    println!("{name}: {} cases, {} refused (us)", cases.len(), times.refused);
    report("  compile", &mut times.compile);
    report("  mask", &mut times.mask);
    report("  accept", &mut times.accept);
}

fn each(tables: &Arc<Tables>, case: &[Case]) {
    let times = (0..ROUNDS).map(|_| round(tables, case)).reduce(Times::minimum).unwrap_or_default();
    let average = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (compile, mask, accept) = (average(&times.compile), average(&times.mask), average(&times.accept));
    println!("{:<40} {compile:>8.1} {mask:>8.2} {accept:>8.3}", case[0].name);
}

/// What reading the clock adds to every figure, in nanoseconds.
fn clock() -> f64 {
    let times = (0..10_000).map(|_| Instant::now().elapsed().as_nanos());
    times.sum::<u128>() as f64 / 10_000.0
}

fn main() {
    let suite = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or("stress".to_owned());
    let start = Instant::now();
    let text = std::fs::read_to_string(support::home().join(format!("{suite}.jsonl")));
    let (Some(vocabulary), Ok(text)) = (support::vocabulary(), text) else {
        println!("no cases: run bench/run.py first");
        return;
    };
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
    println!("vocabulary: {} tokens in {:.0} ms", tables.vocabulary.len(), start.elapsed().as_secs_f64() * 1e3);
    let cases = cases(&text);
    if std::env::args().any(|argument| argument == "--digest") {
        let size = if std::env::args().any(|argument| argument == "--each") { 1 } else { cases.len() };
        for chunk in cases.chunks(size) {
            let (count, digest) = digest(&tables, chunk);
            println!("{count} masks of {}: {digest}", if size == 1 { &chunk[0].name } else { &suite });
        }
        return;
    }
    println!("the clock adds {:.0} ns to every figure", clock());
    show("cold", &cases, round(&tables, &cases));
    let rounds: Vec<Times> = (0..ROUNDS).map(|_| round(&tables, &cases)).collect();
    show(
        "warm, minimum of each over five rounds",
        &cases,
        rounds.into_iter().reduce(Times::minimum).unwrap_or_default(),
    );
    if std::env::args().any(|argument| argument == "--each") {
        println!("{:<40} {:>8} {:>8} {:>8} (avg us, warm)", "case", "compile", "mask", "accept");
        cases.chunks(1).for_each(|case| each(&tables, case));
    }
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    println!("terminal caches: {:.1} MB", megabytes(tables.cached_bytes()));
    println!("automata: {:.1} MB", megabytes(tables.automata_bytes()));
}
