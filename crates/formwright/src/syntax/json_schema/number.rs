//! Sets of numbers, and how they are written.
//!
//! ```text
//! {"minimum": 0, "exclusiveMaximum": 10, "multipleOf": 0.5}     0 | 0.0 | 0.5 | 1 | ... | 9.5
//! ```
//!
//! A [`NumberSet`] is an interval with divisibility; complement and intersection stay inside unions of these.
//! [`NumberSet::tree`] writes one as a regular language of JSON numbers: plain decimals compared digit by digit, and
//! exponents where the interval leaves no doubt (`1e-7` between 0 and 1).
//!
//! Cost: arithmetic on exact decimals, never floats. Wrinkle: runs of digits are bounded (`max_digits`), which loses
//! nothing for int64 and double.

use std::sync::OnceLock;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, One, Signed, ToPrimitive, Zero};

use super::DIGITS;
use super::decimals::{Decimals, fraction, nonzero};
use crate::regular::{Divisor, Regular};

/// Of more divisors than this, none is compared with all others.
const FEW: usize = 16;

/// One side of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The number.
    pub value: BigDecimal,
    /// Whether the number itself is outside.
    pub exclusive: bool,
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
}

impl NumberSet {
    /// Exactly `value`.
    pub fn point(value: &BigDecimal) -> Self {
        let bound = Some(Bound { value: value.clone(), exclusive: false });
        Self { low: bound.clone(), high: bound, ..Self::default() }
    }

    /// The number, if there is one only.
    pub fn only(&self) -> Option<&BigDecimal> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if low.value == high.value && !low.exclusive && !high.exclusive => Some(&low.value),
            _ => None,
        }
    }

    /// Whether only integers are in it.
    pub fn is_integral(&self) -> bool {
        self.multiples.iter().any(BigDecimal::is_integer)
    }

    /// Whether it has numbers of more than `digits` digits before the point, or behind it.
    pub fn exceeds(&self, digits: u32) -> bool {
        let fits = |bound: &Option<Bound>| {
            let digits_of =
                |bound: &Bound| plain_text(&bound.value).trim_start_matches('-').split('.').next().map(str::len);
            bound.as_ref().and_then(digits_of).is_some_and(|found| found <= digits as usize)
        };
        !(self.is_integral() && fits(&self.low) && fits(&self.high))
    }

    /// Whether it has a number.
    pub fn has(&self, value: &BigDecimal) -> bool {
        let divides = |divisor: &BigDecimal| {
            if divisor.is_one() { value.is_integer() } else { (value % divisor).is_zero() }
        };
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
                return (one.has(value) && all.has(value)).then(|| Self::point(value));
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

    fn round_bounds(&mut self) {
        if let Some(low) = &mut self.low {
            let up = low.value.with_scale_round(0, bigdecimal::RoundingMode::Ceiling);
            let value = if up == low.value && low.exclusive { up + BigDecimal::one() } else { up };
            *low = Bound { value, exclusive: false };
        }
        if let Some(high) = &mut self.high {
            let down = high.value.with_scale_round(0, bigdecimal::RoundingMode::Floor);
            let value = if down == high.value && high.exclusive { down - BigDecimal::one() } else { down };
            *high = Bound { value, exclusive: false };
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
        let flip = |bound: &Bound| Bound { value: bound.value.clone(), exclusive: !bound.exclusive };
        if let Some(low) = &self.low {
            parts.push(Self { high: Some(flip(low)), ..Self::default() });
        }
        if let Some(high) = &self.high {
            parts.push(Self { low: Some(flip(high)), ..Self::default() });
        }
        parts.extend(self.multiples.iter().map(|divisor| Self { others: vec![divisor.clone()], ..Self::default() }));
        parts.extend(self.others.iter().map(|divisor| Self { multiples: vec![divisor.clone()], ..Self::default() }));
        parts
    }

    /// How its numbers are written. Fails with a reason when a divisor is out of range.
    pub fn tree(&self, max_digits: u32) -> Result<Regular, &'static str> {
        if let Some(value) = self.only() {
            return Ok(Regular::text(&plain_text(value)));
        }
        let integral = self.is_integral();
        if self.is_bounds_alone() {
            let usual = self.usual(integral).filter(|_| max_digits == DIGITS);
            return Ok(usual.unwrap_or_else(|| self.interval(integral, max_digits)));
        }
        let mut parts = vec![self.interval(integral, max_digits)];
        for divisor in &self.multiples {
            if !divisor.is_one() {
                parts.push(Regular::Multiple(divisor_of(divisor)?));
            }
        }
        for divisor in &self.others {
            let not = if divisor.is_one() {
                integers(max_digits).not()
            } else {
                Regular::Multiple(divisor_of(divisor)?).not()
            };
            parts.push(Regular::and([decimals(max_digits, false), not]));
            if divisor.is_one() {
                parts.push(Regular::concat([decimal_integers(max_digits)]).not());
            }
        }
        Ok(Regular::and(parts))
    }

    /// Whether nothing is said about divisors, but for integers.
    fn is_bounds_alone(&self) -> bool {
        self.others.is_empty() && self.multiples.iter().all(BigDecimal::is_one)
    }

    /// What most schemas say: numbers without bounds, from 0 on or from 1 on. Made once a process, of the usual digits.
    fn usual(&self, integral: bool) -> Option<Regular> {
        static TREES: [[OnceLock<Regular>; 2]; 3] = [const { [const { OnceLock::new() }; 2] }; 3];
        let from = match (&self.low, &self.high) {
            (None, None) => 0,
            (Some(low), None) if !low.exclusive && low.value.is_zero() => 1,
            (Some(low), None) if !low.exclusive && low.value.is_one() => 2,
            _ => return None,
        };
        let made = || self.interval(integral, DIGITS);
        Some(Regular::of_static(TREES[from][usize::from(integral)].get_or_init(made)))
    }

    fn interval(&self, integral: bool, digits: u32) -> Regular {
        let exact = !self.is_bounds_alone();
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        if low.is_none() && high.is_none() {
            return if integral { integers(digits) } else { decimals(digits, !exact) };
        }
        let plain = Decimals { integral, digits };
        let is_negative = |bound: &&Bound| bound.value.is_negative();
        let positive = if high.is_some_and(|high| is_negative(&high)) {
            Regular::Never
        } else {
            let zero = || Bound { value: BigDecimal::zero(), exclusive: false };
            plain.between(&low.filter(|low| !is_negative(low)).map_or_else(zero, Bound::clone), high)
        };
        let negative = if low.is_some_and(|low| !is_negative(&low)) {
            Regular::Never
        } else {
            // Zero has no sign.
            let first = || Bound { value: i32::from(integral).into(), exclusive: !integral };
            let least = high.filter(is_negative).map_or_else(first, negated);
            Regular::concat([Regular::text("-"), plain.between(&least, low.map(negated).as_ref())])
        };
        let exponents = if integral || exact { Regular::Never } else { self.safe_exponents(digits) };
        Regular::or([positive, negative, exponents])
    }

    /// Exponent forms that are inside for certain: tiny ones around zero, huge ones without a bound.
    fn safe_exponents(&self, digits: u32) -> Regular {
        let one = BigDecimal::one();
        let within = |low: &BigDecimal, high: Option<&BigDecimal>| {
            let above = self.low.as_ref().is_none_or(|bound| bound.value <= *low);
            let below = self.high.as_ref().is_none_or(|bound| high.is_some_and(|high| bound.value >= *high));
            above && below
        };
        let minus = -one.clone();
        let zero = BigDecimal::zero();
        let below = |high: &BigDecimal| {
            let above = self.low.is_none();
            above && self.high.as_ref().is_none_or(|bound| bound.value >= *high)
        };
        let mut forms = Vec::new();
        if within(&zero, Some(&one)) {
            forms.push(exponent_forms(digits, (false, false)));
        }
        if within(&minus, Some(&zero)) {
            forms.push(exponent_forms(digits, (true, false)));
        }
        if within(&one, None) {
            forms.push(exponent_forms(digits, (false, true)));
        }
        if below(&minus) {
            forms.push(exponent_forms(digits, (true, true)));
        }
        Regular::or(forms)
    }
}

fn tighter(a: Option<&Bound>, b: Option<&Bound>, low: bool) -> Option<Bound> {
    match (a, b) {
        (None, other) | (other, None) => other.cloned(),
        (Some(a), Some(b)) => {
            let a_wins = match a.value.cmp(&b.value) {
                std::cmp::Ordering::Equal => a.exclusive,
                std::cmp::Ordering::Greater => low,
                std::cmp::Ordering::Less => !low,
            };
            Some(if a_wins { a.clone() } else { b.clone() })
        }
    }
}

fn negated(bound: &Bound) -> Bound {
    Bound { value: -bound.value.clone(), exclusive: bound.exclusive }
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

fn divisor_of(divisor: &BigDecimal) -> Result<Divisor, &'static str> {
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

/// The shortest plain decimal text of a number.
pub fn plain_text(value: &BigDecimal) -> String {
    let (digits, scale) = value.as_bigint_and_scale();
    if scale == 0 || value.is_zero() {
        return digits.to_string();
    }
    let (digits, scale) = value.normalized().into_bigint_and_exponent();
    if !(-60..=60).contains(&scale) {
        return value.normalized().to_scientific_notation().replace("E+", "e+").replace("E-", "e-").replace('E', "e");
    }
    let sign = if digits.is_negative() { "-" } else { "" };
    let digits = digits.abs().to_string();
    if scale <= 0 {
        return format!("{sign}{digits}{}", "0".repeat((-scale) as usize));
    }
    let padded = format!("{digits:0>width$}", width = scale as usize + 1);
    let (int, frac) = padded.split_at(padded.len() - scale as usize);
    format!("{sign}{int}.{frac}")
}

fn whole(digits: u32) -> Regular {
    Regular::or([Regular::text("0"), Regular::concat([nonzero(), Regular::digit().repeat(0, Some(digits - 1))])])
}

fn minus() -> Regular {
    Regular::text("-").optional()
}

/// `-?(0|[1-9][0-9]*)`
pub fn integers(digits: u32) -> Regular {
    Regular::concat([minus(), whole(digits)])
}

/// Integers with an optional fraction, and an optional exponent if they may have one.
fn decimals(digits: u32, exponents: bool) -> Regular {
    let power = if exponents { power().optional() } else { Regular::Empty };
    Regular::concat([minus(), whole(digits), fraction(digits).optional(), power])
}

/// `[eE][+-]?[0-9]{1,3}`
fn power() -> Regular {
    Regular::concat([Regular::one_of("eE"), Regular::one_of("+-").optional(), Regular::digit().repeat(1, Some(3))])
}

/// Integers written with a fraction of zeros.
fn decimal_integers(digits: u32) -> Regular {
    Regular::concat([minus(), whole(digits), Regular::text("."), Regular::text("0").repeat(1, Some(digits))])
}

/// Numbers with an exponent, of one sign and one direction.
fn exponent_forms(digits: u32, (negative, huge): (bool, bool)) -> Regular {
    let mantissa = Regular::concat([nonzero(), fraction(digits).optional()]);
    let mantissa = if negative { Regular::concat([Regular::text("-"), mantissa]) } else { mantissa };
    let sign = if huge { Regular::text("+").optional() } else { Regular::text("-") };
    let power = Regular::concat([Regular::text("0").optional(), nonzero(), Regular::digit().repeat(0, Some(2))]);
    Regular::concat([mantissa, Regular::one_of("eE"), sign, power])
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    fn big(text: &str) -> BigDecimal {
        BigDecimal::from_str(text).unwrap()
    }

    fn set(low: Option<(&str, bool)>, high: Option<(&str, bool)>, integral: bool) -> Option<NumberSet> {
        let bound = |side: Option<(&str, bool)>| side.map(|(value, exclusive)| Bound { value: big(value), exclusive });
        let base =
            NumberSet { multiples: integral.then(BigDecimal::one).into_iter().collect(), ..NumberSet::default() };
        base.and(&NumberSet { low: bound(low), high: bound(high), ..NumberSet::default() })
    }

    /// The written language agrees with arithmetic on a grid of texts.
    #[test]
    fn intervals_agree_with_arithmetic() {
        let bounds = ["-100", "-12.5", "-1", "-0.05", "0", "0.05", "0.5", "1", "9", "10", "12.75", "99.9", "100"];
        let texts: Vec<String> = (-1100..=1100)
            .map(|n| plain_text(&(big("0.1") * BigDecimal::from(n))))
            .chain(
                [
                    "0.04", "0.05", "0.051", "-0.05", "-0.06", "12.75", "12.750", "12.751", "0.0", "-1.0", "5e-7",
                    "-5e-7", "2e+9", "-2e9",
                ]
                .map(str::to_owned),
            )
            .collect();
        let sides = |value: &'static str| [None, Some((value, false)), Some((value, true))];
        for &a in &bounds {
            for &b in &bounds {
                for (low, high) in sides(a).into_iter().flat_map(|low| sides(b).map(|high| (low, high))) {
                    if big(a) >= big(b) && low.is_some() && high.is_some() {
                        continue;
                    }
                    for integral in [false, true] {
                        let Some(set) = set(low, high, integral) else { continue };
                        let tree = set.tree(24).unwrap();
                        let automaton = Automaton::new(&tree, Encoding::Text, &Limits::default()).unwrap();
                        for text in texts.iter().step_by(7) {
                            let value = big(text);
                            let above = low.is_none_or(
                                |(low, exclusive)| if exclusive { value > big(low) } else { value >= big(low) },
                            );
                            let below = high.is_none_or(
                                |(high, exclusive)| if exclusive { value < big(high) } else { value <= big(high) },
                            );
                            let is_inside = above && below && (!integral || value.is_integer());
                            assert_eq!(set.has(&value), is_inside, "{text} in {low:?} {high:?} {integral}");
                            let point = NumberSet::point(&value);
                            assert_eq!(set.and(&point), is_inside.then_some(point.clone()));
                            assert_eq!(point.and(&set), is_inside.then_some(point));
                            let plain = !(text.contains('e') || integral && text.contains('.'));
                            let accepted = automaton.accepts(text.as_bytes());
                            assert!(!accepted || (above && below), "{text} in {low:?} {high:?}");
                            assert!(
                                accepted || !(above && below && plain),
                                "{text} not in {low:?} {high:?} {integral}"
                            );
                        }
                    }
                }
            }
        }
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
    fn points_and_complements() {
        assert_eq!(plain_text(&big("-0.0120")), "-0.012");
        assert_eq!(plain_text(&big("1.0e3")), "1000");
        assert_eq!(
            ["0", "-0", "0.000", "-100", "1e2"].map(|text| plain_text(&big(text))),
            ["0", "0", "0", "-100", "100"]
        );
        let set = set(Some(("0", false)), Some(("10", true)), true).unwrap();
        assert_eq!(set.complement().len(), 3);
        assert!(
            NumberSet::point(&big("3")).and(&NumberSet { multiples: vec![big("2")], ..NumberSet::default() }).is_none()
        );
    }
}
