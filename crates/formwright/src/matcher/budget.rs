//! Finishing in time: which configurations can still be completed with the tokens left.
//!
//! Three answers, the cheap ones first. If every byte is a token, and the bytes to the end (`machine::cost`) fit, so do the
//! tokens. So do they if the tokens counted part by part fit (`machine::token_cost`). Else the shortest path of tokens to
//! the end is looked up (`potential`).
//!
//! ```text
//! budget 3, missing `"}`               2 bytes: fits as two tokens
//! budget 6, missing `","birthday":0}`  15 bytes, but 6 tokens part by part:   "   ,"  birthday  ":   0   }
//! budget 4, the same                   4 tokens across the parts:            ","  birthday  ":  0}
//! ```
//!
//! Cost: nothing is searched. Once the tokens that a configuration may read were looked at one by one, it is known what
//! the dearest of them leaves to do ([`BudgetCache::highest`]): with a budget of that much, the mask is the one without
//! a budget, found the same way.
//!
//! What is remembered must hold for all forks that share it. A configuration inside an undeclared name or an
//! item that must be new knows where in its text that began, and another fork has another text there: about such a
//! configuration nothing is remembered.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::counting::Counting;
use super::keys::ContinuedKey;
use super::machine::{Configuration, Machine, Position, StackId};
use super::part_tokens::PartLeft;
use super::potential::Potential;
use crate::language::{INFINITE, LeafId};

/// Configurations about which it is remembered how much their dearest token leaves to do.
const MOST_KNOWN: usize = 1 << 13;

/// Bytes of lists of configurations about which the same is remembered.
const MOST_BYTES: usize = 1 << 19;

/// What budgets found, kept for the next mask.
#[derive(Debug, Default)]
pub struct BudgetCache {
    pub potential: Potential,
    /// By configuration: at most this many tokens are needed after any token it allows.
    highest: FxHashMap<Configuration, Highest>,
    /// By several configurations, or one: the same, if it is known of the parts that they are put together from.
    pub most_to_finish: FxHashMap<Box<[Configuration]>, Option<u32>>,
    most_bytes: usize,
    /// The same of the context-dependent tokens of a terminal.
    highest_dependent: FxHashMap<ContinuedKey, Highest>,
}

/// How many tokens are needed at most, as long as the potentials that say so are not forgotten.
#[derive(Clone, Copy, Debug)]
struct Highest {
    tokens: u32,
    /// [`Potential::times_forgotten`] when the first of these potentials was found.
    since: u32,
}

impl BudgetCache {
    /// Whether any token that a configuration allows leaves at most `left` tokens to do, as far as is known.
    pub fn is_ample(&self, configuration: &Configuration, left: u32) -> bool {
        self.highest.get(configuration).is_some_and(|highest| self.is_current(*highest) && highest.tokens <= left)
    }

    fn is_current(&self, highest: Highest) -> bool {
        highest.since == self.potential.times_forgotten
    }

    /// Remembers how much the tokens of several configurations leave to do at most.
    pub fn remember_most(&mut self, configurations: &[Configuration], most: Option<u32>) {
        if self.most_bytes > MOST_BYTES {
            self.most_to_finish.clear();
            self.most_bytes = 0;
        }
        self.most_bytes += size_of_val(configurations) + 40;
        self.most_to_finish.insert(configurations.into(), most);
    }

    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.potential.bytes() + self.most_bytes + self.highest.len() * 32 + self.highest_dependent.len() * 48
    }
}

/// Tokens left after the one to be chosen: to the text, if there is a budget, and to the part that it is inside of, if
/// these are few.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub tokens: Option<u32>,
    pub part: Option<PartLeft>,
}

/// What may be done with the tokens left.
#[derive(Debug)]
pub struct Budget<'m> {
    /// To the text; [`u32::MAX`] is not a bound, and then nothing is asked about.
    left: u32,
    part: Option<PartLeft>,
    /// Whether everything fits, and it is only measured how much is needed, in bytes.
    pub is_measuring: bool,
    counting: Counting<'m>,
    pub cache: &'m mut BudgetCache,
    /// The most tokens that any configuration asked about needs; perhaps less than this.
    pub highest: u32,
    /// What was found for this mask: many tokens lead to the same place.
    asked: FxHashMap<Box<[Configuration]>, u32>,
    /// [`Potential::times_forgotten`] when this began.
    since: u32,
}

impl<'m> Budget<'m> {
    pub fn new(Left { tokens, part }: Left, counting: Counting<'m>, cache: &'m mut BudgetCache) -> Self {
        let since = cache.potential.times_forgotten;
        Self {
            left: tokens.unwrap_or(u32::MAX),
            part,
            is_measuring: false,
            counting,
            cache,
            highest: 0,
            asked: FxHashMap::default(),
            since,
        }
    }

    /// Not a bound: it finds what is needed at most.
    pub fn measuring(counting: Counting<'m>, cache: &'m mut BudgetCache) -> Self {
        Self { is_measuring: true, ..Self::new(Left { tokens: Some(INFINITE), part: None }, counting, cache) }
    }

    /// Whether any of `configurations` can be completed with the tokens left.
    pub fn fits(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> bool {
        let Some(part) = self.part else { return self.fits_text(machine, configurations) };
        let graph = machine.graph;
        let in_time = configurations.iter().filter(|configuration| part.allows(graph, configuration)).copied();
        let in_time: SmallVec<[Configuration; 4]> = in_time.collect();
        !in_time.is_empty() && self.fits_text(machine, &in_time)
    }

    /// The same for the text alone.
    fn fits_text(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> bool {
        if self.left == u32::MAX {
            return true;
        }
        let needed = self.needed(machine, configurations);
        self.highest = self.highest.max(needed);
        needed <= self.left
    }

    /// Tokens that complete any of `configurations`; where that is no more than are left, perhaps its bytes.
    fn needed(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> u32 {
        if self.is_measuring || self.counting.has_every_byte() {
            let bytes = machine.cost(configurations);
            if bytes <= self.left {
                return bytes;
            }
            let tokens = self.counting.parts(machine, configurations);
            if tokens <= self.left {
                return tokens;
            }
        }
        if configurations.iter().any(|of| of.position == Position::Ended) {
            let all = with_continuations(machine, configurations);
            return self.needed_by_tokens(machine, &all);
        }
        self.needed_by_tokens(machine, configurations)
    }

    /// The same where it is known what comes after terminals, in tokens.
    fn needed_by_tokens(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> u32 {
        if !configurations.iter().all(|of| machine.is_erased(of.stack)) {
            return self.cache.potential.tokens(machine, self.counting, configurations);
        }
        if let Some(&known) = self.asked.get(configurations) {
            return known;
        }
        let tokens = self.cache.potential.tokens(machine, self.counting, configurations);
        self.asked.insert(configurations.into(), tokens);
        tokens
    }

    /// Whether all states after the context-independent tokens of a terminal fit: at worst, `farthest` bytes of the
    /// terminal are missing there, and items that must differ make the text longer by `detour` bytes.
    pub fn covers(
        &mut self,
        machine: &mut Machine<'_>,
        leaf: LeafId,
        (farthest, detour): (u32, u32),
        stack: StackId,
    ) -> bool {
        if self.part.is_some_and(|part| !part.covers(leaf, farthest)) {
            return false;
        }
        if self.left == u32::MAX {
            return true;
        }
        if !self.is_measuring && !self.counting.has_every_byte() {
            return false;
        }
        let farthest = farthest.saturating_add(detour);
        let mut needed = farthest.saturating_add(machine.stack_cost(stack)).min(INFINITE);
        if needed > self.left {
            let lengths = self.counting.tokens(machine.graph);
            needed = farthest.saturating_add(machine.stack_costs_in(lengths, stack).least);
        }
        if needed > self.left {
            needed = self.cache.potential.tokens_after(machine, self.counting, stack).saturating_add(farthest);
        }
        if needed <= self.left {
            self.highest = self.highest.max(needed);
        }
        needed <= self.left
    }

    /// Whether it asks about all tokens of a configuration; not so where a part of the text decides about some.
    pub fn looks_at_all(&self) -> bool {
        self.part.is_none()
    }

    /// Whether as many tokens are left as there are bytes to come.
    pub fn fits_in_bytes(&mut self, bytes: u32) -> bool {
        let counts = self.is_measuring || self.counting.has_every_byte();
        let fits = self.left == u32::MAX || counts && bytes <= self.left;
        if fits {
            self.highest = self.highest.max(bytes);
        }
        fits
    }

    /// Whether any of some context-dependent tokens fits, as far as is known. If so, what they leave to do counts as
    /// asked about.
    pub fn is_ample_for(&mut self, key: &ContinuedKey) -> bool {
        let known = self.cache.highest_dependent.get(key).filter(|known| self.cache.is_current(**known));
        let Some(&Highest { tokens, .. }) = known.filter(|known| known.tokens <= self.left) else { return false };
        self.highest = self.highest.max(tokens);
        true
    }

    /// Remembers how much the tokens of a configuration leave to do at most.
    pub fn remember(&mut self, configuration: Configuration) {
        if self.cache.highest.len() >= MOST_KNOWN {
            self.cache.highest.clear();
        }
        self.cache.highest.insert(configuration, Highest { tokens: self.highest, since: self.since });
    }

    /// Remembers how much some context-dependent tokens leave to do at most.
    pub fn remember_for(&mut self, key: ContinuedKey) {
        if self.left == u32::MAX {
            return; // nothing was asked about
        }
        if self.cache.highest_dependent.len() >= MOST_KNOWN {
            self.cache.highest_dependent.clear();
        }
        self.cache.highest_dependent.insert(key, Highest { tokens: self.highest, since: self.since });
    }
}

/// Configurations with what comes after the terminals that have ended.
fn with_continuations(machine: &mut Machine<'_>, configurations: &[Configuration]) -> SmallVec<[Configuration; 4]> {
    let mut all = SmallVec::new();
    for &at in configurations {
        match at.position {
            Position::Ended => all.extend(machine.continuation(at.stack).configurations.iter().copied()),
            _ => all.push(at),
        }
    }
    all
}
