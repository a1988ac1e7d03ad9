//! Which tokens may be side by side in one piece.
//!
//! ```text
//! ab 3   bc 4   abc 5 = ab+c        a|bc never comes out of an encoder: a and b merge before b and c
//! ```
//!
//! Tokens that are self-canonical are what an encoder makes of a piece if and only if every two neighbours are
//! *compatible*: encoded together, they are these two again. (Berglund and van der Merwe 2023 tell this of whole
//! tokenizations; a merge across a boundary comes at the same moment whatever else is in the piece.)
//!
//! Two tokens are not compatible if a merge takes a suffix of the left one and a prefix of the right one before either
//! is part of something longer. The suffixes of a token that are ever symbols are its *right spine*: its right part, the
//! right part of that, and so on; the prefixes are the left spine. Number all tokens in preorder of the tree in which the
//! parent of a token is its left part: then all tokens that begin with a symbol, and make something longer of it no sooner
//! than a given merge, are an interval of numbers; and what may not follow a token is a short list of intervals.
//!
//! Where merges are not listed in the order in which they are taken, some pairs are merged to be sure ([`super::times`]);
//! a token that may be followed by others than its list tells has a list of its own.
//!
//! Cost: 16 bytes a merge; the intervals of one token take about 0.1 us, a pair as long. At the same time, a
//! merge across the boundary comes before one inside the right token, and after one inside the left token.

use rustc_hash::FxHashMap;

use super::splits::{NONE, Splits, TokenId};
use super::times::Times;
use crate::error::{Error, Result};

/// Pairs that are merged to see whether they are compatible, at most, and bytes of these.
const MOST_DOUBTFUL: usize = 1 << 18;
const MOST_BYTES: usize = 1 << 24;

/// An interval of preorder numbers, from the first to the one after the last.
pub type Interval = (u32, u32);

/// A merge that takes a symbol of the right token: when, and whom it takes that symbol from.
#[derive(Clone, Copy, Debug)]
struct Taking {
    time: u32,
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
    /// By token that is taken from the left, by time.
    takings: Box<[Taking]>,
    /// By token: when it is made.
    times: Box<[u32]>,
    /// By token, if it is not what its takings tell: the intervals of those that must not follow it.
    exceptions: FxHashMap<TokenId, Box<[Interval]>>,
}

impl Pairs {
    /// For the merges of a vocabulary.
    ///
    /// # Errors
    /// [`crate::Kind::Vocabulary`] if so many tokens are made before their parts that it is not told what may follow them.
    pub fn new(splits: &Splits) -> Result<Self> {
        let times = Times::new(splits);
        let doubtful = times.doubtful(MOST_DOUBTFUL);
        let mut pairs = Self::by_time(splits, times.by_token);
        let length = |&(left, right): &(TokenId, TokenId)| splits.spelled(left).len() + splits.spelled(right).len();
        let doubtful = doubtful.filter(|doubtful| doubtful.iter().map(length).sum::<usize>() <= MOST_BYTES);
        let too_many = || Error::vocabulary("too many merges come before those that make their parts");
        for of_left in doubtful.ok_or_else(too_many)?.chunk_by(|(a, _), (b, _)| a == b) {
            if let Some(intervals) = pairs.corrected(splits, of_left) {
                pairs.exceptions.insert(of_left[0].0, intervals);
            }
        }
        Ok(pairs)
    }

    /// As times tell.
    fn by_time(splits: &Splits, times: Box<[u32]>) -> Self {
        let count = splits.len() as u32;
        let time = |token: TokenId| times[token as usize];
        let merged: Vec<TokenId> = (0..count).filter(|&token| splits.split(token).is_some()).collect();
        let children =
            Lists::new(count, merged.iter().filter_map(|&token| Some((splits.split(token)?.0, token))), |a, b| {
                time(*b).cmp(&time(*a)) // the latest first
            });
        let Preorder { numbers, ends, tokens } = Preorder::new(splits, &children);
        let taken = |&token: &TokenId| {
            let ((left, right), at) = (splits.split(token)?, time(token));
            // Of the tokens that begin with `right`, those that make something longer of it no sooner.
            let later = children.of(right).iter().take_while(|&&child| time(child) >= at).last();
            let first = numbers[right as usize];
            let end = later.map_or(first + 1, |&child| ends[child as usize]);
            Some((left, Taking { time: at, from: (first, end) }))
        };
        let lists = Lists::new(count, merged.iter().filter_map(taken), |a, b| a.time.cmp(&b.time));
        Self { numbers, tokens, starts: lists.starts, takings: lists.items, times, exceptions: FxHashMap::default() }
    }

    /// The intervals of tokens that must not follow one, if pairs with some others, merged, are not what times tell.
    fn corrected(&self, splits: &Splits, pairs: &[(TokenId, TokenId)]) -> Option<Box<[Interval]>> {
        let left = pairs[0].0;
        let told = united(self.intervals_after(splits, left).collect());
        let is_told = |number: u32| {
            let after = told.partition_point(|&(first, _)| first <= number);
            after > 0 && number < told[after - 1].1
        };
        let wrong = pairs.iter().filter_map(|&(_, right)| {
            let both = [splits.spelled(left), splits.spelled(right)].concat();
            let may_follow = splits.encode_bytes(&both).as_deref() == Some(&[left, right]);
            let number = self.numbers[right as usize];
            (may_follow == is_told(number)).then_some((number, may_follow))
        });
        let mut wrong: Vec<(u32, bool)> = wrong.collect();
        wrong.sort_unstable();
        if wrong.is_empty() {
            return None;
        }
        let mut intervals: Vec<Interval> =
            wrong.iter().filter(|(_, may_follow)| !may_follow).map(|&(number, _)| (number, number + 1)).collect();
        for (mut first, end) in told {
            let from = wrong.partition_point(|&(number, _)| number < first);
            let inside = wrong[from..].iter().take_while(|&&(number, _)| number < end);
            for &(number, _) in inside.filter(|(_, may_follow)| *may_follow) {
                intervals.push((first, number));
                first = number + 1;
            }
            intervals.push((first, end));
        }
        intervals.retain(|(first, end)| first < end);
        Some(intervals.into())
    }

    /// The intervals of tokens that must not follow `token` in a piece.
    pub fn intervals_after<'p>(&'p self, splits: &'p Splits, token: TokenId) -> impl Iterator<Item = Interval> + 'p {
        let exception = if self.exceptions.is_empty() { None } else { self.exceptions.get(&token) };
        let mut spine = Some((token, u32::MAX)).filter(|_| exception.is_none());
        let by_time = std::iter::from_fn(move || {
            let (symbol, limit) = spine?;
            spine = splits.split(symbol).map(|(_, right)| (right, self.times[symbol as usize]));
            Some((symbol, limit))
        })
        .flat_map(|(symbol, limit)| {
            let (start, end) = (self.starts[symbol as usize], self.starts[symbol as usize + 1]);
            let takings = &self.takings[start as usize..end as usize];
            takings.iter().take_while(move |taking| taking.time < limit).map(|taking| taking.from)
        });
        exception.into_iter().flatten().copied().chain(by_time)
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

/// The same numbers as in some intervals, in intervals that do not meet, ascending.
fn united(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut united: Vec<Interval> = Vec::with_capacity(intervals.len());
    for (first, end) in intervals {
        match united.last_mut() {
            Some(last) if first <= last.1 => last.1 = last.1.max(end),
            _ => united.push((first, end)),
        }
    }
    united
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
    /// Tokens that nothing makes have numbers after all others.
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

    /// How the merges of a test are ordered.
    #[derive(Clone, Copy)]
    enum Merged {
        AsTrained,
        InAnyOrder,
        WithTies,
    }

    /// Splits over three letters, each new token concatenated from two that were there.
    fn trained(random: &mut Random, merges: usize, merged: Merged) -> Splits {
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
        let order = match merged {
            Merged::AsTrained => Order::Priorities((0..tokens.len() as u32).collect()),
            Merged::InAnyOrder => Order::List(shuffled_merges(random, &tokens)),
            Merged::WithTies => Order::Priorities(tokens.iter().map(|_| random.below(6) as u32).collect()),
        };
        let tokens = tokens.into_iter().map(Some).collect();
        Splits::new(&Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order }).unwrap()
    }

    /// All two tokens that concatenate to a third one, in any order.
    fn shuffled_merges(random: &mut Random, tokens: &[Vec<u8>]) -> Vec<(TokenId, TokenId, TokenId)> {
        let id = |bytes: &[u8]| tokens.iter().position(|token| token == bytes).map(|id| id as TokenId);
        let cuts = |made: &Vec<u8>| (1..made.len()).map(|at| (made.clone(), at)).collect::<Vec<_>>();
        let merge = |(made, at): (Vec<u8>, usize)| Some((id(&made[..at])?, id(&made[at..])?, id(&made)?));
        let mut list: Vec<_> = tokens.iter().flat_map(cuts).filter_map(merge).collect();
        (1..list.len()).rev().for_each(|at| list.swap(at, random.below(at + 1)));
        list
    }

    /// Two neighbours are compatible just if they are what the encoder makes of both together, and a sequence is what it
    /// makes of the whole just if all neighbours are compatible.
    #[test]
    fn pairs_agree_with_the_encoder() {
        let mut random = Random(7);
        let (mut compatible, mut others, mut exceptions) = (0, 0, 0);
        for round in 0..600 {
            let merged = [Merged::AsTrained, Merged::InAnyOrder, Merged::WithTies][round % 3];
            let splits = trained(&mut random, 4 + round % 20, merged);
            let pairs = Pairs::new(&splits).unwrap();
            exceptions += pairs.exceptions.len();
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
        assert!(compatible > 10_000 && others > 10_000 && exceptions > 10, "{compatible} {others} {exceptions}");
    }
}
