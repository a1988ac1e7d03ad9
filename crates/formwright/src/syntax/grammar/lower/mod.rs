//! Grammars as languages: which texts there are.
//!
//! ```text
//! parts       the rules as one arena, with the occurrences of terminals
//! terminals   terminals as regular languages
//! matches     which of its texts a terminal matches in a longer one
//! order       which of two terminals of one text Lark takes
//! productions rules as a parser generator reads them
//! states      the states of a parser, and which terminals it may read in each
//! places      what may come where, so which terminals are rivals
//! ahead       what may come from a place on, character by character
//! guards      what must not follow a lexeme
//! foreign     other languages inside a grammar
//! lexer       lexemes and trivia as languages, with the guards that they leave
//! rounds      repetitions between two guards
//! bounds      terminals in which only so many tokens may end
//! copies      rules as nodes, a copy for each pair of guards
//! characters  parts that are made of single characters
//! endless     why a grammar has no text
//! remarks     parts that no text has
//! ```

mod ahead;
mod bounds;
mod characters;
mod copies;
mod endless;
mod foreign;
mod fusing;
mod guards;
mod matches;
mod order;
mod productions;
mod remarks;
mod rounds;
mod states;

pub(super) mod bits;
pub(super) mod lexer;
pub(super) mod parts;
pub(super) mod places;
pub(super) mod terminals;

#[cfg(test)]
pub(super) mod tests;

use std::cell::Cell;

use super::ast::{Grammar, ItemKind, Rule, RuleId, Span};
use super::cursor::shorten;
use crate::error::{Error, Kind, Result};
use crate::interrupt::{bounded, count};
use crate::language::Language;
use crate::limits::Limits;
use crate::regular::{Regular, Tag, TaggedAutomaton};
use crate::syntax::pattern::Pattern;

use bits::Bits;
use bounds::check_bounds;
use characters::join_characters;
use copies::{Copies, Lexing as CopyLexing, Whole};
use endless::no_text;
pub(super) use foreign::Foreign;
use fusing::regular_parts;
use lexer::{Lexer, RivalsId, any_number};
use parts::{OccurrenceId, Parts, Symbol};
use places::{PlaceId, Places, Rivals, nullable_parts};
use productions::Productions;
pub use remarks::remarks;
use states::States;
use terminals::{TerminalInfo, terminals};

/// How a text is cut into terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lexing {
    /// In any way.
    Any,
    /// As a contextual lexer does it: the longest match of the terminals that may come.
    Longest,
    /// As a lexer does it that looks for every terminal everywhere.
    Basic,
}

/// What a grammar refers to.
pub struct Given<'g> {
    /// Its regular expressions, by their ids.
    pub regexes: Vec<Pattern>,
    /// The language of a part that is none of its rules or terminals.
    pub foreign: &'g dyn Fn(&ItemKind, Span) -> Result<Language>,
    /// A regular form inside a terminal, by name.
    pub regular_form: &'g dyn Fn(&str, Span) -> Result<Regular>,
}

impl Given<'_> {
    fn regular_form(&self, name: &str, span: Span) -> Result<Regular> {
        (self.regular_form)(name, span)
    }
}

/// What a grammar is made of, and what is known of its terminals and of the languages inside it.
pub(super) struct Materials {
    pub parts: Parts,
    pub terminals: Vec<TerminalInfo>,
    pub foreign: Vec<Foreign>,
}

impl Materials {
    /// Those of a grammar.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when one of them is too large; those of the languages inside it.
    pub fn of(grammar: &Grammar, lexing: Lexing, given: &Given<'_>, limits: &Limits) -> Result<Self> {
        let mut terminals = terminals(grammar, lexing, given, limits)?;
        let is_optional: Vec<bool> =
            terminals.iter_mut().map(|terminal| lexing != Lexing::Any && terminal.leave_empty_out()).collect();
        let parts = Parts::of(grammar, &is_optional);
        let foreign = parts.foreign.iter().map(|(kind, span)| Foreign::new((given.foreign)(kind, *span)?));
        let foreign = foreign.collect::<Result<Vec<Foreign>>>()?;
        Ok(Self { parts, terminals, foreign })
    }

    /// By part: whether the empty text is in it.
    pub fn nullable_parts(&self) -> Vec<bool> {
        nullable_parts(&self.parts, |occurrence| self.is_nullable(occurrence))
    }

    fn is_nullable(&self, occurrence: OccurrenceId) -> bool {
        match self.parts.occurrences[occurrence as usize].symbol {
            Symbol::Terminal(terminal) => self.terminals[terminal as usize].is_nullable,
            Symbol::Foreign(at) => self.foreign[at as usize].is_nullable,
        }
    }

    /// The terminals that a lexer looks for: those that the parser can read, and what is ignored. By part: whether the
    /// empty text is in it.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when the parser has too many states.
    pub fn rivals(&self, start: usize, lexing: Lexing, nullable: &[bool]) -> Result<Rivals> {
        let terminals = self.terminals.len();
        if lexing == Lexing::Basic {
            let all = Bits::all(terminals);
            return Ok(Rivals { begin: all.clone(), after: vec![all; self.parts.occurrences.len()] });
        }
        let productions = Productions::of(&self.parts, terminals, nullable)?;
        let readable = States::of(&productions, start)?.readable();
        let mut ignored = Bits::new(terminals);
        let tags = (0..).zip(&self.terminals).filter(|(_, info)| info.is_ignored).map(|(tag, _)| tag);
        tags.for_each(|tag| ignored.insert(tag));
        let with_ignored = |names: &Bits| {
            count(1 + names.words());
            let mut rivals = ignored.clone();
            let own = names.iter().take_while(|&name| (name as usize) < terminals); // other languages come after them
            own.for_each(|tag| rivals.insert(tag));
            rivals
        };
        let after = readable.after.iter().map(with_ignored).collect();
        Ok(Rivals { begin: with_ignored(&readable.begin), after })
    }

    /// One automaton over all terminals, and after them over what is left out of some.
    ///
    /// # Errors
    /// As [`TaggedAutomaton::new`].
    fn automaton(&self, limits: &Limits) -> Result<TaggedAutomaton> {
        let trees = self.terminals.iter().map(|terminal| terminal.tree.clone());
        let left_out = self.terminals.iter().filter_map(|terminal| terminal.left_out.clone());
        let trees: Vec<Regular> = trees.chain(left_out).collect();
        let followed = (0..).zip(&self.terminals).filter(|(_, info)| info.is_followed).map(|(tag, _)| tag);
        TaggedAutomaton::new(&trees, &followed.collect::<Vec<Tag>>(), limits)
    }
}

/// What a lexer looks for, and where.
pub(super) struct Tables {
    /// All terminals.
    pub automaton: TaggedAutomaton,
    /// Sets of terminals.
    pub sets: Vec<Bits>,
    /// By place: those that it looks for there.
    pub at_place: Vec<RivalsId>,
    /// By occurrence: those that it looks for where the occurrence is.
    pub at_occurrence: Vec<RivalsId>,
    /// By occurrence: the place after it.
    pub after: Vec<PlaceId>,
}

/// The texts of a grammar.
///
/// # Errors
/// [`crate::Kind::Limit`] when it is too large; [`crate::Kind::Unsatisfiable`] when it has no text.
pub fn lower(grammar: &Grammar, lexing: Lexing, given: &Given<'_>, limits: &Limits) -> Result<Language> {
    bounded_by_rule(grammar, limits, |at| {
        let materials = Materials::of(grammar, lexing, given, limits)?;
        Ok(materials.lower(grammar, lexing, limits, at)?.0)
    })
}

/// The rule that work is done for.
type RuleAtWork = Cell<Option<RuleId>>;

/// Does some work of which rules are a part. Where a bound is reached, the error has the place of the rule.
///
/// # Errors
/// [`crate::Kind::Limit`] when it is too much; those of the work.
pub(super) fn bounded_by_rule<T>(
    grammar: &Grammar,
    limits: &Limits,
    work: impl FnOnce(&RuleAtWork) -> Result<T>,
) -> Result<T> {
    let at = RuleAtWork::default();
    bounded(limits.work, || work(&at)).map_err(|error| match (&*error.kind, at.get()) {
        (Kind::Limit { .. }, Some(rule)) => {
            let Rule { name, span, .. } = &grammar.rules[rule as usize];
            let what = format_args!("{}, and the rule '{}' needs more", error.message, shorten(name));
            Error { message: Error::grammar(&grammar.text, *span, what).message, ..error }
        }
        _ => error,
    })
}

impl Materials {
    /// The texts of the grammar, and the tables of its lexer, if it has one.
    ///
    /// # Errors
    /// As [`lower`].
    pub fn lower(
        &self,
        grammar: &Grammar,
        lexing: Lexing,
        limits: &Limits,
        at: &RuleAtWork,
    ) -> Result<(Language, Option<Tables>)> {
        check_bounds(grammar, &self.parts, &self.foreign)?;
        let nullable = self.nullable_parts();
        let Self { parts, terminals, foreign } = self;
        if lexing == Lexing::Any {
            let ignored = terminals.iter().filter(|terminal| terminal.is_ignored).map(|terminal| terminal.tree.clone());
            let trivia = any_number(Regular::or(ignored));
            let tree = |occurrence| match parts.occurrences[occurrence as usize].symbol {
                Symbol::Terminal(terminal) => {
                    let tree = terminals[terminal as usize].tree.clone();
                    if parts.most_tokens(occurrence).is_some() { tree } else { Regular::concat([tree, trivia.clone()]) }
                }
                Symbol::Foreign(_) => trivia.clone(),
            };
            let trees: Vec<Regular> = (0..parts.occurrences.len() as OccurrenceId).map(tree).collect();
            let lexing = CopyLexing::Any(Whole { fused: regular_parts(parts, &trees), trees, trivia });
            let language =
                finish(Copies::new(grammar, parts, &nullable, foreign, lexing, (limits, at)), grammar, limits)?;
            return Ok((language, None));
        }
        let rivals = self.rivals(grammar.start as usize, lexing, &nullable)?;
        let places = Places::of(parts, nullable, grammar.start as usize, &rivals);
        let automaton = self.automaton(limits)?;
        let lexer = Lexer::new(parts, &places, terminals, &automaton);
        let sets = lexer.rivals.iter().cloned().collect();
        let (at_place, at_occurrence) = (lexer.at_place.clone(), lexer.at_occurrence.clone());
        let lexing = CopyLexing::Lexer(Box::new(lexer));
        let language =
            finish(Copies::new(grammar, parts, &places.nullable, foreign, lexing, (limits, at)), grammar, limits)?;
        let after = places.after;
        Ok((language, Some(Tables { automaton, sets, at_place, at_occurrence, after })))
    }
}

fn finish(mut copies: Copies<'_>, grammar: &Grammar, limits: &Limits) -> Result<Language> {
    let root = copies.make(grammar.start, grammar.ignores_at_start)?;
    copies.at.set(None);
    if let Some(&occurrence) = copies.unguarded.first() {
        let span = copies.parts.occurrences[occurrence as usize].span;
        let what = "the text before it could go on with its first characters, which a lexer would take for one text";
        let instead = "write a text between them, or use lexing=\"any\"";
        return Err(Error::unsupported_construct(&grammar.text, span, what, instead));
    }
    let mut graph = copies.graph;
    graph.root = root;
    join_characters(&mut graph);
    Language::new(graph, limits).map_err(|error| match *error.kind {
        Kind::Unsatisfiable { .. } => no_text(grammar, copies.parts, *error.kind),
        _ => error,
    })
}
