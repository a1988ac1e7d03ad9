//! Where Lark's lexer takes a shorter match than this one.
//!
//! Lark tries the terminals in its order, and takes the first that matches; here, the longest match is taken:
//!
//! ```text
//! HEX: /0x[0-9a-f]+|[0-9]+/    VERSION: /[0-9.]+/      1.2 is a VERSION here, to Lark a HEX and a VERSION
//! ```
//!
//! Found are two terminals of one priority that are looked for in one place, with a text of the second of which the first,
//! which comes before it in Lark's order, matches a beginning, and no terminal before that one matches any.
//!
//! Cost: for each expression, a pass over the states that come after those in which it matches; where two are found
//! in one place, a pass over those in which no earlier one matches.

use std::collections::BTreeSet;

use super::bits::Bits;
use super::lexer::Found;
use super::terminals::TerminalInfo;
use crate::interrupt::count;
use crate::regular::{Tag, TaggedAutomaton, TaggedState};

/// A terminal that Lark takes, and the one that is taken here.
pub type Pair = (Tag, Tag);

/// The terminals of a grammar.
pub struct Terminals<'t> {
    pub terminals: &'t [TerminalInfo],
    pub automaton: &'t TaggedAutomaton,
}

impl Terminals<'_> {
    /// All pairs, given what is looked for in each place.
    pub fn find_shorter<'p>(&self, places: impl Iterator<Item = &'p Bits>) -> BTreeSet<Pair> {
        let (places, mut pairs): (BTreeSet<Vec<Tag>>, _) =
            (places.map(|rivals| rivals.iter().collect()).collect(), BTreeSet::new());
        for first in (0..).zip(self.terminals).filter(|&(tag, _)| self.is_plain(tag)).map(|one| one.0) {
            let longer = self.find_longer(first);
            for rivals in places.iter().filter(|rivals| rivals.contains(&first)) {
                let is_known = |tag: &Tag| !longer.contains(tag) || pairs.contains(&(first, *tag));
                if !rivals.iter().all(is_known) {
                    let found = self.find_taken(first, rivals);
                    pairs.extend(found.into_iter().map(|taken| (first, taken)));
                }
            }
        }
        pairs
    }

    /// Whether it is an expression of which the longest match is taken, whatever follows.
    fn is_plain(&self, tag: Tag) -> bool {
        let info = &self.terminals[tag as usize];
        !info.is_text && !info.rank.is_lazy && !self.automaton.is_followed(tag)
    }

    fn is_before(&self, first: Tag, other: Tag) -> bool {
        let [first, other] = [first, other].map(|tag| &self.terminals[tag as usize]);
        first.rank > other.rank || first.rank == other.rank && first.order < other.order
    }

    fn look_at(&self, state: TaggedState) -> Found<'_> {
        Found { automaton: self.automaton, terminals: self.terminals, state }
    }

    fn successors(&self, state: TaggedState) -> impl Iterator<Item = TaggedState> + '_ {
        count(usize::from(self.automaton.minterms()));
        let mark = self.automaton.mark();
        let minterms = (0..self.automaton.minterms()).filter(move |&minterm| Some(minterm) != mark);
        let next: BTreeSet<TaggedState> = minterms.map(|minterm| self.automaton.step(state, minterm)).collect();
        next.into_iter().filter(|&next| !self.automaton.alive(next).is_empty())
    }

    /// The terminals after one in Lark's order that match more than it does, whatever else is looked for.
    fn find_longer(&self, first: Tag) -> BTreeSet<Tag> {
        let matches = |state: TaggedState| self.automaton.accepts(state).contains(&first);
        let mut open: Vec<TaggedState> = self.automaton.states().filter(|&state| matches(state)).collect();
        let (mut seen, mut longer) = (BTreeSet::new(), BTreeSet::new());
        while let Some(state) = open.pop() {
            for next in self.successors(state) {
                if !matches(next) && seen.insert(next) {
                    longer.extend(self.look_at(next).certain().filter(|&tag| self.is_alike(first, tag)));
                    open.push(next);
                }
            }
        }
        longer
    }

    /// Whether the length of a match alone decides between two, and Lark tries the first one first.
    fn is_alike(&self, first: Tag, other: Tag) -> bool {
        self.terminals[first as usize].rank == self.terminals[other as usize].rank && self.is_before(first, other)
    }

    /// What is taken here among rivals, where Lark takes a shorter match of one of them.
    fn find_taken(&self, first: Tag, rivals: &[Tag]) -> BTreeSet<Tag> {
        let (mut open, mut seen) = (vec![(self.automaton.start(), false)], BTreeSet::new());
        let mut taken = BTreeSet::new();
        while let Some((state, has_matched)) = open.pop() {
            for next in self.successors(state) {
                let found = self.look_at(next);
                let here: Vec<Tag> = found.matching().filter(|tag| rivals.contains(tag)).collect();
                if here.iter().any(|&tag| self.is_before(tag, first) && !self.is_inside(tag, &here)) {
                    continue; // to Lark, this is a text of another one
                }
                let matches = here.contains(&first);
                if has_matched && !matches {
                    let winner =
                        here.iter().copied().find(|&own| !here.iter().any(|&rival| found.is_taken_by(rival, own)));
                    taken.extend(winner.filter(|&winner| self.is_alike(first, winner)));
                }
                if seen.insert((next, has_matched || matches)) {
                    open.push((next, has_matched || matches));
                }
            }
        }
        taken
    }

    /// Whether it is a text that Lark looks for in place of an expression.
    fn is_inside(&self, tag: Tag, here: &[Tag]) -> bool {
        let info = &self.terminals[tag as usize];
        let is_outer = |&other: &Tag| {
            let other = &self.terminals[other as usize];
            !other.is_text && other.rank == info.rank
        };
        info.is_text && here.iter().any(is_outer)
    }
}
