use crate::Kind;
use crate::error::Result;
use crate::language::Language;
use crate::limits::Limits;
use crate::syntax::grammar::compile::GrammarText;
use crate::syntax::regex::{Dialect, of_dialect};

fn grammar(text: &str) -> Language {
    let (text, translations, forms, controls) = (text.into(), Vec::new(), Vec::new(), Vec::new());
    let text = GrammarText { text, syntax: None, start: None, lexing: None, translations, forms, controls };
    text.build(&[], &Limits::default()).unwrap()
}

fn pattern(text: &str, limits: &Limits) -> Language {
    of_dialect(text, Dialect::Ascii, limits).unwrap()
}

/// All texts over two letters and a bracket, up to a length.
fn texts(length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut at = 0;
    while at < all.len() {
        if all[at].len() < length {
            let longer: Vec<String> = ["a", "b", "("].map(|letter| format!("{}{letter}", all[at])).into();
            all.extend(longer);
        }
        at += 1;
    }
    all
}

fn check(of: &Language, pattern: &Language, both: &Result<Language>) {
    for text in texts(6) {
        let has = |language: &Language| language.check(text.as_bytes()).unwrap().1;
        let expected = has(of) && has(pattern);
        match both {
            Ok(both) => assert_eq!(has(both), expected, "{text:?}"),
            Err(error) => assert!(!expected, "{text:?}: {error}"),
        }
    }
}

#[test]
fn texts_of_both_are_in_it_and_no_others() {
    let grammars = [
        "root ::= \"a\" root \"b\" | \"\"",
        "root ::= root root | \"a\" | \"(\" root \"b\"",
        "root ::= x{2,3} root | \"b\"\nx ::= \"a\" | \"(\" root",
        "start: start \"b\" | A\nA: /a+/\n%ignore \"(\"",
        "start: (A | B)* start A | \"(\"\nA.2: /ab?/\nB: /b+a/",
        "root ::= (\"a\" | root \"(\")* \"b\"",
        "root ::= \"\" | \"(\" x{0,4} root\nx ::= [ab] | [ab] [ab]",
    ];
    let patterns = ["(a|b)*", "(..)*", "a*b*", ".{2,4}", "(a|bb)*\\(?", ".*\\(.*", "[^a]*|a+", "b|", "(a\\(b?)+", "c+"];
    let limits = Limits::default();
    for (grammar, pattern) in grammars.iter().flat_map(|text| patterns.map(|pattern| (grammar(text), pattern))) {
        let pattern = self::pattern(pattern, &limits);
        check(&grammar, &pattern, &grammar.and(&pattern));
        check(&grammar, &pattern, &pattern.and(&grammar));
        let others = pattern.complement().unwrap();
        check(&grammar, &others, &grammar.and(&others));
    }
}

/// What the pattern does not look into stays as it is.
#[test]
fn counts_are_kept_where_the_pattern_does_not_count() {
    let many = grammar("root ::= \"<\" x{0,60000} \">\" root | \"\"\nx ::= \"a\" | \"(\" root \")\"");
    let both = many.and(&pattern(".*", &Limits::default())).unwrap();
    assert!(both.graph().nodes.len() <= 2 * many.graph().nodes.len());
    assert!(both.check(b"<aa(<a>)>").unwrap().1);
}

#[test]
fn what_is_not_decided_is_refused() {
    let one = grammar("root ::= \"a\" root \"b\" | \"\"");
    let error = one.and(&one).unwrap_err();
    assert!(matches!(*error.kind, Kind::Argument { .. }), "{error}");
    let error = one.complement().unwrap_err();
    assert!(matches!(*error.kind, Kind::Argument { .. }), "{error}");
    let none = one.and(&pattern("(ab)+b", &Limits::default())).unwrap_err();
    assert!(matches!(*none.kind, Kind::Unsatisfiable { .. }), "{none}");
}

#[test]
fn bounds_are_kept() {
    let text = "root ::= (\"a\" root \"b\" | \"b\" root \"a\" | \"\") \"c\"?";
    let wide = pattern("([ab]{1,30}c){1,30}", &Limits::default());
    for (name, limits) in [
        ("product_states", Limits { product_states: 100, ..Limits::default() }),
        ("product_parts", Limits { product_parts: 1000, ..Limits::default() }),
        ("work", Limits { work: 50_000, ..Limits::default() }),
    ] {
        let grammar = Language::new(grammar(text).graph().clone(), &limits).unwrap();
        let error = grammar.and(&wide).unwrap_err();
        assert!(matches!(*error.kind, Kind::Limit { limit, .. } if limit == name), "{name}: {error:?}");
    }
}
