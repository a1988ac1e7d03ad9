//! A pattern as a program of threads: ordered, as Perl tries them.
//!
//! ```text
//! ab|a      0 split 1, 3     1 class a     2 class b, then match     3 class a, then match
//! ```
//!
//! A thread waits for a character or has matched; the first thread of a list is what is tried first (Pike's machine, as
//! Cox 2009 tells it). A match may depend on what comes next.
//!
//! Characters that no class of the pattern tells apart are one *minterm*; there are at most 64, so a class is a word.
//!
//! Cost: a step looks at each thread once. A possessive repetition is run as a greedy one. That is the same where
//! what follows cannot begin with what it would give back; other patterns are refused.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use smallvec::SmallVec;

use super::pattern::{Node, Repeat};
use crate::error::{Error, Result};

/// A set of minterms of characters, a bit each.
pub type Minterms = u64;

/// The minterm of a character, as its number.
pub type Minterm = u8;

/// Index of an instruction.
pub type Thread = u16;

/// Threads in the order in which they are tried.
pub type Threads = SmallVec<[Thread; 8]>;

/// Most minterms.
pub const MOST_MINTERMS: usize = 64;

/// Most instructions.
const MOST_INSTRUCTIONS: usize = 512;

/// When a match counts: by the minterm of the next character, or at the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// If a character of these comes next.
    pub minterms: Minterms,
    /// If the text ends.
    pub at_end: bool,
}

impl Next {
    /// Whatever comes.
    const ANY: Self = Self { minterms: Minterms::MAX, at_end: true };

    /// Whether it counts before a character of a minterm; `None` is the end of the text.
    pub fn holds(self, next: Option<Minterm>) -> bool {
        next.map_or(self.at_end, |minterm| self.minterms >> minterm & 1 == 1)
    }
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    Class(Minterms),
    Split(Thread, Thread),
    Match(Next),
}

/// The minterms of all characters.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// First characters of runs of one minterm, ascending, with their minterms.
    starts: Vec<(char, Minterm)>,
    ascii: [Minterm; 128],
}

impl Alphabet {
    fn new(classes: &[ClassUnicode]) -> Result<Self> {
        let mut cuts = vec!['\0'];
        let after = |c: char| char::from_u32(u32::from(c) + 1).or((c == '\u{D7FF}').then_some('\u{E000}'));
        for range in classes.iter().flat_map(ClassUnicode::iter) {
            cuts.push(range.start());
            cuts.extend(after(range.end()));
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut signatures: Vec<Vec<bool>> = Vec::new();
        let mut starts: Vec<(char, Minterm)> = Vec::new();
        for start in cuts {
            let signature: Vec<bool> = classes.iter().map(|class| contains(class, start)).collect();
            let minterm = signatures.iter().position(|known| *known == signature).unwrap_or_else(|| {
                signatures.push(signature);
                signatures.len() - 1
            });
            starts.push((start, minterm as Minterm));
            if signatures.len() > MOST_MINTERMS {
                return Err(Error::limit("minterms of characters of a pattern", signatures.len(), MOST_MINTERMS));
            }
        }
        starts.dedup_by_key(|&mut (_, minterm)| minterm);
        let mut alphabet = Self { starts, ascii: [0; 128] };
        for byte in 0..128_u8 {
            alphabet.ascii[usize::from(byte)] = alphabet.search(char::from(byte));
        }
        Ok(alphabet)
    }

    fn search(&self, c: char) -> Minterm {
        self.starts[self.starts.partition_point(|&(start, _)| start <= c) - 1].1
    }

    /// The minterm of a character.
    #[inline]
    pub fn minterm(&self, c: char) -> Minterm {
        if c.is_ascii() { self.ascii[c as usize] } else { self.search(c) }
    }

    /// The minterms of characters whose encoding begins with some bytes.
    pub fn begun_by(&self, bytes: &[u8]) -> Minterms {
        let Some((first, last)) = begun_by(bytes) else { return 0 };
        let from = self.starts.partition_point(|&(start, _)| start <= first) - 1;
        let begun = self.starts[from..].iter().take_while(|&&(start, _)| start <= last);
        begun.fold(0, |all, &(_, minterm)| all | 1 << minterm)
    }

    /// All minterms.
    fn all(&self) -> Minterms {
        self.starts.iter().fold(0, |all, &(_, minterm)| all | 1 << minterm)
    }

    fn minterms(&self, class: &ClassUnicode) -> Minterms {
        self.starts
            .iter()
            .filter(|&&(start, _)| contains(class, start))
            .fold(0, |all, &(_, minterm)| all | 1 << minterm)
    }
}

/// The first and the last character whose encoding begins with some bytes, which are not all of it. Where the bytes
/// after them would be too low or too high for a character, so are these two, by a little.
fn begun_by(bytes: &[u8]) -> Option<(char, char)> {
    let (&lead, rest) = bytes.split_first()?;
    let (length, bits) = match lead {
        0xC2..=0xDF => (2, u32::from(lead & 0x1F)),
        0xE0..=0xEF => (3, u32::from(lead & 0x0F)),
        0xF0..=0xF4 => (4, u32::from(lead & 0x07)),
        _ => return None,
    };
    let known = rest.iter().fold(bits, |known, byte| known << 6 | u32::from(byte & 0x3F));
    let missing = 6 * u32::checked_sub(length, bytes.len() as u32)?;
    let (first, last) = (known << missing, known << missing | ((1 << missing) - 1));
    let is_surrogate = |point: u32| (0xD800..0xE000).contains(&point);
    let first = char::from_u32(if is_surrogate(first) { 0xE000 } else { first })?;
    let last = char::from_u32(if is_surrogate(last) { 0xD7FF } else { last.min(0x10_FFFF) })?;
    Some((first, last))
}

fn contains(class: &ClassUnicode, c: char) -> bool {
    let ranges: &[ClassUnicodeRange] = class.ranges();
    let at = ranges.partition_point(|range| range.end() < c);
    ranges.get(at).is_some_and(|range| range.start() <= c)
}

/// A pattern, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The minterms that the pattern tells apart.
    pub alphabet: Alphabet,
    instructions: Vec<Instruction>,
    /// Where each piece begins.
    start: Threads,
}

impl Program {
    /// Of a pattern that matches a piece wherever text is left, whatever comes after it.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`] for patterns that pass over some text, or whose possessive repetitions matter.
    pub fn new(node: &Node) -> Result<Self> {
        let mut classes = Vec::new();
        collect(node, &mut classes);
        let alphabet = Alphabet::new(&classes)?;
        let mut program = Self { alphabet, instructions: Vec::new(), start: Threads::new() };
        program.compile(node, Rest::END, true)?;
        program.push(Instruction::Match(Next::ANY))?;
        let mut start = Threads::new();
        program.add(0, &mut start);
        program.start = start;
        program.check_tiling()?;
        Ok(program)
    }

    /// The threads with which a piece begins.
    pub fn start(&self) -> &Threads {
        &self.start
    }

    /// The threads after a character of a minterm.
    pub fn step(&self, threads: &[Thread], minterm: Minterm) -> Threads {
        let mut after = Threads::new();
        for &thread in threads {
            if let Instruction::Class(minterms) = self.instructions[usize::from(thread)]
                && minterms >> minterm & 1 == 1
            {
                self.add(thread + 1, &mut after);
            }
        }
        after
    }

    /// When the match of a thread counts; `None` for one that waits for a character.
    pub fn match_of(&self, thread: Thread) -> Option<Next> {
        match self.instructions[usize::from(thread)] {
            Instruction::Match(next) => Some(next),
            _ => None,
        }
    }

    /// Whether the match of a thread counts whatever comes.
    pub fn matches_always(&self, thread: Thread) -> bool {
        self.match_of(thread) == Some(Next::ANY)
    }

    /// Where the first match counts, if a character of a minterm comes next.
    pub fn first_match(&self, threads: &[Thread], next: Option<Minterm>) -> Option<usize> {
        threads.iter().position(|&thread| self.match_of(thread).is_some_and(|condition| condition.holds(next)))
    }

    /// Adds an instruction with all that it splits into; nothing after a match that always counts.
    fn add(&self, at: Thread, threads: &mut Threads) {
        let (mut open, mut split) = (SmallVec::<[Thread; 16]>::from_slice(&[at]), SmallVec::<[Thread; 16]>::new());
        while let Some(at) = open.pop() {
            if threads.last().is_some_and(|&last| self.matches_always(last)) {
                return;
            }
            match self.instructions[usize::from(at)] {
                Instruction::Split(..) if split.contains(&at) => {}
                Instruction::Split(first, second) => {
                    split.push(at);
                    open.extend([second, first]);
                }
                _ if threads.contains(&at) => {}
                _ => threads.push(at),
            }
        }
    }

    /// Every character must be a piece if nothing else: then all text is cut into pieces.
    fn check_tiling(&self) -> Result<()> {
        let all = self.alphabet.all();
        let is_piece =
            |minterm: Minterm| self.step(&self.start, minterm).iter().any(|&thread| self.matches_always(thread));
        if self.start.iter().any(|&at| self.match_of(at).is_some()) {
            return Err(Error::vocabulary("pre-tokenizer: the pattern matches the empty text"));
        }
        let missing = (0..64).find(|&minterm| all >> minterm & 1 == 1 && !is_piece(minterm));
        let Some(minterm) = missing else { return Ok(()) };
        let sample = self.alphabet.starts.iter().find(|&&(_, of)| of == minterm).map_or(' ', |&(start, _)| start);
        Err(Error::vocabulary(format!(
            "pre-tokenizer: {sample:?} alone is not a piece, so the pattern may pass over text"
        )))
    }

    // Compiling.

    fn push(&mut self, instruction: Instruction) -> Result<Thread> {
        if self.instructions.len() >= MOST_INSTRUCTIONS {
            return Err(Error::limit("instructions of a pattern", self.instructions.len() + 1, MOST_INSTRUCTIONS));
        }
        self.instructions.push(instruction);
        Ok(self.instructions.len() as Thread - 1)
    }

    /// Emits a node, which falls through to what follows. `rest` is what may follow, `is_last` whether nothing does.
    fn compile(&mut self, node: &Node, rest: Rest, is_last: bool) -> Result<()> {
        match node {
            Node::Empty => {}
            Node::Class(class) => {
                let minterms = self.alphabet.minterms(class);
                self.push(Instruction::Class(minterms))?;
            }
            Node::Next { class, at_end } if is_last => {
                let next = Next { minterms: self.alphabet.minterms(class), at_end: *at_end };
                self.push(Instruction::Match(next))?;
            }
            Node::Next { .. } => {
                return Err(Error::vocabulary("pre-tokenizer: a look-ahead is not at the end of an alternative"));
            }
            Node::Concat(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let after = parts[at + 1..].iter().rev().fold(rest, |rest, part| self.begins(part, rest));
                    self.compile(part, after, is_last && at + 1 == parts.len())?;
                }
            }
            Node::Alternatives(all) => self.alternatives(all, rest, is_last)?,
            Node::Repeat(repeat) => self.repeat(repeat, rest)?,
        }
        Ok(())
    }

    fn alternatives(&mut self, all: &[Node], rest: Rest, is_last: bool) -> Result<()> {
        let mut ends = Vec::new();
        for (at, node) in all.iter().enumerate() {
            let split = if at + 1 < all.len() { Some(self.push(Instruction::Split(0, 0))?) } else { None };
            self.compile(node, rest, is_last)?;
            if let Some(split) = split {
                ends.push(self.push(Instruction::Split(0, 0))?);
                self.instructions[usize::from(split)] =
                    Instruction::Split(split + 1, self.instructions.len() as Thread);
            }
        }
        let end = self.instructions.len() as Thread;
        for jump in ends {
            self.instructions[usize::from(jump)] = Instruction::Split(end, end);
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat, rest: Rest) -> Result<()> {
        let Repeat { body, low, high, possessive } = repeat;
        if *possessive {
            self.check_possessive(body, rest)?;
        }
        let again = self.begins(body, rest).or(rest);
        for _ in 0..*low {
            self.compile(body, again, false)?;
        }
        let Some(high) = high else {
            let split = self.push(Instruction::Split(0, 0))?;
            self.compile(body, again, false)?;
            let back = self.push(Instruction::Split(split, split))?;
            self.instructions[usize::from(split)] = Instruction::Split(split + 1, back + 1);
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in *low..*high {
            splits.push(self.push(Instruction::Split(0, 0))?);
            self.compile(body, again, false)?;
        }
        let end = self.instructions.len() as Thread;
        for split in splits {
            self.instructions[usize::from(split)] = Instruction::Split(split + 1, end);
        }
        Ok(())
    }

    /// A possessive repetition is a greedy one if nothing that follows can begin with a character it would give back.
    fn check_possessive(&self, body: &Node, rest: Rest) -> Result<()> {
        if let Node::Class(class) = body {
            let given_back = self.alphabet.minterms(class);
            let is_read = rest.first & given_back != 0;
            let is_seen = rest.empty.is_some_and(|next| next != Next::ANY && next.minterms & given_back != 0);
            if !is_read && !is_seen {
                return Ok(());
            }
        }
        Err(Error::vocabulary(
            "pre-tokenizer: a possessive repetition differs from a greedy one here: what follows can begin with a character it consumes",
        ))
    }

    /// What a node begins with, when `rest` follows.
    fn begins(&self, node: &Node, rest: Rest) -> Rest {
        match node {
            Node::Empty => rest,
            Node::Class(class) => Rest { first: self.alphabet.minterms(class), empty: None },
            Node::Next { class, at_end } => {
                Rest { first: 0, empty: Some(Next { minterms: self.alphabet.minterms(class), at_end: *at_end }) }
            }
            Node::Concat(parts) => parts.iter().rev().fold(rest, |rest, part| self.begins(part, rest)),
            Node::Alternatives(all) => all.iter().map(|node| self.begins(node, rest)).reduce(Rest::or).unwrap_or(rest),
            Node::Repeat(repeat) => {
                let body = self.begins(&repeat.body, rest);
                if repeat.low == 0 { body.or(rest) } else { body }
            }
        }
    }
}

/// What may follow a part of a pattern.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// Characters.
    first: Minterms,
    /// The end of the match, and when it counts.
    empty: Option<Next>,
}

impl Rest {
    const END: Self = Self { first: 0, empty: Some(Next::ANY) };

    fn or(self, other: Self) -> Self {
        let both = |a: Next, b: Next| Next { minterms: a.minterms | b.minterms, at_end: a.at_end || b.at_end };
        let empty = match (self.empty, other.empty) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (a, b) => a.or(b),
        };
        Self { first: self.first | other.first, empty }
    }
}

fn collect(node: &Node, classes: &mut Vec<ClassUnicode>) {
    match node {
        Node::Empty => {}
        Node::Class(class) | Node::Next { class, .. } => classes.push(class.clone()),
        Node::Concat(parts) | Node::Alternatives(parts) => parts.iter().for_each(|part| collect(part, classes)),
        Node::Repeat(repeat) => collect(&repeat.body, classes),
    }
}
