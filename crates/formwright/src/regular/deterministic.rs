//! The smallest deterministic automaton of a regular language over characters, and two of them read side by side.
//!
//! ```text
//! [ab]*c           0 -[ab]-> 0   0 -c-> 1
//! beside (ab|c)*   reads "abc" from 0 to 1, and the other from its start back to it
//! ```
//!
//! A [`Meeting`] is what a grammar is intersected with a regular language by: a terminal, read from a state of the other
//! automaton, ends in some of its states. The texts that end in one of them are a language of their own ([`Run::part`]).
//!
//! Cost: all states are made at once, and counted. A run visits the pairs of states that its texts meet.

use rustc_hash::FxHashMap;

use super::explicit::{ExplicitState, explicit};
use super::partition::{Edge, split_blocks};
use super::tagged::{LOST, TaggedAutomaton};
use super::tree::{Ranges, Regular};
use crate::error::Result;
use crate::interrupt::count;
use crate::limits::Limits;

/// A state of a [`Deterministic`] automaton.
pub type State = u32;

/// In place of a state: no text goes on so.
pub const LEFT: State = State::MAX;

/// An automaton over characters without two states that go on alike; from each of its states some text ends.
pub struct Deterministic {
    /// Where a text begins; [`LEFT`] if there is no text.
    pub start: State,
    /// By state: whether a text may end there.
    pub accepting: Vec<bool>,
    /// By state and class of characters: the state after it.
    next: Vec<State>,
    classes: usize,
    /// All characters, as ascending ranges of one class each.
    segments: Vec<(u32, u32, u16)>,
}

impl Deterministic {
    /// The automaton of a language.
    ///
    /// # Errors
    /// As [`TaggedAutomaton::new`].
    pub fn new(tree: &Regular, limits: &Limits) -> Result<Self> {
        let tagged = TaggedAutomaton::new(std::slice::from_ref(tree), &[], limits)?;
        let segments: Vec<_> = tagged.segments().collect();
        if tagged.start() == LOST {
            return Ok(Self { start: LEFT, accepting: Vec::new(), next: Vec::new(), classes: 0, segments });
        }
        let states = || tagged.states().filter(|&state| state != LOST);
        let accepting: Vec<bool> = states().map(|state| !tagged.accepts(state).is_empty()).collect();
        let minterms = usize::from(tagged.minterms());
        let mut edges = Vec::new();
        for state in states() {
            count(1 + minterms);
            let steps = (0..tagged.minterms()).map(|class| (class, tagged.step(state, class)));
            let kept = steps.filter(|(_, to)| *to != LOST);
            edges.extend(kept.map(|(class, to)| Edge { from: state - 1, class: class.into(), to: to - 1 })); // not `LOST`
        }
        let blocks = split_blocks(&accepting, &edges);
        let block = |state: u32| blocks.of[state as usize];
        let mut made = Self {
            start: block(tagged.start() - 1),
            accepting: vec![false; blocks.count()],
            next: vec![LEFT; blocks.count() * minterms],
            classes: minterms,
            segments,
        };
        for (state, accepts) in (0..).zip(&accepting) {
            made.accepting[block(state) as usize] |= accepts;
        }
        for edge in &edges {
            made.next[block(edge.from) as usize * minterms + edge.class as usize] = block(edge.to);
        }
        made.unite_classes();
        Ok(made)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// Makes one class of those that lead to the same states.
    fn unite_classes(&mut self) {
        let mut known: FxHashMap<Vec<State>, u16> = FxHashMap::default();
        let (mut united, mut columns) = (Vec::with_capacity(self.classes), Vec::new());
        for class in 0..self.classes {
            count(1 + self.len());
            let column: Vec<State> = (0..self.len()).map(|state| self.next[state * self.classes + class]).collect();
            let new = known.len() as u16;
            let class = *known.entry(column.clone()).or_insert(new);
            if class == new {
                columns.push(column);
            }
            united.push(class);
        }
        self.next = (0..self.len()).flat_map(|state| columns.iter().map(move |column| column[state])).collect();
        self.classes = columns.len();
        for (.., class) in &mut self.segments {
            *class = united[usize::from(*class)];
        }
    }

    /// Where a class of characters leads.
    fn step(&self, state: State, class: u16) -> State {
        self.next[state as usize * self.classes + usize::from(class)]
    }

    /// Where a text leads; [`LEFT`] if no text goes on so.
    pub fn walk(&self, state: State, text: &str) -> State {
        count(text.len());
        let mut at = state;
        for c in text.chars() {
            if at == LEFT {
                return LEFT;
            }
            let segment = self.segments.partition_point(|&(_, last, _)| last < u32::from(c));
            at = self.step(at, self.segments[segment].2);
        }
        at
    }
}

/// A class of each of two automata, and the characters that are in both.
type JointClass = ((u16, u16), Vec<(char, char)>);

/// Two automata that read the same text.
pub struct Meeting {
    own: Deterministic,
    /// The classes of both that some character is in, and their characters.
    classes: Vec<JointClass>,
}

impl Meeting {
    /// An automaton that is read beside another one.
    pub fn new(own: Deterministic, other: &Deterministic) -> Self {
        let mut classes: Vec<JointClass> = Vec::new();
        let mut known: FxHashMap<(u16, u16), usize> = FxHashMap::default();
        let (mut at, mut other_at) = (0, 0);
        while own.start != LEFT && other.start != LEFT && at < own.segments.len() && other_at < other.segments.len() {
            count(2);
            let ((low, high, class), (other_low, other_high, other_class)) =
                (own.segments[at], other.segments[other_at]);
            let range = (char::from_u32(low.max(other_low)), char::from_u32(high.min(other_high)));
            if let ((Some(low), Some(high)), true) = (range, low <= other_high && other_low <= high) {
                let place = *known.entry((class, other_class)).or_insert_with(|| {
                    classes.push(((class, other_class), Vec::new()));
                    classes.len() - 1
                });
                classes[place].1.push((low, high));
            }
            at += usize::from(high <= other_high);
            other_at += usize::from(other_high <= high);
        }
        Self { own, classes }
    }

    /// The texts of the first automaton, read from a state of the other one, which is given as well; `None` if they meet
    /// more than so many pairs of states.
    pub fn run(&self, other: &Deterministic, from: State, most: usize) -> Option<Run<'_>> {
        let mut run = Run { meeting: self, pairs: Vec::new(), steps: Vec::new(), exits: Vec::new(), loses_none: true };
        if self.own.start == LEFT {
            return Some(run);
        }
        let mut known = FxHashMap::default();
        known.insert((self.own.start, from), 0);
        run.pairs.push((self.own.start, from));
        while run.steps.len() < run.pairs.len() {
            count(2 + self.classes.len());
            let (own, beside) = run.pairs[run.steps.len()];
            let mut steps = Vec::new();
            for (number, &((class, other_class), _)) in self.classes.iter().enumerate() {
                let to = (self.own.step(own, class), other.step(beside, other_class));
                if to.0 == LEFT || to.1 == LEFT {
                    run.loses_none &= to.0 == LEFT;
                    continue;
                }
                let pairs = &mut run.pairs;
                let target = *known.entry(to).or_insert_with(|| {
                    pairs.push(to);
                    pairs.len() as u32 - 1
                });
                steps.push((number as u32, target));
            }
            run.steps.push(steps);
            if run.pairs.len() > most {
                return None;
            }
        }
        run.find_exits();
        Some(run)
    }
}

/// What the texts of an automaton meet of another one.
pub struct Run<'m> {
    meeting: &'m Meeting,
    /// States of both.
    pairs: Vec<(State, State)>,
    /// By pair: the classes that lead on, and where.
    steps: Vec<Vec<(u32, u32)>>,
    /// The states of the other automaton in which a text ends, ascending.
    pub exits: Vec<State>,
    /// Whether the other automaton goes on with all texts.
    loses_none: bool,
}

impl Run<'_> {
    fn find_exits(&mut self) {
        let ends = self.pairs.iter().filter(|(own, _)| self.meeting.own.accepting[*own as usize]);
        self.exits = ends.map(|&(_, beside)| beside).collect();
        self.exits.sort_unstable();
        self.exits.dedup();
    }

    /// How many pairs of states it has.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether all texts end in one state of the other automaton.
    pub fn is_whole(&self) -> bool {
        self.loses_none && self.exits.len() == 1
    }

    /// The texts that end in a state of the other automaton.
    pub fn part(&self, exit: State) -> Regular {
        let ends = |pair: u32| {
            let (own, beside) = self.pairs[pair as usize];
            beside == exit && self.meeting.own.accepting[own as usize]
        };
        let kept = self.leading_to(&ends);
        let mut numbers = vec![u32::MAX; self.pairs.len()];
        for (number, &pair) in (0..).zip(&kept) {
            numbers[pair as usize] = number;
        }
        let mut known = FxHashMap::default();
        let states = kept.iter().map(|&pair| {
            count(4);
            let mut by_target: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            for &(class, to) in &self.steps[pair as usize] {
                if numbers[to as usize] != u32::MAX {
                    by_target.entry(numbers[to as usize]).or_default().push(class);
                }
            }
            let mut edges: Vec<(Ranges, u32)> =
                by_target.into_iter().map(|(to, classes)| (self.ranges(classes, &mut known), to)).collect();
            edges.sort_unstable_by_key(|&(_, to)| to);
            ExplicitState { edges, is_accepting: ends(pair) }
        });
        let states: Vec<ExplicitState> = states.collect();
        if states.is_empty() { Regular::Never } else { explicit(states, 0) }
    }

    /// The pairs from which one that ends is reached, ascending: the first one begins a text.
    fn leading_to(&self, ends: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.pairs.len()];
        for (from, steps) in (0..).zip(&self.steps) {
            count(1 + steps.len());
            for &(_, to) in steps {
                before[to as usize].push(from);
            }
        }
        let mut open: Vec<u32> = (0..self.pairs.len() as u32).filter(|&pair| ends(pair)).collect();
        let mut leads = vec![false; self.pairs.len()];
        for &pair in &open {
            leads[pair as usize] = true;
        }
        while let Some(pair) = open.pop() {
            for &from in &before[pair as usize] {
                if !std::mem::replace(&mut leads[from as usize], true) {
                    open.push(from);
                }
            }
        }
        (0..self.pairs.len() as u32).filter(|&pair| leads[pair as usize]).collect()
    }

    /// The characters of some classes.
    fn ranges(&self, classes: Vec<u32>, known: &mut FxHashMap<Vec<u32>, Ranges>) -> Ranges {
        if let Some(ranges) = known.get(&classes) {
            return ranges.clone();
        }
        let all = classes.iter().flat_map(|&class| &self.meeting.classes[class as usize].1);
        let mut sorted: Vec<(char, char)> = all.copied().collect();
        count(4 * sorted.len());
        sorted.sort_unstable();
        let mut united: Vec<(char, char)> = Vec::with_capacity(sorted.len());
        for (low, high) in sorted {
            match united.last_mut() {
                Some((_, end)) if u32::from(*end) + 1 == u32::from(low) => *end = high,
                _ => united.push((low, high)),
            }
        }
        let ranges: Ranges = united.into();
        known.insert(classes, ranges.clone());
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::{Automaton, Encoding};

    fn deterministic(tree: &Regular) -> Deterministic {
        Deterministic::new(tree, &Limits::default()).unwrap()
    }

    #[test]
    fn states_that_go_on_alike_are_one() {
        let trees = ["ac", "bc"].map(Regular::text);
        let automaton = deterministic(&Regular::or(trees));
        assert_eq!(automaton.len(), 3);
        assert!(automaton.accepting[automaton.walk(automaton.start, "bc") as usize]);
        assert_eq!(automaton.walk(automaton.start, "ca"), LEFT);
        assert_eq!(deterministic(&Regular::and([Regular::text("a"), Regular::text("b")])).start, LEFT);
    }

    #[test]
    fn parts_of_a_run_are_the_texts_that_end_in_a_state() {
        let pair = Regular::concat([Regular::any(), Regular::any()]).repeat(0, None);
        let other = deterministic(&pair); // whether the length is even
        let word = Regular::range('a', 'é').repeat(1, Some(3));
        let meeting = Meeting::new(deterministic(&word), &other);
        let run = meeting.run(&other, other.start, 100).unwrap();
        assert_eq!((run.exits.len(), run.is_whole()), (2, false));
        for &exit in &run.exits {
            let part = Automaton::new(&run.part(exit), Encoding::Text, &Limits::default()).unwrap();
            for text in ["a", "éa", "aéz", "", "A", "aaaa", "a\u{D7FF}"] {
                let length = text.chars().count();
                let is_word = (1..4).contains(&length) && text.chars().all(|c| ('a'..='é').contains(&c));
                let expected = is_word && other.walk(other.start, text) == exit;
                assert_eq!(part.accepts(text.as_bytes()), expected, "{text}");
            }
        }
        assert!(meeting.run(&other, other.start, 3).is_none());
    }

    #[test]
    fn a_run_that_loses_nothing_is_whole() {
        let other = deterministic(&Regular::anything());
        let meeting = Meeting::new(deterministic(&Regular::text("abc")), &other);
        assert!(meeting.run(&other, other.start, 100).unwrap().is_whole());
        let other = deterministic(&Regular::one_of("ab").repeat(0, None));
        let meeting = Meeting::new(deterministic(&Regular::one_of("abc")), &other);
        assert!(!meeting.run(&other, other.start, 100).unwrap().is_whole());
    }
}
