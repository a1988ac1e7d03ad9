//! What budgets cost, on a suite that `bench/run.py` has prepared: `cargo bench --bench budget -- sample [--model]`.
//!
//! Every instance is followed token by token: without a budget, and with as many tokens as it has and 1,000, 50 or none
//! more. Each mask counts with the least of five repetitions. Then `min_tokens_to_finish`: the first time that a
//! constraint is asked (the least of five new ones) and later, and its answer against the fewest tokens that spell
//! `example()` and each instance. Last, a sampler that draws uniformly among the allowed tokens. With `--worst`, the masks that
//! took longest are listed.

#![allow(clippy::cast_precision_loss)] // times are shown with two decimals

use std::sync::Arc;
use std::time::Instant;

use formwright::syntax::json_schema::Order;
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};

mod support;

use support::{Case, cases};

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each mask is found.
const REPETITIONS: usize = 5;

/// Tokens beyond those of an instance; `None` is no budget at all.
const SPARE: [Option<usize>; 4] = [None, Some(1000), Some(50), Some(0)];

/// Texts that are drawn of every language.
const DRAWN: usize = 2;

/// Tokens of a text that is drawn.
const LENGTH: u32 = 60;

fn micros(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64 / 1e3
}

/// The time of each mask of each instance.
fn masks(tables: &Arc<Tables>, cases: &[Case], order: Order, spare: Option<usize>) -> Vec<f64> {
    let mut row = vec![0; tables.vocabulary.mask_words()];
    let mut times = Vec::new();
    for case in cases {
        let Ok(language) = case.language(order) else { continue };
        let mut matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
        for instance in &case.instances {
            matcher.reset();
            for (at, &token) in instance.iter().enumerate() {
                let budget = spare.map(|spare| (instance.len() + spare - at) as u32);
                let start = Instant::now();
                let found = matcher.fill_bitmask(&mut row, budget);
                times.push(micros(start));
                if found.is_err() || matcher.accept_token(token).is_err() {
                    break;
                }
            }
        }
    }
    times
}

/// Lists the masks that took longest of all instances with some tokens to spare.
fn worst(tables: &Arc<Tables>, cases: &[Case], order: Order, times: &[f64]) {
    let mut places = Vec::new();
    for case in cases {
        let Ok(language) = case.language(order) else { continue };
        let mut matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
        for instance in &case.instances {
            matcher.reset();
            for &token in instance {
                let text = String::from_utf8_lossy(matcher.text());
                let tail: String = text.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
                places.push((case.name.clone(), tail));
                if matcher.accept_token(token).is_err() {
                    break;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..times.len().min(places.len())).collect();
    order.sort_by(|a, b| times[*b].total_cmp(&times[*a]));
    for at in order.into_iter().take(40) {
        println!("{:>10.2} {} after {:?}", times[at], places[at].0, places[at].1);
    }
}

/// Fewest tokens that spell a text.
fn pieces(vocabulary: &Vocabulary, text: &[u8]) -> u32 {
    let mut fewest = vec![u32::MAX; text.len() + 1];
    fewest[0] = 0;
    for at in 0..text.len() {
        let (trie, mut node) = (vocabulary.plain(), 0);
        for end in at + 1..=text.len() {
            let Some(child) = trie.child(node, text[end - 1]) else { break };
            node = child;
            if !trie.items_at(node).is_empty() {
                fewest[end] = fewest[end].min(fewest[at].saturating_add(1));
            }
        }
    }
    fewest[text.len()]
}

/// The times of `min_tokens_to_finish`, and how far it is above texts that are known.
fn counts(tables: &Arc<Tables>, cases: &[Case], order: Order) {
    let (mut first, mut later, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for case in cases {
        let Ok(language) = case.language(order) else { continue };
        let mut matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
        let (mut least, mut time) = (0, f64::MAX);
        for _ in 0..REPETITIONS {
            matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
            let start = Instant::now();
            least = matcher.min_tokens_to_finish();
            time = time.min(micros(start));
        }
        first.push(time);
        let start = Instant::now();
        matcher.min_tokens_to_finish();
        later.push(micros(start));
        let example = language.example();
        let mut known: Vec<u32> = example.iter().map(|text| pieces(&tables.vocabulary, text)).collect();
        for instance in &case.instances {
            matcher.reset();
            if matcher.accept_tokens(instance).is_ok() && matcher.is_accepting() {
                known.push(pieces(&tables.vocabulary, matcher.text()));
            }
        }
        let fewest = known.into_iter().min().unwrap_or(u32::MAX);
        below += u32::from(least < fewest);
        if least > fewest {
            above.push((case.name.clone(), least, fewest));
        }
    }
    support::report("first count", &mut first);
    support::report("later count", &mut later);
    println!("counts above the fewest tokens known: {} of {}; below: {below}", above.len(), first.len());
    for (name, least, fewest) in above {
        println!("    {least} instead of {fewest}: {name}");
    }
}

/// Texts drawn uniformly, from the least budget and from a longer one.
fn drawn(tables: &Arc<Tables>, cases: &[Case], order: Order) {
    let mut row = vec![0; tables.vocabulary.mask_words()];
    let (mut times, mut random, mut incomplete) = (Vec::new(), 1_u64, 0);
    for case in cases {
        let Ok(language) = case.language(order) else { continue };
        let mut matcher = Constraint::new(&language, tables).expect("a constraint").matcher();
        for round in 0..DRAWN as u32 {
            matcher.reset();
            let mut budget = matcher.min_tokens_to_finish() + round * LENGTH;
            while budget > 0 {
                let start = Instant::now();
                if matcher.fill_bitmask(&mut row, Some(budget)).is_err() {
                    break;
                }
                times.push(micros(start));
                let allowed: u32 = row.iter().map(|word| word.count_ones()).sum();
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let nth = ((random >> 33) % u64::from(allowed)) as u32;
                if matcher.accept_token(nth_set(&row, nth)).is_err() || matcher.is_finished() {
                    break;
                }
                budget -= 1;
            }
            if !matcher.is_accepting() {
                incomplete += 1;
                println!("incomplete: {}: {:?}", case.name, String::from_utf8_lossy(matcher.text()));
            }
        }
    }
    support::report("drawn", &mut times);
    println!("incomplete: {incomplete}");
}

fn nth_set(row: &[u32], mut nth: u32) -> u32 {
    for (at, &word) in row.iter().enumerate() {
        if nth >= word.count_ones() {
            nth -= word.count_ones();
            continue;
        }
        let bit = (0..32).filter(|bit| word >> bit & 1 == 1).nth(nth as usize).unwrap_or(0);
        return at as u32 * 32 + bit;
    }
    0
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let order = if std::env::args().any(|argument| argument == "--model") { Order::Model } else { Order::Schema };
    let suite = arguments.find(|argument| !argument.starts_with('-')).unwrap_or("sample".to_owned());
    let text = std::fs::read_to_string(support::home().join(suite + ".jsonl"));
    let (Some(vocabulary), Ok(text)) = (support::vocabulary(), text) else {
        println!("no cases: run bench/run.py first");
        return;
    };
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
    let cases = cases(&text);
    println!("{} cases, {order:?} (us)", cases.len());
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); SPARE.len()];
    for _ in 0..=REPETITIONS {
        for (times, spare) in times.iter_mut().zip(SPARE) {
            let now = masks(&tables, &cases, order, spare);
            *times = if times.is_empty() { now } else { now.iter().zip(&*times).map(|(a, b)| a.min(*b)).collect() };
        }
    }
    if std::env::args().any(|argument| argument == "--worst") {
        worst(&tables, &cases, order, &times[1]);
    }
    for (times, spare) in times.iter_mut().zip(SPARE) {
        support::report(&spare.map_or("no budget".to_owned(), |spare| format!("{spare} to spare")), times);
    }
    counts(&tables, &cases, order);
    drawn(&tables, &cases, order);
}
