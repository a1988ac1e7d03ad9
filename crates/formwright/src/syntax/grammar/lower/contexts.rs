//! The contexts in which the lexer of a grammar looks for different terminals.
//!
//! What matters of a set of terminals is, for each contested one in it, which of the others may win over it
//! ([`super::contested`]). Sets that agree in that make one *look*, and states of the parser between which no look depends
//! make one *class*. A look and a class are a *context*.
//!
//! ```text
//! s: ("if" e ";" | e ";")*    e: NAME         two looks: one in which NAME competes with "if", and one in which it does not
//! ```
//!
//! Cost: passes over the states of the parser until no class is split.

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::contested::Contested;
use super::parts::{OccurrenceId, Parts, Symbol};
use super::states::{StateId, States};
use crate::interrupt::count;
use crate::regular::Tag;

/// Index of what a lexer looks for.
pub type LookId = u32;

/// No look: one that is not known, or does not matter.
pub const NO_LOOK: LookId = LookId::MAX;

/// Index of a class of states of the parser.
pub type ClassId = u32;

/// What a lexer looks for, and where the parser is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Context {
    pub look: LookId,
    pub class: ClassId,
}

/// By symbol: the look after it, if it is not a rule, and the class.
type Steps = FxHashMap<u32, (LookId, ClassId)>;

/// Most contexts.
const MOST_CONTEXTS: usize = 1 << 8;

/// There are too many contexts, or parts that differ in them.
#[derive(Debug)]
pub struct TooMany;

/// All contexts of a grammar.
pub struct Contexts {
    /// Where a text begins.
    pub begin: Context,
    /// The terminals that have other rivals in some contexts.
    contested: Bits,
    /// Whether what is ignored is among them.
    has_contested_trivia: bool,
    /// By look: the rivals of each contested terminal that is looked for.
    rivals: Vec<FxHashMap<Tag, Bits>>,
    /// By class: where symbols lead.
    steps: Vec<Steps>,
    /// By occurrence, of those that are alike one: the looks after it, with all that is looked for there.
    after: FxHashMap<(OccurrenceId, LookId), Bits>,
}

impl Contexts {
    /// Those in which terminals are told apart that have other rivals in one state of the parser than in others.
    ///
    /// # Errors
    /// When there are too many.
    pub fn of(
        states: &States<'_>,
        looked_for: &[Option<Bits>],
        Contested { terminals: contested, opponents, has_trivia, .. }: &Contested,
    ) -> Result<Self, TooMany> {
        let rivals = |set: &Bits| {
            let terminals = set.iter().filter(|&terminal| contested.contains(terminal));
            terminals.map(|terminal| (terminal, set.and(&opponents[terminal as usize]))).collect()
        };
        let rows = looked_for.iter().map(|set| set.as_ref().map_or_else(Vec::new, rivals));
        let (looks, rivals) = unite_alike(rows);
        let (classes, steps) = find_classes(states, |state| match looked_for[state as usize] {
            Some(_) => looks[state as usize],
            None => NO_LOOK,
        });
        if rivals.len() * steps.len() > MOST_CONTEXTS {
            return Err(TooMany);
        }
        let mut after: FxHashMap<(OccurrenceId, LookId), Bits> = FxHashMap::default();
        for (state, set) in (0..).zip(looked_for) {
            let Some(set) = set else { continue };
            for occurrence in states.occurrences(state) {
                let known = after.entry((occurrence, looks[state as usize])).or_insert_with(|| Bits::like(set));
                known.extend(set);
            }
        }
        let begin = Context { look: looks[0], class: classes[0] };
        Ok(Self { begin, contested: contested.clone(), has_contested_trivia: *has_trivia, rivals, steps, after })
    }

    /// The context after a symbol; `None` if it cannot come.
    pub fn after(&self, context: Context, symbol: u32) -> Option<Context> {
        let &(look, class) = self.steps[context.class as usize].get(&symbol)?;
        Some(Context { look: if look == NO_LOOK { context.look } else { look }, class })
    }

    /// Whether an occurrence is of a contested terminal.
    pub fn is_contested(&self, parts: &Parts, occurrence: OccurrenceId) -> bool {
        self.contested_terminal(parts, occurrence).is_some()
    }

    fn contested_terminal(&self, parts: &Parts, occurrence: OccurrenceId) -> Option<Tag> {
        match parts.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(terminal) => self.contested.contains(terminal).then_some(terminal),
            Symbol::Foreign(_) => None,
        }
    }

    /// The looks before and after an occurrence as far as they matter: of those with the same rivals, the first one.
    pub fn looks_around(
        &self,
        parts: &Parts,
        occurrence: OccurrenceId,
        (before, after): (LookId, LookId),
    ) -> (LookId, LookId) {
        let first = |terminal: Tag| {
            let own = self.rivals.get(before as usize)?.get(&terminal)?;
            let is_same = |rivals: &FxHashMap<Tag, Bits>| rivals.get(&terminal) == Some(own);
            self.rivals.iter().position(is_same).map(|look| look as LookId)
        };
        let before = self.contested_terminal(parts, occurrence).and_then(first);
        (before.unwrap_or(NO_LOOK), if self.has_contested_trivia { after } else { NO_LOOK })
    }

    /// What may win over an occurrence in a look, if it is contested.
    pub fn rivals(&self, parts: &Parts, occurrence: OccurrenceId, look: LookId) -> Option<&Bits> {
        self.rivals.get(look as usize)?.get(&self.contested_terminal(parts, occurrence)?)
    }

    /// All that is looked for in a look after an occurrence.
    pub fn looked_for(&self, occurrence: OccurrenceId, look: LookId) -> Option<&Bits> {
        self.after.get(&(occurrence, look))
    }
}

/// The states of the parser in classes, and by class where symbols lead: members do not disagree on the look after a
/// symbol, nor on the class.
fn find_classes(states: &States<'_>, look: impl Fn(StateId) -> LookId) -> (Vec<ClassId>, Vec<Steps>) {
    const OWN: u32 = u32::MAX; // a class is split, never changed
    let mut classes: Vec<ClassId> = Vec::new();
    let mut known = 0;
    loop {
        let class = |state: StateId| classes.get(state as usize).copied().unwrap_or_default();
        let row = |(state, steps): (StateId, &[(u32, StateId)])| {
            let own = (OWN, (NO_LOOK, class(state))); // it comes first because it tells most rows apart
            let steps = steps.iter().map(|&(symbol, to)| (symbol, (look(to), class(to))));
            std::iter::once(own).chain(steps).collect::<Vec<_>>()
        };
        let (found, steps) = unite_alike((0..).zip(states.steps()).map(row));
        classes = found;
        if steps.len() == known {
            return (classes, steps);
        }
        known = steps.len();
    }
}

/// Puts each row into the first group with whose rows it agrees, wherever both say something. By row: its group; by group:
/// what its rows say.
fn unite_alike<V: PartialEq>(rows: impl Iterator<Item = Vec<(u32, V)>>) -> (Vec<u32>, Vec<FxHashMap<u32, V>>) {
    let mut groups: Vec<FxHashMap<u32, V>> = Vec::new();
    let of_row = |row: Vec<(u32, V)>| {
        let agrees =
            |group: &FxHashMap<u32, V>| row.iter().all(|(key, own)| group.get(key).is_none_or(|known| known == own));
        count(row.len() * (1 + groups.len()));
        let at = groups.iter().position(agrees).unwrap_or_else(|| {
            groups.push(FxHashMap::default());
            groups.len() - 1
        });
        groups[at].extend(row);
        at as u32
    };
    let of_rows = rows.map(of_row).collect();
    (of_rows, groups)
}
