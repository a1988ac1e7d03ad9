//! The constructors of expressions: each keeps the normal form, and its law is beside the code.
//!
//! Equal languages should be equal expressions as often as that is cheap to see: fewer states, and more found again.
//!
//! ```text
//! a|b|a → [ab]     x{1,2}·x{3,4} → x{4,6}     [a-z]* ∧ .{2,9} → [a-z]{2,9}
//! ```

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;

use super::{EMPTY, Expression, Expressions, Id, NEVER, UNBOUNDED};
use crate::regular::alphabet::MintermSet;

/// A first part of at most this many parts is nested to the right at once, a longer one part by part as it is read.
const SHORT: u32 = 16;

/// Most alternatives that an intersection becomes when it is distributed over those of its parts.
const MOST_WAYS: usize = 64;

/// An alternative that begins with a loop: its body and what comes after it, and its bounds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    what: (Id, Id),
    low: u32,
    high: u32,
    id: Id,
}

impl Expressions {
    pub(super) fn class(&mut self, minterms: MintermSet) -> Id {
        if minterms.iter().all(|&word| word == 0) { NEVER } else { self.intern(Expression::Class(minterms)) }
    }

    /// The first part of what is returned is never a `Concat`: (x·y)·z = x·(y·z).
    ///
    /// A long first part is not copied, or `(long){50}` would copy it in every round: only its first part is moved out,
    /// and the others stay together, `x·((y·...)·z)`, until they come first themselves.
    pub(super) fn concat(&mut self, first: Id, rest: Id) -> Id {
        if first == NEVER || rest == NEVER {
            return NEVER; // ∅·x = x·∅ = ∅
        }
        if rest == EMPTY {
            return first;
        }
        let mut first = first;
        let mut rest = rest;
        // ε·x = x, where x may be parts that have stayed together, perhaps inside of others that have.
        let mut outer: SmallVec<[Id; 4]> = SmallVec::new();
        if first == EMPTY {
            while let Expression::Concat(together, after) = *self.get(rest) {
                if !matches!(self.get(together), Expression::Concat(..)) {
                    break;
                }
                outer.push(after);
                rest = together;
            }
            first = rest;
        } else {
            outer.push(rest);
        }
        outer.into_iter().rev().fold(first, |first, rest| self.concat_parts(first, rest))
    }

    /// As [`Expressions::concat`], of parts that are neither empty nor never.
    fn concat_parts(&mut self, first: Id, rest: Id) -> Id {
        if self.properties[first.0 as usize].parts > SHORT
            && let Expression::Concat(head, tail) = *self.get(first)
        {
            let rest = self.intern(Expression::Concat(tail, rest));
            return self.intern(Expression::Concat(head, rest));
        }
        let (mut heads, mut last): (SmallVec<[Id; SHORT as usize]>, Id) = (SmallVec::new(), first);
        while let Expression::Concat(head, tail) = *self.get(last) {
            heads.push(head);
            last = tail;
        }
        heads.push(last);
        heads.into_iter().rev().fold(rest, |rest, head| self.prepend(head, rest))
    }

    /// A part that is not a `Concat`, before others.
    fn prepend(&mut self, first: Id, rest: Id) -> Id {
        if rest == EMPTY {
            return first;
        }
        if let Some(joined) = self.join_loops(first, rest) {
            return joined;
        }
        self.intern(Expression::Concat(first, rest))
    }

    /// x{a,b}·x{c,d} = x{a+c,b+d}
    fn join_loops(&mut self, first: Id, rest: Id) -> Option<Id> {
        let Expression::Loop(body, low, high) = *self.get(first) else { return None };
        let (next, tail) = match *self.get(rest) {
            Expression::Concat(head, tail) => (head, tail),
            _ => (rest, EMPTY),
        };
        let Expression::Loop(other, low2, high2) = *self.get(next) else { return None };
        if other != body {
            return None;
        }
        let high = if high == UNBOUNDED || high2 == UNBOUNDED { UNBOUNDED } else { high.checked_add(high2)? };
        let joined = self.repeat(body, low.checked_add(low2)?, high);
        Some(self.concat(joined, tail))
    }

    pub(super) fn repeat(&mut self, body: Id, low: u32, high: u32) -> Id {
        if high == 0 || body == EMPTY {
            return EMPTY;
        }
        if body == NEVER {
            return if low == 0 { EMPTY } else { NEVER };
        }
        let low = if self.nullable(body) { 0 } else { low }; // a nullable body can fill up with ε
        if (low, high) == (1, 1) {
            return body;
        }
        if let Expression::Loop(inner, 0, UNBOUNDED) = *self.get(body) {
            return self.repeat(inner, 0, UNBOUNDED); // (x*){a,b} = x* (the body is nullable)
        }
        self.intern(Expression::Loop(body, low, high))
    }

    pub(in crate::regular) fn or(&mut self, parts: Vec<Id>) -> Id {
        self.work(parts.len());
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.get(part) {
                Expression::Never => {}
                Expression::Or(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        if flat.contains(&self.anything) {
            return self.anything; // Σ* absorbs
        }
        flat.sort_unstable();
        flat.dedup();
        self.merge_classes(&mut flat);
        self.merge_loops(&mut flat);
        self.absorb(&mut flat);
        self.absorb_intersections(&mut flat);
        if flat.len() > 1 && flat.contains(&EMPTY) {
            let others_nullable = flat.iter().any(|&part| part != EMPTY && self.nullable(part));
            if others_nullable {
                flat.retain(|&part| part != EMPTY); // ε is already in x
            }
        }
        match flat.len() {
            0 => NEVER,
            1 => flat[0],
            _ => self.intern(Expression::Or(flat.into())),
        }
    }

    /// a·x | a·y = a·(x | y), for many alternatives: a state of them then has as many as there are ways to go on, and not
    /// one for each word of a long list.
    pub(super) fn factored(&mut self, parts: Vec<Id>, depth: u32) -> Id {
        if parts.len() < 2 || depth == 0 {
            return self.or(parts);
        }
        let mut by_first: IndexMap<Id, Vec<Id>, FxBuildHasher> = IndexMap::default();
        for part in parts {
            let (first, rest) =
                if let Expression::Concat(first, rest) = *self.get(part) { (first, rest) } else { (part, EMPTY) };
            by_first.entry(first).or_default().push(rest);
        }
        let mut ways = Vec::with_capacity(by_first.len());
        for (first, rests) in by_first {
            let rest = self.factored(rests, depth - 1);
            ways.push(self.concat(first, rest));
        }
        self.or(ways)
    }

    /// [a]|[b] = [ab]
    fn merge_classes(&mut self, flat: &mut Vec<Id>) {
        let is_class = |id: &&Id| matches!(self.get(**id), Expression::Class(_));
        if flat.iter().filter(is_class).nth(1).is_none() {
            return;
        }
        let classes: Vec<Id> = flat.iter().filter(is_class).copied().collect();
        let mut minterms: MintermSet = vec![0; self.alphabet.len().div_ceil(64)].into();
        for id in &classes {
            if let Expression::Class(set) = self.get(*id) {
                minterms.iter_mut().zip(set.iter()).for_each(|(into, word)| *into |= word);
            }
        }
        flat.retain(|id| classes.binary_search(id).is_err()); // both are sorted
        let merged = self.class(minterms);
        flat.push(merged);
        flat.sort_unstable();
        flat.dedup();
    }

    /// x{a,b}·r | x{c,d}·r = x{min(a,c),max(b,d)}·r when the intervals touch.
    fn merge_loops(&mut self, flat: &mut Vec<Id>) {
        let mut loops: SmallVec<[Counted; 8]> = flat.iter().filter_map(|&id| self.counted(id)).collect();
        loops.sort_unstable();
        if !loops.windows(2).any(|pair| pair[0].what == pair[1].what) {
            return;
        }
        let (mut gone, mut joined) = (FxHashSet::default(), Vec::new());
        for alike in loops.chunk_by(|a, b| a.what == b.what) {
            let mut rest = alike;
            while let Some((&first, others)) = rest.split_first() {
                let mut high = first.high;
                let touching = others.iter().take_while(|next| {
                    let touches = next.low <= high.saturating_add(1);
                    high = if touches { high.max(next.high) } else { high };
                    touches
                });
                let count = 1 + touching.count();
                if count > 1 {
                    gone.extend(rest[..count].iter().map(|counted| counted.id));
                    joined.push((first, high));
                }
                rest = &rest[count..];
            }
        }
        flat.retain(|id| !gone.contains(id));
        for (Counted { what: (body, rest), low, .. }, high) in joined {
            let repeated = self.repeat(body, low, high);
            flat.push(self.concat(repeated, rest));
        }
        flat.sort_unstable();
        flat.dedup();
    }

    fn counted(&self, id: Id) -> Option<Counted> {
        self.as_loop(id).map(|(body, low, high, rest)| Counted { what: (body, rest), low, high, id })
    }

    pub(super) fn as_loop(&self, id: Id) -> Option<(Id, u32, u32, Id)> {
        match *self.get(id) {
            Expression::Loop(body, low, high) => Some((body, low, high, EMPTY)),
            Expression::Concat(first, rest) => match *self.get(first) {
                Expression::Loop(body, low, high) => Some((body, low, high, rest)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(in crate::regular) fn and(&mut self, parts: Vec<Id>) -> Id {
        self.work(parts.len());
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.get(part) {
                Expression::Never => return NEVER,
                Expression::And(inner) => flat.extend_from_slice(inner),
                _ if part == self.anything => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&EMPTY) {
            let all = flat.iter().all(|&part| self.nullable(part));
            return if all { EMPTY } else { NEVER }; // ε ∧ x
        }
        if self.has_contradiction(&flat) {
            return NEVER;
        }
        if let Some(ways) = self.distribute(&flat) {
            return ways;
        }
        self.intersect_simple(&mut flat);
        match flat.len() {
            0 => self.anything,
            1 => flat[0],
            _ if flat.contains(&NEVER) => NEVER,
            _ => self.intern(Expression::And(flat.into())),
        }
    }

    /// x ∧ ¬x, or x ∧ y ∧ ¬(x ∧ y): a search would have to visit the states of x to find that nothing is left. `flat` is sorted.
    fn has_contradiction(&self, flat: &[Id]) -> bool {
        let has = |part: &Id| flat.binary_search(part).is_ok();
        flat.iter().any(|&part| match self.get(part) {
            Expression::Not(inner) => match self.get(*inner) {
                Expression::And(parts) => parts.iter().all(has),
                _ => has(inner),
            },
            _ => false,
        })
    }

    /// x ∧ (y | z) = (x ∧ y) | (x ∧ z), if y or z looks ahead: each further look would nest an intersection in an
    /// alternative of an intersection, without end. As alternatives, what was asked before is asked once.
    fn distribute(&mut self, flat: &[Id]) -> Option<Id> {
        let ways_of = |part: &Id| match self.get(*part) {
            Expression::Or(ways) if self.properties[part.0 as usize].looks_ahead => ways.len(),
            _ => 1,
        };
        let place = flat.iter().position(|part| ways_of(part) > 1)?;
        if flat.iter().map(ways_of).try_fold(1, usize::checked_mul)? > MOST_WAYS {
            return None;
        }
        let ways = self.alternatives(flat[place]).into_iter().map(|way| {
            let mut parts = flat.to_vec();
            parts[place] = way;
            self.and(parts)
        });
        let ways = ways.collect();
        Some(self.or(ways))
    }

    /// C{a,b} ∧ D{c,d} = (C∩D){max(a,c),min(b,d)} for classes C, D: a length bound melts into a class loop.
    fn intersect_simple(&mut self, flat: &mut Vec<Id>) {
        if flat.iter().filter(|&&id| self.is_class_loop(id)).nth(1).is_none() {
            return;
        }
        let simple: Vec<(Id, MintermSet, u32, u32)> =
            flat.iter().filter_map(|&id| self.as_class_loop(id).map(|(set, low, high)| (id, set, low, high))).collect();
        flat.retain(|id| simple.binary_search_by_key(id, |(other, ..)| *other).is_err());
        let (mut set, mut low, mut high) = (simple[0].1.clone(), simple[0].2, simple[0].3);
        for (_, other, low2, high2) in &simple[1..] {
            set.iter_mut().zip(other.iter()).for_each(|(word, with)| *word &= with);
            (low, high) = (low.max(*low2), high.min(*high2));
        }
        let merged = if low > high {
            NEVER
        } else {
            let body = self.class(set);
            self.repeat(body, low, high)
        };
        flat.push(merged);
        flat.sort_unstable();
        flat.dedup();
    }

    fn is_class_loop(&self, id: Id) -> bool {
        match self.get(id) {
            Expression::Class(_) => true,
            Expression::Loop(body, ..) => matches!(self.get(*body), Expression::Class(_)),
            _ => false,
        }
    }

    fn as_class_loop(&self, id: Id) -> Option<(MintermSet, u32, u32)> {
        match self.get(id) {
            Expression::Class(set) => Some((set.clone(), 1, 1)),
            Expression::Loop(body, low, high) => match self.get(*body) {
                Expression::Class(set) => Some((set.clone(), *low, *high)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(in crate::regular) fn not(&mut self, inner: Id) -> Id {
        match *self.get(inner) {
            Expression::Never => self.anything,
            Expression::Not(id) => id,
            _ if inner == self.anything => NEVER,
            _ => self.intern(Expression::Not(inner)),
        }
    }
}
