//! Which parts of a grammar without a lexer are regular, so that one automaton reads them.
//!
//! ```text
//! value ::= number | "[" value "]"        number ::= "-"? [0-9]+ ("." [0-9]+)?      one leaf, not seven
//! ```
//!
//! Cost: a tree for each regular part, up to a size; rules are visited in the order in which they depend on each other.

use super::parts::{Part, PartId, Parts};
use crate::interrupt::count;
use crate::regular::Regular;

/// Most nodes of the tree of a part; larger ones stay in parts.
pub const MOST_NODES: usize = 1 << 10;

/// Of a part that becomes one leaf: its texts, and how many nodes their tree has.
pub type Texts = Option<(Regular, usize)>;

/// The texts of a part that is made of others; `None` if one of these has none, or all are too large together.
pub fn join<'t>(all: impl IntoIterator<Item = &'t Texts>, by: impl Fn(Vec<Regular>) -> Regular) -> Texts {
    let mut size = 1;
    let trees = all.into_iter().map(|texts| {
        let (tree, nodes) = texts.as_ref()?;
        size += nodes;
        (size <= MOST_NODES).then(|| tree.clone())
    });
    let trees = trees.collect::<Option<_>>()?;
    Some((by(trees), size))
}

/// The regular parts among all parts, by part; `trees` are those of the occurrences.
pub fn regular_parts(parts: &Parts, trees: &[Regular]) -> Vec<Texts> {
    let mut fused: Vec<Texts> = vec![None; parts.all.len()];
    let own_parts = parts_of_rules(parts);
    for rule in rules_in_order(parts, &own_parts) {
        for &part in &own_parts[rule] {
            count(1);
            fused[part as usize] = fuse(parts, trees, part, &fused);
        }
    }
    for &part in own_parts.iter().flatten() {
        if fused[part as usize].is_none() {
            fused[part as usize] = fuse(parts, trees, part, &fused); // of rules that are not regular
        }
    }
    fused
}

fn fuse(parts: &Parts, trees: &[Regular], part: PartId, fused: &[Texts]) -> Texts {
    let of = |part: &PartId| &fused[*part as usize];
    let (tree, size) = match parts.get(part) {
        Part::Occurrence(occurrence) => {
            let is_free = parts.is_terminal(*occurrence) && parts.most_tokens(*occurrence).is_none();
            let tree = is_free.then(|| trees[*occurrence as usize].clone())?;
            let size = tree.nodes();
            (tree, size)
        }
        Part::Rule(rule) => of(&parts.rules[*rule as usize]).clone()?,
        Part::Sequence(parts) => join(parts.iter().map(of), Regular::concat)?,
        Part::Choice(parts) => join(parts.iter().map(of), Regular::or)?,
        Part::Repeat(body, low, high) => {
            of(body).clone().map(|(tree, size)| (repeated(tree, *low, *high), size + 1))?
        }
    };
    (size <= MOST_NODES).then_some((tree, size))
}

/// A tree repeated; any number of any number of texts is any number of them.
fn repeated(tree: Regular, low: u32, high: Option<u32>) -> Regular {
    match (&tree, low, high) {
        (Regular::Repeat(_, 0 | 1, None), 1, None) | (Regular::Repeat(_, 0, None), 0, Some(1)) => tree,
        (Regular::Repeat(body, 0 | 1, None), 0, None) => Regular::Repeat(body.clone(), 0, None),
        _ => tree.repeat(low, high),
    }
}

/// By rule: its parts, those first that others are made of.
fn parts_of_rules(parts: &Parts) -> Vec<Vec<PartId>> {
    let own = |&root: &PartId| {
        let (mut open, mut found) = (vec![root], Vec::new());
        while let Some(part) = open.pop() {
            found.push(part);
            match parts.get(part) {
                Part::Sequence(all) | Part::Choice(all) => open.extend(all),
                Part::Repeat(body, ..) => open.push(*body),
                Part::Occurrence(_) | Part::Rule(_) => {}
            }
        }
        found.reverse();
        found
    };
    parts.rules.iter().map(own).collect()
}

/// The rules that do not lead to themselves, those first that others refer to (Kahn 1962).
fn rules_in_order(parts: &Parts, own_parts: &[Vec<PartId>]) -> Vec<usize> {
    let mut missing = vec![0_usize; parts.rules.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); parts.rules.len()];
    for (rule, own) in own_parts.iter().enumerate() {
        for &part in own {
            if let Part::Rule(used) = parts.get(part) {
                missing[rule] += 1;
                users[*used as usize].push(rule);
            }
        }
    }
    let mut order: Vec<usize> = (0..missing.len()).filter(|&rule| missing[rule] == 0).collect();
    let mut at = 0;
    while at < order.len() {
        for &user in &users[order[at]] {
            missing[user] -= 1;
            if missing[user] == 0 {
                order.push(user);
            }
        }
        at += 1;
    }
    order
}
