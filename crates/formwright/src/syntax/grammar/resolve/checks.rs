//! What is wrong, or hardly meant, whatever the texts are.

use rustc_hash::FxHashSet;

use super::super::ast::{Alternative, Attributes, Item, ItemKind, Pattern, PatternKind, RuleId, Span, TerminalId};
use super::super::cursor::shorten;
use super::super::nearest;
use super::super::written::{Definition, Part, PartKind, Row, parts};
use super::{Leaf, Meaning, Resolver};
use crate::error::{Error, Result, line_and_column};
use crate::interrupt::count;

/// Uses of an undefined name that an error lists.
const USES: usize = 5;

impl<'t> Resolver<'_, 't> {
    /// Every name that is used must mean something, in unused rules too.
    pub(super) fn check_names(&self, ignored: &[Vec<Row<'t>>]) -> Result<()> {
        let mut undefined: Vec<(&str, Span)> = Vec::new();
        for definition in self.definitions {
            self.check_parameters(definition)?;
            let own: FxHashSet<&str> = definition.parameters.iter().copied().collect();
            self.find_undefined(&definition.rows, &own, &mut undefined);
            if let Some(Part { kind: PartKind::Name(name), span }) = &definition.attributes.suffix {
                self.note_undefined(name, *span, &own, &mut undefined);
            }
        }
        for rows in ignored {
            self.find_undefined(rows, &FxHashSet::default(), &mut undefined);
        }
        let Some(&(name, span)) = undefined.first() else { return Ok(()) };
        Err(self.fail_undefined(name, span, &undefined))
    }

    fn fail_undefined(&self, name: &str, span: Span, undefined: &[(&str, Span)]) -> Error {
        let others = undefined.iter().filter(|(other, _)| *other == name).skip(1);
        let places: Vec<String> = others.take(USES).map(|(_, span)| self.place(*span)).collect();
        let also =
            if places.is_empty() { String::new() } else { format!("; it is also used at {}", places.join(", ")) };
        let known = self.definitions.iter().map(|definition| definition.name);
        let hint = nearest::hint(name, known, "names");
        self.fail(span, format_args!("'{}' is not defined{also}", shorten(name))).hint(hint)
    }

    /// Line and column of a place, for people.
    pub(super) fn place(&self, span: Span) -> String {
        let (line, column) = line_and_column(self.context.text, span.0);
        format!("{line}:{column}")
    }

    fn find_undefined<'r>(&self, rows: &'r [Row<'t>], own: &FxHashSet<&str>, undefined: &mut Vec<(&'r str, Span)>) {
        let mut open: Vec<&Part<'t>> = parts(rows).collect();
        open.reverse();
        while let Some(part) = open.pop() {
            count(1);
            if let PartKind::Name(name) | PartKind::Template { name, .. } = &part.kind {
                self.note_undefined(name, part.span, own, undefined);
            }
            let before = open.len();
            part.add_inner(&mut open);
            open[before..].reverse();
        }
    }

    fn note_undefined<'r>(
        &self,
        name: &'r str,
        span: Span,
        own: &FxHashSet<&str>,
        undefined: &mut Vec<(&'r str, Span)>,
    ) {
        if !self.meanings.contains_key(name) && !own.contains(name) {
            undefined.push((name, span));
        }
    }

    fn check_parameters(&self, definition: &Definition<'t>) -> Result<()> {
        let mut seen = FxHashSet::default();
        for &name in &definition.parameters {
            if !seen.insert(name) {
                return Err(
                    self.fail(definition.span, format_args!("the parameter '{}' is named twice", shorten(name)))
                );
            }
            if self.meanings.contains_key(name) {
                let what = format!("the parameter '{}' is also the name of a rule", shorten(name));
                return Err(self.fail(definition.span, what).hint("rename the parameter"));
            }
        }
        Ok(())
    }

    /// No terminal may be inside itself, nor inside too many others.
    pub(super) fn check_terminals(&self, named: usize) -> Result<()> {
        let references: Vec<Vec<Reference>> =
            self.terminals[..named].iter().map(|terminal| references(&terminal.pattern)).collect();
        let mut levels: Vec<Option<usize>> = vec![None; named];
        for first in 0..named {
            if levels[first].is_none() {
                self.measure(first, &references, &mut levels)?;
            }
        }
        Ok(())
    }

    /// Finds the levels of groups of a terminal, with those of the terminals it refers to, depth first.
    fn measure(&self, first: usize, references: &[Vec<Reference>], levels: &mut [Option<usize>]) -> Result<()> {
        let allowed = self.context.options.limits.grammar_depth;
        let mut open = vec![(first, 0)]; // a terminal, and how many of its references are done
        let mut is_open = vec![first];
        while let Some((terminal, done)) = open.pop() {
            count(1);
            if let Some(reference) = references[terminal].get(done) {
                open.push((terminal, done + 1));
                if levels[reference.to].is_none() {
                    if open.len() > allowed || is_open.contains(&reference.to) {
                        return Err(self.fail_recursive(reference, &is_open, allowed));
                    }
                    is_open.push(reference.to);
                    open.push((reference.to, 0));
                }
                continue;
            }
            is_open.pop();
            let of = |reference: &Reference| reference.level + levels[reference.to].unwrap_or(0);
            let level = 1 + references[terminal].iter().map(of).max().unwrap_or(0);
            if level > allowed {
                return Err(self.fail_deep(terminal, allowed));
            }
            levels[terminal] = Some(level);
        }
        Ok(())
    }

    fn fail_recursive(&self, reference: &Reference, is_open: &[usize], allowed: usize) -> Error {
        let terminal = &self.terminals[reference.to];
        if !is_open.contains(&reference.to) {
            return self.fail_deep(reference.to, allowed);
        }
        let name = terminal.name.as_deref().unwrap_or_default();
        let what =
            format!("the terminal '{}', defined at {}, is inside itself", shorten(name), self.place(terminal.span));
        self.fail(reference.span, what).hint("only rules may be recursive: write its name in lower case")
    }

    fn fail_deep(&self, terminal: usize, allowed: usize) -> Error {
        Error::grammar_limit(self.context.text, self.terminals[terminal].span, "levels of groups", allowed)
    }

    /// Remembers which named terminals are just a text, a class or a regular expression. Of equal ones the last is
    /// taken, as by Lark.
    pub(super) fn remember_leaves(&mut self, named: usize) {
        for at in 0..named {
            let Some(leaf) = self.leaf_of(at).filter(|_| self.is_plain(at)) else { continue };
            let id = at as TerminalId;
            let Some(first) = self.leaves.insert(leaf, id) else { continue };
            let name = |id: TerminalId| self.terminals[id as usize].name.as_deref().unwrap_or_default();
            let [first, last] = [first, id].map(|id| shorten(name(id)));
            let message = format!("'{first}' and '{last}' are equal: what is written without a name is '{last}'");
            self.lints.add(self.terminals[at].span, message);
        }
    }

    /// Whether a terminal has no attributes.
    fn is_plain(&self, terminal: usize) -> bool {
        let Attributes { is_lazy, suffix, capture, max_tokens } = &self.terminals[terminal].attributes;
        !is_lazy && suffix.is_none() && capture.is_none() && max_tokens.is_none()
    }

    fn leaf_of(&self, terminal: usize) -> Option<Leaf> {
        let mut pattern = &self.terminals[terminal].pattern;
        loop {
            pattern = match &pattern.kind {
                PatternKind::Terminal(other) => &self.terminals[*other as usize].pattern,
                PatternKind::Text { text, ignores_case } => {
                    return Some(Leaf::Text { text: text.clone(), ignores_case: *ignores_case });
                }
                PatternKind::Class(ranges) => return Some(Leaf::Class(ranges.clone())),
                PatternKind::Regex(regex) => return Some(Leaf::Regex(*regex)),
                _ => return None,
            };
        }
    }

    /// Remarks on rules that no text can have a part of.
    pub(super) fn remark_unused(&mut self, start: RuleId) {
        let mut is_used = vec![false; self.rules.len()];
        let mut open: Vec<RuleId> = self.rule_terminals.keys().copied().chain([start]).collect();
        for &rule in &open {
            is_used[rule as usize] = true;
        }
        while let Some(rule) = open.pop() {
            for_each_rule(&self.rules[rule as usize].alternatives, &mut |rule| {
                if !std::mem::replace(&mut is_used[rule as usize], true) {
                    open.push(rule);
                }
            });
        }
        let is_unused = |definition: &&Definition<'t>| matches!(self.meanings[definition.name], Meaning::Rule(rule) if !is_used[rule as usize]);
        for unused in self.definitions.iter().filter(is_unused) {
            self.lints.add(unused.span, format!("the rule '{}' is never used", shorten(unused.name)));
        }
    }
}

/// A terminal inside another.
struct Reference {
    to: usize,
    span: Span,
    /// Levels of groups around it.
    level: usize,
}

fn references(pattern: &Pattern) -> Vec<Reference> {
    let (mut open, mut found) = (vec![(pattern, 1)], Vec::new());
    while let Some((pattern, level)) = open.pop() {
        match &pattern.kind {
            PatternKind::Terminal(to) => found.push(Reference { to: *to as usize, span: pattern.span, level }),
            PatternKind::Sequence(parts) | PatternKind::Choice(parts) | PatternKind::And(parts) => {
                open.extend(parts.iter().map(|part| (part, level + 1)));
            }
            PatternKind::Not(body) | PatternKind::Repeat(body, ..) => open.push((body, level + 1)),
            _ => {}
        }
    }
    found
}

/// Calls for every rule that some alternatives name.
fn for_each_rule(alternatives: &[Alternative], see: &mut impl FnMut(RuleId)) {
    let mut open: Vec<&Item> = alternatives.iter().flat_map(|alternative| &alternative.items).collect();
    while let Some(item) = open.pop() {
        match &item.kind {
            ItemKind::Rule(rule) => see(*rule),
            ItemKind::Group(inner) | ItemKind::Optional(inner) => {
                open.extend(inner.iter().flat_map(|alternative| &alternative.items));
            }
            ItemKind::Repeat(body, ..) => open.push(body),
            _ => {}
        }
    }
}
