//! How far objects and arrays are, and what they still need.
//!
//! [`Seen`] and [`Items`] are the states of the container automata. Both know how to go on and how long the shortest
//! completion is; "no completion" is how a container refuses a comma, a key or a bracket that would be a dead end.
//!
//! ```text
//! required a, b; seen: a     shortest completion: "b":0 and its comma, 6 bytes
//! ```
//!
//! Cost: a look at each missing member; a search where items or members are counted by kind. The lengths of
//! values come from outside, because the fixpoint that finds them ([`super::Facts`]) asks with those it has found so
//! far.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::conditions::{self, LiteralCosts};
use super::counted_items::Missing;
use super::{Array, INFINITE, LeafId, Member, NodeId, Object, UNBOUNDED};

/// How long things are at least, in bytes.
pub struct MinimumLengths<'p> {
    /// The shortest text of a node.
    pub value: &'p dyn Fn(NodeId) -> u32,
    /// The shortest text of a leaf.
    pub leaf: &'p dyn Fn(LeafId) -> u32,
    /// How many texts of a leaf have at most some length, and whether none is longer.
    pub texts: &'p dyn Fn(LeafId, u32) -> (u64, bool),
    /// A colon with the whitespace it needs.
    pub colon: u32,
    /// A comma with the whitespace it needs.
    pub between: u32,
}

impl MinimumLengths<'_> {
    /// The length of the `n`-th shortest text (from 1) of some leaves, each with an extra length for all its texts. If
    /// there are fewer texts, that of the longest.
    pub fn nth(&self, leaves: &[(LeafId, u32)], n: u32) -> u32 {
        let mut longest = leaves.iter().map(|&(leaf, extra)| (self.leaf)(leaf).saturating_add(extra)).min();
        let Some(mut length) = longest.filter(|&shortest| shortest < INFINITE && n > 1) else {
            return longest.map_or(INFINITE, |shortest| shortest.min(INFINITE));
        };
        let mut found = 0;
        loop {
            let (texts, all) = self.up_to(leaves, length);
            longest = if texts > found { Some(length) } else { longest };
            found = texts;
            if all || found >= u64::from(n) {
                return longest.unwrap_or(INFINITE);
            }
            length += 1;
        }
    }

    /// The sum of the lengths of the `from`-th to the `to`-th shortest text.
    pub fn sum(&self, leaves: &[(LeafId, u32)], from: u32, to: u32) -> u32 {
        let (mut total, mut next) = (0_u32, from);
        while next <= to && total < INFINITE {
            let length = self.nth(leaves, next);
            let last = if next == to { to } else { self.last_of_length(leaves, length).clamp(next, to) };
            total = total.saturating_add(length.saturating_mul(last - next + 1));
            let Some(after) = last.checked_add(1) else { break };
            next = after;
        }
        total.min(INFINITE)
    }

    /// The number of the last text that has at most some length, as far as there are others.
    fn last_of_length(&self, leaves: &[(LeafId, u32)], length: u32) -> u32 {
        let (texts, all) = self.up_to(leaves, length);
        if all { u32::MAX } else { u32::try_from(texts).unwrap_or(u32::MAX) }
    }

    /// The length of the shortest undeclared name of some kinds, with the extra length of its kind, that is free whichever
    /// `used` names are used: those may be the shortest, and declared names may be names of these kinds.
    pub(super) fn free_name(&self, object: &Object, kinds: &[(LeafId, u32)], used: u32) -> u32 {
        self.free_names(object, kinds, used).0
    }

    /// The length of [`MinimumLengths::free_name`], and how many free names in a row have it: at least one.
    fn free_names(&self, object: &Object, kinds: &[(LeafId, u32)], used: u32) -> (u32, u32) {
        let least = kinds.iter().map(|&(_, extra)| extra).min().unwrap_or(0);
        let mut length = self.nth(kinds, used.saturating_add(1));
        loop {
            let is_before = |member: &&Member| member.name_bytes.saturating_add(least) <= length;
            let declared = object.members.iter().filter(is_before).count() as u32;
            let first = used.saturating_add(declared).saturating_add(1);
            let farther = self.nth(kinds, first);
            if farther == length {
                let last = self.last_of_length(kinds, length);
                return (length, last.saturating_sub(first).saturating_add(1));
            }
            length = farther;
        }
    }

    /// How many texts have at most some length, and whether none is longer.
    fn up_to(&self, leaves: &[(LeafId, u32)], length: u32) -> (u64, bool) {
        let finite = leaves.iter().filter(|(leaf, extra)| (self.leaf)(*leaf).saturating_add(*extra) < INFINITE);
        finite.fold((0, true), |(texts, all), &(leaf, extra)| {
            let Some(length) = length.checked_sub(extra) else { return (texts, false) };
            let (found, none_longer) = (self.texts)(leaf, length);
            (texts.saturating_add(found), all && none_longer)
        })
    }
}

/// What an object has seen so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// Declared members, one bit each.
    pub members: SmallVec<[u64; 2]>,
    /// First position still open (declaration order).
    pub position: u32,
    /// Members so far, as far as the bounds can tell counts apart.
    pub count: u32,
    /// Id of the set of undeclared names used.
    pub names: u32,
    /// Existential constraints met, a bit each.
    pub met: u32,
    /// Where members are subject to [`Conditions`](super::Conditions): the values of their variables.
    pub values: Option<Box<[u16]>>,
}

impl Seen {
    /// Whether a declared member was seen.
    pub fn has(&self, member: u32) -> bool {
        self.members[member as usize / 64] >> (member % 64) & 1 == 1
    }

    /// The values of the variables of conditions.
    pub fn values(&self) -> &[u16] {
        self.values.as_deref().unwrap_or_default()
    }

    fn mark(&mut self, member: u32) {
        self.members[member as usize / 64] |= 1 << (member % 64);
    }
}

/// Completions of an object with existential constraints or conditions.
#[derive(Debug, Default)]
pub struct Completions {
    /// By what it has seen (in place of the set of used names, their number) and whether one more member must come.
    known: FxHashMap<(Seen, bool), Option<(u32, u32)>>,
    /// Of an object with conditions.
    pub literals: LiteralCosts,
}

/// Completions kept at most.
const MOST_COMPLETIONS: usize = 1 << 14;

impl Object {
    /// Nothing seen.
    pub fn nothing(&self) -> Seen {
        let members = smallvec![0; self.members.len().div_ceil(64)];
        let values = self.conditions.as_ref().map(|conditions| conditions.start());
        Seen { members, position: 0, count: 0, names: 0, met: 0, values }
    }

    /// Everything before `position` is settled, whether it came or not: enough where declaration order decides.
    pub fn at(&self, position: u32) -> Seen {
        let mut seen = Seen { position, ..self.nothing() };
        (0..position).for_each(|member| seen.mark(member));
        seen
    }

    /// Bytes of the shortest last member of a common prefix, with all that follows it.
    pub fn shortest_tail(&self, lengths: &MinimumLengths<'_>) -> u32 {
        let length = |member: &Member| (lengths.value)(member.value).saturating_add(member.name_bytes + lengths.colon);
        self.members.iter().rev().take(self.tails as usize).map(length).min().unwrap_or(INFINITE)
    }

    /// After a declared member that met some existential constraints.
    pub fn with_member(&self, seen: &Seen, member: u32, met: u32) -> Seen {
        let mut next = seen.clone();
        next.mark(member);
        if !self.any_order {
            next.position = member + 1;
        }
        self.with_met(&self.counted(next), member, met)
    }

    /// After a value of a member that met some existential constraints; with conditions, `met` is the number of its way.
    pub fn with_met(&self, seen: &Seen, member: u32, met: u32) -> Seen {
        match &self.conditions {
            Some(conditions) => Seen { values: Some(conditions.after(seen.values(), member, met)), ..seen.clone() },
            None => Seen { met: seen.met | met, ..seen.clone() },
        }
    }

    /// After the name of an undeclared member; the caller keeps it.
    pub fn with_undeclared_name(&self, seen: &Seen) -> Seen {
        let mut next = seen.clone();
        if !self.any_order {
            next.position = self.members.len() as u32;
        }
        self.counted(next)
    }

    /// After an undeclared member of some kind, whose value met some existential constraints.
    pub fn with_undeclared(&self, seen: &Seen, kind: u32, met: u32) -> Seen {
        self.with_met(&self.with_undeclared_name(seen), self.members.len() as u32 + kind, met)
    }

    /// Whether whatever may follow what was seen may follow other members too: the same ones, whose values keep more
    /// promises.
    pub fn covers(&self, stronger: &Seen, weaker: &Seen) -> bool {
        let is_alike = |a: &Seen, b: &Seen| {
            (a.position, a.count, a.names) == (b.position, b.count, b.names) && a.members == b.members
        };
        is_alike(stronger, weaker)
            && weaker.met & !stronger.met == 0
            && self.conditions.as_ref().is_none_or(|all| all.cover(stronger.values(), weaker.values()))
    }

    /// Counts that the bounds cannot tell apart are one.
    fn counted(&self, mut seen: Seen) -> Seen {
        let count = seen.count + 1;
        seen.count = match &self.conditions {
            Some(conditions) => conditions.counted(count),
            None if self.high == UNBOUNDED => count.min(self.low),
            None => count,
        };
        seen
    }

    /// Declared members that must still come: required ones and those implied by others.
    pub fn missing(&self, seen: &Seen) -> SmallVec<[u32; 16]> {
        let members = 0..self.members.len() as u32;
        if self.implied.is_empty() {
            return members.filter(|&at| self.members[at as usize].required && !seen.has(at)).collect();
        }
        let mut wanted: SmallVec<[bool; 64]> =
            members.clone().map(|at| seen.has(at) || self.members[at as usize].required).collect();
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for &(a, b) in &self.implied {
                grows |= wanted[a as usize] && !std::mem::replace(&mut wanted[b as usize], true);
            }
        }
        members.filter(|&at| wanted[at as usize] && !seen.has(at)).collect()
    }

    /// Whether a declared member may still come, as far as order decides.
    pub(super) fn is_open(&self, seen: &Seen, member: u32) -> bool {
        (self.any_order || member >= seen.position) && !seen.has(member)
    }

    /// The shortest members that complete the object (at least one, if `one`): their bytes without commas, and how many
    /// they are. `used` is how many undeclared names are used: the next one must differ. `None`: it cannot be
    /// completed.
    pub fn completion(&self, seen: &Seen, used: u32, one: bool, lengths: &MinimumLengths<'_>) -> Option<(u32, u32)> {
        self.known_completion(seen, used, one, lengths, &mut Completions::default())
    }

    /// As [`Object::completion`], with those found before: members can meet existential constraints in many orders, and
    /// most of them come to the same.
    pub fn known_completion(
        &self,
        seen: &Seen,
        used: u32,
        one: bool,
        lengths: &MinimumLengths<'_>,
        known: &mut Completions,
    ) -> Option<(u32, u32)> {
        if self.conditions.is_none() && self.existentials & !seen.met == 0 {
            return self.plain_completion(seen, used, one, lengths);
        }
        let key = (Seen { names: used, ..seen.clone() }, one && self.conditions.is_some());
        if let Some(&completion) = known.known.get(&key) {
            return completion;
        }
        let completion = match &self.conditions {
            Some(conditions) => {
                conditions::completion(self, conditions, seen, (used, one), lengths, &mut known.literals)
            }
            None => self.existential_completion(seen, used, lengths, known),
        };
        if known.known.len() >= MOST_COMPLETIONS {
            known.known.clear();
        }
        known.known.insert(key, completion);
        completion
    }

    /// The shortest completion with a member that meets the first unmet existential constraint.
    fn existential_completion(
        &self,
        seen: &Seen,
        used: u32,
        lengths: &MinimumLengths<'_>,
        known: &mut Completions,
    ) -> Option<(u32, u32)> {
        let constraint = 1 << (self.existentials & !seen.met).trailing_zeros();
        let mut best: Option<(u32, u32)> = None;
        let mut consider = |length: u32, met: u32, next: Seen, used: u32| {
            if met & constraint == 0 || length >= INFINITE {
                return;
            }
            // The member comes in its turn: those before it may still come.
            let next = Seen { position: seen.position, ..next };
            if let Some((rest, count)) = self.known_completion(&next, used, false, lengths, known) {
                let total = (rest.saturating_add(length), count + 1);
                best = Some(best.map_or(total, |best| best.min(total)));
            }
        };
        for member in (0..self.members.len() as u32).filter(|&member| self.is_open(seen, member)) {
            let declared = &self.members[member as usize];
            for &(value, met) in &declared.witnesses {
                let length = declared.name_bytes.saturating_add(lengths.colon).saturating_add((lengths.value)(value));
                consider(length, met, self.with_member(seen, member, met), used);
            }
        }
        for (kind, index) in self.undeclared.iter().zip(0..) {
            for &(value, met) in &kind.witnesses {
                let extra = (lengths.value)(value).saturating_add(lengths.colon);
                let length = lengths.free_name(self, &[(kind.name, extra)], used);
                consider(length, met, self.with_undeclared(seen, index, met), used + 1);
            }
        }
        best
    }

    fn plain_completion(&self, seen: &Seen, used: u32, one: bool, lengths: &MinimumLengths<'_>) -> Option<(u32, u32)> {
        let must = self.missing(seen);
        let mut total = 0_u32;
        for &member in &must {
            total = total.saturating_add(self.length_of(member, lengths));
            if total >= INFINITE || !self.is_open(seen, member) {
                return None;
            }
        }
        let count = must.len() as u32;
        if seen.count.saturating_add(count) > self.high {
            return None;
        }
        let wanted = self.low.saturating_sub(seen.count).max(u32::from(one));
        if count >= wanted {
            return Some((total, count));
        }
        let more = self.optional(seen, &must, used, wanted - count, lengths)?;
        (seen.count.saturating_add(wanted) <= self.high).then(|| (total.saturating_add(more).min(INFINITE), wanted))
    }

    /// Bytes of a declared member.
    pub fn length_of(&self, member: u32, lengths: &MinimumLengths<'_>) -> u32 {
        let declared = &self.members[member as usize];
        declared.name_bytes.saturating_add(lengths.colon).saturating_add((lengths.value)(declared.value))
    }

    /// Bytes of the shortest `count` members that need not come; `None` if there are fewer.
    fn optional(&self, seen: &Seen, must: &[u32], used: u32, count: u32, lengths: &MinimumLengths<'_>) -> Option<u32> {
        let implies_nothing =
            |member: u32| self.implied.iter().all(|&(a, b)| a != member || seen.has(b) || must.contains(&b));
        let mut declared: Vec<u32> = (0..self.members.len() as u32)
            .filter(|&member| self.is_open(seen, member) && !must.contains(&member) && implies_nothing(member))
            .map(|member| self.length_of(member, lengths))
            .filter(|&length| length < INFINITE)
            .collect();
        declared.sort_unstable();
        let mut declared = declared.into_iter().peekable();
        let kinds = self.undeclared_lengths(lengths);
        let (mut left, mut used, mut count, mut total) = (self.undeclared_left(seen, lengths), used, count, 0_u32);
        while count > 0 {
            let (next, alike) = if left > 0 { lengths.free_names(self, &kinds, used) } else { (INFINITE, 0) };
            if let Some(length) = declared.next_if(|&length| length <= next) {
                total = total.saturating_add(length);
                count -= 1;
            } else if left == 0 {
                return None;
            } else {
                let taken = alike.min(left).min(count);
                total = total.saturating_add(next.saturating_mul(taken));
                (left, used, count) = (left - taken, used.saturating_add(taken), count - taken);
            }
            if total >= INFINITE {
                return None;
            }
        }
        Some(total)
    }

    /// The kinds of undeclared names, each with the bytes of a member beside its name.
    fn undeclared_lengths(&self, lengths: &MinimumLengths<'_>) -> SmallVec<[(LeafId, u32); 2]> {
        let kinds = self.undeclared.iter();
        kinds.map(|kind| (kind.name, (lengths.value)(kind.value).saturating_add(lengths.colon))).collect()
    }

    /// How many undeclared members may still come, as far as the names go that have a value.
    fn undeclared_left(&self, seen: &Seen, lengths: &MinimumLengths<'_>) -> u32 {
        let declared: u32 = seen.members.iter().map(|word| word.count_ones()).sum();
        let kinds = self.undeclared.iter().filter(|kind| (lengths.value)(kind.value) < INFINITE);
        let all = kinds.fold(0_u32, |all, kind| all.saturating_add(kind.most));
        all.saturating_sub(seen.count.saturating_sub(declared))
    }
}

/// What an array has seen so far, where kinds are counted or items must differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Items {
    /// Items so far, as far as the bounds can tell counts apart.
    pub count: u32,
    /// The same by kind.
    pub kinds: Box<[u32]>,
    /// Id of the set of item texts used, where items must differ.
    pub used: u32,
    /// Where items are compared as values: what was read of the item that is being written; else
    /// [`Items::NOT_COMPARED`].
    pub item: u32,
    /// Whether that item differs from all used ones already, however it goes on.
    pub differs: bool,
}

impl Items {
    /// In place of what was read of an item, where items are not compared as values.
    pub const NOT_COMPARED: u32 = u32::MAX;
}

/// So many kinds are counted without a search, where all positions are alike.
const FEW_KINDS: usize = 2;

impl Array {
    /// No items.
    pub fn none(&self) -> Items {
        let item = if self.differing.is_some() { 0 } else { Items::NOT_COMPARED };
        Items { count: 0, kinds: vec![0; self.kinds.len()].into(), used: 0, item, differs: false }
    }

    /// Whether the state is more than a number of items.
    pub fn is_tracked(&self) -> bool {
        self.unique || self.differing.is_some() || !self.kinds.is_empty()
    }

    /// The ways the next item may be: its node, and the kinds it counts for.
    pub fn ways(&self, count: u32) -> &[(NodeId, u32)] {
        if count >= self.high || self.ways.is_empty() {
            return &[];
        }
        &self.ways[(count as usize).min(self.ways.len() - 1)]
    }

    /// After an item that counts for some kinds; `None` if one has too many now.
    pub fn after(&self, items: &Items, kinds: u32) -> Option<Items> {
        let mut next = items.clone();
        let alike = self.least_items().max(self.ways.len().max(self.prefix.len()) as u32);
        next.count = if self.high == UNBOUNDED { (items.count + 1).min(alike) } else { items.count + 1 };
        for (index, (count, kind)) in next.kinds.iter_mut().zip(&self.kinds).enumerate() {
            if kinds >> index & 1 == 1 {
                *count += 1;
                if *count > kind.high {
                    return None;
                }
                if kind.high == UNBOUNDED {
                    *count = (*count).min(kind.low);
                }
            }
        }
        Some(next)
    }

    /// Whether kinds without an upper bound are counted: an item of such a kind is read as one that counts for it and as
    /// one that does not.
    pub fn counts_freely(&self) -> bool {
        self.kinds.iter().any(|kind| kind.high == UNBOUNDED)
    }

    /// Whether whatever may follow some items may follow as many others: of kinds without an upper bound, more count.
    pub fn covers(&self, stronger: &Items, weaker: &Items) -> bool {
        let of_same = Items { kinds: weaker.kinds.clone(), ..stronger.clone() };
        let counts = stronger.kinds.iter().zip(&weaker.kinds).zip(&self.kinds);
        of_same == *weaker
            && counts.into_iter().all(|((more, less), kind)| more == less || more > less && kind.high == UNBOUNDED)
    }

    /// How many items there have to be; 0 if there are as many anyhow, since as many of a kind have to come.
    fn least_items(&self) -> u32 {
        if self.kinds.iter().any(|kind| kind.low >= self.low) { 0 } else { self.low }
    }

    /// Whether the array may close.
    pub fn is_done(&self, items: &Items) -> bool {
        items.count >= self.least_items() && items.kinds.iter().zip(&self.kinds).all(|(count, kind)| *count >= kind.low)
    }

    /// Bytes of the shortest items, with a comma each, that let the array close. `None`: it cannot.
    pub fn completion(&self, items: &Items, lengths: &MinimumLengths<'_>) -> Option<u32> {
        let mut seen: BTreeSet<Items> = BTreeSet::new();
        let mut queue = BinaryHeap::from([Reverse((0_u32, Some(items.clone())))]);
        while let Some(Reverse((cost, items))) = queue.pop() {
            let Some(items) = items else { return Some(cost) };
            if self.is_done(&items) {
                return Some(cost);
            }
            if !seen.insert(items.clone()) {
                continue;
            }
            if self.kinds.len() <= FEW_KINDS && items.count as usize + 1 >= self.ways.len() {
                let rest = self.missing_items(&items, lengths).shortest();
                queue.extend(rest.map(|rest| Reverse((cost.saturating_add(rest), None))));
                continue;
            }
            for &(node, kinds) in self.ways(items.count) {
                let length = (lengths.value)(node).saturating_add(lengths.between).saturating_add(cost);
                if let Some(next) = self.after(&items, kinds).filter(|_| length < INFINITE) {
                    queue.push(Reverse((length, Some(next))));
                }
            }
        }
        None
    }

    /// What is missing where all further positions are alike.
    fn missing_items(&self, items: &Items, lengths: &MinimumLengths<'_>) -> Missing {
        let mut costs = [None; 4];
        for &(node, kinds) in self.ways(items.count) {
            let length = (lengths.value)(node).saturating_add(lengths.between);
            let known: &mut Option<u32> = &mut costs[kinds as usize];
            if length < INFINITE {
                *known = Some(known.map_or(length, |known| known.min(length)));
            }
        }
        let between = |low: u32, high: u32, count: u32| {
            (low.saturating_sub(count), if high == UNBOUNDED { UNBOUNDED } else { high.saturating_sub(count) })
        };
        let kind = |at: usize| match (self.kinds.get(at), items.kinds.get(at)) {
            (Some(kind), Some(&count)) => between(kind.low, kind.high, count),
            _ => (0, UNBOUNDED),
        };
        Missing::new(costs, between(self.least_items(), self.high, items.count), [kind(0), kind(1)])
    }

    /// How many states a search for a completion visits at most.
    pub fn count_states(&self) -> usize {
        let told_apart = self.ways.len().saturating_sub(1);
        let (counted, most) = match self.kinds.len() <= FEW_KINDS {
            true => (told_apart, told_apart),
            false if self.high == UNBOUNDED => (told_apart.max(self.least_items() as usize), usize::MAX),
            false => (self.high as usize, self.high as usize),
        };
        self.kinds.iter().fold(counted.saturating_add(1), |states, kind| {
            let counts = if kind.high == UNBOUNDED { kind.low } else { kind.high } as usize;
            states.saturating_mul(counts.min(most).saturating_add(1))
        })
    }
}
