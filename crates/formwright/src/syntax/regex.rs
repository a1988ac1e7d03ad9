//! Regular expressions: in the syntax of the `regex` crate, or as Python's `re` read them.
//!
//! ```text
//! (?i)yes|no{1,3}     one automaton          (one of a thousand words),\d+     a tree of texts, then an automaton
//! ```
//!
//! The text must match from its first character to its last; `^` and `$` at the ends change nothing. `\d`, `\w`, `\s`
//! and `\b` are those of ASCII, and of Unicode where `u` is set; `(?i)` folds case by Unicode's simple rules. The library
//! parses; look-around and back-references are refused by it, with the place.
//!
//! Cost: parsing, and a tree as large as the expression. Many words, and long counters, become nodes of the
//! graph instead of states of an automaton (`Segment`).

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, ClassSet, ClassSetItem, ErrorKind};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::pattern::{Mode, Pattern, WITHOUT_MEMORY, class_of, lower, ranges_of, refuse_assertions};
use super::{ascii, python};
use crate::error::{Error, Kind, Result};
use crate::interrupt::{ask_now, bounded, count};
use crate::language::Language;
use crate::language::{Graph, INFINITE, Leaf, Node, NodeId, UNBOUNDED, is_too_long};
use crate::limits::Limits;
use crate::regular::{Encoding, Ranges, Regular};

/// What a pattern is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The syntax of the `regex` crate, with `u` not set.
    #[default]
    Ascii,
    /// The syntax of the `regex` crate, with `u` set.
    Unicode,
    /// What Python's `re` has read: see [`super::python`].
    Python,
}

impl Dialect {
    /// All of them, by the number that is stored.
    pub const EVERY: [Self; 3] = [Self::Ascii, Self::Unicode, Self::Python];
}

/// The texts that `source` matches as a whole.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place, or when nothing matches.
pub fn regex(source: &str, limits: &Limits) -> Result<Language> {
    of_dialect(source, Dialect::Ascii, limits)
}

/// The texts that `source`, in a dialect, matches as a whole.
///
/// # Errors
/// As [`regex`].
pub fn of_dialect(source: &str, dialect: Dialect, limits: &Limits) -> Result<Language> {
    bounded(limits.work, || read(source, dialect, limits))
}

fn read(source: &str, dialect: Dialect, limits: &Limits) -> Result<Language> {
    let tree = match dialect {
        Dialect::Ascii | Dialect::Unicode => parse_with(source, dialect == Dialect::Unicode, limits)?,
        Dialect::Python => python::parse(source, limits)?,
    };
    let mut graph = Graph::default();
    graph.root = match counted(&tree) {
        Some((class, low, high)) => {
            let leaf = graph.leaf(Leaf { tree: class.clone().repeat(0, None), encoding: Encoding::Text });
            graph.add(Node::Text { leaf, low, high })
        }
        None => Segment::of(&tree).build(&mut graph),
    };
    Language::new(graph, limits).map_err(|error| match *error.kind {
        Kind::Unsatisfiable { .. } if is_too_long(&tree) => {
            Error::too_large(source, "bytes in its shortest text", INFINITE as usize, INFINITE as usize)
        }
        Kind::Unsatisfiable { .. } => Error::unmatched_regex(source),
        _ => error,
    })
}

/// From this many repetitions on, characters of a class are counted: an automaton would have a state for each count.
const LONG: u32 = 256;

/// Of a class that is repeated many times: the class and its bounds. One of its characters must be a single byte, so
/// that the length of the shortest text is the number of characters.
fn counted(tree: &Regular) -> Option<(&Regular, u32, u32)> {
    let (class @ Regular::Class(ranges), low, Some(high)) = tree.class_times()? else { return None };
    let of_bytes = ranges.first().is_some_and(|(first, _)| first.is_ascii());
    (of_bytes && high >= LONG && low <= high).then_some((class, low, high))
}

/// From this many texts on, an alternation of texts becomes a tree instead of an automaton.
const WORDS: usize = 32;

/// Most texts of one tree.
const MOST_WORDS: usize = 1 << 14;

/// Most bytes of these texts.
const MOST_BYTES: usize = 1 << 20;

/// Most characters of a class that is taken as an alternation of texts.
const FEW: u32 = 8;

/// An expression, cut into parts that become nodes. A thousand words would make thousands of states, which a tree of
/// texts does not need; so where words are in a sequence or a repetition, its parts are nodes. All else stays one
/// automaton.
enum Segment<'t> {
    Words(Vec<String>),
    Sequence(Vec<Segment<'t>>),
    Repeat(Box<Segment<'t>>, u32, u32),
    Plain(&'t Regular),
}

impl<'t> Segment<'t> {
    fn of(tree: &'t Regular) -> Self {
        count(1);
        if let Some(words) = words(tree) {
            return if words.len() >= WORDS { Self::Words(words) } else { Self::Plain(tree) };
        }
        match tree {
            Regular::Concat(parts) => {
                let parts: Vec<Self> = parts.iter().map(Self::of).collect();
                if parts.iter().all(Self::is_plain) { Self::Plain(tree) } else { Self::Sequence(parts) }
            }
            Regular::Repeat(body, low, high) if reads(body) && high.is_none_or(|high| (*low).max(1) <= high) => {
                match Self::of(body) {
                    Self::Plain(_) => Self::Plain(tree),
                    body => Self::Repeat(Box::new(body), *low, high.unwrap_or(UNBOUNDED)),
                }
            }
            _ => Self::Plain(tree),
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    fn build(&self, graph: &mut Graph) -> NodeId {
        match self {
            Self::Words(words) => graph.literals(words.iter().map(String::as_bytes)),
            Self::Plain(tree) => graph.regular((*tree).clone(), Encoding::Text),
            Self::Repeat(body, low, high) => {
                let body = body.build(graph);
                graph.add(Node::Repeat { body, low: *low, high: *high })
            }
            Self::Sequence(parts) => {
                let runs = parts.chunk_by(|a, b| a.is_plain() && b.is_plain());
                let nodes: Vec<NodeId> = runs.map(|run| Self::build_run(run, graph)).collect();
                graph.add(Node::Sequence(nodes.into()))
            }
        }
    }

    /// Plain neighbours are one automaton.
    fn build_run(run: &[Self], graph: &mut Graph) -> NodeId {
        if let [one] = run {
            return one.build(graph);
        }
        let trees =
            run.iter().filter_map(|part| if let Self::Plain(tree) = part { Some((*tree).clone()) } else { None });
        graph.regular(Regular::concat(trees), Encoding::Text)
    }
}

/// Whether every text of it has a character, as far as is plain to see.
fn reads(tree: &Regular) -> bool {
    match tree {
        Regular::Class(_) => true,
        Regular::Concat(parts) => parts.iter().any(reads),
        Regular::Or(parts) => parts.iter().all(reads),
        Regular::Repeat(body, low, _) => *low > 0 && reads(body),
        _ => false,
    }
}

/// The character of a class of one.
fn only(tree: &Regular) -> Option<char> {
    match tree {
        Regular::Class(ranges) => match **ranges {
            [(low, high)] if low == high => Some(low),
            _ => None,
        },
        _ => None,
    }
}

/// All texts, if they are few.
fn words(tree: &Regular) -> Option<Vec<String>> {
    count(1);
    let all = match tree {
        Regular::Empty => vec![String::new()],
        Regular::Class(ranges) => {
            let count: u32 = ranges.iter().map(|&(low, high)| high as u32 - low as u32 + 1).sum();
            (count <= FEW).then(|| ranges.iter().flat_map(|&(low, high)| low..=high).map(String::from).collect())?
        }
        Regular::Concat(parts) => {
            let (mut all, mut bytes) = (vec![String::new()], 0);
            for part in parts.iter() {
                if let Some(c) = only(part) {
                    bytes += c.len_utf8() * all.len();
                    for word in &mut all {
                        word.push(c);
                    }
                } else {
                    let next = words(part)?;
                    bytes = bytes * next.len() + next.iter().map(String::len).sum::<usize>() * all.len();
                    if all.len() * next.len() > MOST_WORDS || bytes > MOST_BYTES {
                        return None;
                    }
                    all = all.iter().flat_map(|start| next.iter().map(move |end| format!("{start}{end}"))).collect();
                }
                if bytes > MOST_BYTES {
                    return None;
                }
            }
            all
        }
        Regular::Or(parts) => {
            let mut all = Vec::new();
            for part in parts.iter() {
                all.extend(words(part)?);
            }
            all
        }
        _ => return None,
    };
    (all.len() <= MOST_WORDS).then_some(all)
}

/// The regular language of `source`, with `u` not set.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place.
pub fn parse(source: &str, limits: &Limits) -> Result<Regular> {
    parse_with(source, false, limits)
}

/// The pattern of `source`, in a dialect, for texts inside longer ones.
///
/// # Errors
/// [`crate::Kind::Regex`] with the place.
pub fn parse_pattern(source: &str, dialect: Dialect, limits: &Limits) -> Result<Pattern> {
    if dialect == Dialect::Python {
        return python::read(source, limits);
    }
    let hir = translated(source, dialect == Dialect::Unicode, limits)?;
    pattern(&hir).map_err(|what| refuse_assertions(source, what))
}

fn parse_with(source: &str, unicode: bool, limits: &Limits) -> Result<Regular> {
    let hir = translated(source, unicode, limits)?;
    ask_now();
    let pattern = pattern(&hir).map_err(|what| refuse_assertions(source, what))?;
    ask_now();
    lower(&pattern, Mode::Whole).map_err(|what| refuse_assertions(source, what))
}

fn translated(source: &str, unicode: bool, limits: &Limits) -> Result<Hir> {
    if source.len() > limits.pattern_bytes {
        return Err(Error::too_large(source, "bytes", source.len(), limits.pattern_bytes));
    }
    count(source.len());
    let parsed = ParserBuilder::new().nest_limit(limits.pattern_depth).build().parse(source);
    let mut tree = parsed.map_err(|error| located(source, &error.into()))?;
    ask_now();
    let parts = parts(&tree);
    if parts > limits.pattern_parts {
        return Err(Error::too_large(source, "parts", parts, limits.pattern_parts));
    }
    if !unicode {
        tree = ascii::of_ascii(source, tree).map_err(|error| located(source, &error.into()))?;
        ask_now();
    }
    Translator::new().translate(source, &tree).map_err(|error| located(source, &error.into()))
}

/// Parts that a class of Unicode counts as, and any other class in brackets: the library lists their ranges each time.
const UNICODE_CLASS: usize = 32;
const CLASS: usize = 8;

/// Parts of an expression, those of a class by about how much memory it takes.
fn parts(tree: &Ast) -> usize {
    let (mut open, mut parts) = (vec![tree], 0);
    while let Some(tree) = open.pop() {
        parts += match tree {
            Ast::Repetition(repetition) => {
                open.push(&repetition.ast);
                0
            }
            Ast::Group(group) => {
                open.push(&group.ast);
                0
            }
            Ast::Concat(concat) => {
                open.extend(&concat.asts);
                0
            }
            Ast::Alternation(alternation) => {
                open.extend(&alternation.asts);
                1
            }
            Ast::ClassUnicode(_) => UNICODE_CLASS,
            Ast::ClassPerl(_) => CLASS,
            Ast::ClassBracketed(class) => CLASS + UNICODE_CLASS * unicode_classes(&class.kind),
            _ => 1,
        }
    }
    parts
}

/// The classes of Unicode in a class in brackets.
fn unicode_classes(set: &ClassSet) -> usize {
    match set {
        ClassSet::Item(item) => unicode_classes_of_item(item),
        ClassSet::BinaryOp(operation) => unicode_classes(&operation.lhs) + unicode_classes(&operation.rhs),
    }
}

fn unicode_classes_of_item(item: &ClassSetItem) -> usize {
    match item {
        ClassSetItem::Unicode(_) | ClassSetItem::Perl(_) => 1,
        ClassSetItem::Bracketed(class) => unicode_classes(&class.kind),
        ClassSetItem::Union(union) => union.items.iter().map(unicode_classes_of_item).sum(),
        _ => 0,
    }
}

/// The library's error with its place.
fn located(source: &str, error: &regex_syntax::Error) -> Error {
    let (span, what) = match error {
        regex_syntax::Error::Parse(error) => (*error.span(), error.kind().to_string()),
        regex_syntax::Error::Translate(error) => (*error.span(), error.kind().to_string()),
        _ => return Error::regex(source, (0, source.len()), &error.to_string()),
    };
    let is_open = matches!(error, regex_syntax::Error::Parse(error) if *error.kind() == ErrorKind::ClassUnclosed);
    let bracket = if is_open { r"; a bracket that is a member of a class is written \[" } else { "" };
    let place = (span.start.offset, span.end.offset);
    let (before, at) = source.split_at(span.start.offset);
    if is_back_reference(before, at) {
        return Error::unsupported_regex(source, place, "backreferences are not supported", WITHOUT_MEMORY);
    }
    let is_large = matches!(error, regex_syntax::Error::Parse(error) if *error.kind() == ErrorKind::DecimalInvalid);
    let count = if is_large { "; a count is below 4294967296" } else { "" };
    let what = format!("{}{bracket}{count}", what.lines().next().unwrap_or_default());
    match error {
        regex_syntax::Error::Parse(error) if *error.kind() == ErrorKind::UnsupportedBackreference => {
            Error::unsupported_regex(source, place, &what, WITHOUT_MEMORY)
        }
        regex_syntax::Error::Parse(error) if *error.kind() == ErrorKind::UnsupportedLookAround => {
            let instead = "a compiled pattern (re.compile) and the pattern of a JSON Schema may use look-ahead, and look-behind of one character";
            Error::unsupported_regex(source, place, &what, instead)
        }
        _ => Error::regex(source, place, &what),
    }
}

/// Whether the library, which knows no back-references by name, stumbled over one: `(?P=name)`, `\k<name>`, `\g{1}`.
fn is_back_reference(before: &str, at: &str) -> bool {
    before.ends_with("(?") && at.starts_with("P=") || at.starts_with("\\k") || at.starts_with("\\g")
}

/// `\w` of a boundary.
fn word(source: &str) -> Ranges {
    match regex_syntax::parse(source).map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => ranges_of(&class),
        _ => Ranges::from([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')].as_slice()),
    }
}

/// The place of an assertion.
fn look(look: Look) -> std::result::Result<Pattern, &'static str> {
    let line_end = Ranges::from([('\n', '\n')].as_slice());
    Ok(match look {
        Look::Start => Pattern::start(),
        Look::End => Pattern::End,
        Look::StartLF => Pattern::Behind { class: line_end, start: true },
        Look::EndLF => Pattern::Or(vec![Pattern::End, Pattern::ahead(&line_end, false)]),
        Look::WordUnicode | Look::WordUnicodeNegate => Pattern::boundary(&word(r"\w"), look == Look::WordUnicodeNegate),
        Look::WordAscii | Look::WordAsciiNegate => {
            Pattern::boundary(&word(r"[[:word:]]"), look == Look::WordAsciiNegate)
        }
        _ => return Err("half word boundaries, and lines that end in CR and LF, are not supported"),
    })
}

fn pattern(hir: &Hir) -> std::result::Result<Pattern, &'static str> {
    Ok(match hir.kind() {
        HirKind::Empty => Pattern::Empty,
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| "bytes that are not UTF-8 cannot be matched")?;
            Pattern::Concat(text.chars().map(|c| Pattern::Class(Ranges::from([(c, c)].as_slice()))).collect())
        }
        HirKind::Class(Class::Unicode(class)) => Pattern::Class(ranges_of(class)),
        HirKind::Class(Class::Bytes(class)) => {
            let ranges: Vec<(char, char)> =
                class.ranges().iter().map(|range| (range.start() as char, range.end() as char)).collect();
            Pattern::Class(ranges_of(&class_of(&ranges)))
        }
        HirKind::Look(kind) => look(*kind)?,
        HirKind::Repetition(repetition) => {
            let body = Box::new(pattern(&repetition.sub)?);
            Pattern::Repeat(body, repetition.min, repetition.max, !repetition.greedy)
        }
        HirKind::Capture(capture) => pattern(&capture.sub)?,
        HirKind::Concat(parts) => Pattern::Concat(parts.iter().map(pattern).collect::<std::result::Result<_, _>>()?),
        HirKind::Alternation(options) => {
            Pattern::Or(options.iter().map(pattern).collect::<std::result::Result<_, _>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(source: &str, text: &str) -> bool {
        regex(source, &Limits::default()).unwrap().check(text.as_bytes()).unwrap().1
    }

    #[test]
    fn whole_texts_match() {
        assert!(full(r"\d{3}-\d{4}", "555-1234") && !full(r"\d{3}-\d{4}", "555-12345"));
        assert!(full("^a|b$", "a") && full("^a|b$", "b") && !full("^a|b$", "ab"));
        assert!(full("(?i)ÄB?", "äb") && full("", "") && full("a*", ""));
    }

    #[test]
    fn word_boundaries_depend_on_neighbours() {
        let pattern = r"\bcat\b.*|x\bcat|\w+\Bs";
        assert!(
            full(pattern, "cat dog") && !full(pattern, "cats dog") && !full(pattern, "xcat") && full(pattern, "cats")
        );
    }

    #[test]
    fn words_are_trees_of_texts() {
        let words = (0..100).map(|n| format!("w{n}x")).collect::<Vec<_>>().join("|");
        let lists = format!("({words})(, ({words}))*[.!]?");
        let language = regex(&lists, &Limits::default()).unwrap();
        assert!(language.graph().nodes.iter().any(|node| matches!(node, Node::Literals(_))));
        for text in ["w0x", "w99x, w10x, w1x.", "w7x!"] {
            assert!(full(&lists, text), "{text}");
        }
        for text in ["", "w100x", "w1x,w2x", "w1x, ", "w1x.!"] {
            assert!(!full(&lists, text), "{text}");
        }
        assert!(full(&format!("({words}){{2,3}}"), "w1xw2x") && !full(&format!("({words}){{2,3}}"), "w1x"));
        assert!(full(&format!("(({words})?){{2,3}}"), "") && full(&format!("(({words})?){{2,3}}"), "w1xw2xw3x"));
    }

    #[test]
    fn errors_have_a_caret() {
        for source in ["(?P<y>a)(?P=y)", r"(?<y>a)\k<y>", r"(a)\g{1}", r"(a)\1"] {
            let error = regex(source, &Limits::default()).err().unwrap();
            assert!(error.message.contains("backreferences are not supported"), "{}", error.message);
        }
        let error = regex("ab(c", &Limits::default()).unwrap_err();
        assert!(error.message.contains("ab(c\n      ^"), "{}", error.message);
        assert!(regex("a(?=b)", &Limits::default()).is_err());
    }
}
