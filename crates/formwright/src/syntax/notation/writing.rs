//! Writing: a value as a text of a form.
//!
//! The parts are followed as a text would be read, with the value beside them: a name takes a member, a scalar takes
//! what comes next. Where there is a choice, the first part that leads to the end is taken, which is why writers put the
//! usual spelling first.
//!
//! Cost: linear in the value where the first choices are right, as those of notations mostly are. What is left to write of
//! what is left of the value is tried once, however many choices lead there. So is an object or array as a part that is
//! the whole of a value: its text, or that it has none, is kept.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Container, Notated, Part, PartId, Spelling, has_name};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::UNBOUNDED;
use crate::syntax::json_schema::value::{Map, Value};

/// Steps of writing a value at most.
const MOST_STEPS: usize = 10_000_000;

/// What is left to write.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Task {
    Part(PartId),
    /// Parts of a sequence, from an index on.
    Parts(PartId, usize),
    /// Rounds of a repetition, after so many.
    Rounds(PartId, u32),
    /// Nothing: the value that was begun last ends here, which a part is the whole of.
    End(PartId),
}

/// A part that is the whole of a value, and what tells that value from others.
type ValueKey = (PartId, usize);

/// Where in the value the writer is.
#[derive(Clone, Copy)]
enum Place<'t> {
    /// At a value that comes next.
    Value(&'t Value<'t>),
    /// In an object, of which so many members are written; those before an index that are not declared are.
    Object(&'t Map<'t>, usize, usize),
    /// In an array, of which so many items are written.
    Array(&'t [Value<'t>], usize),
}

/// What tells a place from other places of the same value.
type PlaceKey = (u8, usize, usize, usize);

impl Place<'_> {
    /// What tells it from other places of the same value.
    fn key(&self) -> PlaceKey {
        match self {
            Self::Value(value) => (0, std::ptr::from_ref(*value) as usize, 0, 0),
            Self::Object(map, written, next) => (1, std::ptr::from_ref(*map) as usize, *written, *next),
            // An array without items may be where another one begins.
            Self::Array(items, next) => (2, items.as_ptr() as usize, *next, items.len()),
        }
    }
}

/// The number of a stack; 0 is the empty one.
type StackId = u32;

/// Stacks by their number: equal ones have the same.
struct Stacks<T, K> {
    links: Vec<(T, StackId)>,
    known: FxHashMap<(K, StackId), StackId>,
}

impl<T: Copy, K: Eq + Hash> Stacks<T, K> {
    fn new() -> Self {
        Self { links: Vec::new(), known: FxHashMap::default() }
    }

    fn push(&mut self, below: StackId, value: T, key: K) -> StackId {
        *self.known.entry((key, below)).or_insert_with(|| {
            self.links.push((value, below));
            self.links.len() as StackId
        })
    }

    /// What is on top of a stack, and the stack below it.
    fn top(&self, stack: StackId) -> Option<(T, StackId)> {
        stack.checked_sub(1).map(|at| self.links[at as usize])
    }
}

/// How far one way has come.
#[derive(Clone, Copy)]
struct Point {
    tasks: StackId,
    places: StackId,
    /// The objects and arrays that have been begun, the number of the inmost one.
    begun: u32,
    length: usize,
}

/// An object or array whose text begins at an index, and the number of the one around it.
type Begun = (ValueKey, usize, u32);

/// What is still to be looked at.
enum Open {
    /// A way to be tried.
    Way(Point),
    /// All ways to write a value have been tried.
    Tried(ValueKey),
}

/// One writing of a value.
struct Walk<'n, 't> {
    notated: &'n Notated,
    writes_json: &'n dyn Fn(&Value<'_>) -> String,
    tasks: Stacks<Task, Task>,
    places: Stacks<Place<'t>, PlaceKey>,
    /// Ways that are still to be tried, the next one last.
    open: Vec<Open>,
    /// The texts of objects and arrays, if they have one.
    written: FxHashMap<ValueKey, Option<Box<str>>>,
    /// What has been begun, by number; 0 is nothing.
    begun: Vec<Begun>,
    text: String,
}

impl Notated {
    /// The text of a value; `None` if the form has none that says it. `writes_json` writes JSON inside a text as it is.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where too many choices have to be tried.
    pub(crate) fn write(
        &self,
        value: &Value<'_>,
        writes_json: &dyn Fn(&Value<'_>) -> String,
    ) -> Result<Option<String>> {
        let (tasks, places) = (Stacks::new(), Stacks::new());
        let (open, written, text) = (Vec::new(), FxHashMap::default(), String::new());
        let mut walk = Walk { notated: self, writes_json, tasks, places, open, written, begun: Vec::new(), text };
        let tasks = walk.task(0, Task::Part(self.parts.root));
        let places = walk.place(0, Place::Value(value));
        walk.open.push(Open::Way(Point { tasks, places, begun: 0, length: 0 }));
        walk.run()
    }
}

impl<'t> Walk<'_, 't> {
    fn task(&mut self, below: StackId, task: Task) -> StackId {
        self.tasks.push(below, task, task)
    }

    fn place(&mut self, below: StackId, place: Place<'t>) -> StackId {
        self.places.push(below, place, place.key())
    }

    /// Tries all ways until one comes to the end.
    fn run(mut self) -> Result<Option<String>> {
        let (mut tried, mut steps) = (FxHashSet::default(), 0);
        while let Some(open) = self.open.pop() {
            let mut point = match open {
                Open::Way(point) => point,
                Open::Tried(value) => {
                    self.written.entry(value).or_insert(None);
                    continue;
                }
            };
            if !tried.insert((point.tasks, point.places)) {
                continue;
            }
            self.text.truncate(point.length);
            while let Some((task, below)) = self.tasks.top(point.tasks) {
                steps += 1;
                count(1);
                if steps > MOST_STEPS {
                    return Err(Error::limit("steps of writing a value", steps, MOST_STEPS));
                }
                point.tasks = below;
                if !self.take(task, &mut point) {
                    break;
                }
                if point.tasks == 0 && point.places == 0 {
                    return Ok(Some(self.text));
                }
            }
        }
        Ok(None)
    }

    /// Keeps another way for later.
    fn keep(&mut self, tasks: StackId, point: &Point) {
        self.open.push(Open::Way(Point { tasks, length: self.text.len(), ..*point }));
    }

    /// Does one task; whether it could be done.
    fn take(&mut self, task: Task, point: &mut Point) -> bool {
        match task {
            Task::Part(part) => return self.take_part(part, point),
            Task::Parts(sequence, at) => {
                let Part::Sequence(parts) = self.notated.parts.part(sequence) else { return false };
                if at + 1 < parts.len() {
                    point.tasks = self.task(point.tasks, Task::Parts(sequence, at + 1));
                }
                if let Some(&part) = parts.get(at) {
                    point.tasks = self.task(point.tasks, Task::Part(part));
                }
            }
            Task::Rounds(repeat, done) => {
                let Part::Repeat { body, low, high } = *self.notated.parts.part(repeat) else { return false };
                if done == high {
                    return true;
                }
                if done >= low {
                    self.keep(point.tasks, point);
                }
                let next = if high == UNBOUNDED { (done + 1).min(low) } else { done + 1 };
                let rounds = self.task(point.tasks, Task::Rounds(repeat, next));
                point.tasks = self.task(rounds, Task::Part(body));
            }
            Task::End(_) => {
                let (value, start, around) = self.begun[point.begun as usize - 1];
                let text = &self.text[start..];
                self.written.entry(value).or_insert_with(|| Some(text.into()));
                point.begun = around;
            }
        }
        true
    }

    fn take_part(&mut self, at: PartId, point: &mut Point) -> bool {
        let notated = self.notated;
        match notated.parts.part(at) {
            Part::Nothing | Part::Blank(_) => {}
            Part::Text(written) => self.text.push_str(written),
            Part::Sequence(_) => point.tasks = self.task(point.tasks, Task::Parts(at, 0)),
            Part::Repeat { .. } => point.tasks = self.task(point.tasks, Task::Rounds(at, 0)),
            Part::Choice(options) => {
                if let Some(value) = self.whole_value(at, point) {
                    match self.written.get(&value) {
                        Some(Some(text)) => {
                            self.text.push_str(text);
                            return self.take_value(point).is_some();
                        }
                        Some(None) => return false,
                        None => {}
                    }
                    self.open.push(Open::Tried(value));
                    self.begun.push((value, self.text.len(), point.begun));
                    point.begun = self.begun.len() as u32;
                    point.tasks = self.task(point.tasks, Task::End(at));
                }
                for &option in options.iter().skip(1).rev() {
                    let tasks = self.task(point.tasks, Task::Part(option));
                    self.keep(tasks, point);
                }
                let Some(&first) = options.first() else { return false };
                point.tasks = self.task(point.tasks, Task::Part(first));
            }
            Part::Key(name) => return self.enter_member(point, name),
            Part::Name { declared, .. } => return self.enter_undeclared(at, declared, point),
            Part::Entries(entries) => point.tasks = self.task(point.tasks, Task::Part(entries.in_a_row)),
            Part::Open(container) => {
                let Some(value) = self.take_value(point) else { return false };
                let place = match (container, value) {
                    (Container::Object, Value::Object(map)) => Place::Object(map, 0, 0),
                    (Container::Array, Value::Array(items)) => Place::Array(items, 0),
                    _ => return false,
                };
                point.places = self.place(point.places, place);
            }
            Part::Count(count) => {
                let next = self.next_value(point);
                return matches!(next, Some(Value::Array(items)) if items.len() == *count as usize);
            }
            Part::Close(_) => return self.close(point),
            Part::Constant { text, json } => {
                let value = self.take_value(point).and_then(scalar_text);
                self.text.push_str(text);
                return value.is_some_and(|value| value == **json);
            }
            Part::Scalar { spelling, .. } => {
                let written = self.take_value(point).and_then(|value| self.spell(at, *spelling, value));
                self.text.push_str(written.as_deref().unwrap_or_default());
                return written.is_some();
            }
            Part::Json { .. } => {
                let Some(value) = self.take_value(point) else { return false };
                self.text.push_str(&(self.writes_json)(value));
            }
        }
        true
    }

    /// The text of a scalar, if the part has one that is read as it.
    fn spell(&self, part: PartId, spelling: Spelling, value: &Value<'_>) -> Option<String> {
        let automaton = self.notated.automata[part as usize].as_ref()?;
        let written = match (spelling, value) {
            (Spelling::Number, Value::Number(digits)) if automaton.accepts(digits.as_bytes()) => (*digits).to_owned(),
            (Spelling::Number, Value::Number(digits)) => with_fraction(digits),
            (Spelling::Number, _) => return None,
            (spelling, Value::String(string)) => {
                let written = spelling.encode(string);
                (spelling.decode(&written) == **string).then_some(written)?
            }
            _ => return None,
        };
        automaton.accepts(written.as_bytes()).then_some(written)
    }

    /// The object or array that comes next, where a part is the whole of it.
    fn whole_value(&self, part: PartId, point: &Point) -> Option<ValueKey> {
        let value = self.next_value(point).filter(|value| matches!(value, Value::Array(_) | Value::Object(_)))?;
        self.notated.parts.is_whole(part).then(|| (part, std::ptr::from_ref(value) as usize))
    }

    /// The value that comes next.
    fn next_value(&self, point: &Point) -> Option<&'t Value<'t>> {
        match self.places.top(point.places)?.0 {
            Place::Value(value) => Some(value),
            Place::Array(items, next) => items.get(next),
            Place::Object(..) => None,
        }
    }

    /// Takes the value that comes next.
    fn take_value(&mut self, point: &mut Point) -> Option<&'t Value<'t>> {
        let (place, below) = self.places.top(point.places)?;
        point.places = below;
        match place {
            Place::Value(value) => Some(value),
            Place::Array(items, next) => {
                point.places = self.place(below, Place::Array(items, next + 1));
                items.get(next)
            }
            Place::Object(..) => None,
        }
    }

    /// Goes to a member; whether there is one.
    fn enter_member(&mut self, point: &mut Point, name: &str) -> bool {
        let Some((Place::Object(map, written, next), below)) = self.places.top(point.places) else { return false };
        let Some(value) = map.get(name) else { return false };
        let object = self.place(below, Place::Object(map, written + 1, next));
        point.places = self.place(object, Place::Value(value));
        true
    }

    /// Goes to the next member that is not declared, and writes its name; whether there is one, and it has a text.
    fn enter_undeclared(&mut self, part: PartId, declared: &[Box<str>], point: &mut Point) -> bool {
        let Some((Place::Object(map, written, next), below)) = self.places.top(point.places) else { return false };
        let is_other = |(_, (name, _)): &(usize, (&str, _))| !has_name(declared, name);
        let Some((at, (name, value))) = map.iter().enumerate().skip(next).find(is_other) else { return false };
        let text = Spelling::Json.encode(name);
        self.text.push_str(&text);
        let object = self.place(below, Place::Object(map, written + 1, at + 1));
        point.places = self.place(object, Place::Value(value));
        self.notated.automata[part as usize].as_ref().is_some_and(|automaton| automaton.accepts(text.as_bytes()))
    }

    /// Leaves a container; whether all of it is written.
    fn close(&self, point: &mut Point) -> bool {
        let Some((place, below)) = self.places.top(point.places) else { return false };
        point.places = below;
        match place {
            Place::Object(map, written, _) => written == map.len(),
            Place::Array(items, next) => next == items.len(),
            Place::Value(_) => false,
        }
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
