//! Grammars as languages: which texts there are.
//!
//! ```text
//! parts       the rules as one arena, with the occurrences of terminals
//! terminals   terminals as regular languages
//! matches     which of its texts a terminal matches in a longer one
//! order       which of two terminals of one text Lark takes
//! productions rules as a parser generator reads them
//! states      the states of a parser, and which terminals it may read in each
//! uses        the terminals in rules that are used
//! sorted      small sets as sorted lists
//! spread      sets that grow along edges
//! places      what may come where, so which terminals are rivals
//! contested   occurrences that have other rivals in one state of the parser than in others
//! contexts    what is told apart for them: what a lexer looks for, and where the parser is
//! entries     the contexts in which rules begin and end
//! likeness    those that are alike to a rule
//! variants    rules copied for the contexts that differ
//! repetitions rounds in these copies
//! ahead       what may come from a place on, character by character
//! guards      what must not follow a lexeme
//! foreign     other languages inside a grammar
//! lexer       lexemes and trivia as languages, with the guards that they leave
//! run         the texts of a terminal among rivals
//! rounds      repetitions between two guards
//! rows        parts in a row between two guards
//! bounds      terminals in which only so many tokens may end
//! copies      rules as nodes, a copy for each pair of guards
//! characters  parts that are made of single characters
//! endless     why a grammar has no text
//! remarks     parts that no text has
//! ```

mod ahead;
mod bounds;
mod characters;
mod contested;
mod contexts;
mod copies;
mod endless;
mod entries;
mod foreign;
mod fusing;
mod guards;
mod likeness;
mod matches;
mod order;
mod productions;
mod remarks;
mod repetitions;
mod rounds;
mod rows;
mod run;
mod shorter;
mod sorted;
mod spread;
mod states;
mod uses;
mod variants;

pub(super) mod bits;
pub(super) mod lexer;
pub(super) mod parts;
pub(super) mod places;
pub(super) mod terminals;

#[cfg(test)]
pub(super) mod tests;

use std::cell::Cell;
use std::sync::Arc;

use super::ast::{Grammar, ItemKind, Rule, RuleId, Span};
use super::cursor::shorten;
use crate::error::{Error, Kind, Result};
use crate::interrupt::{bounded, count};
use crate::language::{Graph, Language, NodeId};
use crate::limits::Limits;
use crate::regular::{Regular, Tag, TaggedAutomaton};
use crate::syntax::pattern::Pattern;

use bits::Bits;
use bounds::check_bounds;
use characters::join_characters;
use contested::Uniform;
use contexts::Contexts;
use copies::{Copies, Lexing as CopyLexing, Whole};
use endless::no_text;
use entries::Written;
pub(super) use foreign::Foreign;
use fusing::regular_parts;
use lexer::{Lexer, RivalsId, any_number};
use parts::{OccurrenceId, PartId, Parts, Symbol};
use places::{PlaceId, Places, RivalsByOccurrence, nullable_parts};
use productions::Productions;
pub use remarks::find_remarks;
use states::States;
use terminals::{TerminalInfo, terminals};
use uses::used_terminals;
use variants::Variants;

/// How a text is cut into terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lexing {
    /// In any way.
    Any,
    /// As a contextual lexer does it: the longest match of the terminals that may come.
    Longest,
    /// As a lexer does it that looks everywhere for every terminal in a rule that is used.
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
    /// The rule a text begins with.
    pub start: RuleId,
    /// If rules were copied: the parts as they are written, and by part the one that it is a variant of.
    pub written: Option<(Parts, Vec<PartId>)>,
    /// Where contexts are too many to tell apart, so that some occurrences have the rivals of all of them in each.
    pub united: Option<United>,
    pub terminals: Vec<TerminalInfo>,
    pub foreign: Vec<Foreign>,
}

/// Where contexts are not told apart.
pub(super) enum United {
    /// At an occurrence, and perhaps at others.
    From(OccurrenceId),
    /// Only in what is ignored.
    Trivia,
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
        Ok(Self { parts, start: grammar.start, written: None, united: None, terminals, foreign })
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

    /// What may come where, and what a lexer looks for there.
    ///
    /// # Errors
    /// [`crate::Kind::Limit`] when the parser has too many states.
    pub fn places(&mut self, lexing: Lexing, automaton: &TaggedAutomaton) -> Result<Places> {
        if lexing != Lexing::Basic {
            return self.contextual_places(automaton);
        }
        let mut all = used_terminals(&self.parts, self.start, self.terminals.len());
        self.ignored().for_each(|tag| all.insert(tag));
        let rivals =
            RivalsByOccurrence { begin: all.clone(), after: vec![all; self.parts.occurrences.len()], at: None };
        Ok(Places::of(&self.parts, self.nullable_parts(), self.start as usize, &rivals))
    }

    /// The same, where a lexer looks for the terminals that the parser can read, and what is ignored. Rules in which it
    /// looks for other terminals in other contexts are copied.
    fn contextual_places(&mut self, automaton: &TaggedAutomaton) -> Result<Places> {
        let (parts, start, terminals) = (&self.parts, self.start, &self.terminals);
        let nullable = self.nullable_parts();
        let productions = &Productions::of(parts, terminals.len(), &nullable)?;
        let states = States::of(productions, start as usize)?;
        let looked_for = self.with_ignored(&states.readable_names());
        let rivals = states.rivals(&looked_for);
        let places = Places::of(parts, nullable, start as usize, &rivals);
        let uniform = Uniform { parts, productions, places: &places, terminals, automaton };
        let contested = uniform.find_contested(&states, &looked_for);
        if contested.terminals.is_empty() {
            return Ok(places);
        }
        let variants = Contexts::of(&states, &looked_for, &contested).and_then(|contexts| {
            let written = Written { parts, start, productions, places: &places, contexts: &contexts };
            Variants::of(&written, rivals.begin)
        });
        let Ok(Variants { parts, start, rivals, origins }) = variants else {
            self.united = Some(contested.occurrences.first().map_or(United::Trivia, |&first| United::From(first)));
            return Ok(places);
        };
        self.written = Some((std::mem::replace(&mut self.parts, parts), origins));
        self.start = start;
        Ok(Places::of(&self.parts, self.nullable_parts(), start as usize, &rivals))
    }

    /// By state of the parser: the terminals among those that it can read, and what is ignored.
    fn with_ignored(&self, readable: &[Option<Bits>]) -> Vec<Option<Bits>> {
        let terminals = self.terminals.len();
        let mut ignored = Bits::new(terminals);
        self.ignored().for_each(|tag| ignored.insert(tag));
        let with_ignored = |names: &Bits| {
            count(1 + names.words());
            let mut all = ignored.clone();
            let own = names.iter().take_while(|&name| (name as usize) < terminals); // other languages come after them
            own.for_each(|tag| all.insert(tag));
            all
        };
        readable.iter().map(|names| names.as_ref().map(with_ignored)).collect()
    }

    fn ignored(&self) -> impl Iterator<Item = Tag> + '_ {
        (0..).zip(&self.terminals).filter(|(_, info)| info.is_ignored).map(|(tag, _)| tag)
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
        let mut materials = Materials::of(grammar, lexing, given, limits)?;
        Ok(materials.lower(grammar, lexing, limits, at)?.0)
    })
}

/// Some rules of a grammar as nodes of a graph that is not finished.
pub struct RuleNodes {
    /// The graph.
    pub graph: Graph,
    /// The node of each rule.
    pub rules: Vec<NodeId>,
    /// The nodes of the forms that the rules refer to, by name; one may have several.
    pub forms: Vec<(Arc<str>, NodeId)>,
}

/// The nodes of some rules of a grammar whose texts are cut in any way.
///
/// # Errors
/// As [`lower`].
pub fn lower_rules(grammar: &Grammar, rules: &[RuleId], given: &Given<'_>, limits: &Limits) -> Result<RuleNodes> {
    bounded_by_rule(grammar, limits, |at| {
        let materials = Materials::of(grammar, Lexing::Any, given, limits)?;
        let Materials { parts, foreign, .. } = &materials;
        check_bounds(grammar, parts, foreign)?;
        let nullable = materials.nullable_parts();
        let mut copies = Copies::new(grammar, parts, &nullable, foreign, materials.uncut(), (limits, at));
        let rules = copies.make_rules(rules)?;
        let name = |(at, node): (usize, NodeId)| match &parts.foreign[at].0 {
            ItemKind::Form(name) => Some((name.clone(), node)),
            _ => None,
        };
        let forms = copies.foreign_nodes().filter_map(name).collect();
        Ok(RuleNodes { graph: copies.graph, rules, forms })
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
        &mut self,
        grammar: &Grammar,
        lexing: Lexing,
        limits: &Limits,
        at: &RuleAtWork,
    ) -> Result<(Language, Option<Tables>)> {
        check_bounds(grammar, &self.parts, &self.foreign)?;
        if lexing == Lexing::Any {
            let nullable = self.nullable_parts();
            let copies = Copies::new(grammar, &self.parts, &nullable, &self.foreign, self.uncut(), (limits, at));
            let language = self.finish(copies, grammar, limits)?;
            return Ok((language, None));
        }
        let automaton = self.automaton(limits)?;
        let places = self.places(lexing, &automaton)?;
        let Self { parts, terminals, foreign, .. } = &*self;
        let lexer = Lexer::new(parts, &places, terminals, &automaton);
        let sets = lexer.rivals.iter().cloned().collect();
        let (at_place, at_occurrence) = (lexer.at_place.clone(), lexer.at_occurrence.clone());
        let lexing = CopyLexing::Lexer(Box::new(lexer));
        let copies = Copies::new(grammar, parts, &places.nullable, foreign, lexing, (limits, at));
        let language = self.finish(copies, grammar, limits)?;
        let after = places.after;
        Ok((language, Some(Tables { automaton, sets, at_place, at_occurrence, after })))
    }

    /// The texts of the parts, where texts are cut in any way.
    fn uncut(&self) -> CopyLexing<'_> {
        let Self { parts, terminals, .. } = self;
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
        CopyLexing::Any(Whole { fused: regular_parts(parts, &trees), trees, trivia })
    }

    fn finish(&self, mut copies: Copies<'_>, grammar: &Grammar, limits: &Limits) -> Result<Language> {
        let root = copies.make(self.start, grammar.ignores_at_start)?;
        copies.at.set(None);
        if let Some(&occurrence) = copies.unguarded.first() {
            let span = copies.parts.occurrences[occurrence as usize].span;
            let what =
                "the text before it could go on with its first characters, which a lexer would take for one text";
            let instead = "write a text between them, or use lexing=\"any\"";
            return Err(Error::unsupported_construct(&grammar.text, span, what, instead));
        }
        let mut graph = copies.graph;
        graph.root = root;
        join_characters(&mut graph);
        let written = self.written.as_ref().map_or(&self.parts, |(parts, _)| parts);
        Language::new(graph, limits).map_err(|error| match *error.kind {
            Kind::Unsatisfiable { .. } => no_text(grammar, written, *error.kind),
            _ => error,
        })
    }
}
