//! What may come from a place of a text on, character by character.
//!
//! A guard matters only as far as some text that comes can break it: after `1`, the letter `e` makes a longer number only
//! with a digit, and `else` has none. So guards are read together with what may come, terminal by terminal, with trivia
//! between them:
//!
//! ```text
//! before `else` test      e  l  s  e  then trivia, or what test begins with
//! ```
//!
//! What may come is an over-approximation: only places are considered, not the rules around them, and other languages may
//! begin with anything.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::parts::{OccurrenceId, Parts, Symbol};
use super::places::{PlaceId, Places};
use crate::interrupt::count;
use crate::regular::{Minterm, Tag, TaggedAutomaton, TaggedState};

/// Index of what may come.
pub type AheadId = u32;

/// Anything may come.
pub const ANYTHING: AheadId = 0;

/// Most sets kept; beyond, anything may come.
const MOST_SETS: usize = 1 << 14;

/// Index of terminals that may come.
type SetId = u32;

/// Terminals that may come, each with the places after it.
#[derive(Debug)]
struct Coming {
    /// Ascending.
    terminals: Box<[(Tag, PlaceId)]>,
    /// Whether trivia may come first.
    has_trivia: bool,
}

impl Coming {
    /// The places after a terminal; none if it does not come.
    fn after(&self, terminal: Tag) -> impl Iterator<Item = PlaceId> + '_ {
        let first = self.terminals.partition_point(|(own, _)| *own < terminal);
        self.terminals[first..].iter().take_while(move |(own, _)| *own == terminal).map(|(_, place)| *place)
    }

    /// Whether a terminal comes.
    fn has(&self, terminal: Tag) -> bool {
        self.after(terminal).next().is_some()
    }
}

/// Where a text may be: inside a terminal of a set, by the state of the automaton of all terminals.
type Inside = Vec<(SetId, TaggedState)>;

/// What may come, as an automaton over minterms that is made as it is asked for.
#[derive(Debug)]
pub struct Ahead<'l> {
    automaton: &'l TaggedAutomaton,
    ignored: Vec<Tag>,
    coming: Vec<Coming>,
    /// By place: what comes there after trivia, or after trivia; `None` if it may be anything.
    of_place: Vec<Option<SetId>>,
    sets: IndexSet<Inside, FxBuildHasher>,
    steps: FxHashMap<(AheadId, Minterm), Option<AheadId>>,
}

impl<'l> Ahead<'l> {
    pub fn new(parts: &Parts, places: &'l Places, automaton: &'l TaggedAutomaton, ignored: Vec<Tag>) -> Self {
        let sets = IndexSet::from_iter([Inside::default()]); // anything
        let (coming, of_place, steps) = (Vec::new(), Vec::new(), FxHashMap::default());
        let mut ahead = Self { automaton, ignored, coming, of_place, sets, steps };
        for place in &places.all {
            let set = ahead.add(parts, places, place, true);
            ahead.of_place.push(set);
        }
        ahead
    }

    /// What comes in a place, trivia first.
    pub fn of_place(&mut self, place: PlaceId) -> AheadId {
        match self.of_place[place as usize] {
            Some(set) => self.begin(set),
            None => ANYTHING,
        }
    }

    /// What comes where some occurrences may come, no trivia first.
    pub fn of_occurrences<'o>(
        &mut self,
        parts: &Parts,
        places: &Places,
        occurrences: impl IntoIterator<Item = &'o OccurrenceId>,
    ) -> AheadId {
        match self.add(parts, places, occurrences, false) {
            Some(set) => self.begin(set),
            None => ANYTHING,
        }
    }

    fn begin(&mut self, set: SetId) -> AheadId {
        let inside = vec![(set, self.automaton.start())];
        self.sets.insert_full(inside).0 as AheadId
    }

    /// The terminals of some occurrences; `None` if another language is among them.
    fn add<'o>(
        &mut self,
        parts: &Parts,
        places: &Places,
        occurrences: impl IntoIterator<Item = &'o OccurrenceId>,
        has_trivia: bool,
    ) -> Option<SetId> {
        let mut terminals = Vec::new();
        for &occurrence in occurrences {
            count(1);
            let Symbol::Terminal(terminal) = parts.occurrences[occurrence as usize].symbol else { return None };
            terminals.push((terminal, places.after[occurrence as usize]));
        }
        terminals.sort_unstable();
        terminals.dedup();
        self.coming.push(Coming { terminals: terminals.into(), has_trivia });
        Some(self.coming.len() as SetId - 1)
    }

    /// Whether a character may come.
    pub fn may_step(&self, ahead: AheadId, minterm: Minterm) -> bool {
        let mut inside = self.sets[ahead as usize].iter();
        ahead == ANYTHING || inside.any(|&(set, state)| self.goes_on(set, self.automaton.step(state, minterm)))
    }

    /// Whether a terminal of a set goes on, or ends, in a state.
    fn goes_on(&self, set: SetId, state: TaggedState) -> bool {
        let coming = &self.coming[set as usize];
        let ignored = if coming.has_trivia { &self.ignored[..] } else { &[] };
        let alive = self.automaton.alive(state);
        count(1 + alive.len());
        alive.iter().any(|tag| coming.has(*tag) || ignored.contains(tag))
    }

    /// What comes after a character; `None` if it cannot come.
    pub fn step(&mut self, ahead: AheadId, minterm: Minterm) -> Option<AheadId> {
        if ahead == ANYTHING {
            return Some(ANYTHING);
        }
        if let Some(&known) = self.steps.get(&(ahead, minterm)) {
            return known;
        }
        let after = self.find_step(ahead, minterm);
        self.steps.insert((ahead, minterm), after);
        after
    }

    fn find_step(&mut self, ahead: AheadId, minterm: Minterm) -> Option<AheadId> {
        let mut after = Inside::new();
        for &(set, state) in self.sets.get_index(ahead as usize)? {
            let (coming, state) = (&self.coming[set as usize], self.automaton.step(state, minterm));
            let ignored = if coming.has_trivia { &self.ignored[..] } else { &[] };
            after.extend(self.goes_on(set, state).then_some((set, state)));
            let certain = self.automaton.accepts(state).iter().copied();
            for tag in certain.chain(self.automaton.accepts_if(state).map(|(tag, _)| tag)) {
                for place in coming.after(tag) {
                    let Some(set) = self.of_place[place as usize] else { return Some(ANYTHING) };
                    after.push((set, self.automaton.start()));
                }
                if ignored.contains(&tag) {
                    after.push((set, self.automaton.start()));
                }
            }
        }
        after.sort_unstable();
        after.dedup();
        match after.is_empty() {
            true => None,
            false if self.sets.len() >= MOST_SETS => Some(ANYTHING),
            false => Some(self.sets.insert_full(after).0 as AheadId),
        }
    }
}
