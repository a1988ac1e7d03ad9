//! Objects: which names may come next, which values, and when the brace may close.
//!
//! ```text
//! plain      the position of the member that comes next
//! ordered    that position, how many members there are, and which undeclared names were used
//! others     which members were met, and which existential constraints their values meet
//! ```
//!
//! Nothing is offered that leads nowhere: a comma only if some member can follow, a name only if the object can be
//! completed after it.
//!
//! Cost: a few comparisons where declaration order decides; else a look at every member that may still come.
//!
//! An undeclared name must differ from the names used before. In a walk over tokens the used names may be
//! unknown; then a name that ends is taken for a new one and noted in `completed`, so that the tokens which complete it
//! can be listed by that name.

use super::configuration::{Frame, Phase, Position, Progress, StackId, Unpacked};
use super::excluded::NONE;
use super::stacks::counted;
use super::{CompletedName, Machine, Successors, UNKNOWN, UNSURE, are_known};
use crate::language::{INFINITE, Node, NodeId, Object, ObjectPosition, Seen, Tail, UndeclaredKind, future};
use crate::regular::DEAD;
use crate::vocabulary::NodeIndex;

impl Machine<'_> {
    /// The first byte of a value that decides which object it is in.
    pub(super) fn tail(&mut self, node: NodeId, tail: &Tail, stack: StackId, byte: u8, out: &mut Successors<'_>) {
        self.literal(node, 0, byte, stack, out);
        for &(value, after) in &tail.ways {
            if self.graph.first(value).contains(byte) {
                let position = self.position_after_value(after);
                let after = self.stacks.push(Frame { position, below: stack });
                self.start(value, after, byte, out);
            }
        }
    }

    /// The position after the opening brace.
    pub(super) fn opened_object(&mut self, node: NodeId, object: &Object) -> Position {
        let seen = self.nothing_seen(object);
        Position::Object { phase: Phase::Open, space: object.layout.open, object: node, seen }
    }

    /// The position after the value of a member that decided which object it is in: `after`.
    pub(super) fn position_after_value(&mut self, after: ObjectPosition) -> Position {
        let graph = self.graph;
        let Node::Object(object) = graph.node(after.object) else { return Position::Accept };
        let seen = if object.is_plain() {
            Progress::number(after.position)
        } else {
            self.stacks.intern_seen(object.at(after.position))
        };
        Position::Object { phase: Phase::Value, space: object.layout.value, object: after.object, seen }
    }

    /// A structural byte between members.
    pub(super) fn object(
        &mut self,
        phase: Phase,
        node: NodeId,
        seen: Progress,
        byte: u8,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        match (phase, byte) {
            (Phase::Open | Phase::Comma, b'"') => self.open_name(node, object, seen, stack, out),
            (Phase::Open | Phase::Value, b'}') if self.may_close(object, seen) => self.resume(stack, out),
            (Phase::Value, b',') if self.may_go_on(node, object, seen) => {
                let position = Position::Object { phase: Phase::Comma, space: object.layout.comma, object: node, seen };
                out.push(position, stack);
            }
            _ => {}
        }
    }

    /// The quote that begins a name.
    fn open_name(&mut self, node: NodeId, object: &Object, seen: Progress, stack: StackId, out: &mut Successors<'_>) {
        if self.name_is_live(object, seen, 0) {
            out.push(Position::Key { object: node, seen, at: 0 }, stack);
        }
        if !self.undeclared_may_come(node, object, seen) {
            return;
        }
        let names = self.stacks.seen(seen).names;
        self.asked |= names != NONE;
        let at = self.stacks.excluded_names(node, object, names);
        let start = self.path.len() as u32;
        for (index, kind) in (0..).zip(&object.undeclared) {
            if !self.leaves_room(object, seen, index) || !self.has_unused_name(node, object, seen, kind) {
                continue;
            }
            let position = Position::Named { kind: index as u16, object: node, seen, start };
            let after = self.stacks.push(Frame { position, below: stack });
            let state = self.graph.automaton(kind.name).content_start();
            self.push_excluding(kind.name, state, Some(at), after, out);
        }
    }

    /// The quote that ends a declared name.
    pub(super) fn key(
        &mut self,
        node: NodeId,
        seen: Progress,
        at: NodeIndex,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        let Some(&member) = object.names.tree().items()[object.names.tree().items_at(at)].first() else { return };
        if self.declared_may_come(object, seen, member) {
            out.push(Position::Colon { space: object.layout.key, object: node, seen, member }, stack);
        }
    }

    /// An undeclared name has ended: it is added to the used names, and its colon comes next. In an object without colons its
    /// value does, which is returned with what comes after it.
    pub(super) fn named(
        &mut self,
        kind: u16,
        node: NodeId,
        seen: Progress,
        start: u32,
        stack: StackId,
        out: &mut Successors<'_>,
    ) -> Option<(NodeId, StackId)> {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return None };
        let mut next = object.with_undeclared_name(self.stacks.seen(seen));
        let name = self.text_inside(start, stack).map(|text| text[1..].to_vec());
        next.names = match name {
            Some(name) if are_known(next.names) => self.stacks.use_name(node, object, next.names, &name),
            // The names used before it are erased: it may be one of them.
            name if start != UNKNOWN && next.names == UNKNOWN => {
                self.learnt.unresolved |= self.learnt.completed.is_some();
                self.learnt.completed = Some(CompletedName { object: node, stack, start, name });
                UNSURE
            }
            // It is unknown, or it follows a name in the same token whose text is not kept: it may be that name again.
            _ => {
                let unsure = next.names != UNKNOWN && !are_known(next.names);
                self.learnt.unresolved |= start != UNKNOWN && unsure;
                if matches!(next.names, UNKNOWN | UNSURE) { UNSURE } else { counted(self.stacks.used(next.names) + 1) }
            }
        };
        let seen = self.stacks.intern_seen(next);
        if object.is_unbraced() {
            let position = Position::Object { phase: Phase::Value, space: object.layout.value, object: node, seen };
            let after = self.stacks.push(Frame { position, below: stack });
            return Some((object.undeclared[usize::from(kind)].value, after));
        }
        let member = object.members.len() as u32 + u32::from(kind);
        out.push(Position::Colon { space: object.layout.key, object: node, seen, member }, stack);
        None
    }

    /// The values a member may have: its own value, and witnesses of existential constraints.
    pub(super) fn open_value(
        &mut self,
        node: NodeId,
        seen: Progress,
        member: u32,
        stack: StackId,
        out: &mut Successors<'_>,
    ) {
        let graph = self.graph;
        let Node::Object(object) = graph.node(node) else { return };
        let (value, witnesses) = object.values_of(member);
        if object.ends_with(member) {
            return out.push(Position::Value { space: object.layout.colon, node: value }, stack);
        }
        for &(value, met) in std::iter::once(&(value, 0)).chain(witnesses) {
            if self.graph.facts.shortest(value) >= INFINITE {
                continue;
            }
            let Some(after) = self.after_member(object, seen, member, met) else { continue };
            let position =
                Position::Object { phase: Phase::Value, space: object.layout.value, object: node, seen: after };
            let after = self.stacks.push(Frame { position, below: stack });
            out.push(Position::Value { space: object.layout.colon, node: value }, after);
        }
    }

    // What an object has seen.

    pub(super) fn nothing_seen(&mut self, object: &Object) -> Progress {
        if object.is_plain() { Progress::number(0) } else { self.stacks.intern_seen(object.nothing()) }
    }

    /// What an object has seen after a member whose value met some existential constraints; `None` if that is a dead
    /// end.
    fn after_member(&mut self, object: &Object, seen: Progress, member: u32, met: u32) -> Option<Progress> {
        if object.is_plain() {
            return Some(Progress::number(member + 1));
        }
        let before = self.stacks.seen(seen);
        let next = if (member as usize) < object.members.len() {
            object.with_member(before, member, met)
        } else {
            object.with_met(before, member, met) // counted when its name ended
        };
        let alive = !object.tracks_values() || self.may_end_after(object, seen, (member, met), || next.clone());
        alive.then(|| self.stacks.intern_seen(next))
    }

    /// Drops objects after which no text may come that may not come after another one of the list. A value is read as one
    /// that keeps all its promises and as one that keeps fewer, and such ways multiply with every member.
    #[cold]
    pub(super) fn drop_covered(&self, list: &mut Successors<'_>) {
        list.remove_covered(|stronger, weaker| {
            stronger.stack == weaker.stack && self.covers(stronger.position, weaker.position)
        });
    }

    /// Whether the object can still be completed.
    fn feasible(&self, object: &Object, seen: &Seen) -> bool {
        self.completion(object, seen, false).is_some()
    }

    /// Whether a member can come with one of its values, so that the object can still be completed. `after` is what the
    /// object has seen then.
    fn some_way(&self, object: &Object, seen: Progress, member: u32, after: impl Fn(u32) -> Seen) -> bool {
        object.ways(member).any(|(value, met)| {
            self.graph.facts.shortest(value) < INFINITE
                && self.may_end_after(object, seen, (member, met), || after(met))
        })
    }

    /// Whether the object can be completed after a member came with one of its values. `after` is what it has seen then.
    fn may_end_after(
        &self,
        object: &Object,
        seen: Progress,
        (member, met): (u32, u32),
        after: impl FnOnce() -> Seen,
    ) -> bool {
        let Some(conditions) = &object.conditions else { return self.feasible(object, &after()) };
        let position = if object.any_order { 0 } else { member.min(object.members.len() as u32) };
        let future = self.stacks.future(object, (seen, position), |before| {
            let before = Seen { position, ..before.clone() };
            let known = &mut self.stacks.completions(object).literals;
            self.graph.with_lengths(&object.layout, |lengths| future(object, conditions, &before, lengths, known))
        });
        match &*future {
            Some(future) => future.allows(conditions.next_value(self.stacks.seen(seen).values(), member, met)),
            None => self.feasible(object, &after()),
        }
    }

    /// Whether some declared name at or below `at` may come.
    pub fn name_is_live(&self, object: &Object, seen: Progress, at: NodeIndex) -> bool {
        let below = &object.names.tree().items()[object.names.tree().items_below(at)];
        if !object.is_ordered() {
            return below.iter().any(|&member| self.declared_may_come(object, seen, member));
        }
        let open = self.open_members(object, seen);
        let possible = |member: u32| object.members[member as usize].possible;
        if at == 0 { open.into_iter().any(possible) } else { below.iter().any(|at| open.contains(at) && possible(*at)) }
    }

    /// Where declaration order decides: the members that may come next, up to and with the first required one.
    pub(super) fn open_members(&self, object: &Object, seen: Progress) -> std::ops::Range<u32> {
        let next = match seen.unpack() {
            Unpacked::Number(next) => next,
            Unpacked::Interned(_) => self.stacks.seen(seen).position,
        };
        next..(object.next_required(next) + 1).min(object.members.len() as u32)
    }

    /// Whether a declared name may come.
    pub fn declared_may_come(&self, object: &Object, seen: Progress, member: u32) -> bool {
        if !object.members[member as usize].possible {
            return false;
        }
        if object.is_ordered() {
            return self.open_members(object, seen).contains(&member);
        }
        let progress = seen;
        let seen = self.stacks.seen(seen);
        if seen.has(member) || (!object.any_order && member < seen.position) {
            return false;
        }
        if !object.is_counted() {
            return true;
        }
        self.some_way(object, progress, member, |met| object.with_member(seen, member, met))
    }

    /// Whether an undeclared name may come.
    fn undeclared_may_come(&mut self, node: NodeId, object: &Object, seen: Progress) -> bool {
        if object.undeclared.is_empty() || self.stacks.is_full() {
            return false;
        }
        let before = self.stacks.seen(seen);
        if !object.any_order && object.next_required(before.position) < object.members.len() as u32 {
            return false;
        }
        (0..).zip(&object.undeclared).any(|(index, kind)| {
            self.leaves_room(object, seen, index) && self.has_unused_name(node, object, seen, kind)
        })
    }

    /// Whether some name of this kind is not used yet. Where an automaton is known to have more names than a matcher keeps,
    /// one always is unused; else that is open as long as it is not known which names are used.
    fn has_unused_name(&mut self, node: NodeId, object: &Object, seen: Progress, kind: &UndeclaredKind) -> bool {
        if self.graph.inside(kind.name).is_some() {
            return true;
        }
        let names = self.stacks.seen(seen).names;
        self.asked |= names != NONE;
        let automaton = self.graph.automaton(kind.name);
        if !are_known(names) {
            self.learnt.unresolved |= automaton.farthest_unused().is_none();
            return true;
        }
        let state = automaton.content_start();
        let at = self.stacks.excluded_names(node, object, names);
        state != DEAD && self.can_avoid_excluded(kind.name, state, at)
    }

    /// Whether the object can be completed after a member of this kind.
    fn leaves_room(&self, object: &Object, seen: Progress, index: u32) -> bool {
        if !object.is_counted() {
            return true;
        }
        let before = self.stacks.seen(seen);
        let member = object.members.len() as u32 + index;
        self.some_way(object, seen, member, |met| object.with_undeclared(before, index, met))
    }

    /// Whether a comma may come: some member can follow.
    pub fn may_go_on(&mut self, node: NodeId, object: &Object, seen: Progress) -> bool {
        self.name_is_live(object, seen, 0) || self.undeclared_may_come(node, object, seen)
    }

    /// Whether the brace may come.
    pub fn may_close(&self, object: &Object, seen: Progress) -> bool {
        if let Unpacked::Number(next) = seen.unpack() {
            return object.next_required(next) == object.members.len() as u32;
        }
        let seen = self.stacks.seen(seen);
        if let Some(conditions) = &object.conditions {
            return conditions.hold(seen) && object.missing(seen).is_empty();
        }
        seen.count >= object.low && object.existentials & !seen.met == 0 && object.missing(seen).is_empty()
    }
}
