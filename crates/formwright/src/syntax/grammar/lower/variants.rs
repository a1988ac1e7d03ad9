//! The rules of a grammar, copied where the lexer looks for other terminals in them ([`super::contexts`]).
//!
//! A *variant* of a rule has its texts that begin in a context and end with some of the looks that they may end with. The
//! variants of one context have no look in common, so a text is not read in several of them. Where a part may end in contexts
//! that go on differently, a row branches:
//!
//! ```text
//! s: ("if" e ";" | e ";")*     s: ("if" e1 ";" | e2 ";")*     e1: NAME, e2: NAME but not "if"
//! s: x? NAME                   s: x NAME | NAME               with other rivals of NAME in each
//! ```
//!
//! What a part is a variant of is kept, for trees. Repetitions are in [`super::repetitions`].
//!
//! Cost: as for copies ([`super::copies`]); beyond a number of parts, the rules stay as they are.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::RuleId;
use super::bits::Bits;
use super::contexts::{Context, LookId, TooMany};
use super::entries::{Ends, Entries, Written};
use super::likeness::find_alike;
use super::parts::{OccurrenceId, Part, PartId, Parts};
use super::places::RivalsByOccurrence;
use super::sorted::Sorted;
use crate::interrupt::count;

/// Parts for each part as it is written, and some for small grammars.
const MOST_PARTS: (usize, usize) = (8, 1 << 9);

/// The looks that texts may end with.
type Looks = Sorted<LookId>;

/// What is left of a row or a repetition, one part after the other.
pub type Rest = Vec<PartId>;

/// The rules with their variants.
pub struct Variants {
    pub parts: Parts,
    pub start: RuleId,
    pub rivals: RivalsByOccurrence,
    /// By part: the part as it is written.
    pub origins: Vec<PartId>,
}

impl Variants {
    /// Those of a grammar; `begin` is what is looked for where a text begins.
    ///
    /// # Errors
    /// When there are too many.
    pub fn of(written: &Written<'_>, begin: Bits) -> Result<Self, TooMany> {
        let mut entries = Entries::of(written)?;
        let alike = find_alike(&mut entries);
        let mut looks: Vec<Vec<Looks>> = (0..entries.len()).map(|entry| vec![entries.looks(entry).clone()]).collect();
        loop {
            let most = MOST_PARTS.0 * written.parts.all.len() + MOST_PARTS.1;
            let mut writer = Writer::new(written, most, (entries, &alike), looks);
            writer.write()?;
            if !writer.has_split {
                let Writer { made, origins, after, at, .. } = writer;
                return Ok(Self {
                    parts: made,
                    start: 0,
                    rivals: RivalsByOccurrence { begin, after, at: Some(at) },
                    origins,
                });
            }
            (entries, looks) = (writer.entries, writer.looks);
        }
    }
}

/// Writes the variants.
pub struct Writer<'w> {
    pub written: &'w Written<'w>,
    /// Most parts.
    most: usize,
    pub entries: Entries<'w>,
    /// By entry: the first one that is alike.
    alike: &'w [usize],
    /// By entry: the looks that its texts may end with, by variant.
    looks: Vec<Vec<Looks>>,
    /// Whether these are more than when the writer began, so that it has to begin again.
    has_split: bool,
    /// An entry for each, and the looks that its texts may end with.
    variants: IndexSet<(usize, Looks), FxBuildHasher>,
    made: Parts,
    origins: Vec<PartId>,
    /// By occurrence: what is looked for after it, and where it is.
    after: Vec<Bits>,
    at: Vec<Bits>,
    /// Occurrences by the one that is written and the looks around it, as far as these matter.
    occurrences: FxHashMap<(OccurrenceId, (LookId, LookId)), OccurrenceId>,
    /// The parts of the variant that is being written, by what they are and the part that is written.
    ids: FxHashMap<(Part, PartId), PartId>,
    /// The same, by the part that is written, the context before it and where it may end; `None` if it has no text there.
    known: FxHashMap<(PartId, Context, Ends), Option<PartId>>,
    /// What is left of rows and repetitions, by how much of them is done.
    pub rests: FxHashMap<(PartId, u32, Context, Ends), Option<Rest>>,
}

impl<'w> Writer<'w> {
    fn new(
        written: &'w Written<'w>,
        most: usize,
        (entries, alike): (Entries<'w>, &'w [usize]),
        looks: Vec<Vec<Looks>>,
    ) -> Self {
        Self {
            written,
            most,
            entries,
            alike,
            looks,
            has_split: false,
            variants: IndexSet::default(),
            made: Parts::like(written.parts),
            origins: Vec::new(),
            after: Vec::new(),
            at: Vec::new(),
            occurrences: FxHashMap::default(),
            ids: FxHashMap::default(),
            known: FxHashMap::default(),
            rests: FxHashMap::default(),
        }
    }

    fn write(&mut self) -> Result<(), TooMany> {
        let written = self.written;
        let every = self.entries.looks(0).clone();
        self.variants.insert((0, every)); // the first entry is that of the start rule
        let mut at = 0;
        while let Some((entry, looks)) = self.variants.get_index(at).cloned() {
            at += 1;
            self.ids.clear();
            self.known.clear();
            self.rests.clear();
            let (rule, context) = self.entries.get(entry);
            let body = self.body(written.parts.rules[rule as usize], context, &looks)?;
            self.made.written.push(rule);
            self.made.rules.push(body);
        }
        Ok(())
    }

    /// The body of a variant, which is its last part. Each alternative keeps its index.
    fn body(&mut self, body: PartId, context: Context, looks: &Looks) -> Result<PartId, TooMany> {
        let ends = self.entries.ends(body, context);
        let ends: Ends = ends.iter().copied().filter(|end| looks.contains(&end.look)).collect();
        let made = match self.written.parts.get(body) {
            Part::Choice(all) => {
                let mut options = Vec::new();
                for &option in all {
                    let made = self.part(option, context, &ends)?;
                    options.push(made.unwrap_or_else(|| self.never(option)));
                }
                self.add(Part::Choice(options), body)
            }
            _ => self.part(body, context, &ends)?.unwrap_or_else(|| self.never(body)),
        };
        let is_last = made as usize + 1 == self.made.all.len();
        Ok(if is_last { made } else { self.push(Part::Sequence(vec![made]), body) })
    }

    /// A part without texts.
    pub fn never(&mut self, origin: PartId) -> PartId {
        self.add(Part::Choice(Vec::new()), origin)
    }

    /// A part of the variant that is being written.
    pub fn add(&mut self, part: Part, origin: PartId) -> PartId {
        if let Some(&known) = self.ids.get(&(part.clone(), origin)) {
            return known;
        }
        let made = self.push(part.clone(), origin);
        self.ids.insert((part, origin), made);
        made
    }

    fn push(&mut self, part: Part, origin: PartId) -> PartId {
        let is_optional = matches!(part, Part::Repeat(..)) && self.written.is_optional(origin);
        let made = self.made.add(part);
        self.origins.push(origin);
        self.made.optional.extend(is_optional.then_some(made));
        made
    }

    /// A part between a context and some ends; `None` if it has no text there.
    pub fn part(&mut self, part: PartId, context: Context, ends: &Ends) -> Result<Option<PartId>, TooMany> {
        let key = (part, context, ends.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        count(1 + ends.len());
        if self.made.all.len() > self.most {
            return Err(TooMany);
        }
        let made = match self.written.parts.get(part) {
            Part::Occurrence(occurrence) => {
                let after = self.written.after(context, *occurrence).filter(|after| ends.contains(after));
                after.map(|after| {
                    let made = self.occurrence(*occurrence, context.look, after.look);
                    self.add(Part::Occurrence(made), part)
                })
            }
            Part::Rule(rule) => {
                let variants = self.rules(*rule, context, ends).into_iter();
                let options: Vec<PartId> = variants.map(|rule| self.add(Part::Rule(rule), part)).collect();
                match options[..] {
                    [] => None,
                    [only] => Some(only),
                    _ => Some(self.add(Part::Choice(options), part)),
                }
            }
            Part::Choice(all) => {
                let mut options = Vec::new();
                for &option in all {
                    options.extend(self.part(option, context, ends)?);
                }
                (!options.is_empty()).then(|| self.add(Part::Choice(options), part))
            }
            Part::Sequence(_) => self.row(part, 0, context, ends)?.map(|row| self.add(Part::Sequence(row), part)),
            Part::Repeat(..) => {
                let rounds = self.rounds(part, 0, context, ends)?;
                rounds.map(|rounds| self.join(rounds, part))
            }
        };
        self.known.insert(key, made);
        Ok(made)
    }

    /// Parts in a row as one part.
    pub fn join(&mut self, row: Vec<PartId>, origin: PartId) -> PartId {
        if let [only] = row[..] { only } else { self.add(Part::Sequence(row), origin) }
    }

    /// The variants of a rule that lead from a context to some ends. Where these are only some of the ends of a variant, it
    /// is split.
    fn rules(&mut self, rule: RuleId, context: Context, ends: &Ends) -> Vec<RuleId> {
        let written = self.written;
        let Some(entry) = self.entries.find(rule, context).map(|entry| self.alike[entry]) else { return Vec::new() };
        let is_end = |&look: &LookId| written.after_rule(context, rule, look).is_some_and(|end| ends.contains(&end));
        let (mut found, mut split) = (Vec::new(), Vec::new());
        for looks in &self.looks[entry] {
            let (wanted, others): (Looks, Looks) = looks.iter().copied().partition(is_end);
            if !wanted.is_empty() {
                self.has_split |= !others.is_empty();
                found.push(self.variants.insert_full((entry, wanted.clone())).0 as RuleId);
            }
            split.extend([wanted, others].into_iter().filter(|looks| !looks.is_empty()));
        }
        self.looks[entry] = split;
        found
    }

    fn occurrence(&mut self, occurrence: OccurrenceId, before: LookId, after: LookId) -> OccurrenceId {
        let Written { parts, places, contexts, productions, .. } = self.written;
        let looks = contexts.looks_around(parts, occurrence, (before, after));
        let next = self.made.occurrences.len() as OccurrenceId;
        let id = *self.occurrences.entry((occurrence, looks)).or_insert(next);
        if id == next {
            self.made.occurrences.push(parts.occurrences[occurrence as usize].clone());
            self.made.texts.extend(parts.texts.binary_search(&occurrence).is_ok().then_some(id));
            let rivals = contexts.rivals(parts, occurrence, looks.0);
            self.at.push(rivals.unwrap_or(&places.at[occurrence as usize]).clone());
            let looked_for = contexts.looked_for(productions.representative(occurrence), looks.1);
            let place = places.after[occurrence as usize];
            self.after.push(looked_for.unwrap_or(&places.rivals[place as usize]).clone());
        }
        id
    }

    /// What is left of a row.
    fn row(&mut self, part: PartId, done: u32, context: Context, ends: &Ends) -> Result<Option<Rest>, TooMany> {
        let Part::Sequence(all) = self.written.parts.get(part) else { return Ok(None) };
        let Some(&next) = all.get(done as usize) else { return Ok(ends.contains(&context).then(Vec::new)) };
        let key = (part, done, context, ends.clone());
        if let Some(known) = self.rests.get(&key) {
            return Ok(known.clone());
        }
        let mut rests: IndexMap<Vec<PartId>, Ends> = IndexMap::new();
        for &end in &*self.entries.ends(next, context) {
            if let Some(rest) = self.row(part, done + 1, end, ends)? {
                rests.entry(rest).or_default().insert(end);
            }
        }
        let mut ways = Vec::new();
        for (rest, ends) in rests {
            ways.extend(self.part(next, context, &ends)?.map(|first| [vec![first], rest].concat()));
        }
        let found = self.unite(ways, part);
        self.rests.insert(key, found.clone());
        Ok(found)
    }

    /// One of several rows, as a row; `None` if there is none.
    pub fn unite(&mut self, mut ways: Vec<Vec<PartId>>, origin: PartId) -> Option<Vec<PartId>> {
        if ways.len() < 2 {
            return ways.pop();
        }
        let options = ways.into_iter().map(|way| self.join(way, origin)).collect();
        Some(vec![self.add(Part::Choice(options), origin)])
    }
}
