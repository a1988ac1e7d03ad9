//! Reading: a text as the JSON that it says.
//!
//! All ways to read the text go on side by side, one byte after the other; a notation leaves one, so there are few. What
//! has begun is read as JSON that has begun, as far as the first way that is left says.
//!
//! Cost: linear in the text, for each of the ways. The stack of a way and what it has read are lists that ways share.

use std::rc::Rc;

use super::{Container, Notated, Part, PartId, Parts, Spelling};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::UNBOUNDED;
use crate::limits::Limits;
use crate::regular::{Automaton, DEAD, StateId};

/// Ways to read a text side by side at most.
const MOST_WAYS: usize = 4_096;

/// What is left to read after a part.
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

fn push<T>(list: &List<T>, value: T) -> List<T> {
    Some(Rc::new(Link { value, below: list.clone() }))
}

/// What was read.
enum Event {
    /// A part that says something without a text.
    Said(PartId),
    /// The text of a part.
    Read(PartId, usize, usize),
}

/// Where inside a part a way is.
#[derive(Clone, Copy)]
enum Inside {
    /// Bytes read of a text.
    Text(PartId, usize),
    /// The state of a scalar, and where it began.
    Scalar(PartId, StateId, usize),
    /// JSON: how deep, whether in a string, whether after a backslash, and where it began.
    Json { part: PartId, depth: u32, in_string: bool, escaped: bool, start: usize },
}

/// One way to read the text.
struct Way {
    inside: Inside,
    rest: List<Rest>,
    events: List<Event>,
}

/// All ways after some bytes.
#[derive(Default)]
struct Ways {
    open: Vec<Way>,
    /// What was read by the first way that may end here.
    ended: Option<List<Event>>,
}

impl Notated {
    /// Parts, ready to read texts and to write values.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where a scalar has too many states.
    pub fn new(parts: Parts, limits: &Limits) -> Result<Self> {
        let automaton = |part: &Part| match part {
            Part::Scalar { leaf, .. } | Part::Blank(leaf) => leaf.automaton(limits).map(Some),
            _ => Ok(None),
        };
        let automata = parts.parts.iter().map(automaton).collect::<Result<_>>()?;
        Ok(Self { parts, automata })
    }

    /// The JSON that a text says; `None` if the form does not have the text. With `partial`, what it says so far, which is
    /// JSON that has begun.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where there are too many ways to read it.
    pub fn read(&self, text: &str, partial: bool) -> Result<Option<String>> {
        let mut ways = Ways::default();
        self.enter(self.parts.root, None, None, 0, &mut ways);
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            ways = self.step(ways, byte, at);
            count(1 + ways.open.len());
            if ways.open.len() > MOST_WAYS {
                return Err(Error::limit("ways to read a text", ways.open.len(), MOST_WAYS));
            }
        }
        // A text that may go on is not complete, though it could end here.
        if let Some(way) = ways.open.first().filter(|_| partial) {
            return Ok(Some(self.json_of(text, &way.events, Some(way.inside))));
        }
        Ok(ways.ended.map(|events| self.json_of(text, &events, None)))
    }

    fn automaton(&self, part: PartId) -> Option<&Automaton> {
        self.automata[part as usize].as_ref()
    }

    /// Begins a part, and all that it may begin with.
    fn enter(&self, part: PartId, rest: List<Rest>, events: List<Event>, at: usize, ways: &mut Ways) {
        let mut pending = vec![(Some(part), rest, events)];
        while let Some((part, rest, events)) = pending.pop() {
            let Some(part) = part else {
                self.go_on(rest, events, ways, &mut pending);
                continue;
            };
            match self.parts.part(part) {
                Part::Nothing => pending.push((None, rest, events)),
                Part::Text(text) if text.is_empty() => pending.push((None, rest, events)),
                Part::Constant { text, .. } if text.is_empty() => {
                    pending.push((None, rest, push(&events, Event::Read(part, at, at))));
                }
                Part::Open(_) | Part::Close(_) | Part::Key(_) => {
                    pending.push((None, rest, push(&events, Event::Said(part))));
                }
                Part::Text(_) | Part::Constant { .. } => ways.open.push(Way { inside: Inside::Text(part, 0), rest, events }),
                Part::Scalar { .. } | Part::Blank(_) => {
                    let Some(automaton) = self.automaton(part) else { continue };
                    let start = automaton.start();
                    if start.accepting() {
                        pending.push((None, rest.clone(), push(&events, Event::Read(part, at, at))));
                    }
                    if start.goes_on() {
                        ways.open.push(Way { inside: Inside::Scalar(part, start.state(), at), rest, events });
                    }
                }
                Part::Json(_) => {
                    let inside = Inside::Json { part, depth: 0, in_string: false, escaped: false, start: at };
                    ways.open.push(Way { inside, rest, events });
                }
                Part::Sequence(parts) => match parts.first() {
                    Some(&first) => pending.push((Some(first), push(&rest, Rest::Parts(part, 1)), events)),
                    None => pending.push((None, rest, events)),
                },
                Part::Choice(options) => {
                    let each = options.iter().rev().map(|&option| (Some(option), rest.clone(), events.clone()));
                    pending.extend(each);
                }
                Part::Repeat { .. } => pending.push((None, push(&rest, Rest::Rounds(part, 0)), events)),
            }
        }
    }

    /// Takes what is left to read after a part.
    #[allow(clippy::type_complexity)] // what `enter` works through
    fn go_on(
        &self,
        rest: List<Rest>,
        events: List<Event>,
        ways: &mut Ways,
        pending: &mut Vec<(Option<PartId>, List<Rest>, List<Event>)>,
    ) {
        let Some(link) = rest else {
            ways.ended.get_or_insert(events);
            return;
        };
        match link.value {
            Rest::Parts(sequence, next) => {
                let Part::Sequence(parts) = self.parts.part(sequence) else { return };
                let below = &link.below;
                let after = if next + 1 < parts.len() { push(below, Rest::Parts(sequence, next + 1)) } else { below.clone() };
                match parts.get(next) {
                    Some(&part) => pending.push((Some(part), after, events)),
                    None => pending.push((None, after, events)),
                }
            }
            Rest::Rounds(repeat, done) => {
                let Part::Repeat { body, low, high } = *self.parts.part(repeat) else { return };
                if done >= low {
                    pending.push((None, link.below.clone(), events.clone()));
                }
                if done < high || high == UNBOUNDED {
                    pending.push((Some(body), push(&link.below, Rest::Rounds(repeat, done.saturating_add(1))), events));
                }
            }
        }
    }

    /// All ways after one more byte.
    fn step(&self, ways: Ways, byte: u8, at: usize) -> Ways {
        let mut next = Ways::default();
        for way in ways.open {
            match way.inside {
                Inside::Text(part, read) => self.step_text(way, part, read, byte, at, &mut next),
                Inside::Scalar(part, state, start) => {
                    let Some(automaton) = self.automaton(part) else { continue };
                    let step = automaton.step(state, byte);
                    if step.state() == DEAD && !step.accepting() {
                        continue;
                    }
                    if step.accepting() {
                        self.leave(&way, Event::Read(part, start, at + 1), at, &mut next);
                    }
                    if step.goes_on() {
                        next.open.push(Way { inside: Inside::Scalar(part, step.state(), start), ..way });
                    }
                }
                Inside::Json { part, depth, in_string, escaped, start } => {
                    let is_quote = byte == b'"' && !escaped;
                    let in_string = in_string ^ is_quote;
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
                    let inside = Inside::Json { part, depth, in_string, escaped, start };
                    // A scalar may end after each byte: what follows it says whether it does.
                    if depth == 0 && !in_string {
                        self.leave(&way, Event::Read(part, start, at + 1), at, &mut next);
                    }
                    if !(depth == 0 && change < 0) {
                        next.open.push(Way { inside, ..way });
                    }
                }
            }
        }
        next
    }

    fn step_text(&self, way: Way, part: PartId, read: usize, byte: u8, at: usize, next: &mut Ways) {
        let (text, is_constant) = match self.parts.part(part) {
            Part::Text(text) => (text, false),
            Part::Constant { text, .. } => (text, true),
            _ => return,
        };
        if text.as_bytes()[read] != byte {
            return;
        }
        if read + 1 < text.len() {
            next.open.push(Way { inside: Inside::Text(part, read + 1), ..way });
        } else if is_constant {
            self.leave(&way, Event::Read(part, at + 1 - text.len(), at + 1), at, next);
        } else {
            self.enter_rest(way.rest, way.events, at, next);
        }
    }

    /// Goes on after the text of a part.
    fn leave(&self, way: &Way, event: Event, at: usize, next: &mut Ways) {
        self.enter_rest(way.rest.clone(), push(&way.events, event), at, next);
    }

    fn enter_rest(&self, rest: List<Rest>, events: List<Event>, at: usize, next: &mut Ways) {
        let mut pending = Vec::new();
        self.go_on(rest, events, next, &mut pending);
        while let Some((part, rest, events)) = pending.pop() {
            match part {
                Some(part) => self.enter(part, rest, events, at + 1, next),
                None => self.go_on(rest, events, next, &mut pending),
            }
        }
    }

    /// The JSON of what was read, and of the part that has begun.
    fn json_of(&self, text: &str, events: &List<Event>, begun: Option<Inside>) -> String {
        let (mut all, mut at) = (Vec::new(), events);
        while let Some(link) = at {
            all.push(&link.value);
            at = &link.below;
        }
        let mut json = Json::default();
        for event in all.into_iter().rev() {
            match *event {
                Event::Said(part) => json.say(self.parts.part(part)),
                Event::Read(part, start, end) => {
                    if let Some(value) = self.value_of(part, &text[start..end]) {
                        json.value(&value);
                    }
                }
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
        json.text
    }

    /// The JSON of a part with a text; `None` if it says nothing.
    fn value_of(&self, part: PartId, text: &str) -> Option<String> {
        Some(match self.parts.part(part) {
            Part::Constant { json, .. } => json.to_string(),
            Part::Scalar { spelling, .. } if *spelling != Spelling::Number => quote(&spelling.decode(text)),
            Part::Scalar { .. } | Part::Json(_) => text.to_owned(),
            _ => return None,
        })
    }
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// JSON text as it is put together.
#[derive(Default)]
struct Json {
    text: String,
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
            }
            Part::Close(container) => {
                self.text.push(if *container == Container::Object { '}' } else { ']' });
                self.follows = true;
            }
            Part::Key(name) => {
                self.separate();
                self.text += &quote(name);
                self.text.push(':');
            }
            _ => {}
        }
    }
}
