//! Why a language has no finite text: a value that must contain another of its kind.
//!
//! ```text
//! Node: {"next": Node}, `next` required       the value must contain another of its kind at /next
//! ```
//!
//! Cost: one step for each part on the way, once, when a language is refused. Where several parts are endless,
//! the first is told.

use rustc_hash::FxHashMap;

use super::{Facts, Graph, INFINITE, Node, NodeId};
use crate::error::Error;

/// A part that has no finite text: its place in the value, `""` if it is the value itself, and its node.
type Part = (String, NodeId);

/// The error of a language that has no finite text.
pub fn no_finite_text(graph: &Graph, facts: &Facts) -> Error {
    match describe_endless(graph, facts) {
        Some(why) => {
            Error::unsatisfiable("", why).hint("let a member on the way be absent or null, or an array be empty")
        }
        None => Error::unsatisfiable("", "no text conforms to it"),
    }
}

/// Says which part of the text at the root goes on forever; `None` if none repeats.
fn describe_endless(graph: &Graph, facts: &Facts) -> Option<String> {
    let (mut path, mut node) = (String::new(), graph.root);
    let mut seen: FxHashMap<NodeId, String> = FxHashMap::default();
    loop {
        if let Some(start) = seen.get(&node).filter(|start| start.len() < path.len()) {
            return Some(describe(start, &path[start.len()..]));
        }
        if seen.insert(node, path.clone()).is_some() {
            return None;
        }
        let (step, next) = endless_part(graph, facts, node)?;
        path.push_str(&step);
        node = next;
    }
}

/// Says that the value at `start` needs another one at `step` in it.
fn describe(mut start: &str, step: &str) -> String {
    while let Some(above) = start.strip_suffix(step) {
        start = above; // the first turn of a loop may have nodes of its own
    }
    let place = if start.is_empty() { "the value".to_owned() } else { format!("the value at {start}") };
    format!("no text ends: {place} must contain another of its kind at {start}{step}, without end")
}

/// The first part of a node that has to come and has no finite text.
fn endless_part(graph: &Graph, facts: &Facts, node: NodeId) -> Option<Part> {
    let is_endless = |node: NodeId| facts.shortest(node) >= INFINITE;
    let inside = |part: Option<&NodeId>| Some((String::new(), *part?));
    match &graph.nodes[node as usize] {
        Node::Rule(node) | Node::Repeat { body: node, .. } => inside(Some(node)),
        Node::Sequence(parts) => inside(parts.iter().find(|part| is_endless(**part))),
        Node::Choice(options) => inside(options.first()),
        Node::Object(object) => {
            let at = object.members.iter().position(|member| member.required && is_endless(member.value))?;
            let name = String::from_utf8_lossy(object.names.text(at)).replace('~', "~0").replace('/', "~1");
            Some((format!("/{name}"), object.members[at].value))
        }
        Node::Array(array) => {
            let items = array.prefix.iter().chain(&array.rest).take(array.low as usize);
            let (at, item) = items.enumerate().find(|(_, item)| is_endless(**item))?;
            Some((format!("/{at}"), *item))
        }
        _ => None,
    }
}
