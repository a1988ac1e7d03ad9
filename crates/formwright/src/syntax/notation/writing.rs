//! Writing: a value as a text of a form.
//!
//! The parts are followed as a text would be read, with the value beside them: a name takes a member, a scalar takes
//! what comes next. Where there is a choice, the first part that leads to the end is taken, which is why writers put the
//! usual spelling first.
//!
//! Cost: linear in the value where the first choices are right, as those of notations are; else at most so many steps.

use std::rc::Rc;

use super::{Container, Notated, Part, PartId, Spelling};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::syntax::json_schema::value::{Map, Value};

/// Steps of writing a value at most.
const MOST_STEPS: usize = 10_000_000;

/// A list whose beginning is shared.
struct Link<T> {
    value: T,
    below: List<T>,
}

type List<T> = Option<Rc<Link<T>>>;

fn push<T>(list: &List<T>, value: T) -> List<T> {
    Some(Rc::new(Link { value, below: list.clone() }))
}

/// What is left to write.
#[derive(Clone, Copy)]
enum Task {
    Part(PartId),
    /// Parts of a sequence, from an index on.
    Parts(PartId, usize),
    /// Rounds of a repetition, after so many.
    Rounds(PartId, u32),
}

/// Where in the value the writer is.
#[derive(Clone, Copy)]
enum Place<'t> {
    /// At a value that comes next.
    Value(&'t Value<'t>),
    /// In an object, of which so many members are written.
    Object(&'t Map<'t>, usize),
    /// In an array, of which so many items are written.
    Array(&'t [Value<'t>], usize),
}

/// How far one way has come.
struct Point<'t> {
    tasks: List<Task>,
    places: List<Place<'t>>,
    length: usize,
}

impl Notated {
    /// The text of a value; `None` if the form has none that says it. `writes_json` writes JSON inside a
    /// text as it is.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where too many choices have to be tried.
    pub(crate) fn write<'t>(&self, value: &'t Value<'t>, writes_json: &dyn Fn(&Value<'_>) -> String) -> Result<Option<String>> {
        let (mut text, mut steps) = (String::new(), 0);
        let start = Point { tasks: push(&None, Task::Part(self.parts.root)), places: push(&None, Place::Value(value)), length: 0 };
        let mut open = vec![start];
        while let Some(mut point) = open.pop() {
            text.truncate(point.length);
            loop {
                steps += 1;
                count(1);
                if steps > MOST_STEPS {
                    return Err(Error::limit("steps of writing a value", steps, MOST_STEPS));
                }
                let Some(link) = point.tasks.take() else {
                    if point.places.is_none() {
                        return Ok(Some(text));
                    }
                    break;
                };
                point.tasks.clone_from(&link.below);
                if !self.take(link.value, &mut point, &mut text, &mut open, writes_json) {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Does one task; whether it could be done.
    fn take<'t>(
        &self,
        task: Task,
        point: &mut Point<'t>,
        text: &mut String,
        open: &mut Vec<Point<'t>>,
        writes_json: &dyn Fn(&Value<'_>) -> String,
    ) -> bool {
        match task {
            Task::Part(part) => return self.take_part(part, point, text, open, writes_json),
            Task::Parts(sequence, at) => {
                let Part::Sequence(parts) = self.parts.part(sequence) else { return false };
                if at + 1 < parts.len() {
                    point.tasks = push(&point.tasks, Task::Parts(sequence, at + 1));
                }
                if let Some(&part) = parts.get(at) {
                    point.tasks = push(&point.tasks, Task::Part(part));
                }
            }
            Task::Rounds(repeat, done) => {
                let Part::Repeat { body, low, high } = *self.parts.part(repeat) else { return false };
                let after = point.tasks.clone();
                if done >= low {
                    if done == high {
                        return true;
                    }
                    open.push(Point { tasks: after.clone(), places: point.places.clone(), length: text.len() });
                }
                let rounds = push(&after, Task::Rounds(repeat, done + 1));
                point.tasks = push(&rounds, Task::Part(body));
            }
        }
        true
    }

    fn take_part<'t>(
        &self,
        at: PartId,
        point: &mut Point<'t>,
        text: &mut String,
        open: &mut Vec<Point<'t>>,
        writes_json: &dyn Fn(&Value<'_>) -> String,
    ) -> bool {
        match self.parts.part(at) {
            Part::Nothing | Part::Blank(_) => return true,
            Part::Text(written) => text.push_str(written),
            Part::Sequence(_) => point.tasks = push(&point.tasks, Task::Parts(at, 0)),
            Part::Repeat { .. } => point.tasks = push(&point.tasks, Task::Rounds(at, 0)),
            Part::Choice(options) => {
                for &option in options.iter().skip(1).rev() {
                    let tasks = push(&point.tasks, Task::Part(option));
                    open.push(Point { tasks, places: point.places.clone(), length: text.len() });
                }
                let Some(&first) = options.first() else { return false };
                point.tasks = push(&point.tasks, Task::Part(first));
            }
            Part::Key(name) => return enter_member(point, name),
            Part::Open(container) => {
                let Some(value) = take_value(point) else { return false };
                let place = match (container, value) {
                    (Container::Object, Value::Object(map)) => Place::Object(map, 0),
                    (Container::Array, Value::Array(items)) => Place::Array(items, 0),
                    _ => return false,
                };
                point.places = push(&point.places, place);
            }
            Part::Close(_) => return close(point),
            Part::Constant { text: written, json } => {
                let Some(value) = take_value(point) else { return false };
                if scalar_text(value).as_deref() != Some(json) {
                    return false;
                }
                text.push_str(written);
            }
            Part::Scalar { spelling, .. } => {
                let Some(value) = take_value(point) else { return false };
                let accepts = |text: &str| self.automata[at as usize].as_ref().is_some_and(|one| one.accepts(text.as_bytes()));
                let written = match (spelling, value) {
                    (Spelling::Number, Value::Number(digits)) if accepts(digits) => (*digits).to_owned(),
                    (Spelling::Number, Value::Number(digits)) => with_fraction(digits),
                    (Spelling::Number, _) => return false,
                    (spelling, Value::String(string)) => spelling.encode(string),
                    _ => return false,
                };
                if let Value::String(string) = value
                    && spelling.decode(&written) != **string
                {
                    return false; // it would be read as another string
                }
                text.push_str(&written);
                return accepts(&written);
            }
            Part::Json(_) => {
                let Some(value) = take_value(point) else { return false };
                text.push_str(&writes_json(value));
            }
        }
        true
    }
}

/// A number whose exponent has a sign, and a fraction before it: `1.0e+77` for `1e77`.
pub fn with_fraction(digits: &str) -> String {
    let Some((significand, exponent)) = digits.split_once(['e', 'E']) else { return digits.to_owned() };
    let fraction = if significand.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    format!("{significand}{fraction}e{sign}{exponent}")
}

/// The JSON text of a scalar.
fn scalar_text(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(digits) => (*digits).to_owned(),
        Value::String(text) => serde_json::to_string(text).unwrap_or_default(),
        Value::Array(_) | Value::Object(_) => return None,
    })
}

/// Takes the value that comes next.
fn take_value<'t>(point: &mut Point<'t>) -> Option<&'t Value<'t>> {
    let link = point.places.take()?;
    match link.value {
        Place::Value(value) => {
            point.places.clone_from(&link.below);
            Some(value)
        }
        Place::Array(items, next) => {
            point.places = push(&link.below, Place::Array(items, next + 1));
            items.get(next)
        }
        Place::Object(..) => None,
    }
}

/// Goes to a member; whether there is one.
fn enter_member(point: &mut Point<'_>, name: &str) -> bool {
    let Some(link) = point.places.take() else { return false };
    let Place::Object(map, written) = link.value else { return false };
    let Some(value) = map.get(name) else { return false };
    point.places = push(&push(&link.below, Place::Object(map, written + 1)), Place::Value(value));
    true
}

/// Leaves a container; whether all of it is written.
fn close(point: &mut Point<'_>) -> bool {
    let Some(link) = point.places.take() else { return false };
    point.places.clone_from(&link.below);
    match link.value {
        Place::Object(map, written) => written == map.len(),
        Place::Array(items, next) => next == items.len(),
        Place::Value(_) => false,
    }
}
