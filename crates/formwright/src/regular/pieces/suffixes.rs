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
//! Cost: at most two states and three edges for each character. Wrinkle: the empty piece is a suffix only where a
//! piece may begin, and whether it may can depend on the character that follows. So no state links to it, and it is asked
//! about when that character is read ([`Suffixes::below`]).

use rustc_hash::FxHashMap;

/// No state, or no edge.
const NONE: u32 = u32::MAX;

/// Edges of a state that are searched one by one.
const FEW: u32 = 24;

/// An edge, in the list of its state.
struct Edge {
    symbol: char,
    target: u32,
    next: u32,
}

/// The automaton. State 0 is the empty piece.
pub struct Suffixes {
    /// By state: characters of its longest piece.
    lengths: Vec<u32>,
    /// By state: that of the longest suffix that comes in more places.
    links: Vec<u32>,
    /// By state: whether a piece ends with it.
    ends: Vec<bool>,
    /// By state behind those of the text: the character before it.
    symbols: Vec<char>,
    heads: Vec<u32>,
    degrees: Vec<u32>,
    edges: Vec<Edge>,
    /// The edges of states that have more than a few.
    many: FxHashMap<(u32, char), u32>,
    /// Whether a piece may begin before the character that is being read.
    begins: bool,
}

impl Suffixes {
    /// The pieces of `text` from one of `starts` to one of `ends`, both ascending places between its characters. The
    /// first start is 0, and the last end the end of the text.
    pub fn new(text: &[char], starts: impl Iterator<Item = u32>, ends: impl Iterator<Item = u32>) -> Self {
        let states = text.len() + 1;
        let mut all = Self {
            lengths: (0..states as u32).collect(),
            links: vec![NONE; states],
            ends: Vec::new(),
            symbols: Vec::new(),
            heads: vec![NONE; states],
            degrees: vec![0; states],
            edges: Vec::with_capacity(2 * states),
            many: FxHashMap::default(),
            begins: false,
        };
        let mut starts = starts.peekable();
        for (&symbol, at) in text.iter().zip(0..) {
            all.begins = starts.next_if_eq(&at).is_some();
            all.read(at, symbol);
        }
        all.mark(ends);
        all
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether a piece ends with a state.
    pub fn ends(&self, state: u32) -> bool {
        self.ends[state as usize]
    }

    /// Characters of the longest piece of a state.
    pub fn length(&self, state: u32) -> u32 {
        self.lengths[state as usize]
    }

    /// The characters before the states that are not prefixes of the text, in the order of these states.
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// The states that one more character leads to.
    pub fn targets(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        self.list(state).map(|edge| self.edges[edge as usize].target)
    }

    fn list(&self, state: u32) -> impl Iterator<Item = u32> + use<'_> {
        let some = |edge: u32| (edge != NONE).then_some(edge);
        std::iter::successors(some(self.heads[state as usize]), move |&edge| some(self.edges[edge as usize].next))
    }

    fn find(&self, state: u32, symbol: char) -> Option<u32> {
        if self.degrees[state as usize] > FEW {
            return self.many.get(&(state, symbol)).copied();
        }
        self.list(state).find(|&edge| self.edges[edge as usize].symbol == symbol)
    }

    fn add(&mut self, state: u32, symbol: char, target: u32) {
        let (edge, at) = (self.edges.len() as u32, state as usize);
        self.edges.push(Edge { symbol, target, next: self.heads[at] });
        self.heads[at] = edge;
        self.degrees[at] += 1;
        if self.degrees[at] == FEW + 1 {
            let all: Vec<(char, u32)> = self.list(state).map(|edge| (self.edges[edge as usize].symbol, edge)).collect();
            self.many.extend(all.into_iter().map(|(symbol, edge)| ((state, symbol), edge)));
        } else if self.degrees[at] > FEW {
            self.many.insert((state, symbol), edge);
        }
    }

    /// The next shorter suffix that is a state of its own; the last one is the empty piece, where one begins.
    fn below(&self, state: u32) -> Option<u32> {
        match self.links[state as usize] {
            _ if state == 0 => None,
            NONE => self.begins.then_some(0),
            link => Some(link),
        }
    }

    /// Adds the state of the text up to and with its character `at`.
    fn read(&mut self, at: u32, symbol: char) {
        let (new, mut suffix) = (at + 1, Some(at));
        while let Some(state) = suffix {
            if let Some(edge) = self.find(state, symbol) {
                let known = self.edges[edge as usize].target;
                let is_longest = self.lengths[state as usize] + 1 == self.lengths[known as usize];
                self.links[new as usize] = if is_longest { known } else { self.split(state, symbol, known, new) };
                return;
            }
            self.add(state, symbol, new);
            suffix = self.below(state);
        }
    }

    /// Parts the pieces of `known` that are suffixes of the text so far from those that are not. They are the ones that
    /// `state` and its suffixes lead to.
    fn split(&mut self, state: u32, symbol: char, known: u32, new: u32) -> u32 {
        let part = self.lengths.len() as u32;
        self.lengths.push(self.lengths[state as usize] + 1);
        self.links.push(self.links[known as usize]);
        self.heads.push(NONE);
        self.degrees.push(0);
        self.symbols.push(symbol);
        let edges: Vec<u32> = self.list(known).collect();
        for edge in edges {
            let Edge { symbol, target, .. } = self.edges[edge as usize];
            self.add(part, symbol, target);
        }
        self.links[known as usize] = part;
        self.links[new as usize] = part;
        let mut suffix = Some(state);
        while let Some(state) = suffix {
            match self.find(state, symbol) {
                Some(edge) if self.edges[edge as usize].target == known => self.edges[edge as usize].target = part,
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
                state = self.links[state as usize];
            }
        }
    }
}
