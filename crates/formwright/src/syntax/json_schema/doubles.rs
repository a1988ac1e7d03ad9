//! Numbers as their readers see them, of which most have doubles.
//!
//! ```text
//! 3E-891                     is above 0, and read as 0.0
//! 9380122942321427900.751    is not an integer, and read as one
//! ```
//!
//! Three readers are thought of. One has decimals for everything. JavaScript has doubles for everything, the bounds of
//! the schema included. Python has doubles for what is written with a point or an exponent, and exact integers. A number
//! is *safe* if all three find it in a set.
//!
//! Rounding never reverses an order: below a bound stays below it, or becomes equal to it. So inclusive bounds need no
//! care up to 2^53, and exclusive ones end where the doubles that round to the bound begin.
//!
//! Cost: decimals of few digits are told from each other by doubles, and most schemas have no others: [`is_plain`] is
//! one look at the digits. Beyond 2^53 Python compares an exact integer with a bound that was rounded.

use std::cmp::Ordering;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode, Zero};

use super::number::{Bound, NumberSet, divides};

/// Decimals of at most so many digits have a double each.
pub const DECIMALS: usize = 15;

/// Decimals of so many digits tell all doubles apart.
const SHORTEST: u64 = 17;

/// Up to 2^this, every integer is a double.
const EXACT_BITS: u64 = 53;

/// Of this many digits before the point, every number has a finite double; of as many after it, only 0 is read as 0.
pub const LONGEST: u32 = 308;

/// Whether it has few enough digits to have a double for itself, and is not an integer beyond 2^53. All such numbers
/// compare as their doubles do.
pub fn is_plain(value: &BigDecimal) -> bool {
    let (digits, scale) = value.as_bigint_and_scale();
    digits.bits() < 50 && (0..=200).contains(&scale)
}

/// 2^53.
pub fn exact_integers() -> BigDecimal {
    BigInt::from(1_u64 << EXACT_BITS).into()
}

/// Whether integers of this size may have no double.
pub fn is_far(value: &BigDecimal) -> bool {
    !is_plain(value) && value.abs() > exact_integers()
}

/// The double that a number is read as.
pub fn nearest(value: &BigDecimal) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}

/// A double as it is; `None` for infinities.
fn decimal(double: f64) -> Option<BigDecimal> {
    BigDecimal::try_from(double).ok()
}

/// Whether a number that is far away has no double of its own, so that readers see it differently.
pub fn is_rounded(value: &BigDecimal) -> bool {
    is_far(value) && decimal(nearest(value)).as_ref() != Some(value)
}

/// The upper bound of numbers whose double is less than that of `value`, in as many digits as tell doubles apart.
pub fn below(value: &BigDecimal) -> Bound {
    let double = nearest(value);
    let neighbours = decimal(double).zip(decimal(double.next_down())).filter(|_| !value.is_zero());
    let Some((double_of_value, less)) = neighbours else { return Bound::new(value.clone(), true) };
    let middle = (double_of_value + less).half();
    let end = short(&middle);
    let exclusive = end == middle && nearest(&middle) >= double;
    Bound::new(end, exclusive)
}

/// Rounded down to the digits that tell doubles apart, but never to less than an integer.
fn short(value: &BigDecimal) -> BigDecimal {
    let (digits, scale) = value.normalized().into_bigint_and_exponent();
    let count = digits.magnitude().to_string().len() as i64;
    let kept = (scale + SHORTEST as i64 - count).max(0);
    value.with_scale_round(kept.min(scale.max(0)), RoundingMode::Floor)
}

/// The greatest integer inside an upper bound; with doubles, that is safe.
pub fn last_integer(bound: &Bound, doubles: bool) -> Bound {
    let floor = |bound: &Bound| {
        let down = bound.value.with_scale_round(0, RoundingMode::Floor);
        if bound.exclusive && down == bound.value { down - 1 } else { down }
    };
    let mut last = floor(bound);
    if doubles && !is_plain(&bound.value) {
        if bound.apart {
            last = last.min(floor(&below(&bound.value)));
        } else if let Some(read) = decimal(nearest(&bound.value)).filter(|_| bound.float) {
            last = last.min(read);
        }
    }
    Bound { float: bound.float, ..Bound::new(last, false) }
}

/// The least integer inside a lower bound.
pub fn first_integer(bound: &Bound, doubles: bool) -> Bound {
    last_integer(&bound.negated(), doubles).negated()
}

/// Whether two numbers are read as the same double.
pub fn are_one(a: &BigDecimal, b: &BigDecimal) -> bool {
    !(is_plain(a) && is_plain(b)) && nearest(a).total_cmp(&nearest(b)).is_eq()
}

/// Whether a number compares with the bounds of a set as its double does with theirs.
fn are_plain(value: &BigDecimal, set: &NumberSet) -> bool {
    is_plain(value) && set.low.iter().chain(&set.high).all(|bound| is_plain(&bound.value))
}

/// Whether a number of a set, the only one of another set perhaps, is safe in it. `float`: it is written so that
/// Python reads a double.
pub fn is_safe(value: &BigDecimal, float: bool, set: &NumberSet) -> bool {
    if are_plain(value, set) {
        return true;
    }
    let double = nearest(value);
    let Some(read) = decimal(double) else { return false };
    let float = (float || !value.is_integer()) && read != *value;
    let inside = |bound: &Bound, side: Ordering| {
        let bound_read = nearest(&bound.value);
        let ordered = |order: Ordering| order == side || order == Ordering::Equal && !bound.apart;
        let as_python = match (float, bound.float, decimal(bound_read)) {
            (true, false, _) => read.cmp(&bound.value),
            (false, true, Some(bound_read)) => value.cmp(&bound_read),
            _ => return double.partial_cmp(&bound_read).is_some_and(ordered),
        };
        double.partial_cmp(&bound_read).is_some_and(ordered) && ordered(as_python)
    };
    let shortest = if is_far(&read) { read.clone() } else { format!("{double:e}").parse().unwrap_or(read.clone()) };
    set.low.iter().all(|low| inside(low, Ordering::Greater))
        && set.high.iter().all(|high| inside(high, Ordering::Less))
        && set.multiples.iter().all(|divisor| divides(divisor, &shortest))
        && !set.others.iter().any(|divisor| divides(divisor, &shortest))
}

/// Whether a number of one set is read as a number of the other, though they have none in common.
pub fn meet_when_read(a: &NumberSet, b: &NumberSet) -> bool {
    let point = |one: &NumberSet, all: &NumberSet| {
        let read = |value| !are_plain(value, all) && !all.has(value) && is_safe(value, one.is_float(), all);
        one.only().is_some_and(read)
    };
    let ends = |below: &NumberSet, above: &NumberSet| match (&below.high, &above.low) {
        (Some(high), Some(low)) => high.value <= low.value && are_one(&high.value, &low.value),
        _ => false,
    };
    point(a, b) || point(b, a) || ends(a, b) || ends(b, a)
}
