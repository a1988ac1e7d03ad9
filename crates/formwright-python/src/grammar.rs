//! Grammars, as Python says them.

use formwright::syntax::grammar::assembly::{Assembly, Template};
use formwright::syntax::grammar::ast::Syntax;
use formwright::syntax::grammar::compile::{GrammarText, Translation};
use formwright::syntax::grammar::lower::Lexing;
use formwright::syntax::regex::Dialect;
use pyo3::prelude::*;

use crate::errors::argument;

/// A regular expression, its flags, its line and its column.
pub type SourceFlagsAndPlace = (String, String, usize, usize);

/// The names of some rules, and of the forms that each copy of them fills.
pub type RulesAndHoles = (Vec<String>, Vec<String>);

/// A control token.
pub type IdAndName = (u32, String);

/// A grammar without its translations.
pub fn grammar_text(
    py: Python<'_>,
    text: &str,
    syntax: &str,
    start: Option<&str>,
    forms: &[&str],
) -> PyResult<GrammarText> {
    let syntax = match syntax {
        "auto" => None,
        "lark" => Some(Syntax::Lark),
        "gbnf" | "ebnf" => Some(Syntax::Gbnf),
        _ => {
            let what = format!("syntax must be \"auto\", \"lark\", \"gbnf\" or \"ebnf\", not {syntax:?}");
            return Err(argument(py, "syntax", what));
        }
    };
    Ok(GrammarText {
        text: text.into(),
        syntax,
        start: start.map(Into::into),
        lexing: None,
        translations: Vec::new(),
        forms: forms.iter().map(|&name| name.into()).collect(),
        controls: Vec::new(),
    })
}

/// A grammar with its translations and the names of its control tokens.
pub fn translated_grammar(
    py: Python<'_>,
    text: &str,
    (syntax, start, lexing): (&str, Option<&str>, Option<&str>),
    (translations, controls): (Vec<(String, String, String)>, Vec<IdAndName>),
    forms: &[&str],
) -> PyResult<GrammarText> {
    let mut grammar = grammar_text(py, text, syntax, start, forms)?;
    grammar.lexing = lexing.map(|lexing| self::lexing(py, lexing)).transpose()?;
    grammar.translations = translations
        .into_iter()
        .map(|(regex, flags, text)| Translation {
            regex: (regex.into(), flags.into()),
            dialect: Dialect::Python,
            text: text.into(),
        })
        .collect();
    grammar.controls = controls.into_iter().map(|(id, name)| (id, name.into())).collect();
    Ok(grammar)
}

/// Copies of the rules of a grammar, which is given with the names of its forms.
pub fn assembly_of(
    py: Python<'_>,
    (text, forms): (&str, &[&str]),
    templates: Vec<RulesAndHoles>,
    texts: Vec<String>,
    steps: Vec<u32>,
) -> PyResult<Assembly> {
    let grammar = translated_grammar(py, text, ("lark", None, Some("any")), (Vec::new(), Vec::new()), forms)?;
    let shared = |texts: Vec<String>| texts.into_iter().map(Into::into).collect();
    let template = |(rules, holes)| Template { rules: shared(rules), holes: shared(holes) };
    let templates = templates.into_iter().map(template).collect();
    Ok(Assembly { grammar, templates, texts: shared(texts), steps })
}

/// How the texts of a grammar are cut.
fn lexing(py: Python<'_>, lexing: &str) -> PyResult<Lexing> {
    match lexing {
        "longest" => Ok(Lexing::Longest),
        "basic" => Ok(Lexing::Basic),
        "any" => Ok(Lexing::Any),
        _ => {
            let what = format!("lexing must be \"longest\", \"basic\" or \"any\", not {lexing:?}");
            Err(argument(py, "lexing", what))
        }
    }
}
