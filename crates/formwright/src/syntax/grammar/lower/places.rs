//! What may come in the places of a text.
//!
//! A *place* is what may come next after some occurrence: the occurrences that may follow it, and the terminals that a
//! contextual lexer looks for there, its *rivals* ([`super::states`]). Where the parser is in one state after equal
//! terminals, the lexer looks for what may follow either:
//!
//! ```text
//! s: "a" x | "a" y      after either "a", x and y are looked for, though only one of them follows it
//! ```
//!
//! Cost: passes over the rules until nothing changes.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::parts::{OccurrenceId, Part, PartId, Parts};
use crate::interrupt::count;

/// Index of a place.
pub type PlaceId = u32;

/// A sorted set of occurrences.
type Set = BTreeSet<OccurrenceId>;

/// The symbols that a lexer looks for, by name.
#[derive(Debug)]
pub struct Rivals {
    /// At the beginning of a text.
    pub begin: Bits,
    /// By occurrence: after it.
    pub after: Vec<Bits>,
    /// By occurrence: where it is, if that is known; else all that is looked for in places with the occurrence.
    pub at: Option<Vec<Bits>>,
}

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
    /// By place: the terminals that a lexer looks for there.
    pub rivals: Vec<Bits>,
    /// By occurrence: the terminals that a lexer looks for where it is.
    pub at: Vec<Bits>,
    /// By occurrence: the place after it.
    pub after: Vec<PlaceId>,
}

impl Places {
    /// The places of a grammar that begins with the rule `start`.
    pub fn of(parts: &Parts, nullable: Vec<bool>, start: usize, rivals: &Rivals) -> Self {
        let mut places = Self { nullable, ..Self::default() };
        places.first = places.first_of_rules(parts);
        let after = places.follow_of_occurrences(parts);
        let mut ids: FxHashMap<(Vec<OccurrenceId>, Bits), PlaceId> = FxHashMap::default();
        let mut add = |places: &mut Self, set: &Set, rivals: &Bits| {
            let (set, next): (Vec<OccurrenceId>, _) = (set.iter().copied().collect(), places.all.len() as PlaceId);
            let id = *ids.entry((set.clone(), rivals.clone())).or_insert(next);
            if id == next {
                places.all.push(set);
                places.rivals.push(rivals.clone());
            }
            id
        };
        let begin = places.first[start].clone();
        add(&mut places, &begin, &rivals.begin);
        let after = after.iter().zip(&rivals.after).map(|(set, rivals)| add(&mut places, set, rivals)).collect();
        places.at = rivals.at.clone().unwrap_or_else(|| places.rivals_of_occurrences(parts, &rivals.begin));
        Self { after, ..places }
    }

    /// By occurrence: all that a lexer looks for in places with it.
    fn rivals_of_occurrences(&self, parts: &Parts, begin: &Bits) -> Vec<Bits> {
        let mut all = vec![Bits::like(begin); parts.occurrences.len()];
        for (place, rivals) in self.all.iter().zip(&self.rivals) {
            count(place.len());
            for &occurrence in place {
                all[occurrence as usize].extend(rivals);
            }
        }
        all
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
