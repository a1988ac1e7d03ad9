use super::super::Unit;
use super::*;
use crate::language::Language;
use crate::limits::Limits;
use crate::matcher::Constraint;
use crate::matcher::distance::Distance;
use crate::syntax::choice::literal;
use crate::syntax::json_schema::{Options, Order, json_schema};
use crate::syntax::regex::regex;
use crate::terminals::{MostBegun, Tables};
use crate::vocabulary::Vocabulary;

const LONGER: [&str; 26] = [
    "{\"",
    "\":",
    "\"}",
    ",\"",
    "\",\"",
    "birth",
    "day",
    "rthd",
    "\":\"",
    "na",
    "me\":",
    "true",
    "null",
    "\"a",
    "]]",
    "[[",
    "{},",
    "[],[",
    "},{\"",
    "[{\"",
    "]},\"",
    ":\"",
    "a\",\"na",
    ":{\"",
    "birth\",\"",
    ":\"a",
];

fn after(machine: &mut Machine<'_>, from: &[Configuration], token: &[u8]) -> Vec<Configuration> {
    let (mut at, start) = (from.to_vec(), machine.path.len());
    for &byte in token {
        let mut next = Vec::new();
        machine.step_all(&at, byte, &mut next, 0);
        machine.path.push(byte);
        at = next;
    }
    machine.path.truncate(start);
    machine.settle();
    at
}

/// After any text, some token makes the cost fall, unless the text may end; and no token leads farther than the
/// distance says, measured just now or on the way.
fn falls(language: &Language, what: &str, texts: u32) {
    let mut tokens: Vec<Vec<u8>> = std::iter::once(Vec::new()).chain((0..=255).map(|byte| vec![byte])).collect();
    tokens.extend(LONGER.iter().map(|token| token.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(&tokens, &[0], indexmap::IndexMap::new(), None).unwrap();
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
    let constraint = Constraint::new(language, &tables).unwrap();
    let counting = constraint.compiled().counting();
    let mut random = 1_u64;
    for _ in 0..texts {
        let (mut stacks, mut path) = (super::super::Stacks::default(), Vec::new());
        let mut machine = Machine::new(constraint.graph(), &mut stacks, &mut path);
        let mut at = machine.initial();
        let mut known: Vec<(Unit, Distance)> = Vec::new(); // they hold in one place, also after several
        for _ in 0..30 {
            let cost = counting.parts(&mut machine, &at);
            let ends = at.iter().any(|at| at.position == Position::Accept);
            let of_before = known.len();
            for unit in [Unit::Bytes, Unit::Tokens] {
                known.extend(constraint.compiled().measure(&mut machine, &at, unit).map(|distance| (unit, distance)));
            }
            let mut ways = Vec::new();
            for token in &tokens[1..] {
                let next = after(&mut machine, &at, token);
                if next.is_empty() {
                    continue;
                }
                let cost = counting.parts(&mut machine, &next);
                for (unit, distance) in &known[if at.len() == 1 { 0 } else { of_before }..] {
                    let cost = if *unit == Unit::Tokens { cost } else { machine.cost(&next) };
                    let farthest = distance.after(&MostBegun::by(token));
                    let text = String::from_utf8_lossy(&[machine.path.as_slice(), token].concat()).into_owned();
                    assert!(cost <= farthest, "{what} {text}: {cost} {unit:?}, {farthest}");
                }
                ways.push((token, cost, next));
            }
            let least = ways.iter().map(|(_, cost, _)| *cost).min().unwrap_or(INFINITE);
            let text = String::from_utf8_lossy(machine.path).into_owned();
            assert!(ends || least < cost, "{what} after {text}: {cost}, then {least}");
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let dull = |token: &[u8]| token.len() == 1 && (token[0].is_ascii_alphanumeric() || token[0] >= 0x80);
            let (plain, others): (Vec<_>, Vec<_>) = ways.into_iter().partition(|(token, ..)| dull(token));
            let from = if others.is_empty() || random >> 62 == 0 && !plain.is_empty() { plain } else { others };
            let count = from.len().max(1);
            let Some((token, _, next)) = from.into_iter().nth((random >> 33) as usize % count) else { break };
            for (_, distance) in &mut known {
                distance.advance(&MostBegun::by(token));
            }
            machine.path.extend_from_slice(token);
            at = next;
        }
    }
}

#[test]
fn some_token_always_makes_the_cost_fall() {
    let schemas = [
        r#"{"type": "object", "properties": {"name": {"type": "string"}, "birthday": {"enum": ["birthday", "name", true, "birth"]}, "a": {"type": "null"}}, "required": ["birthday", "a"]}"#,
        r#"{"type": "object", "properties": {"name": {}, "na": {"type": "integer"}, "birthday": {"type": "array", "minItems": 2, "items": {"const": "birthday"}}}, "required": ["birthday", "na"], "additionalProperties": {"type": "null"}}"#,
        r#"{"type": "object", "properties": {"a": {}, "name": {"type": "null"}, "birthday": {"type": "null"}}, "dependentRequired": {"a": ["birthday"], "birthday": ["name"]}}"#,
        r#"{"type": "object", "properties": {"name": {"type": "null"}}, "minProperties": 2}"#,
        r#"{"type": "array", "prefixItems": [{"const": "name"}], "items": {"type": "array", "items": {"const": "birthday"}, "minItems": 1}, "minItems": 3}"#,
        r#"{"type": "array", "items": {"enum": ["name", "birthday", null]}, "uniqueItems": true, "minItems": 2}"#,
        r#"{"type": "array", "items": {"enum": ["name", 1]}, "contains": {"const": 1}}"#,
        r#"{"type": "object", "properties": {"a": {"type": "null"}, "na": {"type": "array", "minItems": 9, "items": {"const": "birthdaybirthday"}}}, "additionalProperties": false}"#,
        r#"{"type": "object", "properties": {"a": {"type": "null"}, "na": {"type": "array", "minItems": 9, "items": {"const": "birthdaybirthday"}}}, "additionalProperties": false, "dependentRequired": {"a": ["na"]}}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"name": {"const": "a"}, "birthday": {}}, "required": ["name", "birthday"]}, {"type": "object", "properties": {"name": {"const": "b"}, "a": {"type": "string"}}, "required": ["name", "a"]}, {"type": "array", "items": {"type": "boolean"}, "minItems": 2}]}"#,
        r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"name": {"$ref": "#/$defs/t"}, "birthday": {"type": "integer"}}, "required": ["birthday"]}}}"##,
        "true",
        r#"{"type": "object", "properties": {"a": {"type": "object", "properties": {"name": {"const": "birthdaybirthday"}, "na": {"type": "array", "items": {"type": "array", "items": {"enum": ["name", 1, "birthdaybirthdaybirthday"]}, "minItems": 1}}}}, "birthday": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "minLength": 9}}}}}, "additionalProperties": {"type": ["null", "array"]}}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"name": {"const": "a"}, "na": {"type": "array", "minItems": 60, "items": {"const": 1}}}, "required": ["name", "na"], "additionalProperties": false}, {"type": "object", "properties": {"name": {"const": "a"}, "birthday": {"const": 1}}, "required": ["name"], "additionalProperties": false}]}"#,
        r#"{"type": "object", "properties": {"a": {"enum": ["birth", 1]}}, "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": {"enum": ["a", 1]}, "propertyNames": {"pattern": "^(a|[xyz]{40,90})$"}}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"name": {"type": "boolean"}}, "required": ["name"], "additionalProperties": false}, {"type": "object", "properties": {"name": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"na": {"type": "array", "minItems": 50, "items": {"const": 1}}}, "required": ["na"], "additionalProperties": false}]}, "a": {"type": "array", "minItems": 50, "items": {"const": 1}}}, "required": ["name", "a"], "additionalProperties": false}]}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"name": {"type": "integer"}}, "required": ["name"], "additionalProperties": false}, {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(x|yz{40})$"}, "a": {"type": "array", "minItems": 20, "items": {"const": 1}}}, "required": ["name", "a"], "additionalProperties": false}]}"#,
        r#"{"type": "array", "uniqueItems": true, "items": {"anyOf": [{"type": "integer"}, {"enum": ["name", "birthday"]}]}, "minItems": 1}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"name": {"const": "a"}, "birthday": {"type": "object", "properties": {"na": {"type": "array", "minItems": 3}}}}, "required": ["name"], "minProperties": 1}, {"type": "array", "contains": {"const": 1}, "items": {"type": ["integer", "array"]}}]}"#,
    ];
    for schema in schemas {
        for order in [Order::Schema, Order::Model] {
            for whitespace in ["compact", "flexible", "pretty"] {
                let whitespace = whitespace.to_owned();
                let options = Options { order, whitespace, ..Options::default() };
                falls(&json_schema(schema, &options).unwrap(), &format!("{schema} {options:?}"), 12);
            }
        }
    }
}

/// The same of texts in which no bracket shows that a part begins.
#[test]
fn some_token_of_a_composition_makes_the_cost_fall() {
    let limits = Limits::default();
    let text = |text: &str| literal(text, &limits).unwrap();
    let pattern = |pattern: &str| regex(pattern, &limits).unwrap();
    let all = |parts: &[&Language]| parts[1..].iter().fold(parts[0].clone(), |all, part| all.then(part).unwrap());
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string"}, "birthday": {"type": "array", "items": {"enum": ["name", 1]}}}, "required": ["name"]}"#;
    let json = json_schema(schema, &Options::default()).unwrap();
    let (open, long) = (text("birth[{:\"a"), text("birthday, name: birthdaybirthday"));
    let choice = long.or(&text("a")).unwrap().or(&json).unwrap();
    let line = all(&[&pattern("[a-d]{1,3}|name{20}"), &text(","), &choice]);
    let compositions = [
        all(&[&open, &json, &text("\"]},birthday")]),
        all(&[&choice, &json, &choice]),
        line.repeat(0, u32::MAX).unwrap(),
        all(&[&line.repeat(1, 3).unwrap(), &json, &text("day")]).repeat(2, 9).unwrap(),
        all(&[&pattern("a*"), &json.or(&text("")).unwrap(), &pattern("(na|me)*")]).repeat(1, 4).unwrap(),
        all(&[&text("na"), &all(&[&text("day"), &line]).repeat(0, 2).unwrap().repeat(3, 3).unwrap()]),
        all(&[&long, &json]).or(&all(&[&text("a"), &line])).unwrap(),
    ];
    for (index, language) in compositions.iter().enumerate() {
        assert!(language.compiled().unwrap().rises().is_some(), "composition {index}");
        falls(language, &format!("composition {index}"), 60);
    }
}
