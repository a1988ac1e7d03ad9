//! Remarks on what no text has: terminals for which a lexer always takes another one, rules that never end, texts that are
//! left out of terminals, and texts that Lark's lexer would cut otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ast::{Grammar, Lint, Span, Terminal, TerminalId};
use super::super::cursor::shorten;
use super::lexer::{Found, Lexer};
use super::parts::Symbol;
use super::places::nullable_parts;
use super::shorter::{Pair, Terminals};
use super::{Given, Lexing, Materials, United, bounded_by_rule};
use crate::error::Result;
use crate::limits::Limits;
use crate::regular::Tag;

/// What can be said of a grammar once its terminals are known. Only what is certain is.
///
/// # Errors
/// As [`super::lower`].
pub fn find_remarks(grammar: &Grammar, lexing: Lexing, given: &Given<'_>, limits: &Limits) -> Result<Vec<Lint>> {
    bounded_by_rule(grammar, limits, |_| {
        let mut materials = Materials::of(grammar, lexing, given, limits)?;
        let mut found: BTreeSet<(Span, String)> = rules_without_end(grammar, &materials).collect();
        if lexing != Lexing::Any {
            found.extend(texts_left_out(grammar, &materials));
            found.extend(terminals_never_taken(grammar, lexing, &mut materials, limits)?);
            found.extend(contexts_not_told_apart(grammar, &materials));
            found.extend(texts_beside_expressions(grammar, &mut materials, limits)?);
            found.extend(shorter_matches(grammar, lexing, &mut materials, limits)?);
        }
        Ok(found.into_iter().map(|(span, message)| Lint { span, message }).collect())
    })
}

fn rules_without_end<'g>(
    grammar: &'g Grammar,
    materials: &Materials,
) -> impl Iterator<Item = (Span, String)> + use<'g> {
    let ends = nullable_parts(&materials.parts, |_| true); // as if each terminal had the empty text
    let ends: Vec<bool> = materials.parts.rules.iter().map(|&body| ends[body as usize]).collect();
    let endless = grammar.rules.iter().zip(ends).filter(|(_, ends)| !ends);
    endless.map(|(rule, _)| (rule.span, format!("the rule '{}' never ends, and is left out", shorten(&rule.name))))
}

/// Terminals of which texts are left out.
fn texts_left_out(grammar: &Grammar, materials: &Materials) -> Vec<(Span, String)> {
    let terminals = grammar.terminals.iter().zip(&materials.terminals).zip(0..);
    let lazy = terminals.filter(|((_, info), _)| info.left_out.is_some());
    let remark = |((terminal, _), id): ((&Terminal, _), TerminalId)| {
        let what = "texts are left out that are the match only if no end comes anywhere later";
        (terminal.span, format!("{}: {what}", name(grammar, id)))
    };
    lazy.map(remark).collect()
}

/// Occurrences of terminals for whose texts a lexer takes another terminal, in each of their contexts.
fn terminals_never_taken(
    grammar: &Grammar,
    lexing: Lexing,
    materials: &mut Materials,
    limits: &Limits,
) -> Result<Vec<(Span, String)>> {
    let automaton = materials.automaton(limits)?;
    let places = materials.places(lexing, &automaton)?;
    let Materials { parts, terminals, .. } = materials;
    let mut lexer = Lexer::new(parts, &places, terminals, &automaton);
    let mut winners = BTreeMap::new();
    for (id, occurrence) in (0..).zip(&parts.occurrences) {
        let Symbol::Terminal(own) = occurrence.symbol else { continue };
        let winner = lexer.winner(own, lexer.at_occurrence[id]);
        let known = winners.entry(occurrence.span).or_insert((own, winner));
        known.1 = known.1.and(winner);
    }
    let never = winners.into_iter().filter_map(|(span, (own, winner))| Some((span, own, winner?)));
    let remark = |(span, own, winner)| {
        let [own, winner] = [own, winner].map(|terminal| name(grammar, terminal));
        (span, format!("{own} never comes here: {winner} is taken for each of its texts"))
    };
    Ok(never.map(remark).collect())
}

/// Where fewer texts conform than Lark reads, since there are too many contexts.
fn contexts_not_told_apart(grammar: &Grammar, materials: &Materials) -> Option<(Span, String)> {
    let (span, what) = match materials.united.as_ref()? {
        United::Trivia => (grammar.rules[grammar.start as usize].span, "what is ignored".to_owned()),
        United::From(occurrence) => {
            let span = materials.parts.occurrences[*occurrence as usize].span;
            (span, shorten(grammar.text.get(span.0..span.1).unwrap_or_default()))
        }
    };
    let message = format!(
        "{what} competes with all terminals that may come in any use of the rule, since the uses are too many to tell apart: \
         some texts that Lark reads do not conform"
    );
    Some((span, message))
}

/// Texts that several expressions also match, some of which depend on what follows. Lark looks for such a text in place of
/// one of these; here, it loses against all that come before it in Lark's order. So it is with texts that one terminal
/// matches as they are written, and another one only in another case.
fn texts_beside_expressions(
    grammar: &Grammar,
    materials: &mut Materials,
    limits: &Limits,
) -> Result<BTreeSet<(Span, String)>> {
    let automaton = materials.automaton(limits)?;
    let (terminals, mut all) = (&materials.terminals, BTreeSet::new());
    for state in automaton.states() {
        let found = Found { automaton: &automaton, terminals, state };
        let depending = found.open().count();
        let certain: Vec<Tag> = found.certain().collect();
        let texts: Vec<Tag> = certain.iter().copied().filter(|&tag| terminals[tag as usize].is_text).collect();
        if depending > 0 && depending + certain.len() - texts.len() > 1 {
            all.extend(texts.into_iter().map(|text| (text, "expressions that also match it depend on what follows")));
            continue;
        }
        let takes = |one: Tag, other: Tag| found.is_taken_by(one, other);
        let goes_round = |&text: &Tag| {
            let taken = certain.iter().filter(|&&tag| takes(text, tag));
            taken.copied().any(|tag| certain.iter().any(|&other| takes(tag, other) && takes(other, text)))
        };
        let what = "of the terminals that also match it, some match it only in another case";
        all.extend(texts.into_iter().filter(goes_round).map(|text| (text, what)));
    }
    let remark = |(text, what): (Tag, &str)| {
        let message =
            format!("{}: {what}, so it may be that some texts that Lark reads do not conform", name(grammar, text));
        (grammar.terminals[text as usize].span, message)
    };
    Ok(all.into_iter().map(remark).collect())
}

/// Terminals of which Lark takes a shorter match than that of another one.
fn shorter_matches(
    grammar: &Grammar,
    lexing: Lexing,
    materials: &mut Materials,
    limits: &Limits,
) -> Result<Vec<(Span, String)>> {
    let automaton = materials.automaton(limits)?;
    let places = materials.places(lexing, &automaton)?;
    let terminals = Terminals { terminals: &materials.terminals, automaton: &automaton };
    let pairs = terminals.find_shorter(places.at.iter().chain(&places.rivals));
    let remark = |(first, longer): Pair| {
        let [own, other] = [first, longer].map(|terminal| name(grammar, terminal));
        let what = format!("to Lark, {own} comes before {other}, also where its match is shorter");
        (
            grammar.terminals[first as usize].span,
            format!("{what}: texts may be cut otherwise; priorities decide for both"),
        )
    };
    Ok(pairs.into_iter().map(remark).collect())
}

/// What a terminal is called: its name, or how it is written.
fn name(grammar: &Grammar, terminal: TerminalId) -> String {
    let terminal = &grammar.terminals[terminal as usize];
    let (start, end) = terminal.span;
    shorten(terminal.name.as_deref().unwrap_or_else(|| grammar.text.get(start..end).unwrap_or_default()))
}
