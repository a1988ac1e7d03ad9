//! Masks of canonical tokens against brute force: small languages, small vocabularies merged at random, every text that
//! conforms encoded, and at each beginning of each encoding every token asked about, with and without a budget.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use formwright::canonical::{Cuts, Description, Merges, Order, Symbols};
use formwright::matcher::{Matcher, Speller};
use formwright::syntax::regex::regex;
use formwright::terminals::Tables;
use formwright::vocabulary::Vocabulary;
use formwright::{Constraint, Kind, Limits};

/// Letters of all texts.
const LETTERS: [&str; 5] = ["a", "b", " ", "c", "\u{4}"];

/// Letters of texts that are one piece, made of characters: the last two are not tokens, and begin with the byte of one that
/// is, or with a byte of their own.
const CHARACTERS: [&str; 5] = ["a", "b", "\u{e9}", "\u{ea}", "\u{20ac}"];

/// The letter that need not be a token.
const RARE: u8 = 4;

/// How texts are cut into pieces: not at all, by runs, and as tokenizers in use do, with a look at what follows.
const PATTERNS: [Option<&str>; 4] =
    [None, Some("[ab]+|[c ]+"), Some(r" ?[abc]+|\s+(?!\S)|\s+"), Some(r"[^\r\n\p{L}]?\p{L}{1,3}|\s+$|\s*[\r\n]|\s")];

/// The end of text.
const END: u32 = 256;

/// A small xorshift generator: the same tests every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Every byte, sometimes but for one, the end of text, and tokens merged at random from letters.
fn tokens(random: &mut Random) -> Vec<Vec<u8>> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.push(Vec::new());
    add_merged(random, LETTERS.map(|letter| letter.as_bytes().to_vec()).to_vec(), &mut tokens);
    if random.below(2) == 0 {
        tokens[usize::from(RARE)].clear();
    }
    tokens
}

/// Adds tokens that are merged of some.
fn add_merged(random: &mut Random, mut letters: Vec<Vec<u8>>, tokens: &mut Vec<Vec<u8>>) {
    for _ in 0..3 + random.below(25) {
        let [left, right] = [random.below(letters.len()), random.below(letters.len())];
        let token = [letters[left].as_slice(), &letters[right]].concat();
        if token.len() <= 5 && !letters.contains(&token) {
            letters.push(token.clone());
            tokens.push(token);
        }
    }
}

/// The same of characters: some of them are tokens, the others are written byte by byte.
fn tokens_of_characters(random: &mut Random) -> Vec<Vec<u8>> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.push(Vec::new());
    let letters: Vec<Vec<u8>> = CHARACTERS[..3].iter().map(|letter| letter.as_bytes().to_vec()).collect();
    tokens.extend(letters.iter().cloned());
    add_merged(random, letters, &mut tokens);
    tokens
}

fn merges_of_characters(random: &mut Random, tokens: &[Vec<u8>]) -> Option<Merges> {
    let is_byte = |at: usize| u8::try_from(at).is_ok();
    let spelled = tokens
        .iter()
        .enumerate()
        .map(|(at, token)| Some(token.clone()).filter(|token| !token.is_empty() && !is_byte(at)));
    let mut order: Vec<u32> = (0..tokens.len() as u32).collect();
    if random.below(3) == 0 {
        order = order.iter().map(|_| random.below(9) as u32).collect();
    }
    let fallback = (0..=u32::from(u8::MAX)).map(Some).collect();
    let order = Order::Priorities(order);
    let description = Description { tokens: spelled.collect(), symbols: Symbols::Characters, fallback, order };
    Merges::new(&description, &Cuts::default()).ok()
}

fn merges(random: &mut Random, tokens: &[Vec<u8>]) -> Option<Merges> {
    let spelled = tokens.iter().map(|token| Some(token.clone()).filter(|token| !token.is_empty())).collect();
    let mut order: Vec<u32> = (0..tokens.len() as u32).collect();
    if random.below(3) == 0 {
        order = order.iter().map(|_| random.below(9) as u32).collect();
    }
    let description =
        Description { tokens: spelled, symbols: Symbols::Bytes, fallback: Vec::new(), order: Order::Priorities(order) };
    let pattern = PATTERNS[random.below(PATTERNS.len())].map(str::to_owned);
    Merges::new(&description, &Cuts { pattern, ..Cuts::default() }).ok()
}

/// A regular expression of which no text has more than seven letters.
fn language(random: &mut Random) -> String {
    language_of(
        random,
        7,
        &["a", "b", "c", " ", "[ab]", "[a-c]", "[b ]", "(ab|c)", "(a |b)", "[a\\x04]", "[bc\\x04]", "\\x04"],
    )
}

/// A regular expression over some atoms, those in parentheses of two letters.
fn language_of(random: &mut Random, most: usize, atoms: &[&str]) -> String {
    let (mut left, mut text) = (most, String::new());
    while left > 0 && random.below(5) > 0 {
        let atom = atoms[random.below(atoms.len())];
        let longest = if atom.starts_with('(') { 2 } else { 1 };
        let most = 1 + random.below((left / longest).clamp(1, 4));
        if longest * most > left {
            continue;
        }
        let least = random.below(most + 1);
        write!(text, "{atom}{{{least},{most}}}").unwrap();
        left -= longest * most;
    }
    if text.is_empty() { "ab".to_owned() } else { text }
}

/// What may follow each beginning of each encoding, and the fewest tokens to an end.
#[derive(Default)]
struct Oracle {
    next: BTreeMap<Vec<u32>, BTreeSet<u32>>,
    least: BTreeMap<Vec<u32>, u32>,
}

impl Oracle {
    /// Of all texts of some letters, up to so many, that match a regular expression.
    fn new(pattern: &str, merges: &Merges, letters: &[&str], most: usize) -> Self {
        let is_match = regex_automata::meta::Regex::new(&format!("^(?:{pattern})$")).unwrap();
        let (mut oracle, mut texts) = (Self::default(), vec![String::new()]);
        for length in 0..=most {
            for text in texts.iter().filter(|text| is_match.is_match(text.as_str())) {
                merges.encode(text).iter().for_each(|tokens| oracle.add(tokens));
            }
            if length < most {
                let longer = |text: &String| letters.iter().map(|letter| format!("{text}{letter}")).collect::<Vec<_>>();
                texts = texts.iter().flat_map(longer).collect();
            }
        }
        oracle
    }

    fn add(&mut self, tokens: &[u32]) {
        for at in 0..=tokens.len() {
            let rest = (tokens.len() - at) as u32;
            let least = self.least.entry(tokens[..at].to_vec()).or_insert(rest);
            *least = rest.min(*least);
            self.next.entry(tokens[..at].to_vec()).or_default().extend(tokens.get(at));
        }
    }
}

fn allowed(matcher: &mut Matcher, budget: Option<u32>) -> BTreeSet<u32> {
    let mut row = vec![0; matcher.constraint().tables().vocabulary.mask_words()];
    match matcher.fill_bitmask(&mut row, budget) {
        Ok(()) => {
            (0..row.len() as u32 * 32).filter(|token| row[*token as usize / 32] >> (token % 32) & 1 == 1).collect()
        }
        Err(error) => {
            assert!(matches!(*error.kind, Kind::DeadEnd | Kind::Limit { .. }), "{error}");
            BTreeSet::new()
        }
    }
}

/// A regular expression, with canonical tokens of a vocabulary.
fn constraint(pattern: &str, spelled: &[Vec<u8>], merges: Merges) -> formwright::Result<Constraint> {
    let vocabulary = Vocabulary::new(spelled, &[END], indexmap::IndexMap::new(), None).unwrap();
    let tables = Arc::new(Tables::new(Arc::new(vocabulary), Limits::default()));
    let language = regex(pattern, &Limits::default()).unwrap();
    Constraint::canonical(&language, &tables, &Arc::new(Speller::new(Arc::new(merges))))
}

#[test]
fn masks_allow_what_some_canonical_text_goes_on_with() {
    let (mut random, mut places, mut narrowed, mut refused) = (Random(11), 0, 0, 0);
    for round in 0..900 * times() {
        let spelled = tokens(&mut random);
        let Some(merges) = merges(&mut random, &spelled) else { continue };
        let pattern = language(&mut random);
        let oracle = Oracle::new(&pattern, &merges, &LETTERS, 7);
        let constraint = match constraint(&pattern, &spelled, merges) {
            Ok(constraint) => constraint,
            Err(error) => {
                assert!(matches!(*error.kind, Kind::Vocabulary), "{error}");
                assert!(spelled[usize::from(RARE)].is_empty() && pattern.contains("04"), "{pattern:?}");
                refused += 1;
                continue;
            }
        };
        let (found, narrow) = check(&constraint, &oracle, &format!("round {round}: {pattern:?}"));
        (places, narrowed) = (places + found, narrowed + narrow);
    }
    assert!(places > 10_000 && narrowed > 2_000 && refused > 10, "{places} {narrowed} {refused}");
}

/// Merges of which two come at the same time: what may not follow "cab" is one run of tokens, with two first letters.
#[test]
fn tokens_of_several_letters_may_not_follow() {
    let merged =
        ["ba", "ca", "cab", "cabca", " c", "c\u{4}", "bb", "\u{4}ba", "\u{4}b", "cab ", "ba ", "a\u{4}", "c\u{4}b"];
    let priorities = [5, 8, 5, 8, 4, 8, 1, 4, 3, 1, 3, 6, 8];
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]).chain([Vec::new()]);
    let spelled: Vec<Vec<u8>> = bytes.chain(merged.map(|token| token.as_bytes().to_vec())).collect();
    let order = Order::Priorities([7; 257].into_iter().chain(priorities).collect());
    let tokens = spelled.iter().map(|token| Some(token.clone()).filter(|token| !token.is_empty())).collect();
    let description = Description { tokens, symbols: Symbols::Bytes, fallback: Vec::new(), order };
    let merges = Merges::new(&description, &Cuts::default()).unwrap();
    let pattern = "[a-c][ab]{3}b{0,3}";
    let oracle = Oracle::new(pattern, &merges, &LETTERS, 7);
    let (places, _) = check(&constraint(pattern, &spelled, merges).unwrap(), &oracle, pattern);
    assert!(places > 10);
}

#[test]
fn characters_that_are_no_tokens_are_written_byte_by_byte() {
    let (mut random, mut places, mut narrowed) = (Random(7), 0, 0);
    for round in 0..300 * times() {
        let spelled = tokens_of_characters(&mut random);
        let Some(merges) = merges_of_characters(&mut random, &spelled) else { continue };
        let atoms =
            ["a", "b", "\u{e9}", "\u{ea}", "[a\u{20ac}]", "[\u{e9}\u{ea}]", "(a\u{ea}|b)", "[ab\u{ea}\u{20ac}]"];
        let pattern = language_of(&mut random, 5, &atoms);
        let oracle = Oracle::new(&pattern, &merges, &CHARACTERS, 5);
        let constraint = constraint(&pattern, &spelled, merges).unwrap();
        let (found, narrow) = check(&constraint, &oracle, &format!("round {round}: {pattern:?}"));
        (places, narrowed) = (places + found, narrowed + narrow);
    }
    assert!(places > 1_000 && narrowed > 200, "{places} {narrowed}");
}

/// How many times as many languages are tried as in every run: what `FORMWRIGHT_WALKS` says.
fn times() -> usize {
    std::env::var("FORMWRIGHT_WALKS").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Compares a constraint with brute force; how many places there were, and how many of them with more than one token.
fn check(constraint: &Constraint, oracle: &Oracle, context: &str) -> (usize, usize) {
    let (mut places, mut narrowed) = (0, 0);
    for (begun, &least) in &oracle.least {
        let context = format!("{context} after {begun:?}");
        let mut matcher = constraint.matcher();
        matcher.accept_tokens(begun).unwrap();
        let next = &oracle.next[begun];
        let ends = (least == 0).then_some(END);
        assert_eq!(allowed(&mut matcher, None), next.iter().copied().chain(ends).collect(), "{context}");
        assert_eq!(matcher.min_tokens_to_finish(), least, "{context}");
        for &token in next {
            assert!(matcher.fork().accept_token(token).is_ok(), "{context}: {token}");
        }
        for budget in least..least + 4 {
            let rest = |token: &u32| oracle.least[&[begun.as_slice(), &[*token]].concat()];
            let fits = next.iter().copied().filter(|token| rest(token) < budget).chain(ends).collect::<BTreeSet<_>>();
            let found = allowed(&mut matcher, Some(budget));
            assert_eq!(found, fits, "{context}: {budget} tokens");
        }
        places += 1;
        narrowed += usize::from(next.len() > 1);
    }
    (places, narrowed)
}
