//! In which contexts the rules of a grammar begin, and in which their parts end.
//!
//! ```text
//! s: ("if" e ";" | e ";")*    e: NAME         e begins in the context after "if", and in that after nothing or ";"
//! ```
//!
//! A rule has an *entry* for each context that it begins in. The looks that its texts end with are a least fixpoint, as the
//! guards of copies are ([`super::copies`]).

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::RuleId;
use super::contexts::{Context, Contexts, LookId, NO_LOOK, TooMany};
use super::parts::{OccurrenceId, Part, PartId, Parts};
use super::places::Places;
use super::productions::Productions;
use super::sorted::Sorted;
use crate::interrupt::count;

/// Contexts in which a part may end.
pub type Ends = Sorted<Context>;

/// Entries for each rule, and some for small grammars.
const MOST_ENTRIES: (usize, usize) = (8, 1 << 6);

/// The grammar as it is written, with its contexts.
pub struct Written<'w> {
    pub parts: &'w Parts,
    pub start: RuleId,
    pub productions: &'w Productions,
    /// What may come where, as if each occurrence had one context.
    pub places: &'w Places,
    pub contexts: &'w Contexts,
}

impl Written<'_> {
    /// The context after an occurrence; `None` if it cannot come.
    pub fn after(&self, context: Context, occurrence: OccurrenceId) -> Option<Context> {
        self.contexts.after(context, self.productions.name_of(self.parts, occurrence))
    }

    /// The context after a rule whose texts end with a look.
    pub fn after_rule(&self, context: Context, rule: u32, look: LookId) -> Option<Context> {
        let after = self.contexts.after(context, self.productions.names + rule)?;
        Some(Context { look, ..after })
    }

    /// The context after a round that ended in a context, of a repetition that is in `from` after some rounds.
    fn after_round(&self, repetition: PartId, (rounds, from): (u32, Context), end: Context) -> Option<Context> {
        match self.productions.rule_of_rounds(repetition) {
            None => Some(end),
            Some(rule) if rounds == 0 => self.after_rule(from, rule, end.look),
            Some(_) => Some(Context { look: end.look, ..from }),
        }
    }

    /// The context in which a rule begins; without the look, if it does not matter there.
    fn enter(&self, rule: RuleId, context: Context) -> Context {
        let is_contested = |&occurrence: &OccurrenceId| self.contexts.is_contested(self.parts, occurrence);
        let matters = self.places.nullable[self.parts.rules[rule as usize] as usize]
            || self.places.first[rule as usize].iter().any(is_contested);
        if matters { context } else { Context { look: NO_LOOK, ..context } }
    }

    /// Whether a part is in Lark's brackets.
    pub fn is_optional(&self, part: PartId) -> bool {
        self.parts.optional.binary_search(&part).is_ok()
    }
}

/// The looks that the texts of an entry end with, and the entries that depend on them.
#[derive(Default)]
struct Known {
    looks: Sorted<LookId>,
    readers: BTreeSet<usize>,
}

/// The entries of all rules.
pub struct Entries<'e> {
    pub written: &'e Written<'e>,
    known: IndexMap<(RuleId, Context), Known, FxBuildHasher>,
    /// Entries to look at again.
    open: BTreeSet<usize>,
    /// Where parts end, by part and the context before it: for one look at an entry, then for all.
    ends: FxHashMap<(PartId, Context), Rc<Ends>>,
}

impl<'e> Entries<'e> {
    /// Those of a grammar.
    ///
    /// # Errors
    /// When there are too many.
    pub fn of(written: &'e Written<'e>) -> Result<Self, TooMany> {
        let mut all = Self { written, known: IndexMap::default(), open: BTreeSet::new(), ends: FxHashMap::default() };
        all.find_looks()?;
        Ok(all)
    }

    fn find_looks(&mut self) -> Result<(), TooMany> {
        let written = self.written;
        let most = MOST_ENTRIES.0 * written.parts.rules.len() + MOST_ENTRIES.1;
        self.add(written.start, written.contexts.begin);
        while let Some(index) = self.open.pop_first() {
            if self.known.len() > most {
                return Err(TooMany);
            }
            let (rule, context) = self.get(index);
            self.ends.clear();
            let ends = self.find_ends(written.parts.rules[rule as usize], context, Some(index));
            let known = &mut self.known[index];
            let before = known.looks.len();
            known.looks.extend(ends.iter().map(|end| end.look));
            if known.looks.len() > before {
                self.open.extend(known.readers.iter().copied());
            }
        }
        self.ends.clear();
        Ok(())
    }

    fn add(&mut self, rule: RuleId, context: Context) -> usize {
        let next = self.known.len();
        let entry = self.known.entry((rule, self.written.enter(rule, context)));
        let index = entry.index();
        entry.or_default();
        if index == next {
            self.open.insert(index);
        }
        index
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The rule of an entry, and its context.
    pub fn get(&self, index: usize) -> (RuleId, Context) {
        self.known.get_index(index).map_or((self.written.start, self.written.contexts.begin), |(key, _)| *key)
    }

    /// The entry of a rule in a context; `None` if it does not begin there.
    pub fn find(&self, rule: RuleId, context: Context) -> Option<usize> {
        self.known.get_index_of(&(rule, self.written.enter(rule, context)))
    }

    /// The looks that the texts of an entry end with.
    pub fn looks(&self, index: usize) -> &Sorted<LookId> {
        &self.known[index].looks
    }

    /// The contexts in which a part may end.
    pub fn ends(&mut self, part: PartId, context: Context) -> Rc<Ends> {
        self.find_ends(part, context, None)
    }

    /// The same, as far as they are known; `reader` is the entry that asks.
    fn find_ends(&mut self, part: PartId, context: Context, reader: Option<usize>) -> Rc<Ends> {
        if let Some(known) = self.ends.get(&(part, context)) {
            return Rc::clone(known);
        }
        count(1);
        let written = self.written;
        let found: Ends = match written.parts.get(part) {
            Part::Occurrence(occurrence) => written.after(context, *occurrence).into_iter().collect(),
            Part::Rule(rule) => {
                if let Some(reader) = reader {
                    let index = self.add(*rule, context);
                    self.known[index].readers.insert(reader);
                }
                let looks = self.find(*rule, context).map(|index| &self.known[index].looks);
                looks.into_iter().flatten().filter_map(|&look| written.after_rule(context, *rule, look)).collect()
            }
            Part::Choice(all) => {
                let mut found = Ends::new();
                for &part in all {
                    found.extend(&*self.find_ends(part, context, reader));
                }
                found
            }
            Part::Sequence(all) => all.iter().fold(Ends::from([context]), |ends, &part| {
                let mut found = Ends::new();
                for &end in &ends {
                    found.extend(&*self.find_ends(part, end, reader));
                }
                found
            }),
            Part::Repeat(_, low, high) => self.ends_of_rounds(part, (*low, *high), context, reader),
        };
        let found = Rc::new(found);
        self.ends.insert((part, context), Rc::clone(&found));
        found
    }

    fn ends_of_rounds(
        &mut self,
        part: PartId,
        (low, high): (u32, Option<u32>),
        context: Context,
        reader: Option<usize>,
    ) -> Ends {
        let (mut all, mut last, mut seen, mut rounds) = (Ends::new(), Ends::from([context]), BTreeSet::new(), 0);
        loop {
            if rounds >= low {
                all.extend(&last);
            }
            if high.is_some_and(|high| rounds >= high) || last.is_empty() {
                return all;
            }
            last =
                last.iter().flat_map(|&from| self.find_round(part, (rounds, from), reader)).map(|end| end.1).collect();
            rounds += 1;
            // Rounds repeat from here on. Ends that only too few rounds have do no harm: nothing is made for them.
            if !seen.insert(last.clone()) {
                all.extend(seen.into_iter().flatten());
                return all;
            }
        }
    }

    /// Where a round of a repetition may end that is in a context after some rounds: what is repeated, and the context
    /// after the round.
    pub fn round(&mut self, part: PartId, from: (u32, Context)) -> Vec<(Context, Context)> {
        self.find_round(part, from, None)
    }

    fn find_round(&mut self, part: PartId, from: (u32, Context), reader: Option<usize>) -> Vec<(Context, Context)> {
        let Part::Repeat(body, ..) = *self.written.parts.get(part) else { return Vec::new() };
        let ends = self.find_ends(body, from.1, reader);
        ends.iter().filter_map(|&end| Some((end, self.written.after_round(part, from, end)?))).collect()
    }
}
