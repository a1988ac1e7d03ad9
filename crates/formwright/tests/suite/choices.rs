//! A choice is the same whether its texts are a tree or a lexicon, alone and inside other languages.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{allowed, tables_of};
use formwright::syntax::choice::choice;
use formwright::syntax::regex::regex;
use formwright::terminals::Tables;
use formwright::{Constraint, Language, Limits};
use proptest::prelude::*;

const TOKENS: [&str; 9] = ["ab", "ba", "aab", "é", "abé", "b-", "-a", "bb-a", "aaaa"];

fn limits(tree_bytes: usize) -> Limits {
    Limits { tree_bytes, ..Limits::default() }
}

/// A choice in some surroundings, as a lexicon if its texts have more than `tree_bytes`.
fn language(texts: &BTreeSet<String>, surroundings: u8, tree_bytes: usize) -> Language {
    let limits = limits(tree_bytes);
    let texts: Vec<&String> = texts.iter().collect();
    let choice = choice(&texts, &limits).unwrap();
    let dashes = regex("-a*", &limits).unwrap();
    match surroundings {
        0 => choice,
        1 => choice.then(&dashes).unwrap(),
        2 => choice.or(&dashes).unwrap(),
        3 => choice.repeat(1, 3).unwrap(),
        _ => dashes.then(&choice).unwrap().then(&choice).unwrap(),
    }
}

/// The tokens that some text of the set goes on with.
fn brute_force(texts: &BTreeSet<String>, written: &[u8], tables: &Tables) -> Vec<u32> {
    let goes_on = |token: &u32| {
        let text = [written, tables.vocabulary.token(*token)].concat();
        texts
            .iter()
            .any(|other| if *token == 0 { other.as_bytes() == written } else { other.as_bytes().starts_with(&text) })
    };
    (0..tables.vocabulary.len() as u32).filter(goes_on).collect()
}

/// Walks at random, and compares the masks at every step.
fn compare(texts: &BTreeSet<String>, surroundings: u8, choices: &[prop::sample::Index], tables: &Arc<Tables>) {
    let [tree, lexicon] = [usize::MAX, 0].map(|bytes| language(texts, surroundings, bytes));
    assert_eq!(tree.example().unwrap().len(), lexicon.example().unwrap().len());
    let [mut tree, mut lexicon] = [tree, lexicon].map(|language| Constraint::new(&language, tables).unwrap().matcher());
    let (mut written, count) = (Vec::new(), tables.vocabulary.len() as u32);
    for choice in choices {
        let mask = allowed(&mut lexicon, None, count);
        assert_eq!(mask, allowed(&mut tree, None, count), "{texts:?} after {written:?}");
        if surroundings == 0 {
            assert_eq!(mask, brute_force(texts, &written, tables), "{texts:?} after {written:?}");
        }
        let token = mask[choice.index(mask.len())];
        if token == 0 {
            break;
        }
        lexicon.accept_token(token).unwrap();
        tree.accept_token(token).unwrap();
        written.extend_from_slice(tables.vocabulary.token(token));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_lexicon_allows_what_a_tree_does(
        texts in prop::collection::btree_set("[abé-]{0,7}", 1..30),
        surroundings in 0..5_u8,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 12),
    ) {
        compare(&texts, surroundings, &choices, &tables_of(TOKENS, Limits::default()));
    }

    #[test]
    fn their_automata_are_alike(texts in prop::collection::btree_set("[abé]{0,5}", 1..12)) {
        let [tree, lexicon] = [usize::MAX, 0].map(|bytes| language(&texts, 0, bytes).byte_automaton(1000, None).unwrap());
        prop_assert_eq!(tree.accepting, lexicon.accepting);
        prop_assert_eq!(tree.edges, lexicon.edges);
    }
}

/// Of so many texts, each level of the search for the end of a prefix is needed.
#[test]
fn ten_thousand_texts() {
    let texts: BTreeSet<String> = (0..10_000_u64).map(|number| format!("{}", number * 7_919 % 99_991)).collect();
    let tables = tables_of(["12", "345", "99", "000"], Limits::default());
    let language = language(&texts, 0, 1 << 12);
    let (constraint, mut random) = (Constraint::new(&language, &tables).unwrap(), 1_u64);
    for _ in 0..20 {
        let (mut matcher, mut written) = (constraint.matcher(), Vec::new());
        loop {
            let mask = allowed(&mut matcher, None, tables.vocabulary.len() as u32);
            assert_eq!(mask, brute_force(&texts, &written, &tables));
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let token = mask[(random >> 33) as usize % mask.len()];
            if token == 0 {
                break;
            }
            matcher.accept_token(token).unwrap();
            written.extend_from_slice(tables.vocabulary.token(token));
        }
        assert_eq!(language.check(&written).unwrap(), (written.len(), true));
    }
}
