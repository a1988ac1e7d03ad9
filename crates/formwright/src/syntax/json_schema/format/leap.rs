//! Leap seconds (RFC 3339, section 5.7): second 60 of the minute that is 23:59 in UTC.
//!
//! ```text
//! 23:59:60Z    15:59:60.5-08:00    01:29:60+01:30
//! ```
//!
//! Hour and minute decide the offset, so the language is written as code, a small part
//! of which a text needs. A state must remember hour and minute. To have
//! few such states, offsets are quarters of an hour, as all in use are.

use crate::regular::{Implicit, ImplicitLanguage, Regular};

/// The last minute of each quarter of an hour.
const QUARTERS: [[u8; 2]; 4] = [*b"14", *b"29", *b"44", *b"59"];
const DAY: u32 = 24 * 60;
/// The last minute of a day.
const LAST: u32 = DAY - 1;

/// Leap seconds with a numeric offset.
pub(super) fn leap_seconds() -> Regular {
    reading(String::new())
}

/// The rest of a leap second whose text begins with `read`, at most `hh:m`.
struct LeapSecond {
    read: String,
    key: String,
}

fn reading(read: String) -> Regular {
    Regular::Implicit(Implicit::new(LeapSecond { key: format!("leap second {read}"), read }))
}

impl ImplicitLanguage for LeapSecond {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        let digits = ('0'..='9').map(|c| Regular::range(c, c));
        digits.chain([":", ".", "+", "-"].map(Regular::one_of)).collect()
    }

    fn derivative(&self, c: char) -> Regular {
        let read = format!("{}{c}", self.read);
        match read.as_bytes() {
            [b'0'..=b'2']
            | [b'0' | b'1', b'0'..=b'9']
            | [b'2', b'0'..=b'3']
            | [_, _, b':']
            | [_, _, _, b'1' | b'2' | b'4' | b'5'] => reading(read),
            &[h1, h2, _, m1, m2] if QUARTERS.contains(&[m1, m2]) => {
                let number = |tens: u8, ones: u8| u32::from(tens - b'0') * 10 + u32::from(ones - b'0');
                after(number(h1, h2) * 60 + number(m1, m2))
            }
            _ => Regular::Never,
        }
    }

    fn nullable(&self) -> bool {
        false
    }

    fn shortest(&self) -> Option<u32> {
        Some("hh:mm:60+hh:mm".len() as u32 - self.read.len() as u32)
    }

    fn farthest(&self) -> Option<u32> {
        Some("hh:mm:60+hh:mm".len() as u32)
    }
}

/// What may follow the minute `local`: it is the last one in UTC.
fn after(local: u32) -> Regular {
    let offset = |sign: &str, minutes: u32| {
        let minutes = minutes % DAY;
        Regular::text(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
    };
    let fraction = Regular::concat([Regular::text("."), Regular::digit().repeat(1, None)]);
    Regular::concat([
        Regular::text(":60"),
        fraction.optional(),
        Regular::or([offset("+", local + DAY - LAST), offset("-", LAST - local)]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    #[test]
    fn every_quarter_of_an_hour() {
        let automaton = Automaton::new(&leap_seconds(), Encoding::Text, &Limits::default()).unwrap();
        for minute in 0..DAY {
            for offset in (0..DAY).filter(|offset| minute % 7 == offset % 7 || (minute + offset) % DAY == LAST) {
                let clock = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
                let quarter = minute % 15 == 14;
                let [east, west] = ["+", "-"].map(|sign| format!("{}:60{sign}{}", clock(minute), clock(offset)));
                assert_eq!(
                    automaton.accepts(east.as_bytes()),
                    quarter && (minute + DAY - offset) % DAY == LAST,
                    "{east}"
                );
                assert_eq!(automaton.accepts(west.as_bytes()), quarter && (minute + offset) % DAY == LAST, "{west}");
            }
        }
        assert_eq!(automaton.shortest(automaton.start().state()), 14);
    }

    #[test]
    fn a_leap_second_is_spelled_like_any_time() {
        let automaton = Automaton::new(&leap_seconds(), Encoding::Text, &Limits::default()).unwrap();
        assert!(automaton.accepts(b"15:59:60.123-08:00"));
        for text in
            ["15:59:60.-08:00", "15:59:60", "24:59:60+01:00", "15:59:59-08:00", "1:59:60-08:00", "15.59:60-08:00"]
        {
            assert!(!automaton.accepts(text.as_bytes()), "{text}");
        }
    }
}
