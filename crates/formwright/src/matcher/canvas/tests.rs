//! Canvases against all fillings of small ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::*;
use crate::language::Language;
use crate::limits::Limits;
use crate::matcher::Matcher;
use crate::matcher::pushdown::tests::{Rule, graph_of_rules};
use crate::syntax::json_schema::{Options, json_schema};
use crate::syntax::regex::regex;
use crate::terminals::Tables;

const TOKENS: [&str; 7] = ["a", "b", "ab", "ba", "c", "bb", ""];
const END: TokenId = 6;

fn constraint(language: &Language, tokens: &[&str]) -> Constraint {
    let end = tokens.len() as u32 - 1;
    let vocabulary = Vocabulary::new(tokens, &[end], IndexMap::new(), Some(tokens.len() + 1)).unwrap();
    Constraint::new(language, &Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))).unwrap()
}

fn of_rules(rules: &[Rule<'_>]) -> Constraint {
    constraint(&Language::new(graph_of_rules(rules), &Limits::default()).unwrap(), &TOKENS)
}

/// Constraints whose texts nest.
fn nested() -> Vec<(&'static str, Constraint)> {
    vec![
        ("s: a s b | c", of_rules(&[("s", &[&["a", "s", "b"], &["c"]])])),
        ("s: a s b s |", of_rules(&[("s", &[&["a", "s", "b", "s"], &[]])])),
        ("s: s s | a | b c", of_rules(&[("s", &[&["s", "s"], &["a"], &["b", "c"]])])),
        ("palindromes", of_rules(&[("s", &[&["a", "s", "a"], &["b", "s", "b"], &["c"], &[]])])),
        (
            "s: a s t | c  t: b | b b |",
            of_rules(&[("s", &[&["a", "s", "t"], &["c"]]), ("t", &[&["b"], &["b", "b"], &[]])]),
        ),
        ("two brackets", of_rules(&[("s", &[&["a", "l", "b"], &["b", "l", "a"], &["c"]]), ("l", &[&["s", "l"], &[]])])),
    ]
}

fn of_pattern(pattern: &str) -> Constraint {
    constraint(&regex(pattern, &Limits::default()).unwrap(), &TOKENS)
}

/// All fillings of a canvas: the matcher reads the tokens, and what is written ends within so many further tokens.
fn fillings(constraint: &Constraint, known: &[Option<TokenId>], after: u32) -> Vec<Vec<TokenId>> {
    let mut found = vec![(Vec::new(), constraint.matcher())];
    for &known in known {
        let tokens: Vec<TokenId> = known.map_or_else(|| (0..=END).collect(), |token| vec![token]);
        let mut next = Vec::new();
        for (filling, matcher) in &found {
            for &token in &tokens {
                let mut matcher = matcher.fork();
                if (matcher.is_finished() && token == END) || matcher.accept_token(token).is_ok() {
                    next.push(([&filling[..], &[token]].concat(), matcher));
                }
            }
        }
        found = next;
    }
    let ends = |matcher: &Matcher| matcher.min_tokens_to_finish() <= after;
    found.into_iter().filter(|(_, matcher)| ends(matcher)).map(|(filling, _)| filling).collect()
}

/// The tokens that a canvas allows at its holes.
fn allowed(canvas: &mut Canvas) -> Vec<Option<BTreeSet<TokenId>>> {
    let filled = canvas.fill().unwrap();
    let tokens = |row: &[u32]| (0..=END).filter(|token| row[0] >> token & 1 == 1).collect();
    filled.index.iter().map(|&row| (row >= 0).then(|| tokens(&filled.rows[row as usize]))).collect()
}

fn expected(fillings: &[Vec<TokenId>], known: &[Option<TokenId>]) -> Vec<Option<BTreeSet<TokenId>>> {
    let tokens = |at: usize| fillings.iter().map(|filling| filling[at]).collect();
    (0..known.len()).map(|at| known[at].is_none().then(|| tokens(at))).collect()
}

/// Numbers from 0 up to a bound, always the same.
fn random(state: &mut u64, below: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as u32 % below
}

const PATTERNS: [&str; 6] = ["(ab|c){1,3}", "a*b", "(a|b){3}c?", "[abc]{0,4}", "ab(ba)*|c+", "(a|bb)*c"];

/// Tokens are placed and lifted at random; after each step, every hole allows what all fillings show, and no token is
/// placed that none of them has.
#[test]
fn holes_allow_what_some_filling_has() {
    let mut state = 1;
    let constraints = PATTERNS.map(|pattern| (pattern, of_pattern(pattern)));
    for (pattern, constraint) in constraints.into_iter().chain(nested()) {
        for (length, after) in [(1, 3), (3, 0), (4, 0), (4, 2)] {
            let mut canvas = match constraint.canvas(length, after) {
                Ok(canvas) => canvas,
                Err(error) => {
                    assert!(matches!(*error.kind, Kind::Limit { limit: "canvas", .. }), "{error}");
                    continue;
                }
            };
            for _ in 0..12 {
                let all = fillings(&constraint, canvas.tokens(), after);
                assert!(!all.is_empty());
                assert_eq!(allowed(&mut canvas), expected(&all, canvas.tokens()), "{pattern} {:?}", canvas.tokens());
                let (at, token) = (random(&mut state, length as u32) as usize, random(&mut state, 7));
                if random(&mut state, 4) == 0 {
                    canvas.lift(&[at]).unwrap();
                    continue;
                }
                let mut known = canvas.tokens().to_vec();
                known[at] = Some(token);
                let fits = !fillings(&constraint, &known, after).is_empty();
                assert_eq!(canvas.place(at, token).is_ok(), fits, "{pattern} {known:?}");
            }
        }
    }
}

struct Model(Vec<Vec<f64>>);

impl LogProbabilities for Model {
    fn at(&self, position: usize, token: TokenId) -> f64 {
        self.0[position][token as usize]
    }
}

fn model(state: &mut u64, length: usize) -> Model {
    let mut row = || (0..8).map(|_| f64::from(random(state, 1000)) / -100.0).collect();
    Model((0..length).map(|_| row()).collect())
}

/// The best filling, the total and marginals are those of all fillings one by one; a draw is one of them.
#[test]
fn fillings_are_weighed_as_one_by_one() {
    let mut state = 2;
    for pattern in PATTERNS {
        let constraint = of_pattern(pattern);
        let Ok(mut canvas) = constraint.canvas(4, 1) else { panic!("{pattern} has a text of four tokens") };
        let model = model(&mut state, 4);
        for at in [None, Some(1)] {
            if let Some(at) = at {
                let some = canvas.best(&model).unwrap().tokens[at];
                canvas.place(at, some).unwrap();
            }
            let all = fillings(&constraint, canvas.tokens(), 1);
            let holes: Vec<usize> = canvas.holes().collect();
            let weigh = |filling: &Vec<TokenId>| holes.iter().map(|&at| model.at(at, filling[at])).sum::<f64>();
            let total = all.iter().map(|filling| weigh(filling).exp()).sum::<f64>();
            let best = all.iter().map(weigh).fold(f64::NEG_INFINITY, f64::max);
            let found = canvas.best(&model).unwrap();
            assert!((found.log_probability - best).abs() < 1e-9 && (weigh(&found.tokens) - best).abs() < 1e-9);
            let uniform: Vec<[f64; 2]> =
                (0..4).map(|_| [0.0; 2].map(|_| f64::from(random(&mut state, 99)) / 99.0)).collect();
            let drawn = canvas.draw(&model, &uniform).unwrap();
            assert!(all.contains(&drawn.tokens) && (drawn.log_total - total.ln()).abs() < 1e-9);
            canvas
                .marginals(&model, |at, row| {
                    for token in 0..=END {
                        let having = all.iter().filter(|filling| filling[at] == token);
                        let share = having.map(|filling| weigh(filling).exp()).sum::<f64>() / total;
                        assert!((f64::from(row[token as usize]) - share).abs() < 1e-6, "{pattern} {at} {token}");
                    }
                })
                .unwrap();
        }
    }
}

#[test]
fn what_stands_nowhere_is_refused_and_changes_nothing() {
    let mut canvas = of_pattern("ab(ba)*").canvas(3, 0).unwrap();
    let before = canvas.fill().unwrap().rows;
    let error = canvas.place(1, 4).unwrap_err();
    assert_eq!(
        error.message,
        r#"token 4 ("c") does not fit at position 1 of the canvas: expected "b", "bb", "ba", an end of text"#
    );
    assert!(matches!(*error.kind, Kind::Rejected { token: Some(4), position: 1, .. }));
    assert!(matches!(*canvas.place(3, 0).unwrap_err().kind, Kind::Argument { argument: "position" }));
    assert!(matches!(*canvas.place(0, 99).unwrap_err().kind, Kind::Vocabulary));
    assert_eq!(canvas.place_all(&[(2, END), (1, 3), (0, 0)]).unwrap(), [true, true, false]);
    assert_eq!(canvas.holes().collect::<Vec<_>>(), [0]);
    canvas.lift(&[2, 1]).unwrap();
    assert_eq!(canvas.fill().unwrap().rows, before);
    assert_eq!(canvas.place_all(&[(0, 2), (1, END), (2, END)]).unwrap(), [true; 3]);
    assert_eq!(canvas.text(), Some(b"ab".to_vec()));
    let nothing = Model(vec![vec![f64::NEG_INFINITY; 8]; 3]);
    let not_a_number = Model(vec![vec![f64::NAN; 8]; 3]);
    canvas.lift(&[0, 1, 2]).unwrap();
    for model in [nothing, not_a_number] {
        let error = canvas.best(&model).unwrap_err();
        assert!(matches!(*error.kind, Kind::Argument { argument: "log_probabilities" }), "{error}");
    }
}

/// The holes of a form that nests do not form a chain of states.
#[test]
fn fillings_of_forms_that_nest_are_not_weighed() {
    for (name, constraint) in nested() {
        let mut canvas = constraint.canvas(4, 0).unwrap();
        let error = canvas.best(&Model(vec![vec![0.0; 8]; 4])).unwrap_err();
        assert!(matches!(*error.kind, Kind::Argument { argument: "form" }), "{name}: {error}");
    }
}

/// What takes too much memory or work is refused.
#[test]
fn stacks_that_take_too_much_memory_are_refused() {
    let (_, constraint) = nested().swap_remove(0);
    let Err(error) = constraint.canvas(1 << 20, 0) else { panic!("it takes more than {} bytes", 32 << 20) };
    assert!(matches!(&*error.kind, Kind::Limit { limit: "canvas_bytes" | "work", .. }), "{error:?}");
}

#[test]
fn forms_without_canvases_say_where() {
    let of_schema = |schema: &str| {
        let language = json_schema(schema, &Options::default()).unwrap();
        constraint(&language, &["a", "\"", "{", "}", "[", "]", ",", ":", " ", "1", ""]).canvas(8, 0).unwrap_err()
    };
    let names = of_schema(
        r#"{"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "integer"}}}, "required": ["a"], "additionalProperties": false}"#,
    );
    assert!(matches!(&*names.kind, Kind::Unsupported { pointer } if pointer == "/a"), "{names:?}");
    let items = of_schema(
        r#"{"type": "array", "items": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true}, "maxItems": 2}"#,
    );
    assert!(matches!(&*items.kind, Kind::Unsupported { pointer } if pointer == "/*"), "{items:?}");
    let nested = of_schema(r##"{"type": "array", "items": {"$ref": "#"}, "uniqueItems": true}"##);
    assert!(matches!(&*nested.kind, Kind::Unsupported { pointer } if pointer.is_empty()), "{nested:?}");
    let large = of_pattern("[abc]{0,9}").canvas(1 << 40, 0).unwrap_err();
    assert!(matches!(&*large.kind, Kind::Limit { limit: "canvas_bytes", .. }), "{large:?}");
    let none = of_pattern("a*").canvas(0, 0).unwrap_err();
    assert!(matches!(&*none.kind, Kind::Argument { argument: "length" }), "{none:?}");
}
