//! Every case of `testdata/grammars.json`: what a grammar says, or what is wrong with it. Then grammars that are hostile,
//! broken by chance, or large.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use formwright::syntax::grammar::ast::{
    Alternative, Attributes, Control, Grammar, Item, ItemKind, Pattern, PatternKind, Shape, Span, Syntax, TerminalId,
};
use formwright::syntax::grammar::compile::GrammarText;
use formwright::syntax::grammar::lower::Lexing;
use formwright::syntax::grammar::{ReadOptions, read};
use formwright::{Error, Kind, Limits};

#[derive(serde::Deserialize)]
struct Case {
    /// The row of the table of constructs that it is of.
    of: String,
    text: String,
    syntax: Option<String>,
    start: Option<String>,
    #[serde(default)]
    forms: Vec<String>,
    /// What is printed of it.
    says: Vec<String>,
}

impl Case {
    fn options(&self) -> ReadOptions {
        let syntax = self.syntax.as_deref().map(|name| if name == "lark" { Syntax::Lark } else { Syntax::Gbnf });
        let forms = self.forms.iter().cloned().collect();
        ReadOptions { syntax, start: self.start.clone(), forms, ..ReadOptions::default() }
    }
}

fn cases() -> Vec<Case> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/grammars.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// What is read, as lines.
fn describe(text: &str, options: &ReadOptions) -> Vec<String> {
    match read(text, options) {
        Ok(grammar) => Printer(&grammar).grammar(),
        Err(error) => describe_error(text, &error),
    }
}

fn describe_error(text: &str, error: &Error) -> Vec<String> {
    let kind = match &*error.kind {
        Kind::Grammar { source, span, line, column, expected }
        | Kind::UnsupportedConstruct { source, span, line, column, expected } => {
            assert_eq!(source, text);
            assert!(expected.is_empty() || error.message.contains(&format!(": expected {expected}, got ")));
            assert!(error.message.starts_with(&format!("grammar at {line}:{column}: ")), "{}", error.message);
            check_span(text, *span);
            if matches!(*error.kind, Kind::Grammar { .. }) { "error" } else { "unsupported" }
        }
        Kind::Limit { .. } => "limit",
        kind => panic!("{kind:?}"),
    };
    let what = error.message.lines().next().unwrap_or_default();
    let mut lines = vec![format!("{kind} {}", what.trim_start_matches("grammar at "))];
    lines.extend(error.hint.iter().map(|hint| format!("hint {hint}")));
    lines
}

fn check_span(text: &str, (start, end): Span) {
    assert!(start <= end && end <= text.len(), "{start}..{end} of {}", text.len());
    assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{start}..{end}");
}

/// Prints a grammar nearly as Lark writes it.
struct Printer<'g>(&'g Grammar);

impl Printer<'_> {
    fn grammar(&self) -> Vec<String> {
        let grammar = self.0;
        let mut lines = Vec::new();
        for (id, rule) in (0..).zip(&grammar.rules) {
            check_span(&grammar.text, rule.span);
            let Shape { inlines_single, keeps_all, is_spliced } = rule.shape;
            assert_eq!(is_spliced, rule.name.starts_with('_') && grammar.syntax == Syntax::Lark);
            let mut line = format!("{}{}", if inlines_single { "?" } else { "" }, if keeps_all { "!" } else { "" });
            line += &self.rule(id);
            line += &self.head(rule.priority, &rule.attributes);
            lines.push(format!("{line}: {}", self.alternatives(&rule.alternatives)));
        }
        let named = grammar.terminals.iter().filter_map(|terminal| Some((terminal.name.as_deref()?, terminal)));
        for (name, terminal) in named {
            check_span(&grammar.text, terminal.span);
            let head = self.head(terminal.priority, &terminal.attributes);
            lines.push(format!("{name}{head}: {}", self.pattern(&terminal.pattern)));
        }
        lines.extend(grammar.ignored.iter().map(|&id| format!("%ignore {}", self.terminal(id))));
        if !grammar.ignores_at_start {
            lines.push("%ignore not at the start".to_owned());
        }
        if grammar.start != 0 {
            lines.push(format!("%start {}", self.rule(grammar.start)));
        }
        lines.extend(grammar.lints.iter().map(|lint| {
            check_span(&grammar.text, lint.span);
            let before = &grammar.text[..lint.span.0];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            format!(
                "lint {}:{}: {}",
                before.matches('\n').count() + 1,
                before[line_start..].chars().count() + 1,
                lint.message
            )
        }));
        lines
    }

    /// The name of a rule; those of one template are told apart by their ids.
    fn rule(&self, id: u32) -> String {
        let name = &self.0.rules[id as usize].name;
        let is_one = self.0.rules.iter().filter(|rule| rule.name == *name).count() == 1;
        if is_one { name.to_string() } else { format!("{name}#{id}") }
    }

    fn head(&self, priority: i32, attributes: &Attributes) -> String {
        let priority = if priority == 0 { String::new() } else { format!(".{priority}") };
        let mut listed = Vec::new();
        listed.extend(attributes.is_lazy.then(|| "lazy".to_owned()));
        listed.extend(attributes.suffix.iter().map(|suffix| format!("suffix={}", self.pattern(suffix))));
        listed.extend(attributes.capture.iter().map(|name| format!("capture={name:?}")));
        listed.extend(attributes.max_tokens.iter().map(|(most, _)| format!("max_tokens={most}")));
        if listed.is_empty() { priority } else { format!("{priority}[{}]", listed.join(", ")) }
    }

    fn alternatives(&self, alternatives: &[Alternative]) -> String {
        let print = |alternative: &Alternative| {
            check_span(&self.0.text, alternative.span);
            let items: Vec<String> = alternative.items.iter().map(|item| self.item(item)).collect();
            let alias = alternative.alias.iter().map(|alias| format!("-> {alias}"));
            let all: Vec<String> = items.into_iter().chain(alias).collect();
            if all.is_empty() { "<nothing>".to_owned() } else { all.join(" ") }
        };
        alternatives.iter().map(print).collect::<Vec<_>>().join(" | ")
    }

    fn item(&self, item: &Item) -> String {
        check_span(&self.0.text, item.span);
        match &item.kind {
            ItemKind::Rule(id) => self.rule(*id),
            ItemKind::Terminal(id) | ItemKind::Text(id) => self.terminal(*id),
            ItemKind::Group(inner) => format!("({})", self.alternatives(inner)),
            ItemKind::Optional(inner) => format!("[{}]", self.alternatives(inner)),
            ItemKind::Repeat(body, low, high) => self.item(body) + &times(*low, *high),
            ItemKind::Form(name) => format!("@{name}"),
            ItemKind::Json(json) => format!("%json {json}"),
            ItemKind::Grammar(inner) => format!("%lark {{{}}}", Printer(inner).grammar().join("; ")),
            ItemKind::Pieces(pieces) => format!("pieces({:?}, {})", pieces.text(), pieces.unit().name()),
            ItemKind::Control(Control::Name(name)) => name.to_string(),
            ItemKind::Control(Control::NotName(name)) => format!("!{name}"),
            ItemKind::Control(Control::Ids { ranges, negated }) => {
                format!("<{}{ranges:?}>", if *negated { "^" } else { "" })
            }
        }
    }

    fn terminal(&self, id: TerminalId) -> String {
        let terminal = &self.0.terminals[id as usize];
        match &terminal.name {
            Some(name) => name.to_string(),
            None => self.pattern(&terminal.pattern) + &self.head(terminal.priority, &terminal.attributes),
        }
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        check_span(&self.0.text, pattern.span);
        let joined = |parts: &[Pattern], between: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.pattern(part)).collect();
            format!("({})", parts.join(between))
        };
        match &pattern.kind {
            PatternKind::Text { text, ignores_case } => format!("{text:?}{}", if *ignores_case { "i" } else { "" }),
            PatternKind::Class(ranges) => class(ranges),
            PatternKind::Regex(id) => {
                let regex = &self.0.regexes[*id as usize];
                format!("/{}/{}", regex.source, regex.flags)
            }
            PatternKind::Terminal(id) => self.terminal(*id),
            PatternKind::Sequence(parts) => joined(parts, " "),
            PatternKind::Choice(parts) => joined(parts, " | "),
            PatternKind::And(parts) => joined(parts, " & "),
            PatternKind::Not(body) => format!("~{}", self.pattern(body)),
            PatternKind::Repeat(body, low, high) => self.pattern(body) + &times(*low, *high),
            PatternKind::Form(name) => format!("@{name}"),
            PatternKind::Pieces(pieces) => format!("pieces({:?}, {})", pieces.text(), pieces.unit().name()),
        }
    }
}

fn times(low: u32, high: Option<u32>) -> String {
    match (low, high) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (low, None) => format!("{{{low},}}"),
        (low, Some(high)) if low == high => format!("{{{low}}}"),
        (low, Some(high)) => format!("{{{low},{high}}}"),
    }
}

fn class(ranges: &[(char, char)]) -> String {
    let mut text = "[".to_owned();
    for &(low, high) in ranges {
        write!(text, "{}", low.escape_default()).unwrap();
        if low < high {
            write!(text, "-{}", high.escape_default()).unwrap();
        }
    }
    text + "]"
}

#[test]
fn cases_say_what_they_should() {
    let (mut wrong, mut rows) = (Vec::new(), std::collections::BTreeSet::new());
    for case in cases() {
        let says = describe(&case.text, &case.options());
        if says != case.says {
            wrong.push(format!(
                "{}\n{}\nexpected\n{}\ngot\n{}",
                case.of,
                case.text,
                case.says.join("\n"),
                says.join("\n")
            ));
        }
        rows.insert(case.of);
    }
    assert!(rows.len() >= 20, "few constructs: {rows:?}");
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn errors_show_the_line() {
    let error =
        read("# c\nstart = \"é\"", &ReadOptions { syntax: Some(Syntax::Lark), ..ReadOptions::default() }).unwrap_err();
    let first = "grammar at 2:7: expected ':' or a priority after the name, got '='";
    assert_eq!(error.message, format!("{first}\n    start = \"é\"\n          ^"));
    let Kind::Grammar { span, expected, .. } = *error.kind else { panic!("{error:?}") };
    assert_eq!((span, &expected[..]), ((10, 11), "':' or a priority after the name"));
}

/// Bytes of a thread's stack.
const STACK: usize = 256 << 10;

fn within_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    assert!(thread.join().is_ok());
}

/// A text for each number, one after the other.
fn repeat(count: usize, write: impl Fn(usize) -> String) -> String {
    (0..count).map(write).collect::<Vec<_>>().concat()
}

/// Texts that would make a careless reader slow, deep or large, with what is read of each.
fn hostile() -> Vec<(Syntax, String, &'static str)> {
    let (lark, gbnf) = (Syntax::Lark, Syntax::Gbnf);
    let nested =
        |open: &str, close: &str, deep: usize| format!("start: A\nA: {}\"x\"{}", open.repeat(deep), close.repeat(deep));
    let chain =
        |deep: usize, body: &str| repeat(deep, |n| format!("T{n}: {}\n", body.replace('#', &format!("T{}", n + 1))));
    let rules = |count: usize| repeat(count, |n| format!("r{n}: \"x\"\n"));
    let wide = format!("start: t{{\"a\"}}\nt{{x}}: t{{u{{x}}}} {}\nu{{x}}: x", "\"b\" ".repeat(100_000));
    let names = (0..50_000).map(|n| format!("p{n}")).collect::<Vec<_>>().join(",");
    let deep_rules = repeat(5_000, |n| format!("r{n} ::= r{} \"x\"\n", n + 1));
    vec![
        (lark, nested("(", ")", 200), "read"),
        (lark, nested("[", "]", 200), "read"),
        (lark, nested("(\"y\" | ~(\"z\" & ", ")*)+", 66), "read"),
        (lark, format!("start: {}\"x\"{}", "(\"y\" | [".repeat(100), "]*)~65535".repeat(100)), "read"),
        (lark, nested("(", ")", 201), "levels of groups"),
        (lark, "start: ".to_owned() + &"(".repeat(1_000_000), "levels of groups"),
        (lark, "start: ".to_owned() + &"t{".repeat(500_000), "levels of groups"),
        (lark, "start: ".to_owned() + &"~".repeat(1_000_000), "levels of groups"),
        (lark, "start: ".to_owned() + &"%lark{start:".repeat(80_000), "grammars inside grammars"),
        (lark, "start: %json ".to_owned() + &"[".repeat(1_000_000), "broken JSON"),
        (lark, "start: %regex ".to_owned() + &"{\"a\":".repeat(100_000), "broken JSON"),
        (lark, format!("start: T0\nT60: \"x\"\n{}", chain(60, "# #")), "read"),
        (lark, format!("start: T0\nT5000: \"x\"\n{}", chain(5_000, "# #")), "levels of groups"),
        (lark, format!("start: T0\nT5000: T0\n{}", chain(5_000, "(#)")), "levels of groups"),
        (lark, format!("start: r0\n{}", rules(65_535)), "read"),
        (lark, format!("start: r0\n{}", rules(65_536)), "more than 65536 rules"),
        (lark, wide, "more than 1048576 parts"),
        (lark, format!("start: t{{{names}}}\nt{{{names}}}: t{{{names}}}"), "is not defined"),
        (lark, format!("start: {}", "\"\" ".repeat(300_000)), "read"),
        (lark, format!("start: {}", "x ".repeat(400_000)), "is not defined"),
        (lark, format!("start: {}", "x".repeat(1_000_000)), "is not defined"),
        (lark, format!("start: \"a\"{}", "\n|".repeat(300_000)), "read"),
        (lark, format!("start: \"a\"{}b: \"x\"", "\n".repeat(900_000)), "read"),
        (lark, format!("start: \"{}\"", "\\n".repeat(400_000)), "read"),
        (lark, format!("start: /{}/", "a\\/".repeat(300_000)), "read"),
        (lark, format!("start: {}", "/".repeat(900_000)), "read"),
        (lark, "start: \"x\"\n".to_owned() + &"x".repeat(1 << 22), "bytes of a grammar"),
        (gbnf, format!("root ::= {}\"x\"{}", "(".repeat(200), ")".repeat(200)), "read"),
        (gbnf, format!("root ::= ({}\"x\"{}) - \"y\"", "(".repeat(199), ")*".repeat(199)), "read"),
        (gbnf, "root ::= ".to_owned() + &"(".repeat(1_000_000), "levels of groups"),
        (gbnf, "root ::= [".to_owned() + &"z".repeat(900_000) + "]", "read"),
        (gbnf, "root ::= ".to_owned() + &"a[".repeat(300_000), "no closing bracket"),
        (gbnf, "root ::= ".to_owned() + &"/*x".repeat(300_000), "the comment has no end"),
        (gbnf, "root ::= ".to_owned() + &"\"a\" /**/\n".repeat(90_000), "read"),
        (gbnf, format!("root ::= r0 - \"x\"\n{deep_rules}r5000 ::= \"y\""), "levels of groups"),
        (gbnf, format!("root ::= r0\n{deep_rules}r5000 ::= \"y\""), "read"),
        (gbnf, "root ::= ".to_owned() + &"<".repeat(900_000), "control token"),
        (gbnf, "root ::= ".to_owned() + &"[#x41-#x42]".repeat(90_000), "read"),
    ]
}

#[test]
fn hostile_texts_end_soon() {
    within_a_small_stack(|| {
        for (syntax, text, expected) in hostile() {
            let begun = Instant::now();
            let options = ReadOptions { syntax: Some(syntax), ..ReadOptions::default() };
            let found = match read(&text, &options) {
                Ok(_) => "read".to_owned(),
                Err(error) => error.message.lines().next().unwrap_or_default().to_owned(),
            };
            let (taken, shown) = (begun.elapsed(), text.chars().take(60).collect::<String>());
            assert!(found.contains(expected), "{shown}: {found}");
            assert!(taken < Duration::from_secs(5), "{shown}: {taken:?}");
        }
    });
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    /// A part of a text.
    fn part<'t>(&mut self, text: &'t str) -> (usize, &'t str) {
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = boundary(self.below(text.len() + 1));
        let end = boundary((start + self.below(12)).min(text.len())).max(start);
        (start, &text[start..end])
    }

    /// Leaves out a part, doubles it, or puts one of another text in its place.
    fn mutate(&mut self, text: &str, other: &str) -> String {
        let (start, part) = self.part(text);
        let (before, after) = (&text[..start], &text[start + part.len()..]);
        match self.below(4) {
            0 => format!("{before}{after}"),
            1 => format!("{before}{part}{part}{after}"),
            2 => format!("{before}{}{after}", self.part(other).1),
            _ => format!("{before}{}{part}{after}", self.part(other).1),
        }
    }
}

#[test]
fn broken_texts_are_errors() {
    within_a_small_stack(|| {
        let (cases, mut dice) = (cases(), Dice(7));
        let short: Vec<&Case> = cases.iter().filter(|case| case.text.len() < 300).collect();
        let mut read = 0;
        for _ in 0..30_000 {
            let (case, other) = (short[dice.below(short.len())], short[dice.below(short.len())]);
            let mut text = case.text.clone();
            for _ in 0..=dice.below(2) {
                text = dice.mutate(&text, &other.text);
            }
            let says = describe(&text, &case.options());
            read += usize::from(!["error ", "limit ", "unsupported "].iter().any(|kind| says[0].starts_with(kind)));
        }
        assert!((1_000..29_000).contains(&read), "{read} of 30,000 are read");
    });
}

#[test]
fn large_grammars_are_read_quickly() {
    let rule = |n: usize| format!("rule{n}: \"word{n}\" rule{} [NAME] | (\"x\"* /[a-z]/)~1..3\n", n * 7 % 10_000);
    let text = format!("start: rule0\nNAME: /n/\n{}", repeat(10_000, rule));
    let begun = Instant::now();
    let grammar = read(&text, &ReadOptions::default()).unwrap();
    let taken = begun.elapsed();
    println!("{} rules, {} bytes: {taken:?}", grammar.rules.len(), text.len());
    assert_eq!((grammar.rules.len(), grammar.terminals.len()), (10_001, 10_003));
    assert!(taken < Duration::from_secs(2), "{taken:?}");
}

#[test]
fn rules_that_begin_with_each_other_are_compiled_in_linear_work() {
    let rule = |n: usize| format!("r{}: r{n} |\n", n + 1);
    let grammar = GrammarText {
        text: format!("start: r10000\nr0: \"a\"\n{}", repeat(10_000, rule)).into(),
        syntax: Some(Syntax::Lark),
        start: None,
        lexing: Some(Lexing::Basic),
        translations: Vec::new(),
        forms: Vec::new(),
        controls: Vec::new(),
    };
    let limits = Limits { work: 1 << 22, ..Limits::default() };
    assert!(grammar.build(&[], &limits).unwrap().check(b"a").unwrap().1);
}
