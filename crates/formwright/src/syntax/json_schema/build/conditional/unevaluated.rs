//! Conditions on unevaluated members, said of each member by itself.
//!
//! ```text
//! anyOf A, B; unevaluatedProperties false     a: absent, or A holds, which evaluates a     b: absent, or B holds
//! ```
//!
//! A member is evaluated where a formula holds that says so; below a negation, nothing is. Cost: a pass over the formula for
//! each member.

use rustc_hash::FxHashMap;

use super::super::GraphBuilder;
use super::super::declared::Declared;
use super::subjects::Kind;
use crate::syntax::json_schema::sets::{Condition, FALSE, Formula, FormulaId, NameSet, TRUE};

impl<'d> GraphBuilder<'_, 'd> {
    /// The formula in which every condition about unevaluated members is said of each member. `made` keeps what was made
    /// of the formulas so far: formulas share parts, and each is rewritten once.
    pub(super) fn without_unevaluated(
        &mut self,
        formula: FormulaId,
        names: &Declared<'d>,
        kinds: &[Kind<'_>],
        made: &mut FxHashMap<FormulaId, FormulaId>,
    ) -> FormulaId {
        if let Some(&known) = made.get(&formula) {
            return known;
        }
        let mut each = |builder: &mut Self, parts: &[FormulaId]| -> Vec<FormulaId> {
            parts.iter().map(|&part| builder.without_unevaluated(part, names, kinds, made)).collect()
        };
        let rewritten = match self.reader.formulas.get(formula).clone() {
            Formula::All(parts) => {
                let parts = each(self, &parts);
                self.reader.formulas.conjunction(parts)
            }
            Formula::Any(parts) => {
                let parts = each(self, &parts);
                self.reader.formulas.disjunction(parts)
            }
            Formula::EachUnevaluated(of, condition) => {
                let of = self.without_unevaluated(of, names, kinds, made);
                let parts = self.each_unevaluated(of, condition, names, kinds);
                self.reader.formulas.conjunction(parts)
            }
            Formula::SomeUnevaluated(of, condition) => {
                let negated = self.reader.negate(condition);
                let each = self.reader.formulas.unit(Formula::EachUnevaluated(of, negated));
                let each = self.without_unevaluated(each, names, kinds, made);
                self.complement_of_formula(each)
            }
            _ => formula,
        };
        made.insert(formula, rewritten);
        rewritten
    }

    fn complement_of_formula(&mut self, formula: FormulaId) -> FormulaId {
        let mut formulas = std::mem::take(&mut self.reader.formulas);
        let complement = formulas.complement(formula, &mut |condition| self.reader.negate(condition));
        self.reader.formulas = formulas;
        complement
    }

    /// For each member: it meets the condition, or something that holds evaluates it. The formulas themselves evaluate
    /// nothing: below two negations they still say what must hold, and no more.
    fn each_unevaluated(
        &mut self,
        of: FormulaId,
        condition: Condition<'d>,
        names: &Declared<'d>,
        kinds: &[Kind<'_>],
    ) -> Vec<FormulaId> {
        let mut all = Vec::with_capacity(names.len() + kinds.len());
        for name in names.iter() {
            let mut known = FxHashMap::default();
            let evaluated = self.evaluating(of, &mut |builder, names| builder.reader.in_names(names, name), &mut known);
            let evaluated = self.reader.formulas.without_evaluations(evaluated);
            let own = self.reader.formulas.unit(Formula::Each(NameSet::One(name), condition));
            all.push(self.reader.formulas.disjunction([own, evaluated]));
        }
        for (at, (overlap, _)) in (names.len()..).zip(kinds) {
            let mut known = FxHashMap::default();
            let evaluated = self.evaluating(of, &mut |_, names| overlap.is_in(names), &mut known);
            let evaluated = self.reader.formulas.without_evaluations(evaluated);
            let own = self.reader.formulas.unit(Formula::Each(NameSet::Kind(at), condition));
            all.push(self.reader.formulas.disjunction([own, evaluated]));
        }
        all
    }

    /// What must hold so that a formula evaluates a member.
    fn evaluating(
        &mut self,
        of: FormulaId,
        is_in: &mut impl FnMut(&mut Self, &NameSet<'d>) -> bool,
        known: &mut FxHashMap<FormulaId, FormulaId>,
    ) -> FormulaId {
        if let Some(&known) = known.get(&of) {
            return known;
        }
        let evaluating = match self.reader.formulas.get(of).clone() {
            Formula::Evaluates(names) if is_in(self, &names) => TRUE,
            Formula::All(parts) => {
                let some: Vec<_> = parts.iter().map(|&part| self.evaluating(part, is_in, known)).collect();
                let some = self.reader.formulas.disjunction(some);
                self.reader.formulas.conjunction([of, some])
            }
            Formula::Any(parts) => {
                let some: Vec<_> = parts.iter().map(|&part| self.evaluating(part, is_in, known)).collect();
                self.reader.formulas.disjunction(some)
            }
            _ => FALSE,
        };
        known.insert(of, evaluating);
        evaluating
    }
}
