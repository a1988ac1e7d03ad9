//! Random grammars against a definition of their texts that knows nothing of guards and copies: all ways to cut a text into
//! lexemes are tried, and of each lexeme the text after it is looked at.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::ast::{
    Alternative, Attributes, Grammar, Item, ItemKind, Pattern, PatternKind, Rule, Shape, Syntax, Terminal,
};
use super::bits::Bits;
use super::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use super::places::nullable_parts;
use super::productions::Productions;
use super::states::States;
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
            label: None,
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

/// The terminals of the rules that are left when those that no other rule has are taken away, until there are none.
fn used_terminals(grammar: &Grammar) -> BTreeSet<u32> {
    let mut left: BTreeSet<u32> = (0..grammar.rules.len() as u32).collect();
    loop {
        let mut used = BTreeSet::from([grammar.start]);
        for &rule in &left {
            let items = all_items(&grammar.rules[rule as usize].alternatives);
            used.extend(items.iter().filter_map(|(item, repeated)| match item {
                ItemKind::Rule(other) if *repeated || *other != rule => Some(*other),
                _ => None,
            }));
        }
        used.retain(|rule| left.contains(rule));
        if used == left {
            break;
        }
        left = used;
    }
    let items = left.iter().flat_map(|&rule| all_items(&grammar.rules[rule as usize].alternatives));
    let terminal = |(item, _)| match item {
        ItemKind::Terminal(terminal) => Some(terminal),
        _ => None,
    };
    items.filter_map(terminal).collect()
}

/// All items in some alternatives, and whether each is in a repetition without a bound.
fn all_items(alternatives: &[Alternative]) -> Vec<(ItemKind, bool)> {
    fn inner(item: &Item) -> Vec<(ItemKind, bool)> {
        match &item.kind {
            ItemKind::Group(all) | ItemKind::Optional(all) => all_items(all),
            ItemKind::Repeat(_, _, Some(0)) => Vec::new(),
            ItemKind::Repeat(body, _, Some(_)) => inner(body),
            ItemKind::Repeat(body, _, None) => inner(body).into_iter().map(|(kind, _)| (kind, true)).collect(),
            kind => vec![(kind.clone(), false)],
        }
    }
    alternatives.iter().flat_map(|one| &one.items).flat_map(inner).collect()
}

/// The texts of a grammar by definition: what is derived with the states of the parser written beside it.
struct Definition<'d> {
    parts: Parts,
    infos: &'d [TerminalInfo],
    automata: Vec<Automaton>,
    productions: Productions,
    /// By state and symbol: the state after it.
    steps: Vec<BTreeMap<u32, u32>>,
    /// By state after a terminal: what is looked for there; without contexts, there is one state.
    looked_for: Vec<BTreeSet<u32>>,
    lexing: Lexing,
}

/// A place in a derivation: where in the text, in which state the parser is, and in which it was after the last terminal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Here {
    at: usize,
    state: u32,
    last: u32,
}

/// What is known of one text: by rule and where it begins, where its texts end.
struct Chart<'c> {
    text: &'c [u8],
    ends: RefCell<BTreeMap<(u32, Here), BTreeSet<Here>>>,
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
        let productions = Productions::of(&parts, infos.len(), &nullable).unwrap();
        let states = States::of(&productions, 0).unwrap();
        let steps = states.steps().map(|steps| steps.iter().copied().collect()).collect();
        let ignored = (0..).zip(infos).filter(|(_, info)| info.is_ignored).map(|(tag, _)| tag);
        let with_ignored = |set: Option<Bits>| set.iter().flat_map(Bits::iter).chain(ignored.clone()).collect();
        let looked_for = match lexing {
            Lexing::Basic => vec![used_terminals(grammar).into_iter().chain(ignored.clone()).collect()],
            _ => states.readable_names().into_iter().map(with_ignored).collect(),
        };
        let automaton = |info: &TerminalInfo| Automaton::new(&info.tree, Encoding::Text, &Limits::default()).unwrap();
        let automata = infos.iter().map(automaton).collect();
        Self { parts, infos, automata, productions, steps, looked_for, lexing }
    }

    /// The state after a symbol; without contexts, there is one.
    fn step(&self, state: u32, symbol: u32) -> u32 {
        if self.lexing == Lexing::Longest { self.steps[state as usize][&symbol] } else { 0 }
    }

    fn looked_for(&self, state: u32) -> BTreeSet<u32> {
        self.looked_for[state as usize].clone()
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

    /// Where trivia that begins somewhere may end.
    fn trivia(&self, text: &[u8], state: u32, start: usize) -> BTreeSet<usize> {
        let rivals = self.looked_for(state);
        let (mut ends, mut open) = (BTreeSet::from([start]), vec![start]);
        while let Some(from) = open.pop() {
            for (tag, info) in (0..).zip(self.infos) {
                let next =
                    (from..=text.len()).filter(|&to| info.is_ignored && self.takes(text, (from, to), tag, &rivals));
                for to in next.collect::<Vec<_>>() {
                    if ends.insert(to) {
                        open.push(to);
                    }
                }
            }
        }
        ends
    }

    fn ends(&self, chart: &Chart<'_>, part: PartId, here: Here) -> BTreeSet<Here> {
        let text = chart.text;
        match self.parts.get(part) {
            Part::Occurrence(occurrence) => {
                let own = self.productions.name_of(&self.parts, *occurrence);
                let (rivals, state) = (self.looked_for(here.last), self.step(here.state, own));
                let lexemes = (here.at..=text.len()).filter(|&to| self.takes(text, (here.at, to), own, &rivals));
                let ends = lexemes.flat_map(|to| self.trivia(text, state, to));
                ends.map(|at| Here { at, state, last: state }).collect()
            }
            Part::Rule(rule) => {
                let state = self.step(here.state, self.productions.names + rule);
                let known = chart.ends.borrow_mut().entry((*rule, here)).or_default().clone();
                known.into_iter().map(|end| Here { state, ..end }).collect()
            }
            Part::Choice(all) => all.iter().flat_map(|&part| self.ends(chart, part, here)).collect(),
            Part::Sequence(all) => all.iter().fold(BTreeSet::from([here]), |ends, &part| {
                ends.into_iter().flat_map(|at| self.ends(chart, part, at)).collect()
            }),
            Part::Repeat(body, low, high) => {
                let after = self
                    .productions
                    .rule_of_rounds(part)
                    .map(|rule| self.step(here.state, self.productions.names + rule));
                let (mut all, mut last) = (BTreeSet::new(), BTreeSet::from([here]));
                for round in 0..=high.unwrap_or(*low + text.len() as u32 + 1) {
                    if round >= *low {
                        all.extend(&last);
                    }
                    if high.is_some_and(|high| round == high) {
                        break;
                    }
                    let ends = last.into_iter().flat_map(|at| self.ends(chart, *body, at));
                    last = ends.map(|end| Here { state: after.unwrap_or(end.state), ..end }).collect();
                }
                all
            }
        }
    }

    fn accepts(&self, text: &[u8]) -> bool {
        let chart = Chart { text, ends: RefCell::default() };
        let begins: Vec<Here> = self.trivia(text, 0, 0).into_iter().map(|at| Here { at, state: 0, last: 0 }).collect();
        chart.ends.borrow_mut().extend(begins.iter().map(|&begin| ((0, begin), BTreeSet::new())));
        let mut size = 0;
        loop {
            let known: Vec<(u32, Here)> = chart.ends.borrow().keys().copied().collect();
            for (rule, here) in known {
                let ends = self.ends(&chart, self.parts.rules[rule as usize], here);
                let ends = ends.into_iter().map(|end| Here { state: 0, ..end }).collect(); // the rule that goes on knows it
                chart.ends.borrow_mut().insert((rule, here), ends);
            }
            let found = chart.ends.borrow().values().map(|ends| 1 + ends.len()).sum();
            if found == size {
                break;
            }
            size = found;
        }
        let ends = chart.ends.borrow();
        begins.into_iter().any(|begin| ends[&(0, begin)].iter().any(|end| end.at == text.len()))
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
    let mut materials = Materials::of(grammar, lexing, &given, &limits).unwrap();
    let automaton = materials.automaton(&limits).unwrap();
    let is_united = lexing != Lexing::Any && materials.places(lexing, &automaton).is_ok() && materials.united.is_some();
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
            texts.contains(&text) && (accepts || !is_united),
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
    if is_united { "united" } else { "read" }
}

#[test]
fn random_grammars_have_the_texts_of_their_definition() {
    let count = std::env::var("GRAMMARS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut seen = BTreeMap::new();
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
