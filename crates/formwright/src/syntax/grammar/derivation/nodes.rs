//! A derivation as nodes, in the shapes of Lark.
//!
//! ```text
//! ?sum: sum "+" part | part       no node, where there is one child
//! _list: part ("," part)*         its children are those of the rule around it
//! part: NAME -> name              a node called `name`
//! call: NAME "(" [_list] ")"      texts are left out, and what is not there is a blank
//! ```
//!
//! In GBNF every rule is a node, and every terminal is a child.

use super::super::ast::{Grammar, ItemKind, RuleId, Syntax};
use super::super::lower::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use super::{Derivation, Derivations, Name};
use crate::interrupt::count;

/// Rounds of a repetition that Lark writes out.
const WRITTEN_OUT: u32 = 50;

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The name of its rule or terminal; empty if it has none.
    pub name: Name,
    /// Where it begins, in characters.
    pub start: u32,
    /// Where it ends, without what is ignored after it.
    pub end: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A rule, with so many children.
    Tree(u32),
    /// A terminal, or a text of another language.
    Token,
    /// What brackets have where nothing is.
    Blank,
}

/// How the parts of a grammar are called, and which are children.
pub struct Names {
    /// By occurrence.
    occurrences: Vec<Name>,
    /// By occurrence: whether it is a child where texts are left out.
    is_child: Vec<bool>,
    /// Whether it is one everywhere.
    keeps_texts: bool,
}

impl Names {
    pub fn new(grammar: &Grammar, parts: &Parts) -> Self {
        let name = |symbol: &Symbol| match symbol {
            Symbol::Terminal(terminal) => grammar.terminals[*terminal as usize].name.clone().unwrap_or_default(),
            Symbol::Foreign(at) => name_of(&parts.foreign[*at as usize].0, grammar, parts.foreign[*at as usize].1),
        };
        let occurrences: Vec<Name> = parts.occurrences.iter().map(|occurrence| name(&occurrence.symbol)).collect();
        let is_child = |(occurrence, name): (OccurrenceId, &Name)| {
            let is_text = parts.texts.binary_search(&occurrence).is_ok();
            let is_hidden = name.starts_with('_') && parts.is_terminal(occurrence);
            !is_text && !is_hidden
        };
        let is_child = (0..).zip(&occurrences).map(is_child).collect();
        Self { occurrences, is_child, keeps_texts: grammar.syntax == Syntax::Gbnf }
    }

    /// What the occurrences are called.
    pub fn of_occurrences(&self) -> &[Name] {
        &self.occurrences
    }
}

/// What another language is called: a form by its name after `@`, others as they begin.
fn name_of(kind: &ItemKind, grammar: &Grammar, span: (usize, usize)) -> Name {
    match kind {
        ItemKind::Form(name) => format!("@{name}").into(),
        ItemKind::Json(_) => "%json".into(),
        ItemKind::Grammar(_) => "%lark".into(),
        ItemKind::Pieces(_) => "%regex".into(),
        _ => grammar.text.get(span.0..span.1).unwrap_or_default().into(),
    }
}

/// A rule whose text is being read.
struct Open {
    rule: RuleId,
    /// Which of its alternatives it is.
    alternative: usize,
    start: u32,
    children: u32,
}

/// The nodes of a derivation, while it is walked through.
pub struct Nodes<'n> {
    own: &'n Derivations,
    made: Vec<Node>,
    open: Vec<Open>,
    /// The end of the last lexeme.
    last: u32,
}

impl<'n> Nodes<'n> {
    pub fn new(own: &'n Derivations) -> Self {
        Self { own, made: Vec::new(), open: Vec::new(), last: 0 }
    }

    /// Begins a rule.
    pub fn open(&mut self, rule: RuleId, start: u32) {
        self.open.push(Open { rule, alternative: 0, start, children: 0 });
    }

    /// Tells which option was taken of a choice, which may be that of the alternatives of a rule.
    pub fn choose(&mut self, choice: PartId, option: PartId) {
        let Some(open) = self.open.last_mut() else { return };
        if self.own.parts.rules[open.rule as usize] == choice
            && let Part::Choice(all) = self.own.parts.get(choice)
        {
            open.alternative = all.iter().position(|&other| other == option).unwrap_or(0);
        }
    }

    /// Adds a lexeme.
    pub fn read(&mut self, occurrence: OccurrenceId, start: u32, end: u32) {
        self.last = self.last.max(end);
        if self.is_child(occurrence) {
            let name = self.own.names.occurrences[occurrence as usize].clone();
            self.add(Node { kind: NodeKind::Token, name, start, end });
        }
    }

    /// Tells that what is in brackets is not there, which has as many blanks as it would have children at most.
    pub fn skip(&mut self, optional: PartId) {
        if self.own.parts.optional.binary_search(&optional).is_err() {
            return;
        }
        let at = self.open.last().map_or(0, |open| open.start).max(self.last);
        let blank = Node { kind: NodeKind::Blank, name: Name::default(), start: at, end: at };
        for _ in 0..self.children_of(optional) {
            count(1);
            self.add(blank.clone());
        }
    }

    /// Ends a rule.
    pub fn close(&mut self) {
        let Some(Open { rule, alternative, start, children }) = self.open.pop() else { return };
        let rule = &self.own.rules[rule as usize];
        let alias = rule.alternatives.get(alternative).and_then(|alternative| alternative.alias.as_ref());
        let is_inner = !self.open.is_empty();
        let is_replaced = rule.shape.inlines_single && children == 1 && alias.is_none();
        if is_replaced || rule.shape.is_spliced && is_inner {
            if let Some(outer) = self.open.last_mut() {
                outer.children += children;
            }
            return;
        }
        let name = alias.unwrap_or(&rule.name).clone();
        self.add(Node { kind: NodeKind::Tree(children), name, start, end: self.last.max(start) });
    }

    /// The derivation, with its places in characters.
    pub fn finish(mut self, text: &[u8], ambiguous: Option<(u32, u32)>) -> Derivation {
        let mut before = Vec::with_capacity(text.len() + 1);
        let mut characters = 0;
        for &byte in text {
            before.push(characters);
            characters += u32::from(byte & 0xC0 != 0x80 && byte != 0xFF);
        }
        before.push(characters);
        for node in &mut self.made {
            (node.start, node.end) = (before[node.start as usize], before[node.end as usize]);
        }
        let ambiguous = ambiguous.map(|(start, end)| (before[start as usize], before[end as usize]));
        Derivation { nodes: self.made, ambiguous }
    }

    fn add(&mut self, node: Node) {
        self.made.push(node);
        if let Some(open) = self.open.last_mut() {
            open.children += 1;
        }
    }

    fn is_child(&self, occurrence: OccurrenceId) -> bool {
        let names = &self.own.names;
        let keeps_all = || self.open.last().is_some_and(|open| self.own.rules[open.rule as usize].shape.keeps_all);
        names.is_child[occurrence as usize] || names.keeps_texts || keeps_all()
    }

    /// The most children that a part has, as Lark counts them: none of what may come any number of times. Parts nest
    /// as deep as the reader allows.
    fn children_of(&self, part: PartId) -> u32 {
        match self.own.parts.get(part) {
            Part::Occurrence(occurrence) => u32::from(self.is_child(*occurrence)),
            Part::Rule(rule) => u32::from(!self.own.rules[*rule as usize].shape.is_spliced),
            Part::Sequence(all) => all.iter().fold(0, |sum, &part| sum.saturating_add(self.children_of(part))),
            Part::Choice(all) => all.iter().map(|&part| self.children_of(part)).max().unwrap_or(0),
            Part::Repeat(body, _, Some(high)) if *high < WRITTEN_OUT => high.saturating_mul(self.children_of(*body)),
            Part::Repeat(..) => 0,
        }
    }
}
