//! Keywords that look at one type: `type`, `enum`, `const`, and those about numbers, strings, arrays and objects.
//!
//! ```text
//! {"minLength": 2, "properties": {"a": A}}     strings .{2,}; objects in which a is A; all other values
//! ```
//!
//! Each function reads the keywords of one type into that type's part of a set. Children become conditions, not sets.
//! Cost: a look-up for each keyword of the types that are mentioned. A format that leaves texts out makes the
//! set an under-approximation.

use std::rc::Rc;
use std::str::FromStr;

use crate::syntax::json_schema::value::{Map, Value};
use bigdecimal::{BigDecimal, One, Signed, ToPrimitive};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::place::{Keys, SchemaPlace};
use super::{SchemaReader, pieces};
use crate::error::{Error, Kind, Result};
use crate::language::UNBOUNDED;
use crate::regular::Regular;
use crate::syntax::json_schema::document::Dialect;
use crate::syntax::json_schema::doubles;
use crate::syntax::json_schema::format;
use crate::syntax::json_schema::keywords::About;
use crate::syntax::json_schema::number::{Bound, NumberSet};
use crate::syntax::json_schema::sets::{
    ArraySet, Atom, Condition, Contains, NEVER, NameSet, ObjectSet, Rule, StringSet, Union, ValueSet, is_never, lone,
};
use crate::syntax::{Mode, ecma_pattern};

/// Exponents of numbers in a schema beyond this are refused.
const FARTHEST: i64 = 400;

/// The largest number of characters, items or members that must come.
const MOST_LEAST: u32 = 1 << 26;

/// What the keywords of one type mean; if that is an under-approximation, also a superset of it.
struct Approximated<T> {
    set: T,
    superset: Option<Box<T>>,
}

/// Most texts that are compared with each other to find equal ones.
const FEW: usize = 12;

impl<T> From<T> for Approximated<T> {
    fn from(set: T) -> Self {
        Self { set, superset: None }
    }
}

impl<'d> SchemaReader<'d> {
    /// What all keywords of a schema mean that look at one type, and `type`, `const` and `enum`.
    pub(super) fn typed(&mut self, map: Keys<'d>, about: About, place: &SchemaPlace<'d>) -> Result<ValueSet<'d>> {
        let mut set = self.by_type(map, about, place)?;
        if let Some(value) = map.get("const") {
            let constant = self.constant(value, place)?;
            set = self.and(&set, &constant)?;
        }
        if let Some(value) = map.get("enum") {
            let Value::Array(options) = value else {
                return Err(Error::schema(&place.pointer.at("enum").text(), "enum must be an array"));
            };
            let union = self.constants(options, place)?;
            set = self.and(&set, &union)?;
        }
        Ok(set)
    }

    fn by_type(&mut self, map: Keys<'d>, about: About, place: &SchemaPlace<'d>) -> Result<ValueSet<'d>> {
        let types = map.get("type").map_or(Ok(Types::ALL), Types::of).map_err(|what| {
            Error::schema(&place.pointer.at("type").text(), what)
                .hint("types are null, boolean, integer, number, string, array, object")
        })?;
        let mut numbers = if about.has(About::NUMBERS) { numbers(map, place)? } else { NumberSet::default() };
        if types.has(Types::INTEGER) && !types.has(Types::NUMBER) {
            numbers.divide(BigDecimal::one());
        }
        let strings =
            if about.has(About::STRINGS) { self.strings(map, place)? } else { Approximated::from(StringSet::all()) };
        let array = if about.has(About::ARRAYS) { Some(self.arrays(map, place)?) } else { None };
        let objects =
            if about.has(About::OBJECTS) { self.objects(map, place)? } else { Approximated::from(ObjectSet::any()) };
        let mut set = ValueSet {
            null: types.has(Types::NULL),
            yes: types.has(Types::BOOLEAN),
            no: types.has(Types::BOOLEAN),
            strings: if types.has(Types::STRING) { strings.set } else { StringSet::none() },
            numbers: only_if(types.has(Types::NUMBER | Types::INTEGER) && !numbers.is_empty(), numbers),
            arrays: if types.has(Types::ARRAY) { possible(array.unwrap_or_else(ArraySet::any)) } else { Union::new() },
            objects: only_if(types.has(Types::OBJECT) && objects.set.is_possible(), objects.set),
            ..ValueSet::never()
        };
        let (texts, objects) = (strings.superset, objects.superset);
        if texts.is_some() || objects.is_some() {
            let mut superset = set.clone();
            if types.has(Types::STRING) {
                superset.strings = texts.map_or(superset.strings, |texts| *texts);
            }
            if types.has(Types::OBJECT) {
                superset.objects = objects.map_or(superset.objects, |object| lone(*object));
            }
            set.superset = (superset != set).then(|| Rc::new(superset));
        }
        Ok(set)
    }

    /// The set of the values of `enum`.
    fn constants(&mut self, options: &'d [Value<'d>], place: &SchemaPlace<'d>) -> Result<ValueSet<'d>> {
        let mut union = ValueSet::never();
        let mut texts = Vec::with_capacity(options.len());
        let mut numbers = IndexSet::with_hasher(FxBuildHasher);
        for option in options {
            match option {
                Value::String(text) => texts.push(*text),
                Value::Number(number) => {
                    let value = decimal(number, place)?;
                    numbers.insert((is_float(number, &value), value));
                }
                other => {
                    let constant = self.constant(other, place)?;
                    union = union.or(&constant, &mut self.formulas);
                }
            }
        }
        union.strings = StringSet::Finite(distinct(texts));
        union.numbers = numbers.iter().map(|(float, value)| Rc::new(NumberSet::point(value, *float))).collect();
        Ok(union)
    }

    /// The set of one constant.
    pub(super) fn constant(&mut self, value: &'d Value<'d>, place: &SchemaPlace<'d>) -> Result<ValueSet<'d>> {
        let mut set = ValueSet::never();
        match value {
            Value::Null => set.null = true,
            Value::Bool(true) => set.yes = true,
            Value::Bool(false) => set.no = true,
            Value::Number(number) => {
                let value = decimal(number, place)?;
                set.numbers = lone(NumberSet::point(&value, is_float(number, &value)));
            }
            Value::String(text) => set.strings = StringSet::Finite(vec![text]),
            Value::Array(items) => {
                let prefix = items.iter().map(|item| self.equals(item)).collect();
                let (low, high) = (items.len() as u32, items.len() as u32);
                set.arrays = lone(ArraySet { prefix, rest: NEVER, low, high, ..ArraySet::default() });
            }
            Value::Object(members) => {
                let names: Vec<&'d str> = members.keys().collect();
                let mut rules: Vec<Rule<'d>> = Vec::with_capacity(members.len() + 1);
                for (name, value) in members.iter() {
                    rules.push(Rule { names: NameSet::One(name), condition: self.equals(value) });
                }
                let others = NameSet::Except { names: self.arena.alloc_slice_copy(&names), patterns: Vec::new() };
                rules.push(Rule { names: others, condition: NEVER });
                let count = names.len() as u32;
                set.objects =
                    lone(ObjectSet { rules, required: names, low: count, high: count, ..ObjectSet::default() });
            }
        }
        Ok(set)
    }

    /// The condition of one constant.
    fn equals(&mut self, value: &'d Value<'d>) -> Condition<'d> {
        let id = self.constant_id(value);
        self.alone(Atom::Equals(id))
    }

    fn strings(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<Approximated<StringSet<'d>>> {
        let low = least(map, "minLength", place)?;
        let high = count(map, "maxLength", place)?;
        if high.is_some_and(|high| high < low) {
            return Ok(StringSet::none().into());
        }
        let mut parts = Vec::new();
        if low > 0 || high.is_some() {
            parts.push(Regular::length(low, high));
        }
        if let Some(value) = map.get("pattern") {
            parts.push(self.pattern(value, place, "pattern")?);
        }
        if let Some(value) = map.get(pieces::KEYWORD) {
            parts.push(self.one_of_text(value, place)?);
        }
        let format = map.get("format").map(|value| self.format(value, place)).transpose()?.flatten();
        let Some(Approximated { set, superset }) = format else {
            return Ok(StringSet::of(Regular::and(parts)).into());
        };
        let with = |format: StringSet| StringSet::of(Regular::and(parts.iter().cloned().chain([format.tree()])));
        Ok(Approximated { set: with(set), superset: superset.map(|superset| Box::new(with(*superset))) })
    }

    fn pattern(&mut self, value: &Value<'_>, place: &SchemaPlace<'d>, key: &str) -> Result<Regular> {
        let text = value.as_str().ok_or_else(|| {
            Error::schema(&place.pointer.at(key.to_owned()).text(), format!("{key} must be a string"))
        })?;
        self.search(text, &place.pointer.at(key.to_owned()).text())
    }

    fn search(&mut self, source: &str, pointer: &str) -> Result<Regular> {
        ecma_pattern(source, Mode::Search, self.limits()).map_err(|error| {
            if matches!(*error.kind, crate::Kind::Limit { .. }) {
                return Error { message: format!("schema at {pointer}: {}", error.message), ..error };
            }
            let what = format!("pattern {source:?}: {}", error.message);
            match *error.kind {
                crate::Kind::UnsupportedRegex { .. } => Error { hint: error.hint, ..Error::unsupported(pointer, what) },
                _ => Error::schema(pointer, what).hint("patterns are ECMA-262 regular expressions"),
            }
        })
    }

    fn format(&mut self, value: &Value<'_>, place: &SchemaPlace<'d>) -> Result<Option<Approximated<StringSet<'d>>>> {
        let name = value
            .as_str()
            .ok_or_else(|| Error::schema(&place.pointer.at("format").text(), "format must be a string"))?;
        if let Some(source) = self.options.formats.get(name) {
            let tree = crate::syntax::regex::parse(source, self.limits())?;
            if tree == Regular::Never {
                return Err(Error::unmatched_regex(source));
            }
            return Ok(Some(Approximated { set: StringSet::of(tree), superset: self.unasserted() }));
        }
        if !self.options.assert_formats {
            self.note(place, "format", "annotation", "formats are not asserted");
            return Ok(None);
        }
        if let Some(format) = format::find(name) {
            if !format.left_out.is_empty() {
                self.note(place, "format", "narrowed", format.left_out);
            }
            let left_out = || format::over_approximation(format).map(|tree| Box::new(StringSet::of(tree)));
            let superset = if self.options.exact_formats { None } else { self.unasserted().or_else(left_out) };
            Ok(Some(Approximated { set: StringSet::of(format::tree(format)), superset }))
        } else {
            self.note(place, "format", "annotation", "unknown format");
            Ok(None)
        }
    }

    /// What a format means to readers who take it as an annotation: any string. Only a complement asks for it.
    fn unasserted(&self) -> Option<Box<StringSet<'d>>> {
        (self.documents.complements && !self.options.exact_formats).then(|| Box::new(StringSet::all()))
    }

    fn arrays(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<ArraySet<'d>> {
        let mut array = ArraySet::any();
        array.low = least(map, "minItems", place)?;
        array.high = count(map, "maxItems", place)?.unwrap_or(UNBOUNDED);
        self.items(map, place, &mut array)?;
        if let Some(first) = (0..=array.prefix.len()).find(|&index| is_never(array.item(index))) {
            array.high = array.high.min(first as u32);
        }
        if let Some(value) = map.get("contains") {
            let condition = self.child(place, value, || place.pointer.at("contains"));
            let low = count(map, "minContains", place)?.unwrap_or(1);
            let high = count(map, "maxContains", place)?.unwrap_or(UNBOUNDED);
            if self.dialect(place) == Dialect::Draft2020 {
                array.evaluated_if.push(condition);
            }
            array.low = array.low.max(low);
            array.contains.push(Contains { condition, from: 0, low, high });
        }
        array.unique = map.get("uniqueItems") == Some(&Value::Bool(true));
        Ok(array)
    }

    /// The conditions on items by position. In drafts before 2020-12, an array of schemas in `items` is what
    /// `prefixItems` is now.
    fn items(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>, array: &mut ArraySet<'d>) -> Result<()> {
        let is_old = map.get("items").is_some_and(Value::is_array);
        let (prefix_key, rest_key) = if is_old { ("items", "additionalItems") } else { ("prefixItems", "items") };
        if let Some(prefix) = map.get(prefix_key) {
            let Value::Array(prefix) = prefix else {
                return Err(Error::schema(
                    &place.pointer.at(prefix_key).text(),
                    "prefixItems must be an array of schemas",
                ));
            };
            let at = place.pointer.at(prefix_key);
            array.prefix = prefix
                .iter()
                .enumerate()
                .map(|(index, value)| self.child(place, value, || at.at(index.to_string())))
                .collect();
            array.evaluated = array.prefix.len() as u32;
        }
        if let Some(rest) = map.get(rest_key) {
            array.rest = self.child(place, rest, || place.pointer.at(rest_key));
            array.evaluated = UNBOUNDED;
        }
        Ok(())
    }

    fn objects(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>) -> Result<Approximated<ObjectSet<'d>>> {
        let mut object = ObjectSet::any();
        object.required = names(map, "required", place)?;
        object.low = least(map, "minProperties", place)?.max(object.required.len() as u32);
        object.high = count(map, "maxProperties", place)?.unwrap_or(UNBOUNDED);
        self.member_rules(map, place, &mut object)?;
        dependent_names(map, place, &mut object)?;
        let Some(value) = map.get("propertyNames") else {
            return Ok(object.into());
        };
        let condition = self.child(place, value, || place.pointer.at("propertyNames"));
        let names = self.values(condition).map_err(|error| match *error.kind {
            Kind::Unsatisfiable { .. } => Error::unsupported(
                &place.pointer.at("propertyNames").text(),
                "propertyNames refers to the schema that contains it",
            )
            .hint("let it refer to a definition that says what names are"),
            _ => error,
        })?;
        let with = |names: &StringSet<'d>| {
            let only = if *names == StringSet::all() { Vec::new() } else { vec![names.clone()] };
            ObjectSet { names: only, ..object.clone() }
        };
        let superset = names.is_under_approximation().then(|| Box::new(with(&names.over_approximation().strings)));
        Ok(Approximated { set: with(&names.strings), superset })
    }

    /// The conditions on members by name: `properties`, `patternProperties`, `additionalProperties`.
    fn member_rules(&mut self, map: Keys<'d>, place: &SchemaPlace<'d>, object: &mut ObjectSet<'d>) -> Result<()> {
        let at = place.pointer.at("properties");
        let properties = schemas(map, "properties", place)?;
        let further = map.get("patternProperties").and_then(Value::as_object).map_or(1, |patterns| patterns.len() + 1);
        object.rules.reserve_exact(properties.len() + further);
        for (name, value) in properties {
            let condition = self.child(place, value, || at.at(name));
            object.rules.push(Rule { names: NameSet::One(name), condition });
        }
        let mut patterns: Vec<Regular> = Vec::new();
        for (source, value) in schemas(map, "patternProperties", place)? {
            let tree = self.search(source, &place.pointer.at("patternProperties").at(source).text())?;
            let condition = self.child(place, value, || place.pointer.at("patternProperties").at(source));
            patterns.push(tree.clone());
            object.rules.push(Rule { names: NameSet::In(tree), condition });
        }
        if self.unevaluated {
            object.evaluated = object.rules.iter().map(|rule| rule.names.clone()).collect();
        }
        if let Some(value) = map.get("additionalProperties") {
            let condition = self.child(place, value, || place.pointer.at("additionalProperties"));
            let declared = schemas(map, "properties", place)?.map(|(name, _)| name);
            let names = NameSet::Except { names: self.arena.alloc_slice_fill_iter(declared), patterns };
            if self.unevaluated {
                object.evaluated.push(names.clone());
            }
            object.rules.push(Rule { names, condition });
        }
        Ok(())
    }
}

fn dependent_names<'d>(map: Keys<'d>, place: &SchemaPlace<'_>, object: &mut ObjectSet<'d>) -> Result<()> {
    for key in ["dependentRequired", "dependencies"] {
        for (name, value) in schemas(map, key, place)? {
            let Value::Array(others) = value else { continue };
            for other in *others {
                let other = other
                    .as_str()
                    .ok_or_else(|| Error::schema(&place.pointer.at(key).text(), format!("{key} wants names")))?;
                object.implied.push((name, other));
            }
        }
    }
    Ok(())
}

pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// An exact decimal; refuses exponents that would need enormous digits.
fn decimal(text: &str, place: &SchemaPlace<'_>) -> Result<BigDecimal> {
    let value = BigDecimal::from_str(text).ok().filter(|value| {
        let (_, scale) = value.as_bigint_and_exponent();
        (-FARTHEST..=FARTHEST).contains(&scale)
    });
    value.ok_or_else(|| {
        Error::unsupported(&place.pointer.text(), format!("the number {text} is too large or too small to be exact"))
    })
}

fn number(map: Keys<'_>, key: &str, place: &SchemaPlace<'_>) -> Result<Option<BigDecimal>> {
    match map.get(key) {
        None => Ok(None),
        Some(Value::Number(number)) => {
            decimal(number, &SchemaPlace { pointer: place.pointer.at(key.to_owned()), ..place.clone() }).map(Some)
        }
        Some(other) => Err(Error::schema(
            &place.pointer.at(key.to_owned()).text(),
            format!("{key} must be a number, not {}", kind(other)),
        )),
    }
}

/// Whether a number is written so that Python reads a double, and that matters.
fn is_float(text: &str, value: &BigDecimal) -> bool {
    text.contains(['.', 'e', 'E']) && doubles::is_rounded(value)
}

fn bound(map: Keys<'_>, key: &str, exclusive: bool, place: &SchemaPlace<'_>) -> Result<Option<Bound>> {
    let text = if let Some(Value::Number(text)) = map.get(key) { text } else { "" };
    let bound = |value| Bound { float: is_float(text, &value), ..Bound::new(value, exclusive) };
    Ok(number(map, key, place)?.map(bound))
}

fn count(map: Keys<'_>, key: &str, place: &SchemaPlace<'_>) -> Result<Option<u32>> {
    if let Some(Value::Number(number)) = map.get(key)
        && let Ok(number) = number.parse::<u32>()
    {
        return Ok(Some(number.min(UNBOUNDED - 1)));
    }
    let Some(value) = number(map, key, place)? else { return Ok(None) };
    if value.is_negative() || !value.is_integer() {
        return Err(Error::schema(
            &place.pointer.at(key.to_owned()).text(),
            format!("{key} must be a non-negative integer"),
        ));
    }
    Ok(Some(value.to_u32().unwrap_or(UNBOUNDED - 1).min(UNBOUNDED - 1)))
}

/// A least number of characters, items or members, which must be such that the bytes of a text can be counted.
fn least(map: Keys<'_>, key: &str, place: &SchemaPlace<'_>) -> Result<u32> {
    let least = count(map, key, place)?.unwrap_or(0);
    if least > MOST_LEAST {
        let pointer = place.pointer.at(key.to_owned()).text();
        return Err(Error::limit("bytes of the shortest text", least as usize, MOST_LEAST as usize)
            .hint(format!("lower the number at {pointer}")));
    }
    Ok(least)
}

fn names<'d>(map: Keys<'d>, key: &str, place: &SchemaPlace<'_>) -> Result<Vec<&'d str>> {
    let wrong = || Error::schema(&place.pointer.at(key.to_owned()).text(), format!("{key} must be an array of names"));
    match map.get(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            let names = items.iter().map(|item| item.as_str().ok_or_else(wrong));
            names.collect::<Result<_>>().map(distinct)
        }
        Some(_) => Err(wrong()),
    }
}

/// Each text once, where it came first.
fn distinct(texts: Vec<&str>) -> Vec<&str> {
    let twice = |(at, text): (usize, &&str)| texts[..at].contains(text);
    if texts.len() <= FEW && !texts.iter().enumerate().any(twice) {
        return texts; // a set would cost more than all comparisons
    }
    IndexSet::<_, FxBuildHasher>::from_iter(texts).into_iter().collect()
}

pub(super) fn schemas<'d>(
    map: Keys<'d>,
    key: &str,
    place: &SchemaPlace<'_>,
) -> Result<impl ExactSizeIterator<Item = (&'d str, &'d Value<'d>)> + use<'d>> {
    match map.get(key) {
        None => Ok(Map::EMPTY.iter()),
        Some(Value::Object(schemas)) => Ok(schemas.iter()),
        Some(other) => {
            let what = format!("{key} must be an object, not {}", kind(other));
            Err(Error::schema(&place.pointer.at(key.to_owned()).text(), what))
        }
    }
}

fn numbers(map: Keys<'_>, place: &SchemaPlace<'_>) -> Result<NumberSet> {
    let mut set = NumberSet::default();
    let sides = [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)];
    for (plain, exclusive, low) in sides {
        let strict = map.get(exclusive) == Some(&Value::Bool(true));
        let mut bounds = Vec::new();
        bounds.extend(bound(map, plain, strict, place)?);
        if !matches!(map.get(exclusive), Some(Value::Bool(_))) {
            bounds.extend(bound(map, exclusive, true, place)?);
        }
        for bound in bounds {
            let side = if low {
                NumberSet { low: Some(bound), ..NumberSet::default() }
            } else {
                NumberSet { high: Some(bound), ..NumberSet::default() }
            };
            // Intersect without dropping emptiness: the caller checks.
            set = set.and(&side).unwrap_or(NumberSet {
                low: Some(Bound::new(1.into(), false)),
                high: Some(Bound::new(0.into(), false)),
                ..NumberSet::default()
            });
        }
    }
    if let Some(divisor) = number(map, "multipleOf", place)? {
        if !divisor.is_positive() {
            return Err(Error::schema(&place.pointer.at("multipleOf").text(), "multipleOf must be greater than 0"));
        }
        set.divide(divisor.normalized());
    }
    Ok(set)
}

/// A set of the names of `type`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Types(u8);

impl Types {
    const NULL: u8 = 1;
    const BOOLEAN: u8 = 1 << 1;
    const INTEGER: u8 = 1 << 2;
    const NUMBER: u8 = 1 << 3;
    const STRING: u8 = 1 << 4;
    const ARRAY: u8 = 1 << 5;
    const OBJECT: u8 = 1 << 6;
    const ALL: Self = Self(u8::MAX);

    fn has(self, any: u8) -> bool {
        self.0 & any != 0
    }

    /// The types that a value of `type` names; what is wrong with it otherwise.
    pub fn of(value: &Value<'_>) -> std::result::Result<Self, String> {
        let list = if let Value::Array(items) = value { items } else { std::slice::from_ref(value) };
        let mut types = Self(0);
        for item in list {
            let name = item.as_str().ok_or_else(|| "type must be a name or an array of names".to_owned())?;
            types.0 |= Self::named(name).ok_or_else(|| format!("unknown type {name:?}"))?;
        }
        Ok(types)
    }

    fn named(name: &str) -> Option<u8> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }
}

fn possible(array: ArraySet<'_>) -> Union<ArraySet<'_>> {
    only_if(array.low <= array.high, array)
}

fn only_if<T>(there: bool, one: T) -> Union<T> {
    if there { lone(one) } else { Union::new() }
}
