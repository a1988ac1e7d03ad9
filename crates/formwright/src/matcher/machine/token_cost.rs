//! The tokens to the end, found as the bytes to the end are (`cost`): part by part.
//!
//! ```text
//! {"name": "x      `"` 1     `,"birthday":` 3     `""` 2     `}` 1     7 tokens where 16 bytes are missing
//! ```
//!
//! The names that must still come and small sets of texts are counted in tokens, each by itself, and what is made of
//! them by their sums. All other texts are counted in bytes, and so are objects with a least number of members or with
//! existential constraints, and arrays that keep track of their items.
//!
//! It is a potential: some token always lowers it by one, the next token of the name or text that is counted or, where
//! bytes are counted, the next byte. The shortest path of tokens (`potential`) mostly needs fewer, as it crosses from
//! part to part, but takes longer to find.
//!
//! Cost: as `cost`; nothing is searched. A comma is spelled together with the name after it, so what a name adds
//! depends on whether a comma is before it ([`MemberTokens::gain`]).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Machine;
use super::configuration::{Configuration, Phase, Position, Progress, Unpacked};
use crate::language::{Array, CompiledGraph, INFINITE, Node, NodeId, Object, Seen, TextSet, end};
use crate::vocabulary::{NodeIndex, Trie};

/// Texts of a set are counted in tokens if their tree has at most this many nodes.
const SMALL: usize = 256;

/// Bytes of names that are counted in tokens.
const MOST_BYTES: usize = 1 << 13;

/// Tokens that spell the parts of a graph.
#[derive(Debug)]
pub struct TokenLengths {
    /// By node: tokens of its shortest text.
    nodes: Vec<u32>,
    /// By node: what is counted in tokens inside of it.
    inside: Vec<Inside>,
}

/// What is counted in tokens inside a node.
#[derive(Debug)]
enum Inside {
    Nothing,
    Members(Box<MemberTokens>),
    /// By node of the tree of texts: tokens to the end of a text below it.
    Texts(Box<[u32]>),
}

/// Tokens of the members of an object, of those alone that must come.
#[derive(Debug)]
struct MemberTokens {
    /// Which these are.
    members: Box<[u32]>,
    /// By one of these: with the comma before it, and its value.
    tokens: Box<[u32]>,
    names: Box<[Arc<NameTokens>]>,
    /// By one of these: of itself and the required ones after it.
    from: Box<[u32]>,
}

/// Tokens of a name that must come.
#[derive(Debug)]
struct NameTokens {
    /// With its colon and the comma before it.
    all: u32,
    /// How many fewer after a comma or the opening brace.
    gain: u32,
    /// The rest of it with the colon, by how many bytes of it were read; empty where that is counted in bytes.
    rest: Box<[u32]>,
}

impl NameTokens {
    /// In tokens, with `colon` and `between` bytes of a colon and a comma with their whitespace.
    fn new(tokens: &Trie, name: &[u8], colon: u32, between: u32) -> Self {
        let is_compact = colon == 1 && between == 1;
        let text = [&b",\""[..], name, if is_compact { b"\":" } else { b"\"" }].concat();
        let fewest = suffixes(tokens, &text);
        let after = if is_compact { 0 } else { colon };
        let rest = fewest[2..fewest.len() - 1].iter().map(|fewest| fewest + after).collect();
        let bare = fewest[1] + after;
        let all = if is_compact { fewest[0].max(bare) } else { bare + between };
        Self { all, gain: all - bare, rest }
    }

    /// In bytes.
    fn in_bytes(name: u32, colon: u32, between: u32) -> Self {
        Self { all: name + colon + between, gain: between, rest: Box::default() }
    }
}

/// Names that were counted; many objects have the same.
struct Names<'g> {
    tokens: &'g Trie,
    known: FxHashMap<(&'g [u8], u32, u32), Arc<NameTokens>>,
    /// Bytes that may still be counted.
    left: usize,
}

impl<'g> Names<'g> {
    /// Tokens of a name that is written in `bytes` bytes.
    fn of(&mut self, name: &'g [u8], bytes: u32, colon: u32, between: u32) -> Arc<NameTokens> {
        if let Some(known) = self.known.get(&(name, colon, between)) {
            return Arc::clone(known);
        }
        if name.len() >= self.left {
            return Arc::new(NameTokens::in_bytes(bytes, colon, between));
        }
        self.left -= name.len();
        let made = Arc::new(NameTokens::new(self.tokens, name, colon, between));
        self.known.insert((name, colon, between), Arc::clone(&made));
        made
    }
}

/// Fewest tokens that spell each suffix of a text, where every byte is a token.
fn suffixes(tokens: &Trie, text: &[u8]) -> Vec<u32> {
    let mut fewest: Vec<u32> = (0..=text.len() as u32).rev().collect();
    for start in (0..text.len()).rev() {
        let mut node = 0;
        for end in start + 1..=text.len() {
            let Some(child) = tokens.child(node, text[end - 1]) else { break };
            node = child;
            if !tokens.items_at(node).is_empty() {
                fewest[start] = fewest[start].min(fewest[end] + 1);
            }
        }
    }
    fewest
}

/// Fewest tokens from each node of a tree of texts to the end of a text below it.
fn tree_tokens(tokens: &Trie, texts: &Trie) -> Box<[u32]> {
    let (mut fewest, mut open) = (vec![INFINITE; texts.nodes().len()], Vec::new());
    for at in (0..texts.nodes().len() as NodeIndex).rev() {
        open.push((0, at));
        while let Some((node, reached)) = open.pop() {
            for deeper in texts.children(reached) {
                let Some(child) = tokens.child(node, texts.node(deeper).byte) else { continue };
                if !tokens.items_at(child).is_empty() {
                    let rest = if texts.items_at(deeper).is_empty() { fewest[deeper as usize] } else { 0 };
                    fewest[at as usize] = fewest[at as usize].min(rest.saturating_add(1));
                }
                open.push((child, deeper));
            }
        }
    }
    fewest.into()
}

impl TokenLengths {
    /// For a vocabulary, of which every byte is a token.
    pub fn new<'g>(graph: &'g CompiledGraph, tokens: &'g Trie) -> Self {
        let bytes = |node: NodeId| graph.facts.shortest(node);
        let mut order: Vec<(u32, NodeId)> = (0..graph.nodes()).map(|node| (bytes(node), node)).collect();
        order.sort_unstable();
        let mut lengths = Self {
            nodes: (0..graph.nodes()).map(bytes).collect(),
            inside: (0..graph.nodes()).map(|_| Inside::Nothing).collect(),
        };
        let mut names = Names { tokens, known: FxHashMap::default(), left: MOST_BYTES };
        // The shortest text of a node is made of shorter ones. Of what is counted later, the bytes do as well.
        for (bytes, node) in order.into_iter().take_while(|&(bytes, _)| bytes < INFINITE) {
            let found = match graph.node(node) {
                Node::Literals(texts) => lengths.texts(node, texts, tokens),
                Node::Object(object) if object.missing_is_known() => lengths.object(graph, node, object, &mut names),
                Node::Array(array) if !array.is_tracked() => lengths.array(graph, array),
                Node::Sequence(parts) => parts.iter().fold(0_u32, |all, &part| all.saturating_add(lengths.of(part))),
                Node::Choice(options) => options.iter().map(|&option| lengths.of(option)).min().unwrap_or(INFINITE),
                Node::Repeat { body, low, .. } => lengths.of(*body).saturating_mul(*low),
                Node::Rule(target) => lengths.of(*target),
                _ => INFINITE,
            };
            lengths.nodes[node as usize] = found.min(bytes);
        }
        lengths
    }

    /// Tokens of the shortest text of a node.
    pub fn of(&self, node: NodeId) -> u32 {
        self.nodes[node as usize]
    }

    fn texts(&mut self, node: NodeId, texts: &TextSet, tokens: &Trie) -> u32 {
        if texts.tree().nodes().len() > SMALL {
            return INFINITE;
        }
        let fewest = tree_tokens(tokens, texts.tree());
        let all = if texts.tree().items_at(0).is_empty() { fewest[0] } else { 0 };
        self.inside[node as usize] = Inside::Texts(fewest);
        all
    }

    fn object<'g>(&mut self, graph: &CompiledGraph, node: NodeId, object: &'g Object, names: &mut Names<'g>) -> u32 {
        let (colon, between) = (graph.costs.colon(&object.layout), graph.costs.between_items(&object.layout));
        let is_implied = |member: u32| object.implied.iter().any(|&(_, implied)| implied == member);
        let must_come = |&member: &u32| object.members[member as usize].required || is_implied(member);
        let members: Box<[u32]> = (0..object.members.len() as u32).filter(must_come).collect();
        let names = members.iter().map(|&member| {
            names.of(object.names.text(member as usize), object.members[member as usize].name_bytes, colon, between)
        });
        let names: Box<[Arc<NameTokens>]> = names.collect();
        let value = |member: u32| self.of(object.members[member as usize].value);
        let tokens = members.iter().zip(&names).map(|(&member, name)| name.all.saturating_add(value(member)));
        let tokens: Box<[u32]> = tokens.map(|tokens| tokens.min(INFINITE)).collect();
        let mut from = tokens.clone();
        let mut after = 0_u32;
        for (at, &member) in members.iter().enumerate().rev() {
            let own = if object.members[member as usize].required { tokens[at] } else { 0 };
            after = after.saturating_add(own).min(INFINITE);
            from[at] = after;
        }
        let of = MemberTokens { members, tokens, names, from };
        let (missing, gain) = if object.implied.is_empty() && !object.any_order {
            (of.from(0), of.gain(object.next_required(0)))
        } else {
            of.missing(object, &object.nothing())
        };
        let around = graph.costs.brackets(&object.layout, missing.min(1));
        self.inside[node as usize] = Inside::Members(Box::new(of));
        (missing - gain).saturating_add(around)
    }

    fn array(&self, graph: &CompiledGraph, array: &Array) -> u32 {
        let items = self.items(array, 0);
        let between = graph.costs.between_items(&array.layout).saturating_mul(array.low.saturating_sub(1));
        items.saturating_add(between).saturating_add(graph.costs.brackets(&array.layout, array.low))
    }

    /// Tokens of the items that must come from index `count` on, commas not counted.
    fn items(&self, array: &Array, count: u32) -> u32 {
        let of = |index: u32| array.item(index).map_or(INFINITE, |item| self.of(item));
        let first = array.prefix.len() as u32;
        let prefix = (count..array.low.min(first)).fold(0_u32, |all, index| all.saturating_add(of(index)));
        let rest = of(first).saturating_mul(array.low.saturating_sub(count.max(first)));
        prefix.saturating_add(rest).min(INFINITE)
    }

    fn of_object(&self, node: NodeId) -> Option<&MemberTokens> {
        if let Inside::Members(of) = &self.inside[node as usize] { Some(of) } else { None }
    }

    fn of_texts(&self, node: NodeId, at: NodeIndex) -> Option<u32> {
        if let Inside::Texts(of) = &self.inside[node as usize] { Some(of[at as usize]) } else { None }
    }
}

impl MemberTokens {
    /// Of the required members from a position on.
    fn from(&self, position: u32) -> u32 {
        let at = self.members.partition_point(|&member| member < position);
        self.from.get(at).copied().unwrap_or(0)
    }

    fn at(&self, member: u32) -> Option<usize> {
        self.members.binary_search(&member).ok()
    }

    /// With the comma before it, and its value.
    fn tokens(&self, member: u32) -> u32 {
        self.at(member).map_or(0, |at| self.tokens[at])
    }

    /// How many fewer after a comma or the opening brace.
    fn gain(&self, member: u32) -> u32 {
        self.at(member).map_or(0, |at| self.names[at].gain)
    }

    /// The rest of a name with the colon, when some bytes of it were read.
    fn rest_of_name(&self, member: u32, read: usize) -> Option<u32> {
        self.names[self.at(member)?].rest.get(read).copied()
    }

    /// Tokens of the members that must still come, and how many fewer after a comma: of the one that can come next.
    fn missing(&self, object: &Object, seen: &Seen) -> (u32, u32) {
        let missing = object.missing(seen);
        let all = missing.iter().fold(0_u32, |all, &member| all.saturating_add(self.tokens(member)));
        let next = if object.any_order { &missing[..] } else { &missing[..missing.len().min(1)] };
        let gain = next.iter().map(|&member| self.gain(member)).max().unwrap_or(0);
        (all.min(INFINITE), gain)
    }
}

impl Machine<'_> {
    /// Tokens that complete a configuration, of several ways that the stack goes on by the nearest.
    pub fn token_cost(&mut self, lengths: &TokenLengths, configuration: Configuration) -> u32 {
        if self.must_differ(configuration.stack) {
            return self.configuration_cost(configuration);
        }
        let stack = self.stack_costs_in(Some(lengths), configuration.stack).least;
        self.position_tokens(lengths, configuration.position).saturating_add(stack).min(INFINITE)
    }

    /// As [`Machine::token_cost`], by the dearest way; in bytes without `lengths`.
    pub fn dearest_cost(&mut self, lengths: Option<&TokenLengths>, configuration: Configuration) -> u32 {
        let stack = self.stack_costs_in(lengths, configuration.stack).most.saturating_add(self.detour(configuration));
        self.position_cost_in(lengths, configuration.position).saturating_add(stack).min(INFINITE)
    }

    /// Bytes, or tokens, to finish what a position is inside of, without the stack.
    pub(super) fn position_cost_in(&mut self, lengths: Option<&TokenLengths>, position: Position) -> u32 {
        match lengths {
            None => self.position_cost(position),
            Some(lengths) => self.position_tokens(lengths, position),
        }
    }

    fn position_tokens(&mut self, lengths: &TokenLengths, position: Position) -> u32 {
        let spaces = self.graph.spaces();
        let tokens = match position {
            Position::Start(node) => Some(lengths.of(node)),
            Position::Value { space, node } => Some(spaces.shortest(space, end::ITEM).saturating_add(lengths.of(node))),
            Position::Literal { node, at } => lengths.of_texts(node, at),
            Position::Colon { space, object, seen, member } => {
                let before = spaces.shortest(space, end::COLON);
                self.member_tokens(lengths, object, seen, member).map(|tokens| tokens.saturating_add(before))
            }
            Position::Key { object, seen, at } => self.key_tokens(lengths, object, seen, at),
            Position::Named { kind, object, seen, .. } => {
                let Node::Object(named) = self.graph.node(object) else { return INFINITE };
                let before = spaces.shortest(named.layout.key, end::COLON);
                let member = named.members.len() as u32 + u32::from(kind);
                self.member_tokens(lengths, object, seen, member).map(|tokens| tokens.saturating_add(before))
            }
            Position::Object { phase, space, object, seen } => {
                let is_value = phase == Phase::Value;
                let before = spaces.shortest(space, if is_value { end::COMMA } else { end::ITEM });
                let missing = self.missing_tokens(lengths, object, seen).filter(|&(missing, _)| missing > 0);
                let here = missing.map(|(missing, gain)| if is_value { missing } else { missing - gain });
                here.map(|here| here.saturating_add(before + self.brace(object)))
            }
            Position::Array { phase, space, array: node, count } => {
                let Node::Array(array) = self.graph.node(node) else { return INFINITE };
                let (Unpacked::Number(number), false) = (count.unpack(), array.is_tracked()) else {
                    return self.position_cost(position);
                };
                let missing = array.low.saturating_sub(number);
                let is_value = phase == Phase::Value;
                let before = spaces.shortest(space, if is_value { end::COMMA } else { end::ITEM });
                let commas = if is_value { missing } else { missing.saturating_sub(1) };
                let between = self.graph.costs.between_items(&array.layout).saturating_mul(commas);
                let close = 1 + spaces.shortest(array.layout.value, end::CLOSE);
                let items = lengths.items(array, number);
                (missing > 0).then(|| items.saturating_add(between).saturating_add(before + close))
            }
            Position::Sequence { node, index } => {
                let Node::Sequence(parts) = self.graph.node(node) else { return INFINITE };
                let parts = parts[index as usize..].iter();
                Some(parts.fold(0_u32, |all, &part| all.saturating_add(lengths.of(part))))
            }
            Position::Repeat { node, count } => {
                let Node::Repeat { body, low, .. } = *self.graph.node(node) else { return INFINITE };
                Some(lengths.of(body).saturating_mul(low.saturating_sub(count)))
            }
            _ => None,
        };
        tokens.map_or_else(|| self.position_cost(position), |tokens| tokens.min(INFINITE))
    }

    /// The closing brace and the whitespace before it.
    fn brace(&self, node: NodeId) -> u32 {
        let Node::Object(object) = self.graph.node(node) else { return INFINITE };
        self.graph.costs.close(&object.layout)
    }

    /// Tokens of the members that must still come, with their commas, and how many fewer after a comma; `None` where they
    /// are counted in bytes.
    fn missing_tokens(&mut self, lengths: &TokenLengths, node: NodeId, seen: Progress) -> Option<(u32, u32)> {
        let of = lengths.of_object(node)?;
        let Node::Object(object) = self.graph.node(node) else { return None };
        if let Unpacked::Number(position) = seen.unpack() {
            return Some((of.from(position), of.gain(object.next_required(position))));
        }
        if let Some(cached) = self.stacks.cached_missing_tokens((node, seen)) {
            return Some(cached);
        }
        let missing = of.missing(object, self.stacks.seen(seen));
        self.stacks.insert_missing_tokens((node, seen), missing);
        Some(missing)
    }

    /// Tokens from before the colon of a member to after the brace.
    fn member_tokens(&mut self, lengths: &TokenLengths, node: NodeId, seen: Progress, member: u32) -> Option<u32> {
        let of = lengths.of_object(node)?;
        let Node::Object(object) = self.graph.node(node) else { return None };
        let is_declared = (member as usize) < object.members.len();
        let rest = match seen.unpack() {
            Unpacked::Number(_) if is_declared => of.from(member + 1),
            Unpacked::Interned(_) if is_declared && object.implied.is_empty() => {
                let missing = self.missing_tokens(lengths, node, seen)?.0;
                let counts = object.members[member as usize].required && !self.stacks.seen(seen).has(member);
                if counts { missing - of.tokens(member) } else { missing }
            }
            Unpacked::Interned(_) if is_declared => {
                of.missing(object, &object.with_member(self.stacks.seen(seen), member, 0)).0
            }
            _ => self.missing_tokens(lengths, node, seen)?.0,
        };
        let space = self.graph.spaces().shortest(object.layout.colon, end::ITEM);
        let value = lengths.of(object.values_of(member).0);
        Some(rest.saturating_add(value).saturating_add(1 + space + self.brace(node)))
    }

    /// Tokens from inside a declared name to after the brace: by the nearest of the names that must come, if any can be
    /// read, else by the one that is nearest in bytes.
    fn key_tokens(&mut self, lengths: &TokenLengths, node: NodeId, seen: Progress, at: NodeIndex) -> Option<u32> {
        let of = lengths.of_object(node)?;
        let Node::Object(object) = self.graph.node(node) else { return None };
        let names = object.names.tree();
        let read = usize::from(names.node(at).depth);
        // The rest of the name, with its colon and the whitespace after that.
        let colon = 1 + self.graph.spaces().shortest(object.layout.colon, end::ITEM);
        let mut least: Option<u32> = None;
        for &member in &names.items()[names.items_below(at)] {
            if let (true, Some(name)) = (self.must_come_next(object, seen, member), of.rest_of_name(member, read)) {
                let rest = self.member_tokens(lengths, node, seen, member)? - colon;
                let all = rest.saturating_add(name);
                least = Some(least.map_or(all, |least| least.min(all)));
            }
        }
        if least.is_some() {
            return least;
        }
        let (name, member) = self.nearest_name(node, seen, at)?;
        Some(self.member_tokens(lengths, node, seen, member)?.saturating_add(name))
    }

    /// Whether a member is missing and may come next.
    fn must_come_next(&self, object: &Object, seen: Progress, member: u32) -> bool {
        let seen = match seen.unpack() {
            Unpacked::Number(position) => return object.next_required(position) == member,
            Unpacked::Interned(_) => self.stacks.seen(seen),
        };
        if !object.implied.is_empty() {
            let missing = object.missing(seen);
            return if object.any_order { missing.contains(&member) } else { missing.first() == Some(&member) };
        }
        object.members[member as usize].required
            && !seen.has(member)
            && (object.any_order || object.next_required(seen.position) == member)
    }
}

#[cfg(test)]
mod tests;
