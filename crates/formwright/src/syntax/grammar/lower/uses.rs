//! The terminals that a lexer of all terminals looks for: those in rules that are used.
//!
//! Lark leaves out rules that no other rule uses, until there are none, and then terminals that are in no rule. Rules that
//! use each other stay, even if no text has a part of them, and so does a rule that is in a repetition of its own, which is a
//! rule to Lark:
//!
//! ```text
//! start: A        B is not looked for, nor are C and D; E and F are
//! B: A
//! r: C q
//! q: D | q D
//! s: E t
//! t: F s
//! ```

use super::super::ast::{RuleId, TerminalId};
use super::bits::Bits;
use super::parts::{Part, PartId, Parts, Symbol};
use crate::interrupt::count;

/// What is in a rule.
#[derive(Default)]
struct Uses {
    /// Rules, each as often as it is written; not the rule itself, but in a repetition.
    rules: Vec<RuleId>,
    terminals: Vec<TerminalId>,
}

/// The terminals in rules that are used, in a grammar that begins with the rule `start`.
pub fn used_terminals(parts: &Parts, start: RuleId, terminals: usize) -> Bits {
    let all: Vec<Uses> = (0..).zip(&parts.rules).map(|(rule, &body)| Uses::of(parts, rule, body)).collect();
    let mut users = vec![0_usize; all.len()];
    for used in all.iter().flat_map(|uses| &uses.rules).chain([&start]) {
        users[*used as usize] += 1;
    }
    let mut unused: Vec<usize> = (0..all.len()).filter(|&rule| users[rule] == 0).collect();
    while let Some(rule) = unused.pop() {
        for &used in &all[rule].rules {
            users[used as usize] -= 1;
            if users[used as usize] == 0 {
                unused.push(used as usize);
            }
        }
    }
    let mut found = Bits::new(terminals);
    let used = all.iter().zip(users).filter(|(_, users)| *users > 0);
    used.flat_map(|(uses, _)| &uses.terminals).for_each(|&terminal| found.insert(terminal));
    found
}

impl Uses {
    fn of(parts: &Parts, rule: RuleId, body: PartId) -> Self {
        let (mut uses, mut open) = (Self::default(), vec![(body, false)]);
        while let Some((part, is_repeated)) = open.pop() {
            count(1);
            match parts.get(part) {
                Part::Occurrence(occurrence) => match parts.occurrences[*occurrence as usize].symbol {
                    Symbol::Terminal(terminal) => uses.terminals.push(terminal),
                    Symbol::Foreign(_) => {}
                },
                Part::Rule(used) if *used == rule && !is_repeated => {}
                Part::Rule(used) => uses.rules.push(*used),
                Part::Sequence(all) | Part::Choice(all) => open.extend(all.iter().map(|&part| (part, is_repeated))),
                Part::Repeat(_, _, Some(0)) => {}
                Part::Repeat(body, _, high) => open.push((*body, is_repeated || high.is_none())),
            }
        }
        uses
    }
}
