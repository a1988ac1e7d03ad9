//! What a second thread brings: `cargo bench --bench threads`.
//!
//! Both threads do all of the work; the factor is the time of both works one after the other over the time of both at
//! once, each at its best of many short rounds. 2 is all there is, and the second column tells what the machine can
//! give: there the threads share nothing, and have a vocabulary each.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::terminals::Tables;
use formwright::{Constraint, Limits};

mod support;

/// As in the Python package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 400;

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

/// What threads share, or one has for itself.
struct Side {
    tables: Arc<Tables>,
    constraints: Vec<Constraint>,
}

impl Side {
    fn new() -> Self {
        let vocabulary = Arc::new(support::vocabulary().unwrap_or_else(support::made));
        let tables = Arc::new(Tables::new(vocabulary, Limits::default()));
        let constraints = CASES.iter().map(|(schema, _)| compiled(&tables, schema)).collect();
        Self { tables, constraints }
    }

    fn row(&self) -> Vec<u32> {
        vec![0; self.tables.vocabulary.mask_words()]
    }
}

fn compiled(tables: &Arc<Tables>, schema: &str) -> Constraint {
    let language = json_schema(schema, &Options::default()).expect("a language");
    Constraint::new(&language, tables).expect("a constraint")
}

/// Schemas, compiled anew.
fn compile(side: &Side) -> impl FnMut() + Send {
    || CASES.iter().for_each(|(schema, _)| _ = compiled(&side.tables, schema))
}

/// A mask before every byte of a text.
fn walk(mut matcher: Matcher, text: &str, row: &mut [u32]) {
    for byte in text.bytes() {
        matcher.fill_bitmask(row, None).expect("a mask");
        matcher.accept_bytes(&[byte]).expect("a text in form");
    }
}

/// Texts of schemas that are compiled for them.
fn new_texts(side: &Side) -> impl FnMut() + Send {
    let mut row = side.row();
    move || CASES.iter().for_each(|(schema, text)| walk(compiled(&side.tables, schema).matcher(), text, &mut row))
}

/// Texts of constraints that are at hand.
fn texts(side: &Side) -> impl FnMut() + Send {
    let mut row = side.row();
    move || side.constraints.iter().zip(CASES).for_each(|(of, (_, text))| walk(of.matcher(), text, &mut row))
}

/// A matcher after every byte of every text, and a row for each.
fn rows(side: &Side) -> Vec<(Matcher, Vec<u32>)> {
    let mut all = Vec::new();
    for (schema, text) in CASES {
        let mut matcher = compiled(&side.tables, schema).matcher();
        for byte in text.bytes() {
            all.push((matcher.fork(), side.row()));
            matcher.accept_bytes(&[byte]).expect("a text in form");
        }
    }
    all
}

/// Masks that are cached.
fn fill(mut rows: Vec<(Matcher, Vec<u32>)>) -> impl FnMut() + Send {
    move || {
        for (matcher, row) in &mut rows {
            matcher.fill_bitmask(row, None).expect("a mask");
        }
    }
}

/// How long a work takes, `times` times.
fn time(times: usize, work: &mut impl FnMut()) -> Duration {
    let begin = Instant::now();
    (0..times).for_each(|_| work());
    begin.elapsed()
}

/// The best times of a second thread's work alone, and of both at once.
struct Second {
    begin: Sender<()>,
    ended: Receiver<Duration>,
    alone: Duration,
    both: Duration,
}

impl Second {
    fn spawn<'s>(scope: &'s Scope<'s, '_>, times: usize, mut work: impl FnMut() + Send + 's) -> Self {
        let (begin, begun) = channel();
        let (end, ended) = channel();
        scope.spawn(move || begun.iter().try_for_each(|()| end.send(time(times, &mut work))));
        Self { begin, ended, alone: Duration::MAX, both: Duration::MAX }
    }

    fn round(&mut self, first: &mut impl FnMut()) {
        let run = |first: &mut dyn FnMut()| {
            self.begin.send(()).expect("a thread");
            first();
            self.ended.recv().expect("a time")
        };
        self.alone = self.alone.min(run(&mut || ()));
        let begin = Instant::now();
        run(first);
        self.both = self.both.min(begin.elapsed());
    }
}

/// Prints how much sooner a work and another are done in two threads than one after the other, each at its best: the
/// work and one that shares its vocabulary, and the work and one that shares nothing.
fn factors(what: &str, times: usize, [mut first, shared, apart]: [impl FnMut() + Send; 3]) {
    let mut alone = Duration::MAX;
    let seconds = thread::scope(|scope| {
        let mut seconds = [shared, apart].map(|work| Second::spawn(scope, times, work));
        for _ in 0..ROUNDS {
            alone = alone.min(time(times, &mut first));
            for second in &mut seconds {
                second.round(&mut || _ = time(times, &mut first));
            }
        }
        seconds.map(|second| (second.alone, second.both))
    });
    let [shared, apart] = seconds.map(|(second, both)| (alone + second).as_secs_f64() / both.as_secs_f64());
    println!("{what:<44}{shared:>8.2}{apart:>8.2}");
}

fn main() {
    let (side, own) = (&Side::new(), &Side::new());
    let sides = [side, side, own];
    println!("{:<44}{:>8}{:>8}", "", "shared", "apart");
    factors("compile", 40, sides.map(compile));
    factors("new texts: compile, masks, steps", 15, sides.map(new_texts));
    factors("texts: masks, steps", 15, sides.map(texts));
    factors("masks of cached states", 4, sides.map(rows).map(fill));
    let family = rows(side);
    let forks = || family.iter().map(|(matcher, row)| (matcher.fork(), row.clone())).collect();
    factors("masks of cached states, forks of each other", 4, [forks(), forks(), rows(own)].map(fill));
}
