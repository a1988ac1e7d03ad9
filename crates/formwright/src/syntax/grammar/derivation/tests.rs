//! Which texts have a derivation, which one is the first, and what becomes of it in each shape.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::ast::{Grammar, Shape};
use super::super::compile::GrammarText;
use super::super::lower::parts::{Part, PartId};
use super::super::lower::tests::{Dice, all_texts, depend_on_what_follows, random_grammar, regexes, spell_grammar};
use super::super::lower::{Given, Lexing, lower};
use super::scanner::{End, Scanner};
use super::{Capture, Derivation, Derivations, NodeKind};
use crate::error::{Error, Kind};
use crate::limits::Limits;
use crate::matcher::Recognizer;

/// Derivations that a definition looks at.
const MOST: usize = 2_000;

/// Nodes as text: `r0_1(T0:ab - T1:c)`, with something for what is not there.
fn spelled(derivation: &Derivation, text: &str, blank: &str) -> String {
    let mut stack: Vec<String> = Vec::new();
    for node in &derivation.nodes {
        let made = match node.kind {
            NodeKind::Token => format!("{}:{}", node.name, &text[node.start as usize..node.end as usize]),
            NodeKind::Blank => blank.to_owned(),
            NodeKind::Tree(children) => {
                let mut children = stack.split_off(stack.len() - children as usize);
                children.retain(|child| !child.is_empty());
                format!("{}({})", node.name, children.join(" "))
            }
        };
        stack.push(made);
    }
    stack.join(" + ")
}

/// All derivations of parts, in their order, by trying everything.
struct Definition<'d> {
    own: &'d Derivations,
    scanner: Scanner<'d>,
    /// Rules that are open: how often each part begins in one place.
    open: Vec<(PartId, u32)>,
    left: usize,
}

/// Where a part ends, and the texts of its nodes.
type Way = (u32, Vec<String>);

impl Definition<'_> {
    /// `None` if there are too many.
    fn ways(&mut self, part: PartId, start: u32) -> Option<Vec<Way>> {
        self.left = self.left.checked_sub(1)?;
        let own = self.own;
        let length = self.scanner.text.len();
        match own.parts.get(part) {
            Part::Occurrence(occurrence) => {
                let ends = self.scanner.ends(*occurrence, start).unwrap();
                let name = &own.names.of_occurrences()[*occurrence as usize];
                let text =
                    |end: u32| String::from_utf8_lossy(&self.scanner.text[start as usize..end as usize]).into_owned();
                let token = |end: &End| vec![format!("{name}:{}", text(end.lexeme))];
                let nodes = |end: &End| if own.names.is_child(*occurrence) { token(end) } else { Vec::new() };
                Some(ends.iter().map(|end| (end.next, nodes(end))).collect())
            }
            Part::Rule(rule) => {
                let body = own.parts.rules[*rule as usize];
                // Each level of left recursion reads something more.
                if self.open.iter().filter(|&&open| open == (part, start)).count() > length - start as usize {
                    return Some(Vec::new());
                }
                let is_inner = !self.open.is_empty();
                self.open.push((part, start));
                let named = |at: usize, ways: Vec<Way>| {
                    ways.into_iter().map(move |(end, nodes)| {
                        let name = own.name_of_node(*rule, at, nodes.len() as u32, is_inner);
                        (end, name.map_or(nodes.clone(), |name| vec![format!("{name}({})", nodes.join(" "))]))
                    })
                };
                let mut all = Vec::new();
                match own.parts.get(body) {
                    Part::Choice(options) if own.rules[*rule as usize].alternatives.len() > 1 => {
                        for (at, &option) in options.iter().enumerate() {
                            all.extend(named(at, self.ways(option, start)?));
                        }
                    }
                    _ => all.extend(named(0, self.ways(body, start)?)),
                }
                self.open.pop();
                Some(all)
            }
            Part::Choice(options) => {
                let mut all = Vec::new();
                for &option in options {
                    all.extend(self.ways(option, start)?);
                }
                Some(all)
            }
            Part::Sequence(parts) => {
                let mut all = vec![(start, Vec::new())];
                for &part in parts {
                    all = self.after(&all, part, false)?;
                }
                Some(all)
            }
            Part::Repeat(body, low, high) => {
                let mut all = self.rounds(*body, *low, *high, (start, Vec::new()))?;
                if own.is_optional(part) {
                    let blanks = vec!["-".to_owned(); own.blanks_of(part) as usize];
                    all.iter_mut().filter(|way| way.0 == start).for_each(|way| way.1.clone_from(&blanks));
                }
                Some(all)
            }
        }
    }

    /// Ways that go on with a part.
    fn after(&mut self, ways: &[Way], part: PartId, reads: bool) -> Option<Vec<Way>> {
        let mut all = Vec::new();
        for (at, nodes) in ways {
            for (end, more) in self.ways(part, *at)? {
                if !reads || end > *at {
                    all.push((end, [&nodes[..], &more[..]].concat()));
                }
            }
        }
        self.left = self.left.checked_sub(all.len())?;
        Some(all)
    }

    /// To go on comes before the end; rounds that need not be are not empty.
    fn rounds(&mut self, body: PartId, low: u32, high: Option<u32>, way: Way) -> Option<Vec<Way>> {
        let mut all = Vec::new();
        if high != Some(0) {
            for next in self.after(std::slice::from_ref(&way), body, low == 0)? {
                all.extend(self.rounds(body, low.saturating_sub(1), high.map(|high| high - 1), next)?);
            }
        }
        if low == 0 {
            all.push(way);
        }
        Some(all)
    }

    /// The derivations of the whole text.
    fn all(&mut self) -> Option<Vec<String>> {
        let end = self.scanner.text.len() as u32;
        let mut all = Vec::new();
        for start in self.scanner.starts() {
            let ways = self.ways(self.own.root, start)?;
            all.extend(ways.into_iter().filter(|way| way.0 == end).map(|way| way.1.join(" + ")));
        }
        Some(all)
    }
}

/// What was seen of a grammar.
#[derive(Debug, Default)]
struct Seen {
    texts: usize,
    compared: usize,
    ambiguous: usize,
    /// Texts with two derivations of one tree.
    alike: usize,
    cyclic: usize,
}

fn check(grammar: &Grammar, lexing: Lexing, seen: &mut Seen) {
    let limits = Limits::default();
    let given = Given {
        regexes: regexes(),
        foreign: &|_, _| Err(Error::new(Kind::Language, "none")),
        regular_form: &|_, _| Err(Error::new(Kind::Language, "none")),
    };
    let Ok(language) = lower(grammar, lexing, &given, &limits) else { return };
    let compiled = language.compiled().unwrap();
    let none = |_: &Grammar| Err(Error::new(Kind::Language, "none"));
    let (_, derivations) = Derivations::new(grammar, lexing, &given, none, &limits).unwrap();
    let is_cyclic = derivations.sets.cyclic.iter().any(|&is| is);
    for text in all_texts(5) {
        let mut recognizer = Recognizer::new(&compiled);
        let conforms = recognizer.read(&text) == text.len() && recognizer.is_accepting();
        let shown = || format!("{}\n{lexing:?}: {}", spell_grammar(grammar), String::from_utf8_lossy(&text));
        let found = derivations.read(&text, true).unwrap();
        assert_eq!(found.is_some(), conforms, "{}", shown());
        let Some(found) = found else { continue };
        seen.texts += 1;
        let text = std::str::from_utf8(&text).unwrap();
        let tokens = found.nodes.iter().filter(|node| node.kind == NodeKind::Token);
        let ends: Vec<(u32, u32)> = tokens.map(|token| (token.start, token.end)).collect();
        assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{}: {found:?}", shown());
        assert_eq!(derivations.read(text.as_bytes(), false).unwrap().unwrap().nodes, found.nodes);
        let scanner = Scanner::new(&derivations, text.as_bytes(), false);
        let mut definition = Definition { own: &derivations, scanner, open: Vec::new(), left: MOST };
        let Some(all) = definition.all() else { continue };
        let found_text = spelled(&found, text, "-");
        if is_cyclic {
            assert!(all.contains(&found_text), "{}: {found_text}", shown());
            seen.cyclic += 1;
            continue;
        }
        assert_eq!(Some(&found_text), all.first(), "{}", shown());
        let trees: BTreeSet<&String> = all.iter().collect();
        assert_eq!(found.ambiguous.is_some(), trees.len() > 1, "{}: {found:?}", shown());
        seen.compared += 1;
        seen.ambiguous += usize::from(trees.len() > 1);
        seen.alike += usize::from(trees.len() < all.len());
    }
}

#[test]
fn random_grammars_have_the_first_derivation_of_their_definition() {
    let count = std::env::var("GRAMMARS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut seen = Seen::default();
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let mut grammar = random_grammar(&mut dice);
        if seed % 3 == 2 {
            depend_on_what_follows(&mut grammar, &mut dice);
        }
        for rule in &mut grammar.rules {
            let shape = [false; 3].map(|_| dice.below(5) == 0);
            rule.shape = Shape { inlines_single: shape[0], keeps_all: shape[1], is_spliced: shape[2] };
            for (at, alternative) in rule.alternatives.iter_mut().enumerate().filter(|_| !shape[2]) {
                alternative.alias = (dice.below(3) > 0).then(|| Arc::from(format!("{}_{at}", rule.name)));
            }
        }
        for terminal in grammar.terminals.iter_mut().filter(|_| dice.below(4) == 0) {
            terminal.name = terminal.name.as_ref().map(|name| format!("_{name}").into());
        }
        for lexing in [Lexing::Any, Lexing::Longest, Lexing::Basic] {
            check(&grammar, lexing, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.compared > seen.texts / 3 && seen.ambiguous > 0 && seen.alike > 0 && seen.cyclic > 0, "{seen:?}");
}

fn derivations(text: &str) -> Derivations {
    let text = Arc::from(text);
    let grammar = GrammarText {
        text,
        syntax: None,
        start: None,
        lexing: None,
        translations: Vec::new(),
        forms: Vec::new(),
        controls: Vec::new(),
    };
    grammar.derivations(&[], &Limits::default()).unwrap().1
}

fn tree(grammar: &str, text: &str) -> String {
    let found = derivations(grammar).read(text.as_bytes(), false).unwrap();
    spelled(&found.unwrap(), text, "-")
}

#[test]
fn shapes_are_those_of_lark() {
    for (grammar, text, expected) in [
        ("start: \"a\" B\nB: \"b\"", "ab", "start(B:b)"),
        ("!start: \"a\" B _C\nB: \"b\"\n_C: \"c\"", "abc", "start(A:a B:b _C:c)"),
        ("start: A \"a\"\nA: \"a\"", "aa", "start(A:a)"),
        ("start: B _C\nB: \"b\"\n_C: \"c\"", "bc", "start(B:b)"),
        ("start: e\n?e: e \"+\" N | N\nN: /[0-9]/", "1+2+3", "start(e(e(N:1 N:2) N:3))"),
        ("start: e\n?e: e \"+\" N -> add | N -> number\nN: /[0-9]/", "1+2", "start(add(number(N:1) N:2))"),
        ("start: _list\n_list: N (\",\" N)*\nN: /[0-9]/", "1,2,3", "start(N:1 N:2 N:3)"),
        ("start: list{N}\nlist{x}: x (\",\" x)*\nN: /[0-9]/", "1,2", "start(list(N:1 N:2))"),
        ("start: list{\"x\"} N\nlist{x}: x+\nN: /[0-9]/", "xx1", "start(list() N:1)"),
        ("start: [N] M\nN: \"n\"\nM: \"m\"", "m", "start(- M:m)"),
        ("start: [N M | M] \"x\"? M\nN: \"n\"\nM: \"m\"", "xm", "start(- - M:m)"),
        ("start: [N \"x\" (M | N)* _r] M\n_r: N\nN: \"n\"\nM: \"m\"", "m", "start(- M:m)"),
        ("start: [N~2..3] M\nN: \"n\"\nM: \"m\"", "m", "start(- - - M:m)"),
        ("?start: N | N N\nN: \"n\"", "n", "N:n"),
        ("start: (N | M) -> one\nN: \"n\"\nM: \"m\"", "m", "one(M:m)"),
        ("_start: N\nstart: _start\nN: \"n\"", "n", "start(N:n)"),
        ("start: /a/ B\nB: \"b\"\n%ignore \" \"", " a  b ", "start(__ANON_0:a B:b)"),
        ("root ::= (\"a\" [0-9])+ tail\ntail ::= \"\"", "a1a2", "root(:a :1 :a :2 tail())"),
    ] {
        assert_eq!(tree(grammar, text), expected, "{grammar}: {text}");
    }
}

#[test]
fn the_first_of_several_derivations_is_taken() {
    for (grammar, text, expected) in [
        ("start: a | b\na: X\nb: X\nX: \"x\"", "x", "start(a(X:x))"),
        ("start: a | b\na: X\nb.2: X\nX: \"x\"", "x", "start(b(X:x))"),
        ("start: a | b\na.-1: X\nb: X\nX: \"x\"", "x", "start(b(X:x))"),
        ("s: \"i\" s [\"e\" s] | X\nstart: s\nX: \"x\"", "iixex", "start(s(s(s(X:x) s(X:x)) -))"),
        ("start: s\ns: s s | X\nX: \"x\"", "xxx", "start(s(s(s(X:x) s(X:x)) s(X:x)))"),
        ("start: X* Y\nY: \"y\"\nX: \"x\"", "xxy", "start(X:x X:x Y:y)"),
        ("!start: start? -> one | -> two | X -> three\nX: \"x\"", "", "one()"),
        ("start: a b?\na: X | X Y\nb: Y\nX: \"x\"\nY: \"y\"", "xy", "start(a(X:x) b(Y:y))"),
    ] {
        assert_eq!(tree(grammar, text), expected, "{grammar}: {text}");
    }
}

#[test]
fn derivations_of_one_tree_are_not_ambiguous() {
    for (grammar, text, place) in [
        ("start: \"a\" | \"a\"", "a", None),
        ("start: \"a\" -> one | \"a\" -> two", "a", Some((0, 1))),
        ("start: a \"x\"? \"x\"?\na: \"b\"", "bx", None),
        ("start: w (\"-\" w)*\nw: [N] N?\nN: /n/\n%ignore \" \"", "nn - n ", Some((5, 6))),
        ("start: w*\nw: \"a\" | \"a\" | \"b\" \"c\"? \"c\"?", &"abc".repeat(100), None),
        ("start: s\ns: s s | \"a\"", "aaa", Some((0, 3))),
        ("start: _s\n_s: _s _s | A\nA: \"a\"", "aaaa", None),
        ("start: (A | B) C\nA: \"a\"\nB: /a/\nC: \"c\"", "ac", None),
        ("root ::= \"a\" b* \"a\"? b*\nb ::= \"b\"", "abb", None),
        ("root ::= b* c\nb ::= \"b\" | c\nc ::= \"b\"", "bb", Some((0, 1))),
    ] {
        let found = derivations(grammar).read(text.as_bytes(), true).unwrap().unwrap();
        assert_eq!(found.ambiguous, place, "{grammar}: {text}");
    }
}

#[test]
fn no_derivation_is_inside_itself() {
    for (grammar, text) in [
        ("start: s\ns: s | s s | X |\nX: \"x\"", "xxx"),
        ("start: (s*)* s\ns: start? | X\nX: \"x\"", "xx"),
        ("start: a\na: b\nb: a | X\nX: \"x\"", "x"),
        ("start: s s s\ns: start |", ""),
    ] {
        let found = derivations(grammar).read(text.as_bytes(), true).unwrap().unwrap();
        let letters = found.nodes.iter().filter(|node| node.kind == NodeKind::Token).count();
        assert_eq!(letters, text.len(), "{grammar}");
    }
}

#[test]
fn places_are_in_characters_without_what_is_ignored() {
    let found = derivations("start: \"é\" w\nw: W\nW: /[a-zß]+/\n%ignore \" \"").read(" é  aß  ".as_bytes(), false);
    let places: Vec<_> = found.unwrap().unwrap().nodes.iter().map(|node| (node.start, node.end)).collect();
    assert_eq!(places, [(4, 6), (4, 6), (1, 6)]);
}

#[test]
fn a_text_that_goes_on_has_the_nodes_that_have_begun() {
    let grammar = "start: s\n?s: s \"+\" a -> add | a\n?a: N | \"(\" s \")\" -> group | [\"b\"] \"!\" e\ne: [N] \".\"\nN: /[0-9]+/";
    let text = Arc::from(grammar);
    let grammar = GrammarText {
        text,
        syntax: None,
        start: None,
        lexing: None,
        translations: Vec::new(),
        forms: Vec::new(),
        controls: Vec::new(),
    };
    let (language, derivations) = grammar.derivations(&[], &Limits::default()).unwrap();
    for (text, expected) in [
        ("", "start()"),
        ("(12+3", "start(group(add(N:12 N:3)))"),
        ("(12+", "start(group(add(N:12)))"),
        ("(1)", "start(group(N:1))"),
        ("1+(2", "start(add(N:1 group(N:2)))"),
        ("b!", "start()"),
        ("!5", "start(e(N:5))"),
    ] {
        let found = derivations.read_begun(&language, text.as_bytes()).unwrap().unwrap();
        assert_eq!(spelled(&found, text, "-"), expected, "{text}");
    }
    assert_eq!(derivations.read_begun(&language, b"1++").unwrap(), None);
}

#[test]
fn a_grammar_inside_is_a_node_around_its_own() {
    let grammar =
        "start: A %lark {\n?start: (a | A)+\na[capture]: \"x\" | \"é\" A\nA: \"y\"\n%ignore \" \"\n} A\nA: \"!\"";
    let (derivations, text) = (derivations(grammar), "!é y x!");
    let found = derivations.read(text.as_bytes(), true).unwrap().unwrap();
    assert_eq!(found.ambiguous, None);
    let names: Vec<(&str, u32, u32)> = found.nodes.iter().map(|node| (&*node.name, node.start, node.end)).collect();
    let inner = [("A", 3, 4), ("a", 1, 4), ("a", 5, 6), ("start", 1, 6), ("%lark", 1, 6)];
    assert_eq!(names, [&[("A", 0, 1)], &inner[..], &[("A", 6, 7), ("start", 0, 7)]].concat());
    let captures: Vec<(&str, u32, u32)> =
        found.captures.iter().map(|found| (&*found.name, found.start, found.end)).collect();
    assert_eq!(captures, [("a", 1, 5), ("a", 6, 7)]);
    let ambiguous = "start: A %lark {\nstart: A? A?\nA: \"x\"\n}\nA: \"!\"";
    let found = self::derivations(ambiguous).read(b"!x", true).unwrap().unwrap();
    assert_eq!(found.ambiguous, None);
    let ambiguous = "start: A %lark {\nstart: [A] [A]\nA: \"x\"\n}\nA: \"!\"";
    let found = self::derivations(ambiguous).read(b"!x", true).unwrap().unwrap();
    assert_eq!(found.ambiguous, Some((1, 2)));
}

#[test]
fn captured_texts_are_in_the_order_in_which_they_begin() {
    let grammar = "start: pair (\";\" pair)*\npair[capture=\"p\"]: K \"=\" v\nv[capture]: /[0-9]+/ | \"(\" v \")\"\nK[capture=\"key\"]: /[a-zé]+/\n%ignore \" \"";
    let text = Arc::from(grammar);
    let grammar = GrammarText {
        text,
        syntax: None,
        start: None,
        lexing: None,
        translations: Vec::new(),
        forms: Vec::new(),
        controls: Vec::new(),
    };
    let (language, derivations) = grammar.derivations(&[], &Limits::default()).unwrap();
    let spelled = |found: Option<Derivation>, text: &str| -> Vec<String> {
        let spelled = |found: &Capture| format!("{}:{}", found.name, &text[found.start as usize..found.end as usize]);
        found.unwrap().captures.iter().map(spelled).collect()
    };
    let text = "é = (1) ;b=22 ";
    let found = spelled(derivations.read(text.as_bytes(), false).unwrap(), text);
    assert_eq!(found, ["p:é = (1)", "key:é", "v:(1)", "v:1", "p:b=22", "key:b", "v:22"]);
    let text = "a = (1";
    let found = spelled(derivations.read_begun(&language, text.as_bytes()).unwrap(), text);
    assert_eq!(found, ["p:a = (1", "key:a", "v:(1", "v:1"]);
}

#[test]
fn long_texts_are_read_in_linear_work() {
    let list = |repeated: &str, times: usize, last: &str| repeated.repeat(times) + last;
    for (grammar, text) in [
        ("start: N (\",\" N)*\nN: /[0-9]+/", list("12,", 5_000, "1")),
        ("start: l\nl: N \",\" l | N\nN: /[0-9]+/", list("12,", 5_000, "1")),
        ("start: l\nl: l \",\" N | N\nN: /[0-9]+/", list("12,", 5_000, "1")),
        ("root ::= \"[\" root \"]\" | [a-z]*", list("[", 5_000, &list("]", 5_000, ""))),
        (
            "?start: s\n?s: s \"+\" p | p\n?p: p \"*\" a | a\n?a: N | \"(\" s \")\"\nN: /[0-9]+/",
            list("1*(2+3)+", 1_500, "4"),
        ),
    ] {
        let run = move || {
            let derivations = derivations(grammar);
            let before = crate::interrupt::counted();
            let small = &text[..0];
            assert!(derivations.read(small.as_bytes(), false).is_ok());
            let found = derivations.read(text.as_bytes(), true).unwrap().unwrap();
            assert_eq!(found.ambiguous, None);
            let units = (crate::interrupt::counted() - before) as usize;
            assert!(units < 1_000 * text.len(), "{grammar}: {units} units for {} bytes", text.len());
        };
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap();
        thread.join().unwrap();
    }
}

#[test]
fn too_many_ways_are_a_limit() {
    let mut text = String::new();
    (0..3_000).for_each(|_| write!(text, "a").unwrap());
    let error = derivations("start: s\ns: s s | \"a\"").read(text.as_bytes(), false).unwrap_err();
    assert!(matches!(*error.kind, Kind::Limit { .. }), "{error}");
}
