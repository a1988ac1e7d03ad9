//! `Derivations`.

use formwright::Limits;
use formwright::source::Source;
use formwright::syntax::grammar::derivation::{self, NodeKind};
use pyo3::prelude::*;

use crate::grammar::{IdAndName, translated_grammar};
use crate::interrupt::interruptible;
use crate::language::Language;
use crate::parser::check;

/// The nodes of a derivation, the first place that has several trees, and what is captured.
type Derivation = (Vec<(String, u32, u32, i64)>, Option<(u32, u32)>, Vec<(String, u32, u32)>);

/// How texts are derived from a grammar, as it is written.
///
/// Args:
///     text, syntax, start, lexing, translations, forms, controls: As of `Language.grammar`.
///
/// Raises:
///     GrammarError: With the place in the grammar.
///     UnsatisfiableSchema: No text conforms to it.
///     LimitExceeded: It is too large.
#[pyclass(frozen, module = "formwright._kernel")]
pub struct Derivations {
    kernel: derivation::Derivations,
    language: Py<Language>,
    has_parser: bool,
}

/// A derivation as Python has it.
fn spoken(derivation: derivation::Derivation) -> Derivation {
    let node = |node: derivation::Node| {
        let children = match node.kind {
            NodeKind::Tree(children) => i64::from(children),
            NodeKind::Token => -1,
            NodeKind::Blank => -2,
        };
        (node.name.to_string(), node.start, node.end, children)
    };
    let capture = |found: derivation::Capture| (found.name.to_string(), found.start, found.end);
    let captures = derivation.captures.into_iter().map(capture).collect();
    (derivation.nodes.into_iter().map(node).collect(), derivation.ambiguous, captures)
}

#[pymethods]
impl Derivations {
    #[new]
    #[pyo3(signature = (text, *, syntax="auto", start=None, lexing=None, translations=Vec::new(), forms=Vec::new(), controls=Vec::new()))]
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        text: &str,
        syntax: &str,
        start: Option<&str>,
        lexing: Option<&str>,
        translations: Vec<(String, String, String)>,
        forms: Vec<(String, Py<Language>)>,
        controls: Vec<IdAndName>,
    ) -> PyResult<Self> {
        let (names, languages): (Vec<_>, Vec<_>) = forms.iter().map(|(name, form)| (&**name, form.get())).unzip();
        let grammar = translated_grammar(py, text, (syntax, start, lexing), (translations, controls), &names)?;
        let kernels: Vec<_> = languages.iter().map(|form| form.kernel.clone()).collect();
        let has_parser = kernels.iter().any(formwright::Language::has_parser);
        check(py, has_parser)?;
        let (language, kernel) = interruptible(py, || grammar.derivations(&kernels, &Limits::default()))?;
        let sources: Vec<_> = languages.iter().map(|form| &form.source).collect();
        let language = Py::new(py, Language { kernel: language, source: Source::grammar(grammar, &sources) })?;
        Ok(Self { kernel, language, has_parser })
    }

    /// The texts of the grammar.
    #[getter]
    fn language(&self, py: Python<'_>) -> Py<Language> {
        self.language.clone_ref(py)
    }

    /// Whether a rule or terminal is captured.
    #[getter]
    fn has_captures(&self) -> bool {
        self.kernel.has_captures()
    }

    /// The first derivation of a text; ``None`` if it has none.
    ///
    /// Args:
    ///     data: The text, UTF-8.
    ///     asks: Whether other trees are looked for.
    ///
    /// Returns:
    ///     Its nodes, children before their parents: ``(name, start, end, children)``, in characters. A terminal has -1
    ///     children, and what is not there -2. The first place that has several trees. And the captured texts, in the
    ///     order in which they begin: ``(name, start, end)``, in bytes.
    ///
    /// Raises:
    ///     LimitExceeded: The text has too many derivations.
    fn read(&self, py: Python<'_>, data: &[u8], asks: bool) -> PyResult<Option<Derivation>> {
        check(py, self.has_parser)?;
        Ok(interruptible(py, || self.kernel.read(data, asks))?.map(spoken))
    }

    /// The nodes that have begun in a text that goes on, as of `read`; ``None`` if it departs from the grammar.
    ///
    /// Args:
    ///     data: The text, UTF-8.
    ///
    /// Raises:
    ///     LimitExceeded: The text has too many derivations.
    fn read_begun(&self, py: Python<'_>, data: &[u8]) -> PyResult<Option<Derivation>> {
        check(py, self.has_parser)?;
        Ok(interruptible(py, || self.kernel.read_begun(&self.language.get().kernel, data))?.map(spoken))
    }

    /// The names that nodes may have, that of the start rule first.
    fn names(&self) -> Vec<String> {
        self.kernel.names().iter().map(ToString::to_string).collect()
    }

    /// Those of them that are names of rules, and not only of their alternatives.
    fn rules(&self) -> Vec<String> {
        self.kernel.rules().iter().map(ToString::to_string).collect()
    }
}
