//! Work ends when it is told to, and nothing half-made is kept.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use formwright::canonical::{Cuts, Description, Merges, Order, Symbols};
use formwright::interrupt::until;
use formwright::matcher::Speller;
use formwright::regular::Unit;
use formwright::syntax::choice::choice;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::pieces::one_of_text;
use formwright::syntax::regex::regex;
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Interrupt, Kind, Language, Limits, Result};

/// Within so much time work ends: a tenth of a second, and room for a busy machine.
const SOON: Duration = Duration::from_millis(300);

/// Whether some work was interrupted; anything else that goes wrong fails the test.
fn is_interrupted<T>(done: Result<T>) -> bool {
    match done {
        Ok(_) => false,
        Err(error) => matches!(*error.kind, Kind::Interrupted) || panic!("{error}"),
    }
}

/// Work that is interrupted at the question of this number, which is counted from 0.
fn interrupted_at<T>(question: u32, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let asked = Cell::new(0);
    until(move || asked.replace(asked.get() + 1) >= question, work)
}

fn union(count: usize) -> String {
    let object = |n| format!(r#"{{"properties":{{"kind":{{"const":"k{n}"}},"x{n}":{{}}}},"required":["kind"]}}"#);
    format!(r#"{{"anyOf":[{}]}}"#, (0..count).map(object).collect::<Vec<_>>().join(","))
}

/// Ways to make a language that take a while each.
type Reading = Box<dyn Fn() -> Result<Language> + Send>;

fn languages() -> Vec<(&'static str, Reading)> {
    let limits = Limits::default();
    let conditions = |n: usize| {
        format!(r#"{{"if":{{"properties":{{"m{}":{{"const":{n}}}}}}},"then":{{"required":["m{}"]}}}}"#, n % 20, n % 7)
    };
    let conditions = (0..200).map(conditions).collect::<Vec<_>>().join(",");
    let conditions = format!(r#"{{"type":"object","allOf":[{conditions}]}}"#);
    let several = r#"{"allOf":[{"multipleOf":0.37},{"multipleOf":1.13},{"multipleOf":7919}]}"#;
    let texts: Vec<String> = (0..1_000_000_u64).map(|n| format!("{}", n * 7919 % 1_000_003)).collect();
    let text = (0..300_000_u64).map(|n| format!("w{} ", n * 7919 % 10_007)).collect::<Vec<_>>().concat();
    let (for_choice, for_pieces) = (limits.clone(), limits);
    vec![
        ("conditions", Box::new(move || json_schema(&conditions, &Options::default()))),
        ("multiples", Box::new(move || json_schema(several, &Options::default()))),
        ("union", Box::new(|| json_schema(&union(20_000), &Options::default()))),
        ("choice", Box::new(move || choice(&texts, &for_choice))),
        ("pieces", Box::new(move || one_of_text(&text, Unit::Word, &for_pieces))),
    ]
}

#[test]
fn another_thread_ends_what_is_read() {
    for (name, make) in languages() {
        let interrupt = Interrupt::new();
        let own = interrupt.clone();
        let thread = std::thread::spawn(move || (is_interrupted(own.during(&*make)), Instant::now()));
        std::thread::sleep(Duration::from_millis(40));
        let set = Instant::now();
        interrupt.set();
        let (ended, at) = thread.join().unwrap();
        assert!(ended, "{name} was over before it was ended");
        assert!(at.saturating_duration_since(set) < SOON, "{name} took {:?} to end", at - set);
    }
}

#[test]
fn a_switch_that_is_set_ends_everything() {
    let interrupt = Interrupt::new();
    assert!(!interrupt.is_set() && interrupt.during(|| Ok(())).is_ok());
    interrupt.set();
    assert!(is_interrupted(interrupt.during(|| Ok(()))));
}

/// A merge of every two letters, and the bytes.
fn speller(tables: &Arc<Tables>) -> Arc<Speller> {
    let tokens = (0..tables.vocabulary.len() as u32).map(|id| tables.vocabulary.token(id).to_vec());
    let tokens: Vec<_> = tokens.map(|token| Some(token).filter(|token| !token.is_empty())).collect();
    let order = Order::Priorities((0..tokens.len() as u32).collect());
    let description = Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order };
    Arc::new(Speller::new(Arc::new(Merges::new(&description, &Cuts::default()).unwrap())))
}

fn tables() -> Arc<Tables> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.push(Vec::new());
    tokens.extend((b'a'..=b'z').flat_map(|first| (b'a'..=b'z').map(move |second| vec![first, second])));
    let vocabulary = Vocabulary::new(&tokens, &[256], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))
}

/// The masks along a text, always with the last token that may come.
fn masks(constraint: &Constraint) -> Vec<Vec<u32>> {
    let (mut matcher, mut masks) = (constraint.matcher(), Vec::new());
    for _ in 0..12 {
        let mut mask = vec![0; constraint.tables().vocabulary.mask_words()];
        matcher.fill_bitmask(&mut mask, None).unwrap();
        let token = (0..mask.len() as u32 * 32).rfind(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1);
        masks.push(mask);
        matcher.accept_token(token.unwrap()).unwrap();
        if matcher.is_finished() {
            break;
        }
    }
    masks
}

/// Compiling is ended at its first question, its second, ...: the tables of the vocabulary then serve as new ones do.
#[test]
fn nothing_half_made_is_kept() {
    let limits = Limits::default();
    let words = (0..1_200).map(|n| format!("([a-f]{}[b-k]{{0,{}}})?", n % 10, n % 60 + 1)).collect::<Vec<_>>().concat();
    let forms = [regex(&words, &limits).unwrap(), json_schema(&union(300), &Options::default()).unwrap()];
    for form in &forms {
        for is_canonical in [false, true] {
            let compile = |tables: &Arc<Tables>, speller: &Arc<Speller>| {
                if is_canonical { Constraint::canonical(form, tables, speller) } else { Constraint::new(form, tables) }
            };
            let fresh = tables();
            let expected = masks(&compile(&fresh, &speller(&fresh)).unwrap());
            let shared = tables();
            let speller = speller(&shared);
            let mut question = 0;
            while is_interrupted(interrupted_at(question, || compile(&shared, &speller))) {
                question += 1 + question / 4;
            }
            assert!(question > 0);
            assert_eq!(masks(&compile(&shared, &speller).unwrap()), expected);
        }
    }
}

/// A text that runs is not harmed when another one's compile is ended, though both use one automaton.
#[test]
fn the_texts_of_others_go_on() {
    let (tables, limits) = (crate::common::tables(Limits::default()), Limits::default());
    let source = (0..3_000).map(|n| format!("(a{n:04})?")).collect::<Vec<_>>().concat();
    let form = regex(&source, &limits).unwrap();
    let constraint = Constraint::new(&form, &tables).unwrap();
    let expected = masks(&constraint);
    for question in 1..30 {
        interrupted_at(question, || Constraint::new(&form, &tables)).ok();
        interrupted_at(question, || form.check(b"a0001a0500a2000")).ok();
    }
    assert_eq!(masks(&constraint), expected);
    assert_eq!(form.check(b"a0001a0500a2000").unwrap(), (15, true));
}

#[test]
fn inner_calls_end_with_the_outer_one() {
    let (outer, inner) = (Interrupt::new(), Interrupt::new());
    let mut was_left = true;
    let done = outer.during(|| {
        let done = inner.during(|| {
            outer.set();
            json_schema(&union(20_000), &Options::default())
        });
        was_left = false;
        done
    });
    assert!(is_interrupted(done) && was_left && !inner.is_set());
    let panics = catch_unwind(AssertUnwindSafe(|| inner.during(|| -> Result<()> { panic!("of the work") })));
    assert!(panics.is_err());
    assert!(inner.during(|| json_schema("true", &Options::default())).is_ok(), "a panic ends no later work");
}

#[test]
fn too_much_work_is_refused_by_name() {
    let limits = Limits { work: 1 << 14, ..Limits::default() };
    let options = Options { limits: limits.clone(), ..Options::default() };
    let source = (0..9_000).map(|n| format!("a{n}?")).collect::<Vec<_>>().concat();
    let tables = crate::common::tables(limits.clone());
    let refused = [
        json_schema(&union(20_000), &options).err(),
        regex(&source, &limits).err(),
        Constraint::new(&regex(&source, &Limits::default()).unwrap(), &tables).err(),
    ];
    for error in refused {
        let error = error.expect("it is too much");
        assert!(matches!(*error.kind, Kind::Limit { limit: "work", allowed: 16_384, .. }), "{error}");
    }
    assert!(json_schema(&union(5), &options).is_ok());
}
