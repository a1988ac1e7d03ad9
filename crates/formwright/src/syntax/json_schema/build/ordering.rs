//! Members in the order in which a schema declares them: what a text of the schema's own order needs.
//!
//! ```text
//! {"properties": {"a": {}, "b": {}}}     {"b": 1, "c": 2, "a": 3} ─► {"a": 3, "b": 1, "c": 2}
//! ```
//!
//! Of alternatives, the one is taken that declares most of the members; whether the value conforms to it is not looked
//! at. A number that a schema has only in another spelling comes in that one: `1e-05` as `0.00001`.
//!
//! Cost: a look at each declared name of each object of the value, and an automaton for each place of such numbers.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::objects::{Conditions, conditions_of, declared_names};
use crate::error::Result;
use crate::regular::{Automaton, Encoding, Regular};
use crate::syntax::json_schema::numerals::other_texts;
use crate::syntax::json_schema::read::SchemaReader;
use crate::syntax::json_schema::sets::{Condition, ObjectSet};
use crate::syntax::json_schema::value::{Map, Value};

/// Bytes of the stack below which it grows, and by how many.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// Writes a value as JSON, members in order of declaration, a space after each colon and comma if `spaced`.
pub fn write_in_order<'d>(
    reader: &mut SchemaReader<'d>,
    condition: Condition<'d>,
    value: &Value<'_>,
    spaced: bool,
) -> Result<String> {
    let mut text = String::new();
    Writer { reader, spaced, numbers: FxHashMap::default() }.write(Some(condition), value, &mut text)?;
    Ok(text)
}

/// Digits that most forms take: numbers that are longer, or have an exponent, are looked at.
const USUAL_DIGITS: usize = 15;

struct Writer<'r, 'd> {
    reader: &'r mut SchemaReader<'d>,
    spaced: bool,
    /// The numbers of conditions, as they are written.
    numbers: FxHashMap<Condition<'d>, Automaton>,
}

impl<'d> Writer<'_, 'd> {
    fn write(&mut self, condition: Option<Condition<'d>>, value: &Value<'_>, text: &mut String) -> Result<()> {
        match value {
            Value::Null => *text += "null",
            Value::Bool(yes) => *text += if *yes { "true" } else { "false" },
            Value::Number(digits) => *text += &self.number(condition, digits)?,
            Value::String(string) => *text += &quote(string),
            Value::Array(items) => {
                return stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.write_items(condition, items, text));
            }
            Value::Object(map) => {
                return stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.write_members(condition, map, text));
            }
        }
        Ok(())
    }

    /// A number in the first spelling that a condition has, or as it is.
    fn number(&mut self, condition: Option<Condition<'d>>, digits: &str) -> Result<String> {
        let is_unusual = digits.len() > USUAL_DIGITS || digits.contains(['e', 'E']);
        let Some(condition) = condition.filter(|_| is_unusual) else { return Ok(digits.to_owned()) };
        if !self.numbers.contains_key(condition) {
            let (set, options) = (self.reader.values(condition)?, self.reader.options);
            let trees = set.numbers.iter().filter_map(|numbers| numbers.tree(options.number_style()).ok());
            let automaton = Automaton::new(&Regular::or(trees), Encoding::Text, &options.limits)?;
            self.numbers.insert(condition, automaton);
        }
        let automaton = &self.numbers[condition];
        let spellings = std::iter::once(digits.to_owned()).chain(other_texts(digits));
        let mut written = spellings.filter(|text| automaton.accepts(text.as_bytes()));
        Ok(written.next().unwrap_or_else(|| digits.to_owned()))
    }

    fn write_items(&mut self, condition: Option<Condition<'d>>, items: &[Value<'_>], text: &mut String) -> Result<()> {
        let set = condition.map(|condition| self.reader.values(condition)).transpose()?;
        let array = set.as_ref().and_then(|set| set.arrays.first());
        text.push('[');
        for (at, item) in items.iter().enumerate() {
            self.separate(at, text);
            self.write(array.map(|array| array.item(at)), item, text)?;
        }
        text.push(']');
        Ok(())
    }

    fn write_members(&mut self, condition: Option<Condition<'d>>, map: &Map<'_>, text: &mut String) -> Result<()> {
        let set = condition.map(|condition| self.reader.values(condition)).transpose()?;
        let declared =
            |object: &&Rc<ObjectSet<'d>>| declared_names(object).iter().filter(|name| map.contains_key(name)).count();
        let object = set.as_ref().and_then(|set| {
            let fitting = set.objects.iter().filter(|object| object.required.iter().all(|name| map.contains_key(name)));
            fitting.rev().max_by_key(declared)
        });
        let names = object.map(|object| declared_names(object)).unwrap_or_default();
        let conditions = object.map_or_else(Conditions::new, |object| conditions_of(self.reader, object, &names));
        let place = |name: &str| names.place(name, 0);
        let mut order: Vec<(usize, &str, &Value<'_>)> =
            map.iter().map(|(name, value)| (place(name).unwrap_or(usize::MAX), name, value)).collect();
        order.sort_by_key(|(place, ..)| *place);
        text.push('{');
        for (at, (place, name, value)) in order.into_iter().enumerate() {
            self.separate(at, text);
            *text += &quote(name);
            *text += if self.spaced { ": " } else { ":" };
            self.write(conditions.get(place).copied(), value, text)?;
        }
        text.push('}');
        Ok(())
    }

    fn separate(&self, at: usize, text: &mut String) {
        if at > 0 {
            *text += if self.spaced { ", " } else { "," };
        }
    }
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
