//! Masks do not depend on what is cached or shared: caches without room, threads, forks, long texts.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::thread;

use crate::common::{Case, allowed, cases, language, tables, tables_of};
use formwright::language::{Graph, Node};
use formwright::matcher::Matcher;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::terminals::Tables;
use formwright::{Constraint, Kind, Language, Limits};

/// The masks along every text a case accepts, byte by byte.
fn masks(constraint: &Constraint, case: &Case, count: u32) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for text in &case.accepts {
        let mut matcher = constraint.matcher();
        for byte in text.as_bytes() {
            all.push(allowed(&mut matcher, None, count));
            matcher.accept_bytes(&[*byte]).unwrap();
        }
        all.push(allowed(&mut matcher, None, count));
    }
    all
}

#[test]
fn caches_without_room_change_nothing() {
    let ample = tables(Limits::default());
    let none = Limits { automata_bytes: 1, terminal_cache_bytes: 1, matcher_cache_bytes: 1, ..Limits::default() };
    let tight = tables(none);
    let count = ample.vocabulary.len() as u32;
    for case in cases() {
        let language = language(&case);
        let [wide, narrow] = [&ample, &tight].map(|tables| Constraint::new(&language, tables).unwrap());
        assert_eq!(masks(&wide, &case, count), masks(&narrow, &case, count), "{}", case.name);
    }
    assert!(tight.cached_bytes() < 64 << 10, "{} bytes", tight.cached_bytes());
    assert!(tight.automata_bytes() < ample.automata_bytes() / 2, "{} bytes", tight.automata_bytes());
}

/// A vocabulary that lives as long as a server must not keep the patterns of all schemas it ever saw.
#[test]
fn strangers_patterns_take_bounded_room() {
    let limit = 1 << 20;
    let tables = tables(Limits { automata_bytes: limit, ..Limits::default() });
    for number in 0..3_000 {
        let schema = format!(r#"{{"type": "string", "pattern": "^k{number}-[a-z]{{3,9}}$"}}"#);
        let language = json_schema(&schema, &Options::default()).unwrap();
        let mut matcher = Constraint::new(&language, &tables).unwrap().matcher();
        matcher.accept_bytes(format!("\"k{number}-abcd").as_bytes()).unwrap();
        assert!(tables.automata_bytes() < 2 * limit, "{} bytes after {number}", tables.automata_bytes());
    }
}

#[test]
fn threads_see_what_one_thread_sees() {
    let (alone, shared) = (tables(Limits::default()), tables(Limits::default()));
    let count = alone.vocabulary.len() as u32;
    for case in cases() {
        let language = language(&case);
        let expected = masks(&Constraint::new(&language, &alone).unwrap(), &case, count);
        let constraint = Constraint::new(&language, &shared).unwrap();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| masks(&constraint, &case, count))).collect();
            for thread in threads {
                assert_eq!(thread.join().unwrap(), expected, "{}", case.name);
            }
        });
    }
}

/// All at once on empty tables: every thread compiles every schema, beginning with another one, so that automata, ids
/// and terminal masks are looked up and made at the same time.
#[test]
fn threads_may_compile_the_same_schemas_at_once() {
    let (alone, cases) = (tables(Limits::default()), cases());
    let count = alone.vocabulary.len() as u32;
    let compiled =
        |case: &Case, tables: &Arc<Tables>| masks(&Constraint::new(&language(case), tables).unwrap(), case, count);
    let expected: Vec<_> = cases.iter().map(|case| compiled(case, &alone)).collect();
    for terminal_cache_bytes in [1 << 10, 256 << 20] {
        let shared = tables(Limits { terminal_cache_bytes, ..Limits::default() });
        thread::scope(|scope| {
            for first in (0..cases.len()).step_by(cases.len().div_ceil(4)) {
                let order = (first..cases.len()).chain(0..first);
                let (cases, expected, shared, compiled) = (&cases, &expected, &shared, &compiled);
                scope.spawn(move || {
                    for index in order {
                        assert_eq!(compiled(&cases[index], shared), expected[index], "{}", cases[index].name);
                    }
                });
            }
        });
    }
}

/// A quick write gives the same mask as a lookup; where a terminal mask would have to be made, it writes nothing.
#[test]
fn quick_writes_give_the_same_mask_or_nothing() {
    let tables = tables(Limits::default());
    let words = tables.vocabulary.mask_words();
    let fresh = || (0..words).map(|_| AtomicU32::new(0x5555_5555)).collect::<Vec<_>>();
    let plain = |row: Vec<AtomicU32>| row.into_iter().map(AtomicU32::into_inner).collect::<Vec<_>>();
    let untouched = plain(fresh());
    let quick = |matcher: &mut Matcher| {
        let row = fresh();
        let is_written = matcher.write_quick(&row[..], None);
        (is_written, plain(row))
    };
    let (mut at_once, mut late) = (0, 0);
    for case in cases() {
        let constraint = Constraint::new(&language(&case), &tables).unwrap();
        for text in &case.accepts {
            let mut matcher = constraint.matcher();
            for byte in text.as_bytes() {
                let first = quick(&mut matcher);
                let row = fresh();
                matcher.mask(None).unwrap().write(&tables.vocabulary, &row[..]);
                let expected = plain(row);
                late += usize::from(!first.0);
                at_once += usize::from(first.0);
                assert_eq!(&first.1, if first.0 { &expected } else { &untouched }, "{}", case.name);
                assert_eq!(quick(&mut matcher), (true, expected), "{}", case.name);
                matcher.accept_bytes(&[*byte]).unwrap();
            }
            matcher.accept_token(tables.vocabulary.eos()[0]).unwrap();
            assert_eq!(quick(&mut matcher), (false, untouched.clone()), "{}", case.name);
        }
    }
    assert!(late > 10 && at_once > late, "{at_once} at once, {late} late");
}

/// Masks of a language without JSON are cached when it is compiled, where few bytes may come.
#[test]
fn first_masks_of_plain_languages_are_precomputed() {
    let cases = [
        ("(19|20)[0-9]{2}-(0[1-9]|1[0-2])", "2024-12", true),
        ("x[0-9]{2,400}", "x123456", true),
        ("a{2,400}", &"a".repeat(400), true),
        ("xy{0,300}z", &format!("x{}z", "y".repeat(300)), true),
        ("[a-z]+-[0-9]", "ab-1", false),
    ];
    for (pattern, text, cached) in cases {
        let language = formwright::syntax::regex::regex(pattern, &Limits::default()).unwrap();
        let mut matcher = Constraint::new(&language, &tables(Limits::default())).unwrap().matcher();
        let row: Vec<_> =
            (0..matcher.constraint().tables().vocabulary.mask_words()).map(|_| AtomicU32::new(0)).collect();
        for byte in text.as_bytes() {
            assert_eq!(matcher.write_quick(&row[..], None), cached, "{pattern}");
            matcher.accept_bytes(&[*byte]).unwrap();
        }
    }
}

/// One language for two vocabularies, one with longer tokens: what the one cannot tell apart, the other can.
#[test]
fn vocabularies_share_a_language_not_its_masks() {
    let language = formwright::syntax::regex::regex("(ab|c){2,30}(-[0-9]{14,40})?", &Limits::default()).unwrap();
    let long = ["c".repeat(9), "c".repeat(25), "ab".repeat(20), "12".repeat(16)];
    let long = tables_of(long, Limits::default());
    for tables in [tables(Limits::default()), long] {
        let count = tables.vocabulary.len() as u32;
        let constraint = Constraint::new(&language, &tables).unwrap();
        for text in ["c".repeat(30), "ab".repeat(28), format!("cab-{}", "12".repeat(20))] {
            let mut matcher = constraint.matcher();
            for byte in text.as_bytes() {
                let tried = |token: &u32| matcher.fork().accept_token(*token).is_ok();
                let expected: Vec<u32> = (0..count).filter(tried).collect();
                assert_eq!(allowed(&mut matcher, None, count), expected, "{text}");
                matcher.accept_bytes(&[*byte]).unwrap();
            }
        }
    }
}

/// The masks before each of some bytes.
fn masks_along(matcher: &mut Matcher, text: &[u8], count: u32) -> Vec<Vec<u32>> {
    let mask = |byte: &u8| {
        let mask = allowed(matcher, None, count);
        matcher.accept_bytes(&[*byte]).unwrap();
        mask
    };
    text.iter().map(mask).collect()
}

/// Forks share a cache. In several threads at once, each has the masks that a matcher alone has, and so has a fork of
/// it that stays behind and goes on later.
#[test]
fn forks_in_threads_have_the_masks_of_matchers_alone() {
    let tables = tables(Limits::default());
    let count = tables.vocabulary.len() as u32;
    for case in cases() {
        let language = language(&case);
        let root = Constraint::new(&language, &tables).unwrap().matcher();
        thread::scope(|scope| {
            for text in &case.accepts {
                let (mut fork, text) = (root.fork(), text.as_bytes());
                let expected = masks_along(&mut Constraint::new(&language, &tables).unwrap().matcher(), text, count);
                let name = &case.name;
                scope.spawn(move || {
                    let half = text.len() / 2;
                    let mut masks = masks_along(&mut fork, &text[..half], count);
                    let mut behind = fork.fork();
                    masks.extend(masks_along(&mut fork, &text[half..], count));
                    assert_eq!(masks, expected, "{name}");
                    assert_eq!(behind.text(), &text[..half]);
                    assert_eq!(masks_along(&mut behind, &text[half..], count), expected[half..], "{name}");
                    assert!(fork.is_accepting() && behind.is_accepting());
                });
            }
        });
        assert!(root.text().is_empty());
    }
}

/// Each text visits other states of one automaton: all of them together are more than it may have.
#[test]
fn many_texts_do_not_fill_an_automaton() {
    let limits = Limits { automaton_states: 200, ..Limits::default() };
    let language = formwright::syntax::regex::regex("[ab]*a[ab]{9}", &limits).unwrap();
    let constraint = Constraint::new(&language, &tables(limits)).unwrap();
    let count = constraint.tables().vocabulary.len() as u32;
    let mut again = constraint.matcher();
    for text in 0..1_u32 << 10 {
        again.reset();
        for matcher in [&mut constraint.matcher(), &mut again] {
            for at in 0..10 {
                assert!(!allowed(matcher, None, count).is_empty());
                matcher.accept_bytes(if text >> at & 1 == 1 { b"a" } else { b"b" }).unwrap();
            }
        }
    }
}

#[test]
fn a_long_text_is_like_a_short_one() {
    let tables = tables(Limits::default());
    let count = tables.vocabulary.len() as u32;
    let source = r#"{"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}"#;
    let case = Case { name: String::new(), kind: "schema".into(), source: source.into(), ..Case::default() };
    let mut matcher = Constraint::new(&language(&case), &tables).unwrap().matcher();
    matcher.accept_bytes(b"[").unwrap();
    let item = br#"{"a":1,"bc":23,"d":4},"#;
    let mut once = Vec::new();
    for round in 0..5_000 {
        let walk: Vec<Vec<u32>> = item
            .iter()
            .map(|&byte| {
                let mask = if round % 1_000 == 1 { allowed(&mut matcher, None, count) } else { Vec::new() };
                matcher.accept_bytes(&[byte]).unwrap();
                mask
            })
            .collect();
        if round == 1 {
            once = walk;
        } else if round % 1_000 == 1 {
            assert_eq!(walk, once, "item {round}");
        }
    }
    matcher.rollback(5_000 * item.len()).unwrap();
    assert_eq!(matcher.text(), b"[");
}

/// What a text opens takes room, whether or not ways are united: at the bound, reading and masks say so.
#[test]
fn open_brackets_have_a_bound() {
    let limits = Limits { stack_nodes: 1_000, ..Limits::default() };
    let mut graph = Graph::default();
    let [open, close, letter] = ["(", ")", "a"].map(|text| graph.literals([text.as_bytes()]));
    let rule = graph.add(Node::Never);
    let nested = graph.add(Node::Sequence([open, rule, close].into()));
    graph.nodes[rule as usize] = Node::Choice([nested, letter].into());
    graph.root = rule;
    let brackets = Language::new(graph, &limits).unwrap();
    let lists = json_schema("{}", &Options { limits: limits.clone(), ..Options::default() }).unwrap();
    for (language, open, middle, close) in [(brackets, "(", "a", ")"), (lists, "[", "1", "]")] {
        let nest = |depth: usize| [&open.repeat(depth), middle, &close.repeat(depth)].concat();
        assert_eq!(language.check(nest(300).as_bytes()).unwrap(), (601, true));
        let refused = language.check(nest(1_001).as_bytes()).unwrap_err();
        assert!(matches!(*refused.kind, Kind::Limit { limit: "stack_nodes", allowed: 1_000, .. }), "{refused}");
        let mut matcher = Constraint::new(&language, &tables(limits.clone())).unwrap().matcher();
        let refused = (0..1_001).find_map(|_| matcher.accept_bytes(open.as_bytes()).err()).unwrap();
        assert!(matches!(*refused.kind, Kind::Limit { limit: "stack_nodes", .. }), "{refused}");
        matcher.reset();
        matcher.accept_bytes(nest(300).as_bytes()).unwrap();
        assert!(matcher.is_accepting());
    }
}
