//! Classes of tokens: those that lead to the same state wherever they come.
//!
//! ```text
//! state 0   7 -> 1   8 -> 1   9 -> 2       {7, 8} {9} {all others}
//! state 1   7 -> 3   8 -> 4                {7} {8} {9} {all others}
//! ```
//!
//! Cost: a lookup in a small map for each token that a state allows.

use rustc_hash::FxHashMap;

use crate::vocabulary::TokenId;

/// The class of the tokens that never come.
pub const NEVER: u16 = 0;

/// The class of the tokens that end a text.
pub const END: u16 = 1;

/// Ways that are found again without a lookup.
const RECENT: usize = 256;

/// A partition of the tokens, split state by state.
pub struct TokenClasses {
    /// By token: a number that its class alone has.
    of: Vec<u32>,
    /// By number: how many tokens have it.
    sizes: Vec<u32>,
    /// Numbers that no token has any more.
    unused: Vec<u32>,
    /// Of the state at hand: the new number of tokens by their old one and by where they lead.
    renamed: FxHashMap<(u32, u16), u32>,
}

impl TokenClasses {
    /// All tokens of one class but for the ends of text, which have one of their own.
    pub fn new(tokens: usize, ends: &[TokenId]) -> Self {
        let mut of = vec![u32::from(NEVER); tokens];
        for &end in ends {
            of[end as usize] = u32::from(END);
        }
        let sizes = vec![(tokens - ends.len()) as u32, ends.len() as u32];
        Self { of, sizes, unused: Vec::new(), renamed: FxHashMap::default() }
    }

    /// How many classes there are, at least two.
    pub fn count(&self) -> usize {
        self.sizes.len() - self.unused.len()
    }

    /// Keeps tokens of one class only if a state leads them to one place. A token comes once at most.
    pub fn split(&mut self, allowed: &[(TokenId, u16)]) {
        self.renamed.clear();
        let mut recent = [((u32::MAX, 0), 0); RECENT]; // mostly the way is one of a few
        for &(token, to) in allowed {
            let old = self.of[token as usize];
            let known = &mut recent[(old as usize).wrapping_mul(31).wrapping_add(usize::from(to)) % RECENT];
            if known.0 != (old, to) {
                *known = ((old, to), renamed_class(&mut self.sizes, &mut self.unused, &mut self.renamed, (old, to)));
            }
            let new = known.1;
            self.of[token as usize] = new;
            self.sizes[old as usize] -= 1;
            self.sizes[new as usize] += 1;
        }
        let mut left: Vec<u32> = self.renamed.keys().map(|&(old, _)| old).collect();
        left.sort_unstable();
        left.dedup();
        let is_unused = |&old: &u32| old > u32::from(END) && self.sizes[old as usize] == 0;
        self.unused.extend(left.into_iter().filter(is_unused));
    }

    /// By token its class, numbered in the order of their first tokens after the two that are always there; and by
    /// class such a token, if it has one.
    pub fn finish(&self) -> (Vec<u16>, Vec<Option<TokenId>>) {
        let mut numbers = vec![u16::MAX; self.sizes.len()];
        (numbers[usize::from(NEVER)], numbers[usize::from(END)]) = (NEVER, END);
        let mut first = vec![None; 2];
        let class = |(token, &of): (TokenId, &u32)| {
            let number = &mut numbers[of as usize];
            if *number == u16::MAX {
                *number = first.len() as u16;
                first.push(Some(token));
            }
            *number
        };
        let of = (0..).zip(&self.of).map(class).collect();
        (of, first)
    }
}

/// The new number of tokens by their old one and by where they lead.
fn renamed_class(
    sizes: &mut Vec<u32>,
    unused: &mut Vec<u32>,
    renamed: &mut FxHashMap<(u32, u16), u32>,
    way: (u32, u16),
) -> u32 {
    *renamed.entry(way).or_insert_with(|| {
        unused.pop().unwrap_or_else(|| {
            sizes.push(0);
            sizes.len() as u32 - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_go_the_same_ways_share_a_class() {
        let mut classes = TokenClasses::new(6, &[5]);
        classes.split(&[(1, 7), (2, 7), (3, 8)]);
        classes.split(&[(1, 1), (2, 2)]);
        classes.split(&[(1, 4), (2, 5), (3, 4)]);
        let (of, first) = classes.finish();
        assert_eq!(of, [NEVER, 2, 3, 4, NEVER, END]);
        assert_eq!(first, [None, None, Some(1), Some(2), Some(3)]);
        assert_eq!(classes.count(), 5);
    }
}
