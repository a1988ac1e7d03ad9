//! The first of all derivations of a text.
//!
//! A part is entered with where it begins and all places where it may end, so that what comes after it can be read too. Of
//! what is left open there, the first way is taken that leads to one of these ends:
//!
//! ```text
//! s: a b?    a: "x" | "x" "y"    b: "y"        xy: the row may end at 2, so `a` may end at 1 or 2
//!                                              `a` takes its first alternative, and ends at 1
//! ```
//!
//! The ends of the parts of a row are found from the last one back to the first, along the items of the chart. Where a part
//! could be inside itself with the same text, it is entered with one end, the last of them, and what is inside it with the
//! same text must have been found before it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::lower::parts::{OccurrenceId, Part, PartId};
use super::chart::{Chart, Item, ItemId};
use super::nodes::Nodes;
use super::readings::Readings;
use super::{Derivation, Derivations};
use crate::error::Result;
use crate::interrupt::count;

/// Places where a part may end, ascending.
type Ends = Vec<u32>;

/// What is open on the way to a place.
enum Frame {
    /// A rule, and where it began.
    Rule(PartId, u32),
    Row(Row),
    Rounds(Rounds),
}

/// A row of parts.
struct Row {
    part: PartId,
    done: usize,
    /// By part done: the ways through it, from where it begins to where it ends.
    ways: Vec<Vec<(u32, u32)>>,
}

/// A repetition.
struct Rounds {
    part: PartId,
    /// The rounds that are done.
    item: ItemId,
    /// Whether another one has begun.
    is_open: bool,
    /// By item: those with a round more that lead to an end.
    next: FxHashMap<ItemId, Vec<ItemId>>,
    ends: Ends,
}

/// The first derivation of the whole text; with `asks`, also whether it has several trees.
///
/// # Errors
/// Those of the languages inside the grammar.
pub fn first_derivation(chart: Chart<'_>, asks: bool) -> Result<Option<Derivation>> {
    let (own, end) = (chart.own, chart.end());
    let (nodes, frames, rules) = (Nodes::new(own), Vec::new(), Vec::new());
    let mut walk = Walk { own, nodes, chart, asks, frames, rules, inner: None };
    let mut starts = walk.chart.scanner.starts();
    starts.retain(|&start| walk.chart.has_text(own.root, start, end));
    let Some(&start) = starts.first() else { return Ok(None) };
    let mut done = walk.enter(own.root, start, vec![end])?;
    while let Some(frame) = walk.frames.pop() {
        done = walk.resume(frame, done)?;
    }
    let ambiguous = if asks { walk.ambiguous_place(&starts)? } else { None };
    Ok(Some(walk.nodes.finish(ambiguous)))
}

struct Walk<'w> {
    own: &'w Derivations,
    chart: Chart<'w>,
    nodes: Nodes<'w>,
    /// Whether other trees are looked for.
    asks: bool,
    frames: Vec<Frame>,
    /// The rules that were read, those inside others before them.
    rules: Vec<ReadRule>,
    /// The first place in a grammar inside this one whose text has several trees.
    inner: Option<(u32, u32)>,
}

/// A rule that was read.
struct ReadRule {
    part: PartId,
    start: u32,
    end: u32,
    /// Before what is ignored at its end.
    last: u32,
}

impl Walk<'_> {
    /// The first of the smallest rules whose text has several trees, if the whole text has.
    fn ambiguous_place(&mut self, starts: &[u32]) -> Result<Option<(u32, u32)>> {
        if self.inner.is_some() {
            return Ok(self.inner);
        }
        let end = self.chart.end();
        let mut readings = Readings::new(&mut self.chart);
        if !readings.has_several(self.own.root, starts, end)? {
            return Ok(None);
        }
        for rule in &self.rules {
            if readings.has_several(rule.part, &[rule.start], rule.end)? {
                return Ok(Some((rule.start, rule.last)));
            }
        }
        Ok(Some((0, end)))
    }

    /// Enters a part that begins somewhere; where it ends, once it is read, or so far where frames were opened.
    fn enter(&mut self, mut part: PartId, start: u32, mut ends: Ends) -> Result<u32> {
        loop {
            count(1);
            match self.own.parts.get(part) {
                Part::Rule(rule) => {
                    self.nodes.open(*rule, start);
                    self.frames.push(Frame::Rule(part, start));
                    part = self.own.parts.rules[*rule as usize];
                }
                Part::Choice(_) => {
                    self.pin(part, &mut ends);
                    let Some(chosen) = self.choose(part, start, &ends)? else { return Ok(start) };
                    (part, ends) = chosen;
                }
                Part::Occurrence(occurrence) => return self.read(*occurrence, start, &ends),
                Part::Sequence(all) => {
                    self.pin(part, &mut ends);
                    let row = self.row(part, all.len(), start, &ends);
                    self.frames.push(Frame::Row(row));
                    return Ok(start);
                }
                Part::Repeat(..) => {
                    self.pin(part, &mut ends);
                    let rounds = self.rounds(part, start, ends);
                    self.frames.push(Frame::Rounds(rounds));
                    return Ok(start);
                }
            }
        }
    }

    /// Goes on after a part that ended somewhere.
    fn resume(&mut self, frame: Frame, at: u32) -> Result<u32> {
        match frame {
            Frame::Rule(part, start) => {
                let last = self.nodes.close();
                self.rules.push(ReadRule { part, start, end: at, last });
                Ok(at)
            }
            Frame::Row(row) => self.next_part(row, at),
            Frame::Rounds(rounds) => self.next_round(rounds, at),
        }
    }

    /// Where a part may be inside itself with the same text, it has one end.
    fn pin(&self, part: PartId, ends: &mut Ends) {
        if self.own.sets.cyclic[part as usize] {
            ends.drain(..ends.len().saturating_sub(1));
        }
    }

    /// The first option that leads to some ends, and these.
    fn choose(&mut self, choice: PartId, start: u32, ends: &[u32]) -> Result<Option<(PartId, Ends)>> {
        for &option in self.own.options(choice) {
            let kept = self.ends_of(option, start, ends, choice)?;
            if !kept.is_empty() {
                self.nodes.choose(choice, option);
                return Ok(Some((option, kept)));
            }
        }
        Ok(None)
    }

    /// Those of some ends at which a text of an option ends.
    fn ends_of(&mut self, option: PartId, start: u32, ends: &[u32], choice: PartId) -> Result<Ends> {
        count(ends.len());
        let Some(target) = self.own.targets[option as usize] else { return Ok(Vec::new()) };
        if let Part::Occurrence(occurrence) = self.own.parts.get(target) {
            if !self.chart.may_begin(target, start) {
                return Ok(Vec::new());
            }
            let found = self.chart.scanner.ends(*occurrence, start)?;
            return Ok(ends.iter().copied().filter(|end| found.iter().any(|found| found.next == *end)).collect());
        }
        let is_read = |&end: &u32| {
            self.chart.has_text(target, start, end)
                && self.chart.may_be_inside((choice, start, end), target, start, end)
        };
        Ok(ends.iter().copied().filter(is_read).collect())
    }

    /// Reads a lexeme, and what is ignored after it.
    fn read(&mut self, occurrence: OccurrenceId, start: u32, ends: &[u32]) -> Result<u32> {
        let found = self.chart.scanner.ends(occurrence, start)?;
        let Some(&first) = found.iter().find(|end| ends.contains(&end.next)) else { return Ok(start) };
        let text = &self.chart.scanner.text[start as usize..first.lexeme as usize];
        match self.own.inner(occurrence).map(|inner| inner.read_bytes(text, self.asks)).transpose()?.flatten() {
            Some(found) => {
                self.inner = self.inner.or(found.ambiguous.map(|(low, high)| (start + low, start + high)));
                self.nodes.read_inner(occurrence, (start, first.lexeme), found);
            }
            None => self.nodes.read(occurrence, start, first.lexeme),
        }
        Ok(first.next)
    }

    /// A row, with the ways through its parts that lead to some ends.
    fn row(&self, part: PartId, length: usize, start: u32, ends: &[u32]) -> Row {
        let Part::Sequence(all) = self.own.parts.get(part) else { return Row { part, done: 0, ways: Vec::new() } };
        let whole = ends.last().copied().unwrap_or(start);
        let mut ways = vec![Vec::new(); length];
        let mut reached: Ends = ends.to_vec();
        for done in (1..=length).rev() {
            let mut before: Ends = Vec::new();
            for &at in &reached {
                let Some(item) = self.chart.find(Item { part, done: done as u32, start, at }) else { continue };
                for id in self.chart.before(item) {
                    count(1);
                    let from = self.chart.item(id).at;
                    if self.chart.may_be_inside((part, start, whole), all[done - 1], from, at) {
                        ways[done - 1].push((from, at));
                        before.push(from);
                    }
                }
            }
            before.sort_unstable();
            before.dedup();
            reached = before;
        }
        Row { part, done: 0, ways }
    }

    fn next_part(&mut self, mut row: Row, at: u32) -> Result<u32> {
        let own = self.own;
        let Part::Sequence(all) = own.parts.get(row.part) else { return Ok(at) };
        let Some(&part) = all.get(row.done) else { return Ok(at) };
        let ways = std::mem::take(&mut row.ways[row.done]);
        count(ways.len());
        let mut ends: Ends = ways.into_iter().filter(|way| way.0 == at).map(|way| way.1).collect();
        ends.sort_unstable();
        row.done += 1;
        if row.done < all.len() {
            self.frames.push(Frame::Row(row));
        }
        self.enter(part, at, ends)
    }

    /// A repetition, with the rounds that lead to some ends.
    fn rounds(&self, part: PartId, start: u32, ends: Ends) -> Rounds {
        let mut rounds = Rounds { part, item: ItemId::MAX, is_open: false, next: FxHashMap::default(), ends };
        let Part::Repeat(body, low, high) = *self.own.parts.get(part) else { return rounds };
        let whole = rounds.ends.last().copied().unwrap_or(start);
        let last = rounds.ends.iter().flat_map(|&at| {
            let most = high.map_or(low, |high| high.min(low + at - start)); // those beyond `low` are not empty
            count((most - low) as usize);
            (low..=most).filter_map(move |done| self.chart.find(Item { part, done, start, at }))
        });
        let mut open: Vec<ItemId> = last.collect();
        let mut seen: FxHashSet<ItemId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            let at = self.chart.item(id).at;
            for before in self.chart.before(id) {
                count(1);
                let from = self.chart.item(before).at;
                if !self.chart.may_be_inside((part, start, whole), body, from, at) {
                    continue;
                }
                rounds.next.entry(before).or_default().push(id);
                if seen.insert(before) {
                    open.push(before);
                }
            }
        }
        rounds.item = self.chart.find(Item { part, done: 0, start, at: start }).unwrap_or(ItemId::MAX);
        rounds
    }

    fn next_round(&mut self, mut rounds: Rounds, at: u32) -> Result<u32> {
        let Part::Repeat(body, ..) = *self.own.parts.get(rounds.part) else { return Ok(at) };
        if rounds.is_open {
            let next =
                rounds.next.get(&rounds.item).and_then(|all| all.iter().find(|&&id| self.chart.item(id).at == at));
            rounds.item = next.copied().unwrap_or(rounds.item);
        }
        let mut ends: Ends =
            rounds.next.get(&rounds.item).into_iter().flatten().map(|&id| self.chart.item(id).at).collect();
        ends.sort_unstable();
        if ends.is_empty() {
            let item = self.chart.item(rounds.item);
            if item.start == item.at && item.done == 0 {
                self.nodes.skip(rounds.part);
            }
            return Ok(at);
        }
        rounds.is_open = true;
        self.frames.push(Frame::Rounds(rounds));
        self.enter(body, at, ends)
    }
}
