//! Patterns that cut a text into pieces, as tokenizers write them, read into a tree.
//!
//! ```text
//! '(?i:[sdmt])| ?\p{L}+|\s+(?!\S)|\s+        four alternatives, the first that matches is taken
//! ```
//!
//! Of the syntax of Perl this is what such patterns consist of: classes, groups, alternatives, counts, and at the end of an
//! alternative `$` or a look at the next character, `(?!\S)`. All else is refused, with its place.
//!
//! Cost: one pass. What `\p{L}` and `\s` contain is for the tokenizer's own engine to say ([`Properties`]): two
//! engines with tables of different versions of Unicode cut some texts otherwise.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};
use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// Most times that a part is repeated by a count: each is a copy.
const MOST_COPIES: u32 = 100;

/// What is read.
#[derive(Clone, Debug)]
pub enum Node {
    /// The empty text.
    Empty,
    /// A character of a class.
    Class(ClassUnicode),
    /// One after the other.
    Concat(Vec<Node>),
    /// The first of them that leads to a match.
    Alternatives(Vec<Node>),
    /// As often as leads to a match, between two counts.
    Repeat(Box<Repeat>),
    /// A character of a class comes next, or, where `at_end`, nothing.
    Next {
        /// The class.
        class: ClassUnicode,
        /// Whether the end of the text will do.
        at_end: bool,
    },
}

impl Node {
    /// Whether it matches the empty text.
    fn may_be_empty(&self) -> bool {
        match self {
            Self::Empty | Self::Next { .. } => true,
            Self::Class(_) => false,
            Self::Concat(parts) => parts.iter().all(Self::may_be_empty),
            Self::Alternatives(all) => all.iter().any(Self::may_be_empty),
            Self::Repeat(repeat) => repeat.low == 0 || repeat.body.may_be_empty(),
        }
    }
}

/// A repetition.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// What is repeated.
    pub body: Node,
    /// Least times.
    pub low: u32,
    /// Most times, if that is bounded.
    pub high: Option<u32>,
    /// Whether what was read is never given back.
    pub possessive: bool,
}

/// What classes with a name contain: `\p{L}`, `\s`. Those that the engine of a tokenizer was asked about, and for the rest
/// this kernel's own tables.
#[derive(Clone, Debug, Default)]
pub struct Properties(FxHashMap<String, ClassUnicode>);

impl Properties {
    /// Says what the engine of the tokenizer takes a class for.
    pub fn insert(&mut self, name: &str, ranges: impl IntoIterator<Item = (char, char)>) {
        let ranges = ranges.into_iter().map(|(first, last)| ClassUnicodeRange::new(first, last));
        self.0.insert(name.to_owned(), ClassUnicode::new(ranges));
    }

    /// All that was said, by name.
    pub(super) fn sorted(&self) -> Vec<(&str, Vec<(char, char)>)> {
        let ranges = |class: &ClassUnicode| class.iter().map(|range| (range.start(), range.end())).collect();
        let mut all: Vec<_> = self.0.iter().map(|(name, class)| (name.as_str(), ranges(class))).collect();
        all.sort_unstable();
        all
    }

    fn class(&self, name: &str) -> Option<ClassUnicode> {
        self.0.get(name).cloned().or_else(|| match regex_syntax::parse(name).ok()?.into_kind() {
            HirKind::Class(Class::Unicode(class)) => Some(class),
            _ => None,
        })
    }
}

/// Reads a pattern.
///
/// # Errors
/// [`crate::Kind::Regex`] for what is not read.
pub fn parse(pattern: &str, properties: &Properties) -> Result<Node> {
    let mut parser = Parser { pattern, at: 0, fold: false, names: Vec::new(), properties };
    let node = parser.alternatives(0)?;
    if parser.peek().is_some() {
        return Err(parser.error("a parenthesis that nothing opened"));
    }
    Ok(node)
}

/// The classes with a name that occur in a pattern: what an engine has to be asked about.
///
/// # Errors
/// As [`parse`].
pub fn class_names(pattern: &str) -> Result<Vec<String>> {
    let properties = Properties::default();
    let mut parser = Parser { pattern, at: 0, fold: false, names: Vec::new(), properties: &properties };
    parser.alternatives(0)?;
    let mut names = parser.names;
    names.sort();
    names.dedup();
    Ok(names)
}

/// Groups inside each other.
const MOST_DEPTH: u32 = 50;

struct Parser<'p> {
    pattern: &'p str,
    at: usize,
    /// Whether case does not matter.
    fold: bool,
    /// Classes met.
    names: Vec<String>,
    properties: &'p Properties,
}

impl Parser<'_> {
    fn error(&self, what: &str) -> Error {
        let end = self.pattern[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        Error::regex(self.pattern, (self.at, end), what)
    }

    fn peek(&self) -> Option<char> {
        self.pattern[self.at..].chars().next()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.pattern[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn next(&mut self, missing: &str) -> Result<char> {
        let next = self.peek().ok_or_else(|| self.error(missing))?;
        self.at += next.len_utf8();
        Ok(next)
    }

    fn alternatives(&mut self, depth: u32) -> Result<Node> {
        if depth > MOST_DEPTH {
            return Err(self.error("groups are nested too deep"));
        }
        let mut all = vec![self.sequence(depth)?];
        while self.eat("|") {
            all.push(self.sequence(depth)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Alternatives(all) })
    }

    fn sequence(&mut self, depth: u32) -> Result<Node> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let atom = self.atom(depth)?;
            parts.push(self.repeated(atom)?);
        }
        Ok(match parts.len() {
            0 => Node::Empty,
            1 => parts.remove(0),
            _ => Node::Concat(parts),
        })
    }

    fn atom(&mut self, depth: u32) -> Result<Node> {
        if self.eat("$") {
            return Ok(Node::Next { class: ClassUnicode::empty(), at_end: true });
        }
        for (start, is_negated) in [("(?!", true), ("(?=", false)] {
            if self.eat(start) {
                return self.look(is_negated, depth);
            }
        }
        if self.eat("(") {
            return self.group(depth);
        }
        Ok(Node::Class(self.class(depth)?))
    }

    /// A look at the next character.
    fn look(&mut self, is_negated: bool, depth: u32) -> Result<Node> {
        let inner = self.alternatives(depth + 1)?;
        self.close()?;
        match inner {
            Node::Class(mut class) => {
                if is_negated {
                    class.negate();
                }
                Ok(Node::Next { class, at_end: is_negated })
            }
            _ => Err(self.error("only a single character is looked at ahead")),
        }
    }

    fn group(&mut self, depth: u32) -> Result<Node> {
        let fold = self.fold;
        if self.eat("?i:") {
            self.fold = true;
        } else if self.peek() == Some('?') && !self.eat("?:") {
            return Err(self.error("a group of a kind that is not read"));
        }
        let node = self.alternatives(depth + 1)?;
        self.fold = fold;
        self.close()?;
        Ok(node)
    }

    fn close(&mut self) -> Result<()> {
        if self.eat(")") { Ok(()) } else { Err(self.error("a parenthesis is missing")) }
    }

    fn repeated(&mut self, body: Node) -> Result<Node> {
        let (low, high) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(body),
            _ => return Ok(body),
        };
        self.at += 1;
        self.finish_repeat(body, low, high)
    }

    fn counted(&mut self, body: Node) -> Result<Node> {
        self.at += 1;
        let low = self.count()?;
        let high = if !self.eat(",") {
            Some(low)
        } else if self.peek() == Some('}') {
            None
        } else {
            Some(self.count()?)
        };
        if !self.eat("}") {
            return Err(self.error("a count is not closed"));
        }
        if high.unwrap_or(low).max(low) > MOST_COPIES || high.is_some_and(|high| high < low) {
            return Err(self.error("a count that is not read"));
        }
        self.finish_repeat(body, low, high)
    }

    fn count(&mut self) -> Result<u32> {
        let digits = self.pattern[self.at..].bytes().take_while(u8::is_ascii_digit).count();
        let number = self.pattern[self.at..self.at + digits].parse().map_err(|_| self.error("a count is a number"))?;
        self.at += digits;
        Ok(number)
    }

    fn finish_repeat(&mut self, body: Node, low: u32, high: Option<u32>) -> Result<Node> {
        if matches!(body, Node::Next { .. }) {
            return Err(self.error("a look ahead is not repeated"));
        }
        if high != Some(1) && body.may_be_empty() {
            return Err(self.error("a repetition of what may be empty is not read")); // engines do not agree on it
        }
        if self.eat("?") {
            return Err(self.error("repetitions that take as little as they can are not read"));
        }
        let possessive = self.eat("+");
        if self.peek().is_some_and(|c| matches!(c, '*' | '+' | '?' | '{')) {
            return Err(self.error("a repetition of a repetition"));
        }
        Ok(Node::Repeat(Box::new(Repeat { body, low, high, possessive })))
    }

    fn class(&mut self, depth: u32) -> Result<ClassUnicode> {
        match self.next("a character is missing")? {
            '[' => self.bracket(depth),
            '\\' => {
                let class = self.escape()?;
                Ok(self.folded(class))
            }
            '.' => self.named("."),
            c if "^*+?{".contains(c) => {
                self.at -= 1;
                Err(self.error("a character that is not read here"))
            }
            c => Ok(self.folded(single(c))),
        }
    }

    /// A class with all that differs from it in case alone, where case does not matter. Complements come after that.
    fn folded(&self, mut class: ClassUnicode) -> ClassUnicode {
        if self.fold {
            class.case_fold_simple();
        }
        class
    }

    /// A set; `&&` is between sets of which all must hold.
    fn bracket(&mut self, depth: u32) -> Result<ClassUnicode> {
        if depth > MOST_DEPTH {
            return Err(self.error("sets are nested too deep"));
        }
        let is_negated = self.eat("^");
        let (mut all, mut held) = (ClassUnicode::empty(), None);
        let mut is_first = true;
        while is_first || !self.eat("]") {
            is_first = false;
            if self.eat("&&") {
                held = Some(both(held, std::mem::replace(&mut all, ClassUnicode::empty())));
                continue;
            }
            if self.is_other_operator() {
                return Err(self.error("a set of a kind that is not read"));
            }
            let item = match self.next("a set is not closed")? {
                '[' => self.bracket(depth + 1)?,
                '\\' => self.escape()?,
                c => single(c),
            };
            let item = if self.is_range() { self.range(&item)? } else { item };
            all.union(&self.folded(item));
        }
        let mut all = both(held, all);
        if is_negated {
            all.negate();
        }
        Ok(all)
    }

    /// Operators between sets that engines do not have in common.
    fn is_other_operator(&self) -> bool {
        ["--", "~~", "[:"].iter().any(|text| self.pattern[self.at..].starts_with(text))
    }

    fn is_range(&self) -> bool {
        let mut rest = self.pattern[self.at..].chars();
        rest.next() == Some('-') && rest.next().is_some_and(|c| c != ']')
    }

    fn range(&mut self, first: &ClassUnicode) -> Result<ClassUnicode> {
        if self.is_other_operator() {
            return Err(self.error("a set of a kind that is not read"));
        }
        self.at += 1;
        let last = match self.next("a set is not closed")? {
            '\\' => self.escape()?,
            c if "-[&".contains(c) => return Err(self.error("a range that is not read")),
            c => single(c),
        };
        match (only(first), only(&last)) {
            (Some(first), Some(last)) if first <= last => Ok(ClassUnicode::new([ClassUnicodeRange::new(first, last)])),
            _ => Err(self.error("a range from one character to a later one is expected")),
        }
    }

    fn escape(&mut self) -> Result<ClassUnicode> {
        let start = self.at - 1;
        let c = self.next("a character is missing")?;
        Ok(match c {
            'r' => single('\r'),
            'n' => single('\n'),
            't' => single('\t'),
            'f' => single('\u{C}'),
            'v' => single('\u{B}'),
            's' | 'S' | 'd' | 'D' | 'w' | 'W' => self.named(&format!("\\{c}"))?,
            'p' | 'P' => {
                let end = self.pattern[self.at..].find('}').filter(|_| self.peek() == Some('{'));
                let end = end.ok_or_else(|| self.error("a property in braces is expected"))?;
                self.at += end + 1;
                let name = self.pattern[start..self.at].to_owned();
                self.named(&name)?
            }
            'u' | 'x' => self.code_point(if c == 'u' { 4 } else { 2 })?,
            c if c.is_ascii_alphanumeric() => return Err(self.error("an escape that is not read")),
            c => single(c),
        })
    }

    fn code_point(&mut self, digits: usize) -> Result<ClassUnicode> {
        let text =
            self.pattern.get(self.at..self.at + digits).filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()));
        let code = text.and_then(|text| u32::from_str_radix(text, 16).ok()).and_then(char::from_u32);
        let found = code.ok_or_else(|| self.error("a code point is expected"))?;
        self.at += digits;
        Ok(single(found))
    }

    /// A class with a name. What is not in it is the complement, so that an engine is asked about each class once.
    fn named(&mut self, name: &str) -> Result<ClassUnicode> {
        let is_negated = name.len() > 1 && name.as_bytes()[1].is_ascii_uppercase();
        let positive = if is_negated {
            name.replacen(|c: char| c.is_ascii_uppercase(), &name[1..2].to_lowercase(), 1)
        } else {
            name.to_owned()
        };
        let mut class = self.properties.class(&positive).ok_or_else(|| self.error("no such class"))?;
        self.names.push(positive);
        class = self.folded(class);
        if is_negated {
            class.negate();
        }
        Ok(class)
    }
}

/// What is in both.
fn both(held: Option<ClassUnicode>, class: ClassUnicode) -> ClassUnicode {
    let Some(mut both) = held else { return class };
    both.intersect(&class);
    both
}

fn single(c: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(c, c)])
}

/// The one character of a class.
fn only(class: &ClassUnicode) -> Option<char> {
    match class.ranges() {
        [range] if range.start() == range.end() => Some(range.start()),
        _ => None,
    }
}
