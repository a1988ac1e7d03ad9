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
//! Cost: a visit of each transition, and of each place in a right-hand side from each state in which its rule begins; then
//! passes over sets of terminals until nothing changes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bits::Bits;
use super::parts::OccurrenceId;
use super::places::RivalsByOccurrence;
use super::productions::{OTHER_LEXING, PositionId, Productions, SpotId};
use super::spread::spread;
use crate::error::{Error, Result};
use crate::interrupt::count;

/// Index of a state.
pub type StateId = u32;

/// Index of a transition from a state to another by a rule.
type TransitionId = u32;

/// A position that was read, and what was read of its right-hand side up to it.
type Item = (PositionId, PrefixId);

/// Index of symbols in a row.
type PrefixId = u32;

/// Nothing read, or nothing told apart.
const NO_PREFIX: PrefixId = 0;

/// Beginnings of right-hand sides. Lark writes them out for each choice in them, `x? y` as `x y | y`, so after different
/// ones its parser is in different states. Beyond so many for each position they are not told apart.
struct Prefixes {
    /// By position: whether several beginnings lead to it.
    is_joined: Vec<bool>,
    ids: FxHashMap<(PrefixId, u32), PrefixId>,
    most: usize,
}

/// Beginnings that are told apart, for each position.
const PREFIXES_OF_POSITION: usize = 2;

impl Prefixes {
    /// What was read once a position is.
    fn after(&mut self, (position, prefix): Item, symbol: u32) -> PrefixId {
        if self.ids.len() >= self.most {
            return NO_PREFIX;
        }
        if !self.is_joined[position as usize] {
            return 1 + position;
        }
        let next = (1 + self.is_joined.len() + self.ids.len()) as PrefixId;
        *self.ids.entry((prefix, symbol)).or_insert(next)
    }
}

/// Most states.
const MOST_STATES: usize = 1 << 14;

/// Most words of the sets of what may come after rules.
const MOST_WORDS: usize = 1 << 22;

/// A state of the parser.
#[derive(Debug, Default)]
struct State {
    /// The symbols that may come next, ascending, and where they lead.
    next: Vec<(u32, StateId)>,
    /// The first transition from here by a rule; the others come after it.
    transitions: TransitionId,
    /// The rules that may begin here and have an empty alternative.
    empty: Vec<u32>,
}

/// The states of the parser of a grammar.
pub struct States<'s> {
    productions: &'s Productions,
    /// By state: the positions that have just been read, each with the symbols before it.
    kernels: Vec<Vec<Item>>,
    prefixes: Prefixes,
    all: Vec<State>,
    /// By transition: the state that it begins in, the rule, and the state that it leads to.
    transitions: Vec<(StateId, u32, StateId)>,
}

impl<'s> States<'s> {
    /// The states of a parser that begins with the rule `start`.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when there are too many, even where beginnings of right-hand sides are not told apart.
    pub fn of(productions: &'s Productions, start: usize) -> Result<Self> {
        let most = PREFIXES_OF_POSITION * productions.positions.len();
        Self::with_prefixes(productions, start, most).or_else(|_| Self::with_prefixes(productions, start, 0))
    }

    fn with_prefixes(productions: &'s Productions, start: usize, most: usize) -> Result<Self> {
        let is_joined = if most > 0 { productions.joined_positions() } else { Vec::new() };
        let prefixes = Prefixes { is_joined, ids: FxHashMap::default(), most };
        let (kernels, all, transitions) = (vec![Vec::new()], Vec::new(), Vec::new());
        let mut states = Self { productions, kernels, prefixes, all, transitions };
        let mut ids = FxHashMap::from_iter([(Vec::new(), 0)]);
        while states.all.len() < states.kernels.len() {
            let state = states.all.len();
            let begun = if state == 0 { &productions.entry(start).next[..] } else { &[] };
            let (steps, empty) = states.find_steps(begun, state as StateId);
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
                return Err(Error::limit("states of a parser", states.kernels.len(), MOST_STATES).hint(OTHER_LEXING));
            }
            states.add(state as StateId, next, empty);
            let words = states.transitions.len() * productions.names.div_ceil(64) as usize;
            if words > MOST_WORDS {
                let error =
                    Error::limit("terminals to look for in the states of a parser", words * 64, MOST_WORDS * 64);
                return Err(error.hint(OTHER_LEXING));
            }
        }
        Ok(states)
    }

    fn add(&mut self, state: StateId, next: Vec<(u32, StateId)>, empty: Vec<u32>) {
        let transitions = self.transitions.len() as TransitionId;
        let by_rule = next.iter().filter_map(|&(symbol, to)| {
            let rule = self.productions.rule_of(symbol)?;
            Some((state, rule as u32, to))
        });
        self.transitions.extend(by_rule);
        self.all.push(State { next, transitions, empty });
    }

    /// By symbol, ascending: what has been read after it in a state; and the rules that may be empty there.
    fn find_steps(&mut self, begun: &[PositionId], state: StateId) -> (Vec<(u32, Vec<Item>)>, Vec<u32>) {
        let productions = self.productions;
        let (mut empty, mut rules) = (Vec::new(), FxHashSet::default());
        let mut next: Vec<Item> = begun.iter().map(|&position| (position, NO_PREFIX)).collect();
        for &(position, prefix) in &self.kernels[state as usize] {
            next.extend(productions.after(position).next.iter().map(|&position| (position, prefix)));
        }
        let mut at = 0;
        while let Some(&(position, _)) = next.get(at) {
            at += 1;
            let Some(rule) = productions.rule_of(productions.positions[position as usize].symbol) else { continue };
            if rules.insert(rule) {
                let entry = productions.entry(rule);
                next.extend(entry.next.iter().map(|&position| (position, NO_PREFIX)));
                empty.extend(entry.ends.then_some(rule as u32));
            }
        }
        count(next.len());
        let symbol = |item: &Item| productions.positions[item.0 as usize].symbol;
        next.sort_unstable_by_key(|item| (symbol(item), *item));
        next.dedup();
        let runs = next.chunk_by(|one, other| symbol(one) == symbol(other));
        let mut read = |item: &Item| (item.0, self.prefixes.after(*item, symbol(item)));
        (runs.map(|run| (symbol(&run[0]), run.iter().map(&mut read).collect())).collect(), empty)
    }

    fn next(&self, state: StateId, symbol: u32) -> Option<StateId> {
        let next = &self.all[state as usize].next;
        next.binary_search_by_key(&symbol, |(own, _)| *own).ok().map(|at| next[at].1)
    }

    /// The transition from a state by a rule.
    fn transition(&self, state: StateId, rule: u32) -> Option<TransitionId> {
        let first = self.all[state as usize].transitions as usize;
        let end = self.all.get(state as usize + 1).map_or(self.transitions.len(), |next| next.transitions as usize);
        let own = &self.transitions[first..end];
        own.binary_search_by_key(&rule, |transition| transition.1).ok().map(|at| (first + at) as TransitionId)
    }

    /// The names that may come next in a state.
    fn names(&self, state: StateId) -> impl Iterator<Item = u32> + '_ {
        let next = &self.all[state as usize].next;
        next.iter().map(|(symbol, _)| *symbol).take_while(|&name| name < self.productions.names)
    }

    /// By state in which the parser reads what comes next, the first and those after a terminal or another language: the
    /// names that it may read there.
    pub fn readable_names(&self) -> Vec<Option<Bits>> {
        let Lookaheads { follow, ends } = self.lookaheads();
        let productions = self.productions;
        let readable = |state: StateId| {
            let mut all = Bits::new(productions.names as usize);
            self.names(state).for_each(|name| all.insert(name));
            let empty = self.all[state as usize].empty.iter().filter_map(|&rule| self.transition(state, rule));
            let ended = ends.get(&state).into_iter().flatten().copied();
            for transition in empty.chain(ended) {
                count(1 + all.words());
                all.extend(&follow[transition as usize]);
            }
            all
        };
        let is_read = |state: StateId| state == 0 || self.occurrences(state).next().is_some();
        (0..self.all.len() as StateId).map(|state| is_read(state).then(|| readable(state))).collect()
    }

    /// The occurrences after which the parser is in a state; of those that are alike, one.
    pub fn occurrences(&self, state: StateId) -> impl Iterator<Item = OccurrenceId> + '_ {
        let occurrence = |item: &Item| self.productions.positions[item.0 as usize].occurrence;
        let representative = |occurrence| self.productions.representative(occurrence);
        self.kernels[state as usize].iter().filter_map(occurrence).map(representative)
    }

    /// By state: the symbols that may come next, ascending, and where they lead.
    pub fn steps(&self) -> impl Iterator<Item = &[(u32, StateId)]> {
        self.all.iter().map(|state| &state.next[..])
    }

    /// What is looked for after each occurrence: what is, in any state after it.
    pub fn rivals(&self, looked_for: &[Option<Bits>]) -> RivalsByOccurrence {
        let begin = looked_for[0].clone().unwrap_or_default();
        let mut after = vec![Bits::like(&begin); self.productions.alike.len()];
        for (state, names) in (0..).zip(looked_for) {
            for occurrence in self.occurrences(state) {
                let Some(names) = names else { continue };
                count(1 + names.words());
                after[occurrence as usize].extend(names);
            }
        }
        for occurrence in 0..after.len() {
            let representative = self.productions.representative(occurrence as OccurrenceId) as usize;
            if representative != occurrence {
                after[occurrence] = after[representative].clone();
            }
        }
        RivalsByOccurrence { begin, after, at: None }
    }

    /// The lookaheads of the parser.
    fn lookaheads(&self) -> Lookaheads {
        let productions = self.productions;
        let mut follow: Vec<Bits> = Vec::with_capacity(self.transitions.len());
        let mut edges: Vec<(TransitionId, TransitionId)> = Vec::new();
        for (transition, &(_, _, to)) in (0..).zip(&self.transitions) {
            let mut names = Bits::new(productions.names as usize);
            count(names.words() + self.all[to as usize].next.len());
            self.names(to).for_each(|name| names.insert(name));
            follow.push(names);
            let first = self.all[to as usize].transitions as usize;
            let next = (first as TransitionId..).zip(&self.transitions[first..]).take_while(|(_, next)| next.0 == to);
            let empty = next.filter(|(_, (_, rule, _))| productions.entry(*rule as usize).vanishes);
            edges.extend(empty.map(|(next, _)| (next, transition)));
        }
        spread(&mut follow, edges, extend);
        let (mut edges, mut ends, mut seen) = (Vec::new(), FxHashMap::default(), FxHashSet::default());
        for transition in 0..self.transitions.len() as TransitionId {
            self.walk(transition, &mut edges, &mut ends, &mut seen);
        }
        spread(&mut follow, edges, extend);
        Lookaheads { follow, ends }
    }

    /// Walks through the right-hand side of the rule of a transition. What may come after the rule may come after each rule
    /// after which the rest may be empty; a terminal that is last ends the rule.
    fn walk(
        &self,
        transition: TransitionId,
        edges: &mut Vec<(TransitionId, TransitionId)>,
        ends: &mut Ends,
        seen: &mut Seen,
    ) {
        let productions = self.productions;
        let (start, rule, _) = self.transitions[transition as usize];
        let mut open = vec![(start, productions.entries[rule as usize])];
        seen.clear();
        while let Some((state, spot)) = open.pop() {
            for &position in &productions.spots[spot as usize].next {
                count(1);
                let own = &productions.positions[position as usize];
                let (after, last) = (&productions.spots[own.after as usize], productions.rule_of(own.symbol));
                if let Some(last) = last.filter(|_| after.vanishes) {
                    edges.extend(self.transition(state, last as u32).map(|last| (transition, last)));
                }
                let Some(to) = self.next(state, own.symbol) else { continue };
                if last.is_none() && after.ends {
                    let ended: &mut Vec<TransitionId> = ends.entry(to).or_default();
                    if ended.last() != Some(&transition) {
                        ended.push(transition);
                    }
                }
                if !after.next.is_empty() && seen.insert((to, own.after)) {
                    open.push((to, own.after));
                }
            }
        }
    }
}

/// By state after a terminal: the transitions whose rules end there.
type Ends = FxHashMap<StateId, Vec<TransitionId>>;

/// Spots that were visited in a state.
type Seen = FxHashSet<(StateId, SpotId)>;

/// What may come after the rules of a parser.
struct Lookaheads {
    /// By transition: the names that may come after its rule.
    follow: Vec<Bits>,
    ends: Ends,
}

/// Adds names to others; whether there were new ones.
fn extend(all: &mut Bits, other: &Bits) -> bool {
    count(1 + other.words());
    all.extend(other)
}
