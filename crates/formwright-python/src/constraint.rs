//! `Constraint`.

use formwright::Limits;
use formwright::canonical::Scope;
use formwright::source::Source;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString, PyType};

use crate::canvas::Canvas;
use crate::errors::{Int, argument, count, lift, unlocked};
use crate::interrupt::{interruptible, interruptible_locked};
use crate::language::Language;
use crate::matcher::Matcher;
use crate::parser::check;
use crate::vocabulary::{Vocabulary, known_all};

/// A form compiled for a vocabulary: frozen, shared by threads and sequences.
///
/// Made by `formwright.compile`. It keeps the form, so what the form reads a text as is never lost::
///
///     constraint = fw.compile(Person, vocabulary)      # Constraint[Person]
///     constraint.parse('{"name": "Ada"}')              # Person(name='Ada')
///
/// Raises:
///     DeadEnd: The vocabulary cannot spell any text of the form.
#[pyclass(frozen, generic, module = "formwright._kernel")]
pub struct Constraint {
    pub kernel: formwright::Constraint,
    form: Py<PyAny>,
    vocabulary: Py<Vocabulary>,
    canonical: Scope,
}

/// From so many nodes and leaves on, a graph is compiled without the interpreter lock: some 50 us.
const LARGE: usize = 256;

/// Reads which tokens are to be canonical.
fn read_scope(value: &Bound<'_, PyAny>) -> PyResult<Scope> {
    if let Ok(all) = value.extract::<bool>() {
        return Ok(if all { Scope::All } else { Scope::Nothing });
    }
    if value.extract::<String>().is_ok_and(|text| text == "forced") {
        return Ok(Scope::Forced);
    }
    let message = format!("canonical is True, False or \"forced\", not {}", value.repr()?);
    Err(argument(value.py(), "canonical", message))
}

/// Says in Python which tokens are canonical.
fn spell_scope(py: Python<'_>, scope: Scope) -> Bound<'_, PyAny> {
    let of_bool = |all: bool| PyBool::new(py, all).to_owned().into_any();
    match scope {
        Scope::All => of_bool(true),
        Scope::Nothing => of_bool(false),
        Scope::Forced => PyString::new(py, "forced").into_any(),
    }
}

/// Numbers as the bytes of an array.
fn bytes_of<'py, T: Copy, const SIZE: usize>(
    py: Python<'py>,
    numbers: &[T],
    spell: impl Fn(T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, SIZE * numbers.len(), |out| {
        out.as_chunks_mut().0.iter_mut().zip(numbers).for_each(|(out, &number)| *out = spell(number));
        Ok(())
    })
}

/// What a constraint is made of again.
type Reduced<'py> = (Py<PyAny>, Py<Vocabulary>, Bound<'py, PyAny>);

#[pymethods]
impl Constraint {
    #[new]
    #[pyo3(signature = (form, vocabulary, *, canonical=None))]
    fn new(
        py: Python<'_>,
        form: Bound<'_, PyAny>,
        vocabulary: Py<Vocabulary>,
        canonical: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let canonical = canonical.map_or(Ok(Scope::Nothing), read_scope)?;
        let language: Py<Language> = form.getattr("language")?.cast_into::<Language>()?.unbind();
        let (in_kernel, tables) = (&language.get().kernel, &vocabulary.get().tables);
        let kept = &vocabulary.get().constraints;
        if let Some(kernel) = kept.find(in_kernel, canonical) {
            return Ok(Self { kernel, form: form.unbind(), vocabulary, canonical });
        }
        let speller = if canonical == Scope::Nothing { None } else { Some(&vocabulary.get().speller(py)?.1) };
        let compile = || match speller {
            None => formwright::Constraint::new(in_kernel, tables),
            Some(speller) if canonical == Scope::All => formwright::Constraint::canonical(in_kernel, tables, speller),
            Some(speller) => formwright::Constraint::with_canonical_forced(in_kernel, tables, speller),
        };
        check(py, in_kernel.has_parser())?;
        let is_large = in_kernel.graph().nodes.len() + in_kernel.graph().leaves.len() > LARGE;
        let is_long = is_large || in_kernel.is_plain() || speller.is_some() || in_kernel.has_parser();
        let mut kernel = if is_long { interruptible(py, compile) } else { interruptible_locked(py, compile) }?;
        if !in_kernel.has_parser() {
            kernel = vocabulary.get().constraints.keep(in_kernel, canonical, kernel); // a parser holds objects of Python
        }
        Ok(Self { kernel, form: form.unbind(), vocabulary, canonical })
    }

    /// Which tokens are canonical, that is, those that the tokenizer itself writes: all if ``True``, forced ones if
    /// ``"forced"``, perhaps none if ``False``.
    #[getter]
    fn canonical<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        spell_scope(py, self.canonical)
    }

    /// The form it was compiled from.
    #[getter]
    fn form(&self, py: Python<'_>) -> Py<PyAny> {
        self.form.clone_ref(py)
    }

    /// The vocabulary it was compiled for.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<Vocabulary> {
        self.vocabulary.clone_ref(py)
    }

    /// The constraint that `to_bytes` wrote, compiled again for ``vocabulary``, which must be the same as then.
    ///
    /// The bytes hold no Python type: texts are read with ``json.loads`` if the form was one JSON Schema or type, as
    /// ``str`` if not. Pickle keeps the type.
    ///
    /// Raises:
    ///     VocabularyError: It was another vocabulary: the fingerprints differ.
    ///     LanguageError, LimitExceeded: As `formwright.Form.from_bytes`.
    #[classmethod]
    fn from_bytes(cls: &Bound<'_, PyType>, data: &[u8], vocabulary: Py<Vocabulary>) -> PyResult<Self> {
        let py = cls.py();
        let made_for = &vocabulary.get().tables.vocabulary;
        let read = unlocked(py, || Source::from_constraint_bytes(data, made_for, &Limits::default()))?;
        let (source, canonical) = lift(py, read)?;
        let language = Language::of(py, source)?;
        let form = py.import("formwright.forms.form")?.call_method1("form_of_language", (language,))?;
        let canonical = spell_scope(py, canonical);
        Self::new(py, form, vocabulary, Some(&canonical))
    }

    /// This constraint as bytes: its language, and the fingerprint of its vocabulary.
    ///
    /// A pickled constraint brings its form and its vocabulary along; one vocabulary for all constraints of a pickle.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let vocabulary = &self.vocabulary.get().tables.vocabulary;
        let language = self.form.bind(py).getattr("language")?.cast_into::<Language>()?;
        let (source, canonical) = (&language.get().source, self.canonical);
        let data = unlocked(py, || source.to_constraint_bytes(vocabulary, canonical))?;
        Ok(PyBytes::new(py, &lift(py, data)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Reduced<'py>)> {
        let (py, own) = (slf.py(), slf.get());
        let make = py.import("formwright.forms.coerce")?.getattr("compile_again")?;
        Ok((make, (own.form(py), own.vocabulary(py), own.canonical(py))))
    }

    /// A new matcher at the start of a text.
    ///
    /// Args:
    ///     prompt_ids: The tokens before the text. They matter to canonical tokens only, which may continue a piece of
    ///         the prompt. Where the prompt is not canonical itself, or no text can follow it so, the text begins as if
    ///         a piece had ended.
    #[pyo3(signature = (prompt_ids=None))]
    #[allow(clippy::needless_pass_by_value)]
    fn matcher(slf: Py<Self>, py: Python<'_>, prompt_ids: Option<Vec<Int>>) -> PyResult<Matcher> {
        let own = slf.get();
        check(py, own.kernel.graph().has_parser())?;
        let ids = known_all(py, &own.vocabulary.get().tables.vocabulary, &prompt_ids.unwrap_or_default())?;
        let begin = || Ok(if ids.is_empty() { own.kernel.matcher() } else { own.kernel.matcher_after(&ids) });
        let kernel =
            if own.canonical == Scope::Nothing { interruptible_locked(py, begin) } else { interruptible(py, begin) }?;
        Ok(Matcher::new(slf, kernel))
    }

    /// This constraint as tables, for a loop that asks no host; see `formwright.device`.
    ///
    /// Args:
    ///     most_bytes: How many bytes they may take together.
    ///
    /// Returns:
    ///     `formwright.device.DeviceTables`, or ``None`` where there are none: the form is recursive;
    ///     names are not declared, or items must differ; the form has a parser, or bounds the
    ///     tokens of a part; ``canonical=True``; the vocabulary cannot end some text; or the tables would have more
    ///     than 32,000 states or ``most_bytes``, or take longer to make than a compilation may.
    ///
    /// Raises:
    ///     ArgumentError: ``most_bytes`` is negative.
    ///     Interrupted: The work was ended from outside.
    #[pyo3(signature = (*, most_bytes=Int(64 << 20)), text_signature = "($self, *, most_bytes=67108864)")]
    fn device_tables<'py>(&self, py: Python<'py>, most_bytes: Int) -> PyResult<Option<Bound<'py, PyAny>>> {
        let most_bytes: usize = count(py, "most_bytes", most_bytes)?;
        let made = interruptible(py, || self.kernel.device_tables(most_bytes))?;
        made.map(|tables| {
            let class = py.import("formwright.device.device_tables")?.getattr("DeviceTables")?;
            let parts = (
                bytes_of(py, &tables.masks, i32::to_ne_bytes)?,
                bytes_of(py, &tables.mask_of, i16::to_ne_bytes)?,
                bytes_of(py, &tables.classes, i16::to_ne_bytes)?,
                bytes_of(py, &tables.next, i16::to_ne_bytes)?,
                bytes_of(py, &tables.need, i32::to_ne_bytes)?,
            );
            class.call_method1("_from_kernel", parts)
        })
        .transpose()
    }

    /// A text of so many positions whose tokens become known in any order.
    ///
    /// It is for models that do not write from left to right::
    ///
    ///     canvas = constraint.canvas(64)
    ///     index = canvas.fill_bitmasks(allocate_bitmask(64, vocabulary))     # which tokens fit in each hole
    ///     canvas.place(63, vocabulary.eos_token_ids[0])
    ///
    /// The first canvas of a constraint takes the time to find where each token leads: some milliseconds for a record
    /// of a few members, a second at most. All others have it.
    ///
    /// Args:
    ///     length: How many positions; ends of text fill what the text leaves.
    ///     after: How many tokens may follow the canvas, for texts that are written block by block; ``None`` is none.
    ///
    /// Returns:
    ///     `formwright.masks.canvas.Canvas`, all holes.
    ///
    /// Raises:
    ///     UnsupportedKeyword: Items of an array, or undeclared names of an object, must differ; ``pointer`` leads to
    ///         the value in the text, ``*`` being any item.
    ///     ArgumentError: ``canonical=True``; the form has a character parser, or a part with ``max_tokens``; there is
    ///         no position.
    ///     LimitExceeded: The form has too many states, or the shortest text needs more positions.
    ///     DeadEnd: The vocabulary cannot spell any text of the form.
    ///     Interrupted: The work was ended from outside.
    #[pyo3(signature = (length, after=None))]
    fn canvas<'py>(&self, py: Python<'py>, length: Int, after: Option<Int>) -> PyResult<Bound<'py, PyAny>> {
        let length: usize = count(py, "length", length)?;
        let after: u32 = after.map_or(Ok(0), |after| count(py, "after", after))?;
        let kernel = interruptible(py, || self.kernel.canvas(length, after))?;
        let class = py.import("formwright.masks.canvas")?.getattr("Canvas")?;
        class.call1((Canvas::new(kernel), self.vocabulary(py)))
    }

    /// A constraint for what may be written between two texts, so that all three in a row are a text of the form.
    ///
    /// It fills in the middle::
    ///
    ///     between = constraint.between('{"name": "Ada", "age": ', "}")
    ///     matcher = between.matcher()                # masks, budgets, canonical tokens of the middle
    ///
    /// See `formwright.Form.between`, also for what it raises.
    ///
    /// Args:
    ///     prefix: The beginning of a text, ``str`` or ``bytes`` of UTF-8.
    ///     suffix: Its end.
    fn between(&self, py: Python<'_>, prefix: &Bound<'_, PyAny>, suffix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let form = self.form.bind(py).call_method1("between", (prefix, suffix))?;
        let canonical = spell_scope(py, self.canonical);
        Self::new(py, form, self.vocabulary(py), Some(&canonical))
    }

    /// The value that ``text`` spells. Raises OutputInvalid if it does not conform. See `formwright.Form.parse`.
    fn parse(&self, py: Python<'_>, text: Py<PyAny>) -> PyResult<Py<PyAny>> {
        self.form.call_method1(py, "parse", (text,))
    }

    /// The shortest complete text (one of them). See `formwright.Form.example`.
    fn example(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.call_method0(py, "example")
    }

    /// How each keyword was read. See `formwright.Form.explain`.
    fn explain(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.call_method0(py, "explain")
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let tokens = self.vocabulary.get().tables.vocabulary.len();
        Ok(format!("Constraint({}, {tokens} tokens)", self.form.bind(py).repr()?))
    }
}
