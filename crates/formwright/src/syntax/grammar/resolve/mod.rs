//! From what is written to what is meant: names become ids, templates rules, and texts terminals.
//!
//! ```text
//! start: list{"x"} WORD      list{t}: t+      WORD: "x"
//!        rule 1    terminal 0                 the text "x" anywhere is terminal 0
//! ```
//!
//! 1. Ids are given to all names, and every name that is used must have one.
//! 2. Named terminals become patterns; none may be inside itself.
//! 3. Rules become items. A text, class or regular expression is the named terminal that is just this, or an unnamed
//!    one. The use of a template adds a rule, whose alternatives are made later, so no function calls itself for it.

mod checks;
mod items;
mod labels;
mod patterns;
mod remarks;

use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::ReadOptions;
use super::ast::{
    Attributes, Grammar, Pattern, PatternKind, Regex, RegexId, Rule, RuleId, Span, Syntax, Terminal, TerminalId,
};
use super::nearest;
use super::written::{Definition, Document, Lints, Part, Row};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::regular::{Pieces, Ranges};

/// Where a grammar comes from.
pub struct Context<'t> {
    pub text: &'t Arc<str>,
    pub syntax: Syntax,
    /// The rule that was asked for.
    pub start: Option<&'t str>,
    /// Where it is in another grammar, if it does.
    pub place: Option<Span>,
    pub options: &'t ReadOptions,
}

/// Resolves all names.
pub fn resolve<'t>(document: Document<'t>, context: &'t Context<'t>) -> Result<Grammar> {
    let Document { definitions, ignored, ignores_at_start, lints, .. } = document;
    let definitions: Vec<Definition<'t>> = definitions.into_values().collect();
    let mut resolver = Resolver::new(context, &definitions, lints);
    resolver.check_names(&ignored)?;
    let start = resolver.start()?;
    resolver.named_terminals()?;
    resolver.rules()?;
    let ignored = resolver.ignored(&ignored)?;
    resolver.label(&ignored);
    resolver.remark_unused(start);
    resolver.remark_equal_alternatives();
    resolver.remark_ignored_uses(&ignored);
    Ok(Grammar {
        text: Arc::clone(context.text),
        syntax: context.syntax,
        rules: resolver.rules,
        terminals: resolver.terminals,
        regexes: resolver.regexes,
        ignored,
        ignores_at_start,
        start,
        lints: resolver.lints.0,
    })
}

/// What a name means.
#[derive(Clone, Copy)]
enum Meaning {
    Rule(RuleId),
    Terminal(TerminalId),
    /// The definition of a template.
    Template(usize),
}

/// What is put in place of a parameter.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Argument {
    Rule(RuleId),
    Terminal(TerminalId),
    /// A terminal that is written as a text.
    Text(TerminalId),
    Template(usize),
    Form(Arc<str>),
}

/// What a terminal is that is written where it is used.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Leaf {
    Text { text: Arc<str>, ignores_case: bool },
    Class(Ranges),
    Regex(RegexId),
}

/// Parameters and what they stand for, while the rule of a template is made.
type Scope<'d> = FxHashMap<&'d str, Argument>;

/// A use of a template: its definition and its arguments.
type Use = (usize, Vec<Argument>);

struct Resolver<'d, 't> {
    context: &'t Context<'t>,
    definitions: &'d [Definition<'t>],
    meanings: FxHashMap<&'t str, Meaning>,
    /// Where names are defined.
    places: FxHashMap<&'t str, usize>,
    rules: Vec<Rule>,
    terminals: Vec<Terminal>,
    regexes: Vec<Regex>,
    regex_ids: FxHashMap<(Arc<str>, &'t str), RegexId>,
    leaves: FxHashMap<Leaf, TerminalId>,
    /// The rules of templates, by how they are used.
    uses: FxHashMap<Use, RuleId>,
    /// Those whose alternatives are still to be made.
    waiting: VecDeque<(RuleId, Use)>,
    /// Rules as terminals, where one is taken from another; `None` while it is made.
    rule_terminals: FxHashMap<RuleId, Option<TerminalId>>,
    /// Whether the rule that is made keeps texts as children: also those that it gives to templates.
    keeps_texts: bool,
    /// Groups of terminals that are open, with those of rules as terminals.
    depth: usize,
    /// Parts made so far.
    parts: usize,
    lints: Lints,
}

impl<'d, 't> Resolver<'d, 't> {
    fn new(context: &'t Context<'t>, definitions: &'d [Definition<'t>], lints: Lints) -> Self {
        let mut resolver = Self {
            context,
            definitions,
            meanings: FxHashMap::default(),
            places: FxHashMap::default(),
            rules: Vec::new(),
            terminals: Vec::new(),
            regexes: Vec::new(),
            regex_ids: FxHashMap::default(),
            leaves: FxHashMap::default(),
            uses: FxHashMap::default(),
            waiting: VecDeque::new(),
            rule_terminals: FxHashMap::default(),
            keeps_texts: false,
            depth: 0,
            parts: 0,
            lints,
        };
        for (at, definition) in definitions.iter().enumerate() {
            resolver.declare(at, definition);
        }
        resolver
    }

    /// Gives an id to a name; what it means is filled in later.
    fn declare(&mut self, at: usize, definition: &'d Definition<'t>) {
        let meaning = if definition.is_terminal {
            let kind = PatternKind::Sequence(Vec::new());
            self.terminals.push(Terminal {
                name: Some(definition.name.into()),
                label: None,
                span: definition.span,
                pattern: Pattern { kind, span: definition.span },
                priority: definition.priority,
                attributes: Attributes::default(),
            });
            Meaning::Terminal(self.terminals.len() as TerminalId - 1)
        } else if definition.parameters.is_empty() {
            Meaning::Rule(self.new_rule(definition))
        } else {
            Meaning::Template(at)
        };
        self.meanings.insert(definition.name, meaning);
        self.places.insert(definition.name, at);
    }

    /// A rule without alternatives. Those of a template all have its name, as in Lark's trees.
    fn new_rule(&mut self, definition: &Definition<'t>) -> RuleId {
        let attributes = Attributes { capture: definition.attributes.capture.clone(), ..Attributes::default() };
        self.rules.push(Rule {
            name: definition.name.into(),
            span: definition.span,
            alternatives: Vec::new(),
            shape: definition.shape,
            priority: definition.priority,
            attributes,
        });
        self.rules.len() as RuleId - 1
    }

    fn rules(&mut self) -> Result<()> {
        let definitions = self.definitions;
        for definition in definitions {
            if let Some(Meaning::Rule(rule)) = self.meanings.get(definition.name).copied() {
                self.fill(rule, definition, &Scope::default())?;
            }
        }
        while let Some((rule, (template, arguments))) = self.waiting.pop_front() {
            let definition = &definitions[template];
            let scope = definition.parameters.iter().copied().zip(arguments).collect();
            self.fill(rule, definition, &scope)?;
        }
        Ok(())
    }

    fn ignored(&mut self, ignored: &'d [Vec<Row<'t>>]) -> Result<Vec<TerminalId>> {
        let mut ids = IndexSet::new();
        for rows in ignored {
            ids.insert(self.terminal_of(rows)?);
        }
        Ok(ids.into_iter().collect())
    }

    /// The rule a text begins with.
    fn start(&self) -> Result<RuleId> {
        let usual = match self.context.syntax {
            Syntax::Lark => ["start", "root"],
            Syntax::Gbnf => ["root", "start"],
        };
        let names = self.context.start.map_or(usual.to_vec(), |name| vec![name]);
        let rule = |name: &&str| match self.meanings.get(name) {
            Some(Meaning::Rule(rule)) => Some(*rule),
            _ => None,
        };
        names.iter().find_map(rule).ok_or_else(|| self.fail_without_start(&names))
    }

    fn fail_without_start(&self, names: &[&str]) -> Error {
        let quoted: Vec<String> = names.iter().map(|name| format!("'{}'", super::cursor::shorten(name))).collect();
        let what = format!("there is no rule {} to start with", quoted.join(" or "));
        let rules = self.definitions.iter().filter(|definition| !definition.is_terminal);
        let known = rules.filter(|definition| definition.parameters.is_empty()).map(|definition| definition.name);
        let hint = nearest::hint(names[0], known, "rules");
        match self.context.place {
            Some(place) => self.fail(place, what).hint(hint),
            None => self.fail((0, 0), what).hint(format!("{hint}; pass start= to begin with another rule")),
        }
    }

    fn fail(&self, span: Span, what: impl std::fmt::Display) -> Error {
        Error::grammar(self.context.text, span, what)
    }

    /// Counts parts that are made at a place.
    fn count(&mut self, parts: usize, span: Span) -> Result<()> {
        count(parts);
        self.parts += parts;
        let allowed = self.context.options.limits.grammar_parts;
        if self.parts <= allowed {
            Ok(())
        } else {
            Err(Error::grammar_limit(self.context.text, span, "parts", allowed))
        }
    }

    /// The id of a regular expression; equal ones have one.
    fn regex(&mut self, source: &Arc<str>, flags: &'t str, start: usize) -> RegexId {
        let next = self.regexes.len() as RegexId;
        let id = *self.regex_ids.entry((Arc::clone(source), flags)).or_insert(next);
        if id == next {
            self.regexes.push(Regex { source: Arc::clone(source), flags: flags.into(), start });
        }
        id
    }

    /// A terminal without a name.
    fn unnamed(&mut self, pattern: Pattern) -> TerminalId {
        let (span, attributes) = (pattern.span, Attributes::default());
        self.terminals.push(Terminal { name: None, label: None, span, pattern, priority: 0, attributes });
        self.terminals.len() as TerminalId - 1
    }
}

/// A piece of a text, or nothing, as a pattern.
fn optional(pieces: &Pieces, span: Span) -> PatternKind {
    PatternKind::Repeat(Box::new(Pattern { kind: PatternKind::Pieces(pieces.clone()), span }), 0, Some(1))
}

/// The only part of some alternatives, if there is just one.
fn only<'r, 't>(rows: &'r [Row<'t>]) -> Option<&'r Part<'t>> {
    match rows {
        [Row { parts, others, alias: None, .. }] if others.is_empty() && parts.len() == 1 => parts.first(),
        _ => None,
    }
}
