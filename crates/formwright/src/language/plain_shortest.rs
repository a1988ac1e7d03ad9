//! Shortest texts that a tree shows: no automaton is built for them.
//!
//! ```text
//! (ab|c)+d?          "c": 1 byte          a{2,5} ∧ .{3,}     "aa" is too short: only an automaton knows
//! ```
//!
//! Cost: one pass over the tree. In a JSON string some characters are escaped, so a class is as short as its
//! shortest member is written.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::INFINITE;
use crate::regular::{Encoding, Regular, Static};

/// A text that no other of its language has fewer bytes than.
#[derive(Clone, Copy)]
pub(super) struct Shortest {
    pub bytes: u32,
    /// `None`: the tree does not show it.
    characters: Option<u32>,
}

impl Shortest {
    const NONE: Self = Self { bytes: INFINITE, characters: None };
    const EMPTY: Self = Self { bytes: 0, characters: Some(0) };

    fn then(self, next: Self) -> Self {
        let characters = self.characters.zip(next.characters).map(|(some, more)| some.saturating_add(more));
        Self { bytes: self.bytes.saturating_add(next.bytes).min(INFINITE), characters }
    }

    fn times(self, count: u32) -> Self {
        let characters = self.characters.map(|one| one.saturating_mul(count));
        Self { bytes: self.bytes.saturating_mul(count).min(INFINITE), characters }
    }

    /// Whether its number of characters is one that `lengths`, a repetition of any character, allows.
    fn fits(self, lengths: &Regular) -> bool {
        let Regular::Repeat(_, low, high) = lengths else { return false };
        self.characters.is_some_and(|count| *low <= count && high.is_none_or(|high| count <= high))
    }
}

/// A shortest text of a tree, unless an And, Not or Multiple hides it. (Lengths do not, if the text has such a one.)
pub(super) fn plain_shortest(tree: &Regular, encoding: Encoding) -> Option<Shortest> {
    let shortest = |part| plain_shortest(part, encoding);
    Some(match tree {
        Regular::Never => Shortest::NONE,
        Regular::Class(ranges) => {
            let bytes = ranges.iter().map(|&(low, high)| class_cost(low, high, encoding)).min();
            Shortest { bytes: bytes.unwrap_or(INFINITE), characters: Some(1) }
        }
        Regular::Concat(parts) => {
            parts.iter().try_fold(Shortest::EMPTY, |all, part| Some(all.then(shortest(part)?)))?
        }
        Regular::Or(parts) => parts.iter().try_fold(Shortest::NONE, |best, part| {
            let next = shortest(part)?;
            Some(if next.bytes < best.bytes { next } else { best })
        })?,
        Regular::Repeat(_, low, Some(high)) if low > high => Shortest::NONE,
        Regular::Empty | Regular::Repeat(_, 0, _) => Shortest::EMPTY,
        Regular::Repeat(inner, low, _) => shortest(inner)?.times(*low),
        Regular::Static(tree) => shortest_of_static(*tree, encoding)?,
        Regular::Implicit(language) => Shortest { bytes: language.shortest()?, characters: None },
        Regular::And(parts) => {
            let is_length = |part: &&Regular| matches!(part, Regular::Repeat(inner, ..) if inner.is_any());
            let (lengths, others): (Vec<_>, Vec<_>) = parts.iter().partition(is_length);
            let [one] = others.as_slice() else { return None };
            shortest(one).filter(|text| lengths.iter().all(|length| text.fits(length)))?
        }
        Regular::Not(_) | Regular::Multiple(_) | Regular::After(..) | Regular::Parser(_) => return None,
    })
}

/// Whether a tree has texts, but none whose bytes can be counted.
pub fn is_too_long(tree: &Regular) -> bool {
    let has_texts = !matches!(tree, Regular::Never);
    has_texts && plain_shortest(tree, Encoding::Text).is_some_and(|shortest| shortest.bytes >= INFINITE)
}

/// The same of a tree that is made once a process, asked once a thread.
fn shortest_of_static(tree: Static, encoding: Encoding) -> Option<Shortest> {
    thread_local! {
        static KNOWN: RefCell<FxHashMap<(Static, Encoding), Option<Shortest>>> = RefCell::default();
    }
    let key = (tree, encoding);
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return known;
    }
    let shortest = plain_shortest(tree.0, encoding);
    KNOWN.with_borrow_mut(|known| known.insert(key, shortest));
    shortest
}

fn class_cost(low: char, high: char, encoding: Encoding) -> u32 {
    let json = encoding != Encoding::Text;
    let (first, last) = (if json { low.max(' ') } else { low }, high.min('\x7F'));
    if first < last || first == last && !(json && (first == '"' || first == '\\')) {
        return 1; // of two neighbours, one needs no escape
    }
    match low {
        '"' | '\\' | '\u{8}' | '\t' | '\n' | '\u{C}' | '\r' => 2,
        c if json && c < ' ' => {
            if high >= '\u{8}' {
                2
            } else {
                6
            }
        }
        c => c.len_utf8() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Escapes};
    use crate::syntax::regex;

    /// What is found without an automaton is what the automaton says.
    #[test]
    fn shortest_texts_are_found_without_an_automaton() {
        let limits = Limits::default();
        let (mut found, mut left) = (0, 0);
        for pattern in
            ["a{2,5}", "(ab|c)+d?", "é{3}|x{4}", r#""{2}x*"#, "x?", "(a|bc){0,3}d", "[\\x00-\\x1f]é", "c{3}|abcd"]
        {
            let tree = regex::parse(pattern, &limits).unwrap();
            for (low, high) in [(0, None), (0, Some(3)), (1, Some(1)), (2, None), (3, Some(4)), (4, Some(2))] {
                let tree = Regular::and([tree.clone(), Regular::length(low, high)]);
                for (encoding, quotes) in [(Encoding::Text, 0), (Encoding::Json(Escapes::Natural), 2)] {
                    let Some(shortest) = plain_shortest(&tree, encoding) else {
                        left += 1;
                        continue;
                    };
                    let automaton = Automaton::new(&tree, encoding, &limits).unwrap();
                    let expected =
                        if automaton.is_never() { None } else { Some(automaton.shortest(automaton.start().state())) };
                    assert_eq!((shortest.bytes < INFINITE).then_some(shortest.bytes + quotes), expected, "{tree:?}");
                    found += 1;
                }
            }
        }
        assert!(found > 40 && left > 40, "{found} {left}");
    }
}
