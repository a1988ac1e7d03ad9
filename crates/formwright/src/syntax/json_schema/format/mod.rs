//! The formats of the specification, as regular expressions over the decoded string.
//!
//! ```text
//! ipv4     {octet}(?:\.{octet}){3}, where octet is a part of its own
//! ```
//!
//! Sources use the syntax of the `regex` crate and match the whole string; parts in `{name}` stand for other rows. What
//! such a source cannot say is added to its tree by a function: leap seconds, names of hosts.
//!
//! Cost: each format is parsed once for the process. Where a format is wider than regular, the row is a subset
//! and says so: what is written is always valid.

mod label;
mod leap;
mod name;
mod punycode;
mod utf8_length;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::limits::Limits;
use crate::regular::Regular;
use crate::syntax::regex;
use utf8_length::Utf8Length;

/// A format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Its language; `{other}` stands for another row.
    source: &'static str,
    /// What is left out, or empty.
    pub left_out: &'static str,
    /// The language, made from that of the source.
    finish: fn(Regular) -> Regular,
    /// Where something is left out, the source of a superset; empty stands for all texts.
    superset: &'static str,
}

const fn row(name: &'static str, source: &'static str, left_out: &'static str) -> Format {
    Format { name, source, left_out, finish: |source| source, superset: "" }
}

impl Format {
    const fn with(self, finish: fn(Regular) -> Regular) -> Self {
        Self { finish, ..self }
    }

    const fn within(self, superset: &'static str) -> Self {
        Self { superset, ..self }
    }
}

/// Most bytes before the `@` of an address (RFC 5321).
const LOCAL_PART: u32 = 64;

/// Parts that are not formats by themselves.
const PARTS: &[(&str, &str)] = &[
    ("year", "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"),
    ("leap", "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"),
    ("offset", "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"),
    ("day", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    ("moment", r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?{offset}"),
    ("octet", "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"),
    ("h16", "[0-9A-Fa-f]{1,4}"),
    ("ls32", "(?:{h16}:{h16}|{ipv4})"),
    ("label", "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"),
    ("mailhost", r"(?:{label}(?:\.{label})*|\[{ipv4}\]|\[IPv6:{ipv6}\])"),
    ("atext", "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"),
    ("pct", "%[0-9A-Fa-f]{2}"),
    ("pchar", "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|{pct})"),
    ("regname", "(?:[A-Za-z0-9._~!$&'()*+,;=-]|{pct})*"),
    ("ipliteral", r"\[(?:{ipv6}|[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+)\]"),
    ("authority", "(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|{pct})*@)?(?:{ipliteral}|{regname})(?::[0-9]*)?"),
    ("tail", r"(?:\?(?:{pchar}|[/?])*)?(?:#(?:{pchar}|[/?])*)?"),
    (
        "uchar",
        "[\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{4FFFD}\u{50000}-\u{5FFFD}\u{60000}-\u{6FFFD}\u{70000}-\u{7FFFD}\u{80000}-\u{8FFFD}\u{90000}-\u{9FFFD}\u{A0000}-\u{AFFFD}\u{B0000}-\u{BFFFD}\u{C0000}-\u{CFFFD}\u{D0000}-\u{DFFFD}\u{E1000}-\u{EFFFD}]",
    ),
    ("wide", r"[\u{80}-\u{10FFFF}]"),
    ("ipchar", "(?:{pchar}|{uchar})"),
    (
        "iauthority",
        "(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|{pct}|{uchar})*@)?(?:{ipliteral}|(?:[A-Za-z0-9._~!$&'()*+,;=-]|{pct}|{uchar})*)(?::[0-9]*)?",
    ),
    (
        "itail",
        r"(?:\?(?:{ipchar}|[/?\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}])*)?(?:#(?:{ipchar}|[/?])*)?",
    ),
    (
        "rxatom",
        r"(?:[A-Za-z0-9 _:;,<>=!@#%&~/'-]|\\[dDwWsSbBntr.*+?()\[\]{}|^$/\\-]|\.|\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9 _.,:;@#%+/]|\\[dDwWsS.\]\[\\/^$-])+-?\])",
    ),
    ("rxcount", r"(?:[*+?]\??|\{[0-9]{1,3}(?:,)?\})?"),
    ("rxalt0", r"(?:{rxatom}{rxcount})*(?:\|(?:{rxatom}{rxcount})*)*"),
    ("rxitem1", r"(?:{rxatom}|\((?:\?:)?{rxalt0}\)){rxcount}"),
    ("rxalt1", r"(?:{rxitem1})*(?:\|(?:{rxitem1})*)*"),
    ("rxitem2", r"(?:{rxatom}|\((?:\?:)?{rxalt1}\)){rxcount}"),
    ("rxalt2", r"(?:{rxitem2})*(?:\|(?:{rxitem2})*)*"),
    ("varname", r"(?:[A-Za-z0-9_]|{pct})(?:\.?(?:[A-Za-z0-9_]|{pct}))*"),
    ("varspec", r"{varname}(?::[1-9][0-9]{0,3}|\*)?"),
];

/// Every format of the specification.
pub const FORMATS: &[Format] = &[
    row(
        "date",
        "(?:{year}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|{leap}-02-29)",
        "the year 0000, which calendars of programs do not have",
    )
    .within("{day}"),
    row(
        "time",
        r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?{offset}|23:59:60(?:\.[0-9]+)?[Zz])",
        "leap seconds at offsets that are not whole quarters of an hour",
    )
    .with(|time| Regular::or([time, leap::leap_seconds()]))
    .within("{moment}"),
    row("date-time", "{date}[Tt]", "the year 0000; leap seconds as in time")
        .with(|date| Regular::concat([date, named("time")]))
        .within("{day}[Tt]{moment}"),
    row(
        "duration",
        "P(?:[0-9]+W|(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?|T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))",
        "",
    ),
    row(
        "email",
        r#"{atext}+(?:\.{atext}+)*|"(?:[ !#-\[\]-~]|\\[ -~])*""#,
        "",
    )
    .with(|local| Regular::concat([Regular::and([local, Regular::length(1, Some(LOCAL_PART))]), parse("@{mailhost}")])),
    row(
        "hostname",
        "",
        "labels with -- in third and fourth place, except A-labels of letters up to U+30FF that grow from valid labels",
    )
    .with(|_| name::ascii())
    .within("[A-Za-z0-9.-]+"),
    row("ipv4", r"{octet}(?:\.{octet}){3}", ""),
    row(
        "ipv6",
        "(?:(?:{h16}:){6}{ls32}|::(?:{h16}:){5}{ls32}|(?:{h16})?::(?:{h16}:){4}{ls32}|(?:(?:{h16}:){0,1}{h16})?::(?:{h16}:){3}{ls32}|(?:(?:{h16}:){0,2}{h16})?::(?:{h16}:){2}{ls32}|(?:(?:{h16}:){0,3}{h16})?::{h16}:{ls32}|(?:(?:{h16}:){0,4}{h16})?::{ls32}|(?:(?:{h16}:){0,5}{h16})?::{h16}|(?:(?:{h16}:){0,6}{h16})?::)",
        "",
    ),
    row(
        "uri",
        "[A-Za-z][A-Za-z0-9+.-]*:(?://{authority}(?:/{pchar}*)*|/(?:{pchar}+(?:/{pchar}*)*)?|{pchar}+(?:/{pchar}*)*|){tail}",
        "",
    ),
    row(
        "uri-reference",
        "(?:{uri}|(?://{authority}(?:/{pchar}*)*|/(?:{pchar}+(?:/{pchar}*)*)?|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|{pct})+(?:/{pchar}*)*|){tail})",
        "",
    ),
    row(
        "iri",
        "[A-Za-z][A-Za-z0-9+.-]*:(?://{iauthority}(?:/{ipchar}*)*|/(?:{ipchar}+(?:/{ipchar}*)*)?|{ipchar}+(?:/{ipchar}*)*|){itail}",
        "",
    ),
    row(
        "iri-reference",
        "(?:{iri}|(?://{iauthority}(?:/{ipchar}*)*|/(?:{ipchar}+(?:/{ipchar}*)*)?|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|{pct}|{uchar})+(?:/{ipchar}*)*|){itail})",
        "",
    ),
    row("uuid", "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}", ""),
    row("json-pointer", "(?:/(?:[^~/]|~[01])*)*", ""),
    row("relative-json-pointer", "(?:0|[1-9][0-9]*)(?:#|{json-pointer})", ""),
    row(
        "uri-template",
        r"(?:[!#$&-;=?-\[\]_a-z~\u{A0}-\u{D7FF}\u{E000}-\u{10FFFD}]|{pct}|\{[+#./;?&]?{varspec}(?:,{varspec})*\})*",
        "operators that are reserved for extensions",
    )
    .within(r"(?:[!#$&-;=?-\[\]_a-z~\u{A0}-\u{D7FF}\u{E000}-\u{10FFFD}]|{pct}|\{[+#./;?&=,!@|]?{varspec}(?:,{varspec})*\})*"),
    row("regex", r"\^?{rxalt2}\$?", "groups nested deeper than two, look-around, back-references, unusual classes"),
    row(
        "idn-email",
        r#"(?:{atext}|{wide})+(?:\.(?:{atext}|{wide})+)*|"(?:[ !#-\[\]-~]|{wide}|\\[ -~])*""#,
        "domains as in idn-hostname",
    )
    .with(|local| {
        let local = Regular::and([local, Utf8Length::at_most(LOCAL_PART)]);
        Regular::concat([local, Regular::text("@"), name::domain()])
    })
    .within("(?s).*@.*"),
    row(
        "idn-hostname",
        "",
        "as hostname; names in Unicode of more than four labels, long labels in Unicode, rare sequences of marks",
    )
    .with(|_| name::unicode()),
];

/// Formats that are annotations by definition or by custom.
pub const FREE_FORMATS: &[&str] =
    &["binary", "byte", "password", "float", "double", "int32", "int64", "uint32", "uint64"];

/// A format of the specification.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Languages by name, each built when it is asked for.
type Trees = OnceLock<HashMap<&'static str, OnceLock<Regular>>>;

fn built(trees: &'static Trees, format: &Format, build: fn(&Format) -> Regular) -> Regular {
    let trees = trees.get_or_init(|| FORMATS.iter().map(|format| (format.name, OnceLock::new())).collect());
    Regular::of_static(trees[format.name].get_or_init(|| build(format)))
}

/// The language of a format. Built once a process.
pub fn tree(format: &Format) -> Regular {
    static TREES: Trees = OnceLock::new();
    built(&TREES, format, build)
}

/// A language that holds the whole format, if [`tree`] leaves something out. Built once a process.
pub fn over_approximation(format: &Format) -> Option<Regular> {
    static TREES: Trees = OnceLock::new();
    let language = |format: &Format| match format.superset {
        "" => Regular::anything(),
        source => parse(source),
    };
    (!format.left_out.is_empty()).then(|| built(&TREES, format, language))
}

/// The language of a format in the table; no text for other names.
fn named(name: &str) -> Regular {
    find(name).map_or(Regular::Never, tree)
}

fn build(format: &Format) -> Regular {
    (format.finish)(parse(format.source))
}

/// The language of a source; the tests see to it that every one can be read.
fn parse(source: &str) -> Regular {
    regex::parse(&expand(source), &Limits::default()).unwrap_or(Regular::Never)
}

/// Replaces `{name}` by the source of that row, in a group. Other braces are counts, or escaped.
fn expand(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source;
    while let Some(open) = rest.find('{') {
        let (before, braced) = rest.split_at(open);
        text.push_str(before);
        let row = braced[1..].split_once('}').and_then(|(name, after)| Some((part(name)?, after)));
        let (replaced, after) =
            row.map_or(("{".to_owned(), &braced[1..]), |(part, after)| (format!("(?:{})", expand(part)), after));
        text.push_str(&replaced);
        rest = after;
    }
    text + rest
}

fn part(name: &str) -> Option<&'static str> {
    let part = PARTS.iter().find(|(part, _)| *part == name).map(|&(_, source)| source);
    part.or_else(|| find(name).map(|format| format.source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::{Automaton, Encoding};

    fn valid(format: &str, text: &str) -> bool {
        let tree = tree(find(format).unwrap());
        Automaton::new(&tree, Encoding::Text, &Limits::default()).unwrap().accepts(text.as_bytes())
    }

    #[test]
    fn every_format_has_a_text() {
        for format in FORMATS {
            assert_ne!(
                tree(format),
                Regular::Never,
                "{}: {:?}",
                format.name,
                regex::parse(&expand(format.source), &Limits::default()).err().map(|error| error.message)
            );
            assert!(
                !Automaton::new(&tree(format), Encoding::Text, &Limits::default()).unwrap().is_never(),
                "{}",
                format.name
            );
        }
    }

    #[test]
    fn regular_expressions() {
        for text in ["^/api/(.*)$", "^a+$", "([abc])+\\s+$", "", "a{3}|b", "[^a-z]?"] {
            assert!(valid("regex", text), "{text}");
        }
        for text in ["^(abc]", "a**", "(", "[z-a]", "\\a", "a{3,1}", "?"] {
            assert!(!valid("regex", text), "{text}");
        }
    }

    #[test]
    fn leap_days() {
        assert!(
            valid("date", "2024-02-29")
                && valid("date", "2000-02-29")
                && valid("date", "0400-02-29")
                && !valid("date", "0000-02-28")
        );
        assert!(!valid("date", "2023-02-29") && !valid("date", "1900-02-29") && !valid("date", "2024-04-31"));
    }

    #[test]
    fn addresses() {
        assert!(
            valid("ipv6", "::")
                && valid("ipv6", "1:2:3:4:5:6:7::")
                && valid("ipv6", "::ffff:192.168.0.1")
                && valid("ipv6", "1::8")
        );
        assert!(
            !valid("ipv6", "1:2:3:4:5:6:7")
                && !valid("ipv6", ":::")
                && !valid("ipv4", "256.1.1.1")
                && !valid("ipv4", "01.1.1.1")
        );
        assert!(
            valid("uri", "http://a.b/c?d#e")
                && valid("uri", "urn:x:y")
                && !valid("uri", "//a/b")
                && !valid("uri", "a b")
        );
        assert!(
            valid("email", "joe@example.com")
                && !valid("email", ".a@b.c")
                && valid("hostname", "a-b.c")
                && !valid("hostname", "a..b")
        );
    }

    #[test]
    fn local_parts_have_at_most_64_bytes() {
        for (local, is_valid) in [
            ("a".repeat(64), true),
            ("a".repeat(65), false),
            (format!("{}.b", "a".repeat(62)), true),
            (format!("{}.b", "a".repeat(63)), false),
            (format!("\"{}\"", "@".repeat(62)), true),
            (format!("\"{}\"", "@".repeat(63)), false),
        ] {
            for (format, host) in [("email", "b.c"), ("email", "[1.2.3.4]"), ("idn-email", "b.c")] {
                assert_eq!(valid(format, &format!("{local}@{host}")), is_valid, "{format}: {local}@{host}");
            }
        }
        for (local, is_valid) in [
            ("é".repeat(32), true),
            (format!("a{}", "é".repeat(32)), false),
            ("日".repeat(21), true),
            ("日".repeat(22), false),
            ("😀".repeat(16), true),
            ("😀".repeat(17), false),
        ] {
            assert_eq!(valid("idn-email", &format!("{local}@b.c")), is_valid, "{local}");
        }
    }

    #[test]
    fn reserved_operators_of_templates_are_left_out_and_known() {
        let format = find("uri-template").unwrap();
        let superset =
            Automaton::new(&over_approximation(format).unwrap(), Encoding::Text, &Limits::default()).unwrap();
        for operator in ["=", ",", "!", "@", "|"] {
            let text = format!("a{{{operator}x}}");
            assert!(!valid("uri-template", &text) && superset.accepts(text.as_bytes()), "{text}");
        }
        for operator in ["", "+", "#", ".", "/", ";", "?", "&"] {
            let text = format!("a{{{operator}x:3,y*}}");
            assert!(valid("uri-template", &text) && superset.accepts(text.as_bytes()), "{text}");
        }
        assert!(!superset.accepts(b"{") && !superset.accepts(b"{^x}") && !superset.accepts(b"{=}"));
    }
}
