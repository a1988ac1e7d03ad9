//! What the benchmarks read: the files that `bench/run.py` leaves in `build/bench`, or a vocabulary made up.

#![allow(dead_code)] // not every benchmark uses everything

use std::path::PathBuf;

use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::syntax::regex::regex;
use formwright::vocabulary::Vocabulary;
use formwright::{Language, Limits, Result};

/// The folder of the vocabulary that is measured.
pub fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../build/bench/tekken")
}

/// The vocabulary of `bench/run.py`, if it was run: the end of text, then the length and the bytes of every token.
pub fn vocabulary() -> Option<Vocabulary> {
    let data = std::fs::read(home().join("vocabulary.bin")).ok()?;
    let number = |at: usize| u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
    let (mut tokens, mut at) = (Vec::new(), 4);
    while at < data.len() {
        let end = at + 4 + number(at) as usize;
        tokens.push(data[at + 4..end].to_vec());
        at = end;
    }
    Vocabulary::new(&tokens, &[number(0)], indexmap::IndexMap::new(), None).ok()
}

/// Every byte, and every word of one to three lowercase letters, with and without a space before it.
pub fn made() -> Vocabulary {
    let mut words = vec![Vec::new()];
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for _ in 0..3 {
        words =
            words.iter().flat_map(|word| (b'a'..=b'z').map(move |letter| [&word[..], &[letter]].concat())).collect();
        tokens.extend(words.iter().filter(|word| word.len() > 1).cloned());
        tokens.extend(words.iter().map(|word| [b" ", &word[..]].concat()));
    }
    tokens.push(Vec::new());
    let end = tokens.len() as u32 - 1;
    Vocabulary::new(&tokens, &[end], indexmap::IndexMap::new(), None).expect("a vocabulary")
}

/// A language of a suite, and its instances as tokens.
pub struct Case {
    pub name: String,
    kind: String,
    source: String,
    pub instances: Vec<Vec<u32>>,
}

/// The cases of a suite, one a line.
pub fn cases(text: &str) -> Vec<Case> {
    let read = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let ids = |instance: &serde_json::Value| {
            instance["tokens"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_u64)
                .map(|id| id as u32)
                .collect()
        };
        let instances = value["instances"].as_array()?.iter().filter(|instance| instance["reject"].is_null());
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Case {
            name: text("name")?,
            kind: text("kind")?,
            source: text("source")?,
            instances: instances.map(ids).collect(),
        })
    };
    text.lines().filter_map(read).collect()
}

impl Case {
    /// The language of the case.
    pub fn language(&self, order: Order) -> Result<Language> {
        match self.kind.as_str() {
            "regex" => regex(&self.source, &Limits::default()),
            _ => json_schema(&self.source, &Options { order, ..Options::default() }),
        }
    }
}

/// Prints the distribution of some times.
#[allow(clippy::cast_precision_loss)] // times are shown with two decimals
pub fn report(name: &str, values: &mut [f64]) {
    if values.is_empty() {
        return;
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share) as usize];
    let average = values.iter().sum::<f64>() / values.len() as f64;
    println!(
        "{name:<16} {:>8} avg {average:>9.3} p25 {:>7.2} p50 {:>7.2} p90 {:>8.2} p99 {:>9.2} p99.9 {:>9.2} max {:>10.2}",
        values.len(),
        at(0.25),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}
