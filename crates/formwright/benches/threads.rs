//! What a second thread brings: `cargo bench --bench threads`.
//!
//! Both threads do all of the work, in another order, on one vocabulary; the factor is the time of both lists one after
//! the other over the time of both at once, each at its best of several rounds. 2 is all there is, and that of
//! arithmetic tells what the machine can give now.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::thread;
use std::time::{Duration, Instant};

use formwright::leaf::Tables;
use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::{Constraint, Limits};

mod support;

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 60;

/// Schemas of several kinds, each with a text.
const CASES: [(&str, &str); 6] = [
    (
        r#"{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name", "age"]}"#,
        r#"{"name": "Jane Doe", "age": 42}"#,
    ),
    (r#"{"type": "array", "items": {"type": ["number", "boolean", "null"]}}"#, "[1, 2.5e3, true, null, -7]"),
    (
        r#"{"type": "object", "properties": {"id": {"type": "string", "pattern": "^[a-zA-Z0-9_]{1,64}$"},
            "at": {"type": "string", "format": "date-time"}, "text": {"type": "string", "maxLength": 200}}}"#,
        r#"{"id": "item_42", "at": "2026-01-31T12:00:00Z", "text": "some words"}"#,
    ),
    (
        r##"{"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"value": {"type": "integer"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}}"##,
        r#"{"value": 1, "children": [{"value": 2, "children": []}, {"value": 3}]}"#,
    ),
    (
        r#"{"anyOf": [{"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
            {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}},
            {"enum": ["none", "unknown", "several", "other"]}]}"#,
        r#"{"kind": "square", "side": 3.5}"#,
    ),
    ("true", r#"{"a": [1, {"b": null}], "c": "d"}"#),
];

fn compiled(tables: &Arc<Tables>, schema: &str) -> Constraint {
    let language = json_schema(schema, &Options::default()).expect("a language");
    Constraint::new(&language, tables).expect("a constraint")
}

/// A matcher after every byte of every text, and a row for each.
fn rows(tables: &Arc<Tables>) -> Vec<(Matcher, Vec<AtomicU32>)> {
    let mut all = Vec::new();
    for (schema, text) in CASES {
        let mut matcher = compiled(tables, schema).matcher();
        for byte in text.bytes() {
            let row = (0..tables.vocabulary.mask_words()).map(|_| AtomicU32::new(0)).collect();
            all.push((matcher.fork(), row));
            matcher.accept_bytes(&[byte]).expect("a text in form");
        }
    }
    all
}

fn forks(of: &[(Matcher, Vec<AtomicU32>)]) -> Vec<(Matcher, Vec<AtomicU32>)> {
    let row = |words: &[AtomicU32]| words.iter().map(|_| AtomicU32::new(0)).collect();
    of.iter().map(|(matcher, words)| (matcher.fork(), row(words))).collect()
}

fn fill(rows: &mut [(Matcher, Vec<AtomicU32>)], tables: &Tables) {
    for (matcher, row) in rows {
        matcher.mask(None).expect("a mask").write(&tables.vocabulary, &row[..]);
    }
}

/// A mask before every byte of a text.
fn walk(mut matcher: Matcher, text: &str, row: &mut [u32]) {
    for byte in text.bytes() {
        matcher.fill_bitmask(row, None).expect("a mask");
        matcher.accept_bytes(&[byte]).expect("a text in form");
    }
}

/// Texts of constraints that are at hand.
fn texts(constraints: &[Constraint], row: &mut [u32]) {
    for (constraint, (_, text)) in constraints.iter().zip(CASES) {
        walk(constraint.matcher(), text, row);
    }
}

/// Texts of schemas that are compiled for them.
fn new_texts(tables: &Arc<Tables>, row: &mut [u32]) {
    for (schema, text) in CASES {
        walk(compiled(tables, schema).matcher(), text, row);
    }
}

/// Prints the factor of two works; each is done `times` times a round.
fn factor(what: &str, times: usize, mut one: impl FnMut() + Send, mut other: impl FnMut() + Send) {
    let run = |work: &mut (dyn FnMut() + Send)| (0..times).for_each(|_| work());
    let (mut alone, mut together) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        run(&mut one);
        run(&mut other);
        alone = alone.min(begin.elapsed());
        let begin = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| run(&mut one));
            run(&mut other);
        });
        together = together.min(begin.elapsed());
    }
    println!("{what:<48}{:>8.2}", alone.as_secs_f64() / together.as_secs_f64());
}

fn main() {
    let vocabulary = Arc::new(support::vocabulary().unwrap_or_else(support::made));
    let tables = &Arc::new(Tables::new(vocabulary, Limits::default()));
    let words = tables.vocabulary.mask_words();
    let mixed =
        || black_box((0..60_000_u64).fold(black_box(1), |x, term| (x ^ term).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    factor("arithmetic, which is what this machine can give", 20, || _ = mixed(), || _ = mixed());
    let build = || CASES.iter().for_each(|(schema, _)| _ = compiled(tables, schema));
    factor("compile", 400, build, build);
    let (mut row, mut other_row) = (vec![0; words], vec![0; words]);
    let (one, other) = (&mut row, &mut other_row);
    factor("new texts: compile, masks, steps", 150, || new_texts(tables, one), || new_texts(tables, other));
    let constraints: Vec<Constraint> = CASES.iter().map(|(schema, _)| compiled(tables, schema)).collect();
    factor("texts: masks, steps", 150, || texts(&constraints, one), || texts(&constraints, other));
    let (mut one, mut other) = (rows(tables), rows(tables));
    let mut family = forks(&one);
    factor("masks of known states", 20, || fill(&mut one, tables), || fill(&mut other, tables));
    factor("masks of known states, forks of each other", 20, || fill(&mut one, tables), || fill(&mut family, tables));
}
