//! Names of hosts: letters, digits and hyphens (RFC 1123), and internationalised ones (RFC 5890).
//!
//! ```text
//! www.example.com      xn--4dbc5h.il      münchen.de      παράδειγμα.gr      דוגמה.co.il
//! ```
//!
//! As soon as one label reads from right to left, *every* label must keep the Bidi rule (RFC 5893), so that no label
//! may begin with a digit. So there are two languages of names, with and without such labels.
//!
//! Cost: that of the labels. The limit of 253 bytes for the whole name is counted for ASCII names only; a name
//! with labels in Unicode has so few labels that it cannot be longer.

use super::label::{Direction, u_label};
use super::{parse, punycode};
use crate::regular::Regular;

/// A label of ASCII of at most `most` bytes, whose first character is in the class `first`. It has no hyphen at the
/// end, and not two of them in third and fourth place, which mark A-labels and their like.
fn ldh(first: &str, most: u32) -> Regular {
    let (one, any) = ("[A-Za-z0-9]", "[A-Za-z0-9-]");
    parse(&format!("{first}(?:{any}{{0,2}}{one}|{any}(?:{one}{any}|-{one}){any}{{0,{}}}{one})?", most - 5))
}

/// Most labels of a name with labels beyond ASCII, and most bytes of the others: with their dots, they are 251 bytes.
const LABELS: u32 = 4;
const BYTES: u32 = 62;

/// `hostname`.
pub(super) fn ascii() -> Regular {
    names(".", |_| Regular::Never)
}

/// `idn-hostname`.
pub(super) fn unicode() -> Regular {
    names(".\u{3002}\u{FF0E}\u{FF61}", u_label)
}

/// The domain of `idn-email`: only a full stop is between its labels.
pub(super) fn domain() -> Regular {
    names(".", u_label)
}

fn names(stops: &str, u_label: impl Fn(Direction) -> Regular) -> Regular {
    let stop = Regular::one_of(stops);
    let list = |label: Regular, more: Option<u32>| {
        Regular::concat([label.clone(), Regular::concat([stop.clone(), label]).repeat(0, more)])
    };
    let plain =
        Regular::or([ldh("[A-Za-z0-9]", BYTES), punycode::a_label(Direction::Plain), u_label(Direction::Plain)]);
    let mixed = Regular::or([
        ldh("[A-Za-z]", BYTES),
        punycode::a_label(Direction::Right),
        u_label(Direction::Left),
        u_label(Direction::Right),
    ]);
    Regular::or([
        Regular::and([list(ldh("[A-Za-z0-9]", 63), None), Regular::length(1, Some(253))]),
        list(plain, Some(LABELS - 1)),
        list(mixed, Some(LABELS - 1)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    fn automaton(tree: &Regular) -> Automaton {
        Automaton::new(tree, Encoding::Text, &Limits::default()).unwrap()
    }

    #[test]
    fn ascii_names() {
        let names = automaton(&ascii());
        let long = |length: usize| "a".repeat(length);
        let full = [long(63), long(63), long(63), long(61)].join(".");
        for text in ["a", "A-1.b", "1a.2", "a--b", "abc--d", "xn--bcher-kva.example", &full, &long(63)] {
            assert!(names.accepts(text.as_bytes()), "{text}");
        }
        for text in ["", ".", "a.", "-a", "a-", "a..b", "ab--cd", "a_b", "ü", "xn--a", &format!("{full}a"), &long(64)]
        {
            assert!(!names.accepts(text.as_bytes()), "{text}");
        }
        let four = [long(63), long(63), long(63), "xn--bcher-kva".to_owned()].join(".");
        assert!(!names.accepts(four.as_bytes()), "61 bytes for one label leave 62 for the others");
    }

    #[test]
    fn unicode_names() {
        let names = automaton(&unicode());
        for text in [
            "bücher.example",
            "www.παράδειγμα.gr",
            "a。b．c｡d",
            "xn--bcher-kva.bücher",
            "דוגמה.co.il",
            "דוגמה.xn--4dbrk0ce",
        ] {
            assert!(names.accepts(text.as_bytes()), "{text}");
        }
        // The last four are names in two directions with a label that breaks the Bidi rule.
        for text in ["bücher.", "。a", "a.b.c.d.ü", "0a.דוגמה", "דוגמה.1a", "דוגמה.1ü", "xn--4dbrk0ce.1a"]
        {
            assert!(!names.accepts(text.as_bytes()), "{text}");
        }
        assert!(automaton(&domain()).accepts("a.bü".as_bytes()) && !automaton(&domain()).accepts("a。bü".as_bytes()));
    }
}
