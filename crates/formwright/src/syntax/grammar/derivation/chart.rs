//! Which parts of a text are texts of which parts of a grammar (Earley 1970).
//!
//! An *item* is a part that began somewhere and has been read up to somewhere, with what is done of it:
//!
//! ```text
//! item   ("," item)*          a,b,c        the row, 1 part done: from 0 to 1
//!                                          the repetition, any number of rounds done: from 1 to 1, to 3, to 5
//! ```
//!
//! What is read of a row or a repetition remembers the items it was made of, with which [`super::walk`] goes back. Items
//! are made in the order of the places that they are read up to, so all that is empty is found where it is.
//!
//! Cost: a few hash tables; an item, or a way to it, counts as work.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::lower::parts::{Part, PartId};
use super::Derivations;
use super::scanner::Scanner;
use crate::error::Result;
use crate::interrupt::count;

/// Index of an item.
pub type ItemId = u32;

/// No cell of a list.
const NONE: u32 = u32::MAX;

/// Units of work for an item or a way to it: the memory for them is bounded too.
const UNITS: usize = 8;

/// A part that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    pub part: PartId,
    /// Of a row, how many parts are done; of a choice, whether one is; of a repetition, how many rounds, where that matters.
    pub done: u32,
    /// Where it begins.
    pub start: u32,
    /// Up to where it is read.
    pub at: u32,
}

/// Lists of numbers, which share their memory.
#[derive(Default)]
struct Lists(Vec<(u32, u32)>);

impl Lists {
    fn add(&mut self, head: &mut u32, value: u32) {
        self.0.push((value, *head));
        *head = self.0.len() as u32 - 1;
    }

    fn iter(&self, mut head: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::from_fn(move || {
            let &(value, next) = self.0.get(head as usize)?;
            head = next;
            Some(value)
        })
    }
}

/// The items of a text.
pub struct Chart<'c> {
    pub own: &'c Derivations,
    pub scanner: Scanner<'c>,
    items: Vec<Item>,
    ids: FxHashMap<Item, ItemId>,
    /// By item: the items of which it was made by one part or round more.
    before: Vec<u32>,
    /// By part, and where it begins: the items that go on after it.
    waiting: FxHashMap<(PartId, u32), u32>,
    lists: Lists,
    /// By part, and where it begins and ends: how many others were found before.
    ranks: FxHashMap<(PartId, u32, u32), u32>,
    /// Items to look at, by where they are read up to.
    pending: BTreeMap<u32, Vec<ItemId>>,
    /// Those that are read up to where the chart is.
    open: Vec<ItemId>,
    /// Where the chart is.
    now: u32,
}

impl<'c> Chart<'c> {
    /// The chart of a text.
    ///
    /// # Errors
    /// As [`super::super::lower::lower`], for the languages inside the grammar.
    pub fn of(own: &'c Derivations, scanner: Scanner<'c>) -> Result<Self> {
        let mut chart = Self {
            own,
            scanner,
            items: Vec::new(),
            ids: FxHashMap::default(),
            before: Vec::new(),
            waiting: FxHashMap::default(),
            lists: Lists::default(),
            ranks: FxHashMap::default(),
            pending: BTreeMap::new(),
            open: Vec::new(),
            now: 0,
        };
        for start in chart.scanner.starts() {
            let item = chart.add(Item { part: own.root, done: 0, start, at: start }).0;
            chart.pending.entry(start).or_default().push(item);
        }
        while let Some((at, open)) = chart.pending.pop_first() {
            (chart.open, chart.now) = (open, at);
            while let Some(item) = chart.open.pop() {
                chart.explore(item)?;
            }
        }
        Ok(chart)
    }

    /// Where the text ends.
    pub fn end(&self) -> u32 {
        self.scanner.text.len() as u32
    }

    /// The item with an id.
    pub fn item(&self, id: ItemId) -> Item {
        self.items[id as usize]
    }

    /// The id of an item, if it was made.
    pub fn find(&self, item: Item) -> Option<ItemId> {
        self.ids.get(&item).copied()
    }

    /// The items of which an item was made by one part or round more.
    pub fn before(&self, id: ItemId) -> impl Iterator<Item = ItemId> + '_ {
        self.lists.iter(self.before[id as usize])
    }

    /// How many texts of parts were found before that of a part, which is not an occurrence; `None` if it has no such text.
    fn rank(&self, part: PartId, start: u32, end: u32) -> Option<u32> {
        self.ranks.get(&(part, start, end)).copied()
    }

    /// Whether a part, which is not an occurrence, has a text.
    pub fn has_text(&self, part: PartId, start: u32, end: u32) -> bool {
        self.ranks.contains_key(&(part, start, end))
    }

    /// Whether a part may be inside another with this text: always, unless it is the same text, and was not found before.
    pub fn may_be_inside(&self, outer: (PartId, u32, u32), part: PartId, start: u32, end: u32) -> bool {
        let Some(target) = self.own.targets[part as usize] else { return false };
        let cyclic = &self.own.sets.cyclic;
        let is_same = cyclic[target as usize] && cyclic[outer.0 as usize] && (outer.1, outer.2) == (start, end);
        !is_same || self.rank(target, start, end) < self.rank(outer.0, start, end)
    }

    fn add(&mut self, item: Item) -> (ItemId, bool) {
        count(UNITS);
        let next = self.items.len() as ItemId;
        let id = *self.ids.entry(item).or_insert(next);
        if id == next {
            self.items.push(item);
            self.before.push(NONE);
        }
        (id, id == next)
    }

    fn explore(&mut self, id: ItemId) -> Result<()> {
        let own = self.own;
        let item = self.items[id as usize];
        let is_read = match own.parts.get(item.part) {
            Part::Sequence(all) => {
                if let Some(&part) = all.get(item.done as usize) {
                    self.expect(id, part)?;
                }
                item.done as usize == all.len()
            }
            Part::Choice(_) if item.done == 0 => {
                for &option in own.options(item.part).iter().rev() {
                    self.expect(id, option)?; // the first one is looked at next
                }
                false
            }
            Part::Choice(_) => true,
            Part::Repeat(body, low, high) => {
                if high.is_none_or(|high| item.done < high) {
                    self.expect(id, *body)?;
                }
                item.done >= *low
            }
            Part::Occurrence(_) | Part::Rule(_) => false,
        };
        if is_read {
            self.finish(item);
        }
        Ok(())
    }

    /// Looks for a part, after which an item goes on.
    fn expect(&mut self, item: ItemId, part: PartId) -> Result<()> {
        count(1);
        let (own, at) = (self.own, self.now);
        let Some(part) = own.targets[part as usize] else { return Ok(()) };
        if !self.may_begin(part, at) {
            return Ok(());
        }
        if let Part::Occurrence(occurrence) = own.parts.get(part) {
            let ends = self.scanner.ends(*occurrence, at)?;
            for end in ends.iter().map(|end| end.next) {
                if self.may_follow(part, end) {
                    self.advance(item, end);
                }
            }
            return Ok(());
        }
        let waiting = self.waiting.entry((part, at)).or_insert(NONE);
        let is_first = *waiting == NONE;
        self.lists.add(waiting, item);
        if is_first {
            let (id, _) = self.add(Item { part, done: 0, start: at, at });
            self.open.push(id);
        }
        if self.ranks.contains_key(&(part, at, at)) {
            self.advance(item, at);
        }
        Ok(())
    }

    /// Whether a part may begin with what comes somewhere.
    pub fn may_begin(&self, part: PartId, at: u32) -> bool {
        let (sets, next) = (&self.own.sets, self.scanner.text.get(at as usize));
        sets.nullable[part as usize] || next.is_some_and(|byte| sets.first[part as usize].contains(*byte))
    }

    /// Whether what comes somewhere may follow a part.
    fn may_follow(&self, part: PartId, at: u32) -> bool {
        let next = self.scanner.text.get(at as usize);
        next.is_none_or(|byte| self.own.sets.follow[part as usize].contains(*byte))
    }

    /// Tells the items that wait for a part that it has been read.
    fn finish(&mut self, item: Item) {
        let Item { part, start, at, .. } = item;
        let rank = self.ranks.len() as u32;
        if !self.may_follow(part, at) || *self.ranks.entry((part, start, at)).or_insert(rank) != rank {
            return;
        }
        let mut waiting = self.waiting.get(&(part, start)).copied().unwrap_or(NONE);
        while let Some(&(item, next)) = self.lists.0.get(waiting as usize) {
            self.advance(item, at);
            waiting = next;
        }
    }

    /// The item that has read one part or round more, up to `at`.
    fn advance(&mut self, id: ItemId, at: u32) {
        let item = self.items[id as usize];
        let done = match self.own.parts.get(item.part) {
            Part::Repeat(_, low, high) => {
                if at == item.at && item.done >= *low {
                    return; // an empty round that need not be
                }
                if high.is_none() { (item.done + 1).min(*low) } else { item.done + 1 }
            }
            _ => item.done + 1,
        };
        let (made, is_new) = self.add(Item { done, at, ..item });
        if is_new && at == self.now {
            self.open.push(made);
        } else if is_new {
            self.pending.entry(at).or_default().push(made);
        }
        if !matches!(self.own.parts.get(item.part), Part::Choice(_)) {
            self.lists.add(&mut self.before[made as usize], id);
        }
    }
}
