//! Repetitions between two guards.
//!
//! A round may leave another guard than the one that it begins after, so the rounds of a repetition are a graph of guards:
//!
//! ```text
//! NAME*     after the guard FREE: a round leads to `letter`, from which no round goes on without trivia
//! ```
//!
//! Where the guards of all rounds but one are the same, repetitions say so; else there is a node for each guard.

use std::collections::BTreeMap;

use super::copies::{Copies, GuardSet};
use super::guards::{FREE, GuardId};
use super::parts::PartId;
use crate::error::Result;
use crate::language::{Node, NodeId, UNBOUNDED};

impl Copies<'_> {
    /// A repetition between two guards.
    pub fn rounds(
        &mut self,
        body: PartId,
        (low, high): (u32, Option<u32>),
        guard: GuardId,
        after: GuardId,
    ) -> Result<Option<NodeId>> {
        let low = if self.nullable[body as usize] { 0 } else { low };
        if high == Some(0) {
            return Ok((guard == after).then(|| self.graph.add(Node::Empty)));
        }
        let edges = self.edges(body, guard, after)?;
        let round = |from: GuardId, to: GuardId| edges.get(&(from, to)).copied();
        let guards: GuardSet = edges.keys().flat_map(|&(from, to)| [from, to]).chain([guard, after]).collect();
        let distinct = GuardSet::from([guard, after]);
        if guards != distinct || guard != after && round(after, guard).is_some() {
            return self.rounds_by_guard(&edges, &guards, (low, high), guard, after);
        }
        if guard == after {
            let Some(body) = round(guard, guard) else {
                return Ok((low == 0).then(|| self.graph.add(Node::Empty)));
            };
            return Ok(Some(self.repeat(body, low, high)));
        }
        let Some(change) = round(guard, after) else { return Ok(None) };
        let (fewer, less) = (low.saturating_sub(1), high.map(|high| high - 1));
        let all = match (round(guard, guard), round(after, after)) {
            (None, None) if low > 1 => return Ok(None),
            (None, None) => vec![change],
            (Some(first), None) => vec![self.repeat(first, fewer, less), change],
            (None, Some(last)) => vec![change, self.repeat(last, fewer, less)],
            (Some(first), Some(last)) if high.is_none() && low <= 1 => {
                vec![self.repeat(first, 0, None), change, self.repeat(last, 0, None)]
            }
            _ => return self.rounds_by_guard(&edges, &guards, (low, high), guard, after),
        };
        Ok(Some(self.sequence(&all)))
    }

    /// A repetition without guards.
    pub fn whole_rounds(&mut self, body: PartId, low: u32, high: Option<u32>) -> Result<Option<NodeId>> {
        let low = if self.nullable[body as usize] { 0 } else { low };
        let round = if high == Some(0) { None } else { self.node(body, FREE, FREE)? };
        Ok(match round {
            Some(round) => Some(self.repeat(round, low, high)),
            None => (low == 0).then(|| self.graph.add(Node::Empty)),
        })
    }

    fn repeat(&mut self, body: NodeId, low: u32, high: Option<u32>) -> NodeId {
        match (low, high) {
            (_, Some(0)) => self.graph.add(Node::Empty),
            (1, Some(1)) => body,
            _ => self.graph.add(Node::Repeat { body, low, high: high.unwrap_or(UNBOUNDED) }),
        }
    }

    /// The nodes of one round of a repetition, by the guards before and after it, on all ways from one guard to another.
    fn edges(&mut self, body: PartId, guard: GuardId, after: GuardId) -> Result<BTreeMap<(GuardId, GuardId), NodeId>> {
        let (mut open, mut seen, mut pairs) = (vec![guard], GuardSet::from([guard]), Vec::new());
        while let Some(from) = open.pop() {
            for &to in self.guards_left(body, from).iter() {
                pairs.push((from, to));
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        let mut alive = GuardSet::from([after]);
        while pairs.iter().any(|(from, to)| alive.contains(to) && alive.insert(*from)) {}
        let mut edges = BTreeMap::new();
        for (from, to) in pairs {
            if alive.contains(&to)
                && let Some(node) = self.node(body, from, to)?
            {
                edges.insert((from, to), node);
            }
        }
        Ok(edges)
    }

    /// A repetition written out: a node for each guard and number of rounds that are left.
    fn rounds_by_guard(
        &mut self,
        edges: &BTreeMap<(GuardId, GuardId), NodeId>,
        guards: &GuardSet,
        (low, high): (u32, Option<u32>),
        guard: GuardId,
        after: GuardId,
    ) -> Result<Option<NodeId>> {
        let mut last: BTreeMap<GuardId, NodeId> = BTreeMap::new();
        if let Some(high) = high {
            last.insert(after, self.graph.add(Node::Empty));
            for _ in low..high {
                last = self.round_before(edges, guards, &last, Some(after))?;
            }
        } else {
            let all: BTreeMap<GuardId, NodeId> =
                guards.iter().map(|&guard| (guard, self.graph.add(Node::Never))).collect();
            let bodies = self.round_before(edges, guards, &all, Some(after))?;
            for (guard, body) in bodies {
                self.graph.nodes[all[&guard] as usize] = Node::Rule(body);
                last.insert(guard, all[&guard]);
            }
        }
        for _ in 0..low {
            last = self.round_before(edges, guards, &last, None)?;
        }
        Ok(last.get(&guard).copied())
    }

    /// What comes from one round before on, by guard; the repetition may also end at the guard `end`.
    fn round_before(
        &mut self,
        edges: &BTreeMap<(GuardId, GuardId), NodeId>,
        guards: &GuardSet,
        rest: &BTreeMap<GuardId, NodeId>,
        end: Option<GuardId>,
    ) -> Result<BTreeMap<GuardId, NodeId>> {
        let mut before = BTreeMap::new();
        for &guard in guards {
            let mut options = Vec::new();
            if end == Some(guard) {
                options.push(self.graph.add(Node::Empty));
            }
            for (&(_, to), &node) in edges.range((guard, 0)..=(guard, GuardId::MAX)) {
                if let Some(&rest) = rest.get(&to) {
                    options.push(self.sequence(&[node, rest]));
                }
            }
            if !options.is_empty() {
                before.insert(guard, self.graph.choice(options));
            }
        }
        self.check_size()?;
        Ok(before)
    }
}
