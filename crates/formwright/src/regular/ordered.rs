//! The texts that an expression matches as Python's `re` does: of several, the first in the order in which it tries.
//!
//! ```text
//! "(\\.|.)*?"     after `"\"`   1. the quote was escaped    2. the backslash stood for itself, and this is the end
//!                 after `"a"`   the end, which is tried before the repetition goes on
//! a|ab            after `a`     the end: `ab` is never tried
//! ```
//!
//! The ways that are tried are a list, the first one first; the list is the state of an automaton. Where a way ends, those
//! after it are given up. What is left are texts of which the longest in a longer text is the match: a way
//! before the one that ended goes on, and if it ends as well, it is taken. An assertion about what follows is a language that
//! a way carries along; where a text has ended, it is asked of what comes after the text.
//!
//! The machine is that of Pike, its lists as states those of Cox ("Regular expression matching in the wild", 2010).

use rustc_hash::{FxBuildHasher, FxHashMap};

use indexmap::IndexMap;

use super::alphabet::{Alphabet, Minterm, MintermSet, contains};
use super::explicit::{ExplicitState, explicit};
use super::expression::{Expressions, Id, NEVER};
use super::tagged::MARK;
use super::tree::{Ranges, Regular};
use crate::interrupt::count;

/// An expression whose alternatives are tried in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Ordered {
    /// The empty text.
    Empty,
    /// A character.
    Class(Ranges),
    /// The character before is one of these.
    Before(Ranges),
    /// What comes, of the text and after it, is in a language.
    Ahead(Regular),
    /// One after the other.
    Concat(Vec<Ordered>),
    /// Any of them, the first one first.
    Or(Vec<Ordered>),
    /// Several times in a row: as often as possible first or, if it is lazy, as rarely as possible.
    Repeat {
        /// What is repeated.
        body: Box<Ordered>,
        /// Fewest times.
        low: u32,
        /// Most times, if there is a bound.
        high: Option<u32>,
        /// Whether fewer times are tried first.
        is_lazy: bool,
    },
}

/// What an expression matches.
#[derive(Clone, Debug)]
pub struct FirstMatches {
    /// The texts.
    pub texts: Regular,
    /// If an assertion asks what follows them: each with the mark and what may follow.
    pub followed: Option<Regular>,
    /// Whether the order decided: some way was given up.
    pub is_ordered: bool,
    /// Those of the texts that end only if no end comes after any number of other characters, as `"\"` of the example.
    pub open: Option<Regular>,
}

/// Why the matches of an expression are not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMatches {
    /// It asks for a character before its first one.
    LooksBefore,
    /// Its automaton would be too large.
    TooLarge,
}

/// Steps of an expression, with all copies of bounded repetitions, and states of its automaton.
pub const MOST_STEPS: usize = 1 << 12;

/// Look-backs of an expression.
const MOST_LOOK_BACKS: usize = 64;

/// Expressions visited to find out whether what must follow is empty.
const FUEL: usize = 1 << 14;

type StepId = u32;

/// What a way does next.
enum Step {
    Read(MintermSet, StepId),
    Split(Vec<StepId>),
    /// One more round, or what comes after the repetition.
    Loop {
        round: StepId,
        next: StepId,
        is_lazy: bool,
    },
    /// By number: whether the character before is in a class.
    Before(usize, StepId),
    Ahead(Id, StepId),
    End,
}

/// A way, before it reads a character; what comes must be in all these languages.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    step: StepId,
    ahead: Vec<Id>,
}

/// A state of the automaton.
#[derive(Clone, PartialEq, Eq, Hash)]
enum State {
    /// Inside a text: the ways, the first one first, and for each that has ended here what must follow.
    Text { ways: Vec<Way>, ends: Vec<Vec<Id>> },
    /// After it: the language of what is still to follow.
    After(Id),
}

struct Machine {
    expressions: Expressions,
    steps: Vec<Step>,
    look_backs: Vec<MintermSet>,
    is_ordered: bool,
}

/// The matches of an expression.
///
/// # Errors
/// Those of [`NoMatches`].
pub fn first_matches(expression: &Ordered) -> Result<FirstMatches, NoMatches> {
    let mut trees = vec![Regular::Class([(MARK, MARK)].as_slice().into())];
    collect(expression, &mut trees);
    let alphabet = Alphabet::new(&Regular::Or(trees.into())).map_err(|_| NoMatches::TooLarge)?;
    let lengths = vec![1; alphabet.len()];
    let expressions = Expressions::new(alphabet, lengths, FUEL);
    let mut machine = Machine { expressions, steps: vec![Step::End], look_backs: Vec::new(), is_ordered: false };
    let start = machine.add(expression, 0)?;
    let start = machine.begin(start)?;
    machine.explore(start)
}

/// The classes and languages of an expression.
fn collect(expression: &Ordered, trees: &mut Vec<Regular>) {
    match expression {
        Ordered::Empty => {}
        Ordered::Class(class) | Ordered::Before(class) => trees.push(Regular::Class(class.clone())),
        Ordered::Ahead(tree) => trees.push(tree.clone()),
        Ordered::Concat(parts) | Ordered::Or(parts) => parts.iter().for_each(|part| collect(part, trees)),
        Ordered::Repeat { body, .. } => collect(body, trees),
    }
}

impl Machine {
    fn push(&mut self, step: Step) -> Result<StepId, NoMatches> {
        count(1);
        if self.steps.len() >= MOST_STEPS {
            return Err(NoMatches::TooLarge);
        }
        self.steps.push(step);
        Ok(self.steps.len() as StepId - 1)
    }

    /// The step with which an expression begins, after which `next` comes. Expressions nest as deep as their reader allows.
    fn add(&mut self, expression: &Ordered, next: StepId) -> Result<StepId, NoMatches> {
        match expression {
            Ordered::Empty => Ok(next),
            Ordered::Class(class) => {
                let class = self.expressions.alphabet.class(class);
                self.push(Step::Read(class, next))
            }
            Ordered::Before(class) => {
                self.look_backs.push(self.expressions.alphabet.class(class));
                if self.look_backs.len() > MOST_LOOK_BACKS {
                    Err(NoMatches::TooLarge)
                } else {
                    self.push(Step::Before(self.look_backs.len() - 1, next))
                }
            }
            Ordered::Ahead(tree) => {
                let language = self.expressions.lower(tree);
                self.push(Step::Ahead(language, next))
            }
            Ordered::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.add(part, next)),
            Ordered::Or(options) => {
                let options = options.iter().map(|option| self.add(option, next)).collect::<Result<_, _>>()?;
                self.push(Step::Split(options))
            }
            Ordered::Repeat { body, low, high, is_lazy } => {
                let mut begin = next;
                if high.is_none() {
                    begin = self.push(Step::End)?;
                    let round = self.add(body, begin)?;
                    self.steps[begin as usize] = Step::Loop { round, next, is_lazy: *is_lazy };
                }
                for _ in *low..high.unwrap_or(0) {
                    let round = self.add(body, begin)?;
                    begin = self.push(Step::Loop { round, next, is_lazy: *is_lazy })?;
                }
                (0..*low).try_fold(begin, |next, _| self.add(body, next))
            }
        }
    }

    fn begin(&mut self, step: StepId) -> Result<State, NoMatches> {
        self.close(vec![Way { step, ahead: Vec::new() }], None)
    }

    /// The state in which some ways are that have read `before`, up to the next character that each reads.
    fn close(&mut self, ways: Vec<Way>, before: Option<Minterm>) -> Result<State, NoMatches> {
        let mut open: Vec<Way> = ways.into_iter().rev().collect();
        let (mut ways, mut ends, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen: FxHashMap<StepId, Vec<Vec<Id>>> = FxHashMap::default();
        while let Some(Way { step, mut ahead }) = open.pop() {
            count(1);
            ahead.extend(&refused);
            ahead.sort_unstable();
            ahead.dedup();
            let known = seen.entry(step).or_default();
            let was_tried = known.iter().any(|known| known.iter().all(|own| ahead.contains(own)));
            if was_tried || ahead.contains(&NEVER) {
                if let (true, &Step::Loop { next, .. }) = (was_tried, &self.steps[step as usize]) {
                    open.push(Way { step: next, ahead }); // after a round that read nothing, there is no other
                }
                continue;
            }
            known.push(ahead.clone());
            match &self.steps[step as usize] {
                Step::Read(..) => ways.push(Way { step, ahead }),
                Step::Split(options) => {
                    open.extend(options.iter().rev().map(|&step| Way { step, ahead: ahead.clone() }));
                }
                &Step::Loop { round, next, is_lazy } => {
                    let (first, last) = if is_lazy { (next, round) } else { (round, next) };
                    open.extend([last, first].map(|step| Way { step, ahead: ahead.clone() }));
                }
                Step::Before(at, next) => {
                    let before = before.ok_or(NoMatches::LooksBefore)?;
                    open.extend(contains(&self.look_backs[*at], before).then_some(Way { step: *next, ahead }));
                }
                Step::Ahead(language, next) => {
                    ahead.push(*language);
                    open.push(Way { step: *next, ahead });
                }
                Step::End if ahead.is_empty() => {
                    self.is_ordered |= !open.is_empty();
                    ends.push(ahead);
                    break;
                }
                Step::End => {
                    let all = self.expressions.and(ahead.clone());
                    refused.push(self.expressions.not(all));
                    ends.push(ahead);
                }
            }
        }
        Ok(State::Text { ways, ends })
    }

    /// The state after a character of a text.
    fn read(&mut self, ways: &[Way], minterm: Minterm) -> Result<State, NoMatches> {
        let mut after = Vec::new();
        for Way { step, ahead } in ways {
            let Step::Read(class, next) = &self.steps[*step as usize] else { continue };
            if !contains(class, minterm) {
                continue;
            }
            let mut left: Vec<Id> = ahead.iter().map(|&language| self.expressions.derive(language, minterm)).collect();
            left.retain(|&language| !self.expressions.is_anything(language));
            after.push(Way { step: *next, ahead: left });
        }
        self.close(after, Some(minterm))
    }

    /// What must follow a text that has ended.
    fn following(&mut self, ends: &[Vec<Id>]) -> Id {
        let all = ends.iter().map(|ahead| self.expressions.and(ahead.clone())).collect();
        self.expressions.or(all)
    }

    /// The matches from a state on.
    fn explore(mut self, start: State) -> Result<FirstMatches, NoMatches> {
        let mark = self.expressions.alphabet.minterm(u32::from(MARK));
        let minterms = self.expressions.alphabet.len() as Minterm;
        let mut states: IndexMap<State, (), FxBuildHasher> = IndexMap::from_iter([(start, ())]);
        let (mut rows, mut at): (Vec<Vec<(Minterm, u32)>>, _) = (Vec::new(), 0);
        while let Some((state, ())) = states.get_index(at) {
            let (state, mut row) = (state.clone(), Vec::new());
            count(usize::from(minterms));
            for minterm in 0..minterms {
                let next = match &state {
                    State::Text { ends, .. } if minterm == mark => State::After(self.following(ends)),
                    State::Text { ways, .. } => self.read(ways, minterm)?,
                    State::After(language) => State::After(self.expressions.derive(*language, minterm)),
                };
                let is_dead = match &next {
                    State::Text { ways, ends } => ways.is_empty() && ends.is_empty(),
                    State::After(language) => *language == NEVER,
                };
                if !is_dead {
                    row.push((minterm, states.insert_full(next, ()).0 as u32));
                }
            }
            if states.len() > MOST_STEPS {
                return Err(NoMatches::TooLarge);
            }
            rows.push(row);
            at += 1;
        }
        let states: Vec<State> = states.into_keys().collect();
        let is_certain = |state: &State| match state {
            State::Text { ends, .. } => ends.is_empty() || ends.iter().any(Vec::is_empty),
            State::After(_) => true,
        };
        let is_followed = !states.iter().all(is_certain);
        let ends = |at: usize| matches!(&states[at], State::Text { ends, .. } if !ends.is_empty());
        let in_texts = |state: &State, minterm| matches!(state, State::Text { .. }) && minterm != mark;
        let texts = self.language(&states, &rows, in_texts, ends);
        let open = open_ends(&states, &rows);
        let open = (!open.is_empty()).then(|| self.language(&states, &rows, in_texts, |at| open.contains(&at)));
        let ends = |at: usize| matches!(states[at], State::After(language) if self.expressions.nullable(language));
        let followed = is_followed.then(|| self.language(&states, &rows, |_, _| true, ends));
        Ok(FirstMatches { texts, followed, is_ordered: self.is_ordered, open })
    }

    /// The language of some edges and ends of an automaton.
    fn language(
        &self,
        states: &[State],
        rows: &[Vec<(Minterm, u32)>],
        has_edge: impl Fn(&State, Minterm) -> bool,
        ends: impl Fn(usize) -> bool,
    ) -> Regular {
        let has_edge = &has_edge;
        let edges = |at: usize| rows[at].iter().filter(move |(minterm, _)| has_edge(&states[at], *minterm)).copied();
        let mut before = vec![Vec::new(); states.len()];
        (0..states.len()).for_each(|at| edges(at).for_each(|(_, to)| before[to as usize].push(at)));
        let (mut numbers, mut kept) = (vec![None; states.len()], Vec::new());
        let mut open: Vec<usize> = (0..states.len()).filter(|&at| ends(at)).collect();
        while let Some(at) = open.pop() {
            if numbers[at].is_none() {
                numbers[at] = Some(kept.len() as u32);
                kept.push(at);
                open.extend(&before[at]);
            }
        }
        let Some(start) = numbers.first().copied().flatten() else { return Regular::Never };
        let state = |&at: &usize| {
            let mut row = vec![None; self.expressions.alphabet.len()];
            edges(at).for_each(|(minterm, to)| row[usize::from(minterm)] = numbers[to as usize]);
            let mut targets: Vec<u32> = row.iter().flatten().copied().collect();
            targets.sort_unstable();
            targets.dedup();
            let class =
                |target| self.expressions.alphabet.ranges_of(|minterm| row[usize::from(minterm)] == Some(target));
            let edge = |&target: &u32| (class(target), target);
            ExplicitState { edges: targets.iter().map(edge).collect(), is_accepting: ends(at) }
        };
        explicit(kept.iter().map(state).collect(), start)
    }
}

/// The states in which a text has ended, and from which any number of characters may lead to another end.
fn open_ends(states: &[State], rows: &[Vec<(Minterm, u32)>]) -> Vec<usize> {
    let ends = |at: usize| matches!(&states[at], State::Text { ends, .. } if !ends.is_empty());
    let is_text = |at: usize| matches!(states[at], State::Text { .. });
    let mut before = vec![Vec::new(); states.len()];
    for (at, row) in rows.iter().enumerate().filter(|&(at, _)| is_text(at)) {
        row.iter().filter(|(_, to)| is_text(*to as usize)).for_each(|&(_, to)| before[to as usize].push(at));
    }
    let mut is_live = vec![false; states.len()];
    let mut open: Vec<usize> = (0..states.len()).filter(|&at| ends(at)).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut is_live[at], true) {
            open.extend(&before[at]);
        }
    }
    // Of the states between ends, those that do not lead back to one of them are taken away one after the other.
    let mut is_between: Vec<bool> = (0..states.len()).map(|at| is_live[at] && is_text(at) && !ends(at)).collect();
    let next = |at: usize, is_between: &[bool]| rows[at].iter().filter(|(_, to)| is_between[*to as usize]).count();
    let mut left: Vec<usize> = (0..states.len()).map(|at| next(at, &is_between)).collect();
    let mut open: Vec<usize> = (0..states.len()).filter(|&at| is_between[at] && left[at] == 0).collect();
    while let Some(at) = open.pop() {
        is_between[at] = false;
        for &from in &before[at] {
            left[from] -= 1;
            if left[from] == 0 && is_between[from] {
                open.push(from);
            }
        }
    }
    (0..states.len()).filter(|&at| ends(at) && next(at, &is_between) > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    const CHARACTERS: [char; 3] = ['a', 'b', 'c'];

    fn class(random: &mut Random) -> Ranges {
        let low = random.below(3) as usize;
        let high = low + random.below(3 - low as u64) as usize;
        [(CHARACTERS[low], CHARACTERS[high])].as_slice().into()
    }

    fn expression(random: &mut Random, depth: u64) -> Ordered {
        let parts = |random: &mut Random| (0..=random.below(3)).map(|_| expression(random, depth - 1)).collect();
        match random.below(if depth == 0 { 3 } else { 8 }) {
            0 | 1 => Ordered::Class(class(random)),
            2 => match random.below(4) {
                0 => Ordered::Empty,
                1 => Ordered::Before(class(random)),
                _ => {
                    let body = Regular::concat((0..=random.below(2)).map(|_| Regular::Class(class(random))));
                    let begins = Regular::concat([body, Regular::anything()]);
                    Ordered::Ahead(if random.below(2) == 0 { begins } else { begins.not() })
                }
            },
            3 | 4 => Ordered::Concat(parts(random)),
            5 => Ordered::Or(parts(random)),
            _ => {
                let low = random.below(3) as u32;
                let high = (random.below(2) == 0).then(|| low + random.below(3) as u32);
                let body = Box::new(expression(random, depth - 1));
                Ordered::Repeat { body, low, high, is_lazy: random.below(2) == 0 }
            }
        }
    }

    fn automaton(tree: &Regular) -> std::sync::Arc<Automaton> {
        std::sync::Arc::new(Automaton::new(tree, Encoding::Text, &Limits::default()).unwrap())
    }

    /// Tries the ways of an expression one after the other, and tells each end until one suits.
    fn tries(expression: &Ordered, text: &[char], at: usize, suits: &mut dyn FnMut(usize) -> bool) -> bool {
        let has = |class: &Ranges, c: char| class.iter().any(|&(low, high)| low <= c && c <= high);
        match expression {
            Ordered::Empty => suits(at),
            Ordered::Class(class) => text.get(at).is_some_and(|&c| has(class, c)) && suits(at + 1),
            Ordered::Before(class) => at > 0 && has(class, text[at - 1]) && suits(at),
            Ordered::Ahead(tree) => {
                let rest: String = text[at..].iter().collect();
                automaton(tree).accepts(rest.as_bytes()) && suits(at)
            }
            Ordered::Concat(parts) => match parts.split_first() {
                None => suits(at),
                Some((first, rest)) => {
                    let rest = Ordered::Concat(rest.to_vec());
                    tries(first, text, at, &mut |at| tries(&rest, text, at, suits))
                }
            },
            Ordered::Or(options) => options.iter().any(|option| tries(option, text, at, suits)),
            Ordered::Repeat { body, low, high, is_lazy } => {
                let round = |suits: &mut dyn FnMut(usize) -> bool| {
                    let left = Ordered::Repeat {
                        body: body.clone(),
                        low: low.saturating_sub(1),
                        high: high.map(|high| high.saturating_sub(1)),
                        is_lazy: *is_lazy,
                    };
                    let is_over = |after: usize| after == at && *low == 0;
                    *high != Some(0)
                        && tries(body, text, at, &mut |after| {
                            if is_over(after) { suits(after) } else { tries(&left, text, after, suits) }
                        })
                };
                let ends_first = *low == 0 && *is_lazy && suits(at);
                ends_first || round(suits) || *low == 0 && !*is_lazy && suits(at)
            }
        }
    }

    fn texts() -> Vec<Vec<char>> {
        let mut all = vec![Vec::new()];
        let mut at = 0;
        while all.len() < 364 {
            all.extend(CHARACTERS.map(|c| [&all[at][..], &[c]].concat()));
            at += 1;
        }
        all
    }

    #[test]
    fn the_first_match_is_the_longest_of_those_left() {
        let (mut random, texts, mut compared) = (Random(7), texts(), 0);
        for round in 0..1_500 {
            let expression = expression(&mut random, 3);
            let Ok(FirstMatches { texts: matches, followed, .. }) = first_matches(&expression) else {
                continue;
            };
            let (plain, followed) = (automaton(&matches), followed.as_ref().map(automaton));
            for text in &texts {
                let mut expected = None;
                tries(&expression, text, 0, &mut |end| {
                    expected = Some(end);
                    true
                });
                let found = (0..=text.len()).rev().find(|&end| {
                    let (text, rest): (String, String) = (text[..end].iter().collect(), text[end..].iter().collect());
                    match &followed {
                        None => plain.accepts(text.as_bytes()),
                        Some(followed) => followed.accepts(format!("{text}{MARK}{rest}").as_bytes()),
                    }
                });
                assert_eq!(found, expected, "{round} {expression:?} {text:?}");
                compared += 1;
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    #[test]
    fn some_texts_end_only_if_no_end_comes_later() {
        let class = |c: char| Ordered::Class([(c, c)].as_slice().into());
        let any = || Ordered::Class([('\0', '\u{10FFFE}')].as_slice().into());
        let escape = Ordered::Concat(vec![class('\\'), any()]);
        let body = Box::new(Ordered::Or(vec![escape, any()]));
        let inside = Ordered::Repeat { body, low: 0, high: None, is_lazy: true };
        let found = first_matches(&Ordered::Concat(vec![class('"'), inside, class('"')])).unwrap();
        let (texts, open) = (automaton(&found.texts), automaton(&found.open.unwrap()));
        for (text, is_open) in
            [(r#""a""#, false), (r#""\"a""#, false), (r#""\\""#, false), (r#""""#, false), (r#""\""#, true)]
        {
            assert!(texts.accepts(text.as_bytes()), "{text}");
            assert_eq!(open.accepts(text.as_bytes()), is_open, "{text}");
        }
    }
}
