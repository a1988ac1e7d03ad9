//! The configurations of a matcher, now and after each earlier step.
//!
//! ```text
//! configurations   a | a b | c          of the last steps, one step after the other
//! counts           0 | 2 2 | 0          the tokens that ended in its part, for parts with a bound on their tokens
//! ends             1 | 3   | 4          where each step ends in that list, and in the text
//! earlier          chunk -> chunk -> …  full chunks of earlier steps, which forks share
//! ```
//!
//! Cost: a step is two appends; a fork copies less than a chunk; going back drops steps, or copies one chunk.
//! The step a matcher is at is always among the last ones, so a chunk is closed when the step after it
//! comes.

use std::sync::Arc;

use super::machine::Configuration;

/// Steps of a chunk.
const CHUNK: usize = 16;

/// Configurations of a step that are not counted: a text may be as long as it likes where it leads to so few places.
const FEW: usize = 256;

/// The steps of a text, from before its first byte on.
#[derive(Clone, Debug)]
pub struct History {
    last: Steps,
    earlier: Option<Arc<Chunk>>,
    steps: usize,
    finished: bool,
}

/// Steps in a row; never none.
#[derive(Clone, Debug)]
struct Steps {
    configurations: Vec<Configuration>,
    /// Of each configuration, where parts of the text have a bound on their tokens: those that ended in its part.
    counts: Vec<u32>,
    ends: Vec<End>,
}

/// How many configurations and bytes there are up to the end of a step.
#[derive(Clone, Copy, Debug)]
struct End {
    configurations: usize,
    path: usize,
}

#[derive(Clone, Debug)]
struct Chunk {
    steps: Steps,
    before: Option<Arc<Chunk>>,
    /// Configurations of all steps up to the end of this chunk.
    configurations: usize,
}

impl Steps {
    fn with_room(configurations: usize) -> Self {
        let configurations = Vec::with_capacity(configurations);
        Self { configurations, counts: Vec::new(), ends: Vec::with_capacity(CHUNK) }
    }

    #[inline]
    fn push(&mut self, configurations: &[Configuration], counts: &[u32], path: usize) {
        self.configurations.extend_from_slice(configurations);
        self.counts.extend_from_slice(counts);
        self.ends.push(End { configurations: self.configurations.len(), path });
    }

    fn truncate(&mut self, steps: usize) {
        self.ends.truncate(steps);
        let end = self.ends.last().map_or(0, |end| end.configurations);
        self.configurations.truncate(end);
        self.counts.truncate(end);
    }
}

impl History {
    /// Before the first byte; with a count for each configuration, or without counts.
    pub fn new(configurations: &[Configuration], counts: &[u32]) -> Self {
        let mut last = Steps::with_room(CHUNK);
        last.push(configurations, counts, 0);
        Self { last, earlier: None, steps: 0, finished: false }
    }

    /// The configurations after the last step.
    #[inline]
    pub fn configurations(&self) -> &[Configuration] {
        &self.last.configurations[self.start()..]
    }

    /// Their counts, if there are any.
    pub fn counts(&self) -> &[u32] {
        self.last.counts.get(self.start()..).unwrap_or_default()
    }

    /// Where the configurations after the last step begin.
    #[inline]
    fn start(&self) -> usize {
        let before = self.last.ends.iter().nth_back(1);
        before.map_or(0, |end| end.configurations)
    }

    /// Bytes of text.
    #[inline]
    pub fn path(&self) -> usize {
        self.last.ends.last().map_or(0, |end| end.path)
    }

    /// Steps from the start.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Bytes of the configurations of all steps and of the `more` of a next one, without [`FEW`] of each step.
    pub fn bytes_with(&self, more: usize) -> usize {
        let earlier = self.earlier.as_ref().map_or(0, |chunk| chunk.configurations);
        let all = earlier + self.last.configurations.len() + more;
        all.saturating_sub(FEW * (self.steps + 2)) * size_of::<Configuration>()
    }

    /// Whether the text was ended.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// One step forward: to `configurations`, with their counts if there are any, after `path` bytes.
    #[inline]
    pub fn advance(&mut self, configurations: &[Configuration], counts: &[u32], path: usize) {
        if self.last.ends.len() == CHUNK {
            self.close();
        }
        self.last.push(configurations, counts, path);
        self.steps += 1;
    }

    /// One step that ends the text.
    pub fn finish(&mut self) {
        let (configurations, counts) = (self.configurations().to_vec(), self.counts().to_vec());
        self.advance(&configurations, &counts, self.path());
        self.finished = true;
    }

    fn close(&mut self) {
        let next = Steps::with_room(self.last.configurations.len());
        let steps = std::mem::replace(&mut self.last, next);
        let before = self.earlier.take();
        let configurations = steps.configurations.len() + before.as_ref().map_or(0, |chunk| chunk.configurations);
        self.earlier = Some(Arc::new(Chunk { steps, before, configurations }));
    }

    /// Drops the last steps; false, and unchanged, if there are fewer.
    pub fn rollback(&mut self, steps: usize) -> bool {
        if steps > self.steps {
            return false;
        }
        self.steps -= steps;
        self.finished &= steps == 0;
        let mut kept = self.last.ends.len();
        let mut dropped = steps;
        while dropped >= kept {
            let Some(chunk) = self.earlier.take() else { break };
            dropped -= kept;
            Chunk { steps: self.last, before: self.earlier, .. } = Arc::unwrap_or_clone(chunk);
            kept = self.last.ends.len();
        }
        self.last.truncate(kept - dropped);
        true
    }
}

impl Drop for History {
    /// One chunk after the other: a long text must not become a deep recursion.
    fn drop(&mut self) {
        let mut earlier = self.earlier.take();
        while let Some(chunk) = earlier.and_then(Arc::into_inner) {
            earlier = chunk.before;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matcher::machine::Position;

    /// What a history is compared with: every step by itself.
    type Plain = Vec<(Vec<Configuration>, usize)>;

    #[derive(Clone, Debug)]
    enum Action {
        /// To so many configurations.
        Advance(usize),
        /// How many steps, of those there are and one more, in 256ths.
        Rollback(u8),
        /// The fork goes on, or what it was taken from; the other must not change.
        Fork { keep: bool },
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let action = prop_oneof![
            12 => (0_usize..4).prop_map(Action::Advance),
            1 => any::<u8>().prop_map(Action::Rollback),
            1 => any::<bool>().prop_map(|keep| Action::Fork { keep }),
        ];
        proptest::collection::vec(action, 0..200)
    }

    fn agrees(history: &History, plain: &Plain) {
        let (configurations, path) = &plain[plain.len() - 1];
        assert_eq!(
            (history.configurations(), history.path(), history.steps()),
            (&configurations[..], *path, plain.len() - 1)
        );
    }

    proptest! {
        #[test]
        fn steps_are_those_that_were_taken(actions in actions()) {
            let place = |stack| Configuration { position: Position::Accept, stack };
            let (mut history, mut plain) = (History::new(&[place(0)], &[0]), vec![(vec![place(0)], 0)]);
            let mut others = Vec::new();
            for (index, action) in actions.into_iter().enumerate() {
                match action {
                    Action::Advance(configurations) => {
                        plain.push((vec![place(index as u32); configurations], index * 3));
                        let counts = vec![index as u32; configurations];
                        history.advance(&plain[plain.len() - 1].0, &counts, index * 3);
                    }
                    Action::Rollback(share) => {
                        let steps = plain.len() * usize::from(share) / 255;
                        let enough = steps < plain.len();
                        prop_assert_eq!(history.rollback(steps), enough);
                        plain.truncate(if enough { plain.len() - steps } else { plain.len() });
                    }
                    Action::Fork { keep } => {
                        let mut other = history.clone();
                        if keep {
                            std::mem::swap(&mut history, &mut other);
                        }
                        others.push((other, plain.clone()));
                    }
                }
                agrees(&history, &plain);
            }
            for (mut history, mut plain) in others {
                while plain.len() > 1 {
                    agrees(&history, &plain);
                    plain.pop();
                    prop_assert!(history.rollback(1));
                }
            }
        }
    }

    #[test]
    fn an_end_is_undone_like_any_step() {
        let mut history = History::new(&[], &[]);
        history.finish();
        assert!(history.is_finished() && history.rollback(0) && history.is_finished());
        assert!(history.rollback(1) && !history.is_finished());
    }

    #[test]
    fn steps_of_few_configurations_have_no_bytes() {
        let place = Configuration { position: Position::Accept, stack: 0 };
        let (few, many) = (vec![place; FEW], vec![place; 3 * FEW]);
        let mut history = History::new(&few, &[]);
        (0..1000).for_each(|path| history.advance(&few, &[], path));
        assert_eq!(history.bytes_with(FEW), 0);
        (0..1000).for_each(|path| history.advance(&many, &[], path));
        assert_eq!(history.bytes_with(FEW), 2000 * FEW * size_of::<Configuration>());
        assert!(history.rollback(1000));
        assert_eq!(history.bytes_with(FEW), 0);
    }

    #[test]
    fn a_long_text_is_dropped_without_recursion() {
        let mut history = History::new(&[], &[]);
        (0..4_000_000).for_each(|path| history.advance(&[], &[], path));
        drop(history);
    }
}
