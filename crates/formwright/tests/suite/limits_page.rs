//! The page on limits has a row for every bound, with its default, and for what else a grammar may not exceed.

use std::path::{Path, PathBuf};

use formwright::Limits;

fn read(path: &str) -> String {
    std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// A number as the page writes it: in whole MiB or KiB where it is one of bytes.
fn written(name: &str, value: u64) -> String {
    if name.ends_with("bytes") {
        return if value.is_multiple_of(1 << 20) {
            format!("{} MiB", value >> 20)
        } else {
            format!("{} KiB", value >> 10)
        };
    }
    let digits = value.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The fields of the limits and their values, from how they are shown.
fn fields() -> Vec<(String, u64)> {
    let shown = format!("{:?}", Limits::default());
    let inside = shown.trim_start_matches("Limits {").trim_end_matches('}');
    let field = |field: &str| {
        let (name, value) = field.split_once(':').unwrap();
        (name.trim().to_owned(), value.trim().parse().unwrap())
    };
    inside.split(',').map(field).collect()
}

#[test]
fn every_bound_is_on_the_page() {
    let page = read("../../docs/reference/limits.md");
    let fields = fields();
    assert!(fields.len() > 20);
    for (name, value) in &fields {
        let start = format!("| `{name}` | {} | ", written(name, *value));
        assert!(page.lines().any(|line| line.starts_with(&start)), "no row begins with {start:?}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 3).count();
    assert_eq!(rows, fields.len(), "a row is of no bound");
}

/// The Rust files in a folder and in those inside it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The names of the bounds for which a file makes errors.
fn bounds_of(source: &str) -> Vec<&str> {
    let calls = source.split("Error::limit(").skip(1).chain(source.split("Error::grammar_limit(").skip(1));
    calls.map(|call| call.split('"').nth(1).unwrap()).collect()
}

#[test]
fn every_refusal_of_a_grammar_is_on_the_page() {
    let page = read("../../docs/reference/limits.md");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/syntax/grammar");
    let mut seen = 0;
    for file in sources(&folder) {
        for bound in bounds_of(&std::fs::read_to_string(&file).unwrap()) {
            let cell = format!("`{bound}`");
            let is_there =
                page.lines().any(|line| line.starts_with("| ") && line.rsplit('|').nth(1).unwrap().contains(&cell));
            assert!(is_there, "no row ends with {cell}, which {} names", file.display());
            seen += 1;
        }
    }
    assert!(seen > 10);
}
