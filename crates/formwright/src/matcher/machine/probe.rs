//! How deep a walk looks into a stack.
//!
//! ```text
//! inside [0-9]+, stack:  after a factor · after a term · after `(` · ... · end
//!
//! no token leaves more than one bracket: the walk asks three frames, and what it finds holds for all stacks with these
//! ```
//!
//! What was found is kept for the part of the stack that was asked, with [`Position::Unseen`] below it. A stack may have
//! several ways down, of which the longest counts.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::configuration::{END, Frame, Position, StackId};
use super::stacks::Stacks;

/// Depths of at most this many frames are told apart; what looks deeper has looked at all of the stack.
const DEEPEST: u32 = 64;

/// All of a stack.
pub const WHOLE: u32 = u32::MAX;

/// A stack node that is known to be a part of the stack.
#[derive(Debug, Default)]
struct Known {
    /// How many frames are above it, on the longest way.
    level: u32,
    /// Where it leads, once it is asked for.
    below: SmallVec<[StackId; 2]>,
    is_frame: bool,
}

/// The frames of a stack that were asked for.
#[derive(Debug)]
pub struct Probe {
    known: FxHashMap<StackId, Known>,
    depth: u32,
}

impl Probe {
    /// Nothing of a stack was asked yet.
    pub fn new(stack: StackId) -> Self {
        Self { known: FxHashMap::from_iter([(stack, Known::default())]), depth: 0 }
    }

    /// How many frames, from the top, were asked for at most; [`WHOLE`] where there are too many.
    pub fn depth(&self) -> u32 {
        if self.depth > DEEPEST { WHOLE } else { self.depth }
    }

    /// Notes that the frame of a stack node is asked for, which may be none of the stack.
    pub fn ask(&mut self, stack: StackId, below: StackId) {
        self.note(stack, &[below], true);
    }

    /// Notes that a union is asked for.
    pub fn ask_union(&mut self, stack: StackId, alternatives: &[StackId]) {
        self.note(stack, alternatives, false);
    }

    /// Notes that all of the stack may have been asked for.
    pub fn ask_all(&mut self) {
        self.depth = WHOLE;
    }

    fn note(&mut self, stack: StackId, below: &[StackId], is_frame: bool) {
        let Some(known) = self.known.get_mut(&stack).filter(|known| known.below.is_empty()) else { return };
        known.below = SmallVec::from_slice(below);
        known.is_frame = is_frame;
        self.sink(stack);
    }

    /// Puts what a node leads to below it, and so on.
    fn sink(&mut self, stack: StackId) {
        let mut open: SmallVec<[StackId; 8]> = SmallVec::from_slice(&[stack]);
        while let Some(stack) = open.pop() {
            let known = &self.known[&stack];
            if known.below.is_empty() || self.depth > DEEPEST {
                continue;
            }
            let level = known.level + u32::from(known.is_frame);
            self.depth = self.depth.max(level);
            for below in known.below.clone() {
                let deeper = self.known.entry(below).or_default();
                if deeper.level < level {
                    deeper.level = level;
                    open.push(below);
                }
            }
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
