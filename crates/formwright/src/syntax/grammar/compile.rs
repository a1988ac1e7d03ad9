//! From the text of a grammar to its language.
//!
//! The regular expressions of Lark are those of Python's `re`, which only `re` can read. So a host asks for them first
//! ([`regexes`]), has them translated, and gives the translations with the grammar; they are stored with it. An expression
//! without a translation is read in the syntax of the `regex` crate.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ast::{Control, EVERY_ID, Grammar, Item, ItemKind, Lint, Regex, Span, Syntax};
use super::derivation::Derivations;
use super::lower::{Given, Lexing, find_remarks, lower};
use super::{ReadOptions, read};
use crate::error::{Error, Kind, Result, line_and_column};
use crate::language::{Graph, Language, Leaf, Node, UNBOUNDED};
use crate::limits::Limits;
use crate::regular::{Encoding, Regular};
use crate::syntax::json_schema::{Options, json_schema};
use crate::syntax::pattern::Pattern;
use crate::syntax::pieces::of_pieces;
use crate::syntax::regex::{Dialect, parse_pattern};

/// A grammar, and how it is read.
#[derive(Clone, Debug)]
pub struct GrammarText {
    /// Its text.
    pub text: Arc<str>,
    /// Its notation; if it is not said, what it looks like.
    pub syntax: Option<Syntax>,
    /// The rule a text begins with; if it is not said, `start` or `root`.
    pub start: Option<Arc<str>>,
    /// How texts are cut into terminals; if it is not said, as Lark does it if it is Lark, and else in any way.
    pub lexing: Option<Lexing>,
    /// Translations of its regular expressions.
    pub translations: Vec<Translation>,
    /// The names of the forms that it refers to.
    pub forms: Vec<Arc<str>>,
    /// The control tokens that it refers to by their ids, ascending, with their names.
    pub controls: Vec<(u32, Arc<str>)>,
}

/// A regular expression of a grammar in another dialect.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The expression as it is written, and its flags.
    pub regex: (Arc<str>, Arc<str>),
    /// The dialect it is translated to.
    pub dialect: Dialect,
    /// Its translation.
    pub text: Arc<str>,
}

/// A remark on a grammar: its line and column, and what it says.
pub type Remark = (usize, usize, String);

/// A regular expression, and the line and column where it is first.
pub type Located = (Regex, (usize, usize));

/// The regular expressions of a grammar and of the grammars inside it, each once; and remarks on what is allowed but
/// hardly meant.
///
/// # Errors
/// As [`read`].
pub fn regexes(grammar: &GrammarText, limits: &Limits) -> Result<(Vec<Located>, Vec<Remark>)> {
    let grammar = grammar.read(limits)?;
    let (mut all, mut seen): (Vec<Located>, FxHashSet<_>) = Default::default();
    for grammar in with_inner(&grammar) {
        for regex in &grammar.regexes {
            if seen.insert((&regex.source, &regex.flags)) {
                all.push((regex.clone(), line_and_column(&grammar.text, regex.start - 1)));
            }
        }
    }
    Ok((all, locate(&grammar, &grammar.lints)))
}

/// Remarks in the order of their places.
fn locate(grammar: &Grammar, lints: &[Lint]) -> Vec<Remark> {
    let remark = |lint: &Lint| {
        let (line, column) = line_and_column(&grammar.text, lint.span.0);
        (line, column, lint.message.clone())
    };
    let mut remarks: Vec<Remark> = lints.iter().map(remark).collect();
    remarks.sort_unstable();
    remarks
}

/// The control tokens that a grammar and the grammars inside it refer to by their ids, ascending, with their names.
///
/// # Errors
/// As [`read`]; [`crate::Kind::UnsupportedConstruct`] with the place of an id that has no name.
pub fn name_ids(
    grammar: &GrammarText,
    name_of: &dyn Fn(u32) -> Result<Arc<str>>,
    limits: &Limits,
) -> Result<Vec<(u32, Arc<str>)>> {
    let grammar = grammar.read(limits)?;
    let mut named = BTreeMap::new();
    for item in with_inner(&grammar).into_iter().flat_map(items_of) {
        let ItemKind::Control(Control::Ids { ranges, .. }) = &item.kind else { continue };
        for id in ids(ranges) {
            let unnamed = |error: Error| {
                let instead = error.hint.unwrap_or_default();
                Error::unsupported_construct(&grammar.text, item.span, error.message, &instead)
            };
            named.insert(id, name_of(id).map_err(unnamed)?);
        }
    }
    Ok(named.into_iter().collect())
}

/// The ids that are listed; none where any will do.
fn ids(ranges: &[(u32, u32)]) -> impl Iterator<Item = u32> {
    ranges.iter().filter(|range| **range != EVERY_ID).flat_map(|&(low, high)| low..=high)
}

/// A grammar and those inside it.
fn with_inner(grammar: &Grammar) -> Vec<&Grammar> {
    let (mut all, mut at) = (vec![grammar], 0);
    while at < all.len() {
        all.extend(items_of(all[at]).into_iter().filter_map(|item| match &item.kind {
            ItemKind::Grammar(inner) => Some(&**inner),
            _ => None,
        }));
        at += 1;
    }
    all
}

/// The items of all rules, those in groups among them.
fn items_of(grammar: &Grammar) -> Vec<&Item> {
    let items = grammar.rules.iter().flat_map(|rule| &rule.alternatives).flat_map(|way| &way.items);
    let (mut open, mut found): (Vec<_>, _) = (items.collect(), Vec::new());
    while let Some(item) = open.pop() {
        found.push(item);
        match &item.kind {
            ItemKind::Group(ways) | ItemKind::Optional(ways) => open.extend(ways.iter().flat_map(|way| &way.items)),
            ItemKind::Repeat(item, ..) => open.push(item),
            _ => {}
        }
    }
    found
}

/// Bytes of the longest text whose grammar is kept.
const LONGEST_KEPT: usize = 1 << 16;

thread_local! {
    /// The grammar that this thread has read last: a host asks for its expressions first, and then for its language.
    static LAST_READ: RefCell<Option<(ReadOptions, Rc<Grammar>)>> = const { RefCell::new(None) };
}

impl GrammarText {
    pub(super) fn read(&self, limits: &Limits) -> Result<Rc<Grammar>> {
        let options = ReadOptions {
            syntax: self.syntax,
            start: self.start.as_deref().map(str::to_owned),
            forms: self.forms.iter().map(|name| (**name).to_owned()).collect(),
            limits: limits.clone(),
        };
        if let Some((known, grammar)) = LAST_READ.take()
            && *grammar.text == *self.text
            && known == options
        {
            LAST_READ.set(Some((known, Rc::clone(&grammar))));
            return Ok(grammar);
        }
        let grammar = Rc::new(read(&self.text, &options)?);
        if self.text.len() <= LONGEST_KEPT {
            LAST_READ.set(Some((options, Rc::clone(&grammar))));
        }
        Ok(grammar)
    }

    /// Its language, given the languages of the forms that it refers to.
    ///
    /// # Errors
    /// As [`read`], and those of the languages inside it.
    pub fn build(&self, forms: &[Language], limits: &Limits) -> Result<Language> {
        let grammar = self.read(limits)?;
        self.build_of(&grammar, forms, limits)
    }

    fn build_of(&self, grammar: &Grammar, forms: &[Language], limits: &Limits) -> Result<Language> {
        self.with_given(grammar, forms, limits, |given| lower(grammar, self.lexing_of(grammar), given, limits))
    }

    /// Remarks on parts that no text has, and on where fewer texts conform than Lark reads, given the languages of the forms
    /// that it refers to.
    ///
    /// # Errors
    /// As [`GrammarText::build`].
    pub fn find_remarks(&self, forms: &[Language], limits: &Limits) -> Result<Vec<Remark>> {
        let grammar = self.read(limits)?;
        let mut all = Vec::new();
        for grammar in with_inner(&grammar) {
            let lexing = self.lexing_of(grammar);
            let found =
                self.with_given(grammar, forms, limits, |given| find_remarks(grammar, lexing, given, limits))?;
            all.extend(locate(grammar, &found));
        }
        all.sort_unstable();
        Ok(all)
    }

    /// Its language, and what its texts are read with, given the languages of the forms that it refers to.
    ///
    /// # Errors
    /// As [`GrammarText::build`].
    pub fn derivations(&self, forms: &[Language], limits: &Limits) -> Result<(Language, Derivations)> {
        let grammar = self.read(limits)?;
        self.derivations_of(&grammar, forms, limits)
    }

    fn derivations_of(
        &self,
        grammar: &Grammar,
        forms: &[Language],
        limits: &Limits,
    ) -> Result<(Language, Derivations)> {
        let inner = |inner: &Grammar| Ok(self.derivations_of(inner, forms, limits)?.1);
        self.with_given(grammar, forms, limits, |given| {
            Derivations::new(grammar, self.lexing_of(grammar), given, inner, limits)
        })
    }

    /// How texts are cut.
    fn lexing_of(&self, grammar: &Grammar) -> Lexing {
        self.lexing.unwrap_or(match grammar.syntax {
            Syntax::Lark => Lexing::Longest,
            Syntax::Gbnf => Lexing::Any,
        })
    }

    /// Does something with what a grammar refers to.
    pub(super) fn with_given<T>(
        &self,
        grammar: &Grammar,
        forms: &[Language],
        limits: &Limits,
        work: impl FnOnce(&Given<'_>) -> Result<T>,
    ) -> Result<T> {
        let form = |name: &str| self.forms.iter().position(|known| **known == *name).and_then(|at| forms.get(at));
        let missing = |name: &str, span| Error::grammar(&grammar.text, span, format_args!("there is no form {name:?}"));
        let given = Given {
            regexes: grammar.regexes.iter().map(|regex| self.regex(grammar, regex, limits)).collect::<Result<_>>()?,
            foreign: &|kind, span| match kind {
                ItemKind::Form(name) => form(name).cloned().ok_or_else(|| missing(name, span)),
                ItemKind::Json(schema) => json_schema(schema, &Options::default())
                    .map_err(|error| Error { hint: error.hint.clone(), ..Error::grammar(&grammar.text, span, error) }),
                ItemKind::Grammar(inner) => self.build_of(inner, forms, limits),
                ItemKind::Pieces(pieces) => of_pieces(pieces, limits),
                ItemKind::Control(control) => self.control(grammar, (control, span), limits),
                ItemKind::Repeat(body, low, _) => self.free_text(grammar, (body, *low), limits),
                _ => Err(Error::grammar(&grammar.text, span, "this is not a language of its own")),
            },
            regular_form: &|name, span| {
                let form = form(name).ok_or_else(|| missing(name, span))?;
                form.tree().map_err(|error| {
                    let what = format_args!("the form {name:?} cannot be part of a terminal: {error}");
                    Error::unsupported_construct(&grammar.text, span, what, "write it in a rule")
                })
            },
        };
        work(&given)
    }

    /// One of the control tokens that are said.
    fn control(&self, grammar: &Grammar, (control, span): (&Control, Span), limits: &Limits) -> Result<Language> {
        let refuse = |what, instead| Err(Error::unsupported_construct(&grammar.text, span, what, instead));
        match control {
            Control::Name(name) => Language::control(name, false, limits),
            Control::Ids { ranges, negated: false } if !control.is_open() => {
                Language::one_control(&self.names(grammar, (ranges, span))?, limits)
            }
            _ if control.is_open() => refuse(
                "one token of any kind cannot be enforced: a grammar says what is written, not how it is cut into tokens",
                "repeat it, as free text: !<|end|>*",
            ),
            _ => refuse("no token is left", "leave it out"),
        }
    }

    /// The names of the control tokens that are said by their ids.
    fn names(&self, grammar: &Grammar, (ranges, span): (&[(u32, u32)], Span)) -> Result<Vec<&str>> {
        let name =
            |id| self.controls.binary_search_by_key(&id, |(known, _)| *known).ok().map(|at| &*self.controls[at].1);
        ids(ranges).map(name).collect::<Option<_>>().ok_or_else(|| {
            let what = "the id of a token means nothing without its vocabulary";
            let instead = "pass vocabulary=, or name the control token: <|end|>";
            Error::unsupported_construct(&grammar.text, span, what, instead)
        })
    }

    /// What tokens in a row spell, each any but some control tokens: free text.
    fn free_text(&self, grammar: &Grammar, (token, low): (&Item, u32), limits: &Limits) -> Result<Language> {
        if let Some(Control::Ids { ranges, .. }) = token.control() {
            self.names(grammar, (ranges, token.span))?;
        }
        let mut graph = Graph::default();
        let leaf = graph.leaf(Leaf { tree: Regular::anything(), encoding: Encoding::Text });
        graph.root = graph.add(Node::Text { leaf, low, high: UNBOUNDED });
        Language::new(graph, limits)
    }

    /// The pattern of a regular expression: in its translation, or as the `regex` crate reads it.
    fn regex(&self, grammar: &Grammar, regex: &Regex, limits: &Limits) -> Result<Pattern> {
        let own = |known: &&Translation| known.regex.0 == regex.source && known.regex.1 == regex.flags;
        let parsed = match self.translations.iter().find(own) {
            Some(translation) => parse_pattern(&translation.text, translation.dialect, limits),
            None if regex.flags.is_empty() => parse_pattern(&regex.source, Dialect::Unicode, limits),
            None => parse_pattern(&format!("(?{}:{})", regex.flags, regex.source), Dialect::Unicode, limits),
        };
        let span = (regex.start, regex.start + regex.source.len());
        parsed.map_err(|error| {
            let what = error.message.lines().next().unwrap_or_default().to_owned();
            match *error.kind {
                Kind::Regex { .. } => Error { hint: error.hint, ..Error::grammar(&grammar.text, span, what) },
                Kind::UnsupportedRegex { .. } => {
                    let instead = error.hint.unwrap_or_default();
                    Error::unsupported_construct(&grammar.text, span, what, &instead)
                }
                _ => error,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grammar_is_read_once_and_anew_where_it_is_read_otherwise() {
        let limits = Limits::default();
        let whole = GrammarText {
            text: "start: x\nx: \"a\"".into(),
            syntax: None,
            start: None,
            lexing: None,
            translations: Vec::new(),
            forms: Vec::new(),
            controls: Vec::new(),
        };
        let part = GrammarText { start: Some("x".into()), ..whole.clone() };
        let first = whole.read(&limits).unwrap();
        assert!(Rc::ptr_eq(&first, &whole.clone().read(&limits).unwrap()));
        assert_ne!(part.read(&limits).unwrap().start, first.start);
        let other = GrammarText { text: "start: \"b\"".into(), ..whole.clone() };
        assert_eq!(other.read(&limits).unwrap().rules.len(), 1);
        whole.read(&limits).unwrap();
        assert!(whole.read(&Limits { grammar_rules: 1, ..limits }).is_err());
    }
}
