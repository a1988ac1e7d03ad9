//! Budgets: from the least budget upward, every text ends in time, whatever tokens are chosen; and a token is allowed
//! just if the tokens needed after it are left.
//!
//! The walks are adversarial: the longest token, the one that leaves most to do, or any, over vocabularies of bytes, of
//! tokens that cut across structure, and without every byte. `FORMWRIGHT_WALKS` multiplies their number.

use std::sync::Arc;

use crate::common::{tables, tables_of};
use formwright::matcher::Matcher;
use formwright::regular::Unit;
use formwright::syntax::choice::choice;
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::syntax::pieces::one_of_text;
use formwright::syntax::regex::regex;
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Kind, Language, Limits};

/// "No completion is known", as numbers of tokens go.
const INFINITE: u32 = 1 << 28;

/// Tokens of a walk after which it only tries to end.
const LONG: usize = 60;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// How the next token is chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Any,
    Longest,
    /// The token that leaves most to do, of some.
    Dearest,
    /// A token with punctuation, if there is one.
    Structure,
}

const CHOICES: [Choice; 4] = [Choice::Any, Choice::Longest, Choice::Dearest, Choice::Structure];

fn choose(matcher: &Matcher, tokens: &[u32], choice: Choice, random: &mut Random) -> u32 {
    let vocabulary = &matcher.constraint().tables().vocabulary;
    let any = tokens[random.below(tokens.len())];
    let structural = |token: &u32| vocabulary.token(*token).iter().any(|byte| br#"{}[]",:"#.contains(byte));
    match choice {
        Choice::Any => any,
        Choice::Longest => tokens.iter().copied().max_by_key(|token| vocabulary.token(*token).len()).unwrap_or(any),
        Choice::Dearest => {
            let some: Vec<u32> = (0..12).map(|_| tokens[random.below(tokens.len())]).collect();
            let needed = |token: &u32| {
                let mut after = matcher.fork();
                after.accept_token(*token).unwrap();
                after.min_tokens_to_finish()
            };
            some.into_iter().max_by_key(needed).unwrap_or(any)
        }
        Choice::Structure => {
            let some: Vec<u32> = tokens.iter().copied().filter(structural).collect();
            if some.is_empty() { any } else { some[random.below(some.len())] }
        }
    }
}

/// One text within a budget: it is complete at the end.
fn walk(constraint: &Constraint, mut budget: u32, choice: Choice, random: &mut Random, what: &str) {
    let count = constraint.tables().vocabulary.len() as u32;
    let mut matcher = constraint.matcher();
    let given = budget;
    loop {
        let least = matcher.min_tokens_to_finish();
        let text = || format!("{what}: {choice:?} of {given} after {:?}", String::from_utf8_lossy(matcher.text()));
        assert!(least <= budget, "{}: {least} tokens needed, {budget} left", text());
        if budget == 0 || matcher.text().len() > LONG * 8 {
            assert!(matcher.is_accepting() || budget > 0, "{}: not complete", text());
            return;
        }
        let mut mask = vec![0; (count as usize).div_ceil(32)];
        let text = text();
        matcher.fill_bitmask(&mut mask, Some(budget)).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let is_set = |token: &u32| mask[*token as usize / 32] >> (token % 32) & 1 == 1;
        let tokens: Vec<u32> = (1..count).filter(is_set).collect();
        if tokens.is_empty() {
            assert!(matcher.is_accepting(), "{text}: no token within {budget}");
            return;
        }
        let is_known = constraint.tables().limits().budget_work >= Limits::default().budget_work;
        if is_known && random.below(20) == 0 {
            exact(&matcher, &tokens, budget, &text);
        }
        let token = choose(&matcher, &tokens, choice, random);
        matcher.accept_token(token).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        budget -= 1;
    }
}

/// A token is allowed just if it can be read and what is needed after it is left.
fn exact(matcher: &Matcher, tokens: &[u32], budget: u32, text: &str) {
    let vocabulary = &matcher.constraint().tables().vocabulary;
    // While a name or item that must differ from others is read, what is needed after it holds for any such text.
    let differ = ["minProperties", "uniqueItems", "\"not\""].iter().any(|keyword| text.contains(keyword));
    for token in 1..vocabulary.len() as u32 {
        let mut after = matcher.fork();
        let read = after.accept_token(token).is_ok();
        let needed = if read { after.min_tokens_to_finish() } else { u32::MAX };
        let bytes = String::from_utf8_lossy(vocabulary.token(token)).into_owned();
        let is_allowed = tokens.binary_search(&token).is_ok();
        // So it is where a token ends a name and begins the next one.
        let differs = differ || bytes.contains(',') && bytes.ends_with('"');
        let is_right = is_allowed == (needed < budget) || !is_allowed && differs && needed < INFINITE;
        assert!(is_right, "{text}: {bytes:?}, allowed: {is_allowed}, needs {needed} after it, {budget} left");
    }
}

fn walks(tables: &Arc<Tables>, language: &Language, count: usize, what: &str) {
    let constraint = match Constraint::new(language, tables) {
        Ok(constraint) => constraint,
        Err(error) => return assert!(matches!(*error.kind, Kind::DeadEnd), "{what}: {error:?}"),
    };
    let least = constraint.matcher().min_tokens_to_finish();
    if least > 1 << 20 {
        assert!(!tables.vocabulary.has_every_byte(), "{what}: {least}");
        return;
    }
    let mut random = Random(what.len() as u64 + u64::from(least));
    let times = std::env::var("FORMWRIGHT_WALKS").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    for round in 0..count * times {
        let spare = if round < 8 { round / 4 } else { random.below([24, 400][round % 2]) };
        walk(&constraint, least + spare as u32, CHOICES[round % 4], &mut random, what);
    }
}

const SCHEMAS: [&str; 35] = [
    "true",
    r#"{"type": "object", "minProperties": 2}"#,
    r#"{"type": "object", "minProperties": 1, "properties": {"d": {"type": "null"}, "e": {"type": "object", "properties": {"cabdecab": {}, "abcabcabc": {}, "decabcab": {}}, "required": ["cabdecab", "abcabcabc", "decabcab"]}}}"#,
    r#"{"type": "object", "properties": {"abc": {"enum": ["abcabcab", "decabcab", null]}, "cabde": {"type": "array", "items": {"const": "abcdeabc"}, "minItems": 2}, "decab": {"type": "integer"}}, "required": ["abc", "cabde"]}"#,
    r#"{"type": "object", "minProperties": 3}"#,
    r#"{"type": "string", "pattern": "b$", "minLength": 2}"#,
    r#"{"type": "array", "items": {"enum": [1, "a"]}, "contains": {"const": 1}}"#,
    r#"{"type": "array", "items": {"enum": [1, "a", [1]]}, "contains": {"const": 1}, "minContains": 2, "maxContains": 3, "minItems": 4}"#,
    r#"{"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9999}, "uniqueItems": true, "minItems": 3}"#,
    r#"{"type": "array", "items": {"type": ["string", "boolean", "null"]}, "uniqueItems": true, "minItems": 12}"#,
    r#"{"type": "array", "items": {"enum": ["a", "ab", "abc", 12, 123, true]}, "uniqueItems": true, "minItems": 4}"#,
    r#"{"type": "object", "minProperties": 3, "additionalProperties": {"type": "null"}}"#,
    r#"{"type": "object", "minProperties": 3, "properties": {"a": {"type": "null"}, "": {"type": "integer"}}}"#,
    r#"{"type": "object", "minProperties": 2, "maxProperties": 3, "patternProperties": {"^x?$": {"type": "null"}, "^y{1,2}$": true}, "additionalProperties": false}"#,
    r#"{"type": "object", "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": {"enum": ["a", 1]}}"#,
    r#"{"type": "object", "additionalProperties": {"type": "null"}, "propertyNames": {"pattern": "^[ab]$"}}"#,
    r#"{"type": "object", "additionalProperties": {"type": "boolean"}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {}, "c": {"type": "null"}}, "required": ["c", "a"], "dependentRequired": {"b": ["a", "d"]}}"#,
    r#"{"type": "object", "properties": {"ab": {"type": "integer"}, "b": {"type": "null"}, "cab": {"type": "null"}}, "minProperties": 2, "additionalProperties": false}"#,
    r#"{"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k", "x"]}, {"type": "object", "properties": {"k": {"const": "b"}, "y": {"type": "string"}}, "required": ["k", "y"]}, {"type": "array", "items": {"type": "boolean"}, "minItems": 2}]}"#,
    r#"{"anyOf": [{"type": "object", "properties": {"a": {"enum": [1, 12]}}, "required": ["a"]}, {"type": "object", "properties": {"a": {"type": "integer"}, "x": {"const": true}}, "required": ["x"]}, {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}]}"#,
    r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"l": {"$ref": "#/$defs/t"}, "v": {"type": "integer"}}, "required": ["v"]}}}"##,
    r##"{"$ref": "#/$defs/t", "$defs": {"t": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/t"}, "minItems": 2}, {"enum": [1, "ab"]}]}}}"##,
    r#"{"type": "array", "prefixItems": [{"type": "string", "pattern": "b$", "minLength": 2}, {"type": "number"}], "items": false, "minItems": 2}"#,
    r#"{"type": "array", "maxItems": 0}"#,
    r#"{"type": "array", "items": {"type": "array", "items": {"type": "array", "minItems": 1}}, "minItems": 2, "maxItems": 3}"#,
    r#"{"type": "string", "format": "date-time"}"#,
    r#"{"type": "string", "format": "uuid"}"#,
    r#"{"type": "string", "minLength": 30, "maxLength": 33}"#,
    r#"{"type": "string", "minLength": 300}"#,
    r#"{"type": "number", "multipleOf": 0.25, "minimum": 10}"#,
    r#"{"anyOf": [{"type": "object", "properties": {"ab": {"const": "a"}, "x": {"type": "array", "minItems": 30, "items": {"const": 1}}}, "required": ["ab", "x"], "additionalProperties": false}, {"type": "object", "properties": {"ab": {"const": "a"}, "y": {"const": 1}}, "required": ["ab"], "additionalProperties": false}]}"#,
    r#"{"anyOf": [{"type": "object", "properties": {"ab": {"type": "integer"}}, "required": ["ab"], "additionalProperties": false}, {"type": "object", "properties": {"ab": {"type": "string", "pattern": "^(x|yz{20})$"}, "a": {"type": "array", "minItems": 20, "items": {"const": 1}}}, "required": ["ab", "a"], "additionalProperties": false}]}"#,
    r#"{"type": "object", "properties": {"a": {"enum": ["b", 1]}}, "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": {"enum": ["a", 1]}, "propertyNames": {"pattern": "^(a|[xyz]{20,30})$"}}"#,
    r#"{"enum": ["cab", "ca", {"x": true}, 12, 121, null, "日本"]}"#,
];

const CONDITIONS: [&str; 4] = [
    r#"{"type": "object", "oneOf": [{"patternProperties": {"^a.b$": false}}, {"patternProperties": {"^(?!a)": {"const": "cab"}}}, {"patternProperties": {"[^a]": {"const": "b"}}}, {"properties": {"b": false}}, {"properties": {"c": false}}, {"required": ["a"], "properties": {"d": {"const": "ab"}}}]}"#,
    r#"{"if": {"type": "object", "oneOf": [{"required": ["a", "c"]}, {"patternProperties": {"^(ab|ba)+$": {"const": "b"}}}, {"properties": {"ab": true}, "additionalProperties": {"const": "cab"}}, {"properties": {"ab": false}}, {"properties": {"b": false}}, {"properties": {"d": false}}]}, "else": false}"#,
    r#"{"type": "object", "allOf": [{"dependentSchemas": {"ab": {"required": ["c"]}}}, {"if": {"patternProperties": {"[0-9]": true}}, "then": {"patternProperties": {"^(ab|ba)+$": {"const": "b"}}}}, {"not": {"properties": {"d": {"const": "b"}}}}, {"if": {"properties": {"ab": true}, "additionalProperties": {"type": "integer"}}, "then": {"minProperties": 1}, "else": {"properties": {"e": false}}}, {"anyOf": [{"minProperties": 3}, {"patternProperties": {"[^a]": {"const": "cab"}}}]}], "unevaluatedProperties": {"const": "1"}}"#,
    r#"{"required": ["b", ""], "dependentSchemas": {"": {"anyOf": [{"maxProperties": 2, "dependentSchemas": {"a": false}}, {"required": ["a"]}]}}, "oneOf": [{"properties": {"a": false, "ab": {"type": "object", "oneOf": [{"required": ["b"]}, {"properties": {"c": false}}]}}}, {"const": []}, {"not": {"const": {"a": [3], "": ["ba"]}}}]}"#,
];

fn options(order: Order, whitespace: &str) -> Options {
    Options { order, whitespace: whitespace.to_owned(), ..Options::default() }
}

fn schemas(tables: &Arc<Tables>, count: usize) {
    for schema in SCHEMAS {
        for order in [Order::Schema, Order::Model] {
            for whitespace in ["flexible", "pretty"] {
                let language = json_schema(schema, &options(order, whitespace)).unwrap();
                walks(tables, &language, count, &format!("{schema} {order:?} {whitespace}"));
            }
        }
    }
}

fn others(tables: &Arc<Tables>, count: usize) {
    let limits = Limits::default();
    for pattern in
        ["ab|abcde", "(ab|cab)*12", "[a-z]{3,40}x", "(a|ab)(c|bcd)(d*)", "a{100}", "日本|é+", "(12)+(34)?", ".*b"]
    {
        walks(tables, &regex(pattern, &limits).unwrap(), count, pattern);
    }
    let texts = ["ab", "cab", "ca b", "true", "12", "日本"];
    walks(tables, &choice(&texts, &limits).unwrap(), count, "choice");
    let as_lexicon = Limits { tree_bytes: 0, ..Limits::default() };
    walks(tables, &choice(&texts, &as_lexicon).unwrap(), count, "lexicon");
    let twice = choice(&texts, &as_lexicon).unwrap().repeat(2, 4).unwrap();
    walks(tables, &twice, count, "repeated lexicon");
    for (unit, what) in [(Unit::Char, "pieces"), (Unit::Word, "words"), (Unit::Sentence, "sentences")] {
        let pieces = one_of_text("abcab dec. ab abc é! decabcab abc", unit, &Limits::default()).unwrap();
        walks(tables, &pieces, count, what);
        walks(tables, &pieces.then(&pieces.repeat(1, 2).unwrap()).unwrap(), count, what);
    }
    let (word, number) =
        (regex("[ab]{2,3}", &limits).unwrap(), json_schema(r#"{"type": "array"}"#, &Options::default()).unwrap());
    let both = word.then(&number).unwrap().repeat(2, 4).unwrap();
    walks(tables, &both, count, "repeated composition");
}

#[test]
fn texts_of_bytes_end_in_time() {
    let tables = tables_of(Vec::<&[u8]>::new(), Limits::default());
    schemas(&tables, 4);
    others(&tables, 8);
}

#[test]
fn texts_of_tokens_that_cut_across_structure_end_in_time() {
    let tables = tables(Limits::default());
    schemas(&tables, 4);
    others(&tables, 8);
}

/// A vocabulary in which some bytes are no tokens, or only inside longer ones.
fn tables_without(missing: &[u8]) -> Arc<Tables> {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    tokens.extend((0..128_u8).filter(|byte| !missing.contains(byte)).map(|byte| vec![byte]));
    let longer = [
        "{\"", "\":", "\"}", "\",\"", "\"a\"", "12", "10", "ab", "cab", "]]", "[1", "1]", ": ", "true", "null", "}}",
        "de", "abc",
    ];
    tokens.extend(longer.iter().map(|token| token.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))
}

#[test]
fn texts_end_in_time_where_not_every_byte_is_a_token() {
    for (index, missing) in [&b"0"[..], b"\"", b"b}", b" \\", b"1]", b":,"].into_iter().enumerate() {
        let tables = tables_without(missing);
        if index % 2 == 0 {
            schemas(&tables, 1);
        }
        others(&tables, 2);
    }
}

/// What is known of the way to the end may be little, but it must not be forgotten on it: where a text is in a configuration
/// that no shortest way led to, its potential is that of one that it includes.
#[test]
fn texts_end_in_time_where_few_ways_are_followed() {
    for budget_work in [0, 300, 4_000] {
        let tables = tables(Limits { budget_work, ..Limits::default() });
        schemas(&tables, 2);
        for schema in CONDITIONS {
            let language = json_schema(schema, &options(Order::Model, "flexible")).unwrap();
            walks(&tables, &language, 200, &format!("{schema} with work of {budget_work}"));
        }
    }
}

/// The tokens allowed within a budget after a text, of a matcher that was elsewhere before.
fn allowed(matcher: &mut Matcher, text: &str, budget: u32) -> Vec<String> {
    matcher.reset();
    matcher.accept_bytes(text.as_bytes()).unwrap();
    let vocabulary = Arc::clone(&matcher.constraint().tables().vocabulary);
    let mut mask = vec![0; vocabulary.mask_words()];
    matcher.fill_bitmask(&mut mask, Some(budget)).unwrap();
    let is_set = |token: &u32| mask[*token as usize / 32] >> (token % 32) & 1 == 1;
    let tokens = (1..vocabulary.len() as u32).filter(is_set);
    tokens.map(|token| String::from_utf8_lossy(vocabulary.token(token)).into_owned()).collect()
}

/// What the tokens after a number leave to do is remembered for several places, and counts where one of these is
/// remembered.
#[test]
fn what_is_remembered_of_one_place_counts_at_others() {
    let tables = tables_without(b"1]");
    let schema = r#"{"type": "array", "items": {"type": "array", "items": {"type": "array", "minItems": 1}}, "minItems": 2, "maxItems": 3}"#;
    let language = json_schema(schema, &options(Order::Model, "flexible")).unwrap();
    let constraint = Constraint::new(&language, &tables).unwrap();
    let least = constraint.matcher().min_tokens_to_finish();
    let mut random = Random(2);
    for round in 0..40 {
        let spare = random.below(300) as u32;
        walk(&constraint, least + spare, CHOICES[round % 4], &mut random, schema);
    }
}

/// Of two objects that the text may be, the one that it is nearly through with does not speak for the other one.
#[test]
fn a_longer_alternative_is_not_begun_in_too_few_tokens() {
    let tables = tables_of(["\",\""], Limits::default());
    let long = "z".repeat(90);
    let first = r#"{"type": "object", "properties": {"x": {"type": "string", "minLength": 100}}, "required": ["x"], "additionalProperties": false}"#;
    let second = format!(
        r#"{{"type": "object", "properties": {{"x": {{"type": "string"}}, "y": {{"const": "{long}"}}}}, "required": ["x", "y"], "additionalProperties": false}}"#
    );
    let language = json_schema(&format!(r#"{{"anyOf": [{first}, {second}]}}"#), &Options::default()).unwrap();
    let mut matcher = Constraint::new(&language, &tables).unwrap().matcher();
    let text = format!("{{\"x\":\"{}", "a".repeat(120));
    let needed = 1 + "y\":\"".len() as u32 + 90 + 2; // this token, and every byte after it
    for budget in [4, 20, 40, 60, 80, needed - 1, needed, needed + 1, 300] {
        let is_allowed = allowed(&mut matcher, &text, budget).contains(&"\",\"".to_owned());
        assert_eq!(is_allowed, budget >= needed, "within {budget} of {needed}");
    }
}

/// A text of more bytes than can be counted is not taken for one of few.
#[test]
fn what_takes_too_many_bytes_is_not_begun() {
    let tables = tables_of(Vec::<&[u8]>::new(), Limits::default());
    let schema = r#"{"type": "string", "pattern": "^(x|(a{70000}){70000}|(b{20000}){20000})$"}"#;
    let language = json_schema(schema, &options(Order::Schema, "compact")).unwrap();
    let mut matcher = Constraint::new(&language, &tables).unwrap().matcher();
    for (text, first, least) in [("", "\"", 3), ("\"", "x", 2)] {
        for budget in least..least + 3 {
            assert_eq!(allowed(&mut matcher, text, budget), [first], "after {text:?} within {budget}");
        }
        assert_eq!(matcher.min_tokens_to_finish(), least);
    }
}

/// However much a text begins at once, how far it is from its end is not lost.
#[test]
fn a_long_text_at_once_is_as_far_from_its_end_as_byte_by_byte() {
    let tables = tables_of(Vec::<&[u8]>::new(), Limits::default());
    let language = json_schema(r#"{"type": "array"}"#, &options(Order::Schema, "compact")).unwrap();
    let mut matcher = Constraint::new(&language, &tables).unwrap().matcher();
    let mut mask = vec![0; tables.vocabulary.mask_words()];
    matcher.fill_bitmask(&mut mask, Some(5000)).unwrap();
    matcher.accept_bytes(&[b'['; 2000]).unwrap();
    let error = matcher.fill_bitmask(&mut mask, Some(1900)).unwrap_err();
    assert!(matches!(*error.kind, Kind::Limit { .. }), "{error:?}");
    matcher.fill_bitmask(&mut mask, Some(2000)).unwrap();
}
