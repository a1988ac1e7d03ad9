//! The shortest completion of an object with conditions.
//!
//! Costs add up along a conjunction, and a disjunction takes its cheapest part. Where the number of members counts, a
//! cost is a list: the bytes with no member, with one, with two, ..., and lists are added as sums are.
//!
//! ```text
//! x came or y came, at least 2 members     x: [-, 7]  y: [-, 5]     [-, 5, 12]
//! ```

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{Case, Conditions, Part, Values};
use crate::interrupt::count;
use crate::language::{INFINITE, MinimumLengths, Object, Seen, UNBOUNDED};

/// Bytes with a comma for each member, and how many members.
type Cost = (u32, u32);

const NEVER: Cost = (INFINITE, 0);

/// Costs by number of members.
type Costs = SmallVec<[Cost; 4]>;

/// Which numbers of members are told apart.
#[derive(Clone, Copy)]
struct Scale {
    /// The highest number.
    top: u32,
    /// Whether the highest number stands for all from there on; otherwise there are no more.
    is_open: bool,
}

impl Scale {
    fn nothing(self) -> Costs {
        count(1 + self.top as usize / 16);
        smallvec![NEVER; self.top as usize + 1]
    }

    fn none_needed(self) -> Costs {
        let mut costs = self.nothing();
        costs[0] = (0, 0);
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
        if self.top == 0 {
            return smallvec![both(a[0], b[0])];
        }
        let mut sum = self.nothing();
        count(1 + a.len() * b.len() / 16);
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

    fn least(a: &mut Costs, b: &Costs) {
        a.iter_mut().zip(b).for_each(|(a, &b)| *a = (*a).min(b));
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
pub fn future(object: &Object, conditions: &Conditions, seen: &Seen, lengths: &MinimumLengths<'_>) -> Option<Future> {
    if conditions.cases.iter().any(|case| case.low > 0 || case.high < UNBOUNDED) {
        return None;
    }
    let question = Question { object, conditions, seen, used: 0, lengths };
    let costs = question.least_of_parts();
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

/// What the values of one variable cost.
struct VariableCosts {
    /// Only of values that can occur: a kind with many facts has very many values.
    by_value: FxHashMap<u32, Costs>,
    /// Whatever the value is.
    free: Costs,
    /// Whether further members can give it a value: else `free` adds nothing.
    may_come: bool,
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
) -> Option<(u32, u32)> {
    let question = Question { object, conditions, seen, used, lengths };
    let rest = question.unmentioned()?;
    let parts = question.least_of_parts();
    let mut best = NEVER;
    for case in conditions.cases.iter().filter(|case| seen.count <= case.high) {
        let few = both(parts[case.root as usize], rest);
        let wanted = case.low.saturating_sub(seen.count).max(u32::from(one));
        let fits = few.1 >= wanted && (case.high == UNBOUNDED || seen.count + few.1 <= case.high);
        let found = if few.0 >= INFINITE || fits { few } else { question.counted(*case, wanted, rest) };
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
    fn least_of_parts(&self) -> Vec<Cost> {
        let variables = self.variables(Scale { top: 0, is_open: true });
        let mut costs: Vec<Cost> = Vec::with_capacity(self.conditions.parts.len());
        for part in &self.conditions.parts {
            count(1 + part.inner().len() / 16);
            costs.push(match part {
                Part::Literal(variable, allowed) => {
                    let by_value = variables[*variable as usize].by_value.iter();
                    let fitting = by_value.filter(|(value, _)| allowed.contains(**value));
                    fitting.map(|(_, costs)| costs[0]).min().unwrap_or(NEVER)
                }
                Part::All(inner) => inner.iter().fold((0, 0), |all, &part| both(all, costs[part as usize])),
                Part::Any(inner) => inner.iter().map(|&part| costs[part as usize]).min().unwrap_or(NEVER),
            });
        }
        costs
    }

    /// The costs of every part.
    fn parts(&self, scale: Scale, variables: &[VariableCosts]) -> Vec<Costs> {
        let tracks = scale.top > 0;
        let mut mentions: Vec<Values> = Vec::new();
        let mut costs: Vec<Costs> = Vec::with_capacity(self.conditions.parts.len());
        for part in &self.conditions.parts {
            count(2 + part.inner().len() / 4);
            let mut mentioned = Values::default();
            if tracks {
                count(part.inner().len() * (1 + self.conditions.members.len() / 64) / 2);
                part.inner().iter().for_each(|&inner| mentioned.extend(&mentions[inner as usize]));
            }
            costs.push(match part {
                Part::Literal(variable, allowed) => {
                    mentioned.insert(*variable);
                    let by_value = &variables[*variable as usize].by_value;
                    let mut costs = scale.nothing();
                    count(by_value.len() / 4);
                    let fitting = by_value.iter().filter(|(value, _)| allowed.contains(**value));
                    fitting.for_each(|(_, value)| Scale::least(&mut costs, value));
                    costs
                }
                Part::All(inner) => {
                    inner.iter().fold(scale.none_needed(), |sum, &part| scale.add(&sum, &costs[part as usize]))
                }
                Part::Any(inner) => {
                    let mut least = scale.nothing();
                    for &part in inner {
                        let own = &costs[part as usize];
                        if tracks {
                            // Members that this part says nothing of may come too, and count.
                            let free = mentioned
                                .iter_without(&mentions[part as usize])
                                .map(|other| &variables[other as usize]);
                            let own = free
                                .filter(|other| other.may_come)
                                .fold(own.clone(), |sum, other| scale.add(&sum, &other.free));
                            Scale::least(&mut least, &own);
                        } else {
                            Scale::least(&mut least, own);
                        }
                    }
                    least
                }
            });
            if tracks {
                mentions.push(mentioned);
            }
        }
        costs
    }

    /// The costs of all variables, by their values.
    fn variables(&self, scale: Scale) -> Vec<VariableCosts> {
        let all = 0..self.conditions.members.len() as u32;
        all.map(|variable| {
            let declared = self.object.members.len() as u32;
            let mut by_value = FxHashMap::default();
            match self.conditions.members[variable as usize] {
                member if member < declared => self.declared(variable, member, scale, &mut by_value),
                _ => self.kind(variable, scale, &mut by_value),
            }
            let mut free = scale.nothing();
            for costs in by_value.values() {
                Scale::least(&mut free, costs);
            }
            let may_come = free != scale.none_needed();
            VariableCosts { by_value, free, may_come }
        })
        .collect()
    }

    /// The costs of the values of a declared member.
    fn declared(&self, variable: u32, member: u32, scale: Scale, by_value: &mut FxHashMap<u32, Costs>) {
        if self.seen.has(member) {
            let value = self.seen.values()[variable as usize];
            by_value.insert(u32::from(value), scale.none_needed());
            return;
        }
        by_value.insert(0, scale.none_needed());
        if self.object.is_open(self.seen, member) {
            let beside = self.object.members[member as usize].name_bytes + self.lengths.colon + self.lengths.between;
            for (value, way) in self.object.ways(member) {
                let cost = (self.lengths.value)(value).saturating_add(beside);
                scale.put(by_value.entry(way + 1).or_insert_with(|| scale.nothing()), 1, cost);
            }
        }
    }

    /// The costs of the sets of facts that the members of one kind make true.
    fn kind(&self, variable: u32, scale: Scale, by_value: &mut FxHashMap<u32, Costs>) {
        let before = self.seen.values()[variable as usize];
        let mut reached: FxHashMap<u16, u32> = FxHashMap::from_iter([(before, 0)]);
        let first = self.used + self.unmet_before(variable);
        let most = scale.top + (self.conditions.facts_of(variable as usize) & !before).count_ones();
        for members in 0..=most {
            count(reached.len());
            for (&facts, &cost) in &reached {
                scale.put(by_value.entry(u32::from(facts)).or_insert_with(|| scale.nothing()), members, cost);
            }
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
            let bytes = self.lengths.nth(&[(kind.name, beside)], self.object.next_free(used));
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
    fn counted(&self, case: Case, wanted: u32, rest: Cost) -> Cost {
        let needed = self.conditions.members.len() as u32 + rest.1 + wanted + self.facts();
        let room = if case.high == UNBOUNDED { u32::MAX } else { case.high - self.seen.count };
        let scale =
            if room < needed { Scale { top: room, is_open: false } } else { Scale { top: wanted, is_open: true } };
        if wanted > scale.top {
            return NEVER;
        }
        let variables = self.variables(scale);
        let mut costs = self.parts(scale, &variables).swap_remove(case.root as usize);
        for variable in 0..self.conditions.members.len() as u32 {
            if self.conditions.mentioning[variable as usize].binary_search(&case.root).is_err() {
                costs = scale.add(&costs, &variables[variable as usize].free);
            }
        }
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
            lengths.extend((0..scale.top).map(|more| self.lengths.nth(&kinds, object.next_free(first + more))));
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
