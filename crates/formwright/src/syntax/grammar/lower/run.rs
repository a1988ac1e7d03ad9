//! The texts of a terminal among rivals, as the lexer of a grammar reads them.
//!
//! ```text
//! NAME: /[a-z]+/ beside "if"      the states of all terminals together, but no end where `if` is read; each end leaves a guard
//! ```
//!
//! Cost: a visit of each state and minterm.

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::guards::{BROKEN, GuardId, Guards};
use super::lexer::{Found, Leaves, Lexer};
use crate::interrupt::count;
use crate::regular::{ExplicitState, MARK, Regular, Tag, TaggedState, explicit};

/// The terminals that are taken instead of another one where their match is shorter or longer.
pub struct Winners {
    /// All rivals, which may be taken where their match is equal.
    pub all: Bits,
    pub shorter: Bits,
    pub longer: Bits,
}

/// The texts of a terminal, read by the automaton of all terminals and by a guard at once.
pub struct Run {
    tag: Tag,
    guard: GuardId,
    states: Vec<(TaggedState, GuardId)>,
    /// By state: where minterms lead.
    rows: Vec<Vec<Option<u32>>>,
    /// By state where a text ends: the guard that it leaves.
    pub ends: Vec<Option<GuardId>>,
    /// Terminals that are taken instead inside some text.
    pub cutting: Bits,
    /// Terminals that are taken instead for some text.
    pub taken: Bits,
    /// Whether the guard is broken by some text.
    is_broken: bool,
    /// Whether it depends on what follows which texts there are.
    is_conditional: bool,
}

impl Run {
    /// Reads them after a guard.
    pub fn new(lexer: &mut Lexer<'_>, tag: Tag, guard: GuardId, winners: &Winners) -> Self {
        let (automaton, tags) = (lexer.automaton, lexer.terminals.len());
        let mut run = Self {
            tag,
            guard,
            states: vec![(automaton.start(), guard)],
            rows: Vec::new(),
            ends: Vec::new(),
            cutting: Bits::new(tags),
            taken: Bits::new(tags),
            is_broken: false,
            is_conditional: automaton.is_followed(tag),
        };
        let mut ids = FxHashMap::from_iter([(run.states[0], 0)]);
        let mark = automaton.is_followed(tag).then(|| automaton.minterm(MARK)); // what follows does not belong to the text
        let mut at = 0;
        while at < run.states.len() {
            let (state, guard) = run.states[at];
            let found = Found { automaton, terminals: lexer.terminals, state };
            let cutting: Vec<Tag> = found.certain().filter(|&rival| winners.shorter.contains(rival)).collect();
            let cutting_if: Vec<_> = found.open().filter(|&(rival, _)| winners.shorter.contains(rival)).collect();
            run.is_conditional |= !cutting_if.is_empty();
            let onward = lexer.guards.with_conditions(guard, &cutting_if, false);
            let is_left_out = lexer.left_out[tag as usize].is_some_and(|tag| automaton.accepts(state).contains(&tag));
            run.is_conditional |= is_left_out;
            let end = if is_left_out { None } else { run.end_at(&mut lexer.guards, winners, &found, guard) };
            run.ends.push(end);
            count(usize::from(automaton.minterms()));
            let row = (0..automaton.minterms()).map(|minterm| {
                let (next, guard) = (automaton.step(state, minterm), lexer.guards.step(onward, minterm));
                if automaton.alive(next).binary_search(&tag).is_err() || mark == Some(minterm) {
                    return None;
                }
                if !cutting.is_empty() {
                    for &other in &cutting {
                        run.cutting.insert(other);
                    }
                    return None;
                }
                if guard == BROKEN {
                    run.is_broken = true;
                    return None;
                }
                Some(*ids.entry((next, guard)).or_insert_with(|| {
                    run.states.push((next, guard));
                    run.states.len() as u32 - 1
                }))
            });
            let row = row.collect();
            run.rows.push(row);
            at += 1;
        }
        run
    }

    /// The guard that a text leaves which ends where something is found, if it may.
    fn end_at(
        &mut self,
        guards: &mut Guards<'_>,
        winners: &Winners,
        found: &Found<'_>,
        guard: GuardId,
    ) -> Option<GuardId> {
        let own = found.open().find(|(own, _)| *own == self.tag);
        if own.is_none() && !found.certain().any(|own| own == self.tag) {
            return None;
        }
        let is_winner = |rival: Tag| winners.all.contains(rival) && found.is_taken_by(rival, self.tag);
        let taken: Vec<Tag> = found.certain().filter(|&rival| is_winner(rival)).collect();
        let taken_if: Vec<_> = found.open().filter(|&(rival, _)| is_winner(rival)).collect();
        let asked: Vec<_> = found.deciding(self.tag, &winners.all).into_iter().chain(own).collect();
        self.is_conditional |= !taken_if.is_empty() || !asked.is_empty();
        for &winner in &taken {
            self.taken.insert(winner);
        }
        if !taken.is_empty() {
            return None;
        }
        let longer = guards.longer(found.state, &winners.longer);
        let left = guards.either(longer, guard);
        let left = guards.with_conditions(left, &asked, true);
        Some(guards.with_conditions(left, &taken_if, false)).filter(|&left| left != BROKEN)
    }

    /// The texts by the guard that they leave.
    pub fn leaves(&self, lexer: &Lexer<'_>) -> Leaves {
        let mut guards: Vec<GuardId> = self.ends.iter().copied().flatten().collect();
        guards.sort_unstable();
        guards.dedup();
        match guards[..] {
            [only] if !self.is_conditional => vec![(only, self.tree(lexer))],
            _ => guards.iter().filter_map(|&guard| Some((guard, self.part(lexer, guard)?))).collect(),
        }
    }

    /// All texts: those of the terminal without what rivals and the guard exclude.
    fn tree(&self, lexer: &Lexer<'_>) -> Regular {
        let trees = |tags: &Bits| tags.iter().map(|tag| lexer.terminals[tag as usize].tree.clone()).collect::<Vec<_>>();
        let mut all = vec![lexer.terminals[self.tag as usize].tree.clone()];
        let (taken, cutting) = (trees(&self.taken), trees(&self.cutting));
        if !taken.is_empty() {
            all.push(Regular::or(taken).not());
        }
        if !cutting.is_empty() {
            all.push(Regular::concat([Regular::or(cutting), Regular::any().repeat(1, None)]).not());
        }
        if self.is_broken {
            all.push(lexer.guards.language(self.guard));
        }
        Regular::and(all)
    }

    /// The texts that leave one of several guards.
    fn part(&self, lexer: &Lexer<'_>, guard: GuardId) -> Option<Regular> {
        let useful = self.useful(guard);
        let mut numbers = vec![0_u32; self.states.len()];
        let kept: Vec<usize> = (0..self.states.len()).filter(|&state| useful[state]).collect();
        kept.iter().zip(0..).for_each(|(&state, number)| numbers[state] = number);
        if !useful[0] {
            return None;
        }
        let state = |&state: &usize| {
            let row = &self.rows[state];
            count(row.len());
            let mut targets: Vec<u32> = row.iter().flatten().copied().filter(|&to| useful[to as usize]).collect();
            targets.sort_unstable();
            targets.dedup();
            let edge = |&to: &u32| {
                let class = lexer.automaton.ranges_of(|minterm| row[usize::from(minterm)] == Some(to));
                (class, numbers[to as usize])
            };
            ExplicitState { edges: targets.iter().map(edge).collect(), is_accepting: self.ends[state] == Some(guard) }
        };
        Some(explicit(kept.iter().map(state).collect(), 0))
    }

    /// The states on a way to a text that leaves a guard.
    fn useful(&self, guard: GuardId) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.states.len()];
        for (from, row) in self.rows.iter().enumerate() {
            count(row.len());
            row.iter().flatten().for_each(|&to| before[to as usize].push(from));
        }
        let mut useful = vec![false; self.states.len()];
        let mut open: Vec<usize> = (0..self.states.len()).filter(|&state| self.ends[state] == Some(guard)).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut useful[state], true) {
                open.extend(&before[state]);
            }
        }
        useful
    }
}
