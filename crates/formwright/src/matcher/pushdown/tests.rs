//! Pushdown automata against the machine.

use std::collections::BTreeSet;

use super::*;
use crate::language::{Graph, Language, Node};
use crate::limits::Limits;

/// A rule: its name, and alternatives of parts, each a name or what is written.
pub type Rule<'a> = (&'a str, &'a [&'a [&'a str]]);

/// The graph of rules, of which the first one is the start.
pub fn graph_of_rules(rules: &[Rule<'_>]) -> Graph {
    let mut graph = Graph::default();
    let nodes: Vec<u32> = rules.iter().map(|_| graph.add(Node::Never)).collect();
    for ((_, alternatives), &node) in rules.iter().zip(&nodes) {
        let sequences = alternatives.iter().map(|parts| {
            let parts = parts.iter().map(|part| match rules.iter().position(|(name, _)| name == part) {
                Some(rule) => nodes[rule],
                None => graph.literals([part.as_bytes()]),
            });
            let parts: Vec<u32> = parts.collect();
            graph.add(if parts.is_empty() { Node::Empty } else { Node::Sequence(parts.into()) })
        });
        let sequences: Vec<u32> = sequences.collect();
        graph.nodes[node as usize] = Node::Choice(sequences.into());
    }
    graph.root = nodes[0];
    graph
}

/// Whether the automaton has a text, by its stacks one by one.
fn accepts(automaton: &PushdownAutomaton, text: &[u8]) -> bool {
    let put = |step: &Step, below: &[Symbol]| {
        let mut stack: Vec<Symbol> = automaton.words.symbols(step.pushed).collect();
        stack.extend(below);
        (step.to, stack)
    };
    let mut places: BTreeSet<(Control, Vec<Symbol>)> =
        automaton.start.iter().map(|step| put(step, &[BOTTOM])).collect();
    for &byte in text {
        let steps = places.iter().flat_map(|(control, stack)| {
            let (steps, below) = if *control == RESUME {
                (automaton.step_after(stack[0], byte), &stack[1..])
            } else {
                (automaton.step(*control, byte), &stack[..])
            };
            steps.iter().map(move |step| put(step, below))
        });
        places = steps.collect();
    }
    places.contains(&(RESUME, vec![BOTTOM]))
}

#[test]
fn it_has_the_texts_of_the_machine() {
    let grammars: [&[Rule<'_>]; 6] = [
        &[("s", &[&["a", "s", "b"], &["c"]])],
        &[("s", &[&["a", "s", "b", "s"], &[]])],
        &[("s", &[&["s", "s"], &["a"], &["b", "c"]])],
        &[("s", &[&["a", "s", "a"], &["b", "s", "b"], &["c"], &[]])],
        &[("s", &[&["a", "s", "t"], &["c"]]), ("t", &[&["b"], &["b", "b"], &[]])],
        &[("s", &[&["a", "l", "b"], &["b", "l", "a"], &["c"]]), ("l", &[&["s", "l"], &[]])],
    ];
    for rules in grammars {
        let language = Language::new(graph_of_rules(rules), &Limits::default()).unwrap();
        let automaton = PushdownAutomaton::new(&language.compiled().unwrap(), 1000).unwrap();
        let mut texts = vec![Vec::new()];
        while let Some(text) = texts.pop() {
            assert_eq!(accepts(&automaton, &text), language.check(&text).unwrap().1, "{rules:?} {text:?}");
            if text.len() < 7 {
                texts.extend(b"abc".map(|byte| [&text[..], &[byte]].concat()));
            }
        }
    }
}

/// Of two rules that say the same of each other, the second one adds nothing.
#[test]
fn what_goes_on_alike_is_one() {
    let automaton = |rules: &[Rule<'_>], most| {
        let language = Language::new(graph_of_rules(rules), &Limits::default()).unwrap();
        PushdownAutomaton::new(&language.compiled().unwrap(), most)
    };
    let one = automaton(&[("s", &[&["a", "s", "b"], &["c"]])], 1000).unwrap();
    let both: [Rule<'_>; 2] = [("s", &[&["a", "t", "b"], &["c"]]), ("t", &[&["a", "s", "b"], &["c"]])];
    let merged = automaton(&both, 1000).unwrap();
    assert_eq!(merged.controls(), one.controls());
    assert_eq!(merged.begun_by[usize::from(b'b')], one.begun_by[usize::from(b'b')]);
    let few = automaton(&both, 3).unwrap_err();
    assert!(matches!(*few.kind, crate::Kind::Limit { limit: "form_states", .. }), "{few:?}");
}
