//! `Language`.

use std::collections::BTreeMap;

use formwright::language::LexiconBuilder;
use formwright::regular::{Pieces, Unit};
use formwright::syntax::choice::lines;
use formwright::syntax::grammar::compile::{Located, Remark, name_ids, regexes};
use formwright::syntax::json_schema::{Notation, Options, Reader, reader_of};
use formwright::syntax::regex::Dialect;
use formwright::syntax::text::Free;
use formwright::{Limits, language::UNBOUNDED, source::Source};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList, PyString, PyType};

use crate::errors::{Int, argument, count, lift, unlocked};
use crate::grammar::{IdAndName, RulesAndHoles, SourceFlagsAndPlace, assembly_of, grammar_text, translated_grammar};
use crate::interrupt::interruptible;
use crate::parser::{PythonParser, check};
use crate::schema::{Readings, Spoken, Words, bound, digits, explain_schema};
use crate::vocabulary::Vocabulary;

/// Options that are read between two questions for signals.
const MANY: usize = 1 << 16;

/// By state: whether a text may end there, and its edges.
type States = Vec<(bool, Vec<(u8, u32)>)>;

/// A set of byte strings: what may be written. Immutable, hashable by identity, shared freely.
///
/// `formwright.Form` is a language together with the reading of its texts; users have that.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Language {
    pub kernel: formwright::Language,
    /// What the user wrote: `explain` reads it again, `to_bytes` stores it.
    pub source: Source,
}

impl Language {
    /// The language of a source, built without the interpreter lock.
    pub fn of(py: Python<'_>, source: Source) -> PyResult<Self> {
        let kernel = interruptible(py, || source.build(&Limits::default()))?;
        Ok(Self { kernel, source })
    }
}

#[pymethods]
impl Language {
    /// Read JSON Schema text.
    ///
    /// Args:
    ///     schema: The schema as JSON text.
    ///     order: ``"schema"`` writes declared properties in declaration order; ``"model"`` in any order.
    ///     whitespace: ``"flexible"`` (compact, spaced and indented, bounded), ``"compact"``, ``"pretty"``, ``"free"``,
    ///         or a regular expression over space, tab, CR and LF.
    ///     max_whitespace: Most whitespace characters in a row where it is ``"free"``, 0 to 1,000; ``None`` is 12.
    ///     max_items: Most items of an array whose schema gives no maximum.
    ///     alphabet: The characters of strings and undeclared names that the schema leaves open; ``None`` is all.
    ///     escapes: ``"natural"`` (only the escapes JSON needs) or ``"any"`` (every valid escape sequence).
    ///     integers: ``"plain"`` (digits only) or ``"decimal"`` (also with a fraction of zeros, ``1.0``).
    ///     numbers: ``"double"`` writes only numbers whose doubles are valid too, for readers such as Python's ``json``
    ///         and JavaScript; ``"exact"`` all numbers, for readers of decimals.
    ///     max_digits: Longest run of digits in a number, 1 to 400: before the point, after it, or in an exponent.
    ///     unknown_keywords: ``"error"`` refuses near misses of known keywords, ``"ignore"`` accepts every unknown key.
    ///     format: ``"assert"`` enforces formats, ``"annotation"`` ignores them; ``"exact"``, for comparisons, takes
    ///         every text that is not written as forbidden, where ``"assert"`` leaves it to its readers.
    ///     formats: Extra formats: name to regular expression.
    ///     dialect: Dialect URI or short name, when ``$schema`` is absent.
    ///     registry: URI to schema text, for remote references.
    ///     notation: How values are written: a name and its options, such as ``"yaml 2 16"``; ``None`` is JSON.
    ///
    /// Raises:
    ///     ArgumentError: An option has a value that it cannot have.
    ///     SchemaError, UnsupportedKeyword, UnsatisfiableSchema, LimitExceeded: With a JSON Pointer.
    #[staticmethod]
    #[pyo3(signature = (
        schema, *, order="schema", whitespace="flexible", max_whitespace=None, max_items=None, alphabet=None, escapes="natural",
        integers="plain", numbers="double", max_digits=Int(24), unknown_keywords="error", format="assert", formats=None,
        dialect=None, registry=None, notation=None
    ), text_signature = "(schema, *, order='schema', whitespace='flexible', max_whitespace=None, max_items=None, alphabet=None, \
        escapes='natural', integers='plain', numbers='double', max_digits=24, unknown_keywords='error', format='assert', formats=None, dialect=None, registry=None, notation=None)")]
    #[allow(clippy::too_many_arguments)]
    fn json_schema(
        py: Python<'_>,
        schema: PyBackedStr,
        order: &str,
        whitespace: &str,
        max_whitespace: Option<Int>,
        max_items: Option<Int>,
        alphabet: Option<String>,
        escapes: &str,
        integers: &str,
        numbers: &str,
        max_digits: Int,
        unknown_keywords: &str,
        format: &str,
        formats: Option<BTreeMap<String, String>>,
        dialect: Option<String>,
        registry: Option<BTreeMap<String, String>>,
        notation: Option<&str>,
    ) -> PyResult<Self> {
        let words = Words { order, escapes, integers, numbers, unknown_keywords, format };
        let options = Options {
            whitespace: whitespace.to_owned(),
            max_whitespace: bound(py, "max_whitespace", max_whitespace)?,
            max_items: bound(py, "max_items", max_items)?,
            alphabet,
            max_digits: digits(max_digits),
            formats: formats.unwrap_or_default(),
            dialect,
            registry: registry.unwrap_or_default(),
            notation: crate::schema::notation(py, notation)?,
            ..words.options(py)?
        };
        Self::of(py, Source::json_schema(schema, options))
    }

    /// The texts that ``pattern`` matches from their first character to their last.
    ///
    /// Args:
    ///     pattern: A regular expression.
    ///     dialect: ``"ascii"`` or ``"unicode"``, which is what its digits, word characters and blanks are, or
    ///         ``"python"`` for what `formwright.forms.patterns` makes of a compiled pattern.
    ///
    /// Raises:
    ///     RegexError: The pattern cannot be read or compiled; the message shows the place.
    ///     ArgumentError: There is no such dialect.
    #[staticmethod]
    #[pyo3(signature = (pattern, *, dialect="ascii"), text_signature = "(pattern, *, dialect='ascii')")]
    fn regex(py: Python<'_>, pattern: &str, dialect: &str) -> PyResult<Self> {
        let dialect = match dialect {
            "ascii" => Dialect::Ascii,
            "unicode" => Dialect::Unicode,
            "python" => Dialect::Python,
            _ => return Err(argument(py, "dialect", format!("there is no dialect {dialect:?}"))),
        };
        Self::of(py, Source::regex(pattern, dialect))
    }

    /// Exactly one of ``options``.
    ///
    /// Raises:
    ///     ArgumentError: There are none.
    ///     LimitExceeded: One is too long, or all of them are.
    #[staticmethod]
    fn choice(py: Python<'_>, options: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut texts = LexiconBuilder::with_capacity(options.len(), 0);
        for option in options {
            if texts.len() % MANY == MANY - 1 {
                py.check_signals()?;
            }
            lift(py, texts.push(option.cast::<PyString>()?.to_str()?))?;
        }
        Self::of(py, Source::choice(interruptible(py, || Ok(texts.build()))?))
    }

    /// Exactly one of the lines of a file, without its line end (LF or CRLF).
    ///
    /// Raises:
    ///     ArgumentError: There are none, or one is empty or not UTF-8; with its number.
    ///     LimitExceeded: One is too long, or all of them are.
    #[staticmethod]
    fn choice_of_lines(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        Self::of(py, Source::choice(interruptible(py, || lines(data))?))
    }

    /// A control token of a vocabulary, by its name.
    ///
    /// Args:
    ///     name: The name, such as ``"<|tool|>"``.
    ///     or_text: Whether the name, spelled as text, may stand for it.
    ///
    /// Raises:
    ///     ArgumentError: The name is empty.
    #[staticmethod]
    fn control(py: Python<'_>, name: &str, or_text: bool) -> PyResult<Self> {
        Self::of(py, Source::control(name, or_text))
    }

    /// Free text, up to where one of some markers first comes.
    ///
    /// Args:
    ///     markers: Where the text ends; if there are none, it may end anywhere.
    ///     included: Whether the marker is the end of the text; if not, the text ends before it.
    ///     max_chars: Most characters before the marker; ``None`` sets no bound.
    ///     max_tokens: Most tokens that end in the text, or exactly with it; ``None`` sets no bound.
    ///
    /// Raises:
    ///     ArgumentError: A marker is empty or a part of another, ``max_chars`` is negative, or ``max_tokens`` is too
    ///         small to end the text from anywhere in it.
    #[staticmethod]
    #[pyo3(signature = (markers, *, included=true, max_chars=None, max_tokens=None),
        text_signature = "(markers, *, included=True, max_chars=None, max_tokens=None)")]
    fn text(
        py: Python<'_>,
        markers: Vec<String>,
        included: bool,
        max_chars: Option<Int>,
        max_tokens: Option<Int>,
    ) -> PyResult<Self> {
        let most = max_chars.map_or(Ok(UNBOUNDED), |most| count(py, "max_chars", most))?;
        let most_tokens = max_tokens.map_or(Ok(UNBOUNDED), |most| count(py, "max_tokens", most))?;
        Self::of(py, Source::free(Free { markers, included, most, most_tokens }))
    }

    /// Any of some texts, each with what follows it.
    ///
    /// Args:
    ///     branches: The texts, all different, and the language that follows each.
    ///
    /// Raises:
    ///     ArgumentError: There are none, or two texts are equal.
    ///     LimitExceeded: They are too large together.
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)]
    fn branches(py: Python<'_>, branches: Vec<(String, Py<Self>)>) -> PyResult<Self> {
        let kernels: Vec<_> = branches.iter().map(|(text, language)| (text, language.get().kernel.clone())).collect();
        let kernel = interruptible(py, || formwright::Language::branches(&kernels, &Limits::default()))?;
        let sources: Vec<_> = branches.iter().map(|(text, language)| (text.clone(), &language.get().source)).collect();
        Ok(Self { kernel, source: Source::branches(&sources) })
    }

    /// The texts of a grammar.
    ///
    /// Args:
    ///     text: The grammar.
    ///     syntax: ``"lark"``, ``"gbnf"`` or ``"ebnf"``; ``"auto"`` for what it looks like.
    ///     start: The rule a text begins with; ``None`` for ``start`` or ``root``.
    ///     lexing: ``"longest"``, ``"basic"`` or ``"any"``; ``None`` for that of the syntax.
    ///     translations: Of its regular expressions: the expression, its flags, and what
    ///         `formwright.forms.patterns` makes of it. Others are read in the syntax of Rust's regex library.
    ///     forms: The forms that it refers to, by name.
    ///     controls: The control tokens that it refers to by their ids, with their names.
    ///
    /// Raises:
    ///     GrammarError: With the place in the grammar.
    ///     UnsatisfiableSchema: No text conforms to it.
    ///     LimitExceeded: It is too large.
    #[staticmethod]
    #[pyo3(signature = (text, *, syntax="auto", start=None, lexing=None, translations=Vec::new(), forms=Vec::new(), controls=Vec::new()))]
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
    fn grammar(
        py: Python<'_>,
        text: &str,
        syntax: &str,
        start: Option<&str>,
        lexing: Option<&str>,
        translations: Vec<(String, String, String)>,
        forms: Vec<(String, Py<Self>)>,
        controls: Vec<IdAndName>,
    ) -> PyResult<Self> {
        let (names, languages): (Vec<_>, Vec<_>) = forms.iter().map(|(name, form)| (&**name, form.get())).unzip();
        let grammar = translated_grammar(py, text, (syntax, start, lexing), (translations, controls), &names)?;
        let kernels: Vec<_> = languages.iter().map(|form| form.kernel.clone()).collect();
        let kernel = interruptible(py, || grammar.build(&kernels, &Limits::default()))?;
        let sources: Vec<_> = languages.iter().map(|form| &form.source).collect();
        Ok(Self { kernel, source: Source::grammar(grammar, &sources) })
    }

    /// Copies of the rules of a grammar in Lark whose texts are cut in any way, put together.
    ///
    /// Args:
    ///     text: The grammar.
    ///     forms: The forms that it refers to, by name, but for those that copies fill.
    ///     templates: The names of rules that are copied together, and of the forms that each copy fills.
    ///     texts: Texts that steps refer to.
    ///     steps: What is done, as `formwright.forms.assembly` writes it.
    ///
    /// Raises:
    ///     GrammarError: With the place in the grammar.
    ///     LanguageError: A step cannot be taken.
    ///     UnsatisfiableSchema, LimitExceeded: It has no text, or is too large.
    #[staticmethod]
    #[pyo3(signature = (text, *, forms, templates, texts, steps))]
    #[allow(clippy::needless_pass_by_value)]
    fn assembly(
        py: Python<'_>,
        text: &str,
        forms: Vec<(String, Py<Self>)>,
        templates: Vec<RulesAndHoles>,
        texts: Vec<String>,
        steps: Vec<u32>,
    ) -> PyResult<Self> {
        let (names, languages): (Vec<_>, Vec<_>) = forms.iter().map(|(name, form)| (&**name, form.get())).unzip();
        let assembly = assembly_of(py, (text, &names), templates, texts, steps)?;
        let kernels: Vec<_> = languages.iter().map(|form| form.kernel.clone()).collect();
        let kernel = interruptible(py, || assembly.build(&kernels, &Limits::default()))?;
        let source = Source::assembly(assembly, &languages.iter().map(|form| &form.source).collect::<Vec<_>>());
        Ok(Self { kernel, source })
    }

    /// The regular expressions of a grammar, each with its flags, its line and its column. Then remarks on what is
    /// allowed but hardly meant, each with its line and column. Then the control tokens that it refers to by their ids,
    /// with their names; none if no ``vocabulary`` is given.
    ///
    /// Raises:
    ///     GrammarError: With the place in the grammar.
    ///     UnsupportedConstruct: An id is not that of a control token.
    #[staticmethod]
    #[pyo3(signature = (text, *, syntax="auto", start=None, forms=Vec::new(), vocabulary=None))]
    #[allow(clippy::needless_pass_by_value)]
    fn read_grammar(
        py: Python<'_>,
        text: &str,
        syntax: &str,
        start: Option<&str>,
        forms: Vec<String>,
        vocabulary: Option<&Vocabulary>,
    ) -> PyResult<(Vec<SourceFlagsAndPlace>, Vec<Remark>, Vec<IdAndName>)> {
        let names: Vec<&str> = forms.iter().map(|name| &**name).collect();
        let grammar = grammar_text(py, text, syntax, start, &names)?;
        let (regexes, remarks) = interruptible(py, || regexes(&grammar, &Limits::default()))?;
        let row = |(regex, (line, column)): Located| (regex.source.to_string(), regex.flags.to_string(), line, column);
        let regexes = regexes.into_iter().map(row).collect();
        let Some(vocabulary) = vocabulary else { return Ok((regexes, remarks, Vec::new())) };
        let name_of = |id| vocabulary.tables.vocabulary.control_name(id).map(Into::into);
        let controls = interruptible(py, || name_ids(&grammar, &name_of, &Limits::default()))?;
        Ok((regexes, remarks, controls.into_iter().map(|(id, name)| (id, name.to_string())).collect()))
    }

    /// The texts of a format of JSON Schema, without quotes.
    ///
    /// Raises:
    ///     ArgumentError: There is no such format.
    #[staticmethod]
    fn format(py: Python<'_>, name: &str) -> PyResult<Self> {
        Self::of(py, Source::format(name))
    }

    /// A piece of ``source``: one or more of its units in a row, as they are there.
    ///
    /// Args:
    ///     source: The text.
    ///     unit: ``"char"``, ``"word"`` or ``"sentence"``.
    ///
    /// Raises:
    ///     ArgumentError: There is no such unit, or ``source`` has none of them.
    ///     LimitExceeded: ``source`` is too long.
    #[staticmethod]
    fn one_of_text(py: Python<'_>, source: &str, unit: &str) -> PyResult<Self> {
        let unit = self::unit(py, unit)?;
        let pieces = interruptible(py, || Pieces::new(source, unit))?;
        Self::of(py, Source::pieces(pieces))
    }

    /// The texts that a character parser reads: on which `formwright.CharacterParser` is built.
    ///
    /// Args:
    ///     explore: Makes a `formwright.forms.parsers.Exploration` of the parser.
    ///     knows_shortest: Whether its ``shortest`` has answers.
    ///
    /// Raises:
    ///     ParserFailed: The parser failed, or contradicts itself.
    ///     UnsatisfiableSchema: It reads no text.
    #[staticmethod]
    fn parser(py: Python<'_>, explore: Py<PyAny>, knows_shortest: bool) -> PyResult<Self> {
        check(py, true)?;
        let parser = PythonParser { start: explore, knows_shortest };
        let kernel = interruptible(py, || formwright::Language::of_parser(parser, &Limits::default()))?;
        let source = Source::parser(&kernel);
        Ok(Self { kernel, source })
    }

    /// This language, then ``other``.
    fn __add__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        check(py, self.kernel.has_parser() || other.kernel.has_parser())?;
        let kernel = interruptible(py, || self.kernel.then(&other.kernel))?;
        Ok(Self { kernel, source: self.source.then(&other.source) })
    }

    /// This language or ``other``.
    fn __or__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        check(py, self.kernel.has_parser() || other.kernel.has_parser())?;
        let kernel = interruptible(py, || self.kernel.or(&other.kernel))?;
        Ok(Self { kernel, source: self.source.or(&other.source) })
    }

    /// The texts that are in this language and in ``other``, of which one is regular.
    ///
    /// Raises:
    ///     ArgumentError: None is regular, or one holds JSON, a control token, a character parser, or a part with a
    ///         bound on its tokens.
    ///     UnsatisfiableSchema: No text is in both.
    ///     LimitExceeded: Both together are too large.
    fn __and__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let kernel = interruptible(py, || self.kernel.and(&other.kernel))?;
        Ok(Self { kernel, source: self.source.and(&other.source) })
    }

    /// The texts that are not in this language, which is regular.
    ///
    /// Raises:
    ///     ArgumentError, UnsatisfiableSchema: As ``&``.
    fn __invert__(&self, py: Python<'_>) -> PyResult<Self> {
        let kernel = interruptible(py, || self.kernel.complement())?;
        Ok(Self { kernel, source: self.source.complement() })
    }

    /// A shortest text of this language that ``other`` does not have, as UTF-8; ``None`` if there is none. Neither
    /// has to be regular: texts are tried, the shortest first. With ``most_bytes``, those up to this length.
    ///
    /// Raises:
    ///     ArgumentError: One holds JSON, a control token, a character parser, or a part with a bound on its tokens.
    ///     LimitExceeded: It was not found out.
    #[pyo3(signature = (other, most_bytes=None), text_signature = "($self, other, most_bytes=None)")]
    fn shortest_outside<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        most_bytes: Option<usize>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = interruptible(py, || self.kernel.shortest_outside(&other.kernel, most_bytes))?;
        Ok(found.map(|text| PyBytes::new(py, &text)))
    }

    /// Whether it is regular, and small enough to be taken as a pattern.
    #[getter]
    fn is_regular(&self) -> bool {
        self.kernel.tree().is_ok()
    }

    /// This language ``low`` to ``high`` times in a row; ``None`` sets no upper bound.
    ///
    /// Raises:
    ///     ArgumentError: ``low`` is negative or more than ``high``.
    fn repeat(&self, py: Python<'_>, low: Int, high: Option<Int>) -> PyResult<Self> {
        let low = count(py, "low", low)?;
        let high = high.map_or(Ok(UNBOUNDED), |high| count(py, "high", high))?;
        check(py, self.kernel.has_parser())?;
        let kernel = interruptible(py, || self.kernel.repeat(low, high))?;
        Ok(Self { kernel, source: self.source.repeat(low, high) })
    }

    /// What may be written between two texts, so that all three in a row are a text of this.
    ///
    /// Raises:
    ///     UnsatisfiableSchema, ArgumentError, UnsupportedKeyword, LimitExceeded: As `formwright.Form.between`.
    fn between(&self, py: Python<'_>, prefix: &str, suffix: &str) -> PyResult<Self> {
        let kernel = interruptible(py, || self.kernel.between(prefix, suffix))?;
        Ok(Self { kernel, source: self.source.between(prefix, suffix) })
    }

    /// The language that `to_bytes` wrote, read again from what its user wrote.
    ///
    /// Raises:
    ///     LanguageError: The bytes are of something else or another version, or were cut short or changed. What they
    ///         hold is read like any other text, and raises the errors of the constructors and operators.
    ///     LimitExceeded: The language is larger than a stored one may be.
    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        let py = cls.py();
        let read = unlocked(py, || Source::from_bytes(data, &Limits::default()))?;
        Self::of(py, lift(py, read)?)
    }

    /// This language as bytes: its schemas with their options, expressions, texts and operators.
    ///
    /// It can also be pickled.
    ///
    /// Raises:
    ///     LanguageError: A character parser is a part of it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let data = unlocked(py, || self.source.to_bytes())?;
        Ok(PyBytes::new(py, &lift(py, data)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }

    /// Whether it is one JSON Schema whose values are written as JSON.
    #[getter]
    fn is_json(&self) -> bool {
        self.source.schema().is_some_and(|(_, options)| options.notation == Notation::Json)
    }

    /// What reads its texts as JSON and writes values; ``None`` if it is not one JSON Schema.
    fn values(&self, py: Python<'_>) -> PyResult<Option<Values>> {
        let Some((schema, options)) = self.source.schema() else { return Ok(None) };
        let reader = interruptible(py, || reader_of(schema, options))?;
        Ok(Some(Values { reader }))
    }

    /// The names of the control tokens that its texts may hold.
    #[getter]
    fn control_tokens(&self) -> Vec<String> {
        self.kernel.graph().controls.iter().map(ToString::to_string).collect()
    }

    /// How many bytes of ``data`` conform, and whether a complete text ends exactly at its end.
    fn check(&self, py: Python<'_>, data: &[u8]) -> PyResult<(usize, bool)> {
        check(py, self.kernel.has_parser())?;
        interruptible(py, || self.kernel.check(data))
    }

    /// How many bytes of ``data`` a complete text at its beginning may have, ascending.
    fn ends(&self, py: Python<'_>, data: &[u8]) -> PyResult<Vec<usize>> {
        check(py, self.kernel.has_parser())?;
        interruptible(py, || self.kernel.ends(data))
    }

    /// All states of a language that has at most so many, with the bytes that lead from each: whether a text may end
    /// there, and ``(byte, state)`` of its edges. State 0 is the start. With ``most_bytes``, those that are reached
    /// within so many bytes; nothing leads from one that takes all of them.
    ///
    /// Raises:
    ///     ArgumentError: A part has a bound on its tokens, which bytes do not tell.
    ///     LimitExceeded: There are more states, as in every language with recursion.
    #[pyo3(signature = (most_states, most_bytes=None), text_signature = "($self, most_states, most_bytes=None)")]
    fn byte_automaton(&self, py: Python<'_>, most_states: usize, most_bytes: Option<usize>) -> PyResult<States> {
        check(py, self.kernel.has_parser())?;
        let automaton = interruptible(py, || self.kernel.byte_automaton(most_states, most_bytes))?;
        Ok(automaton.accepting.into_iter().zip(automaton.edges).collect())
    }

    /// Bytes of memory held, roughly. Automata are not counted: the languages of a vocabulary share them.
    #[getter]
    fn nbytes(&self) -> usize {
        self.kernel.memory()
    }

    /// The shortest complete text (one of them), UTF-8.
    fn example<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        check(py, self.kernel.has_parser())?;
        Ok(PyBytes::new(py, &interruptible(py, || self.kernel.example())?))
    }

    /// How each keyword was read: ``(pointer, keyword, status, note)``. Of a grammar, remarks on parts that no text
    /// has, and on where fewer texts conform than Lark reads; of others nothing.
    fn explain(&self, py: Python<'_>) -> PyResult<Readings> {
        if let Some((schema, options)) = self.source.schema() {
            return explain_schema(py, schema, options);
        }
        check(py, self.kernel.has_parser())?;
        let remarks = interruptible(py, || self.source.find_remarks(&Limits::default()))?;
        let row = |(line, column, said): Remark| (format!("{line}:{column}"), String::new(), "remark", said);
        Ok(remarks.into_iter().map(row).collect())
    }

    /// How each keyword of a schema is read, also where `json_schema` refuses it. The options are the same.
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)]
    fn explain_json_schema(py: Python<'_>, schema: PyBackedStr, options: Spoken) -> PyResult<Readings> {
        explain_schema(py, &schema, &options.options(py)?)
    }

    fn __repr__(&self) -> String {
        let graph = self.kernel.graph();
        format!("Language({} nodes, {} patterns)", graph.nodes.len(), graph.leaves.len())
    }
}

/// Reads the texts of a JSON Schema in its notation as JSON, and writes values. Made by `Language.values`.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Values {
    reader: Reader,
}

#[pymethods]
impl Values {
    /// The JSON that ``text`` says; ``None`` if no text begins so.
    ///
    /// Args:
    ///     text: A text, complete unless ``partial``.
    ///     partial: Whether it may go on: what it says so far is JSON that has begun.
    ///
    /// Raises:
    ///     LimitExceeded: There are too many ways to read it.
    #[pyo3(signature = (text, *, partial=false), text_signature = "($self, text, *, partial=False)")]
    fn read(&self, py: Python<'_>, text: &str, partial: bool) -> PyResult<Option<String>> {
        interruptible(py, || self.reader.read(text, partial))
    }

    /// A text for a value, given as JSON: members in order of declaration, in the usual spelling; ``None`` if no
    /// text says it. Whether JSON conforms is not checked.
    ///
    /// Raises:
    ///     ArgumentError: It is not JSON.
    ///     LimitExceeded: Too many choices have to be tried.
    #[pyo3(signature = (json, /), text_signature = "($self, json, /)")]
    fn write(&self, py: Python<'_>, json: &str) -> PyResult<Option<String>> {
        interruptible(py, || self.reader.write(json))
    }
}

fn unit(py: Python<'_>, name: &str) -> PyResult<Unit> {
    let message = || format!("there is no unit {name:?}: it is \"char\", \"word\" or \"sentence\"");
    Unit::named(name).ok_or_else(|| argument(py, "unit", message()))
}

/// Where ``piece`` is in ``source``, in characters: ``(start, end)``, ascending.
///
/// Raises:
///     ArgumentError: There is no such unit, or ``source`` has none of them.
#[pyfunction]
pub fn places(py: Python<'_>, source: &str, unit: &str, piece: &str) -> PyResult<Vec<(u32, u32)>> {
    let unit = self::unit(py, unit)?;
    interruptible(py, || Ok(Pieces::new(source, unit)?.places(piece)))
}
