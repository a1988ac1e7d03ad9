//! The states of a parser, and which terminals it may read in each.
//!
//! A contextual lexer looks for the terminals that the parser can go on with: those that may come next in a rule that is
//! open, and those that may come after a rule that ends there. A *state* of the parser is what may have been read of the
//! rules that are open, as a set of positions (LR(0), Knuth 1965); what may come after a rule that ends depends on the state
//! in which it began (LALR(1), `DeRemer` and Pennello 1982):
//!
//! ```text
//! e: N | "{" e "}" | "'" (C | "<" e "}")* "'"     after the `}` of a block may come what follows e,
//!                                                 after that of an inner value may come C
//! ```
//!
//! Cost: one visit of each way between states, and passes over sets of terminals until nothing changes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bits::Bits;
use super::places::Rivals;
use super::productions::{PositionId, Productions, SpotId};
use crate::error::{Error, Result};
use crate::interrupt::count;

/// Index of a state.
type StateId = u32;

/// Index of a way from a state to another by a rule.
type WayId = u32;

/// Most states.
const MOST_STATES: usize = 1 << 14;

/// A state of the parser.
#[derive(Debug, Default)]
struct State {
    /// The symbols that may come next, ascending, and where they lead.
    next: Vec<(u32, StateId)>,
    /// The first way from here by a rule; the others come after it.
    ways: WayId,
    /// The rules that may begin here and be empty as they are written.
    empty: Vec<u32>,
}

/// The states of the parser of a grammar.
pub struct States<'s> {
    productions: &'s Productions,
    /// By state: the positions that have just been read.
    kernels: Vec<Vec<PositionId>>,
    all: Vec<State>,
    /// By way: the state that it begins in, the rule, and the state that it leads to.
    ways: Vec<(StateId, u32, StateId)>,
}

impl<'s> States<'s> {
    /// The states of a parser that begins with the rule `start`.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when there are too many.
    pub fn of(productions: &'s Productions, start: usize) -> Result<Self> {
        let mut states = Self { productions, kernels: vec![Vec::new()], all: Vec::new(), ways: Vec::new() };
        let mut ids = FxHashMap::from_iter([(Vec::new(), 0)]);
        while states.all.len() < states.kernels.len() {
            let state = states.all.len();
            let begun = if state == 0 { productions.entry(start).next.clone() } else { Vec::new() };
            let (steps, empty) = states.steps(begun, &states.kernels[state]);
            let mut next = Vec::with_capacity(steps.len());
            for (symbol, kernel) in steps {
                let new = states.kernels.len() as StateId;
                let to = *ids.entry(kernel).or_insert_with_key(|kernel| {
                    states.kernels.push(kernel.clone());
                    new
                });
                next.push((symbol, to));
            }
            if states.kernels.len() > MOST_STATES {
                let hint = "let it be read by a lexer that looks for every terminal everywhere, lexing=\"basic\", or \
                            without a lexer, lexing=\"any\"";
                return Err(Error::limit("states of a parser", states.kernels.len(), MOST_STATES).hint(hint));
            }
            states.add(state as StateId, next, empty);
        }
        Ok(states)
    }

    fn add(&mut self, state: StateId, next: Vec<(u32, StateId)>, empty: Vec<u32>) {
        let ways = self.ways.len() as WayId;
        let by_rule = next.iter().filter_map(|&(symbol, to)| {
            let rule = self.productions.rule_of(symbol)?;
            Some((state, rule as u32, to))
        });
        self.ways.extend(by_rule);
        self.all.push(State { next, ways, empty });
    }

    /// By symbol, ascending: what has been read after it in a state; and the rules that may be empty there.
    fn steps(&self, begun: Vec<PositionId>, kernel: &[PositionId]) -> (Vec<(u32, Vec<PositionId>)>, Vec<u32>) {
        let productions = self.productions;
        let (mut next, mut empty, mut rules) = (begun, Vec::new(), FxHashSet::default());
        let mut spots: Vec<SpotId> = kernel.iter().map(|&at| productions.positions[at as usize].after).collect();
        spots.dedup();
        for spot in spots {
            next.extend(&productions.spots[spot as usize].next);
        }
        let mut at = 0;
        while let Some(&position) = next.get(at) {
            at += 1;
            let Some(rule) = productions.rule_of(productions.positions[position as usize].symbol) else { continue };
            if rules.insert(rule) {
                let entry = productions.entry(rule);
                next.extend(&entry.next);
                empty.extend(entry.ends.then_some(rule as u32));
            }
        }
        count(next.len());
        let symbol = |position: &PositionId| productions.positions[*position as usize].symbol;
        next.sort_unstable_by_key(|position| (symbol(position), *position));
        next.dedup();
        let runs = next.chunk_by(|one, other| symbol(one) == symbol(other));
        (runs.map(|run| (symbol(&run[0]), run.to_vec())).collect(), empty)
    }

    fn next(&self, state: StateId, symbol: u32) -> Option<StateId> {
        let next = &self.all[state as usize].next;
        next.binary_search_by_key(&symbol, |(own, _)| *own).ok().map(|at| next[at].1)
    }

    /// The way from a state by a rule.
    fn way(&self, state: StateId, rule: u32) -> Option<WayId> {
        let own = &self.all[state as usize];
        let end = self.all.get(state as usize + 1).map_or(self.ways.len(), |next| next.ways as usize);
        let ways = &self.ways[own.ways as usize..end];
        ways.binary_search_by_key(&rule, |way| way.1).ok().map(|at| own.ways + at as WayId)
    }

    /// The names that may come next in a state.
    fn names(&self, state: StateId) -> impl Iterator<Item = u32> + '_ {
        self.all[state as usize]
            .next
            .iter()
            .map(|(symbol, _)| *symbol)
            .take_while(|&name| name < self.productions.names)
    }

    /// What the parser may read, in any of its states, after each of so many occurrences.
    pub fn readable(&self, occurrences: usize) -> Rivals {
        let (follow, ends) = self.follow();
        let mut accepted: Vec<Option<Bits>> = vec![None; self.all.len()];
        let mut accept = |state: StateId| {
            accepted[state as usize]
                .get_or_insert_with(|| {
                    let mut all = Bits::new(self.productions.names as usize);
                    self.names(state).for_each(|name| all.insert(name));
                    let empty = self.all[state as usize].empty.iter().filter_map(|&rule| self.way(state, rule));
                    let ended = ends.get(&state).into_iter().flatten().copied();
                    empty.chain(ended).for_each(|way| {
                        all.extend(&follow[way as usize]);
                    });
                    all
                })
                .clone()
        };
        let begin = accept(0);
        let mut after = vec![Bits::new(self.productions.names as usize); occurrences];
        for (state, kernel) in (0..).zip(&self.kernels) {
            for &position in kernel {
                if let Some(occurrence) = self.productions.positions[position as usize].occurrence {
                    after[occurrence as usize].extend(&accept(state));
                }
            }
        }
        Rivals { begin, after }
    }

    /// By way: the names that may come after its rule; and by state after a terminal: the ways whose rules end there.
    fn follow(&self) -> (Vec<Bits>, FxHashMap<StateId, Vec<WayId>>) {
        let productions = self.productions;
        let mut read: Vec<Bits> = Vec::with_capacity(self.ways.len());
        let mut edges: Vec<(WayId, WayId)> = Vec::new();
        for (way, &(_, _, to)) in (0..).zip(&self.ways) {
            let mut names = Bits::new(productions.names as usize);
            self.names(to).for_each(|name| names.insert(name));
            read.push(names);
            let first = self.all[to as usize].ways as usize;
            let after = (first as WayId..).zip(&self.ways[first..]).take_while(|(_, other)| other.0 == to);
            edges.extend(
                after.filter(|(_, other)| productions.entry(other.1 as usize).vanishes).map(|(id, _)| (id, way)),
            );
        }
        spread(&mut read, edges);
        let (mut edges, mut ends) = (Vec::new(), FxHashMap::default());
        for way in 0..self.ways.len() as WayId {
            self.walk(way, &mut edges, &mut ends);
        }
        spread(&mut read, edges);
        (read, ends)
    }

    /// Walks through the right-hand side of the rule of a way: what may come after the rule may come after each rule that
    /// is the last in it, and its terminals that are the last in it end the rule.
    fn walk(&self, way: WayId, edges: &mut Vec<(WayId, WayId)>, ends: &mut FxHashMap<StateId, Vec<WayId>>) {
        let productions = self.productions;
        let (start, rule, _) = self.ways[way as usize];
        let (mut reached, mut next) = (vec![(start, productions.entries[rule as usize])], Vec::new());
        while !reached.is_empty() {
            for (state, spot) in reached.drain(..) {
                for &position in &productions.spots[spot as usize].next {
                    count(1);
                    let own = &productions.positions[position as usize];
                    let (after, last) = (&productions.spots[own.after as usize], productions.rule_of(own.symbol));
                    if let Some(last) = last.filter(|_| after.vanishes) {
                        edges.extend(self.way(state, last as u32).map(|last| (way, last)));
                    }
                    let Some(to) = self.next(state, own.symbol) else { continue };
                    if last.is_none() && after.ends {
                        ends.entry(to).or_default().push(way);
                    }
                    next.push((to, own.after));
                }
            }
            next.sort_unstable();
            next.dedup();
            std::mem::swap(&mut reached, &mut next);
        }
    }
}

/// Adds the sets of ways to those that they lead to, until nothing changes.
fn spread(sets: &mut [Bits], mut edges: Vec<(WayId, WayId)>) {
    edges.sort_unstable();
    edges.dedup();
    let mut open: Vec<WayId> = edges.iter().map(|(from, _)| *from).collect();
    open.dedup();
    let mut is_open = vec![false; sets.len()];
    for &way in &open {
        is_open[way as usize] = true;
    }
    while let Some(way) = open.pop() {
        is_open[way as usize] = false;
        let first = edges.partition_point(|(from, _)| *from < way);
        for &(_, to) in edges[first..].iter().take_while(|(from, _)| *from == way) {
            let Ok([own, other]) = sets.get_disjoint_mut([way as usize, to as usize]) else { continue }; // itself
            count(own.words());
            if other.extend(own) && !std::mem::replace(&mut is_open[to as usize], true) {
                open.push(to);
            }
        }
    }
}
