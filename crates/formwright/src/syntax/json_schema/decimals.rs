//! Decimals between two bounds, digit by digit.
//!
//! ```text
//! integers from 7 to 123:   [7-9] | [1-9][0-9] | 1([0-1][0-9] | 2[0-3])
//! ```
//!
//! What is written is a tree of choices, about as large as the bounds have digits, without intersections: its shortest
//! text is plain to see, and no automaton is made before a mask wants one. (Bounds with the same whole part, such as
//! 0.25 and 0.75, are the exception.)
//!
//! Wrinkle: "not zero", of bounded length, takes as many choices as there may be digits. That of the usual number of
//! digits is made once a process.

use std::sync::LazyLock;

use super::DIGITS;
use super::number::Bound;
use crate::regular::Regular;

/// Plain decimals without a sign.
pub struct Decimals {
    /// Without a fraction.
    pub integral: bool,
    /// The longest run of digits.
    pub digits: u32,
}

impl Decimals {
    /// Numbers from `low` up to `high`, neither of them negative. If integral, bounds are integers, and inclusive.
    pub fn between(&self, low: &Bound, high: Option<&Bound>) -> Regular {
        let (low_whole, low_part) = split(low);
        if self.integral {
            return self.wholes(&low_whole, high.map(|high| split(high).0).as_deref());
        }
        let above = self.part_at_least(&low_part, low.exclusive);
        let Some(high) = high else {
            let more = self.wholes(&one_more(&low_whole), None);
            return Regular::or([self.number(&low_whole, above), more]);
        };
        let (high_whole, high_part) = split(high);
        let below = self.part_at_most(&high_part, high.exclusive);
        if low_whole == high_whole {
            let is_whole = low_part.is_empty() && !low.exclusive;
            return self.number(&low_whole, if is_whole { below } else { Regular::and([above, below]) });
        }
        let between = self.wholes(&one_more(&low_whole), Some(&one_less(&high_whole)));
        Regular::or([self.number(&low_whole, above), between, self.number(&high_whole, below)])
    }

    /// A whole number with a fraction, if it is not too long.
    fn number(&self, whole: &[u8], part: Regular) -> Regular {
        if whole.len() > self.digits as usize { Regular::Never } else { Regular::concat([literal(whole), part]) }
    }

    /// Whole numbers between two, with any fraction.
    fn wholes(&self, low: &[u8], high: Option<&[u8]>) -> Regular {
        let longest = vec![b'9'; self.digits as usize];
        let high = high.filter(|high| high.len() <= longest.len()).unwrap_or(&longest);
        if (low.len(), low) > (high.len(), high) {
            return Regular::Never;
        }
        let (few, many) = (low.len(), high.len());
        let all = if few == many {
            same_length(low, high)
        } else {
            let thousand = [b"1", &*vec![b'0'; many - 1]].concat();
            let between = if few + 1 < many { some_digits(few, many - 2) } else { Regular::Never };
            let between = Regular::concat([nonzero(), between]);
            Regular::or([same_length(low, &longest[..few]), between, same_length(&thousand, high)])
        };
        Regular::concat([all, if self.integral { Regular::Empty } else { self.any_part() }])
    }

    /// An optional fraction.
    fn any_part(&self) -> Regular {
        fraction(self.digits).optional()
    }

    /// Digits still allowed in a fraction of which some were read.
    fn room(&self, read: usize) -> Option<usize> {
        (self.digits as usize).checked_sub(read)
    }

    /// Fractions from `low` on, which has no zero at its end.
    fn part_at_least(&self, low: &[u8], exclusive: bool) -> Regular {
        if low.is_empty() && !exclusive {
            return self.any_part();
        }
        let mut rest = match self.room(low.len()) {
            None => Regular::Never,
            Some(room) if exclusive => not_all_zeros(room),
            Some(room) => some_digits(0, room),
        };
        for (at, &digit) in low.iter().enumerate().rev() {
            rest = self.room(at + 1).map_or(Regular::Never, |room| {
                let greater = Regular::concat([range(digit + 1, b'9'), some_digits(0, room)]);
                Regular::or([Regular::concat([one(digit), rest]), greater])
            });
        }
        Regular::concat([Regular::text("."), rest])
    }

    /// Fractions up to `high`, which has no zero at its end; to have none is to be least.
    fn part_at_most(&self, high: &[u8], exclusive: bool) -> Regular {
        if high.is_empty() {
            let zeros = Regular::concat([Regular::text("."), zeros(1, self.digits as usize)]).optional();
            return if exclusive { Regular::Never } else { zeros };
        }
        let mut rest = match self.room(high.len()) {
            Some(room) if !exclusive => zeros(0, room),
            _ => Regular::Never,
        };
        for (at, &digit) in high.iter().enumerate().rev() {
            rest = self.room(at + 1).map_or(Regular::Never, |room| {
                let less = Regular::concat([range(b'0', digit - 1), some_digits(0, room)]);
                Regular::or([Regular::concat([one(digit), rest]), less])
            });
            if at > 0 {
                rest = Regular::or([Regular::Empty, rest]); // to end here is to be less
            }
        }
        Regular::concat([Regular::text("."), rest]).optional()
    }
}

/// Whole numbers between two that have the same number of digits.
fn same_length(low: &[u8], high: &[u8]) -> Regular {
    let shared = low.iter().zip(high).take_while(|(low, high)| low == high).count();
    let (Some((&first, above)), Some((&last, below))) = (low[shared..].split_first(), high[shared..].split_first())
    else {
        return literal(low);
    };
    let rest = below.len();
    let from_first = above.iter().all(|digit| *digit == b'0');
    let to_last = below.iter().all(|digit| *digit == b'9');
    let (from, to) = (first + u8::from(!from_first), last - u8::from(!to_last));
    let between = Regular::concat([range(from, to), some_digits(rest, rest)]);
    let least = if from_first { Regular::Never } else { Regular::concat([one(first), at_least(above)]) };
    let greatest = if to_last { Regular::Never } else { Regular::concat([one(last), at_most(below)]) };
    Regular::concat([literal(&low[..shared]), Regular::or([least, between, greatest])])
}

/// Numbers of as many digits as `low`, and not below it.
fn at_least(low: &[u8]) -> Regular {
    low.iter().rev().zip(0..).fold(Regular::Empty, |rest, (&digit, after)| {
        let greater = Regular::concat([range(digit + 1, b'9'), some_digits(after, after)]);
        Regular::or([Regular::concat([one(digit), rest]), greater])
    })
}

/// Numbers of as many digits as `high`, and not above it.
fn at_most(high: &[u8]) -> Regular {
    high.iter().rev().zip(0..).fold(Regular::Empty, |rest, (&digit, after)| {
        let less = Regular::concat([range(b'0', digit - 1), some_digits(after, after)]);
        Regular::or([Regular::concat([one(digit), rest]), less])
    })
}

/// At most `most` digits, not all of them zero.
fn not_all_zeros(most: usize) -> Regular {
    fn made(most: usize) -> Regular {
        (0..most).fold(Regular::Never, |rest, after| {
            let now = Regular::concat([nonzero(), some_digits(0, after)]);
            Regular::or([now, Regular::concat([one(b'0'), rest])])
        })
    }
    static USUAL: LazyLock<Regular> = LazyLock::new(|| made(DIGITS as usize));
    if most == DIGITS as usize { Regular::of_static(&USUAL) } else { made(most) }
}

/// `1` to `9`
pub fn nonzero() -> Regular {
    Regular::range('1', '9')
}

/// A point, and digits.
pub fn fraction(digits: u32) -> Regular {
    Regular::concat([Regular::text("."), Regular::digit().repeat(1, Some(digits))])
}

fn some_digits(low: usize, high: usize) -> Regular {
    repeated(Regular::digit(), low, high)
}

fn zeros(low: usize, high: usize) -> Regular {
    repeated(one(b'0'), low, high)
}

fn repeated(one: Regular, low: usize, high: usize) -> Regular {
    if high == 0 { Regular::Empty } else { one.repeat(low as u32, Some(high as u32)) }
}

fn one(digit: u8) -> Regular {
    range(digit, digit)
}

fn range(low: u8, high: u8) -> Regular {
    if low > high { Regular::Never } else { Regular::range(low.into(), high.into()) }
}

fn literal(digits: &[u8]) -> Regular {
    Regular::concat(digits.iter().map(|&digit| one(digit)))
}

/// The whole number after this one.
fn one_more(whole: &[u8]) -> Vec<u8> {
    let nines = whole.iter().rev().take_while(|digit| **digit == b'9').count();
    let mut next = if nines == whole.len() { [b"0", whole].concat() } else { whole.to_vec() };
    let at = next.len() - nines - 1;
    next[at] += 1;
    next[at + 1..].fill(b'0');
    next
}

/// The whole number before this one, which is not 0.
fn one_less(whole: &[u8]) -> Vec<u8> {
    let zeros = whole.iter().rev().take_while(|digit| **digit == b'0').count();
    let mut last = whole.to_vec();
    let at = whole.len() - zeros - 1;
    last[at] -= 1;
    last[at + 1..].fill(b'9');
    if last[0] == b'0' && last.len() > 1 { last.split_off(1) } else { last }
}

/// The digits of a magnitude before the point, without zeros before them, and after it, without zeros after them.
fn split(bound: &Bound) -> (Vec<u8>, Vec<u8>) {
    let (digits, scale) = bound.value.abs().normalized().into_bigint_and_exponent();
    let mut whole = digits.to_string().into_bytes();
    if scale <= 0 {
        let zeros = if whole == b"0" { 0 } else { -scale as usize };
        whole.resize(whole.len() + zeros, b'0');
        return (whole, Vec::new());
    }
    let scale = scale as usize;
    if whole.len() <= scale {
        whole.splice(..0, std::iter::repeat_n(b'0', scale + 1 - whole.len()));
    }
    let part = whole.split_off(whole.len() - scale);
    (whole, part)
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use bigdecimal::BigDecimal;

    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    fn bound(text: &str, exclusive: bool) -> Bound {
        Bound::new(BigDecimal::from_str(text).unwrap(), exclusive)
    }

    /// Every text of a few digits and at most one point that is a decimal.
    fn decimals() -> Vec<(String, BigDecimal)> {
        let mut texts = vec![String::new()];
        for at in 0..6 {
            let longer = texts.iter().filter(|text| text.len() == at);
            let longer = longer.flat_map(|text| "01259.".chars().map(move |c| format!("{text}{c}")));
            texts.extend(longer.filter(|text| text.matches('.').count() < 2).collect::<Vec<_>>());
        }
        let plain = |text: &String| {
            let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
            !whole.is_empty() && !part.is_empty() && (whole == "0" || !whole.starts_with('0'))
        };
        let texts = texts.into_iter().filter(plain);
        texts.map(|text| (text.clone(), BigDecimal::from_str(&text).unwrap())).collect()
    }

    fn agree(form: &Decimals, low: &Bound, high: Option<&Bound>, texts: &[(String, BigDecimal)]) {
        let tree = form.between(low, high);
        let automaton = Automaton::new(&tree, Encoding::Text, &Limits::default()).unwrap();
        for (text, value) in texts {
            let (whole, part) = text.split_once('.').unwrap_or((text, ""));
            let written = whole.len().max(part.len()) <= form.digits as usize && !(form.integral && text.contains('.'));
            let above = *value > low.value || *value == low.value && !low.exclusive;
            let below = high.is_none_or(|high| *value < high.value || *value == high.value && !high.exclusive);
            assert_eq!(automaton.accepts(text.as_bytes()), written && above && below, "{text}: {low:?} to {high:?}");
        }
    }

    #[test]
    fn numbers_between_bounds_are_those_of_arithmetic() {
        let texts = decimals();
        let bounds = ["0", "0.0912", "0.5", "0.95", "1", "2", "9.99", "10", "25.5", "100"];
        let sides: Vec<Bound> =
            bounds.iter().flat_map(|text| [false, true].map(|exclusive| bound(text, exclusive))).collect();
        for digits in [2, 3, 24] {
            let form = Decimals { integral: false, digits };
            for (at, low) in sides.iter().enumerate() {
                agree(&form, low, None, &texts);
                for high in sides[at + 1..].iter().filter(|high| high.value > low.value) {
                    agree(&form, low, Some(high), &texts);
                }
            }
        }
    }

    #[test]
    fn integers_between_bounds_are_those_of_arithmetic() {
        let texts = decimals();
        let bounds =
            ["0", "1", "5", "9", "10", "19", "20", "99", "100", "129", "599", "1000", "1259", "99999", "100000"];
        for digits in [2, 3, 24] {
            let form = Decimals { integral: true, digits };
            for (at, low) in bounds.iter().enumerate() {
                agree(&form, &bound(low, false), None, &texts);
                for high in &bounds[at..] {
                    agree(&form, &bound(low, false), Some(&bound(high, false)), &texts);
                }
            }
        }
    }

    #[test]
    fn whole_numbers_have_neighbours() {
        for (less, more) in [("0", "1"), ("9", "10"), ("99", "100"), ("129", "130"), ("1", "2")] {
            assert_eq!(one_more(less.as_bytes()), more.as_bytes());
            assert_eq!(one_less(more.as_bytes()), less.as_bytes());
        }
    }

    #[test]
    fn numbers_far_away_are_split() {
        let parts = |text: &str| {
            let (whole, part) = split(&bound(text, false));
            [whole, part].map(|digits| String::from_utf8(digits).unwrap())
        };
        assert_eq!(parts("-120.50"), ["120", "5"]);
        assert_eq!(parts("0.0"), ["0", ""]);
        assert_eq!(parts("12e3"), ["12000", ""]);
        assert_eq!(parts("12e-4"), ["0", "0012"]);
    }
}
