//! Reading: a text as the JSON that it says.
//!
//! All ways to read the text go on side by side, one byte after the other; a notation leaves one, so there are few. What
//! has begun is read as JSON that has begun, as far as the first way that is left says.
//!
//! Alternatives of a schema may read a text alike: of ways that go on alike, the first one is kept.
//!
//! Cost: linear in the text, for each of the ways. Stacks are shared: equal ones have one number.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Container, Notated, Part, PartId, Parts, Spelling, has_name};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::UNBOUNDED;
use crate::limits::Limits;
use crate::regular::{Automaton, StateId};

/// Ways to read a text side by side at most.
const MOST_WAYS: usize = 4_096;

/// What is left to read after a part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Rest {
    /// Parts of a sequence, from an index on.
    Parts(PartId, usize),
    /// Rounds of a repetition, after so many.
    Rounds(PartId, u32),
}

/// A list whose beginning is shared.
struct Link<T> {
    value: T,
    below: List<T>,
}

type List<T> = Option<Rc<Link<T>>>;

/// One after the other: a long list would need a deep stack.
impl<T> Drop for Link<T> {
    fn drop(&mut self) {
        let mut below = self.below.take();
        while let Some(mut link) = below.and_then(Rc::into_inner) {
            below = link.below.take();
        }
    }
}

fn push<T>(list: Option<&Rc<Link<T>>>, value: T) -> Rc<Link<T>> {
    Rc::new(Link { value, below: list.cloned() })
}

/// What was read.
enum Event {
    /// A part that says something without a text.
    Said(PartId),
    /// The text of a part.
    Read(PartId, usize, usize),
}

/// The number of a stack of what is left to read; 0 is the empty one.
type StackId = u32;

/// Stacks by their number.
#[derive(Default)]
struct Stacks {
    links: Vec<(Rest, StackId)>,
    known: FxHashMap<(Rest, StackId), StackId>,
}

impl Stacks {
    fn push(&mut self, below: StackId, rest: Rest) -> StackId {
        *self.known.entry((rest, below)).or_insert_with(|| {
            self.links.push((rest, below));
            self.links.len() as StackId
        })
    }

    /// What is on top of a stack, and the stack below it.
    fn top(&self, stack: StackId) -> Option<(Rest, StackId)> {
        stack.checked_sub(1).map(|at| self.links[at as usize])
    }
}

/// Where inside a part a way is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Inside {
    /// Bytes read of a text.
    Text(PartId, usize),
    /// The state of a scalar, and where it began.
    Scalar(PartId, StateId, usize),
    /// JSON: how deep, whether in a string, whether after a backslash, and where it began.
    Json { part: PartId, depth: u32, in_string: bool, escaped: bool, start: usize },
}

/// One way to read the text.
#[derive(Clone)]
struct Way {
    inside: Inside,
    rest: StackId,
    events: List<Event>,
}

/// All ways after some bytes.
#[derive(Default)]
struct Ways {
    open: Vec<Way>,
    /// What was read by the first way that may end here.
    ended: Option<List<Event>>,
    /// Where those in `open` are.
    met: FxHashSet<(Inside, StackId)>,
    /// What was begun after the last byte.
    begun: FxHashSet<(Option<PartId>, StackId)>,
}

impl Ways {
    fn push(&mut self, inside: Inside, rest: StackId, events: List<Event>) {
        if self.met.insert((inside, rest)) {
            self.open.push(Way { inside, rest, events });
        }
    }
}

/// What is begun: a part, or what is left after one.
type Begun = (Option<PartId>, StackId, List<Event>);

/// One reading of a text.
struct Walk<'n> {
    notated: &'n Notated,
    stacks: Stacks,
}

impl Notated {
    /// Parts, ready to read texts and to write values.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where a scalar has too many states.
    pub fn new(parts: Parts, limits: &Limits) -> Result<Self> {
        let automaton = |part: &Part| match part {
            Part::Scalar { leaf, .. } | Part::Name { leaf, .. } | Part::Blank(leaf) => leaf.automaton(limits).map(Some),
            _ => Ok(None),
        };
        let automata = parts.all.iter().map(automaton).collect::<Result<_>>()?;
        Ok(Self { parts, automata })
    }

    /// The JSON that a text says; `None` if the form does not have the text. With `partial`, what it says so far, which is
    /// JSON that has begun.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are too many ways to read it.
    pub fn read(&self, text: &str, partial: bool) -> Result<Option<String>> {
        let (mut ways, mut walk) = (Ways::default(), Walk { notated: self, stacks: Stacks::default() });
        walk.enter(vec![(Some(self.parts.root), 0, None)], 0, &mut ways);
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            ways = walk.step(&ways, byte, text, at);
            count(1 + ways.open.len());
            if ways.open.len() > MOST_WAYS {
                return Err(Error::limit("ways to read a text", ways.open.len(), MOST_WAYS));
            }
        }
        // A text that may go on is not complete, though it could end here.
        if let Some(way) = ways.open.first().filter(|_| partial) {
            return Ok(self.json_of(text, way.events.as_ref(), Some(way.inside)));
        }
        Ok(ways.ended.and_then(|events| self.json_of(text, events.as_ref(), None)))
    }

    fn automaton(&self, part: PartId) -> Option<&Automaton> {
        self.automata[part as usize].as_ref()
    }

    /// The JSON of what was read, and of the part that has begun; `None` if an object has a name twice.
    fn json_of(&self, text: &str, events: Option<&Rc<Link<Event>>>, begun: Option<Inside>) -> Option<String> {
        let (mut all, mut at) = (Vec::new(), events);
        while let Some(link) = at {
            all.push(&link.value);
            at = link.below.as_ref();
        }
        let mut json = Json::default();
        for event in all.into_iter().rev() {
            match *event {
                Event::Said(part) => json.say(self.parts.part(part)),
                Event::Read(part, start, end) => match self.parts.part(part) {
                    Part::Name { .. } => json.new_name(Spelling::Json.decode(&text[start..end]))?,
                    _ => {
                        if let Some(value) = self.value_of(part, &text[start..end]) {
                            json.value(&value);
                        }
                    }
                },
            }
        }
        match begun {
            Some(Inside::Scalar(part, _, start)) => {
                if let Part::Scalar { spelling, .. } = self.parts.part(part) {
                    json.begun(*spelling, &text[start..]);
                }
            }
            Some(Inside::Json { start, .. }) if start < text.len() => json.value(&text[start..]),
            _ => {}
        }
        Some(json.text)
    }

    /// Whether the text of a part is a declared name where another one must come.
    fn is_declared(&self, part: PartId, text: &str, range: Range<usize>) -> bool {
        let Part::Name { declared, .. } = self.parts.part(part) else { return false };
        has_name(declared, &Spelling::Json.decode(&text[range]))
    }

    /// The JSON of a part with a text; `None` if it says nothing.
    fn value_of(&self, part: PartId, text: &str) -> Option<String> {
        Some(match self.parts.part(part) {
            Part::Constant { json, .. } => json.to_string(),
            Part::Scalar { spelling, .. } if *spelling != Spelling::Number => quote(&spelling.decode(text)),
            Part::Scalar { .. } | Part::Json { .. } => text.to_owned(),
            _ => return None,
        })
    }
}

impl Walk<'_> {
    /// Begins parts, and all that they may begin with, the first of `pending` last.
    fn enter(&mut self, mut pending: Vec<Begun>, at: usize, ways: &mut Ways) {
        while let Some((part, rest, events)) = pending.pop() {
            if !ways.begun.insert((part, rest)) {
                continue;
            }
            match part {
                Some(part) => self.begin(part, rest, events, at, (ways, &mut pending)),
                None => self.go_on(rest, events, ways, &mut pending),
            }
        }
    }

    fn begin(
        &mut self,
        part: PartId,
        rest: StackId,
        events: List<Event>,
        at: usize,
        (ways, pending): (&mut Ways, &mut Vec<Begun>),
    ) {
        let notated = self.notated;
        match notated.parts.part(part) {
            Part::Nothing | Part::Count(_) => pending.push((None, rest, events)),
            Part::Text(text) if text.is_empty() => pending.push((None, rest, events)),
            Part::Constant { text, .. } if text.is_empty() => {
                pending.push((None, rest, Some(push(events.as_ref(), Event::Read(part, at, at)))));
            }
            Part::Open(_) | Part::Close(_) | Part::Key(_) => {
                pending.push((None, rest, Some(push(events.as_ref(), Event::Said(part)))));
            }
            Part::Text(_) | Part::Constant { .. } => ways.push(Inside::Text(part, 0), rest, events),
            Part::Scalar { .. } | Part::Name { .. } | Part::Blank(_) => {
                let Some(automaton) = notated.automaton(part) else { return };
                let start = automaton.start();
                if start.accepting() {
                    pending.push((None, rest, Some(push(events.as_ref(), Event::Read(part, at, at)))));
                }
                if start.goes_on() {
                    ways.push(Inside::Scalar(part, start.state(), at), rest, events);
                }
            }
            Part::Json { .. } => {
                let inside = Inside::Json { part, depth: 0, in_string: false, escaped: false, start: at };
                ways.push(inside, rest, events);
            }
            Part::Sequence(parts) => match parts.first() {
                Some(&first) => pending.push((Some(first), self.stacks.push(rest, Rest::Parts(part, 1)), events)),
                None => pending.push((None, rest, events)),
            },
            Part::Choice(options) => {
                pending.extend(options.iter().rev().map(|&option| (Some(option), rest, events.clone())));
            }
            Part::Repeat { .. } => pending.push((None, self.stacks.push(rest, Rest::Rounds(part, 0)), events)),
            Part::Entries(entries) => pending.push((Some(entries.in_a_row), rest, events)),
        }
    }

    /// Takes what is left to read after a part.
    fn go_on(&mut self, rest: StackId, events: List<Event>, ways: &mut Ways, pending: &mut Vec<Begun>) {
        let Some((top, below)) = self.stacks.top(rest) else {
            ways.ended.get_or_insert(events);
            return;
        };
        match top {
            Rest::Parts(sequence, next) => {
                let Part::Sequence(parts) = self.notated.parts.part(sequence) else { return };
                let is_last = next + 1 >= parts.len();
                let after = if is_last { below } else { self.stacks.push(below, Rest::Parts(sequence, next + 1)) };
                pending.push((parts.get(next).copied(), after, events));
            }
            Rest::Rounds(repeat, done) => {
                let Part::Repeat { body, low, high } = *self.notated.parts.part(repeat) else { return };
                if done >= low {
                    pending.push((None, below, events.clone()));
                }
                if done < high {
                    // Without an upper bound, rounds count up to the lower one.
                    let next = if high == UNBOUNDED { (done + 1).min(low) } else { done + 1 };
                    pending.push((Some(body), self.stacks.push(below, Rest::Rounds(repeat, next)), events));
                }
            }
        }
    }

    /// All ways after one more byte.
    fn step(&mut self, ways: &Ways, byte: u8, text: &str, at: usize) -> Ways {
        let (mut next, notated) = (Ways::default(), self.notated);
        for way in &ways.open {
            match way.inside {
                Inside::Text(part, read) => self.step_text(way, (part, read), byte, at, &mut next),
                Inside::Scalar(part, state, start) => {
                    let Some(automaton) = notated.automaton(part) else { continue };
                    let step = automaton.step(state, byte);
                    if step.accepting() && !notated.is_declared(part, text, start..at + 1) {
                        self.leave(way, Some(Event::Read(part, start, at + 1)), at, &mut next);
                    }
                    if step.goes_on() {
                        next.push(Inside::Scalar(part, step.state(), start), way.rest, way.events.clone());
                    }
                }
                Inside::Json { part, depth, in_string, escaped, start } => {
                    if at == start && !self.may_begin_json(part, byte) {
                        continue;
                    }
                    let in_string = in_string ^ (byte == b'"' && !escaped);
                    let change = match byte {
                        b'{' | b'[' if !in_string => 1,
                        b'}' | b']' if !in_string => -1,
                        _ => 0,
                    };
                    if byte == b'\n' || change < 0 && depth == 0 {
                        continue;
                    }
                    let depth = depth.saturating_add_signed(change);
                    let escaped = in_string && byte == b'\\' && !escaped;
                    // A scalar may end after each byte: what follows it says whether it does.
                    if depth == 0 && !in_string {
                        self.leave(way, Some(Event::Read(part, start, at + 1)), at, &mut next);
                    }
                    if depth > 0 || change == 0 {
                        let inside = Inside::Json { part, depth, in_string, escaped, start };
                        next.push(inside, way.rest, way.events.clone());
                    }
                }
            }
        }
        next
    }

    /// Whether JSON may begin with a byte: a container's with its bracket.
    fn may_begin_json(&self, part: PartId, byte: u8) -> bool {
        let is_container = matches!(self.notated.parts.part(part), Part::Json { is_container: true, .. });
        matches!(byte, b'{' | b'[') || !is_container && matches!(byte, b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
    }

    fn step_text(&mut self, way: &Way, (part, read): (PartId, usize), byte: u8, at: usize, next: &mut Ways) {
        let (text, is_constant) = match self.notated.parts.part(part) {
            Part::Text(text) => (text, false),
            Part::Constant { text, .. } => (text, true),
            _ => return,
        };
        if text.as_bytes()[read] != byte {
            return;
        }
        if read + 1 < text.len() {
            next.push(Inside::Text(part, read + 1), way.rest, way.events.clone());
        } else {
            let event = is_constant.then(|| Event::Read(part, at + 1 - text.len(), at + 1));
            self.leave(way, event, at, next);
        }
    }

    /// Goes on after the text of a part.
    fn leave(&mut self, way: &Way, event: Option<Event>, at: usize, next: &mut Ways) {
        let events = event.map_or_else(|| way.events.clone(), |event| Some(push(way.events.as_ref(), event)));
        self.enter(vec![(None, way.rest, events)], at + 1, next);
    }
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// JSON text as it is put together.
#[derive(Default)]
struct Json {
    text: String,
    /// The undeclared names of each container that has not ended.
    names: Vec<FxHashSet<String>>,
    /// Whether a value is complete, so that a comma comes before the next one.
    follows: bool,
}

impl Json {
    fn separate(&mut self) {
        if std::mem::take(&mut self.follows) {
            self.text.push(',');
        }
    }

    fn value(&mut self, json: &str) {
        self.separate();
        self.text += json;
        self.follows = true;
    }

    fn begun(&mut self, spelling: Spelling, text: &str) {
        if spelling == Spelling::Number {
            return; // more digits may follow
        }
        let quoted = quote(&spelling.decode(text));
        self.separate();
        self.text += &quoted[..quoted.len() - 1];
    }

    fn say(&mut self, part: &Part) {
        match part {
            Part::Open(container) => {
                self.separate();
                self.text.push(if *container == Container::Object { '{' } else { '[' });
                self.names.push(FxHashSet::default());
            }
            Part::Close(container) => {
                self.text.push(if *container == Container::Object { '}' } else { ']' });
                self.names.pop();
                self.follows = true;
            }
            Part::Key(name) => self.name(name),
            _ => {}
        }
    }

    fn name(&mut self, name: &str) {
        self.separate();
        self.text += &quote(name);
        self.text.push(':');
    }

    /// A name that the schema does not declare; `None` if its object has it already.
    fn new_name(&mut self, name: String) -> Option<()> {
        self.name(&name);
        self.names.last_mut()?.insert(name).then_some(())
    }
}
