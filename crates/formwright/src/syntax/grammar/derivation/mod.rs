//! How a text is derived from a grammar, as the grammar is written.
//!
//! ```text
//! sum: sum "+" NUMBER | NUMBER        1+2+3        sum(sum(sum(1), 2), 3)
//! scanner    where the lexemes and the trivia of a text end
//! sets       which bytes may begin a part, and come after it
//! chart      which parts of a text are texts of which parts of the grammar
//! walk       of all derivations, the first
//! readings   whether there are several trees
//! nodes      a derivation as nodes, in the shapes of Lark
//! begun      the nodes of a text that goes on
//! ```
//!
//! The graph that masks are made of ([`super::lower`]) has rules and leaves of its own. A tree has those of the grammar, so
//! it comes from the same parts, by a chart (Earley 1970). A lexer needs no guards here: the text after a lexeme is known.
//!
//! Of several derivations, the first is taken: they are compared at their leftmost difference. There, the alternative
//! whose rules have the higher priority comes first, then the one that is written first; to go on with a repetition comes
//! before its end, and a longer lexeme before a shorter one. A derivation that has a part inside itself with the same text
//! does not count; in a grammar that has such derivations, a part that could be inside itself takes the longest text it can.
//!
//! Cost: linear in the text where one byte after a part tells whether it ends there, as in nearly all grammars
//! of programs and data; at worst cubic. Nothing calls itself for what a text has inside itself.

mod begun;
mod chart;
mod nodes;
mod readings;
mod scanner;
mod sets;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::ast::{Grammar, ItemKind, Rule};
use super::lower::parts::{OccurrenceId, Part, PartId, Parts, Symbol};
use super::lower::{Foreign, Given, Lexing, Materials, bounded_by_rule};
use crate::error::Result;
use crate::interrupt::bounded;
use crate::language::Language;
use crate::limits::Limits;

use chart::Chart;
use nodes::{Names, count_blanks};
use scanner::{Cutting, Scanner};
use sets::Sets;

pub use nodes::{Node, NodeKind};

/// Units of work for each byte of a text, beside those of the bound: what an unambiguous grammar needs.
const WORK_FOR_BYTE: u64 = 1 << 10;

/// A derivation of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// Its nodes, children before their parents; the last one is that of the start rule.
    pub nodes: Vec<Node>,
    /// The first of the smallest rules whose text has several trees, if the whole text has: its place, in characters.
    pub ambiguous: Option<(u32, u32)>,
    /// The texts of captured rules and terminals, in the order in which they begin.
    pub captures: Vec<Capture>,
}

/// A captured text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The name that it is captured by.
    pub name: Name,
    /// Where it begins, in bytes.
    pub start: u32,
    /// Where it ends, without what is ignored after it.
    pub end: u32,
}

impl Derivation {
    /// The same, with the places of nodes in characters, which were in bytes.
    fn in_characters(mut self, text: &[u8]) -> Self {
        let mut before = Vec::with_capacity(text.len() + 1);
        let mut characters = 0;
        for &byte in text {
            before.push(characters);
            characters += u32::from(byte & 0xC0 != 0x80 && byte != 0xFF);
        }
        before.push(characters);
        let nodes = self.nodes.iter_mut().map(|node| (&mut node.start, &mut node.end));
        for (start, end) in nodes.chain(self.ambiguous.iter_mut().map(|(start, end)| (start, end))) {
            (*start, *end) = (before[*start as usize], before[*end as usize]);
        }
        self
    }
}

/// What derivations of the texts of one grammar are made with.
pub struct Derivations {
    parts: Parts,
    /// By rule of the parts: the rule as it is written.
    rules: Vec<Rule>,
    /// By part: what it is, where it is the name of a rule; `None` for a rule that is nothing but itself.
    targets: Vec<Option<PartId>>,
    /// The options of choices in the order of their priorities, where it is another order.
    orders: FxHashMap<PartId, Vec<PartId>>,
    /// By part in Lark's brackets: how many blanks it has where nothing is.
    blanks: FxHashMap<PartId, u32>,
    /// A row of the start rule alone.
    root: PartId,
    ignores_at_start: bool,
    sets: Sets,
    cutting: Cutting,
    foreign: Vec<Foreign>,
    /// By other language: those of the grammar that it is, if it is one.
    inner: Vec<Option<Derivations>>,
    names: Names,
    limits: Limits,
}

impl Derivations {
    /// Those of a grammar, and its language; `inner` makes those of a grammar inside it.
    ///
    /// # Errors
    /// As [`super::lower::lower`].
    pub fn new(
        grammar: &Grammar,
        lexing: Lexing,
        given: &Given<'_>,
        inner: impl Fn(&Grammar) -> Result<Self>,
        limits: &Limits,
    ) -> Result<(Language, Self)> {
        bounded_by_rule(grammar, limits, |at| {
            let mut materials = Materials::of(grammar, lexing, given, limits)?;
            let (language, tables) = materials.lower(grammar, lexing, limits, at)?;
            let inner = materials.parts.foreign.iter().map(|(kind, _)| match kind {
                ItemKind::Grammar(grammar) => inner(grammar).map(Some),
                _ => Ok(None),
            });
            let inner = inner.collect::<Result<_>>()?;
            let start = materials.parts.add(Part::Rule(materials.start));
            let root = materials.parts.add(Part::Sequence(vec![start]));
            let cutting = Cutting::new(grammar, tables, &materials, limits)?;
            let targets = targets(&materials.parts);
            let sets = Sets::new(&materials, &targets, materials.nullable_parts(), &cutting);
            let Materials { parts, foreign, written, .. } = materials;
            let own = Self {
                orders: orders(&parts, written.as_ref(), &grammar.rules),
                blanks: count_blanks(grammar, &parts, written.as_ref()),
                names: Names::new(grammar, &parts),
                rules: parts.written.iter().map(|&rule| grammar.rules[rule as usize].clone()).collect(),
                targets,
                root,
                ignores_at_start: grammar.ignores_at_start,
                sets,
                cutting,
                foreign,
                inner,
                parts,
                limits: limits.clone(),
            };
            Ok((language, own))
        })
    }

    /// The first derivation of a text, `None` if there is none; with `asks`, also whether it has several trees.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when it takes too much work.
    pub fn read(&self, text: &[u8], asks: bool) -> Result<Option<Derivation>> {
        let found = bounded(self.work(text), || self.read_bytes(text, asks))?;
        Ok(found.map(|found| found.in_characters(text)))
    }

    /// The same, with all places in bytes.
    fn read_bytes(&self, text: &[u8], asks: bool) -> Result<Option<Derivation>> {
        // What remains of a guard after the text of another language is not kept by the form: its text conforms, and is
        // then cut in any way.
        let is_kept_loosely = !self.foreign.is_empty() && self.cutting.has_lexer();
        for is_loose in [false, true] {
            if is_loose && !is_kept_loosely {
                break;
            }
            let chart = Chart::of(self, Scanner::new(self, text, is_loose))?;
            if let Some(derivation) = walk::first_derivation(chart, asks)? {
                return Ok(Some(derivation));
            }
        }
        Ok(None)
    }

    /// The most work for a text.
    fn work(&self, text: &[u8]) -> u64 {
        self.limits.work + WORK_FOR_BYTE * text.len() as u64
    }

    /// All names that nodes may have, that of the start rule first.
    pub fn names(&self) -> Vec<Name> {
        let start = match self.parts.get(self.root - 1) {
            Part::Rule(rule) => Some(&self.rules[*rule as usize].name),
            _ => None,
        };
        let aliases = self.rules.iter().flat_map(|rule| &rule.alternatives).filter_map(|row| row.alias.as_ref());
        let rules = self.rules.iter().map(|rule| &rule.name).chain(aliases);
        let own = start.into_iter().chain(rules).chain(self.names.of_occurrences()).cloned();
        let inner = self.inner.iter().flatten().flat_map(Self::names);
        let names: IndexSet<Name> = own.chain(inner).collect();
        names.into_iter().collect()
    }

    /// The names of rules, which nodes have that have no alias.
    pub fn rules(&self) -> IndexSet<Name> {
        let own = self.rules.iter().map(|rule| rule.name.clone());
        own.chain(self.inner.iter().flatten().flat_map(Self::rules)).collect()
    }

    /// Whether a rule or terminal is captured.
    pub fn has_captures(&self) -> bool {
        let is_captured = |rule: &Rule| rule.attributes.capture.is_some();
        let has_inner = || self.inner.iter().flatten().any(Self::has_captures);
        self.rules.iter().any(is_captured) || self.names.has_captures() || has_inner()
    }

    /// What an occurrence is read with, where it is a grammar inside this one.
    fn inner(&self, occurrence: OccurrenceId) -> Option<&Self> {
        match self.symbol(occurrence) {
            Symbol::Foreign(at) => self.inner[*at as usize].as_ref(),
            Symbol::Terminal(_) => None,
        }
    }

    fn symbol(&self, occurrence: OccurrenceId) -> &Symbol {
        &self.parts.occurrences[occurrence as usize].symbol
    }

    /// The options of a choice, in the order in which they are preferred.
    fn options(&self, choice: PartId) -> &[PartId] {
        match self.parts.get(choice) {
            Part::Choice(all) => self.orders.get(&choice).map_or(all, |order| order),
            _ => &[],
        }
    }
}

/// By part: what is there, where the part is the name of a rule.
fn targets(parts: &Parts) -> Vec<Option<PartId>> {
    let target = |part: PartId| {
        let (mut at, mut steps) = (part, 0);
        while let Part::Rule(rule) = parts.get(at) {
            at = parts.rules[*rule as usize];
            steps += 1;
            if steps > parts.rules.len() {
                return None; // a: b, b: a
            }
        }
        Some(at)
    };
    (0..parts.all.len() as PartId).map(target).collect()
}

/// Parts as they are written, and by part the one that it is a variant of.
type Origins = (Parts, Vec<PartId>);

/// A part as it is written.
fn written<'w>(parts: &'w Parts, origins: Option<&'w Origins>, part: PartId) -> (&'w Parts, PartId) {
    origins.map_or((parts, part), |(written, origins)| (written, origins.get(part as usize).copied().unwrap_or(part)))
}

/// The options of choices, where rules have priorities. That of an option is the sum of those of the rules that it names.
fn orders(parts: &Parts, origins: Option<&Origins>, rules: &[Rule]) -> FxHashMap<PartId, Vec<PartId>> {
    if rules.iter().all(|rule| rule.priority == 0) {
        return FxHashMap::default();
    }
    let of_option = |&option: &PartId| {
        let (parts, option) = written(parts, origins, option);
        let of_item = |part: &PartId| match parts.get(*part) {
            Part::Rule(rule) => i64::from(rules[*rule as usize].priority),
            _ => 0,
        };
        match parts.get(option) {
            Part::Sequence(all) => all.iter().map(of_item).sum(),
            _ => of_item(&option),
        }
    };
    let choices = (0..).zip(&parts.all).filter_map(|(id, part)| match part {
        Part::Choice(all) => Some((id, all.clone())),
        _ => None,
    });
    let ordered = |(id, mut all): (PartId, Vec<PartId>)| {
        all.sort_by_key(|option| std::cmp::Reverse(of_option(option)));
        (id, all)
    };
    choices.map(ordered).collect()
}

/// The name of a rule or terminal.
type Name = Arc<str>;
