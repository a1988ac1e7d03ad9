//! `pattern` of JSON Schema: ECMA-262 regular expressions on code points.
//!
//! The differences from other dialects are why this parser exists: `\d` and `\w`
//! are ASCII, `\s` is ECMAScript's own set, `[^]` is any character, `[a[b]` and
//! `&&` mean what they say, `\/` and `\-` are plain characters, look-ahead is
//! common. Unicode properties are looked up in the library's tables.
//!
//! Refused, with the place: back-references, look-behind, and escapes of letters
//! that mean nothing (`\Z`), which other dialects read differently.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use super::pattern::{Mode, Pattern, class_of, complement, lower, ranges_of};
use crate::error::{Error, Result};
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
const LINE_ENDS: &[(char, char)] = &[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

/// The texts in which `source` matches somewhere.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place.
pub fn parse(source: &str, mode: Mode, limits: &Limits) -> Result<Regular> {
    let mut parser = Parser { source, at: 0, depth: 0, limit: limits.pattern_depth };
    let pattern = parser.alternatives()?;
    if parser.at < source.len() {
        return Err(parser.fail(parser.at, "unmatched closing parenthesis"));
    }
    lower(&pattern, mode, &Ranges::from(WORD)).map_err(|what| Error::regex(source, (0, source.len()), what))
}

struct Parser<'s> {
    source: &'s str,
    at: usize,
    depth: u32,
    limit: u32,
}

impl Parser<'_> {
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

    fn alternatives(&mut self) -> Result<Pattern> {
        self.depth += 1;
        if self.depth > self.limit {
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
            parts.push(part);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Pattern::Concat(parts) })
    }

    fn term(&mut self) -> Result<Pattern> {
        let from = self.at;
        let atom = match self.next() {
            Some('^') => Pattern::Start,
            Some('$') => Pattern::End,
            Some('.') => Pattern::Class(complement(&Ranges::from(LINE_ENDS))),
            Some('(') => self.group(from)?,
            Some('[') => Pattern::Class(self.class(from)?),
            Some('\\') => self.escape(from)?,
            Some('*' | '+' | '?') => return Err(self.fail(from, "nothing to repeat")),
            Some(c) => single(c),
            None => Pattern::Empty,
        };
        self.quantified(atom, from)
    }

    fn quantified(&mut self, atom: Pattern, from: usize) -> Result<Pattern> {
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
        self.eat("?"); // a lazy repetition matches the same texts
        if high.is_some_and(|high| low > high) {
            return Err(self.fail(place, "the bounds of the repetition are out of order"));
        }
        if matches!(atom, Pattern::Start | Pattern::End | Pattern::Boundary { .. }) {
            return Err(self.fail(from, "an assertion cannot be repeated"));
        }
        if matches!(self.peek(), Some('*' | '+' | '?')) {
            return Err(self.fail(self.at, "nothing to repeat"));
        }
        Ok(Pattern::Repeat(Box::new(atom), low, high))
    }

    /// `{n}`, `{n,}` or `{n,m}`; `None` (nothing read) if the brace is a plain character.
    fn braces(&mut self, place: usize) -> Result<Option<(u32, Option<u32>)>> {
        let Some(end) = self.rest().find('}') else { return Ok(None) };
        let inner = &self.rest()[1..end];
        let (low, high) = inner.split_once(',').map_or((inner, None), |(low, high)| (low, Some(high)));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
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
        if self.eat("?<=") || self.eat("?<!") {
            return Err(self.fail(from, "look-behind cannot be compiled"));
        }
        let ahead = if self.eat("?=") {
            Some(false)
        } else if self.eat("?!") {
            Some(true)
        } else {
            None
        };
        if ahead.is_none() && !self.eat("?:") {
            if self.eat("?<") {
                let name = self.rest().find('>').filter(|&end| end > 0);
                self.at += name.ok_or_else(|| self.fail(from, "unclosed group name"))? + 1;
            } else if self.eat("?") {
                return Err(self.fail(from, "unknown kind of group"));
            }
        }
        let body = self.alternatives()?;
        if !self.eat(")") {
            return Err(self.fail(from, "unclosed group"));
        }
        Ok(match ahead {
            Some(negated) => Pattern::Ahead { negated, body: Box::new(body) },
            None => body,
        })
    }

    fn escape(&mut self, from: usize) -> Result<Pattern> {
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(Pattern::Boundary { negated: false })
            }
            Some('B') => {
                self.next();
                Ok(Pattern::Boundary { negated: true })
            }
            Some('1'..='9' | 'k') => {
                self.next();
                Err(self.fail(from, "back-references cannot be compiled"))
            }
            _ => Ok(Pattern::Class(self.class_escape(from)?)),
        }
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
            c if c.is_ascii_alphanumeric() => return Err(self.fail(from, "this escape means nothing in ECMA-262")),
            c => c,
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
            let end = self.rest().find('}').unwrap_or(0);
            let code = u32::from_str_radix(&self.rest()[..end], 16).ok();
            self.at += end + 1;
            code
        } else {
            let high = self.hex(4);
            match high {
                Some(high @ 0xD800..=0xDBFF) if self.eat("\\u") => self
                    .hex(4)
                    .filter(|low| (0xDC00..=0xDFFF).contains(low))
                    .map(|low| 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)),
                other => other,
            }
        };
        code.and_then(char::from_u32).ok_or_else(|| self.fail(from, "this is no code point"))
    }

    /// `\p{...}` by the library's tables.
    fn property(&mut self, from: usize) -> Result<Ranges> {
        let end = self.rest().find('}').filter(|_| self.rest().starts_with('{'));
        let end = end.ok_or_else(|| self.fail(from, "a property wants braces"))?;
        self.at += end + 1;
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
        let mut class = ClassUnicode::empty();
        loop {
            let place = self.at;
            match self.peek() {
                None => return Err(self.fail(from, "unclosed class")),
                Some(']') => break,
                Some(_) => {}
            }
            let low = self.class_atom()?;
            if self.rest().starts_with('-') && !self.rest().starts_with("-]") {
                self.next();
                let high = self.class_atom()?;
                let (Some(low), Some(high)) = (only(&low), only(&high)) else {
                    return Err(self.fail(place, "a range wants single characters"));
                };
                if low > high {
                    return Err(self.fail(place, "the range is out of order"));
                }
                class.union(&class_of(&[(low, high)]));
            } else {
                class.union(&class_of(&low));
            }
        }
        self.next();
        if negated {
            class.negate();
        }
        Ok(ranges_of(&class))
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

fn only(class: &Ranges) -> Option<char> {
    match **class {
        [(low, high)] if low == high => Some(low),
        _ => None,
    }
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
    fn classes_are_ecmascript() {
        assert!(!found(r"^\d$", "٣") && !found(r"^\w$", "é") && found(r"^\s$", "\u{FEFF}"));
        assert!(found("^[^]$", "\n") && !found("^.$", "\u{2028}") && found(r"^[a[b]]$", "[]"));
        assert!(found(r"^[\w-]+$", "a-b") && found(r"^\/\-\u{1F600}\ud83d\ude00$", "/-😀😀"));
        assert!(found(r"^\p{Lu}+$", "ÄB") && found("^a{,2}$", "a{,2}"));
    }

    #[test]
    fn look_ahead_is_intersection() {
        let strong = r"^(?=.*[a-z])(?=.*\d)(?!.*\s).{4,}$";
        assert!(found(strong, "abc1") && !found(strong, "abcd") && !found(strong, "ab 1") && !found(strong, "a1"));
    }

    #[test]
    fn what_cannot_be_compiled_is_refused_with_its_place() {
        for (source, place) in
            [(r"(a)\1", 3), ("(?<=a)b", 0), (r"\Z", 0), ("a{3,2}", 1), ("[z-a]", 1), ("(a", 0), ("a**", 2)]
        {
            let error = parse(source, Mode::Search, &Limits::default()).unwrap_err();
            let crate::Kind::Regex { span, .. } = *error.kind else { panic!("{error}") };
            assert_eq!(span.0, place, "{source}: {}", error.message);
        }
    }
}
