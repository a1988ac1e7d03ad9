//! JSON Schema: the options as Python says them, and what there is to read.

use std::collections::BTreeMap;
use std::ffi::OsString;

use formwright::syntax::json_schema::format::FORMATS;
use formwright::syntax::json_schema::keywords::{KEYWORDS, Role};
use formwright::syntax::json_schema::{self, Notation, Numbers, Options, Order};
use pyo3::prelude::*;

use crate::errors::{Int, argument, lift};
use crate::interrupt::interruptible;

/// `(pointer, keyword, status, note)` of every keyword.
pub type Readings = Vec<(String, String, &'static str, String)>;

/// The options of `json_schema` as Python says them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Spoken {
    order: String,
    whitespace: String,
    max_whitespace: Option<Int>,
    max_items: Option<Int>,
    alphabet: Option<String>,
    escapes: String,
    integers: String,
    numbers: String,
    max_digits: Int,
    unknown_keywords: String,
    format: String,
    formats: Option<BTreeMap<String, String>>,
    dialect: Option<String>,
    registry: Option<BTreeMap<String, String>>,
    #[pyo3(default)]
    notation: Option<String>,
}

impl Spoken {
    /// The options of the kernel.
    pub fn options(self, py: Python<'_>) -> PyResult<Options> {
        let words = Words {
            order: &self.order,
            escapes: &self.escapes,
            integers: &self.integers,
            numbers: &self.numbers,
            unknown_keywords: &self.unknown_keywords,
            format: &self.format,
        };
        Ok(Options {
            whitespace: self.whitespace,
            max_whitespace: bound(py, "max_whitespace", self.max_whitespace)?,
            max_items: bound(py, "max_items", self.max_items)?,
            alphabet: self.alphabet,
            max_digits: digits(self.max_digits),
            formats: self.formats.unwrap_or_default(),
            dialect: self.dialect,
            registry: self.registry.unwrap_or_default(),
            notation: notation(py, self.notation.as_deref())?,
            ..words.options(py)?
        })
    }
}

/// The options that are one of two words.
pub struct Words<'a> {
    pub order: &'a str,
    pub escapes: &'a str,
    pub integers: &'a str,
    pub numbers: &'a str,
    pub unknown_keywords: &'a str,
    pub format: &'a str,
}

impl Words<'_> {
    /// The options of the kernel; those that have other values are the usual ones.
    pub fn options(&self, py: Python<'_>) -> PyResult<Options> {
        Ok(Options {
            order: choose(py, "order", self.order, ("schema", Order::Schema), ("model", Order::Model))?,
            any_escapes: choose(py, "escapes", self.escapes, ("natural", false), ("any", true))?,
            decimal_integers: choose(py, "integers", self.integers, ("plain", false), ("decimal", true))?,
            numbers: choose(py, "numbers", self.numbers, ("double", Numbers::Double), ("exact", Numbers::Exact))?,
            ignore_unknown: choose(py, "unknown_keywords", self.unknown_keywords, ("error", false), ("ignore", true))?,
            assert_formats: self.format == "exact"
                || choose(py, "format", self.format, ("annotation", false), ("assert", true))?,
            exact_formats: self.format == "exact",
            ..Options::default()
        })
    }
}

/// The notation of a name and its options; JSON if it is not said.
pub fn notation(py: Python<'_>, name: Option<&str>) -> PyResult<Notation> {
    lift(py, name.map_or(Ok(Notation::Json), Notation::of))
}

/// A number of digits; one out of all bounds becomes 0, which the kernel refuses.
pub fn digits(value: Int) -> u32 {
    u32::try_from(value.0).unwrap_or(0)
}

/// A bound, if there is one. The largest number of the kernel is none: it stands for no bound.
pub fn bound(py: Python<'_>, name: &'static str, value: Option<Int>) -> PyResult<Option<u32>> {
    let Some(Int(value)) = value else { return Ok(None) };
    let fitting = u32::try_from(value).ok().filter(|&fitting| fitting < u32::MAX);
    let refused = || argument(py, name, format!("{name} must be between 0 and {}, not {value}", u32::MAX - 1));
    fitting.map(Some).ok_or_else(refused)
}

/// One of two words.
fn choose<T>(py: Python<'_>, name: &'static str, value: &str, first: (&str, T), second: (&str, T)) -> PyResult<T> {
    if value == first.0 {
        return Ok(first.1);
    }
    if value == second.0 {
        return Ok(second.1);
    }
    Err(argument(py, name, format!("{name} must be {:?} or {:?}, not {value:?}", first.0, second.0)))
}

/// How each keyword of a schema is read.
pub fn explain_schema(py: Python<'_>, schema: &str, options: &Options) -> PyResult<Readings> {
    let readings = interruptible(py, || json_schema::explain(schema, options))?;
    let row = |reading: json_schema::Reading| (reading.pointer, reading.keyword, reading.status, reading.note);
    Ok(readings.into_iter().map(row).collect())
}

/// Every JSON Schema keyword: ``(name, role, note)``.
///
/// The role is ``enforced``, ``core``, ``annotation`` or ``refused``.
#[pyfunction]
pub fn json_schema_keywords() -> Vec<(&'static str, &'static str, &'static str)> {
    let role = |role: Role| match role {
        Role::Assertion | Role::Applicator => "enforced",
        Role::Core => "core",
        Role::Annotation => "annotation",
        Role::Refused => "refused",
    };
    KEYWORDS.iter().map(|keyword| (keyword.name, role(keyword.role), keyword.note)).collect()
}

/// Every format that is asserted: ``(name, what is left out)``; empty if nothing is.
#[pyfunction]
pub fn json_schema_formats() -> Vec<(&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.left_out)).collect()
}

/// The values of environment variables, as ``os.environ`` has them, without an exception for each that is not set.
///
/// Each form that is made asks for its defaults, and most are found again in less time than ``os.environ`` takes.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub fn environment(names: Vec<String>) -> Vec<Option<OsString>> {
    names.iter().map(std::env::var_os).collect()
}
