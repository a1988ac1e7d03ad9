//! From a formula over variables to its decomposable form.
//!
//! ```text
//! (kind≠a ∨ x) ∧ (kind≠b ∨ y)     (kind=a ∧ x) ∨ (kind=b ∧ y) ∨ (kind is another)
//! ```
//!
//! The parts of a conjunction then share no variable, so that a part can be asked by itself, and costs add up: this is
//! decomposable negation normal form (Darwiche 2001). A conjunction whose parts share variables is split by the values
//! of the variable that most of them mention; values with which the same is left are one case. Equal formulas are
//! compiled once. Deciding a formula is NP-hard, so the work is counted.
//!
//! Where conditions on one value are too many to tell all its classes apart, its variable is one of *promises*: its values
//! are not known beforehand. It is split last, and then what is left is a formula over its promises alone, of which the
//! smallest sets that make it true become its values.

use rustc_hash::FxHashMap;

use super::{Part, Values};
use crate::interrupt::count;

/// Index of a formula of a [`FormulaBuilder`].
pub type FormulaId = u32;

/// Index of a variable.
pub type Variable = u32;

/// The formula that always holds.
pub const TRUE: FormulaId = 0;

/// The formula that never does.
pub const FALSE: FormulaId = 1;

/// Units of work of a step.
const WORK_OF_STEP: usize = 2;

/// Sets that are compared in a unit of work.
const COMPARED: usize = 16;

/// The formula takes more work than allowed.
#[derive(Clone, Copy, Debug)]
pub struct TooHard;

/// A formula over variables with finitely many values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Formula {
    /// The variable has one of these values.
    Literal(Variable, Values),
    /// The variable is absent, or came with a promise.
    Promise(Variable, Promise),
    All(Box<[FormulaId]>),
    Any(Box<[FormulaId]>),
}

/// What a formula can say of a variable of promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// Its member is absent.
    Absent,
    /// It came.
    Came,
    /// It came, and its value meets the condition of this number.
    Meets(u32),
}

/// One way to make a formula over promises true: `None` is absence, otherwise the promises that are kept.
type Implicant = Option<Values>;

/// A compiled formula: its parts, the part of each root, and by variable of promises the sets of promises that are its
/// values from 1 on. The first one is empty.
pub type Compiled = (Box<[Part]>, Vec<u32>, FxHashMap<Variable, Vec<Values>>);

/// One step towards the decomposable form, in which inner parts are formulas still.
enum Step {
    Part(Part),
    Promises(Variable, Vec<Implicant>),
}

/// Formulas, each once.
#[derive(Debug)]
pub struct FormulaBuilder {
    formulas: Vec<Formula>,
    ids: FxHashMap<Formula, FormulaId>,
    /// By formula: the variables it mentions.
    mentions: Vec<Values>,
    /// By variable: how many values it has; 0 if it is one of promises.
    domains: Vec<u32>,
    /// What is left of a formula when a variable has a value.
    conditioned: FxHashMap<(FormulaId, Variable, u32), FormulaId>,
    /// Steps that may still be taken.
    fuel: usize,
}

impl FormulaBuilder {
    /// No formulas yet, over variables with so many values.
    pub fn new(domains: Vec<u32>, fuel: usize) -> Self {
        let mut builder = Self {
            formulas: Vec::new(),
            ids: FxHashMap::default(),
            mentions: Vec::new(),
            domains,
            conditioned: FxHashMap::default(),
            fuel,
        };
        builder.intern(Formula::All(Box::default()));
        builder.intern(Formula::Any(Box::default()));
        builder
    }

    fn intern(&mut self, formula: Formula) -> FormulaId {
        if let Some(&known) = self.ids.get(&formula) {
            return known;
        }
        let mut mentions = Values::default();
        match &formula {
            Formula::Literal(variable, _) | Formula::Promise(variable, _) => mentions.insert(*variable),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|&part| mentions.extend(&self.mentions[part as usize]));
            }
        }
        let id = self.formulas.len() as FormulaId;
        self.mentions.push(mentions);
        self.formulas.push(formula.clone());
        self.ids.insert(formula, id);
        id
    }

    /// "The variable has one of these values."
    pub fn literal(&mut self, variable: Variable, values: Values) -> FormulaId {
        match values.len() {
            0 => FALSE,
            all if all == self.domains[variable as usize] => TRUE,
            _ => self.intern(Formula::Literal(variable, values)),
        }
    }

    /// "The variable is absent", or "it came with this promise".
    pub fn promise(&mut self, variable: Variable, promise: Promise) -> FormulaId {
        self.intern(Formula::Promise(variable, promise))
    }

    /// The conjunction of some formulas.
    pub fn all(&mut self, of: impl IntoIterator<Item = FormulaId>) -> Result<FormulaId, TooHard> {
        self.combine(of, true)
    }

    /// The disjunction of some formulas.
    pub fn any(&mut self, of: impl IntoIterator<Item = FormulaId>) -> Result<FormulaId, TooHard> {
        self.combine(of, false)
    }

    /// A conjunction or disjunction, flat, with one literal for each variable.
    fn combine(&mut self, of: impl IntoIterator<Item = FormulaId>, is_all: bool) -> Result<FormulaId, TooHard> {
        let (neutral, absorbing) = if is_all { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut parts: Vec<FormulaId> = Vec::new();
        let mut literals: FxHashMap<Variable, Values> = FxHashMap::default();
        for id in of {
            let one = [id];
            let flat: &[FormulaId] = match &self.formulas[id as usize] {
                Formula::All(inner) if is_all => inner,
                Formula::Any(inner) if !is_all => inner,
                _ => &one,
            };
            for &part in flat {
                match &self.formulas[part as usize] {
                    Formula::Literal(variable, values) => match literals.get_mut(variable) {
                        Some(known) if is_all => known.retain(values),
                        Some(known) => known.extend(values),
                        None => drop(literals.insert(*variable, values.clone())),
                    },
                    _ => parts.push(part),
                }
            }
        }
        for (variable, values) in literals {
            parts.push(self.literal(variable, values));
        }
        self.spend(parts.len())?;
        parts.retain(|&part| part != neutral);
        if parts.contains(&absorbing) {
            return Ok(absorbing);
        }
        parts.sort_unstable();
        parts.dedup();
        Ok(match *parts {
            [] => neutral,
            [only] => only,
            _ => self.intern(if is_all { Formula::All(parts.into()) } else { Formula::Any(parts.into()) }),
        })
    }

    /// The formula together with "it came" for some variables; value 0 is "absent".
    pub fn with_all_of(&mut self, id: FormulaId, variables: &[Variable]) -> Result<FormulaId, TooHard> {
        let mut parts = vec![id];
        for &variable in variables {
            parts.push(match self.domains[variable as usize] {
                0 => self.promise(variable, Promise::Came),
                values => self.literal(variable, (1..values).collect()),
            });
        }
        self.all(parts)
    }

    /// The variables that some formulas mention.
    pub fn mentioned(&self, formulas: &[FormulaId]) -> Values {
        let mut all = Values::default();
        for &formula in formulas {
            all.extend(&self.mentions[formula as usize]);
        }
        all
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooHard> {
        count(WORK_OF_STEP * (steps + 1));
        self.fuel = self.fuel.checked_sub(steps + 1).ok_or(TooHard)?;
        Ok(())
    }

    /// What is left of a formula when a variable has a value. It calls itself as deep as the formula nests.
    fn condition(&mut self, id: FormulaId, variable: Variable, value: u32) -> Result<FormulaId, TooHard> {
        if !self.mentions[id as usize].contains(variable) {
            return Ok(id);
        }
        if let Some(&known) = self.conditioned.get(&(id, variable, value)) {
            return Ok(known);
        }
        let left = match self.formulas[id as usize].clone() {
            Formula::Promise(..) => id,
            Formula::Literal(_, values) => {
                if values.contains(value) {
                    TRUE
                } else {
                    FALSE
                }
            }
            Formula::All(parts) => {
                let parts: Vec<_> =
                    parts.iter().map(|&part| self.condition(part, variable, value)).collect::<Result<_, _>>()?;
                self.all(parts)?
            }
            Formula::Any(parts) => {
                let parts: Vec<_> =
                    parts.iter().map(|&part| self.condition(part, variable, value)).collect::<Result<_, _>>()?;
                self.any(parts)?
            }
        };
        self.conditioned.insert((id, variable, value), left);
        Ok(left)
    }

    /// The decomposable forms of some formulas; parts are after those they refer to.
    pub fn compile(mut self, roots: &[FormulaId], most: usize) -> Result<Compiled, TooHard> {
        let mut parts: Vec<Part> = Vec::new();
        let mut promises: Vec<(u32, Variable, Vec<Implicant>)> = Vec::new();
        let mut made: FxHashMap<FormulaId, u32> = FxHashMap::default();
        let mut steps: FxHashMap<FormulaId, Step> = FxHashMap::default();
        let mut open: Vec<FormulaId> = roots.to_vec();
        while let Some(&id) = open.last() {
            if made.contains_key(&id) {
                open.pop();
                continue;
            }
            let Some(step) = steps.get(&id) else {
                let step = self.expand(id)?;
                if let Step::Part(part) = &step {
                    open.extend(part.inner());
                }
                steps.insert(id, step);
                continue;
            };
            let place = |formula: &FormulaId| made[formula];
            let at = parts.len() as u32;
            parts.push(match step {
                Step::Part(Part::Literal(variable, values)) => Part::Literal(*variable, values.clone()),
                Step::Part(Part::All(inner)) => Part::All(inner.iter().map(place).collect()),
                Step::Part(Part::Any(inner)) => Part::Any(inner.iter().map(place).collect()),
                Step::Promises(variable, implicants) => {
                    promises.push((at, *variable, implicants.clone()));
                    Part::Literal(*variable, Values::default()) // its values are known in the end
                }
            });
            made.insert(id, at);
            open.pop();
            if parts.len() > most {
                return Err(TooHard);
            }
        }
        let ways = values_of_promises(&mut parts, &promises);
        Ok((parts.into(), roots.iter().map(|root| made[root]).collect(), ways))
    }

    /// One step towards the decomposable form.
    fn expand(&mut self, id: FormulaId) -> Result<Step, TooHard> {
        match self.formulas[id as usize].clone() {
            Formula::Literal(variable, values) => Ok(Step::Part(Part::Literal(variable, values))),
            Formula::Promise(variable, _) => Ok(Step::Promises(variable, self.implicants(id)?)),
            Formula::Any(inner) => Ok(Step::Part(Part::Any(inner))),
            Formula::All(inner) => {
                let components = self.components(&inner)?;
                if components.len() != 1 {
                    return Ok(Step::Part(Part::All(components.into())));
                }
                let mentioned = self.mentions[id as usize].clone();
                let known: Vec<Variable> =
                    mentioned.iter().filter(|&variable| self.domains[variable as usize] > 0).collect();
                match (&known[..], mentioned.len()) {
                    ([], 1) => {
                        let variable = mentioned.iter().next().unwrap_or(0);
                        Ok(Step::Promises(variable, self.implicants(id)?))
                    }
                    ([], _) => self.distribute(&inner),
                    _ => self.split(id, &inner),
                }
            }
        }
    }

    /// A conjunction whose parts share only variables of promises: one of its disjunctions, each part of it with all the
    /// others.
    fn distribute(&mut self, parts: &[FormulaId]) -> Result<Step, TooHard> {
        let options = |part: &FormulaId| match &self.formulas[*part as usize] {
            Formula::Any(inner) => Some(inner.len()),
            _ => None,
        };
        let least = parts.iter().filter_map(|part| Some((options(part)?, *part))).min();
        let Some((_, chosen)) = least else { return Err(TooHard) };
        let Formula::Any(options) = self.formulas[chosen as usize].clone() else { return Err(TooHard) };
        let mut inner = Vec::with_capacity(options.len());
        for &option in &options {
            let others = parts.iter().copied().filter(|&part| part != chosen);
            inner.push(self.all(others.chain([option]))?);
        }
        Ok(Step::Part(Part::Any(inner.into())))
    }

    /// The smallest ways to make a formula over the promises of one variable true.
    fn implicants(&mut self, id: FormulaId) -> Result<Vec<Implicant>, TooHard> {
        let mut found = match self.formulas[id as usize].clone() {
            Formula::Literal(..) => return Err(TooHard),
            Formula::Promise(_, Promise::Absent) => vec![None],
            Formula::Promise(_, Promise::Came) => vec![Some(Values::default())],
            Formula::Promise(_, Promise::Meets(condition)) => vec![Some([condition].into_iter().collect())],
            Formula::Any(inner) => {
                let mut all = Vec::new();
                for &part in &inner {
                    all.extend(self.implicants(part)?);
                }
                all
            }
            Formula::All(inner) => {
                let mut all = vec![None, Some(Values::default())];
                for &part in &inner {
                    let more = self.implicants(part)?;
                    self.spend(all.len() * more.len())?;
                    all = all.iter().flat_map(|a| more.iter().filter_map(|b| both(a, b))).collect();
                    all = smallest(&all);
                }
                all
            }
        };
        self.spend(found.len() * found.len())?;
        found = smallest(&found);
        Ok(found)
    }

    /// The parts of a conjunction, those that share variables put together again.
    fn components(&mut self, parts: &[FormulaId]) -> Result<Vec<FormulaId>, TooHard> {
        let mut groups: Vec<(Values, Vec<FormulaId>)> = Vec::new();
        for &part in parts {
            let mut mentions = self.mentions[part as usize].clone();
            let mut together = vec![part];
            self.spend(groups.len())?;
            groups.retain_mut(|(others, inner)| {
                let apart = !others.meets(&mentions);
                if !apart {
                    mentions.extend(others);
                    together.append(inner);
                }
                apart
            });
            groups.push((mentions, together));
        }
        groups.into_iter().map(|(_, together)| self.all(together)).collect()
    }

    /// A conjunction whose parts share variables, split by the values of one of them.
    fn split(&mut self, id: FormulaId, parts: &[FormulaId]) -> Result<Step, TooHard> {
        let variable = self.most_mentioned(parts)?;
        let mut cases: Vec<(FormulaId, Values)> = Vec::new();
        let mut places: FxHashMap<FormulaId, usize> = FxHashMap::default();
        for value in 0..self.domains[variable as usize] {
            self.spend(1)?;
            let left = self.condition(id, variable, value)?;
            if left != FALSE {
                let place = *places.entry(left).or_insert_with(|| {
                    cases.push((left, Values::default()));
                    cases.len() - 1
                });
                cases[place].1.insert(value);
            }
        }
        let mut inner = Vec::with_capacity(cases.len());
        for (left, values) in cases {
            let literal = self.literal(variable, values);
            inner.push(self.all([literal, left])?);
        }
        Ok(Step::Part(Part::Any(inner.into())))
    }

    /// The variable with known values that most of some formulas mention; of several, the first one.
    fn most_mentioned(&mut self, parts: &[FormulaId]) -> Result<Variable, TooHard> {
        let mut counts = vec![0_u32; self.domains.len()];
        for &part in parts {
            let known = self.mentions[part as usize].iter().filter(|&variable| self.domains[variable as usize] > 0);
            known.for_each(|variable| counts[variable as usize] += 1);
        }
        self.spend(parts.len() + counts.len())?;
        let most = counts.iter().copied().max().unwrap_or(0);
        Ok(counts.iter().position(|&count| count == most).unwrap_or(0) as Variable)
    }
}

/// What makes two formulas over promises true.
fn both(a: &Implicant, b: &Implicant) -> Option<Implicant> {
    match (a, b) {
        (None, None) => Some(None),
        (Some(a), Some(b)) => {
            let mut all = a.clone();
            all.extend(b);
            Some(Some(all))
        }
        _ => None,
    }
}

/// The ways that no other way is a part of, each once.
fn smallest(all: &[Implicant]) -> Vec<Implicant> {
    let mut left: Vec<Implicant> = Vec::new();
    let mut sorted: Vec<&Implicant> = all.iter().collect();
    sorted.sort_by_key(|way| way.as_ref().map_or(0, Values::len));
    for way in sorted {
        count(left.len() / COMPARED + 1);
        if !left.iter().any(|other| is_part(other, way)) {
            left.push(way.clone());
        }
    }
    left
}

fn is_part(a: &Implicant, b: &Implicant) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.is_within(b),
        _ => false,
    }
}

/// The sets of promises that become values, with those of each part.
fn values_of_promises(
    parts: &mut [Part],
    promises: &[(u32, Variable, Vec<Implicant>)],
) -> FxHashMap<Variable, Vec<Values>> {
    let mut ways: FxHashMap<Variable, Vec<Values>> = FxHashMap::default();
    for (_, variable, implicants) in promises {
        let of_variable = ways.entry(*variable).or_insert_with(|| vec![Values::default()]);
        for way in implicants.iter().flatten() {
            if !of_variable.contains(way) {
                of_variable.push(way.clone());
            }
        }
    }
    for (at, variable, implicants) in promises {
        let of_variable = ways[variable].iter().map(|way| Some(way.clone()));
        let values = std::iter::once(None).chain(of_variable);
        let allowed = (0..).zip(values).filter(|(_, value)| implicants.iter().any(|one| is_part(one, value)));
        parts[*at as usize] = Part::Literal(*variable, allowed.map(|(value, _)| value).collect());
    }
    ways
}
