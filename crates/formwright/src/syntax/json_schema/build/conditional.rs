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

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use super::GraphBuilder;
use super::declared::Declared;
use super::objects::{MOST_NAMES, declared_names, finite_names};
use super::strings::escaped;
use super::undeclared::{NamePatterns, Overlap};
use crate::error::{Error, Result};
use crate::language::{
    Case, Conditions, EVERY_OBJECT, FormulaBuilder, FormulaId as Compiled, Leaf, Member, NO_OBJECT, Node, NodeId, Object, Promise,
    TooHard, UNBOUNDED, UndeclaredKind, UndeclaredKinds, Values, link_required,
};
use crate::regular::{Encoding, Escapes, Regular};
use crate::syntax::json_schema::Order;
use crate::syntax::json_schema::read::PROBE;
use crate::syntax::json_schema::sets::{
    Condition, FALSE, Formula, FormulaId, NEVER, NameSet, ObjectSet, Rule, TRUE, Union, ValueSet, conjoin_in,
    is_never,
};

/// Classes that are all told apart beforehand.
const FEW_CLASSES: usize = 64;

/// Conditions on one value whose classes are always told apart beforehand: two and their complements.
const FEW_CONDITIONS: usize = 4;

/// Most classes of the values of one member. Tags have one for each of their values.
const MOST_CLASSES: usize = 1 << 10;

/// Most facts about the undeclared members of one kind.
const MOST_FACTS: usize = 8;

/// What the values of a class are sure to meet, by condition.
type Class<'d> = (Condition<'d>, Values);

/// The undeclared members of one kind: where their names are among the patterns, and the language of these.
type Kind<'p> = (Overlap<'p>, Regular);

/// A member that the formula speaks of: a declared one, or the undeclared ones of a kind.
struct Subject<'d, 'p> {
    /// What it is called, if it is declared.
    name: Option<&'d str>,
    /// Of which kind it is, if it is not declared.
    kind: Option<Kind<'p>>,
    /// What its values must meet in any case.
    base: Condition<'d>,
    /// The conditions that the formula makes about its values.
    asked: Vec<Condition<'d>>,
    /// Of undeclared members: what some of them can make true, as far as the formula asks.
    facts: Vec<Fact<'d>>,
    /// Classes of its values.
    classes: Vec<Class<'d>>,
    /// Whether classes are found by compiling the formula, because the conditions tell too many apart.
    promises: bool,
}

/// Something that an undeclared member can make true.
#[derive(Clone, Copy, PartialEq)]
enum Fact<'d> {
    /// It meets a condition.
    Meets(Condition<'d>),
    /// It does not promise to.
    MayFail(Condition<'d>),
}

impl<'d, 'p> Subject<'d, 'p> {
    fn new(name: Option<&'d str>, kind: Option<Kind<'p>>, base: Condition<'d>) -> Self {
        Self { name, kind, base, asked: Vec::new(), facts: Vec::new(), classes: Vec::new(), promises: false }
    }

    /// Notes that the formula asks whether every member, or some member, meets a condition.
    fn ask(&mut self, condition: Condition<'d>, of_each: bool) {
        let decides = !condition.is_empty() && !is_never(condition);
        if decides && !self.asked.contains(&condition) {
            self.asked.push(condition);
        }
        let fact = fact(condition, of_each);
        if self.kind.is_some() && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    /// The facts that a member of some class makes true, a bit each.
    fn facts_of(&self, class: &Class<'d>) -> u16 {
        let meets = |condition: &Condition<'d>| {
            let at = self.asked.iter().position(|other| other == condition);
            condition.is_empty() || at.is_some_and(|at| class.1.contains(at as u32))
        };
        let is_true = |fact: &Fact<'d>| match fact {
            Fact::Meets(condition) => meets(condition),
            Fact::MayFail(condition) => !meets(condition),
        };
        (0..).zip(&self.facts).map(|(bit, fact)| u16::from(is_true(fact)) << bit).sum()
    }

    /// How many values its variable has.
    fn domain(&self) -> u32 {
        match self.kind {
            Some(_) => 1 << self.facts.len(),
            None if self.promises => 0,
            None => self.classes.len() as u32 + 1,
        }
    }

    /// The values of its variable with which every member, or some member, meets a condition.
    fn values(&self, condition: Condition<'d>, of_each: bool) -> Values {
        if self.kind.is_some() {
            let wanted = fact(condition, of_each);
            let bit = self.facts.iter().position(|fact| *fact == wanted).unwrap_or(0);
            return (0..self.domain()).filter(|value| (value >> bit & 1 == 1) != of_each).collect();
        }
        let absent = of_each.then_some(0);
        let promising = self.promising(condition).map(|class| class + 1);
        absent.into_iter().chain(promising.filter(|_| !is_never(condition))).collect()
    }

    /// The classes that are sure to meet a condition.
    fn promising(&self, condition: Condition<'d>) -> impl Iterator<Item = u32> {
        let at = self.asked.iter().position(|other| *other == condition).map(|at| at as u32);
        let promises = move |(_, met): &Class<'d>| condition.is_empty() || at.is_some_and(|at| met.contains(at));
        (0..).zip(&self.classes).filter(move |(_, class)| promises(class)).map(|(index, _)| index)
    }
}

impl<'d> GraphBuilder<'_, 'd> {
    /// The objects in a union that meet a formula.
    pub(super) fn conditional_object(
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
        let mut kinds: Vec<Kind<'_>> = Vec::new();
        for overlap in self.overlaps(&patterns, whole)?.filter(|_| finite.is_none()) {
            let tree = self.names_of_kind(&base, whole, overlap);
            if self.reader.is_never(&tree) {
                continue;
            }
            match if tree.is_plainly_infinite() { None } else { self.reader.texts(&tree, MOST_NAMES) } {
                Some(few) => few.into_iter().for_each(|name| names.add(name, 0)),
                None => kinds.push((overlap, tree)),
            }
        }
        let formula = self.without_unevaluated(formula, &names, &kinds);
        let mut subjects = self.subjects(&base, &names, kinds);
        self.ask(&mut subjects, formula);
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
    fn ask(&mut self, subjects: &mut [Subject<'d, '_>], formula: FormulaId) {
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

    /// Splits the values of a subject into classes.
    fn classify(&mut self, subject: &mut Subject<'d, '_>, whole: Condition<'d>) -> Result<()> {
        let asked = subject.asked.clone();
        if subject.name.is_some() && asked.len() > FEW_CONDITIONS && !asked.iter().all(|condition| self.is_scalar(condition)) {
            // Complements of containers are large: only those sets of conditions are made that the formula asks for.
            subject.promises = true;
            return Ok(());
        }
        let complements: Vec<Option<usize>> = (0..asked.len()).map(|at| self.complement_of(&asked, at)).collect();
        let (mut classes, done) = self.classes_by_text(subject.base, &asked, &complements);
        for (at, complement) in complements.iter().enumerate() {
            if complement.is_some_and(|other| other < at) || done.contains(at as u32) {
                continue;
            }
            let mut split: Vec<Class<'d>> = Vec::with_capacity(classes.len() + 1);
            for class in classes {
                self.split_class(&asked, (at, *complement), class, &mut split);
            }
            classes = split;
            if classes.len() > FEW_CLASSES && subject.name.is_some() && classes.len() > 2 * asked.len() {
                subject.promises = true;
                return Ok(());
            }
            self.bound_classes(subject.name, classes.len(), whole)?;
        }
        subject.classes = classes;
        Ok(())
    }

    /// Whether no value that meets a condition is an object or an array.
    fn is_scalar(&mut self, condition: Condition<'d>) -> bool {
        let scalar = |set: &Rc<ValueSet<'_>>| set.objects.is_empty() && set.arrays.is_empty();
        let negated = self.reader.negate(condition);
        self.reader.values(condition).is_ok_and(|set| scalar(&set))
            || self.reader.values(negated).is_ok_and(|set| scalar(&set))
    }

    fn bound_classes(&self, name: Option<&str>, classes: usize, whole: Condition<'d>) -> Result<()> {
        if classes <= MOST_CLASSES {
            return Ok(());
        }
        let (name, pointer) = (name.unwrap_or("undeclared members"), self.reader.pointer_of(whole));
        Err(Error::limit("conditions", classes, MOST_CLASSES)
            .hint(format!("make fewer conditions about the values of {name:?} at {pointer:?}")))
    }

    /// One class for each set of conditions that ask for a few texts and that share some, one for all other values, and
    /// the conditions that are decided by that. Tags of many values are told apart in one step.
    fn classes_by_text(
        &mut self,
        base: Condition<'d>,
        asked: &[Condition<'d>],
        complements: &[Option<usize>],
    ) -> (Vec<Class<'d>>, Values) {
        let (mut by_text, mut finite, mut done): (IndexMap<&'d str, Values>, Values, Values) = Default::default();
        for (at, condition) in asked.iter().enumerate() {
            let Some(set) = self.reader.only_texts(condition) else { continue };
            finite.insert(at as u32);
            done.extend(&complements[at].map(|other| other as u32).into_iter().chain([at as u32]).collect());
            for text in set.strings.listed() {
                by_text.entry(text).or_default().insert(at as u32);
            }
        }
        let mut signatures: IndexSet<Values> = by_text.into_values().collect();
        signatures.sort_by_key(Values::len);
        let several: Vec<Values> = signatures.iter().filter(|met| met.len() > 1).cloned().collect();
        let (arena, mut classes, mut others) = (self.reader.arena, Vec::new(), base);
        let mut missed = Values::default();
        for at in finite.iter() {
            if let Some(other) = complements[at as usize] {
                others = conjoin_in(arena, others, asked[other]);
                missed.insert(other as u32);
            }
        }
        for met in signatures {
            let values = met.iter().fold(base, |all, at| conjoin_in(arena, all, asked[at as usize]));
            // Texts of these conditions that meet more of them are in this class too.
            let within = |at: u32| several.iter().any(|more| more.contains(at) && met.iter().all(|at| more.contains(at)));
            let apart = finite.iter().filter(|&at| !met.contains(at) && !within(at));
            let promised = apart.filter_map(|at| complements[at as usize]).map(|other| other as u32);
            let promised: Values = promised.chain(met.iter()).collect();
            classes.push((values, promised));
        }
        classes.push((others, missed));
        (classes, done)
    }

    /// Of some conditions, the one that is exactly the complement of another, if there is one.
    fn complement_of(&mut self, all: &[Condition<'d>], at: usize) -> Option<usize> {
        let negated = self.reader.negate(all[at]);
        let other = all.iter().position(|other| *other == negated)?;
        let mut is_exact = |at: usize| self.reader.values(all[at]).is_ok_and(|set| !set.is_under_approximation());
        (is_exact(at) && is_exact(other)).then_some(other)
    }

    /// Splits a class by a condition, and by its complement if that is asked about too.
    fn split_class(
        &mut self,
        asked: &[Condition<'d>],
        (at, complement): (usize, Option<usize>),
        (values, met): Class<'d>,
        out: &mut Vec<Class<'d>>,
    ) {
        let arena = self.reader.arena;
        let with = |met: &Values, at: usize| {
            let mut met = met.clone();
            met.insert(at as u32);
            met
        };
        let inside = conjoin_in(arena, values, asked[at]);
        if self.reader.condition_is_empty(inside, PROBE) {
            out.push((values, complement.map_or_else(|| met.clone(), |other| with(&met, other))));
            return;
        }
        let negated = self.reader.negate(asked[at]);
        let outside = conjoin_in(arena, values, negated);
        if inside == values || self.reader.condition_is_empty(outside, PROBE) {
            out.push((values, with(&met, at)));
            return;
        }
        out.push((inside, with(&met, at)));
        out.push(match complement {
            Some(other) => (outside, with(&met, other)),
            None => (values, met),
        });
    }

    /// The formula in which every condition about unevaluated members is said of each member.
    fn without_unevaluated(
        &mut self,
        formula: FormulaId,
        names: &Declared<'d>,
        kinds: &[Kind<'_>],
    ) -> FormulaId {
        let parts = match self.reader.formulas.get(formula).clone() {
            Formula::All(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.without_unevaluated(part, names, kinds)).collect();
                return self.reader.formulas.conjunction(parts);
            }
            Formula::Any(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.without_unevaluated(part, names, kinds)).collect();
                return self.reader.formulas.disjunction(parts);
            }
            Formula::EachUnevaluated(of, condition) => {
                let of = self.without_unevaluated(of, names, kinds);
                self.each_unevaluated(of, condition, names, kinds)
            }
            Formula::SomeUnevaluated(of, condition) => {
                let negated = self.reader.negate(condition);
                let each = self.reader.formulas.unit(Formula::EachUnevaluated(of, negated));
                let each = self.without_unevaluated(each, names, kinds);
                return self.complement_of_formula(each);
            }
            _ => return formula,
        };
        self.reader.formulas.conjunction(parts)
    }

    fn complement_of_formula(&mut self, formula: FormulaId) -> FormulaId {
        let mut formulas = std::mem::take(&mut self.reader.formulas);
        let complement = formulas.complement(formula, &mut |condition| self.reader.negate(condition));
        self.reader.formulas = formulas;
        complement
    }

    /// For each member: it meets the condition, or something that holds evaluates it.
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
            let evaluated =
                self.evaluating(of, &mut |builder, names| builder.reader.in_names(names, name), &mut known);
            let own = self.reader.formulas.unit(Formula::Each(NameSet::One(name), condition));
            all.push(self.reader.formulas.disjunction([own, evaluated]));
        }
        for (at, (overlap, _)) in (names.len()..).zip(kinds) {
            let mut known = FxHashMap::default();
            let evaluated = self.evaluating(of, &mut |_, names| overlap.is_in(names), &mut known);
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
            match &subject.kind {
                Some((_, tree)) => {
                    let name =
                        self.graph.leaf(Leaf { tree: tree.clone(), encoding: Encoding::Json(Escapes::Unique) });
                    undeclared.push(UndeclaredKind { name, most: UNBOUNDED, value, witnesses });
                }
                None => {
                    let name_bytes = texts[members.len()].0.len() as u32 + 2;
                    let required = base.requires(subject.name.unwrap_or_default());
                    members.push(Member { name_bytes, value, next_required: 0, required, possible: true, witnesses });
                }
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
            tails: 0,
        }))
    }

    /// A formula about members as conditions on variables; `None` if no object meets it.
    fn compile_conditions(
        &mut self,
        base: &ObjectSet<'d>,
        formula: FormulaId,
        subjects: &mut [Subject<'d, '_>],
        whole: Condition<'d>,
    ) -> Result<Option<Conditions>> {
        let limits = &self.options.limits;
        if let Some(many) = subjects.iter().map(|subject| subject.facts.len()).find(|&many| many > MOST_FACTS) {
            return Err(self.too_hard(whole, "facts about undeclared members", many, MOST_FACTS));
        }
        let domains = subjects.iter().map(Subject::domain).collect();
        let mut translator = Translator {
            membership: FxHashMap::default(),
            builder: FormulaBuilder::new(domains, limits.condition_steps),
            made: FxHashMap::default(),
        };
        let mut cases = Vec::new();
        for (low, high) in self.counts(base, formula) {
            translator.made.clear();
            let made = self.translate(&mut translator, subjects, formula, (low, high));
            let made = made.and_then(|root| translator.builder.with_required(root, |subject| {
                subjects[subject as usize].name.is_some_and(|name| base.requires(name))
            }));
            let made = made.map_err(|TooHard| self.steps_exceeded(whole))?;
            if made != NO_OBJECT {
                cases.push((low, high, made));
            }
        }
        if cases.is_empty() {
            return Ok(None);
        }
        let roots: Vec<Compiled> = cases.iter().map(|case| case.2).collect();
        let mentioned = translator.builder.mentioned(&roots);
        let compiled = translator.builder.compile(&roots, limits.condition_parts);
        let (parts, roots, mut ways) = compiled.map_err(|TooHard| self.steps_exceeded(whole))?;
        for at in mentioned.iter() {
            if !subjects[at as usize].promises {
                continue;
            }
            // Where compiling found that no promise matters, any value does.
            let ways = ways.remove(&at).unwrap_or_else(|| vec![Values::default()]);
            self.bound_classes(subjects[at as usize].name, ways.len(), whole)?;
            self.classify_by_promises(&mut subjects[at as usize], ways);
        }
        let cases = cases.iter().zip(roots).map(|(&(low, high, _), root)| Case { low, high, root }).collect();
        let facts = mentioned.iter().map(|at| {
            let subject = &subjects[at as usize];
            let ways = subject.classes.iter().filter(|_| subject.kind.is_some());
            ways.map(|class| subject.facts_of(class)).collect()
        });
        let (members, facts) = (mentioned.iter().collect(), facts.collect());
        Ok(Some(Conditions::new(subjects.len(), members, facts, parts, cases)))
    }

    /// The classes of a value of which some sets of promises are asked.
    fn classify_by_promises(&mut self, subject: &mut Subject<'d, '_>, ways: Vec<Values>) {
        let arena = self.reader.arena;
        let class = |met: Values| {
            let all = met.iter().fold(subject.base, |all, at| conjoin_in(arena, all, subject.asked[at as usize]));
            (all, met)
        };
        subject.classes = ways.into_iter().map(class).collect();
    }

    /// The ranges of numbers of members within which the formula says the same of them.
    fn counts(&self, base: &ObjectSet<'d>, formula: FormulaId) -> Vec<(u32, u32)> {
        let low = if base.low as usize <= base.required.len() { 0 } else { base.low };
        let mut bounds = BTreeSet::new();
        self.each_formula(formula, |formula| match formula {
            Formula::AtLeast(low) => drop(bounds.insert(*low)),
            Formula::AtMost(high) => drop(bounds.insert(high + 1)),
            _ => {}
        });
        let inner = bounds.into_iter().filter(|&bound| bound > low && bound <= base.high);
        let firsts: Vec<u32> = std::iter::once(low).chain(inner).collect();
        let lasts = firsts.iter().skip(1).map(|next| next - 1).chain([base.high]);
        firsts.iter().copied().zip(lasts).collect()
    }

    /// What a formula says of objects with so many members.
    fn translate(
        &mut self,
        to: &mut Translator<'d>,
        subjects: &[Subject<'d, '_>],
        formula: FormulaId,
        (low, high): (u32, u32),
    ) -> std::result::Result<Compiled, TooHard> {
        if let Some(&made) = to.made.get(&formula) {
            return Ok(made);
        }
        let truth = |holds: bool| if holds { EVERY_OBJECT } else { NO_OBJECT };
        let made = match self.reader.formulas.get(formula).clone() {
            Formula::All(parts) => {
                let parts: std::result::Result<Vec<_>, _> =
                    parts.iter().map(|&part| self.translate(to, subjects, part, (low, high))).collect();
                to.builder.all(parts?)?
            }
            Formula::Any(parts) => {
                let parts: std::result::Result<Vec<_>, _> =
                    parts.iter().map(|&part| self.translate(to, subjects, part, (low, high))).collect();
                to.builder.any(parts?)?
            }
            Formula::Has(name) => self.said(to, subjects, &NameSet::One(name), Condition::default(), false)?,
            Formula::Lacks(name) => self.said(to, subjects, &NameSet::One(name), NEVER, true)?,
            Formula::Each(names, condition) => self.said(to, subjects, &names, condition, true)?,
            Formula::Some(names, condition) => self.said(to, subjects, &names, condition, false)?,
            Formula::AtLeast(least) => truth(low >= least),
            Formula::AtMost(most) => truth(high <= most),
            Formula::Evaluates(_) | Formula::EachUnevaluated(..) | Formula::SomeUnevaluated(..) => EVERY_OBJECT,
        };
        to.made.insert(formula, made);
        Ok(made)
    }

    /// "Each (or some) member with such a name meets a condition."
    fn said(
        &mut self,
        to: &mut Translator<'d>,
        subjects: &[Subject<'d, '_>],
        names: &NameSet<'d>,
        condition: Condition<'d>,
        of_each: bool,
    ) -> std::result::Result<Compiled, TooHard> {
        let inside = match to.membership.get(names) {
            Some(known) => Rc::clone(known),
            None => {
                let inside: Rc<[u32]> =
                    (0..).zip(subjects).filter(|(at, subject)| self.is_in((*at, subject), names)).map(|(at, _)| at as u32).collect();
                to.membership.insert(names.clone(), Rc::clone(&inside));
                inside
            }
        };
        let mut literals = Vec::with_capacity(inside.len());
        for &at in inside.iter() {
            let subject = &subjects[at as usize];
            literals.push(if subject.promises {
                to.promise(at, subject, condition, of_each)?
            } else {
                to.builder.literal(at, subject.values(condition, of_each))
            });
        }
        if of_each { to.builder.all(literals) } else { to.builder.any(literals) }
    }

    fn steps_exceeded(&self, whole: Condition<'d>) -> Error {
        let allowed = self.options.limits.condition_steps;
        self.too_hard(whole, "steps to combine conditions", allowed + 1, allowed)
    }

    fn too_hard(&self, whole: Condition<'d>, what: &str, value: usize, allowed: usize) -> Error {
        let pointer = self.reader.pointer_of(whole);
        Error::limit("conditions", value, allowed).hint(format!(
            "at {pointer:?}, too many {what}: simplify oneOf, not, if and anyOf whose branches speak of the same members"
        ))
    }
}

impl<'d> Translator<'d> {
    /// What a formula says of a member whose classes are found by compiling it.
    fn promise(
        &mut self,
        at: u32,
        subject: &Subject<'d, '_>,
        condition: Condition<'d>,
        of_each: bool,
    ) -> std::result::Result<Compiled, TooHard> {
        let place = subject.asked.iter().position(|other| *other == condition);
        let met = match place {
            Some(place) => self.builder.promise(at, Promise::Meets(place as u32)),
            None if condition.is_empty() => self.builder.promise(at, Promise::Came),
            None => NO_OBJECT,
        };
        let absent = if of_each { self.builder.promise(at, Promise::Absent) } else { NO_OBJECT };
        self.builder.any([absent, met])
    }
}

/// "Each member meets a condition", or "some member does", as a fact about undeclared members.
fn fact(condition: Condition<'_>, of_each: bool) -> Fact<'_> {
    match of_each {
        true if is_never(condition) => Fact::Meets(Condition::default()),
        true => Fact::MayFail(condition),
        false => Fact::Meets(condition),
    }
}

/// A formula about members on its way to one about variables.
struct Translator<'d> {
    builder: FormulaBuilder,
    /// By set of names: the subjects whose names are in it.
    membership: FxHashMap<NameSet<'d>, Rc<[u32]>>,
    /// By formula: what was made of it, for the numbers of members at hand.
    made: FxHashMap<FormulaId, Compiled>,
}

