//! Which terminals have other rivals in one state of the parser than in others, though the occurrence is the same.
//!
//! A lexeme is read after the state of the parser is known, so what it competes with depends on the rules around it:
//!
//! ```text
//! s: ("if" e ";" | e ";")*    e: NAME         after "if" only a NAME is looked for, after ";" also "if"
//! ```
//!
//! Only rivals that may win count. In nearly all grammars no terminal is contested in this way.
//!
//! Cost: a pass over the automaton of all terminals, and for each state of the parser a comparison for each terminal that
//! may come there.

use std::collections::BTreeSet;

use super::bits::Bits;
use super::lexer::{Found, wins_if_longer, wins_if_shorter};
use super::parts::{OccurrenceId, Parts, Symbol};
use super::places::{PlaceId, Places};
use super::productions::Productions;
use super::states::States;
use super::terminals::TerminalInfo;
use crate::interrupt::count;
use crate::regular::{Tag, TaggedAutomaton, TaggedState};

/// What is contested in a grammar.
pub struct Contested {
    /// The terminals that have other rivals in some states than in others.
    pub terminals: Bits,
    /// Where they have.
    pub occurrences: BTreeSet<OccurrenceId>,
    /// Whether what is ignored is among them.
    pub has_trivia: bool,
    /// By terminal: those that are taken instead of it where both are looked for, before some text.
    pub opponents: Vec<Bits>,
}

/// A grammar as if each occurrence had one context.
pub struct Uniform<'m> {
    pub parts: &'m Parts,
    pub productions: &'m Productions,
    pub places: &'m Places,
    pub terminals: &'m [TerminalInfo],
    pub automaton: &'m TaggedAutomaton,
}

impl Uniform<'_> {
    /// What is contested, given what is looked for in each state.
    pub fn find_contested(&self, states: &States<'_>, looked_for: &[Option<Bits>]) -> Contested {
        let opponents = find_opponents(self.automaton, self.terminals);
        let (mut terminals, mut occurrences) = (Bits::new(self.terminals.len()), BTreeSet::new());
        let ignored: Vec<Tag> =
            (0..).zip(self.terminals).filter(|(_, info)| info.is_ignored).map(|one| one.0).collect();
        let mut has_trivia = false;
        let (coming, after) = (self.coming(&opponents), self.places_after());
        for (state, set) in (0..).zip(looked_for) {
            let Some(set) = set else { continue };
            let differs =
                |tag: Tag, rivals: &Bits| set.contains(tag) && !set.is_same_among(rivals, &opponents[tag as usize]);
            let places = states.occurrences(state).flat_map(|own| &after[own as usize]).copied();
            let places: BTreeSet<PlaceId> = places.chain((state == 0).then_some(0)).collect();
            for place in places {
                let coming = &coming[place as usize];
                count(1 + (coming.len() + ignored.len()) * set.words());
                for &(tag, occurrence) in coming {
                    if differs(tag, &self.places.at[occurrence as usize]) {
                        terminals.insert(tag);
                        occurrences.insert(occurrence);
                    }
                }
                for &tag in &ignored {
                    if differs(tag, &self.places.rivals[place as usize]) {
                        terminals.insert(tag);
                        has_trivia = true;
                    }
                }
            }
        }
        Contested { terminals, occurrences, has_trivia, opponents }
    }

    /// By place: the terminals that come there and may lose, each with its occurrence.
    fn coming(&self, opponents: &[Bits]) -> Vec<Vec<(Tag, OccurrenceId)>> {
        let may_lose: Vec<bool> = opponents.iter().map(|rivals| !rivals.is_empty()).collect();
        let terminal = |&occurrence: &OccurrenceId| match self.parts.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(tag) if may_lose[tag as usize] => Some((tag, occurrence)),
            _ => None,
        };
        self.places.all.iter().map(|place| place.iter().filter_map(terminal).collect()).collect()
    }

    /// By occurrence, of those that are alike one: the places after them.
    fn places_after(&self) -> Vec<Vec<PlaceId>> {
        let mut after = vec![Vec::new(); self.parts.occurrences.len()];
        for (occurrence, &place) in (0..).zip(&self.places.after) {
            after[self.productions.representative(occurrence) as usize].push(place);
        }
        after
    }
}

/// By terminal: those that are taken instead of it where both are looked for, before some text.
fn find_opponents(automaton: &TaggedAutomaton, terminals: &[TerminalInfo]) -> Vec<Bits> {
    let (every, mut all) = (Bits::all(terminals.len()), vec![Bits::new(terminals.len()); terminals.len()]);
    for state in automaton.states() {
        let found = Found { automaton, terminals, state };
        let here: Vec<Tag> = found.matching().collect();
        if here.is_empty() || automaton.alive(state).len() < 2 {
            continue;
        }
        let going_on = find_going_on(automaton, state, here.len(), terminals.len());
        let competing: BTreeSet<Tag> = here.iter().copied().chain(going_on.iter()).collect();
        for own in competing {
            let (info, opponents) = (&terminals[own as usize], &mut all[own as usize]);
            let (is_text, may_be_cut) = (here.contains(&own), going_on.contains(own));
            for &rival in here.iter().filter(|&&rival| rival != own) {
                let is_cutting = may_be_cut && wins_if_shorter(&terminals[rival as usize], info);
                if is_cutting || is_text && found.is_taken_by(rival, own) {
                    opponents.insert(rival);
                }
            }
            if is_text {
                found.deciding(own, &every).iter().for_each(|&(rival, _)| opponents.insert(rival));
                let longer = going_on.iter().filter(|&rival| rival != own);
                let longer = longer.filter(|&rival| wins_if_longer(&terminals[rival as usize], info));
                longer.for_each(|rival| opponents.insert(rival));
            }
        }
    }
    all
}

/// The terminals with a text that goes on after a state in which `matching` have one that ends; of one alone, whether it
/// goes on does not matter.
fn find_going_on(automaton: &TaggedAutomaton, state: TaggedState, matching: usize, terminals: usize) -> Bits {
    let mut going_on = Bits::new(terminals);
    let mut insert = |tags: &mut dyn Iterator<Item = &Tag>| {
        tags.filter(|&&tag| (tag as usize) < terminals).for_each(|&tag| going_on.insert(tag));
    };
    let mark = automaton.mark();
    if matching == 1 && mark.is_none() {
        let accepts = automaton.accepts(state);
        insert(&mut automaton.alive(state).iter().filter(|tag| accepts.binary_search(tag).is_err()));
        return going_on;
    }
    count(usize::from(automaton.minterms()));
    let next = (0..automaton.minterms()).filter(|&minterm| Some(minterm) != mark);
    next.for_each(|minterm| insert(&mut automaton.alive(automaton.step(state, minterm)).iter()));
    going_on
}
