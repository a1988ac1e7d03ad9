//! Small random grammars, and what their texts are by plain definition: no machine, no automaton, no rewriting.
//!
//! Texts of up to [`LONGEST`] letters are the least fixpoint of sets. How many letters are missing after a prefix is the
//! least fixpoint of tables: a grammar leads from one state to another of the automaton that reads the prefix, and then any
//! letters (Bar-Hillel, Perles and Shamir 1961).

use std::sync::Arc;

use formwright::language::{Graph, Leaf, Node, NodeId, UNBOUNDED};
use formwright::regular::{Encoding, Regular};

/// Letters of the texts that are listed.
pub const LONGEST: usize = 6;

/// The letters of all texts.
pub const LETTERS: [u8; 3] = *b"abc";

/// No way.
pub const NONE: u32 = 1 << 20;

/// Random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// One side of a rule.
#[derive(Clone, Debug)]
pub enum Form {
    Text(Vec<u8>),
    /// A letter any number of times, as a regular language.
    Star(u8),
    /// So many of the letters a and b.
    Some(u32, u32),
    Rule(usize),
    Sequence(Vec<Form>),
    Choice(Vec<Form>),
    Repeat(Box<Form>, u32, u32),
}

/// Rules; the first one is the start.
#[derive(Clone, Debug)]
pub struct Grammar(pub Vec<Form>);

impl Grammar {
    pub fn random(random: &mut Random) -> Self {
        let rules = 3 + random.below(3);
        Self((0..rules).map(|_| Form::random(random, rules, 3)).collect())
    }

    /// Its graph: the nodes of the rules first, in some order each a reference or the node itself.
    pub fn graph(&self, random: &mut Random) -> Graph {
        let mut graph = Graph::default();
        graph.nodes.resize(self.0.len(), Node::Never);
        for (rule, form) in self.0.iter().enumerate() {
            let body = form.node(&mut graph);
            let is_rule = (body as usize) < self.0.len(); // perhaps it is not there yet
            let refers = is_rule || random.below(2) == 0;
            graph.nodes[rule] = if refers { Node::Rule(body) } else { graph.nodes[body as usize].clone() };
        }
        graph
    }

    /// All texts of up to [`LONGEST`] letters.
    pub fn texts(&self) -> Texts {
        self.solve(Texts::default(), Form::texts)
    }

    /// How many letters must still come after a prefix; [`NONE`] if no text begins with it.
    pub fn missing(&self, prefix: &[u8]) -> u32 {
        let ways = self.solve(Ways::none(prefix.len()), |form, known| form.ways(prefix, known));
        ways.get(0, prefix.len())
            .checked_sub(prefix.len() as u32)
            .filter(|_| ways.get(0, prefix.len()) < NONE)
            .unwrap_or(NONE)
    }

    /// The least fixpoint, of the first rule.
    fn solve<T: Clone + PartialEq>(&self, none: T, equation: impl Fn(&Form, &[T]) -> T) -> T {
        let mut known = vec![none; self.0.len()];
        loop {
            let next: Vec<T> = self.0.iter().map(|form| equation(form, &known)).collect();
            if next == known {
                return next[0].clone();
            }
            known = next;
        }
    }
}

impl Form {
    fn random(random: &mut Random, rules: usize, deep: usize) -> Self {
        let several = |random: &mut Random| -> Vec<Self> {
            let count = if random.below(12) == 0 { 0 } else { 1 + random.below(3) };
            (0..count).map(|_| Self::random(random, rules, deep - 1)).collect()
        };
        match random.below(if deep == 0 { 8 } else { 20 }) {
            0..=2 => {
                let length = random.below(5).min(2);
                Self::Text((0..length).map(|_| LETTERS[random.below(3)]).collect())
            }
            3 if random.below(2) == 0 => Self::Star(LETTERS[random.below(3)]),
            3 => Self::Some(random.below(2) as u32, 1 + random.below(3) as u32),
            4..=7 => Self::Rule(random.below(rules)),
            8..=12 => Self::Sequence(several(random)),
            13..=17 => Self::Choice(several(random)),
            _ => {
                let low = random.below(3) as u32;
                let high = if random.below(2) == 0 { UNBOUNDED } else { low + random.below(3) as u32 };
                Self::Repeat(Box::new(Self::random(random, rules, deep - 1)), low, high)
            }
        }
    }

    fn node(&self, graph: &mut Graph) -> NodeId {
        let all = |graph: &mut Graph, forms: &[Self]| forms.iter().map(|form| form.node(graph)).collect();
        let node = match self {
            Self::Text(text) => return graph.literals([&text[..]]),
            Self::Star(letter) => {
                return graph.regular(Regular::character(char::from(*letter)).repeat(0, None), Encoding::Text);
            }
            Self::Some(low, high) => {
                let leaf = graph.leaf(Leaf { tree: Regular::one_of("ab").repeat(0, None), encoding: Encoding::Text });
                Node::Text { leaf, low: *low, high: *high }
            }
            Self::Rule(rule) => return *rule as NodeId,
            Self::Sequence(parts) => Node::Sequence(all(graph, parts)),
            Self::Choice(options) => Node::Choice(all(graph, options)),
            Self::Repeat(body, low, high) => Node::Repeat { body: body.node(graph), low: *low, high: *high },
        };
        graph.add(node)
    }

    fn texts(&self, known: &[Texts]) -> Texts {
        match self {
            Self::Text(text) => Texts::of(text),
            Self::Star(letter) => Texts::of(&[*letter]).repeat(0, UNBOUNDED),
            Self::Some(low, high) => Texts::of(b"a").or(&Texts::of(b"b")).repeat(*low, *high),
            Self::Rule(rule) => known[*rule].clone(),
            Self::Sequence(parts) => parts.iter().fold(Texts::of(b""), |all, part| all.then(&part.texts(known))),
            Self::Choice(options) => options.iter().fold(Texts::default(), |all, one| all.or(&one.texts(known))),
            Self::Repeat(body, low, high) => body.texts(known).repeat(*low, *high),
        }
    }

    fn ways(&self, prefix: &[u8], known: &[Ways]) -> Ways {
        match self {
            Self::Text(text) => Ways::of(prefix, text),
            Self::Star(letter) => Ways::of(prefix, &[*letter]).repeat(0, UNBOUNDED),
            Self::Some(low, high) => Ways::of(prefix, b"a").or(&Ways::of(prefix, b"b")).repeat(*low, *high),
            Self::Rule(rule) => known[*rule].clone(),
            Self::Sequence(parts) => {
                parts.iter().fold(Ways::of(prefix, b""), |all, part| all.then(&part.ways(prefix, known)))
            }
            Self::Choice(options) => {
                options.iter().fold(Ways::none(prefix.len()), |all, one| all.or(&one.ways(prefix, known)))
            }
            Self::Repeat(body, low, high) => body.ways(prefix, known).repeat(*low, *high),
        }
    }
}

/// Texts of up to [`LONGEST`] letters, by length: a bit for each, as a number to the base 3.
#[derive(Clone, Default, PartialEq)]
pub struct Texts([Vec<bool>; LONGEST + 1]);

impl Texts {
    fn of(text: &[u8]) -> Self {
        let mut all = Self::default();
        all.insert(text.len(), number(text));
        all
    }

    fn insert(&mut self, length: usize, number: usize) {
        let of_length = &mut self.0[length];
        of_length.resize(3_usize.pow(length as u32), false);
        of_length[number] = true;
    }

    pub fn has(&self, text: &[u8]) -> bool {
        self.0[text.len()].get(number(text)).is_some_and(|has| *has)
    }

    fn each(&self, longest: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let by_length = self.0[..=longest].iter().enumerate();
        by_length.flat_map(|(length, all)| {
            all.iter().enumerate().filter(|(_, has)| **has).map(move |(number, _)| (length, number))
        })
    }

    fn or(&self, other: &Self) -> Self {
        let mut all = self.clone();
        other.each(LONGEST).for_each(|(length, number)| all.insert(length, number));
        all
    }

    fn then(&self, other: &Self) -> Self {
        let mut all = Self::default();
        for (before, first) in self.each(LONGEST) {
            for (after, second) in other.each(LONGEST - before) {
                all.insert(before + after, first * 3_usize.pow(after as u32) + second);
            }
        }
        all
    }

    fn repeat(&self, low: u32, high: u32) -> Self {
        let base = (0..low).fold(Self::of(b""), |all, _| all.then(self));
        let mut all = base.clone();
        for _ in low..high {
            let next = base.or(&all.then(self));
            if next == all {
                break;
            }
            all = next;
        }
        all
    }
}

fn number(text: &[u8]) -> usize {
    text.iter().fold(0, |number, letter| 3 * number + usize::from(letter - b'a'))
}

/// By two states of the automaton of a prefix and any letters after it: the fewest letters that lead from one to the other.
#[derive(Clone, PartialEq)]
struct Ways {
    states: usize,
    letters: Arc<[u32]>,
}

impl Ways {
    fn new(prefix: usize, letters: impl Fn(usize, usize) -> u32) -> Self {
        let states = prefix + 1;
        Self { states, letters: (0..states * states).map(|at| letters(at / states, at % states)).collect() }
    }

    fn none(prefix: usize) -> Self {
        Self::new(prefix, |_, _| NONE)
    }

    /// One text.
    fn of(prefix: &[u8], text: &[u8]) -> Self {
        let step = |state: usize, letter: &u8| match prefix.get(state) {
            Some(expected) => (expected == letter).then_some(state + 1),
            None => Some(state),
        };
        Self::new(prefix.len(), |from, to| {
            let reached = text.iter().try_fold(from, step);
            if reached == Some(to) { text.len() as u32 } else { NONE }
        })
    }

    fn get(&self, from: usize, to: usize) -> u32 {
        self.letters[from * self.states + to]
    }

    fn or(&self, other: &Self) -> Self {
        Self::new(self.states - 1, |from, to| self.get(from, to).min(other.get(from, to)))
    }

    fn then(&self, other: &Self) -> Self {
        Self::new(self.states - 1, |from, to| {
            (from..=to).map(|between| self.get(from, between) + other.get(between, to)).min().unwrap_or(NONE).min(NONE)
        })
    }

    fn repeat(&self, low: u32, high: u32) -> Self {
        let base = (0..low)
            .fold(Self::new(self.states - 1, |from, to| if from == to { 0 } else { NONE }), |all, _| all.then(self));
        let mut all = base.clone();
        for _ in low..high {
            let next = base.or(&all.then(self));
            if next == all {
                break;
            }
            all = next;
        }
        all
    }
}
