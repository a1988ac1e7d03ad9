//! Whether a text can still be completed to one that conforms, in canonical tokens.
//!
//! ```text
//! after "T"    "The" must follow: " The" is one token, so nothing completes it          dead
//!              any letter may follow: a piece could go on, or end before a space        live
//! ```
//!
//! Every text has canonical tokens. So once a piece certainly ends before some byte that the form allows, the text is
//! live: whatever it goes on with is spelled by itself. Only where no such byte exists, tokens are tried, fewest first,
//! until some lead to a place where there is ([`super::junctions`]). That is rare, and mostly ends after a token or two:
//! what is dead is dead because of forced text.
//!
//! Cost: about 0.2 us where a piece ends; each junction in reach is looked at once for a mask, by [`Form::FUEL`]
//! branches for one question and [`Form::MOST_FUEL`] for all. A text is dead only if that is proven. If the fuel
//! runs out first, it counts as live: such a token may come, but not within a budget, which asks for a completion that is
//! known.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::form::Form;
use super::junctions::{self, Before, JunctionId, Junctions, Rest, TokenWalk, UNCOUNTED, Way, one_more};
use crate::canonical::{self, Completion, Place, Spelling};
use crate::interrupt::count;
use crate::language::INFINITE;
use crate::regular::{ByteSet, DEAD};
use crate::vocabulary::{NodeIndex, TokenId, Trie, Vocabulary};

/// Branches of the trie looked at to find out all about a small language.
const LITTLE_FUEL: u32 = 1 << 13;

/// A small language goes on with no more bytes than this anywhere.
const FEW_BYTES: usize = 64;

/// Bytes before which a piece ends that are tried for the one that leads nearest to the end.
const MOST_BYTES: usize = 8;

/// With so few first bytes, each of which begins so few tokens, the tokens are tried at once, without a search.
const FEW_FIRST: usize = 4;
const FEW_TOKENS: usize = 1 << 10;

/// Ways that are looked at in the time in which a branch of the trie is.
const LOOKS: u32 = 8;

/// Branches of the trie that are looked at to find that all texts alike can be completed: that is soon seen, or not at
/// all.
const LIVE_FUEL: u32 = 1 << 12;

/// What is true of every text at these configurations, whichever names and items it has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Each can be completed.
    Live,
    /// None can.
    Dead,
    /// That depends on the text, or was not found.
    Depends,
}

/// What was found of all texts alike.
pub type Fates<K> = FxHashMap<(K, Place), Fate>;

/// The names and items that a text has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Used {
    /// Supposed: all that may come. What is possible then is possible for every text.
    Everything,
    /// Supposed: none of those that may come. What is impossible then is impossible for every text.
    Nothing,
    /// Those of the text at hand.
    AtHand,
}

/// Searches for completions of one form.
pub struct Search<'s, 'p, F: Form> {
    pub form: F,
    pub spelling: &'s mut Spelling<'p>,
    pub vocabulary: &'s Vocabulary,
    /// What was found without asking about the text at hand.
    pub known: &'s mut FxHashMap<(F::Key, Place), Rest>,
    /// What was found of all texts alike.
    pub fates: &'s mut Fates<F::Key>,
    junctions: Junctions<F::State, F::Key>,
    /// The junctions of texts of which it is not known what they have used, and what is supposed.
    supposed: [Junctions<F::State, F::Key>; 2],
    used: Used,
    /// Whether everything is looked at, so that the fewest tokens can be told.
    is_exhaustive: bool,
    /// Whether the text at hand was asked about for its junctions: then what is found with them holds for this text alone.
    are_of_text: bool,
    /// Branches that may still be looked at.
    pub fuel: u32,
    /// Whether a question ran out of the fuel that earlier ones had left: it is asked again for the next mask.
    is_starved: bool,
}

/// What a walk over the tokens of a junction came to.
enum Stop {
    /// The question is answered.
    Answered,
    /// All tokens were looked at.
    Done,
    /// No fuel is left.
    Spent,
}

/// Whether a text can be completed that is at a junction.
struct Question {
    start: JunctionId,
    before: Before,
    /// A completion of at most so many tokens answers it.
    enough: Rest,
    /// How many of the live ways at the start were looked at.
    checked: usize,
}

impl<'s, 'p, F: Form> Search<'s, 'p, F> {
    /// Of a form, as a tokenizer spells it.
    pub fn new(
        form: F,
        spelling: &'s mut Spelling<'p>,
        vocabulary: &'s Vocabulary,
        known: &'s mut FxHashMap<(F::Key, Place), Rest>,
        fates: &'s mut Fates<F::Key>,
    ) -> Self {
        Self {
            form,
            spelling,
            vocabulary,
            known,
            fates,
            junctions: Junctions::default(),
            supposed: Default::default(),
            used: Used::AtHand,
            is_exhaustive: false,
            are_of_text: false,
            fuel: F::MOST_FUEL,
            is_starved: false,
        }
    }

    /// Whether a text that is somewhere can be completed, for all that is proven.
    pub fn is_live(&mut self, state: &F::State, place: Place) -> bool {
        self.is_free(state, place) || self.rest_or_fate(state, place) < INFINITE
    }

    /// Tokens that complete a text at most, or [`UNCOUNTED`] where all texts like it can be completed.
    #[cold]
    fn rest_or_fate(&mut self, state: &F::State, place: Place) -> Rest {
        let key = self.form.key(state);
        match self.known(key, place) {
            Some(known) => known,
            None if self.fate_of_all(state, place) == Fate::Live => UNCOUNTED,
            None => self.rest(state, place),
        }
    }

    /// Whether it is plain that a text can be completed.
    pub fn is_free(&mut self, state: &F::State, place: Place) -> bool {
        if self.form.may_end(state) && self.spelling.may_end(place.state) {
            return true;
        }
        self.free_bytes(state, place).iter().any(|byte| self.form.step(state, byte).is_some())
    }

    /// Bytes before which a piece ends that the form may allow.
    fn free_bytes(&mut self, state: &F::State, place: Place) -> ByteSet {
        ByteSet::from_words(self.spelling.free(place)).intersection(&self.form.first(state))
    }

    /// Bytes to the end, on a way that begins with a byte before which a piece ends: no fewer than its tokens.
    /// [`INFINITE`] if there is no such byte. So many are `enough`: then no shorter way is looked for.
    pub fn bytes(&mut self, state: &F::State, place: Place, enough: Rest) -> Rest {
        if self.form.may_end(state) && self.spelling.may_end(place.state) {
            return 0;
        }
        let (mut least, mut tried) = (INFINITE, 0);
        for byte in self.free_bytes(state, place).iter() {
            let Some(after) = self.form.step(state, byte) else { continue };
            least = least.min(self.form.bytes(&after).saturating_add(1).min(UNCOUNTED));
            tried += 1;
            if tried == MOST_BYTES || least <= enough {
                break;
            }
        }
        let lacking = self.spelling.merges().lacking();
        if least < INFINITE && !self.vocabulary.has_every_byte_but(lacking) { UNCOUNTED } else { least }
    }

    /// What a question finds, and whether that holds for the text at hand alone.
    pub fn asking<T>(&mut self, question: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let asked_before = self.form.asked().is_some_and(std::mem::take);
        let found = question(self);
        let Some(asked) = self.form.asked() else { return (found, false) };
        let has_asked = *asked;
        *asked |= asked_before;
        (found, has_asked)
    }

    /// Tokens that complete a text at most. [`INFINITE`]: it is dead; [`UNCOUNTED`]: that is not proven.
    #[cold]
    pub fn rest(&mut self, state: &F::State, place: Place) -> Rest {
        let key = self.form.key(state);
        let general = (self.form.general(key.clone()), place);
        if let Some(&known) = self.known.get(&general) {
            return known;
        }
        let (rest, has_asked) = self.asking(|search| {
            let rest = search.rest_at_once(state, place);
            let rest = rest.or_else(|| (search.fate_of_all(state, place) == Fate::Dead).then_some(INFINITE));
            rest.unwrap_or_else(|| search.rest_after_tokens(key, state, place))
        });
        if !(has_asked || self.is_starved && rest == UNCOUNTED) {
            self.known.insert(general, rest);
        }
        rest
    }

    /// The same where tokens have to be looked at.
    fn rest_after_tokens(&mut self, key: F::Key, state: &F::State, place: Place) -> Rest {
        let rest = self.rest_after_few(state, place).or_else(|| self.rest_after_few_texts(state, place));
        rest.unwrap_or_else(|| self.search(key, state, place))
    }

    /// Whether a question ran out of fuel, so that what was found since may be found better for the next mask.
    pub fn is_starved(&self) -> bool {
        self.is_starved
    }

    /// What becomes of all texts like this one, whichever names and items they have used.
    fn fate_of_all(&mut self, state: &F::State, place: Place) -> Fate {
        let Some(forgetful) = self.form.forgetful(state) else { return Fate::Depends };
        let key = (self.form.key(&forgetful), place);
        if let Some(&known) = self.fates.get(&key) {
            return known;
        }
        let all_live = |search: &mut Self| {
            search.is_free(&forgetful, place) || search.search(key.0.clone(), &forgetful, place) < UNCOUNTED
        };
        let none_live = |search: &mut Self| {
            let rest = search.rest_at_once(&forgetful, place);
            rest.unwrap_or_else(|| search.rest_after_tokens(key.0.clone(), &forgetful, place)) == INFINITE
        };
        let fate = if self.supposing(Used::Nothing, none_live) {
            Fate::Dead
        } else if self.supposing(Used::Everything, all_live) {
            Fate::Live
        } else {
            Fate::Depends
        };
        if fate != Fate::Depends || self.fuel > 0 {
            self.fates.insert(key, fate);
        }
        fate
    }

    /// The answer to a question about texts of which it is not known what they have used.
    fn supposing<T>(&mut self, used: Used, question: impl FnOnce(&mut Self) -> T) -> T {
        let before = (std::mem::replace(&mut self.used, used), self.are_of_text, self.is_starved);
        let most = self.fuel.min(if used == Used::Everything { LIVE_FUEL } else { F::FUEL });
        let left = self.fuel - most;
        self.fuel = most;
        self.form.refuse_unresolved(used == Used::Everything);
        std::mem::swap(&mut self.junctions, &mut self.supposed[used as usize]);
        let (answer, _) = self.asking(question);
        std::mem::swap(&mut self.junctions, &mut self.supposed[used as usize]);
        self.form.refuse_unresolved(false);
        (self.used, self.are_of_text, self.is_starved) = before;
        self.fuel += left;
        answer
    }

    /// What is known of a place.
    fn known(&mut self, key: F::Key, place: Place) -> Option<Rest> {
        let key = (self.form.general(key), place);
        self.known.get(&key).copied().filter(|_| self.used == Used::AtHand)
    }

    /// The same where it is told without a look at the tokens that may come.
    fn rest_at_once(&mut self, state: &F::State, place: Place) -> Option<Rest> {
        let bytes = self.bytes(state, place, 0);
        if bytes < INFINITE {
            return Some(bytes);
        }
        match self.spelling.completion(place) {
            Some(None) => Some(INFINITE),
            Some(Some(completion)) => self.rest_after(state, &completion),
            None => None,
        }
    }

    /// The same where the character that is begun is completed, if it is known after that.
    fn rest_after(&mut self, state: &F::State, completion: &Completion) -> Option<Rest> {
        let (vocabulary, tokens) = (self.vocabulary, &completion.tokens);
        let mut bytes = tokens.iter().flat_map(|&token| vocabulary.token(token));
        let state = bytes.try_fold(state.clone(), |state, &byte| self.form.step(&state, byte))?;
        let place = self.spelling.place(completion.state, *tokens.last()?);
        let rest = self.bytes(&state, place, 0);
        (rest < INFINITE).then(|| rest.saturating_add(tokens.len() as u32).min(UNCOUNTED))
    }

    /// The same where few tokens may come next, if it is known after them: after a space, none of those that begin with a
    /// quote may continue the piece.
    fn rest_after_few(&mut self, state: &F::State, place: Place) -> Option<Rest> {
        let (first, trie) = (self.form.first(state), self.vocabulary.plain());
        if self.is_exhaustive || place.last.is_none() || first.iter().nth(FEW_FIRST).is_some() {
            return None;
        }
        let may_come = |byte: &u8| self.form.step(state, *byte).is_some() || self.form.leaves(state, *byte);
        let first: SmallVec<[u8; FEW_FIRST]> = first.iter().filter(may_come).collect();
        if !first.iter().all(u8::is_ascii_punctuation) {
            return None; // of other bytes, the form tells soon
        }
        for byte in first {
            let node = trie.child(0, byte)?;
            let all = &trie.items()[trie.items_below(node)];
            if all.len() > FEW_TOKENS {
                return None;
            }
            for &token in self.spelling.beginning(place, byte, all).iter() {
                self.fuel = self.fuel.checked_sub(1)?;
                let rest = self.rest_after_one(state, place, token)?;
                if rest < INFINITE {
                    return Some(one_more(rest));
                }
            }
        }
        Some(INFINITE)
    }

    /// The same after one token, if it is known.
    fn rest_after_one(&mut self, state: &F::State, place: Place, token: TokenId) -> Option<Rest> {
        let Some(place) = self.spelling.after(place, token) else { return Some(INFINITE) };
        let mut state = state.clone();
        for &byte in self.vocabulary.token(token) {
            match self.form.step(&state, byte) {
                Some(after) => state = after,
                None => return Some(if self.form.leaves(&state, byte) { UNCOUNTED } else { INFINITE }),
            }
        }
        if self.form.may_leave(&state) {
            return Some(UNCOUNTED);
        }
        let key = self.form.key(&state);
        self.known(key, place).or_else(|| self.rest_at_once(&state, place))
    }

    // The search.

    /// Looks at everything in reach until a completion is found.
    fn search(&mut self, key: F::Key, state: &F::State, place: Place) -> Rest {
        let start = self.junction(key, place.state, state);
        let before = Before::of(place);
        let most = F::FUEL.min(self.fuel);
        let left = self.fuel - most;
        self.fuel = most;
        let rest = self.answer(&mut Question { start, before, enough: F::ENOUGH, checked: 0 });
        self.is_starved |= rest == UNCOUNTED && self.fuel == 0 && most < F::FUEL;
        self.fuel += left;
        if let Some(asked) = self.form.asked() {
            self.are_of_text |= *asked;
            *asked |= self.are_of_text;
        }
        if rest < UNCOUNTED && !self.are_of_text && self.used == Used::AtHand {
            self.remember(start, before, rest);
        }
        rest
    }

    /// Breadth first, so that a completion of few tokens is found before the search goes deep into what may be nested.
    fn answer(&mut self, question: &mut Question) -> Rest {
        let start = (question.start, question.before);
        let is_open = self.fuel > 0 && !self.junctions.is_settled(start);
        let (mut queue, mut seen) = (VecDeque::from_iter(is_open.then_some(start)), FxHashSet::from_iter([start]));
        while let Some(&(id, before)) = queue.front().filter(|_| !self.is_answered(question)) {
            match self.walk(id, question) {
                Stop::Answered => break,
                Stop::Spent => return UNCOUNTED,
                Stop::Done => {
                    queue.pop_front();
                    let looks = self.junctions.ways(id) / LOOKS;
                    count(looks as usize);
                    self.fuel = self.fuel.saturating_sub(looks);
                    let after = self.junctions.after(self.spelling.merges(), id, before);
                    queue.extend(after.filter(|&next| seen.insert(next)));
                }
            }
        }
        let rest = self.junctions.rest(self.spelling.merges(), question.start, question.before, question.enough);
        if self.fuel == 0 && !self.junctions.is_settled(start) {
            return rest.min(UNCOUNTED);
        }
        if queue.is_empty() {
            self.junctions.settle(seen);
        }
        rest
    }

    /// Looks at everything in reach of where a text is; false if that is too much.
    pub fn exhaust(&mut self, all: &mut Junctions<F::State, F::Key>, state: &F::State, place: Place) -> bool {
        std::mem::swap(&mut self.junctions, all);
        let left = std::mem::replace(&mut self.fuel, LITTLE_FUEL);
        self.is_exhaustive = true;
        let key = self.form.key(state);
        let start = self.junction(key, place.state, state);
        self.answer(&mut Question { start, before: Before::Any, enough: 0, checked: 0 });
        let is_done = self.fuel > 0;
        (self.is_exhaustive, self.fuel) = (false, left);
        self.junctions.relax(self.spelling.merges());
        std::mem::swap(&mut self.junctions, all);
        is_done
    }

    /// Remembers the places on the way to a completion: a budget may rely on it.
    fn remember(&mut self, start: JunctionId, before: Before, rest: Rest) {
        for (to, way) in self.junctions.found(self.spelling.merges(), start, before, rest) {
            if to == junctions::NONE {
                continue;
            }
            let key = self.form.key(self.junctions.state(to));
            let place = Place { state: self.junctions.between(to), last: way.last };
            let general = self.form.general(key);
            self.known.insert((general, place), way.rest);
        }
    }

    /// The junction of a state of the form and one between pieces.
    fn junction(&mut self, key: F::Key, between: canonical::StateId, state: &F::State) -> JunctionId {
        let Self { form, spelling, junctions, .. } = self;
        junctions.id(key, between, state, || {
            let begins = ByteSet::from_words(spelling.first(Place { state: between, last: None }));
            let mut may_come = form.first(state);
            (0..=u8::MAX).filter(|&byte| form.leaves(state, byte)).for_each(|byte| may_come.insert(byte));
            begins.intersection(&may_come)
        })
    }

    /// Goes on with the walk over the tokens of a junction.
    fn walk(&mut self, id: JunctionId, question: &mut Question) -> Stop {
        let Some(mut walk) = self.junctions.take_walk(id) else { return Stop::Done };
        let vocabulary = self.vocabulary;
        let trie = vocabulary.plain();
        if self.is_exhaustive && walk.first.iter().count() > FEW_BYTES {
            self.fuel = 0; // no small language
        }
        while let Some(node) = walk.advance(trie) {
            count(1);
            if self.fuel == 0 {
                self.junctions.put_walk(id, walk);
                return Stop::Spent;
            }
            self.fuel -= 1;
            if self.visit_node(id, trie, node, &mut walk) && self.is_answered(question) {
                self.junctions.put_walk(id, walk);
                return Stop::Answered;
            }
        }
        Stop::Done
    }

    /// Adds the tokens of a node of the trie to the ways of a junction; whether there are any.
    fn visit_node(&mut self, id: JunctionId, trie: &Trie, node: NodeIndex, walk: &mut TokenWalk<F::State>) -> bool {
        let at = trie.node(node);
        walk.next = at.skip;
        let state = &walk.states[usize::from(at.depth) - 1];
        let Some(after) = self.form.step(state, at.byte) else {
            let leaves = self.form.leaves(state, at.byte);
            if leaves && let Some(token) = self.first_below(node, self.junctions.between(id)) {
                let way = Way { rest: UNCOUNTED, ..Way::new(token, true, None) };
                self.junctions.add_known(self.spelling.merges(), id, way);
            }
            return leaves;
        };
        walk.next = node + 1;
        let (between, mut found) = (self.junctions.between(id), false);
        for &token in &trie.items()[trie.items_at(node)] {
            let ends = self.spelling.ends(between, token);
            for (index, end) in ends.into_iter().enumerate() {
                if end != DEAD && (index == 0 || end != ends[0]) {
                    found = true;
                    self.add_way(id, (token, index == 0), end, &after);
                }
            }
        }
        walk.states.push(after);
        found
    }

    fn is_answered(&self, question: &mut Question) -> bool {
        let Question { start, before, enough, checked } = question;
        self.junctions.finds(self.spelling.merges(), *start, *before, *enough, checked)
    }

    /// Adds the way of a token, which begins a piece or not.
    fn add_way(&mut self, id: JunctionId, (token, begins): (TokenId, bool), end: canonical::StateId, after: &F::State) {
        let (merges, place) = (self.spelling.merges(), self.spelling.place(end, token));
        let way = Way::new(token, begins, place.last);
        let key = self.form.key(after);
        if self.is_exhaustive {
            let is_end = self.form.may_end(after) && self.spelling.may_end(end);
            let to = self.junction(key, end, after);
            return self.junctions.add_to(merges, id, Way { rest: if is_end { 0 } else { INFINITE }, ..way }, to);
        }
        let known = self.known(key.clone(), place).or_else(|| self.rest_at_once(after, place));
        if let Some(rest) = known {
            if rest < INFINITE {
                self.junctions.add_known(merges, id, Way { rest, ..way });
            }
            return;
        }
        let rest = if self.form.may_leave(after) { UNCOUNTED } else { INFINITE };
        let to = self.junction(key, end, after);
        self.junctions.add_to(merges, id, Way { rest, ..way }, to);
    }

    /// A token at or below a node of the trie that may come, if there is one.
    fn first_below(&mut self, node: NodeIndex, between: canonical::StateId) -> Option<TokenId> {
        let trie = self.vocabulary.plain();
        let mut below = trie.items()[trie.items_below(node)].iter().copied();
        below.find(|&token| self.spelling.ends(between, token) != [DEAD; 2])
    }
}
