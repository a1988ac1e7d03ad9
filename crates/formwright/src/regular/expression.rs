//! Hash-consed expressions and their derivatives.
//!
//! The derivative of a language by a letter is what may follow that letter
//! (Brzozowski 1964; Owens, Reppy, Turon 2009 for And/Not and letter classes).
//! Because expressions are hash-consed and kept in a normal form, the
//! derivatives of one expression are finitely many: they are the states of the
//! automaton. And and Not cost nothing extra here; what they cost is the
//! question "is this state a dead end?", answered by [`Arena::live`].
//!
//! Counters stay symbolic: `Loop(x, 1, 5000)` is one expression, and its
//! derivative is `x' · Loop(x, 0, 4999)`.
//!
//! Wrinkle: recursion here is as deep as the *description* nests (bounded by
//! `Limits::pattern_depth`), never as long as the text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::{SmallVec, smallvec};

use super::alphabet::{Alphabet, Letter, Letters};
use super::tree::{Divisor, Regular};
use super::unfolding::Unfolding;

/// Index of an expression in its [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// The empty language.
pub const NEVER: Id = Id(0);
/// The language of the empty text.
pub const EMPTY: Id = Id(1);

/// Letters that an expression does not tell apart, one bit each.
type Alike = SmallVec<[u64; 4]>;

/// "No upper bound" of a loop.
pub const UNBOUNDED: u32 = u32::MAX;

/// One expression in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    Never,
    Empty,
    Class(Letters),
    /// Right-nested: the first part is never a `Concat`.
    Concat(Id, Id),
    /// Sorted, at least two, no `Or` inside.
    Or(Box<[Id]>),
    And(Box<[Id]>),
    Not(Id),
    Loop(Id, u32, u32),
    /// Decimal text: remainder so far, and decimals read (`None` before the point).
    Multiple(Divisor, u64, Option<u32>),
    Unfolding(Unfolding),
}

#[derive(Clone, Copy, Default)]
struct Facts {
    nullable: bool,
    /// Contains And, Not or Multiple: emptiness needs a search.
    boolean: bool,
    /// Bytes of the shortest text, if the expression is not `boolean`.
    shortest: u32,
    /// The largest bound of a loop that [`Arena::clamp`] reaches.
    bound: u32,
}

/// A search for liveness gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfFuel;

/// "Too many bytes to matter"; sums of a few stay in range.
pub const MANY: u32 = u32::MAX / 2;

/// All expressions of one automaton.
pub struct Arena {
    pub alphabet: Alphabet,
    /// Each once: its id is its place.
    expressions: IndexSet<Expression, FxBuildHasher>,
    facts: Vec<Facts>,
    /// Bytes the shortest spelling of each letter takes.
    weights: Vec<u32>,
    /// Derivatives by each letter, once asked for.
    rows: FxHashMap<Id, Box<[Id]>>,
    /// Boolean expressions: bytes of the shortest text, or `None` when empty.
    distances: FxHashMap<Id, Option<u32>>,
    anything: Id,
    fuel: usize,
}

impl Arena {
    /// An arena for `alphabet`; `weights[letter]` is the cheapest spelling in bytes.
    pub fn new(alphabet: Alphabet, weights: Vec<u32>, fuel: usize) -> Self {
        let mut arena = Self {
            alphabet,
            expressions: IndexSet::default(),
            facts: Vec::new(),
            weights,
            rows: FxHashMap::default(),
            distances: FxHashMap::default(),
            anything: NEVER,
            fuel,
        };
        arena.intern(Expression::Never);
        arena.intern(Expression::Empty);
        let any = arena.alphabet.all();
        let any = arena.intern(Expression::Class(any));
        arena.anything = arena.intern(Expression::Loop(any, 0, UNBOUNDED));
        arena
    }

    pub fn len(&self) -> usize {
        self.expressions.len()
    }

    /// About how many bytes of memory it takes without its alphabet; parts of wide expressions are not looked at.
    pub fn memory(&self) -> usize {
        const EXPRESSION: usize = size_of::<Expression>() + size_of::<Facts>() + 4 * size_of::<usize>();
        let row = size_of::<(Id, Box<[Id]>)>() + self.alphabet.len() * size_of::<Id>();
        self.expressions.capacity() * EXPRESSION
            + self.rows.capacity() * row
            + self.distances.capacity() * size_of::<(Id, Option<u32>)>()
    }

    pub fn get(&self, id: Id) -> &Expression {
        &self.expressions[id.0 as usize]
    }

    pub fn nullable(&self, id: Id) -> bool {
        self.facts[id.0 as usize].nullable
    }

    /// The expression of a tree.
    pub fn lower(&mut self, tree: &Regular) -> Id {
        match tree {
            Regular::Never => NEVER,
            Regular::Empty => EMPTY,
            Regular::Class(ranges) => {
                let letters = self.alphabet.class(ranges);
                self.class(letters)
            }
            Regular::Concat(parts) => {
                let ids: Vec<Id> = parts.iter().map(|part| self.lower(part)).collect();
                ids.into_iter().rev().fold(EMPTY, |rest, first| self.concat(first, rest))
            }
            Regular::Or(parts) => {
                let ids = parts.iter().map(|part| self.lower(part)).collect();
                self.or(ids)
            }
            Regular::And(parts) => {
                let ids = parts.iter().map(|part| self.lower(part)).collect();
                self.and(ids)
            }
            Regular::Not(inner) => {
                let inner = self.lower(inner);
                self.not(inner)
            }
            Regular::Repeat(inner, low, high) => {
                let inner = self.lower(inner);
                self.repeat(inner, *low, high.unwrap_or(UNBOUNDED))
            }
            Regular::Multiple(divisor) => self.intern(Expression::Multiple(*divisor, 0, None)),
            Regular::Static(tree) => self.lower(tree.0),
            Regular::Unfolding(language) => self.intern(Expression::Unfolding(language.clone())),
        }
    }

    // Constructors: each keeps the normal form; the law is beside the code.

    fn intern(&mut self, expression: Expression) -> Id {
        let (place, is_new) = self.expressions.insert_full(expression);
        if is_new {
            self.facts.push(self.facts_of(&self.expressions[place]));
        }
        Id(place as u32)
    }

    fn class(&mut self, letters: Letters) -> Id {
        if letters.iter().all(|&word| word == 0) { NEVER } else { self.intern(Expression::Class(letters)) }
    }

    fn concat(&mut self, first: Id, rest: Id) -> Id {
        if first == NEVER || rest == NEVER {
            return NEVER; // ∅·x = x·∅ = ∅
        }
        if first == EMPTY {
            return rest; // ε·x = x
        }
        if rest == EMPTY {
            return first;
        }
        if let Expression::Concat(head, tail) = *self.get(first) {
            let rest = self.concat(tail, rest); // (x·y)·z = x·(y·z)
            return self.concat(head, rest);
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

    fn repeat(&mut self, body: Id, low: u32, high: u32) -> Id {
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

    fn or(&mut self, parts: Vec<Id>) -> Id {
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

    /// [a]|[b] = [ab]
    fn merge_classes(&mut self, flat: &mut Vec<Id>) {
        let is_class = |id: &&Id| matches!(self.get(**id), Expression::Class(_));
        if flat.iter().filter(is_class).nth(1).is_none() {
            return;
        }
        let classes: Vec<Id> = flat.iter().filter(is_class).copied().collect();
        let mut letters: Letters = vec![0; self.alphabet.len().div_ceil(64)].into();
        for id in &classes {
            if let Expression::Class(set) = self.get(*id) {
                letters.iter_mut().zip(set.iter()).for_each(|(into, word)| *into |= word);
            }
        }
        flat.retain(|id| !classes.contains(id));
        let merged = self.class(letters);
        flat.push(merged);
        flat.sort_unstable();
        flat.dedup();
    }

    /// x{a,b}·r | x{c,d}·r = x{min(a,c),max(b,d)}·r when the intervals touch.
    fn merge_loops(&mut self, flat: &mut Vec<Id>) {
        let mut at = 0;
        while at < flat.len() {
            let Some((body, low, high, rest)) = self.as_loop(flat[at]) else {
                at += 1;
                continue;
            };
            let partner = (at + 1..flat.len()).find_map(|other| {
                let (body2, low2, high2, rest2) = self.as_loop(flat[other])?;
                let touch = low <= high2.saturating_add(1) && low2 <= high.saturating_add(1);
                ((body2, rest2) == (body, rest) && touch).then_some((other, low.min(low2), high.max(high2)))
            });
            let Some((other, low, high)) = partner else {
                at += 1;
                continue;
            };
            let merged = self.repeat(body, low, high);
            let merged = self.concat(merged, rest);
            flat.remove(other);
            flat.remove(at);
            if !flat.contains(&merged) {
                flat.push(merged);
            }
            flat.sort_unstable();
            at = 0;
        }
    }

    fn as_loop(&self, id: Id) -> Option<(Id, u32, u32, Id)> {
        match *self.get(id) {
            Expression::Loop(body, low, high) => Some((body, low, high, EMPTY)),
            Expression::Concat(first, rest) => match *self.get(first) {
                Expression::Loop(body, low, high) => Some((body, low, high, rest)),
                _ => None,
            },
            _ => None,
        }
    }

    fn and(&mut self, parts: Vec<Id>) -> Id {
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
        self.intersect_simple(&mut flat);
        match flat.len() {
            0 => self.anything,
            1 => flat[0],
            _ if flat.contains(&NEVER) => NEVER,
            _ => self.intern(Expression::And(flat.into())),
        }
    }

    /// C{a,b} ∧ D{c,d} = (C∩D){max(a,c),min(b,d)} for classes C, D: a length bound melts into a class loop.
    fn intersect_simple(&mut self, flat: &mut Vec<Id>) {
        if flat.iter().filter(|&&id| self.is_class_loop(id)).nth(1).is_none() {
            return;
        }
        let simple: Vec<(Id, Letters, u32, u32)> =
            flat.iter().filter_map(|&id| self.as_class_loop(id).map(|(set, low, high)| (id, set, low, high))).collect();
        flat.retain(|id| simple.iter().all(|(other, ..)| other != id));
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

    fn as_class_loop(&self, id: Id) -> Option<(Letters, u32, u32)> {
        match self.get(id) {
            Expression::Class(set) => Some((set.clone(), 1, 1)),
            Expression::Loop(body, low, high) => match self.get(*body) {
                Expression::Class(set) => Some((set.clone(), *low, *high)),
                _ => None,
            },
            _ => None,
        }
    }

    fn not(&mut self, inner: Id) -> Id {
        match *self.get(inner) {
            Expression::Never => self.anything,
            Expression::Not(id) => id,
            _ if inner == self.anything => NEVER,
            _ => self.intern(Expression::Not(inner)),
        }
    }

    fn facts_of(&self, expression: &Expression) -> Facts {
        let fact = |id: &Id| self.facts[id.0 as usize];
        let searched = |nullable| Facts { nullable, boolean: true, ..Facts::default() };
        match expression {
            Expression::Never => Facts { shortest: u32::MAX, ..Facts::default() },
            Expression::Empty => Facts { nullable: true, ..Facts::default() },
            Expression::Class(set) => {
                let cheapest = members(set).map(|letter| self.weights[letter as usize]).min();
                Facts { shortest: cheapest.unwrap_or(u32::MAX), ..Facts::default() }
            }
            Expression::Concat(first, rest) => {
                let (first, rest) = (fact(first), fact(rest));
                Facts {
                    nullable: first.nullable && rest.nullable,
                    boolean: first.boolean || rest.boolean,
                    shortest: first.shortest.saturating_add(rest.shortest),
                    bound: first.bound.max(rest.bound),
                }
            }
            Expression::Or(parts) => Facts {
                nullable: parts.iter().any(|part| fact(part).nullable),
                boolean: parts.iter().any(|part| fact(part).boolean),
                shortest: parts.iter().map(|part| fact(part).shortest).min().unwrap_or(u32::MAX),
                bound: parts.iter().map(|part| fact(part).bound).max().unwrap_or(0),
            },
            Expression::And(parts) => searched(parts.iter().all(|part| fact(part).nullable)),
            Expression::Not(inner) => searched(!fact(inner).nullable),
            Expression::Loop(body, low, high) => {
                let body = fact(body);
                Facts {
                    nullable: *low == 0,
                    boolean: body.boolean,
                    shortest: body.shortest.saturating_mul(*low),
                    bound: if *high == UNBOUNDED { *low } else { *high },
                }
            }
            Expression::Multiple(divisor, remainder, decimals) => searched(divides(*divisor, *remainder, *decimals)),
            Expression::Unfolding(language) => {
                Facts { nullable: language.nullable(), shortest: language.shortest(), ..Facts::default() }
            }
        }
    }

    // Derivatives.

    /// What may follow `letter`.
    pub fn derive(&mut self, id: Id, letter: Letter) -> Id {
        if let Some(row) = self.rows.get(&id) {
            return row[letter as usize];
        }
        self.derive_uncached(id, letter)
    }

    /// The derivatives by every letter. Those of the parts are kept too: other combinations have the same parts.
    fn row(&mut self, id: Id) -> &[Id] {
        if !self.rows.contains_key(&id) {
            for index in 0..self.boolean_parts(id).len() {
                let part = self.boolean_parts(id)[index];
                self.row(part);
            }
            let row: Box<[Id]> =
                (0..self.alphabet.len()).map(|letter| self.derive_uncached(id, letter as Letter)).collect();
            self.rows.insert(id, row);
        }
        &self.rows[&id]
    }

    /// What may follow `letter`, from the row of an expression or by a derivative, which the letters that are alike get
    /// too. (Where And and Not combine what is known, that is sooner done for each.)
    pub fn derive_into(&mut self, row: &mut [Option<Id>], id: Id, letter: Letter) -> Id {
        if let Some(known) = row[usize::from(letter)] {
            return known;
        }
        let next = self.derive(id, letter);
        if self.takes_search(id) {
            row[usize::from(letter)] = Some(next);
            return next;
        }
        let mut alike = smallvec![u64::MAX; row.len().div_ceil(64)];
        self.keep_alike(id, letter, &mut alike);
        for (places, word) in row.chunks_mut(64).zip(alike) {
            let places = places.iter_mut().enumerate().filter(|(bit, _)| word >> bit & 1 == 1);
            places.for_each(|(_, place)| *place = Some(next));
        }
        next
    }

    /// Keeps those of some letters that have the same derivative as `letter`, as far as is plain to see: those in the same
    /// classes that `id` may start with (Owens, Reppy, Turon 2009).
    fn keep_alike(&self, id: Id, letter: Letter, alike: &mut Alike) {
        match self.get(id) {
            Expression::Never | Expression::Empty => {}
            Expression::Class(set) => {
                let flip = if contains(set, letter) { 0 } else { u64::MAX };
                alike.iter_mut().zip(set).for_each(|(word, set)| *word &= set ^ flip);
            }
            &Expression::Concat(first, rest) => {
                self.keep_alike(first, letter, alike);
                if self.nullable(first) {
                    self.keep_alike(rest, letter, alike);
                }
            }
            Expression::Or(parts) => parts.iter().for_each(|&part| self.keep_alike(part, letter, alike)),
            &Expression::Loop(body, ..) => self.keep_alike(body, letter, alike),
            Expression::And(_) | Expression::Not(_) | Expression::Multiple(..) | Expression::Unfolding(_) => {
                for (at, word) in alike.iter_mut().enumerate() {
                    *word &= if at == usize::from(letter) / 64 { 1 << (letter % 64) } else { 0 };
                }
            }
        }
    }

    /// What And and Not combine.
    fn boolean_parts(&self, id: Id) -> &[Id] {
        match self.get(id) {
            Expression::And(parts) => parts,
            Expression::Not(inner) => std::slice::from_ref(inner),
            _ => &[],
        }
    }

    fn derive_all(&mut self, id: Id, letter: Letter) -> Vec<Id> {
        let count = if let Expression::And(parts) | Expression::Or(parts) = self.get(id) { parts.len() } else { 0 };
        let mut all = Vec::with_capacity(count);
        for index in 0..count {
            let (Expression::And(parts) | Expression::Or(parts)) = self.get(id) else { break };
            all.push(self.derive(parts[index], letter));
        }
        all
    }

    fn derive_uncached(&mut self, id: Id, letter: Letter) -> Id {
        match *self.get(id) {
            Expression::Never | Expression::Empty => NEVER,
            Expression::Class(ref set) => {
                if contains(set, letter) {
                    EMPTY
                } else {
                    NEVER
                }
            }
            Expression::Concat(first, rest) => {
                let step = self.derive(first, letter);
                let step = self.concat(step, rest);
                if !self.nullable(first) {
                    return step;
                }
                let skip = self.derive(rest, letter);
                if skip == NEVER {
                    return step;
                }
                self.or(vec![step, skip])
            }
            Expression::Or(_) => {
                let parts = self.derive_all(id, letter);
                self.or(parts)
            }
            Expression::And(_) => {
                let parts = self.derive_all(id, letter);
                self.and(parts)
            }
            Expression::Not(inner) => {
                let inner = self.derive(inner, letter);
                self.not(inner)
            }
            Expression::Loop(body, low, high) => {
                let step = self.derive(body, letter);
                if step == NEVER {
                    return NEVER;
                }
                let high = if high == UNBOUNDED { UNBOUNDED } else { high - 1 };
                let rest = self.repeat(body, low.saturating_sub(1), high);
                self.concat(step, rest)
            }
            Expression::Multiple(divisor, remainder, decimals) => {
                let c = char::from_u32(self.alphabet.sample(letter));
                match c.and_then(|c| advance(divisor, remainder, decimals, c)) {
                    Some((remainder, decimals)) => self.intern(Expression::Multiple(divisor, remainder, decimals)),
                    None => NEVER,
                }
            }
            Expression::Unfolding(ref language) => match char::from_u32(self.alphabet.sample(letter)) {
                Some(c) => {
                    let rest = language.unfold(c);
                    self.lower(&rest)
                }
                None => NEVER,
            },
        }
    }

    // Liveness.

    /// Whether it takes a search to tell if `id` is empty, or what may follow a letter of it.
    pub fn takes_search(&self, id: Id) -> bool {
        self.facts[id.0 as usize].boolean
    }

    /// Whether `id` has a text at all.
    pub fn live(&mut self, id: Id) -> Result<bool, OutOfFuel> {
        Ok(self.shortest(id)?.is_some())
    }

    /// Bytes of the shortest text of `id`; `None` when it has no text.
    pub fn shortest(&mut self, id: Id) -> Result<Option<u32>, OutOfFuel> {
        let facts = self.facts[id.0 as usize];
        if !facts.boolean {
            return Ok((id != NEVER).then_some(facts.shortest));
        }
        if let Some(&known) = self.distances.get(&id) {
            return Ok(known);
        }
        let shortest = match self.get(id) {
            Expression::Or(parts) => self.shortest_of(&parts.clone())?,
            Expression::Concat(..) => self.shortest_concat(id)?,
            _ => return self.search(id),
        };
        self.distances.insert(id, shortest);
        Ok(shortest)
    }

    /// An alternative is as short as its shortest part: its parts are searched each by itself, not their product.
    fn shortest_of(&mut self, parts: &[Id]) -> Result<Option<u32>, OutOfFuel> {
        let mut best = None;
        for &part in parts {
            best = self.shortest(part)?.into_iter().chain(best).min();
        }
        Ok(best)
    }

    /// One after the other: the sum, along the chain of parts.
    fn shortest_concat(&mut self, mut id: Id) -> Result<Option<u32>, OutOfFuel> {
        let mut total = 0_u32;
        while let Expression::Concat(first, rest) = *self.get(id) {
            let Some(shortest) = self.shortest(first)? else { return Ok(None) };
            total = total.saturating_add(shortest);
            id = rest;
        }
        Ok(self.shortest(id)?.map(|rest| total.saturating_add(rest)))
    }

    /// Dijkstra over derivatives, cheapest spelling first. Every state on the path found, or every state
    /// visited when there is none, is remembered.
    fn search(&mut self, start: Id) -> Result<Option<u32>, OutOfFuel> {
        let mut best: FxHashMap<Id, (u32, Id)> = FxHashMap::default();
        let mut queue = BinaryHeap::from([Reverse((0_u32, start))]);
        best.insert(start, (0, start));
        let mut fuel = self.fuel;
        while let Some(Reverse((cost, id))) = queue.pop() {
            if best[&id].0 < cost {
                continue;
            }
            if let Some(rest) = self.known_distance(id) {
                self.remember_path(&best, start, id, cost + rest);
                return Ok(Some(cost + rest));
            }
            // A state of many parts takes longer, and there are more of them; but some hundred may always be seen.
            let parts = self.boolean_parts(id).len();
            fuel = fuel.checked_sub((1 + parts * parts / 32).min(self.fuel / 500 + 1)).ok_or(OutOfFuel)?;
            for letter in 0..self.alphabet.len() {
                let next = self.row(id)[letter];
                if next == NEVER || self.distances.get(&next) == Some(&None) {
                    continue;
                }
                let cost = cost + self.weights[letter];
                if best.get(&next).is_none_or(|&(known, _)| cost < known) {
                    best.insert(next, (cost, id));
                    queue.push(Reverse((cost, next)));
                }
            }
        }
        self.distances.extend(best.keys().map(|&id| (id, None)));
        Ok(None)
    }

    fn known_distance(&self, id: Id) -> Option<u32> {
        let facts = self.facts[id.0 as usize];
        if facts.nullable {
            return Some(0);
        }
        if !facts.boolean {
            return (id != NEVER).then_some(facts.shortest);
        }
        self.distances.get(&id).copied().flatten()
    }

    fn remember_path(&mut self, best: &FxHashMap<Id, (u32, Id)>, start: Id, end: Id, total: u32) {
        let mut id = end;
        loop {
            let (cost, parent) = best[&id];
            self.distances.insert(id, Some(total - cost));
            if id == start {
                return;
            }
            id = parent;
        }
    }

    // What the mask wants to know.

    /// The same expression with every counter that no token can exhaust (`>= reach`) made unbounded.
    ///
    /// Two states with equal clamped expressions allow the same tokens of at most `reach - 1` code points.
    pub fn clamp(&mut self, id: Id, reach: u32) -> Id {
        if self.facts[id.0 as usize].bound < reach {
            return id;
        }
        match self.get(id).clone() {
            Expression::Concat(first, rest) => {
                let first = self.clamp(first, reach);
                let rest = self.clamp(rest, reach);
                self.concat(first, rest)
            }
            Expression::Or(parts) => {
                let parts = parts.iter().map(|&part| self.clamp(part, reach)).collect();
                self.or(parts)
            }
            Expression::Loop(body, low, high) => {
                let high = if high >= reach { UNBOUNDED } else { high };
                self.repeat(body, low.min(reach), high)
            }
            // An intersection of clamped parts can be emptier or fuller than the clamped intersection: leave it.
            _ => id,
        }
    }

    /// A loop that no token can exhaust, when it has been read so often that some tokens could: what it comes to if its
    /// end comes.
    pub fn near_its_end(&mut self, id: Id, reach: u32) -> Option<Id> {
        let (body, low, high, rest) = self.as_loop(id)?;
        let most = reach.checked_sub(1)?;
        let read = high.checked_sub(most).filter(|&read| read > 0 && high != UNBOUNDED)?;
        let last = self.repeat(body, low.saturating_sub(read), most);
        Some(self.concat(last, rest))
    }

    /// Bytes by which `id` may need more than its clamped form, after any way both can read.
    pub fn slack(&mut self, id: Id, reach: u32) -> u32 {
        match self.get(id).clone() {
            Expression::Concat(first, rest) => self.slack(first, reach).saturating_add(self.slack(rest, reach)),
            Expression::Or(parts) => parts.iter().map(|&part| self.slack(part, reach)).max().unwrap_or(0),
            Expression::Loop(body, low, _) if low > reach => self.bytes(body).saturating_mul(low - reach),
            _ => 0,
        }
    }

    /// Bytes of the shortest text; many when there is none, or finding it takes too long.
    fn bytes(&mut self, id: Id) -> u32 {
        self.shortest(id).ok().flatten().unwrap_or(MANY)
    }

    /// Bytes of the shortest text at any time in a class loop of `id`, at most.
    pub fn farthest(&mut self, id: Id) -> u32 {
        let parts = self.alternatives(id);
        parts.into_iter().map(|part| self.bytes(part)).max().unwrap_or(0).max(self.bytes(id))
    }

    /// The alternatives of `id`; mostly itself.
    pub fn alternatives(&self, id: Id) -> SmallVec<[Id; 2]> {
        if let Expression::Or(parts) = self.get(id) { SmallVec::from_slice(parts) } else { smallvec![id] }
    }

    /// The class loop `id` starts with; reading so many of the class keeps it live.
    pub fn class_run(&mut self, id: Id) -> Option<(&Letters, u32)> {
        let (body, _, repetitions, rest) = self.as_loop(id)?;
        let is_live = self.live(rest).ok()?;
        let Expression::Class(letters) = self.get(body) else { return None };
        is_live.then_some((letters, repetitions))
    }

    /// Whether `id` is every text.
    pub fn is_anything(&self, id: Id) -> bool {
        id == self.anything
    }
}

/// The letters of a set.
fn members(set: &[u64]) -> impl Iterator<Item = Letter> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| (word * 64 + bit) as Letter)
    })
}

/// Whether `set` has `letter`.
pub fn contains(set: &Letters, letter: Letter) -> bool {
    set[usize::from(letter) / 64] >> (letter % 64) & 1 == 1
}

/// Whether `remainder`, read with so many decimals, is a multiple of the divisor.
fn divides(divisor: Divisor, remainder: u64, decimals: Option<u32>) -> bool {
    let missing = divisor.scale - decimals.unwrap_or(0).min(divisor.scale);
    (0..missing).fold(remainder, |r, _| times_ten(r, divisor.digits, 0)) == 0
}

fn advance(divisor: Divisor, remainder: u64, decimals: Option<u32>, c: char) -> Option<(u64, Option<u32>)> {
    match (c, decimals) {
        ('-', _) => Some((remainder, decimals)),
        ('.', None) => Some((remainder, Some(0))),
        ('0', Some(read)) if read >= divisor.scale => Some((remainder, decimals)),
        (_, Some(read)) if read >= divisor.scale => None,
        _ => {
            let digit = u64::from(c.to_digit(10)?);
            Some((times_ten(remainder, divisor.digits, digit), decimals.map(|read| read + 1)))
        }
    }
}

/// `(remainder * 10 + digit) mod divisor` without overflow.
fn times_ten(remainder: u64, divisor: u64, digit: u64) -> u64 {
    ((u128::from(remainder) * 10 + u128::from(digit)) % u128::from(divisor)) as u64
}
