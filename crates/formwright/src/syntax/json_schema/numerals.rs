//! How numbers are written.
//!
//! ```text
//! {"minimum": 0, "exclusiveMaximum": 10, "multipleOf": 0.5}     0 | 0.0 | 0.5 | 1 | ... | 9.5
//! ```
//!
//! [`NumberSet::tree`] writes a set as a regular language of JSON numbers: plain decimals compared digit by digit, and
//! exponents where the interval leaves no doubt (`1e-7` between 0 and 1).
//!
//! Cost: the trees of what most schemas say are made once a process. For readers with doubles ([`doubles`])
//! bounds move a little, numbers that are compared with divisors have fewer digits, and nothing is written that is read
//! as infinite, or as 0 without being 0.

use std::str::FromStr;
use std::sync::LazyLock;

use bigdecimal::{BigDecimal, One, Signed, Zero};

use super::DIGITS;
use super::decimals::{Decimals, fraction, nonzero};
use super::doubles;
use super::exponents::any_powers;
use super::number::{Bound, NumberSet, divisor_of};
use crate::regular::Regular;

/// How numbers are written, whatever they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberStyle {
    /// Longest run of digits.
    pub max_digits: u32,
    /// Whether readers have doubles.
    pub doubles: bool,
}

impl NumberStyle {
    pub fn digits(self) -> u32 {
        if self.doubles { self.max_digits.min(doubles::LONGEST) } else { self.max_digits }
    }

    pub fn plain(self, integral: bool) -> Decimals {
        Decimals { integral, digits: self.digits() }
    }
}

/// What most schemas say, of the usual digits: numbers without bounds, from 0 on or from 1 on; integers, too.
struct Usual([[Regular; 2]; 3]);

impl Usual {
    fn new(doubles: bool) -> Self {
        let style = NumberStyle { max_digits: DIGITS, doubles };
        let from =
            |low: Option<u32>| NumberSet { low: low.map(|low| Bound::new(low.into(), false)), ..NumberSet::default() };
        Self([None, Some(0), Some(1)].map(|low| [false, true].map(|integral| from(low).interval(integral, style))))
    }

    fn get(doubles: bool) -> &'static Self {
        static DOUBLES: LazyLock<Usual> = LazyLock::new(|| Usual::new(true));
        static EXACT: LazyLock<Usual> = LazyLock::new(|| Usual::new(false));
        if doubles { &DOUBLES } else { &EXACT }
    }
}

impl NumberSet {
    /// How its numbers are written. Fails with a reason when a divisor is out of range.
    pub fn tree(&self, style: NumberStyle) -> Result<Regular, &'static str> {
        if self.only().is_some() {
            return Ok(self.point_text(style).map_or(Regular::Never, |text| Regular::text(&text)));
        }
        let integral = self.is_integral();
        if self.is_bounds_alone() {
            return Ok(self.usual(integral, style).unwrap_or_else(|| self.interval(integral, style)));
        }
        let mut parts = vec![self.interval(integral, style)];
        for divisor in &self.multiples {
            if !divisor.is_one() {
                parts.push(Regular::Multiple(divisor_of(divisor)?));
            }
        }
        for divisor in &self.others {
            let digits = style.digits();
            let not = if divisor.is_one() {
                Regular::or([integers(digits), decimal_integers(digits)]).not()
            } else {
                Regular::Multiple(divisor_of(divisor)?).not()
            };
            parts.push(Regular::and([decimals(digits), not]));
        }
        if style.doubles {
            parts.push(told_apart());
        }
        Ok(Regular::and(parts))
    }

    /// The text of its one number, if readers agree on that.
    pub fn point_text(&self, style: NumberStyle) -> Option<String> {
        let value = self.only().filter(|_| !style.doubles || self.is_safe())?;
        let digits_matter = style.doubles && doubles::is_rounded(value) && value.is_integer();
        Some(match (digits_matter, self.is_float()) {
            (true, true) => scientific_text(value),
            (true, false) => value.with_scale(0).to_plain_string(),
            _ => plain_text(value),
        })
    }

    /// Whether it has numbers that are not written: of more digits, or not seen alike by all readers.
    pub fn exceeds(&self, style: NumberStyle) -> bool {
        let fits = |bound: &Option<Bound>| {
            let digits_of =
                |bound: &Bound| plain_text(&bound.value).trim_start_matches('-').split('.').next().map(str::len);
            let few = bound.as_ref().and_then(digits_of).is_some_and(|found| found <= style.max_digits as usize);
            few && !(style.doubles && bound.as_ref().is_some_and(|bound| doubles::is_far(&bound.value)))
        };
        !(self.is_integral() && fits(&self.low) && fits(&self.high))
    }

    /// Whether an integer written as a decimal may be read as another one than the bounds leave.
    pub fn is_far(&self) -> bool {
        self.low.iter().chain(&self.high).any(|bound| doubles::is_far(&bound.value))
    }

    /// Whether nothing is said about divisors, but for integers.
    fn is_bounds_alone(&self) -> bool {
        self.others.is_empty() && self.multiples.iter().all(BigDecimal::is_one)
    }

    fn usual(&self, integral: bool, style: NumberStyle) -> Option<Regular> {
        let from = match (&self.low, &self.high) {
            (None, None) => 0,
            (Some(low), None) if !low.exclusive && low.value.is_zero() => 1,
            (Some(low), None) if !low.exclusive && low.value.is_one() => 2,
            _ => return None,
        };
        let is_usual = style.max_digits == DIGITS;
        is_usual.then(|| Regular::of_static(&Usual::get(style.doubles).0[from][usize::from(integral)]))
    }

    fn interval(&self, integral: bool, style: NumberStyle) -> Regular {
        let has_powers = !integral && self.is_bounds_alone();
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        if low.is_none() && high.is_none() {
            return match (integral, has_powers) {
                (true, _) => integers(style.digits()),
                (_, false) => decimals(style.digits()),
                (_, true) => Regular::or([decimals(style.digits()), any_powers(style)]),
            };
        }
        let end =
            |bound: &Bound| if integral { doubles::last_integer(bound, style.doubles) } else { last(bound, style) };
        let (low, high) = (low.map(|low| end(&low.negated()).negated()), high.map(end));
        let inside = Interval { low, high };
        let powers = if has_powers { inside.powers(style) } else { Regular::Never };
        let integers =
            if !integral && style.doubles && self.rounds() { self.interval(true, style) } else { Regular::Never };
        Regular::or([inside.plain(&style.plain(integral)), powers, integers])
    }

    /// Whether a bound is where integers and other numbers are not compared alike.
    fn rounds(&self) -> bool {
        let rounds = |bound: &&Bound| !bound.apart && doubles::is_rounded(&bound.value);
        self.low.iter().chain(&self.high).any(|bound| rounds(&bound))
    }
}

/// The upper bound for numbers of any kind.
fn last(bound: &Bound, style: NumberStyle) -> Bound {
    if style.doubles && (bound.apart || doubles::is_rounded(&bound.value)) {
        doubles::below(&bound.value)
    } else {
        bound.clone()
    }
}

/// What is written of numbers between two bounds.
pub struct Interval {
    /// The lower one.
    pub low: Option<Bound>,
    /// The upper one.
    pub high: Option<Bound>,
}

impl Interval {
    /// The interval of the negated numbers.
    pub fn negated(&self) -> Self {
        Self { low: self.high.as_ref().map(Bound::negated), high: self.low.as_ref().map(Bound::negated) }
    }

    /// Without exponents.
    fn plain(&self, plain: &Decimals) -> Regular {
        let is_negative = |bound: &&Bound| bound.value.is_negative();
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        let positive = if high.is_some_and(|high| is_negative(&high)) {
            Regular::Never
        } else {
            let zero = || Bound::new(BigDecimal::zero(), false);
            plain.between(&low.filter(|low| !is_negative(low)).map_or_else(zero, Bound::clone), high)
        };
        let negative = if low.is_some_and(|low| !is_negative(&low)) {
            Regular::Never
        } else {
            // Zero has no sign.
            let first = || Bound::new(i32::from(plain.integral).into(), !plain.integral);
            let least = high.filter(is_negative).map_or_else(first, Bound::negated);
            Regular::concat([Regular::text("-"), plain.between(&least, low.map(Bound::negated).as_ref())])
        };
        Regular::or([positive, negative])
    }
}

/// Decimals that are told apart when they are read as doubles: integers up to 2^53, and others of few digits.
pub fn told_apart() -> Regular {
    static TREE: LazyLock<Regular> = LazyLock::new(|| {
        let end = |value| Some(Bound::new(value, false));
        let integers = Interval { low: end(-doubles::exact_integers()), high: end(doubles::exact_integers()) };
        let zeros = || Regular::text("0").repeat(0, None);
        let few = Regular::digit().repeat(0, Some(doubles::DECIMALS as u32 - 1));
        let fraction = Regular::or([Regular::concat([zeros(), nonzero(), few]), Regular::text("0").repeat(1, None)]);
        let below_one = Regular::concat([Regular::text("0."), fraction]);
        let whole = (0..doubles::DECIMALS as u32).fold(Regular::Empty, |rest, left| {
            let ends = if left == 0 { Regular::Empty } else { self::fraction(left).optional() };
            if left == 0 { ends } else { Regular::or([ends, Regular::concat([Regular::digit(), rest])]) }
        });
        let decimals = Regular::or([below_one, Regular::concat([nonzero(), whole])]);
        Regular::or([
            integers.plain(&Decimals { integral: true, digits: DIGITS }),
            Regular::text("-0"),
            Regular::concat([minus(), decimals]),
        ])
    });
    Regular::of_static(&TREE)
}

/// The shortest plain decimal text of a number; scientific if it is very long.
pub fn plain_text(value: &BigDecimal) -> String {
    let (digits, scale) = value.as_bigint_and_scale();
    if scale == 0 || value.is_zero() {
        return digits.to_string();
    }
    let (digits, scale) = value.normalized().into_bigint_and_exponent();
    if !(-60..=60).contains(&scale) {
        return scientific_text(value);
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

/// Other texts of a number: without an exponent, unless that is very long, and with one.
pub fn other_texts(text: &str) -> Vec<String> {
    const LARGEST: i64 = 400;
    let is_near = |value: &BigDecimal| value.fractional_digit_count().abs() <= LARGEST;
    let value = BigDecimal::from_str(text).ok().filter(is_near);
    value.map(|value| vec![plain_text(&value), scientific_text(&value)]).unwrap_or_default()
}

/// With an exponent: `1.2e+30`.
fn scientific_text(value: &BigDecimal) -> String {
    let text = value.normalized().to_scientific_notation();
    if text.contains("e-") { text } else { text.replace('e', "e+") }
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

/// Integers with an optional fraction.
pub fn decimals(digits: u32) -> Regular {
    Regular::concat([minus(), whole(digits), fraction(digits).optional()])
}

/// Integers written with a fraction of zeros.
fn decimal_integers(digits: u32) -> Regular {
    Regular::concat([minus(), whole(digits), Regular::text("."), Regular::text("0").repeat(1, Some(digits))])
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    const EXACT: NumberStyle = NumberStyle { max_digits: 24, doubles: false };
    const DOUBLES: NumberStyle = NumberStyle { doubles: true, ..EXACT };

    fn big(text: &str) -> BigDecimal {
        BigDecimal::from_str(text).unwrap()
    }

    fn automaton(set: &NumberSet, style: NumberStyle) -> Automaton {
        Automaton::new(&set.tree(style).unwrap(), Encoding::Text, &Limits::default()).unwrap()
    }

    fn set(low: Option<(&str, bool)>, high: Option<(&str, bool)>, integral: bool) -> Option<NumberSet> {
        let bound = |side: Option<(&str, bool)>| side.map(|(value, exclusive)| Bound::new(big(value), exclusive));
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
                        let tree = set.tree(EXACT).unwrap();
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
                            let point = NumberSet::point(&value, false);
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

    /// A bound as a schema spells it.
    fn bound(text: &str, exclusive: bool) -> Bound {
        let value = big(text);
        let float = text.contains(['.', 'e']) && doubles::is_rounded(&value);
        Bound { float, ..Bound::new(value, exclusive) }
    }

    /// Whether a text is inside a bound for one with decimals, one with doubles, and Python.
    fn is_safe_below(text: &str, high: &str, exclusive: bool) -> bool {
        let inside =
            |order: Option<std::cmp::Ordering>| order.is_some_and(|order| order.is_lt() || order.is_eq() && !exclusive);
        let is_float = |text: &str| text.contains(['.', 'e']);
        let (value, bound) = (big(text), big(high));
        let (double, bound_double) = (text.parse::<f64>().unwrap(), high.parse::<f64>().unwrap());
        let as_python = |text: &str, value: &BigDecimal, double: f64| {
            if is_float(text) { BigDecimal::try_from(double).unwrap() } else { value.clone() }
        };
        let python = as_python(text, &value, double).cmp(&as_python(high, &bound, bound_double));
        inside(Some(value.cmp(&bound))) && inside(double.partial_cmp(&bound_double)) && inside(Some(python))
    }

    const HARD: [&str; 16] = [
        "0",
        "1",
        "0.3",
        "0.30000000000000000001",
        "100",
        "-1",
        "-0.1",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.5",
        "18014398509481985.9",
        "1e23",
        "100000000000000000000000",
        "9223372036854775807",
        "1e-400",
        "12345678901234567890.25",
    ];

    /// Texts close to the hard numbers, in many digits and in the digits of the doubles around them.
    fn texts_nearby() -> Vec<String> {
        let steps = ["0", "1", "2", "0.5", "1e-17", "1e-16", "1e-22", "0.1", "512", "1025", "16777216", "1e-3"];
        let mut texts: Vec<String> =
            vec!["1e23".into(), "1e-323".into(), "5e-7".into(), "9.9999999999999999e-1".into()];
        for hard in HARD {
            let double: f64 = hard.parse().unwrap();
            texts.extend([double, double.next_down(), double.next_up()].map(|double| {
                let text = format!("{double}");
                if double.abs() > 1e15 { format!("{text}.0") } else { text }
            }));
            for step in steps {
                texts.extend([big(hard) + big(step), big(hard) - big(step)].map(|value| value.to_plain_string()));
            }
        }
        texts.retain(|text| text.len() < 45);
        texts.sort();
        texts.dedup();
        texts
    }

    #[test]
    fn what_is_written_for_doubles_is_inside_for_every_reader() {
        let texts = texts_nearby();
        let (mut written, mut doubles_left_out) = (0, Vec::new());
        for high in HARD {
            for (exclusive, integral) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut set = NumberSet { high: Some(bound(high, exclusive)), ..NumberSet::default() };
                if integral {
                    set.divide(BigDecimal::one());
                }
                let automaton = automaton(&set, DOUBLES);
                for text in &texts {
                    let (seen, safe) = (automaton.accepts(text.as_bytes()), is_safe_below(text, high, exclusive));
                    assert!(!seen || safe, "{text} below {high} {exclusive} {integral}");
                    written += usize::from(seen);
                    let is_whole = !text.contains(['.', 'e']);
                    let spelled = is_whole || !integral && !text.contains('e') && !doubles::is_rounded(&big(high));
                    let digits = text.trim_start_matches('-').split('.').map(str::len).max().unwrap();
                    if safe && !seen && spelled && digits <= 24 && text.len() <= 20 {
                        doubles_left_out.push(format!("{text} below {high} {exclusive} {integral}"));
                    }
                }
            }
        }
        assert!(written > 5000, "{written}");
        assert!(doubles_left_out.is_empty(), "{doubles_left_out:?}");
    }

    #[test]
    fn every_double_is_written_and_nothing_is_read_as_infinite() {
        let all = automaton(&NumberSet::default(), DOUBLES);
        let positive = NumberSet { low: Some(bound("0", true)), ..NumberSet::default() };
        let positive = automaton(&positive, DOUBLES);
        let doubles = [f64::MAX, f64::MIN_POSITIVE, 1e-323, 0.1 + 0.2, 1e-7, 1e22, 123_456.789e100, 1e308, 9.99e307];
        for double in doubles {
            for text in [format!("{double}"), format!("{double:e}"), format!("{:e}", -double)] {
                let short = text.split(['.', 'e', '-']).all(|run| run.len() <= 24);
                assert_eq!(all.accepts(text.as_bytes()), short, "{text}");
                assert_eq!(positive.accepts(text.as_bytes()), short && !text.starts_with('-'), "{text}");
            }
        }
        for text in ["1e309", "1.8e308", "9e308", "1e999", "100e307", "3E-891", "1e-400", "-1e999"] {
            assert!(!all.accepts(text.as_bytes()) && !positive.accepts(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn exponents_are_as_long_as_digits_where_decimals_are_read() {
        for (max_digits, text, inside) in [
            (24, "1e1000", true),
            (24, "1e-999999999", true),
            (24, "1e1234567890", false),
            (3, "1e999", true),
            (3, "1e1000", false),
            (1, "1e9", true),
            (1, "1e10", false),
        ] {
            let style = NumberStyle { max_digits, ..EXACT };
            for low in [None, Some(bound("0", false))] {
                let set = NumberSet { low, ..NumberSet::default() };
                assert_eq!(automaton(&set, style).accepts(text.as_bytes()), inside, "{text} {max_digits}");
            }
        }
    }

    #[test]
    fn numbers_that_are_divided_have_few_digits() {
        let no_integer = NumberSet { others: vec![BigDecimal::one()], ..NumberSet::default() };
        let cents = NumberSet { multiples: vec![big("0.01")], ..NumberSet::default() };
        let threes = NumberSet { multiples: vec![big("3")], ..NumberSet::default() };
        for (set, text, doubles, exact) in [
            (&no_integer, "9380122942321427900.751", false, true),
            (&no_integer, "93801229423214.7", true, true),
            (&no_integer, "93801229423214.71", false, true),
            (&no_integer, "0.00000123456789012345", true, true),
            (&no_integer, "12.0", false, false),
            (&cents, "19.99", true, true),
            (&cents, "12345678901234.99", false, true),
            (&threes, "9007199254740993", false, true),
            (&threes, "9007199254740990", true, true),
            (&threes, "-0", true, true),
            (&threes, "-9007199254740990", true, true),
        ] {
            for (style, inside) in [(DOUBLES, doubles), (EXACT, exact)] {
                assert_eq!(automaton(set, style).accepts(text.as_bytes()), inside, "{text} {style:?}");
            }
        }
    }

    #[test]
    fn constants_are_written_as_python_reads_the_schema() {
        let text = |text: &str, style| {
            let Bound { value, float, .. } = bound(text, false);
            NumberSet::point(&value, float).point_text(style)
        };
        for (schema, expected) in [
            ("1e23", Some("1e+23")),
            ("100000000000000000000000", Some("100000000000000000000000")),
            ("1e2", Some("100")),
            ("1e309", None),
            ("0.1", Some("0.1")),
        ] {
            assert_eq!(text(schema, DOUBLES).as_deref(), expected, "{schema}");
        }
        assert_eq!(text("1e309", EXACT).as_deref(), Some("1e+309"));
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
            NumberSet::point(&big("3"), false)
                .and(&NumberSet { multiples: vec![big("2")], ..NumberSet::default() })
                .is_none()
        );
    }
}
