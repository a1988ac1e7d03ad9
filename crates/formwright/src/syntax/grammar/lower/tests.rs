//! Random grammars against a definition of their texts that knows nothing of guards and copies: all ways to cut a text into
//! lexemes are tried, and of each lexeme the text after it is looked at.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::ast::{
    Alternative, Attributes, Grammar, Item, ItemKind, Pattern, PatternKind, Rule, Shape, Syntax, Terminal,
};
use super::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use super::places::{PlaceId, Places, nullable_parts};
use super::terminals::{TerminalInfo, terminals};
use super::{Given, Lexing, Materials, lower};
use crate::error::{Error, Kind};
use crate::limits::Limits;
use crate::matcher::Recognizer;
use crate::regular::{Automaton, Encoding, MARK};
use crate::syntax::pattern::Pattern as Expression;
use crate::syntax::regex::{Dialect, parse_pattern};

/// Small random numbers (Marsaglia 2003).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(0x9E37_79B9_7F4A_7C15 ^ (seed + 1) << 20);
        (0..8).for_each(|_| {
            dice.below(2);
        });
        dice
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Terminals to choose from: texts, and expressions in the syntax of the `regex` crate.
const TEXTS: [&str; 7] = ["a", "b", "ab", "aa", "ba", "aab", "c"];
const REGEXES: [&str; 9] = ["a+", "b+", "[ab]+", "ab?", "a|ba|bb", "a*b", "[abc]", "c+", "ca?"];

/// Expressions that depend on what follows.
const FOLLOWED: [&str; 12] = [
    "a+(?=b)",
    "ab?(?!a)",
    "[ab]+(?=c|$)",
    "a(?!b|c)",
    "b(?=bc)",
    "(?!ab)[ab]+",
    "a(?=b)b?c?",
    "[abc](?!$)",
    "(?:a(?=a)|b)",
    "c+(?![ab]c)",
    "a(?=[ab]*c)",
    "[bc]+$",
];

/// Makes some terminals depend on what follows them.
pub fn depend_on_what_follows(grammar: &mut Grammar, dice: &mut Dice) {
    for terminal in &mut grammar.terminals {
        let followed = PatternKind::Regex((REGEXES.len() + dice.below(FOLLOWED.len())) as u32);
        let part = |kind| Pattern { kind, span: (0, 0) };
        match dice.below(4) {
            0 | 1 => continue,
            2 => terminal.pattern.kind = followed,
            _ => terminal.pattern.kind = PatternKind::Choice(vec![part(followed), part(pattern(dice))]),
        }
        terminal.attributes.is_lazy = false;
    }
}

fn pattern(dice: &mut Dice) -> PatternKind {
    if dice.below(2) == 0 {
        PatternKind::Text { text: TEXTS[dice.below(TEXTS.len())].into(), ignores_case: false }
    } else {
        PatternKind::Regex(dice.below(REGEXES.len()) as u32)
    }
}

fn random_terminals(dice: &mut Dice) -> Vec<Terminal> {
    let mut all: Vec<Terminal> = Vec::new();
    for index in 0..2 + dice.below(3) {
        let kind = pattern(dice);
        if all.iter().any(|other| format!("{:?}", other.pattern.kind) == format!("{kind:?}")) {
            continue; // equal terminals are one
        }
        all.push(Terminal {
            name: Some(Arc::from(format!("T{index}"))),
            span: (0, 0),
            pattern: Pattern { kind, span: (0, 0) },
            priority: i32::from(dice.below(5) == 0),
            attributes: Attributes { is_lazy: dice.below(5) == 0, ..Attributes::default() },
        });
    }
    all
}

fn item(dice: &mut Dice, rules: usize, terminals: usize) -> Item {
    let kind = match dice.below(10) {
        0 | 1 => ItemKind::Rule(dice.below(rules) as u32),
        2 => {
            let (low, more) = (dice.below(3) as u32, dice.below(3) as u32);
            let high = (dice.below(2) == 0).then_some((low + more).max(1));
            ItemKind::Repeat(Box::new(item(dice, rules, terminals)), low, high)
        }
        3 => ItemKind::Group(alternatives(dice, rules, terminals)),
        4 => ItemKind::Optional(alternatives(dice, rules, terminals)),
        _ => ItemKind::Terminal(dice.below(terminals) as u32),
    };
    Item { kind, span: (0, 0) }
}

fn alternatives(dice: &mut Dice, rules: usize, terminals: usize) -> Vec<Alternative> {
    let mut alternative = || {
        let items = (0..dice.below(4)).map(|_| item(dice, rules, terminals)).collect();
        Alternative { items, alias: None, span: (0, 0) }
    };
    let first = alternative();
    let mut all = vec![first];
    while all.len() < 3 && all.last().is_none_or(|last| last.items.len() <= 1) {
        all.push(alternative());
    }
    all
}

pub fn random_grammar(dice: &mut Dice) -> Grammar {
    let terminals = random_terminals(dice);
    let count = 1 + dice.below(3);
    let rules = (0..count).map(|index| Rule {
        name: Arc::from(format!("r{index}")),
        span: (0, 0),
        alternatives: alternatives(dice, count, terminals.len()),
        shape: Shape::default(),
        priority: 0,
        attributes: Attributes::default(),
    });
    let rules = rules.collect();
    let ignored = if dice.below(2) == 0 { vec![dice.below(terminals.len()) as u32] } else { Vec::new() };
    Grammar {
        text: "".into(),
        syntax: Syntax::Lark,
        rules,
        terminals,
        regexes: Vec::new(),
        ignored,
        ignores_at_start: true,
        start: 0,
        lints: Vec::new(),
    }
}

fn spell_pattern(kind: &PatternKind) -> String {
    match kind {
        PatternKind::Text { text, .. } => format!("{text:?}"),
        PatternKind::Regex(id) => format!("/{}/", [&REGEXES[..], &FOLLOWED].concat()[*id as usize]),
        PatternKind::Choice(all) => all.iter().map(|one| spell_pattern(&one.kind)).collect::<Vec<_>>().join(" | "),
        other => format!("{other:?}"),
    }
}

/// A grammar as text, for messages.
pub fn spell_grammar(grammar: &Grammar) -> String {
    fn item(item: &Item) -> String {
        match &item.kind {
            ItemKind::Rule(rule) => format!("r{rule}"),
            ItemKind::Terminal(terminal) => format!("T{terminal}"),
            ItemKind::Group(all) => format!("({})", alternatives(all)),
            ItemKind::Optional(all) => format!("[{}]", alternatives(all)),
            ItemKind::Repeat(body, low, high) => format!("{}{{{low},{high:?}}}", item_of(body)),
            other => format!("{other:?}"),
        }
    }
    fn item_of(body: &Item) -> String {
        item(body)
    }
    fn alternatives(all: &[Alternative]) -> String {
        let row = |one: &Alternative| one.items.iter().map(item).collect::<Vec<_>>().join(" ");
        all.iter().map(row).collect::<Vec<_>>().join(" | ")
    }
    let rules = grammar.rules.iter().map(|rule| format!("{}: {}\n", rule.name, alternatives(&rule.alternatives)));
    let terminals = grammar.terminals.iter().enumerate().map(|(at, terminal)| {
        let text = spell_pattern(&terminal.pattern.kind);
        let lazy = if terminal.attributes.is_lazy { "[lazy]" } else { "" };
        format!("T{at}{lazy}.{}: {text}\n", terminal.priority)
    });
    rules.chain(terminals).collect::<String>() + &format!("ignored: {:?}", grammar.ignored)
}

/// The texts of a grammar by definition.
struct Definition<'d> {
    parts: Parts,
    places: Places,
    infos: &'d [TerminalInfo],
    automata: Vec<Automaton>,
    /// By place: the rivals there.
    rivals: Vec<BTreeSet<u32>>,
    lexing: Lexing,
}

/// What is known of one text: by rule and start, where its texts end.
struct Chart<'c> {
    text: &'c [u8],
    ends: Vec<Vec<BTreeSet<usize>>>,
}

impl<'d> Definition<'d> {
    fn new(grammar: &Grammar, infos: &'d [TerminalInfo], lexing: Lexing) -> Self {
        let is_optional = infos.iter().map(|info| lexing != Lexing::Any && info.is_nullable);
        let parts = Parts::of(grammar, &is_optional.collect::<Vec<_>>());
        let name = |occurrence: OccurrenceId| match parts.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(terminal) => terminal,
            Symbol::Foreign(_) => unreachable!("these grammars have none"),
        };
        let is_nullable = |occurrence| lexing == Lexing::Any && infos[name(occurrence) as usize].is_nullable;
        let nullable = nullable_parts(&parts, is_nullable);
        let materials = Materials { parts, terminals: infos.to_vec(), foreign: Vec::new() };
        let rivals = materials.rivals(0, lexing, &nullable).unwrap();
        let places = Places::of(&materials.parts, nullable, 0, &rivals);
        let rivals = places.rivals.iter().map(|rivals| rivals.iter().collect()).collect();
        let automaton = |info: &TerminalInfo| Automaton::new(&info.tree, Encoding::Text, &Limits::default()).unwrap();
        let automata = infos.iter().map(automaton).collect();
        Self { parts: materials.parts, places, infos, automata, rivals, lexing }
    }

    /// Whether a terminal has the text up to `to`, given what follows it.
    fn has(&self, terminal: u32, text: &[u8], (from, to): (usize, usize)) -> bool {
        let automaton = &self.automata[terminal as usize];
        if self.infos[terminal as usize].is_followed {
            return automaton.accepts(&[&text[from..to], MARK.to_string().as_bytes(), &text[to..]].concat());
        }
        automaton.accepts(&text[from..to])
    }

    /// Whether a terminal has a text where nothing follows.
    fn has_alone(&self, terminal: u32, text: &[u8]) -> bool {
        self.has(terminal, text, (0, text.len()))
    }

    /// Whether an expression that a lexer looks for in place of a text does not match here, and no other one does.
    fn is_hidden(&self, text: &[u8], (from, to): (usize, usize), own: u32, rivals: &BTreeSet<u32>) -> bool {
        let (rank, own_text) = (self.infos[own as usize].rank, &text[from..to]);
        let is_expression = |rival: u32| self.infos[rival as usize].rank == rank && !self.infos[rival as usize].is_text;
        let mut hiding =
            rivals.iter().copied().filter(|&rival| is_expression(rival) && self.has_alone(rival, own_text));
        let mut is_certain =
            rivals.iter().filter(|&&rival| is_expression(rival) && !self.infos[rival as usize].is_followed);
        self.infos[own as usize].is_text
            && !is_certain.any(|&rival| self.has(rival, text, (from, to)))
            && hiding.any(|rival| !self.has(rival, text, (from, to)))
    }

    /// Whether a lexer takes `text[from..to]` for a terminal among some rivals.
    fn takes(&self, text: &[u8], (from, to): (usize, usize), own: u32, rivals: &BTreeSet<u32>) -> bool {
        if !self.has(own, text, (from, to)) {
            return false;
        }
        if self.lexing == Lexing::Any {
            return true;
        }
        if from == to {
            return false; // an empty lexeme is none
        }
        if self.is_hidden(text, (from, to), own, rivals) {
            return false;
        }
        let info = &self.infos[own as usize];
        rivals.iter().chain([&own]).all(|&rival| {
            let other = &self.infos[rival as usize];
            let is_longer = (to + 1..=text.len()).any(|end| self.has(rival, text, (from, end)));
            let cuts_inside = (from + 1..to).any(|end| self.has(rival, text, (from, end)));
            let is_text_of = self.has(rival, text, (from, to));
            let (rank, own_rank) = (other.rank, info.rank);
            let is_alone = self.has_alone(if info.is_text { rival } else { own }, &text[from..to]);
            let is_taken = rank == own_rank
                && is_text_of
                && match (other.is_text, info.is_text) {
                    (true, false) if is_alone => !info.is_ignored,
                    (false, true) if is_alone => other.is_ignored,
                    _ => other.order < info.order,
                };
            let is_cut = match rank.cmp(&own_rank) {
                Ordering::Less => false,
                Ordering::Equal if own_rank.is_lazy => cuts_inside,
                Ordering::Equal => is_longer,
                Ordering::Greater => is_longer || cuts_inside || is_text_of,
            };
            !(is_taken || is_cut)
        })
    }

    fn rivals_of(&self, occurrence: OccurrenceId) -> BTreeSet<u32> {
        let places = self.places.all.iter().zip(&self.rivals);
        places.filter(|(place, _)| place.contains(&occurrence)).flat_map(|(_, rivals)| rivals.iter().copied()).collect()
    }

    /// Where trivia that begins somewhere in a place may end.
    fn trivia(&self, text: &[u8], place: PlaceId, start: usize) -> BTreeSet<usize> {
        let (mut ends, mut open) = (BTreeSet::from([start]), vec![start]);
        while let Some(from) = open.pop() {
            for (tag, info) in (0..).zip(self.infos) {
                let next = (from..=text.len())
                    .filter(|&to| info.is_ignored && self.takes(text, (from, to), tag, &self.rivals[place as usize]));
                for to in next.collect::<Vec<_>>() {
                    if ends.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        ends
    }

    fn ends(&self, chart: &Chart<'_>, part: PartId, start: usize) -> BTreeSet<usize> {
        let text = chart.text;
        match self.parts.get(part) {
            Part::Occurrence(occurrence) => {
                let Symbol::Terminal(own) = self.parts.occurrences[*occurrence as usize].symbol else { unreachable!() };
                let rivals = self.rivals_of(*occurrence);
                let lexemes = (start..=text.len()).filter(|&to| self.takes(text, (start, to), own, &rivals));
                let place = self.places.after[*occurrence as usize];
                lexemes.flat_map(|to| self.trivia(text, place, to)).collect()
            }
            Part::Rule(rule) => chart.ends[*rule as usize][start].clone(),
            Part::Choice(all) => all.iter().flat_map(|&part| self.ends(chart, part, start)).collect(),
            Part::Sequence(all) => all.iter().fold(BTreeSet::from([start]), |ends, &part| {
                ends.into_iter().flat_map(|at| self.ends(chart, part, at)).collect()
            }),
            Part::Repeat(body, low, high) => {
                let (mut all, mut last) = (BTreeSet::new(), BTreeSet::from([start]));
                for round in 0..=high.unwrap_or(*low + text.len() as u32 + 1) {
                    if round >= *low {
                        all.extend(&last);
                    }
                    last = last.into_iter().flat_map(|at| self.ends(chart, *body, at)).collect();
                }
                all
            }
        }
    }

    fn accepts(&self, text: &[u8]) -> bool {
        let rules = self.parts.rules.len();
        let mut chart = Chart { text, ends: vec![vec![BTreeSet::new(); text.len() + 1]; rules] };
        let mut changed = true;
        while changed {
            changed = false;
            for rule in 0..rules {
                for start in (0..=text.len()).rev() {
                    let ends = self.ends(&chart, self.parts.rules[rule], start);
                    changed |= ends.len() > chart.ends[rule][start].len();
                    chart.ends[rule][start] = ends;
                }
            }
        }
        let starts = self.trivia(text, 0, 0);
        starts.into_iter().any(|start| chart.ends[0][start].contains(&text.len()))
    }
}

pub fn all_texts(most: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last.iter().flat_map(|text| b"abc".iter().map(|&c| [&text[..], &[c]].concat())).collect();
        all.extend_from_slice(&last);
    }
    all
}

pub fn regexes() -> Vec<Expression> {
    let limits = Limits::default();
    let all = REGEXES.iter().map(|source| parse_pattern(source, Dialect::Unicode, &limits));
    all.chain(FOLLOWED.iter().map(|source| parse_pattern(source, Dialect::Python, &limits)))
        .map(Result::unwrap)
        .collect()
}

/// Compares a grammar with its definition; what was seen: a text or none, or a refusal.
fn check(grammar: &Grammar, lexing: Lexing, length: usize) -> &'static str {
    let limits = Limits::default();
    let given = Given {
        regexes: regexes(),
        foreign: &|_, _| Err(Error::new(Kind::Language, "none")),
        regular_form: &|_, _| Err(Error::new(Kind::Language, "none")),
    };
    let Ok(infos) = terminals(grammar, lexing, &given, &limits) else { return "without a lexer" };
    let definition = Definition::new(grammar, &infos, lexing);
    let texts: Vec<Vec<u8>> = all_texts(length).into_iter().filter(|text| definition.accepts(text)).collect();
    let language = match lower(grammar, lexing, &given, &limits) {
        Ok(language) => language,
        Err(error) => {
            let is_empty = matches!(*error.kind, Kind::Unsatisfiable { .. });
            assert!(!is_empty || texts.is_empty(), "{}\n{lexing:?}: {error}, but {texts:?}", spell_grammar(grammar));
            return if is_empty { "empty" } else { "refused" };
        }
    };
    let compiled = language.compiled().unwrap();
    for text in all_texts(length) {
        let mut recognizer = Recognizer::new(&compiled);
        let accepts = recognizer.read(&text) == text.len() && recognizer.is_accepting();
        assert_eq!(
            accepts,
            texts.contains(&text),
            "{}\n{lexing:?}: {}",
            spell_grammar(grammar),
            String::from_utf8_lossy(&text)
        );
        let mut recognizer = Recognizer::new(&compiled);
        if recognizer.read(&text) == text.len() {
            recognizer.shortest_completion();
            assert!(
                recognizer.is_accepting(),
                "{}\n{lexing:?}: {} has no end",
                spell_grammar(grammar),
                String::from_utf8_lossy(&text)
            );
        }
    }
    "read"
}

#[test]
fn random_grammars_have_the_texts_of_their_definition() {
    let count = std::env::var("GRAMMARS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let mut grammar = random_grammar(&mut dice);
        if seed % 2 == 1 {
            depend_on_what_follows(&mut grammar, &mut dice);
        }
        for lexing in [Lexing::Any, Lexing::Longest, Lexing::Basic] {
            *seen.entry((format!("{lexing:?}"), check(&grammar, lexing, 5))).or_insert(0) += 1;
        }
    }
    println!("{seen:?}");
    assert!(seen.keys().any(|(_, seen)| *seen == "without a lexer"));
}
