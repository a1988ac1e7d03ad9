//! Every case of `testdata/languages`, against the kernel without and with a vocabulary.

use crate::common::{allowed, cases, language, tables};
use formwright::matcher::Recognizer;
use formwright::{Constraint, Language, Limits};

fn is_prefix(language: &Language, text: &str) -> bool {
    Recognizer::new(&language.compiled().unwrap()).read(text.as_bytes()) == text.len()
}

#[test]
fn texts_are_accepted_and_rejected() {
    for case in cases() {
        let language = language(&case);
        for text in &case.accepts {
            assert!(language.check(text.as_bytes()).unwrap().1, "{}: should accept {text}", case.name);
        }
        for text in &case.rejects {
            assert!(!language.check(text.as_bytes()).unwrap().1, "{}: should reject {text}", case.name);
        }
        for text in case.prefixes.iter().chain(&case.accepts) {
            assert!(is_prefix(&language, text), "{}: should begin {text}", case.name);
        }
        for text in &case.dead {
            assert!(!is_prefix(&language, text), "{}: should not begin {text}", case.name);
        }
    }
}

#[test]
fn examples_are_in_form_and_short() {
    for case in cases() {
        let language = language(&case);
        let example = language.example().unwrap();
        let shown = String::from_utf8_lossy(&example);
        assert!(language.check(&example).unwrap().1, "{}: {shown}", case.name);
        assert!(case.accepts.iter().all(|text| example.len() <= text.len()), "{}: {shown}", case.name);
    }
}

/// Along every accepted text, the mask is what trying each token says.
#[test]
fn masks_equal_trying_every_token() {
    let tables = tables(Limits::default());
    let count = tables.vocabulary.len() as u32;
    for case in cases() {
        let constraint = Constraint::new(&language(&case), &tables).unwrap();
        for text in &case.accepts {
            let mut matcher = constraint.matcher();
            for cut in 0..=text.len() {
                let mask = allowed(&mut matcher, None, count);
                let tried: Vec<u32> =
                    (0..count).filter(|token| matcher.validate_tokens(&[*token]).unwrap() == 1).collect();
                assert_eq!(mask, tried, "{}: after {:?}", case.name, String::from_utf8_lossy(&text.as_bytes()[..cut]));
                if cut < text.len() {
                    matcher.accept_bytes(&text.as_bytes()[cut..=cut]).unwrap();
                }
            }
        }
    }
}

/// Texts of random tokens from budgeted masks are complete when the budget is used up.
#[test]
fn random_texts_keep_their_budget() {
    let tables = tables(Limits::default());
    let count = tables.vocabulary.len() as u32;
    for case in cases() {
        let constraint = Constraint::new(&language(&case), &tables).unwrap();
        let least = constraint.matcher().min_tokens_to_finish();
        for (seed, extra) in [(1_u64, 0), (2, 1), (3, 5), (4, 20), (5, 60)] {
            let mut matcher = constraint.matcher();
            let mut random = seed;
            for left in (1..=least + extra).rev() {
                let choices: Vec<u32> =
                    allowed(&mut matcher, Some(left), count).into_iter().filter(|token| *token != 0).collect();
                if choices.is_empty() {
                    break;
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                matcher.accept_token(choices[(random >> 33) as usize % choices.len()]).unwrap();
            }
            assert!(matcher.is_accepting(), "{}: {:?}", case.name, String::from_utf8_lossy(matcher.text()));
        }
    }
}
