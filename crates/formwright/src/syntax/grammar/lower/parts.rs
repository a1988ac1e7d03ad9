//! The rules of a grammar as one arena of parts, and where its terminals are in them.
//!
//! ```text
//! s: "if" NAME | NAME "=" NAME        occurrences 0: "if"  1: NAME  2: NAME  3: "="  4: NAME
//! ```

use super::super::ast::{Alternative, Grammar, Item, ItemKind, RuleId, Span, TerminalId};

/// Index of a part.
pub type PartId = u32;

/// Index of an occurrence: a terminal, or another language, in one place of a rule.
pub type OccurrenceId = u32;

/// A part of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Occurrence(OccurrenceId),
    Rule(RuleId),
    /// One after the other; the empty text if there is none.
    Sequence(Vec<PartId>),
    Choice(Vec<PartId>),
    Repeat(PartId, u32, Option<u32>),
}

/// What an occurrence is of.
#[derive(Clone, Debug)]
pub enum Symbol {
    Terminal(TerminalId),
    /// Another language, by its index.
    Foreign(u32),
}

/// A symbol in a place of a rule.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub symbol: Symbol,
    pub span: Span,
}

/// All rules of a grammar.
#[derive(Debug, Default)]
pub struct Parts {
    pub all: Vec<Part>,
    /// By terminal: whether its occurrences are optional.
    is_optional: Box<[bool]>,
    /// By terminal: most tokens that may end in it, and where this is said.
    most_tokens: Box<[Option<(u32, Span)>]>,
    /// What a rule is, by rule.
    pub rules: Vec<PartId>,
    /// By rule: the rule of the grammar that it is, or is a copy of.
    pub written: Vec<RuleId>,
    pub occurrences: Vec<Occurrence>,
    /// Occurrences that are written as texts, ascending.
    pub texts: Vec<OccurrenceId>,
    /// Parts in Lark's brackets, ascending.
    pub optional: Vec<PartId>,
    /// Other languages that are in rules: how they are written there.
    pub foreign: Vec<(ItemKind, Span)>,
}

impl Parts {
    /// The parts of all rules. By terminal: whether it may be left out where it occurs.
    pub fn of(grammar: &Grammar, is_optional: &[bool]) -> Self {
        let most_tokens = grammar.terminals.iter().map(|terminal| terminal.attributes.max_tokens).collect();
        let mut parts = Self { is_optional: is_optional.into(), most_tokens, ..Self::default() };
        for rule in &grammar.rules {
            let body = parts.alternatives(&rule.alternatives);
            parts.written.push(parts.rules.len() as RuleId);
            parts.rules.push(body);
        }
        parts
    }

    /// No rules yet, of the terminals and the other languages of a grammar.
    pub fn like(other: &Self) -> Self {
        let (is_optional, most_tokens) = (other.is_optional.clone(), other.most_tokens.clone());
        Self { is_optional, most_tokens, foreign: other.foreign.clone(), ..Self::default() }
    }

    /// Whether an occurrence is one of a terminal.
    pub fn is_terminal(&self, occurrence: OccurrenceId) -> bool {
        matches!(self.occurrences[occurrence as usize].symbol, Symbol::Terminal(_))
    }

    /// Most tokens that may end in an occurrence, if there is a bound, and where this is said.
    pub fn most_tokens(&self, occurrence: OccurrenceId) -> Option<(u32, Span)> {
        match self.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(terminal) => self.most_tokens[terminal as usize],
            Symbol::Foreign(_) => None,
        }
    }

    /// The rule in which a part is written; the body of a rule is its last part.
    pub fn rule_around(&self, part: PartId) -> usize {
        self.written[self.rules.partition_point(|&body| body < part)] as usize
    }

    pub fn get(&self, part: PartId) -> &Part {
        &self.all[part as usize]
    }

    /// Adds a part.
    pub fn add(&mut self, part: Part) -> PartId {
        self.all.push(part);
        self.all.len() as PartId - 1
    }

    fn alternatives(&mut self, alternatives: &[Alternative]) -> PartId {
        let options: Vec<PartId> = alternatives.iter().map(|alternative| self.items(&alternative.items)).collect();
        if let [only] = options[..] { only } else { self.add(Part::Choice(options)) }
    }

    fn items(&mut self, items: &[Item]) -> PartId {
        let all: Vec<PartId> = items.iter().map(|item| self.item(item)).collect();
        if let [only] = all[..] { only } else { self.add(Part::Sequence(all)) }
    }

    /// Groups nest as deep as the reader allows.
    fn item(&mut self, item: &Item) -> PartId {
        match &item.kind {
            ItemKind::Rule(rule) => self.add(Part::Rule(*rule)),
            ItemKind::Terminal(terminal) => self.occurrence(Symbol::Terminal(*terminal), item.span),
            ItemKind::Text(terminal) => {
                self.texts.push(self.occurrences.len() as OccurrenceId);
                self.occurrence(Symbol::Terminal(*terminal), item.span)
            }
            ItemKind::Group(alternatives) => self.alternatives(alternatives),
            ItemKind::Optional(alternatives) => {
                let body = self.alternatives(alternatives);
                self.optional.push(self.all.len() as PartId);
                self.add(Part::Repeat(body, 0, Some(1)))
            }
            ItemKind::Repeat(body, low, high) if !item.is_open_run() => {
                let body = self.item(body);
                self.add(Part::Repeat(body, *low, *high))
            }
            foreign => {
                self.foreign.push((foreign.clone(), item.span));
                self.occurrence(Symbol::Foreign(self.foreign.len() as u32 - 1), item.span)
            }
        }
    }

    fn occurrence(&mut self, symbol: Symbol, span: Span) -> PartId {
        let is_optional = matches!(symbol, Symbol::Terminal(terminal) if self.is_optional[terminal as usize]);
        self.occurrences.push(Occurrence { symbol, span });
        let part = self.add(Part::Occurrence(self.occurrences.len() as OccurrenceId - 1));
        if is_optional { self.add(Part::Repeat(part, 0, Some(1))) } else { part }
    }
}
