//! The rules of a grammar as a parser generator reads them: which symbols may come one after the other.
//!
//! A *position* is a symbol in the right-hand side of a rule, and a *spot* lies between positions:
//!
//! ```text
//! s: "let" NAME ("=" e)? ";"      after NAME is a spot where "=" and ";" may come
//! ```
//!
//! Choices, optional parts and small bounded repetitions branch inside a right-hand side. Other repetitions are
//! left-recursive rules of their own, `x+ = x | x+ x`, and equal ones are one rule, as in Lark: a parser that reads one of
//! them is in the same states wherever it is.

use rustc_hash::FxHashMap;

use super::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use crate::error::{Error, Result};
use crate::interrupt::count;

/// Index of a position.
pub type PositionId = u32;

/// Index of a spot.
pub type SpotId = u32;

/// Positions that the rounds of one bounded repetition may have; with more, its rounds are not told apart.
const MOST_WRITTEN_OUT: usize = 256;

/// Most positions and ways between them.
const MOST_POSITIONS: usize = 1 << 20;

/// What helps where a grammar is too large for a parser.
pub const OTHER_LEXING: &str = "let it be read by a lexer that looks for every terminal everywhere, lexing=\"basic\", or \
                                without a lexer, lexing=\"any\"";

/// A symbol in a right-hand side.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// A terminal or another language by its name, or a rule by its number after all names.
    pub symbol: u32,
    /// The spot after it.
    pub after: SpotId,
    /// What it is, if it is not a rule.
    pub occurrence: Option<OccurrenceId>,
}

/// Between the positions of a right-hand side.
#[derive(Clone, Debug, Default)]
pub struct Spot {
    /// What may come next.
    pub next: Vec<PositionId>,
    /// Whether the right-hand side may end here.
    pub ends: bool,
    /// Whether what is left may be empty.
    pub vanishes: bool,
}

/// The right-hand sides of all rules.
#[derive(Debug, Default)]
pub struct Productions {
    /// How many symbols are not rules.
    pub names: u32,
    pub positions: Vec<Position>,
    pub spots: Vec<Spot>,
    /// By rule, those made of repetitions last: where its right-hand side begins.
    pub entries: Vec<SpotId>,
    /// By part: a number that equal parts share.
    shapes: Vec<u32>,
    /// By the shape of what is repeated: the rule of the repetition, and what is repeated in it.
    repeated: FxHashMap<u32, (u32, PartId)>,
    /// By the shape of a repetition that is not written out: its rule.
    rounds: FxHashMap<u32, u32>,
    /// By rule: whether the empty text is in it.
    nullable: Vec<bool>,
    /// By occurrence: another one in an equal repetition, or itself.
    pub alike: Vec<OccurrenceId>,
}

impl Productions {
    /// Those of all rules. Equal terminals have one name, from 0 on, and so has each other language. By part: whether the
    /// empty text is in it.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when there are too many positions.
    pub fn of(parts: &Parts, terminals: usize, nullable: &[bool]) -> Result<Self> {
        let names = (terminals + parts.foreign.len()) as u32;
        let mut all = Self { names, ..Self::default() };
        all.shapes = shapes(parts, |symbol| name(symbol, terminals));
        all.entries = vec![0; parts.rules.len()];
        all.nullable = parts.rules.iter().map(|&body| nullable[body as usize]).collect();
        all.alike = (0..parts.occurrences.len() as OccurrenceId).collect();
        let mut builder = Builder { parts, terminals, nullable, all, open: Vec::new(), size: 0 };
        for (rule, &body) in parts.rules.iter().enumerate() {
            let end = builder.end()?;
            builder.all.entries[rule] = builder.before(body, end)?;
        }
        while let Some((rule, body)) = builder.open.pop() {
            builder.repetition(rule, body)?;
        }
        Ok(builder.all)
    }

    /// One of the occurrences that are the same symbol in equal repetitions, the same for all of them.
    pub fn representative(&self, mut occurrence: OccurrenceId) -> OccurrenceId {
        while self.alike[occurrence as usize] != occurrence {
            occurrence = self.alike[occurrence as usize];
        }
        occurrence
    }

    /// The rule that a symbol is.
    pub fn rule_of(&self, symbol: u32) -> Option<usize> {
        symbol.checked_sub(self.names).map(|rule| rule as usize)
    }

    /// The name of an occurrence.
    pub fn name_of(&self, parts: &Parts, occurrence: OccurrenceId) -> u32 {
        match parts.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(terminal) => terminal,
            Symbol::Foreign(at) => self.names - parts.foreign.len() as u32 + at,
        }
    }

    /// The rule of a repetition; `None` if its rounds are written out.
    pub fn rule_of_rounds(&self, part: PartId) -> Option<u32> {
        self.rounds.get(&self.shapes[part as usize]).copied()
    }

    /// By position: whether several ways lead to it from the beginning of its right-hand side. Spots are made from the end
    /// on, so what comes after a spot has a lower index.
    pub fn joined_positions(&self) -> Vec<bool> {
        let (mut ways, mut of_positions) = (vec![0_u8; self.spots.len()], vec![0_u8; self.positions.len()]);
        self.entries.iter().for_each(|&entry| ways[entry as usize] = 1);
        for (spot, Spot { next, .. }) in self.spots.iter().enumerate().rev() {
            let own = ways[spot];
            for &position in next.iter().filter(|_| own > 0) {
                let after = &mut ways[self.positions[position as usize].after as usize];
                *after = after.saturating_add(own);
                let known = &mut of_positions[position as usize];
                *known = known.saturating_add(own);
            }
        }
        of_positions.into_iter().map(|ways| ways > 1).collect()
    }

    /// Where the right-hand side of a rule begins.
    pub fn entry(&self, rule: usize) -> &Spot {
        &self.spots[self.entries[rule] as usize]
    }

    /// The spot after a position.
    pub fn after(&self, position: PositionId) -> &Spot {
        &self.spots[self.positions[position as usize].after as usize]
    }
}

/// The number of a symbol that is not a rule.
fn name(symbol: &Symbol, terminals: usize) -> u32 {
    match symbol {
        Symbol::Terminal(terminal) => *terminal,
        Symbol::Foreign(foreign) => terminals as u32 + foreign,
    }
}

/// By part: a number that equal parts share.
fn shapes(parts: &Parts, name: impl Fn(&Symbol) -> u32) -> Vec<u32> {
    let mut ids: FxHashMap<(u8, Vec<u32>), u32> = FxHashMap::default();
    let mut shapes: Vec<u32> = Vec::with_capacity(parts.all.len());
    for part in &parts.all {
        let of = |all: &[PartId]| all.iter().map(|&part| shapes[part as usize]).collect();
        let key = match part {
            Part::Occurrence(occurrence) => (0, vec![name(&parts.occurrences[*occurrence as usize].symbol)]),
            Part::Rule(rule) => (1, vec![*rule]),
            Part::Sequence(all) => (2, of(all)),
            Part::Choice(all) => (3, of(all)),
            Part::Repeat(body, low, high) => (4, vec![shapes[*body as usize], *low, high.unwrap_or(u32::MAX)]),
        };
        count(key.1.len());
        let next = ids.len() as u32;
        shapes.push(*ids.entry(key).or_insert(next));
    }
    shapes
}

struct Builder<'b> {
    parts: &'b Parts,
    terminals: usize,
    /// By part: whether the empty text is in it.
    nullable: &'b [bool],
    all: Productions,
    /// Repetitions that were met: their rules, and what is repeated.
    open: Vec<(u32, PartId)>,
    /// Positions and ways between them so far.
    size: usize,
}

impl Builder<'_> {
    fn end(&mut self) -> Result<SpotId> {
        self.spot(Spot { ends: true, ..Spot::default() })
    }

    fn spot(&mut self, mut spot: Spot) -> Result<SpotId> {
        let vanishes = |position: &PositionId| {
            let rule = self.all.rule_of(self.all.positions[*position as usize].symbol);
            rule.is_some_and(|rule| self.all.nullable[rule]) && self.all.after(*position).vanishes
        };
        spot.vanishes = spot.ends || spot.next.iter().any(vanishes);
        self.size += 1 + spot.next.len();
        count(1 + spot.next.len());
        if self.size > MOST_POSITIONS {
            return Err(
                Error::limit("positions in the rules of a grammar", self.size, MOST_POSITIONS).hint(OTHER_LEXING)
            );
        }
        self.all.spots.push(spot);
        Ok(self.all.spots.len() as SpotId - 1)
    }

    /// The spot where one of some spots may be.
    fn either(&mut self, spots: &mut Vec<SpotId>) -> Result<SpotId> {
        spots.sort_unstable();
        spots.dedup();
        if let [only] = spots[..] {
            return Ok(only);
        }
        let mut united = Spot::default();
        for &spot in &*spots {
            let spot = &self.all.spots[spot as usize];
            count(1 + spot.next.len());
            united.next.extend(&spot.next);
            united.ends |= spot.ends;
        }
        united.next.sort_unstable();
        united.next.dedup();
        self.spot(united)
    }

    fn position(&mut self, symbol: u32, after: SpotId, occurrence: Option<OccurrenceId>) -> Result<SpotId> {
        self.all.positions.push(Position { symbol, after, occurrence });
        self.spot(Spot { next: vec![self.all.positions.len() as PositionId - 1], ..Spot::default() })
    }

    /// The spot before a part that leads to `after`.
    fn before(&mut self, part: PartId, after: SpotId) -> Result<SpotId> {
        let parts = self.parts;
        count(1);
        match parts.get(part) {
            Part::Occurrence(occurrence) => {
                let symbol = name(&parts.occurrences[*occurrence as usize].symbol, self.terminals);
                let spot = self.position(symbol, after, Some(*occurrence))?;
                if self.nullable[part as usize] { self.either(&mut vec![spot, after]) } else { Ok(spot) }
            }
            Part::Rule(rule) => self.position(self.all.names + rule, after, None),
            Part::Sequence(all) => all.iter().rev().try_fold(after, |after, &part| self.before(part, after)),
            Part::Choice(all) => {
                let mut options = all.iter().map(|&part| self.before(part, after)).collect::<Result<Vec<_>>>()?;
                self.either(&mut options)
            }
            Part::Repeat(_, _, Some(0)) => Ok(after),
            Part::Repeat(body, low, high) => self.before_rounds(part, *body, (*low, *high), after),
        }
    }

    fn before_rounds(
        &mut self,
        part: PartId,
        body: PartId,
        (low, high): (u32, Option<u32>),
        after: SpotId,
    ) -> Result<SpotId> {
        if let Some(high) = high
            && let Some(spot) = self.before_written_out(body, (low, high), after)?
        {
            return Ok(spot);
        }
        let rule = self.rule_of_repetition(body);
        self.all.rounds.insert(self.all.shapes[part as usize], rule);
        let spot = self.position(self.all.names + rule, after, None)?;
        if low == 0 { self.either(&mut vec![spot, after]) } else { Ok(spot) }
    }

    /// The spot before a bounded repetition whose rounds are written out; `None` if they are too many.
    fn before_written_out(&mut self, body: PartId, (low, high): (u32, u32), after: SpotId) -> Result<Option<SpotId>> {
        let positions = self.all.positions.len();
        let mut spot = self.before(body, after)?;
        if spot == after {
            return Ok(Some(after)); // nothing is repeated
        }
        let size = self.all.positions.len() - positions;
        if high > 1 && size.saturating_mul(high as usize) > MOST_WRITTEN_OUT {
            return Ok(None);
        }
        for round in (0..high).rev() {
            if round + 1 < high {
                spot = self.before(body, spot)?;
            }
            if round >= low {
                spot = self.either(&mut vec![spot, after])?;
            }
        }
        Ok(Some(spot))
    }

    fn rule_of_repetition(&mut self, body: PartId) -> u32 {
        let shape = self.all.shapes[body as usize];
        if let Some(&(rule, known)) = self.all.repeated.get(&shape) {
            self.unite(known, body);
            return rule;
        }
        let rule = self.all.entries.len() as u32;
        self.all.entries.push(0);
        self.all.nullable.push(self.nullable[body as usize]);
        self.all.repeated.insert(shape, (rule, body));
        self.open.push((rule, body));
        rule
    }

    /// Notes that the occurrences of two equal parts are alike.
    fn unite(&mut self, one: PartId, other: PartId) {
        let (one, other) = (self.occurrences(one), self.occurrences(other));
        for (one, other) in one.into_iter().zip(other) {
            let (one, other) = (self.all.representative(one), self.all.representative(other));
            self.all.alike[one.max(other) as usize] = one.min(other);
        }
    }

    /// The occurrences in a part, in their order.
    fn occurrences(&self, part: PartId) -> Vec<OccurrenceId> {
        let (mut open, mut found) = (vec![part], Vec::new());
        while let Some(part) = open.pop() {
            count(1);
            match self.parts.get(part) {
                Part::Occurrence(occurrence) => found.push(*occurrence),
                Part::Rule(_) => {}
                Part::Sequence(all) | Part::Choice(all) => open.extend(all.iter().rev()),
                Part::Repeat(body, ..) => open.push(*body),
            }
        }
        found
    }

    /// The right-hand side of a repetition: what is repeated, at first or after rounds before it.
    fn repetition(&mut self, rule: u32, body: PartId) -> Result<()> {
        let end = self.end()?;
        let (first, other) = (self.before(body, end)?, self.before(body, end)?);
        let rounds = self.position(self.all.names + rule, other, None)?;
        self.all.entries[rule as usize] = self.either(&mut vec![first, rounds])?;
        Ok(())
    }
}
