//! A grammar as bytes: its text, how it is read, and the translations of its regular expressions.

use super::ast::Syntax;
use super::compile::{GrammarText, Translation};
use super::lower::Lexing;
use crate::bytes::{Reader, put, put_text};
use crate::error::Result;
use crate::syntax::regex::Dialect;

impl GrammarText {
    /// Writes it as bytes.
    pub fn write(&self, body: &mut Vec<u8>) {
        let grammar = self;
        put_text(body, &grammar.text);
        body.push(grammar.syntax.map_or(0, |syntax| 1 + syntax as u8));
        body.push(grammar.lexing.map_or(0, |lexing| 1 + lexing as u8));
        body.push(u8::from(grammar.start.is_some()));
        grammar.start.iter().for_each(|start| put_text(body, start));
        put(body, grammar.forms.len() as u32);
        grammar.forms.iter().for_each(|name| put_text(body, name));
        put(body, grammar.translations.len() as u32);
        for translation in &grammar.translations {
            put_text(body, &translation.regex.0);
            put_text(body, &translation.regex.1);
            body.push(translation.dialect as u8);
            put_text(body, &translation.text);
        }
        if !grammar.controls.is_empty() {
            put(body, grammar.controls.len() as u32);
        }
        for (id, name) in &grammar.controls {
            put(body, *id);
            put_text(body, name);
        }
    }

    /// Reads what [`GrammarText::write`] wrote, perhaps with control tokens by their ids.
    ///
    /// # Errors
    /// [`crate::Kind::Language`], saying what was seen.
    pub fn read_stored(reader: &mut Reader<'_>, has_controls: bool) -> Result<Self> {
        let text = reader.text("a grammar")?.into();
        let syntax = [None, Some(Syntax::Lark), Some(Syntax::Gbnf)][usize::from(reader.below(3, "a notation")?)];
        let every = [None, Some(Lexing::Any), Some(Lexing::Longest), Some(Lexing::Basic)];
        let lexing = every[usize::from(reader.below(4, "how texts are cut")?)];
        let is_given = reader.below(2, "a first rule")? == 1;
        let start = is_given.then(|| reader.text("a first rule").map(Into::into)).transpose()?;
        let count = reader.count(4, "forms")?;
        let forms = (0..count).map(|_| Ok(reader.text("a form")?.into())).collect::<Result<_>>()?;
        let count = reader.count(13, "expressions")?;
        let translation = |_| {
            let regex = (reader.text("an expression")?.into(), reader.text("flags")?.into());
            let dialect = Dialect::EVERY[usize::from(reader.below(3, "the dialect of an expression")?)];
            Ok(Translation { regex, dialect, text: reader.text("an expression")?.into() })
        };
        let translations = (0..count).map(translation).collect::<Result<_>>()?;
        let count = if has_controls { reader.count(8, "control tokens")? } else { 0 };
        let control = |_| Ok((reader.number("a control token")?, reader.text("the name of a control token")?.into()));
        let controls = (0..count).map(control).collect::<Result<_>>()?;
        Ok(Self { text, syntax, start, lexing, translations, forms, controls })
    }
}
