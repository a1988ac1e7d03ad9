//! What a grammar says, whatever notation it was written in.
//!
//! ```text
//! expr: expr "+" NAME -> add | NAME        a rule of two alternatives, the first with an alias
//! NAME: /[a-z]+/                           a terminal
//! ```
//!
//! Readers ([`super::lark`], [`super::gbnf`]) resolve all names, expand templates and imports, and check what can be checked
//! without knowing which texts there are; [`super::lower`] makes the graph. Ids are indices into [`Grammar::rules`] and
//! [`Grammar::terminals`], in the order in which the text defines them (unnamed terminals after the named ones, in the order in
//! which they are used).

use std::sync::Arc;

use crate::regular::{Pieces, Ranges};

/// Byte offsets of a place in the text of a grammar.
pub type Span = (usize, usize);

/// Index of a rule.
pub type RuleId = u32;

/// Index of a terminal.
pub type TerminalId = u32;

/// Index of a regular expression as it was written.
pub type RegexId = u32;

/// The notation of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Lark, with what llguidance and `OpenAI` add to it.
    Lark,
    /// GBNF of llama.cpp, and the EBNF of xgrammar and of the W3C.
    Gbnf,
}

/// A grammar whose names are resolved.
#[derive(Clone, Debug)]
pub struct Grammar {
    /// Its text; for a grammar inside another, that of the outermost one.
    pub text: Arc<str>,
    /// The notation it was written in.
    pub syntax: Syntax,
    /// Its rules.
    pub rules: Vec<Rule>,
    /// Its terminals, named ones first.
    pub terminals: Vec<Terminal>,
    /// Its regular expressions, as they were written, each once.
    pub regexes: Vec<Regex>,
    /// Terminals that may come between others.
    pub ignored: Vec<TerminalId>,
    /// Whether ignored terminals may also come before the first one.
    pub ignores_at_start: bool,
    /// The rule a text begins with.
    pub start: RuleId,
    /// What is allowed but hardly meant.
    pub lints: Vec<Lint>,
}

/// A remark on a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// Where.
    pub span: Span,
    /// What is remarkable about it.
    pub message: String,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: Arc<str>,
    /// Where its name is defined.
    pub span: Span,
    /// What it may be.
    pub alternatives: Vec<Alternative>,
    /// How it appears in trees.
    pub shape: Shape,
    /// Among several trees of one text, the higher one is taken.
    pub priority: i32,
    /// What a text of it is bounded by.
    pub attributes: Attributes,
}

/// How a rule appears in trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// `?r`: a node with one child is replaced by it.
    pub inlines_single: bool,
    /// `!r`: unnamed texts are kept as children.
    pub keeps_all: bool,
    /// `_r`: its children take its place.
    pub is_spliced: bool,
}

/// The attributes of a rule or terminal, as llguidance writes them in brackets after the name.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// The shortest match is taken.
    pub is_lazy: bool,
    /// Read after the shortest match.
    pub suffix: Option<Pattern>,
    /// The name under which its text is reported.
    pub capture: Option<Arc<str>>,
    /// Most tokens, and where this is said.
    pub max_tokens: Option<(u32, Span)>,
}

/// One way to write a rule.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// What comes in a row.
    pub items: Vec<Item>,
    /// Name of its node in trees.
    pub alias: Option<Arc<str>>,
    /// All of it.
    pub span: Span,
}

/// A part of an alternative.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Where it is written.
    pub span: Span,
}

impl Item {
    /// Whether it is tokens in a row, each any but some: `!<|end|>*`, also in a group of its own.
    pub fn is_open_run(&self) -> bool {
        matches!(&self.kind, ItemKind::Repeat(body, 0 | 1, None) if body.control().is_some_and(Control::is_open))
    }

    /// The token that it is, in groups of their own perhaps.
    pub fn control(&self) -> Option<&Control> {
        let mut item = self;
        loop {
            match &item.kind {
                ItemKind::Control(control) => return Some(control),
                ItemKind::Group(ways) => match &ways[..] {
                    [Alternative { items, .. }] if items.len() == 1 => item = &items[0],
                    _ => return None,
                },
                _ => return None,
            }
        }
    }
}

/// What a part of an alternative is.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A rule.
    Rule(RuleId),
    /// A terminal.
    Terminal(TerminalId),
    /// A terminal that is written as a text, which trees leave out.
    Text(TerminalId),
    /// Any of some alternatives.
    Group(Vec<Alternative>),
    /// Some alternatives, or nothing: Lark's brackets.
    Optional(Vec<Alternative>),
    /// `low..=high` times in a row; `None` sets no bound.
    Repeat(Box<Item>, u32, Option<u32>),
    /// A form by its name among those given with the grammar.
    Form(Arc<str>),
    /// A JSON Schema, as JSON text.
    Json(Arc<str>),
    /// A grammar inside the grammar.
    Grammar(Arc<Grammar>),
    /// Part of a text.
    Pieces(Pieces),
    /// One token out of some.
    Control(Control),
}

/// One control token out of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// By its name, with its angle brackets.
    Name(Arc<str>),
    /// By its id.
    Ids {
        /// Inclusive ranges.
        ranges: Vec<(u32, u32)>,
        /// Whether all other tokens are meant.
        negated: bool,
    },
    /// Any token but that of this name.
    NotName(Arc<str>),
}

/// The ids of all tokens.
pub const EVERY_ID: (u32, u32) = (0, u32::MAX);

impl Control {
    /// Whether it is any token but some, or any at all.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Name(_) => false,
            Self::Ids { ranges, negated } => *negated != (ranges[..] == [EVERY_ID]),
            Self::NotName(_) => true,
        }
    }
}

/// A terminal.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Its name; unnamed ones are written where they are used.
    pub name: Option<Arc<str>>,
    /// What trees call an unnamed one, as Lark does.
    pub label: Option<Arc<str>>,
    /// Where its name is defined, or where it is first used.
    pub span: Span,
    /// Its texts.
    pub pattern: Pattern,
    /// Of terminals that may come in one place, the higher one is taken.
    pub priority: i32,
    /// What a text of it is bounded by.
    pub attributes: Attributes,
}

/// Part of a terminal.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where it is written.
    pub span: Span,
}

/// What part of a terminal is.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A text.
    Text {
        /// Its characters.
        text: Arc<str>,
        /// Whether case is ignored.
        ignores_case: bool,
    },
    /// One character.
    Class(Ranges),
    /// A regular expression as it was written.
    Regex(RegexId),
    /// Another terminal; terminals are not recursive.
    Terminal(TerminalId),
    /// One after the other.
    Sequence(Vec<Pattern>),
    /// Any of them.
    Choice(Vec<Pattern>),
    /// All of them.
    And(Vec<Pattern>),
    /// Every text but these.
    Not(Box<Pattern>),
    /// `low..=high` times in a row; `None` sets no bound.
    Repeat(Box<Pattern>, u32, Option<u32>),
    /// A regular form by its name among those given with the grammar.
    Form(Arc<str>),
    /// Part of a text.
    Pieces(Pieces),
}

/// A regular expression as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Regex {
    /// The expression between its slashes, as it is written.
    pub source: Arc<str>,
    /// The letters after it.
    pub flags: Arc<str>,
    /// Where the expression begins in the text of the grammar.
    pub start: usize,
}
