//! How the lexer of a grammar cuts a text, as languages.
//!
//! A lexer takes the longest match of the terminals that may come, and what it ignores may lie between. Both become a part
//! of the leaves of a grammar: a leaf is a lexeme, given the guard that it must not break, followed by trivia, and it
//! leaves a guard on what follows ([`super::guards`]):
//!
//! ```text
//! NAME: /[a-z]+/, "if", ignored " "       before a letter:   [a-z]+ without `if`, then one or more spaces
//!                                         before a bracket:  [a-z]+ without `if`, then any number of spaces
//! ```
//!
//! The rules of the lexer, in the order in which they decide: a higher priority wins, even when it is shorter; a lazy
//! terminal wins as soon as it matches; the longest match wins; of equal matches an ignored expression wins, then a text, then the first in Lark's order.

use std::collections::BTreeMap;
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::super::ast::RuleId;
use super::ahead::{Ahead, AheadId};
use super::bits::Bits;
use super::foreign::{Beginning, Foreign};
use super::guards::{FREE, GuardId, Guards};
use super::parts::{OccurrenceId, Parts, Symbol};
use super::places::{PlaceId, Places};
use super::run::{Run, Winners};
use super::sorted::Sorted;
use super::terminals::TerminalInfo;
use crate::interrupt::count;
use crate::regular::{ByteSet, Regular, Tag, TaggedAutomaton, TaggedState};
use crate::syntax::pattern::nullable;

/// Index of a set of rivals.
pub type RivalsId = usize;

/// Texts, each with the guard that they leave on what follows.
pub type Leaves = Vec<(GuardId, Regular)>;

/// The lexer of one grammar.
pub struct Lexer<'l> {
    pub terminals: &'l [TerminalInfo],
    pub automaton: &'l TaggedAutomaton,
    pub guards: Guards<'l>,
    pub rivals: IndexSet<Bits, FxBuildHasher>,
    /// The terminals that may be ignored.
    ignored: Vec<Tag>,
    /// By terminal: the tag of what is left out of it.
    pub left_out: Vec<Option<Tag>>,
    places: &'l Places,
    /// By place: the terminals that a lexer looks for there.
    pub at_place: Vec<RivalsId>,
    /// By occurrence: those that it looks for where the occurrence is.
    pub at_occurrence: Vec<RivalsId>,
    ahead: Ahead<'l>,
    /// By place: what comes there after trivia.
    ahead_of_place: Vec<AheadId>,
    /// By occurrence: what comes with it.
    ahead_of_occurrence: Vec<AheadId>,
    /// By rule: what comes with it.
    ahead_of_rule: Vec<AheadId>,
    lexemes: FxHashMap<(Tag, RivalsId, GuardId), Rc<Leaves>>,
    trivia: FxHashMap<(PlaceId, GuardId), Rc<Leaves>>,
    /// The same by what they are made of, which places have in common.
    trivia_of: FxHashMap<TriviaKey, Rc<Leaves>>,
    /// Lexemes with the trivia after them, by what they are made of.
    joined: FxHashMap<SmallVec<[Address; 3]>, Rc<Leaves>>,
}

/// The lexemes of an occurrence, and the trivia after each of them.
struct Pieces {
    lexemes: Rc<Leaves>,
    trivia: SmallVec<[Rc<Leaves>; 2]>,
}

/// What a lexer made, by its address: as long as the lexer keeps it, no other one has that.
type Address = usize;

impl Pieces {
    fn addresses(&self) -> SmallVec<[Address; 3]> {
        std::iter::once(&self.lexemes).chain(&self.trivia).map(|leaves| Rc::as_ptr(leaves).addr()).collect()
    }

    /// Lexemes and trivia, by the guard that both leave.
    fn pairs(&self) -> impl Iterator<Item = (GuardId, [Regular; 2])> {
        self.lexemes.iter().zip(&self.trivia).flat_map(|((_, lexeme), trivia)| {
            trivia.iter().map(|(after, trivia)| (*after, [lexeme.clone(), trivia.clone()]))
        })
    }
}

/// What decides which trivia there are.
#[derive(PartialEq, Eq, Hash)]
struct TriviaKey {
    /// What is looked for.
    rivals: RivalsId,
    /// The guards between the lexemes, in the order in which they are met.
    guards: SmallVec<[GuardId; 4]>,
    /// By lexeme, in order: the guards before and after it, as indices.
    steps: SmallVec<[(u32, u32); 4]>,
    /// By guard: what is left of it where the trivia end.
    ends: SmallVec<[GuardId; 4]>,
}

impl<'l> Lexer<'l> {
    /// The lexer of a grammar.
    pub fn new(
        parts: &Parts,
        places: &'l Places,
        terminals: &'l [TerminalInfo],
        automaton: &'l TaggedAutomaton,
    ) -> Self {
        let ignored: Vec<Tag> = (0..).zip(terminals).filter(|(_, info)| info.is_ignored).map(|(tag, _)| tag).collect();
        let mut next = terminals.len() as Tag;
        let mut tag = |info: &TerminalInfo| {
            info.left_out.as_ref().map(|_| {
                next += 1;
                next - 1
            })
        };
        let left_out = terminals.iter().map(&mut tag).collect();
        let mut ahead = Ahead::new(parts, places, automaton, ignored.clone());
        let mut of = |occurrences: &[OccurrenceId]| ahead.of_occurrences(parts, places, occurrences);
        let ahead_of_place = places.all.iter().map(|place| of(place)).collect();
        let ahead_of_occurrence = (0..parts.occurrences.len() as OccurrenceId).map(|own| of(&[own])).collect();
        let ahead_of_rule = (0..parts.rules.len()).map(|rule| of(&places.beginning(parts, rule))).collect();
        let mut rivals = IndexSet::default();
        let mut id = |set: &Bits| rivals.get_index_of(set).unwrap_or_else(|| rivals.insert_full(set.clone()).0);
        let mut ids = |sets: &[Bits]| sets.iter().map(&mut id).collect();
        let (at_place, at_occurrence) = (ids(&places.rivals), ids(&places.at));
        Self {
            terminals,
            automaton,
            guards: Guards::new(automaton),
            rivals,
            ignored,
            left_out,
            places,
            at_place,
            at_occurrence,
            ahead,
            ahead_of_place,
            ahead_of_occurrence,
            ahead_of_rule,
            lexemes: FxHashMap::default(),
            trivia: FxHashMap::default(),
            trivia_of: FxHashMap::default(),
            joined: FxHashMap::default(),
        }
    }

    /// A guard where a rule begins.
    pub fn before_rule(&mut self, rule: RuleId, guard: GuardId) -> GuardId {
        self.guards.before(guard, self.ahead_of_rule[rule as usize], &mut self.ahead)
    }

    /// The texts of an occurrence with the trivia after it, after a guard.
    pub fn leaves(&mut self, parts: &Parts, occurrence: OccurrenceId, guard: GuardId) -> Rc<Leaves> {
        let Some(pieces) = self.pieces(parts, occurrence, guard) else { return Rc::default() };
        let joined = || pieces.pairs().map(|(after, both)| (after, Regular::concat(both))).collect();
        let known = self.joined.entry(pieces.addresses()).or_insert_with(|| Rc::new(by_guard(joined())));
        Rc::clone(known)
    }

    /// The texts of an occurrence after a guard, and the trivia after them, by the guard that both leave.
    pub fn pairs(&mut self, parts: &Parts, occurrence: OccurrenceId, guard: GuardId) -> Vec<(GuardId, [Regular; 2])> {
        self.pieces(parts, occurrence, guard).map_or_else(Vec::new, |pieces| pieces.pairs().collect())
    }

    /// The same as they are kept; `None` of another language.
    fn pieces(&mut self, parts: &Parts, occurrence: OccurrenceId, guard: GuardId) -> Option<Pieces> {
        let Symbol::Terminal(terminal) = parts.occurrences[occurrence as usize].symbol else { return None };
        let guard = self.guards.before(guard, self.ahead_of_occurrence[occurrence as usize], &mut self.ahead);
        let lexemes = self.lexemes(terminal, self.at_occurrence[occurrence as usize], guard);
        let place = self.places.after[occurrence as usize];
        let trivia = lexemes.iter().map(|(between, _)| self.trivia(place, *between)).collect();
        Some(Pieces { lexemes, trivia })
    }

    /// What may be ignored after an occurrence that leaves no guard.
    pub fn trivia_after(&mut self, occurrence: OccurrenceId) -> Rc<Leaves> {
        self.trivia(self.places.after[occurrence as usize], FREE)
    }

    /// A guard where what comes after an occurrence may begin, trivia included.
    pub fn before_next(&mut self, occurrence: OccurrenceId, guard: GuardId) -> GuardId {
        let ahead = self.ahead.of_place(self.places.after[occurrence as usize]);
        self.guards.before(guard, ahead, &mut self.ahead)
    }

    /// The texts of another language with the trivia after it, after a guard, of which only `needed` can be broken by it.
    pub fn foreign_leaves(
        &mut self,
        occurrence: OccurrenceId,
        tree: &Regular,
        (guard, needed): (GuardId, GuardId),
    ) -> Leaves {
        let guarded =
            if needed == FREE { tree.clone() } else { Regular::and([tree.clone(), self.guards.language(needed)]) };
        let mut all = Leaves::new();
        let is_nullable = nullable(tree);
        let texts = if is_nullable { Regular::and([guarded, Regular::any().repeat(1, None)]) } else { guarded };
        for (after, trivia) in &*self.trivia_after(occurrence) {
            all.push((*after, Regular::concat([texts.clone(), trivia.clone()])));
        }
        if is_nullable {
            all.extend(self.trivia(self.places.after[occurrence as usize], guard).iter().cloned());
        }
        by_guard(all)
    }

    /// A guard as far as another language can break it.
    pub fn before_foreign(&mut self, foreign: &Foreign, guard: GuardId) -> GuardId {
        let first = self.minterms_of(foreign.first);
        let is_end = foreign.first.iter().any(|byte| byte >= 0xF8); // a control token, which no condition reads
        self.guards.before_first(guard, &first, is_end)
    }

    /// What another language may begin with after a guard, if the guard is broken or free by then, and that is regular.
    pub fn guarded_beginning(&mut self, foreign: &Foreign, guard: GuardId) -> Option<Regular> {
        let Beginning { tree, next, .. } = foreign.beginning.as_ref()?;
        let next = self.minterms_of(*next);
        let is_over = self.guards.is_of_one_character(guard) && self.guards.before_first(guard, &next, false) == FREE;
        is_over.then(|| Regular::and([tree.clone(), self.guards.language(guard)]))
    }

    /// The minterms that begin with one of some bytes.
    fn minterms_of(&self, bytes: ByteSet) -> Bits {
        let mut minterms = Bits::new(usize::from(self.automaton.minterms()));
        for byte in bytes.iter() {
            match byte {
                ..0x80 => minterms.insert(u32::from(self.automaton.minterm(char::from(byte)))),
                0xF8.. => {} // a letter of a control token begins with no character
                _ => return Bits::all(usize::from(self.automaton.minterms())),
            }
        }
        minterms
    }

    /// What may be ignored in a place, after a guard, with the guards on what comes in that place.
    pub fn trivia(&mut self, place: PlaceId, guard: GuardId) -> Rc<Leaves> {
        if let Some(known) = self.trivia.get(&(place, guard)) {
            return Rc::clone(known);
        }
        let made = self.find_trivia(place, guard);
        self.trivia.insert((place, guard), Rc::clone(&made));
        made
    }

    fn find_trivia(&mut self, place: PlaceId, guard: GuardId) -> Rc<Leaves> {
        let key = self.trivia_key(place, guard);
        if let Some(known) = self.trivia_of.get(&key) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.trivia_of_key(&key));
        self.trivia_of.insert(key, Rc::clone(&made));
        made
    }

    fn trivia_key(&mut self, place: PlaceId, guard: GuardId) -> TriviaKey {
        let (ahead, after_trivia) = (self.ahead.of_place(place), self.ahead_of_place[place as usize]);
        let (rivals, mut steps) = (self.at_place[place as usize], SmallVec::new());
        let mut guards = SmallVec::from_slice(&[self.guards.before(guard, ahead, &mut self.ahead)]);
        let mut at = 0;
        while let Some(&from) = guards.get(at) {
            for ignored in 0..self.ignored.len() {
                for (after, _) in &*self.lexemes(self.ignored[ignored], rivals, from) {
                    count(guards.len());
                    let after = self.guards.before(*after, ahead, &mut self.ahead);
                    let to = guards.iter().position(|&known| known == after).unwrap_or_else(|| {
                        guards.push(after);
                        guards.len() - 1
                    });
                    steps.push((at as u32, to as u32));
                }
            }
            at += 1;
        }
        let ends = guards.iter().map(|&guard| self.guards.before(guard, after_trivia, &mut self.ahead)).collect();
        TriviaKey { rivals, guards, steps, ends }
    }

    fn trivia_of_key(&mut self, TriviaKey { rivals, guards, steps, ends }: &TriviaKey) -> Leaves {
        let mut lexemes = Vec::with_capacity(steps.len());
        for &guard in guards {
            for ignored in 0..self.ignored.len() {
                let found = self.lexemes(self.ignored[ignored], *rivals, guard);
                lexemes.extend(found.iter().map(|(_, tree)| tree.clone()));
            }
        }
        let edge = |(&(from, to), tree)| (from as usize, to as usize, tree);
        let edges: Vec<(usize, usize, Regular)> = steps.iter().zip(lexemes).map(edge).collect();
        let distinct: Sorted<GuardId> = ends.iter().copied().collect();
        let tree = |end: GuardId| (end, language_between(guards.len(), &edges, |at| ends[at] == end));
        distinct.into_iter().map(tree).collect()
    }

    /// The texts of a terminal among rivals, after a guard.
    fn lexemes(&mut self, tag: Tag, rivals: RivalsId, guard: GuardId) -> Rc<Leaves> {
        if let Some(known) = self.lexemes.get(&(tag, rivals, guard)) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.run(tag, rivals, guard).leaves(self));
        self.lexemes.insert((tag, rivals, guard), Rc::clone(&made));
        made
    }

    /// If a terminal never comes among rivals: one of those that are taken for its texts.
    pub fn winner(&mut self, tag: Tag, rivals: RivalsId) -> Option<Tag> {
        let run = self.run(tag, rivals, FREE);
        run.taken.iter().chain(run.cutting.iter()).next().filter(|_| run.ends.iter().all(Option::is_none))
    }

    fn run(&mut self, tag: Tag, rivals: RivalsId, guard: GuardId) -> Run {
        let all = self.rivals[rivals].clone();
        let (terminals, own) = (self.terminals, &self.terminals[tag as usize]);
        let of = |keeps: &dyn Fn(&TerminalInfo) -> bool| {
            let mut kept = Bits::new(terminals.len());
            all.iter().filter(|&rival| keeps(&terminals[rival as usize])).for_each(|rival| kept.insert(rival));
            kept
        };
        let shorter = of(&|rival| wins_if_shorter(rival, own));
        let mut longer = of(&|rival| wins_if_longer(rival, own));
        longer.insert(tag);
        Run::new(self, tag, guard, &Winners { all, shorter, longer })
    }
}

/// Texts by the guard that they leave, each guard once.
fn by_guard(mut all: Leaves) -> Leaves {
    if all.len() < 2 {
        return all;
    }
    all.sort_by_key(|(guard, _)| *guard);
    let runs = all.chunk_by(|one, other| one.0 == other.0);
    runs.map(|run| (run[0].0, Regular::or(run.iter().map(|(_, tree)| tree.clone())))).collect()
}

/// Whether one terminal is taken instead of another one that matches more.
pub fn wins_if_shorter(rival: &TerminalInfo, own: &TerminalInfo) -> bool {
    rival.rank > own.rank || rival.rank == own.rank && own.rank.is_lazy
}

/// Whether one terminal is taken instead of another one that matches less.
pub fn wins_if_longer(rival: &TerminalInfo, own: &TerminalInfo) -> bool {
    rival.rank > own.rank || rival.rank == own.rank && !own.rank.is_lazy
}

/// Whether one terminal is taken where a text is in both. A text is taken before an expression that also matches it where
/// nothing follows (`embeds`); of others, the first is.
pub fn wins(rival: &TerminalInfo, own: &TerminalInfo, embeds: bool) -> bool {
    match (rival.is_text, own.is_text) {
        _ if rival.rank != own.rank => rival.rank > own.rank,
        (true, false) if embeds => !own.is_ignored,
        (false, true) if embeds => rival.is_ignored,
        _ => rival.order < own.order,
    }
}

/// What a lexer finds up to the end of a text, in a state of the automaton of all terminals.
pub struct Found<'f> {
    pub automaton: &'f TaggedAutomaton,
    pub terminals: &'f [TerminalInfo],
    pub state: TaggedState,
}

impl Found<'_> {
    /// The terminals that it is one of, whatever follows.
    pub fn certain(&self) -> impl Iterator<Item = Tag> + '_ {
        let tags = self.automaton.accepts(self.state).iter().copied();
        tags.filter(|&tag| (tag as usize) < self.terminals.len() && !self.automaton.is_followed(tag))
    }

    /// Those that it is one of if the right text follows, each with the state before that.
    pub fn open(&self) -> impl Iterator<Item = (Tag, TaggedState)> + '_ {
        self.automaton.accepts_if(self.state)
    }

    /// Both.
    pub fn matching(&self) -> impl Iterator<Item = Tag> + '_ {
        self.certain().chain(self.open().map(|(tag, _)| tag))
    }

    /// Whether an expression also matches a terminal that is a text, as it is written and where nothing follows.
    pub fn embeds(&self, text: Tag, expression: Tag) -> bool {
        let found = Found { state: self.state_as_written(text), ..*self };
        let is_met =
            |(own, after): (Tag, TaggedState)| own == expression && self.automaton.accepts(after).contains(&own);
        found.certain().any(|tag| tag == expression) || found.open().any(is_met)
    }

    /// The state after a text as it is written: for the lexer this decides, whatever the case of the letters that it reads.
    fn state_as_written(&self, text: Tag) -> TaggedState {
        let Some(written) = &self.terminals[text as usize].written else { return self.state };
        let step = |state, c| self.automaton.step(state, self.automaton.minterm(c));
        written.chars().fold(self.automaton.start(), step)
    }

    /// Whether another terminal is taken where the text is in both.
    pub fn is_taken_by(&self, rival: Tag, own: Tag) -> bool {
        let [rival_info, own_info] = [rival, own].map(|tag| &self.terminals[tag as usize]);
        let embeds = match (rival_info.is_text, own_info.is_text) {
            (true, false) => self.embeds(rival, own),
            (false, true) => self.embeds(own, rival),
            _ => false,
        };
        rival != own && wins(rival_info, own_info, embeds)
    }

    /// The expressions that decide whether a text comes at all: a lexer like Lark's looks for the expression instead, if it
    /// also matches the text where nothing follows, and has the flags of the text. None if one of them matches whatever
    /// follows.
    pub fn deciding(&self, own: Tag, rivals: &Bits) -> Vec<(Tag, TaggedState)> {
        let info = &self.terminals[own as usize];
        let is_expression = |tag: Tag| {
            let other = &self.terminals[tag as usize];
            rivals.contains(tag) && other.rank == info.rank && !other.is_text
        };
        if !info.is_text || self.certain().any(|tag| is_expression(tag) && self.embeds(own, tag)) {
            return Vec::new();
        }
        let has_flags = |tag: Tag| self.terminals[tag as usize].ignores_case || !info.ignores_case;
        self.open().filter(|&(tag, _)| is_expression(tag) && has_flags(tag) && self.embeds(own, tag)).collect()
    }
}

/// The texts along the edges of a graph from its first node to those at which a text may end (Brzozowski and
/// `McCluskey` 1963: nodes are removed one by one).
fn language_between(nodes: usize, edges: &[(usize, usize, Regular)], ends: impl Fn(usize) -> bool) -> Regular {
    let (begin, end) = (nodes, nodes + 1);
    let mut between: BTreeMap<(usize, usize), Vec<Regular>> = BTreeMap::new();
    for (from, to, tree) in edges {
        between.entry((*from, *to)).or_default().push(tree.clone());
    }
    between.entry((begin, 0)).or_default().push(Regular::Empty);
    (0..nodes).filter(|&node| ends(node)).for_each(|node| between.entry((node, end)).or_default().push(Regular::Empty));
    for node in (0..nodes).rev() {
        let around = between.remove(&(node, node)).map_or(Regular::Empty, |trees| any_number(Regular::or(trees)));
        count(between.len());
        let own = |(from, to): &(usize, usize)| *from == node || *to == node;
        let touching: Vec<_> = between.keys().copied().filter(own).collect();
        let (into, out): (Vec<_>, Vec<_>) = touching
            .into_iter()
            .filter_map(|key| Some((key, Regular::or(between.remove(&key)?))))
            .partition(|((_, to), _)| *to == node);
        for ((from, _), first) in &into {
            count(out.len());
            for ((_, to), last) in &out {
                let way = Regular::concat([first.clone(), around.clone(), last.clone()]);
                between.entry((*from, *to)).or_default().push(way);
            }
        }
    }
    between.remove(&(begin, end)).map_or(Regular::Never, optional_ways)
}

/// Any of some ways; one way that may be left out is an optional one.
fn optional_ways(ways: Vec<Regular>) -> Regular {
    let (empty, others): (Vec<_>, Vec<_>) = ways.into_iter().partition(|way| *way == Regular::Empty);
    match (&empty[..], &others[..]) {
        ([], _) | (_, []) => Regular::or(empty.into_iter().chain(others)),
        (_, [Regular::Repeat(body, 1, high)]) => Regular::Repeat(body.clone(), 0, *high),
        _ => Regular::or(others).optional(),
    }
}

/// Any number of texts of a tree; of a repeated class, any number of its characters.
pub fn any_number(tree: Regular) -> Regular {
    match tree.class_times() {
        Some((class, 0 | 1, None)) => class.clone().repeat(0, None),
        _ => tree.repeat(0, None),
    }
}
