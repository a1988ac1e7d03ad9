//! Numbers with exponents.
//!
//! ```text
//! {"exclusiveMinimum": 0, "maximum": 5}     1e-1, 9.99e-323, not 1e1        without bounds     12.5E+3, 1e308, not 1e309
//! ```
//!
//! Where there are bounds, a mantissa has one digit before the point, and an exponent is written where all mantissas are
//! inside: down to zero, and up without end.
//!
//! Cost: the exponents of what most schemas say are made once a process. Readers with doubles read large exponents as
//! infinite and small ones as 0, so for them both are bounded, the largest one with its mantissas.

use std::sync::LazyLock;

use bigdecimal::{BigDecimal, One, Signed};

use super::decimals::{Decimals, fraction, nonzero};
use super::doubles;
use super::number::Bound;
use super::numerals::{Interval, NumberStyle, decimals};
use crate::regular::Regular;

/// The largest exponent of a double, its largest mantissa there, and the largest exponent of a fraction of 1.
const LARGEST: i64 = 308;
const LARGEST_MANTISSA: &str = "1.7976931348623157";
const SMALLEST: i64 = 323;

/// Longest exponents: what libraries for decimals read.
const LONGEST_EXPONENT: u32 = 9;

impl NumberStyle {
    /// The greatest number that an exponent may be, if its mantissa has one digit before the point.
    fn last_exponent(self, is_tiny: bool) -> i64 {
        match (self.doubles, is_tiny) {
            (true, true) => SMALLEST,
            (true, false) => LARGEST - 1,
            (false, _) => 10_i64.pow(self.max_digits.min(LONGEST_EXPONENT)) - 1,
        }
    }
}

impl Interval {
    /// With exponents, one digit before the point, where all mantissas are inside: down to zero, and up without end.
    pub fn powers(&self, style: NumberStyle) -> Regular {
        let negated = self.negated();
        let minus = |tree| Regular::concat([Regular::text("-"), tree]);
        let forms = [self.tiny(style), self.huge(style), minus(negated.tiny(style)), minus(negated.huge(style))];
        Regular::or(forms)
    }

    fn tiny(&self, style: NumberStyle) -> Regular {
        let from_zero = self.low.as_ref().is_none_or(|low| !low.value.is_positive());
        let first = match &self.high {
            None => 1,
            Some(high) if high.value.is_positive() => (1 - decade(&high.value)).max(1),
            Some(_) => return Regular::Never,
        };
        let power = if from_zero { exponents(first, style.last_exponent(true)) } else { Regular::Never };
        Regular::concat([mantissa(style), Regular::one_of("eE"), Regular::text("-"), power])
    }

    fn huge(&self, style: NumberStyle) -> Regular {
        let first = match &self.low {
            _ if self.high.is_some() => return Regular::Never,
            Some(low) if low.value.is_positive() => (decade(&low.value) + 1).max(1),
            _ => 1,
        };
        let plus = || Regular::concat([Regular::one_of("eE"), Regular::text("+").optional()]);
        let all = Regular::concat([mantissa(style), plus(), exponents(first, style.last_exponent(false))]);
        if !style.doubles || first > LARGEST {
            return all;
        }
        let largest = Regular::concat([largest_mantissas(style), plus(), Regular::text(&LARGEST.to_string())]);
        Regular::or([all, largest])
    }
}

/// The power of ten that a positive number begins with.
fn decade(value: &BigDecimal) -> i64 {
    let (digits, scale) = value.as_bigint_and_scale();
    digits.to_string().len() as i64 - 1 - scale
}

/// One digit that is not zero, and any fraction.
fn mantissa(style: NumberStyle) -> Regular {
    Regular::concat([nonzero(), fraction(style.digits()).optional()])
}

/// Mantissas that go with the largest exponent of a double.
fn largest_mantissas(style: NumberStyle) -> Regular {
    let largest = LARGEST_MANTISSA.parse().expect("a number");
    style.plain(false).between(&Bound::new(BigDecimal::one(), false), Some(&Bound::new(largest, false)))
}

/// Exponents between two numbers; one zero may be before them.
fn exponents(first: i64, last: i64) -> Regular {
    fn made(first: i64, last: i64) -> Regular {
        let bound = |value: i64| Bound::new(value.into(), false);
        let all = Decimals { integral: true, digits: LONGEST_EXPONENT };
        Regular::concat([Regular::text("0").optional(), all.between(&bound(first), Some(&bound(last)))])
    }
    static SMALL: LazyLock<Regular> = LazyLock::new(|| made(1, SMALLEST));
    static LARGE: LazyLock<Regular> = LazyLock::new(|| made(1, LARGEST - 1));
    match (first, last) {
        (1, SMALLEST) => Regular::of_static(&SMALL),
        (1, last) if last == LARGEST - 1 => Regular::of_static(&LARGE),
        _ => made(first, last),
    }
}

/// All numbers with exponents. For readers with doubles: any mantissa with exponents for which it is in range, and one
/// digit before the point with all others.
pub fn any_powers(style: NumberStyle) -> Regular {
    let digits = style.digits();
    let mark = Regular::concat([Regular::one_of("eE"), Regular::one_of("+-").optional()]);
    let any = |power| Regular::concat([decimals(digits), mark, power]);
    if !style.doubles {
        return any(Regular::digit().repeat(1, Some(style.max_digits.min(LONGEST_EXPONENT))));
    }
    let in_range = exponents(0, (doubles::LONGEST - digits).into());
    Regular::or([any(in_range), Interval { low: None, high: None }.powers(style)])
}
