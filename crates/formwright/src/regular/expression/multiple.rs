//! Divisibility of decimal text, digit by digit.
//!
//! ```text
//! multiples of 0.25   "1.5" → remainder 1, then 15 with one decimal, then 150 with two: divisible by 25
//! ```

use crate::regular::tree::Divisor;

/// Whether a text with this remainder and number of decimals is a multiple of the divisor.
pub fn divides(divisor: Divisor, remainder: u64, decimals: Option<u32>) -> bool {
    let missing = divisor.scale - decimals.unwrap_or(0).min(divisor.scale);
    (0..missing).fold(remainder, |r, _| times_ten(r, divisor.digits, 0)) == 0
}

/// The remainder and the decimals read after one more character; `None` if it cannot come.
pub fn advance(divisor: Divisor, remainder: u64, decimals: Option<u32>, c: char) -> Option<(u64, Option<u32>)> {
    match (c, decimals) {
        ('-', _) => Some((remainder, decimals)),
        ('.', None) => Some((remainder, Some(0))),
        ('0', Some(read)) if read >= divisor.scale => Some((remainder, decimals)),
        (_, Some(read)) if read >= divisor.scale => None,
        _ => {
            let digit = u64::from(c.to_digit(10)?);
            Some((times_ten(remainder, divisor.digits, digit), decimals.map(|read| read + 1)))
        }
    }
}

/// `(remainder * 10 + digit) mod divisor` without overflow.
fn times_ten(remainder: u64, divisor: u64, digit: u64) -> u64 {
    ((u128::from(remainder) * 10 + u128::from(digit)) % u128::from(divisor)) as u64
}
