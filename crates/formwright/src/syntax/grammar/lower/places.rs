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
//! Cost: one visit of each part, then a visit of each use of a rule whenever what begins or follows that rule grows.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::parts::{OccurrenceId, Part, PartId, Parts};
use super::spread::spread;
use crate::interrupt::count;

/// Index of a place.
pub type PlaceId = u32;

/// A sorted set of occurrences.
type Set = BTreeSet<OccurrenceId>;

/// The symbols that a lexer looks for, by name: the rivals.
#[derive(Debug)]
pub struct RivalsByOccurrence {
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
    pub fn of(parts: &Parts, nullable: Vec<bool>, start: usize, rivals: &RivalsByOccurrence) -> Self {
        let mut places = Self { nullable, ..Self::default() };
        places.first = places.first_of_rules(parts);
        let (after, follow) = Follows::of(parts, &places);
        places.follow = follow;
        let mut ids: FxHashMap<(Vec<OccurrenceId>, Bits), PlaceId> = FxHashMap::default();
        let mut add = |places: &mut Self, set: &Set, rivals: &Bits| {
            count(1 + set.len() + rivals.words());
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
                self.beginnings(all).iter().for_each(|&part| self.add_first(parts, part, first));
            }
            Part::Choice(all) => all.iter().for_each(|&part| self.add_first(parts, part, first)),
            Part::Repeat(_, _, Some(0)) => {}
            Part::Repeat(body, ..) => self.add_first(parts, *body, first),
        }
    }

    /// By rule: the occurrences that may begin it.
    fn first_of_rules(&mut self, parts: &Parts) -> Vec<Set> {
        self.first = vec![Set::new(); parts.rules.len()];
        let (mut first, mut uses) = (Vec::with_capacity(parts.rules.len()), Vec::new());
        for (rule, &body) in (0..).zip(&parts.rules) {
            first.push(self.first_of(parts, body)); // without what begins the rules that begin it
            self.add_beginning_rules(parts, body, rule, &mut uses);
        }
        spread(&mut first, uses, extend);
        first
    }

    /// Notes the rules that may begin a part of `rule`.
    fn add_beginning_rules(&self, parts: &Parts, part: PartId, rule: u32, uses: &mut Vec<(u32, u32)>) {
        match parts.get(part) {
            Part::Occurrence(_) | Part::Repeat(_, _, Some(0)) => {}
            Part::Rule(begun) => uses.push((*begun, rule)),
            Part::Sequence(all) => self.beginnings(all).iter().for_each(|&part| {
                self.add_beginning_rules(parts, part, rule, uses);
            }),
            Part::Choice(all) => all.iter().for_each(|&part| self.add_beginning_rules(parts, part, rule, uses)),
            Part::Repeat(body, ..) => self.add_beginning_rules(parts, *body, rule, uses),
        }
    }

    /// Of parts in a row: those that may come first.
    fn beginnings<'p>(&self, all: &'p [PartId]) -> &'p [PartId] {
        let read = all.iter().position(|&part| !self.nullable[part as usize]);
        &all[..read.map_or(all.len(), |at| at + 1)]
    }
}

/// Adds a set to another one; whether it had something new.
fn extend(all: &mut Set, other: &Set) -> bool {
    let before = all.len();
    count(1 + other.len());
    all.extend(other);
    all.len() > before
}

/// What follows the parts of a grammar.
struct Follows<'f> {
    parts: &'f Parts,
    places: &'f Places,
    /// By occurrence: what may follow it in its rule.
    after: Vec<Set>,
    /// Occurrences after which their rule may end.
    last: Vec<(OccurrenceId, usize)>,
    /// By rule: what may follow it in others.
    follow: Vec<Set>,
    /// A rule, and one after which it may end.
    ends: Vec<(u32, u32)>,
}

impl<'f> Follows<'f> {
    /// By occurrence, and by rule: what may follow it.
    fn of(parts: &'f Parts, places: &'f Places) -> (Vec<Set>, Vec<Set>) {
        let (after, follow) = (vec![Set::new(); parts.occurrences.len()], vec![Set::new(); parts.rules.len()]);
        let mut follows = Self { parts, places, after, last: Vec::new(), follow, ends: Vec::new() };
        for (rule, &body) in parts.rules.iter().enumerate() {
            follows.add(body, rule, &Set::new(), true);
        }
        let Self { mut after, last, mut follow, ends, .. } = follows;
        spread(&mut follow, ends, extend);
        for (occurrence, rule) in last {
            extend(&mut after[occurrence as usize], &follow[rule]);
        }
        (after, follow)
    }

    /// Notes what follows a part of a rule, and whether the rule may end after it.
    fn add(&mut self, part: PartId, rule: usize, follow: &Set, is_last: bool) {
        let (parts, places) = (self.parts, self.places);
        match parts.get(part) {
            Part::Occurrence(occurrence) => {
                extend(&mut self.after[*occurrence as usize], follow);
                self.last.extend(is_last.then_some((*occurrence, rule)));
            }
            Part::Rule(used) => {
                extend(&mut self.follow[*used as usize], follow);
                self.ends.extend(is_last.then_some((rule as u32, *used)));
            }
            Part::Choice(all) => all.iter().for_each(|&part| self.add(part, rule, follow, is_last)),
            Part::Sequence(all) => {
                let (mut follow, mut is_last) = (follow.clone(), is_last);
                for &part in all.iter().rev() {
                    count(1 + follow.len());
                    self.add(part, rule, &follow, is_last);
                    if !places.nullable[part as usize] {
                        follow.clear();
                        is_last = false;
                    }
                    places.add_first(parts, part, &mut follow);
                }
            }
            Part::Repeat(body, _, high) => {
                let mut follow = follow.clone();
                count(1 + follow.len());
                if high.is_none_or(|high| high > 1) {
                    places.add_first(parts, *body, &mut follow);
                }
                self.add(*body, rule, &follow, is_last);
            }
        }
    }
}

/// By part: whether the empty text is in it.
pub fn nullable_parts(parts: &Parts, is_nullable: impl Fn(OccurrenceId) -> bool) -> Vec<bool> {
    let missing = |part: &Part| match part {
        Part::Occurrence(occurrence) if is_nullable(*occurrence) => 0,
        Part::Repeat(_, 0, _) => 0,
        Part::Sequence(all) => all.len(),
        Part::Rule(_) | Part::Choice(_) | Part::Repeat(..) => 1,
        Part::Occurrence(_) => usize::MAX,
    };
    count(parts.all.len());
    let users = Users::of(parts);
    let mut missing: Vec<usize> = parts.all.iter().map(missing).collect(); // parts of it that must be nullable first
    let mut open: Vec<PartId> = (0..parts.all.len() as PartId).filter(|&part| missing[part as usize] == 0).collect();
    while let Some(part) = open.pop() {
        for &user in users.of_part(part) {
            count(1);
            let left = &mut missing[user as usize];
            if *left == 1 {
                open.push(user);
            }
            *left = left.saturating_sub(1);
        }
    }
    missing.into_iter().map(|missing| missing == 0).collect()
}

/// By part: the parts that are made of it.
struct Users {
    all: Vec<PartId>,
    /// By part: where its users begin, and after the last one where they end.
    starts: Vec<usize>,
}

impl Users {
    fn of(parts: &Parts) -> Self {
        let mut uses: Vec<(PartId, PartId)> = Vec::with_capacity(parts.all.len());
        for (user, part) in (0..).zip(&parts.all) {
            match part {
                Part::Occurrence(_) => {}
                Part::Rule(rule) => uses.push((parts.rules[*rule as usize], user)),
                Part::Sequence(all) | Part::Choice(all) => uses.extend(all.iter().map(|&used| (used, user))),
                Part::Repeat(body, ..) => uses.push((*body, user)),
            }
        }
        uses.sort_unstable();
        let starts = (0..=parts.all.len() as PartId).map(|part| uses.partition_point(|(used, _)| *used < part));
        Self { starts: starts.collect(), all: uses.into_iter().map(|(_, user)| user).collect() }
    }

    fn of_part(&self, part: PartId) -> &[PartId] {
        &self.all[self.starts[part as usize]..self.starts[part as usize + 1]]
    }
}
