//! Sets of small numbers.

/// A set of numbers below a bound that is known when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)].into())
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
