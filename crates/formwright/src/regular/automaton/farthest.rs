//! The state of an automaton that is farthest from its end.
//!
//! ```text
//! ab|cde            2 bytes: after `c`
//! [a-z]+, unused    12 bytes: of texts of so many letters there are more than a matcher keeps
//! ```
//!
//! Cost: a look at every state, once for an automaton. Of an automaton with many states nothing is said.

use rustc_hash::FxHashMap;

use super::{Automaton, StateId};

/// Most states that are looked at.
const MOST_LOOKED_AT: usize = 256;

/// Of so many characters to choose from, again and again, this many lead away from all texts that a matcher keeps.
const CHOICES: [(usize, u32); 3] = [(64, 4), (8, 9), (2, 30)];

/// Where each state that is reached can lead: a character of one byte, or another byte.
type Steps = FxHashMap<StateId, Vec<(bool, StateId)>>;

impl Automaton {
    /// Bytes of the shortest completion from any state, at most: what is known without looking, else the farthest of
    /// all; `None` if there are too many states to look at.
    pub fn farthest_of_all(&self, known: impl FnOnce() -> Option<u32>) -> Option<u32> {
        *self.farthest[0].get_or_init(|| known().or_else(|| self.farthest_among(&self.all_steps()?)))
    }

    fn farthest_among(&self, steps: &Steps) -> Option<u32> {
        steps.keys().map(|&state| self.shortest(state)).max()
    }

    /// As [`Automaton::farthest_of_all`], of the shortest completion that is none of the texts used before, wherever there is
    /// one; `None` also where a text may have to become longer with every used text.
    pub fn farthest_unused(&self) -> Option<u32> {
        *self.farthest[1].get_or_init(|| {
            let steps = self.all_steps()?;
            let unused = CHOICES.into_iter().find_map(|(choices, characters)| {
                Some(farthest_from_choices(&steps, choices)?.saturating_add(characters))
            });
            Some(unused?.saturating_add(self.farthest_among(&steps)?))
        })
    }

    /// How many characters of one byte may come first, quote and backslash aside.
    pub fn plain_characters(&self) -> usize {
        *self.plain_characters.get_or_init(|| {
            let bytes = self.next_bytes(self.content_start());
            bytes.iter().filter(|byte| matches!(byte, 0x20..=0x7F) && !matches!(byte, b'"' | b'\\')).count()
        })
    }

    /// The steps from every state; `None` if there are too many.
    fn all_steps(&self) -> Option<Steps> {
        if self.is_parsed() {
            return None; // its code is run for what texts and masks ask, and for nothing else
        }
        let (mut steps, mut open) = (Steps::default(), vec![self.start.state()]);
        while let Some(state) = open.pop() {
            if steps.contains_key(&state) {
                continue;
            }
            let bytes = self.next_bytes(state);
            let on = bytes.iter().map(|byte| (byte, self.step(state, byte)));
            let is_character = |byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
            let from: Vec<(bool, StateId)> =
                on.filter(|(_, step)| step.goes_on()).map(|(byte, step)| (is_character(byte), step.state())).collect();
            open.extend(from.iter().map(|&(_, to)| to));
            steps.insert(state, from);
            if steps.len() > MOST_LOOKED_AT || self.overflowed() {
                return None;
            }
        }
        Some(steps)
    }
}

/// Bytes from any state, at most, to one where there are `choices` characters to choose from, and again after each of
/// them, and so on. From there, texts of so many characters more, and then the shortest way to the end, all differ.
fn farthest_from_choices(steps: &Steps, choices: usize) -> Option<u32> {
    let mut rich: rustc_hash::FxHashSet<StateId> = steps.keys().copied().collect();
    loop {
        let has_choices = |state: &StateId| {
            let characters = steps[state].iter().filter(|(is_character, to)| *is_character && rich.contains(to));
            characters.count() >= choices
        };
        let still: rustc_hash::FxHashSet<StateId> = rich.iter().copied().filter(has_choices).collect();
        if still.len() == rich.len() {
            break;
        }
        rich = still;
    }
    let mut far = 0;
    while rich.len() < steps.len() {
        let leads_there =
            |state: &&StateId| !rich.contains(*state) && steps[*state].iter().any(|(_, to)| rich.contains(to));
        let before: Vec<StateId> = steps.keys().filter(leads_there).copied().collect();
        if before.is_empty() {
            return None; // from some state, there may be few texts
        }
        rich.extend(before);
        far += 1;
    }
    Some(far)
}
