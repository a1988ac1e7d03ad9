//! Repetitions in variants of rules.
//!
//! Rounds that begin in different contexts are written out as far as they differ, and a repetition between contexts that
//! alternate has the ways through them (Kleene 1956):
//!
//! ```text
//! x*                  x1 x2* |         where the first round begins otherwise than those after it
//! (A | B)*            ways from the context after A to that after B, through either
//! ```

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::contexts::{Context, TooMany};
use super::entries::Ends;
use super::parts::{Part, PartId};
use super::variants::{Rest, Writer};

/// Rounds of a repetition that differ.
const MOST_ROUNDS: u32 = 256;

/// Contexts between which a repetition alternates.
const MOST_ALTERNATING: usize = 4;

impl Writer<'_> {
    /// What is left of a repetition after some rounds.
    pub fn rounds(&mut self, part: PartId, done: u32, context: Context, ends: &Ends) -> Result<Option<Rest>, TooMany> {
        let Part::Repeat(_, low, high) = *self.written.parts.get(part) else { return Ok(None) };
        let key = (part, if high.is_none() { done.min(low + 1) } else { done }, context, ends.clone());
        if let Some(known) = self.rests.get(&key) {
            return Ok(known.clone());
        }
        let found = match self.like_rounds(part, done, context, ends)? {
            Some(rounds) => Some(vec![rounds]),
            None => self.unlike_rounds(part, done, context, ends)?,
        };
        self.rests.insert(key, found.clone());
        Ok(found)
    }

    /// The same, if all rounds are like each other.
    fn like_rounds(
        &mut self,
        part: PartId,
        done: u32,
        context: Context,
        ends: &Ends,
    ) -> Result<Option<PartId>, TooMany> {
        let Part::Repeat(body, low, high) = *self.written.parts.get(part) else { return Ok(None) };
        let (mut layer, mut layers, mut round) = (Ends::from([context]), Vec::<Ends>::new(), done);
        let is_first = |at: usize| done == 0 && at == 0; // the first round may lead elsewhere than those after it
        while !layer.is_empty() {
            if round >= low && !layer.is_subset(ends) {
                return Ok(None);
            }
            if high.is_some_and(|high| round >= high) {
                break;
            }
            if let Some(first) = (0..layers.len()).find(|&at| !is_first(at) && layers[at] == layer) {
                if !layers[first..].iter().all(|layer| layer.is_subset(ends)) {
                    return Ok(None); // they come again after enough rounds
                }
                break;
            }
            let after = layer.iter().flat_map(|&from| self.entries.round(part, (round, from))).map(|(_, to)| to);
            let after = after.collect();
            layers.push(std::mem::replace(&mut layer, after));
            round += 1;
        }
        let starts: Ends = layers.iter().flatten().copied().collect();
        let mut bodies = BTreeSet::new();
        for from in starts {
            let all = self.entries.ends(body, from);
            bodies.insert(self.part(body, from, &all)?);
        }
        let only = if bodies.len() == 1 { bodies.pop_first().flatten() } else { None };
        Ok(only.map(|body| {
            let high = high.map(|high| high - done);
            self.add(Part::Repeat(body, low.saturating_sub(done), high), part)
        }))
    }

    fn unlike_rounds(
        &mut self,
        part: PartId,
        done: u32,
        context: Context,
        ends: &Ends,
    ) -> Result<Option<Rest>, TooMany> {
        let Part::Repeat(body, low, high) = *self.written.parts.get(part) else { return Ok(None) };
        if done > MOST_ROUNDS {
            return Err(TooMany);
        }
        if high.is_none() && done >= low && self.alternating(part, done.min(1), context).contains(&context) {
            return self.ways_through(part, context, ends);
        }
        let mut rests: IndexMap<Vec<PartId>, Ends> = IndexMap::new();
        if high.is_none_or(|high| done < high) {
            for (end, after) in self.entries.round(part, (done, context)) {
                if let Some(rest) = self.rounds(part, done + 1, after, ends)? {
                    rests.entry(rest).or_default().insert(end);
                }
            }
        }
        let mut ways = Vec::new();
        for (rest, ends) in rests {
            ways.extend(self.part(body, context, &ends)?.map(|first| [vec![first], rest].concat()));
        }
        if done >= low && ends.contains(&context) {
            ways.push(if done == 0 { self.nothing(part) } else { Vec::new() });
        }
        Ok(self.unite(ways, part))
    }

    /// No round of a repetition; of what is in brackets, with its blanks.
    fn nothing(&mut self, part: PartId) -> Vec<PartId> {
        if !self.written.is_optional(part) {
            return Vec::new();
        }
        let never = self.never(part);
        vec![self.add(Part::Repeat(never, 0, Some(1)), part)]
    }

    /// The contexts after some rounds, at least one.
    fn alternating(&mut self, part: PartId, mut round: u32, context: Context) -> Ends {
        let (mut found, mut open) = (Ends::new(), vec![context]);
        while let Some(from) = open.pop() {
            let after = self.entries.round(part, (round, from));
            open.extend(after.into_iter().map(|(_, to)| to).filter(|&to| found.insert(to)));
            round = 1;
        }
        found
    }

    /// Any number of rounds between contexts that alternate.
    fn ways_through(&mut self, part: PartId, context: Context, ends: &Ends) -> Result<Option<Rest>, TooMany> {
        let nodes: Vec<Context> = self.alternating(part, 1, context).into_iter().collect();
        if nodes.len() > MOST_ALTERNATING {
            return Err(TooMany);
        }
        let Part::Repeat(body, ..) = *self.written.parts.get(part) else { return Ok(None) };
        let mut between: BTreeMap<(usize, usize), PartId> = BTreeMap::new();
        for (from, &begin) in nodes.iter().enumerate() {
            let mut targets: BTreeMap<usize, Ends> = BTreeMap::new();
            for (end, after) in self.entries.round(part, (1, begin)) {
                let to = nodes.iter().position(|&node| node == after);
                targets.entry(to.unwrap_or_default()).or_default().insert(end);
            }
            for (to, ends) in targets {
                if let Some(made) = self.part(body, begin, &ends)? {
                    between.insert((from, to), made);
                }
            }
        }
        for through in 0..nodes.len() {
            between = self.let_through(&between, (through, nodes.len()), part);
        }
        let from = nodes.iter().position(|&node| node == context).unwrap_or_default();
        let to = (0..nodes.len()).filter(|&to| ends.contains(&nodes[to]));
        let mut ways: Vec<Vec<PartId>> = to.filter_map(|to| between.get(&(from, to))).map(|&way| vec![way]).collect();
        ways.extend(ends.contains(&context).then(|| self.nothing(part)));
        Ok(self.unite(ways, part))
    }

    /// The ways between contexts that may lead through one more of them.
    fn let_through(
        &mut self,
        between: &BTreeMap<(usize, usize), PartId>,
        (through, nodes): (usize, usize),
        part: PartId,
    ) -> BTreeMap<(usize, usize), PartId> {
        let around = between.get(&(through, through)).map(|&body| self.add(Part::Repeat(body, 0, None), part));
        let mut found = BTreeMap::new();
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            let mut ways = Vec::new();
            if let (Some(&first), Some(&last)) = (between.get(&(from, through)), between.get(&(through, to))) {
                ways.push([vec![first], around.into_iter().collect(), vec![last]].concat());
            }
            ways.extend(between.get(&(from, to)).map(|&way| vec![way]));
            if let Some(way) = self.unite(ways, part) {
                found.insert((from, to), self.join(way, part));
            }
        }
        found
    }
}
