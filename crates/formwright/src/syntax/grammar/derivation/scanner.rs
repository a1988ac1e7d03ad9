//! Where the lexemes and the trivia of one text end.
//!
//! A lexeme is the longest match of the terminals that a lexer looks for where it begins ([`super::super::lower::lexer`]
//! has its rules), or any match where there is no lexer. Another language takes any of its texts.

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::{Grammar, TerminalId};
use super::super::lower::bits::Bits;
use super::super::lower::lexer::{Found, RivalsId, wins_if_longer, wins_if_shorter};
use super::super::lower::parts::{OccurrenceId, Symbol};
use super::super::lower::places::PlaceId;
use super::super::lower::terminals::TerminalInfo;
use super::super::lower::{Materials, Tables};
use super::Derivations;
use crate::error::Result;
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::{ByteSet, LOST, Tag, TaggedAutomaton, TaggedState};

/// How texts are cut into lexemes.
pub enum Cutting {
    /// In any way; an automaton for each terminal.
    Any { automata: Vec<TaggedAutomaton>, ignored: Vec<TerminalId> },
    /// By a lexer.
    Lexer(Box<Lexer>),
}

/// A lexer: what it looks for, and where.
pub struct Lexer {
    tables: Tables,
    terminals: Vec<TerminalInfo>,
    ignored: Vec<TerminalId>,
}

impl Cutting {
    /// That of a grammar with the tables of its lexer, if it has one.
    ///
    /// # Errors
    /// As [`super::super::lower::lower`].
    pub fn new(grammar: &Grammar, tables: Option<Tables>, materials: &Materials, limits: &Limits) -> Result<Self> {
        let (terminals, ignored) = (&materials.terminals, grammar.ignored.clone());
        if let Some(tables) = tables {
            return Ok(Self::Lexer(Box::new(Lexer { tables, terminals: terminals.clone(), ignored })));
        }
        let automaton = |info: &TerminalInfo| TaggedAutomaton::new(std::slice::from_ref(&info.tree), &[], limits);
        Ok(Self::Any { automata: terminals.iter().map(automaton).collect::<Result<_>>()?, ignored })
    }

    pub fn has_lexer(&self) -> bool {
        matches!(self, Self::Lexer(_))
    }

    fn ignored(&self) -> &[TerminalId] {
        match self {
            Self::Any { ignored, .. } => ignored,
            Self::Lexer(lexer) => &lexer.ignored,
        }
    }

    /// The automaton that reads a terminal, and its tag there.
    fn automaton(&self, terminal: TerminalId) -> (&TaggedAutomaton, Tag) {
        match self {
            Self::Any { automata, .. } => (&automata[terminal as usize], 0),
            Self::Lexer(lexer) => (&lexer.tables.automaton, terminal),
        }
    }

    /// The bytes that begin texts of a terminal; all that begin longer characters, if one does.
    pub fn first(&self, terminal: TerminalId) -> ByteSet {
        let (automaton, tag) = self.automaton(terminal);
        let begins = |minterm| automaton.alive(automaton.step(automaton.start(), minterm)).binary_search(&tag).is_ok();
        let mut first = ByteSet::default();
        for &(low, high) in automaton.ranges_of(begins).iter() {
            if low.is_ascii() {
                first.insert_all(low as u8..=u8::try_from(high).unwrap_or(0x7F).min(0x7F));
            }
            if !high.is_ascii() {
                first.insert_all(0xC2..=0xF4);
            }
        }
        first
    }

    /// The bytes that begin what is ignored.
    pub fn first_of_trivia(&self) -> ByteSet {
        self.ignored().iter().fold(ByteSet::default(), |first, &terminal| first.union(&self.first(terminal)))
    }
}

/// The end of a lexeme, and that of the trivia after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// After the trivia.
    pub next: u32,
    /// After the lexeme.
    pub lexeme: u32,
}

/// The end of a text, and the terminals that it is one of.
struct Match {
    end: u32,
    state: TaggedState,
    /// Those that depend on what follows, and whether the right text does.
    others: Box<[(Tag, bool)]>,
}

impl Match {
    fn tags<'m>(&'m self, automaton: &'m TaggedAutomaton) -> impl Iterator<Item = Tag> + 'm {
        let certain = automaton.accepts(self.state).iter().filter(|tag| !automaton.is_followed(**tag));
        certain.copied().chain(self.others.iter().filter(|(_, holds)| *holds).map(|(tag, _)| *tag))
    }

    fn holds(&self, tag: Tag) -> bool {
        self.others.contains(&(tag, true))
    }
}

/// Reads the lexemes of one text.
pub struct Scanner<'s> {
    own: &'s Derivations,
    pub text: &'s [u8],
    /// Whether any match is a lexeme, though there is a lexer.
    is_loose: bool,
    /// By where they begin: the matches of the automaton of all terminals.
    matches: FxHashMap<u32, Rc<[Match]>>,
    ends: FxHashMap<(OccurrenceId, u32), Rc<[End]>>,
}

impl<'s> Scanner<'s> {
    pub fn new(own: &'s Derivations, text: &'s [u8], is_loose: bool) -> Self {
        Self { own, text, is_loose, matches: FxHashMap::default(), ends: FxHashMap::default() }
    }

    /// Where an occurrence that begins somewhere may end, longer ones first.
    pub fn ends(&mut self, occurrence: OccurrenceId, from: u32) -> Result<Rc<[End]>> {
        if let Some(known) = self.ends.get(&(occurrence, from)) {
            return Ok(Rc::clone(known));
        }
        let lexemes = match *self.own.symbol(occurrence) {
            Symbol::Terminal(terminal) => {
                self.lexemes(terminal, |tables| tables.at_occurrence[occurrence as usize], from)
            }
            Symbol::Foreign(at) => {
                let language = &self.own.foreign[at as usize].language;
                let ends = language.ends(&self.text[from as usize..])?;
                count(ends.len());
                ends.into_iter().map(|end| from + end as u32).collect()
            }
        };
        let mut ends: Vec<End> = Vec::new();
        for lexeme in lexemes {
            let after = self.trivia(|tables| tables.after[occurrence as usize], lexeme);
            ends.extend(after.into_iter().map(|next| End { next, lexeme }));
        }
        ends.sort_unstable_by_key(|end| std::cmp::Reverse((end.lexeme, end.next)));
        let ends: Rc<[End]> = ends.into();
        self.ends.insert((occurrence, from), Rc::clone(&ends));
        Ok(ends)
    }

    /// Where a text may begin, after what is ignored before it; longer trivia first.
    pub fn starts(&mut self) -> Vec<u32> {
        let mut starts = if self.own.ignores_at_start { self.trivia(|_| 0, 0) } else { vec![0] };
        starts.sort_unstable_by_key(|&start| std::cmp::Reverse(start));
        starts
    }

    /// Where trivia may end that begins at the end of a lexeme, in a place.
    fn trivia(&mut self, place: impl Fn(&Tables) -> PlaceId, from: u32) -> Vec<u32> {
        let own = self.own;
        let (mut ends, mut at) = (IndexSet::<u32, FxBuildHasher>::from_iter([from]), 0);
        while let Some(&begin) = ends.get_index(at) {
            for &terminal in own.cutting.ignored() {
                ends.extend(self.lexemes(terminal, |tables| tables.at_place[place(tables) as usize], begin));
            }
            at += 1;
        }
        ends.into_iter().collect()
    }

    /// Where the texts of a terminal that a lexer takes, among some rivals, end.
    fn lexemes(&mut self, own: TerminalId, rivals: impl Fn(&Tables) -> RivalsId, from: u32) -> Vec<u32> {
        let cutting = &self.own.cutting;
        let (automaton, tag) = cutting.automaton(own);
        let matches = self.matches(automaton, from);
        let is_own = |found: &&Match| found.tags(automaton).any(|own| own == tag);
        match cutting {
            Cutting::Lexer(lexer) if !self.is_loose => {
                lexer.lexeme(&matches, own, &lexer.tables.sets[rivals(&lexer.tables)], from).into_iter().collect()
            }
            _ => matches.iter().filter(is_own).map(|found| found.end).collect(),
        }
    }

    /// The ends of all matches of an automaton, ascending.
    fn matches(&mut self, automaton: &TaggedAutomaton, from: u32) -> Rc<[Match]> {
        let is_shared = self.own.cutting.has_lexer();
        if let Some(known) = self.matches.get(&from).filter(|_| is_shared) {
            return Rc::clone(known);
        }
        let (mut state, mut at, mut found) = (automaton.start(), from as usize, Vec::new());
        loop {
            let rest = &self.text[at..];
            let others =
                automaton.accepts_if(state).map(|(tag, after)| (tag, is_followed_by(automaton, (tag, after), rest)));
            let others: Box<[(Tag, bool)]> = others.collect();
            if !automaton.accepts(state).is_empty() || !others.is_empty() {
                found.push(Match { end: at as u32, state, others });
            }
            let Some(c) = character(&self.text[at..]) else { break };
            state = automaton.step(state, automaton.minterm(c));
            at += c.len_utf8();
            if state == LOST {
                break;
            }
        }
        count(1 + (at - from as usize) / 8 + found.len()); // what is kept counts, too
        let found: Rc<[_]> = found.into();
        if is_shared {
            self.matches.insert(from, Rc::clone(&found));
        }
        found
    }
}

impl Lexer {
    /// The end of the match that a lexer takes for a terminal, among some rivals, if it does.
    fn lexeme(&self, matches: &[Match], own: TerminalId, rivals: &Bits, from: u32) -> Option<u32> {
        let info = &self.terminals[own as usize];
        let tags = |found: &Match| {
            let all: Vec<Tag> = found.tags(&self.tables.automaton).collect();
            all.into_iter().filter(|&tag| tag == own || rivals.contains(tag))
        };
        let other = |tag: Tag| &self.terminals[tag as usize];
        let is_longest = |tag: Tag| tag == own || wins_if_longer(other(tag), info);
        let longest = matches.iter().rfind(|found| tags(found).any(is_longest))?;
        let found = Found { automaton: &self.tables.automaton, terminals: &self.terminals, state: longest.state };
        let is_other = tags(longest).any(|tag| found.is_taken_by(tag, own))
            || found.deciding(own, rivals).iter().any(|&(tag, _)| !longest.holds(tag));
        let cuts = |tag: Tag| tag != own && wins_if_shorter(other(tag), info);
        let is_cut = matches.iter().any(|found| found.end > from && found.end < longest.end && tags(found).any(cuts));
        (tags(longest).any(|tag| tag == own) && !is_other && !is_cut).then_some(longest.end)
    }
}

/// Whether a text is what a terminal depends on, from the state after the mark on.
fn is_followed_by(automaton: &TaggedAutomaton, (tag, mut after): (Tag, TaggedState), text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(c) = character(&text[at..]) {
        let next = automaton.step(after, automaton.minterm(c));
        at += c.len_utf8();
        if !automaton.alive(next).contains(&tag) || next == after && automaton.is_settled(next) {
            after = next;
            break;
        }
        after = next;
    }
    count(at / 8);
    automaton.accepts(after).contains(&tag)
}

/// The character at the beginning of a text; none at its end and in the letter of a control token.
fn character(text: &[u8]) -> Option<char> {
    match text {
        [] => None,
        [ascii @ ..0x80, ..] => Some(char::from(*ascii)),
        [first, ..] => {
            let length = match first {
                0xC2..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0..=0xF4 => 4,
                _ => return None,
            };
            std::str::from_utf8(text.get(..length)?).ok()?.chars().next()
        }
    }
}
