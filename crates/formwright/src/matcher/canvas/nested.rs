//! What may be around each position of a canvas whose form nests.
//!
//! ```text
//! forward[i]    by control: the stacks that the tokens and holes to the left of position i may have left
//! backward[i]   by control: the stacks from which the tokens and holes to its right may complete the text
//! ```
//!
//! A move fits at a position if some stack is in both: those of `forward` after what the move pops, and those of `backward`
//! without what it pushes. So of both only what has a control that the other one has is found.
//!
//! Cost: a few look-ups for each move and position. The stacks of all positions are kept in one place, where they share
//! what they have in common: those of a form that nests are alike from position to position, but for their height.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::rows::SetsAt;
use super::{Change, Reach};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::matcher::pushdown::{
    ENDED, End, Move, Moves, NONE, NOTHING, ONLY_BOTTOM, RESUME, Several, StackSet, StackSets,
};
use crate::vocabulary::TokenId;

/// Moves that are looked at for a unit of work.
const MOVES_OF_UNIT: usize = 8;

/// By control: the stacks there.
type Stacks = Box<[StackSet]>;

/// Stacks before and after each position.
#[derive(Clone, Debug)]
pub struct NestedReach {
    pub moves: Arc<Moves>,
    sets: StackSets,
    forward: Vec<Stacks>,
    backward: Vec<Stacks>,
    /// By token: the moves that it makes.
    of_tokens: FxHashMap<TokenId, Arc<[Move]>>,
    /// How many times the sets have been renumbered.
    compactions: usize,
}

/// What was around all positions, to go back to.
pub struct Saved {
    forward: Vec<Stacks>,
    backward: Vec<Stacks>,
    compactions: usize,
}

impl NestedReach {
    /// Of so many positions, of which nothing is found yet, and at most so many further tokens.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] where that takes more bytes than `limit`.
    pub fn new(moves: Arc<Moves>, (length, after): (usize, u32), limit: usize) -> Result<Self> {
        let none: Stacks = vec![NONE; moves.controls].into();
        let bytes = length.saturating_add(1).saturating_mul(2 * size_of_val(&*none));
        if bytes > limit {
            return Err(Error::limit("canvas_bytes", bytes, limit).hint("ask for fewer positions"));
        }
        let (forward, backward) = (vec![none.clone(); length + 1], vec![none; length + 1]);
        let (sets, of_tokens) = (StackSets::default(), FxHashMap::default());
        let mut made = Self { moves, sets, forward, backward, of_tokens, compactions: 0 };
        let moves = Arc::clone(&made.moves);
        for step in &moves.start {
            let stack = made.sets.push_word(&moves.words, step.pushed, ONLY_BOTTOM);
            let known = &mut made.forward[0][step.to as usize];
            *known = made.sets.unite(&mut Several::from_slice(&[*known, stack]));
        }
        for complete in [RESUME, ENDED] {
            made.backward[length][complete as usize] = ONLY_BOTTOM;
        }
        for _ in 0..after {
            let before = made.step_left(length, &moves.all, Change::Any);
            let last = &mut made.backward[length];
            let mut is_new = false;
            for (known, more) in last.iter_mut().zip(&*before) {
                let all = made.sets.unite(&mut Several::from_slice(&[*known, *more]));
                is_new |= std::mem::replace(known, all) != all;
            }
            if !is_new {
                break;
            }
            made.trim(limit)?;
        }
        Ok(made)
    }

    /// Saves what is around all positions.
    pub fn save(&self) -> Saved {
        Saved { forward: self.forward.clone(), backward: self.backward.clone(), compactions: self.compactions }
    }

    /// Goes back to what was saved; false, and unchanged, if the sets have been renumbered since.
    pub fn restore(&mut self, saved: Saved) -> bool {
        let is_known = saved.compactions == self.compactions;
        if is_known {
            (self.forward, self.backward) = (saved.forward, saved.backward);
        }
        is_known
    }

    /// The moves of a token.
    fn moves_of(&mut self, token: TokenId) -> Arc<[Move]> {
        let Self { of_tokens, moves, .. } = self;
        let find = || {
            count(moves.all.len() / MOVES_OF_UNIT);
            let sets = &moves.sets;
            let has: Vec<bool> = (0..sets.len() as u32).map(|set| sets.has(set, token)).collect();
            moves.all.iter().filter(|found| has[found.tokens as usize]).copied().collect()
        };
        Arc::clone(of_tokens.entry(token).or_insert_with(find))
    }

    /// Those of a token, or of all.
    fn moves_at(&mut self, token: Option<TokenId>) -> Chosen {
        match token {
            Some(token) => Chosen::These(self.moves_of(token)),
            None => Chosen::All(Arc::clone(&self.moves)),
        }
    }

    /// The stacks one move after those before a position: those that are left after what moves pop, with what they push.
    ///
    /// Only controls with stacks after that move are asked for; they must have all stacks that complete the text.
    /// What is pushed by different moves is united below the first symbol, not above it, so that a set has few symbols on
    /// top: most often all stacks that a control had some positions before are among those that it has now.
    fn step_right(&mut self, at: usize, moves: &[Move]) -> Stacks {
        count(moves.len() / MOVES_OF_UNIT);
        let Self { moves: shared, sets, forward, backward, .. } = self;
        let (from, kept) = (&forward[at], &backward[at + 1]);
        let mut at_end = vec![Several::new(); shared.ends.len()];
        for step in moves {
            let stacks = from[step.from as usize];
            if stacks != NONE && kept[step.to as usize] != NONE {
                at_end[step.end as usize].push(sets.pop(&shared.popped, step.popped, stacks));
            }
        }
        for number in (shared.controls..at_end.len()).rev() {
            let (End { above, symbol }, below) = (shared.ends[number], sets.unite(&mut at_end[number]));
            at_end[above as usize].push(sets.push(symbol, below));
        }
        at_end[..shared.controls].iter_mut().map(|stacks| sets.unite(stacks)).collect()
    }

    /// The stacks one move before those after a position: those that are left without what moves push, with what they pop;
    /// unless anything may have changed, only of the controls that have stacks before that move.
    fn step_left(&mut self, at: usize, moves: &[Move], change: Change) -> Stacks {
        count(moves.len() / MOVES_OF_UNIT);
        let Self { moves: shared, sets, forward, backward, .. } = self;
        let kept = change.keeps_within(&forward[at - 1]);
        let mut from: Stacks = vec![NONE; shared.controls].into();
        let mut after_pops = vec![Several::new(); shared.popped.len()];
        for moves in moves.chunk_by(|one, other| one.from == other.from) {
            let control = moves[0].from as usize;
            if kept.is_some_and(|kept| kept[control] == NONE) {
                continue;
            }
            for step in moves {
                let stacks = backward[at][step.to as usize];
                if stacks != NONE {
                    after_pops[step.popped as usize].push(sets.pop_word(&shared.words, step.pushed, stacks));
                }
            }
            for unpop in &shared.unpops[control] {
                let mut below = Several::new();
                unpop.all.iter().for_each(|&all| below.extend_from_slice(&after_pops[all as usize]));
                let below = sets.unite(&mut below);
                after_pops[unpop.before as usize].push(sets.push(unpop.symbol, below));
            }
            from[control] = sets.unite(&mut after_pops[NOTHING as usize]);
            for step in moves {
                after_pops[step.popped as usize].clear();
            }
            for unpop in &shared.unpops[control] {
                after_pops[unpop.before as usize].clear();
            }
        }
        from
    }

    /// Whether a move fits at a position.
    fn has_move(&mut self, at: usize, step: &Move) -> bool {
        let (from, to) = (self.forward[at][step.from as usize], self.backward[at + 1][step.to as usize]);
        if from == NONE || to == NONE {
            return false;
        }
        let left = self.sets.pop_word(&self.moves.words, step.pushed, to);
        let rest = self.sets.pop(&self.moves.popped, step.popped, from);
        self.sets.meet(rest, left)
    }
}

/// Some moves, or all.
enum Chosen {
    These(Arc<[Move]>),
    All(Arc<Moves>),
}

impl std::ops::Deref for Chosen {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        match self {
            Self::These(moves) => moves,
            Self::All(moves) => &moves.all,
        }
    }
}

impl Reach for NestedReach {
    fn is_forward_equal(&self, one: usize, other: usize) -> bool {
        self.forward[one] == self.forward[other]
    }

    fn is_backward_equal(&self, one: usize, other: usize) -> bool {
        self.backward[one] == self.backward[other]
    }

    fn repeats_forward(&self, at: usize) -> bool {
        self.is_forward_equal(at - 1, at) && self.is_backward_equal(at, at + 1)
    }

    fn repeats_backward(&self, at: usize) -> bool {
        self.is_backward_equal(at + 1, at + 2) && self.is_forward_equal(at, at + 1)
    }

    fn copy_forward(&mut self, from: usize, to: usize) -> bool {
        let copy = self.forward[from].clone();
        std::mem::replace(&mut self.forward[to], copy) != self.forward[from]
    }

    fn copy_backward(&mut self, from: usize, to: usize) -> bool {
        let copy = self.backward[from].clone();
        std::mem::replace(&mut self.backward[to], copy) != self.backward[from]
    }

    fn step_forward(&mut self, at: usize, token: Option<TokenId>, _: Change) -> bool {
        let moves = self.moves_at(token);
        let found = self.step_right(at, &moves);
        let is_new = found != self.forward[at + 1];
        self.forward[at + 1] = found;
        is_new
    }

    fn step_backward(&mut self, at: usize, token: Option<TokenId>, change: Change) -> bool {
        let moves = self.moves_at(token);
        let found = self.step_left(at + 1, &moves, change);
        let is_new = found != self.backward[at];
        self.backward[at] = found;
        is_new
    }

    fn fits(&mut self, at: usize, token: TokenId) -> bool {
        let moves = self.moves_of(token);
        moves.iter().any(|step| self.has_move(at, step))
    }

    fn find_sets(&mut self, at: usize) -> SetsAt {
        let moves = Arc::clone(&self.moves);
        count(moves.all.len() / MOVES_OF_UNIT);
        let mut sets = SetsAt::none_of(moves.sets.len());
        for step in &moves.all {
            if !sets.has(step.tokens) && self.has_move(at, step) {
                sets.insert(step.tokens);
            }
        }
        sets
    }

    fn bytes(&self) -> usize {
        let of_positions = self.forward.len() * 2 * 4 * self.moves.controls;
        let of_tokens: usize = self.of_tokens.values().map(|moves| size_of_val(&**moves) + 32).sum();
        of_positions + of_tokens + self.sets.bytes()
    }

    fn trim(&mut self, limit: usize) -> Result<()> {
        if self.bytes() <= limit {
            return Ok(());
        }
        self.of_tokens.clear();
        self.compactions += 1;
        let stacks = self.forward.iter_mut().chain(&mut self.backward);
        self.sets.compact(stacks.flat_map(|stacks| &mut **stacks));
        let bytes = self.bytes();
        if bytes <= limit {
            return Ok(());
        }
        Err(Error::limit("canvas_bytes", bytes, limit).hint("ask for fewer positions, or lift some tokens"))
    }
}
