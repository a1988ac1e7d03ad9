//! Pieces of a text as an automaton over bytes: plain, or as JSON strings.
//!
//! ```text
//! text      f  o  o  d     states 1 2 3 4, each leads to the next one
//! "o"       its own state: `o` leads on to 3, `d` to 4
//! ```
//!
//! A state is named by the byte that leads to it: those of the text come first, one for each of its bytes, and the state
//! after a byte mostly has the next byte as its only way on, so nothing is stored for it. Only states with other ways
//! have a list of them. A state inside of a character, or of an escape, belongs to the character that it ends with; where
//! characters that begin alike may come, further states tell them apart.
//!
//! Cost: for English text about 7 bytes for each of its bytes. A JSON string begins and ends with its
//! quote, which is a state before the text and one after it.

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::suffixes::Suffixes;
use crate::interrupt::{ask_now, count};

/// Where the number of bytes to an end is this, it is elsewhere.
const FAR: u8 = u8::MAX;

/// How characters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// As UTF-8.
    Plain,
    /// As JSON strings with their quotes, in the one spelling that escapes what must be escaped.
    Json,
}

impl Writing {
    /// The bytes of a character, in `buffer`.
    pub fn bytes(self, c: char, buffer: &mut Vec<u8>) {
        buffer.clear();
        let short = match c {
            '"' | '\\' => c,
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{8}' => 'b',
            '\u{C}' => 'f',
            _ => '\0',
        };
        if self == Self::Plain || short == '\0' && c >= ' ' {
            buffer.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else if short == '\0' {
            buffer.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
        } else {
            buffer.extend([b'\\', short as u8]);
        }
    }
}

/// The automaton. State 0 is the start.
pub struct PieceAutomaton {
    /// By state: the byte that leads to it.
    bytes: Box<[u8]>,
    /// The states with other ways on than the state after them.
    branching: Bits,
    /// By branching state: where its ways on begin in `ways`; and where the last ones end.
    starts: Box<[u32]>,
    ways: Box<[u32]>,
    /// The states with which a piece ends.
    complete: Bits,
    /// By state: bytes to the nearest end, and those that are [`FAR`].
    nearest: Box<[u8]>,
    far: FxHashMap<u32, u32>,
    /// The most of these.
    farthest: u32,
    /// The state after the closing quote.
    closed: Option<u32>,
}

impl PieceAutomaton {
    /// The automaton of the suffixes of a text.
    pub fn new(text: &[char], suffixes: &Suffixes<'_>, writing: Writing) -> Self {
        Layout::new(text, suffixes, writing).finish()
    }

    /// The ways on from a state: bytes and states.
    #[inline]
    pub fn children(&self, at: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        let quote = self.closed.filter(|_| self.complete.has(at));
        let next = (at + 1..at + 2).filter(move |_| !self.branching.has(at));
        next.chain(self.list(at).iter().copied()).chain(quote).map(|state| (self.bytes[state as usize], state))
    }

    /// How many ways on a state has, a closing quote not counted.
    #[inline]
    pub fn degree(&self, at: u32) -> usize {
        if self.branching.has(at) { self.list(at).len() } else { 1 }
    }

    /// The ways on of a branching state; none of any other.
    #[inline]
    fn list(&self, at: u32) -> &[u32] {
        if !self.branching.has(at) {
            return &[];
        }
        let index = self.branching.rank(at) as usize;
        &self.ways[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// The state that a byte leads to.
    #[inline]
    pub fn child(&self, at: u32, byte: u8) -> Option<u32> {
        if byte == b'"' && self.closed.is_some() && self.complete.has(at) {
            return self.closed; // a quote of the text is written with a backslash
        }
        if !self.branching.has(at) {
            return (self.bytes[at as usize + 1] == byte).then_some(at + 1);
        }
        let list = self.list(at);
        let found = list.partition_point(|&state| self.bytes[state as usize] < byte);
        list.get(found).copied().filter(|&state| self.bytes[state as usize] == byte)
    }

    /// Whether a text ends with a state.
    #[inline]
    pub fn ends(&self, at: u32) -> bool {
        self.closed.map_or_else(|| self.complete.has(at), |closed| at == closed)
    }

    /// Whether a text goes on from a state.
    #[inline]
    pub fn goes_on(&self, at: u32) -> bool {
        !self.branching.has(at) || !self.list(at).is_empty() || self.closed.is_some() && self.complete.has(at)
    }

    /// Bytes from a state to the nearest end.
    #[inline]
    pub fn nearest(&self, at: u32) -> u32 {
        let bytes = self.nearest[at as usize];
        if bytes == FAR { self.far.get(&at).copied().unwrap_or(0) } else { bytes.into() }
    }

    /// Bytes from any state to the nearest end, at most.
    pub fn farthest(&self) -> u32 {
        self.farthest
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        let lists = (self.starts.len() + self.ways.len()) * 4;
        self.bytes.len() * 2 + lists + self.branching.bytes() + self.complete.bytes() + self.far.capacity() * 9
    }
}

/// The automaton while it is laid out.
struct Layout<'s> {
    suffixes: &'s Suffixes<'s>,
    bytes: Vec<u8>,
    /// By state of the suffixes: the first and the last of its states, one for each byte of its character.
    own: Vec<(u32, u32)>,
    branching: Vec<u32>,
    starts: Vec<u32>,
    ways: Vec<u32>,
    /// The ways on of states inside of characters that begin alike, of which the first one is `inside`.
    alike: Vec<Vec<u32>>,
    inside: u32,
    is_json: bool,
}

impl<'s> Layout<'s> {
    fn new(text: &[char], suffixes: &'s Suffixes<'s>, writing: Writing) -> Self {
        let is_json = writing == Writing::Json;
        let (mut bytes, mut buffer) = (Vec::with_capacity(2 * text.len()), Vec::new());
        bytes.extend(if is_json { &[0, b'"'][..] } else { &[0] });
        let start = bytes.len() as u32 - 1;
        let mut own = vec![(start, start)];
        for &symbol in text.iter().chain(suffixes.symbols()) {
            count(1);
            writing.bytes(symbol, &mut buffer);
            own.push((bytes.len() as u32, (bytes.len() + buffer.len()) as u32 - 1));
            bytes.extend_from_slice(&buffer);
        }
        let inside = bytes.len() as u32;
        let (branching, starts, ways, alike) = Default::default();
        let mut layout = Self { suffixes, bytes, own, branching, starts, ways, alike, inside, is_json };
        layout.lists();
        layout
    }

    /// Lists the ways on of every state that has others than the state after it.
    fn lists(&mut self) {
        let mut list = Vec::new();
        for state in 0..self.suffixes.len() as u32 {
            count(2);
            list.clear();
            list.extend(self.suffixes.targets(state).map(|target| self.own[target as usize].0));
            self.list(self.own[state as usize].1, &mut list);
        }
        let mut at = 0;
        while at < self.alike.len() {
            let mut list = std::mem::take(&mut self.alike[at]);
            self.list(self.inside + at as u32, &mut list);
            at += 1;
        }
        self.starts.push(self.ways.len() as u32);
    }

    /// Adds the ways on of a state. Those by the same byte are made one, whose ways on are those of all of them.
    fn list(&mut self, at: u32, list: &mut [u32]) {
        list.sort_unstable_by_key(|&state| self.bytes[state as usize]);
        let start = self.ways.len();
        let mut rest = &list[..];
        while let [first, ..] = *rest {
            let byte = self.bytes[first as usize];
            let (group, others) = rest.split_at(rest.partition_point(|&state| self.bytes[state as usize] == byte));
            if group.len() > 1 {
                self.alike.push(group.iter().map(|state| state + 1).collect());
                self.bytes.push(byte);
            }
            self.ways.push(if group.len() > 1 { self.bytes.len() as u32 - 1 } else { first });
            rest = others;
        }
        if self.ways[start..] == [at + 1] {
            self.ways.truncate(start);
        } else {
            self.branching.push(at);
            self.starts.push(start as u32);
        }
    }

    fn finish(mut self) -> PieceAutomaton {
        let closed = self.is_json.then_some(self.bytes.len() as u32);
        if let Some(closed) = closed {
            self.bytes.push(b'"');
            self.branching.push(closed);
            self.starts.push(self.ways.len() as u32);
        }
        let states = self.bytes.len();
        let branching = Bits::new(self.branching.iter().copied(), states);
        let nearest = self.nearest(&branching);
        ask_now();
        let complete = (0..self.suffixes.len()).filter(|&state| self.suffixes.ends(state as u32));
        let complete = Bits::new(complete.map(|state| self.own[state].1), states);
        ask_now();
        let far = (0..).zip(&nearest).filter(|(_, bytes)| **bytes >= FAR.into()).map(|(at, bytes)| (at, *bytes));
        PieceAutomaton {
            far: far.collect(),
            farthest: nearest.iter().copied().max().unwrap_or(0),
            nearest: nearest.iter().map(|&bytes| u8::try_from(bytes).unwrap_or(FAR)).collect(),
            bytes: self.bytes.into(),
            branching,
            starts: self.starts.into(),
            ways: self.ways.into(),
            complete,
            closed,
        }
    }

    /// By state: bytes to the nearest end. Where not every piece may end, longer ones come first, which others go on with.
    fn nearest(&self, branching: &Bits) -> Vec<u32> {
        let (mut found, states) = (vec![0; self.bytes.len()], self.suffixes.len() as u32);
        let every_piece_ends = (1..states).all(|state| self.suffixes.ends(state));
        let order = if every_piece_ends { (0..states).rev().collect() } else { self.by_length() };
        for state in order {
            count(1);
            let (first, last) = self.own[state as usize];
            let ends = self.suffixes.ends(state);
            let bytes = if ends { self.is_json.into() } else { self.nearest_onward(last, branching, &mut found) };
            (first..=last).rev().zip(bytes..).for_each(|(at, bytes)| found[at as usize] = bytes);
        }
        for at in (self.inside..self.inside + self.alike.len() as u32).rev() {
            found[at as usize] = self.nearest_onward(at, branching, &mut found);
        }
        if self.is_json {
            found[0] = found[1] + 1;
        }
        found
    }

    /// Bytes to the nearest end after a state.
    fn nearest_onward(&self, at: u32, branching: &Bits, found: &mut [u32]) -> u32 {
        let (next, mut least) = ([at + 1], u32::MAX);
        let ways = if branching.has(at) {
            let index = branching.rank(at) as usize;
            &self.ways[self.starts[index] as usize..self.starts[index + 1] as usize]
        } else {
            &next
        };
        for &way in ways {
            if way >= self.inside {
                found[way as usize] = self.nearest_onward(way, branching, found);
            }
            least = least.min(found[way as usize] + 1);
        }
        least
    }

    /// The states of the suffixes, those of the longest pieces first.
    fn by_length(&self) -> Vec<u32> {
        let states = self.suffixes.len();
        let mut ends = vec![0_u32; states + 1];
        (0..states as u32).for_each(|state| ends[self.suffixes.length(state) as usize] += 1);
        let mut before = 0;
        for end in ends.iter_mut().rev() {
            before += std::mem::replace(end, before);
        }
        let mut order = vec![0; states];
        for state in 0..states as u32 {
            let place = &mut ends[self.suffixes.length(state) as usize];
            order[*place as usize] = state;
            *place += 1;
        }
        order
    }
}
