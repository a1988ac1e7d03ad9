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

use rustc_hash::FxHashMap;

use super::super::ast::{Grammar, ItemKind, Rule, RuleId, Syntax};
use super::super::lower::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use super::{Capture, Derivation, Derivations, Name, Origins, written};
use crate::interrupt::count;

/// Rounds of a repetition that Lark writes out.
const WRITTEN_OUT: u32 = 50;

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The name of its rule or terminal, or what Lark calls it; empty if it has none.
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
    /// By occurrence: whether it is a child.
    is_child: Vec<bool>,
    /// By occurrence: the name that its texts are captured by.
    captures: Vec<Option<Name>>,
}

impl Names {
    pub fn new(grammar: &Grammar, parts: &Parts) -> Self {
        let name = |symbol: &Symbol| match symbol {
            Symbol::Terminal(terminal) => grammar.terminals[*terminal as usize].name.clone().unwrap_or_default(),
            Symbol::Foreign(at) => name_of(&parts.foreign[*at as usize].0, grammar, parts.foreign[*at as usize].1),
        };
        let mut occurrences: Vec<Name> = parts.occurrences.iter().map(|occurrence| name(&occurrence.symbol)).collect();
        let is_child = |(occurrence, name): (OccurrenceId, &Name)| {
            let is_text = parts.texts.binary_search(&occurrence).is_ok();
            let is_hidden = name.starts_with('_') && parts.is_terminal(occurrence);
            !is_text && !is_hidden
        };
        let mut is_child: Vec<bool> = (0..).zip(&occurrences).map(is_child).collect();
        for (part, kind) in (0..).zip(&parts.all) {
            if let Part::Occurrence(occurrence) = kind
                && (grammar.syntax == Syntax::Gbnf || grammar.rules[parts.rule_around(part)].shape.keeps_all)
            {
                is_child[*occurrence as usize] = true;
            }
        }
        label_children(&mut occurrences, &is_child, grammar, parts);
        let capture = |symbol: &Symbol| match symbol {
            Symbol::Terminal(terminal) => grammar.terminals[*terminal as usize].attributes.capture.clone(),
            Symbol::Foreign(_) => None,
        };
        let captures = parts.occurrences.iter().map(|occurrence| capture(&occurrence.symbol)).collect();
        Self { occurrences, is_child, captures }
    }

    /// What the occurrences are called.
    pub fn of_occurrences(&self) -> &[Name] {
        &self.occurrences
    }

    /// Whether a terminal is captured.
    pub fn has_captures(&self) -> bool {
        self.captures.iter().any(Option::is_some)
    }

    /// Whether an occurrence is a child of the rule around it.
    pub fn is_child(&self, occurrence: OccurrenceId) -> bool {
        self.is_child[occurrence as usize]
    }
}

/// Calls children without names what Lark calls them; whether they are children, the names in the grammar say.
fn label_children(names: &mut [Name], is_child: &[bool], grammar: &Grammar, parts: &Parts) {
    for ((name, occurrence), &is_child) in names.iter_mut().zip(&parts.occurrences).zip(is_child) {
        if let Symbol::Terminal(terminal) = occurrence.symbol
            && let Some(label) = &grammar.terminals[terminal as usize].label
            && is_child
        {
            *name = label.clone();
        }
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
    /// Its place among the captured texts, if it is one.
    capture: Option<usize>,
}

/// The nodes of a derivation, while it is walked through.
pub struct Nodes<'n> {
    own: &'n Derivations,
    made: Vec<Node>,
    captures: Vec<Capture>,
    open: Vec<Open>,
    /// The end of the last lexeme.
    last: u32,
}

impl<'n> Nodes<'n> {
    pub fn new(own: &'n Derivations) -> Self {
        Self { own, made: Vec::new(), captures: Vec::new(), open: Vec::new(), last: 0 }
    }

    /// Begins a rule.
    pub fn open(&mut self, rule: RuleId, start: u32) {
        let capture = self.own.rules[rule as usize].attributes.capture.as_ref();
        let capture = capture.map(|name| {
            self.captures.push(Capture { name: name.clone(), start, end: start });
            self.captures.len() - 1
        });
        self.open.push(Open { rule, alternative: 0, start, children: 0, capture });
    }

    /// Tells which option was taken of a choice, which may be that of the alternatives of a rule.
    pub fn choose(&mut self, choice: PartId, option: PartId) {
        let Some(open) = self.open.last_mut() else { return };
        let has_alternatives = self.own.rules[open.rule as usize].alternatives.len() > 1;
        if has_alternatives
            && self.own.parts.rules[open.rule as usize] == choice
            && let Part::Choice(all) = self.own.parts.get(choice)
        {
            open.alternative = all.iter().position(|&other| other == option).unwrap_or(0);
        }
    }

    /// Adds a lexeme.
    pub fn read(&mut self, occurrence: OccurrenceId, start: u32, end: u32) {
        self.last = self.last.max(end);
        if let Some(name) = &self.own.names.captures[occurrence as usize] {
            self.captures.push(Capture { name: name.clone(), start, end });
        }
        if self.own.names.is_child(occurrence) {
            let name = self.own.names.occurrences[occurrence as usize].clone();
            self.add(Node { kind: NodeKind::Token, name, start, end });
        }
    }

    /// Adds a text of a grammar inside this one: a node around its own.
    pub fn read_inner(&mut self, occurrence: OccurrenceId, (start, end): (u32, u32), inner: Derivation) {
        self.last = self.last.max(end);
        let moved = |node: Node| Node { start: start + node.start, end: start + node.end, ..node };
        self.made.extend(inner.nodes.into_iter().map(moved));
        let moved = |found: Capture| Capture { start: start + found.start, end: start + found.end, ..found };
        self.captures.extend(inner.captures.into_iter().map(moved));
        let name = self.own.names.occurrences[occurrence as usize].clone();
        self.add(Node { kind: NodeKind::Tree(1), name, start, end });
    }

    /// Tells that what is in brackets is not there.
    pub fn skip(&mut self, optional: PartId) {
        let at = self.open.last().map_or(0, |open| open.start).max(self.last);
        let blank = Node { kind: NodeKind::Blank, name: Name::default(), start: at, end: at };
        for _ in 0..self.own.blanks_of(optional) {
            count(1);
            self.add(blank.clone());
        }
    }

    /// Ends a rule; where its text ends, without what is ignored after it.
    pub fn close(&mut self) -> u32 {
        let Some(Open { rule, alternative, start, children, capture }) = self.open.pop() else { return self.last };
        let end = self.last.max(start);
        if let Some(at) = capture {
            self.captures[at].end = end;
        }
        match self.own.name_of_node(rule, alternative, children, !self.open.is_empty()) {
            Some(name) => self.add(Node { kind: NodeKind::Tree(children), name: name.clone(), start, end }),
            None => {
                if let Some(outer) = self.open.last_mut() {
                    outer.children += children;
                }
            }
        }
        end
    }

    /// The derivation.
    pub fn finish(self, ambiguous: Option<(u32, u32)>) -> Derivation {
        Derivation { nodes: self.made, ambiguous, captures: self.captures }
    }

    fn add(&mut self, node: Node) {
        self.made.push(node);
        if let Some(open) = self.open.last_mut() {
            open.children += 1;
        }
    }
}

impl Derivations {
    /// The name of the node of a rule; `None` where its children take its place.
    pub fn name_of_node(&self, rule: RuleId, alternative: usize, children: u32, is_inner: bool) -> Option<&Name> {
        let rule = &self.rules[rule as usize];
        let alias = rule.alternatives.get(alternative).and_then(|alternative| alternative.alias.as_ref());
        let is_replaced = rule.shape.inlines_single && children == 1 && alias.is_none();
        let is_spliced = rule.shape.is_spliced && is_inner;
        (!is_replaced && !is_spliced).then(|| alias.unwrap_or(&rule.name))
    }

    /// Whether a part is in Lark's brackets.
    pub fn is_optional(&self, part: PartId) -> bool {
        self.parts.optional.binary_search(&part).is_ok()
    }

    /// How many blanks a part in Lark's brackets has where nothing is.
    pub fn blanks_of(&self, optional: PartId) -> u32 {
        self.blanks.get(&optional).copied().unwrap_or(0)
    }
}

/// By part in Lark's brackets: how many blanks it has where nothing is, which is as many as it would have children at most.
pub fn count_blanks(grammar: &Grammar, parts: &Parts, origins: Option<&Origins>) -> FxHashMap<PartId, u32> {
    if parts.optional.is_empty() {
        return FxHashMap::default();
    }
    let names = Names::new(grammar, origins.map_or(parts, |(parts, _)| parts));
    let blanks = |&part: &PartId| {
        let (parts, optional) = written(parts, origins, part);
        (part, count_children(&grammar.rules, parts, &names, optional))
    };
    parts.optional.iter().map(blanks).collect()
}

/// The most children that a part has, as Lark counts them: none of what may come any number of times. Parts nest as deep
/// as the reader allows.
fn count_children(rules: &[Rule], parts: &Parts, names: &Names, part: PartId) -> u32 {
    let of = |part: PartId| count_children(rules, parts, names, part);
    match parts.get(part) {
        Part::Occurrence(occurrence) => u32::from(names.is_child(*occurrence)),
        Part::Rule(rule) => u32::from(!rules[*rule as usize].shape.is_spliced),
        Part::Sequence(all) => all.iter().fold(0, |sum, &part| sum.saturating_add(of(part))),
        Part::Choice(all) => all.iter().map(|&part| of(part)).max().unwrap_or(0),
        Part::Repeat(body, _, Some(high)) if *high < WRITTEN_OUT => high.saturating_mul(of(*body)),
        Part::Repeat(..) => 0,
    }
}
