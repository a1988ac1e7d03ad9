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

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::RuleId;
use super::ahead::{Ahead, AheadId};
use super::bits::Bits;
use super::foreign::{Beginning, Foreign};
use super::guards::{BROKEN, FREE, GuardId, Guards};
use super::parts::{OccurrenceId, Parts, Symbol};
use super::places::{PlaceId, Places};
use super::terminals::TerminalInfo;
use crate::interrupt::count;
use crate::regular::{ByteSet, ExplicitState, MARK, Regular, Tag, TaggedAutomaton, TaggedState, explicit};
use crate::syntax::pattern::nullable;

/// Index of a set of rivals.
pub type RivalsId = usize;

/// Texts, each with the guard that they leave on what follows.
pub type Leaves = Vec<(GuardId, Regular)>;

/// The lexer of one grammar.
pub struct Lexer<'l> {
    terminals: &'l [TerminalInfo],
    automaton: &'l TaggedAutomaton,
    pub guards: Guards<'l>,
    pub rivals: IndexSet<Bits, FxBuildHasher>,
    /// The terminals that may be ignored.
    ignored: Vec<Tag>,
    /// By terminal: the tag of what is left out of it.
    left_out: Vec<Option<Tag>>,
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
    lexemes: FxHashMap<(Tag, RivalsId, GuardId), Leaves>,
    trivia: FxHashMap<(PlaceId, GuardId), Leaves>,
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
        }
    }

    /// A guard where a rule begins.
    pub fn before_rule(&mut self, rule: RuleId, guard: GuardId) -> GuardId {
        self.guards.before(guard, self.ahead_of_rule[rule as usize], &mut self.ahead)
    }

    /// The texts of an occurrence with the trivia after it, after a guard.
    pub fn leaves(&mut self, parts: &Parts, occurrence: OccurrenceId, guard: GuardId) -> Leaves {
        let mut all: BTreeMap<GuardId, Vec<Regular>> = BTreeMap::new();
        for (after, both) in self.pairs(parts, occurrence, guard) {
            all.entry(after).or_default().push(Regular::concat(both));
        }
        all.into_iter().map(|(guard, trees)| (guard, Regular::or(trees))).collect()
    }

    /// The texts of an occurrence after a guard, and the trivia after them, by the guard that both leave.
    pub fn pairs(&mut self, parts: &Parts, occurrence: OccurrenceId, guard: GuardId) -> Vec<(GuardId, [Regular; 2])> {
        let Symbol::Terminal(terminal) = parts.occurrences[occurrence as usize].symbol else { return Vec::new() };
        let guard = self.guards.before(guard, self.ahead_of_occurrence[occurrence as usize], &mut self.ahead);
        let lexemes = self.lexemes(terminal, self.at_occurrence[occurrence as usize], guard);
        let place = self.places.after[occurrence as usize];
        let mut all = Vec::new();
        for (between, lexeme) in lexemes {
            let trivia = self.trivia(place, between).into_iter();
            all.extend(trivia.map(|(after, trivia)| (after, [lexeme.clone(), trivia])));
        }
        all
    }

    /// What may be ignored after an occurrence that leaves no guard.
    pub fn trivia_after(&mut self, occurrence: OccurrenceId) -> Leaves {
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
        let mut all: BTreeMap<GuardId, Vec<Regular>> = BTreeMap::new();
        let is_nullable = nullable(tree);
        let texts = if is_nullable { Regular::and([guarded, Regular::any().repeat(1, None)]) } else { guarded };
        for (after, trivia) in self.trivia_after(occurrence) {
            all.entry(after).or_default().push(Regular::concat([texts.clone(), trivia]));
        }
        if is_nullable {
            for (after, trivia) in self.trivia(self.places.after[occurrence as usize], guard) {
                all.entry(after).or_default().push(trivia);
            }
        }
        all.into_iter().map(|(guard, trees)| (guard, Regular::or(trees))).collect()
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
    pub fn trivia(&mut self, place: PlaceId, guard: GuardId) -> Leaves {
        if let Some(known) = self.trivia.get(&(place, guard)) {
            return known.clone();
        }
        let made = self.find_trivia(place, guard);
        self.trivia.insert((place, guard), made.clone());
        made
    }

    fn find_trivia(&mut self, place: PlaceId, guard: GuardId) -> Leaves {
        let (ahead, after_trivia) = (self.ahead.of_place(place), self.ahead_of_place[place as usize]);
        let first = self.guards.before(guard, ahead, &mut self.ahead);
        let (mut guards, mut edges, mut at) = (vec![first], Vec::new(), 0);
        while at < guards.len() {
            for tag in self.ignored.clone() {
                for (after, lexeme) in self.lexemes(tag, self.at_place[place as usize], guards[at]) {
                    count(guards.len());
                    let after = self.guards.before(after, ahead, &mut self.ahead);
                    let to = guards.iter().position(|&known| known == after).unwrap_or_else(|| {
                        guards.push(after);
                        guards.len() - 1
                    });
                    edges.push((at, to, lexeme));
                }
            }
            at += 1;
        }
        let before = |&guard: &GuardId| self.guards.before(guard, after_trivia, &mut self.ahead);
        let ends: Vec<GuardId> = guards.iter().map(before).collect();
        let mut distinct = ends.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let tree = |end: GuardId| (end, language_between(guards.len(), &edges, |at| ends[at] == end));
        distinct.into_iter().map(tree).collect()
    }

    /// The texts of a terminal among rivals, after a guard.
    fn lexemes(&mut self, tag: Tag, rivals: RivalsId, guard: GuardId) -> Leaves {
        if let Some(known) = self.lexemes.get(&(tag, rivals, guard)) {
            return known.clone();
        }
        let made = self.find_lexemes(tag, rivals, guard);
        self.lexemes.insert((tag, rivals, guard), made.clone());
        made
    }

    fn find_lexemes(&mut self, tag: Tag, rivals: RivalsId, guard: GuardId) -> Leaves {
        self.run(tag, rivals, guard).leaves(self)
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
    fn certain(&self) -> impl Iterator<Item = Tag> + '_ {
        let tags = self.automaton.accepts(self.state).iter().copied();
        tags.filter(|&tag| (tag as usize) < self.terminals.len() && !self.automaton.is_followed(tag))
    }

    /// Those that it is one of if the right text follows, each with the state before that.
    fn open(&self) -> impl Iterator<Item = (Tag, TaggedState)> + '_ {
        self.automaton.accepts_if(self.state)
    }

    /// Both.
    pub fn matching(&self) -> impl Iterator<Item = Tag> + '_ {
        self.certain().chain(self.open().map(|(tag, _)| tag))
    }

    /// Whether the text is one of a terminal where nothing follows.
    fn embeds(&self, tag: Tag) -> bool {
        let is_met = |(own, after): (Tag, TaggedState)| own == tag && self.automaton.accepts(after).contains(&tag);
        !self.automaton.is_followed(tag) || self.open().any(is_met)
    }

    /// Whether another terminal is taken where the text is in both.
    pub fn is_taken_by(&self, rival: Tag, own: Tag) -> bool {
        let [rival_info, own_info] = [rival, own].map(|tag| &self.terminals[tag as usize]);
        let expression = if own_info.is_text { rival } else { own };
        rival != own && wins(rival_info, own_info, self.embeds(expression))
    }

    /// The expressions that decide whether a text comes at all: a lexer like Lark's looks for the expression instead, if it
    /// also matches the text where nothing follows. None if one of them matches whatever follows.
    pub fn deciding(&self, own: Tag, rivals: &Bits) -> Vec<(Tag, TaggedState)> {
        let info = &self.terminals[own as usize];
        let is_expression = |tag: Tag| {
            let other = &self.terminals[tag as usize];
            rivals.contains(tag) && other.rank == info.rank && !other.is_text
        };
        if !info.is_text || self.certain().any(is_expression) {
            return Vec::new();
        }
        self.open().filter(|&(tag, _)| is_expression(tag) && self.embeds(tag)).collect()
    }
}

/// The terminals that are taken instead of another one where their match is shorter or longer.
struct Winners {
    /// All rivals, which may be taken where their match is equal.
    all: Bits,
    shorter: Bits,
    longer: Bits,
}

/// The texts of a terminal, read by the automaton of all terminals and by a guard at once.
struct Run {
    tag: Tag,
    guard: GuardId,
    states: Vec<(TaggedState, GuardId)>,
    /// By state: where minterms lead.
    rows: Vec<Vec<Option<u32>>>,
    /// By state where a text ends: the guard that it leaves.
    ends: Vec<Option<GuardId>>,
    /// Terminals that are taken instead inside some text.
    cutting: Bits,
    /// Terminals that are taken instead for some text.
    taken: Bits,
    /// Whether the guard is broken by some text.
    is_broken: bool,
    /// Whether it depends on what follows which texts there are.
    is_conditional: bool,
}

impl Run {
    fn new(lexer: &mut Lexer<'_>, tag: Tag, guard: GuardId, winners: &Winners) -> Self {
        let (automaton, tags) = (lexer.automaton, lexer.terminals.len());
        let mut run = Self {
            tag,
            guard,
            states: vec![(automaton.start(), guard)],
            rows: Vec::new(),
            ends: Vec::new(),
            cutting: Bits::new(tags),
            taken: Bits::new(tags),
            is_broken: false,
            is_conditional: automaton.is_followed(tag),
        };
        let mut ids = FxHashMap::from_iter([(run.states[0], 0)]);
        let mark = automaton.is_followed(tag).then(|| automaton.minterm(MARK)); // what follows does not belong to the text
        let mut at = 0;
        while at < run.states.len() {
            let (state, guard) = run.states[at];
            let found = Found { automaton, terminals: lexer.terminals, state };
            let cutting: Vec<Tag> = found.certain().filter(|&rival| winners.shorter.contains(rival)).collect();
            let cutting_if: Vec<_> = found.open().filter(|&(rival, _)| winners.shorter.contains(rival)).collect();
            run.is_conditional |= !cutting_if.is_empty();
            let onward = lexer.guards.with_conditions(guard, &cutting_if, false);
            let is_left_out = lexer.left_out[tag as usize].is_some_and(|tag| automaton.accepts(state).contains(&tag));
            run.is_conditional |= is_left_out;
            let end = if is_left_out { None } else { run.end_at(&mut lexer.guards, winners, &found, guard) };
            run.ends.push(end);
            count(usize::from(automaton.minterms()));
            let row = (0..automaton.minterms()).map(|minterm| {
                let (next, guard) = (automaton.step(state, minterm), lexer.guards.step(onward, minterm));
                if automaton.alive(next).binary_search(&tag).is_err() || mark == Some(minterm) {
                    return None;
                }
                if !cutting.is_empty() {
                    for &other in &cutting {
                        run.cutting.insert(other);
                    }
                    return None;
                }
                if guard == BROKEN {
                    run.is_broken = true;
                    return None;
                }
                Some(*ids.entry((next, guard)).or_insert_with(|| {
                    run.states.push((next, guard));
                    run.states.len() as u32 - 1
                }))
            });
            let row = row.collect();
            run.rows.push(row);
            at += 1;
        }
        run
    }

    /// The guard that a text leaves which ends where something is found, if it may.
    fn end_at(
        &mut self,
        guards: &mut Guards<'_>,
        winners: &Winners,
        found: &Found<'_>,
        guard: GuardId,
    ) -> Option<GuardId> {
        let own = found.open().find(|(own, _)| *own == self.tag);
        if own.is_none() && !found.certain().any(|own| own == self.tag) {
            return None;
        }
        let is_winner = |rival: Tag| winners.all.contains(rival) && found.is_taken_by(rival, self.tag);
        let taken: Vec<Tag> = found.certain().filter(|&rival| is_winner(rival)).collect();
        let taken_if: Vec<_> = found.open().filter(|&(rival, _)| is_winner(rival)).collect();
        let asked: Vec<_> = found.deciding(self.tag, &winners.all).into_iter().chain(own).collect();
        self.is_conditional |= !taken_if.is_empty() || !asked.is_empty();
        for &winner in &taken {
            self.taken.insert(winner);
        }
        if !taken.is_empty() {
            return None;
        }
        let longer = guards.longer(found.state, &winners.longer);
        let left = guards.either(longer, guard);
        let left = guards.with_conditions(left, &asked, true);
        Some(guards.with_conditions(left, &taken_if, false)).filter(|&left| left != BROKEN)
    }

    /// The texts by the guard that they leave.
    fn leaves(&self, lexer: &Lexer<'_>) -> Leaves {
        let mut guards: Vec<GuardId> = self.ends.iter().copied().flatten().collect();
        guards.sort_unstable();
        guards.dedup();
        match guards[..] {
            [only] if !self.is_conditional => vec![(only, self.tree(lexer))],
            _ => guards.iter().filter_map(|&guard| Some((guard, self.part(lexer, guard)?))).collect(),
        }
    }

    /// All texts: those of the terminal without what rivals and the guard exclude.
    fn tree(&self, lexer: &Lexer<'_>) -> Regular {
        let trees = |tags: &Bits| tags.iter().map(|tag| lexer.terminals[tag as usize].tree.clone()).collect::<Vec<_>>();
        let mut all = vec![lexer.terminals[self.tag as usize].tree.clone()];
        let (taken, cutting) = (trees(&self.taken), trees(&self.cutting));
        if !taken.is_empty() {
            all.push(Regular::or(taken).not());
        }
        if !cutting.is_empty() {
            all.push(Regular::concat([Regular::or(cutting), Regular::any().repeat(1, None)]).not());
        }
        if self.is_broken {
            all.push(lexer.guards.language(self.guard));
        }
        Regular::and(all)
    }

    /// The texts that leave one of several guards.
    fn part(&self, lexer: &Lexer<'_>, guard: GuardId) -> Option<Regular> {
        let useful = self.useful(guard);
        let mut numbers = vec![0_u32; self.states.len()];
        let kept: Vec<usize> = (0..self.states.len()).filter(|&state| useful[state]).collect();
        kept.iter().zip(0..).for_each(|(&state, number)| numbers[state] = number);
        if !useful[0] {
            return None;
        }
        let state = |&state: &usize| {
            let row = &self.rows[state];
            count(row.len());
            let mut targets: Vec<u32> = row.iter().flatten().copied().filter(|&to| useful[to as usize]).collect();
            targets.sort_unstable();
            targets.dedup();
            let edge = |&to: &u32| {
                let class = lexer.automaton.ranges_of(|minterm| row[usize::from(minterm)] == Some(to));
                (class, numbers[to as usize])
            };
            ExplicitState { edges: targets.iter().map(edge).collect(), is_accepting: self.ends[state] == Some(guard) }
        };
        Some(explicit(kept.iter().map(state).collect(), 0))
    }

    /// The states on a way to a text that leaves a guard.
    fn useful(&self, guard: GuardId) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.states.len()];
        for (from, row) in self.rows.iter().enumerate() {
            count(row.len());
            row.iter().flatten().for_each(|&to| before[to as usize].push(from));
        }
        let mut useful = vec![false; self.states.len()];
        let mut open: Vec<usize> = (0..self.states.len()).filter(|&state| self.ends[state] == Some(guard)).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut useful[state], true) {
                open.extend(&before[state]);
            }
        }
        useful
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
