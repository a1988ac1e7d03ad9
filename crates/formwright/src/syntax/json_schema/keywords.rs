//! The keyword table: what each keyword is, and what happens to it here.
//!
//! ```text
//! maxLength     Assertion, about strings     enforced          maxLenght     no row, but close to one: an error
//! ```
//!
//! The reader, the check for misspelt keywords and the documentation all use this table. A key that is in no row is an
//! annotation, unless it looks like a misspelt keyword. Cost: a hash for each key; a misspelling is looked for among
//! all rows.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::document::Dialect;

/// What a keyword does to the set of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Restricts instances; enforced.
    Assertion,
    /// Combines or refers to other schemas; enforced.
    Applicator,
    /// Names schemas or dialects.
    Core,
    /// Restricts nothing.
    Annotation,
    /// Restricts instances in a way that cannot be enforced while writing.
    Refused,
}

/// What keywords speak of, as a set: a schema without a word on numbers need not be asked about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct About(u8);

impl About {
    pub const NOTHING: Self = Self(0);
    /// Types and constants.
    pub const VALUES: Self = Self(1);
    pub const NUMBERS: Self = Self(1 << 1);
    pub const STRINGS: Self = Self(1 << 2);
    pub const ARRAYS: Self = Self(1 << 3);
    pub const OBJECTS: Self = Self(1 << 4);
    /// Schemas elsewhere.
    pub const REFERENCES: Self = Self(1 << 5);
    /// Schemas combined in place.
    pub const COMBINATIONS: Self = Self(1 << 6);

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn has(self, part: Self) -> bool {
        self.0 & part.0 != 0
    }

    /// Whether it has nothing else.
    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub role: Role,
    /// What it speaks of.
    pub(crate) about: About,
    /// What is done with it here, in a few words.
    pub note: &'static str,
}

const fn row(name: &'static str, role: Role, about: About, note: &'static str) -> Keyword {
    Keyword { name, role, about, note }
}

use Role::{Annotation, Applicator, Assertion, Core, Refused};

const NOTHING: About = About::NOTHING;
const VALUES: About = About::VALUES;
const NUMBERS: About = About::NUMBERS;
const STRINGS: About = About::STRINGS;
const ARRAYS: About = About::ARRAYS;
const OBJECTS: About = About::OBJECTS;
const REFERENCES: About = About::REFERENCES;
const COMBINATIONS: About = About::COMBINATIONS;

/// Every keyword of drafts 4 to 2020-12, and one of ours.
pub const KEYWORDS: &[Keyword] = &[
    row("$schema", Core, NOTHING, "chooses the dialect"),
    row("$id", Core, NOTHING, "base for references"),
    row("id", Core, NOTHING, "draft 4: base for references"),
    row("$ref", Applicator, REFERENCES, "local, by pointer, anchor or id; remote through the registry"),
    row("$dynamicRef", Applicator, REFERENCES, "resolved through the dynamic scope"),
    row("$recursiveRef", Applicator, REFERENCES, "2019-09: resolved through the dynamic scope"),
    row("$anchor", Core, NOTHING, "name for references"),
    row("$dynamicAnchor", Core, NOTHING, "name for dynamic references"),
    row("$recursiveAnchor", Core, NOTHING, "2019-09: marks a dynamic root"),
    row("$defs", Core, NOTHING, "holds schemas"),
    row("definitions", Core, NOTHING, "holds schemas"),
    row("$comment", Annotation, NOTHING, ""),
    row("$vocabulary", Annotation, NOTHING, ""),
    row("type", Assertion, VALUES, "integers are written without a fraction"),
    row("enum", Assertion, VALUES, "by value; one canonical spelling each"),
    row("const", Assertion, VALUES, "by value; one canonical spelling"),
    row("multipleOf", Assertion, NUMBERS, "exact on decimals; no exponents"),
    row("minimum", Assertion, NUMBERS, "exact on decimals"),
    row("maximum", Assertion, NUMBERS, "exact on decimals"),
    row("exclusiveMinimum", Assertion, NUMBERS, "exact on decimals; boolean in draft 4"),
    row("exclusiveMaximum", Assertion, NUMBERS, "exact on decimals; boolean in draft 4"),
    row("minLength", Assertion, STRINGS, "in code points"),
    row("maxLength", Assertion, STRINGS, "in code points"),
    row(
        "pattern",
        Assertion,
        STRINGS,
        "ECMA-262, searched; the page on patterns tells what is read and what is refused",
    ),
    row("format", Assertion, STRINGS, "asserted for every format of the specification; see the format table"),
    row(
        "x-one-of-text",
        Assertion,
        STRINGS,
        "a keyword of formwright: a piece of a text, `{\"source\": ..., \"unit\": \"char\"}`; or `word`, `sentence`",
    ),
    row("items", Applicator, ARRAYS, "array form in drafts up to 2019-09"),
    row("prefixItems", Applicator, ARRAYS, ""),
    row("additionalItems", Applicator, ARRAYS, "drafts up to 2019-09"),
    row("minItems", Assertion, ARRAYS, ""),
    row("maxItems", Assertion, ARRAYS, ""),
    row(
        "uniqueItems",
        Assertion,
        ARRAYS,
        "items are compared as values; where all are scalars, each has one spelling; refused where items of few values compete",
    ),
    row("contains", Applicator, ARRAYS, "counted; at most six in one array"),
    row("minContains", Assertion, ARRAYS, ""),
    row("maxContains", Assertion, ARRAYS, ""),
    row("unevaluatedItems", Applicator, COMBINATIONS, "resolved when schemas are combined"),
    row("properties", Applicator, OBJECTS, ""),
    row("patternProperties", Applicator, OBJECTS, "overlapping patterns too"),
    row("additionalProperties", Applicator, OBJECTS, "absent means open"),
    row("required", Assertion, OBJECTS, "boolean form of draft 3 refused"),
    row("minProperties", Assertion, OBJECTS, ""),
    row("maxProperties", Assertion, OBJECTS, ""),
    row("propertyNames", Applicator, OBJECTS, ""),
    row("dependentRequired", Assertion, OBJECTS, ""),
    row("dependentSchemas", Applicator, COMBINATIONS, ""),
    row("dependencies", Applicator, OBJECTS.and(COMBINATIONS), "drafts up to 7"),
    row("unevaluatedProperties", Applicator, COMBINATIONS, "resolved when schemas are combined"),
    row("allOf", Applicator, COMBINATIONS, "intersection"),
    row("anyOf", Applicator, COMBINATIONS, "union"),
    row("oneOf", Applicator, COMBINATIONS, "exactly one"),
    row("not", Applicator, COMBINATIONS, "complement"),
    row("if", Applicator, COMBINATIONS, ""),
    row("then", Applicator, COMBINATIONS, ""),
    row("else", Applicator, COMBINATIONS, ""),
    row("title", Annotation, NOTHING, ""),
    row("description", Annotation, NOTHING, ""),
    row("default", Annotation, NOTHING, ""),
    row("examples", Annotation, NOTHING, ""),
    row("example", Annotation, NOTHING, ""),
    row("deprecated", Annotation, NOTHING, ""),
    row("readOnly", Annotation, NOTHING, ""),
    row("writeOnly", Annotation, NOTHING, ""),
    row("contentEncoding", Annotation, NOTHING, ""),
    row("contentMediaType", Annotation, NOTHING, ""),
    row("contentSchema", Annotation, NOTHING, ""),
    row("discriminator", Annotation, NOTHING, "OpenAPI: the branches themselves decide"),
    row("$data", Refused, NOTHING, "values taken from the instance cannot be enforced"),
    row("extends", Refused, NOTHING, "draft 3"),
    row("disallow", Refused, NOTHING, "draft 3"),
    row("divisibleBy", Refused, NOTHING, "draft 3: use multipleOf"),
];

/// Common extension keys that look like keywords and are not.
const INNOCENT: &[&str] = &["formats", "patterns", "minimal", "maximal", "multiple", "multiples"];

/// The row of a keyword.
pub fn find(name: &str) -> Option<&'static Keyword> {
    static INDEX: OnceLock<FxHashMap<&'static str, &'static Keyword>> = OnceLock::new();
    INDEX.get_or_init(|| KEYWORDS.iter().map(|keyword| (keyword.name, keyword)).collect()).get(name).copied()
}

/// The first dialect that has a keyword.
pub fn first_dialect(name: &str) -> Dialect {
    match name {
        "const" | "contains" | "propertyNames" => Dialect::Draft6,
        "if" | "then" | "else" => Dialect::Draft7,
        "minContains"
        | "maxContains"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "$recursiveRef" => Dialect::Draft2019,
        "prefixItems" | "$dynamicRef" => Dialect::Draft2020,
        _ => Dialect::Draft4,
    }
}

/// The keyword that `name` seems to be a misspelling of.
pub fn near_miss(name: &str) -> Option<&'static str> {
    if INNOCENT.contains(&name) || name.starts_with("x-") || name.starts_with('_') {
        return None;
    }
    let bare = name.trim_start_matches('$');
    if bare.len() <= 4 {
        return None;
    }
    let near = KEYWORDS.iter().filter(|keyword| keyword.role != Annotation).filter_map(|keyword| {
        let target = keyword.name.trim_start_matches('$');
        let most = match target.len() {
            0..=5 => 0, // too short: "form", "data", "item" are words of their own
            6..=8 => 1,
            _ => 2,
        };
        // An edit changes the length by one, and at most two letters of the set.
        let may_be = bare.len().abs_diff(target.len()) <= 2 * most
            && (letters(bare) ^ letters(target)).count_ones() as usize <= 2 * most;
        let distance = may_be.then(|| distance(bare, target)).filter(|&distance| distance <= most)?;
        Some((distance, keyword.name))
    });
    near.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// The letters of a name as a set, case ignored, others by chance together.
fn letters(name: &str) -> u32 {
    name.bytes().fold(0, |set, byte| set | 1 << (byte.to_ascii_lowercase() % 32))
}

/// Edit distance with transpositions, case ignored.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substitute = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitute.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_near() {
        assert_eq!(near_miss("maxLenght"), Some("maxLength"));
        assert_eq!(near_miss("requried"), Some("required"));
        assert_eq!(near_miss("additionalproperties"), Some("additionalProperties"));
        assert_eq!(near_miss("minitems"), Some("minItems"));
        assert_eq!(near_miss("patern"), Some("pattern"));
        for name in [
            "x-order",
            "unit",
            "tags",
            "format_hint",
            "nullable",
            "name",
            "version",
            "links",
            "propertyOrder",
            "form",
            "data",
            "multiple",
            "axPattern",
            "$type",
            "defs",
        ] {
            assert_eq!(near_miss(name), None, "{name}");
        }
    }
}
