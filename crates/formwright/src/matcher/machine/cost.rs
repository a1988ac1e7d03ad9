//! The minimum number of bytes that complete the text from a configuration.
//!
//! ```text
//! {"a": "x      position  1 byte to finish the string, the quote
//!               stack     1 byte to finish the object, the brace
//! ```
//!
//! [`crate::language::Facts`] knows the shortest text of every graph node; this file adds the bytes that remain of
//! partly read graph nodes.
//!
//! Property that the token budget relies on: whenever the cost is `n > 0`, some byte leads to a state of cost `n - 1`.
//!
//! Cost: costs of stack nodes and of what containers still need are cached, so a deep stack is walked once. Costs of
//! positions are not: most are sums of a few table lookups, but inside a literal the subtree of its trie is scanned
//! (`nearest_end`), and inside a declared name the names that are left.
//!
//! Undeclared names, and items that must be new, must differ from earlier ones. The cost of one that has begun
//! is exact. One that has not is as long as the first text, in the order of lengths, that is free whichever were used:
//! its number follows from how many were used. So costs do not depend on *which* texts were used, and hold for all
//! texts that a walk over tokens serves.

use smallvec::{SmallVec, smallvec};

use super::Machine;
use super::configuration::{Configuration, END, Position, StackId};
use super::stacks::{StackCost, Unit};
use super::token_cost::TokenLengths;
use crate::language::{INFINITE, Node, NodeId, end};
use crate::vocabulary::{NodeIndex, Trie};

impl Machine<'_> {
    /// Bytes of the shortest completion of any of `configurations`.
    pub fn cost(&mut self, configurations: &[Configuration]) -> u32 {
        configurations.iter().map(|configuration| self.configuration_cost(*configuration)).min().unwrap_or(INFINITE)
    }

    pub fn configuration_cost(&mut self, configuration: Configuration) -> u32 {
        if self.must_differ(configuration.stack) {
            return self.cost_of_new(configuration);
        }
        self.plain_cost(configuration)
    }

    /// The same wherever items are not compared with others.
    pub(super) fn plain_cost(&mut self, configuration: Configuration) -> u32 {
        self.position_cost(configuration.position).saturating_add(self.stack_cost(configuration.stack)).min(INFINITE)
    }

    /// Bytes to finish everything on a stack.
    #[inline]
    pub fn stack_cost(&mut self, stack: StackId) -> u32 {
        self.stack_costs(stack).least
    }

    /// Bytes to finish everything on a stack. The cost of a stack node includes the stack nodes below it, so their
    /// costs are computed first.
    #[inline]
    pub fn stack_costs(&mut self, stack: StackId) -> StackCost {
        self.stack_costs_in(None, stack)
    }

    /// As [`Machine::stack_costs`], in tokens if their lengths are given.
    pub fn stack_costs_in(&mut self, lengths: Option<&TokenLengths>, stack: StackId) -> StackCost {
        let unit = Unit::of(lengths);
        if let Some(cached) = self.stacks.cached_cost(unit, stack) {
            return cached;
        }
        let mut pending = vec![stack];
        while let Some(&top) = pending.last() {
            if self.stacks.cached_cost(unit, top).is_some() {
                pending.pop();
                continue;
            }
            let below = self.below(top);
            let missing = below.iter().filter(|&&node| self.stacks.cached_cost(unit, node).is_none());
            let before = pending.len();
            pending.extend(missing);
            if pending.len() == before {
                let cost = self.frame_cost(lengths, top, &below);
                self.stacks.insert_cost(unit, top, cost);
                pending.pop();
            }
        }
        self.stacks.cached_cost(unit, stack).unwrap_or(StackCost { least: INFINITE, most: INFINITE })
    }

    /// The stack nodes whose costs the cost of a stack node is computed from: the alternatives of a union, or the one
    /// node below a frame.
    pub(super) fn below(&self, stack: StackId) -> SmallVec<[StackId; 4]> {
        match self.stacks.alternatives(stack) {
            Some(several) => SmallVec::from_slice(several),
            None if stack == END => SmallVec::new(),
            None => smallvec![self.stacks.frame(stack).below],
        }
    }

    /// The cost of a stack node, when the costs of the stack nodes it depends on are cached.
    fn frame_cost(&mut self, lengths: Option<&TokenLengths>, stack: StackId, below: &[StackId]) -> StackCost {
        let unit = Unit::of(lengths);
        let costs = || below.iter().filter_map(|&node| self.stacks.cached_cost(unit, node));
        let least = costs().map(|cost| cost.least).min().unwrap_or(0); // below the end is nothing
        let most = costs().map(|cost| cost.most).filter(|&most| most < INFINITE).max().unwrap_or(least);
        if stack == END || self.stacks.alternatives(stack).is_some() {
            return StackCost { least, most };
        }
        let position = self.stacks.frame(stack).position;
        let own = self.position_cost_in(lengths, position);
        StackCost { least: own.saturating_add(least).min(INFINITE), most: own.saturating_add(most).min(INFINITE) }
    }

    /// Bytes to finish what a position is inside of, without the stack.
    pub fn position_cost(&mut self, position: Position) -> u32 {
        let graph = self.graph;
        let spaces = graph.spaces();
        match position {
            // A union costs what its alternatives cost: `frame_cost`. What is above an unseen stack is measured alone.
            Position::Accept | Position::Union(_) | Position::Ended | Position::Unseen(_) => 0,
            Position::Between { .. } => INFINITE, // is in cache keys only, so its cost is never asked for
            Position::Start(node) => graph.facts.shortest(node),
            Position::Value { space, node } => {
                spaces.shortest(space, end::ITEM).saturating_add(graph.facts.shortest(node))
            }
            Position::Text { leaf, state, least, .. } => graph.automaton(leaf).shortest(state).saturating_add(least),
            Position::Terminal { leaf, state } => graph.automaton(leaf).shortest(state),
            Position::Literal { node, at } => self.literal_cost(node, at),
            Position::Key { object, seen, at } => self.key_cost(object, seen, at),
            Position::Excluding { leaf, state, at } => self.excluding_cost(leaf, state, at),
            Position::Item { array, items, start } => self.item_cost(array, items, start),
            Position::Element { array, items, .. } => self.element_cost(array, items),
            Position::Named { kind, object, seen, .. } => self.named_cost(object, seen, u32::from(kind)),
            Position::Colon { space, object, seen, member } => {
                spaces.shortest(space, end::COLON).saturating_add(self.colon_cost(object, seen, member))
            }
            Position::Object { phase, space, object, seen } => self.object_cost(phase, space, object, seen),
            Position::Array { phase, space, array, count } => self.array_cost(phase, space, array, count),
            Position::Sequence { node, index } => self.parts_cost(node, index),
            Position::Repeat { node, count } => self.rounds_cost(node, count),
        }
    }

    /// Bytes from inside one of a set of texts to its end. The texts of a tail decide which object they are in, so
    /// there it is the end of that object.
    fn literal_cost(&self, node: NodeId, at: NodeIndex) -> u32 {
        match self.graph.node(node) {
            Node::Literals(texts) => nearest_end(texts.tree(), at, |_| Some(0)),
            Node::Lexicon(lexicon) => lexicon.extent(lexicon.prefix(at)).0,
            Node::Pieces(pieces, writing) => pieces.automaton(*writing).nearest(at),
            Node::Tail(tail) => {
                nearest_end(tail.texts.tree(), at, |item| Some(tail.continuations[item as usize].shortest))
            }
            _ => INFINITE,
        }
    }

    /// As [`Machine::literal_cost`], for the dearest of these texts.
    pub fn dearest_text(&self, node: NodeId, at: NodeIndex) -> u32 {
        if let Node::Lexicon(lexicon) = self.graph.node(node) {
            return lexicon.extent(lexicon.prefix(at)).1;
        }
        if let Some(pieces) = self.graph.node(node).pieces() {
            return pieces.farthest();
        }
        let Some(tree) = self.graph.node(node).tree() else { return INFINITE };
        let after = match self.graph.node(node) {
            Node::Tail(tail) => tail.continuations.iter().map(|after| after.shortest).max().unwrap_or(0),
            _ => 0,
        };
        after.saturating_add(u32::from(tree.node(at).height))
    }

    /// Bytes of the parts of a sequence from `index` on.
    fn parts_cost(&self, node: NodeId, index: u32) -> u32 {
        let Node::Sequence(parts) = self.graph.node(node) else { return INFINITE };
        let rest = parts[index as usize..].iter();
        rest.fold(0_u32, |total, part| total.saturating_add(self.graph.facts.shortest(*part))).min(INFINITE)
    }

    /// Bytes of the rounds of a repetition that must still come after `count`.
    fn rounds_cost(&self, node: NodeId, count: u32) -> u32 {
        let Node::Repeat { body, low, .. } = *self.graph.node(node) else { return INFINITE };
        self.graph.facts.shortest(body).saturating_mul(low.saturating_sub(count)).min(INFINITE)
    }
}

/// Fewest bytes from the trie node `at` to the end of a text below it, plus the cost after that end. `cost_after` takes
/// the value that the trie stores for the text; `None` rules the text out.
fn nearest_end(trie: &Trie, at: NodeIndex, mut cost_after: impl FnMut(u32) -> Option<u32>) -> u32 {
    let depth = trie.node(at).depth;
    let mut best = INFINITE;
    for index in at..trie.node(at).skip {
        for item in trie.items_at(index) {
            if let Some(cost) = cost_after(trie.items()[item]) {
                best = best.min(cost.saturating_add(u32::from(trie.node(index).depth - depth)));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::Limits;
    use crate::matcher::Constraint;
    use crate::syntax::json_schema::{Options, Order, json_schema};
    use crate::terminals::Tables;
    use crate::vocabulary::Vocabulary;

    /// After any text, the cost is 0 just if the text may end, and else some byte makes it fall.
    fn falls(schema: &str, options: &Options, texts: u32) {
        let bytes: Vec<Vec<u8>> = std::iter::once(Vec::new()).chain((0..=255).map(|byte| vec![byte])).collect();
        let vocabulary = Vocabulary::new(&bytes, &[0], indexmap::IndexMap::new(), None).unwrap();
        let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
        let language = json_schema(schema, options).unwrap();
        let constraint = Constraint::new(&language, &tables).unwrap();
        let mut random = 1_u64;
        for _ in 0..texts {
            let (mut stacks, mut path) = (super::super::Stacks::default(), Vec::new());
            let mut machine = Machine::new(constraint.graph(), &mut stacks, &mut path);
            let mut configurations = machine.initial();
            for _ in 0..40 {
                let cost = machine.cost(&configurations);
                let mut after = Vec::new();
                for byte in 0..=255 {
                    let mut out = Vec::new();
                    machine.step_all(&configurations, byte, &mut out, 0);
                    if !out.is_empty() {
                        after.push((byte, machine.cost(&out), out));
                    }
                }
                let least = after.iter().map(|(_, cost, _)| *cost).min().unwrap_or(INFINITE);
                let text = String::from_utf8_lossy(machine.path).into_owned();
                let ends = configurations.iter().any(|at| at.position == Position::Accept);
                assert!(cost > 0 || ends, "{schema} {options:?} after {text}: 0");
                assert!(ends || least < cost, "{schema} {options:?} after {text}: {cost}, then {least}");
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let dull = |byte: u8| byte.is_ascii_alphanumeric() || byte == b' ' || byte >= 0x80;
                let (plain, structural): (Vec<_>, Vec<_>) = after.into_iter().partition(|(byte, ..)| dull(*byte));
                let from =
                    if plain.is_empty() || random >> 62 > 0 && !structural.is_empty() { structural } else { plain };
                let Some((byte, _, next)) = from.into_iter().nth((random >> 33) as usize % 97 % 12) else {
                    continue;
                };
                machine.path.push(byte);
                configurations = next;
            }
        }
    }

    #[test]
    fn some_byte_always_makes_the_cost_fall() {
        let schemas = [
            r#"{"type": "array", "items": {"enum": [1, "a"]}, "contains": {"const": 1}}"#,
            r#"{"type": "array", "items": {"enum": [1, "a", [1]]}, "contains": {"const": 1}, "minContains": 2, "maxContains": 3, "minItems": 4}"#,
            r#"{"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9999}, "uniqueItems": true, "minItems": 3}"#,
            r#"{"type": "array", "items": {"type": ["string", "boolean", "null"]}, "uniqueItems": true, "minItems": 5}"#,
            r#"{"type": "array", "items": {"type": "object", "properties": {"a": {"enum": [1, 2]}, "b": {"enum": ["x", "y"]}}, "required": ["a"], "additionalProperties": false}, "uniqueItems": true, "minItems": 4}"#,
            r#"{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, "uniqueItems": true, "minItems": 3}"#,
            r#"{"type": "array", "items": {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true}, "uniqueItems": true, "minItems": 3}"#,
            r#"{"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}, "maxItems": 1}, "uniqueItems": true, "minItems": 1}, "uniqueItems": true, "minItems": 2, "maxItems": 4}"#,
            r#"{"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "boolean"}, true], "uniqueItems": true}"#,
            r#"{"type": "object", "minProperties": 3, "additionalProperties": {"type": "null"}}"#,
            r#"{"type": "object", "minProperties": 3, "properties": {"a": {"type": "null"}, "": {"type": "integer"}}}"#,
            r#"{"type": "object", "minProperties": 2, "maxProperties": 3, "patternProperties": {"^x?$": {"type": "null"}, "^y{1,2}$": true}, "additionalProperties": false}"#,
            r#"{"type": "object", "not": {"additionalProperties": {"type": "string"}}, "additionalProperties": {"enum": ["a", 1]}}"#,
            r#"{"type": "object", "additionalProperties": {"type": "null"}, "propertyNames": {"pattern": "^[ab]$"}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {}, "c": {"type": "null"}}, "required": ["c", "a"], "dependentRequired": {"b": ["a", "d"]}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "null"}, "c": {"type": "null"}}, "minProperties": 2, "additionalProperties": false}"#,
            r#"{"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k", "x"]}, {"type": "object", "properties": {"k": {"const": "b"}, "y": {"type": "string"}}, "required": ["k", "y"]}, {"type": "array", "items": {"type": "boolean"}, "minItems": 2}]}"#,
            r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"l": {"$ref": "#/$defs/t"}, "v": {"type": "integer"}}, "required": ["v"]}}}"##,
            r#"{"anyOf": [{"minProperties": 1}, {"required": ["b"]}, {"required": ["n0"]}, {"patternProperties": {"^[ab]*$": {"const": "q\"\\"}}}, {"patternProperties": {"^a.b$": {"const": "a"}}}, {"properties": {"n2": {"const": "q\"\\"}}}], "const": {"1": 1.25, "a": "b"}, "$defs": {"d1": {"allOf": [{"unevaluatedProperties": {}}]}}}"#,
            r#"{"type": "array", "prefixItems": [{"type": "string", "pattern": "b$", "minLength": 2}, {"type": "number"}], "items": false, "minItems": 2}"#,
            r#"{"type": "array", "maxItems": 0}"#,
            r#"{"type": "string", "format": "date-time"}"#,
            "true",
        ];
        for schema in schemas {
            for order in [Order::Schema, Order::Model] {
                for whitespace in ["compact", "flexible", "pretty"] {
                    let whitespace = whitespace.to_owned();
                    falls(schema, &Options { order, whitespace, ..Options::default() }, 20);
                }
            }
        }
    }
}
