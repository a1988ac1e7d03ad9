//! How far objects and arrays are, and what they still need.
//!
//! [`Seen`] and [`Items`] are the states of the container automata. Both know
//! how to go on and what the cheapest completion costs; "no completion" is how a
//! container refuses a comma, a key or a bracket that would be a dead end.
//!
//! The prices of values come from outside: the static fixpoint asks with what it
//! knows so far, the running matcher with the solution.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use smallvec::{SmallVec, smallvec};

use super::{Array, INFINITE, LeafId, Member, NodeId, Object, UNBOUNDED};

/// What things cost, in bytes.
pub struct Prices<'p> {
    /// The shortest text of a node.
    pub value: &'p dyn Fn(NodeId) -> u32,
    /// The shortest text of a leaf.
    pub leaf: &'p dyn Fn(LeafId) -> u32,
    /// A colon with the whitespace it needs.
    pub colon: u32,
    /// A comma with the whitespace it needs.
    pub between: u32,
}

/// What an object has seen so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// Declared members, one bit each.
    pub members: SmallVec<[u64; 2]>,
    /// First position still open (declaration order).
    pub position: u32,
    /// Members so far, up to what the bounds can tell apart.
    pub count: u32,
    /// Id of the set of undeclared names used.
    pub names: u32,
    /// Demands met, one bit each.
    pub met: u32,
}

impl Seen {
    /// Whether a declared member was seen.
    pub fn has(&self, member: u32) -> bool {
        self.members[member as usize / 64] >> (member % 64) & 1 == 1
    }

    fn mark(&mut self, member: u32) {
        self.members[member as usize / 64] |= 1 << (member % 64);
    }
}

impl Object {
    /// Nothing seen.
    pub fn nothing(&self) -> Seen {
        Seen { members: smallvec![0; self.members.len().div_ceil(64)], position: 0, count: 0, names: 0, met: 0 }
    }

    /// Everything before `position` is settled, whether it came or not: enough where declaration order decides.
    pub fn at(&self, position: u32) -> Seen {
        let mut seen = Seen { position, ..self.nothing() };
        (0..position).for_each(|member| seen.mark(member));
        seen
    }

    /// Bytes of the cheapest last member of a beginning, with all behind it.
    pub fn cheapest_tail(&self, prices: &Prices<'_>) -> u32 {
        let price = |member: &Member| (prices.value)(member.value).saturating_add(member.name_bytes + prices.colon);
        self.members.iter().rev().take(self.tails as usize).map(price).min().unwrap_or(INFINITE)
    }

    /// After a declared member that met some demands.
    pub fn with_member(&self, seen: &Seen, member: u32, met: u32) -> Seen {
        let mut next = seen.clone();
        next.mark(member);
        if !self.any_order {
            next.position = member + 1;
        }
        self.counted(next, met)
    }

    /// After an undeclared member; its name is the caller's to remember.
    pub fn with_extra(&self, seen: &Seen, met: u32) -> Seen {
        let mut next = seen.clone();
        if !self.any_order {
            next.position = self.members.len() as u32;
        }
        self.counted(next, met)
    }

    /// Counts that the bounds cannot tell apart are one.
    fn counted(&self, mut seen: Seen, met: u32) -> Seen {
        let count = seen.count + 1;
        seen.count = if self.high == UNBOUNDED { count.min(self.low) } else { count };
        seen.met |= met;
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

    fn is_open(&self, seen: &Seen, member: u32) -> bool {
        (self.any_order || member >= seen.position) && !seen.has(member)
    }

    /// The cheapest members that complete the object (one at least, if `one`): their bytes without commas, and
    /// how many they are. `None`: it cannot be completed.
    pub fn completion(&self, seen: &Seen, one: bool, prices: &Prices<'_>) -> Option<(u32, u32)> {
        let unmet = self.demands & !seen.met;
        if unmet == 0 {
            return self.plain_completion(seen, one, prices);
        }
        let demand = 1 << unmet.trailing_zeros();
        let mut best: Option<(u32, u32)> = None;
        let mut consider = |price: u32, met: u32, next: Seen| {
            if met & demand == 0 || price >= INFINITE {
                return;
            }
            // The member will come at its turn: its place in the order is not taken yet.
            let next = Seen { position: seen.position, ..next };
            if let Some((rest, count)) = self.completion(&next, false, prices) {
                let total = (rest.saturating_add(price), count + 1);
                best = Some(best.map_or(total, |best| best.min(total)));
            }
        };
        for member in (0..self.members.len() as u32).filter(|&member| self.is_open(seen, member)) {
            let declared = &self.members[member as usize];
            for &(value, met) in &declared.witnesses {
                let price = declared.name_bytes.saturating_add(prices.colon).saturating_add((prices.value)(value));
                consider(price, met, self.with_member(seen, member, met));
            }
        }
        for extra in &self.extras {
            for &(value, met) in &extra.witnesses {
                let name = (prices.leaf)(extra.name).saturating_add(seen.count + self.members.len() as u32);
                let price = name.saturating_add(prices.colon).saturating_add((prices.value)(value));
                consider(price, met, self.with_extra(seen, met));
            }
        }
        best
    }

    fn plain_completion(&self, seen: &Seen, one: bool, prices: &Prices<'_>) -> Option<(u32, u32)> {
        let must = self.missing(seen);
        let price = |member: u32| {
            let declared = &self.members[member as usize];
            declared.name_bytes.saturating_add(prices.colon).saturating_add((prices.value)(declared.value))
        };
        let mut total = 0_u32;
        for &member in &must {
            total = total.saturating_add(price(member));
            if total >= INFINITE || !self.is_open(seen, member) {
                return None;
            }
        }
        let mut count = must.len() as u32;
        if seen.count.saturating_add(count) > self.high {
            return None;
        }
        let wanted = self.low.saturating_sub(seen.count).max(u32::from(one));
        if count < wanted {
            let free = |member: u32| self.implied.iter().all(|&(a, b)| a != member || seen.has(b) || must.contains(&b));
            let mut others: Vec<u32> = (0..self.members.len() as u32)
                .filter(|&member| self.is_open(seen, member) && !must.contains(&member) && free(member))
                .map(price)
                .filter(|&price| price < INFINITE)
                .collect();
            others.sort_unstable();
            let mut others = others.into_iter().peekable();
            let mut left = self.extras_left(seen);
            while count < wanted {
                let longer = count + seen.count + self.members.len() as u32;
                let extra = if left > 0 { self.extra_price(prices, longer) } else { INFINITE };
                let next = others.next_if(|&price| price <= extra).unwrap_or_else(|| {
                    left = left.saturating_sub(1);
                    extra
                });
                total = total.saturating_add(next);
                count += 1;
                if total >= INFINITE || seen.count.saturating_add(count) > self.high {
                    return None;
                }
            }
        }
        Some((total, count))
    }

    /// How many undeclared members may still come, as far as their names go.
    fn extras_left(&self, seen: &Seen) -> u32 {
        let declared: u32 = seen.members.iter().map(|word| word.count_ones()).sum();
        let all = self.extras.iter().fold(0_u32, |all, extra| all.saturating_add(extra.most));
        all.saturating_sub(seen.count.saturating_sub(declared))
    }

    /// The cheapest undeclared member when `others` shorter names may be taken.
    fn extra_price(&self, prices: &Prices<'_>, others: u32) -> u32 {
        let each = self
            .extras
            .iter()
            .map(|extra| (prices.leaf)(extra.name).saturating_add((prices.value)(extra.value)).saturating_add(others));
        each.min().map_or(INFINITE, |cheapest| cheapest.saturating_add(prices.colon).min(INFINITE))
    }
}

/// What an array with counted kinds has seen so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Items {
    /// Items so far, up to what matters.
    pub count: u32,
    /// By kind: items of it so far, up to what matters.
    pub kinds: Box<[u32]>,
    /// Id of the set of item texts used, where items must differ.
    pub used: u32,
}

/// States looked at before an array counts as impossible.
const FUEL: usize = 20_000;

impl Array {
    /// No items.
    pub fn none(&self) -> Items {
        Items { count: 0, kinds: vec![0; self.kinds.len()].into(), used: 0 }
    }

    /// Whether the state is more than a number of items.
    pub fn is_tracked(&self) -> bool {
        self.unique || !self.kinds.is_empty()
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
        let alike = self.low.max(self.ways.len() as u32);
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

    /// Whether the array may close.
    pub fn is_done(&self, items: &Items) -> bool {
        items.count >= self.low && items.kinds.iter().zip(&self.kinds).all(|(count, kind)| *count >= kind.low)
    }

    /// Bytes of the cheapest items, with a comma each, that let the array close. `None`: it cannot.
    pub fn completion(&self, items: &Items, prices: &Prices<'_>) -> Option<u32> {
        let mut seen: BTreeSet<Items> = BTreeSet::new();
        let mut queue = BinaryHeap::from([Reverse((0_u32, items.clone()))]);
        while let Some(Reverse((cost, items))) = queue.pop() {
            if self.is_done(&items) {
                return Some(cost);
            }
            if !seen.insert(items.clone()) || seen.len() > FUEL {
                continue;
            }
            for &(node, kinds) in self.ways(items.count) {
                let price = (prices.value)(node).saturating_add(prices.between).saturating_add(cost);
                if let Some(next) = self.after(&items, kinds).filter(|_| price < INFINITE) {
                    queue.push(Reverse((price, next)));
                }
            }
        }
        None
    }
}
