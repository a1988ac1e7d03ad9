//! Grammars whose rules refer to themselves and to each other, at the beginning too: texts, prefixes, masks and budgets are
//! those of the definition. `FORMWRIGHT_WALKS` multiplies the number of random grammars.

use std::sync::Arc;

use crate::common::grammar::{Form, Grammar, LETTERS, LONGEST, NONE, Random, Texts};
use crate::common::{allowed, tables_of};
use formwright::language::{Graph, Node, NodeId};
use formwright::matcher::{Matcher, Recognizer};
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::terminals::Tables;
use formwright::{Constraint, Kind, Language, Limits};

/// Random grammars.
const GRAMMARS: u64 = 500;

/// Letters of the prefixes after which it is known exactly what may come.
const EXACT: usize = 3;

/// Tokens beside those of one byte.
const TOKENS: [&str; 6] = ["aa", "ab", "bc", "cab", "bbb", "ca"];

/// The nodes that a graph uses.
fn used(graph: &Graph) -> usize {
    let (mut seen, mut open) = (vec![false; graph.nodes.len()], vec![graph.root]);
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            graph.nodes[node as usize].each_part(|part| open.push(part));
        }
    }
    seen.into_iter().filter(|seen| *seen).count()
}

/// After a prefix: whether it is a text, what may come next, and how far the end is. Then the same of what may come.
fn check_texts(language: &Language, grammar: &Grammar, texts: &Texts) {
    let graph = language.compiled().unwrap();
    let mut open = vec![Vec::new()];
    while let Some(prefix) = open.pop() {
        let mut run = Recognizer::new(&graph);
        let is_live = run.read(&prefix) == prefix.len();
        let shown = || format!("{:?} after {:?}", grammar, String::from_utf8_lossy(&prefix));
        if prefix.len() <= EXACT {
            assert_eq!(is_live, grammar.missing(&prefix) < NONE, "{}", shown());
        }
        assert_eq!(is_live && run.is_accepting(), texts.has(&prefix), "{}", shown());
        if is_live && prefix.len() <= EXACT {
            assert_eq!(run.shortest_completion().len() as u32, grammar.missing(&prefix), "{}", shown());
        }
        assert!(is_live || !begins_one(texts, &prefix), "{}", shown());
        if is_live && prefix.len() < LONGEST {
            open.extend(LETTERS.iter().map(|&letter| [&prefix[..], &[letter]].concat()));
        }
    }
}

/// Whether a text that is listed begins with a prefix.
fn begins_one(texts: &Texts, prefix: &[u8]) -> bool {
    let mut open = vec![prefix.to_vec()];
    while let Some(text) = open.pop() {
        if texts.has(&text) {
            return true;
        }
        if text.len() < LONGEST {
            open.extend(LETTERS.iter().map(|&letter| [&text[..], &[letter]].concat()));
        }
    }
    false
}

/// The letters after which some text goes on.
fn next_prefixes(grammar: &Grammar, prefix: &[u8]) -> Vec<Vec<u8>> {
    let next = LETTERS.iter().map(|&letter| [prefix, &[letter]].concat());
    next.filter(|next| grammar.missing(next) < NONE).collect()
}

/// The tokens of a mask that spell something.
fn spelled(matcher: &mut Matcher, budget: Option<u32>) -> Vec<u32> {
    let count = matcher.constraint().tables().vocabulary.len() as u32;
    allowed(matcher, budget, count).into_iter().filter(|&token| token > 0).collect()
}

/// Masks allow just the tokens with which some text goes on.
fn check_masks(language: &Language, grammar: &Grammar, tables: &Arc<Tables>) {
    let (constraint, vocabulary) = (Constraint::new(language, tables).unwrap(), &tables.vocabulary);
    let mut open = vec![Vec::new()];
    while let Some(prefix) = open.pop() {
        let is_live = |token: &u32| {
            let text = vocabulary.token(*token);
            text.iter().all(|byte| LETTERS.contains(byte)) && grammar.missing(&[&prefix[..], text].concat()) < NONE
        };
        let expected: Vec<u32> = (1..vocabulary.len() as u32).filter(is_live).collect();
        let mut matcher = constraint.matcher();
        matcher.accept_bytes(&prefix).unwrap();
        assert_eq!(spelled(&mut matcher, None), expected, "{grammar:?} after {:?}", String::from_utf8_lossy(&prefix));
        if prefix.len() + 1 < EXACT {
            open.extend(next_prefixes(grammar, &prefix));
        }
    }
}

/// Within a budget, masks allow just the letters that leave enough of it.
fn check_budgets(language: &Language, grammar: &Grammar, tables: &Arc<Tables>) {
    let constraint = Constraint::new(language, tables).unwrap();
    let mut open = vec![Vec::new()];
    while let Some(prefix) = open.pop() {
        let mut matcher = constraint.matcher();
        matcher.accept_bytes(&prefix).unwrap();
        let least = matcher.min_tokens_to_finish();
        let shown = || format!("{grammar:?} after {:?}", String::from_utf8_lossy(&prefix));
        assert_eq!(least, grammar.missing(&prefix), "{}", shown());
        for budget in [least, least + 1, least + 3] {
            let fits = |letter: &&u8| grammar.missing(&[&prefix[..], &[**letter]].concat()) < budget;
            let expected: Vec<u32> = LETTERS.iter().filter(fits).map(|&letter| u32::from(letter) + 1).collect();
            assert_eq!(spelled(&mut matcher, Some(budget)), expected, "{} within {budget}", shown());
        }
        if prefix.len() + 1 < EXACT {
            open.extend(next_prefixes(grammar, &prefix));
        }
    }
}

#[test]
fn random_grammars_keep_their_texts() {
    let tables = tables_of(TOKENS, Limits::default());
    let times: u64 = std::env::var("FORMWRIGHT_WALKS").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let (mut growths, mut endless, mut before) = (Vec::new(), 0, 0);
    for seed in 0..GRAMMARS * times {
        let mut random = Random(seed);
        let grammar = Grammar::random(&mut random);
        let graph = grammar.graph(&mut random);
        let (nodes, all) = (used(&graph), graph.nodes.len());
        if grammar.missing(b"") == NONE {
            let refused = Language::new(graph, &Limits::default()).unwrap_err();
            assert!(matches!(*refused.kind, Kind::Unsatisfiable { .. }), "{grammar:?}");
            endless += 1;
            continue;
        }
        let language = Language::new(graph, &Limits::default()).unwrap();
        check_texts(&language, &grammar, &grammar.texts());
        check_masks(&language, &grammar, &tables);
        if language.graph().nodes.len() > all {
            before += nodes;
            growths.push((used(language.graph()) * 100 / nodes, used(language.graph()), seed));
        }
    }
    growths.sort_unstable();
    let after: usize = growths.iter().map(|(_, nodes, _)| nodes).sum();
    let (median, worst) = (growths[growths.len() / 2].0, growths[growths.len() - 1]);
    println!(
        "{} left recursive, {endless} without a text; {before} nodes became {after}, median {median} %, worst {worst:?}",
        growths.len()
    );
    assert!(growths.len() > 100, "many grammars are left recursive");
}

/// Rules that are written by hand: what each construct of left recursion becomes.
fn grammars() -> Vec<(&'static str, Vec<Form>)> {
    let text = |text: &str| Form::Text(text.into());
    let rule = Form::Rule;
    let (row, any) = (Form::Sequence as fn(_) -> _, Form::Choice as fn(_) -> _);
    vec![
        ("direct", vec![any(vec![row(vec![rule(0), text("b")]), text("a")])]),
        ("cyclic", vec![any(vec![rule(0), text("a")])]),
        ("cyclic through another, empty", vec![rule(1), any(vec![rule(0), text("")])]),
        (
            "indirect",
            vec![
                any(vec![row(vec![rule(1), text("a")]), text("b")]),
                any(vec![row(vec![rule(0), text("c")]), text("a")]),
            ],
        ),
        (
            "indirect, entered twice",
            vec![
                any(vec![row(vec![rule(1), text("a"), rule(1)]), text("b")]),
                any(vec![row(vec![rule(0), text("c")]), text("a")]),
            ],
        ),
        ("hidden", vec![any(vec![row(vec![rule(1), rule(0), text("b")]), text("a")]), any(vec![text("c"), text("")])]),
        ("ambiguous, empty", vec![any(vec![row(vec![rule(0), rule(0)]), text("a"), text("")])]),
        ("counted", vec![any(vec![Form::Repeat(Box::new(row(vec![rule(0), text("b")])), 2, 3), text("a")])]),
        ("counted, empty", vec![any(vec![Form::Repeat(Box::new(any(vec![rule(0), text("")])), 2, 3), text("a")])]),
        ("after a regular part", vec![any(vec![row(vec![Form::Star(b'c'), rule(0), text("b")]), text("a")])]),
        ("after counted letters", vec![any(vec![row(vec![Form::Some(0, 2), rule(0), text("c")]), text("a")])]),
        (
            "nothing but empty texts before",
            vec![any(vec![row(vec![Form::Repeat(Box::new(text("")), 0, 5), rule(0), text("c")]), text("a")])],
        ),
    ]
}

#[test]
fn each_kind_of_recursion_keeps_its_texts() {
    let (bytes, longer) = (tables_of([""; 0], Limits::default()), tables_of(TOKENS, Limits::default()));
    for (name, rules) in grammars() {
        let grammar = Grammar(rules);
        for seed in 0..4 {
            let graph = grammar.graph(&mut Random(seed));
            let language = Language::new(graph, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
            check_texts(&language, &grammar, &grammar.texts());
            check_masks(&language, &grammar, &longer);
            check_budgets(&language, &grammar, &bytes);
        }
    }
}

/// `e: e "+" t | t` is one repetition without a rule, so that its stack does not grow.
#[test]
fn direct_recursion_is_a_repetition() {
    let mut graph = Graph::default();
    let (plus, one) = (graph.literals([&b"+"[..]]), graph.literals([&b"1"[..]]));
    let choice = graph.nodes.len() as NodeId + 1;
    let sequence = graph.add(Node::Sequence([choice, plus, one].into()));
    graph.root = graph.add(Node::Choice([sequence, one].into()));
    let language = Language::new(graph, &Limits::default()).unwrap();
    let Node::Sequence(parts) = &language.graph().nodes[choice as usize] else { panic!("no sequence") };
    assert!(matches!(language.graph().nodes[parts[1] as usize], Node::Repeat { low: 0, .. }));
    assert_eq!(language.check(b"1+1+1").unwrap(), (5, true));
    assert_eq!(language.check(b"1+1+").unwrap(), (4, false));
}

/// Arrays of what they are in, with left recursion beside them: containers are read as they are.
#[test]
fn containers_hold_recursive_rules() {
    let parsed = json_schema(r#"{"type": "array", "items": {"const": 1}}"#, &Options::default());
    let mut graph = parsed.unwrap().graph().clone();
    let Node::Array(array) = &graph.nodes[graph.root as usize] else { panic!("no array") };
    let (mut array, comma, one) = (array.clone(), graph.literals([&b";"[..]]), graph.literals([&b"1"[..]]));
    let start = graph.nodes.len() as NodeId;
    Arc::make_mut(&mut array).rest = Some(start);
    let nodes = [
        Node::Choice([start + 1, start + 2, one].into()),
        Node::Sequence([start, comma, start].into()),
        Node::Array(array),
    ];
    graph.nodes.extend(nodes);
    graph.root = start;
    let language = Language::new(graph, &Limits::default()).unwrap();
    for (text, expected) in [
        ("1;1;[1;1,[]];1", (14, true)),
        ("[1;", (3, false)),
        ("[;", (1, false)),
        ("[]", (2, true)),
        ("1;;", (2, false)),
    ] {
        assert_eq!(language.check(text.as_bytes()).unwrap(), expected, "{text}");
    }
}

/// A repetition whose body may be empty needs no rounds, however many are asked for; one of no rounds is empty.
#[test]
fn every_round_reads_something() {
    for (low, high, longest) in [(2, 3, 3), (5, 5, 5), (0, 2, 2), (0, 0, 0)] {
        let mut graph = Graph::default();
        let body = graph.literals([&b""[..], b"a"]);
        graph.root = graph.add(Node::Repeat { body, low, high });
        let language = Language::new(graph, &Limits::default()).unwrap();
        for node in &language.graph().nodes {
            assert!(!matches!(node, Node::Repeat { low, high, .. } if *low > 0 || *high == 0), "{node:?}");
        }
        for letters in 0..7 {
            let expected = (letters.min(longest), letters <= longest);
            assert_eq!(
                language.check("a".repeat(letters).as_bytes()).unwrap(),
                expected,
                "{letters} of {low} to {high}"
            );
        }
    }
}

/// Rules that all begin with each other, each entered from outside: the bound on nodes ends it with an error.
#[test]
fn too_many_rules_that_begin_with_each_other_are_refused() {
    let mut graph = Graph::default();
    let (rules, x) = (3_000, graph.literals([&b"x"[..]]));
    let first = graph.nodes.len() as NodeId;
    graph.nodes.resize((first + rules) as usize, Node::Never);
    for rule in 0..rules {
        let (next, other) = (first + (rule + 1) % rules, first + (rule * 7 + 3) % rules);
        let sequence = graph.add(Node::Sequence([next, x, other].into()));
        graph.nodes[(first + rule) as usize] = Node::Choice([sequence, x].into());
    }
    graph.root = first;
    let limits = Limits { nodes: 200_000, ..Limits::default() };
    let refused = Language::new(graph, &limits).unwrap_err();
    assert!(
        matches!(
            *refused.kind,
            Kind::Limit { limit: "nodes of rules that begin with each other", allowed: 200_000, .. }
        ),
        "{refused}"
    );
}
