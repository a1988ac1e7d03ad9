//! Patterns with assertions, in repetitions too, against a matcher that tries everything: all texts of three letters up
//! to a length, and what may follow each of their beginnings.

use std::collections::BTreeSet;

use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::regex::{Dialect, of_dialect, regex};
use formwright::{Language, Limits};

/// A pattern of the test: also how it is written.
#[derive(Clone, Debug)]
enum Tree {
    Letter(char),
    Any,
    Not(char),
    Start,
    End,
    Boundary(bool),
    Ahead(bool, Box<Tree>),
    Behind(bool, char),
    Concat(Vec<Tree>),
    Or(Vec<Tree>),
    Repeat(Box<Tree>, u32, Option<u32>),
}

impl Tree {
    fn written(&self) -> String {
        match self {
            Self::Letter(c) => c.to_string(),
            Self::Any => "[^]".to_owned(),
            Self::Not(c) => format!("[^{c}]"),
            Self::Start => "^".to_owned(),
            Self::End => "$".to_owned(),
            Self::Boundary(negated) => if *negated { "\\B" } else { "\\b" }.to_owned(),
            Self::Ahead(negated, body) => format!("(?{}{})", if *negated { '!' } else { '=' }, body.written()),
            Self::Behind(negated, c) => format!("(?<{}{c})", if *negated { '!' } else { '=' }),
            Self::Concat(parts) => parts.iter().map(Self::written).collect(),
            Self::Or(options) => format!("(?:{})", options.iter().map(Self::written).collect::<Vec<_>>().join("|")),
            Self::Repeat(body, low, high) => {
                let high = high.map_or(String::new(), |high| high.to_string());
                format!("(?:{}){{{low},{high}}}", body.written())
            }
        }
    }

    /// Where matches that begin at `at` can end.
    fn ends(&self, text: &[char], at: usize) -> BTreeSet<usize> {
        let one = |holds: bool, to: usize| if holds { BTreeSet::from([to]) } else { BTreeSet::new() };
        let word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|&c| c != '-');
        match self {
            Self::Letter(c) => one(text.get(at) == Some(c), at + 1),
            Self::Any => one(at < text.len(), at + 1),
            Self::Not(c) => one(text.get(at).is_some_and(|other| other != c), at + 1),
            Self::Start => one(at == 0, at),
            Self::End => one(at == text.len(), at),
            Self::Boundary(negated) => one((word(at.checked_sub(1)) != word(Some(at))) != *negated, at),
            Self::Ahead(negated, body) => one(body.ends(text, at).is_empty() == *negated, at),
            Self::Behind(negated, c) => one((at > 0 && text[at - 1] == *c) != *negated, at),
            Self::Concat(parts) => parts
                .iter()
                .fold(BTreeSet::from([at]), |from, part| from.into_iter().flat_map(|at| part.ends(text, at)).collect()),
            Self::Or(options) => options.iter().flat_map(|option| option.ends(text, at)).collect(),
            Self::Repeat(body, low, high) => {
                let mut reached = BTreeSet::from([at]);
                let mut all = if *low == 0 { reached.clone() } else { BTreeSet::new() };
                // Every round is taken, those that read nothing too; more rounds than these reach nothing new.
                let most = high.unwrap_or(low + text.len() as u32 + 1);
                for round in 1..=most {
                    reached = reached.into_iter().flat_map(|at| body.ends(text, at)).collect();
                    if round >= *low {
                        all.extend(&reached);
                    }
                }
                all
            }
        }
    }

    fn is_found(&self, text: &[char]) -> bool {
        (0..=text.len()).any(|at| !self.ends(text, at).is_empty())
    }

    fn is_whole(&self, text: &[char]) -> bool {
        self.ends(text, 0).contains(&text.len())
    }
}

/// Numbers that look random, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn letter(&mut self) -> char {
        ['a', 'b', '-'][self.below(3)]
    }

    fn assertion(&mut self, depth: usize) -> Tree {
        match self.below(8) {
            0 => Tree::Start,
            1 => Tree::End,
            2 | 3 => Tree::Boundary(self.below(2) == 0),
            4 => Tree::Behind(self.below(2) == 0, self.letter()),
            _ => Tree::Ahead(self.below(3) > 0, Box::new(self.tree(depth.saturating_sub(1)))),
        }
    }

    fn tree(&mut self, depth: usize) -> Tree {
        if depth == 0 {
            return match self.below(6) {
                0 => Tree::Any,
                1 => Tree::Not(self.letter()),
                _ => Tree::Letter(self.letter()),
            };
        }
        match self.below(9) {
            0 => self.tree(0),
            1 | 2 => Tree::Concat((0..2 + self.below(2)).map(|_| self.tree(depth - 1)).collect()),
            3 => Tree::Or(vec![self.tree(depth - 1), self.tree(depth - 1)]),
            4 => Tree::Or(vec![self.assertion(depth), self.tree(depth - 1)]),
            5 | 6 => {
                let (low, more) = (self.below(3) as u32, self.below(3) as u32);
                let high = [None, None, Some(low + more)][self.below(3)];
                Tree::Repeat(Box::new(self.tree(depth - 1)), low, high)
            }
            _ => Tree::Concat(vec![self.assertion(depth), self.tree(depth - 1), self.assertion(depth)]),
        }
    }
}

/// All texts of up to `length` letters.
fn texts(length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last.iter().flat_map(|text| ["a", "b", "-"].map(|c| format!("{text}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Compares a language with what `accepts` says: all texts, and whether each of their beginnings can go on, as far as
/// texts of this length show.
fn compare(language: &Language, quoted: bool, texts: &[String], accepts: impl Fn(&[char]) -> bool, written: &str) {
    let mut begun = BTreeSet::new();
    for text in texts {
        let expected = accepts(&text.chars().collect::<Vec<_>>());
        let given = if quoted { format!("\"{text}\"") } else { text.clone() };
        let found = language.check(given.as_bytes()).unwrap();
        assert_eq!(found.1, expected, "{written} on {text:?}");
        if expected {
            begun.extend((0..=text.len()).map(|end| text[..end].to_owned()));
        }
    }
    for text in begun {
        let read = language.check(format!("{}{text}", if quoted { "\"" } else { "" }).as_bytes()).unwrap().0;
        assert_eq!(read, text.len() + usize::from(quoted), "{written} can go on after {text:?}");
    }
}

fn searched(pattern: &str) -> formwright::Result<Language> {
    let schema = format!("{{\"type\":\"string\",\"pattern\":{}}}", serde_json::to_string(pattern).unwrap());
    json_schema(&schema, &Options::default())
}

#[test]
fn random_patterns_match_what_a_backtracking_matcher_matches() {
    compare_random(400, 6, 5);
    compare_random(40, 8, 6);
}

/// Compares so many patterns on all texts up to a length.
fn compare_random(count: usize, length: usize, seed: u64) {
    let (mut dice, texts) = (Dice(seed), texts(length));
    let (mut compared, mut unbounded) = (0, 0);
    while compared < count {
        let tree = dice.tree(4);
        let written = tree.written();
        if written.len() > 200 || !["^", "$", "\\", "(?=", "(?!", "(?<"].iter().any(|sign| written.contains(sign)) {
            continue;
        }
        compared += 1;
        unbounded += usize::from(written.contains(",}"));
        let has_text = texts.iter().any(|text| tree.is_found(&text.chars().collect::<Vec<_>>()));
        match searched(&written) {
            Ok(language) => compare(&language, true, &texts, |text| tree.is_found(text), &written),
            Err(error) => {
                assert!(matches!(*error.kind, formwright::Kind::Unsatisfiable { .. }), "{written}: {error}");
                assert!(!has_text, "{written}: {error}");
            }
        }
        let has_text = texts.iter().any(|text| tree.is_whole(&text.chars().collect::<Vec<_>>()));
        match of_dialect(&written.replace("[^]", "[\\u{0}-\\u{10FFFF}]"), Dialect::Python, &Limits::default()) {
            Ok(language) => compare(&language, false, &texts, |text| tree.is_whole(text), &written),
            Err(error) => assert!(error.message.contains("no text matches") && !has_text, "{written}: {error}"),
        }
    }
    assert!(unbounded > count / 4, "{unbounded}");
}

#[test]
fn assertions_stand_in_repetitions_without_a_bound() {
    let cases: [(&str, &[&str], &[&str]); 7] = [
        ("^((?!mode).)*$", &["", "mod", "odel", "mmod e"], &["mode", "xmodel", "mmode"]),
        ("^([^,]+(,|$)){3,}$", &["a,b,c", "a,b,c,", "a,bb,c,d"], &["a,b", "a,b,", "a,,b,c", "", "a,b,,"]),
        ("^(\\bw\\w*\\b ?)+$", &["wa", "wa wb w", "w "], &["wa xb", "", "a"]),
        ("^(?:(?=a)[ab]|(?<=a)c)*$", &["", "aaa", "acaac"], &["c", "b", "acc"]),
        ("^(?:a|(?=b))*b$", &["b", "aab"], &["", "a", "bb"]),
        ("^(?:(?=x)|a){5}x$", &["x", "ax", "aaaaax"], &["aaaaaax", "a", ""]),
        ("^(?:(?!(.)x)\\S)+$", &["a", "x", "ab"], &["ax", "", "bax"]),
    ];
    for (pattern, accepted, rejected) in cases {
        let language = searched(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for (texts, expected) in [(accepted, true), (rejected, false)] {
            for text in texts {
                assert_eq!(
                    language.check(format!("\"{text}\"").as_bytes()).unwrap().1,
                    expected,
                    "{pattern} on {text:?}"
                );
            }
        }
    }
    assert!(regex("(?:\\bno\\b|[^n])*", &Limits::default()).unwrap().check(b"xno y").unwrap().0 > 0);
}
