//! One automaton over several languages at once, which tells of every text in which of them it is.
//!
//! ```text
//! 0: [a-z]+    1: if    2: =|==
//!
//! start ─ i → {0} ─ f → {0, 1} ─ x → {0}          start ─ = → {2} ─ = → {2}
//! ```
//!
//! It reads code points, one *minterm* each, and is built whole: a grammar is analysed with it before any text is read.
//! A state is what remains of each language that can still be completed (derivatives, as in [`super::expression`]).
//!
//! Cost: a derivative for each state, minterm and language alive there. The number of states is bounded.

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, Minterm, TooManyClasses};
use super::expression::{Expressions, Id, NEVER, OutOfFuel};
use super::tree::{Ranges, Regular};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;

/// Index of a state of a [`TaggedAutomaton`].
pub type TaggedState = u32;

/// Index of one of its languages.
pub type Tag = u32;

/// The character between a text and what follows it, in languages that depend on what follows: in no such text itself.
pub const MARK: char = '\u{10FFFF}';

/// The state from which no language can be completed.
pub const LOST: TaggedState = 0;

/// What remains of the languages that can still be completed.
type Remains = Box<[(Tag, Id)]>;

/// A deterministic automaton over the minterms of some languages.
#[derive(Debug)]
pub struct TaggedAutomaton {
    alphabet: Alphabet,
    start: TaggedState,
    /// By state and minterm.
    next: Vec<TaggedState>,
    /// By state: the languages that contain the text read.
    accepts: Vec<Box<[Tag]>>,
    /// By state: the languages with a text that begins with the text read, or is it.
    alive: Vec<Box<[Tag]>>,
    /// Languages of texts, each with a mark and what follows it, ascending.
    followed: Box<[Tag]>,
}

impl TaggedAutomaton {
    /// The automaton of some languages; the tag of each is its index. Those of `followed` are of texts, each with a mark and
    /// what follows it.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when it has too many states or classes, or deciding emptiness takes too long.
    pub fn new(trees: &[Regular], followed: &[Tag], limits: &Limits) -> Result<Self> {
        let all = Regular::Or(trees.into());
        let alphabet = Alphabet::new(&all).map_err(|TooManyClasses| too_large(limits))?;
        let lengths = (0..alphabet.len()).map(|_| 1).collect();
        let builder = Builder {
            expressions: Expressions::new(alphabet, lengths, limits.emptiness_search),
            ids: FxHashMap::default(),
            states: Vec::new(),
            most: limits.tagged_states,
            rows: Rows::default(),
        };
        Ok(Self { followed: followed.into(), ..builder.build(trees, limits)? })
    }

    /// The state before the first character.
    pub fn start(&self) -> TaggedState {
        self.start
    }

    /// All states.
    pub fn states(&self) -> std::ops::Range<TaggedState> {
        0..self.accepts.len() as TaggedState
    }

    /// How many minterms there are.
    pub fn minterms(&self) -> Minterm {
        self.alphabet.len() as Minterm
    }

    /// Where a minterm leads.
    pub fn step(&self, state: TaggedState, minterm: Minterm) -> TaggedState {
        self.next[state as usize * self.alphabet.len() + usize::from(minterm)]
    }

    /// The languages that contain the text read, ascending: of those that depend on what follows, with the mark and all of
    /// it.
    pub fn accepts(&self, state: TaggedState) -> &[Tag] {
        &self.accepts[state as usize]
    }

    /// The languages that contain the text read, if the right text follows: each with the state before that.
    pub fn accepts_if(&self, state: TaggedState) -> impl Iterator<Item = (Tag, TaggedState)> + '_ {
        let after = self.mark().map_or(LOST, |mark| self.step(state, mark));
        self.alive(after).iter().filter(|tag| self.is_followed(**tag)).map(move |&tag| (tag, after))
    }

    /// Whether every character but the mark leads back to a state.
    pub fn is_settled(&self, state: TaggedState) -> bool {
        let mark = self.minterm(MARK);
        (0..self.minterms()).all(|minterm| minterm == mark || self.step(state, minterm) == state)
    }

    /// The minterm of the mark, if some language is of texts with what follows them.
    pub fn mark(&self) -> Option<Minterm> {
        (!self.followed.is_empty()).then(|| self.minterm(MARK))
    }

    /// Whether a language is of texts with what follows them.
    pub fn is_followed(&self, tag: Tag) -> bool {
        self.followed.contains(&tag)
    }

    /// The languages with a text that begins with the text read, ascending.
    pub fn alive(&self, state: TaggedState) -> &[Tag] {
        &self.alive[state as usize]
    }

    /// The code points of some minterms, as ascending ranges.
    pub fn ranges_of(&self, has: impl Fn(Minterm) -> bool) -> Ranges {
        self.alphabet.ranges_of(has)
    }

    /// All characters, as ascending ranges of one minterm each.
    pub fn segments(&self) -> impl Iterator<Item = (u32, u32, Minterm)> + '_ {
        self.alphabet.segments(0, u32::from(char::MAX))
    }

    /// The minterm of a character.
    pub fn minterm(&self, c: char) -> Minterm {
        self.alphabet.minterm(u32::from(c))
    }
}

fn too_large(limits: &Limits) -> Error {
    Error::limit("states of the terminals of a grammar together", limits.tagged_states + 1, limits.tagged_states)
        .hint("simplify the terminals, or read the grammar without a lexer: lexing=\"any\"")
}

/// The automaton under construction.
struct Builder {
    expressions: Expressions,
    ids: FxHashMap<Remains, TaggedState>,
    states: Vec<Remains>,
    most: usize,
    rows: Rows,
}

/// By expression that was met, and by minterm: what remains of it, [`NEVER`] if that cannot be completed.
#[derive(Default)]
struct Rows {
    /// Where the row of an expression begins.
    starts: FxHashMap<Id, usize>,
    all: Vec<Id>,
}

impl Builder {
    fn build(mut self, trees: &[Regular], limits: &Limits) -> Result<TaggedAutomaton> {
        let hard = |OutOfFuel| too_large(limits);
        self.state(&[]).map_err(hard)?; // LOST
        let whole: Vec<_> = (0..).zip(trees.iter().map(|tree| self.expressions.lower(tree))).collect();
        let start = self.start(whole).map_err(hard)?;
        let (mut next, mut at) = (Vec::new(), 0);
        while at < self.states.len() {
            self.add_row(at, &mut next).map_err(hard)?;
            at += 1;
        }
        let tags = |remains: &Remains, is_kept: &dyn Fn(Id) -> bool| {
            remains.iter().filter(|(_, id)| is_kept(*id)).map(|(tag, _)| *tag).collect()
        };
        let accepts = self.states.iter().map(|remains| tags(remains, &|id| self.expressions.nullable(id))).collect();
        let alive = self.states.iter().map(|remains| tags(remains, &|_| true)).collect();
        Ok(TaggedAutomaton {
            start,
            next,
            accepts,
            alive,
            alphabet: self.expressions.alphabet,
            followed: Box::default(),
        })
    }

    /// The state before the first character; languages without texts are left out.
    fn start(&mut self, whole: Vec<(Tag, Id)>) -> Result<TaggedState, OutOfFuel> {
        let mut kept = Vec::with_capacity(whole.len());
        for (tag, id) in whole {
            if self.can_be_completed(id)? {
                kept.push((tag, id));
            }
        }
        self.state(&kept)
    }

    fn can_be_completed(&mut self, id: Id) -> Result<bool, OutOfFuel> {
        Ok(id != NEVER && self.expressions.live(id)?)
    }

    /// Adds where each minterm leads from a state.
    fn add_row(&mut self, at: usize, next: &mut Vec<TaggedState>) -> Result<(), OutOfFuel> {
        let remains = self.states[at].clone();
        let rows = remains.iter().map(|&(tag, id)| Ok((tag, self.row(id)?))).collect::<Result<Vec<_>, _>>()?;
        let (mut before, mut after, mut state) = (Vec::new(), Vec::with_capacity(rows.len()), LOST);
        for minterm in 0..self.expressions.alphabet.len() {
            count(1 + rows.len());
            let all = rows.iter().map(|&(tag, start)| (tag, self.rows.all[start + minterm]));
            after.clear();
            after.extend(all.filter(|&(_, id)| id != NEVER));
            if after != before {
                state = self.state(&after)?;
                std::mem::swap(&mut before, &mut after);
            }
            next.push(state);
        }
        Ok(())
    }

    /// Where the row of an expression begins.
    fn row(&mut self, id: Id) -> Result<usize, OutOfFuel> {
        if let Some(&known) = self.rows.starts.get(&id) {
            return Ok(known);
        }
        let start = self.rows.all.len();
        for minterm in 0..self.expressions.alphabet.len() as Minterm {
            let next = self.expressions.derive(id, minterm);
            let kept = if self.can_be_completed(next)? { next } else { NEVER };
            self.rows.all.push(kept);
        }
        self.rows.starts.insert(id, start);
        Ok(start)
    }

    /// The state of what remains.
    fn state(&mut self, remains: &[(Tag, Id)]) -> Result<TaggedState, OutOfFuel> {
        if let Some(&known) = self.ids.get(remains) {
            return Ok(known);
        }
        if self.states.len() >= self.most {
            return Err(OutOfFuel);
        }
        let state = self.states.len() as TaggedState;
        self.states.push(remains.into());
        self.ids.insert(remains.into(), state);
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_by_all_languages() {
        let word = Regular::range('a', 'z').repeat(1, None);
        let trees = [word, Regular::text("if"), Regular::or([Regular::text("="), Regular::text("==")])];
        let automaton = TaggedAutomaton::new(&trees, &[], &Limits::default()).unwrap();
        let read =
            |text: &str| text.chars().fold(automaton.start(), |state, c| automaton.step(state, automaton.minterm(c)));
        for (text, accepts, alive) in [
            ("", &[][..], &[0, 1, 2][..]),
            ("i", &[0], &[0, 1]),
            ("if", &[0, 1], &[0, 1]),
            ("ifs", &[0], &[0]),
            ("=", &[2], &[2]),
            ("==", &[2], &[2]),
            ("===", &[], &[]),
        ] {
            assert_eq!((automaton.accepts(read(text)), automaton.alive(read(text))), (accepts, alive), "{text}");
        }
        assert_eq!(read("=="), automaton.step(read("="), automaton.minterm('=')));
        assert_eq!(read("=?"), LOST);
        let same = automaton.minterm('i');
        assert_eq!(*automaton.ranges_of(|minterm| minterm == same), [('i', 'i')]);
    }

    #[test]
    fn too_many_states_are_refused() {
        let tree = Regular::concat([Regular::anything(), Regular::text("a"), Regular::any().repeat(30, Some(30))]);
        assert!(TaggedAutomaton::new(&[tree], &[], &Limits { tagged_states: 1000, ..Limits::default() }).is_err());
    }
}
