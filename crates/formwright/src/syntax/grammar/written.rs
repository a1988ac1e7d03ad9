//! A grammar as it is written: names are still texts, templates and imports are still to be resolved.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ast::{Control, Grammar, Lint, Shape, Span};
use crate::error::{Error, Result, line_and_column};
use crate::regular::{Pieces, Ranges};

/// Most remarks that are kept.
const MOST_LINTS: usize = 1_000;

/// Everything that a grammar says, in its order.
pub struct Document<'t> {
    pub definitions: IndexMap<&'t str, Definition<'t>, FxBuildHasher>,
    /// Imported terminals, by the names they have here.
    pub imported: FxHashMap<&'t str, &'t str>,
    /// What may come between terminals.
    pub ignored: Vec<Vec<Row<'t>>>,
    pub ignores_at_start: bool,
    pub lints: Lints,
}

/// Remarks, as many as anybody reads.
#[derive(Default)]
pub struct Lints(pub Vec<Lint>);

impl Lints {
    pub fn add(&mut self, span: Span, message: impl Into<String>) {
        if self.0.len() < MOST_LINTS {
            self.0.push(Lint { span, message: message.into() });
        }
    }
}

impl<'t> Document<'t> {
    pub fn new() -> Self {
        Self {
            definitions: IndexMap::default(),
            imported: FxHashMap::default(),
            ignored: Vec::new(),
            ignores_at_start: true,
            lints: Lints::default(),
        }
    }

    /// Adds what a name means.
    pub fn define(&mut self, text: &str, definition: Definition<'t>, allowed: usize) -> Result<()> {
        if let Some(first) = self.definitions.get(definition.name) {
            let (line, column) = line_and_column(text, first.span.0);
            let what = format!("'{}' is defined twice, first at {line}:{column}", definition.name);
            return Err(Error::grammar(text, definition.span, what)
                .hint("rename one of them, or add alternatives to the first with '|'"));
        }
        if self.definitions.len() >= allowed {
            return Err(Error::grammar_limit(text, definition.span, "rules", allowed));
        }
        self.definitions.insert(definition.name, definition);
        Ok(())
    }
}

/// What a name means.
pub struct Definition<'t> {
    pub name: &'t str,
    /// Where its name is written.
    pub span: Span,
    pub is_terminal: bool,
    /// Those of a template.
    pub parameters: Vec<&'t str>,
    pub shape: Shape,
    pub priority: i32,
    pub attributes: Attributes<'t>,
    pub rows: Vec<Row<'t>>,
}

/// What is written in brackets after a name.
#[derive(Default)]
pub struct Attributes<'t> {
    pub is_lazy: bool,
    pub suffix: Option<Part<'t>>,
    pub capture: Option<Arc<str>>,
    pub max_tokens: Option<(u32, Span)>,
}

impl Attributes<'_> {
    /// Whether they need a terminal: a text whose end is known without what follows.
    pub fn is_of_terminal(&self) -> bool {
        self.is_lazy || self.suffix.is_some() || self.max_tokens.is_some()
    }
}

/// An alternative: parts in a row.
pub struct Row<'t> {
    pub parts: Vec<Part<'t>>,
    /// What follows after `&`: all of it must match.
    pub others: Vec<Vec<Part<'t>>>,
    pub alias: Option<(&'t str, Span)>,
    pub span: Span,
}

/// A part of an alternative.
pub struct Part<'t> {
    pub kind: PartKind<'t>,
    pub span: Span,
}

/// What it is.
pub enum PartKind<'t> {
    Name(&'t str),
    Template {
        name: &'t str,
        arguments: Vec<Part<'t>>,
    },
    Text {
        text: Arc<str>,
        ignores_case: bool,
    },
    Class(Ranges),
    Regex {
        source: Arc<str>,
        flags: &'t str,
    },
    Group(Vec<Row<'t>>),
    Optional(Vec<Row<'t>>),
    Repeat(Box<Part<'t>>, u32, Option<u32>),
    Not(Box<Part<'t>>),
    /// The first, without the texts of the second.
    Minus(Box<[Part<'t>; 2]>),
    Form(Arc<str>),
    Json(Arc<str>),
    Grammar(Arc<Grammar>),
    /// A piece, or nothing.
    Pieces(Pieces),
    Control(Control),
}

impl<'t> Part<'t> {
    /// Adds the parts inside it, those of its alternatives among them.
    pub fn add_inner<'p>(&'p self, found: &mut Vec<&'p Part<'t>>) {
        match &self.kind {
            PartKind::Template { arguments, .. } => found.extend(arguments),
            PartKind::Group(rows) | PartKind::Optional(rows) => found.extend(parts(rows)),
            PartKind::Repeat(body, ..) | PartKind::Not(body) => found.push(body),
            PartKind::Minus(both) => found.extend(both.iter()),
            _ => {}
        }
    }
}

/// The parts of some alternatives.
pub fn parts<'r, 't>(rows: &'r [Row<'t>]) -> impl Iterator<Item = &'r Part<'t>> {
    rows.iter().flat_map(|row| row.parts.iter().chain(row.others.iter().flatten()))
}
