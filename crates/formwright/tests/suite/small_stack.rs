//! Nothing that a stranger sends needs a large stack: tokens as long as they may be, which branch at every byte, and
//! deeply nested operators, in a thread of 256 KiB.

use std::sync::Arc;

use formwright::canonical::{Cuts, Description, Merges, Order, Scope, Symbols};
use formwright::language::{Graph, Node, NodeId, UNBOUNDED};
use formwright::matcher::Speller;
use formwright::regular::{Encoding, Pieces, Regular, Unit};
use formwright::source::Source;
use formwright::syntax::choice::{choice, lines, literal};
use formwright::syntax::json_schema::{Options, explain, json_schema};
use formwright::syntax::pieces::one_of_text;
use formwright::syntax::python;
use formwright::syntax::regex::{Dialect, of_dialect, regex};
use formwright::syntax::text::{Free, of_format, text};
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Interrupt, Language, Limits};

/// Bytes of a thread's stack: an eighth of what Rust gives a thread by default.
const STACK: usize = 256 << 10;

/// Bytes of the longest token.
const LONGEST: usize = 4_096;

/// Operators inside operators. Each level copies all those below it, so that more would take long to build.
const DEEP: usize = 60;

/// The end of text.
const END: u32 = 256;

fn within_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    assert!(thread.join().is_ok());
}

/// Every byte, the end of text, and tokens of up to 4,096 bytes: each run of a letter with another one after it, so that a
/// walk down the tree of tokens meets a branch at every byte, and some of the runs themselves.
fn tokens() -> Vec<Vec<u8>> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.push(Vec::new());
    tokens.extend((2..LONGEST).map(|length| [vec![b'a'; length], vec![b'b']].concat()));
    tokens.extend((1..=8).map(|part| vec![b'a'; part * LONGEST / 8]));
    tokens.push([b"\"".to_vec(), vec![b'a'; LONGEST - 2], b"\"".to_vec()].concat());
    tokens
}

fn tables() -> Arc<Tables> {
    let vocabulary = Vocabulary::new(&tokens(), &[END], indexmap::IndexMap::new(), None).unwrap();
    Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()))
}

/// The merges of every byte and runs of a letter that double.
fn speller() -> (Arc<Tables>, Arc<Speller>) {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.push(Vec::new());
    tokens.extend((1..=12).map(|power| vec![b'a'; 1 << power]));
    let vocabulary = Vocabulary::new(&tokens, &[END], indexmap::IndexMap::new(), None).unwrap();
    let spelled = tokens.iter().map(|token| Some(token.clone()).filter(|token| !token.is_empty())).collect();
    let order = Order::Priorities((0..tokens.len() as u32).collect());
    let description = Description { tokens: spelled, symbols: Symbols::Bytes, fallback: Vec::new(), order };
    let merges = Merges::new(&description, &Cuts::default()).unwrap();
    (Arc::new(Tables::new(Arc::new(vocabulary), Limits::default())), Arc::new(Speller::new(Arc::new(merges))))
}

/// Compiles, asks for masks with and without a budget, counts tokens, and accepts a few.
fn ask(constraint: &Constraint) {
    let mut matcher = constraint.matcher();
    let mut row = vec![0; constraint.tables().vocabulary.mask_words()];
    for _ in 0..2 {
        let least = matcher.min_tokens_to_finish();
        matcher.fill_bitmask(&mut row, None).unwrap();
        matcher.fill_bitmask(&mut row, Some(least + 1)).unwrap();
        let allowed: Vec<u32> =
            (0..row.len() as u32 * 32).filter(|token| row[*token as usize / 32] >> (token % 32) & 1 == 1).collect();
        let longest = allowed.iter().copied().max_by_key(|&token| constraint.tables().vocabulary.token(token).len());
        matcher.accept_token(longest.unwrap()).unwrap();
        if matcher.is_finished() {
            break;
        }
    }
}

/// Each operator many times inside itself: parts that may be empty, and unions.
fn nested() -> Vec<Language> {
    let limits = Limits::default();
    let few = |text: &str| regex(text, &limits).unwrap();
    let operators: [fn(&Language, &Language) -> formwright::Result<Language>; 3] =
        [|inner, other| inner.then(other), |inner, other| other.then(inner), |inner, other| inner.or(other)];
    let deep = |operator: fn(&Language, &Language) -> formwright::Result<Language>| {
        let other = choice(&["a", "aaaa", ""], &limits).unwrap();
        let mut language = few("a{0,9}b?");
        for _ in 0..DEEP {
            language = operator(&language, &other).unwrap();
        }
        language
    };
    operators.into_iter().map(deep).collect()
}

#[test]
fn deep_operators() {
    within_a_small_stack(|| {
        let (tables, _) = speller(); // each leaf is walked
        for language in nested() {
            ask(&Constraint::new(&language, &tables).unwrap());
        }
    });
}

#[test]
fn tokens_as_long_as_they_may_be() {
    within_a_small_stack(|| {
        let (tables, limits) = (tables(), Limits::default());
        let long = "a".repeat(5_000);
        let schema = |text: &str| json_schema(text, &Options::default()).unwrap();
        let languages = [
            regex("[ab]*", &limits).unwrap(),
            regex("a{4000,9000}b", &limits).unwrap(),
            choice(&[&long[..], &long[..4_000], &format!("{}b", &long[..3_000])], &limits).unwrap(),
            schema(&format!(r#"{{"type": "object", "properties": {{"{long}": {{}}, "{}b": {{}}}}}}"#, &long[..4_000])),
            schema(r#"{"type": "string", "maxLength": 10000}"#),
            schema(&format!(r#"{{"enum": ["{long}", "{}", " "]}}"#, &long[..4_094])),
            schema("true"),
        ];
        for language in languages {
            ask(&Constraint::new(&language, &tables).unwrap());
        }
    });
}

#[test]
fn canonical_tokens_of_both_kinds() {
    within_a_small_stack(|| {
        let (tables, speller) = speller();
        for language in nested().into_iter().chain([regex("a{4000,9000}b", &Limits::default()).unwrap()]) {
            ask(&Constraint::canonical(&language, &tables, &speller).unwrap());
        }
    });
}

/// As many rules, each of which begins with, ends with, or holds the next one.
#[test]
fn long_chains_of_rules() {
    within_a_small_stack(|| {
        let shapes: [fn(NodeId, NodeId) -> Vec<NodeId>; 4] =
            [|next, _| vec![next], |next, x| vec![next, x], |next, x| vec![x, next], |next, x| vec![x, next, x]];
        for shape in shapes {
            let (rules, mut graph) = (20_000, Graph::default());
            let (x, some) = (graph.literals([&b"x"[..]]), graph.literals([&b"y"[..], b""]));
            let first = graph.nodes.len() as NodeId;
            graph.nodes.resize((first + rules + 1) as usize, Node::Never);
            for rule in first..first + rules {
                let parts = graph.add(Node::Sequence(shape(rule + 1, x).into()));
                graph.nodes[rule as usize] = Node::Choice([parts, some].into());
            }
            graph.nodes[(first + rules) as usize] = Node::Rule(x);
            graph.root = first;
            let language = Language::new(graph, &Limits::default()).unwrap();
            assert_eq!(language.example().unwrap(), b"");
            drop(language.graph().clone());
            assert!(language.check(b"xxxxx").unwrap().0 > 0);
        }
    });
}

/// Groups inside groups, as deep as patterns nest.
fn deep_pattern() -> String {
    let deep = Limits::default().pattern_depth as usize / 3 - 2; // a repetition and a sequence count too
    format!("{}ab?{}", "(".repeat(deep), "c)*".repeat(deep))
}

/// Values inside values, and schemas without a value between them.
fn deep_schemas() -> Vec<String> {
    let nested = |open: &str, inner: &str, close: &str, deep: usize| {
        format!("{}{inner}{}", open.repeat(deep), close.repeat(deep))
    };
    vec![
        nested(r#"{"items":"#, r#"{"enum":[[1],"a"]}"#, "}", 100),
        nested(r#"{"required":["a"],"properties":{"a":"#, "true", "}}", 60),
        nested(r#"{"allOf":["#, r#"{"type":"integer"}"#, "]}", 60),
        nested(r#"{"not":{"not":"#, r#"{"pattern":"^[ab]{2,9}$"}"#, "}}", 20),
        nested(r#"{"anyOf":[{"minItems":3},{"oneOf":["#, r#"{"type":["object","array"]}"#, "]}]}", 12),
    ]
}

/// What is read of a language in every way there is.
fn read(language: &Language) {
    let example = language.example().unwrap();
    assert_eq!(language.check(&example).unwrap(), (example.len(), true));
    assert!(language.ends(&example).unwrap().contains(&example.len()));
    language.byte_automaton(2_000, None).ok();
    language.complement().ok();
    language.and(language).ok();
    for made in [language.then(language), language.or(language), language.repeat(0, 9)] {
        made.unwrap().example().unwrap();
    }
}

#[test]
fn every_way_to_make_and_read_a_language() {
    within_a_small_stack(|| {
        let limits = Limits::default();
        let pattern = deep_pattern();
        let free =
            |included| Free { markers: vec!["ab".repeat(500)], included, most: UNBOUNDED, most_tokens: UNBOUNDED };
        let mut made: Vec<Language> = [Dialect::Ascii, Dialect::Unicode, Dialect::Python]
            .iter()
            .map(|&dialect| {
                of_dialect(if dialect == Dialect::Python { "ab*" } else { &pattern }, dialect, &limits).unwrap()
            })
            .collect();
        python::parse("[a-z]+(?:b|c)*", &limits).unwrap();
        python::characters("[a-z]", &limits).unwrap();
        made.extend(deep_schemas().iter().map(|schema| json_schema(schema, &Options::default()).unwrap()));
        for schema in deep_schemas() {
            drop(explain(&schema, &Options::default()).unwrap());
        }
        made.extend([text(&free(true), &limits).unwrap(), text(&free(false), &limits).unwrap()]);
        made.extend([literal("a", &limits).unwrap(), of_format("uri", &limits).unwrap()]);
        made.push(one_of_text(&"to be or not to be. ".repeat(200), Unit::Word, &limits).unwrap());
        made.push(Language::control("<|end|>", true, &limits).unwrap());
        made.push(Language::branches(&[("x", made[0].clone()), ("y", made[3].clone())], &limits).unwrap());
        made.iter().for_each(read);
        assert_eq!(lines(b"a\nb\n").unwrap().len(), 2);
    });
}

#[test]
fn what_is_stored() {
    within_a_small_stack(|| {
        let (tables, limits) = (tables(), Limits::default());
        let pieces = Source::pieces(Pieces::new("to be or not to be", Unit::Word).unwrap());
        let mut source = Source::regex(&deep_pattern(), Dialect::Ascii);
        for schema in deep_schemas() {
            source = source.then(&Source::json_schema(schema, Options::default())).or(&pieces).repeat(0, 3);
        }
        let read = Source::from_bytes(&source.to_bytes().unwrap(), &limits).unwrap();
        read.build(&limits).unwrap().example().unwrap();
        let stored = source.to_constraint_bytes(&tables.vocabulary, Scope::All).unwrap();
        Source::from_constraint_bytes(&stored, &tables.vocabulary, &limits).unwrap();
        let again = Vocabulary::from_bytes(&tables.vocabulary.to_bytes()).unwrap();
        assert_eq!(again.fingerprint(), tables.vocabulary.fingerprint());
        let (_, speller) = speller();
        drop(speller);
    });
}

/// What a matcher does beside masks.
fn use_all(constraint: &Constraint) {
    let mut matcher = constraint.matcher_after(&[0, 1]);
    let example = constraint.language().example().unwrap();
    matcher.accept_bytes(&example).unwrap();
    matcher.rollback(0).unwrap();
    matcher.reset();
    let mut fork = matcher.fork();
    let forced = fork.forced_bytes();
    fork.accept_bytes(&forced).unwrap();
    let tokens: Vec<u32> = example.iter().map(|&byte| u32::from(byte)).collect();
    let valid = fork.validate_tokens(&tokens).unwrap();
    matcher.accept_tokens(&tokens[..valid.min(tokens.len())]).ok();
    assert!(matcher.accept_token(u32::MAX).is_err());
    drop(matcher.mask(Some(1 << 20)));
}

#[test]
fn every_way_to_run_one() {
    within_a_small_stack(|| {
        let (tables, speller) = speller();
        let mut made = nested();
        made.push(regex(&deep_pattern(), &Limits::default()).unwrap());
        made.extend(deep_schemas().iter().map(|schema| json_schema(schema, &Options::default()).unwrap()));
        for language in &made {
            let interrupt = Interrupt::new();
            let compile = || Constraint::with_canonical_forced(language, &tables, &speller);
            for constraint in [Constraint::new(language, &tables), interrupt.during(compile)] {
                use_all(&constraint.unwrap());
            }
        }
    });
}

/// A rule that nests: every byte of a token opens a bracket, or ends a part and the part around it.
#[test]
fn rules_that_nest_at_every_byte() {
    within_a_small_stack(|| {
        let (limits, tables) = (Limits::default(), tables());
        let literal: fn(&mut Graph, &str) -> NodeId = |graph, text| graph.literals([text.as_bytes()]);
        let terminal: fn(&mut Graph, &str) -> NodeId = |graph, text| graph.regular(Regular::text(text), Encoding::Text);
        for make in [literal, terminal] {
            let mut graph = Graph::default();
            let own = graph.add(Node::Never);
            let parts = [make(&mut graph, "a"), own, make(&mut graph, "b")];
            let (long, short) = (graph.add(Node::Sequence(parts.into())), graph.literals([&b"x"[..], b"b"]));
            let body = graph.add(Node::Choice([long, short].into()));
            graph.nodes[own as usize] = Node::Rule(body);
            graph.root = own;
            ask(&Constraint::new(&Language::new(graph, &limits).unwrap(), &tables).unwrap());
        }
    });
}
