//! Sets of small numbers.

/// A set of numbers below a bound that is known when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)].into())
    }

    /// The empty set of numbers below the bound of another set.
    pub fn like(other: &Self) -> Self {
        Self(vec![0; other.0.len()].into())
    }

    /// All numbers below `bound`.
    pub fn all(bound: usize) -> Self {
        let mut all = Self::new(bound);
        (0..bound as u32).for_each(|number| all.insert(number));
        all
    }

    /// How many words it takes.
    pub fn words(&self) -> usize {
        self.0.len()
    }

    /// Adds a number.
    pub fn insert(&mut self, number: u32) {
        self.0[number as usize / 64] |= 1 << (number % 64);
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The numbers that are in another set, too.
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(own, other)| own & other).collect())
    }

    /// Whether another set has the same numbers among some.
    pub fn is_same_among(&self, other: &Self, some: &Self) -> bool {
        let words = self.0.iter().zip(&other.0).zip(&some.0);
        words.fold(0, |differing, ((own, other), some)| differing | (own ^ other) & some) == 0
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Adds all numbers of another set; whether there were new ones.
    pub fn extend(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            grew |= *other & !*own != 0;
            *own |= other;
        }
        grew
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (at * 64) as u32 + bit)
        })
    }
}
