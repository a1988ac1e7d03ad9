//! How deep a walk looks into a stack.
//!
//! ```text
//! inside [0-9]+, stack:  after a factor · after a term · after `(` · ... · end
//!
//! no token leaves more than one bracket: the walk asks three frames, and what it finds holds for all stacks with these
//! ```
//!
//! What was found is kept for the part of the stack that was asked, with [`Position::Unseen`] below it. A stack may have
//! several ways down; a node at two depths makes the answer "all of it".

use rustc_hash::FxHashMap;

use super::configuration::{END, Frame, Position, StackId};
use super::stacks::Stacks;

/// Depths of at most this many frames are told apart; what looks deeper has looked at all of the stack.
const DEEPEST: u32 = 64;

/// All of a stack.
pub const WHOLE: u32 = u32::MAX;

/// The frames of a stack that were asked for.
#[derive(Debug)]
pub struct Probe {
    /// By stack node that is known to be a part of the stack: how many frames are above it.
    levels: FxHashMap<StackId, u32>,
    depth: u32,
}

impl Probe {
    /// Nothing of a stack was asked yet.
    pub fn new(stack: StackId) -> Self {
        Self { levels: FxHashMap::from_iter([(stack, 0)]), depth: 0 }
    }

    /// How many frames, from the top, were asked for at most; [`WHOLE`] where that cannot be said.
    pub fn depth(&self) -> u32 {
        if self.depth > DEEPEST { WHOLE } else { self.depth }
    }

    /// Notes that the frame of a stack node is asked for, which may be none of the stack.
    pub fn ask(&mut self, stack: StackId, below: StackId) {
        let Some(&level) = self.levels.get(&stack) else { return };
        self.depth = self.depth.max(level.saturating_add(1));
        self.add(below, level.saturating_add(1));
    }

    /// Notes that a union is asked for.
    pub fn ask_union(&mut self, stack: StackId, alternatives: &[StackId]) {
        let Some(&level) = self.levels.get(&stack) else { return };
        alternatives.iter().for_each(|&alternative| self.add(alternative, level));
    }

    /// Notes that all of the stack may have been asked for.
    pub fn ask_all(&mut self) {
        self.depth = WHOLE;
    }

    fn add(&mut self, stack: StackId, level: u32) {
        if *self.levels.entry(stack).or_insert(level) != level {
            self.depth = WHOLE;
        }
    }
}

impl Stacks {
    /// The upper frames of a stack, as many as `depth`; what is below them is unseen.
    pub fn cut(&mut self, stack: StackId, depth: u32) -> StackId {
        if depth == WHOLE {
            return stack;
        }
        if depth == 0 {
            return self.push(Frame { position: Position::Unseen, below: END });
        }
        if let Some(&known) = self.cuts.get(&(stack, depth)) {
            return known;
        }
        let cut = match self.alternatives(stack) {
            Some(several) => {
                let several = several.to_vec();
                let cut: Vec<StackId> = several.into_iter().map(|stack| self.cut(stack, depth)).collect();
                self.union(cut)
            }
            None if stack == END => END,
            None => {
                let Frame { position, below } = self.frame(stack);
                let below = self.cut(below, depth - 1);
                self.push(Frame { position, below })
            }
        };
        if self.cuts.len() >= super::stacks::MOST_CUTS {
            self.cuts.clear();
        }
        self.cuts.insert((stack, depth), cut);
        cut
    }

    /// Notes in a probe that the upper frames of a stack, as many as `depth`, were asked for.
    pub fn replay(&self, probe: &mut Probe, stack: StackId, depth: u32) {
        if depth == WHOLE {
            return probe.ask_all();
        }
        let mut open = vec![(stack, depth)];
        while let Some((stack, left)) = open.pop().filter(|(_, left)| *left > 0) {
            if let Some(several) = self.alternatives(stack) {
                probe.ask_union(stack, several);
                open.extend(several.iter().map(|&stack| (stack, left)));
            } else {
                let below = self.frame(stack).below;
                probe.ask(stack, below);
                if stack != END {
                    open.push((below, left - 1));
                }
            }
        }
    }
}
