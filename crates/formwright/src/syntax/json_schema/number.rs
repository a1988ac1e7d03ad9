//! Sets of numbers.
//!
//! ```text
//! {"minimum": 0, "exclusiveMaximum": 10, "multipleOf": 0.5}     0, 0.5, 1, ... 9.5
//! ```
//!
//! A [`NumberSet`] is an interval with divisibility; complement and intersection stay inside unions of these.
//!
//! Cost: arithmetic on exact decimals. What readers with doubles make of a number ([`doubles`]) does not change
//! which numbers are in a set, only which of them are written. What an intersection forgets, they may still see: a set
//! remembers it.

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, One, ToPrimitive, Zero};

use super::doubles;
use crate::regular::Divisor;

/// Of more divisors than this, none is compared with all others.
const FEW: usize = 16;

/// One side of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The number.
    pub value: BigDecimal,
    /// Whether the number itself is outside.
    pub exclusive: bool,
    /// Whether numbers that are read as the same double are outside.
    pub apart: bool,
    /// Whether it is written with a point or an exponent, so that all readers but exact ones take it for a double.
    pub float: bool,
}

impl Bound {
    /// A bound as most are.
    pub fn new(value: BigDecimal, exclusive: bool) -> Self {
        Self { value, exclusive, apart: exclusive, float: false }
    }

    /// The bound on the negated numbers.
    pub fn negated(&self) -> Self {
        Self { value: -self.value.clone(), ..*self }
    }

    /// The other side of the number line.
    fn flipped(&self) -> Self {
        Self { value: self.value.clone(), exclusive: !self.exclusive, apart: !self.exclusive, float: self.float }
    }
}

/// The numbers between two bounds, with divisibility.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberSet {
    /// At least.
    pub low: Option<Bound>,
    /// At most.
    pub high: Option<Bound>,
    /// Multiples of each of these: one divisor, unless their common multiple is beyond what can be enforced.
    pub multiples: Vec<BigDecimal>,
    /// Multiples of none of these.
    pub others: Vec<BigDecimal>,
    /// Whether its one number is read as a double that is outside.
    pub misread: bool,
}

impl NumberSet {
    /// Exactly `value`; `float`: it is written with a point or an exponent.
    pub fn point(value: &BigDecimal, float: bool) -> Self {
        let bound = Some(Bound { float, ..Bound::new(value.clone(), false) });
        Self { low: bound.clone(), high: bound, ..Self::default() }
    }

    /// The number, if there is one only.
    pub fn only(&self) -> Option<&BigDecimal> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if low.value == high.value && !low.exclusive && !high.exclusive => Some(&low.value),
            _ => None,
        }
    }

    /// Of a single number: whether it is written with a point or an exponent.
    pub fn is_float(&self) -> bool {
        self.low.as_ref().is_some_and(|low| low.float)
    }

    /// Of a single number: whether it is in the set however it is read.
    pub fn is_safe(&self) -> bool {
        !self.misread && self.only().is_some_and(|value| doubles::is_safe(value, self.is_float(), self))
    }

    /// Whether only integers are in it.
    pub fn is_integral(&self) -> bool {
        self.multiples.iter().any(BigDecimal::is_integer)
    }

    /// Whether it has a number.
    pub fn has(&self, value: &BigDecimal) -> bool {
        let divides = |divisor: &BigDecimal| divides(divisor, value);
        let above = |low: &Bound| *value > low.value || !low.exclusive && *value == low.value;
        let below = |high: &Bound| *value < high.value || !high.exclusive && *value == high.value;
        self.low.as_ref().is_none_or(above)
            && self.high.as_ref().is_none_or(below)
            && self.multiples.iter().all(divides)
            && !self.others.iter().any(divides)
    }

    /// What is in both; `None` if that is nothing.
    pub fn and(&self, other: &Self) -> Option<Self> {
        for (one, all) in [(self, other), (other, self)] {
            if let Some(value) = one.only() {
                let misread =
                    || one.misread || all.misread || !one.is_safe() || !doubles::is_safe(value, one.is_float(), all);
                let point = || Self { misread: misread(), ..Self::point(value, one.is_float()) };
                return (one.has(value) && all.has(value)).then(point);
            }
        }
        let mut both = self.clone();
        both.low = tighter(self.low.as_ref(), other.low.as_ref(), true);
        both.high = tighter(self.high.as_ref(), other.high.as_ref(), false);
        other.multiples.iter().for_each(|divisor| both.add_multiple(divisor.clone()));
        both.others.extend(other.others.iter().filter(|divisor| !self.others.contains(divisor)).cloned());
        both.drop_implied();
        if both.is_integral() {
            both.round_bounds();
        }
        (!both.is_empty()).then_some(both)
    }

    /// Leaves only multiples of `divisor`.
    pub fn divide(&mut self, divisor: BigDecimal) {
        self.add_multiple(divisor);
        if self.is_integral() {
            self.round_bounds();
        }
    }

    /// Multiples of several divisors are those of their common multiple: remainders by one number instead of by each.
    fn add_multiple(&mut self, divisor: BigDecimal) {
        let merged = self.multiples.iter().zip(0..).find_map(|(known, at)| {
            let common = common_multiple(known, &divisor)?;
            divisor_of(&common).is_ok().then_some((at, common))
        });
        match merged {
            Some((at, common)) => self.multiples[at] = common,
            None if self.multiples.contains(&divisor) => {}
            None => self.multiples.push(divisor),
        }
    }

    /// Leaves out divisors whose multiples are multiples of another one, as far as they are in the set at all.
    fn drop_implied(&mut self) {
        let [multiple] = self.multiples.as_slice() else { return };
        if self.others.len() > FEW {
            return;
        }
        let inside: Vec<_> = self.others.iter().map(|other| common_multiple(multiple, other)).collect();
        let implied = |at: usize| {
            inside.iter().enumerate().any(|(by, wider)| match (&inside[at], wider) {
                (Some(one), Some(wider)) if one != wider => by != at && (one % wider).is_zero(),
                (Some(one), Some(wider)) => by < at && one == wider,
                _ => false,
            })
        };
        let kept = (0..self.others.len()).filter(|&at| !implied(at)).map(|at| self.others[at].clone()).collect();
        self.others = kept;
    }

    /// Bounds that doubles do not tell from all others stay as they are.
    fn round_bounds(&mut self) {
        for low in self.low.iter_mut().filter(|low| doubles::is_plain(&low.value)) {
            *low = doubles::first_integer(low, false);
        }
        for high in self.high.iter_mut().filter(|high| doubles::is_plain(&high.value)) {
            *high = doubles::last_integer(high, false);
        }
    }

    /// Whether nothing is in it, as far as bounds and single points tell.
    pub fn is_empty(&self) -> bool {
        if let (Some(low), Some(high)) = (&self.low, &self.high)
            && (low.value > high.value || (low.value == high.value && (low.exclusive || high.exclusive)))
        {
            return true;
        }
        let divides = |other: &BigDecimal| self.multiples.iter().any(|divisor| (divisor % other).is_zero());
        if self.others.iter().any(divides) {
            return true;
        }
        self.only().is_some_and(|value| !self.has(value))
    }

    /// Everything else, as a union.
    pub fn complement(&self) -> Vec<Self> {
        let mut parts = Vec::new();
        if let Some(low) = &self.low {
            parts.push(Self { high: Some(low.flipped()), ..Self::default() });
        }
        if let Some(high) = &self.high {
            parts.push(Self { low: Some(high.flipped()), ..Self::default() });
        }
        parts.extend(self.multiples.iter().map(|divisor| Self { others: vec![divisor.clone()], ..Self::default() }));
        parts.extend(self.others.iter().map(|divisor| Self { multiples: vec![divisor.clone()], ..Self::default() }));
        parts
    }
}

/// The bound that leaves less. One that is read as the same double says what it says of doubles.
fn tighter(a: Option<&Bound>, b: Option<&Bound>, low: bool) -> Option<Bound> {
    match (a, b) {
        (None, other) | (other, None) => other.cloned(),
        (Some(a), Some(b)) => {
            let a_wins = match a.value.cmp(&b.value) {
                std::cmp::Ordering::Equal => a.exclusive,
                std::cmp::Ordering::Greater => low,
                std::cmp::Ordering::Less => !low,
            };
            let (winner, other) = if a_wins { (a, b) } else { (b, a) };
            let both = doubles::are_one(&a.value, &b.value);
            Some(Bound {
                apart: winner.apart || both && other.apart,
                float: winner.float || both && other.float,
                ..winner.clone()
            })
        }
    }
}

/// The least positive number that is a multiple of both; `None` for divisors that cannot be enforced.
fn common_multiple(a: &BigDecimal, b: &BigDecimal) -> Option<BigDecimal> {
    if divisor_of(a).is_err() || divisor_of(b).is_err() {
        return None;
    }
    let (mut rest, mut common) = (a.clone(), b.clone());
    while !rest.is_zero() {
        (rest, common) = (&common % &rest, rest);
    }
    // `a` is a multiple of the common divisor: the division leaves nothing.
    let (a, common, scale) =
        (a.normalized(), common.normalized(), a.fractional_digit_count().max(common.fractional_digit_count()));
    let digits = |value: &BigDecimal| value.with_scale(scale).into_bigint_and_exponent().0;
    Some((b * BigDecimal::from(digits(&a) / digits(&common))).normalized())
}

/// Whether a number is a multiple of a divisor.
pub fn divides(divisor: &BigDecimal, value: &BigDecimal) -> bool {
    if divisor.is_one() { value.is_integer() } else { (value % divisor).is_zero() }
}

/// A divisor whose multiples an automaton tells.
pub fn divisor_of(divisor: &BigDecimal) -> Result<Divisor, &'static str> {
    let (digits, scale) = divisor.normalized().into_bigint_and_exponent();
    let (digits, scale) = if scale < 0 {
        (digits * BigInt::from(10).pow(u32::try_from(-scale).unwrap_or(u32::MAX).min(30)), 0)
    } else {
        (digits, scale)
    };
    match (digits.to_u64(), u32::try_from(scale)) {
        (Some(digits), Ok(scale)) if digits > 0 && digits < 1 << 32 && scale <= 18 => Ok(Divisor { digits, scale }),
        _ => Err("the divisor has too many digits"),
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    fn big(text: &str) -> BigDecimal {
        BigDecimal::from_str(text).unwrap()
    }

    /// Divisors are merged and dropped; those left accept the same numbers as all of them did.
    #[test]
    fn divisors_agree_with_arithmetic() {
        let divisors = ["33", "12", "6", "0.4", "2.5", "1"];
        for which in 0..1_u32 << (2 * divisors.len()) {
            // Two bits each: a multiple, not a multiple, or nothing said.
            let says = |at: usize| which >> (2 * at) & 3;
            if (0..divisors.len()).any(|at| says(at) == 3) || which.count_ones() > 3 {
                continue;
            }
            let mut parts = divisors.iter().enumerate().filter(|&(at, _)| says(at) != 0).map(|(at, divisor)| {
                let mut part = NumberSet::default();
                if says(at) == 1 {
                    part.divide(big(divisor));
                } else {
                    part.others.push(big(divisor));
                }
                part
            });
            let merged = parts.try_fold(NumberSet::default(), |all, part| all.and(&part));
            for tenths in 0..1400_u32 {
                let value = BigDecimal::from(tenths) * big("0.1");
                let divides = |divisor: &BigDecimal| (&value % divisor).is_zero();
                let expected = (0..divisors.len()).all(|at| match says(at) {
                    1 => divides(&big(divisors[at])),
                    2 => !divides(&big(divisors[at])),
                    _ => true,
                });
                let seen = merged.as_ref().is_some_and(|set| set.has(&value));
                assert_eq!(seen, expected, "{value} in {merged:?}, {which:b}");
            }
        }
    }

    #[test]
    fn a_divisor_that_says_nothing_new_is_dropped() {
        let integers = NumberSet { multiples: vec![big("1")], ..NumberSet::default() };
        let not = |divisor| NumberSet { others: vec![big(divisor)], ..NumberSet::default() };
        let set =
            integers.and(&not("12")).and_then(|set| set.and(&not("6"))).and_then(|set| set.and(&not("4"))).unwrap();
        assert_eq!(set.others, [big("6"), big("4")], "every multiple of 12 is one of 6");
    }

    #[test]
    fn divisors_have_a_largest_and_a_finest() {
        for (divisor, inside) in [
            ("4294967295", true),
            ("4294967296", false),
            ("0.000000000000000001", true),
            ("0.0000000000000000001", false),
            ("4294967295e-18", true),
            ("1e9", true),
            ("1e10", false),
        ] {
            assert_eq!(divisor_of(&big(divisor)).is_ok(), inside, "{divisor}");
        }
        let Divisor { digits, scale } = divisor_of(&big("4294967295e-18")).unwrap();
        assert_eq!((digits, scale), (4_294_967_295, 18));
    }

    #[test]
    fn a_point_is_inside_or_nothing_is() {
        let even = NumberSet { multiples: vec![big("2")], ..NumberSet::default() };
        assert!(NumberSet::point(&big("3"), false).and(&even).is_none());
        let four = NumberSet::point(&big("4"), false);
        assert_eq!(even.and(&four), Some(four));
    }
}
