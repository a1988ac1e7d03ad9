//! Which values of a variable leave at least as much open as others.
//!
//! A text can be read as a value that keeps more or fewer promises: as one that is neither `"a"` nor `"b"`, as one that
//! is not `"a"`, as any. Conditions ask for promises and never for their absence, so whatever may follow the last reading
//! may follow the first one, which covers it.

use super::Values;

/// What the values of a variable promise.
#[derive(Clone, Debug)]
pub enum Promises {
    /// Of a declared member, by its way: the promises that such values keep.
    OfWays(Box<[Values]>),
    /// Of a kind, whose values are sets of facts.
    OfFacts {
        /// The facts of which only the presence is asked for.
        wanted: u16,
        /// Those of which only the absence is.
        unwanted: u16,
    },
}

impl Promises {
    /// Whether whatever may follow one value may follow another.
    pub fn cover(&self, stronger: u16, weaker: u16) -> bool {
        if stronger == weaker {
            return true;
        }
        match self {
            Self::OfWays(kept) => {
                let of_value = |value: u16| kept.get((value as usize).checked_sub(1)?); // 0 is absence
                let both = of_value(stronger).zip(of_value(weaker));
                both.is_some_and(|(more, fewer)| fewer.is_within(more))
            }
            Self::OfFacts { wanted, unwanted } => {
                (stronger & !weaker) & !wanted == 0 && (weaker & !stronger) & !unwanted == 0
            }
        }
    }
}
