//! A language that is put together of the rules of a grammar, which come many times with other parts.
//!
//! ```text
//! start: query        query: "SELECT " @column " FROM " @table
//! copy(query, column = "id" or "name", table = "people")      copy(query, column = "price", table = "items")
//! ```
//!
//! A *hole* is a form that the grammar refers to and that is not given with it. A *template* is some rules, and the holes
//! that a copy of them fills. Copies share what has no hole in it: its nodes, and so its automata and masks. So a
//! language that says the same of a thousand things is read and lowered once, and a copy costs some nanoseconds a node.
//!
//! Steps are numbers, which a host writes fast. Each adds values, which are numbered in the order in which they are made,
//! and which later steps refer to. The last value is the language.
//!
//! ```text
//! 0 n values          any of them
//! 1 n values          one after the other
//! 2 n texts           one of these texts
//! 3 template values   a copy of a template with a value for each hole: a value for each of its rules
//! 4 template values n values     any of the first rules of n copies, whose last holes are these values
//! 5 n                 n values that are defined later
//! 6 value value       defines one of these
//! ```

use std::sync::Arc;

use super::compile::GrammarText;
use super::lower::{RuleNodes, lower_rules};
use crate::bytes::{Reader, put, put_text};
use crate::error::{Error, Kind, Result};
use crate::interrupt::{bounded, count};
use crate::language::{Graph, Language, Node, NodeId};
use crate::limits::Limits;
use crate::syntax::choice::choice;

/// A text for holes; nothing that is made has it.
const PLACEHOLDER: &str = "(hole)";

/// Rules of which copies are made.
#[derive(Clone, Debug)]
pub struct Template {
    /// The names of the rules.
    pub rules: Vec<Arc<str>>,
    /// The names of the forms that each copy fills.
    pub holes: Vec<Arc<str>>,
}

/// A grammar and how a language is put together of copies of its rules.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The grammar, whose texts are cut in any way, with the forms that are the same in all copies.
    pub grammar: GrammarText,
    /// What copies are made of.
    pub templates: Vec<Template>,
    /// Texts that steps refer to.
    pub texts: Vec<Arc<str>>,
    /// The steps.
    pub steps: Vec<u32>,
}

impl Assembly {
    /// The language, given the languages of the forms that the grammar refers to.
    ///
    /// # Errors
    /// As [`GrammarText::build`]; [`Kind::Language`] for steps that cannot be taken.
    pub fn build(&self, forms: &[Language], limits: &Limits) -> Result<Language> {
        let graph = bounded(limits.work, || {
            let nodes = self.rule_nodes(forms, limits)?;
            let mut builder = Builder::new(self, nodes, limits)?;
            while builder.at < self.steps.len() {
                builder.take_step()?;
            }
            let Builder { mut graph, values, .. } = builder;
            graph.root = values.last().copied().ok_or_else(|| wrong("there are no steps"))?;
            Ok(graph)
        })?;
        Language::new(graph, limits)
    }

    /// The rules of all templates, one after the other, with a placeholder for each hole.
    fn rule_nodes(&self, forms: &[Language], limits: &Limits) -> Result<RuleNodes> {
        let mut grammar = self.grammar.clone();
        let mut languages = forms.to_vec();
        for hole in self.templates.iter().flat_map(|template| &template.holes) {
            if !grammar.forms.contains(hole) {
                grammar.forms.push(Arc::clone(hole));
                languages.push(choice(&[PLACEHOLDER], limits)?);
            }
        }
        let read = grammar.read(limits)?;
        let number = |name: &Arc<str>| {
            let found = read.rules.iter().position(|rule| *rule.name == **name);
            found.map(|at| at as u32).ok_or_else(|| wrong(&format!("there is no rule {name:?}")))
        };
        let rules =
            self.templates.iter().flat_map(|template| &template.rules).map(number).collect::<Result<Vec<_>>>()?;
        grammar.with_given(&read, &languages, limits, |given| lower_rules(&read, &rules, given, limits))
    }

    /// Writes it as bytes.
    pub fn write(&self, body: &mut Vec<u8>) {
        self.grammar.write(body);
        put(body, self.templates.len() as u32);
        for template in &self.templates {
            write_texts(body, &template.rules);
            write_texts(body, &template.holes);
        }
        write_texts(body, &self.texts);
        put(body, self.steps.len() as u32);
        self.steps.iter().for_each(|&step| put(body, step));
    }

    /// Reads what [`Assembly::write`] wrote.
    ///
    /// # Errors
    /// [`Kind::Language`], saying what was seen.
    pub fn read_stored(reader: &mut Reader<'_>) -> Result<Self> {
        let grammar = GrammarText::read_stored(reader, false)?;
        let count = reader.count(8, "templates")?;
        let template = |_| Ok(Template { rules: read_texts(reader, "rules")?, holes: read_texts(reader, "holes")? });
        let templates = (0..count).map(template).collect::<Result<_>>()?;
        let texts = read_texts(reader, "texts")?;
        let count = reader.count(4, "steps")?;
        let steps = (0..count).map(|_| reader.number("a step")).collect::<Result<_>>()?;
        Ok(Self { grammar, templates, texts, steps })
    }
}

fn write_texts(body: &mut Vec<u8>, texts: &[Arc<str>]) {
    put(body, texts.len() as u32);
    for text in texts {
        put_text(body, text);
    }
}

fn read_texts(reader: &mut Reader<'_>, field: &str) -> Result<Vec<Arc<str>>> {
    let count = reader.count(4, field)?;
    (0..count).map(|_| Ok(reader.text(field)?.into())).collect()
}

fn wrong(what: &str) -> Error {
    Error::new(Kind::Language, format!("an assembly: {what}"))
}

/// What is copied of a template.
struct Region {
    /// Nodes that have a hole in them, each after its parts, but for those that recur.
    nodes: Vec<NodeId>,
    /// Whether a node is a part of one before it.
    is_later: Vec<bool>,
    /// The nodes of its rules.
    rules: Vec<NodeId>,
    /// Nodes that are holes, and which ones.
    holes: Vec<(NodeId, usize)>,
    /// How many holes a copy fills.
    filled: usize,
}

/// Takes the steps.
struct Builder<'a> {
    texts: &'a [Arc<str>],
    steps: &'a [u32],
    at: usize,
    regions: Vec<Region>,
    graph: Graph,
    values: Vec<NodeId>,
    /// By node of the grammar: the node of the copy that is being made, which is mostly the same.
    copied: Vec<NodeId>,
    /// A node without a text.
    never: NodeId,
    most_nodes: usize,
}

impl<'a> Builder<'a> {
    fn new(assembly: &'a Assembly, nodes: RuleNodes, limits: &Limits) -> Result<Self> {
        let RuleNodes { mut graph, rules, forms } = nodes;
        let never = graph.add(Node::Never);
        let (mut regions, mut rules) = (Vec::new(), &rules[..]);
        let above = parents(&graph);
        for template in &assembly.templates {
            let (own, rest) = rules.split_at(template.rules.len());
            let is_hole = |name: &Arc<str>| !assembly.grammar.forms.contains(name);
            regions.push(Region::of(&graph, &above, (template, own), &forms, is_hole)?);
            rules = rest;
        }
        let copied = (0..graph.nodes.len() as NodeId).collect();
        let Assembly { texts, steps, .. } = assembly;
        Ok(Self { texts, steps, at: 0, regions, graph, values: Vec::new(), copied, never, most_nodes: limits.nodes })
    }

    fn number(&mut self) -> Result<u32> {
        let number = self.steps.get(self.at).copied().ok_or_else(|| wrong("the last step is cut short"))?;
        self.at += 1;
        Ok(number)
    }

    fn value(&mut self) -> Result<NodeId> {
        let number = self.number()?;
        self.values.get(number as usize).copied().ok_or_else(|| wrong(&format!("there is no value {number}")))
    }

    fn values(&mut self, count: usize) -> Result<Vec<NodeId>> {
        (0..count.min(self.steps.len() + 1)).map(|_| self.value()).collect()
    }

    fn counted_values(&mut self) -> Result<Vec<NodeId>> {
        let count = self.number()? as usize;
        self.values(count)
    }

    fn take_step(&mut self) -> Result<()> {
        count(1);
        match self.number()? {
            0 => {
                let options = self.counted_values()?;
                let node = self.add(Node::Choice(options.into()));
                self.values.push(node);
            }
            1 => {
                let parts = self.counted_values()?;
                let node = self.add(Node::Sequence(parts.into()));
                self.values.push(node);
            }
            2 => self.add_texts()?,
            3 => {
                let (template, filled) = self.template()?;
                let filled = self.values(filled)?;
                let rules = self.copy(template, &filled)?;
                self.values.extend(rules);
            }
            4 => self.add_copies()?,
            5 => {
                for _ in 0..self.number()? {
                    let node = add_later(&mut self.graph);
                    self.values.push(node);
                    self.check_size(0)?;
                }
            }
            6 => self.define_value()?,
            other => return Err(wrong(&format!("there is no step {other}"))),
        }
        self.check_size(0)
    }

    fn add_texts(&mut self) -> Result<()> {
        let mut found: Vec<&'a [u8]> = Vec::new();
        for _ in 0..self.number()? {
            let number = self.number()?;
            let text = self.texts.get(number as usize).ok_or_else(|| wrong(&format!("there is no text {number}")))?;
            count(1 + text.len() / 8);
            found.push(text.as_bytes());
        }
        let node = self.graph.literals(found);
        self.values.push(node);
        Ok(())
    }

    fn add_copies(&mut self) -> Result<()> {
        let (template, filled) = self.template()?;
        let first = filled.checked_sub(1).ok_or_else(|| wrong("a template has no hole"))?;
        let mut filled = self.values(first)?;
        let mut options = Vec::new();
        for last in self.counted_values()? {
            filled.push(last);
            options.extend(self.copy(template, &filled)?.first().copied());
            filled.pop();
        }
        let node = self.add(Node::Choice(options.into()));
        self.values.push(node);
        Ok(())
    }

    fn define_value(&mut self) -> Result<()> {
        let (later, value) = (self.value()?, self.value()?);
        if !matches!(self.graph.nodes[later as usize], Node::Rule(target) if target == later) {
            return Err(wrong("a value is defined twice"));
        }
        self.graph.nodes[later as usize] = Node::Rule(value);
        Ok(())
    }

    /// The next number as a template, and how many holes its copies fill.
    fn template(&mut self) -> Result<(usize, usize)> {
        let number = self.number()? as usize;
        let region = self.regions.get(number).ok_or_else(|| wrong(&format!("there is no template {number}")))?;
        Ok((number, region.filled))
    }

    /// Copies what has holes in it; returns the nodes of the rules.
    fn copy(&mut self, template: usize, filled: &[NodeId]) -> Result<Vec<NodeId>> {
        self.check_size(self.regions[template].nodes.len())?;
        let Self { regions, graph, copied, never, .. } = self;
        let region = &regions[template];
        for (&node, _) in region.nodes.iter().zip(&region.is_later).filter(|(_, is_later)| **is_later) {
            copied[node as usize] = add_later(graph);
        }
        for &(node, hole) in &region.holes {
            copied[node as usize] = filled[hole];
        }
        for (&node, &is_later) in region.nodes.iter().zip(&region.is_later) {
            let own = with_parts(&graph.nodes[node as usize], |part| copied[part as usize]);
            let own = simplify(graph, own);
            let later = copied[node as usize] as usize;
            match own {
                Simple::Node(node) if is_later => graph.nodes[later] = node,
                Simple::Known(known) if is_later => graph.nodes[later] = Node::Rule(known),
                Simple::Never if is_later => graph.nodes[later] = Node::Never,
                Simple::Node(own) => copied[node as usize] = graph.add(own),
                Simple::Known(known) => copied[node as usize] = known,
                Simple::Never => copied[node as usize] = *never,
            }
        }
        let rules = region.rules.iter().map(|&rule| copied[rule as usize]).collect();
        for &node in region.nodes.iter().chain(region.holes.iter().map(|(node, _)| node)) {
            copied[node as usize] = node;
        }
        Ok(rules)
    }

    fn add(&mut self, node: Node) -> NodeId {
        match simplify(&self.graph, node) {
            Simple::Node(node) => self.graph.add(node),
            Simple::Known(known) => known,
            Simple::Never => self.never,
        }
    }

    fn check_size(&self, more: usize) -> Result<()> {
        let nodes = self.graph.nodes.len() + more;
        if nodes > self.most_nodes { Err(Error::limit("nodes", nodes, self.most_nodes)) } else { Ok(()) }
    }
}

/// Adds a node that has no text until something else is put in its place.
fn add_later(graph: &mut Graph) -> NodeId {
    let node = graph.nodes.len() as NodeId;
    graph.add(Node::Rule(node))
}

/// What a node comes to.
enum Simple {
    Node(Node),
    /// What another node is.
    Known(NodeId),
    Never,
}

/// A node without the parts of it that have no text, as far as these are known.
fn simplify(graph: &Graph, node: Node) -> Simple {
    let is_never = |part: &NodeId| matches!(graph.nodes[*part as usize], Node::Never);
    match node {
        Node::Sequence(all) if all.iter().any(is_never) => Simple::Never,
        Node::Sequence(all) | Node::Choice(all) if all.len() == 1 => Simple::Known(all[0]),
        Node::Choice(all) if all.iter().any(is_never) => {
            let options: Box<[NodeId]> = all.iter().copied().filter(|part| !is_never(part)).collect();
            match options[..] {
                [] => Simple::Never,
                [only] => Simple::Known(only),
                _ => Simple::Node(Node::Choice(options)),
            }
        }
        Node::Choice(all) if all.is_empty() => Simple::Never,
        Node::Repeat { body, low, .. } if is_never(&body) => {
            if low == 0 {
                Simple::Node(Node::Empty)
            } else {
                Simple::Never
            }
        }
        Node::Rule(target) if is_never(&target) => Simple::Never,
        Node::Rule(target) if !matches!(graph.nodes[target as usize], Node::Rule(_)) => Simple::Known(target),
        Node::Never => Simple::Never,
        other => Simple::Node(other),
    }
}

/// A node with other parts.
fn with_parts(node: &Node, other: impl Fn(NodeId) -> NodeId) -> Node {
    match node {
        Node::Sequence(all) => Node::Sequence(all.iter().map(|&part| other(part)).collect()),
        Node::Choice(all) => Node::Choice(all.iter().map(|&part| other(part)).collect()),
        &Node::Repeat { body, low, high } => Node::Repeat { body: other(body), low, high },
        Node::Rule(target) => Node::Rule(other(*target)),
        alone => alone.clone(),
    }
}

/// The nodes that a node is made of.
fn parts(node: &Node) -> &[NodeId] {
    match node {
        Node::Sequence(all) | Node::Choice(all) => all,
        Node::Repeat { body: part, .. } | Node::Rule(part) => std::slice::from_ref(part),
        _ => &[],
    }
}

/// By node: the nodes that it is a part of.
fn parents(graph: &Graph) -> Vec<Vec<NodeId>> {
    let mut above = vec![Vec::new(); graph.nodes.len()];
    for (node, number) in graph.nodes.iter().zip(0..) {
        count(1);
        for &part in parts(node) {
            above[part as usize].push(number);
        }
    }
    above
}

impl Region {
    fn of(
        graph: &Graph,
        above: &[Vec<NodeId>],
        (template, rules): (&Template, &[NodeId]),
        forms: &[(Arc<str>, NodeId)],
        is_hole: impl Fn(&Arc<str>) -> bool,
    ) -> Result<Self> {
        // What a rule is, not its name, which would be one node more in each copy.
        let body = |rule: &NodeId| match graph.nodes[*rule as usize] {
            Node::Rule(body) => body,
            _ => *rule,
        };
        let rules: Vec<NodeId> = rules.iter().map(body).collect();
        let within = reached(graph, &rules, |node| parts(&graph.nodes[node as usize]));
        let mut holes = Vec::new();
        for (name, node) in forms.iter().filter(|(name, node)| within[*node as usize] && is_hole(name)) {
            let number = template.holes.iter().position(|hole| hole == name);
            holes.push((*node, number.ok_or_else(|| wrong(&format!("a template does not fill {name:?}")))?));
        }
        let nodes_of_holes: Vec<NodeId> = holes.iter().map(|(node, _)| *node).collect();
        let mut is_copied = reached(graph, &nodes_of_holes, |node| &above[node as usize]);
        for node in nodes_of_holes {
            is_copied[node as usize] = false;
        }
        let is_copied = |node: &NodeId| within[*node as usize] && is_copied[*node as usize];
        let nodes = parts_first(graph, &rules, is_copied);
        let mut place = vec![0; graph.nodes.len()];
        nodes.iter().zip(1..).for_each(|(&node, at)| place[node as usize] = at);
        let mut is_later = vec![false; nodes.len()];
        for (&node, at) in nodes.iter().zip(1..) {
            for &part in parts(&graph.nodes[node as usize]) {
                if place[part as usize] >= at {
                    is_later[place[part as usize] - 1] = true;
                }
            }
        }
        Ok(Self { nodes, is_later, rules, holes, filled: template.holes.len() })
    }
}

/// Some of the nodes that others lead to, each after its parts, but for those that recur.
fn parts_first(graph: &Graph, from: &[NodeId], is_wanted: impl Fn(&NodeId) -> bool) -> Vec<NodeId> {
    let (mut order, mut seen) = (Vec::new(), vec![false; graph.nodes.len()]);
    for &first in from.iter().filter(|node| is_wanted(node)) {
        let mut open = vec![(first, 0)];
        while let Some((node, at)) = open.last_mut() {
            count(1);
            if *at == 0 && std::mem::replace(&mut seen[*node as usize], true) {
                open.pop();
                continue;
            }
            let Some(&part) = parts(&graph.nodes[*node as usize]).get(*at) else {
                order.push(*node);
                open.pop();
                continue;
            };
            *at += 1;
            if is_wanted(&part) && !seen[part as usize] {
                open.push((part, 0));
            }
        }
    }
    order
}

/// By node: whether steps lead to it from some nodes.
fn reached<'s>(graph: &Graph, from: &[NodeId], next: impl Fn(NodeId) -> &'s [NodeId]) -> Vec<bool> {
    let (mut open, mut found) = (from.to_vec(), vec![false; graph.nodes.len()]);
    while let Some(node) = open.pop() {
        count(1);
        if !std::mem::replace(&mut found[node as usize], true) {
            open.extend(next(node));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::grammar::ast::Syntax;
    use crate::syntax::grammar::lower::Lexing;

    const RULES: &str = r#"
        start: "SELECT"
        query: "SELECT " @column " FROM " @table where?
        where: " WHERE " test
        test: @column " = " NUMBER | "(" test ")"
        NUMBER: /[0-9]+/
    "#;

    fn assembly(steps: &[u32]) -> Assembly {
        let grammar = GrammarText {
            text: RULES.into(),
            syntax: Some(Syntax::Lark),
            start: None,
            lexing: Some(Lexing::Any),
            translations: Vec::new(),
            forms: Vec::new(),
            controls: Vec::new(),
        };
        let template = Template { rules: vec!["query".into()], holes: vec!["table".into(), "column".into()] };
        let texts = ["id", "name", "people", "price", "items"].map(Into::into).to_vec();
        Assembly { grammar, templates: vec![template], texts, steps: steps.to_vec() }
    }

    fn build(steps: &[u32]) -> Result<Language> {
        assembly(steps).build(&[], &Limits::default())
    }

    fn conforms(language: &Language, text: &str) -> bool {
        language.check(text.as_bytes()).unwrap() == (text.len(), true)
    }

    /// A copy with id or name of people, a copy with the price of items, and any of them.
    const BOTH: &[u32] = &[5, 1, 2, 2, 0, 1, 3, 0, 0, 1, 2, 1, 3, 2, 1, 4, 3, 0, 4, 3, 2, 1, 2, 6, 0, 6, 0, 2, 2, 5];

    #[test]
    fn copies_have_what_fills_their_own_holes() {
        let both = build(BOTH).unwrap();
        for text in ["SELECT id FROM people", "SELECT price FROM items WHERE ((price = 12))"] {
            assert!(conforms(&both, text), "{text}");
        }
        for text in
            ["SELECT id FROM items", "SELECT id FROM people WHERE (price = 1)", "SELECT id FROM people WHERE (id = 1"]
        {
            assert!(!conforms(&both, text), "{text}");
        }
    }

    #[test]
    fn many_copies_differ_in_their_last_hole() {
        let many = build(&[2, 1, 2, 2, 1, 0, 2, 1, 1, 4, 0, 0, 2, 1, 2]).unwrap();
        assert!(conforms(&many, "SELECT id FROM people WHERE id = 1"));
        assert!(conforms(&many, "SELECT name FROM people WHERE name = 1"));
        assert!(!conforms(&many, "SELECT name FROM people WHERE id = 1"));
    }

    #[test]
    fn an_assembly_is_stored() {
        let (mut body, envelope) = (Vec::new(), crate::source::ENVELOPE);
        assembly(BOTH).write(&mut body);
        let sealed = envelope.seal(&body);
        let again = Assembly::read_stored(&mut envelope.open(&sealed).unwrap()).unwrap();
        assert_eq!(again.steps, BOTH);
        assert!(conforms(&again.build(&[], &Limits::default()).unwrap(), "SELECT id FROM people"));
    }

    #[test]
    fn steps_that_cannot_be_taken_are_errors() {
        for steps in [
            &[][..],
            &[7],
            &[0, 1, 0],
            &[0, u32::MAX],
            &[1, 2, 0],
            &[2, 1, 5],
            &[2, u32::MAX],
            &[3, 1],
            &[3, 0, 0, 0],
            &[4, 0, 0],
            &[5],
            &[2, 1, 0, 6, 0, 0],
            &[5, 1, 2, 1, 0, 6, 0, 1, 6, 0, 1],
        ] {
            assert!(matches!(*build(steps).unwrap_err().kind, Kind::Language), "{steps:?}");
        }
        assert!(matches!(*build(&[5, u32::MAX]).unwrap_err().kind, Kind::Limit { .. }));
        assert!(matches!(*build(&[5, 1]).unwrap_err().kind, Kind::Unsatisfiable { .. }));
    }

    #[test]
    fn a_template_fills_all_its_holes() {
        let mut partly = assembly(BOTH);
        partly.templates[0].holes.pop();
        partly.templates.push(Template { rules: vec!["start".into()], holes: vec!["column".into()] });
        assert!(partly.build(&[], &Limits::default()).unwrap_err().message.contains("does not fill"));
        partly.templates[0].rules[0] = "queries".into();
        assert!(partly.build(&[], &Limits::default()).unwrap_err().message.contains("there is no rule"));
    }
}
