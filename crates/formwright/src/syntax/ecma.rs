//! `pattern` of JSON Schema: ECMA-262 regular expressions on code points.
//!
//! ```text
//! ^(?!.*\d)[^]{2,}$      ^[\w-.]+$      (?P<year>\d{4})      (?<!\$)b
//! ```
//!
//! A pattern is read as with the flag `u`. What that refuses is read as without it (Annex B) where no other engine reads
//! it in another way: the hyphen of `[\w-.]`, a brace that begins no count, `\-`. The differences from other dialects
//! are why this parser exists: `\d` and `\w` are ASCII, `\s` is ECMAScript's own set, `[^]` is any character, `[a[b]`
//! and `&&` mean what they say, look-ahead is common. Unicode properties are looked up in the library's tables.
//! `(?P<x>...)` is not a ECMA-262, but cannot be mistaken: it is read as `(?<x>...)`.
//!
//! Refused, with the place: back-references, look-behind of more than one character, and what engines read in different
//! ways: escapes of letters that mean nothing (`\Z`), octal escapes, `a{,2}`.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::pattern::{Mode, Pattern, WITHOUT_MEMORY, class_of, complement, lower, ranges_of, refuse_assertions};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::limits::Limits;
use crate::regular::{Ranges, Regular};

const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const SPACE: &[(char, char)] = &[
    ('\t', '\r'),
    (' ', ' '),
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{FEFF}', '\u{FEFF}'),
];
/// So many ranges of a class count as a part more.
const RANGES_OF_PART: usize = 64;

const LINE_ENDS: &[(char, char)] = &[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

/// The texts in which `source` matches somewhere, or those that it matches as a whole.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place.
pub fn parse(source: &str, mode: Mode, limits: &Limits) -> Result<Regular> {
    lower(&read(source, &[], limits)?, mode).map_err(|what| refuse_assertions(source, what))
}

/// A pattern in which `\p{n}` is the class `classes[n]`.
///
/// # Errors
/// As [`parse`].
pub fn read(source: &str, classes: &[Ranges], limits: &Limits) -> Result<Pattern> {
    if source.len() > limits.pattern_bytes {
        return Err(Error::too_large(source, "bytes", source.len(), limits.pattern_bytes));
    }
    let mut parser = Parser::new(source, classes, limits);
    let pattern = parser.alternatives()?;
    if parser.at < source.len() {
        return Err(parser.fail(parser.at, "unmatched closing parenthesis"));
    }
    if let (true, Some(end)) = (parser.with_u, parser.without_u) {
        let what = "this is read without the flag u only, and another part of the pattern with it only";
        return Err(Error::regex(source, (end - 1, end), what));
    }
    Ok(pattern)
}

/// A class in brackets, and nothing else.
///
/// # Errors
/// As [`parse`].
pub fn parse_class(source: &str) -> Result<Ranges> {
    let limits = Limits::default();
    let mut parser = Parser::new(source, &[], &limits);
    let class = if parser.eat("[") { Some(parser.class(0)?) } else { None };
    class.filter(|_| parser.at == source.len()).ok_or_else(|| parser.fail(parser.at, "expected a class"))
}

struct Parser<'s> {
    source: &'s str,
    at: usize,
    depth: u32,
    in_class: bool,
    /// Parts read so far.
    parts: usize,
    limits: &'s Limits,
    classes: &'s [Ranges],
    /// Whether something was read that is an error, or means something else, without the flag `u`.
    with_u: bool,
    /// Where something ends that is an error with the flag `u`.
    without_u: Option<usize>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, classes: &'s [Ranges], limits: &'s Limits) -> Self {
        Self { source, at: 0, depth: 0, in_class: false, parts: 0, limits, classes, with_u: false, without_u: None }
    }

    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn fail(&self, from: usize, what: &str) -> Error {
        Error::regex(self.source, (from, self.at.max(from + 1)), what)
    }

    /// The error of what is valid, but is not kept by an automaton.
    fn refuse(&self, from: usize, what: &str) -> Error {
        Error::unsupported_regex(self.source, (from, self.at.max(from + 1)), what, WITHOUT_MEMORY)
    }

    fn alternatives(&mut self) -> Result<Pattern> {
        self.depth += 1;
        if self.depth > self.limits.pattern_depth {
            return Err(self.fail(self.at, "groups are nested too deep"));
        }
        let mut options = vec![self.sequence()?];
        while self.eat("|") {
            options.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if options.len() == 1 { options.remove(0) } else { Pattern::Or(options) })
    }

    fn sequence(&mut self) -> Result<Pattern> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let part = self.term()?;
            self.count(&part)?;
            parts.push(part);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Pattern::Concat(parts) })
    }

    /// Counts a part that was read; a class of many ranges counts several times.
    fn count(&mut self, part: &Pattern) -> Result<()> {
        count(4);
        self.parts += if let Pattern::Class(ranges) = part { 1 + ranges.len() / RANGES_OF_PART } else { 1 };
        let allowed = self.limits.pattern_parts;
        if self.parts > allowed { Err(Error::too_large(self.source, "parts", self.parts, allowed)) } else { Ok(()) }
    }

    fn term(&mut self) -> Result<Pattern> {
        let from = self.at;
        let atom = match self.next() {
            Some('^') => Pattern::start(),
            Some('$') => Pattern::End,
            Some('.') => Pattern::Class(complement(&Ranges::from(LINE_ENDS))),
            Some('(') => self.group(from)?,
            Some('[') => Pattern::Class(self.class(from)?),
            Some('\\') => self.escape(from)?,
            Some('*' | '+' | '?') => return Err(self.fail(from, "nothing to repeat")),
            Some('{') => self.brace(from)?,
            Some(c @ ('}' | ']')) => self.annex_b(c),
            Some(c) => single(c),
            None => Pattern::Empty,
        };
        let written = &self.source[from..self.at];
        let is_fixed = ["^", "$", "\\b", "\\B"].contains(&written)
            || ["(?<=", "(?<!"].iter().any(|kind| written.starts_with(kind));
        self.quantified(atom, from, is_fixed)
    }

    /// A brace that begins no count is a character.
    fn brace(&mut self, from: usize) -> Result<Pattern> {
        self.at = from;
        if self.braces(from)?.is_some() {
            return Err(self.fail(from, "nothing to repeat"));
        }
        self.next();
        Ok(self.annex_b('{'))
    }

    /// A character that must be escaped with the flag `u`.
    fn annex_b(&mut self, c: char) -> Pattern {
        self.without_u = Some(self.at);
        single(c)
    }

    fn quantified(&mut self, atom: Pattern, from: usize, is_fixed: bool) -> Result<Pattern> {
        let place = self.at;
        let (low, high) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces(place)? {
                Some(bounds) => bounds,
                None => return Ok(atom),
            },
            _ => return Ok(atom),
        };
        if self.at == place {
            self.next();
        }
        let is_lazy = self.eat("?"); // it matches the same texts
        if high.is_some_and(|high| low > high) {
            return Err(self.fail(place, "the bounds of the repetition are out of order"));
        }
        if is_fixed {
            return Err(self.fail(from, "an assertion cannot be repeated"));
        }
        if ["(?=", "(?!"].iter().any(|kind| self.source[from..].starts_with(kind)) {
            self.without_u = Some(self.at);
        }
        Ok(Pattern::Repeat(Box::new(atom), low, high, is_lazy))
    }

    /// `{n}`, `{n,}` or `{n,m}`; `None` (nothing read) if the brace is a plain character.
    fn braces(&mut self, place: usize) -> Result<Option<(u32, Option<u32>)>> {
        let count = self.rest()[1..].bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
        let end = count + 1;
        if !self.rest()[end..].starts_with('}') {
            return Ok(None);
        }
        let inner = &self.rest()[1..end];
        let (low, high) = inner.split_once(',').map_or((inner, None), |(low, high)| (low, Some(high)));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if low.is_empty() && high.is_some_and(|high| high.is_empty() || digits(high)) {
            self.at += end + 1;
            return Err(self.fail(place, "some engines read this as a count from 0 on, ECMA-262 does not: write the 0"));
        }
        if !digits(low) || high.is_some_and(|high| !high.is_empty() && !digits(high)) {
            return Ok(None);
        }
        let low: Option<u32> = low.parse().ok();
        let bounds = match high {
            None => (low, Some(low)),
            Some("") => (low, None),
            Some(high) => (low, Some(high.parse().ok())),
        };
        self.at += end + 1;
        match bounds {
            (Some(low), None) => Ok(Some((low, None))),
            (Some(low), Some(Some(high))) => Ok(Some((low, Some(high)))),
            _ => Err(self.fail(place, "the bound of the repetition is too large")),
        }
    }

    fn group(&mut self, from: usize) -> Result<Pattern> {
        let kinds = ["?=", "?!", "?<=", "?<!", "?:", "?<", "?P<", "?"];
        let kind = kinds.into_iter().find(|kind| self.eat(kind)).unwrap_or_default();
        match kind {
            "?<" | "?P<" => self.group_name(from)?,
            "?" if self.eat("P=") => return Err(self.refuse(from, "back-references cannot be compiled")),
            "?" => return Err(self.fail(from, "unknown kind of group")),
            _ => {}
        }
        let body = self.alternatives()?;
        if !self.eat(")") {
            return Err(self.fail(from, "unclosed group"));
        }
        let negated = kind.ends_with('!');
        Ok(match kind {
            "?=" | "?!" => Pattern::Ahead { negated, body: Box::new(body) },
            "?<=" | "?<!" => match as_class(&body) {
                Some(class) => Pattern::behind(&class, negated),
                None => return Err(self.refuse(from, "look-behind of more than one character cannot be compiled")),
            },
            _ => body,
        })
    }

    /// The name of a group and the bracket after it.
    fn group_name(&mut self, from: usize) -> Result<()> {
        let end = self.rest().find('>').ok_or_else(|| self.fail(from, "unclosed group name"))?;
        let name = &self.rest()[..end];
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
        if !begins || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            return Err(self.fail(from, "a group name wants letters, digits and underscores"));
        }
        self.at += end + 1;
        Ok(())
    }

    fn escape(&mut self, from: usize) -> Result<Pattern> {
        let word = Ranges::from(WORD);
        if self.eat("b") || self.eat("B") {
            return Ok(Pattern::boundary(&word, self.source[from..].starts_with("\\B")));
        }
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse::<usize>().ok();
        if self.eat("k") || number.is_some_and(|number| number > 0 && number <= groups(self.source)) {
            self.at += digits;
            return Err(self.refuse(from, "back-references cannot be compiled"));
        }
        Ok(Pattern::Class(self.class_escape(from)?))
    }

    /// What comes after a backslash, as a class.
    fn class_escape(&mut self, from: usize) -> Result<Ranges> {
        let c = self.next().ok_or_else(|| self.fail(from, "the pattern ends in a backslash"))?;
        Ok(match c {
            'd' => DIGIT.into(),
            'D' => complement(&DIGIT.into()),
            'w' => WORD.into(),
            'W' => complement(&WORD.into()),
            's' => SPACE.into(),
            'S' => complement(&SPACE.into()),
            'p' | 'P' => self.property(from)?,
            _ => {
                let c = self.character_escape(c, from)?;
                Ranges::from([(c, c)].as_slice())
            }
        })
    }

    fn character_escape(&mut self, c: char, from: usize) -> Result<char> {
        Ok(match c {
            't' => '\t',
            'n' => '\n',
            'v' => '\u{B}',
            'f' => '\u{C}',
            'r' => '\r',
            '0' if !matches!(self.peek(), Some('0'..='9')) => '\0',
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => char::from(letter as u8 & 0x1F),
                _ => return Err(self.fail(from, "a control escape wants a letter")),
            },
            'x' => self.hex(2).and_then(char::from_u32).ok_or_else(|| self.fail(from, "\\x wants two hex digits"))?,
            'u' => self.unicode_escape(from)?,
            '0'..='7' => {
                self.at += self.rest().bytes().take_while(|byte| (b'0'..=b'7').contains(byte)).take(2).count();
                return Err(self.fail(from, "octal escapes are not read: write \\x and two hex digits"));
            }
            _ if is_syntax(c) => c,
            c if c.is_ascii_alphanumeric() => return Err(self.fail(from, "this escape means nothing in ECMA-262")),
            c => {
                self.without_u = self.without_u.or(Some(self.at).filter(|_| c != '-' || !self.in_class));
                c
            }
        })
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits)?;
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(text, 16).ok()?;
        self.at += digits;
        Some(value)
    }

    fn unicode_escape(&mut self, from: usize) -> Result<char> {
        let code = if self.eat("{") {
            self.with_u = true;
            let end = self.rest().find('}').unwrap_or(0);
            let code = u32::from_str_radix(&self.rest()[..end], 16).ok();
            self.at += end + 1;
            code
        } else {
            let high = self.hex(4);
            match high {
                Some(high @ 0xD800..=0xDBFF) if self.eat("\\u") => {
                    self.with_u = true;
                    let low = self.hex(4).filter(|low| (0xDC00..=0xDFFF).contains(low));
                    low.map(|low| 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
                }
                other => other,
            }
        };
        code.and_then(char::from_u32).ok_or_else(|| self.fail(from, "this is not a code point"))
    }

    /// `\p{...}` by the library's tables.
    fn property(&mut self, from: usize) -> Result<Ranges> {
        let end = self.rest().find('}').filter(|_| self.rest().starts_with('{'));
        let end = end.ok_or_else(|| self.fail(from, "a property wants braces"))?;
        let source = self.source;
        let name = &source[self.at + 1..self.at + end];
        if let Some(class) = name.parse().ok().and_then(|number: usize| self.classes.get(number)) {
            let class = if self.source[from..].starts_with("\\P") { complement(class) } else { class.clone() };
            self.at += end + 1;
            return Ok(class);
        }
        self.with_u = true;
        self.at += end + 1;
        if !is_property(name) {
            return Err(self.fail(from, "unknown Unicode property: ECMA-262 has \\p{Lu} and \\p{Script=Greek}"));
        }
        match regex_syntax::parse(&self.source[from..self.at]).map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => Ok(ranges_of(&class)),
            Ok(HirKind::Literal(literal)) => {
                let c = std::str::from_utf8(&literal.0).ok().and_then(|text| text.chars().next());
                Ok(c.map(|c| (c, c)).into_iter().collect())
            }
            _ => Err(self.fail(from, "unknown Unicode property")),
        }
    }

    /// A bracketed class; the bracket is read.
    fn class(&mut self, from: usize) -> Result<Ranges> {
        let negated = self.eat("^");
        self.in_class = true;
        let mut ranges = Vec::new();
        loop {
            let place = self.at;
            match self.peek() {
                None => return Err(self.fail(from, "unclosed class")),
                Some(']') => break,
                Some(_) => {}
            }
            let low = self.class_atom()?;
            if !self.rest().starts_with('-') || self.rest().starts_with("-]") {
                ranges.extend_from_slice(&low);
                continue;
            }
            self.next();
            let high = self.class_atom()?;
            match (only(&low), only(&high)) {
                (Some(low), Some(high)) if low > high => return Err(self.fail(place, "the range is out of order")),
                (Some(low), Some(high)) => ranges.push((low, high)),
                // Annex B: beside a class such as \w, the hyphen is a character.
                _ => {
                    self.without_u = Some(self.at);
                    ranges.extend(low.iter().chain(&[('-', '-')]).chain(&*high));
                }
            }
        }
        self.next();
        self.in_class = false;
        let class = ranges_of(&class_of(&ranges));
        Ok(if negated { complement(&class) } else { class })
    }

    fn class_atom(&mut self) -> Result<Ranges> {
        let from = self.at;
        match self.next() {
            Some('\\') if self.eat("b") => Ok(Ranges::from([('\u{8}', '\u{8}')].as_slice())),
            Some('\\') => self.class_escape(from),
            Some(c) => Ok(Ranges::from([(c, c)].as_slice())),
            None => Err(self.fail(from, "unclosed class")),
        }
    }
}

/// Whether ECMA-262 has a property as it is written here, if the library knows it at all. The library reads names without
/// regard to case, scripts without `Script=`, and more.
fn is_property(name: &str) -> bool {
    let is_known = |source: String| regex_syntax::parse(&source).is_ok();
    let (key, value) = name.split_once('=').unwrap_or(("", name));
    let is_capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_script = || !is_known(format!(r"\p{{gc={value}}}")) && is_known(format!(r"\p{{sc={value}}}"));
    match key {
        "" if ["cntrl", "digit", "punct", "space"].contains(&value) => true,
        "" | "General_Category" | "gc" | "Script" | "sc" | "Script_Extensions" | "scx" => {
            value.split('_').all(|word| is_capital(word) && is_word(word)) && (!key.is_empty() || !is_script())
        }
        _ => false,
    }
}

/// Characters that may be escaped with the flag `u`.
fn is_syntax(c: char) -> bool {
    r"^$\.*+?()[]{}|/".contains(c)
}

fn only(class: &Ranges) -> Option<char> {
    match **class {
        [(low, high)] if low == high => Some(low),
        _ => None,
    }
}

/// The characters of a pattern that is one of them.
fn as_class(pattern: &Pattern) -> Option<Ranges> {
    match pattern {
        Pattern::Class(class) => Some(class.clone()),
        Pattern::Or(options) => {
            let classes: Vec<Ranges> = options.iter().map(as_class).collect::<Option<_>>()?;
            Some(ranges_of(&class_of(&classes.concat())))
        }
        _ => None,
    }
}

/// How many groups can be referred to.
fn groups(source: &str) -> usize {
    let (mut count, mut in_class, mut escaped) = (0, false, false);
    for (at, c) in source.char_indices() {
        let after = &source[at + c.len_utf8()..];
        match c {
            _ if escaped => {}
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let is_named = ["?<", "?P<"].iter().any(|kind| after.starts_with(kind));
                let looks = ["?<=", "?<!"].iter().any(|kind| after.starts_with(kind));
                count += usize::from(!after.starts_with('?') || is_named && !looks);
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    count
}

fn single(c: char) -> Pattern {
    Pattern::Class(Ranges::from([(c, c)].as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::{Automaton, Encoding};

    fn found(source: &str, text: &str) -> bool {
        let tree = parse(source, Mode::Search, &Limits::default()).unwrap();
        Automaton::new(&tree, Encoding::Text, &Limits::default()).unwrap().accepts(text.as_bytes())
    }

    #[test]
    fn patterns_are_searched() {
        assert!(found("b", "abc") && !found("^b", "abc") && found("c$", "abc") && !found("b$", "abc"));
        assert!(found("^a|c$", "xc") && !found("^(a|c)$", "ac") && found("", ""));
    }

    #[test]
    fn groups_may_be_many_but_not_deep() {
        let depth = Limits::default().pattern_depth as usize;
        assert!(found(&"(a)".repeat(2 * depth), &"a".repeat(2 * depth)));
        assert!(found(&["(".repeat(depth - 1), "a".into(), ")".repeat(depth - 1)].concat(), "a"));
        let deep = ["(".repeat(depth), ")".repeat(depth)].concat();
        assert!(parse(&deep, Mode::Search, &Limits::default()).unwrap_err().to_string().contains("nested too deep"));
    }

    #[test]
    fn classes_are_ecmascript() {
        assert!(!found(r"^\d$", "٣") && !found(r"^\w$", "é") && found(r"^\s$", "\u{FEFF}"));
        assert!(found("^[^]$", "\n") && !found("^.$", "\u{2028}") && found(r"^[a[b]]$", "[]"));
        assert!(found(r"^[\w-]+$", "a-b") && found(r"^\/\.[\-]\u{1F600}\ud83d\ude00$", "/.-😀😀"));
        assert!(found(r"^\p{Lu}+$", "ÄB") && found("^a{b}{$", "a{b}{"));
    }

    #[test]
    fn properties_are_spelled_as_in_ecmascript() {
        let is_read = |name: &str| parse(&format!(r"\p{{{name}}}"), Mode::Search, &Limits::default()).is_ok();
        for name in ["L", "Letter", "gc=Lu", "Script=Greek", "sc=Grek", "scx=Han", "Alphabetic", "ASCII", "space"] {
            assert!(is_read(name), "{name}");
        }
        for name in ["lu", "Greek", "script=Greek", "sc=greek", "IsGreek", "^Lu", "gc:Lu", "age=3.0", "Block", ""] {
            assert!(!is_read(name), "{name}");
        }
    }

    #[test]
    fn what_two_readings_share_is_read_and_their_mixture_is_not() {
        assert!(found(r"^\-\_}$", "-_}") && found("^[+--]$", ",") && found(r"^[\w-.]$", "-"));
        for mixture in [r"\p{L}\_", r"\u{41}{", r"[\ud83d\ude00]}", r"[\w-\p{L}]"] {
            let error = parse(mixture, Mode::Search, &Limits::default()).unwrap_err();
            assert!(error.message.contains("without the flag u only"), "{mixture}: {}", error.message);
        }
    }

    #[test]
    fn look_ahead_is_intersection() {
        let strong = r"^(?=.*[a-z])(?=.*\d)(?!.*\s).{4,}$";
        assert!(found(strong, "abc1") && !found(strong, "abcd") && !found(strong, "ab 1") && !found(strong, "a1"));
    }

    #[test]
    fn what_cannot_be_compiled_is_refused_with_its_place() {
        let refused = |source: &str| *parse(source, Mode::Search, &Limits::default()).unwrap_err().kind;
        for (source, place) in [(r"\Z", 0), ("a{3,2}", 1), ("[z-a]", 1), ("(a", 0), ("a**", 2)] {
            let crate::Kind::Regex { span, .. } = refused(source) else { panic!("{source}") };
            assert_eq!(span.0, place, "{source}");
        }
        for (source, place) in [(r"(a)\1", 3), (r"(?P<n>a)(?P=n)", 8), ("(?<=ab)c", 0)] {
            let crate::Kind::UnsupportedRegex { span, .. } = refused(source) else { panic!("{source}") };
            assert_eq!(span.0, place, "{source}");
        }
    }
}
