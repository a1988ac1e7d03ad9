//! All states of a form that has finitely many, the pushdown automaton of a recursive one, or why there is neither.
//!
//! What must differ from what came before has more states than any bound; what parsers and counts of tokens allow cannot
//! be decided from bytes alone.

use rustc_hash::FxHashSet;

use super::byte_automaton::ByteAutomaton;
use super::minimal::{DEAD, MinimalAutomaton};
use super::pushdown::PushdownAutomaton;
use crate::error::{Error, Kind, Result};
use crate::interrupt::count;
use crate::language::{CompiledGraph, Graph, Language, Node, NodeId};

/// The smallest automaton of a language, whose compiled graph is given; `who` needs it, which errors say.
///
/// # Errors
/// [`Kind::Argument`] where the form has a parser, or a part with a bound on its tokens; [`Kind::Unsupported`], with the
/// place of the value in the text, where items or names must differ; [`Kind::Limit`] where the form is recursive, or
/// has too many states.
pub fn find(language: &Language, graph: &CompiledGraph, who: &'static str) -> Result<MinimalAutomaton> {
    check_bytes_tell(language, who)?;
    let most = language.limits().form_states.min(usize::from(DEAD) - 2);
    if language.graph().nests() {
        let message = format!("{who}: the form is recursive, so its states have no bound");
        let kind = Kind::Limit { limit: "form_states", value: most.saturating_add(1), allowed: most };
        let error = Error::new(kind, message).hint("bound how deep values are inside values");
        return Err(find_comparison(language.graph(), who).unwrap_or(error));
    }
    let found = ByteAutomaton::new(graph, most, None).map_err(|error| explain(language.graph(), error, who))?;
    Ok(MinimalAutomaton::new(&found))
}

/// The pushdown automaton of a language, whose compiled graph is given; `who` needs it, which errors say.
///
/// # Errors
/// As [`find`], but for recursive forms.
pub fn find_nested(language: &Language, graph: &CompiledGraph, who: &'static str) -> Result<PushdownAutomaton> {
    check_bytes_tell(language, who)?;
    match find_comparison(language.graph(), who) {
        Some(error) => Err(error),
        None => PushdownAutomaton::new(graph, language.limits().form_states)
            .map_err(|error| explain(language.graph(), error, who)),
    }
}

/// Fails where bytes do not tell what may come.
fn check_bytes_tell(language: &Language, who: &str) -> Result<()> {
    if language.has_parser() {
        let message = format!("{who}: the form has a character parser, whose states are not known");
        return Err(Error::argument("form", message).hint("say the same by a pattern or a grammar"));
    }
    if language.has_bounds() {
        let message = format!("{who}: the form has a part with max_tokens, which says nothing of its bytes");
        return Err(Error::argument("form", message).hint("bound max_chars in place of max_tokens"));
    }
    Ok(())
}

/// The error of a form with too many states, with the place that is to blame, if there is one.
fn explain(graph: &Graph, error: Error, who: &str) -> Error {
    let Kind::Limit { value, allowed, limit } = *error.kind else { return error };
    if limit == "stack_nodes" {
        return error;
    }
    find_comparison(graph, who).unwrap_or_else(|| {
        let message = format!("{who}: the form has more than {allowed} states");
        Error::new(Kind::Limit { limit: "form_states", value, allowed }, message)
            .hint("bound the lengths of texts and arrays, or write members in the order of the schema")
    })
}

/// What is compared with what came before.
#[derive(Clone, Copy)]
enum Comparison {
    Items,
    Names,
}

impl Comparison {
    /// The error where a value compares its parts.
    fn refuse(self, place: &str, is_in_part: bool, who: &str) -> Error {
        let (what, instead) = match self {
            Self::Items => ("the items of the array", "leave out uniqueItems, and check the value"),
            Self::Names => (
                "undeclared names of the object",
                "close the object by \"additionalProperties\": false, or use a type that names its members",
            ),
        };
        let shown = match (place, is_in_part) {
            ("", false) => "at the root".to_owned(),
            ("", true) => "in a part of the form".to_owned(),
            (place, false) => format!("at {place}"),
            (place, true) => format!("at {place} of a part of the form"),
        };
        let message = format!("{who}: {what} {shown} must differ, so there are too many states");
        Error::new(Kind::Unsupported { pointer: place.to_owned() }, message).hint(instead)
    }
}

/// The error of a value whose parts must differ, if there is one, with its place in the text, or in a part of it, as a JSON
/// Pointer, `*` being any item.
fn find_comparison(graph: &Graph, who: &str) -> Option<Error> {
    let mut seen = FxHashSet::from_iter([graph.root]);
    let mut open = vec![(graph.root, String::new(), false)];
    while let Some((at, place, is_in_part)) = open.pop() {
        count(4);
        let node = &graph.nodes[at as usize];
        if let Some(comparison) = comparison_in(node) {
            return Some(comparison.refuse(&place, is_in_part, who));
        }
        let is_in_part = is_in_part || matches!(node, Node::Sequence(parts) if parts.len() > 1);
        each_part(node, |part, name| {
            if seen.insert(part) {
                open.push((part, format!("{place}{name}"), is_in_part));
            }
        });
    }
    None
}

fn comparison_in(node: &Node) -> Option<Comparison> {
    match node {
        Node::Array(array) if array.unique || array.differing.is_some() => Some(Comparison::Items),
        Node::Object(object) if !object.undeclared.is_empty() => Some(Comparison::Names),
        _ => None,
    }
}

/// The nodes that a node consists of, with what a JSON Pointer to them adds.
fn each_part(node: &Node, mut visit: impl FnMut(NodeId, &str)) {
    match node {
        Node::Object(object) => {
            for (name, member) in object.names.iter() {
                let name = String::from_utf8_lossy(name).replace('~', "~0").replace('/', "~1");
                visit(object.members[member as usize].value, &format!("/{name}"));
            }
        }
        Node::Array(_) => node.each_part(|item| visit(item, "/*")),
        _ => node.each_part(|part| visit(part, "")),
    }
}
