//! Which bytes may begin the parts of a grammar, and which may come after them.
//!
//! A part is looked for only where a byte begins it, and taken as read only where what comes next may follow it. So a text
//! that one byte of lookahead decides is read in linear time, right recursion included.

use super::super::lower::Materials;
use super::super::lower::parts::{Part, PartId, Parts, Symbol};
use super::scanner::Cutting;
use crate::interrupt::count;
use crate::regular::ByteSet;

/// What is known of the parts of a grammar, by part.
pub struct Sets {
    /// Whether the empty text is in it.
    pub nullable: Vec<bool>,
    /// The bytes that may begin it.
    pub first: Vec<ByteSet>,
    /// The bytes that may come after it.
    pub follow: Vec<ByteSet>,
    /// Whether a text of it may have the same part inside itself, with the same text.
    pub cyclic: Vec<bool>,
}

impl Sets {
    pub fn new(materials: &Materials, targets: &[Option<PartId>], nullable: Vec<bool>, cutting: &Cutting) -> Self {
        let parts = &materials.parts;
        let first = first_of_parts(materials, &nullable, cutting);
        let follow = follow_of_parts(parts, targets, &nullable, &first);
        let cyclic = cyclic_parts(parts, targets, &nullable);
        Self { nullable, first, follow, cyclic }
    }
}

fn first_of_parts(materials: &Materials, nullable: &[bool], cutting: &Cutting) -> Vec<ByteSet> {
    let parts = &materials.parts;
    let of_symbol = |symbol: &Symbol| match symbol {
        Symbol::Terminal(terminal) => cutting.first(*terminal),
        Symbol::Foreign(at) => materials.foreign[*at as usize].first,
    };
    let of_occurrences: Vec<ByteSet> =
        parts.occurrences.iter().map(|occurrence| of_symbol(&occurrence.symbol)).collect();
    let trivia = cutting.first_of_trivia();
    let mut first = vec![ByteSet::default(); parts.all.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (part, kind) in parts.all.iter().enumerate() {
            count(1);
            let of = |part: &PartId| first[*part as usize];
            let own = match kind {
                Part::Occurrence(occurrence) if nullable[part] => of_occurrences[*occurrence as usize].union(&trivia),
                Part::Occurrence(occurrence) => of_occurrences[*occurrence as usize],
                Part::Rule(rule) => of(&parts.rules[*rule as usize]),
                Part::Repeat(_, _, Some(0)) => ByteSet::default(),
                Part::Repeat(body, ..) => of(body),
                Part::Choice(all) => all.iter().fold(ByteSet::default(), |set, part| set.union(&of(part))),
                Part::Sequence(all) => {
                    let read = all.iter().position(|part| !nullable[*part as usize]).map_or(all.len(), |at| at + 1);
                    all[..read].iter().fold(ByteSet::default(), |set, part| set.union(&of(part)))
                }
            };
            changed |= own != first[part];
            first[part] = own;
        }
    }
    first
}

fn follow_of_parts(parts: &Parts, targets: &[Option<PartId>], nullable: &[bool], first: &[ByteSet]) -> Vec<ByteSet> {
    let mut follow = vec![ByteSet::default(); parts.all.len()];
    let mut changed = true;
    while changed {
        changed = false;
        let mut tell = |follow: &mut Vec<ByteSet>, part: PartId, set: ByteSet| {
            let target = targets[part as usize].unwrap_or(part);
            for part in [part, target] {
                let known = &mut follow[part as usize];
                let all = known.union(&set);
                changed |= all != *known;
                *known = all;
            }
        };
        for (part, kind) in parts.all.iter().enumerate().rev() {
            count(1);
            let mut after = follow[part];
            match kind {
                Part::Occurrence(_) | Part::Rule(_) => {}
                Part::Choice(all) => all.iter().for_each(|&option| tell(&mut follow, option, after)),
                Part::Repeat(body, ..) => tell(&mut follow, *body, after.union(&first[*body as usize])),
                Part::Sequence(all) => {
                    for &part in all.iter().rev() {
                        tell(&mut follow, part, after);
                        let own = first[part as usize];
                        after = if nullable[part as usize] { after.union(&own) } else { own };
                    }
                }
            }
        }
    }
    follow
}

/// By part: whether it may be all of itself, or is between two that may (Kahn 1962).
fn cyclic_parts(parts: &Parts, targets: &[Option<PartId>], nullable: &[bool]) -> Vec<bool> {
    let mut leads: Vec<(PartId, PartId)> = Vec::new();
    for (part, kind) in (0..).zip(&parts.all) {
        let is = |part: &PartId| nullable[*part as usize];
        let whole: Vec<PartId> = match kind {
            Part::Occurrence(_) | Part::Rule(_) | Part::Repeat(_, _, Some(0)) => Vec::new(),
            Part::Choice(all) => all.clone(),
            Part::Repeat(body, low, _) => {
                if *low <= 1 || is(body) {
                    vec![*body]
                } else {
                    Vec::new()
                }
            }
            Part::Sequence(all) => match all.iter().filter(|part| !is(part)).collect::<Vec<_>>()[..] {
                [] => all.clone(),
                [only] => vec![*only],
                _ => Vec::new(),
            },
        };
        leads.extend(whole.into_iter().filter_map(|inner| Some((part, targets[inner as usize]?))));
    }
    let mut cyclic = vec![true; parts.all.len()];
    peel(&mut cyclic, &leads);
    let back: Vec<(PartId, PartId)> = leads.into_iter().map(|(from, to)| (to, from)).collect();
    peel(&mut cyclic, &back);
    cyclic
}

/// Takes out what nothing that is left leads to.
fn peel(left: &mut [bool], leads: &[(PartId, PartId)]) {
    let mut after = vec![Vec::new(); left.len()];
    let mut into = vec![0_usize; left.len()];
    for &(from, to) in leads.iter().filter(|(from, to)| left[*from as usize] && left[*to as usize]) {
        after[from as usize].push(to);
        into[to as usize] += 1;
    }
    let mut open: Vec<PartId> = (0..left.len() as PartId).filter(|&part| into[part as usize] == 0).collect();
    while let Some(part) = open.pop() {
        count(1);
        left[part as usize] = false;
        for &to in &after[part as usize] {
            into[to as usize] -= 1;
            if into[to as usize] == 0 {
                open.push(to);
            }
        }
    }
}
