//! How many tokens a text still needs: a potential that some token always lowers by one.
//!
//! ```text
//! {"name": "Jan     shortest way on   "}     `"}` is a token: 1     else `"` and `}`: 2
//! {"ids": [         shortest way on   ]}     `]}` is a token: 1     else `]` and `}`: 2
//! ```
//!
//! From each configuration one way on is *preferred*: by the first byte, in a fixed order, that lowers the bytes to the
//! end (`machine::cost`). A token that spells the beginning of a preferred way is an edge to where it leads, and the
//! potential is the length of a shortest path to the end of the text. It is never more than the bytes to the end, where
//! every byte is a token.
//!
//! Why a text that keeps to its budget ends in time: the potential of several configurations is the least of them, and of
//! those that they include, so what a token leads to besides can only lower it; and the first token of a shortest path leads
//! to a potential that is one less. The same holds of the tokens counted part by part (`machine::token_cost`), and so of the lesser of both.
//!
//! Cost: a preferred way is found once for all configurations on it, a few steps a byte; then a lookup in a hash map.
//! Where there are too many ways, or too many are known already, they are not followed: the count part by part is then
//! all that is known. A text may rely on what was known when its last token was chosen: so before the tokens after it are
//! asked about, that is found again if it was forgotten ([`Potential::renew`]), however many ways it takes.
//!
//! Wrinkles: used names and items that only the text knows are forgotten ([`Machine::erased`]). A preferred way does
//! not lead into a text that must differ from unknown ones: there the potential is the bytes, which count for any such
//! text. Where not every byte is a token, a preferred way may not be spelled at all: then all tokens are tried. Names
//! that a search completes are counted, not known; so there it is asked as if some names were not known, or all.

mod search;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::counting::Counting;
use super::machine::{Configuration, Machine, Names, Position, StackId};
use crate::interrupt::{count, counted};
use crate::language::{INFINITE, UNBOUNDED};
use crate::limits::Limits;
use crate::vocabulary::{NodeIndex, TokenId};

/// Where the end is more bytes away than this, the bytes are the potential.
const FAR: u32 = 1 << 15;

/// Records kept. Beyond, ways are not followed any more, but where a text relies on them.
const MOST_RECORDS: usize = 1 << 17;

/// Records made for one question. Where there are more ways, they are not followed.
const MOST_NEW: usize = 1 << 14;

/// How often the work of a call is halved at most, to about a fifth of a millisecond.
const MOST_HALVINGS: u32 = 10;

/// Ways of each of these records, on the whole: where there are more, they are not followed either.
const WAYS_EACH: usize = 4;

/// Where a union is followed by the names of all its objects, so many times fewer records and less work are allowed: if
/// that is too little, it is followed by the nearest of them.
const NARROW: usize = 4;

/// Where this many bytes of a terminal are missing, tokens beside the preferred way are looked at.
const LONG: u32 = 2;

/// Terminals that are looked through one after the other.
const MOST_TERMINALS: u32 = 32;

type Id = u32;

/// What is known of a configuration.
#[derive(Clone, Debug)]
struct Record {
    configuration: Configuration,
    /// Bytes to the end.
    bytes: u32,
    /// The potential, once it is solved.
    tokens: u32,
    /// Once they are found: where in the list of ways the preferred ways on begin, where single tokens beside them, and
    /// where both end.
    ways: Option<[u32; 3]>,
}

/// The potentials found so far, of one matcher cache.
#[derive(Debug, Default)]
pub struct Potential {
    records: Vec<Record>,
    /// By which byte a configuration goes on, and where that leads. Of single tokens, the byte says nothing.
    ways: Vec<(u8, Id)>,
    ids: FxHashMap<Configuration, Id>,
    /// Where no preferred way can be spelled: what a search over all tokens found, and where it led. So each of these
    /// potentials has one that is one less after it, even if a search from there would end without an answer.
    searched: FxHashMap<Configuration, u32>,
    /// By stack, the least potential found after a terminal: known from then on, even if no more ways are followed.
    after_terminals: FxHashMap<StackId, u32>,
    /// How often everything was forgotten: what relied on it must be found again.
    pub times_forgotten: u32,
    /// Records by their places, and how many records these are.
    by_place: FxHashMap<Position, Vec<Id>>,
    placed: usize,
    /// Units of work of a call: see [`Limits::budget_work`].
    work: u64,
    /// How many units of work may be counted until no more ways are followed for the question at hand.
    most_counted: u64,
    /// The same for all questions of the call at hand.
    most_of_call: u64,
    /// Whether that was too little for the call at hand.
    wants_more: bool,
    /// How often the work of a call is halved.
    halvings: u32,
    /// Terminals that are looked through at the moment.
    open_terminals: u32,
}

impl Potential {
    /// Tokens of the shortest completion known of any of some configurations; [`INFINITE`] if none is known.
    pub fn tokens(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, of: &[Configuration]) -> u32 {
        self.ways(machine, counting, of).min(counting.parts(machine, of))
    }

    /// The same before the first token, where the count part by part, which is mostly larger, need not be made: a budget
    /// of as many tokens is enough.
    pub fn tokens_at_start(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, of: &[Configuration]) -> u32 {
        let ways = self.ways(machine, counting, of);
        if ways < machine.cost(of) { ways } else { ways.min(counting.parts(machine, of)) }
    }

    /// Finds the potentials of a text's own configurations again, if they are not known: the choice of its last token may
    /// have relied on them, here or where another text was asked about. Those known to fit in `left` tokens come first,
    /// then those with the fewest bytes; the rest is left once one fits. If none fits by itself, one that they include may.
    pub fn renew(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, of: &[Configuration], left: u32) {
        let is_full = self.records.len() > MOST_RECORDS;
        if !(is_full || self.times_forgotten > 0) || counting.is_in_bytes(machine.graph) {
            return;
        }
        if counting.has_every_byte() && machine.cost(of) <= left {
            return; // bytes are enough
        }
        let erased: SmallVec<[Configuration; 4]> = of.iter().map(|&of| machine.erased(of)).collect();
        if erased.iter().all(|of| self.ids.contains_key(of)) {
            return;
        }
        let fits =
            |all: &Self, of: &Configuration| all.ids.get(of).is_some_and(|&id| all.records[id as usize].tokens <= left);
        if !erased.iter().any(|of| fits(self, of)) && self.ways(machine, counting, of) <= left {
            return;
        }
        let key = |of: Configuration| (!fits(self, &of), machine.configuration_cost(of), of);
        let mut in_order: Vec<(bool, u32, Configuration)> = erased.into_iter().map(key).collect();
        in_order.sort_by_key(|&(unfit, bytes, _)| (unfit, bytes));
        if is_full {
            self.forget_all();
        }
        machine.blindly(|machine| {
            let mut follow = |of| self.follow(machine, counting, of, (MOST_RECORDS, u64::MAX));
            in_order.into_iter().any(|(_, _, of)| follow(of) <= left)
        });
    }

    /// Tokens along preferred ways; the bytes where none is followed.
    fn ways(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, of: &[Configuration]) -> u32 {
        if counting.is_in_bytes(machine.graph) {
            return machine.cost(of);
        }
        self.begin_question();
        machine.blindly(|machine| {
            let least = of.iter().fold(INFINITE, |least, &of| self.tokens_of(machine, counting, of, least));
            least.min(self.least_begun(machine, of))
        })
    }

    /// Tokens from a configuration, if they are fewer than `most`, else that many.
    fn tokens_of(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, of: Configuration, most: u32) -> u32 {
        let configuration = machine.erased(of);
        let mut least = self.preferred(machine, counting, configuration).min(most);
        if !self.is_followed(&configuration) || machine.may_include_others(configuration) {
            least = least.min(self.least_included(machine, configuration));
            least = least.min(self.through_terminal(machine, counting, configuration, least));
        }
        if counting.has_every_byte() {
            return least;
        }
        for forgetful in machine.forgetful_of_some(configuration) {
            let known = self.searched.get(&forgetful).copied().unwrap_or(INFINITE);
            least = least.min(known).min(self.preferred(machine, counting, forgetful));
        }
        let forgetful = machine.forgetful(configuration);
        least = least.min(self.preferred_or_searched(machine, counting, forgetful));
        if least < INFINITE { least } else { self.preferred_or_searched(machine, counting, configuration) }
    }

    /// The same after a terminal.
    pub fn tokens_after(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, stack: StackId) -> u32 {
        let after = machine.after_terminal(stack);
        let tokens = self.tokens(machine, counting, &after);
        let erased = machine.erased(Configuration { position: Position::Ended, stack }).stack;
        let known = self.after_terminals.entry(erased).or_insert(tokens);
        *known = tokens.min(*known);
        tokens
    }

    /// The least potential found after a terminal, of several ways to go on that of any.
    fn known_after(&self, machine: &Machine<'_>, stack: StackId) -> u32 {
        let known = |stack| self.after_terminals.get(stack).copied().unwrap_or(INFINITE);
        let several = machine.stacks.alternatives(stack).unwrap_or_default();
        several.iter().map(known).min().unwrap_or(INFINITE).min(known(&stack))
    }

    /// The bytes that a terminal is from its end, and the potential after it: by these, tokens that stay inside a terminal are
    /// allowed together (see `Budget::covers`).
    fn through_terminal(
        &mut self,
        machine: &mut Machine<'_>,
        counting: Counting<'_>,
        Configuration { position, stack }: Configuration,
        least: u32,
    ) -> u32 {
        if !matches!(position, Position::Terminal { .. } | Position::Text { .. }) || machine.must_differ(stack) {
            return INFINITE;
        }
        count(8);
        let bytes = machine.position_cost(position);
        let mut after = self.known_after(machine, stack).min(least.saturating_sub(bytes));
        if bytes >= least || self.open_terminals >= MOST_TERMINALS || self.is_exhausted() {
            return after + bytes; // a rule that begins with a terminal may come after it without end
        }
        self.open_terminals += 1;
        let most = after;
        let ends = machine.after_terminal(stack);
        after = ends.iter().fold(after, |least, &at| self.tokens_of(machine, counting, at, least));
        self.open_terminals -= 1;
        if after < most {
            self.after_terminals.insert(stack, after);
        }
        after + bytes
    }

    /// The potential along preferred ways, or else over all tokens.
    fn preferred_or_searched(
        &mut self,
        machine: &mut Machine<'_>,
        counting: Counting<'_>,
        configuration: Configuration,
    ) -> u32 {
        let tokens = self.preferred(machine, counting, configuration);
        if tokens < INFINITE {
            return tokens;
        }
        if let Some(&known) = self.searched.get(&configuration) {
            return known;
        }
        let found = self.search(machine, counting, configuration).tokens();
        *self.searched.entry(configuration).or_insert(found)
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.records.len() * (size_of::<Record>() + size_of::<Configuration>() + 16)
            + self.ways.len() * 8
            + self.searched.len() * 40
    }

    // Preferred ways.

    /// The potential along preferred ways.
    fn preferred(&mut self, machine: &mut Machine<'_>, counting: Counting<'_>, configuration: Configuration) -> u32 {
        if let Some(&id) = self.ids.get(&configuration)
            && self.records[id as usize].ways.is_some()
        {
            return self.records[id as usize].tokens;
        }
        if counting.has_every_byte() && self.is_exhausted() {
            return machine.configuration_cost(configuration);
        }
        if self.records.len() > MOST_RECORDS {
            self.forget_all();
        }
        self.follow(machine, counting, configuration, (MOST_NEW, self.work / 2))
    }

    /// Whether no more ways are followed for the question at hand.
    fn is_exhausted(&self) -> bool {
        self.records.len() > MOST_RECORDS || counted() > self.most_counted
    }

    /// Whether ways on from a configuration are known.
    fn is_followed(&self, configuration: &Configuration) -> bool {
        let ways = self.ids.get(configuration).and_then(|&id| self.records[id as usize].ways);
        ways.is_some_and(|[begin, _, end]| begin < end)
    }

    /// The least potential known of what some configurations begin with, where one is before a node that is made of
    /// others: ways lead to what such nodes begin with, which several of them may have in common.
    fn least_begun(&mut self, machine: &mut Machine<'_>, of: &[Configuration]) -> u32 {
        let is_unknown =
            |all: &Self, of: &Configuration| matches!(of.position, Position::Start(_)) && !all.is_followed(of);
        if !of.iter().any(|of| is_unknown(self, of)) {
            return INFINITE;
        }
        let mut begun = Vec::new();
        machine.split_starts(of, &mut begun);
        count(begun.len());
        begun.into_iter().fold(INFINITE, |least, at| {
            let at = machine.erased(at);
            let known = self.ids.get(&at).map(|&id| &self.records[id as usize]);
            let known = known.filter(|record| record.ways.is_some()).map_or(INFINITE, |record| record.tokens);
            least.min(known).min(self.least_included(machine, at))
        })
    }

    /// The least potential known of the configurations that one includes. A shortest path may lead to one of these, and the
    /// text on it to the one that includes it.
    fn least_included(&mut self, machine: &Machine<'_>, configuration: Configuration) -> u32 {
        for (at, record) in self.records.iter().enumerate().skip(self.placed) {
            self.by_place.entry(record.configuration.position.place()).or_default().push(at as Id);
        }
        self.placed = self.records.len();
        let Some(here) = self.by_place.get(&configuration.position.place()) else { return INFINITE };
        count(here.len());
        let records = here.iter().map(|&id| &self.records[id as usize]);
        let known = records.filter(|record| record.ways.is_some());
        known.fold(INFINITE, |least, record| {
            let is_less = record.tokens < least && machine.includes(configuration, record.configuration);
            if is_less { record.tokens } else { least }
        })
    }

    fn forget_all(&mut self) {
        (self.records, self.ways, self.ids) = Default::default();
        (self.by_place, self.placed, self.after_terminals) = Default::default();
        self.times_forgotten += 1;
    }

    /// Ways are followed for a call until so much work is done; half as much after each call that wanted more.
    pub fn begin_call(&mut self, limits: &Limits) {
        let wanted_more = std::mem::take(&mut self.wants_more);
        let halvings = if wanted_more { self.halvings + 1 } else { self.halvings.saturating_sub(1) };
        self.halvings = halvings.min(MOST_HALVINGS);
        self.work = limits.budget_work;
        self.most_of_call = counted() + (self.work >> self.halvings);
    }

    /// The same for one question of it.
    fn begin_question(&mut self) {
        self.wants_more |= counted() >= self.most_of_call;
        self.most_counted = self.most_of_call.min(counted() + self.work / 2);
    }

    /// The potential of a configuration that is not known, along at most so many new ways, and so much work.
    fn follow(
        &mut self,
        machine: &mut Machine<'_>,
        counting: Counting<'_>,
        configuration: Configuration,
        (most_new, most_work): (usize, u64),
    ) -> u32 {
        let bytes = machine.configuration_cost(configuration);
        let room = if bytes < FAR { bytes as usize } else { 0 }; // most records are of the bytes of one text
        self.records.reserve(room);
        self.ways.reserve(room);
        self.ids.reserve(room);
        let start = self.record(counting, configuration, bytes);
        let fewer = (most_new / NARROW, most_work / NARROW as u64);
        for (names, most) in [(Names::Near, fewer), (Names::Nearest, (most_new, most_work))] {
            let (records, ways) = (self.records.len(), self.ways.len());
            if let Some(new) = self.expand_all(machine, counting, start, names, most) {
                self.solve(counting, new);
                break;
            }
            self.forget(start, records, ways);
        }
        let begin = self.ways.len() as u32;
        self.records[start as usize].ways.get_or_insert([begin; 3]); // else it is known by its bytes alone
        self.records[start as usize].tokens
    }

    /// The record of a configuration, made if there is none.
    fn record(&mut self, counting: Counting<'_>, configuration: Configuration, bytes: u32) -> Id {
        *self.ids.entry(configuration).or_insert_with(|| {
            let tokens = if bytes == 0 || counting.has_every_byte() { bytes } else { INFINITE };
            self.records.push(Record { configuration, bytes, tokens, ways: None });
            self.records.len() as Id - 1
        })
    }

    /// Forgets the ways of `start`, and all records and ways from some numbers on: no other record has ways among these.
    fn forget(&mut self, start: Id, records: usize, ways: usize) {
        for record in self.records.drain(records..) {
            self.ids.remove(&record.configuration);
        }
        self.ways.truncate(ways);
        self.records[start as usize].ways = None;
    }

    /// Finds the preferred ways on from a record, and from all those they lead to. Returns what is new; `None` if that is
    /// too much.
    fn expand_all(
        &mut self,
        machine: &mut Machine<'_>,
        counting: Counting<'_>,
        start: Id,
        names: Names,
        (most_new, most_work): (usize, u64),
    ) -> Option<Vec<Id>> {
        let (mut open, mut new, begun, before) = (vec![start], Vec::new(), self.ways.len(), counted());
        let spelled = counting.tables.vocabulary.spelled_bytes();
        while let Some(id) = open.pop() {
            let Record { configuration, bytes, ways, .. } = self.records[id as usize];
            if ways.is_some() {
                continue;
            }
            new.push(id);
            let start = self.ways.len();
            count(4);
            if new.len() > most_new || start - begun > WAYS_EACH * most_new || counted() - before > most_work {
                return None;
            }
            let goes_on = bytes <= FAR;
            if goes_on {
                for (byte, after) in machine.preferred_ways(configuration, bytes, &spelled, names) {
                    let to = after.into_iter().map(|(after, bytes)| (byte, self.record(counting, after, bytes)));
                    let to: SmallVec<[(u8, Id); 2]> = to.collect();
                    self.ways.extend(to);
                }
            }
            let middle = self.ways.len();
            if goes_on {
                for after in shortcuts(machine, counting, configuration) {
                    let bytes = machine.configuration_cost(after);
                    let to = self.record(counting, after, bytes);
                    self.ways.push((0, to));
                }
            }
            open.extend(
                self.ways[start..].iter().map(|&(_, to)| to).filter(|&to| self.records[to as usize].ways.is_none()),
            );
            self.records[id as usize].ways = Some([start as u32, middle as u32, self.ways.len() as u32]);
        }
        Some(new)
    }

    /// Finds the potential of new records: shortest paths, where all others are known. Most edges lead to fewer bytes,
    /// so one pass in that order finds most, and one more finds that nothing changes.
    fn solve(&mut self, counting: Counting<'_>, mut new: Vec<Id>) {
        new.sort_unstable_by_key(|&id| self.records[id as usize].bytes);
        let mut edges: Vec<Id> = Vec::with_capacity(4 * new.len());
        let mut open = Vec::new();
        let ends: Vec<usize> = new
            .iter()
            .map(|&id| {
                self.edges(counting, id, &mut open, &mut edges);
                edges.len()
            })
            .collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut start = 0;
            for (&id, &end) in new.iter().zip(&ends) {
                let least = edges[start..end].iter().map(|&to| self.records[to as usize].tokens + 1).min();
                let record = &mut self.records[id as usize];
                if least.is_some_and(|least| least < record.tokens) {
                    record.tokens = least.unwrap_or(INFINITE);
                    changed = true;
                }
                start = end;
            }
        }
    }

    /// The tokens that spell the beginning of a preferred way from an erased configuration, and where they lead. No
    /// canonical text relies on the potentials, so they are forgotten where there are too many.
    pub fn tokens_on_ways(
        &mut self,
        machine: &mut Machine<'_>,
        counting: Counting<'_>,
        configuration: Configuration,
    ) -> Vec<(TokenId, Configuration)> {
        if self.records.len() > MOST_RECORDS && !self.ids.contains_key(&configuration) {
            self.forget_all();
        }
        self.begin_question();
        machine.blindly(|machine| self.preferred(machine, counting, configuration));
        let (trie, mut found) = (counting.tables.vocabulary.plain(), Vec::new());
        let Some(&id) = self.ids.get(&configuration) else { return found };
        let (mut open, mut seen) = (vec![(0, id)], FxHashSet::default());
        while let Some((node, at)) = open.pop() {
            let ways = self.ways_from(at, 0);
            for &(byte, to) in ways {
                let Some(child) = trie.child(node, byte) else { continue };
                if ways.len() > 1 && !seen.insert((child, to)) {
                    continue; // another way leads there with the same bytes
                }
                let to_place = self.records[to as usize].configuration;
                found.extend(trie.items()[trie.items_at(child)].iter().map(|&token| (token, to_place)));
                open.push((child, to));
            }
        }
        found
    }

    /// Where the tokens lead that spell the beginning of a preferred way.
    fn edges(&self, counting: Counting<'_>, id: Id, open: &mut Vec<(NodeIndex, Id)>, out: &mut Vec<Id>) {
        let (trie, mut seen) = (counting.tables.vocabulary.plain(), FxHashSet::default());
        out.extend(self.ways_from(id, 1).iter().map(|&(_, to)| to));
        open.push((0, id));
        while let Some((node, at)) = open.pop() {
            let ways = self.ways_from(at, 0);
            for &(byte, to) in ways {
                let Some(child) = trie.child(node, byte) else { continue };
                if ways.len() > 1 && !seen.insert((child, to)) {
                    continue; // another way leads there with the same bytes
                }
                out.extend((!trie.items_at(child).is_empty()).then_some(to));
                open.push((child, to));
            }
        }
    }

    /// The preferred ways from a record (0), or where single tokens lead beside them (1).
    fn ways_from(&self, id: Id, which: usize) -> &[(u8, Id)] {
        let ways = self.records[id as usize].ways.unwrap_or_default();
        &self.ways[ways[which] as usize..ways[which + 1] as usize]
    }
}

/// Where single tokens lead inside a terminal that bring its end nearer with every byte.
fn shortcuts(
    machine: &mut Machine<'_>,
    counting: Counting<'_>,
    configuration: Configuration,
) -> SmallVec<[Configuration; 4]> {
    if machine.reads_items(configuration.stack) {
        return SmallVec::new(); // what is read of an item is read byte by byte
    }
    let graph = machine.graph;
    let of = |leaf: u32, state, counted| {
        counting.tables.shortcuts(counting.automata[leaf as usize], graph.automaton(leaf), state, counted)
    };
    let at = |position| Configuration { position, ..configuration };
    match configuration.position {
        Position::Terminal { leaf, state } if graph.automaton(leaf).shortest(state) >= LONG => {
            let mut ends: SmallVec<[Configuration; 4]> = SmallVec::new();
            for &(state, _) in of(leaf, state, false).iter() {
                match graph.automaton(leaf).shortest(state) {
                    0 => ends.extend(machine.after_terminal(configuration.stack)),
                    _ => ends.push(at(Position::Terminal { leaf, state })),
                }
            }
            ends.into_iter().map(|end| machine.erased(end)).collect()
        }
        Position::Text { leaf, state, least, most } if least >= LONG && Some(state) == graph.inside(leaf) => {
            let counts = of(leaf, state, true);
            let fitting = counts.iter().filter(|(_, count)| *count <= least);
            let most = |count| if most == UNBOUNDED { most } else { most - count };
            fitting
                .map(|&(_, count)| at(Position::Text { leaf, state, least: least - count, most: most(count) }))
                .collect()
        }
        _ => SmallVec::new(),
    }
}
