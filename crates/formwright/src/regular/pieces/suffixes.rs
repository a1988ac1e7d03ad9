//! The suffix automaton of a text, over its characters: its states are the pieces that begin at given places, and those
//! that can be followed by the same texts are one state.
//!
//! ```text
//! text      a  b  c  b  c          begins anywhere
//! states    ""  a  ab  abc  abcb  abcbc     and b|c, bc: what ends at 2 and at 4
//! ```
//!
//! It is built character by character, as by Blumer et al. (1985); that only some places are beginnings is as by Inenaga
//! and Takeda (2006). State `i` is the text up to its `i`th character, and all its suffixes that came nowhere else; further
//! states are made where a piece turns out to have a suffix that comes in more places.
//!
//! Cost: at most two states and three edges for each character. The empty piece is a suffix only where a
//! piece may begin, and whether it may can depend on the character that follows. So no state links to it, and it is asked
//! about when that character is read ([`Suffixes::below`]).

use crate::interrupt::{ask_now, count};
use rustc_hash::FxHashMap;

/// No state, or no edge.
const NONE: u32 = u32::MAX;

/// Edges of a state that are searched one by one.
const FEW: u32 = 6;

/// A state.
#[derive(Clone, Copy)]
struct State {
    /// Characters of its longest piece.
    length: u32,
    /// The state of the longest suffix that comes in more places.
    link: u32,
    /// The first edge of its list, beside the one to the next state of the text.
    head: u32,
    /// How many edges the list has.
    degree: u32,
}

/// An edge, in the list of its state.
#[derive(Clone, Copy)]
struct Edge {
    symbol: char,
    target: u32,
    next: u32,
}

/// The automaton. State 0 is the empty piece.
pub struct Suffixes<'t> {
    text: &'t [char],
    states: Vec<State>,
    /// By state: whether a piece ends with it.
    ends: Vec<bool>,
    /// By state after those of the text: the character before it.
    symbols: Vec<char>,
    edges: Vec<Edge>,
    /// By state and character: the edges of states that have more than a few.
    many: FxHashMap<(u32, char), u32>,
    /// Whether a piece may begin before the character that is being read.
    begins: bool,
}

impl<'t> Suffixes<'t> {
    /// The pieces of `text` from one of `starts` to one of `ends`, both ascending places between its characters. The
    /// first start is 0, and the last end the end of the text.
    pub fn new(text: &'t [char], starts: impl Iterator<Item = u32>, ends: impl Iterator<Item = u32>) -> Self {
        let of_text = |length: u32| State { length, link: NONE, head: NONE, degree: 0 };
        let mut states = Vec::with_capacity(text.len() / 2 * 3 + 1);
        states.extend((0..=text.len() as u32).map(of_text));
        let mut all = Self {
            text,
            states,
            ends: Vec::new(),
            symbols: Vec::new(),
            edges: Vec::with_capacity(text.len()),
            many: FxHashMap::default(),
            begins: false,
        };
        let mut starts = starts.peekable();
        for at in 0..text.len() as u32 {
            count(4);
            all.begins = starts.next_if_eq(&at).is_some();
            all.read(at);
        }
        ask_now();
        all.mark(ends);
        all
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether a piece ends with a state.
    pub fn ends(&self, state: u32) -> bool {
        self.ends[state as usize]
    }

    /// Characters of the longest piece of a state.
    pub fn length(&self, state: u32) -> u32 {
        self.states[state as usize].length
    }

    /// The characters before the states that are not prefixes of the text, in the order of these states.
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// The states that one more character leads to.
    pub fn targets(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let next = ((state as usize) < self.text.len()).then_some(state + 1);
        next.into_iter().chain(self.list(state).map(|(_, edge)| edge.target))
    }

    /// The edges of a state, beside the one to the next state of the text.
    fn list(&self, state: u32) -> impl Iterator<Item = (u32, Edge)> + use<'_, 't> {
        let some = |index: u32| (index != NONE).then(|| (index, self.edges[index as usize]));
        std::iter::successors(some(self.states[state as usize].head), move |(_, edge)| some(edge.next))
    }

    /// Where a character leads from a state, and the edge, if there is one in its list.
    #[inline]
    fn find(&self, state: u32, symbol: char) -> Option<(u32, u32)> {
        if self.text.get(state as usize) == Some(&symbol) {
            return Some((state + 1, NONE));
        }
        if self.states[state as usize].degree > FEW {
            return self.many.get(&(state, symbol)).map(|&edge| (self.edges[edge as usize].target, edge));
        }
        self.list(state).find(|(_, edge)| edge.symbol == symbol).map(|(index, edge)| (edge.target, index))
    }

    fn add(&mut self, state: u32, symbol: char, target: u32) {
        let (index, of) = (self.edges.len() as u32, &mut self.states[state as usize]);
        self.edges.push(Edge { symbol, target, next: of.head });
        of.head = index;
        of.degree += 1;
        if of.degree == FEW + 1 {
            let all: Vec<(u32, Edge)> = self.list(state).collect();
            self.many.extend(all.into_iter().map(|(index, edge)| ((state, edge.symbol), index)));
        } else if of.degree > FEW {
            self.many.insert((state, symbol), index);
        }
    }

    /// The next shorter suffix that is a state of its own; the last one is the empty piece, where one begins.
    #[inline]
    fn below(&self, state: u32) -> Option<u32> {
        match self.states[state as usize].link {
            _ if state == 0 => None,
            NONE => self.begins.then_some(0),
            link => Some(link),
        }
    }

    /// Reads the character `at`, which leads from the state of the text before it to the next one.
    fn read(&mut self, at: u32) {
        let (new, symbol) = (at + 1, self.text[at as usize]);
        let mut suffix = self.below(at);
        while let Some(state) = suffix {
            if let Some((known, _)) = self.find(state, symbol) {
                let is_longest = self.length(state) + 1 == self.length(known);
                self.states[new as usize].link = if is_longest { known } else { self.split(state, symbol, known, new) };
                return;
            }
            self.add(state, symbol, new);
            suffix = self.below(state);
        }
    }

    /// Parts the pieces of `known` that are suffixes of the text so far from those that are not. They are the ones that
    /// `state` and its suffixes lead to.
    fn split(&mut self, state: u32, symbol: char, known: u32, new: u32) -> u32 {
        let (part, State { link, head: mut index, .. }) = (self.len() as u32, self.states[known as usize]);
        self.states.push(State { length: self.length(state) + 1, link, head: NONE, degree: 0 });
        self.symbols.push(symbol);
        if let Some(&next) = self.text.get(known as usize) {
            self.add(part, next, known + 1);
        }
        while index != NONE {
            let Edge { symbol, target, next } = self.edges[index as usize];
            self.add(part, symbol, target);
            index = next;
        }
        self.states[known as usize].link = part;
        self.states[new as usize].link = part;
        let mut suffix = Some(state);
        while let Some(state) = suffix {
            match self.find(state, symbol) {
                Some((target, edge)) if target == known && edge != NONE => self.edges[edge as usize].target = part,
                _ => break,
            }
            suffix = self.below(state);
        }
        part
    }

    /// Marks the states that pieces end with: what is a suffix of the text up to an end.
    fn mark(&mut self, ends: impl Iterator<Item = u32>) {
        self.ends = vec![false; self.len()];
        for mut state in ends {
            while state != NONE && !std::mem::replace(&mut self.ends[state as usize], true) {
                state = self.states[state as usize].link;
            }
        }
    }
}
