//! What every fuzz target does with its bytes. Also run on `seeds/` by the kernel's own tests.
//!
//! Each target reads something a stranger may send, then checks laws that hold for whatever was read:
//!
//! * a mask allows exactly the tokens that are accepted one by one;
//! * under a budget, a text is complete before the budget is spent;
//! * rollback, fork and reset lead to the masks that a new matcher shows there;
//! * what is stored comes back.
//!
//! Cost: a mask is compared with 277 single tokens, so a run is about a millisecond.
//!
//! The wrinkle: bounds are lower than in production, so that a run stays short. Meeting one is no finding, but it must
//! be an error.

use std::sync::{Arc, OnceLock};

use formwright::canonical::{Cuts, Description, Merges, Order, Scope, Symbols, stored as canonical_stored};
use formwright::language::Lexicon;
use formwright::matcher::{Matcher, Speller};
use formwright::source::{CONSTRAINT_ENVELOPE, ENVELOPE, Source};
use formwright::syntax::grammar::ast::{Alternative, Grammar, Item, ItemKind, Pattern, PatternKind, Syntax};
use formwright::syntax::grammar::{self, ReadOptions};
use formwright::syntax::json_schema::{self, Options};
use formwright::syntax::regex::Dialect;
use formwright::terminals::Tables;
use formwright::vocabulary::{Vocabulary, stored};
use formwright::{Constraint, Error, Kind, Language, Limits};

/// Longest text that is read.
const LONGEST: usize = 4 << 10;

/// Tokens of one walk.
const STEPS: u32 = 12;

/// First byte: options. The rest: schema text.
pub fn schema(data: &[u8]) {
    let Some((options, text)) = data.split_first() else { return };
    let Some(text) = short_text(text) else { return };
    let whitespace = ["flexible", "free", "pretty", "[ \t]?"][usize::from(options >> 1 & 3)].to_owned();
    let order = if options & 1 == 1 { json_schema::Order::Model } else { json_schema::Order::Schema };
    let any_escapes = options & 8 != 0;
    let max_items = (options & 16 != 0).then_some(u32::from(options >> 5));
    let alphabet = (options & 64 != 0).then(|| "ab\"é".to_owned());
    let options =
        Options { order, whitespace, max_items, alphabet, any_escapes, limits: limits(), ..Options::default() };
    walk_source(&Source::json_schema(text.to_owned(), options), data);
}

/// The text of a regular expression.
pub fn regex(data: &[u8]) {
    if let Some(text) = short_text(data) {
        for dialect in [Dialect::Ascii, Dialect::Unicode, Dialect::Python] {
            walk_source(&Source::regex(text, dialect), data);
        }
    }
}

/// The text of a grammar: what is read of it points into it.
pub fn grammar_text(data: &[u8]) {
    let Some(text) = short_text(data) else { return };
    for syntax in [None, Some(Syntax::Lark), Some(Syntax::Gbnf)] {
        let forms = ["date".to_owned()].into();
        match grammar::read(text, &ReadOptions { syntax, forms, limits: limits(), ..ReadOptions::default() }) {
            Ok(grammar) => check_grammar(&grammar),
            Err(error) => check_place(text, &error),
        }
    }
}

fn check_place(text: &str, error: &Error) {
    match &*error.kind {
        Kind::Grammar { span, .. } | Kind::UnsupportedConstruct { span, .. } => check_span(text, *span),
        _ => assert!(is_bound(error), "{error}"),
    }
}

fn check_span(text: &str, (start, end): (usize, usize)) {
    assert!(text.get(start..end).is_some(), "{start}..{end} of {text:?}");
}

fn check_grammar(grammar: &Grammar) {
    assert!((grammar.start as usize) < grammar.rules.len());
    grammar.lints.iter().for_each(|lint| check_span(&grammar.text, lint.span));
    for rule in &grammar.rules {
        check_span(&grammar.text, rule.span);
        check_alternatives(grammar, &rule.alternatives);
    }
    for terminal in &grammar.terminals {
        check_span(&grammar.text, terminal.span);
        check_pattern(grammar, &terminal.pattern);
        terminal.attributes.suffix.iter().for_each(|suffix| check_pattern(grammar, suffix));
    }
    assert!(grammar.ignored.iter().all(|&id| (id as usize) < grammar.terminals.len()));
}

fn check_alternatives(grammar: &Grammar, alternatives: &[Alternative]) {
    for alternative in alternatives {
        check_span(&grammar.text, alternative.span);
        alternative.items.iter().for_each(|item| check_item(grammar, item));
    }
}

fn check_item(grammar: &Grammar, item: &Item) {
    check_span(&grammar.text, item.span);
    match &item.kind {
        ItemKind::Rule(id) => assert!((*id as usize) < grammar.rules.len()),
        ItemKind::Terminal(id) | ItemKind::Text(id) => assert!((*id as usize) < grammar.terminals.len()),
        ItemKind::Group(inner) | ItemKind::Optional(inner) => check_alternatives(grammar, inner),
        ItemKind::Repeat(body, low, high) => {
            assert!(high.is_none_or(|high| *low <= high));
            check_item(grammar, body);
        }
        ItemKind::Grammar(inner) => check_grammar(inner),
        _ => {}
    }
}

fn check_pattern(grammar: &Grammar, pattern: &Pattern) {
    check_span(&grammar.text, pattern.span);
    match &pattern.kind {
        PatternKind::Terminal(id) => assert!((*id as usize) < grammar.terminals.len()),
        PatternKind::Regex(id) => {
            let regex = &grammar.regexes[*id as usize];
            assert!(grammar.text.is_char_boundary(regex.start));
        }
        PatternKind::Class(ranges) => assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0)),
        PatternKind::Sequence(parts) | PatternKind::Choice(parts) | PatternKind::And(parts) => {
            for part in parts {
                check_pattern(grammar, part);
            }
        }
        PatternKind::Not(body) => check_pattern(grammar, body),
        PatternKind::Repeat(body, low, high) => {
            assert!(high.is_none_or(|high| *low <= high));
            check_pattern(grammar, body);
        }
        _ => {}
    }
}

/// Fragments of long expressions.
const FRAGMENTS: [&str; 24] = [
    "a",
    "a?",
    "b*",
    "(?:ab)?",
    "[ab]?",
    "c{0,3}",
    "(?:a|ab)",
    ".",
    ".*",
    "[a-z]*",
    "(?:a*b)*",
    "12",
    "(?:ab?c*|b)?",
    "é",
    "日本",
    "[^a]",
    "(?:a|b|ab|ba)",
    "\\bc",
    "(?!ab)",
    "(?=a)",
    "$",
    "^",
    ".{18}",
    "(?:(?!ab).)*",
];

/// Most parts of a long expression.
const MOST_PARTS: usize = 1 << 12;

/// Stack for long expressions.
const STACK: usize = 256 << 10;

/// Two bytes each: a fragment and how often it comes, or what is done to all that was written. Then a walk, on a small
/// stack.
pub fn lengths(data: &[u8]) {
    let (mut text, mut parts) = (String::new(), 0);
    for pair in data.chunks_exact(2).take(16) {
        let times = 1_usize << (pair[1] % 13);
        match (usize::from(pair[0]) % 32, FRAGMENTS.get(usize::from(pair[0]) % 32)) {
            (_, Some(fragment)) if parts + times <= MOST_PARTS => {
                text.push_str(&fragment.repeat(times));
                parts += times;
            }
            (24, _) => text = format!("(?:{text}){{{},{}}}", pair[1] % 3, pair[1]),
            (25, _) => text = format!("(?:{text})*"),
            (26, _) => text = format!("(?:{text})?x"),
            (27, _) => text = format!("(?!{text}).*"),
            (28, _) => text = format!("{text}|"),
            _ => {}
        }
    }
    let data = data.to_vec();
    let run = move || {
        for dialect in [Dialect::Ascii, Dialect::Python] {
            walk_source(&Source::regex(&text, dialect), &data);
        }
    };
    let walked = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread").join();
    walked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// A byte for each choice: items of few values, deep inside each other, that must all differ. Then a walk.
pub fn unique_items(data: &[u8]) {
    let mut choices = Choices(data);
    let bounds = format!(r#""minItems":{},"maxItems":{}"#, choices.below(4), 1 + choices.below(5));
    let items = few_values(&mut choices, 2);
    walk_schema(&format!(r#"{{"type":"array","items":{items},"uniqueItems":true,{bounds}}}"#), data);
}

fn few_values(choices: &mut Choices<'_>, depth: u32) -> String {
    let scalars = [
        r#"{"type":"boolean"}"#,
        r#"{"enum":[1,"1",null]}"#,
        r#"{"type":"integer","minimum":0,"maximum":3}"#,
        r#"{"type":"number","minimum":0,"maximum":1}"#,
        r#"{"type":"string","pattern":"^[ab]?$"}"#,
        r#"{"type":"string"}"#,
    ];
    let kind = choices.below(if depth == 0 { 1 } else { 5 });
    if kind == 0 {
        return scalars[choices.below(scalars.len())].to_owned();
    }
    let (first, second) = (few_values(choices, depth - 1), few_values(choices, depth - 1));
    match kind {
        1 => format!(r#"{{"type":"array","items":{first},"maxItems":{}}}"#, choices.below(3)),
        2 => format!(r#"{{"type":"array","items":{first},"uniqueItems":true,"minItems":{}}}"#, choices.below(3)),
        3 => format!(r#"{{"anyOf":[{first},{second}]}}"#),
        _ => {
            let required = ["[]", r#"["a"]"#, r#"["a","b"]"#][choices.below(3)];
            let open = if choices.below(3) == 0 { "true" } else { "false" };
            format!(
                r#"{{"type":"object","properties":{{"a":{first},"b":{second}}},"required":{required},"additionalProperties":{open}}}"#
            )
        }
    }
}

/// A byte for each choice: up to 40 conditions on the members of one object. Then a walk.
pub fn conditions(data: &[u8]) {
    let mut choices = Choices(data);
    let count = 2 + choices.below(39);
    let parts: Vec<String> = (0..count).map(|_| condition(&mut choices)).collect();
    let keyword = ["allOf", "anyOf", "oneOf"][choices.below(3)];
    let closed = if choices.below(4) == 0 { r#","unevaluatedProperties":false"# } else { "" };
    walk_schema(&format!(r#"{{"type":"object","{keyword}":[{}]{closed}}}"#, parts.join(",")), data);
}

fn condition(choices: &mut Choices<'_>) -> String {
    let mut part = || {
        let (a, b) = (choices.below(8), choices.below(8));
        match choices.below(6) {
            0 => format!(r#"{{"required":["n{a}"]}}"#),
            1 => format!(r#"{{"required":["n{a}","n{b}"]}}"#),
            2 => format!(r#"{{"properties":{{"n{a}":{{"const":{}}}}}}}"#, b % 3),
            3 => format!(r#"{{"required":["n{a}"],"properties":{{"n{b}":{{"type":"boolean"}}}}}}"#),
            4 => format!(r#"{{"minProperties":{}}}"#, a % 4),
            _ => format!(r#"{{"patternProperties":{{"^n[{a}-7]$":{{"enum":[0,true]}}}}}}"#),
        }
    };
    let (first, second, third) = (part(), part(), part());
    match choices.below(4) {
        0 => format!(r#"{{"not":{first}}}"#),
        1 => format!(r#"{{"anyOf":[{first},{second}]}}"#),
        2 => format!(r#"{{"if":{first},"then":{second}}}"#),
        _ => format!(r#"{{"if":{first},"then":{second},"else":{third}}}"#),
    }
}

/// Bytes that choose; without more of them, each choice is the first.
struct Choices<'d>(&'d [u8]);

impl Choices<'_> {
    fn below(&mut self, end: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % end
    }
}

/// Walks in declaration order, and in any order.
fn walk_schema(schema: &str, data: &[u8]) {
    for order in [json_schema::Order::Schema, json_schema::Order::Model] {
        let options = Options { order, whitespace: "compact".to_owned(), limits: limits(), ..Options::default() };
        walk_source(&Source::json_schema(schema.to_owned(), options), data);
    }
}

/// A stored vocabulary: as it is, and in a right envelope.
pub fn vocabulary(data: &[u8]) {
    for data in [data, &stored::ENVELOPE.seal(data)] {
        let Ok(vocabulary) = Vocabulary::from_bytes(data) else { continue };
        let again = Vocabulary::from_bytes(&vocabulary.to_bytes()).expect("what is written is read");
        assert_eq!(again.fingerprint(), vocabulary.fingerprint());
        assert_eq!(again.to_bytes(), vocabulary.to_bytes());
        if vocabulary.logits_size() <= 4096 {
            let tables = Arc::new(Tables::new(Arc::new(vocabulary), limits()));
            let sources = languages();
            let source = &sources[data.len() % sources.len()];
            walk(&source.build(&limits()).expect("a known language"), &tables, data);
        }
    }
}

/// A stored constraint: as it is, in a right envelope, and that for the right vocabulary.
pub fn constraint(data: &[u8]) {
    let vocabulary = &tables().vocabulary;
    let fitting = [vocabulary.fingerprint(), &[Scope::All as u8][..], data].concat();
    for data in [data, &CONSTRAINT_ENVELOPE.seal(data), &CONSTRAINT_ENVELOPE.seal(&fitting)] {
        if let Ok((source, _)) = Source::from_constraint_bytes(data, vocabulary, &limits()) {
            let stored = source.to_bytes().expect("no parser is read");
            let again = Source::from_bytes(&stored, &limits()).expect("what is written is read");
            assert_eq!(again.to_bytes(), Ok(stored));
            walk_source(&source, data);
        }
    }
    let _ = Source::from_bytes(data, &limits());
    let _ = Source::from_bytes(&ENVELOPE.seal(data), &limits());
}

/// First byte: a language. Then operations on a matcher, one byte each and maybe an argument.
pub fn matcher(data: &[u8]) {
    let Some((&first, operations)) = data.split_first() else { return };
    let sources = languages();
    let language = sources[usize::from(first) % sources.len()].build(&limits()).expect("a known language");
    let constraint = Constraint::new(&language, tables()).expect("a known language");
    let mut run = Run { matcher: constraint.matcher(), tokens: Vec::new(), constraint };
    for operation in operations.chunks(2).take(64) {
        run.apply(operation[0], operation.get(1).copied().unwrap_or(0));
    }
    run.compare();
}

/// First byte: a form. Second byte: how texts are cut into pieces. Then pairs of bytes, each a merge of two tokens that
/// there are already; the rest chooses the tokens of a walk. Texts are of few letters, so that merges meet.
pub fn canonical(data: &[u8]) {
    const FORMS: [&str; 8] = [
        "[a-c]{4}b{9}",
        "[ab]*c",
        "(a|bc){2,5} ?b*",
        " *[ab]+( [abc]+){0,3}",
        "(ab|b|abc)+",
        "a{3,7}(b|c a)?",
        "[abc ]{5,9}",
        "(abcab|cab ?){1,4}c",
    ];
    let [form, pattern, rest @ ..] = data else { return };
    let (made, merges) = merged(*pattern, rest);
    let Ok(vocabulary) = Vocabulary::new(&made, &[256], indexmap::IndexMap::new(), None) else { return };
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), limits()));
    let (Ok(merges), form) = (merges, FORMS[usize::from(*form) % FORMS.len()]) else { return };
    let language = Source::regex(form, Dialect::Ascii).build(&limits()).expect("a known language");
    let merges = Arc::new(merges);
    let speller = Arc::new(Speller::new(Arc::clone(&merges)));
    let constraint = Constraint::canonical(&language, &tables, &speller).expect("some text is canonical");
    let mut dice = Dice::of(data);
    let mut matcher = constraint.matcher();
    let least = matcher.min_tokens_to_finish();
    let mut tokens = Vec::new();
    for left in (0..least.saturating_add(dice.below(6) as u32)).rev() {
        let budget = Some(left + 1).filter(|_| dice.below(8) > 0 || left < 12);
        let all = allowed(&mut matcher, None).expect("some token may come");
        let found = allowed(&mut matcher, budget).expect("some token may come in time");
        assert!(found.iter().all(|token| all.binary_search(token).is_ok()));
        if !agrees(&matcher, &all) {
            return;
        }
        let token = found[dice.below(found.len())];
        matcher.accept_token(token).expect("an allowed token");
        if matcher.is_finished() {
            break;
        }
        tokens.push(token);
    }
    assert!(matcher.is_accepting() || matcher.is_finished(), "not finished in time: {tokens:?}");
    let text = std::str::from_utf8(matcher.text()).expect("text");
    assert_eq!(merges.encode(text), Some(tokens), "what the encoder makes of {text:?}");
    check_text(&language, matcher.text());
}

/// Every byte, an end of text, and tokens merged from those before them, as pairs of bytes say.
fn merged(pattern: u8, pairs: &[u8]) -> (Vec<Vec<u8>>, Result<Merges, Error>) {
    const PATTERNS: [Option<&str>; 4] =
        [None, Some("[ab]+|[c ]+"), Some(r" ?[abc]+|\s+(?!\S)|\s+"), Some(r"[^\r\n\p{L}]?\p{L}{1,3}|\s+$|\s")];
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).chain([Vec::new()]).collect();
    let mut parts: Vec<Vec<u8>> = [b'a', b'b', b'c', b' '].map(|letter| vec![letter]).into();
    for pair in pairs.chunks_exact(2).take(24) {
        let [left, right] = [pair[0], pair[1]].map(|part| &parts[usize::from(part) % parts.len()]);
        let token = [&left[..], right].concat();
        if token.len() <= 6 && !parts.contains(&token) {
            parts.push(token.clone());
            tokens.push(token);
        }
    }
    let spelled = tokens.iter().map(|token| Some(token.clone()).filter(|token| !token.is_empty())).collect();
    let order = Order::Priorities((0..tokens.len() as u32).collect());
    let description = Description { tokens: spelled, symbols: Symbols::Bytes, fallback: Vec::new(), order };
    let pattern = PATTERNS[usize::from(pattern) % PATTERNS.len()].map(str::to_owned);
    let merges = Merges::new(&description, &Cuts { pattern, ..Cuts::default() });
    (tokens, merges)
}

/// Stored merges: as they are, and in a right envelope. What is read is written again the same, and encodes without a
/// panic.
pub fn merges(data: &[u8]) {
    for data in [data, &canonical_stored::ENVELOPE.seal(data)] {
        let Ok(merges) = Merges::from_bytes(data) else { continue };
        let again = Merges::from_bytes(&merges.to_bytes()).expect("what is written is read");
        assert_eq!(again.to_bytes(), merges.to_bytes());
        for text in ["", "ab  ba\n12", "é日本'll"] {
            let tokens = merges.encode(text);
            assert_eq!(again.encode(text), tokens);
            let _ = merges.is_canonical(tokens.unwrap_or_default());
        }
    }
}

/// A matcher and what it should have read.
struct Run {
    constraint: Constraint,
    matcher: Matcher,
    tokens: Vec<u32>,
}

impl Run {
    fn apply(&mut self, operation: u8, argument: u8) {
        match operation % 8 {
            0..=2 => self.accept_allowed(argument),
            3 => self.accept(u32::from(argument) * 2),
            4 => self.rollback(usize::from(argument % 8)),
            5 => self.matcher = self.matcher.fork(),
            6 if argument > 250 => {
                self.matcher.reset();
                self.tokens.clear();
            }
            6 => drop(self.matcher.fork().accept_bytes(&[argument])),
            _ => self.budget(u32::from(argument)),
        }
    }

    fn accept_allowed(&mut self, argument: u8) {
        let Ok(allowed) = allowed(&mut self.matcher, None) else { return };
        if !allowed.is_empty() {
            self.accept(allowed[usize::from(argument) % allowed.len()]);
        }
    }

    fn accept(&mut self, token: u32) {
        let before = self.matcher.text().to_vec();
        match self.matcher.accept_token(token) {
            Ok(()) => self.tokens.push(token),
            Err(_) => assert_eq!(self.matcher.text(), before, "a refused token changes nothing"),
        }
    }

    fn rollback(&mut self, steps: usize) {
        let done = self.matcher.rollback(steps).is_ok();
        assert_eq!(done, steps <= self.tokens.len());
        if done {
            self.tokens.truncate(self.tokens.len() - steps);
            self.compare();
        }
    }

    fn budget(&mut self, extra: u32) {
        if self.matcher.is_finished() {
            return;
        }
        let least = self.matcher.min_tokens_to_finish();
        finish(&mut self.matcher.fork(), least.saturating_add(extra % 8), &mut Dice(u64::from(extra)));
        if least > 0 {
            assert!(allowed(&mut self.matcher.fork(), Some(0)).is_err(), "no budget, but no complete text either");
        }
    }

    /// A new matcher that reads the same tokens shows the same.
    fn compare(&mut self) {
        let mut fresh = self.constraint.matcher();
        fresh.accept_tokens(&self.tokens).expect("these tokens were accepted");
        assert_eq!(fresh.text(), self.matcher.text());
        assert_eq!(fresh.is_accepting(), self.matcher.is_accepting());
        assert_eq!(fresh.is_finished(), self.matcher.is_finished());
        assert_eq!(fresh.forced_bytes(), self.matcher.forced_bytes());
        assert_eq!(allowed(&mut fresh, None).ok(), allowed(&mut self.matcher, None).ok(), "{:?}", self.matcher);
    }
}

/// Bounds that keep a run short, and little room, so that automata go and come again.
fn limits() -> Limits {
    Limits {
        automata_bytes: 1 << 16,
        automaton_states: 1 << 13,
        automaton_expressions: 1 << 13,
        emptiness_search: 2_000,
        nodes: 20_000,
        tree_bytes: 5, // one choice is a tree, the other a lexicon
        source_nodes: 50_000,
        ..Limits::default()
    }
}

/// Every byte, some tokens that cut across structure, and an end of text.
fn tables() -> &'static Arc<Tables> {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let longer = [
            "\":",
            "\": ",
            "\", \"",
            "},",
            "{\"",
            " {\"",
            "\n  ",
            "ab",
            "\"a\"",
            "12",
            "true",
            "é",
            "日本",
            "e\"",
            "]}",
            ": [",
            "\"}",
            "b\",\"a\"",
            "\\u00",
            "0.",
        ];
        let single = (0..=255_u8).map(|byte| vec![byte]);
        let tokens: Vec<Vec<u8>> =
            [vec![]].into_iter().chain(single).chain(longer.map(|text| text.as_bytes().to_vec())).collect();
        let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).expect("a vocabulary");
        Arc::new(Tables::new(Arc::new(vocabulary), limits()))
    })
}

/// One language of each kind.
fn languages() -> [Source; 6] {
    let schema = |text: &str| Source::json_schema(text.to_owned(), Options { limits: limits(), ..Options::default() });
    let choice = |options: &[&str]| Source::choice(Lexicon::of(options).expect("a lexicon"));
    [
        schema(r#"{"properties":{"a":{"type":"integer"},"ab":{"maxLength":3,"type":"string"}},"required":["a"]}"#),
        schema(r#"{"type":"array","items":{"enum":["a",12,true,"é"]},"maxItems":3,"uniqueItems":true}"#),
        Source::regex(r"(ab|[a-c]{2,5})+\.?é*", Dialect::Ascii),
        choice(&["yes", "no", "maybe", ""]).repeat(1, 3),
        schema(r#"{"type":"array","items":{"properties":{"a":{"type":"boolean"}}},"minItems":2,"uniqueItems":true}"#),
        Source::regex("[0-9]+", Dialect::Ascii).then(&choice(&["12", ": ["])).or(&schema("true")),
    ]
}

fn short_text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok().filter(|text| text.len() <= LONGEST)
}

fn walk_source(source: &Source, data: &[u8]) {
    match source.build(&limits()) {
        Ok(language) => walk(&language, tables(), data),
        Err(error) => assert!(!error.message.is_empty()),
    }
}

/// A walk that the bytes choose: every mask is compared with every token, then the text is finished under a budget.
fn walk(language: &Language, tables: &Arc<Tables>, data: &[u8]) {
    let Ok(constraint) = Constraint::new(language, tables) else { return };
    let mut matcher = constraint.matcher();
    let mut dice = Dice::of(data);
    for _ in 0..STEPS {
        let allowed = match allowed(&mut matcher, None) {
            Ok(allowed) => allowed,
            Err(error) => return assert!(is_bound(&error) || matches!(*error.kind, Kind::DeadEnd), "{error}"),
        };
        if !agrees(&matcher, &allowed) {
            return;
        }
        let token = allowed[dice.below(allowed.len())];
        matcher.accept_token(token).expect("an allowed token");
        if matcher.is_finished() {
            return check_text(language, matcher.text());
        }
    }
    let budget = matcher.min_tokens_to_finish().saturating_add(dice.below(4) as u32);
    finish(&mut matcher, budget, &mut dice);
}

/// Fails unless a mask allows exactly what is accepted; false if a bound was met.
fn agrees(matcher: &Matcher, allowed: &[u32]) -> bool {
    let vocabulary = &matcher.constraint().tables().vocabulary;
    for token in 0..vocabulary.logits_size() as u32 {
        let accepted = match matcher.fork().accept_token(token) {
            Ok(()) => true,
            Err(error) if is_bound(&error) => return false,
            Err(_) => false,
        };
        let bit = allowed.binary_search(&token).is_ok();
        assert_eq!(bit, accepted, "token {token} {:?} after {matcher:?}", vocabulary.token(token));
    }
    true
}

/// Writes allowed tokens until the text is complete, which must be within the budget.
fn finish(matcher: &mut Matcher, mut budget: u32, dice: &mut Dice) {
    if budget > 200 {
        return;
    }
    while !matcher.is_finished() {
        let Ok(allowed) = allowed(matcher, Some(budget)) else {
            return; // a bound, or a vocabulary that cannot go on
        };
        let token = allowed[dice.below(allowed.len())];
        matcher.accept_token(token).expect("an allowed token");
        assert!(matcher.is_finished() || budget > 0, "a token after the budget was spent: {matcher:?}");
        budget = budget.saturating_sub(1);
    }
    check_text(matcher.constraint().language(), matcher.text());
}

/// A finished text is in the language.
fn check_text(language: &Language, text: &[u8]) {
    match language.check(text) {
        Ok((_, complete)) => assert!(complete, "{:?} is not in form", String::from_utf8_lossy(text)),
        Err(error) => assert!(is_bound(&error), "{error}"),
    }
}

fn allowed(matcher: &mut Matcher, budget: Option<u32>) -> Result<Vec<u32>, Error> {
    let count = matcher.constraint().tables().vocabulary.mask_words();
    let mut mask = vec![0; count];
    matcher.fill_bitmask(&mut mask, budget)?;
    Ok((0..count as u32 * 32).filter(|token| mask[*token as usize / 32] >> (token % 32) & 1 == 1).collect())
}

fn is_bound(error: &Error) -> bool {
    matches!(*error.kind, Kind::Limit { .. })
}

/// Numbers that look random, the same for the same bytes.
struct Dice(u64);

impl Dice {
    fn of(data: &[u8]) -> Self {
        Self(
            data.iter()
                .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)),
        )
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}
