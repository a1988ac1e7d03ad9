//! Which terminals may come in the places of a text.
//!
//! A *place* is what may come next after some occurrence: a set of occurrences. A parser that has read a text may be in
//! several places at once, where equal terminals were read on several ways; the terminals of all of them are *rivals*
//! there, since a contextual lexer looks for any of them:
//!
//! ```text
//! s: "a" x | "a" y      after "a" it is in two places: x and y may come, and are rivals
//! ```
//!
//! Pairs of places that a text leads to at once are a fixpoint, as states of a product of two automata. Without it, the
//! rivals of single places would be too few.
//!
//! Cost: passes over the rules until nothing changes, and one visit of each pair of places.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::parts::{OccurrenceId, Part, PartId, Parts};
use crate::error::{Error, Result};
use crate::interrupt::count;

/// Index of a place.
pub type PlaceId = u32;

/// Most pairs of places.
const MOST_PAIRS: usize = 1 << 20;

/// A sorted set of occurrences.
type Set = BTreeSet<OccurrenceId>;

/// What may begin and what may follow the parts of a grammar.
#[derive(Debug, Default)]
pub struct Places {
    /// By part: whether the empty text is in it.
    pub nullable: Vec<bool>,
    /// By rule: the occurrences that may begin it.
    pub first: Vec<Set>,
    /// By rule: the occurrences that may follow it.
    pub follow: Vec<Set>,
    /// The places, as sets of occurrences; the first is that before the text.
    pub all: Vec<Vec<OccurrenceId>>,
    /// By occurrence: the place after it.
    pub after: Vec<PlaceId>,
}

impl Places {
    /// The places of a grammar that begins with the rule `start`.
    pub fn of(parts: &Parts, nullable: Vec<bool>, start: usize) -> Self {
        let mut places = Self { nullable, ..Self::default() };
        places.first = places.first_of_rules(parts);
        let after = places.follow_of_occurrences(parts);
        let mut ids: FxHashMap<Vec<OccurrenceId>, PlaceId> = FxHashMap::default();
        let mut add = |set: &Set, all: &mut Vec<Vec<OccurrenceId>>| {
            let set: Vec<OccurrenceId> = set.iter().copied().collect();
            *ids.entry(set.clone()).or_insert_with(|| {
                all.push(set);
                all.len() as PlaceId - 1
            })
        };
        let begin = places.first[start].clone();
        add(&begin, &mut places.all);
        places.after = after.iter().map(|set| add(set, &mut places.all)).collect();
        places
    }

    /// The occurrences that may begin a part.
    pub fn first_of(&self, parts: &Parts, part: PartId) -> Set {
        let mut first = Set::new();
        self.add_first(parts, part, &mut first);
        first
    }

    /// The occurrences that come where a rule begins: what may follow it too, if it may be empty.
    pub fn beginning(&self, parts: &Parts, rule: usize) -> Vec<OccurrenceId> {
        let follow = self.nullable[parts.rules[rule] as usize].then_some(&self.follow[rule]);
        self.first[rule].iter().chain(follow.into_iter().flatten()).copied().collect()
    }

    fn add_first(&self, parts: &Parts, part: PartId, first: &mut Set) {
        match parts.get(part) {
            Part::Occurrence(occurrence) => {
                first.insert(*occurrence);
            }
            Part::Rule(rule) => {
                let known = &self.first[*rule as usize];
                count(known.len());
                first.extend(known);
            }
            Part::Sequence(all) => {
                let read = all.iter().position(|&part| !self.nullable[part as usize]);
                all[..read.map_or(all.len(), |at| at + 1)].iter().for_each(|&part| self.add_first(parts, part, first));
            }
            Part::Choice(all) => all.iter().for_each(|&part| self.add_first(parts, part, first)),
            Part::Repeat(_, _, Some(0)) => {}
            Part::Repeat(body, ..) => self.add_first(parts, *body, first),
        }
    }

    fn first_of_rules(&mut self, parts: &Parts) -> Vec<Set> {
        self.first = vec![Set::new(); parts.rules.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for rule in (0..parts.rules.len()).rev() {
                let first = self.first_of(parts, parts.rules[rule]);
                changed |= first.len() > self.first[rule].len();
                self.first[rule] = first;
            }
        }
        std::mem::take(&mut self.first)
    }

    /// By occurrence: what may follow it. Also finds what may follow the rules.
    fn follow_of_occurrences(&mut self, parts: &Parts) -> Vec<Set> {
        self.follow = vec![Set::new(); parts.rules.len()];
        let mut after = vec![Set::new(); parts.occurrences.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for rule in 0..parts.rules.len() {
                let follow = self.follow[rule].clone();
                changed |= self.spread(parts, parts.rules[rule], &follow, &mut after);
            }
        }
        after
    }

    /// Tells the occurrences and rules in a part what may follow it; whether some rule learnt something.
    fn spread(&mut self, parts: &Parts, part: PartId, follow: &Set, after: &mut [Set]) -> bool {
        count(1 + follow.len());
        match parts.get(part) {
            Part::Occurrence(occurrence) => {
                after[*occurrence as usize].extend(follow);
                false
            }
            Part::Rule(rule) => {
                let known = &mut self.follow[*rule as usize];
                let before = known.len();
                known.extend(follow);
                known.len() > before
            }
            Part::Choice(all) => {
                all.iter().fold(false, |changed, &part| self.spread(parts, part, follow, after) | changed)
            }
            Part::Sequence(all) => {
                let (mut changed, mut follow) = (false, follow.clone());
                for &part in all.iter().rev() {
                    changed |= self.spread(parts, part, &follow, after);
                    if !self.nullable[part as usize] {
                        follow.clear();
                    }
                    self.add_first(parts, part, &mut follow);
                }
                changed
            }
            Part::Repeat(body, _, high) => {
                let mut follow = follow.clone();
                if high.is_none_or(|high| high > 1) {
                    self.add_first(parts, *body, &mut follow);
                }
                self.spread(parts, *body, &follow, after)
            }
        }
    }

    /// By place: the symbols that may come where it is, in any place that a text leads to at once. `name` numbers the
    /// symbols: equal terminals have one number.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when there are too many pairs of places.
    pub fn rivals(&self, name: impl Fn(OccurrenceId) -> u32) -> Result<Vec<BTreeSet<u32>>> {
        let leads = |place: &Vec<OccurrenceId>| {
            let mut by_name: FxHashMap<u32, BTreeSet<PlaceId>> = FxHashMap::default();
            for &occurrence in place {
                by_name.entry(name(occurrence)).or_default().insert(self.after[occurrence as usize]);
            }
            by_name
        };
        let leads: Vec<_> = self.all.iter().map(leads).collect();
        let (mut open, mut seen) = (vec![(0, 0)], FxHashSet::from_iter([(0, 0)]));
        while let Some((one, other)) = open.pop() {
            let (one, other): (&FxHashMap<_, _>, &FxHashMap<_, _>) = (&leads[one as usize], &leads[other as usize]);
            for (name, after) in one {
                let Some(others) = other.get(name) else { continue };
                for (&one, &other) in after.iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
                    count(1);
                    let pair: (PlaceId, PlaceId) = (one.min(other), one.max(other));
                    if seen.insert(pair) {
                        open.push(pair);
                    }
                }
            }
            if seen.len() > MOST_PAIRS {
                return Err(Error::limit("pairs of places of a grammar", seen.len(), MOST_PAIRS).hint(
                    "read the grammar without regard to places, lexing=\"basic\", or without a lexer, lexing=\"any\"",
                ));
            }
        }
        let mut rivals = vec![BTreeSet::new(); self.all.len()];
        for (one, other) in seen {
            rivals[one as usize].extend(leads[other as usize].keys());
            rivals[other as usize].extend(leads[one as usize].keys());
        }
        Ok(rivals)
    }
}

/// By part: whether the empty text is in it.
pub fn nullable_parts(parts: &Parts, is_nullable: impl Fn(OccurrenceId) -> bool) -> Vec<bool> {
    let (mut nullable, mut changed) = (vec![false; parts.all.len()], true);
    while changed {
        changed = false;
        count(parts.all.len());
        for part in 0..parts.all.len() {
            let is = |part: &PartId| nullable[*part as usize];
            let own = match &parts.all[part] {
                Part::Occurrence(occurrence) => is_nullable(*occurrence),
                Part::Rule(rule) => is(&parts.rules[*rule as usize]),
                Part::Sequence(all) => all.iter().all(is),
                Part::Choice(all) => all.iter().any(is),
                Part::Repeat(body, low, _) => *low == 0 || is(body),
            };
            changed |= own && !nullable[part];
            nullable[part] |= own;
        }
    }
    nullable
}
