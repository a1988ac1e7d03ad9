//! The shortest completion of an object with conditions.
//!
//! Costs add up along a conjunction, and a disjunction takes its cheapest part. Where the number of members counts, a
//! cost is a list: the bytes with no member, with one, with two, ..., and lists are added as sums are.
//!
//! ```text
//! x came or y came, at least 2 members     x: [-, 7]  y: [-, 5]     [-, 5, 12]
//! ```

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{Case, Conditions, Part, Values};
use crate::interrupt::count;
use crate::language::{INFINITE, MinimumLengths, Object, Seen, UNBOUNDED};

/// Bytes with a comma for each member, and how many members.
type Cost = (u32, u32);

const NEVER: Cost = (INFINITE, 0);

/// Costs of literals kept at most, 8 bytes each.
const MOST_LITERAL_COSTS: usize = 1 << 18;

/// Costs by number of members.
type Costs = SmallVec<[Cost; 4]>;

/// Which numbers of members are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Scale {
    /// The highest number.
    top: u32,
    /// Whether the highest number stands for all from there on; otherwise there are no more.
    is_open: bool,
}

impl Scale {
    fn nothing(self) -> Costs {
        smallvec![NEVER; self.top as usize + 1]
    }

    fn none_needed(self) -> Costs {
        let mut costs = self.nothing();
        costs[0] = (0, 0);
        costs
    }

    /// The least costs of some ways.
    fn least_of<'w>(self, ways: impl Iterator<Item = &'w Way>) -> Costs {
        let mut costs = self.nothing();
        ways.for_each(|&(_, members, bytes)| self.put(&mut costs, members, bytes));
        costs
    }

    fn put(self, costs: &mut Costs, members: u32, cost: u32) {
        if members <= self.top || self.is_open {
            let at = members.min(self.top) as usize;
            costs[at] = costs[at].min((cost.min(INFINITE), members));
        }
    }

    /// The costs of both together.
    fn add(self, a: &Costs, b: &Costs) -> Costs {
        let mut sum = self.nothing();
        for (at, &(left, more)) in a.iter().enumerate().filter(|(_, cost)| cost.0 < INFINITE) {
            for (further_at, &(right, further)) in b.iter().enumerate().filter(|(_, cost)| cost.0 < INFINITE) {
                let members = at as u32 + further_at as u32;
                if members <= self.top || self.is_open {
                    let at = members.min(self.top) as usize;
                    sum[at] = sum[at].min((left.saturating_add(right).min(INFINITE), more + further));
                }
            }
        }
        sum
    }
}

/// What may become of an object: how it can be completed with one more member.
#[derive(Debug)]
pub struct Future {
    /// Whether it can be completed at all.
    lives: bool,
    /// By variable: the values that its member may come with next.
    allowed: Box<[Values]>,
}

impl Future {
    /// Whether the object can be completed after a member that gives a variable this value; `None`: one that no
    /// condition mentions.
    pub fn allows(&self, value: Option<(usize, u32)>) -> bool {
        value.map_or(self.lives, |(variable, value)| self.allowed[variable].contains(value))
    }
}

/// What may become of an object; `None` where the number of members decides, so that each value must be tried.
///
/// A part is *open* if some way to complete the object makes it hold; parts of a conjunction share no variable, so the
/// others hold whatever value this one has.
pub fn future(
    object: &Object,
    conditions: &Conditions,
    seen: &Seen,
    lengths: &MinimumLengths<'_>,
    known: &mut LiteralCosts,
) -> Option<Future> {
    if conditions.cases.iter().any(|case| case.low > 0 || case.high < UNBOUNDED) {
        return None;
    }
    let question = Question { object, conditions, seen, used: 0, lengths };
    let costs = question.least_of_parts(known);
    let lives = |part: u32| costs[part as usize].0 < INFINITE;
    let mut open: Vec<bool> = vec![false; conditions.parts.len()];
    let lives_at_all = question.unmentioned().is_some() && conditions.cases.iter().any(|case| lives(case.root));
    if lives_at_all {
        conditions.cases.iter().for_each(|case| open[case.root as usize] = lives(case.root));
    }
    let mut allowed = vec![Values::default(); conditions.members.len()];
    for (at, part) in conditions.parts.iter().enumerate().rev() {
        match part {
            _ if !open[at] => {}
            Part::Literal(variable, values) => allowed[*variable as usize].extend(values),
            _ => part.inner().iter().for_each(|&inner| open[inner as usize] |= lives(inner)),
        }
    }
    let free = if lives_at_all { question.left_open(&lives) } else { Values::default() };
    for (variable, allowed) in (0..).zip(&mut allowed) {
        if free.contains(variable) {
            *allowed = Values::below(question.domain(variable));
        }
        question.add_what_leads_to(variable, allowed);
    }
    Some(Future { lives: lives_at_all, allowed: allowed.into() })
}

/// A value of a variable, the members that give it, and their bytes.
type Way = (u32, u32, u32);

/// What it costs to give the variables their values.
#[derive(Default)]
struct Ways {
    /// Of one variable after the other, and only of values that can occur: a kind with many facts has very many values.
    all: Vec<Way>,
    /// By variable: where its own end.
    ends: Vec<usize>,
}

impl Ways {
    /// Those of one variable.
    fn of(&self, variable: u32) -> &[Way] {
        let start = if variable == 0 { 0 } else { self.ends[variable as usize - 1] };
        &self.all[start..self.ends[variable as usize]]
    }
}

/// What members cost whose variables may have any value.
struct Free {
    /// By variable.
    costs: Vec<Costs>,
    /// By variable of a member that may come once: its place among these, the cheapest first. Others have [`u32::MAX`].
    ranks: Vec<u32>,
    /// By rank: the variable.
    ranked: Vec<u32>,
}

impl Free {
    /// Adds what some variables cost. Of the members that may come once, only the cheapest can matter, as many as are
    /// counted: the others are not added.
    fn add_to(&self, scale: Scale, sum: Costs, variables: impl Iterator<Item = u32>) -> Costs {
        let (mut ranks, mut sum) = (SmallVec::<[u32; 64]>::new(), sum);
        for variable in variables {
            match self.ranks[variable as usize] {
                u32::MAX => sum = scale.add(&sum, &self.costs[variable as usize]),
                rank => ranks.push(rank),
            }
        }
        count(1 + ranks.len() / 16);
        let most = scale.top as usize;
        if most < ranks.len() {
            ranks.select_nth_unstable(most);
            ranks.truncate(most);
        }
        let cheapest = ranks.iter().map(|&rank| &self.costs[self.ranked[rank as usize] as usize]);
        cheapest.fold(sum, |sum, costs| scale.add(&sum, costs))
    }
}

/// A variable, its value, and what else its ways depend on.
type VariableState = (u32, u32, u32);

/// The least costs of the literals of a variable, in their order, by its state: one member more changes the state of few
/// variables.
#[derive(Debug, Default)]
pub struct LiteralCosts {
    of: FxHashMap<VariableState, Arc<[Cost]>>,
    /// Costs in all.
    kept: usize,
}

impl LiteralCosts {
    fn of(&mut self, question: &Question<'_>, variable: u32) -> Arc<[Cost]> {
        let state = question.state_of(variable);
        if let Some(known) = self.of.get(&state) {
            return Arc::clone(known);
        }
        let mut ways = Vec::new();
        question.add_ways(variable, 0, &mut ways);
        let parts = &question.conditions.parts;
        let literals = parts.iter().filter_map(|part| match part {
            Part::Literal(of, allowed) if *of == variable => Some(allowed),
            _ => None,
        });
        let least = |allowed: &Values| {
            let fitting = ways.iter().filter(|(value, ..)| allowed.contains(*value));
            fitting.map(|&(_, members, bytes)| (bytes, members)).min().unwrap_or(NEVER)
        };
        let found: Arc<[Cost]> = literals.map(least).collect();
        count(parts.len() / 32 + found.len() * (1 + ways.len() / 16));
        if self.kept + found.len() > MOST_LITERAL_COSTS {
            *self = Self::default();
        }
        self.kept += found.len() + 1;
        self.of.insert(state, Arc::clone(&found));
        found
    }
}

/// The costs of all parts on one scale, which cases have in common.
struct Counted {
    scale: Scale,
    free: Free,
    parts: Vec<Costs>,
}

/// A question about one state of an object.
struct Question<'q> {
    object: &'q Object,
    conditions: &'q Conditions,
    seen: &'q Seen,
    /// How many undeclared names are used.
    used: u32,
    lengths: &'q MinimumLengths<'q>,
}

/// The shortest members that complete an object (at least one, if `one`): their bytes without commas, and how many they
/// are. `None`: it cannot be completed.
pub fn completion(
    object: &Object,
    conditions: &Conditions,
    seen: &Seen,
    (used, one): (u32, bool),
    lengths: &MinimumLengths<'_>,
    known: &mut LiteralCosts,
) -> Option<(u32, u32)> {
    let question = Question { object, conditions, seen, used, lengths };
    let rest = question.unmentioned()?;
    let parts = question.least_of_parts(known);
    let (mut best, mut counted) = (NEVER, Vec::new());
    for case in conditions.cases.iter().filter(|case| seen.count <= case.high) {
        let few = both(parts[case.root as usize], rest);
        let wanted = case.low.saturating_sub(seen.count).max(u32::from(one));
        let fits = few.1 >= wanted && (case.high == UNBOUNDED || seen.count + few.1 <= case.high);
        let found = if few.0 >= INFINITE || fits { few } else { question.counted(*case, wanted, rest, &mut counted) };
        best = if found.0 < INFINITE { best.min(found) } else { best };
    }
    (best.0 < INFINITE).then(|| (best.0 - lengths.between.saturating_mul(best.1), best.1))
}

/// The cost of two sets of members together.
fn both((bytes, members): Cost, (further_bytes, further): Cost) -> Cost {
    let bytes = bytes.saturating_add(further_bytes);
    if bytes < INFINITE { (bytes, members + further) } else { NEVER }
}

impl Question<'_> {
    /// How many values a variable has.
    fn domain(&self, variable: u32) -> u32 {
        let member = self.conditions.members[variable as usize];
        if member < self.object.members.len() as u32 {
            2 + self.object.values_of(member).1.len() as u32
        } else {
            1 << (u16::BITS - self.conditions.facts_of(variable as usize).leading_zeros())
        }
    }

    /// Adds the values of a kind from which further members lead to one of these.
    fn add_what_leads_to(&self, variable: u32, values: &mut Values) {
        let facts = &self.conditions.facts[variable as usize];
        let member = self.conditions.members[variable as usize];
        let mut grows = !facts.is_empty();
        while std::mem::take(&mut grows) {
            for value in (0..self.domain(variable)).filter(|&value| !values.contains(value)).collect::<Vec<_>>() {
                let leads = |way: u32| values.contains(value | u32::from(facts[way as usize]));
                let mut ways = self.object.ways(member).filter(|(node, _)| (self.lengths.value)(*node) < INFINITE);
                if ways.any(|(_, way)| leads(way)) {
                    values.insert(value);
                    grows = true;
                }
            }
        }
    }

    /// The variables of which some way to complete the object says nothing.
    fn left_open(&self, lives: &impl Fn(u32) -> bool) -> Values {
        let every = Values::below(self.conditions.members.len() as u32);
        let mut open: Vec<Values> = Vec::with_capacity(self.conditions.parts.len());
        for (at, part) in (0..).zip(&self.conditions.parts) {
            count(1 + part.inner().len() * (1 + self.conditions.members.len() / 64) / 4);
            let mut own = if lives(at) { every.clone() } else { Values::default() };
            match part {
                Part::Literal(variable, _) => own.remove(*variable),
                Part::All(inner) => inner.iter().for_each(|&inner| own.retain(&open[inner as usize])),
                Part::Any(inner) => {
                    own = Values::default();
                    inner.iter().for_each(|&inner| own.extend(&open[inner as usize]));
                }
            }
            open.push(own);
        }
        let mut all = Values::default();
        self.conditions.cases.iter().for_each(|case| all.extend(&open[case.root as usize]));
        all
    }

    /// The required members that no condition mentions.
    fn unmentioned(&self) -> Option<Cost> {
        let mut total = (0_u32, 0);
        for member in 0..self.object.members.len() as u32 {
            let declared = &self.object.members[member as usize];
            if !declared.required || self.seen.has(member) || self.conditions.mention(member) {
                continue;
            }
            let bytes = self.object.length_of(member, self.lengths).saturating_add(self.lengths.between);
            total = (total.0.saturating_add(bytes), total.1 + 1);
            if total.0 >= INFINITE || !self.object.is_open(self.seen, member) {
                return None;
            }
        }
        Some(total)
    }

    /// The least cost of every part, however many members that takes.
    fn least_of_parts(&self, known: &mut LiteralCosts) -> Vec<Cost> {
        let variables = 0..self.conditions.members.len() as u32;
        let of_variables: Vec<Arc<[Cost]>> = variables.map(|variable| known.of(self, variable)).collect();
        let mut literals: Vec<_> = of_variables.iter().map(|costs| costs.iter().copied()).collect();
        let mut costs: Vec<Cost> = Vec::with_capacity(self.conditions.parts.len());
        for part in &self.conditions.parts {
            count(1 + part.inner().len() / 16);
            costs.push(match part {
                Part::Literal(variable, _) => literals[*variable as usize].next().unwrap_or(NEVER),
                Part::All(inner) => inner.iter().fold((0, 0), |all, &part| both(all, costs[part as usize])),
                Part::Any(inner) => inner.iter().map(|&part| costs[part as usize]).min().unwrap_or(NEVER),
            });
        }
        costs
    }

    /// The costs of every part.
    fn parts(&self, scale: Scale, ways: &Ways, free: &Free) -> Vec<Costs> {
        let of_an_addition = 1 + (scale.top as usize).pow(2) / 16;
        let mentions = &self.conditions.mentions;
        let mut costs: Vec<Costs> = Vec::with_capacity(self.conditions.parts.len());
        for (part, mentioned) in self.conditions.parts.iter().zip(mentions) {
            count(1 + part.inner().len() * of_an_addition);
            costs.push(match part {
                Part::Literal(variable, allowed) => {
                    count(ways.of(*variable).len() / 4);
                    scale.least_of(ways.of(*variable).iter().filter(|(value, ..)| allowed.contains(*value)))
                }
                Part::All(inner) => {
                    inner.iter().fold(scale.none_needed(), |sum, &part| scale.add(&sum, &costs[part as usize]))
                }
                Part::Any(inner) => {
                    let mut least = scale.nothing();
                    for &part in inner {
                        // Members that this part says nothing of may come too, and count.
                        let others = mentioned.iter_without(&mentions[part as usize]);
                        let own = free.add_to(scale, costs[part as usize].clone(), others);
                        least.iter_mut().zip(&own).for_each(|(least, &own)| *least = (*least).min(own));
                    }
                    least
                }
            });
        }
        costs
    }

    /// What members cost whose variables may have any value.
    fn free(&self, scale: Scale, ways: &Ways) -> Free {
        let (variables, declared) = (0..self.conditions.members.len() as u32, self.object.members.len() as u32);
        let costs: Vec<Costs> = variables.clone().map(|variable| scale.least_of(ways.of(variable).iter())).collect();
        let comes_once = |&variable: &u32| self.conditions.members[variable as usize] < declared;
        let mut ranked: Vec<u32> = variables.filter(comes_once).collect();
        ranked.sort_unstable_by_key(|&variable| costs[variable as usize].get(1).copied());
        let mut ranks = vec![u32::MAX; costs.len()];
        ranked.iter().zip(0..).for_each(|(&variable, rank)| ranks[variable as usize] = rank);
        count(costs.len() / 4);
        Free { costs, ranks, ranked }
    }

    /// What the values of all variables cost, with up to `top` members more than the facts of a kind need.
    fn ways(&self, top: u32) -> Ways {
        let mut ways = Ways::default();
        for variable in 0..self.conditions.members.len() as u32 {
            self.add_ways(variable, top, &mut ways.all);
            ways.ends.push(ways.all.len());
        }
        ways
    }

    /// Adds what the values of one variable cost.
    fn add_ways(&self, variable: u32, top: u32, ways: &mut Vec<Way>) {
        let member = self.conditions.members[variable as usize];
        let before = ways.len();
        if member < self.object.members.len() as u32 {
            self.declared(variable, member, ways);
        } else {
            self.kind(variable, top, ways);
        }
        count(1 + (ways.len() - before) / 8);
    }

    /// All that the ways of a variable depend on.
    fn state_of(&self, variable: u32) -> VariableState {
        let member = self.conditions.members[variable as usize];
        let value = u32::from(self.seen.values()[variable as usize]);
        if member >= self.object.members.len() as u32 {
            return (variable, value, self.used + self.unmet_before(variable));
        }
        let came = self.seen.has(member);
        (variable, if came { 1 + value } else { 0 }, u32::from(self.object.is_open(self.seen, member)))
    }

    /// What the values of a declared member cost.
    fn declared(&self, variable: u32, member: u32, ways: &mut Vec<Way>) {
        if self.seen.has(member) {
            return ways.push((u32::from(self.seen.values()[variable as usize]), 0, 0));
        }
        ways.push((0, 0, 0));
        if self.object.is_open(self.seen, member) {
            let beside = self.object.members[member as usize].name_bytes + self.lengths.colon + self.lengths.between;
            let of_values = self.object.ways(member).map(|(value, way)| (way, (self.lengths.value)(value)));
            ways.extend(of_values.map(|(way, bytes)| (way + 1, 1, bytes.saturating_add(beside).min(INFINITE))));
        }
    }

    /// What the sets of facts cost that the members of one kind make true.
    fn kind(&self, variable: u32, top: u32, ways: &mut Vec<Way>) {
        let before = self.seen.values()[variable as usize];
        let mut reached: FxHashMap<u16, u32> = FxHashMap::from_iter([(before, 0)]);
        let first = self.used + self.unmet_before(variable);
        let most = top + (self.conditions.facts_of(variable as usize) & !before).count_ones();
        for members in 0..=most {
            count(reached.len());
            ways.extend(reached.iter().map(|(&facts, &bytes)| (u32::from(facts), members, bytes)));
            reached = self.after_another(variable, &reached, first + members);
        }
    }

    /// The facts after another member of a kind, each with the bytes so far.
    fn after_another(&self, variable: u32, reached: &FxHashMap<u16, u32>, used: u32) -> FxHashMap<u16, u32> {
        let member = self.conditions.members[variable as usize];
        let kind = &self.object.undeclared[member as usize - self.object.members.len()];
        let mut next: FxHashMap<u16, u32> = FxHashMap::default();
        for (value, way) in self.object.ways(member) {
            let beside = (self.lengths.value)(value).saturating_add(self.lengths.colon);
            if beside >= INFINITE {
                continue;
            }
            let bytes = self.lengths.free_name(self.object, &[(kind.name, beside)], used);
            let made_true = self.conditions.facts[variable as usize][way as usize];
            for (facts, cost) in reached {
                let total = cost.saturating_add(bytes).saturating_add(self.lengths.between);
                let known = next.entry(facts | made_true).or_insert(INFINITE);
                *known = total.min(*known);
            }
        }
        next.retain(|_, cost| *cost < INFINITE);
        next
    }

    /// Undeclared members that kinds before this one may still need: each needs a name of its own.
    fn unmet_before(&self, variable: u32) -> u32 {
        let values = self.seen.values();
        let unmet = |variable: usize| self.conditions.facts_of(variable) & !values[variable];
        (0..variable as usize).map(|variable| unmet(variable).count_ones()).sum()
    }

    /// The costs of a case in which the number of members decides, with the required members that no condition mentions.
    fn counted(&self, case: Case, wanted: u32, rest: Cost, known: &mut Vec<Counted>) -> Cost {
        let needed = self.conditions.members.len() as u32 + rest.1 + wanted + self.facts();
        let room = if case.high == UNBOUNDED { u32::MAX } else { case.high - self.seen.count };
        let scale =
            if room < needed { Scale { top: room, is_open: false } } else { Scale { top: wanted, is_open: true } };
        if wanted > scale.top {
            return NEVER;
        }
        let at = known.iter().position(|known| known.scale == scale).unwrap_or_else(|| {
            let ways = self.ways(scale.top);
            let free = self.free(scale, &ways);
            known.push(Counted { scale, parts: self.parts(scale, &ways, &free), free });
            known.len() - 1
        });
        let Counted { free, parts, .. } = &known[at];
        let mut costs = parts[case.root as usize].clone();
        let mentioned = &self.conditions.mentions[case.root as usize];
        let others = (0..self.conditions.members.len() as u32).filter(|&variable| !mentioned.contains(variable));
        costs = free.add_to(scale, costs, others);
        let mut required = scale.nothing();
        scale.put(&mut required, rest.1, rest.0);
        costs = scale.add(&costs, &required);
        costs = scale.add(&costs, &self.fillers(scale));
        costs[wanted as usize..].iter().copied().min().unwrap_or(NEVER)
    }

    /// How many facts undeclared members can make true.
    fn facts(&self) -> u32 {
        (0..self.conditions.facts.len()).map(|variable| self.conditions.facts_of(variable).count_ones()).sum()
    }

    /// The costs of members that need not come and that no condition mentions.
    fn fillers(&self, scale: Scale) -> Costs {
        let object = self.object;
        let is_free = |&member: &u32| {
            object.is_open(self.seen, member)
                && !object.members[member as usize].required
                && !self.conditions.mention(member)
        };
        let declared = (0..object.members.len() as u32).filter(is_free);
        let mut lengths: Vec<u32> = declared.map(|member| object.length_of(member, self.lengths)).collect();
        let kinds: SmallVec<[_; 2]> = (object.undeclared.iter().zip(object.members.len() as u32..))
            .filter(|(_, member)| !self.conditions.mention(*member))
            .map(|(kind, _)| (kind.name, (self.lengths.value)(kind.value).saturating_add(self.lengths.colon)))
            .collect();
        if !kinds.is_empty() {
            let first = self.used + self.facts();
            lengths.extend((0..scale.top).map(|more| self.lengths.free_name(object, &kinds, first + more)));
        }
        lengths.sort_unstable();
        let (mut costs, mut total) = (scale.none_needed(), 0_u32);
        for (members, length) in (1..).zip(lengths.into_iter().take(scale.top as usize)) {
            total = total.saturating_add(length).saturating_add(self.lengths.between).min(INFINITE);
            scale.put(&mut costs, members, total);
        }
        costs
    }
}
