//! Which entries of a rule are alike, so that one variant of the rule is enough for them.
//!
//! Entries are alike if everything in them is read with the same rivals, what they refer to is alike, and they end with
//! the same looks. Those that are not are told apart in rounds, as the states of an automaton are (Moore 1956): what an
//! entry does is written as a tree of *signs*, equal trees have one number, and the classes of the entries that it refers
//! to are those of the round before.
//!
//! Cost: a walk through the body of an entry, whenever the class of one that it refers to has changed.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::contexts::{Context, LookId};
use super::entries::{Ends, Entries};
use super::parts::{OccurrenceId, Part, PartId};
use crate::interrupt::count;

/// Rounds of a bounded repetition that are counted.
const MOST_ROUNDS: u32 = 256;

/// Index of a sign.
type SignId = u32;

/// What a part does in a context.
#[derive(PartialEq, Eq, Hash)]
enum Sign {
    /// Nothing more: the entry ends with a look.
    End(LookId),
    /// It reads an occurrence, with some rivals before it and after it; then comes what another sign says.
    Read(OccurrenceId, (LookId, LookId), SignId),
    /// It reads an entry of a class; what comes, by the look that its texts end with.
    Enter(usize, Vec<(LookId, SignId)>),
    Choose(Vec<SignId>),
    /// By class of the contexts between rounds: a round, and what comes after the last one.
    Repeat(Vec<(SignId, Option<SignId>)>),
    /// The next round, from a class of contexts.
    Again(usize),
    /// It has no text.
    Never,
}

/// What comes after a part, by the context in which it ends.
type Next = BTreeMap<Context, SignId>;

/// By entry: the first one that is alike.
pub fn find_alike(entries: &mut Entries<'_>) -> Vec<usize> {
    let rules: Vec<usize> = (0..entries.len()).map(|index| entries.get(index).0 as usize).collect();
    let mut all = Signs { classes: rules, all: IndexSet::default(), entries };
    let mut signs: Vec<SignId> = vec![0; all.classes.len()];
    let mut stale: BTreeSet<usize> = (0..signs.len()).collect();
    while !stale.is_empty() {
        for &index in &stale {
            signs[index] = all.of_entry(index);
        }
        let mut ids: FxHashMap<(usize, SignId), usize> = FxHashMap::default();
        let rows = all.classes.iter().copied().zip(signs.iter().copied()).enumerate();
        let classes: Vec<usize> = rows.map(|(index, row)| *ids.entry(row).or_insert(index)).collect();
        let changed = (0..classes.len()).filter(|&index| classes[index] != all.classes[index]);
        stale = changed.flat_map(|index| all.entries.readers(index)).copied().collect();
        all.classes = classes;
    }
    all.classes
}

/// What the entries do.
struct Signs<'s, 'e> {
    entries: &'s mut Entries<'e>,
    /// By entry: its class so far, which is the rule or the first entry in it.
    classes: Vec<usize>,
    all: IndexSet<Sign, FxBuildHasher>,
}

impl Signs<'_, '_> {
    fn add(&mut self, sign: Sign) -> SignId {
        count(1);
        self.all.insert_full(sign).0 as SignId
    }

    fn of_entry(&mut self, index: usize) -> SignId {
        let (rule, context) = self.entries.get(index);
        let body = self.entries.written.parts.rules[rule as usize];
        let ends = self.entries.ends(body, context);
        let next = ends.iter().map(|&end| (end, self.add(Sign::End(end.look)))).collect();
        self.of_part(body, context, &next)
    }

    fn of_part(&mut self, part: PartId, context: Context, next: &Next) -> SignId {
        let written = self.entries.written;
        let sign = match written.parts.get(part) {
            Part::Occurrence(occurrence) => {
                let after = written.after(context, *occurrence);
                match after.and_then(|after| Some((after.look, *next.get(&after)?))) {
                    Some((after, next)) => {
                        let looks = written.contexts.looks_around(written.parts, *occurrence, (context.look, after));
                        Sign::Read(*occurrence, looks, next)
                    }
                    None => Sign::Never,
                }
            }
            Part::Rule(rule) => match self.entries.find(*rule, context) {
                Some(entry) => {
                    let after = |&look: &LookId| Some((look, *next.get(&written.after_rule(context, *rule, look)?)?));
                    Sign::Enter(self.classes[entry], self.entries.looks(entry).iter().filter_map(after).collect())
                }
                None => Sign::Never,
            },
            Part::Choice(all) => Sign::Choose(all.iter().map(|&part| self.of_part(part, context, next)).collect()),
            Part::Sequence(all) => return self.of_row(all, context, next),
            Part::Repeat(..) => self.of_rounds(part, context, next),
        };
        self.add(sign)
    }

    fn of_row(&mut self, all: &[PartId], context: Context, next: &Next) -> SignId {
        let mut layers = vec![Ends::from([context])];
        for &part in all {
            let ends =
                layers.last().into_iter().flatten().map(|&from| self.entries.ends(part, from)).collect::<Vec<_>>();
            layers.push(ends.iter().flat_map(|ends| ends.iter().copied()).collect());
        }
        let mut next = next.clone();
        for (&part, layer) in all.iter().zip(&layers).rev() {
            next = layer.iter().map(|&from| (from, self.of_part(part, from, &next))).collect();
        }
        next.get(&context).copied().unwrap_or_else(|| self.add(Sign::Never))
    }

    /// The rounds of a repetition as an automaton over the contexts between them, as few as are told apart.
    fn of_rounds(&mut self, part: PartId, context: Context, next: &Next) -> Sign {
        let Part::Repeat(body, _, high) = *self.entries.written.parts.get(part) else { return Sign::Never };
        let high = high.filter(|&high| high <= MOST_ROUNDS);
        let mut nodes: IndexSet<(u32, Context)> = IndexSet::from([(0, context)]);
        let mut steps: Vec<Vec<(Context, usize)>> = Vec::new();
        while let Some(&(rounds, from)) = nodes.get_index(steps.len()) {
            let is_last = high.is_some_and(|high| rounds >= high);
            let round = if is_last { Vec::new() } else { self.entries.round(part, (rounds, from)) };
            let rounds = if high.is_some() { rounds + 1 } else { 1 };
            steps.push(round.into_iter().map(|(end, to)| (end, nodes.insert_full((rounds, to)).0)).collect());
        }
        let mut classes = vec![0; nodes.len()];
        let mut known = 0;
        loop {
            let mut ids: IndexSet<(usize, SignId, Option<SignId>)> = IndexSet::new();
            let mut found = Vec::new();
            for (at, &(_, from)) in nodes.iter().enumerate() {
                let again = steps[at].iter().map(|&(end, to)| (end, self.add(Sign::Again(classes[to])))).collect();
                let round = self.of_part(body, from, &again);
                found.push(ids.insert_full((classes[at], round, next.get(&from).copied())).0);
            }
            classes = found;
            if ids.len() == known {
                return Sign::Repeat(ids.into_iter().map(|(_, round, end)| (round, end)).collect());
            }
            known = ids.len();
        }
    }
}
