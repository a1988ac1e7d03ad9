//! Objects: their declared members, and witnesses for "some member is in ...".
//!
//! ```text
//! {"properties": {"a": A}, "required": ["b"], "additionalProperties": B}     declared a: A, b: B; undeclared names: B
//! ```
//!
//! Cost: each rule is looked at once for all declared names. A member that may meet some of the existential
//! constraints has a value for each combination of them, its *witnesses*.

use std::sync::Arc;

use smallvec::SmallVec;

use super::declared::{Declared, FEW};
use super::strings::escaped;
use super::{GraphBuilder, MOST_KINDS, notated};
use crate::error::{Error, Result};
use crate::language::{Member, Node, NodeId, Object, UndeclaredKinds, link_required};
use crate::syntax::json_schema::Order;
use crate::syntax::json_schema::read::SchemaReader;
use crate::syntax::json_schema::sets::{Condition, NameSet, ObjectSet, StringSet, TRUE, conjoin_in, is_never, lone};

/// Names of a finite language that are declared one by one.
pub(super) const MOST_NAMES: usize = 256;

/// By declared name: what its value must meet.
pub(super) type Conditions<'d> = SmallVec<[Condition<'d>; FEW]>;

impl<'d> GraphBuilder<'_, 'd> {
    pub(super) fn object(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>) -> Result<Node> {
        if object.existentials.len() > MOST_KINDS {
            return self.conditional_object(&lone(object.clone()), TRUE, whole);
        }
        let finite = finite_names(object);
        let mut names = declared_names(object);
        finite.iter().flatten().zip(0..).for_each(|(name, at)| names.add(name, at));
        if finite.is_none() && !object.existentials.is_empty() && !self.declare_few(object, whole, &mut names)? {
            return self.conditional_object(&lone(object.clone()), TRUE, whole);
        }
        let arena = self.reader.arena;
        let texts: SmallVec<[(&[u8], u32); FEW]> = names.iter().map(|name| escaped(arena, name)).zip(0..).collect();
        if let Some(name) = names.iter().find(|name| !notated::is_writable(&self.options.notation, name)) {
            let what = format!("the name {name:?} has characters that not every reader of yaml takes");
            return Err(Error::unsupported(&self.reader.pointer_of(whole), what));
        }
        let conditions = self.conditions(object, &names);
        let index = |name: &str| names.place(name, 0).unwrap_or(0);
        let mut members = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let (condition, (text, _)) = (conditions[at], texts[at]);
            let (value, witnesses) = self.declared_member(object, name, condition);
            let name_bytes = text.len() as u32 + 2;
            members.push(Member { name_bytes, value, next_required: 0, required: false, possible: true, witnesses });
        }
        object.required.iter().for_each(|name| members[index(name)].required = true);
        if self.reader.explains() {
            let values = names.iter().zip(&members).map(|(name, member)| (name.to_string(), member.value));
            self.members.push((whole, values.collect()));
        }
        let required = object.required.len() as u32;
        let has_undeclared = finite.is_none() && object.high > required;
        let undeclared = if has_undeclared { self.undeclared(object, whole, &names)? } else { UndeclaredKinds::new() };
        let implied = object.implied.iter().map(|(a, b)| (index(a) as u32, index(b) as u32)).collect();
        link_required(&mut members);
        Ok(Node::Object(Arc::new(Object {
            names: self.graph.text_set(&texts),
            low: if object.low <= required { 0 } else { object.low },
            high: object.high,
            any_order: self.options.order == Order::Model,
            existentials: (1 << object.existentials.len()) - 1,
            conditions: None,
            implied,
            layout: self.layout,
            members,
            undeclared,
            separator: None,
            tails: 0,
        })))
    }

    /// The value of a declared member, and its witnesses.
    fn declared_member(
        &mut self,
        object: &ObjectSet<'d>,
        name: &str,
        condition: Condition<'d>,
    ) -> (NodeId, Box<[(NodeId, u32)]>) {
        if !self.reader.allows_name(object, name) {
            return (self.graph.add(Node::Never), Box::default());
        }
        let value = self.node(condition);
        if object.existentials.is_empty() {
            return (value, Box::default());
        }
        let meets: Vec<bool> = object.existentials.iter().map(|some| self.reader.in_names(&some.names, name)).collect();
        (value, self.witnesses(object, condition, &meets))
    }

    /// The condition on the value of each declared member.
    pub(super) fn conditions(&mut self, object: &ObjectSet<'d>, names: &Declared<'d>) -> Conditions<'d> {
        conditions_of(self.reader, object, names)
    }

    /// For each combination of the existential constraints that a member's name can meet: the values that meet them.
    pub(super) fn witnesses(
        &mut self,
        object: &ObjectSet<'d>,
        value: Condition<'d>,
        meets: &[bool],
    ) -> Box<[(NodeId, u32)]> {
        let able = meets.iter().enumerate().fold(0_u32, |set, (index, meets)| set | u32::from(*meets) << index);
        let mut all = Vec::new();
        for met in (1..1_u32 << meets.len()).filter(|met| met & !able == 0) {
            let all_met = object.existentials.iter().enumerate().filter(|(index, _)| met >> index & 1 == 1);
            let condition = all_met.fold(value, |all, (_, some)| conjoin_in(self.reader.arena, all, some.condition));
            if !is_never(condition) {
                all.push((self.node(condition), met));
            }
        }
        all.into()
    }
}

/// The condition on the value of each declared member.
pub(super) fn conditions_of<'d>(
    reader: &mut SchemaReader<'d>,
    object: &ObjectSet<'d>,
    names: &Declared<'d>,
) -> Conditions<'d> {
    let mut all = Conditions::from_elem(Condition::default(), names.len());
    for (at, rule) in object.rules.iter().enumerate() {
        let arena = reader.arena;
        let add = |index: usize| all[index] = conjoin_in(arena, all[index], rule.condition);
        match &rule.names {
            NameSet::One(name) => names.place(name, at).into_iter().for_each(add),
            NameSet::Kind(_) => {}
            NameSet::In(tree) => {
                let inside = reader.inside(tree, names.iter());
                (0..names.len()).filter(|index| inside[*index]).for_each(add);
            }
            NameSet::Except { names: without, patterns } => {
                let excepted = arena.alloc_slice_fill_copy(names.len(), false);
                let without = without.iter().zip(0..).filter_map(|(name, at)| names.place(name, at));
                without.for_each(|index| excepted[index] = true);
                for tree in patterns {
                    let inside = reader.inside(tree, names.iter());
                    excepted.iter_mut().zip(inside).for_each(|(excepted, inside)| *excepted |= inside);
                }
                (0..names.len()).filter(|index| !excepted[*index]).for_each(add);
            }
        }
    }
    all
}

/// Every name some rule mentions, in order.
pub(super) fn declared_names<'d>(object: &ObjectSet<'d>) -> Declared<'d> {
    let mut names = Declared::default();
    object.rules.iter().filter_map(|rule| rule.names.only()).zip(0..).for_each(|(name, at)| names.add(name, at));
    object.required.iter().zip(0..).for_each(|(name, at)| names.add(name, at));
    object.implied.iter().flat_map(|(a, b)| [a, b]).for_each(|name| names.add(name, 0));
    let further = object.rules.iter().filter(|rule| rule.names.only().is_none()).chain(&object.existentials);
    for rule in further {
        let others = match &rule.names {
            NameSet::One(name) => std::slice::from_ref(name),
            NameSet::Except { names, .. } => names,
            NameSet::In(_) | NameSet::Kind(_) => &[],
        };
        others.iter().zip(0..).for_each(|(name, at)| names.add(name, at));
    }
    names
}

/// All allowed names, when `propertyNames` leaves finitely many.
pub(super) fn finite_names<'d>(object: &ObjectSet<'d>) -> Option<Vec<&'d str>> {
    object.names.iter().find_map(|names| match names {
        StringSet::Finite(texts) if texts.len() <= MOST_NAMES => Some(texts.clone()),
        _ => None,
    })
}
