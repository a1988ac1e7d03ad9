//! What must not follow a lexeme.
//!
//! Where a lexer takes the longest match, the lexeme `1` may not be followed by `2`, as it would be part of a longer
//! number then. A *guard* is what a text must not begin with, a regular language; it is the state of a small automaton that
//! reads what follows, in the minterms of the terminals:
//!
//! ```text
//! after `ab` of [a-z]+          any letter breaks it, any other character frees it
//! after `1` of \d+ | \d+\.\d+   a digit breaks it; a point leads to a guard that a digit breaks
//! ```
//!
//! A terminal that depends on what follows it leaves guards, too: one that its condition breaks where it does not hold, and
//! for its rivals one that breaks where it does. The end of the text breaks some of these, and no others.
//!
//! Guards are minimal automata, and equal ones have one id, so that rules are copied only for guards that differ.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ahead::{Ahead, AheadId};
use super::bits::Bits;
use crate::interrupt::count;
use crate::regular::{ExplicitState, LOST, Minterm, Regular, Tag, TaggedAutomaton, TaggedState, explicit};

/// Index of a guard.
pub type GuardId = u32;

/// The guard that nothing breaks.
pub const FREE: GuardId = 0;

/// The guard that is broken.
pub const BROKEN: GuardId = 1;

/// States of a guard, together with what may come, that are looked at to find which part of it can be broken.
const MOST_AHEAD: usize = 256;

/// Where a character leads a guard that is being made.
#[derive(Clone, Copy)]
enum Step<S> {
    Free,
    Broken,
    On(S),
}

/// The guards of one grammar.
pub struct Guards<'t> {
    terminals: &'t TaggedAutomaton,
    /// By guard and minterm, and then at the end of the text: the guard on what follows.
    rows: Vec<Box<[GuardId]>>,
    /// By the rows of its automaton, whose states are numbered in the order in which they are met.
    ids: FxHashMap<Vec<u32>, GuardId>,
    unions: FxHashMap<(GuardId, GuardId), GuardId>,
    before: FxHashMap<(GuardId, AheadId), GuardId>,
    conditions: FxHashMap<(Tag, TaggedState, bool), GuardId>,
    /// What makes a longer text, by state and the tags that matter there.
    longer: FxHashMap<(TaggedState, Tags), GuardId>,
}

/// Tags, ascending.
type Tags = SmallVec<[Tag; 4]>;

/// Terminals whose text is over if the right text follows, each with the state of what is read of that.
type Pending = SmallVec<[(Tag, TaggedState); 2]>;

impl<'t> Guards<'t> {
    pub fn new(terminals: &'t TaggedAutomaton) -> Self {
        let row = |guard: GuardId| vec![guard; usize::from(terminals.minterms()) + 1].into_boxed_slice();
        let rows = vec![row(FREE), row(BROKEN)];
        let (ids, unions, before) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        let (conditions, longer) = (FxHashMap::default(), FxHashMap::default());
        Self { terminals, rows, ids, unions, before, conditions, longer }
    }

    /// The end of the text, which is read after all its minterms.
    fn end(&self) -> Minterm {
        self.terminals.minterms()
    }

    /// Whether the end of the text breaks a guard.
    pub fn is_broken_by_end(&self, guard: GuardId) -> bool {
        self.step(guard, self.end()) == BROKEN
    }

    /// The guard on what follows a character.
    pub fn step(&self, guard: GuardId, minterm: Minterm) -> GuardId {
        self.rows[guard as usize][usize::from(minterm)]
    }

    /// What must not follow a text after which the automaton of all terminals is in `state`: what makes a longer text of
    /// one of `tags`.
    pub fn longer(&mut self, state: TaggedState, tags: &Bits) -> GuardId {
        let alive = self.terminals.alive(state).iter();
        let key = (state, alive.copied().filter(|&tag| tags.contains(tag)).collect());
        if let Some(&known) = self.longer.get(&key) {
            return known;
        }
        let made = self.find_longer(state, tags);
        self.longer.insert(key, made);
        made
    }

    fn find_longer(&mut self, state: TaggedState, tags: &Bits) -> GuardId {
        let (terminals, end) = (self.terminals, self.end());
        let has = |all: &[Tag]| all.iter().any(|&tag| tags.contains(tag) && !terminals.is_followed(tag));
        self.make((state, Pending::new()), |_, (state, pending), minterm| {
            let is_over = |&(tag, after): &(Tag, TaggedState)| terminals.accepts(after).contains(&tag);
            if minterm == end {
                return if pending.iter().any(is_over) { Step::Broken } else { Step::Free };
            }
            let next = terminals.step(state, minterm);
            if has(terminals.accepts(next)) {
                return Step::Broken;
            }
            let read = pending.iter().map(|&(tag, after)| (tag, terminals.step(after, minterm)));
            let own = terminals.accepts_if(next).filter(|(tag, _)| tags.contains(*tag));
            let mut pending: Pending =
                read.filter(|(tag, after)| terminals.alive(*after).contains(tag)).chain(own).collect();
            pending.sort_unstable();
            pending.dedup();
            match terminals.alive(next).iter().any(|&tag| tags.contains(tag)) {
                true => Step::On((next, pending)),
                false if pending.is_empty() => Step::Free,
                false => Step::On((LOST, pending)),
            }
        })
    }

    /// What breaks a guard, or any of some conditions: see [`Self::condition`].
    pub fn with_conditions(&mut self, guard: GuardId, conditions: &[(Tag, TaggedState)], holds: bool) -> GuardId {
        conditions.iter().fold(guard, |guard, &condition| {
            let other = self.condition(condition, holds);
            self.either(guard, other)
        })
    }

    /// What must not follow a text of `tag`, in the state `after` it: what its condition refuses, or what it asks for if the
    /// text is not to be one of `tag`.
    fn condition(&mut self, (tag, after): (Tag, TaggedState), holds: bool) -> GuardId {
        if let Some(&known) = self.conditions.get(&(tag, after, holds)) {
            return known;
        }
        let (terminals, end) = (self.terminals, self.end());
        let made = self.make(after, |_, after, minterm| {
            let is_met = if minterm == end {
                terminals.accepts(after).contains(&tag)
            } else {
                let next = terminals.step(after, minterm);
                if terminals.alive(next).contains(&tag) {
                    return Step::On(next);
                }
                false
            };
            if is_met == holds { Step::Free } else { Step::Broken }
        });
        self.conditions.insert((tag, after, holds), made);
        made
    }

    /// What breaks either of two guards.
    pub fn either(&mut self, one: GuardId, other: GuardId) -> GuardId {
        let pair = (one.min(other), one.max(other));
        match pair {
            (FREE, other) => return other,
            (BROKEN, _) => return BROKEN,
            (one, other) if one == other => return one,
            _ => {}
        }
        if let Some(&known) = self.unions.get(&pair) {
            return known;
        }
        let made = self.make(pair, |guards, (one, other), minterm| {
            match (guards.step(one, minterm), guards.step(other, minterm)) {
                (FREE, FREE) => Step::Free,
                (BROKEN, _) | (_, BROKEN) => Step::Broken,
                (one, other) => Step::On((one, other)),
            }
        });
        self.unions.insert(pair, made);
        made
    }

    /// The guard without what the coming text cannot break; unchanged where that takes too long to find.
    pub fn before(&mut self, guard: GuardId, ahead: AheadId, all: &mut Ahead<'_>) -> GuardId {
        if guard == FREE {
            return FREE;
        }
        if let Some(&known) = self.before.get(&(guard, ahead)) {
            return known;
        }
        let made = if self.is_of_one_character(guard) {
            self.before_character(guard, ahead, all)
        } else {
            self.before_characters(guard, ahead, all)
        };
        self.before.insert((guard, ahead), made);
        made
    }

    /// The same of a guard of one character.
    fn before_character(&mut self, guard: GuardId, ahead: AheadId, all: &Ahead<'_>) -> GuardId {
        let (end, own) = (self.end(), &self.rows[guard as usize]);
        count(own.len());
        let step = |(minterm, &next): (Minterm, &GuardId)| match next {
            BROKEN if minterm == end || all.may_step(ahead, minterm) => BROKEN,
            _ => FREE,
        };
        let row: Vec<GuardId> = (0..).zip(own).map(step).collect();
        if *row == **own { guard } else { self.keep(vec![vec![FREE; row.len()], vec![BROKEN; row.len()], row]) }
    }

    /// The same of any guard.
    fn before_characters(&mut self, guard: GuardId, ahead: AheadId, all: &mut Ahead<'_>) -> GuardId {
        let end = self.end();
        let step = |guards: &Self, (guard, ahead), minterm| match guards.step(guard, minterm) {
            BROKEN if minterm == end => Step::Broken,
            BROKEN if all.may_step(ahead, minterm) => Step::Broken,
            FREE | BROKEN => Step::Free,
            next => all.step(ahead, minterm).map_or(Step::Free, |ahead| Step::On((next, ahead))),
        };
        self.explore((guard, ahead), MOST_AHEAD, step).map_or(guard, |rows| self.keep(rows))
    }

    /// The same guard where the next minterm is one of `first`, or where nothing that is a character comes.
    pub fn before_first(&mut self, guard: GuardId, first: &Bits, is_end: bool) -> GuardId {
        if guard == FREE {
            return FREE;
        }
        let end = self.end();
        self.make((guard, true), |guards, (guard, is_first), minterm| match guards.step(guard, minterm) {
            _ if is_first && minterm == end && !is_end => Step::Free,
            _ if is_first && minterm != end && !first.contains(u32::from(minterm)) => Step::Free,
            FREE => Step::Free,
            BROKEN => Step::Broken,
            next => Step::On((next, false)),
        })
    }

    /// Whether the first character breaks a guard or frees it.
    pub fn is_of_one_character(&self, guard: GuardId) -> bool {
        self.rows[guard as usize].iter().all(|&next| next == FREE || next == BROKEN)
    }

    /// The texts that do not break a guard.
    pub fn language(&self, guard: GuardId) -> Regular {
        let (mut order, mut at) = (vec![guard], 0);
        let mut states = Vec::new();
        while at < order.len() {
            let row = &self.rows[order[at] as usize][..usize::from(self.end())];
            count(row.len());
            let mut targets: Vec<GuardId> = row.iter().copied().filter(|&next| next != BROKEN).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut state = ExplicitState { is_accepting: true, ..ExplicitState::default() };
            for target in targets {
                let index = order.iter().position(|&known| known == target).unwrap_or_else(|| {
                    order.push(target);
                    order.len() - 1
                });
                let class = self.terminals.ranges_of(|minterm| row[usize::from(minterm)] == target);
                state.edges.push((class, index as u32));
            }
            states.push(state);
            at += 1;
        }
        if self.is_of_one_character(guard) {
            let (class, _) = states[0].edges.first().cloned().unwrap_or_default();
            let other = Regular::concat([Regular::Class(class), Regular::anything()]);
            return Regular::or([Regular::Empty, other]); // plain trees are followed faster
        }
        explicit(states, 0)
    }

    /// The guard that begins in `start`.
    fn make<S: Clone + Eq + Hash>(&mut self, start: S, step: impl FnMut(&Self, S, Minterm) -> Step<S>) -> GuardId {
        self.explore(start, usize::MAX, step).map_or(FREE, |rows| self.keep(rows))
    }

    /// The guard of the rows of an automaton.
    fn keep(&mut self, rows: Vec<Vec<u32>>) -> GuardId {
        let mut rows = free_what_nothing_breaks(rows);
        if rows[2..].iter().any(|row| row.last() == Some(&BROKEN)) {
            rows = break_what_nothing_frees(rows); // else the end of the text frees every state
        }
        for all in [FREE, BROKEN] {
            if rows[2].iter().all(|&next| next == all) {
                return all;
            }
        }
        if rows.len() == 3 {
            return self.intern(2, &rows); // one character decides
        }
        let (classes, rows) = minimal(&rows);
        self.intern(classes[2], &rows)
    }

    /// The rows of all states that are reached, `None` if they are more than `most`; those of [`FREE`] and [`BROKEN`] come
    /// first, then that of `start`.
    fn explore<S: Clone + Eq + Hash>(
        &self,
        start: S,
        most: usize,
        mut step: impl FnMut(&Self, S, Minterm) -> Step<S>,
    ) -> Option<Vec<Vec<u32>>> {
        let columns = self.end() + 1;
        let mut rows = vec![vec![FREE; usize::from(columns)], vec![BROKEN; usize::from(columns)]];
        let (mut states, mut ids, mut at) = (vec![start.clone()], FxHashMap::default(), 0);
        ids.insert(start, 2);
        while at < states.len() {
            if states.len() > most {
                return None;
            }
            count(usize::from(columns));
            let row = (0..columns).map(|minterm| match step(self, states[at].clone(), minterm) {
                Step::Free => FREE,
                Step::Broken => BROKEN,
                Step::On(next) => *ids.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() as u32 + 1
                }),
            });
            let row = row.collect();
            rows.push(row);
            at += 1;
        }
        Some(rows)
    }

    /// The id of a state of a minimal automaton. Its other states get ids too.
    fn intern(&mut self, start: u32, rows: &[Vec<u32>]) -> GuardId {
        let mut made: FxHashMap<u32, GuardId> = FxHashMap::from_iter([(FREE, FREE), (BROKEN, BROKEN)]);
        let (mut open, mut new) = (vec![start], Vec::new());
        while let Some(state) = open.pop() {
            if made.contains_key(&state) {
                continue;
            }
            let next = self.rows.len() as GuardId;
            let id = *self.ids.entry(numbered(state, rows)).or_insert(next);
            count(1);
            if id == next {
                count(rows[state as usize].len());
                self.rows.push(Box::default());
                new.push((id, state));
                open.extend(&rows[state as usize]);
            }
            made.insert(state, id);
        }
        for (id, state) in new {
            let row = rows[state as usize].iter().map(|next| made[next]);
            self.rows[id as usize] = row.collect();
        }
        made[&start]
    }
}

/// Rows in which states that lead to no breach are [`FREE`].
fn free_what_nothing_breaks(rows: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    decide_what_never_leads_to(BROKEN, FREE, rows)
}

/// Rows in which states that lead to no way out are [`BROKEN`].
fn break_what_nothing_frees(rows: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    decide_what_never_leads_to(FREE, BROKEN, rows)
}

fn decide_what_never_leads_to(target: GuardId, decided: GuardId, mut rows: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let (mut leads, mut changed) = (vec![false; rows.len()], true);
    leads[target as usize] = true;
    while changed {
        changed = false;
        for state in (2..rows.len()).rev() {
            // states are numbered as they are met, so those after a state mostly come first
            count(rows[state].len());
            let own = !leads[state] && rows[state].iter().any(|&next| leads[next as usize]);
            leads[state] |= own;
            changed |= own;
        }
    }
    for next in rows.iter_mut().flatten().filter(|next| !leads[**next as usize]) {
        *next = decided;
    }
    rows
}

/// The class of each state, and the rows of the classes: states that no text tells apart are one class (Moore 1956). The
/// classes of [`FREE`] and [`BROKEN`] are these.
fn minimal(rows: &[Vec<u32>]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut classes: Vec<u32> = (0..rows.len() as u32).map(|state| state.min(2)).collect();
    let mut known = 0;
    loop {
        let mut ids: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(rows.len());
        for (state, row) in rows.iter().enumerate() {
            count(row.len());
            let kind = classes[state].min(2);
            let id = ids.len() as u32;
            next.push(*ids.entry((kind, row.iter().map(|&to| classes[to as usize]).collect())).or_insert(id));
        }
        let is_stable = ids.len() == known;
        known = ids.len();
        classes = next;
        if is_stable {
            break;
        }
    }
    let mut by_class = vec![Vec::new(); known];
    for (state, row) in rows.iter().enumerate() {
        by_class[classes[state] as usize] = row.iter().map(|&to| classes[to as usize]).collect();
    }
    (classes, by_class)
}

/// The rows of an automaton from a state on, with states numbered as they are met.
fn numbered(start: u32, rows: &[Vec<u32>]) -> Vec<u32> {
    let (mut order, mut key, mut at) = (vec![FREE, BROKEN, start], Vec::new(), 2);
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(FREE, FREE), (BROKEN, BROKEN), (start, 2)]);
    while at < order.len() {
        for &next in &rows[order[at] as usize] {
            let number = *numbers.entry(next).or_insert_with(|| {
                order.push(next);
                order.len() as u32 - 1
            });
            key.push(number);
        }
        at += 1;
    }
    count(key.len());
    key
}
