//! Makes the states of the automaton of a character parser, by asking it.
//!
//! A state is one of the parser together with a [`DecoderState`]. A byte that completes a character asks the parser where the
//! character leads, unless that is known:
//!
//! ```text
//! ("ab", Between) ─ C3 → ("ab", Utf8 {prefix 3, 1 missing}) ─ A9 → ("abé", Between)
//! ```
//!
//! Whether a state is live, and how far it is from the end, is known in one of three ways ([`Ends`]): a parser with few states
//! is looked at whole; another one says what the shortest completion is, and every answer is checked; of all others only the
//! next character is known, so that they must not lead into dead ends.
//!
//! Cost: for each state a question what may come, for each class of characters that is met one where it leads. Where
//! every completion of some bytes is of one class, the state after it is taken at once, as for expressions.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decoder::{DecoderState, Read};
use super::encoding::Encoding;
use super::{ACCEPTING, DEAD, FINAL, StateId, Step};
use crate::error::{Error, Kind, Result};
use crate::regular::parser::{Exploration, Outlook, Parser, ParserState};

/// "No text ends from here".
const NEVER: u32 = u32::MAX / 2;

/// A parser is looked at whole if it has at most so many states, and so many classes of characters lead on from them.
const FEW_STATES: usize = 1 << 10;
const FEW_CLASSES: usize = 1 << 13;

/// States of the automaton of a parser, each with a row of transitions of about a kilobyte.
const MOST_STATES: usize = 1 << 16;

/// Ranges and classes of characters of all states: about 100 MB.
const MOST_CHARACTERS: usize = 1 << 22;

/// How it is known that a text can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// All states were looked at.
    Counted,
    /// The parser says what the shortest completion is.
    Told,
    /// The parser is trusted that some text ends wherever it lets a character come.
    Trusted,
}

/// The states made so far.
pub(super) struct ParserStates {
    exploration: Box<dyn Exploration>,
    /// By state of the parser.
    known: Vec<Known>,
    /// Each once: mostly, many states have the same.
    outlooks: FxHashSet<Arc<Outlook>>,
    /// Ranges and classes of all outlooks, and classes of all states.
    characters: usize,
    states: Vec<(ParserState, DecoderState)>,
    ids: FxHashMap<(ParserState, DecoderState), StateId>,
    ends: Ends,
    most_states: usize,
}

/// What is known of a state of the parser.
#[derive(Default)]
struct Known {
    outlook: Option<Arc<Outlook>>,
    /// Where each class of characters leads, as far as it was asked.
    ways: Vec<Option<ParserState>>,
    /// Bytes to the end; [`NEVER`] if there is none.
    distance: Option<u32>,
}

impl ParserStates {
    /// The states of a parser, of which the first one is known, or all if they are few.
    pub fn new(parser: &Parser, automaton_states: usize) -> Result<Self> {
        let parser = parser.get();
        let mut states = Self {
            exploration: parser.explore()?,
            known: Vec::new(),
            outlooks: FxHashSet::default(),
            characters: 0,
            states: vec![(0, DecoderState::Closed)], // DEAD
            ids: FxHashMap::default(),
            ends: if parser.knows_shortest() { Ends::Told } else { Ends::Trusted },
            most_states: automaton_states.min(MOST_STATES),
        };
        if states.ends == Ends::Trusted && states.look_at_all()? {
            states.count_all();
            states.ends = Ends::Counted;
        }
        Ok(states)
    }

    /// The state before the first byte.
    pub fn start(&mut self) -> Result<Step> {
        self.state(0, DecoderState::Between)
    }

    /// Whether the bytes to the end are known.
    pub fn knows_ends(&self) -> bool {
        self.ends != Ends::Trusted
    }

    /// Whether so many states were made that new texts should start with new ones.
    pub fn is_near_its_limit(&self) -> bool {
        self.states.len().max(self.known.len()) >= self.most_states / 4
    }

    /// About how many bytes of memory they take.
    pub fn memory(&self) -> usize {
        const OBJECT: usize = 1 << 9; // of the host, about
        const ROW: usize = 258 * size_of::<u32>();
        self.known.len() * (OBJECT + size_of::<Known>()) + self.states.len() * ROW + self.characters * 24
    }

    // States.

    /// The state of a parser's state and a decoder state; [`DEAD`] if no text completes it.
    fn state(&mut self, parser: ParserState, at: DecoderState) -> Result<Step> {
        if !self.is_live(parser, at)? {
            return Ok(Step(DEAD));
        }
        let flags = if at == DecoderState::Between { flags(self.outlook(parser)?.as_ref()) } else { 0 };
        if let Some(&id) = self.ids.get(&(parser, at)) {
            return Ok(Step(id | flags));
        }
        self.check_room(self.states.len())?;
        let id = self.states.len() as StateId;
        self.states.push((parser, at));
        self.ids.insert((parser, at), id);
        Ok(Step(id | flags))
    }

    fn check_room(&self, states: usize) -> Result<()> {
        if states < self.most_states {
            return Ok(());
        }
        let error = Error::limit("parser_states", states + 1, self.most_states);
        Err(error.hint("give states after which the same texts may come the same key()"))
    }

    fn is_live(&mut self, parser: ParserState, at: DecoderState) -> Result<bool> {
        let DecoderState::Utf8 { .. } = at else {
            return Ok(self.distance(parser)? < NEVER);
        };
        for class in self.classes_completing(parser, at)? {
            if self.ends == Ends::Trusted || self.distance_after(parser, class)? < NEVER {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The classes of the characters that can complete a decoder state.
    fn classes_completing(&mut self, parser: ParserState, at: DecoderState) -> Result<Vec<usize>> {
        let outlook = self.outlook(parser)?;
        let completions = at.completions(Encoding::Text);
        let between = completions.iter().flat_map(|&(low, high)| outlook.between(low, high));
        let mut classes: Vec<usize> = between.map(|(_, _, class)| class).collect();
        classes.sort_unstable();
        classes.dedup();
        Ok(classes)
    }

    // Transitions.

    /// Where a byte leads from a state.
    pub fn step(&mut self, state: StateId, byte: u8) -> Result<Step> {
        let (parser, at) = self.states[state as usize];
        match at.read(byte, Encoding::Text) {
            Read::CodePoint(code) => match self.outlook(parser)?.class_of(code) {
                Some(class) => {
                    let next = self.way(parser, class)?;
                    self.state(next, DecoderState::Between)
                }
                None => Ok(Step(DEAD)),
            },
            Read::Next(inside @ DecoderState::Utf8 { .. }) => self.inside(parser, inside),
            Read::Next(at) => self.state(parser, at),
            Read::ClosingQuote | Read::Invalid => Ok(Step(DEAD)),
        }
    }

    /// Inside UTF-8, the bytes read are remembered only where it matters which they are.
    fn inside(&mut self, parser: ParserState, inside: DecoderState) -> Result<Step> {
        let DecoderState::Utf8 { missing, low, high, .. } = inside else { return Ok(Step(DEAD)) };
        let completions = inside.completions(Encoding::Text);
        let outlook = self.outlook(parser)?;
        let all: u32 = completions.iter().map(|&(low, high)| high - low + 1).sum();
        match only_class(&outlook_ranges(&outlook, &completions), all) {
            Some(class) => {
                let next = self.way(parser, class)?;
                self.state(next, DecoderState::Decided { missing, low, high })
            }
            None => self.state(parser, inside),
        }
    }

    // What the parser says.

    fn known(&mut self, parser: ParserState) -> &mut Known {
        let index = parser as usize;
        if self.known.len() <= index {
            self.known.resize_with(index + 1, Known::default);
        }
        &mut self.known[index]
    }

    fn outlook(&mut self, parser: ParserState) -> Result<Arc<Outlook>> {
        if let Some(outlook) = &self.known(parser).outlook {
            return Ok(Arc::clone(outlook));
        }
        let asked = Arc::new(self.exploration.outlook(parser)?);
        let shared = self.outlooks.get(&asked).cloned();
        self.characters += asked.classes() + if shared.is_none() { asked.size() } else { 0 };
        if self.characters > MOST_CHARACTERS {
            let error = Error::limit("parser_characters", self.characters, MOST_CHARACTERS);
            return Err(error.hint("allow large sets of characters that lead to the same state as one pattern"));
        }
        let outlook = shared.unwrap_or(asked);
        self.outlooks.insert(Arc::clone(&outlook));
        let known = self.known(parser);
        known.ways = vec![None; outlook.classes()];
        known.outlook = Some(Arc::clone(&outlook));
        Ok(outlook)
    }

    /// The state after the characters of a class.
    fn way(&mut self, parser: ParserState, class: usize) -> Result<ParserState> {
        let next = self.asked_way(parser, class)?;
        if self.known(parser).ways[class].is_none() {
            self.keep_way(parser, class, next)?;
        }
        Ok(next)
    }

    /// The same, perhaps not yet compared with what the parser says is the shortest completion.
    fn asked_way(&mut self, parser: ParserState, class: usize) -> Result<ParserState> {
        if let Some(next) = self.known(parser).ways[class] {
            return Ok(next);
        }
        let next = self.ask(parser, class)?;
        self.check_room(next as usize)?;
        Ok(next)
    }

    /// Keeps where a class leads. If that is nearer to the end than the parser says, it contradicts itself.
    fn keep_way(&mut self, parser: ParserState, class: usize, next: ParserState) -> Result<()> {
        if self.ends == Ends::Told {
            let (here, there) = (self.distance(parser)?, self.distance(next)?);
            let through = there.saturating_add(self.outlook(parser)?.bytes_of(class));
            if here > through {
                let message = format!("shortest() gives {here} bytes where {through} bytes complete the text");
                return Err(failed(&message));
            }
        }
        self.known(parser).ways[class] = Some(next);
        Ok(())
    }

    /// Asks for the first, the last and another character of a class: where they lead to different states, the class is none.
    fn ask(&mut self, parser: ParserState, class: usize) -> Result<ParserState> {
        let Some([first, middle, last]) = self.outlook(parser)?.samples(class) else {
            return Err(failed("a class of characters is empty"));
        };
        let next = self.exploration.after(parser, first)?;
        let mut before = first;
        for c in [middle, last] {
            if c != before && self.exploration.after(parser, c)? != next {
                return Err(not_alike(first, c));
            }
            before = c;
        }
        Ok(next)
    }

    // Bytes to the end.

    /// Looks at every state, unless they are many.
    fn look_at_all(&mut self) -> Result<bool> {
        let (mut at, mut asked) = (0, 0);
        while at < self.known.len().max(1) {
            let classes = self.outlook(at as ParserState)?.classes();
            asked += classes;
            if asked > FEW_CLASSES {
                return Ok(false);
            }
            for class in 0..classes {
                if self.outlook(at as ParserState)?.samples(class).is_some() {
                    let next = self.way(at as ParserState, class)?;
                    self.known(next);
                }
            }
            at += 1;
            if self.known.len() > FEW_STATES {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Bytes to the end of every state: the least solution of an equation for each.
    fn count_all(&mut self) {
        let count = self.known.len();
        let mut distances = vec![NEVER; count];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                let shortest = self.known[at].shortest(&distances);
                changed |= shortest < distances[at];
                distances[at] = shortest;
            }
        }
        self.known.iter_mut().zip(distances).for_each(|(known, distance)| known.distance = Some(distance));
    }

    /// Bytes to the end of a state of the parser; where they are not known, 1 or 0.
    fn distance(&mut self, parser: ParserState) -> Result<u32> {
        if let Some(distance) = self.known(parser).distance {
            return Ok(distance);
        }
        if self.ends == Ends::Told {
            return self.told(parser);
        }
        let outlook = self.outlook(parser)?;
        let distance = u32::from(!outlook.can_end);
        if outlook.is_empty() && !outlook.can_end {
            return Err(failed("the parser is stuck: it allows no character, and the text cannot end")
                .hint("allow a character only if some text ends after it, or define shortest()"));
        }
        self.known(parser).distance = Some(distance);
        Ok(distance)
    }

    /// What the parser says is the shortest completion, followed to the end: each first character must lead nearer by its own
    /// bytes.
    fn told(&mut self, parser: ParserState) -> Result<u32> {
        let (mut way, mut at) = (Vec::new(), parser);
        let mut before: Option<(u32, String)> = None;
        let end = loop {
            let known = self.known(at).distance;
            let text = if known.is_some() { None } else { self.exploration.shortest(at)? };
            self.check_room(text.as_ref().map_or(0, String::len))?; // each of its characters leads to another state
            let bytes = known.unwrap_or_else(|| text.as_ref().map_or(NEVER, |text| text.len() as u32));
            if let Some((_, text)) = before.filter(|(rest, _)| *rest != bytes) {
                return Err(wrong_shortest(Some(&text), false));
            }
            if known.is_some() {
                break None;
            }
            let Some((class, rest, text)) = self.first_of(at, text)? else { break Some((at, bytes)) };
            let next = self.asked_way(at, class)?;
            way.push((at, class, next, bytes));
            (at, before) = (next, Some((rest, text)));
        };
        for (at, bytes) in way.iter().map(|&(at, _, _, bytes)| (at, bytes)).chain(end) {
            self.known(at).distance = Some(bytes);
        }
        way.into_iter().try_for_each(|(at, class, next, _)| self.keep_way(at, class, next))?;
        self.known(parser).distance.ok_or_else(|| failed("a state of the parser has no end"))
    }

    /// The class of the first character of a shortest completion, the bytes of the others, and the completion; none where the
    /// text can end, or never can.
    fn first_of(&mut self, parser: ParserState, text: Option<String>) -> Result<Option<(usize, u32, String)>> {
        let outlook = self.outlook(parser)?;
        let can_end = outlook.can_end;
        let Some(text) = text else {
            return if can_end { Err(wrong_shortest(None, true)) } else { Ok(None) };
        };
        match text.chars().next() {
            None if can_end => Ok(None),
            Some(c) if !can_end => match outlook.class_of(u32::from(c)) {
                Some(class) => Ok(Some((class, (text.len() - c.len_utf8()) as u32, text))),
                None => Err(wrong_shortest(Some(&text), false)),
            },
            _ => Err(wrong_shortest(Some(&text), can_end)),
        }
    }

    fn distance_after(&mut self, parser: ParserState, class: usize) -> Result<u32> {
        let next = self.way(parser, class)?;
        self.distance(next)
    }

    /// Bytes of the shortest completion of a state.
    pub fn shortest(&mut self, state: StateId) -> Result<u32> {
        let (parser, at) = self.states[state as usize];
        match at {
            DecoderState::Closed => Ok(NEVER), // DEAD
            DecoderState::Utf8 { missing, .. } => {
                let mut best = NEVER;
                if self.ends == Ends::Trusted {
                    return Ok(u32::from(missing));
                }
                for class in self.classes_completing(parser, at)? {
                    best = best.min(self.distance_after(parser, class)?);
                }
                Ok(best.saturating_add(u32::from(missing)))
            }
            DecoderState::Decided { missing, .. } => Ok(self.distance(parser)?.saturating_add(u32::from(missing))),
            _ => self.distance(parser),
        }
    }
}

impl Known {
    /// Bytes to the end, by those of the other states.
    fn shortest(&self, distances: &[u32]) -> u32 {
        let Some(outlook) = &self.outlook else { return NEVER };
        if outlook.can_end {
            return 0;
        }
        let ways = self.ways.iter().enumerate().filter_map(|(class, next)| Some((class, (*next)?)));
        let shortest = ways.map(|(class, next)| distances[next as usize].saturating_add(outlook.bytes_of(class))).min();
        shortest.map_or(NEVER, |shortest| shortest.min(NEVER))
    }
}

/// The ranges of an outlook within some others.
fn outlook_ranges(outlook: &Outlook, within: &[(u32, u32)]) -> Vec<(u32, u32, usize)> {
    within.iter().flat_map(|&(low, high)| outlook.between(low, high)).collect()
}

/// The class of some ranges, if they are of one class and have so many code points.
fn only_class(ranges: &[(u32, u32, usize)], all: u32) -> Option<usize> {
    let class = ranges.first()?.2;
    let covered: u32 = ranges.iter().map(|&(low, high, _)| high - low + 1).sum();
    (covered == all && ranges.iter().all(|&(_, _, other)| other == class)).then_some(class)
}

fn flags(outlook: &Outlook) -> u32 {
    match (outlook.can_end, outlook.is_empty()) {
        (true, true) => ACCEPTING | FINAL,
        (true, false) => ACCEPTING,
        (false, _) => 0,
    }
}

/// A parser that contradicts itself.
fn failed(what: &str) -> Error {
    Error::new(Kind::Parser { cause: None }, what)
}

fn not_alike(a: char, b: char) -> Error {
    failed(&format!("characters of one pattern must lead to the same state, but {a:?} and {b:?} do not"))
        .hint("list characters that lead to different states in a str, and give equal states equal keys by key()")
}

fn wrong_shortest(text: Option<&str>, can_end: bool) -> Error {
    let what = match text {
        None => "shortest() gives None where the text can end".to_owned(),
        Some(text) if can_end => format!("shortest() gives {text:?} where the text can end"),
        Some(text) => format!("shortest() gives {text:?}, which is not a shortest completion"),
    };
    failed(&what)
        .hint("shortest() is \"\" where can_end() is true, None where no text can end, else a shortest completion")
}
