//! Parts of rules.

use std::sync::Arc;

use super::super::ast::{
    Alternative, Attributes, Item, ItemKind, Pattern, PatternKind, RuleId, Span, Syntax, TerminalId,
};
use super::super::cursor::shorten;
use super::super::with_stack;
use super::super::written::{Definition, Part, PartKind, Row};
use super::{Argument, Leaf, Meaning, Resolver, Scope, only};
use crate::error::{Error, Result};

impl<'d, 't> Resolver<'d, 't> {
    /// Makes the alternatives of a rule.
    pub(super) fn fill(&mut self, rule: RuleId, definition: &'d Definition<'t>, scope: &Scope<'d>) -> Result<()> {
        self.keeps_texts = definition.shape.keeps_all;
        let alternatives = if definition.attributes.is_of_terminal() {
            vec![self.bounded_text(rule, definition)?]
        } else {
            self.alternatives(&definition.rows, scope)?
        };
        let rule = &mut self.rules[rule as usize];
        if let Some(alternative) = alternatives.iter().find(|row| row.alias.is_some()).filter(|_| rule.shape.is_spliced)
        {
            let what = format!("'{}' never has a node of its own, so no name for one", shorten(definition.name));
            return Err(Error::grammar(self.context.text, alternative.span, what).hint("leave out its underscore"));
        }
        rule.alternatives = alternatives;
        Ok(())
    }

    /// The only alternative of a rule with attributes of a terminal: all of it is one, which has them.
    fn bounded_text(&mut self, rule: RuleId, definition: &'d Definition<'t>) -> Result<Alternative> {
        let pattern =
            self.choice(&definition.rows, definition.span).map_err(|error| match definition.attributes.max_tokens {
                Some(_) => {
                    error.hint("a rule with 'max_tokens' is one terminal: bound the terminals that it is made of")
                }
                None => error,
            })?;
        let attributes = self.attributes(definition)?;
        let (span, terminal) = (pattern.span, self.unnamed(pattern));
        self.terminals[terminal as usize].attributes = attributes;
        self.rules[rule as usize].attributes = Attributes::default();
        Ok(Alternative { items: vec![Item { kind: ItemKind::Terminal(terminal), span }], alias: None, span })
    }

    pub(super) fn attributes(&mut self, definition: &'d Definition<'t>) -> Result<Attributes> {
        let written = &definition.attributes;
        let suffix = written.suffix.as_ref().map(|part| self.pattern(part)).transpose()?;
        let (is_lazy, max_tokens) = (written.is_lazy, written.max_tokens);
        Ok(Attributes { is_lazy, suffix, capture: written.capture.clone(), max_tokens })
    }

    fn alternatives(&mut self, rows: &'d [Row<'t>], scope: &Scope<'d>) -> Result<Vec<Alternative>> {
        rows.iter().map(|row| self.alternative(row, scope)).collect()
    }

    fn alternative(&mut self, row: &'d Row<'t>, scope: &Scope<'d>) -> Result<Alternative> {
        self.count(1, row.span)?;
        if !row.others.is_empty() {
            let error = self.fail(row.span, "'&' is an operator of terminals only");
            return Err(error.hint("make a terminal of it: A: B & C"));
        }
        let mut items = Vec::with_capacity(row.parts.len());
        for part in &row.parts {
            items.extend(self.item(part, scope)?);
        }
        Ok(Alternative { items, alias: row.alias.map(|(name, _)| name.into()), span: row.span })
    }

    /// `None` is the empty text.
    fn item(&mut self, part: &'d Part<'t>, scope: &Scope<'d>) -> Result<Option<Item>> {
        self.count(1, part.span)?;
        let kind = match &part.kind {
            PartKind::Name(name) => self.named(name, part.span, scope)?,
            PartKind::Template { name, arguments } => ItemKind::Rule(self.expand(name, arguments, part.span, scope)?),
            PartKind::Text { text, .. } if text.is_empty() => {
                self.remark_empty(part.span);
                return Ok(None);
            }
            PartKind::Text { .. } => ItemKind::Text(self.leaf_terminal(part)?),
            PartKind::Class(_) | PartKind::Regex { .. } => ItemKind::Terminal(self.leaf_terminal(part)?),
            PartKind::Group(rows) => return with_stack(|| self.group(rows, part.span, scope)).map(Some),
            PartKind::Optional(rows) => ItemKind::Optional(with_stack(|| self.alternatives(rows, scope))?),
            PartKind::Repeat(body, low, high) => match self.item(body, scope)? {
                Some(item) => ItemKind::Repeat(Box::new(item), *low, *high),
                None => return Ok(None),
            },
            PartKind::Not(_) => {
                let error = self.fail(part.span, "'~' negates in terminals only");
                return Err(error.hint("make a terminal of it: A: ~B"));
            }
            PartKind::Minus(_) => {
                let pattern = self.pattern(part)?;
                ItemKind::Terminal(self.unnamed(pattern))
            }
            PartKind::Form(name) => ItemKind::Form(Arc::clone(name)),
            PartKind::Json(json) => ItemKind::Json(Arc::clone(json)),
            PartKind::Grammar(grammar) => ItemKind::Grammar(Arc::clone(grammar)),
            PartKind::Pieces(pieces) => optional(ItemKind::Pieces(pieces.clone()), part.span),
            PartKind::Control(control) => ItemKind::Control(control.clone()),
        };
        Ok(Some(Item { kind, span: part.span }))
    }

    fn remark_empty(&mut self, span: Span) {
        if self.context.syntax == Syntax::Lark {
            self.lints.add(span, "the empty text is nothing; Lark refuses it");
        }
    }

    /// A group of one part is that part.
    fn group(&mut self, rows: &'d [Row<'t>], span: Span, scope: &Scope<'d>) -> Result<Item> {
        if let Some(item) = only(rows).map(|part| self.item(part, scope)).transpose()?.flatten() {
            return Ok(Item { span, ..item });
        }
        Ok(Item { kind: ItemKind::Group(self.alternatives(rows, scope)?), span })
    }

    fn named(&mut self, name: &str, span: Span, scope: &Scope<'d>) -> Result<ItemKind> {
        match self.argument_of(name, scope) {
            Some(Argument::Rule(rule)) => Ok(ItemKind::Rule(rule)),
            Some(Argument::Terminal(terminal)) => Ok(ItemKind::Terminal(terminal)),
            Some(Argument::Text(terminal)) => Ok(ItemKind::Text(terminal)),
            Some(Argument::Form(form)) => Ok(ItemKind::Form(form)),
            _ => {
                let error = self.fail(span, format_args!("the template '{}' is used without arguments", shorten(name)));
                Err(error.hint("write them in braces after its name: list{item}"))
            }
        }
    }

    /// What a name stands for, as an argument.
    fn argument_of(&self, name: &str, scope: &Scope<'d>) -> Option<Argument> {
        let of_all = || match self.meanings.get(name)? {
            Meaning::Rule(rule) => Some(Argument::Rule(*rule)),
            Meaning::Terminal(terminal) => Some(Argument::Terminal(*terminal)),
            Meaning::Template(template) => Some(Argument::Template(*template)),
        };
        scope.get(name).cloned().or_else(of_all)
    }

    /// The rule of a template with its arguments: a new one, unless there is one.
    fn expand(&mut self, name: &str, arguments: &'d [Part<'t>], span: Span, scope: &Scope<'d>) -> Result<RuleId> {
        let Some(Argument::Template(template)) = self.argument_of(name, scope) else {
            return Err(self.fail(span, format_args!("'{}' is not a template: it takes no arguments", shorten(name))));
        };
        let definition = &self.definitions[template];
        let (expected, got) = (definition.parameters.len(), arguments.len());
        if expected != got {
            let place = self.place(definition.span);
            let plural = if expected == 1 { "" } else { "s" };
            let name = shorten(definition.name);
            let what = format!("'{name}', defined at {place}, takes {expected} argument{plural}, not {got}");
            return Err(self.fail(span, what));
        }
        let arguments: Vec<Argument> =
            arguments.iter().map(|part| self.argument(part, scope)).collect::<Result<_>>()?;
        let used = (template, arguments);
        if let Some(rule) = self.uses.get(&used) {
            return Ok(*rule);
        }
        let allowed = self.context.options.limits.grammar_expansions;
        if self.uses.len() >= allowed {
            return Err(Error::grammar_limit(self.context.text, span, "expansions of templates", allowed)
                .hint("a template may not use itself with ever longer arguments"));
        }
        let rule = self.new_rule(definition);
        self.uses.insert(used.clone(), rule);
        self.waiting.push_back((rule, used));
        Ok(rule)
    }

    fn argument(&mut self, part: &'d Part<'t>, scope: &Scope<'d>) -> Result<Argument> {
        self.count(1, part.span)?;
        match &part.kind {
            PartKind::Name(name) => Ok(self.argument_of(name, scope)),
            PartKind::Template { name, arguments } => {
                self.expand(name, arguments, part.span, scope).map(|rule| Some(Argument::Rule(rule)))
            }
            PartKind::Text { text, .. } if text.is_empty() => Ok(None),
            PartKind::Text { .. } if !self.keeps_texts => {
                self.leaf_terminal(part).map(|terminal| Some(Argument::Text(terminal)))
            }
            PartKind::Text { .. } | PartKind::Class(_) | PartKind::Regex { .. } => {
                self.leaf_terminal(part).map(|terminal| Some(Argument::Terminal(terminal)))
            }
            PartKind::Form(name) => Ok(Some(Argument::Form(Arc::clone(name)))),
            _ => Ok(None),
        }?
        .ok_or_else(|| {
            let error =
                self.fail(part.span, "an argument is a name, a text, a regular expression or a template in use");
            error.hint("make a rule of it, and pass its name")
        })
    }

    /// The terminal of a text, a class or a regular expression.
    fn leaf_terminal(&mut self, part: &'d Part<'t>) -> Result<TerminalId> {
        let pattern = self.pattern(part)?;
        Ok(self.leaf(pattern))
    }

    /// The terminal that is just this pattern: one with a name, one used before, or a new one.
    pub(super) fn leaf(&mut self, pattern: Pattern) -> TerminalId {
        let leaf = match &pattern.kind {
            PatternKind::Text { text, ignores_case } => Leaf::Text { text: text.clone(), ignores_case: *ignores_case },
            PatternKind::Class(ranges) => Leaf::Class(ranges.clone()),
            PatternKind::Regex(regex) => Leaf::Regex(*regex),
            PatternKind::Terminal(terminal) => return *terminal,
            _ => return self.unnamed(pattern),
        };
        if let Some(terminal) = self.leaves.get(&leaf) {
            return *terminal;
        }
        let terminal = self.unnamed(pattern);
        self.leaves.insert(leaf, terminal);
        terminal
    }
}

/// Something, or nothing.
fn optional(kind: ItemKind, span: Span) -> ItemKind {
    ItemKind::Repeat(Box::new(Item { kind, span }), 0, Some(1))
}
