//! Finishing in time: which configurations can still be completed with the tokens left.
//!
//! Two answers, the cheap one first. The *bytes* of the shortest completion are computed (`machine::cost`; estimated
//! where texts must differ); if every byte is a token and the bytes fit, so do the tokens. Otherwise a search counts
//! *tokens*: breadth-first over the states that lie on shortest completions, and over every way to spell literal texts
//! by tokens, one token a level. Its result is the fewest tokens of any such completion.
//!
//! ```text
//! budget 3, missing `"}`         2 bytes: fits as two tokens
//! budget 3, missing `incorrect"` 10 bytes: a search finds  incor rect "
//! ```
//!
//! Cost: nothing where bytes decide, else a search of up to `FUEL` steps for each configuration.
//!
//! Why a text that keeps to its budget ends in time: a state is allowed only if a completion of at most `left` tokens
//! was found, and the first token of that completion leads to a state where the rest of it is found again.
//!
//! Wrinkle: this needs exact completions. Where texts must differ (undeclared names, items of unique arrays), costs are
//! estimates, and a search does not know the names that it has passed itself and may use one twice. There, a budget may
//! turn out too small in the middle of a text.

use rustc_hash::{FxHashMap, FxHashSet};

use super::machine::{Configuration, Machine, Position, StackId};
use crate::language::{INFINITE, Node};
use crate::vocabulary::{NodeIndex, Vocabulary};

/// Steps a search may take before it gives up.
const FUEL: u32 = 200_000;

/// Tokens left after the one to be chosen.
#[derive(Debug)]
pub struct Budget<'v> {
    left: u32,
    vocabulary: &'v Vocabulary,
    /// Tokens to finish, by configuration.
    cached: FxHashMap<Configuration, u32>,
}

impl<'v> Budget<'v> {
    pub fn new(left: u32, vocabulary: &'v Vocabulary) -> Self {
        Self { left, vocabulary, cached: FxHashMap::default() }
    }

    /// Whether `configurations` can be completed with the tokens left.
    pub fn fits(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> bool {
        let bytes = machine.cost(configurations);
        if self.vocabulary.has_every_byte() && bytes <= self.left {
            return true;
        }
        if u64::from(bytes) > u64::from(self.left) * self.vocabulary.longest() as u64
            && !has_literal(machine, configurations)
        {
            return false;
        }
        self.tokens(machine, configurations) <= self.left
    }

    /// Fewest tokens of the completions searched; [`INFINITE`] if none was found.
    pub fn tokens(&mut self, machine: &mut Machine<'_>, configurations: &[Configuration]) -> u32 {
        configurations.iter().map(|&configuration| self.tokens_of(machine, configuration)).min().unwrap_or(INFINITE)
    }

    /// A mask is found configuration by configuration, so each of them is searched alone: that another configuration
    /// has a shorter completion must not count.
    fn tokens_of(&mut self, machine: &mut Machine<'_>, configuration: Configuration) -> u32 {
        if let Some(&cached) = self.cached.get(&configuration) {
            return cached;
        }
        let mut tokens = search(machine, self.vocabulary, configuration, Ways::Shortest).tokens();
        if self.vocabulary.has_every_byte() {
            tokens = tokens.min(machine.cost(&[configuration]));
        }
        self.cached.insert(configuration, tokens);
        tokens
    }

    /// Whether all states after the context-independent tokens of a terminal fit: at worst, `farthest` bytes of the
    /// terminal are missing there.
    pub fn covers(&mut self, machine: &mut Machine<'_>, farthest: u32, stack: StackId) -> bool {
        if !self.vocabulary.has_every_byte() {
            return false;
        }
        if farthest.saturating_add(machine.stack_cost(stack)) <= self.left {
            return true;
        }
        let mut after = Vec::new();
        machine.resume_into(stack, &mut after);
        machine.settle();
        self.tokens(machine, &after).saturating_add(farthest) <= self.left
    }
}

fn has_literal(machine: &Machine<'_>, configurations: &[Configuration]) -> bool {
    configurations.iter().any(|configuration| is_literal(machine, *configuration))
}

/// Whether a configuration is inside, or before, a finite set of texts.
fn is_literal(machine: &Machine<'_>, configuration: Configuration) -> bool {
    match configuration.position {
        Position::Literal { .. } => true,
        Position::Start(node) | Position::Value { node, .. } => {
            matches!(machine.graph.node(node), Node::Literals(_) | Node::Choice(_) | Node::Rule(_) | Node::Tail(_))
        }
        _ => false,
    }
}

/// Whether no text can be completed from any of `configurations`: proven, by trying all tokens everywhere.
pub fn is_dead_end(machine: &mut Machine<'_>, vocabulary: &Vocabulary, configurations: &[Configuration]) -> bool {
    let mut tried =
        |ways| configurations.iter().all(|&start| search(machine, vocabulary, start, ways) == Found::Nothing);
    !vocabulary.has_every_byte() && tried(Ways::Shortest) && tried(Ways::All)
}

/// Which tokens a search follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// Tokens on shortest completions, and all tokens inside literal texts.
    Shortest,
    /// All tokens: slow, for vocabularies that cannot spell every shortest completion.
    All,
}

/// What a search has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The fewest tokens of a completion.
    After(u32),
    /// No completion on the ways that were to be followed.
    Nothing,
    /// No answer within the fuel.
    OutOfFuel,
}

impl Found {
    fn tokens(self) -> u32 {
        if let Self::After(tokens) = self { tokens } else { INFINITE }
    }
}

/// Breadth-first by tokens.
fn search(machine: &mut Machine<'_>, vocabulary: &Vocabulary, start: Configuration, ways: Ways) -> Found {
    if start.position == Position::Accept {
        return Found::After(0);
    }
    let mut seen: FxHashSet<Configuration> = FxHashSet::from_iter([start]);
    let mut level = vec![start];
    let mut fuel = FUEL;
    for tokens in 1.. {
        let mut next = Vec::new();
        for &state in &level {
            let mut ends = Vec::new();
            token_ends(machine, vocabulary, state, ways, &mut fuel, &mut ends);
            for end in ends {
                if end.position == Position::Accept {
                    return Found::After(tokens);
                }
                if seen.insert(end) {
                    next.push(end);
                }
            }
        }
        if fuel == 0 {
            return Found::OutOfFuel;
        }
        if next.is_empty() {
            return Found::Nothing;
        }
        level = next;
    }
    Found::OutOfFuel
}

/// The configurations after each token on the ways that are to be followed.
fn token_ends(
    machine: &mut Machine<'_>,
    vocabulary: &Vocabulary,
    state: Configuration,
    ways: Ways,
    fuel: &mut u32,
    out: &mut Vec<Configuration>,
) {
    let trie = vocabulary.plain();
    // What is stepped here is not on the path, so names that end in it are not known.
    machine.gap = Some(usize::MAX);
    let mut stack: Vec<(NodeIndex, Vec<Configuration>, u32)> = vec![(0, vec![state], machine.cost(&[state]))];
    while let Some((node, configurations, cost)) = stack.pop() {
        let any_cost = ways == Ways::All || has_literal(machine, &configurations);
        for child in trie.children(node) {
            *fuel = fuel.saturating_sub(1);
            if *fuel == 0 {
                break;
            }
            let mut next = Vec::new();
            machine.step_all(&configurations, trie.node(child).byte, &mut next, 0);
            if next.is_empty() {
                continue;
            }
            let after = machine.cost(&next);
            if after < cost || any_cost {
                if !trie.items_at(child).is_empty() {
                    out.extend_from_slice(&next);
                }
                stack.push((child, next, after));
            }
        }
    }
    machine.gap = None;
    machine.settle();
}
