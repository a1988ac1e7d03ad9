//! Remarks on rules: alternatives that are written twice, and terminals that are ignored and used.

use std::collections::BTreeSet;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::super::ast::{Alternative, Item, ItemKind, Span, Syntax, TerminalId};
use super::super::cursor::shorten;
use super::Resolver;
use crate::interrupt::count;

impl Resolver<'_, '_> {
    /// Remarks on alternatives that have the same parts as an earlier one.
    pub(super) fn remark_equal_alternatives(&mut self) {
        let (mut found, mut open) = (BTreeSet::new(), Vec::new());
        open.extend(self.rules.iter().map(|rule| &rule.alternatives[..]));
        while let Some(alternatives) = open.pop() {
            if let [only] = alternatives {
                open.extend(only.items.iter().filter_map(inner_alternatives));
                continue;
            }
            let mut seen: FxHashMap<String, Span> = FxHashMap::default();
            for Alternative { items, span, .. } in alternatives {
                open.extend(items.iter().filter_map(inner_alternatives));
                let first = *seen.entry(self.spell(items)).or_insert(*span);
                if first != *span {
                    found.insert((*span, first));
                }
            }
        }
        for (span, first) in found {
            let what = format!("this alternative is never taken: the one at {} has the same parts", self.place(first));
            self.lints.add(span, what);
        }
    }

    /// Remarks on the first use of each terminal that is ignored: a lexer like Lark's keeps its texts from the rules.
    pub(super) fn remark_ignored_uses(&mut self, ignored: &[TerminalId]) {
        if self.context.syntax != Syntax::Lark {
            return;
        }
        let mut uses: FxHashMap<TerminalId, Span> = FxHashMap::default();
        let mut open: Vec<&Item> = self.rules.iter().flat_map(|rule| &rule.alternatives).flat_map(items_of).collect();
        while let Some(item) = open.pop() {
            match &item.kind {
                ItemKind::Terminal(terminal) | ItemKind::Text(terminal) if ignored.contains(terminal) => {
                    let first = uses.entry(*terminal).or_insert(item.span);
                    *first = item.span.min(*first);
                }
                ItemKind::Repeat(body, ..) => open.push(body),
                _ => open.extend(inner_alternatives(item).into_iter().flatten().flat_map(items_of)),
            }
        }
        for span in uses.into_values().collect::<BTreeSet<_>>() {
            let written = shorten(self.context.text.get(span.0..span.1).unwrap_or_default());
            let what = format!("what is ignored is used here: Lark never gives a text of {written} to a rule");
            self.lints.add(span, what);
        }
    }

    /// Items as a text that equal ones share.
    fn spell(&self, items: &[Item]) -> String {
        let (mut text, mut open) = (String::new(), Vec::new());
        open.extend(items.iter().rev().map(Ok));
        while let Some(next) = open.pop() {
            count(1);
            let item = match next {
                Ok(item) => item,
                Err(sign) => {
                    text.push(sign);
                    continue;
                }
            };
            let _ = match &item.kind {
                ItemKind::Rule(rule) => write!(text, "r{rule} "),
                ItemKind::Terminal(terminal) => write!(text, "t{terminal} "),
                ItemKind::Text(terminal) => write!(text, "x{terminal} "),
                ItemKind::Repeat(body, low, high) => {
                    open.push(Ok(body));
                    write!(text, "{low},{high:?} ")
                }
                ItemKind::Group(ways) | ItemKind::Optional(ways) => {
                    open.push(Err(')'));
                    for way in ways.iter().rev() {
                        open.extend(way.items.iter().rev().map(Ok));
                        open.push(Err('|'));
                    }
                    write!(text, "{}", if matches!(item.kind, ItemKind::Group(_)) { '(' } else { '[' })
                }
                _ => write!(text, "{:?} ", self.context.text.get(item.span.0..item.span.1)),
            };
        }
        text
    }
}

fn inner_alternatives(item: &Item) -> Option<&[Alternative]> {
    match &item.kind {
        ItemKind::Group(ways) | ItemKind::Optional(ways) => Some(ways),
        ItemKind::Repeat(body, ..) => inner_alternatives(body),
        _ => None,
    }
}

fn items_of(alternative: &Alternative) -> &[Item] {
    &alternative.items
}
