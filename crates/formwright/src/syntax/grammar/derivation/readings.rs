//! Whether a text has several trees.
//!
//! Two derivations may have one tree: where they cut what is ignored in two ways, or take one of two equal alternatives. So
//! trees are compared, not derivations. They are equal if their nodes have the same names and texts, wherever they begin.
//!
//! ```text
//! s: a "x"? "x"?    a: "b"        bx: two derivations, one tree s(a)
//! ```
//!
//! Of each piece of the text that a part has, the chart gives the lists of nodes that it may be, from those of its parts.
//! Two lists that differ are enough; where a `?rule` makes one node of both, they count as one. A list is told from others
//! by a hash of 61 bits; that of two lists in a row is made of theirs (Karp, Rabin 1987).
//!
//! Cost: that of the chart again.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::ast::RuleId;
use super::super::lower::parts::{OccurrenceId, Part, PartId};
use super::chart::{Chart, Item, ItemId};
use crate::error::Result;
use crate::interrupt::count;

/// A prime, modulo which lists are hashed, and the base of the hash.
const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x1234_5678_9ABC_DEF1;

/// Units of work for a piece: the memory for its lists is bounded too.
const UNITS: usize = 8;

/// What tells a node from others.
#[derive(Clone, Copy, Hash)]
enum Node<'n> {
    Blank,
    Token(&'n str, &'n [u8]),
    /// A rule, with so many children that have this hash.
    Tree(&'n str, u32, u64),
}

/// A list of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Forest {
    length: u32,
    hash: u64,
    /// The base to the power of the length.
    power: u64,
}

impl Forest {
    const EMPTY: Self = Self { length: 0, hash: 0, power: 1 };

    /// A list of one node.
    fn of(node: Node<'_>) -> Self {
        let mut hasher = DefaultHasher::new();
        node.hash(&mut hasher);
        Self { length: 1, hash: hasher.finish() % PRIME, power: BASE }
    }

    fn join(self, other: Self) -> Self {
        let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64;
        Self {
            length: self.length.saturating_add(other.length),
            hash: (times(self.hash, other.power) + other.hash) % PRIME,
            power: times(self.power, other.power),
        }
    }
}

/// At most two lists that differ.
type Forests = SmallVec<[Forest; 2]>;

fn add(forests: &mut Forests, forest: Forest) {
    if forests.len() < 2 && !forests.contains(&forest) {
        forests.push(forest);
    }
}

/// What has lists of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    /// A part that begins and ends somewhere.
    Part(PartId, u32, u32),
    /// What is read of a row or a repetition; also where it ends, if that matters.
    Item(ItemId, u32),
}

/// A way to make a list of nodes, of pieces one after the other.
struct Way {
    /// Which alternative of a rule it is.
    alternative: usize,
    pieces: SmallVec<[Piece; 2]>,
}

impl Way {
    fn of(alternative: usize, piece: Piece) -> Self {
        Self { alternative, pieces: SmallVec::from_slice(&[piece]) }
    }
}

/// Where the lists of a piece come from.
enum Source {
    /// Itself.
    Known(Forests),
    /// Other pieces; those of a rule become a node.
    Ways(Option<RuleId>, Vec<Way>),
}

/// The lists of nodes that pieces of a text may be.
pub struct Readings<'r, 'c> {
    chart: &'r mut Chart<'c>,
    known: FxHashMap<Piece, Forests>,
}

impl<'r, 'c> Readings<'r, 'c> {
    pub fn new(chart: &'r mut Chart<'c>) -> Self {
        Self { chart, known: FxHashMap::default() }
    }

    /// Whether a part that begins at one of some places and ends somewhere has several lists of nodes.
    ///
    /// # Errors
    /// Those of the languages inside the grammar.
    pub fn has_several(&mut self, part: PartId, starts: &[u32], end: u32) -> Result<bool> {
        let mut all = Forests::new();
        for &start in starts {
            let piece = Piece::Part(part, start, end);
            self.find(piece)?;
            self.known[&piece].iter().for_each(|&forest| add(&mut all, forest));
        }
        Ok(all.len() > 1)
    }

    /// Finds the lists of a piece, after those of the pieces that it is made of.
    fn find(&mut self, piece: Piece) -> Result<()> {
        let mut open = vec![piece];
        while let Some(&piece) = open.last() {
            if self.known.contains_key(&piece) {
                open.pop();
                continue;
            }
            let forests = match self.source(piece)? {
                Source::Known(forests) => forests,
                Source::Ways(rule, ways) => {
                    let pieces = ways.iter().flat_map(|way| &way.pieces).copied();
                    let before = open.len();
                    open.extend(pieces.filter(|piece| !self.known.contains_key(piece)));
                    if open.len() > before {
                        continue;
                    }
                    self.unite(rule, &ways)
                }
            };
            self.known.insert(piece, forests);
        }
        Ok(())
    }

    fn source(&mut self, piece: Piece) -> Result<Source> {
        let source = match piece {
            Piece::Part(part, start, end) => self.source_of_part(part, start, end)?,
            Piece::Item(item, whole) => self.source_of_item(item, whole),
        };
        count(UNITS);
        if let Source::Ways(_, ways) = &source {
            count(ways.len());
        }
        Ok(source)
    }

    fn source_of_part(&mut self, part: PartId, start: u32, end: u32) -> Result<Source> {
        let own = self.chart.own;
        if let Part::Occurrence(occurrence) = own.parts.get(part) {
            return Ok(Source::Known(self.lexemes(*occurrence, start, end)?));
        }
        let is_read =
            |target| matches!(own.parts.get(target), Part::Occurrence(_)) || self.chart.has_text(target, start, end);
        if !own.targets[part as usize].is_some_and(is_read) {
            return Ok(Source::Known(Forests::new()));
        }
        let item = |done: u32| {
            let item = self.chart.find(Item { part, done, start, at: end })?;
            Some(Way::of(0, self.piece_of(item, end)))
        };
        let ways = match own.parts.get(part) {
            Part::Occurrence(_) => Vec::new(),
            Part::Rule(rule) => return Ok(Source::Ways(Some(*rule), self.alternatives(*rule, start, end))),
            Part::Choice(_) => self.options(part, start, end),
            Part::Sequence(all) => item(all.len() as u32).into_iter().collect(),
            Part::Repeat(..) if start == end && own.is_optional(part) => {
                let blanks = (0..own.blanks_of(part)).map(|_| Forest::of(Node::Blank));
                return Ok(Source::Known(Forests::from_slice(&[blanks.fold(Forest::EMPTY, Forest::join)])));
            }
            Part::Repeat(_, low, high) => {
                let most = high.map_or(*low, |high| high.min(low + end - start)); // those beyond `low` are not empty
                count((most - low) as usize);
                (*low..=most).filter_map(item).collect()
            }
        };
        Ok(Source::Ways(None, ways))
    }

    fn alternatives(&self, rule: RuleId, start: u32, end: u32) -> Vec<Way> {
        let own = self.chart.own;
        let body = own.parts.rules[rule as usize];
        match own.parts.get(body) {
            Part::Choice(_) if own.rules[rule as usize].alternatives.len() > 1 => self.options(body, start, end),
            _ => vec![Way::of(0, Piece::Part(body, start, end))],
        }
    }

    fn options(&self, choice: PartId, start: u32, end: u32) -> Vec<Way> {
        let Part::Choice(all) = self.chart.own.parts.get(choice) else { return Vec::new() };
        let way = |(alternative, &option): (usize, &PartId)| {
            let may_be = self.chart.may_be_inside((choice, start, end), option, start, end);
            may_be.then(|| Way::of(alternative, Piece::Part(option, start, end)))
        };
        all.iter().enumerate().filter_map(way).collect()
    }

    fn source_of_item(&self, id: ItemId, whole: u32) -> Source {
        let item = self.chart.item(id);
        if item.done == 0 && item.start == item.at {
            return Source::Known(Forests::from_slice(&[Forest::EMPTY]));
        }
        let part = match self.chart.own.parts.get(item.part) {
            Part::Sequence(all) => all[item.done as usize - 1],
            Part::Repeat(body, ..) => *body,
            _ => return Source::Known(Forests::new()),
        };
        let way = |before: ItemId| {
            let from = self.chart.item(before).at;
            let may_be = self.chart.may_be_inside((item.part, item.start, whole), part, from, item.at);
            let pieces = [self.piece_of(before, whole), Piece::Part(part, from, item.at)];
            may_be.then(|| Way { alternative: 0, pieces: SmallVec::from_slice(&pieces) })
        };
        Source::Ways(None, self.chart.before(id).filter_map(way).collect())
    }

    fn piece_of(&self, item: ItemId, whole: u32) -> Piece {
        let is_cyclic = self.chart.own.sets.cyclic[self.chart.item(item).part as usize];
        Piece::Item(item, if is_cyclic { whole } else { u32::MAX })
    }

    fn lexemes(&mut self, occurrence: OccurrenceId, start: u32, end: u32) -> Result<Forests> {
        let mut forests = Forests::new();
        let names = &self.chart.own.names;
        for found in self.chart.scanner.ends(occurrence, start)?.iter().filter(|found| found.next == end) {
            let text = &self.chart.scanner.text[start as usize..found.lexeme as usize];
            let node = || Forest::of(Node::Token(&names.of_occurrences()[occurrence as usize], text));
            add(&mut forests, if names.is_child(occurrence) { node() } else { Forest::EMPTY });
        }
        Ok(forests)
    }

    /// The lists of all ways.
    fn unite(&self, rule: Option<RuleId>, ways: &[Way]) -> Forests {
        let mut all = Forests::new();
        for way in ways {
            let name = |forest: Forest| self.chart.own.name_of_node(rule?, way.alternative, forest.length, true);
            for forest in self.join(way) {
                let node = |name: &str| Forest::of(Node::Tree(name, forest.length, forest.hash));
                add(&mut all, name(forest).map_or(forest, |name| node(name)));
            }
        }
        all
    }

    /// The lists of one way.
    fn join(&self, way: &Way) -> Forests {
        let mut joined = Forests::from_slice(&[Forest::EMPTY]);
        for piece in &way.pieces {
            let before = std::mem::take(&mut joined);
            for &first in &before {
                self.known[piece].iter().for_each(|&second| add(&mut joined, first.join(second)));
            }
        }
        joined
    }
}
