//! Which entries of a rule are alike, so that one variant of the rule is enough for them.
//!
//! Entries are alike if everything in them is read with the same rivals, what they refer to is alike, and they end with
//! the same looks. What an entry does is written as a graph of *deeds*, in which those of other entries are entered and
//! rounds lead to further rounds, and the deeds that go on alike are found as the states of an automaton are
//! ([`split_blocks`]):
//!
//! ```text
//! e: NAME | "(" e ")"      choose ─ read NAME ─ end          rivals and looks are part of what a deed is
//!                                 └ read "(" ─ enter e ─ read ")" ─ end
//! ```
//!
//! Cost: a walk through the body of each entry, then the logarithm of the deeds for each step between them.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::super::ast::RuleId;
use super::contexts::{Context, LookId};
use super::entries::{Ends, Entries};
use super::parts::{OccurrenceId, Part, PartId};
use crate::interrupt::count;
use crate::regular::{Edge, split_blocks};

/// Rounds of a bounded repetition that are counted.
const MOST_ROUNDS: u32 = 256;

/// Index of a deed; those of the entries come first.
type DeedId = u32;

/// What a deed is, apart from those that it leads to.
#[derive(PartialEq, Eq, Hash)]
enum Kind {
    /// An entry of a rule.
    Entry(RuleId),
    /// Nothing more: the entry ends with a look.
    End(LookId),
    /// An occurrence is read, with some rivals before it and after it.
    Read(OccurrenceId, (LookId, LookId)),
    /// An entry is read; then comes one of several deeds, by the look that its texts end with.
    Enter(SmallVec<[LookId; 4]>),
    /// One of several deeds.
    Choose,
    /// Another round of a repetition, or what comes after the last one, if it may end.
    Round { may_end: bool },
    /// It has no text.
    Never,
}

/// What comes after a part, by the context in which it ends, ascending.
type Next = SmallVec<[(Context, DeedId); 4]>;

/// Deeds that another one leads to.
type Steps = SmallVec<[DeedId; 4]>;

/// By entry: the first one that is alike.
pub fn find_alike(entries: &mut Entries<'_>) -> Vec<usize> {
    let entered = entries.len();
    let mut all = Deeds::of(entries);
    for index in 0..entered {
        all.add_entry(index);
    }
    let blocks = split_blocks(&all.kinds_of, &all.edges).of;
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    blocks[..entered].iter().enumerate().map(|(index, &block)| *first.entry(block).or_insert(index)).collect()
}

/// What the entries do.
struct Deeds<'s, 'e> {
    entries: &'s mut Entries<'e>,
    kinds: IndexSet<Kind, FxBuildHasher>,
    /// By deed: the number of its kind.
    kinds_of: Vec<u32>,
    /// The steps from one deed to others, each with its place among them.
    edges: Vec<Edge>,
    /// Deeds by their kinds, and where they lead.
    known: FxHashMap<(u32, Steps), DeedId>,
}

impl<'s, 'e> Deeds<'s, 'e> {
    /// Those of no entry yet.
    fn of(entries: &'s mut Entries<'e>) -> Self {
        let (kinds, known) = (IndexSet::default(), FxHashMap::default());
        let mut all = Self { entries, kinds, kinds_of: Vec::new(), edges: Vec::new(), known };
        for index in 0..all.entries.len() {
            let rule = all.entries.get(index).0;
            all.begin(Kind::Entry(rule));
        }
        all
    }

    /// Adds a deed whose steps are added later.
    fn begin(&mut self, kind: Kind) -> DeedId {
        let kind = self.kinds.insert_full(kind).0 as u32;
        self.push(kind)
    }

    fn push(&mut self, kind: u32) -> DeedId {
        count(1);
        self.kinds_of.push(kind);
        self.kinds_of.len() as DeedId - 1
    }

    /// Adds the steps of a deed.
    fn lead(&mut self, from: DeedId, steps: &[DeedId]) {
        count(steps.len());
        self.edges.extend((0..).zip(steps).map(|(class, &to)| Edge { from, class, to }));
    }

    /// Adds a deed, or finds it.
    fn add(&mut self, kind: Kind, steps: Steps) -> DeedId {
        let key = (self.kinds.insert_full(kind).0 as u32, steps);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let made = self.push(key.0);
        self.lead(made, &key.1);
        self.known.insert(key, made);
        made
    }

    fn add_entry(&mut self, index: usize) {
        let (rule, context) = self.entries.get(index);
        let body = self.entries.written.parts.rules[rule as usize];
        let ends = self.entries.ends(body, context);
        let next = ends.iter().map(|&end| (end, self.add(Kind::End(end.look), Steps::new()))).collect();
        let first = self.of_part(body, context, &next);
        self.lead(index as DeedId, &[first]);
    }

    fn of_part(&mut self, part: PartId, context: Context, next: &Next) -> DeedId {
        let written = self.entries.written;
        let (kind, steps) = match written.parts.get(part) {
            Part::Occurrence(occurrence) => {
                let after = written.after(context, *occurrence);
                match after.and_then(|after| Some((after.look, coming(next, after)?))) {
                    Some((after, next)) => {
                        let looks = written.contexts.looks_around(written.parts, *occurrence, (context.look, after));
                        (Kind::Read(*occurrence, looks), Steps::from_slice(&[next]))
                    }
                    None => (Kind::Never, Steps::new()),
                }
            }
            Part::Rule(rule) => match self.entries.find(*rule, context) {
                Some(entry) => {
                    let after = |&look: &LookId| Some((look, coming(next, written.after_rule(context, *rule, look)?)?));
                    let (looks, after): (_, Steps) = self.entries.looks(entry).iter().filter_map(after).unzip();
                    (Kind::Enter(looks), std::iter::once(entry as DeedId).chain(after).collect())
                }
                None => (Kind::Never, Steps::new()),
            },
            Part::Choice(all) => (Kind::Choose, all.iter().map(|&part| self.of_part(part, context, next)).collect()),
            Part::Sequence(all) => return self.of_row(all, context, next),
            Part::Repeat(..) => return self.of_rounds(part, context, next),
        };
        self.add(kind, steps)
    }

    fn of_row(&mut self, all: &[PartId], context: Context, next: &Next) -> DeedId {
        let mut layers = vec![Ends::from([context])];
        for &part in all {
            let mut layer = Ends::new();
            for &from in layers.last().into_iter().flatten() {
                layer.extend(&*self.entries.ends(part, from));
            }
            layers.push(layer);
        }
        let mut next = next.clone();
        for (&part, layer) in all.iter().zip(&layers).rev() {
            next = layer.iter().map(|&from| (from, self.of_part(part, from, &next))).collect();
        }
        coming(&next, context).unwrap_or_else(|| self.add(Kind::Never, Steps::new()))
    }

    /// The rounds of a repetition: a deed for each context between them.
    fn of_rounds(&mut self, part: PartId, context: Context, next: &Next) -> DeedId {
        let Part::Repeat(body, _, high) = *self.entries.written.parts.get(part) else {
            return self.add(Kind::Never, Steps::new());
        };
        let high = high.filter(|&high| high <= MOST_ROUNDS);
        let mut rounds: IndexSet<(u32, Context), FxBuildHasher> = IndexSet::from_iter([(0, context)]);
        let mut deeds = vec![self.begin_round(context, next)];
        let mut at = 0;
        while let Some(&(done, from)) = rounds.get_index(at) {
            let is_last = high.is_some_and(|high| done >= high);
            let round = if is_last { Vec::new() } else { self.entries.round(part, (done, from)) };
            let done = if high.is_some() { done + 1 } else { 1 };
            let mut again = Next::new();
            for (end, to) in round {
                let to_at = rounds.insert_full((done, to)).0;
                if to_at == deeds.len() {
                    deeds.push(self.begin_round(to, next));
                }
                again.push((end, deeds[to_at]));
            }
            let round = self.of_part(body, from, &again);
            let steps: Steps = std::iter::once(round).chain(coming(next, from)).collect();
            self.lead(deeds[at], &steps);
            at += 1;
        }
        deeds[0]
    }

    fn begin_round(&mut self, from: Context, next: &Next) -> DeedId {
        self.begin(Kind::Round { may_end: coming(next, from).is_some() })
    }
}

/// What comes after a context.
fn coming(next: &Next, context: Context) -> Option<DeedId> {
    next.binary_search_by_key(&context, |(own, _)| *own).ok().map(|at| next[at].1)
}
