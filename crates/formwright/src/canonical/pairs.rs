//! Which tokens may stand side by side in one piece.
//!
//! ```text
//! ab 3   bc 4   abc 5 = ab+c        a|bc never comes out of an encoder: a and b merge before b and c
//! ```
//!
//! Tokens that are self-canonical are what an encoder makes of a piece if and only if every two neighbours are
//! *compatible*: encoded together, they are these two again. (Berglund and van der Merwe 2023 tell this of whole
//! tokenizations; a merge across a boundary comes at the same moment whatever else stands in the piece.)
//!
//! Two tokens are not compatible if a merge takes a suffix of the left one and a prefix of the right one before either
//! is part of something longer. The suffixes of a token that are ever symbols are its *right spine*: its right part, the
//! right part of that, and so on; the prefixes are the left spine. Number all tokens in preorder of the tree in which the
//! parent of a token is its left part: then all tokens that begin with a symbol, and make something longer of it no sooner
//! than a given merge, are an interval of numbers; and what may not follow a token is a short list of intervals.
//!
//! Cost: 12 bytes a merge; the intervals of one token take about 0.1 us, a pair as long. Wrinkle: at equal priority, a
//! merge across the boundary comes before one inside the right token, and after one inside the left token.

use super::splits::{NONE, Splits, TokenId};

/// An interval of preorder numbers, from the first to the one after the last.
pub type Interval = (u32, u32);

/// A merge that takes a symbol of the right token: its priority, and whom it takes that symbol from.
#[derive(Clone, Copy, Debug)]
struct Taking {
    priority: u32,
    from: Interval,
}

/// Which tokens are compatible.
#[derive(Debug)]
pub struct Pairs {
    /// By token: its number in preorder, and by number the token.
    numbers: Box<[u32]>,
    tokens: Box<[TokenId]>,
    /// By token: where its list of `takings` begins.
    starts: Box<[u32]>,
    /// By token that is taken from the left, by priority.
    takings: Box<[Taking]>,
}

impl Pairs {
    /// For the merges of a vocabulary.
    pub fn new(splits: &Splits) -> Self {
        let count = splits.len() as u32;
        let merged: Vec<TokenId> = (0..count).filter(|&token| splits.split(token).is_some()).collect();
        let children =
            Lists::new(count, merged.iter().filter_map(|&token| Some((splits.split(token)?.0, token))), |a, b| {
                splits.priority(*b).cmp(&splits.priority(*a)) // the latest first
            });
        let Preorder { numbers, ends, tokens } = Preorder::new(splits, &children);
        let taken = |&token: &TokenId| {
            let ((left, right), priority) = (splits.split(token)?, splits.priority(token));
            // Of the tokens that begin with `right`, those that make something longer of it no sooner.
            let later = children.of(right).iter().take_while(|&&child| splits.priority(child) >= priority).last();
            let first = numbers[right as usize];
            let end = later.map_or(first + 1, |&child| ends[child as usize]);
            Some((left, Taking { priority, from: (first, end) }))
        };
        let lists = Lists::new(count, merged.iter().filter_map(taken), |a, b| a.priority.cmp(&b.priority));
        Self { numbers, tokens, starts: lists.starts, takings: lists.items }
    }

    /// The intervals of tokens that must not follow `token` in a piece.
    pub fn intervals_after<'p>(&'p self, splits: &'p Splits, token: TokenId) -> impl Iterator<Item = Interval> + 'p {
        let mut spine = Some((token, u32::MAX));
        std::iter::from_fn(move || {
            let (symbol, limit) = spine?;
            spine = splits.split(symbol).map(|(_, right)| (right, splits.priority(symbol)));
            Some((symbol, limit))
        })
        .flat_map(|(symbol, limit)| {
            let (start, end) = (self.starts[symbol as usize], self.starts[symbol as usize + 1]);
            let takings = &self.takings[start as usize..end as usize];
            takings.iter().take_while(move |taking| taking.priority < limit).map(|taking| taking.from)
        })
    }

    /// Whether `right` may follow `left` in a piece.
    pub fn are_compatible(&self, splits: &Splits, left: TokenId, right: TokenId) -> bool {
        let number = self.numbers[right as usize];
        self.intervals_after(splits, left).all(|(first, end)| number < first || end <= number)
    }

    /// The tokens of an interval.
    pub fn tokens(&self, (first, end): Interval) -> &[TokenId] {
        &self.tokens[first as usize..end as usize]
    }
}

/// The numbers of tokens, in preorder of the tree in which the parent of a token is its left part.
struct Preorder {
    numbers: Box<[u32]>,
    /// By token: the number after all that begin with it.
    ends: Box<[u32]>,
    /// By number.
    tokens: Box<[TokenId]>,
}

impl Preorder {
    /// Tokens that nothing makes have numbers behind all others.
    fn new(splits: &Splits, children: &Lists<TokenId>) -> Self {
        let count = splits.len();
        let (mut numbers, mut ends) = (vec![NONE; count], vec![0; count]);
        let mut tokens: Vec<TokenId> = Vec::with_capacity(count);
        let (symbols, others): (Vec<TokenId>, Vec<TokenId>) = (0..count as TokenId)
            .filter(|&token| splits.split(token).is_none())
            .partition(|&token| splits.is_symbol(token));
        let mut open: Vec<(TokenId, bool)> = symbols.iter().chain(&others).rev().map(|&root| (root, false)).collect();
        while let Some((token, is_done)) = open.pop() {
            if is_done {
                ends[token as usize] = tokens.len() as u32;
                continue;
            }
            numbers[token as usize] = tokens.len() as u32;
            tokens.push(token);
            open.push((token, true));
            open.extend(children.of(token).iter().rev().map(|&child| (child, false)));
        }
        Self { numbers: numbers.into(), ends: ends.into(), tokens: tokens.into() }
    }
}

/// A list for each token, all in one array.
struct Lists<T> {
    starts: Box<[u32]>,
    items: Box<[T]>,
}

impl<T: Copy> Lists<T> {
    fn new(
        count: u32,
        items: impl Iterator<Item = (TokenId, T)>,
        order: impl Fn(&T, &T) -> std::cmp::Ordering,
    ) -> Self {
        let mut all: Vec<(TokenId, T)> = items.collect();
        all.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| order(x, y)));
        let starts = (0..=count).map(|token| all.partition_point(|&(of, _)| of < token) as u32).collect();
        Self { starts, items: all.into_iter().map(|(_, item)| item).collect() }
    }

    fn of(&self, token: TokenId) -> &[T] {
        &self.items[self.starts[token as usize] as usize..self.starts[token as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::splits::{Description, Order, Symbols};
    use super::*;

    /// A small xorshift generator: the same tests every time.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % bound
        }
    }

    /// Splits over three letters, each new token concatenated from two that were there. `None` if they contradict each
    /// other.
    fn trained(random: &mut Random, merges: usize) -> Option<Splits> {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        let mut letters: Vec<Vec<u8>> = [b"a", b"b", b"c"].map(|letter| letter.to_vec()).into();
        while letters.len() < 3 + merges {
            let [left, right] = [random.below(letters.len()), random.below(letters.len())];
            let token = [letters[left].as_slice(), &letters[right]].concat();
            if token.len() <= 6 && !letters.contains(&token) {
                letters.push(token.clone());
                tokens.push(token);
            }
        }
        let order = Order::Priorities((0..tokens.len() as u32).collect());
        let tokens = tokens.into_iter().map(Some).collect();
        Splits::new(&Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order }).ok()
    }

    /// Two neighbours are compatible just if they are what the encoder makes of both together, and a sequence is what it
    /// makes of the whole just if all neighbours are compatible.
    #[test]
    fn pairs_agree_with_the_encoder() {
        let mut random = Random(7);
        let (mut compatible, mut others) = (0, 0);
        for round in 0..200 {
            let Some(splits) = trained(&mut random, 4 + round % 20) else { continue };
            let pairs = Pairs::new(&splits);
            let of_letters = |token: &TokenId| *token >= 256 || (97..100).contains(token);
            let tokens: Vec<TokenId> = (0..splits.len() as u32).filter(of_letters).collect();
            let tokens: Vec<TokenId> = tokens.into_iter().filter(|&token| splits.is_self_canonical(token)).collect();
            for _ in 0..2_000 {
                let sequence: Vec<TokenId> =
                    (0..2 + random.below(4)).map(|_| tokens[random.below(tokens.len())]).collect();
                let bytes: Vec<u8> = sequence.iter().flat_map(|&token| splits.spelled(token)).copied().collect();
                let agree = sequence.windows(2).all(|pair| pairs.are_compatible(&splits, pair[0], pair[1]));
                assert_eq!(
                    splits.encode(std::str::from_utf8(&bytes).unwrap()) == Some(sequence.clone()),
                    agree,
                    "{sequence:?}"
                );
                (compatible, others) = (compatible + usize::from(agree), others + usize::from(!agree));
            }
        }
        assert!(compatible > 10_000 && others > 10_000, "{compatible} {others}");
    }
}
