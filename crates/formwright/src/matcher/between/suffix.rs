//! How a known end of a text is read by a pushdown automaton, whatever came before it.
//!
//! ```text
//! s: "[" s "]" | "x"    suffix "x]]"      `s` is read from 0 to 1, the rest `]` from 1 to 2 and from 2 to 3
//! ```
//!
//! Which controls and symbols may begin where is found from the first byte to the last one; where they end, from the last
//! to the first; at which places one may end that began before the end of the text, from the first to the last again: an
//! array that is known whole begins and ends at places that no middle leads to. Which stacks there are is left out, so
//! some of what is found is never reached.
//!
//! Cost: for each byte a look at the controls and symbols that may begin there. The longer what is known, the fewer these
//! are.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::follow::Follows;
use crate::interrupt::count;
use crate::matcher::pushdown::{BOTTOM, Control, ENDED, PushdownAutomaton, RESUME, Step, Symbol};

/// A place in the end: so many of its bytes are before it.
pub type Place = u32;

/// Places that are looked at for a unit of work.
const PLACES_OF_UNIT: usize = 4;

/// Places, ascending.
pub type Places = SmallVec<[Place; 2]>;

/// What reads a part of a text: a control, until its part ends, or what a symbol resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Head {
    /// A control.
    Control(Control),
    /// A symbol.
    Symbol(Symbol),
}

impl Head {
    /// Where a byte leads.
    pub fn step(self, automaton: &PushdownAutomaton, byte: u8) -> &[Step] {
        match self {
            Self::Control(control) => automaton.step(control, byte),
            Self::Symbol(symbol) => automaton.step_after(symbol, byte),
        }
    }
}

/// The known end of a text.
pub struct Suffix<'a> {
    automaton: &'a PushdownAutomaton,
    bytes: &'a [u8],
    /// Whether anything may come after it.
    is_open: bool,
    /// By place and what begins there: the places where it may end.
    ends: FxHashMap<(Place, Head), Places>,
    /// By place: the symbols that may end there, each with the places where it may begin. Only places that middles lead to.
    starts: Vec<FxHashMap<Symbol, Places>>,
}

impl<'a> Suffix<'a> {
    /// Finds what may end where.
    pub fn new(automaton: &'a PushdownAutomaton, follows: &Follows, bytes: &'a [u8], is_open: bool) -> Self {
        let starts = vec![FxHashMap::default(); bytes.len() + 1];
        let mut suffix = Self { automaton, bytes, is_open, ends: FxHashMap::default(), starts };
        let beginning = suffix.list_heads();
        for (at, heads) in beginning.into_iter().enumerate().rev() {
            for head in heads {
                suffix.find_ends(follows, at as Place, head);
            }
        }
        suffix.find_starts();
        suffix
    }

    /// By place: what may begin there, or go on.
    fn list_heads(&self) -> Vec<Vec<Head>> {
        let controls = (ENDED + 1..self.automaton.controls() as Control).map(Head::Control);
        let (mut found, mut now, mut resumes) = (Vec::new(), controls.collect::<FxHashSet<_>>(), true);
        for &byte in self.bytes {
            if std::mem::take(&mut resumes) {
                now.extend(self.automaton.symbols_begun_by(byte).iter().copied().map(Head::Symbol));
            }
            count(now.len());
            let (mut here, mut next) = (Vec::new(), FxHashSet::default());
            for head in now {
                let steps = head.step(self.automaton, byte);
                here.extend((!steps.is_empty()).then_some(head));
                resumes |= steps.iter().any(|step| step.to == RESUME);
                next.extend(steps.iter().filter(|step| step.to != RESUME).map(|step| Head::Control(step.to)));
            }
            found.push(here);
            now = next;
        }
        found
    }

    /// Finds where something ends that begins at a place, all places after that being known.
    fn find_ends(&mut self, follows: &Follows, at: Place, head: Head) {
        let mut found = Places::new();
        for step in head.step(self.automaton, self.bytes[at as usize]) {
            let mut places = self.ends_of(step.to, at + 1);
            for symbol in self.automaton.words().symbols(step.pushed) {
                let each = places.iter().flat_map(|&place| self.ends_of_head(Head::Symbol(symbol), place));
                let each: Vec<Place> = each.collect();
                count(each.len() / PLACES_OF_UNIT);
                places = ascending(each);
            }
            found.extend(places);
        }
        count(1 + found.len() / PLACES_OF_UNIT);
        let may_end =
            |&place: &Place| self.bytes.get(place as usize).is_none_or(|&byte| follows.may_follow(head, byte));
        let found = ascending(found.into_iter().filter(may_end));
        if !found.is_empty() {
            self.ends.insert((at, head), found);
        }
    }

    /// Finds where symbols begin that end at a place, from the places where something ends that began before all.
    fn find_starts(&mut self) {
        let mut symbols: Vec<Vec<(Symbol, &Places)>> = vec![Vec::new(); self.starts.len()];
        let mut is_reached = vec![false; self.starts.len()];
        is_reached[0] = true;
        for (&(at, head), ends) in &self.ends {
            match head {
                Head::Symbol(symbol) => symbols[at as usize].push((symbol, ends)),
                Head::Control(_) if at == 0 => ends.iter().for_each(|&end| is_reached[end as usize] = true),
                Head::Control(_) => {}
            }
        }
        for (at, symbols) in symbols.into_iter().enumerate() {
            if !is_reached[at] {
                continue;
            }
            for (symbol, ends) in symbols {
                count(1 + ends.len());
                for &end in ends {
                    is_reached[end as usize] = true; // a symbol reads something, so it ends later
                    self.starts[end as usize].entry(symbol).or_default().push(at as Place);
                }
            }
        }
    }

    /// The number of its bytes.
    pub fn len(&self) -> Place {
        self.bytes.len() as Place
    }

    /// Where the part of a control may end that goes on at a place.
    pub fn ends_of(&self, control: Control, at: Place) -> Places {
        if control == RESUME { Places::from_slice(&[at]) } else { self.ends_of_head(Head::Control(control), at) }
    }

    fn ends_of_head(&self, head: Head, at: Place) -> Places {
        if self.is_open && at == self.len() {
            return Places::from_slice(&[at]);
        }
        self.ends.get(&(at, head)).cloned().unwrap_or_default()
    }

    /// Whether the part of a control may end at a place that goes on at the first byte.
    pub fn ends_at(&self, control: Control, place: Place) -> bool {
        match control {
            RESUME => place == 0,
            _ if self.is_open && self.bytes.is_empty() => place == 0,
            _ => self.ends.get(&(0, Head::Control(control))).is_some_and(|ends| ends.binary_search(&place).is_ok()),
        }
    }

    /// From where a symbol is read that ends at one of some places.
    pub fn starts_before(&self, symbol: Symbol, ends: &[Place]) -> Places {
        debug_assert_ne!(symbol, BOTTOM, "nothing is left of a text below it");
        count(ends.len());
        ascending(ends.iter().flat_map(|&end| {
            let found = self.starts[end as usize].get(&symbol).into_iter().flatten().copied();
            found.chain((self.is_open && end == self.len()).then_some(end))
        }))
    }
}

/// Places, each once.
pub fn ascending(places: impl IntoIterator<Item = Place>) -> Places {
    let mut found: Places = places.into_iter().collect();
    found.sort_unstable();
    found.dedup();
    found
}
