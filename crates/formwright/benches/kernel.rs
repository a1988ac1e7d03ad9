//! The time of single operations: loading a vocabulary, compiling, masks of cached and of new states, steps.
//!
//! Runs on the vocabulary of `bench/run.py` where that has been run, else on one made of the letters' combinations.

use std::sync::Arc;

use divan::{Bencher, black_box};
use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Limits};

mod support;

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RECORD: &str = r#"{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"]}"#;
const IDENTIFIER: &str = r#"{"type": "string", "pattern": "^[a-zA-Z0-9_]{1,64}$"}"#;
const WRITTEN: &[u8] = br#"{"name": "Jane"#;

fn main() {
    divan::main();
}

fn vocabulary() -> Vocabulary {
    support::vocabulary().unwrap_or_else(support::made)
}

fn tables() -> Arc<Tables> {
    Arc::new(Tables::new(Arc::new(vocabulary()), Limits::default()))
}

fn start(tables: &Arc<Tables>, schema: &str) -> Matcher {
    let language = json_schema(schema, &Options::default()).expect("a language");
    Constraint::new(&language, tables).expect("a constraint").matcher()
}

/// A matcher within the string of a record, whose mask is cached, with its tables and a row.
fn within() -> (Arc<Tables>, Matcher, Vec<u32>) {
    let tables = tables();
    let mut matcher = start(&tables, RECORD);
    matcher.accept_bytes(WRITTEN).expect("a text in form");
    let mut row = vec![0; tables.vocabulary.mask_words()];
    matcher.fill_bitmask(&mut row, None).expect("a mask");
    (tables, matcher, row)
}

/// An id that spells a letter.
fn letter(tables: &Tables) -> u32 {
    (0..tables.vocabulary.len() as u32).find(|&id| tables.vocabulary.token(id) == b"a").expect("a letter")
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn vocabulary_load(bencher: Bencher) {
    let loaded = vocabulary();
    let tokens: Vec<Vec<u8>> = (0..loaded.len() as u32).map(|id| loaded.token(id).to_vec()).collect();
    let load = |tokens: &[Vec<u8>]| {
        let vocabulary = Vocabulary::new(tokens, loaded.eos(), indexmap::IndexMap::new(), None).expect("a vocabulary");
        Tables::new(Arc::new(vocabulary), Limits::default())
    };
    bencher.bench(|| load(black_box(&tokens)));
}

/// With two threads, the time stays where they do not wait for each other.
#[divan::bench(threads = [1, 2])]
fn compile(bencher: Bencher) {
    let tables = tables();
    bencher.bench(|| start(&tables, black_box(RECORD)));
}

#[divan::bench]
fn compile_to_first_mask(bencher: Bencher) {
    let (tables, _, mut row) = within();
    bencher.bench_local(|| start(&tables, black_box(RECORD)).fill_bitmask(&mut row, None));
}

/// The mask of a pattern that no schema has had before.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn first_mask_of_a_pattern(bencher: Bencher) {
    let words = vocabulary().mask_words();
    let fresh = || {
        let mut matcher = start(&tables(), IDENTIFIER);
        matcher.accept_bytes(b"\"a").expect("a text in form");
        (matcher, vec![0; words])
    };
    bencher.with_inputs(fresh).bench_local_refs(|(matcher, row)| matcher.fill_bitmask(row, None));
}

#[divan::bench]
fn mask_of_a_cached_state(bencher: Bencher) {
    let (_tables, mut matcher, mut row) = within();
    bencher.bench_local(|| matcher.fill_bitmask(black_box(&mut row), None));
}

/// Forks share a cache, but must not wait for each other.
#[divan::bench(threads = [1, 2])]
fn mask_of_a_fork(bencher: Bencher) {
    let (_tables, matcher, row) = within();
    let fork = || (matcher.fork(), row.clone());
    bencher.with_inputs(fork).bench_refs(|(matcher, row)| matcher.fill_bitmask(black_box(row), None));
}

/// What the mask of a cached state cannot beat.
#[divan::bench]
fn copy_of_a_row(bencher: Bencher) {
    let (_tables, _, mut row) = within();
    let source = row.clone();
    bencher.bench_local(|| black_box(&mut row).copy_from_slice(black_box(&source)));
}

#[divan::bench]
fn accept_and_rollback(bencher: Bencher) {
    let (tables, mut matcher, _) = within();
    let token = letter(&tables);
    bencher.bench_local(|| {
        matcher.accept_token(black_box(token)).expect("a token in form");
        matcher.rollback(1)
    });
}

#[divan::bench]
fn accept_eight_and_rollback(bencher: Bencher) {
    let (tables, mut matcher, _) = within();
    let tokens = [letter(&tables); 8];
    bencher.bench_local(|| {
        matcher.accept_tokens(black_box(&tokens)).expect("tokens in form");
        matcher.rollback(8)
    });
}

#[divan::bench]
fn fork(bencher: Bencher) {
    let (_tables, matcher, _) = within();
    bencher.bench_local(|| black_box(&matcher).fork());
}
