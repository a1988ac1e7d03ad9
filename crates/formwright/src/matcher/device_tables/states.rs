//! The states that tokens lead to, and what each of them allows.
//!
//! Cost: one walk down the tree of tokens for each state, left where the automaton refuses a byte: a millisecond where
//! most of 128,000 tokens may come, microseconds elsewhere.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::token_classes::{END, NEVER, TokenClasses};
use super::{DeviceTables, FORBIDDEN, MOST_STATES};
use crate::interrupt::count;
use crate::matcher::minimal::{DEAD, MinimalAutomaton};
use crate::vocabulary::{TokenId, Vocabulary};

/// The search for states.
pub struct Search<'a> {
    automaton: &'a MinimalAutomaton,
    vocabulary: &'a Vocabulary,
    /// By state of the automaton: its number, or [`DEAD`] as long as no token has led there.
    numbers: Vec<u16>,
    /// By number: the state of the automaton.
    states: Vec<u16>,
    classes: TokenClasses,
    masks: IndexSet<Box<[i32]>, FxBuildHasher>,
    mask_of: Vec<i16>,
    /// By number: those that lead to it.
    before: Vec<Vec<u16>>,
    /// Room for the states on the way to a token.
    way: Vec<u16>,
    /// What the state at hand allows, and where it leads.
    allowed: Vec<(TokenId, u16)>,
}

impl<'a> Search<'a> {
    pub fn new(automaton: &'a MinimalAutomaton, vocabulary: &'a Vocabulary) -> Self {
        let mut numbers = vec![DEAD; automaton.accepting.len()];
        numbers[0] = 0;
        Self {
            numbers,
            states: vec![0],
            classes: TokenClasses::new(vocabulary.logits_size(), vocabulary.eos()),
            masks: IndexSet::default(),
            mask_of: Vec::new(),
            before: vec![Vec::new()],
            way: Vec::new(),
            allowed: Vec::new(),
            automaton,
            vocabulary,
        }
    }

    /// The tables; `None` where they take more bytes, or some state cannot be left by any tokens.
    pub fn run(mut self, most_bytes: usize) -> Option<DeviceTables> {
        while self.mask_of.len() < self.states.len() {
            self.expand();
            if self.bytes() > most_bytes || self.classes.count() > MOST_STATES {
                return None;
            }
        }
        let ends = self.ends();
        self.keep_mask(ends);
        if self.bytes() > most_bytes {
            return None;
        }
        let need = self.tokens_to_the_end()?;
        let (classes, first) = self.classes.finish();
        let next = self.transitions(&first);
        Some(DeviceTables {
            masks: self.masks.iter().flat_map(|mask| mask.iter().copied()).collect(),
            mask_of: self.mask_of,
            classes: classes.into_iter().map(|class| class as i16).collect(),
            next,
            need,
        })
    }

    /// Bytes of the tables of the states so far, the last one included but for its mask.
    fn bytes(&self) -> usize {
        let (states, tokens) = (self.states.len() + 1, self.vocabulary.logits_size());
        let masks = self.masks.len() * self.vocabulary.mask_words() * size_of::<i32>();
        let of_state = size_of::<i16>() + size_of::<i32>() + self.classes.count() * size_of::<i16>();
        masks + tokens * size_of::<i16>() + states * of_state
    }

    /// What the next state allows.
    fn expand(&mut self) {
        let number = self.mask_of.len();
        let state = self.states[number];
        self.walk(state);
        let is_end = self.automaton.accepting[usize::from(state)];
        let mut mask = if is_end { self.ends() } else { self.no_tokens() };
        self.allowed.iter().for_each(|&(token, _)| allow(&mut mask, token));
        self.keep_mask(mask);
        self.classes.split(&self.allowed);
        let mut recent = DEAD;
        for &(_, to) in &self.allowed {
            if recent != to {
                recent = to;
                let before = find_number(&mut self.numbers, &mut self.states, &mut self.before, to);
                if before.last() != Some(&(number as u16)) {
                    before.push(number as u16);
                }
            }
        }
        count(self.allowed.len() / 8);
    }

    /// Finds the tokens that the automaton reads from a state, and the states after them.
    fn walk(&mut self, state: u16) {
        let Self { automaton, vocabulary, way, allowed, .. } = self;
        allowed.clear();
        automaton
            .each_token(vocabulary, state, way, |tokens, to| allowed.extend(tokens.iter().map(|&token| (token, to))));
    }

    fn no_tokens(&self) -> Box<[i32]> {
        vec![0; self.vocabulary.mask_words()].into()
    }

    /// A mask of the ends of text.
    fn ends(&self) -> Box<[i32]> {
        let mut mask = self.no_tokens();
        self.vocabulary.eos().iter().for_each(|&end| allow(&mut mask, end));
        mask
    }

    /// Keeps the mask of the next state, once for all that have it.
    fn keep_mask(&mut self, mask: Box<[i32]>) {
        self.mask_of.push(self.masks.insert_full(mask).0 as i16);
    }

    /// By state: tokens to the nearest end; the last state is after it. `None` where some state has no way to an end.
    fn tokens_to_the_end(&self) -> Option<Vec<i32>> {
        let mut need = vec![i32::MAX; self.states.len()];
        let is_end = |&number: &u16| self.automaton.accepting[usize::from(self.states[usize::from(number)])];
        let mut nearest: Vec<u16> = (0..self.states.len() as u16).filter(is_end).collect();
        let mut tokens = 0;
        while !nearest.is_empty() {
            count(nearest.len());
            nearest.retain(|&number| std::mem::replace(&mut need[usize::from(number)], tokens) == i32::MAX);
            let before = nearest.iter().flat_map(|&number| &self.before[usize::from(number)]).copied();
            nearest = before.filter(|&number| need[usize::from(number)] == i32::MAX).collect();
            nearest.sort_unstable();
            nearest.dedup();
            tokens += 1;
        }
        if need.contains(&i32::MAX) {
            return None;
        }
        need.push(DeviceTables::ENDED);
        Some(need)
    }

    /// By state and class: the state after a token, found by one token of each class.
    fn transitions(&self, first: &[Option<TokenId>]) -> Vec<i16> {
        let end = self.states.len() as i16;
        let mut next = Vec::with_capacity((self.states.len() + 1) * first.len());
        for &state in &self.states {
            count(first.len() / 4);
            let is_end = self.automaton.accepting[usize::from(state)];
            next.extend((0..).zip(first).map(|(class, token)| match (class, token) {
                (NEVER, _) => FORBIDDEN,
                (END, _) => {
                    if is_end {
                        end
                    } else {
                        FORBIDDEN
                    }
                }
                (_, Some(token)) => self.after(state, *token),
                (_, None) => FORBIDDEN,
            }));
        }
        next.extend((0..first.len() as u16).map(|class| if class == END { end } else { FORBIDDEN }));
        next
    }

    /// The number of the state after a token.
    fn after(&self, state: u16, token: TokenId) -> i16 {
        let step = |at: u16, &byte: &u8| match at {
            DEAD => DEAD,
            at => self.automaton.next[256 * usize::from(at) + usize::from(byte)],
        };
        match self.vocabulary.token(token).iter().fold(state, step) {
            DEAD => FORBIDDEN,
            to => self.numbers[usize::from(to)] as i16,
        }
    }
}

/// Where it is kept which states lead to a state, new or not.
fn find_number<'b>(
    numbers: &mut [u16],
    states: &mut Vec<u16>,
    before: &'b mut Vec<Vec<u16>>,
    state: u16,
) -> &'b mut Vec<u16> {
    let number = &mut numbers[usize::from(state)];
    if *number == DEAD {
        *number = states.len() as u16;
        states.push(state);
        before.push(Vec::new());
    }
    &mut before[usize::from(*number)]
}

fn allow(mask: &mut [i32], token: TokenId) {
    mask[token as usize / 32] |= 1 << (token % 32);
}
