//! What Lark calls the terminals without names: `"let"` is `LET`, `"("` is `LPAR`, and others are `__ANON_0`, `__ANON_1`, ...
//!
//! A name that another terminal has is taken. Lark names the texts of a rule from the innermost brackets outwards, those of
//! templates last, in the order in which they are used.
//!
//! Cost: linear in the grammar.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use super::super::ast::{PatternKind, Syntax, TerminalId};
use super::super::with_stack;
use super::super::written::{Definition, Part, PartKind, Row};
use super::{Leaf, Meaning, Resolver};
use crate::interrupt::count;

/// What Lark calls signs.
const SIGNS: &[(&str, &str)] = &[
    (".", "DOT"),
    (",", "COMMA"),
    (":", "COLON"),
    (";", "SEMICOLON"),
    ("+", "PLUS"),
    ("-", "MINUS"),
    ("*", "STAR"),
    ("/", "SLASH"),
    ("\\", "BACKSLASH"),
    ("|", "VBAR"),
    ("?", "QMARK"),
    ("!", "BANG"),
    ("@", "AT"),
    ("#", "HASH"),
    ("$", "DOLLAR"),
    ("%", "PERCENT"),
    ("^", "CIRCUMFLEX"),
    ("&", "AMPERSAND"),
    ("_", "UNDERSCORE"),
    ("<", "LESSTHAN"),
    (">", "MORETHAN"),
    ("=", "EQUAL"),
    ("\"", "DBLQUOTE"),
    ("'", "QUOTE"),
    ("`", "BACKQUOTE"),
    ("~", "TILDE"),
    ("(", "LPAR"),
    (")", "RPAR"),
    ("{", "LBRACE"),
    ("}", "RBRACE"),
    ("[", "LSQB"),
    ("]", "RSQB"),
    ("\n", "NEWLINE"),
    ("\r\n", "CRLF"),
    ("\t", "TAB"),
    (" ", "SPACE"),
];

/// A part of a rule with how deep it is, as Lark counts: alternatives, each alternative and each part are levels.
type Placed<'d, 't> = (usize, &'d Part<'t>);

impl<'d, 't> Resolver<'d, 't> {
    /// Names the terminals that have no names, as far as Lark does.
    pub(super) fn label(&mut self, ignored: &[TerminalId]) {
        if self.context.syntax != Syntax::Lark {
            return;
        }
        let mut labels = Labels::default();
        labels.taken.extend(self.terminals.iter().filter_map(|terminal| terminal.name.as_deref()).map(str::to_owned));
        for (at, &terminal) in ignored.iter().enumerate() {
            if self.terminals[terminal as usize].name.is_none() {
                labels.give(terminal, format!("__IGNORE_{at}"));
            }
        }
        let definitions = self.definitions;
        let is_plain = |definition: &&Definition<'_>| {
            !definition.is_terminal && definition.parameters.is_empty() && !definition.attributes.is_of_terminal()
        };
        let mut waiting: Vec<&Definition<'t>> = definitions.iter().filter(is_plain).collect();
        let (mut at, mut used) = (0, BTreeSet::new());
        while let Some(definition) = waiting.get(at) {
            at += 1;
            for template in self.label_rule(definition, &mut labels) {
                if used.insert(template) {
                    waiting.push(&definitions[template]);
                }
            }
        }
        for (terminal, label) in labels.given {
            self.terminals[terminal as usize].label = Some(label);
        }
    }

    /// Names those of a rule, and finds the templates that it uses.
    fn label_rule(&self, definition: &'d Definition<'t>, labels: &mut Labels) -> Vec<usize> {
        let mut found = Vec::new();
        add_parts(&definition.rows, 0, &mut found);
        found.sort_by_key(|&(depth, _)| Reverse(depth)); // equally deep ones stay in the order of the text
        let mut templates = Vec::new();
        for (_, part) in found {
            count(1);
            if let PartKind::Template { name, .. } = &part.kind {
                if let Some(Meaning::Template(template)) = self.meanings.get(name) {
                    templates.push(*template);
                }
            } else if let Some(terminal) = self.known_leaf(part)
                && self.terminals[terminal as usize].name.is_none()
                && !labels.given.contains_key(&terminal)
            {
                labels.name(terminal, &self.terminals[terminal as usize].pattern.kind);
            }
        }
        templates
    }

    /// The terminal of a text, a class or a regular expression that was read before.
    fn known_leaf(&self, part: &Part<'t>) -> Option<TerminalId> {
        let leaf = match &part.kind {
            PartKind::Text { text, ignores_case } => Leaf::Text { text: text.clone(), ignores_case: *ignores_case },
            PartKind::Class(ranges) => Leaf::Class(ranges.clone()),
            PartKind::Regex { source, flags } => Leaf::Regex(*self.regex_ids.get(&(source.clone(), *flags))?),
            _ => return None,
        };
        self.leaves.get(&leaf).copied()
    }
}

/// The names given so far.
#[derive(Default)]
struct Labels {
    given: BTreeMap<TerminalId, Arc<str>>,
    taken: BTreeSet<String>,
    numbered: usize,
}

impl Labels {
    fn name(&mut self, terminal: TerminalId, kind: &PatternKind) {
        let meant = match kind {
            PatternKind::Text { text, .. } => name_of(text).filter(|name| !self.taken.contains(name)),
            _ => None,
        };
        let name = meant.unwrap_or_else(|| {
            self.numbered += 1;
            format!("__ANON_{}", self.numbered - 1)
        });
        self.give(terminal, name);
    }

    fn give(&mut self, terminal: TerminalId, name: String) {
        self.given.insert(terminal, name.as_str().into());
        self.taken.insert(name);
    }
}

/// What Lark calls a text, if that name is free.
fn name_of(text: &str) -> Option<String> {
    if let Some((_, name)) = SIGNS.iter().find(|(sign, _)| *sign == text) {
        return Some((*name).to_owned());
    }
    let first = text.chars().next()?;
    (is_of_name(first, true) && text.chars().all(|c| is_of_name(c, false))).then(|| text.to_uppercase())
}

/// Whether a character may be in a name of Lark's; letters and marks may begin one.
fn is_of_name(c: char, is_first: bool) -> bool {
    static ALL: LazyLock<[Option<ClassUnicode>; 2]> =
        LazyLock::new(|| [class(r"[\p{L}\p{Mn}\p{Mc}\p{Pc}\p{Nd}\p{Nl}]"), class(r"[\p{L}\p{Mn}\p{Mc}\p{Pc}]")]);
    if c.is_ascii() {
        return c == '_' || if is_first { c.is_ascii_alphabetic() } else { c.is_ascii_alphanumeric() };
    }
    ALL[usize::from(is_first)]
        .as_ref()
        .is_some_and(|class| class.ranges().binary_search_by(|range| order(range.start(), range.end(), c)).is_ok())
}

/// Where a range is, seen from a character.
fn order(start: char, end: char, c: char) -> std::cmp::Ordering {
    if end < c { std::cmp::Ordering::Less } else { start.cmp(&c).max(std::cmp::Ordering::Equal) }
}

fn class(source: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(source).map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => Some(class),
        _ => None,
    }
}

/// Adds the parts of some alternatives that are terminals or uses of templates, in the order of the text.
fn add_parts<'d, 't>(rows: &'d [Row<'t>], depth: usize, found: &mut Vec<Placed<'d, 't>>) {
    for row in rows {
        let depth = depth + 1 + usize::from(row.alias.is_some());
        row.parts.iter().for_each(|part| add_part(part, depth + 1, found));
    }
}

fn add_part<'d, 't>(part: &'d Part<'t>, depth: usize, found: &mut Vec<Placed<'d, 't>>) {
    match &part.kind {
        PartKind::Group(rows) => with_stack(|| add_parts(rows, depth, found)),
        PartKind::Optional(rows) => with_stack(|| add_parts(rows, depth + 1, found)),
        PartKind::Repeat(body, ..) => with_stack(|| add_part(body, depth + 1, found)),
        PartKind::Template { arguments, .. } => {
            found.push((depth, part));
            with_stack(|| arguments.iter().for_each(|argument| add_part(argument, depth + 1, found)));
        }
        _ => found.push((depth, part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_names_of_lark() {
        let named = [("let", "LET"), ("_x1", "_X1"), ("(", "LPAR"), ("ü", "Ü"), ("ß", "SS"), ("a\u{301}", "A\u{301}")];
        for (text, name) in named {
            assert_eq!(name_of(text).as_deref(), Some(name), "{text}");
        }
        for text in ["1a", "a-b", "+=", "a²", "a b", "", "()"] {
            assert_eq!(name_of(text), None, "{text}");
        }
    }
}
