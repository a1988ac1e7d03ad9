//! The automata of random trees against the classical constructions: subsets, products, complements, one copy for each
//! count, minimal automata. Every pair of states that a text leads to is compared: what is accepted, and what may
//! follow.

use std::collections::{BTreeMap, BTreeSet};

use formwright::regular::{Automaton, DEAD, Encoding, Regular, StateId};
use formwright::{Limits, Result};

/// Letters of the trees, and one that is in none but "any character".
const LETTERS: [char; 4] = ['a', 'b', 'c', 'd'];

/// Larger automata are not made: the tree is left out.
const MOST_STATES: usize = 200;

/// Pairs of states that are compared for a tree.
const MOST_PAIRS: usize = 1500;

/// A complete deterministic automaton over [`LETTERS`], from state 0 on.
#[derive(Clone)]
struct Table {
    next: Vec<[usize; 4]>,
    accepting: Vec<bool>,
}

impl Table {
    fn never() -> Self {
        Self { next: vec![[0; 4]], accepting: vec![false] }
    }

    fn empty() -> Self {
        Self { next: vec![[1; 4], [1; 4]], accepting: vec![true, false] }
    }

    fn class(class: &[(char, char)]) -> Self {
        let first = LETTERS.map(|c| if class.iter().any(|&(low, high)| low <= c && c <= high) { 1 } else { 2 });
        Self { next: vec![first, [2; 4], [2; 4]], accepting: vec![false, true, false] }
    }

    /// The states reached from `start` on; `step` says where a letter leads.
    fn explored<S: Ord + Clone>(start: S, step: impl Fn(&S, usize) -> S, accepts: impl Fn(&S) -> bool) -> Option<Self> {
        let (mut ids, mut all) = (BTreeMap::from([(start.clone(), 0)]), vec![start]);
        let mut made = Self { next: Vec::new(), accepting: Vec::new() };
        while let Some(state) = all.get(made.next.len()).cloned() {
            let row = [0, 1, 2, 3].map(|letter| {
                let next = step(&state, letter);
                *ids.entry(next.clone()).or_insert_with(|| {
                    all.push(next);
                    all.len() - 1
                })
            });
            made.accepting.push(accepts(&state));
            made.next.push(row);
            if all.len() > MOST_STATES {
                return None;
            }
        }
        Some(made.minimal())
    }

    /// Moore's partition refinement.
    fn minimal(&self) -> Self {
        let mut class: Vec<usize> = self.accepting.iter().map(|&accepting| usize::from(accepting)).collect();
        loop {
            let mut ids = BTreeMap::new();
            let refined: Vec<usize> = (0..class.len())
                .map(|state| {
                    let next = ids.len();
                    *ids.entry((class[state], self.next[state].map(|to| class[to]))).or_insert(next)
                })
                .collect();
            let same = ids.len() == class.iter().collect::<BTreeSet<_>>().len();
            class = refined;
            if same {
                break;
            }
        }
        let count = class.iter().max().map_or(0, |last| last + 1);
        let member = |wanted| class.iter().position(|&other| other == wanted).unwrap();
        let members: Vec<usize> = (0..count).map(member).collect();
        Self {
            next: members.iter().map(|&state| self.next[state].map(|to| class[to])).collect(),
            accepting: members.iter().map(|&state| self.accepting[state]).collect(),
        }
    }

    fn either(&self, other: &Self, accepts: impl Fn(bool, bool) -> bool) -> Option<Self> {
        Self::explored(
            (0, 0),
            |&(a, b), letter| (self.next[a][letter], other.next[b][letter]),
            |&(a, b)| accepts(self.accepting[a], other.accepting[b]),
        )
    }

    fn then(&self, other: &Self) -> Option<Self> {
        let entered = |first: usize, mut rest: BTreeSet<usize>| {
            if self.accepting[first] {
                rest.insert(0);
            }
            (first, rest)
        };
        Self::explored(
            entered(0, BTreeSet::new()),
            |(first, rest), letter| {
                entered(self.next[*first][letter], rest.iter().map(|&state| other.next[state][letter]).collect())
            },
            |(_, rest)| rest.iter().any(|&state| other.accepting[state]),
        )
    }

    /// Any number of times.
    fn star(&self) -> Option<Self> {
        let restarted = |mut states: BTreeSet<usize>| {
            if states.iter().any(|&state| self.accepting[state]) {
                states.insert(0);
            }
            states
        };
        let some = Self::explored(
            BTreeSet::from([0]),
            |states, letter| restarted(states.iter().map(|&state| self.next[state][letter]).collect()),
            |states| states.iter().any(|&state| self.accepting[state]),
        );
        some?.either(&Self::empty(), |a, b| a || b)
    }

    fn repeat(&self, low: u32, high: Option<u32>) -> Option<Self> {
        let optional = self.either(&Self::empty(), |a, b| a || b)?;
        let mut end = if high.is_none() { self.star()? } else { Self::empty() };
        for _ in low..high.unwrap_or(low) {
            end = optional.then(&end)?;
        }
        for _ in 0..low {
            end = self.then(&end)?;
        }
        Some(end)
    }

    fn of(tree: &Regular) -> Option<Self> {
        let fold = |parts: &[Regular], f: fn(bool, bool) -> bool| {
            let tables: Option<Vec<Self>> = parts.iter().map(Self::of).collect();
            tables?.into_iter().map(Some).reduce(|a, b| a?.either(&b?, f)).flatten()
        };
        match tree {
            Regular::Never => Some(Self::never()),
            Regular::Empty => Some(Self::empty()),
            Regular::Class(class) => Some(Self::class(class)),
            Regular::Concat(parts) => {
                let tables: Option<Vec<Self>> = parts.iter().map(Self::of).collect();
                tables?.into_iter().rev().try_fold(Self::empty(), |rest, first| first.then(&rest))
            }
            Regular::Or(parts) => fold(parts, |a, b| a || b),
            Regular::And(parts) => fold(parts, |a, b| a && b),
            Regular::Not(inner) => Self::of(inner)?.either(&Self::never(), |a, _| !a),
            Regular::Repeat(inner, low, high) => Self::of(inner)?.repeat(*low, *high),
            _ => None,
        }
    }

    /// The states from which a text is accepted.
    fn live(&self) -> Vec<bool> {
        let mut live = self.accepting.clone();
        loop {
            let grown: Vec<bool> =
                (0..live.len()).map(|state| live[state] || self.next[state].iter().any(|&to| live[to])).collect();
            if grown == live {
                return live;
            }
            live = grown;
        }
    }
}

/// Numbers that look random, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn class(&mut self) -> Regular {
        match self.below(8) {
            0 => Regular::any(),
            1 => Regular::range('a', 'b'),
            2 => Regular::range('b', 'c'),
            other => Regular::character(LETTERS[other % 3]),
        }
    }

    fn bounds(&mut self) -> (u32, Option<u32>) {
        let low = self.below(3) as u32;
        [(0, Some(1)), (0, None), (1, None), (low, Some(low + self.below(3) as u32)), (0, Some(2))][self.below(5)]
    }

    /// Parts in a row, of which some come again and again: chains of parts that may be empty, and long loop bodies.
    fn chain(&mut self, depth: usize, boolean: bool) -> Regular {
        let few: Vec<Regular> = (0..=self.below(3)).map(|_| self.tree(depth, boolean)).collect();
        let rounds = [1, 1, 2, 6][self.below(4)];
        Regular::concat((0..rounds).flat_map(|_| few.clone()))
    }

    fn tree(&mut self, depth: usize, boolean: bool) -> Regular {
        if depth == 0 {
            return self.class();
        }
        match self.below(if boolean { 10 } else { 7 }) {
            0 => self.class(),
            1 | 2 => self.chain(depth - 1, boolean),
            3 => Regular::or((0..2 + self.below(2)).map(|_| self.tree(depth - 1, boolean)).collect::<Vec<_>>()),
            4..=6 => {
                let (low, high) = self.bounds();
                self.tree(depth - 1, boolean).repeat(low, high)
            }
            7 => Regular::and([self.tree(depth - 1, boolean), self.tree(depth - 1, boolean)]),
            8 => {
                let longest = REACH as usize + self.below(12);
                Regular::and([
                    self.tree(depth - 1, boolean),
                    Regular::length(self.below(3) as u32, Some(longest as u32)),
                ])
            }
            _ => self.tree(depth - 1, boolean).not(),
        }
    }
}

/// Counters of so many are clamped.
const REACH: u32 = 4;

/// Whether all texts of up to `length` letters go on, and end, from one state where they do from the other one, and are
/// at most `slack` bytes farther from the end.
fn is_alike(automaton: &Automaton, state: StateId, other: StateId, slack: u32, length: u32) -> bool {
    if state == other || length == 0 {
        return true;
    }
    LETTERS.iter().all(|&c| {
        let (to, then) = (automaton.step(state, c as u8), automaton.step(other, c as u8));
        (to.accepting(), to.state() == DEAD) == (then.accepting(), then.state() == DEAD)
            && (to.state() == DEAD || automaton.shortest(to.state()) <= automaton.shortest(then.state()) + slack)
            && is_alike(automaton, to.state(), then.state(), slack, length - 1)
    })
}

/// Compares every pair of states that is met first.
fn compare(tree: &Regular, table: &Table) -> Result<()> {
    let automaton = Automaton::new(tree, Encoding::Text, &Limits::default())?;
    let live = table.live();
    let (mut seen, mut open) = (BTreeSet::new(), vec![(automaton.start(), 0, String::new())]);
    assert_eq!(automaton.start().state() != DEAD, live[0], "{tree:?}");
    while let Some((step, expected, text)) = open.pop() {
        if step.state() == DEAD || seen.len() > MOST_PAIRS || !seen.insert((step.state(), expected)) {
            continue;
        }
        assert_eq!(step.accepting(), table.accepting[expected], "{tree:?} accepts {text:?}");
        let next_bytes = automaton.next_bytes(step.state());
        assert!(!automaton.overflowed(), "{tree:?} after {text:?}");
        for (letter, c) in LETTERS.into_iter().enumerate() {
            let (to, then) = (automaton.step(step.state(), c as u8), table.next[expected][letter]);
            assert_eq!(to.state() != DEAD, live[then], "{tree:?}: {c:?} after {text:?}");
            assert_eq!(next_bytes.contains(c as u8), live[then], "{tree:?}: {c:?} after {text:?}");
            if let Some((clamped, slack)) = live[then].then(|| automaton.representative_and_slack(to.state(), REACH)) {
                let is_alike = is_alike(&automaton, to.state(), clamped, slack, REACH - 1);
                assert!(is_alike, "{tree:?}: clamped after {text:?}{c}");
            }
            open.push((to, then, format!("{text}{c}")));
        }
    }
    Ok(())
}

fn compare_random(count: usize, boolean: bool, seed: u64) {
    let (mut dice, mut compared) = (Dice(seed), 0);
    for _ in 0..2 * count {
        let tree = Regular::concat([dice.chain(3, boolean), dice.tree(2, boolean)]);
        if let Some(table) = Table::of(&tree) {
            compare(&tree, &table).unwrap();
            compared += 1;
        }
    }
    assert!(compared >= count, "{compared}");
}

#[test]
fn random_trees_are_as_constructed() {
    compare_random(700, false, 1);
}

#[test]
fn random_trees_with_and_and_not_are_as_constructed() {
    compare_random(400, true, 2);
}

/// The constructions themselves, on what is plain to see.
#[test]
fn constructions_are_right() {
    let accepts = |tree: &Regular, text: &str| {
        let table = Table::of(tree).unwrap();
        let letter = |c| LETTERS.iter().position(|&other| other == c).unwrap();
        table.accepting[text.chars().fold(0, |state, c| table.next[state][letter(c)])]
    };
    let tree = Regular::concat([Regular::text("ab").repeat(1, Some(2)), Regular::character('c').repeat(0, None)]);
    for (text, accepted) in [("ab", true), ("ababccc", true), ("", false), ("ababab", false), ("aba", false)] {
        assert_eq!(accepts(&tree, text), accepted, "{text}");
        assert_eq!(accepts(&tree.clone().not(), text), !accepted, "{text}");
        assert_eq!(accepts(&Regular::and([tree.clone(), Regular::length(3, None)]), text), accepted && text != "ab");
    }
}
