//! Conditions on the members of an object taken together, against a naive judge: all small objects, for random schemas of
//! which no alternatives are multiplied out.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{allowed, tables_of, thread_time};
use formwright::syntax::json_schema::{Options, Order, json_schema};
use formwright::{Constraint, Kind, Limits};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// What a member may be in the objects that are tried: absent, or one of these.
const VALUES: [&str; 3] = ["0", "1", "\"x\""];

/// An object: by name, the index of its value.
type Object = [Option<usize>; NAMES.len()];

/// A condition on an object.
#[derive(Clone, Debug)]
enum Schema {
    Has(usize),
    /// If the member is there, its value is one of these, a bit each.
    Value(usize, u8),
    /// All members but these have values out of a set.
    Others(u8, u8),
    AtLeast(u32),
    AtMost(u32),
    Not(Box<Schema>),
    All(Vec<Schema>),
    Any(Vec<Schema>),
    One(Vec<Schema>),
    If(Box<Schema>, Box<Schema>, Box<Schema>),
}

impl Schema {
    /// Whether an object is valid.
    fn holds(&self, object: &Object) -> bool {
        let count = object.iter().flatten().count() as u32;
        match self {
            Self::Has(name) => object[*name].is_some(),
            Self::Value(name, set) => object[*name].is_none_or(|value| set >> value & 1 == 1),
            Self::Others(without, set) => (0..NAMES.len())
                .filter(|name| without >> name & 1 == 0)
                .all(|name| object[name].is_none_or(|value| set >> value & 1 == 1)),
            Self::AtLeast(low) => count >= *low,
            Self::AtMost(high) => count <= *high,
            Self::Not(inner) => !inner.holds(object),
            Self::All(parts) => parts.iter().all(|part| part.holds(object)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(object)),
            Self::One(parts) => parts.iter().filter(|part| part.holds(object)).count() == 1,
            Self::If(condition, then, otherwise) => {
                if condition.holds(object) {
                    then.holds(object)
                } else {
                    otherwise.holds(object)
                }
            }
        }
    }

    /// As JSON Schema.
    fn text(&self) -> String {
        let several = |parts: &[Self]| parts.iter().map(Self::text).collect::<Vec<_>>().join(",");
        match self {
            Self::Has(name) => format!(r#"{{"required":["{}"]}}"#, NAMES[*name]),
            Self::Value(name, set) => format!(r#"{{"properties":{{"{}":{}}}}}"#, NAMES[*name], values(*set)),
            Self::Others(without, set) => {
                let named = (0..NAMES.len()).filter(|name| without >> name & 1 == 1);
                let named: Vec<_> = named.map(|name| format!(r#""{}":true"#, NAMES[name])).collect();
                format!(r#"{{"properties":{{{}}},"additionalProperties":{}}}"#, named.join(","), values(*set))
            }
            Self::AtLeast(low) => format!(r#"{{"minProperties":{low}}}"#),
            Self::AtMost(high) => format!(r#"{{"maxProperties":{high}}}"#),
            Self::Not(inner) => format!(r#"{{"not":{}}}"#, inner.text()),
            Self::All(parts) => format!(r#"{{"allOf":[{}]}}"#, several(parts)),
            Self::Any(parts) => format!(r#"{{"anyOf":[{}]}}"#, several(parts)),
            Self::One(parts) => format!(r#"{{"oneOf":[{}]}}"#, several(parts)),
            Self::If(condition, then, otherwise) => {
                format!(r#"{{"if":{},"then":{},"else":{}}}"#, condition.text(), then.text(), otherwise.text())
            }
        }
    }
}

/// The schema of a set of values; of all of them it is no condition at all.
fn values(set: u8) -> String {
    let some: Vec<&str> = (0..VALUES.len()).filter(|value| set >> value & 1 == 1).map(|value| VALUES[value]).collect();
    match some.len() {
        0 => "false".to_owned(),
        1 => format!(r#"{{"const":{}}}"#, some[0]),
        2 if set & 4 == 0 => r#"{"type":"integer"}"#.to_owned(),
        3 => "true".to_owned(),
        _ => format!(r#"{{"enum":[{}]}}"#, some.join(",")),
    }
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn schema(&mut self, depth: u32) -> Schema {
        let name = self.below(NAMES.len() as u64) as usize;
        let some = |random: &mut Self| {
            let count = 2 + random.below(3);
            (0..count).map(|_| random.schema(depth - 1)).collect()
        };
        match self.below(if depth == 0 { 6 } else { 12 }) {
            0 | 1 => Schema::Has(name),
            2 | 3 => Schema::Value(name, self.below(7) as u8),
            4 => Schema::Others(self.below(16) as u8, self.below(7) as u8),
            5 if self.below(2) == 0 => Schema::AtLeast(1 + self.below(4) as u32),
            5 => Schema::AtMost(self.below(4) as u32),
            6 | 7 => Schema::Not(Box::new(self.schema(depth - 1))),
            8 => Schema::All(some(self)),
            9 => Schema::Any(some(self)),
            10 => Schema::One(some(self)),
            _ => {
                let [condition, then, otherwise] = [(); 3].map(|()| Box::new(self.schema(depth - 1)));
                Schema::If(condition, then, otherwise)
            }
        }
    }
}

/// All objects.
fn objects() -> Vec<Object> {
    let choices = VALUES.len() + 1;
    let object = |number: usize| {
        let mut number = number;
        std::array::from_fn(|_| {
            let value = number % choices;
            number /= choices;
            value.checked_sub(1)
        })
    };
    (0..choices.pow(NAMES.len() as u32)).map(object).collect()
}

/// The members of an object in some order.
fn written(object: &Object, order: &[usize]) -> String {
    let mut text = String::new();
    for &name in order {
        if let Some(value) = object[name] {
            write!(text, r#"{}"{}":{}"#, if text.is_empty() { "" } else { "," }, NAMES[name], VALUES[value]).unwrap();
        }
    }
    format!("{{{text}}}")
}

/// All orders of the names.
fn orders() -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for name in 0..NAMES.len() {
        let with = |order: &Vec<usize>| {
            (0..=order.len()).map(|at| [&order[..at], &[name], &order[at..]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// Compares the language of a schema with the judge; false if it was refused as too hard.
fn compare(schema: &Schema, limits: &Limits, order: Order) -> bool {
    let text = format!(r#"{{"type":"object","allOf":[{}]}}"#, schema.text());
    let options = Options { order, limits: limits.clone(), ..Options::default() };
    let language = match json_schema(&text, &options) {
        Ok(language) => Some(language),
        Err(error) if matches!(*error.kind, Kind::Unsatisfiable { .. }) => None,
        Err(error) if matches!(*error.kind, Kind::Limit { .. }) => return false,
        Err(error) => panic!("{text}: {error}"),
    };
    let orders = orders();
    for object in objects() {
        let mut accepted = orders
            .iter()
            .map(|order| written(&object, order))
            .map(|text| language.as_ref().is_some_and(|language| language.check(text.as_bytes()).unwrap().1));
        let holds = schema.holds(&object);
        let agrees = match order {
            Order::Model => accepted.all(|accepted| accepted == holds),
            Order::Schema if holds => accepted.any(|accepted| accepted), // in one order
            Order::Schema => !accepted.any(|accepted| accepted),
        };
        assert!(agrees, "{text} {order:?}: {} should be {holds}", written(&object, &orders[0]));
    }
    true
}

#[test]
fn objects_meet_their_conditions() {
    let limits = Limits { alternatives: 1, ..Limits::default() };
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut refused = 0;
    for round in 0..150 {
        let schema = random.schema(1 + round % 3);
        for order in [Order::Model, Order::Schema] {
            refused += u32::from(!compare(&schema, &limits, order));
        }
    }
    assert!(refused < 15, "{refused} schemas were refused");
}

/// A value that meets four conditions can be read as one that meets any of them: sixteen ways, and sixteen more with every
/// member, of which all but one are dropped.
#[test]
fn the_ways_to_read_values_do_not_multiply() {
    let members = 6;
    let conditions = [r#""minLength":1"#, r#""maxLength":5"#, r#""pattern":"x""#, r#""pattern":"y$""#];
    let has = |member: usize, condition: usize| {
        let name = format!("n{}", member % members);
        format!(r#"{{"required":["{name}"],"properties":{{"{name}":{{{}}}}}}}"#, conditions[condition % 4])
    };
    let either = |at: usize| format!(r#"{{"anyOf":[{},{}]}}"#, has(at / 4, at), has(at / 4 + 1, at + 1));
    let parts: Vec<String> = (0..4 * members).map(either).collect();
    let text = format!(r#"{{"type":"object","allOf":[{}]}}"#, parts.join(","));
    let options = Options { order: Order::Model, ..Options::default() };
    let language = Arc::new(json_schema(&text, &options).unwrap());
    let tables = tables_of(Vec::<&str>::new(), Limits::default());
    let mut matcher = Constraint::new(&language, &tables).unwrap().matcher();
    let begun = thread_time();
    let written: Vec<String> = (0..members).map(|member| format!(r#""n{member}":"xy""#)).collect();
    for byte in format!("{{{}}}", written.join(",")).bytes() {
        assert!(!allowed(&mut matcher, None, 257).is_empty());
        matcher.accept_token(u32::from(byte) + 1).unwrap();
    }
    assert!(thread_time().saturating_sub(begun) < Duration::from_secs(2));
}
