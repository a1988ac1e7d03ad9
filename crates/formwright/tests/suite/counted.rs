//! Long counters of plain text: characters are counted, not made states of an automaton. A language written with such a
//! counter allows the same tokens everywhere as the same language written so that it is an automaton.

use std::sync::Arc;

use crate::common::{allowed, tables_of};
use formwright::matcher::Matcher;
use formwright::syntax::regex::regex;
use formwright::terminals::Tables;
use formwright::{Constraint, Language, Limits};

fn tables() -> Arc<Tables> {
    let pieces = ["ab", "ba", "a,", ",a", "a,b,c", "日", "日本", "本a", "b-", "-12", "a-1", "aéb", "é"];
    let broken = [&b"a\xE6"[..], b"\x97\xA5", b"\xA5a", b"\xA9", b"a\xC3"];
    let long = [("a", 9), ("a", 40), ("ab", 20), ("a,", 15), ("日本", 12), ("éa", 9)];
    let pieces = pieces.map(str::as_bytes).into_iter().chain(broken).map(<[u8]>::to_vec);
    tables_of(pieces.chain(long.map(|(part, count)| part.repeat(count).into_bytes())), Limits::default())
}

fn parsed(source: &str) -> Language {
    regex(source, &Limits::default()).unwrap()
}

/// A language alone, and as a part of others.
fn uses(language: &Language) -> Vec<Language> {
    let (head, tail) = (parsed("a?-"), parsed("(12|a,b|-)?"));
    vec![
        language.clone(),
        language.then(&tail).unwrap(),
        head.then(language).unwrap().then(&tail).unwrap(),
        language.or(&tail).unwrap(),
        language.then(&tail).unwrap().repeat(1, 3).unwrap(),
        language.then(language).unwrap(),
    ]
}

#[test]
fn counted_texts_are_those_of_an_automaton() {
    let tables = tables();
    let count = tables.vocabulary.len() as u32;
    let (mut ends, mut steps) = (0, 0);
    for class in ["a", "[ab,]", "[a-c日本é]", "."] {
        for (low, high) in [(0_u32, 256), (3, 300), (250, 260)] {
            let counted = uses(&parsed(&format!("{class}{{{low},{high}}}")));
            let automata = uses(&parsed(&format!("{class}{{{low},{high}}}|{class}{{{high}}}")));
            let several = if class == "[ab,]" { 6 } else { 4 }; // one after the other, they may end in many places
            for (place, (one, other)) in counted.iter().zip(&automata).take(several).enumerate() {
                let both = [one, other].map(|language| Constraint::new(language, &tables).unwrap());
                let mut matchers = both.each_ref().map(Constraint::matcher);
                let mut random = 7 * u64::from(low) + place as u64;
                for step in 0..80 {
                    let shown = || format!("{class}{{{low},{high}}} as {place} after {step} tokens");
                    let [seen, expected] = matchers.each_mut().map(|matcher| allowed(matcher, None, count));
                    assert_eq!(seen, expected, "{}", shown());
                    if step % 8 == 0 {
                        for matcher in &mut matchers {
                            let least = matcher.min_tokens_to_finish();
                            for budget in [least, least + 1, least + 4] {
                                within(matcher, budget, &expected, &shown());
                            }
                        }
                    }
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let longest = |token: &&u32| tables.vocabulary.token(**token).len();
                    let pick = match random >> 62 {
                        0 => expected[(random >> 33) as usize % expected.len()],
                        _ => *expected.iter().max_by_key(longest).unwrap(),
                    };
                    if pick == 0 {
                        ends += 1;
                        break;
                    }
                    for matcher in &mut matchers {
                        matcher.accept_token(pick).unwrap();
                    }
                    steps += 1;
                }
            }
        }
    }
    assert!(ends > 40 && steps > 600, "{ends} ends, {steps} steps");
}

/// Of the tokens that may come, those are allowed within a budget that leave little enough to do.
fn within(matcher: &mut Matcher, budget: u32, tokens: &[u32], shown: &str) {
    let count = matcher.constraint().tables().vocabulary.len() as u32;
    let seen = allowed(matcher, Some(budget), count);
    let fits = |token: &&u32| {
        let mut after = matcher.fork();
        after.accept_token(**token).unwrap();
        after.is_finished() || after.min_tokens_to_finish() < budget
    };
    let expected: Vec<u32> = tokens.iter().filter(fits).copied().collect();
    assert_eq!(seen, expected, "{shown} with {budget}");
}

/// A counter goes on for longer than an automaton has states.
#[test]
fn counters_need_no_states() {
    let tables = tables();
    let constraint = Constraint::new(&parsed("[ab]{0,4000000000}"), &tables).unwrap();
    let mut matcher = constraint.matcher();
    let long = "ab".repeat(400_000);
    matcher.accept_bytes(long.as_bytes()).unwrap();
    assert_eq!(allowed(&mut matcher, None, tables.vocabulary.len() as u32).len(), 8);
}

#[test]
fn loops_are_merged_only_where_their_counts_touch() {
    let inside = |source: &str| -> Vec<usize> {
        let language = parsed(source);
        (0..9).filter(|&count| language.check("a".repeat(count).as_bytes()).unwrap().1).collect()
    };
    assert_eq!(inside("a{5,6}|a{1,2}"), [1, 2, 5, 6]);
    assert_eq!(inside("a{1,2}|a{5,6}"), [1, 2, 5, 6]);
    assert_eq!(inside("a{1,2}|a{4}"), [1, 2, 4]);
    assert_eq!(inside("a{1,2}|a{3,4}"), [1, 2, 3, 4]);
    assert_eq!(inside("a{3,6}|a{1,4}"), [1, 2, 3, 4, 5, 6]);
}
