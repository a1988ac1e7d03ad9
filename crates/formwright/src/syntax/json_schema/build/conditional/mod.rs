//! Objects whose members are subject to conditions taken together, given as a formula.
//!
//! ```text
//! (kind≠"a" ∨ has x) ∧ (kind≠"b" ∨ has y)     kind: absent, "a", "b", another     x: absent, came     y: absent, came
//! ```
//!
//! The values of each member that the formula mentions are split into classes by the conditions that it makes about them,
//! so that a class tells which of these its values are sure to meet. The formula is then one over members and their
//! classes ([`Conditions`]). Only promises count, never their absence, so classes may overlap.
//!
//! Cost: as many classes as conditions tell apart, and the work of compiling the formula, which is bounded.

mod classes;
mod subjects;
mod translation;
mod unevaluated;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::GraphBuilder;
use super::declared::Declared;
use super::objects::{declared_names, finite_names};
use super::strings::escaped;
use super::undeclared::NamePatterns;
use crate::error::Result;
use crate::language::{
    Conditions, Leaf, Member, Node, NodeId, Object, UNBOUNDED, UndeclaredKind, UndeclaredKinds, Values, link_required,
};
use crate::regular::{Encoding, Escapes};
use crate::syntax::json_schema::Order;
use crate::syntax::json_schema::sets::{
    Condition, Formula, FormulaId, NEVER, NameSet, ObjectSet, Rule, Union, conjoin_in,
};
use subjects::{Kind, Subject};

impl<'d> GraphBuilder<'_, 'd> {
    /// The objects in a union that meet a formula.
    pub(in crate::syntax::json_schema::build) fn conditional_object(
        &mut self,
        union: &Union<ObjectSet<'d>>,
        formula: FormulaId,
        whole: Condition<'d>,
    ) -> Result<Node> {
        let (base, formula) = self.base_and_rest(union, formula);
        let mentions = self.mentions(&base, formula);
        let patterns = NamePatterns::new(&mentions, |tree| self.reader.is_never(tree));
        let mut names = declared_names(&mentions);
        let finite = finite_names(&base);
        finite.iter().flatten().zip(0..).for_each(|(name, at)| names.add(name, at));
        let overlaps = finite.is_none().then(|| self.overlaps(&patterns, whole)).transpose()?;
        let mut kinds: Vec<Kind<'_>> = Vec::new();
        for overlap in overlaps.into_iter().flatten() {
            let tree = self.names_of_kind(&base, whole, overlap);
            if self.reader.is_never(&tree) {
                continue;
            }
            match self.few_names(&tree) {
                Some(few) => few.into_iter().for_each(|name| names.add(name, 0)),
                None => kinds.push((overlap, tree)),
            }
        }
        let formula = self.without_unevaluated(formula, &names, &kinds, &mut FxHashMap::default());
        let mut subjects = self.subjects(&base, &names, kinds);
        self.ask_subjects(&mut subjects, formula);
        for subject in &mut subjects {
            self.classify(subject, whole)?;
        }
        let Some(conditions) = self.compile_conditions(&base, formula, &mut subjects, whole)? else {
            return Ok(Node::Never);
        };
        Ok(self.object_of(&base, &names, &subjects, conditions))
    }

    /// What all objects meet as one set, and the rest of the formula.
    fn base_and_rest(&mut self, union: &Union<ObjectSet<'d>>, formula: FormulaId) -> (ObjectSet<'d>, FormulaId) {
        let formulas = &mut self.reader.formulas;
        let (mut base, mut rest) = (ObjectSet::any(), Vec::new());
        let whole = if let [only] = &union[..] {
            base = (**only).clone();
            for some in std::mem::take(&mut base.existentials) {
                rest.push(formulas.unit(Formula::Some(some.names, some.condition)));
            }
            for (a, b) in std::mem::take(&mut base.implied) {
                let either = [formulas.unit(Formula::Lacks(a)), formulas.unit(Formula::Has(b))];
                rest.push(formulas.disjunction(either));
            }
            formula
        } else {
            formulas.of_union(union, formula)
        };
        let whole = formulas.conjunction([whole]);
        let parts = match formulas.get(whole).clone() {
            Formula::All(parts) => parts,
            _ => [whole].into(),
        };
        for part in parts {
            match formulas.get(part).clone() {
                Formula::Has(name) if !base.requires(name) => base.required.push(name),
                Formula::Has(_) | Formula::Evaluates(_) => {}
                Formula::Lacks(name) => base.rules.push(Rule { names: NameSet::One(name), condition: NEVER }),
                Formula::Each(names, condition) => base.rules.push(Rule { names, condition }),
                Formula::AtLeast(low) => base.low = base.low.max(low),
                Formula::AtMost(high) => base.high = base.high.min(high),
                _ => rest.push(part),
            }
        }
        (base, formulas.conjunction(rest))
    }

    /// An object set that has a rule for every set of names that is mentioned somewhere.
    fn mentions(&self, base: &ObjectSet<'d>, formula: FormulaId) -> ObjectSet<'d> {
        let mut all = base.clone();
        self.each_formula(formula, |formula| {
            let names = match formula {
                Formula::Has(name) | Formula::Lacks(name) => NameSet::One(name),
                Formula::Each(names, _) | Formula::Some(names, _) | Formula::Evaluates(names) => names.clone(),
                _ => return,
            };
            all.rules.push(Rule { names, condition: Condition::default() });
        });
        all
    }

    /// Visits a formula and all formulas in it, each once, in order.
    fn each_formula(&self, formula: FormulaId, mut visit: impl FnMut(&Formula<'d>)) {
        let mut met = Values::default();
        let mut open = vec![formula];
        while let Some(id) = open.pop() {
            if met.contains(id) {
                continue;
            }
            met.insert(id);
            let formula = self.reader.formulas.get(id);
            visit(formula);
            match formula {
                Formula::All(parts) | Formula::Any(parts) => open.extend(parts.iter().rev()),
                Formula::EachUnevaluated(of, _) | Formula::SomeUnevaluated(of, _) => open.push(*of),
                _ => {}
            }
        }
    }

    /// The members that conditions can be about.
    fn subjects<'p>(
        &mut self,
        base: &ObjectSet<'d>,
        names: &Declared<'d>,
        kinds: Vec<Kind<'p>>,
    ) -> Vec<Subject<'d, 'p>> {
        let conditions = self.conditions(base, names);
        let mut subjects: Vec<Subject<'d, 'p>> = Vec::with_capacity(names.len() + kinds.len());
        for (name, &condition) in names.iter().zip(&conditions) {
            let base = if self.reader.allows_name(base, name) { condition } else { NEVER };
            subjects.push(Subject::new(Some(name), None, base));
        }
        for kind in kinds {
            let rules = base.rules.iter().filter(|rule| kind.0.is_in(&rule.names));
            let arena = self.reader.arena;
            let base = rules.fold(Condition::default(), |all, rule| conjoin_in(arena, all, rule.condition));
            subjects.push(Subject::new(None, Some(kind), base));
        }
        subjects
    }

    /// Whether the names of a subject are in a set.
    fn is_in(&mut self, (at, subject): (usize, &Subject<'d, '_>), names: &NameSet<'d>) -> bool {
        match (names, subject.name, &subject.kind) {
            (NameSet::Kind(kind), ..) => *kind == at,
            (_, Some(name), _) => self.reader.in_names(names, name),
            (_, None, Some((overlap, _))) => overlap.is_in(names),
            (_, None, None) => false,
        }
    }

    /// Collects the conditions that a formula makes about the values of each subject.
    fn ask_subjects(&mut self, subjects: &mut [Subject<'d, '_>], formula: FormulaId) {
        let mut asked: Vec<(NameSet<'d>, Condition<'d>, bool)> = Vec::new();
        self.each_formula(formula, |formula| match formula {
            Formula::Each(names, condition) => asked.push((names.clone(), condition, true)),
            Formula::Some(names, condition) => asked.push((names.clone(), condition, false)),
            _ => {}
        });
        for (names, condition, of_each) in &asked {
            for (at, subject) in subjects.iter_mut().enumerate() {
                if self.is_in((at, subject), names) {
                    subject.ask(condition, *of_each);
                }
            }
        }
    }

    /// The node of an object with conditions.
    fn object_of(
        &mut self,
        base: &ObjectSet<'d>,
        names: &Declared<'d>,
        subjects: &[Subject<'d, '_>],
        conditions: Conditions,
    ) -> Node {
        let arena = self.reader.arena;
        let texts: Vec<(&[u8], u32)> = names.iter().map(|name| escaped(arena, name)).zip(0..).collect();
        let (mut members, mut undeclared) = (Vec::with_capacity(names.len()), UndeclaredKinds::new());
        for (at, subject) in (0..).zip(subjects) {
            let mut values: Vec<NodeId> = Vec::with_capacity(subject.classes.len());
            if conditions.mention(at) {
                values.extend(subject.classes.iter().map(|(condition, _)| self.node(condition)));
            } else {
                values.push(self.node(subject.base));
            }
            let (value, witnesses) = (values[0], values.iter().copied().zip(0..).skip(1).collect());
            if let Some((_, tree)) = &subject.kind {
                let name = self.graph.leaf(Leaf { tree: tree.clone(), encoding: Encoding::Json(Escapes::Unique) });
                undeclared.push(UndeclaredKind { name, most: UNBOUNDED, value, witnesses });
            } else {
                let name_bytes = texts[members.len()].0.len() as u32 + 2;
                let required = base.requires(subject.name.unwrap_or_default());
                members.push(Member { name_bytes, value, next_required: 0, required, possible: true, witnesses });
            }
        }
        link_required(&mut members);
        Node::Object(Arc::new(Object {
            names: self.graph.text_set(&texts),
            low: 0,
            high: UNBOUNDED,
            any_order: self.options.order == Order::Model,
            existentials: 0,
            conditions: Some(Arc::new(conditions)),
            implied: Vec::new(),
            layout: self.layout,
            members,
            undeclared,
            separator: None,
            tails: 0,
        }))
    }
}
