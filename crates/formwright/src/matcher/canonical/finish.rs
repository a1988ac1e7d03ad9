//! How many canonical tokens a text still needs: a number that some token always lowers by one.
//!
//! ```text
//! {"a": "x     `"}` is a token, and may follow: 1        {"a": "x  "     more spaces must come before the quote: 3
//! ```
//!
//! As in [`crate::matcher::potential`], the preferred ways to the end are followed, by tokens that the tokenizer would
//! write there. The number of a place is one more than the least after these tokens, and it is remembered for every place
//! that is met, so that the next question finds most of its answer. Where no preferred way can be spelled, the number is
//! that of the completion which proved that the text is live ([`super::search`]): so whatever may come without a budget
//! may come with a budget that is large enough, unless the proof ran out of fuel.
//!
//! Cost: about a microsecond for each place that is new. A token may end where the next one must not continue its
//! piece, or may only if it is compatible.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::form::Form;
use super::graph::{Graph, Standing};
use super::junctions::{Before, Junctions};
use super::search::Search;
use crate::canonical::{Completion, DEAD, Place, StateId};
use crate::language::INFINITE;
use crate::matcher::counting::Counting;
use crate::matcher::machine::{Configuration, Position};
use crate::matcher::potential::Potential;
use crate::vocabulary::TokenId;

/// Places that one question looks at.
const MOST_PLACES: usize = 1 << 15;

/// Places remembered. Beyond, all are forgotten and counted again.
const MOST_KNOWN: usize = 1 << 18;

/// Tokens, and where each leads.
pub type Steps = Arc<[(TokenId, Configuration)]>;

/// What was found.
#[derive(Debug, Default)]
pub struct Finish {
    steps: FxHashMap<Configuration, Steps>,
    /// Tokens along preferred ways.
    known: FxHashMap<(Configuration, Place), u32>,
    /// Everything about a small language.
    exact: Exact,
}

/// A small language is looked at as a whole: then the fewest tokens are known exactly.
#[derive(Debug)]
enum Exact {
    Known(Junctions<Standing, <Graph<'static> as Form>::Key>),
    /// It is not small.
    TooLarge,
}

impl Default for Exact {
    fn default() -> Self {
        Self::Known(Junctions::default())
    }
}

impl Finish {
    /// Bytes of memory held, roughly.
    pub fn bytes(&self) -> usize {
        self.known.len() * 56 + self.steps.len() * 160
    }

    /// Forgets what is known if that is too much.
    pub fn make_room(&mut self) {
        if self.known.len() > MOST_KNOWN {
            *self = Self::default();
        }
    }
}

/// Counts tokens.
pub struct Counter<'c> {
    pub potential: &'c mut Potential,
    pub counting: Counting<'c>,
    pub finish: &'c mut Finish,
    /// Whether a number was met that holds for the text at hand alone.
    pub is_of_text: bool,
}

/// A place whose tokens are being counted.
struct Node {
    at: Configuration,
    place: Place,
    steps: Steps,
    /// How many of its steps were followed.
    next: usize,
    least: u32,
}

impl Counter<'_> {
    /// Tokens that complete a text.
    pub fn needed(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place) -> u32 {
        match self.exact(search, at, place) {
            Some(exact) => exact,
            None => self.tokens(search, at, place),
        }
    }

    /// Whether the language is known to be small, and everything about it.
    pub fn is_small(&self) -> bool {
        matches!(self.finish.exact, Exact::Known(_))
    }

    /// The fewest tokens that complete a text of a small language; `None` for others.
    pub fn exact(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place) -> Option<u32> {
        let Exact::Known(junctions) = &mut self.finish.exact else { return None };
        if search.form.may_end(at) && search.spelling.may_end(place.state) {
            return Some(0);
        }
        let known = junctions.known(search.form.key(at), place.state);
        if known.is_none() {
            let is_small = search.exhaust(junctions, at, place) && junctions.states().all(Standing::is_alike);
            if !is_small {
                self.finish.exact = Exact::TooLarge;
                return None;
            }
        }
        let id = junctions.known(search.form.key(at), place.state)?;
        Some(junctions.rest(search.spelling.merges(), id, Before::of(place), 1))
    }

    /// Tokens of the shortest completion known; at least [`INFINITE`] less one if none is known. A text along a preferred
    /// way has no more tokens than any has bytes, so these are asked only where no such way can be spelled. A character
    /// that is begun is completed in the way that [`Spelling::completion`] tells, whatever the form prefers.
    fn tokens(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place) -> u32 {
        if let Some(Some(completion)) = search.spelling.completion(place) {
            let completed = self.after_completion(search, at, &completion);
            if completed < INFINITE {
                return completed;
            }
        }
        let on_ways = self.tokens_on_ways(search, at, place);
        if on_ways < INFINITE {
            return on_ways;
        }
        let bytes = self.bytes(search, at, place, 0);
        if bytes < INFINITE {
            return bytes;
        }
        let (rest, has_asked) = search.asking(|search| search.rest(at, place));
        self.is_of_text |= rest < INFINITE && has_asked && !search.form.is_alike(at);
        rest
    }

    /// As [`Search::bytes`]: no fewer than the tokens that complete a text.
    pub fn bytes(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place, enough: u32) -> u32 {
        let (bytes, has_asked) = search.asking(|search| search.bytes(at, place, enough));
        self.is_of_text |= bytes < INFINITE && has_asked && !search.form.is_alike(at);
        bytes
    }

    /// Tokens that complete the character which a text has begun, and those that are enough then.
    fn after_completion(
        &mut self,
        search: &mut Search<'_, '_, Graph<'_>>,
        at: &Standing,
        completion: &Completion,
    ) -> u32 {
        let (vocabulary, mut tokens) = (search.vocabulary, completion.tokens.iter());
        let read = |at: Standing, &token: &TokenId| search.form.read(&at, vocabulary.token(token));
        let Some(at) = tokens.try_fold(at.clone(), read) else { return INFINITE };
        let needed = self.after_any(search, &at, completion.state);
        if needed < INFINITE { needed + completion.tokens.len() as u32 } else { INFINITE }
    }

    /// Tokens that are enough after any token that leads to a place.
    pub fn after_any(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, end: StateId) -> u32 {
        self.after_alike(search, at, end).0
    }

    /// Tokens that are enough after any token that leads to a place, along the preferred ways; and those that are after
    /// the tokens that another one may continue the piece of, least first.
    pub fn after_alike(
        &mut self,
        search: &mut Search<'_, '_, Graph<'_>>,
        after: &Standing,
        end: StateId,
    ) -> (u32, Vec<(u32, TokenId)>) {
        let (mut most, mut fewer) = (INFINITE, Vec::new());
        for &at in &after.at {
            let at = search.form.machine.erased(at);
            if at.position == Position::Accept && search.spelling.may_end(end) {
                return (0, Vec::new());
            }
            for &(next, to) in self.steps(search, at).iter() {
                let ends = search.spelling.ends(end, next);
                let [begins, goes_on] = ends.map(|state| {
                    let place = search.spelling.place(state, next);
                    let needed = (state != DEAD).then(|| self.along_ways(search, to, place));
                    needed.filter(|&needed| needed < INFINITE).map(|needed| needed + 1)
                });
                if let Some(begins) = begins {
                    most = most.min(if ends[1] == DEAD { begins } else { begins.max(goes_on.unwrap_or(INFINITE)) });
                }
                fewer.extend(goes_on.map(|needed| (needed, next)));
            }
        }
        if most >= INFINITE && search.spelling.is_in_pieces() {
            most = self.bytes(search, after, Place { state: end, last: None }, 0);
        }
        fewer.sort_unstable();
        fewer.dedup();
        (most, fewer)
    }

    /// Tokens along preferred ways.
    fn tokens_on_ways(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: &Standing, place: Place) -> u32 {
        let mut least = INFINITE;
        for &at in &at.at {
            let at = search.form.machine.erased(at);
            least = least.min(self.along_ways(search, at, place));
        }
        least
    }

    /// Tokens along the preferred ways from one configuration.
    pub fn along_ways(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: Configuration, place: Place) -> u32 {
        let mut opened = 0;
        let mut nodes: Vec<Node> = Vec::new();
        let mut known = self.known_or_opened(search, at, place, &mut nodes);
        while let Some(node) = nodes.last_mut() {
            if let Some(tokens) = known.take() {
                node.least = node.least.min(tokens + 1);
            }
            let Some(&(token, to)) = node.steps.get(node.next) else {
                known = self.close(&mut nodes);
                continue;
            };
            node.next += 1;
            if let Some(place) = search.spelling.after(node.place, token) {
                if opened > MOST_PLACES {
                    self.abandon(&nodes);
                    return INFINITE;
                }
                known = self.known_or_opened(search, to, place, &mut nodes);
                opened += usize::from(known.is_none());
            }
        }
        known.unwrap_or(INFINITE)
    }

    /// The tokens of a place if they are known; if not, it is put on the stack, and counts as dead until they are: a way
    /// that comes back to it leads nowhere.
    fn known_or_opened(
        &mut self,
        search: &mut Search<'_, '_, Graph<'_>>,
        at: Configuration,
        place: Place,
        nodes: &mut Vec<Node>,
    ) -> Option<u32> {
        if at.position == Position::Accept && search.spelling.may_end(place.state) {
            return Some(0);
        }
        match self.finish.known.entry((at, place)) {
            Entry::Occupied(known) => return Some(*known.get()),
            Entry::Vacant(unknown) => drop(unknown.insert(INFINITE)),
        }
        let steps = self.steps(search, at);
        nodes.push(Node { at, place, steps, next: 0, least: INFINITE });
        None
    }

    /// Takes the last place from the stack: all its steps were followed.
    fn close(&mut self, nodes: &mut Vec<Node>) -> Option<u32> {
        let Node { at, place, least, .. } = nodes.pop()?;
        let least = least.min(INFINITE);
        self.finish.known.insert((at, place), least);
        Some(least)
    }

    /// Forgets the places that are not counted yet, but for the first one.
    fn abandon(&mut self, nodes: &[Node]) {
        for node in &nodes[1..] {
            self.finish.known.remove(&(node.at, node.place));
        }
    }

    /// Where the tokens on the preferred ways from a configuration lead.
    pub fn steps(&mut self, search: &mut Search<'_, '_, Graph<'_>>, at: Configuration) -> Steps {
        match self.finish.steps.entry(at) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(unknown) => {
                let found = self.potential.tokens_on_ways(&mut search.form.machine, self.counting, at);
                Arc::clone(unknown.insert(found.into()))
            }
        }
    }
}
