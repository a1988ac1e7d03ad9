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

use rustc_hash::FxHashMap;

use super::{Part, Values};

/// Index of a formula of a [`FormulaBuilder`].
pub type FormulaId = u32;

/// Index of a variable.
pub type Variable = u32;

/// The formula that always holds.
pub const TRUE: FormulaId = 0;

/// The formula that never does.
pub const FALSE: FormulaId = 1;

/// The formula takes more work than allowed.
#[derive(Clone, Copy, Debug)]
pub struct TooHard;

/// A formula over variables with finitely many values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Formula {
    /// The variable has one of these values.
    Literal(Variable, Values),
    All(Box<[FormulaId]>),
    Any(Box<[FormulaId]>),
}

/// Formulas, each once.
#[derive(Debug)]
pub struct FormulaBuilder {
    formulas: Vec<Formula>,
    ids: FxHashMap<Formula, FormulaId>,
    /// By formula: the variables it mentions.
    mentions: Vec<Values>,
    /// By variable: how many values it has.
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
            Formula::Literal(variable, _) => mentions.insert(*variable),
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

    /// The formula together with "it came" for each mentioned variable that is required; value 0 is "absent".
    pub fn with_required(&mut self, id: FormulaId, is_required: impl Fn(Variable) -> bool) -> Result<FormulaId, TooHard> {
        let mut parts = vec![id];
        let mentioned = self.mentions[id as usize].clone();
        for variable in mentioned.iter().filter(|&variable| is_required(variable)) {
            let came = (1..self.domains[variable as usize]).collect();
            parts.push(self.literal(variable, came));
        }
        self.all(parts)
    }

    /// The variables that some formulas mention.
    pub fn mentioned(&self, formulas: &[FormulaId]) -> Values {
        let mut all = Values::default();
        formulas.iter().for_each(|&formula| all.extend(&self.mentions[formula as usize]));
        all
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooHard> {
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

    /// The decomposable forms of some formulas: parts after those they refer to, and the part of each formula.
    pub fn compile(mut self, roots: &[FormulaId], most: usize) -> Result<(Box<[Part]>, Vec<u32>), TooHard> {
        let mut parts: Vec<Part> = Vec::new();
        let mut made: FxHashMap<FormulaId, u32> = FxHashMap::default();
        let mut expanded: FxHashMap<FormulaId, Part> = FxHashMap::default();
        let mut open: Vec<FormulaId> = roots.to_vec();
        while let Some(&id) = open.last() {
            if made.contains_key(&id) {
                open.pop();
                continue;
            }
            let Some(part) = expanded.get(&id) else {
                let part = self.expand(id)?;
                open.extend(part.inner());
                expanded.insert(id, part);
                continue;
            };
            let place = |formula: &FormulaId| made[formula];
            let part = match part {
                Part::Literal(variable, values) => Part::Literal(*variable, values.clone()),
                Part::All(inner) => Part::All(inner.iter().map(place).collect()),
                Part::Any(inner) => Part::Any(inner.iter().map(place).collect()),
            };
            made.insert(id, parts.len() as u32);
            parts.push(part);
            open.pop();
            if parts.len() > most {
                return Err(TooHard);
            }
        }
        let roots = roots.iter().map(|root| made[root]).collect();
        Ok((parts.into(), roots))
    }

    /// One step towards the decomposable form: a part whose inner parts are formulas still.
    fn expand(&mut self, id: FormulaId) -> Result<Part, TooHard> {
        match self.formulas[id as usize].clone() {
            Formula::Literal(variable, values) => Ok(Part::Literal(variable, values)),
            Formula::Any(inner) => Ok(Part::Any(inner)),
            Formula::All(inner) => {
                let components = self.components(&inner)?;
                if components.len() != 1 {
                    return Ok(Part::All(components.into()));
                }
                self.split(id, &inner)
            }
        }
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
    fn split(&mut self, id: FormulaId, parts: &[FormulaId]) -> Result<Part, TooHard> {
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
        Ok(Part::Any(inner.into()))
    }

    /// The variable that most of some formulas mention; of several, the first one.
    fn most_mentioned(&mut self, parts: &[FormulaId]) -> Result<Variable, TooHard> {
        let mut counts = vec![0_u32; self.domains.len()];
        for &part in parts {
            self.mentions[part as usize].iter().for_each(|variable| counts[variable as usize] += 1);
        }
        self.spend(parts.len() + counts.len())?;
        let most = counts.iter().copied().max().unwrap_or(0);
        Ok(counts.iter().position(|&count| count == most).unwrap_or(0) as Variable)
    }
}
