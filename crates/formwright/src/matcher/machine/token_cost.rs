//! An upper bound on the tokens to the end, found as the bytes to the end are (`cost`): part by part.
//!
//! ```text
//! {"name": "x      `"` 1     `,"birthday":` 3     `""` 2     `}` 1     7 tokens where 16 bytes are missing
//! ```
//!
//! What must still come is counted in tokens, each name and value by itself. A part that has begun is counted in bytes,
//! and so is what is too intricate to be taken apart: counted members, existential constraints, items that must differ.
//! The shortest path of tokens (`potential`) needs no more, as it may take the same way; it crosses from part to part.
//!
//! Cost: as `cost`; nothing is searched. Wrinkle: the bound is no potential: no token need lower it.

use smallvec::SmallVec;

use super::Machine;
use super::configuration::{Configuration, Phase, Position, Progress, Unpacked};
use crate::language::{Array, CompiledGraph, INFINITE, Member, Node, NodeId, Object, end};

/// Tokens that spell the parts of a graph, at most.
#[derive(Debug)]
pub struct TokenLengths {
    /// By node: tokens of its shortest text.
    nodes: Vec<u32>,
    /// By node, of the objects that are counted in tokens: those of their members.
    members: Vec<Option<Box<MemberTokens>>>,
}

/// Tokens of the members of an object, each with its comma.
#[derive(Debug)]
struct MemberTokens {
    members: Box<[u32]>,
    /// By position: of the required members from there on.
    from: Box<[u32]>,
}

/// Whether the missing members of an object are counted in tokens: those that must come are known one by one.
fn is_in_tokens(object: &Object) -> bool {
    object.tails == 0 && object.existentials == 0 && object.low == 0
}

impl TokenLengths {
    /// `pieces` counts the fewest tokens of a text, and `leaf` those of a node that is a leaf.
    pub fn new(graph: &CompiledGraph, pieces: impl Fn(&[u8]) -> u32, mut leaf: impl FnMut(NodeId) -> u32) -> Self {
        let bytes = |node: NodeId| graph.facts.shortest(node);
        let mut order: Vec<NodeId> = (0..graph.nodes()).filter(|&node| bytes(node) < INFINITE).collect();
        order.sort_by_key(|&node| bytes(node));
        let mut lengths = Self {
            nodes: (0..graph.nodes()).map(bytes).collect(),
            members: (0..graph.nodes()).map(|_| None).collect(),
        };
        // The shortest text of a node is made of shorter ones; of equally short ones, the bytes are a bound as well.
        for node in order {
            let tokens = match graph.node(node) {
                Node::Literals(texts) => {
                    let nearest = texts.iter().map(|(text, _)| text).min_by_key(|text| (text.len(), *text));
                    nearest.map_or(INFINITE, &pieces)
                }
                Node::Regular(_) | Node::Text { .. } => leaf(node),
                Node::Object(object) if is_in_tokens(object) => lengths.object(graph, node, object, &pieces),
                Node::Array(array) if !array.is_tracked() => lengths.array(graph, array),
                Node::Sequence(parts) => parts.iter().fold(0_u32, |all, &part| all.saturating_add(lengths.of(part))),
                Node::Choice(options) => {
                    let nearest = options.iter().filter(|&&option| bytes(option) == bytes(node));
                    nearest.map(|&option| lengths.of(option)).max().unwrap_or(INFINITE)
                }
                Node::Repeat { body, low, .. } => lengths.of(*body).saturating_mul(*low),
                Node::Rule(target) => lengths.of(*target),
                _ => bytes(node),
            };
            lengths.nodes[node as usize] = tokens.min(bytes(node));
        }
        lengths
    }

    /// Tokens of the shortest text of a node.
    pub fn of(&self, node: NodeId) -> u32 {
        self.nodes[node as usize]
    }

    fn object(&mut self, graph: &CompiledGraph, node: NodeId, object: &Object, pieces: impl Fn(&[u8]) -> u32) -> u32 {
        let (colon, between) = (graph.costs.colon(&object.layout), graph.costs.between_items(&object.layout));
        let name = |at: usize| {
            let name = object.names.text(at);
            if colon > 1 || between > 1 {
                return pieces(&[b"\"", name, b"\""].concat()) + colon + between;
            }
            let text = [b",\"", name, b"\":"].concat();
            pieces(&text).max(pieces(&text[1..]))
        };
        let implied = |at: usize| object.implied.iter().any(|&(_, implied)| implied as usize == at);
        let tokens = |(at, member): (usize, &Member)| {
            let must_come = member.required || implied(at);
            let name = if must_come { name(at) } else { member.name_bytes + colon + between };
            name.saturating_add(self.of(member.value)).min(INFINITE)
        };
        let members: Box<[u32]> = object.members.iter().enumerate().map(tokens).collect();
        let mut from = vec![0_u32; members.len() + 1];
        for (at, member) in object.members.iter().enumerate().rev() {
            let own = if member.required { members[at] } else { 0 };
            from[at] = from[at + 1].saturating_add(own).min(INFINITE);
        }
        let must_come = object.missing(&object.nothing());
        let missing = must_come.iter().fold(0_u32, |all, &member| all.saturating_add(members[member as usize]));
        self.members[node as usize] = Some(Box::new(MemberTokens { members, from: from.into() }));
        missing.saturating_add(2 + graph.costs.around_items(&object.layout, must_come.len() as u32))
    }

    fn array(&self, graph: &CompiledGraph, array: &Array) -> u32 {
        let items = self.items(array, 0);
        let between = graph.costs.between_items(&array.layout).saturating_mul(array.low.saturating_sub(1));
        items.saturating_add(between).saturating_add(2 + graph.costs.around_items(&array.layout, array.low))
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
        self.members[node as usize].as_deref()
    }
}

impl Machine<'_> {
    /// Tokens that suffice to complete a configuration, of several ways that the stack goes on by the nearest.
    pub fn token_bound(&mut self, lengths: &TokenLengths, configuration: Configuration) -> u32 {
        let stack = self.stack_costs_in(Some(lengths), configuration.stack).least;
        self.position_tokens(lengths, configuration.position).saturating_add(stack).min(INFINITE)
    }

    /// As [`Machine::token_bound`], by the dearest way; in bytes without `lengths`.
    pub fn dearest_bound(&mut self, lengths: Option<&TokenLengths>, configuration: Configuration) -> u32 {
        let stack = self.stack_costs_in(lengths, configuration.stack).most;
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
                let before = spaces.shortest(space, if phase == Phase::Value { end::COMMA } else { end::ITEM });
                let missing = self.missing_tokens(lengths, object, seen).filter(|&missing| missing > 0);
                missing.map(|missing| missing.saturating_add(before + self.brace(object)))
            }
            Position::Array { phase, space, array: node, count } => {
                let Node::Array(array) = self.graph.node(node) else { return INFINITE };
                let (Unpacked::Number(number), false) = (count.unpack(), array.is_tracked()) else {
                    return self.position_cost(position);
                };
                let missing = array.low.saturating_sub(number);
                let before = spaces.shortest(space, if phase == Phase::Value { end::COMMA } else { end::ITEM });
                let between = self.graph.costs.between_items(&array.layout).saturating_mul(missing);
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
        1 + self.graph.costs.before_close(&object.layout)
    }

    /// Tokens of the members that must still come, with their commas; `None` where they are counted in bytes.
    fn missing_tokens(&mut self, lengths: &TokenLengths, node: NodeId, seen: Progress) -> Option<u32> {
        let of = lengths.of_object(node)?;
        let Node::Object(object) = self.graph.node(node) else { return None };
        if let Unpacked::Number(position) = seen.unpack() {
            return Some(of.from[position as usize]);
        }
        if let Some(cached) = self.stacks.cached_missing_tokens((node, seen)) {
            return Some(cached);
        }
        let missing = of.sum(&object.missing(self.stacks.seen(seen)));
        self.stacks.insert_missing_tokens((node, seen), missing);
        Some(missing)
    }

    /// Tokens from before the colon of a member to after the brace.
    fn member_tokens(&mut self, lengths: &TokenLengths, node: NodeId, seen: Progress, member: u32) -> Option<u32> {
        let of = lengths.of_object(node)?;
        let Node::Object(object) = self.graph.node(node) else { return None };
        let is_declared = (member as usize) < object.members.len();
        let rest = match seen.unpack() {
            Unpacked::Number(_) if is_declared => of.from[member as usize + 1],
            Unpacked::Interned(_) if is_declared && object.implied.is_empty() => {
                let missing = self.missing_tokens(lengths, node, seen)?;
                let counted = object.members[member as usize].required && !self.stacks.seen(seen).has(member);
                if counted { missing - of.members[member as usize] } else { missing }
            }
            Unpacked::Interned(_) if is_declared => {
                of.sum(&object.missing(&object.with_member(self.stacks.seen(seen), member, 0)))
            }
            _ => self.missing_tokens(lengths, node, seen)?,
        };
        let space = self.graph.spaces().shortest(object.layout.colon, end::ITEM);
        let value = lengths.of(object.values_of(member).0);
        Some(rest.saturating_add(value).saturating_add(1 + space + self.brace(node)))
    }

    /// Tokens from inside a declared name to after the brace, by the name that is preferred.
    fn key_tokens(&mut self, lengths: &TokenLengths, node: NodeId, seen: Progress, at: u32) -> Option<u32> {
        lengths.of_object(node)?;
        let (name, member) = self.nearest_name(node, seen, at)?;
        Some(self.member_tokens(lengths, node, seen, member)?.saturating_add(name))
    }
}

impl MemberTokens {
    fn sum(&self, members: &SmallVec<[u32; 16]>) -> u32 {
        members.iter().fold(0_u32, |all, &member| all.saturating_add(self.members[member as usize])).min(INFINITE)
    }
}
