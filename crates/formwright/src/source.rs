//! The source of a language: what a user wrote to get it, so that it can be stored, sent and read again.
//!
//! A compiled language is not stored. Reading what the user wrote and compiling it is as fast as reading a graph would
//! be, and goes through the same checks, whoever wrote the bytes. A [`Source`] has one instruction for each
//! operand (a schema, an expression, a choice) and each operator, in postfix order:
//!
//! ```text
//! fw.literal("Answer: ") + fw.regex("\\d") | fw.choice(["?"])      Choice · Regex · Then · Choice · Or
//! ```
//!
//! Cost: writing is a copy of the texts. The options of a choice are written in ascending order, so that reading only
//! checks them. Reading compiles every operand once, then runs the operators on a stack, so no
//! depth of nesting can overflow anything.
//!
//! An operator copies its operands' graphs, so a few bytes can ask for much. [`Limits::source_nodes`] bounds
//! the nodes of all instructions together.

mod building;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::bytes::{Envelope, Reader, hex, put, put_text};
use crate::canonical::Scope;
use crate::error::{Error, Kind, Result};
use crate::language::{Language, Lexicon};
use crate::limits::Limits;
use crate::regular::{Pieces, Unit};
use crate::syntax::choice;
use crate::syntax::grammar::assembly::Assembly;
use crate::syntax::grammar::compile::GrammarText;
use crate::syntax::json_schema::{Notation, Numbers, Options, Order, json_schema};
use crate::syntax::pieces;
use crate::syntax::regex::{self, Dialect};
use crate::syntax::text::{self, Free};
use crate::vocabulary::Vocabulary;

/// The envelope of a language.
pub const ENVELOPE: Envelope = Envelope { magic: *b"FWla", version: 4, name: "language", kind: || Kind::Language };

/// The envelope of a constraint: the fingerprint of its vocabulary, then its language.
pub const CONSTRAINT_ENVELOPE: Envelope =
    Envelope { magic: *b"FWco", version: 5, name: "constraint", kind: || Kind::Language };

/// What a user wrote to get a language. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source(Vec<Instruction>);

/// A text: a `String`, or one that the host owns, which need not be copied.
pub trait SourceText: AsRef<str> + fmt::Debug + Send + Sync {}

impl<T: AsRef<str> + fmt::Debug + Send + Sync> SourceText for T {}

#[derive(Debug)]
struct Schema<T: ?Sized> {
    options: Options,
    text: T,
}

#[derive(Clone, Debug)]
enum Instruction {
    Schema(Arc<Schema<dyn SourceText>>),
    Regex(Arc<str>, Dialect),
    Choice(Arc<Lexicon>),
    /// The name of a control token, and whether it may be spelled as text.
    Control(Arc<str>, bool),
    Free(Arc<Free>),
    Format(Arc<str>),
    /// The text that a piece is taken from, and its units.
    Pieces(Pieces),
    /// A grammar; its operands are the forms that it refers to.
    Grammar(Arc<GrammarText>),
    /// Copies of the rules of a grammar; its operands are the forms that the grammar refers to.
    Assembly(Arc<Assembly>),
    /// Texts, each with what follows it.
    Branches(Arc<[String]>),
    Then,
    Or,
    And,
    Not,
    Repeat(u32, u32),
    /// What is written between two texts.
    Between(Arc<str>, Arc<str>),
    /// The code of a host: its language, which cannot be stored.
    Parser(Language),
}

impl Source {
    /// A JSON Schema.
    pub fn json_schema(text: impl SourceText + 'static, options: Options) -> Self {
        Self(vec![Instruction::Schema(Arc::new(Schema { options, text }))])
    }

    /// A regular expression.
    pub fn regex(pattern: &str, dialect: Dialect) -> Self {
        Self(vec![Instruction::Regex(pattern.into(), dialect)])
    }

    /// One of some texts.
    pub fn choice(options: Lexicon) -> Self {
        Self(vec![Instruction::Choice(Arc::new(options))])
    }

    /// A control token, or also its name as text.
    pub fn control(name: &str, or_text: bool) -> Self {
        Self(vec![Instruction::Control(name.into(), or_text)])
    }

    /// Free text.
    pub fn free(free: Free) -> Self {
        Self(vec![Instruction::Free(Arc::new(free))])
    }

    /// A format of JSON Schema, without quotes.
    pub fn format(name: &str) -> Self {
        Self(vec![Instruction::Format(name.into())])
    }

    /// A grammar, and the forms that it refers to.
    pub fn grammar(grammar: GrammarText, forms: &[&Self]) -> Self {
        let operands = forms.iter().flat_map(|source| &source.0).cloned();
        Self(operands.chain([Instruction::Grammar(Arc::new(grammar))]).collect())
    }

    /// Copies of the rules of a grammar, and the forms that it refers to.
    pub fn assembly(assembly: Assembly, forms: &[&Self]) -> Self {
        let operands = forms.iter().flat_map(|source| &source.0).cloned();
        Self(operands.chain([Instruction::Assembly(Arc::new(assembly))]).collect())
    }

    /// A piece of a text.
    pub fn pieces(pieces: Pieces) -> Self {
        Self(vec![Instruction::Pieces(pieces)])
    }

    /// The language of a parser.
    pub fn parser(language: &Language) -> Self {
        Self(vec![Instruction::Parser(language.clone())])
    }

    /// This, then `other`.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        self.with(&other.0, Instruction::Then)
    }

    /// This or `other`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.with(&other.0, Instruction::Or)
    }

    /// Any of some texts, each with what follows it.
    pub fn branches(branches: &[(String, &Self)]) -> Self {
        let texts = branches.iter().map(|(text, _)| text.clone()).collect();
        let operands = branches.iter().flat_map(|(_, source)| &source.0).cloned();
        Self(operands.chain([Instruction::Branches(texts)]).collect())
    }

    /// What is in this and in `other`.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.with(&other.0, Instruction::And)
    }

    /// What is not in this.
    #[must_use]
    pub fn complement(&self) -> Self {
        self.with(&[], Instruction::Not)
    }

    /// This, `low..=high` times.
    #[must_use]
    pub fn repeat(&self, low: u32, high: u32) -> Self {
        self.with(&[], Instruction::Repeat(low, high))
    }

    /// What is written between two texts of this.
    #[must_use]
    pub fn between(&self, prefix: &str, suffix: &str) -> Self {
        self.with(&[], Instruction::Between(prefix.into(), suffix.into()))
    }

    fn with(&self, other: &[Instruction], operator: Instruction) -> Self {
        Self(self.0.iter().chain(other).cloned().chain([operator]).collect())
    }

    /// The schema and its options, if that is all.
    pub fn schema(&self) -> Option<(&str, &Options)> {
        match &*self.0 {
            [Instruction::Schema(schema)] => Some((schema.text.as_ref(), &schema.options)),
            _ => None,
        }
    }

    /// This source as bytes.
    ///
    /// # Errors
    /// [`Kind::Language`] where a parser is a part of it.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(ENVELOPE.seal(&self.body()?))
    }

    /// The source that [`Source::to_bytes`] wrote; it is not built yet.
    ///
    /// # Errors
    /// [`Kind::Language`], saying what was seen.
    pub fn from_bytes(data: &[u8], limits: &Limits) -> Result<Self> {
        Self::read(ENVELOPE.open(data)?, limits)
    }

    /// A constraint of this language and `vocabulary` as bytes, and which of its tokens are canonical.
    ///
    /// # Errors
    /// As [`Source::to_bytes`].
    pub fn to_constraint_bytes(&self, vocabulary: &Vocabulary, canonical: Scope) -> Result<Vec<u8>> {
        let body = self.body()?;
        Ok(CONSTRAINT_ENVELOPE.seal(&[vocabulary.fingerprint(), &[canonical as u8][..], &body].concat()))
    }

    /// The source that [`Source::to_constraint_bytes`] wrote.
    ///
    /// # Errors
    /// [`Kind::Language`], saying what was seen; [`Kind::Vocabulary`] when it was another vocabulary.
    pub fn from_constraint_bytes(data: &[u8], vocabulary: &Vocabulary, limits: &Limits) -> Result<(Self, Scope)> {
        let mut reader = CONSTRAINT_ENVELOPE.open(data)?;
        let (made_for, given) = (reader.take(32, "the vocabulary's fingerprint")?, vocabulary.fingerprint());
        if made_for != given {
            let what = format!("made for the vocabulary {}..., not for {}...", hex(&made_for[..8]), hex(&given[..8]));
            return Err(Error::vocabulary(format!("constraint bytes: {what}"))
                .hint("store the vocabulary beside the constraint, or compile the language for this one"));
        }
        let stored = reader.take(1, "which tokens are canonical")?[0];
        let canonical = Scope::EVERY.into_iter().find(|&scope| scope as u8 == stored);
        let canonical = canonical.ok_or_else(|| Error::new(Kind::Language, "constraint bytes: no such scope"))?;
        Ok((Self::read(reader, limits)?, canonical))
    }

    fn body(&self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        self.0.iter().try_for_each(|instruction| instruction.write(&mut body))?;
        Ok(body)
    }

    fn read(mut reader: Reader<'_>, limits: &Limits) -> Result<Self> {
        let mut instructions = Vec::new();
        while !reader.is_done() {
            instructions.push(Instruction::read(&mut reader, limits)?);
        }
        Ok(Self(instructions))
    }
}

fn unbalanced() -> Error {
    Error::new(Kind::Language, "language bytes: operators and operands do not pair up")
}

impl Instruction {
    fn apply(&self, stack: &mut Vec<Language>, limits: &Limits) -> Result<Language> {
        let mut pop = || stack.pop().ok_or_else(unbalanced);
        match self {
            Self::Schema(schema) => json_schema(schema.text.as_ref(), &schema.options),
            Self::Regex(pattern, dialect) => regex::of_dialect(pattern, *dialect, limits),
            Self::Choice(options) => choice::of_lexicon(options, limits),
            Self::Control(name, or_text) => Language::control(name, *or_text, limits),
            Self::Free(free) => text::text(free, limits),
            Self::Format(name) => text::of_format(name, limits),
            Self::Pieces(pieces) => pieces::of_pieces(pieces, limits),
            Self::Grammar(grammar) => {
                let at = stack.len().checked_sub(grammar.forms.len()).ok_or_else(unbalanced)?;
                grammar.build(&stack.split_off(at), limits)
            }
            Self::Assembly(assembly) => {
                let at = stack.len().checked_sub(assembly.grammar.forms.len()).ok_or_else(unbalanced)?;
                assembly.build(&stack.split_off(at), limits)
            }
            Self::Branches(texts) => {
                let at = stack.len().checked_sub(texts.len()).ok_or_else(unbalanced)?;
                let branches: Vec<_> = texts.iter().zip(stack.split_off(at)).collect();
                Language::branches(&branches, limits)
            }
            Self::And => pop().and_then(|second| pop()?.and(&second)),
            Self::Not => pop()?.complement(),
            Self::Then => pop().and_then(|second| pop()?.then(&second)),
            Self::Or => pop().and_then(|second| pop()?.or(&second)),
            Self::Repeat(low, high) => pop()?.repeat(*low, *high),
            Self::Between(prefix, suffix) => pop()?.between(prefix, suffix),
            Self::Parser(language) => Ok(language.clone()),
        }
    }

    fn write(&self, body: &mut Vec<u8>) -> Result<()> {
        body.push(self.tag()?);
        match self {
            Self::Schema(schema) => {
                put_text(body, schema.text.as_ref());
                write_options(body, &schema.options);
            }
            Self::Regex(pattern, dialect) => {
                put_text(body, pattern);
                body.push(*dialect as u8);
            }
            Self::Choice(options) => write_choice(body, options),
            Self::Repeat(low, high) => {
                put(body, *low);
                put(body, *high);
            }
            Self::Control(name, or_text) => {
                put_text(body, name);
                body.push(u8::from(*or_text));
            }
            Self::Free(free) => write_free(body, free),
            Self::Format(name) => put_text(body, name),
            Self::Pieces(pieces) => {
                put_text(body, pieces.text());
                body.push(pieces.unit() as u8);
            }
            Self::Branches(texts) => {
                put(body, texts.len() as u32);
                texts.iter().for_each(|text| put_text(body, text));
            }
            Self::Between(prefix, suffix) => {
                put_text(body, prefix);
                put_text(body, suffix);
            }
            Self::Grammar(grammar) => grammar.write(body),
            Self::Assembly(assembly) => assembly.write(body),
            Self::Then | Self::Or | Self::And | Self::Not | Self::Parser(_) => {}
        }
        Ok(())
    }

    /// The number that stored bytes have for the kind of step.
    fn tag(&self) -> Result<u8> {
        Ok(match self {
            Self::Schema(_) => 0,
            Self::Regex(..) => 1,
            Self::Choice(_) => 2,
            Self::Then => 3,
            Self::Or => 4,
            Self::Repeat(..) => 5,
            Self::Control(..) => 6,
            Self::Free(_) => 7,
            Self::Format(_) => 8,
            Self::And => 9,
            Self::Not => 10,
            Self::Branches(_) => 11,
            Self::Pieces(_) => 12,
            Self::Grammar(grammar) if grammar.controls.is_empty() => 13,
            Self::Grammar(_) => 14,
            Self::Between(..) => 15,
            Self::Assembly(_) => 16,
            Self::Parser(_) => {
                let message = "a form with a character parser cannot be stored: a parser is code";
                return Err(Error::new(Kind::Language, message).hint("make the form again where it is needed"));
            }
        })
    }

    fn read(reader: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        Ok(match reader.below(17, "the kind of a step")? {
            0 => {
                let text = reader.text("a schema")?.to_owned();
                Self::Schema(Arc::new(Schema { options: read_options(reader, limits)?, text }))
            }
            1 => {
                let pattern = reader.text("a regular expression")?.into();
                Self::Regex(pattern, Dialect::EVERY[usize::from(reader.below(3, "the dialect of an expression")?)])
            }
            2 => Self::Choice(Arc::new(choice::read_stored(reader)?)),
            3 => Self::Then,
            4 => Self::Or,
            5 => Self::Repeat(reader.number("low")?, reader.number("high")?),
            6 => Self::Control(
                reader.text("the name of a control token")?.into(),
                reader.below(2, "the spelling of a control token")? == 1,
            ),
            7 => Self::Free(Arc::new(Free::read_stored(reader)?)),
            8 => Self::Format(reader.text("a format")?.into()),
            9 => Self::And,
            10 => Self::Not,
            15 => Self::Between(reader.text("a prefix")?.into(), reader.text("a suffix")?.into()),
            kind @ (13 | 14) => Self::Grammar(Arc::new(GrammarText::read_stored(reader, kind == 14)?)),
            16 => Self::Assembly(Arc::new(Assembly::read_stored(reader)?)),
            12 => {
                let text = reader.text("the source of pieces")?;
                Self::Pieces(Pieces::new(text, Unit::EVERY[usize::from(reader.below(3, "a unit")?)])?)
            }
            _ => {
                let count = reader.count(4, "branches")?;
                Self::Branches((0..count).map(|_| Ok(reader.text("a branch")?.to_owned())).collect::<Result<_>>()?)
            }
        })
    }
}

fn write_choice(body: &mut Vec<u8>, options: &Lexicon) {
    put(body, options.len() as u32);
    body.extend(options.iter().flat_map(|option| (option.len() as u16).to_le_bytes()));
    body.extend_from_slice(options.bytes());
}

fn write_free(body: &mut Vec<u8>, free: &Free) {
    put(body, free.markers.len() as u32);
    free.markers.iter().for_each(|marker| put_text(body, marker));
    body.push(u8::from(free.included));
    put(body, free.most);
    put(body, free.most_tokens);
}

/// The switches of [`Options`], one bit each.
fn switches(options: &mut Options) -> [&mut bool; 4] {
    let Options { any_escapes, decimal_integers, ignore_unknown, assert_formats, .. } = options;
    [any_escapes, decimal_integers, ignore_unknown, assert_formats]
}

fn write_options(body: &mut Vec<u8>, options: &Options) {
    let switches = switches(&mut options.clone()).map(|switch| u8::from(*switch));
    let bits = switches.iter().rev().fold(0, |bits, switch| bits << 1 | switch);
    let numbers = u8::from(options.numbers == Numbers::Exact) << 5;
    let notated = u8::from(options.notation != Notation::Json) << 6;
    let formats = u8::from(options.exact_formats) << 7;
    body.push(formats | notated | numbers | bits << 1 | u8::from(options.order == Order::Model));
    put_text(body, &options.whitespace);
    put(body, options.max_digits);
    write_bound(body, options.max_whitespace);
    write_bound(body, options.max_items);
    write_optional(body, options.alphabet.as_deref());
    write_map(body, &options.formats);
    write_map(body, &options.registry);
    write_optional(body, options.dialect.as_deref());
    if notated != 0 {
        put_text(body, &options.notation.spelled());
    }
}

fn read_options(reader: &mut Reader<'_>, limits: &Limits) -> Result<Options> {
    let bits = reader.byte("switches of a schema")?;
    let mut options = Options {
        order: if bits & 1 == 1 { Order::Model } else { Order::Schema },
        numbers: if bits >> 5 & 1 == 1 { Numbers::Exact } else { Numbers::Double },
        exact_formats: bits >> 7 == 1,
        whitespace: reader.text("whitespace")?.to_owned(),
        max_digits: reader.number("max_digits")?,
        max_whitespace: read_bound(reader, "max_whitespace")?,
        max_items: read_bound(reader, "max_items")?,
        alphabet: read_optional(reader, "alphabet")?,
        formats: read_map(reader, "formats")?,
        registry: read_map(reader, "documents of the registry")?,
        dialect: read_optional(reader, "dialect")?,
        notation: if bits >> 6 & 1 == 1 { Notation::of(reader.text("notation")?)? } else { Notation::Json },
        limits: limits.clone(),
        ..Options::default()
    };
    for (at, switch) in switches(&mut options).into_iter().enumerate() {
        *switch = bits >> (at + 1) & 1 == 1;
    }
    Ok(options)
}

/// A bound, or the largest number for none.
fn write_bound(body: &mut Vec<u8>, bound: Option<u32>) {
    put(body, bound.unwrap_or(u32::MAX));
}

fn read_bound(reader: &mut Reader<'_>, field: &str) -> Result<Option<u32>> {
    Ok(Some(reader.number(field)?).filter(|&bound| bound < u32::MAX))
}

/// Whether there is a text, and the text.
fn write_optional(body: &mut Vec<u8>, text: Option<&str>) {
    body.push(u8::from(text.is_some()));
    if let Some(text) = text {
        put_text(body, text);
    }
}

fn read_optional(reader: &mut Reader<'_>, field: &str) -> Result<Option<String>> {
    let is_there = reader.below(2, field)? == 1;
    is_there.then(|| reader.text(field).map(str::to_owned)).transpose()
}

fn write_map(body: &mut Vec<u8>, map: &BTreeMap<String, String>) {
    put(body, map.len() as u32);
    for text in map.iter().flat_map(|(name, value)| [name, value]) {
        put_text(body, text);
    }
}

fn read_map(reader: &mut Reader<'_>, field: &str) -> Result<BTreeMap<String, String>> {
    let count = reader.count(8, field)?;
    (0..count).map(|_| Ok((reader.text("a name")?.to_owned(), reader.text("a value")?.to_owned()))).collect()
}

#[cfg(test)]
mod tests;
