//! Forms that strangers may send to make us slow or large: each is answered or refused in time and within its memory, on a
//! small stack, and its work can be ended at any moment. Each has processes of its own: see [`check_apart`].

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use crate::common::{check_apart, megabytes, thread_time};
use formwright::interrupt::until;
use formwright::regular::Unit;
use formwright::syntax::choice::choice;
use formwright::syntax::json_schema::{Options, json_schema};
use formwright::syntax::pieces::one_of_text;
use formwright::syntax::regex::regex;
use formwright::{Constraint, Error, Kind, Language, Limits, Result};

/// The variable with the name of the form that a process is for.
const NAME: &str = "FORMWRIGHT_HOSTILE_FORM";

/// Most time of one call on a processor.
const SECONDS: f64 = 2.0;

/// Most time on a processor in which nobody is asked whether to go on: a tenth of a second, and room for a busy machine.
const UNASKED: f64 = 0.3;

/// Most memory of a form and a text of it, and of the text alone, with its masks and the states that it meets first.
const MEGABYTES: u64 = 512;
const OF_A_TEXT: u64 = 256;

/// Most memory that is taken once a mask was made: nothing, but for what the system counts in pages.
const OF_A_MASK: u64 = 1;

/// Tokens of a text.
const TOKENS: usize = 20;

type Make = fn() -> Result<Language>;

/// `count` copies of what `of` makes, with something between them.
fn many(count: usize, between: &str, of: impl Fn(usize) -> String) -> String {
    (0..count).map(of).collect::<Vec<_>>().join(between)
}

fn schema(text: &str) -> Result<Language> {
    json_schema(text, &Options::default())
}

fn pattern(source: &str) -> Result<Language> {
    regex(source, &Limits::default())
}

fn words(count: u64) -> String {
    (0..count).map(|number| format!("w{} ", number * 7919 % 10_007)).collect::<Vec<_>>().concat()
}

const FORMS: [(&str, Make); 18] = [
    ("words that may be left out", || pattern(&many(30_000, "", |n| format!("(a{n:05})?")))),
    ("counted words", || pattern(&many(2_000, "|", |n| format!("[a-z]{{3,{}}}x{n}", n % 90 + 3)))),
    ("a million options", || {
        let texts: Vec<String> = (0..1_000_000_u64).map(|n| format!("option {}", n * 7919 % 1_000_003)).collect();
        choice(&texts, &Limits::default())
    }),
    ("pieces of words", || one_of_text(&words(150_000), Unit::Word, &Limits::default())),
    ("pieces of characters", || one_of_text(&words(150_000), Unit::Char, &Limits::default())),
    ("a union of objects", || {
        let object = |n| {
            format!(
                r#"{{"type":"object","properties":{{"kind":{{"const":"k{n}"}},"x{n}":{{"type":"string"}}}},
                "required":["kind"]}}"#
            )
        };
        schema(&format!(r#"{{"anyOf":[{}]}}"#, many(20_000, ",", object)))
    }),
    ("one of many objects", || {
        let object = |n| {
            let other = n % 7;
            format!(
                r#"{{"properties":{{"a{n}":{{"type":"integer"}},"b{other}":{{"type":"string"}}}},"required":["a{n}"]}}"#
            )
        };
        schema(&format!(r#"{{"oneOf":[{}]}}"#, many(60, ",", object)))
    }),
    ("many conditions", || schema(&conditions(200))),
    ("some conditions", || schema(&conditions(9))),
    ("many objects with conditions", || {
        let member = |n| format!(r#""o{n}":{}"#, conditions(9));
        schema(&format!(r#"{{"properties":{{{}}}}}"#, many(400, ",", member)))
    }),
    ("a large enum", || schema(&format!(r#"{{"enum":[{}]}}"#, many(300_000, ",", |n| format!("\"text {n}\""))))),
    ("a wide object", || {
        let member = |n| format!(r#""name{n}":{{"type":"integer","minimum":{n}}}"#);
        schema(&format!(r#"{{"properties":{{{}}}}}"#, many(100_000, ",", member)))
    }),
    ("many patterns", || {
        let member = |n| format!(r#""name{n}":{{"pattern":"^x{n}(a|b){{1,{}}}$"}}"#, n % 50 + 1);
        schema(&format!(r#"{{"properties":{{{}}}}}"#, many(20_000, ",", member)))
    }),
    ("patterns of names", || {
        let member = |n| format!(r#""a{n}|b{}":{{"minimum":{n}}}"#, n % 5);
        schema(&format!(r#"{{"patternProperties":{{{}}}}}"#, many(14, ",", member)))
    }),
    ("a long remark", || schema(&format!(r#"{{"description":"{}"}}"#, "x".repeat(20_000_000)))),
    ("definitions that refer to each other", || {
        let definition = |n| {
            let next = n + 1;
            format!(
                r##""d{n}":{{"anyOf":[{{"properties":{{"a":{{"$ref":"#/$defs/d{next}"}}}}}},
                {{"items":{{"$ref":"#/$defs/d{next}"}}}}]}}"##
            )
        };
        schema(&format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d400":true}}}}"##, many(400, ",", definition)))
    }),
    ("many items that differ", || {
        schema(
            r#"{"type":"array","uniqueItems":true,"minItems":3000,"items":{"type":"integer","minimum":0,"maximum":9999}}"#,
        )
    }),
    ("multiples of several numbers", || {
        schema(r#"{"allOf":[{"multipleOf":0.37},{"multipleOf":1.13},{"minimum":1000000},{"multipleOf":7919}]}"#)
    }),
];

/// So many conditions on twenty members.
fn conditions(count: usize) -> String {
    let condition = |n: usize| {
        let (asked, wanted, bound) = (n % 20, (n + 3) % 20, (n + 7) % 20);
        format!(
            r#"{{"if":{{"properties":{{"m{asked}":{{"const":{n}}}}}}},"then":{{"required":["m{wanted}"]}},
            "else":{{"properties":{{"m{bound}":{{"minimum":{n}}}}}}}}}"#
        )
    };
    format!(r#"{{"type":"object","allOf":[{}]}}"#, many(count, ",", condition))
}

/// What the calls of a form took, at most.
#[derive(Default)]
struct Worst {
    call: (f64, &'static str),
    unasked: (f64, &'static str),
    /// Megabytes at most when the form was compiled.
    compiled: Option<u64>,
}

impl Worst {
    /// Does some work that can be ended, and notes how long it took and how long nobody was asked.
    fn call<T>(&mut self, what: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let begun = thread_time();
        let (asked, longest) = (Rc::new(Cell::new(begun)), Rc::new(Cell::new(Duration::ZERO)));
        let note = {
            let (asked, longest) = (Rc::clone(&asked), Rc::clone(&longest));
            move || {
                let now = thread_time();
                longest.set(longest.get().max(now.saturating_sub(asked.replace(now))));
            }
        };
        let at_each = note.clone();
        let done = until(
            move || {
                at_each();
                false
            },
            work,
        );
        note();
        let seconds = (thread_time().saturating_sub(begun).as_secs_f64(), what);
        let unasked = (longest.get().as_secs_f64(), what);
        self.call = if seconds.0 > self.call.0 { seconds } else { self.call };
        self.unasked = if unasked.0 > self.unasked.0 { unasked } else { self.unasked };
        done
    }
}

/// Compiles a form and writes a text.
fn answer(make: Make, worst: &mut Worst) -> Result<()> {
    let tables = crate::common::tables(Limits::default());
    let language = worst.call("language", make)?;
    let constraint = worst.call("constraint", || Constraint::new(&language, &tables))?;
    worst.compiled = Some(megabytes());
    let mut matcher = worst.call("matcher", || Ok(constraint.matcher()))?;
    let mut mask = vec![0; tables.vocabulary.mask_words()];
    for _ in 0..TOKENS {
        worst.call("mask", || matcher.fill_bitmask(&mut mask, None))?;
        let least = worst.call("least tokens", || Ok(matcher.min_tokens_to_finish()))?;
        worst.call("mask with a budget", || matcher.fill_bitmask(&mut mask, Some(least + 1)))?;
        let peak = megabytes();
        for _ in 0..100 {
            matcher.fill_bitmask(&mut mask, Some(least + 1))?;
        }
        assert!(megabytes() - peak <= OF_A_MASK, "a mask that is made again takes memory");
        let allowed = |token: &u32| mask[*token as usize / 32] >> (token % 32) & 1 == 1;
        let token = (0..mask.len() as u32 * 32).rfind(allowed).expect("a token may come");
        worst.call("accept", || matcher.accept_token(token))?;
        if matcher.is_finished() {
            break;
        }
    }
    Ok(())
}

fn check(name: &str) {
    let (name, make) = *FORMS.iter().find(|(form, _)| *form == name).unwrap();
    let before = megabytes();
    let run = move || {
        let mut worst = Worst::default();
        let answered = answer(make, &mut worst);
        let said: String = format!("{:?}", answered.as_ref().map_err(|error: &Error| &error.message));
        let (call, unasked, all) = (worst.call, worst.unasked, megabytes());
        let (of_text, megabytes) = (all - worst.compiled.unwrap_or(all), all - before);
        println!(
            "{name}: at most {:.3} s ({}), {:.3} s without a question ({}), {megabytes} MB, {of_text} of the text: {:.90}",
            call.0, call.1, unasked.0, unasked.1, said
        );
        if let Err(error) = answered {
            let is_refused = matches!(*error.kind, Kind::Limit { .. } | Kind::Unsupported { .. });
            assert!(is_refused, "{error}");
        }
        assert!(call.0 <= SECONDS, "{} takes {:.1} s", call.1, call.0);
        assert!(unasked.0 <= UNASKED, "{} cannot be ended for {:.1} s", unasked.1, unasked.0);
        assert!(megabytes <= MEGABYTES && of_text <= OF_A_TEXT, "{megabytes} MB, {of_text} of the text");
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().expect("in bounds");
}

#[test]
fn hostile_forms_are_answered_or_refused() {
    if let Ok(name) = std::env::var(NAME) {
        return check(&name);
    }
    check_apart("hostile_forms::hostile_forms_are_answered_or_refused", NAME, FORMS.map(|(name, _)| name));
}
