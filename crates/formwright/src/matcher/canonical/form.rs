//! What a search reads: a form, byte by byte.
//!
//! ```text
//! Inside   the inside of a terminal: what comes after it is not known        one answer for all schemas
//! Graph    a whole form, at a text (see [`super::graph`])                    one answer for a configuration
//! ```
//!
//! Cost: that of a step. A text may be where a terminal can have ended already; of that, the inside tells
//! nothing.

use super::junctions::{Rest, UNCOUNTED};
use crate::regular::{Automaton, ByteSet, DEAD, StateId};

/// What a text must be, byte by byte. Every state has a completion.
pub trait Form {
    /// Where a text is.
    type State: Clone;
    /// What tells two states apart.
    type Key: Eq + std::hash::Hash + Clone;

    /// A completion of at most so many tokens answers whether there is one.
    const ENOUGH: Rest;

    /// Branches of the trie that one question looks at.
    const FUEL: u32;

    /// The same for all questions for one mask.
    const MOST_FUEL: u32;

    /// The state after a byte, if it may come.
    fn step(&mut self, state: &Self::State, byte: u8) -> Option<Self::State>;

    /// Whether the text may end.
    fn may_end(&self, state: &Self::State) -> bool;

    /// Bytes to the end of the shortest completion.
    fn bytes(&mut self, state: &Self::State) -> u32;

    /// Bytes that may come, perhaps more.
    fn first(&self, state: &Self::State) -> ByteSet;

    /// What tells a state apart.
    fn key(&mut self, state: &Self::State) -> Self::Key;

    /// What tells it apart as far as nothing is asked about the text at hand.
    fn general(&mut self, key: Self::Key) -> Self::Key {
        key
    }

    /// Whether something was asked about the text at hand, to be noted.
    fn asked(&mut self) -> Option<&mut bool> {
        None
    }

    /// The state of a text of which it is not known which names and items it has used: it may be completed in more ways.
    /// `None` if it is the state itself.
    fn forgetful(&mut self, _: &Self::State) -> Option<Self::State> {
        None
    }

    /// While set, a step that depends on the names and items used leads nowhere.
    fn refuse_unresolved(&mut self, _: bool) {}

    /// Whether a text may be there after the end of what the form tells about.
    fn may_leave(&self, _: &Self::State) -> bool {
        false
    }

    /// Whether a byte that may not come may do so after that end.
    fn leaves(&self, _: &Self::State, _: u8) -> bool {
        false
    }
}

/// The inside of a terminal, which is never left.
pub struct Inside<'a> {
    pub automaton: &'a Automaton,
    /// The state between two characters, if they are counted.
    pub counted: Option<StateId>,
}

impl Form for Inside<'_> {
    /// The state, and how many characters may still begin.
    type State = (StateId, u32);
    type Key = (StateId, u32);

    const ENOUGH: Rest = UNCOUNTED;
    // What is not decided here is asked of the whole form.
    const FUEL: u32 = 1 << 12;
    const MOST_FUEL: u32 = 1 << 17;

    fn step(&mut self, &(state, most): &Self::State, byte: u8) -> Option<Self::State> {
        let step = self.automaton.step(state, byte);
        let left = most.checked_sub(u32::from(self.counted == Some(state)))?;
        (step.state() != DEAD && step.goes_on()).then_some((step.state(), left))
    }

    fn may_end(&self, _: &Self::State) -> bool {
        false
    }

    /// What comes after it is not known, so nothing is counted.
    fn bytes(&mut self, _: &Self::State) -> u32 {
        0
    }

    fn first(&self, &(state, _): &Self::State) -> ByteSet {
        self.automaton.next_bytes(state)
    }

    fn key(&mut self, state: &Self::State) -> Self::Key {
        *state
    }

    fn may_leave(&self, &(state, _): &Self::State) -> bool {
        !self.automaton.is_self_delimiting() && self.automaton.shortest(state) == 0
    }

    fn leaves(&self, &(state, most): &Self::State, byte: u8) -> bool {
        self.automaton.step(state, byte).accepting() || self.may_leave(&(state, most))
    }
}
