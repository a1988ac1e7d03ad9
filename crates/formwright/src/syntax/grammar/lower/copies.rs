//! The rules of a grammar as nodes of a graph, one copy of a rule for each pair of guards.
//!
//! A rule that begins after a guard has other texts than the same rule elsewhere, and its texts leave guards of their own.
//! So a copy `X(a, b)` of a rule has the texts that may come after the guard `a` and leave the guard `b`. Which copies there
//! are is a least fixpoint: from the start rule on, the guards that a rule may leave are found for each guard that it is
//! met with. A guard that what comes cannot break is dropped first, so most rules have one copy.
//!
//! Without a lexer there are no guards, and each rule has one copy.

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ast::{Grammar, RuleId};
use super::bounds::{Most, bounded_leaf};
use super::guards::{FREE, GuardId};
use super::lexer::{Leaves, Lexer};
use super::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use super::sorted::Sorted;
use super::{Foreign, RuleAtWork};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{Graph, Node, NodeId};
use crate::limits::Limits;
use crate::regular::{Encoding, Regular};

/// Guards, ascending.
pub type GuardSet = Sorted<GuardId>;

/// How a grammar is cut into lexemes.
pub enum Lexing<'l> {
    /// Not at all.
    Any(Whole),
    /// As a lexer does it.
    Lexer(Box<Lexer<'l>>),
}

/// The texts of the parts of a grammar without a lexer.
pub struct Whole {
    /// By occurrence: its texts with what may be ignored after them; of another language, only what may be ignored.
    pub trees: Vec<Regular>,
    /// By part: its texts, if it is regular, and how many nodes their tree has.
    pub fused: Vec<Option<(Regular, usize)>>,
    /// What may be ignored.
    pub trivia: Regular,
}

impl Whole {
    /// The texts of a part, if it is regular.
    fn tree(&self, part: PartId) -> Option<Regular> {
        self.fused[part as usize].as_ref().map(|(tree, _)| tree.clone())
    }
}

/// What a copy of a rule may leave, and which copies depend on it.
#[derive(Default)]
struct Known {
    guards: GuardSet,
    readers: BTreeSet<usize>,
}

/// The copies made so far.
pub struct Copies<'c> {
    grammar: &'c Grammar,
    pub parts: &'c Parts,
    pub nullable: &'c [bool],
    foreign: &'c [Foreign],
    lexing: Lexing<'c>,
    limits: &'c Limits,
    pub at: &'c RuleAtWork,
    known: IndexMap<(RuleId, GuardId), Known, FxBuildHasher>,
    /// Copies to look at again.
    open: BTreeSet<usize>,
    pub graph: Graph,
    rules: FxHashMap<(RuleId, GuardId, GuardId), NodeId>,
    /// The nodes of parts, by part and the guards before and after it; `None` where a part has no text.
    nodes: FxHashMap<(PartId, GuardId, GuardId), Option<NodeId>>,
    /// Copies whose nodes are to be made.
    to_make: Vec<(RuleId, GuardId, GuardId)>,
    texts: FxHashMap<Regular, NodeId>,
    /// The same by the address of leaves, and by leaf.
    texts_of_leaves: FxHashMap<(usize, usize), NodeId>,
    leaves: FxHashMap<(OccurrenceId, GuardId), Rc<Leaves>>,
    /// The guards that parts leave, by part and the guard before it: for one look at a copy, then for all.
    left: FxHashMap<(PartId, GuardId), Rc<GuardSet>>,
    imported: Vec<Option<NodeId>>,
    /// Occurrences of other languages that would have to respect a guard.
    pub unguarded: BTreeSet<OccurrenceId>,
}

impl<'c> Copies<'c> {
    pub fn new(
        grammar: &'c Grammar,
        parts: &'c Parts,
        nullable: &'c [bool],
        foreign: &'c [Foreign],
        lexing: Lexing<'c>,
        (limits, at): (&'c Limits, &'c RuleAtWork),
    ) -> Self {
        Self {
            grammar,
            parts,
            nullable,
            foreign,
            lexing,
            limits,
            at,
            known: IndexMap::default(),
            open: BTreeSet::new(),
            graph: Graph::default(),
            rules: FxHashMap::default(),
            nodes: FxHashMap::default(),
            to_make: Vec::new(),
            texts: FxHashMap::default(),
            texts_of_leaves: FxHashMap::default(),
            leaves: FxHashMap::default(),
            left: FxHashMap::default(),
            imported: vec![None; foreign.len()],
            unguarded: BTreeSet::new(),
        }
    }

    /// Makes the nodes of a grammar that begins with the rule `start`, after what may be ignored before it.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when there are too many nodes.
    pub fn make(&mut self, start: RuleId, ignores_at_start: bool) -> Result<NodeId> {
        let before = match &mut self.lexing {
            _ if !ignores_at_start => vec![(FREE, Regular::Empty)],
            Lexing::Any(whole) => vec![(FREE, whole.trivia.clone())],
            Lexing::Lexer(lexer) => lexer.trivia(0, FREE).to_vec(),
        };
        let mut options = Vec::new();
        for (guard, trivia) in before {
            let guard = self.enter(start, guard);
            if matches!(self.lexing, Lexing::Lexer(_)) {
                self.find_guards((start, guard));
            }
            let all = self.guards_after_rule(start, guard);
            for after in all.into_iter().filter(|&after| !self.is_broken_by_end(after)).collect::<Vec<_>>() {
                let trivia = self.text(trivia.clone());
                let rule = self.rule(start, guard, after);
                options.push(self.sequence(&[trivia, rule]));
            }
        }
        self.make_open()?;
        Ok(self.graph.choice(options))
    }

    /// Makes the nodes of some rules of a grammar without a lexer.
    ///
    /// # Errors
    /// As [`Copies::make`].
    pub fn make_rules(&mut self, rules: &[RuleId]) -> Result<Vec<NodeId>> {
        let nodes = rules.iter().map(|&rule| self.rule(rule, FREE, FREE)).collect();
        self.make_open()?;
        Ok(nodes)
    }

    /// Makes the nodes of the copies that were met.
    fn make_open(&mut self) -> Result<()> {
        while let Some((rule, guard, after)) = self.to_make.pop() {
            self.at.set(Some(self.parts.written[rule as usize]));
            let body = self.node(self.parts.rules[rule as usize], guard, after)?;
            let own = self.rules[&(rule, guard, after)];
            self.graph.nodes[own as usize] = body.map_or(Node::Never, Node::Rule);
            self.check_size()?;
        }
        Ok(())
    }

    /// The nodes of the other languages that were met, by their places among all.
    pub fn foreign_nodes(&self) -> impl Iterator<Item = (usize, NodeId)> + '_ {
        self.imported.iter().enumerate().filter_map(|(at, node)| Some((at, (*node)?)))
    }

    fn is_broken_by_end(&self, guard: GuardId) -> bool {
        matches!(&self.lexing, Lexing::Lexer(lexer) if lexer.guards.is_broken_by_end(guard))
    }

    pub fn check_size(&self) -> Result<()> {
        let nodes = self.graph.nodes.len();
        if nodes > self.limits.nodes { Err(Error::limit("nodes", nodes, self.limits.nodes)) } else { Ok(()) }
    }

    // Which guards are left.

    /// The guard after which a rule begins, where it comes after another one: what the rule cannot break is dropped.
    fn enter(&mut self, rule: RuleId, guard: GuardId) -> GuardId {
        match &mut self.lexing {
            Lexing::Lexer(lexer) if guard != FREE => lexer.before_rule(rule, guard),
            _ => guard,
        }
    }

    /// Finds the guards that a copy of a rule leaves, and those of all copies that it is made of.
    fn find_guards(&mut self, copy: (RuleId, GuardId)) {
        let index = self.copy(copy);
        self.open.insert(index);
        while let Some(index) = self.open.pop_first() {
            let Some((&(rule, guard), _)) = self.known.get_index(index) else { continue };
            self.at.set(Some(self.parts.written[rule as usize]));
            self.left.clear();
            let found = self.guards_after(self.parts.rules[rule as usize], guard, Some(index));
            let known = &mut self.known[index];
            let before = known.guards.len();
            known.guards.extend(found);
            if known.guards.len() > before {
                self.open.extend(known.readers.iter().copied());
            }
        }
        self.left.clear();
    }

    fn copy(&mut self, copy: (RuleId, GuardId)) -> usize {
        let next = self.known.len();
        let entry = self.known.entry(copy);
        let index = entry.index();
        entry.or_default();
        if index == next {
            self.open.insert(index);
        }
        index
    }

    fn guards_after_rule(&self, rule: RuleId, guard: GuardId) -> GuardSet {
        if matches!(self.lexing, Lexing::Any(_)) {
            return GuardSet::from([FREE]);
        }
        self.known.get(&(rule, guard)).map_or_else(GuardSet::new, |known| known.guards.clone())
    }

    /// The guards that a part may leave after a guard, once those of all copies are known.
    pub fn guards_left(&mut self, part: PartId, guard: GuardId) -> Rc<GuardSet> {
        if let Some(known) = self.left.get(&(part, guard)) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.guards_after(part, guard, None));
        self.left.insert((part, guard), Rc::clone(&found));
        found
    }

    /// The guards that a part may leave after a guard, as far as they are known; `reader` is the copy that asks.
    fn guards_after(&mut self, part: PartId, guard: GuardId, reader: Option<usize>) -> GuardSet {
        count(1);
        let parts = self.parts;
        match parts.get(part) {
            Part::Occurrence(occurrence) => self.leaves(*occurrence, guard).iter().map(|(after, _)| *after).collect(),
            Part::Rule(rule) => {
                let copy = (*rule, self.enter(*rule, guard));
                let index = self.copy(copy);
                self.known[index].readers.extend(reader);
                self.known[index].guards.clone()
            }
            Part::Choice(all) => self.guards_after_all(all.iter().map(|&part| (part, guard)), reader),
            Part::Sequence(all) => all.iter().fold(GuardSet::from([guard]), |guards, &part| {
                self.guards_after_all(guards.into_iter().map(|guard| (part, guard)), reader)
            }),
            Part::Repeat(body, low, high) => {
                if let Some(known) = self.left.get(&(part, guard)) {
                    return GuardSet::clone(known); // nested repetitions ask for each other's rounds again and again
                }
                let found = self.guards_after_rounds(*body, (*low, *high), guard, reader);
                self.left.insert((part, guard), Rc::new(found.clone()));
                found
            }
        }
    }

    /// The guards that any of some parts may leave, each after a guard.
    fn guards_after_all(
        &mut self,
        mut all: impl Iterator<Item = (PartId, GuardId)>,
        reader: Option<usize>,
    ) -> GuardSet {
        let Some((part, guard)) = all.next() else { return GuardSet::new() };
        let mut found = self.guards_after(part, guard, reader);
        for (part, guard) in all {
            found.extend(self.guards_after(part, guard, reader));
        }
        found
    }

    fn guards_after_rounds(
        &mut self,
        body: PartId,
        (low, high): (u32, Option<u32>),
        guard: GuardId,
        reader: Option<usize>,
    ) -> GuardSet {
        let (mut all, mut last) = (GuardSet::new(), GuardSet::from([guard]));
        let (mut round, mut seen) = (0, BTreeSet::new());
        loop {
            if round >= low {
                all.extend(&last);
            }
            if high.is_some_and(|high| round >= high) || last.is_empty() {
                return all;
            }
            last = self.guards_after_all(last.into_iter().map(|guard| (body, guard)), reader);
            round += 1;
            // Rounds repeat from here on. Guards that only too few rounds leave do no harm: no node is made for them.
            if !seen.insert(last.clone()) {
                all.extend(seen.into_iter().flatten());
                return all;
            }
        }
    }

    /// The texts of an occurrence after a guard.
    fn leaves(&mut self, occurrence: OccurrenceId, guard: GuardId) -> Rc<Leaves> {
        if let Some(known) = self.leaves.get(&(occurrence, guard)) {
            return Rc::clone(known);
        }
        let found = self.find_leaves(occurrence, guard);
        self.leaves.insert((occurrence, guard), Rc::clone(&found));
        found
    }

    fn find_leaves(&mut self, occurrence: OccurrenceId, guard: GuardId) -> Rc<Leaves> {
        let foreign = match self.parts.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(_) => None,
            Symbol::Foreign(at) => Some(at),
        };
        match (&mut self.lexing, foreign) {
            (Lexing::Any(whole), _) => Rc::new(vec![(FREE, whole.trees[occurrence as usize].clone())]),
            (Lexing::Lexer(lexer), None) => lexer.leaves(self.parts, occurrence, guard),
            (Lexing::Lexer(lexer), Some(at)) => {
                let foreign = &self.foreign[at as usize];
                let needed = lexer.before_foreign(foreign, guard);
                if let Some(tree) = &foreign.tree {
                    return Rc::new(lexer.foreign_leaves(occurrence, tree, (guard, needed)));
                }
                // The empty text hands the guard on.
                let is_handed_on = foreign.is_nullable && lexer.before_next(occurrence, guard) != FREE;
                let is_broken = needed != FREE && lexer.guarded_beginning(foreign, needed).is_none();
                if is_broken || is_handed_on {
                    self.unguarded.insert(occurrence);
                }
                lexer.trivia_after(occurrence)
            }
        }
    }

    // Nodes.

    /// The node of a part between two guards; `None` if it has no text there.
    pub fn node(&mut self, part: PartId, guard: GuardId, after: GuardId) -> Result<Option<NodeId>> {
        if let Some(&known) = self.nodes.get(&(part, guard, after)) {
            return Ok(known);
        }
        let made = self.make_node(part, guard, after)?;
        self.nodes.insert((part, guard, after), made);
        Ok(made)
    }

    fn make_node(&mut self, part: PartId, guard: GuardId, after: GuardId) -> Result<Option<NodeId>> {
        count(1);
        let parts = self.parts;
        if let Lexing::Any(whole) = &self.lexing
            && let Some(tree) = whole.tree(part)
        {
            return Ok(Some(self.text(tree)));
        }
        Ok(match parts.get(part) {
            Part::Occurrence(occurrence) => self.occurrence(*occurrence, guard, after)?,
            Part::Rule(rule) if matches!(self.lexing, Lexing::Any(_)) => Some(self.rule(*rule, FREE, FREE)),
            Part::Rule(rule) => {
                let guard = self.enter(*rule, guard);
                self.guards_after_rule(*rule, guard).contains(&after).then(|| self.rule(*rule, guard, after))
            }
            Part::Choice(all) => {
                let mut options = Vec::new();
                for &part in all {
                    options.extend(self.node(part, guard, after)?);
                }
                if options.is_empty() { None } else { Some(self.graph.choice(options)) }
            }
            Part::Sequence(all) if matches!(self.lexing, Lexing::Any(_)) => self.whole_row(all)?,
            Part::Sequence(all) => self.row(all, guard, after)?,
            Part::Repeat(body, low, high) if matches!(self.lexing, Lexing::Any(_)) => {
                self.whole_rounds(*body, *low, *high)?
            }
            Part::Repeat(body, low, high) => self.rounds(*body, (*low, *high), guard, after)?,
        })
    }

    /// The node of a copy of a rule; what it is made of is made later.
    fn rule(&mut self, rule: RuleId, guard: GuardId, after: GuardId) -> NodeId {
        let copy = (rule, guard, after);
        if let Some(&known) = self.rules.get(&copy) {
            return known;
        }
        let node = self.graph.add(Node::Never);
        self.rules.insert(copy, node);
        self.to_make.push(copy);
        node
    }

    fn occurrence(&mut self, occurrence: OccurrenceId, guard: GuardId, after: GuardId) -> Result<Option<NodeId>> {
        let leaves = self.leaves(occurrence, guard);
        let Some(at) = leaves.iter().position(|(own, _)| *own == after) else { return Ok(None) };
        let leaf = (&leaves, at);
        let Symbol::Foreign(at) = self.parts.occurrences[occurrence as usize].symbol else {
            return match self.parts.most_tokens(occurrence) {
                Some(most) => self.bounded(occurrence, (guard, after), most).map(Some),
                None => Ok(Some(self.leaf(leaf))),
            };
        };
        if matches!(self.lexing, Lexing::Lexer(_)) && self.foreign[at as usize].tree.is_some() {
            return Ok(Some(self.leaf(leaf)));
        }
        let foreign = match self.beginning_after(at, guard) {
            Some(begin) => self.guarded(at, begin)?,
            None => self.imported(at)?,
        };
        let trivia = self.leaf(leaf);
        Ok(Some(self.sequence(&[foreign, trivia])))
    }

    /// The texts of an occurrence in which only so many tokens may end, and the trivia after them, which do not count.
    fn bounded(&mut self, occurrence: OccurrenceId, (guard, after): (GuardId, GuardId), most: Most) -> Result<NodeId> {
        let pairs = match &mut self.lexing {
            Lexing::Any(whole) => vec![(FREE, [whole.trees[occurrence as usize].clone(), whole.trivia.clone()])],
            Lexing::Lexer(lexer) => lexer.pairs(self.parts, occurrence, guard),
        };
        let mut options = Vec::new();
        for (_, [tree, trivia]) in pairs.into_iter().filter(|(own, _)| *own == after) {
            let leaf = bounded_leaf(&mut self.graph, tree, most, self.grammar, self.limits)?;
            let all = [self.graph.add(Node::Regular(leaf)), self.text(trivia)];
            options.push(self.sequence(&all));
        }
        Ok(self.graph.choice(options))
    }

    /// What another language may begin with after a guard, where that is less than it begins with elsewhere.
    fn beginning_after(&mut self, at: u32, guard: GuardId) -> Option<Regular> {
        let Lexing::Lexer(lexer) = &mut self.lexing else { return None };
        let foreign = &self.foreign[at as usize];
        match lexer.before_foreign(foreign, guard) {
            FREE => None,
            needed => lexer.guarded_beginning(foreign, needed),
        }
    }

    /// Another language that begins otherwise.
    fn guarded(&mut self, at: u32, begin: Regular) -> Result<NodeId> {
        let Foreign { language, beginning, .. } = &self.foreign[at as usize];
        let shift = self.imported(at)? - language.graph().root;
        let rest = beginning.iter().flat_map(|beginning| &beginning.rest).map(|node| node + shift);
        let all: Vec<NodeId> = std::iter::once(self.text(begin)).chain(rest).collect();
        Ok(self.sequence(&all))
    }

    fn imported(&mut self, at: u32) -> Result<NodeId> {
        if let Some(known) = self.imported[at as usize] {
            return Ok(known);
        }
        let node = self.graph.import(self.foreign[at as usize].language.graph(), self.limits)?;
        self.imported[at as usize] = Some(node);
        Ok(node)
    }

    /// The node of one of the leaves of an occurrence, which many occurrences have in common.
    fn leaf(&mut self, (leaves, at): (&Rc<Leaves>, usize)) -> NodeId {
        let key = (Rc::as_ptr(leaves).addr(), at); // `leaves` of this are kept
        if let Some(&known) = self.texts_of_leaves.get(&key) {
            return known;
        }
        let node = self.text(leaves[at].1.clone());
        self.texts_of_leaves.insert(key, node);
        node
    }

    /// The node of a regular language: of a text, where it is one.
    fn text(&mut self, tree: Regular) -> NodeId {
        if let Some(&known) = self.texts.get(&tree) {
            return known;
        }
        let node = match literals(&tree) {
            Some(texts) => self.graph.literals(texts.iter().map(String::as_bytes)),
            None => self.graph.regular(tree.clone(), Encoding::Text),
        };
        self.texts.insert(tree, node);
        node
    }

    /// One node after the other, without those that are empty.
    pub fn sequence(&mut self, all: &[NodeId]) -> NodeId {
        let is_empty = |node: &NodeId| matches!(self.graph.nodes[*node as usize], Node::Empty);
        let all: Vec<NodeId> = all.iter().copied().filter(|node| !is_empty(node)).collect();
        match all[..] {
            [] => self.graph.add(Node::Empty),
            [only] => only,
            _ => self.graph.add(Node::Sequence(all.into())),
        }
    }

    /// Parts in a row without guards. Terminals beside each other are read as one.
    fn whole_row(&mut self, all: &[PartId]) -> Result<Option<NodeId>> {
        let parts = self.parts;
        let is_terminal =
            |part: &PartId| matches!(parts.get(*part), Part::Occurrence(occurrence) if parts.is_terminal(*occurrence));
        let mut nodes = Vec::new();
        for run in all.chunk_by(|one, other| is_terminal(one) && is_terminal(other)) {
            let trees: Option<Vec<Regular>> = match &self.lexing {
                Lexing::Any(whole) if is_terminal(&run[0]) => run.iter().map(|&part| whole.tree(part)).collect(),
                _ => None,
            };
            if let Some(trees) = trees {
                nodes.push(self.text(Regular::concat(trees)));
                continue;
            }
            for &part in run {
                let Some(node) = self.node(part, FREE, FREE)? else { return Ok(None) };
                nodes.push(node);
            }
        }
        Ok(Some(self.sequence(&nodes)))
    }
}

/// The texts of a tree, if they are listed in it.
fn literals(tree: &Regular) -> Option<Vec<String>> {
    match tree {
        Regular::Or(options) => options.iter().map(literal).collect(),
        _ => literal(tree).map(|text| vec![text]),
    }
}

/// The one text of a tree, if it is plain to see.
fn literal(tree: &Regular) -> Option<String> {
    match tree {
        Regular::Empty => Some(String::new()),
        Regular::Class(ranges) => match **ranges {
            [(low, high)] if low == high => Some(low.to_string()),
            _ => None,
        },
        Regular::Concat(parts) => parts.iter().map(literal).collect(),
        _ => None,
    }
}
